//===- Launch.cpp - The blocks of a task -------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Launch.h"
#include "Pto/Words.h"
#include "Reference/State.h"

#include <cstring>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

void Run::print(StringRef text) {
  if (options.print)
    options.print(text);
  else
    llvm::outs() << text;
}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

/// Whether a block of the task is a cluster of an AIC and AIVs.
static bool isCluster(const Task &task) {
  return task.parts[0].code->kind == FunctionKind::Group || task.parts[0].core;
}

static bool isFinal(const Task &task) {
  return llvm::all_of(task.parts, [](const Part &part) { return part.code->isFinal; });
}

Cluster::Cluster(Launch &launch, uint32_t number, uint32_t epoch)
    : launch(launch), number(number), epoch(epoch),
      order(isCluster(launch.task) ? kCores : 1, isFinal(launch.task)) {
  memory = launch.run.program.acquire(number);
  if (launch.run.profile && launch.task.parts[0].code->isKernel())
    order.timeline = launch.run.profile->getTimeline(launch.task.number, number);
  for (const Part &part : launch.task.parts) {
    if (part.code->kind == FunctionKind::Group || part.core == CoreKind::AIC)
      add(part, 0, CoreKind::AIC, 0);
    if (part.code->kind == FunctionKind::Group || part.core == CoreKind::AIV) {
      add(part, 1, CoreKind::AIV, 0);
      add(part, 2, CoreKind::AIV, 1);
    }
    if (part.code->kind != FunctionKind::Group && !part.core)
      add(part, 0, part.code->kind == FunctionKind::AIC ? CoreKind::AIC : CoreKind::AIV, 0);
  }
}

Cluster::~Cluster() { launch.run.program.release(number, memory); }

void Cluster::add(const Part &part, unsigned core, CoreKind kind, int64_t subblock) {
  cores.push_back(std::make_unique<Core>(*this, core, kind, memory->get(core)));
  cores.back()->subblock = subblock;
  parts.push_back(&part);
}

LogicalResult Cluster::start() {
  for (auto [core, part] : llvm::zip(cores, parts))
    if (mlir::failed(
            core->enter(*part->code, &part->frame, part->arguments, launch.task.results, part->op)))
      return failure();
  return success();
}

bool Cluster::isDone() const {
  return llvm::all_of(cores, [](const std::unique_ptr<Core> &core) { return core->done; });
}

Flow Cluster::run() {
  while (!isDone()) {
    int64_t before = steps, waiting = 0;
    for (auto &core : cores) {
      if (core->done)
        continue;
      Flow flow = core->run();
      if (flow == Flow::Fail)
        return Flow::Fail;
      waiting += flow == Flow::Wait;
    }
    // Each waiting core has tried one step; more means that something moved.
    if (waiting && steps - before == waiting)
      return Flow::Wait;
  }
  return mlir::failed(order.finishCrossCore()) ? Flow::Fail : Flow::Return;
}

LogicalResult Cluster::check(Operation *op) {
  const RunOptions &options = launch.run.options;
  int64_t all = launch.run.steps + steps;
  if (options.stepLimit && all >= options.stepLimit)
    return emitError(op->getLoc())
           << "stopped after " << all << " steps, the limit of this run; does a loop not end?";
  if (options.goOn && !options.goOn())
    return emitError(op->getLoc()) << "interrupted";
  nextCheck = steps + 2048;
  if (options.stepLimit)
    nextCheck = std::min(nextCheck, options.stepLimit - launch.run.steps);
  return success();
}

void Cluster::print(StringRef text) { launch.run.print(text); }

Shadow &Cluster::getShadow(Memory &memory) {
  Shadow *&shadow = shadowOf[&memory];
  if (!shadow) {
    shadows.push_back(
        {&memory, std::make_unique<Shadow>(memory.size, /*written=*/false, memory.history.get())});
    shadow = shadows.back().second.get();
  }
  return *shadow;
}

std::string Cluster::coreWord(unsigned core) const {
  static const char *const names[] = {"the AIC", "AIV 0", "AIV 1"};
  std::string word = cores.size() == 1 && order.getCores() == 1 ? "the core" : names[core];
  if (launch.clusters.size() > 1)
    word += " of block " + std::to_string(number);
  return word;
}

LogicalResult Cluster::reportDeadlock() {
  std::optional<InFlightDiagnostic> error;
  for (auto &core : cores) {
    if (core->done)
      continue;
    Operation *op = core->getOperation();
    if (!error)
      error.emplace(emitUserError(op)
                    << coreWord(core->number) << " waits here for a signal that no core sends: "
                    << "the kernel hangs");
    else
      error->attachNote(op->getLoc()) << coreWord(core->number) << " waits here";
  }
  for (auto [core, part] : llvm::zip(cores, parts))
    if (core->done && error)
      error->attachNote(part->code->func->getLoc()) << coreWord(core->number) << " has ended";
  return failure();
}

