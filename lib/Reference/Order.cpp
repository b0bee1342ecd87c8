//===- Order.cpp - What is done before what ----------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Order.h"
#include "Pto/Words.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

std::string reference::pipeWord(Pipe pipe) { return stringifyPipe(pipe).upper(); }

std::string Order::threadWord(unsigned thread) const {
  std::string word = pipeWord(static_cast<Pipe>(thread % kPipes));
  if (cores == 1)
    return word;
  static const char *const names[] = {"AIC", "AIV 0", "AIV 1"};
  return word + " of " + names[thread / kPipes];
}

void Order::join(Clock &clock, const Clock &other) {
  for (unsigned i = 0; i < kThreads; ++i)
    clock[i] = std::max(clock[i], other[i]);
}

void Order::joinAll(unsigned core, const Clock &other) {
  for (unsigned pipe = 0; pipe < kPipes; ++pipe)
    join(clocks[core * kPipes + pipe], other);
}

Access Order::next(unsigned core, Pipe pipe, Operation *op) {
  unsigned number = thread(core, pipe);
  Access &access = last[number];
  unfinished[core] = op;
  access = {op, access.index + 1, static_cast<uint8_t>(number)};
  return access;
}

//===----------------------------------------------------------------------===//
// Flags and barriers of one core
//===----------------------------------------------------------------------===//

Order::Flag &Order::getFlag(unsigned core, Pipe src, Pipe dst, int64_t id) {
  uint32_t pair = thread(core, src) * kPipes + static_cast<uint32_t>(dst);
  return flags[pair * 16 + static_cast<uint32_t>(id)];
}

static std::string flagWord(Pipe src, Pipe dst, int64_t id) {
  return pipeWord(src) + " -> " + pipeWord(dst) + ", " + std::to_string(id);
}

LogicalResult Order::setFlag(unsigned core, Pipe src, Pipe dst, int64_t id, Operation *op) {
  Flag &flag = getFlag(core, src, dst, id);
  unfinished[core] = op;
  if (flag.set) {
    InFlightDiagnostic error = emitUserError(op)
                               << "flag " << flagWord(src, dst, id)
                               << " is set again before anything waits for it; the second signal "
                                  "is lost and the core hangs";
    error.attachNote(flag.setter->getLoc()) << "it was set here";
    return error;
  }
  Clock &clock = clocks[thread(core, src)];
  if (checked && flag.lastWait.index > clock[flag.lastWait.thread]) {
    InFlightDiagnostic error = emitUserError(op)
                               << "flag " << flagWord(src, dst, id) << " may be set again before "
                               << pipeWord(dst) << " has waited for it: nothing makes "
                               << pipeWord(src) << " wait for that; use another id, or a flag from "
                               << pipeWord(dst) << " to " << pipeWord(src) << " in between";
    error.attachNote(flag.lastWait.op->getLoc()) << "the wait is here";
    return error;
  }
  unsigned source = thread(core, src);
  flag.set = true;
  flag.setter = op;
  flag.clock = clock;
  flag.clock[source] = last[source].index;
  if (timeline)
    flag.moment = timeline->set(source, Wait::Flag);
  return success();
}

LogicalResult Order::waitFlag(unsigned core, Pipe src, Pipe dst, int64_t id, Operation *op) {
  Flag &flag = getFlag(core, src, dst, id);
  if (!flag.set)
    return emitUserError(op) << "waits for flag " << flagWord(src, dst, id)
                             << ", which nothing has set; the core hangs here";
  flag.set = false;
  flag.lastWait = next(core, dst, op);
  join(clocks[thread(core, dst)], flag.clock);
  if (timeline)
    timeline->wait(thread(core, dst), flag.moment);
  return success();
}

void Order::barrier(unsigned core, Pipe pipe) {
  if (timeline)
    timeline->barrier(core, pipe);
  if (pipe != Pipe::ALL) {
    unsigned number = thread(core, pipe);
    clocks[number][number] = last[number].index;
    return;
  }
  unfinished[core] = nullptr;
  Clock done{};
  for (unsigned p = 0; p < kPipes; ++p) {
    unsigned number = core * kPipes + p;
    join(done, clocks[number]);
    done[number] = last[number].index;
  }
  joinAll(core, done);
}

//===----------------------------------------------------------------------===//
// Flags between cores
//===----------------------------------------------------------------------===//

