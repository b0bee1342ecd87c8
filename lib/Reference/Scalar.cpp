//===- Scalar.cpp - arith and math on scalars --------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Translator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Rounding to a type
//===----------------------------------------------------------------------===//

/// The bits of an integer type; an index has 64.
static unsigned widthOf(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

/// `value` in `width` bits, kept sign-extended.
static int64_t wrap(int64_t value, unsigned width) {
  return width >= 64
             ? value
             : static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - width)) >> (64 - width);
}
static uint64_t asUnsigned(int64_t value, unsigned width) {
  return width >= 64 ? value : static_cast<uint64_t>(value) & ((uint64_t(1) << width) - 1);
}
/// Booleans are 0 and 1 here, other integers keep their sign.
static int64_t canonical(int64_t value, unsigned width) {
  return width == 1 ? (value & 1) : wrap(value, width);
}

static double roundFloat(double value, Type type) {
  std::optional<Elem> elem = getElem(type);
  if (!elem) // f64
    return value;
  char bytes[4];
  storeElement(*elem, value, bytes);
  return loadElement(*elem, bytes);
}

static Scalar ofInteger(int64_t value) {
  Scalar scalar;
  scalar.i = value;
  return scalar;
}
static Scalar ofFloat(double value) {
  Scalar scalar;
  scalar.f = value;
  return scalar;
}

//===----------------------------------------------------------------------===//
// Shapes of steps
//===----------------------------------------------------------------------===//

namespace {
struct ScalarTranslation {
  Translator &to;
  Operation *op;

  int32_t in(unsigned index) { return to.getScalar(op->getOperand(index)); }
  Type type() { return op->getResult(0).getType(); }

