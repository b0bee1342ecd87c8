//===- Tools.h - The command-line tools --------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TOOLS_H
#define PTO_TOOLS_H

namespace mlir::pto {
/// pypto-opt: passes over a module.
int optMain(int argc, char **argv);
/// pypto-translate: AscendC from a final module.
int translateMain(int argc, char **argv);
/// pypto-run: a module on the reference model.
int runMain(int argc, char **argv);
} // namespace mlir::pto

#endif // PTO_TOOLS_H
