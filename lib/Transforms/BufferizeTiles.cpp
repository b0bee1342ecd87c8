//===- BufferizeTiles.cpp - pto-bufferize-tiles ---------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// From here on a tile is a place. Each class of values that hand over to each
// other is one allocation; which allocations may lie at one address is the
// planner's business. The valid extents, until here a property of values, become
// the windows that operations work on.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Tile/TileOps.h"
#include "Transforms/Extents.h"
#include "Transforms/Passes.h"
#include "Transforms/TileClasses.h"
#include "Transforms/TileControlFlow.h"
#include "Transforms/ValueLoop.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::pto {
#define GEN_PASS_DEF_BUFFERIZETILESPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
using Window = SmallVector<OpFoldResult, 2>; // rows, columns

class FunctionBuffers {
public:
  explicit FunctionBuffers(func::FuncOp func) : func(func), classes(func) {}
  LogicalResult run();

private:
  LogicalResult joinAll();
  void allocate();
  Value getBuffer(Value tile, const Window &window, OpBuilder &builder, Location loc);
  Value getStated(Value tile, OpBuilder &builder, Location loc);
  FailureOr<Value> getSource(Operation *op, unsigned operand, const Window &window,
                             OpBuilder &builder);
  LogicalResult rewrite(Operation *op);
  LogicalResult rewriteCompute(TileComputeInterface op);
  LogicalResult rewriteSlice(TileSliceOp op);
  LogicalResult rewriteAssemble(TileAssembleOp op);
  LogicalResult rewriteConcat(TileConcatOp op);
  LogicalResult rewriteElement(Operation *op);
  LogicalResult getWindows(TileComputeInterface op, SmallVectorImpl<Window> &windows);
  Window whole(Value tile);

  func::FuncOp func;
  TileClasses classes;
  ExtentAnalysis extents;
  DenseMap<unsigned, Value> buffers; // by class
};

