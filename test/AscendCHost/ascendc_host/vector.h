// Host AscendC: element-wise vector calls and fills (sections 3.2 and 3.5 of the fact sheet).
#pragma once
#include "vector_call.h"
#include <algorithm>

namespace ascendc_host {
using AscendC::LocalTensor;

// The type a T is computed in: 16-bit floats in float, rounded once on the way back; integers wrap.
template <typename T> auto widen(T v) {
  if constexpr (std::is_same_v<T, half>)
    return float(v);
  else if constexpr (std::is_same_v<T, bfloat16_t>)
    return AscendC::ToFloat(v);
  else if constexpr (std::is_integral_v<T>)
    return std::make_unsigned_t<T>(v);
  else
    return v;
}
template <typename T, typename W> T narrow(W v) {
  if constexpr (std::is_same_v<T, bfloat16_t>)
    return AscendC::ToBfloat16(float(v));
  else
    return T(v);
}
template <typename T> bool isNan(T v) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return widen(v) != widen(v);
}
// NaN goes through; -0 is below +0.
template <typename T> bool below(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return a < b;
  else
    return widen(a) < widen(b) ||
           (widen(a) == widen(b) && std::signbit(widen(a)) && !std::signbit(widen(b)));
}

struct AddFn {
  template <typename T> T operator()(T a, T b) const { return narrow<T>(widen(a) + widen(b)); }
};
struct SubFn {
  template <typename T> T operator()(T a, T b) const { return narrow<T>(widen(a) - widen(b)); }
};
struct MulFn {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return T(uint64_t(a) * uint64_t(b));
    else
      return narrow<T>(widen(a) * widen(b));
  }
};
struct DivFn {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (!std::is_integral_v<T>)
      return narrow<T>(widen(a) / widen(b));
    else if (b == 0)
      return divisionByZero(), T(0);
    else if (std::is_signed_v<T> && b == T(-1)) // the least number has no opposite: it wraps
      return T(0 - std::make_unsigned_t<T>(a));
    else
      return T(a / b);
  }
};
struct MaxFn {
  template <typename T> T operator()(T a, T b) const {
    return isNan(a) ? a : isNan(b) ? b : below(a, b) ? b : a;
  }
};
struct MinFn {
  template <typename T> T operator()(T a, T b) const {
    return isNan(a) ? a : isNan(b) ? b : below(b, a) ? b : a;
  }
};
struct AndFn {
  template <typename T> T operator()(T a, T b) const { return T(a & b); }
};
struct OrFn {
  template <typename T> T operator()(T a, T b) const { return T(a | b); }
};
struct ReluFn {
  template <typename T> T operator()(T a) const { return MaxFn()(a, narrow<T>(0)); }
};
struct AddReluFn {
  template <typename T> T operator()(T a, T b) const { return ReluFn()(AddFn()(a, b)); }
};
struct SubReluFn {
  template <typename T> T operator()(T a, T b) const { return ReluFn()(SubFn()(a, b)); }
};
// Functions of one value: through double, rounded once.
template <double (*fn)(double)> struct ViaDouble {
  template <typename T> T operator()(T a) const { return fromDouble<T>(fn(toDouble(a))); }
};
inline double expOf(double x) { return std::exp(x); }
inline double lnOf(double x) { return std::log(x); }
inline double sqrtOf(double x) { return std::sqrt(x); }
inline double rsqrtOf(double x) { return 1.0 / std::sqrt(x); }
inline double reciprocalOf(double x) { return 1.0 / x; }
struct AbsFn {
  template <typename T> T operator()(T a) const {
    if constexpr (std::is_integral_v<T>)
      return a < 0 ? T(0 - std::make_unsigned_t<T>(a)) : a;
    else
      return fromDouble<T>(std::fabs(toDouble(a)));
  }
};
struct NegFn {
  template <typename T> T operator()(T a) const {
    if constexpr (std::is_integral_v<T>)
      return T(0 - std::make_unsigned_t<T>(a));
    else
      return -a;
  }
};
struct NotFn {
  template <typename T> T operator()(T a) const { return T(~a); }
};
struct LeakyReluFn {
  template <typename T> T operator()(T a, T slope) const {
    return float(a) >= 0.0f || isNan(a) ? a : MulFn()(a, slope);
  }
};
// A fused multiply-add: one rounding in float, then (for half) one to half.
template <typename D, typename S> D fused(S a, S b, D c) {
  return D(std::fma(float(a), float(b), float(c)));
}

