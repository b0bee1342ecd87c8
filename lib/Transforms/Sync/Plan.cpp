//===- Plan.cpp - Which flags and barriers a kernel needs -----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Sync/Plan.h"
#include "Pto/Words.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::sync;

static unsigned number(Pipe pipe) { return static_cast<unsigned>(pipe); }

//===----------------------------------------------------------------------===//
// Running the kernel
//===----------------------------------------------------------------------===//

/// Entries of an instruction or a wait: one for each loop around it, and one
/// for this iteration.
void Planner::addEntries(Item *item, Pipe pipe, unsigned depth, int sync) {
  for (unsigned carried = 0; carried <= depth; ++carried) {
    ofPipe[number(pipe)].set(entries.size());
    entries.push_back({item, carried, sync, pipe});
  }
}

void Planner::issueEntry(unsigned entry, State &state) const {
  // The scalar unit ends one instruction before it begins the next.
  bool inOrder = entries[entry].pipe == Pipe::S;
  for (unsigned pipe = 0; pipe < kPipes; ++pipe)
    if (usedPipes >> pipe & 1 && !(inOrder && pipe == number(Pipe::S)))
      state.pending[pipe].set(entry);
  for (auto &[sync, message] : state.flags)
    message.set(entry);
}

void Planner::set(unsigned n, State &state) {
  const Sync &sync = syncs[n];
  const Entries &pending = state.pending[number(sync.src)];
  if (checkingReuse) {
    for (unsigned i = 0; i <= sync.sink->loops.size(); ++i)
      if (pending.test(sync.entry + i)) {
        fixReuse(n);
        break;
      }
  }
  if (clashes)
    recordClashes(n, state);
  state.flags[n] = getWithout(pending, sync.src);
}

void Planner::wait(unsigned n, State &state) {
  const Sync &sync = syncs[n];
  auto flag = state.flags.find(n);
  // While the plan grows, a token may be waited for that this walk never primed.
  if (flag == state.flags.end())
    return;
  state.pending[number(sync.dst)] &= flag->second;
  state.flags.erase(flag);
  issueEntry(sync.entry + sync.sink->loops.size(), state);
}

void Planner::barrier(const Sync &sync, State &state) const {
  if (sync.dst == Pipe::ALL) {
    for (Entries &pending : state.pending)
      pending.clear();
    return;
  }
  Entries &pending = state.pending[number(sync.dst)];
  pending = getWithout(pending, sync.dst);
}

/// The entries that are not of the pipe.
Entries Planner::getWithout(const Entries &from, Pipe pipe) const {
  Entries rest;
  // Mostly there are few, at the end of a long program: do not begin at its start.
  if (from.count() > 32) {
    rest.intersectWithComplement(from, ofPipe[number(pipe)]);
    return rest;
  }
  for (unsigned e : from)
    if (entries[e].pipe != pipe)
      rest.set(e);
  return rest;
}

/// What the entries are one iteration later.
Entries Planner::shift(const Entries &from, const Item &loop) const {
  Entries result;
  unsigned depth = loop.loops.size();
  for (unsigned e : from) {
    const Entry &entry = entries[e];
    bool inside = entry.item->loops.size() > depth && entry.item->loops[depth] == &loop;
    result.set(inside && entry.carried > depth ? e - (entry.carried - depth) : e);
  }
  return result;
}

Planner::State Planner::shift(const State &state, const Item &loop) const {
  State result;
  for (unsigned pipe = 0; pipe < kPipes; ++pipe)
    result.pending[pipe] = shift(state.pending[pipe], loop);
  for (auto &[sync, message] : state.flags)
    result.flags[sync] = shift(message, loop);
  return result;
}

bool Planner::unite(State &into, const State &from) {
  bool grown = false;
  for (unsigned pipe = 0; pipe < kPipes; ++pipe)
    grown |= into.pending[pipe] |= from.pending[pipe];
  for (auto &[sync, message] : from.flags) {
    auto [flag, added] = into.flags.try_emplace(sync, message);
    grown |= added || (flag->second |= message);
  }
  return grown;
}

