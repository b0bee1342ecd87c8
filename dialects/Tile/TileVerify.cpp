//===- TileVerify.cpp - Tile operations: what is true on every chip --------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Tile/CastAttributes.h"
#include "Tile/TileSupport.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Rules shared by several operations
//===----------------------------------------------------------------------===//

/// Whether two extents can be one: equal, or not both known.
static bool sameDim(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

static bool sameShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return sameDim(std::get<0>(pair), std::get<1>(pair));
         });
}

/// Tiles have no scalars' freedom: an operation is all values or all buffers.
static LogicalResult verifyOneForm(TileComputeInterface op) {
  bool buffer = op.getDestination() != nullptr;
  if (buffer == (op->getNumResults() == 1))
    return emitUserError(op)
           << (buffer ? "in buffer form has no result"
                      : "needs either a result (value form) or outs(...) (buffer form)");
  for (Type type : op.getSources().getTypes())
    if (buffer ? isa<TileType>(type) : isa<BufType>(type))
      return emitUserError(op) << "mixes tile values and buffers";
  return success();
}

/// Every source and the result are in the space that the operation works in,
/// as far as their types say one. A source value may still be elsewhere:
/// pto-infer-tile-memory-space moves it, or says why it cannot.
static LogicalResult verifySpaces(TileComputeInterface op) {
  for (auto [index, source] : llvm::enumerate(op.getSources())) {
    if (!op.getDestination())
      break;
    std::optional<MemorySpace> space = getTileSpace(source.getType());
    std::optional<MemorySpace> wanted = op.getSourceSpace(index);
    if (space && wanted && *space != *wanted)
      return emitUserError(op) << "operand " << index + 1 << ", " << valueWord(source)
                               << ", must be in " << spaceWord(*wanted);
  }
  std::optional<MemorySpace> space = getTileSpace(op.getResultOrDstType());
  std::optional<MemorySpace> made = op.getResultSpace();
  if (space && made && *space != *made)
    return emitUserError(op) << "makes its result in " << spaceWord(*made) << ", not in "
                             << spaceWord(*space);
  return success();
}

LogicalResult pto::verifyTileCompute(Operation *op) {
  auto compute = cast<TileComputeInterface>(op);
  return failure(failed(verifyOneForm(compute)) || failed(verifySpaces(compute)));
}

static LogicalResult verifyElementTypes(TileComputeInterface op, Type expected, StringRef what) {
  Type found = getElementTypeOf(op.getResultOrDstType());
  if (found == expected)
    return success();
  return emitUserError(op) << "makes " << what << ", " << dtypeWord(expected) << ", found "
                           << dtypeWord(found);
}

static LogicalResult verifyResultShape(TileComputeInterface op, ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> found = getShapeOf(op.getResultOrDstType());
  if (sameShape(found, expected))
    return success();
  return emitUserError(op) << "makes a tile of " << shapeWord(expected) << ", found "
                           << shapeWord(found);
}

/// A number beside a tile has the type that the tile's elements are computed in.
static LogicalResult verifySameElement(Operation *op, Value a, Value b) {
  Type element = getElementTypeOf(a.getType()), type = b.getType();
  bool isTile = isa<TileType, BufType>(type);
  if (getElementTypeOf(type) == (isTile ? element : getScalarType(element)))
    return success();
  return emitUserError(op) << "operands have different element types, " << valueWord(a) << " and "
                           << valueWord(b) << "; convert one with pl.cast";
}

/// A number has no shape of its own.
static LogicalResult verifySameOperands(Operation *op, Value a, Value b) {
  if (failed(verifySameElement(op, a, b)))
    return failure();
  if (!isa<TileType, BufType>(b.getType()) ||
      sameShape(getShapeOf(b.getType()), getShapeOf(a.getType())))
    return success();
  return emitUserError(op) << "operands have different shapes, " << valueWord(a) << " and "
                           << valueWord(b);
}

