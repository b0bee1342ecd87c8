//===- Timeline.cpp - When instructions start and end ------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Timeline.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

StringRef reference::waitWord(Wait wait) {
  switch (wait) {
  case Wait::Start:
    return "start";
  case Wait::Issue:
    return "issue";
  case Wait::Pipe:
    return "pipe";
  case Wait::Flag:
    return "flag";
  case Wait::Barrier:
    return "barrier";
  case Wait::CrossCore:
    return "cross_core";
  }
  return "start";
}

static void join(Instant &instant, const Instant &other) {
  if (other.time > instant.time)
    instant = other;
}

void Timeline::add(unsigned thread, Operation *op, int64_t cycles) {
  unsigned core = thread / kPipes, scalar = core * kPipes;
  issue(core);
  Instant start = next[thread];
  if (next[scalar].time > start.time) {
    start = next[scalar];
    if (start.wait == Wait::Pipe)
      start.wait = Wait::Issue;
  }
  auto index = static_cast<int32_t>(spans.size());
  int64_t end = start.time + cycles;
  spans.push_back(
      {op, start.time, end, start.cause, start.sync, static_cast<uint8_t>(thread), start.wait});
  for (SmallVectorImpl<SpanId> *list :
       std::initializer_list<SmallVectorImpl<SpanId> *>{&waited[thread], &waitedAll[core]}) {
    for (SpanId from : *list)
      flows.push_back({from, index});
    list->clear();
  }
  next[thread] = {end, {block, index}, 0, Wait::Pipe};
}

Instant Timeline::set(unsigned thread, Wait wait) {
  unsigned core = thread / kPipes;
  issue(core);
  Instant instant = next[thread];
  join(instant, next[core * kPipes]);
  instant.order(wait, wait == Wait::CrossCore ? cost.crossCore : cost.flag);
  return instant;
}

void Timeline::wait(unsigned thread, Instant instant) {
  issue(thread / kPipes);
  join(next[thread], instant);
  if (instant.cause.index >= 0 && !llvm::is_contained(waited[thread], instant.cause))
    waited[thread].push_back(instant.cause);
}

void Timeline::waitAll(unsigned core, ArrayRef<Instant> instants) {
  issue(core);
  for (const Instant &instant : instants) {
    for (unsigned pipe = 0; pipe < kPipes; ++pipe)
      join(next[core * kPipes + pipe], instant);
    if (instant.cause.index >= 0 && !llvm::is_contained(waitedAll[core], instant.cause))
      waitedAll[core].push_back(instant.cause);
  }
}

void Timeline::barrier(unsigned core, Pipe pipe) {
  issue(core);
  if (pipe != Pipe::ALL) {
    Instant &instant = next[core * kPipes + static_cast<unsigned>(pipe)];
    join(instant, next[core * kPipes]);
    instant.order(Wait::Barrier, cost.barrier);
    return;
  }
  Instant all;
  for (unsigned p = 0; p < kPipes; ++p)
    join(all, next[core * kPipes + p]);
  all.order(Wait::Barrier, cost.barrier);
  std::fill_n(next.begin() + core * kPipes, kPipes, all);
}

Instant Timeline::getEnd() const {
  Instant end;
  for (const Instant &instant : next)
    join(end, instant);
  return end;
}
