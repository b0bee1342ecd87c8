//===- Printer.cpp - Text, expressions, sums ------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Pto/Words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <charconv>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Sum Sum::operator+(const Sum &other) const {
  Sum sum = *this;
  sum.constant += other.constant;
  for (const auto &term : other.terms) {
    auto *same = llvm::find_if(
        sum.terms, [&](const auto &mine) { return mine.second.text == term.second.text; });
    if (same == sum.terms.end())
      sum.terms.push_back(term);
    else if ((same->first += term.first) == 0)
      sum.terms.erase(same);
  }
  return sum;
}

Sum Sum::operator*(int64_t factor) const {
  if (factor == 0)
    return Sum(0);
  Sum product = *this;
  product.constant *= factor;
  for (auto &term : product.terms)
    term.first *= factor;
  return product;
}

Sum Sum::operator*(const Sum &other) const {
  if (std::optional<int64_t> factor = other.getConstant())
    return *this * *factor;
  if (terms.empty())
    return other * constant;
  return term({expr().in(Prec::Mul) + " * " + other.expr().in(Prec::Unary), Prec::Mul});
}

std::optional<int64_t> Sum::getConstant() const {
  if (!terms.empty())
    return std::nullopt;
  return constant;
}

Expr Sum::expr() const {
  if (terms.empty())
    return {std::to_string(constant), constant < 0 ? Prec::Unary : Prec::Atom};
  std::string text;
  // `13 - n`, rather than `n * -1 + 13`.
  bool leads = constant > 0 && terms.front().first < 0;
  if (leads)
    text = std::to_string(constant);
  for (const auto &[factor, value] : terms) {
    int64_t size = text.empty() || factor > 0 ? factor : -factor;
    Prec limit = text.empty() ? Prec::Add : Prec::Mul; // of a term that is no product
    if (!text.empty())
      text += factor > 0 ? " + " : " - ";
    text += size == 1 ? value.in(limit) : value.in(Prec::Mul) + " * " + std::to_string(size);
  }
  if (constant != 0 && !leads)
    text += (constant > 0 ? " + " : " - ") + std::to_string(std::abs(constant));
  if (terms.size() > 1 || constant != 0)
    return {text, Prec::Add};
  return {text, terms.front().first == 1 ? terms.front().second.prec : Prec::Mul};
}

std::string Sum::as(StringRef type) const {
  if (terms.empty())
    return str();
  return ("(" + type + ")" + expr().in(Prec::Unary)).str();
}

