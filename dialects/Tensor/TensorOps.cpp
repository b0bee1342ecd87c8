//===- TensorOps.cpp - The tensor family ----------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Tensor/TensorOps.h"
#include "Pto/Assembly.h"
#include "Pto/Words.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static RankedTensorType resultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

static LogicalResult verifyResult(Operation *op, ArrayRef<int64_t> shape, Type element) {
  auto expected = RankedTensorType::get(shape, element);
  if (resultType(op) == expected)
    return success();
  return emitUserError(op) << "makes " << typeWord(expected) << ", found "
                           << typeWord(resultType(op));
}

static LogicalResult verifySameElement(Operation *op, Value a, Value b) {
  Type element = getElementTypeOf(a.getType());
  bool isArray = isa<RankedTensorType>(b.getType());
  if ((isArray ? element : getScalarType(element)) == getElementTypeOf(b.getType()))
    return success();
  return emitUserError(op) << "operands have different element types, " << valueWord(a) << " and "
                           << valueWord(b) << "; convert one with pl.cast";
}

LogicalResult pto::verifySameTensors(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return verifyResult(op, type.getShape(), type.getElementType());
}

LogicalResult pto::verifyBroadcasting(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (failed(verifySameElement(op, lhs, rhs)))
    return failure();
  ArrayRef<int64_t> shape = getShapeOf(lhs.getType());
  if (auto type = dyn_cast<RankedTensorType>(rhs.getType())) {
    ArrayRef<int64_t> other = type.getShape();
    bool spreads = shape.size() == 2 && other.size() == 2 &&
                   (other[0] == shape[0] || other[0] == 1) &&
                   (other[1] == shape[1] || other[1] == 1);
    if (other != shape && !spreads)
      return emitUserError(op) << "operands have different shapes, " << valueWord(lhs) << " and "
                               << valueWord(rhs)
                               << "; the second may also hold one value a row, [M, 1], one a "
                                  "column, [1, N], or one in all, [1, 1]";
  }
  return verifyResult(op, shape, getElementTypeOf(lhs.getType()));
}

LogicalResult pto::verifyTensorRowReduce(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (type.getRank() != 2)
    return emitUserError(op) << "reduces the rows of an [M, N] array, found "
                             << valueWord(op->getOperand(0));
  return verifyResult(op, {type.getShape()[0], 1}, type.getElementType());
}

LogicalResult pto::verifyTensorRowExpand(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (failed(verifySameElement(op, lhs, rhs)))
    return failure();
  ArrayRef<int64_t> shape = getShapeOf(lhs.getType()), vector = getShapeOf(rhs.getType());
  if (shape.size() != 2 || vector.size() != 2 || vector[0] != shape[0] || vector[1] != 1)
    return emitUserError(op) << "takes [M, N] and one value a row, [M, 1]; found " << valueWord(lhs)
                             << " and " << valueWord(rhs);
  return verifyResult(op, shape, getElementTypeOf(lhs.getType()));
}

LogicalResult pto::verifyTensorColReduce(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (type.getRank() != 2)
    return emitUserError(op) << "reduces the columns of an [M, N] array, found "
                             << valueWord(op->getOperand(0));
  return verifyResult(op, {1, type.getShape()[1]}, type.getElementType());
}

LogicalResult pto::verifyTensorColExpand(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (failed(verifySameElement(op, lhs, rhs)))
    return failure();
  ArrayRef<int64_t> shape = getShapeOf(lhs.getType()), vector = getShapeOf(rhs.getType());
  if (shape.size() != 2 || vector.size() != 2 || vector[1] != shape[1] || vector[0] != 1)
    return emitUserError(op) << "takes [M, N] and one value a column, [1, N]; found "
                             << valueWord(lhs) << " and " << valueWord(rhs);
  return verifyResult(op, shape, getElementTypeOf(lhs.getType()));
}

