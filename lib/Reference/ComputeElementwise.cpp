//===- ComputeElementwise.cpp - Element by element ----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Compute.h"
#include "Reference/Instructions.h"
#include "Tile/TileOps.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

/// An error for element types that `op` has no meaning for; null, so that a maker returns it.
static Compute refuse(Operation *op, StringRef what) {
  emitUserError(op) << "takes " << what << ", found " << valueWord(op->getOperand(0))
                    << "; convert it with pl.cast";
  return {};
}

static bool isNumber(Value value) {
  return isa<IntegerType, FloatType, IndexType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <BinaryKind kind> static Compute makeBinary(Operation *op, ArrayRef<Elem> elems) {
  bool scalar = isNumber(op->getOperand(1));
  return [=](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    auto run = scalar ? binaryScalar : binary;
    if (run(kind, result.elem, sources[0].data, sources[1].data, result.data, result.getCount()))
      return std::nullopt;
    return ComputeError{Check::Division, "divides by zero"};
  };
}

/// Where only one source has an element it is copied.
template <BinaryKind kind> static Compute makePart(Operation *op, ArrayRef<Elem> elems) {
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    const Dense &lhs = sources[0], &rhs = sources[1];
    int64_t size = elemBytes(result.elem);
    for (int64_t r = 0; r < result.rows; ++r) {
      int64_t left = r < lhs.rows ? lhs.cols : 0, right = r < rhs.rows ? rhs.cols : 0;
      int64_t both = std::min(left, right), most = std::max(left, right);
      if (most < result.cols)
        return ComputeError{Check::ValidRegion,
                            "combines valid regions of which neither holds the other"};
      if (both)
        binary(kind, result.elem, lhs.row(r), rhs.row(r), result.row(r), both);
      const Dense &larger = left > right ? lhs : rhs;
      if (most > both)
        std::memmove(result.row(r) + both * size, larger.row(r) + both * size,
                     (most - both) * size);
    }
    return std::nullopt;
  };
}

template <UnaryKind kind> static Compute makeUnary(Operation *op, ArrayRef<Elem> elems) {
  if (!hasUnary(kind, elems[0]))
    return refuse(op, "FP16, BF16 or FP32");
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    unary(kind, result.elem, sources[0].data, result.data, result.getCount());
    return std::nullopt;
  };
}

/// A function of one number, computed in double and rounded once.
template <double (*function)(double)>
static Compute makeFunction(Operation *op, ArrayRef<Elem> elems) {
  if (isInteger(elems[0]))
    return refuse(op, "FP16, BF16 or FP32");
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    int64_t size = elemBytes(result.elem);
    for (int64_t i = 0, count = result.getCount(); i < count; ++i)
      storeElement(result.elem, function(loadElement(result.elem, sources[0].data + i * size)),
                   result.data + i * size);
    return std::nullopt;
  };
}

static double logOf(double x) { return std::log(x); }
static double recipOf(double x) { return 1.0 / x; }
static double sinOf(double x) { return std::sin(x); }
static double cosOf(double x) { return std::cos(x); }

/// Calls `function(a, b)` on FP32 values of each pair, and rounds what it gives once.
template <typename Function>
static void floats(ArrayRef<Dense> sources, Dense result, Function function) {
  int64_t size = elemBytes(result.elem), step = sources[1].getCount() == 1 ? 0 : size;
  for (int64_t i = 0, count = result.getCount(); i < count; ++i) {
    auto a = static_cast<float>(loadElement(result.elem, sources[0].data + i * size));
    auto b = static_cast<float>(loadElement(result.elem, sources[1].data + i * step));
    storeElement(result.elem, function(a, b), result.data + i * size);
  }
}

/// The same on integers of type T.
template <typename T, typename Function>
static ComputeResult integers(ArrayRef<Dense> sources, Dense result, Function function) {
  const T *a = sources[0].as<T>(), *b = sources[1].as<T>();
  int64_t step = sources[1].getCount() == 1 ? 0 : 1;
  for (int64_t i = 0, count = result.getCount(); i < count; ++i)
    if (ComputeResult wrong = function(a[i], b[i * step], result.as<T>()[i]))
      return wrong;
  return std::nullopt;
}

/// a - trunc(a / b) * b, or with floor, each step rounded to FP32: what the chips' sequence
/// gives. Integers are exact.
template <bool floors> static Compute makeRest(Operation *op, ArrayRef<Elem> elems) {
  if (!isInteger(elems[0]))
    return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
      floats(sources, result, [](float a, float b) {
        float quotient = a / b;
        float whole = floors ? std::floor(quotient) : std::trunc(quotient);
        volatile float product = whole * b; // rounded, not fused with the difference
        return a - product;
      });
      return std::nullopt;
    };
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    return withInteger(result.elem, [&](auto type) {
      using T = decltype(type);
      return integers<T>(sources, result, [](T a, T b, T &made) -> ComputeResult {
        if (b == 0)
          return ComputeError{Check::Division, "divides by zero"};
        made = std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
        if (floors && made != 0 && (made < 0) != (b < 0))
          made = T(made + b);
        return std::nullopt;
      });
    });
  };
}

/// x, or x times a slope where it is not positive.
static Compute makeLeaky(Operation *op, ArrayRef<Elem> elems) {
  if (isInteger(elems[0]))
    return refuse(op, "FP16, BF16 or FP32");
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    floats(sources, result, [](float a, float b) { return a >= 0 || a != a ? a : a * b; });
    return std::nullopt;
  };
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

enum class Bits { And, Or, Xor, Left, Right };

