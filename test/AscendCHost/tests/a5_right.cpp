// Right kernels of the Ascend 950; the numbers are checked by the pytest file.
#define ENABLE_CV_COMM_VIA_SSBUF true
#include "kernel_operator.h"
using namespace AscendC;
using ascendc_host::launch;

template <typename T> static GlobalTensor<T> gm(void *p, uint64_t n) {
  GlobalTensor<T> g;
  g.SetGlobalBuffer((__gm__ T *)p, n);
  return g;
}
template <typename T> static LocalTensor<T> ub(uint32_t addr, uint32_t n) {
  return LocalTensor<T>(TPosition::VECCALC, addr, n);
}
template <HardEvent e> static void sync(int id = 0) {
  SetFlag<e>(id);
  WaitFlag<e>(id);
}
static int up16(int x) { return (x + 15) / 16 * 16; }

// A [m,k] from L1 NZ to L0A NZ and B [k,n] to L0B ZN, one instruction each, and the product.
template <typename T>
static void multiply(const LocalTensor<float> &c, const LocalTensor<T> &l1a,
                     const LocalTensor<T> &l1b, int m, int n, int k) {
  const int m16 = up16(m) / 16, n16 = up16(n) / 16, k16 = up16(k) / 16;
  LocalTensor<T> l0a(TPosition::A2, 0, m16 * k16 * 256), l0b(TPosition::B2, 0, k16 * n16 * 256);
  LoadData(l0a, l1a, LoadData2DParamsV2(0, 0, m16, k16, m16, m16, false, 0));
  LoadData(l0b, l1b, LoadData2DParamsV2(0, 0, k16, n16, k16, n16, true, 0));
  sync<HardEvent::MTE1_M>();
  MmadParams p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.disableGemv = true;
  Mmad(c, l0a, l0b, p);
}

template <CO2Layout layout>
static FixpipeParamsArch3510<layout> fixParams(int m, int n, int srcStride, int dstStride) {
  FixpipeParamsArch3510<layout> f(n, m, srcStride, dstStride);
  f.deqScalar = f.reluScalar = f.vectorRelu = 0;
  return f;
}

template <typename T, typename D>
static void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, int m, int n, int k) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  const int m16 = up16(m), k16 = up16(k), n16 = up16(n);
  LocalTensor<T> l1a(TPosition::A1, 0, m16 * k16), l1b(TPosition::B1, 262144, k16 * n16);
  LocalTensor<float> l0c(TPosition::CO1, 0, m16 * n16);
  DataCopy(l1a, gm<T>(a, m * k), Nd2NzParams(1, m, k, 0, k, m16, 1, 0));
  DataCopy(l1b, gm<T>(b, k * n), Nd2NzParams(1, k, n, 0, n, k16, 1, 0));
  sync<HardEvent::MTE2_MTE1>();
  multiply(l0c, l1a, l1b, m, n, k);
  sync<HardEvent::M_FIX>();
  auto f = fixParams<CO2Layout::ROW_MAJOR>(m, n, m16, n);
  f.quantPre = std::is_same_v<D, float> ? NoQuant : F322F16;
  Fixpipe<D, float, CFG_ROW_MAJOR>(gm<D>(c, m * n), l0c, f);
  PipeBarrier<PIPE_ALL>();
}
extern "C" void run_a5_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, int m, int n, int k, int narrow) {
  launch("a5_matmul", KERNEL_TYPE_AIC_ONLY, 1, [=] {
    narrow ? matmul<half, half>(a, b, c, m, n, k) : matmul<half, float>(a, b, c, m, n, k);
  });
}

