//===- ExpandMoves.cpp - Copies become instructions ------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Loads, stores and moves, each within what one copy of the chip can do.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Expander.h"
#include "Transforms/HandOver.h"
#include "Transforms/TileControlFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// Mat to Left or Right: as many rows of fractals of what is made as one copy takes, one
/// on some chips. A copy that transposes takes its source the other way round.
LogicalResult Expander::expandMoveOfFractals(TileMoveOp op) {
  BufType from = typeOf(op.getSource()), to = typeOf(op.getDst());
  FractalShape fractal = getFractalShape(from.getLayout(), from.getSpace(), from.getElementType());
  FractalShape other = getFractalShape(to.getLayout(), to.getSpace(), to.getElementType());
  bool turns = (to.getSpace() == MemorySpace::Right) != op.getTranspose();
  if (turns && to.getSpace() == MemorySpace::Left && getElementBytes(from.getElementType()) != 2)
    return emitUserError(op) << "turns " << valueWord(op.getSource())
                             << " on its way to Left, which no chip does but for FP16 and BF16; "
                                "transpose it in Vec, or store the array transposed";
  int64_t height = target.getFractalRows(fractal, other, turns, from.getElementType());
  int64_t width = std::max(fractal.cols, other.cols) * target.maxRepeats;
  BoundedExtent rows = getWindowExtent(op.getDst(), 0), cols = getWindowExtent(op.getDst(), 1);
  if (rows.bound <= height && cols.bound <= width)
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  bool turned = op.getTranspose();
  auto emit = [&](OpBuilder &b, ArrayRef<OpFoldResult> at, ArrayRef<OpFoldResult> size) {
    SmallVector<OpFoldResult, 2> from(at), fromSize(size);
    if (turned) {
      std::swap(from[0], from[1]);
      std::swap(fromSize[0], fromSize[1]);
    }
    Value piece = getPiece(b, loc, op.getSource(), from, fromSize);
    Value made = getPiece(b, loc, op.getDst(), at, size);
    b.clone(*op)->setOperands({piece, made});
  };
  forEachWindow(builder, loc, rows, height, cols, width, kUnrolledFractalRows, emit);
  op.erase();
  return success();
}

/// Between two layouts in Vec: a column of fractals at a time, 32 bytes of each row.
LogicalResult Expander::expandStrips(TileMoveOp op) {
  int64_t width = getBlockLanes(typeOf(op.getDst()).getElementType());
  BoundedExtent rows = getWindowExtent(op.getDst(), 0), cols = getWindowExtent(op.getDst(), 1);
  if (rows.bound <= target.maxBlockCount && cols.bound <= width)
    return success();
  OpBuilder builder(op);
  int64_t height = llvm::alignDown(target.maxBlockCount, kVectorAlignment);
  forEachWindow(builder, op.getLoc(), rows, height, cols, width, kUnrolledChunks,
                [&](OpBuilder &b, ArrayRef<OpFoldResult> at, ArrayRef<OpFoldResult> size) {
                  cloneOnPieces(b, op, at, size);
                });
  op.erase();
  return success();
}

/// The next multiple of `unit`.
static OpFoldResult roundUp(OpBuilder &builder, Location loc, OpFoldResult extent, int64_t unit) {
  if (std::optional<int64_t> known = getConstantIntValue(extent))
    return builder.getIndexAttr(llvm::alignTo(*known, unit));
  loc = unnamed(loc);
  Value step = arith::ConstantIndexOp::create(builder, loc, unit);
  Value blocks = arith::CeilDivSIOp::create(builder, loc, cast<Value>(extent), step);
  return arith::MulIOp::create(builder, loc, blocks, step).getResult();
}

