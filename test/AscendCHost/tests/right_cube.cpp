// Right cube and mixed kernels; the numbers are checked by the pytest file.
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;
using ascendc_host::launch;

template <typename T> static GlobalTensor<T> gm(void *p, uint64_t n) {
  GlobalTensor<T> g;
  g.SetGlobalBuffer((__gm__ T *)p, n);
  return g;
}
template <HardEvent e> static void sync(int id = 0) {
  SetFlag<e>(id);
  WaitFlag<e>(id);
}
static uint16_t up16(int x) { return uint16_t((x + 15) / 16 * 16); }

// C[m,n] = A[m,k] B[k,n] in k chunks of kStep; 16-bit inputs, every size a multiple of 16.
template <typename T, typename D>
static void product(GM_ADDR a, GM_ADDR b, GM_ADDR c, int m, int n, int k, int kStep,
                    QuantMode_t quant) {
  auto ga = gm<T>(a, m * k), gb = gm<T>(b, k * n);
  auto gc = gm<D>(c, m * n);
  LocalTensor<T> l1a(TPosition::A1, 0, m * kStep), l1b(TPosition::B1, 131072, kStep * n);
  LocalTensor<T> l0a(TPosition::A2, 0, m * kStep), l0b(TPosition::B2, 0, kStep * n);
  LocalTensor<float> l0c(TPosition::CO1, 0, m * n);
  SetFlag<HardEvent::MTE1_MTE2>(0);
  SetFlag<HardEvent::M_MTE1>(0);
  for (int k0 = 0; k0 < k; k0 += kStep) {
    WaitFlag<HardEvent::MTE1_MTE2>(0);
    DataCopy(l1a, ga[k0], Nd2NzParams(1, m, kStep, 0, k, m, 1, 0));
    DataCopy(l1b, gb[k0 * n], Nd2NzParams(1, kStep, n, 0, n, kStep, 1, 0));
    sync<HardEvent::MTE2_MTE1>();
    WaitFlag<HardEvent::M_MTE1>(0);
    LoadData2DParams pa;
    for (int mb = 0; mb < m / 16; ++mb) {
      pa.startIndex = mb;
      pa.repeatTimes = kStep / 16;
      pa.srcStride = m / 16;
      LoadData(l0a[mb * kStep * 16], l1a, pa);
    }
    LoadData2DParams pb;
    for (int kb = 0; kb < kStep / 16; ++kb) {
      pb.startIndex = kb;
      pb.repeatTimes = n / 16;
      pb.srcStride = kStep / 16;
      pb.ifTranspose = true;
      LoadData(l0b[kb * n * 16], l1b, pb);
    }
    SetFlag<HardEvent::MTE1_MTE2>(0);
    sync<HardEvent::MTE1_M>();
    MmadParams p;
    p.m = m;
    p.n = n;
    p.k = kStep;
    p.cmatrixInitVal = k0 == 0;
    Mmad(l0c, l0a, l0b, p);
    PipeBarrier<PIPE_M>();
    SetFlag<HardEvent::M_MTE1>(0);
  }
  WaitFlag<HardEvent::MTE1_MTE2>(0);
  WaitFlag<HardEvent::M_MTE1>(0);
  sync<HardEvent::M_FIX>();
  FixpipeParamsV220 f;
  f.nSize = n;
  f.mSize = m;
  f.srcStride = m;
  f.dstStride = n;
  f.quantPre = quant;
  Fixpipe<D, float, CFG_ROW_MAJOR>(gc, l0c, f);
}

template <typename T, typename D>
__global__ __aicore__ void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, int m, int n, int k, int kStep,
                                  QuantMode_t quant) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  product<T, D>(a, b, c, m, n, k, kStep, quant);
  PipeBarrier<PIPE_ALL>();
}

