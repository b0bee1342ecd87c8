//===- TaskOps.cpp - Placement and tasks ----------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Assembly.h"
#include "Pto/Words.h"
#include "TaskAssembly.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

ParseResult pto::parseBareLevel(OpAsmParser &parser, LevelAttr &level) {
  return parseBareEnum(parser, level, &symbolizeLevel, "level");
}
void pto::printBareLevel(OpAsmPrinter &printer, Operation *, LevelAttr level) {
  printer << stringifyLevel(level.getValue());
}
ParseResult pto::parseBareRole(OpAsmParser &parser, RoleAttr &role) {
  return parseBareEnum(parser, role, &symbolizeRole, "role");
}
void pto::printBareRole(OpAsmPrinter &printer, Operation *, RoleAttr role) {
  printer << stringifyRole(role.getValue());
}

ParseResult pto::parseTaskWords(OpAsmParser &parser, std::optional<UnresolvedOperand> &blocks,
                                SmallVectorImpl<UnresolvedOperand> &deps,
                                std::optional<UnresolvedOperand> &condition, Type &conditionType,
                                SmallVectorImpl<UnresolvedOperand> &indices, CompareAttr &compare,
                                IntegerAttr &compareTo) {
  if (succeeded(parser.parseOptionalKeyword("blocks"))) {
    blocks.emplace();
    if (parser.parseLParen() || parser.parseOperand(*blocks) || parser.parseRParen())
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("after")) &&
      parser.parseOperandList(deps, OpAsmParser::Delimiter::Paren))
    return failure();
  if (failed(parser.parseOptionalKeyword("when")))
    return success();
  condition.emplace();
  int64_t number;
  if (parser.parseLParen() || parser.parseOperand(*condition) ||
      parser.parseOperandList(indices, OpAsmParser::Delimiter::Square) ||
      parseBareEnum(parser, compare, &symbolizeCompare, "comparison") ||
      parser.parseInteger(number) || parser.parseColonType(conditionType) || parser.parseRParen())
    return failure();
  compareTo = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

void pto::printTaskWords(OpAsmPrinter &printer, Operation *, Value blocks, ValueRange deps,
                         Value condition, Type conditionType, ValueRange indices,
                         CompareAttr compare, IntegerAttr compareTo) {
  if (blocks)
    printer << " blocks(" << blocks << ')';
  if (!deps.empty())
    printer << " after(" << deps << ')';
  if (condition && compare && compareTo)
    printer << " when(" << condition << '[' << indices << "] "
            << stringifyCompare(compare.getValue()) << ' ' << compareTo.getInt() << " : "
            << conditionType << ')';
}

ParseResult pto::parseTaskResults(OpAsmParser &parser, SmallVectorImpl<Type> &results, Type &task) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseTypeList(results) || parser.parseRParen())
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
  }
  return parser.parseType(task);
}

