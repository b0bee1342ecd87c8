//===- ConvertTensorToTileOps.cpp - pto-convert-tensor-to-tile-ops --------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A core computes on tiles, not on arrays: what it reads is loaded, what it
// assembles into an array is stored. The tile operation of a tensor operation
// is the one with its name, so that an element-wise operation needs nothing
// here. DDR is by reference from here on, so that parameters become `!pto.gm`
// and states of an array become the array.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"
#include "Transforms/TensorConverter.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::pto {
#define GEN_PASS_DEF_CONVERTTENSORTOTILEOPSPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class ConvertTensorToTileOps
    : public pto::impl::ConvertTensorToTileOpsPassBase<ConvertTensorToTileOps> {
public:
  using ConvertTensorToTileOpsPassBase::ConvertTensorToTileOpsPassBase;
  void runOnOperation() override;
};
} // namespace

Extents pto::extentsOf(Value value) {
  ArrayRef<int64_t> shape = getShapeOf(value.getType());
  return {getElementCount(shape.drop_back(shape.empty() ? 0 : 1)),
          shape.empty() ? 1 : shape.back()};
}

InFlightDiagnostic pto::emitUseError(Operation *user) {
  if (user->hasTrait<OpTrait::IsTerminator>() || isa<scf::ForOp, scf::WhileOp, scf::IfOp>(user))
    return emitError(user->getLoc());
  return emitUserError(user);
}

//===----------------------------------------------------------------------===//
// Tiles of tensor values
//===----------------------------------------------------------------------===//

/// The extents of a tile for `tensor`: those of the tile that it is, or of one
/// for the vector core.
Extents Converter::getPadded(Value tensor) {
  if (Value tile = getComputed(tensor))
    return extentsOf(tile);
  return getPaddedExtents(tensor);
}

/// Tensor values are states of memory: only the newest one can still be read.
LogicalResult Converter::checkCurrent(Operation *user, Value tensor, Value array) {
  auto found = current.find(array);
  Value newest = found == current.end() ? array : found->second;
  if (newest == tensor)
    return success();
  InFlightDiagnostic error = emitUseError(user)
                             << "uses " << valueWord(array) << " as it was before it was written";
  error.attachNote(newest.getLoc()) << "the array is written here; use the result of that";
  return error;
}

LogicalResult Converter::checkWritten(Operation *user, Value array) {
  auto argument = cast<BlockArgument>(array);
  if (isWritten(getDirection(func, argument.getArgNumber())))
    return success();
  InFlightDiagnostic error = emitUserError(user)
                             << "writes " << valueWord(array) << ", an In parameter of '"
                             << func.getName() << "'";
  error.attachNote(array.getLoc()) << "declare it as pl.Out[...] or pl.InOut[...]";
  return error;
}

FailureOr<Value> Converter::readArray(Operation *user, Value tensor, Value array, Extents extents) {
  if (failed(checkCurrent(user, tensor, array)))
    return failure();
  for (const auto &scope : llvm::reverse(loads))
    if (Value tile = scope.lookup({tensor, extents}))
      return tile;
  if (failed(noteAccess(user, array, /*element=*/false, /*write=*/false)))
    return failure();
  builder.setInsertionPoint(user);
  auto [rows, cols] = extentsOf(array);
  SmallVector<int64_t> valid;
  if (extents != Extents(rows, cols))
    valid = {rows, cols};
  Value tile =
      TileLoadOp::create(builder, withSuffix(array, "tile", user->getLoc()),
                         tileType(extents, getElementTypeOf(array.getType())), getRows(array),
                         ValueRange(), ValueRange(), Value(), ArrayRef<int64_t>{0, 0}, valid)
          .getResult();
  loads.back()[{tensor, extents}] = tile;
  return tile;
}

