//===- ArrayStates.cpp - Which array a tensor value names -----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/ArrayStates.h"

#include "Tensor/TensorOps.h"
#include "Tile/TileOps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pto;

OpOperand *pto::getWrittenArray(Operation *op) {
  if (auto assemble = dyn_cast<TensorAssembleOp>(op))
    return &assemble.getTargetMutable();
  if (auto write = dyn_cast<TensorWriteOp>(op))
    return &write.getTargetMutable();
  auto instruction = dyn_cast<InstructionInterface>(op);
  if (!instruction || op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return nullptr;
  SmallVector<OpOperand *> written = instruction.getWrittenOperands();
  return written.size() == 1 ? written.front() : nullptr;
}

bool pto::coversArray(Operation *op) {
  SmallVector<OpFoldResult> offsets;
  Type source;
  if (auto assemble = dyn_cast<TensorAssembleOp>(op)) {
    offsets = assemble.getMixedOffsets();
    source = assemble.getSource().getType();
  } else if (auto store = dyn_cast<TileStoreOp>(op)) {
    // The valid region of the tile may be smaller than the tile: only a load of
    // full extent says that it is not.
    auto load = store.getSource().getDefiningOp<TileLoadOp>();
    if (!load || !load.getStaticValid().empty())
      return false;
    offsets = store.getMixedOffsets();
    source = store.getSource().getType();
  }
  return source && getShapeOf(source) == getShapeOf(op->getResult(0).getType()) &&
         llvm::all_of(offsets, isZeroInteger);
}

ArrayStates::ArrayStates(Region &region) : region(region) {
  // A carried value is taken for a state of its initial array until the yield
  // says otherwise; each round finds at least one temporary more.
  do {
    changed = false;
    arrays.clear();
    for (Block &block : region)
      visit(block);
  } while (changed);
}

Value ArrayStates::getArray(Value value) const {
  if (!isa<RankedTensorType>(value.getType()))
    return {};
  auto found = arrays.find(value);
  if (found != arrays.end())
    return found->second;
  Region *parent = value.getParentRegion();
  if (parent == &region)
    return isa<BlockArgument>(value) ? value : Value();
  return region.isAncestor(parent) ? Value() : value;
}

void ArrayStates::visit(Block &block) {
  for (Operation &op : block) {
    if (OpOperand *written = getWrittenArray(&op)) {
      if (Value array = getArray(written->get()))
        arrays[op.getResult(0)] = array;
    } else if (auto loop = ValueLoop::get(&op)) {
      visitLoop(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      visitIf(branch);
    } else {
      for (Region &inner : op.getRegions())
        for (Block &innerBlock : inner)
          visit(innerBlock);
    }
  }
}

void ArrayStates::visitLoop(ValueLoop loop) {
  for (unsigned i = 0; i < loop.getNumCarried(); ++i) {
    Value arg = loop.getArgument(i), head = loop.getHeadArgument(i);
    Value array = getArray(loop.getInit(i).get());
    if (!array || temporaries.contains(arg))
      continue;
    arrays[arg] = array;
    if (head)
      arrays[head] = array;
  }
  if (auto heading = dyn_cast<scf::WhileOp>(loop.getOperation()))
    visit(*heading.getBeforeBody());
  visit(*loop.getBody());
  for (unsigned i = 0; i < loop.getNumCarried(); ++i) {
    Value arg = loop.getArgument(i);
    auto array = arrays.find(arg);
    if (array == arrays.end())
      continue;
    if (getArray(loop.getYielded(i).get()) == array->second) {
      Value value = array->second;
      arrays[loop.getResult(i)] = value;
    } else if (temporaries.insert(arg).second) {
      changed = true;
    }
  }
}

void ArrayStates::visitIf(scf::IfOp branch) {
  for (Region *inner : branch.getRegions())
    for (Block &block : *inner)
      visit(block);
  if (branch.getNumResults() == 0 || branch.getElseRegion().empty())
    return;
  for (auto [index, result] : llvm::enumerate(branch.getResults())) {
    Value first = getArray(branch.thenYield().getOperand(index));
    if (first && first == getArray(branch.elseYield().getOperand(index)))
      arrays[result] = first;
  }
}
