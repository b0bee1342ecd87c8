// Host AscendC, compiled once: reports, memories, regions and the issue of instructions.
#pragma once
#include "shadow.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace ascendc_host {
World &world() {
  static World w;
  return w;
}

std::string formatV(const char *f, va_list args) {
  va_list again;
  va_copy(again, args);
  const int n = std::vsnprintf(nullptr, 0, f, args);
  std::string s(size_t(n < 0 ? 0 : n), '\0');
  std::vsnprintf(&s[0], s.size() + 1, f, again);
  va_end(again);
  return s;
}
std::string format(const char *f, ...) {
  va_list args;
  va_start(args, f);
  std::string s = formatV(f, args);
  va_end(args);
  return s;
}

// One launch keeps its first reports; the rest are counted, so a loop cannot drown them.
constexpr size_t kReportsPerLaunch = 100;

void report(const std::string &text) {
  World &w = world();
  if (w.launch && w.reports.size() - w.launch->firstReport >= kReportsPerLaunch) {
    ++w.launch->dropped;
    return;
  }
  w.reports.push_back(text);
}

std::string coreName(const Core &c) {
  const Launch &l = *world().launch;
  std::string s = format("%s %u", c.aic ? "AIC" : "AIV",
                         c.aic ? c.block : c.block * uint32_t(l.ratio ? l.ratio : 1) + c.sub);
  return s;
}

static std::string callName(const char *name, const char *type) {
  return *type ? format("%s<%s>", name, type) : std::string(name);
}

std::string describe(const Issued &r) {
  return format("call #%u %s (pipe %s, %s)", r.order, callName(r.name, r.type).c_str(),
                kSlotNames[r.slot], coreName(*world().launch->cores[r.core]).c_str());
}

void reportCall(const std::string &text) {
  World &w = world();
  if (!w.core)
    return report(text);
  Core &c = *w.core;
  std::string where =
      format("kernel '%s', %s (block %u)", w.launch->kernel.c_str(), coreName(c).c_str(), c.block);
  if (c.callSlot >= 0)
    where += format(", pipe %s", kSlotNames[c.callSlot]);
  if (*c.call)
    where += format(", call #%u %s", c.order, callName(c.call, c.callType).c_str());
  report(where + ": " + text);
}

// ---- memories ----------------------------------------------------------------------------------
static void allocate(Memory &m, uint64_t size, bool ownBytes) {
  m.size = size;
  if (ownBytes) // large calloc pages cost nothing until they are touched
    m.bytes = static_cast<uint8_t *>(std::calloc(size, 1));
  m.def = static_cast<uint8_t *>(std::calloc(size, 1));
}
static void allocateRace(Memory &m) {
  m.writer = static_cast<uint32_t *>(std::calloc(m.size, 4));
  m.readers = static_cast<uint32_t *>(std::calloc(m.size, 4));
}
void freeMemory(Memory &m) {
  if (m.space != Space::GM) { // a region's bytes are the driver's
    std::free(m.bytes);
    m.bytes = nullptr;
  }
  std::free(m.def);
  std::free(m.writer);
  std::free(m.readers);
  m.def = nullptr;
  m.writer = m.readers = nullptr;
}

bool ownsSpace(const Core &c, Space s) { return s == Space::UB ? !c.aic : c.aic; }

Place Instr::localOf(int sub, const LocalBase &t, Space space, int64_t align, const char *what) {
  World &w = world();
  Core *const here = w.core;
  for (auto &core : w.launch->cores)
    if (core->block == here->block && core->aic == (sub < 0) &&
        (sub < 0 || core->sub == uint32_t(sub))) {
      Place p = local(t, space, align, what);
      p.mem = &onChip(*core, space);
      return p;
    }
  stop("%s is on a core that this kernel does not have", what);
}

Memory &onChip(Core &c, Space s) {
  Memory &m = c.mem[size_t(s)];
  if (!m.bytes) {
    m.space = s;
    allocate(m, kSpaceSizes[size_t(s)], true);
    allocateRace(m);
  }
  return m;
}

const uint8_t *peek(Space space) { return onChip(*world().core, space).bytes; }

