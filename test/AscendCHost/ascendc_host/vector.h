// Host AscendC: element-wise vector calls and fills (sections 3.2 and 3.5 of the fact sheet).
#pragma once
#include "vector_call.h"

namespace ascendc_host {
using AscendC::LocalTensor;

// The type a T is computed in: half in float, rounded once on the way back; integers wrap.
template <typename T> auto widen(T v) {
  if constexpr (std::is_same_v<T, half>)
    return float(v);
  else if constexpr (std::is_integral_v<T>)
    return std::make_unsigned_t<T>(v);
  else
    return v;
}
template <typename T> bool isNan(T v) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return float(v) != float(v);
}
// NaN goes through; -0 is below +0.
template <typename T> bool below(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return a < b;
  else
    return float(a) < float(b) ||
           (float(a) == float(b) && std::signbit(float(a)) && !std::signbit(float(b)));
}

struct AddFn {
  template <typename T> T operator()(T a, T b) const { return T(widen(a) + widen(b)); }
};
struct SubFn {
  template <typename T> T operator()(T a, T b) const { return T(widen(a) - widen(b)); }
};
struct MulFn {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return T(uint64_t(a) * uint64_t(b));
    else
      return T(widen(a) * widen(b));
  }
};
struct DivFn {
  template <typename T> T operator()(T a, T b) const { return T(widen(a) / widen(b)); }
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
  template <typename T> T operator()(T a) const { return MaxFn()(a, T(0)); }
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
inline double absOf(double x) { return std::fabs(x); }
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
    ASCENDC_HOST_ONLY(#NAME, T, __VA_ARGS__);                                                      \
    ascendc_host::binary(#NAME, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat, ACC,         \
                         ascendc_host::FN(), dst, src0, src1, p);                                  \
  }                                                                                                \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
            uint64_t mask, int64_t repeat, const BinaryRepeatParams &p) {                          \
    ASCENDC_HOST_ONLY(#NAME, T, __VA_ARGS__);                                                      \
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
ASCENDC_HOST_BINARY(Add, AddFn, ASCENDC_HOST_ACC, int16_t, half, int32_t, float)
ASCENDC_HOST_BINARY(Sub, SubFn, ASCENDC_HOST_ACC, int16_t, half, int32_t, float)
ASCENDC_HOST_BINARY(Mul, MulFn, ASCENDC_HOST_ACC, int16_t, half, int32_t, float)
ASCENDC_HOST_BINARY(Max, MaxFn, ASCENDC_HOST_ACC, int16_t, half, int32_t, float)
ASCENDC_HOST_BINARY(Min, MinFn, ASCENDC_HOST_ACC, int16_t, half, int32_t, float)
ASCENDC_HOST_BINARY(AddRelu, AddReluFn, ASCENDC_HOST_ACC, int16_t, half, float)
ASCENDC_HOST_BINARY(SubRelu, SubReluFn, ASCENDC_HOST_ACC, int16_t, half, float)
ASCENDC_HOST_BINARY(Div, DivFn, false, half, float)
ASCENDC_HOST_BINARY(And, AndFn, false, int16_t, uint16_t)
ASCENDC_HOST_BINARY(Or, OrFn, false, int16_t, uint16_t)

#define ASCENDC_HOST_UNARY(NAME, FN, ...)                                                          \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t *mask,            \
            int64_t repeat, const UnaryRepeatParams &p) {                                          \
    ASCENDC_HOST_ONLY(#NAME, T, __VA_ARGS__);                                                      \
    ascendc_host::unary(#NAME, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat,               \
                        ascendc_host::FN, dst, src, p);                                            \
  }                                                                                                \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, int64_t repeat,   \
            const UnaryRepeatParams &p) {                                                          \
    ASCENDC_HOST_ONLY(#NAME, T, __VA_ARGS__);                                                      \
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
ASCENDC_HOST_UNARY(Abs, ViaDouble<ascendc_host::absOf>(), half, float)
ASCENDC_HOST_UNARY(Relu, ReluFn(), half, int32_t, float)
ASCENDC_HOST_UNARY(Not, NotFn(), int16_t, uint16_t)

// The scalar has exactly the tensors' type: T is deduced from both.
#define ASCENDC_HOST_SCALAR(NAME, FN, ...)                                                         \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar,                 \
            const uint64_t *mask, int64_t repeat, const UnaryRepeatParams &p) {                    \
    ASCENDC_HOST_ONLY(#NAME, T, __VA_ARGS__);                                                      \
    ascendc_host::unary(                                                                           \
        #NAME, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat,                               \
        [=](T v) { return ascendc_host::FN(v, scalar); }, dst, src, p);                            \
  }                                                                                                \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, uint64_t mask,  \
            int64_t repeat, const UnaryRepeatParams &p) {                                          \
    ASCENDC_HOST_ONLY(#NAME, T, __VA_ARGS__);                                                      \
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

ASCENDC_HOST_SCALAR(Adds, AddFn(), int16_t, half, int32_t, float)
ASCENDC_HOST_SCALAR(Muls, MulFn(), int16_t, half, int32_t, float)
ASCENDC_HOST_SCALAR(Maxs, MaxFn(), int16_t, half, int32_t, float)
ASCENDC_HOST_SCALAR(Mins, MinFn(), int16_t, half, int32_t, float)
ASCENDC_HOST_SCALAR(LeakyRelu, LeakyReluFn(), half, float)
} // namespace AscendC

namespace ascendc_host {
// Signed left shift is arithmetic on the 910B: the sign stays and the bit below it is dropped.
template <typename T> T shiftLeft(T v, T by) {
  using U = std::make_unsigned_t<T>;
  const unsigned n = unsigned(by), bits = sizeof(T) * 8;
  const U moved = n >= bits ? U(0) : U(U(v) << n);
  if constexpr (std::is_signed_v<T>)
    return T((moved & U(U(~U(0)) >> 1)) | (U(v) & U(U(1) << (bits - 1))));
  else
    return T(moved);
}
template <typename T> T shiftRight(T v, T by, bool round) {
  const unsigned n = unsigned(by);
  const int64_t x = int64_t(v), r = round && n ? int64_t(1) << (n - 1) : 0;
  return T((x + r) >> n); // x is 64-bit: a shift by the whole width is defined
}
template <typename T> bool shiftOk(const char *name, T by) {
  const int64_t most = sizeof(T) * 8;
  if (int64_t(by) >= 0 && int64_t(by) <= most)
    return true;
  scalarCall(name, [&](Instr &i) { i.range("shift", int64_t(by), 0, most); });
  return false;
}
} // namespace ascendc_host

namespace AscendC {
#define ASCENDC_HOST_SHIFT(NAME, EXTRA, FN)                                                        \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &by,                     \
            const uint64_t *mask, int64_t repeat, const UnaryRepeatParams &p EXTRA) {              \
    ASCENDC_HOST_ONLY(#NAME, T, int16_t, uint16_t, int32_t, uint32_t);                             \
    if (ascendc_host::shiftOk(#NAME, by))                                                          \
      ascendc_host::unary(                                                                         \
          #NAME, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat,                             \
          [=](T v) { return ascendc_host::FN; }, dst, src, p);                                     \
  }                                                                                                \
  template <typename T, bool isSetMask = true>                                                     \
  void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &by, uint64_t mask,      \
            int64_t repeat, const UnaryRepeatParams &p EXTRA) {                                    \
    ASCENDC_HOST_ONLY(#NAME, T, int16_t, uint16_t, int32_t, uint32_t);                             \
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
  ASCENDC_HOST_ONLY("ShiftLeft", T, int16_t, uint16_t, int32_t, uint32_t);
  if (ascendc_host::shiftOk("ShiftLeft", by))
    ascendc_host::unary(
        "ShiftLeft", ascendc_host::MaskArg::count(count), 0,
        [=](T v) { return ascendc_host::shiftLeft(v, by); }, dst, src);
}
template <typename T>
void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &by, int64_t count) {
  ASCENDC_HOST_ONLY("ShiftRight", T, int16_t, uint16_t, int32_t, uint32_t);
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
    static_assert(OK, #NAME " on 910B exists for " MESSAGE " only");                               \
    ascendc_host::ternary(                                                                         \
        #NAME, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat,                               \
        [](S a, S b, D c) { return FN; }, dst, src0, src1, p);                                     \
  }                                                                                                \
  template <typename D, typename S, bool isSetMask = true>                                         \
  void NAME(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,     \
            uint64_t mask, int64_t repeat, const BinaryRepeatParams &p) {                          \
    static_assert(OK, #NAME " on 910B exists for " MESSAGE " only");                               \
    ascendc_host::ternary(                                                                         \
        #NAME, ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat,                             \
        [](S a, S b, D c) { return FN; }, dst, src0, src1, p);                                     \
  }                                                                                                \
  template <typename D, typename S>                                                                \
  void NAME(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,     \
            int64_t count) {                                                                       \
    static_assert(OK, #NAME " on 910B exists for " MESSAGE " only");                               \
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
  static_assert(ASCENDC_HOST_HF_MIX, "Axpy on 910B exists for half, float, half->float only");
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
    static_assert(OK, #NAME " on 910B exists for " MESSAGE " only");                               \
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
