//===- PtoTypes.cpp - Types and what a layout means -----------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Pto.h"
#include "Pto/Words.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pto;

#define GET_TYPEDEF_CLASSES
#include "Pto/PtoTypes.cpp.inc"

void PtoDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Pto/PtoTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

int64_t pto::getElementBytes(Type elementType) {
  if (elementType.isIndex())
    return 8;
  return std::max<int64_t>(1, elementType.getIntOrFloatBitWidth() / 8);
}

bool pto::isElementType(Type type) {
  if (type.isF16() || type.isBF16() || type.isF32())
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  return (width == 1 && integer.isSignless()) || width == 8 || width == 16 || width == 32 ||
         width == 64;
}

Type pto::getScalarType(Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  return integer ? IntegerType::get(integer.getContext(), integer.getWidth()) : elementType;
}

Type pto::getAccumulatorType(Type elementType) {
  MLIRContext *context = elementType.getContext();
  if (elementType.isF16() || elementType.isBF16() || elementType.isF32())
    return Float32Type::get(context);
  return elementType.isSignlessInteger(8) ? Type(IntegerType::get(context, 32)) : Type();
}

int64_t pto::getElementCount(ArrayRef<int64_t> shape) {
  uint64_t count = 1;
  for (int64_t dim : shape)
    count = llvm::SaturatingMultiply<uint64_t>(count, dim);
  return std::min<uint64_t>(count, std::numeric_limits<int64_t>::max());
}

std::optional<Pipe> pto::getPathPipe(MemorySpace from, MemorySpace to) {
  using S = MemorySpace;
  switch (from) {
  case S::DDR:
    return to == S::DDR ? std::nullopt : std::optional(Pipe::MTE2);
  case S::Vec:
    return to == S::Vec ? Pipe::V : Pipe::MTE3;
  case S::Mat:
    return to == S::Vec || to == S::DDR ? Pipe::MTE3 : Pipe::MTE1;
  case S::Acc:
    return Pipe::FIX;
  case S::Left:
  case S::Right:
  case S::Bias:
    return std::nullopt;
  }
  return std::nullopt;
}

FractalShape pto::getFractalShape(TileLayout layout, MemorySpace space, Type elementType) {
  if (!isFractal(layout))
    return {1, 1};
  if (space == MemorySpace::Acc)
    return {16, 16};
  int64_t c0 = 32 / getElementBytes(elementType);
  return layout == TileLayout::ZN ? FractalShape{c0, 16} : FractalShape{16, c0};
}

int64_t pto::getElementOffset(TileLayout layout, MemorySpace space, Type elementType,
                              int64_t rootRows, int64_t rootCols, int64_t row, int64_t col) {
  int64_t bytes = getElementBytes(elementType);
  if (layout == TileLayout::ND)
    return (row * rootCols + col) * bytes;
  if (layout == TileLayout::DN)
    return (col * rootRows + row) * bytes;
  FractalShape fractal = getFractalShape(layout, space, elementType);
  int64_t fractalRow = row / fractal.rows, fractalCol = col / fractal.cols;
  int64_t fractalsDown = llvm::divideCeil(rootRows, fractal.rows);
  int64_t fractalsAcross = llvm::divideCeil(rootCols, fractal.cols);
  // Between fractals: n goes down the columns first, z along the rows.
  int64_t index = layout == TileLayout::NZ ? fractalCol * fractalsDown + fractalRow
                                           : fractalRow * fractalsAcross + fractalCol;
  int64_t inner = layout == TileLayout::ZN
                      ? (col % fractal.cols) * fractal.rows + row % fractal.rows
                      : (row % fractal.rows) * fractal.cols + col % fractal.cols;
  return (index * fractal.rows * fractal.cols + inner) * bytes;
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// Dimensions, 'x', element type: the beginning of every shaped type here.
static ParseResult parseShape(AsmParser &parser, SmallVectorImpl<int64_t> &shape, Type &elementType,
                              bool allowDynamic) {
  return failure(parser.parseDimensionList(shape, allowDynamic) || parser.parseType(elementType));
}

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape, Type elementType) {
  printer.printDimensionList(shape);
  printer << (shape.empty() ? "" : "x") << elementType;
}

/// An enum value by its bare keyword.
template <typename Enum>
static ParseResult parseEnum(AsmParser &parser, std::optional<Enum> &value,
                             std::optional<Enum> (*symbolize)(StringRef), StringRef what) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc) << "unknown " << what << " '" << keyword << "'";
  return success();
}

Type TileType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  std::optional<MemorySpace> space;
  std::optional<TileLayout> layout;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseShape(parser, shape, elementType, /*allowDynamic=*/false))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parseEnum(parser, space, &symbolizeMemorySpace, "memory space"))
      return {};
    if (succeeded(parser.parseOptionalComma()) &&
        parseEnum(parser, layout, &symbolizeTileLayout, "layout"))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape, elementType,
                    space, layout);
}

