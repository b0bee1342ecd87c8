//===- TileParts.cpp - Tiles: parts of values --------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// They move bytes that nobody may have written yet.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Instructions.h"
#include "Reference/Translator.h"
#include "Tile/TileOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

static int64_t getIndexOf(Core &core, const Operand &operand) {
  return core.frame().scalars[operand.index].i;
}

/// The window of `rows` x `cols` at a place of a window.
static FailureOr<Window> getPart(Operation *op, const Window &whole, int64_t row, int64_t col,
                                 int64_t rows, int64_t cols, Check check = Check::Bounds) {
  int64_t begin[] = {row, col}, size[] = {rows, cols}, extent[] = {whole.rows, whole.cols};
  for (unsigned dim : {0, 1})
    if (begin[dim] < 0 || size[dim] > extent[dim] || begin[dim] > extent[dim] - size[dim])
      return CheckError(check, op).about(whole.name)
             << "the window reaches beyond " << valueWord(whole.name) << ": in dimension " << dim
             << " it covers " << rangeWord(begin[dim], size[dim]) << " of "
             << rangeWord(0, extent[dim]);
  Window part = whole;
  part.row += row, part.col += col;
  part.rows = rows, part.cols = cols;
  return part;
}

static LogicalResult addSlice(Translator &to, TileSliceOp op) {
  Instruction instruction = to.getInstruction(op);
  to.add(op, [=](Core &core) {
    const Tile &tile = core.frame().tiles[instruction.sources[0].index];
    int64_t at[] = {getIndexOf(core, instruction.sources[1]),
                    getIndexOf(core, instruction.sources[2])};
    int64_t most[] = {getIndexOf(core, instruction.sources[3]),
                      getIndexOf(core, instruction.sources[4])};
    Window source = core.getWindow(instruction.sources[0]), all = source;
    all.rows = tile.rows, all.cols = tile.cols;
    if (failed(getPart(instruction.op, all, at[0], at[1], most[0], most[1])))
      return Flow::Fail;
    int64_t rows = std::max<int64_t>(0, std::min(most[0], source.rows - at[0]));
    int64_t cols = std::max<int64_t>(0, std::min(most[1], source.cols - at[1]));
    FailureOr<Window> part = getPart(instruction.op, all, at[0], at[1], rows, cols);
    FailureOr<Window> dst = core.getDestination(instruction, rows, cols);
    if (failed(part) || failed(dst) || failed(core.access(instruction, *part, *dst, true)))
      return Flow::Fail;
    copyAnyBytes(core, *part, *dst);
    return Flow::Next;
  });
  return success();
}

/// A new tile with what the one to change holds.
static FailureOr<Window> copyTarget(Core &core, const Instruction &instruction) {
  Window target = core.getWindow(instruction.sources[0]);
  FailureOr<Window> dst = core.getDestination(instruction, target.rows, target.cols);
  if (failed(dst) || failed(core.access(instruction, target, *dst, true)))
    return failure();
  copyAnyBytes(core, target, *dst);
  return dst;
}

