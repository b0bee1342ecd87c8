// Host AscendC: the 16-bit number types and every rounding the kernels can ask for.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace AscendC {
enum class RoundMode : uint8_t {
  CAST_NONE = 0,
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC,
  CAST_ODD,
  UNKNOWN = 0xFF
};
} // namespace AscendC

namespace ascendc_host {
using AscendC::RoundMode;

// Rounds a double once into a binary format of E exponent and M fraction bits; subnormals are kept.
template <int E, int M> constexpr uint32_t encode(double v, RoundMode mode) {
  const uint64_t u = __builtin_bit_cast(uint64_t, v);
  const uint32_t sign = uint32_t(u >> 63) << (E + M);
  const bool negative = u >> 63;
  const int ex = int(u >> 52) & 0x7ff;
  const uint64_t fr = u & ((uint64_t(1) << 52) - 1);
  constexpr int64_t kMaxExp = (1 << E) - 1;
  constexpr uint32_t kInf = uint32_t(kMaxExp) << M;
  if (ex == 0x7ff)
    return sign | kInf | (fr ? (1u << (M - 1)) | uint32_t(fr >> (52 - M)) : 0);
  if (ex == 0 && fr == 0)
    return sign;
  const uint64_t sig = ex ? fr | (uint64_t(1) << 52) : fr;
  int64_t e = (ex ? ex : 1) - 1023 + ((1 << (E - 1)) - 1);
  int64_t drop = 52 - M;
  if (e <= 0) {
    drop += 1 - e;
    e = 0;
  }
  if (drop > 62)
    drop = 62;
  uint64_t kept = sig >> drop;
  const uint64_t rem = sig & ((uint64_t(1) << drop) - 1), tie = uint64_t(1) << (drop - 1);
  bool up = false;
  switch (mode) {
  case RoundMode::CAST_FLOOR: up = rem && negative; break;
  case RoundMode::CAST_CEIL: up = rem && !negative; break;
  case RoundMode::CAST_ROUND: up = rem >= tie; break;
  case RoundMode::CAST_TRUNC: break;
  case RoundMode::CAST_ODD: kept |= rem ? 1 : 0; break;
  default: up = rem > tie || (rem == tie && (kept & 1)); break;
  }
  kept += up;
  const int64_t result = (e > 0 ? (e - 1) * (int64_t(1) << M) : 0) + int64_t(kept);
  if (result < int64_t(kInf))
    return sign | uint32_t(result);
  const bool toMax = mode == RoundMode::CAST_TRUNC || mode == RoundMode::CAST_ODD ||
                     (mode == RoundMode::CAST_FLOOR && !negative) ||
                     (mode == RoundMode::CAST_CEIL && negative);
  return sign | (toMax ? kInf - 1 : kInf);
}

constexpr float halfToFloat(uint16_t b) {
  const uint32_t sign = uint32_t(b & 0x8000) << 16;
  const uint32_t e = (b >> 10) & 31, m = b & 0x3ff;
  if (e == 31)
    return __builtin_bit_cast(float, sign | 0x7f800000u | (m << 13));
  if (e == 0) {
    const float v = float(m) * (1.0f / 16777216.0f);
    return sign ? -v : v;
  }
  return __builtin_bit_cast(float, sign | ((e + 112) << 23) | (m << 13));
}

// An int64 as a double with a sticky last bit, so that a second rounding to float is exact.
inline double oddDouble(int64_t v) {
  const double d = double(v);
  const long double exact = v;
  if ((long double)d == exact)
    return d;
  const double t = std::fabs((long double)d) > std::fabs(exact) ? std::nextafter(d, 0.0) : d;
  return __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, t) | 1);
}

// The integral value a mode picks; NONE stands beside RINT in the table and means the same.
inline double roundIntegral(double v, RoundMode mode) {
  switch (mode) {
  case RoundMode::CAST_FLOOR: return std::floor(v);
  case RoundMode::CAST_CEIL: return std::ceil(v);
  case RoundMode::CAST_ROUND: return std::round(v);
  case RoundMode::CAST_TRUNC: return std::trunc(v);
  default: return std::nearbyint(v);
  }
}

template <typename I> I saturate(double v) {
  if (v != v)
    return 0;
  if (v >= std::ldexp(1.0, std::numeric_limits<I>::digits))
    return std::numeric_limits<I>::max();
  if (v <= double(std::numeric_limits<I>::min()))
    return std::numeric_limits<I>::min();
  return I(v);
}
} // namespace ascendc_host

