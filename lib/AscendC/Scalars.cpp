//===- Scalars.cpp - arith as C++ -----------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A scalar that is used once stands where it is used; others are constants of
// C++. FP16 and BF16 scalars compute in float and round once, as the model does.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Pto/Words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static LogicalResult printConstant(Printer &printer, arith::ConstantOp op) {
  auto value = dyn_cast<TypedAttr>(op.getValue());
  if (!value || !isa<IntegerAttr, FloatAttr>(value) || printer.cppType(op.getType()).empty())
    return emitUserError(op) << "is no scalar that AscendC has: " << typeWord(op.getType());
  printer.bindConstant(op.getResult(), value);
  return success();
}

/// An operation on constants is a constant (which also keeps C++ from computing
/// it in `int`).
static bool foldConstant(Printer &printer, Operation *op) {
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(printer.getConstant(operand));
    if (!operands.back())
      return false;
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return false;
  auto value = dyn_cast_or_null<TypedAttr>(dyn_cast<Attribute>(results[0]));
  if (!value || !isa<IntegerAttr, FloatAttr>(value))
    return false;
  printer.bindConstant(op->getResult(0), value);
  return true;
}

/// Counters, block numbers, and what is made of them.
bool ascendc::isNonNegative(Printer &printer, Value value, unsigned depth) {
  if (auto constant = dyn_cast_or_null<IntegerAttr>(printer.getConstant(value)))
    return !constant.getValue().isNegative();
  if (depth > 8)
    return false;
  auto both = [&](Operation *op) {
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return isNonNegative(printer, operand, depth + 1); });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           isNonNegative(printer, loop.getLowerBound(), depth + 1);
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::RemUIOp>(op))
    return isNonNegative(printer, op->getOperand(1), depth + 1);
  if (op->getName().getStringRef().starts_with("pto.block.get_"))
    return true;
  return isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::DivSIOp, arith::RemSIOp,
             arith::MinSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
             arith::IndexCastOp>(op) &&
         both(op);
}

/// The operands of an unsigned operation, as unsigned C++ where that matters.
static bool needsUnsigned(Printer &printer, Operation *op) {
  return !llvm::all_of(op->getOperands(),
                       [&](Value operand) { return isNonNegative(printer, operand); });
}

Expr ascendc::asUnsigned(Printer &printer, Value value) {
  if (value.getType().isInteger(1))
    return printer.get(value);
  std::string type = printer.cppType(value.getType());
  return {"(u" + type + ")" + printer.get(value).in(Prec::Unary), Prec::Unary};
}

//===----------------------------------------------------------------------===//
// Infix operations
//===----------------------------------------------------------------------===//

struct Infix {
  StringRef operation;
  const char *token;
  Prec prec;
  bool isUnsigned = false;
};

static ArrayRef<Infix> getInfixes() {
  static const Infix infixes[] = {
      {arith::AddIOp::getOperationName(), "+", Prec::Add},
      {arith::SubIOp::getOperationName(), "-", Prec::Add},
      {arith::MulIOp::getOperationName(), "*", Prec::Mul},
      {arith::DivSIOp::getOperationName(), "/", Prec::Mul},
      {arith::DivUIOp::getOperationName(), "/", Prec::Mul, true},
      {arith::RemSIOp::getOperationName(), "%", Prec::Mul},
      {arith::RemUIOp::getOperationName(), "%", Prec::Mul, true},
      {arith::AndIOp::getOperationName(), "&", Prec::BitAnd},
      {arith::OrIOp::getOperationName(), "|", Prec::BitOr},
      {arith::XOrIOp::getOperationName(), "^", Prec::BitXor},
      {arith::ShLIOp::getOperationName(), "<<", Prec::Shift},
      {arith::ShRSIOp::getOperationName(), ">>", Prec::Shift},
      {arith::ShRUIOp::getOperationName(), ">>", Prec::Shift, true},
      {arith::AddFOp::getOperationName(), "+", Prec::Add},
      {arith::SubFOp::getOperationName(), "-", Prec::Add},
      {arith::MulFOp::getOperationName(), "*", Prec::Mul},
      {arith::DivFOp::getOperationName(), "/", Prec::Mul},
  };
  return infixes;
}

