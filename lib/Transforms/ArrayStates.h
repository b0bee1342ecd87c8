//===- ArrayStates.h - Which array a tensor value names ----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Above the tile level a write makes a new tensor value that names the memory
// of its target. Each such value is a state of one array; any other tensor
// value is a temporary that has no place in DDR.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_ARRAYSTATES_H
#define PTO_TRANSFORMS_ARRAYSTATES_H

#include "Pto/Pto.h"
#include "Transforms/ValueLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::pto {

/// The array operand that `op` writes, when its result is the state of the array
/// after the write (`pto.tensor.assemble`, `pto.tile.store` on a tensor); or null.
OpOperand *getWrittenArray(Operation *op);
/// Whether that write covers the whole array.
bool coversArray(Operation *op);

class ArrayStates {
public:
  /// Arrays are the tensors that come from outside of `region`, and its arguments.
  explicit ArrayStates(Region &region);
  /// The array that `value` names; null for a temporary.
  Value getArray(Value value) const;

private:
  void visit(Block &block);
  void visitLoop(ValueLoop loop);
  void visitIf(scf::IfOp branch);

  Region &region;
  DenseMap<Value, Value> arrays;
  /// Carried values that begin as an array and become temporaries.
  DenseSet<Value> temporaries;
  bool changed = false;
};

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_ARRAYSTATES_H