/// The tile that holds `tensor`, with the given physical extents; loaded before
/// `user` if it lies in DDR.
FailureOr<Value> Converter::getTile(Operation *user, Value tensor, Extents extents) {
  if (Value array = states.getArray(tensor))
    return readArray(user, tensor, array, extents);
  Value tile = getComputed(tensor);
  if (!tile) {
    emitUseError(user) << "uses " << valueWord(tensor) << ", which has no place on chip";
    return failure();
  }
  if (extentsOf(tile) != extents) {
    // Extents differ only between the fractals of the cube core and rows of the vector core.
    InFlightDiagnostic error = emitUseError(user)
                               << "combines values of the cube core and of the vector core; that "
                                  "needs a mixed kernel, which comes later; use two kernels with "
                                  "an array between them";
    error.attachNote(tile.getLoc()) << valueWord(tensor) << " is computed here";
    return failure();
  }
  Type element = getElementTypeOf(tensor.getType());
  if (getElementTypeOf(tile.getType()) == element)
    return tile;
  // A product in FP16 or BF16 is narrowed on its way out of the accumulator; whoever
  // computes with it needs a conversion.
  builder.setInsertionPoint(user);
  return TileCastOp::create(builder, tensor.getLoc(), tileType(extents, element), tile, Value(),
                            RoundMode::Rint)
      .getResult();
}

//===----------------------------------------------------------------------===//
// Computing operations
//===----------------------------------------------------------------------===//

LogicalResult pto::checkType(Operation *user, Value value) {
  ArrayRef<int64_t> shape = getShapeOf(value.getType());
  Type element = getElementTypeOf(value.getType());
  if (shape.empty() || shape.size() > 4)
    return emitUseError(user) << "computes on arrays with one to four dimensions, found "
                              << valueWord(value);
  if (ShapedType::isDynamicShape(shape))
    return emitUseError(user) << "computes on arrays of known shape, found " << valueWord(value)
                              << "; load a tile of it with pl.load";
  if (llvm::is_contained(shape, 0))
    return emitUseError(user) << "computes on arrays that have elements, found "
                              << valueWord(value);
  // Columns are padded by less than a factor of 32.
  if (getElementCount(shape) > kMaxTileElements / 32)
    return emitUseError(user) << "computes on " << valueWord(value)
                              << ", which is larger than any core's memory; load a tile of it "
                                 "with pl.load";
  if (!isElementType(element))
    return emitUserError(user) << "element type " << dtypeWord(element)
                               << " is not supported on a core";
  return success();
}

LogicalResult Converter::checkTypes(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  for (Value value : values)
    if (isa<RankedTensorType, GmType>(value.getType()) && failed(pto::checkType(op, value)))
      return failure();
  return success();
}

/// The tile that holds `tensor`, in the extents that it has or would have.
FailureOr<Value> Converter::getTile(Operation *user, Value tensor) {
  if (failed(checkType(user, tensor)))
    return failure();
  return getTile(user, tensor, getPadded(tensor));
}

/// The tile operation with this name, if there is one.
static std::optional<RegisteredOperationName> getTileName(Operation *op, const Twine &prefix = "") {
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("pto.tensor."))
    return std::nullopt;
  return RegisteredOperationName::lookup(("pto.tile." + prefix + name).str(), op->getContext());
}

/// Its form with one value a row ("row") or a column ("col"), if there is one; of `maximum` it
/// is row_expand_max.
static std::optional<RegisteredOperationName> getExpandName(Operation *op, StringRef which) {
  StringRef name = op->getName().getStringRef();
  name.consume_front("pto.tensor.");
  if (name == "maximum" || name == "minimum")
    name = name.drop_back(4);
  return RegisteredOperationName::lookup(("pto.tile." + which + "_expand_" + name).str(),
                                         op->getContext());
}

static Value createTileOp(OpBuilder &builder, Location loc, StringRef name, ValueRange sources,
                          ArrayRef<NamedAttribute> attributes, Type result) {
  OperationState state(loc, name, sources, result, attributes);
  return builder.create(state)->getResult(0);
}

/// `[M, 1]` or `[1, N]` as `[M, N]`: ones times its values, which is exact.
Value Converter::spread(Operation *op, Value vector, Extents shape) {
  Type element = getElementTypeOf(vector.getType()), scalarType = getScalarType(element);
  builder.setInsertionPoint(op);
  TypedAttr one = isa<FloatType>(element) ? TypedAttr(builder.getFloatAttr(element, 1.0))
                                          : TypedAttr(builder.getIntegerAttr(scalarType, 1));
  Value scalar = arith::ConstantOp::create(builder, op->getLoc(), one);
  TileType type = tileType(shape, element);
  Value ones =
      createTileOp(builder, op->getLoc(), TileFullOp::getOperationName(), scalar, {}, type);
  bool column = extentsOf(vector).second == 1;
  return createTileOp(builder, op->getLoc(),
                      column ? TileRowExpandMulOp::getOperationName()
                             : TileColExpandMulOp::getOperationName(),
                      {ones, vector}, {}, type);
}

