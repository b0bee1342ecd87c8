//===- Kernels.cpp - Arithmetic on contiguous elements ------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
// One body, compiled for several generations of processors; the loader picks.
#define PTO_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#define PTO_F16C __attribute__((target("avx2,f16c")))
#else
#define PTO_CLONES
#endif
// A loop whose destination may be its source, element by element.
#if defined(__clang__)
#define PTO_IN_PLACE _Pragma("clang loop vectorize(assume_safety)")
#else
#define PTO_IN_PLACE _Pragma("GCC ivdep")
#endif

using namespace mlir::pto::reference;

namespace {

template <typename To, typename From> To bitsOf(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

//===----------------------------------------------------------------------===//
// FP16 and BF16
//===----------------------------------------------------------------------===//

float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = (half >> 10) & 31, rest = half & 0x3ff;
  if (exponent == 31) // a NaN becomes a quiet one, as the conversion instruction has it
    return bitsOf<float>(sign | 0x7f800000 | (rest << 13) | (rest ? 0x400000 : 0));
  if (exponent)
    return bitsOf<float>(sign | ((exponent + 112) << 23) | (rest << 13));
  float value = std::ldexp(float(rest), -24);
  return sign ? -value : value;
}

uint16_t floatToHalf(float value) {
  uint32_t bits = bitsOf<uint32_t>(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000)
    return sign | 0x7e00 | ((bits >> 13) & 0x3ff);
  if (bits >= 0x47800000) // 2^16 and up
    return sign | 0x7c00;
  if (bits < 0x38800000) { // below the smallest normal: the sum rounds for us
    float magnitude = bitsOf<float>(bits) + 0.5f;
    return sign | (bitsOf<uint32_t>(magnitude) - 0x3f000000);
  }
  bits += 0xfff + ((bits >> 13) & 1);
  return sign | ((bits - 0x38000000) >> 13);
}

#ifdef PTO_F16C
PTO_F16C int64_t widenF16C(const uint16_t *from, float *to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
  return i;
}
PTO_F16C int64_t narrowF16C(const float *from, uint16_t *to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128((__m128i *)(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  return i;
}
bool hasF16C() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  return has;
}
#else
int64_t widenF16C(const uint16_t *, float *, int64_t) { return 0; }
int64_t narrowF16C(const float *, uint16_t *, int64_t) { return 0; }
bool hasF16C() { return false; }
#endif

void widenHalf(const uint16_t *from, float *to, int64_t count) {
  for (int64_t i = hasF16C() ? widenF16C(from, to, count) : 0; i < count; ++i)
    to[i] = halfToFloat(from[i]);
}
void narrowHalf(const float *from, uint16_t *to, int64_t count) {
  for (int64_t i = hasF16C() ? narrowF16C(from, to, count) : 0; i < count; ++i)
    to[i] = floatToHalf(from[i]);
}

PTO_CLONES void widenBrain(const uint16_t *from, uint32_t *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = uint32_t(from[i]) << 16;
}
PTO_CLONES void narrowBrain(const uint32_t *from, uint16_t *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits = from[i];
    uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    uint32_t nan = (bits >> 16) | 0x40;
    to[i] = uint16_t((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
  }
}

/// `value` with its last bit set if it lost something: rounding it once more
/// then gives what rounding `value` directly would.
float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || value != value)
    return nearest;
  uint32_t bits = bitsOf<uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits;
  return bitsOf<float>(bits | 1);
}

//===----------------------------------------------------------------------===//
// FP32 and INT32 loops
//===----------------------------------------------------------------------===//

// NaN if either is; -0 is less than +0. Equal numbers differ in the sign at most.
inline float minimumOf(float a, float b) {
  float equal = bitsOf<float>(bitsOf<uint32_t>(a) | bitsOf<uint32_t>(b));
  return a == b ? equal : (a < b || a != a) ? a : b;
}
inline float maximumOf(float a, float b) {
  float equal = bitsOf<float>(bitsOf<uint32_t>(a) & bitsOf<uint32_t>(b));
  return a == b ? equal : (a > b || a != a) ? a : b;
}
// Integers wrap.
template <typename T> inline T addOf(T a, T b) { return T(uint64_t(a) + uint64_t(b)); }
template <typename T> inline T subOf(T a, T b) { return T(uint64_t(a) - uint64_t(b)); }
template <typename T> inline T mulOf(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
inline float addOf(float a, float b) { return a + b; }
inline float subOf(float a, float b) { return a - b; }
inline float mulOf(float a, float b) { return a * b; }
inline float divOf(float a, float b) { return a / b; }

#define PTO_BINARY(NAME, TYPE, EXPR)                                                               \
  PTO_CLONES void NAME(const TYPE *x, const TYPE *y, TYPE *d, int64_t count) {                     \
    PTO_IN_PLACE                                                                                   \
    for (int64_t i = 0; i < count; ++i) {                                                          \
      TYPE a = x[i], b = y[i];                                                                     \
      d[i] = EXPR;                                                                                 \
    }                                                                                              \
  }                                                                                                \
  PTO_CLONES void NAME##Scalar(const TYPE *x, TYPE b, TYPE *d, int64_t count) {                    \
    PTO_IN_PLACE                                                                                   \
    for (int64_t i = 0; i < count; ++i) {                                                          \
      TYPE a = x[i];                                                                               \
      d[i] = EXPR;                                                                                 \
    }                                                                                              \
  }

PTO_BINARY(addF32, float, addOf(a, b))
PTO_BINARY(subF32, float, subOf(a, b))
PTO_BINARY(mulF32, float, mulOf(a, b))
PTO_BINARY(divF32, float, divOf(a, b))
PTO_BINARY(minF32, float, minimumOf(a, b))
PTO_BINARY(maxF32, float, maximumOf(a, b))
#undef PTO_BINARY

#define PTO_UNARY(NAME, TYPE, EXPR)                                                                \
  PTO_CLONES void NAME(const TYPE *x, TYPE *d, int64_t count) {                                    \
    PTO_IN_PLACE                                                                                   \
    for (int64_t i = 0; i < count; ++i) {                                                          \
      TYPE a = x[i];                                                                               \
      d[i] = EXPR;                                                                                 \
    }                                                                                              \
  }
PTO_UNARY(sqrtF32, float, std::sqrt(a))
PTO_UNARY(negF32, float, -a)
PTO_UNARY(absF32, float, std::fabs(a))
PTO_UNARY(reluF32, float, (a > 0 || a != a) ? a : 0.0f)
#undef PTO_UNARY

void binaryF32(BinaryKind kind, const float *a, const float *b, float *d, int64_t count) {
  static constexpr decltype(&addF32) table[] = {addF32, subF32, mulF32, divF32, minF32, maxF32};
  table[static_cast<int>(kind)](a, b, d, count);
}
void binaryScalarF32(BinaryKind kind, const float *a, float b, float *d, int64_t count) {
  static constexpr decltype(&addF32Scalar) table[] = {addF32Scalar, subF32Scalar, mulF32Scalar,
                                                      divF32Scalar, minF32Scalar, maxF32Scalar};
  table[static_cast<int>(kind)](a, b, d, count);
}

/// The quotient is cut, and the one that overflows wraps; false where it divides by zero.
template <typename T, typename Rhs> bool divideIntegers(const T *a, Rhs rhs, T *d, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    T b = rhs(i);
    if (b == 0)
      return false;
    d[i] = std::is_signed_v<T> && b == T(-1) ? subOf(T(0), a[i]) : T(a[i] / b);
  }
  return true;
}

