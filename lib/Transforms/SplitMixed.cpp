//===- SplitMixed.cpp - pto-split-mixed ------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A cluster has one core for products and two for the rest, and a kernel is
// compiled for one kind. The spaces of its tiles say which.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Target/Target.h"
#include "Tile/TileOps.h"
#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_SPLITMIXEDPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class SplitMixed : public pto::impl::SplitMixedPassBase<SplitMixed> {
public:
  using SplitMixedPassBase::SplitMixedPassBase;
  void runOnOperation() override;
};
} // namespace

namespace {
/// What stands for one side of a function: the first operation that computes, else
/// the first that moves or stores, else a load, which may be there for both sides.
struct Side {
  Operation *op = nullptr;
  int weight = -1;
  unsigned position = 0;

  void add(Operation *candidate, unsigned at) {
    int found = isa<TileLoadOp>(candidate) ? 0 : isa<TileMoveOp, TileStoreOp>(candidate) ? 1 : 2;
    if (found <= weight)
      return;
    op = candidate;
    weight = found;
    position = at;
  }
};
} // namespace

/// The tile that the author loads once and pto-infer-tile-memory-space twice, for
/// Vec and for Mat, since its uses want both; null if there is none.
static TileLoadOp findLoadForBoth(func::FuncOp func) {
  DenseMap<std::pair<Value, Location>, TileLoadOp> first;
  TileLoadOp found;
  func.walk([&](TileLoadOp load) {
    auto [known, isNew] = first.try_emplace({load.getSource(), load.getLoc()}, load);
    bool differs = !isNew && load.getResult() && known->second.getResult() &&
                   known->second.getResult().getType() != load.getResult().getType();
    if (differs && !isa<UnknownLoc>(load.getLoc()) && !found)
      found = load;
  });
  return found;
}

static LogicalResult refuseMixed(func::FuncOp func, Operation *first, StringRef firstCore,
                                 Operation *second, StringRef secondCore) {
  InFlightDiagnostic error = emitUserError(second)
                             << "runs on " << secondCore << ", but '" << func.getName()
                             << "' also works on " << firstCore
                             << "; mixed kernels come later: make two functions, with an array "
                                "between them";
  error.attachNote(first->getLoc()) << operationWord(first) << " runs on " << firstCore;
  if (TileLoadOp load = findLoadForBoth(func)) {
    StringRef name = nameOf(load.getResult());
    error.attachNote(load.getLoc())
        << (name.empty() ? "this tile" : ("'" + name + "'").str())
        << " is wanted in two spaces, so that it is loaded for Vec and for Mat; load it in each of "
           "the two functions";
  }
  return error;
}

/// The core that the author says the function runs on, if any.
static std::optional<CoreKind> declaredCore(func::FuncOp func) {
  auto name = func->getAttrOfType<StringAttr>("pto.core");
  if (!name)
    return std::nullopt;
  return name.getValue() == "aic" ? CoreKind::AIC : CoreKind::AIV;
}

static LogicalResult refuseCore(func::FuncOp func, Operation *op, CoreKind found) {
  bool cube = found == CoreKind::AIC;
  InFlightDiagnostic error = emitUserError(op)
                             << "runs on the " << (cube ? "cube" : "vector") << " core, but '"
                             << func.getName() << "' is declared for the "
                             << (cube ? "vector core (AIV)" : "cube core (AIC)")
                             << "; make it a function of type pl.FunctionType.InCore, whose core "
                                "the compiler finds";
  error.attachNote(func.getLoc()) << "the function is declared here";
  return error;
}

/// Sets the kind of an in-core function. One without tiles runs on a vector core, if its
/// author says nothing else.
static LogicalResult classify(func::FuncOp func, const TargetInfo &target) {
  Side cube, vector;
  unsigned position = 0;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (std::optional<CoreKind> core = target.getCore(op))
      (*core == CoreKind::AIC ? cube : vector).add(op, ++position);
  });
  if (cube.op && vector.op)
    return cube.position < vector.position
               ? refuseMixed(func, cube.op, "the cube core", vector.op, "the vector core")
               : refuseMixed(func, vector.op, "the vector core", cube.op, "the cube core");
  std::optional<CoreKind> declared = declaredCore(func);
  if (declared == CoreKind::AIV && cube.op)
    return refuseCore(func, cube.op, CoreKind::AIC);
  if (declared == CoreKind::AIC && vector.op)
    return refuseCore(func, vector.op, CoreKind::AIV);
  bool onCube = cube.op || declared == CoreKind::AIC;
  FunctionKind made = onCube ? FunctionKind::AIC : FunctionKind::AIV;
  func->setAttr(attr::kKind, FunctionKindAttr::get(func.getContext(), made));
  // The kind says it from here on.
  func->removeAttr("pto.core");
  return success();
}

void SplitMixed::runOnOperation() {
  const TargetInfo *target = pto::getTarget(getOperation());
  if (!target)
    return signalPassFailure();
  bool failedAny = false;
  for (auto func : getOperation().getOps<func::FuncOp>())
    if (getFunctionKind(func) == FunctionKind::InCore)
      failedAny |= failed(classify(func, *target));
  if (failedAny)
    signalPassFailure();
}