class BufferizeTiles : public pto::impl::BufferizeTilesPassBase<BufferizeTiles> {
public:
  using BufferizeTilesPassBase::BufferizeTilesPassBase;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

LogicalResult FunctionBuffers::joinAll() {
  classes.forbidCopies();
  for (unsigned index = 0; index < classes.getTransfers().size(); ++index) {
    if (std::optional<Clash> why = classes.findClash(index)) {
      const Transfer &transfer = classes.getTransfers()[index];
      Value needed = classes.getTiles()[why->needed].value;
      Operation *carrier =
          isa<scf::YieldOp>(transfer.at) ? transfer.at->getParentOp() : transfer.at;
      InFlightDiagnostic error = mlir::emitError(carrier->getLoc());
      error << "hands over a tile in one buffer while " << valueWord(needed)
            << " is still needed; run pto-materialize-copies first";
      error.attachNote(why->use->getOwner()->getLoc()) << "it is needed here";
      return error;
    }
    classes.join(index);
  }
  return success();
}

/// `brcb` takes the values of a vector by eight, so that a vector's allocation
/// holds a multiple of eight; a row among fractals lies in whole ones.
static BufType getAllocationType(TileType tile) {
  SmallVector<int64_t> shape(tile.getShape());
  if (*tile.getSpace() == MemorySpace::Vec && shape[1] == 1)
    shape[0] = llvm::alignTo(shape[0], 8);
  shape[0] = llvm::alignTo(
      shape[0], getFractalShape(*tile.getLayout(), *tile.getSpace(), tile.getElementType()).rows);
  return BufType::get(shape, tile.getElementType(), *tile.getSpace(), *tile.getLayout());
}

/// The name of a buffer: that of the variable that a loop carries, which lives
/// longest, or else of the first value in it.
static StringRef getName(const TileClasses &classes, ArrayRef<unsigned> members) {
  StringRef first;
  for (unsigned member : members) {
    Value value = classes.getTiles()[member].value;
    StringRef name = nameOf(value);
    if (isa<BlockArgument>(value) && !name.empty())
      return name;
    if (first.empty())
      first = name;
  }
  return first;
}

void FunctionBuffers::allocate() {
  DenseMap<Block *, Operation *> last; // where the next allocation of a block goes
  for (unsigned number = 0; number < classes.getTiles().size(); ++number) {
    unsigned leader = classes.getClass(number);
    if (buffers.count(leader))
      continue;
    Value value = classes.getTiles()[number].value;
    Block *home = &func.getBody().front();
    for (Operation *op = value.getParentBlock()->getParentOp(); op; op = op->getParentOp())
      if (auto section = dyn_cast<BlockSectionOp>(op))
        home = &section.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(home);
    if (Operation *previous = last.lookup(home))
      builder.setInsertionPointAfter(previous);
    SmallVector<unsigned> members(classes.getMembers(leader));
    llvm::sort(members);
    Location loc = renamed(value.getLoc(), getName(classes, members));
    auto alloc =
        TileAllocOp::create(builder, loc, getAllocationType(cast<TileType>(value.getType())),
                            /*addrs=*/DenseI64ArrayAttr(), /*pinned=*/false);
    last[home] = alloc;
    buffers[leader] = alloc;
  }
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

Window FunctionBuffers::whole(Value tile) {
  Builder builder(tile.getContext());
  ArrayRef<int64_t> shape = getShapeOf(tile.getType());
  return {builder.getIndexAttr(shape[0]), builder.getIndexAttr(shape[1])};
}

/// Sizes as values and numbers. A part may be empty where it is run, but no type is: a size
/// that is known to be none stays a value.
static void splitSizes(ArrayRef<OpFoldResult> sizes, SmallVectorImpl<Value> &dynamic,
                       SmallVectorImpl<int64_t> &statics, OpBuilder &builder, Location loc) {
  SmallVector<OpFoldResult> kept(sizes);
  for (OpFoldResult &size : kept)
    if (std::optional<int64_t> known = getConstantIntValue(size); known && *known < 1)
      size = Value(arith::ConstantIndexOp::create(builder, loc, *known));
  dispatchIndexOpFoldResults(kept, dynamic, statics);
}

/// The window at the beginning of a buffer.
static Value getWindow(Value buffer, const Window &window, OpBuilder &builder, Location loc) {
  auto type = cast<BufType>(buffer.getType());
  SmallVector<Value> dynamic;
  SmallVector<int64_t> sizes;
  splitSizes(window, dynamic, sizes, builder, loc);
  if (dynamic.empty() && ArrayRef<int64_t>(sizes) == type.getShape())
    return buffer;
  return TileSubviewOp::create(builder, renamed(loc, nameOf(buffer)), type.withShape(sizes), buffer,
                               ValueRange(), dynamic, ArrayRef<int64_t>{0, 0}, sizes);
}

Value FunctionBuffers::getBuffer(Value tile, const Window &window, OpBuilder &builder,
                                 Location loc) {
  return getWindow(buffers.lookup(classes.getClass(classes.getNumber(tile))), window, builder, loc);
}

/// Whether a tile is known to hold as much as is wanted of it.
static bool isKnownToHold(OpFoldResult valid, OpFoldResult wanted, int64_t whole) {
  std::optional<int64_t> held = getConstantIntValue(valid);
  return valid == wanted || (held && *held >= getConstantIntValue(wanted).value_or(whole));
}

/// The valid part of a tile whose valid shape was stated larger than it is known to be,
/// as a window of what is; null if none was.
Value FunctionBuffers::getStated(Value tile, OpBuilder &builder, Location loc) {
  auto stated = tile.getDefiningOp<TileSetValidShapeOp>();
  if (!stated)
    return {};
  Value source = stated.getSource(), valid = getStated(source, builder, loc);
  bool holds = true;
  for (unsigned dim : {0u, 1u})
    holds &= isKnownToHold(extents.get(source, dim), extents.get(tile, dim),
                           getShapeOf(tile.getType())[dim]);
  if (holds && !valid)
    return {};
  if (!valid)
    valid = getBuffer(source, extents.get(source), builder, loc);
  return getWindow(valid, extents.get(tile), builder, loc);
}

/// A source's window, which must be valid as far as that is known. Where it is not, it
/// is a window of the valid part: the model refuses one that reaches beyond that, and
/// on the chip it is the same window.
FailureOr<Value> FunctionBuffers::getSource(Operation *op, unsigned operand, const Window &window,
                                            OpBuilder &builder) {
  Value tile = op->getOperand(operand);
  bool copiesAll = isa<TileMoveOp>(op), holds = true;
  for (unsigned dim : {0u, 1u}) {
    std::optional<int64_t> wanted = getConstantIntValue(window[dim]);
    std::optional<int64_t> valid = getConstantIntValue(extents.get(tile, dim));
    if (!copiesAll && wanted && valid && *wanted > *valid) {
      emitUserError(op) << "reads " << *wanted << (dim == 0 ? " rows" : " columns") << " of "
                        << valueWord(tile) << ", of which only " << *valid
                        << " are valid; give both operands the same valid shape";
      return failure();
    }
    holds &= isKnownToHold(extents.get(tile, dim), window[dim], getShapeOf(tile.getType())[dim]);
  }
  Value valid = copiesAll ? Value() : getStated(tile, builder, op->getLoc());
  if (!valid && (copiesAll || holds))
    return getBuffer(tile, window, builder, op->getLoc());
  if (valid && window == Window(extents.get(tile)))
    return valid;
  if (!valid)
    valid = getBuffer(tile, extents.get(tile), builder, op->getLoc());
  return getWindow(valid, window, builder, op->getLoc());
}

/// The window of each tile among the sources, then that of the destination.
LogicalResult FunctionBuffers::getWindows(TileComputeInterface op,
                                          SmallVectorImpl<Window> &windows) {
  OperandRange sources = op.getSources();
  Operation *raw = op.getOperation();
  if (isa<TileMatmulOp, TileMatmulAccOp>(raw)) {
    bool adds = isa<TileMatmulAccOp>(raw);
    Value lhs = sources[adds], rhs = sources[adds + 1];
    std::optional<int64_t> left = getConstantIntValue(extents.get(lhs, 1));
    std::optional<int64_t> right = getConstantIntValue(extents.get(rhs, 0));
    if (left && right && *left != *right)
      return emitUserError(raw) << "the left operand " << valueWord(lhs) << " has " << *left
                                << " valid columns and the right one " << valueWord(rhs) << " "
                                << *right << " valid rows";
  }
  auto fractal = [](Value tile) { return isFractal(*cast<TileType>(tile.getType()).getLayout()); };
  // A move of fractals takes all of them, valid or not.
  bool all = isa<TileMoveOp>(raw) && (fractal(sources[0]) || fractal(raw->getResult(0)));
  auto get = [&](unsigned index, unsigned dim) -> OpFoldResult {
    ExtentRule rule = op.getExtentRule(index, dim);
    if (rule.operand >= 0)
      return normalizeExtent(sources[rule.operand]);
    if (rule.source < 0)
      return Builder(op.getContext()).getIndexAttr(rule.constant);
    OpFoldResult first = extents.get(sources[rule.source], rule.dim);
    return rule.also < 0 ? divideExtent(first, rule.divisor, op)
                         : largerExtent(first, extents.get(sources[rule.also], rule.dim), op);
  };
  for (unsigned index = 0; index <= sources.size(); ++index) {
    if (index < sources.size() && !isa<TileType>(sources[index].getType()))
      windows.push_back({});
    else
      windows.push_back(all ? whole(index < sources.size() ? sources[index] : raw->getResult(0))
                            : Window{get(index, 0), get(index, 1)});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult FunctionBuffers::rewriteCompute(TileComputeInterface op) {
  SmallVector<Window> windows;
  if (failed(getWindows(op, windows)))
    return failure();
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (auto [index, source] : llvm::enumerate(op.getSources())) {
    if (!isa<TileType>(source.getType())) {
      operands.push_back(source);
      continue;
    }
    FailureOr<Value> buffer = getSource(op, index, windows[index], builder);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  Value made = op->getResult(0);
  if (op->hasTrait<UpdatesFirst>())
    operands.push_back(operands[0]);
  else
    operands.push_back(getBuffer(made, windows.back(), builder, op.getLoc()));
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(operands);
  state.addAttributes(op->getAttrs());
  builder.create(state);
  return success();
}

//===----------------------------------------------------------------------===//
// Parts of tiles
//===----------------------------------------------------------------------===//

/// A window of a buffer, wherever it begins.
static Value getPart(Value buffer, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                     OpBuilder &builder, Location loc) {
  auto type = cast<BufType>(buffer.getType());
  SmallVector<Value> dynamicOffsets, dynamicSizes;
  SmallVector<int64_t> staticOffsets, staticSizes;
  dispatchIndexOpFoldResults(offsets, dynamicOffsets, staticOffsets);
  splitSizes(sizes, dynamicSizes, staticSizes, builder, loc);
  if (llvm::all_of(staticOffsets, [](int64_t offset) { return offset == 0; }) &&
      dynamicSizes.empty() && ArrayRef<int64_t>(staticSizes) == type.getShape())
    return buffer;
  return TileSubviewOp::create(builder, renamed(loc, nameOf(buffer)), type.withShape(staticSizes),
                               buffer, dynamicOffsets, dynamicSizes, staticOffsets, staticSizes);
}

/// The same, moved.
static void createMove(OpBuilder &builder, Operation *op, Value from, Value to) {
  TileMoveOp::create(builder, op->getLoc(), Type(), from, to)
      ->setDiscardableAttrs(op->getDiscardableAttrDictionary());
}

static SmallVector<OpFoldResult, 2> getPlace(Value row, Value col) {
  return {normalizeExtent(row), normalizeExtent(col)};
}

LogicalResult FunctionBuffers::rewriteSlice(TileSliceOp op) {
  OpBuilder builder(op);
  Value made = op.getResult();
  // Fractals move as a whole, valid or not.
  bool all = isFractal(*cast<TileType>(made.getType()).getLayout());
  Window window = all ? whole(made) : Window(extents.get(made));
  Value source = getBuffer(op.getSource(), whole(op.getSource()), builder, op.getLoc());
  auto fractal = cast<TileType>(op.getSource().getType());
  FractalShape unit =
      getFractalShape(*fractal.getLayout(), *fractal.getSpace(), fractal.getElementType());
  SmallVector<OpFoldResult, 2> place = getPlace(op.getRow(), op.getCol());
  const int64_t steps[] = {unit.rows, unit.cols};
  for (auto [offset, step] : llvm::zip(place, steps))
    if (std::optional<int64_t> known = getConstantIntValue(offset); known && *known % step)
      return emitUserError(op) << "begins at " << *known << " in " << valueWord(op.getSource())
                               << "; in " << spaceWord(*fractal.getSpace())
                               << " a window begins at a multiple of the fractal, "
                               << shapeWord({unit.rows, unit.cols});
  createMove(builder, op, getPart(source, place, window, builder, op.getLoc()),
             getBuffer(made, window, builder, op.getLoc()));
  return success();
}

LogicalResult FunctionBuffers::rewriteAssemble(TileAssembleOp op) {
  OpBuilder builder(op);
  Window window(extents.get(op.getSource()));
  FailureOr<Value> source = getSource(op, 1, window, builder);
  if (failed(source))
    return failure();
  Value target = getBuffer(op.getTarget(), whole(op.getTarget()), builder, op.getLoc());
  createMove(builder, op, *source,
             getPart(target, getPlace(op.getRow(), op.getCol()), window, builder, op.getLoc()));
  return success();
}

LogicalResult FunctionBuffers::rewriteConcat(TileConcatOp op) {
  OpBuilder builder(op);
  OpFoldResult rows = extents.get(op.getResult(), 0), zero = builder.getIndexAttr(0);
  Value target = getBuffer(op.getResult(), whole(op.getResult()), builder, op.getLoc());
  int64_t begin = 0;
  for (unsigned index : {0u, 1u}) {
    int64_t width = getShapeOf(op->getOperand(index).getType())[1];
    Window window = {rows, builder.getIndexAttr(width)};
    FailureOr<Value> source = getSource(op, index, window, builder);
    if (failed(source))
      return failure();
    createMove(builder, op, *source,
               getPart(target, {zero, builder.getIndexAttr(begin)}, window, builder, op.getLoc()));
    begin += width;
  }
  return success();
}

/// An element, read or written by the scalar unit.
LogicalResult FunctionBuffers::rewriteElement(Operation *op) {
  OpBuilder builder(op);
  if (auto get = dyn_cast<TileGetValueOp>(op)) {
    Value tile = get.getSource();
    get.getSourceMutable().assign(
        getBuffer(tile, Window(extents.get(tile)), builder, op->getLoc()));
    return success();
  }
  auto write = cast<TileWriteOp>(op);
  Value tile = write.getTarget();
  Value buffer = getBuffer(tile, Window(extents.get(tile)), builder, op->getLoc());
  SmallVector<Value> dynamic;
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(getPlace(write.getRow(), write.getCol()), dynamic, statics);
  TileSetValueOp::create(builder, op->getLoc(), write.getValue(), buffer, dynamic, statics)
      ->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return success();
}

LogicalResult FunctionBuffers::rewrite(Operation *op) {
  OpBuilder builder(op);
  if (auto slice = dyn_cast<TileSliceOp>(op))
    return rewriteSlice(slice);
  if (auto assemble = dyn_cast<TileAssembleOp>(op))
    return rewriteAssemble(assemble);
  if (auto concat = dyn_cast<TileConcatOp>(op))
    return rewriteConcat(concat);
  if (isa<TileGetValueOp, TileWriteOp>(op))
    return rewriteElement(op);
  if (isa<TileCreateOp>(op))
    return success(); // the allocation is made already
  if (auto load = dyn_cast<TileLoadOp>(op)) {
    Value dst = getBuffer(load.getResult(), extents.get(load.getResult()), builder, op->getLoc());
    auto made = TileLoadOp::create(builder, op->getLoc(), Type(), load.getSource(),
                                   load.getOffsets(), ValueRange(), dst,
                                   load.getStaticOffsetsAttr(), builder.getDenseI64ArrayAttr({}));
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return success();
  }
  if (auto store = dyn_cast<TileStoreOp>(op)) {
    FailureOr<Value> source = getSource(op, 0, extents.get(store.getSource()), builder);
    if (failed(source))
      return failure();
    auto made = TileStoreOp::create(builder, op->getLoc(), Type(), *source, store.getDest(),
                                    store.getOffsets(), store.getStaticOffsetsAttr());
    made.setAtomicAdd(store.getAtomicAdd());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return success();
  }
  if (auto compute = dyn_cast<TileComputeInterface>(op))
    return rewriteCompute(compute);
  if (isa<TileSetValidShapeOp>(op))
    return success();
  return emitUserError(op) << "has no buffer form";
}

//===----------------------------------------------------------------------===//
// Loops and branches without tiles
//===----------------------------------------------------------------------===//

/// Which results are tiles; the operands of yields and inits may be gone already.
static BitVector getTileResults(Operation *op) {
  BitVector tiles(op->getNumResults());
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    if (isa<TileType>(type))
      tiles.set(index);
  return tiles;
}

static void replaceKept(Operation *op, Operation *newOp, const BitVector &tiles) {
  unsigned next = 0;
  for (OpResult result : op->getResults())
    if (!tiles.test(result.getResultNumber()))
      result.replaceAllUsesWith(newOp->getResult(next++));
  op->dropAllDefinedValueUses();
  op->erase();
}

static void dropTiles(ValueLoop loop) {
  Operation *op = loop.getOperation();
  BitVector tiles = getTileResults(op);
  SmallVector<Value> inits;
  SmallVector<int64_t> from;
  for (unsigned index = 0; index < loop.getNumCarried(); ++index) {
    if (tiles.test(index))
      continue;
    inits.push_back(loop.getInit(index).get());
    from.push_back(index);
  }
  loop.getBody()->getTerminator()->eraseOperands(tiles);
  replaceKept(op, loop.rebuild(inits, from).getOperation(), tiles);
}

static void dropTiles(scf::IfOp branch) {
  BitVector tiles = getTileResults(branch);
  SmallVector<Type> types;
  for (auto [index, type] : llvm::enumerate(branch.getResultTypes()))
    if (!tiles.test(index))
      types.push_back(type);
  OpBuilder builder(branch);
  auto newBranch = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition());
  newBranch->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (unsigned arm : {0u, 1u}) {
    Region &region = branch->getRegion(arm);
    region.front().getTerminator()->eraseOperands(tiles);
    // An arm that only chose a tile is empty now.
    if (arm == 1 && types.empty() && region.front().without_terminator().empty())
      break;
    newBranch->getRegion(arm).takeBody(region);
  }
  replaceKept(branch, newBranch, tiles);
}

LogicalResult FunctionBuffers::run() {
  if (failed(joinAll()))
    return failure();
  allocate();
  SmallVector<Operation *> old, carriers;
  bool ok = true;
  func.walk([&](Operation *op) { // inner ones first
    auto isTile = [](Type type) { return isa<TileType>(type); };
    if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op)) {
      if (llvm::any_of(op->getResultTypes(), isTile))
        carriers.push_back(op);
    } else if (op->hasTrait<TileLevel>() && (llvm::any_of(op->getOperandTypes(), isTile) ||
                                             llvm::any_of(op->getResultTypes(), isTile))) {
      old.push_back(op);
    }
  });
  for (Operation *op : old)
    ok &= succeeded(rewrite(op));
  if (!ok)
    return failure();
  for (Operation *op : llvm::reverse(old)) {
    if (isa<TileGetValueOp>(op))
      continue; // it stays, on a buffer
    op->dropAllDefinedValueUses();
    op->erase();
  }
  for (Operation *op : carriers) {
    if (ValueLoop loop = ValueLoop::get(op))
      dropTiles(loop);
    else
      dropTiles(cast<scf::IfOp>(op));
  }
  return success();
}

void BufferizeTiles::runOnOperation() {
  bool ok = true;
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    if (!isKernel(func))
      continue;
    if (failed(checkTileControlFlow(func)) || failed(checkTileSpaces(func))) {
      ok = false;
      continue;
    }
    expandTileSelects(func);
    ok &= succeeded(FunctionBuffers(func).run());
  }
  if (!ok)
    signalPassFailure();
}
