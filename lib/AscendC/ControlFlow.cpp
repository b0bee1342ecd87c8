//===- ControlFlow.cpp - scf as C++ ---------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Pto/Words.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

/// The variable of a carried or selected value, declared with `init` (or open).
static FailureOr<std::string> declare(Printer &printer, Operation *op, Value named, Value result,
                                      StringRef init) {
  Type type = result.getType();
  std::string cpp = printer.cppType(type);
  if (cpp.empty())
    return emitUserError(op) << "carries " << valueWord(result)
                             << "; AscendC code carries scalars only, a buffer is chosen by "
                                "pto.tile.slot";
  StringRef name = nameOf(named).empty() ? nameOf(result) : nameOf(named);
  std::string variable = printer.names.fresh(name, isa<RankedTensorType>(type) ? "array"
                                                   : isa<TaskType>(type)       ? "task"
                                                   : isa<ArrayType>(type)      ? "list"
                                                                               : "v");
  std::string space = StringRef(cpp).ends_with("*") ? "" : " ";
  printer.line(cpp + space + variable + (init.empty() ? "" : " = " + init) + ";");
  return variable;
}

/// The author's name, else i, j, k by the depth of the loop.
static std::string counterName(Printer &printer, scf::ForOp op) {
  StringRef name = nameOf(op.getInductionVar());
  if (!variableName(name).empty())
    return printer.names.fresh(name, "i");
  unsigned depth = 0;
  for (auto outer = op->getParentOfType<scf::ForOp>(); outer;
       outer = outer->getParentOfType<scf::ForOp>())
    ++depth;
  return printer.names.fresh(std::string(1, char('i' + std::min(depth, 2u))), "i");
}

static LogicalResult printFor(Printer &printer, scf::ForOp op) {
  printer.at(op);
  SmallVector<std::string> carried;
  for (auto [argument, init, result] :
       llvm::zip(op.getRegionIterArgs(), op.getInits(), op.getResults())) {
    // An array that every turn of the loop hands on unchanged needs no variable.
    if (isa<RankedTensorType>(argument.getType()) &&
        traceArray(op.getTiedLoopYieldedValue(argument)->get()) == argument) {
      printer.bind(argument, printer.get(init));
      printer.bind(result, printer.get(init));
      carried.emplace_back();
      continue;
    }
    FailureOr<std::string> variable = declare(printer, op, argument, result, printer.str(init));
    if (failed(variable))
      return failure();
    carried.push_back(*variable);
    printer.bind(argument, {*variable});
    printer.bind(result, {*variable});
  }
  Value counter = op.getInductionVar();
  std::string type = printer.cppType(counter.getType());
  bool isUnsigned = op.getUnsignedCmp() && !(isNonNegative(printer, op.getLowerBound()) &&
                                             isNonNegative(printer, op.getUpperBound()));
  if (type.empty())
    return emitUserError(op) << "counts in " << typeWord(counter.getType());
  if (isUnsigned)
    type = "u" + type;
  printer.names.push(); // the counter's own scope
  std::string name = counterName(printer, op);
  auto bound = [&](Value value) {
    return isUnsigned ? asUnsigned(printer, value) : printer.get(value);
  };
  printer.open("for (" + type + " " + name + " = " + bound(op.getLowerBound()).text + "; " + name +
               " < " + bound(op.getUpperBound()).in(Prec::Shift) + "; " + name +
               " += " + printer.str(op.getStep()) + ") {");
  printer.bind(counter, {name});
  LogicalResult body = printer.printBody(*op.getBody());
  if (succeeded(body))
    printer.assign(op.getBody()->getTerminator(), carried);
  printer.close();
  printer.names.pop();
  return body;
}

static LogicalResult printIf(Printer &printer, scf::IfOp op) {
  printer.at(op);
  SmallVector<std::string> results;
  for (Value result : op.getResults()) {
    Value same = traceArray(result);
    if (same != result) {
      printer.bind(result, printer.get(same));
      results.emplace_back();
      continue;
    }
    FailureOr<std::string> variable = declare(printer, op, result, result, "");
    if (failed(variable))
      return failure();
    results.push_back(*variable);
    printer.bind(result, {*variable});
  }
  printer.open("if (" + printer.str(op.getCondition()) + ") {");
  LogicalResult body = printer.printBody(*op.thenBlock());
  if (succeeded(body))
    printer.assign(op.thenBlock()->getTerminator(), results);
  if (op.elseBlock()) {
    printer.reopen("} else {");
    LogicalResult other = printer.printBody(*op.elseBlock());
    if (succeeded(other))
      printer.assign(op.elseBlock()->getTerminator(), results);
    body = failure(failed(body) || failed(other));
  }
  printer.close();
  return body;
}

/// The variables of what a while loop hands to its second region and gives: those of
/// the carried values, what stands outside of the loop, or variables of their own, which
/// `own` then names.
static LogicalResult bindHandedOn(Printer &printer, scf::WhileOp op,
                                  SmallVectorImpl<std::string> &own) {
  for (auto [value, argument, result] :
       llvm::zip(op.getConditionOp().getArgs(), op.getAfterArguments(), op.getResults())) {
    own.emplace_back();
    bool isOutside = !op.getBefore().isAncestor(value.getParentRegion());
    bool isCarried = isa<BlockArgument>(value) && value.getParentRegion() == &op.getBefore();
    bool isUsed = !argument.use_empty() || !result.use_empty();
    if (!isOutside && !isCarried && isUsed) {
      FailureOr<std::string> variable = declare(printer, op, result, result, "");
      if (failed(variable))
        return failure();
      own.back() = *variable;
    }
    Expr expr = own.back().empty() ? printer.get(value) : Expr{own.back()};
    if (!isUsed)
      continue;
    printer.bind(argument, expr);
    printer.bind(result, expr);
  }
  return success();
}

/// `while (i < n) {` where the first region is a condition only, else a loop that is left
/// in its middle.
static LogicalResult printWhile(Printer &printer, scf::WhileOp op) {
  printer.at(op);
  SmallVector<std::string> carried, own;
  for (auto [argument, init] : llvm::zip(op.getBeforeArguments(), op.getInits())) {
    FailureOr<std::string> variable = declare(printer, op, argument, argument, printer.str(init));
    if (failed(variable))
      return failure();
    carried.push_back(*variable);
    printer.bind(argument, {*variable});
  }
  if (failed(bindHandedOn(printer, op, own)))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  size_t head = printer.mark();
  printer.open("while (true) {");
  size_t inside = printer.mark();
  LogicalResult before = printer.printBody(*op.getBeforeBody());
  for (auto [variable, value] : llvm::zip(own, condition.getArgs()))
    if (!variable.empty())
      printer.line(variable + " = " + printer.str(value) + ";");
  auto always = dyn_cast_or_null<IntegerAttr>(printer.getConstant(condition.getCondition()));
  if (!always || always.getValue().isZero()) {
    if (printer.mark() == inside) {
      printer.reopenAs(head, "while (" + printer.str(condition.getCondition()) + ") {");
    } else {
      printer.line("if (!" + printer.get(condition.getCondition()).in(Prec::Unary) + ")");
      printer.line("  break;");
    }
  }
  LogicalResult after = printer.printBody(*op.getAfterBody());
  if (succeeded(before) && succeeded(after))
    printer.assign(op.getYieldOp(), carried);
  printer.close();
  return failure(failed(before) || failed(after));
}

void ascendc::registerControlFlowPrinters(Printers &printers) {
  printers.add<printFor>();
  printers.add<printWhile>();
  printers.add<printIf>();
}