using AscendC::BinaryRepeatParams;
using AscendC::UnaryRepeatParams;
template <typename D, typename S = D, typename F>
void binary(const char *name, MaskArg m, int64_t rep, bool acc, F f, const LocalTensor<D> &d,
            const LocalTensor<S> &a, const LocalTensor<S> &b,
            const BinaryRepeatParams &p = BinaryRepeatParams()) {
  elementwise(name, m, rep, acc, f, Arg<D>{d, p.dstBlkStride, p.dstRepStride, "dst"},
              Arg<S>{a, p.src0BlkStride, p.src0RepStride, "src0"},
              Arg<S>{b, p.src1BlkStride, p.src1RepStride, "src1"});
}
// As binary, with the old dst as a third source.
template <typename D, typename S, typename F>
void ternary(const char *name, MaskArg m, int64_t rep, F f, const LocalTensor<D> &d,
             const LocalTensor<S> &a, const LocalTensor<S> &b,
             const BinaryRepeatParams &p = BinaryRepeatParams()) {
  elementwise(name, m, rep, false, f, Arg<D>{d, p.dstBlkStride, p.dstRepStride, "dst"},
              Arg<S>{a, p.src0BlkStride, p.src0RepStride, "src0"},
              Arg<S>{b, p.src1BlkStride, p.src1RepStride, "src1"},
              Arg<D>{d, p.dstBlkStride, p.dstRepStride, "dst"});
}
template <typename D, typename S, typename F>
void unary(const char *name, MaskArg m, int64_t rep, F f, const LocalTensor<D> &d,
           const LocalTensor<S> &a, const UnaryRepeatParams &p = UnaryRepeatParams()) {
  elementwise(name, m, rep, false, f, Arg<D>{d, p.dstBlkStride, p.dstRepStride, "dst", 65535},
              Arg<S>{a, p.srcBlkStride, p.srcRepStride, "src", 65535});
}
} // namespace ascendc_host

