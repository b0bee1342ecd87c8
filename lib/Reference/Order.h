//===- Order.h - What is done before what ---------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The order of one kernel launch. A pipe starts its instructions in order and
// finishes them in any; flags, barriers and cross-core flags say what is done
// before what. Each pipe has a clock: how many instructions of each pipe are
// known to be done before its next one starts.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_ORDER_H
#define PTO_REFERENCE_ORDER_H

#include "Pto/Pto.h"
#include "Reference/Checks.h"
#include "Reference/Shadow.h"
#include "Reference/Timeline.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/LogicalResult.h"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <tuple>

namespace mlir::pto::reference {

/// What a core knows to be done in other blocks, by block. It never changes.
using Knowledge = std::map<uint32_t, Clock>;
using KnowledgePtr = std::shared_ptr<const Knowledge>;

/// Signals of mode 0, which join all blocks of a launch: the n-th wait of each core
/// takes the n-th signal of every core of its kind. Blocks see what was sent in
/// earlier rounds.
class BlockSignals {
public:
  explicit BlockSignals(uint32_t blocks) : blocks(blocks) {}
  struct Signal {
    uint32_t block;
    unsigned core;
    int64_t id;
    uint32_t number; // of this core and id
    Clock clock;
    KnowledgePtr known;
    Instant instant;
    bool mixed = false; // joins cores of both kinds
  };
  void publish(const Signal &signal);
  /// What the cores of the kind had done when they sent their `number`-th signal;
  /// null while one has not. `senders`: cores of the kind in each block.
  KnowledgePtr lookup(bool aic, int64_t id, uint32_t number, unsigned senders) const;
  /// When the last of them was sent.
  Instant getInstant(bool aic, int64_t id, uint32_t number) const;

private:
  struct Joint {
    unsigned arrived = 0;
    std::shared_ptr<Knowledge> known = std::make_shared<Knowledge>();
    std::set<KnowledgePtr> joined;
    Instant instant;
  };
  uint32_t blocks;
  std::map<std::tuple<bool, int64_t, uint32_t>, Joint> joints;
};

class Order {
public:
  /// `cores` of the cluster take part; `checked`: whether clocks are kept.
  Order(unsigned cores, bool checked, const CheckSet &checks)
      : cores(cores), checked(checked), checks(checks) {}

  /// Joins the blocks of a launch.
  void join(uint32_t number, const BlockSignals &others) {
    block = number;
    signals = &others;
  }
  /// Signals for all blocks since the last round.
  std::vector<BlockSignals::Signal> sent;
  /// What the core knows of other blocks now.
  const KnowledgePtr &getKnown(unsigned core) const { return known[core]; }

  /// The next instruction of a pipe.
  Access next(unsigned core, Pipe pipe, Operation *op);
  Access getLast(unsigned core, Pipe pipe) const { return last[thread(core, pipe)]; }
  /// The clock to check an access of the pipe with; null if order is not checked.
  const Clock *getClock(unsigned core, Pipe pipe) const {
    return checked ? &clocks[thread(core, pipe)] : nullptr;
  }

  LogicalResult setFlag(unsigned core, Pipe src, Pipe dst, int64_t id, Operation *op);
  LogicalResult waitFlag(unsigned core, Pipe src, Pipe dst, int64_t id, Operation *op);
  void barrier(unsigned core, Pipe pipe);
  LogicalResult crossCoreSet(unsigned core, Pipe pipe, int64_t id, int64_t mode, Operation *op);
  /// Takes one signal, for one pipe or for all of the core; nothing when there is none yet.
  std::optional<LogicalResult> crossCoreWait(unsigned core, int64_t id, int64_t mode,
                                             std::optional<Pipe> pipe, Operation *op);
  /// The cores whose signal such a wait lacks: "AIV 0 and AIV 1"; empty where it is cores
  /// of other blocks.
  std::string getMissing(unsigned core, int64_t id, int64_t mode);

  //===--- OrderTokens.cpp --------------------------------------------------===//

  LogicalResult mutexLock(unsigned core, Pipe pipe, int64_t id, Operation *op);
  LogicalResult mutexUnlock(unsigned core, Pipe pipe, int64_t id, Operation *op);

  /// The unit flags of an accumulator, one a fractal. Before the instruction, which then
  /// starts when they are as it wants them; `reads`: it reads the accumulator out.
  LogicalResult unitWait(unsigned core, Pipe pipe, ArrayRef<int64_t> fractals, bool reads,
                         Operation *op, Value acc);
  /// Behind the instruction, if it is the final one.
  void unitChange(unsigned core, Pipe pipe, ArrayRef<int64_t> fractals, bool reads, Operation *op);

  /// Holds the core until all of `participants` of each block have come; nothing while one
  /// has not. `scope`: 0 cores of both kinds, 1 AICs, 2 AIVs.
  bool syncAll(unsigned core, unsigned scope, ArrayRef<unsigned> participants);

  /// The next slot to push into, to pop from; nothing while it is not there. What
  /// the other side did before is then done.
  std::optional<int64_t> queuePush(unsigned core, int64_t id, int64_t slots);
  std::optional<int64_t> queuePop(unsigned core, int64_t id, int64_t slots, Operation *op);
  /// Tells the other side that the tile is there, or its slot free, when the earlier
  /// instructions of the pipe are done.
  void queueTell(unsigned core, Pipe pipe, int64_t id, bool free, Operation *op);
  LogicalResult queueFree(unsigned core, int64_t id, Operation *op);

