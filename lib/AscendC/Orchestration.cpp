//===- Orchestration.cpp - Entries as plain C++ of the host ---------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Tasks are launched in program order on one stream, which runs them one after the
// other; so every order that task tokens ask for holds, and tokens have no form
// in C++. A tensor value is the address of the array that it names.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Tensor/TensorOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

//===----------------------------------------------------------------------===//
// Which array a value names
//===----------------------------------------------------------------------===//

static FunctionOpInterface calleeOf(BlockDispatchOp op) {
  return SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, op.getCalleeAttr());
}

/// The argument whose array result `index` of a task names.
static Value writtenArgument(BlockDispatchOp op, unsigned index) {
  FunctionOpInterface callee = calleeOf(op);
  for (auto [number, argument] : llvm::enumerate(op.getArgs()))
    if (callee && isWritten(getDirection(callee, number)) && index-- == 0)
      return argument;
  return nullptr;
}

Value ascendc::traceArray(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    unsigned index = result.getResultNumber();
    Value next;
    if (!isa<RankedTensorType>(value.getType()))
      break;
    if (auto dispatch = dyn_cast<BlockDispatchOp>(result.getOwner())) {
      next = writtenArgument(dispatch, index);
    } else if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
      if (traceArray(loop.getYieldedValues()[index]) == loop.getRegionIterArg(index))
        next = loop.getInits()[index];
    } else if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
      Value then = traceArray(branch.thenYield().getOperand(index));
      if (branch.elseBlock() && then == traceArray(branch.elseYield().getOperand(index)))
        next = then;
    }
    if (!next)
      break;
    value = next;
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Returns from the entry if what `text` calls fails.
static void printChecked(Printer &printer, const Twine &text) {
  printer.line("if (aclError status = " + text + "; status != ACL_SUCCESS)");
  printer.line("  return status;");
}

static LogicalResult printCreate(Printer &printer, TensorCreateOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (!type.hasStaticShape())
    return emitUserError(op) << "makes an array of unknown extents, " << typeWord(type);
  // The caller gives the memory of an array that is returned: it has a name already.
  if (printer.isBound(op.getResult()))
    return success();
  printer.at(op);
  std::string name = printer.freshName(op.getResult(), "array");
  printer.line("uint8_t *" + name + " = nullptr;");
  printChecked(printer, "create(" +
                            Twine(type.getNumElements() * getElementBytes(type.getElementType())) +
                            ", &" + name + ")");
  printer.bind(op.getResult(), {name});
  return success();
}

static LogicalResult printDispatch(Printer &printer, BlockDispatchOp op) {
  FunctionOpInterface callee = calleeOf(op);
  if (!callee)
    return emitUserError(op) << "launches '" << op.getCallee() << "', which is no kernel";
  printer.at(op);
  SmallVector<std::string> args{"1", "stream"};
  for (Value argument : op.getArgs())
    args.push_back(printer.str(argument));
  printer.call(symbolName(op.getCallee()) + "_do", args);
  for (auto [index, result] : llvm::enumerate(op.getResults()))
    if (Value argument = writtenArgument(op, index))
      printer.bind(result, printer.get(argument));
  return success();
}

