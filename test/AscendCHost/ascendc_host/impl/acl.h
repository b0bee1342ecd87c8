// Host AscendC, compiled once: the AscendCL stand-in. Every misuse is a report and an error code.
#pragma once
#include "../../acl/acl.h"
#include "machine.h"
#include <deque>
#include <random>

namespace ascendc_host {
// What a stream was given and has not done: a launch or a copy, a record of an event, a wait for
// one.
struct Command {
  enum Kind { Run, Record, Wait } kind;
  std::function<void()> run;
  void *event;
  uint64_t number; // of the record that this is, or waits for
};
struct Event {
  uint64_t recorded = 0, done = 0; // numbers of records; 0 is none
};
struct Acl {
  bool init = false, device = false;
  std::set<void *> memory, host;
  std::map<void *, std::deque<Command>> streams;
  std::map<void *, Event> events;
  uintptr_t nextHandle = 0x1000;
  uint64_t records = 0;
  std::string error;
};
static Acl &acl() {
  static Acl a;
  return a;
}

static aclError bad(const char *call, const std::string &text) {
  acl().error = std::string(call) + ": " + text;
  report(acl().error);
  return ACL_ERROR_INVALID_PARAM;
}
static bool ready(const char *call, bool device = true) {
  if (!acl().init) {
    bad(call, "aclInit was not called");
    return false;
  }
  if (device && !acl().device) {
    bad(call, "aclrtSetDevice was not called");
    return false;
  }
  return true;
}

// An acl call on a stream; handles are numbers nobody can dereference.
static bool streamOk(const char *call, aclrtStream s) {
  if (!ready(call))
    return false;
  if (!s || acl().streams.count(s)) // null: the default stream
    return true;
  bad(call, acl().events.count(s) ? "an event is given where the stream belongs"
                                  : format("%p is not a stream", s));
  return false;
}
static bool eventOk(const char *call, aclrtEvent e) {
  if (!ready(call))
    return false;
  if (acl().events.count(e))
    return true;
  bad(call, acl().streams.count(e) ? "a stream is given where the event belongs"
                                   : format("%p is not an event", e));
  return false;
}
bool streamAlive(void *stream) { return acl().streams.count(stream) != 0; }

// ---- streams -----------------------------------------------------------------------------------
// Streams do what they are given when somebody waits for them, and then in an order that the seed
// chooses among those that events allow. So an event that is missing shows.
static uint64_t &streamSeed() {
  static uint64_t seed = 0;
  return seed;
}
static std::mt19937_64 &streamRandom() {
  static std::mt19937_64 random;
  return random;
}
void setStreamSeed(uint64_t seed) {
  streamSeed() = seed;
  streamRandom().seed(seed);
}

static bool canRun(const Command &c) {
  if (c.kind != Command::Wait)
    return true;
  auto e = acl().events.find(c.event); // a destroyed one keeps nobody waiting
  return e == acl().events.end() || e->second.done >= c.number;
}

// The stream that goes on: for seed 0 the first, for 1 the last. An even seed gives each stream a
// rank, and the highest that can goes on; an odd one draws a stream for each step.
static size_t pickStream(const std::vector<void *> &ready) {
  const uint64_t seed = streamSeed();
  if (seed < 2)
    return seed ? ready.size() - 1 : 0;
  if (seed % 2)
    return size_t(streamRandom()() % ready.size());
  auto rank = [=](void *stream) {
    return std::mt19937_64(seed * 7919 + uint64_t(reinterpret_cast<uintptr_t>(stream)))();
  };
  size_t best = 0;
  for (size_t i = 1; i < ready.size(); ++i)
    if (rank(ready[i]) > rank(ready[best]))
      best = i;
  return best;
}

// Does the next command of some stream; false if none can go on.
static bool step() {
  std::vector<void *> ready;
  for (auto &s : acl().streams)
    if (!s.second.empty() && canRun(s.second.front()))
      ready.push_back(s.first);
  if (ready.empty())
    return false;
  std::deque<Command> &queue = acl().streams[ready[pickStream(ready)]];
  Command c = std::move(queue.front());
  queue.pop_front();
  if (c.kind == Command::Run)
    c.run();
  auto e = acl().events.find(c.event);
  if (c.kind == Command::Record && e != acl().events.end())
    e->second.done = std::max(e->second.done, c.number);
  return true;
}

// Lets the streams go on until `done`; an error if they cannot.
static aclError drive(const char *call, const std::function<bool()> &done) {
  while (!done())
    if (!step())
      return bad(call, "deadlock: every stream waits for an event that none of them will record");
  return ACL_SUCCESS;
}
static bool idle(void *stream) {
  auto s = acl().streams.find(stream);
  return s == acl().streams.end() || s->second.empty();
}
// Gives a stream something to do. The default stream does it at once.
static aclError give(const char *call, void *stream, Command c) {
  if (stream) {
    acl().streams[stream].push_back(std::move(c));
    return ACL_SUCCESS;
  }
  acl().streams[nullptr].push_back(std::move(c));
  aclError e = drive(call, [] { return idle(nullptr); });
  acl().streams.erase(nullptr);
  return e;
}
bool deferLaunch(void *stream, std::function<void()> run) {
  if (!stream)
    return false;
  give("launch", stream, {Command::Run, std::move(run), nullptr, 0});
  return true;
}
// What runs beside a call that waits for nobody: nothing, or by the seed a little.
static void maybeStep() {
  if (streamSeed() > 1)
    for (uint64_t n = streamRandom()() % 3; n && step(); --n)
      ;
}

void aclReset() {
  for (void *p : acl().memory)
    std::free(p);
  for (void *p : acl().host)
    std::free(p);
  acl() = Acl();
  setStreamSeed(0);
}

// [p,p+n) inside one region of device memory.
static Region *deviceRange(const char *call, const void *p, size_t n, const char *what) {
  const uint8_t *b = static_cast<const uint8_t *>(p);
  Region *r = regionAt(b);
  if (!r || n > size_t(r->bytes + r->size - b)) {
    bad(call, format("%s [%p, +%zu) is not inside device memory", what, p, n));
    return nullptr;
  }
  return r;
}

static aclError copy(const char *call, void *dst, size_t max, const void *src, size_t n,
                     aclrtMemcpyKind kind) {
  if (n > max)
    return bad(call, format("%zu bytes into a destination of %zu", n, max));
  if (!n)
    return ACL_SUCCESS;
  bool toDevice = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
  bool fromDevice = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
  const bool dstIs = regionAt(static_cast<uint8_t *>(dst));
  const bool srcIs = regionAt(static_cast<const uint8_t *>(src));
  if (kind == ACL_MEMCPY_DEFAULT) {
    toDevice = dstIs;
    fromDevice = srcIs;
  }
  if ((!toDevice && dstIs) || (!fromDevice && srcIs))
    return bad(call, "the kind says host memory and a pointer is device memory");
  Region *from = nullptr, *to = nullptr;
  if (fromDevice && !(from = deviceRange(call, src, n, "src")))
    return ACL_ERROR_INVALID_PARAM;
  if (toDevice && !(to = deviceRange(call, dst, n, "dst")))
    return ACL_ERROR_INVALID_PARAM;
  const uint64_t s = from ? uint64_t(static_cast<const uint8_t *>(src) - from->bytes) : 0;
  const uint64_t d = to ? uint64_t(static_cast<uint8_t *>(dst) - to->bytes) : 0;
  if (from && !to && std::memchr(from->def + s, 0, n))
    report(format("%s: copies device bytes to the host that were never written", call));
  std::memmove(dst, src, n);
  if (to && from)
    std::memmove(to->def + d, from->def + s, n);
  else if (to)
    std::memset(to->def + d, 1, n);
  return ACL_SUCCESS;
}
} // namespace ascendc_host

