//===- Conflicts.cpp - What blocks and tasks did to one another ---------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// When blocks have run, what each did with arrays is compared with the others of its
// task, and with the tasks before and beside it, in block order.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Launch.h"
#include "Tensor/TensorOps.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

MergeRules Launch::getRules(uint32_t block, uint32_t epoch,
                            llvm::function_ref<bool(uint32_t)> isBefore) const {
  bool tasks = run.checks.has(Check::TaskConflict) && run.tasks.isOrderKnown();
  bool blocks = run.checks.has(Check::BlockConflict) && task.blocks > 1 && !joinsBlocks;
  if (!tasks)
    isBefore = nullptr;
  uint8_t cores = task.isCluster() ? kCores : 1;
  return {task.number, block, epoch, cores, blocks, isBefore};
}

/// A line of the data cache is written out as a whole: blocks that nothing orders write
/// elements of different ones.
LogicalResult Launch::mergeLines(Cluster &cluster) {
  if (!cluster.caches || task.blocks == 1 || !run.checks.has(Check::DataCache))
    return success();
  for (auto [memory, number, op] : cluster.caches->getLines()) {
    auto [it, isNew] = lineWriters.try_emplace({memory, number}, cluster.number, op);
    if (isNew)
      continue;
    auto [block, other] = it->second;
    ReportContext context = {&run.reports, nullptr, getPlace(cluster.number)};
    ReportContext::Scope scope(context);
    CheckError error(Check::DataCache, op);
    error.about(findOperand({op, 0, 0, 0}, /*writes=*/true), number * DataCaches::kLine,
                (number + 1) * DataCaches::kLine);
    error << "block " << block << " and block " << cluster.number
          << " write elements of one line of " << DataCaches::kLine << " bytes of "
          << arrayWord(*memory)
          << ": each writes out all of it, so that one of them is lost; keep what blocks write so "
             "far apart, or store tiles";
    Site site = error.site();
    site.op = other;
    site.block = block;
    error.other(std::move(site), operationWord(other) + ": the other write is here");
    return error;
  }
  return success();
}

LogicalResult Launch::merge(Cluster &cluster) {
  if (!run.hasTasks && task.blocks == 1) // nobody comes after it
    return success();
  if (failed(mergeLines(cluster)))
    return failure();
  auto isBefore = [&](uint32_t other) { return run.tasks.isBefore(other, task.number); };
  for (auto &[memory, shadow] : cluster.shadows)
    if (Conflict conflict =
            memory->history->merge(*shadow, getRules(cluster.number, cluster.epoch, isBefore)))
      return report(conflict, *memory);
  cluster.forgetArrays();
  return success();
}

/// Whether a core with this knowledge knows that the access is done.
static bool isKnown(const KnowledgePtr &known, uint32_t block, const Access &access) {
  if (!known)
    return false;
  auto it = known->find(block);
  return it != known->end() && it->second[access.thread] >= access.index;
}

/// Brings one access to bytes to what the blocks did with them before; the entry
/// that nothing orders against it, if there is one.
static std::optional<std::pair<Launch::RoundState::Entry, bool>>
touchState(Launch::RoundState &state, uint32_t block, const Cluster::ArrayAccess &now) {
  auto isBad = [&](const Launch::RoundState::Entry &entry) {
    return entry.block != block && !isKnown(now.known, entry.block, entry.access);
  };
  if (state.write && isBad(*state.write))
    return std::pair(*state.write, true);
  bool adds = now.access.operand == kAdds, writes = now.writes && !adds;
  for (const Launch::RoundState::Entry &read : state.reads) {
    bool added = read.access.operand == kAdds;
    if ((writes || added != adds) && isBad(read))
      return std::pair(read, added);
  }
  llvm::erase_if(state.reads, [&](const Launch::RoundState::Entry &read) {
    return writes || isKnown(now.known, read.block, read.access) ||
           (read.block == block && (read.access.operand == kAdds) == adds);
  });
  if (writes)
    state.write = {block, now.access};
  else
    state.reads.push_back({block, now.access});
  return std::nullopt;
}

Conflict Launch::touchRound(uint32_t block, const Cluster::ArrayAccess &now, ByteRange range,
                            uint8_t cores) {
  auto &map = rounds[now.memory];
  if (!map)
    map = std::make_unique<ByteMap<RoundState>>(now.memory->size, RoundState());
  auto toTouch = [&](uint32_t of, const Access &access) {
    return Touch{access.op, task.number, of, access.thread, cores};
  };
  auto touchPiece = [&](int64_t index, uint32_t begin, uint32_t end, int64_t base) -> Conflict {
    auto &chunk = map->getChunk(index);
    auto [first, last] = map->isolate(chunk, begin, end);
    for (size_t i = first; i < last; ++i)
      if (auto other = touchState(chunk[i], block, now))
        return {{base + chunk[i].begin, base + chunk[i].end},
                toTouch(other->first.block, other->first.access),
                toTouch(block, now.access),
                other->second,
                now.writes};
    return {};
  };
  return ByteMap<RoundState>::findProblem(range, touchPiece);
}

LogicalResult Launch::mergeRound(Cluster &cluster) {
  auto isBefore = [&](uint32_t other) { return run.tasks.isBefore(other, task.number); };
  MergeRules rules = getRules(cluster.number, cluster.epoch, isBefore);
  for (const Cluster::ArrayAccess &now : cluster.accesses)
    for (ByteRange range : now.ranges) {
      Conflict conflict;
      if (run.checks.has(Check::BlockConflict))
        conflict = touchRound(cluster.number, now, range, rules.cores);
      if (!conflict)
        conflict = now.memory->history->touch(range,
                                              {now.access.op, task.number, cluster.number,
                                               now.access.thread, rules.cores,
                                               now.access.operand == kAdds},
                                              now.writes && now.access.operand != kAdds, rules);
      if (conflict)
        return report(conflict, *now.memory);
    }
  cluster.accesses.clear();
  return success();
}

