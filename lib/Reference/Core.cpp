//===- Core.cpp - Cores run flat programs ------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Cost.h"
#include "Reference/Launch.h"

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
  if (elem != Elem::I32)
    return storeElement(elem, scalar.f, to);
  auto integer = static_cast<int32_t>(scalar.i);
  std::memcpy(to, &integer, sizeof(integer));
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
    : cluster(cluster), launch(cluster.launch), number(number), kind(kind), memory(memory) {}

Flow Core::run() {
  Activation *activation = stack.back().get();
  while (true) {
    const Step &step = activation->code->steps[activation->pc];
    if (failed(cluster.count(step.op)))
      return Flow::Fail;
    switch (step.run(*this)) {
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
        return Flow::Return;
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
    return emitUserError(instruction.op)
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

FailureOr<Window> Core::getArrayWindow(Operation *op, Value name, const ArrayView &view,
                                       ArrayRef<int64_t> offsets, int64_t rows, int64_t cols) {
  int64_t extents[] = {rows, cols};
  for (unsigned dim : {0, 1}) {
    int64_t begin = offsets[dim], size = view.shape[dim];
    if (begin >= 0 && begin <= size && extents[dim] <= size - begin)
      continue;
    return emitUserError(op) << "the window reaches beyond the array " << valueWord(name)
                             << ": in dimension " << dim << " it covers " << begin << " to "
                             << begin + extents[dim] - 1 << " of 0 to " << size - 1;
  }
  Window window;
  window.memory = view.array->memory.get();
  window.base = view.offset;
  window.pitch = view.pitch;
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

LogicalResult Core::access(const Instruction &instruction, ArrayRef<Window> reads,
                           ArrayRef<Window> writes, bool anyBytes) {
  if (cluster.order.timeline && failed(addTime(instruction, reads, writes)))
    return failure();
  Access access = cluster.order.next(number, instruction.pipe, instruction.op);
  const Clock *clock = cluster.order.getClock(number, instruction.pipe);
  for (const Window &window : reads) {
    Shadow *shadow = getShadow(*window.memory);
    if (!shadow)
      continue;
    Reader reader = {access,        clock,
                     cluster.epoch, window.thisTask || window.memory->clearedByLaunch,
                     anyBytes,      window.thisTask ? launch.task.number : 0};
    ranges.clear();
    window.getRanges(ranges);
    if (Problem problem = shadow->read(ranges, reader))
      return report(instruction, window, /*writes=*/false, problem);
  }
  for (const Window &window : writes) {
    Shadow *shadow = getShadow(*window.memory);
    if (!shadow)
      continue;
    Reader reader = {access, clock, cluster.epoch, false, false};
    ranges.clear();
    window.getRanges(ranges);
    if (Problem problem = shadow->write(ranges, reader))
      return report(instruction, window, /*writes=*/true, problem);
  }
  return success();
}

LogicalResult Core::addTime(const Instruction &instruction, ArrayRef<Window> reads,
                            ArrayRef<Window> writes) {
  Timeline &timeline = *cluster.order.timeline;
  if (timeline.events.size() == Timeline::kMaxEvents)
    return emitUserError(instruction.op)
           << "is instruction number " << Timeline::kMaxEvents + 1
           << " of one block, which is more than a profile holds; profile a smaller problem";
  timeline.add(Order::thread(number, instruction.pipe), instruction.op,
               getCycles(instruction, reads, writes, launch.coresAtOnce));
  return success();
}

LogicalResult Core::accessArray(Operation *op, Value name, const ArrayView &view,
                                ArrayRef<ByteRange> bytes, bool writes) {
  Shadow *shadow = getShadow(*view.array->memory);
  if (!shadow)
    return success();
  bool thisTask = isKernel() && !writes && view.direction == Direction::Out;
  Reader reader = {{op},
                   nullptr,
                   cluster.epoch,
                   thisTask,
                   /*anyBytes=*/false,
                   thisTask ? launch.task.number : 0};
  if (writes) {
    shadow->write(bytes, reader);
    return success();
  }
  Problem problem = shadow->read(bytes, reader);
  if (!problem)
    return success();
  InFlightDiagnostic error = emitUserError(op) << "reads " << valueWord(name) << ", whose element "
                                               << view.getElementAt(problem.bytes.begin)
                                               << " (counted row by row) nothing has written";
  if (thisTask)
    error << " in this kernel; an array whose content it reads is InOut, not Out";
  return error;
}

LogicalResult Core::report(const Instruction &instruction, const Window &window, bool writes,
                           const Problem &problem) {
  auto [row, col] = window.getElementAt(problem.bytes.begin);
  InFlightDiagnostic error = emitUserError(instruction.op);
  error << (writes ? "writes " : "reads ") << valueWord(window.name) << " at "
        << shapeWord({row, col}) << ", which ";
  if (problem.kind == Problem::Undefined) {
    error << "nothing has written";
    if (window.thisTask)
      error << " in this kernel; an array whose content it reads is InOut, not Out";
    return error;
  }
  bool otherWrote = problem.kind != Problem::WriteAfterRead;
  unsigned own = Order::thread(number, instruction.pipe), other = problem.other.thread;
  const Order &order = cluster.order;
  error << order.threadWord(other) << " may still be " << (otherWrote ? "writing" : "reading");
  if (own == other)
    error << ": an instruction starts before the one in front of it is done; put "
             "pto.block.barrier "
          << stringifyPipe(instruction.pipe) << " between them";
  else if (own / kPipes == other / kPipes)
    error << ": no flag makes " << order.threadWord(own) << " wait for it; set and wait for one "
          << pipeWord(static_cast<Pipe>(other % kPipes)) << " -> " << pipeWord(instruction.pipe);
  else
    error << ": no cross-core flag makes " << order.threadWord(own) << " wait for it";
  error.attachNote(problem.other.op->getLoc())
      << operationWord(problem.other.op) << ": the " << (otherWrote ? "write" : "read")
      << " is here, on " << order.threadWord(other);
  return error;
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
