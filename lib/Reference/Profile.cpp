//===- Profile.cpp - The times of a run --------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Profile.h"
#include "Pto/PtoInterfaces.h"
#include "Pto/Words.h"
#include "Reference/Order.h"

#include <queue>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

int64_t Profile::getCoresAtOnce(const TargetInfo &target, FunctionOpInterface kernel,
                                int64_t blocks) {
  FunctionKind kind = getFunctionKind(kernel);
  if (kind == FunctionKind::Group)
    return kCores * std::min(blocks, target.cubeCores);
  return std::min(blocks, kind == FunctionKind::AIC ? target.cubeCores : target.vectorCores);
}

int32_t Profile::addTask(Operation *op, FunctionOpInterface kernel, int64_t blocks,
                         ArrayRef<int32_t> after) {
  Task &task = tasks.emplace_back();
  task.op = op;
  task.kernel = kernel;
  task.after.assign(after.begin(), after.end());
  task.blocks.resize(blocks);
  for (auto [index, block] : llvm::enumerate(task.blocks))
    block.times = std::make_unique<Timeline>(target.cost, static_cast<int32_t>(index));
  return getTaskCount() - 1;
}

//===----------------------------------------------------------------------===//
// Placing
//===----------------------------------------------------------------------===//

/// The cores that are free first: a cluster of a cube core and its two vector cores for
/// a mixed kernel, else one.
std::vector<Profile::Core *> Profile::chooseCores(const Task &task, Block &block) {
  FunctionKind kind = getFunctionKind(task.kernel);
  auto first = [](std::vector<Core> &cores) {
    return llvm::min_element(cores, [](const Core &a, const Core &b) { return a.free < b.free; }) -
           cores.begin();
  };
  if (kind != FunctionKind::Group) {
    std::vector<Core> &cores = kind == FunctionKind::AIC ? cubeCores : vectorCores;
    block.core = static_cast<int32_t>(first(cores));
    return {&cores[block.core]};
  }
  int64_t best = std::numeric_limits<int64_t>::max();
  for (auto [cluster, cube] : llvm::enumerate(cubeCores)) {
    int64_t free =
        std::max({cube.free, vectorCores[2 * cluster].free, vectorCores[2 * cluster + 1].free});
    if (free >= best)
      continue;
    best = free;
    block.core = static_cast<int32_t>(cluster);
  }
  return {&cubeCores[block.core], &vectorCores[2 * block.core], &vectorCores[2 * block.core + 1]};
}

void Profile::placeBlock(Task &task, Block &block, int64_t earliest) {
  std::vector<Core *> cores = chooseCores(task, block);
  block.start = earliest;
  block.cause = task.cause;
  for (const Core *core : cores)
    if (core->free > block.start) {
      block.start = core->free;
      block.cause = core->user;
    }
  int64_t end = block.start + block.times->getEnd().time;
  for (Core *core : cores)
    *core = {end, block.number};
  if (end < task.end)
    return;
  task.end = end;
  task.last = block.number;
}

void Profile::placeTask(Task &task) {
  int64_t earliest = task.ready + target.cost.launch;
  for (Block &block : task.blocks) {
    placeBlock(task, block, earliest);
    earliest += target.cost.launchCore;
  }
  // A task without blocks is done when those in front of it are.
  if (task.blocks.empty()) {
    task.end = task.ready;
    task.last = task.cause;
  }
}

/// List scheduling: of the tasks whose predecessors are placed, the one that is ready
/// first takes the cores that are free first.
void Profile::place() {
  cubeCores.assign(target.cubeCores, {});
  vectorCores.assign(target.vectorCores, {});
  std::vector<SmallVector<int32_t>> followers(tasks.size());
  std::vector<size_t> open(tasks.size());
  std::priority_queue<std::pair<int64_t, int32_t>, std::vector<std::pair<int64_t, int32_t>>,
                      std::greater<>>
      ready;
  for (auto [index, task] : llvm::enumerate(tasks)) {
    open[index] = task.after.size();
    for (int32_t before : task.after)
      followers[before].push_back(static_cast<int32_t>(index));
    if (task.after.empty())
      ready.push({0, static_cast<int32_t>(index)});
  }
  while (!ready.empty()) {
    int32_t index = ready.top().second;
    ready.pop();
    placeTask(tasks[index]);
    const Task &done = tasks[index];
    for (int32_t follower : followers[index]) {
      Task &task = tasks[follower];
      if (done.end >= task.ready) {
        task.ready = done.end;
        task.cause = done.last;
      }
      if (--open[follower] == 0)
        ready.push({task.ready, follower});
    }
  }
}

