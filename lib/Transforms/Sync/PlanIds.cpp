//===- PlanIds.cpp - Event ids, and why a sync is there -------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Two flags of one pair of pipes share an id when each set of one comes surely
// behind the wait of the other. When the chip's ids do not suffice, two flags
// become one, or a flag back makes the wait sure, or `barrier all` replaces one.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Transforms/Sync/Plan.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::sync;

/// At a set of flag `n`: the flags that are set, and those whose wait its source
/// pipe cannot be sure of.
void Planner::recordClashes(unsigned n, const State &state) {
  auto &sets = *clashes;
  const Sync &sync = syncs[n];
  if (!seenSets.test(n)) {
    seenSets.set(n);
    setOrder.push_back(n);
  }
  auto clash = [&](unsigned other) {
    if (other == n || syncs[other].src != sync.src || syncs[other].dst != sync.dst)
      return;
    sets[n].set(other);
    sets[other].set(n);
  };
  for (auto &[other, message] : state.flags)
    clash(other);
  Entries waits = state.pending[static_cast<unsigned>(sync.src)];
  waits &= waitEntries[{sync.src, sync.dst}];
  for (unsigned e : waits)
    clash(entries[e].sync);
}

/// Gives every flag an id. False when some had none: the plan has been changed
/// so that fewer are needed, and must be checked again.
bool Planner::assignIds(bool gently) {
  waitEntries.clear();
  for (const Sync &sync : syncs)
    if (!sync.dead && sync.kind != Sync::Barrier)
      for (unsigned i = 0; i <= sync.sink->loops.size(); ++i)
        waitEntries[{sync.src, sync.dst}].set(sync.entry + i);
  std::vector<Entries> found(syncs.size());
  clashes = &found;
  setOrder.clear();
  seenSets.clear();
  fixing = false;
  State state;
  walkBlock(program.body, state);
  fixing = true;
  clashes = nullptr;

  bool enough = true;
  llvm::SmallBitVector colored(syncs.size());
  serialised.clear();
  for (unsigned n : setOrder) {
    if (syncs[n].dead || syncs[n].kind == Sync::Barrier)
      continue;
    SmallVector<unsigned> others;
    llvm::SmallBitVector taken(target.eventIds);
    auto sure = serialised.find({syncs[n].src, syncs[n].dst, syncs[n].source->parent});
    for (unsigned other : found[n]) {
      const Sync &sync = syncs[other];
      if (sync.dead || !colored.test(other) ||
          (sure != serialised.end() && sync.kind == Sync::Flag &&
           sync.sink->parent == syncs[n].source->parent && sync.sink->index <= sure->second))
        continue;
      taken.set(sync.id);
      others.push_back(other);
    }
    int id = taken.find_first_unset();
    if (id >= 0) {
      syncs[n].id = id;
      colored.set(n);
      continue;
    }
    enough = false;
    if (gently)
      relievePressure(n, others);
    else
      replaceByBarrier(n, syncs[n].reason + " (event ids of this pair of pipes are used up)");
  }
  return enough;
}

void Planner::relievePressure(unsigned n, ArrayRef<unsigned> others) {
  // Together with the flag set last before it, which delays the least.
  SmallVector<unsigned> byDistance(others);
  llvm::stable_sort(byDistance, [&](unsigned a, unsigned b) {
    return syncs[a].source->position > syncs[b].source->position;
  });
  for (unsigned other : byDistance)
    if (merge(n, other))
      return;
  if (!serialise(n, others))
    replaceByBarrier(n, syncs[n].reason + " (event ids of this pair of pipes are used up)");
}