/// Remembers what each pipe of the item knows behind it, for flags that turn
/// out to be needed later.
void Planner::keepSnapshot(Item &item, const State &state) {
  if (!fixing)
    return;
  auto &snapshot = snapshots[item.position];
  snapshot.clear();
  for (unsigned pipe = 0; pipe < kPipes; ++pipe)
    if (item.pipes >> pipe & 1)
      snapshot.push_back({pipe, state.pending[pipe]});
}

Planner::Next Planner::walkBlock(Block &block, State &state) {
  for (Item *item : block.items) {
    for (unsigned n : item->primes)
      set(n, state);
    std::optional<State> saved;
    if (fixing && item->kind != Item::Instruction)
      saved = state;
    while (true) {
      size_t known = item->before.size();
      for (size_t i = 0; i < known; ++i) {
        const Sync &sync = syncs[item->before[i]];
        sync.kind == Sync::Barrier ? barrier(sync, state) : wait(item->before[i], state);
      }
      if (walkItem(*item, state) == Next::Go)
        break;
      if (again != &block || !saved)
        return Next::Again;
      // Something was put before the item: go back there.
      state = *saved;
      for (size_t i = known; i < item->before.size(); ++i) {
        const Sync &sync = syncs[item->before[i]];
        if (sync.kind != Sync::Barrier)
          state.flags[item->before[i]] = getRest(sync, state.pending[number(sync.dst)]);
      }
      saved = state;
    }
    for (unsigned n : item->drains)
      wait(n, state);
    keepSnapshot(*item, state);
    for (unsigned n : item->after)
      set(n, state);
  }
  return Next::Go;
}

Planner::Next Planner::walkItem(Item &item, State &state) {
  switch (item.kind) {
  case Item::Instruction:
    return issue(item, state);
  case Item::For:
    return walkLoop(item, state);
  case Item::If:
    return walkBranch(item, state);
  }
  return Next::Go;
}

/// The first iteration, then the others until nothing new can be pending.
Planner::Next Planner::walkLoop(Item &item, State &state) {
  std::optional<int64_t> trips = item.loop.trips;
  if (trips == 0)
    return Next::Go;
  State none = state;
  Block &body = *item.blocks.front();
  if (walkBlock(body, state) == Next::Again)
    return Next::Again;
  if (!trips || *trips > 1) {
    State head = shift(state, item), rest;
    while (true) {
      State iteration = head;
      if (walkBlock(body, iteration) == Next::Again)
        return Next::Again;
      unite(rest, iteration);
      if (!unite(head, shift(iteration, item)))
        break;
    }
    if (trips)
      state = std::move(rest);
    else
      unite(state, rest);
  }
  if (!trips && !item.loop.runs)
    unite(state, none);
  return Next::Go;
}

Planner::Next Planner::walkBranch(Item &item, State &state) {
  State otherwise = state;
  if (walkBlock(*item.blocks[0], state) == Next::Again ||
      walkBlock(*item.blocks[1], otherwise) == Next::Again)
    return Next::Again;
  unite(state, otherwise);
  return Next::Go;
}

Planner::Next Planner::issue(Item &item, State &state) {
  SmallVector<Hazard> hazards = findHazards(item, state);
  if (!hazards.empty()) {
    missing = true;
    if (!fixing) {
      firstMissing = hazards.front();
      again = nullptr;
      return Next::Again; // the end of this walk
    }
    if (fix(item, state, hazards) == Next::Again)
      return Next::Again;
  }
  issueEntry(item.entry + item.loops.size(), state);
  return Next::Go;
}

//===----------------------------------------------------------------------===//
// Finding what is missing
//===----------------------------------------------------------------------===//

SmallVector<Planner::Hazard> Planner::findHazards(Item &item, const State &state) {
  SmallVector<Hazard> hazards;
  const Entries &pending = state.pending[number(item.pipe)];
  if (pending.empty())
    return hazards;
  Entries candidates;
  for (const Access &access : item.accesses) {
    Entries touching = pending;
    touching &= ofRoot[access.root];
    candidates |= touching;
  }
  for (unsigned e : candidates) {
    const Entry &entry = entries[e];
    uint64_t key = uint64_t(e) << 32 | item.position;
    auto [known, added] = knownConflicts.try_emplace(key, false);
    if (added)
      known->second = program.getConflict(entry.item, &item, entry.carried).has_value();
    if (known->second)
      hazards.push_back(locate(item, e));
  }
  return hazards;
}

