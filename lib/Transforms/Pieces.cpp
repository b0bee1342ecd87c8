//===- Pieces.cpp - Cutting operations into instructions ------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Pieces.h"

#include "Pto/Words.h"
#include "Transforms/TileControlFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pto;

BoundedExtent pto::getWindowExtent(Value buffer, unsigned dim) {
  auto type = cast<BufType>(buffer.getType());
  int64_t size = type.getShape()[dim];
  if (!ShapedType::isDynamic(size))
    return {Builder(buffer.getContext()).getIndexAttr(size), size};
  auto view = buffer.getDefiningOp<TileSubviewOp>();
  OpFoldResult extent = view ? view.getMixedSizes()[dim] : OpFoldResult();
  int64_t bound = type.getRoot()[dim];
  // A piece that a loop cut off is as wide as the loop's step at most.
  if (auto value = dyn_cast_if_present<Value>(extent))
    if (auto smaller = value.getDefiningOp<arith::MinSIOp>())
      if (std::optional<int64_t> step = getConstantIntValue(smaller.getLhs()))
        bound = std::min(bound, *step);
  return {extent, bound};
}

OpFoldResult pto::addIndex(OpBuilder &builder, Location loc, OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> left = getConstantIntValue(a), right = getConstantIntValue(b);
  if (left && right)
    return builder.getIndexAttr(*left + *right);
  if (left == 0)
    return b;
  if (right == 0)
    return a;
  return arith::AddIOp::create(builder, loc, getValueOrCreateConstantIndexOp(builder, loc, a),
                               getValueOrCreateConstantIndexOp(builder, loc, b))
      .getResult();
}

using Emit = llvm::function_ref<void(OpBuilder &, OpFoldResult, OpFoldResult)>;

/// `scf.for begin to end step step`, with what `emit` makes in it.
static void emitLoop(OpBuilder &builder, Location loc, OpFoldResult begin, OpFoldResult end,
                     int64_t step, llvm::function_ref<void(OpBuilder &, Value)> emit) {
  Value lower = getValueOrCreateConstantIndexOp(builder, loc, begin),
        upper = getValueOrCreateConstantIndexOp(builder, loc, end);
  Value by = arith::ConstantIndexOp::create(builder, loc, step);
  auto loop = scf::ForOp::create(builder, loc, lower, upper, by);
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  emit(inside, loop.getInductionVar());
}

static void emitDynamicPieces(OpBuilder &builder, Location loc, Value extent, int64_t begin,
                              int64_t step, Emit emit) {
  Value whole = arith::ConstantIndexOp::create(builder, loc, step);
  emitLoop(builder, loc, builder.getIndexAttr(begin), extent, step,
           [&](OpBuilder &inside, Value offset) {
             Value rest = arith::SubIOp::create(inside, loc, extent, offset);
             Value size = arith::MinSIOp::create(inside, loc, whole, rest);
             emit(inside, offset, size);
           });
}

void pto::forEachPiece(OpBuilder &builder, Location loc, BoundedExtent extent, int64_t begin,
                       int64_t step, int64_t unroll, Emit emit) {
  loc = unnamed(loc);
  if (begin == 0 && extent.bound <= step)
    return emit(builder, builder.getIndexAttr(0), extent.size);
  std::optional<int64_t> end = getConstantIntValue(extent.size);
  if (!end)
    return emitDynamicPieces(builder, loc, cast<Value>(extent.size), begin, step, emit);
  int64_t count = std::max<int64_t>(0, *end - begin) / step, tail = begin + count * step;
  if (count <= unroll)
    for (int64_t offset = begin; offset < tail; offset += step)
      emit(builder, builder.getIndexAttr(offset), builder.getIndexAttr(step));
  else
    emitLoop(
        builder, loc, builder.getIndexAttr(begin), builder.getIndexAttr(tail), step,
        [&](OpBuilder &inside, Value offset) { emit(inside, offset, inside.getIndexAttr(step)); });
  if (tail < *end)
    emit(builder, builder.getIndexAttr(tail), builder.getIndexAttr(*end - tail));
}

void pto::forEachWindow(OpBuilder &builder, Location loc, BoundedExtent rows, int64_t height,
                        BoundedExtent cols, int64_t width, int64_t unroll, EmitWindow emit) {
  auto emitStrip = [&](OpBuilder &b, OpFoldResult col, OpFoldResult wide) {
    forEachPiece(b, loc, rows, 0, height, unroll,
                 [&](OpBuilder &inner, OpFoldResult row, OpFoldResult high) {
                   emit(inner, {row, col}, {high, wide});
                 });
  };
  forEachPiece(builder, loc, cols, 0, width, unroll, emitStrip);
}

Value pto::getPiece(OpBuilder &builder, Location loc, Value buffer, ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> sizes) {
  auto type = cast<BufType>(buffer.getType());
  bool all = true;
  for (unsigned dim : {0u, 1u})
    all &=
        getConstantIntValue(offsets[dim]) == 0 && sizes[dim] == getWindowExtent(buffer, dim).size;
  if (all)
    return buffer;
  // A piece of a window is one window of what that is a window of.
  SmallVector<OpFoldResult> begin(offsets);
  if (auto view = buffer.getDefiningOp<TileSubviewOp>()) {
    for (auto [dim, offset] : llvm::enumerate(view.getMixedOffsets()))
      begin[dim] = addIndex(builder, unnamed(loc), begin[dim], offset);
    buffer = view.getSource();
  }
  SmallVector<Value> dynamicOffsets, dynamicSizes;
  SmallVector<int64_t> staticOffsets, staticSizes;
  dispatchIndexOpFoldResults(begin, dynamicOffsets, staticOffsets);
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  return TileSubviewOp::create(builder, renamed(loc, nameOf(buffer)), type.withShape(staticSizes),
                               buffer, dynamicOffsets, dynamicSizes, staticOffsets, staticSizes);
}
