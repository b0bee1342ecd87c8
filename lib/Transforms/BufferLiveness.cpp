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
        box.dims[dim] = direct ? getSpan(offsets[dim], sizes[dim]) : Span();
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
  void access(Operation *op, State &state);
  void leave(scf::ForOp loop, Accesses &accesses);
  void walkLoop(scf::ForOp loop, State &state);
  void walkBranch(scf::IfOp branch, State &state);
  void append(State &state, State inner);
  void touch(Operation *alloc) {
    auto [found, isNew] = firstAndLast.insert({alloc, {point, point}});
    if (!isNew)
      found->second.second = point;
  }
  void noteInPlace(Operation *op);

  BufferLiveness &result;
  int64_t point = 0;
  DenseMap<Operation *, std::pair<int64_t, int64_t>> firstAndLast;
  std::vector<Loop> loops; // inner ones first
  std::vector<InPlace> inPlace;
};
} // namespace mlir::pto

static bool isDefinedIn(Value value, scf::ForOp loop) {
  return value && loop.getRegion().isAncestor(value.getParentRegion());
}

/// Whether an access of `span` is the same in each iteration of `loop`.
static bool isInvariant(const Span &span, scf::ForOp loop) {
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
      isa<TileBrcbOp>(op) || op->hasTrait<RowReduce>())
    return;
  auto dst = cast<BufType>(compute.getDestination().getType());
  auto made = getAccess(compute.getDestination());
  OperandRange sources = compute.getSources();
  if (op->hasTrait<RowExpand>())
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
    bool known = box.dims[0].kind != Span::Unknown && box.dims[1].kind != Span::Unknown;
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

/// What a loop's body does, seen from outside: its steps altogether.
void LivenessWalk::leave(scf::ForOp loop, Accesses &accesses) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  bool runs = lower && upper && *lower < *upper;
  SmallVector<Box, 2> written;
  for (Box box : accesses.written) {
    bool steps = false;
    for (Span &span : box.dims) {
      Span all = leaveLoop(span, loop);
      steps |= !(all == span);
      span = all;
    }
    // A loop over all steps writes all there is, even if that is nothing.
    bool known = isInvariant(box.dims[0], loop) && isInvariant(box.dims[1], loop);
    if (known && (runs || steps))
      written.push_back(box);
    else
      accesses.loose = true;
  }
  accesses.written = written;
  for (Box &box : accesses.exposed)
    for (Span &span : box.dims) {
      span = leaveLoop(span, loop);
      if (!isInvariant(span, loop))
        span = Span();
    }
}

void LivenessWalk::walkLoop(scf::ForOp loop, State &state) {
  Loop found{point, 0, {}};
  State body = walkBlock(*loop.getBody());
  found.end = ++point;
  for (auto &[alloc, accesses] : body) {
    // What an iteration writes elsewhere than the last one did stays beside it.
    bool varies = llvm::any_of(accesses.written, [&](const Box &box) {
      return !isInvariant(box.dims[0], loop) || !isInvariant(box.dims[1], loop);
    });
    found.uses.push_back({alloc, !accesses.exposed.empty(), accesses.loose || varies});
    leave(loop, accesses);
  }
  loops.push_back(std::move(found));
  append(state, std::move(body));
}

void LivenessWalk::walkBranch(scf::IfOp branch, State &state) {
  State arms[2];
  for (unsigned arm : {0u, 1u})
    if (!branch->getRegion(arm).empty())
      arms[arm] = walkBlock(branch->getRegion(arm).front());
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
  ++point;
  if (isa<InstructionInterface>(op))
    return access(op, state);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return walkLoop(loop, state);
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

void LivenessWalk::run(func::FuncOp func) {
  DenseMap<Operation *, int64_t> places;
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
  for (const Loop &loop : loops)
    for (const Use &use : loop.uses) {
      BufferLife &life = result.lives[places.lookup(use.alloc)];
      int64_t last = firstAndLast.lookup(use.alloc).second;
      if (use.carried || (use.loose && last > loop.end))
        life.begin = std::min(life.begin, loop.begin);
      if (use.carried)
        life.end = std::max(life.end, loop.end);
    }
  for (const InPlace &pair : inPlace)
    if (result.lives[places.lookup(pair.source)].end == pair.point &&
        result.lives[places.lookup(pair.made)].begin == pair.point)
      result.inPlace.push_back({pair.source, pair.made});
}

BufferLiveness::BufferLiveness(func::FuncOp func) { LivenessWalk(*this).run(func); }
