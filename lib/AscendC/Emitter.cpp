//===- Emitter.cpp - AscendC C++ from the final module --------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Emitter.h"
#include "AscendC/Printer.h"
#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Tensor/TensorOps.h"
#include "Tile/TileOps.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

static LogicalResult printSection(Printer &printer, BlockSectionOp op) {
  printer.at(op);
  printer.core = op.getCore();
  printer.open(op.getCore() == CoreKind::AIC ? "if ASCEND_IS_AIC {" : "if ASCEND_IS_AIV {");
  if (op.getCore() == CoreKind::AIC)
    printCubeModes(printer, op);
  LogicalResult body = printer.printBody(op.getBody().front());
  printer.close();
  printer.core = std::nullopt;
  return body;
}

void ascendc::registerSectionPrinters(Printers &printers) { printers.add<printSection>(); }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string ascendc::hostType(Type type) {
  if (isa<GmType, RankedTensorType>(type))
    return "uint8_t *";
  if (isa<FloatType>(type))
    return "float";
  if (type.isInteger(1))
    return "bool";
  if (auto integer = dyn_cast<IntegerType>(type))
    return "int" + std::to_string(integer.getWidth()) + "_t";
  return "int64_t";
}

std::string ascendc::hostParameter(Type type, StringRef name) {
  std::string cpp = hostType(type);
  return cpp + (cpp.back() == '*' ? "" : " ") + name.str();
}

static LogicalResult checkParameter(FunctionOpInterface func, BlockArgument argument) {
  Type type = argument.getType();
  auto integer = dyn_cast<IntegerType>(type);
  bool scalar = type.isF32() || type.isF16() || type.isBF16() || type.isIndex() ||
                (integer && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth()));
  if (scalar)
    return success();
  auto array = dyn_cast<GmType>(type);
  if (array && !array.hasDynamicStrides())
    return success();
  return emitError(func.getLoc())
         << "function '" << func.getName() << "': parameter " << argument.getArgNumber() + 1 << ", "
         << valueWord(argument)
         << ", is no parameter of a kernel; it takes arrays in DDR (!pto.gm) of known extents, "
            "pointers (!pto.gm<?xf32>) and scalars";
}

