//===- Program.cpp - What the instructions of a kernel touch --------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Sync/Program.h"
#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::sync;

//===----------------------------------------------------------------------===//
// Indices as sums
//===----------------------------------------------------------------------===//

void Linear::add(const Linear &other, int64_t factor) {
  constant += factor * other.constant;
  for (auto [value, coefficient] : other.terms) {
    auto *it = llvm::find_if(terms, [&](auto &term) { return term.first == value; });
    if (it == terms.end())
      terms.push_back({value, factor * coefficient});
    else if ((it->second += factor * coefficient) == 0)
      terms.erase(it);
  }
}

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) || constant.getSignificantBits() > 40)
    return std::nullopt;
  return constant.getSExtValue();
}

Linear Program::linearize(Value value) {
  if (std::optional<int64_t> constant = getConstant(value))
    return {*constant, {}};
  auto known = linears.find(value);
  if (known != linears.end())
    return known->second;
  Linear result;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    result = linearize(op->getOperand(0));
    result.add(linearize(op->getOperand(1)), isa<arith::AddIOp>(op) ? 1 : -1);
  } else if (auto mul = dyn_cast_or_null<arith::MulIOp>(op);
             mul && (getConstant(mul.getLhs()) || getConstant(mul.getRhs()))) {
    std::optional<int64_t> factor = getConstant(mul.getRhs());
    result.add(linearize(factor ? mul.getLhs() : mul.getRhs()),
               factor ? *factor : *getConstant(mul.getLhs()));
  } else if (isa_and_nonnull<arith::IndexCastOp>(op)) {
    result = linearize(op->getOperand(0));
  } else {
    result.terms.push_back({value, 1});
  }
  linears[value] = result;
  return result;
}

Linear Program::linearize(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return {*constant, {}};
  return linearize(cast<Value>(value));
}

//===----------------------------------------------------------------------===//
// Reading a function
//===----------------------------------------------------------------------===//

LogicalResult Program::read(Operation *owner, Flags whose) {
  flags = whose;
  Region &region = owner->getRegion(0);
  if (region.empty())
    return success();
  if (failed(readBlock(region.front(), body)))
    return failure();
  findOverlaps();
  readSignals();
  return success();
}

LogicalResult Program::readBlock(mlir::Block &from, Block &to) {
  for (Operation &op : from)
    if (failed(readOperation(&op, to)))
      return failure();
  return success();
}

Item &Program::addItem(Item::Kind kind, Operation *op, Block &to) {
  Item &item = items.emplace_back();
  item.kind = kind;
  item.op = op;
  item.parent = &to;
  item.index = to.items.size();
  item.position = items.size() - 1;
  item.end = item.position + 1;
  item.loops.assign(openLoops.begin(), openLoops.end());
  return item;
}

static bool hasInstructions(Region &region) {
  return region.walk([](InstructionInterface) { return WalkResult::interrupt(); }).wasInterrupted();
}

LogicalResult Program::readOperation(Operation *op, Block &to) {
  if (flags == Authors)
    return readAuthorsOperation(op, to);
  // Flags between cores stay where the author set them. Waiting for one comes before all
  // that follows, on every pipe.
  if (auto set = dyn_cast<BlockCrossCoreSetOp>(op)) {
    Item &item = addItem(Item::Instruction, op, to);
    item.pipe = set.getPipe();
    item.pipes = 1u << static_cast<unsigned>(item.pipe);
    item.signal = true;
    to.items.push_back(&item);
    return success();
  }
  if (isa<BlockSetFlagOp, BlockWaitFlagOp, BlockBarrierOp, BlockMutexLockOp, BlockMutexUnlockOp>(
          op))
    return refuseAuthorsOrder(op);
  if (auto instruction = dyn_cast<InstructionInterface>(op))
    return readInstruction(instruction, addItem(Item::Instruction, op, to));
  if (op->getNumRegions() == 0)
    return success();
  if (isa<scf::ForOp, scf::IfOp>(op))
    return readRegions(op, isa<scf::ForOp>(op) ? Item::For : Item::If, to);
  auto loop = dyn_cast<scf::WhileOp>(op);
  if (loop && !hasInstructions(loop.getBefore()))
    return readRegions(op, Item::For, to);
  if (llvm::none_of(op->getRegions(), hasInstructions))
    return success();
  if (!loop)
    return op->emitError() << "pto-insert-sync orders instructions in scf.for, scf.while and "
                              "scf.if, not in "
                           << op->getName();
  return op->emitError() << "the condition of this loop is an instruction of its own, which "
                            "pto-insert-sync does not order; read the value before the loop and at "
                            "the end of its body, or set the flags yourself";
}

