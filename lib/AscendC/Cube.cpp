//===- Cube.cpp - Mat, Left, Right, products, Acc to DDR ------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Pto/Words.h"
#include "Tile/TileOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

static constexpr int64_t kFractal = 16; // rows of a fractal, and columns of a b16 one

static LogicalResult checkLayout(Operation *op, const Window &window, TileLayout layout) {
  if (window.type.getLayout() == layout)
    return success();
  return emitUserError(op) << "wants layout " << stringifyTileLayout(layout) << " in "
                           << spaceWord(window.type.getSpace()) << ", found "
                           << stringifyTileLayout(window.type.getLayout()) << ": "
                           << typeWord(window.type);
}

/// An extent that one field of an instruction holds.
static LogicalResult checkLimit(Operation *op, StringRef what, int64_t value, int64_t limit) {
  if (value <= limit)
    return success();
  return emitUserError(op) << "is not one instruction: " << what << " is " << value << ", at most "
                           << limit << " is possible";
}

/// Declares a parameter struct and sets its fields, whose order in the
/// constructors is another one.
static std::string printParams(Printer &printer, StringRef type, StringRef name,
                               ArrayRef<std::pair<StringRef, std::string>> fields) {
  std::string variable = printer.names.fresh(name, "params");
  printer.line(type + " " + variable + ";");
  for (const auto &[field, value] : fields)
    printer.line(variable + "." + field + " = " + value + ";");
  return variable;
}

//===----------------------------------------------------------------------===//
// DDR to Mat, Mat to Left and Right
//===----------------------------------------------------------------------===//

LogicalResult ascendc::printLoadToMat(Printer &printer, Operation *op, const Window &dst,
                                      const ArrayWindow &src) {
  // Limits of Nd2NzParams.
  if (failed(checkLayout(op, dst, TileLayout::NZ)) ||
      failed(checkLimit(op, "the row count", dst.type.getRows(), 16384)) ||
      failed(checkLimit(op, "the column count", dst.type.getCols(), 65535)) ||
      failed(checkLimit(op, "the distance between rows of the array", src.pitch,
                        printer.target.maxFractalPitch)) ||
      failed(checkLimit(op, "the row count of the allocation", dst.paddedRows(), 16384)))
    return failure();
  // One matrix; rows `src.pitch` apart; columns of fractals as far apart as the
  // allocation's rows say.
  std::string params = "Nd2NzParams{1, " + dst.rows.as("uint16_t") + ", " +
                       dst.cols.as("uint16_t") + ", 0, " + std::to_string(src.pitch) + ", " +
                       std::to_string(dst.paddedRows()) + ", 1, 0}";
  printer.call("DataCopy", {dst.ref(), src.ref, params});
  return success();
}

static std::string fractalsOf(const Sum &extent, int64_t size) {
  if (std::optional<int64_t> known = extent.getConstant())
    return std::to_string(llvm::divideCeil(*known, size));
  return "(" + (extent + (size - 1)).str() + ") / " + std::to_string(size);
}

/// Any number of rows of fractals. In Mat (nz) a column of them lies `srcStride` behind
/// the one before it. Right turns each fractal round, and with it the matrix of fractals:
/// its columns are then the rows that lie `dstStride` apart.
static LogicalResult printMoveOfFractals(Printer &printer, Operation *op, const Window &src,
                                         const Window &dst, bool toRight, int64_t c0) {
  int64_t most = printer.target.maxFractalRows;
  int64_t down =
      llvm::divideCeil(src.rows.getConstant().value_or(src.type.getRootRows()), kFractal);
  int64_t across = llvm::divideCeil(src.cols.getConstant().value_or(src.type.getRootCols()), c0);
  if (failed(checkLimit(op, "the number of rows of fractals", down, most)) ||
      failed(checkLimit(op, "the number of columns of fractals", across, most)))
    return failure();
  int64_t pitch = (toRight ? dst.paddedCols() : dst.paddedRows()) / kFractal;
  std::string params = printParams(printer, "LoadData2DParamsV2", "load",
                                   {{"mStartPosition", "0"},
                                    {"kStartPosition", "0"},
                                    {"mStep", fractalsOf(src.rows, kFractal)},
                                    {"kStep", fractalsOf(src.cols, c0)},
                                    {"srcStride", std::to_string(src.paddedRows() / kFractal)},
                                    {"dstStride", std::to_string(pitch)},
                                    {"ifTranspose", toRight ? "true" : "false"},
                                    {"sid", "0"}});
  printer.call("LoadData", {dst.ref(), src.ref(), params});
  return success();
}