/// A floating-point operand in float, in which all of them compute.
static Expr asFloat(Printer &printer, Value value) {
  if (auto constant = dyn_cast_or_null<FloatAttr>(printer.getConstant(value))) {
    // FP16 and BF16 values are exact in float.
    APFloat number = constant.getValue();
    bool loses;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
    auto wide = FloatAttr::get(Float32Type::get(constant.getContext()), number);
    return {printer.literal(wide), number.isNegative() ? Prec::Unary : Prec::Atom};
  }
  Expr expr = printer.get(value);
  if (printer.plane == Plane::Host || value.getType().isF32())
    return expr;
  if (value.getType().isBF16())
    return {"ToFloat(" + expr.text + ")"};
  return {"(float)" + expr.in(Prec::Unary), Prec::Unary};
}

/// The result of float arithmetic in the type that it has.
static Expr fromFloat(Expr expr, Type type) {
  if (type.isF16())
    return {"(half)" + expr.in(Prec::Unary), Prec::Unary};
  if (type.isBF16())
    return {"ToBfloat16(" + expr.text + ")"};
  return expr;
}

/// Plain C++ on the host has no FP16 to round to.
static LogicalResult checkFloat(Printer &printer, Operation *op, Type type) {
  if (printer.cppType(type).empty())
    return emitUserError(op) << "has no C++ form for " << typeWord(type);
  if (printer.plane == Plane::Host && (type.isF16() || type.isBF16()))
    return emitUserError(op) << "computes in " << typeWord(type)
                             << " on the control plane, which has FP32 only; use FP32, or compute "
                                "it in a kernel";
  return success();
}

/// Small integers are promoted by C++: back to their own type.
static Expr narrow(Printer &printer, Expr expr, Type type) {
  if (!type.isInteger(8) && !type.isInteger(16))
    return expr;
  return {"(" + printer.cppType(type) + ")" + expr.in(Prec::Unary), Prec::Unary};
}

static LogicalResult printInfix(Printer &printer, Operation *op) {
  if (foldConstant(printer, op))
    return success();
  const Infix *infix = llvm::find_if(getInfixes(), [&](const Infix &candidate) {
    return candidate.operation == op->getName().getStringRef();
  });
  Value result = op->getResult(0), lhs = op->getOperand(0), rhs = op->getOperand(1);
  Type type = result.getType();
  if (failed(checkFloat(printer, op, type)))
    return failure();
  Prec inner = Prec(int(infix->prec) - 1); // the right operand of a - (b - c)
  auto join = [&](const Expr &left, const Expr &right) {
    return Expr{left.in(infix->prec) + " " + infix->token + " " + right.in(inner), infix->prec};
  };
  if (isa<FloatType>(type)) {
    printer.define(result, fromFloat(join(asFloat(printer, lhs), asFloat(printer, rhs)), type));
    return success();
  }
  auto known =
      type.isInteger(1) ? dyn_cast_or_null<IntegerAttr>(printer.getConstant(rhs)) : nullptr;
  if (isa<arith::XOrIOp>(op) && known && !known.getValue().isZero()) {
    printer.define(result, {"!" + printer.get(lhs).in(Prec::Unary), Prec::Unary});
    return success();
  }
  if (type.isInteger(1) && infix->prec < Prec::BitAnd)
    return emitUserError(op) << "computes with BOOL; convert it to INT32 first";
  if (infix->isUnsigned && needsUnsigned(printer, op)) {
    Expr expr = join(asUnsigned(printer, lhs), asUnsigned(printer, rhs));
    printer.define(result, {"(" + printer.cppType(type) + ")" + expr.in(Prec::Unary), Prec::Unary});
    return success();
  }
  // A condition reads better with && and ||, and has no effects to skip.
  if (type.isInteger(1) && infix->prec != Prec::BitXor) {
    bool isAnd = infix->prec == Prec::BitAnd;
    Prec prec = isAnd ? Prec::And : Prec::Or;
    printer.define(result,
                   {printer.get(lhs).in(isAnd ? prec : Prec::BitOr) + (isAnd ? " && " : " || ") +
                        printer.get(rhs).in(isAnd ? prec : Prec::BitOr),
                    prec});
    return success();
  }
  printer.define(result, narrow(printer, join(printer.get(lhs), printer.get(rhs)), type));
  return success();
}

//===----------------------------------------------------------------------===//
// Comparisons, selections
//===----------------------------------------------------------------------===//

