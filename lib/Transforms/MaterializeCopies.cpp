//===- MaterializeCopies.cpp - pto-materialize-copies ---------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Out of SSA, while tiles are still values and "needed later" is a question with
// an exact answer. Hand-overs share a buffer where they can, those in the
// innermost loops first, so that the copies that stay are in the outer ones. What
// cannot gets a copy right before the hand-over; several copies at one place are
// parallel (a swap), so they are put in an order, with one more copy where they
// form a cycle. After the pass every hand-over shares a buffer.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Target/Target.h"
#include "Tile/TileOps.h"
#include "Transforms/Passes.h"
#include "Transforms/TileClasses.h"
#include "Transforms/TileControlFlow.h"
#include "Transforms/ValueLoop.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::pto {
#define GEN_PASS_DEF_MATERIALIZECOPIESPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class FunctionCopies {
public:
  FunctionCopies(func::FuncOp func, const TargetInfo &target)
      : func(func), target(target), classes(func) {}
  LogicalResult run();

private:
  LogicalResult joinUpdates();
  LogicalResult separate(ArrayRef<unsigned> transfers);
  bool tryCopy(unsigned transfer, const Clash &why);
  Operation *copy(unsigned transfer, const Clash &why);
  LogicalResult computeAgain(unsigned transfer, const Clash &why);
  bool isUnchanged(TileLoadOp load, Operation *at);
  MemorySpace getSpace(unsigned transfer);
  Value valueOf(unsigned tile) { return classes.getTiles()[tile].value; }

  func::FuncOp func;
  const TargetInfo &target;
  TileClasses classes;
};