/// `rhs(i)`: the second operand.
template <typename T, typename Rhs>
bool integers(BinaryKind kind, const T *a, Rhs rhs, T *d, int64_t count) {
  auto loop = [&](auto function) {
    PTO_IN_PLACE
    for (int64_t i = 0; i < count; ++i)
      d[i] = function(a[i], rhs(i));
    return true;
  };
  switch (kind) {
  case BinaryKind::Add:
    return loop(addOf<T>);
  case BinaryKind::Sub:
    return loop(subOf<T>);
  case BinaryKind::Mul:
    return loop(mulOf<T>);
  case BinaryKind::Div:
    return divideIntegers(a, rhs, d, count);
  case BinaryKind::Minimum:
    return loop([](T x, T y) { return std::min(x, y); });
  case BinaryKind::Maximum:
    return loop([](T x, T y) { return std::max(x, y); });
  }
  return true;
}

template <typename T> void unaryIntegers(UnaryKind kind, const T *a, T *d, int64_t count) {
  auto loop = [&](auto function) {
    PTO_IN_PLACE
    for (int64_t i = 0; i < count; ++i)
      d[i] = function(a[i]);
  };
  if (kind == UnaryKind::Neg)
    loop([](T x) { return subOf(T(0), x); });
  else if (kind == UnaryKind::Abs)
    loop([](T x) { return x < T(0) ? subOf(T(0), x) : x; });
  else
    loop([](T x) { return std::max(x, T(0)); });
}

/// FP16 and BF16 go through FP32 in pieces that stay in the first cache.
constexpr int64_t kPiece = 512;