Region *regionAt(const uint8_t *p) {
  auto &regions = world().regions;
  auto it = regions.upper_bound(const_cast<uint8_t *>(p));
  if (it == regions.begin())
    return nullptr;
  Region *r = std::prev(it)->second.get();
  return p < r->bytes + r->size ? r : nullptr;
}

// The race shadow of a region belongs to one launch: launches of a stream are in order.
void resizeRace(Region &r) {
  World &w = world();
  if (r.launchId == w.launches)
    return;
  std::free(r.writer);
  std::free(r.readers);
  allocateRace(r);
  r.launchId = w.launches;
}

void registerGlobal(void *p, size_t bytes, const char *name, bool writable, bool initialised) {
  World &w = world();
  uint8_t *b = static_cast<uint8_t *>(p);
  auto next = w.regions.lower_bound(b);
  if ((next != w.regions.end() && next->first < b + bytes) || regionAt(b)) {
    report(
        format("registerGlobal: region '%s' overlaps a region that is already registered", name));
    return;
  }
  auto r = std::make_unique<Region>();
  r->bytes = b;
  r->space = Space::GM;
  r->name = name;
  r->writable = writable;
  allocate(*r, bytes, false);
  if (initialised)
    std::memset(r->def, 1, bytes);
  w.regions[b] = std::move(r);
}
void unregisterGlobal(void *p) {
  auto &regions = world().regions;
  auto it = regions.find(static_cast<uint8_t *>(p));
  if (it == regions.end())
    return report(format("unregisterGlobal: %p is no registered region", p));
  freeMemory(*it->second);
  regions.erase(it);
}
void unregisterAll() {
  for (auto &r : world().regions)
    freeMemory(*r.second);
  world().regions.clear();
}
std::vector<std::string> takeReports() {
  std::vector<std::string> r;
  r.swap(world().reports);
  return r;
}
std::string takePrinted() {
  std::string s;
  s.swap(world().printed);
  return s;
}
void setReverseCores(bool reverse) { world().reverse = reverse; }
void reset() {
  unregisterAll();
  world().reports.clear();
  world().printed.clear();
  world().reverse = false;
  aclReset();
}

// ---- issue -------------------------------------------------------------------------------------
// Names the running call for the reports while it lives.
struct Naming {
  Naming(const char *name, const char *type, int slot, bool work) {
    Core &c = *world().core;
    ++c.order;
    c.call = name;
    c.callType = type;
    c.callSlot = slot;
    if (work) {
      c.lastWork = c.order;
      if (!c.inited && !c.initReported) {
        c.initReported = true;
        reportCall("InitSocState() was not called before the first instruction");
      }
    }
  }
  ~Naming() {
    if (Core *c = world().core) {
      c->call = c->callType = "";
      c->callSlot = -1;
    }
  }
};

static bool inKernel(const char *name) {
  if (world().core)
    return true;
  report(format("%s is called outside of a launch", name));
  return false;
}

void issueOn(const char *name, pipe_t pipe, const char *type, bool aicOk, bool aivOk,
             const Body &body) {
  if (!inKernel(name))
    return;
  World &w = world();
  Core &c = *w.core;
  const int slot = slotOf(pipe);
  Naming naming(name, type, slot, true);
  if (!(c.aic ? aicOk : aivOk))
    return reportCall(format("does not exist on an %s", c.aic ? "AIC" : "AIV"));
  Launch &l = *w.launch;
  const uint32_t id = uint32_t(l.issued.size());
  l.issued.push_back(
      {c.index, ++c.issued[slot], c.order, uint8_t(slot), false, name, type, nullptr});
  Instr i(name, pipe, type, id);
  try {
    body(i);
  } catch (const StopInstr &) {
  }
}

void issue(const char *name, pipe_t pipe, const char *type, const Body &body) {
  const bool aiv = pipe == PIPE_V || pipe == PIPE_MTE3;
  const bool aic = pipe == PIPE_M || pipe == PIPE_MTE1 || pipe == PIPE_FIX;
  issueOn(name, pipe, type, !aiv, !aic, body);
}

