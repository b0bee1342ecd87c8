//===- PinnedTiles.cpp - Tiles at the author's addresses -------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/PinnedTiles.h"

#include "Pto/Words.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::pto;

static BufType typeOf(TileAllocOp alloc) { return cast<BufType>(alloc.getResult().getType()); }

ByteRuns pto::getPinnedBytes(ArrayRef<TileAllocOp> allocs) {
  ByteRuns runs;
  for (TileAllocOp alloc : allocs) {
    ArrayRef<int64_t> addresses = *alloc.getAddrs();
    for (int64_t address : addresses)
      runs.push_back({address, address + typeOf(alloc).getRootBytes()});
  }
  sortAndMerge(runs);
  return runs;
}

namespace {
/// What is in a tile while a piece of straight code runs.
struct Contents {
  ByteRuns written;                                   // by this piece, through the tile
  SmallVector<std::pair<ByteRuns, Operation *>> lost; // of it: written over, and by which
};

class OverlapCheck {
public:
  void walk(Block &block);
  bool failedAny = false;

private:
  void instruction(InstructionInterface op);
  void read(Operation *op, Value buffer);
  void write(Operation *op, Value buffer);

  llvm::MapVector<Operation *, Contents> tiles;
};
} // namespace

static std::string tileWord(TileAllocOp alloc) { return valueWord(alloc.getResult()); }

void OverlapCheck::read(Operation *op, Value buffer) {
  WindowBytes window = getWindowBytes(buffer);
  auto *found = window.alloc ? tiles.find(window.alloc) : tiles.end();
  if (found == tiles.end() || !window.bytes)
    return;
  for (auto &[bytes, by] : found->second.lost) {
    ByteRuns shared = intersect(bytes, *window.bytes);
    if (shared.empty())
      continue;
    TileAllocOp other;
    for (OpOperand *operand : cast<InstructionInterface>(by).getWrittenOperands())
      if (isa<BufType>(operand->get().getType()))
        other = getWindowBytes(operand->get()).alloc;
    failedAny = true;
    InFlightDiagnostic error = emitUserError(op)
                               << "reads " << tileWord(window.alloc) << ", of which bytes "
                               << shared.front().first << " to " << shared.front().second
                               << " are overwritten: they hold " << tileWord(other) << " by now";
    error.attachNote(by->getLoc()) << operationWord(by) << " writes " << tileWord(other)
                                   << " there; let the two lie apart, or read the first before";
    error.attachNote(window.alloc.getLoc())
        << tileWord(window.alloc) << " has bytes " << (*window.alloc.getAddrs())[0] << " to "
        << (*window.alloc.getAddrs())[0] + typeOf(window.alloc).getRootBytes();
    error.attachNote(other.getLoc())
        << tileWord(other) << " has bytes " << (*other.getAddrs())[0] << " to "
        << (*other.getAddrs())[0] + typeOf(other).getRootBytes();
    found->second.lost.clear(); // told once
    return;
  }
}

void OverlapCheck::write(Operation *op, Value buffer) {
  WindowBytes window = getWindowBytes(buffer);
  if (!window.alloc || !window.alloc.getPinned())
    return;
  Contents &own = tiles[window.alloc];
  if (!window.bytes) { // somewhere in it
    own = {};
    return;
  }
  own.written.append(window.bytes->begin(), window.bytes->end());
  sortAndMerge(own.written);
  for (auto &[bytes, by] : own.lost)
    bytes = subtract(bytes, *window.bytes);
  MemorySpace space = typeOf(window.alloc).getSpace();
  for (auto &[alloc, contents] : tiles) {
    if (alloc == window.alloc || typeOf(cast<TileAllocOp>(alloc)).getSpace() != space)
      continue;
    ByteRuns gone = intersect(contents.written, *window.bytes);
    if (gone.empty())
      continue;
    contents.written = subtract(contents.written, gone);
    contents.lost.push_back({std::move(gone), op});
  }
}

void OverlapCheck::instruction(InstructionInterface op) {
  for (OpOperand *operand : op.getReadOperands())
    if (isa<BufType>(operand->get().getType()))
      read(op, operand->get());
  for (OpOperand *operand : op.getWrittenOperands())
    if (isa<BufType>(operand->get().getType()))
      write(op, operand->get());
}

void OverlapCheck::walk(Block &block) {
  tiles.clear();
  for (Operation &op : block) {
    if (auto found = dyn_cast<InstructionInterface>(op))
      instruction(found);
    else if (op.getNumRegions() != 0)
      tiles.clear(); // what happens in there is not followed
  }
}

LogicalResult pto::checkPinnedOverlaps(func::FuncOp func) {
  OverlapCheck check;
  func.walk([&](Block *block) { check.walk(*block); });
  return failure(check.failedAny);
}
