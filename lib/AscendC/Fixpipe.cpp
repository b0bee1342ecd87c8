//===- Fixpipe.cpp - Accumulators to DDR and to Vec -----------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Block/BlockOps.h"
#include "Pto/Words.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

namespace {
/// How an accumulator is read out, as rows.
struct ReadOut {
  Type element; // of what it becomes
  Sum pitch;    // elements from row to row of the destination
  bool relu = false;
  std::optional<Phase> phase;
};
} // namespace

static FailureOr<StringRef> conversionOf(Operation *op, Type from, Type to, StringRef where) {
  if (from == to)
    return StringRef("NoQuant");
  if (from.isF32() && to.isF16())
    return StringRef("F322F16");
  if (from.isF32() && to.isBF16())
    return StringRef("F322BF16");
  return emitUserError(op) << "has no conversion from " << dtypeWord(from) << " to "
                           << dtypeWord(to) << " on the way to " << where;
}

/// Limits of the instruction for rows.
static LogicalResult checkReadOut(Operation *op, const Window &src, const ReadOut &out) {
  return failure(
      failed(checkLayout(op, src, TileLayout::NZ)) ||
      failed(checkLimit(op, "the column count", src.type.getCols(), 4095)) ||
      failed(checkLimit(op, "the row count", src.type.getRows(), 8192)) ||
      failed(checkLimit(op, "the row count of the allocation", src.paddedRows(), 65535)) ||
      failed(
          checkLimit(op, "the distance between rows of the destination", out.pitch, UINT32_MAX)));
}

