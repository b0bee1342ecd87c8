//===- TaskNames.h - Names of functions made of regions ----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_TASKNAMES_H
#define PTO_TRANSFORMS_TASKNAMES_H

#include "mlir/IR/SymbolTable.h"

#include <optional>
#include <string>

namespace mlir::pto {

/// A name that no function has yet: the author's hint, or `prefix` and the next
/// number. An error at `op` if the hint is no name.
FailureOr<std::string> chooseTaskName(Operation *op, std::optional<StringRef> hint,
                                      StringRef prefix, SymbolTable &symbols, int &number);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_TASKNAMES_H
