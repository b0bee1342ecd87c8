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

/// Plans and writes the flags of one kernel.
static LogicalResult orderKernel(func::FuncOp func, const TargetInfo &target) {
  sync::Program program;
  if (failed(program.read(func)))
    return failure();
  sync::Planner planner(program, target);
  if (!program.items.empty() && failed(planner.run()))
    return failure();
  Writer(func.getContext(), planner.syncs).write(program);

  Operation *end = func.getBody().front().getTerminator();
  OpBuilder builder(end);
  auto barrier = BlockBarrierOp::create(builder, end->getLoc(), Pipe::ALL);
  barrier->setAttr(attr::kReason,
                   builder.getStringAttr("a kernel ends when all its pipes are done"));
  func->setAttr(attr::kSync, SyncModeAttr::get(func.getContext(), SyncMode::Auto));
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
    if (func.isDeclaration() || (mode && mode.getValue() != SyncMode::None))
      continue;
    if (kind == FunctionKind::Group) {
      func.emitError() << "'" << func.getName()
                       << "' is a mixed kernel; its cores are ordered by "
                          "its author for now: set its flags and mark it #pto.sync<manual>";
      failedAny = true;
    } else if (failed(orderKernel(func, *target))) {
      failedAny = true;
    }
  }
  if (failedAny)
    signalPassFailure();
}