LogicalResult pto::verifySameShapeAndElement(Operation *op) {
  auto compute = cast<TileComputeInterface>(op);
  Value first = compute.getSources().front();
  Type element = getElementTypeOf(first.getType());
  for (Value source : compute.getSources().drop_front())
    if (failed(verifySameOperands(op, first, source)))
      return failure();
  return failure(failed(verifyElementTypes(compute, element, "what it is given")) ||
                 failed(verifyResultShape(compute, getShapeOf(first.getType()))));
}

//===----------------------------------------------------------------------===//
// Verifiers: what is true on every chip
//===----------------------------------------------------------------------===//

/// Offsets of a window: one a dimension; a window that is known to leave the
/// array is an error.
static LogicalResult verifyWindow(Operation *op, Value array, ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<int64_t> extents) {
  ArrayRef<int64_t> shape = getShapeOf(array.getType());
  if (offsets.size() != shape.size())
    return emitUserError(op) << "needs " << shape.size() << " offsets for " << valueWord(array)
                             << ", found " << offsets.size();
  size_t rank = shape.size();
  if (isa<GmType>(array.getType()) && rank != 2)
    return emitUserError(op) << "a tile has two dimensions, the array " << valueWord(array)
                             << " has " << rank;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    std::optional<int64_t> begin = getConstantIntValue(offset);
    // Of more dimensions than two it is rows of all that are in front of the last.
    int64_t extent = dim + 1 == rank ? extents[1] : rank == 2 ? extents[0] : 1, size = shape[dim];
    if (begin && *begin < 0)
      return emitUserError(op) << "offset " << *begin << " in dimension " << dim
                               << " is negative; the array is " << valueWord(array);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(extent))
      continue;
    if (begin.value_or(0) > size - extent)
      return emitUserError(op) << "the window reaches beyond the array " << valueWord(array)
                               << ": in dimension " << dim << " it covers "
                               << rangeWord(begin.value_or(0), extent) << " of "
                               << rangeWord(0, size);
  }
  return success();
}

/// Rows of a Vec tile begin on a 32-byte boundary.
static LogicalResult verifyRowBytes(Operation *op, Type type) {
  ArrayRef<int64_t> shape = getShapeOf(type);
  int64_t bytes = getElementBytes(getElementTypeOf(type));
  if (shape.size() != 2 || shape[1] == 1 || shape[1] * bytes % 32 == 0)
    return success();
  return emitUserError(op) << "a tile's rows are a multiple of 32 bytes; " << typeWord(type)
                           << " has rows of " << shape[1] * bytes << " bytes; use a multiple of "
                           << 32 / bytes << " columns";
}

/// Static extents within the tile; shared by whatever states a valid region.
static LogicalResult verifyValid(Operation *op, ArrayRef<OpFoldResult> valid, Type type) {
  ArrayRef<int64_t> shape = getShapeOf(type);
  if (valid.size() != shape.size())
    return emitUserError(op) << "needs " << shape.size() << " valid extents, found "
                             << valid.size();
  for (auto [dim, extent] : llvm::enumerate(valid))
    if (std::optional<int64_t> known = getConstantIntValue(extent))
      if (*known < 0 || *known > shape[dim])
        return emitUserError(op) << "valid extent " << *known << " in dimension " << dim
                                 << " is not within 0 to " << shape[dim];
  return success();
}

