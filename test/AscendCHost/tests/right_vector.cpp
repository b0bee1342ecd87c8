// Right vector kernels: no report may come of them, and the numbers are checked by the pytest file.
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
template <typename T> static LocalTensor<T> ub(uint32_t addr, uint32_t n) {
  return LocalTensor<T>(TPosition::VECCALC, addr, n);
}

// z = max(x*y + x, y) / 2, any count, one slice a block.
template <typename T>
__global__ __aicore__ void elementwise(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  const uint64_t base = uint64_t(GetBlockIdx()) * n;
  auto gx = gm<T>((T *)x + base, n), gy = gm<T>((T *)y + base, n), gz = gm<T>((T *)z + base, n);
  LocalTensor<T> a(TPosition::VECIN, 0, n), b(TPosition::VECIN, 16384, n);
  LocalTensor<T> c(TPosition::VECOUT, 32768, n);
  const DataCopyExtParams p{1, uint32_t(n * sizeof(T)), 0, 0, 0};
  DataCopyPad(a, gx, p, DataCopyPadExtParams<T>{false, 0, 0, T(0)});
  DataCopyPad(b, gy, p, DataCopyPadExtParams<T>{false, 0, 0, T(0)});
  sync<HardEvent::MTE2_V>();
  Mul(c, a, b, n);
  PipeBarrier<PIPE_V>();
  Add(c, c, a, n);
  PipeBarrier<PIPE_V>();
  Max(c, c, b, n);
  PipeBarrier<PIPE_V>();
  Muls(c, c, T(0.5f), n);
  sync<HardEvent::V_MTE3>();
  DataCopyPad(gz, c, p);
  PipeBarrier<PIPE_ALL>();
}

// Rows of 64 floats: softmax by ReduceRepeat, Brcb and a strided Sub and Div.
__global__ __aicore__ void softmax(GM_ADDR x, GM_ADDR y, int32_t rows) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  auto gx = gm<float>(x, rows * 64), gy = gm<float>(y, rows * 64);
  auto a = ub<float>(0, rows * 64), m = ub<float>(32768, rows), s = ub<float>(33792, rows);
  auto b = ub<float>(40960, rows * 8);
  DataCopy(a, gx, uint32_t(rows * 64));
  sync<HardEvent::MTE2_V>();
  ReduceRepeat<ReduceType::MAX>(m, a, 64, rows, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  PipeBarrier<PIPE_V>();
  Brcb(b, m, rows / 8, BrcbRepeatParams(1, 8));
  PipeBarrier<PIPE_V>();
  Sub(a, a, b, 64, rows, BinaryRepeatParams(1, 1, 0, 8, 8, 1));
  PipeBarrier<PIPE_V>();
  Exp(a, a, rows * 64);
  PipeBarrier<PIPE_V>();
  ReduceRepeat<ReduceType::SUM>(s, a, 64, rows, 1, 1, 8);
  PipeBarrier<PIPE_V>();
  Brcb(b, s, rows / 8, BrcbRepeatParams(1, 8));
  PipeBarrier<PIPE_V>();
  Div(a, a, b, 64, rows, BinaryRepeatParams(1, 1, 0, 8, 8, 1));
  sync<HardEvent::V_MTE3>();
  DataCopy(gy, a, uint32_t(rows * 64));
  PipeBarrier<PIPE_ALL>();
}