/// Flags of the author's beside those that are made here. Barriers do no harm.
LogicalResult Program::refuseAuthorsOrder(Operation *op) {
  auto func = op->getParentOfType<func::FuncOp>();
  auto mode = func ? func->getAttrOfType<SyncModeAttr>(attr::kSync) : SyncModeAttr();
  bool authored = mode && mode.getValue() == SyncMode::Author;
  if (authored && isa<BlockBarrierOp>(op))
    return success();
  if (authored)
    return emitUserError(op) << "orders pipes by hand in a kernel whose tiles have mutex_ids, "
                                "which become flags on a chip without mutexes; leave out the "
                                "mutex_ids, or this and all other flags";
  return emitUserError(op) << "an author's flag in a function that is not marked "
                              "#pto.sync<manual>; mark it, or leave all flags to the compiler";
}

/// Where flags are the author's: instructions of V and M, and what holds these pipes.
LogicalResult Program::readAuthorsOperation(Operation *op, Block &to) {
  if (auto barrier = dyn_cast<BlockBarrierOp>(op)) {
    Item &item = addItem(Item::Barrier, op, to);
    item.pipe = barrier.getPipe();
    to.items.push_back(&item);
    return success();
  }
  if (auto instruction = dyn_cast<InstructionInterface>(op)) {
    std::optional<Pipe> pipe = instruction.getPipe();
    if (pipe && *pipe != Pipe::V && *pipe != Pipe::M)
      return success();
    return readInstruction(instruction, addItem(Item::Instruction, op, to));
  }
  if (op->getNumRegions() == 0)
    return success();
  if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return op->emitError() << "pto-insert-sync orders instructions in scf.for, scf.if and "
                              "scf.while, not in "
                           << op->getName();
  Item::Kind kind = isa<scf::ForOp>(op) ? Item::For : isa<scf::IfOp>(op) ? Item::If : Item::While;
  return readRegions(op, kind, to);
}

LogicalResult Program::readRegions(Operation *op, Item::Kind kind, Block &to) {
  size_t before = items.size();
  Item &item = addItem(kind, op, to);
  auto counted = dyn_cast<scf::ForOp>(op);
  if (counted && failed(readLoop(counted, item)))
    return failure();
  if (kind != Item::If)
    openLoops.push_back(&item);
  for (Region &region : op->getRegions()) {
    // A condition without instructions is no block.
    if (kind == Item::For && !counted && region.getRegionNumber() == 0)
      continue;
    item.blocks.push_back(std::make_unique<Block>(Block{&item, {}}));
    if (!region.empty() && failed(readBlock(region.front(), *item.blocks.back())))
      return failure();
  }
  if (kind != Item::If)
    openLoops.pop_back();
  if (items.size() == before + 1) { // it holds no instruction
    forItems.erase(op);
    items.pop_back();
    return success();
  }
  to.items.push_back(&item);
  item.end = items.size();
  for (auto &block : item.blocks)
    for (Item *inner : block->items)
      item.pipes |= inner->pipes;
  return success();
}

