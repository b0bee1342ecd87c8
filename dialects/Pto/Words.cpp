//===- Words.cpp - The user's words for types and operations --------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::pto;

std::string pto::dtypeWord(Type elementType) {
  if (elementType.isIndex())
    return "INDEX";
  if (elementType.isF16())
    return "FP16";
  if (elementType.isBF16())
    return "BF16";
  if (elementType.isF32())
    return "FP32";
  if (elementType.isInteger(1))
    return "BOOL";
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return (integer.isUnsigned() ? "UINT" : "INT") + std::to_string(integer.getWidth());
  std::string text;
  llvm::raw_string_ostream(text) << elementType;
  return text;
}

std::string pto::shapeWord(ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(shape,
                                    [](int64_t dim) {
                                      return ShapedType::isDynamic(dim) ? std::string("?")
                                                                        : std::to_string(dim);
                                    }),
                    ", ") +
         "]";
}

std::string pto::typeWord(Type type) {
  std::string dtype = dtypeWord(getElementTypeOf(type));
  if (!isa<TileType, BufType, GmType, RankedTensorType>(type))
    return dtype;
  return shapeWord(getShapeOf(type)) + " " + dtype;
}

StringRef pto::spaceWord(MemorySpace space) {
  switch (space) {
  case MemorySpace::DDR:
    return "DDR";
  case MemorySpace::Vec:
    return "Vec";
  case MemorySpace::Mat:
    return "Mat";
  case MemorySpace::Left:
    return "Left";
  case MemorySpace::Right:
    return "Right";
  case MemorySpace::Acc:
    return "Acc";
  case MemorySpace::Bias:
    return "Bias";
  }
  return "";
}

std::string pto::rangeWord(int64_t begin, int64_t extent) {
  if (extent == 0)
    return "none";
  // Beyond every array, both may be as large as numbers are.
  uint64_t last = uint64_t(begin) + uint64_t(extent) - 1;
  return std::to_string(begin) + " to " +
         (begin < 0 ? std::to_string(int64_t(last)) : std::to_string(last));
}

std::string pto::bytesWord(int64_t bytes) {
  if (bytes >= 1024 && bytes % 1024 == 0)
    return std::to_string(bytes / 1024) + " KiB";
  return std::to_string(bytes) + " B";
}

std::string pto::operationWord(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name.consume_front("pto.tile.") || name.consume_front("pto.tensor.")) {
    // What only passes write keeps its IR name, so that a dump can be searched for it.
    if (name == "brcb" || name == "alloc" || name == "slot" || name == "subview" ||
        name == "bitcast")
      return op->getName().getStringRef().str();
    if (name == "create")
      return "pl.create_tensor";
    if (name == "and" || name == "or" || name == "not") // words of Python
      return ("pl." + name + "_").str();
    return ("pl." + name).str();
  }
  if (name.consume_front("pto.block.")) {
    auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee");
    if (name == "dispatch" && callee)
      return ("the call of '" + callee.getValue() + "'").str();
    StringRef word = llvm::StringSwitch<StringRef>(name)
                         .Case("print", "pl.printf")
                         .Case("at", "pl.at")
                         .Case("cluster", "pl.cluster")
                         .Case("array_create", "pl.array.create")
                         .Cases({"array_get", "array_set"}, "pl.array")
                         .Case("task_invalid", "pl.system.task_invalid")
                         .Case("task_dummy", "pl.system.task_dummy")
                         .Case("get_block_idx", "pl.get_block_idx")
                         .Case("get_block_num", "pl.get_block_num")
                         .Case("get_subblock_idx", "pl.get_subblock_idx")
                         .Default("");
    if (!word.empty())
      return word.str();
  }
  return op->getName().getStringRef().str();
}

StringRef pto::nameOf(Value value) {
  Location loc = value.getLoc();
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().getValue();
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (Operation *parent = argument.getOwner()->getParentOp())
      return argumentName(parent, argument.getArgNumber());
  return "";
}

StringRef pto::argumentName(Operation *loop, unsigned index) {
  auto names = loop->getAttrOfType<ArrayAttr>(attr::kNames);
  if (!names || index >= names.size() || loop->getNumRegions() == 0 || loop->getRegion(0).empty())
    return "";
  // The counter of `scf.for` is first whatever else it carries.
  bool counted = loop->getNumRegions() == 1;
  bool all = names.size() == loop->getRegion(0).front().getNumArguments();
  if (!all && !(counted && index == 0))
    return "";
  auto name = dyn_cast<StringAttr>(names[index]);
  return name ? name.getValue() : "";
}

std::string pto::valueWord(Value value) {
  StringRef name = nameOf(value);
  std::string type = typeWord(value.getType());
  if (std::optional<MemorySpace> space = getTileSpace(value.getType()))
    type += (" in " + spaceWord(*space)).str();
  return name.empty() ? type : ("'" + name + "' (" + type + ")").str();
}

/// Where an operation is in a file: one that only carries a name is at the nearest
/// operation around it that a file holds.
static Location findLocation(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (at->getLoc()->findInstanceOf<FileLineColRange>())
      return at->getLoc();
  return op->getLoc();
}

InFlightDiagnostic pto::emitUserError(Operation *op) {
  return mlir::emitError(findLocation(op)) << operationWord(op) << ": ";
}
