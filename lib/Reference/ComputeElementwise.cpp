//===- ComputeElementwise.cpp - Element by element ----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Compute.h"
#include "Reference/Instructions.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

template <BinaryKind kind> static Compute makeBinary(Operation *op, ArrayRef<Elem> elems) {
  bool scalar = isa<IntegerType, FloatType, IndexType>(op->getOperand(1).getType());
  if (!hasBinary(kind, elems[0])) {
    emitUserError(op) << "does not take " << valueWord(op->getOperand(0))
                      << "; convert it with pl.cast";
    return {};
  }
  return [=](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    auto run = scalar ? binaryScalar : binary;
    if (run(kind, result.elem, sources[0].data, sources[1].data, result.data, result.getCount()))
      return std::nullopt;
    return ComputeError{Check::Division, "divides by zero"};
  };
}

template <UnaryKind kind> static Compute makeUnary(Operation *op, ArrayRef<Elem> elems) {
  if (!hasUnary(kind, elems[0])) {
    emitUserError(op) << "takes FP16, BF16 or FP32, found " << valueWord(op->getOperand(0))
                      << "; convert it with pl.cast";
    return {};
  }
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    unary(kind, result.elem, sources[0].data, result.data, result.getCount());
    return std::nullopt;
  };
}

static Compute makeCast(Operation *op, ArrayRef<Elem> elems) {
  FailureOr<Rounding> rounding =
      getRounding(op, elems[0], elems[1], op->getAttrOfType<RoundModeAttr>("round").getValue());
  if (failed(rounding))
    return {};
  return [rounding = *rounding](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    convert(sources[0].elem, result.elem, rounding, sources[0].data, result.data,
            result.getCount());
    return std::nullopt;
  };
}

void reference::addElementwise(ComputeTable &table) {
  table["add"] = {makeBinary<BinaryKind::Add>};
  table["sub"] = {makeBinary<BinaryKind::Sub>};
  table["mul"] = {makeBinary<BinaryKind::Mul>};
  table["div"] = {makeBinary<BinaryKind::Div>};
  table["minimum"] = {makeBinary<BinaryKind::Minimum>};
  table["maximum"] = {makeBinary<BinaryKind::Maximum>};
  table["exp"] = {makeUnary<UnaryKind::Exp>};
  table["sqrt"] = {makeUnary<UnaryKind::Sqrt>};
  table["rsqrt"] = {makeUnary<UnaryKind::Rsqrt>};
  table["neg"] = {makeUnary<UnaryKind::Neg>};
  table["abs"] = {makeUnary<UnaryKind::Abs>};
  table["relu"] = {makeUnary<UnaryKind::Relu>};
  table["cast"] = {makeCast};
}