/// Rounded once from double, as exp and the like are computed.
template <typename Function>
void throughDouble(Elem elem, const float *src, float *dst, int64_t count, Function function) {
  for (int64_t i = 0; i < count; ++i) {
    double value = function(static_cast<double>(src[i]));
    dst[i] = elem == Elem::F32 ? static_cast<float>(value) : roundToOdd(value);
  }
}

void unaryF32(UnaryKind kind, Elem elem, const float *src, float *dst, int64_t count) {
  switch (kind) {
  case UnaryKind::Exp:
    return throughDouble(elem, src, dst, count, [](double x) { return std::exp(x); });
  case UnaryKind::Rsqrt:
    return throughDouble(elem, src, dst, count, [](double x) { return 1.0 / std::sqrt(x); });
  case UnaryKind::Sqrt:
    return sqrtF32(src, dst, count);
  case UnaryKind::Neg:
    return negF32(src, dst, count);
  case UnaryKind::Abs:
    return absF32(src, dst, count);
  case UnaryKind::Relu:
    return reluF32(src, dst, count);
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The order of a row reduction over elements that `combine` rounds.
template <typename T, typename Combine>
T reduceLanes(const T *row, int64_t count, int64_t lanes, Combine combine) {
  T lane[256];
  int64_t live = std::min(count, lanes);
  std::copy(row, row + live, lane);
  for (int64_t begin = lanes; begin < count; begin += lanes)
    for (int64_t i = 0, end = std::min(lanes, count - begin); i < end; ++i)
      lane[i] = combine(lane[i], row[begin + i]);
  for (; live > 1; live = (live + 1) / 2) {
    for (int64_t i = 0; i < live / 2; ++i)
      lane[i] = combine(lane[2 * i], lane[2 * i + 1]);
    if (live % 2)
      lane[live / 2] = lane[live - 1];
  }
  return lane[0];
}

} // namespace

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

namespace mlir::pto::reference {

void widen(Elem elem, const void *from, float *to, int64_t count) {
  if (elem == Elem::F16)
    widenHalf(static_cast<const uint16_t *>(from), to, count);
  else
    widenBrain(static_cast<const uint16_t *>(from), reinterpret_cast<uint32_t *>(to), count);
}

void narrow(Elem elem, const float *from, void *to, int64_t count) {
  if (elem == Elem::F16)
    narrowHalf(from, static_cast<uint16_t *>(to), count);
  else
    narrowBrain(reinterpret_cast<const uint32_t *>(from), static_cast<uint16_t *>(to), count);
}

template <typename T> static T loadAs(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

double loadElement(Elem elem, const void *from) {
  float value;
  switch (elem) {
  case Elem::F16:
  case Elem::BF16:
    widen(elem, from, &value, 1);
    return value;
  case Elem::F32:
    std::memcpy(&value, from, sizeof(value));
    return value;
  case Elem::U64:
    return static_cast<double>(loadAs<uint64_t>(from));
  default:
    return static_cast<double>(loadInteger(elem, from));
  }
}

int64_t loadInteger(Elem elem, const void *from) {
  return withInteger(elem,
                     [&](auto type) { return static_cast<int64_t>(loadAs<decltype(type)>(from)); });
}

void storeInteger(Elem elem, int64_t value, void *to) {
  // The lower bytes come first on every host that this runs on.
  std::memcpy(to, &value, elemBytes(elem));
}

void storeElement(Elem elem, double value, void *to) {
  if (isInteger(elem)) {
    storeInteger(elem, static_cast<int64_t>(value), to);
  } else if (elem == Elem::F32) {
    float single = static_cast<float>(value);
    std::memcpy(to, &single, sizeof(single));
  } else {
    float odd = roundToOdd(value);
    narrow(elem, &odd, to, 1);
  }
}

bool binary(BinaryKind kind, Elem elem, const void *lhs, const void *rhs, void *dst,
            int64_t count) {
  if (isInteger(elem))
    return withInteger(elem, [&](auto type) {
      using T = decltype(type);
      auto *b = static_cast<const T *>(rhs);
      return integers(
          kind, static_cast<const T *>(lhs), [b](int64_t i) { return b[i]; }, static_cast<T *>(dst),
          count);
    });
  if (elem == Elem::F32) {
    binaryF32(kind, static_cast<const float *>(lhs), static_cast<const float *>(rhs),
              static_cast<float *>(dst), count);
    return true;
  }
  float a[kPiece], b[kPiece];
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    int64_t piece = std::min(kPiece, count - begin);
    widen(elem, static_cast<const uint16_t *>(lhs) + begin, a, piece);
    widen(elem, static_cast<const uint16_t *>(rhs) + begin, b, piece);
    binaryF32(kind, a, b, a, piece);
    narrow(elem, a, static_cast<uint16_t *>(dst) + begin, piece);
  }
  return true;
}

bool binaryScalar(BinaryKind kind, Elem elem, const void *lhs, const void *rhs, void *dst,
                  int64_t count) {
  if (isInteger(elem))
    return withInteger(elem, [&](auto type) {
      using T = decltype(type);
      T b;
      std::memcpy(&b, rhs, sizeof(b));
      return integers(
          kind, static_cast<const T *>(lhs), [b](int64_t) { return b; }, static_cast<T *>(dst),
          count);
    });
  float value = static_cast<float>(loadElement(elem, rhs));
  if (elem == Elem::F32) {
    binaryScalarF32(kind, static_cast<const float *>(lhs), value, static_cast<float *>(dst), count);
    return true;
  }
  float a[kPiece];
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    int64_t piece = std::min(kPiece, count - begin);
    widen(elem, static_cast<const uint16_t *>(lhs) + begin, a, piece);
    binaryScalarF32(kind, a, value, a, piece);
    narrow(elem, a, static_cast<uint16_t *>(dst) + begin, piece);
  }
  return true;
}

bool hasUnary(UnaryKind kind, Elem elem) {
  return !isInteger(elem) || kind == UnaryKind::Neg || kind == UnaryKind::Abs ||
         kind == UnaryKind::Relu;
}

void unary(UnaryKind kind, Elem elem, const void *src, void *dst, int64_t count) {
  if (isInteger(elem))
    return withInteger(elem, [&](auto type) {
      using T = decltype(type);
      unaryIntegers(kind, static_cast<const T *>(src), static_cast<T *>(dst), count);
    });
  if (elem == Elem::F32)
    return unaryF32(kind, elem, static_cast<const float *>(src), static_cast<float *>(dst), count);
  float a[kPiece];
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    int64_t piece = std::min(kPiece, count - begin);
    widen(elem, static_cast<const uint16_t *>(src) + begin, a, piece);
    unaryF32(kind, elem, a, a, piece);
    narrow(elem, a, static_cast<uint16_t *>(dst) + begin, piece);
  }
}