void TileType::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, getShape(), getElementType());
  if (getSpace())
    printer << ", " << stringifyMemorySpace(*getSpace());
  if (getLayout())
    printer << ", " << stringifyTileLayout(*getLayout());
  printer << '>';
}

Type BufType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, root;
  Type elementType;
  std::optional<MemorySpace> space;
  std::optional<TileLayout> layout;
  int64_t slots = 1;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseShape(parser, shape, elementType, /*allowDynamic=*/true) ||
      parser.parseComma() || parseEnum(parser, space, &symbolizeMemorySpace, "memory space") ||
      parser.parseComma() || parseEnum(parser, layout, &symbolizeTileLayout, "layout"))
    return {};
  bool hasRoot = false;
  while (succeeded(parser.parseOptionalComma())) {
    if (!hasRoot && succeeded(parser.parseOptionalKeyword("of"))) {
      hasRoot = true;
      if (parser.parseLess() ||
          parser.parseDimensionList(root, /*allowDynamic=*/false, /*withTrailingX=*/false) ||
          parser.parseGreater())
        return {};
      continue;
    }
    if (parser.parseKeyword("slots") || parser.parseLess() || parser.parseInteger(slots) ||
        parser.parseGreater())
      return {};
    break;
  }
  if (parser.parseGreater())
    return {};
  if (!hasRoot)
    root = shape;
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape, elementType,
                    *space, *layout, root, slots);
}

void BufType::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, getShape(), getElementType());
  printer << ", " << stringifyMemorySpace(getSpace()) << ", " << stringifyTileLayout(getLayout());
  if (!isWhole()) {
    printer << ", of<";
    printer.printDimensionList(getRoot());
    printer << '>';
  }
  if (getSlots() != 1)
    printer << ", slots<" << getSlots() << '>';
  printer << '>';
}

Type GmType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  int64_t pitch = 0;
  if (parser.parseLess() || parseShape(parser, shape, elementType, /*allowDynamic=*/true))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("pitch") || parser.parseLess())
      return {};
    if (succeeded(parser.parseOptionalQuestion()))
      pitch = ShapedType::kDynamic;
    else if (parser.parseInteger(pitch))
      return {};
    if (parser.parseGreater())
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape, elementType,
                    pitch);
}

void GmType::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, getShape(), getElementType());
  if (hasDynamicStrides())
    printer << ", pitch<?>";
  else if (getRowPitch())
    printer << ", pitch<" << getRowPitch() << '>';
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Verifiers: what is true on every chip
//===----------------------------------------------------------------------===//

static LogicalResult verifyElement(function_ref<InFlightDiagnostic()> emitError, Type elementType) {
  if (isElementType(elementType))
    return success();
  return emitError() << "element type " << dtypeWord(elementType)
                     << " is not supported; use FP16, BF16, FP32, BOOL, or a signed or unsigned "
                        "integer of 8 to 64 bits";
}

static LogicalResult verifyTileShape(function_ref<InFlightDiagnostic()> emitError,
                                     ArrayRef<int64_t> shape) {
  if (shape.size() != 2)
    return emitError() << "a tile has two dimensions, found " << shapeWord(shape);
  for (int64_t dim : shape)
    if (!ShapedType::isDynamic(dim) && dim <= 0)
      return emitError() << "a tile's dimensions are positive, found " << shapeWord(shape);
  return success();
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               std::optional<MemorySpace> space, std::optional<TileLayout> layout) {
  if (failed(verifyTileShape(emitError, shape)) || failed(verifyElement(emitError, elementType)))
    return failure();
  if (getElementCount(shape) > kMaxTileElements)
    return emitError() << "a tile of " << shapeWord(shape) << " is larger than any chip's memory";
  if (space == MemorySpace::DDR)
    return emitError() << "a tile is on chip; DDR holds arrays";
  if (layout && !space)
    return emitError() << "a tile has a layout only in a memory space";
  return success();
}

LogicalResult BufType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                              Type elementType, MemorySpace space, TileLayout layout,
                              ArrayRef<int64_t> root, int64_t slots) {
  if (failed(verifyTileShape(emitError, shape)) || failed(verifyTileShape(emitError, root)) ||
      failed(verifyElement(emitError, elementType)))
    return failure();
  if (space == MemorySpace::DDR)
    return emitError() << "a buffer is on chip; DDR holds arrays";
  if (ShapedType::isDynamicShape(root))
    return emitError() << "an allocation has static dimensions, found " << shapeWord(root);
  for (auto [dim, whole] : llvm::zip(shape, root))
    if (!ShapedType::isDynamic(dim) && dim > whole)
      return emitError() << "a window of " << shapeWord(shape) << " does not fit an allocation of "
                         << shapeWord(root);
  if (slots < 1)
    return emitError() << "an allocation has at least one slot, found " << slots;
  if (getElementCount({root[0], root[1], slots}) > kMaxRootElements)
    return emitError() << "an allocation of " << shapeWord(root) << " with " << slots
                       << " slots is larger than any chip's memory";
  return success();
}

