//===- TensorOps.h - The tensor family ---------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TENSOR_OPS_H
#define PTO_TENSOR_OPS_H

#include "Pto/Pto.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::pto {

/// Rules that a class of operations shares; see TensorOps.td.
LogicalResult verifyBroadcasting(Operation *op);
LogicalResult verifySameTensors(Operation *op);
LogicalResult verifyTensorRowReduce(Operation *op);
LogicalResult verifyTensorRowExpand(Operation *op);
LogicalResult verifyTensorColReduce(Operation *op);
LogicalResult verifyTensorColExpand(Operation *op);
#define PTO_VERIFYING_TRAIT(NAME)                                                                  \
  template <typename Op> struct NAME : OpTrait::TraitBase<Op, NAME> {                              \
    static LogicalResult verifyTrait(Operation *op) { return verify##NAME(op); }                   \
  };
PTO_VERIFYING_TRAIT(Broadcasting)
PTO_VERIFYING_TRAIT(SameTensors)
PTO_VERIFYING_TRAIT(TensorRowReduce)
PTO_VERIFYING_TRAIT(TensorRowExpand)
PTO_VERIFYING_TRAIT(TensorColReduce)
PTO_VERIFYING_TRAIT(TensorColExpand)
#undef PTO_VERIFYING_TRAIT

} // namespace mlir::pto

#define GET_OP_CLASSES
#include "Tensor/TensorOps.h.inc"

namespace mlir::pto {
void registerTensorOps(DialectRegistry &registry);
} // namespace mlir::pto

#endif // PTO_TENSOR_OPS_H
