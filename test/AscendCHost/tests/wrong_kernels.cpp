// Seeded wrong kernels. WRONG(name, kernel type, blocks, "what its report must say") { body }: the
// body is a vector (or cube) kernel with one fault, everything else about it is right.
#include "kernel_operator.h"
#include "wrong.h"

// ---- addresses, sizes, counts ------------------------------------------------------------------
WRONG(count_not_32_bytes, AIV_ONLY, 1, "not a multiple of 32: the chip would round down") {
  DataCopy(a, x, 33);
}
WRONG(ub_capacity, AIV_ONLY, 1, "ends beyond the capacity of UB, 188416 bytes") {
  ub<float>(184 * 1024 - 256, 65);
}
WRONG(ub_capacity_mixed, MIX_AIC_1_1, 1, "ends beyond the capacity of UB, 188160 bytes") {
  if ASCEND_IS_AIV
    ub<float>(184 * 1024 - 256, 64);
}
WRONG(l0a_capacity, AIC_ONLY, 1, "ends beyond the capacity of L0A, 65536 bytes") {
  LocalTensor<half>(TPosition::A2, 65024, 512);
}
WRONG(no_such_position, AIV_ONLY, 1, "position CO2 is not a memory") {
  LocalTensor<float>(TPosition::CO2, 0, 64);
}
WRONG(ub_alignment, AIV_ONLY, 1, "dst address 0x4 is not a multiple of 32") {
  Duplicate(a[1], 1.0f, 32);
}
WRONG(gm_alignment, AIV_ONLY, 1, "is not a multiple of 4") {
  DataCopy(a, gm<float>(arg.x + 2, 64), 64);
}
WRONG(l0_alignment, AIC_ONLY, 1, "dst address 0x20 is not a multiple of 512") {
  LocalTensor<half> l1(TPosition::A1, 0, 512), l0(TPosition::A2, 32, 256);
  DataCopy(l1, gm<half>(arg.x, 512), 512);
  sync<HardEvent::MTE2_MTE1>();
  LoadData2DParams p;
  p.repeatTimes = 1;
  LoadData(l0, l1, p);
}
WRONG(mmad_c_alignment, AIC_ONLY, 1, "C address 0x200 is not a multiple of 1024") {
  Cube c;
  c.load();
  Mmad(LocalTensor<float>(TPosition::CO1, 512, 256), c.l0a, c.l0b, c.mmad());
}
WRONG(repeat_too_large, AIV_ONLY, 1, "repeat is 256, allowed [0, 255]") {
  Adds(a, a, 1.0f, 64, 256, UnaryRepeatParams(1, 1, 8, 8));
}
WRONG(mask_too_large, AIV_ONLY, 1, "mask is 65, allowed [0, 64] lanes") {
  Adds(a, a, 1.0f, 65, 1, UnaryRepeatParams(1, 1, 8, 8));
}
WRONG(bit_mask_too_wide, AIV_ONLY, 1, "has lanes beyond the 64 of this type") {
  uint64_t mask[2] = {1, 1};
  Duplicate(a, 1.0f, mask, 1, 1, 8);
}
WRONG(block_count_too_large, AIV_ONLY, 1, "blockCount is 4096, allowed [0, 4095]") {
  DataCopy(a, x, DataCopyParams(4096, 1, 0, 0));
}
WRONG(mmad_k_too_large, AIC_ONLY, 1, "k is 4096, allowed [0, 4095]") {
  Cube c;
  c.load();
  MmadParams p = c.mmad();
  p.k = 4096;
  Mmad(c.l0c, c.l0a, c.l0b, p);
}
WRONG(stride_too_large, AIV_ONLY, 1, "src1 repeat stride is 256, allowed [0, 255]") {
  Add(b, a, a, 64, 1, BinaryRepeatParams(1, 1, 1, 8, 8, 256));
}
WRONG(dst_block_stride_0, AIV_ONLY, 1, "dst block stride is 0, which is undefined") {
  Duplicate(a, 1.0f, 64, 1, 0, 8);
}
WRONG(copy_default_strides, AIV_ONLY, 1, "dst block stride is 0, which is undefined") {
  load();
  Copy(b, a, 64, 1, CopyRepeatParams());
}
WRONG(outside_the_tensor, AIV_ONLY, 1, "are outside the tensor, declared [0x0,0x100)") {
  Duplicate(ub<float>(0, 64), 1.0f, 128);
}
WRONG(default_tensor, AIV_ONLY, 1, "dst is a default-constructed LocalTensor") {
  LocalTensor<float> t;
  Duplicate(t, 1.0f, 64);
}
WRONG(wrong_position, AIC_ONLY, 1, "C has position A2, this call needs L0C") {
  Cube c;
  c.load();
  Mmad(LocalTensor<float>(TPosition::A2, 4096, 256), c.l0a, c.l0b, c.mmad());
}
WRONG(compare_tail, AIV_ONLY, 1, "not a multiple of 256: the tail would not be compared") {
  load();
  Compares(ub<uint8_t>(4096, 32), a, 0.0f, CMPMODE::LT, 40);
}
WRONG(gather_wraps, AIV_ONLY, 1, "from 16384 elements on the 910B wraps its repeats silently") {
  Gather(ub<float>(0, 16384), ub<float>(65536, 16), ub<uint32_t>(66560, 16384), 0, 16384);
}
WRONG(pad_alignment, AIV_ONLY, 1, "blockLen is 6 bytes, not a multiple of sizeof(T) = 4") {
  DataCopyPad(a, x, DataCopyExtParams(1, 6, 0, 0, 0), DataCopyPadExtParams<float>());
}
WRONG(nz_rows_overlap, AIC_ONLY, 1, "columns of fractals would overlap") {
  Cube c;
  c.load();
  MmadParams p = c.mmad();
  Mmad(c.l0c, c.l0a, c.l0b, p);
  sync<HardEvent::M_FIX>();
  Fixpipe(gm<float>(arg.y, 512), c.l0c, FixpipeParamsV220(32, 16, 8, 32, false));
}
WRONG(quant_never_inferred, AIC_ONLY, 1, "quantPre is 0, float -> half needs 1") {
  Cube c;
  c.load();
  Mmad(c.l0c, c.l0a, c.l0b, c.mmad());
  sync<HardEvent::M_FIX>();
  Fixpipe(gm<half>(arg.y, 256), c.l0c, FixpipeParamsV220(16, 16, 16, 16, false));
}