/// Makes one flag of two, `other`: set where the later is set, waited for where
/// the earlier is.
bool Planner::merge(unsigned n, unsigned other) {
  const Sync &a = syncs[other], &b = syncs[n];
  if (a.kind != b.kind || a.source->parent != b.source->parent)
    return false;
  Sync both = a;
  both.source = a.source->index > b.source->index ? a.source : b.source;
  both.sink = a.sink->index < b.sink->index ? a.sink : b.sink;
  both.user = a.sink->index < b.sink->index ? a.user : b.user;
  if (both.kind == Sync::Flag && both.source->index >= both.sink->index)
    return false;
  StringRef merged = " (merged: event ids of this pair of pipes are used up)";
  StringRef reason = a.reason;
  reason.consume_back(merged);
  both.reason = (reason + "; " + b.reason + merged).str();
  remove(n);
  remove(other);
  syncs[other] = std::move(both);
  for (unsigned i = 0; i <= syncs[other].sink->loops.size(); ++i)
    entries[syncs[other].entry + i].item = syncs[other].sink;
  link(other);
  return true;
}

/// Makes the waits of some flags sure before `n` is set, by a flag back. Those
/// up to the middle one: the pipes keep some distance.
bool Planner::serialise(unsigned n, ArrayRef<unsigned> others) {
  const Sync &flag = syncs[n];
  if (flag.kind != Sync::Flag || !target.hasFlag(flag.dst, flag.src))
    return false;
  SmallVector<unsigned> sinks;
  for (unsigned other : others) {
    const Sync &sync = syncs[other];
    if (sync.kind == Sync::Flag && sync.sink->parent == flag.source->parent &&
        sync.sink->index < flag.source->index)
      sinks.push_back(sync.sink->index);
  }
  if (sinks.empty())
    return false;
  llvm::sort(sinks);
  unsigned middle = sinks[sinks.size() / 2];
  Block *block = flag.source->parent;
  serialised[{flag.src, flag.dst, block}] = middle;
  Sync back;
  back.kind = Sync::Flag;
  back.src = flag.dst;
  back.dst = flag.src;
  back.source = block->items[middle];
  back.sink = flag.source;
  back.user = flag.user;
  back.reason = ("event ids " + stringifyPipe(flag.src) + " -> " + stringifyPipe(flag.dst) +
                 " are used up: those waited for so far become free")
                    .str();
  insert(std::move(back));
  return true;
}

/// `barrier all` orders everything and needs no id.
void Planner::replaceByBarrier(unsigned n, StringRef reason) {
  Sync barrier = syncs[n];
  remove(n);
  barrier.kind = Sync::Barrier;
  barrier.dst = Pipe::ALL;
  barrier.outer = nullptr;
  barrier.reason = reason.str();
  insert(std::move(barrier));
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

static std::string verb(Operation *op) {
  StringRef word = op->getName().getStringRef();
  return word.substr(word.rfind('.') + 1).str();
}

static std::string quoted(Value value) {
  StringRef name = nameOf(value);
  return name.empty() ? "the " + typeWord(value.getType()) : ("'" + name + "'").str();
}

/// "load of 't' before mul reads it"
std::string sync::describeOrder(const Program &program, const Item *source, const Item *user,
                                unsigned carried, bool later) {
  auto conflict = program.getConflict(source, user, carried);
  if (!conflict)
    return "order";
  auto [first, second] = *conflict;
  std::string a = quoted(program.roots[first->root].value);
  std::string b = quoted(program.roots[second->root].value);
  std::string before = verb(source->op), after = verb(user->op);
  bool plain = before == "load" || before == "store";
  std::string text = !first->write       ? before + " of " + a + " before "
                     : before == "load"  ? "load of " + a + " before "
                     : before == "store" ? "store to " + a + " before "
                                         : before + " writes " + a + " before ";
  if (!first->write && !plain)
    text = before + " reads " + a + " before ";
  text += (later ? "the next " : "") + after;
  if (user->signal)
    return text + " tells other cores";
  text += second->write ? " writes " : " reads ";
  text += first->root == second->root ? (first->write && second->write ? "it again" : "it")
                                      : b + " in the same bytes";
  if (later)
    text += ", one iteration later";
  return text;
}

std::string Planner::getReason(const Hazard &hazard) const {
  const Entry &entry = entries[hazard.entry];
  return describeOrder(program, entry.item, hazard.user, entry.carried, hazard.carried);
}