template <typename T> static void fillAs(const void *value, void *dst, int64_t count) {
  T bits;
  std::memcpy(&bits, value, sizeof(bits));
  std::fill_n(static_cast<T *>(dst), count, bits);
}

void fill(Elem elem, const void *value, void *dst, int64_t count) {
  switch (elemBytes(elem)) {
  case 1:
    return fillAs<uint8_t>(value, dst, count);
  case 2:
    return fillAs<uint16_t>(value, dst, count);
  case 4:
    return fillAs<uint32_t>(value, dst, count);
  default:
    return fillAs<uint64_t>(value, dst, count);
  }
}

static float combineFloats(ReduceKind kind, float a, float b) {
  return kind == ReduceKind::Max   ? maximumOf(a, b)
         : kind == ReduceKind::Min ? minimumOf(a, b)
                                   : a + b;
}

void reduceRow(ReduceKind kind, Elem elem, const void *row, void *dst, int64_t count) {
  int64_t lanes = 256 / elemBytes(elem);
  if (isInteger(elem))
    return withInteger(elem, [&](auto type) {
      using T = decltype(type);
      auto combine = [kind](T a, T b) {
        return kind == ReduceKind::Max   ? std::max(a, b)
               : kind == ReduceKind::Min ? std::min(a, b)
                                         : addOf(a, b);
      };
      *static_cast<T *>(dst) = reduceLanes(static_cast<const T *>(row), count, lanes, combine);
    });
  if (elem == Elem::F32) {
    auto combine = [kind](float a, float b) { return combineFloats(kind, a, b); };
    *static_cast<float *>(dst) =
        reduceLanes(static_cast<const float *>(row), count, lanes, combine);
    return;
  }
  if (elem == Elem::BF16) {
    // No chip reduces BF16: it is reduced as FP32 and rounded once.
    std::vector<float> wide(count);
    widen(elem, row, wide.data(), count);
    float value;
    reduceRow(kind, Elem::F32, wide.data(), &value, count);
    narrow(elem, &value, dst, 1);
    return;
  }
  // Each step rounds to FP16, as the vector unit's additions do.
  auto combine = [kind, elem](uint16_t x, uint16_t y) {
    float a, b;
    uint16_t sum;
    widen(elem, &x, &a, 1);
    widen(elem, &y, &b, 1);
    a = combineFloats(kind, a, b);
    narrow(elem, &a, &sum, 1);
    return sum;
  };
  *static_cast<uint16_t *>(dst) =
      reduceLanes(static_cast<const uint16_t *>(row), count, lanes, combine);
}

} // namespace mlir::pto::reference