/// The kernel type that the code inside needs: flags between cores of one kind
/// want the mixed types of one kind.
static StringRef kernelType(FunctionOpInterface func) {
  FunctionKind kind = getFunctionKind(func);
  if (kind == FunctionKind::Group)
    return "KERNEL_TYPE_MIX_AIC_1_2";
  bool crosses = func->walk([](Operation *op) {
                       return isa<BlockCrossCoreSetOp, BlockCrossCoreWaitOp, BlockSyncAllOp>(op)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
                     .wasInterrupted();
  if (kind == FunctionKind::AIV)
    return crosses ? "KERNEL_TYPE_MIX_AIV_1_0" : "KERNEL_TYPE_AIV_ONLY";
  return crosses ? "KERNEL_TYPE_MIX_AIC_1_0" : "KERNEL_TYPE_AIC_ONLY";
}

static StringRef kindWord(FunctionKind kind) {
  switch (kind) {
  case FunctionKind::AIV:
    return "a vector kernel (AIV)";
  case FunctionKind::AIC:
    return "a cube kernel (AIC)";
  default:
    return "a mixed kernel (an AIC and its two AIVs)";
  }
}

/// Whether the function needs to know how long an array of one dimension is.
static bool asksForExtent(FunctionOpInterface func, unsigned number) {
  return llvm::any_of(func.getArgument(number).getUsers(), [&](Operation *user) {
    auto dispatch = dyn_cast<BlockDispatchOp>(user);
    if (!dispatch)
      return isa<TileDimOp, TileViewOp, TensorDimOp, TensorViewOp>(user);
    auto kernel =
        SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(user, dispatch.getCalleeAttr());
    for (auto [index, value] : llvm::enumerate(dispatch.getArgs()))
      if (kernel && !kernel.isExternal() && value == func.getArgument(number) &&
          asksForExtent(kernel, index))
        return true;
    return false;
  });
}

SmallVector<HiddenExtent> ascendc::getHiddenExtents(FunctionOpInterface func) {
  SmallVector<HiddenExtent> hidden;
  for (auto [number, type] : llvm::enumerate(func.getArgumentTypes())) {
    if (!isa<GmType, RankedTensorType>(type))
      continue;
    ArrayRef<int64_t> shape = getShapeOf(type);
    // A pointer is as long as its memory; nobody asks for that.
    bool pointer = shape.size() == 1 && (func.isExternal() || !asksForExtent(func, number));
    for (auto [dim, extent] : llvm::enumerate(shape))
      if (ShapedType::isDynamic(extent) && !pointer)
        hidden.push_back({static_cast<unsigned>(number), static_cast<unsigned>(dim)});
  }
  return hidden;
}

SmallVector<std::string> ascendc::nameHiddenExtents(Printer &printer, FunctionOpInterface func,
                                                    ArrayRef<std::string> names) {
  SmallVector<std::string> extents;
  for (const HiddenExtent &hidden : getHiddenExtents(func))
    extents.push_back(
        printer.names.fresh(names[hidden.argument] + "_dim" + std::to_string(hidden.dim), "dim"));
  return extents;
}

/// Arrays as GlobalTensors; FP16 and BF16 scalars back from float.
static void printParameters(Printer &printer, FunctionOpInterface func, ArrayRef<std::string> names,
                            ArrayRef<std::string> extents) {
  SmallVector<HiddenExtent> hidden = getHiddenExtents(func);
  for (auto [argument, name] : llvm::zip(func.getArguments(), names)) {
    Type type = argument.getType();
    SmallVector<std::string> own;
    for (auto [place, extent] : llvm::zip(hidden, extents))
      if (place.argument == argument.getArgNumber())
        own.push_back(extent);
    if (isa<GmType>(type))
      bindArrayParameter(printer, argument, name, own);
    else if (type.isF16())
      printer.bind(argument, {"(half)" + name, Prec::Unary});
    else if (type.isBF16())
      printer.bind(argument, {"ToBfloat16(" + name + ")"});
    else
      printer.bind(argument, {name});
  }
}

/// `// Tiling key 0x2100: BlockM = 128, HasAtten = 1.`
static void printKey(Printer &printer, FunctionOpInterface func) {
  auto packed = func->getAttrOfType<IntegerAttr>(attr::kPackedKey);
  if (!packed)
    return;
  std::string text =
      "// Tiling key 0x" + llvm::utohexstr(packed.getValue().getZExtValue(), /*LowerCase=*/true);
  if (auto fields = func->getAttrOfType<DictionaryAttr>(attr::kKey)) {
    StringRef separator = ": ";
    for (NamedAttribute field : fields) {
      auto value = dyn_cast<IntegerAttr>(field.getValue());
      if (!value)
        continue;
      text += (separator + field.getName().getValue() + " = " + Twine(value.getInt())).str();
      separator = ", ";
    }
  }
  printer.line(text + ".");
}

/// What plain C++ calls; the vendor's compiler knows `<<<…>>>`.
static void printLauncher(Printer &printer, FunctionOpInterface func, StringRef symbol,
                          ArrayRef<std::string> names, ArrayRef<std::string> extents) {
  SmallVector<std::string> parameters{"uint32_t numBlocks", "void *stream"};
  for (auto [type, name] : llvm::zip(func.getArgumentTypes(), names))
    parameters.push_back(hostParameter(type, name));
  SmallVector<std::string> all(names);
  for (const std::string &extent : extents) {
    parameters.push_back("int64_t " + extent);
    all.push_back(extent);
  }
  printer.blank();
  printer.line("#ifndef ASCENDC_CPU_DEBUG");
  printer.line("// Launches the kernel from plain C++.");
  printer.call(("void " + symbol + "_do").str(), parameters, " {");
  printer.call(("  " + symbol + "<<<numBlocks, 0, stream>>>").str(), all);
  printer.line("}");
  printer.line("#endif");
}

static FailureOr<std::string> printKernel(FunctionOpInterface func, const TargetInfo &target) {
  Printer printer(Plane::Kernel, target);
  FunctionKind kind = getFunctionKind(func);
  if (kind != FunctionKind::Group)
    printer.core = kind == FunctionKind::AIC ? CoreKind::AIC : CoreKind::AIV;
  std::string symbol = symbolName(func.getName());
  SmallVector<std::string> names, parameters;
  for (BlockArgument argument : func.getArguments()) {
    if (failed(checkParameter(func, argument)))
      return failure();
    names.push_back(printer.freshName(argument, "arg"));
    bool array = isa<GmType>(argument.getType());
    parameters.push_back(array ? "GM_ADDR " + names.back()
                               : hostParameter(argument.getType(), names.back()));
  }
  SmallVector<std::string> extents = nameHiddenExtents(printer, func, names);
  for (const std::string &extent : extents)
    parameters.push_back("int64_t " + extent);
  printer.line("// " + func.getName() + ": " + kindWord(kind) + " for " + target.name +
               " (__NPU_ARCH__ " + std::to_string(target.npuArch) + "), made by PyPTO.");
  printKey(printer, func);
  printer.blank();
  printKernelHead(printer, func);
  printer.call("extern \"C\" __global__ __aicore__ void " + symbol, parameters, " {");
  printer.enter();
  printer.line("KERNEL_TASK_TYPE_DEFAULT(" + kernelType(func) + ");");
  printer.line("InitSocState();");
  if (kind == FunctionKind::AIC)
    printCubeModes(printer, func);
  printParameters(printer, func, names, extents);
  if (failed(printer.printBody(func.getFunctionBody().front())))
    return failure();
  printer.close();
  printLauncher(printer, func, symbol, names, extents);
  return printer.take();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static LogicalResult checkFunction(FunctionOpInterface func) {
  FunctionKind kind = getFunctionKind(func);
  if (!isIdentifier(func.getName()))
    return emitError(func.getLoc())
           << "'" << func.getName()
           << "' names no file and no C++ function; use letters, digits and _";
  if (func.isExternal())
    return emitError(func.getLoc()) << "function '" << func.getName() << "' has no body to print";
  if (!func.getFunctionBody().hasOneBlock())
    return emitError(func.getLoc())
           << "function '" << func.getName()
           << "' has branches between blocks; AscendC is made of scf.if and "
              "scf.for";
  if (kind == FunctionKind::Orchestration)
    return success();
  if (kind != FunctionKind::AIV && kind != FunctionKind::AIC && kind != FunctionKind::Group)
    return emitError(func.getLoc())
           << "function '" << func.getName() << "' is of kind " << stringifyFunctionKind(kind)
           << "; AscendC has kernels of kind aiv, aic and group, and "
              "orchestration. Run --pto-pipeline first";
  if (func.getNumResults() != 0)
    return emitError(func.getLoc())
           << "kernel '" << func.getName() << "' returns values; a kernel writes its Out arrays";
  return success();
}

static StringRef folderOf(FunctionKind kind) {
  switch (kind) {
  case FunctionKind::AIV:
    return "kernels/aiv/";
  case FunctionKind::AIC:
    return "kernels/aic/";
  case FunctionKind::Group:
    return "kernels/mix/";
  default:
    return "orchestration/";
  }
}

FailureOr<std::vector<SourceFile>> pto::emitAscendC(ModuleOp module) {
  std::vector<SourceFile> sources;
  bool isFailed = false, hasEntries = false;
  for (Operation &op : *module.getBody()) {
    auto func = dyn_cast<FunctionOpInterface>(op);
    if (!func) {
      emitError(op.getLoc()) << "'" << op.getName() << "' is no function; AscendC has only those";
      isFailed = true;
      continue;
    }
    const TargetInfo *target = getTarget(module);
    if (!target)
      return failure();
    if (failed(checkFunction(func))) {
      isFailed = true;
      continue;
    }
    FunctionKind kind = getFunctionKind(func);
    hasEntries |= kind == FunctionKind::Orchestration;
    FailureOr<std::string> text = kind == FunctionKind::Orchestration
                                      ? printOrchestration(func, *target)
                                      : printKernel(func, *target);
    if (failed(text))
      isFailed = true;
    else
      sources.push_back({(folderOf(kind) + func.getName() + ".cpp").str(), std::move(*text)});
  }
  if (isFailed)
    return failure();
  if (hasEntries)
    sources.push_back({"orchestration/pto_tasks.h", getTasksHeader().str()});
  return sources;
}
