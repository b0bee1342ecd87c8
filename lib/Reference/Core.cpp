//===- Core.cpp - Cores run flat programs ------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/PtoInterfaces.h"
#include "Pto/Words.h"
#include "Reference/Cost.h"
#include "Reference/State.h"
#include "Tensor/TensorOps.h"
#include "Tile/TileOps.h"

#include <cstring>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

void Frame::copyFrom(const Frame &source, Slot from, Slot to) {
  switch (from.kind) {
  case SlotKind::None:
    return;
  case SlotKind::Scalar:
    scalars[to.index] = source.scalars[from.index];
    return;
  case SlotKind::Tile:
    tiles[to.index] = source.tiles[from.index];
    return;
  case SlotKind::Buffer:
    buffers[to.index] = source.buffers[from.index];
    return;
  case SlotKind::Array:
    arrays[to.index] = source.arrays[from.index];
    return;
  case SlotKind::List:
    lists[to.index] = source.lists[from.index];
    return;
  }
}

SmallVector<Slot> Frame::capture(const Frame &source, ArrayRef<Slot> from) {
  SmallVector<Slot> places;
  auto add = [&](SlotKind kind, auto &values) {
    places.push_back({kind, static_cast<int32_t>(values.size())});
    values.emplace_back();
  };
  for (Slot slot : from) {
    if (slot.kind == SlotKind::Scalar)
      add(slot.kind, scalars);
    else if (slot.kind == SlotKind::Tile)
      add(slot.kind, tiles);
    else if (slot.kind == SlotKind::Buffer)
      add(slot.kind, buffers);
    else if (slot.kind == SlotKind::Array)
      add(slot.kind, arrays);
    else if (slot.kind == SlotKind::List)
      add(slot.kind, lists);
    else
      places.push_back({});
    copyFrom(source, slot, places.back());
  }
  return places;
}

Activation::Activation(const Code &code) : code(&code) {
  frame.scalars.resize(code.scalars);
  frame.tiles.resize(code.tiles);
  frame.buffers.resize(code.buffers);
  frame.arrays.resize(code.arrays);
  frame.lists.resize(code.lists);
  frame.storage.resize(code.storage);
}

