//===- Pieces.h - Cutting operations into instructions -----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_PIECES_H
#define PTO_TRANSFORMS_PIECES_H

#include "Tile/TileOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::pto {

/// An extent of a window with the most that it can be.
struct BoundedExtent {
  OpFoldResult size;
  int64_t bound;
};

/// Extent `dim` of a buffer's window. If it is dynamic, the size operand of the
/// view that made it; null if there is none to find.
BoundedExtent getWindowExtent(Value buffer, unsigned dim);

/// Cuts `extent`, from `begin` on, into pieces of at most `step` and calls `emit`
/// with the offset and size of each. One piece is emitted as it is; up to `unroll`
/// whole ones and a tail one after the other; more as `scf.for` and a tail. A
/// dynamic extent becomes a loop whose pieces are `min(step, rest)`, so that no
/// piece is ever empty.
void forEachPiece(OpBuilder &builder, Location loc, BoundedExtent extent, int64_t begin,
                  int64_t step, int64_t unroll,
                  llvm::function_ref<void(OpBuilder &, OpFoldResult, OpFoldResult)> emit);

/// What makes the instruction of a window, from its offsets and its sizes.
using EmitWindow =
    llvm::function_ref<void(OpBuilder &, ArrayRef<OpFoldResult>, ArrayRef<OpFoldResult>)>;

/// Cuts `rows` x `cols` into windows of at most `height` x `width`, the rows of a strip
/// of columns before the next strip, each extent as forEachPiece() does.
void forEachWindow(OpBuilder &builder, Location loc, BoundedExtent rows, int64_t height,
                   BoundedExtent cols, int64_t width, int64_t unroll, EmitWindow emit);

/// The window of `sizes` at `offsets` of `buffer`; the buffer itself if that is all.
Value getPiece(OpBuilder &builder, Location loc, Value buffer, ArrayRef<OpFoldResult> offsets,
               ArrayRef<OpFoldResult> sizes);

/// `a + b` of index values and attributes.
OpFoldResult addIndex(OpBuilder &builder, Location loc, OpFoldResult a, OpFoldResult b);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_PIECES_H
