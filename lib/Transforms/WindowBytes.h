//===- WindowBytes.h - The bytes of a window ---------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_WINDOWBYTES_H
#define PTO_TRANSFORMS_WINDOWBYTES_H

#include "Tile/TileOps.h"

namespace mlir::pto {

/// Runs of bytes, [begin, end); sorted and apart from each other behind `sortAndMerge`.
using ByteRuns = SmallVector<std::pair<int64_t, int64_t>, 1>;

void sortAndMerge(ByteRuns &runs);
/// Whether two sorted lists have a byte in common.
bool meet(const ByteRuns &a, const ByteRuns &b);
/// The bytes that both have, and those of `a` that `b` has not.
ByteRuns intersect(const ByteRuns &a, const ByteRuns &b);
ByteRuns subtract(const ByteRuns &a, const ByteRuns &b);

/// The bytes of rows and columns of an allocation of this type, from its beginning.
ByteRuns getRuns(BufType type, int64_t row, int64_t rows, int64_t col, int64_t cols);

/// The allocation of a window; null if it comes from elsewhere.
TileAllocOp getAllocation(Value buffer);

/// An allocation, and the bytes of a window of it in its space, if its place and size are
/// known.
struct WindowBytes {
  TileAllocOp alloc; // null: it comes from elsewhere
  std::optional<ByteRuns> bytes;
};
WindowBytes getWindowBytes(Value buffer);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_WINDOWBYTES_H