LogicalResult Program::readLoop(scf::ForOp op, Item &item) {
  forItems[op] = &item;
  item.loop.lower = getConstant(op.getLowerBound());
  item.loop.step = getConstant(op.getStep());
  std::optional<int64_t> upper = getConstant(op.getUpperBound());
  if (item.loop.step && *item.loop.step <= 0)
    return op.emitError() << "a loop's step is positive, found " << *item.loop.step;
  if (item.loop.lower && item.loop.step && upper)
    item.loop.trips =
        std::max<int64_t>(0, llvm::divideCeilSigned(*upper - *item.loop.lower, *item.loop.step));
  else if (op.getLowerBound() == op.getUpperBound())
    item.loop.trips = 0;
  for (Item *around : openLoops) {
    auto loop = dyn_cast<scf::ForOp>(around->op);
    item.loop.runs |= loop && loop.getLowerBound() == op.getLowerBound() &&
                      loop.getUpperBound() == op.getUpperBound();
  }
  return success();
}

LogicalResult Program::readInstruction(InstructionInterface op, Item &item) {
  std::optional<Pipe> pipe = op.getPipe();
  if (op.isBufferForm() && !pipe)
    return emitUserError(op) << "copies from a space that no instruction copies from, so that no "
                                "pipe does it";
  bool element = isa<TileGetValueOp, TileSetValueOp>(op.getOperation()); // of an array, too
  if ((!op.isBufferForm() && !element) || *pipe == Pipe::ALL)
    return emitUserError(op) << "pto-insert-sync orders instructions on buffers; run "
                                "pto-bufferize-tiles and pto-plan-memory first";
  item.pipe = *pipe;
  item.pipes = 1u << static_cast<unsigned>(*pipe);
  for (OpOperand *operand : op.getReadOperands())
    if (failed(readAccess(op, operand->get(), /*write=*/false, item)))
      return failure();
  for (OpOperand *operand : op.getWrittenOperands())
    if (failed(readAccess(op, operand->get(), /*write=*/true, item)))
      return failure();
  item.parent->items.push_back(&item);
  return success();
}

