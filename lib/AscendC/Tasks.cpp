//===- Tasks.cpp - Tasks, tokens and arrays of entries --------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Operations of the control plane as calls of runtime/pto_tasks.h. A tensor value is
// the address of its first element; a token is a number.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Orchestration.h"
#include "Pto/Words.h"
#include "Tensor/TensorOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

//===----------------------------------------------------------------------===//
// Which array a value names
//===----------------------------------------------------------------------===//

FunctionOpInterface ascendc::calleeOf(BlockDispatchOp op) {
  return SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, op.getCalleeAttr());
}

Value ascendc::traceArray(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    unsigned index = result.getResultNumber();
    Value next;
    if (!isa<RankedTensorType>(value.getType()))
      break;
    if (auto dispatch = dyn_cast<BlockDispatchOp>(result.getOwner())) {
      next = getWrittenArgument(dispatch, calleeOf(dispatch), index);
    } else if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
      if (traceArray(loop.getYieldedValues()[index]) == loop.getRegionIterArg(index))
        next = loop.getInits()[index];
    } else if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
      Value then = traceArray(branch.thenYield().getOperand(index));
      if (branch.elseBlock() && then == traceArray(branch.elseYield().getOperand(index)))
        next = then;
    }
    if (!next)
      break;
    value = next;
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static LogicalResult printCreate(Printer &printer, TensorCreateOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (!type.hasStaticShape())
    return emitUserError(op) << "makes an array of unknown extents, " << typeWord(type);
  // The caller gives the memory of an array that is returned: it has a name already.
  if (printer.isBound(op.getResult()))
    return success();
  printer.at(op);
  std::string name = printer.freshName(op.getResult(), "array");
  printer.line("uint8_t *const " + name + " = tasks.create(" +
               Twine(type.getNumElements() * getElementBytes(type.getElementType())) + ");");
  printer.bind(op.getResult(), {name});
  return success();
}

/// The address of the element at `offsets` of an array.
static FailureOr<Expr> addressOf(Printer &printer, Operation *op, Value array,
                                 ArrayRef<OpFoldResult> offsets) {
  auto type = cast<RankedTensorType>(array.getType());
  Sum bytes;
  int64_t stride = getElementBytes(type.getElementType());
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (dim > 0 && type.isDynamicDim(dim))
      return emitUserError(op) << "needs the extents of " << valueWord(array);
    bytes = bytes + printer.sum(offsets[dim]) * stride;
    stride *= dim == type.getRank() - 1 ? getRowPitch(type) : type.getShape()[dim];
  }
  Expr base = printer.get(array);
  if (bytes.isZero())
    return base;
  return Expr{base.in(Prec::Add) + " + " + bytes.expr().in(Prec::Mul), Prec::Add};
}

static LogicalResult printSlice(Printer &printer, TensorSliceOp op) {
  FailureOr<Expr> address = addressOf(printer, op, op.getSource(), op.getMixedOffsets());
  if (failed(address))
    return failure();
  printer.at(op);
  // A name of its own, whatever its uses: each of them says it several times.
  std::string name = printer.freshName(op.getResult(), "window");
  if (!op.getResult().use_empty())
    printer.line("uint8_t *const " + name + " = " + address->text + ";");
  printer.bind(op.getResult(), {name});
  return success();
}

/// `tasks.read<int32_t>(address)`, or `peek` of what is known to be done.
static FailureOr<Expr> elementAt(Printer &printer, Operation *op, StringRef call, Type type,
                                 const Expr &address) {
  if (type.isF16() || type.isBF16())
    return Expr{(call + (type.isF16() ? "Half(" : "Bfloat(") + address.text + ")").str()};
  std::string cpp = printer.cppType(type);
  if (cpp.empty())
    return emitUserError(op) << "reads an element of type " << typeWord(type)
                             << ", which has no C++ form";
  return Expr{(call + "<" + cpp + ">(" + address.text + ")").str()};
}