void ascendc::registerOrchestrationPrinters(Printers &printers) {
  printers.add<printCreate>();
  printers.add<printDispatch>();
  registerPrint(printers);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// What the body needs from the host, and from the kernels.
struct Needs {
  bool creates = false, prints = false;
  SmallVector<FunctionOpInterface> kernels; // each once, as they come
};

static Needs getNeeds(Printer &printer, FunctionOpInterface func) {
  Needs needs;
  func->walk([&](Operation *op) {
    needs.prints |= isa<BlockPrintOp>(op);
    needs.creates |= isa<TensorCreateOp>(op) && !printer.isBound(op->getResult(0));
    if (auto dispatch = dyn_cast<BlockDispatchOp>(op))
      if (FunctionOpInterface callee = calleeOf(dispatch))
        if (!llvm::is_contained(needs.kernels, callee))
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
    for (BlockArgument argument : kernel.getArguments())
      parameters.push_back(hostParameter(argument.getType(), names.fresh(nameOf(argument), "arg")));
    printer.call("void " + symbolName(kernel.getName()) + "_do", parameters);
  }
  if (!kernels.empty())
    printer.blank();
}

static LogicalResult checkParameter(FunctionOpInterface func, BlockArgument argument,
                                    Printer &printer) {
  Type type = argument.getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor ? tensor.hasStaticShape() : !printer.cppType(type).empty())
    return success();
  return emitError(func.getLoc())
         << "function '" << func.getName() << "': parameter " << argument.getArgNumber() + 1 << ", "
         << valueWord(argument)
         << ", has no C++ form; an entry takes arrays of known extents and "
            "scalars";
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

/// The frame around the tasks: arrays are freed when the stream has run them.
static void printFrameBegin(Printer &printer, const Needs &needs) {
  if (needs.creates) {
    printer.line("std::vector<void *> arrays; // made here, freed at the end");
    printer.line("auto create = [&](size_t bytes, uint8_t **array) -> aclError {");
    printer.line("  void *memory = nullptr;");
    printer.line("  aclError status = aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);");
    printer.line("  if (status == ACL_SUCCESS)");
    printer.line("    arrays.push_back(memory);");
    printer.line("  *array = static_cast<uint8_t *>(memory);");
    printer.line("  return status;");
    printer.line("};");
  }
  printer.line("auto launch = [&]() -> aclError {");
  printer.enter();
}

static void printFrameEnd(Printer &printer, const Needs &needs) {
  printer.line("return ACL_SUCCESS;");
  printer.close("};");
  printer.line("aclError status = launch();");
  printer.line("aclError finished = aclrtSynchronizeStream(stream);");
  printer.line("if (status == ACL_SUCCESS)");
  printer.line("  status = finished;");
  if (needs.creates) {
    printer.line("for (void *array : arrays) {");
    printer.line("  aclError freed = aclrtFree(array);");
    printer.line("  if (status == ACL_SUCCESS)");
    printer.line("    status = freed;");
    printer.line("}");
  }
  printer.line("return status;");
}

FailureOr<std::string> ascendc::printOrchestration(FunctionOpInterface func,
                                                   const TargetInfo &target) {
  Printer printer(Plane::Host, target);
  for (StringRef used :
       {"arrays", "create", "launch", "status", "finished", "array", "bytes", "memory", "freed"})
    printer.names.fresh(used, used);
  SmallVector<std::string> parameters{"void *stream"};
  for (BlockArgument argument : func.getArguments()) {
    if (failed(checkParameter(func, argument, printer)))
      return failure();
    std::string name = printer.freshName(argument, "arg");
    parameters.push_back(hostParameter(argument.getType(), name));
    printer.bind(argument, {name});
  }
  if (failed(bindReturned(printer, func, parameters)))
    return failure();
  Needs needs = getNeeds(printer, func);
  printer.line("// " + func.getName() + ": an entry for " + target.name + ", made by PyPTO.");
  printer.blank();
  printer.line("#include \"acl/acl.h\"");
  printer.blank();
  printer.line("#include <cstddef>");
  printer.line("#include <cstdint>");
  if (needs.prints)
    printer.line("#include <cstdio>");
  if (needs.creates)
    printer.line("#include <vector>");
  printer.blank();
  printDeclarations(printer, needs.kernels);
  printer.line(
      "// Runs the entry's tasks in program order on the stream. Arrays are addresses in the "
      "memory of");
  printer.line("// the device. Returns when all is done: ACL_SUCCESS, or the code of the first "
               "error.");
  printer.call("extern \"C\" int " + symbolName(func.getName()), parameters, " {");
  printer.enter();
  printFrameBegin(printer, needs);
  if (failed(printer.printBody(func.getFunctionBody().front())))
    return failure();
  printFrameEnd(printer, needs);
  printer.close();
  return printer.take();
}
