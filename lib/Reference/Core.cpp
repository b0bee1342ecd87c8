//===- Core.cpp - Cores run flat programs ------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Core.h"
#include "Pto/Words.h"
#include "Reference/Cost.h"

#include <cstring>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

void Frame::copy(Slot from, Slot to) {
  switch (from.kind) {
  case SlotKind::None:
    return;
  case SlotKind::Scalar:
    scalars[to.index] = scalars[from.index];
    return;
  case SlotKind::Tile:
    tiles[to.index] = tiles[from.index];
    return;
  case SlotKind::Buffer:
    buffers[to.index] = buffers[from.index];
    return;
  case SlotKind::Array:
    arrays[to.index] = arrays[from.index];
    return;
  }
}

/// The same from another function's frame.
static void copyAcross(const Frame &source, Slot from, Frame &target, Slot to) {
  if (from.kind == SlotKind::Scalar)
    target.scalars[to.index] = source.scalars[from.index];
  else if (from.kind == SlotKind::Tile)
    target.tiles[to.index] = source.tiles[from.index];
  else if (from.kind == SlotKind::Buffer)
    target.buffers[to.index] = source.buffers[from.index];
  else if (from.kind == SlotKind::Array)
    target.arrays[to.index] = source.arrays[from.index];
}

Activation::Activation(const Code &code) : code(&code) {
  frame.scalars.resize(code.scalars);
  frame.tiles.resize(code.tiles);
  frame.buffers.resize(code.buffers);
  frame.arrays.resize(code.arrays);
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
    copyAcross(*caller, from, *current, to);
  if (code.kind != FunctionKind::Inline && code.kind != FunctionKind::Opaque)
    for (auto [index, slot] : llvm::enumerate(code.arguments))
      if (slot.kind == SlotKind::Array)
        current->arrays[slot.index].direction = getDirection(code.func, index);
  return success();
}

/// Ends the function on top of the stack; its values `results` go to the caller.
void Core::leave(ArrayRef<Slot> results) {
  std::unique_ptr<Activation> ended = std::move(stack.back());
  stack.pop_back();
  if (stack.empty()) {
    done = true;
    return;
  }
  current = &stack.back()->frame;
  for (auto [from, to] : llvm::zip(results, ended->results))
    copyAcross(ended->frame, from, *current, to);
}

