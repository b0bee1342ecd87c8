// What must not compile for the Ascend 950; see not_compiled.cpp.
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
inline L<int64_t> i64;
inline MmadParams mp;
inline FixpipeParamsV220 fp;
inline FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> fa;
inline FixpipeParamsArch3510<CO2Layout::NZ> fnz;
inline uint64_t addresses[16];

#ifdef NO_CASES
#define CASE(NAME, ...)
#else
#define CASE(NAME, ...)                                                                            \
  void NAME() { __VA_ARGS__; }
#endif

// clang-format off: one case a line
CASE(div_bf16, Div(bf, bf, bf, 64)) // expect: Div on 950 exists for
CASE(exp_bf16, Exp(bf, bf, 64)) // expect: Exp on 950 exists for half, float only
CASE(relu_bf16, Relu(bf, bf, 64)) // expect: Relu on 950 exists for half, int32_t, float, int64_t only
CASE(mul_int8, Mul(i8, i8, i8, 64)) // expect: Mul on 950 exists for
CASE(add_int8_mask, Add(i8, i8, i8, uint64_t(64), 1, BinaryRepeatParams())) // expect: Add with repeats is for 16 and 32 bits only
CASE(add_int64_mask, Add(i64, i64, i64, uint64_t(32), 1, BinaryRepeatParams())) // expect: Add with repeats is for 16 and 32 bits only
CASE(divs_int32, Divs(i32, i32, 2, 64)) // expect: Divs on 950 exists for half, float, int64_t, uint64_t only
CASE(neg_bf16, Neg(bf, bf, 64)) // expect: Neg on 950 exists for
CASE(cast_pair, Cast(i8, f, RoundMode::CAST_RINT, 64)) // expect: the 950 has no conversion between these two types
CASE(cast_bf16_int16, Cast(i16, bf, RoundMode::CAST_RINT, 64)) // expect: the 950 has no conversion between these two types
CASE(reduce_bf16, ReduceRepeat<ReduceType::MAX>(bf, bf, 64, 1, 1, 1, 8)) // expect: ReduceRepeat on 950 exists for
CASE(mmad_half_int32, Mmad(i32, h, h, mp)) // expect: Mmad on 950: half, bfloat16_t or float to float, int8_t to int32_t
CASE(fixpipe_int32_bf16, Fixpipe(G<bfloat16_t>(), i32, fa)) // expect: Fixpipe on 950 has no conversion between these two types
CASE(fixpipe_stock, Fixpipe<float, float, CFG_ROW_MAJOR>(f, f, fp)) // expect: Fixpipe to L1 and UB on 950: use FixpipeParamsArch3510
CASE(fixpipe_layout, Fixpipe<float, float, CFG_ROW_MAJOR>(G<float>(), f, fnz)) // expect: no matching function for call to
CASE(cross_mode_3, CrossCoreSetFlag<3, PIPE_FIX>(0)) // expect: CrossCoreSetFlag on 950 has modes 0, 1, 2 and 4
CASE(mutex_all, Mutex::Lock<PIPE_ALL>(0)) // expect: Mutex::Lock takes one pipe
CASE(to_5hd, TransDataTo5HD<half>(addresses, addresses, TransDataTo5HDParams())) // expect: TransDataTo5HD is not in the 950's list of static-tensor calls
CASE(task_ratio, GetTaskRatio()) // expect: GetTaskRatio: is not in the 950's list of static-tensor calls
CASE(prelu, Prelu(f, f, f, 64)) // expect: Prelu: is left out of the host header
CASE(read_by_rows, SetMMRowMajor()) // expect: SetMMRowMajor: is not in the 950's list of static-tensor calls
