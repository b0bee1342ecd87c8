//===- Assembly.h - How operations of all families are written ---*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_ASSEMBLY_H
#define PTO_ASSEMBLY_H

#include "Pto/Pto.h"

namespace mlir::pto {

/// An operation with sources and one result:
///   %r = pto.tensor.add %a, %b {attributes} : tensor<4x8xf32>
///   %r = pto.tensor.matmul %a, %b : (A, B) -> R
ParseResult parseValueCompute(OpAsmParser &parser, OperationState &result);
void printValueCompute(Operation *op, OpAsmPrinter &printer);

/// Each dynamic entry of a static list, ShapedType::kDynamic, has its operand: the
/// number -2^63, written as text, looks like one and has none. To be checked before
/// anything asks for both lists as one.
LogicalResult verifyDynamicEntries(Operation *op, ArrayRef<int64_t> statics, ValueRange values,
                                   StringRef what);

/// An enum attribute by its bare keyword: `core_group` for #pto.level<core_group>.
template <typename Attr, typename Enum>
ParseResult parseBareEnum(OpAsmParser &parser, Attr &attr,
                          std::optional<Enum> (*symbolize)(StringRef), StringRef what) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc) << "unknown " << what << " '" << keyword << "'";
  attr = Attr::get(parser.getContext(), *value);
  return success();
}

} // namespace mlir::pto

#endif // PTO_ASSEMBLY_H
