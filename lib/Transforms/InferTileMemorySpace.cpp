//===- InferTileMemorySpace.cpp - pto-infer-tile-memory-space -------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The author may leave open where a tile lives; the operations that use it know.
// Loads go to Vec or to Mat, by what their uses ask for (backward); every other
// tile is where its operation makes it (forward). Where a use wants it elsewhere
// a move is inserted, if the chip has a path.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Target/Target.h"
#include "Tile/TileOps.h"
#include "Transforms/Locations.h"
#include "Transforms/Passes.h"
#include "Transforms/ValueLoop.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::pto {
#define GEN_PASS_DEF_INFERTILEMEMORYSPACEPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class InferTileMemorySpace : public pto::impl::InferTileMemorySpacePassBase<InferTileMemorySpace> {
public:
  using InferTileMemorySpacePassBase::InferTileMemorySpacePassBase;
  void runOnOperation() override;
};

/// Where a load may go, as a set.
enum Kinds : unsigned { kNone = 0, kVec = 1, kMat = 2 };

class Inference {
public:
  Inference(func::FuncOp func, const TargetInfo &target)
      : func(func), target(target), builder(func.getContext()) {}
  LogicalResult run();

private:
  // Backward.
  using Seen = DenseSet<Value>; // loops ask in a circle
  unsigned kindsOfUse(OpOperand &use, Seen &seen);
  unsigned kindsOfValue(Value value, Seen &seen);
  unsigned kindsOfValue(Value value) {
    Seen seen;
    return kindsOfValue(value, seen);
  }
  unsigned kindsOf(MemorySpace space) { return space == MemorySpace::Vec ? kVec : kMat; }
  void splitLoad(TileLoadOp load);
  void redirect(Value from, Value to);

  // Forward.
  std::optional<MemorySpace> producedSpace(Value value, Seen &seen);
  MemorySpace chooseCarried(Value inside, ArrayRef<Value> sources);
  LogicalResult visitBlock(Block &block);
  LogicalResult visitOperation(Operation *op);
  LogicalResult visitLoop(ValueLoop loop);
  LogicalResult visitIf(scf::IfOp branch);
  LogicalResult visitCompute(TileComputeInterface op);
  LogicalResult visitMove(TileMoveOp op);
  LogicalResult visitStore(TileStoreOp op);
  LogicalResult foldTransposes();

  // Moves.
  LogicalResult require(OpOperand &use, MemorySpace wanted, const Twine &reason);
  LogicalResult noPath(OpOperand &use, MemorySpace have, MemorySpace wanted);
  SmallVector<MemorySpace> findPath(MemorySpace from, MemorySpace to);
  Value insertMove(Operation *user, Value value, MemorySpace space, const Twine &reason);

  func::FuncOp func;
  const TargetInfo &target;
  OpBuilder builder;
  DenseMap<std::tuple<Value, MemorySpace, Block *>, Value> moves;
};
} // namespace

static TileType tileOf(Value value) { return dyn_cast<TileType>(value.getType()); }
static void setSpace(Value value, MemorySpace space) {
  value.setType(tileOf(value).withSpace(space));
}

//===----------------------------------------------------------------------===//
// Backward: what uses ask for
//===----------------------------------------------------------------------===//

/// What the operation that uses a tile asks for; a carried value is asked for by
/// its uses inside and after the loop.
unsigned Inference::kindsOfUse(OpOperand &use, Seen &seen) {
  Operation *op = use.getOwner();
  if (auto compute = dyn_cast<TileComputeInterface>(op)) {
    // A move is written for its destination; what it reads comes from the same core.
    std::optional<MemorySpace> space = isa<TileMoveOp>(op)
                                           ? getTileSpace(op->getResult(0).getType())
                                           : compute.getSourceSpace(use.getOperandNumber());
    return space ? kindsOf(*space) : kNone;
  }
  if (isa<TileStoreOp, TileGetValueOp>(op))
    return kVec;
  if (auto valid = dyn_cast<TileSetValidShapeOp>(op))
    return kindsOfValue(valid.getResult(), seen);
  if (ValueLoop loop = ValueLoop::get(op)) {
    std::optional<unsigned> index = loop.getIndexOfInit(use);
    return index ? kindsOfValue(loop.getArgument(*index), seen) |
                       kindsOfValue(loop.getResult(*index), seen)
                 : kNone;
  }
  if (!isa<scf::YieldOp>(op))
    return kNone;
  Operation *parent = op->getParentOp();
  if (use.getOperandNumber() >= parent->getNumResults())
    return kNone; // a loop that hands on something else, which is an error at it
  unsigned kinds = kindsOfValue(parent->getResult(use.getOperandNumber()), seen);
  if (ValueLoop loop = ValueLoop::get(parent))
    kinds |= kindsOfValue(loop.getArgument(use.getOperandNumber()), seen);
  return kinds;
}