namespace AscendC {
// Three forms each: (.., mask[], repeat, params), (.., mask, repeat, params), (.., count).
#define ASCENDC_HOST_BINARY(NAME, FN, ACC, ...)                                                    \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
            const uint64_t *mask, int64_t repeat, const BinaryRepeatParams &p) {                   \
    ASCENDC_HOST_REPEATS(#NAME, T, __VA_ARGS__);                                                   \
    ascendc_host::binary(#NAME, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat, ACC,         \
                         ascendc_host::FN(), dst, src0, src1, p);                                  \
  }                                                                                                \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
            uint64_t mask, int64_t repeat, const BinaryRepeatParams &p) {                          \
    ASCENDC_HOST_REPEATS(#NAME, T, __VA_ARGS__);                                                   \
    ascendc_host::binary(#NAME, ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat, ACC,       \
                         ascendc_host::FN(), dst, src0, src1, p);                                  \
  }                                                                                                \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
            int64_t count) {                                                                       \
    ASCENDC_HOST_ONLY(#NAME, T, __VA_ARGS__);                                                      \
    ascendc_host::binary(#NAME, ascendc_host::MaskArg::count(count), 0, false, ascendc_host::FN(), \
                         dst, src0, src1);                                                         \
  }

#define ASCENDC_HOST_ACC (!std::is_same_v<T, int16_t>)
ASCENDC_HOST_BINARY(Add, AddFn, ASCENDC_HOST_ACC,
                    ASCENDC_HOST_BY_CHIP((int16_t, half, int32_t, float),
                                         (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t,
                                          int32_t, uint32_t, float, int64_t, uint64_t)))
ASCENDC_HOST_BINARY(Sub, SubFn, ASCENDC_HOST_ACC,
                    ASCENDC_HOST_BY_CHIP((int16_t, half, int32_t, float),
                                         (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t,
                                          int32_t, uint32_t, float, int64_t, uint64_t)))
ASCENDC_HOST_BINARY(Mul, MulFn, ASCENDC_HOST_ACC,
                    ASCENDC_HOST_BY_CHIP((int16_t, half, int32_t, float),
                                         (int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t,
                                          float, int64_t, uint64_t)))
ASCENDC_HOST_BINARY(Max, MaxFn, ASCENDC_HOST_ACC,
                    ASCENDC_HOST_BY_CHIP((int16_t, half, int32_t, float),
                                         (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t,
                                          int32_t, uint32_t, float, int64_t, uint64_t)))
ASCENDC_HOST_BINARY(Min, MinFn, ASCENDC_HOST_ACC,
                    ASCENDC_HOST_BY_CHIP((int16_t, half, int32_t, float),
                                         (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t,
                                          int32_t, uint32_t, float, int64_t, uint64_t)))
ASCENDC_HOST_BINARY(AddRelu, AddReluFn, ASCENDC_HOST_ACC, int16_t, half, float)
ASCENDC_HOST_BINARY(SubRelu, SubReluFn, ASCENDC_HOST_ACC, int16_t, half, float)
ASCENDC_HOST_BINARY(Div, DivFn, false,
                    ASCENDC_HOST_BY_CHIP((half, float), (int16_t, uint16_t, half, int32_t, uint32_t,
                                                         float, int64_t, uint64_t)))
ASCENDC_HOST_BINARY(And, AndFn, false,
                    ASCENDC_HOST_BY_CHIP((int16_t, uint16_t),
                                         (int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                                          int64_t, uint64_t)))
ASCENDC_HOST_BINARY(Or, OrFn, false,
                    ASCENDC_HOST_BY_CHIP((int16_t, uint16_t),
                                         (int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                                          int64_t, uint64_t)))

#define ASCENDC_HOST_UNARY(NAME, FN, ...)                                                          \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t *mask,            \
            int64_t repeat, const UnaryRepeatParams &p) {                                          \
    ASCENDC_HOST_REPEATS(#NAME, T, __VA_ARGS__);                                                   \
    ascendc_host::unary(#NAME, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat,               \
                        ascendc_host::FN, dst, src, p);                                            \
  }                                                                                                \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, int64_t repeat,   \
            const UnaryRepeatParams &p) {                                                          \
    ASCENDC_HOST_REPEATS(#NAME, T, __VA_ARGS__);                                                   \
    ascendc_host::unary(#NAME, ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat,             \
                        ascendc_host::FN, dst, src, p);                                            \
  }                                                                                                \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t count) {                 \
    ASCENDC_HOST_ONLY(#NAME, T, __VA_ARGS__);                                                      \
    ascendc_host::unary(#NAME, ascendc_host::MaskArg::count(count), 0, ascendc_host::FN, dst,      \
                        src);                                                                      \
  }

ASCENDC_HOST_UNARY(Exp, ViaDouble<ascendc_host::expOf>(), half, float)
ASCENDC_HOST_UNARY(Ln, ViaDouble<ascendc_host::lnOf>(), half, float)
ASCENDC_HOST_UNARY(Sqrt, ViaDouble<ascendc_host::sqrtOf>(), half, float)
ASCENDC_HOST_UNARY(Rsqrt, ViaDouble<ascendc_host::rsqrtOf>(), half, float)
ASCENDC_HOST_UNARY(Reciprocal, ViaDouble<ascendc_host::reciprocalOf>(), half, float)
ASCENDC_HOST_UNARY(Abs, AbsFn(),
                   ASCENDC_HOST_BY_CHIP((half, float),
                                        (int8_t, int16_t, half, int32_t, float, int64_t)))
ASCENDC_HOST_UNARY(Relu, ReluFn(),
                   ASCENDC_HOST_BY_CHIP((half, int32_t, float), (half, int32_t, float, int64_t)))
ASCENDC_HOST_UNARY(Not, NotFn(),
                   ASCENDC_HOST_BY_CHIP((int16_t, uint16_t),
                                        (int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                                         int64_t, uint64_t)))
#if __NPU_ARCH__ == 3510
ASCENDC_HOST_UNARY(Neg, NegFn(), int8_t, int16_t, half, int32_t, float, int64_t)
#endif

// The scalar has exactly the tensors' type: T is deduced from both.
#define ASCENDC_HOST_SCALAR(NAME, FN, ...)                                                         \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar,                 \
            const uint64_t *mask, int64_t repeat, const UnaryRepeatParams &p) {                    \
    ASCENDC_HOST_REPEATS(#NAME, T, __VA_ARGS__);                                                   \
    ascendc_host::unary(                                                                           \
        #NAME, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat,                               \
        [=](T v) { return ascendc_host::FN(v, scalar); }, dst, src, p);                            \
  }                                                                                                \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, uint64_t mask,  \
            int64_t repeat, const UnaryRepeatParams &p) {                                          \
    ASCENDC_HOST_REPEATS(#NAME, T, __VA_ARGS__);                                                   \
    ascendc_host::unary(                                                                           \
        #NAME, ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat,                             \
        [=](T v) { return ascendc_host::FN(v, scalar); }, dst, src, p);                            \
  }                                                                                                \
  template <typename T>                                                                            \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar,                 \
            int64_t count) {                                                                       \
    ASCENDC_HOST_ONLY(#NAME, T, __VA_ARGS__);                                                      \
    ascendc_host::unary(                                                                           \
        #NAME, ascendc_host::MaskArg::count(count), 0,                                             \
        [=](T v) { return ascendc_host::FN(v, scalar); }, dst, src);                               \
  }

ASCENDC_HOST_SCALAR(Adds, AddFn(),
                    ASCENDC_HOST_BY_CHIP((int16_t, half, int32_t, float),
                                         (int8_t, uint8_t, int16_t, half, bfloat16_t, int32_t,
                                          float, int64_t, uint64_t)))
ASCENDC_HOST_SCALAR(Muls, MulFn(),
                    ASCENDC_HOST_BY_CHIP((int16_t, half, int32_t, float),
                                         (int16_t, half, bfloat16_t, int32_t, float, int64_t,
                                          uint64_t)))
ASCENDC_HOST_SCALAR(Maxs, MaxFn(),
                    ASCENDC_HOST_BY_CHIP((int16_t, half, int32_t, float),
                                         (int8_t, uint8_t, int16_t, half, bfloat16_t, int32_t,
                                          float, int64_t, uint64_t)))
ASCENDC_HOST_SCALAR(Mins, MinFn(),
                    ASCENDC_HOST_BY_CHIP((int16_t, half, int32_t, float),
                                         (int8_t, uint8_t, int16_t, half, bfloat16_t, int32_t,
                                          float, int64_t, uint64_t)))
ASCENDC_HOST_SCALAR(LeakyRelu, LeakyReluFn(), half, float)
#if __NPU_ARCH__ == 3510
// The scalar may stand on the left as well.
ASCENDC_HOST_SCALAR(Subs, SubFn(), int16_t, half, bfloat16_t, int32_t, float, int64_t, uint64_t)
ASCENDC_HOST_SCALAR(Divs, DivFn(), half, float, int64_t, uint64_t)
template <typename T>
void Subs(const LocalTensor<T> &dst, const T &scalar, const LocalTensor<T> &src, int64_t count) {
  ASCENDC_HOST_ONLY("Subs", T, int16_t, half, bfloat16_t, int32_t, float, int64_t, uint64_t);
  ascendc_host::unary(
      "Subs", ascendc_host::MaskArg::count(count), 0,
      [=](T v) { return ascendc_host::SubFn()(scalar, v); }, dst, src);
}
template <typename T>
void Divs(const LocalTensor<T> &dst, const T &scalar, const LocalTensor<T> &src, int64_t count) {
  ASCENDC_HOST_ONLY("Divs", T, half, float, int64_t, uint64_t);
  ascendc_host::unary(
      "Divs", ascendc_host::MaskArg::count(count), 0,
      [=](T v) { return ascendc_host::DivFn()(scalar, v); }, dst, src);
}
#endif
} // namespace AscendC

