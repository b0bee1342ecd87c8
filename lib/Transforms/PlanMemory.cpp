//===- PlanMemory.cpp - pto-plan-memory -----------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Addresses, by space: what never lives at once may share bytes. The author's
// addresses stay. What does not fit is the author's to change, so the error shows
// what fills the space, by name and line.
//
//===----------------------------------------------------------------------===//

#include "ControlPlane.h"
#include "Pto/Words.h"
#include "Target/Target.h"
#include "Tile/TileOps.h"
#include "Transforms/BufferLiveness.h"
#include "Transforms/MemoryMap.h"
#include "Transforms/Packing.h"
#include "Transforms/Passes.h"
#include "Transforms/PinnedTiles.h"
#include "Transforms/TileControlFlow.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::pto {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
/// The allocations of one space of a function.
class SpacePlan {
public:
  SpacePlan(MemorySpace space, const TargetInfo &target, bool mixed, const BufferLiveness &liveness)
      : space(space), liveness(liveness) {
    problem.capacity = target.getCapacity(space, mixed);
    problem.alignment = target.getSpace(space).alignment;
    reserved = target.getSpace(space).capacity - problem.capacity;
  }
  /// `always`: its bytes are its own at every time.
  void add(const BufferLife &life, bool always);
  LogicalResult run();

private:
  LogicalResult checkAddresses(const BufferLife &life);
  void addInPlace();
  LogicalResult fail(const PackBound &bound, int64_t peak);
  void blockPinned();
  LogicalResult failBesidePinned();
  void drawRows(InFlightDiagnostic &error, SmallVector<MemoryRow> rows);

  MemorySpace space;
  int64_t reserved; // bytes that a mixed kernel has not
  const BufferLiveness &liveness;
  PackProblem problem;
  std::vector<const BufferLife *> owners; // of each item; one item a slot
  std::vector<const BufferLife *> pinned; // at the author's addresses
};

class PlanMemory : public pto::impl::PlanMemoryPassBase<PlanMemory> {
public:
  using PlanMemoryPassBase::PlanMemoryPassBase;
  void runOnOperation() override;
};
} // namespace

using Stretches = SmallVector<std::pair<int64_t, int64_t>, 1>;
/// Behind every point of a function.
static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

static BufType typeOf(TileAllocOp alloc) { return cast<BufType>(alloc.getResult().getType()); }

/// The author's addresses must lie in the space and on its alignment.
LogicalResult SpacePlan::checkAddresses(const BufferLife &life) {
  TileAllocOp alloc = life.alloc;
  int64_t bytes = typeOf(alloc).getRootBytes();
  ArrayRef<int64_t> addresses = *alloc.getAddrs();
  for (int64_t address : addresses) {
    if (address % problem.alignment != 0)
      return mlir::emitError(alloc.getLoc())
             << allocWord(alloc) << ": address " << address << " is not a multiple of "
             << problem.alignment << ", as " << spaceWord(space) << " demands";
    if (address <= problem.capacity && bytes <= problem.capacity - address)
      continue;
    InFlightDiagnostic error = mlir::emitError(alloc.getLoc());
    error << allocWord(alloc) << ": " << bytesWord(bytes) << " at address " << address
          << " reach beyond the " << bytesWord(problem.capacity) << " of " << spaceWord(space);
    SmallVector<MemoryRow> rows;
    for (const BufferLife *other : pinned)
      for (int64_t begin : TileAllocOp(other->alloc).getAddrs().value_or(ArrayRef<int64_t>()))
        rows.push_back({other->alloc, typeOf(other->alloc).getRootBytes(), begin,
                        other == &life && begin == address});
    for (auto [item, owner] : llvm::zip(problem.items, owners))
      if (item.fixed && item.livesAt(life.begin))
        rows.push_back(
            {owner->alloc, item.bytes, item.address, owner == &life && item.address == address});
    drawRows(error, std::move(rows));
    return error;
  }
  return success();
}

