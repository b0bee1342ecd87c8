//===- Arrays.cpp - Arrays in DDR as C++ names them -----------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Pointers are C++ pointers, and have a GlobalTensor where something reaches their
// memory. Views have no code: their strides stand in the loads and stores.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Block/BlockOps.h"
#include "Pto/Words.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

static std::string pointerType(Printer &printer, Type element) {
  return "__gm__ " + printer.cppType(element) + " *";
}

/// The address as a pointer to the array's elements.
static Expr typedPointer(Printer &printer, const Array &array) {
  Type element = array.type.getElementType();
  if (array.pointee == element)
    return array.address;
  return {"(" + pointerType(printer, element) + ")" + array.address.in(Prec::Unary), Prec::Unary};
}

/// Whether something reads or writes memory by the pointer, and not by others made of it.
static bool isReachedBy(Value array) {
  return llvm::any_of(array.getUsers(),
                      [](Operation *user) { return !isa<TileMakePtrOp, TileIsNullOp>(user); });
}

/// Declares the GlobalTensor of an array; `elements` may be unknown.
static std::string declareTensor(Printer &printer, const Array &array, StringRef name,
                                 std::optional<int64_t> elements) {
  std::string tensor = printer.names.fresh(name.str() + "Gm", "gm");
  printer.line("GlobalTensor<" + printer.cppType(array.type.getElementType()) + "> " + tensor +
               ";");
  printer.line(tensor + ".SetGlobalBuffer(" + typedPointer(printer, array).text +
               (elements ? ", " + std::to_string(*elements) : "") + ");");
  return tensor;
}

static bool isPointer(GmType type) {
  return type.getShape() == ArrayRef<int64_t>(ShapedType::kDynamic) && !type.getRowPitch();
}

/// Extents and strides of an array whose type says both.
static void setGeometry(Array &array, ArrayRef<std::string> extents = {}) {
  ArrayRef<int64_t> shape = array.type.getShape();
  if (isPointer(array.type) && extents.empty()) {
    array.strides = {Sum(1)}; // the host knows its extent, and nobody here
    return;
  }
  Sum stride = 1;
  size_t open = extents.size();
  for (size_t dim = shape.size(); dim-- > 0;) {
    Sum extent = ShapedType::isDynamic(shape[dim]) ? Sum::term({extents[--open]}) : Sum(shape[dim]);
    array.extents.insert(array.extents.begin(), extent);
    array.strides.insert(array.strides.begin(), stride);
    bool last = dim + 1 == shape.size();
    stride = last && array.type.getRowPitch() ? Sum(array.type.getPitch()) : stride * extent;
  }
}

/// Elements from the first to the last one.
static int64_t elementsOf(GmType type) {
  if (type.getRowPitch())
    return (type.getShape()[0] - 1) * type.getPitch() + type.getShape()[1];
  return getElementCount(type.getShape());
}

void ascendc::bindArrayParameter(Printer &printer, BlockArgument argument, StringRef name,
                                 ArrayRef<std::string> extents) {
  Array array;
  array.type = cast<GmType>(argument.getType());
  array.address = {name.str()};
  setGeometry(array, extents);
  bool pointer = ShapedType::isDynamicShape(array.type.getShape());
  if (!pointer)
    array.tensor = declareTensor(printer, array, name, elementsOf(array.type));
  else if (isReachedBy(argument))
    array.tensor = declareTensor(printer, array, name, std::nullopt);
  printer.bindArray(argument, std::move(array));
}

FailureOr<Array> Printer::array(Operation *op, Value value) {
  auto found = arrays.find(value);
  if (found != arrays.end())
    return found->second;
  if (isa<RankedTensorType>(value.getType()))
    return emitUserError(op) << "copies an array of the tensor level; a kernel takes !pto.gm";
  InFlightDiagnostic diagnostic = emitUserError(op);
  diagnostic << "works on the array " << valueWord(value)
             << ", whose memory is not known here; it must be a parameter of the kernel, or made "
                "of one by pto.tile.make_ptr, pto.tile.make_tensor or pto.tile.plane";
  if (Operation *made = value.getDefiningOp())
    diagnostic.attachNote(made->getLoc()) << "made here";
  return failure();
}

static LogicalResult printMakePtr(Printer &printer, TileMakePtrOp op) {
  FailureOr<Array> source = printer.array(op, op.getSource());
  if (failed(source))
    return failure();
  Expr address = typedPointer(printer, *source);
  Sum offset = printer.sum(op.getMixedOffset());
  if (!offset.isZero())
    address = {address.in(Prec::Add) + " + " + offset.expr().in(Prec::Mul), Prec::Add};
  Array array;
  array.type = cast<GmType>(op.getResult().getType());
  array.address = std::move(address);
  array.pointee = source->type.getElementType();
  setGeometry(array);
  if (op.getResult().use_empty())
    return success();
  printer.at(op);
  std::string name = printer.freshName(op.getResult(), "ptr");
  printer.line(pointerType(printer, array.type.getElementType()) + "const " + name + " = " +
               typedPointer(printer, array).text + ";");
  array.address = {name};
  array.pointee = array.type.getElementType();
  if (isReachedBy(op.getResult()))
    array.tensor = declareTensor(printer, array, name, std::nullopt);
  printer.bindArray(op.getResult(), std::move(array));
  return success();
}

