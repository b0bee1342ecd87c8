//===- TileParts.cpp - Tiles: parts, other shapes, creation ---------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Tile/TileSupport.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pto;

std::optional<MemorySpace> pto::getSlicedSpace(std::optional<MemorySpace> space) {
  return !space || *space == MemorySpace::Vec ? MemorySpace::Vec : MemorySpace::Mat;
}

LogicalResult pto::verifyValueFormOnly(Operation *op) {
  if (!cast<TileComputeInterface>(op).getDestination())
    return success();
  return emitUserError(op) << "is a value; on buffers it is pto.tile.move between windows of "
                              "them, or pto.tile.set_value";
}

void TileCreateOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), (*this)->getOpResult(0));
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static TileComputeInterface asCompute(Operation *op) { return cast<TileComputeInterface>(op); }
static ArrayRef<int64_t> getMadeShape(Operation *op) {
  return getShapeOf(asCompute(op).getResultOrDstType());
}
static Type getMadeElement(Operation *op) {
  return getElementTypeOf(asCompute(op).getResultOrDstType());
}

static LogicalResult verifyElement(Operation *op, Value source) {
  Type element = getElementTypeOf(source.getType());
  if (getMadeElement(op) == element)
    return success();
  return emitUserError(op) << "keeps the element type of " << valueWord(source) << ", found "
                           << dtypeWord(getMadeElement(op));
}

static LogicalResult verifyScalar(Operation *op, Value scalar, Type element) {
  if (scalar.getType() == getScalarType(element))
    return success();
  return emitUserError(op) << "an element is " << dtypeWord(element) << ", found "
                           << dtypeWord(scalar.getType());
}

/// A window of known place and extent lies in the tile.
static LogicalResult verifyInside(Operation *op, Value tile, ValueRange place,
                                  ArrayRef<int64_t> extents) {
  ArrayRef<int64_t> shape = getShapeOf(tile.getType());
  for (auto [dim, offset] : llvm::enumerate(place)) {
    std::optional<int64_t> begin = getConstantIntValue(offset);
    if (ShapedType::isDynamic(shape[dim]))
      continue;
    if (begin && *begin < 0)
      return emitUserError(op) << "offset " << *begin << " in dimension " << dim
                               << " is negative; the tile is " << valueWord(tile);
    if (begin.value_or(0) > shape[dim] - extents[dim])
      return emitUserError(op) << "the window reaches beyond the tile " << valueWord(tile)
                               << ": in dimension " << dim << " it covers "
                               << rangeWord(begin.value_or(0), extents[dim]) << " of "
                               << rangeWord(0, shape[dim]);
  }
  return success();
}

static LogicalResult verifyMadeShape(Operation *op, ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> found = getMadeShape(op);
  for (auto [want, have] : llvm::zip(expected, found))
    if (want != have && !ShapedType::isDynamic(want) && !ShapedType::isDynamic(have))
      return emitUserError(op) << "makes a tile of " << shapeWord(expected) << ", found "
                               << shapeWord(found);
  return success();
}

/// Rows of a tile in Vec begin on 32 bytes.
static LogicalResult verifyRows(Operation *op) {
  if (asCompute(op).getDestination())
    return success();
  Type type = op->getResult(0).getType();
  int64_t cols = getShapeOf(type)[1], bytes = getElementBytes(getElementTypeOf(type));
  std::optional<MemorySpace> space = getTileSpace(type);
  if (cols == 1 || cols * bytes % 32 == 0 || (space && *space != MemorySpace::Vec))
    return success();
  return emitUserError(op) << "a tile's rows are a multiple of 32 bytes; " << typeWord(type)
                           << " has rows of " << cols * bytes << " bytes; use a multiple of "
                           << 32 / bytes << " columns";
}

//===----------------------------------------------------------------------===//
// Verifiers: what is true on every chip
//===----------------------------------------------------------------------===//

LogicalResult TileCreateOp::verify() {
  auto type = cast<TileType>(getResult().getType());
  int64_t bytes = type.getCols() * getElementBytes(type.getElementType());
  bool vec = !type.getSpace() || *type.getSpace() == MemorySpace::Vec;
  if (!vec || type.getCols() == 1 || bytes % 32 == 0)
    return success();
  return emitUserError(*this) << "a tile's rows are a multiple of 32 bytes; " << typeWord(type)
                              << " has rows of " << bytes << " bytes; use a multiple of "
                              << 32 / getElementBytes(type.getElementType()) << " columns";
}

LogicalResult TileSliceOp::verify() {
  if (failed(verifyElement(*this, getSource())) || failed(verifyRows(*this)))
    return failure();
  // A slice may be padded to whole blocks behind what it has of the source.
  SmallVector<int64_t> wanted;
  for (Value extent : {getRows(), getCols()})
    wanted.push_back(getConstantIntValue(extent).value_or(0));
  for (unsigned dim : {0u, 1u})
    if (wanted[dim] < 0 || wanted[dim] > getMadeShape(*this)[dim])
      return emitUserError(*this) << "valid extent " << wanted[dim] << " in dimension " << dim
                                  << " is not within 0 to " << getMadeShape(*this)[dim];
  return verifyInside(*this, getSource(), {getRow(), getCol()}, wanted);
}

