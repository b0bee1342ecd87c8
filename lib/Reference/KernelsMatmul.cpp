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

#include <cstring>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define PTO_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define PTO_CLONES
#endif

using namespace mlir::pto::reference;

namespace {

constexpr int64_t kLanes = 16;            // floats of the widest vector
constexpr int64_t kRows = 4, kVectors = 2; // a block of the result in registers
constexpr int64_t kCols = kLanes * kVectors;
typedef float Vector __attribute__((vector_size(kLanes * sizeof(float)), aligned(4)));

/// A block of kRows x kCols of c; `b` is a panel of k x kCols.
PTO_CLONES void block(const float *a, int64_t pitchA, const float *b, float *c, int64_t pitchC,
                      int64_t k) {
  Vector sum[kRows][kVectors];
  for (int64_t i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < kVectors; ++j)
      std::memcpy(&sum[i][j], c + i * pitchC + j * kLanes, sizeof(Vector));
  for (int64_t p = 0; p < k; ++p) {
    Vector right[kVectors];
    std::memcpy(right, b + p * kCols, sizeof(right));
    for (int64_t i = 0; i < kRows; ++i) {
      float left = a[i * pitchA + p];
      for (int64_t j = 0; j < kVectors; ++j)
        sum[i][j] += left * right[j];
    }
  }
  for (int64_t i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < kVectors; ++j)
      std::memcpy(c + i * pitchC + j * kLanes, &sum[i][j], sizeof(Vector));
}

/// What no full block covers.
void edge(const float *a, int64_t pitchA, const float *b, float *c, int64_t pitchC, int64_t rows,
          int64_t cols, int64_t k) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < cols; ++j)
        c[i * pitchC + j] += a[i * pitchA + p] * b[p * kCols + j];
}

} // namespace

void mlir::pto::reference::matmul(const float *a, const float *b, float *c, int64_t m, int64_t k,
                                  int64_t n) {
  thread_local std::vector<float> panel;
  panel.resize(k * kCols);
  for (int64_t col = 0; col < n; col += kCols) {
    int64_t cols = std::min(kCols, n - col);
    for (int64_t p = 0; p < k; ++p)
      std::memcpy(&panel[p * kCols], b + p * n + col, cols * sizeof(float));
    int64_t row = 0;
    if (cols == kCols)
      for (; row + kRows <= m; row += kRows)
        block(a + row * k, k, panel.data(), c + row * n + col, n, k);
    edge(a + row * k, k, panel.data(), c + row * n + col, n, m - row, cols, k);
  }
}
