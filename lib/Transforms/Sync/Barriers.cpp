//===- Barriers.cpp - Order within V and within M -------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// For each of the two pipes, the set of its instructions that may not be done when
// the next one starts; a barrier empties it. An instruction that touches what one of
// them touches gets a barrier. What an author orders by a flag there and back gets one
// too: nothing is lost by it, as the flag holds the pipe as long.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Transforms/Sync/Author.h"
#include "Transforms/Sync/Plan.h"

#include <set>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::sync;

namespace {
/// An instruction, and in which of the loops around it its iteration was an earlier one:
/// the number of the outermost such loop, or of all loops if there is none.
using Pending = std::pair<Item *, unsigned>;

struct PendingLess {
  bool operator()(const Pending &a, const Pending &b) const {
    return std::pair(a.first->position, a.second) < std::pair(b.first->position, b.second);
  }
};
using State = std::set<Pending, PendingLess>; // of both pipes: no instruction is of both

class Barriers {
public:
  explicit Barriers(Program &program) : program(program) {}
  void find() {
    State state;
    walkBlock(program.body, state);
  }
  /// Why there is a barrier before an instruction; by its place.
  std::map<unsigned, std::pair<Item *, std::string>> reasons;

private:
  void walkBlock(sync::Block &block, State &state);
  void walkItem(Item &item, State &state);
  void walkLoop(Item &item, State &state);
  void issue(Item &item, State &state);
  bool conflicts(const Pending &earlier, Item &item);
  static State shift(const State &state, const Item &loop);

  Program &program;
  std::map<std::tuple<unsigned, unsigned, unsigned>, bool> known;
};
} // namespace

static void clear(State &state, Pipe pipe) {
  for (auto it = state.begin(); it != state.end();)
    it = pipe == Pipe::ALL || it->first->pipe == pipe ? state.erase(it) : std::next(it);
}

bool Barriers::conflicts(const Pending &earlier, Item &item) {
  auto [it, added] =
      known.insert({{earlier.first->position, earlier.second, item.position}, false});
  if (added)
    it->second = program.getConflict(earlier.first, &item, earlier.second).has_value();
  return it->second;
}

void Barriers::issue(Item &item, State &state) {
  bool needed = reasons.count(item.position);
  for (const Pending &earlier : state) {
    if (needed || earlier.first->pipe != item.pipe || !conflicts(earlier, item))
      continue;
    bool later = earlier.second < Program::countCommonLoops(earlier.first, &item);
    reasons[item.position] = {&item,
                              describeOrder(program, earlier.first, &item, earlier.second, later)};
    needed = true;
  }
  if (needed)
    clear(state, item.pipe);
  state.insert({&item, item.loops.size()});
}

/// What the pending ones are one iteration of `loop` later.
State Barriers::shift(const State &state, const Item &loop) {
  State result;
  unsigned depth = loop.loops.size();
  for (auto [item, carried] : state) {
    bool inside = item->loops.size() > depth && item->loops[depth] == &loop;
    result.insert({item, inside ? std::min(carried, depth) : carried});
  }
  return result;
}

/// A loop may run any number of times: again until an iteration changes nothing. A while
/// loop leaves from between its two blocks.
void Barriers::walkLoop(Item &item, State &state) {
  State end, leaving;
  for (bool first = true;; first = false) {
    size_t before = reasons.size();
    State now = state;
    State again = shift(end, item);
    now.insert(again.begin(), again.end());
    walkBlock(*item.blocks.front(), now);
    leaving = now;
    for (auto &block : llvm::drop_begin(item.blocks))
      walkBlock(*block, now);
    bool same = now == end && reasons.size() == before;
    end = std::move(now);
    if (same && !first)
      break;
  }
  if (item.kind == Item::While) {
    state = std::move(leaving);
    return;
  }
  bool runs = item.loop.trips && *item.loop.trips > 0;
  if (runs)
    state = std::move(end);
  else
    state.insert(end.begin(), end.end());
}

void Barriers::walkItem(Item &item, State &state) {
  switch (item.kind) {
  case Item::Instruction:
    return issue(item, state);
  case Item::Barrier:
    return clear(state, item.pipe);
  case Item::For:
  case Item::While:
    return walkLoop(item, state);
  case Item::If:
    State result;
    for (auto &block : item.blocks) {
      State arm = state;
      walkBlock(*block, arm);
      result.insert(arm.begin(), arm.end());
    }
    state = std::move(result);
  }
}

void Barriers::walkBlock(sync::Block &block, State &state) {
  for (Item *item : block.items)
    walkItem(*item, state);
}

LogicalResult sync::writeBarriers(Operation *owner) {
  Program program;
  if (failed(program.read(owner, Program::Authors)))
    return failure();
  Barriers barriers(program);
  barriers.find();
  OpBuilder builder(owner->getContext());
  for (auto &[position, found] : barriers.reasons) {
    auto &[item, reason] = found;
    builder.setInsertionPoint(item->op);
    auto barrier = BlockBarrierOp::create(builder, item->op->getLoc(), item->pipe);
    barrier->setAttr(attr::kReason, builder.getStringAttr(reason));
  }
  return success();
}