/// An element-wise operation whose second source holds one value a row, a column, or in all:
/// its form for that, or else the values spread.
StringRef Converter::broadcast(Operation *op, StringRef name, MutableArrayRef<Value> sources) {
  Extents whole = extentsOf(sources[0]);
  auto [rows, cols] = extentsOf(op->getOperand(0));
  auto [partRows, partCols] = extentsOf(op->getOperand(1));
  if (partRows == 1 && partCols == 1 && rows != 1 && cols != 1) {
    sources[1] = spread(op, sources[1], {1, whole.second}); // a row of it
    partCols = cols;
  }
  bool byRows = partCols == 1;
  if (std::optional<RegisteredOperationName> expand = getExpandName(op, byRows ? "row" : "col"))
    return expand->getStringRef();
  sources[1] = spread(op, sources[1], whole);
  return name;
}

/// 1 where a mask has a bit, else 0.
Value Converter::compare(Operation *op, ValueRange sources, Extents extents) {
  Type element = getElementTypeOf(op->getResult(0).getType());
  Type byte = IntegerType::get(op->getContext(), 8, IntegerType::Unsigned);
  TileType type = tileType(extents, element);
  TileType bits =
      tileType({extents.first, llvm::alignTo(llvm::divideCeil(extents.second, 8), 32)}, byte);
  Value mask = createTileOp(builder, op->getLoc(), TileCmpOp::getOperationName(), sources,
                            op->getAttrs(), bits);
  auto fill = [&](int64_t number) -> Value {
    Type scalar = getScalarType(element);
    TypedAttr value = isa<FloatType>(scalar)
                          ? TypedAttr(builder.getFloatAttr(scalar, static_cast<double>(number)))
                          : TypedAttr(builder.getIntegerAttr(scalar, number));
    Value constant = arith::ConstantOp::create(builder, op->getLoc(), value);
    Value full =
        createTileOp(builder, op->getLoc(), TileFullOp::getOperationName(), constant, {}, type);
    if (extents == extentsOf(op->getResult(0)))
      return full;
    return TileSetValidShapeOp::create(builder, op->getLoc(), type, full, ValueRange(),
                                       getShapeOf(op->getResult(0).getType()));
  };
  return createTileOp(builder, op->getLoc(), TileSelOp::getOperationName(),
                      {mask, fill(1), fill(0)}, {}, type);
}

namespace {
/// The extents that tiles of an operation have: columns padded to whole blocks,
/// or those of the first source that is a tile already.
struct Padding {
  int64_t unit;
  Value tensor, tile; // the first computed source, or null

  Extents get(Value value) const {
    auto [rows, cols] = extentsOf(value);
    int64_t padded = cols == 1 ? 1 : llvm::alignTo(cols, unit);
    if (!tile)
      return {rows, padded};
    auto [knownRows, knownCols] = extentsOf(tensor);
    auto [tileRows, tileCols] = extentsOf(tile);
    return {rows == knownRows ? tileRows : rows, cols == knownCols ? tileCols : padded};
  }
};
} // namespace

