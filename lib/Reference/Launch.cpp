//===- Launch.cpp - The blocks of a task -------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Launch.h"
#include "Pto/Words.h"
#include "Reference/State.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <thread>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

void Run::print(StringRef text) {
  if (!scheduleName.empty()) // a further order prints the same again
    return;
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
      order(isCluster(launch.task) ? kCores : 1, isFinal(launch.task), launch.run.checks) {
  memory = launch.run.program.acquire(number);
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

Cluster::~Cluster() { release(); }

void Cluster::release() {
  if (memory)
    launch.run.program.release(number, memory);
  memory = nullptr;
}

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

Site Cluster::getPlace() const { return launch.getPlace(number); }

Site Launch::getPlace(uint32_t block) const {
  Site place;
  place.schedule = run.scheduleName;
  if (task.isOrchestration())
    return place;
  if (run.hasTasks) {
    place.task = task.number;
    place.taskName = task.name;
  }
  place.block = block;
  place.blocks = task.blocks;
  return place;
}

Flow Cluster::run() {
  bool alone = launch.clusters.size() == 1;
  ReportContext context = {alone ? &launch.run.reports : &reports, alone ? nullptr : &errors,
                           getPlace()};
  ReportContext::Scope scope(context);
  if (std::exchange(isNew, false))
    for (auto &core : cores)
      if (!core->begin())
        return flow = Flow::Fail;
  while (!isDone()) {
    int64_t before = steps, waiting = 0;
    for (auto &core : cores) {
      if (core->done)
        continue;
      context.place.core = coreName(core->number);
      flow = core->run();
      if (flow == Flow::Fail)
        return flow;
      waiting += flow == Flow::Wait;
    }
    // Each waiting core has tried one step; more means that something moved.
    if (waiting && steps - before == waiting)
      return flow = Flow::Wait;
  }
  context.place.core.clear();
  release();
  return flow = mlir::failed(order.finishCrossCore()) ? Flow::Fail : Flow::Return;
}

LogicalResult Cluster::check(Operation *op) {
  Run &run = launch.run;
  const RunOptions &options = run.options;
  int64_t all = run.steps + steps;
  if (options.stepLimit && all >= options.stepLimit)
    return emitError(op->getLoc())
           << "stopped after " << all << " steps, the limit of this run; does a loop not end?";
  nextCheck = steps + 2048;
  if (options.stepLimit)
    nextCheck = std::min(nextCheck, options.stepLimit - run.steps);
  if (launch.clusters.size() == 1) {
    if (options.goOn && !options.goOn())
      return emitError(op->getLoc()) << "interrupted";
    return success();
  }
  // Only the thread that the caller waits for asks it.
  if (launch.isMainThread() && options.goOn && !options.goOn())
    run.stopped = true;
  return failure(run.stopped);
}

void Cluster::print(StringRef text) {
  if (launch.clusters.size() == 1)
    launch.run.print(text);
  else
    printed += text;
}

void Cluster::forgetArrays() {
  shadows.clear();
  shadowOf.clear();
}

Shadow &Cluster::getShadow(Memory &memory) {
  Shadow *&shadow = shadowOf[&memory];
  if (!shadow) {
    shadows.push_back(
        {&memory, std::make_unique<Shadow>(memory.size, /*written=*/false, memory.history.get())});
    shadow = shadows.back().second.get();
  }
  return *shadow;
}

/// Nothing that this thread reports while it lives is told.
namespace {
struct Silence {
  explicit Silence(MLIRContext *context)
      : handler(context, [own = std::this_thread::get_id()](Diagnostic &) {
          return success(std::this_thread::get_id() == own);
        }) {}
  std::vector<Report> reports;
  ReportContext context{&reports, nullptr, {}};
  ReportContext::Scope scope{context};
  ScopedDiagnosticHandler handler;
};
} // namespace

Problem Cluster::findLaterWrite(const Missing &found) {
  if (missing.memory) // a core that goes on only for another one
    return {};
  missing = found;
  unsigned core = found.access.thread / kPipes;
  if (cores.size() == 1 || !launch.run.checks.has(Check::CoreRace) || launch.run.options.observer)
    return {};
  Silence silence(launch.task.op->getContext());
  // A second time, as one may have waited for the other.
  for (unsigned round = 0; round < 2; ++round)
    for (auto &other : cores)
      if (other->number != core && !other->done && other->run() == Flow::Fail)
        other->done = true;
  return getShadow(*found.memory).findWrite(found.bytes, epoch, core);
}

std::string Cluster::coreName(unsigned core) const {
  return order.getCores() == 1 ? "" : getCoreName(core).str();
}

std::string Cluster::coreWord(unsigned core) const {
  std::string word = coreName(core);
  if (word.empty())
    word = "the core";
  if (launch.clusters.size() > 1)
    word += " of block " + std::to_string(number);
  return word;
}

void Cluster::reportHang(std::optional<CheckError> &error) {
  for (auto &core : cores) {
    if (core->done)
      continue;
    Operation *op = core->getOperation();
    Site place = getPlace();
    place.core = coreName(core->number);
    place.op = op;
    if (error) {
      error->other(place, coreWord(core->number) + " waits here");
      continue;
    }
    error.emplace(Check::Hang, op);
    *error << coreWord(core->number) << " waits here for a signal that no core sends: "
           << "the kernel hangs";
    error->site() = place;
  }
  for (auto [core, part] : llvm::zip(cores, parts))
    if (core->done && error)
      error->note(part->code->func->getLoc(), coreWord(core->number) + " has ended");
}

//===----------------------------------------------------------------------===//
// A task
//===----------------------------------------------------------------------===//

Launch::Launch(Run &run, Task &task)
    : run(run), task(task), mainThread(std::this_thread::get_id()), signals(task.blocks) {
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
FailureOr<bool> Launch::evaluate() {
  const CheckSet &checks = run.checks;
  const Condition &condition = *task.condition;
  Memory &memory = *condition.view.array->memory;
  if (checks.has(Check::Uninitialized) && memory.history &&
      !memory.history->isDefined(condition.bytes, 0))
    return CheckError(Check::Uninitialized, task.op)
               .about(condition.name, condition.bytes.begin, condition.bytes.end)
           << "the condition reads an element of " << valueWord(condition.name)
           << " that nothing has written";
  // The read counts as the task's.
  if (memory.history) {
    auto isBefore = [&](uint32_t other) { return run.tasks.isBefore(other, task.number); };
    if (Conflict conflict = memory.history->touch(condition.bytes, {task.op, task.number}, false,
                                                  getRules(0, 0, isBefore)))
      return LogicalResult(report(conflict));
  }
  int32_t element;
  std::memcpy(&element, memory.data + condition.bytes.begin, sizeof(element));
  return holds(condition.compare, element, condition.value);
}

bool Launch::tell(Event event) {
  Observer *observer = run.options.observer;
  return !observer || !observer->wants(event) || observer->notify({event, *this});
}

LogicalResult Launch::execute() {
  if (task.condition) {
    ReportContext context = {&run.reports, nullptr, getPlace(0)};
    ReportContext::Scope scope(context);
    FailureOr<bool> goes = evaluate();
    if (failed(goes) || !*goes)
      return success(succeeded(goes));
  }
  if (!tell(Event::TaskBegins) || failed(start()) || failed(runClusters()))
    return failure();
  return success(tell(Event::TaskEnds));
}

LogicalResult Launch::runClusters() {
  if (joinsBlocks)
    return runRounds();
  if (clusters.size() > 1) {
    runBlocks();
    return finishBlocks();
  }
  Cluster &cluster = *clusters.front();
  Flow flow = cluster.run();
  run.steps += cluster.steps;
  if (flow == Flow::Wait)
    return reportHang();
  return success(flow == Flow::Return && succeeded(merge(cluster)));
}

/// Makes the blocks, each at its beginning.
LogicalResult Launch::start() {
  ProgramState &program = run.program;
  bool isKernel = task.parts[0].code->isKernel();
  if (isKernel) {
    program.uncheckedOrder |= !isFinal(task);
    program.lastCores.clear();
  }
  uint32_t epoch = program.epoch + 1;
  program.epoch += task.blocks;
  for (uint32_t block = 0; block < task.blocks; ++block) {
    Cluster &cluster =
        *clusters.emplace_back(std::make_unique<Cluster>(*this, block, epoch + block));
    if (joinsBlocks)
      cluster.order.join(block, signals);
    if (failed(cluster.start()))
      return failure();
    if (isKernel && block < ProgramState::kKept)
      for (auto &core : cluster.cores)
        program.lastCores.push_back({core->kind, &core->memory});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks on the host's cores
//===----------------------------------------------------------------------===//

/// Runs every block that is not done until it ends, waits or fails. The blocks in
/// front of the first one that fails all run, so that it is the same one each time.
void Launch::runBlocks() {
  std::vector<Cluster *> open;
  for (auto &cluster : clusters)
    if (cluster->flow == Flow::Wait)
      open.push_back(cluster.get());
  std::atomic<size_t> next{0};
  std::atomic<uint32_t> firstFailed{UINT32_MAX};
  std::mutex ending;
  std::condition_variable ended;
  size_t left = 0;
  auto work = [&] {
    for (size_t i = next++; i < open.size() && !run.stopped; i = next++)
      if (open[i]->number < firstFailed && open[i]->run() == Flow::Fail) {
        uint32_t first = firstFailed;
        while (open[i]->number < first &&
               !firstFailed.compare_exchange_weak(first, open[i]->number))
          ;
      }
  };
  // Errors of the threads wait for their turn.
  ScopedDiagnosticHandler keep(task.op->getContext(), [](Diagnostic &diagnostic) {
    ReportContext *context = ReportContext::current();
    if (!context || !context->errors)
      return failure();
    context->errors->push_back(std::move(diagnostic));
    return success();
  });
  std::vector<std::thread> threads;
  // Who watches wants one thread.
  size_t hosts = run.options.observer ? 1 : std::max(1u, std::thread::hardware_concurrency());
  left = std::min(hosts, open.size()) - 1;
  for (size_t i = 0, count = left; i < count; ++i)
    threads.emplace_back([&] {
      work();
      std::lock_guard<std::mutex> lock(ending);
      if (--left == 0)
        ended.notify_one();
    });
  work();
  std::unique_lock<std::mutex> lock(ending);
  while (!ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return left == 0; }))
    if (run.options.goOn && !run.options.goOn())
      run.stopped = true;
  lock.unlock();
  for (std::thread &thread : threads)
    thread.join();
}

/// What the blocks did, one after the other, as if they had run in this order.
LogicalResult Launch::finishBlocks() {
  if (run.stopped)
    return emitError(task.op->getLoc()) << "interrupted";
  for (auto &cluster : clusters) {
    run.steps += cluster->steps;
    if (run.options.stepLimit && run.steps > run.options.stepLimit)
      return emitError(task.op->getLoc())
             << "stopped after " << run.steps << " steps, the limit of this run";
    if (!cluster->printed.empty())
      run.print(cluster->printed);
    cluster->printed.clear();
    if (failed(joinsBlocks ? mergeRound(*cluster) : merge(*cluster)))
      return failure();
    if (cluster->flow == Flow::Fail)
      if (Conflict conflict = findWriter(*cluster))
        return report(conflict);
    for (Diagnostic &error : cluster->errors)
      task.op->getContext()->getDiagEngine().emit(std::move(error));
    llvm::append_range(run.reports, cluster->reports);
    if (cluster->flow == Flow::Fail)
      return failure();
    if (cluster->flow == Flow::Wait && !joinsBlocks)
      return reportHang();
  }
  return success();
}

/// Blocks that signal one another: they run as far as they can, then the signals
/// are handed over.
LogicalResult Launch::runRounds() {
  while (true) {
    int64_t before = 0, after = 0;
    bool open = false, sent = false;
    int64_t steps = run.steps;
    for (auto &cluster : clusters)
      before += cluster->steps;
    runBlocks();
    run.steps = steps;
    if (failed(finishBlocks()))
      return failure();
    for (auto &cluster : clusters) {
      after += cluster->steps;
      open |= cluster->flow == Flow::Wait;
      for (const BlockSignals::Signal &signal : cluster->order.sent)
        signals.publish(signal);
      sent |= !cluster->order.sent.empty();
      cluster->order.sent.clear();
    }
    if (!open)
      return success();
    run.steps = steps;
    // Each core that waits has tried one step in vain.
    int64_t waiting = 0;
    for (auto &cluster : clusters)
      for (auto &core : cluster->cores)
        waiting += !core->done;
    if (!sent && after - before <= waiting)
      return reportHang();
  }
}

LogicalResult Launch::reportHang() {
  ReportContext context = {&run.reports, nullptr, {}};
  ReportContext::Scope scope(context);
  std::optional<CheckError> error;
  for (auto &cluster : clusters)
    if (cluster->flow == Flow::Wait)
      cluster->reportHang(error);
  return failure();
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

MergeRules Launch::getRules(uint32_t block, uint32_t epoch,
                            llvm::function_ref<bool(uint32_t)> isBefore) const {
  bool tasks = run.checks.has(Check::TaskConflict) && run.tasks.isOrderKnown();
  bool blocks = run.checks.has(Check::BlockConflict) && task.blocks > 1 && !joinsBlocks;
  if (!tasks)
    isBefore = nullptr;
  uint8_t cores = isCluster(task) ? kCores : 1;
  return {task.number, block, epoch, cores, blocks, isBefore};
}

LogicalResult Launch::merge(Cluster &cluster) {
  auto isBefore = [&](uint32_t other) { return run.tasks.isBefore(other, task.number); };
  for (auto &[memory, shadow] : cluster.shadows)
    if (Conflict conflict =
            memory->history->merge(*shadow, getRules(cluster.number, cluster.epoch, isBefore)))
      return report(conflict);
  cluster.forgetArrays();
  return success();
}

Conflict Launch::findWriter(Cluster &reader) {
  const Cluster::Missing &missing = reader.missing;
  if (!missing.memory || !run.checks.has(Check::BlockConflict) || run.options.observer)
    return {};
  uint8_t cores = isCluster(task) ? kCores : 1;
  Touch read = {missing.access.op, task.number, reader.number, missing.access.thread, cores};
  // Those in front of it are in the history; those behind it have not all run.
  if (Conflict found = missing.memory->history->findWrite(missing.bytes, read))
    return found;
  Silence silence(task.op->getContext());
  for (auto &cluster : clusters) {
    if (cluster->number <= reader.number)
      continue;
    if (cluster->flow == Flow::Wait)
      cluster->run();
    Problem write =
        cluster->getShadow(*missing.memory).findWrite(missing.bytes, cluster->epoch, kCores);
    if (write)
      return {write.bytes,
              read,
              {write.other.op, task.number, cluster->number, write.other.thread, cores},
              false,
              true};
  }
  return {};
}

static bool isKnown(const KnowledgePtr &known, uint32_t block, const Access &access) {
  if (!known)
    return false;
  auto it = known->find(block);
  return it != known->end() && it->second[access.thread] >= access.index;
}

LogicalResult Launch::mergeRound(Cluster &cluster) {
  auto isBefore = [&](uint32_t other) { return run.tasks.isBefore(other, task.number); };
  MergeRules rules = getRules(cluster.number, cluster.epoch, isBefore);
  auto toTouch = [&](uint32_t block, const Access &access) {
    return Touch{access.op, task.number, block, access.thread, rules.cores};
  };
  for (const Cluster::ArrayAccess &now : cluster.accesses) {
    auto &map = rounds[now.memory];
    if (!map)
      map = std::make_unique<ByteMap<RoundState>>(now.memory->size, RoundState());
    auto touchPiece = [&](int64_t index, uint32_t begin, uint32_t end, int64_t base) -> Conflict {
      auto &chunk = map->getChunk(index);
      auto [first, last] = map->isolate(chunk, begin, end);
      for (size_t i = first; i < last; ++i) {
        RoundState &state = chunk[i];
        ByteRange bytes = {base + chunk[i].begin, base + chunk[i].end};
        auto isBad = [&](const RoundState::Entry &entry) {
          return entry.block != cluster.number && run.checks.has(Check::BlockConflict) &&
                 !isKnown(now.known, entry.block, entry.access);
        };
        Touch touch = toTouch(cluster.number, now.access);
        if (state.write && isBad(*state.write))
          return {bytes, toTouch(state.write->block, state.write->access), touch, true, now.writes};
        for (const RoundState::Entry &read : state.reads)
          if (now.writes && isBad(read))
            return {bytes, toTouch(read.block, read.access), touch, false, true};
        llvm::erase_if(state.reads, [&](const RoundState::Entry &read) {
          return now.writes || read.block == cluster.number ||
                 isKnown(now.known, read.block, read.access);
        });
        if (now.writes)
          state.write = {cluster.number, now.access};
        else
          state.reads.push_back({cluster.number, now.access});
      }
      return {};
    };
    for (ByteRange range : now.ranges) {
      Conflict conflict = ByteMap<RoundState>::findProblem(range, touchPiece);
      if (!conflict)
        conflict = now.memory->history->touch(range, toTouch(cluster.number, now.access),
                                              now.writes, rules);
      if (conflict)
        return report(conflict);
    }
  }
  cluster.accesses.clear();
  return success();
}

Site Launch::placeOf(const Touch &touch) const {
  Site site;
  site.op = touch.op;
  site.task = touch.task;
  site.taskName = run.tasks.getName(touch.task).str();
  site.block = touch.block;
  site.schedule = run.scheduleName;
  if (touch.cores > 1)
    site.core = getCoreName(touch.thread / kPipes).str();
  site.pipe = pipeWord(static_cast<Pipe>(touch.thread % kPipes));
  return site;
}

LogicalResult Launch::report(const Conflict &conflict) {
  ReportContext context = {&run.reports, nullptr, {}};
  ReportContext::Scope scope(context);
  // In the order of submission, whoever ran first.
  bool inOrder = conflict.before.task <= conflict.now.task;
  const Touch &first = inOrder ? conflict.before : conflict.now;
  const Touch &second = inOrder ? conflict.now : conflict.before;
  bool firstWrites = inOrder ? conflict.beforeWrites : conflict.nowWrites;
  bool secondWrites = inOrder ? conflict.nowWrites : conflict.beforeWrites;
  auto fill = [&](Site site, const Touch &touch, bool writes) {
    site.variable = findOperand({touch.op, 0, 0, 0}, writes);
    site.space = "DDR";
    site.begin = conflict.bytes.begin, site.end = conflict.bytes.end;
    site.writes = writes;
    return site;
  };
  bool blocks = first.task == second.task;
  auto word = [&](const Touch &touch) {
    return blocks ? "block " + std::to_string(touch.block) : run.tasks.taskWord(touch.task);
  };
  Site place = fill(placeOf(second), second, secondWrites);
  Site otherPlace = fill(placeOf(first), first, firstWrites);
  if (blocks)
    place.blocks = otherPlace.blocks = task.blocks;
  CheckError error(blocks ? Check::BlockConflict : Check::TaskConflict, second.op);
  error.site() = place;
  error << (secondWrites ? "writes" : "reads");
  if (place.variable)
    error << " " << valueWord(place.variable);
  error << ", bytes " << conflict.bytes.begin << " to " << conflict.bytes.end - 1
        << " of its array, which " << word(first) << (firstWrites ? " writes" : " reads")
        << ", and nothing orders the two: ";
  if (blocks) {
    error << "blocks of a task run at the same time; give each its own bytes, or order them with "
             "pto.block.cross_core_set and cross_core_wait in mode 0";
    error.fix("pto.block.cross_core_set and cross_core_wait in mode 0");
  } else {
    error << "no path of edges leads from " << word(first) << " to " << word(second)
          << "; put the token of one into deps= of the other, or of one between them";
    error.fix("deps= of " + word(second) + " with the token of " + word(first));
    error.note(run.tasks.getOperation(first.task)->getLoc(), word(first) + " is submitted here");
    error.note(run.tasks.getOperation(second.task)->getLoc(), word(second) + " is submitted here");
  }
  error.other(otherPlace,
              operationWord(first.op) + ": the " + (firstWrites ? "write" : "read") + " is here");
  return error;
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

CoreMemory &ClusterMemory::get(unsigned core) {
  if (!cores[core])
    cores[core] = std::make_unique<CoreMemory>(target, checked);
  return *cores[core];
}

ClusterMemory *ProgramState::acquire(uint32_t number) {
  std::lock_guard<std::mutex> lock(acquiring);
  if (number < kKept) {
    while (kept.size() <= number)
      kept.push_back(std::make_unique<ClusterMemory>(*target, checks.keepsSpaces()));
    return kept[number].get();
  }
  if (free.empty()) {
    others.push_back(std::make_unique<ClusterMemory>(*target, checks.keepsSpaces()));
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