namespace ascendc_host {
// Signed left shift is arithmetic on the 910B: the sign stays and the bit below it is dropped. The
// 950 shifts by any number: what is too wide leaves 0, or -1 of a negative number to the right.
template <typename T> T shiftLeft(T v, T by) {
  using U = std::make_unsigned_t<T>;
  const unsigned n = unsigned(by), bits = sizeof(T) * 8;
  const U moved = n >= bits ? U(0) : U(U(v) << n);
  if constexpr (std::is_signed_v<T> && !kIs950)
    return T((moved & U(U(~U(0)) >> 1)) | (U(v) & U(U(1) << (bits - 1))));
  else
    return T(moved);
}
template <typename T> T shiftRight(T v, T by, bool round) {
  const unsigned n = std::min<unsigned>(unsigned(by), sizeof(T) * 8);
  if (sizeof(T) == 8 && n == 64)
    return v < 0 ? T(-1) : T(0);
  if constexpr (std::is_same_v<T, uint64_t>)
    return v >> n;
  const int64_t x = int64_t(v), r = round && n ? int64_t(1) << (n - 1) : 0;
  return T((x + r) >> n); // x is 64-bit: a shift by the whole width is defined
}
template <typename T> bool shiftOk(const char *name, T by) {
  const int64_t most = kIs950 ? INT32_MAX : int64_t(sizeof(T) * 8);
  if (int64_t(by) >= 0 && int64_t(by) <= most)
    return true;
  scalarCall(name, [&](Instr &i) { i.range("shift", int64_t(by), 0, most); });
  return false;
}
} // namespace ascendc_host

