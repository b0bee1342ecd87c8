// Host AscendC, compiled once: SetFlag/WaitFlag, PipeBarrier and the cross-core flags.
#pragma once
#include "machine.h"

namespace ascendc_host {
using AscendC::HardEvent;

struct EventInfo {
  const char *name;
  Slot from, to;
};
#define X(a, b) {#a "_" #b, k##a, k##b},
static const EventInfo kEventInfo[] = {ASCENDC_HOST_EVENTS(X)};
#undef X

// The fact sheet's no-ops, and events of pipes the core kind does not have.
static bool eventWorks(const Core &c, HardEvent e) {
  const EventInfo &info = kEventInfo[size_t(e)];
  // On an AIC of the 950 these do nothing either; MTE3 is there for copies from L1 to UB.
  if (kIs950 && c.aic && (info.from == kMTE3 || info.to == kMTE3) &&
      (info.from == kMTE2 || info.to == kMTE2 || info.from == kS || info.to == kS))
    return false;
  auto has = [&](Slot s) {
    if (s == kS || s == kMTE2 || s == kMTE3)
      return true;
    return c.aic ? s != kV : s == kV;
  };
  return has(info.from) && has(info.to);
}

static Flag *flagOf(const char *call, HardEvent event, int64_t id) {
  Core &c = *world().core;
  const EventInfo &info = kEventInfo[size_t(event)];
  c.callType = info.name;
  if (id < 0 || id > 5) {
    reportCall(format("event id %lld, allowed [0, 5] (6 and 7 are reserved)", (long long)id));
    if (id < 0 || id >= kFlagIds)
      return nullptr;
  }
  if (!eventWorks(c, event)) {
    reportCall(format("%s of %s is a no-op on an %s", call, info.name, c.aic ? "AIC" : "AIV"));
    return nullptr;
  }
  return &c.flags[size_t(event)][id];
}

void setFlag(HardEvent event, int64_t id) {
  if (!inKernel("SetFlag"))
    return;
  Core &c = *world().core;
  const Slot from = kEventInfo[size_t(event)].from;
  Naming naming("SetFlag", "", from, true);
  Flag *f = flagOf("SetFlag", event, id);
  if (!f)
    return;
  if (f->set)
    reportCall(format("event id %lld is set a second time before a wait (first by call #%u)",
                      (long long)id, f->order));
  f->set = true;
  f->order = c.order;
  f->clock = doneClock(c, from);
}

void waitFlag(HardEvent event, int64_t id) {
  if (!inKernel("WaitFlag"))
    return;
  Core &c = *world().core;
  const Slot to = kEventInfo[size_t(event)].to;
  Naming naming("WaitFlag", "", to, true);
  Flag *f = flagOf("WaitFlag", event, id);
  if (!f)
    return;
  if (!f->set)
    return reportCall(format("deadlock: event id %lld is waited for and no SetFlag before it set "
                             "it",
                             (long long)id));
  f->set = false;
  join(c.clock[to], f->clock);
}

void pipeBarrier(pipe_t pipe) {
  if (!inKernel("PipeBarrier"))
    return;
  Core &c = *world().core;
  const int slot = slotOf(pipe);
  static const char *names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
  Naming naming("PipeBarrier", slot < 0 ? "ALL" : names[slot], slot, true);
  if (slot >= 0) {
    if (slot == kV ? c.aic : slot == kM || slot == kMTE1 || slot == kFIX ? !c.aic : false)
      reportCall(format("an %s has no pipe %s", c.aic ? "AIC" : "AIV", names[slot]));
    c.clock[slot] = doneClock(c, slot);
    return;
  }
  Clock all = doneClock(c, 0);
  for (int s = 1; s < kSlots; ++s)
    join(all, doneClock(c, s));
  for (Clock &k : c.clock)
    k = all;
  c.lastAll = c.order;
}

static bool hasSlot(const Core &c, int slot) {
  return slot == kV ? !c.aic : slot == kM || slot == kMTE1 || slot == kFIX ? c.aic : true;
}

// ---- mutexes of the 950
// --------------------------------------------------------------------------
static MutexState *mutexOf(Core &c, pipe_t pipe, int64_t id) {
  const int slot = slotOf(pipe);
  if (slot < 0 || !hasSlot(c, slot)) {
    reportCall(format("an %s has no pipe %s", c.aic ? "AIC" : "AIV",
                      slot < 0 ? "of that number" : kSlotNames[slot]));
    return nullptr;
  }
  if (id >= 0 && id < kMutexes)
    return &c.mutexes[id];
  reportCall(format("mutex %lld, allowed [0, 27]", (long long)id));
  return nullptr;
}

void mutexLock(pipe_t pipe, int64_t id) {
  if (!inKernel("Mutex::Lock"))
    return;
  Core &c = *world().core;
  Naming naming("Mutex::Lock", "", slotOf(pipe), true);
  MutexState *m = mutexOf(c, pipe, id);
  if (!m)
    return;
  // Tokens are handed on in program order: what unlocks it later would wait for this pipe.
  if (m->holder >= 0)
    reportCall(format("deadlock: mutex %lld is locked for pipe %s by call #%u and was not unlocked",
                      (long long)id, kSlotNames[m->holder], m->order));
  m->holder = slotOf(pipe);
  m->order = c.order;
  for (int s = 0; s < kSlots; ++s)
    if (s != m->holder && !m->released[s].empty())
      join(c.clock[m->holder], m->released[s]);
}

void mutexUnlock(pipe_t pipe, int64_t id) {
  if (!inKernel("Mutex::Unlock"))
    return;
  Core &c = *world().core;
  Naming naming("Mutex::Unlock", "", slotOf(pipe), true);
  MutexState *m = mutexOf(c, pipe, id);
  if (!m)
    return;
  const int slot = slotOf(pipe);
  if (m->holder != slot)
    return reportCall(
        format("mutex %lld is not locked for pipe %s", (long long)id, kSlotNames[slot]));
  m->holder = -1;
  m->released[slot] = doneClock(c, slot);
}

// ---- cross-core flags --------------------------------------------------------------------------
static bool crossAllowed(const Core &c, int mode, int64_t id) {
  const Launch &l = *world().launch;
  // Ids 11 to 14 are of SyncAll; the AIC of a 950 names the second AIV's in mode 4 by 16 more.
  const bool second = mode == 4 && c.aic && id >= 16;
  const int64_t own = second ? id - 16 : id;
  if (own < 0 || (own > 10 && (mode == 4 || own != 15)))
    reportCall(format("cross-core flag id %lld, allowed [0, 10]%s", (long long)id,
                      mode != 4 ? " and 15"
                      : c.aic   ? " and [16, 26]"
                                : ""));
  if (own < 0 || own > 15)
    return false;
  if (mode == 4 && l.ratio != 2) {
    reportCall("cross-core mode 4 needs KERNEL_TYPE_MIX_AIC_1_2");
    return false;
  }
  if (!l.cross) {
    reportCall("an AIV_ONLY or AIC_ONLY kernel cannot use cross-core flags (MIX_AIV_1_0 or "
               "MIX_AIC_1_0 can)");
    return false;
  }
  if (mode > 0 && !l.mixed) {
    reportCall(format("cross-core mode %d needs KERNEL_TYPE_MIX_AIC_1_1 or MIX_AIC_1_2", mode));
    return false;
  }
  if (mode == 1 && c.aic) {
    reportCall("cross-core mode 1 is between the AIVs of a group, this is an AIC");
    return false;
  }
  return true;
}

// Until somebody has set it; other cores run meanwhile.
static void waitCross(Core &c, int64_t id) {
  Launch &l = *world().launch;
  while (c.pending[id].empty()) {
    if (l.aborting)
      throw StopCore();
    c.waiting = true;
    c.waitId = id;
    swapcontext(&c.context, &l.scheduler);
    c.waiting = false;
  }
}

void crossSet(int mode, pipe_t pipe, int64_t id) {
  if (!inKernel("CrossCoreSetFlag"))
    return;
  Launch &l = *world().launch;
  Core &c = *world().core;
  const int slot = slotOf(pipe);
  Naming naming("CrossCoreSetFlag", "", slot, true);
  if (!crossAllowed(c, mode, id))
    return;
  const bool has = hasSlot(c, slot);
  if (!has)
    reportCall(format("an %s has no pipe %s", c.aic ? "AIC" : "AIV", kSlotNames[slot]));
  std::vector<Core *> from, to;
  // Mode 4 joins the AIC and one AIV: an AIV's id is `id` there and 16 more on the AIC if it is the
  // second.
  int64_t toId = id;
  if (mode == 4) {
    const uint32_t sub = c.aic ? uint32_t(id >= 16) : c.sub;
    for (auto &o : l.cores)
      if (o->block == c.block && o->aic != c.aic && (c.aic ? o->sub == sub : true))
        to.push_back(o.get());
    from.push_back(&c);
    toId = c.aic ? id % 16 : id + 16 * int64_t(sub);
  }
  for (auto &o : l.cores) {
    if (mode == 4)
      break;
    const bool group = o->block == c.block;
    if (mode == 2 ? group && o->aic == c.aic && (c.aic ? o.get() == &c : true)
                  : o->aic == c.aic && (mode == 0 || group))
      from.push_back(o.get());
    if (mode == 2 ? group && o->aic != c.aic : o->aic == c.aic && (mode == 0 || group))
      to.push_back(o.get());
  }
  auto open = [&](Core *o) {
    if (!o->pending[id].empty())
      return true;
    for (auto &g : o->given)
      if (!g[id].empty())
        return true;
    return false;
  };
  for (Core *o : from)
    if (o->crossMode[id] >= 0 && o->crossMode[id] != mode && open(o)) {
      reportCall(format("cross-core flag id %lld is used in mode %d while a mode %d use of it is "
                        "not balanced",
                        (long long)id, mode, o->crossMode[id]));
      break;
    }
  for (Core *o : from)
    o->crossMode[id] = mode;
  for (Core *o : to)
    o->crossMode[id] = mode;
  c.given[mode][id].push_back(doneClock(c, slot));
  bool full = true;
  for (Core *o : from)
    full &= !o->given[mode][id].empty();
  if (full) {
    Clock k(clockSize(l));
    for (Core *o : from) {
      join(k, o->given[mode][id].front());
      o->given[mode][id].erase(o->given[mode][id].begin());
    }
    for (Core *o : to)
      o->pending[toId].push_back(k);
  }
  size_t most = c.given[mode][id].size();
  for (Core *o : to)
    most = std::max(most, o->pending[toId].size());
  if (most > 15)
    reportCall(format("the counter of cross-core flag id %lld is %zu, allowed 15 unmatched sets",
                      (long long)id, most));
}

// All cores of the launch; the hardware has a counter of its own for it.
constexpr int kSyncAllId = 14;
void syncAll(bool vectorsOnly) {
  if (!inKernel("SyncAll"))
    return;
  Launch &l = *world().launch;
  Core &c = *world().core;
  Naming naming("SyncAll", "", kS, true);
  if (!l.cross)
    return reportCall("an AIV_ONLY or AIC_ONLY kernel cannot use SyncAll (MIX_AIV_1_0 can)");
  if (vectorsOnly == l.hasAic)
    return reportCall(format("deadlock: isAIVOnly is %s in a kernel that has %s",
                             vectorsOnly ? "true" : "false", l.hasAic ? "an AIC" : "AIVs only"));
  Clock mine = doneClock(c, 0);
  for (int s = 1; s < kSlots; ++s)
    join(mine, doneClock(c, s));
  c.given[0][kSyncAllId].push_back(mine);
  bool full = true;
  for (auto &o : l.cores)
    full &= !o->given[0][kSyncAllId].empty();
  if (full) {
    Clock all(clockSize(l));
    for (auto &o : l.cores) {
      join(all, o->given[0][kSyncAllId].front());
      o->given[0][kSyncAllId].erase(o->given[0][kSyncAllId].begin());
    }
    for (auto &o : l.cores)
      o->pending[kSyncAllId].push_back(all);
  }
  waitCross(c, kSyncAllId);
  for (Clock &k : c.clock)
    join(k, c.pending[kSyncAllId].front());
  c.pending[kSyncAllId].erase(c.pending[kSyncAllId].begin());
}

void crossWait(int mode, pipe_t pipe, int64_t id) {
  if (!inKernel("CrossCoreWaitFlag"))
    return;
  Core &c = *world().core;
  const int slot = slotOf(pipe);
  Naming naming("CrossCoreWaitFlag", "", slot < 0 ? int(kS) : slot, true);
  // The 910B ignores the mode too.
  if (!crossAllowed(c, kIs950 ? mode : 0, id))
    return;
  if (slot >= 0 && !hasSlot(c, slot))
    return reportCall(format("an %s has no pipe %s", c.aic ? "AIC" : "AIV", kSlotNames[slot]));
  waitCross(c, id);
  for (int s = 0; s < kSlots; ++s)
    if (slot < 0 || s == slot)
      join(c.clock[s], c.pending[id].front());
  c.pending[id].erase(c.pending[id].begin());
}
} // namespace ascendc_host