/// A note with a picture of the space at one point.
void SpacePlan::drawRows(InFlightDiagnostic &error, SmallVector<MemoryRow> rows) {
  constexpr size_t kRows = 24;
  std::string rest;
  if (rows.size() > kRows) {
    llvm::stable_sort(rows, [](const MemoryRow &a, const MemoryRow &b) {
      return std::pair(!a.overflows, -a.bytes) < std::pair(!b.overflows, -b.bytes);
    });
    int64_t bytes = 0;
    for (const MemoryRow &row : ArrayRef(rows).drop_front(kRows))
      bytes += row.bytes;
    rest = "\n  and " + std::to_string(rows.size() - kRows) + " smaller ones, " + bytesWord(bytes);
    rows.truncate(kRows);
  }
  error.attachNote(error.getUnderlyingDiagnostic()->getLocation())
      << spaceWord(space) << " there, " << bytesWord(problem.capacity)
      << " in all:" << drawMemory(std::move(rows), problem.capacity) << rest;
}

void SpacePlan::add(const BufferLife &life, bool always) {
  TileAllocOp alloc = life.alloc;
  if (alloc.getPinned() && alloc.getAddrs()) {
    pinned.push_back(&life);
    return;
  }
  BufType type = typeOf(alloc);
  int64_t bytes = llvm::alignTo(type.getRootBytes(), problem.alignment);
  for (int64_t slot = 0; slot < type.getSlots(); ++slot) {
    PackItem item{bytes, life.begin, life.end, life.stretches};
    if (always)
      std::tie(item.begin, item.end, item.stretches) = std::tuple(0, kEnd, Stretches{{0, kEnd}});
    if (alloc.getAddrs()) {
      item.fixed = true;
      item.address = (*alloc.getAddrs())[slot];
    }
    problem.items.push_back(item);
    owners.push_back(&life);
  }
}

/// Pairs that one instruction turns into each other.
void SpacePlan::addInPlace() {
  DenseMap<Operation *, unsigned> numbers;
  for (auto [number, owner] : llvm::enumerate(owners))
    numbers[owner->alloc] = number;
  for (auto [source, made] : liveness.getInPlacePairs()) {
    auto from = numbers.find(source), to = numbers.find(made);
    if (from != numbers.end() && to != numbers.end() && !problem.items[from->second].fixed &&
        !problem.items[to->second].fixed && typeOf(cast<TileAllocOp>(source)).getSlots() == 1 &&
        typeOf(cast<TileAllocOp>(made)).getSlots() == 1)
      problem.inPlace.insert({from->second, to->second});
  }
}

/// Where the item began to hold what it holds at `point`.
static int64_t getBegin(const PackItem &item, int64_t point) {
  int64_t begin = item.begin;
  for (auto [first, end] : item.stretches)
    if (first <= point)
      begin = first;
  return begin;
}

/// The space at the point where most of it is needed, and who needs it. `peak`: the
/// end of the best placement, where there is one.
LogicalResult SpacePlan::fail(const PackBound &bound, int64_t peak) {
  llvm::MapVector<Operation *, int64_t> live; // bytes
  SmallVector<MemoryRow> rows;
  TileAllocOp last;
  int64_t lastBegin = 0;
  for (auto [item, owner] : llvm::zip(problem.items, owners)) {
    bool tooHigh = peak && item.address + item.bytes > problem.capacity;
    // A placement shows what is beside those that it could not place, whenever that is.
    if (!item.livesAt(bound.point) && !tooHigh)
      continue;
    live[owner->alloc] += item.bytes;
    rows.push_back({owner->alloc, item.bytes, peak || item.fixed ? item.address : -1, tooHigh});
    // The one that comes to it last is one too many.
    int64_t begin = getBegin(item, bound.point);
    if (!last || begin > lastBegin)
      std::tie(last, lastBegin) = std::pair(owner->alloc, begin);
  }
  if (!last)
    last = owners.front()->alloc;
  for (MemoryRow &row : rows)
    row.overflows |= !peak && row.alloc == last;
  InFlightDiagnostic error = mlir::emitError(last.getLoc());
  error << allocWord(last) << ", does not fit: " << spaceWord(space) << " holds "
        << bytesWord(problem.capacity) << ", and " << bytesWord(std::max(bound.bytes, peak));
  if (bound.bytes > problem.capacity)
    error << " are needed at once";
  else
    error << " are the least that a placement was found for";
  error << "; use smaller tiles, or store one of these before the next is made";
  drawRows(error, std::move(rows));
  constexpr size_t kLines = 8;
  auto owned = live.takeVector();
  llvm::stable_sort(owned, [](auto &a, auto &b) { return a.second > b.second; });
  for (auto [op, bytes] : ArrayRef(owned).take_front(kLines))
    error.attachNote(op->getLoc())
        << bytesWord(bytes) << " of it: " << allocWord(cast<TileAllocOp>(op));
  if (reserved)
    error.attachNote(last->getParentOp()->getLoc())
        << "the kernel runs in a cluster, where " << bytesWord(reserved) << " more are kept free";
  return error;
}

