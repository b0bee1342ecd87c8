//===- Kernels.h - Arithmetic on contiguous elements ---------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Loops over contiguous elements, without a fact about MLIR or the machine, so
// that they are compiled for speed on their own. What they compute is stated in
// the section "Numbers" of docs/design.md.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_KERNELS_H
#define PTO_REFERENCE_KERNELS_H

#include <cstdint>

namespace mlir::pto::reference {

/// The element types of arrays and tiles; BOOL is U8.
enum class Elem : uint8_t { F16, BF16, F32, I32, I8, I16, I64, U8, U16, U32, U64 };
inline constexpr int64_t elemBytes(Elem elem) {
  constexpr int64_t bytes[] = {2, 2, 4, 4, 1, 2, 8, 1, 2, 4, 8};
  return bytes[static_cast<unsigned>(elem)];
}
inline constexpr bool isInteger(Elem elem) { return elem >= Elem::I32; }
inline constexpr bool isUnsigned(Elem elem) { return elem >= Elem::U8; }

/// Calls `function(T())` with the C++ type of an integer element type.
template <typename Function> auto withInteger(Elem elem, Function function) {
  switch (elem) {
  case Elem::I8:
    return function(int8_t());
  case Elem::I16:
    return function(int16_t());
  case Elem::I64:
    return function(int64_t());
  case Elem::U8:
    return function(uint8_t());
  case Elem::U16:
    return function(uint16_t());
  case Elem::U32:
    return function(uint32_t());
  case Elem::U64:
    return function(uint64_t());
  default:
    return function(int32_t());
  }
}

enum class BinaryKind { Add, Sub, Mul, Div, Minimum, Maximum };
enum class UnaryKind { Exp, Sqrt, Rsqrt, Neg, Abs, Relu };
enum class ReduceKind { Max, Sum, Min };
enum class Rounding { Rint, Round, Floor, Ceil, Trunc, Odd };

/// Elements of `elem` to FP32 and back (to nearest, ties to even; NaN is kept).
/// For FP16 and BF16 only.
void widen(Elem elem, const void *from, float *to, int64_t count);
void narrow(Elem elem, const float *from, void *to, int64_t count);

/// One element from and to double; rounding is single, and an integer wraps.
double loadElement(Elem elem, const void *from);
void storeElement(Elem elem, double value, void *to);
/// The same of an integer type, without a detour.
int64_t loadInteger(Elem elem, const void *from);
void storeInteger(Elem elem, int64_t value, void *to);

/// d = a op b. `dst` may be `lhs` or `rhs`, and overlaps neither otherwise. An
/// integer division by zero returns false.
bool binary(BinaryKind kind, Elem elem, const void *lhs, const void *rhs, void *dst, int64_t count);
/// The same with one value, an element in memory, on the right.
bool binaryScalar(BinaryKind kind, Elem elem, const void *lhs, const void *rhs, void *dst,
                  int64_t count);
/// Whether the operation exists for the element type.
bool hasUnary(UnaryKind kind, Elem elem);
void unary(UnaryKind kind, Elem elem, const void *src, void *dst, int64_t count);
void fill(Elem elem, const void *value, void *dst, int64_t count);

/// One value from a row: repeats of 256 bytes are folded one after the other,
/// then adjacent pairs meet in a binary tree.
void reduceRow(ReduceKind kind, Elem elem, const void *row, void *dst, int64_t count);

/// Whether every value of `from` is one of `to`.
bool isExact(Elem from, Elem to);
/// Another element type. Integers saturate, and NaN becomes 0. The rounding is
/// of no matter where nothing is lost.
void convert(Elem from, Elem to, Rounding rounding, const void *src, void *dst, int64_t count);

/// c[m, n] += a[m, k] x b[k, n] in FP32; each element adds k in increasing order.
void matmul(const float *a, const float *b, float *c, int64_t m, int64_t k, int64_t n);
/// The same of bytes in INT32, which wraps.
void matmulBytes(const int8_t *a, const int8_t *b, uint32_t *c, int64_t m, int64_t k, int64_t n);

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_KERNELS_H
