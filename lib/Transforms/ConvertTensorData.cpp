//===- ConvertTensorData.cpp - Parts of arrays become loads and stores -------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A window of an array in DDR is a load, of a value on chip a slice; writes likewise. An
// array of one, three or four dimensions is rows: all its dimensions but the last.
//
//===----------------------------------------------------------------------===//

#include "Transforms/TensorConverter.h"
#include "Transforms/TileControlFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Arrays as rows
//===----------------------------------------------------------------------===//

/// The type of an array as a kernel takes it.
static GmType asReference(Value array) {
  if (auto gm = dyn_cast<GmType>(array.getType()))
    return gm;
  auto tensor = cast<RankedTensorType>(array.getType());
  auto pitch = dyn_cast_if_present<PitchAttr>(tensor.getEncoding());
  return GmType::get(array.getContext(), tensor.getShape(), tensor.getElementType(),
                     pitch ? pitch.getElements() : 0);
}

/// The array with two dimensions: itself, or a view of its rows.
Value Converter::getRows(Value array) {
  ArrayRef<int64_t> shape = getShapeOf(array.getType());
  if (shape.size() == 2)
    return array;
  Value &view = rows[array];
  if (view)
    return view;
  bool open = ShapedType::isDynamicShape(shape.drop_back());
  int64_t count = open ? ShapedType::kDynamic : getElementCount(shape.drop_back());
  auto type =
      GmType::get(array.getContext(), {count, shape.back()}, getElementTypeOf(array.getType()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&func.getBody().front());
  return view = TileViewOp::create(builder, withSuffix(array, "rows", array.getLoc()), type, array);
}

/// Row and column of an element among the rows of its array.
FailureOr<std::array<OpFoldResult, 2>> Converter::getRowPlace(Operation *op, Value array,
                                                              ArrayRef<OpFoldResult> offsets) {
  ArrayRef<int64_t> shape = getShapeOf(array.getType());
  if (offsets.size() != shape.size()) {
    emitUserError(op) << "has " << offsets.size() << " offsets for " << valueWord(array);
    return failure();
  }
  if (shape.size() == 2)
    return std::array<OpFoldResult, 2>{offsets[0], offsets[1]};
  Location loc = unnamed(op->getLoc());
  OpFoldResult row = builder.getIndexAttr(0);
  for (auto [dim, offset] : llvm::enumerate(offsets.drop_back())) {
    std::optional<int64_t> before = getConstantIntValue(row), here = getConstantIntValue(offset);
    bool dynamic = ShapedType::isDynamic(shape[dim]);
    if (before && here && (!dynamic || *before == 0)) {
      row = builder.getIndexAttr(*before * (dynamic ? 1 : shape[dim]) + *here);
      continue;
    }
    Value sum = getValueOrCreateConstantIndexOp(builder, loc, offset);
    if (before != 0) {
      Value extent =
          dynamic ? TileDimOp::create(builder, loc, builder.getIndexType(), array, dim).getResult()
                  : arith::ConstantIndexOp::create(builder, loc, shape[dim]).getResult();
      Value scaled = arith::MulIOp::create(
          builder, loc, getValueOrCreateConstantIndexOp(builder, loc, row), extent);
      sum = arith::AddIOp::create(builder, loc, scaled, sum);
    }
    row = sum;
  }
  return std::array<OpFoldResult, 2>{row, offsets.back()};
}

static std::pair<SmallVector<Value>, SmallVector<int64_t>> split(ArrayRef<OpFoldResult> values) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(values, dynamic, statics);
  return {dynamic, statics};
}

/// How many matrices of rows that follow one another a window is, and how many rows each
/// has: all of a dimension, or one of it, but for one.
static std::pair<int64_t, int64_t> getPieces(ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes) {
  int64_t rows = 1, count = 1;
  bool whole = true;
  for (size_t dim = sizes.size() - 1; dim-- > 0;) {
    if (whole)
      rows *= sizes[dim];
    else
      count *= sizes[dim];
    whole &= sizes[dim] == shape[dim];
  }
  return {count, rows};
}