//===----------------------------------------------------------------------===//
// A task
//===----------------------------------------------------------------------===//

Launch::Launch(Run &run, Task &task) : run(run), task(task) {
  for (const Part &part : task.parts)
    joinsBlocks |= part.code->joinsBlocks;
  joinsBlocks &= task.blocks > 1;
}

static bool holds(Compare compare, int64_t a, int64_t b) {
  switch (compare) {
  case Compare::EQ:
    return a == b;
  case Compare::NE:
    return a != b;
  case Compare::LT:
    return a < b;
  case Compare::LE:
    return a <= b;
  case Compare::GT:
    return a > b;
  case Compare::GE:
    return a >= b;
  }
  return false;
}

/// Whether the task's condition holds, now that those before it are done.
static FailureOr<bool> evaluate(const Task &task) {
  const Condition &condition = *task.condition;
  const Memory &memory = *condition.view.array->memory;
  if (memory.history && !memory.history->isDefined(condition.bytes, 0))
    return emitUserError(task.op) << "the condition reads an element of "
                                  << valueWord(condition.name) << " that nothing has written";
  int32_t element;
  std::memcpy(&element, memory.data + condition.bytes.begin, sizeof(element));
  return holds(condition.compare, element, condition.value);
}

/// Makes room for the times of all blocks.
LogicalResult Launch::startProfile() {
  for (const Part &part : task.parts) {
    if (part.code->isFinal)
      continue;
    FunctionOpInterface func = part.code->func;
    Operation *kernel = part.code->isRegion ? part.op : func.getOperation();
    return emitError(kernel->getLoc())
           << "nothing has ordered the pipes of '" << task.name
           << "' yet, so that its instructions have no times; a profile needs the final stage, "
              "after pto-insert-sync";
  }
  CoresOfBlock cores = isCluster(task)                                 ? CoresOfBlock::Cluster
                       : task.parts[0].code->kind == FunctionKind::AIC ? CoresOfBlock::Cube
                                                                       : CoresOfBlock::Vector;
  coresAtOnce = run.profile->start(task.number, cores, task.blocks);
  return success();
}

LogicalResult Launch::execute() {
  if (task.condition) {
    FailureOr<bool> goes = evaluate(task);
    if (failed(goes) || !*goes)
      return success(succeeded(goes));
  }
  ProgramState &program = run.program;
  bool isKernel = task.parts[0].code->isKernel();
  if (isKernel) {
    program.uncheckedOrder |= !isFinal(task);
    program.lastCores.clear();
    if (run.profile && failed(startProfile()))
      return failure();
  }
  uint32_t epoch = program.epoch;
  program.epoch += task.blocks;
  for (uint32_t block = 0; block < task.blocks; ++block) {
    clusters.push_back(std::make_unique<Cluster>(*this, block, epoch + 1 + block));
    Cluster &cluster = *clusters.back();
    if (isKernel)
      for (auto &core : cluster.cores)
        program.lastCores.push_back({core->kind, &core->memory});
    if (failed(cluster.start()))
      return failure();
    Flow flow = cluster.run();
    if (flow == Flow::Wait)
      return cluster.reportDeadlock();
    if (flow == Flow::Fail)
      return failure();
    run.steps += cluster.steps;
  }
  return merge();
}

LogicalResult Launch::merge() {
  for (auto &cluster : clusters)
    for (auto &[memory, shadow] : cluster->shadows)
      memory->history->merge(*shadow,
                             {task.number, cluster->number, cluster->epoch, false, nullptr});
  return success();
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

CoreMemory &ClusterMemory::get(unsigned core) {
  if (!cores[core])
    cores[core] = std::make_unique<CoreMemory>(target);
  return *cores[core];
}

ClusterMemory *ProgramState::acquire(uint32_t number) {
  std::lock_guard<std::mutex> lock(acquiring);
  if (number < kKept) {
    while (kept.size() <= number)
      kept.push_back(std::make_unique<ClusterMemory>(*target));
    return kept[number].get();
  }
  if (free.empty()) {
    others.push_back(std::make_unique<ClusterMemory>(*target));
    free.push_back(others.back().get());
  }
  ClusterMemory *memory = free.back();
  free.pop_back();
  return memory;
}

void ProgramState::release(uint32_t number, ClusterMemory *memory) {
  std::lock_guard<std::mutex> lock(acquiring);
  if (number >= kKept)
    free.push_back(memory);
}