LogicalResult TileLoadOp::verify() {
  bool buffer = getDst() != nullptr;
  if (buffer == (getResult() != nullptr))
    return emitUserError(*this) << "needs either a result (value form) or outs(...) (buffer form)";
  Type type = buffer ? Type(getDst().getType()) : Type(getResult().getType());
  std::optional<MemorySpace> space = getTileSpace(type);
  if (space && *space != MemorySpace::Vec && *space != MemorySpace::Mat)
    return emitUserError(*this) << "a load from DDR reaches Vec or Mat only, not "
                                << spaceWord(*space) << "; load to Mat, then pl.move to "
                                << spaceWord(*space);
  if (getElementTypeOf(getSource().getType()) != getElementTypeOf(type))
    return emitUserError(*this) << "a load does not convert: the array is "
                                << valueWord(getSource()) << ", the tile " << typeWord(type);
  if (failed(verifyIndexList(*this, "offset", getStaticOffsets(), getOffsets())) ||
      failed(verifyIndexList(*this, "valid extent", getStaticValid(), getValid())))
    return failure();
  SmallVector<int64_t> extents(getShapeOf(type));
  if (!getStaticValid().empty()) {
    if (buffer)
      return emitUserError(*this)
             << "in buffer form has the extents of its destination, and no valid ones";
    if (failed(verifyValid(*this, getMixedValid(), type)))
      return failure();
    extents.assign(getStaticValid().begin(), getStaticValid().end());
  }
  if (!buffer && failed(verifyRowBytes(*this, type)))
    return failure();
  return verifyWindow(*this, getSource(), getMixedOffsets(), extents);
}

LogicalResult TileStoreOp::verify() {
  if ((getResult() != nullptr) != isa<RankedTensorType>(getDest().getType()))
    return emitUserError(*this) << "has a result exactly if it stores to a tensor";
  if (getResult() && getResult().getType() != getDest().getType())
    return emitUserError(*this) << "result type differs from the array's";
  bool fromAcc = getTileSpace(getSource().getType()) == MemorySpace::Acc;
  if ((getRelu() || getPhase()) && !fromAcc)
    return emitUserError(*this) << "relu and phase are for an accumulator; this stores "
                                << valueWord(getSource());
  std::optional<MemorySpace> space = getTileSpace(getSource().getType());
  if (space && *space != MemorySpace::Vec && *space != MemorySpace::Acc)
    return emitUserError(*this) << "no path leads from " << spaceWord(*space) << " to DDR; "
                                << valueWord(getSource()) << " must be in Vec or Acc";
  Type from = getElementTypeOf(getSource().getType());
  Type to = getElementTypeOf(getDest().getType());
  bool narrows =
      (!space || *space == MemorySpace::Acc) && from.isF32() && (to.isF16() || to.isBF16());
  if (from != to && !(narrows && space))
    return emitUserError(*this) << "a store does not convert: the tile is "
                                << valueWord(getSource()) << ", the array " << valueWord(getDest())
                                << "; convert it with pl.cast";
  if (failed(verifyIndexList(*this, "offset", getStaticOffsets(), getOffsets())))
    return failure();
  // The valid region may be smaller than the tile, so that only a window that
  // begins outside is known to be wrong; extents are checked where they are known.
  SmallVector<int64_t> extents(getShapeOf(getSource().getType()));
  if (isa<TileType>(getSource().getType()))
    extents.assign(extents.size(), ShapedType::kDynamic);
  return verifyWindow(*this, getDest(), getMixedOffsets(), extents);
}

/// The extents of what a move makes.
static SmallVector<int64_t> getMovedShape(TileMoveOp op) {
  SmallVector<int64_t> shape(getShapeOf(op.getSource().getType()));
  if (op.getTranspose())
    std::swap(shape[0], shape[1]);
  bool halves = op.getAccToVec() == AccToVec::SplitM || op.getAccToVec() == AccToVec::SplitN;
  int64_t &extent = shape[op.getAccToVec() == AccToVec::SplitM ? 0 : 1];
  if (halves && !ShapedType::isDynamic(extent))
    extent = llvm::divideCeil(extent, 2);
  return shape;
}

