//===- Order.cpp - What is done before what ----------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Order.h"
#include "Pto/Words.h"

#include <set>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

StringRef reference::getCoreName(unsigned core) {
  static const char *const names[] = {"the AIC", "AIV 0", "AIV 1"};
  return names[core];
}

std::string reference::pipeWord(Pipe pipe) { return stringifyPipe(pipe).upper(); }

std::string Order::threadWord(unsigned thread) const {
  std::string word = pipeWord(static_cast<Pipe>(thread % kPipes));
  if (cores == 1)
    return word;
  StringRef core = getCoreName(thread / kPipes);
  core.consume_front("the ");
  return word + " of " + core.str();
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
  // The scalar unit does one thing after the other.
  if (pipe == Pipe::S)
    clocks[number][number] = access.index;
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

void Order::note(CheckError &error, Pipe own, Operation *op, Pipe pipe,
                 const llvm::Twine &text) const {
  error.site().pipe = pipeWord(own);
  Site site = error.site();
  site.op = op;
  site.pipe = pipeWord(pipe);
  error.other(std::move(site), text);
}

LogicalResult Order::setFlag(unsigned core, Pipe src, Pipe dst, int64_t id, Operation *op) {
  Flag &flag = getFlag(core, src, dst, id);
  unfinished[core] = op;
  if (flag.set && checks.has(Check::FlagSetTwice)) {
    CheckError error(Check::FlagSetTwice, op);
    error << "flag " << flagWord(src, dst, id)
          << " is set again before anything waits for it; the second signal "
             "is lost and the core hangs";
    note(error, src, flag.setter, src, "it was set here");
    return error;
  }
  Clock &clock = clocks[thread(core, src)];
  if (checked && checks.has(Check::FlagSetTwice) &&
      flag.lastWait.index > clock[flag.lastWait.thread]) {
    CheckError error(Check::FlagSetTwice, op);
    error << "flag " << flagWord(src, dst, id) << " may be set again before " << pipeWord(dst)
          << " has waited for it: nothing makes " << pipeWord(src)
          << " wait for that; use another id, or a flag from " << pipeWord(dst) << " to "
          << pipeWord(src) << " in between";
    note(error, src, flag.lastWait.op, dst, "the wait is here");
    error.fix("a flag from " + pipeWord(dst) + " to " + pipeWord(src) +
              " in between, or another id");
    return error;
  }
  unsigned source = thread(core, src);
  flag.set = true;
  flag.setter = op;
  flag.clock = clock;
  flag.clock[source] = last[source].index;
  if (timeline)
    flag.instant = timeline->set(source, Wait::Flag);
  return success();
}

/// Why nothing has set the flag: it was waited for twice, the pipes or the number are
/// others, or it is set only later.
void Order::explainWait(CheckError &error, unsigned core, Pipe src, Pipe dst, int64_t id) {
  Flag &flag = getFlag(core, src, dst, id);
  if (flag.lastWait.op) {
    error << " again since it was waited for; each wait takes one set, so that the core hangs here";
    note(error, dst, flag.lastWait.op, dst, "its last set was taken here");
    return;
  }
  error << "; the core hangs here";
  for (auto &[key, other] : flags) {
    if (!other.set || key / (16 * kPipes * kPipes) != core)
      continue;
    auto to = static_cast<Pipe>(key / 16 % kPipes),
         from = static_cast<Pipe>(key / 16 / kPipes % kPipes);
    bool turned = from == dst && to == src && key % 16 == id, number = from == src && to == dst;
    if (!turned && !number)
      continue;
    note(error, dst, other.setter, from,
         "flag " + flagWord(from, to, key % 16) + " is set here: " +
             (turned ? "are the pipes the wrong way round?" : "is it this one?"));
    return;
  }
  error << "; where the end of a loop sets it for the next turn, the first turn needs one set in "
           "front of the loop";
  error.fix("pto.block.set_flag " + stringifyPipe(src).str() + " -> " + stringifyPipe(dst).str() +
            ", " + std::to_string(id) + " in front of it");
}

LogicalResult Order::waitFlag(unsigned core, Pipe src, Pipe dst, int64_t id, Operation *op) {
  Flag &flag = getFlag(core, src, dst, id);
  if (!flag.set) {
    CheckError error(Check::Hang, op);
    error << "waits for flag " << flagWord(src, dst, id) << ", which nothing has set";
    explainWait(error, core, src, dst, id);
    return error;
  }
  flag.set = false;
  flag.lastWait = next(core, dst, op);
  join(clocks[thread(core, dst)], flag.clock);
  if (timeline)
    timeline->wait(thread(core, dst), flag.instant);
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

Clock Order::getSignalClock(unsigned core, Pipe pipe) const {
  unsigned number = thread(core, pipe);
  Clock clock = clocks[number];
  clock[number] = last[number].index;
  // Where nobody has ordered the pipes yet, a core does one thing after the other.
  for (unsigned p = 0; p < kPipes && !checked; ++p)
    clock[core * kPipes + p] = last[core * kPipes + p].index;
  return clock;
}

void Order::learn(unsigned core, const KnowledgePtr &other) {
  if (!other || other == known[core])
    return;
  if (!known[core]) {
    known[core] = other;
    return;
  }
  auto both = std::make_shared<Knowledge>(*known[core]);
  for (auto &[number, clock] : *other)
    join((*both)[number], clock);
  known[core] = std::move(both);
}

LogicalResult Order::crossCoreSet(unsigned core, Pipe pipe, int64_t id, int64_t mode,
                                  Operation *op) {
  unfinished[core] = op;
  Signal signal = {getSignalClock(core, pipe), op, known[core], {}};
  if (timeline)
    signal.instant = timeline->set(thread(core, pipe), Wait::CrossCore);
  bool rules = checks.has(Check::CrossCore);
  for (unsigned partner : getPartners(core, mode)) {
    Counter &counter = getCounter(core, partner, id);
    // The counter of a core is one for all who signal it, and a wait takes any of them.
    for (unsigned from = 0; from < cores && rules; ++from) {
      const Counter &pending = getCounter(from, partner, id);
      if (pending.signals.empty() || *pending.mode == mode)
        continue;
      CheckError error(Check::CrossCore, op);
      error << "cross-core flag " << id << " is in use in mode " << *pending.mode
            << "; it cannot be set in mode " << mode;
      note(error, pipe, pending.signals.back().setter, pipe, "it was set here");
      return error;
    }
    counter.mode = mode;
    if (rules && counter.signals.size() == 15) {
      CheckError error(Check::CrossCore, op);
      error << "cross-core flag " << id
            << " is set a sixteenth time before a wait; its counter holds 15";
      note(error, pipe, counter.signals.front().setter, pipe, "the first of them is here");
      return error;
    }
    counter.signals.push_back(signal);
  }
  if (mode == 0 && signals)
    sent.push_back(
        {block, core, id, sentCount[core][id]++, signal.clock, signal.known, signal.instant});
  return success();
}

SmallVector<Instant, 3> Order::takeSignals(unsigned core, ArrayRef<unsigned> partners, int64_t id,
                                           std::optional<Pipe> pipe) {
  SmallVector<Instant, 3> instants;
  for (unsigned partner : partners) {
    Counter &counter = getCounter(partner, core, id);
    if (pipe)
      join(clocks[thread(core, *pipe)], counter.signals.front().clock);
    else
      joinAll(core, counter.signals.front().clock);
    learn(core, counter.signals.front().known);
    instants.push_back(counter.signals.front().instant);
    counter.signals.pop_front();
  }
  return instants;
}

std::string Order::getMissing(unsigned core, int64_t id, int64_t mode) {
  std::string names;
  for (unsigned partner : getPartners(core, mode))
    if (getCounter(partner, core, id).signals.empty())
      names += (names.empty() ? "" : " and ") + getCoreName(partner).str();
  return names;
}

std::optional<LogicalResult> Order::crossCoreWait(unsigned core, int64_t id, int64_t mode,
                                                  std::optional<Pipe> pipe, Operation *op) {
  // Every partner must have signalled: an AIC waits for both of its AIVs.
  SmallVector<unsigned, 3> partners = getPartners(core, mode);
  if (partners.empty())
    return LogicalResult(CheckError(Check::Hang, op)
                         << "waits for cores of mode " << mode << ", and there are none here");
  if (!allSignalled(core, partners, id))
    return std::nullopt;
  bool all = mode == 0 && signals;
  KnowledgePtr others;
  if (all && !(others = signals->lookup(core == 0, id, takenCount[core][id], partners.size())))
    return std::nullopt;
  unfinished[core] = op;
  SmallVector<Instant, 3> instants = takeSignals(core, partners, id, pipe);
  if (all) {
    learn(core, others);
    instants.push_back(signals->getInstant(core == 0, id, takenCount[core][id]));
    ++takenCount[core][id];
  }
  for (const Instant &instant : instants)
    if (timeline && pipe)
      timeline->wait(thread(core, *pipe), instant);
  if (timeline && !pipe)
    timeline->waitAll(core, instants);
  return success();
}

void BlockSignals::publish(const Signal &signal) {
  Joint &joint = joints[{signal.core == 0 && !signal.mixed, signal.id, signal.number}];
  ++joint.arrived;
  if (signal.instant.time > joint.instant.time)
    joint.instant = signal.instant;
  auto add = [&](uint32_t block, const Clock &clock) {
    Clock &mine = (*joint.known)[block];
    for (unsigned i = 0; i < kThreads; ++i)
      mine[i] = std::max(mine[i], clock[i]);
  };
  add(signal.block, signal.clock);
  // Mostly all cores know the same.
  if (signal.known && joint.joined.insert(signal.known).second)
    for (auto &[block, clock] : *signal.known)
      add(block, clock);
}

KnowledgePtr BlockSignals::lookup(bool aic, int64_t id, uint32_t number, unsigned senders) const {
  auto it = joints.find({aic, id, number});
  if (it == joints.end() || it->second.arrived != senders * blocks)
    return nullptr;
  return it->second.known;
}

Instant BlockSignals::getInstant(bool aic, int64_t id, uint32_t number) const {
  auto it = joints.find({aic, id, number});
  return it == joints.end() ? Instant() : it->second.instant;
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

/// Takes a signal of every partner, if all have sent one.
bool Order::take(unsigned core, int64_t flag) {
  SmallVector<unsigned, 3> partners = getPartners(core, /*mode=*/2);
  if (!allSignalled(core, partners, flag))
    return false;
  SmallVector<Instant, 3> instants = takeSignals(core, partners, flag);
  if (timeline)
    timeline->waitAll(core, instants);
  return true;
}

std::optional<int64_t> Order::queuePush(unsigned core, int64_t id, int64_t slots) {
  Queue &queue = queues[{core, id}];
  // The first round needs no free slot.
  if (queue.pushed >= slots && !take(core, getQueueFlag(id, /*free=*/true)))
    return std::nullopt;
  return queue.pushed++ % slots;
}

std::optional<int64_t> Order::queuePop(unsigned core, int64_t id, int64_t slots, Operation *op) {
  Queue &queue = queues[{core, id}];
  if (!take(core, getQueueFlag(id, /*free=*/false)))
    return std::nullopt;
  queue.pop = op;
  return queue.popped++ % slots;
}

void Order::queueTell(unsigned core, Pipe pipe, int64_t id, bool free, Operation *op) {
  unfinished[core] = op;
  if (!free)
    queues[{core, id}].push = op;
  Signal signal = {getSignalClock(core, pipe), op, known[core], {}};
  if (timeline)
    signal.instant = timeline->set(thread(core, pipe), Wait::CrossCore);
  for (unsigned partner : getPartners(core, /*mode=*/2))
    getCounter(core, partner, getQueueFlag(id, free)).signals.push_back(signal);
}

LogicalResult Order::queueFree(unsigned core, int64_t id, Operation *op) {
  Queue &queue = queues[{core, id}];
  if (queue.freed < queue.popped) {
    ++queue.freed;
    queueTell(core, Pipe::MTE2, id, /*free=*/true, op);
    return success();
  }
  CheckError error(Check::QueueFree, op);
  error << "frees a slot of queue " << id << ", of which this core has popped " << queue.popped
        << " and freed " << queue.freed;
  if (queue.pop)
    note(error, Pipe::MTE2, queue.pop, Pipe::MTE2, "the last pop is here");
  return error;
}

LogicalResult Order::finishQueues(unsigned core) {
  for (auto &[key, queue] : queues) {
    if (key.first != core || queue.freed == queue.popped)
      continue;
    CheckError error(Check::QueueFree, queue.pop);
    error << "queue " << key.second << ": " << queue.popped << " tiles are popped and "
          << queue.freed << " slots freed when the kernel ends; each is freed once";
    error.fix("pto.block.queue_free " + std::to_string(key.second));
    return error;
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
    if (entry.second.set && entry.first / (16 * kPipes * kPipes) == core &&
        checks.has(Check::FlagLeft))
      keys.push_back(entry.first);
  llvm::sort(keys);
  for (uint32_t key : keys) {
    auto dst = static_cast<Pipe>(key / 16 % kPipes);
    auto src = static_cast<Pipe>(key / 16 / kPipes % kPipes);
    CheckError error(Check::FlagLeft, flags[key].setter);
    error << "flag " << flagWord(src, dst, key % 16)
          << " is still set when the kernel ends; every flag that is set is waited for";
    error.site().pipe = pipeWord(src);
    error.fix("pto.block.wait_flag " + stringifyPipe(src).str() + " -> " +
              stringifyPipe(dst).str() + ", " + std::to_string(key % 16));
    result = error;
  }
  if (succeeded(result))
    result = finishQueues(core);
  if (succeeded(result))
    result = finishTokens(core);
  if (checked && unfinished[core] && succeeded(result) && checks.has(Check::NoFinalBarrier)) {
    CheckError error(Check::NoFinalBarrier, end, /*bare=*/true);
    error << "the kernel ends without pto.block.barrier all";
    if (cores > 1)
      error << (core == 0 ? " on the AIC" : " on an AIV");
    error << "; its pipes may still be at work when the next one begins";
    Site site = error.site();
    site.op = unfinished[core];
    error.other(std::move(site), "this comes last");
    error.fix("pto.block.barrier all");
    result = error;
  }
  return result;
}

LogicalResult Order::finishCrossCore() {
  LogicalResult result = success();
  for (auto &[key, queue] : queues) {
    auto [core, id] = key;
    for (unsigned partner : getPartners(core, /*mode=*/2)) {
      size_t left = getCounter(core, partner, getQueueFlag(id, /*free=*/false)).signals.size();
      if (left == 0)
        continue;
      CheckError error(Check::QueueUnderrun, queue.push);
      error << "queue " << id << ": " << queue.pushed << " tiles are pushed and "
            << queue.pushed - left << " popped when the kernel ends";
      error.fix("pto.block.queue_pop of the other core");
      return error;
    }
  }
  SmallVector<uint32_t> keys;
  for (auto &entry : counters)
    if (!entry.second.signals.empty() && checks.has(Check::CrossCore) &&
        entry.first % kIds < kFlagIds)
      keys.push_back(entry.first);
  llvm::sort(keys);
  std::set<std::pair<uint32_t, uint32_t>> told; // a signal to two cores is one
  for (uint32_t key : keys) {
    uint32_t from = key / kIds / kCores;
    if (!told.insert({from, key % kIds}).second)
      continue;
    const Signal &signal = counters[key].signals.front();
    CheckError error(Check::CrossCore, signal.setter);
    if (cores > 1)
      error.site().core = getCoreName(from).str();
    error << "cross-core flag " << key % kIds << " is still set when the kernel ends ("
          << counters[key].signals.size() << " unmatched); every signal is waited for";
    error.fix("pto.block.cross_core_wait " + std::to_string(key % kIds));
    result = error;
  }
  return result;
}
