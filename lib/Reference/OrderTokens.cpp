//===- OrderTokens.cpp - Mutexes, unit flags, barriers of all cores ----------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Order that is not said by flags between two pipes: a mutex is a token that pipes hand
// on in program order; an accumulator has a flag that product and read-out hand to each
// other; a barrier joins all cores of a launch.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Order.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Mutexes
//===----------------------------------------------------------------------===//

LogicalResult Order::mutexLock(unsigned core, Pipe pipe, int64_t id, Operation *op) {
  Mutex &mutex = mutexes[{core, id}];
  unfinished[core] = op;
  if (mutex.holder && checks.has(Check::Mutex)) {
    CheckError error(Check::Mutex, op);
    error << "locks mutex " << id;
    if (mutex.pipe == pipe)
      error << " for " << pipeWord(pipe) << ", which holds it: the pipe waits for itself";
    else
      error << " for " << pipeWord(pipe) << " before " << pipeWord(mutex.pipe)
            << " has unlocked it: a mutex goes from pipe to pipe in the order of the program";
    note(error, pipe, mutex.holder, mutex.pipe, "it is locked here");
    error.fix("pto.block.mutex_unlock " + stringifyPipe(mutex.pipe).str() + ", " +
              std::to_string(id) + " in front of it");
    return error;
  }
  mutex.holder = op;
  mutex.pipe = pipe;
  unsigned own = thread(core, pipe);
  for (unsigned other = 0; other < kPipes; ++other) {
    // A pipe does not wait for itself: barriers are for that.
    if (other == static_cast<unsigned>(pipe) || !mutex.instants[other])
      continue;
    join(clocks[own], mutex.released[other]);
    if (timeline)
      timeline->wait(own, *mutex.instants[other]);
  }
  return success();
}

LogicalResult Order::mutexUnlock(unsigned core, Pipe pipe, int64_t id, Operation *op) {
  Mutex &mutex = mutexes[{core, id}];
  unfinished[core] = op;
  if ((!mutex.holder || mutex.pipe != pipe) && checks.has(Check::Mutex)) {
    CheckError error(Check::Mutex, op);
    error << "unlocks mutex " << id << ", which " << pipeWord(pipe) << " does not hold";
    if (mutex.holder)
      note(error, pipe, mutex.holder, mutex.pipe, pipeWord(mutex.pipe) + " locked it here");
    else if (mutex.last)
      note(error, pipe, mutex.last, mutex.pipe, "it was unlocked here");
    error.fix("pto.block.mutex_lock " + stringifyPipe(pipe).str() + ", " + std::to_string(id) +
              " in front of it");
    return error;
  }
  unsigned own = thread(core, pipe), number = static_cast<unsigned>(pipe);
  mutex.holder = nullptr;
  mutex.last = op;
  mutex.released[number] = clocks[own];
  mutex.released[number][own] = last[own].index;
  mutex.instants[number] = timeline ? timeline->set(own, Wait::Flag) : Instant();
  return success();
}

//===----------------------------------------------------------------------===//
// Unit flags
//===----------------------------------------------------------------------===//

LogicalResult Order::unitWait(unsigned core, Pipe pipe, ArrayRef<int64_t> fractals, bool reads,
                              Operation *op, Value acc) {
  unsigned own = thread(core, pipe);
  for (int64_t fractal : fractals) {
    UnitFlag &flag = unitFlags[{core, fractal}];
    if (flag.set != reads && checks.has(Check::UnitFlag)) {
      CheckError error(Check::UnitFlag, op);
      error.about(acc);
      error << "waits until the unit flag of " << valueWord(acc) << " is "
            << (reads ? "set" : "clear") << ", and nothing in front of it "
            << (reads ? "sets it: the last product of an accumulator has phase=pl.AccPhase.Final"
                      : "clears it: the last store or move of it has phase=pl.STPhase.Final")
            << "; the core hangs here";
      if (flag.changer)
        note(error, pipe, flag.changer, reads ? Pipe::FIX : Pipe::M,
             reads ? "it was cleared here" : "it was set here");
      return error;
    }
    join(clocks[own], flag.clock);
    if (timeline && flag.changer)
      timeline->wait(own, flag.instant);
  }
  return success();
}

void Order::unitChange(unsigned core, Pipe pipe, ArrayRef<int64_t> fractals, bool reads,
                       Operation *op) {
  unsigned own = thread(core, pipe);
  UnitFlag changed;
  changed.set = !reads;
  changed.changer = op;
  changed.clock = clocks[own];
  changed.clock[own] = last[own].index;
  if (timeline)
    changed.instant = timeline->set(own, Wait::Flag);
  for (int64_t fractal : fractals)
    unitFlags[{core, fractal}] = changed;
}

//===----------------------------------------------------------------------===//
// All cores
//===----------------------------------------------------------------------===//

/// Signals of barriers have numbers behind those of all cross-core flags.
static constexpr int64_t kFirstSync = 64;

bool Order::syncAll(unsigned core, unsigned scope, ArrayRef<unsigned> participants) {
  uint32_t number = syncCount[core][scope];
  Joint &joint = joints[{scope, number}];
  bool aic = scope != 0 && core == 0;
  int64_t id = kFirstSync + scope;
  if (!inSync[core]) {
    inSync[core] = true;
    barrier(core, Pipe::ALL);
    Clock done = clocks[thread(core, Pipe::S)];
    join(joint.clock, done);
    ++joint.arrived;
    Instant instant;
    if (timeline)
      joint.instants.push_back(instant = timeline->set(thread(core, Pipe::S), Wait::CrossCore));
    if (signals)
      sent.push_back({block, core, id, number, done, known[core], instant, scope == 0});
  }
  KnowledgePtr others;
  if (joint.arrived < participants.size() ||
      (signals && !(others = signals->lookup(aic, id, number, participants.size()))))
    return false;
  inSync[core] = false;
  ++syncCount[core][scope];
  joinAll(core, joint.clock);
  learn(core, others);
  if (timeline) {
    SmallVector<Instant, 3> instants = joint.instants;
    if (signals)
      instants.push_back(signals->getInstant(aic, id, number));
    timeline->waitAll(core, instants);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The end of a kernel
//===----------------------------------------------------------------------===//

LogicalResult Order::finishTokens(unsigned core) {
  for (auto &[key, mutex] : mutexes) {
    if (key.first != core || !mutex.holder || !checks.has(Check::Mutex))
      continue;
    CheckError error(Check::Mutex, mutex.holder);
    error << "mutex " << key.second << " is still held by " << pipeWord(mutex.pipe)
          << " when the kernel ends; every mutex that is locked is unlocked";
    error.site().pipe = pipeWord(mutex.pipe);
    error.fix("pto.block.mutex_unlock " + stringifyPipe(mutex.pipe).str() + ", " +
              std::to_string(key.second));
    return error;
  }
  for (auto &[key, flag] : unitFlags) {
    if (key.first != core || !flag.set || !checks.has(Check::UnitFlag))
      continue;
    CheckError error(Check::UnitFlag, flag.changer);
    error << "the unit flag of its accumulator is still set when the kernel ends; the last store "
             "or move of it has phase=pl.STPhase.Final, or the next kernel hangs";
    return error;
  }
  return success();
}
