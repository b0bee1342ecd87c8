// Host AscendC: the machine the kernels run on - cores, memories, instructions and their reports.
//
// A kernel runs in program order on each core, so its data are what a right schedule gives; whether
// the schedule is right is decided apart, by vector clocks (shadow in impl/machine.h).
#pragma once
#include "types.h"
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace ascendc_host {
using AscendC::TPosition;
using KernelType = AscendC::KernelMetaType;

// ---- for drivers -------------------------------------------------------------------------------
// Runs body once for each core of the launch; stream is checked to be alive when it is given.
void launch(const char *kernelName, KernelType type, uint32_t numBlocks, std::function<void()> body,
            void *stream = nullptr);
void registerGlobal(void *p, size_t bytes, const char *name, bool writable = true,
                    bool initialised = true);
void unregisterGlobal(void *p);
void unregisterAll();
std::vector<std::string> takeReports();
std::string takePrinted();
// Cores run from the last to the first: a right kernel gives the same bytes in either order.
void setReverseCores(bool reverse);
void setStreamSeed(uint64_t seed);
void reset();
// The bytes of a space of the running core, for tests of layouts.
enum class Space : uint8_t;
const uint8_t *peek(Space space);

// ---- for the calls -----------------------------------------------------------------------------
enum class Space : uint8_t { UB, L1, L0A, L0B, L0C, BT, GM, None };

// A piece of memory with one shadow entry a byte: defined or not, last writer, readers since.
struct Memory {
  uint8_t *bytes = nullptr;
  uint64_t size = 0;
  Space space = Space::None;
  std::string name;
  uint8_t *def = nullptr;
  uint32_t *writer = nullptr, *readers = nullptr;
  bool writable = true;
};

struct Place {
  Memory *mem = nullptr;
  uint64_t off = 0;
};

// What a LocalTensor is to the checks: a place and the bytes [lo,hi) the tensor was declared with.
struct LocalBase {
  TPosition pos = TPosition::MAX;
  int64_t addr = 0, lo = 0, hi = 0;
  bool valid = false;
};

struct GlobalBase {
  uint8_t *ptr = nullptr, *lo = nullptr, *hi = nullptr; // hi == nullptr: no size was declared
  bool valid = false;
};

struct StopInstr {}; // gives up one instruction after a report
struct StopCore {};  // ends one core after a report

class Instr {
public:
  Instr(const char *name, pipe_t pipe, const char *type, uint32_t id)
      : name(name), pipe(pipe), type(type), id(id) {}
  void fail(const char *format, ...) __attribute__((format(printf, 2, 3)));
  [[noreturn]] void stop(const char *format, ...) __attribute__((format(printf, 2, 3)));
  // Refuses a value outside [lo,hi]; name it as the fact sheet does.
  void range(const char *what, int64_t value, int64_t lo, int64_t hi) {
    if (value < lo || value > hi)
      stop("%s is %lld, allowed [%lld, %lld]", what, (long long)value, (long long)lo,
           (long long)hi);
  }

  // The place of an operand, its position and alignment checked.
  Place local(const LocalBase &t, Space space, int64_t align, const char *what);
  // The same of another core of the cluster (950): AIV `sub`, or the AIC where that is -1.
  Place localOf(int sub, const LocalBase &t, Space space, int64_t align, const char *what);
  // Also that [byteOffset, byteOffset+len) is inside the buffer the GlobalTensor was given.
  Place global(const GlobalBase &t, int64_t byteOffset, int64_t align, const char *what,
               int64_t len = 1);
  // [off,off+len) of the operand must be inside the tensor (rounded up to 32 B) it was declared as.
  void inside(const LocalBase &t, int64_t addr, int64_t len, const char *what);

  // One access: bounds, definedness, races. compute: undefined bytes are an error.
  const uint8_t *read(Place p, uint64_t len, const char *what, bool compute = true);
  uint8_t *write(Place p, uint64_t len, const char *what);
  bool wasRead(Place p, uint64_t len) const; // by this instruction, since the last write
  bool isDefined(Place p, uint64_t len) const;
  void needDefined(Place p, uint64_t len, const char *what);
  void setDefined(Place p, uint64_t len, bool defined);
  // Copies bytes with their definedness; into GM undefined bytes are an error.
  void move(Place dst, Place src, uint64_t len, const char *dstWhat, const char *srcWhat);
  // As write() for a store to GM of elements that obeys SetAtomic*.
  void storeGlobal(Place dst, const uint8_t *data, uint64_t len, const char *elemType,
                   const char *what);

  const char *name;
  pipe_t pipe;
  const char *type;
  uint32_t id;
  bool ownWriteOk = false; // a later repeat may touch what an earlier one wrote
  bool bigMmad = false;    // an accumulation long enough for the cube to keep its own order
  const char *atomic = nullptr;
  std::vector<uint32_t> raced;
  bool ownReported = false, undefReported = false;
  uint32_t memoOld = ~0u, memoNew = 0;

private:
  void race(uint32_t other, bool otherWrote, bool write, const Memory &m, uint64_t off,
            uint64_t len, const char *what);
  bool ordered(uint32_t other, bool bothWrite) const;
};

// A non-owning function reference: keeps one copy of issue() for all calls.
class Body {
public:
  template <typename F>
  Body(const F &f)
      : self(&f), call([](const void *s, Instr &i) { (*static_cast<const F *>(s))(i); }) {}
  void operator()(Instr &i) const { call(self, i); }

private:
  const void *self;
  void (*call)(const void *, Instr &);
};

// Issues one instruction on the running core; aicOk / aivOk say on which kind it exists.
void issue(const char *name, pipe_t pipe, const char *type, const Body &body);
void issueOn(const char *name, pipe_t pipe, const char *type, bool aicOk, bool aivOk,
             const Body &body);
// A register or scalar-unit call: counts as a call of the kernel, touches no memory.
void scalarCall(const char *name, const Body &body);

bool isAIC();
int64_t blockIdx();
int64_t blockNum();
int64_t subBlockIdx();
int64_t subBlockNum();
int64_t taskRatio();
bool isMixed();            // the kernel has an AIC and AIVs
int64_t vectorCoreRatio(); // AIVs beside each AIC
void divisionByZero();     // of the running instruction
void declareKernelType(KernelType type);
void initSocState();
void setFlag(AscendC::HardEvent event, int64_t id);
void waitFlag(AscendC::HardEvent event, int64_t id);
void pipeBarrier(pipe_t pipe);
void crossSet(int mode, pipe_t pipe, int64_t id);
// pipe: what the wait holds; PIPE_ALL for all of the core.
void crossWait(int mode, pipe_t pipe, int64_t id);
void mutexLock(pipe_t pipe, int64_t id);
void mutexUnlock(pipe_t pipe, int64_t id);
void syncAll(bool vectorsOnly);
void printText(const char *text);
[[noreturn]] void trap();

// Registers of the running core.
enum class Atomic : uint8_t { None, Add, Max, Min };
void setAtomic(const char *name, Atomic op, const char *type);
struct Registers {
  uint64_t maskLo = 0, maskHi = 0;
  bool maskKnown = false, counter = false;
  bool padSet = false, deqSet = false, hf32 = false;
  int readByRows = -1; // SetMMRowMajor 1, SetMMColumnMajor 0
  uint64_t padValue = 0;
  half deqScale = half(0);
  uint16_t mrgCounts[4] = {0, 0, 0, 0};
};
Registers &registers();

// Scalar access to global memory goes through the core's data cache.
void cacheRead(Instr &i, Place p, uint64_t len);
void cacheWrite(Instr &i, Place p, uint64_t len);
void cacheClean(Instr &i, Place p, bool whole);
void reportTensor(const LocalBase &t); // checks a LocalTensor where it is made

inline uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
template <typename T> T load(const uint8_t *p) {
  T v;
  std::memcpy(&v, p, sizeof(T));
  return v;
}
template <typename T> void store(uint8_t *p, T v) { std::memcpy(p, &v, sizeof(T)); }
} // namespace ascendc_host

#define ASCENDC_HOST_ONLY(call, T, ...) ASCENDC_HOST_ONLY_OF(call, T, __VA_ARGS__) // a list by chip
#define ASCENDC_HOST_ONLY_OF(call, T, ...)                                                         \
  static_assert(::ascendc_host::oneOf<T, __VA_ARGS__>,                                             \
                call " on " ASCENDC_HOST_CHIP " exists for " #__VA_ARGS__ " only")
// In a form with repeats, which the 950 has for 16 and 32 bits.
#define ASCENDC_HOST_REPEATS(call, T, ...)                                                         \
  ASCENDC_HOST_ONLY(call, T, __VA_ARGS__);                                                         \
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, call " with repeats is for 16 and 32 bits only")
