//===- Orchestration.h - What the printers of entries share ------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_ASCENDC_ORCHESTRATION_H
#define PTO_ASCENDC_ORCHESTRATION_H

#include "AscendC/Printer.h"
#include "ControlPlane.h"

namespace mlir::pto::ascendc {

/// The kernel of a task, or null.
FunctionOpInterface calleeOf(BlockDispatchOp op);

/// What orders the tasks of an entry; program order if nobody has said anything.
DepsMode getOrder(FunctionOpInterface entry);

/// The error at a region: no code is made of it.
LogicalResult refusePlaced(BlockAtOp op);

} // namespace mlir::pto::ascendc

#endif // PTO_ASCENDC_ORCHESTRATION_H
