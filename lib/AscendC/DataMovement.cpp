//===- DataMovement.cpp - load, store, move -------------------------------===//
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

//===----------------------------------------------------------------------===//
// DDR and Vec
//===----------------------------------------------------------------------===//

static constexpr int64_t kMaxBlockBytes = 2097151; // of DataCopyExtParams

/// One copy between DDR and Vec: `blocks` runs of `bytes`, with gaps after each on
/// either side (bytes in DDR, 32-byte blocks in Vec).
struct Runs {
  Sum blocks = 1, bytes;
  Sum arrayGap = 0, bufferGap = 0;
  /// Both sides are one run of whole 32-byte blocks: the count form.
  bool isPlain = false;
};

static FailureOr<Runs> oneRun(const Window &window) {
  Runs runs;
  runs.bytes = window.count() * window.elementBytes();
  runs.isPlain = runs.bytes.isMultipleOf(32);
  return runs;
}

/// Rows that are not one behind the other: a run a row.
static FailureOr<Runs> runsOfRows(Printer &printer, Operation *op, const Window &window,
                                  const Sum &arrayPitch) {
  std::optional<int64_t> pitch = window.rowPitch();
  if (!pitch)
    return emitUserError(op) << "copies rows that lie "
                             << window.type.getRootCols() * window.elementBytes()
                             << " bytes apart in Vec, where a row begins on 32 bytes: "
                             << typeWord(window.type);
  int64_t size = window.elementBytes();
  Runs runs;
  runs.blocks = window.rows;
  runs.bytes = window.cols * size;
  runs.arrayGap = arrayPitch * size + runs.bytes * -1;
  if (runs.arrayGap.getConstant().value_or(0) < 0)
    return emitUserError(op) << "copies rows of " << window.cols.str()
                             << " elements, which begin only " << arrayPitch.str()
                             << " apart in the array";
  // In Vec a run takes whole blocks.
  if (std::optional<int64_t> bytes = runs.bytes.getConstant())
    runs.bufferGap = *pitch - llvm::divideCeil(*bytes, 32);
  else
    runs.bufferGap =
        Sum(*pitch) + Sum::term({"(" + (runs.bytes + 31).str() + ") / 32", Prec::Mul}) * -1;
  if (window.type.getRows() > printer.target.maxBlockCount)
    return emitUserError(op) << "copies " << window.type.getRows()
                             << " rows; one instruction copies " << printer.target.maxBlockCount;
  return runs;
}

static FailureOr<Runs> getRuns(Printer &printer, Operation *op, const Window &window,
                               const ArrayWindow &array) {
  BufType type = window.type;
  bool oneRow = type.getRows() == 1;
  if (type.getLayout() == TileLayout::DN) {
    bool inOnePiece = oneRow || array.pitch.getConstant() == 1;
    if (window.type.isContiguous() && type.getCols() == 1 && inOnePiece)
      return oneRun(window);
    return emitUserError(op) << "copies a vector, " << typeWord(type)
                             << ", whose elements lie one behind the other in Vec but not in an "
                                "array with rows "
                             << array.pitch.str()
                             << " elements apart; copy rows of at least 32 bytes";
  }
  if (type.getLayout() != TileLayout::ND)
    return emitUserError(op) << "copies a Vec buffer of layout "
                             << stringifyTileLayout(type.getLayout()) << "; nd and dn are copied";
  if (failed(checkStep(op, array, type)))
    return failure();
  bool oneInArray = oneRow || array.pitch.getConstant() == type.getCols();
  if (window.type.isContiguous() && oneInArray)
    return oneRun(window);
  return runsOfRows(printer, op, window, array.pitch);
}

static LogicalResult checkRuns(Printer &printer, Operation *op, const Runs &runs) {
  if (runs.isPlain)
    return success();
  if (runs.bytes.getConstant().value_or(0) > kMaxBlockBytes)
    return emitUserError(op) << "copies rows of " << *runs.bytes.getConstant()
                             << " bytes; one instruction copies rows of " << kMaxBlockBytes;
  if (runs.arrayGap.getConstant().value_or(0) > printer.target.maxArrayGap)
    return emitUserError(op) << "skips " << *runs.arrayGap.getConstant()
                             << " bytes between two rows of the array; one instruction skips "
                             << printer.target.maxArrayGap;
  return success();
}

/// `DataCopyExtParams{32, 144, 256, 3, 0}`
static std::string extParams(Printer &printer, const Runs &runs, bool toVec) {
  const Sum &srcGap = toVec ? runs.arrayGap : runs.bufferGap;
  const Sum &dstGap = toVec ? runs.bufferGap : runs.arrayGap;
  StringRef gap = printer.target.maxArrayGap > UINT32_MAX ? "int64_t" : "uint32_t";
  return "DataCopyExtParams{" + runs.blocks.as("uint16_t") + ", " + runs.bytes.as("uint32_t") +
         ", " + srcGap.as(gap) + ", " + dstGap.as(gap) + ", 0}";
}

