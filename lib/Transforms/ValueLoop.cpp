//===- ValueLoop.cpp - Loops that carry tiles and arrays ------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/ValueLoop.h"

#include "Pto/Words.h"

using namespace mlir;
using namespace mlir::pto;

/// Whether the first region of the loop hands on what it gets, in that order.
static bool handsOn(scf::WhileOp loop) {
  return llvm::equal(loop.getConditionOp().getArgs(), loop.getBeforeArguments());
}

ValueLoop ValueLoop::get(Operation *op) {
  auto loop = dyn_cast_or_null<scf::WhileOp>(op);
  bool carries = isa_and_nonnull<scf::ForOp>(op) || (loop && handsOn(loop));
  return ValueLoop(carries ? op : nullptr);
}

ValueLoop ValueLoop::getOwner(Value value) {
  Operation *def = value.getDefiningOp();
  ValueLoop loop = get(def ? def : value.getParentBlock()->getParentOp());
  return loop && loop.getIndexOf(value) ? loop : ValueLoop(nullptr);
}

OpOperand &ValueLoop::getInit(unsigned index) const {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getInitArgsMutable()[index];
  return op->getOpOperand(index);
}

Value ValueLoop::getArgument(unsigned index) const {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getRegionIterArg(index);
  return cast<scf::WhileOp>(op).getAfterArguments()[index];
}

Value ValueLoop::getHeadArgument(unsigned index) const {
  auto loop = dyn_cast<scf::WhileOp>(op);
  return loop ? Value(loop.getBeforeArguments()[index]) : Value();
}

OpOperand &ValueLoop::getYielded(unsigned index) const {
  return getBody()->getTerminator()->getOpOperand(index);
}

Block *ValueLoop::getBody() const {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getBody();
  return cast<scf::WhileOp>(op).getAfterBody();
}

std::optional<unsigned> ValueLoop::getIndexOfInit(OpOperand &operand) const {
  auto loop = dyn_cast<scf::ForOp>(op);
  unsigned number = operand.getOperandNumber(), bounds = loop ? loop.getNumControlOperands() : 0;
  return number < bounds ? std::nullopt : std::optional<unsigned>(number - bounds);
}

std::optional<unsigned> ValueLoop::getIndexOf(Value value) const {
  if (auto result = dyn_cast<OpResult>(value))
    return result.getResultNumber();
  auto loop = dyn_cast<scf::ForOp>(op);
  unsigned number = cast<BlockArgument>(value).getArgNumber();
  unsigned counters = loop ? loop.getNumInductionVars() : 0;
  return number < counters ? std::nullopt : std::optional<unsigned>(number - counters);
}

Operation *ValueLoop::create(OpBuilder &builder, ArrayRef<Value> inits) const {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto made = scf::ForOp::create(builder, op->getLoc(), loop.getLowerBound(),
                                   loop.getUpperBound(), loop.getStep(), inits);
    made.setUnsignedCmp(loop.getUnsignedCmp());
    made.getBody()->clear();
    return made;
  }
  ValueRange values(inits);
  auto made = scf::WhileOp::create(builder, op->getLoc(), values.getTypes(), values);
  SmallVector<Location> locs(inits.size(), op->getLoc());
  for (Region &region : made->getRegions()) {
    if (region.empty())
      region.emplaceBlock();
    region.front().clear();
    if (region.front().getNumArguments() == 0)
      region.front().addArguments(values.getTypes(), locs);
  }
  return made;
}

/// Takes over the operations of a block; `counters` arguments come before the carried.
static void moveBody(Block *from, Block *to, unsigned counters, ArrayRef<int64_t> position) {
  to->getOperations().splice(to->end(), from->getOperations());
  auto replace = [](BlockArgument old, BlockArgument made) {
    made.setLoc(old.getLoc());
    if (old.getType() == made.getType())
      old.replaceAllUsesWith(made);
  };
  for (unsigned i = 0; i < counters; ++i)
    replace(from->getArgument(i), to->getArgument(i));
  for (auto [index, old] : llvm::enumerate(position))
    if (old >= 0)
      replace(from->getArgument(counters + old), to->getArgument(counters + index));
}

/// The names of what the new loop carries, if the old one's are known.
static void takeNames(Operation *op, Operation *made, unsigned counters, ArrayRef<int64_t> from) {
  auto names = op->getAttrOfType<ArrayAttr>(attr::kNames);
  if (!names || names.size() != counters + op->getNumResults())
    return;
  SmallVector<Attribute> kept(names.begin(), names.begin() + counters);
  for (int64_t old : from)
    kept.push_back(old < 0 ? StringAttr::get(op->getContext()) : names[counters + old]);
  made->setAttr(attr::kNames, ArrayAttr::get(op->getContext(), kept));
}

ValueLoop ValueLoop::rebuild(ArrayRef<Value> inits, ArrayRef<int64_t> from) const {
  OpBuilder builder(op);
  Operation *made = create(builder, inits);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  unsigned counters = isWhile() ? 0 : 1;
  takeNames(op, made, counters, from);
  for (auto [old, region] : llvm::zip(op->getRegions(), made->getRegions()))
    moveBody(&old.front(), &region.front(), counters, from);
  if (auto loop = dyn_cast<scf::WhileOp>(made)) {
    scf::ConditionOp condition = loop.getConditionOp();
    condition.getArgsMutable().assign(loop.getBeforeArguments());
  }
  return ValueLoop(made);
}

LogicalResult pto::checkHead(scf::WhileOp loop) {
  auto isData = [](Type type) { return isa<RankedTensorType>(type) || isa<TileType>(type); };
  if (llvm::none_of(loop->getResultTypes(), isData) &&
      llvm::none_of(loop->getOperandTypes(), isData))
    return success();
  if (!handsOn(loop))
    return loop.getConditionOp()->emitError(
        "a while loop that carries tiles or arrays hands on what its first region gets, in that "
        "order");
  WalkResult result = loop.getBefore().walk([&](Operation *op) {
    if (isa<scf::ConditionOp>(op) && op->getParentOp() == loop)
      return WalkResult::advance();
    if (llvm::none_of(op->getOperandTypes(), isData) && llvm::none_of(op->getResultTypes(), isData))
      return WalkResult::advance();
    emitUserError(op) << "uses a tile or an array in the condition of a while loop that carries "
                         "some; compute the condition before the loop and at the end of its body, "
                         "and carry it";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