LogicalResult Converter::convertCompute(Operation *op) {
  std::optional<RegisteredOperationName> name = getTileName(op);
  if (!name)
    return emitUserError(op) << "has no operation on tiles";
  if (failed(checkTypes(op)))
    return failure();
  Padding padding{columnUnit, {}, {}};
  for (Value source : op->getOperands())
    if (!padding.tile && isTensor(source) && !states.getArray(source)) {
      padding.tensor = source;
      padding.tile = getComputed(source);
    }
  SmallVector<Value> sources;
  for (Value source : op->getOperands()) {
    if (!isa<RankedTensorType, GmType>(source.getType())) {
      sources.push_back(source);
      continue;
    }
    FailureOr<Value> tile = getTile(op, source, padding.get(source));
    if (failed(tile))
      return failure();
    sources.push_back(*tile);
  }
  Value result = op->getResult(0);
  Extents extents = padding.get(result);
  StringRef made = name->getStringRef();
  builder.setInsertionPoint(op);
  if (op->hasTrait<Broadcasting>() && isa<TileType>(sources[1].getType()) &&
      getShapeOf(op->getOperand(1).getType()) != getShapeOf(op->getOperand(0).getType())) {
    made = broadcast(op, made, sources);
    builder.setInsertionPoint(op);
  }
  Type type = tileType(extents, getElementTypeOf(result.getType()));
  Value tile = isa<TensorCmpOp>(op)
                   ? compare(op, sources, extents)
                   : createTileOp(builder, op->getLoc(), made, sources, op->getAttrs(), type);
  bool extentless = llvm::none_of(sources, [](Value v) { return isa<TileType>(v.getType()); });
  if (extentless && extents != extentsOf(result))
    tile = TileSetValidShapeOp::create(builder, op->getLoc(), type, tile, ValueRange(),
                                       getShapeOf(result.getType()));
  tiles[result] = tile;
  replaced.push_back(op);
  return success();
}