// ---- global memory -----------------------------------------------------------------------------
WRONG(gm_out_of_bounds, AIV_ONLY, 1, "GM 'x' bytes [0x7f00,0x8100) is out of bounds") {
  DataCopy(a, gm<float>(arg.x + 0x7f00, 128), 128);
}
WRONG(gm_unregistered, AIV_ONLY, 1, "in no registered region") {
  static float stray[64];
  DataCopy(a, gm<float>(stray, 64), 64);
}
WRONG(gm_declared_size, AIV_ONLY, 1, "outside the GlobalTensor's declared buffer of 128 bytes") {
  DataCopy(a, gm<float>(arg.x, 32), 64);
}
WRONG(gm_read_only, AIV_ONLY, 1, "GM 'x' bytes [0x0,0x100) is read-only") {
  load();
  sync<HardEvent::MTE2_MTE3>();
  DataCopy(x, a, 64);
}
WRONG(gm_uninitialised, AIV_ONLY, 1, "reads undefined bytes: GM 'y' bytes [0x0,0x100)") {
  DataCopy(a, y, 64);
}
WRONG(scalar_gm_not_cleaned, AIV_ONLY, 1, "never followed by DataCacheCleanAndInvalid") {
  y.SetValue(0, 1.0f);
}
WRONG(scalar_gm_stale, AIV_ONLY, 1, "without DataCacheCleanAndInvalid between the two") {
  load();
  sync<HardEvent::MTE2_MTE3>();
  DataCopy(y, a, 64);
  sync<HardEvent::MTE3_S>();
  y.GetValue(0);
}
WRONG(two_cores_one_line, AIV_ONLY, 2, "writes the 64 B line that AIV 0 also wrote by SetValue") {
  y.SetValue(GetBlockIdx(), 1.0f);
  if (GetBlockIdx() == 1)
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(y);
  // core 0 leaves its line for core 1 to trip over, and would be reported for that too
  else
    stopHere();
}