// z = (x + y) * x - 3 in bf16; w = x / y, then -w in int32; r = sums and maxima of 64 lanes.
extern "C" void run_a5_vector(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR i, GM_ADDR j, GM_ADDR w,
                              GM_ADDR r, int n) {
  launch("a5_vector", KERNEL_TYPE_AIV_ONLY, 1, [=] {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    InitSocState();
    auto bx = ub<bfloat16_t>(0, n), by = ub<bfloat16_t>(8192, n);
    auto ix = ub<int32_t>(16384, n), iy = ub<int32_t>(32768, n), red = ub<int32_t>(49152, 16);
    DataCopy(bx, gm<bfloat16_t>(x, n), n);
    DataCopy(by, gm<bfloat16_t>(y, n), n);
    DataCopy(ix, gm<int32_t>(i, n), n);
    DataCopy(iy, gm<int32_t>(j, n), n);
    sync<HardEvent::MTE2_V>();
    Add(by, bx, by, n);
    PipeBarrier<PIPE_V>();
    Mul(by, bx, by, 128, n / 128, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
    PipeBarrier<PIPE_V>();
    Subs(by, by, ToBfloat16(3.0f), n);
    Div(iy, ix, iy, n);
    PipeBarrier<PIPE_V>();
    Neg(iy, iy, n);
    Duplicate(red, 0, 16);
    PipeBarrier<PIPE_V>();
    ReduceRepeat<ReduceType::SUM>(red, iy, 64, 1, 1, 1, 8);
    ReduceRepeat<ReduceType::MAX>(red[8], iy, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    sync<HardEvent::V_MTE3>();
    DataCopy(gm<bfloat16_t>(z, n), by, n);
    DataCopy(gm<int32_t>(w, n), iy, n);
    DataCopy(gm<int32_t>(r, 16), red, 16);
    PipeBarrier<PIPE_ALL>();
  });
}

static constexpr FixpipeConfig kToUB{CO2Layout::ROW_MAJOR, true};

// c = 2 a b, the product straight from L0C to the UB of the AIVs. dual 0: all to AIV 1.
extern "C" void run_a5_to_ub(GM_ADDR a, GM_ADDR b, GM_ADDR c, int dual) {
  constexpr int m = 32, n = 64, k = 16;
  launch("a5_to_ub", KERNEL_TYPE_MIX_AIC_1_2, 1, [=] {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    InitSocState();
    auto part = ub<float>(0, m * n);
    if ASCEND_IS_AIC {
      LocalTensor<half> l1a(TPosition::A1, 0, m * k), l1b(TPosition::B1, 4096, k * n);
      LocalTensor<float> l0c(TPosition::CO1, 0, m * n);
      DataCopy(l1a, gm<half>(a, m * k), Nd2NzParams(1, m, k, 0, k, m, 1, 0));
      DataCopy(l1b, gm<half>(b, k * n), Nd2NzParams(1, k, n, 0, n, k, 1, 0));
      sync<HardEvent::MTE2_MTE1>();
      multiply(l0c, l1a, l1b, m, n, k);
      sync<HardEvent::M_FIX>();
      auto f = fixParams<CO2Layout::ROW_MAJOR>(m, n, m, dual == 2 ? n / 2 : n);
      f.dualDstCtl = dual;
      f.subBlockId = true;
      Fixpipe<float, float, kToUB>(part, l0c, f);
      if (dual)
        CrossCoreSetFlag<2, PIPE_FIX>(3);
      else
        CrossCoreSetFlag<4, PIPE_FIX>(3 + 16);
    }
    if ASCEND_IS_AIV {
      const int sub = int(GetSubBlockIdx());
      const int rows = dual == 1 ? m / 2 : m, cols = dual == 2 ? n / 2 : n;
      if (dual || sub == 1) {
        if (dual)
          CrossCoreWaitFlag<2, PIPE_V>(3);
        else
          CrossCoreWaitFlag<4, PIPE_V>(3);
        Muls(part, part, 2.0f, rows * cols);
        sync<HardEvent::V_MTE3>();
        const int at = dual == 1 ? sub * rows * n : dual == 2 ? sub * cols : 0;
        DataCopyPad(gm<float>(c, m * n)[at], part,
                    DataCopyExtParams(rows, cols * 4, 0, (n - cols) * 4, 0));
      }
    }
    PipeBarrier<PIPE_ALL>();
  });
}

// c = (a + a) b: each AIV doubles 16 rows of a [32,16] and puts them into the AIC's L1.
extern "C" void run_a5_to_l1(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  constexpr int m = 32, n = 32, k = 16;
  launch("a5_to_l1", KERNEL_TYPE_MIX_AIC_1_2, 1, [=] {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    InitSocState();
    LocalTensor<half> l1a(TPosition::A1, 0, m * k);
    if ASCEND_IS_AIV {
      const int sub = int(GetSubBlockIdx());
      auto rows = ub<half>(0, 256);
      DataCopy(rows, gm<half>(a, m * k)[sub * 256], 256);
      sync<HardEvent::MTE2_V>();
      Add(rows, rows, rows, 256);
      sync<HardEvent::V_MTE3>();
      DataCopy(l1a[sub * 256], rows, DataCopyParams(1, 16, 0, 0)); // one fractal: 16 x 16
      CrossCoreSetFlag<2, PIPE_MTE3>(0);
    }
    if ASCEND_IS_AIC {
      LocalTensor<half> l1b(TPosition::B1, 4096, k * n);
      LocalTensor<float> l0c(TPosition::CO1, 0, m * n);
      DataCopy(l1b, gm<half>(b, k * n), Nd2NzParams(1, k, n, 0, n, k, 1, 0));
      sync<HardEvent::MTE2_MTE1>();
      CrossCoreWaitFlag<2, PIPE_MTE1>(0);
      multiply(l0c, l1a, l1b, m, n, k);
      sync<HardEvent::M_FIX>();
      Fixpipe<float, float, CFG_ROW_MAJOR>(gm<float>(c, m * n), l0c,
                                           fixParams<CO2Layout::ROW_MAJOR>(m, n, m, n));
    }
    PipeBarrier<PIPE_ALL>();
  });
}

// y = x + 1 in 8 pieces over two buffers, ordered by a mutex a buffer and nothing else.
extern "C" void run_a5_mutex(GM_ADDR x, GM_ADDR y) {
  constexpr int piece = 256;
  launch("a5_mutex", KERNEL_TYPE_AIV_ONLY, 1, [=] {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    InitSocState();
    LocalTensor<float> t[2] = {ub<float>(0, piece), ub<float>(piece * 4, piece)};
    for (int i = 0; i < 8; ++i) {
      const int id = i % 2;
      Mutex::Lock<PIPE_MTE2>(id);
      DataCopy(t[id], gm<float>(x, 8 * piece)[i * piece], piece);
      Mutex::Unlock<PIPE_MTE2>(id);
      Mutex::Lock<PIPE_V>(id);
      Adds(t[id], t[id], 1.0f, piece);
      Mutex::Unlock<PIPE_V>(id);
      Mutex::Lock<PIPE_MTE3>(id);
      DataCopy(gm<float>(y, 8 * piece)[i * piece], t[id], piece);
      Mutex::Unlock<PIPE_MTE3>(id);
    }
    PipeBarrier<PIPE_ALL>();
  });
}

// From L1 to the UB of AIV 0, which stores it.
extern "C" void run_a5_l1_to_ub(GM_ADDR x, GM_ADDR y) {
  launch("a5_l1_to_ub", KERNEL_TYPE_MIX_AIC_1_2, 1, [=] {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    InitSocState();
    auto u = ub<float>(0, 256);
    if ASCEND_IS_AIC {
      LocalTensor<float> l1(TPosition::A1, 0, 256);
      DataCopy(l1, gm<float>(x, 256), 256);
      // MTE2_MTE3 does nothing on an AIC of the 950.
      PipeBarrier<PIPE_ALL>();
      DataCopyL1ToUB<float, 0>(u, l1, 256);
      CrossCoreSetFlag<4, PIPE_MTE3>(7);
    }
    if ASCEND_IS_AIV {
      if (GetSubBlockIdx() == 0) {
        CrossCoreWaitFlag<4, PIPE_MTE3>(7);
        DataCopy(gm<float>(y, 256), u, 256);
      }
    }
    PipeBarrier<PIPE_ALL>();
  });
}