// int8 [m,k] x [k,n] + bias -> int32, odd m, n, k; B goes through LoadDataWithTranspose.
__global__ __aicore__ void matmulInt8(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, int m, int n,
                                      int k, int n32, int k32) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  const int m16 = up16(m);
  LocalTensor<int8_t> l1a(TPosition::A1, 0, m16 * k32), l1b(TPosition::B1, 131072, k32 * n32);
  LocalTensor<int8_t> l0a(TPosition::A2, 0, m16 * k32), l0b(TPosition::B2, 0, k32 * n32);
  LocalTensor<int32_t> l0c(TPosition::CO1, 0, m16 * n32), l1bias(TPosition::C1, 262144, n32);
  LocalTensor<int32_t> bt(TPosition::C2, 0, n32);
  Fill(l1a.ReinterpretCast<int16_t>(), InitConstValueParams<int16_t>(1, m16 * k32 / 32, 0, 0));
  Fill(l1b.ReinterpretCast<int16_t>(), InitConstValueParams<int16_t>(1, k32 * n32 / 32, 0, 0));
  PipeBarrier<PIPE_MTE2>();
  DataCopy(l1a, gm<int8_t>(a, m * k), Nd2NzParams(1, m, k, 0, k, m16, 1, 0));
  DataCopy(l1b, gm<int8_t>(b, k * n), Nd2NzParams(1, k, n, 0, n, k32, 1, 0));
  DataCopy(l1bias, gm<int32_t>(bias, n32), n32);
  sync<HardEvent::MTE2_MTE1>();
  LoadData2DParams p;
  for (int mb = 0; mb < m16 / 16; ++mb) {
    p.startIndex = mb;
    p.repeatTimes = k32 / 32;
    p.srcStride = m16 / 16;
    LoadData(l0a[mb * k32 * 16], l1a, p);
  }
  // L1 NZ: squares of one column of fractals follow each other along k; L0B wants n along first.
  for (int kb = 0; kb < k32 / 32; ++kb)
    LoadDataWithTranspose(l0b[kb * n32 * 32], l1b,
                          LoadData2dTransposeParams(kb, n32 / 32, k32 / 32, 1, 0));
  DataCopy(bt, l1bias, DataCopyParams(1, n32 * 4 / 64, 0, 0));
  sync<HardEvent::MTE1_M>();
  MmadParams q;
  q.m = m;
  q.n = n;
  q.k = k;
  // C has ceil(n/16) columns of fractals, and so has the L0B this Mmad reads.
  Mmad(l0c, l0a, l0b, bt, q);
  sync<HardEvent::M_FIX>();
  FixpipeParamsV220 f;
  f.nSize = n;
  f.mSize = m;
  f.srcStride = m16;
  f.dstStride = n;
  Fixpipe(gm<int32_t>(c, m * n), l0c, f);
  PipeBarrier<PIPE_ALL>();
}

// float [16,16] x [16,32]; B's squares are 2 fractals side by side, built by one ND2NZ a square.
__global__ __aicore__ void matmulF32(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  LocalTensor<float> l1a(TPosition::A1, 0, 256), l1b(TPosition::B1, 8192, 512);
  LocalTensor<float> l0a(TPosition::A2, 0, 256), l0b(TPosition::B2, 0, 512);
  LocalTensor<float> l0c(TPosition::CO1, 0, 512);
  DataCopy(l1a, gm<float>(a, 256), Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
  DataCopy(l1b, gm<float>(b, 512), Nd2NzParams(1, 16, 32, 0, 32, 16, 1, 0));
  sync<HardEvent::MTE2_MTE1>();
  LoadData2DParams p;
  p.repeatTimes = 2;
  p.srcStride = 1;
  LoadData(l0a, l1a, p);
  // Two squares; fractals 0 and 1 of a square are k 0..7 and 8..15: a row of n fractals apart.
  LoadDataWithTranspose(l0b, l1b, LoadData2dTransposeParams(0, 2, 1, 0, 1));
  sync<HardEvent::MTE1_M>();
  MmadParams q;
  q.m = 16;
  q.n = 32;
  q.k = 16;
  Mmad(l0c, l0a, l0b, q);
  sync<HardEvent::M_FIX>();
  FixpipeParamsV220 f(32, 16, 16, 32, true);
  f.reluEn = false;
  Fixpipe(gm<float>(c, 512), l0c, f);
  PipeBarrier<PIPE_ALL>();
}

// Raw bytes of every layout on the way of one product, for the index formulas of the test.
__global__ __aicore__ void layouts(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint8_t *out) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  product<half, float>(a, b, c, 32, 48, 64, 64, NoQuant);
  PipeBarrier<PIPE_ALL>();
  using ascendc_host::Space;
  std::memcpy(out, ascendc_host::peek(Space::L1), 4096);
  std::memcpy(out + 4096, ascendc_host::peek(Space::L1) + 131072, 6144);
  std::memcpy(out + 10240, ascendc_host::peek(Space::L0A), 4096);
  std::memcpy(out + 14336, ascendc_host::peek(Space::L0B), 6144);
  std::memcpy(out + 20480, ascendc_host::peek(Space::L0C), 6144);
}