// ---- undefined bytes ---------------------------------------------------------------------------
WRONG(ub_undefined, AIV_ONLY, 1,
      "src reads undefined bytes: UB bytes [0x0,0x100) was never written") {
  Adds(b, a, 1.0f, 64);
}
WRONG(pad_filler_undefined, AIV_ONLY, 1, "UB bytes [0x14,0x20) was never written") {
  DataCopyPad(a, x, DataCopyExtParams(1, 20, 0, 0, 0), DataCopyPadExtParams<float>());
  sync<HardEvent::MTE2_V>();
  Adds(b, a, 1.0f, 8);
}
WRONG(copied_undefined, AIV_ONLY, 1, "src reads undefined bytes: UB bytes [0x400,0x500)") {
  DataCopy(b, a, 64);
  sync<HardEvent::V_MTE3>();
  DataCopy(y, b, 64);
}
WRONG(broadcast_undefined, AIV_ONLY, 1, "src reads undefined bytes: UB bytes [0x4a0,0x500)") {
  Duplicate(a, 1.0f, 5);
  PipeBarrier<PIPE_V>();
  Brcb(b, a, 1, BrcbRepeatParams(1, 8)); // moves 3 undefined elements: no fault yet
  PipeBarrier<PIPE_V>();
  Adds(b, b, 1.0f, 64);
}
WRONG(mmad_undefined, AIC_ONLY, 1, "A reads undefined bytes: L0A") {
  Cube c;
  c.load();
  Mmad(c.l0c, LocalTensor<half>(TPosition::A2, 512, 256), c.l0b, c.mmad()); // no row was loaded
}
WRONG(mmad_undefined_rows, AIC_ONLY, 1, "src reads undefined bytes: L0C") {
  Cube c;
  c.load();
  MmadParams p = c.mmad();
  p.m = 32; // of which the last 16 were never loaded: their products may not be stored
  LocalTensor<float> l0c(TPosition::CO1, 0, 512);
  Mmad(l0c, LocalTensor<half>(TPosition::A2, 0, 512), c.l0b, p);
  sync<HardEvent::M_FIX>();
  Fixpipe(gm<float>(arg.y, 512), l0c, FixpipeParamsV220(16, 32, 32, 16, false));
}
WRONG(beyond_n_is_garbage, AIC_ONLY, 1, "src reads undefined bytes: L0C") {
  Cube c;
  c.load();
  MmadParams p = c.mmad();
  p.n = 15;
  Mmad(c.l0c, c.l0a, c.l0b, p);
  sync<HardEvent::M_FIX>();
  Fixpipe(gm<float>(arg.y, 256), c.l0c, FixpipeParamsV220(16, 16, 16, 16, false));
}
WRONG(accumulate_into_nothing, AIC_ONLY, 1, "C (accumulated into) reads undefined bytes") {
  Cube c;
  c.load();
  MmadParams p = c.mmad();
  p.cmatrixInitVal = false;
  Mmad(c.l0c, c.l0a, c.l0b, p);
}

// ---- races -------------------------------------------------------------------------------------
WRONG(race_mte2_v, AIV_ONLY, 1, "no SetFlag/WaitFlag from MTE2 to V orders the two") {
  DataCopy(a, x, 64);
  Adds(b, a, 1.0f, 64);
}
WRONG(race_v_mte3, AIV_ONLY, 1,
      "src reads UB bytes [0x0,0x100), which call #2 Duplicate<float> "
      "(pipe V, AIV 0) wrote") {
  Duplicate(a, 1.0f, 64);
  DataCopy(y, a, 64);
}
WRONG(race_v_v, AIV_ONLY, 1, "no PipeBarrier<PIPE_V> between the two") {
  Duplicate(a, 1.0f, 64);
  Adds(b, a, 1.0f, 64);
}
WRONG(race_mte2_mte2, AIV_ONLY, 1, "no PipeBarrier<PIPE_MTE2> between the two") {
  DataCopy(a, x, 64);
  DataCopy(a[56], x, 64);
}
WRONG(race_no_backward_flag, AIV_ONLY, 1, "no SetFlag/WaitFlag from V to MTE2 orders the two") {
  load();
  Adds(b, a, 1.0f, 64);
  DataCopy(a, x, 64);
}
WRONG(race_scalar, AIV_ONLY, 1, "no SetFlag/WaitFlag from V to S orders the two") {
  Duplicate(a, 1.0f, 64);
  a.GetValue(3);
}
WRONG(race_mmad, AIC_ONLY, 1, "no PipeBarrier<PIPE_M> between the two") {
  Cube c;
  c.load();
  MmadParams p = c.mmad();
  Mmad(c.l0c, c.l0a, c.l0b, p);
  p.cmatrixInitVal = false;
  Mmad(c.l0c, c.l0a, c.l0b, p);
}
WRONG(race_blocks_in_gm, AIV_ONLY, 2, "no cross-core flag orders the two") {
  load();
  sync<HardEvent::MTE2_MTE3>();
  DataCopy(y[GetBlockIdx() * 32], a, 64);
}
WRONG(race_wrong_pipe_signals, MIX_AIC_1_1, 1, "no cross-core flag orders the two") {
  if ASCEND_IS_AIC {
    Cube c;
    c.load();
    Mmad(c.l0c, c.l0a, c.l0b, c.mmad());
    sync<HardEvent::M_FIX>();
    Fixpipe(gm<float>(arg.y, 256), c.l0c, FixpipeParamsV220(16, 16, 16, 16, false));
    CrossCoreSetFlag<2, PIPE_M>(0);
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(a, y, 64);
  }
}

