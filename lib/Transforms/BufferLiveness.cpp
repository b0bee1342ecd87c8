//===- BufferLiveness.cpp - When an allocation holds something ------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/BufferLiveness.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Which part of an allocation an access touches
//===----------------------------------------------------------------------===//

namespace {
/// Elements of one dimension.
struct Span {
  enum Kind {
    Static,  // begin to begin + size
    UpTo,    // 0 to `value`
    Step,    // the step of the loop whose induction variable `value` is
    Unknown, // anything
  } kind = Unknown;
  int64_t begin = 0, size = 0;
  Value value;
  bool operator==(const Span &o) const {
    return kind == o.kind && begin == o.begin && size == o.size && value == o.value;
  }
};

struct Box {
  Span dims[2];
};

/// What a stretch of code does with one allocation.
struct Accesses {
  SmallVector<Box, 2> written; // for certain, whenever the code runs
  SmallVector<Box, 2> exposed; // read, and perhaps not written before in this code
  bool loose = false;          // something is written that `written` does not say
};
} // namespace

static scf::ForOp getLoopOf(Value iv) {
  auto argument = dyn_cast_if_present<BlockArgument>(iv);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  return loop && loop.getInductionVar() == iv ? loop : scf::ForOp();
}

/// Whether there is no second iteration; null is a loop with a condition.
static bool runsOnce(scf::ForOp loop) {
  if (!loop)
    return false;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return lower && upper && step && *step > 0 && *upper - *lower <= *step;
}

/// Whether `size` is the step of `loop`, or what is left of it at its end.
static bool isStepOf(OpFoldResult size, scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step)
    return false;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  if (getConstantIntValue(size) == step)
    return lower && upper && (*upper - *lower) % *step == 0;
  auto value = dyn_cast<Value>(size);
  auto smaller = value ? value.getDefiningOp<arith::MinSIOp>() : arith::MinSIOp();
  auto rest = smaller ? smaller.getRhs().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  return rest && getConstantIntValue(smaller.getLhs()) == step &&
         rest.getLhs() == loop.getUpperBound() && rest.getRhs() == loop.getInductionVar();
}

static Span getSpan(OpFoldResult offset, OpFoldResult size) {
  std::optional<int64_t> begin = getConstantIntValue(offset), extent = getConstantIntValue(size);
  if (begin && extent)
    return {Span::Static, *begin, *extent, {}};
  if (begin == 0)
    return {Span::UpTo, 0, 0, cast<Value>(size)};
  if (auto loop = getLoopOf(dyn_cast<Value>(offset)))
    if (isStepOf(size, loop))
      return {Span::Step, 0, 0, loop.getInductionVar()};
  return {};
}

static Box getWhole(BufType type) {
  return {{{Span::Static, 0, type.getRootRows(), {}}, {Span::Static, 0, type.getRootCols(), {}}}};
}

/// The allocation behind a buffer, and the part of it; null for none.
static std::pair<TileAllocOp, Box> getAccess(Value buffer) {
  Box box = getWhole(cast<BufType>(buffer.getType()));
  for (bool direct = true;; direct = false) {
    Operation *def = buffer.getDefiningOp();
    if (auto alloc = dyn_cast_or_null<TileAllocOp>(def))
      return {alloc, box};
    if (auto view = dyn_cast_or_null<TileSubviewOp>(def)) {
      SmallVector<OpFoldResult> offsets = view.getMixedOffsets(), sizes = view.getMixedSizes();
      for (unsigned dim : {0u, 1u})
        if (direct)
          box.dims[dim] = getSpan(offsets[dim], sizes[dim]);
        else if (getConstantIntValue(offsets[dim]) != 0) // the valid part begins where it does
          box.dims[dim] = Span();
      buffer = view.getSource();
    } else if (auto slot = dyn_cast_or_null<TileSlotOp>(def)) {
      box = Box(); // which slot is known at run time only
      buffer = slot.getSource();
    } else {
      return {};
    }
  }
}

//===----------------------------------------------------------------------===//
// Parts of parts
//===----------------------------------------------------------------------===//

/// What a step of a loop touches altogether.
static Span leaveLoop(const Span &span, scf::ForOp loop) {
  if (span.kind != Span::Step || span.value != loop.getInductionVar())
    return span;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  if (lower && upper && *lower < *upper)
    return {Span::Static, *lower, *upper - *lower, {}};
  if (lower == 0 && !upper)
    return {Span::UpTo, 0, 0, loop.getUpperBound()};
  return {};
}