// Two buffers, forward and backward flags: y = 3x over tiles of 256.
__global__ __aicore__ void doubleBuffer(GM_ADDR x, GM_ADDR y, int tiles) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  auto gx = gm<float>(x, tiles * 256), gy = gm<float>(y, tiles * 256);
  LocalTensor<float> in[2] = {ub<float>(0, 256), ub<float>(1024, 256)};
  LocalTensor<float> out[2] = {ub<float>(2048, 256), ub<float>(3072, 256)};
  for (int b = 0; b < 2; ++b) {
    SetFlag<HardEvent::V_MTE2>(b);
    SetFlag<HardEvent::MTE3_V>(b);
  }
  for (int t = 0; t < tiles; ++t) {
    const int b = t % 2;
    WaitFlag<HardEvent::V_MTE2>(b);
    DataCopy(in[b], gx[t * 256], 256);
    SetFlag<HardEvent::MTE2_V>(b);
    WaitFlag<HardEvent::MTE2_V>(b);
    WaitFlag<HardEvent::MTE3_V>(b);
    Muls(out[b], in[b], 3.0f, 256);
    SetFlag<HardEvent::V_MTE2>(b);
    SetFlag<HardEvent::V_MTE3>(b);
    WaitFlag<HardEvent::V_MTE3>(b);
    DataCopy(gy[t * 256], out[b], 256);
    SetFlag<HardEvent::MTE3_V>(b);
  }
  for (int b = 0; b < 2; ++b) {
    WaitFlag<HardEvent::V_MTE2>(b);
    WaitFlag<HardEvent::MTE3_V>(b);
  }
  PipeBarrier<PIPE_ALL>();
}

// Casts n values by one mode.
template <typename S, typename D>
__global__ __aicore__ void castKernel(GM_ADDR x, GM_ADDR y, uint32_t n, RoundMode mode) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  SetDeqScale(half(1.0f));
  auto a = ub<S>(0, n);
  auto b = ub<D>(65536, n);
  DataCopyPad(a, gm<S>(x, n), DataCopyExtParams{1, uint32_t(n * sizeof(S)), 0, 0, 0},
              DataCopyPadExtParams<S>{false, 0, 0, S{}});
  sync<HardEvent::MTE2_V>();
  Cast(b, a, mode, n);
  sync<HardEvent::V_MTE3>();
  DataCopyPad(gm<D>(y, n), b, DataCopyExtParams{1, uint32_t(n * sizeof(D)), 0, 0, 0});
  PipeBarrier<PIPE_ALL>();
}

// 256 floats in; six results of 256 floats out: select, gather, packed even lanes, records sorted.
__global__ __aicore__ void rearrange(GM_ADDR x, GM_ADDR y, GM_ADDR idx, uint64_t *kept) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  auto a = ub<float>(0, 256), b = ub<float>(1024, 256), r = ub<float>(4096, 6 * 256);
  auto offs = ub<uint32_t>(2048, 256);
  auto bits = ub<uint8_t>(3072, 32);
  DataCopy(a, gm<float>(x, 256), 256);
  DataCopy(offs, gm<uint32_t>(idx, 256), 256);
  sync<HardEvent::MTE2_V>();
  Muls(b, a, -1.0f, 256);
  Compares(bits, a, 0.5f, CMPMODE::GT, 256);
  Gather(r[256], a, offs, 0, 256);
  PipeBarrier<PIPE_V>();
  Select(r, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 256);
  GatherMask(r[512], a, uint8_t(1), false, 0, GatherMaskParams(1, 4, 8, 8), *kept);
  PipeBarrier<PIPE_V>();
  ResetMask();
  Duplicate(r[640], 7.0f, 128);
  // Indices for the sort are the gather offsets; 8 groups of 32, then two merges of four queues.
  auto sorted = ub<float>(16384, 512), merged = ub<float>(32768, 512);
  Sort32(sorted, a, offs, 8);
  PipeBarrier<PIPE_V>();
  const uint16_t len[4] = {32, 32, 32, 32};
  MrgSort(merged, MrgSortSrcList<float>(sorted, sorted[64], sorted[128], sorted[192]),
          MrgSort4Info(len, false, 15, 2));
  PipeBarrier<PIPE_V>();
  const uint16_t two[4] = {128, 128, 0, 0};
  MrgSort(sorted, MrgSortSrcList<float>(merged, merged[256], merged, merged),
          MrgSort4Info(two, false, 3, 1));
  PipeBarrier<PIPE_V>();
  GatherMask(r[768], sorted, uint8_t(1), false, 0, GatherMaskParams(1, 8, 8, 8), *kept);
  GatherMask(r[1024], sorted, uint8_t(2), false, 0, GatherMaskParams(1, 8, 8, 8), *kept);
  Transpose(r[1280].ReinterpretCast<uint16_t>(), a.ReinterpretCast<uint16_t>());
  // 16 rows of 8 floats to 8 rows of 16: the lower half of the last result.
  uint64_t dst[16], src[16];
  for (int k = 0; k < 16; ++k) {
    src[k] = a[k * 8].GetPhyAddr();
    dst[k] = r[1408 + k * 8].GetPhyAddr();
  }
  TransDataTo5HD<float>(dst, src, TransDataTo5HDParams(false, false, 1, 0, 0));
  sync<HardEvent::V_MTE3>();
  DataCopy(gm<float>(y, 1536), r, 1536);
  PipeBarrier<PIPE_ALL>();
}