LogicalResult TensorCastOp::verify() {
  auto type = cast<RankedTensorType>(getSource().getType());
  if (type.getElementType() == resultType(*this).getElementType())
    return emitUserError(*this) << "converts " << dtypeWord(type.getElementType()) << " to itself";
  return verifyResult(*this, type.getShape(), resultType(*this).getElementType());
}

LogicalResult TensorFullOp::verify() {
  Type made = resultType(*this).getElementType();
  if (getValue().getType() == getScalarType(made))
    return success();
  return emitUserError(*this) << "makes an array of its value's type, "
                              << dtypeWord(getValue().getType()) << ", found " << dtypeWord(made);
}

/// Types and shapes of `[M, K] x [K, N]`, for a result of [M, N].
static LogicalResult verifyProduct(Operation *op, Value lhs, Value rhs, bool aTrans, bool bTrans) {
  if (failed(verifySameElement(op, lhs, rhs)))
    return failure();
  SmallVector<int64_t> left(getShapeOf(lhs.getType())), right(getShapeOf(rhs.getType()));
  if (left.size() != 2 || right.size() != 2)
    return emitUserError(op) << "multiplies [M, K] by [K, N], found " << valueWord(lhs) << " and "
                             << valueWord(rhs);
  if (aTrans)
    std::swap(left[0], left[1]);
  if (bTrans)
    std::swap(right[0], right[1]);
  if (left[1] != right[0])
    return emitUserError(op) << "the left operand has " << left[1]
                             << (aTrans ? " rows, taken as columns," : " columns")
                             << " and the right one " << right[0]
                             << (bTrans ? " columns, taken as rows: " : " rows: ") << valueWord(lhs)
                             << " and " << valueWord(rhs);
  Type element = getElementTypeOf(lhs.getType()), acc = getAccumulatorType(element);
  if (!acc)
    return emitUserError(op) << "multiplies FP16, BF16, FP32 or INT8 operands, found "
                             << valueWord(lhs) << "; convert both with pl.cast";
  Type made = resultType(op).getElementType();
  bool narrows = made == element && (element.isF16() || element.isBF16());
  if (made != acc && !narrows)
    return emitUserError(op) << "makes " << dtypeWord(acc)
                             << (acc == element || acc.isInteger() ? std::string()
                                                                   : " or " + dtypeWord(element))
                             << ", found " << dtypeWord(made);
  return verifyResult(op, {left[0], right[1]}, made);
}

LogicalResult TensorMatmulOp::verify() {
  return verifyProduct(*this, getLhs(), getRhs(), getATrans(), getBTrans());
}

LogicalResult TensorMatmulAccOp::verify() {
  if (failed(verifyProduct(*this, getLhs(), getRhs(), getATrans(), getBTrans())))
    return failure();
  Type acc = getAccumulatorType(getElementTypeOf(getLhs().getType()));
  if (getAcc().getType() == getResult().getType() && getElementTypeOf(getAcc().getType()) == acc)
    return success();
  return emitUserError(*this) << "the accumulator is " << dtypeWord(acc)
                              << " of the product's shape, found " << valueWord(getAcc()) << " for "
                              << typeWord(getResult().getType());
}

SmallVector<OpFoldResult> TensorAssembleOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