static bool contains(const Span &outer, const Span &inner, int64_t root) {
  if (outer.kind == Span::Unknown)
    return false;
  if (outer == inner || (outer.kind == Span::Static && outer.begin == 0 && outer.size == root))
    return true;
  if (inner.kind == Span::Step)
    return contains(outer, leaveLoop(inner, getLoopOf(inner.value)), root);
  return outer.kind == Span::Static && inner.kind == Span::Static && outer.begin <= inner.begin &&
         outer.begin + outer.size >= inner.begin + inner.size;
}

static bool covers(ArrayRef<Box> boxes, const Box &box, BufType type) {
  return llvm::any_of(boxes, [&](const Box &outer) {
    return contains(outer.dims[0], box.dims[0], type.getRootRows()) &&
           contains(outer.dims[1], box.dims[1], type.getRootCols());
  });
}

/// Adds a part that is written; parts side by side become one.
static void addWritten(SmallVectorImpl<Box> &boxes, Box box, BufType type) {
  if (covers(boxes, box, type))
    return;
  for (Box &other : boxes)
    for (unsigned dim : {0u, 1u}) {
      Span &mine = box.dims[dim], &old = other.dims[dim];
      if (!(box.dims[1 - dim] == other.dims[1 - dim]) || mine.kind != Span::Static ||
          old.kind != Span::Static || mine.begin > old.begin + old.size ||
          old.begin > mine.begin + mine.size)
        continue;
      int64_t end = std::max(mine.begin + mine.size, old.begin + old.size);
      old.begin = std::min(mine.begin, old.begin);
      old.size = end - old.begin;
      return;
    }
  // More parts than this are forgotten, which only makes a life longer.
  if (boxes.size() < 16)
    boxes.push_back(box);
}

