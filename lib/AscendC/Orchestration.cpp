//===- Orchestration.cpp - Entries as plain C++ of the host ---------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// An entry launches its tasks through one object, `tasks` (runtime/pto_tasks.h), which
// knows streams, events and the memory that the entry makes.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Orchestration.h"
#include "Pto/Words.h"
#include "Tensor/TensorOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

StringRef ascendc::getTasksHeader() {
  static constexpr char text[] =
#include "TasksHeader.inc"
      ;
  return text;
}

DepsMode ascendc::getOrder(FunctionOpInterface entry) {
  auto mode = entry->getAttrOfType<DepsModeAttr>(attr::kDeps);
  return mode ? mode.getValue() : DepsMode::ProgramOrder;
}

//===----------------------------------------------------------------------===//
// What the body needs
//===----------------------------------------------------------------------===//

namespace {
struct Needs {
  bool prints = false;
  SmallVector<FunctionOpInterface> kernels; // each once, as they come
};
} // namespace

static Needs getNeeds(FunctionOpInterface func) {
  Needs needs;
  llvm::SmallPtrSet<Operation *, 8> known;
  func->walk([&](Operation *op) {
    needs.prints |= isa<BlockPrintOp>(op);
    if (auto dispatch = dyn_cast<BlockDispatchOp>(op))
      if (FunctionOpInterface callee = calleeOf(dispatch))
        if (known.insert(callee).second)
          needs.kernels.push_back(callee);
  });
  return needs;
}

static void printDeclarations(Printer &printer, ArrayRef<FunctionOpInterface> kernels) {
  if (!kernels.empty())
    printer.line("// Kernels, as kernels/*/<name>.cpp defines their launches.");
  for (FunctionOpInterface kernel : kernels) {
    Names names;
    SmallVector<std::string> parameters{"uint32_t numBlocks", "void *stream"};
    SmallVector<std::string> own;
    for (BlockArgument argument : kernel.getArguments()) {
      own.push_back(names.fresh(nameOf(argument), "arg"));
      parameters.push_back(hostParameter(argument.getType(), own.back()));
    }
    for (const HiddenExtent &hidden : getHiddenExtents(kernel))
      parameters.push_back(
          "int64_t " +
          names.fresh(own[hidden.argument] + "_dim" + std::to_string(hidden.dim), "dim"));
    printer.call("void " + symbolName(kernel.getName()) + "_do", parameters);
  }
  if (!kernels.empty())
    printer.blank();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static LogicalResult checkParameter(FunctionOpInterface func, BlockArgument argument,
                                    Printer &printer) {
  Type type = argument.getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool fits = tensor || !printer.cppType(type).empty();
  if (fits && !isa<TaskType, ArrayType>(type))
    return success();
  return emitError(func.getLoc()) << "function '" << func.getName() << "': parameter "
                                  << argument.getArgNumber() + 1 << ", " << valueWord(argument)
                                  << ", has no C++ form; an entry takes arrays and scalars";
}

/// An array that the entry makes and returns is the caller's: one more parameter.
static LogicalResult bindReturned(Printer &printer, FunctionOpInterface func,
                                  SmallVectorImpl<std::string> &parameters) {
  Operation *terminator = func.getFunctionBody().front().getTerminator();
  for (Value value : terminator->getOperands()) {
    Value array = isa<RankedTensorType>(value.getType()) ? traceArray(value) : Value();
    auto create = array ? array.getDefiningOp<TensorCreateOp>() : nullptr;
    bool argument = array && isa<BlockArgument>(array) &&
                    cast<BlockArgument>(array).getOwner()->getParentOp() == func.getOperation();
    if (argument || (create && printer.isBound(array)))
      continue;
    // The region itself is what has no form.
    if (auto placed = array ? array.getDefiningOp<BlockAtOp>() : nullptr)
      return refusePlaced(placed);
    if (!create || create->getParentOp() != func.getOperation())
      return emitError(terminator->getLoc())
             << "function '" << func.getName() << "' returns " << valueWord(value)
             << ", which is not one known array; an entry returns its arguments, or arrays that "
                "it makes outside of loops and branches";
    std::string name = printer.freshName(array, "result");
    parameters.push_back("uint8_t *" + name);
    printer.bind(array, {name});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static StringRef orderWord(DepsMode mode) {
  switch (mode) {
  case DepsMode::Explicit:
    return "Tokens";
  case DepsMode::RunTime:
    return "Derived";
  case DepsMode::ProgramOrder:
    return "Program";
  }
  return "Program";
}

static void printIncludes(Printer &printer, const Needs &needs) {
  printer.line("#include \"pto_tasks.h\"");
  printer.blank();
  printer.line("#include <cstdint>");
  if (needs.prints)
    printer.line("#include <cstdio>");
  printer.blank();
}

FailureOr<std::string> ascendc::printOrchestration(FunctionOpInterface func,
                                                   const TargetInfo &target) {
  Printer printer(Plane::Host, target);
  for (StringRef used : {"tasks", "pto", "stream"})
    printer.names.fresh(used, used);
  SmallVector<std::string> parameters{"void *stream"}, names;
  for (BlockArgument argument : func.getArguments()) {
    if (failed(checkParameter(func, argument, printer)))
      return failure();
    std::string name = printer.freshName(argument, "arg");
    parameters.push_back(hostParameter(argument.getType(), name));
    printer.bind(argument, {name});
    names.push_back(name);
  }
  SmallVector<HiddenExtent> hidden = getHiddenExtents(func);
  for (auto [place, name] : llvm::zip(hidden, nameHiddenExtents(printer, func, names))) {
    printer.hostExtents[{func.getArgument(place.argument), place.dim}] = name;
    parameters.push_back("int64_t " + name);
  }
  if (failed(bindReturned(printer, func, parameters)))
    return failure();
  Needs needs = getNeeds(func);
  printer.line("// " + func.getName() + ": an entry for " + target.name + ", made by PyPTO.");
  printer.blank();
  printIncludes(printer, needs);
  printDeclarations(printer, needs.kernels);
  printer.line("// Arrays are addresses in the memory of the device. Returns when all is done: "
               "ACL_SUCCESS, or");
  printer.line("// the code of the first error.");
  printer.call("extern \"C\" int " + symbolName(func.getName()), parameters, " {");
  printer.enter();
  printer.line("pto::Tasks tasks(stream, pto::Order::" + orderWord(getOrder(func)) + ");");
  if (failed(printer.printBody(func.getFunctionBody().front())))
    return failure();
  printer.line("return tasks.finish();");
  printer.close();
  return printer.take();
}
