//===- DeriveTaskDeps.cpp - pto-derive-task-deps --------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Where a task stands in an entry says nothing about order; tokens do. A task waits
// for the earlier ones that wrote elements that it reads or writes, or read such that
// it writes; what follows through others is left out.
//
// Where a task stands in a loop or branch, or its window of an array is known at run
// time only, whoever runs the entry applies the same rule then.
//
//===----------------------------------------------------------------------===//

#include "ControlPlane.h"
#include "Pto/Words.h"
#include "Tensor/TensorOps.h"
#include "Transforms/Passes.h"
#include "Transforms/TaskWindows.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/BitVector.h"

#include <map>

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

/// What a task does to a window of an array.
struct Access {
  TaskWindow window;
  bool reads = false, writes = false;
  unsigned task = 0;
};

/// An earlier task to wait for, and the arrays that are the reason.
struct Edge {
  unsigned task;
  std::string reason;
};

/// The tasks of one entry.
class Entry {
public:
  Entry(func::FuncOp func, SymbolTable &symbols)
      : func(func), symbols(symbols), windows(func, symbols) {}
  void derive();

private:
  std::optional<DepsMode> collect();
  bool isDerived(BlockDispatchOp task, unsigned argument);
  FailureOr<SmallVector<Access>> getAccesses(BlockDispatchOp task);
  void follow(llvm::BitVector &set, Value token);
  void followElement(llvm::BitVector &set, BlockArrayGetOp get);
  std::map<unsigned, std::string, std::greater<>> findConflicts(ArrayRef<Access> accesses);
  void remember(ArrayRef<Access> accesses);
  void findEdges(unsigned task);
  void write(unsigned task, SmallVectorImpl<Value> &tokens);

  func::FuncOp func;
  SymbolTable &symbols;
  TaskWindows windows;
  SmallVector<BlockDispatchOp> tasks; // those outside of loops and branches
  DenseMap<Value, unsigned> numbers;  // of tokens
  std::vector<SmallVector<Access>> accesses;
  /// By array, what no later task wrote over as a whole.
  DenseMap<Value, std::vector<Access>> history;
  std::vector<llvm::BitVector> before; // all that a task follows
  std::vector<SmallVector<Edge>> edges;
};
} // namespace

//===----------------------------------------------------------------------===//
// What tasks do
//===----------------------------------------------------------------------===//

/// Whether the argument is an array that takes part in the derived order.
bool Entry::isDerived(BlockDispatchOp task, unsigned argument) {
  std::optional<ArrayRef<int64_t>> noDep = task.getNoDep();
  return isa<RankedTensorType>(task.getArgs()[argument].getType()) && !task.getManual() &&
         !(noDep && llvm::is_contained(*noDep, static_cast<int64_t>(argument)));
}

/// Fails where a window is known at run time only.
FailureOr<SmallVector<Access>> Entry::getAccesses(BlockDispatchOp task) {
  SmallVector<Access> found;
  Operation *callee = symbols.lookup(task.getCallee());
  for (auto [index, argument] : llvm::enumerate(task.getArgs())) {
    if (!isDerived(task, index))
      continue;
    std::optional<TaskWindow> window = windows.get(argument);
    if (!window)
      return failure();
    Direction use = callee ? getDirection(callee, index) : Direction::InOut;
    found.push_back({*window, use != Direction::Out, isWritten(use)});
  }
  // The condition is read when the tasks before this one are done.
  if (task.getCondition() && !task.getManual()) {
    auto window = windows.getElement(task.getCondition(), task.getConditionIndices());
    if (!window)
      return failure();
    found.push_back({*window, /*reads=*/true, /*writes=*/false});
  }
  return found;
}

