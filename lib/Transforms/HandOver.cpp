//===- HandOver.cpp - Steps of one instruction on two pipes ----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/HandOver.h"

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Tile/TileOps.h"
#include "Transforms/Locations.h"
#include "Transforms/Sync/Author.h"

using namespace mlir;
using namespace mlir::pto;

/// A mutex that neither a tile nor the author has; -1 if there is none, or nobody knows.
static int64_t findFreeMutex(func::FuncOp func, int64_t count) {
  SmallVector<bool> taken(count);
  bool unknown = false;
  auto take = [&](int64_t id) {
    if (id >= 0 && id < count)
      taken[id] = true;
  };
  func.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<TileAllocOp>(op); alloc && alloc.getMutexIds())
      llvm::for_each(*alloc.getMutexIds(), take);
    if (auto lock = dyn_cast<BlockMutexLockOp>(op)) {
      unknown |= !lock.getId();
      take(lock.getId().value_or(-1));
    }
  });
  for (int64_t id = count; !unknown && id-- > 0;)
    if (!taken[id])
      return id;
  return -1;
}

FailureOr<HandOver> HandOver::begin(Operation *op, const TargetInfo &target, Pipe own,
                                    std::optional<int64_t> &id) {
  HandOver result;
  result.own = own;
  auto func = op->getParentOfType<func::FuncOp>();
  auto mode = func->getAttrOfType<SyncModeAttr>(attr::kSync);
  if (!mode || mode.getValue() != SyncMode::Author)
    return result;
  if (!target.hasMutex()) {
    if (sync::hasMutexIds(func)) // all of it is ordered by pto-insert-sync
      return result;
    return FailureOr<HandOver>(
        emitUserError(op) << "is two instructions on " << target.name << ", on the pipes "
                          << stringifyPipe(own) << " and v, and only you set flags in '"
                          << func.getName() << "'; give the tiles mutex_ids, or copy whole rows");
  }
  if (!id)
    id = findFreeMutex(func, target.mutexIds);
  if (*id < 0)
    return FailureOr<HandOver>(emitUserError(op)
                               << "is instructions on the pipes " << stringifyPipe(own)
                               << " and v, which a mutex orders, and none of the "
                               << target.mutexIds << " is surely free in '" << func.getName()
                               << "'; leave one, and write the ids of your locks as numbers");
  result.id = id;
  return result;
}

void HandOver::write(OpBuilder &builder, Location loc, Pipe pipe, bool locks) {
  IntegerAttr number = builder.getI64IntegerAttr(*id);
  Operation *op = locks
                      ? BlockMutexLockOp::create(builder, loc, pipe, number, Value()).getOperation()
                      : BlockMutexUnlockOp::create(builder, loc, pipe, number, Value());
  op->setAttr(attr::kReason,
              builder.getStringAttr("orders the steps of one operation on the pipes v and " +
                                    stringifyPipe(own).str()));
}

void HandOver::lend(Operation *op) {
  if (!id)
    return;
  OpBuilder builder(op);
  write(builder, withoutName(op->getLoc()), own, /*locks=*/true);
  write(builder, withoutName(op->getLoc()), own, /*locks=*/false);
}

void HandOver::lock(Operation *first, Operation *last, Pipe pipe) {
  if (!id)
    return;
  OpBuilder builder(first);
  write(builder, withoutName(first->getLoc()), pipe, /*locks=*/true);
  builder.setInsertionPointAfter(last);
  write(builder, withoutName(first->getLoc()), pipe, /*locks=*/false);
}