static LogicalResult addAssemble(Translator &to, TileAssembleOp op) {
  Instruction instruction = to.getInstruction(op);
  to.add(op, [=](Core &core) {
    Window source = core.getWindow(instruction.sources[1]);
    FailureOr<Window> dst = copyTarget(core, instruction);
    if (failed(dst))
      return Flow::Fail;
    dst->name = instruction.sources[0].value;
    FailureOr<Window> part = getPart(instruction.op, *dst, getIndexOf(core, instruction.sources[2]),
                                     getIndexOf(core, instruction.sources[3]), source.rows,
                                     source.cols, Check::ValidRegion);
    if (failed(part) || failed(core.access(instruction, source, *part, true)))
      return Flow::Fail;
    copyAnyBytes(core, source, *part);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addConcat(Translator &to, TileConcatOp op) {
  Instruction instruction = to.getInstruction(op);
  int64_t widths[] = {getShapeOf(op.getLhs().getType())[1], getShapeOf(op.getRhs().getType())[1]};
  to.add(op, [=](Core &core) {
    int64_t rows = core.getWindow(instruction.sources[0]).rows, begin = 0;
    FailureOr<Window> dst = core.getDestination(instruction, rows, widths[0] + widths[1]);
    if (failed(dst))
      return Flow::Fail;
    for (unsigned index : {0, 1}) {
      Window source = core.getWindow(instruction.sources[index]);
      FailureOr<Window> from =
          getPart(instruction.op, source, 0, 0, rows, widths[index], Check::ValidRegion);
      FailureOr<Window> part = getPart(instruction.op, *dst, 0, begin, rows, widths[index]);
      if (failed(from) || failed(part) || failed(core.access(instruction, *from, *part, true)))
        return Flow::Fail;
      copyAnyBytes(core, *from, *part);
      begin += widths[index];
    }
    return Flow::Next;
  });
  return success();
}

static LogicalResult addWrite(Translator &to, TileWriteOp op) {
  Instruction instruction = to.getInstruction(op);
  to.add(op, [=](Core &core) {
    FailureOr<Window> dst = copyTarget(core, instruction);
    if (failed(dst))
      return Flow::Fail;
    dst->name = instruction.sources[0].value;
    FailureOr<Window> part = getPart(instruction.op, *dst, getIndexOf(core, instruction.sources[2]),
                                     getIndexOf(core, instruction.sources[3]), 1, 1);
    if (failed(part) || failed(core.access(instruction, {}, *part)))
      return Flow::Fail;
    storeScalar(part->elem, core.frame().scalars[instruction.sources[1].index], part->getPointer());
    return Flow::Next;
  });
  return success();
}

static LogicalResult addTransposeView(Translator &to, TileTransposeViewOp op) {
  Instruction instruction = to.getInstruction(op);
  to.add(op, [=](Core &core) {
    Window source = core.getWindow(instruction.sources[0]);
    FailureOr<Window> dst = core.getDestination(instruction, source.cols, source.rows);
    if (failed(dst) || failed(core.access(instruction, source, *dst, true)))
      return Flow::Fail;
    copyAnyBytes(core, source, *dst, /*transpose=*/true);
    return Flow::Next;
  });
  return success();
}

/// A tile whose bytes nobody has written.
static LogicalResult addCreate(Translator &to, TileCreateOp op) {
  int32_t result = to.getSlot(op.getResult()).index;
  auto type = cast<TileType>(op.getResult().getType());
  std::optional<Elem> elem = getElem(type.getElementType());
  if (!elem)
    return emitUserError(op) << "the model has no tiles of " << dtypeWord(type.getElementType());
  bool checked = to.program.checks.keepsSpaces();
  to.add(op, [=, elem = *elem](Core &core) {
    Tile &tile = core.frame().tiles[result];
    tile.memory = Memory::create(type.getRows() * type.getCols() * elemBytes(elem));
    if (checked)
      tile.memory->addShadow(/*written=*/false);
    tile.rows = tile.validRows = type.getRows();
    tile.cols = tile.validCols = type.getCols();
    tile.elem = elem;
    return Flow::Next;
  });
  return success();
}

std::optional<LogicalResult> Translator::addTileParts(Operation *op) {
  using Result = std::optional<LogicalResult>;
  if (op->hasTrait<ValueFormOnly>())
    if (std::optional<Pipe> pipe = cast<TileComputeInterface>(op).getPipe())
      if (failed(checkCore(op, *pipe)))
        return failure();
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<TileCreateOp>([&](auto op) { return addCreate(*this, op); })
      .Case<TileSliceOp>([&](auto op) { return addSlice(*this, op); })
      .Case<TileAssembleOp>([&](auto op) { return addAssemble(*this, op); })
      .Case<TileConcatOp>([&](auto op) { return addConcat(*this, op); })
      .Case<TileWriteOp>([&](auto op) { return addWrite(*this, op); })
      .Case<TileTransposeViewOp>([&](auto op) { return addTransposeView(*this, op); })
      .Default([](Operation *) { return std::nullopt; });
}
