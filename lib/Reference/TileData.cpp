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

#include <cstring>

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

void reference::copyElements(Core &core, const Window &src, const Window &dst, bool relu) {
  if (src.elem == dst.elem && !relu)
    return copyWindow(core, src, dst);
  int64_t count = src.rows * src.cols;
  const void *from = core.dense(src, 0);
  if (relu) {
    void *kept = core.scratch(1, count * elemBytes(src.elem));
    unary(UnaryKind::Relu, src.elem, from, kept, count);
    from = kept;
  }
  if (src.elem == dst.elem)
    return dst.scatter(from);
  void *out = core.denseTarget(dst, 2);
  narrow(dst.elem, static_cast<const float *>(from), out, count);
  core.finish(dst, out);
}

/// Adds the elements of one window to those of another one, as they become there.
static bool addElements(Core &core, const Window &src, const Window &dst, bool relu) {
  int64_t count = src.rows * src.cols, size = elemBytes(dst.elem);
  Window sum; // what is added, then the sum, row by row
  Memory room;
  room.data = static_cast<char *>(core.scratch(3, count * size));
  room.size = count * size;
  sum.memory = &room;
  sum.rows = src.rows;
  sum.cols = sum.pitch = src.cols;
  sum.elem = dst.elem;
  copyElements(core, src, sum, relu);
  void *there = core.scratch(4, count * size);
  dst.gather(there);
  if (!binary(BinaryKind::Add, dst.elem, there, room.data, there, count))
    return false;
  dst.scatter(there);
  return true;
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

/// What is stored lies in bytes of its own.
static LogicalResult checkTarget(Operation *op, const Window &window) {
  bool apart = window.rows <= 1 || window.cols <= 1 ||
               window.pitch >= window.cols * window.colStride ||
               window.colStride >= window.rows * window.pitch;
  bool moves = (window.rows <= 1 || window.pitch > 0) && (window.cols <= 1 || window.colStride > 0);
  if (apart && moves)
    return success();
  return CheckError(Check::Bounds, op).about(window.name)
         << "stores to elements of " << valueWord(window.name)
         << " that share bytes: its strides are " << shapeWord({window.pitch, window.colStride})
         << " for " << shapeWord({window.rows, window.cols}) << " elements";
}

static LogicalResult addStore(Translator &to, TileStoreOp op) {
  Instruction instruction = to.getInstruction(op);
  bool adds = op.getAtomicAdd(), relu = op.getRelu();
  UnitPhase unit = {op.getPhase(), /*reads=*/true};
  to.code.adds |= adds;
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
    if (failed(dst) || failed(checkTarget(instruction.op, *dst)) ||
        failed(checkCopy(instruction, src)) || failed(unit.wait(core, instruction, src)) ||
        failed(adds ? core.accessAdding(instruction, src, *dst)
                    : core.access(instruction, src, *dst)))
      return Flow::Fail;
    unit.change(core, instruction, src);
    if (adds)
      addElements(core, src, *dst, relu);
    else
      copyElements(core, src, *dst, relu);
    if (result.kind == SlotKind::Array)
      frame.arrays[result.index] = view;
    return Flow::Next;
  });
  return success();
}

/// After a move of bytes that were partly undefined: those of the destination
/// are undefined again.
static void moveUndefined(const Window &src, const Window &dst, bool transpose,
                          const Reader &reader) {
  int64_t size = elemBytes(src.elem);
  for (int64_t r = 0; r < src.rows; ++r)
    for (int64_t c = 0; c < src.cols; ++c) {
      int64_t from = src.getOffset(r, c);
      int64_t to = transpose ? dst.getOffset(c, r) : dst.getOffset(r, c);
      if (!src.memory->shadow->isDefined({from, from + size}, reader))
        dst.memory->shadow->undefine({to, to + size});
    }
}

static void transposeWindow(Core &core, const Window &src, const Window &dst);

