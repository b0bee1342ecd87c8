//===- InsertSync.cpp - pto-insert-sync -----------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The pipes of a core run beside each other. This pass writes the flags and
// barriers that keep each instruction behind those whose bytes it touches, and
// no others. Sync/Program reads what each instruction touches, Sync/Plan decides
// what is needed; here it becomes operations.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Target/Target.h"
#include "Transforms/Passes.h"
#include "Transforms/Sync/Author.h"
#include "Transforms/Sync/Plan.h"

namespace mlir::pto {
#define GEN_PASS_DEF_INSERTSYNCPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class InsertSync : public pto::impl::InsertSyncPassBase<InsertSync> {
public:
  using InsertSyncPassBase::InsertSyncPassBase;
  void runOnOperation() override;
};

/// Writes a plan into the function.
class Writer {
public:
  Writer(MLIRContext *context, std::deque<sync::Sync> &syncs) : builder(context), syncs(syncs) {}
  void write(sync::Program &program);

private:
  void setFlag(const sync::Sync &sync, StringRef why = "");
  void waitFlag(const sync::Sync &sync, StringRef why = "");
  void note(Operation *op, const Twine &reason);
  static Operation *getOp(const sync::Sync &sync);

  OpBuilder builder;
  std::deque<sync::Sync> &syncs;
};
} // namespace

/// An inserted operation carries its reason.
void Writer::note(Operation *op, const Twine &reason) {
  op->setAttr(attr::kReason, builder.getStringAttr(reason));
}

/// The operation that waits: flags and barriers have its location.
Operation *Writer::getOp(const sync::Sync &sync) { return sync.user->op; }

void Writer::setFlag(const sync::Sync &sync, StringRef why) {
  note(BlockSetFlagOp::create(builder, getOp(sync)->getLoc(), sync.src, sync.dst,
                              builder.getI64IntegerAttr(sync.id), Value()),
       sync.reason + why);
}

void Writer::waitFlag(const sync::Sync &sync, StringRef why) {
  note(BlockWaitFlagOp::create(builder, getOp(sync)->getLoc(), sync.src, sync.dst,
                               builder.getI64IntegerAttr(sync.id), Value()),
       sync.reason + why);
}

void Writer::write(sync::Program &program) {
  for (sync::Item &item : program.items) {
    builder.setInsertionPoint(item.op);
    for (unsigned n : item.primes)
      setFlag(syncs[n], " (the first iteration waits for nothing)");
    for (unsigned n : item.before) {
      if (syncs[n].kind != sync::Sync::Barrier)
        waitFlag(syncs[n]);
      else
        note(BlockBarrierOp::create(builder, getOp(syncs[n])->getLoc(), syncs[n].dst),
             syncs[n].reason);
    }
    builder.setInsertionPointAfter(item.op);
    for (unsigned n : item.drains)
      waitFlag(syncs[n], " (nothing is left set behind the loop)");
    for (unsigned n : item.after)
      setFlag(syncs[n]);
  }
}

/// What cores run of a kernel: its sections, or all of it.
static SmallVector<std::pair<Operation *, CoreKind>> getParts(func::FuncOp func) {
  FunctionKind kind = getFunctionKind(func);
  if (kind != FunctionKind::Group)
    return {{func, kind == FunctionKind::AIC ? CoreKind::AIC : CoreKind::AIV}};
  SmallVector<std::pair<Operation *, CoreKind>> parts;
  for (auto section : func.getOps<BlockSectionOp>())
    parts.push_back({section, section.getCore()});
  return parts;
}

/// Plans and writes the flags of what one core runs.
static LogicalResult orderPart(Operation *part, const TargetInfo &target) {
  sync::Program program;
  if (failed(program.read(part)))
    return failure();
  sync::Planner planner(program, target);
  if (!program.items.empty() && failed(planner.run()))
    return failure();
  Writer(part->getContext(), planner.syncs).write(program);
  return success();
}

/// Writes what the author of the flags need not.
static LogicalResult completePart(Operation *part, CoreKind core, const TargetInfo &target) {
  if (failed(sync::writeBarriers(part)))
    return failure();
  if (target.hasMutex())
    sync::writeLocks(part, core, target);
  return success();
}

/// Holds a core at its end until its pipes are done.
static void endPart(Operation *part) {
  Block &block = part->getRegion(0).front();
  bool ends = isa<func::FuncOp>(part);
  OpBuilder builder = ends ? OpBuilder(block.getTerminator()) : OpBuilder::atBlockEnd(&block);
  Location loc = ends ? block.getTerminator()->getLoc() : part->getLoc();
  auto barrier = BlockBarrierOp::create(builder, loc, Pipe::ALL);
  barrier->setAttr(attr::kReason,
                   builder.getStringAttr("a kernel ends when all its pipes are done"));
}

/// What stands in front of a mixed kernel's sections is run by all cores, and no pipe's.
static LogicalResult checkAround(func::FuncOp func) {
  bool ok = true;
  for (Operation &op : func.getBody().front()) {
    if (isa<BlockSectionOp>(op))
      continue;
    op.walk([&](InstructionInterface instruction) {
      emitUserError(instruction) << "stands in front of the sections of '" << func.getName()
                                 << "'; which core runs it is said by a section";
      ok = false;
    });
  }
  return success(ok);
}

/// `authored`: the flags are the author's.
static LogicalResult orderKernel(func::FuncOp func, const TargetInfo &target, bool authored) {
  if (!func.getBody().hasOneBlock())
    return func.emitError() << "pto-insert-sync orders kernels of one block with scf.for and "
                               "scf.if; '"
                            << func.getName() << "' has branches between blocks";
  if (getFunctionKind(func) == FunctionKind::Group && failed(checkAround(func)))
    return failure();
  // Without mutexes, what they would order is ordered by flags, and then all is.
  authored &= target.hasMutex() || !sync::hasMutexIds(func);
  for (auto [part, core] : getParts(func)) {
    if (failed(authored ? completePart(part, core, target) : orderPart(part, target)))
      return failure();
    endPart(part);
  }
  SyncMode mode = authored ? SyncMode::Manual : SyncMode::Auto;
  func->setAttr(attr::kSync, SyncModeAttr::get(func.getContext(), mode));
  return success();
}

void InsertSync::runOnOperation() {
  const TargetInfo *target = getTarget(getOperation());
  if (!target)
    return signalPassFailure();
  bool failedAny = false;
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    FunctionKind kind = getFunctionKind(func);
    if (kind != FunctionKind::AIC && kind != FunctionKind::AIV && kind != FunctionKind::Group)
      continue;
    auto mode = func->getAttrOfType<SyncModeAttr>(attr::kSync);
    SyncMode whose = mode ? mode.getValue() : SyncMode::None;
    if (!func.isDeclaration() && (whose == SyncMode::None || whose == SyncMode::Author))
      failedAny |= failed(orderKernel(func, *target, whose == SyncMode::Author));
  }
  if (failedAny)
    signalPassFailure();
}
