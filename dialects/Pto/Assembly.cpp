//===- Assembly.cpp - How operations of all families are written ----------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Assembly.h"

#include "Pto/Words.h"

using namespace mlir;
using namespace mlir::pto;

ParseResult pto::parseValueCompute(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  Type first;
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColon())
    return failure();
  // `(A, B) -> R`, `A -> R`, or one type for all.
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseTypeList(types) || parser.parseRParen() || parser.parseArrow() ||
        parser.parseType(first))
      return failure();
    result.addTypes(first);
  } else {
    if (parser.parseType(first))
      return failure();
    types.assign(operands.size(), first);
    Type last = first;
    if (succeeded(parser.parseOptionalArrow()) && parser.parseType(last))
      return failure();
    result.addTypes(last);
  }
  return parser.resolveOperands(operands, types, loc, result.operands);
}

void pto::printValueCompute(Operation *op, OpAsmPrinter &printer) {
  printer << ' ';
  printer.printOperands(op->getOperands());
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : ";
  Type result = op->getResult(0).getType();
  auto types = op->getOperandTypes();
  if (llvm::all_equal(types) && !types.empty()) {
    printer << types.front();
    if (types.front() != result)
      printer << " -> " << result;
    return;
  }
  printer << '(';
  llvm::interleaveComma(types, printer);
  printer << ") -> " << result;
}

LogicalResult pto::verifyIndexList(Operation *op, StringRef what, ArrayRef<int64_t> statics,
                                   ValueRange dynamic) {
  size_t open = llvm::count_if(statics, ShapedType::isDynamic);
  if (open == dynamic.size())
    return success();
  return emitUserError(op) << "has " << dynamic.size() << " values for " << open << " " << what
                           << "s that are not static";
}