// [M,64] -> [64] sequential accumulate with a repeat stride of 0, block and pair reductions,
// scalars.
__global__ __aicore__ void reductions(GM_ADDR x, GM_ADDR y, int rows) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  auto a = ub<float>(0, rows * 64), acc = ub<float>(65536, 256);
  DataCopy(a, gm<float>(x, rows * 64), DataCopyParams(rows, 8, 0, 0));
  Duplicate(acc, 0.0f, 256);
  sync<HardEvent::MTE2_V>();
  PipeBarrier<PIPE_V>();
  Add(acc, a, acc, 64, rows, BinaryRepeatParams(1, 1, 1, 0, 8, 0));
  WholeReduceMax(acc[64], a, 40, 1, 1, 1, 8); // value, index
  BlockReduceSum(acc[72], a, 1, 61, 1, 1, 8);
  PairReduceSum(acc[80], a, 1, 64, 1, 1, 8);
  sync<HardEvent::V_S>();
  const float v = acc.GetValue(65);
  acc.SetValue(128, float(__builtin_bit_cast(uint32_t, v)));
  acc(129) = acc(0) + 1.0f;
  AscendC::printf("row max at %d\n", int(__builtin_bit_cast(uint32_t, v)));
  sync<HardEvent::S_MTE3>();
  sync<HardEvent::V_MTE3>();
  DataCopy(gm<float>(y, 256), acc, 256);
  PipeBarrier<PIPE_ALL>();
}

// Every block adds its slice into one result.
__global__ __aicore__ void atomics(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  auto a = ub<int32_t>(0, 64);
  DataCopy(a, gm<int32_t>((int32_t *)x + GetBlockIdx() * 64, 64), 64);
  SetAtomicAdd<int32_t>();
  sync<HardEvent::MTE2_MTE3>();
  DataCopy(gm<int32_t>(y, 64), a, 64);
  PipeBarrier<PIPE_MTE3>();
  DisableDmaAtomic();
  PipeBarrier<PIPE_ALL>();
}

// Blocks pass a slice to their neighbour through GM behind a mode 0 barrier; one scalar GM write.
__global__ __aicore__ void neighbours(GM_ADDR x, GM_ADDR ws, GM_ADDR y, GM_ADDR flags) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  InitSocState();
  const int64_t me = GetBlockIdx(), n = GetBlockNum(), next = (me + 1) % n;
  auto a = ub<int32_t>(0, 64), b = ub<int32_t>(256, 64);
  DataCopy(a, gm<int32_t>((int32_t *)x + me * 64, 64), 64);
  sync<HardEvent::MTE2_MTE3>();
  DataCopy(gm<int32_t>((int32_t *)ws + me * 64, 64), a, 64);
  CrossCoreSetFlag<0, PIPE_MTE3>(3);
  CrossCoreWaitFlag(3);
  DataCopy(b, gm<int32_t>((int32_t *)ws + next * 64, 64), 64);
  sync<HardEvent::MTE2_MTE3>();
  DataCopy(gm<int32_t>((int32_t *)y + me * 64, 64), b, 64);
  auto f = gm<int32_t>((int32_t *)flags + me * 16, 16); // a cache line of its own
  f.SetValue(0, int32_t(me + 1));
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(f);
  PipeBarrier<PIPE_ALL>();
}

