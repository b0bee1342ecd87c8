//===- OutlineScopes.cpp - pto-outline-scopes -----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A placed region is a task: later passes, model and emitter know tasks only as
// functions that are dispatched. What the region does with each array from
// outside becomes a direction, because the order of tasks is derived from it.
//
//===----------------------------------------------------------------------===//

#include "ControlPlane.h"
#include "Pto/Words.h"
#include "Tensor/TensorOps.h"
#include "Tile/TileOps.h"
#include "Transforms/ArrayStates.h"
#include "Transforms/Passes.h"
#include "Transforms/TaskNames.h"
#include "Transforms/ValueLoop.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pto {
#define GEN_PASS_DEF_OUTLINESCOPESPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class OutlineScopes : public pto::impl::OutlineScopesPassBase<OutlineScopes> {
public:
  using OutlineScopesPassBase::OutlineScopesPassBase;
  void runOnOperation() override;
};

/// What the region does with an array from outside.
struct Access {
  bool reads = false, writes = false;
  Operation *writer = nullptr; // the first
  Value last;                  // the state at the end of the region
  Direction getDirection() const {
    return !writes ? Direction::In : reads ? Direction::InOut : Direction::Out;
  }
};

/// Makes a function of one region and a dispatch of it.
class Outliner {
public:
  Outliner(BlockAtOp at, func::FuncOp parent) : at(at), parent(parent), states(at.getBody()) {}
  LogicalResult run(SymbolTable &symbols, int &number);

private:
  Block &body() { return at.getBody().front(); }
  BlockYieldOp yield() { return cast<BlockYieldOp>(body().back()); }

  LogicalResult checkOperations();
  LogicalResult collectCaptures();
  void collectAccesses();
  LogicalResult checkWrites();
  FailureOr<DenseI64ArrayAttr> findNoDep();
  func::FuncOp buildFunction(StringRef name);
  void buildDispatch(func::FuncOp func, ArrayRef<Value> yielded, DenseI64ArrayAttr noDep);

  BlockAtOp at;
  func::FuncOp parent;
  ArrayStates states;
  /// Values from outside, in the order of their first use; constants apart.
  SetVector<Value> captures;
  SetVector<Operation *> constants;
  llvm::MapVector<Value, Access> accesses;
  /// Yielded values that no array holds.
  SetVector<Value> fresh;
};
} // namespace

//===----------------------------------------------------------------------===//
// What may stand in a region
//===----------------------------------------------------------------------===//

/// Why the operation, which the control plane has, is not in a task.
static void refuseInTask(InFlightDiagnostic &error, Operation *op) {
  if (auto dispatch = dyn_cast<BlockDispatchOp>(op))
    error << "a task dispatches no tasks: call '" << dispatch.getCallee() << "' outside of pl.at";
  else if (isa<TensorCreateOp>(op))
    error << "pl.create_tensor: a task allocates no arrays; create it before pl.at";
  else if (isa<TensorSliceOp>(op))
    error << "a window of an array is named on the control plane; take it before pl.at, or load a "
             "tile of the array with pl.load";
  else if (isa<TensorReadOp>(op))
    error << "an element of an array is read on the control plane; read it before pl.at and use "
             "the value here";
  else
    error << "belongs to the control plane; do it outside of pl.at";
}