LogicalResult TensorAssembleOp::verify() {
  if (failed(verifyIndexList(*this, "offset", getStaticOffsets(), getOffsets())) ||
      failed(verifySameElement(*this, getSource(), getTarget())))
    return failure();
  ArrayRef<int64_t> source = getShapeOf(getSource().getType());
  ArrayRef<int64_t> target = getShapeOf(getTarget().getType());
  SmallVector<OpFoldResult> offsets = getMixedOffsets();
  if (source.size() > target.size() || offsets.size() != target.size())
    return emitUserError(*this) << "writes " << valueWord(getSource()) << " into "
                                << valueWord(getTarget()) << " at " << offsets.size()
                                << " offsets; it has as many as the array has dimensions";
  size_t missing = target.size() - source.size();
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    int64_t begin = getConstantIntValue(offset).value_or(0);
    if (begin < 0)
      return emitUserError(*this) << "offset " << begin << " in dimension " << dim
                                  << " is negative; the array is " << valueWord(getTarget());
    int64_t extent = dim < missing ? 1 : source[dim - missing], size = target[dim];
    if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(size))
      continue;
    if (begin > size - extent)
      return emitUserError(*this) << "the window reaches beyond the array "
                                  << valueWord(getTarget()) << ": in dimension " << dim
                                  << " it covers " << rangeWord(begin, extent) << " of "
                                  << rangeWord(0, size);
  }
  return success();
}

SmallVector<OpFoldResult> TensorSliceOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

RankedTensorType TensorSliceOp::inferType(RankedTensorType source, ArrayRef<int64_t> sizes,
                                          int64_t rank) {
  ArrayRef<int64_t> shape = source.getShape(), left = sizes.take_back(rank);
  if (rank < 1 || rank > static_cast<int64_t>(sizes.size()) ||
      llvm::any_of(sizes.drop_back(rank), [](int64_t size) { return size != 1; }))
    return {};
  int64_t width = shape.back(), pitch = getRowPitch(source);
  if (left.back() != width || pitch != width) {
    // Rows at a distance: only two dimensions may have more than one element.
    bool flat =
        left.size() == 1 || llvm::all_of(left.drop_back(2), [](int64_t n) { return n == 1; });
    if (!flat)
      return {};
    if (left.size() >= 2 && left[left.size() - 2] != 1 && left.size() != 2)
      return {};
    if (left.size() == 2 && left[0] != 1)
      return RankedTensorType::get(left, source.getElementType(),
                                   PitchAttr::get(source.getContext(), pitch));
    return RankedTensorType::get(left, source.getElementType());
  }
  // Whole rows: contiguous if every dimension behind the first long one is whole.
  bool whole = true;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (sizes[dim] != 1 && !whole)
      return {};
    whole &= sizes[dim] == shape[dim];
  }
  return RankedTensorType::get(left, source.getElementType());
}

/// One offset for each dimension, none of which is beyond the array by itself.
static LogicalResult verifyOffsets(Operation *op, Value array, ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<int64_t> sizes) {
  ArrayRef<int64_t> shape = getShapeOf(array.getType());
  if (offsets.size() != shape.size() || sizes.size() != shape.size())
    return emitUserError(op) << "takes " << valueWord(array) << " at " << offsets.size()
                             << " offsets; it has " << shape.size() << " dimensions";
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    if (sizes[dim] < 1)
      return emitUserError(op) << "takes " << sizes[dim] << " elements in dimension " << dim
                               << "; it takes at least one";
    std::optional<int64_t> begin = getConstantIntValue(offset);
    if (ShapedType::isDynamic(shape[dim]))
      continue;
    if ((begin && *begin < 0) || begin.value_or(0) > shape[dim] - sizes[dim])
      return emitUserError(op) << "the window reaches beyond the array " << valueWord(array)
                               << ": in dimension " << dim << " it covers "
                               << rangeWord(begin.value_or(0), sizes[dim]) << " of "
                               << rangeWord(0, shape[dim]);
  }
  return success();
}

LogicalResult TensorSliceOp::verify() {
  if (failed(verifyIndexList(*this, "offset", getStaticOffsets(), getOffsets())) ||
      failed(verifyOffsets(*this, getSource(), getMixedOffsets(), getSizes())))
    return failure();
  auto source = cast<RankedTensorType>(getSource().getType());
  RankedTensorType expected = inferType(source, getSizes(), resultType(*this).getRank());
  if (!expected)
    return emitUserError(*this) << "a window of " << shapeWord(getSizes()) << " of "
                                << valueWord(getSource())
                                << " is not rows at equal distance, or has other dimensions than "
                                << typeWord(resultType(*this));
  if (expected == resultType(*this))
    return success();
  return emitUserError(*this) << "makes " << expected << ", found " << resultType(*this);
}