/// The parameters; each chip has its own struct, and what has no initialiser in it is set.
static FailureOr<std::string> printReadOut(Printer &printer, Operation *op, const Window &src,
                                           const ReadOut &out, StringRef where,
                                           ArrayRef<std::pair<StringRef, std::string>> more = {}) {
  FailureOr<StringRef> conversion = conversionOf(op, src.type.getElementType(), out.element, where);
  if (failed(conversion) || failed(checkReadOut(op, src, out)))
    return failure();
  SmallVector<std::pair<StringRef, std::string>> fields{
      {"nSize", src.cols.str()},
      {"mSize", src.rows.str()},
      {"srcStride", std::to_string(src.paddedRows())},
      {"dstStride", out.pitch.as("uint32_t")},
      {"quantPre", ("QuantMode_t::" + *conversion).str()},
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
  if (out.relu)
    fields.push_back({"reluEn", "true"});
  if (out.phase)
    fields.push_back({"unitFlag", unitFlag(out.phase).str()});
  fields.append(more.begin(), more.end());
  return printParams(printer,
                     is3510 ? "FixpipeParamsArch3510<CO2Layout::ROW_MAJOR>" : "FixpipeParamsV220",
                     "fixpipe", fields);
}

static std::string fixpipe(Printer &printer, const Window &src, Type element, StringRef config) {
  return ("Fixpipe<" + printer.cppType(element) + ", " +
          printer.cppType(src.type.getElementType()) + ", " + config + ">")
      .str();
}

LogicalResult ascendc::printStoreFromAcc(Printer &printer, TileStoreOp op, const Window &src,
                                         const ArrayWindow &dst) {
  Type element = getElementTypeOf(op.getDest().getType());
  if (failed(checkStep(op, dst, src.type)))
    return failure();
  // One row has no next one.
  Sum pitch = src.rows.getConstant() == 1 ? src.cols : dst.pitch;
  FailureOr<std::string> params =
      printReadOut(printer, op, src, {element, pitch, op.getRelu(), op.getPhase()}, "DDR");
  if (failed(params))
    return failure();
  printer.call(fixpipe(printer, src, element, "CFG_ROW_MAJOR"), {dst.ref, src.ref(), *params});
  return success();
}

//===----------------------------------------------------------------------===//
// To Vec
//===----------------------------------------------------------------------===//

/// The kernel's own configuration: the kit's ones write to DDR.
static std::string configToVec(Operation *func) {
  return symbolName(cast<FunctionOpInterface>(func).getName()) + "_to_vec";
}

/// Rules of a copy that both AIVs get a half of.
static LogicalResult checkSplit(TileMoveOp op, const Window &src, const Window &dst) {
  AccToVec mode = *op.getAccToVec();
  if (mode != AccToVec::SplitM && mode != AccToVec::SplitN)
    return success();
  if (src.type.getElementType() != dst.type.getElementType() || op.getRelu())
    return emitUserError(op) << "splits an accumulator as it is, and neither converts it nor "
                                "applies relu on the way";
  bool byRows = mode == AccToVec::SplitM;
  int64_t extent = byRows ? src.type.getRows() : src.type.getCols(), step = byRows ? 2 : 32;
  if (ShapedType::isDynamic(extent) || extent % step == 0)
    return success();
  return emitUserError(op) << "splits the " << (byRows ? "rows" : "columns")
                           << " of an accumulator, which are then a multiple of " << step
                           << "; found " << valueWord(op.getSource());
}

LogicalResult ascendc::printMoveFromAcc(Printer &printer, TileMoveOp op, const Window &src,
                                        const Window &dst) {
  Type element = dst.type.getElementType();
  if (failed(checkLayout(op, dst, TileLayout::ND)) || failed(checkSplit(op, src, dst)))
    return failure();
  AccToVec mode = *op.getAccToVec();
  std::optional<int64_t> cols = src.cols.getConstant();
  int64_t bytes = getElementBytes(element);
  if (cols && *cols * bytes % 32 != 0)
    return emitUserError(op) << "to Vec copies rows of whole blocks of 32 bytes, found "
                             << *cols * bytes << " bytes: " << valueWord(op.getSource());
  StringRef dual = mode == AccToVec::SplitM ? "1" : mode == AccToVec::SplitN ? "2" : "0";
  FailureOr<std::string> params = printReadOut(
      printer, op, src, {element, dst.type.getRootCols(), op.getRelu(), op.getPhase()}, "Vec",
      {{"dualDstCtl", dual.str()}, {"subBlockId", mode == AccToVec::Vec1 ? "true" : "false"}});
  if (failed(params))
    return failure();
  printer.call(
      fixpipe(printer, src, element, configToVec(op->getParentOfType<FunctionOpInterface>())),
      {dst.ref(), src.ref(), *params});
  return success();
}

static bool holdsMove(FunctionOpInterface func, MemorySpace from, MemorySpace to) {
  return func
      ->walk([&](TileMoveOp op) {
        bool found = op.getDst() && getTileSpace(op.getSource().getType()) == from &&
                     getTileSpace(op.getDst().getType()) == to;
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void ascendc::printKernelHead(Printer &printer, FunctionOpInterface func) {
  if (holdsMove(func, MemorySpace::Vec, MemorySpace::Mat)) {
    printer.line("// Copies from UB to L1 go straight, not by way of DDR.");
    printer.line("#ifndef ENABLE_CV_COMM_VIA_SSBUF");
    printer.line("#define ENABLE_CV_COMM_VIA_SSBUF true");
    printer.line("#endif");
    printer.blank();
  }
  printer.line("#include \"kernel_operator.h\"");
  printer.blank();
  std::string arch = std::to_string(printer.target.npuArch);
  printer.line("#if defined(__NPU_ARCH__) && __NPU_ARCH__ != " + arch);
  printer.line("#error \"" + symbolName(func.getName()) + " is for Ascend " + printer.target.name +
               ", __NPU_ARCH__ " + arch + "\"");
  printer.line("#endif");
  printer.blank();
  printer.line("using namespace AscendC;");
  printer.blank();
  if (holdsMove(func, MemorySpace::Acc, MemorySpace::Vec)) {
    printer.line("static constexpr FixpipeConfig " + configToVec(func) +
                 "{CO2Layout::ROW_MAJOR, /*isToUB=*/true};");
    printer.blank();
  }
}
