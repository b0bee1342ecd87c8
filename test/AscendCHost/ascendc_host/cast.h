// Host AscendC: Cast, Compare and Select (sections 3.3 and 3.4 of the fact sheet).
#pragma once
#include "vector.h"

namespace ascendc_host {
using AscendC::RoundMode;

// The modes a pair of types has, one bit each; 0: no such conversion. The 950 has more pairs, and
// no CAST_NONE beside the five rounding modes for three of them.
constexpr uint32_t kNone = 1u << 0, kR5 = 0x3eu, kOdd = 1u << 6, kAnyMode = 0x7fu;
constexpr uint32_t kR5OrNone = kIs950 ? kR5 : kR5 | kNone;
// What the 950 has besides.
template <typename D, typename S> constexpr uint32_t castModes950() {
  if constexpr (std::is_same_v<S, int8_t>)
    return oneOf<D, int16_t, int32_t> ? kNone : 0;
  else if constexpr (std::is_same_v<S, uint8_t>)
    return oneOf<D, uint16_t, uint32_t> ? kNone : 0;
  else if constexpr (std::is_same_v<S, int16_t>)
    return oneOf<D, uint8_t, int32_t, uint32_t> ? kNone : 0;
  else if constexpr (std::is_same_v<S, uint16_t>)
    return oneOf<D, uint8_t, uint32_t> ? kNone : 0;
  else if constexpr (std::is_same_v<S, half>)
    return oneOf<D, bfloat16_t> ? kR5 : 0;
  else if constexpr (std::is_same_v<S, bfloat16_t>)
    return oneOf<D, half> ? kR5 : 0;
  else if constexpr (std::is_same_v<S, int32_t>)
    return oneOf<D, uint8_t, uint16_t> ? kNone : 0;
  else if constexpr (std::is_same_v<S, uint32_t>)
    return oneOf<D, uint8_t, int16_t, uint16_t> ? kNone : 0;
  else
    return 0;
}
template <typename D, typename S> constexpr uint32_t castModes() {
  if constexpr (kIs950 && castModes950<D, S>() != 0)
    return castModes950<D, S>();
  else if constexpr (std::is_same_v<S, half>)
    return oneOf<D, float>              ? kNone
           : oneOf<D, int8_t, uint8_t>  ? kR5OrNone
           : oneOf<D, int16_t, int32_t> ? kR5
                                        : 0;
  else if constexpr (std::is_same_v<S, bfloat16_t>)
    return oneOf<D, float> ? kNone : oneOf<D, int32_t> ? kR5 : 0;
  else if constexpr (std::is_same_v<S, float>)
    return oneOf<D, half>                                           ? kR5 | kNone | kOdd
           : oneOf<D, bfloat16_t, int16_t, int32_t, int64_t, float> ? kR5
                                                                    : 0;
  else if constexpr (oneOf<S, int8_t, uint8_t>)
    return oneOf<D, half> ? kNone : 0;
  else if constexpr (std::is_same_v<S, int16_t>)
    return oneOf<D, half> ? kR5OrNone : oneOf<D, float> ? kNone : 0;
  else if constexpr (std::is_same_v<S, int32_t>)
    return oneOf<D, float>              ? kR5OrNone
           : oneOf<D, int16_t, int64_t> ? kNone
           : oneOf<D, half>             ? kAnyMode
                                        : 0; // to half: the mode is ignored
  else if constexpr (std::is_same_v<S, int64_t>)
    return oneOf<D, int32_t> ? kNone : oneOf<D, float> ? kR5 : 0;
  else
    return 0;
}

template <typename D, typename S> D castOne(S v, RoundMode mode, half scale) {
  if constexpr (std::is_same_v<D, float> && std::is_same_v<S, float>)
    return float(roundIntegral(v, mode));
  else if constexpr (std::is_same_v<D, half> && std::is_same_v<S, int32_t>)
    return fromDouble<half>(double(v) * double(float(scale)));
  else if constexpr (std::is_same_v<S, int64_t> && std::is_same_v<D, float>)
    return fromDouble<float>(oddDouble(v), mode);
  else if constexpr (std::is_integral_v<S> && std::is_integral_v<D>)
    return sizeof(D) >= sizeof(S)                                  ? D(v)
           : __int128(v) > __int128(std::numeric_limits<D>::max()) ? std::numeric_limits<D>::max()
           : __int128(v) < __int128(std::numeric_limits<D>::min()) ? std::numeric_limits<D>::min()
                                                                   : D(v);
  else
    return fromDouble<D>(toDouble(v), mode);
}

template <typename D, typename S>
void castCall(const AscendC::LocalTensor<D> &dst, const AscendC::LocalTensor<S> &src,
              RoundMode mode, MaskArg mask, int64_t repeat,
              const AscendC::UnaryRepeatParams &p = AscendC::UnaryRepeatParams()) {
  constexpr uint32_t modes = castModes<D, S>();
  static_assert(modes != 0,
                "Cast: the " ASCENDC_HOST_CHIP " has no conversion between these two types");
  static const char *names[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
  const uint32_t bit = uint32_t(mode);
  if (bit > 6 || !(modes >> bit & 1)) {
    scalarCall("Cast", [&](Instr &i) {
      i.fail("round mode %s does not exist for %s -> %s on " ASCENDC_HOST_CHIP,
             bit > 6 ? "?" : names[bit], typeName<S>(), typeName<D>());
    });
    return;
  }
  if (std::is_same_v<D, half> && std::is_same_v<S, int32_t> && !registers().deqSet)
    scalarCall("Cast", [&](Instr &i) {
      i.fail("int32_t -> half multiplies by the deq scale: call SetDeqScale first");
    });
  const half scale = registers().deqSet ? registers().deqScale : half(1);
  unary("Cast", mask, repeat, [=](S v) { return castOne<D, S>(v, mode, scale); }, dst, src, p);
}

template <typename T> bool compareOne(T a, T b, AscendC::CMPMODE mode) {
  auto value = [](T v) {
    if constexpr (std::is_integral_v<T>)
      return v;
    else
      return toDouble(v);
  };
  const auto x = value(a), y = value(b);
  switch (mode) {
  case AscendC::CMPMODE::LT: return x < y;
  case AscendC::CMPMODE::GT: return x > y;
  case AscendC::CMPMODE::EQ: return x == y;
  case AscendC::CMPMODE::LE: return x <= y;
  case AscendC::CMPMODE::GE: return x >= y;
  default: return x != y;
  }
}

// One bit an element, LSB first, packed over all repeats. src1 == nullptr: against the scalar.
template <typename T>
void compareCall(const char *name, const LocalBase &dst, const AscendC::LocalTensor<T> &src0,
                 const AscendC::LocalTensor<T> *src1, T scalar, AscendC::CMPMODE mode, MaskArg mask,
                 int64_t repeat, const AscendC::BinaryRepeatParams &p) {
  ASCENDC_HOST_ONLY("Compare", T,
                    ASCENDC_HOST_BY_CHIP((half, float, int32_t),
                                         (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t,
                                          int32_t, uint32_t, float, int64_t, uint64_t)));
  issue(name, PIPE_V, typeName<T>(), [&](Instr &i) {
    if (kIs950 && mask.kind != MaskArg::Count)
      i.stop("the form with a mask is left out of the host header for 950, which honours the mask");
    if (!kIs950 && std::is_same_v<T, int32_t> && mode != AscendC::CMPMODE::EQ)
      i.stop("int32_t on 910B compares EQ only");
    if (mask.kind == MaskArg::Count && mask.lo * sizeof(T) % 256)
      i.stop(
          "count * sizeof(T) is %llu bytes, not a multiple of 256: the tail would not be compared",
          (unsigned long long)(mask.lo * sizeof(T)));
    VecCall v(i, mask, repeat, sizeof(T));
    const VecOperand a = v.operand(src0, sizeof(T), p.src0BlkStride, p.src0RepStride, "src0");
    VecOperand b = a;
    if (src1)
      b = v.operand(*src1, sizeof(T), p.src1BlkStride, p.src1RepStride, "src1");
    const Place out = i.local(dst, Space::UB, 32, "dst");
    const uint64_t bytes = uint64_t(v.lanes()) / 8;
    while (v.next()) {
      v.source(a);
      if (src1)
        v.source(b);
      uint8_t bits[16] = {};
      for (int l = 0; l < v.lanes(); ++l) {
        const T y = src1 ? load<T>(v.at(b, l)) : scalar;
        bits[l / 8] |= uint8_t(compareOne(load<T>(v.at(a, l)), y, mode) << (l % 8));
      }
      const Place to{out.mem, out.off + uint64_t(v.repeat()) * bytes};
      i.inside(dst, int64_t(to.off), int64_t(bytes), "dst");
      v.apart(to, bytes, a);
      if (src1)
        v.apart(to, bytes, b);
      std::memcpy(i.write(to, bytes, "dst"), bits, bytes);
    }
  });
}

template <typename T>
void selectCall(const AscendC::LocalTensor<T> &dst, const LocalBase &mask,
                const AscendC::LocalTensor<T> &src0, const AscendC::LocalTensor<T> *src1, T scalar,
                AscendC::SELMODE mode, MaskArg lanes, int64_t repeat,
                const AscendC::BinaryRepeatParams &p) {
  ASCENDC_HOST_ONLY(
      "Select", T,
      ASCENDC_HOST_BY_CHIP((half, float), (int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t,
                                           int32_t, uint32_t, float, int64_t, uint64_t)));
  issue("Select", PIPE_V, typeName<T>(), [&](Instr &i) {
    if ((mode == AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE) == (src1 != nullptr))
      i.stop("the SELMODE does not fit the operands: only VSEL_TENSOR_SCALAR_MODE has a scalar");
    if (lanes.kind != MaskArg::Count && sizeof(T) != 2 && sizeof(T) != 4)
      i.stop("a Select with repeats is for 16 and 32 bits only");
    VecCall v(i, lanes, repeat, sizeof(T));
    const VecOperand d = v.destination(dst, sizeof(T), p.dstBlkStride, p.dstRepStride);
    const VecOperand a = v.operand(src0, sizeof(T), p.src0BlkStride, p.src0RepStride, "src0");
    VecOperand b = a;
    if (src1)
      b = v.operand(*src1, sizeof(T), p.src1BlkStride, p.src1RepStride, "src1");
    const Place m = i.local(mask, Space::UB, 32, "selMask");
    const uint64_t bytes = uint64_t(v.lanes()) / 8;
    while (v.next()) {
      const bool first = mode == AscendC::SELMODE::VSEL_CMPMASK_SPR; // the same bits every repeat
      const Place from{m.mem, m.off + (first ? 0 : uint64_t(v.repeat()) * bytes)};
      uint64_t used = 0;
      for (int l = 0; l < v.lanes(); ++l)
        used = v.active(l) ? uint64_t(l) / 8 + 1 : used;
      i.inside(mask, int64_t(from.off), int64_t(used), "selMask");
      const uint8_t *bits = i.read(from, used, "selMask");
      v.source(a);
      v.overlap(d, a);
      if (src1) {
        v.source(b);
        v.overlap(d, b);
      }
      v.dest(d);
      for (int l = 0; l < v.lanes(); ++l)
        if (v.active(l)) {
          const T y = src1 ? load<T>(v.at(b, l)) : scalar;
          store<T>(v.at(d, l), bits[l / 8] >> (l % 8) & 1 ? load<T>(v.at(a, l)) : y);
        }
    }
  });
}
} // namespace ascendc_host

namespace AscendC {
template <typename D, typename S>
void Cast(const LocalTensor<D> &dst, const LocalTensor<S> &src, const RoundMode &mode,
          uint32_t count) {
  ascendc_host::castCall(dst, src, mode, ascendc_host::MaskArg::count(count), 0);
}
template <typename D, typename S, bool isSetMask = true>
void Cast(const LocalTensor<D> &dst, const LocalTensor<S> &src, const RoundMode &mode,
          uint64_t mask, int64_t repeat, const UnaryRepeatParams &p) {
  ascendc_host::castCall(dst, src, mode, ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat, p);
}
template <typename D, typename S, bool isSetMask = true>
void Cast(const LocalTensor<D> &dst, const LocalTensor<S> &src, const RoundMode &mode,
          const uint64_t *mask, int64_t repeat, const UnaryRepeatParams &p) {
  ascendc_host::castCall(dst, src, mode, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat, p);
}

#define ASCENDC_HOST_MASK_TYPE(M)                                                                  \
  static_assert(ascendc_host::oneOf<M, uint8_t, int8_t>, "Compare writes uint8_t or int8_t")
template <typename T, typename M>
void Compare(const LocalTensor<M> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
             CMPMODE mode, uint32_t count) {
  ASCENDC_HOST_MASK_TYPE(M);
  ascendc_host::compareCall("Compare", dst, src0, &src1, T(), mode,
                            ascendc_host::MaskArg::count(count), 0, BinaryRepeatParams());
}
// The 910B ignores the mask of this form: every lane of a repeat is compared.
template <typename T, typename M, bool isSetMask = true>
void Compare(const LocalTensor<M> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
             CMPMODE mode, uint64_t, int64_t repeat, const BinaryRepeatParams &p) {
  ASCENDC_HOST_MASK_TYPE(M);
  ascendc_host::compareCall("Compare", dst, src0, &src1, T(), mode,
                            ascendc_host::MaskArg::prefix(256 / sizeof(T)), repeat, p);
}
#define ASCENDC_HOST_COMPARES(NAME)                                                                \
  template <typename T, typename M>                                                                \
  void NAME(const LocalTensor<M> &dst, const LocalTensor<T> &src, const T &scalar, CMPMODE mode,   \
            uint32_t count) {                                                                      \
    ASCENDC_HOST_MASK_TYPE(M);                                                                     \
    ascendc_host::compareCall<T>(#NAME, dst, src, nullptr, scalar, mode,                           \
                                 ascendc_host::MaskArg::count(count), 0, BinaryRepeatParams());    \
  }                                                                                                \
  template <typename T, typename M, bool isSetMask = true>                                         \
  void NAME(const LocalTensor<M> &dst, const LocalTensor<T> &src, const T &scalar, CMPMODE mode,   \
            uint64_t, int64_t repeat, const UnaryRepeatParams &p) {                                \
    ASCENDC_HOST_MASK_TYPE(M);                                                                     \
    ascendc_host::compareCall<T>(#NAME, dst, src, nullptr, scalar, mode,                           \
                                 ascendc_host::MaskArg::prefix(256 / sizeof(T)), repeat,           \
                                 BinaryRepeatParams(1, p.srcBlkStride, 1, 8, p.srcRepStride, 8));  \
  }
ASCENDC_HOST_COMPARES(Compares)
ASCENDC_HOST_COMPARES(CompareScalar)

#define ASCENDC_HOST_SEL_TYPE(M)                                                                   \
  static_assert(ascendc_host::oneOf<M, uint8_t, uint16_t, uint32_t, uint64_t>,                     \
                "Select: selMask is uint8_t, uint16_t, uint32_t or uint64_t")
template <typename T, typename M>
void Select(const LocalTensor<T> &dst, const LocalTensor<M> &selMask, const LocalTensor<T> &src0,
            const LocalTensor<T> &src1, SELMODE mode, uint32_t count) {
  ASCENDC_HOST_SEL_TYPE(M);
  ascendc_host::selectCall(dst, selMask, src0, &src1, T(), mode,
                           ascendc_host::MaskArg::count(count), 0, BinaryRepeatParams());
}
template <typename T, typename M>
void Select(const LocalTensor<T> &dst, const LocalTensor<M> &selMask, const LocalTensor<T> &src0,
            T src1, SELMODE mode, uint32_t count) {
  ASCENDC_HOST_SEL_TYPE(M);
  ascendc_host::selectCall<T>(dst, selMask, src0, nullptr, src1, mode,
                              ascendc_host::MaskArg::count(count), 0, BinaryRepeatParams());
}
template <typename T, typename M, bool isSetMask = true>
void Select(const LocalTensor<T> &dst, const LocalTensor<M> &selMask, const LocalTensor<T> &src0,
            const LocalTensor<T> &src1, SELMODE mode, uint64_t mask, int64_t repeat,
            const BinaryRepeatParams &p) {
  ASCENDC_HOST_SEL_TYPE(M);
  ascendc_host::selectCall(dst, selMask, src0, &src1, T(), mode,
                           ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat, p);
}
template <typename T, typename M, bool isSetMask = true>
void Select(const LocalTensor<T> &dst, const LocalTensor<M> &selMask, const LocalTensor<T> &src0,
            T src1, SELMODE mode, uint64_t mask, int64_t repeat, const BinaryRepeatParams &p) {
  ASCENDC_HOST_SEL_TYPE(M);
  ascendc_host::selectCall<T>(dst, selMask, src0, nullptr, src1, mode,
                              ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat, p);
}
} // namespace AscendC