LogicalResult TileMoveOp::verify() {
  auto op = cast<TileComputeInterface>(getOperation());
  std::optional<MemorySpace> from = getTileSpace(getSource().getType());
  std::optional<MemorySpace> to = getTileSpace(op.getResultOrDstType());
  bool fromAcc = from == MemorySpace::Acc;
  if (getAccToVec() && (!fromAcc || to != MemorySpace::Vec))
    return emitUserError(*this) << "acc_to_vec says where an accumulator goes in Vec; this moves "
                                << valueWord(getSource());
  // A tile says no place yet: pto-infer-tile-memory-space knows what to say of that way.
  if (getDst() && fromAcc && to == MemorySpace::Vec && !getAccToVec())
    return emitUserError(*this) << "from Acc to Vec says with acc_to_vec to which AIV";
  if ((getRelu() || getPhase()) && !fromAcc)
    return emitUserError(*this) << "relu and phase are for an accumulator; this moves "
                                << valueWord(getSource());
  if (getTranspose() && to && *to != MemorySpace::Left && *to != MemorySpace::Right)
    return emitUserError(*this) << "transposes on the way to Left and Right only, not to "
                                << spaceWord(*to);
  Type element = getElementTypeOf(getSource().getType());
  Type made = getElementTypeOf(op.getResultOrDstType());
  bool narrows = fromAcc && element.isF32() && (made.isF16() || made.isBF16());
  if (!narrows && failed(verifyElementTypes(op, element, "the same tile")))
    return failure();
  return verifyResultShape(op, getMovedShape(*this));
}

LogicalResult TileFullOp::verify() {
  auto op = cast<TileComputeInterface>(getOperation());
  if (getResult() && failed(verifyRowBytes(*this, getResult().getType())))
    return failure();
  Type made = getElementTypeOf(op.getResultOrDstType());
  if (getValue().getType() == getScalarType(made))
    return success();
  return emitUserError(*this) << "makes a tile of its value's type, "
                              << dtypeWord(getValue().getType()) << ", found " << dtypeWord(made);
}

LogicalResult TileSetValidShapeOp::verify() {
  if (failed(verifyIndexList(*this, "valid extent", getStaticValid(), getValid())))
    return failure();
  return verifyValid(*this, getMixedValid(), getResult().getType());
}

//===----------------------------------------------------------------------===//
// Conversions, reductions, broadcasts, products
//===----------------------------------------------------------------------===//

LogicalResult TileCastOp::verify() {
  auto op = cast<TileComputeInterface>(getOperation());
  Type from = getElementTypeOf(getSource().getType());
  // A pass may round FP32 to whole numbers.
  bool whole = from.isF32() && (*this)->hasAttr(attr::kWhole);
  if (from == getElementTypeOf(op.getResultOrDstType()) && !whole)
    return emitUserError(*this) << "converts " << dtypeWord(from) << " to itself";
  return verifyResultShape(op, getShapeOf(getSource().getType()));
}

/// Values have one shape; windows are of what is valid, which may differ.
static LogicalResult verifyPart(TileComputeInterface op) {
  Value lhs = op.getSources()[0], rhs = op.getSources()[1];
  Type element = getElementTypeOf(lhs.getType());
  if (getElementTypeOf(rhs.getType()) != element)
    return emitUserError(op) << "operands have different element types, " << valueWord(lhs)
                             << " and " << valueWord(rhs) << "; convert one with pl.cast";
  if (!op.getDestination() && !sameShape(getShapeOf(lhs.getType()), getShapeOf(rhs.getType())))
    return emitUserError(op) << "operands have different shapes, " << valueWord(lhs) << " and "
                             << valueWord(rhs);
  if (failed(verifyElementTypes(op, element, "what it is given")))
    return failure();
  return op.getDestination() ? success() : verifyResultShape(op, getShapeOf(lhs.getType()));
}

LogicalResult TilePartAddOp::verify() {
  return verifyPart(cast<TileComputeInterface>(getOperation()));
}
LogicalResult TilePartMulOp::verify() {
  return verifyPart(cast<TileComputeInterface>(getOperation()));
}
LogicalResult TilePartMaxOp::verify() {
  return verifyPart(cast<TileComputeInterface>(getOperation()));
}
LogicalResult TilePartMinOp::verify() {
  return verifyPart(cast<TileComputeInterface>(getOperation()));
}

