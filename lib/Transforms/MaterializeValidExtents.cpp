//===- MaterializeValidExtents.cpp - pto-materialize-valid-extents --------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The valid extents of a tile are found by walking up its definitions, and a
// value that a loop carries or a branch gives has two of them. Where they agree,
// that extent is stated behind the loop or branch; where they do not, it is
// carried beside the tile. Which agree is found optimistically: a carried extent
// begins as unknown, takes the first that flows in, and becomes one of its own
// when another does.
//
//===----------------------------------------------------------------------===//

#include "Tile/TileOps.h"
#include "Transforms/Extents.h"
#include "Transforms/Passes.h"
#include "Transforms/TileControlFlow.h"
#include "Transforms/ValueLoop.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::pto {
#define GEN_PASS_DEF_MATERIALIZEVALIDEXTENTSPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {

/// The extent of a tile while it is being found: nothing yet, a known one, or
/// the one that a carried tile has of its own.
struct Extent {
  OpFoldResult known;
  Value tile;
  bool open() const { return !known && !tile; }
  bool operator==(const Extent &other) const { return known == other.known && tile == other.tile; }
};

/// Result `index` of a loop or branch, with its extents. For a loop the value
/// inside (`argument`) and the one behind it have the same sources.
struct Carried {
  Operation *op;
  unsigned index;
  Value result, argument; // no argument for a branch
  Extent extents[2];
  bool own[2] = {false, false}; // different extents flow in: carry one
  /// The index values that hold extents of its own, inside and behind.
  Value ownArgument[2], ownResult[2];

  scf::YieldOp getYield(unsigned arm) const {
    return cast<scf::YieldOp>(op->getRegion(arm).front().getTerminator());
  }
  SmallVector<Value, 2> getSources() const {
    if (ValueLoop loop = ValueLoop::get(op))
      return {loop.getInit(index).get(), loop.getYielded(index).get()};
    return {getYield(0).getOperand(index), getYield(1).getOperand(index)};
  }
};

/// What a slice has of its source ends where the source's valid region does. An extent that
/// is not known before those of loops and branches are stated is a placeholder until then.
class SliceExtents {
public:
  explicit SliceExtents(func::FuncOp func) : func(func) {}
  void clip();
  void resolve();

private:
  void clip(TileSliceOp op, unsigned dim);
  Value getExtent(OpBuilder &builder, Value tile, unsigned dim);
  func::FuncOp func;
  SmallVector<UnrealizedConversionCastOp> placeholders; // with their dimension in an attribute
};

class FunctionExtents {
public:
  explicit FunctionExtents(func::FuncOp func) : func(func) {}
  void run();

private:
  void collect();
  void solve();
  bool settle();
  OpFoldResult derive(Value tile, const ExtentSource &source, unsigned dim);
  Extent evaluate(Value tile, unsigned dim);
  void addCarries();
  void rebuild(MutableArrayRef<Carried> tiles);
  void fillCarries();
  void stateExtents(const Carried &phi, Value tile, OpBuilder &builder);
  Value getIndex(const Extent &extent, unsigned dim);
  Value getConstant(int64_t value);
  OpFoldResult resolve(const Extent &extent, unsigned dim);

  func::FuncOp func;
  std::vector<Carried> carried; // in program order
  DenseMap<Value, unsigned> numberOf;
  DenseMap<std::pair<Value, unsigned>, ExtentSource> roots;
  DenseMap<int64_t, Value> constants;
};

class MaterializeValidExtents
    : public pto::impl::MaterializeValidExtentsPassBase<MaterializeValidExtents> {
public:
  using MaterializeValidExtentsPassBase::MaterializeValidExtentsPassBase;
  void runOnOperation() override;
};
} // namespace

/// The extent of a tile that no loop or branch carries, if it is a number.
static std::optional<int64_t> getKnownExtent(Value tile, unsigned dim) {
  while (Operation *op = tile.getDefiningOp()) {
    if (op->getNumRegions())
      return std::nullopt;
    ExtentSource source = getExtentSource(tile, dim);
    if (source.extent)
      return getConstantIntValue(source.extent);
    if (!source.isPlain())
      return std::nullopt;
    tile = source.tile, dim = source.dim;
  }
  return std::nullopt;
}

