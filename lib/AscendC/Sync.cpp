//===- Sync.cpp - Flags, mutexes, barriers, block numbers -----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Block/BlockOps.h"
#include "Pto/Words.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

static std::string pipeWord(Pipe pipe) { return stringifyPipe(pipe).upper(); }

//===----------------------------------------------------------------------===//
// Within a core
//===----------------------------------------------------------------------===//

/// The id of a flag, mutex or counter: as a number if it is known.
template <typename Op> static std::optional<int64_t> knownId(Printer &printer, Op op) {
  if (op.getDynamicId())
    return printer.sum(op.getDynamicId()).getConstant();
  return *op.getId();
}
template <typename Op> static std::string idOf(Printer &printer, Op op) {
  return op.getDynamicId() ? printer.str(op.getDynamicId()) : std::to_string(*op.getId());
}

template <typename Op> static LogicalResult printFlag(Printer &printer, Op op, StringRef call) {
  if (failed(printer.checkPipe(op, op.getSrc())) || failed(printer.checkPipe(op, op.getDst())))
    return failure();
  if (!printer.target.hasFlag(op.getSrc(), op.getDst()))
    return emitUserError(op) << "joins pipe " << stringifyPipe(op.getSrc()) << " to pipe "
                             << stringifyPipe(op.getDst()) << ", for which " << printer.target.name
                             << " has no event";
  std::optional<int64_t> known = knownId(printer, op);
  if (known && (*known < 0 || *known >= printer.target.eventIds))
    return emitUserError(op) << "has event id " << *known << "; ids are 0 to "
                             << printer.target.eventIds - 1;
  printer.at(op);
  printer.call(call.str() + "<HardEvent::" + pipeWord(op.getSrc()) + "_" + pipeWord(op.getDst()) +
                   ">",
               {op.getDynamicId() ? idOf(printer, op) : "EVENT_ID" + idOf(printer, op)});
  return success();
}

static LogicalResult printSetFlag(Printer &printer, BlockSetFlagOp op) {
  return printFlag(printer, op, "SetFlag");
}
static LogicalResult printWaitFlag(Printer &printer, BlockWaitFlagOp op) {
  return printFlag(printer, op, "WaitFlag");
}

static LogicalResult printBarrier(Printer &printer, BlockBarrierOp op) {
  if (op.getPipe() == Pipe::S)
    return emitUserError(op) << "holds pipe s, which has no barrier; it does one thing after the "
                                "other";
  if (failed(printer.checkPipe(op, op.getPipe())))
    return failure();
  printer.at(op);
  printer.line("PipeBarrier<PIPE_" + pipeWord(op.getPipe()) + ">();");
  return success();
}

template <typename Op> static LogicalResult printMutex(Printer &printer, Op op, StringRef call) {
  if (!printer.target.hasMutex())
    return emitUserError(op) << printer.target.name
                             << " has no mutexes; order its pipes with flags";
  if (failed(printer.checkPipe(op, op.getPipe())))
    return failure();
  std::optional<int64_t> known = knownId(printer, op);
  if (known && (*known < 0 || *known >= printer.target.mutexIds))
    return emitUserError(op) << "has mutex id " << *known << "; ids are 0 to "
                             << printer.target.mutexIds - 1;
  printer.at(op);
  printer.call(("Mutex::" + call + "<PIPE_" + pipeWord(op.getPipe()) + ">").str(),
               {idOf(printer, op)});
  return success();
}

static LogicalResult printMutexLock(Printer &printer, BlockMutexLockOp op) {
  return printMutex(printer, op, "Lock");
}
static LogicalResult printMutexUnlock(Printer &printer, BlockMutexUnlockOp op) {
  return printMutex(printer, op, "Unlock");
}

//===----------------------------------------------------------------------===//
// Between cores
//===----------------------------------------------------------------------===//

static FunctionOpInterface functionOf(Operation *op) {
  return op->getParentOfType<FunctionOpInterface>();
}
static bool isMixed(Operation *op) {
  return getFunctionKind(functionOf(op)) == FunctionKind::Group;
}

