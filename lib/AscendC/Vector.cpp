//===- Vector.cpp - What the vector unit computes -------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Two forms of each call. Windows that are all contiguous: `Add(d, a, b, count)`.
// Else one repeat a row: `Add(d, a, b, columns, rows, {strides})`.
//
// An element-wise operation is one line in `elementwiseCalls`.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Pto/Words.h"
#include "Tile/TileOps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

/// The AscendC calls of an operation, element by element.
struct ElementwiseCall {
  StringRef operation;
  const char *call;                 // with tiles
  const char *scalarCall = nullptr; // with a scalar as second source
};

static const ElementwiseCall elementwiseCalls[] = {
    {TileAddOp::getOperationName(), "Add", "Adds"},
    {TileSubOp::getOperationName(), "Sub", "Subs"},
    {TileMulOp::getOperationName(), "Mul", "Muls"},
    {TileDivOp::getOperationName(), "Div", "Divs"},
    {TileMinimumOp::getOperationName(), "Min", "Mins"},
    {TileMaximumOp::getOperationName(), "Max", "Maxs"},
    {TileExpOp::getOperationName(), "Exp"},
    {TileSqrtOp::getOperationName(), "Sqrt"},
    {TileRsqrtOp::getOperationName(), "Rsqrt"},
    {TileLogOp::getOperationName(), "Ln"},
    {TileRecipOp::getOperationName(), "Reciprocal"},
    {TileAbsOp::getOperationName(), "Abs"},
    {TileNotOp::getOperationName(), "Not"},
    {TileAndOp::getOperationName(), "And"},
    {TileOrOp::getOperationName(), "Or"},
    {TileShlOp::getOperationName(), nullptr, "ShiftLeft"},
    {TileShrOp::getOperationName(), nullptr, "ShiftRight"},
    {TileLreluOp::getOperationName(), nullptr, "LeakyRelu"},
    {TileReluOp::getOperationName(), "Relu"},
    // Of each row with its own value; see printRowExpand.
    {TileRowExpandAddOp::getOperationName(), "Add"},
    {TileRowExpandMaxOp::getOperationName(), "Max"},
    {TileRowExpandMinOp::getOperationName(), "Min"},
    {TileRowExpandSubOp::getOperationName(), "Sub"},
    {TileRowExpandMulOp::getOperationName(), "Mul"},
    {TileRowExpandDivOp::getOperationName(), "Div"},
    // Of each column; see printColExpand.
    {TileColExpandAddOp::getOperationName(), "Add"},
    {TileColExpandSubOp::getOperationName(), "Sub"},
    {TileColExpandMulOp::getOperationName(), "Mul"},
    {TileColExpandDivOp::getOperationName(), "Div"},
    {TileColExpandMaxOp::getOperationName(), "Max"},
    {TileColExpandMinOp::getOperationName(), "Min"},
};

static const ElementwiseCall *findCall(Operation *op) {
  return llvm::find_if(elementwiseCalls, [&](const ElementwiseCall &entry) {
    return entry.operation == op->getName().getStringRef();
  });
}

//===----------------------------------------------------------------------===//
// Operands and forms
//===----------------------------------------------------------------------===//

static LogicalResult checkWindow(Operation *op, const Window &window, Value value, bool aligned) {
  TileLayout layout = window.type.getLayout();
  if (window.type.getSpace() != MemorySpace::Vec ||
      (layout != TileLayout::ND && layout != TileLayout::DN))
    return emitUserError(op) << "works in Vec on layout nd or dn, found " << valueWord(value)
                             << " in layout " << stringifyTileLayout(layout);
  std::optional<int64_t> begin = window.offset().getConstant();
  if (aligned && begin && *begin * window.elementBytes() % 32 != 0)
    return emitUserError(op) << "reads or writes Vec at 32-byte addresses; the window of "
                             << valueWord(value) << " begins at byte "
                             << *begin * window.elementBytes() << " of its allocation";
  return success();
}

/// The windows of an instruction: destination first, then the tile sources. Each
/// begins on 32 bytes, but the destination of a reduction.
static FailureOr<SmallVector<Window, 3>> getWindows(Printer &printer, TileComputeInterface op) {
  SmallVector<Value> values{op.getDestination()};
  for (Value source : op.getSources())
    if (isa<BufType>(source.getType()))
      values.push_back(source);
  SmallVector<Window, 3> windows;
  bool reduces = op->hasTrait<RowReduce>();
  for (Value value : values) {
    FailureOr<Window> window = printer.window(op, value);
    bool aligned = !reduces || value != op.getDestination();
    if (failed(window) || failed(checkWindow(op, *window, value, aligned)))
      return failure();
    windows.push_back(*window);
  }
  return windows;
}

