//===- LegalizeBuffers.cpp - Legalization of operations on buffers ---------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// PyPTO Pro writes operations on buffers. The rules of pto-legalize are about
// values, so such an operation becomes one on values between two casts, is
// legalized, and what came of it goes back to buffers: the last step writes the
// author's destination, the others scratch.
//
//===----------------------------------------------------------------------===//

#include "Transforms/LegalizeBuffers.h"
#include "Pto/Words.h"
#include "Transforms/Expander.h"
#include "Transforms/Extents.h"
#include "Transforms/TileControlFlow.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pto;

namespace {
/// A buffer, how large its window is, and whether its values follow each other.
struct Held {
  Value buffer;
  OpFoldResult sizes[2];
  int64_t bounds[2];
  bool column = false;
};

class Rewriting {
public:
  Rewriting(TileComputeInterface op, const TargetInfo &target) : op(op), target(target) {}
  LogicalResult run(llvm::function_ref<LogicalResult(Operation *)> legalize);

private:
  Held hold(Value buffer) const;
  /// Where a step's result lies.
  Held getResult(TileComputeInterface step);
  Value makeScratch(TileComputeInterface step, const Held &like);
  void toBuffers(TileComputeInterface step, bool last);

  TileComputeInterface op;
  const TargetInfo &target;
  Held dst;
  DenseMap<Value, Held> held; // by the value that stands for it
};
} // namespace

Held Rewriting::hold(Value buffer) const {
  BoundedExtent rows = getWindowExtent(buffer, 0), cols = getWindowExtent(buffer, 1);
  return {buffer, {rows.size, cols.size}, {rows.bound, cols.bound}, isVector(typeOf(buffer))};
}

static TileType valueType(const Held &held) {
  Type element = typeOf(held.buffer).getElementType();
  return TileType::get(element.getContext(), held.bounds, element, std::nullopt, std::nullopt);
}

static Value asValue(OpBuilder &builder, Location loc, const Held &held) {
  return UnrealizedConversionCastOp::create(builder, loc, valueType(held), held.buffer)
      .getResult(0);
}

Held Rewriting::getResult(TileComputeInterface step) {
  // Of a scalar in every element: as large as what it meets.
  Value first = op.getSources().front();
  Held like =
      isa<TileFullOp>(step.getOperation()) && isa<BufType>(first.getType()) ? hold(first) : dst;
  Held made = like;
  OperandRange sources = step.getSources();
  for (unsigned dim : {0u, 1u}) {
    ExtentRule rule = step.getExtentRule(sources.size(), dim);
    auto source = rule.source < 0 ? held.end() : held.find(sources[rule.source]);
    if (source == held.end())
      continue;
    made.sizes[dim] = divideExtent(source->second.sizes[rule.dim], rule.divisor, step);
    made.bounds[dim] = llvm::divideCeil(source->second.bounds[rule.dim], rule.divisor);
    if (dim == 1)
      made.column = source->second.column;
  }
  if (step->hasTrait<RowReduce>()) {
    made.sizes[1] = Builder(op.getContext()).getIndexAttr(1);
    made.bounds[1] = 1;
    made.column = true;
  }
  return made;
}

Value Rewriting::makeScratch(TileComputeInterface step, const Held &like) {
  Block *home = &op->getParentOfType<func::FuncOp>().getBody().front();
  if (auto section = op->getParentOfType<BlockSectionOp>())
    home = &section.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(home);
  Operation *last = nullptr;
  for (TileAllocOp alloc : home->getOps<TileAllocOp>())
    last = alloc;
  if (last)
    builder.setInsertionPointAfter(last);
  Type element = getElementTypeOf(step->getResult(0).getType());
  bool column = like.column;
  int64_t shape[] = {like.bounds[0], like.bounds[1]};
  int64_t &run = shape[column ? 0 : 1];
  run = llvm::alignTo(run, std::max<int64_t>(getBlockLanes(element), column ? kVectorGroup : 1));
  StringRef name = nameOf(dst.buffer);
  Location loc = renamed(op->getLoc(), name.empty() ? "step" : (name + "_step").str());
  auto type =
      BufType::get(shape, element, MemorySpace::Vec, column ? TileLayout::DN : TileLayout::ND);
  auto alloc = TileAllocOp::create(builder, loc, type, DenseI64ArrayAttr(), /*pinned=*/false);
  alloc->setAttr(attr::kReason,
                 builder.getStringAttr("holds a step of " + operationWord(op) + ", for which the " +
                                       target.name + " has no single instruction"));
  return alloc;
}

void Rewriting::toBuffers(TileComputeInterface step, bool last) {
  OpBuilder builder(step);
  Held made = dst;
  if (!last) {
    made = getResult(step);
    builder.setInsertionPoint(step);
    OpFoldResult zero = builder.getIndexAttr(0);
    made.buffer = getPiece(builder, step->getLoc(), makeScratch(step, made), {zero, zero},
                           {made.sizes[0], made.sizes[1]});
  }
  OperationState state(step->getLoc(), step->getName());
  for (Value source : step.getSources()) {
    auto found = held.find(source);
    state.addOperands(found == held.end() ? source : found->second.buffer);
  }
  state.addOperands(made.buffer);
  state.addAttributes(step->getAttrs());
  builder.create(state);
  held[step->getResult(0)] = made;
}

LogicalResult Rewriting::run(llvm::function_ref<LogicalResult(Operation *)> legalize) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  dst = hold(op.getDestination());
  SmallVector<Operation *> casts;
  OperationState state(loc, op->getName());
  for (Value source : op.getSources()) {
    if (!isa<BufType>(source.getType())) {
      state.addOperands(source);
      continue;
    }
    Held found = hold(source);
    Value value = asValue(builder, loc, found);
    held[value] = found;
    casts.push_back(value.getDefiningOp());
    state.addOperands(value);
  }
  state.addTypes(valueType(dst));
  state.addAttributes(op->getAttrs());
  Operation *value = builder.create(state);
  auto end =
      UnrealizedConversionCastOp::create(builder, loc, dst.buffer.getType(), value->getResult(0));
  Operation *before = value->getPrevNode();
  if (failed(legalize(value)))
    return failure();
  SmallVector<Operation *> steps;
  for (Operation *at = before ? before->getNextNode() : &end->getBlock()->front(); at != end;
       at = at->getNextNode())
    if (isa<TileComputeInterface>(at))
      steps.push_back(at);
  Value result = end.getOperand(0);
  for (Operation *step : steps)
    toBuffers(cast<TileComputeInterface>(step),
              step == steps.back() && result.getDefiningOp() == step);
  if (held[result].buffer != dst.buffer)
    TileOrOp::create(builder, loc, Type(), held[result].buffer, held[result].buffer, dst.buffer);
  end->erase();
  for (Operation *step : llvm::reverse(steps))
    step->erase();
  for (Operation *one : casts)
    one->erase();
  op->erase();
  return success();
}

LogicalResult pto::legalizeOnBuffers(TileComputeInterface op, const TargetInfo &target,
                                     llvm::function_ref<LogicalResult(Operation *)> legalize) {
  return Rewriting(op, target).run(legalize);
}