LogicalResult Program::readAccess(Operation *op, Value value, bool write, Item &item) {
  FailureOr<Access> access =
      isa<BufType>(value.getType()) ? getWindow(op, value) : getArrayWindow(op, value);
  if (failed(access))
    return failure();
  // A load fills the last block of 32 bytes of each row, with whatever it likes.
  auto type = dyn_cast<BufType>(value.getType());
  if (isa<TileLoadOp>(op) && type && type.getSpace() == MemorySpace::Vec) {
    Interval &across = access->dims[type.getRootCols() == 1 ? 1 : 2];
    int64_t whole = type.getRootCols() == 1 ? type.getRootRows() : type.getRootCols();
    int64_t padded = llvm::alignTo(across.extent, getBlockLanes(type.getElementType()));
    across.extent = std::max(across.extent, std::min(whole, padded));
    setBytes(*access, type);
  }
  item.accesses.push_back(*access);
  item.accesses.back().write = write;
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

FailureOr<unsigned> Program::getAllocation(Operation *user, Value value) {
  auto known = rootNumbers.find(value);
  if (known != rootNumbers.end())
    return known->second;
  auto alloc = value.getDefiningOp<TileAllocOp>();
  if (!alloc) {
    InFlightDiagnostic error = emitUserError(user)
                               << valueWord(value) << " must come from pto.tile.alloc";
    error.attachNote(value.getLoc()) << "it comes from here";
    return error;
  }
  auto type = cast<BufType>(value.getType());
  if (!alloc.getAddrs() || static_cast<int64_t>(alloc.getAddrs()->size()) != type.getSlots()) {
    InFlightDiagnostic error = emitUserError(user) << valueWord(value)
                                                   << " has no address; run "
                                                      "pto-plan-memory first";
    error.attachNote(alloc.getLoc()) << "allocated here";
    return error;
  }
  Root root{value, type.getSpace(), SmallVector<int64_t>(*alloc.getAddrs()), type.getRootBytes()};
  SmallVector<int64_t> sorted(root.addrs);
  llvm::sort(sorted);
  for (size_t i = 1; i < sorted.size(); ++i)
    root.slotsMeet |= sorted[i] < sorted[i - 1] + root.slotBytes;
  roots.push_back(std::move(root));
  return rootNumbers[value] = roots.size() - 1;
}

/// An extent that is not known covers what may be left of the whole.
static int64_t boundExtent(int64_t extent, int64_t whole) {
  return ShapedType::isDynamic(extent) ? whole : extent;
}

FailureOr<Access> Program::getWindow(Operation *user, Value buffer) {
  auto known = windows.find(buffer);
  if (known != windows.end())
    return known->second;
  auto type = cast<BufType>(buffer.getType());
  Operation *op = buffer.getDefiningOp();
  Access access;
  if (auto view = dyn_cast_or_null<TileSubviewOp>(op)) {
    FailureOr<Access> source = getWindow(user, view.getSource());
    if (failed(source))
      return failure();
    access = *source;
    for (auto [dim, offset] : llvm::enumerate(view.getMixedOffsets()))
      access.dims[1 + dim].offset.add(linearize(offset), 1);
  } else if (auto slot = dyn_cast_or_null<TileSlotOp>(op)) {
    FailureOr<Access> source = getWindow(user, slot.getSource());
    if (failed(source))
      return failure();
    access = *source;
    if (!roots[access.root].slotsMeet)
      access.dims[0] = {linearize(slot.getIndex()), 1};
  } else {
    FailureOr<unsigned> root = getAllocation(user, buffer);
    if (failed(root))
      return failure();
    access = {false, *root, {{{}, type.getSlots()}, {{}, 0}, {{}, 0}}, {}};
  }
  for (unsigned dim : {0, 1})
    access.dims[1 + dim].extent = boundExtent(type.getShape()[dim], type.getRoot()[dim]);
  setBytes(access, type);
  windows[buffer] = access;
  return access;
}

void Program::setBytes(Access &access, BufType type) const {
  const Root &root = roots[access.root];
  const Interval &slot = access.dims[0], &rows = access.dims[1], &cols = access.dims[2];
  bool placed = rows.offset.terms.empty() && cols.offset.terms.empty();
  bool whole = !placed || (rows.extent == type.getRootRows() && cols.extent == type.getRootCols());
  bool outside = rows.offset.constant < 0 || cols.offset.constant < 0 ||
                 rows.offset.constant + rows.extent > type.getRootRows() ||
                 cols.offset.constant + cols.extent > type.getRootCols();
  ByteRuns runs;
  if (whole || outside)
    runs.push_back({0, root.slotBytes});
  else
    runs = getRuns(type, rows.offset.constant, rows.extent, cols.offset.constant, cols.extent);
  access.bytes.clear();
  for (auto [number, addr] : llvm::enumerate(root.addrs)) {
    bool known = slot.offset.terms.empty() && slot.extent == 1;
    if (known && slot.offset.constant != static_cast<int64_t>(number))
      continue;
    for (auto [begin, end] : runs)
      access.bytes.push_back({addr + begin, addr + end});
  }
  sortAndMerge(access.bytes);
}

/// The array argument that a view of an array is a view of.
static Value getArgument(Value array) {
  while (Operation *op = array.getDefiningOp()) {
    if (!isa<TileMakePtrOp, TileMakeTensorOp, TilePlaneOp, TileViewOp>(op))
      break;
    array = op->getOperand(0);
  }
  return array;
}

FailureOr<Access> Program::getArrayWindow(Operation *user, Value array) {
  Value argument = getArgument(array);
  if (!isa<GmType>(argument.getType()) || !isa<BlockArgument>(argument))
    return FailureOr<Access>(emitUserError(user)
                             << valueWord(array)
                             << " must be an array argument of the kernel (!pto.gm)");
  auto [it, added] = rootNumbers.try_emplace(argument, roots.size());
  if (added)
    roots.push_back({argument, std::nullopt});
  Access access{false, it->second, {}, {}};
  // What is reached through a view may be anywhere in the array, as is one element.
  if (argument != array || isa<TileGetValueOp, TileSetValueOp>(user))
    return access;
  SmallVector<OpFoldResult> offsets;
  Type tile;
  if (auto load = dyn_cast<TileLoadOp>(user)) {
    offsets = load.getMixedOffsets();
    tile = load.getDst().getType();
  } else if (auto store = dyn_cast<TileStoreOp>(user)) {
    offsets = store.getMixedOffsets();
    tile = store.getSource().getType();
  } else {
    return FailureOr<Access>(emitUserError(user) << "only pl.load and pl.store reach DDR");
  }
  ArrayRef<int64_t> whole = getShapeOf(array.getType());
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    int64_t extent = getShapeOf(tile)[dim];
    // Nobody knows how far an extent known at run time reaches.
    if (ShapedType::isDynamic(extent))
      extent = ShapedType::isDynamic(whole[dim]) ? int64_t(1) << 40 : whole[dim];
    access.dims.push_back({linearize(offset), extent});
  }
  return access;
}

