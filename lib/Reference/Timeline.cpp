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

static void join(Moment &moment, const Moment &other) {
  if (other.time > moment.time)
    moment = other;
}

void Timeline::add(unsigned thread, Operation *op, int64_t cycles) {
  unsigned core = thread / kPipes, scalar = core * kPipes;
  issue(core);
  Moment start = next[thread];
  if (next[scalar].time > start.time) {
    start = next[scalar];
    if (start.wait == Wait::Pipe)
      start.wait = Wait::Issue;
  }
  auto index = static_cast<int32_t>(events.size());
  int64_t end = start.time + cycles;
  events.push_back(
      {op, start.time, end, start.cause, start.sync, static_cast<uint8_t>(thread), start.wait});
  for (SmallVectorImpl<EventId> *list :
       std::initializer_list<SmallVectorImpl<EventId> *>{&waited[thread], &waitedAll[core]}) {
    for (EventId from : *list)
      flows.push_back({from, index});
    list->clear();
  }
  next[thread] = {end, {block, index}, 0, Wait::Pipe};
}

Moment Timeline::set(unsigned thread, Wait wait) {
  unsigned core = thread / kPipes;
  issue(core);
  Moment moment = next[thread];
  join(moment, next[core * kPipes]);
  moment.order(wait, wait == Wait::CrossCore ? cost.crossCore : cost.flag);
  return moment;
}

void Timeline::wait(unsigned thread, Moment moment) {
  issue(thread / kPipes);
  join(next[thread], moment);
  if (moment.cause.index >= 0 && !llvm::is_contained(waited[thread], moment.cause))
    waited[thread].push_back(moment.cause);
}

void Timeline::waitAll(unsigned core, ArrayRef<Moment> moments) {
  issue(core);
  for (const Moment &moment : moments) {
    for (unsigned pipe = 0; pipe < kPipes; ++pipe)
      join(next[core * kPipes + pipe], moment);
    if (moment.cause.index >= 0 && !llvm::is_contained(waitedAll[core], moment.cause))
      waitedAll[core].push_back(moment.cause);
  }
}

void Timeline::barrier(unsigned core, Pipe pipe) {
  issue(core);
  if (pipe != Pipe::ALL) {
    Moment &moment = next[core * kPipes + static_cast<unsigned>(pipe)];
    join(moment, next[core * kPipes]);
    moment.order(Wait::Barrier, cost.barrier);
    return;
  }
  Moment all;
  for (unsigned p = 0; p < kPipes; ++p)
    join(all, next[core * kPipes + p]);
  all.order(Wait::Barrier, cost.barrier);
  std::fill_n(next.begin() + core * kPipes, kPipes, all);
}

Moment Timeline::getEnd() const {
  Moment end;
  for (const Moment &moment : next)
    join(end, moment);
  return end;
}