SmallVector<OpFoldResult> TensorReadOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

LogicalResult TensorReadOp::verify() {
  SmallVector<int64_t> one(getShapeOf(getSource().getType()).size(), 1);
  return failure(failed(verifyIndexList(*this, "offset", getStaticOffsets(), getOffsets())) ||
                 failed(verifyOffsets(*this, getSource(), getMixedOffsets(), one)));
}

//===----------------------------------------------------------------------===//
// Parts of arrays on a core
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> TensorWindowOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}
SmallVector<OpFoldResult> TensorElementOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}
SmallVector<OpFoldResult> TensorWriteOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

LogicalResult TensorWindowOp::verify() {
  if (failed(verifyIndexList(*this, "offset", getStaticOffsets(), getOffsets())) ||
      failed(verifyOffsets(*this, getSource(), getMixedOffsets(), getSizes())))
    return failure();
  Type element = getElementTypeOf(getSource().getType());
  ArrayRef<int64_t> made = resultType(*this).getShape();
  // The extents that are left, with those of one element left out here and there.
  size_t next = 0;
  for (int64_t size : getSizes())
    if (next < made.size() && made[next] == size)
      ++next;
    else if (size != 1)
      return emitUserError(*this) << "takes " << shapeWord(getSizes()) << " elements, found "
                                  << typeWord(resultType(*this));
  if (next == made.size() && !made.empty() && resultType(*this).getElementType() == element)
    return success();
  return emitUserError(*this) << "takes " << shapeWord(getSizes()) << " elements of "
                              << valueWord(getSource()) << ", found "
                              << typeWord(resultType(*this));
}

LogicalResult TensorElementOp::verify() {
  SmallVector<int64_t> one(getShapeOf(getSource().getType()).size(), 1);
  return failure(failed(verifyIndexList(*this, "offset", getStaticOffsets(), getOffsets())) ||
                 failed(verifyOffsets(*this, getSource(), getMixedOffsets(), one)));
}

/// A scalar is what an element is for a program.
static LogicalResult verifyElementValue(Operation *op, Value value, Value array) {
  Type element = getElementTypeOf(array.getType());
  if (value.getType() == getScalarType(element))
    return success();
  return emitUserError(op) << "an element of " << valueWord(array) << " is " << dtypeWord(element)
                           << ", found " << dtypeWord(value.getType());
}

LogicalResult TensorWriteOp::verify() {
  SmallVector<int64_t> one(getShapeOf(getTarget().getType()).size(), 1);
  return failure(failed(verifyIndexList(*this, "offset", getStaticOffsets(), getOffsets())) ||
                 failed(verifyElementValue(*this, getValue(), getTarget())) ||
                 failed(verifyOffsets(*this, getTarget(), getMixedOffsets(), one)));
}

LogicalResult TensorViewOp::verify() { return verifyView(*this); }

LogicalResult TensorDimOp::verify() {
  int64_t rank = getShapeOf(getSource().getType()).size();
  if (getDim() < static_cast<uint64_t>(rank))
    return success();
  return emitUserError(*this) << "dimension " << getDim() << " is not one of the " << rank << " of "
                              << valueWord(getSource());
}

//===----------------------------------------------------------------------===//
// Other shapes, creation
//===----------------------------------------------------------------------===//

LogicalResult TensorReshapeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto bytes = [](RankedTensorType type) {
    return getElementCount(type.getShape()) * getElementBytes(type.getElementType());
  };
  if (!source.hasStaticShape() || !resultType(*this).hasStaticShape())
    return emitUserError(*this) << "takes an array of known extents, found "
                                << valueWord(getSource());
  if (bytes(source) == bytes(resultType(*this)))
    return success();
  return emitUserError(*this) << "keeps the number of bytes, and " << valueWord(getSource())
                              << " has " << bytes(source) << ", " << typeWord(resultType(*this))
                              << " " << bytes(resultType(*this));
}

