//===- KernelsCast.cpp - Conversions between element types --------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

using namespace mlir::pto::reference;

namespace {

/// `value`, a number of units, to a whole number of them.
double roundUnits(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Rint:
    return std::nearbyint(value);
  case Rounding::Round:
    return std::round(value);
  case Rounding::Floor:
    return std::floor(value);
  case Rounding::Ceil:
    return std::ceil(value);
  case Rounding::Trunc:
    return std::trunc(value);
  case Rounding::Odd: {
    double cut = std::trunc(value);
    bool odd = std::fmod(cut, 2.0) != 0;
    return cut == value || odd ? cut : cut + std::copysign(1.0, value);
  }
  }
  return value;
}

struct Format {
  int precision;   // bits of the significand
  int minExponent; // of the smallest normal number
  double largest;
};

Format formatOf(Elem elem) {
  if (elem == Elem::F16)
    return {11, -14, 65504.0};
  if (elem == Elem::BF16)
    return {8, -126, 0x1.fep127};
  return {24, -126, std::numeric_limits<float>::max()};
}

/// `value` in a format, rounded once in the given way.
double roundTo(Format format, double value, Rounding rounding) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::max(std::ilogb(value), format.minExponent) - (format.precision - 1);
  double units = roundUnits(std::ldexp(value, -exponent), rounding);
  double rounded = std::copysign(std::ldexp(std::fabs(units), exponent), value);
  if (std::fabs(rounded) <= format.largest)
    return rounded;
  // Beyond the largest number a directed rounding towards zero stops at it.
  bool towardsZero = rounding == Rounding::Trunc || rounding == Rounding::Odd ||
                     (rounding == Rounding::Floor && value > 0) ||
                     (rounding == Rounding::Ceil && value < 0);
  return std::copysign(towardsZero ? format.largest : std::numeric_limits<double>::infinity(),
                       value);
}

/// Saturates; NaN is 0.
template <typename T> T toInteger(double value, Rounding rounding) {
  if (value != value)
    return 0;
  double whole = roundUnits(value, rounding);
  // The largest 64-bit numbers are no doubles.
  if (whole >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return std::numeric_limits<T>::max();
  if (whole <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(whole);
}

template <typename From, typename To> void castIntegers(const From *src, To *dst, int64_t count) {
  constexpr auto least = std::numeric_limits<To>::min();
  constexpr auto most = std::numeric_limits<To>::max();
  for (int64_t i = 0; i < count; ++i) {
    From value = src[i];
    bool negative = std::is_signed_v<From> && value < From(0);
    if (negative)
      dst[i] = std::is_unsigned_v<To> || static_cast<int64_t>(value) < static_cast<int64_t>(least)
                   ? least
                   : static_cast<To>(value);
    else
      dst[i] = static_cast<uint64_t>(value) > static_cast<uint64_t>(most) ? most
                                                                          : static_cast<To>(value);
  }
}

/// An integer rounded once to a float format, as FP32 bits that hold it.
template <typename From>
void castFromIntegers(Elem to, const From *src, float *dst, Rounding rounding, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (rounding == Rounding::Rint && to == Elem::F32) {
      dst[i] = static_cast<float>(src[i]);
      continue;
    }
    // 64-bit integers lose bits on the way to double, but not the sticky one.
    double value = static_cast<double>(src[i]);
    dst[i] = static_cast<float>(roundTo(formatOf(to), value, rounding));
  }
}

void castNarrow(Elem to, const float *src, void *dst, Rounding rounding, int64_t count) {
  if (rounding == Rounding::Rint)
    return narrow(to, src, dst, count);
  for (int64_t i = 0; i < count; ++i) {
    auto rounded = static_cast<float>(roundTo(formatOf(to), src[i], rounding));
    narrow(to, &rounded, static_cast<uint16_t *>(dst) + i, 1);
  }
}

} // namespace

namespace {
/// From FP16, BF16 and FP32, a piece at a time.
void castFromFloat(Elem from, Elem to, Rounding rounding, const void *src, void *dst,
                   int64_t count) {
  constexpr int64_t kPiece = 512;
  float piece[kPiece];
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    int64_t size = std::min(kPiece, count - begin);
    const void *source = static_cast<const char *>(src) + begin * elemBytes(from);
    void *target = static_cast<char *>(dst) + begin * elemBytes(to);
    if (from == Elem::F32)
      std::memcpy(piece, source, size * sizeof(float));
    else
      widen(from, source, piece, size);
    if (isInteger(to))
      withInteger(to, [&](auto type) {
        using T = decltype(type);
        for (int64_t i = 0; i < size; ++i)
          static_cast<T *>(target)[i] = toInteger<T>(piece[i], rounding);
      });
    else if (to == Elem::F32)
      for (int64_t i = 0; i < size; ++i) // FP32 to itself is rounded to a whole number
        static_cast<float *>(target)[i] =
            from == Elem::F32 ? static_cast<float>(roundUnits(piece[i], rounding)) : piece[i];
    else
      castNarrow(to, piece, target, rounding, size);
  }
}

template <typename From>
void castFromInteger(Elem to, Rounding rounding, const From *src, void *dst, int64_t count) {
  if (isInteger(to))
    return withInteger(
        to, [&](auto type) { castIntegers(src, static_cast<decltype(type) *>(dst), count); });
  if (to == Elem::F32)
    return castFromIntegers(to, src, static_cast<float *>(dst), rounding, count);
  for (int64_t i = 0; i < count; ++i) {
    float rounded;
    castFromIntegers(to, src + i, &rounded, rounding, 1);
    narrow(to, &rounded, static_cast<uint16_t *>(dst) + i, 1);
  }
}
} // namespace

bool mlir::pto::reference::isExact(Elem from, Elem to) {
  auto bits = [](Elem elem) { // of the numbers that it holds without a gap
    if (!isInteger(elem))
      return formatOf(elem).precision;
    return static_cast<int>(8 * elemBytes(elem)) - (isUnsigned(elem) ? 0 : 1);
  };
  if (isInteger(from) && isInteger(to))
    return bits(from) <= bits(to) && (isUnsigned(from) || !isUnsigned(to));
  if (isInteger(to))
    return false;
  if (isInteger(from))
    return bits(from) <= bits(to) && !(to == Elem::F16 && bits(from) > 11);
  return from == to || to == Elem::F32;
}

void mlir::pto::reference::convert(Elem from, Elem to, Rounding rounding, const void *src,
                                   void *dst, int64_t count) {
  if (!isInteger(from))
    return castFromFloat(from, to, rounding, src, dst, count);
  withInteger(from, [&](auto type) {
    castFromInteger(to, rounding, static_cast<const decltype(type) *>(src), dst, count);
  });
}
