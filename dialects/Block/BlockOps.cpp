//===- BlockOps.cpp - The block family ------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Assembly.h"
#include "Pto/Words.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static ParseResult parseBareCore(OpAsmParser &parser, CoreKindAttr &core) {
  return parseBareEnum(parser, core, &symbolizeCoreKind, "core kind");
}
static void printBareCore(OpAsmPrinter &printer, Operation *, CoreKindAttr core) {
  printer << stringifyCoreKind(core.getValue());
}
static ParseResult parseBarePipe(OpAsmParser &parser, PipeAttr &pipe) {
  return parseBareEnum(parser, pipe, &symbolizePipe, "pipe");
}
static void printBarePipe(OpAsmPrinter &printer, Operation *, PipeAttr pipe) {
  printer << stringifyPipe(pipe.getValue());
}

/// `3` or `%id`
static ParseResult parseId(OpAsmParser &parser, IntegerAttr &id,
                           std::optional<OpAsmParser::UnresolvedOperand> &dynamic) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult found = parser.parseOptionalOperand(operand);
  if (found.has_value()) {
    dynamic = operand;
    return *found;
  }
  int64_t number;
  if (parser.parseInteger(number))
    return failure();
  id = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}
static void printId(OpAsmPrinter &printer, Operation *, IntegerAttr id, Value dynamic) {
  if (dynamic)
    printer << dynamic;
  else if (id)
    printer << id.getInt();
}

/// `mte2 -> v, 0` or `mte2 -> v, %id`
static ParseResult parseFlag(OpAsmParser &parser, OperationState &result) {
  PipeAttr src, dst;
  if (parseBarePipe(parser, src) || parser.parseArrow() || parseBarePipe(parser, dst) ||
      parser.parseComma())
    return failure();
  result.addAttribute("src", src);
  result.addAttribute("dst", dst);
  OpAsmParser::UnresolvedOperand dynamic;
  OptionalParseResult operand = parser.parseOptionalOperand(dynamic);
  if (operand.has_value()) {
    if (failed(*operand) ||
        parser.resolveOperand(dynamic, parser.getBuilder().getIndexType(), result.operands))
      return failure();
  } else {
    int64_t id;
    if (parser.parseInteger(id))
      return failure();
    result.addAttribute("id", parser.getBuilder().getI64IntegerAttr(id));
  }
  return parser.parseOptionalAttrDict(result.attributes);
}

template <typename Op> static void printFlag(Op op, OpAsmPrinter &printer) {
  printer << ' ' << stringifyPipe(op.getSrc()) << " -> " << stringifyPipe(op.getDst()) << ", ";
  if (op.getDynamicId())
    printer << op.getDynamicId();
  else
    printer << *op.getId();
  printer.printOptionalAttrDict(op->getAttrs(), {"src", "dst", "id"});
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult BlockSectionOp::verify() {
  Operation *func = (*this)->getParentOfType<FunctionOpInterface>();
  if (!func || getFunctionKind(func) != FunctionKind::Group)
    return emitUserError(*this) << "stands in a function of kind group";
  if ((*this)->getParentOfType<BlockSectionOp>())
    return emitUserError(*this) << "stands in no other section";
  return success();
}

/// Rules of both flag operations; ids are checked against the chip later.
template <typename Op> static LogicalResult verifyFlag(Op op) {
  if (op.getSrc() == Pipe::ALL || op.getDst() == Pipe::ALL)
    return emitUserError(op) << "joins two single pipes";
  if (op.getSrc() == op.getDst())
    return emitUserError(op) << "joins two different pipes; within one, use pto.block.barrier";
  if (op.getId().has_value() == (op.getDynamicId() != nullptr))
    return emitUserError(op) << "needs one event id";
  if (op.getId() && *op.getId() < 0)
    return emitUserError(op) << "has a negative event id, " << *op.getId();
  return success();
}
LogicalResult BlockSetFlagOp::verify() { return verifyFlag(*this); }
LogicalResult BlockWaitFlagOp::verify() { return verifyFlag(*this); }

template <typename Op> static LogicalResult verifyOneId(Op op) {
  if (op.getId().has_value() == (op.getDynamicId() != nullptr))
    return emitUserError(op) << "needs one id";
  if (op.getId() && *op.getId() < 0)
    return emitUserError(op) << "has a negative id, " << *op.getId();
  return success();
}

template <typename Op> static LogicalResult verifyMutex(Op op) {
  if (op.getPipe() == Pipe::ALL)
    return emitUserError(op) << "is of a single pipe";
  return verifyOneId(op);
}
LogicalResult BlockMutexLockOp::verify() { return verifyMutex(*this); }
LogicalResult BlockMutexUnlockOp::verify() { return verifyMutex(*this); }

LogicalResult BlockDcciOp::verify() {
  if (failed(verifyIndexList(*this, "offset", getStaticOffsets(), getOffsets())))
    return failure();
  size_t rank = getShapeOf(getSource().getType()).size();
  if (getStaticOffsets().size() != rank)
    return emitUserError(*this) << "needs " << rank << " offsets for " << valueWord(getSource())
                                << ", found " << getStaticOffsets().size();
  return success();
}

template <typename Op> static LogicalResult verifyCrossCore(Op op) {
  if (op.getMode() < 0 || op.getMode() > 2)
    return emitUserError(op)
           << "has mode " << op.getMode()
           << "; modes are 0 (all cores of a kind), 1 (the AIVs of a cluster) and "
              "2 (an AIC and its AIVs)";
  if (op.getId() && *op.getId() > 15)
    return emitUserError(op) << "has id " << *op.getId() << "; ids are 0 to 15";
  return verifyOneId(op);
}
LogicalResult BlockCrossCoreSetOp::verify() {
  if (getPipe() == Pipe::ALL || getPipe() == Pipe::S)
    return emitUserError(*this) << "waits for one of v, m, mte1, mte2, mte3 and fix";
  return verifyCrossCore(*this);
}
LogicalResult BlockCrossCoreWaitOp::verify() { return verifyCrossCore(*this); }

LogicalResult BlockPrintOp::verify() {
  StringRef format = getFormat();
  unsigned wanted = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%')
      continue;
    if (++i == format.size())
      return emitUserError(*this) << "the format ends with '%'; it takes %d, %i, %u, %x, %f and %%";
    char kind = format[i];
    if (kind == '%')
      continue;
    if (!StringRef("diuxf").contains(kind))
      return emitUserError(*this) << "the format has '%" << std::string(1, kind)
                                  << "'; it takes %d, %i, %u, %x, %f and %%";
    if (wanted < getArgs().size()) {
      Type type = getArgs()[wanted].getType();
      if (isa<FloatType>(type) != (kind == 'f'))
        return emitUserError(*this) << "argument " << wanted + 1 << " is " << typeWord(type)
                                    << ", the format wants %" << std::string(1, kind);
    }
    ++wanted;
  }
  if (wanted != getArgs().size())
    return emitUserError(*this) << "the format wants " << wanted << " arguments, found "
                                << getArgs().size();
  return success();
}

#include "TaskAssembly.h"

#define GET_OP_CLASSES
#include "Block/BlockOps.cpp.inc"

void pto::registerBlockOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, PtoDialect *dialect) {
    dialect->addOperationsChecked<
#define GET_OP_LIST
#include "Block/BlockOps.cpp.inc"
        >();
  });
}
