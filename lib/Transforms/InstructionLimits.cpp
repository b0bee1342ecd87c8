//===- InstructionLimits.cpp - What one instruction can do ----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/InstructionLimits.h"

#include "Pto/Words.h"
#include "Tile/TileOps.h"

using namespace mlir;
using namespace mlir::pto;

static bool exceeds(int64_t extent, int64_t most) {
  return !ShapedType::isDynamic(extent) && extent > most;
}

static LogicalResult tooMuch(Operation *op, Value buffer, const Twine &what) {
  return emitUserError(op) << valueWord(buffer) << " is too much for one instruction: " << what
                           << "; pto-expand-instructions cuts it";
}

/// A window that one vector instruction takes row by row: a repeat each.
static LogicalResult limitRows(Operation *op, Value buffer, const TargetInfo &target) {
  auto type = cast<BufType>(buffer.getType());
  int64_t lanes = getRepeatLanes(type.getElementType());
  if (exceeds(type.getCols(), lanes))
    return tooMuch(op, buffer, Twine(type.getCols()) + " columns; a repeat has " + Twine(lanes));
  if (exceeds(type.getRows(), target.maxRepeats))
    return tooMuch(op, buffer,
                   Twine(type.getRows()) + " rows; an instruction has " + Twine(target.maxRepeats) +
                       " repeats");
  int64_t pitch = type.getRootCols() * getElementBytes(type.getElementType()) / 32;
  if (type.getLayout() == TileLayout::ND && type.getRows() != 1 && pitch > target.maxRepeatStride)
    return tooMuch(op, buffer,
                   "its rows lie " + Twine(pitch) +
                       " blocks of 32 bytes apart; repeats lie at most " +
                       Twine(target.maxRepeatStride) + " apart");
  return success();
}

/// All windows contiguous, or each row by row.
static LogicalResult limitElementwise(TileComputeInterface op, const TargetInfo &target) {
  SmallVector<Value> buffers;
  for (Value operand : op->getOperands())
    if (isa<BufType>(operand.getType()))
      buffers.push_back(operand);
  if (llvm::all_of(buffers, [](Value b) { return cast<BufType>(b.getType()).isContiguous(); }))
    return success();
  for (Value buffer : buffers)
    if (failed(limitRows(op, buffer, target)))
      return failure();
  return success();
}

/// Between two layouts in Vec: 32 bytes of each row.
static LogicalResult limitStrip(TileMoveOp op, const TargetInfo &target) {
  auto type = cast<BufType>(op.getDst().getType());
  int64_t width = getBlockLanes(type.getElementType());
  if (exceeds(type.getCols(), width))
    return tooMuch(op, op.getDst(),
                   Twine(type.getCols()) + " columns; a copy between layouts takes " +
                       Twine(width) + ", 32 bytes");
  if (exceeds(type.getRows(), target.maxBlockCount))
    return tooMuch(op, op.getDst(),
                   Twine(type.getRows()) + " rows; a copy has " + Twine(target.maxBlockCount));
  return success();
}

static LogicalResult limitMoveFromVec(TileMoveOp op, const TargetInfo &target) {
  auto from = cast<BufType>(op.getSource().getType()), to = cast<BufType>(op.getDst().getType());
  if (to.getSpace() == MemorySpace::Mat && from.getLayout() != to.getLayout())
    return emitUserError(op) << "copies " << valueWord(op.getSource()) << " of layout "
                             << stringifyTileLayout(from.getLayout()) << " into layout "
                             << stringifyTileLayout(to.getLayout())
                             << ", which is more than one instruction; pto-expand-instructions "
                                "makes them";
  if (to.getSpace() != MemorySpace::Vec)
    return success();
  if (isFractal(from.getLayout()) || isFractal(to.getLayout()))
    return limitStrip(op, target);
  return limitElementwise(cast<TileComputeInterface>(op.getOperation()), target);
}

static LogicalResult limitMove(TileMoveOp op, const TargetInfo &target) {
  auto from = cast<BufType>(op.getSource().getType()), to = cast<BufType>(op.getDst().getType());
  if (from.getSpace() == MemorySpace::Vec)
    return limitMoveFromVec(op, target);
  if (to.getSpace() != MemorySpace::Left && to.getSpace() != MemorySpace::Right)
    return success();
  FractalShape a = getFractalShape(from.getLayout(), from.getSpace(), from.getElementType());
  FractalShape b = getFractalShape(to.getLayout(), to.getSpace(), to.getElementType());
  bool turns = (to.getSpace() == MemorySpace::Right) != op.getTranspose();
  int64_t rows = target.getFractalRows(a, b, turns, to.getElementType());
  int64_t cols = std::max(a.cols, b.cols) * target.maxRepeats;
  int64_t count = rows / (turns ? std::max(a.rows, b.rows) : b.rows);
  std::string lines =
      count == 1 ? "one row of fractals" : std::to_string(count) + " rows of fractals";
  Value told = op.getTranspose() ? op.getDst() : op.getSource();
  if (exceeds(to.getRows(), rows))
    return tooMuch(op, told,
                   "it has " + Twine(to.getRows()) + " rows; a move to " +
                       spaceWord(to.getSpace()) + " takes " + lines + ", " + Twine(rows));
  if (exceeds(to.getCols(), cols))
    return tooMuch(op, told,
                   "it has " + Twine(to.getCols()) + " columns; a move to " +
                       spaceWord(to.getSpace()) + " takes " + Twine(target.maxRepeats) +
                       " fractals, " + Twine(cols) + " columns");
  return success();
}