Value SliceExtents::getExtent(OpBuilder &builder, Value tile, unsigned dim) {
  auto cast = UnrealizedConversionCastOp::create(builder, unnamed(tile.getLoc()),
                                                 builder.getIndexType(), tile);
  cast->setAttr("dim", builder.getI64IntegerAttr(dim));
  placeholders.push_back(cast);
  return cast.getResult(0);
}

void SliceExtents::clip(TileSliceOp op, unsigned dim) {
  Value offset = op->getOperand(1 + dim), wanted = op->getOperand(3 + dim);
  std::optional<int64_t> held = getKnownExtent(op.getSource(), dim);
  if (held == getShapeOf(op.getSource().getType())[dim])
    return; // a window lies in its tile
  std::optional<int64_t> begin = getConstantIntValue(offset), most = getConstantIntValue(wanted);
  if (held && begin && most && *begin + *most <= *held)
    return;
  OpBuilder builder(op);
  Location loc = unnamed(op.getLoc());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  if (held && begin && most) {
    int64_t left = std::max<int64_t>(0, std::min(*held - *begin, *most));
    op->setOperand(3 + dim, arith::ConstantIndexOp::create(builder, loc, left));
    return;
  }
  Value end = held ? arith::ConstantIndexOp::create(builder, loc, *held).getResult()
                   : getExtent(builder, op.getSource(), dim);
  Value left = arith::SubIOp::create(builder, loc, end, offset);
  Value least = arith::MinSIOp::create(builder, loc, left, wanted);
  op->setOperand(3 + dim, arith::MaxSIOp::create(builder, loc, least, zero));
}

void SliceExtents::clip() {
  func.walk([&](TileSliceOp op) {
    for (unsigned dim : {0u, 1u})
      clip(op, dim);
  });
}

void SliceExtents::resolve() {
  ExtentAnalysis extents;
  for (UnrealizedConversionCastOp op : placeholders) {
    auto dim = op->getAttrOfType<IntegerAttr>("dim").getInt();
    OpFoldResult extent = extents.get(op.getOperand(0), dim);
    OpBuilder builder(op);
    Value value = getValueOrCreateConstantIndexOp(builder, op.getLoc(), extent);
    op.getResult(0).replaceAllUsesWith(value);
    op.erase();
  }
}

void FunctionExtents::collect() {
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    ValueLoop loop = ValueLoop::get(op);
    if (!loop && !isa<scf::IfOp>(op))
      return;
    for (auto [index, result] : llvm::enumerate(op->getResults())) {
      if (!isa<TileType>(result.getType()))
        continue;
      Value argument = loop ? loop.getArgument(index) : Value();
      numberOf[result] = carried.size();
      if (argument)
        numberOf[argument] = carried.size();
      carried.push_back({op, static_cast<unsigned>(index), result, argument});
    }
  });
}

/// An extent that is computed from those of other tiles. Of one that a loop carries, whose
/// extent is another each time, it is all of it.
OpFoldResult FunctionExtents::derive(Value tile, const ExtentSource &source, unsigned dim) {
  Operation *op = tile.getDefiningOp();
  Extent first = evaluate(source.tile, source.dim);
  Extent second = source.also ? evaluate(source.also, source.dim) : first;
  if (!first.known || !second.known)
    return Builder(func.getContext()).getIndexAttr(getShapeOf(tile.getType())[dim]);
  OpFoldResult part = divideExtent(first.known, source.divisor, op);
  return source.also ? largerExtent(part, second.known, op) : part;
}