/// A kernel of one kind of core has no cluster to signal in.
template <typename Op> static LogicalResult checkSignal(Printer &printer, Op op) {
  int64_t mode = op.getMode();
  if (mode != 0 && !isMixed(op))
    return emitUserError(op) << "has mode " << mode
                             << ", which joins the cores of a cluster; it stands in a mixed kernel "
                                "(a function of kind group)";
  std::optional<int64_t> known = knownId(printer, op);
  if (known && !printer.target.hasCrossCoreId(mode, *known))
    return emitUserError(op) << "has id " << idOf(printer, op)
                             << ", which no kernel may use in mode " << mode << " on "
                             << printer.target.name;
  return success();
}

static LogicalResult printCrossCoreSet(Printer &printer, BlockCrossCoreSetOp op) {
  if (failed(printer.checkPipe(op, op.getPipe())) || failed(checkSignal(printer, op)))
    return failure();
  printer.at(op);
  printer.call("CrossCoreSetFlag<" + std::to_string(op.getMode()) + ", PIPE_" +
                   pipeWord(op.getPipe()) + ">",
               {idOf(printer, op)});
  return success();
}

static LogicalResult printCrossCoreWait(Printer &printer, BlockCrossCoreWaitOp op) {
  if (failed(checkSignal(printer, op)))
    return failure();
  std::optional<Pipe> pipe = op.getPipe();
  if (pipe && failed(printer.checkPipe(op, *pipe)))
    return failure();
  printer.at(op);
  if (!printer.target.crossCore.waitHoldsOnePipe) {
    printer.call("CrossCoreWaitFlag", {idOf(printer, op)});
    return success();
  }
  // A wait of pipe S holds what it gives the others.
  printer.call("CrossCoreWaitFlag<" + std::to_string(op.getMode()) + ", PIPE_" +
                   pipeWord(pipe.value_or(Pipe::S)) + ">",
               {idOf(printer, op)});
  return success();
}

//===----------------------------------------------------------------------===//
// All cores
//===----------------------------------------------------------------------===//

/// Counters that the function uses nowhere, for a barrier made of signals.
static FailureOr<SmallVector<int64_t>> freeIds(Printer &printer, BlockSyncAllOp op,
                                               unsigned count) {
  llvm::SmallDenseSet<int64_t> used;
  Operation *unknown = nullptr;
  functionOf(op)->walk([&](Operation *other) {
    auto note = [&](auto signal) {
      if (signal.getDynamicId())
        unknown = other;
      else
        used.insert(*signal.getId());
    };
    if (auto set = dyn_cast<BlockCrossCoreSetOp>(other))
      note(set);
    else if (auto wait = dyn_cast<BlockCrossCoreWaitOp>(other))
      note(wait);
  });
  SmallVector<int64_t> ids;
  for (int64_t id = printer.target.crossCore.firstReserved; id-- > 0 && ids.size() < count;)
    if (!used.contains(id))
      ids.push_back(id);
  if (!unknown && ids.size() == count)
    return ids;
  InFlightDiagnostic error = emitUserError(op);
  error << "is made of signals on " << printer.target.name << ", and takes " << count
        << " ids that the kernel uses nowhere else";
  if (unknown)
    error.attachNote(unknown->getLoc()) << "this id is known at run time only";
  return FailureOr<SmallVector<int64_t>>(error);
}

static StringRef lastPipe(CoreKind core) { return core == CoreKind::AIC ? "FIX" : "MTE3"; }

static void signal(Printer &printer, int64_t mode, CoreKind core, int64_t id) {
  printer.line(
      ("CrossCoreSetFlag<" + Twine(mode) + ", PIPE_" + lastPipe(core) + ">(" + Twine(id) + ");")
          .str());
}
static void await(Printer &printer, int64_t mode, int64_t id) {
  if (!printer.target.crossCore.waitHoldsOnePipe)
    return printer.line("CrossCoreWaitFlag(" + Twine(id) + ");");
  printer.line("CrossCoreWaitFlag<" + Twine(mode) + ", PIPE_S>(" + Twine(id) + ");");
}

/// All cores of one kind: each signals all, and waits for the signal of all.
static LogicalResult meetOwnKind(Printer &printer, BlockSyncAllOp op, CoreKind core) {
  FailureOr<SmallVector<int64_t>> ids = freeIds(printer, op, 1);
  if (failed(ids))
    return failure();
  signal(printer, 0, core, ids->front());
  await(printer, 0, ids->front());
  return success();
}