// ---- flags -------------------------------------------------------------------------------------
WRONG(flag_never_waited, AIV_ONLY, 1, "flag MTE2_V id 2, set by call #2, is never waited for") {
  SetFlag<HardEvent::MTE2_V>(2);
}
WRONG(flag_never_set, AIV_ONLY, 1, "deadlock: event id 1 is waited for") {
  WaitFlag<HardEvent::MTE2_V>(1);
}
WRONG(flag_set_twice, AIV_ONLY, 1, "event id 0 is set a second time before a wait") {
  SetFlag<HardEvent::MTE2_V>(0);
  sync<HardEvent::MTE2_V>(0);
}
WRONG(flag_id_reserved, AIV_ONLY, 1, "event id 6, allowed [0, 5]") { sync<HardEvent::MTE2_V>(6); }
WRONG(flag_no_op, AIC_ONLY, 1, "of MTE2_V is a no-op on an AIC") { sync<HardEvent::MTE2_V>(); }
WRONG(cross_aiv_only, AIV_ONLY, 1, "an AIV_ONLY or AIC_ONLY kernel cannot use cross-core flags") {
  CrossCoreSetFlag<0, PIPE_MTE3>(0);
  CrossCoreWaitFlag(0);
}
WRONG(cross_id, MIX_AIV_1_0, 2, "cross-core flag id 11, allowed [0, 10]") {
  CrossCoreSetFlag<0, PIPE_MTE3>(11);
  CrossCoreWaitFlag(11);
}
WRONG(cross_mode, MIX_AIV_1_0, 2, "cross-core mode 2 needs") { CrossCoreSetFlag<2, PIPE_MTE3>(0); }
WRONG(cross_unbalanced, MIX_AIC_1_2, 1, "cross-core flag id 4: 1 set(s) are never waited for") {
  if ASCEND_IS_AIC
    CrossCoreSetFlag<2, PIPE_FIX>(4);
}
WRONG(cross_one_aiv_forgets, MIX_AIC_1_2, 1, "deadlock: waits for cross-core flag id 5") {
  if ASCEND_IS_AIC
    CrossCoreWaitFlag(5);
  else if (GetSubBlockIdx() == 0)
    CrossCoreSetFlag<2, PIPE_MTE3>(5);
}
WRONG(cross_counter, MIX_AIC_1_1, 1, "the counter of cross-core flag id 0 is 16") {
  for (int k = 0; k < 16; ++k) {
    if ASCEND_IS_AIC
      CrossCoreSetFlag<2, PIPE_FIX>(0);
    else
      CrossCoreWaitFlag(0);
  }
}