unsigned Inference::kindsOfValue(Value value, Seen &seen) {
  if (tileOf(value) && tileOf(value).getSpace())
    return kindsOf(*tileOf(value).getSpace());
  if (!seen.insert(value).second)
    return kNone;
  unsigned kinds = kNone;
  // A set does not depend on the order of the uses.
  for (OpOperand &use : value.getUses())
    kinds |= kindsOfUse(use, seen);
  return kinds;
}

/// Sends those uses of `from` that want Mat to `to`, through valid extents.
void Inference::redirect(Value from, Value to) {
  for (OpOperand &use : llvm::make_early_inc_range(from.getUses())) {
    Seen seen;
    unsigned kinds = kindsOfUse(use, seen);
    auto valid = dyn_cast<TileSetValidShapeOp>(use.getOwner());
    if (valid && kinds == (kVec | kMat)) {
      builder.setInsertionPointAfter(valid);
      auto copy = cast<TileSetValidShapeOp>(builder.clone(*valid));
      copy.getSourceMutable().assign(to);
      redirect(valid.getResult(), copy.getResult());
    } else if (kinds & kMat) {
      use.set(to);
    }
  }
}

/// Gives a load without a space one; two loads where both kinds are asked for.
void Inference::splitLoad(TileLoadOp load) {
  Value tile = load.getResult();
  if (!tile || tileOf(tile).getSpace())
    return;
  unsigned kinds = kindsOfValue(tile);
  if (kinds == (kVec | kMat)) {
    builder.setInsertionPointAfter(load);
    Value copy = cast<TileLoadOp>(builder.clone(*load)).getResult();
    redirect(tile, copy);
    setSpace(copy, MemorySpace::Mat);
    if (tile.use_empty())
      return load.erase(); // a loop that asks for both gets Mat, and is told what is wrong
  }
  setSpace(tile, kinds == kMat ? MemorySpace::Mat : MemorySpace::Vec);
}

//===----------------------------------------------------------------------===//
// Forward: where tiles are made
//===----------------------------------------------------------------------===//

/// The space that a value is made in, looked for upwards; nothing if it is open.
std::optional<MemorySpace> Inference::producedSpace(Value value, Seen &seen) {
  if (tileOf(value).getSpace())
    return tileOf(value).getSpace();
  if (!seen.insert(value).second)
    return std::nullopt;
  std::optional<MemorySpace> space;
  Operation *def = value.getDefiningOp();
  if (auto compute = dyn_cast_or_null<TileComputeInterface>(def)) {
    space = compute.getResultSpace();
  } else if (auto valid = dyn_cast_or_null<TileSetValidShapeOp>(def)) {
    space = producedSpace(valid.getSource(), seen);
  } else if (auto branch = dyn_cast_or_null<scf::IfOp>(def)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    space = producedSpace(branch.thenYield().getOperand(index), seen);
    if (!space)
      space = producedSpace(branch.elseYield().getOperand(index), seen);
  } else if (ValueLoop loop = ValueLoop::getOwner(value)) {
    unsigned index = *loop.getIndexOf(value);
    space = producedSpace(loop.getInit(index).get(), seen);
    if (!space)
      space = producedSpace(loop.getYielded(index).get(), seen);
  }
  return space;
}

/// The space of a carried or selected value: where it is made, else where its
/// uses want it.
MemorySpace Inference::chooseCarried(Value inside, ArrayRef<Value> sources) {
  if (std::optional<MemorySpace> given = tileOf(inside).getSpace())
    return *given;
  Seen seen;
  for (Value source : sources)
    if (std::optional<MemorySpace> made = producedSpace(source, seen))
      return *made;
  return kindsOfValue(inside) & kMat ? MemorySpace::Mat : MemorySpace::Vec;
}

