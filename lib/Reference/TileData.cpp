//===- TileData.cpp - Tiles: movement and creation ---------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
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

/// The elements of one window into another one of the same extents.
static void copyWindow(Core &core, const Window &src, const Window &dst) {
  int64_t size = elemBytes(src.elem);
  if (src.isRowMajor())
    dst.scatter(src.getPointer(), src.getPitch() * size);
  else if (dst.isRowMajor())
    src.gather(dst.getPointer(), dst.getPitch() * size);
  else
    dst.scatter(core.dense(src, 0));
}

void reference::copyElements(Core &core, const Window &src, const Window &dst) {
  if (src.elem == dst.elem)
    return copyWindow(core, src, dst);
  void *out = core.denseTarget(dst, 2);
  narrow(dst.elem, static_cast<const float *>(core.dense(src, 0)), out, src.rows * src.cols);
  core.finish(dst, out);
}

static SmallVector<int64_t, 2> getAll(ArrayRef<Index> indices, const Frame &frame) {
  return llvm::map_to_vector<2>(indices, [&](const Index &index) { return index.get(frame); });
}

/// Valid extents of a tile of `rows` x `cols`.
static LogicalResult checkValid(Operation *op, ArrayRef<int64_t> valid, int64_t rows,
                                int64_t cols) {
  int64_t whole[] = {rows, cols};
  for (unsigned dim : {0, 1})
    if (valid[dim] < 0 || valid[dim] > whole[dim])
      return CheckError(Check::Bounds, op) << "valid extent " << valid[dim] << " in dimension "
                                           << dim << " is not within 0 to " << whole[dim];
  return success();
}

static LogicalResult addLoad(Translator &to, TileLoadOp op) {
  Instruction instruction = to.getInstruction(op);
  Operand source = to.getOperand(op.getSource());
  SmallVector<Index, 2> offsets = to.getIndices(op.getMixedOffsets());
  SmallVector<Index, 2> valid = to.getIndices(op.getMixedValid());
  Type type = instruction.destinationType;
  bool isBuffer = op.getDst() != nullptr;
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    SmallVector<int64_t, 2> extents(getShapeOf(type));
    if (isBuffer) {
      const Window &window = frame.buffers[instruction.destination.index];
      extents = {window.rows, window.cols};
    } else if (!valid.empty()) {
      extents = getAll(valid, frame);
      if (failed(checkValid(instruction.op, extents, getShapeOf(type)[0], getShapeOf(type)[1])))
        return Flow::Fail;
    }
    FailureOr<Window> src =
        core.getArrayWindow(instruction.op, source.value, frame.arrays[source.index],
                            getAll(offsets, frame), extents[0], extents[1]);
    if (failed(src))
      return Flow::Fail;
    FailureOr<Window> dst = core.getDestination(instruction, extents[0], extents[1]);
    if (failed(dst) || failed(checkCopy(instruction, *dst)) ||
        failed(core.access(instruction, *src, *dst)))
      return Flow::Fail;
    copyWindow(core, *src, *dst);
    return Flow::Next;
  });
  return success();
}

LogicalResult reference::checkWritable(Operation *op, Value name, const ArrayView &view) {
  if (view.direction != Direction::In && !view.array->readOnly)
    return success();
  return CheckError(Check::InWrite, op).about(name)
         << "writes the array " << valueWord(name)
         << ", which is an In argument; make it Out or InOut";
}

static LogicalResult addStore(Translator &to, TileStoreOp op) {
  Instruction instruction = to.getInstruction(op);
  Operand target = to.getOperand(op.getDest());
  Slot result = op.getResult() ? to.getSlot(op.getResult()) : Slot();
  SmallVector<Index, 2> offsets = to.getIndices(op.getMixedOffsets());
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    Window src = core.getWindow(instruction.sources[0]);
    const ArrayView &view = frame.arrays[target.index];
    if (failed(checkWritable(instruction.op, target.value, view)))
      return Flow::Fail;
    FailureOr<Window> dst = core.getArrayWindow(instruction.op, target.value, view,
                                                getAll(offsets, frame), src.rows, src.cols);
    if (failed(dst) || failed(checkCopy(instruction, src)) ||
        failed(core.access(instruction, src, *dst)))
      return Flow::Fail;
    copyElements(core, src, *dst);
    if (result.kind == SlotKind::Array)
      frame.arrays[result.index] = view;
    return Flow::Next;
  });
  return success();
}

/// After a move of bytes that were partly undefined: those of the destination
/// are undefined again.
static void moveUndefined(const Window &src, const Window &dst, const Reader &reader) {
  int64_t size = elemBytes(src.elem);
  for (int64_t r = 0; r < src.rows; ++r)
    for (int64_t c = 0; c < src.cols; ++c) {
      int64_t from = src.getOffset(r, c), to = dst.getOffset(r, c);
      if (!src.memory->shadow->isDefined({from, from + size}, reader))
        dst.memory->shadow->undefine({to, to + size});
    }
}

