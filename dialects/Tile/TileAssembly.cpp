//===- TileAssembly.cpp - How tile operations are written -----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Tile/TileSupport.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Sources and one destination
//===----------------------------------------------------------------------===//

/// `ins(%a, %b : A, B)` or `outs(...)`, after its keyword.
static ParseResult parseOperandGroup(OpAsmParser &parser,
                                     SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                     SmallVectorImpl<Type> &types) {
  return failure(parser.parseLParen() || parser.parseOperandList(operands) ||
                 parser.parseColonTypeList(types) || parser.parseRParen());
}

ParseResult pto::parseTileCompute(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("ins"))) {
    SmallVector<OpAsmParser::UnresolvedOperand> outs;
    SmallVector<Type> outTypes;
    if (parseOperandGroup(parser, operands, types) || parser.parseKeyword("outs") ||
        parseOperandGroup(parser, outs, outTypes) ||
        parser.parseOptionalAttrDict(result.attributes))
      return failure();
    operands.append(outs);
    types.append(outTypes);
    return parser.resolveOperands(operands, types, loc, result.operands);
  }
  return parseValueCompute(parser, result);
}

void pto::printTileCompute(Operation *op, OpAsmPrinter &printer) {
  auto compute = cast<TileComputeInterface>(op);
  Value dst = compute.getDestination();
  if (!dst)
    return printValueCompute(op, printer);
  OperandRange sources = compute.getSources();
  printer << " ins(";
  printer.printOperands(sources);
  printer << " : ";
  llvm::interleaveComma(sources.getTypes(), printer);
  printer << ") outs(" << dst << " : " << dst.getType() << ')';
  printer.printOptionalAttrDict(op->getAttrs());
}

//===----------------------------------------------------------------------===//
// Windows of arrays
//===----------------------------------------------------------------------===//

/// `%x[0, %i]`
static ParseResult parseWindow(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &array,
                               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &offsets,
                               DenseI64ArrayAttr &staticOffsets) {
  return failure(parser.parseOperand(array) ||
                 parseDynamicIndexList(parser, offsets, staticOffsets));
}

static void printWindow(OpAsmPrinter &printer, Operation *op, Value array, OperandRange offsets,
                        ArrayRef<int64_t> staticOffsets) {
  printer << array;
  printDynamicIndexList(printer, op, offsets, staticOffsets);
}

ParseResult TileLoadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source, dst;
  SmallVector<OpAsmParser::UnresolvedOperand> offsets, valid;
  DenseI64ArrayAttr staticOffsets, staticValid;
  Type sourceType, dstType;
  Type index = parser.getBuilder().getIndexType();
  bool buffer = succeeded(parser.parseOptionalKeyword("ins"));
  if (buffer) {
    if (parser.parseLParen() || parseWindow(parser, source, offsets, staticOffsets) ||
        parser.parseColonType(sourceType) || parser.parseRParen() || parser.parseKeyword("outs") ||
        parser.parseLParen() || parser.parseOperand(dst) || parser.parseColonType(dstType) ||
        parser.parseRParen() || parser.parseOptionalAttrDict(result.attributes))
      return failure();
  } else {
    if (parseWindow(parser, source, offsets, staticOffsets))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("valid"))) {
      SMLoc loc = parser.getCurrentLocation();
      if (parseDynamicIndexList(parser, valid, staticValid))
        return failure();
      if (staticValid.empty())
        return parser.emitError(loc, "valid extents are two, found none");
    }
    if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(sourceType) ||
        parser.parseArrow() || parser.parseType(dstType))
      return failure();
    result.addTypes(dstType);
  }
  auto &properties = result.getOrAddProperties<Properties>();
  properties.static_offsets = staticOffsets;
  properties.static_valid =
      staticValid ? staticValid : parser.getBuilder().getDenseI64ArrayAttr({});
  properties.operandSegmentSizes = {1, static_cast<int32_t>(offsets.size()),
                                    static_cast<int32_t>(valid.size()), buffer ? 1 : 0};
  if (parser.resolveOperand(source, sourceType, result.operands) ||
      parser.resolveOperands(offsets, index, result.operands) ||
      parser.resolveOperands(valid, index, result.operands) ||
      (buffer && parser.resolveOperand(dst, dstType, result.operands)))
    return failure();
  return success();
}

void TileLoadOp::print(OpAsmPrinter &printer) {
  static const StringRef elided[] = {"static_offsets", "static_valid", "operandSegmentSizes"};
  if (getDst()) {
    printer << " ins(";
    printWindow(printer, *this, getSource(), getOffsets(), getStaticOffsets());
    printer << " : " << getSource().getType() << ") outs(" << getDst() << " : "
            << getDst().getType() << ')';
    printer.printOptionalAttrDict((*this)->getAttrs(), elided);
    return;
  }
  printer << ' ';
  printWindow(printer, *this, getSource(), getOffsets(), getStaticOffsets());
  if (!getStaticValid().empty()) {
    printer << " valid ";
    printDynamicIndexList(printer, *this, getValid(), getStaticValid());
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), elided);
  printer << " : " << getSource().getType() << " -> " << getResult().getType();
}

ParseResult TileStoreOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source, dest;
  SmallVector<OpAsmParser::UnresolvedOperand> offsets;
  DenseI64ArrayAttr staticOffsets;
  Type sourceType, destType;
  if (succeeded(parser.parseOptionalKeyword("ins"))) {
    if (parser.parseLParen() || parser.parseOperand(source) || parser.parseColonType(sourceType) ||
        parser.parseRParen() || parser.parseKeyword("outs") || parser.parseLParen() ||
        parseWindow(parser, dest, offsets, staticOffsets) || parser.parseColonType(destType) ||
        parser.parseRParen() || parser.parseOptionalAttrDict(result.attributes))
      return failure();
  } else if (parser.parseOperand(source) || parser.parseComma() ||
             parseWindow(parser, dest, offsets, staticOffsets) ||
             parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(sourceType) ||
             parser.parseArrow() || parser.parseType(destType)) {
    return failure();
  }
  if (isa<RankedTensorType>(destType))
    result.addTypes(destType);
  result.getOrAddProperties<Properties>().static_offsets = staticOffsets;
  return failure(
      parser.resolveOperand(source, sourceType, result.operands) ||
      parser.resolveOperand(dest, destType, result.operands) ||
      parser.resolveOperands(offsets, parser.getBuilder().getIndexType(), result.operands));
}

void TileStoreOp::print(OpAsmPrinter &printer) {
  static const StringRef elided[] = {"static_offsets"};
  if (isa<BufType>(getSource().getType())) {
    printer << " ins(" << getSource() << " : " << getSource().getType() << ") outs(";
    printWindow(printer, *this, getDest(), getOffsets(), getStaticOffsets());
    printer << " : " << getDest().getType() << ')';
    printer.printOptionalAttrDict((*this)->getAttrs(), elided);
    return;
  }
  printer << ' ' << getSource() << ", ";
  printWindow(printer, *this, getDest(), getOffsets(), getStaticOffsets());
  printer.printOptionalAttrDict((*this)->getAttrs(), elided);
  printer << " : " << getSource().getType() << " -> " << getDest().getType();
}