LogicalResult TileBitcastOp::verify() {
  auto op = cast<TileComputeInterface>(getOperation());
  Type from = getElementTypeOf(getSource().getType());
  if (getElementBytes(from) != getElementBytes(getElementTypeOf(op.getResultOrDstType())))
    return emitUserError(*this) << "makes elements of as many bits as " << dtypeWord(from)
                                << ", found "
                                << dtypeWord(getElementTypeOf(op.getResultOrDstType()));
  return verifyResultShape(op, getShapeOf(getSource().getType()));
}

/// A mask is UINT8, with a bit for each element of `like` in its row; a value's rows have
/// whole blocks of 32 bytes.
static LogicalResult verifyMask(Operation *op, Type mask, StringRef name, Type like) {
  ArrayRef<int64_t> found = getShapeOf(mask), shape = getShapeOf(like);
  bool isValue = isa<TileType>(mask);
  int64_t bytes = ShapedType::isDynamic(shape[1]) ? shape[1] : llvm::divideCeil(shape[1], 8);
  int64_t cols = isValue ? llvm::alignTo(bytes, 32) : bytes;
  if (getElementTypeOf(mask).isUnsignedInteger(8) && sameShape(found, {shape[0], cols}))
    return success();
  return emitUserError(op) << name << " of " << shapeWord(shape) << " elements is "
                           << shapeWord({shape[0], cols}) << " UINT8, a bit for each element in "
                           << (isValue ? "rows of whole 32 bytes" : "as many bytes as it takes")
                           << "; found " << shapeWord(found) << " "
                           << dtypeWord(getElementTypeOf(mask));
}

LogicalResult TileCmpOp::verify() {
  auto op = cast<TileComputeInterface>(getOperation());
  if (failed(verifySameOperands(*this, getLhs(), getRhs())))
    return failure();
  return verifyMask(*this, op.getResultOrDstType(), "the mask", getLhs().getType());
}

LogicalResult TileSelOp::verify() {
  auto op = cast<TileComputeInterface>(getOperation());
  Type type = getLhs().getType();
  Type element = getElementTypeOf(type);
  if (failed(verifySameOperands(*this, getLhs(), getRhs())) ||
      failed(verifyMask(*this, getMask().getType(), "the mask", type)) ||
      failed(verifyElementTypes(op, element, "what it chooses from")))
    return failure();
  return verifyResultShape(op, getShapeOf(type));
}

/// A reduction leaves one of dimension `dim`.
static LogicalResult verifyReduce(Operation *op, unsigned dim) {
  auto compute = cast<TileComputeInterface>(op);
  Type source = compute.getSources().front().getType();
  SmallVector<int64_t> shape(getShapeOf(source));
  shape[dim] = 1;
  return failure(failed(verifyElementTypes(compute, getElementTypeOf(source),
                                           "values of its source's type")) ||
                 failed(verifyResultShape(compute, shape)));
}

LogicalResult pto::verifyRowReduce(Operation *op) { return verifyReduce(op, 1); }

LogicalResult pto::verifyColReduce(Operation *op) { return verifyReduce(op, 0); }

/// The second operand has as much of dimension `dim` as the first, and `each` of the other.
static LogicalResult verifyExpand(Operation *op, unsigned dim, StringRef lines,
                                  llvm::function_ref<bool(int64_t)> each) {
  auto compute = cast<TileComputeInterface>(op);
  Value lhs = compute.getSources()[0], rhs = compute.getSources()[1];
  if (failed(verifySameElement(op, lhs, rhs)))
    return failure();
  ArrayRef<int64_t> shape = getShapeOf(lhs.getType()), vector = getShapeOf(rhs.getType());
  if (!sameDim(shape[dim], vector[dim]) || !each(vector[1 - dim]))
    return emitUserError(op) << "the second operand holds one value for each of the "
                             << (ShapedType::isDynamic(shape[dim]) ? std::string("?")
                                                                   : std::to_string(shape[dim]))
                             << " " << lines << "; found " << valueWord(rhs);
  return failure(
      failed(verifyElementTypes(compute, getElementTypeOf(lhs.getType()), "what it is given")) ||
      failed(verifyResultShape(compute, shape)));
}

