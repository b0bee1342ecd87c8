//===- Windows.cpp - Buffers and arrays as C++ names them -----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Pto/Words.h"
#include "Tile/TileOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

Sum Window::count() const {
  if (std::optional<int64_t> constant = cols.getConstant())
    return rows * *constant;
  if (std::optional<int64_t> constant = rows.getConstant())
    return cols * *constant;
  return Sum::term({rows.expr().in(Prec::Mul) + " * " + cols.expr().in(Prec::Unary), Prec::Mul});
}

std::optional<int64_t> Window::rowPitch() const {
  // One row has no next one.
  if (type.getLayout() == TileLayout::ND && type.getRows() == 1)
    return llvm::divideCeil(type.getRootCols() * elementBytes(), 32);
  int64_t elements = type.getLayout() == TileLayout::ND ? type.getRootCols() : 1;
  int64_t bytes = elements * elementBytes();
  if (bytes % 32 != 0)
    return std::nullopt;
  return bytes / 32;
}

int64_t Window::paddedRows() const {
  FractalShape fractal = getFractalShape(type.getLayout(), type.getSpace(), type.getElementType());
  return llvm::alignTo(type.getRootRows(), fractal.rows);
}

int64_t Window::paddedCols() const {
  FractalShape fractal = getFractalShape(type.getLayout(), type.getSpace(), type.getElementType());
  return llvm::alignTo(type.getRootCols(), fractal.cols);
}

/// `getElementOffset` for the beginning of a window, where rows and columns are
/// multiples of the fractal: then each layout is linear in both.
Sum Window::offset() const {
  FractalShape fractal = getFractalShape(type.getLayout(), type.getSpace(), type.getElementType());
  switch (type.getLayout()) {
  case TileLayout::ND:
    return row * type.getRootCols() + col;
  case TileLayout::DN:
    return col * type.getRootRows() + row;
  case TileLayout::NZ:
    return col * paddedRows() + row * fractal.cols;
  case TileLayout::ZZ:
  case TileLayout::ZN:
    return row * paddedCols() + col * fractal.rows;
  }
  return 0;
}

std::string Window::ref() const {
  Sum begin = offset();
  return begin.isZero() ? tensor : tensor + "[" + begin.str() + "]";
}

bool ascendc::openUnlessEmpty(Printer &printer, const Window &window) {
  if (printer.target.emptyIsNothing)
    return false;
  std::string condition;
  for (const Sum *extent : {&window.rows, &window.cols})
    if (!extent->getConstant())
      condition += (condition.empty() ? "" : " && ") + extent->expr().in(Prec::Shift) + " > 0";
  if (condition.empty())
    return false;
  printer.open("if (" + condition + ") {");
  return true;
}

FailureOr<Window> Printer::window(Operation *op, Value value) {
  auto found = windows.find(value);
  if (found != windows.end())
    return found->second;
  Operation *made = value.getDefiningOp();
  InFlightDiagnostic diagnostic = emitUserError(op);
  diagnostic << "works on the buffer " << valueWord(value)
             << ", whose allocation is not known here; it must come from pto.tile.alloc, "
                "pto.tile.slot or pto.tile.subview";
  if (made)
    diagnostic.attachNote(made->getLoc()) << "made here";
  return failure();
}

//===----------------------------------------------------------------------===//
// Allocations, slots, windows
//===----------------------------------------------------------------------===//

static StringRef positionOf(MemorySpace space) {
  switch (space) {
  case MemorySpace::DDR:
    return "GM";
  case MemorySpace::Vec:
    return "VECCALC";
  case MemorySpace::Mat:
    return "A1";
  case MemorySpace::Left:
    return "A2";
  case MemorySpace::Right:
    return "B2";
  case MemorySpace::Acc:
    return "CO1";
  case MemorySpace::Bias:
    return "C2";
  }
  return "";
}

/// `(TPosition::VECCALC, 0x2000, 2048)`
static std::string place(BufType type, int64_t address) {
  int64_t elements = type.getRootBytes() / getElementBytes(type.getElementType());
  return ("(TPosition::" + positionOf(type.getSpace()) + ", 0x" +
          llvm::utohexstr(address, /*LowerCase=*/true) + ", " + Twine(elements) + ")")
      .str();
}