void Program::findOverlaps() {
  // Ranges of all slots, by space and address; only neighbours can meet.
  SmallVector<std::tuple<int, int64_t, int64_t, unsigned>> ranges;
  for (auto [number, root] : llvm::enumerate(roots)) {
    root.overlapping.push_back(number);
    for (int64_t addr : root.addrs)
      ranges.push_back({static_cast<int>(*root.space), addr, addr + root.slotBytes, number});
  }
  llvm::sort(ranges);
  for (auto [i, range] : llvm::enumerate(ranges)) {
    auto [space, begin, end, number] = range;
    for (const auto &[space2, begin2, end2, number2] : ArrayRef(ranges).drop_front(i + 1)) {
      if (space2 != space || begin2 >= end)
        break;
      if (number == number2)
        continue;
      roots[number].overlapping.push_back(number2);
      roots[number2].overlapping.push_back(number);
    }
  }
  for (Root &root : roots) {
    llvm::sort(root.overlapping);
    root.overlapping.erase(llvm::unique(root.overlapping), root.overlapping.end());
  }
}

/// A flag for other cores says that what stands before it is done: the arrays are written,
/// and where all cores of a kind meet, read too. What is on this core alone does not matter.
void Program::readSignals() {
  for (Item &item : items) {
    if (!item.signal)
      continue;
    bool write = cast<BlockCrossCoreSetOp>(item.op).getMode() == 0;
    for (auto [number, root] : llvm::enumerate(roots))
      if (!root.space)
        item.accesses.push_back({write, static_cast<unsigned>(number), {}, {}});
  }
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

unsigned Program::countCommonLoops(const Item *a, const Item *b) {
  unsigned count = 0, most = std::min(a->loops.size(), b->loops.size());
  while (count < most && a->loops[count] == b->loops[count])
    ++count;
  return count;
}

Item *Program::getLoopOf(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp()) : nullptr;
  return loop && loop.getInductionVar() == value ? forItems.lookup(loop) : nullptr;
}

unsigned Program::getDepth(Value value) const {
  unsigned depth = 0;
  for (Operation *op = value.getParentBlock()->getParentOp(); op; op = op->getParentOp())
    depth += isa<scf::ForOp, scf::WhileOp>(op);
  return depth;
}

namespace {
/// All that `b.offset - a.offset` can be: [low, high] + step * k, k = 1 … last.
struct Difference {
  int64_t low, high;
  int64_t step = 0, last = 1;
};
} // namespace