/// A product: operands padded to fractals, result in FP32 or INT32. A result in the
/// operands' type is narrowed by the store. An operand that is stored transposed is turned
/// on its way to Left or Right.
LogicalResult Converter::convertProduct(Operation *op) {
  if (failed(checkTypes(op)))
    return failure();
  bool adds = isa<TensorMatmulAccOp>(op);
  Value lhs = op->getOperand(adds), result = op->getResult(0);
  // K is a multiple of a fractal's width and of the squares that turn it, N of the latter where
  // the right operand is turned.
  int64_t unit = getElementBytes(getElementTypeOf(lhs.getType())) == 1 ? 32 : 16;
  int64_t across = op->hasAttr("b_trans") ? 16 : unit;
  auto padded = [](Value value, int64_t down, int64_t wide) {
    auto [rows, cols] = extentsOf(value);
    return Extents(llvm::alignTo(rows, down), llvm::alignTo(cols, wide));
  };
  SmallVector<Value> sources;
  for (auto [index, source] : llvm::enumerate(op->getOperands())) {
    bool left = index == unsigned(adds), isAcc = adds && index == 0;
    bool turns = !isAcc && op->hasAttr(left ? "a_trans" : "b_trans");
    Extents extents = isAcc           ? padded(result, 16, across)
                      : left && turns ? padded(source, unit, unit)
                      : left          ? padded(source, 16, unit)
                      : turns         ? padded(source, 16, unit)
                                      : padded(source, unit, unit);
    FailureOr<Value> tile = getTile(op, source, extents);
    if (failed(tile))
      return failure();
    if (turns) {
      builder.setInsertionPoint(op);
      Type element = getElementTypeOf(source.getType());
      auto type = tileType({extents.second, extents.first}, element)
                      .withSpace(left ? MemorySpace::Left : MemorySpace::Right);
      auto move = TileMoveOp::create(builder, withSuffix(source, "turned", op->getLoc()), type,
                                     *tile, Value());
      move.setTranspose(true);
      tile = move.getResult();
    }
    sources.push_back(*tile);
  }
  builder.setInsertionPoint(op);
  Type acc = getAccumulatorType(getElementTypeOf(lhs.getType()));
  TileType type = tileType(padded(result, 16, across), acc);
  if (getElementTypeOf(result.getType()) != acc)
    type = type.withSpace(MemorySpace::Acc); // the only space whose store narrows
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : op->getAttrs())
    if (attribute.getName() != "a_trans" && attribute.getName() != "b_trans")
      attributes.push_back(attribute);
  tiles[result] = createTileOp(builder, op->getLoc(), getTileName(op)->getStringRef(), sources,
                               attributes, type);
  replaced.push_back(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// An array that is written in a region comes out of it as a result.
LogicalResult Converter::checkWrittenAreCarried(Operation *op,
                                                const llvm::MapVector<Value, Value> &before) {
  for (auto &[array, state] : current) {
    auto known = before.find(array);
    Value old = known == before.end() ? array : known->second;
    bool carried = llvm::any_of(op->getResults(), [&, array = array](Value result) {
      return states.getArray(result) == array;
    });
    if (state == old || carried)
      continue;
    InFlightDiagnostic error = emitError(state.getLoc())
                               << valueWord(array) << " is written here, but the "
                               << (isa<scf::IfOp>(op) ? "branch" : "loop")
                               << " does not hand the array on";
    error.attachNote(op->getLoc()) << "it begins here";
    return error;
  }
  return success();
}

static LogicalResult checkCarried(Operation *user, Value tile, Type expected) {
  if (tile.getType() == expected)
    return success();
  return emitUseError(user) << "a value that is carried is a product of the cube core in one place "
                               "and a value of the vector core in another, "
                            << typeWord(expected) << " and " << typeWord(tile.getType())
                            << "; that needs a mixed kernel, which comes later";
}

/// What the new loop begins with, and which old value each of it was: arrays are not
/// carried, temporaries are carried as tiles.
LogicalResult Converter::convertInits(ValueLoop loop, SmallVectorImpl<Value> &inits,
                                      SmallVectorImpl<int64_t> &from) {
  for (unsigned i = 0; i < loop.getNumCarried(); ++i) {
    Value init = loop.getInit(i).get();
    if (Value array = states.getArray(loop.getArgument(i))) {
      if (failed(checkCurrent(loop.getOperation(), init, array)))
        return failure();
      continue;
    }
    FailureOr<Value> carried = init;
    if (isTensor(init))
      carried = getTile(loop.getOperation(), init);
    if (failed(carried))
      return failure();
    inits.push_back(*carried);
    from.push_back(i);
  }
  return success();
}

LogicalResult Converter::convertLoop(Operation *op) {
  auto heading = dyn_cast<scf::WhileOp>(op);
  if (heading && (failed(checkHead(heading)) || failed(convertBlock(*heading.getBeforeBody()))))
    return failure();
  if (llvm::none_of(op->getResults(), isTensor)) {
    auto before = current;
    return failure(failed(convertBlock(op->getRegions().back().front())) ||
                   failed(checkWrittenAreCarried(op, before)));
  }
  ValueLoop old = ValueLoop::get(op);
  SmallVector<Value> inits;
  SmallVector<int64_t> from;
  if (failed(convertInits(old, inits, from)))
    return failure();
  ValueLoop loop = old.rebuild(inits, from);
  replaced.push_back(op); // before its body, which refers to its arguments
  return convertLoopBody(old, loop, from);
}

LogicalResult Converter::convertLoopBody(ValueLoop old, ValueLoop loop, ArrayRef<int64_t> from) {
  auto before = current;
  for (unsigned i = 0; i < old.getNumCarried(); ++i)
    if (Value array = states.getArray(old.getArgument(i)))
      current[array] = old.getArgument(i);
  for (auto [index, number] : llvm::enumerate(from))
    if (isTensor(old.getArgument(number)))
      tiles[old.getArgument(number)] = loop.getArgument(index);
  auto atEnd = [&] { return convertLoopYield(old, loop, from); };
  if (failed(convertBlock(*loop.getBody(), atEnd)) ||
      failed(checkWrittenAreCarried(old.getOperation(), before)))
    return failure();
  current = before;
  for (unsigned i = 0; i < old.getNumCarried(); ++i)
    if (Value array = states.getArray(old.getResult(i)))
      current[array] = old.getResult(i);
  for (auto [index, number] : llvm::enumerate(from)) {
    Value result = old.getResult(number);
    if (isTensor(result))
      tiles[result] = loop.getResult(index);
    else
      result.replaceAllUsesWith(loop.getResult(index));
  }
  return success();
}

LogicalResult Converter::convertLoopYield(ValueLoop old, ValueLoop loop, ArrayRef<int64_t> from) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [index, value] : llvm::enumerate(yield.getOperands()))
    if (Value array = states.getArray(old.getArgument(index)))
      if (failed(checkCurrent(yield, value, array)))
        return failure();
  SmallVector<Value> yielded;
  for (auto [index, number] : llvm::enumerate(from)) {
    FailureOr<Value> tile = yield.getOperand(number);
    if (isTensor(*tile))
      tile = getTile(yield, *tile);
    if (failed(tile) || failed(checkCarried(yield, *tile, loop.getArgument(index).getType())))
      return failure();
    yielded.push_back(*tile);
  }
  builder.setInsertionPoint(yield);
  scf::YieldOp::create(builder, yield.getLoc(), yielded);
  replaced.push_back(yield);
  return success();
}