// ---- overlap in one call -----------------------------------------------------------------------
WRONG(overlap_in_repeat, AIV_ONLY, 1, "overlap partly inside one repeat") {
  load();
  Adds(a[8], a, 1.0f, 64);
}
WRONG(overlap_across_repeats, AIV_ONLY, 1, "which an earlier repeat of the same call wrote") {
  load();
  DataCopy(b, a, 256);
  PipeBarrier<PIPE_V>();
  Adds(a[64], a, 1.0f, 64, 2, UnaryRepeatParams(1, 1, 8, 8));
}
WRONG(brcb_in_place, AIV_ONLY, 1, "dst 0x0 is src memory") {
  load();
  Brcb(a, a, 1, BrcbRepeatParams(1, 8));
}
WRONG(overlap_widening_cast, AIV_ONLY, 1, "overlap partly inside one repeat") {
  load();
  Cast(a, a.ReinterpretCast<half>(), RoundMode::CAST_NONE, 64);
}
WRONG(writes_twice, AIV_ONLY, 1, "one call writes UB bytes") {
  load();
  Adds(b, a, 1.0f, 64, 2, UnaryRepeatParams(1, 1, 4, 8));
}

// ---- the rest of the contract ------------------------------------------------------------------
WRONG(vector_on_aic, AIC_ONLY, 1, "pipe V, call #2 Duplicate<float>: does not exist on an AIC") {
  Duplicate(a, 1.0f, 64);
}
WRONG(mmad_on_aiv, AIV_ONLY, 1, "Mmad<half>: does not exist on an AIV") {
  Cube c;
  Mmad(c.l0c, c.l0a, c.l0b, c.mmad());
}
WRONG(cast_mode, AIV_ONLY, 1, "round mode CAST_NONE does not exist for float -> bfloat16_t") {
  load();
  Cast(ub<bfloat16_t>(8192, 64), a, RoundMode::CAST_NONE, 64);
}
WRONG(no_deq_scale, AIV_ONLY, 1, "call SetDeqScale first") {
  load();
  Cast(ub<half>(8192, 64), a.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, 64);
}
WRONG(int32_compare, AIV_ONLY, 1, "int32_t on 910B compares EQ only") {
  load();
  Compares(ub<uint8_t>(8192, 32), a.ReinterpretCast<int32_t>(), 0, CMPMODE::LT, 64);
}
WRONG(shift_too_far, AIV_ONLY, 1, "shift is 33, allowed [0, 32]") {
  load();
  ShiftLeft(b.ReinterpretCast<int32_t>(), a.ReinterpretCast<int32_t>(), 33, 64);
}
WRONG(mask_register_lost, AIV_ONLY, 1, "after a call that changed it") {
  load();
  uint64_t kept;
  GatherMask(b, a, uint8_t(1), false, 0, GatherMaskParams(1, 1, 8, 8), kept);
  PipeBarrier<PIPE_V>();
  Adds<float, false>(b, a, 1.0f, MASK_PLACEHOLDER, 1, UnaryRepeatParams(1, 1, 8, 8));
}
WRONG(counter_mode_left, AIV_ONLY, 1, "the vector mask is left in Counter mode") { SetMaskCount(); }
WRONG(atomics_left, AIV_ONLY, 1, "atomics (SetAtomic* of float) are left on") {
  SetAtomicAdd<float>();
}
WRONG(atomic_type, AIV_ONLY, 1, "dst stores float while SetAtomic* was given half") {
  load();
  sync<HardEvent::MTE2_MTE3>();
  SetAtomicAdd<half>();
  DataCopy(gm<float>(arg.z, 64), a, 64);
  PipeBarrier<PIPE_MTE3>();
  SetAtomicNone();
}
WRONG(atomic_without_barrier, AIV_ONLY, 1, "PipeBarrier<PIPE_MTE3> first") {
  load();
  sync<HardEvent::MTE2_MTE3>();
  SetAtomicAdd<float>();
  DataCopy(gm<float>(arg.z, 64), a, 64);
  DisableDmaAtomic();
}
WRONG(atomic_uncleared, AIV_ONLY, 1, "the atomic store's GM reads undefined bytes: GM 'y'") {
  load();
  sync<HardEvent::MTE2_MTE3>();
  SetAtomicAdd<float>();
  DataCopy(y, a, 64);
  PipeBarrier<PIPE_MTE3>();
  DisableDmaAtomic();
}
WRONG(five_hd_strides, AIV_ONLY, 1, "the chip adds it all the same") {
  load();
  uint64_t d[16], s[16];
  for (int k = 0; k < 16; ++k) {
    s[k] = a.GetPhyAddr(0);
    d[k] = b.GetPhyAddr(k * 8);
  }
  TransDataTo5HD<half>(d, s, TransDataTo5HDParams(false, false, 1, 16, 16));
}
WRONG(ratio_on_aic, MIX_AIC_1_2, 1, "does not say what it returns on the AIC") {
  if ASCEND_IS_AIC
    GetTaskRatio();
}
WRONG(trap, AIV_ONLY, 1, "Trap() was called") { Trap(); }
WRONG(hf32, AIC_ONLY, 1, "float Mmad under SetHF32Mode(true)") {
  LocalTensor<float> l0a(TPosition::A2, 0, 256), l0b(TPosition::B2, 0, 256);
  SetHF32Mode(true);
  Mmad(LocalTensor<float>(TPosition::CO1, 0, 256), l0a, l0b, Cube::mmad());
  SetHF32Mode(false);
}
WRONG(ub_to_l1, AIV_ONLY, 1, "UB to L1 does not exist on 910B") {
  load();
  DataCopy(LocalTensor<float>(TPosition::A1, 0, 64), a, 64);
}
WRONG(l1_to_gm, AIV_ONLY, 1, "src is not in UB") {
  DataCopy(y, LocalTensor<float>(TPosition::A1, 0, 64), 64);
}

