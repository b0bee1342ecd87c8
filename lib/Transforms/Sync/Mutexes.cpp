//===- Mutexes.cpp - Locks of tiles ------------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A tile with a mutex id belongs to one pipe at a time: an instruction locks the ids
// of all tiles that it touches before it starts and gives them up when it is done.
// Instructions of one pipe that follow each other and touch the same ids share the
// locks, and so do those of a loop that holds nothing else.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Target/Target.h"
#include "Tile/TileOps.h"
#include "Transforms/Locations.h"
#include "Transforms/Sync/Author.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::sync;

namespace {

/// The mutex of a tile, or of the slot of a group that is at `index`.
struct Mutex {
  TileAllocOp alloc;
  Value index;    // null: `id` says it
  int64_t id = 0; // of the one that is known
  Value window;   // the slot, for the name and the place of what computes the id

  bool operator==(const Mutex &other) const {
    if (!index || !other.index)
      return !index && !other.index && id == other.id;
    return alloc == other.alloc && index == other.index;
  }
};

/// Instructions of one pipe that share their locks.
struct Run {
  Operation *first, *last;
  Pipe pipe;
  SmallVector<Mutex, 3> mutexes; // the known ones by id, then the others
};

/// What a core runs, and what may be locked in it.
class Locks {
public:
  Locks(Operation *owner, CoreKind core, const TargetInfo &target)
      : owner(owner), core(core), target(target) {}
  void write();

private:
  void findUsers();
  bool isExempt(TileAllocOp alloc) const;
  SmallVector<Mutex, 3> getMutexes(InstructionInterface op) const;
  std::optional<Run> getRun(Operation *op) const;
  std::optional<Run> getLoopRun(scf::ForOp loop) const;
  void collect(Block &block);
  void writeRun(const Run &run);
  Value getId(const Mutex &mutex);
  void lockOrUnlock(OpBuilder &builder, const Run &run, unsigned index, bool lock);

  Operation *owner;
  CoreKind core;
  const TargetInfo &target;
  llvm::DenseMap<int64_t, unsigned> pipes;                  // that touch what an id guards, as bits
  llvm::DenseSet<Operation *> phased;                       // accumulators under a phase
  llvm::DenseMap<std::pair<Operation *, Value>, Value> ids; // computed, by slot
  std::vector<Run> runs;
};

} // namespace

//===----------------------------------------------------------------------===//
// What has a mutex
//===----------------------------------------------------------------------===//

/// The allocation of a window, and the slot that it is in.
static Mutex getMutex(Value window) {
  Mutex found;
  while (Operation *op = window.getDefiningOp()) {
    if (auto slot = dyn_cast<TileSlotOp>(op)) {
      found.index = slot.getIndex();
      found.window = slot.getResult();
      window = slot.getSource();
    } else if (auto view = dyn_cast<TileSubviewOp>(op)) {
      window = view.getSource();
    } else {
      found.alloc = dyn_cast<TileAllocOp>(op);
      break;
    }
  }
  if (!found.alloc || !found.alloc.getMutexIds())
    return {};
  ArrayRef<int64_t> ids = *found.alloc.getMutexIds();
  std::optional<int64_t> known =
      found.index ? getConstantIntValue(found.index) : std::optional<int64_t>(0);
  // Slots that share their mutex need no choice.
  if (llvm::all_equal(ids))
    known = 0;
  if (known && *known >= 0 && *known < static_cast<int64_t>(ids.size())) {
    found.index = Value();
    found.id = ids[*known];
  }
  return found;
}

static SmallVector<Value> getBuffers(InstructionInterface op) {
  SmallVector<Value> buffers;
  for (Value operand : op->getOperands())
    if (isa<BufType>(operand.getType()))
      buffers.push_back(operand);
  return buffers;
}

void Locks::findUsers() {
  owner->walk([&](InstructionInterface op) {
    std::optional<Pipe> pipe = op.getPipe();
    for (Value buffer : getBuffers(op)) {
      TileAllocOp alloc = getMutex(buffer).alloc;
      if (!alloc)
        continue;
      if (pipe)
        for (int64_t id : alloc.getMutexIds().value_or(ArrayRef<int64_t>()))
          pipes[id] |= 1u << static_cast<unsigned>(*pipe);
      if (op->hasAttr("phase") && getTileSpace(buffer.getType()) == MemorySpace::Acc)
        phased.insert(alloc);
    }
  });
}

