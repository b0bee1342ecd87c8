//===- MergeClusters.cpp - pto-merge-clusters -----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A cluster runs one kernel on its AIC and one on its AIVs at the same time, as one
// task. Both are finished here; each becomes a section of one mixed kernel, which
// takes what both take.
//
//===----------------------------------------------------------------------===//

#include "ControlPlane.h"
#include "Pto/Words.h"
#include "Transforms/Passes.h"
#include "Transforms/TaskNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::pto {
#define GEN_PASS_DEF_MERGECLUSTERSPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class MergeClusters : public pto::impl::MergeClustersPassBase<MergeClusters> {
public:
  using MergeClustersPassBase::MergeClustersPassBase;
  void runOnOperation() override;
};

/// A kernel of the cluster.
struct Part {
  BlockDispatchOp dispatch;
  func::FuncOp kernel;
};

/// What the kernels do with one value that they take.
struct Parameter {
  Type type;
  Location loc;
  bool reads = false, writes = false;
  bool ordered = false; // some kernel wants its share of the derived order
  Direction getDirection() const {
    return !writes ? Direction::In : reads ? Direction::InOut : Direction::Out;
  }
};

class Merger {
public:
  Merger(BlockClusterOp cluster, func::FuncOp parent) : cluster(cluster), parent(parent) {}
  LogicalResult run(SymbolTable &symbols, int &number);

private:
  LogicalResult collectParts(SymbolTable &symbols);
  LogicalResult checkKernel(BlockDispatchOp dispatch, func::FuncOp kernel);
  Value getOuter(Value value);
  void collectParameters();
  LogicalResult markNoDep();
  func::FuncOp buildFunction(StringRef name);
  void buildSection(OpBuilder &builder, Part &part, Block &entry);
  void buildDispatch(func::FuncOp func);

  BlockClusterOp cluster;
  func::FuncOp parent;
  SmallVector<Part, 2> parts;
  /// By the value outside of the cluster, in the order of first use.
  llvm::MapVector<Value, Parameter> parameters;
};
} // namespace

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

LogicalResult Merger::checkKernel(BlockDispatchOp dispatch, func::FuncOp kernel) {
  StringRef name = dispatch.getCallee();
  if (!kernel || kernel.isDeclaration())
    return emitError(dispatch.getLoc()) << "pl.cluster: '" << name << "' has no body to run";
  if (dispatch.getManual() || dispatch.getSyncStart() || dispatch.getEarlyResolve())
    return emitError(dispatch.getLoc())
           << "pl.cluster: '" << name
           << "' is a part of the cluster's task; manual, sync_start and early_resolve are said "
              "of the cluster";
  FunctionKind kind = getFunctionKind(kernel);
  if (kind == FunctionKind::Group)
    return emitError(dispatch.getLoc())
           << "pl.cluster: '" << name
           << "' is a mixed kernel, which fills a cluster by itself; call it outside of pl.cluster";
  if (kind != FunctionKind::AIC && kind != FunctionKind::AIV)
    return emitError(dispatch.getLoc())
           << "pl.cluster: '" << name << "' has no core yet; run pto-split-mixed first";
  for (Part &part : parts) {
    if (getFunctionKind(part.kernel) != kind)
      continue;
    StringRef core = kind == FunctionKind::AIC ? "the cube core" : "the vector cores";
    InFlightDiagnostic error = emitError(dispatch.getLoc())
                               << "pl.cluster: '" << name << "' runs on " << core << ", as '"
                               << part.dispatch.getCallee()
                               << "' does; a cluster has one kernel for the cube core and one for "
                                  "the vector cores";
    error.attachNote(part.dispatch.getLoc()) << "the other one is called here";
    return error;
  }
  return success();
}

