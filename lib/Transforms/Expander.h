//===- Expander.h - Operations become instructions ---------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// What pto-expand-instructions does with one operation after the other:
// ExpandInstructions.cpp computes, ExpandMoves.cpp moves, ExpandData.cpp makes other shapes.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_EXPANDER_H
#define PTO_TRANSFORMS_EXPANDER_H

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Target/Target.h"
#include "Tile/TileOps.h"
#include "Transforms/Pieces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pto {

// Whole pieces that are written one after the other; more are a loop.
inline constexpr int64_t kUnrolledChunks = 4, kUnrolledFractalRows = 2;
// brcb takes a vector by eight, and a vector's pieces begin on 32 bytes, which are
// 16 values of 2 bytes.
inline constexpr int64_t kVectorGroup = 8, kVectorAlignment = 16;

/// A vector [M, 1] whose values follow each other.
inline bool isVector(BufType type) { return type.getCols() == 1 && type.getRootCols() == 1; }
inline BufType typeOf(Value buffer) { return cast<BufType>(buffer.getType()); }
/// "'t'", or its type if it has no name.
std::string shortWord(Value value);
/// The operation on a piece of each buffer, at `offsets` of `sizes`; scalars stay.
Operation *cloneOnPieces(OpBuilder &builder, Operation *op, ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes);

/// Whether a window begins on 32 bytes in each of its rows, as far as that is known.
bool isOnBlocks(Value buffer);

class Expander {
public:
  explicit Expander(const TargetInfo &target) : target(target) {}
  LogicalResult expand(Operation *op);

private:
  LogicalResult expandElementwise(Operation *op);
  LogicalResult expandNeg(TileNegOp op);
  LogicalResult expandOneRow(Operation *op);
  Operation *copyRow(OpBuilder &builder, Location loc, Value from, Value to) const;
  LogicalResult expandPart(Operation *op);
  void fillWithZero(OpBuilder &builder, Location loc, Value buffer);
  LogicalResult expandVectorCopy(Operation *op);
  LogicalResult expandRowReduce(Operation *op);
  LogicalResult foldRows(Operation *op, int64_t rowsAtOnce);
  LogicalResult expandRowExpand(Operation *op);
  LogicalResult expandColReduce(Operation *op);
  LogicalResult expandColExpand(Operation *op);
  LogicalResult expandBrcb(Operation *op);
  LogicalResult expandMove(TileMoveOp op);
  LogicalResult expandMoveOfFractals(TileMoveOp op);
  LogicalResult expandMoveToMat(TileMoveOp op);
  LogicalResult expandStrips(TileMoveOp op);
  LogicalResult expandSplit(TileMoveOp op);
  LogicalResult expandByElements(Operation *op);
  LogicalResult expandFull(TileFullOp op);
  LogicalResult expandReshape(TileReshapeOp op);
  LogicalResult expandTranspose(TileTransposeOp op);
  LogicalResult expandFillpad(TileFillpadOp op);
  LogicalResult expandCi(TileCiOp op);
  LogicalResult expandTri(TileTriOp op);
  LogicalResult expandRandom(TileRandomOp op);
  LogicalResult expandLoad(TileLoadOp op);
  LogicalResult expandStore(TileStoreOp op);
  LogicalResult checkProduct(Operation *op);

  FailureOr<Value> makeBlocks(Operation *op, Value vector);
  DenseI64ArrayAttr takeRoom(OpBuilder &builder, BufType type);
  Value makeSharedScratch(Operation *op, Value like, StringRef suffix, ArrayRef<int64_t> shape,
                          TileLayout layout, const Twine &reason);
  Value makeScratch(Operation *op, Value like, StringRef suffix, ArrayRef<int64_t> shape,
                    TileLayout layout, const Twine &reason);
  LogicalResult combine(OpBuilder &builder, Operation *reduce, Value into, Value piece);
  bool fitsRepeatStride(BufType type) const;
  int64_t rowsAtOnce(ArrayRef<Value> buffers) const;
  LogicalResult checkExtents(Operation *op);
  LogicalResult readRoom(Operation *op);

  const TargetInfo &target;
  DenseMap<Block *, Operation *> lastAllocation;
  // Bytes that the author gave for scratch of the operation at hand: [first, second).
  std::pair<int64_t, int64_t> room{0, 0};
  // Of scratch between two pipes: its mutex, and one allocation for all of a type.
  std::optional<int64_t> handOverId;
  DenseMap<std::pair<Block *, Type>, Value> sharedScratch;
};

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_EXPANDER_H