//===----------------------------------------------------------------------===//
// Bytes that are not there yet
//===----------------------------------------------------------------------===//

/// Nothing that this thread reports while it lives is told, but for one race between cores
/// that may be kept.
namespace {
struct Silence {
  explicit Silence(MLIRContext *context,
                   std::optional<std::pair<Location, std::string>> *race = nullptr)
      : handler(context, [own = std::this_thread::get_id(), race](Diagnostic &diagnostic) {
          if (std::this_thread::get_id() != own)
            return failure();
          std::string text = diagnostic.str();
          if (race && !*race && StringRef(text).contains("[core_race"))
            race->emplace(diagnostic.getLocation(), text);
          return success();
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
  Silence silence(launch.task.op->getContext(), &suspected);
  // A second time, as one may have waited for the other.
  for (unsigned round = 0; round < 2; ++round)
    for (auto &other : cores)
      if (other->number != core && !other->done && other->run() == Flow::Fail)
        other->done = true;
  return getShadow(*found.memory).findWrite(found.bytes, epoch, core);
}

Conflict Launch::findWriter(Cluster &reader) {
  const Cluster::Missing &missing = reader.missing;
  if (!missing.memory || !missing.memory->history || !run.checks.has(Check::BlockConflict) ||
      run.options.observer)
    return {};
  uint8_t cores = task.isCluster() ? kCores : 1;
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

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

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

Site Launch::makeSite(const Conflict &conflict, const Touch &touch, bool writes) const {
  Site site = placeOf(touch);
  site.variable = findOperand({touch.op, 0, 0, 0}, writes);
  site.space = "DDR";
  site.begin = conflict.bytes.begin, site.end = conflict.bytes.end;
  site.writes = writes;
  if (conflict.before.task == conflict.now.task)
    site.blocks = task.blocks;
  return site;
}

/// What would order the two, in the order of submission.
void Launch::explain(CheckError &error, const Touch &first, const Touch &second) const {
  if (first.task == second.task) {
    error << "blocks of a task run at the same time; give each its own bytes, or order them with "
             "pl.system.syncall (pto.block.cross_core_set and cross_core_wait in mode 0)";
    error.fix("pl.system.syncall");
    return;
  }
  std::string earlier = run.tasks.taskWord(first.task), later = run.tasks.taskWord(second.task);
  error << "no path of edges leads from " << earlier << " to " << later
        << "; put the token of one into deps= of the other, or of one between them";
  error.fix("deps= of " + later + " with the token of " + earlier);
  error.note(run.tasks.getOperation(first.task)->getLoc(), earlier + " is submitted here");
  error.note(run.tasks.getOperation(second.task)->getLoc(), later + " is submitted here");
}

/// What the orchestration calls an array of this task.
std::string Launch::arrayWord(const Memory &memory) const {
  auto find = [&](Value name) -> std::string {
    while (auto slice = name.getDefiningOp<TensorSliceOp>())
      name = slice.getSource();
    StringRef known = nameOf(name);
    return known.empty() ? "its array" : ("'" + known + "'").str();
  };
  for (const Part &part : task.parts)
    for (auto [slot, name] : llvm::zip(part.arguments, part.names))
      if (slot.kind == SlotKind::Array &&
          part.frame.arrays[slot.index].array->memory.get() == &memory)
        return find(name);
  if (task.condition && task.condition->view.array->memory.get() == &memory)
    return find(task.condition->name);
  return "its array";
}

/// An argument has a name in the kernel and another one where the task is submitted.
void Launch::noteArgument(CheckError &error, Value name) const {
  auto argument = dyn_cast_or_null<BlockArgument>(name);
  if (!argument || task.isOrchestration() || task.parts.size() != 1 ||
      !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return;
  const Part &part = task.parts.front();
  unsigned index = argument.getArgNumber();
  std::string note = run.tasks.taskWord(task.number) + " is submitted here";
  if (index < part.names.size() && !nameOf(part.names[index]).empty() && !nameOf(name).empty())
    note += ", with " + valueWord(part.names[index]) + " as '" + nameOf(name).str() + "'";
  error.note(part.op->getLoc(), note);
}

LogicalResult Launch::report(const Conflict &conflict, const Memory &memory) {
  ReportContext context = {&run.reports, nullptr, {}};
  ReportContext::Scope scope(context);
  // In the order of submission, whoever ran first.
  bool inOrder = conflict.before.task <= conflict.now.task;
  const Touch &first = inOrder ? conflict.before : conflict.now;
  const Touch &second = inOrder ? conflict.now : conflict.before;
  bool firstWrites = inOrder ? conflict.beforeWrites : conflict.nowWrites;
  bool secondWrites = inOrder ? conflict.nowWrites : conflict.beforeWrites;
  bool blocks = first.task == second.task;
  CheckError error(blocks ? Check::BlockConflict : Check::TaskConflict, second.op);
  error.site() = makeSite(conflict, second, secondWrites);
  error << (secondWrites ? "writes" : "reads");
  if (Value variable = error.site().variable)
    error << " " << valueWord(variable);
  error << ", bytes " << conflict.bytes.begin << " to " << conflict.bytes.end - 1 << " of "
        << arrayWord(memory) << ", which "
        << (blocks ? "block " + std::to_string(first.block) : run.tasks.taskWord(first.task))
        << (firstWrites ? " writes" : " reads") << ", and nothing orders the two: ";
  explain(error, first, second);
  error.other(makeSite(conflict, first, firstWrites),
              operationWord(first.op) + ": the " + (firstWrites ? "write" : "read") + " is here");
  return error;
}
