//===- Extents.cpp - The valid rows and columns of a tile -----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Extents.h"

#include "Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pto;

OpFoldResult pto::normalizeExtent(OpFoldResult extent) {
  auto value = dyn_cast<Value>(extent);
  if (!value)
    return extent;
  std::optional<int64_t> known = getConstantIntValue(value);
  return known ? OpFoldResult(Builder(value.getContext()).getIndexAttr(*known)) : extent;
}

OpFoldResult pto::divideExtent(OpFoldResult extent, int64_t divisor, Operation *op) {
  if (divisor == 1)
    return extent;
  OpBuilder builder(op);
  if (std::optional<int64_t> known = getConstantIntValue(extent))
    return builder.getIndexAttr(llvm::divideCeil(*known, divisor));
  Value units = arith::ConstantIndexOp::create(builder, op->getLoc(), divisor);
  Value more = arith::ConstantIndexOp::create(builder, op->getLoc(), divisor - 1);
  Value sum = arith::AddIOp::create(builder, op->getLoc(), cast<Value>(extent), more);
  return arith::DivUIOp::create(builder, op->getLoc(), sum, units).getResult();
}

OpFoldResult pto::largerExtent(OpFoldResult a, OpFoldResult b, Operation *op) {
  if (a == b)
    return a;
  OpBuilder builder(op);
  std::optional<int64_t> first = getConstantIntValue(a), second = getConstantIntValue(b);
  if (first && second)
    return builder.getIndexAttr(std::max(*first, *second));
  Value x = getValueOrCreateConstantIndexOp(builder, op->getLoc(), a);
  Value y = getValueOrCreateConstantIndexOp(builder, op->getLoc(), b);
  return arith::MaxSIOp::create(builder, op->getLoc(), x, y).getResult();
}

ExtentSource pto::getExtentSource(Value tile, unsigned dim) {
  Operation *op = tile.getDefiningOp();
  Builder builder(tile.getContext());
  if (auto load = dyn_cast_or_null<TileLoadOp>(op))
    if (!load.getStaticValid().empty())
      return {normalizeExtent(load.getMixedValid()[dim]), {}};
  if (auto valid = dyn_cast_or_null<TileSetValidShapeOp>(op))
    return {normalizeExtent(valid.getMixedValid()[dim]), {}};
  if (auto compute = dyn_cast_or_null<TileComputeInterface>(op)) {
    ExtentRule rule = compute.getExtentRule(compute.getSources().size(), dim);
    if (rule.operand >= 0)
      return {normalizeExtent(compute.getSources()[rule.operand]), {}};
    if (rule.source < 0)
      return {builder.getIndexAttr(rule.constant), {}};
    return {{},
            compute.getSources()[rule.source],
            rule.dim,
            rule.divisor,
            rule.also < 0 ? Value() : compute.getSources()[rule.also]};
  }
  // Any other tile is full; what a region carries is for the caller.
  if (op && op->getNumRegions() == 0)
    return {builder.getIndexAttr(getShapeOf(tile.getType())[dim]), {}};
  return {{}, tile, dim};
}

OpFoldResult ExtentAnalysis::get(Value tile, unsigned dim) {
  SmallVector<std::pair<Value, unsigned>> path;
  OpFoldResult extent;
  while (!extent) {
    auto found = known.find({tile, dim});
    if (found != known.end()) {
      extent = found->second;
      break;
    }
    path.push_back({tile, dim});
    ExtentSource source = getExtentSource(tile, dim);
    extent = source.extent;
    if (!source.isPlain()) {
      Operation *op = tile.getDefiningOp();
      extent = divideExtent(get(source.tile, source.dim), source.divisor, op);
      if (source.also)
        extent = largerExtent(extent, get(source.also, source.dim), op);
    }
    if (!extent && source.tile == tile)
      extent = Builder(tile.getContext()).getIndexAttr(getShapeOf(tile.getType())[dim]);
    tile = source.tile;
    dim = source.dim;
  }
  for (auto step : path)
    known[step] = extent;
  return extent;
}