/// Vec to Mat: as the fractals lie in Mat, so they must in Vec.
LogicalResult Expander::expandMoveToMat(TileMoveOp op) {
  BufType from = typeOf(op.getSource()), to = typeOf(op.getDst());
  if (from.getLayout() == to.getLayout())
    return success();
  if (from.getLayout() != TileLayout::ND || to.getLayout() != TileLayout::NZ)
    return emitUserError(op) << "copies rows into fractals, not " << valueWord(op.getSource())
                             << ", whose layout is " << stringifyTileLayout(from.getLayout())
                             << ", into layout " << stringifyTileLayout(to.getLayout());
  FractalShape fractal = getFractalShape(to.getLayout(), to.getSpace(), to.getElementType());
  int64_t rows = llvm::alignTo(getWindowExtent(op.getSource(), 0).bound, fractal.rows);
  int64_t cols = llvm::alignTo(getWindowExtent(op.getSource(), 1).bound, fractal.cols);
  Value room =
      makeSharedScratch(op, op.getSource(), "fractals", {rows, cols}, TileLayout::NZ,
                        "the fractals of " + shortWord(op.getSource()) + " on their way to Mat");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  OpFoldResult zero = builder.getIndexAttr(0);
  OpFoldResult high = getWindowExtent(op.getSource(), 0).size;
  OpFoldResult wide = getWindowExtent(op.getSource(), 1).size;
  Value fractals = getPiece(builder, loc, room, {zero, zero}, {high, wide});
  FailureOr<HandOver> handOver = HandOver::begin(op, target, Pipe::MTE3, handOverId);
  if (failed(handOver))
    return failure();
  handOver->lend(op);
  // Whole blocks of 32 bytes: behind the window is what rows are padded with.
  OpFoldResult blocks = roundUp(builder, loc, wide, getBlockLanes(from.getElementType()));
  Value padded = getPiece(builder, loc, op.getSource(), {zero, zero}, {high, blocks});
  auto strips = TileMoveOp::create(builder, loc, Type(), padded,
                                   getPiece(builder, loc, room, {zero, zero}, {high, blocks}));
  handOver->lock(strips, Pipe::V);
  op.getSourceMutable().set(fractals);
  handOver->lock(op, Pipe::MTE3);
  return expandStrips(strips);
}

/// An accumulator to both AIVs: the copy that serves both at once neither converts nor
/// clamps, so that each AIV is served by one of its own.
LogicalResult Expander::expandSplit(TileMoveOp op) {
  bool rows = op.getAccToVec() == AccToVec::SplitM;
  BufType from = typeOf(op.getSource()), to = typeOf(op.getDst());
  if (from.getElementType() == to.getElementType() && !op.getRelu())
    return success();
  int64_t extent = from.getShape()[rows ? 0 : 1];
  FractalShape fractal = getFractalShape(from.getLayout(), from.getSpace(), from.getElementType());
  int64_t unit = rows ? fractal.rows : fractal.cols;
  if (ShapedType::isDynamic(extent) || extent % (2 * unit) != 0)
    return emitUserError(op) << "halves the " << (rows ? "rows" : "columns") << " of "
                             << valueWord(op.getSource()) << " and converts them, which is a copy "
                             << "for each half; a half is a multiple of " << unit;
  OpBuilder builder(op);
  OpFoldResult sizes[] = {getWindowExtent(op.getSource(), 0).size,
                          getWindowExtent(op.getSource(), 1).size};
  sizes[rows ? 0 : 1] = builder.getIndexAttr(extent / 2);
  for (bool second : {false, true}) {
    OpFoldResult at[] = {builder.getIndexAttr(0), builder.getIndexAttr(0)};
    at[rows ? 0 : 1] = builder.getIndexAttr(second ? extent / 2 : 0);
    Value half = getPiece(builder, op.getLoc(), op.getSource(), at, sizes);
    auto copy = cast<TileMoveOp>(builder.clone(*op));
    copy.getSourceMutable().set(half);
    copy.setAccToVec(second ? AccToVec::Vec1 : AccToVec::Vec0);
    // The first leaves the accumulator to the second.
    if (!second && op.getPhase())
      copy.setPhase(Phase::Partial);
  }
  op.erase();
  return success();
}

LogicalResult Expander::expandMove(TileMoveOp op) {
  BufType from = typeOf(op.getSource()), to = typeOf(op.getDst());
  if (from.getSpace() == MemorySpace::Vec && to.getSpace() == MemorySpace::Vec) {
    if (isFractal(from.getLayout()) || isFractal(to.getLayout()))
      return expandStrips(op);
    // No instruction copies columns, what does not begin on 32 bytes, or parts of rows
    // of elements that no repeat has.
    bool dense = from.isContiguous() && to.isContiguous();
    if (isVector(from) != isVector(to) || !isOnBlocks(op.getSource()) || !isOnBlocks(op.getDst()) ||
        (!dense && !target.hasRepeats(from.getElementType())))
      return expandByElements(op);
    return expandElementwise(op);
  }
  if (from.getSpace() == MemorySpace::Vec && to.getSpace() == MemorySpace::Mat)
    return expandMoveToMat(op);
  if (op.getAccToVec() == AccToVec::SplitM || op.getAccToVec() == AccToVec::SplitN)
    return expandSplit(op);
  if (from.getSpace() == MemorySpace::Mat && isFractal(from.getLayout()) &&
      isFractal(to.getLayout()))
    return expandMoveOfFractals(op);
  return success();
}

