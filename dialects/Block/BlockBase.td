//===- BlockBase.td - What operations of the block family share --*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_BLOCK_BASE_TD
#define PTO_BLOCK_BASE_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Pto/PtoTypes.td"

class Pto_BlockOp<string mnemonic, list<Trait> traits = []>
    : Pto_Op<"block." # mnemonic, !listconcat([BlockLevel], traits)> {
  let cppNamespace = "::mlir::pto";
}

// What orders pipes or cores, or is seen from outside: never removed, never
// moved past another memory operation.
class Pto_BlockSyncOp<string mnemonic, list<Trait> traits = []>
    : Pto_BlockOp<mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)>;

// MLIR's own I64Attr answers unsigned numbers, of which none is negative.
def Pto_NumberAttr : TypedSignlessIntegerAttrBase<I64, "int64_t",
    "64-bit signless integer attribute">;

#endif // PTO_BLOCK_BASE_TD