void pto::printTaskResults(OpAsmPrinter &printer, Operation *, TypeRange results, Type task) {
  if (results.empty() && !task)
    return;
  printer << " -> ";
  if (!results.empty())
    printer << '(' << results << ')' << (task ? ", " : "");
  if (task)
    printer << task;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// What every operation that becomes a task has in common.
template <typename Op> static LogicalResult verifyTask(Op op) {
  IntegerAttr blocks;
  if (op.getBlocks() && matchPattern(op.getBlocks(), m_Constant(&blocks)) && blocks.getInt() < 1)
    return emitUserError(op) << "runs on " << blocks.getInt() << " blocks; it takes at least one";
  bool condition = op.getCondition() != nullptr;
  if (condition != op.getCompare().has_value() || condition != op.getCompareTo().has_value())
    return emitUserError(op) << "has a condition of an array, a comparison and a number, or none";
  if (!condition)
    return success();
  auto type = cast<RankedTensorType>(op.getCondition().getType());
  if (type.getRank() != static_cast<int64_t>(op.getConditionIndices().size()))
    return emitUserError(op) << "the condition reads " << valueWord(op.getCondition()) << " at "
                             << op.getConditionIndices().size() << " indices; it has "
                             << type.getRank() << " dimensions";
  if (!type.getElementType().isSignlessInteger())
    return emitUserError(op) << "the condition compares integers, found "
                             << valueWord(op.getCondition());
  return success();
}

template <typename Op> static LogicalResult verifyTaskRegion(Op op) {
  auto yield = dyn_cast<BlockYieldOp>(op.getBody().front().back());
  if (!yield)
    return emitUserError(op) << "ends with pto.block.yield";
  if (op.getBody().getNumArguments() != 0)
    return emitUserError(op) << "has a region without arguments";
  if (yield.getOperandTypes() != TypeRange(op.getResults()))
    return emitUserError(yield) << "yields other types than the results";
  return verifyTask(op);
}

LogicalResult BlockAtOp::verify() { return verifyTaskRegion(*this); }

LogicalResult BlockClusterOp::verify() {
  for (Operation &op : getBody().front().without_terminator()) {
    auto dispatch = dyn_cast<BlockDispatchOp>(op);
    if (!dispatch)
      return emitUserError(&op) << "stands in a cluster, which holds nothing but kernels";
    if (dispatch.getBlocks() || dispatch.getCondition() || !dispatch.getDeps().empty() ||
        dispatch.getTask())
      return emitUserError(dispatch)
             << "is a part of its cluster's task; blocks, order and condition are said of the "
                "cluster";
  }
  return verifyTaskRegion(*this);
}

/// Where a kernel takes an array, the caller has the same one.
static bool sameArgument(Type given, Type taken) {
  if (given == taken)
    return true;
  auto tensor = dyn_cast<RankedTensorType>(given);
  auto gm = dyn_cast<GmType>(taken);
  return tensor && gm && tensor.getShape() == gm.getShape() &&
         tensor.getElementType() == gm.getElementType() &&
         (tensor.getRank() == 0 || getRowPitch(tensor) == getRowPitch(gm));
}

void BlockDispatchOp::build(OpBuilder &builder, OperationState &state, TypeRange results, Type task,
                            StringRef callee, ValueRange args, ValueRange deps) {
  build(builder, state, results, task, callee, args, /*blocks=*/Value(), deps,
        /*condition=*/Value(), /*condition_indices=*/ValueRange(), CompareAttr(), IntegerAttr(),
        /*sync_start=*/false, /*manual=*/false, /*early_resolve=*/false, DenseI64ArrayAttr());
}

LogicalResult BlockDispatchOp::verify() {
  if (std::optional<ArrayRef<int64_t>> free = getNoDep())
    for (int64_t index : *free)
      if (index < 0 || index >= static_cast<int64_t>(getArgs().size()) ||
          !isa<RankedTensorType>(getArgs()[index].getType()))
        return emitUserError(*this) << "leaves argument " << index
                                    << " out of the derived order, which is no array of its";
  return verifyTask(*this);
}

LogicalResult BlockDispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto func = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getCalleeAttr());
  if (!func)
    return emitUserError(*this) << "dispatches '" << getCallee() << "', which is no function";
  FunctionKind kind = getFunctionKind(func);
  if (kind != FunctionKind::InCore && kind != FunctionKind::AIC && kind != FunctionKind::AIV &&
      kind != FunctionKind::Group)
    return emitUserError(*this) << "dispatches '" << getCallee() << "', a function of kind "
                                << stringifyFunctionKind(kind)
                                << "; only in-core functions are tasks";
  if (func.getNumArguments() != getArgs().size())
    return emitUserError(*this) << "gives " << getArgs().size() << " arguments to '" << getCallee()
                                << "', which takes " << func.getNumArguments();
  SmallVector<Type> written;
  for (auto [index, value] : llvm::enumerate(getArgs())) {
    Type taken = func.getArgumentTypes()[index];
    if (!sameArgument(value.getType(), taken))
      return emitUserError(*this) << "gives " << typeWord(value.getType()) << " as argument "
                                  << index << " of '" << getCallee() << "', which takes "
                                  << typeWord(taken);
    if (isWritten(getDirection(func, index)))
      written.push_back(value.getType());
  }
  if (written.size() != getResults().size())
    return emitUserError(*this) << "has " << getResults().size() << " results; '" << getCallee()
                                << "' writes " << written.size() << " arrays";
  for (auto [index, result] : llvm::enumerate(getResults()))
    if (result.getType() != written[index])
      return emitUserError(*this) << "result " << index << " is " << typeWord(result.getType())
                                  << "; '" << getCallee() << "' writes " << typeWord(written[index])
                                  << " there";
  return success();
}

void BlockDispatchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// A constant index lies within the array.
template <typename Op> static LogicalResult verifyArrayIndex(Op op) {
  int64_t size = cast<ArrayType>(op.getArray().getType()).getSize();
  IntegerAttr index;
  if (matchPattern(op.getIndex(), m_Constant(&index)) &&
      (index.getInt() < 0 || index.getInt() >= size))
    return emitUserError(op) << "index " << index.getInt() << " is not within 0 to " << size - 1;
  return success();
}
LogicalResult BlockArrayGetOp::verify() { return verifyArrayIndex(*this); }
LogicalResult BlockArraySetOp::verify() { return verifyArrayIndex(*this); }
