//===- BlockOps.h - The block family -----------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_BLOCK_OPS_H
#define PTO_BLOCK_OPS_H

#include "Pto/Pto.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "Block/BlockOps.h.inc"

namespace mlir::pto {
void registerBlockOps(DialectRegistry &registry);

/// The queues that a cluster may have.
inline constexpr int64_t kQueues = 4;
/// The rows of a ring that one tile takes, of which a core pushes or pops `tile`.
int64_t getQueueSlotRows(BufType tile);
} // namespace mlir::pto

#endif // PTO_BLOCK_OPS_H