bool Sum::isMultipleOf(int64_t step) const {
  return constant % step == 0 &&
         llvm::all_of(terms, [&](const auto &term) { return term.first % step == 0; });
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static constexpr unsigned kColumns = 100;

void Printer::line(const Twine &content) {
  text.append(indent, ' ');
  text += content.str();
  text += '\n';
}

void Printer::call(StringRef head, ArrayRef<std::string> args, StringRef tail) {
  std::string whole = head.str() + "(" + llvm::join(args, ", ") + ")" + tail.str();
  if (indent + whole.size() <= kColumns)
    return line(whole);
  std::string current = head.str() + "(";
  unsigned extra = 0;
  for (auto [index, arg] : llvm::enumerate(args)) {
    bool last = index + 1 == args.size();
    std::string piece = arg + (last ? ")" + tail.str() : std::string(","));
    bool begins = current.empty() || current.back() == '(';
    if (!begins && indent + extra + current.size() + 1 + piece.size() > kColumns) {
      line(std::string(extra, ' ') + current);
      current.clear();
      extra = 4;
      begins = true;
    }
    current += (begins ? "" : " ") + piece;
  }
  line(std::string(extra, ' ') + current);
}

void Printer::open(const Twine &head) {
  line(head);
  enter();
}

void Printer::enter() {
  indent += 2;
  names.push();
}

void Printer::close(StringRef closing) {
  names.pop();
  indent -= 2;
  line(closing);
}

void Printer::reopen(StringRef closing) {
  close(closing);
  enter();
}

void Printer::reopenAs(size_t mark, const Twine &head) {
  text.resize(mark);
  indent -= 2;
  line(head);
  indent += 2;
}

void Printer::at(Operation *op) {
  FileLineColLoc place;
  op->getLoc()->walk([&](Location loc) {
    place = dyn_cast<FileLineColLoc>(loc);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!place)
    return;
  StringRef file = llvm::sys::path::filename(place.getFilename().getValue());
  // A module that was written as IR has no author's line to show.
  if (file.ends_with(".mlir") || file == "-" || file == "<stdin>" || file.contains('\n'))
    return;
  std::string location = (file + ":" + Twine(place.getLine())).str();
  if (location == lastLocation)
    return;
  lastLocation = location;
  line("// " + location);
}

//===----------------------------------------------------------------------===//
// Literals and types
//===----------------------------------------------------------------------===//

std::string Printer::cppType(Type type) const {
  if (type.isF32())
    return "float";
  if (type.isF16())
    return plane == Plane::Host ? "float" : "half";
  if (type.isBF16())
    return plane == Plane::Host ? "float" : "bfloat16_t";
  if (type.isIndex())
    return "int64_t";
  if (type.isInteger(1))
    return "bool";
  if (auto integer = dyn_cast<IntegerType>(type))
    if (llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth()))
      return (integer.isUnsigned() ? "uint" : "int") + std::to_string(integer.getWidth()) + "_t";
  if (plane == Plane::Kernel)
    return "";
  if (auto array = dyn_cast<ArrayType>(type)) {
    std::string element = cppType(array.getElementType());
    return element.empty() ? ""
                           : "std::array<" + element + ", " + std::to_string(array.getSize()) + ">";
  }
  if (isa<TaskType>(type))
    return "pto::Task";
  return isa<RankedTensorType>(type) ? "uint8_t *" : "";
}

/// The declaration of a constant of this type, up to its name.
static std::string constant(const std::string &type) {
  return StringRef(type).ends_with("*") ? type + "const " : "const " + type + " ";
}

/// The shortest digits that give the value back, as a C++ literal.
template <typename Float> static std::string floatDigits(Float value) {
  char buffer[64];
  auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string digits(buffer, result.ptr);
  if (digits.find_first_of(".e") == std::string::npos)
    digits += ".0";
  return digits;
}

/// A `float` literal of the value, which float must hold exactly.
static std::string floatLiteral(const APFloat &value) {
  if (value.isNaN())
    return value.isNegative() ? "-__builtin_nanf(\"\")" : "__builtin_nanf(\"\")";
  if (value.isInfinity())
    return value.isNegative() ? "-__builtin_inff()" : "__builtin_inff()";
  APFloat wide = value;
  bool loses;
  wide.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
  return floatDigits(wide.convertToFloat()) + "f";
}

static std::string integerLiteral(const APInt &value, Type type) {
  if (type.isInteger(1))
    return value.isZero() ? "false" : "true";
  int64_t number = value.getSExtValue();
  if (number == std::numeric_limits<int64_t>::min())
    return "(-9223372036854775807 - 1)";
  if (number == std::numeric_limits<int32_t>::min())
    return type.isInteger(32) ? "(-2147483647 - 1)" : "(-2147483648)";
  return std::to_string(number);
}

std::string Printer::literal(TypedAttr attribute) const {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integerLiteral(integer.getValue(), integer.getType());
  APFloat value = cast<FloatAttr>(attribute).getValue();
  Type type = attribute.getType();
  std::string text = floatLiteral(value);
  if (plane == Plane::Host || type.isF32())
    return text;
  if (type.isBF16())
    return "ToBfloat16(" + text + ")";
  // An FP16 value is exact as float, and so is its shortest double.
  if (!value.isFinite())
    return "(half)" + text;
  bool loses;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return "(half)" + floatDigits(value.convertToDouble());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Expr literalExpr(const Printer &printer, TypedAttr constant) {
  std::string text = printer.literal(constant);
  bool atom = StringRef(text).front() != '-' && !StringRef(text).starts_with("(half)");
  return {text, atom ? Prec::Atom : Prec::Unary};
}

void Printer::bindConstant(Value value, TypedAttr attribute) {
  constants[value] = attribute;
  bind(value, literalExpr(*this, attribute));
}

Expr Printer::get(Value value) {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  // What the value is made by has had its error.
  return {"unknown"};
}

std::string Printer::exact(Value value) {
  std::string literal = str(value);
  bool integer = getConstant(value) && value.getType().isInteger(32);
  return integer ? "(int32_t)" + literal : literal;
}

Expr Printer::atom(Value value) {
  Expr expr = get(value);
  if (!isInlined(value) || getConstant(value))
    return expr;
  std::string name = freshName(value, "v");
  line(constant(cppType(value.getType())) + name + " = " + expr.text + ";");
  inlined.erase(value);
  bind(value, {name});
  return {name};
}

void Printer::define(Value value, Expr expr) {
  if (value.use_empty())
    return;
  if (value.hasOneUse()) {
    inlined.insert(value);
    return bind(value, std::move(expr));
  }
  std::string name = freshName(value, "v");
  line(constant(cppType(value.getType())) + name + " = " + expr.text + ";");
  bind(value, {name});
}

std::string Printer::freshName(Value value, StringRef fallback) {
  return names.fresh(nameOf(value), fallback);
}

Sum Printer::sum(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return Sum(cast<IntegerAttr>(attribute).getInt());
  return sum(cast<Value>(value));
}

Sum Printer::sum(Value value) {
  if (auto constant = dyn_cast_or_null<IntegerAttr>(getConstant(value)))
    return Sum(constant.getInt());
  // What stands in place may be taken apart.
  if (isInlined(value)) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::AddIOp>(op))
      return sum(op->getOperand(0)) + sum(op->getOperand(1));
    if (isa_and_nonnull<arith::SubIOp>(op))
      return sum(op->getOperand(0)) + sum(op->getOperand(1)) * -1;
    if (isa_and_nonnull<arith::MulIOp>(op))
      if (auto factor = dyn_cast_or_null<IntegerAttr>(getConstant(op->getOperand(1))))
        return sum(op->getOperand(0)) * factor.getInt();
  }
  return Sum::term(get(value));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

const Printers &Printers::get(Plane plane) {
  static const Printers kernel = [] {
    Printers printers;
    registerScalarPrinters(printers);
    registerControlFlowPrinters(printers);
    registerWindowPrinters(printers);
    registerArrayPrinters(printers);
    registerDataMovementPrinters(printers);
    registerVectorPrinters(printers);
    registerCubePrinters(printers);
    registerSyncPrinters(printers);
    registerDebugPrinters(printers);
    registerSectionPrinters(printers);
    return printers;
  }();
  static const Printers host = [] {
    Printers printers;
    registerScalarPrinters(printers);
    registerControlFlowPrinters(printers);
    registerOrchestrationPrinters(printers);
    return printers;
  }();
  return plane == Plane::Kernel ? kernel : host;
}

static bool holdsTileValue(Operation *op) {
  auto isTile = [](Type type) { return isa<TileType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTile) || llvm::any_of(op->getResultTypes(), isTile);
}

LogicalResult Printer::print(Operation *op) {
  if (holdsTileValue(op))
    return emitUserError(op) << "works on tile values; AscendC is made of buffers. Run "
                                "--pto-pipeline first, or from pto-bufferize-tiles on";
  if (PrintFunction function = Printers::get(plane).lookup(op->getName().getStringRef()))
    return function(*this, op);
  if (plane == Plane::Host)
    return emitUserError(op) << "has no form in an orchestration function";
  return emitUserError(op) << "has no AscendC instruction on " << target.name;
}

LogicalResult Printer::printBody(Block &block) {
  bool failed = false;
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      failed |= mlir::failed(print(&op));
  return failure(failed);
}

static StringRef coreWord(CoreKind core) {
  return core == CoreKind::AIC ? "a cube core (AIC)" : "a vector core (AIV)";
}

LogicalResult Printer::checkPipe(Operation *op, Pipe pipe) {
  if (core) {
    if (target.hasPipe(*core, pipe))
      return success();
    return emitUserError(op) << "works on pipe " << stringifyPipe(pipe) << ", which "
                             << coreWord(*core) << " of " << target.name << " does not have";
  }
  if (target.hasPipe(CoreKind::AIC, pipe) && target.hasPipe(CoreKind::AIV, pipe))
    return success();
  return emitUserError(op) << "works on pipe " << stringifyPipe(pipe)
                           << ", which not every core of a mixed kernel has; put it in a "
                              "pto.block.section";
}

LogicalResult Printer::checkCore(Operation *op, MemorySpace space) {
  std::optional<CoreKind> owner = target.getCore(space);
  if (!owner || !core || *owner == *core)
    return success();
  return emitUserError(op) << "works on " << spaceWord(space) << ", which " << coreWord(*core)
                           << " of " << target.name << " does not have";
}

/// Whether `name` stands in `text` as a word.
static bool mentions(StringRef text, StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    bool before = at > 0 && isWord(text[at - 1]);
    bool after = at + name.size() < text.size() && isWord(text[at + name.size()]);
    if (!before && !after)
      return true;
  }
  return false;
}

void Printer::assign(Operation *yield, ArrayRef<std::string> variables) {
  struct Assignment {
    std::string variable, value, type;
  };
  SmallVector<Assignment> pending;
  for (auto [operand, variable] : llvm::zip(yield->getOperands(), variables))
    if (!variable.empty() && str(operand) != variable)
      pending.push_back({variable, str(operand), cppType(operand.getType())});
  if (!pending.empty())
    at(yield);
  // All at once: a value that reads what is set before it is copied first.
  for (size_t i = 1; i < pending.size(); ++i) {
    bool readsEarlier = llvm::any_of(ArrayRef(pending).take_front(i), [&](const Assignment &other) {
      return mentions(pending[i].value, other.variable);
    });
    if (!readsEarlier)
      continue;
    std::string copy = names.fresh("next_" + pending[i].variable, "next");
    line(constant(pending[i].type) + copy + " = " + pending[i].value + ";");
    pending[i].value = copy;
  }
  for (const Assignment &assignment : pending)
    line(assignment.variable + " = " + assignment.value + ";");
}
