//===- KeyOps.cpp - Tiling keys -------------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::pto;

LogicalResult KeyFieldAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                   int64_t bits, ArrayRef<int64_t> values) {
  if (name.empty())
    return emitError() << "a field of a tiling key has a name";
  if (bits <= 0 || bits > 64)
    return emitError() << "tilingkey field '" << name << "' must have bits > 0 and at most 64, got "
                       << bits;
  if (values.empty())
    return emitError() << "tilingkey field '" << name << "' must have a non-empty 'values' list";
  if (bits < 63 && static_cast<int64_t>(values.size()) > int64_t(1) << bits)
    return emitError() << "tilingkey field '" << name << "' has " << values.size()
                       << " candidates, exceeding the " << (int64_t(1) << bits)
                       << " representable by " << bits << " bits";
  llvm::SmallSet<int64_t, 16> seen;
  for (int64_t value : values)
    if (!seen.insert(value).second)
      return emitError() << "tilingkey field '" << name << "' values must be unique, found "
                         << value << " twice";
  return success();
}

LogicalResult BlockTilingKeyOp::verify() {
  if (getFields().empty())
    return emitUserError(*this) << "has no fields";
  int64_t bits = 0;
  llvm::SmallSet<StringRef, 16> seen;
  for (Attribute item : getFields()) {
    auto field = dyn_cast<KeyFieldAttr>(item);
    if (!field)
      return emitUserError(*this) << "holds #pto.key_field attributes, found " << item;
    if (!seen.insert(field.getName()).second)
      return emitUserError(*this) << "has two fields '" << field.getName() << "'";
    bits += field.getBits();
  }
  if (bits > 64)
    return emitUserError(*this) << "tiling_key class '" << getSymName() << "' uses " << bits
                                << " bits, exceeding the 64-bit limit";
  return success();
}

std::optional<std::pair<KeyFieldAttr, int64_t>> BlockTilingKeyOp::findField(StringRef name) {
  int64_t below = 0;
  for (auto field : getFields().getAsRange<KeyFieldAttr>()) {
    if (field.getName() == name)
      return std::pair(field, below);
    below += field.getBits();
  }
  return std::nullopt;
}