static LogicalResult printCmpI(Printer &printer, arith::CmpIOp op) {
  if (foldConstant(printer, op))
    return success();
  using P = arith::CmpIPredicate;
  P predicate = op.getPredicate();
  bool isUnsigned = llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, predicate);
  const char *token = predicate == P::eq                           ? "=="
                      : predicate == P::ne                         ? "!="
                      : predicate == P::slt || predicate == P::ult ? "<"
                      : predicate == P::sle || predicate == P::ule ? "<="
                      : predicate == P::sgt || predicate == P::ugt ? ">"
                                                                   : ">=";
  Prec prec = predicate == P::eq || predicate == P::ne ? Prec::Equal : Prec::Less;
  bool convert = isUnsigned && needsUnsigned(printer, op);
  Expr lhs = convert ? asUnsigned(printer, op.getLhs()) : printer.get(op.getLhs());
  Expr rhs = convert ? asUnsigned(printer, op.getRhs()) : printer.get(op.getRhs());
  printer.define(op.getResult(),
                 {lhs.in(Prec::Shift) + " " + token + " " + rhs.in(Prec::Shift), prec});
  return success();
}

static LogicalResult printCmpF(Printer &printer, arith::CmpFOp op) {
  if (foldConstant(printer, op))
    return success();
  using P = arith::CmpFPredicate;
  // Both are named twice below. (A comparison on the host is exact in float.)
  printer.atom(op.getLhs());
  printer.atom(op.getRhs());
  std::string a = asFloat(printer, op.getLhs()).in(Prec::Shift);
  std::string b = asFloat(printer, op.getRhs()).in(Prec::Shift);
  auto set = [&](const std::string &text, Prec prec) {
    printer.define(op.getResult(), {text, prec});
    return success();
  };
  switch (op.getPredicate()) {
  case P::AlwaysFalse:
    return set("false", Prec::Atom);
  case P::AlwaysTrue:
    return set("true", Prec::Atom);
  case P::OEQ:
    return set(a + " == " + b, Prec::Equal);
  case P::UNE:
    return set(a + " != " + b, Prec::Equal);
  case P::OLT:
    return set(a + " < " + b, Prec::Less);
  case P::OLE:
    return set(a + " <= " + b, Prec::Less);
  case P::OGT:
    return set(a + " > " + b, Prec::Less);
  case P::OGE:
    return set(a + " >= " + b, Prec::Less);
  // Unordered: true also where one is NaN, which is where the opposite is false.
  case P::ULT:
    return set("!(" + a + " >= " + b + ")", Prec::Unary);
  case P::ULE:
    return set("!(" + a + " > " + b + ")", Prec::Unary);
  case P::UGT:
    return set("!(" + a + " <= " + b + ")", Prec::Unary);
  case P::UGE:
    return set("!(" + a + " < " + b + ")", Prec::Unary);
  case P::ONE:
    return set(a + " < " + b + " || " + a + " > " + b, Prec::Or);
  case P::UEQ:
    return set("!(" + a + " < " + b + " || " + a + " > " + b + ")", Prec::Unary);
  case P::ORD:
    return set(a + " == " + a + " && " + b + " == " + b, Prec::And);
  case P::UNO:
    return set(a + " != " + a + " || " + b + " != " + b, Prec::Or);
  }
  return emitUserError(op) << "has no C++ comparison";
}

static LogicalResult printSelect(Printer &printer, arith::SelectOp op) {
  if (printer.cppType(op.getType()).empty())
    return emitUserError(op) << "selects " << valueWord(op.getTrueValue())
                             << "; a buffer is chosen by pto.tile.slot or in scf.if";
  printer.define(op.getResult(), {printer.get(op.getCondition()).in(Prec::Or) + " ? " +
                                      printer.get(op.getTrueValue()).in(Prec::Or) + " : " +
                                      printer.get(op.getFalseValue()).in(Prec::Or),
                                  Prec::Select});
  return success();
}