/// Adds `coefficient` times any value of the loop's counter.
static bool addCounter(Difference &difference, const Item *loop, int64_t coefficient) {
  if (!loop || !loop->loop.lower || !loop->loop.trips)
    return false;
  int64_t first = coefficient * *loop->loop.lower;
  int64_t last =
      first + coefficient * *loop->loop.step * std::max<int64_t>(0, *loop->loop.trips - 1);
  difference.low += std::min(first, last);
  difference.high += std::max(first, last);
  return true;
}

/// Whether some k in 1 … last puts [low, high] + step * k into (-extentB, extentA).
static bool reaches(const Difference &d, int64_t extentA, int64_t extentB) {
  int64_t low = -extentB + 1 - d.high, high = extentA - 1 - d.low; // bounds of step * k
  if (d.step == 0)
    return low <= 0 && 0 <= high;
  int64_t first =
      d.step > 0 ? llvm::divideCeilSigned(low, d.step) : llvm::divideCeilSigned(high, d.step);
  int64_t last =
      d.step > 0 ? llvm::divideFloorSigned(high, d.step) : llvm::divideFloorSigned(low, d.step);
  return std::max<int64_t>(first, 1) <= std::min(last, d.last);
}

bool Program::mayOverlap(const Interval &a, const Interval &b, const Item *itemA, const Item *itemB,
                         unsigned carried) const {
  int64_t constant = b.offset.constant - a.offset.constant;
  Difference difference{constant, constant};
  unsigned common = countCommonLoops(itemA, itemB);
  auto coefficientIn = [](const Linear &linear, Value value) -> int64_t {
    for (auto [term, coefficient] : linear.terms)
      if (term == value)
        return coefficient;
    return 0;
  };
  auto addTerm = [&](Value value, int64_t inA, int64_t inB) {
    Item *loop = getLoopOf(value);
    // Defined where both instances are in one iteration: one value.
    if (carried >= common ? getDepth(value) <= common : getDepth(value) <= carried)
      return inA == inB || addCounter(difference, loop, inB - inA);
    if (loop && carried < common && loop == itemB->loops[carried] && inA == inB) {
      if (!loop->loop.step)
        return false;
      difference.step += inB * *loop->loop.step;
      difference.last = loop->loop.trips ? *loop->loop.trips - 1 : int64_t(1) << 40;
      return true;
    }
    return (!inA || addCounter(difference, loop, -inA)) &&
           (!inB || addCounter(difference, loop, inB));
  };
  for (auto [value, coefficient] : a.offset.terms)
    if (!addTerm(value, coefficient, coefficientIn(b.offset, value)))
      return true;
  for (auto [value, coefficient] : b.offset.terms)
    if (!coefficientIn(a.offset, value) && !addTerm(value, 0, coefficient))
      return true;
  return reaches(difference, a.extent, b.extent);
}

bool Program::mayOverlap(const Access &a, const Access &b, const Item *itemA, const Item *itemB,
                         unsigned carried) const {
  if (a.root != b.root)
    return llvm::is_contained(roots[a.root].overlapping, b.root) && meet(a.bytes, b.bytes);
  if (a.dims.empty() || b.dims.empty()) // an array without a window
    return true;
  for (auto [dim, interval] : llvm::enumerate(a.dims))
    if (!mayOverlap(interval, b.dims[dim], itemA, itemB, carried))
      return false;
  return true;
}

std::optional<std::pair<const Access *, const Access *>>
Program::getConflict(const Item *a, const Item *b, unsigned carried) const {
  // A signal follows its own pipe without help, and nothing waits for it here.
  if (a->signal || (b->signal && a->pipe == b->pipe))
    return std::nullopt;
  auto meetIn = [&](const Access &first, const Access &second) {
    return b->signal ? first.root == second.root : mayOverlap(first, second, a, b, carried);
  };
  for (const Access &first : a->accesses)
    for (const Access &second : b->accesses)
      if ((first.write || second.write) && meetIn(first, second))
        return std::pair(&first, &second);
  return std::nullopt;
}