/// All cores of both kinds, on a chip that has no instruction for it: the AIVs tell their
/// AIC, the AICs meet, and tell their AIVs.
static LogicalResult meetAll(Printer &printer, BlockSyncAllOp op, CoreKind core) {
  FailureOr<SmallVector<int64_t>> ids = freeIds(printer, op, 3);
  if (failed(ids))
    return failure();
  if (core == CoreKind::AIV) {
    signal(printer, 2, core, (*ids)[0]);
    await(printer, 2, (*ids)[2]);
    return success();
  }
  await(printer, 2, (*ids)[0]);
  signal(printer, 0, core, (*ids)[1]);
  await(printer, 0, (*ids)[1]);
  signal(printer, 2, core, (*ids)[2]);
  return success();
}

/// `core` is the kind that runs what is printed now.
static LogicalResult printMeeting(Printer &printer, BlockSyncAllOp op, CoreKind core) {
  printer.line("PipeBarrier<PIPE_ALL>();");
  bool mixed = isMixed(op), own = !mixed || op.getCores();
  // The instruction hangs where it is told of another kind of kernel than it stands in.
  bool hasInstruction = printer.target.npuArch == 3510;
  if (hasInstruction && !own)
    printer.line("SyncAll<false>();");
  else if (hasInstruction && !mixed && core == CoreKind::AIV)
    printer.line("SyncAll<true>();");
  else if (own)
    return meetOwnKind(printer, op, core);
  else
    return meetAll(printer, op, core);
  return success();
}

static LogicalResult printSyncAll(Printer &printer, BlockSyncAllOp op) {
  std::optional<CoreKind> wanted = op.getCores();
  if (wanted && printer.core && *wanted != *printer.core)
    return emitUserError(op) << "joins cores of kind " << stringifyCoreKind(*wanted)
                             << ", and stands in code of kind " << stringifyCoreKind(*printer.core);
  printer.at(op);
  if (printer.core)
    return printMeeting(printer, op, *printer.core);
  for (CoreKind core : {CoreKind::AIC, CoreKind::AIV}) {
    if (wanted && *wanted != core)
      continue;
    printer.open(core == CoreKind::AIC ? "if ASCEND_IS_AIC {" : "if ASCEND_IS_AIV {");
    LogicalResult done = printMeeting(printer, op, core);
    printer.close();
    if (failed(done))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Who and how many
//===----------------------------------------------------------------------===//

/// In a mixed kernel the two AIVs of a cluster number themselves, not the cluster.
static LogicalResult printBlockIdx(Printer &printer, BlockGetBlockIdxOp op) {
  if (!isMixed(op) || printer.core == CoreKind::AIC) {
    printer.define(op.getResult(), {"GetBlockIdx()"});
    return success();
  }
  if (printer.core == CoreKind::AIV) {
    printer.define(op.getResult(), {"GetBlockIdx() / 2", Prec::Mul});
    return success();
  }
  printer.at(op);
  std::string name = printer.freshName(op.getResult(), "block");
  printer.line("int64_t " + name + " = GetBlockIdx();");
  printer.open("if ASCEND_IS_AIV {");
  printer.line(name + " /= 2; // two AIVs a block");
  printer.close();
  printer.bind(op.getResult(), {name});
  return success();
}

static LogicalResult printBlockNum(Printer &printer, BlockGetBlockNumOp op) {
  printer.define(op.getResult(), {"GetBlockNum()"});
  return success();
}

static LogicalResult printSubblockIdx(Printer &printer, BlockGetSubblockIdxOp op) {
  printer.define(op.getResult(), {"GetSubBlockIdx()"});
  return success();
}

/// The kit does not say what its call answers on the AIC of a mixed kernel.
static LogicalResult printSubblockNum(Printer &printer, BlockGetSubblockNumOp op) {
  printer.bindConstant(op.getResult(),
                       IntegerAttr::get(IndexType::get(op.getContext()), isMixed(op) ? 2 : 1));
  return success();
}

void ascendc::registerSyncPrinters(Printers &printers) {
  printers.add<printSetFlag>();
  printers.add<printWaitFlag>();
  printers.add<printBarrier>();
  printers.add<printMutexLock>();
  printers.add<printMutexUnlock>();
  printers.add<printCrossCoreSet>();
  printers.add<printCrossCoreWait>();
  printers.add<printSyncAll>();
  printers.add<printBlockIdx>();
  printers.add<printBlockNum>();
  printers.add<printSubblockIdx>();
  printers.add<printSubblockNum>();
}