LogicalResult Merger::collectParts(SymbolTable &symbols) {
  for (auto dispatch : cluster.getBody().getOps<BlockDispatchOp>()) {
    auto kernel = symbols.lookup<func::FuncOp>(dispatch.getCallee());
    if (failed(checkKernel(dispatch, kernel)))
      return failure();
    parts.push_back({dispatch, kernel});
  }
  if (parts.empty())
    return emitError(cluster.getLoc()) << "pl.cluster: runs no kernel; call one for the cube core, "
                                          "one for the vector cores, or both";
  return success();
}

//===----------------------------------------------------------------------===//
// What they take
//===----------------------------------------------------------------------===//

/// The value outside of the cluster that has the same memory.
Value Merger::getOuter(Value value) {
  while (cluster.getBody().isAncestor(value.getParentRegion())) {
    auto result = cast<OpResult>(value);
    for (Part &part : parts)
      if (part.dispatch == result.getOwner())
        value = getWrittenArgument(part.dispatch, part.kernel, result.getResultNumber());
  }
  return value;
}

void Merger::collectParameters() {
  for (Part &part : parts) {
    std::optional<ArrayRef<int64_t>> noDep = part.dispatch.getNoDep();
    for (auto [index, argument] : llvm::enumerate(part.dispatch.getArgs())) {
      Value outer = getOuter(argument);
      BlockArgument inner = part.kernel.getArgument(index);
      // The author's name outside, or else that of the kernel.
      Location loc = nameOf(outer).empty() ? inner.getLoc() : outer.getLoc();
      Parameter &parameter =
          parameters.try_emplace(outer, Parameter{inner.getType(), loc}).first->second;
      Direction direction = pto::getDirection(part.kernel, index);
      parameter.reads |= direction != Direction::Out;
      parameter.writes |= isWritten(direction);
      parameter.ordered |= !noDep || !llvm::is_contained(*noDep, static_cast<int64_t>(index));
    }
  }
}