LogicalResult pto::verifyRowExpand(Operation *op) {
  auto compute = cast<TileComputeInterface>(op);
  // An instruction reads each value as a block of 32 bytes.
  int64_t block = getBlockLanes(getElementTypeOf(compute.getSources()[0].getType()));
  return verifyExpand(op, 0, "rows, [M, 1]", [&](int64_t cols) {
    return cols == 1 || (compute.getDestination() && cols == block);
  });
}

LogicalResult pto::verifyColExpand(Operation *op) {
  return verifyExpand(op, 1, "columns, [1, N]", [](int64_t rows) { return rows == 1; });
}

LogicalResult TileBrcbOp::verify() {
  if (!getDst())
    return emitUserError(*this) << "is an instruction, which passes write in buffer form: "
                                   "ins(...) outs(...)";
  auto op = cast<TileComputeInterface>(getOperation());
  Type source = getSource().getType();
  Type element = getElementTypeOf(source);
  if (getShapeOf(source)[1] != 1)
    return emitUserError(*this) << "spreads a vector [M, 1], found " << valueWord(getSource());
  return failure(failed(verifyElementTypes(op, element, "values of its source's type")) ||
                 failed(verifyResultShape(op, {getShapeOf(source)[0], getBlockLanes(element)})));
}

/// Whether a tile value is an accumulator, or a move of one.
static bool isFromAcc(Value tile) {
  if (!isa<TileType>(tile.getType()))
    return false;
  while (auto move = tile.getDefiningOp<TileMoveOp>())
    tile = move.getSource();
  return getTileSpace(tile.getType()) == MemorySpace::Acc ||
         isa_and_nonnull<TileMatmulOp, TileMatmulAccOp>(tile.getDefiningOp());
}

/// The result is the first source, changed.
LogicalResult pto::verifyUpdatesFirst(Operation *op) {
  auto compute = cast<TileComputeInterface>(op);
  Value target = compute.getSources().front();
  if (compute.getDestination() && compute.getDestination() != target)
    return emitUserError(op) << "in buffer form writes the tile that it changes, its first operand";
  Type made = compute.getResultOrDstType();
  if (getElementTypeOf(target.getType()) == getElementTypeOf(made) &&
      sameShape(getShapeOf(target.getType()), getShapeOf(made)))
    return success();
  return emitUserError(op) << "changes " << valueWord(target) << ", but makes " << typeWord(made);
}

/// Types and shapes of `[M, K] x [K, N]`.
static LogicalResult verifyProduct(TileComputeInterface op, Value lhs, Value rhs) {
  // No cast helps an accumulator as an operand: pto-infer-tile-memory-space, which
  // knows the chip's paths, says what does.
  if (isFromAcc(lhs) || isFromAcc(rhs))
    return success();
  if (failed(verifySameElement(op, lhs, rhs)))
    return failure();
  ArrayRef<int64_t> left = getShapeOf(lhs.getType()), right = getShapeOf(rhs.getType());
  if (!sameDim(left[1], right[0]))
    return emitUserError(op) << "the left operand has " << left[1] << " columns and the right one "
                             << right[0] << " rows: " << valueWord(lhs) << " and "
                             << valueWord(rhs);
  Type acc = getAccumulatorType(getElementTypeOf(lhs.getType()));
  if (!acc)
    return emitUserError(op) << "multiplies FP16, BF16, FP32 or INT8 operands, found "
                             << valueWord(lhs) << "; convert both with pl.cast";
  return failure(failed(verifyElementTypes(op, acc, "an accumulator")) ||
                 failed(verifyResultShape(op, {left[0], right[1]})));
}

