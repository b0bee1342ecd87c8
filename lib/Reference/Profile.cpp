//===- Profile.cpp - The times of a run --------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Profile.h"
#include "Pto/PtoInterfaces.h"
#include "Pto/Words.h"
#include "Reference/Order.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <queue>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

int64_t Profile::start(uint32_t number, CoresOfBlock cores, int64_t blocks) {
  if (tasks.size() < number)
    tasks.resize(number);
  Task &task = tasks[number - 1];
  task.cores = cores;
  task.blocks.resize(blocks);
  for (auto [index, block] : llvm::enumerate(task.blocks))
    block.times = std::make_unique<Timeline>(target.cost, static_cast<int32_t>(index));
  if (cores == CoresOfBlock::Vector)
    return std::min(blocks, target.vectorCores);
  return std::min(blocks, target.cubeCores) * (cores == CoresOfBlock::Cluster ? kCores : 1);
}

Timeline *Profile::getTimeline(uint32_t task, int64_t block) {
  if (task == 0 || task > tasks.size() ||
      block >= static_cast<int64_t>(tasks[task - 1].blocks.size()))
    return nullptr;
  return tasks[task - 1].blocks[block].times.get();
}

void Profile::addTask(Operation *op, StringRef name, ArrayRef<uint32_t> after) {
  if (tasks.size() <= added)
    tasks.resize(added + 1);
  Task &task = tasks[added++];
  task.op = op;
  task.name = name.str();
  task.after.assign(after.begin(), after.end());
}

//===----------------------------------------------------------------------===//
// Placing
//===----------------------------------------------------------------------===//

/// The cores that are free first: a cluster of a cube core and its two vector cores for
/// a mixed kernel, else one.
SmallVector<Profile::Core *, 3> Profile::chooseCores(const Task &task, Block &block) {
  std::vector<Core> &cores = task.cores == CoresOfBlock::Vector ? vectorCores : cubeCores;
  bool isCluster = task.cores == CoresOfBlock::Cluster;
  std::pair<bool, int64_t> best = {true, std::numeric_limits<int64_t>::max()};
  for (auto [number, core] : llvm::enumerate(cores)) {
    std::pair<bool, int64_t> free = {core.taken, core.free};
    if (isCluster)
      for (size_t vector : {2 * number, 2 * number + 1})
        free = std::max(free, {vectorCores[vector].taken, vectorCores[vector].free});
    if (free >= best)
      continue;
    best = free;
    block.core = static_cast<int32_t>(number);
  }
  if (!isCluster)
    return {&cores[block.core]};
  return {&cores[block.core], &vectorCores[2 * block.core], &vectorCores[2 * block.core + 1]};
}

/// When the block can start, and what it waits for.
void Profile::wait(Block &block, ArrayRef<Core *> cores) {
  for (const Core *core : cores)
    if (core->free > block.start) {
      block.start = core->free;
      block.cause = core->user;
    }
}

void Profile::run(Task &task, Block &block, ArrayRef<Core *> cores) {
  int64_t end = block.start + block.times->getEnd().time;
  for (Core *core : cores)
    *core = {end, block.number, false};
  if (end < task.end)
    return;
  task.end = end;
  task.last = block.number;
}

/// Whether the blocks signal one another. Their times then count from one start.
bool Profile::startsTogether(const Task &task) const {
  return llvm::any_of(task.blocks, [](const Block &block) {
    return llvm::any_of(block.times->spans, [&](const Span &event) {
      return event.cause.index >= 0 && event.cause.block != block.times->block;
    });
  });
}

void Profile::placeTogether(Task &task, int64_t earliest) {
  Block first;
  first.start = earliest + target.cost.launchCore * static_cast<int64_t>(task.blocks.size() - 1);
  first.cause = task.cause;
  std::vector<SmallVector<Core *, 3>> chosen;
  for (Block &block : task.blocks) {
    chosen.push_back(chooseCores(task, block));
    wait(first, chosen.back());
    for (Core *core : chosen.back())
      core->taken = true;
  }
  for (auto [block, cores] : llvm::zip(task.blocks, chosen)) {
    block.start = first.start;
    block.cause = first.cause;
    run(task, block, cores);
  }
}