void reference::copyAnyBytes(Core &core, const Window &src, const Window &dst, bool transpose) {
  if (src.rows == 0 || src.cols == 0)
    return;
  if (transpose)
    transposeWindow(core, src, dst);
  else
    copyWindow(core, src, dst);
  if (!src.memory->shadow)
    return;
  Reader reader = {{}, nullptr, core.cluster.epoch, src.memory->clearedByLaunch, false};
  SmallVector<ByteRange, 16> ranges;
  src.getRanges(ranges);
  bool defined = llvm::all_of(
      ranges, [&](ByteRange range) { return src.memory->shadow->isDefined(range, reader); });
  if (defined)
    return;
  if (!dst.memory->shadow)
    dst.memory->addShadow(/*written=*/true);
  moveUndefined(src, dst, transpose, reader);
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

/// The rows or columns of an accumulator that each AIV gets, and where it has them.
static SmallVector<std::pair<Window, Window>, 2> getParts(Core &core, AccToVec way,
                                                          const Window &src, const Window &dst) {
  auto onCore = [&](unsigned aiv) {
    Window window = dst;
    window.memory = &core.cluster.getMemory(aiv + 1).get(MemorySpace::Vec);
    return window;
  };
  if (way == AccToVec::Vec0 || way == AccToVec::Vec1)
    return {{src, onCore(way == AccToVec::Vec1)}};
  bool rows = way == AccToVec::SplitM;
  int64_t whole = rows ? src.rows : src.cols, half = llvm::divideCeil(whole, 2);
  SmallVector<std::pair<Window, Window>, 2> parts;
  for (unsigned aiv : {0, 1}) {
    Window from = src, to = onCore(aiv);
    int64_t extent = aiv ? whole - half : half;
    (rows ? from.row : from.col) += aiv * half;
    (rows ? from.rows : from.cols) = (rows ? to.rows : to.cols) = extent;
    parts.push_back({from, to});
  }
  return parts;
}

/// An accumulator leaves for the Vec of one AIV, or half of it for each.
static LogicalResult addAccToVec(Translator &to, TileMoveOp op) {
  Instruction instruction = to.getInstruction(op);
  AccToVec way = *op.getAccToVec();
  bool relu = op.getRelu(), split = way == AccToVec::SplitM || way == AccToVec::SplitN;
  UnitPhase unit = {op.getPhase(), /*reads=*/true};
  to.add(op, [=](Core &core) {
    if (core.cluster.cores.size() == 1) {
      CheckError(Check::CoreKind, instruction.op)
          << "moves to the Vec of AIVs, and this kernel runs on an AIC alone";
      return Flow::Fail;
    }
    Window src = core.getWindow(instruction.sources[0]);
    int64_t rows = way == AccToVec::SplitM ? llvm::divideCeil(src.rows, 2) : src.rows;
    int64_t cols = way == AccToVec::SplitN ? llvm::divideCeil(src.cols, 2) : src.cols;
    FailureOr<Window> dst = core.getDestination(instruction, rows, cols);
    if (failed(dst) || (split && failed(checkSplit(instruction, way, src, *dst, relu))))
      return Flow::Fail;
    auto parts = getParts(core, way, src, *dst);
    SmallVector<Window, 2> targets;
    for (auto &[from, target] : parts)
      targets.push_back(target);
    if (failed(checkMove(instruction, src, *dst)) || failed(unit.wait(core, instruction, src)) ||
        failed(core.access(instruction, src, targets)))
      return Flow::Fail;
    unit.change(core, instruction, src);
    for (auto &[from, target] : parts)
      copyElements(core, from, target, relu);
    return Flow::Next;
  });
  return success();
}

/// Rows become columns.
static void transposeWindow(Core &core, const Window &src, const Window &dst) {
  int64_t size = elemBytes(src.elem);
  auto *from = static_cast<const char *>(core.dense(src, 0));
  auto *made = static_cast<char *>(core.scratch(1, src.bytes()));
  for (int64_t r = 0; r < src.rows; ++r)
    for (int64_t c = 0; c < src.cols; ++c)
      std::memcpy(made + (c * src.rows + r) * size, from + (r * src.cols + c) * size, size);
  dst.scatter(made);
}

static LogicalResult addMove(Translator &to, TileMoveOp op) {
  if (op.getAccToVec())
    return addAccToVec(to, op);
  Instruction instruction = to.getInstruction(op);
  bool checked = to.program.checks.has(Check::Uninitialized);
  bool transpose = op.getTranspose(), relu = op.getRelu();
  UnitPhase unit = {op.getPhase(), /*reads=*/true};
  to.add(op, [=](Core &core) {
    Window src = core.getWindow(instruction.sources[0]);
    FailureOr<Window> dst = transpose ? core.getDestination(instruction, src.cols, src.rows)
                                      : core.getDestination(instruction, src.rows, src.cols);
    if (failed(dst) || failed(checkMove(instruction, src, *dst)) ||
        failed(unit.wait(core, instruction, src)))
      return Flow::Fail;
    // A move may carry bytes that nobody has written; they stay undefined. What is computed
    // on its way is read.
    bool anyBytes = src.elem == dst->elem && !relu;
    bool defined = true;
    Reader reader = {{}, nullptr, core.cluster.epoch, src.memory->clearedByLaunch, false};
    if (src.memory->shadow && checked && anyBytes) {
      SmallVector<ByteRange, 16> ranges;
      src.getRanges(ranges);
      defined = llvm::all_of(
          ranges, [&](ByteRange range) { return src.memory->shadow->isDefined(range, reader); });
    }
    if (failed(core.access(instruction, src, *dst, anyBytes)))
      return Flow::Fail;
    if (!defined && !dst->memory->shadow)
      dst->memory->addShadow(/*written=*/true);
    unit.change(core, instruction, src);
    if (transpose)
      transposeWindow(core, src, *dst);
    else
      copyElements(core, src, *dst, relu);
    if (!defined)
      moveUndefined(src, *dst, transpose, reader);
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
    char value[8];
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