/// Converts one arm where it stands; `yielded` holds what it hands on but for
/// arrays.
LogicalResult Converter::convertArm(Region &arm, scf::IfOp branch,
                                    SmallVectorImpl<Value> &yielded) {
  if (arm.empty())
    return success();
  auto before = current;
  auto atEnd = [&] { return convertArmYield(arm, branch, yielded); };
  if (failed(convertBlock(arm.front(), atEnd)) || failed(checkWrittenAreCarried(branch, before)))
    return failure();
  current = before;
  return success();
}

LogicalResult Converter::convertArmYield(Region &arm, scf::IfOp branch,
                                         SmallVectorImpl<Value> &yielded) {
  auto yield = cast<scf::YieldOp>(arm.front().back());
  for (auto [value, result] : llvm::zip(yield.getOperands(), branch.getResults())) {
    if (Value array = states.getArray(result)) {
      if (failed(checkCurrent(yield, value, array)))
        return failure();
      continue;
    }
    FailureOr<Value> tile = value;
    if (isTensor(value))
      tile = getTile(yield, value);
    if (failed(tile))
      return failure();
    yielded.push_back(*tile);
  }
  if (branch.getNumResults() == 0)
    return success();
  builder.setInsertionPoint(yield);
  scf::YieldOp::create(builder, yield.getLoc(), yielded);
  replaced.push_back(yield);
  return success();
}

LogicalResult Converter::convertIf(scf::IfOp old) {
  bool rebuild = llvm::any_of(old.getResults(), isTensor);
  if (rebuild)
    replaced.push_back(old); // before its arms: they are erased first
  SmallVector<Value> yielded, otherwise;
  if (failed(convertArm(old.getThenRegion(), old, yielded)) ||
      failed(convertArm(old.getElseRegion(), old, otherwise)))
    return failure();
  if (!rebuild)
    return success();
  for (auto [value, other] : llvm::zip(yielded, otherwise))
    if (failed(checkCarried(old, other, value.getType())))
      return failure();
  builder.setInsertionPoint(old);
  auto branch = scf::IfOp::create(builder, old.getLoc(), ValueRange(yielded).getTypes(),
                                  old.getCondition(), /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  branch->setDiscardableAttrs(old->getDiscardableAttrDictionary());
  branch.getThenRegion().takeBody(old.getThenRegion());
  branch.getElseRegion().takeBody(old.getElseRegion());
  branches.push_back(branch);
  unsigned next = 0;
  for (Value result : old.getResults()) {
    if (Value array = states.getArray(result))
      current[array] = result;
    else if (isTensor(result))
      tiles[result] = branch.getResult(next++);
    else
      result.replaceAllUsesWith(branch.getResult(next++));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult Converter::convertReturn(func::ReturnOp op) {
  SmallVector<Value> written;
  for (BlockArgument argument : func.getArguments())
    if (isWritten(getDirection(func, argument.getArgNumber())))
      written.push_back(argument);
  if (written.size() != op.getNumOperands())
    return op.emitError() << "'" << func.getName() << "' has " << written.size()
                          << " Out and InOut arrays and returns " << op.getNumOperands()
                          << "; it returns each of them, in the order of the parameters";
  for (auto [array, value] : llvm::zip(written, op.getOperands())) {
    if (states.getArray(value) != array)
      return op.emitError() << "'" << func.getName() << "' returns " << valueWord(value)
                            << " where it returns " << valueWord(array) << " as it is at the end";
    if (failed(checkCurrent(op, value, array)))
      return failure();
  }
  op.getOperandsMutable().clear();
  return success();
}

LogicalResult Converter::convertOperation(Operation *op) {
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return convertLoop(op);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return convertIf(branch);
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return convertReturn(end);
  if (auto load = dyn_cast<TileLoadOp>(op))
    return convertLoad(load);
  if (auto store = dyn_cast<TileStoreOp>(op))
    return convertStore(store);
  bool known = false;
  LogicalResult converted = convertData(op, known);
  if (known)
    return converted;
  if (isa<TensorMatmulOp, TensorMatmulAccOp>(op))
    return convertProduct(op);
  if (isa<TensorCreateOp>(op))
    return emitUserError(op) << "stands in '" << func.getName()
                             << "', which runs on a core and allocates no arrays; create it on the "
                                "control plane, or take it as a pl.Out parameter";
  if (isa<BlockDispatchOp>(op))
    return op->emitError() << "stands in '" << func.getName()
                           << "', which runs on a core; only the control plane dispatches tasks";
  if (isa<BlockClusterOp>(op))
    return emitUserError(op) << "stands in '" << func.getName()
                             << "', which runs on a core; only the control plane dispatches tasks";
  if (op->hasTrait<TensorLevel>())
    return convertCompute(op);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success(); // its loop or branch looks at it
  bool nested = false;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      nested |= inner->hasTrait<TensorLevel>() || llvm::any_of(inner->getOperands(), isTensor);
    });
  if (nested || llvm::any_of(op->getOperands(), isTensor) ||
      llvm::any_of(op->getResults(), isTensor))
    return emitUserError(op) << "cannot use arrays in code that runs on a core";
  return success();
}

LogicalResult Converter::convertBlock(Block &block, function_ref<LogicalResult()> atEnd) {
  loads.emplace_back();
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(convertOperation(&op)))
      return failure();
  if (atEnd && failed(atEnd()))
    return failure();
  loads.pop_back();
  return success();
}