void scalarCall(const char *name, const Body &body) {
  if (!inKernel(name))
    return;
  Naming naming(name, "", -1, false);
  Instr i(name, PIPE_S, "", 0);
  try {
    body(i);
  } catch (const StopInstr &) {
  }
}

Registers &registers() {
  static Registers none;
  return world().core ? world().core->regs : none;
}

void divisionByZero() { reportCall("an integer is divided by zero"); }

bool isMixed() { return inKernel("a copy between cores") && world().launch->mixed; }
int64_t vectorCoreRatio() { return world().launch ? world().launch->ratio : 0; }

bool isAIC() {
  if (!inKernel("ASCEND_IS_AIC"))
    return false;
  return world().core->aic;
}
int64_t blockIdx() {
  if (!inKernel("GetBlockIdx"))
    return 0;
  const Core &c = *world().core;
  return c.aic ? c.block : c.block * uint32_t(std::max(1, world().launch->ratio)) + c.sub;
}
int64_t blockNum() { return inKernel("GetBlockNum") ? world().launch->numBlocks : 0; }
int64_t subBlockIdx() { return inKernel("GetSubBlockIdx") ? world().core->sub : 0; }
// The fact sheet gives neither number on the AIC of a mixed kernel.
static int64_t vectorCores(const char *name) {
  if (!inKernel(name))
    return 0;
  const Launch &l = *world().launch;
  if (world().core->aic && l.ratio)
    scalarCall(name, [](Instr &i) {
      i.fail("the fact sheet does not say what it returns on the AIC of a mixed kernel");
    });
  return std::max(1, l.ratio);
}
int64_t subBlockNum() { return vectorCores("GetSubBlockNum"); }
int64_t taskRatio() { return vectorCores("GetTaskRatio"); }

void declareKernelType(KernelType type) {
  static const char *names[] = {"AIV_ONLY",    "AIC_ONLY",    "MIX_AIV_1_0",
                                "MIX_AIC_1_0", "MIX_AIC_1_1", "MIX_AIC_1_2"};
  if (!inKernel("KERNEL_TASK_TYPE_DEFAULT"))
    return;
  if (type != world().launch->type)
    reportCall(format("the kernel declares KERNEL_TYPE_%s and is launched as KERNEL_TYPE_%s",
                      names[type], names[world().launch->type]));
}

void initSocState() {
  if (!inKernel("InitSocState"))
    return;
  Core &c = *world().core;
  Naming naming("InitSocState", "", -1, false);
  c.inited = true;
  c.atomic = Atomic::None;
  c.regs.counter = false;
  c.regs.maskLo = c.regs.maskHi = ~0ull;
  c.regs.maskKnown = true;
}

void setAtomic(const char *name, Atomic op, const char *type) {
  if (!inKernel(name))
    return;
  Core &c = *world().core;
  Naming naming(name, type, -1, false);
  // The register acts on copies still under way: those must be known to be done.
  for (int slot : {int(kMTE3), int(kFIX)}) {
    const size_t t = tick(c.index, slot);
    const uint32_t done = std::max(c.clock[slot][t], c.clock[kS][t]);
    if ((op != c.atomic || std::strcmp(type, c.atomicType)) && c.lastGmStore[slot] > done)
      reportCall(format("the atomic mode changes while stores to GM of pipe %s may be under way: "
                        "PipeBarrier<PIPE_%s> first",
                        kSlotNames[slot], kSlotNames[slot]));
  }
  c.atomic = op;
  c.atomicType = type;
}

void printText(const char *text) {
  if (!inKernel("printf"))
    return;
  World &w = world();
  Naming naming("printf", "", -1, false);
  std::string s = text;
  if (s.size() > 30 * 1024)
    reportCall(format("printf of %zu bytes, allowed 30720 a call", s.size()));
  w.printed += s;
  std::fputs(s.c_str(), stdout);
  std::fflush(stdout);
}

void trap() {
  if (inKernel("Trap")) {
    Naming naming("Trap", "", -1, false);
    reportCall("Trap() was called");
  }
  throw StopCore();
}
} // namespace ascendc_host
