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
#include "Tile/CastAttributes.h"
#include "Tile/TileOps.h"
#include "Transforms/LegalizeBuffers.h"
#include "Transforms/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

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

class Legalizer : private OpBuilder::Listener {
public:
  Legalizer(const TargetInfo &target, MLIRContext *context)
      : target(target), builder(context, this) {}
  LogicalResult legalize(Operation *op);
  /// Whether the chip has it as it is.
  bool isInstruction(TileComputeInterface op) const;

  /// Whether some window has an odd number of bytes, which an instruction on pairs of bytes
  /// would exceed.
  bool oddBytes = false;

private:
  /// Writes an operation with others; null after an error.
  using Rewrite = Value (Legalizer::*)(TileComputeInterface op);
  struct Rule;
  static const Rule rules[];

  LogicalResult legalizeCast(TileCastOp op);
  LogicalResult legalizeCompute(TileComputeInterface op);
  const Rule *findRule(TileComputeInterface op, Type element, bool scalar) const;
  /// Whether it can be on elements of this type.
  bool canCompute(TileComputeInterface op, Type element, bool scalar) const;

  Value throughFloat(TileComputeInterface op);
  Value throughShort(TileComputeInterface op);
  Value throughHalf(TileComputeInterface op);
  Value itself(TileComputeInterface op) { return op.getSources()[0]; }
  Value negate(TileComputeInterface op);
  Value expOfDifference(TileComputeInterface op);
  Value absolute(TileComputeInterface op);
  Value subtractScalar(TileComputeInterface op);
  Value fillScalar(TileComputeInterface op);
  Value divideByFloat(TileComputeInterface op);
  Value unsignedExtreme(TileComputeInterface op);
  Value reluByMaximum(TileComputeInterface op);
  Value prelu(TileComputeInterface op);
  Value floatRest(TileComputeInterface op);
  Value integerRest(TileComputeInterface op);
  Value exclusiveOr(TileComputeInterface op);
  Value shiftByTile(TileComputeInterface op);
  Value compareByEqual(TileComputeInterface op);
  Value compareUnsigned(TileComputeInterface op);
  Value sine(TileComputeInterface op);

  /// What follows is made in front of `op`, and where it stands in the source.
  void at(Operation *op) {
    builder.setInsertionPoint(op);
    location = op->getLoc();
  }
  /// A tile operation of this name; the first source's type if `type` is null.
  Value make(StringRef mnemonic, ValueRange sources, Type type = {},
             ArrayRef<NamedAttribute> attributes = {});
  Value convert(Value source, Type element, RoundMode mode = RoundMode::Rint);
  Value bitcast(Value source, Type element);
  Value compare(Value lhs, Value rhs, Compare mode);
  Value constant(Type element, double value);
  Value fill(Value like, Value scalar);
  Value widen(Operation *op, Value source, Type element);
  Value widenScalar(Value scalar, Type from, Type to);
  Value narrow(Value value, Type element, bool wraps);
  Value flipSign(Value source);
  Type intType(unsigned width, bool isUnsigned = false) {
    return IntegerType::get(builder.getContext(), width,
                            isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  }

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (isa<TileComputeInterface>(op))
      made.push_back(op);
  }

  const TargetInfo &target;
  OpBuilder builder;
  Location location = UnknownLoc::get(builder.getContext());
  SmallVector<Operation *> made; // by the rewrite at hand
  DenseMap<std::tuple<Value, Block *, Type>, Value> widened;
};
} // namespace

static bool hasScalar(TileComputeInterface op) {
  return llvm::any_of(op.getSources(), [](Value v) { return !isa<TileType>(v.getType()); });
}
static bool isTile(Value value) { return isa<TileType>(value.getType()); }
static Type elementOf(Value value) { return getElementTypeOf(value.getType()); }
static bool isUnsigned(Type element) { return element.isUnsignedInteger(); }

