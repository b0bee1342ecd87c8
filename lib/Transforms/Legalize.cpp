//===- Legalize.cpp - pto-legalize -----------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The language has more operations and element types than the chip has
// instructions. What is missing is written with what is there, to the same
// bits; only the target description says what is there.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Target/Target.h"
#include "Tile/TileOps.h"
#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_LEGALIZEPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class Legalize : public pto::impl::LegalizePassBase<Legalize> {
public:
  using LegalizePassBase::LegalizePassBase;
  void runOnOperation() override;
};

class Legalizer {
public:
  Legalizer(const TargetInfo &target, MLIRContext *context) : target(target), builder(context) {}
  LogicalResult legalize(Operation *op);

private:
  LogicalResult legalizeCast(TileCastOp op);
  LogicalResult legalizeCompute(TileComputeInterface op);
  /// Writes `op` with others; null after an error.
  Value rewrite(TileComputeInterface op);
  Value rewriteThroughFloat(TileComputeInterface op);
  Value rewriteDivByScalar(TileDivOp op);
  Value rewriteAbs(TileAbsOp op);
  bool canCompute(StringRef mnemonic, Type element, bool scalar);

  /// A tile operation where `op` stands, legalized in turn by the caller.
  template <typename Op, typename... Args> Value make(Operation *op, Type type, Args... args) {
    auto made = Op::create(builder, op->getLoc(), type, args..., Value());
    return made->getResult(0);
  }
  Value makeCast(Operation *op, Value source, Type element, RoundMode mode);
  Value widen(Operation *op, Value source);
  Value constant(Operation *op, Type type, double value);

  const TargetInfo &target;
  OpBuilder builder;
  DenseMap<std::pair<Value, Block *>, Value> widened;
};
} // namespace

static bool hasScalar(TileComputeInterface op) {
  return llvm::any_of(op.getSources(), [](Value v) { return !isa<TileType>(v.getType()); });
}

