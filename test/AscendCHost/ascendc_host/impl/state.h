// Host AscendC, compiled once: what a launch and its cores hold.
#pragma once
#include "../machine.h"
#include <cstdarg>
#include <map>
#include <memory>
#include <set>
#include <ucontext.h>

namespace ascendc_host {
using Clock = std::vector<uint32_t>;

// Pipes with a clock of their own.
enum Slot : uint8_t { kS, kV, kM, kMTE1, kMTE2, kMTE3, kFIX, kSlots };
constexpr const char *kSlotNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

inline int slotOf(pipe_t p) { return p == PIPE_FIX ? int(kFIX) : p <= PIPE_MTE3 ? int(p) : -1; }

// What later conflicts need to know of an instruction.
struct Issued {
  uint32_t core, clk, order;
  uint8_t slot;
  bool bigMmad;
  const char *name, *type, *atomic;
};

constexpr int kEvents = int(AscendC::HardEvent::MAX);
// Counters of mode 4 towards the second AIV of a cluster are 16 higher, on the AIC.
constexpr int kFlagIds = 8, kCrossIds = 32, kCrossModes = 5, kMutexes = 28;

struct Flag {
  bool set = false;
  uint32_t order = 0;
  Clock clock;
};

// What a mutex orders: who has it, and what was done when each pipe gave it back.
struct MutexState {
  int holder = -1; // a slot
  uint32_t order = 0;
  Clock released[kSlots];
};

// The unit flag of a fractal of L0C.
struct UnitFlag {
  bool set = false;
  Clock clock; // of what set or cleared it
};

// A 64 B line of the scalar unit's data cache.
struct Line {
  bool dirty = false, cleaned = false;
  Clock cleanClock; // what had happened for sure when the line was last dropped
};

struct Core {
  uint32_t index = 0, block = 0, sub = 0;
  bool aic = false;
  Memory mem[size_t(Space::GM)];
  Clock clock[kSlots];
  uint32_t issued[kSlots] = {};
  Flag flags[kEvents][kFlagIds];
  std::vector<Clock> given[kCrossModes][kCrossIds], pending[kCrossIds]; // queues, oldest first
  int crossMode[kCrossIds];
  MutexState mutexes[kMutexes];
  Registers regs;
  Atomic atomic = Atomic::None;
  const char *atomicType = "";
  uint32_t lastGmStore[kSlots] = {}; // clock of the last store to GM of each pipe
  std::map<uint64_t, Line> lines;
  std::map<uint64_t, UnitFlag> unitFlags; // by fractal
  uint32_t order = 0, lastAll = 0, lastWork = 0;
  bool inited = false, initReported = false, done = false, waiting = false;
  const char *call = "", *callType = "";
  int callSlot = -1;
  ucontext_t context;
  void *stack = nullptr;
  int64_t waitId = -1;
};

struct Region : Memory {
  uint32_t launchId = 0; // the launch its race shadow belongs to
};

struct Launch {
  std::string kernel;
  KernelType type;
  uint32_t numBlocks = 0;
  int ratio = 0; // AIVs beside each AIC
  bool hasAic = false, mixed = false, cross = false;
  std::vector<std::unique_ptr<Core>> cores;
  std::vector<Issued> issued; // [0] unused: id 0 is "nobody"
  std::vector<std::vector<uint32_t>> readSets;
  const std::function<void()> *body = nullptr;
  ucontext_t scheduler;
  bool aborting = false, scalarStores = false; // some core did SetValue on GM
  size_t firstReport = 0, dropped = 0;
};

struct World {
  std::vector<std::string> reports;
  std::string printed, fetched;
  std::map<uint8_t *, std::unique_ptr<Region>> regions;
  Launch *launch = nullptr;
  Core *core = nullptr;
  uint32_t launches = 0;
  bool reverse = false;
};
World &world();

void report(const std::string &text);     // as is
void reportCall(const std::string &text); // names kernel, core, pipe and call
std::string formatV(const char *format, va_list args);
std::string format(const char *format, ...) __attribute__((format(printf, 1, 2)));
std::string describe(const Issued &r); // "call #3 Add<float> (pipe V, AIV 0)"
std::string coreName(const Core &c);
bool ownsSpace(const Core &c, Space s);
Memory &onChip(Core &c, Space s);
Region *regionAt(const uint8_t *p);
void resizeRace(Region &r);
void freeMemory(Memory &m);
bool streamAlive(void *stream);
// Gives a launch to a stream, which runs it in its turn; false for the default stream.
bool deferLaunch(void *stream, std::function<void()> run);
void aclReset();

inline void join(Clock &into, const Clock &from) {
  for (size_t i = 0; i < into.size(); ++i)
    if (from[i] > into[i])
      into[i] = from[i];
}
// Where a pipe stands in the clocks. Without cross-core flags cores never hear of each other, and a
// clock is of one core: a launch of many blocks then costs no more than its blocks.
inline size_t tick(uint32_t core, int slot) {
  return world().launch->cross ? core * size_t(kSlots) + size_t(slot) : size_t(slot);
}
inline size_t clockSize(const Launch &l) { return (l.cross ? l.cores.size() : 1) * kSlots; }
// Whether a clock of core me has seen that instruction done.
inline bool knows(const Clock &k, const Core &me, const Issued &o) {
  return (world().launch->cross || o.core == me.index) && k[tick(o.core, o.slot)] >= o.clk;
}
// Everything the pipe was given so far, done.
inline Clock doneClock(const Core &c, int slot) {
  Clock k = c.clock[slot];
  k[tick(c.index, slot)] = c.issued[slot];
  return k;
}
} // namespace ascendc_host
