//===- KernelsMatmul.cpp - Matrix products in FP32 ----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Blocked over rows and columns, never over k: each element of the result adds
// its products in increasing k, one rounding a product and one a sum, whatever
// the blocks are.
//
//===----------------------------------------------------------------------===//

#include "Reference/Kernels.h"

#include <algorithm>
#include <cstring>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define PTO_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define PTO_CLONES
#endif

using namespace mlir::pto::reference;

namespace {

constexpr int64_t kLanes = 16;             // floats of the widest vector
constexpr int64_t kRows = 4, kVectors = 2; // a block of the result, in registers
constexpr int64_t kCols = kLanes * kVectors;
// Unaligned, and over any floats.
typedef float Vector __attribute__((vector_size(kLanes * sizeof(float)), aligned(4), may_alias));

/// A block of kRows x kCols of c; `b` is a panel of k x kCols.
PTO_CLONES void block(const float *a, int64_t pitchA, const float *b, float *c, int64_t pitchC,
                      int64_t k) {
  // Local names, not an array: they must stay in registers.
  float *c0 = c, *c1 = c + pitchC, *c2 = c1 + pitchC, *c3 = c2 + pitchC;
  auto at = [](float *p) -> Vector & { return *reinterpret_cast<Vector *>(p); };
  Vector s00 = at(c0), s01 = at(c0 + kLanes), s10 = at(c1), s11 = at(c1 + kLanes);
  Vector s20 = at(c2), s21 = at(c2 + kLanes), s30 = at(c3), s31 = at(c3 + kLanes);
  const float *a0 = a, *a1 = a + pitchA, *a2 = a1 + pitchA, *a3 = a2 + pitchA;
  for (int64_t p = 0; p < k; ++p, b += kCols) {
    const Vector r0 = *reinterpret_cast<const Vector *>(b);
    const Vector r1 = *reinterpret_cast<const Vector *>(b + kLanes);
    s00 += a0[p] * r0, s01 += a0[p] * r1;
    s10 += a1[p] * r0, s11 += a1[p] * r1;
    s20 += a2[p] * r0, s21 += a2[p] * r1;
    s30 += a3[p] * r0, s31 += a3[p] * r1;
  }
  at(c0) = s00, at(c0 + kLanes) = s01, at(c1) = s10, at(c1 + kLanes) = s11;
  at(c2) = s20, at(c2 + kLanes) = s21, at(c3) = s30, at(c3 + kLanes) = s31;
}

/// A block of which only `rows` x `cols` exist: the rest is made of zeros.
void edge(const float *a, int64_t pitchA, const float *b, float *c, int64_t pitchC, int64_t rows,
          int64_t cols, int64_t k, std::vector<float> &left) {
  float sum[kRows * kCols] = {};
  left.assign(kRows * k, 0.0f);
  for (int64_t i = 0; i < rows; ++i) {
    std::memcpy(left.data() + i * k, a + i * pitchA, k * sizeof(float));
    std::memcpy(sum + i * kCols, c + i * pitchC, cols * sizeof(float));
  }
  block(left.data(), k, b, sum, kCols, k);
  for (int64_t i = 0; i < rows; ++i)
    std::memcpy(c + i * pitchC, sum + i * kCols, cols * sizeof(float));
}

} // namespace

void mlir::pto::reference::matmul(const float *a, const float *b, float *c, int64_t m, int64_t k,
                                  int64_t n) {
  thread_local std::vector<float> panel, left;
  panel.assign(k * kCols, 0.0f);
  for (int64_t col = 0; col < n; col += kCols) {
    int64_t cols = std::min(kCols, n - col);
    for (int64_t p = 0; p < k; ++p) {
      std::memcpy(panel.data() + p * kCols, b + p * n + col, cols * sizeof(float));
      std::fill_n(panel.data() + p * kCols + cols, kCols - cols, 0.0f);
    }
    for (int64_t row = 0; row < m; row += kRows) {
      int64_t rows = std::min(kRows, m - row);
      if (rows == kRows && cols == kCols)
        block(a + row * k, k, panel.data(), c + row * n + col, n, k);
      else
        edge(a + row * k, k, panel.data(), c + row * n + col, n, rows, cols, k, left);
    }
  }
}

void mlir::pto::reference::matmulBytes(const int8_t *a, const int8_t *b, uint32_t *c, int64_t m,
                                       int64_t k, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p) {
      const int32_t left = a[i * k + p];
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] += static_cast<uint32_t>(left * b[p * n + j]);
    }
}