static LogicalResult printLoad(Printer &printer, TileLoadOp op) {
  if (!op.getMixedValid().empty())
    return emitUserError(op) << "states a valid region; in buffer form the destination's window "
                                "does";
  FailureOr<Window> dst = printer.window(op, op.getDst());
  FailureOr<ArrayWindow> src = getArrayWindow(printer, op, op.getSource(), op.getMixedOffsets());
  if (failed(dst) || failed(src) || failed(printer.checkPipe(op, Pipe::MTE2)) ||
      failed(printer.checkCore(op, dst->type.getSpace())))
    return failure();
  printer.at(op);
  if (dst->type.getSpace() == MemorySpace::Mat)
    return printLoadToMat(printer, op, *dst, *src);
  FailureOr<Runs> runs = getRuns(printer, op, *dst, *src);
  if (failed(runs) || failed(checkRuns(printer, op, *runs)))
    return failure();
  if (runs->isPlain) {
    printer.call("DataCopy", {dst->ref(), src->ref, dst->count().str()});
    return success();
  }
  std::string pad = "DataCopyPadExtParams<" + printer.cppType(dst->type.getElementType()) + ">()";
  printer.call("DataCopyPad",
               {dst->ref(), src->ref, extParams(printer, *runs, /*toVec=*/true), pad});
  return success();
}

/// The chip copies that way, on a pipe of this core.
template <typename Op>
static LogicalResult checkPath(Printer &printer, Op op, MemorySpace from, MemorySpace to) {
  std::optional<Pipe> pipe = printer.target.pipeOf(from, to);
  if (pipe)
    return printer.checkPipe(op, *pipe);
  return emitUserError(op) << "is no instruction from " << spaceWord(from) << " to "
                           << spaceWord(to) << " on " << printer.target.name << ": "
                           << valueWord(op.getSource());
}

static LogicalResult printStoreFromVec(Printer &printer, TileStoreOp op, const Window &src,
                                       const ArrayWindow &dst) {
  FailureOr<Runs> runs = getRuns(printer, op, src, dst);
  if (failed(runs) || failed(checkRuns(printer, op, *runs)))
    return failure();
  if (runs->isPlain)
    printer.call("DataCopy", {dst.ref, src.ref(), src.count().str()});
  else
    printer.call("DataCopyPad", {dst.ref, src.ref(), extParams(printer, *runs, /*toVec=*/false)});
  return success();
}

/// What the unit that writes DDR adds.
static LogicalResult checkAtomic(TileStoreOp op, Type element) {
  if (element.isF32() || element.isF16() || element.isBF16() || element.isInteger(8) ||
      element.isInteger(16) || element.isInteger(32))
    return success();
  return emitUserError(op) << "adds in DDR in INT8, INT16, INT32, FP16, BF16 and FP32, not in "
                           << dtypeWord(element);
}

