//===- Launch.cpp - The blocks of a task -------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Launch.h"
#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Reference/Compute.h"
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

static bool isFinal(const Task &task) {
  return llvm::all_of(task.parts, [](const Part &part) { return part.code->isFinal; });
}

Cluster::Cluster(Launch &launch, uint32_t number, uint32_t epoch)
    : launch(launch), number(number), epoch(epoch),
      order(launch.task.isCluster() ? kCores : 1, isFinal(launch.task), launch.run.checks) {
  if (launch.run.profile && launch.task.parts[0].code->isKernel())
    order.timeline = launch.run.profile->getTimeline(launch.task.number, number);
}

Cluster::~Cluster() { release(); }

void Cluster::release() {
  if (memory)
    launch.run.program.release(number, memory);
  for (auto &core : cores)
    core->forget();
  memory = nullptr;
}

void Cluster::add(const Part &part, unsigned core, CoreKind kind, int64_t subblock) {
  cores.push_back(std::make_unique<Core>(*this, core, kind, memory->get(core)));
  cores.back()->subblock = subblock;
  parts.push_back(&part);
}

LogicalResult Cluster::start() {
  isNew = false;
  memory = launch.run.program.acquire(number);
  for (const Part &part : launch.task.parts) {
    FunctionKind kind = part.code->kind;
    bool group = kind == FunctionKind::Group;
    if (group || part.core == CoreKind::AIC)
      add(part, 0, CoreKind::AIC, 0);
    if (group || part.core == CoreKind::AIV) {
      add(part, 1, CoreKind::AIV, 0);
      add(part, 2, CoreKind::AIV, 1);
    }
    if (!group && !part.core)
      add(part, 0, kind == FunctionKind::AIC ? CoreKind::AIC : CoreKind::AIV, 0);
  }
  for (auto [core, part] : llvm::zip(cores, parts))
    if (mlir::failed(
            core->enter(*part->code, &part->frame, part->arguments, launch.task.results, part->op)))
      return failure();
  if (llvm::any_of(parts, [](const Part *part) { return part->code->usesDataCache; }))
    caches.emplace();
  for (auto &core : cores)
    if (!core->begin())
      return failure();
  return success();
}

bool Cluster::isDone() const {
  return !isNew &&
         llvm::all_of(cores, [](const std::unique_ptr<Core> &core) { return core->done; });
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
  if (isNew && mlir::failed(start()))
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

/// Which signal a core waits for, and who does not send it.
std::string Cluster::describeWait(const Core &core) {
  Operation *op = core.getOperation();
  if (isa<BlockSyncAllOp>(op))
    return "a barrier to which all cores come, and not all do";
  auto wait = dyn_cast<BlockCrossCoreWaitOp>(op);
  if (!wait)
    return "";
  int64_t mode = wait.getMode();
  std::string flag =
      "cross-core flag " + std::to_string(core.signalId) + " in mode " + std::to_string(mode);
  std::string missing = order.getMissing(core.number, core.signalId, mode);
  if (mode == 0 || missing.empty())
    return flag + (mode == 0 ? ", which not every core of its kind sets" : "");
  bool several = StringRef(missing).contains(" and ");
  return flag + ", which " + missing + (several ? " do" : " does") + " not set";
}

void Cluster::reportHang(std::optional<CheckError> &error) {
  // A full ring comes first: who waits for tiles may do so because of it.
  SmallVector<Core *> waiting;
  for (bool full : {true, false})
    for (auto &core : cores)
      if (!core->done && isa<BlockQueuePushOp>(core->getOperation()) == full)
        waiting.push_back(core.get());
  for (Core *core : waiting) {
    Operation *op = core->getOperation();
    Site place = getPlace();
    place.core = coreName(core->number);
    place.op = op;
    std::string wait = describeWait(*core);
    if (error) {
      error->other(place,
                   coreWord(core->number) + " waits here" + (wait.empty() ? "" : ", for " + wait));
      continue;
    }
    bool pushes = isa<BlockQueuePushOp>(op), pops = isa<BlockQueuePopOp>(op);
    error.emplace(pushes ? Check::QueueOverrun : pops ? Check::QueueUnderrun : Check::Hang, op);
    *error << coreWord(core->number) << " waits here for a "
           << (pushes ? "slot of the ring that no core frees"
               : pops ? "tile that no core pushes"
                      : "signal that no core sends")
           << ": the kernel hangs" << (wait.empty() ? "" : "; it is ") << wait;
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
    joinsBlocks |= part.code->joinsBlocks, adds |= part.code->adds;
  joinsBlocks &= task.blocks > 1;
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
      return LogicalResult(report(conflict, memory));
  }
  int32_t element;
  std::memcpy(&element, memory.data + condition.bytes.begin, sizeof(element));
  return holds<int64_t>(condition.compare, element, condition.value);
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
  CoresOfBlock cores = task.isCluster()                                ? CoresOfBlock::Cluster
                       : task.parts[0].code->kind == FunctionKind::AIC ? CoresOfBlock::Cube
                                                                       : CoresOfBlock::Vector;
  coresAtOnce = run.profile->start(task.number, cores, task.blocks);
  return success();
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
  if (!tell(Event::TaskBegins))
    return failure();
  if (run.profile && task.parts[0].code->isKernel() && failed(startProfile()))
    return failure();
  makeClusters();
  LogicalResult result = runClusters();
  keepCores();
  return success(succeeded(result) && tell(Event::TaskEnds));
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

void Launch::makeClusters() {
  ProgramState &program = run.program;
  uint32_t epoch = program.epoch + 1;
  program.epoch += task.blocks;
  for (uint32_t block = 0; block < task.blocks; ++block) {
    clusters.push_back(std::make_unique<Cluster>(*this, block, epoch + block));
    if (joinsBlocks)
      clusters.back()->order.join(block, signals);
  }
}

/// The memories of a kernel's cores may be looked at when it has ended.
void Launch::keepCores() {
  ProgramState &program = run.program;
  if (!task.parts[0].code->isKernel())
    return;
  program.uncheckedOrder |= !isFinal(task);
  program.lastCores.clear();
  for (auto &cluster : clusters)
    for (auto &core : cluster->cores)
      if (cluster->number < ProgramState::kKept)
        program.lastCores.push_back({core->kind, &core->memory});
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
  // Who watches wants one thread, and sums of floats one order.
  size_t hosts =
      run.options.observer || adds ? 1 : std::max(1u, std::thread::hardware_concurrency());
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
        return report(conflict, *cluster->missing.memory);
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

/// Blocks that wait for one another are all on cores at once, or some never begin.
LogicalResult Launch::checkCores() const {
  const TargetInfo &target = *run.program.target;
  bool vector = !task.isCluster() && task.parts[0].code->kind == FunctionKind::AIV;
  int64_t cores = vector ? target.vectorCores : target.cubeCores;
  if (task.blocks <= cores)
    return success();
  return CheckError(Check::Hang, task.op)
         << task.blocks << " blocks wait for one another, and " << target.name << " has " << cores
         << (task.isCluster() ? " clusters" : " cores")
         << " for them: those that do not fit never begin";
}

/// Blocks that signal one another: they run as far as they can, then the signals
/// are handed over.
LogicalResult Launch::runRounds() {
  if (failed(checkCores()))
    return failure();
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
