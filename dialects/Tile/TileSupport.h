//===- TileSupport.h - What generated tile operations call -----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TILE_SUPPORT_H
#define PTO_TILE_SUPPORT_H

#include "Pto/Assembly.h"
#include "Tile/TileOps.h"

namespace mlir::pto {

/// Value form or buffer form of an operation with sources and one destination.
ParseResult parseTileCompute(OpAsmParser &parser, OperationState &result);
void printTileCompute(Operation *op, OpAsmPrinter &printer);

/// What an instruction touches; see PtoInterfaces.td.
SmallVector<OpOperand *> getTileSources(TileComputeInterface op);
SmallVector<OpOperand *> getTileDestination(TileComputeInterface op);
void getInstructionEffects(
    InstructionInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects);

/// The extents of an operation as its traits say them: those of the first tile among the
/// sources, but for the column of a reduction and the like.
ExtentRule getTraitExtentRule(TileComputeInterface op, unsigned index, unsigned dim);
/// Those of a product, whose operands are sources `lhs` and `lhs` + 1; a further source is an
/// accumulator (in front of them) or a row of biases (behind).
ExtentRule getProductExtentRule(TileComputeInterface op, unsigned index, unsigned dim,
                                unsigned lhs);

/// Where the source of a slice is that is made in `space`: in Mat, if that is not Vec.
std::optional<MemorySpace> getSlicedSpace(std::optional<MemorySpace> space);

/// The pipe of a copy between two spaces of a core.
std::optional<Pipe> getMovePipe(TileMoveOp op);

} // namespace mlir::pto

#endif // PTO_TILE_SUPPORT_H
