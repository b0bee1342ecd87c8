//===- TileControlFlow.h - Tiles in loops and branches -----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_TILECONTROLFLOW_H
#define PTO_TRANSFORMS_TILECONTROLFLOW_H

#include "Pto/Pto.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::pto {

/// Whether a function holds kernel code, whose tiles these passes work on.
bool isKernel(func::FuncOp func);

/// Tiles pass through `scf.for`, `scf.while` and `scf.if` only; anything else that takes or
/// gives a tile is an error at it.
LogicalResult checkTileControlFlow(func::FuncOp func);

/// Every tile has its memory space and layout; one that has not is an error.
LogicalResult checkTileSpaces(func::FuncOp func);

/// Turns each `arith.select` of tiles, which canonicalization makes of small
/// branches, into a branch again.
void expandTileSelects(func::FuncOp func);

/// The name that an operation or value carries, for a new operation beside it:
/// the same name at `loc`.
Location renamed(Location loc, StringRef name);

/// `loc` without the name of a variable.
Location unnamed(Location loc);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_TILECONTROLFLOW_H