LogicalResult TensorTransposeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  uint64_t rank = source.getRank();
  if (getAxis1() >= rank || getAxis2() >= rank || getAxis1() == getAxis2())
    return emitUserError(*this) << "exchanges two of the " << rank << " dimensions of "
                                << valueWord(getSource()) << ", found " << getAxis1() << " and "
                                << getAxis2();
  SmallVector<int64_t> shape(source.getShape());
  std::swap(shape[getAxis1()], shape[getAxis2()]);
  return verifyResult(*this, shape, source.getElementType());
}

LogicalResult TensorConcatOp::verify() {
  if (failed(verifySameElement(*this, getLhs(), getRhs())))
    return failure();
  SmallVector<int64_t> shape(getShapeOf(getLhs().getType()));
  ArrayRef<int64_t> other = getShapeOf(getRhs().getType());
  if (shape.empty() || shape.size() != other.size() ||
      ArrayRef<int64_t>(shape).drop_back() != other.drop_back())
    return emitUserError(*this) << "puts arrays side by side that differ in their columns only, "
                                   "found "
                                << valueWord(getLhs()) << " and " << valueWord(getRhs());
  shape.back() += other.back();
  return verifyResult(*this, shape, getElementTypeOf(getLhs().getType()));
}

LogicalResult TensorFillpadOp::verify() {
  ArrayRef<int64_t> from = getShapeOf(getSource().getType()), to = resultType(*this).getShape();
  bool fits = from.size() == to.size() && llvm::all_of(llvm::zip(from, to), [](auto pair) {
                return std::get<0>(pair) <= std::get<1>(pair);
              });
  if (!fits)
    return emitUserError(*this) << "makes an array at least as large as " << valueWord(getSource())
                                << ", found " << shapeWord(to);
  return failure(failed(verifyElementValue(*this, getValue(), getSource())) ||
                 failed(verifyResult(*this, to, getElementTypeOf(getSource().getType()))));
}

LogicalResult TensorCiOp::verify() {
  Type element = resultType(*this).getElementType();
  ArrayRef<int64_t> shape = resultType(*this).getShape();
  if (failed(verifyElementValue(*this, getStart(), getResult())))
    return failure();
  if (!element.isInteger(16) && !element.isInteger(32))
    return emitUserError(*this) << "makes INT16, INT32, UINT16 or UINT32, found "
                                << dtypeWord(element);
  if (!shape.empty() && shape.back() != 1 && getElementCount(shape) == shape.back())
    return success();
  return emitUserError(*this) << "makes one row of more than one column, found "
                              << shapeWord(shape);
}

LogicalResult TensorRandomOp::verify() {
  Type element = resultType(*this).getElementType();
  if (!element.isInteger(32))
    return emitUserError(*this) << "makes INT32 or UINT32, found " << dtypeWord(element);
  if (getRounds() == 7 || getRounds() == 10)
    return success();
  return emitUserError(*this) << "has 7 or 10 rounds, found " << getRounds();
}

//===----------------------------------------------------------------------===//
// New arrays
//===----------------------------------------------------------------------===//

LogicalResult TensorCreateOp::verify() {
  if (resultType(*this).hasStaticShape())
    return success();
  return emitUserError(*this) << "a new array has a static shape, found "
                              << typeWord(getResult().getType());
}

void TensorCreateOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), (*this)->getOpResult(0));
}

#define GET_OP_CLASSES
#include "Tensor/TensorOps.cpp.inc"

void pto::registerTensorOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, PtoDialect *dialect) {
    dialect->addOperationsChecked<
#define GET_OP_LIST
#include "Tensor/TensorOps.cpp.inc"
        >();
  });
}