/// The element type that decides which instruction it is.
static Type getElement(TileComputeInterface op) {
  if (auto select = dyn_cast<TileSelOp>(op.getOperation()))
    return elementOf(select.getLhs());
  if (isa<TileFullOp>(op.getOperation()))
    return getElementTypeOf(op.getResultOrDstType());
  return elementOf(op.getSources().front());
}

//===----------------------------------------------------------------------===//
// What rewrites are made of
//===----------------------------------------------------------------------===//

Value Legalizer::make(StringRef mnemonic, ValueRange sources, Type type,
                      ArrayRef<NamedAttribute> attributes) {
  OperationState state(location, ("pto.tile." + mnemonic).str(), sources,
                       type ? type : sources.front().getType(), attributes);
  return builder.create(state)->getResult(0);
}

Value Legalizer::convert(Value source, Type element, RoundMode mode) {
  Type type = cast<TileType>(source.getType()).withElementType(element);
  auto made = TileCastOp::create(builder, location, type, source, Value(), mode);
  if (type == source.getType())
    made->setAttr(attr::kWhole, builder.getUnitAttr());
  return made->getResult(0);
}

Value Legalizer::bitcast(Value source, Type element) {
  auto type = cast<TileType>(source.getType());
  return type.getElementType() == element ? source
                                          : make("bitcast", source, type.withElementType(element));
}

Value Legalizer::compare(Value lhs, Value rhs, Compare mode) {
  auto type = cast<TileType>(lhs.getType());
  int64_t cols = llvm::alignTo(llvm::divideCeil(type.getCols(), 8), 32);
  TileType made = type.withShape({type.getRows(), cols}).withElementType(intType(8, true));
  return make("cmp", {lhs, rhs}, made,
              builder.getNamedAttr("mode", CompareAttr::get(builder.getContext(), mode)));
}

/// A scalar beside elements of this type.
Value Legalizer::constant(Type element, double value) {
  Type type = getScalarType(element);
  TypedAttr attribute = isa<FloatType>(type)
                            ? TypedAttr(builder.getFloatAttr(type, value))
                            : TypedAttr(builder.getIntegerAttr(type, static_cast<int64_t>(value)));
  return arith::ConstantOp::create(builder, location, attribute);
}

Value Legalizer::fill(Value like, Value scalar) {
  auto type = cast<TileType>(like.getType());
  return TileFullOp::create(builder, location, type, scalar, Value())->getResult(0);
}

/// The tile in another element type that holds it, converted once in a block. What is given
/// has been legalized before and stays.
Value Legalizer::widen(Operation *op, Value source, Type element) {
  Value &wide = widened[{source, op->getBlock(), element}];
  if (!wide)
    wide = convert(source, element);
  return wide;
}

/// The scalar beside elements of `from`, beside elements of `to`.
Value Legalizer::widenScalar(Value scalar, Type from, Type to) {
  Type type = getScalarType(to);
  if (isa<FloatType>(from))
    return builder.createOrFold<arith::ExtFOp>(location, type, scalar);
  if (isa<FloatType>(to))
    return isUnsigned(from) ? builder.createOrFold<arith::UIToFPOp>(location, type, scalar)
                            : builder.createOrFold<arith::SIToFPOp>(location, type, scalar);
  return isUnsigned(from) ? builder.createOrFold<arith::ExtUIOp>(location, type, scalar)
                          : builder.createOrFold<arith::ExtSIOp>(location, type, scalar);
}

/// From integers to those of half the width: `wraps` drops the upper half, which a conversion
/// would cut to the range.
Value Legalizer::narrow(Value value, Type element, bool wraps) {
  Type wide = elementOf(value);
  unsigned width = wide.getIntOrFloatBitWidth(), half = element.getIntOrFloatBitWidth();
  if (wraps) {
    Type plain = intType(width, true);
    Value upper = make("shl", {bitcast(value, plain), constant(plain, width - half)});
    Type kept = intType(width, isUnsigned(element));
    value = make("shr", {bitcast(upper, kept), constant(kept, width - half)});
    value = bitcast(value, wide);
  }
  return convert(value, element);
}