/// What every vector instruction asks first: the unit, and the element type.
static LogicalResult checkOperation(Printer &printer, Operation *op, StringRef mnemonic,
                                    Type element, bool scalar = false) {
  if (failed(printer.checkPipe(op, Pipe::V)))
    return failure();
  if (printer.target.hasVectorOp(mnemonic, element, scalar))
    return success();
  if (scalar && printer.target.hasVectorOp(mnemonic, element, /*scalarOperand=*/false))
    return emitUserError(op) << "has no instruction with a scalar on " << printer.target.name
                             << "; pto-legalize turns it into one that the chip has";
  return emitUserError(op) << "has no instruction for " << dtypeWord(element)
                           << (scalar ? " and a scalar" : "") << " on " << printer.target.name
                           << "; convert it with pl.cast";
}

/// Repeat strides of the windows, in 32-byte blocks; an error where the mask form
/// does not reach. `lanes` are those of the widest element type.
static FailureOr<SmallVector<std::string>> getPitches(Printer &printer, Operation *op,
                                                      ArrayRef<Window> windows, int64_t lanes) {
  const TargetInfo &target = printer.target;
  SmallVector<std::string> pitches;
  for (const Window &window : windows) {
    BufType type = window.type;
    std::optional<int64_t> pitch = window.rowPitch();
    if (!pitch)
      return emitUserError(op) << "is not one instruction: the rows of " << typeWord(type)
                               << " in an allocation of " << shapeWord(type.getRoot())
                               << " do not begin on 32 bytes, and the windows are not all "
                                  "contiguous";
    // With one row the stride is not used, but its field is still 8 bits wide.
    if (*pitch > target.maxRepeatStride && type.getRows() == 1)
      pitch = 8;
    if (*pitch > target.maxRepeatStride)
      return emitUserError(op) << "is not one instruction: rows lie " << *pitch
                               << " blocks of 32 bytes apart, at most " << target.maxRepeatStride
                               << " are possible: " << typeWord(type) << " in an allocation of "
                               << shapeWord(type.getRoot());
    if (type.getCols() > lanes || type.getRows() > target.maxRepeats)
      return emitUserError(op) << "is not one instruction: a window that is not contiguous has at "
                                  "most "
                               << lanes << " columns and " << target.maxRepeats << " rows, found "
                               << shapeWord(type.getShape()) << "; pto-expand-instructions cuts it";
    pitches.push_back(std::to_string(*pitch));
  }
  return pitches;
}

static std::string unaryParams(ArrayRef<std::string> pitches) {
  return "UnaryRepeatParams(1, 1, " + pitches[0] + ", " + pitches[1] + ")";
}
static std::string binaryParams(ArrayRef<std::string> pitches) {
  return "BinaryRepeatParams(1, 1, 1, " + pitches[0] + ", " + pitches[1] + ", " + pitches[2] + ")";
}

/// A call on `window`. Where the chip leaves open what an instruction of no elements
/// does, it is not given one.
static void printOnElements(Printer &printer, Operation *op, const Window &window, StringRef call,
                            ArrayRef<std::string> args) {
  printer.at(op);
  bool guarded = openUnlessEmpty(printer, window);
  printer.call(call, args);
  if (guarded)
    printer.close();
}

/// As many elements in those of a view, whose size is another.
static std::string viewed(const Sum &elements, int64_t bytes, int64_t viewBytes) {
  if (bytes >= viewBytes)
    return (elements * (bytes / viewBytes)).str();
  int64_t each = viewBytes / bytes;
  if (std::optional<int64_t> known = elements.getConstant())
    return std::to_string(llvm::divideCeil(*known, each));
  return "(" + (elements + Sum(each - 1)).str() + ") / " + std::to_string(each);
}

/// A scalar of exactly the type that the call's tiles have.
static std::string scalarOf(Printer &printer, Value scalar, Type element) {
  std::string text = printer.exact(scalar), type = printer.cppType(element);
  bool constant = getConstantIntValue(scalar).has_value();
  if (isa<FloatType>(element) || (!constant && type == printer.cppType(scalar.getType())))
    return text;
  if (constant)
    return "(" + type + ")" + std::to_string(*getConstantIntValue(scalar));
  return "(" + type + ")(" + text + ")";
}

