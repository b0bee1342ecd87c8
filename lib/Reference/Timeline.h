//===- Timeline.h - When instructions start and end ------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Times beside the clocks of Order, for one block of a task. The scalar unit issues
// instructions one after the other; each starts when it is issued, its pipe is free,
// and what flags, barriers and cross-core flags put in front of it is done. Times are
// cycles from the start of the block, and do not depend on the order in which the
// model happens to run the cores.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_TIMELINE_H
#define PTO_REFERENCE_TIMELINE_H

#include "Pto/Pto.h"
#include "Reference/Shadow.h"
#include "Target/Target.h"

namespace mlir::pto::reference {

/// What something waited for last.
enum class Wait : uint8_t { Start, Issue, Pipe, Flag, Barrier, CrossCore };
StringRef waitWord(Wait wait);

/// A span of a block; none before the first one of it.
struct SpanId {
  int32_t block = 0;
  int32_t index = -1;
  bool operator==(const SpanId &other) const {
    return block == other.block && index == other.index;
  }
};

/// A point in time, and why it is not earlier: the span that ended last before it,
/// and how much of the time since then order took.
struct Instant {
  int64_t time = 0;
  SpanId cause;
  int64_t sync = 0;
  Wait wait = Wait::Start;

  void delay(int64_t cycles) { time += cycles; }
  void order(Wait why, int64_t cycles) {
    time += cycles;
    sync += cycles;
    wait = why;
  }
};

/// One instruction.
struct Span {
  Operation *op;
  int64_t start, end;
  SpanId cause;   // what ended last before it
  int64_t sync;   // of the time between the two, what order took; the rest is issue
  uint8_t thread; // core of the cluster and pipe
  Wait wait;
};

class Timeline {
public:
  static constexpr size_t kMaxSpans = 2'000'000;

  Timeline(const CostInfo &cost, int32_t block) : block(block), cost(cost) {}

  /// An instruction of `cycles`.
  void add(unsigned thread, Operation *op, int64_t cycles);
  /// When all that the pipe does up to now is done: what a flag carries.
  Instant set(unsigned thread, Wait wait);
  /// The pipe goes on after `instant`.
  void wait(unsigned thread, Instant instant);
  /// The same for all pipes of a core, after all of `instants`.
  void waitAll(unsigned core, ArrayRef<Instant> instants);
  void barrier(unsigned core, Pipe pipe);
  /// The end of the block.
  Instant getEnd() const;

  const int32_t block;
  std::vector<Span> spans;
  /// From what a flag was set behind to the first instruction behind its wait.
  std::vector<std::pair<SpanId, int32_t>> flows;

private:
  void issue(unsigned core) { next[core * kPipes].delay(cost.issue); }

  const CostInfo &cost;
  /// When the next instruction of each pipe can start; of S, when it can be issued.
  std::array<Instant, kThreads> next{};
  /// Whose flags the next instruction of each pipe has behind it, and that of each core.
  std::array<SmallVector<SpanId, 2>, kThreads> waited;
  std::array<SmallVector<SpanId, 2>, kCores> waitedAll;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_TIMELINE_H