/// Where the author's tiles lie nothing else does, whatever is live: items without owner.
void SpacePlan::blockPinned() {
  SmallVector<TileAllocOp> allocs;
  for (const BufferLife *life : pinned)
    allocs.push_back(life->alloc);
  for (auto [begin, end] : getPinnedBytes(allocs)) {
    int64_t first = llvm::alignDown(begin, problem.alignment);
    PackItem item{
        static_cast<int64_t>(llvm::alignTo(end, problem.alignment)) - first, 0, kEnd, {{0, kEnd}}};
    item.fixed = true;
    item.address = first;
    problem.items.push_back(item);
  }
}

/// No gap between the author's tiles has room for what the compiler needs.
LogicalResult SpacePlan::failBesidePinned() {
  TileAllocOp last = owners.front()->alloc;
  int64_t most = 0, free = 0, at = 0;
  SmallVector<MemoryRow> rows;
  for (auto [item, owner] : llvm::zip(problem.items, owners))
    if (item.bytes > most)
      std::tie(most, last) = std::pair(item.bytes, owner->alloc);
  for (const PackItem &item : ArrayRef(problem.items).drop_front(owners.size())) {
    free = std::max(free, item.address - at);
    at = item.address + item.bytes;
  }
  free = std::max(free, problem.capacity - at);
  for (const BufferLife *life : pinned)
    for (int64_t address : TileAllocOp(life->alloc).getAddrs().value_or(ArrayRef<int64_t>()))
      rows.push_back({life->alloc, typeOf(life->alloc).getRootBytes(), address});
  InFlightDiagnostic error = mlir::emitError(last.getLoc());
  error << allocWord(last) << ", is the compiler's: ";
  auto reason = last->getAttrOfType<StringAttr>(attr::kReason);
  error << (reason ? reason.getValue() : StringRef("it has no address")) << ". It needs "
        << bytesWord(most) << " of " << spaceWord(space);
  if (owners.size() > 1)
    error << " (and there are " << owners.size() - 1 << " more such tiles)";
  error << ", and the largest gap between the tiles at your addresses is " << bytesWord(free)
        << "; let them lie closer together, or use smaller ones";
  drawRows(error, std::move(rows));
  return error;
}

LogicalResult SpacePlan::run() {
  bool ok = true;
  for (const BufferLife *life : pinned)
    ok &= succeeded(checkAddresses(*life));
  for (auto [index, owner] : llvm::enumerate(owners))
    if (problem.items[index].fixed && (index == 0 || owners[index - 1] != owner))
      ok &= succeeded(checkAddresses(*owner));
  if (!ok)
    return failure();
  if (owners.empty())
    return success();
  addInPlace();
  blockPinned();
  PackBound bound = getPackBound(problem);
  if (bound.bytes > problem.capacity)
    return pinned.empty() ? fail(bound, 0) : failBesidePinned();
  int64_t peak = pack(problem, bound.bytes);
  if (peak > problem.capacity)
    return pinned.empty() ? fail(bound, peak) : failBesidePinned();
  llvm::MapVector<Operation *, SmallVector<int64_t>> addresses;
  for (auto [item, owner] : llvm::zip(problem.items, owners))
    addresses[owner->alloc].push_back(item.address);
  for (auto &[op, list] : addresses) {
    auto alloc = cast<TileAllocOp>(op);
    if (!alloc.getAddrs())
      alloc.setAddrs(list);
  }
  return success();
}

