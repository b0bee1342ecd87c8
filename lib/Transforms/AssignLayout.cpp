//===- AssignLayout.cpp - pto-assign-layout --------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Each memory space holds tiles in one order, which the target description
// knows. From here on a tile's type says where each of its elements lies.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Target/Target.h"
#include "Tile/TileOps.h"
#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_ASSIGNLAYOUTPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class AssignLayout : public pto::impl::AssignLayoutPassBase<AssignLayout> {
public:
  using AssignLayoutPassBase::AssignLayoutPassBase;
  void runOnOperation() override;
};
} // namespace

/// The place to blame for a value: where it is made, or the region that has it.
static InFlightDiagnostic emitValueError(Value value) {
  if (Operation *def = value.getDefiningOp())
    return emitUserError(def);
  return emitError(value.getLoc());
}

/// Whole fractals, or rows of whole blocks. A single row lies in the first of its fractals.
static LogicalResult checkExtents(Value value, TileType type, TileLayout layout) {
  FractalShape fractal = getFractalShape(layout, *type.getSpace(), type.getElementType());
  int64_t rows = type.getRows() == 1 ? 1 : llvm::alignTo(type.getRows(), fractal.rows);
  int64_t cols = llvm::alignTo(type.getCols(), fractal.cols);
  if (isFractal(layout) && (rows != type.getRows() || cols != type.getCols()))
    return emitValueError(value) << "matmul tiles are multiples of " << fractal.rows << " rows and "
                                 << fractal.cols << " columns in " << spaceWord(*type.getSpace())
                                 << ", found " << valueWord(value) << "; use "
                                 << shapeWord({rows, cols})
                                 << " with fewer valid rows and columns (valid_shape=), or whole "
                                    "arrays, which are padded";
  int64_t bytes = type.getCols() * getElementBytes(type.getElementType());
  if (layout == TileLayout::ND && type.getCols() != 1 && bytes % 32 != 0)
    return emitValueError(value) << "a tile's rows are a multiple of 32 bytes in Vec; "
                                 << valueWord(value) << " has rows of " << bytes
                                 << " bytes; use a multiple of "
                                 << 32 / getElementBytes(type.getElementType()) << " columns";
  return success();
}

/// A row in Mat that goes to the bias table only, which takes a run of bytes.
static bool isRowOfBiases(Value value) {
  if (getTileSpace(value.getType()) != MemorySpace::Mat || getShapeOf(value.getType())[0] != 1 ||
      value.use_empty())
    return false;
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    auto move = dyn_cast<TileMoveOp>(user);
    return move && move.getResult() &&
           getTileSpace(move.getResult().getType()) == MemorySpace::Bias;
  });
}

static LogicalResult assign(Value value, const TargetInfo &target) {
  auto type = dyn_cast<TileType>(value.getType());
  if (!type)
    return success();
  if (!type.getSpace())
    return emitValueError(value) << "the tile " << valueWord(value)
                                 << " has no memory space; pto-infer-tile-memory-space runs first";
  TileLayout layout = target.getLayout(*type.getSpace(), type.getShape());
  if (isRowOfBiases(value))
    layout = target.getLayout(MemorySpace::Bias, type.getShape());
  if (type.getLayout() && *type.getLayout() != layout)
    return emitValueError(value) << "a tile in " << spaceWord(*type.getSpace()) << " has layout "
                                 << stringifyTileLayout(layout) << " on " << target.name
                                 << ", found " << stringifyTileLayout(*type.getLayout());
  if (failed(checkExtents(value, type, layout)))
    return failure();
  value.setType(type.withLayout(layout));
  return success();
}

/// Every tile in program order; the first that cannot be is enough, since those
/// computed from it cannot be either.
static LogicalResult assign(func::FuncOp func, const TargetInfo &target) {
  WalkResult result = func.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    for (Value value : op->getResults())
      if (failed(assign(value, target)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value value : block.getArguments())
          if (failed(assign(value, target)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void AssignLayout::runOnOperation() {
  const TargetInfo *target = pto::getTarget(getOperation());
  if (!target)
    return signalPassFailure();
  bool failedAny = false;
  for (auto func : getOperation().getOps<func::FuncOp>())
    failedAny |= failed(assign(func, *target));
  if (failedAny)
    signalPassFailure();
}