LogicalResult Inference::visitLoop(ValueLoop loop) {
  auto heading = dyn_cast<scf::WhileOp>(loop.getOperation());
  if (heading && failed(visitBlock(*heading.getBeforeBody())))
    return failure();
  for (unsigned index = 0; index < loop.getNumCarried(); ++index) {
    Value arg = loop.getArgument(index);
    if (!tileOf(arg))
      continue;
    OpOperand &init = loop.getInit(index);
    MemorySpace space = chooseCarried(arg, {init.get(), loop.getYielded(index).get()});
    if (failed(require(init, space, "the loop carries it in " + spaceWord(space))))
      return failure();
    setSpace(arg, space);
    setSpace(loop.getResult(index), space);
    if (Value head = loop.getHeadArgument(index))
      setSpace(head, space);
  }
  if (failed(visitBlock(*loop.getBody())))
    return failure();
  for (unsigned index = 0; index < loop.getNumCarried(); ++index) {
    Value arg = loop.getArgument(index);
    if (!tileOf(arg))
      continue;
    MemorySpace space = *tileOf(arg).getSpace();
    OpOperand &yielded = loop.getYielded(index);
    if (failed(require(yielded, space, "the loop carries it in " + spaceWord(space))))
      return failure();
  }
  return success();
}

LogicalResult Inference::visitIf(scf::IfOp branch) {
  for (auto [index, result] : llvm::enumerate(branch.getResults()))
    if (tileOf(result))
      setSpace(result, chooseCarried(result, {branch.thenYield().getOperand(index),
                                              branch.elseYield().getOperand(index)}));
  for (Region *arm : branch.getRegions()) {
    if (arm->empty())
      continue;
    if (failed(visitBlock(arm->front())))
      return failure();
    for (OpOperand &yielded : arm->front().getTerminator()->getOpOperands()) {
      if (!tileOf(yielded.get()))
        continue;
      MemorySpace space = *tileOf(branch.getResult(yielded.getOperandNumber())).getSpace();
      if (failed(require(yielded, space, "the branch hands it on in " + spaceWord(space))))
        return failure();
    }
  }
  return success();
}

/// "operand 2 of pl.matmul".
static std::string operandWord(OpOperand &use) {
  return ("operand " + Twine(use.getOperandNumber() + 1) + " of " + operationWord(use.getOwner()))
      .str();
}

LogicalResult Inference::visitCompute(TileComputeInterface op) {
  for (OpOperand &use : op->getOpOperands().take_front(op.getSources().size())) {
    std::optional<MemorySpace> wanted = op.getSourceSpace(use.getOperandNumber());
    if (!tileOf(use.get()) || !wanted)
      continue;
    // The way of an accumulator through Mat makes no operand of it.
    bool multiplied = *wanted == MemorySpace::Left || *wanted == MemorySpace::Right;
    Value origin = use.get();
    while (auto move = origin.getDefiningOp<TileMoveOp>())
      origin = move.getSource();
    if (multiplied && getTileSpace(origin.getType()) == MemorySpace::Acc)
      return noPath(use, MemorySpace::Acc, *wanted);
    if (failed(require(use, *wanted, operandWord(use) + " is read from " + spaceWord(*wanted))))
      return failure();
  }
  Value result = op->getResult(0);
  std::optional<MemorySpace> made = op.getResultSpace();
  if (!tileOf(result).getSpace() && made)
    setSpace(result, *made);
  return success();
}

/// A move that the author wrote goes where it says, in one step.
LogicalResult Inference::visitMove(TileMoveOp op) {
  std::optional<MemorySpace> to = getTileSpace(op.getResult().getType());
  if (!to)
    return emitUserError(op) << "says no memory space; give it target_memory=";
  std::optional<MemorySpace> from = getTileSpace(op.getSource().getType());
  // A path to another core of the cluster is for kernels of both.
  if (from && target.hasPath(*from, *to) && target.getCore(*from) == target.getCore(*to))
    return success();
  return noPath(op.getSourceMutable(), from.value_or(MemorySpace::Vec), *to);
}

LogicalResult Inference::visitStore(TileStoreOp op) {
  std::optional<MemorySpace> from = getTileSpace(op.getSource().getType());
  if (!from || target.hasPath(*from, MemorySpace::DDR))
    return success();
  return noPath(op.getSourceMutable(), *from, MemorySpace::DDR);
}

