//===- Signals.cpp - Signals between cores, mutexes, the data cache ----------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Reference/Launch.h"
#include "Reference/Translator.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

template <typename Op> static Index getId(Translator &to, Op op) {
  return op.getId() ? Index{static_cast<int64_t>(*op.getId()), -1}
                    : Index{0, to.getScalar(op.getDynamicId())};
}

//===----------------------------------------------------------------------===//
// Mutexes
//===----------------------------------------------------------------------===//

template <typename Op>
static LogicalResult addMutex(Translator &to, Op op,
                              LogicalResult (Order::*action)(unsigned, Pipe, int64_t,
                                                             Operation *)) {
  const TargetInfo &target = *to.program.target;
  Pipe pipe = op.getPipe();
  if (!target.hasMutex())
    return CheckError(Check::Instruction, op)
           << target.name << " has no mutexes; order the pipes with flags";
  if (failed(to.checkNamedPipe(op, pipe)))
    return failure();
  Index id = getId(to, op);
  Operation *operation = op;
  int64_t ids = target.mutexIds;
  to.add(op, [=](Core &core) {
    int64_t number = id.get(core.frame());
    if (number < 0 || number >= ids) {
      CheckError(Check::Bounds, operation)
          << "mutex " << number << " is not one of 0 to " << ids - 1;
      return Flow::Fail;
    }
    return next((core.cluster.order.*action)(core.number, pipe, number, operation));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Signals between cores
//===----------------------------------------------------------------------===//

/// The counter may be used in this mode.
static LogicalResult checkCounter(const TargetInfo &target, Operation *op, int64_t id,
                                  int64_t mode) {
  const CrossCoreInfo &info = target.crossCore;
  if (id < 0 || id >= info.ids)
    return CheckError(Check::Bounds, op)
           << "cross-core flag " << id << " is not one of 0 to " << info.ids - 1;
  if (target.hasCrossCoreId(mode, id))
    return success();
  return CheckError(Check::Instruction, op)
         << "cross-core flag " << id << " belongs to the hardware, as do all from "
         << info.firstReserved << " to " << info.lastReserved;
}

static LogicalResult addCrossCoreSet(Translator &to, BlockCrossCoreSetOp op) {
  Pipe pipe = op.getPipe();
  int64_t mode = op.getMode();
  Index id = getId(to, op);
  to.code.joinsBlocks |= mode == 0;
  if (failed(to.checkNamedPipe(op, pipe)))
    return failure();
  Operation *operation = op;
  const TargetInfo *target = to.program.target;
  to.add(op, [=](Core &core) {
    int64_t number = id.get(core.frame());
    if (failed(checkCounter(*target, operation, number, mode)))
      return Flow::Fail;
    return next(core.cluster.order.crossCoreSet(core.number, pipe, number, mode, operation));
  });
  return success();
}

static LogicalResult addCrossCoreWait(Translator &to, BlockCrossCoreWaitOp op) {
  int64_t mode = op.getMode();
  Index id = getId(to, op);
  to.code.joinsBlocks |= mode == 0;
  std::optional<Pipe> pipe = op.getPipe();
  if (pipe && *pipe != Pipe::ALL && failed(to.checkNamedPipe(op, *pipe)))
    return failure();
  const TargetInfo *target = to.program.target;
  // Elsewhere a wait holds all pipes, whichever it names; so does one of the scalar unit,
  // which issues what the others do.
  if (!target->crossCore.waitHoldsOnePipe || pipe == Pipe::ALL || pipe == Pipe::S)
    pipe = std::nullopt;
  Operation *operation = op;
  to.add(op, [=](Core &core) {
    int64_t number = id.get(core.frame());
    if (failed(checkCounter(*target, operation, number, mode)))
      return Flow::Fail;
    std::optional<LogicalResult> result =
        core.cluster.order.crossCoreWait(core.number, number, mode, pipe, operation);
    core.signalId = number;
    return result ? next(*result) : Flow::Wait;
  });
  return success();
}

static LogicalResult addSyncAll(Translator &to, BlockSyncAllOp op) {
  to.code.joinsBlocks = true;
  std::optional<CoreKind> kind = op.getCores();
  Operation *operation = op;
  to.add(op, [=](Core &core) {
    if (kind && core.kind != *kind) {
      CheckError(Check::CoreKind, operation)
          << "joins the cores of kind " << stringifyCoreKind(*kind).upper() << ", and "
          << core.cluster.coreWord(core.number) << " is none";
      return Flow::Fail;
    }
    SmallVector<unsigned, 3> participants;
    for (auto &other : core.cluster.cores)
      if (!kind || other->kind == *kind)
        participants.push_back(other->number);
    unsigned scope = !kind ? 0 : *kind == CoreKind::AIC ? 1 : 2;
    return core.cluster.order.syncAll(core.number, scope, participants) ? Flow::Next : Flow::Wait;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// The data cache
//===----------------------------------------------------------------------===//

static LogicalResult addDcci(Translator &to, BlockDcciOp op) {
  Instruction instruction = to.getElementInstruction(op);
  Operand source = to.getOperand(op.getSource());
  SmallVector<Index, 2> offsets =
      to.getIndices(getMixedValues(op.getStaticOffsets(), op.getOffsets(), op.getContext()));
  bool entire = op.getEntire();
  to.code.usesDataCache = true;
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    SmallVector<int64_t, 4> place =
        llvm::map_to_vector<4>(offsets, [&](const Index &index) { return index.get(frame); });
    if (entire)
      return next(core.cleanCache(instruction, source, std::nullopt));
    FailureOr<Window> window = getElement(core, instruction.op, source, place);
    if (failed(window))
      return Flow::Fail;
    return next(core.cleanCache(instruction, source, window->base));
  });
  return success();
}

std::optional<LogicalResult> Translator::addSignal(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case<BlockMutexLockOp>([&](auto op) { return addMutex(*this, op, &Order::mutexLock); })
      .Case<BlockMutexUnlockOp>([&](auto op) { return addMutex(*this, op, &Order::mutexUnlock); })
      .Case<BlockCrossCoreSetOp>([&](auto op) { return addCrossCoreSet(*this, op); })
      .Case<BlockCrossCoreWaitOp>([&](auto op) { return addCrossCoreWait(*this, op); })
      .Case<BlockSyncAllOp>([&](auto op) { return addSyncAll(*this, op); })
      .Case<BlockDcciOp>([&](auto op) { return addDcci(*this, op); })
      .Default([](Operation *) { return std::nullopt; });
}