LogicalResult TileMatmulOp::verify() {
  return verifyProduct(cast<TileComputeInterface>(getOperation()), getLhs(), getRhs());
}

LogicalResult TileMatmulBiasOp::verify() {
  auto op = cast<TileComputeInterface>(getOperation());
  if (failed(verifyProduct(op, getLhs(), getRhs())))
    return failure();
  Type acc = getElementTypeOf(op.getResultOrDstType());
  ArrayRef<int64_t> bias = getShapeOf(getBias().getType());
  if (getElementTypeOf(getBias().getType()) != acc || !sameDim(bias[0], 1) ||
      !sameDim(bias[1], getShapeOf(getRhs().getType())[1]))
    return emitUserError(*this) << "the bias is one row of " << dtypeWord(acc)
                                << ", a value for each column of the product; found "
                                << valueWord(getBias());
  return success();
}

LogicalResult TileMatmulAccOp::verify() {
  return verifyProduct(cast<TileComputeInterface>(getOperation()), getLhs(), getRhs());
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult TileAllocOp::verify() {
  BufType type = cast<BufType>(getResult().getType());
  if (!type.isWhole())
    return emitUserError(*this) << "makes a whole allocation, not a window";
  if (getAddrs() && static_cast<int64_t>(getAddrs()->size()) != type.getSlots())
    return emitUserError(*this) << "has " << type.getSlots() << " slots and " << getAddrs()->size()
                                << " addresses";
  for (int64_t address : getAddrs().value_or(ArrayRef<int64_t>()))
    if (address < 0)
      return emitUserError(*this) << "has a negative address, " << address;
  if (getMutexIds() && static_cast<int64_t>(getMutexIds()->size()) != type.getSlots())
    return emitUserError(*this) << "has " << type.getSlots() << " slots and "
                                << getMutexIds()->size() << " mutex ids";
  return success();
}

LogicalResult TileSlotOp::verify() {
  int64_t slots = cast<BufType>(getSource().getType()).getSlots();
  std::optional<int64_t> index = getConstantIntValue(getIndex());
  if (index && (*index < 0 || *index >= slots))
    return emitUserError(*this) << "picks slot " << *index << " of " << slots;
  return success();
}

LogicalResult TileSubviewOp::verify() {
  auto source = cast<BufType>(getSource().getType());
  auto result = cast<BufType>(getResult().getType());
  if (result != source.withShape(result.getShape()))
    return emitUserError(*this) << "changes more than the shape of its source: " << source << " to "
                                << result;
  if (getStaticOffsets().size() != 2 || getStaticSizes() != result.getShape())
    return emitUserError(*this) << "needs two offsets and the sizes of its result type";
  if (failed(verifyIndexList(*this, "offset", getStaticOffsets(), getOffsets())) ||
      failed(verifyIndexList(*this, "size", getStaticSizes(), getSizes())))
    return failure();
  FractalShape fractal =
      getFractalShape(source.getLayout(), source.getSpace(), source.getElementType());
  int64_t step[] = {fractal.rows, fractal.cols};
  for (int dim : {0, 1}) {
    int64_t begin = getStaticOffsets()[dim], size = result.getShape()[dim];
    if (!ShapedType::isDynamic(begin) && begin < 0)
      return emitUserError(*this) << "has a negative offset, " << begin;
    if (!ShapedType::isDynamic(begin) && begin % step[dim] != 0)
      return emitUserError(*this) << "offset " << begin << " is not a multiple of the fractal's "
                                  << step[dim];
    int64_t whole = source.getShape()[dim];
    if (!ShapedType::isDynamic(begin) && !ShapedType::isDynamic(size) &&
        !ShapedType::isDynamic(whole) && begin > whole - size)
      return emitUserError(*this) << "reaches beyond its source in dimension " << dim << ": "
                                  << size << " from " << begin << " on, of " << whole;
  }
  return success();
}
