//===- BufferLiveness.h - When an allocation holds something -----*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Program points are numbered in the order of the text. An allocation lives from
// its first to its last access. In a loop it lives for the whole loop if an
// iteration may read what an earlier one, or the code before the loop, wrote; or
// if what is read behind the loop may come from an iteration before the last.
// In between it is dead where nobody will read what is in it: before it is written
// over, and in the arm of a branch that does not use it.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_BUFFERLIVENESS_H
#define PTO_TRANSFORMS_BUFFERLIVENESS_H

#include "Tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pto {

/// An allocation and the points between which it holds something.
struct BufferLife {
  TileAllocOp alloc;
  int64_t begin, end;
  /// First and last point of each stretch of it, in order and apart.
  SmallVector<std::pair<int64_t, int64_t>, 1> stretches{};
};

class BufferLiveness {
public:
  explicit BufferLiveness(func::FuncOp func);

  /// In program order.
  ArrayRef<BufferLife> getLives() const { return lives; }
  /// Source and destination of instructions that may write what they read: a
  /// stretch of the source ends where one of the other begins, the instruction works
  /// element by element, and they live together nowhere else. They may share their
  /// bytes exactly.
  ArrayRef<std::pair<Operation *, Operation *>> getInPlacePairs() const { return inPlace; }
  /// The point of an operation, and the last one within it.
  std::pair<int64_t, int64_t> getPoints(Operation *op) const { return points.lookup(op); }

private:
  friend class LivenessWalk;
  DenseMap<Operation *, std::pair<int64_t, int64_t>> points;
  std::vector<BufferLife> lives;
  std::vector<std::pair<Operation *, Operation *>> inPlace;
};

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_BUFFERLIVENESS_H
