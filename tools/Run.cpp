//===- Run.cpp - pypto-run --------------------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

int mlir::pto::runMain(int argc, char **argv) { return 2; }