Flow Core::run() {
  Run &budget = launch.run;
  Activation *activation = stack.back().get();
  while (true) {
    const Step &step = activation->code->steps[activation->pc];
    if (failed(budget.count(step.op)))
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
// Launches
//===----------------------------------------------------------------------===//

Launch::Launch(Run &run, const Code &code, uint32_t epoch)
    : run(run), code(code), epoch(epoch),
      order(code.kind == FunctionKind::Group ? kCores : 1, code.isFinal) {
  auto add = [&](unsigned number, CoreKind kind, int64_t subblock) {
    cores.push_back(std::make_unique<Core>(*this, number, kind, run.program.getCore(number)));
    cores.back()->subblock = subblock;
  };
  if (code.kind == FunctionKind::Group) {
    add(0, CoreKind::AIC, 0);
    add(1, CoreKind::AIV, 0);
    add(2, CoreKind::AIV, 1);
  } else {
    add(0, code.kind == FunctionKind::AIC ? CoreKind::AIC : CoreKind::AIV, 0);
  }
}

LogicalResult Launch::execute(const Frame &caller, ArrayRef<Slot> arguments, ArrayRef<Slot> results,
                              Operation *op) {
  for (auto &core : cores)
    if (failed(core->enter(code, &caller, arguments, results, op)))
      return failure();
  // The cores take turns; each runs until it waits for another one.
  bool running = true;
  while (running) {
    running = false;
    int64_t before = run.steps, waiting = 0;
    for (auto &core : cores) {
      if (core->done)
        continue;
      running = true;
      Flow flow = core->run();
      if (flow == Flow::Fail)
        return failure();
      waiting += flow == Flow::Wait;
    }
    // Each waiting core has tried one step; more means that something moved.
    if (running && waiting && run.steps - before == waiting)
      return reportDeadlock();
  }
  return order.finishCrossCore();
}

LogicalResult Launch::reportDeadlock() {
  static const char *const names[] = {"the AIC", "AIV 0", "AIV 1"};
  std::optional<InFlightDiagnostic> error;
  for (auto &core : cores) {
    if (core->done)
      continue;
    Operation *op = core->getOperation();
    const char *name = cores.size() == 1 ? "the core" : names[core->number];
    if (!error)
      error.emplace(emitUserError(op) << name << " waits here for a signal that no core sends: "
                                      << "the kernel hangs");
    else
      error->attachNote(op->getLoc()) << name << " waits here";
  }
  for (auto &core : cores)
    if (core->done && error)
      error->attachNote(code.func->getLoc()) << names[core->number] << " has ended";
  return failure();
}

LogicalResult Run::check(Operation *op) {
  if (options.stepLimit && steps >= options.stepLimit)
    return emitError(op->getLoc())
           << "stopped after " << steps << " steps, the limit of this run; does a loop not end?";
  if (options.goOn && !options.goOn())
    return emitError(op->getLoc()) << "interrupted";
  nextCheck = steps + 2048;
  if (options.stepLimit)
    nextCheck = std::min(nextCheck, options.stepLimit);
  return success();
}

void Run::print(StringRef text) {
  if (options.print)
    options.print(text);
  else
    llvm::outs() << text;
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
  const Array &array = *view.array;
  int64_t extents[] = {rows, cols};
  for (unsigned dim : {0, 1}) {
    int64_t begin = offsets[dim], size = array.shape[dim];
    if (begin >= 0 && begin <= size && extents[dim] <= size - begin)
      continue;
    return emitUserError(op) << "the window reaches beyond the array " << valueWord(name)
                             << ": in dimension " << dim << " it covers " << begin << " to "
                             << begin + extents[dim] - 1 << " of 0 to " << size - 1;
  }
  Window window;
  window.memory = array.memory.get();
  window.pitch = array.shape[1];
  window.row = offsets[0];
  window.col = offsets[1];
  window.rows = rows;
  window.cols = cols;
  window.elem = array.elem;
  window.name = name;
  window.thisLaunch = view.direction == Direction::Out;
  return window;
}

LogicalResult Core::access(const Instruction &instruction, ArrayRef<Window> reads,
                           ArrayRef<Window> writes, bool anyBytes) {
  if (launch.order.timeline && failed(addTime(instruction, reads, writes)))
    return failure();
  Access access = launch.order.next(number, instruction.pipe, instruction.op);
  const Clock *clock = launch.order.getClock(number, instruction.pipe);
  for (const Window &window : reads) {
    if (!window.memory->shadow)
      continue;
    Reader reader = {access, clock, launch.epoch,
                     window.thisLaunch || window.memory->clearedByLaunch, anyBytes};
    ranges.clear();
    window.getRanges(ranges);
    if (Problem problem = window.memory->shadow->read(ranges, reader))
      return report(instruction, window, /*writes=*/false, problem);
  }
  for (const Window &window : writes) {
    if (!window.memory->shadow)
      continue;
    Reader reader = {access, clock, launch.epoch, false, false};
    ranges.clear();
    window.getRanges(ranges);
    if (Problem problem = window.memory->shadow->write(ranges, reader))
      return report(instruction, window, /*writes=*/true, problem);
  }
  return success();
}

LogicalResult Core::addTime(const Instruction &instruction, ArrayRef<Window> reads,
                            ArrayRef<Window> writes) {
  Timeline &timeline = *launch.order.timeline;
  if (timeline.events.size() == Timeline::kMaxEvents)
    return emitUserError(instruction.op)
           << "is instruction number " << Timeline::kMaxEvents + 1
           << " of one block, which is more than a profile holds; profile a smaller problem";
  timeline.add(Order::thread(number, instruction.pipe), instruction.op,
               getCycles(instruction, reads, writes, launch.coresAtOnce));
  return success();
}

LogicalResult Core::report(const Instruction &instruction, const Window &window, bool writes,
                           const Problem &problem) {
  auto [row, col] = window.getElementAt(problem.bytes.begin);
  InFlightDiagnostic error = emitUserError(instruction.op);
  error << (writes ? "writes " : "reads ") << valueWord(window.name) << " at "
        << shapeWord({row, col}) << ", which ";
  if (problem.kind == Problem::Undefined) {
    error << "nothing has written";
    if (window.thisLaunch)
      error << " in this kernel; an array whose content it reads is InOut, not Out";
    return error;
  }
  bool otherWrote = problem.kind != Problem::WriteAfterRead;
  unsigned own = Order::thread(number, instruction.pipe), other = problem.other.thread;
  const Order &order = launch.order;
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
