//===- Instructions.cpp - What one instruction can do ------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Instructions.h"
#include "Pto/Words.h"
#include "Reference/Launch.h"
#include "Tile/TileOps.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Whether there is such an instruction
//===----------------------------------------------------------------------===//

LogicalResult reference::checkVectorOp(const Instruction &instruction, bool scalarOperand) {
  Type element = getElementTypeOf(instruction.sources[0].value.getType());
  auto compute = dyn_cast<TileComputeInterface>(instruction.op);
  if (!instruction.checks(Check::Instruction) ||
      (compute && instruction.target->hasInstruction(compute)))
    return success();
  return CheckError(Check::Instruction, instruction.op)
         << instruction.target->name << " has no such instruction for " << dtypeWord(element)
         << (scalarOperand ? " and a scalar" : "") << "; pto-legalize makes ones that it has";
}

LogicalResult reference::checkCastOp(const Instruction &instruction, RoundMode mode) {
  Type from = getElementTypeOf(instruction.sources[0].value.getType());
  Type to = getElementTypeOf(instruction.destinationType);
  if (!instruction.checks(Check::Instruction) || instruction.target->hasCast(from, to, mode))
    return success();
  return CheckError(Check::Instruction, instruction.op)
         << instruction.target->name << " has no instruction from " << dtypeWord(from) << " to "
         << dtypeWord(to) << " with rounding '" << stringifyRoundMode(mode)
         << "'; pto-legalize makes ones that it has";
}

