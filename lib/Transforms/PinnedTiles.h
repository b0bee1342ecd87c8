//===- PinnedTiles.h - Tiles at the author's addresses -----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_PINNEDTILES_H
#define PTO_TRANSFORMS_PINNEDTILES_H

#include "Transforms/WindowBytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pto {

/// The bytes of a space that the allocations take, whatever is live.
ByteRuns getPinnedBytes(ArrayRef<TileAllocOp> allocs);

/// Tiles at the author's addresses may share bytes. Where one is written, another is
/// written over it, and the first is read again, all in one straight piece of code, the
/// reader does not find what was written: an error that names both.
LogicalResult checkPinnedOverlaps(func::FuncOp func);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_PINNEDTILES_H
