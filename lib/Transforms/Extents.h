//===- Extents.h - The valid rows and columns of a tile ----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_EXTENTS_H
#define PTO_TRANSFORMS_EXTENTS_H

#include "Pto/Pto.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::pto {

/// Where the extent of a tile in one dimension (0: rows, 1: columns) comes
/// from: a known extent (`extent` is set), or the extent of another tile.
struct ExtentSource {
  OpFoldResult extent;
  Value tile;
  unsigned dim = 0;
  int64_t divisor = 1; // of that tile's extent; what is left counts as one
  Value also;          // another tile, whose extent it is if that is larger

  bool isPlain() const { return divisor == 1 && !also; }
};

/// One step up from `tile`. For a value that a region carries (an argument of a
/// loop's body, a result of a loop or branch), the tile itself.
ExtentSource getExtentSource(Value tile, unsigned dim);

/// The extents of tiles, found by walking up their definitions. A value that a
/// region carries is a full tile: pto-materialize-valid-extents puts a
/// `pto.tile.set_validshape` behind every one that is not. Constants are
/// attributes. Answers are kept, so that a chain of n operations costs n steps.
class ExtentAnalysis {
public:
  OpFoldResult get(Value tile, unsigned dim);
  SmallVector<OpFoldResult> get(Value tile) { return {get(tile, 0), get(tile, 1)}; }

private:
  llvm::DenseMap<std::pair<Value, unsigned>, OpFoldResult> known;
};

/// The extent in units of `divisor`, what is left counting as one; computed in front of `op`.
OpFoldResult divideExtent(OpFoldResult extent, int64_t divisor, Operation *op);
/// The larger of two, computed in front of `op`.
OpFoldResult largerExtent(OpFoldResult a, OpFoldResult b, Operation *op);

/// An extent that is a constant, as an attribute.
OpFoldResult normalizeExtent(OpFoldResult extent);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_EXTENTS_H