/// What the cluster leaves out of the derived order.
LogicalResult Merger::markNoDep() {
  for (Value array : cluster.getNoDep()) {
    auto *found = parameters.find(array);
    if (found == parameters.end())
      return emitError(cluster.getLoc()) << "pl.cluster: no_dep names " << valueWord(array)
                                         << ", which none of its kernels takes; leave it out";
    found->second.ordered = false;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The mixed kernel and its dispatch
//===----------------------------------------------------------------------===//

void Merger::buildSection(OpBuilder &builder, Part &part, Block &entry) {
  bool cube = getFunctionKind(part.kernel) == FunctionKind::AIC;
  auto section =
      BlockSectionOp::create(builder, part.kernel.getLoc(), cube ? CoreKind::AIC : CoreKind::AIV);
  OpBuilder inside = OpBuilder::atBlockBegin(&section.getBody().emplaceBlock());
  IRMapping mapping;
  for (auto [argument, inner] : llvm::zip(part.dispatch.getArgs(), part.kernel.getArguments())) {
    auto *found = parameters.find(getOuter(argument));
    mapping.map(inner, entry.getArgument(found - parameters.begin()));
  }
  for (Operation &op : part.kernel.getBody().front().without_terminator())
    inside.clone(op, mapping);
}

/// Whether every kernel got its flags from the compiler.
static SyncMode getSync(ArrayRef<Part> parts) {
  for (Part part : parts) {
    auto mode = part.kernel->getAttrOfType<SyncModeAttr>(attr::kSync);
    if (!mode || mode.getValue() != SyncMode::Auto)
      return mode ? mode.getValue() : SyncMode::None;
  }
  return SyncMode::Auto;
}

func::FuncOp Merger::buildFunction(StringRef name) {
  MLIRContext *context = parent.getContext();
  SmallVector<Type> inputs;
  SmallVector<Location> locations;
  for (auto &[value, parameter] : parameters) {
    inputs.push_back(parameter.type);
    locations.push_back(parameter.loc);
  }
  OpBuilder builder(parent);
  auto func =
      func::FuncOp::create(builder, cluster.getLoc(), name, builder.getFunctionType(inputs, {}));
  func->setAttr(attr::kKind, FunctionKindAttr::get(context, FunctionKind::Group));
  func->setAttr(attr::kSync, SyncModeAttr::get(context, getSync(parts)));
  Block &entry = func.getBody().emplaceBlock();
  entry.addArguments(inputs, locations);
  unsigned index = 0;
  for (auto &[value, parameter] : parameters) {
    if (isa<GmType>(parameter.type))
      func.setArgAttr(index, attr::kDirection,
                      DirectionAttr::get(context, parameter.getDirection()));
    ++index;
  }
  builder.setInsertionPointToStart(&entry);
  for (Part &part : parts)
    buildSection(builder, part, entry);
  func::ReturnOp::create(builder, cluster.getLoc());
  return func;
}

void Merger::buildDispatch(func::FuncOp func) {
  OpBuilder builder(cluster);
  SmallVector<Value> args;
  SmallVector<Type> results;
  SmallVector<int64_t> noDep;
  DenseMap<Value, unsigned> written; // the number of its result
  for (auto &[value, parameter] : parameters) {
    if (!parameter.ordered && isa<GmType>(parameter.type))
      noDep.push_back(args.size());
    args.push_back(value);
    if (!parameter.writes)
      continue;
    written[value] = results.size();
    results.push_back(value.getType());
  }
  Type task = cluster.getTask() ? cluster.getTask().getType() : Type();
  auto dispatch = BlockDispatchOp::create(
      builder, cluster.getLoc(), results, task, func.getName(), args, cluster.getBlocks(),
      cluster.getDeps(), cluster.getCondition(), cluster.getConditionIndices(),
      cluster.getCompareAttr(), cluster.getCompareToAttr(), cluster.getSyncStart(),
      cluster.getManual(), cluster.getEarlyResolve(),
      noDep.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(noDep));
  auto yield = cast<BlockYieldOp>(cluster.getBody().front().back());
  for (auto [result, yielded] : llvm::zip(cluster.getResults(), yield.getValues())) {
    Value outer = getOuter(yielded);
    auto found = written.find(outer);
    // An array that the cluster hands out unwritten is the array itself.
    result.replaceAllUsesWith(found == written.end() ? outer
                                                     : dispatch.getResults()[found->second]);
  }
  if (task)
    cluster.getTask().replaceAllUsesWith(dispatch.getTask());
  cluster.erase();
}

LogicalResult Merger::run(SymbolTable &symbols, int &number) {
  if (failed(collectParts(symbols)))
    return failure();
  collectParameters();
  FailureOr<std::string> name = chooseTaskName(
      cluster, cluster.getNameHint(), (parent.getName() + "_cluster_").str(), symbols, number);
  if (failed(name) || failed(markNoDep()))
    return failure();
  func::FuncOp func = buildFunction(*name);
  symbols.insert(func);
  buildDispatch(func);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Kernels that only clusters ran are in the mixed kernels now.
static void eraseUnused(ModuleOp module, const llvm::StringSet<> &merged) {
  llvm::StringSet<> used;
  module.walk([&](BlockDispatchOp dispatch) { used.insert(dispatch.getCallee()); });
  for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (merged.contains(func.getName()) && !used.contains(func.getName()))
      func.erase();
}

void MergeClusters::runOnOperation() {
  SymbolTable symbols(getOperation());
  llvm::StringSet<> merged = getClusterKernels(getOperation());
  for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
    SmallVector<BlockClusterOp> clusters;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<BlockAtOp>(op)) // on another level: stays as it is
        return WalkResult::skip();
      if (auto cluster = dyn_cast<BlockClusterOp>(op))
        clusters.push_back(cluster);
      return WalkResult::advance();
    });
    int number = 0;
    for (BlockClusterOp cluster : clusters)
      if (failed(Merger(cluster, func).run(symbols, number)))
        return signalPassFailure();
  }
  eraseUnused(getOperation(), merged);
}
