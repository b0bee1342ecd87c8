//===- ControlPlane.h - Entries and the arrays of their tasks ----*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_CONTROL_PLANE_H
#define PTO_CONTROL_PLANE_H

#include "Block/BlockOps.h"

#include "llvm/ADT/StringSet.h"

namespace mlir::pto {

namespace attr {
/// On a dispatch: why it waits for each of its `after`, an array of strings; empty for
/// what the author said.
inline constexpr llvm::StringLiteral kEdges = "pto.edges";
} // namespace attr

/// Whether the operation stands in entries: it places work, orders it, or says what
/// it works on. Scalars and control flow stand everywhere and do not count.
bool isControlPlane(Operation *op);

/// The argument of a task whose array its result `index` names: the index-th one that
/// the callee writes. Null if it writes fewer, or is unknown.
Value getWrittenArgument(BlockDispatchOp task, Operation *callee, unsigned index);

/// The kernels that clusters of the module run, by name: each is half of a mixed kernel.
llvm::StringSet<> getClusterKernels(Operation *module);

} // namespace mlir::pto

#endif // PTO_CONTROL_PLANE_H