LogicalResult Inference::visitOperation(Operation *op) {
  auto heading = dyn_cast<scf::WhileOp>(op);
  if (heading && failed(checkHead(heading)))
    return failure();
  if (ValueLoop loop = ValueLoop::get(op))
    return visitLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch);
  if (auto instruction = dyn_cast<InstructionInterface>(op);
      instruction && instruction.isBufferForm())
    return success(); // the author chose
  if (isa<TileLoadOp>(op) || isa<scf::YieldOp, scf::ConditionOp>(op))
    return success(); // placed before all else; and looked at by its loop or branch
  if (auto move = dyn_cast<TileMoveOp>(op))
    return visitMove(move);
  if (auto store = dyn_cast<TileStoreOp>(op))
    return visitStore(store);
  if (auto compute = dyn_cast<TileComputeInterface>(op))
    return visitCompute(compute);
  if (auto valid = dyn_cast<TileSetValidShapeOp>(op)) {
    valid.getResult().setType(valid.getSource().getType());
    return success();
  }
  if (auto create = dyn_cast<TileCreateOp>(op)) {
    if (!tileOf(create.getResult()).getSpace())
      setSpace(create.getResult(),
               kindsOfValue(create.getResult()) == kMat ? MemorySpace::Mat : MemorySpace::Vec);
    return success();
  }
  if (auto element = dyn_cast<TileGetValueOp>(op); element && tileOf(element.getSource()))
    return require(element.getSourceMutable(), MemorySpace::Vec, "an element is read from Vec");
  auto isTile = [](Value value) { return tileOf(value) != nullptr; };
  bool hasBlockTiles = llvm::any_of(op->getRegions(), [&](Region &region) {
    return llvm::any_of(region.getArguments(), isTile);
  });
  if (hasBlockTiles || llvm::any_of(op->getOperands(), isTile) ||
      llvm::any_of(op->getResults(), isTile))
    return emitUserError(op) << "cannot carry or select tiles; use for and if";
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(visitBlock(block)))
        return failure();
  return success();
}