SmallVector<unsigned, 3> Order::getPartners(unsigned core, int64_t mode) const {
  // 0: all cores of this kind, of which this cluster has one AIC and two AIVs;
  // 1: the AIVs of a cluster; 2: an AIC and its AIVs.
  bool aic = core == 0;
  SmallVector<unsigned, 3> partners;
  for (unsigned other = 0; other < cores; ++other)
    if (mode == 2 ? (other == 0) != aic : (other == 0) == aic)
      partners.push_back(other);
  return partners;
}

LogicalResult Order::crossCoreSet(unsigned core, Pipe pipe, int64_t id, int64_t mode,
                                  Operation *op) {
  unsigned number = thread(core, pipe);
  unfinished[core] = op;
  Signal signal = {clocks[number], op, {}};
  if (timeline)
    signal.moment = timeline->set(number, Wait::CrossCore);
  signal.clock[number] = last[number].index;
  for (unsigned partner : getPartners(core, mode)) {
    Counter &counter = getCounter(core, partner, id);
    if (counter.mode && *counter.mode != mode && !counter.signals.empty()) {
      InFlightDiagnostic error = emitUserError(op)
                                 << "cross-core flag " << id << " is in use in mode "
                                 << *counter.mode << "; it cannot be set in mode " << mode;
      error.attachNote(counter.signals.back().setter->getLoc()) << "it was set here";
      return error;
    }
    counter.mode = mode;
    if (counter.signals.size() == 15) {
      InFlightDiagnostic error = emitUserError(op)
                                 << "cross-core flag " << id
                                 << " is set a sixteenth time before a wait; its counter holds 15";
      error.attachNote(counter.signals.front().setter->getLoc()) << "the first of them is here";
      return error;
    }
    counter.signals.push_back(signal);
  }
  return success();
}

std::optional<LogicalResult> Order::crossCoreWait(unsigned core, int64_t id, int64_t mode,
                                                  Operation *op) {
  // Every partner must have signalled: an AIC waits for both of its AIVs.
  SmallVector<unsigned, 3> partners = getPartners(core, mode);
  if (partners.empty())
    return LogicalResult(emitUserError(op)
                         << "waits for cores of mode " << mode << ", and there are none here");
  for (unsigned partner : partners)
    if (getCounter(partner, core, id).signals.empty())
      return std::nullopt;
  unfinished[core] = op;
  for (unsigned partner : partners) {
    Counter &counter = getCounter(partner, core, id);
    joinAll(core, counter.signals.front().clock);
    if (timeline)
      timeline->waitAll(core, counter.signals.front().moment);
    counter.signals.pop_front();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The end of a kernel
//===----------------------------------------------------------------------===//

LogicalResult Order::finish(unsigned core, Operation *end) {
  LogicalResult result = success();
  // In the order of the keys, so that messages do not depend on a hash.
  SmallVector<uint32_t> keys;
  for (auto &entry : flags)
    if (entry.second.set && entry.first / (16 * kPipes * kPipes) == core)
      keys.push_back(entry.first);
  llvm::sort(keys);
  for (uint32_t key : keys) {
    auto dst = static_cast<Pipe>(key / 16 % kPipes);
    auto src = static_cast<Pipe>(key / 16 / kPipes % kPipes);
    result = emitUserError(flags[key].setter)
             << "flag " << flagWord(src, dst, key % 16)
             << " is still set when the kernel ends; every flag that is set is waited for";
  }
  if (checked && unfinished[core] && succeeded(result)) {
    InFlightDiagnostic error = mlir::emitError(end->getLoc())
                               << "the kernel ends without pto.block.barrier all";
    if (cores > 1)
      error << (core == 0 ? " on the AIC" : " on an AIV");
    error << "; its pipes may still be at work when the next one begins";
    error.attachNote(unfinished[core]->getLoc()) << "this comes last";
    result = error;
  }
  return result;
}

LogicalResult Order::finishCrossCore() {
  LogicalResult result = success();
  SmallVector<uint32_t> keys;
  for (auto &entry : counters)
    if (!entry.second.signals.empty())
      keys.push_back(entry.first);
  llvm::sort(keys);
  for (uint32_t key : keys) {
    const Signal &signal = counters[key].signals.front();
    result = emitUserError(signal.setter)
             << "cross-core flag " << key % 16 << " is still set when the kernel ends ("
             << counters[key].signals.size() << " unmatched); every signal is waited for";
  }
  return result;
}