/// What needs no lock: tiles that V alone uses, whose order is that of V, accumulators that
/// the unit flag guards, and what is another core's, where a mutex of this one says nothing.
bool Locks::isExempt(TileAllocOp alloc) const {
  MemorySpace space = cast<BufType>(alloc.getResult().getType()).getSpace();
  if (phased.contains(alloc) || target.getCore(space) != core)
    return true;
  return llvm::all_of(*alloc.getMutexIds(), [&](int64_t id) {
    return pipes.lookup(id) == 1u << static_cast<unsigned>(Pipe::V);
  });
}

SmallVector<Mutex, 3> Locks::getMutexes(InstructionInterface op) const {
  SmallVector<Mutex, 3> found;
  for (Value buffer : getBuffers(op)) {
    Mutex mutex = getMutex(buffer);
    if (mutex.alloc && !isExempt(mutex.alloc) && !llvm::is_contained(found, mutex))
      found.push_back(mutex);
  }
  // One order for all, that of the ids.
  llvm::stable_sort(found, [](const Mutex &a, const Mutex &b) {
    return std::pair(bool(a.index), a.index ? 0 : a.id) <
           std::pair(bool(b.index), b.index ? 0 : b.id);
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static bool sameSet(ArrayRef<Mutex> a, ArrayRef<Mutex> b) {
  return a.size() == b.size() &&
         llvm::all_of(a, [&](const Mutex &mutex) { return llvm::is_contained(b, mutex); });
}

static bool isWithin(Pipe pipe, Operation *op) {
  auto barrier = dyn_cast<BlockBarrierOp>(op);
  return barrier && barrier.getPipe() == pipe;
}

/// The run of an operation by itself; nothing if none of its tiles has a mutex.
std::optional<Run> Locks::getRun(Operation *op) const {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return getLoopRun(loop);
  auto instruction = dyn_cast<InstructionInterface>(op);
  std::optional<Pipe> pipe = instruction ? instruction.getPipe() : std::nullopt;
  // Scalars that are read and written take the author's flags.
  if (!pipe || *pipe == Pipe::S)
    return std::nullopt;
  SmallVector<Mutex, 3> mutexes = getMutexes(instruction);
  if (mutexes.empty())
    return std::nullopt;
  return Run{op, op, *pipe, std::move(mutexes)};
}

/// A loop of nothing but one run, whose locks do not change in it.
std::optional<Run> Locks::getLoopRun(scf::ForOp loop) const {
  std::optional<Run> run;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isMemoryEffectFree(&op) || (run && isWithin(run->pipe, &op)))
      continue;
    std::optional<Run> inner = getRun(&op);
    if (!inner || (run && (inner->pipe != run->pipe || !sameSet(inner->mutexes, run->mutexes))))
      return std::nullopt;
    run = inner;
  }
  if (!run)
    return std::nullopt;
  for (const Mutex &mutex : run->mutexes)
    if (mutex.index && loop.getRegion().isAncestor(Value(mutex.index).getParentRegion()))
      return std::nullopt;
  run->first = run->last = loop;
  return run;
}

void Locks::collect(Block &block) {
  Run *open = nullptr; // that the next instruction may join
  for (Operation &op : block) {
    if (std::optional<Run> run = getRun(&op)) {
      if (open && open->pipe == run->pipe && sameSet(open->mutexes, run->mutexes)) {
        open->last = &op;
      } else {
        runs.push_back(*run);
        open = &runs.back();
      }
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        collect(inner);
    if (op.getNumRegions() != 0 || !open || !(isMemoryEffectFree(&op) || isWithin(open->pipe, &op)))
      open = nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The id of the slot at hand: a sum and a product if the ids go up evenly, else chosen
/// one by one.
Value Locks::getId(const Mutex &mutex) {
  TileAllocOp alloc = mutex.alloc;
  Value &made = ids[{alloc, mutex.index}];
  if (made)
    return made;
  Operation *slot = mutex.window.getDefiningOp();
  OpBuilder builder(slot->getContext());
  // Where the index is made: each use of the slot is behind it.
  builder.setInsertionPointAfterValue(mutex.index);
  ArrayRef<int64_t> all = *alloc.getMutexIds();
  int64_t step = all[1] - all[0];
  bool even = true;
  for (size_t i = 1; i < all.size(); ++i)
    even &= all[i] - all[i - 1] == step;
  Location loc = withoutName(slot->getLoc()), named = withSuffix(alloc.getResult(), "mutex", loc);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value).getResult();
  };
  if (even) {
    Value scaled = mutex.index;
    if (step != 1)
      scaled = arith::MulIOp::create(builder, all[0] ? loc : named, scaled, constant(step));
    made = all[0] ? arith::AddIOp::create(builder, named, scaled, constant(all[0])).getResult()
                  : scaled;
    return made;
  }
  made = constant(all.back());
  for (size_t i = all.size() - 1; i-- > 0;) {
    Value is =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, mutex.index, constant(i));
    made = arith::SelectOp::create(builder, i ? loc : named, is, constant(all[i]), made);
  }
  return made;
}

/// Whether two mutexes may be one at run time.
static bool mayBeSame(const Mutex &a, const Mutex &b) {
  auto idsOf = [](const Mutex &mutex) {
    TileAllocOp alloc = mutex.alloc;
    return mutex.index ? SmallVector<int64_t>(*alloc.getMutexIds())
                       : SmallVector<int64_t>{mutex.id};
  };
  SmallVector<int64_t> others = idsOf(b);
  return llvm::any_of(idsOf(a), [&](int64_t id) { return llvm::is_contained(others, id); });
}

void Locks::lockOrUnlock(OpBuilder &builder, const Run &run, unsigned index, bool lock) {
  const Mutex &mutex = run.mutexes[index];
  Location loc = withoutName(run.first->getLoc());
  OpBuilder::InsertionGuard guard(builder);
  // A pipe that holds a mutex cannot take it again.
  for (unsigned other = 0; other < index; ++other) {
    const Mutex &earlier = run.mutexes[other];
    if (!mayBeSame(earlier, mutex))
      continue;
    Value held =
        earlier.index ? getId(earlier) : arith::ConstantIndexOp::create(builder, loc, earlier.id);
    Value differs =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, getId(mutex), held);
    auto branch = scf::IfOp::create(builder, loc, differs, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  IntegerAttr id = mutex.index ? IntegerAttr() : builder.getI64IntegerAttr(mutex.id);
  Value computed = mutex.index ? getId(mutex) : Value();
  Operation *op =
      lock ? BlockMutexLockOp::create(builder, loc, run.pipe, id, computed).getOperation()
           : BlockMutexUnlockOp::create(builder, loc, run.pipe, id, computed);
  TileAllocOp alloc = mutex.alloc;
  StringRef name = nameOf(alloc.getResult());
  std::string what = name.empty() ? "a tile" : ("'" + name + "'").str();
  op->setAttr(
      attr::kReason,
      builder.getStringAttr(lock ? "pipe " + stringifyPipe(run.pipe).str() + " takes " + what
                                 : "pipe " + stringifyPipe(run.pipe).str() + " gives up " + what));
}

void Locks::writeRun(const Run &run) {
  OpBuilder builder(run.first);
  for (unsigned index = 0; index < run.mutexes.size(); ++index)
    lockOrUnlock(builder, run, index, /*lock=*/true);
  builder.setInsertionPointAfter(run.last);
  for (unsigned index = run.mutexes.size(); index-- > 0;)
    lockOrUnlock(builder, run, index, /*lock=*/false);
}

void Locks::write() {
  findUsers();
  for (Block &block : owner->getRegion(0))
    collect(block);
  for (const Run &run : runs)
    writeRun(run);
}

bool sync::hasMutexIds(func::FuncOp func) {
  return func
      .walk([](TileAllocOp alloc) {
        return alloc.getMutexIds() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void sync::writeLocks(Operation *owner, CoreKind core, const TargetInfo &target) {
  Locks(owner, core, target).write();
}
