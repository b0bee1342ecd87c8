//===- Emitter.h - AscendC C++ from the final module -------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_ASCENDC_EMITTER_H
#define PTO_ASCENDC_EMITTER_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace mlir::pto {

/// A C++ source of a compiled program.
struct SourceFile {
  std::string path; // "kernels/aiv/square.cpp", "orchestration/levels.cpp"
  std::string text;
};

/// The sources of a module in its final form: one file a kernel and one an
/// orchestration function. Emits an error at what has no AscendC.
FailureOr<std::vector<SourceFile>> emitAscendC(ModuleOp module);

} // namespace mlir::pto

#endif // PTO_ASCENDC_EMITTER_H