/// `a < b ? a : b`; of unsigned integers and, for floats, with NaN as the name says.
template <typename Op>
static LogicalResult printMinMax(Printer &printer, Op op, StringRef token,
                                 bool isUnsigned = false) {
  if (foldConstant(printer, op))
    return success();
  Value result = op.getResult(), lhs = op.getLhs(), rhs = op.getRhs();
  if (failed(checkFloat(printer, op, result.getType())))
    return failure();
  std::string a = printer.atom(lhs).in(Prec::Unary), b = printer.atom(rhs).in(Prec::Unary);
  bool convert = isUnsigned && needsUnsigned(printer, op);
  std::string x = convert ? asUnsigned(printer, lhs).text : a;
  std::string y = convert ? asUnsigned(printer, rhs).text : b;
  if (isa<FloatType>(result.getType())) {
    x = asFloat(printer, lhs).in(Prec::Unary);
    y = asFloat(printer, rhs).in(Prec::Unary);
    // maximumf hands a NaN on; maxnumf prefers the number.
    bool propagates = isa<arith::MaximumFOp, arith::MinimumFOp>(op.getOperation());
    std::string first = propagates ? x + " != " + x : y + " != " + y;
    printer.define(
        result,
        {first + " || " + x + " " + token.str() + " " + y + " ? " + a + " : " + b, Prec::Select});
    return success();
  }
  printer.define(result, {x + " " + token.str() + " " + y + " ? " + a + " : " + b, Prec::Select});
  return success();
}

static LogicalResult printMinSI(Printer &printer, arith::MinSIOp op) {
  return printMinMax(printer, op, "<");
}
static LogicalResult printMaxSI(Printer &printer, arith::MaxSIOp op) {
  return printMinMax(printer, op, ">");
}
static LogicalResult printMinUI(Printer &printer, arith::MinUIOp op) {
  return printMinMax(printer, op, "<", true);
}
static LogicalResult printMaxUI(Printer &printer, arith::MaxUIOp op) {
  return printMinMax(printer, op, ">", true);
}
static LogicalResult printMinF(Printer &printer, arith::MinimumFOp op) {
  return printMinMax(printer, op, "<");
}
static LogicalResult printMaxF(Printer &printer, arith::MaximumFOp op) {
  return printMinMax(printer, op, ">");
}
static LogicalResult printMinNumF(Printer &printer, arith::MinNumFOp op) {
  return printMinMax(printer, op, "<");
}
static LogicalResult printMaxNumF(Printer &printer, arith::MaxNumFOp op) {
  return printMinMax(printer, op, ">");
}

//===----------------------------------------------------------------------===//
// Divisions that round up or down
//===----------------------------------------------------------------------===//