LogicalResult TileAssembleOp::verify() {
  if (failed(verifyElement(*this, getSource())))
    return failure();
  // The source's valid region may be smaller than its shape.
  return verifyInside(*this, getTarget(), {getRow(), getCol()}, {0, 0});
}

LogicalResult TileConcatOp::verify() {
  if (failed(verifyElement(*this, getLhs())) || failed(verifyElement(*this, getRhs())) ||
      failed(verifyRows(*this)))
    return failure();
  ArrayRef<int64_t> lhs = getShapeOf(getLhs().getType()), rhs = getShapeOf(getRhs().getType());
  if (lhs[0] != rhs[0])
    return emitUserError(*this) << "puts tiles of as many rows side by side, found "
                                << valueWord(getLhs()) << " and " << valueWord(getRhs());
  return verifyMadeShape(*this, {lhs[0], lhs[1] + rhs[1]});
}

LogicalResult TileWriteOp::verify() {
  if (failed(verifyScalar(*this, getValue(), getMadeElement(*this))))
    return failure();
  return verifyInside(*this, getTarget(), {getRow(), getCol()}, {1, 1});
}

/// The number of elements of a shape; nothing if it is not known.
static std::optional<int64_t> countOf(ArrayRef<int64_t> shape) {
  if (ShapedType::isDynamicShape(shape))
    return std::nullopt;
  return getElementCount(shape);
}

LogicalResult TileReshapeOp::verify() {
  if (failed(verifyRows(*this)))
    return failure();
  SmallVector<int64_t> made(getMadeShape(*this));
  if (getValid()) {
    if (getValid()->size() != 2)
      return emitUserError(*this) << "has two valid extents";
    for (unsigned dim : {0u, 1u})
      if ((*getValid())[dim] < 0 ||
          (!ShapedType::isDynamic(made[dim]) &&(*getValid())[dim] > made[dim]))
        return emitUserError(*this) << "valid extent " << (*getValid())[dim] << " in dimension "
                                    << dim << " is not within 0 to " << made[dim];
    return success();
  }
  std::optional<int64_t> have = countOf(getShapeOf(getSource().getType())), want = countOf(made);
  int64_t from = getElementBytes(getElementTypeOf(getSource().getType()));
  int64_t to = getElementBytes(getMadeElement(*this));
  if (!have || !want || *have * from == *want * to)
    return success();
  return emitUserError(*this) << "keeps the number of bytes, and " << valueWord(getSource())
                              << " has " << *have * from << ", what it makes " << shapeWord(made)
                              << " " << *want * to;
}

LogicalResult TileTransposeOp::verify() {
  ArrayRef<int64_t> shape = getShapeOf(getSource().getType()), made = getMadeShape(*this);
  if (failed(verifyElement(*this, getSource())) || failed(verifyRows(*this)))
    return failure();
  // Columns may be padded to whole blocks.
  bool padded = !ShapedType::isDynamicShape(shape) && !ShapedType::isDynamicShape(made) &&
                made[0] == shape[1] && made[1] > shape[0];
  return padded ? success() : verifyMadeShape(*this, {shape[1], shape[0]});
}

LogicalResult TileTransposeViewOp::verify() {
  ArrayRef<int64_t> shape = getShapeOf(getSource().getType());
  return failure(failed(verifyElement(*this, getSource())) ||
                 failed(verifyMadeShape(*this, {shape[1], shape[0]})));
}

LogicalResult TileFillpadOp::verify() {
  if (failed(verifyElement(*this, getSource())) || failed(verifyRows(*this)) ||
      failed(verifyScalar(*this, getValue(), getMadeElement(*this))))
    return failure();
  ArrayRef<int64_t> from = getShapeOf(getSource().getType()), to = getMadeShape(*this);
  for (unsigned dim : {0u, 1u})
    if (!ShapedType::isDynamic(from[dim]) && !ShapedType::isDynamic(to[dim]) && to[dim] < from[dim])
      return emitUserError(*this) << "makes a tile at least as large as " << valueWord(getSource())
                                  << ", found " << shapeWord(to);
  return success();
}

/// A row of numbers: columns, and one row.
LogicalResult TileCiOp::verify() {
  if (failed(verifyRows(*this)) || failed(verifyScalar(*this, getStart(), getMadeElement(*this))))
    return failure();
  ArrayRef<int64_t> shape = getMadeShape(*this);
  if (!getMadeElement(*this).isInteger(16) && !getMadeElement(*this).isInteger(32))
    return emitUserError(*this) << "makes INT16, INT32, UINT16 or UINT32, found "
                                << dtypeWord(getMadeElement(*this));
  if (shape[0] == 1 && shape[1] != 1)
    return success();
  return emitUserError(*this) << "makes one row of more than one column, found "
                              << shapeWord(shape);
}

LogicalResult TileTriOp::verify() { return verifyRows(*this); }

LogicalResult TileRandomOp::verify() {
  if (!getMadeElement(*this).isInteger(32))
    return emitUserError(*this) << "makes INT32 or UINT32, found "
                                << dtypeWord(getMadeElement(*this));
  if (getRounds() != 7 && getRounds() != 10)
    return emitUserError(*this) << "has 7 or 10 rounds, found " << getRounds();
  return verifyRows(*this);
}