// IEEE binary16. Arithmetic is done in float and rounded once (24 >= 2*11+2: exact for + - * /).
struct half {
  uint16_t bits;
  half() = default;
  template <typename A, typename = std::enable_if_t<std::is_arithmetic_v<A>>>
  constexpr half(A v)
      : bits(uint16_t(ascendc_host::encode<5, 10>(double(v), AscendC::RoundMode::CAST_RINT))) {}
  constexpr operator float() const { return ascendc_host::halfToFloat(bits); }
  static constexpr half fromBits(uint16_t b) {
    half h(0);
    h.bits = b;
    return h;
  }
};
// With another arithmetic type a half is a float first, as in device code.
#define ASCENDC_HOST_HALF_OP(OP)                                                                   \
  constexpr half operator OP(half a, half b) { return half(float(a) OP float(b)); }                \
  template <typename A, typename = std::enable_if_t<std::is_arithmetic_v<A>>>                      \
  constexpr auto operator OP(half a, A b) {                                                        \
    return float(a) OP b;                                                                          \
  }                                                                                                \
  template <typename A, typename = std::enable_if_t<std::is_arithmetic_v<A>>>                      \
  constexpr auto operator OP(A a, half b) {                                                        \
    return a OP float(b);                                                                          \
  }
ASCENDC_HOST_HALF_OP(+)
ASCENDC_HOST_HALF_OP(-)
ASCENDC_HOST_HALF_OP(*)
ASCENDC_HOST_HALF_OP(/)
constexpr half operator-(half a) { return half::fromBits(a.bits ^ 0x8000); }

// As on the device, no literal initialises it and it has no arithmetic: ToFloat / ToBfloat16.
struct bfloat16_t {
  uint16_t bits;
};

namespace AscendC {
struct int4b_t; // left out: every use is an incomplete type
inline float ToFloat(const bfloat16_t &v) {
  return __builtin_bit_cast(float, uint32_t(v.bits) << 16);
}
inline bfloat16_t ToBfloat16(const float &v) {
  return {uint16_t(ascendc_host::encode<8, 7>(double(v), RoundMode::CAST_RINT))};
}
} // namespace AscendC

namespace ascendc_host {
template <typename T> inline double toDouble(T v) { return double(v); }
inline double toDouble(half v) { return float(v); }
inline double toDouble(bfloat16_t v) { return AscendC::ToFloat(v); }

// One rounding from a double into T, in the given mode.
template <typename T> T fromDouble(double v, RoundMode mode = RoundMode::CAST_RINT) {
  if constexpr (std::is_same_v<T, half>)
    return half::fromBits(uint16_t(encode<5, 10>(v, mode)));
  else if constexpr (std::is_same_v<T, bfloat16_t>)
    return bfloat16_t{uint16_t(encode<8, 7>(v, mode))};
  else if constexpr (std::is_same_v<T, float>)
    return mode <= RoundMode::CAST_RINT ? float(v)
                                        : __builtin_bit_cast(float, encode<8, 23>(v, mode));
  else
    return saturate<T>(roundIntegral(v, mode));
}

template <typename T, typename... List> constexpr bool oneOf = (std::is_same_v<T, List> || ...);

template <typename T> constexpr const char *typeName() {
  if constexpr (std::is_same_v<T, half>)
    return "half";
  else if constexpr (std::is_same_v<T, bfloat16_t>)
    return "bfloat16_t";
  else if constexpr (std::is_same_v<T, float>)
    return "float";
  else if constexpr (std::is_same_v<T, double>)
    return "double";
  else if constexpr (std::is_same_v<T, int8_t>)
    return "int8_t";
  else if constexpr (std::is_same_v<T, uint8_t>)
    return "uint8_t";
  else if constexpr (std::is_same_v<T, int16_t>)
    return "int16_t";
  else if constexpr (std::is_same_v<T, uint16_t>)
    return "uint16_t";
  else if constexpr (std::is_same_v<T, int32_t>)
    return "int32_t";
  else if constexpr (std::is_same_v<T, uint32_t>)
    return "uint32_t";
  else if constexpr (std::is_same_v<T, int64_t>)
    return "int64_t";
  else if constexpr (std::is_same_v<T, uint64_t>)
    return "uint64_t";
  else if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else {
    static_assert(sizeof(T) == 0, "not an AscendC element type of the host header");
    return "";
  }
}
} // namespace ascendc_host
