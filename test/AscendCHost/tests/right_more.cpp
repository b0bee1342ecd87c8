// Right kernels, continued: every element-wise call by number, masks, strides, pads, cube variants.
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

// z = op(x, y) or op(x, y, old z); form 0 count, 1 prefix mask, 2 bit mask (even lanes).
template <typename T> struct Zoo {
  LocalTensor<T> x = ub<T>(0, 256), y = ub<T>(4096, 256), z = ub<T>(8192, 256);
  void run(int op, int form, GM_ADDR gx, GM_ADDR gy, GM_ADDR gz) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    InitSocState();
    DataCopy(x, gm<T>(gx, 256), 256);
    DataCopy(y, gm<T>(gy, 256), 256);
    DataCopy(z, gm<T>(gz, 256), 256);
    sync<HardEvent::MTE2_V>();
    call(op, form);
    sync<HardEvent::V_MTE3>();
    DataCopy(gm<T>(gz, 256), z, 256);
    PipeBarrier<PIPE_ALL>();
  }
  static constexpr int kLanes = 256 / int(sizeof(T)), kReps = 256 / kLanes;
  const uint64_t even[2] = {0x5555555555555555ull, sizeof(T) == 2 ? 0x5555555555555555ull : 0};
#define FORMS(OP, PARAMS, ...)                                                                     \
  if (form == 0)                                                                                   \
    OP(__VA_ARGS__, 200);                                                                          \
  else if (form == 1)                                                                              \
    OP(__VA_ARGS__, kLanes - 3, kReps, PARAMS());                                                  \
  else                                                                                             \
    OP(__VA_ARGS__, even, kReps, PARAMS());                                                        \
  break;
  void call(int op, int form) {
    if constexpr (!std::is_same_v<T, uint16_t>)
      switch (op) {
      case 0: FORMS(Add, BinaryRepeatParams, z, x, y)
      case 1: FORMS(Sub, BinaryRepeatParams, z, x, y)
      case 2: FORMS(Mul, BinaryRepeatParams, z, x, y)
      case 3: FORMS(Max, BinaryRepeatParams, z, x, y)
      case 4: FORMS(Min, BinaryRepeatParams, z, x, y)
      case 5: FORMS(Adds, UnaryRepeatParams, z, x, T(3))
      case 6: FORMS(Muls, UnaryRepeatParams, z, x, T(3))
      case 7: FORMS(Maxs, UnaryRepeatParams, z, x, T(3))
      case 8: FORMS(Mins, UnaryRepeatParams, z, x, T(3))
      }
    if constexpr (ascendc_host::oneOf<T, half, float>)
      switch (op) {
      case 9: FORMS(Div, BinaryRepeatParams, z, x, y)
      case 10: FORMS(Exp, UnaryRepeatParams, z, x)
      case 11: FORMS(Ln, UnaryRepeatParams, z, x)
      case 12: FORMS(Sqrt, UnaryRepeatParams, z, x)
      case 13: FORMS(Rsqrt, UnaryRepeatParams, z, x)
      case 14: FORMS(Reciprocal, UnaryRepeatParams, z, x)
      case 15: FORMS(Abs, UnaryRepeatParams, z, x)
      case 16: FORMS(Relu, UnaryRepeatParams, z, x)
      case 17: FORMS(LeakyRelu, UnaryRepeatParams, z, x, T(0.25f))
      case 18: FORMS(Axpy, UnaryRepeatParams, z, x, T(3))
      case 19: FORMS(MulAddDst, BinaryRepeatParams, z, x, y)
      case 20: FORMS(FusedMulAdd, BinaryRepeatParams, z, x, y)
      case 21: FORMS(AddRelu, BinaryRepeatParams, z, x, y)
      case 22: FORMS(SubRelu, BinaryRepeatParams, z, x, y)
      case 23: FORMS(MulAddRelu, BinaryRepeatParams, z, x, y)
      }
    if constexpr (ascendc_host::oneOf<T, int16_t, uint16_t>)
      switch (op) {
      case 24: FORMS(Not, UnaryRepeatParams, z, x)
      case 25: FORMS(And, BinaryRepeatParams, z, x, y)
      case 26: FORMS(Or, BinaryRepeatParams, z, x, y)
      }
    if constexpr (std::is_integral_v<T>)
      switch (op) {
      case 27: FORMS(ShiftLeft, UnaryRepeatParams, z, x, T(3))
      case 28: FORMS(ShiftRight, UnaryRepeatParams, z, x, T(3))
      }
  }
};

