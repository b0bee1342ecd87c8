//===- Cost.cpp - What an instruction costs ----------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Cost.h"
#include "Block/BlockOps.h"
#include "Tile/TileOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;
using llvm::divideCeil;

/// The bytes of a window in its space, with the padding of fractals.
static int64_t getBytes(const Window &window) {
  SmallVector<ByteRange, 16> ranges;
  window.getRanges(ranges);
  int64_t bytes = 0;
  for (ByteRange range : ranges)
    bytes += range.end - range.begin;
  return bytes;
}

/// What DDR moves for a window of an array: whole lines for each contiguous run.
static int64_t getLineBytes(const Window &window, int64_t line) {
  SmallVector<ByteRange, 16> ranges;
  window.getRanges(ranges);
  int64_t lines = 0;
  for (ByteRange range : ranges)
    lines += divideCeil(range.end, line) - range.begin / line;
  return lines * line;
}

/// A copy from or to DDR: each of the cores has `rate`, unless all together exceed
/// what the memory gives.
static int64_t getDdrCycles(const CostInfo &cost, const Window &array, int64_t rate,
                            int64_t cores) {
  int64_t all = std::min(rate * cores, cost.ddrChip);
  return cost.ddrStart + divideCeil(getLineBytes(array, cost.ddrLine) * cores, all);
}

/// How many repeats a vector instruction makes: 256 bytes each in the count form, a
/// row each in the mask form.
static int64_t getRepeats(const CostInfo &cost, ArrayRef<Window> windows) {
  bool dense = true;
  int64_t size = 1;
  for (const Window &window : windows) {
    dense &= window.isDense();
    size = std::max<int64_t>(size, elemBytes(window.elem));
  }
  const Window &whole = windows.front();
  return dense ? divideCeil(whole.rows * whole.cols * size, cost.repeatBytes) : whole.rows;
}

static int64_t getVectorCycles(const CostInfo &cost, Operation *op, ArrayRef<Window> windows) {
  constexpr int64_t kValuesOfBrcb = 8;
  const Window &src = windows.front();
  if (isa<TileBrcbOp>(op))
    return cost.repeatSimple * divideCeil(src.rows, kValuesOfBrcb);
  if (isa<TileRowMaxOp, TileRowSumOp>(op))
    return cost.repeatReduce * src.rows;
  // One value a row: always a repeat a row.
  if (isa<TileRowExpandDivOp, TileColExpandDivOp>(op))
    return cost.repeatRoot * src.rows;
  if (isa<TileRowExpandSubOp, TileRowExpandMulOp>(op))
    return cost.repeatSimple * src.rows;
  bool root = isa<TileExpOp, TileSqrtOp, TileRsqrtOp, TileDivOp>(op);
  return (root ? cost.repeatRoot : cost.repeatSimple) * getRepeats(cost, windows);
}

/// Whole cubes in each dimension: a small product costs as much as a full one.
static int64_t getProductCycles(const CostInfo &cost, const Window &lhs, const Window &dst) {
  return divideCeil(dst.rows, cost.cubeM) * divideCeil(dst.cols, cost.cubeN) *
         divideCeil(lhs.cols, cost.cubeK);
}

static int64_t getMoveCycles(const CostInfo &cost, const Instruction &instruction,
                             const Window &dst) {
  // Into the bias table no rate is published: that of Right stands for it.
  bool left = getTileSpace(instruction.destinationType) == MemorySpace::Left;
  return divideCeil(getBytes(dst), left ? cost.matToLeft : cost.matToRight);
}

/// Out of an accumulator, to DDR or to Mat.
static int64_t getFixCycles(const CostInfo &cost, const Instruction &instruction, const Window &acc,
                            const Window &dst, int64_t cores) {
  int64_t out = cost.moveStart + divideCeil(getBytes(acc), cost.accOut);
  if (!isa<TileStoreOp, BlockQueuePushOp>(instruction.op))
    return out;
  return std::max(out, getDdrCycles(cost, dst, cost.ddrWrite, cores));
}

int64_t reference::getCycles(const Instruction &instruction, ArrayRef<Window> reads,
                             ArrayRef<Window> writes, int64_t cores) {
  const CostInfo &cost = instruction.target->cost;
  SmallVector<Window, 4> windows(reads);
  llvm::append_range(windows, writes);
  switch (instruction.pipe) {
  case Pipe::V:
    return cost.vectorStart + getVectorCycles(cost, instruction.op, windows);
  case Pipe::M:
    return cost.cubeStart + getProductCycles(cost, windows.front(), windows.back());
  case Pipe::MTE1:
    return cost.moveStart + getMoveCycles(cost, instruction, windows.back());
  case Pipe::MTE2:
    return getDdrCycles(cost, windows.front(), cost.ddrRead, cores);
  case Pipe::MTE3:
    // From an AIV to the Mat of its AIC no DDR is touched: as out of an accumulator.
    if (isa<TileMoveOp>(instruction.op))
      return cost.moveStart + divideCeil(getBytes(windows.back()), cost.accOut);
    return getDdrCycles(cost, windows.back(), cost.ddrWrite, cores);
  case Pipe::FIX:
    return getFixCycles(cost, instruction, windows.front(), windows.back(), cores);
  case Pipe::S:
  case Pipe::ALL:
    return cost.issue;
  }
  return cost.issue;
}