static void addExposed(Accesses &accesses, const Box &box, BufType type) {
  if (covers(accesses.written, box, type) || covers(accesses.exposed, box, type))
    return;
  if (accesses.exposed.size() < 16)
    accesses.exposed.push_back(box);
  else
    accesses.exposed.back() = getWhole(type);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace mlir::pto {
class LivenessWalk {
public:
  explicit LivenessWalk(BufferLiveness &result) : result(result) {}
  void run(func::FuncOp func);

private:
  using State = llvm::MapVector<Operation *, Accesses>;
  struct Use {
    Operation *alloc;
    bool carried, loose;
  };
  struct InPlace {
    Operation *source, *made;
    int64_t point;
  };
  struct Loop {
    int64_t begin, end;
    std::vector<Use> uses;
  };
  State walkBlock(Block &block);
  void walkOp(Operation *op, State &state);
  void setHulls();
  void setInPlace();
  void access(Operation *op, State &state);
  void leave(Operation *loop, Accesses &accesses);
  void walkLoop(Operation *loop, State &state);
  void walkBranch(scf::IfOp branch, State &state);
  void append(State &state, State inner);
  void touch(Operation *alloc) {
    auto [found, isNew] = firstAndLast.insert({alloc, {point, point}});
    if (!isNew)
      found->second.second = point;
  }
  void noteInPlace(Operation *op);

  // The walk back.
  struct Live {
    SmallVector<Box, 2> boxes; // what will be read
    int64_t end = 0;           // of this stretch
  };
  using LiveState = llvm::MapVector<Operation *, Live>;
  void walkBack(Block &block, LiveState &live);
  void walkBack(Operation *op, LiveState &live);
  void walkBackAccess(Operation *op, LiveState &live);
  void walkBackLoop(Operation *loop, LiveState &live);
  void meet(LiveState &live, const LiveState &other, int64_t here);
  void walkBackBranch(scf::IfOp branch, LiveState &live);
  void walkBackRegions(Operation *op, LiveState &live);
  void close(Operation *alloc, int64_t begin, int64_t end) {
    stretches[alloc].push_back({begin, end});
  }

  BufferLiveness &result;
  int64_t point = 0;
  /// The point of each operation, and the last one of each that has regions.
  DenseMap<Operation *, int64_t> pointOf, lastPointOf;
  DenseMap<Operation *, int64_t> elsePointOf; // where the second arm of a branch begins
  DenseMap<Block *, int64_t> endPointOf;      // where nothing of a loop's block happens any more
  DenseMap<Operation *, State> summaries;     // what each loop does, seen from outside
  DenseMap<Operation *, SmallVector<std::pair<int64_t, int64_t>, 2>> stretches;
  DenseMap<Operation *, size_t> places; // of each allocation in the result
  DenseMap<Operation *, std::pair<int64_t, int64_t>> firstAndLast;
  std::vector<Loop> loops; // inner ones first
  std::vector<InPlace> inPlace;
};
} // namespace mlir::pto

static bool isDefinedIn(Value value, Operation *loop) {
  return value && loop->isAncestor(value.getParentBlock()->getParentOp());
}

/// Whether an access of `span` is the same in each iteration of `loop`.
static bool isInvariant(const Span &span, Operation *loop) {
  return span.kind != Span::Unknown && !isDefinedIn(span.value, loop);
}

void LivenessWalk::append(State &state, State inner) {
  for (auto &[alloc, accesses] : inner) {
    BufType type = cast<BufType>(cast<TileAllocOp>(alloc).getResult().getType());
    Accesses &all = state[alloc];
    for (const Box &box : accesses.exposed)
      addExposed(all, box, type);
    for (const Box &box : accesses.written)
      addWritten(all.written, box, type);
    all.loose |= accesses.loose;
  }
}

/// An instruction that works element by element may write what it reads.
void LivenessWalk::noteInPlace(Operation *op) {
  auto compute = dyn_cast<TileComputeInterface>(op);
  if (!compute || !compute.getDestination() || compute.getPipe() != Pipe::V ||
      op->hasTrait<NotInPlace>())
    return;
  auto dst = cast<BufType>(compute.getDestination().getType());
  auto made = getAccess(compute.getDestination());
  OperandRange sources = compute.getSources();
  if (op->hasTrait<RowExpand>() || op->hasTrait<ColExpand>())
    sources = sources.take_front(1);
  for (Value source : sources) {
    auto type = dyn_cast<BufType>(source.getType());
    if (!type || type.getRoot() != dst.getRoot() || type.getLayout() != dst.getLayout() ||
        getElementBytes(type.getElementType()) != getElementBytes(dst.getElementType()))
      continue;
    auto read = getAccess(source);
    bool same = read.first && made.first && read.first != made.first;
    for (unsigned dim : {0u, 1u})
      same &= made.second.dims[dim].kind != Span::Unknown &&
              made.second.dims[dim] == read.second.dims[dim];
    if (same)
      inPlace.push_back({read.first, made.first, point});
  }
}

void LivenessWalk::access(Operation *op, State &state) {
  auto instruction = cast<InstructionInterface>(op);
  auto visit = [&](OpOperand *operand, bool write) {
    auto type = dyn_cast<BufType>(operand->get().getType());
    if (!type)
      return;
    auto [alloc, box] = getAccess(operand->get());
    if (!alloc)
      return;
    touch(alloc);
    Accesses &accesses = state[alloc];
    if (!write)
      return addExposed(accesses, box, type);
    // The scalar unit writes one element of its window.
    bool known = box.dims[0].kind != Span::Unknown && box.dims[1].kind != Span::Unknown &&
                 !isa<TileSetValueOp>(op);
    if (known)
      addWritten(accesses.written, box, type);
    accesses.loose |= !known;
  };
  for (OpOperand *operand : instruction.getReadOperands())
    visit(operand, /*write=*/false);
  for (OpOperand *operand : instruction.getWrittenOperands())
    visit(operand, /*write=*/true);
  noteInPlace(op);
}

/// Whether the loop is known to run at least once.
static bool runs(scf::ForOp loop) {
  if (!loop)
    return false;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  return lower && upper && *lower < *upper;
}

/// What a loop's body does, seen from outside: its steps altogether. One with a condition
/// has no steps that are known.
void LivenessWalk::leave(Operation *op, Accesses &accesses) {
  auto loop = dyn_cast<scf::ForOp>(op);
  SmallVector<Box, 2> written;
  for (Box box : accesses.written) {
    bool steps = false;
    for (Span &span : box.dims) {
      Span all = loop ? leaveLoop(span, loop) : span;
      steps |= !(all == span);
      span = all;
    }
    // A loop over all steps writes all there is, even if that is nothing.
    bool known = isInvariant(box.dims[0], op) && isInvariant(box.dims[1], op);
    if (known && (runs(loop) || steps))
      written.push_back(box);
    else
      accesses.loose = true;
  }
  accesses.written = written;
  for (Box &box : accesses.exposed)
    for (Span &span : box.dims) {
      span = loop ? leaveLoop(span, loop) : span;
      if (!isInvariant(span, op))
        span = Span();
    }
}

/// `scf.for`, or `scf.while`, whose two regions are one iteration. It is left between them.
void LivenessWalk::walkLoop(Operation *loop, State &state) {
  Loop found{point, 0, {}};
  State body;
  for (Region &region : loop->getRegions()) {
    append(body, walkBlock(region.front()));
    endPointOf[&region.front()] = ++point;
  }
  found.end = point;
  for (auto &[alloc, accesses] : body) {
    // What an iteration writes elsewhere than the last one did stays beside it.
    bool varies = llvm::any_of(accesses.written, [&](const Box &box) {
      return !isInvariant(box.dims[0], loop) || !isInvariant(box.dims[1], loop);
    });
    found.uses.push_back({alloc, !accesses.exposed.empty(), accesses.loose || varies});
    leave(loop, accesses);
  }
  if (!runsOnce(dyn_cast<scf::ForOp>(loop)))
    loops.push_back(std::move(found));
  lastPointOf[loop] = point;
  summaries[loop] = body;
  append(state, std::move(body));
}

void LivenessWalk::walkBranch(scf::IfOp branch, State &state) {
  State arms[2];
  // Each arm has a point of its own in front and behind, where nothing happens.
  for (unsigned arm : {0u, 1u}) {
    if (arm == 1)
      elsePointOf[branch] = (point += 2);
    if (!branch->getRegion(arm).empty())
      arms[arm] = walkBlock(branch->getRegion(arm).front());
  }
  lastPointOf[branch] = ++point;
  // Reads of both arms, and what both of them write; neither runs after the other.
  State merged;
  for (unsigned arm : {0u, 1u})
    for (auto &[alloc, accesses] : arms[arm]) {
      BufType type = cast<BufType>(cast<TileAllocOp>(alloc).getResult().getType());
      auto other = arms[1 - arm].find(alloc);
      ArrayRef<Box> others;
      if (other != arms[1 - arm].end())
        others = other->second.written;
      Accesses &all = merged[alloc];
      llvm::append_range(all.exposed, accesses.exposed);
      all.loose |= accesses.loose;
      for (const Box &box : accesses.written) {
        if (covers(others, box, type))
          all.written.push_back(box);
        else
          all.loose = true;
      }
    }
  append(state, std::move(merged));
}

void LivenessWalk::walkOp(Operation *op, State &state) {
  pointOf[op] = ++point;
  if (isa<InstructionInterface>(op))
    return access(op, state);
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return walkLoop(op, state);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return walkBranch(branch, state);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      append(state, walkBlock(block));
}

LivenessWalk::State LivenessWalk::walkBlock(Block &block) {
  State state;
  for (Operation &op : block)
    walkOp(&op, state);
  return state;
}

//===----------------------------------------------------------------------===//
// The walk back: where nobody will read what is there
//===----------------------------------------------------------------------===//

/// Takes away what is written from what will be read.
static void subtract(SmallVectorImpl<Box> &boxes, const Box &written, BufType type) {
  SmallVector<Box, 2> rest;
  for (const Box &box : boxes) {
    int64_t roots[] = {type.getRootRows(), type.getRootCols()};
    bool inside[] = {contains(written.dims[0], box.dims[0], roots[0]),
                     contains(written.dims[1], box.dims[1], roots[1])};
    if (inside[0] && inside[1])
      continue;
    unsigned dim = inside[0] ? 1 : 0; // the one in which something is left
    const Span &old = box.dims[dim], &taken = written.dims[dim];
    if (!inside[1 - dim] || old.kind != Span::Static || taken.kind != Span::Static) {
      rest.push_back(box);
      continue;
    }
    auto keep = [&](int64_t begin, int64_t end) {
      if (begin >= end)
        return;
      rest.push_back(box);
      rest.back().dims[dim] = {Span::Static, begin, end - begin, {}};
    };
    keep(old.begin, std::min(old.begin + old.size, taken.begin));
    keep(std::max(old.begin, taken.begin + taken.size), old.begin + old.size);
  }
  boxes.assign(rest.begin(), rest.end());
}

static void addRead(SmallVectorImpl<Box> &boxes, const Box &box, BufType type) {
  if (covers(boxes, box, type))
    return;
  if (boxes.size() < 16)
    boxes.push_back(box);
  else
    boxes.assign(1, getWhole(type));
}

static BufType typeOf(Operation *alloc) {
  return cast<BufType>(cast<TileAllocOp>(alloc).getResult().getType());
}

void LivenessWalk::walkBackAccess(Operation *op, LiveState &live) {
  auto instruction = cast<InstructionInterface>(op);
  int64_t here = pointOf.lookup(op);
  auto getOperandAccess = [](OpOperand *operand) -> std::pair<TileAllocOp, Box> {
    if (!isa<BufType>(operand->get().getType()))
      return {};
    return getAccess(operand->get());
  };
  SmallVector<Operation *, 2> killed;
  for (OpOperand *operand : instruction.getWrittenOperands()) {
    auto [alloc, box] = getOperandAccess(operand);
    if (!alloc)
      continue;
    auto *found = live.find(alloc);
    if (found == live.end())
      live[alloc].end = here;          // nobody reads it; it needs its place all the same
    else if (!isa<TileSetValueOp>(op)) // which writes one element
      subtract(found->second.boxes, box, typeOf(alloc));
    if (live[alloc].boxes.empty())
      killed.push_back(alloc);
  }
  for (OpOperand *operand : instruction.getReadOperands()) {
    auto [alloc, box] = getOperandAccess(operand);
    if (!alloc)
      continue;
    auto [found, isNew] = live.insert({alloc, Live()});
    if (isNew)
      found->second.end = here;
    addRead(found->second.boxes, box, typeOf(alloc));
  }
  for (Operation *alloc : killed)
    if (auto *found = live.find(alloc); found != live.end() && found->second.boxes.empty()) {
      close(alloc, here, found->second.end);
      live.erase(found);
    }
}

/// Behind an iteration is what is behind the loop, or the next iteration; between the two
/// regions of a while loop is what is behind it, too.
void LivenessWalk::walkBackLoop(Operation *loop, LiveState &live) {
  int64_t begin = pointOf.lookup(loop), end = lastPointOf.lookup(loop);
  bool again = !runsOnce(dyn_cast<scf::ForOp>(loop));
  LiveState before; // the loop
  for (auto &[alloc, value] : live)
    before[alloc] = {value.boxes, begin};
  for (auto &[alloc, accesses] : summaries[loop]) {
    Live &outside = before.insert({alloc, {{}, begin}}).first->second;
    for (const Box &box : accesses.written)
      subtract(outside.boxes, box, typeOf(alloc));
    for (const Box &box : accesses.exposed) {
      addRead(outside.boxes, box, typeOf(alloc));
      if (again)
        addRead(live.insert({alloc, {{}, end}}).first->second.boxes, box, typeOf(alloc));
    }
  }
  before.remove_if([](auto &entry) { return entry.second.boxes.empty(); });
  LiveState behind = live;
  for (Region &region : llvm::reverse(loop->getRegions())) {
    Block &block = region.front();
    if (&region != &loop->getRegions().back())
      meet(live, behind, endPointOf.lookup(&block));
    walkBack(block, live);
  }
  for (auto &[alloc, value] : live) {
    auto *outside = before.find(alloc);
    if (outside == before.end())
      close(alloc, begin, value.end);
    else
      outside->second.end = value.end;
  }
  live = std::move(before);
}

/// What is read on another way on from `here`, too.
void LivenessWalk::meet(LiveState &live, const LiveState &other, int64_t here) {
  for (const auto &[alloc, value] : other) {
    Live &found = live.insert({alloc, {{}, here}}).first->second;
    for (const Box &box : value.boxes)
      addRead(found.boxes, box, typeOf(alloc));
  }
}

void LivenessWalk::walkBackBranch(scf::IfOp branch, LiveState &live) {
  int64_t begin = pointOf.lookup(branch), middle = elsePointOf.lookup(branch);
  LiveState first = live;
  for (auto &[alloc, value] : first)
    value.end = middle - 1;
  if (!branch.getElseRegion().empty())
    walkBack(branch.getElseRegion().front(), live);
  walkBack(branch.getThenRegion().front(), first);
  for (auto &[alloc, value] : live) {
    close(alloc, middle, value.end);
    auto [found, isNew] = first.insert({alloc, {{}, begin}});
    for (const Box &box : value.boxes)
      addRead(found->second.boxes, box, typeOf(alloc));
  }
  live = std::move(first);
}

void LivenessWalk::walkBackRegions(Operation *op, LiveState &live) {
  for (Region &region : llvm::reverse(op->getRegions()))
    for (Block &block : llvm::reverse(region))
      walkBack(block, live);
}

void LivenessWalk::walkBack(Operation *op, LiveState &live) {
  if (isa<InstructionInterface>(op))
    return walkBackAccess(op, live);
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return walkBackLoop(op, live);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return walkBackBranch(branch, live);
  walkBackRegions(op, live);
}

void LivenessWalk::walkBack(Block &block, LiveState &live) {
  for (Operation &op : llvm::reverse(block))
    walkBack(&op, live);
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

/// From the first point to the last.
void LivenessWalk::setHulls() {
  for (const Loop &loop : loops)
    for (const Use &use : loop.uses) {
      BufferLife &life = result.lives[places.lookup(use.alloc)];
      int64_t last = firstAndLast.lookup(use.alloc).second;
      if (use.carried || (use.loose && last > loop.end))
        life.begin = std::min(life.begin, loop.begin);
      if (use.carried)
        life.end = std::max(life.end, loop.end);
    }
}

/// A pair shares its bytes only if it may wherever both live.
void LivenessWalk::setInPlace() {
  auto getStretches = [&](Operation *alloc) -> ArrayRef<std::pair<int64_t, int64_t>> {
    return result.lives[places.lookup(alloc)].stretches;
  };
  auto endsAt = [&](Operation *alloc, int64_t point) {
    return llvm::any_of(getStretches(alloc), [&](auto s) { return s.second == point; });
  };
  auto beginsAt = [&](Operation *alloc, int64_t point) {
    return llvm::any_of(getStretches(alloc), [&](auto s) { return s.first == point; });
  };
  llvm::erase_if(inPlace, [&](const InPlace &pair) {
    return !endsAt(pair.source, pair.point) || !beginsAt(pair.made, pair.point);
  });
  auto order = [](const InPlace &pair) { return std::minmax(pair.source, pair.made); };
  DenseMap<std::pair<Operation *, Operation *>, llvm::SmallDenseSet<int64_t, 2>> points;
  for (const InPlace &pair : inPlace)
    points[order(pair)].insert(pair.point);
  for (const InPlace &pair : inPlace) {
    const auto &shared = points[order(pair)];
    bool apart = llvm::all_of(getStretches(pair.source), [&](auto a) {
      return llvm::all_of(getStretches(pair.made), [&](auto b) {
        int64_t begin = std::max(a.first, b.first), end = std::min(a.second, b.second);
        return begin > end || (begin == end && shared.contains(begin));
      });
    });
    if (apart)
      result.inPlace.push_back({pair.source, pair.made});
  }
}

/// The stretches between two points; all of it if there are none, as of what is
/// not accessed.
static void setStretches(BufferLife &life, ArrayRef<std::pair<int64_t, int64_t>> found) {
  SmallVector<std::pair<int64_t, int64_t>, 4> sorted(found);
  llvm::sort(sorted);
  for (auto [begin, end] : sorted) {
    begin = std::max(begin, life.begin);
    end = std::min(end, life.end);
    if (begin > end)
      continue;
    if (!life.stretches.empty() && life.stretches.back().second >= begin)
      life.stretches.back().second = std::max(life.stretches.back().second, end);
    else
      life.stretches.push_back({begin, end});
  }
  if (life.stretches.empty())
    life.stretches.push_back({life.begin, life.end});
}

void LivenessWalk::run(func::FuncOp func) {
  for (Block &block : func.getBody())
    walkBlock(block);
  func.walk([&](TileAllocOp alloc) {
    auto found = firstAndLast.find(alloc);
    // What nobody accesses still is a buffer, alone at the beginning.
    int64_t begin = 0, end = 0;
    if (found != firstAndLast.end())
      std::tie(begin, end) = found->second;
    places[alloc] = result.lives.size();
    result.lives.push_back({alloc, begin, end});
  });
  setHulls();
  // Branches between blocks could go anywhere: no walk back, nothing dead in between.
  if (func.getBody().hasOneBlock()) {
    LiveState live;
    walkBack(func.getBody().front(), live);
    for (auto &[alloc, value] : live)
      close(alloc, 0, value.end);
  }
  for (BufferLife &life : result.lives)
    setStretches(life, stretches[life.alloc]);
  setInPlace();
  for (auto [op, begin] : pointOf) {
    auto last = lastPointOf.find(op);
    result.points[op] = {begin, last == lastPointOf.end() ? begin : last->second};
  }
}

BufferLiveness::BufferLiveness(func::FuncOp func) { LivenessWalk(*this).run(func); }