/// Gathers the tasks. What can say their order: tokens, or only whoever runs them;
/// nothing where nobody runs them, on another level of the machine.
std::optional<DepsMode> Entry::collect() {
  DepsMode mode = DepsMode::Explicit;
  WalkResult result = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<BlockAtOp>(op))
      return WalkResult::interrupt();
    if (isa<BlockClusterOp>(op)) { // pto-merge-clusters has not run
      mode = DepsMode::RunTime;
      return WalkResult::skip();
    }
    auto task = dyn_cast<BlockDispatchOp>(op);
    if (!task)
      return WalkResult::advance();
    FailureOr<SmallVector<Access>> found = getAccesses(task);
    bool top = task->getParentOp() == func;
    if (failed(found) || (!top && !found->empty()))
      mode = DepsMode::RunTime;
    else if (top) {
      if (task.getTask())
        numbers[task.getTask()] = tasks.size();
      for (Access &access : *found)
        access.task = tasks.size();
      tasks.push_back(task);
      accesses.push_back(std::move(*found));
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return mode;
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

/// Adds to `set` the tasks that are surely done when `token` is: a token that a loop
/// or branch gives counts for nothing.
void Entry::follow(llvm::BitVector &set, Value token) {
  auto known = numbers.find(token);
  if (known != numbers.end()) {
    set.set(known->second);
    set |= before[known->second];
  } else if (auto dummy = token.getDefiningOp<BlockTaskDummyOp>()) {
    for (Value dep : dummy.getDeps())
      follow(set, dep);
  } else if (auto get = token.getDefiningOp<BlockArrayGetOp>()) {
    followElement(set, get);
  }
}

/// The token that was set last at a constant place.
void Entry::followElement(llvm::BitVector &set, BlockArrayGetOp get) {
  std::optional<int64_t> index = getConstantIntValue(get.getIndex());
  Value array = get.getArray();
  while (auto put = array.getDefiningOp<BlockArraySetOp>()) {
    std::optional<int64_t> place = getConstantIntValue(put.getIndex());
    if (!index || !place)
      return;
    if (*place == *index)
      return follow(set, put.getValue());
    array = put.getArray();
  }
}

static std::string arrayWord(Value array) {
  StringRef name = nameOf(array);
  return name.empty() ? typeWord(array.getType()) : name.str();
}

/// The earlier tasks that these accesses must come after, the last one first, and why.
std::map<unsigned, std::string, std::greater<>> Entry::findConflicts(ArrayRef<Access> accesses) {
  std::map<unsigned, std::string, std::greater<>> found;
  for (const Access &mine : accesses)
    for (const Access &other : history[mine.window.root]) {
      if ((!mine.writes && !other.writes) || !overlap(mine.window, other.window))
        continue;
      std::string word = arrayWord(mine.window.root);
      if (!(mine.reads && other.writes))
        word += " (written over)";
      std::string &reason = found[other.task];
      if (!StringRef(reason).contains(word))
        reason += (reason.empty() ? "" : ", ") + word;
    }
  return found;
}

/// Who comes after this write comes after all that it covers.
void Entry::remember(ArrayRef<Access> accesses) {
  for (const Access &mine : accesses) {
    std::vector<Access> &list = history[mine.window.root];
    if (mine.writes)
      llvm::erase_if(list, [&](const Access &other) {
        return other.task != mine.task && covers(mine.window, other.window);
      });
    list.push_back(mine);
  }
}

/// The tasks that one must wait for, and that none of those that it waits for does.
void Entry::findEdges(unsigned n) {
  llvm::BitVector known(tasks.size());
  for (Value token : tasks[n].getDeps())
    follow(known, token);
  for (auto &[task, reason] : findConflicts(accesses[n])) {
    if (known.test(task))
      continue;
    edges[n].push_back({task, reason});
    known.set(task);
    known |= before[task];
  }
  std::reverse(edges[n].begin(), edges[n].end());
  before[n] = std::move(known);
  remember(accesses[n]);
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

/// Gives a task its token and its edges.
void Entry::write(unsigned n, SmallVectorImpl<Value> &tokens) {
  BlockDispatchOp task = tasks[n];
  OpBuilder builder(task);
  SmallVector<Value> deps(task.getDeps());
  SmallVector<StringRef> reasons(deps.size(), ""); // the author's own
  for (const Edge &edge : edges[n]) {
    deps.push_back(tokens[edge.task]);
    reasons.push_back(edge.reason);
  }
  auto made = BlockDispatchOp::create(
      builder, task.getLoc(), task.getResults().getTypes(), TaskType::get(func.getContext()),
      task.getCallee(), task.getArgs(), task.getBlocks(), deps, task.getCondition(),
      task.getConditionIndices(), task.getCompareAttr(), task.getCompareToAttr(),
      task.getSyncStart(), task.getManual(), task.getEarlyResolve(), task.getNoDepAttr());
  made->setDiscardableAttrs(task->getDiscardableAttrDictionary());
  if (!edges[n].empty())
    made->setAttr(attr::kEdges, builder.getStrArrayAttr(reasons));
  task.getResults().replaceAllUsesWith(made.getResults());
  if (task.getTask())
    task.getTask().replaceAllUsesWith(made.getTask());
  tokens.push_back(made.getTask());
  task.erase();
}

void Entry::derive() {
  auto given = func->getAttrOfType<DepsModeAttr>(attr::kDeps);
  if (given && given.getValue() != DepsMode::ProgramOrder)
    return;
  std::optional<DepsMode> mode = collect();
  func->setAttr(attr::kDeps,
                DepsModeAttr::get(func.getContext(), mode.value_or(DepsMode::ProgramOrder)));
  if (mode != DepsMode::Explicit)
    return;
  before.resize(tasks.size());
  edges.resize(tasks.size());
  for (unsigned n = 0; n < tasks.size(); ++n)
    findEdges(n);
  SmallVector<Value> tokens;
  for (unsigned n = 0; n < tasks.size(); ++n)
    write(n, tokens);
}

void DeriveTaskDeps::runOnOperation() {
  SymbolTable symbols(getOperation());
  for (auto func : getOperation().getOps<func::FuncOp>())
    if (getFunctionKind(func) == FunctionKind::Orchestration && !func.isDeclaration())
      Entry(func, symbols).derive();
}
