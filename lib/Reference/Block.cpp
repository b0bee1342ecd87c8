//===- Block.cpp - Cores, tasks, flags --------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Reference/Launch.h"
#include "Reference/Translator.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// A section is run by the cores of its kind; the others go past it.
LogicalResult Translator::addSection(Operation *operation) {
  auto op = cast<BlockSectionOp>(operation);
  CoreKind kind = op.getCore();
  int32_t branch =
      add(op, [kind](Core &core) { return core.kind == kind ? Flow::Next : Flow::Jump; });
  core = kind;
  LogicalResult result = addBlock(op.getBody().front());
  core = std::nullopt;
  setTarget(branch, getNext());
  return result;
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

namespace {
/// Flags of one core: pipes that it has, a pair that the chip joins, an id.
template <typename Op>
LogicalResult addFlag(Translator &to, Op op, std::optional<CoreKind> core,
                      LogicalResult (Order::*action)(unsigned, Pipe, Pipe, int64_t, Operation *)) {
  const TargetInfo &target = *to.program.target;
  Pipe src = op.getSrc(), dst = op.getDst();
  bool checks = to.program.checks.has(Check::CoreKind);
  if (checks && !target.hasFlag(src, dst))
    return CheckError(Check::CoreKind, op)
           << target.name << " has no flag from " << pipeWord(src) << " to " << pipeWord(dst);
  for (Pipe pipe : {src, dst})
    if (checks && core && !target.hasPipe(*core, pipe))
      return CheckError(Check::CoreKind, op)
             << "names pipe " << pipeWord(pipe) << ", which a core of kind "
             << stringifyCoreKind(*core).upper() << " does not have";
  Index id = op.getId() ? Index{static_cast<int64_t>(*op.getId()), -1}
                        : Index{0, to.getScalar(op.getDynamicId())};
  Operation *operation = op;
  int64_t ids = target.eventIds;
  to.add(op, [=](Core &core) {
    int64_t number = id.get(core.frame());
    if (number < 0 || number >= ids) {
      CheckError(Check::Bounds, operation)
          << "event id " << number << " is not within 0 to " << ids - 1;
      return Flow::Fail;
    }
    return next((core.cluster.order.*action)(core.number, src, dst, number, operation));
  });
  return success();
}
} // namespace

/// The core has the pipe that the operation names.
static LogicalResult checkNamedPipe(Translator &to, Operation *op, Pipe pipe) {
  std::optional<CoreKind> core = to.getCore();
  if (!core || to.program.target->hasPipe(*core, pipe) || !to.program.checks.has(Check::CoreKind))
    return success();
  return CheckError(Check::CoreKind, op)
         << "names pipe " << pipeWord(pipe) << ", which a core of kind "
         << stringifyCoreKind(*core).upper() << " does not have";
}

static LogicalResult addBarrier(Translator &to, BlockBarrierOp op) {
  Pipe pipe = op.getPipe();
  if (pipe == Pipe::S)
    return emitUserError(op) << "the scalar unit runs in order; there is no barrier for it";
  if (failed(checkNamedPipe(to, op, pipe)))
    return failure();
  to.add(op, [pipe](Core &core) {
    core.cluster.order.barrier(core.number, pipe);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addCrossCoreSet(Translator &to, BlockCrossCoreSetOp op) {
  Pipe pipe = op.getPipe();
  if (!op.getId())
    return emitUserError(op) << "has an id known at run time only, which the model does not run yet";
  int64_t id = *op.getId(), mode = op.getMode();
  to.code.joinsBlocks |= mode == 0;
  if (failed(checkNamedPipe(to, op, pipe)))
    return failure();
  Operation *operation = op;
  to.add(op, [=](Core &core) {
    return next(core.cluster.order.crossCoreSet(core.number, pipe, id, mode, operation));
  });
  return success();
}

static LogicalResult addCrossCoreWait(Translator &to, BlockCrossCoreWaitOp op) {
  if (!op.getId())
    return emitUserError(op) << "has an id known at run time only, which the model does not run yet";
  int64_t id = *op.getId(), mode = op.getMode();
  to.code.joinsBlocks |= mode == 0;
  Operation *operation = op;
  to.add(op, [=](Core &core) {
    std::optional<LogicalResult> result =
        core.cluster.order.crossCoreWait(core.number, id, mode, operation);
    return result ? next(*result) : Flow::Wait;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Identity and printing
//===----------------------------------------------------------------------===//

template <typename Function>
static LogicalResult addIdentity(Translator &to, Operation *op, Function function) {
  int32_t dst = to.getScalar(op->getResult(0));
  to.add(op, [=](Core &core) {
    core.frame().scalars[dst].i = function(core);
    return Flow::Next;
  });
  return success();
}

namespace {
/// A scalar to print, and the bits of its type.
struct Printed {
  int32_t scalar;
  unsigned width;
};
} // namespace

static std::string formatPrint(StringRef format, ArrayRef<Printed> args, const Frame &frame) {
  std::string text;
  llvm::raw_string_ostream os(text);
  unsigned arg = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      os << format[i];
      continue;
    }
    char kind = format[++i];
    if (kind == '%') {
      os << '%';
      continue;
    }
    auto [scalar, width] = args[arg++];
    const Scalar &value = frame.scalars[scalar];
    uint64_t bits = width >= 64 ? value.i : value.i & ((uint64_t(1) << width) - 1);
    if (kind == 'f')
      os << llvm::format("%f", value.f);
    else if (kind == 'x')
      os << llvm::format("%llx", static_cast<unsigned long long>(bits));
    else if (kind == 'u')
      os << bits;
    else
      os << value.i;
  }
  return text;
}

static LogicalResult addPrint(Translator &to, BlockPrintOp op) {
  SmallVector<Printed> args;
  for (Value value : op.getArgs())
    args.push_back({to.getScalar(value),
                    value.getType().isIndex() ? 64 : value.getType().getIntOrFloatBitWidth()});
  StringRef format = op.getFormat(); // lives as long as the module
  to.add(op, [=](Core &core) {
    core.cluster.print(formatPrint(format, args, core.frame()));
    return Flow::Next;
  });
  return success();
}

std::optional<LogicalResult> Translator::addBlockOp(Operation *op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<BlockSectionOp>([&](auto op) { return addSection(op); })
      .Case<BlockSetFlagOp>([&](auto op) { return addFlag(*this, op, core, &Order::setFlag); })
      .Case<BlockWaitFlagOp>([&](auto op) { return addFlag(*this, op, core, &Order::waitFlag); })
      .Case<BlockBarrierOp>([&](auto op) { return addBarrier(*this, op); })
      .Case<BlockCrossCoreSetOp>([&](auto op) { return addCrossCoreSet(*this, op); })
      .Case<BlockCrossCoreWaitOp>([&](auto op) { return addCrossCoreWait(*this, op); })
      .Case<BlockPrintOp>([&](auto op) { return addPrint(*this, op); })
      .Case<BlockGetBlockIdxOp>([&](auto op) {
        return addIdentity(*this, op, [](Core &core) { return int64_t(core.cluster.number); });
      })
      .Case<BlockGetBlockNumOp>([&](auto op) {
        return addIdentity(*this, op, [](Core &core) { return core.launch.task.blocks; });
      })
      .Case<BlockGetSubblockIdxOp>(
          [&](auto op) { return addIdentity(*this, op, [](Core &core) { return core.subblock; }); })
      .Default([](Operation *) { return std::nullopt; });
}