  template <typename Function> LogicalResult integers(Function function) {
    int32_t a = in(0), b = in(1);
    unsigned width = widthOf(type());
    return to.addScalar(op, [=](Frame &frame) {
      return ofInteger(canonical(function(frame.scalars[a].i, frame.scalars[b].i), width));
    });
  }
  /// On the operands as unsigned numbers.
  template <typename Function> LogicalResult naturals(Function function) {
    unsigned width = widthOf(type());
    return integers([=](int64_t a, int64_t b) {
      return static_cast<int64_t>(function(asUnsigned(a, width), asUnsigned(b, width)));
    });
  }
  /// A division; by zero it is an error, and the quotient that overflows wraps.
  template <typename Function> LogicalResult division(Function function) {
    int32_t a = in(0), b = in(1), dst = to.getScalar(op->getResult(0));
    unsigned width = widthOf(type());
    Operation *op = this->op;
    to.add(op, [=](Core &core) {
      std::vector<Scalar> &scalars = core.frame().scalars;
      if (scalars[b].i == 0) {
        CheckError(Check::Division, op, /*bare=*/true)
            << "division of " << scalars[a].i << " by zero";
        return Flow::Fail;
      }
      scalars[dst].i = canonical(function(scalars[a].i, scalars[b].i, width), width);
      return Flow::Next;
    });
    return success();
  }
  template <typename Function> LogicalResult floats(Function function) {
    int32_t a = in(0), b = in(1);
    Type type = this->type();
    return to.addScalar(op, [=](Frame &frame) {
      return ofFloat(roundFloat(function(frame.scalars[a].f, frame.scalars[b].f), type));
    });
  }
  template <typename Function> LogicalResult oneFloat(Function function) {
    int32_t a = in(0);
    Type type = this->type();
    return to.addScalar(
        op, [=](Frame &frame) { return ofFloat(roundFloat(function(frame.scalars[a].f), type)); });
  }
  template <typename Function> LogicalResult oneInteger(Function function) {
    int32_t a = in(0);
    unsigned width = widthOf(type());
    return to.addScalar(op, [=](Frame &frame) {
      return ofInteger(canonical(function(frame.scalars[a].i), width));
    });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// arith
//===----------------------------------------------------------------------===//

static int64_t divide(int64_t a, int64_t b) { return b == -1 ? int64_t(-uint64_t(a)) : a / b; }
static int64_t remainder(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }

static std::optional<LogicalResult> addDivision(ScalarTranslation &t) {
  auto sameSign = [](int64_t a, int64_t b) { return (a < 0) == (b < 0); };
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(t.op)
      .Case<arith::DivSIOp>([&](auto) {
        return t.division([](int64_t a, int64_t b, unsigned) { return divide(a, b); });
      })
      .Case<arith::RemSIOp>([&](auto) {
        return t.division([](int64_t a, int64_t b, unsigned) { return remainder(a, b); });
      })
      .Case<arith::FloorDivSIOp>([&](auto) {
        return t.division([=](int64_t a, int64_t b, unsigned) {
          return divide(a, b) - (remainder(a, b) != 0 && !sameSign(a, b));
        });
      })
      .Case<arith::CeilDivSIOp>([&](auto) {
        return t.division([=](int64_t a, int64_t b, unsigned) {
          return divide(a, b) + (remainder(a, b) != 0 && sameSign(a, b));
        });
      })
      .Case<arith::DivUIOp>([&](auto) {
        return t.division([](int64_t a, int64_t b, unsigned w) {
          return static_cast<int64_t>(asUnsigned(a, w) / asUnsigned(b, w));
        });
      })
      .Case<arith::RemUIOp>([&](auto) {
        return t.division([](int64_t a, int64_t b, unsigned w) {
          return static_cast<int64_t>(asUnsigned(a, w) % asUnsigned(b, w));
        });
      })
      .Case<arith::CeilDivUIOp>([&](auto) {
        return t.division([](int64_t a, int64_t b, unsigned w) {
          uint64_t x = asUnsigned(a, w), y = asUnsigned(b, w);
          return static_cast<int64_t>(x / y + (x % y != 0));
        });
      })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<LogicalResult> addIntegers(ScalarTranslation &t) {
  using U = uint64_t;
  unsigned width =
      t.op->getNumResults() == 1 && isa<IntegerType, IndexType>(t.type()) ? widthOf(t.type()) : 64;
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(t.op)
      .Case<arith::AddIOp>([&](auto) {
        return t.integers([](int64_t a, int64_t b) { return int64_t(U(a) + U(b)); });
      })
      .Case<arith::SubIOp>([&](auto) {
        return t.integers([](int64_t a, int64_t b) { return int64_t(U(a) - U(b)); });
      })
      .Case<arith::MulIOp>([&](auto) {
        return t.integers([](int64_t a, int64_t b) { return int64_t(U(a) * U(b)); });
      })
      .Case<arith::AndIOp>(
          [&](auto) { return t.integers([](int64_t a, int64_t b) { return a & b; }); })
      .Case<arith::OrIOp>(
          [&](auto) { return t.integers([](int64_t a, int64_t b) { return a | b; }); })
      .Case<arith::XOrIOp>(
          [&](auto) { return t.integers([](int64_t a, int64_t b) { return a ^ b; }); })
      .Case<arith::MaxSIOp>(
          [&](auto) { return t.integers([](int64_t a, int64_t b) { return std::max(a, b); }); })
      .Case<arith::MinSIOp>(
          [&](auto) { return t.integers([](int64_t a, int64_t b) { return std::min(a, b); }); })
      .Case<arith::MaxUIOp>(
          [&](auto) { return t.naturals([](U a, U b) { return std::max(a, b); }); })
      .Case<arith::MinUIOp>(
          [&](auto) { return t.naturals([](U a, U b) { return std::min(a, b); }); })
      // A shift by the width or more has no value of its own: 0, or the sign.
      .Case<arith::ShLIOp>(
          [&](auto) { return t.naturals([=](U a, U b) { return b < width ? a << b : U(0); }); })
      .Case<arith::ShRUIOp>(
          [&](auto) { return t.naturals([=](U a, U b) { return b < width ? a >> b : U(0); }); })
      .Case<arith::ShRSIOp>([&](auto) {
        return t.integers(
            [=](int64_t a, int64_t b) { return a >> std::min<U>(asUnsigned(b, width), 63); });
      })
      .Default([](Operation *) { return std::nullopt; });
}

static double minimumNumber(double a, double b) { return a != a ? a : b != b ? b : std::min(a, b); }
static double maximumNumber(double a, double b) { return a != a ? a : b != b ? b : std::max(a, b); }

static std::optional<LogicalResult> addFloats(ScalarTranslation &t) {
  using D = double;
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(t.op)
      .Case<arith::AddFOp>([&](auto) { return t.floats([](D a, D b) { return a + b; }); })
      .Case<arith::SubFOp>([&](auto) { return t.floats([](D a, D b) { return a - b; }); })
      .Case<arith::MulFOp>([&](auto) { return t.floats([](D a, D b) { return a * b; }); })
      .Case<arith::DivFOp>([&](auto) { return t.floats([](D a, D b) { return a / b; }); })
      .Case<arith::RemFOp>([&](auto) { return t.floats([](D a, D b) { return std::fmod(a, b); }); })
      .Case<arith::MaximumFOp>([&](auto) { return t.floats(maximumNumber); })
      .Case<arith::MinimumFOp>([&](auto) { return t.floats(minimumNumber); })
      .Case<arith::MaxNumFOp>(
          [&](auto) { return t.floats([](D a, D b) { return std::fmax(a, b); }); })
      .Case<arith::MinNumFOp>(
          [&](auto) { return t.floats([](D a, D b) { return std::fmin(a, b); }); })
      .Case<arith::NegFOp>([&](auto) { return t.oneFloat([](D a) { return -a; }); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return t.oneFloat([](D a) { return a; }); })
      .Default([](Operation *) { return std::nullopt; });
}

static bool compareIntegers(arith::CmpIPredicate predicate, int64_t a, int64_t b, unsigned width) {
  uint64_t x = asUnsigned(a, width), y = asUnsigned(b, width);
  a = wrap(a, width), b = wrap(b, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return x < y;
  case arith::CmpIPredicate::ule:
    return x <= y;
  case arith::CmpIPredicate::ugt:
    return x > y;
  case arith::CmpIPredicate::uge:
    return x >= y;
  }
  return false;
}

/// A predicate is a set of the outcomes equal (1), greater (2), less (4) and
/// unordered (8); an ordered one has that set as its number.
static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  unsigned outcome = a != a || b != b ? 8 : a == b ? 1 : a > b ? 2 : 4;
  auto number = static_cast<unsigned>(predicate);
  if (predicate == arith::CmpFPredicate::UNO || predicate == arith::CmpFPredicate::AlwaysTrue)
    return predicate == arith::CmpFPredicate::AlwaysTrue || outcome == 8;
  unsigned set = number < 8 ? number : (number - 7) | 8;
  return set & outcome;
}

static LogicalResult addConversionToInteger(ScalarTranslation &t, bool isSigned) {
  int32_t a = t.in(0);
  unsigned width = widthOf(t.type());
  return t.to.addScalar(t.op, [=](Frame &frame) {
    double value = std::trunc(frame.scalars[a].f);
    if (value != value)
      return ofInteger(0);
    double low = isSigned ? -std::ldexp(1.0, width - 1) : 0;
    double high = std::ldexp(1.0, isSigned ? width - 1 : width);
    if (value >= high)
      return ofInteger(canonical(isSigned ? int64_t((uint64_t(1) << (width - 1)) - 1) : -1, width));
    value = std::max(value, low);
    return ofInteger(canonical(isSigned ? int64_t(value) : int64_t(uint64_t(value)), width));
  });
}

static std::optional<LogicalResult> addConversions(ScalarTranslation &t) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(t.op)
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto op) {
        unsigned width = widthOf(op.getIn().getType());
        return t.oneInteger([=](int64_t a) { return int64_t(asUnsigned(a, width)); });
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>([&](auto op) {
        unsigned width = widthOf(op.getIn().getType());
        return t.oneInteger([=](int64_t a) { return wrap(a, width); });
      })
      .Case<arith::SIToFPOp>([&](auto op) {
        int32_t a = t.in(0);
        unsigned width = widthOf(op.getIn().getType());
        Type type = t.type();
        return t.to.addScalar(op, [=](Frame &frame) {
          return ofFloat(roundFloat(double(wrap(frame.scalars[a].i, width)), type));
        });
      })
      .Case<arith::UIToFPOp>([&](auto op) {
        int32_t a = t.in(0);
        unsigned width = widthOf(op.getIn().getType());
        Type type = t.type();
        return t.to.addScalar(op, [=](Frame &frame) {
          return ofFloat(roundFloat(double(asUnsigned(frame.scalars[a].i, width)), type));
        });
      })
      .Case<arith::FPToSIOp>([&](auto) { return addConversionToInteger(t, true); })
      .Case<arith::FPToUIOp>([&](auto) { return addConversionToInteger(t, false); })
      .Default([](Operation *) { return std::nullopt; });
}

static LogicalResult addConstant(Translator &to, arith::ConstantOp op) {
  Scalar value;
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    value = ofInteger(op.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                                : integer.getValue().getSExtValue());
  else if (auto real = dyn_cast<FloatAttr>(op.getValue()))
    value = ofFloat(real.getValueAsDouble());
  else
    return op.emitError() << "a constant of type " << op.getType()
                          << " does not run on the reference model";
  return to.addScalar(op, [value](Frame &) { return value; });
}

static LogicalResult addSelect(Translator &to, arith::SelectOp op) {
  int32_t condition = to.getScalar(op.getCondition());
  Slot yes = to.getSlot(op.getTrueValue()), no = to.getSlot(op.getFalseValue());
  Slot dst = to.getSlot(op.getResult());
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    frame.copy(frame.scalars[condition].i ? yes : no, dst);
    return Flow::Next;
  });
  return success();
}