static LogicalResult checkPath(const TargetInfo &target, const CheckSet &checks, TileMoveOp op) {
  auto compute = cast<TileComputeInterface>(op.getOperation());
  std::optional<MemorySpace> from = getTileSpace(op.getSource().getType());
  std::optional<MemorySpace> to = getTileSpace(compute.getResultOrDstType());
  if (!from || !to || target.hasPath(*from, *to) || !checks.has(Check::CoreKind))
    return success();
  return CheckError(Check::CoreKind, op) << "no path leads from " << spaceWord(*from) << " to "
                                         << spaceWord(*to) << " on " << target.name;
}

static LogicalResult addMove(Translator &to, TileMoveOp op) {
  Instruction instruction = to.getInstruction(op);
  bool checked = to.program.checks.has(Check::Uninitialized);
  to.add(op, [=](Core &core) {
    Window src = core.getWindow(instruction.sources[0]);
    FailureOr<Window> dst = core.getDestination(instruction, src.rows, src.cols);
    if (failed(dst) || failed(checkMove(instruction, src, *dst)))
      return Flow::Fail;
    // A move may carry bytes that nobody has written; they stay undefined.
    bool defined = true;
    Reader reader = {{}, nullptr, core.cluster.epoch, src.memory->clearedByLaunch, false};
    if (src.memory->shadow && checked) {
      SmallVector<ByteRange, 16> ranges;
      src.getRanges(ranges);
      defined = llvm::all_of(
          ranges, [&](ByteRange range) { return src.memory->shadow->isDefined(range, reader); });
    }
    if (failed(core.access(instruction, src, *dst, /*anyBytes=*/true)))
      return Flow::Fail;
    copyWindow(core, src, *dst);
    if (!defined)
      moveUndefined(src, *dst, reader);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addFull(Translator &to, TileFullOp op) {
  Instruction instruction = to.getInstruction(op);
  ArrayRef<int64_t> shape = getShapeOf(instruction.destinationType);
  bool isBuffer = op.getDst() != nullptr;
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    int64_t rows = shape[0], cols = shape[1];
    if (isBuffer) {
      const Window &window = frame.buffers[instruction.destination.index];
      rows = window.rows, cols = window.cols;
    }
    FailureOr<Window> dst = core.getDestination(instruction, rows, cols);
    if (failed(dst) || failed(checkVector(instruction, *dst)) ||
        failed(core.access(instruction, {}, *dst)))
      return Flow::Fail;
    char value[4];
    storeScalar(instruction.elem, frame.scalars[instruction.sources[0].index], value);
    void *out = core.denseTarget(*dst, 2);
    fill(instruction.elem, value, out, rows * cols);
    core.finish(*dst, out);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addSetValidShape(Translator &to, TileSetValidShapeOp op) {
  Operand source = to.getOperand(op.getSource());
  Slot result = to.getSlot(op.getResult());
  SmallVector<Index, 2> valid = to.getIndices(op.getMixedValid());
  Operation *operation = op;
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    Tile tile = frame.tiles[source.index];
    SmallVector<int64_t, 2> extents = getAll(valid, frame);
    if (failed(checkValid(operation, extents, tile.rows, tile.cols)))
      return Flow::Fail;
    if (extents[0] > tile.validRows || extents[1] > tile.validCols) {
      CheckError(Check::ValidRegion, operation).about(source.value)
          << "states " << shapeWord(extents) << " valid elements, but only "
          << shapeWord({tile.validRows, tile.validCols}) << " of " << valueWord(source.value)
          << " were written";
      return Flow::Fail;
    }
    tile.validRows = extents[0];
    tile.validCols = extents[1];
    frame.tiles[result.index] = tile;
    return Flow::Next;
  });
  return success();
}

std::optional<LogicalResult> Translator::addTileData(Operation *op) {
  if (!isa<TileLoadOp, TileStoreOp, TileMoveOp, TileFullOp, TileSetValidShapeOp>(op))
    return std::nullopt;
  if (auto move = dyn_cast<TileMoveOp>(op);
      move && failed(checkPath(*program.target, program.checks, move)))
    return failure();
  if (auto instruction = dyn_cast<InstructionInterface>(op))
    if (std::optional<Pipe> pipe = instruction.getPipe())
      if (failed(checkCore(op, *pipe)))
        return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<TileLoadOp>([&](auto op) { return addLoad(*this, op); })
      .Case<TileStoreOp>([&](auto op) { return addStore(*this, op); })
      .Case<TileMoveOp>([&](auto op) { return addMove(*this, op); })
      .Case<TileFullOp>([&](auto op) { return addFull(*this, op); })
      .Case<TileSetValidShapeOp>([&](auto op) { return addSetValidShape(*this, op); });
}
