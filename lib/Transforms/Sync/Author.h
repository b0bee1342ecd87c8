//===- Author.h - What the author of the flags need not write -----*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Where `pto.sync` is `author`, flags between pipes are the author's. Two things
// are not: barriers within V and M, for which the language has no word, and the
// locks of tiles that have mutex ids.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_SYNC_AUTHOR_H
#define PTO_TRANSFORMS_SYNC_AUTHOR_H

#include "Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pto::sync {

/// Writes the barriers that instructions of V, and of M, need among themselves in what
/// `owner` (a kernel, or a section of a mixed one) holds.
LogicalResult writeBarriers(Operation *owner);

/// Whether an allocation of the function has mutex ids.
bool hasMutexIds(func::FuncOp func);

/// Writes locks and unlocks around the instructions of `owner` that touch tiles with mutex
/// ids. `core`: the kind of core that runs it; what is in the other kind's memory has none.
void writeLocks(Operation *owner, CoreKind core, const TargetInfo &target);

} // namespace mlir::pto::sync

#endif // PTO_TRANSFORMS_SYNC_AUTHOR_H