static LogicalResult printStore(Printer &printer, TileStoreOp op) {
  FailureOr<Window> src = printer.window(op, op.getSource());
  FailureOr<ArrayWindow> dst = getArrayWindow(printer, op, op.getDest(), op.getMixedOffsets());
  if (failed(src) || failed(dst) ||
      failed(checkPath(printer, op, src->type.getSpace(), MemorySpace::DDR)) ||
      failed(printer.checkCore(op, src->type.getSpace())))
    return failure();
  bool fromAcc = src->type.getSpace() == MemorySpace::Acc;
  Type element = getElementTypeOf(op.getDest().getType());
  if (op.getAtomicAdd() && failed(checkAtomic(op, element)))
    return failure();
  printer.at(op);
  // The mode is of what the pipe does from now on: before and behind it is idle.
  std::string barrier = std::string("PipeBarrier<PIPE_") + (fromAcc ? "FIX" : "MTE3") + ">();";
  if (op.getAtomicAdd()) {
    printer.line(barrier);
    printer.line("SetAtomicAdd<" + printer.cppType(element) + ">();");
  }
  if (failed(fromAcc ? printStoreFromAcc(printer, op, *src, *dst)
                     : printStoreFromVec(printer, op, *src, *dst)))
    return failure();
  if (op.getAtomicAdd()) {
    printer.line(barrier);
    printer.line("DisableDmaAtomic();");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Vec to Vec
//===----------------------------------------------------------------------===//

static void printCopy(Printer &printer, const Window &src, ArrayRef<std::string> args) {
  bool guarded = openUnlessEmpty(printer, src);
  printer.call("Copy", args);
  if (guarded)
    printer.close();
}

/// Between rows (nd) and a column of fractals (nz) in Vec: a block of each row.
static LogicalResult printStrip(Printer &printer, TileMoveOp op, const Window &src,
                                const Window &dst) {
  bool toFractals = dst.type.getLayout() == TileLayout::NZ;
  const Window &rows = toFractals ? src : dst;
  int64_t lanes = getBlockLanes(src.type.getElementType());
  int64_t cols = src.cols.getConstant().value_or(src.type.getRootCols());
  std::optional<int64_t> pitch = rows.rowPitch();
  if (cols > lanes && (src.type.isWhole() || src.type.getCols() > lanes))
    return emitUserError(op) << "between nd and nz is one instruction for " << lanes
                             << " columns, found " << typeWord(src.type)
                             << "; pto-expand-instructions cuts it";
  if (!pitch)
    return emitUserError(op) << "takes rows that begin on 32 bytes, found " << typeWord(rows.type);
  if (failed(checkLimit(op, "the row count", src.type.getRows(), printer.target.maxBlockCount)))
    return failure();
  std::string gap = std::to_string(*pitch - 1);
  printer.call("DataCopy", {dst.ref(), src.ref(),
                            "DataCopyParams{" + src.rows.as("uint16_t") + ", 1, " +
                                (toFractals ? gap + ", 0}" : "0, " + gap + "}")});
  return success();
}

/// Columns of fractals, each in one piece on both sides.
static LogicalResult printFractals(Printer &printer, TileMoveOp op, const Window &src,
                                   const Window &dst) {
  int64_t lanes = getBlockLanes(src.type.getElementType());
  if (failed(checkLimit(op, "the row count", src.paddedRows(), 65535)) ||
      failed(checkLimit(op, "the row count", dst.paddedRows(), 65535)))
    return failure();
  auto gap = [&](const Window &window) {
    return (Sum(window.paddedRows()) + src.rows * -1).as("uint16_t");
  };
  std::optional<int64_t> cols = src.cols.getConstant();
  std::string strips =
      cols ? std::to_string(llvm::divideCeil(*cols, lanes))
           : "(uint16_t)((" + (src.cols + (lanes - 1)).str() + ") / " + std::to_string(lanes) + ")";
  printer.call("DataCopy", {dst.ref(), src.ref(),
                            "DataCopyParams{" + strips + ", " + src.rows.as("uint16_t") + ", " +
                                gap(src) + ", " + gap(dst) + "}"});
  return success();
}

/// From an AIV to the Mat of its cluster's AIC: the layouts agree.
static LogicalResult printMoveToMat(Printer &printer, TileMoveOp op, const Window &src,
                                    const Window &dst) {
  TileLayout layout = dst.type.getLayout();
  if (failed(checkLayout(op, src, layout)))
    return failure();
  if (layout == TileLayout::NZ)
    return printFractals(printer, op, src, dst);
  if (layout == TileLayout::ND && src.type.isContiguous() && dst.type.isContiguous() &&
      (src.count() * src.elementBytes()).isMultipleOf(32)) {
    printer.call("DataCopy", {dst.ref(), src.ref(), src.count().str()});
    return success();
  }
  return emitUserError(op) << "to Mat copies fractals, or one run of whole blocks of 32 bytes; "
                              "found "
                           << valueWord(op.getSource());
}

/// One run of bytes, read as other elements.
static LogicalResult printReshape(Printer &printer, TileReshapeOp op) {
  FailureOr<Window> src = printer.window(op, op.getSource());
  FailureOr<Window> dst = printer.window(op, op.getDst());
  if (failed(src) || failed(dst) || failed(printer.checkPipe(op, Pipe::V)) ||
      failed(printer.checkCore(op, dst->type.getSpace())))
    return failure();
  std::optional<int64_t> count = dst->count().getConstant();
  if (!src->type.isContiguous() || !dst->type.isContiguous() || !count)
    return emitUserError(op) << "copies one run of bytes of a known length, found "
                             << valueWord(op.getSource()) << " and " << valueWord(op.getDst());
  Type from = src->type.getElementType(), to = dst->type.getElementType();
  std::string source = src->ref();
  if (from != to)
    source += ".ReinterpretCast<" + printer.cppType(to) + ">()";
  printer.at(op);
  int64_t padded = llvm::alignTo(*count, getBlockLanes(to));
  printer.call("DataCopy", {dst->ref(), source, std::to_string(padded)});
  return success();
}

static LogicalResult printMoveInVec(Printer &printer, TileMoveOp op, const Window &src,
                                    const Window &dst) {
  TileLayout from = src.type.getLayout(), to = dst.type.getLayout();
  if ((from == TileLayout::ND && to == TileLayout::NZ) ||
      (from == TileLayout::NZ && to == TileLayout::ND))
    return printStrip(printer, op, src, dst);
  if (from == TileLayout::NZ && to == TileLayout::NZ)
    return printFractals(printer, op, src, dst);
  if (isFractal(from) || isFractal(to))
    return emitUserError(op) << "is no instruction from layout " << stringifyTileLayout(from)
                             << " to layout " << stringifyTileLayout(to)
                             << " in Vec: " << valueWord(op.getSource());
  int64_t lanes = getRepeatLanes(src.type.getElementType());
  if (src.type.isContiguous() && dst.type.isContiguous()) {
    Sum bytes = src.count() * src.elementBytes();
    if (bytes.isMultipleOf(32)) {
      printer.call("DataCopy", {dst.ref(), src.ref(), src.count().str()});
      return success();
    }
    // Copy has a mask, DataCopy works on whole blocks. What is known at run time only
    // has been cut to a repeat, if it is one row or column.
    std::optional<int64_t> count = src.count().getConstant();
    if (count ? *count <= lanes : src.type.getRows() == 1 || src.type.getCols() == 1) {
      printCopy(printer, src,
                {dst.ref(), src.ref(), src.count().str(), "1", "CopyRepeatParams{1, 1, 8, 8}"});
      return success();
    }
    // What follows a whole allocation up to its last block belongs to nobody.
    if (count && src.type.isWhole() && dst.type.isWhole()) {
      int64_t padded = llvm::alignTo(*count, getBlockLanes(src.type.getElementType()));
      printer.call("DataCopy", {dst.ref(), src.ref(), std::to_string(padded)});
      return success();
    }
    return emitUserError(op) << "copies " << bytes.str()
                             << " bytes in Vec; more than one repeat of 256 bytes is copied in "
                                "whole blocks of 32 bytes: "
                             << valueWord(op.getSource());
  }
  std::optional<int64_t> srcPitch = src.rowPitch(), dstPitch = dst.rowPitch();
  int64_t limit = printer.target.maxRepeatStride;
  bool fits = srcPitch && dstPitch && *srcPitch <= limit && *dstPitch <= limit;
  if (!fits || src.type.getCols() > lanes || src.type.getRows() > printer.target.maxRepeats)
    return emitUserError(op) << "is not one instruction: a window that is not contiguous has at "
                                "most "
                             << lanes << " columns and " << printer.target.maxRepeats
                             << " rows, and rows at most " << limit
                             << " blocks of 32 bytes apart; found " << valueWord(op.getSource());
  printCopy(printer, src,
            {dst.ref(), src.ref(), src.cols.str(), src.rows.str(),
             "CopyRepeatParams{1, 1, " + std::to_string(*dstPitch) + ", " +
                 std::to_string(*srcPitch) + "}"});
  return success();
}

static LogicalResult printMove(Printer &printer, TileMoveOp op) {
  FailureOr<Window> src = printer.window(op, op.getSource());
  FailureOr<Window> dst = printer.window(op, op.getDst());
  if (failed(src) || failed(dst))
    return failure();
  MemorySpace from = src->type.getSpace(), to = dst->type.getSpace();
  // The core that an instruction runs on is that of its source.
  if (failed(checkPath(printer, op, from, to)) || failed(printer.checkCore(op, from)))
    return failure();
  printer.at(op);
  if (from == MemorySpace::Mat && (to == MemorySpace::Left || to == MemorySpace::Right))
    return printMoveFromMat(printer, op, *src, *dst);
  if (from == MemorySpace::Mat && to == MemorySpace::Bias)
    return printMoveToBias(printer, op, *src, *dst);
  if (from == MemorySpace::Acc && to == MemorySpace::Vec)
    return printMoveFromAcc(printer, op, *src, *dst);
  if (from == MemorySpace::Vec && to == MemorySpace::Mat)
    return printMoveToMat(printer, op, *src, *dst);
  if (from == MemorySpace::Vec && to == MemorySpace::Vec)
    return printMoveInVec(printer, op, *src, *dst);
  return emitUserError(op) << "is no instruction from " << spaceWord(from) << " to "
                           << spaceWord(to)
                           << " that can be printed yet: " << valueWord(op.getSource());
}

void ascendc::registerDataMovementPrinters(Printers &printers) {
  printers.add<printLoad>();
  printers.add<printStore>();
  printers.add<printMove>();
  printers.add<printReshape>();
}