LogicalResult GmType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                             Type elementType, int64_t rowPitch) {
  for (int64_t dim : shape)
    if (!ShapedType::isDynamic(dim) && dim < 0)
      return emitError() << "an array's dimensions are not negative, found " << shapeWord(shape);
  if (ShapedType::isDynamic(rowPitch))
    return verifyElement(emitError, elementType);
  if (rowPitch < 0)
    return emitError() << "the distance between rows is not negative, found " << rowPitch;
  if (rowPitch && (shape.size() != 2 || ShapedType::isDynamicShape(shape)))
    return emitError() << "only an array of two known dimensions is a window of a wider one, found "
                       << shapeWord(shape);
  if (rowPitch && rowPitch <= shape[1])
    return emitError() << "rows of " << shape[1] << " elements that begin " << rowPitch
                       << " apart overlap, or need no pitch";
  return verifyElement(emitError, elementType);
}

LogicalResult ArrayType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t size,
                                Type elementType) {
  if (size < 1 || size > 65536)
    return emitError() << "a small array has 1 to 65536 elements, found " << size;
  if (elementType.isIndex() || isa<TaskType>(elementType) || elementType.isSignlessInteger(1) ||
      elementType.isSignlessInteger(8) || elementType.isSignlessInteger(16) ||
      elementType.isSignlessInteger(32) || elementType.isSignlessInteger(64))
    return success();
  return emitError() << "a small array holds integers, booleans or tasks, found " << elementType;
}

bool TileType::refines(TileType other) const {
  return getShape() == other.getShape() && getElementType() == other.getElementType() &&
         (!other.getSpace() || getSpace() == other.getSpace()) &&
         (!other.getLayout() || getLayout() == other.getLayout());
}

bool BufType::isContiguous() const {
  if (getLayout() == TileLayout::ND)
    return getCols() == getRootCols() || getRows() == 1;
  // Column by column is another order than that of nd windows beside it.
  return getLayout() == TileLayout::DN && getCols() == 1;
}

int64_t BufType::getRootBytes() const {
  FractalShape fractal = getFractalShape(getLayout(), getSpace(), getElementType());
  return llvm::alignTo(getRootRows(), fractal.rows) * llvm::alignTo(getRootCols(), fractal.cols) *
         getElementBytes(getElementType());
}

//===----------------------------------------------------------------------===//
// Queries over all shaped types
//===----------------------------------------------------------------------===//

std::optional<MemorySpace> pto::getTileSpace(Type type) {
  if (auto tile = dyn_cast<TileType>(type))
    return tile.getSpace();
  if (auto buf = dyn_cast<BufType>(type))
    return buf.getSpace();
  return std::nullopt;
}

ArrayRef<int64_t> pto::getShapeOf(Type type) {
  return llvm::TypeSwitch<Type, ArrayRef<int64_t>>(type)
      .Case<TileType, BufType, GmType, RankedTensorType>([](auto t) { return t.getShape(); })
      .Default([](Type) { return ArrayRef<int64_t>(); });
}

Type pto::getElementTypeOf(Type type) {
  return llvm::TypeSwitch<Type, Type>(type)
      .Case<TileType, BufType, GmType, RankedTensorType>([](auto t) { return t.getElementType(); })
      .Default([](Type t) { return t; });
}

int64_t pto::getRowPitch(Type array) {
  if (auto gm = dyn_cast<GmType>(array))
    return gm.getPitch();
  auto tensor = cast<RankedTensorType>(array);
  if (auto pitch = dyn_cast_if_present<PitchAttr>(tensor.getEncoding()))
    return pitch.getElements();
  return tensor.getRank() ? tensor.getShape().back() : 1;
}

LogicalResult pto::verifyView(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  ArrayRef<int64_t> have = getShapeOf(from), want = getShapeOf(to);
  auto isOpen = [](ArrayRef<int64_t> shape) {
    return llvm::count_if(shape, ShapedType::isDynamic);
  };
  if (have.empty() || want.empty() || getRowPitch(to) != want.back() ||
      (have.size() > 1 && getRowPitch(from) != have.back()))
    return emitUserError(op) << "is of an array whose rows follow one another, found "
                             << valueWord(op->getOperand(0));
  if (isOpen(want) > 1)
    return emitUserError(op) << "makes an array of which one extent follows from the others, found "
                             << typeWord(to);
  if (isOpen(have) || isOpen(want))
    return success();
  int64_t bytes = getElementCount(have) * getElementBytes(getElementTypeOf(from));
  int64_t made = getElementCount(want) * getElementBytes(getElementTypeOf(to));
  if (bytes == made)
    return success();
  return emitUserError(op) << "keeps the number of bytes, and " << valueWord(op->getOperand(0))
                           << " has " << bytes << ", " << typeWord(to) << " " << made;
}

LogicalResult PitchAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t elements) {
  if (elements > 0)
    return success();
  return emitError() << "the distance between rows is positive, found " << elements;
}
