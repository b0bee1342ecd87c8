//===- PlaceRules.h - What stands where ---------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_PLACERULES_H
#define PTO_TRANSFORMS_PLACERULES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pto {

/// What holds of a function at every stage: a kernel has no tasks, an entry computes
/// nothing and takes only what its caller has, and arrays are such as memory holds.
/// Says everything that is wrong.
LogicalResult verifyPlaces(func::FuncOp func, const SymbolTable &symbols);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_PLACERULES_H