static LogicalResult printRead(Printer &printer, TensorReadOp op) {
  FailureOr<Expr> address = addressOf(printer, op, op.getSource(), op.getMixedOffsets());
  if (failed(address))
    return failure();
  Type type = op.getResult().getType();
  FailureOr<Expr> element = elementAt(printer, op, "tasks.read", type, *address);
  if (failed(element))
    return failure();
  printer.at(op);
  // Read here, wherever it is used.
  std::string name = printer.freshName(op.getResult(), "element");
  printer.line("const " + printer.cppType(type) + " " + name + " = " + element->text + ";");
  printer.bind(op.getResult(), {name});
  return success();
}

//===----------------------------------------------------------------------===//
// Tokens and small arrays
//===----------------------------------------------------------------------===//

static std::string braces(ArrayRef<std::string> parts) {
  return "{" + llvm::join(parts, ", ") + "}";
}

static std::string tokens(Printer &printer, ValueRange deps) {
  SmallVector<std::string> names;
  for (Value dep : deps)
    names.push_back(printer.str(dep));
  return braces(names);
}

static LogicalResult printInvalid(Printer &printer, BlockTaskInvalidOp op) {
  printer.bind(op.getResult(), {"pto::kNoTask"});
  return success();
}

static LogicalResult printDummy(Printer &printer, BlockTaskDummyOp op) {
  printer.at(op);
  std::string name = printer.freshName(op.getResult(), "task");
  printer.line("const pto::Task " + name + " = tasks.join(" + tokens(printer, op.getDeps()) + ");");
  printer.bind(op.getResult(), {name});
  return success();
}

/// A variable for a small array: its uses may stand behind another one's.
static LogicalResult bindArray(Printer &printer, Operation *op, Value array, StringRef text) {
  std::string cpp = printer.cppType(array.getType());
  if (cpp.empty())
    return emitUserError(op) << "makes " << typeWord(array.getType()) << ", which has no C++ form";
  printer.at(op);
  std::string name = printer.freshName(array, "list");
  printer.line(Twine(cpp) + " " + name + text + ";");
  printer.bind(array, {name});
  return success();
}

static LogicalResult printArrayCreate(Printer &printer, BlockArrayCreateOp op) {
  auto type = cast<ArrayType>(op.getResult().getType());
  std::string init = "{}";
  if (isa<TaskType>(type.getElementType())) {
    SmallVector<std::string> none(type.getSize(), "pto::kNoTask");
    init = " = {" + llvm::join(none, ", ") + "}";
  }
  return bindArray(printer, op, op.getResult(), init);
}

static LogicalResult printArrayGet(Printer &printer, BlockArrayGetOp op) {
  printer.at(op);
  std::string name = printer.freshName(
      op.getResult(), isa<TaskType>(op.getResult().getType()) ? StringRef("task") : StringRef("v"));
  printer.line("const " + printer.cppType(op.getResult().getType()) + " " + name + " = tasks.get(" +
               printer.str(op.getArray()) + ", " + printer.str(op.getIndex()) + ");");
  printer.bind(op.getResult(), {name});
  return success();
}

