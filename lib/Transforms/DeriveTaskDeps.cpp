//===- DeriveTaskDeps.cpp - pto-derive-task-deps --------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Names of arrays say nothing about order; tokens do. A task waits for those
// earlier ones that wrote what it reads or writes, or read what it writes, and
// only for the last of them: what follows through others is left out.
//
// A task in a loop or branch, or an array that a branch chose, has no static
// edges; such an entry keeps program order.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Tensor/TensorOps.h"
#include "Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SparseBitVector.h"

namespace mlir::pto {
#define GEN_PASS_DEF_DERIVETASKDEPSPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class DeriveTaskDeps : public pto::impl::DeriveTaskDepsPassBase<DeriveTaskDeps> {
public:
  using DeriveTaskDepsPassBase::DeriveTaskDepsPassBase;
  void runOnOperation() override;
};

/// The tasks of one entry.
class Entry {
public:
  Entry(func::FuncOp func, SymbolTable &symbols) : func(func), symbols(symbols) {}
  LogicalResult derive();

private:
  bool collect();
  Value findRoot(Value array);
  Direction getUse(BlockDispatchOp task, unsigned argument);
  SmallVector<unsigned> findEdges(unsigned task);
  void write();

  /// Who used an array last: one writer, and its readers since.
  struct Uses {
    std::optional<unsigned> writer;
    SmallVector<unsigned> readers;
  };
  func::FuncOp func;
  SymbolTable &symbols;
  SmallVector<BlockDispatchOp> tasks;
  DenseMap<Value, Value> roots;
  DenseMap<Value, Uses> uses;
  std::vector<llvm::SparseBitVector<>> before; // all that a task follows
  std::vector<SmallVector<unsigned>> edges;
};
} // namespace

/// The argument or created array whose memory the value names; null when that
/// is not static.
Value Entry::findRoot(Value array) {
  auto known = roots.find(array);
  if (known != roots.end())
    return known->second;
  Value root;
  Operation *op = array.getDefiningOp();
  if (!op)
    root = array.getParentBlock() == &func.getBody().front() ? array : Value();
  else if (isa<TensorCreateOp>(op))
    root = array;
  else if (auto assemble = dyn_cast<TensorAssembleOp>(op))
    root = findRoot(assemble.getTarget());
  else if (auto task = dyn_cast<BlockDispatchOp>(op)) {
    // Result i is the i-th array that the callee writes.
    unsigned result = cast<OpResult>(array).getResultNumber();
    for (auto [index, argument] : llvm::enumerate(task.getArgs()))
      if (isWritten(getUse(task, index)) && result-- == 0) {
        root = findRoot(argument);
        break;
      }
  }
  roots[array] = root;
  return root;
}

Direction Entry::getUse(BlockDispatchOp task, unsigned argument) {
  Operation *callee = symbols.lookup(task.getCallee());
  return callee ? getDirection(callee, argument) : Direction::InOut;
}

/// Gathers the tasks; false when one of them has no static place or array.
bool Entry::collect() {
  bool fixed = true;
  func.walk([&](BlockDispatchOp task) {
    fixed &= task->getParentOp() == func;
    for (Value argument : task.getArgs())
      fixed &= !isa<RankedTensorType>(argument.getType()) || findRoot(argument);
    tasks.push_back(task);
  });
  return fixed;
}

/// The tasks that task `n` must wait for and that none of the others waits for.
SmallVector<unsigned> Entry::findEdges(unsigned n) {
  llvm::SparseBitVector<> wanted;
  llvm::SmallMapVector<Value, bool, 4> touched; // written?
  for (auto [index, argument] : llvm::enumerate(tasks[n].getArgs()))
    if (isa<RankedTensorType>(argument.getType()))
      touched[findRoot(argument)] |= isWritten(getUse(tasks[n], index));
  for (auto [root, written] : touched) {
    Uses &use = uses[root];
    if (use.writer)
      wanted.set(*use.writer);
    if (written) {
      for (unsigned reader : use.readers)
        wanted.set(reader);
      use = {n, {}};
    } else {
      use.readers.push_back(n);
    }
  }
  // From the last on: what an edge already leads behind needs none.
  SmallVector<unsigned> needed;
  for (int task = wanted.find_last(); task >= 0; task = wanted.find_last()) {
    wanted.reset(task);
    if (before[n].test(task))
      continue;
    needed.push_back(task);
    before[n].set(task);
    before[n] |= before[task];
  }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

/// Gives every task its token and its edges.
void Entry::write() {
  SmallVector<Value> tokens;
  for (auto [n, task] : llvm::enumerate(tasks)) {
    OpBuilder builder(task);
    SmallVector<Value> deps;
    for (unsigned edge : edges[n])
      deps.push_back(tokens[edge]);
    auto made = BlockDispatchOp::create(builder, task.getLoc(), task.getResults().getTypes(),
                                        TaskType::get(func.getContext()), task.getCallee(),
                                        task.getArgs(), deps);
    made->setDiscardableAttrs(task->getDiscardableAttrDictionary());
    task->replaceAllUsesWith(made.getResults());
    tokens.push_back(made.getTask());
    task.erase();
  }
}

LogicalResult Entry::derive() {
  auto mode = func->getAttrOfType<DepsModeAttr>(attr::kDeps);
  if (mode && mode.getValue() == DepsMode::Explicit)
    return success();
  bool fixed = collect();
  for (BlockDispatchOp task : tasks)
    if (task.getTask() || !task.getDeps().empty())
      return task.emitError() << "the dispatch of '" << task.getCallee()
                              << "' has a token already, but its entry '" << func.getName()
                              << "' is not marked #pto.deps<explicit>; mark it, or leave all "
                                 "tokens to the compiler";
  auto result = fixed ? DepsMode::Explicit : DepsMode::ProgramOrder;
  func->setAttr(attr::kDeps, DepsModeAttr::get(func.getContext(), result));
  if (!fixed)
    return success();
  before.resize(tasks.size());
  for (unsigned n = 0; n < tasks.size(); ++n)
    edges.push_back(findEdges(n));
  write();
  return success();
}

void DeriveTaskDeps::runOnOperation() {
  SymbolTable symbols(getOperation());
  bool failedAny = false;
  for (auto func : getOperation().getOps<func::FuncOp>())
    if (getFunctionKind(func) == FunctionKind::Orchestration && !func.isDeclaration())
      failedAny |= failed(Entry(func, symbols).derive());
  if (failedAny)
    signalPassFailure();
}
