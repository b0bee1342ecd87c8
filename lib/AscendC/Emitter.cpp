//===- Emitter.cpp - AscendC C++ from the final module --------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Emitter.h"

using namespace mlir;
using namespace mlir::pto;

FailureOr<std::vector<SourceFile>> pto::emitAscendC(ModuleOp module) {
  return std::vector<SourceFile>();
}