// ---- the frame itself is wrong -----------------------------------------------------------------
WRONG_BARE(no_init, AIV_ONLY, "InitSocState() was not called before the first instruction") {
  Duplicate(ub<float>(0, 64), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
}
WRONG_BARE(no_final_barrier, AIV_ONLY, "PipeBarrier<PIPE_ALL>() is missing at the end") {
  InitSocState();
  Duplicate(ub<float>(0, 64), 1.0f, 64);
}
WRONG_BARE(kernel_type, AIV_ONLY, "declares KERNEL_TYPE_AIC_ONLY and is launched as") {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
}

// ---- unit flags
static FixpipeParamsV220 underUnitFlag(int flag) {
  FixpipeParamsV220 p(16, 16, 16, 16, false);
  p.deqScalar = 0;
  p.unitFlag = flag;
  return p;
}
WRONG(unit_flag_set_twice, AIC_ONLY, 1,
      "the unit flag of C at 0x0 is set, and no Fixpipe cleared it") {
  Cube c;
  c.load();
  SetMMRowMajor();
  MmadParams p = c.mmad();
  p.unitFlag = 3;
  Mmad(c.l0c, c.l0a, c.l0b, p);
  PipeBarrier<PIPE_M>();
  Mmad(c.l0c, c.l0a, c.l0b, p);
  stopHere(); // the flag is left set
}
WRONG(unit_flag_clear, AIC_ONLY, 1, "the unit flag of C at 0x0 is clear, and no Mmad set it") {
  Cube c;
  c.load();
  SetMMRowMajor();
  MmadParams p = c.mmad();
  p.unitFlag = 2;
  Mmad(c.l0c, c.l0a, c.l0b, p);
  Fixpipe<float, float, CFG_ROW_MAJOR>(y, c.l0c, underUnitFlag(3));
}
WRONG(unit_flag_left_set, AIC_ONLY, 1, "the unit flag of C at 0x0 is left set at the end") {
  Cube c;
  c.load();
  SetMMRowMajor();
  MmadParams p = c.mmad();
  p.unitFlag = 3;
  Mmad(c.l0c, c.l0a, c.l0b, p);
  Fixpipe<float, float, CFG_ROW_MAJOR>(y, c.l0c, underUnitFlag(2));
}
WRONG(unit_flag_mode, AIC_ONLY, 1, "unitFlag needs SetMMRowMajor() before the products") {
  Cube c;
  c.load();
  MmadParams p = c.mmad();
  p.unitFlag = 3;
  Mmad(c.l0c, c.l0a, c.l0b, p);
  Fixpipe<float, float, CFG_ROW_MAJOR>(y, c.l0c, underUnitFlag(3));
}
WRONG(unit_flag_value, AIC_ONLY, 1, "unitFlag is 1, allowed 0, 2 and 3") {
  Cube c;
  c.load();
  MmadParams p = c.mmad();
  p.unitFlag = 1;
  Mmad(c.l0c, c.l0a, c.l0b, p);
}

extern "C" const char *run_wrong_kernels() { return runWrongKernels(); }
