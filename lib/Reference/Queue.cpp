//===- Queue.cpp - Rings between the cores of a cluster ----------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A push is a wait for a free slot, a store, and a signal; a pop a wait and a load.
// The waits hold the whole core, as those of cross-core flags do.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Reference/Instructions.h"
#include "Reference/Launch.h"
#include "Reference/Translator.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

namespace {
/// A push or pop, resolved.
struct QueueStep {
  Instruction instruction;
  Operand tile, ring;
  int64_t id, slots, slotRows;

  /// The rows of a slot that this core pushes or pops.
  FailureOr<Window> getWindow(Core &core, int64_t slot, const Window &window) const {
    int64_t row = slot * slotRows + (window.rows < slotRows ? core.subblock * window.rows : 0);
    return core.getArrayWindow(instruction.op, ring.value, core.frame().arrays[ring.index],
                               {row, 0}, window.rows, window.cols);
  }
};
} // namespace

/// A queue joins cores of a cluster.
static LogicalResult checkCluster(Core &core, Operation *op) {
  if (core.cluster.order.getCores() > 1)
    return success();
  return CheckError(Check::CoreKind, op)
         << "a queue joins the AIC and the AIVs of a cluster; this kernel runs on one core";
}

static FailureOr<QueueStep> getStep(Translator &to, Operation *op, Value tile, Value ring,
                                    int64_t id, Pipe pipe) {
  QueueStep step;
  auto type = cast<BufType>(tile.getType());
  if (std::optional<CoreKind> core = to.getCore();
      core && to.program.target->getCore(type.getSpace()) != *core)
    return CheckError(Check::CoreKind, op)
           << "names " << valueWord(tile) << ", which a core of kind "
           << stringifyCoreKind(*core).upper() << " does not have";
  if (!getElem(type.getElementType()))
    return emitUserError(op) << "takes tiles of FP16, BF16, FP32 or INT32, found "
                             << valueWord(tile);
  step.instruction.op = op;
  step.instruction.pipe = pipe;
  step.instruction.isFinal = to.code.isFinal;
  step.instruction.target = to.program.target;
  step.instruction.set = &to.program.checks;
  step.tile = to.getOperand(tile);
  step.ring = to.getOperand(ring);
  step.id = id;
  step.slotRows = getQueueSlotRows(type);
  step.slots = getShapeOf(ring.getType())[0] / step.slotRows;
  return step;
}

static LogicalResult addPush(Translator &to, BlockQueuePushOp op) {
  bool vector = cast<BufType>(op.getSource().getType()).getSpace() == MemorySpace::Vec;
  FailureOr<QueueStep> step =
      getStep(to, op, op.getSource(), op.getRing(), op.getId(), vector ? Pipe::MTE3 : Pipe::FIX);
  if (failed(step))
    return failure();
  to.add(op, [step = *step](Core &core) {
    const Instruction &instruction = step.instruction;
    Order &order = core.cluster.order;
    const ArrayView &view = core.frame().arrays[step.ring.index];
    if (failed(checkCluster(core, instruction.op)) ||
        failed(checkWritable(instruction.op, step.ring.value, view)))
      return Flow::Fail;
    std::optional<int64_t> slot = order.queuePush(core.number, step.id, step.slots);
    if (!slot)
      return Flow::Wait;
    Window src = core.getWindow(step.tile);
    FailureOr<Window> dst = step.getWindow(core, *slot, src);
    if (failed(dst) || failed(core.access(instruction, src, *dst)))
      return Flow::Fail;
    copyElements(core, src, *dst);
    order.queueTell(core.number, instruction.pipe, step.id, /*free=*/false, instruction.op);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addPop(Translator &to, BlockQueuePopOp op) {
  FailureOr<QueueStep> step = getStep(to, op, op.getDst(), op.getRing(), op.getId(), Pipe::MTE2);
  if (failed(step))
    return failure();
  to.add(op, [step = *step](Core &core) {
    const Instruction &instruction = step.instruction;
    if (failed(checkCluster(core, instruction.op)))
      return Flow::Fail;
    std::optional<int64_t> slot =
        core.cluster.order.queuePop(core.number, step.id, step.slots, instruction.op);
    if (!slot)
      return Flow::Wait;
    Window dst = core.getWindow(step.tile);
    FailureOr<Window> src = step.getWindow(core, *slot, dst);
    if (failed(src) || failed(core.access(instruction, *src, dst)))
      return Flow::Fail;
    copyElements(core, *src, dst);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addFree(Translator &to, BlockQueueFreeOp op) {
  Operation *operation = op;
  int64_t id = op.getId();
  to.add(op, [=](Core &core) {
    return next(success(succeeded(checkCluster(core, operation)) &&
                        succeeded(core.cluster.order.queueFree(core.number, id, operation))));
  });
  return success();
}

std::optional<LogicalResult> Translator::addQueueOp(Operation *op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<BlockQueuePushOp>([&](auto op) { return addPush(*this, op); })
      .Case<BlockQueuePopOp>([&](auto op) { return addPop(*this, op); })
      .Case<BlockQueueFreeOp>([&](auto op) { return addFree(*this, op); })
      .Default([](Operation *) { return std::nullopt; });
}
