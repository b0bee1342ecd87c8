//===- Opt.cpp - pypto-opt -------------------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Register.h"
#include "Tools.h"
#include "Transforms/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

int pto::optMain(int argc, char **argv) {
  DialectRegistry registry;
  pto::registerAllDialects(registry);
  pto::registerAllPasses();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "pypto-opt: passes over a PyPTO module\n", registry));
}