static Window wholeWindow(BufType type, std::string tensor, Value allocation) {
  return {type, std::move(tensor), allocation, 0, 0, type.getRows(), type.getCols()};
}

static LogicalResult checkAllocation(Printer &printer, TileAllocOp op, BufType type) {
  if (!op.getAddrs())
    return emitUserError(op) << "has no address; pto-plan-memory gives it one";
  const SpaceInfo &space = printer.target.getSpace(type.getSpace());
  std::optional<CoreKind> core = printer.target.getCore(type.getSpace());
  if (printer.core && core && *core != *printer.core)
    return emitUserError(op) << "is in " << spaceWord(type.getSpace()) << ", which "
                             << (*printer.core == CoreKind::AIC ? "a cube" : "a vector")
                             << " core does not have";
  bool mixed = getFunctionKind(op->getParentOfType<FunctionOpInterface>()) == FunctionKind::Group;
  int64_t capacity = printer.target.getCapacity(type.getSpace(), mixed);
  ArrayRef<int64_t> addresses = *op.getAddrs();
  for (int64_t address : addresses) {
    if (address % space.alignment != 0)
      return emitUserError(op) << "begins at byte " << address << "; an address in "
                               << spaceWord(type.getSpace()) << " is a multiple of "
                               << bytesWord(space.alignment);
    if (address > capacity || type.getRootBytes() > capacity - address)
      return emitUserError(op) << "reaches byte " << address + type.getRootBytes() << " of "
                               << spaceWord(type.getSpace()) << ", which has "
                               << bytesWord(capacity);
  }
  return success();
}

static LogicalResult printAlloc(Printer &printer, TileAllocOp op) {
  auto type = cast<BufType>(op.getResult().getType());
  if (failed(checkAllocation(printer, op, type)))
    return failure();
  printer.at(op);
  std::string tensor = "LocalTensor<" + printer.cppType(type.getElementType()) + ">";
  std::string name = printer.freshName(op.getResult(), "buf");
  ArrayRef<int64_t> addresses = *op.getAddrs();
  if (type.getSlots() == 1) {
    printer.line(tensor + " " + name + place(type, addresses[0]) + ";");
  } else {
    printer.line(tensor + " " + name + "[" + Twine(type.getSlots()) + "] = {");
    for (int64_t address : addresses)
      printer.line("    " + tensor + place(type, address) + ",");
    printer.line("};");
  }
  printer.bindWindow(op.getResult(), wholeWindow(type, name, op.getResult()));
  return success();
}

static LogicalResult printSlot(Printer &printer, TileSlotOp op) {
  FailureOr<Window> slots = printer.window(op, op.getSource());
  if (failed(slots))
    return failure();
  auto type = cast<BufType>(op.getResult().getType());
  std::string element = slots->tensor;
  if (slots->type.getSlots() > 1)
    element += "[" + printer.str(op.getIndex()) + "]";
  if (!nameOf(op.getResult()).empty() || !op.getResult().hasOneUse()) {
    printer.at(op);
    std::string name = printer.freshName(op.getResult(), "buf");
    printer.line("LocalTensor<" + printer.cppType(type.getElementType()) + "> " + name + " = " +
                 element + ";");
    element = name;
  }
  printer.bindWindow(op.getResult(), wholeWindow(type, element, op.getSource()));
  return success();
}

static LogicalResult printSubview(Printer &printer, TileSubviewOp op) {
  FailureOr<Window> source = printer.window(op, op.getSource());
  if (failed(source))
    return failure();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(), sizes = op.getMixedSizes();
  Window window = *source;
  window.type = cast<BufType>(op.getResult().getType());
  window.row = source->row + printer.sum(offsets[0]);
  window.col = source->col + printer.sum(offsets[1]);
  window.rows = printer.sum(sizes[0]);
  window.cols = printer.sum(sizes[1]);
  printer.bindWindow(op.getResult(), std::move(window));
  return success();
}

void ascendc::registerWindowPrinters(Printers &printers) {
  printers.add<printAlloc>();
  printers.add<printSlot>();
  printers.add<printSubview>();
}
