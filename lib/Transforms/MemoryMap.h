//===- MemoryMap.h - Who holds which bytes when ------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_MEMORYMAP_H
#define PTO_TRANSFORMS_MEMORYMAP_H

#include "Tile/TileOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace mlir::pto {

/// The kernels of a module that has allocations: for each its spaces with their
/// capacity, the allocations with addresses (none before pto-plan-memory), names,
/// lines and the points between which they hold something, and what happens at the
/// points: operations and loops. Fails after an error if the module names no chip.
FailureOr<llvm::json::Value> describeMemory(ModuleOp module);

/// A line of a picture of a space.
struct MemoryRow {
  TileAllocOp alloc;
  int64_t bytes;
  int64_t address = -1; // unknown
  bool overflows = false;
};

/// "'t', [64, 128] FP32"; how often, if there are several slots.
std::string allocWord(TileAllocOp alloc);

/// Who holds how much of a space of `capacity` bytes at one point: a bar, the size,
/// the name and the line of each, those with addresses in their order.
std::string drawMemory(SmallVector<MemoryRow> rows, int64_t capacity);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_MEMORYMAP_H