// relu(A B) in half to L1 as NZ, times B2: an L1 result is used again.
__global__ __aicore__ void chained(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  LocalTensor<half> l1a(TPosition::A1, 0, 256), l1b(TPosition::B1, 512, 256);
  LocalTensor<half> l0a(TPosition::A2, 0, 256), l0b(TPosition::B2, 0, 256);
  LocalTensor<float> l0c(TPosition::CO1, 0, 256);
  const Nd2NzParams nz(1, 16, 16, 0, 16, 16, 1, 0);
  DataCopy(l1a, gm<half>(a, 256), nz);
  DataCopy(l1b, gm<half>(b, 256), nz);
  sync<HardEvent::MTE2_MTE1>();
  LoadData2DParams p;
  p.repeatTimes = 1;
  LoadData(l0a, l1a, p);
  p.ifTranspose = true;
  LoadData(l0b, l1b, p);
  sync<HardEvent::MTE1_M>();
  MmadParams q;
  q.m = q.n = q.k = 16;
  Mmad(l0c, l0a, l0b, q);
  sync<HardEvent::M_FIX>();
  sync<HardEvent::MTE1_FIX>();
  FixpipeParamsV220 f(16, 16, 16, 16, true);
  f.quantPre = F322F16;
  Fixpipe<half, float, CFG_NZ>(l1a, l0c, f);
  sync<HardEvent::FIX_MTE1>();
  sync<HardEvent::M_MTE1>();
  p.ifTranspose = false;
  LoadData(l0a, l1a, p);
  sync<HardEvent::MTE1_M>();
  sync<HardEvent::FIX_M>();
  Mmad(l0c, l0a, l0b, q);
  sync<HardEvent::M_FIX>();
  FixpipeParamsV220 g(16, 16, 16, 16, false);
  Fixpipe<float, float, CFG_ROW_MAJOR>(gm<float>(c, 256), l0c, g);
  PipeBarrier<PIPE_ALL>();
}

// The AIC multiplies tile by tile into a workspace of one tile; its two AIVs add 1 to half each.
__global__ __aicore__ void mixed(GM_ADDR a, GM_ADDR b, GM_ADDR ws, GM_ADDR c, int tiles) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  InitSocState();
  const int64_t block = GetBlockIdx() / (ASCEND_IS_AIV ? GetSubBlockNum() : 1);
  GM_ADDR w = ws + block * 32 * 32 * 4;
  for (int t = 0; t < tiles; ++t) {
    const int64_t tile = block * tiles + t;
    if ASCEND_IS_AIC {
      if (t)
        CrossCoreWaitFlag(1); // both AIVs are done with the workspace
      product<half, float>(a + tile * 32 * 32 * 2, b, w, 32, 32, 32, 32, NoQuant);
      CrossCoreSetFlag<2, PIPE_FIX>(0);
      PipeBarrier<PIPE_ALL>(); // the next product reuses L1, L0 and its flags
    }
    if ASCEND_IS_AIV {
      LocalTensor<float> x(TPosition::VECCALC, 0, 512);
      CrossCoreWaitFlag(0);
      DataCopy(x, gm<float>(w + GetSubBlockIdx() * 2048, 512), 512);
      if (t + 1 < tiles)
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
      sync<HardEvent::MTE2_V>();
      Adds(x, x, 1.0f, 512);
      sync<HardEvent::V_MTE3>();
      DataCopy(gm<float>(c + tile * 4096 + GetSubBlockIdx() * 2048, 512), x, 512);
      sync<HardEvent::MTE3_MTE2>();
    }
  }
  PipeBarrier<PIPE_ALL>();
}

