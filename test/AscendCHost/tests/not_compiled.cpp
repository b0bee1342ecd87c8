// What must not compile, one CASE a line; the pytest file compiles them all once and looks for each
// line's own message. With NO_CASES the rest must compile.
#include "kernel_operator.h"
using namespace AscendC;

template <typename T> using L = LocalTensor<T>;
template <typename T> using G = GlobalTensor<T>;
inline L<float> f;
inline L<half> h;
inline L<bfloat16_t> bf;
inline L<int32_t> i32;
inline L<int16_t> i16;
inline L<int8_t> i8;
inline L<uint8_t> u8;
inline MmadParams mp;
inline FixpipeParamsV220 fp;

#ifdef NO_CASES
#define CASE(NAME, ...)
#else
#define CASE(NAME, ...)                                                                            \
  void NAME() { __VA_ARGS__; }
#endif

// clang-format off: one case a line
CASE(div_int32, Div(i32, i32, i32, 64)) // expect: Div on 910B exists for half, float only
CASE(add_bf16, Add(bf, bf, bf, 64)) // expect: Add on 910B exists for int16_t, half, int32_t, float only
CASE(exp_int32, Exp(i32, i32, 64)) // expect: Exp on 910B exists for half, float only
CASE(and_int32, And(i32, i32, i32, 64)) // expect: And on 910B exists for int16_t, uint16_t only
CASE(scalar_int, Adds(f, f, 1, 64)) // expect: no matching function for call to
CASE(scalar_float_for_half, Adds(h, h, 1.0f, 64)) // expect: no matching function for call to
CASE(bf16_literal, bfloat16_t v = 1.0f; (void)v) // expect: conversion from
CASE(cast_pair, Cast(i8, f, RoundMode::CAST_RINT, 64)) // expect: the 910B has no conversion between these two types
CASE(cast_bf16_half, Cast(bf, h, RoundMode::CAST_RINT, 64)) // expect: the 910B has no conversion between these two types
CASE(duplicate_8_bits, Duplicate(u8, uint8_t(1), 64)) // expect: Duplicate on 910B exists for
CASE(reduce_int32, ReduceRepeat<ReduceType::SUM>(i32, i32, 64, 1, 1, 1, 8)) // expect: ReduceRepeat on 910B exists for half, float only
CASE(pair_max, ReducePairElem<ReduceType::MAX>(f, f, 64, 1, 1, 1, 8)) // expect: ReducePairElem exists for SUM only
CASE(mmad_half_int32, Mmad(i32, h, h, mp)) // expect: Mmad on 910B: half, bfloat16_t or float to float, int8_t to int32_t
CASE(mmad_mixed, Mmad(f, h, bf, mp)) // expect: Mmad on 910B: half, bfloat16_t or float to float, int8_t to int32_t
CASE(fixpipe_int32_bf16, Fixpipe(G<bfloat16_t>(), i32, fp)) // expect: Fixpipe on 910B has no conversion between these two types
CASE(fixpipe_l1_float, Fixpipe(f, f, fp)) // expect: Fixpipe to L1 on 910B writes half, bfloat16_t, int8_t or uint8_t only
CASE(fixpipe_vector_quant, Fixpipe(G<half>(), i32, L<uint64_t>(), fp)) // expect: Fixpipe with per-column scales is left out
CASE(no_such_event, SetFlag<HardEvent::FIX_V>(0)) // expect: is not a member of
CASE(barrier_s, PipeBarrier<PIPE_S>()) // expect: PipeBarrier takes V, M, MTE1, MTE2, MTE3, FIX or ALL
CASE(cross_mode_4, CrossCoreSetFlag<4, PIPE_FIX>(0)) // expect: CrossCoreSetFlag on 910B has modes 0, 1 and 2
CASE(cross_pipe_s, CrossCoreSetFlag<2, PIPE_S>(0)) // expect: CrossCoreSetFlag takes the pipes
CASE(neg, Neg(f, f, 64)) // expect: Neg: exists on 950 only
CASE(scatter, Scatter(f, f, i32, 0, 64)) // expect: Scatter: exists on 950 only
CASE(reduce_sum, ReduceSum(f, f, f, 64)) // expect: ReduceSum: uses TPipe inside, not static-safe
CASE(sync_all, SyncAll<true>()) // expect: SyncAll: uses TPipe inside, not static-safe
CASE(barrier_dsb, DataSyncBarrier<MemDsbT::ALL>()) // expect: DataSyncBarrier: is left out of the host header
CASE(tpipe, TPipe pipe) // expect: was not declared in this scope
CASE(int4, L<int4b_t> t(TPosition::A1, 0, 64)) // expect: incomplete type
CASE(atomic_uint32, SetAtomicAdd<uint32_t>()) // expect: SetAtomicAdd on 910B exists for
CASE(gm_reinterpret, G<float>().ReinterpretCast<half>()) // expect: has no member named
CASE(copy_count, Copy(f, f, 64)) // expect: no matching function for call to
CASE(gatherb_float, Gatherb(f, f, L<uint32_t>(), 1, GatherRepeatParams(1, 8))) // expect: Gatherb on 910B exists for uint16_t, uint32_t only
CASE(select_int32, Select(i32, u8, i32, i32, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64)) // expect: Select on 910B exists for half, float only
CASE(mutex, Mutex::Lock<PIPE_V>(0)) // expect: Mutex exists on 950 only
CASE(subs, Subs(f, f, 1.0f, 64)) // expect: Subs: exists on 950 only
CASE(l1_to_ub, DataCopyL1ToUB(f, f, 64)) // expect: DataCopyL1ToUB: exists on 950 only