  /// No flag is left, and every pipe was waited for; `end` is where errors are.
  LogicalResult finish(unsigned core, Operation *end);
  LogicalResult finishCrossCore();

  /// Where the times of what is ordered here go; null unless a profile is wanted.
  Timeline *timeline = nullptr;

  unsigned getCores() const { return cores; }
  static unsigned thread(unsigned core, Pipe pipe) {
    return core * kPipes + static_cast<unsigned>(pipe);
  }
  /// "MTE2", and "MTE2 of AIV 0" where there are several cores.
  std::string threadWord(unsigned thread) const;

private:
  struct Flag {
    bool set = false;
    Clock clock; // what is done when it is set
    Operation *setter = nullptr;
    Access lastWait; // the instruction that cleared it
    Instant instant; // when it is set
  };
  /// Signals to one core from one other, oldest first.
  struct Signal {
    Clock clock;
    Operation *setter;
    KnowledgePtr known;
    Instant instant;
  };
  struct Counter {
    std::deque<Signal> signals;
    std::optional<int64_t> mode;
    Operation *modeSetter = nullptr;
  };

  struct Mutex {
    Operation *holder = nullptr, *last = nullptr; // the lock; the last unlock
    Pipe pipe = Pipe::S;                          // of the holder
    /// What was done at the last unlock of each pipe.
    std::array<Clock, kPipes> released{};
    std::array<std::optional<Instant>, kPipes> instants;
  };
  struct UnitFlag {
    bool set = false;
    Operation *changer = nullptr;
    Clock clock{}; // what was done at the last change
    Instant instant;
  };
  /// The n-th barrier of all cores of a scope, in this block.
  struct Joint {
    Clock clock{};
    unsigned arrived = 0;
    SmallVector<Instant, 3> instants;
  };
  LogicalResult finishTokens(unsigned core);

  Flag &getFlag(unsigned core, Pipe src, Pipe dst, int64_t id);
  void explainWait(CheckError &error, unsigned core, Pipe src, Pipe dst, int64_t id);
  Counter &getCounter(unsigned from, unsigned to, int64_t id) {
    return counters[(from * kCores + to) * kIds + id];
  }
  /// The cores that a signal goes to, or comes from.
  SmallVector<unsigned, 3> getPartners(unsigned core, int64_t mode) const;
  static void join(Clock &clock, const Clock &other);
  void joinAll(unsigned core, const Clock &other);

  /// Cross-core flags, and the two of each queue behind them.
  static constexpr uint32_t kIds = 32, kFlagIds = 16;
  static int64_t getQueueFlag(int64_t id, bool free) { return kFlagIds + 2 * id + free; }
  /// Whether every partner has sent a signal that the core has not taken.
  bool allSignalled(unsigned core, ArrayRef<unsigned> partners, int64_t id) {
    return llvm::none_of(
        partners, [&](unsigned partner) { return getCounter(partner, core, id).signals.empty(); });
  }
  /// Takes the oldest signal of each, for one pipe or all; when they were sent.
  SmallVector<Instant, 3> takeSignals(unsigned core, ArrayRef<unsigned> partners, int64_t id,
                                      std::optional<Pipe> pipe = {});
  bool take(unsigned core, int64_t flag);
  LogicalResult finishQueues(unsigned core);

  struct Queue {
    uint32_t pushed = 0, popped = 0, freed = 0;
    Operation *push = nullptr, *pop = nullptr; // the last ones
  };
  std::map<std::pair<unsigned, int64_t>, Queue> queues; // of a core
  void note(CheckError &error, Pipe own, Operation *op, Pipe pipe, const llvm::Twine &text) const;
  void learn(unsigned core, const KnowledgePtr &other);
  /// What is done when a pipe of the core signals now.
  Clock getSignalClock(unsigned core, Pipe pipe) const;

  unsigned cores;
  bool checked;
  CheckSet checks;
  uint32_t block = 0;
  const BlockSignals *signals = nullptr;
  std::array<KnowledgePtr, kCores> known;
  /// Signals of mode 0 that were sent and taken, by core and id.
  std::array<std::array<uint32_t, 16>, kCores> sentCount{}, takenCount{};
  std::array<Clock, kThreads> clocks{};
  std::array<Access, kThreads> last{};
  /// What each core did last, when that was not `barrier all`.
  std::array<Operation *, kCores> unfinished{};
  llvm::DenseMap<uint32_t, Flag> flags;
  llvm::DenseMap<uint32_t, Counter> counters;
  std::map<std::pair<unsigned, int64_t>, Mutex> mutexes;      // by core and id
  std::map<std::pair<unsigned, int64_t>, UnitFlag> unitFlags; // by core and fractal
  std::map<std::pair<unsigned, uint32_t>, Joint> joints;      // by scope and number
  std::array<std::array<uint32_t, 3>, kCores> syncCount{};    // by core and scope
  std::array<bool, kCores> inSync{};
};

/// "MTE2"
std::string pipeWord(Pipe pipe);
/// "the AIC", "AIV 1".
StringRef getCoreName(unsigned core);

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_ORDER_H
