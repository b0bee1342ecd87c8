//===- VerifyLevel.cpp - pto-verify-level ---------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The one place that says what a module may hold behind each pass, and what is
// possible on its chip. Verifiers of operations hold only what is true on every
// chip and at every stage. The check runs behind every pass: one walk, and no
// work for a rule that does not apply yet.
//
//===----------------------------------------------------------------------===//

#include "Transforms/InstructionLimits.h"
#include "Transforms/Passes.h"
#include "Transforms/PlaceRules.h"

#include "ControlPlane.h"
#include "Pto/Words.h"
#include "Tensor/TensorOps.h"
#include "Tile/TileOps.h"

#include "llvm/ADT/StringExtras.h"

namespace mlir::pto {
#define GEN_PASS_DEF_VERIFYLEVELPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {

/// The passes in the order of the pipeline: after one of them, the rules of all
/// before it hold too.
enum Stage {
  Unknown, // no pass was named: only what holds always
  SetTarget,
  Inline,         // no function of kind inline
  SpecializeKeys, // no tiling key: each kernel is for one
  OutlineScopes,  // no pto.block.at
  ConvertTensors, // in in-core functions no pto.tensor operation and no builtin tensor
  Legalize,       // instructions on element types that the chip has
  InferSpaces,    // each tile has a space; none is chosen by arith.select
  AssignLayouts,  // each tile has the layout of its space, in whole fractals
  SplitMixed,     // no function of kind in_core; pipes and spaces of its core
  ValidExtents,
  MaterializeCopies,
  BufferizeTiles, // no tile value
  Expand,         // each operation is one instruction: InstructionLimits.h
  PlanMemory,     // each allocation has addresses; not too many of them
  InsertSync,     // each kernel says who orders its pipes
  MergeClusters,  // no pto.block.cluster
  DeriveTaskDeps, // each entry says what orders its tasks
};
constexpr llvm::StringLiteral kPasses[] = {
    "",
    "pto-set-target",
    "pto-inline",
    "pto-specialize-tiling-key",
    "pto-outline-scopes",
    "pto-convert-tensor-to-tile-ops",
    "pto-legalize",
    "pto-infer-tile-memory-space",
    "pto-assign-layout",
    "pto-split-mixed",
    "pto-materialize-valid-extents",
    "pto-materialize-copies",
    "pto-bufferize-tiles",
    "pto-expand-instructions",
    "pto-plan-memory",
    "pto-insert-sync",
    "pto-merge-clusters",
    "pto-derive-task-deps",
};

bool isKernel(FunctionKind kind) {
  return kind == FunctionKind::InCore || kind == FunctionKind::AIC || kind == FunctionKind::AIV ||
         kind == FunctionKind::Group;
}

/// Walks a module and says everything that is wrong.
class Checker {
public:
  Checker(Stage stage, const TargetInfo *target, Operation *module)
      : stage(stage), target(target), clustered(getClusterKernels(module)) {}
  void checkSchema(BlockTilingKeyOp schema);
  void checkFunction(func::FuncOp func);
  bool failedAny = false;

private:
  void checkRegion(Region &region, std::optional<CoreKind> core);
  void checkOperation(Operation *op, std::optional<CoreKind> core);
  void checkTypes(Operation *op);
  void checkTile(Operation *op, Value value, TileType type);
  void checkElementTypes(TileComputeInterface op);
  void checkAlloc(TileAllocOp op, std::optional<CoreKind> core);
  void checkMove(TileMoveOp op);
  void checkPipe(Operation *op, Pipe pipe, std::optional<CoreKind> core);
  template <typename Op> void checkFlag(Op op, std::optional<CoreKind> core);
  template <typename Op> void checkMutex(Op op, std::optional<CoreKind> core);
  template <typename Op>
  void checkCrossCore(Op op, std::optional<Pipe> pipe, std::optional<CoreKind> core);
  void checkSides(InstructionInterface op, std::optional<CoreKind> core);
  void checkKind(func::FuncOp func, FunctionKind kind);
  void checkSignature(func::FuncOp func);

  bool behind(Stage pass) const { return stage >= pass; }
  std::string behindWord(Stage pass) const { return (" after " + kPasses[pass]).str(); }
  InFlightDiagnostic fail(Operation *op) {
    failedAny = true;
    return emitUserError(op);
  }
  InFlightDiagnostic failFunction(func::FuncOp func) {
    failedAny = true;
    return func.emitError() << "'" << func.getName() << "' ";
  }