/// Each allocation is an object of the kernel, of which there are only so many:
/// where there are more, those of one type at one address become one.
static LogicalResult limitAllocations(func::FuncOp func, const TargetInfo &target) {
  SmallVector<TileAllocOp> allocs;
  func.walk([&](TileAllocOp alloc) { allocs.push_back(alloc); });
  int64_t count = allocs.size();
  if (count <= target.maxBuffers)
    return success();
  DenseMap<std::tuple<Block *, Type, Attribute>, TileAllocOp> first;
  for (TileAllocOp alloc : allocs) {
    if (alloc.getPinned())
      continue;
    auto [found, isNew] = first.insert(
        {{alloc->getBlock(), alloc.getResult().getType(), alloc.getAddrsAttr()}, alloc});
    if (isNew)
      continue;
    alloc.getResult().replaceAllUsesWith(found->second.getResult());
    alloc.erase();
    --count;
  }
  if (count <= target.maxBuffers)
    return success();
  return func.emitError() << "needs " << count << " buffers of different shapes or places, and a "
                          << "kernel on " << target.name << " has " << target.maxBuffers
                          << " at most; split the function, or use tiles of one shape";
}

/// Scratch on several pipes, where flags are the author's: only those who take its mutex
/// know of each other, so that nobody else may have its bytes, at any time.
static DenseSet<Operation *> findHandedOver(func::FuncOp func) {
  DenseSet<Operation *> handedOver;
  auto mode = func->getAttrOfType<SyncModeAttr>(attr::kSync);
  if (!mode || mode.getValue() != SyncMode::Author)
    return handedOver;
  DenseMap<Operation *, Pipe> first;
  func.walk([&](InstructionInterface op) {
    std::optional<Pipe> pipe = op.getPipe();
    for (Value operand : op->getOperands()) {
      if (!pipe || !isa<BufType>(operand.getType()))
        continue;
      TileAllocOp alloc = getAllocation(operand);
      if (alloc && !first.insert({alloc, *pipe}).second && first.lookup(alloc) != *pipe)
        handedOver.insert(alloc);
    }
  });
  return handedOver;
}

static LogicalResult planFunction(func::FuncOp func, const TargetInfo &target, bool mixed) {
  BufferLiveness liveness(func);
  DenseSet<Operation *> handedOver = findHandedOver(func);
  llvm::MapVector<MemorySpace, SpacePlan> plans;
  for (const BufferLife &life : liveness.getLives()) {
    MemorySpace space = typeOf(life.alloc).getSpace();
    auto found = plans.find(space);
    if (found == plans.end())
      found = plans.insert({space, SpacePlan(space, target, mixed, liveness)}).first;
    found->second.add(life, handedOver.contains(life.alloc));
  }
  bool ok = true;
  for (auto &[space, plan] : plans)
    ok &= succeeded(plan.run());
  ok = ok && succeeded(checkPinnedOverlaps(func)); // of tiles that lie in their space
  return ok ? limitAllocations(func, target) : failure();
}

void PlanMemory::runOnOperation() {
  const TargetInfo *target = pto::getTarget(getOperation());
  if (!target)
    return signalPassFailure();
  bool ok = true;
  llvm::StringSet<> clustered = getClusterKernels(getOperation());
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    bool mixed = getFunctionKind(func) == FunctionKind::Group || clustered.contains(func.getName());
    if (isKernel(func))
      ok &= succeeded(planFunction(func, *target, mixed));
  }
  if (!ok)
    signalPassFailure();
}