/// The arguments of `windows`, then `extra`, then count or mask form. Where the call takes no
/// such elements, it gets the same bytes as others.
static LogicalResult printVectorCall(Printer &printer, TileComputeInterface op, StringRef call,
                                     ArrayRef<Window> windows, ArrayRef<std::string> extra = {}) {
  SmallVector<std::string> args;
  int64_t lanes = 256;
  Type element = windows[0].type.getElementType();
  Type view = printer.target.getCallType(getMnemonic(op), element);
  int64_t bytes = getElementBytes(element), viewBytes = getElementBytes(view);
  std::string cast = ".ReinterpretCast<" + printer.cppType(view) + ">()";
  bool views = view != element || isa<TileBitcastOp>(op.getOperation());
  for (const Window &window : windows) {
    bool other = views && window.type.getElementType() != view;
    args.push_back(window.ref() + (other ? cast : ""));
    lanes = std::min(lanes, getRepeatLanes(window.type.getElementType()));
  }
  args.append(extra.begin(), extra.end());
  bool contiguous =
      llvm::all_of(windows, [](const Window &window) { return window.type.isContiguous(); });
  if (contiguous) {
    args.push_back(viewed(windows[0].count(), bytes, viewBytes));
  } else {
    FailureOr<SmallVector<std::string>> pitches = getPitches(printer, op, windows, lanes);
    if (failed(pitches))
      return failure();
    args.push_back(viewed(windows[0].cols, bytes, viewBytes));
    args.push_back(windows[0].rows.str());
    if (windows.size() == 1)
      args.append({"1", pitches->front()});
    else
      args.push_back(windows.size() == 2 ? unaryParams(*pitches) : binaryParams(*pitches));
  }
  printOnElements(printer, op, windows[0], call, args);
  return success();
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

static LogicalResult printElementwise(Printer &printer, Operation *operation) {
  auto op = cast<TileComputeInterface>(operation);
  const ElementwiseCall *entry = findCall(op);
  Value last = op.getSources().back();
  bool scalar = !isa<BufType>(last.getType());
  Type element = getElementTypeOf(op.getDestination().getType());
  if (failed(checkOperation(printer, op, getMnemonic(op), element, scalar)))
    return failure();
  if (scalar && !entry->scalarCall)
    return emitUserError(op) << "has no instruction with a scalar on " << printer.target.name;
  FailureOr<SmallVector<Window, 3>> windows = getWindows(printer, op);
  if (failed(windows))
    return failure();
  if (scalar) {
    Type view = printer.target.getCallType(getMnemonic(op), element);
    return printVectorCall(printer, op, entry->scalarCall, *windows,
                           {scalarOf(printer, last, view)});
  }
  return printVectorCall(printer, op, entry->call, *windows);
}

/// Where the chip has no negation: a product with -1, which turns the sign of zero and
/// infinity too.
static LogicalResult printNeg(Printer &printer, TileNegOp op) {
  Type element = op.getDst().getType().getElementType();
  bool isOne = printer.target.hasVectorOp("neg", element, /*scalarOperand=*/false);
  if (failed(checkOperation(printer, op, isOne ? "neg" : "mul", element, /*scalar=*/!isOne)))
    return failure();
  FailureOr<SmallVector<Window, 3>> windows = getWindows(printer, op);
  if (failed(windows))
    return failure();
  if (isOne)
    return printVectorCall(printer, op, "Neg", *windows);
  TypedAttr one = isa<FloatType>(element) ? TypedAttr(FloatAttr::get(element, -1.0))
                                          : TypedAttr(IntegerAttr::get(element, -1));
  std::string minusOne = isa<FloatType>(element)
                             ? printer.literal(one)
                             : "(" + printer.cppType(element) + ")" + printer.literal(one);
  return printVectorCall(printer, op, "Muls", *windows, {minusOne});
}

static LogicalResult printFull(Printer &printer, TileFullOp op) {
  FailureOr<SmallVector<Window, 3>> windows = getWindows(printer, op);
  if (failed(windows) ||
      failed(checkOperation(printer, op, "full", op.getDst().getType().getElementType())))
    return failure();
  return printVectorCall(
      printer, op, "Duplicate", *windows,
      {scalarOf(printer, op.getValue(), op.getDst().getType().getElementType())});
}

/// x | x, in 16-bit pieces.
static LogicalResult printBitcast(Printer &printer, TileBitcastOp op) {
  FailureOr<SmallVector<Window, 3>> windows = getWindows(printer, op);
  if (failed(windows) ||
      failed(checkOperation(printer, op, "bitcast", op.getDst().getType().getElementType())))
    return failure();
  windows->push_back(windows->back());
  return printVectorCall(printer, op, "Or", *windows);
}

//===----------------------------------------------------------------------===//
// Masks of bits: one row
//===----------------------------------------------------------------------===//

static StringRef compareWord(Compare mode) {
  switch (mode) {
  case Compare::EQ:
    return "CMPMODE::EQ";
  case Compare::NE:
    return "CMPMODE::NE";
  case Compare::LT:
    return "CMPMODE::LT";
  case Compare::LE:
    return "CMPMODE::LE";
  case Compare::GT:
    return "CMPMODE::GT";
  case Compare::GE:
    return "CMPMODE::GE";
  }
  return "";
}

/// The windows of an operation that the chip has, one row each; the destination first.
static FailureOr<SmallVector<Window, 3>> getRows(Printer &printer, TileComputeInterface op) {
  if (failed(printer.checkPipe(op, Pipe::V)))
    return failure();
  if (!printer.target.hasInstruction(op)) {
    Value told = op.getSources()[isa<TileSelOp>(op.getOperation())];
    return emitUserError(op) << "has no such instruction for "
                             << dtypeWord(getElementTypeOf(told.getType())) << " on "
                             << printer.target.name << "; convert it with pl.cast";
  }
  FailureOr<SmallVector<Window, 3>> windows = getWindows(printer, op);
  if (failed(windows))
    return failure();
  for (const Window &window : *windows)
    if (window.rows.getConstant() != 1 && window.type.getRootRows() != 1)
      return emitUserError(op) << "is not one instruction: bits of a mask follow each other, so "
                                  "that it takes one row; pto-expand-instructions cuts it";
  return windows;
}

/// The count is one of whole repeats; what it reads beyond the window is there, and the bits
/// of that are in the last bytes of the mask's row.
static LogicalResult printCompare(Printer &printer, TileCmpOp op) {
  FailureOr<SmallVector<Window, 3>> windows = getRows(printer, op);
  if (failed(windows))
    return failure();
  const Window &mask = (*windows)[0], &lhs = (*windows)[1];
  Type element = lhs.type.getElementType();
  int64_t lanes = getRepeatLanes(element);
  std::optional<int64_t> known = lhs.cols.getConstant(), begin = lhs.col.getConstant();
  std::string count = std::to_string(lanes), times = count;
  if (known)
    count = std::to_string(llvm::alignTo(*known, lanes));
  else
    count = "(" + (lhs.cols + Sum(lanes - 1)).str() + ") / " + times + " * " + times;
  for (const Window &window : ArrayRef<Window>(*windows).drop_front())
    if (known && begin && *known % lanes != 0 &&
        *begin + int64_t(llvm::alignTo(*known, lanes)) > window.type.getRootCols())
      return emitUserError(op) << "compares whole repeats of " << lanes
                               << " elements, and a row of " << window.type.getRootCols()
                               << " has no room for them";
  Type view = printer.target.getCallType("cmp_eq", element);
  std::string cast = view == element ? "" : ".ReinterpretCast<" + printer.cppType(view) + ">()";
  SmallVector<std::string> args{mask.ref(), lhs.ref() + cast};
  bool scalar = windows->size() == 2;
  args.push_back(scalar ? scalarOf(printer, op.getRhs(), view) : (*windows)[2].ref() + cast);
  args.push_back(compareWord(op.getMode()).str());
  args.push_back(count);
  printOnElements(printer, op, lhs, scalar ? "Compares" : "Compare", args);
  return success();
}

static LogicalResult printSelect(Printer &printer, TileSelOp op) {
  FailureOr<SmallVector<Window, 3>> windows = getRows(printer, op);
  if (failed(windows))
    return failure();
  const Window &dst = (*windows)[0];
  Type element = dst.type.getElementType(), view = printer.target.getCallType("sel", element);
  std::string cast = view == element ? "" : ".ReinterpretCast<" + printer.cppType(view) + ">()";
  printOnElements(printer, op, dst, "Select",
                  {dst.ref() + cast, (*windows)[1].ref(), (*windows)[2].ref() + cast,
                   (*windows)[3].ref() + cast, "SELMODE::VSEL_TENSOR_TENSOR_MODE", dst.cols.str()});
  return success();
}

static StringRef roundWord(RoundMode mode) {
  switch (mode) {
  case RoundMode::None:
    return "CAST_NONE";
  case RoundMode::Rint:
    return "CAST_RINT";
  case RoundMode::Round:
    return "CAST_ROUND";
  case RoundMode::Floor:
    return "CAST_FLOOR";
  case RoundMode::Ceil:
    return "CAST_CEIL";
  case RoundMode::Trunc:
    return "CAST_TRUNC";
  case RoundMode::Odd:
    return "CAST_ODD";
  }
  return "";
}

static LogicalResult printCast(Printer &printer, TileCastOp op) {
  Type from = getElementTypeOf(op.getSource().getType()),
       to = op.getDst().getType().getElementType();
  if (failed(printer.checkPipe(op, Pipe::V)))
    return failure();
  if (!printer.target.hasCast(from, to, op.getRound()))
    return emitUserError(op) << "has no instruction from " << dtypeWord(from) << " to "
                             << dtypeWord(to) << " with rounding '"
                             << stringifyRoundMode(op.getRound()) << "' on " << printer.target.name;
  FailureOr<SmallVector<Window, 3>> windows = getWindows(printer, op);
  if (failed(windows))
    return failure();
  return printVectorCall(printer, op, "Cast", *windows,
                         {("RoundMode::" + roundWord(op.getRound())).str()});
}

//===----------------------------------------------------------------------===//
// Rows: reductions and broadcasts
//===----------------------------------------------------------------------===//

struct ReduceCall {
  StringRef operation;
  const char *call;
  const char *order = nullptr; // the last argument, where the call has one
};

static const ReduceCall reduceCalls[] = {
    {TileRowMaxOp::getOperationName(), "ReduceRepeat<ReduceType::MAX>",
     "ReduceOrder::ORDER_ONLY_VALUE"},
    {TileRowMinOp::getOperationName(), "ReduceRepeat<ReduceType::MIN>",
     "ReduceOrder::ORDER_ONLY_VALUE"},
    {TileRowSumOp::getOperationName(), "ReduceRepeat<ReduceType::SUM>"},
};

/// `ReduceRepeat<ReduceType::MAX>(v, t, 64, 32, 1, 1, 8, ORDER_ONLY_VALUE)`: mask
/// before repeats, and the destination's stride in elements.
static LogicalResult printRowReduce(Printer &printer, Operation *operation) {
  auto op = cast<TileComputeInterface>(operation);
  const ReduceCall *entry = llvm::find_if(reduceCalls, [&](const ReduceCall &candidate) {
    return candidate.operation == operation->getName().getStringRef();
  });
  Type element = getElementTypeOf(op.getDestination().getType());
  FailureOr<SmallVector<Window, 3>> windows = getWindows(printer, op);
  if (failed(windows) || failed(checkOperation(printer, op, getMnemonic(op), element)))
    return failure();
  const Window &dst = (*windows)[0], &src = (*windows)[1];
  if (src.type.getLayout() != TileLayout::ND)
    return emitUserError(op) << "reduces rows of layout nd, found "
                             << valueWord(op.getSources()[0]);
  FailureOr<SmallVector<std::string>> pitches =
      getPitches(printer, op, {src}, getRepeatLanes(element));
  if (failed(pitches))
    return failure();
  int64_t dstStride = dst.type.getLayout() == TileLayout::DN ? 1 : dst.type.getRootCols();
  if (dstStride > 65535)
    return emitUserError(op) << "writes values " << dstStride
                             << " elements apart; at most 65535 are possible";
  SmallVector<std::string> args{
      dst.ref(), src.ref(),       src.cols.str(), src.rows.str(), std::to_string(dstStride),
      "1",       pitches->front()};
  if (entry->order)
    args.push_back(entry->order);
  printOnElements(printer, op, src, entry->call, args);
  return success();
}

static LogicalResult printRowExpand(Printer &printer, Operation *operation) {
  auto op = cast<TileComputeInterface>(operation);
  Type element = getElementTypeOf(op.getDestination().getType());
  FailureOr<SmallVector<Window, 3>> windows = getWindows(printer, op);
  if (failed(windows) || failed(checkOperation(printer, op, getMnemonic(op), element)))
    return failure();
  const Window &blocks = (*windows)[2];
  if (blocks.type.getCols() != getBlockLanes(element) || blocks.type.getLayout() != TileLayout::ND)
    return emitUserError(op) << "takes one block of 32 bytes a row as its second operand, [M, "
                             << getBlockLanes(element) << "], found "
                             << valueWord(op.getSources()[1])
                             << "; pto-expand-instructions makes it with pto.tile.brcb";
  FailureOr<SmallVector<std::string>> pitches =
      getPitches(printer, op, *windows, getRepeatLanes(element));
  if (failed(pitches))
    return failure();
  // A block stride of 0 gives every block of a row the one block of its value.
  std::string params = "BinaryRepeatParams(1, 1, 0, " + llvm::join(*pitches, ", ") + ")";
  const Window &dst = (*windows)[0];
  printOnElements(
      printer, op, dst, findCall(op)->call,
      {dst.ref(), (*windows)[1].ref(), blocks.ref(), dst.cols.str(), dst.rows.str(), params});
  return success();
}

/// The values' repeats lie on one another: a repeat stride of 0.
static LogicalResult printColExpand(Printer &printer, Operation *operation) {
  auto op = cast<TileComputeInterface>(operation);
  Type element = getElementTypeOf(op.getDestination().getType());
  FailureOr<SmallVector<Window, 3>> windows = getWindows(printer, op);
  if (failed(windows) || failed(checkOperation(printer, op, getMnemonic(op), element)))
    return failure();
  const Window &dst = (*windows)[0], &lhs = (*windows)[1], &values = (*windows)[2];
  FailureOr<SmallVector<std::string>> pitches =
      getPitches(printer, op, {dst, lhs}, getRepeatLanes(element));
  if (failed(pitches))
    return failure();
  std::string params =
      "BinaryRepeatParams(1, 1, 1, " + (*pitches)[0] + ", " + (*pitches)[1] + ", 0)";
  printOnElements(printer, op, dst, findCall(op)->call,
                  {dst.ref(), lhs.ref(), values.ref(), dst.cols.str(), dst.rows.str(), params});
  return success();
}

static LogicalResult printTableCall(Printer &printer, Operation *op) {
  if (op->hasTrait<ColExpand>())
    return printColExpand(printer, op);
  return op->hasTrait<RowExpand>() ? printRowExpand(printer, op) : printElementwise(printer, op);
}

/// Eight values a repeat, each into a block of its own.
static LogicalResult printBrcb(Printer &printer, TileBrcbOp op) {
  Type element = op.getDst().getType().getElementType();
  FailureOr<SmallVector<Window, 3>> windows = getWindows(printer, op);
  if (failed(windows) || failed(checkOperation(printer, op, "brcb", element)))
    return failure();
  const Window &dst = (*windows)[0], &src = (*windows)[1];
  std::optional<int64_t> pitch = dst.rowPitch();
  if (!src.type.isContiguous() || !pitch || dst.type.getLayout() != TileLayout::ND ||
      *pitch * 8 > 65535)
    return emitUserError(op) << "reads values that lie one behind the other and writes rows on 32 "
                                "bytes, found "
                             << valueWord(op.getSource()) << " to " << valueWord(op.getDst());
  std::optional<int64_t> rows = dst.rows.getConstant();
  int64_t limit = printer.target.maxRepeats;
  if (rows.value_or(0) > limit * 8)
    return emitUserError(op) << "spreads " << *rows << " values; one instruction spreads "
                             << limit * 8;
  std::optional<int64_t> first = dst.row.getConstant();
  if (rows && first && *first + int64_t(llvm::alignTo(*rows, 8)) > dst.type.getRootRows())
    return emitUserError(op) << "works on eight values at a time and would write "
                             << llvm::alignTo(*rows, 8) << " rows from row " << *first
                             << " on; the allocation has " << dst.type.getRootRows();
  std::string repeats =
      rows ? std::to_string(llvm::divideCeil(*rows, 8)) : "(" + (dst.rows + 7).str() + ") / 8";
  printOnElements(
      printer, op, src, "Brcb",
      {dst.ref(), src.ref(), repeats,
       "BrcbRepeatParams{" + std::to_string(*pitch) + ", " + std::to_string(*pitch * 8) + "}"});
  return success();
}

void ascendc::registerVectorPrinters(Printers &printers) {
  for (const ElementwiseCall &entry : elementwiseCalls)
    printers.add(entry.operation, printTableCall);
  for (const ReduceCall &entry : reduceCalls)
    printers.add(entry.operation, printRowReduce);
  printers.add<printNeg>();
  printers.add<printFull>();
  printers.add<printCast>();
  printers.add<printBrcb>();
  printers.add<printBitcast>();
  printers.add<printCompare>();
  printers.add<printSelect>();
}
