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
#include "Reference/Shadow.h"
#include "Reference/Timeline.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/LogicalResult.h"

#include <deque>

namespace mlir::pto::reference {

class Order {
public:
  /// `cores` of the cluster take part; `checked`: whether clocks are kept.
  Order(unsigned cores, bool checked) : cores(cores), checked(checked) {}

  /// The next instruction of a pipe.
  Access next(unsigned core, Pipe pipe, Operation *op);
  /// The clock to check an access of the pipe with; null if order is not checked.
  const Clock *getClock(unsigned core, Pipe pipe) const {
    return checked ? &clocks[thread(core, pipe)] : nullptr;
  }

  LogicalResult setFlag(unsigned core, Pipe src, Pipe dst, int64_t id, Operation *op);
  LogicalResult waitFlag(unsigned core, Pipe src, Pipe dst, int64_t id, Operation *op);
  void barrier(unsigned core, Pipe pipe);
  LogicalResult crossCoreSet(unsigned core, Pipe pipe, int64_t id, int64_t mode, Operation *op);
  /// Takes one signal; nothing when there is none yet.
  std::optional<LogicalResult> crossCoreWait(unsigned core, int64_t id, int64_t mode,
                                             Operation *op);

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
    Moment moment;   // when it is set
  };
  /// Signals to one core from one other, oldest first.
  struct Signal {
    Clock clock;
    Operation *setter;
    Moment moment;
  };
  struct Counter {
    std::deque<Signal> signals;
    std::optional<int64_t> mode;
    Operation *modeSetter = nullptr;
  };

  Flag &getFlag(unsigned core, Pipe src, Pipe dst, int64_t id);
  Counter &getCounter(unsigned from, unsigned to, int64_t id) {
    return counters[(from * kCores + to) * 16 + id];
  }
  /// The cores that a signal goes to, or comes from.
  SmallVector<unsigned, 3> getPartners(unsigned core, int64_t mode) const;
  static void join(Clock &clock, const Clock &other);
  void joinAll(unsigned core, const Clock &other);

  unsigned cores;
  bool checked;
  std::array<Clock, kThreads> clocks{};
  std::array<Access, kThreads> last{};
  /// What each core did last, when that was not `barrier all`.
  std::array<Operation *, kCores> unfinished{};
  llvm::DenseMap<uint32_t, Flag> flags;
  llvm::DenseMap<uint32_t, Counter> counters;
};

/// "MTE2"
std::string pipeWord(Pipe pipe);

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_ORDER_H