FailureOr<Rounding> reference::getRounding(Operation *op, Elem from, Elem to, RoundMode mode) {
  switch (mode) {
  case RoundMode::None: {
    // Between integers nothing is rounded: what does not fit is cut to the range.
    if (isExact(from, to) || (isInteger(from) && isInteger(to)))
      return Rounding::Rint;
    return emitUserError(op) << "rounding 'none' is for conversions that lose nothing; this one "
                                "may, so choose a rounding";
  }
  case RoundMode::Rint:
    return Rounding::Rint;
  case RoundMode::Round:
    return Rounding::Round;
  case RoundMode::Floor:
    return Rounding::Floor;
  case RoundMode::Ceil:
    return Rounding::Ceil;
  case RoundMode::Trunc:
    return Rounding::Trunc;
  case RoundMode::Odd:
    return Rounding::Odd;
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

static bool intersects(const Window &a, const Window &b) {
  SmallVector<ByteRange, 16> left, right;
  a.getRanges(left);
  b.getRanges(right);
  return intersects(left, right);
}

/// An instruction may write what it reads only element by element.
static LogicalResult checkOverlap(const Instruction &instruction, const Window &src,
                                  const Window &dst, bool inPlace) {
  if (src.memory != dst.memory || !src.rows || !src.cols ||
      !instruction.set->has(Check::OperandOverlap))
    return success();
  int64_t srcBegin = src.getOffset(0, 0), dstBegin = dst.getOffset(0, 0);
  int64_t srcEnd = src.getOffset(src.rows - 1, src.cols - 1) + elemBytes(src.elem);
  int64_t dstEnd = dst.getOffset(dst.rows - 1, dst.cols - 1) + elemBytes(dst.elem);
  if (srcEnd <= dstBegin || dstEnd <= srcBegin)
    return success();
  bool same = srcBegin == dstBegin && srcEnd == dstEnd && src.rows == dst.rows &&
              elemBytes(src.elem) == elemBytes(dst.elem);
  if ((same && inPlace) || !intersects(src, dst))
    return success();
  return CheckError(Check::OperandOverlap, instruction.op)
         << "its destination " << valueWord(dst.name) << " overlaps its source "
         << valueWord(src.name)
         << (inPlace ? " in part; they may be the same bytes or none in common"
                     : "; they may have no bytes in common");
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

static constexpr int64_t kRepeatBytes = 256, kBlockBytes = 32;

static LogicalResult checkAlignment(const Instruction &instruction, const Window &window) {
  int64_t address = window.getOffset(0, 0);
  if (address % kBlockBytes == 0)
    return success();
  return CheckError(Check::InstructionLimits, instruction.op)
         << valueWord(window.name) << " begins at byte " << address
         << "; a vector instruction takes multiples of 32 bytes";
}

/// One repeat a row: a window no wider than a repeat, few enough rows, and a
/// distance between them that the instruction can hold.
static LogicalResult checkRepeats(const Instruction &instruction, const Window &window) {
  const TargetInfo &target = *instruction.target;
  int64_t bytes = window.cols * elemBytes(window.elem);
  if (bytes > kRepeatBytes)
    return CheckError(Check::InstructionLimits, instruction.op)
           << "rows of " << valueWord(window.name) << " are " << bytesWord(bytes)
           << " wide; one instruction takes a repeat, 256 B, of each row";
  if (window.rows > target.maxRepeats)
    return CheckError(Check::InstructionLimits, instruction.op)
           << valueWord(window.name) << " has " << window.rows
           << " rows; one instruction takes at most " << target.maxRepeats;
  int64_t distance = window.getPitch() * elemBytes(window.elem);
  if (window.rows > 1 &&
      (distance % kBlockBytes || distance / kBlockBytes > target.maxRepeatStride))
    return CheckError(Check::InstructionLimits, instruction.op)
           << "rows of " << valueWord(window.name) << " are " << bytesWord(distance)
           << " apart; one instruction takes multiples of 32 B up to "
           << bytesWord(target.maxRepeatStride * kBlockBytes);
  return success();
}

LogicalResult reference::checkVector(const Instruction &instruction, ArrayRef<Window> windows) {
  const Window &dst = windows.back();
  bool inPlace = !instruction.op->hasTrait<NotInPlace>();
  for (const Window &src : windows.drop_back())
    if (failed(checkOverlap(instruction, src, dst, inPlace)))
      return failure();
  if (!instruction.checks(Check::InstructionLimits))
    return success();
  bool dense = true;
  for (const Window &window : windows) {
    if (failed(checkAlignment(instruction, window)))
      return failure();
    dense &= window.isDense();
  }
  // The count form takes any number of contiguous elements.
  for (const Window &window : windows)
    if (!dense && failed(checkRepeats(instruction, window)))
      return failure();
  return success();
}

LogicalResult reference::checkApart(const Instruction &instruction, ArrayRef<Window> windows) {
  for (const Window &src : windows.drop_back())
    if (failed(checkOverlap(instruction, src, windows.back(), /*inPlace=*/false)))
      return failure();
  if (!instruction.checks(Check::InstructionLimits))
    return success();
  for (const Window &window : windows)
    if (failed(checkAlignment(instruction, window)))
      return failure();
  return success();
}

LogicalResult reference::checkOneRow(const Instruction &instruction, ArrayRef<Window> windows) {
  for (const Window &window : windows)
    if (window.rows > 1 && instruction.checks(Check::InstructionLimits))
      return CheckError(Check::InstructionLimits, instruction.op)
             << valueWord(window.name) << " has " << window.rows
             << " rows; one instruction takes one, as bits of a mask follow each other";
  return checkVector(instruction, windows);
}

LogicalResult reference::checkExpanded(const Instruction &instruction) {
  if (!instruction.checks(Check::Instruction))
    return success();
  return CheckError(Check::Instruction, instruction.op)
         << "is no instruction of " << instruction.target->name
         << "; pto-expand-instructions makes ones that it has";
}

LogicalResult reference::checkRows(const Instruction &instruction, ArrayRef<Window> windows,
                                   const Window *values) {
  const Window &src = windows.front(), &dst = windows.back();
  if (failed(checkOverlap(instruction, src, dst, /*inPlace=*/values != nullptr)) ||
      (values && failed(checkOverlap(instruction, *values, dst, /*inPlace=*/false))))
    return failure();
  if (!instruction.checks(Check::InstructionLimits))
    return success();
  if (failed(checkAlignment(instruction, src)) || failed(checkRepeats(instruction, src)))
    return failure();
  if (!values)
    return success();
  if (values->cols != kBlockBytes / elemBytes(values->elem))
    return CheckError(Check::InstructionLimits, instruction.op)
           << "takes one 32-byte block a row (pto.tile.brcb makes them), found "
           << valueWord(values->name);
  return failure(
      failed(checkAlignment(instruction, *values)) || failed(checkAlignment(instruction, dst)) ||
      failed(checkRepeats(instruction, *values)) || failed(checkRepeats(instruction, dst)));
}

LogicalResult reference::checkColumns(const Instruction &instruction, const Window &src,
                                      const Window &values, const Window &dst) {
  if (failed(checkOverlap(instruction, src, dst, /*inPlace=*/true)) ||
      failed(checkOverlap(instruction, values, dst, /*inPlace=*/false)))
    return failure();
  if (!instruction.checks(Check::InstructionLimits))
    return success();
  for (const Window *window : {&src, &values, &dst})
    if (failed(checkAlignment(instruction, *window)) || failed(checkRepeats(instruction, *window)))
      return failure();
  return success();
}

LogicalResult reference::checkBrcb(const Instruction &instruction, const Window &src,
                                   const Window &dst) {
  if (failed(checkOverlap(instruction, src, dst, /*inPlace=*/false)))
    return failure();
  if (!instruction.checks(Check::InstructionLimits))
    return success();
  if (failed(checkAlignment(instruction, src)) || failed(checkAlignment(instruction, dst)))
    return failure();
  int64_t most = 8 * instruction.target->maxRepeats;
  if (src.rows > most)
    return CheckError(Check::InstructionLimits, instruction.op)
           << "spreads " << src.rows << " values; one instruction takes at most " << most;
  int64_t reach = llvm::alignTo(src.rows, 8);
  if (src.map && (src.row + reach > src.map->rootRows || dst.row + reach > dst.map->rootRows))
    return CheckError(Check::InstructionLimits, instruction.op)
           << "works on eight values at a time, so that " << src.rows << " need room for " << reach
           << " in both allocations";
  return success();
}

LogicalResult reference::checkProduct(const Instruction &instruction, int64_t m, int64_t k,
                                      int64_t n) {
  int64_t most = instruction.target->maxMatmulDim;
  if (!instruction.checks(Check::InstructionLimits) || (m <= most && k <= most && n <= most))
    return success();
  return CheckError(Check::InstructionLimits, instruction.op)
         << "multiplies " << shapeWord({m, k}) << " by " << shapeWord({k, n})
         << "; one instruction takes at most " << most << " in each dimension";
}

/// A copy between cores: whole blocks, on both sides.
static LogicalResult checkBlocks(const Instruction &instruction, const Window &src,
                                 const Window &dst) {
  if (!instruction.checks(Check::InstructionLimits))
    return success();
  return failure(failed(checkAlignment(instruction, src)) ||
                 failed(checkAlignment(instruction, dst)));
}

LogicalResult reference::checkSplit(const Instruction &instruction, AccToVec way, const Window &src,
                                    const Window &dst, bool relu) {
  if (!instruction.checks(Check::Instruction))
    return success();
  bool rows = way == AccToVec::SplitM;
  if (src.elem != dst.elem || relu)
    return CheckError(Check::Instruction, instruction.op)
           << "halves an accumulator for two AIVs and " << (relu ? "applies relu" : "converts it")
           << "; the chip does one or the other";
  if (rows ? src.rows % 2 != 0 : src.cols % 32 != 0)
    return CheckError(Check::InstructionLimits, instruction.op)
           << "halves " << (rows ? src.rows : src.cols) << (rows ? " rows" : " columns")
           << "; the chip halves " << (rows ? "an even number" : "multiples of 32");
  return success();
}

/// Between rows and fractals in Vec: one column of fractals, 32 bytes of each row.
static LogicalResult checkStrip(const Instruction &instruction, const Window &src,
                                const Window &dst) {
  if (failed(checkOverlap(instruction, src, dst, /*inPlace=*/false)) ||
      failed(checkBlocks(instruction, src, dst)))
    return failure();
  if (!instruction.checks(Check::InstructionLimits))
    return success();
  int64_t bytes = src.cols * elemBytes(src.elem), most = instruction.target->maxBlockCount;
  if (bytes == kBlockBytes && src.rows <= most)
    return success();
  return CheckError(Check::InstructionLimits, instruction.op)
         << "moves " << shapeWord({src.rows, src.cols}) << " elements between "
         << stringifyTileLayout(src.map->layout) << " and " << stringifyTileLayout(dst.map->layout)
         << "; one instruction takes " << kBlockBytes << " bytes of at most " << most << " rows";
}

LogicalResult reference::checkMove(const Instruction &instruction, const Window &src,
                                   const Window &dst) {
  if (instruction.pipe == Pipe::MTE3 || instruction.pipe == Pipe::FIX)
    return checkBlocks(instruction, src, dst);
  if (instruction.checks(Check::InstructionLimits) &&
      getTileSpace(instruction.destinationType) == MemorySpace::Bias) {
    if (src.isDense())
      return success();
    return CheckError(Check::InstructionLimits, instruction.op)
           << "copies a run of bytes to the bias table; " << valueWord(src.name)
           << " is not contiguous in Mat";
  }
  if (instruction.pipe == Pipe::V && src.map && dst.map && src.map->layout != dst.map->layout &&
      (isFractal(src.map->layout) || isFractal(dst.map->layout)))
    return checkStrip(instruction, src, dst);
  if (!instruction.checks(Check::InstructionLimits) || !src.map || !dst.map ||
      !isFractal(src.map->layout))
    return checkVector(instruction, {src, dst});
  // Mat to Left or Right: rows of fractals, on some chips a single one.
  const FractalShape &from = src.map->fractal, &to = dst.map->fractal;
  auto move = dyn_cast<TileMoveOp>(instruction.op);
  bool turns = move && (getTileSpace(instruction.destinationType) == MemorySpace::Right) !=
                           move.getTranspose();
  int64_t rows = instruction.target->getFractalRows(from, to, turns,
                                                    getElementTypeOf(instruction.destinationType));
  int64_t cols = std::max(from.cols, to.cols) * instruction.target->maxRepeats;
  if (dst.rows > rows || dst.cols > cols)
    return CheckError(Check::InstructionLimits, instruction.op)
           << "moves " << shapeWord({dst.rows, dst.cols}) << " elements; one instruction takes "
           << rows << " rows and " << instruction.target->maxRepeats << " fractals";
  return success();
}

/// Whether the elements follow each other in the buffer and in the array: one run,
/// however many rows.
static bool copiesOneRun(Operation *op) {
  auto load = dyn_cast<TileLoadOp>(op);
  auto store = dyn_cast<TileStoreOp>(op);
  if (!load && !store)
    return false;
  auto type =
      dyn_cast_or_null<BufType>(load ? load.getDst().getType() : store.getSource().getType());
  Value array = load ? load.getSource() : store.getDest();
  if (!type || type.getCols() != getShapeOf(array.getType()).back())
    return false;
  return type.getLayout() == TileLayout::DN ? type.getCols() == 1
                                            : type.getCols() == type.getRootCols();
}

LogicalResult reference::checkCopy(const Instruction &instruction, const Window &tile) {
  int64_t most = instruction.target->maxBlockCount;
  if (!instruction.checks(Check::InstructionLimits) || tile.rows <= most ||
      (tile.map && isFractal(tile.map->layout)) || copiesOneRun(instruction.op))
    return success();
  return CheckError(Check::InstructionLimits, instruction.op)
         << "copies " << tile.rows << " rows; one instruction takes at most " << most;
}

//===----------------------------------------------------------------------===//
// Unit flags
//===----------------------------------------------------------------------===//

/// The fractals of an accumulator, by number.
static SmallVector<int64_t, 16> getFractals(const Window &acc) {
  SmallVector<ByteRange, 16> ranges;
  SmallVector<int64_t, 16> fractals;
  acc.getRanges(ranges);
  constexpr int64_t kFractal = 1024;
  for (ByteRange range : ranges)
    for (int64_t number = range.begin / kFractal; number * kFractal < range.end; ++number)
      if (fractals.empty() || fractals.back() != number)
        fractals.push_back(number);
  return fractals;
}

LogicalResult UnitPhase::wait(Core &core, const Instruction &instruction, const Window &acc) const {
  if (!phase)
    return success();
  return core.cluster.order.unitWait(core.number, instruction.pipe, getFractals(acc), reads,
                                     instruction.op, acc.name);
}

void UnitPhase::change(Core &core, const Instruction &instruction, const Window &acc) const {
  if (phase == Phase::Final)
    core.cluster.order.unitChange(core.number, instruction.pipe, getFractals(acc), reads,
                                  instruction.op);
}