/// The item and those around it, outermost first.
static SmallVector<Item *, 4> getChain(Item *item) {
  SmallVector<Item *, 4> chain;
  for (; item; item = item->parent->owner)
    chain.push_back(item);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// The place for a sync between two instructions: the innermost block with both
/// when they are of one iteration; else the body of the loop between whose
/// iterations they stand, or a branch in it.
Planner::Hazard Planner::locate(Item &sink, unsigned e) const {
  const Entry &entry = entries[e];
  SmallVector<Item *, 4> a = getChain(entry.item), b = getChain(&sink);
  bool carried = entry.carried < Program::countCommonLoops(entry.item, &sink);
  size_t level = 0;
  if (carried)
    level = llvm::find(b, sink.loops[entry.carried]) - b.begin() + 1;
  auto deeper = [&] {
    return a[level] == b[level] && (!carried || a[level]->kind == Item::If) &&
           level + 1 < a.size() && level + 1 < b.size() &&
           a[level + 1]->parent == b[level + 1]->parent;
  };
  while (deeper())
    ++level;
  return {e, a[level], b[level], carried, &sink};
}

Sync Planner::propose(const Hazard &hazard) const {
  Sync sync;
  sync.src = entries[hazard.entry].item->pipe;
  sync.dst = hazard.user->pipe;
  sync.source = hazard.source;
  sync.sink = hazard.sink;
  sync.user = hazard.user;
  if (sync.src == sync.dst) {
    sync.kind = Sync::Barrier;
  } else if (!target.hasFlag(sync.src, sync.dst)) {
    sync.kind = Sync::Barrier;
    sync.dst = Pipe::ALL;
  } else {
    bool backward = hazard.carried && hazard.sink->index <= hazard.source->index;
    sync.kind = backward ? Sync::Token : Sync::Flag;
  }
  return sync;
}

/// What of `pending` would be left behind the sync's wait or barrier.
Entries Planner::getRest(const Sync &sync, const Entries &pending) const {
  Entries rest;
  if (sync.kind == Sync::Barrier) {
    return sync.dst == Pipe::ALL ? rest : getWithout(pending, sync.dst);
  }
  Entries message;
  for (const auto &[pipe, known] : snapshots[sync.source->position])
    if (pipe == number(sync.src))
      message = getWithout(known, sync.src);
  const Item *loop = sync.kind == Sync::Token ? sync.sink->loops.back() : nullptr;
  if (loop)
    message = shift(message, *loop);
  unsigned depth = sync.sink->loops.size();
  // What was issued after the source is not covered, whatever the message says.
  auto isLater = [&](const Entry &entry) {
    bool behind = entry.item->position >= sync.source->end;
    if (!loop)
      return behind && entry.carried >= depth;
    bool inside = entry.item->loops.size() >= depth && entry.item->loops[depth - 1] == loop;
    return inside && (entry.carried >= depth || (behind && entry.carried == depth - 1));
  };
  for (unsigned e : pending)
    if (message.test(e) || isLater(entries[e]))
      rest.set(e);
  return rest;
}

/// Of the hazards that one place can order, only the one with the last source:
/// its sync orders the others.
static SmallVector<const Planner::Hazard *> getLast(ArrayRef<Planner::Hazard> hazards,
                                                    llvm::function_ref<Pipe(unsigned)> getPipe) {
  std::map<std::tuple<Pipe, unsigned, bool, bool>, const Planner::Hazard *> last;
  for (const Planner::Hazard &hazard : hazards) {
    bool backward = hazard.source->index >= hazard.sink->index;
    auto &known = last[{getPipe(hazard.entry), hazard.sink->position, hazard.carried, backward}];
    if (!known || known->source->position < hazard.source->position ||
        (known->source == hazard.source && known->entry < hazard.entry))
      known = &hazard;
  }
  SmallVector<const Planner::Hazard *> result;
  for (auto &[place, hazard] : last)
    result.push_back(hazard);
  return result;
}

/// Inserts what orders the hazards of one instruction, the sync that orders the
/// most of them first.
Planner::Next Planner::fix(Item &item, State &state, SmallVector<Hazard> hazards) {
  while (!hazards.empty()) {
    const Entries &pending = state.pending[number(item.pipe)];
    std::optional<Sync> best;
    Entries bestRest;
    std::tuple<int, int, unsigned, unsigned> bestScore;
    const Hazard *reason = nullptr;
    for (const Hazard *last : getLast(hazards, [&](unsigned e) { return entries[e].pipe; })) {
      const Hazard &hazard = *last;
      Sync sync = propose(hazard);
      Entries rest = getRest(sync, pending);
      int covered = llvm::count_if(hazards, [&](const Hazard &h) { return !rest.test(h.entry); });
      std::tuple score(covered, -static_cast<int>(sync.kind),
                       static_cast<unsigned>(hazard.sink->loops.size()), hazard.source->position);
      if (rest.test(hazard.entry) || (best && score <= bestScore))
        continue;
      best = sync;
      bestRest = std::move(rest);
      bestScore = score;
      reason = &hazard;
    }
    if (!best) { // it cannot be, but must not loop forever
      again = nullptr;
      return Next::Again;
    }
    best->reason = getReason(*reason);
    Item *sink = best->sink;
    unsigned n = insert(std::move(*best));
    if (sink != &item) {
      again = sink->parent;
      return Next::Again;
    }
    state.pending[number(item.pipe)] = bestRest;
    if (syncs[n].kind == Sync::Barrier)
      barrier(syncs[n], state);
    else
      issueEntry(syncs[n].entry + item.loops.size(), state);
    llvm::erase_if(hazards, [&](const Hazard &h) { return !bestRest.test(h.entry); });
  }
  return Next::Go;
}

unsigned Planner::insert(Sync sync) {
  unsigned n = syncs.size();
  changed = true;
  if (sync.kind != Sync::Barrier) {
    sync.entry = entries.size();
    addEntries(sync.sink, sync.dst, sync.sink->loops.size(), n);
  }
  syncs.push_back(std::move(sync));
  link(n);
  return n;
}

/// Puts a sync around its items.
void Planner::link(unsigned n) {
  Sync &sync = syncs[n];
  sync.dead = false;
  sync.sink->before.push_back(n);
  if (sync.kind != Sync::Barrier)
    sync.source->after.push_back(n);
  if (sync.kind == Sync::Token) {
    sync.outer = sync.sink->loops.front();
    sync.outer->primes.push_back(n);
    sync.outer->drains.push_back(n);
  }
}

/// A flag may be set again only when its wait is over: another one says so.
void Planner::fixReuse(unsigned n) {
  missing = true;
  if (!fixing || changed)
    return;
  const Sync &flag = syncs[n];
  Sync sync;
  sync.src = flag.dst;
  sync.dst = flag.src;
  sync.source = flag.sink;
  sync.sink = flag.source;
  sync.user = flag.user;
  sync.kind = flag.kind == Sync::Flag ? Sync::Token : Sync::Flag;
  sync.reason = ("flag " + stringifyPipe(flag.src) + " -> " + stringifyPipe(flag.dst) +
                 " is waited for before it is set again: " + flag.reason)
                    .str();
  if (flag.sink == flag.source || !target.hasFlag(sync.src, sync.dst))
    return replaceByBarrier(n, flag.reason);
  insert(std::move(sync));
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// A walk of one loop or branch on its own begins with nothing pending and its
/// tokens primed.
Planner::State Planner::getFreshState(const Item &item) const {
  State state;
  for (auto [n, sync] : llvm::enumerate(syncs))
    if (!sync.dead && sync.kind == Sync::Token && sync.outer->position <= item.position &&
        item.holds(sync.sink))
      state.flags[n];
  return state;
}

/// What is inside a loop or branch is ordered first, without regard to what is
/// around it; so an outer flag never stands in for an inner one that is needed
/// anyway.
LogicalResult Planner::planInside(Block &block) {
  for (Item *item : block.items) {
    for (auto &inner : item->blocks)
      if (failed(planInside(*inner)))
        return failure();
    if (item->kind != Item::Instruction && failed(settle([&] {
          State state = getFreshState(*item);
          return walkItem(*item, state);
        })))
      return failure();
  }
  return success();
}

/// Walks until nothing is missing: first hazards, then flags set too early.
LogicalResult Planner::settle(llvm::function_ref<Next()> walk) {
  for (checkingReuse = false;;) {
    size_t before = syncs.size();
    changed = false;
    Next next = walk();
    if (next == Next::Again && !changed)
      return failure();
    if (!changed && checkingReuse)
      break;
    checkingReuse = !changed;
    if (changed && ++rounds > 16 + 4 * program.items.size() + before)
      return failure();
  }
  checkingReuse = false;
  return success();
}

/// Whether every hazard is ordered and no flag set too early.
bool Planner::isOrdered() {
  fixing = false;
  checkingReuse = true;
  missing = false;
  State state;
  walkBlock(program.body, state);
  fixing = true;
  checkingReuse = false;
  return !missing;
}

LogicalResult Planner::plan() {
  if (failed(planInside(program.body)))
    return failure();
  return settle([&] {
    State state;
    return walkBlock(program.body, state);
  });
}

LogicalResult Planner::run() {
  snapshots.resize(program.items.size());
  ofRoot.resize(program.roots.size());
  for (Item &item : program.items) {
    usedPipes |= item.pipes;
    if (item.kind != Item::Instruction)
      continue;
    item.entry = entries.size();
    addEntries(&item, item.pipe, item.loops.size(), -1);
    for (const Access &access : item.accesses)
      for (unsigned root : program.roots[access.root].overlapping)
        for (unsigned e = item.entry; e < entries.size(); ++e)
          ofRoot[root].set(e);
  }
  if (failed(plan()))
    return reportBug();
  eliminate();
  for (unsigned round = 0; !assignIds(/*gently=*/round < 32); ++round)
    // Relief only adds order; but in a loop it adds flags that are set again.
    if (round > 64 || (!isStraight() && failed(plan())))
      return reportBug();
  return isOrdered() ? success() : reportBug();
}

/// The planner has a bug; say which instructions it could not order.
LogicalResult Planner::reportBug() {
  Operation *op = firstMissing ? firstMissing->user->op : program.items.front().op;
  InFlightDiagnostic error = emitUserError(op)
                             << "pto-insert-sync found no order for this instruction; mark the "
                                "function #pto.sync<manual> and order it by hand, and report this";
  if (firstMissing)
    error.attachNote(entries[firstMissing->entry].item->op->getLoc()) << "against this one";
  return error;
}

void Planner::remove(unsigned n) {
  Sync &sync = syncs[n];
  sync.dead = true;
  auto drop = [&](SmallVector<unsigned, 0> &list) { llvm::erase(list, n); };
  drop(sync.sink->before);
  drop(sync.source->after);
  if (sync.outer) {
    drop(sync.outer->primes);
    drop(sync.outer->drains);
  }
}

bool Planner::isStraight() const {
  return llvm::all_of(program.body.items,
                      [](Item *item) { return item->kind == Item::Instruction; });
}

/// Leaves out each sync that the others make superfluous. The order of planning
/// makes none in straight code; loops in loops can.
void Planner::eliminate() {
  // Bounded: a kernel too large for it may keep a flag too many.
  if (isStraight() || syncs.size() * program.items.size() > 60000)
    return;
  for (unsigned n = 0; n < syncs.size(); ++n) {
    if (syncs[n].dead)
      continue;
    Sync kept = syncs[n];
    std::array lists = {kept.sink->before, kept.source->after,
                        kept.outer ? kept.outer->primes : kept.sink->before,
                        kept.outer ? kept.outer->drains : kept.sink->before};
    remove(n);
    if (isOrdered())
      continue;
    syncs[n].dead = false;
    kept.sink->before = lists[0];
    kept.source->after = lists[1];
    if (kept.outer) {
      kept.outer->primes = lists[2];
      kept.outer->drains = lists[3];
    }
  }
}
