//===- Plan.h - Which flags and barriers a kernel needs -----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The planner runs a kernel symbolically. For each pipe it holds the set of
// instructions that may not be done when the pipe's next one starts; a barrier,
// or a flag's wait, takes instructions out of it. An instruction that touches
// what one of them touches needs a flag or barrier, and gets it only then: an
// order that is there already is never made twice.
//
// A set holds *entries*: an instruction and how its iteration differs from the
// present one (the number of the outermost loop in which it was an earlier
// iteration; the number of loops around it when none was). At the end of a loop
// body all entries of this iteration become entries of an earlier one.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_SYNC_PLAN_H
#define PTO_TRANSFORMS_SYNC_PLAN_H

#include "Target/Target.h"
#include "Transforms/Sync/Program.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SparseBitVector.h"

#include <array>
#include <map>

namespace mlir::pto::sync {

using Entries = llvm::SparseBitVector<>;

/// Something that the planner inserts. A flag is set behind item `source` and
/// waited for before item `sink`, both in one block. A token is a flag that is
/// also set before the outermost loop around it and waited for behind that: its
/// sink comes first in the block, its source is of the iteration before.
struct Sync {
  enum Kind { Flag, Token, Barrier } kind = Flag;
  Pipe src = Pipe::S, dst = Pipe::S; // a barrier's pipe is `dst`
  Item *source = nullptr, *sink = nullptr;
  Item *user = nullptr;  // the instruction that waits
  Item *outer = nullptr; // of a token: the outermost loop
  std::string reason;
  unsigned entry = 0; // of its wait, which is an instruction of `dst` too
  unsigned id = 0;
  bool dead = false;
};

/// Why `user` stands behind `source`: the two accesses in the author's words. `later`:
/// `user` is of a later iteration.
std::string describeOrder(const Program &program, const Item *source, const Item *user,
                          unsigned carried, bool later);

class Planner {
public:
  Planner(Program &program, const TargetInfo &target) : program(program), target(target) {}

  /// Fills `syncs` and the lists of the items. An error only when the planner
  /// does not find an order for what it found itself: a bug that it reports.
  LogicalResult run();

  std::deque<Sync> syncs;

  /// An instruction that nothing orders behind what an entry stands for.
  struct Hazard {
    unsigned entry;
    Item *source, *sink; // where a sync between them stands, in one block
    bool carried;
    Item *user; // the instruction
  };

private:
  /// What may not be done: for each pipe, and for each flag that is set (the
  /// wait will take the rest out).
  struct State {
    std::array<Entries, kPipes> pending;
    std::map<unsigned, Entries> flags;
  };
  /// An entry and what it belongs to.
  struct Entry {
    Item *item;       // an instruction, or the sink of a flag whose wait it is
    unsigned carried; // see above
    int sync;         // the flag of a wait; -1 for an instruction
    Pipe pipe;
  };
  enum class Next { Go, Again };

  // Running the kernel.
  void addEntries(Item *item, Pipe pipe, unsigned depth, int sync);
  Next walkBlock(Block &block, State &state);
  Next walkItem(Item &item, State &state);
  Next walkLoop(Item &item, State &state);
  Next walkBranch(Item &item, State &state);
  Next issue(Item &item, State &state);
  void issueEntry(unsigned entry, State &state) const;
  void set(unsigned n, State &state);
  void wait(unsigned n, State &state);
  void barrier(const Sync &sync, State &state) const;
  Entries getWithout(const Entries &from, Pipe pipe) const;
  Entries shift(const Entries &from, const Item &loop) const;
  State shift(const State &state, const Item &loop) const;
  static bool unite(State &into, const State &from);
  void keepSnapshot(Item &item, const State &state);
  State getFreshState(const Item &item) const;

  // Finding what is missing.
  SmallVector<Hazard> findHazards(Item &item, const State &state);
  Hazard locate(Item &sink, unsigned e) const;
  Next fix(Item &item, State &state, SmallVector<Hazard> hazards);
  Sync propose(const Hazard &hazard) const;
  Entries getRest(const Sync &sync, const Entries &pending) const;
  unsigned insert(Sync sync);
  void link(unsigned n);
  void fixReuse(unsigned n);
  std::string getReason(const Hazard &hazard) const;

  // The steps of run().
  LogicalResult plan();
  LogicalResult planInside(Block &block);
  LogicalResult settle(llvm::function_ref<Next()> walk);
  bool isOrdered();
  void eliminate();
  void remove(unsigned n);
  bool isStraight() const;
  LogicalResult reportBug();

  // Event ids (PlanIds.cpp).
  bool assignIds(bool gently);
  void recordClashes(unsigned n, const State &state);
  void relievePressure(unsigned n, ArrayRef<unsigned> others);
  bool merge(unsigned n, unsigned other);
  bool serialise(unsigned n, ArrayRef<unsigned> others);
  void replaceByBarrier(unsigned n, StringRef reason);

  Program &program;
  const TargetInfo &target;
  std::vector<Entry> entries;
  std::array<Entries, kPipes> ofPipe;            // the entries of each pipe
  std::vector<Entries> ofRoot;                   // the instructions that touch what overlaps a root
  llvm::DenseMap<uint64_t, bool> knownConflicts; // by entry and instruction
  unsigned usedPipes = 0, rounds = 0;

  /// What each pipe of an item knew behind it in the last walk.
  std::vector<SmallVector<std::pair<unsigned, Entries>, 1>> snapshots;

  bool fixing = true;         // insert what is missing, or only look for it
  bool checkingReuse = false; // look for flags that are set before their wait is sure
  bool changed = false, missing = false;
  Block *again = nullptr; // the block that must go back before its present item
  std::optional<Hazard> firstMissing;

  /// While assigning ids: with which flags of its pipes each flag shares no id.
  std::vector<Entries> *clashes = nullptr;
  std::vector<unsigned> setOrder; // flags in the order of their first set
  Entries seenSets;
  std::map<std::pair<Pipe, Pipe>, Entries> waitEntries;
  /// Flags up to this item were waited for, as a serialising flag now says.
  std::map<std::tuple<Pipe, Pipe, Block *>, unsigned> serialised;
};

} // namespace mlir::pto::sync

#endif // PTO_TRANSFORMS_SYNC_PLAN_H
