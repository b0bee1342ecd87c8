//===- ValueLoop.h - Loops that carry tiles and arrays -----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// `scf.for` and `scf.while` as one thing: initial values, the values inside, what an
// iteration yields, and the results, one of each for each carried value. A while loop is
// one of these if its first region hands on what it gets as it is, so that the region
// only says whether there is another iteration.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_VALUELOOP_H
#define PTO_TRANSFORMS_VALUELOOP_H

#include "Pto/Pto.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::pto {

class ValueLoop {
public:
  /// The loop that `op` is; null if it is none, or a while loop that hands on something else.
  static ValueLoop get(Operation *op);
  /// The loop that carries `value` inside or as its result; null if none does.
  static ValueLoop getOwner(Value value);

  explicit operator bool() const { return op; }
  Operation *getOperation() const { return op; }
  Operation *operator->() const { return op; }
  bool isWhile() const { return isa<scf::WhileOp>(op); }

  unsigned getNumCarried() const { return op->getNumResults(); }
  OpOperand &getInit(unsigned index) const;
  Value getArgument(unsigned index) const;
  OpOperand &getYielded(unsigned index) const;
  Value getResult(unsigned index) const { return op->getResult(index); }
  /// The value in the first region of a while loop; null for `scf.for`.
  Value getHeadArgument(unsigned index) const;
  Block *getBody() const;

  /// Which carried value begins with an operand of the loop; nothing for a bound.
  std::optional<unsigned> getIndexOfInit(OpOperand &operand) const;
  /// Which carried value `value`, an argument or a result of the loop, is.
  std::optional<unsigned> getIndexOf(Value value) const;

  /// A loop in front of this one that takes over its bounds, attributes and bodies, and
  /// carries `inits`; `from[i]` says which old value the i-th one was, -1 for a new one.
  /// Arguments of one type are replaced, the others are left to the caller: with the old
  /// operands of the yield and the old loop, which has no body any more.
  ValueLoop rebuild(ArrayRef<Value> inits, ArrayRef<int64_t> from) const;

private:
  explicit ValueLoop(Operation *op) : op(op) {}
  Operation *create(OpBuilder &builder, ArrayRef<Value> inits) const;
  Operation *op = nullptr;
};

/// That the first region of a while loop which carries tiles or arrays only computes a
/// condition from scalars and hands on what it gets; else an error at it.
LogicalResult checkHead(scf::WhileOp loop);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_VALUELOOP_H