extern "C" {
void run_matmul_f16(GM_ADDR a, GM_ADDR b, GM_ADDR c, int m, int n, int k, int kStep) {
  launch("matmul_f16", KERNEL_TYPE_AIC_ONLY, 1,
         [=] { matmul<half, half>(a, b, c, m, n, k, kStep, F322F16); });
}
void run_matmul_bf16(GM_ADDR a, GM_ADDR b, GM_ADDR c, int m, int n, int k, int kStep) {
  launch("matmul_bf16", KERNEL_TYPE_AIC_ONLY, 1,
         [=] { matmul<bfloat16_t, float>(a, b, c, m, n, k, kStep, NoQuant); });
}
void run_matmul_int8(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, int m, int n, int k) {
  launch("matmul_int8", KERNEL_TYPE_AIC_ONLY, 1,
         [=] { matmulInt8(a, b, bias, c, m, n, k, (n + 31) / 32 * 32, (k + 31) / 32 * 32); });
}
void run_matmul_f32(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  launch("matmul_f32", KERNEL_TYPE_AIC_ONLY, 1, [=] { matmulF32(a, b, c); });
}
void run_layouts(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint8_t *out) {
  launch("layouts", KERNEL_TYPE_AIC_ONLY, 1, [=] { layouts(a, b, c, out); });
}
void run_chained(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  launch("chained", KERNEL_TYPE_AIC_ONLY, 1, [=] { chained(a, b, c); });
}
void run_mixed(GM_ADDR a, GM_ADDR b, GM_ADDR ws, GM_ADDR c, int tiles, uint32_t blocks) {
  launch("mixed", KERNEL_TYPE_MIX_AIC_1_2, blocks, [=] { mixed(a, b, ws, c, tiles); });
}

// Plain orchestration: device memory, two streams and an event around one launch.
int run_orchestrated(const void *a, const void *b, void *c, int m, int n, int k) {
  void *da, *db, *dc;
  aclrtStream s1, s2;
  aclrtEvent e;
  int rc = aclInit(nullptr) | aclrtSetDevice(0) | aclrtCreateStream(&s1) | aclrtCreateStream(&s2) |
           aclrtCreateEvent(&e);
  rc |= aclrtMalloc(&da, m * k * 2, ACL_MEM_MALLOC_HUGE_FIRST) |
        aclrtMalloc(&db, k * n * 2, ACL_MEM_MALLOC_HUGE_FIRST) |
        aclrtMalloc(&dc, m * n * 2, ACL_MEM_MALLOC_HUGE_FIRST);
  rc |= aclrtMemcpyAsync(da, m * k * 2, a, m * k * 2, ACL_MEMCPY_HOST_TO_DEVICE, s1) |
        aclrtMemcpy(db, k * n * 2, b, k * n * 2, ACL_MEMCPY_HOST_TO_DEVICE);
  rc |= aclrtRecordEvent(e, s1) | aclrtStreamWaitEvent(s2, e);
  uint8_t *ga = (GM_ADDR)da, *gb = (GM_ADDR)db, *gc = (GM_ADDR)dc;
  launch(
      "matmul_f16", KERNEL_TYPE_AIC_ONLY, 1,
      [=] { matmul<half, half>(ga, gb, gc, m, n, k, k, F322F16); }, s2);
  rc |= aclrtSynchronizeStream(s2) |
        aclrtMemcpy(c, m * n * 2, dc, m * n * 2, ACL_MEMCPY_DEVICE_TO_HOST);
  rc |= aclrtFree(da) | aclrtFree(db) | aclrtFree(dc) | aclrtDestroyEvent(e) |
        aclrtDestroyStream(s1) | aclrtDestroyStream(s2) | aclrtResetDevice(0) | aclFinalize();
  return rc;
}
// Its wrong twin: a copy of bytes no one wrote, swapped arguments, a leak.
void run_orchestrated_wrong(void *c) {
  void *d;
  aclrtStream s;
  aclrtEvent e;
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtCreateStream(&s);
  aclrtCreateEvent(&e);
  aclrtMalloc(&d, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(c, 64, d, 64, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtMemcpy(c, 32, d, 64, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtStreamWaitEvent(e, s);
  aclrtStreamWaitEvent(s, e);
  // What is given back while a stream still has to come to it.
  aclrtMemsetAsync(d, 64, 0, 64, s);
  aclrtRecordEvent(e, s);
  aclrtDestroyEvent(e);
  aclrtDestroyStream(s);
  aclrtCreateStream(&s);
  aclrtCreateEvent(&e);
  aclFinalize();
}

// Two copies to one place on two streams: whose bytes stay is the seed's, unless an event says.
int run_two_streams(const void *a, const void *b, void *c, uint64_t seed, int ordered) {
  void *d;
  aclrtStream s1, s2;
  aclrtEvent e;
  ascendc_host::setStreamSeed(seed);
  int rc = aclInit(nullptr) | aclrtSetDevice(0) | aclrtCreateStream(&s1) | aclrtCreateStream(&s2) |
           aclrtCreateEvent(&e) | aclrtMalloc(&d, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  rc |= aclrtMemcpyAsync(d, 64, a, 64, ACL_MEMCPY_HOST_TO_DEVICE, s1) | aclrtRecordEvent(e, s1);
  if (ordered)
    rc |= aclrtStreamWaitEvent(s2, e);
  rc |= aclrtMemcpyAsync(d, 64, b, 64, ACL_MEMCPY_HOST_TO_DEVICE, s2);
  rc |= aclrtSynchronizeDevice() | aclrtMemcpy(c, 64, d, 64, ACL_MEMCPY_DEVICE_TO_HOST);
  return rc | aclrtFree(d) | aclrtDestroyEvent(e) | aclrtDestroyStream(s1) |
         aclrtDestroyStream(s2) | aclrtResetDevice(0) | aclFinalize();
}
}
