//===- PlaceRules.cpp - What stands where ---------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Kernels run on a core, entries on the host. What one of them has and the other
// has not is said here, at the front, and not by the pass that trips over it.
//
//===----------------------------------------------------------------------===//

#include "Transforms/PlaceRules.h"

#include "ControlPlane.h"
#include "Pto/Words.h"
#include "Tensor/TensorOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::pto;

namespace {
/// Walks a function and says everything that is wrong.
class Checker {
public:
  Checker(func::FuncOp func, const SymbolTable &symbols) : func(func), symbols(symbols) {}
  void checkKernel();
  void checkEntry();
  bool failedAny = false;

private:
  void checkSignature(StringRef what);
  void checkKernelOperation(Operation *op);
  void checkEntryOperation(Operation *op);

  InFlightDiagnostic fail(Operation *op) {
    failedAny = true;
    return emitUserError(op);
  }

  func::FuncOp func;
  const SymbolTable &symbols;
};
} // namespace

static bool isControlValue(Type type) { return isa<TaskType, ArrayType>(type); }

/// "a task" and "a small array", which have no words of their own.
static StringRef controlWord(Type type) { return isa<TaskType>(type) ? "a task" : "a small array"; }

/// "argument 0, 't'"
static std::string argumentWord(func::FuncOp func, unsigned index) {
  std::string word = "argument " + std::to_string(index);
  StringRef name = func.isExternal() ? StringRef() : nameOf(func.getArgument(index));
  return name.empty() ? word : word + ", '" + name.str() + "'";
}

void Checker::checkSignature(StringRef what) {
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
    if (isControlValue(type)) {
      func.emitError() << "'" << func.getName() << "' takes " << argumentWord(func, index)
                       << ", which is " << controlWord(type) << "; " << what
                       << " takes arrays and scalars";
      failedAny = true;
    }
  for (auto [index, type] : llvm::enumerate(func.getResultTypes()))
    if (isControlValue(type)) {
      func.emitError() << "'" << func.getName() << "' returns " << controlWord(type)
                       << " as result " << index << "; " << what << " returns arrays";
      failedAny = true;
    }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void Checker::checkKernelOperation(Operation *op) {
  if (isa<BlockClusterOp>(op)) {
    InFlightDiagnostic error = fail(op);
    error << "stands in '" << func.getName()
          << "', which runs on a core; only the control plane dispatches tasks";
    error.attachNote(func.getLoc()) << "the function is here";
    return;
  }
  Type type;
  for (Type made : op->getResultTypes())
    if (!type && isControlValue(made))
      type = made;
  if (!type && !isa<BlockTaskInvalidOp, BlockTaskDummyOp, BlockArrayCreateOp, BlockArrayGetOp,
                    BlockArraySetOp>(op))
    return;
  InFlightDiagnostic error = fail(op);
  if (type)
    error << "makes " << controlWord(type) << " in '";
  else
    error << "reads a small array in '";
  error << func.getName() << "', which runs on a core; tasks and small arrays are of the control "
        << "plane";
  error.attachNote(func.getLoc()) << "the function is here";
}

void Checker::checkKernel() {
  checkSignature("a kernel");
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A dispatch and a placed region are refused by the passes that look for them.
    if (isa<BlockDispatchOp, BlockAtOp>(op))
      return WalkResult::skip();
    if (op != func)
      checkKernelOperation(op);
    return isa<BlockClusterOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

void Checker::checkEntryOperation(Operation *op) {
  if (isa_and_nonnull<scf::SCFDialect>(op->getDialect()) &&
      !isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp>(op)) {
    // The ends of the regions of such an operation are told with it.
    if (!op->hasTrait<OpTrait::IsTerminator>())
      fail(op) << "is no control flow of an entry; use scf.for and scf.if (pl.range and 'if')";
    return;
  }
  bool scalar = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
                !isa<arith::SelectOp>(op);
  auto isShaped = [](Type type) { return isa<ShapedType>(type); };
  if (scalar && (llvm::any_of(op->getResultTypes(), isShaped) ||
                 llvm::any_of(op->getOperandTypes(), isShaped)))
    fail(op) << "computes on arrays on the control plane, which only dispatches; put it under "
                "'with pl.at(level=pl.Level.CORE_GROUP):' or into a @pl.jit.incore function";
}

void Checker::checkEntry() {
  checkSignature("an entry");
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<BlockAtOp>(op)) // a task, which has rules of its own
      return WalkResult::skip();
    checkEntryOperation(op);
    return WalkResult::advance();
  });
}

LogicalResult pto::verifyPlaces(func::FuncOp func, const SymbolTable &symbols) {
  Checker checker(func, symbols);
  switch (getFunctionKind(func)) {
  case FunctionKind::InCore:
  case FunctionKind::AIC:
  case FunctionKind::AIV:
  case FunctionKind::Group:
    checker.checkKernel();
    break;
  case FunctionKind::Orchestration:
    checker.checkEntry();
    break;
  default: // becomes a part of these
    break;
  }
  return failure(checker.failedAny);
}
