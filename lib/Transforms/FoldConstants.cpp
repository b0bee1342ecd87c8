//===- FoldConstants.cpp - Scalars that are known ---------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Upstream's canonicalizer would do this and much more: it moves constants to the
// front, swaps operands and rewrites loops. What a reader finds behind
// `pto-specialize-tiling-key` should be the author's text without what the key
// decided.
//
//===----------------------------------------------------------------------===//

#include "Transforms/FoldConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::pto;

static bool isScalarOperation(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

/// Puts the arm that is taken in the place of the branch.
static bool foldBranch(scf::IfOp branch) {
  BoolAttr condition;
  if (!matchPattern(branch.getCondition(), m_Constant(&condition)))
    return false;
  Region &taken = condition.getValue() ? branch.getThenRegion() : branch.getElseRegion();
  if (!taken.empty()) {
    Operation *yield = taken.front().getTerminator();
    branch.replaceAllUsesWith(yield->getOperands());
    yield->erase();
    branch->getBlock()->getOperations().splice(branch->getIterator(),
                                               taken.front().getOperations());
  }
  branch.erase();
  return true;
}

/// What a copy of a computation folds to; nothing if it does not.
static SmallVector<OpFoldResult> foldCopy(Operation *copy) {
  // A first fold may only put a constant behind the other operand.
  for (unsigned attempt = 0; attempt < 2; ++attempt) {
    SmallVector<Attribute> constants(copy->getNumOperands());
    for (auto [value, constant] : llvm::zip(copy->getOperands(), constants))
      matchPattern(value, m_Constant(&constant));
    SmallVector<OpFoldResult> outcome;
    if (failed(copy->fold(constants, outcome)))
      return {};
    if (outcome.size() == copy->getNumResults())
      return outcome;
  }
  return {};
}

/// Replaces a computation by its outcome. What the operation would become in place is
/// not wanted (`64 * x` stays so), therefore a copy is asked.
static bool foldScalar(Operation *op) {
  if (llvm::none_of(op->getOperands(), [](Value v) { return matchPattern(v, m_Constant()); }))
    return false;
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> outcome = foldCopy(copy);
  bool folded = !outcome.empty();
  OpBuilder builder(op);
  SmallVector<Value> values;
  for (unsigned index = 0; folded && index < outcome.size(); ++index) {
    auto value = dyn_cast<Value>(outcome[index]);
    if (auto constant = dyn_cast<Attribute>(outcome[index]))
      if (Operation *made = arith::ConstantOp::materialize(
              builder, constant, op->getResult(index).getType(), op->getLoc()))
        value = made->getResult(0);
    folded = value && value.getDefiningOp() != copy;
    values.push_back(value);
  }
  copy->destroy();
  if (!folded)
    return false;
  op->replaceAllUsesWith(values);
  op->erase();
  return true;
}

static bool foldOnce(func::FuncOp func) {
  bool changed = false;
  func.walk([&](Operation *op) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      changed |= foldBranch(branch);
    else if (isScalarOperation(op) && isOpTriviallyDead(op)) {
      op->erase();
      changed = true;
    } else if (isScalarOperation(op) && !op->hasTrait<OpTrait::ConstantLike>())
      changed |= foldScalar(op);
  });
  return changed;
}

void pto::foldConstants(func::FuncOp func) {
  while (foldOnce(func))
    ;
}