/// `a / b`, one more or less where it was rounded the other way.
static LogicalResult printRoundedDivision(Printer &printer, Operation *op) {
  if (foldConstant(printer, op))
    return success();
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  bool same = !needsUnsigned(printer, op);
  bool up = !isa<arith::FloorDivSIOp>(op);
  if (isa<arith::CeilDivUIOp>(op) && !same)
    return emitUserError(op) << "divides unsigned numbers that may be negative as index values; "
                                "use arith.ceildivsi";
  std::string a = printer.atom(lhs).in(Prec::Unary), b = printer.atom(rhs).in(Prec::Unary);
  std::string text = a + " / " + b;
  if (same && !up)
    printer.define(op->getResult(0), {text, Prec::Mul});
  else if (same)
    printer.define(op->getResult(0), {text + " + (" + a + " % " + b + " != 0)", Prec::Add});
  else
    printer.define(op->getResult(0), {text + (up ? " + (" : " - (") + a + " % " + b + " != 0 && (" +
                                          a + " < 0) " + (up ? "==" : "!=") + " (" + b + " < 0))",
                                      Prec::Add});
  return success();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Expr convertTo(StringRef type, const Expr &expr) {
  return {("(" + type + ")" + expr.in(Prec::Unary)).str(), Prec::Unary};
}

static LogicalResult printIntegerCast(Printer &printer, Operation *op) {
  if (foldConstant(printer, op))
    return success();
  Value source = op->getOperand(0);
  Type from = source.getType(), to = op->getResult(0).getType();
  if (printer.cppType(from).empty() || printer.cppType(to).empty())
    return emitUserError(op) << "has no C++ form for " << typeWord(from) << " to " << typeWord(to);
  Expr expr = printer.get(source);
  bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
  if (isUnsigned && !from.isInteger(1) && !isNonNegative(printer, source))
    expr = asUnsigned(printer, source);
  // C++ turns true into 1; a sign-extended true is -1.
  if (isa<arith::ExtSIOp>(op) && from.isInteger(1))
    expr = {"-(" + printer.cppType(to) + ")" + expr.in(Prec::Unary), Prec::Unary};
  else if (to.isInteger(1))
    expr = {"(" + expr.in(Prec::BitAnd) + " & 1) != 0", Prec::Equal};
  else if (printer.cppType(from) != printer.cppType(to))
    expr = convertTo(printer.cppType(to), expr);
  printer.define(op->getResult(0), expr);
  return success();
}

static LogicalResult printIntegerToFloat(Printer &printer, Operation *op) {
  if (foldConstant(printer, op))
    return success();
  Value source = op->getOperand(0);
  Type to = op->getResult(0).getType();
  if (failed(checkFloat(printer, op, to)))
    return failure();
  bool wide = source.getType().isIndex() || source.getType().getIntOrFloatBitWidth() > 16;
  if (to.isBF16() && wide)
    return emitUserError(op) << "would round twice, through FP32; convert to FP32 and then to BF16";
  bool isUnsigned =
      isa<arith::UIToFPOp>(op) && !isNonNegative(printer, source) && !source.getType().isInteger(1);
  Expr expr = isUnsigned ? asUnsigned(printer, source) : printer.get(source);
  printer.define(op->getResult(0), fromFloat(convertTo("float", expr), to));
  return success();
}

static LogicalResult printFloatToInteger(Printer &printer, Operation *op) {
  if (foldConstant(printer, op))
    return success();
  Value result = op->getResult(0);
  if (failed(checkFloat(printer, op, op->getOperand(0).getType())))
    return failure();
  if (printer.cppType(result.getType()).empty() || result.getType().isInteger(1))
    return emitUserError(op) << "has no C++ form for a result of " << typeWord(result.getType());
  std::string type = printer.cppType(result.getType());
  Expr expr = asFloat(printer, op->getOperand(0));
  if (isa<arith::FPToUIOp>(op))
    expr = convertTo("u" + type, expr);
  printer.define(result, convertTo(type, expr));
  return success();
}

static LogicalResult printFloatCast(Printer &printer, Operation *op) {
  if (foldConstant(printer, op))
    return success();
  // The host has float in place of FP16 and BF16 anyway.
  if (printer.plane == Plane::Host && isa<arith::ExtFOp>(op)) {
    printer.define(op->getResult(0), printer.get(op->getOperand(0)));
    return success();
  }
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (failed(checkFloat(printer, op, from)) || failed(checkFloat(printer, op, to)))
    return failure();
  printer.define(op->getResult(0), fromFloat(asFloat(printer, op->getOperand(0)), to));
  return success();
}

static LogicalResult printNegF(Printer &printer, arith::NegFOp op) {
  if (foldConstant(printer, op))
    return success();
  if (failed(checkFloat(printer, op, op.getType())))
    return failure();
  Expr expr{"-" + asFloat(printer, op.getOperand()).in(Prec::Atom), Prec::Unary};
  printer.define(op.getResult(), fromFloat(expr, op.getType()));
  return success();
}

void ascendc::registerScalarPrinters(Printers &printers) {
  for (const Infix &infix : getInfixes())
    printers.add(infix.operation, printInfix);
  for (StringRef name :
       {arith::CeilDivSIOp::getOperationName(), arith::CeilDivUIOp::getOperationName(),
        arith::FloorDivSIOp::getOperationName()})
    printers.add(name, printRoundedDivision);
  for (StringRef name :
       {arith::IndexCastOp::getOperationName(), arith::IndexCastUIOp::getOperationName(),
        arith::ExtSIOp::getOperationName(), arith::ExtUIOp::getOperationName(),
        arith::TruncIOp::getOperationName()})
    printers.add(name, printIntegerCast);
  for (StringRef name : {arith::SIToFPOp::getOperationName(), arith::UIToFPOp::getOperationName()})
    printers.add(name, printIntegerToFloat);
  for (StringRef name : {arith::FPToSIOp::getOperationName(), arith::FPToUIOp::getOperationName()})
    printers.add(name, printFloatToInteger);
  for (StringRef name : {arith::ExtFOp::getOperationName(), arith::TruncFOp::getOperationName()})
    printers.add(name, printFloatCast);
  printers.add<printConstant>();
  printers.add<printCmpI>();
  printers.add<printCmpF>();
  printers.add<printSelect>();
  printers.add<printMinSI>();
  printers.add<printMaxSI>();
  printers.add<printMinUI>();
  printers.add<printMaxUI>();
  printers.add<printMinF>();
  printers.add<printMaxF>();
  printers.add<printMinNumF>();
  printers.add<printMaxNumF>();
  printers.add<printNegF>();
}
