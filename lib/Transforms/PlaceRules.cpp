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
  void checkArrays();
  void checkCalls();
  bool failedAny = false;

private:
  void checkSignature(StringRef what);
  void checkKernelOperation(Operation *op);
  void checkEntryOperation(Operation *op);
  void checkDispatch(BlockDispatchOp op);

  InFlightDiagnostic fail(Operation *op) {
    failedAny = true;
    return emitUserError(op);
  }

  func::FuncOp func;
  const SymbolTable &symbols;
};
} // namespace

/// More bytes than any memory has; sizes up to here can be computed with.
static constexpr int64_t kMaxArrayBytes = int64_t(1) << 48;

/// What is wrong with an array of this type, or nothing.
static std::string findProblem(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor && !isa<GmType>(type))
    return "";
  ArrayRef<int64_t> shape = getShapeOf(type);
  auto pitch = tensor ? dyn_cast_if_present<PitchAttr>(tensor.getEncoding()) : PitchAttr();
  if (tensor && tensor.getEncoding() && !pitch)
    return "has an encoding that PyPTO does not know; it knows #pto.pitch<N>";
  if (pitch && (shape.size() != 2 || ShapedType::isDynamicShape(shape)))
    return "has #pto.pitch, which an array of two known dimensions has";
  if (pitch && pitch.getElements() <= shape[1])
    return "has rows that begin " + std::to_string(pitch.getElements()) +
           " elements apart; they overlap, or need no #pto.pitch";
  if (shape.empty())
    return "";
  // Zero and unknown extents count as one.
  int64_t bytes = getElementBytes(getElementTypeOf(type));
  int64_t row = getRowPitch(type);
  bool much = false;
  auto multiply = [&](int64_t factor) {
    much |= factor > 0 && bytes > kMaxArrayBytes / factor;
    bytes = much || factor <= 0 ? bytes : bytes * factor;
  };
  multiply(row);
  for (int64_t extent : shape.drop_back())
    multiply(extent);
  return much ? "is larger than any memory" : "";
}

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

void Checker::checkArrays() {
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
    if (std::string problem = findProblem(type); !problem.empty()) {
      func.emitError() << "'" << func.getName() << "' takes " << argumentWord(func, index)
                       << ", as " << typeWord(type) << ", which " << problem;
      failedAny = true;
    }
  func.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (std::string problem = findProblem(result.getType()); !problem.empty())
        fail(op) << "makes " << valueWord(result) << ", which " << problem;
  });
}

static bool isKernel(FunctionKind kind) {
  return kind == FunctionKind::InCore || kind == FunctionKind::AIC || kind == FunctionKind::AIV ||
         kind == FunctionKind::Group;
}

/// A kernel is not called: it is a task of an entry.
void Checker::checkCalls() {
  func.walk([&](func::CallOp call) {
    Operation *callee = symbols.lookup(call.getCallee());
    if (callee && isKernel(getFunctionKind(callee)))
      fail(call) << "calls '" << call.getCallee()
                 << "', a kernel; an entry dispatches it (pto.block.dispatch)";
  });
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
  if (isa_and_nonnull<scf::SCFDialect>(op->getDialect()) &&
      !isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp>(op)) {
    // The ends of the regions of such an operation are told with it.
    if (!op->hasTrait<OpTrait::IsTerminator>())
      fail(op) << "is no control flow of a kernel; use scf.for, scf.if and scf.while";
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

/// The array that a value names, as far as that is plain: through windows and tasks.
static Value getNamedArray(Value value, const SymbolTable &symbols) {
  while (Operation *op = value.getDefiningOp()) {
    Value next;
    if (auto slice = dyn_cast<TensorSliceOp>(op))
      next = slice.getSource();
    else if (auto task = dyn_cast<BlockDispatchOp>(op))
      next = getWrittenArgument(task, symbols.lookup(task.getCallee()),
                                cast<OpResult>(value).getResultNumber());
    if (!next)
      break;
    value = next;
  }
  return value;
}

/// A task writes no array that its entry takes to read.
void Checker::checkDispatch(BlockDispatchOp op) {
  Operation *callee = symbols.lookup(op.getCallee());
  for (unsigned index = 0; index < op.getResults().size(); ++index) {
    Value given = getWrittenArgument(op, callee, index);
    auto array = dyn_cast_or_null<BlockArgument>(given ? getNamedArray(given, symbols) : Value());
    if (!array || array.getOwner()->getParentOp() != func ||
        isWritten(pto::getDirection(func, array.getArgNumber())))
      continue;
    InFlightDiagnostic error = fail(op);
    error << "writes " << valueWord(given)
          << (given == array ? ", an In parameter of '" : ", of an In parameter of '")
          << func.getName() << "'";
    error.attachNote(array.getLoc()) << "declare it as pl.Out[...] or pl.InOut[...]";
  }
}

void Checker::checkEntry() {
  checkSignature("an entry");
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<BlockAtOp>(op)) // a task, which has rules of its own
      return WalkResult::skip();
    if (auto dispatch = dyn_cast<BlockDispatchOp>(op))
      checkDispatch(dispatch);
    checkEntryOperation(op);
    return WalkResult::advance();
  });
}

LogicalResult pto::verifyPlaces(func::FuncOp func, const SymbolTable &symbols) {
  Checker checker(func, symbols);
  checker.checkArrays();
  checker.checkCalls();
  FunctionKind kind = getFunctionKind(func); // an inline one becomes a part of others
  if (isKernel(kind))
    checker.checkKernel();
  else if (kind == FunctionKind::Orchestration)
    checker.checkEntry();
  return failure(checker.failedAny);
}
