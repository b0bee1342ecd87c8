//===- Packing.h - Lives of bytes into a space -------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_PACKING_H
#define PTO_TRANSFORMS_PACKING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::pto {

/// Bytes that are needed from one point of the program to another.
struct PackItem {
  int64_t bytes;
  int64_t begin, end;
  /// Where in between, in order; the same bytes each time.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 1> stretches;
  bool livesAt(int64_t point) const;
  int64_t address = -1;
  bool fixed = false; // the address is given
};

struct PackProblem {
  std::vector<PackItem> items;
  int64_t capacity, alignment;
  /// Items that only touch, where one ends and the other begins, and may have one
  /// address, as pairs of numbers: the one that ends, the one that begins.
  llvm::DenseSet<std::pair<unsigned, unsigned>> inPlace;
};

/// The most bytes that live at once, which no placement can beat, and a point
/// where that is so.
struct PackBound {
  int64_t bytes = 0, point = 0;
};
PackBound getPackBound(const PackProblem &problem);

/// Places every item that is not fixed, so that no two that live at once overlap.
/// Tries several orders, and keeps the placement with the lowest end. Gives that
/// end, which may be beyond the capacity. The same input gives the same answer.
int64_t pack(PackProblem &problem, int64_t bound);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_PACKING_H