std::optional<LogicalResult> Translator::addArithmetic(Operation *op) {
  if (!isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
    return std::nullopt;
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return addSelect(*this, select);
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!isa<IntegerType, IndexType, FloatType>(type))
      return std::nullopt;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return addConstant(*this, constant);
  ScalarTranslation t{*this, op};
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    int32_t a = t.in(0), b = t.in(1);
    unsigned width = widthOf(compare.getLhs().getType());
    return addScalar(op, [=, predicate = compare.getPredicate()](Frame &frame) {
      return ofInteger(compareIntegers(predicate, frame.scalars[a].i, frame.scalars[b].i, width));
    });
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    int32_t a = t.in(0), b = t.in(1);
    return addScalar(op, [=, predicate = compare.getPredicate()](Frame &frame) {
      return ofInteger(compareFloats(predicate, frame.scalars[a].f, frame.scalars[b].f));
    });
  }
  for (auto family : {addIntegers, addDivision, addFloats, addConversions})
    if (std::optional<LogicalResult> result = family(t))
      return result;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// math
//===----------------------------------------------------------------------===//

std::optional<LogicalResult> Translator::addMath(Operation *op) {
  if (!isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return std::nullopt;
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!isa<IntegerType, IndexType, FloatType>(type))
      return std::nullopt;
  using D = double;
  ScalarTranslation t{*this, op};
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case<math::ExpOp>([&](auto) { return t.oneFloat([](D a) { return std::exp(a); }); })
      .Case<math::Exp2Op>([&](auto) { return t.oneFloat([](D a) { return std::exp2(a); }); })
      .Case<math::LogOp>([&](auto) { return t.oneFloat([](D a) { return std::log(a); }); })
      .Case<math::Log2Op>([&](auto) { return t.oneFloat([](D a) { return std::log2(a); }); })
      .Case<math::SqrtOp>([&](auto) { return t.oneFloat([](D a) { return std::sqrt(a); }); })
      .Case<math::RsqrtOp>([&](auto) { return t.oneFloat([](D a) { return 1 / std::sqrt(a); }); })
      .Case<math::AbsFOp>([&](auto) { return t.oneFloat([](D a) { return std::fabs(a); }); })
      .Case<math::FloorOp>([&](auto) { return t.oneFloat([](D a) { return std::floor(a); }); })
      .Case<math::CeilOp>([&](auto) { return t.oneFloat([](D a) { return std::ceil(a); }); })
      .Case<math::TanhOp>([&](auto) { return t.oneFloat([](D a) { return std::tanh(a); }); })
      .Case<math::SinOp>([&](auto) { return t.oneFloat([](D a) { return std::sin(a); }); })
      .Case<math::CosOp>([&](auto) { return t.oneFloat([](D a) { return std::cos(a); }); })
      .Case<math::PowFOp>([&](auto) { return t.floats([](D a, D b) { return std::pow(a, b); }); })
      .Case<math::AbsIOp>([&](auto) {
        return t.oneInteger([](int64_t a) { return a < 0 ? int64_t(-uint64_t(a)) : a; });
      })
      .Default([](Operation *) { return std::nullopt; });
}
