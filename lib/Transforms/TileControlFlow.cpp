//===- TileControlFlow.cpp - Tiles in loops and branches ------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/TileControlFlow.h"

#include "Pto/Words.h"
#include "Tile/TileOps.h"
#include "Transforms/ValueLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::pto;

bool pto::isKernel(func::FuncOp func) {
  if (func.isExternal())
    return false;
  switch (getFunctionKind(func)) {
  case FunctionKind::InCore:
  case FunctionKind::AIC:
  case FunctionKind::AIV:
  case FunctionKind::Group:
    return true;
  default:
    return false;
  }
}

static bool touchesTiles(Operation *op) {
  auto isTile = [](Type type) { return isa<TileType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTile) || llvm::any_of(op->getResultTypes(), isTile))
    return true;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), isTile))
        return true;
  return false;
}

LogicalResult pto::checkTileControlFlow(func::FuncOp func) {
  bool ok = true;
  func.walk([&](Operation *op) {
    if (!touchesTiles(op) || op->hasTrait<TileLevel>() || isa<scf::ForOp, scf::IfOp>(op) ||
        isa<scf::ConditionOp>(op) ||
        (isa<scf::YieldOp>(op) && isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op->getParentOp())))
      return;
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      ok &= succeeded(checkHead(loop));
      return;
    }
    if (auto select = dyn_cast<arith::SelectOp>(op))
      if (select.getCondition().getType().isInteger(1))
        return;
    ok = false;
    if (op == func) {
      op->emitError("a tile is on one core and does not cross the border of a function; pass the "
                    "array and load it inside");
      return;
    }
    op->emitError() << "a tile passes through '" << op->getName()
                    << "', which is not supported; only loops and 'if' carry tiles";
  });
  return success(ok);
}

LogicalResult pto::checkTileSpaces(func::FuncOp func) {
  WalkResult result = func.walk([&](Operation *op) {
    for (Value value : op->getResults()) {
      auto type = dyn_cast<TileType>(value.getType());
      if (!type || (type.getSpace() && type.getLayout()))
        continue;
      mlir::emitError(value.getLoc())
          << valueWord(value) << " has no " << (type.getSpace() ? "layout" : "memory space")
          << " yet; run pto-infer-tile-memory-space and pto-assign-layout first";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void pto::expandTileSelects(func::FuncOp func) {
  SmallVector<arith::SelectOp> selects;
  func.walk([&](arith::SelectOp select) {
    if (isa<TileType>(select.getType()))
      selects.push_back(select);
  });
  for (arith::SelectOp select : selects) {
    OpBuilder builder(select);
    auto branch = scf::IfOp::create(
        builder, select.getLoc(), select.getCondition(),
        [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, select.getTrueValue()); },
        [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, select.getFalseValue()); });
    select.replaceAllUsesWith(branch.getResult(0));
    select.erase();
  }
}

Location pto::unnamed(Location loc) {
  while (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  return loc;
}

Location pto::renamed(Location loc, StringRef name) {
  if (name.empty())
    return unnamed(loc);
  return NameLoc::get(StringAttr::get(loc.getContext(), name), unnamed(loc));
}
