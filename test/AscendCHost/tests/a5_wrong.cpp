// Seeded wrong kernels of the Ascend 950; see wrong_kernels.cpp.
#include "kernel_operator.h"
#include "wrong.h"

static constexpr FixpipeConfig kToUB{CO2Layout::ROW_MAJOR, true};
static FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> fix() {
  FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> f(16, 16, 16, 16);
  f.deqScalar = f.reluScalar = f.vectorRelu = 0;
  return f;
}
static LocalTensor<float> kUB() { return LocalTensor<float>(TPosition::VECCALC, 0, 256); }

WRONG(a5_sync_all_kind, MIX_AIV_1_0, 2, "isAIVOnly is false in a kernel that has AIVs only") {
  SyncAll<false>();
}
WRONG(a5_sync_all_type, AIV_ONLY, 1, "an AIV_ONLY or AIC_ONLY kernel cannot use SyncAll") {
  SyncAll<true>();
}
WRONG(a5_sync_all_alone, MIX_AIV_1_0, 2, "deadlock: waits for cross-core flag id 14") {
  if (GetBlockIdx() == 0)
    SyncAll<true>();
}
WRONG(a5_ub_capacity, AIV_ONLY, 1, "ends beyond the capacity of UB, 253952 bytes") {
  ub<float>(248 * 1024 - 256, 65);
}
WRONG(a5_bias_capacity, AIC_ONLY, 1, "ends beyond the capacity of BiasTable, 4096 bytes") {
  LocalTensor<float>(TPosition::C2, 4032, 32);
}
WRONG(a5_no_elements, AIV_ONLY, 1, "count is 0, which means nothing on the 910B only") {
  Duplicate(a, 1.0f, 0);
}
WRONG(a5_no_repeats, AIV_ONLY, 1, "repeat is 0, which means nothing on the 910B only") {
  load();
  Adds(a, a, 1.0f, 64, 0, UnaryRepeatParams(1, 1, 8, 8));
}
WRONG(a5_no_lanes, AIV_ONLY, 1, "mask is 0, which means nothing on the 910B only") {
  load();
  Adds(a, a, 1.0f, uint64_t(0), 1, UnaryRepeatParams(1, 1, 8, 8));
}
WRONG(a5_mask_register, AIV_ONLY, 1, "isSetMask = false: on the 950") {
  load();
  SetVectorMask<float>(0, 255);
  Adds<float, false>(a, a, 1.0f, MASK_PLACEHOLDER, 1, UnaryRepeatParams(1, 1, 8, 8));
}
WRONG(a5_division_by_zero, AIV_ONLY, 1, "an integer is divided by zero") {
  auto i = ub<int32_t>(0, 8), j = ub<int32_t>(32, 8);
  Duplicate(i, 1, 8);
  Duplicate(j, 0, 8);
  PipeBarrier<PIPE_V>();
  Div(i, i, j, 8);
}
WRONG(a5_cast_none, AIV_ONLY, 1,
      "round mode CAST_NONE does not exist for int32_t -> float on 950") {
  auto i = ub<int32_t>(0, 64);
  Duplicate(i, 1, 64);
  Cast(a, i, RoundMode::CAST_NONE, 64);
}
WRONG(a5_vec_gap, AIV_ONLY, 1, "dstStride (32 B blocks) is 65536, allowed [0, 65535]") {
  DataCopyPad(a, x, DataCopyExtParams(1, 32, 0, 65536, 0), DataCopyPadExtParams<float>());
}
WRONG(a5_step_back, AIV_ONLY, 1, "srcStride (bytes) is -36, allowed [-32, ") {
  DataCopyPad(a, x, DataCopyExtParams(2, 32, -36, 0, 0), DataCopyPadExtParams<float>());
}
// Left as the 910B wants it: two rows of fractals of two columns each; the product of 32 x 32 reads
// them by columns. What is wrong shows in numbers, but for the fractal that was not loaded.
WRONG(a5_left_by_rows, AIC_ONLY, 1, "A reads undefined bytes") {
  LocalTensor<half> l1(TPosition::A1, 0, 1024), l0a(TPosition::A2, 0, 1024),
      l0b(TPosition::B2, 0, 512);
  DataCopy(l1, gm<half>(arg.x, 1024), 1024);
  sync<HardEvent::MTE2_MTE1>();
  LoadData2DParams p; // columns 0 and 1 of row 0, and of row 1 only column 0
  p.repeatTimes = 2;
  p.srcStride = 2;
  LoadData(l0a, l1, p);
  LoadData(l0b, l1, LoadData2DParamsV2(0, 0, 2, 1, 2, 1, true, 0));
  sync<HardEvent::MTE1_M>();
  MmadParams m = Cube::mmad();
  m.m = 16;
  m.k = 32;
  LocalTensor<float> c(TPosition::CO1, 0, 512);
  Mmad(c, l0a, l0b, m); // one row of fractals is the same either way
  PipeBarrier<PIPE_M>();
  m.m = 32;
  m.k = 16;
  m.n = 16;
  Mmad(c, l0a[512], l0b, m);
}
WRONG(a5_load_gap, AIC_ONLY, 1, "dstGap is 1, allowed [0, 0]") {
  LocalTensor<half> l1(TPosition::A1, 0, 512), l0a(TPosition::A2, 0, 512);
  DataCopy(l1, gm<half>(arg.x, 512), 512);
  sync<HardEvent::MTE2_MTE1>();
  LoadData2DParams p;
  p.repeatTimes = 1;
  p.dstGap = 1;
  LoadData(l0a, l1, p);
}
WRONG(a5_load_steps, AIC_ONLY, 1, "mStep is 256, allowed [0, 255]") {
  LocalTensor<half> l1(TPosition::A1, 0, 512), l0a(TPosition::A2, 0, 512);
  LoadData(l0a, l1, LoadData2DParamsV2(0, 0, 256, 1, 256, 256, false, 0));
}
WRONG(a5_load_overlap, AIC_ONLY, 1, "dstStride is 1, less than the 2 fractals of a column") {
  LocalTensor<half> l1(TPosition::A1, 0, 1024), l0a(TPosition::A2, 0, 1024);
  DataCopy(l1, gm<half>(arg.x, 1024), 1024);
  sync<HardEvent::MTE2_MTE1>();
  LoadData(l0a, l1, LoadData2DParamsV2(0, 0, 2, 2, 2, 1, false, 0));
}
WRONG(a5_ub_to_l1_undefined, MIX_AIC_1_2, 1, "without -DENABLE_CV_COMM_VIA_SSBUF=true") {
  if ASCEND_IS_AIV {
    load();
    DataCopy(LocalTensor<float>(TPosition::A1, 0, 64), a, 64);
  }
}
WRONG(a5_ub_to_l1_alone, AIV_ONLY, 1, "the kernel has to be a mixed one") {
  load();
  DataCopy(LocalTensor<float>(TPosition::A1, 0, 64), a, 64);
}
WRONG(a5_l1_to_ub_aiv, MIX_AIC_1_2, 1, "does not exist on an AIV") {
  if ASCEND_IS_AIV
    DataCopyL1ToUB<float, 0>(a, LocalTensor<float>(TPosition::A1, 0, 64), 64);
}
WRONG(a5_to_ub_alone, AIC_ONLY, 1, "the kernel has to be a mixed one") {
  Cube c;
  c.load();
  Mmad(c.l0c, c.l0a, c.l0b, c.mmad());
  sync<HardEvent::M_FIX>();
  Fixpipe<float, float, kToUB>(kUB(), c.l0c, fix());
}
WRONG(a5_to_ub_narrow, MIX_AIC_1_2, 1, "rows in UB are multiples of 32 bytes") {
  if ASCEND_IS_AIC {
    Cube c;
    c.load();
    Mmad(c.l0c, c.l0a, c.l0b, c.mmad());
    sync<HardEvent::M_FIX>();
    auto f = fix();
    f.nSize = 12;
    Fixpipe<float, float, kToUB>(kUB(), c.l0c, f);
  }
}
WRONG(a5_dual_quant, MIX_AIC_1_2, 1, "dualDstCtl is 1, with quantPre or reluEn") {
  if ASCEND_IS_AIC {
    Cube c;
    c.load();
    Mmad(c.l0c, c.l0a, c.l0b, c.mmad());
    sync<HardEvent::M_FIX>();
    auto f = fix();
    f.dualDstCtl = 1;
    f.quantPre = F322F16;
    Fixpipe<half, float, kToUB>(LocalTensor<half>(TPosition::VECCALC, 0, 256), c.l0c, f);
  }
}
// The AIV reads what the AIC puts into its UB, and nothing orders the two.
WRONG(a5_to_ub_race, MIX_AIC_1_2, 1, "no cross-core flag orders the two") {
  if ASCEND_IS_AIC {
    Cube c;
    c.load();
    Mmad(c.l0c, c.l0a, c.l0b, c.mmad());
    sync<HardEvent::M_FIX>();
    Fixpipe<float, float, kToUB>(kUB(), c.l0c, fix());
  }
  if ASCEND_IS_AIV {
    if (GetSubBlockIdx() == 0)
      Adds(b, LocalTensor<float>(TPosition::VECCALC, 0, 256), 1.0f, 256);
  }
}
// A wait holds its own pipe on the 950: MTE3 is not ordered by one of V.
WRONG(a5_wait_of_another_pipe, MIX_AIC_1_2, 1, "no cross-core flag orders the two") {
  if ASCEND_IS_AIC {
    Cube c;
    c.load();
    Mmad(c.l0c, c.l0a, c.l0b, c.mmad());
    sync<HardEvent::M_FIX>();
    Fixpipe<float, float, kToUB>(kUB(), c.l0c, fix());
    CrossCoreSetFlag<2, PIPE_FIX>(0);
  }
  if ASCEND_IS_AIV {
    CrossCoreWaitFlag<2, PIPE_V>(0);
    if (GetSubBlockIdx() == 0)
      DataCopy(y, LocalTensor<float>(TPosition::VECCALC, 0, 256), 256);
  }
}
WRONG(a5_mode_4_ratio, MIX_AIC_1_1, 1, "cross-core mode 4 needs KERNEL_TYPE_MIX_AIC_1_2") {
  if ASCEND_IS_AIC
    CrossCoreSetFlag<4, PIPE_FIX>(0);
}
WRONG(a5_mode_4_id, MIX_AIC_1_2, 1, "cross-core flag id 11") {
  if ASCEND_IS_AIC {
    CrossCoreSetFlag<4, PIPE_FIX>(11);
  }
  if ASCEND_IS_AIV {
    if (GetSubBlockIdx() == 0)
      stopHere();
  }
}
WRONG(a5_mode_4_other_aiv, MIX_AIC_1_2, 1, "cross-core flag id 0") {
  if ASCEND_IS_AIC
    CrossCoreSetFlag<4, PIPE_FIX>(16); // AIV 1; AIV 0 waits
  if ASCEND_IS_AIV {
    if (GetSubBlockIdx() == 0)
      CrossCoreWaitFlag<4, PIPE_V>(0);
  }
}
WRONG(a5_flag_of_aic, AIC_ONLY, 1, "SetFlag of MTE2_MTE3 is a no-op on an AIC") {
  SetFlag<HardEvent::MTE2_MTE3>(0);
}
WRONG(a5_mutex_missing, AIV_ONLY, 1, "no SetFlag/WaitFlag from MTE2 to V orders the two") {
  Mutex::Lock<PIPE_MTE2>(0);
  DataCopy(a, x, 256);
  Mutex::Unlock<PIPE_MTE2>(0);
  Mutex::Lock<PIPE_V>(1);
  Adds(b, a, 1.0f, 256);
  Mutex::Unlock<PIPE_V>(1);
}
WRONG(a5_mutex_twice, AIV_ONLY, 1, "deadlock: mutex 2 is locked for pipe MTE2") {
  Mutex::Lock<PIPE_MTE2>(2);
  Mutex::Lock<PIPE_V>(2);
  Mutex::Unlock<PIPE_V>(2);
}
WRONG(a5_mutex_not_locked, AIV_ONLY, 1, "mutex 3 is not locked for pipe V") {
  Mutex::Unlock<PIPE_V>(3);
}
WRONG(a5_mutex_left, AIV_ONLY, 1, "mutex 4, locked for pipe V by call") { Mutex::Lock<PIPE_V>(4); }
WRONG(a5_mutex_id, AIV_ONLY, 1, "mutex 28, allowed [0, 27]") { Mutex::Lock<PIPE_V>(28); }
WRONG(a5_mutex_pipe, AIC_ONLY, 1, "an AIC has no pipe V") { Mutex::Lock<PIPE_V>(0); }
WRONG(a5_bias_odd, AIC_ONLY, 1, "blockLen is 1, which is even for the bias table") {
  DataCopy(LocalTensor<float>(TPosition::C2, 0, 16), LocalTensor<float>(TPosition::A1, 0, 16),
           DataCopyParams(1, 1, 0, 0));
}

extern "C" const char *run_wrong_kernels() { return runWrongKernels(); }