// Scalar code: halves, conversions, GM and UB elements, printing.
__global__ __vector__ void scalars(GM_ADDR x) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  constexpr half kScale = 1.5f;
  const half a = 1.0, b = (half)2.0f, c = a + b * kScale;
  const half floor = Cast<float, half, RoundMode::CAST_FLOOR>(1.0009f);
  const int32_t even = Cast<float, int32_t, RoundMode::CAST_RINT>(2.5f);
  AscendC::printf("%f %f %d %f\n", c * 2.0f + 1, floor, even, ToFloat(Cast(1.01f)));
  auto gx = gm<int32_t>(x, 16);
  auto t = ub<int32_t>(0, 64);
  Duplicate(t, gx.GetValue(0) + gx(1), 64);
  sync<HardEvent::V_S>(EVENT_ID1);
  t(5) = t(4) + 1;
  PRINTF("%d %d on %ld of %ld\n", t(5), t.GetValue(6), GetBlockIdx(), GetBlockNum());
  PipeBarrier<PIPE_ALL>();
}

extern "C" {
void run_scalars(GM_ADDR x) {
  launch("scalars", KERNEL_TYPE_AIV_ONLY, 2, [=] { scalars(x); });
}
void run_elementwise_f32(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n) {
  launch("elementwise_f32", KERNEL_TYPE_AIV_ONLY, 3, [=] { elementwise<float>(x, y, z, n); });
}
void run_elementwise_f16(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n) {
  launch("elementwise_f16", KERNEL_TYPE_AIV_ONLY, 3, [=] { elementwise<half>(x, y, z, n); });
}
void run_softmax(GM_ADDR x, GM_ADDR y, int32_t rows) {
  launch("softmax", KERNEL_TYPE_AIV_ONLY, 1, [=] { softmax(x, y, rows); });
}
void run_double_buffer(GM_ADDR x, GM_ADDR y, int32_t tiles) {
  launch("doubleBuffer", KERNEL_TYPE_AIV_ONLY, 1, [=] { doubleBuffer(x, y, tiles); });
}
#define CAST(S, D)                                                                                 \
  void run_cast_##S##_##D(GM_ADDR x, GM_ADDR y, uint32_t n, int mode) {                            \
    launch("cast", KERNEL_TYPE_AIV_ONLY, 1, [=] { castKernel<S, D>(x, y, n, RoundMode(mode)); });  \
  }
CAST(float, half)
CAST(float, bfloat16_t)
CAST(float, int16_t)
CAST(float, int32_t)
CAST(float, int64_t)
CAST(float, float)
CAST(half, float)
CAST(half, int8_t)
CAST(half, uint8_t)
CAST(half, int32_t)
CAST(bfloat16_t, float)
CAST(bfloat16_t, int32_t)
CAST(int32_t, float)
CAST(int32_t, half)
CAST(int32_t, int16_t)
CAST(int64_t, float)
CAST(int64_t, int32_t)
CAST(uint8_t, half)
CAST(int16_t, half)
void run_rearrange(GM_ADDR x, GM_ADDR y, GM_ADDR idx, uint64_t *kept) {
  launch("rearrange", KERNEL_TYPE_AIV_ONLY, 1, [=] { rearrange(x, y, idx, kept); });
}
void run_reductions(GM_ADDR x, GM_ADDR y, int32_t rows) {
  launch("reductions", KERNEL_TYPE_AIV_ONLY, 1, [=] { reductions(x, y, rows); });
}
void run_atomics(GM_ADDR x, GM_ADDR y, uint32_t blocks) {
  launch("atomics", KERNEL_TYPE_AIV_ONLY, blocks, [=] { atomics(x, y); });
}
void run_neighbours(GM_ADDR x, GM_ADDR ws, GM_ADDR y, GM_ADDR flags, uint32_t blocks) {
  launch("neighbours", KERNEL_TYPE_MIX_AIV_1_0, blocks, [=] { neighbours(x, ws, y, flags); });
}
}