/// One row of fractals: in Mat (nz) they lie a column of fractals apart, in Left
/// (zz) and Right (zn) one behind the other. Right turns each fractal round.
LogicalResult ascendc::printMoveFromMat(Printer &printer, Operation *op, const Window &src,
                                        const Window &dst) {
  bool toRight = dst.type.getSpace() == MemorySpace::Right;
  if (failed(checkLayout(op, src, TileLayout::NZ)) ||
      failed(checkLayout(op, dst, printer.target.getSpace(dst.type.getSpace()).layout)))
    return failure();
  int64_t size = src.elementBytes();
  if (toRight && size != 2)
    return emitUserError(op) << "to Right turns fractals of FP16 and BF16 only, found "
                             << typeWord(src.type);
  if (printer.target.maxFractalRows > 1)
    return printMoveOfFractals(printer, op, src, dst, toRight, 32 / size);
  std::optional<int64_t> rows = src.rows.getConstant();
  if (!rows || *rows > kFractal)
    return emitUserError(op) << "to " << spaceWord(dst.type.getSpace())
                             << " is one instruction for 16 rows, found " << typeWord(src.type)
                             << "; pto-expand-instructions cuts it";
  int64_t c0 = 32 / size;
  std::optional<int64_t> cols = src.cols.getConstant();
  int64_t most = llvm::divideCeil(cols.value_or(src.type.getRootCols()), c0);
  if (failed(checkLimit(op, "the number of fractals", most, printer.target.maxRepeats)))
    return failure();
  std::string params = printParams(printer, "LoadData2DParams", "load",
                                   {{"startIndex", "0"},
                                    {"repeatTimes", fractalsOf(src.cols, c0)},
                                    {"srcStride", std::to_string(src.paddedRows() / kFractal)},
                                    {"dstGap", "0"},
                                    {"ifTranspose", toRight ? "true" : "false"}});
  printer.call("LoadData", {dst.ref(), src.ref(), params});
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

// A product reads and writes whole matrices of fractals: the instruction takes the
// distance between rows (or columns) of fractals from m, n and k, the allocation
// from its own extents. Both must be the same, unless there is but one row (or
// column) of fractals. Where the window is smaller, m and n may be the
// allocation's: what is computed beyond the window is garbage in rows (or
// columns) that no other window has.

static int64_t fractals(int64_t extent) { return llvm::divideCeil(extent, kFractal); }

static bool hasFractalsOf(const Sum &window, int64_t root) {
  std::optional<int64_t> known = window.getConstant();
  return known && fractals(*known) == fractals(root);
}

static bool isOneFractal(const Sum &window) {
  return window.getConstant().value_or(kFractal + 1) <= kFractal;
}

static LogicalResult refuseWindow(Operation *op, const Window &window) {
  return emitUserError(op) << "is not one instruction: the window " << typeWord(window.type)
                           << " in " << spaceWord(window.type.getSpace())
                           << " has other rows or columns of fractals than its allocation of "
                           << shapeWord(window.type.getRoot());
}

/// Whether no other window of the allocation begins elsewhere, so that what lies
/// beyond this one belongs to it.
static bool isAlone(const Window &window) {
  if (!window.row.isZero() || !window.col.isZero())
    return false;
  SmallVector<Value> open{window.allocation};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (auto slot = dyn_cast<TileSlotOp>(user))
        open.push_back(slot.getResult());
      auto subview = dyn_cast<TileSubviewOp>(user);
      if (!subview)
        continue;
      if (llvm::any_of(subview.getStaticOffsets(), [](int64_t offset) { return offset != 0; }))
        return false;
      open.push_back(subview.getResult());
    }
  return true;
}