/// Unsigned numbers as signed ones of the same order.
Value Legalizer::flipSign(Value source) {
  Type element = elementOf(source);
  unsigned width = element.getIntOrFloatBitWidth();
  Value moved = make("add", {source, constant(element, -std::ldexp(1.0, width - 1))});
  return bitcast(moved, intType(width));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// A conversion that loses nothing takes no rounding; each other step of a chain
/// takes the author's. Two roundings in a row can differ from one only on the way
/// from INT32 to BF16, above 2^24.
LogicalResult Legalizer::legalizeCast(TileCastOp op) {
  Type from = getElementTypeOf(op.getSource().getType());
  Type to = getElementTypeOf(op.getResult().getType());
  if (target.hasInstruction(cast<TileComputeInterface>(op.getOperation())))
    return success();
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
  at(op);
  Value value = op.getSource();
  for (auto [index, mode] : llvm::enumerate(modes))
    value = convert(value, chain[index + 1], mode);
  for (auto &entry : widened)
    if (entry.second == op.getResult())
      entry.second = value;
  op.getResult().replaceAllUsesWith(value);
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// By other element types
//===----------------------------------------------------------------------===//

/// FP16 and BF16 are defined to compute in FP32 and to round once.
Value Legalizer::throughFloat(TileComputeInterface op) {
  Type wide = builder.getF32Type(), narrow = getElement(op);
  SmallVector<Value> sources;
  for (Value source : op.getSources())
    sources.push_back(isTile(source) ? widen(op, source, wide) : widenScalar(source, narrow, wide));
  auto type = cast<TileType>(op->getResult(0).getType());
  if (isa<TileCmpOp>(op.getOperation()))
    return make("cmp", sources, type, op->getAttrs());
  Value made = make(getMnemonic(op), sources, type.withElementType(wide), op->getAttrs());
  return convert(made, narrow);
}

/// 8-bit integers in 16 bits.
Value Legalizer::throughShort(TileComputeInterface op) {
  Type element = getElement(op);
  bool native = isUnsigned(element) && target.hasCast(element, intType(16, true), RoundMode::None);
  Type wide = intType(16, native);
  SmallVector<Value> sources;
  for (Value source : op.getSources())
    sources.push_back(isTile(source) ? widen(op, source, wide)
                                     : widenScalar(source, element, wide));
  auto type = cast<TileType>(op->getResult(0).getType());
  StringRef name = getMnemonic(op);
  Value made = make(name, sources, type.withElementType(wide), op->getAttrs());
  bool stays = name == "minimum" || name == "maximum" || name == "relu" || name == "shr" ||
               name == "rem" || name == "fmod" || name == "row_max" || name == "row_min";
  return narrow(made, element, !stays);
}

/// 8-bit integers are chosen from as FP16, which holds them.
Value Legalizer::throughHalf(TileComputeInterface op) {
  auto select = cast<TileSelOp>(op.getOperation());
  Type wide = builder.getF16Type();
  Value lhs = widen(op, select.getLhs(), wide), rhs = widen(op, select.getRhs(), wide);
  return convert(make("sel", {select.getMask(), lhs, rhs}, lhs.getType()), getElement(op));
}

/// Integers of up to 16 bits are exact in FP32, and so is the integer next to their quotient.
Value Legalizer::divideByFloat(TileComputeInterface op) {
  Type element = getElement(op), wide = builder.getF32Type();
  SmallVector<Value> sources;
  for (Value source : op.getSources())
    sources.push_back(isTile(source) ? widen(op, source, wide)
                                     : widenScalar(source, element, wide));
  Value made = make(getMnemonic(op), sources);
  if (!isa<TileDivOp>(op.getOperation()))
    return convert(made, element);
  // The one quotient that does not fit wraps.
  return narrow(convert(made, intType(32), RoundMode::Trunc), element, /*wraps=*/true);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Exact, for -0 and NaN too.
/// exp(x - v), the difference rounded.
Value Legalizer::expOfDifference(TileComputeInterface op) {
  StringRef expand = getMnemonic(op).starts_with("row") ? "row_expand_sub" : "col_expand_sub";
  return make("exp", make(expand, op.getSources()));
}

Value Legalizer::negate(TileComputeInterface op) {
  return make("mul", {op.getSources()[0], constant(getElement(op), -1)});
}

/// max(x, -x), by minimum: -min(x, -x).
Value Legalizer::absolute(TileComputeInterface op) {
  Value source = op.getSources()[0], minus = constant(getElement(op), -1);
  Value smaller = make("minimum", {source, make("mul", {source, minus})});
  return make("mul", {smaller, minus});
}

Value Legalizer::subtractScalar(TileComputeInterface op) {
  Value scalar = op.getSources()[1];
  Value negative =
      isa<FloatType>(scalar.getType())
          ? builder.createOrFold<arith::NegFOp>(location, scalar)
          : builder.createOrFold<arith::SubIOp>(location, constant(getElement(op), 0), scalar);
  return make("add", {op.getSources()[0], negative});
}

/// The scalar in every element. (A product with the reciprocal would round twice.)
Value Legalizer::fillScalar(TileComputeInterface op) {
  Value lhs = op.getSources()[0], full = fill(lhs, op.getSources()[1]);
  return make(getMnemonic(op), {lhs, full}, op->getResult(0).getType(), op->getAttrs());
}

Value Legalizer::unsignedExtreme(TileComputeInterface op) {
  Type element = getElement(op);
  Value made = make(getMnemonic(op), {flipSign(op.getSources()[0]), flipSign(op.getSources()[1])});
  double half = std::ldexp(1.0, element.getIntOrFloatBitWidth() - 1);
  return make("add", {bitcast(made, element), constant(element, -half)});
}

Value Legalizer::reluByMaximum(TileComputeInterface op) {
  return make("maximum", {op.getSources()[0], constant(getElement(op), 0)});
}

Value Legalizer::prelu(TileComputeInterface op) {
  Value x = op.getSources()[0];
  Value positive = compare(x, constant(getElement(op), 0), Compare::GE);
  return make("sel", {positive, x, make("mul", {x, op.getSources()[1]})}, x.getType());
}

/// a - trunc(a / b) * b, or with floor.
Value Legalizer::floatRest(TileComputeInterface op) {
  Value a = op.getSources()[0], b = op.getSources()[1];
  bool floors = isa<TileRemOp>(op.getOperation());
  Value whole = convert(make("div", {a, b}), builder.getF32Type(),
                        floors ? RoundMode::Floor : RoundMode::Trunc);
  return make("sub", {a, make("mul", {whole, b})});
}

/// The rest of the cut quotient; for `rem` plus b where it is not 0 and has another sign than b.
Value Legalizer::integerRest(TileComputeInterface op) {
  Value a = op.getSources()[0], b = op.getSources()[1];
  Type element = getElement(op);
  Value rest = make("sub", {a, make("mul", {make("div", {a, b}), b})});
  if (isUnsigned(element) || isa<TileFmodOp>(op.getOperation()))
    return rest;
  Value some = make("or", {rest, make("neg", {rest})});
  Value other = make("and", {make("xor", {rest, b}), some});
  Value all = make("shr", {other, constant(element, element.getIntOrFloatBitWidth() - 1)});
  return make("add", {rest, make("and", {b, all})});
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// (a | b) & ~(a & b)
Value Legalizer::exclusiveOr(TileComputeInterface op) {
  Value a = op.getSources()[0], b = op.getSources()[1];
  Value both = make("and", {a, b});
  return make("and", {make("or", {a, b}), make("not", {both})});
}

/// Bit k of the distance decides whether the elements move by 2^k: a mask of all its bits
/// takes over what has moved. A larger bit leaves what moving by the width leaves.
Value Legalizer::shiftByTile(TileComputeInterface op) {
  Value value = op.getSources()[0], by = op.getSources()[1];
  Type element = getElement(op);
  unsigned width = element.getIntOrFloatBitWidth();
  Type plain = intType(width, true), kept = intType(width);
  auto take = [&](Value chosen, Value moved) {
    Value change = make("and", {make("xor", {value, moved}), bitcast(chosen, element)});
    value = make("xor", {value, change});
  };
  unsigned steps = llvm::Log2_32(width);
  for (unsigned k = 0; k < steps; ++k) {
    Value top = make("shl", {bitcast(by, plain), constant(plain, width - 1 - k)});
    Value chosen = make("shr", {bitcast(top, kept), constant(kept, width - 1)});
    take(chosen, make(getMnemonic(op), {value, constant(element, 1 << k)}));
  }
  // All ones where a bit above is set: the rest r is positive, so -r has the sign.
  Value rest = bitcast(make("shr", {bitcast(by, plain), constant(plain, steps)}), kept);
  Value far = make("shr", {make("neg", {rest}), constant(kept, width - 1)});
  Value gone = make(getMnemonic(op), {value, constant(element, width - 1)});
  if (isUnsigned(element) || isa<TileShlOp>(op.getOperation()))
    gone = make(getMnemonic(op), {gone, constant(element, 1)});
  take(far, gone);
  return value;
}

//===----------------------------------------------------------------------===//
// Comparison, values, functions
//===----------------------------------------------------------------------===//

/// a <= b is min(a, b) == a, a >= b is max(a, b) == a, and others are the opposite.
Value Legalizer::compareByEqual(TileComputeInterface op) {
  auto compared = cast<TileCmpOp>(op.getOperation());
  Value a = compared.getLhs(), b = compared.getRhs();
  Compare mode = compared.getMode();
  Value made;
  if (mode == Compare::NE)
    made = compare(a, b, Compare::EQ);
  else if (mode == Compare::LE || mode == Compare::GT)
    made = compare(make("minimum", {a, b}), a, Compare::EQ);
  else
    made = compare(make("maximum", {a, b}), a, Compare::EQ);
  bool opposite = mode == Compare::NE || mode == Compare::LT || mode == Compare::GT;
  return opposite ? make("not", made) : made;
}

Value Legalizer::compareUnsigned(TileComputeInterface op) {
  auto compared = cast<TileCmpOp>(op.getOperation());
  return compare(flipSign(compared.getLhs()), flipSign(compared.getRhs()), compared.getMode());
}

/// x = k * pi + r (for the cosine (k - 1/2) * pi + r), with pi in four parts, so that the
/// product with the first ones is exact: +-sin(r), by a polynomial on [-pi / 2, pi / 2].
Value Legalizer::sine(TileComputeInterface op) {
  Value x = op.getSources()[0];
  Type f32 = builder.getF32Type();
  auto number = [&](double value) { return constant(f32, value); };
  bool isCosine = isa<TileCosOp>(op.getOperation());
  Value turns = make("mul", {x, number(1 / M_PI)});
  if (isCosine)
    turns = make("add", {turns, number(0.5)});
  Value k = convert(turns, f32, RoundMode::Rint);
  Value from = isCosine ? make("add", {k, number(-0.5)}) : k;
  Value r = x;
  for (double part : {3.140625, 9.67502593994140625e-4, 1.509957990978376432e-7, 5.126688e-12})
    r = make("sub", {r, make("mul", {from, number(part)})});
  Value square = make("mul", {r, r});
  Value sum = make("mul", {square, number(-2.3889859e-08)});
  for (double factor : {2.7525562e-06, -1.9840874e-04, 8.3333310e-03, -1.6666667e-01})
    sum = make("mul", {make("add", {sum, number(factor)}), square});
  Value made = make("add", {r, make("mul", {r, sum})});
  // 1 - 2 * (k - 2 * floor(k / 2)): the sign.
  Value half = convert(make("mul", {k, number(0.5)}), f32, RoundMode::Floor);
  Value odd = make("sub", {k, make("mul", {half, number(2)})});
  Value sign = make("add", {make("mul", {odd, number(-2)}), number(1)});
  return make("mul", {made, sign});
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
enum class Operands { Any, Tiles, Scalar };

// Whether a rule is for elements of this type, on this chip.
bool always(const TargetInfo &, Type) { return true; }
bool ofF32(const TargetInfo &, Type type) { return type.isF32(); }
bool ofFloat(const TargetInfo &, Type type) { return type.isF32() || type.isF16(); }
bool ofHalf(const TargetInfo &, Type type) { return type.isF16() || type.isBF16(); }
bool ofBrain(const TargetInfo &, Type type) { return type.isBF16(); }
bool ofByte(const TargetInfo &, Type type) { return type.isInteger(8); }
bool ofUnsigned(const TargetInfo &, Type type) { return type.isUnsignedInteger(); }
bool ofInteger(const TargetInfo &, Type type) { return isa<IntegerType>(type); }
/// INT8, UINT8, INT16: what FP32 holds and every chip converts.
bool ofShort(const TargetInfo &, Type type) {
  return type.isInteger(8) || type.isSignlessInteger(16);
}
/// UINT16 and UINT32, where the chip orders signed numbers only.
bool ofUnsignedWord(const TargetInfo &target, Type type) {
  return (type.isUnsignedInteger(16) || type.isUnsignedInteger(32)) &&
         !target.hasVectorOp("maximum", type, false);
}
bool ofInt32(const TargetInfo &, Type type) { return type.isSignlessInteger(32); }
/// INT8 and UINT8, where the chip divides INT16.
bool ofDividedByte(const TargetInfo &target, Type type) {
  return type.isInteger(8) &&
         target.hasVectorOp("div", IntegerType::get(type.getContext(), 16), false);
}
bool hasAddScalar(const TargetInfo &target, Type type) {
  return target.hasVectorOp("add", type, true);
}
bool hasAdd(const TargetInfo &target, Type type) { return target.hasVectorOp("add", type, false); }
bool hasDivision(const TargetInfo &target, Type type) {
  return target.hasVectorOp("div", type, false);
}
bool hasAnd(const TargetInfo &target, Type type) { return target.hasVectorOp("and", type, false); }
bool hasDiv(const TargetInfo &target, Type type) {
  return isa<IntegerType>(type) && target.hasVectorOp("div", type, false);
}
bool hasMul(const TargetInfo &target, Type type) { return target.hasVectorOp("mul", type, false); }
bool hasShift(const TargetInfo &target, Type type) { return target.hasVectorOp("shl", type, true); }
bool hasMaximum(const TargetInfo &target, Type type) {
  return target.hasVectorOp("maximum", type, true);
}
} // namespace

/// How an operation is written with others that the chip has.
struct Legalizer::Rule {
  StringRef mnemonic; // none: of every one that the chip has for the wider elements
  bool (*holds)(const TargetInfo &target, Type element);
  Operands operands;
  Rewrite rewrite;
};

// Where there is no instruction, the first that fits is taken.
const Legalizer::Rule Legalizer::rules[] = {
    {"row_expand_expdif", always, Operands::Any, &Legalizer::expOfDifference},
    {"col_expand_expdif", always, Operands::Any, &Legalizer::expOfDifference},
    {"sel", ofByte, Operands::Any, &Legalizer::throughHalf},
    {"cmp", ofBrain, Operands::Any, &Legalizer::throughFloat},
    {"cmp", ofShort, Operands::Any, &Legalizer::throughFloat},
    {"cmp", ofUnsignedWord, Operands::Scalar, &Legalizer::fillScalar},
    {"cmp", ofUnsignedWord, Operands::Tiles, &Legalizer::compareUnsigned},
    {"cmp", ofInt32, Operands::Scalar, &Legalizer::fillScalar},
    {"cmp", ofInt32, Operands::Tiles, &Legalizer::compareByEqual},
    {"and", hasAnd, Operands::Scalar, &Legalizer::fillScalar},
    {"or", hasAnd, Operands::Scalar, &Legalizer::fillScalar},
    {"xor", hasAnd, Operands::Scalar, &Legalizer::fillScalar},
    {"xor", hasAnd, Operands::Tiles, &Legalizer::exclusiveOr},
    {"abs", ofUnsigned, Operands::Any, &Legalizer::itself},
    {"relu", ofUnsigned, Operands::Any, &Legalizer::itself},
    {"div", ofDividedByte, Operands::Any, &Legalizer::throughShort},
    {"div", ofShort, Operands::Any, &Legalizer::divideByFloat},
    {"rem", ofDividedByte, Operands::Any, &Legalizer::throughShort},
    {"rem", hasDiv, Operands::Tiles, &Legalizer::integerRest},
    {"rem", hasDiv, Operands::Scalar, &Legalizer::fillScalar},
    {"rem", ofShort, Operands::Any, &Legalizer::divideByFloat},
    {"rem", ofF32, Operands::Tiles, &Legalizer::floatRest},
    {"rem", ofF32, Operands::Scalar, &Legalizer::fillScalar},
    {"rem", ofHalf, Operands::Any, &Legalizer::throughFloat},
    {"fmod", ofDividedByte, Operands::Any, &Legalizer::throughShort},
    {"fmod", hasDiv, Operands::Tiles, &Legalizer::integerRest},
    {"fmod", hasDiv, Operands::Scalar, &Legalizer::fillScalar},
    {"fmod", ofShort, Operands::Any, &Legalizer::divideByFloat},
    {"fmod", ofF32, Operands::Tiles, &Legalizer::floatRest},
    {"fmod", ofF32, Operands::Scalar, &Legalizer::fillScalar},
    {"fmod", ofHalf, Operands::Any, &Legalizer::throughFloat},
    {"sin", ofF32, Operands::Any, &Legalizer::sine},
    {"cos", ofF32, Operands::Any, &Legalizer::sine},
    {"prelu", ofFloat, Operands::Tiles, &Legalizer::prelu},
    {"minimum", ofUnsignedWord, Operands::Tiles, &Legalizer::unsignedExtreme},
    {"maximum", ofUnsignedWord, Operands::Tiles, &Legalizer::unsignedExtreme},
    {"abs", hasMul, Operands::Any, &Legalizer::absolute},
    {"neg", hasMul, Operands::Any, &Legalizer::negate},
    {"sub", hasAddScalar, Operands::Scalar, &Legalizer::subtractScalar},
    {"", ofBrain, Operands::Any, &Legalizer::throughFloat},
    {"relu", hasMaximum, Operands::Any, &Legalizer::reluByMaximum},
    {"", ofByte, Operands::Any, &Legalizer::throughShort},
    {"shl", hasShift, Operands::Tiles, &Legalizer::shiftByTile},
    {"shr", hasShift, Operands::Tiles, &Legalizer::shiftByTile},
    {"add", hasAdd, Operands::Scalar, &Legalizer::fillScalar},
    {"sub", hasAdd, Operands::Scalar, &Legalizer::fillScalar},
    {"mul", hasMul, Operands::Scalar, &Legalizer::fillScalar},
    {"div", hasDivision, Operands::Scalar, &Legalizer::fillScalar},
    {"minimum", always, Operands::Scalar, &Legalizer::fillScalar},
    {"maximum", always, Operands::Scalar, &Legalizer::fillScalar},
    {"prelu", ofFloat, Operands::Scalar, &Legalizer::fillScalar},
};

const Legalizer::Rule *Legalizer::findRule(TileComputeInterface op, Type element,
                                           bool scalar) const {
  for (const Rule &rule : rules) {
    if (rule.operands == (scalar ? Operands::Tiles : Operands::Scalar) ||
        !rule.holds(target, element))
      continue;
    if (rule.mnemonic == getMnemonic(op))
      return &rule;
    if (!rule.mnemonic.empty() ||
        isa<TileFullOp, TileSelOp, TileCmpOp, TileBitcastOp, TileMoveOp>(op.getOperation()))
      continue;
    Type wide = element.isBF16() ? Type(Float32Type::get(op.getContext()))
                                 : Type(IntegerType::get(op.getContext(), 16));
    if (canCompute(op, wide, scalar))
      return &rule;
  }
  return nullptr;
}

bool Legalizer::canCompute(TileComputeInterface op, Type element, bool scalar) const {
  return target.hasVectorOp(getMnemonic(op), element, scalar) || findRule(op, element, scalar);
}

bool Legalizer::isInstruction(TileComputeInterface op) const {
  if (!target.hasInstruction(op))
    return false;
  Type element = getElement(op);
  bool inPairs = element.isInteger(8) && !isa<TileBitcastOp>(op.getOperation()) &&
                 !target.getCallType(getMnemonic(op), element).isInteger(8);
  return !(oddBytes && inPairs);
}

LogicalResult Legalizer::legalizeCompute(TileComputeInterface op) {
  if (isInstruction(op))
    return success();
  Type element = getElement(op);
  bool scalar = hasScalar(op) && op.getSources().size() > 1;
  const Rule *rule = findRule(op, element, scalar);
  if (!rule) {
    InFlightDiagnostic error = emitUserError(op);
    error << target.name << " has no " << operationWord(op) << " for " << dtypeWord(element);
    if (!element.isF32() && canCompute(op, Float32Type::get(op.getContext()), scalar))
      error << "; convert it to FP32 first, with pl.cast";
    return error;
  }
  SmallVector<Operation *> outer;
  std::swap(outer, made);
  at(op);
  Value value = (this->*rule->rewrite)(op);
  std::swap(outer, made);
  if (!value)
    return failure();
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  for (Operation *inner : outer)
    if (failed(legalize(inner)))
      return failure();
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

/// Whether a window of bytes has rows, or a column, of perhaps an odd number of them.
static bool hasOddBytes(Value operand) {
  auto type = dyn_cast<BufType>(operand.getType());
  if (!type || !type.getElementType().isInteger(8))
    return false;
  int64_t run = type.getCols() == 1 && type.getRootCols() == 1 ? type.getRows() : type.getCols();
  return ShapedType::isDynamic(run) || run % 2 != 0;
}

void Legalize::runOnOperation() {
  const TargetInfo *target = pto::getTarget(getOperation());
  if (!target)
    return signalPassFailure();
  SmallVector<Operation *> operations;
  SmallVector<TileComputeInterface> onBuffers;
  getOperation().walk([&](InstructionInterface op) {
    auto compute = dyn_cast<TileComputeInterface>(op.getOperation());
    if (!op.isBufferForm())
      operations.push_back(op);
    else if (compute && compute.getPipe() == Pipe::V && !op->hasTrait<MovesBits>() &&
             !isa<TileMoveOp>(op.getOperation()))
      onBuffers.push_back(compute);
  });
  Legalizer legalizer(*target, &getContext());
  bool failedAny = false;
  for (TileComputeInterface op : onBuffers) {
    // Of its own: what it has widened is of this operation only.
    Legalizer single(*target, &getContext());
    single.oddBytes = llvm::any_of(op->getOperands(), hasOddBytes);
    bool stays =
        isa<TileCastOp>(op.getOperation()) ? target->hasInstruction(op) : single.isInstruction(op);
    if (!stays)
      failedAny |= failed(
          legalizeOnBuffers(op, *target, [&](Operation *value) { return single.legalize(value); }));
  }
  for (Operation *op : operations)
    failedAny |= failed(legalizer.legalize(op));
  if (failedAny)
    signalPassFailure();
}