void reference::storeScalar(Elem elem, Scalar scalar, void *to) {
  if (isInteger(elem))
    return storeInteger(elem, scalar.i, to);
  storeElement(elem, scalar.f, to);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

LogicalResult Core::enter(const Code &code, const Frame *caller, ArrayRef<Slot> arguments,
                          ArrayRef<Slot> results, Operation *op) {
  // Functions of kernels cannot recurse on a chip either.
  constexpr size_t kDepth = 64;
  if (stack.size() == kDepth)
    return emitUserError(op) << "calls nest more than " << kDepth
                             << " deep; a function may not call itself";
  stack.push_back(std::make_unique<Activation>(code));
  Activation &activation = *stack.back();
  activation.results.assign(results.begin(), results.end());
  current = &activation.frame;
  for (auto [from, to] : llvm::zip(arguments, code.arguments))
    current->copyFrom(*caller, from, to);
  if (code.kind == FunctionKind::Inline || code.kind == FunctionKind::Opaque)
    return success();
  for (auto [index, slot] : llvm::enumerate(code.arguments)) {
    if (slot.kind != SlotKind::Array)
      continue;
    // A region may write whatever its function may.
    Direction &direction = current->arrays[slot.index].direction;
    if (!code.isRegion)
      direction = code.directions[index];
    else if (direction == Direction::Out)
      direction = Direction::InOut;
  }
  return success();
}

/// Ends the function on top of the stack; its values `results` go to the caller.
void Core::leave(ArrayRef<Slot> results) {
  std::unique_ptr<Activation> ended = std::move(stack.back());
  stack.pop_back();
  if (stack.empty()) {
    done = true;
    for (auto [from, to] : llvm::zip(results, ended->results))
      launch.task.resultFrame->copyFrom(ended->frame, from, to);
    return;
  }
  current = &stack.back()->frame;
  for (auto [from, to] : llvm::zip(results, ended->results))
    current->copyFrom(ended->frame, from, to);
}

Core::Core(Cluster &cluster, unsigned number, CoreKind kind, CoreMemory &memory)
    : cluster(cluster), launch(cluster.launch), number(number), kind(kind), memory(memory),
      observer(cluster.launch.run.options.observer) {}

//===----------------------------------------------------------------------===//
// Who watches
//===----------------------------------------------------------------------===//

bool Core::tell(Event event, Operation *op) {
  return !observer->wants(event) || observer->notify({event, launch, this, op});
}

LogicalResult Core::tellWrite(Operation *op, Value source, ArrayRef<int64_t> element) {
  Moment moment = {Event::Wrote, launch, this, op, source};
  moment.element.assign(element.begin(), element.end());
  return success(observer->notify(moment));
}

LogicalResult Core::tellWrites(Operation *op, ArrayRef<Window> reads, ArrayRef<Window> writes) {
  for (const Window &window : writes) {
    int64_t at = observer->watched - window.memory->data;
    if (std::less<const char *>()(observer->watched, window.memory->data) ||
        at >= window.memory->size)
      continue;
    ranges.clear();
    window.getRanges(ranges);
    if (llvm::none_of(ranges, [&](ByteRange range) { return range.begin <= at && at < range.end; }))
      continue;
    auto [row, col] = window.getElementAt(at);
    if (reads.empty())
      return tellWrite(op, {}, {});
    return tellWrite(op, reads[0].name, {reads[0].row + row, reads[0].col + col});
  }
  return success();
}

LogicalResult Core::tellWrites(Operation *op, Value source, const Memory &memory,
                               ArrayRef<ByteRange> bytes, Elem elem) {
  if (std::less<const char *>()(observer->watched, memory.data))
    return success();
  int64_t at = observer->watched - memory.data, before = 0;
  for (ByteRange range : bytes) {
    if (at < range.begin || at >= range.end) {
      before += range.end - range.begin;
      continue;
    }
    int64_t number = (before + at - range.begin) / elemBytes(elem);
    SmallVector<int64_t, 2> element;
    if (source && !ShapedType::isDynamicShape(getShapeOf(source.getType())))
      for (int64_t extent : llvm::reverse(getShapeOf(source.getType()))) {
        element.insert(element.begin(), number % extent);
        number /= extent;
      }
    return tellWrite(op, source, element);
  }
  return success();
}

/// A step, and those who watch it.
Flow Core::runStep(const Step &step) {
  if (step.begins && !waits && !tell(Event::Before, step.op))
    return Flow::Fail;
  Flow flow = step.run(*this);
  waits = flow == Flow::Wait;
  if (flow == Flow::Fail)
    tell(Event::Fails, step.op);
  else if (!waits && !tell(Event::After, step.op))
    return Flow::Fail;
  return flow;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Flow Core::run() {
  Activation *activation = stack.back().get();
  while (true) {
    const Step &step = activation->code->steps[activation->pc];
    if (failed(cluster.count(step.op)))
      return Flow::Fail;
    switch (observer ? runStep(step) : step.run(*this)) {
    case Flow::Next:
      ++activation->pc;
      break;
    case Flow::Jump:
      activation->pc = step.target;
      break;
    case Flow::Wait:
      return Flow::Wait;
    case Flow::Fail:
      return Flow::Fail;
    case Flow::Enter: // the callee begins; the caller goes on behind the call
      ++activation->pc;
      activation = stack.back().get();
      break;
    case Flow::Return:
      if (done)
        return !observer || tell(Event::CoreEnds, step.op) ? Flow::Return : Flow::Fail;
      activation = stack.back().get();
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// What tile operations use
//===----------------------------------------------------------------------===//

Window Core::getWindow(const Operand &operand) {
  if (operand.kind == SlotKind::Buffer) {
    Window window = current->buffers[operand.index];
    window.name = operand.value;
    return window;
  }
  const Tile &tile = current->tiles[operand.index];
  Window window;
  window.memory = tile.memory.get();
  window.pitch = tile.cols;
  window.rows = tile.validRows;
  window.cols = tile.validCols;
  window.elem = tile.elem;
  window.name = operand.value;
  return window;
}

FailureOr<Window> Core::getDestination(const Instruction &instruction, int64_t rows, int64_t cols) {
  const Operand &destination = instruction.destination;
  if (destination.kind == SlotKind::Buffer) {
    Window window = getWindow(destination);
    if (window.rows == rows && window.cols == cols)
      return window;
    return CheckError(Check::Bounds, instruction.op)
           << "makes " << shapeWord({rows, cols}) << " elements, but the destination "
           << valueWord(destination.value) << " is a window of "
           << shapeWord({window.rows, window.cols});
  }
  auto type = cast<TileType>(instruction.destinationType);
  Tile &tile = current->tiles[destination.index];
  int64_t bytes = type.getRows() * type.getCols() * elemBytes(instruction.elem);
  if (!tile.memory || tile.memory.use_count() > 1 || tile.memory->size != bytes)
    tile.memory = Memory::create(bytes);
  tile.rows = type.getRows();
  tile.cols = type.getCols();
  tile.validRows = rows;
  tile.validCols = cols;
  tile.elem = instruction.elem;
  return getWindow(destination);
}

/// The array that a view is a plane of, as its author knows it; and its dimension that is
/// dimension `dim` of the plane.
static Value getArray(Value name) {
  auto plane = name ? name.getDefiningOp<TilePlaneOp>() : nullptr;
  return plane ? Value(plane.getSource()) : name;
}
static int64_t getDimension(Value name, unsigned dim) {
  auto plane = name ? name.getDefiningOp<TilePlaneOp>() : nullptr;
  return plane ? plane.getAxes()[dim] : dim;
}

/// What the kernel was given, that a view is made of.
static Value getPointer(Value name) {
  while (name && name.getDefiningOp()) {
    Operation *view = name.getDefiningOp();
    if (!isa<TilePlaneOp, TileMakeTensorOp, TileMakePtrOp, TileViewOp>(view))
      break;
    name = view->getOperand(0);
  }
  return name;
}

CheckError reference::reportOutside(Operation *op, Value name, const ArrayView &view,
                                    ArrayRef<int64_t> element) {
  Value array = getArray(name), pointer = getPointer(name);
  int64_t size = view.array->memory->size, bytes = elemBytes(view.array->elem);
  CheckError error(Check::Bounds, op);
  error.about(array);
  error << "element " << shapeWord(element) << " of " << valueWord(array);
  if (size == 0) {
    error << " is not there: nothing was given for " << valueWord(pointer);
    error.fix("pto.tile.is_null");
    return error;
  }
  error << " lies outside the memory of " << valueWord(pointer) << ", which has " << size
        << " bytes, " << size / bytes << " such elements";
  if (auto made = array.getDefiningOp<TileMakeTensorOp>())
    error.note(made.getLoc(), "shape and strides are given here: " + shapeWord(view.shape) +
                                  " and " + shapeWord(view.strides));
  return error;
}

FailureOr<Window> Core::getRowsWindow(Operation *op, Value name, const ArrayView &view,
                                      ArrayRef<int64_t> offsets, int64_t rows, int64_t cols) {
  size_t rank = view.shape.size();
  int64_t row = 0;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t begin = offsets[dim], size = view.shape[dim];
    int64_t extent = dim + 1 == rank ? cols : std::min<int64_t>(1, rows);
    // Rows may go on in the next matrix, if they take all of this one.
    if (dim + 2 == rank && (begin != 0 || size == 0 || rows % size))
      extent = rows;
    if (begin < 0 || extent > size || begin > size - extent)
      return CheckError(Check::Bounds, op).about(name)
             << "the window reaches beyond the array " << valueWord(name) << ": in dimension "
             << dim << " it covers " << rangeWord(begin, extent) << " of " << rangeWord(0, size);
    if (dim + 1 < rank)
      row = row * size + begin;
  }
  ArrayView flat = view;
  flat.shape = {view.getRows(), view.getWidth()};
  return getArrayWindow(op, name, flat, {row, offsets.back()}, rows, cols);
}

FailureOr<Window> Core::getArrayWindow(Operation *op, Value name, const ArrayView &view,
                                       ArrayRef<int64_t> offsets, int64_t rows, int64_t cols) {
  // Of one, three or four dimensions it is rows: of all dimensions but the last.
  if (view.shape.size() != 2)
    return getRowsWindow(op, name, view, offsets, rows, cols);
  int64_t extents[] = {rows, cols};
  for (unsigned dim : {0, 1}) {
    int64_t begin = offsets[dim], size = view.shape[dim];
    if (begin >= 0 && begin <= size && extents[dim] <= size - begin)
      continue;
    Value array = getArray(name);
    return CheckError(Check::Bounds, op).about(array)
           << "the window reaches beyond the array " << valueWord(array) << ": in dimension "
           << getDimension(name, dim) << " it covers " << rangeWord(begin, extents[dim]) << " of "
           << rangeWord(0, size);
  }
  if (!view.strides.empty() && rows > 0 && cols > 0) {
    int64_t last[] = {offsets[0] + rows - 1, offsets[1] + cols - 1};
    if (!view.findElement(offsets) || !view.findElement(last))
      return reportOutside(op, name, view, view.findElement(offsets) ? last : offsets);
  }
  Window window;
  window.memory = view.array->memory.get();
  window.base = view.offset;
  window.pitch = view.strides.empty() ? view.pitch : view.strides[0];
  window.colStride = view.strides.empty() ? 1 : view.strides[1];
  window.row = offsets[0];
  window.col = offsets[1];
  window.rows = rows;
  window.cols = cols;
  window.elem = view.array->elem;
  window.name = name;
  window.thisTask = view.direction == Direction::Out;
  return window;
}

Shadow *Core::getShadow(Memory &memory) {
  if (memory.shadow)
    return memory.shadow.get();
  return memory.history ? &cluster.getShadow(memory) : nullptr;
}

/// An access as the rules that are on ask for it.
Reader Core::makeReader(const Access &access, const Clock *clock, bool thisTask,
                        bool cleared) const {
  const CheckSet &checks = launch.run.checks;
  bool out = thisTask && checks.has(Check::OutRead);
  bool anyBytes = !checks.has(Check::Uninitialized) && !out;
  bool pipes = checks.has(Check::PipeRace), cores = checks.has(Check::CoreRace);
  Reader reader = {access,   pipes || cores ? clock : nullptr, cluster.epoch, out || cleared,
                   anyBytes, out ? launch.task.number : 0};
  reader.pipes = pipes, reader.cores = cores;
  return reader;
}

LogicalResult Core::access(const Instruction &instruction, ArrayRef<Window> reads,
                           ArrayRef<Window> writes, bool anyBytes) {
  if (cluster.order.timeline && failed(addTime(instruction, reads, writes)))
    return failure();
  Access access = cluster.order.next(number, instruction.pipe, instruction.op);
  const Clock *clock = cluster.order.getClock(number, instruction.pipe);
  for (const Window &window : reads) {
    if (failed(checkCache(instruction, window, /*writes=*/false)))
      return failure();
    if (Shadow *shadow = getShadow(*window.memory)) {
      Reader reader = makeReader(access, clock, window.thisTask, window.memory->clearedByLaunch);
      reader.anyBytes |= anyBytes;
      reader.buffer = window.buffer;
      ranges.clear();
      window.getRanges(ranges);
      if (Problem problem = shadow->read(ranges, reader))
        return report(instruction, window, /*writes=*/false, problem, access);
      log(*window.memory, access, /*writes=*/false);
    }
    ++access.operand;
  }
  for (const Window &window : writes) {
    if (failed(checkCache(instruction, window, /*writes=*/true)))
      return failure();
    if (Shadow *shadow = getShadow(*window.memory)) {
      Reader reader = makeReader(access, clock, false, false);
      reader.buffer = window.buffer;
      ranges.clear();
      window.getRanges(ranges);
      if (Problem problem = shadow->write(ranges, reader))
        return report(instruction, window, /*writes=*/true, problem, access);
      log(*window.memory, access, /*writes=*/true);
    }
  }
  if (observer && observer->watched)
    return tellWrites(instruction.op, reads, writes);
  return success();
}

LogicalResult Core::accessAdding(const Instruction &instruction, const Window &source,
                                 const Window &target) {
  if (failed(access(instruction, source, {})))
    return failure();
  Shadow *shadow = getShadow(*target.memory);
  if (!shadow || failed(checkCache(instruction, target, /*writes=*/true)))
    return success(!shadow);
  Access access = cluster.order.getLast(number, instruction.pipe);
  access.operand = kAdds;
  Reader reader = makeReader(access, cluster.order.getClock(number, instruction.pipe),
                             target.thisTask, target.memory->clearedByLaunch);
  ranges.clear();
  target.getRanges(ranges);
  if (Problem problem = shadow->add(ranges, reader))
    return report(instruction, target, problem.kind != Problem::Undefined, problem, access);
  log(*target.memory, access, /*writes=*/true);
  if (observer && observer->watched)
    return tellWrites(instruction.op, source, target);
  return success();
}

Memory &Core::getSpace(MemorySpace space) {
  std::optional<CoreKind> owner = launch.run.program.target->getCore(space);
  if (!owner || *owner == kind || cluster.cores.size() == 1)
    return memory.get(space);
  return cluster.getMemory(*owner == CoreKind::AIC ? 0 : 1).get(space);
}

LogicalResult Core::addTime(const Instruction &instruction, ArrayRef<Window> reads,
                            ArrayRef<Window> writes) {
  Timeline &timeline = *cluster.order.timeline;
  if (timeline.spans.size() == Timeline::kMaxSpans)
    return emitUserError(instruction.op)
           << "is instruction number " << Timeline::kMaxSpans + 1
           << " of one block, which is more than a profile holds; profile a smaller problem";
  timeline.add(Order::thread(number, instruction.pipe), instruction.op,
               getCycles(instruction, reads, writes, launch.coresAtOnce));
  return success();
}

/// Of blocks that signal one another, every access to an array counts by itself.
void Core::log(Memory &memory, const Access &access, bool writes) {
  if (launch.joinsBlocks && memory.history)
    cluster.accesses.push_back(
        {&memory, {ranges.begin(), ranges.end()}, access, writes, cluster.order.getKnown(number)});
}

LogicalResult Core::accessArray(Operation *op, Value name, const ArrayView &view,
                                ArrayRef<ByteRange> bytes, bool writes, Value source) {
  Memory &memory = *view.array->memory;
  if (!isKernel())
    return accessFromOutside(op, name, view, bytes, writes);
  Shadow *shadow = getShadow(memory);
  if (!shadow)
    return success();
  Access access = cluster.order.next(number, Pipe::S, op);
  bool thisTask = !writes && view.direction == Direction::Out;
  Reader reader = makeReader(access, nullptr, thisTask, false);
  ranges.assign(bytes.begin(), bytes.end());
  if (writes)
    shadow->write(bytes, reader);
  else if (Problem problem = shadow->read(bytes, reader))
    return reportUndefined(op, name, view, problem.bytes, thisTask && reader.thisEpoch);
  log(memory, access, writes);
  if (writes && observer && observer->watched)
    return tellWrites(op, source, memory, bytes, view.array->elem);
  return success();
}

/// The orchestration works on an array itself: all tasks that it submitted are done.
LogicalResult Core::accessFromOutside(Operation *op, Value name, const ArrayView &view,
                                      ArrayRef<ByteRange> bytes, bool writes) {
  if (failed(launch.run.tasks.runAll()))
    return failure();
  History *history = view.array->memory->history.get();
  if (!history)
    return success();
  for (ByteRange range : bytes) {
    if (!writes && launch.run.checks.has(Check::Uninitialized) && !history->isDefined(range, 0))
      return reportUndefined(op, name, view, range, false);
    history->touch(range, {op}, writes, {0, 0, 0, 1, false, nullptr});
  }
  return success();
}

LogicalResult Core::reportUndefined(Operation *op, Value name, const ArrayView &view,
                                    ByteRange bytes, bool thisTask) {
  CheckError error(thisTask ? Check::OutRead : Check::Uninitialized, op);
  error << "reads " << valueWord(name) << ", whose element " << view.getElementAt(bytes.begin)
        << " (counted row by row) nothing has written";
  if (thisTask)
    error << " in this kernel; an array whose content it reads is InOut, not Out";
  else
    launch.noteArgument(error, name);
  error.about(name, bytes.begin, bytes.end);
  return error;
}

/// What the access is about, in full.
static Site makeSite(Site place, Operation *op, Value variable, ByteRange bytes, unsigned thread,
                     bool writes) {
  place.op = op;
  place.variable = variable;
  place.space = getSpaceWord(variable);
  place.begin = bytes.begin, place.end = bytes.end;
  place.pipe = pipeWord(static_cast<Pipe>(thread % kPipes));
  place.writes = writes;
  return place;
}

uint32_t Core::findPendingWriter(const Memory &memory, ByteRange bytes) const {
  const Tasks &tasks = launch.run.tasks;
  if (!launch.run.checks.has(Check::TaskConflict) || !tasks.isOrderKnown())
    return 0;
  return tasks.findWriter(memory, bytes, launch.task.number);
}

/// Nobody has written the bytes yet, as nothing makes this task wait for the one that does.
LogicalResult Core::reportPending(const Instruction &instruction, const Window &window,
                                  ByteRange bytes, const Access &access, uint32_t writer) {
  const Tasks &tasks = launch.run.tasks;
  std::string own = tasks.taskWord(launch.task.number), other = tasks.taskWord(writer);
  CheckError error(Check::TaskConflict, instruction.op);
  error.site() = makeSite(error.site(), instruction.op, window.name, bytes, access.thread, false);
  error << "reads " << valueWord(window.name) << ", bytes " << bytes.begin << " to "
        << bytes.end - 1 << " of its array, which " << other
        << " writes, and nothing orders the two: no path of edges leads from " << other << " to "
        << own << "; put the token of one into deps= of the other, or of one between them";
  error.fix("deps= of " + own + " with the token of " + other);
  Site site;
  site.op = tasks.getOperation(writer);
  site.space = error.site().space;
  site.begin = bytes.begin, site.end = bytes.end;
  site.writes = true;
  site.task = writer;
  site.taskName = tasks.getName(writer).str();
  site.schedule = error.site().schedule;
  error.other(std::move(site), other + " is submitted here, and has not run in this order");
  return error;
}

/// Whether another core of the cluster may write there: a space that one has of the other.
bool Core::isShared(const Window &window) const {
  const TargetInfo &target = *launch.run.program.target;
  return window.memory->clearedByLaunch && cluster.cores.size() > 1 &&
         target.hasPath(MemorySpace::Acc, MemorySpace::Vec);
}

/// Whether a pipe is of an AIV of a cluster.
static bool isVector(unsigned thread) { return thread >= kPipes; }

/// Both AIVs of a cluster do the same with the same bytes: no order makes sense of it.
static void explainShared(CheckError &error) {
  error << ": both vector cores of the cluster run the kernel; split the work between them by "
           "pl.tile.get_subblock_idx()";
  error.fix("pl.tile.get_subblock_idx()");
}

LogicalResult Core::report(const Instruction &instruction, const Window &window, bool writes,
                           const Problem &problem, const Access &access) {
  if (problem.kind == Problem::Undefined && (window.memory->history || isShared(window))) {
    uint32_t writer = window.memory->history ? findPendingWriter(*window.memory, problem.bytes) : 0;
    if (writer)
      return reportPending(instruction, window, problem.bytes, access, writer);
    if (Problem later = cluster.findLaterWrite({window.memory, problem.bytes, access}))
      return report(instruction, window, writes, later, access);
  }
  auto [row, col] = window.getElementAt(problem.bytes.begin);
  bool content = problem.kind == Problem::Undefined || problem.kind == Problem::Reused;
  unsigned own = access.thread, other = problem.other.thread;
  bool oneCore = own / kPipes == other / kPipes;
  bool out = window.thisTask && launch.run.checks.has(Check::OutRead);
  Check check = problem.kind == Problem::Reused      ? Check::BufferReuse
                : problem.kind == Problem::Undefined ? out ? Check::OutRead : Check::Uninitialized
                : oneCore                            ? Check::PipeRace
                                                     : Check::CoreRace;
  CheckError error(check, instruction.op);
  error << (writes ? "writes " : "reads ") << valueWord(window.name) << " at "
        << (window.place.empty() ? shapeWord({row, col}) : shapeWord(window.place)) << ", which ";
  error.site() = makeSite(error.site(), instruction.op, window.name, problem.bytes, own, writes);
  if (problem.kind == Problem::Undefined) {
    error << "nothing has written";
    if (out)
      error << " in this kernel; an array whose content it reads is InOut, not Out";
    else
      launch.noteArgument(error, window.name);
    if (cluster.suspected)
      error.note(cluster.suspected->first, "perhaps because of this: " + cluster.suspected->second);
    return error;
  }
  bool otherWrote = content || problem.kind != Problem::WriteAfterRead;
  Value variable = findOperand(problem.other, otherWrote);
  Site place = makeSite(error.site(), problem.other.op, variable, problem.bytes, other, otherWrote);
  place.core = cluster.coreName(other / kPipes);
  const Order &order = cluster.order;
  if (content) {
    error << "was there, until " << valueWord(variable)
          << " was put into the same bytes; a buffer is free when it is read for the last time";
    error.fix("another address");
  } else {
    error << order.threadWord(other) << " may still be "
          << (problem.other.operand == kAdds ? "adding to"
              : otherWrote                   ? "writing"
                                             : "reading");
    if (instruction.op == problem.other.op && isVector(own) && isVector(other) && !oneCore)
      explainShared(error);
    else
      explainRace(error, own, other);
  }
  error.other(place, operationWord(problem.other.op) + ": the " + (otherWrote ? "write" : "read") +
                         " is here, on " + order.threadWord(other));
  return error;
}

/// What would order two instructions.
void Core::explainRace(CheckError &error, unsigned own, unsigned other) const {
  auto name = [](unsigned thread) { return static_cast<Pipe>(thread % kPipes); };
  const Order &order = cluster.order;
  if (own == other) {
    std::string barrier = "pto.block.barrier " + stringifyPipe(name(own)).str();
    error << ": an instruction starts before the one in front of it is done; put " << barrier
          << " between them";
    error.fix(barrier);
  } else if (own / kPipes == other / kPipes) {
    error << ": no flag makes " << order.threadWord(own) << " wait for it; set and wait for one "
          << pipeWord(name(other)) << " -> " << pipeWord(name(own));
    error.fix("pto.block.set_flag and wait_flag " + stringifyPipe(name(other)).str() + " -> " +
              stringifyPipe(name(own)).str());
  } else {
    error << ": no cross-core flag makes " << order.threadWord(own) << " wait for it";
    error.fix("pto.block.cross_core_set " + stringifyPipe(name(other)).str() +
              " and cross_core_wait");
  }
}

Value reference::findOperand(const Access &access, bool writes) {
  Operation *op = access.op;
  SmallVector<Value> reads;
  Value destination;
  if (auto compute = dyn_cast<TileComputeInterface>(op)) {
    reads.assign(compute.getSources().begin(), compute.getSources().end());
    if (isa<TileMatmulAccOp>(op)) // the accumulator comes last, as addProduct reads it
      std::rotate(reads.begin(), reads.begin() + 1, reads.end());
    destination = compute.getDestination() ? compute.getDestination() : Value(op->getResult(0));
  } else if (auto load = dyn_cast<TileLoadOp>(op)) {
    reads.push_back(load.getSource());
    destination = load.getDst() ? Value(load.getDst()) : Value(load.getResult());
  } else if (auto store = dyn_cast<TileStoreOp>(op)) {
    reads.push_back(store.getSource());
    destination = store.getDest();
  } else if (auto get = dyn_cast<TileGetValueOp>(op)) {
    reads.push_back(get.getSource());
  } else if (auto set = dyn_cast<TileSetValueOp>(op)) {
    destination = set.getDest();
  } else if (auto dcci = dyn_cast<BlockDcciOp>(op)) {
    destination = dcci.getSource();
  } else if (auto push = dyn_cast<BlockQueuePushOp>(op)) {
    reads.push_back(push.getSource());
    destination = push.getRing();
  } else if (auto pop = dyn_cast<BlockQueuePopOp>(op)) {
    reads.push_back(pop.getRing());
    destination = pop.getDst();
  } else if (auto assemble = dyn_cast<TensorAssembleOp>(op)) {
    reads.push_back(assemble.getSource());
    destination = assemble.getTarget();
  } else if (auto dispatch = dyn_cast<BlockDispatchOp>(op)) {
    reads.push_back(dispatch.getCondition());
  } else if (auto region = dyn_cast<BlockAtOp>(op)) {
    reads.push_back(region.getCondition());
  } else if (auto region = dyn_cast<BlockClusterOp>(op)) {
    reads.push_back(region.getCondition());
  }
  if (writes)
    return destination;
  return access.operand < reads.size() ? reads[access.operand] : Value();
}

void *Core::scratch(unsigned index, int64_t bytes) {
  std::vector<char> &room = scratches[index];
  if (static_cast<int64_t>(room.size()) < bytes)
    room.resize(bytes);
  return room.data();
}

const void *Core::dense(const Window &window, unsigned index) {
  if (window.isDense())
    return window.getPointer();
  void *room = scratch(index, window.bytes());
  window.gather(room);
  return room;
}

void *Core::denseTarget(const Window &window, unsigned index) {
  return window.isDense() ? window.getPointer() : scratch(index, window.bytes());
}

void Core::finish(const Window &window, const void *from) {
  if (!window.isDense())
    window.scatter(from);
}