/// The extent of `tile`, as far as what it comes from is known. The way up to a
/// carried tile or a known extent never changes, so it is kept.
Extent FunctionExtents::evaluate(Value tile, unsigned dim) {
  SmallVector<Value> path;
  ExtentSource source{{}, tile, dim};
  while (!source.extent && !numberOf.count(source.tile)) {
    auto found = roots.find({source.tile, dim});
    if (found != roots.end()) {
      source = found->second;
      continue;
    }
    path.push_back(source.tile);
    ExtentSource next = getExtentSource(source.tile, dim);
    if (!next.isPlain())
      next.extent = derive(source.tile, next, dim);
    if (!next.extent && next.tile == source.tile)
      next.extent = Builder(func.getContext()).getIndexAttr(getShapeOf(tile.getType())[dim]);
    source = next;
  }
  for (Value value : path)
    roots[{value, dim}] = source;
  if (source.extent)
    return {source.extent, {}};
  const Carried &phi = carried[numberOf[source.tile]];
  // An extent of its own is another value inside a loop than behind it.
  return phi.own[dim] ? Extent{{}, source.tile} : phi.extents[dim];
}

/// Lets extents flow until nothing changes; false if two met, in a carried tile
/// that is now known to need its own.
bool FunctionExtents::settle() {
  for (Carried &phi : carried)
    phi.extents[0] = phi.extents[1] = {};
  for (bool changed = true; changed;) {
    changed = false;
    for (Carried &phi : carried)
      for (unsigned dim : {0u, 1u}) {
        if (phi.own[dim])
          continue;
        for (Value source : phi.getSources()) {
          Extent incoming = evaluate(source, dim);
          if (incoming.open() || incoming == phi.extents[dim])
            continue;
          if (!phi.extents[dim].open()) {
            phi.own[dim] = true;
            return false;
          }
          phi.extents[dim] = incoming;
          changed = true;
        }
      }
  }
  return true;
}

/// What was concluded from an extent that then turned out to differ is void, so
/// that each discovery starts over.
void FunctionExtents::solve() {
  while (!settle()) {
  }
}

Value FunctionExtents::getConstant(int64_t value) {
  Value &constant = constants[value];
  if (!constant) {
    OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
    constant = arith::ConstantIndexOp::create(builder, unnamed(func.getLoc()), value);
  }
  return constant;
}

OpFoldResult FunctionExtents::resolve(const Extent &extent, unsigned dim) {
  if (!extent.tile)
    return extent.known;
  Carried &phi = carried[numberOf[extent.tile]];
  return extent.tile == phi.argument ? phi.ownArgument[dim] : phi.ownResult[dim];
}

Value FunctionExtents::getIndex(const Extent &extent, unsigned dim) {
  OpFoldResult resolved = resolve(extent, dim);
  if (auto value = dyn_cast<Value>(resolved))
    return value;
  return getConstant(*getConstantIntValue(resolved));
}

/// The loop again, with more inits, arguments and results behind the old ones.
static Operation *extendLoop(ValueLoop loop, ValueRange added) {
  SmallVector<Value> inits;
  SmallVector<int64_t> from;
  for (unsigned index = 0; index < loop.getNumCarried(); ++index) {
    inits.push_back(loop.getInit(index).get());
    from.push_back(index);
  }
  llvm::append_range(inits, added);
  from.resize(inits.size(), -1);
  return loop.rebuild(inits, from).getOperation();
}

static scf::IfOp extendBranch(scf::IfOp branch, ValueRange added) {
  OpBuilder builder(branch);
  SmallVector<Type> types(branch.getResultTypes());
  llvm::append_range(types, added.getTypes());
  auto newBranch = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition());
  newBranch->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (unsigned arm : {0u, 1u})
    newBranch->getRegion(arm).takeBody(branch->getRegion(arm));
  return newBranch;
}