// Mask register forms: Counter mode over 100 lanes, then Normal mode over lanes 1 and 3.
__global__ __aicore__ void maskRegister(GM_ADDR x, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  auto a = ub<float>(0, 256), b = ub<float>(4096, 256);
  DataCopy(a, gm<float>(x, 256), 256);
  Duplicate(b, 0.0f, 256);
  sync<HardEvent::MTE2_V>();
  PipeBarrier<PIPE_V>();
  SetMaskCount();
  SetVectorMask<float, MaskMode::COUNTER>(100);
  Adds<float, false>(b, a, 1.0f, MASK_PLACEHOLDER, 1, UnaryRepeatParams(1, 1, 8, 8));
  SetMaskNorm();
  SetVectorMask<float>(0, 0xa);
  Muls<float, false>(b[128], a, 2.0f, MASK_PLACEHOLDER, 2, UnaryRepeatParams(1, 1, 8, 8));
  ResetMask();
  sync<HardEvent::V_MTE3>();
  DataCopy(gm<float>(z, 256), b, 256);
  PipeBarrier<PIPE_ALL>();
}

// 3 rows of 5 halves out of rows of 9, padded left by 1 and right by 2 with -1, rows 2 blocks
// apart; back as rows of 5 in rows of 7.
__global__ __aicore__ void pads(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  auto a = ub<half>(0, 96), b = ub<half>(512, 48);
  DataCopyPad(a, gm<half>(x, 27), DataCopyExtParams(3, 10, 8, 1, 0),
              DataCopyPadExtParams<half>(true, 1, 2, half(-1.0f)));
  SetPadValue(half(9.0f));
  DataCopyPad(b, gm<half>(x, 27), DataCopyExtParams(3, 10, 8, 0, 0),
              DataCopyPadExtParams<half>(false, 0, 0, half(0)));
  sync<HardEvent::MTE2_MTE3>();
  DataCopyPad(gm<half>(y, 24), a, DataCopyExtParams(3, 16, 1, 0, 0));
  DataCopyPad(gm<half>(z, 21), b, DataCopyExtParams(3, 10, 0, 4, 0));
  DataCopyPad(gm<half>(z, 21)[5], b[16], DataCopyExtParams(1, 4, 0, 0, 0));
  PipeBarrier<PIPE_ALL>();
}

// A column of 16-row strips by Copy, blocks by Gatherb, both compared with a mask in mode 0.
__global__ __aicore__ void blocks(GM_ADDR x, GM_ADDR idx, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  auto a = ub<float>(0, 128), r = ub<float>(8192, 256);
  auto o = ub<uint32_t>(2048, 16);
  DataCopy(a, gm<float>(x, 128), 128);
  DataCopy(o, gm<uint32_t>(idx, 16), 16);
  sync<HardEvent::MTE2_V>();
  Copy(r, a, 16, 4, CopyRepeatParams(1, 1, 2, 4)); // blocks 0,1 of every 4
  Gatherb(r[128].ReinterpretCast<uint32_t>(), a.ReinterpretCast<uint32_t>(), o, 2,
          GatherRepeatParams(1, 8));
  DataCopy(r[64], a[8], DataCopyParams(4, 1, 3, 1)); // block 1 of every 4, every other block
  Duplicate(r[72], 0.0f, 8, 4, 1, 2);
  sync<HardEvent::V_MTE3>();
  DataCopy(gm<float>(y, 256), r, 256);
  PipeBarrier<PIPE_ALL>();
}