/// The kernel reaches an array by copies or by single elements, not both where one of them
/// writes: the scalar unit's cache knows nothing of copies.
LogicalResult Converter::noteAccess(Operation *op, Value array, bool element, bool write) {
  Accesses &known = accesses[array];
  Operation *&first = known.first[element][write];
  if (!first)
    first = op;
  Operation *other = known.first[!element][true];
  if (!other && write)
    other = known.first[!element][false];
  // A copy that only reads has nothing to lose where elements are only read.
  if (!other)
    return success();
  InFlightDiagnostic error = emitUseError(op)
                             << (write ? "writes " : "reads ") << (element ? "an element of " : "")
                             << valueWord(array) << ", which this kernel also reaches by "
                             << (element ? "copies" : "single elements")
                             << ": single elements go through the scalar unit's cache, which "
                                "copies do not see; use one way for one array in a kernel";
  error.attachNote(other->getLoc()) << operationWord(other) << " is here";
  return error;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

Extents Converter::getPaddedExtents(Value tensor) {
  auto [rows, cols] = extentsOf(tensor);
  return {rows, cols == 1 ? 1 : llvm::alignTo(cols, columnUnit)};
}

/// `tile` is what `op` makes; columns that it is padded with are not valid.
void Converter::finishTile(Operation *op, Value tile) {
  tiles[op->getResult(0)] = tile;
  replaced.push_back(op);
}

FailureOr<Value> Converter::loadWindow(Operation *op, Value array, ArrayRef<OpFoldResult> offsets,
                                       ArrayRef<int64_t> sizes) {
  if (failed(noteAccess(op, array, /*element=*/false, /*write=*/false)))
    return failure();
  Value result = op->getResult(0);
  Type element = getElementTypeOf(array.getType());
  Extents extents = getPaddedExtents(result);
  auto [count, high] = getPieces(getShapeOf(array.getType()), sizes);
  int64_t wide = sizes.back();
  Location loc = op->getLoc();
  if (count == 1) {
    FailureOr<std::array<OpFoldResult, 2>> place = getRowPlace(op, array, offsets);
    if (failed(place))
      return failure();
    auto [dynamic, statics] = split(*place);
    SmallVector<int64_t> valid;
    if (extents != Extents(high, wide))
      valid = {high, wide};
    return TileLoadOp::create(builder, loc, tileType(extents, element), getRows(array), dynamic,
                              ValueRange(), Value(), statics, valid)
        .getResult();
  }
  // Matrix by matrix, one below the other.
  Value tile = TileCreateOp::create(builder, loc, tileType(extents, element));
  SmallVector<int64_t> at(sizes.size(), 0);
  size_t outer = sizes.size() - 1;
  for (int64_t rows = 1; rows < high || outer == sizes.size() - 1;)
    rows *= sizes[--outer];
  for (int64_t piece = 0; piece < count; ++piece) {
    SmallVector<OpFoldResult> begin(offsets);
    int64_t rest = piece;
    for (size_t dim = outer; dim-- > 0;) {
      int64_t step = rest % sizes[dim];
      rest /= sizes[dim];
      if (std::optional<int64_t> known = getConstantIntValue(begin[dim]))
        begin[dim] = builder.getIndexAttr(*known + step);
      else if (step)
        begin[dim] =
            arith::AddIOp::create(builder, unnamed(loc), cast<Value>(begin[dim]),
                                  arith::ConstantIndexOp::create(builder, unnamed(loc), step))
                .getResult();
    }
    FailureOr<std::array<OpFoldResult, 2>> place = getRowPlace(op, array, begin);
    if (failed(place))
      return failure();
    auto [dynamic, statics] = split(*place);
    Extents part = {high, extents.second};
    SmallVector<int64_t> valid;
    if (part != Extents(high, wide))
      valid = {high, wide};
    Value loaded = TileLoadOp::create(builder, loc, tileType(part, element), getRows(array),
                                      dynamic, ValueRange(), Value(), statics, valid)
                       .getResult();
    Value row = arith::ConstantIndexOp::create(builder, unnamed(loc), piece * high);
    Value col = arith::ConstantIndexOp::create(builder, unnamed(loc), 0);
    tile = TileAssembleOp::create(builder, loc, tile.getType(), tile, loaded, row, col, Value())
               ->getResult(0);
  }
  if (extents == extentsOf(result))
    return tile;
  return TileSetValidShapeOp::create(
             builder, loc, tile.getType(), tile, ValueRange(),
             ArrayRef<int64_t>{extentsOf(result).first, extentsOf(result).second})
      .getResult();
}

LogicalResult Converter::convertWindow(TensorWindowOp op) {
  if (failed(pto::checkType(op, op.getResult())))
    return failure();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  Value source = op.getSource();
  builder.setInsertionPoint(op);
  if (Value array = states.getArray(source)) {
    if (failed(checkCurrent(op, source, array)))
      return failure();
    FailureOr<Value> tile = loadWindow(op, array, offsets, op.getSizes());
    if (failed(tile))
      return failure();
    finishTile(op, *tile);
    return success();
  }
  FailureOr<Value> tile = getTile(op, source);
  if (failed(tile))
    return failure();
  builder.setInsertionPoint(op);
  auto [count, high] = getPieces(getShapeOf(source.getType()), op.getSizes());
  if (count != 1)
    return emitUserError(op) << "takes " << shapeWord(op.getSizes()) << " of " << valueWord(source)
                             << ", a value on chip, which are not rows that follow one another; "
                                "take one matrix at a time";
  FailureOr<std::array<OpFoldResult, 2>> place = getRowPlace(op, source, offsets);
  if (failed(place))
    return failure();
  Location loc = unnamed(op.getLoc());
  Value at[] = {getValueOrCreateConstantIndexOp(builder, loc, (*place)[0]),
                getValueOrCreateConstantIndexOp(builder, loc, (*place)[1])};
  Value size[] = {arith::ConstantIndexOp::create(builder, loc, high),
                  arith::ConstantIndexOp::create(builder, loc, op.getSizes().back())};
  Type type = tileType(getPaddedExtents(op.getResult()), getElementTypeOf(source.getType()));
  finishTile(op, TileSliceOp::create(builder, op.getLoc(), type, *tile, at[0], at[1], size[0],
                                     size[1], Value())
                     ->getResult(0));
  return success();
}

LogicalResult Converter::convertAssemble(TensorAssembleOp op) {
  Value array = states.getArray(op.getTarget());
  if (failed(checkType(op, op.getSource())) || (!array && failed(checkType(op, op.getTarget()))))
    return failure();
  Value source = op.getSource();
  bool whole = coversArray(op) && !op.getAtomicAdd();
  builder.setInsertionPoint(op);
  if (!array) {
    FailureOr<Value> tile = getTile(op, source);
    if (failed(tile))
      return failure();
    if (whole) {
      finishTile(op, *tile);
      return success();
    }
    if (op.getAtomicAdd())
      return emitUserError(op) << "adds to " << valueWord(op.getTarget())
                               << ", a value on chip; atomic= is for arrays in DDR";
    FailureOr<Value> target = getTile(op, op.getTarget());
    if (failed(target))
      return failure();
    builder.setInsertionPoint(op);
    FailureOr<std::array<OpFoldResult, 2>> place =
        getRowPlace(op, op.getTarget(), op.getMixedOffsets());
    if (failed(place))
      return failure();
    Location loc = unnamed(op.getLoc());
    finishTile(op, TileAssembleOp::create(
                       builder, op.getLoc(), target->getType(), *target, *tile,
                       getValueOrCreateConstantIndexOp(builder, loc, (*place)[0]),
                       getValueOrCreateConstantIndexOp(builder, loc, (*place)[1]), Value())
                       ->getResult(0));
    return success();
  }
  if (failed(checkWritten(op, array)) || failed(checkCurrent(op, op.getTarget(), array)) ||
      failed(noteAccess(op, array, /*element=*/false, /*write=*/true)))
    return failure();
  Value tile = getComputed(source);
  if (!tile) {
    FailureOr<Value> read = getTile(op, source);
    if (failed(read))
      return failure();
    tile = *read;
  }
  builder.setInsertionPoint(op);
  if (failed(storeWindow(op, tile, array)))
    return failure();
  current[array] = op.getResult();
  // Whoever reads the array next has its contents on chip.
  if (whole && getElementTypeOf(tile.getType()) == getElementTypeOf(array.getType()))
    loads.back()[{op.getResult(), extentsOf(tile)}] = tile;
  replaced.push_back(op);
  return success();
}

/// Stores the tile of an assembled array: at once, or matrix by matrix.
LogicalResult Converter::storeWindow(TensorAssembleOp op, Value tile, Value array) {
  ArrayRef<int64_t> shape = getShapeOf(array.getType());
  ArrayRef<int64_t> source = getShapeOf(op.getSource().getType());
  SmallVector<int64_t> sizes(shape.size() - source.size(), 1);
  llvm::append_range(sizes, source);
  if (getPieces(shape, sizes).first != 1)
    return emitUserError(op) << "writes " << shapeWord(sizes) << " elements into "
                             << valueWord(array)
                             << ", which are not rows that follow one another; write one matrix "
                                "at a time";
  FailureOr<std::array<OpFoldResult, 2>> place = getRowPlace(op, array, op.getMixedOffsets());
  if (failed(place))
    return failure();
  auto [dynamic, statics] = split(*place);
  auto store =
      TileStoreOp::create(builder, op.getLoc(), Type(), tile, getRows(array), dynamic, statics);
  store.setAtomicAdd(op.getAtomicAdd());
  return success();
}

/// A load or store at offsets in more or fewer dimensions than two.
template <typename Op> static void setPlace(Op op, ArrayRef<OpFoldResult> place) {
  auto [dynamic, statics] = split(place);
  op.getOffsetsMutable().assign(dynamic);
  op.setStaticOffsets(statics);
}

LogicalResult Converter::convertLoad(TileLoadOp op) {
  if (!isTensor(op.getSource()))
    return success();
  Value array = states.getArray(op.getSource());
  if (!array)
    return emitUserError(op) << "loads from " << valueWord(op.getSource())
                             << ", which is no array in DDR but a value on chip";
  if (failed(checkCurrent(op, op.getSource(), array)) ||
      failed(noteAccess(op, array, /*element=*/false, /*write=*/false)))
    return failure();
  builder.setInsertionPoint(op);
  FailureOr<std::array<OpFoldResult, 2>> place = getRowPlace(op, array, op.getMixedOffsets());
  if (failed(place))
    return failure();
  setPlace(op, *place);
  op.getSourceMutable().assign(getRows(array));
  return success();
}

LogicalResult Converter::convertStore(TileStoreOp op) {
  if (!op.getResult())
    return success();
  Value array = states.getArray(op.getDest());
  if (!array)
    return emitUserError(op) << "stores to " << valueWord(op.getDest())
                             << ", which is no array in DDR but a value on chip";
  if (failed(checkWritten(op, array)) || failed(checkCurrent(op, op.getDest(), array)) ||
      failed(noteAccess(op, array, /*element=*/false, /*write=*/true)))
    return failure();
  builder.setInsertionPoint(op);
  FailureOr<std::array<OpFoldResult, 2>> place = getRowPlace(op, array, op.getMixedOffsets());
  if (failed(place))
    return failure();
  auto [dynamic, statics] = split(*place);
  auto store = TileStoreOp::create(builder, op.getLoc(), Type(), op.getSource(), getRows(array),
                                   dynamic, statics);
  store->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  store.setAtomicAdd(op.getAtomicAdd());
  current[array] = op.getResult();
  replaced.push_back(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

LogicalResult Converter::convertElement(TensorElementOp op) {
  Value source = op.getSource();
  builder.setInsertionPoint(op);
  Value element;
  if (Value array = states.getArray(source)) {
    if (failed(checkCurrent(op, source, array)) ||
        failed(noteAccess(op, array, /*element=*/true, /*write=*/false)))
      return failure();
    element = TileGetValueOp::create(builder, op.getLoc(), op.getResult().getType(), array,
                                     op.getOffsets(), op.getStaticOffsets());
  } else {
    FailureOr<Value> tile = getTile(op, source);
    if (failed(tile))
      return failure();
    builder.setInsertionPoint(op);
    FailureOr<std::array<OpFoldResult, 2>> place = getRowPlace(op, source, op.getMixedOffsets());
    if (failed(place))
      return failure();
    auto [dynamic, statics] = split(*place);
    element = TileGetValueOp::create(builder, op.getLoc(), op.getResult().getType(), *tile, dynamic,
                                     statics);
  }
  op.getResult().replaceAllUsesWith(element);
  replaced.push_back(op);
  return success();
}

LogicalResult Converter::convertWrite(TensorWriteOp op) {
  Value target = op.getTarget();
  builder.setInsertionPoint(op);
  if (Value array = states.getArray(target)) {
    if (failed(checkWritten(op, array)) || failed(checkCurrent(op, target, array)) ||
        failed(noteAccess(op, array, /*element=*/true, /*write=*/true)))
      return failure();
    TileSetValueOp::create(builder, op.getLoc(), op.getValue(), array, op.getOffsets(),
                           op.getStaticOffsets());
    // Out of the scalar unit's cache at once, so that nobody sees what was there before.
    BlockDcciOp::create(builder, op.getLoc(), array, op.getOffsets(), op.getStaticOffsets(),
                        /*entire=*/false);
    current[array] = op.getResult();
    replaced.push_back(op);
    return success();
  }
  FailureOr<Value> tile = getTile(op, target);
  if (failed(tile))
    return failure();
  builder.setInsertionPoint(op);
  FailureOr<std::array<OpFoldResult, 2>> place = getRowPlace(op, target, op.getMixedOffsets());
  if (failed(place))
    return failure();
  Location loc = unnamed(op.getLoc());
  finishTile(op, TileWriteOp::create(builder, op.getLoc(), tile->getType(), *tile, op.getValue(),
                                     getValueOrCreateConstantIndexOp(builder, loc, (*place)[0]),
                                     getValueOrCreateConstantIndexOp(builder, loc, (*place)[1]),
                                     Value())
                     ->getResult(0));
  return success();
}

//===----------------------------------------------------------------------===//
// Other shapes
//===----------------------------------------------------------------------===//

LogicalResult Converter::convertReshape(TensorReshapeOp op) {
  if (failed(checkTypes(op)))
    return failure();
  Value source = op.getSource(), result = op.getResult();
  Type element = getElementTypeOf(result.getType());
  Extents made = extentsOf(result), padded = getPaddedExtents(result);
  SmallVector<int64_t> valid;
  if (made != padded)
    valid = {made.first, made.second};
  builder.setInsertionPoint(op);
  if (Value array = states.getArray(source)) {
    // The same memory, read in another shape.
    if (failed(checkCurrent(op, source, array)) ||
        failed(noteAccess(op, array, /*element=*/false, /*write=*/false)))
      return failure();
    GmType type = GmType::get(op.getContext(), {made.first, made.second}, element);
    if (asReference(array).getRowPitch())
      return emitUserError(op) << "of " << valueWord(array)
                               << ", whose rows do not follow one another; load it first";
    Value view = TileViewOp::create(builder, op.getLoc(), type, array);
    finishTile(op, TileLoadOp::create(builder, op.getLoc(), tileType(padded, element), view,
                                      ValueRange(), ValueRange(), Value(), ArrayRef<int64_t>{0, 0},
                                      valid)
                       .getResult());
    return success();
  }
  FailureOr<Value> tile = getTile(op, source);
  if (failed(tile))
    return failure();
  builder.setInsertionPoint(op);
  if (extentsOf(*tile) != extentsOf(source))
    valid = {made.first, made.second}; // what the source is padded with is none of it
  DenseI64ArrayAttr extents =
      valid.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(valid);
  finishTile(op, TileReshapeOp::create(builder, op.getLoc(), tileType(padded, element), *tile,
                                       Value(), extents)
                     ->getResult(0));
  return success();
}

LogicalResult Converter::convertTranspose(TensorTransposeOp op) {
  if (failed(checkTypes(op)))
    return failure();
  ArrayRef<int64_t> shape = getShapeOf(op.getSource().getType());
  uint64_t rank = shape.size(), low = std::min(op.getAxis1(), op.getAxis2());
  bool matrix = low + 2 == rank && op.getAxis1() + op.getAxis2() == 2 * rank - 3 &&
                getElementCount(shape.drop_back(2)) == 1;
  if (!matrix)
    return emitUserError(op) << "exchanges dimensions " << op.getAxis1() << " and " << op.getAxis2()
                             << " of " << valueWord(op.getSource())
                             << "; on a core it exchanges rows and columns of one matrix: take "
                                "one at a time";
  FailureOr<Value> tile = getTile(op, op.getSource());
  if (failed(tile))
    return failure();
  builder.setInsertionPoint(op);
  Type element = getElementTypeOf(op.getResult().getType());
  auto [rows, cols] = extentsOf(*tile);
  // All rows of the tile become columns, which are padded to blocks.
  Extents padded = getPaddedExtents(op.getResult());
  Value made = TileTransposeOp::create(builder, op.getLoc(),
                                       tileType({cols, padded.second}, element), *tile, Value())
                   ->getResult(0);
  if (cols == padded.first) {
    finishTile(op, made);
    return success();
  }
  Location loc = unnamed(op.getLoc());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value high = arith::ConstantIndexOp::create(builder, loc, extentsOf(op.getResult()).first);
  Value wide = arith::ConstantIndexOp::create(builder, loc, extentsOf(op.getResult()).second);
  finishTile(op, TileSliceOp::create(builder, op.getLoc(), tileType(padded, element), made, zero,
                                     zero, high, wide, Value())
                     ->getResult(0));
  return success();
}

LogicalResult Converter::convertConcat(TensorConcatOp op) {
  if (failed(checkTypes(op)))
    return failure();
  Type element = getElementTypeOf(op.getResult().getType());
  Extents made = extentsOf(op.getResult()), padded = getPaddedExtents(op.getResult());
  builder.setInsertionPoint(op);
  TileType type = tileType(padded, element);
  Value tile = TileCreateOp::create(builder, op.getLoc(), type);
  Location loc = unnamed(op.getLoc());
  int64_t begin = 0;
  for (Value source : op->getOperands()) {
    FailureOr<Value> part = getTile(op, source);
    if (failed(part))
      return failure();
    builder.setInsertionPoint(op);
    tile = TileAssembleOp::create(builder, op.getLoc(), type, tile, *part,
                                  arith::ConstantIndexOp::create(builder, loc, 0),
                                  arith::ConstantIndexOp::create(builder, loc, begin), Value())
               ->getResult(0);
    begin += extentsOf(source).second;
  }
  if (made != padded)
    tile = TileSetValidShapeOp::create(builder, op.getLoc(), type, tile, ValueRange(),
                                       ArrayRef<int64_t>{made.first, made.second});
  finishTile(op, tile);
  return success();
}

LogicalResult Converter::convertFillpad(TensorFillpadOp op) {
  if (failed(checkTypes(op)))
    return failure();
  ArrayRef<int64_t> from = getShapeOf(op.getSource().getType());
  ArrayRef<int64_t> to = getShapeOf(op.getResult().getType());
  // Only the last matrix grows, or the only one.
  if (getElementCount(from.drop_back(std::min<size_t>(2, from.size()))) != 1 &&
      from.drop_back() != to.drop_back())
    return emitUserError(op) << "pads each of several matrices, " << valueWord(op.getSource())
                             << "; pad one at a time";
  FailureOr<Value> tile = getTile(op, op.getSource());
  if (failed(tile))
    return failure();
  builder.setInsertionPoint(op);
  Extents made = extentsOf(op.getResult()), padded = getPaddedExtents(op.getResult());
  padded.second = std::max(padded.second, extentsOf(*tile).second);
  padded.first = std::max(padded.first, extentsOf(*tile).first);
  TileType type = tileType(padded, getElementTypeOf(op.getResult().getType()));
  Value all = TileFillpadOp::create(builder, op.getLoc(), type, *tile, op.getValue(), Value())
                  ->getResult(0);
  if (made != padded)
    all = TileSetValidShapeOp::create(builder, op.getLoc(), type, all, ValueRange(),
                                      ArrayRef<int64_t>{made.first, made.second});
  finishTile(op, all);
  return success();
}

/// Numbers follow one another from row to row, whatever rows are padded to.
LogicalResult Converter::convertRandom(TensorRandomOp op) {
  if (failed(checkTypes(op)))
    return failure();
  Extents made = extentsOf(op.getResult()), padded = getPaddedExtents(op.getResult());
  Type element = getElementTypeOf(op.getResult().getType());
  builder.setInsertionPoint(op);
  int64_t count = made.first * made.second;
  TileType run = made == padded ? tileType(padded, element)
                                : tileType({1, llvm::alignTo(count, columnUnit)}, element);
  Value tile = TileRandomOp::create(builder, op.getLoc(), run, op.getKey0(), op.getKey1(),
                                    op.getCounter0(), op.getCounter1(), op.getCounter2(),
                                    op.getCounter3(), Value(), op.getRounds())
                   ->getResult(0);
  if (made == padded) {
    finishTile(op, tile);
    return success();
  }
  tile = TileSetValidShapeOp::create(builder, op.getLoc(), run, tile, ValueRange(),
                                     ArrayRef<int64_t>{1, count});
  finishTile(op,
             TileReshapeOp::create(builder, op.getLoc(), tileType(padded, element), tile, Value(),
                                   builder.getDenseI64ArrayAttr({made.first, made.second}))
                 ->getResult(0));
  return success();
}

/// `known`: whether it is an operation that moves.
LogicalResult Converter::convertData(Operation *op, bool &known) {
  known = true;
  if (auto assemble = dyn_cast<TensorAssembleOp>(op))
    return convertAssemble(assemble);
  if (auto window = dyn_cast<TensorWindowOp>(op))
    return convertWindow(window);
  if (auto element = dyn_cast<TensorElementOp>(op))
    return convertElement(element);
  if (auto write = dyn_cast<TensorWriteOp>(op))
    return convertWrite(write);
  if (auto reshape = dyn_cast<TensorReshapeOp>(op))
    return convertReshape(reshape);
  if (auto transpose = dyn_cast<TensorTransposeOp>(op))
    return convertTranspose(transpose);
  if (auto concat = dyn_cast<TensorConcatOp>(op))
    return convertConcat(concat);
  if (auto fillpad = dyn_cast<TensorFillpadOp>(op))
    return convertFillpad(fillpad);
  if (auto random = dyn_cast<TensorRandomOp>(op))
    return convertRandom(random);
  if (auto dim = dyn_cast<TensorDimOp>(op)) {
    builder.setInsertionPoint(op);
    Value array = states.getArray(dim.getSource());
    if (!array)
      return emitUserError(op) << "of " << valueWord(dim.getSource())
                               << ", whose extents are known; use .shape";
    dim.getResult().replaceAllUsesWith(
        TileDimOp::create(builder, op->getLoc(), builder.getIndexType(), array, dim.getDim())
            .getResult());
    replaced.push_back(op);
    return success();
  }
  known = false;
  return success();
}