/// Shifted by more than the width, nothing is left.
template <typename T> static T shift(T a, uint64_t by, bool left) {
  constexpr uint64_t kWidth = 8 * sizeof(T);
  if (left)
    return by >= kWidth ? T(0) : T(uint64_t(a) << by);
  if (by >= kWidth)
    return a < 0 ? T(-1) : T(0);
  return T(a >> by);
}

template <typename T> static ComputeResult computeBits(Bits kind, T a, T b, T &made) {
  switch (kind) {
  case Bits::And:
    made = T(a & b);
    break;
  case Bits::Or:
    made = T(a | b);
    break;
  case Bits::Xor:
    made = T(a ^ b);
    break;
  case Bits::Left:
  case Bits::Right:
    if (std::is_signed_v<T> && b < 0)
      return ComputeError{Check::Division, "shifts by " + std::to_string(int64_t(b)) + " bits"};
    made = shift(a, uint64_t(b), kind == Bits::Left);
  }
  return std::nullopt;
}

template <Bits kind> static Compute makeBits(Operation *op, ArrayRef<Elem> elems) {
  if (!isInteger(elems[0]))
    return refuse(op, "integers");
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    return withInteger(result.elem, [&](auto type) {
      using T = decltype(type);
      return integers<T>(sources, result,
                         [](T a, T b, T &made) { return computeBits(kind, a, b, made); });
    });
  };
}

static Compute makeNot(Operation *op, ArrayRef<Elem> elems) {
  if (!isInteger(elems[0]))
    return refuse(op, "integers");
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    for (int64_t i = 0, bytes = result.getCount() * elemBytes(result.elem); i < bytes; ++i)
      result.data[i] = static_cast<char>(~sources[0].data[i]);
    return std::nullopt;
  };
}

static Compute makeBitcast(Operation *op, ArrayRef<Elem> elems) {
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    std::memmove(result.data, sources[0].data, result.getCount() * elemBytes(result.elem));
    return std::nullopt;
  };
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

static bool compareAt(Compare mode, Elem elem, const char *a, const char *b) {
  if (!isInteger(elem))
    return holds(mode, loadElement(elem, a), loadElement(elem, b));
  return withInteger(elem, [&](auto type) {
    decltype(type) x, y;
    std::memcpy(&x, a, sizeof(x));
    std::memcpy(&y, b, sizeof(y));
    return holds(mode, x, y);
  });
}

/// Tiles make a mask of bits, each row in bytes of its own; arrays 1 and 0.
static Compute makeCompare(Operation *op, ArrayRef<Elem> elems) {
  Compare mode = op->getAttrOfType<CompareAttr>("mode").getValue();
  bool bits = isa<TileCmpOp>(op), scalar = isNumber(op->getOperand(1));
  return [=](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    const Dense &lhs = sources[0];
    Elem elem = lhs.elem;
    int64_t size = elemBytes(elem), made = elemBytes(result.elem);
    if (bits)
      std::memset(result.data, 0, result.getCount());
    for (int64_t r = 0; r < lhs.rows; ++r)
      for (int64_t c = 0; c < lhs.cols; ++c) {
        const char *other = scalar ? sources[1].data : sources[1].row(r) + c * size;
        bool holds = compareAt(mode, elem, lhs.row(r) + c * size, other);
        if (bits)
          result.row(r)[c / 8] |= static_cast<char>(holds << (c % 8));
        else
          storeElement(result.elem, holds, result.row(r) + c * made);
      }
    return std::nullopt;
  };
}

static Compute makeSelect(Operation *op, ArrayRef<Elem> elems) {
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    int64_t size = elemBytes(result.elem);
    for (int64_t r = 0; r < result.rows; ++r)
      for (int64_t c = 0; c < result.cols; ++c) {
        bool first = sources[0].row(r)[c / 8] >> (c % 8) & 1;
        std::memcpy(result.row(r) + c * size, sources[first ? 1 : 2].row(r) + c * size, size);
      }
    return std::nullopt;
  };
}

//===----------------------------------------------------------------------===//
// Conversion, and everything
//===----------------------------------------------------------------------===//

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
  table["part_add"] = {makePart<BinaryKind::Add>, Form::Anything};
  table["part_mul"] = {makePart<BinaryKind::Mul>, Form::Anything};
  table["part_max"] = {makePart<BinaryKind::Maximum>, Form::Anything};
  table["part_min"] = {makePart<BinaryKind::Minimum>, Form::Anything};
  table["rem"] = {makeRest</*floors=*/true>};
  table["fmod"] = {makeRest</*floors=*/false>};
  table["lrelu"] = {makeLeaky};
  table["prelu"] = {makeLeaky};
  table["exp"] = {makeUnary<UnaryKind::Exp>};
  table["sqrt"] = {makeUnary<UnaryKind::Sqrt>};
  table["rsqrt"] = {makeUnary<UnaryKind::Rsqrt>};
  table["neg"] = {makeUnary<UnaryKind::Neg>};
  table["abs"] = {makeUnary<UnaryKind::Abs>};
  table["relu"] = {makeUnary<UnaryKind::Relu>};
  table["log"] = {makeFunction<logOf>};
  table["recip"] = {makeFunction<recipOf>};
  table["sin"] = {makeFunction<sinOf>};
  table["cos"] = {makeFunction<cosOf>};
  table["and"] = {makeBits<Bits::And>};
  table["or"] = {makeBits<Bits::Or>};
  table["xor"] = {makeBits<Bits::Xor>};
  table["shl"] = {makeBits<Bits::Left>};
  table["shr"] = {makeBits<Bits::Right>};
  table["not"] = {makeNot};
  table["bitcast"] = {makeBitcast};
  table["cmp"] = {makeCompare, Form::OneRow};
  table["sel"] = {makeSelect, Form::OneRow};
  table["cast"] = {makeCast};
}
