// The frame of the seeded wrong kernels: tensors, a small product, and the table of them.
#pragma once
#include "kernel_operator.h"
using namespace AscendC;

struct Wrong {
  const char *name;
  KernelMetaType type;
  uint32_t blocks;
  const char *expected;
  void (*body)();
};
inline std::vector<Wrong> &wrongs() {
  static std::vector<Wrong> w;
  return w;
}
struct Adder {
  Adder(Wrong w) { wrongs().push_back(w); }
};

// x: read-only and written, y: never written, z: writable and written. 32 KiB each.
static struct {
  uint8_t *x, *y, *z;
} arg;

template <typename T> static GlobalTensor<T> gm(void *p, uint64_t n) {
  GlobalTensor<T> g;
  g.SetGlobalBuffer((__gm__ T *)p, n);
  return g;
}
template <HardEvent e> static void sync(int id = 0) {
  SetFlag<e>(id);
  WaitFlag<e>(id);
}
template <typename T> static LocalTensor<T> ub(uint32_t addr, uint32_t n) {
  return LocalTensor<T>(TPosition::VECCALC, addr, n);
}
inline void stopHere() { throw ascendc_host::StopCore(); }

// What a WRONG body finds: 256 floats a at 0, b at 1024; x and y as float.
struct Frame {
  LocalTensor<float> a, b;
  GlobalTensor<float> x = gm<float>(arg.x, 8192), y = gm<float>(arg.y, 8192);
  Frame() : a(ub<float>(0, 256)), b(ub<float>(1024, 256)) {}
  void load() { // a defined and visible to V
    DataCopy(a, x, 256);
    sync<HardEvent::MTE2_V>();
  }
};

// 16x16x16 in half, loaded up to L0.
struct Cube {
  LocalTensor<half> l1{TPosition::A1, 0, 512}, l0a{TPosition::A2, 0, 256},
      l0b{TPosition::B2, 0, 256};
  LocalTensor<float> l0c{TPosition::CO1, 0, 256};
  void load() {
    DataCopy(l1, gm<half>(arg.x, 512), 512);
    sync<HardEvent::MTE2_MTE1>();
    LoadData2DParams p;
    p.repeatTimes = 1;
    LoadData(l0a, l1, p);
    LoadData(l0b, l1, p);
    sync<HardEvent::MTE1_M>();
  }
  static MmadParams mmad() {
    MmadParams p;
    p.m = p.n = p.k = 16;
    return p;
  }
};

#define WRONG(NAME, TYPE, BLOCKS, EXPECTED)                                                        \
  struct K_##NAME : Frame {                                                                        \
    void body();                                                                                   \
    static void run() {                                                                            \
      KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_##TYPE);                                                \
      InitSocState();                                                                              \
      K_##NAME().body();                                                                           \
      PipeBarrier<PIPE_ALL>();                                                                     \
    }                                                                                              \
  };                                                                                               \
  static Adder add_##NAME({#NAME, KERNEL_TYPE_##TYPE, BLOCKS, EXPECTED, K_##NAME::run});           \
  void K_##NAME::body()

#define WRONG_BARE(NAME, TYPE, EXPECTED)                                                           \
  static void K_##NAME();                                                                          \
  static Adder add_##NAME({#NAME, KERNEL_TYPE_##TYPE, 1, EXPECTED, K_##NAME});                     \
  static void K_##NAME()

// Runs them all; what each reports, as JSON.
inline const char *runWrongKernels() {
  static std::string json;
  json = "{";
  for (const Wrong &w : wrongs()) {
    ascendc_host::reset();
    alignas(64) static uint8_t x[32768], y[32768], z[32768];
    arg = {x, y, z};
    ascendc_host::registerGlobal(x, sizeof x, "x", false, true);
    ascendc_host::registerGlobal(y, sizeof y, "y", true, false);
    ascendc_host::registerGlobal(z, sizeof z, "z", true, true);
    ascendc_host::launch(w.name, w.type, w.blocks, w.body);
    json += (json.size() > 1 ? ",\"" : "\"") + std::string(w.name) + "\":{\"expected\":\"" +
            w.expected + "\",\"reports\":[";
    bool first = true;
    for (const std::string &r : ascendc_host::takeReports()) {
      json += (first ? "\"" : ",\"") + r + "\"";
      first = false;
    }
    json += "]}";
  }
  json += "}";
  return json.c_str();
}