LogicalResult Inference::visitBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(visitOperation(&op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// The shortest way through the spaces of one core, both ends included.
SmallVector<MemorySpace> Inference::findPath(MemorySpace from, MemorySpace to) {
  SmallVector<SmallVector<MemorySpace>> ways = {{from}};
  for (size_t next = 0; next < ways.size(); ++next) {
    SmallVector<MemorySpace> way = ways[next];
    if (way.back() == to)
      return way;
    for (uint32_t i = 0; i <= getMaxEnumValForMemorySpace(); ++i) {
      auto space = static_cast<MemorySpace>(i);
      if (target.hasPath(way.back(), space) && !llvm::is_contained(way, space) &&
          target.getCore(space) == target.getCore(from)) {
        ways.push_back(way);
        ways.back().push_back(space);
      }
    }
  }
  return {};
}

Value Inference::insertMove(Operation *user, Value value, MemorySpace space, const Twine &reason) {
  Value &moved = moves[{value, space, user->getBlock()}];
  if (moved)
    return moved;
  builder.setInsertionPoint(user);
  auto move = TileMoveOp::create(builder, withSuffix(value, spaceWord(space), user->getLoc()),
                                 tileOf(value).withSpace(space), value, Value());
  move->setAttr(attr::kReason, builder.getStringAttr(reason));
  return moved = move.getResult();
}

/// Makes sure that the operand is in `wanted`.
LogicalResult Inference::require(OpOperand &use, MemorySpace wanted, const Twine &reason) {
  Value value = use.get();
  std::optional<MemorySpace> have = tileOf(value).getSpace();
  if (!have)
    return emitUserError(use.getOwner())
           << "uses " << valueWord(value) << ", whose memory space is not known";
  if (*have == wanted)
    return success();
  SmallVector<MemorySpace> path = findPath(*have, wanted);
  if (path.empty())
    return noPath(use, *have, wanted);
  std::string why = reason.str();
  for (MemorySpace space : ArrayRef<MemorySpace>(path).drop_front())
    value = insertMove(use.getOwner(), value, space, why);
  use.set(value);
  return success();
}

/// What to do instead, where no path leads from one space to the other.
static std::string adviceFor(Value value, MemorySpace have, MemorySpace wanted, bool mixed) {
  auto load = value.getDefiningOp<TileLoadOp>();
  if (load && have == MemorySpace::Vec && mixed)
    return "from Vec it needs a mixed kernel, which comes later; load it to Mat: "
           "target_memory=pl.Mem.Mat, or none";
  if (load && wanted == MemorySpace::Vec)
    return "load it to Vec: target_memory=pl.Mem.Vec, or none";
  if (mixed)
    return "that needs a mixed kernel, which comes later; use two kernels, with an array between "
           "them";
  if (have == MemorySpace::Acc && wanted != MemorySpace::DDR)
    return "store it to an array, and load that in a second kernel";
  if (wanted == MemorySpace::Acc)
    return "an accumulator begins with pl.matmul";
  if (wanted == MemorySpace::DDR)
    return "a store starts from Vec or Acc";
  if (wanted == MemorySpace::Left || wanted == MemorySpace::Right || wanted == MemorySpace::Bias)
    return "what goes there comes from Mat";
  return "store it to an array, and load that";
}

LogicalResult Inference::noPath(OpOperand &use, MemorySpace have, MemorySpace wanted) {
  Value value = use.get();
  // What an accumulator was moved to is of no help.
  while (have == MemorySpace::Acc && value.getDefiningOp<TileMoveOp>())
    value = value.getDefiningOp<TileMoveOp>().getSource();
  std::optional<CoreKind> from = target.getCore(have), to = target.getCore(wanted);
  bool mixed = from && to && from != to;
  Operation *user = use.getOwner();
  InFlightDiagnostic error = isa<scf::ForOp, scf::WhileOp, scf::YieldOp>(user)
                                 ? emitError(user->getLoc())
                                 : emitUserError(user);
  if (user->getNumOperands() > 1 && isa<TileComputeInterface>(user))
    error << "operand " << use.getOperandNumber() + 1 << ", ";
  bool toOtherCore = target.hasPath(have, wanted); // which is no way here
  error << valueWord(value) << " is needed in " << spaceWord(wanted) << ", and "
        << (toOtherCore ? "the path" : "no path leads") << " from " << spaceWord(have) << " to "
        << spaceWord(wanted) << " on " << target.name
        << (toOtherCore ? " leads to another core" : "") << "; "
        << adviceFor(value, have, wanted, mixed);
  Diagnostic &note = error.attachNote(value.getLoc());
  if (Operation *def = value.getDefiningOp())
    note << operationWord(def) << " makes it here, in " << spaceWord(have);
  else
    note << "it is carried here, in " << spaceWord(have);
  return error;
}

/// What is read with rows and columns exchanged is transposed on its way to Left or Right.
LogicalResult Inference::foldTransposes() {
  SmallVector<TileTransposeViewOp> views;
  func.walk([&](TileTransposeViewOp view) { views.push_back(view); });
  for (TileTransposeViewOp view : llvm::reverse(views)) {
    for (OpOperand &use : llvm::make_early_inc_range(view.getResult().getUses())) {
      auto move = dyn_cast<TileMoveOp>(use.getOwner());
      std::optional<MemorySpace> to =
          move ? getTileSpace(move.getResult().getType()) : std::optional<MemorySpace>();
      if (!to || (*to != MemorySpace::Left && *to != MemorySpace::Right))
        return emitUserError(use.getOwner())
               << "uses " << valueWord(view.getResult())
               << ", a tile read with rows and columns exchanged, which only goes to Left or Right";
      move.setTranspose(!move.getTranspose());
      move.getSourceMutable().assign(view.getSource());
    }
    view.erase();
  }
  return success();
}

LogicalResult Inference::run() {
  SmallVector<TileLoadOp> loads;
  func.walk<WalkOrder::PreOrder>([&](TileLoadOp load) { loads.push_back(load); });
  for (TileLoadOp load : loads)
    splitLoad(load);
  for (Block &block : func.getBody())
    if (failed(visitBlock(block)))
      return failure();
  return foldTransposes();
}

void InferTileMemorySpace::runOnOperation() {
  const TargetInfo *target = pto::getTarget(getOperation());
  if (!target)
    return signalPassFailure();
  bool failedAny = false;
  for (auto func : getOperation().getOps<func::FuncOp>())
    failedAny |= failed(Inference(func, *target).run());
  if (failedAny)
    signalPassFailure();
}
