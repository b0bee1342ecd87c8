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
#include "Transforms/Packing.h"
#include "Transforms/Passes.h"
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
  LogicalResult add(const BufferLife &life);
  LogicalResult run();

private:
  void addInPlace();
  LogicalResult fail(const PackBound &bound, int64_t peak);

  MemorySpace space;
  int64_t reserved; // bytes that a mixed kernel has not
  const BufferLiveness &liveness;
  PackProblem problem;
  std::vector<const BufferLife *> owners; // of each item; one item a slot
};

class PlanMemory : public pto::impl::PlanMemoryPassBase<PlanMemory> {
public:
  using PlanMemoryPassBase::PlanMemoryPassBase;
  void runOnOperation() override;
};
} // namespace

static BufType typeOf(TileAllocOp alloc) { return cast<BufType>(alloc.getResult().getType()); }

static std::string allocWord(TileAllocOp alloc) {
  StringRef name = nameOf(alloc.getResult());
  BufType type = typeOf(alloc);
  std::string text = name.empty() ? "" : ("'" + name + "', ").str();
  text += typeWord(type);
  if (type.getSlots() > 1)
    text += ", " + std::to_string(type.getSlots()) + " times";
  return text;
}

/// The author's addresses must lie in the space and on its alignment.
static LogicalResult checkAddresses(TileAllocOp alloc, const PackProblem &problem) {
  MemorySpace space = typeOf(alloc).getSpace();
  int64_t bytes = typeOf(alloc).getRootBytes();
  ArrayRef<int64_t> addresses = *alloc.getAddrs();
  for (int64_t address : addresses) {
    if (address % problem.alignment != 0)
      return mlir::emitError(alloc.getLoc())
             << allocWord(alloc) << ": address " << address << " is not a multiple of "
             << problem.alignment << ", as " << spaceWord(space) << " demands";
    if (address > problem.capacity || bytes > problem.capacity - address)
      return mlir::emitError(alloc.getLoc())
             << allocWord(alloc) << ": " << bytesWord(bytes) << " at address " << address
             << " reach beyond the " << bytesWord(problem.capacity) << " of " << spaceWord(space);
  }
  return success();
}

LogicalResult SpacePlan::add(const BufferLife &life) {
  TileAllocOp alloc = life.alloc;
  BufType type = typeOf(alloc);
  if (alloc.getAddrs() && failed(checkAddresses(alloc, problem)))
    return failure();
  int64_t bytes = llvm::alignTo(type.getRootBytes(), problem.alignment);
  for (int64_t slot = 0; slot < type.getSlots(); ++slot) {
    PackItem item{bytes, life.begin, life.end, life.stretches};
    if (alloc.getAddrs()) {
      item.fixed = true;
      item.address = (*alloc.getAddrs())[slot];
    }
    problem.items.push_back(item);
    owners.push_back(&life);
  }
  return success();
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

/// The space at the point where most of it is needed, and who needs it.
LogicalResult SpacePlan::fail(const PackBound &bound, int64_t peak) {
  llvm::MapVector<Operation *, int64_t> live; // bytes
  TileAllocOp last;
  int64_t lastBegin = 0;
  for (auto [item, owner] : llvm::zip(problem.items, owners)) {
    if (!item.livesAt(bound.point))
      continue;
    live[owner->alloc] += item.bytes;
    // The one that comes to it last is one too many.
    int64_t begin = item.begin;
    for (auto [first, end] : item.stretches)
      if (first <= bound.point)
        begin = first;
    if (!last || begin > lastBegin)
      std::tie(last, lastBegin) = std::pair(owner->alloc, begin);
  }
  if (!last)
    last = owners.front()->alloc;
  InFlightDiagnostic error = mlir::emitError(last.getLoc());
  error << allocWord(last) << ", does not fit: " << spaceWord(space) << " holds "
        << bytesWord(problem.capacity) << ", and " << bytesWord(std::max(bound.bytes, peak));
  if (bound.bytes > problem.capacity)
    error << " are needed at once";
  else
    error << " are the least that a placement was found for";
  error << "; use smaller tiles, or store one of these before the next is made";
  auto owned = live.takeVector();
  llvm::stable_sort(owned, [](auto &a, auto &b) { return a.second > b.second; });
  int64_t rest = 0;
  for (auto [index, entry] : llvm::enumerate(owned)) {
    if (index >= 8) {
      rest += entry.second;
      continue;
    }
    error.attachNote(entry.first->getLoc())
        << bytesWord(entry.second) << " of it: " << allocWord(cast<TileAllocOp>(entry.first));
  }
  if (rest)
    error.attachNote(last.getLoc())
        << bytesWord(rest) << " of it: " << owned.size() - 8 << " smaller ones";
  if (reserved)
    error.attachNote(last->getParentOp()->getLoc())
        << "the kernel runs in a cluster, where " << bytesWord(reserved) << " more are kept free";
  return error;
}

LogicalResult SpacePlan::run() {
  addInPlace();
  PackBound bound = getPackBound(problem);
  if (bound.bytes > problem.capacity)
    return fail(bound, 0);
  int64_t peak = pack(problem, bound.bytes);
  if (peak > problem.capacity)
    return fail(bound, peak);
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

static LogicalResult planFunction(func::FuncOp func, const TargetInfo &target, bool mixed) {
  BufferLiveness liveness(func);
  llvm::MapVector<MemorySpace, SpacePlan> plans;
  bool ok = true;
  for (const BufferLife &life : liveness.getLives()) {
    MemorySpace space = typeOf(life.alloc).getSpace();
    auto found = plans.find(space);
    if (found == plans.end())
      found = plans.insert({space, SpacePlan(space, target, mixed, liveness)}).first;
    ok &= succeeded(found->second.add(life));
  }
  if (!ok)
    return failure();
  for (auto &[space, plan] : plans)
    ok &= succeeded(plan.run());
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
