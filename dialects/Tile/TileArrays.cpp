//===- TileArrays.cpp - Arrays as a kernel sees them ----------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Tile/TileSupport.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::pto;

static SmallVector<OpFoldResult> mixed(ArrayRef<int64_t> statics, ValueRange values,
                                       MLIRContext *context) {
  return getMixedValues(statics, values, context);
}
OpFoldResult TileMakePtrOp::getMixedOffset() {
  return mixed(getStaticOffset(), getOffset(), getContext()).front();
}
SmallVector<OpFoldResult> TileMakeTensorOp::getMixedShape() {
  return mixed(getStaticShape(), getShape(), getContext());
}
SmallVector<OpFoldResult> TileMakeTensorOp::getMixedStrides() {
  return mixed(getStaticStrides(), getStrides(), getContext());
}
SmallVector<OpFoldResult> TilePlaneOp::getMixedOffsets() {
  return mixed(getStaticOffsets(), getOffsets(), getContext());
}
SmallVector<OpFoldResult> TileGetValueOp::getMixedOffsets() {
  return mixed(getStaticOffsets(), getOffsets(), getContext());
}
SmallVector<OpFoldResult> TileSetValueOp::getMixedOffsets() {
  return mixed(getStaticOffsets(), getOffsets(), getContext());
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static LogicalResult verifyPointer(Operation *op, Value source) {
  if (getShapeOf(source.getType()).size() == 1 &&
      !cast<GmType>(source.getType()).hasDynamicStrides())
    return success();
  return emitUserError(op) << "is made of a pointer, an array of one dimension, found "
                           << valueWord(source);
}

LogicalResult TileMakePtrOp::verify() {
  if (failed(verifyPointer(*this, getSource())) ||
      failed(verifyIndexList(*this, "offset", getStaticOffset(), getOffset())))
    return failure();
  if (getStaticOffset().size() != 1)
    return emitUserError(*this) << "has one offset, found " << getStaticOffset().size();
  GmType type = cast<GmType>(getResult().getType());
  if (type.getShape() != ArrayRef<int64_t>(ShapedType::kDynamic) || type.getRowPitch())
    return emitUserError(*this) << "makes a pointer, an array of one unknown dimension, found "
                                << type;
  return success();
}

LogicalResult TileMakeTensorOp::verify() {
  if (failed(verifyPointer(*this, getSource())) ||
      failed(verifyIndexList(*this, "extent", getStaticShape(), getShape())) ||
      failed(verifyIndexList(*this, "stride", getStaticStrides(), getStrides())))
    return failure();
  GmType type = cast<GmType>(getResult().getType());
  if (type.getElementType() != getElementTypeOf(getSource().getType()))
    return emitUserError(*this) << "keeps the element type of " << valueWord(getSource())
                                << ", found " << dtypeWord(type.getElementType())
                                << "; change it with pl.make_ptr";
  if (!type.hasDynamicStrides() || type.getShape() != getStaticShape())
    return emitUserError(*this) << "makes an array of its extents with pitch<?>, found " << type;
  if (getStaticShape().empty() || getStaticShape().size() > 8)
    return emitUserError(*this) << "makes an array of 1 to 8 dimensions, found "
                                << getStaticShape().size();
  if (getStaticShape().size() != getStaticStrides().size())
    return emitUserError(*this) << "has " << getStaticShape().size() << " extents and "
                                << getStaticStrides().size() << " strides";
  for (int64_t stride : getStaticStrides())
    if (!ShapedType::isDynamic(stride) && stride < 0)
      return emitUserError(*this) << "has a negative stride, " << stride;
  for (int64_t extent : getStaticShape())
    if (!ShapedType::isDynamic(extent) && extent < 0)
      return emitUserError(*this) << "has a negative extent, " << extent;
  return success();
}

LogicalResult TileViewOp::verify() { return verifyView(*this); }

LogicalResult TileDimOp::verify() {
  int64_t rank = getShapeOf(getSource().getType()).size();
  if (getDim() < static_cast<uint64_t>(rank))
    return success();
  return emitUserError(*this) << "dimension " << getDim() << " is not one of the " << rank << " of "
                              << valueWord(getSource());
}

LogicalResult TilePlaneOp::verify() {
  GmType source = cast<GmType>(getSource().getType()), type = cast<GmType>(getResult().getType());
  int64_t rank = source.getShape().size();
  if (!source.hasDynamicStrides() || !type.hasDynamicStrides())
    return emitUserError(*this) << "is of an array with pitch<?>, and makes one";
  if (failed(verifyIndexList(*this, "offset", getStaticOffsets(), getOffsets())))
    return failure();
  if (getAxes().size() != 2)
    return emitUserError(*this) << "has two axes, found " << getAxes().size();
  for (int64_t axis : getAxes())
    if (axis < 0 || axis >= rank)
      return emitUserError(*this) << "axis " << axis << " is not one of the " << rank
                                  << " dimensions of " << valueWord(getSource());
  if (getAxes()[0] == getAxes()[1])
    return emitUserError(*this) << "order axes must be unique, found " << getAxes()[0] << " twice";
  if (static_cast<int64_t>(getStaticOffsets().size()) != rank - 2)
    return emitUserError(*this) << "needs " << rank - 2 << " places in the other dimensions, found "
                                << getStaticOffsets().size();
  SmallVector<int64_t> shape = {source.getShape()[getAxes()[0]], source.getShape()[getAxes()[1]]};
  if (type.getShape() != ArrayRef<int64_t>(shape) ||
      type.getElementType() != source.getElementType())
    return emitUserError(*this) << "makes an array of " << shapeWord(shape) << ", found " << type;
  unsigned place = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(getAxes(), dim))
      continue;
    int64_t offset = getStaticOffsets()[place++], extent = source.getShape()[dim];
    if (!ShapedType::isDynamic(offset) &&
        (offset < 0 || (!ShapedType::isDynamic(extent) && offset >= extent)))
      return emitUserError(*this) << "offset " << offset << " in dimension " << dim
                                  << " is not within " << valueWord(getSource());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyElement(Op op, Value container, Type element) {
  ArrayRef<int64_t> shape = getShapeOf(container.getType()), offsets = op.getStaticOffsets();
  if (failed(verifyIndexList(op, "offset", offsets, op.getOffsets())))
    return failure();
  if (element != getScalarType(getElementTypeOf(container.getType())))
    return emitUserError(op) << "an element of " << valueWord(container) << " is "
                             << dtypeWord(getElementTypeOf(container.getType())) << ", found "
                             << dtypeWord(element);
  if (offsets.size() != shape.size())
    return emitUserError(op) << "needs " << shape.size() << " offsets for " << valueWord(container)
                             << ", found " << offsets.size();
  for (auto [dim, offset] : llvm::enumerate(offsets))
    if (!ShapedType::isDynamic(offset) &&
        (offset < 0 || (!ShapedType::isDynamic(shape[dim]) && offset >= shape[dim])))
      return emitUserError(op) << "offset " << offset << " in dimension " << dim
                               << " is not within " << valueWord(container);
  std::optional<MemorySpace> space = getTileSpace(container.getType());
  if (space && *space != MemorySpace::Vec)
    return emitUserError(op) << "the scalar unit reaches Vec and DDR only; " << valueWord(container)
                             << " is in " << spaceWord(*space);
  return success();
}
LogicalResult TileGetValueOp::verify() {
  return verifyElement(*this, getSource(), getResult().getType());
}
LogicalResult TileSetValueOp::verify() {
  return verifyElement(*this, getDest(), getValue().getType());
}

SmallVector<OpOperand *> TileGetValueOp::getReadOperands() { return {&getSourceMutable()}; }
SmallVector<OpOperand *> TileGetValueOp::getWrittenOperands() { return {}; }
std::optional<Pipe> TileGetValueOp::getPipe() { return Pipe::S; }
void TileGetValueOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getInstructionEffects(*this, effects);
}
SmallVector<OpOperand *> TileSetValueOp::getReadOperands() { return {}; }
SmallVector<OpOperand *> TileSetValueOp::getWrittenOperands() { return {&getDestMutable()}; }
std::optional<Pipe> TileSetValueOp::getPipe() { return Pipe::S; }
void TileSetValueOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getInstructionEffects(*this, effects);
}
