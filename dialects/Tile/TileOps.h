//===- TileOps.h - The tile family -------------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TILE_OPS_H
#define PTO_TILE_OPS_H

#include "Pto/PtoInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::pto {

/// Rules that a class of operations shares; see the `.td` file of each.
LogicalResult verifyTileCompute(Operation *op);
LogicalResult verifySameShapeAndElement(Operation *op);
LogicalResult verifyRowReduce(Operation *op);
LogicalResult verifyRowExpand(Operation *op);
LogicalResult verifyColReduce(Operation *op);
LogicalResult verifyColExpand(Operation *op);
LogicalResult verifyUpdatesFirst(Operation *op);
LogicalResult verifyValueFormOnly(Operation *op);
#define PTO_VERIFYING_TRAIT(NAME)                                                                  \
  template <typename Op> struct NAME : OpTrait::TraitBase<Op, NAME> {                              \
    static LogicalResult verifyTrait(Operation *op) { return verify##NAME(op); }                   \
  };
PTO_VERIFYING_TRAIT(TileCompute)
PTO_VERIFYING_TRAIT(SameShapeAndElement)
PTO_VERIFYING_TRAIT(RowReduce)
PTO_VERIFYING_TRAIT(RowExpand)
PTO_VERIFYING_TRAIT(ColReduce)
PTO_VERIFYING_TRAIT(ColExpand)
PTO_VERIFYING_TRAIT(UpdatesFirst)
PTO_VERIFYING_TRAIT(ValueFormOnly)
#undef PTO_VERIFYING_TRAIT
template <typename Op> struct MovesBits : OpTrait::TraitBase<Op, MovesBits> {};
template <typename Op> struct NotInPlace : OpTrait::TraitBase<Op, NotInPlace> {};

/// The lanes of one vector repeat (256 bytes), and of one 32-byte block.
int64_t getRepeatLanes(Type elementType);
int64_t getBlockLanes(Type elementType);

} // namespace mlir::pto

#define GET_OP_CLASSES
#include "Tile/TileOps.h.inc"

namespace mlir::pto {
void registerTileOps(DialectRegistry &registry);
} // namespace mlir::pto

#endif // PTO_TILE_OPS_H
