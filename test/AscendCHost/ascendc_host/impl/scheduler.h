// Host AscendC, compiled once: a launch runs its cores as coroutines, one at a time, each until it
// waits for a cross-core flag nobody has set; so every run is the same run.
#pragma once
#include "flags.h"
#include <exception>
#include <sys/mman.h>

namespace ascendc_host {
constexpr size_t kStack = 4 << 20; // lazily backed, so its size is free

static void finishCore(Core &c) {
  c.call = c.callType = "";
  c.callSlot = -1;
  if (c.lastWork > c.lastAll)
    reportCall("PipeBarrier<PIPE_ALL>() is missing at the end of the kernel");
  if (c.atomic != Atomic::None)
    reportCall(
        format("atomics (SetAtomic* of %s) are left on at the end of the kernel", c.atomicType));
  if (c.regs.counter)
    reportCall("the vector mask is left in Counter mode at the end of the kernel");
  if (c.regs.hf32)
    reportCall("SetHF32Mode(true) is left on at the end of the kernel");
  for (int e = 0; e < kEvents; ++e)
    for (int id = 0; id < kFlagIds; ++id)
      if (c.flags[e][id].set)
        reportCall(format("flag %s id %d, set by call #%u, is never waited for", kEventInfo[e].name,
                          id, c.flags[e][id].order));
  for (int id = 0; id < kMutexes; ++id)
    if (c.mutexes[id].holder >= 0)
      reportCall(format("mutex %d, locked for pipe %s by call #%u, is never unlocked", id,
                        kSlotNames[c.mutexes[id].holder], c.mutexes[id].order));
  for (auto &flag : c.unitFlags)
    if (flag.second.set) {
      reportCall(format("the unit flag of C at 0x%llx is left set at the end of the kernel",
                        (unsigned long long)flag.first * 1024));
      break;
    }
  for (auto &line : c.lines)
    if (line.second.dirty) {
      reportCall("a SetValue on GM is never followed by DataCacheCleanAndInvalid of its line");
      break;
    }
}

static void coreMain() {
  World &w = world();
  Core &c = *w.core;
  try {
    (*w.launch->body)();
    finishCore(c);
  } catch (const StopCore &) {
  } catch (const std::exception &e) {
    reportCall(format("the kernel body threw: %s", e.what()));
  } catch (...) {
    reportCall("the kernel body threw");
  }
  c.done = true;
  for (Memory &m : c.mem)
    freeMemory(m);
  swapcontext(&c.context, &w.launch->scheduler);
}

static void resume(Core &c) {
  World &w = world();
  w.core = &c;
  swapcontext(&w.launch->scheduler, &c.context);
  w.core = nullptr;
}

// Apart from launch(): getcontext returns twice as far as the compiler knows.
static void prepare(Core &c) {
  c.stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (c.stack == MAP_FAILED)
    std::abort();
  getcontext(&c.context);
  c.context.uc_stack.ss_sp = c.stack;
  c.context.uc_stack.ss_size = kStack;
  c.context.uc_link = nullptr;
  makecontext(&c.context, coreMain, 0);
}

static void addCore(Launch &l, bool aic, uint32_t block, uint32_t sub) {
  auto c = std::make_unique<Core>();
  c->index = uint32_t(l.cores.size());
  c->aic = aic;
  c->block = block;
  c->sub = sub;
  std::fill(c->crossMode, c->crossMode + kCrossIds, -1);
  l.cores.push_back(std::move(c));
}

static void endLaunch(Launch &l) {
  World &w = world();
  if (!l.aborting)
    for (auto &c : l.cores) {
      w.core = c.get();
      for (int id = 0; id < kCrossIds; ++id) {
        if (!c->pending[id].empty())
          reportCall(format("cross-core flag id %d: %zu set(s) are never waited for", id,
                            c->pending[id].size()));
        for (int mode = 0; mode < kCrossModes; ++mode)
          if (!c->given[mode][id].empty())
            reportCall(format("cross-core flag id %d: %zu mode %d set(s) of this core are not "
                              "matched by the other cores",
                              id, c->given[mode][id].size(), mode));
      }
    }
  w.core = nullptr;
  for (auto &c : l.cores) {
    for (Memory &m : c->mem)
      freeMemory(m);
    if (c->stack)
      munmap(c->stack, kStack);
  }
  if (l.dropped) {
    const size_t n = l.dropped;
    w.launch = nullptr;
    report(format("kernel '%s': %zu further report(s) are left out", l.kernel.c_str(), n));
  }
}

static void runLaunch(const std::string &name, KernelType type, uint32_t numBlocks,
                      const std::function<void()> &body);

void launch(const char *name, KernelType type, uint32_t numBlocks, std::function<void()> body,
            void *stream) {
  if (world().launch)
    return report(format("launch of '%s' inside a kernel", name));
  if (numBlocks < 1 || numBlocks > 65535)
    return report(format("launch of '%s': numBlocks is %u, allowed [1, 65535]", name, numBlocks));
  if (stream && !streamAlive(stream))
    return report(format("launch of '%s': %p is not a stream", name, stream));
  auto run = [=, kernel = std::string(name)] { runLaunch(kernel, type, numBlocks, body); };
  if (!deferLaunch(stream, run))
    run();
}

static void runLaunch(const std::string &name, KernelType type, uint32_t numBlocks,
                      const std::function<void()> &body) {
  World &w = world();
  Launch l;
  l.kernel = name;
  l.type = type;
  l.numBlocks = numBlocks;
  l.body = &body;
  l.firstReport = w.reports.size();
  l.ratio = type == AscendC::KERNEL_TYPE_MIX_AIC_1_1   ? 1
            : type == AscendC::KERNEL_TYPE_MIX_AIC_1_2 ? 2
                                                       : 0;
  l.mixed = l.ratio > 0;
  l.hasAic =
      l.mixed || type == AscendC::KERNEL_TYPE_AIC_ONLY || type == AscendC::KERNEL_TYPE_MIX_AIC_1_0;
  l.cross = type != AscendC::KERNEL_TYPE_AIV_ONLY && type != AscendC::KERNEL_TYPE_AIC_ONLY;
  l.issued.push_back({});
  l.readSets.push_back({});
  for (uint32_t b = 0; b < numBlocks; ++b) {
    if (l.hasAic)
      addCore(l, true, b, 0);
    for (int s = 0; s < (l.hasAic ? l.ratio : 1); ++s)
      addCore(l, false, b, uint32_t(s));
  }
  ++w.launches;
  w.launch = &l;
  std::vector<Core *> order;
  for (auto &c : l.cores) {
    for (Clock &k : c->clock)
      k.assign(clockSize(l), 0);
    order.push_back(c.get());
  }
  if (w.reverse)
    std::reverse(order.begin(), order.end());
  for (;;) {
    bool progress = false, alive = false;
    for (Core *c : order) {
      if (c->done || (c->waiting && c->pending[c->waitId].empty() && !l.aborting)) {
        alive |= !c->done;
        continue;
      }
      if (!c->stack)
        prepare(*c);
      resume(*c);
      if (c->done && c->stack) { // thousands of blocks do not hold thousands of stacks
        munmap(c->stack, kStack);
        c->stack = nullptr;
      }
      progress = true;
      alive |= !c->done;
    }
    if (!alive)
      break;
    if (!progress) { // everybody waits: say so, then unwind their stacks
      for (Core *c : order)
        if (!c->done) {
          w.core = c;
          reportCall(format("deadlock: waits for cross-core flag id %lld, which is not set",
                            (long long)c->waitId));
          w.core = nullptr;
        }
      l.aborting = true;
    }
  }
  endLaunch(l);
  w.launch = nullptr;
}
} // namespace ascendc_host

// ---- for ctypes --------------------------------------------------------------------------------
extern "C" {
void ascendc_host_reset() { ascendc_host::reset(); }
void ascendc_host_register(void *p, uint64_t bytes, const char *name, int writable,
                           int initialised) {
  ascendc_host::registerGlobal(p, bytes, name, writable != 0, initialised != 0);
}
void ascendc_host_unregister_all() { ascendc_host::unregisterAll(); }
void ascendc_host_reverse_cores(int reverse) { ascendc_host::setReverseCores(reverse != 0); }
// The reports so far, one a line, and forgets them; the text lives until the next fetch.
const char *ascendc_host_take_reports() {
  std::string &text = ascendc_host::world().fetched;
  text.clear();
  for (const std::string &r : ascendc_host::takeReports())
    text += r + "\n";
  return text.c_str();
}
const char *ascendc_host_take_printed() {
  std::string &text = ascendc_host::world().fetched;
  text = ascendc_host::takePrinted();
  return text.c_str();
}
}