static LogicalResult limitRowExpand(TileComputeInterface op, const TargetInfo &target) {
  Value vector = op.getSources()[1];
  int64_t lanes = getBlockLanes(getElementTypeOf(vector.getType()));
  if (getShapeOf(vector.getType())[1] != lanes)
    return emitUserError(op) << "its second operand, " << valueWord(vector)
                             << ", has one block of 32 bytes a row, [M, " << lanes
                             << "], in an instruction; pto-expand-instructions makes it";
  for (Value buffer : {op.getSources()[0], vector, op.getDestination()})
    if (failed(limitRows(op, buffer, target)))
      return failure();
  return success();
}

static LogicalResult limitColExpand(TileComputeInterface op, const TargetInfo &target) {
  for (Value buffer : op->getOperands())
    if (failed(limitRows(op, buffer, target)))
      return failure();
  return success();
}

/// One run of bytes becomes another.
static LogicalResult limitReshape(TileComputeInterface op) {
  for (Value operand : op->getOperands())
    if (!cast<BufType>(operand.getType()).isContiguous())
      return emitUserError(op) << "copies one run of bytes, and the rows of " << valueWord(operand)
                               << " do not follow one another; pto-expand-instructions copies them "
                                  "one by one";
  return success();
}

static LogicalResult limitProduct(TileComputeInterface op, const TargetInfo &target) {
  for (Value operand : op->getOperands())
    for (int64_t extent : getShapeOf(operand.getType()))
      if (exceeds(extent, target.maxMatmulDim))
        return tooMuch(op, operand,
                       Twine(extent) + " rows or columns; a product has " +
                           Twine(target.maxMatmulDim));
  return success();
}

/// The most bytes of one run of a copy, the blockLen of DataCopyExtParams.
static constexpr int64_t kMaxRunBytes = 2097151;

/// A copy between DDR and Vec is one row a block, or one block where the elements
/// follow each other on both sides, as in a column of an array [M, 1].
static LogicalResult limitCopy(Operation *op, Value buffer, Value array, const TargetInfo &target) {
  auto type = cast<BufType>(buffer.getType());
  if (type.getSpace() != MemorySpace::Vec)
    return success();
  if (type.isContiguous() && type.getCols() == getRowPitch(array.getType())) {
    int64_t bytes = type.getRootBytes();
    if (exceeds(bytes, kMaxRunBytes))
      return tooMuch(op, buffer,
                     Twine(bytes) + " bytes; a run of a copy has " + Twine(kMaxRunBytes));
    return success();
  }
  if (exceeds(type.getRows(), target.maxBlockCount))
    return tooMuch(op, buffer,
                   Twine(type.getRows()) + " rows; a copy has " + Twine(target.maxBlockCount));
  return success();
}

LogicalResult pto::verifyInstructionLimits(InstructionInterface op, const TargetInfo &target) {
  if (auto load = dyn_cast<TileLoadOp>(op.getOperation()))
    return limitCopy(load, load.getDst(), load.getSource(), target);
  if (auto store = dyn_cast<TileStoreOp>(op.getOperation()))
    return limitCopy(store, store.getSource(), store.getDest(), target);
  if (auto move = dyn_cast<TileMoveOp>(op.getOperation()))
    return limitMove(move, target);
  auto compute = dyn_cast<TileComputeInterface>(op.getOperation());
  if (!compute)
    return success();
  if (isa<TileMatmulOp, TileMatmulAccOp, TileMatmulBiasOp>(compute))
    return limitProduct(compute, target);
  if (isa<TileReshapeOp>(op.getOperation()))
    return limitReshape(compute);
  if (compute->hasTrait<MovesBits>() && !isa<TileFullOp>(op.getOperation()))
    return emitUserError(op) << "is no instruction; pto-expand-instructions makes some of it";
  if (compute->hasTrait<RowReduce>())
    return limitRows(compute, compute.getSources().front(), target);
  if (compute->hasTrait<RowExpand>())
    return limitRowExpand(compute, target);
  if (compute->hasTrait<ColExpand>())
    return limitColExpand(compute, target);
  if (compute->hasTrait<ColReduce>())
    return emitUserError(op) << "is no instruction; pto-expand-instructions makes some of it";
  if (auto brcb = dyn_cast<TileBrcbOp>(op.getOperation())) {
    int64_t rows = getShapeOf(brcb.getSource().getType())[0], most = 8 * target.maxRepeats;
    if (exceeds(rows, most))
      return tooMuch(brcb, brcb.getSource(),
                     Twine(rows) + " values; one instruction spreads " + Twine(most));
    return success();
  }
  if (isa<TileCmpOp, TileSelOp>(compute)) {
    for (Value operand : compute->getOperands())
      if (auto type = dyn_cast<BufType>(operand.getType());
          type && type.getRows() != 1 && type.getRootRows() != 1)
        return tooMuch(compute, operand, "more than one row, and bits of a mask follow each other");
    return success();
  }
  return limitElementwise(compute, target);
}