static LogicalResult printProduct(Printer &printer, TileComputeInterface op, Value lhsValue,
                                  Value rhsValue, bool accumulates) {
  FailureOr<Window> acc = printer.window(op, op.getDestination());
  FailureOr<Window> lhs = printer.window(op, lhsValue), rhs = printer.window(op, rhsValue);
  if (failed(acc) || failed(lhs) || failed(rhs) || failed(printer.checkPipe(op, Pipe::M)))
    return failure();
  for (const Window *window : {&*acc, &*lhs, &*rhs})
    if (failed(checkLayout(op, *window, printer.target.getSpace(window->type.getSpace()).layout)))
      return failure();
  Sum m = lhs->rows, k = lhs->cols, n = rhs->cols;
  // Columns of fractals in Acc, and in a Left of layout nz, are m rows apart, rows of
  // them in Right n columns.
  bool leftByColumns = lhs->type.getLayout() == TileLayout::NZ;
  bool accWider = !hasFractalsOf(m, acc->type.getRootRows()) && !isOneFractal(n);
  bool leftWider = leftByColumns && !hasFractalsOf(m, lhs->type.getRootRows()) && !isOneFractal(k);
  if (accWider || leftWider) {
    if (!isAlone(*acc) || !lhs->row.isZero() || lhs->paddedRows() != acc->paddedRows())
      return refuseWindow(op, accWider ? *acc : *lhs);
    m = acc->paddedRows();
  }
  if (!hasFractalsOf(n, rhs->type.getRootCols()) && !isOneFractal(k)) {
    if (!isAlone(*acc) || !rhs->col.isZero() || rhs->paddedCols() != acc->paddedCols())
      return refuseWindow(op, *rhs);
    n = rhs->paddedCols();
  }
  // Rows of fractals in a Left of layout zz are k columns apart; more columns would be
  // more summands.
  if (!leftByColumns && !hasFractalsOf(k, lhs->type.getRootCols()) && !isOneFractal(m))
    return refuseWindow(op, *lhs);
  // m = 1 would switch the unit to matrix times vector, which reads Left as plain
  // rows and not as fractals. With m = 16 the unit multiplies the whole row of
  // fractals; rows of Acc beyond the first are then garbage, and Fixpipe stores
  // the rows of its window only.
  if (m.getConstant() == 1)
    m = kFractal;
  bool maybeOne = !m.getConstant();
  for (auto [what, extent] : {std::pair("m", &m), std::pair("n", &n), std::pair("k", &k)})
    if (failed(
            checkLimit(op, what, extent->getConstant().value_or(0), printer.target.maxMatmulDim)))
      return failure();
  std::string rows = m.str();
  if (maybeOne)
    rows = m.expr().in(Prec::Shift) + " == 1 ? 16 : " + m.expr().in(Prec::Or);
  printer.at(op);
  std::string params = printParams(printer, "MmadParams", "mmad",
                                   {{"m", rows},
                                    {"n", n.str()},
                                    {"k", k.str()},
                                    {"cmatrixInitVal", accumulates ? "false" : "true"}});
  printer.call("Mmad", {acc->ref(), lhs->ref(), rhs->ref(), params});
  return success();
}

static LogicalResult printMatmul(Printer &printer, TileMatmulOp op) {
  return printProduct(printer, op, op.getLhs(), op.getRhs(), /*accumulates=*/false);
}
static LogicalResult printMatmulAcc(Printer &printer, TileMatmulAccOp op) {
  return printProduct(printer, op, op.getLhs(), op.getRhs(), /*accumulates=*/true);
}

//===----------------------------------------------------------------------===//
// Acc to DDR
//===----------------------------------------------------------------------===//

LogicalResult ascendc::printStoreFromAcc(Printer &printer, Operation *op, const Window &src,
                                         const ArrayWindow &dst, Type element) {
  // Limits of the instruction for rows in DDR.
  if (failed(checkLayout(op, src, TileLayout::NZ)) ||
      failed(checkLimit(op, "the column count", src.type.getCols(), 4095)) ||
      failed(checkLimit(op, "the row count", src.type.getRows(), 8192)) ||
      failed(checkLimit(op, "the row count of the allocation", src.paddedRows(), 65535)))
    return failure();
  Type from = src.type.getElementType();
  StringRef quant = from == element    ? "NoQuant"
                    : element.isF16()  ? "F322F16"
                    : element.isBF16() ? "F322BF16"
                                       : "";
  if (quant.empty())
    return emitUserError(op) << "has no conversion from " << dtypeWord(from) << " to "
                             << dtypeWord(element) << " on the way to DDR";
  // Each chip has its own struct; what has no initialiser in it is set.
  SmallVector<std::pair<StringRef, std::string>> fields{
      {"nSize", src.cols.str()},
      {"mSize", src.rows.str()},
      {"srcStride", std::to_string(src.paddedRows())},
      {"dstStride", std::to_string(dst.pitch)},
      {"quantPre", ("QuantMode_t::" + quant).str()},
      {"deqScalar", "0"}};
  bool is3510 = printer.target.npuArch == 3510;
  if (is3510)
    fields.append({{"reluScalar", "0"},
                   {"vectorRelu", "0"},
                   {"params.ndNum", "1"},
                   {"params.srcNdStride", "0"},
                   {"params.dstNdStride", "0"}});
  else
    fields.push_back({"ndNum", "1"});
  std::string params = printParams(
      printer, is3510 ? "FixpipeParamsArch3510<CO2Layout::ROW_MAJOR>" : "FixpipeParamsV220",
      "fixpipe", fields);
  std::string call =
      "Fixpipe<" + printer.cppType(element) + ", " + printer.cppType(from) + ", CFG_ROW_MAJOR>";
  printer.call(call, {dst.ref, src.ref(), params});
  return success();
}

void ascendc::registerCubePrinters(Printers &printers) {
  printers.add<printMatmul>();
  printers.add<printMatmulAcc>();
}
