//===- QueueOps.cpp - Rings between the cores of a cluster ------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"

using namespace mlir;
using namespace mlir::pto;

int64_t pto::getQueueSlotRows(BufType tile) {
  // Each of the two AIVs has half of a tile.
  return tile.getSpace() == MemorySpace::Vec ? 2 * tile.getRows() : tile.getRows();
}

static LogicalResult verifyId(Operation *op, int64_t id) {
  if (id >= 0 && id < kQueues)
    return success();
  return emitUserError(op) << "has id " << id << "; ids are 0 to " << kQueues - 1;
}

/// The ring holds whole tiles.
static LogicalResult verifyRing(Operation *op, Value ring, Value tile, int64_t id) {
  auto array = cast<GmType>(ring.getType());
  auto type = cast<BufType>(tile.getType());
  if (array.getShape().size() != 2 || ShapedType::isDynamicShape(array.getShape()))
    return emitUserError(op) << "the ring is an array of two known dimensions, found "
                             << valueWord(ring);
  if (ShapedType::isDynamicShape(type.getShape()))
    return emitUserError(op) << "a slot holds a tile of known size, found " << valueWord(tile);
  int64_t rows = getQueueSlotRows(type);
  if (array.getShape()[1] != type.getCols() || rows == 0 || array.getShape()[0] % rows != 0 ||
      array.getShape()[0] == 0)
    return emitUserError(op) << "the ring " << valueWord(ring) << " does not hold slots of "
                             << shapeWord({rows, type.getCols()}) << ", one above the other, which "
                             << valueWord(tile) << " needs";
  return verifyId(op, id);
}

LogicalResult BlockQueuePushOp::verify() {
  auto type = cast<BufType>(getSource().getType());
  Type element = cast<GmType>(getRing().getType()).getElementType();
  if (type.getSpace() != MemorySpace::Vec && type.getSpace() != MemorySpace::Acc)
    return emitUserError(*this) << "pushes tiles of Vec or Acc, found " << valueWord(getSource());
  bool narrows = type.getSpace() == MemorySpace::Acc && type.getElementType().isF32() &&
                 (element.isF16() || element.isBF16());
  if (type.getElementType() != element && !narrows)
    return emitUserError(*this) << "pushes " << valueWord(getSource()) << " into a ring of "
                                << dtypeWord(element);
  return verifyRing(*this, getRing(), getSource(), getId());
}

LogicalResult BlockQueuePopOp::verify() {
  auto type = cast<BufType>(getDst().getType());
  Type element = cast<GmType>(getRing().getType()).getElementType();
  if (type.getSpace() != MemorySpace::Vec && type.getSpace() != MemorySpace::Mat)
    return emitUserError(*this) << "pops into tiles of Vec or Mat, found " << valueWord(getDst());
  if (type.getElementType() != element)
    return emitUserError(*this) << "pops " << dtypeWord(element) << " into " << valueWord(getDst());
  return verifyRing(*this, getRing(), getDst(), getId());
}

LogicalResult BlockQueueFreeOp::verify() { return verifyId(*this, getId()); }