static LogicalResult printArraySet(Printer &printer, BlockArraySetOp op) {
  Type element = op.getValue().getType();
  // Of the element's type exactly, which the call deduces from the array.
  std::string value = printer.cppType(element) + "(" + printer.str(op.getValue()) + ")";
  return bindArray(printer, op, op.getResult(),
                   (" = tasks.set(" + Twine(printer.str(op.getArray())) + ", " +
                    printer.str(op.getIndex()) + ", " + value + ")")
                       .str());
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// An extent of an array of the host.
static FailureOr<Sum> extentOf(Printer &printer, Operation *op, Value array, unsigned dim) {
  ArrayRef<int64_t> shape = getShapeOf(array.getType());
  if (!ShapedType::isDynamic(shape[dim]))
    return Sum(shape[dim]);
  auto known = printer.hostExtents.find({array, dim});
  if (known != printer.hostExtents.end())
    return Sum::term({known->second});
  Operation *made = array.getDefiningOp();
  if (auto dispatch = dyn_cast_or_null<BlockDispatchOp>(made)) {
    FunctionOpInterface callee = calleeOf(dispatch);
    unsigned index = cast<OpResult>(array).getResultNumber();
    if (Value argument = callee ? getWrittenArgument(dispatch, callee, index) : Value())
      return extentOf(printer, op, argument, dim);
  }
  if (auto view = dyn_cast_or_null<TensorViewOp>(made)) {
    // The one open extent follows from the source's.
    ArrayRef<int64_t> from = getShapeOf(view.getSource().getType());
    int64_t inner = 1, outer = 1;
    Sum open = 1;
    for (auto [index, extent] : llvm::enumerate(from)) {
      if (!ShapedType::isDynamic(extent)) {
        inner *= extent;
        continue;
      }
      FailureOr<Sum> found = extentOf(printer, op, view.getSource(), index);
      if (failed(found))
        return failure();
      open = open * *found;
    }
    for (int64_t extent : shape)
      outer *= ShapedType::isDynamic(extent) ? 1 : extent;
    if (outer != 0 && inner % outer == 0)
      return open * (inner / outer);
  }
  return FailureOr<Sum>(emitUserError(op) << "needs extent " << dim << " of " << valueWord(array)
                                          << ", which is one of several arrays; give the arrays "
                                             "themselves, not what a loop or branch chooses");
}

/// `pto::in(x, 16384)` or `pto::inout(x, 64, 256, 512)`.
static FailureOr<std::string> useOf(Printer &printer, BlockDispatchOp op, Direction direction,
                                    unsigned index) {
  Value array = op.getArgs()[index];
  auto type = cast<RankedTensorType>(array.getType());
  int64_t size = getElementBytes(type.getElementType());
  bool rows = type.getRank() == 2 && getRowPitch(type) != type.getShape()[1];
  std::string text =
      "pto::" + stringifyDirection(direction).str() + "(" + printer.str(array) + ", ";
  if (rows)
    text += std::to_string(type.getShape()[0]) + ", " + std::to_string(type.getShape()[1] * size) +
            ", " + std::to_string(getRowPitch(type) * size) + ")";
  else {
    Sum bytes = size;
    for (unsigned dim = 0; dim < type.getRank(); ++dim) {
      FailureOr<Sum> extent = extentOf(printer, op, array, dim);
      if (failed(extent))
        return failure();
      bytes = bytes * *extent;
    }
    text += bytes.str() + ")";
  }
  std::optional<ArrayRef<int64_t>> noDep = op.getNoDep();
  bool ordered = !op.getManual() && !(noDep && llvm::is_contained(*noDep, int64_t(index)));
  return ordered ? text : "pto::unordered(" + text + ")";
}

/// Whether the kernel takes the array without knowing its extents.
static bool isPointer(FunctionOpInterface callee, unsigned index) {
  auto type = dyn_cast<GmType>(callee.getArgumentTypes()[index]);
  return type && type.getShape() == ArrayRef<int64_t>(ShapedType::kDynamic);
}

/// What the entry's order is derived from: what the task does with which window.
static FailureOr<SmallVector<std::string>> usesOf(Printer &printer, BlockDispatchOp op,
                                                  FunctionOpInterface callee) {
  SmallVector<std::string> uses;
  bool derived = getOrder(op->getParentOfType<FunctionOpInterface>()) == DepsMode::RunTime;
  for (auto [index, argument] : llvm::enumerate(op.getArgs())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    bool told = false;
    for (const HiddenExtent &hidden : getHiddenExtents(callee))
      told |= hidden.argument == index;
    if (isPointer(callee, index) && !told && derived)
      return emitUserError(op) << "gives " << valueWord(argument)
                               << " to a kernel, and the entry's order is derived from regions, "
                                  "which a pointer has not; order the tasks with tokens";
    if (!derived)
      continue;
    FailureOr<std::string> use = useOf(printer, op, getDirection(callee, index), index);
    if (failed(use))
      return failure();
    uses.push_back(*use);
  }
  return uses;
}

/// What begin() and wait() are told: tokens, and the uses where an order is derived.
static FailureOr<SmallVector<std::string>>
orderOf(Printer &printer, BlockDispatchOp op, FunctionOpInterface callee, StringRef condition) {
  FailureOr<SmallVector<std::string>> found = usesOf(printer, op, callee);
  if (failed(found))
    return failure();
  SmallVector<std::string> uses = std::move(*found);
  auto entry = op->getParentOfType<FunctionOpInterface>();
  SmallVector<std::string> args{tokens(printer, op.getDeps())};
  if (getOrder(entry) != DepsMode::RunTime)
    return args;
  if (!condition.empty()) {
    int64_t size = getElementBytes(getElementTypeOf(op.getCondition().getType()));
    std::string use = ("pto::in(" + condition + ", " + Twine(size) + ")").str();
    uses.push_back(op.getManual() ? "pto::unordered(" + use + ")" : use);
  }
  // Separate, so that a long list can be broken.
  if (!uses.empty()) {
    uses.front() = "{" + uses.front();
    uses.back() += "}";
  }
  args.append(uses);
  return args;
}

static StringRef compareWord(Compare compare) {
  switch (compare) {
  case Compare::EQ:
    return " == ";
  case Compare::NE:
    return " != ";
  case Compare::LT:
    return " < ";
  case Compare::LE:
    return " <= ";
  case Compare::GT:
    return " > ";
  case Compare::GE:
    return " >= ";
  }
  return "";
}

/// The number of blocks, checked where it is known at run time only.
static FailureOr<std::string> blocksOf(Printer &printer, BlockDispatchOp op,
                                       FunctionOpInterface callee) {
  Value blocks = op.getBlocks();
  if (!blocks)
    return std::string("1");
  // Blocks that begin together all have a core.
  int64_t most = 65535;
  if (op.getSyncStart())
    most = getFunctionKind(callee) == FunctionKind::AIV ? printer.target.vectorCores
                                                        : printer.target.cubeCores;
  IntegerAttr constant;
  if (!matchPattern(blocks, m_Constant(&constant))) {
    std::string name = printer.names.fresh("blocks", "blocks");
    printer.line("const uint32_t " + name + " = tasks.blocks(" + printer.str(blocks) +
                 (op.getSyncStart() ? ", " + Twine(most) : "") + ");");
    return name;
  }
  if (constant.getInt() <= most)
    return std::to_string(constant.getInt());
  InFlightDiagnostic error = emitUserError(op);
  if (op.getSyncStart())
    error << "starts " << constant.getInt() << " blocks together; " << printer.target.name
          << " has " << most << " cores for them";
  else
    error << "runs on " << constant.getInt() << " blocks; a launch has at most " << most;
  return FailureOr<std::string>(error);
}

/// `if (tasks.wait({t0}) && tasks.peek<int32_t>(flags + 8) > 5 && tasks.begin({t0}))`
static LogicalResult printBegin(Printer &printer, BlockDispatchOp op, FunctionOpInterface callee) {
  if (!op.getCondition()) {
    FailureOr<SmallVector<std::string>> order = orderOf(printer, op, callee, "");
    if (failed(order))
      return failure();
    printer.call("if (tasks.begin", *order, ")");
    return success();
  }
  SmallVector<OpFoldResult> indices(op.getConditionIndices().begin(),
                                    op.getConditionIndices().end());
  FailureOr<Expr> address = addressOf(printer, op, op.getCondition(), indices);
  if (failed(address))
    return failure();
  Type type = getElementTypeOf(op.getCondition().getType());
  FailureOr<SmallVector<std::string>> order = orderOf(printer, op, callee, address->text);
  FailureOr<Expr> element = elementAt(printer, op, "tasks.peek", type, *address);
  if (failed(order) || failed(element))
    return failure();
  printer.call("if (tasks.wait", *order,
               " && " + element->text + compareWord(*op.getCompare()).str() +
                   std::to_string(*op.getCompareTo()) + " &&");
  printer.call("    tasks.begin", *order, ")");
  return success();
}

static LogicalResult printDim(Printer &printer, TensorDimOp op) {
  FailureOr<Sum> extent = extentOf(printer, op, op.getSource(), op.getDim());
  if (failed(extent))
    return failure();
  printer.define(op.getResult(), extent->expr());
  return success();
}

/// Another name of the same memory.
static LogicalResult printView(Printer &printer, TensorViewOp op) {
  printer.bind(op.getResult(), printer.get(op.getSource()));
  return success();
}

static LogicalResult printDispatch(Printer &printer, BlockDispatchOp op) {
  FunctionOpInterface callee = calleeOf(op);
  if (!callee)
    return emitUserError(op) << "launches '" << op.getCallee() << "', which is no kernel";
  printer.at(op);
  FailureOr<std::string> blocks = blocksOf(printer, op, callee);
  if (failed(blocks) || failed(printBegin(printer, op, callee)))
    return failure();
  SmallVector<std::string> args{*blocks, "tasks.stream()"};
  for (Value argument : op.getArgs())
    args.push_back(printer.str(argument));
  for (const HiddenExtent &hidden : getHiddenExtents(callee)) {
    FailureOr<Sum> extent = extentOf(printer, op, op.getArgs()[hidden.argument], hidden.dim);
    if (failed(extent))
      return failure();
    args.push_back(extent->str());
  }
  printer.call("  " + symbolName(op.getCallee()) + "_do", args);
  Value token = op.getTask();
  if (token && !token.use_empty()) {
    // The author's name is that of the array, if the task writes one.
    std::string own = symbolName(op.getCallee()) + "_task";
    std::string name =
        op.getResults().empty() ? printer.freshName(token, own) : printer.names.fresh(own, "task");
    printer.line("const pto::Task " + name + " = tasks.end();");
    printer.bind(token, {name});
  } else {
    printer.line("tasks.end();");
  }
  for (auto [index, result] : llvm::enumerate(op.getResults()))
    if (Value argument = getWrittenArgument(op, callee, index))
      printer.bind(result, printer.get(argument));
  return success();
}

//===----------------------------------------------------------------------===//
// What no entry has
//===----------------------------------------------------------------------===//

LogicalResult ascendc::refusePlaced(BlockAtOp op) {
  if (op.getLevel() == Level::CoreGroup)
    return emitUserError(op) << "is still a region; run pto-outline-scopes first";
  return emitUserError(op) << "level " << stringifyLevel(op.getLevel()).upper()
                           << " is carried and printed, but no code is made for it; use "
                              "pl.Level.CORE_GROUP";
}

static LogicalResult printPlaced(Printer &, BlockAtOp op) { return refusePlaced(op); }

static LogicalResult refuseCluster(Printer &, BlockClusterOp op) {
  return emitUserError(op) << "is still a region; run pto-merge-clusters first";
}

void ascendc::registerOrchestrationPrinters(Printers &printers) {
  printers.add<printCreate>();
  printers.add<printSlice>();
  printers.add<printDim>();
  printers.add<printView>();
  printers.add<printRead>();
  printers.add<printInvalid>();
  printers.add<printDummy>();
  printers.add<printArrayCreate>();
  printers.add<printArrayGet>();
  printers.add<printArraySet>();
  printers.add<printDispatch>();
  printers.add<printPlaced>();
  printers.add<refuseCluster>();
  registerPrint(printers);
}