LogicalResult Outliner::checkOperations() {
  WalkResult result = at.getBody().walk([&](Operation *op) -> WalkResult {
    if (isa<BlockAtOp>(op)) {
      InFlightDiagnostic error = emitError(op->getLoc())
                                 << "pl.at: stands in another pl.at; a task places no tasks";
      error.attachNote(at.getLoc()) << "the other one begins here";
      return error;
    }
    if (!isControlPlane(op) || isa<BlockYieldOp>(op))
      return WalkResult::advance();
    bool named = isa<BlockDispatchOp, TensorCreateOp>(op);
    InFlightDiagnostic error = named ? emitError(op->getLoc()) : emitUserError(op);
    refuseInTask(error, op);
    error.attachNote(at.getLoc()) << "the task begins here";
    return error;
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// What the region uses
//===----------------------------------------------------------------------===//

LogicalResult Outliner::collectCaptures() {
  WalkResult result =
      at.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        if (isa<BlockYieldOp>(op))
          return WalkResult::advance(); // what it hands out unchanged, the task does not need
        for (Value operand : op->getOperands()) {
          if (at.getBody().isAncestor(operand.getParentRegion()))
            continue;
          Operation *def = operand.getDefiningOp();
          if (def && matchPattern(def, m_Constant())) {
            constants.insert(def);
            continue;
          }
          Type type = operand.getType();
          if (!isa<RankedTensorType, IntegerType, IndexType, FloatType>(type))
            return emitUserError(op)
                   << "uses " << valueWord(operand)
                   << " from outside of pl.at; only arrays and scalars go into a task";
          captures.insert(operand);
        }
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

/// Whether a use of a state of an array only hands it on.
static bool handsOn(OpOperand &use) {
  Operation *op = use.getOwner();
  return isa<scf::YieldOp, scf::ConditionOp, BlockYieldOp, scf::ForOp, scf::WhileOp>(op) ||
         getWrittenArray(op) == &use;
}

/// Whether a write adds to what is there, which reads it.
static bool addsToArray(Operation *op) {
  if (auto store = dyn_cast<TileStoreOp>(op))
    return store.getAtomicAdd();
  auto assemble = dyn_cast<TensorAssembleOp>(op);
  return assemble && assemble.getAtomicAdd();
}

void Outliner::collectAccesses() {
  at.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Value array = states.getArray(operand.get());
      if (!array)
        continue;
      Access &access = accesses[array];
      if (getWrittenArray(op) == &operand) {
        access.writes = true;
        access.reads |= addsToArray(op);
        access.writer = access.writer ? access.writer : op;
        continue;
      }
      // A loop or branch that begins with an array and goes on with a temporary reads it.
      bool handed = handsOn(operand);
      if (ValueLoop loop = ValueLoop::get(op))
        handed = states.getArray(loop.getArgument(*loop.getIndexOfInit(operand))) == array;
      else if (isa<scf::YieldOp>(op) &&
               operand.getOperandNumber() < op->getParentOp()->getNumResults())
        handed = states.getArray(op->getParentOp()->getResult(operand.getOperandNumber())) == array;
      // What this region wrote as a whole is not read from outside.
      Operation *def = operand.get().getDefiningOp();
      bool own = def && getWrittenArray(def) && coversArray(def);
      if (!handed && !own)
        access.reads = true;
    }
  });
  for (Operation &op : body())
    for (Value result : op.getResults())
      if (Value array = states.getArray(result))
        accesses[array].last = result;
}

/// The parameter of the entry that an array is, or is a window of; or null.
static BlockArgument getParameter(Value array, func::FuncOp parent) {
  while (auto slice = array.getDefiningOp<TensorSliceOp>())
    array = slice.getSource();
  auto argument = dyn_cast<BlockArgument>(array);
  return argument && argument.getOwner() == &parent.getBody().front() ? argument : BlockArgument();
}

LogicalResult Outliner::checkWrites() {
  for (auto &[array, access] : accesses) {
    BlockArgument argument = getParameter(array, parent);
    if (!access.writes || !argument ||
        isWritten(pto::getDirection(parent, argument.getArgNumber())))
      continue;
    InFlightDiagnostic error =
        emitUserError(access.writer)
        << "writes " << valueWord(array)
        << (array == argument ? ", an In parameter of '" : ", a window of an In parameter of '")
        << parent.getName() << "'";
    error.attachNote(argument.getLoc()) << "declare it as pl.Out[...] or pl.InOut[...]";
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The function and its dispatch
//===----------------------------------------------------------------------===//

/// Gives the function the parameters' names, directions and marks.
static void describeFunction(func::FuncOp func, ArrayRef<Direction> directions) {
  MLIRContext *context = func.getContext();
  func->setAttr(attr::kKind, FunctionKindAttr::get(context, FunctionKind::InCore));
  func->setAttr(attr::kSync, SyncModeAttr::get(context, SyncMode::None));
  for (auto [index, direction] : llvm::enumerate(directions))
    if (isa<RankedTensorType>(func.getArgumentTypes()[index]))
      func.setArgAttr(index, attr::kDirection, DirectionAttr::get(context, direction));
}

func::FuncOp Outliner::buildFunction(StringRef name) {
  SmallVector<Type> inputs, results;
  SmallVector<Location> locations;
  SmallVector<Direction> directions;
  SmallVector<Value> returned;
  auto addParameter = [&](Value value, Direction direction, Value last) {
    inputs.push_back(value.getType());
    locations.push_back(value.getLoc());
    directions.push_back(direction);
    if (!isWritten(direction))
      return;
    results.push_back(value.getType());
    returned.push_back(last);
  };
  for (Value value : captures) {
    Access access = accesses.lookup(value);
    addParameter(value, access.getDirection(), access.last);
  }
  for (Value value : fresh)
    addParameter(value, Direction::Out, Value());

  OpBuilder builder(parent);
  auto func =
      func::FuncOp::create(builder, at.getLoc(), name, builder.getFunctionType(inputs, results));
  describeFunction(func, directions);
  Block *entry = new Block();
  func.getBody().push_back(entry);
  entry->addArguments(inputs, locations);
  Operation *end = yield();
  entry->getOperations().splice(entry->end(), body().getOperations());
  builder.setInsertionPointToStart(entry);
  auto inside = [&](OpOperand &use) { return func->isAncestor(use.getOwner()); };
  for (Operation *constant : constants)
    constant->getResult(0).replaceUsesWithIf(builder.clone(*constant)->getResult(0), inside);
  for (auto [index, value] : llvm::enumerate(captures))
    Value(value).replaceUsesWithIf(entry->getArgument(index), inside);

  // What no array holds is written to the parameter made for it.
  builder.setInsertionPoint(end);
  for (auto [index, value] : llvm::enumerate(fresh)) {
    Value target = entry->getArgument(captures.size() + index);
    SmallVector<int64_t> zeros(getShapeOf(value.getType()).size(), 0);
    returned[returned.size() - fresh.size() + index] = TensorAssembleOp::create(
        builder, end->getLoc(), target.getType(), value, target, ValueRange(), zeros);
  }
  func::ReturnOp::create(builder, end->getLoc(), returned);
  end->erase();
  return func;
}

/// The arguments that take no part in the derived order; null if all do.
FailureOr<DenseI64ArrayAttr> Outliner::findNoDep() {
  SmallVector<int64_t> indices;
  for (Value array : at.getNoDep()) {
    const auto *found = llvm::find(captures, array);
    if (found == captures.end()) {
      emitError(at.getLoc()) << "pl.at: no_dep names " << valueWord(array)
                             << ", which the region does not use; leave it out";
      return failure();
    }
    indices.push_back(found - captures.begin());
  }
  llvm::sort(indices);
  indices.erase(llvm::unique(indices), indices.end());
  return indices.empty() ? DenseI64ArrayAttr() : DenseI64ArrayAttr::get(at.getContext(), indices);
}

void Outliner::buildDispatch(func::FuncOp func, ArrayRef<Value> yielded, DenseI64ArrayAttr noDep) {
  OpBuilder builder(at);
  SmallVector<Value> args(captures.getArrayRef());
  for (Value value : fresh)
    args.push_back(TensorCreateOp::create(builder, value.getLoc(), value.getType()));
  Type task = at.getTask() ? at.getTask().getType() : Type();
  auto dispatch =
      BlockDispatchOp::create(builder, at.getLoc(), func.getFunctionType().getResults(), task,
                              func.getName(), args, at.getBlocks(), at.getDeps(), at.getCondition(),
                              at.getConditionIndices(), at.getCompareAttr(), at.getCompareToAttr(),
                              at.getSyncStart(), at.getManual(), at.getEarlyResolve(), noDep);
  if (at.getTask())
    at.getTask().replaceAllUsesWith(dispatch.getTask());
  // The results, by the array or the value that each of them holds.
  DenseMap<Value, Value> results;
  unsigned next = 0;
  for (Value value : captures)
    if (accesses.lookup(value).writes)
      results[value] = dispatch.getResults()[next++];
  for (Value value : fresh)
    results[value] = dispatch.getResults()[next++];
  for (auto [result, value] : llvm::zip(at.getResults(), yielded)) {
    Value after = results.lookup(value);
    // An array that the region hands out unwritten is the array itself.
    result.replaceAllUsesWith(after ? after : value);
  }
  at.erase();
}

LogicalResult Outliner::run(SymbolTable &symbols, int &number) {
  if (failed(checkOperations()) || failed(collectCaptures()))
    return failure();
  collectAccesses();
  FailureOr<DenseI64ArrayAttr> noDep = findNoDep();
  FailureOr<std::string> name =
      chooseTaskName(at, at.getNameHint(), (parent.getName() + "_incore_").str(), symbols, number);
  if (failed(noDep) || failed(name) || failed(checkWrites()))
    return failure();
  SmallVector<Value> yielded;
  for (Value value : yield().getValues()) {
    Value array = states.getArray(value);
    yielded.push_back(array ? array : value);
    if (!array)
      fresh.insert(value);
  }
  func::FuncOp func = buildFunction(*name);
  symbols.insert(func);
  buildDispatch(func, yielded, *noDep);
  return success();
}

//===----------------------------------------------------------------------===//
// Functions of the control plane
//===----------------------------------------------------------------------===//

/// What computes stands in a task.
static LogicalResult checkControlPlane(func::FuncOp func) {
  WalkResult result =
      func.walk<WalkOrder::PreOrder>(
          [](Operation *op) -> WalkResult {
            if (isa<BlockAtOp>(op))
              return WalkResult::skip();
            bool ours = isControlPlane(op) || isa<BlockPrintOp>(op);
            bool computes = op->hasTrait<TileLevel>() || op->hasTrait<TensorLevel>() ||
                            op->hasTrait<BlockLevel>();
            computes &= !ours;
            if (!computes)
              return WalkResult::advance();
            return emitUserError(op)
                   << "computes on the control plane, which only dispatches; put it under "
                      "'with pl.at(level=pl.Level.CORE_GROUP):' or into a @pl.jit.incore "
                      "function";
          });
  return failure(result.wasInterrupted());
}

static LogicalResult outlineFunction(func::FuncOp func, SymbolTable &symbols) {
  SmallVector<BlockAtOp> regions;
  BlockAtOp first;
  func.walk<WalkOrder::PreOrder>([&](BlockAtOp at) {
    first = first ? first : at;
    if (at.getLevel() == Level::CoreGroup)
      regions.push_back(at);
    // One in another is refused by the outer one. Regions on other levels stay as they are.
    return WalkResult::skip();
  });
  FunctionKind kind = getFunctionKind(func);
  if (kind != FunctionKind::Orchestration && kind != FunctionKind::Opaque) {
    if (!first)
      return success();
    InFlightDiagnostic error = emitError(first.getLoc())
                               << "pl.at: stands in '" << func.getName()
                               << "', which runs on a core; only the control plane places tasks";
    error.attachNote(func.getLoc()) << "the function is here";
    return error;
  }
  if (kind == FunctionKind::Opaque) {
    if (!first)
      return success();
    func->setAttr(attr::kKind,
                  FunctionKindAttr::get(func.getContext(), FunctionKind::Orchestration));
  }
  if (failed(checkControlPlane(func)))
    return failure();
  int number = 0;
  for (BlockAtOp at : regions)
    if (failed(Outliner(at, func).run(symbols, number)))
      return failure();
  return success();
}

void OutlineScopes::runOnOperation() {
  SymbolTable symbols(getOperation());
  for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
    if (failed(outlineFunction(func, symbols)))
      return signalPassFailure();
}