Value Legalizer::constant(Operation *op, Type type, double value) {
  TypedAttr attribute = isa<FloatType>(type)
                            ? TypedAttr(builder.getFloatAttr(type, value))
                            : TypedAttr(builder.getIntegerAttr(type, static_cast<int64_t>(value)));
  return arith::ConstantOp::create(builder, op->getLoc(), attribute);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value Legalizer::makeCast(Operation *op, Value source, Type element, RoundMode mode) {
  Type type = cast<TileType>(source.getType()).withElementType(element);
  return TileCastOp::create(builder, op->getLoc(), type, source, Value(), mode)->getResult(0);
}

/// A conversion that loses nothing takes no rounding; each other step of a chain
/// takes the author's. Two roundings in a row can differ from one only on the way
/// from INT32 to BF16, above 2^24.
LogicalResult Legalizer::legalizeCast(TileCastOp op) {
  Type from = getElementTypeOf(op.getSource().getType());
  Type to = getElementTypeOf(op.getResult().getType());
  SmallVector<Type> chain = target.getCastChain(from, to);
  auto unsupported = [&]() -> InFlightDiagnostic {
    return emitUserError(op) << target.name << " has no conversion from " << dtypeWord(from)
                             << " to " << dtypeWord(to);
  };
  if (chain.size() < 2)
    return unsupported();
  SmallVector<RoundMode> modes;
  for (auto [a, b] : llvm::zip(chain, ArrayRef<Type>(chain).drop_front())) {
    RoundMode mode = target.hasCast(a, b, RoundMode::None) ? RoundMode::None : op.getRound();
    if (mode == RoundMode::None && !target.hasCast(a, b, mode))
      return emitUserError(op) << "mode 'none' is for conversions that lose nothing; "
                               << dtypeWord(a) << " to " << dtypeWord(b)
                               << " rounds: use 'rint' or 'round'";
    if (!target.hasCast(a, b, mode))
      return unsupported() << " with rounding '" << stringifyRoundMode(mode) << "'";
    modes.push_back(mode);
  }
  if (chain.size() == 2) {
    op.setRound(modes.front());
    return success();
  }
  builder.setInsertionPoint(op);
  Value value = op.getSource();
  for (auto [index, mode] : llvm::enumerate(modes))
    value = makeCast(op, value, chain[index + 1], mode);
  op.getResult().replaceAllUsesWith(value);
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Vector operations
//===----------------------------------------------------------------------===//

/// Whether the chip computes it by one instruction, or by those that `rewrite` writes.
bool Legalizer::canCompute(StringRef mnemonic, Type element, bool scalar) {
  if (target.hasVectorOp(mnemonic, element, scalar))
    return true;
  if (mnemonic == "neg")
    return target.hasVectorOp("mul", element, true);
  if (mnemonic == "abs")
    return target.hasVectorOp("mul", element, true) &&
           target.hasVectorOp("minimum", element, false);
  if (mnemonic == "sub" && scalar)
    return target.hasVectorOp("add", element, true);
  if (mnemonic == "div" && scalar)
    return target.hasVectorOp("div", element, false);
  return false;
}

/// The tile in FP32, converted once in a block. What is given has been legalized
/// before and stays.
Value Legalizer::widen(Operation *op, Value source) {
  Value &wide = widened[{source, op->getBlock()}];
  if (!wide)
    wide = makeCast(op, source, builder.getF32Type(), RoundMode::None);
  return wide;
}

/// FP16 and BF16 are defined to compute in FP32 and to round once.
Value Legalizer::rewriteThroughFloat(TileComputeInterface op) {
  Type wide = builder.getF32Type();
  SmallVector<Value> sources;
  for (Value source : op.getSources())
    sources.push_back(isa<TileType>(source.getType())
                          ? widen(op, source)
                          : builder.createOrFold<arith::ExtFOp>(op.getLoc(), wide, source));
  auto result = cast<TileType>(op->getResult(0).getType());
  OperationState state(op.getLoc(), op->getName().getStringRef(), sources,
                       result.withElementType(wide), op->getAttrs());
  Operation *made = builder.create(state);
  Value narrow = makeCast(op, made->getResult(0), result.getElementType(), RoundMode::Rint);
  if (failed(legalize(made)))
    return {};
  return narrow;
}

/// A product with the reciprocal would round twice.
Value Legalizer::rewriteDivByScalar(TileDivOp op) {
  Type type = op.getLhs().getType();
  Value full = make<TileFullOp>(op, type, op.getRhs());
  return make<TileDivOp>(op, op->getResult(0).getType(), op.getLhs(), full);
}

/// max(x, -x), by minimum: -min(x, -x).
Value Legalizer::rewriteAbs(TileAbsOp op) {
  Type type = op->getResult(0).getType();
  Value minus = constant(op, getElementTypeOf(type), -1);
  Value negative = make<TileMulOp>(op, type, op.getSource(), minus);
  Value smaller = make<TileMinimumOp>(op, type, op.getSource(), negative);
  return make<TileMulOp>(op, type, smaller, minus);
}

Value Legalizer::rewrite(TileComputeInterface op) {
  Type type = op->getResult(0).getType();
  Type element = getElementTypeOf(op.getSources().front().getType());
  if (element.isBF16() && !canCompute(getMnemonic(op), element, hasScalar(op)))
    return rewriteThroughFloat(op);
  if (auto neg = dyn_cast<TileNegOp>(*op)) // exact, for -0 and NaN too
    return make<TileMulOp>(op, type, neg.getSource(), constant(op, element, -1));
  if (auto abs = dyn_cast<TileAbsOp>(*op))
    return rewriteAbs(abs);
  if (auto div = dyn_cast<TileDivOp>(*op))
    return rewriteDivByScalar(div);
  auto sub = dyn_cast<TileSubOp>(*op);
  if (!sub) {
    emitUserError(op) << "pto-legalize does not know how to write it for " << dtypeWord(element)
                      << " with what " << target.name << " has";
    return {};
  }
  Value scalar = sub.getRhs();
  Value negative = isa<FloatType>(scalar.getType())
                       ? builder.createOrFold<arith::NegFOp>(op.getLoc(), scalar)
                       : builder.createOrFold<arith::SubIOp>(
                             op.getLoc(), constant(op, scalar.getType(), 0), scalar);
  return make<TileAddOp>(op, type, sub.getLhs(), negative);
}

LogicalResult Legalizer::legalizeCompute(TileComputeInterface op) {
  Type element = getElementTypeOf(op.getSources().front().getType());
  bool scalar = hasScalar(op);
  StringRef mnemonic = getMnemonic(op);
  if (target.hasVectorOp(mnemonic, element, scalar))
    return success();
  bool wide = element.isBF16() && canCompute(mnemonic, Float32Type::get(op.getContext()), scalar);
  if (!wide && !canCompute(mnemonic, element, scalar)) {
    InFlightDiagnostic error = emitUserError(op);
    error << target.name << " has no " << operationWord(op) << " for " << dtypeWord(element);
    if (!element.isF32() && canCompute(mnemonic, Float32Type::get(op.getContext()), scalar))
      error << "; convert it to FP32 first, with pl.cast";
    return error;
  }
  builder.setInsertionPoint(op);
  Value made = rewrite(op);
  if (!made)
    return failure();
  op->getResult(0).replaceAllUsesWith(made);
  op->erase();
  return success();
}

LogicalResult Legalizer::legalize(Operation *op) {
  if (auto cast = dyn_cast<TileCastOp>(op))
    return legalizeCast(cast);
  auto compute = dyn_cast<TileComputeInterface>(op);
  // What the vector unit does not execute has its own rules.
  if (!compute || compute.getPipe() != Pipe::V || op->hasTrait<MovesBits>())
    return success();
  return legalizeCompute(compute);
}

void Legalize::runOnOperation() {
  const TargetInfo *target = pto::getTarget(getOperation());
  if (!target)
    return signalPassFailure();
  SmallVector<Operation *> operations;
  getOperation().walk([&](InstructionInterface op) {
    if (!op.isBufferForm())
      operations.push_back(op);
  });
  Legalizer legalizer(*target, &getContext());
  bool failedAny = false;
  for (Operation *op : operations)
    failedAny |= failed(legalizer.legalize(op));
  if (failedAny)
    signalPassFailure();
}