  Stage stage;
  const TargetInfo *target;
  llvm::StringSet<> clustered; // kernels that clusters run
  bool kernel = false;         // the function being checked is one
  bool mixed = false;          // it shares a cluster
  int64_t allocations[2] = {}; // of each kind of core
};

class VerifyLevel : public pto::impl::VerifyLevelPassBase<VerifyLevel> {
public:
  using VerifyLevelPassBase::VerifyLevelPassBase;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void Checker::checkKind(func::FuncOp func, FunctionKind kind) {
  if (behind(Inline) && kind == FunctionKind::Inline)
    failFunction(func) << "is an inline function; none is left" << behindWord(Inline);
  if (behind(SpecializeKeys))
    if (auto schema = func->getAttrOfType<FlatSymbolRefAttr>(attr::kSchema))
      failFunction(func) << "reads the tiling key '" << schema.getValue()
                         << "' and is compiled for none; ask for one: keys=<field>=<value>,...";
  if (behind(SplitMixed) && kind == FunctionKind::InCore)
    failFunction(func) << "has no core yet; it must be aic, aiv or group" << behindWord(SplitMixed);
  if (behind(InsertSync) && kernel) {
    auto mode = func->getAttrOfType<SyncModeAttr>(attr::kSync);
    if (!mode || mode.getValue() == SyncMode::None || mode.getValue() == SyncMode::Author)
      failFunction(func) << "does not say who orders its pipes; it must be #pto.sync<auto> or "
                            "#pto.sync<manual>"
                         << behindWord(InsertSync);
  }
  if (behind(DeriveTaskDeps) && kind == FunctionKind::Orchestration && !func->hasAttr(attr::kDeps))
    failFunction(func) << "does not say what orders its tasks; it must be #pto.deps<explicit>, "
                          "#pto.deps<run_time> or #pto.deps<program_order>"
                       << behindWord(DeriveTaskDeps);
}

void Checker::checkSchema(BlockTilingKeyOp schema) {
  failedAny = true;
  schema.emitError() << "the tiling key '" << schema.getSymName() << "' is left"
                     << behindWord(SpecializeKeys) << "; ask for a key: keys=<field>=<value>,...";
}

/// A kernel takes references to arrays and returns nothing.
void Checker::checkSignature(func::FuncOp func) {
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
    if (isa<RankedTensorType>(type))
      failFunction(func) << "takes argument " << index << ", " << typeWord(type)
                         << ", as a tensor; it must be !pto.gm" << behindWord(ConvertTensors);
  if (func.getNumResults() != 0)
    failFunction(func) << "returns " << func.getNumResults() << " values; a kernel returns none"
                       << behindWord(ConvertTensors);
}

void Checker::checkFunction(func::FuncOp func) {
  FunctionKind kind = getFunctionKind(func);
  kernel = isKernel(kind);
  checkKind(func, kind);
  if (kernel && behind(ConvertTensors))
    checkSignature(func);
  std::optional<CoreKind> core;
  if (kind == FunctionKind::AIC || kind == FunctionKind::AIV)
    core = kind == FunctionKind::AIC ? CoreKind::AIC : CoreKind::AIV;
  mixed = kind == FunctionKind::Group || clustered.contains(func.getName());
  std::fill(std::begin(allocations), std::end(allocations), 0);
  checkRegion(func.getBody(), core);
  int64_t most = std::max(allocations[0], allocations[1]);
  if (target && behind(PlanMemory) && most > target->maxBuffers)
    failFunction(func) << "has " << most << " allocations; a kernel on " << target->name
                       << " has at most " << target->maxBuffers;
}

void Checker::checkRegion(Region &region, std::optional<CoreKind> core) {
  for (Block &block : region) {
    // What a loop carries has the type of its results.
    if (kernel && behind(InferSpaces) && isa<func::FuncOp>(block.getParentOp()))
      for (BlockArgument argument : block.getArguments())
        if (auto type = dyn_cast<TileType>(argument.getType()))
          checkTile(block.getParentOp(), argument, type);
    for (Operation &op : block) {
      checkOperation(&op, core);
      auto section = dyn_cast<BlockSectionOp>(op);
      for (Region &inner : op.getRegions())
        checkRegion(inner, section ? section.getCore() : core);
    }
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Checker::checkOperation(Operation *op, std::optional<CoreKind> core) {
  // What is placed on other levels stays as it is, with all that is in it.
  auto at = dyn_cast<BlockAtOp>(op);
  if (behind(OutlineScopes) && at && at.getLevel() == Level::CoreGroup &&
      !at->getParentOfType<BlockAtOp>())
    fail(op) << "a placed region; none is left" << behindWord(OutlineScopes);
  if (behind(MergeClusters) && isa<BlockClusterOp>(op) && !op->getParentOfType<BlockAtOp>())
    fail(op) << "a cluster; it is one dispatch" << behindWord(MergeClusters);
  if (behind(SpecializeKeys) && isa<BlockReadKeyOp>(op))
    fail(op) << "reads a tiling key; a kernel is for one key" << behindWord(SpecializeKeys);
  if (!kernel)
    return;
  checkTypes(op);
  if (auto alloc = dyn_cast<TileAllocOp>(op))
    checkAlloc(alloc, core);
  if (!target)
    return;
  if (auto flag = dyn_cast<BlockSetFlagOp>(op))
    return checkFlag(flag, core);
  if (auto flag = dyn_cast<BlockWaitFlagOp>(op))
    return checkFlag(flag, core);
  if (auto barrier = dyn_cast<BlockBarrierOp>(op))
    return checkPipe(op, barrier.getPipe(), core);
  if (auto set = dyn_cast<BlockCrossCoreSetOp>(op))
    return checkCrossCore(set, set.getPipe(), core);
  if (auto wait = dyn_cast<BlockCrossCoreWaitOp>(op))
    return checkCrossCore(wait, wait.getPipe(), core);
  if (auto lock = dyn_cast<BlockMutexLockOp>(op))
    return checkMutex(lock, core);
  if (auto unlock = dyn_cast<BlockMutexUnlockOp>(op))
    return checkMutex(unlock, core);
  auto instruction = dyn_cast<InstructionInterface>(op);
  if (!instruction)
    return;
  if (behind(SplitMixed)) {
    if (std::optional<Pipe> pipe = instruction.getPipe())
      checkPipe(op, *pipe, core);
    checkSides(instruction, core);
  }
  if (auto move = dyn_cast<TileMoveOp>(op))
    checkMove(move);
  if (auto compute = dyn_cast<TileComputeInterface>(op); compute && behind(Legalize))
    checkElementTypes(compute);
  if (behind(Expand) && instruction.isBufferForm())
    failedAny |= failed(verifyInstructionLimits(instruction, *target));
}

/// The level of the operation, and the types of what it makes.
void Checker::checkTypes(Operation *op) {
  if (behind(ConvertTensors)) {
    if (op->hasTrait<TensorLevel>())
      fail(op) << "an operation on whole arrays; in-core code works on tiles"
               << behindWord(ConvertTensors);
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()) && !op->hasTrait<TensorLevel>())
        fail(op) << "makes " << valueWord(result) << ", a whole array; in-core code works on tiles"
                 << behindWord(ConvertTensors);
  }
  if (!behind(InferSpaces))
    return;
  for (Value result : op->getResults())
    if (auto type = dyn_cast<TileType>(result.getType()))
      checkTile(op, result, type);
  if (behind(BufferizeTiles))
    if (auto store = dyn_cast<InstructionInterface>(op);
        store && !store.isBufferForm() && !isa<TileGetValueOp, TileSetValueOp>(op))
      fail(op) << "works on tile values; every instruction works on buffers"
               << behindWord(BufferizeTiles);
}

void Checker::checkTile(Operation *op, Value value, TileType type) {
  if (behind(BufferizeTiles)) {
    fail(op) << valueWord(value) << " is a tile value; every tile is a buffer"
             << behindWord(BufferizeTiles);
    return;
  }
  if (isa<arith::SelectOp>(op))
    fail(op) << "chooses one of two tiles, " << valueWord(value) << "; a tile is chosen by scf.if"
             << behindWord(InferSpaces);
  if (!type.getSpace()) {
    fail(op) << valueWord(value) << " has no memory space" << behindWord(InferSpaces);
    return;
  }
  if (!behind(AssignLayouts))
    return;
  if (!type.getLayout()) {
    fail(op) << valueWord(value) << " has no layout" << behindWord(AssignLayouts);
    return;
  }
  TileLayout layout =
      target ? target->getLayout(*type.getSpace(), type.getShape()) : *type.getLayout();
  // A row of biases lies in Mat as it lies in the bias table.
  if (type.getSpace() == MemorySpace::Mat && type.getRows() == 1 &&
      *type.getLayout() == TileLayout::ND)
    layout = TileLayout::ND;
  if (*type.getLayout() != layout)
    fail(op) << valueWord(value) << " has layout " << stringifyTileLayout(*type.getLayout())
             << "; such a tile has layout " << stringifyTileLayout(layout) << " on "
             << target->name;
  FractalShape fractal = getFractalShape(layout, *type.getSpace(), type.getElementType());
  bool isRow = type.getRows() == 1; // in the first of its fractals
  if ((!isRow && type.getRows() % fractal.rows != 0) || type.getCols() % fractal.cols != 0)
    fail(op) << valueWord(value) << " is not made of whole fractals of "
             << shapeWord({fractal.rows, fractal.cols}) << "; pad it";
}

/// Whether an instruction for these element types is there.
void Checker::checkElementTypes(TileComputeInterface op) {
  if (op.getResultSpace() != MemorySpace::Vec || isa<TileMoveOp>(op) || op->hasTrait<MovesBits>())
    return;
  Type element = getElementTypeOf(op.getResultOrDstType());
  if (target->hasInstruction(op))
    return;
  if (auto cast = dyn_cast<TileCastOp>(op.getOperation())) {
    Type from = getElementTypeOf(cast.getSource().getType());
    fail(op) << "no instruction of " << target->name << " converts " << dtypeWord(from) << " to "
             << dtypeWord(element) << " with rounding " << stringifyRoundMode(cast.getRound())
             << behindWord(Legalize);
    return;
  }
  bool scalar =
      op.getSources().size() == 2 && !isa<TileType, BufType>(op.getSources()[1].getType());
  // A negation on buffers may be what a chip without one does, a product with -1.
  bool negation = isa<TileNegOp>(op.getOperation()) && op.getDestination();
  if (negation && target->hasVectorOp("mul", element, /*scalarOperand=*/true))
    return;
  fail(op) << "no instruction of " << target->name << " does it on " << dtypeWord(element)
           << (scalar ? " with a scalar" : "") << behindWord(Legalize);
}

void Checker::checkMove(TileMoveOp op) {
  std::optional<MemorySpace> from = getTileSpace(op.getSource().getType());
  std::optional<MemorySpace> to =
      getTileSpace(cast<TileComputeInterface>(op.getOperation()).getResultOrDstType());
  if (from && to && !target->hasPath(*from, *to))
    fail(op) << "no path leads from " << spaceWord(*from) << " to " << spaceWord(*to) << " on "
             << target->name << ", for " << valueWord(op.getSource())
             << (*from == MemorySpace::Acc
                     ? "; store it to an array, and load that in a second kernel"
                     : "");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Checker::checkAlloc(TileAllocOp op, std::optional<CoreKind> core) {
  auto type = cast<BufType>(op.getResult().getType());
  MemorySpace space = type.getSpace();
  // In front of a mixed kernel's sections an allocation is that of its space's core.
  std::optional<CoreKind> owner = core || !target ? core : target->getCore(space);
  ++allocations[owner == CoreKind::AIC];
  if (target && core && target->getCore(space) != *core)
    fail(op) << "an " << stringifyCoreKind(*core) << " has no " << spaceWord(space) << "; "
             << valueWord(op.getResult()) << " is in it";
  std::optional<ArrayRef<int64_t>> addrs = op.getAddrs();
  if (!addrs) {
    if (behind(PlanMemory))
      fail(op) << valueWord(op.getResult()) << " has no address" << behindWord(PlanMemory);
    return;
  }
  if (!target)
    return;
  for (int64_t id : op.getMutexIds().value_or(ArrayRef<int64_t>()))
    if (target->hasMutex() && (id < 0 || id >= target->mutexIds))
      fail(op) << valueWord(op.getResult()) << " has mutex id " << id << "; those of "
               << target->name << " are 0 to " << target->mutexIds - 1;
  const SpaceInfo &info = target->getSpace(space);
  int64_t capacity = target->getCapacity(space, mixed);
  for (int64_t addr : *addrs) {
    if (addr % info.alignment != 0)
      fail(op) << valueWord(op.getResult()) << " begins at byte " << addr << "; an address in "
               << spaceWord(space) << " is a multiple of " << bytesWord(info.alignment);
    else if (addr > capacity - type.getRootBytes())
      fail(op) << valueWord(op.getResult()) << " lies at bytes " << addr << " to "
               << addr + type.getRootBytes() << "; " << spaceWord(space) << " has "
               << bytesWord(capacity) << " (" << capacity << " B)"
               << (mixed ? " in a mixed kernel" : "");
  }
}

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

void Checker::checkPipe(Operation *op, Pipe pipe, std::optional<CoreKind> core) {
  if (core && !target->hasPipe(*core, pipe))
    fail(op) << "an " << stringifyCoreKind(*core) << " has no pipe " << stringifyPipe(pipe);
}

template <typename Op> void Checker::checkFlag(Op op, std::optional<CoreKind> core) {
  if (!target->hasFlag(op.getSrc(), op.getDst()))
    fail(op) << target->name << " has no flag from " << stringifyPipe(op.getSrc()) << " to "
             << stringifyPipe(op.getDst());
  checkPipe(op, op.getSrc(), core);
  checkPipe(op, op.getDst(), core);
  std::optional<int64_t> id = op.getId();
  if (id && (*id < 0 || *id >= target->eventIds))
    fail(op) << "event id " << *id << "; a kernel on " << target->name << " uses 0 to "
             << target->eventIds - 1;
}

template <typename Op> void Checker::checkMutex(Op op, std::optional<CoreKind> core) {
  if (!target->hasMutex()) {
    fail(op) << target->name << " has no mutexes; give the tiles mutex_ids, which become flags "
             << "there, or set flags";
    return;
  }
  checkPipe(op, op.getPipe(), core);
  std::optional<int64_t> id = op.getId();
  if (id && (*id < 0 || *id >= target->mutexIds))
    fail(op) << "mutex id " << *id << "; a kernel on " << target->name << " uses 0 to "
             << target->mutexIds - 1;
}

template <typename Op>
void Checker::checkCrossCore(Op op, std::optional<Pipe> pipe, std::optional<CoreKind> core) {
  if (pipe)
    checkPipe(op, *pipe, core);
  int64_t mode = op.getMode();
  std::optional<int64_t> id = op.getId();
  if (id && !target->hasCrossCoreId(mode, *id))
    fail(op) << "signal " << *id << " of mode " << mode << " is none that a kernel on "
             << target->name << " may use";
}

/// A section works on its own core's memory; what it may do with the other's is to write
/// it by the one path that leads there.
void Checker::checkSides(InstructionInterface op, std::optional<CoreKind> core) {
  if (!core)
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<BufType>(operand.get().getType());
    if (!type || target->getCore(type.getSpace()) == *core)
      continue;
    auto move = dyn_cast<TileMoveOp>(op.getOperation());
    std::optional<MemorySpace> from =
        move ? getTileSpace(move.getSource().getType()) : std::optional<MemorySpace>();
    bool writes = move && operand.get() == move.getDst() && from &&
                  target->getCore(*from) == *core && target->hasPath(*from, type.getSpace());
    if (!writes)
      fail(op) << "an " << stringifyCoreKind(*core) << " has no " << spaceWord(type.getSpace())
               << "; " << valueWord(operand.get()) << " is in it";
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void VerifyLevel::runOnOperation() {
  ModuleOp module = getOperation();
  const auto *name = llvm::find(kPasses, StringRef(after));
  if (name == std::end(kPasses)) {
    module.emitError() << "pto-verify-level: after=\"" << after
                       << "\" names no pass of the pipeline; they are: "
                       << llvm::join(ArrayRef(kPasses).drop_front(), ", ");
    return signalPassFailure();
  }
  auto stage = static_cast<Stage>(name - std::begin(kPasses));
  // Before pto-set-target a module need not name its chip.
  const TargetInfo *target = nullptr;
  if (stage != Unknown || module->hasAttr(attr::kTarget)) {
    target = getTarget(module);
    if (!target)
      return signalPassFailure();
  }
  Checker checker(stage, target, module);
  SymbolTable symbols(module);
  for (auto func : module.getOps<func::FuncOp>()) {
    checker.failedAny |= failed(verifyPlaces(func, symbols));
    checker.checkFunction(func);
  }
  // What reads it has been told already.
  if (stage >= SpecializeKeys && !checker.failedAny)
    for (auto schema : module.getOps<BlockTilingKeyOp>())
      checker.checkSchema(schema);
  if (checker.failedAny)
    return signalPassFailure();
  markAllAnalysesPreserved();
}