extern "C" {
using namespace ascendc_host;

aclError aclInit(const char *) {
  if (acl().init)
    return bad("aclInit", "called twice");
  acl().init = true;
  return ACL_SUCCESS;
}
aclError aclFinalize() {
  if (!ready("aclFinalize", false))
    return ACL_ERROR_UNINITIALIZE;
  Acl &a = acl();
  if (!a.memory.empty())
    bad("aclFinalize", format("%zu device allocation(s) were not freed", a.memory.size()));
  if (!a.host.empty())
    bad("aclFinalize", format("%zu host allocation(s) were not freed", a.host.size()));
  if (!a.streams.empty())
    bad("aclFinalize", format("%zu stream(s) were not destroyed", a.streams.size()));
  if (!a.events.empty())
    bad("aclFinalize", format("%zu event(s) were not destroyed", a.events.size()));
  a.init = false;
  return ACL_SUCCESS;
}
aclError aclrtSetDevice(int32_t device) {
  if (!ready("aclrtSetDevice", false))
    return ACL_ERROR_UNINITIALIZE;
  if (device)
    return bad("aclrtSetDevice", format("device %d, there is one: 0", device));
  acl().device = true;
  return ACL_SUCCESS;
}
aclError aclrtResetDevice(int32_t) {
  if (!ready("aclrtResetDevice"))
    return ACL_ERROR_UNINITIALIZE;
  acl().device = false;
  return ACL_SUCCESS;
}
aclError aclrtGetDeviceCount(uint32_t *count) {
  *count = 1;
  return ACL_SUCCESS;
}
aclError aclrtSynchronizeDevice() {
  if (!ready("aclrtSynchronizeDevice"))
    return ACL_ERROR_UNINITIALIZE;
  return drive("aclrtSynchronizeDevice", [] {
    for (auto &s : acl().streams)
      if (!s.second.empty())
        return false;
    return true;
  });
}
const char *aclrtGetSocName() { return ascendc_host::kIs950 ? "Ascend950" : "Ascend910B"; }
const char *aclGetRecentErrMsg() { return acl().error.c_str(); }

aclError aclrtMalloc(void **p, size_t bytes, aclrtMemMallocPolicy) {
  if (!ready("aclrtMalloc"))
    return ACL_ERROR_UNINITIALIZE;
  if (!p || !bytes)
    return bad("aclrtMalloc", "of 0 bytes or to nowhere");
  *p = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  acl().memory.insert(*p);
  registerGlobal(*p, bytes, format("aclrtMalloc %zu", acl().memory.size()).c_str(), true, false);
  return ACL_SUCCESS;
}
aclError aclrtFree(void *p) {
  if (!ready("aclrtFree"))
    return ACL_ERROR_UNINITIALIZE;
  if (!acl().memory.erase(p))
    return bad("aclrtFree", format("%p was not given by aclrtMalloc, or is freed already", p));
  unregisterGlobal(p);
  std::free(p);
  return ACL_SUCCESS;
}
aclError aclrtMallocHost(void **p, size_t bytes) {
  if (!ready("aclrtMallocHost"))
    return ACL_ERROR_UNINITIALIZE;
  *p = std::malloc(bytes);
  acl().host.insert(*p);
  return ACL_SUCCESS;
}
aclError aclrtFreeHost(void *p) {
  if (!acl().host.erase(p))
    return bad("aclrtFreeHost", format("%p was not given by aclrtMallocHost", p));
  std::free(p);
  return ACL_SUCCESS;
}
// Waits for no stream.
aclError aclrtMemcpy(void *dst, size_t max, const void *src, size_t n, aclrtMemcpyKind kind) {
  if (!ready("aclrtMemcpy"))
    return ACL_ERROR_UNINITIALIZE;
  maybeStep();
  return copy("aclrtMemcpy", dst, max, src, n, kind);
}
aclError aclrtMemcpyAsync(void *dst, size_t max, const void *src, size_t n, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  if (!streamOk("aclrtMemcpyAsync", stream))
    return ACL_ERROR_INVALID_PARAM;
  auto run = [=] { copy("aclrtMemcpyAsync", dst, max, src, n, kind); };
  return give("aclrtMemcpyAsync", stream, {Command::Run, run, nullptr, 0});
}
static aclError fill(const char *call, void *p, size_t max, int32_t value, size_t n) {
  if (n > max)
    return bad(call, format("%zu bytes into a destination of %zu", n, max));
  Region *r = deviceRange(call, p, n, "dst");
  if (!r)
    return ACL_ERROR_INVALID_PARAM;
  std::memset(p, value, n);
  std::memset(r->def + (static_cast<uint8_t *>(p) - r->bytes), 1, n);
  return ACL_SUCCESS;
}
aclError aclrtMemset(void *p, size_t max, int32_t value, size_t n) {
  return ready("aclrtMemset") ? fill("aclrtMemset", p, max, value, n) : ACL_ERROR_UNINITIALIZE;
}
aclError aclrtMemsetAsync(void *p, size_t max, int32_t value, size_t n, aclrtStream stream) {
  if (!streamOk("aclrtMemsetAsync", stream))
    return ACL_ERROR_INVALID_PARAM;
  auto run = [=] { fill("aclrtMemsetAsync", p, max, value, n); };
  return give("aclrtMemsetAsync", stream, {Command::Run, run, nullptr, 0});
}

aclError aclrtCreateStream(aclrtStream *stream) {
  if (!ready("aclrtCreateStream"))
    return ACL_ERROR_UNINITIALIZE;
  *stream = reinterpret_cast<void *>(acl().nextHandle++);
  acl().streams[*stream];
  return ACL_SUCCESS;
}
aclError aclrtDestroyStream(aclrtStream stream) {
  if (!stream || !streamOk("aclrtDestroyStream", stream))
    return ACL_ERROR_INVALID_PARAM;
  const size_t left = acl().streams[stream].size();
  acl().streams.erase(stream);
  if (left)
    return bad("aclrtDestroyStream", format("the stream has %zu thing(s) to do", left));
  return ACL_SUCCESS;
}
static aclError waitForStream(const char *call, aclrtStream stream) {
  if (!streamOk(call, stream))
    return ACL_ERROR_INVALID_PARAM;
  return drive(call, [=] { return idle(stream); });
}
aclError aclrtSynchronizeStream(aclrtStream stream) {
  return waitForStream("aclrtSynchronizeStream", stream);
}
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t) {
  return waitForStream("aclrtSynchronizeStreamWithTimeout", stream);
}
aclError aclrtCreateEvent(aclrtEvent *event) {
  if (!ready("aclrtCreateEvent"))
    return ACL_ERROR_UNINITIALIZE;
  *event = reinterpret_cast<void *>(acl().nextHandle++);
  acl().events[*event] = Event();
  return ACL_SUCCESS;
}
aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t) { return aclrtCreateEvent(event); }
aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t) { return aclrtCreateEvent(event); }
aclError aclrtDestroyEvent(aclrtEvent event) {
  if (!eventOk("aclrtDestroyEvent", event))
    return ACL_ERROR_INVALID_PARAM;
  const Event e = acl().events[event];
  acl().events.erase(event);
  if (e.done < e.recorded)
    return bad("aclrtDestroyEvent", "the event is recorded by a stream that has not come so far");
  return ACL_SUCCESS;
}
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  if (!eventOk("aclrtRecordEvent", event) || !streamOk("aclrtRecordEvent", stream))
    return ACL_ERROR_INVALID_PARAM;
  const uint64_t number = ++acl().records;
  acl().events[event].recorded = number;
  return give("aclrtRecordEvent", stream, {Command::Record, nullptr, event, number});
}
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  if (!streamOk("aclrtStreamWaitEvent", stream) || !eventOk("aclrtStreamWaitEvent", event))
    return ACL_ERROR_INVALID_PARAM;
  const uint64_t number = acl().events[event].recorded;
  if (!number)
    return bad("aclrtStreamWaitEvent", "the event was never recorded");
  return give("aclrtStreamWaitEvent", stream, {Command::Wait, nullptr, event, number});
}
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  if (!eventOk("aclrtResetEvent", event) || !streamOk("aclrtResetEvent", stream))
    return ACL_ERROR_INVALID_PARAM;
  acl().events[event].recorded = 0;
  return ACL_SUCCESS;
}
aclError aclrtSynchronizeEvent(aclrtEvent event) {
  if (!eventOk("aclrtSynchronizeEvent", event))
    return ACL_ERROR_INVALID_PARAM;
  const uint64_t number = acl().events[event].recorded;
  if (!number)
    return bad("aclrtSynchronizeEvent", "the event was never recorded");
  return drive("aclrtSynchronizeEvent", [=] {
    auto e = acl().events.find(event);
    return e == acl().events.end() || e->second.done >= number;
  });
}
void ascendc_host_stream_seed(uint64_t seed) { setStreamSeed(seed); }
}
