//===- Pto.cpp - The pto dialect ------------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Pto.h"
#include "Pto/PtoInterfaces.h"
#include "Pto/Words.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pto;

#include "Pto/PtoDialect.cpp.inc"
#include "Pto/PtoEnums.cpp.inc"
#include "Pto/PtoInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Pto/PtoAttrs.cpp.inc"

void PtoDialect::initialize() {
  registerTypes();
  registerAttrs();
}

void PtoDialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Pto/PtoAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes of functions, arguments and modules
//===----------------------------------------------------------------------===//

/// Checks that `attribute` is an `Attr`, naming what it should have been.
template <typename Attr>
static LogicalResult expectAttr(Operation *op, NamedAttribute attribute, StringRef what) {
  if (isa<Attr>(attribute.getValue()))
    return success();
  return op->emitError() << "attribute '" << attribute.getName().getValue() << "' must be " << what
                         << ", found " << attribute.getValue();
}

LogicalResult PtoDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == attr::kTarget)
    return expectAttr<StringAttr>(op, attribute, "a chip name such as \"910B\"");
  if (name == attr::kReason)
    return expectAttr<StringAttr>(op, attribute, "a string");
  if (name == attr::kNames) {
    auto names = dyn_cast<ArrayAttr>(attribute.getValue());
    if (names && llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return success();
    return expectAttr<StringAttr>(op, attribute, "an array of strings");
  }
  bool function = isa<FunctionOpInterface>(op);
  auto onFunction = [&]() -> LogicalResult {
    if (function)
      return success();
    return op->emitError() << "attribute '" << name << "' belongs on a function";
  };
  if (name == attr::kKind)
    return failed(onFunction()) ? failure()
                                : expectAttr<FunctionKindAttr>(op, attribute, "#pto.kind<...>");
  if (name == attr::kSync)
    return failed(onFunction()) ? failure()
                                : expectAttr<SyncModeAttr>(op, attribute, "#pto.sync<...>");
  if (name == attr::kDeps)
    return failed(onFunction()) ? failure()
                                : expectAttr<DepsModeAttr>(op, attribute, "#pto.deps<...>");
  return success();
}

LogicalResult PtoDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                                   unsigned argIndex, NamedAttribute attribute) {
  if (attribute.getName().getValue() != attr::kDirection)
    return success();
  if (failed(expectAttr<DirectionAttr>(op, attribute, "#pto.dir<...>")))
    return failure();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitError() << "attribute '" << attr::kDirection
                           << "' belongs on an argument of a "
                              "function";
  Type type = function.getArgumentTypes()[argIndex]; // a declaration has no block
  if (cast<DirectionAttr>(attribute.getValue()).getValue() != Direction::In &&
      !isa<RankedTensorType, GmType>(type))
    return op->emitError() << "argument " << argIndex << " is " << typeWord(type)
                           << "; only an array in DDR can be Out or InOut";
  return success();
}

StringRef pto::getMnemonic(Operation *op) {
  StringRef name = op->getName().getStringRef();
  for (StringRef family : {"pto.tile.", "pto.tensor.", "pto.block."})
    if (name.consume_front(family))
      break;
  return name;
}

FunctionKind pto::getFunctionKind(Operation *func) {
  auto kind = func->getAttrOfType<FunctionKindAttr>(attr::kKind);
  return kind ? kind.getValue() : FunctionKind::Opaque;
}

Direction pto::getDirection(Operation *func, unsigned index) {
  auto function = cast<FunctionOpInterface>(func);
  auto direction = function.getArgAttrOfType<DirectionAttr>(index, attr::kDirection);
  return direction ? direction.getValue() : Direction::In;
}