static LogicalResult printIsNull(Printer &printer, TileIsNullOp op) {
  FailureOr<Array> source = printer.array(op, op.getSource());
  if (failed(source))
    return failure();
  printer.define(op.getResult(), {source->address.in(Prec::Shift) + " == nullptr", Prec::Equal});
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static SmallVector<Sum, 2> sums(Printer &printer, ArrayRef<OpFoldResult> values) {
  SmallVector<Sum, 2> result;
  for (OpFoldResult value : values)
    result.push_back(printer.sum(value));
  return result;
}

/// The same memory with other extents.
static LogicalResult printView(Printer &printer, TileViewOp op) {
  FailureOr<Array> source = printer.array(op, op.getSource());
  if (failed(source))
    return failure();
  Array array = *source;
  array.type = cast<GmType>(op.getResult().getType());
  array.extents.clear();
  array.strides.clear();
  // What one open extent is follows from the source's.
  int64_t inner = 1, outer = 1;
  Sum open = 1;
  for (auto [extent, sum] : llvm::zip(source->type.getShape(), source->extents)) {
    inner *= ShapedType::isDynamic(extent) ? 1 : extent;
    if (ShapedType::isDynamic(extent))
      open = sum;
  }
  for (int64_t extent : array.type.getShape())
    outer *= ShapedType::isDynamic(extent) ? 1 : extent;
  Sum stride = 1;
  for (int64_t extent : llvm::reverse(array.type.getShape())) {
    Sum size = extent;
    if (ShapedType::isDynamic(extent)) {
      if (inner % outer)
        return emitUserError(op) << "makes " << typeWord(array.type) << ", an extent of which is "
                                 << "no multiple of that of " << valueWord(op.getSource());
      size = open * (inner / outer);
    }
    array.extents.insert(array.extents.begin(), size);
    array.strides.insert(array.strides.begin(), stride);
    stride = stride * size;
  }
  if (array.type.getElementType() != source->type.getElementType()) {
    array.pointee = source->pointee ? source->pointee : source->type.getElementType();
    printer.at(op);
    array.tensor =
        declareTensor(printer, array, printer.freshName(op.getResult(), "view"), std::nullopt);
  }
  printer.bindArray(op.getResult(), std::move(array));
  return success();
}

static LogicalResult printDim(Printer &printer, TileDimOp op) {
  FailureOr<Array> array = printer.array(op, op.getSource());
  if (failed(array))
    return failure();
  printer.define(op.getResult(), array->extents[op.getDim()].expr());
  return success();
}

static LogicalResult printMakeTensor(Printer &printer, TileMakeTensorOp op) {
  FailureOr<Array> array = printer.array(op, op.getSource());
  if (failed(array))
    return failure();
  array->type = cast<GmType>(op.getResult().getType());
  array->extents = sums(printer, op.getMixedShape());
  array->strides = sums(printer, op.getMixedStrides());
  printer.bindArray(op.getResult(), std::move(*array));
  return success();
}

static LogicalResult printPlane(Printer &printer, TilePlaneOp op) {
  FailureOr<Array> source = printer.array(op, op.getSource());
  if (failed(source))
    return failure();
  Array array = *source;
  array.type = cast<GmType>(op.getResult().getType());
  array.extents.clear();
  array.strides.clear();
  for (int64_t axis : op.getAxes()) {
    array.extents.push_back(source->extents[axis]);
    array.strides.push_back(source->strides[axis]);
  }
  SmallVector<Sum, 2> offsets = sums(printer, op.getMixedOffsets());
  size_t place = 0;
  for (auto [dim, stride] : llvm::enumerate(source->strides))
    if (!llvm::is_contained(op.getAxes(), int64_t(dim)))
      array.begin = array.begin + offsets[place++] * stride;
  printer.bindArray(op.getResult(), std::move(array));
  return success();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Elements from the beginning of the array's GlobalTensor to that at `offsets`.
static Sum offsetIn(Printer &printer, const Array &array, ArrayRef<OpFoldResult> offsets) {
  Sum offset = array.begin;
  for (auto [value, stride] : llvm::zip(offsets, array.strides))
    offset = offset + printer.sum(value) * stride;
  return offset;
}

FailureOr<ArrayWindow> ascendc::getArrayWindow(Printer &printer, Operation *op, Value value,
                                               ArrayRef<OpFoldResult> offsets) {
  FailureOr<Array> array = printer.array(op, value);
  if (failed(array))
    return failure();
  if (array->strides.size() != 2)
    return emitUserError(op) << "needs an array of two dimensions, found " << valueWord(value)
                             << "; pto.tile.plane picks two";
  Sum begin = offsetIn(printer, *array, offsets);
  std::string ref = array->tensor;
  if (!begin.isZero())
    ref += "[" + begin.str() + "]";
  return ArrayWindow{ref, array->strides[0], array->strides[1]};
}

LogicalResult ascendc::checkStep(Operation *op, const ArrayWindow &array, BufType buffer) {
  if (array.step.getConstant() == 1 || buffer.getCols() == 1)
    return success();
  return emitUserError(op) << "copies rows whose elements follow one another, found columns "
                           << array.step.str()
                           << " elements apart in the array; copy it as it lies, and transpose it "
                              "on its way to Left or Right (pl.move)";
}

/// Elements from the beginning of the allocation to one of the window. In a fractal
/// layout columns of fractals lie one behind the other.
static FailureOr<Sum> offsetIn(Printer &printer, Operation *op, Window window,
                               ArrayRef<OpFoldResult> offsets) {
  window.row = window.row + printer.sum(offsets[0]);
  window.col = window.col + printer.sum(offsets[1]);
  TileLayout layout = window.type.getLayout();
  if (!isFractal(layout))
    return window.offset();
  if (layout != TileLayout::NZ)
    return emitUserError(op) << "reaches an element of layout " << stringifyTileLayout(layout)
                             << "; nd, dn and nz have them: " << typeWord(window.type);
  Type element = window.type.getElementType();
  int64_t width = getFractalShape(layout, window.type.getSpace(), element).cols;
  if (std::optional<int64_t> col = window.col.getConstant())
    return Sum(*col / width * window.paddedRows() * width + *col % width) + window.row * width;
  std::string col = window.col.expr().in(Prec::Unary), by = std::to_string(width);
  return Sum::term({col + " / " + by, Prec::Mul}) * (window.paddedRows() * width) +
         window.row * width + Sum::term({col + " % " + by, Prec::Mul});
}

/// What holds the element, and where in it.
static FailureOr<std::pair<std::string, std::string>>
findElement(Printer &printer, Operation *op, Value container, ArrayRef<OpFoldResult> offsets) {
  if (isa<GmType>(container.getType())) {
    FailureOr<Array> array = printer.array(op, container);
    if (failed(array))
      return failure();
    return std::pair(array->tensor, offsetIn(printer, *array, offsets).str());
  }
  FailureOr<Window> window = printer.window(op, container);
  if (failed(window) || failed(printer.checkCore(op, window->type.getSpace())))
    return failure();
  FailureOr<Sum> offset = offsetIn(printer, op, *window, offsets);
  if (failed(offset))
    return failure();
  return std::pair(window->tensor, offset->str());
}

/// Read where it stands, wherever it is used.
static LogicalResult printGetValue(Printer &printer, TileGetValueOp op) {
  auto found = findElement(printer, op, op.getSource(), op.getMixedOffsets());
  if (failed(found))
    return failure();
  printer.at(op);
  std::string name = printer.freshName(op.getResult(), "element");
  printer.line("const " + printer.cppType(op.getResult().getType()) + " " + name + " = " +
               found->first + ".GetValue(" + found->second + ");");
  printer.bind(op.getResult(), {name});
  return success();
}

static LogicalResult printSetValue(Printer &printer, TileSetValueOp op) {
  auto found = findElement(printer, op, op.getDest(), op.getMixedOffsets());
  if (failed(found))
    return failure();
  printer.at(op);
  printer.call(found->first + ".SetValue", {found->second, printer.exact(op.getValue())});
  return success();
}

static LogicalResult printDcci(Printer &printer, BlockDcciOp op) {
  SmallVector<OpFoldResult> offsets =
      getMixedValues(op.getStaticOffsets(), op.getOffsets(), op.getContext());
  FailureOr<Array> array = printer.array(op, op.getSource());
  if (failed(array))
    return failure();
  Sum offset = offsetIn(printer, *array, offsets);
  StringRef lines = op.getEntire() ? "ENTIRE_DATA_CACHE" : "SINGLE_CACHE_LINE";
  printer.at(op);
  printer.call(("DataCacheCleanAndInvalid<" + printer.cppType(array->type.getElementType()) +
                ", CacheLine::" + lines + ", DcciDst::CACHELINE_OUT>")
                   .str(),
               {array->tensor + (offset.isZero() ? "" : "[" + offset.str() + "]")});
  return success();
}

void ascendc::registerArrayPrinters(Printers &printers) {
  printers.add<printMakePtr>();
  printers.add<printIsNull>();
  printers.add<printMakeTensor>();
  printers.add<printPlane>();
  printers.add<printView>();
  printers.add<printDim>();
  printers.add<printGetValue>();
  printers.add<printSetValue>();
  printers.add<printDcci>();
}
