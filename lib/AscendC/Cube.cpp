//===- Cube.cpp - Mat, Left, Right, Bias, products ------------------------===//
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

LogicalResult ascendc::checkLayout(Operation *op, const Window &window, TileLayout layout) {
  if (window.type.getLayout() == layout)
    return success();
  return emitUserError(op) << "wants layout " << stringifyTileLayout(layout) << " in "
                           << spaceWord(window.type.getSpace()) << ", found "
                           << stringifyTileLayout(window.type.getLayout()) << ": "
                           << typeWord(window.type);
}

LogicalResult ascendc::checkLimit(Operation *op, StringRef what, const Sum &value, int64_t limit) {
  std::optional<int64_t> known = value.getConstant();
  if (!known || *known <= limit)
    return success();
  return emitUserError(op) << "is not one instruction: " << what << " is " << *known << ", at most "
                           << limit << " is possible";
}

std::string ascendc::printParams(Printer &printer, StringRef type, StringRef name,
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

/// A row that lies in Mat as it does in DDR: biases.
static LogicalResult printPlainLoad(Printer &printer, Operation *op, const Window &dst,
                                    const ArrayWindow &src) {
  if (failed(checkStep(op, src, dst.type)))
    return failure();
  if (!(dst.count() * dst.elementBytes()).isMultipleOf(32))
    return emitUserError(op) << "to Mat in layout nd copies whole blocks of 32 bytes, found "
                             << dst.count().str() << " elements of " << dst.elementBytes()
                             << " bytes";
  printer.call("DataCopy", {dst.ref(), src.ref, dst.count().str()});
  return success();
}

LogicalResult ascendc::printLoadToMat(Printer &printer, Operation *op, const Window &dst,
                                      const ArrayWindow &src) {
  if (dst.type.getLayout() == TileLayout::ND && dst.type.getRows() == 1)
    return printPlainLoad(printer, op, dst, src);
  // Limits of Nd2NzParams.
  if (failed(checkLayout(op, dst, TileLayout::NZ)) ||
      failed(checkLimit(op, "the row count", dst.type.getRows(), 16384)) ||
      failed(checkLimit(op, "the column count", dst.type.getCols(), 65535)) ||
      failed(checkLimit(op, "the distance between rows of the array", src.pitch,
                        printer.target.maxFractalPitch)) ||
      failed(checkLimit(op, "the row count of the allocation", dst.paddedRows(), 16384)))
    return failure();
  if (failed(checkStep(op, src, dst.type)))
    return failure();
  // One matrix; rows `src.pitch` apart; columns of fractals as far apart as the
  // allocation's rows say. One row has no next one.
  bool wide = printer.target.maxFractalPitch > UINT16_MAX;
  Sum pitch = dst.rows.getConstant() == 1 ? dst.cols : src.pitch;
  std::string params = "Nd2NzParams{1, " + dst.rows.as("uint16_t") + ", " +
                       dst.cols.as(wide ? "uint32_t" : "uint16_t") + ", 0, " +
                       pitch.as(wide ? "uint64_t" : "uint16_t") + ", " +
                       std::to_string(dst.paddedRows()) + ", 1, 0}";
  printer.call("DataCopy", {dst.ref(), src.ref, params});
  return success();
}

static std::string fractalsOf(const Sum &extent, int64_t size) {
  if (std::optional<int64_t> known = extent.getConstant())
    return std::to_string(llvm::divideCeil(*known, size));
  return "(" + (extent + (size - 1)).str() + ") / " + std::to_string(size);
}

/// Columns of fractals of words where they are turned: whole squares of two.
static std::string wordsOf(const Sum &cols) {
  if (std::optional<int64_t> known = cols.getConstant())
    return std::to_string(llvm::divideCeil(*known, 16) * 2);
  return "(" + (cols + 15).str() + ") / 16 * 2";
}

// Right (zn) holds a matrix as Mat (nz) holds the transposed one. So a move to Right turns
// each fractal round unless it transposes, and one to Left if it does.

static LogicalResult checkTurned(Operation *op, const Window &src, bool turns) {
  MemorySpace space = cast<BufType>(op->getOperand(1).getType()).getSpace();
  if (!turns || src.elementBytes() == 2 || space == MemorySpace::Right)
    return success();
  return emitUserError(op) << "to Left turns fractals of FP16 and BF16 only, found "
                           << typeWord(src.type);
}

/// To Right, fractals of other sizes than 2 bytes: squares of 32 bytes and of 16 words, each of
/// which is two fractals, one below the other of bytes and side by side of words. One row of
/// squares is one instruction.
static LogicalResult printMoveOfSquares(Printer &printer, TileMoveOp op, const Window &src,
                                        const Window &dst) {
  bool bytes = src.elementBytes() == 1;
  int64_t side = bytes ? 32 : 16;
  std::optional<int64_t> rows = src.rows.getConstant();
  if (!rows || *rows > side)
    return emitUserError(op) << "to Right is one instruction for " << side << " rows, found "
                             << typeWord(dst.type) << "; pto-expand-instructions cuts it";
  int64_t most = llvm::divideCeil(src.cols.getConstant().value_or(src.type.getRootCols()), side);
  if (failed(checkLimit(op, "the number of squares", most, printer.target.maxRepeats)))
    return failure();
  int64_t down = src.paddedRows() / side, across = dst.paddedCols() / kFractal;
  SmallVector<std::pair<StringRef, std::string>> fields{
      {"startIndex", "0"},
      {"repeatTimes", fractalsOf(src.cols, side)},
      {"srcStride", std::to_string(down)},
      {"dstGap", bytes ? "1" : "0"},
      {"dstFracGap", bytes ? "0" : std::to_string(across - 1)}};
  if (!bytes)
    fields.push_back({"srcFracGap", std::to_string(down - 1)});
  std::string params = printParams(
      printer, bytes ? "LoadData2dTransposeParams" : "LoadData2dTransposeParamsV2", "load", fields);
  printer.call("LoadDataWithTranspose", {dst.ref(), src.ref(), params});
  return success();
}

/// Any number of rows of fractals. In Mat (nz) a column of them lies `srcStride` behind
/// the one before it; in the destination they lie `dstStride` apart, columns of a Left of
/// layout nz and rows of a Right.
static LogicalResult printMoveOfFractals(Printer &printer, TileMoveOp op, const Window &src,
                                         const Window &dst, bool turns) {
  // Bytes are turned in squares of two fractals, one row of them at a time.
  bool squares = turns && src.elementBytes() == 1;
  int64_t c0 = 32 / src.elementBytes();
  int64_t down =
      llvm::divideCeil(src.rows.getConstant().value_or(src.type.getRootRows()), kFractal);
  int64_t across = llvm::divideCeil(src.cols.getConstant().value_or(src.type.getRootCols()), c0);
  int64_t most = printer.target.maxFractalRows;
  if (failed(checkLimit(op, "the number of rows of fractals", down, squares ? 2 : most)) ||
      failed(checkLimit(op, "the number of columns of fractals", across, most)))
    return failure();
  bool toRight = dst.type.getSpace() == MemorySpace::Right;
  int64_t pitch = (toRight ? dst.paddedCols() : dst.paddedRows()) / kFractal;
  std::string params = printParams(
      printer, "LoadData2DParamsV2", "load",
      {{"mStartPosition", "0"},
       {"kStartPosition", "0"},
       {"mStep", squares ? "2" : fractalsOf(src.rows, kFractal)},
       {"kStep", turns && src.elementBytes() == 4 ? wordsOf(src.cols) : fractalsOf(src.cols, c0)},
       {"srcStride", std::to_string(src.paddedRows() / kFractal)},
       {"dstStride", std::to_string(pitch)},
       {"ifTranspose", turns ? "true" : "false"},
       {"sid", "0"}});
  printer.call("LoadData", {dst.ref(), src.ref(), params});
  return success();
}

/// One row of fractals of the destination, where they lie one behind the other. In Mat
/// they are a column of fractals apart, or one behind the other too where it transposes.
LogicalResult ascendc::printMoveFromMat(Printer &printer, TileMoveOp op, const Window &src,
                                        const Window &dst) {
  bool toRight = dst.type.getSpace() == MemorySpace::Right, transposes = op.getTranspose();
  bool turns = toRight != transposes;
  if (failed(checkLayout(op, src, TileLayout::NZ)) ||
      failed(checkLayout(op, dst, printer.target.getSpace(dst.type.getSpace()).layout)) ||
      failed(checkTurned(op, src, turns)))
    return failure();
  if (printer.target.maxFractalRows > 1)
    return printMoveOfFractals(printer, op, src, dst, turns);
  if (turns && src.elementBytes() != 2)
    return printMoveOfSquares(printer, op, src, dst);
  // A transposing move of other sizes would take columns of fractals that are no squares.
  int64_t c0 = 32 / src.elementBytes();
  const Sum &across = transposes ? src.cols : src.rows, &along = transposes ? src.rows : src.cols;
  std::optional<int64_t> rows = across.getConstant();
  if (!rows || *rows > (transposes ? c0 : kFractal))
    return emitUserError(op) << "to " << spaceWord(dst.type.getSpace())
                             << " is one instruction for 16 rows, found " << typeWord(dst.type)
                             << "; pto-expand-instructions cuts it";
  int64_t size = transposes ? kFractal : c0;
  int64_t most = llvm::divideCeil(
      along.getConstant().value_or(transposes ? src.type.getRootRows() : src.type.getRootCols()),
      size);
  if (failed(checkLimit(op, "the number of fractals", most, printer.target.maxRepeats)))
    return failure();
  int64_t stride = transposes ? 1 : src.paddedRows() / kFractal;
  std::string params = printParams(printer, "LoadData2DParams", "load",
                                   {{"startIndex", "0"},
                                    {"repeatTimes", fractalsOf(along, size)},
                                    {"srcStride", std::to_string(stride)},
                                    {"dstGap", "0"},
                                    {"ifTranspose", turns ? "true" : "false"}});
  printer.call("LoadData", {dst.ref(), src.ref(), params});
  return success();
}

/// One run of biases. The bias table counts in blocks of its own size.
LogicalResult ascendc::printMoveToBias(Printer &printer, TileMoveOp op, const Window &src,
                                       const Window &dst) {
  if (failed(checkLayout(op, src, TileLayout::ND)) || failed(checkLayout(op, dst, TileLayout::ND)))
    return failure();
  if (src.type.getRows() != 1)
    return emitUserError(op) << "to Bias copies one row, found " << typeWord(src.type);
  // 64 bytes, or an even number of 32 bytes. What follows a whole allocation up to its
  // last block belongs to nobody.
  int64_t unit = printer.target.npuArch == 3510 ? 32 : 64;
  Sum bytes = dst.cols * dst.elementBytes();
  std::string length;
  if (std::optional<int64_t> known = bytes.getConstant())
    length = std::to_string(llvm::alignTo(*known, 64) / unit);
  else
    length =
        (Sum::term({"(" + (bytes + 63).str() + ") / 64", Prec::Mul}) * (64 / unit)).as("uint16_t");
  printer.call("DataCopy", {dst.ref(), src.ref(), "DataCopyParams{1, " + length + ", 0, 0}"});
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

/// `size`: of a fractal in that dimension.
static bool hasFractalsOf(const Sum &window, int64_t root, int64_t size = kFractal) {
  std::optional<int64_t> known = window.getConstant();
  return known && llvm::divideCeil(*known, size) == llvm::divideCeil(root, size);
}

static bool isOneFractal(const Sum &window, int64_t size = kFractal) {
  return window.getConstant().value_or(size + 1) <= size;
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

StringRef ascendc::unitFlag(std::optional<Phase> phase) {
  return !phase ? "0" : *phase == Phase::Partial ? "2" : "3";
}

namespace {
struct Product {
  Value lhs, rhs, bias;
  bool accumulates = false;
  std::optional<Phase> phase;
};
} // namespace

/// `Mmad(acc, lhs, rhs, bias, params);`
static LogicalResult printMmad(Printer &printer, TileComputeInterface op, const Product &product,
                               SmallVector<std::string> args,
                               std::initializer_list<std::string> extents, bool alignK) {
  if (product.bias) {
    FailureOr<Window> bias = printer.window(op, product.bias);
    if (failed(bias) || failed(checkLayout(op, *bias, TileLayout::ND)))
      return failure();
    args.push_back(bias->ref());
  }
  printer.at(op);
  const std::string *extent = extents.begin();
  SmallVector<std::pair<StringRef, std::string>> fields{
      {"m", extent[0]}, {"n", extent[1]}, {"k", extent[2]}};
  // A bias is what the accumulator begins with.
  if (!product.bias)
    fields.push_back({"cmatrixInitVal", product.accumulates ? "false" : "true"});
  if (alignK)
    fields.push_back({"kDirectionAlign", "true"});
  if (product.phase)
    fields.push_back({"unitFlag", unitFlag(product.phase).str()});
  args.push_back(printParams(printer, "MmadParams", "mmad", fields));
  printer.call("Mmad", args);
  return success();
}

static LogicalResult printProduct(Printer &printer, TileComputeInterface op,
                                  const Product &product) {
  Value lhsValue = product.lhs, rhsValue = product.rhs;
  FailureOr<Window> acc = printer.window(op, op.getDestination());
  FailureOr<Window> lhs = printer.window(op, lhsValue), rhs = printer.window(op, rhsValue);
  if (failed(acc) || failed(lhs) || failed(rhs) || failed(printer.checkPipe(op, Pipe::M)))
    return failure();
  for (const Window *window : {&*acc, &*lhs, &*rhs})
    if (failed(checkLayout(op, *window, printer.target.getSpace(window->type.getSpace()).layout)))
      return failure();
  Sum m = lhs->rows, k = lhs->cols, n = rhs->cols;
  int64_t c0 = 32 / lhs->elementBytes();
  // Columns of fractals in Acc, and in a Left of layout nz, are m rows apart, rows of
  // them in Right n columns.
  bool leftByColumns = lhs->type.getLayout() == TileLayout::NZ;
  bool accWider = !hasFractalsOf(m, acc->type.getRootRows()) && !isOneFractal(n);
  bool leftWider =
      leftByColumns && !hasFractalsOf(m, lhs->type.getRootRows()) && !isOneFractal(k, c0);
  if (accWider || leftWider) {
    if (!isAlone(*acc) || !lhs->row.isZero() || lhs->paddedRows() != acc->paddedRows())
      return refuseWindow(op, accWider ? *acc : *lhs);
    m = acc->paddedRows();
  }
  if (!hasFractalsOf(n, rhs->type.getRootCols()) && !isOneFractal(k, c0)) {
    if (!isAlone(*acc) || !rhs->col.isZero() || rhs->paddedCols() != acc->paddedCols())
      return refuseWindow(op, *rhs);
    n = rhs->paddedCols();
  }
  // Rows of fractals in a Left of layout zz are k columns apart, of words by 16 if the unit is
  // told so; more columns would be more summands.
  bool alignK = !leftByColumns && c0 < kFractal && lhs->type.getRootCols() % kFractal == 0;
  if (!leftByColumns && !isOneFractal(m) &&
      !hasFractalsOf(k, lhs->type.getRootCols(), alignK ? kFractal : c0))
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
  return printMmad(printer, op, product, {acc->ref(), lhs->ref(), rhs->ref()},
                   {rows, n.str(), k.str()}, alignK);
}

static LogicalResult printMatmul(Printer &printer, TileMatmulOp op) {
  return printProduct(printer, op, {op.getLhs(), op.getRhs(), {}, false, op.getPhase()});
}
static LogicalResult printMatmulBias(Printer &printer, TileMatmulBiasOp op) {
  return printProduct(printer, op, {op.getLhs(), op.getRhs(), op.getBias(), false, op.getPhase()});
}
static LogicalResult printMatmulAcc(Printer &printer, TileMatmulAccOp op) {
  return printProduct(printer, op, {op.getLhs(), op.getRhs(), {}, true, op.getPhase()});
}

void ascendc::printCubeModes(Printer &printer, Operation *code) {
  auto usesUnitFlag = [](Operation *op) {
    auto phase = op->getAttrOfType<PhaseAttr>("phase");
    return phase ? WalkResult::interrupt() : WalkResult::advance();
  };
  // Under the unit flag the cube must know which way Fixpipe will read the accumulator;
  // the 950 has no such mode.
  if (printer.target.npuArch == 2201 && code->walk(usesUnitFlag).wasInterrupted())
    printer.line("SetMMRowMajor();");
}

void ascendc::registerCubePrinters(Printers &printers) {
  printers.add<printMatmul>();
  printers.add<printMatmulBias>();
  printers.add<printMatmulAcc>();
}
