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

int32_t toInteger(double value, Rounding rounding) {
  if (value != value)
    return 0;
  double whole = std::clamp(roundUnits(value, rounding), -2147483648.0, 2147483647.0);
  return static_cast<int32_t>(whole);
}

void castToInteger(const float *src, int32_t *dst, Rounding rounding, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    dst[i] = toInteger(src[i], rounding);
}

void castFromInteger(const int32_t *src, float *dst, Rounding rounding, int64_t count) {
  if (rounding == Rounding::Rint) {
    for (int64_t i = 0; i < count; ++i)
      dst[i] = static_cast<float>(src[i]);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    dst[i] = static_cast<float>(roundTo(formatOf(Elem::F32), src[i], rounding));
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

/// Every conversion goes through FP32, as the chip's own chains do.
void mlir::pto::reference::convert(Elem from, Elem to, Rounding rounding, const void *src,
                                   void *dst, int64_t count) {
  constexpr int64_t kPiece = 512;
  float piece[kPiece];
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    int64_t size = std::min(kPiece, count - begin);
    const void *source = static_cast<const char *>(src) + begin * elemBytes(from);
    void *target = static_cast<char *>(dst) + begin * elemBytes(to);
    if (from == Elem::I32)
      castFromInteger(static_cast<const int32_t *>(source), piece, rounding, size);
    else if (from == Elem::F32)
      std::memcpy(piece, source, size * sizeof(float));
    else
      widen(from, source, piece, size);
    if (to == Elem::I32)
      castToInteger(piece, static_cast<int32_t *>(target), rounding, size);
    else if (to == Elem::F32)
      std::memcpy(target, piece, size * sizeof(float));
    else
      castNarrow(to, piece, target, rounding, size);
  }
}