/// Whether a column of an array has its elements one after the other.
static bool isDenseColumn(Value array) { return getRowPitch(array.getType()) == 1; }

/// The same copy from row `row` of its window of the array on.
template <typename Op> static Op cloneFromRow(OpBuilder &builder, Op op, OpFoldResult row) {
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  offsets[0] = addIndex(builder, unnamed(op.getLoc()), offsets[0], row);
  SmallVector<Value> dynamic;
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(offsets, dynamic, statics);
  auto clone = cast<Op>(builder.clone(*op));
  clone.getOffsetsMutable().assign(dynamic);
  clone.setStaticOffsets(statics);
  return clone;
}

LogicalResult Expander::expandLoad(TileLoadOp op) {
  BufType type = typeOf(op.getDst());
  if (type.getSpace() != MemorySpace::Vec)
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  BoundedExtent rows = getWindowExtent(op.getDst(), 0);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  if (isVector(type)) {
    if (isDenseColumn(op.getSource()) || type.getRows() == 1)
      return success(); // one run of bytes
    // Every element comes to a 32-byte block of its own; the maximum of each row
    // of one is the element.
    Type element = type.getElementType();
    if (!target.hasVectorOp("row_max", element, /*scalarOperand=*/false))
      return emitUserError(op) << "loads a column of " << valueWord(op.getSource())
                               << " as a vector, which " << target.name << " does not do for "
                               << dtypeWord(element) << "; load whole rows";
    Value room =
        makeScratch(op, op.getDst(), "column", {type.getRootRows(), getBlockLanes(element)},
                    TileLayout::ND, "one 32-byte block for each element of a column");
    Value column = getPiece(builder, loc, room, {zero, zero}, {rows.size, one});
    FailureOr<HandOver> handOver = HandOver::begin(op, target, Pipe::MTE2, handOverId);
    if (failed(handOver))
      return failure();
    auto load =
        TileLoadOp::create(builder, loc, Type(), op.getSource(), op.getOffsets(), ValueRange(),
                           column, op.getStaticOffsetsAttr(), builder.getDenseI64ArrayAttr({}));
    Operation *pick = TileRowMaxOp::create(builder, loc, Type(), column, op.getDst());
    handOver->lock(load, Pipe::MTE2);
    handOver->lock(pick, Pipe::V);
    handOver->takeBack(op);
    op.erase();
    return failure(failed(expandRowReduce(pick)) || failed(expandLoad(load)));
  }
  if (rows.bound <= target.maxBlockCount)
    return success();
  OpFoldResult cols = getWindowExtent(op.getDst(), 1).size;
  forEachPiece(builder, loc, rows, 0, target.maxBlockCount, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult row, OpFoldResult height) {
                 Value piece = getPiece(b, loc, op.getDst(), {row, zero}, {height, cols});
                 cloneFromRow(b, op, row).getDstMutable().assign(piece);
               });
  op.erase();
  return success();
}

LogicalResult Expander::expandStore(TileStoreOp op) {
  BufType type = typeOf(op.getSource());
  if (type.getSpace() != MemorySpace::Vec)
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  BoundedExtent rows = getWindowExtent(op.getSource(), 0);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  if (isVector(type)) {
    if (isDenseColumn(op.getDest()) || type.getRows() == 1)
      return success();
    // A column with a pitch: each element from a 32-byte block of its own.
    FailureOr<HandOver> handOver = HandOver::begin(op, target, Pipe::MTE3, handOverId);
    if (failed(handOver))
      return failure();
    handOver->lend(op);
    Operation *before = op->getPrevNode();
    FailureOr<Value> blocks = makeBlocks(op, op.getSource());
    if (failed(blocks))
      return failure();
    Block::iterator first = before ? std::next(before->getIterator()) : op->getBlock()->begin();
    handOver->lock(&*first, op->getPrevNode(), Pipe::V);
    op.getSourceMutable().set(getPiece(builder, loc, *blocks, {zero, zero}, {rows.size, one}));
    handOver->lock(op, Pipe::MTE3);
    return expandStore(op);
  }
  if (rows.bound <= target.maxBlockCount)
    return success();
  OpFoldResult cols = getWindowExtent(op.getSource(), 1).size;
  forEachPiece(builder, loc, rows, 0, target.maxBlockCount, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult row, OpFoldResult height) {
                 Value piece = getPiece(b, loc, op.getSource(), {row, zero}, {height, cols});
                 cloneFromRow(b, op, row).getSourceMutable().set(piece);
               });
  op.erase();
  return success();
}