void Profile::number() {
  int32_t blocks = 0;
  size_t events = 0;
  for (Task &task : tasks)
    for (Block &block : task.blocks) {
      block.number = blocks++;
      block.firstEvent = events;
      events += block.times->events.size();
    }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

int32_t Profile::getOperation(Operation *op, FunctionOpInterface kernel) {
  auto [it, isNew] = operationNumbers.try_emplace(op, static_cast<int32_t>(operations.size()));
  if (isNew)
    operations.push_back({op, kernel});
  return it->second;
}

/// The place of an operation: its own, or that of the nearest one around it.
static FileLineColRange findPlace(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (auto place = at->getLoc()->findInstanceOf<FileLineColRange>())
      return place;
  return nullptr;
}

/// The author's name of what an instruction makes; of a store, of what it takes.
static StringRef variableOf(Operation *op) {
  auto instruction = dyn_cast<InstructionInterface>(op);
  if (!instruction)
    return "";
  if (auto compute = dyn_cast<TileComputeInterface>(op))
    if (Value destination = compute.getDestination())
      return nameOf(destination);
  for (Value operand : llvm::reverse(op->getOperands()))
    if (isa<BufType, TileType>(operand.getType()))
      return nameOf(operand);
  return "";
}

std::string Profile::coreWord(const Task &task, const Block &block, unsigned thread) const {
  FunctionKind kind = getFunctionKind(task.kernel);
  unsigned inside = thread / kPipes;
  if (kind == FunctionKind::Group)
    return inside == 0 ? "AIC " + std::to_string(block.core)
                       : "AIV " + std::to_string(2 * block.core + inside - 1);
  return (kind == FunctionKind::AIC ? "AIC " : "AIV ") + std::to_string(block.core);
}

void Profile::writeOperations(llvm::json::OStream &out) {
  out.attributeArray("operations", [&] {
    for (auto [op, kernel] : operations)
      out.object([&, op = op, kernel = kernel]() mutable {
        out.attribute("name", operationWord(op));
        out.attribute("variable", variableOf(op));
        out.attribute("kernel", kernel.getName());
        FileLineColRange place = findPlace(op);
        out.attribute("file", place ? place.getFilename().getValue() : StringRef());
        out.attribute("line", place ? place.getStartLine() : 0);
        out.attribute("column", place ? place.getStartColumn() : 0);
      });
  });
}

void Profile::writeTasks(llvm::json::OStream &out) {
  out.attributeArray("tasks", [&] {
    for (Task &task : tasks)
      out.object([&] {
        out.attribute("kernel", task.kernel.getName());
        out.attribute("operation", getOperation(task.op, task.kernel));
        out.attribute("after", llvm::json::Array(ArrayRef<int32_t>(task.after)));
        out.attribute("ready", task.ready);
        out.attribute("end", task.end);
        out.attributeArray("blocks", [&] {
          for (const Block &block : task.blocks)
            out.object([&] {
              Moment end = block.times->getEnd();
              const Block &of = task.blocks[end.cause.block];
              out.attribute("core", coreWord(task, block, 0));
              out.attribute("start", block.start);
              out.attribute("end", block.start + end.time);
              out.attribute("cause", block.cause);
              out.attribute("last", end.cause.index < 0
                                        ? -1
                                        : static_cast<int64_t>(of.firstEvent + end.cause.index));
              out.attribute("last_sync", end.sync);
            });
        });
      });
  });
}

void Profile::writeEvents(llvm::json::OStream &out) {
  SmallVector<std::pair<size_t, size_t>> flows;
  out.attributeArray("events", [&] {
    int32_t blockNumber = 0;
    for (const Task &task : tasks)
      for (const Block &block : task.blocks) {
        auto index = [&](EventId id) {
          return id.index < 0 ? -1
                              : static_cast<int64_t>(task.blocks[id.block].firstEvent + id.index);
        };
        for (const Event &event : block.times->events)
          out.array([&] {
            out.value(getOperation(event.op, task.kernel));
            out.value(blockNumber);
            out.value(coreWord(task, block, event.thread));
            out.value(pipeWord(static_cast<Pipe>(event.thread % kPipes)));
            out.value(block.start + event.start);
            out.value(block.start + event.end);
            out.value(index(event.cause));
            out.value(waitWord(event.wait));
            out.value(event.sync);
          });
        for (auto [from, to] : block.times->flows)
          flows.push_back({index(from), block.firstEvent + to});
        ++blockNumber;
      }
  });
  out.attributeArray("flows", [&] {
    for (auto [from, to] : flows)
      out.value(llvm::json::Array({static_cast<int64_t>(from), static_cast<int64_t>(to)}));
  });
}

std::string Profile::finish() {
  number();
  place();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream out(os);
  int64_t cycles = 0;
  for (const Task &task : tasks)
    cycles = std::max(cycles, task.end);
  out.object([&] {
    out.attribute("target", target.name);
    out.attribute("clock_mhz", target.cost.clockMHz);
    out.attribute("launch", target.cost.launch);
    out.attribute("launch_core", target.cost.launchCore);
    out.attribute("cycles", cycles);
    writeTasks(out);
    writeEvents(out);
    writeOperations(out);
  });
  return text;
}
