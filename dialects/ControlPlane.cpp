//===- ControlPlane.cpp - Entries and the arrays of their tasks -----------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ControlPlane.h"

#include "Tensor/TensorOps.h"

using namespace mlir;
using namespace mlir::pto;

bool pto::isControlPlane(Operation *op) {
  return isa<BlockAtOp, BlockClusterOp, BlockYieldOp, BlockDispatchOp, BlockTaskInvalidOp,
             BlockTaskDummyOp, BlockArrayCreateOp, BlockArrayGetOp, BlockArraySetOp, TensorCreateOp,
             TensorSliceOp, TensorReadOp>(op);
}

Value pto::getWrittenArgument(BlockDispatchOp task, Operation *callee, unsigned index) {
  if (callee)
    for (auto [number, argument] : llvm::enumerate(task.getArgs()))
      if (isWritten(getDirection(callee, number)) && index-- == 0)
        return argument;
  return {};
}

llvm::StringSet<> pto::getClusterKernels(Operation *module) {
  llvm::StringSet<> names;
  module->walk([&](BlockClusterOp cluster) {
    for (auto dispatch : cluster.getBody().getOps<BlockDispatchOp>())
      names.insert(dispatch.getCallee());
  });
  return names;
}