class MaterializeCopies : public pto::impl::MaterializeCopiesPassBase<MaterializeCopies> {
public:
  using MaterializeCopiesPassBase::MaterializeCopiesPassBase;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// "'acc'", or the type of what has no name.
static std::string shortWord(Value value) {
  StringRef name = nameOf(value);
  return name.empty() ? "the tile " + typeWord(value.getType()) : ("'" + name + "'").str();
}

/// The loop or branch of a hand-over.
static Operation *getCarrier(const Transfer &transfer) {
  return isa<scf::YieldOp>(transfer.at) ? transfer.at->getParentOp() : transfer.at;
}

/// The name of what is carried or given: its own, or that of a value it takes.
static StringRef carriedName(const Transfer &transfer, Value to) {
  if (!nameOf(to).empty() || transfer.fixed)
    return nameOf(to);
  Operation *carrier = getCarrier(transfer);
  ValueLoop loop = ValueLoop::get(transfer.at);
  unsigned index =
      loop ? *loop.getIndexOfInit(transfer.at->getOpOperand(transfer.operand)) : transfer.operand;
  for (Region &region : carrier->getRegions())
    if (auto yield = dyn_cast<scf::YieldOp>(region.front().getTerminator()))
      if (StringRef name = nameOf(yield->getOperand(index)); !name.empty())
        return name;
  return nameOf(transfer.at->getOperand(transfer.operand));
}

static std::string describe(const Transfer &transfer, Value to) {
  if (transfer.fixed)
    return operationWord(transfer.at) + " changes " +
           shortWord(transfer.at->getOperand(transfer.operand));
  StringRef name = carriedName(transfer, to);
  return (isa<scf::ForOp, scf::WhileOp>(getCarrier(transfer)) ? "the loop carries "
                                                              : "the branch gives ") +
         (name.empty() ? shortWord(to) : ("'" + name + "'").str());
}

static InFlightDiagnostic &addNotes(InFlightDiagnostic &error, const Clash &why, Value needed) {
  error.attachNote(needed.getLoc()) << shortWord(needed) << " is made here";
  error.attachNote(why.use->getOwner()->getLoc()) << "and is needed here";
  return error;
}

/// What to do where no copy can be made.
static StringRef getAdvice(MemorySpace space) {
  if (space == MemorySpace::Acc)
    return "store it to an array before that, or compute the product again where it is needed";
  return "load or move it again where it is needed, instead of keeping it";
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

MemorySpace FunctionCopies::getSpace(unsigned transfer) {
  Value to = valueOf(classes.getTransfers()[transfer].to);
  return *getTileSpace(to.getType());
}

/// A copy of what is handed over, right before that.
Operation *FunctionCopies::copy(unsigned transfer, const Clash &why) {
  const Transfer &here = classes.getTransfers()[transfer];
  Value to = valueOf(here.to), source = here.at->getOperand(here.operand);
  OpBuilder builder(here.at);
  Location loc = renamed(getCarrier(here)->getLoc(), carriedName(here, to));
  Operation *move = TileMoveOp::create(builder, loc, source.getType(), source, Value());
  std::string reason = describe(here, to) + ", and " + shortWord(valueOf(why.needed)) +
                       " is still needed when its buffer would be written over";
  move->setAttr(attr::kReason, builder.getStringAttr(reason));
  return move;
}

bool FunctionCopies::tryCopy(unsigned transfer, const Clash &why) {
  // Whether the copy may stand here is a question about it, so make it first.
  Operation *move = copy(transfer, why);
  Value source = move->getOperand(0);
  classes.insert(transfer, move);
  if (!classes.findClash(transfer)) {
    classes.join(transfer);
    return true;
  }
  classes.remove(transfer, source);
  return false;
}

/// Whether a load at `at` would give what `load` gave: nothing stores to its
/// array in between.
bool FunctionCopies::isUnchanged(TileLoadOp load, Operation *at) {
  WalkResult result = func.walk([&](TileStoreOp store) {
    if (store.getDest() != load.getSource())
      return WalkResult::advance();
    // In a loop around `at` that the load is not in, the store may have been.
    for (Operation *loop = store->getParentOp(); loop; loop = loop->getParentOp())
      if (isa<scf::ForOp, scf::WhileOp>(loop) && loop->isProperAncestor(at) &&
          !loop->isProperAncestor(load))
        return WalkResult::interrupt();
    bool afterLoad = classes.isBefore(load, store), beforeAt = classes.isBefore(store, at);
    return afterLoad && beforeAt ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// In a space without a copy path: the same instruction again, or an error.
LogicalResult FunctionCopies::computeAgain(unsigned transfer, const Clash &why) {
  const Transfer here = classes.getTransfers()[transfer];
  Value source = here.at->getOperand(here.operand), to = valueOf(here.to);
  Operation *def = valueOf(here.from).getDefiningOp();
  auto load = dyn_cast_or_null<TileLoadOp>(def);
  bool again = (load && isUnchanged(load, here.at)) || isa_and_nonnull<TileMoveOp, TileFullOp>(def);
  if (again && source == valueOf(here.from)) {
    OpBuilder builder(here.at);
    Operation *clone = builder.clone(*def);
    clone->setAttr(attr::kReason,
                   builder.getStringAttr(describe(here, to) + ", and " +
                                         shortWord(valueOf(why.needed)) + " is still needed; " +
                                         spaceWord(getSpace(transfer)).str() +
                                         " has no copy path, so it is made again"));
    classes.insert(transfer, clone);
    bool kept = !classes.findClash(transfer);
    // What it is made of lives longer now.
    for (Value operand : clone->getOperands())
      if (classes.isTile(operand))
        kept &= !classes.findLoss(classes.getNumber(operand));
    if (kept) {
      classes.join(transfer);
      return success();
    }
    classes.remove(transfer, source);
  }
  Value needed = valueOf(why.needed);
  InFlightDiagnostic error = mlir::emitError(getCarrier(here)->getLoc());
  error << describe(here, to) << " in one buffer, and " << valueWord(needed)
        << " is still needed when that is written over; " << spaceWord(getSpace(transfer))
        << " has no copy path: " << getAdvice(getSpace(transfer));
  return addNotes(error, why, needed);
}

/// The parallel copies at one place, in an order in which none writes over what
/// another one still reads.
LogicalResult FunctionCopies::separate(ArrayRef<unsigned> transfers) {
  SmallVector<unsigned> open(transfers);
  bool temporaries = false;
  while (!open.empty()) {
    SmallVector<unsigned> rest;
    for (unsigned transfer : open) {
      std::optional<Clash> why = classes.findClash(transfer);
      if (!why) {
        classes.join(transfer);
      } else if (!target.hasPath(getSpace(transfer), getSpace(transfer))) {
        if (failed(computeAgain(transfer, *why)))
          return failure();
      } else if (!tryCopy(transfer, *why)) {
        rest.push_back(transfer);
      }
    }
    if (rest.size() == open.size()) {
      // A cycle: take every value to a place of its own first.
      const Transfer &here = classes.getTransfers()[rest.front()];
      if (temporaries)
        return mlir::emitError(getCarrier(here)->getLoc())
               << describe(here, valueOf(here.to))
               << ", but its values cannot be kept apart; carry fewer tiles";
      temporaries = true;
      for (unsigned transfer : rest)
        if (std::optional<Clash> why = classes.findClash(transfer))
          classes.insert(transfer, copy(transfer, *why));
    }
    open = std::move(rest);
  }
  return success();
}

/// What is changed in place must not be needed any more as it was: it gets a copy to
/// change, where there is a copy path.
LogicalResult FunctionCopies::joinUpdates() {
  for (unsigned index = 0; index < classes.getTransfers().size(); ++index) {
    const Transfer transfer = classes.getTransfers()[index];
    if (!transfer.fixed)
      continue;
    std::optional<Clash> why = classes.findClash(index);
    if (!why) {
      classes.join(index);
      continue;
    }
    MemorySpace space = getSpace(index);
    if (target.hasPath(space, space) && tryCopy(index, *why))
      continue;
    Value needed = valueOf(why->needed);
    InFlightDiagnostic error = emitUserError(transfer.at);
    error << (space == MemorySpace::Acc ? "adds to its accumulator" : "changes its first operand")
          << " in place, but " << valueWord(needed) << " is still needed after it; "
          << getAdvice(space);
    return addNotes(error, *why, needed);
  }
  return success();
}

LogicalResult FunctionCopies::run() {
  if (failed(joinUpdates()))
    return failure();
  SmallVector<std::pair<unsigned, unsigned>> order; // depth, hand-over
  for (auto [index, transfer] : llvm::enumerate(classes.getTransfers())) {
    unsigned depth = 0;
    for (Operation *op = transfer.at->getParentOp(); op; op = op->getParentOp())
      depth += isa<scf::ForOp, scf::WhileOp>(op);
    if (!transfer.fixed)
      order.push_back({depth, index});
  }
  llvm::stable_sort(order, [](auto a, auto b) { return a.first > b.first; });
  llvm::MapVector<Operation *, SmallVector<unsigned>> clashing;
  for (auto [depth, transfer] : order) {
    if (classes.findClash(transfer))
      clashing[classes.getTransfers()[transfer].at].push_back(transfer);
    else
      classes.join(transfer);
  }
  for (auto &[at, transfers] : clashing)
    if (failed(separate(transfers)))
      return failure();
  return success();
}

void MaterializeCopies::runOnOperation() {
  const TargetInfo *target = pto::getTarget(getOperation());
  if (!target)
    return signalPassFailure();
  bool ok = true;
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    if (!isKernel(func))
      continue;
    if (failed(checkTileControlFlow(func)) || failed(checkTileSpaces(func))) {
      ok = false;
      continue;
    }
    expandTileSelects(func);
    ok &= succeeded(FunctionCopies(func, *target).run());
  }
  if (!ok)
    signalPassFailure();
}