/// Makes a new loop or branch with room for the extents of its tiles; what flows
/// into them follows in fillCarries, when all of them exist.
void FunctionExtents::rebuild(MutableArrayRef<Carried> tiles) {
  Operation *op = tiles.front().op;
  unsigned before = op->getNumResults(), position = before;
  unsigned count = llvm::sum_of(llvm::map_range(
      tiles, [](const Carried &phi) { return unsigned(phi.own[0]) + unsigned(phi.own[1]); }));
  SmallVector<Value> room(count, getConstant(0));
  ValueLoop loop = ValueLoop::get(op);
  Operation *newOp =
      loop ? extendLoop(loop, room) : extendBranch(cast<scf::IfOp>(op), room).getOperation();
  for (Region &region : newOp->getRegions())
    if (auto yield = dyn_cast<scf::YieldOp>(region.front().getTerminator()))
      yield->insertOperands(before, room);
  op->replaceAllUsesWith(newOp->getResults().take_front(before));
  op->erase();
  ValueLoop newLoop = ValueLoop::get(newOp);
  for (Carried &phi : tiles) {
    phi.op = newOp;
    phi.result = newOp->getResult(phi.index);
    if (newLoop)
      phi.argument = newLoop.getArgument(phi.index);
    for (unsigned dim : {0u, 1u}) {
      if (!phi.own[dim])
        continue;
      if (newLoop)
        phi.ownArgument[dim] = newLoop.getArgument(position);
      phi.ownResult[dim] = newOp->getResult(position++);
    }
  }
}

void FunctionExtents::addCarries() {
  bool any = false;
  for (unsigned begin = 0, end = 0; begin < carried.size(); begin = end) {
    bool own = false;
    for (; end < carried.size() && carried[end].op == carried[begin].op; ++end)
      own |= carried[end].own[0] || carried[end].own[1];
    if (own)
      rebuild(MutableArrayRef(carried).slice(begin, end - begin));
    any |= own;
  }
  if (!any)
    return;
  // Values went with their operations: find the extents again in the new ones.
  numberOf.clear();
  roots.clear();
  for (auto [number, phi] : llvm::enumerate(carried)) {
    numberOf[phi.result] = number;
    if (phi.argument)
      numberOf[phi.argument] = number;
  }
  solve();
}

void FunctionExtents::fillCarries() {
  for (Carried &phi : carried)
    for (unsigned dim : {0u, 1u}) {
      if (!phi.own[dim])
        continue;
      SmallVector<Value, 2> sources = phi.getSources();
      Value first = getIndex(evaluate(sources[0], dim), dim);
      Value second = getIndex(evaluate(sources[1], dim), dim);
      unsigned index = cast<OpResult>(phi.ownResult[dim]).getResultNumber();
      if (ValueLoop loop = ValueLoop::get(phi.op)) {
        loop.getInit(index).set(first);
        loop.getYielded(index).set(second);
      } else {
        phi.getYield(0)->setOperand(index, first);
        phi.getYield(1)->setOperand(index, second);
      }
    }
}

/// States the extents of a carried tile with set_validshape, unless it is full.
void FunctionExtents::stateExtents(const Carried &phi, Value tile, OpBuilder &builder) {
  SmallVector<OpFoldResult> valid;
  bool full = true;
  for (unsigned dim : {0u, 1u}) {
    valid.push_back(resolve(phi.own[dim] ? Extent{{}, tile} : phi.extents[dim], dim));
    full &= getConstantIntValue(valid[dim]) == getShapeOf(tile.getType())[dim];
  }
  if (full)
    return;
  SmallVector<Value> dynamic;
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(valid, dynamic, statics);
  auto valued =
      TileSetValidShapeOp::create(builder, tile.getLoc(), tile.getType(), tile, dynamic, statics);
  tile.replaceAllUsesExcept(valued.getResult(), valued);
}

void FunctionExtents::run() {
  collect();
  if (carried.empty())
    return;
  solve();
  addCarries();
  fillCarries();
  // Backwards, so that several results are stated in their order.
  for (Carried &phi : llvm::reverse(carried)) {
    OpBuilder builder(func.getContext());
    builder.setInsertionPointAfter(phi.op);
    stateExtents(phi, phi.result, builder);
    if (!phi.argument)
      continue;
    builder.setInsertionPointToStart(phi.argument.getParentBlock());
    stateExtents(phi, phi.argument, builder);
  }
  for (auto [value, constant] : constants)
    if (constant.use_empty())
      constant.getDefiningOp()->erase();
}

void MaterializeValidExtents::runOnOperation() {
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    if (!isKernel(func))
      continue;
    if (failed(checkTileControlFlow(func)))
      return signalPassFailure();
    expandTileSelects(func);
    SliceExtents slices(func);
    slices.clip();
    FunctionExtents(func).run();
    slices.resolve();
  }
}