// [1,k] x [k,32] as GEMV, and [16,32] results as NZ, channel split, dequantised.
__global__ __aicore__ void cubeVariants(GM_ADDR a, GM_ADDR b, GM_ADDR gemv, GM_ADDR nz,
                                        GM_ADDR split, GM_ADDR q8, int32_t *bias, GM_ADDR deq) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  LocalTensor<half> l1a(TPosition::A1, 0, 256), l1b(TPosition::B1, 4096, 512);
  LocalTensor<half> l0a(TPosition::A2, 0, 256), l0b(TPosition::B2, 0, 512),
      l1r(TPosition::A1, 8192, 256);
  LocalTensor<float> l0c(TPosition::CO1, 0, 512);
  DataCopy(l1a, gm<half>(a, 256), Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
  DataCopy(l1r, gm<half>(a, 256), 256); // plain rows: row 0 is the GEMV vector
  DataCopy(l1b, gm<half>(b, 512), Nd2NzParams(1, 16, 32, 0, 32, 16, 1, 0));
  sync<HardEvent::MTE2_MTE1>();
  LoadData2DParams p;
  p.repeatTimes = 1;
  LoadData(l0a, l1a, p);
  p.repeatTimes = 2;
  p.srcStride = 1;
  p.ifTranspose = true;
  LoadData(l0b, l1b, p);
  sync<HardEvent::MTE1_M>();
  MmadParams q;
  q.m = q.k = 16;
  q.n = 32;
  Mmad(l0c, l0a, l0b, q);
  sync<HardEvent::M_FIX>();
  FixpipeParamsV220 f(32, 16, 16, 16 * 64 / 32, false);
  Fixpipe<float, float, CFG_NZ>(gm<float>(nz, 512), l0c, f);
  f.isChannelSplit = true;
  f.dstStride = 16;
  Fixpipe<float, float, CFG_NZ>(gm<float>(split, 512), l0c, f);
  f.isChannelSplit = false;
  f.dstStride = 32;
  f.quantPre = QF322B8_PRE;
  f.deqScalar = __builtin_bit_cast(uint32_t, 4.0f);
  f.reluEn = true;
  Fixpipe<uint8_t, float, CFG_ROW_MAJOR>(gm<uint8_t>(q8, 512), l0c, f);
  PipeBarrier<PIPE_ALL>();
  p = LoadData2DParams();
  p.repeatTimes = 1;
  LoadData(l0a, l1r, p);
  sync<HardEvent::MTE1_M>();
  q.m = 1;
  Mmad(l0c, l0a, l0b, q);
  sync<HardEvent::M_FIX>();
  Fixpipe(gm<float>(gemv, 32), l0c, FixpipeParamsV220(32, 1, 16, 32, false));
  PipeBarrier<PIPE_ALL>();
  // int32 bias rows by int8 zeros: the accumulator is the bias, dequantised to half.
  LocalTensor<int8_t> z1(TPosition::A1, 16384, 1024), za(TPosition::A2, 0, 512),
      zb(TPosition::B2, 0, 512);
  LocalTensor<int32_t> b1(TPosition::C1, 32768, 16), bt(TPosition::C2, 64, 16),
      c(TPosition::CO1, 0, 256);
  Fill(z1.ReinterpretCast<half>(), InitConstValueParams<half>(2, 8, 8, half(0)));
  DataCopy(b1, gm<int32_t>(bias, 16), 16);
  sync<HardEvent::MTE2_MTE1>();
  p = LoadData2DParams();
  p.repeatTimes = 1;
  LoadData(za.ReinterpretCast<half>(), z1.ReinterpretCast<half>(), p);
  LoadData(zb, z1, p);
  DataCopy(bt, b1, DataCopyParams(1, 1, 0, 0));
  sync<HardEvent::MTE1_M>();
  q.m = q.n = 16;
  q.k = 16; // the first 256 B of each fractal are filled: rows 0..7 only
  q.m = 8;
  q.n = 8;
  Mmad(c, za, zb, bt, q);
  sync<HardEvent::M_FIX>();
  FixpipeParamsV220 g(8, 8, 16, 8, false);
  g.quantPre = DEQF16;
  g.deqScalar = __builtin_bit_cast(uint32_t, 0.5f);
  Fixpipe<half, int32_t>(gm<half>(deq, 64), c, g);
  PipeBarrier<PIPE_ALL>();
}

extern "C" {
#define ZOO(NAME, T)                                                                               \
  void run_zoo_##NAME(int op, int form, GM_ADDR x, GM_ADDR y, GM_ADDR z) {                         \
    launch("zoo", KERNEL_TYPE_AIV_ONLY, 1, [=] { Zoo<T>().run(op, form, x, y, z); });              \
  }
ZOO(float32, float)
ZOO(float16, half)
ZOO(int32, int32_t)
ZOO(int16, int16_t)
void run_mask_register(GM_ADDR x, GM_ADDR z) {
  launch("maskRegister", KERNEL_TYPE_AIV_ONLY, 1, [=] { maskRegister(x, z); });
}
void run_pads(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  launch("pads", KERNEL_TYPE_AIV_ONLY, 1, [=] { pads(x, y, z); });
}
void run_blocks(GM_ADDR x, GM_ADDR idx, GM_ADDR y) {
  launch("blocks", KERNEL_TYPE_AIV_ONLY, 1, [=] { blocks(x, idx, y); });
}
void run_cube_variants(GM_ADDR a, GM_ADDR b, GM_ADDR gemv, GM_ADDR nz, GM_ADDR split, GM_ADDR q8,
                       int32_t *bias, GM_ADDR deq) {
  launch("cubeVariants", KERNEL_TYPE_AIC_ONLY, 1,
         [=] { cubeVariants(a, b, gemv, nz, split, q8, bias, deq); });
}
}
