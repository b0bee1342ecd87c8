//===- FoldConstants.h - Scalars that are known ------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_FOLDCONSTANTS_H
#define PTO_TRANSFORMS_FOLDCONSTANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pto {

/// Computes what the function computes of constants, puts the arm that is taken in the
/// place of each `scf.if` on a constant, and removes scalars that nothing uses any more.
/// Everything else stays as the author wrote it, with its place and name.
void foldConstants(func::FuncOp func);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_FOLDCONSTANTS_H
