//===- LegalizeBuffers.h - Legalization of operations on buffers -*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_LEGALIZEBUFFERS_H
#define PTO_TRANSFORMS_LEGALIZEBUFFERS_H

#include "Target/Target.h"
#include "Tile/TileOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::pto {

/// Writes an operation on buffers, which the chip does not have, with others: `legalize` says
/// how, of its value form. What lies between is in scratch, which the planner places.
LogicalResult legalizeOnBuffers(TileComputeInterface op, const TargetInfo &target,
                                llvm::function_ref<LogicalResult(Operation *)> legalize);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_LEGALIZEBUFFERS_H