/// What the type says of the distance between rows; 0 if that is a row.
static int64_t pitchOf(RankedTensorType type) {
  auto pitch = dyn_cast_if_present<PitchAttr>(type.getEncoding());
  return pitch ? pitch.getElements() : 0;
}

LogicalResult Converter::convertSignature() {
  SmallVector<Type> inputs;
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      inputs.push_back(type);
      continue;
    }
    Location loc = func.isExternal() ? func.getLoc() : func.getArgument(index).getLoc();
    auto gm = GmType::getChecked([&] { return emitError(loc); }, func.getContext(),
                                 tensor.getShape(), tensor.getElementType(), pitchOf(tensor));
    if (!gm)
      return failure();
    inputs.push_back(gm);
  }
  BitVector results(func.getNumResults(), true);
  if (failed(func.eraseResults(results)))
    return func.emitError() << "has results that cannot be dropped";
  func.setType(FunctionType::get(func.getContext(), inputs, {}));
  if (!func.isExternal())
    for (auto [argument, type] : llvm::zip(func.getArguments(), inputs))
      argument.setType(type);
  return success();
}

LogicalResult Converter::run() {
  if (!func.isExternal() && !func.getBody().hasOneBlock())
    return func.emitError() << "'" << func.getName()
                            << "' has branches between blocks; use for and if";
  auto note = [&](Type type) {
    if (isa<RankedTensorType>(type) && isElementType(getElementTypeOf(type)))
      columnUnit = std::max(columnUnit, 32 / getElementBytes(getElementTypeOf(type)));
  };
  func.walk([&](Operation *op) { llvm::for_each(op->getResultTypes(), note); });
  llvm::for_each(func.getArgumentTypes(), note);
  if (!func.isExternal() && failed(convertBlock(func.getBody().front())))
    return failure();
  if (failed(convertSignature()))
    return failure();
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  // An arm that only handed an array on is empty now.
  for (scf::IfOp branch : branches)
    if (branch.getNumResults() == 0 && llvm::hasSingleElement(branch.getElseRegion().front()))
      branch.getElseRegion().getBlocks().clear();
  return success();
}

void ConvertTensorToTileOps::runOnOperation() {
  for (auto func : getOperation().getOps<func::FuncOp>())
    if (getFunctionKind(func) == FunctionKind::InCore && failed(Converter(func).run()))
      return signalPassFailure();
}