void Profile::placeTask(Task &task) {
  // A task without blocks is done when those in front of it are.
  task.end = task.ready;
  task.last = task.cause;
  int64_t earliest = task.ready + target.cost.launch;
  if (startsTogether(task))
    return placeTogether(task, earliest);
  for (Block &block : task.blocks) {
    SmallVector<Core *, 3> cores = chooseCores(task, block);
    block.start = earliest;
    block.cause = task.cause;
    wait(block, cores);
    run(task, block, cores);
    earliest += target.cost.launchCore;
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
    for (uint32_t before : task.after)
      followers[before - 1].push_back(static_cast<int32_t>(index));
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
      block.firstSpan = events;
      events += block.times->spans.size();
    }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

int32_t Profile::getOperation(Operation *op) {
  auto [it, isNew] = operationNumbers.try_emplace(op, static_cast<int32_t>(operations.size()));
  if (isNew)
    operations.push_back(op);
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
  unsigned inside = thread / kPipes;
  if (task.cores == CoresOfBlock::Cluster && inside > 0)
    return "AIV " + std::to_string(2 * block.core + inside - 1);
  return (task.cores == CoresOfBlock::Vector ? "AIV " : "AIC ") + std::to_string(block.core);
}

// Text of a module may be no UTF-8, which JSON is.
using llvm::json::fixUTF8;

void Profile::writeOperations(llvm::json::OStream &out) {
  out.attributeArray("operations", [&] {
    for (Operation *op : operations)
      out.object([&] {
        auto func = dyn_cast<FunctionOpInterface>(op);
        bool isFunction = func != nullptr;
        if (!func)
          func = op->getParentOfType<FunctionOpInterface>();
        out.attribute("name", fixUTF8(isFunction ? func.getName().str() : operationWord(op)));
        out.attribute("variable", fixUTF8(variableOf(op)));
        out.attribute("kernel", fixUTF8(func ? func.getName() : StringRef()));
        FileLineColRange place = findPlace(op);
        out.attribute("file", fixUTF8(place ? place.getFilename().getValue() : StringRef()));
        out.attribute("line", place ? place.getStartLine() : 0);
        out.attribute("column", place ? place.getStartColumn() : 0);
      });
  });
}

void Profile::writeTasks(llvm::json::OStream &out) {
  out.attributeArray("tasks", [&] {
    for (Task &task : tasks)
      out.object([&] {
        out.attribute("kernel", fixUTF8(task.name));
        out.attribute("operation", getOperation(task.op));
        out.attributeArray("after", [&] {
          for (uint32_t before : task.after)
            out.value(before - 1);
        });
        out.attribute("end", task.end);
        out.attributeArray("blocks", [&] {
          for (const Block &block : task.blocks)
            out.object([&] {
              Instant end = block.times->getEnd();
              const Block &of = task.blocks[end.cause.block];
              out.attribute("core", coreWord(task, block, 0));
              out.attribute("start", block.start);
              out.attribute("end", block.start + end.time);
              out.attribute("cause", block.cause);
              out.attribute("last", end.cause.index < 0
                                        ? -1
                                        : static_cast<int64_t>(of.firstSpan + end.cause.index));
              out.attribute("last_sync", end.sync);
            });
        });
      });
  });
}

void Profile::writeSpans(llvm::json::OStream &out) {
  SmallVector<std::pair<size_t, size_t>> flows;
  out.attributeArray("events", [&] {
    int32_t blockNumber = 0;
    for (const Task &task : tasks)
      for (const Block &block : task.blocks) {
        auto index = [&](SpanId id) {
          return id.index < 0 ? -1
                              : static_cast<int64_t>(task.blocks[id.block].firstSpan + id.index);
        };
        for (const Span &event : block.times->spans)
          out.array([&] {
            out.value(getOperation(event.op));
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
          flows.push_back({index(from), block.firstSpan + to});
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
    writeSpans(out);
    writeOperations(out);
  });
  return text;
}