namespace AscendC {
#define ASCENDC_HOST_SHIFT_TYPES                                                                   \
  ASCENDC_HOST_BY_CHIP((int16_t, uint16_t, int32_t, uint32_t),                                     \
                       (int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t))
#define ASCENDC_HOST_SHIFT(NAME, EXTRA, FN)                                                        \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &by,                     \
            const uint64_t *mask, int64_t repeat, const UnaryRepeatParams &p EXTRA) {              \
    ASCENDC_HOST_REPEATS(#NAME, T, ASCENDC_HOST_SHIFT_TYPES);                                      \
    if (ascendc_host::shiftOk(#NAME, by))                                                          \
      ascendc_host::unary(                                                                         \
          #NAME, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat,                             \
          [=](T v) { return ascendc_host::FN; }, dst, src, p);                                     \
  }                                                                                                \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &by, uint64_t mask,      \
            int64_t repeat, const UnaryRepeatParams &p EXTRA) {                                    \
    ASCENDC_HOST_REPEATS(#NAME, T, ASCENDC_HOST_SHIFT_TYPES);                                      \
    if (ascendc_host::shiftOk(#NAME, by))                                                          \
      ascendc_host::unary(                                                                         \
          #NAME, ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat,                           \
          [=](T v) { return ascendc_host::FN; }, dst, src, p);                                     \
  }
#define ASCENDC_HOST_ROUND_EN , bool roundEn = false
ASCENDC_HOST_SHIFT(ShiftLeft, , shiftLeft(v, by))
ASCENDC_HOST_SHIFT(ShiftRight, ASCENDC_HOST_ROUND_EN,
                   shiftRight(v, by, roundEn &&std::is_signed_v<T>))
template <typename T>
void ShiftLeft(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &by, int64_t count) {
  ASCENDC_HOST_ONLY("ShiftLeft", T, ASCENDC_HOST_SHIFT_TYPES);
  if (ascendc_host::shiftOk("ShiftLeft", by))
    ascendc_host::unary(
        "ShiftLeft", ascendc_host::MaskArg::count(count), 0,
        [=](T v) { return ascendc_host::shiftLeft(v, by); }, dst, src);
}
template <typename T>
void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &by, int64_t count) {
  ASCENDC_HOST_ONLY("ShiftRight", T, ASCENDC_HOST_SHIFT_TYPES);
  if (ascendc_host::shiftOk("ShiftRight", by))
    ascendc_host::unary(
        "ShiftRight", ascendc_host::MaskArg::count(count), 0,
        [=](T v) { return ascendc_host::shiftRight(v, by, false); }, dst, src);
}

// Multiply-adds with the old dst. float += half * half widens the sources.
#define ASCENDC_HOST_FUSED(NAME, D, S, OK, MESSAGE, FN)                                            \
  template <typename D, typename S, bool isSetMask = true>                                         \
  void NAME(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,     \
            const uint64_t *mask, int64_t repeat, const BinaryRepeatParams &p) {                   \
    static_assert(OK, #NAME " on " ASCENDC_HOST_CHIP " exists for " MESSAGE " only");              \
    ascendc_host::ternary(                                                                         \
        #NAME, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat,                               \
        [](S a, S b, D c) { return FN; }, dst, src0, src1, p);                                     \
  }                                                                                                \
  template <typename D, typename S, bool isSetMask = true>                                         \
  void NAME(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,     \
            uint64_t mask, int64_t repeat, const BinaryRepeatParams &p) {                          \
    static_assert(OK, #NAME " on " ASCENDC_HOST_CHIP " exists for " MESSAGE " only");              \
    ascendc_host::ternary(                                                                         \
        #NAME, ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat,                             \
        [](S a, S b, D c) { return FN; }, dst, src0, src1, p);                                     \
  }                                                                                                \
  template <typename D, typename S>                                                                \
  void NAME(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,     \
            int64_t count) {                                                                       \
    static_assert(OK, #NAME " on " ASCENDC_HOST_CHIP " exists for " MESSAGE " only");              \
    ascendc_host::ternary(                                                                         \
        #NAME, ascendc_host::MaskArg::count(count), 0, [](S a, S b, D c) { return FN; }, dst,      \
        src0, src1);                                                                               \
  }
#define ASCENDC_HOST_HF (std::is_same_v<D, S> && ascendc_host::oneOf<D, half, float>)
#define ASCENDC_HOST_HF_MIX                                                                        \
  (ASCENDC_HOST_HF || (std::is_same_v<D, float> && std::is_same_v<S, half>))
ASCENDC_HOST_FUSED(MulAddDst, D, S, ASCENDC_HOST_HF_MIX, "half, float, half->float",
                   (ascendc_host::fused<D, S>(a, b, c)))
ASCENDC_HOST_FUSED(FusedMulAdd, D, S, ASCENDC_HOST_HF, "half, float",
                   (ascendc_host::fused<D, S>(a, c, b)))
ASCENDC_HOST_FUSED(MulAddRelu, D, S, ASCENDC_HOST_HF, "half, float",
                   (ascendc_host::ReluFn()(ascendc_host::fused<D, S>(a, c, b))))
ASCENDC_HOST_FUSED(FusedMulAddRelu, D, S, ASCENDC_HOST_HF, "half, float",
                   (ascendc_host::ReluFn()(ascendc_host::fused<D, S>(a, c, b))))

// dst += scalar * src
template <typename D, typename S>
void axpyHost(const LocalTensor<D> &dst, const LocalTensor<S> &src, const S &scalar,
              ascendc_host::MaskArg mask, int64_t repeat, const UnaryRepeatParams &p) {
  static_assert(ASCENDC_HOST_HF_MIX,
                "Axpy on " ASCENDC_HOST_CHIP " exists for half, float, half->float only");
  ascendc_host::elementwise(
      "Axpy", mask, repeat, false,
      [=](S a, D c) { return ascendc_host::fused<D, S>(a, scalar, c); },
      ascendc_host::Arg<D>{dst, p.dstBlkStride, p.dstRepStride, "dst", 65535},
      ascendc_host::Arg<S>{src, p.srcBlkStride, p.srcRepStride, "src", 65535},
      ascendc_host::Arg<D>{dst, p.dstBlkStride, p.dstRepStride, "dst", 65535});
}
template <typename D, typename S, bool isSetMask = true>
void Axpy(const LocalTensor<D> &dst, const LocalTensor<S> &src, const S &scalar,
          const uint64_t *mask, int64_t repeat, const UnaryRepeatParams &p) {
  axpyHost(dst, src, scalar, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat, p);
}
template <typename D, typename S, bool isSetMask = true>
void Axpy(const LocalTensor<D> &dst, const LocalTensor<S> &src, const S &scalar, uint64_t mask,
          int64_t repeat, const UnaryRepeatParams &p) {
  axpyHost(dst, src, scalar, ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat, p);
}
template <typename D, typename S>
void Axpy(const LocalTensor<D> &dst, const LocalTensor<S> &src, const S &scalar, int64_t count) {
  axpyHost(dst, src, scalar, ascendc_host::MaskArg::count(count), 0, UnaryRepeatParams());
}

// The op, then one conversion: saturating to 8 bits (RINT), rounding to half.
#define ASCENDC_HOST_OP_CAST(NAME, FN, OK, MESSAGE)                                                \
  template <typename D, typename S>                                                                \
  void NAME(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,     \
            uint32_t count) {                                                                      \
    static_assert(OK, #NAME " on " ASCENDC_HOST_CHIP " exists for " MESSAGE " only");              \
    ascendc_host::binary<D, S>(                                                                    \
        #NAME, ascendc_host::MaskArg::count(count), 0, false,                                      \
        [](S a, S b) {                                                                             \
          return ascendc_host::fromDouble<D>(ascendc_host::toDouble(ascendc_host::FN()(a, b)));    \
        },                                                                                         \
        dst, src0, src1);                                                                          \
  }
#define ASCENDC_HOST_CASTS                                                                         \
  ((std::is_same_v<D, int8_t> && ascendc_host::oneOf<S, half, int16_t>) ||                         \
   (std::is_same_v<D, half> && std::is_same_v<S, float>))
ASCENDC_HOST_OP_CAST(AddReluCast, AddReluFn, ASCENDC_HOST_CASTS,
                     "half->int8, int16->int8, float->half")
ASCENDC_HOST_OP_CAST(SubReluCast, SubReluFn, ASCENDC_HOST_CASTS,
                     "half->int8, int16->int8, float->half")
ASCENDC_HOST_OP_CAST(MulCast, MulFn,
                     (ascendc_host::oneOf<D, int8_t, uint8_t> && std::is_same_v<S, half>),
                     "half->int8, half->uint8")
} // namespace AscendC
