//===- ExpandInstructions.cpp - pto-expand-instructions -------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Limits of single instructions are met here, in the IR, so that the planner sees
// scratch memory, pto-insert-sync sees what reads and writes what, the model runs
// what the chip runs, and the emitter decides nothing.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Target/Target.h"
#include "Tile/TileOps.h"
#include "Transforms/HandOver.h"
#include "Transforms/Passes.h"
#include "Transforms/Pieces.h"
#include "Transforms/TileControlFlow.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::pto {
#define GEN_PASS_DEF_EXPANDINSTRUCTIONSPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

// Whole pieces that are written one after the other; more are a loop.
static constexpr int64_t kUnrolledChunks = 4, kUnrolledFractalRows = 2;
// brcb takes a vector by eight, and a vector's pieces begin on 32 bytes, which are
// 16 values of 2 bytes.
static constexpr int64_t kVectorGroup = 8, kVectorAlignment = 16;

/// On an operation: where the author wants its scratch, an address in Vec and how many
/// bytes are free there.
static constexpr llvm::StringLiteral kScratch = "pto.scratch";

namespace {
class Expander {
public:
  explicit Expander(const TargetInfo &target) : target(target) {}
  LogicalResult expand(Operation *op);

private:
  LogicalResult expandElementwise(Operation *op);
  LogicalResult expandNeg(TileNegOp op);
  LogicalResult expandVectorCopy(Operation *op);
  LogicalResult expandRowReduce(Operation *op);
  LogicalResult foldRows(Operation *op, int64_t rowsAtOnce);
  LogicalResult expandRowExpand(Operation *op);
  LogicalResult expandBrcb(Operation *op);
  LogicalResult expandMove(TileMoveOp op);
  LogicalResult expandMoveOfFractals(TileMoveOp op);
  LogicalResult expandMoveToMat(TileMoveOp op);
  LogicalResult expandStrips(TileMoveOp op);
  LogicalResult expandSplit(TileMoveOp op);
  LogicalResult expandLoad(TileLoadOp op);
  LogicalResult expandStore(TileStoreOp op);
  LogicalResult checkProduct(Operation *op);

  FailureOr<Value> makeBlocks(Operation *op, Value vector);
  DenseI64ArrayAttr takeRoom(OpBuilder &builder, BufType type);
  Value makeSharedScratch(Operation *op, Value like, StringRef suffix, ArrayRef<int64_t> shape,
                          TileLayout layout, const Twine &reason);
  Value makeScratch(Operation *op, Value like, StringRef suffix, ArrayRef<int64_t> shape,
                    TileLayout layout, const Twine &reason);
  LogicalResult combine(OpBuilder &builder, Operation *reduce, Value into, Value piece);
  bool fitsRepeatStride(BufType type) const;
  int64_t rowsAtOnce(ArrayRef<Value> buffers) const;
  LogicalResult checkExtents(Operation *op);
  LogicalResult readRoom(Operation *op);

  const TargetInfo &target;
  DenseMap<Block *, Operation *> lastAllocation;
  // Bytes that the author gave for scratch of the operation at hand: [first, second).
  std::pair<int64_t, int64_t> room{0, 0};
  // Of scratch between two pipes: its mutex, and one allocation for all of a type.
  std::optional<int64_t> handOverId;
  DenseMap<std::pair<Block *, Type>, Value> sharedScratch;
};

class ExpandInstructions : public pto::impl::ExpandInstructionsPassBase<ExpandInstructions> {
public:
  using ExpandInstructionsPassBase::ExpandInstructionsPassBase;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// What windows are
//===----------------------------------------------------------------------===//

/// A vector [M, 1] whose values follow each other.
static bool isVector(BufType type) { return type.getCols() == 1 && type.getRootCols() == 1; }

/// Whether a copy of its contiguous elements takes whole blocks of 32 bytes, or the
/// rest of an allocation's last block too, which is nobody's.
static bool isInBlocks(BufType type) {
  int64_t lanes = getBlockLanes(type.getElementType());
  auto inBlocks = [&](int64_t extent) {
    return !ShapedType::isDynamic(extent) && extent % lanes == 0;
  };
  return inBlocks(type.getRows()) || inBlocks(type.getCols()) || type.isWhole();
}

static BufType typeOf(Value buffer) { return cast<BufType>(buffer.getType()); }

static int64_t getLanes(BufType type) { return getRepeatLanes(type.getElementType()); }

/// The buffers among the operands.
static SmallVector<Value> getBuffers(Operation *op) {
  SmallVector<Value> buffers;
  for (Value operand : op->getOperands())
    if (isa<BufType>(operand.getType()))
      buffers.push_back(operand);
  return buffers;
}

/// The rows of an allocation are within the reach of a repeat stride.
bool Expander::fitsRepeatStride(BufType type) const {
  int64_t bytes = type.getRootCols() * getElementBytes(type.getElementType());
  return isVector(type) || bytes / 32 <= target.maxRepeatStride;
}

int64_t Expander::rowsAtOnce(ArrayRef<Value> buffers) const {
  bool fits = llvm::all_of(buffers, [&](Value b) { return fitsRepeatStride(typeOf(b)); });
  return fits ? target.maxRepeats : 1;
}

/// Every dynamic extent of a window is a value that some view holds.
LogicalResult Expander::checkExtents(Operation *op) {
  for (Value buffer : getBuffers(op))
    for (unsigned dim : {0u, 1u})
      if (!getWindowExtent(buffer, dim).size)
        return emitUserError(op) << "works on " << valueWord(buffer)
                                 << ", a window whose size no pto.tile.subview says";
  return success();
}

/// The operation on a piece of each buffer, at `offsets` of `sizes`; scalars stay.
static Operation *cloneOnPieces(OpBuilder &builder, Operation *op, ArrayRef<OpFoldResult> offsets,
                                ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<BufType>(operand.getType())
                           ? getPiece(builder, op->getLoc(), operand, offsets, sizes)
                           : operand);
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  return clone;
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

/// A place in the room that the author gave for scratch; nothing if it does not fit.
DenseI64ArrayAttr Expander::takeRoom(OpBuilder &builder, BufType type) {
  int64_t alignment = target.getSpace(MemorySpace::Vec).alignment;
  int64_t begin = llvm::alignTo(room.first, alignment), end = begin + type.getRootBytes();
  if (end > room.second)
    return {};
  room.first = end;
  return builder.getDenseI64ArrayAttr({begin});
}

Value Expander::makeScratch(Operation *op, Value like, StringRef suffix, ArrayRef<int64_t> shape,
                            TileLayout layout, const Twine &reason) {
  auto func = op->getParentOfType<func::FuncOp>();
  Block *home = &func.getBody().front();
  if (auto section = op->getParentOfType<BlockSectionOp>())
    home = &section.getBody().front();
  Operation *&last = lastAllocation[home];
  if (!last)
    for (TileAllocOp alloc : home->getOps<TileAllocOp>())
      last = alloc;
  OpBuilder builder = OpBuilder::atBlockBegin(home);
  if (last)
    builder.setInsertionPointAfter(last);
  StringRef name = nameOf(like);
  Location loc = renamed(op->getLoc(), name.empty() ? suffix.str() : (name + "_" + suffix).str());
  auto type = BufType::get(shape, typeOf(like).getElementType(), MemorySpace::Vec, layout);
  DenseI64ArrayAttr address = takeRoom(builder, type);
  auto alloc = TileAllocOp::create(builder, loc, type, address, /*pinned=*/bool(address));
  alloc->setAttr(attr::kReason, builder.getStringAttr(reason));
  last = alloc;
  return alloc;
}

/// Scratch that one pipe hands to another, which has its bytes for itself: one for all.
Value Expander::makeSharedScratch(Operation *op, Value like, StringRef suffix,
                                  ArrayRef<int64_t> shape, TileLayout layout, const Twine &reason) {
  auto section = op->getParentOfType<BlockSectionOp>();
  Block *home =
      section ? &section.getBody().front() : &op->getParentOfType<func::FuncOp>().getBody().front();
  auto type = BufType::get(shape, typeOf(like).getElementType(), MemorySpace::Vec, layout);
  Value &scratch = sharedScratch[{home, type}];
  if (!scratch)
    scratch = makeScratch(op, like, suffix, shape, layout, reason);
  return scratch;
}

static std::string shortWord(Value value) {
  StringRef name = nameOf(value);
  return name.empty() ? typeWord(value.getType()) : ("'" + name + "'").str();
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// A vector that ends within a block is copied by repeats, the last with a mask.
LogicalResult Expander::expandVectorCopy(Operation *op) {
  Value dst = op->getOperand(1);
  BoundedExtent rows = getWindowExtent(dst, 0);
  int64_t lanes = getLanes(typeOf(dst));
  if (rows.bound <= lanes)
    return success();
  OpBuilder builder(op);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  forEachPiece(builder, op->getLoc(), rows, 0, lanes, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult row, OpFoldResult height) {
                 cloneOnPieces(b, op, {row, zero}, {height, one});
               });
  op->erase();
  return success();
}

LogicalResult Expander::expandElementwise(Operation *op) {
  SmallVector<Value> buffers = getBuffers(op);
  bool copies = isa<TileMoveOp>(op);
  if (llvm::all_of(buffers, [&](Value b) {
        return typeOf(b).isContiguous() && (!copies || isInBlocks(typeOf(b)));
      }))
    return success(); // the count form
  if (copies && llvm::all_of(buffers, [](Value b) { return isVector(typeOf(b)); }))
    return expandVectorCopy(op);
  int64_t lanes = std::numeric_limits<int64_t>::max();
  for (Value buffer : buffers) {
    if (isVector(typeOf(buffer)) && typeOf(buffer).getRows() != 1)
      return emitUserError(op) << "mixes " << valueWord(buffer)
                               << ", whose values follow each other, with a window of wider rows";
    lanes = std::min(lanes, getLanes(typeOf(buffer)));
  }
  BoundedExtent rows = getWindowExtent(buffers.back(), 0);
  BoundedExtent cols = getWindowExtent(buffers.back(), 1);
  int64_t step = rowsAtOnce(buffers);
  if (cols.bound <= lanes && rows.bound <= step)
    return success(); // the mask form
  OpBuilder builder(op);
  forEachPiece(builder, op->getLoc(), cols, 0, lanes, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult col, OpFoldResult width) {
                 forEachPiece(b, op->getLoc(), rows, 0, step, kUnrolledChunks,
                              [&](OpBuilder &inner, OpFoldResult row, OpFoldResult height) {
                                cloneOnPieces(inner, op, {row, col}, {height, width});
                              });
               });
  op->erase();
  return success();
}

/// Where the chip has no such instruction: the product with -1, exact for -0 and NaN too.
LogicalResult Expander::expandNeg(TileNegOp op) {
  Type element = getElementTypeOf(op.getSource().getType());
  if (target.hasVectorOp("neg", element, /*scalarOperand=*/false))
    return expandElementwise(op);
  OpBuilder builder(op);
  TypedAttr minus = isa<FloatType>(element) ? TypedAttr(builder.getFloatAttr(element, -1))
                                            : TypedAttr(builder.getIntegerAttr(element, -1));
  Value factor = arith::ConstantOp::create(builder, op.getLoc(), minus);
  Operation *product =
      TileMulOp::create(builder, op.getLoc(), Type(), op.getSource(), factor, op.getDst());
  op.erase();
  return expandElementwise(product);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `into = into (+ or max) piece`, lane by lane.
LogicalResult Expander::combine(OpBuilder &builder, Operation *reduce, Value into, Value piece) {
  Operation *op;
  if (isa<TileRowMaxOp>(reduce))
    op = TileMaximumOp::create(builder, reduce->getLoc(), Type(), into, piece, into);
  else if (isa<TileRowSumOp>(reduce))
    op = TileAddOp::create(builder, reduce->getLoc(), Type(), into, piece, into);
  else
    return emitUserError(reduce) << "has no element-wise operation to fold wide rows with";
  return expandElementwise(op);
}

LogicalResult Expander::expandRowReduce(Operation *op) {
  Value source = op->getOperand(0), dst = op->getOperand(1);
  if (!isVector(typeOf(dst)))
    return emitUserError(op) << "writes one value after the other, not into " << valueWord(dst)
                             << ", a column of wider rows";
  if (isVector(typeOf(source))) {
    // Of one value: itself.
    OpBuilder builder(op);
    if (source != dst)
      TileMoveOp::create(builder, op->getLoc(), Type(), source, dst);
    op->erase();
    return success();
  }
  BoundedExtent rows = getWindowExtent(source, 0), cols = getWindowExtent(source, 1);
  int64_t step = rows.bound <= target.maxRepeats
                     ? rows.bound
                     : llvm::alignDown(target.maxRepeats, kVectorAlignment);
  if (cols.bound > getLanes(typeOf(source)) || !fitsRepeatStride(typeOf(source)))
    return foldRows(op, step);
  if (rows.bound <= step)
    return success();
  OpBuilder builder(op);
  forEachPiece(builder, op->getLoc(), rows, 0, step, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult row, OpFoldResult height) {
                 OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
                 Value from = getPiece(b, op->getLoc(), source, {row, zero}, {height, cols.size});
                 Value to = getPiece(b, op->getLoc(), dst, {row, zero}, {height, one});
                 b.clone(*op)->setOperands({from, to});
               });
  op->erase();
  return success();
}

/// Rows wider than a repeat: the first repeat is copied, each further one is
/// folded into its lanes, and what is left is one repeat wide.
LogicalResult Expander::foldRows(Operation *op, int64_t rowsAtOnce) {
  Value source = op->getOperand(0), dst = op->getOperand(1);
  Location loc = op->getLoc();
  int64_t lanes = getLanes(typeOf(source));
  BoundedExtent rows = getWindowExtent(source, 0), cols = getWindowExtent(source, 1);
  Value scratch = makeScratch(op, source, "fold", {rowsAtOnce, lanes}, TileLayout::ND,
                              "holds the rows of " + shortWord(source) + " folded to one repeat");
  OpBuilder builder(op);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  bool ok = true;
  auto emitRows = [&](OpBuilder &b, OpFoldResult row, OpFoldResult height) {
    OpFoldResult first = cols.size;
    if (std::optional<int64_t> width = getConstantIntValue(cols.size))
      first = b.getIndexAttr(std::min(*width, lanes));
    else if (cols.bound > lanes)
      first = arith::MinSIOp::create(b, unnamed(loc),
                                     arith::ConstantIndexOp::create(b, unnamed(loc), lanes),
                                     cast<Value>(cols.size))
                  .getResult();
    Value folded = getPiece(b, loc, scratch, {zero, zero}, {height, first});
    ok &= succeeded(expandElementwise(TileMoveOp::create(
        b, loc, Type(), getPiece(b, loc, source, {row, zero}, {height, first}), folded)));
    forEachPiece(b, loc, cols, lanes, lanes, kUnrolledChunks,
                 [&](OpBuilder &inner, OpFoldResult col, OpFoldResult width) {
                   Value into = getPiece(inner, loc, scratch, {zero, zero}, {height, width});
                   Value piece = getPiece(inner, loc, source, {row, col}, {height, width});
                   ok &= succeeded(combine(inner, op, into, piece));
                 });
    Value into = getPiece(b, loc, dst, {row, zero}, {height, one});
    b.clone(*op)->setOperands({folded, into});
  };
  forEachPiece(builder, loc, rows, 0, rowsAtOnce, kUnrolledChunks, emitRows);
  op->erase();
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Rows with their own values
//===----------------------------------------------------------------------===//

/// One 32-byte block for each value of `vector`, in scratch memory before `op`.
FailureOr<Value> Expander::makeBlocks(Operation *op, Value vector) {
  BufType type = typeOf(vector);
  if (!isVector(type)) {
    emitUserError(op) << "takes one value after the other, not " << valueWord(vector)
                      << ", a column of wider rows";
    return failure();
  }
  OpBuilder builder(op);
  BoundedExtent rows = getWindowExtent(vector, 0);
  int64_t padded = llvm::alignTo(rows.bound, kVectorGroup);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  Value source = vector;
  if (type.getRootRows() % kVectorGroup != 0) {
    // brcb would read past the end.
    Value room = makeScratch(op, vector, "padded", {padded, 1}, TileLayout::DN,
                             "room for a multiple of eight values of " + shortWord(vector));
    source = getPiece(builder, op->getLoc(), room, {zero, zero}, {rows.size, one});
    TileMoveOp::create(builder, op->getLoc(), Type(), vector, source);
  }
  int64_t lanes = getBlockLanes(type.getElementType());
  Value scratch = makeScratch(op, vector, "blocks", {padded, lanes}, TileLayout::ND,
                              "one 32-byte block for each value of " + shortWord(vector));
  Value blocks = getPiece(builder, op->getLoc(), scratch, {zero, zero},
                          {rows.size, builder.getIndexAttr(lanes)});
  if (failed(expandBrcb(TileBrcbOp::create(builder, op->getLoc(), Type(), source, blocks))))
    return failure();
  return blocks;
}

LogicalResult Expander::expandBrcb(Operation *op) {
  Value source = op->getOperand(0), dst = op->getOperand(1);
  BoundedExtent rows = getWindowExtent(source, 0);
  if (!isVector(typeOf(source)) || typeOf(source).getRootRows() % kVectorGroup != 0 ||
      typeOf(dst).getRootRows() < llvm::alignTo(rows.bound, kVectorGroup) ||
      typeOf(dst).getCols() != typeOf(dst).getRootCols())
    return emitUserError(op) << "takes values by eight, so that the allocations of "
                             << valueWord(source) << " and " << valueWord(dst)
                             << " must hold a multiple of eight";
  if (rows.bound <= target.maxRepeats * kVectorGroup)
    return success();
  int64_t step = llvm::alignDown(target.maxRepeats * kVectorGroup, kVectorAlignment);
  OpBuilder builder(op);
  Location loc = op->getLoc();
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  OpFoldResult lanes = builder.getIndexAttr(typeOf(dst).getCols());
  forEachPiece(builder, loc, rows, 0, step, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult row, OpFoldResult height) {
                 Value from = getPiece(b, loc, source, {row, zero}, {height, one});
                 Value to = getPiece(b, loc, dst, {row, zero}, {height, lanes});
                 TileBrcbOp::create(b, loc, Type(), from, to);
               });
  op->erase();
  return success();
}

/// The element-wise operation of the same name, for vectors.
static LogicalResult replaceByElementwise(Operation *op) {
  StringRef name = op->getName().getStringRef();
  name.consume_front("pto.tile.row_expand_");
  std::string plain = ("pto.tile." + name).str();
  if (!RegisteredOperationName::lookup(plain, op->getContext()))
    return emitUserError(op) << "on a vector needs " << plain << ", which does not exist";
  OpBuilder builder(op);
  OperationState state(op->getLoc(), plain);
  state.addOperands(op->getOperands());
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  builder.create(state);
  op->erase();
  return success();
}

LogicalResult Expander::expandRowExpand(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1), dst = op->getOperand(2);
  Location loc = op->getLoc();
  if (isVector(typeOf(lhs)) && isVector(typeOf(rhs)) && isVector(typeOf(dst)))
    return replaceByElementwise(op);
  for (Value buffer : {lhs, dst})
    if (isVector(typeOf(buffer)))
      return emitUserError(op) << "mixes " << valueWord(buffer)
                               << ", whose values follow each other, with a window of wider rows";
  if (typeOf(rhs).getCols() == 1) {
    FailureOr<Value> blocks = makeBlocks(op, rhs);
    if (failed(blocks))
      return failure();
    rhs = *blocks;
  }
  BoundedExtent rows = getWindowExtent(lhs, 0), cols = getWindowExtent(lhs, 1);
  int64_t step = rowsAtOnce({lhs, rhs, dst}), lanes = getLanes(typeOf(lhs));
  OpBuilder builder(op);
  OpFoldResult zero = builder.getIndexAttr(0);
  OpFoldResult block = builder.getIndexAttr(typeOf(rhs).getCols());
  forEachPiece(builder, loc, cols, 0, lanes, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult col, OpFoldResult width) {
                 forEachPiece(b, loc, rows, 0, step, kUnrolledChunks,
                              [&](OpBuilder &inner, OpFoldResult row, OpFoldResult height) {
                                SmallVector<Value> operands = {
                                    getPiece(inner, loc, lhs, {row, col}, {height, width}),
                                    getPiece(inner, loc, rhs, {row, zero}, {height, block}),
                                    getPiece(inner, loc, dst, {row, col}, {height, width})};
                                inner.clone(*op)->setOperands(operands);
                              });
               });
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// Mat to Left or Right: as many rows of fractals of what is made as one copy takes, one
/// on some chips. A copy that transposes takes its source the other way round.
LogicalResult Expander::expandMoveOfFractals(TileMoveOp op) {
  BufType from = typeOf(op.getSource()), to = typeOf(op.getDst());
  FractalShape fractal = getFractalShape(from.getLayout(), from.getSpace(), from.getElementType());
  FractalShape other = getFractalShape(to.getLayout(), to.getSpace(), to.getElementType());
  int64_t height = std::max(fractal.rows, other.rows) * target.maxFractalRows;
  int64_t width = std::max(fractal.cols, other.cols) * target.maxRepeats;
  BoundedExtent rows = getWindowExtent(op.getDst(), 0), cols = getWindowExtent(op.getDst(), 1);
  if (rows.bound <= height && cols.bound <= width)
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  bool turned = op.getTranspose();
  auto emit = [&](OpBuilder &b, std::array<OpFoldResult, 2> at, std::array<OpFoldResult, 2> size) {
    std::array<OpFoldResult, 2> from = at, fromSize = size;
    if (turned) {
      std::swap(from[0], from[1]);
      std::swap(fromSize[0], fromSize[1]);
    }
    Value piece = getPiece(b, loc, op.getSource(), from, fromSize);
    Value made = getPiece(b, loc, op.getDst(), at, size);
    b.clone(*op)->setOperands({piece, made});
  };
  forEachPiece(builder, loc, cols, 0, width, kUnrolledFractalRows,
               [&](OpBuilder &b, OpFoldResult col, OpFoldResult wide) {
                 forEachPiece(b, loc, rows, 0, height, kUnrolledFractalRows,
                              [&](OpBuilder &inner, OpFoldResult row, OpFoldResult high) {
                                emit(inner, {row, col}, {high, wide});
                              });
               });
  op.erase();
  return success();
}

/// Between two layouts in Vec: a column of fractals at a time, 32 bytes of each row.
LogicalResult Expander::expandStrips(TileMoveOp op) {
  int64_t width = getBlockLanes(typeOf(op.getDst()).getElementType());
  BoundedExtent rows = getWindowExtent(op.getDst(), 0), cols = getWindowExtent(op.getDst(), 1);
  if (rows.bound <= target.maxBlockCount && cols.bound <= width)
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t height = llvm::alignDown(target.maxBlockCount, kVectorAlignment);
  forEachPiece(builder, loc, cols, 0, width, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult col, OpFoldResult wide) {
                 forEachPiece(b, loc, rows, 0, height, kUnrolledChunks,
                              [&](OpBuilder &inner, OpFoldResult row, OpFoldResult high) {
                                cloneOnPieces(inner, op, {row, col}, {high, wide});
                              });
               });
  op.erase();
  return success();
}

/// The next multiple of `unit`.
static OpFoldResult roundUp(OpBuilder &builder, Location loc, OpFoldResult extent, int64_t unit) {
  if (std::optional<int64_t> known = getConstantIntValue(extent))
    return builder.getIndexAttr(llvm::alignTo(*known, unit));
  loc = unnamed(loc);
  Value step = arith::ConstantIndexOp::create(builder, loc, unit);
  Value blocks = arith::CeilDivSIOp::create(builder, loc, cast<Value>(extent), step);
  return arith::MulIOp::create(builder, loc, blocks, step).getResult();
}

/// Vec to Mat: as the fractals lie in Mat, so they must in Vec.
LogicalResult Expander::expandMoveToMat(TileMoveOp op) {
  BufType from = typeOf(op.getSource()), to = typeOf(op.getDst());
  if (from.getLayout() == to.getLayout())
    return success();
  if (from.getLayout() != TileLayout::ND || to.getLayout() != TileLayout::NZ)
    return emitUserError(op) << "copies rows into fractals, not " << valueWord(op.getSource())
                             << ", whose layout is " << stringifyTileLayout(from.getLayout())
                             << ", into layout " << stringifyTileLayout(to.getLayout());
  FractalShape fractal = getFractalShape(to.getLayout(), to.getSpace(), to.getElementType());
  int64_t rows = llvm::alignTo(getWindowExtent(op.getSource(), 0).bound, fractal.rows);
  int64_t cols = llvm::alignTo(getWindowExtent(op.getSource(), 1).bound, fractal.cols);
  Value room =
      makeSharedScratch(op, op.getSource(), "fractals", {rows, cols}, TileLayout::NZ,
                        "the fractals of " + shortWord(op.getSource()) + " on their way to Mat");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  OpFoldResult zero = builder.getIndexAttr(0);
  OpFoldResult high = getWindowExtent(op.getSource(), 0).size;
  OpFoldResult wide = getWindowExtent(op.getSource(), 1).size;
  Value fractals = getPiece(builder, loc, room, {zero, zero}, {high, wide});
  FailureOr<HandOver> handOver = HandOver::begin(op, target, Pipe::MTE3, handOverId);
  if (failed(handOver))
    return failure();
  handOver->lend(op);
  // Whole blocks of 32 bytes: behind the window is what rows are padded with.
  OpFoldResult blocks = roundUp(builder, loc, wide, getBlockLanes(from.getElementType()));
  Value padded = getPiece(builder, loc, op.getSource(), {zero, zero}, {high, blocks});
  auto strips = TileMoveOp::create(builder, loc, Type(), padded,
                                   getPiece(builder, loc, room, {zero, zero}, {high, blocks}));
  handOver->lock(strips, Pipe::V);
  op.getSourceMutable().set(fractals);
  handOver->lock(op, Pipe::MTE3);
  return expandStrips(strips);
}

/// An accumulator to both AIVs: the copy that serves both at once neither converts nor
/// clamps, so that each AIV is served by one of its own.
LogicalResult Expander::expandSplit(TileMoveOp op) {
  bool rows = op.getAccToVec() == AccToVec::SplitM;
  BufType from = typeOf(op.getSource()), to = typeOf(op.getDst());
  if (from.getElementType() == to.getElementType() && !op.getRelu())
    return success();
  int64_t extent = from.getShape()[rows ? 0 : 1];
  FractalShape fractal = getFractalShape(from.getLayout(), from.getSpace(), from.getElementType());
  int64_t unit = rows ? fractal.rows : fractal.cols;
  if (ShapedType::isDynamic(extent) || extent % (2 * unit) != 0)
    return emitUserError(op) << "halves the " << (rows ? "rows" : "columns") << " of "
                             << valueWord(op.getSource()) << " and converts them, which is a copy "
                             << "for each half; a half is a multiple of " << unit;
  OpBuilder builder(op);
  OpFoldResult sizes[] = {getWindowExtent(op.getSource(), 0).size,
                          getWindowExtent(op.getSource(), 1).size};
  sizes[rows ? 0 : 1] = builder.getIndexAttr(extent / 2);
  for (bool second : {false, true}) {
    OpFoldResult at[] = {builder.getIndexAttr(0), builder.getIndexAttr(0)};
    at[rows ? 0 : 1] = builder.getIndexAttr(second ? extent / 2 : 0);
    Value half = getPiece(builder, op.getLoc(), op.getSource(), at, sizes);
    auto copy = cast<TileMoveOp>(builder.clone(*op));
    copy.getSourceMutable().set(half);
    copy.setAccToVec(second ? AccToVec::Vec1 : AccToVec::Vec0);
    // The first leaves the accumulator to the second.
    if (!second && op.getPhase())
      copy.setPhase(Phase::Partial);
  }
  op.erase();
  return success();
}

LogicalResult Expander::expandMove(TileMoveOp op) {
  BufType from = typeOf(op.getSource()), to = typeOf(op.getDst());
  if (from.getSpace() == MemorySpace::Vec && to.getSpace() == MemorySpace::Vec)
    return isFractal(from.getLayout()) || isFractal(to.getLayout()) ? expandStrips(op)
                                                                    : expandElementwise(op);
  if (from.getSpace() == MemorySpace::Vec && to.getSpace() == MemorySpace::Mat)
    return expandMoveToMat(op);
  if (op.getAccToVec() == AccToVec::SplitM || op.getAccToVec() == AccToVec::SplitN)
    return expandSplit(op);
  if (from.getSpace() == MemorySpace::Mat && isFractal(from.getLayout()) &&
      isFractal(to.getLayout()))
    return expandMoveOfFractals(op);
  return success();
}

/// Whether a column of an array has its elements one after the other.
static bool isDenseColumn(Value array) { return getRowPitch(array.getType()) == 1; }

/// The same copy from row `row` of its window of the array on.
template <typename Op> static Op cloneFromRow(OpBuilder &builder, Op op, OpFoldResult row) {
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  offsets[0] = addIndex(builder, unnamed(op.getLoc()), offsets[0], row);
  SmallVector<Value> dynamic;
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(offsets, dynamic, statics);
  auto clone = cast<Op>(builder.clone(*op));
  clone.getOffsetsMutable().assign(dynamic);
  clone.setStaticOffsets(statics);
  return clone;
}

LogicalResult Expander::expandLoad(TileLoadOp op) {
  BufType type = typeOf(op.getDst());
  if (type.getSpace() != MemorySpace::Vec)
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  BoundedExtent rows = getWindowExtent(op.getDst(), 0);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  if (isVector(type)) {
    if (isDenseColumn(op.getSource()) || type.getRows() == 1)
      return success(); // one run of bytes
    // Every element comes to a 32-byte block of its own; the maximum of each row
    // of one is the element.
    Type element = type.getElementType();
    if (!target.hasVectorOp("row_max", element, /*scalarOperand=*/false))
      return emitUserError(op) << "loads a column of " << valueWord(op.getSource())
                               << " as a vector, which " << target.name << " does not do for "
                               << dtypeWord(element) << "; load whole rows";
    Value room =
        makeScratch(op, op.getDst(), "column", {type.getRootRows(), getBlockLanes(element)},
                    TileLayout::ND, "one 32-byte block for each element of a column");
    Value column = getPiece(builder, loc, room, {zero, zero}, {rows.size, one});
    FailureOr<HandOver> handOver = HandOver::begin(op, target, Pipe::MTE2, handOverId);
    if (failed(handOver))
      return failure();
    auto load =
        TileLoadOp::create(builder, loc, Type(), op.getSource(), op.getOffsets(), ValueRange(),
                           column, op.getStaticOffsetsAttr(), builder.getDenseI64ArrayAttr({}));
    Operation *pick = TileRowMaxOp::create(builder, loc, Type(), column, op.getDst());
    handOver->lock(load, Pipe::MTE2);
    handOver->lock(pick, Pipe::V);
    handOver->takeBack(op);
    op.erase();
    return failure(failed(expandRowReduce(pick)) || failed(expandLoad(load)));
  }
  if (rows.bound <= target.maxBlockCount)
    return success();
  OpFoldResult cols = getWindowExtent(op.getDst(), 1).size;
  forEachPiece(builder, loc, rows, 0, target.maxBlockCount, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult row, OpFoldResult height) {
                 Value piece = getPiece(b, loc, op.getDst(), {row, zero}, {height, cols});
                 cloneFromRow(b, op, row).getDstMutable().assign(piece);
               });
  op.erase();
  return success();
}

LogicalResult Expander::expandStore(TileStoreOp op) {
  BufType type = typeOf(op.getSource());
  if (type.getSpace() != MemorySpace::Vec)
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  BoundedExtent rows = getWindowExtent(op.getSource(), 0);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  if (isVector(type)) {
    if (isDenseColumn(op.getDest()) || type.getRows() == 1)
      return success();
    // A column with a pitch: each element from a 32-byte block of its own.
    FailureOr<HandOver> handOver = HandOver::begin(op, target, Pipe::MTE3, handOverId);
    if (failed(handOver))
      return failure();
    handOver->lend(op);
    Operation *before = op->getPrevNode();
    FailureOr<Value> blocks = makeBlocks(op, op.getSource());
    if (failed(blocks))
      return failure();
    Block::iterator first = before ? std::next(before->getIterator()) : op->getBlock()->begin();
    handOver->lock(&*first, op->getPrevNode(), Pipe::V);
    op.getSourceMutable().set(getPiece(builder, loc, *blocks, {zero, zero}, {rows.size, one}));
    handOver->lock(op, Pipe::MTE3);
    return expandStore(op);
  }
  if (rows.bound <= target.maxBlockCount)
    return success();
  OpFoldResult cols = getWindowExtent(op.getSource(), 1).size;
  forEachPiece(builder, loc, rows, 0, target.maxBlockCount, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult row, OpFoldResult height) {
                 Value piece = getPiece(b, loc, op.getSource(), {row, zero}, {height, cols});
                 cloneFromRow(b, op, row).getSourceMutable().set(piece);
               });
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Products, and everything
//===----------------------------------------------------------------------===//

LogicalResult Expander::checkProduct(Operation *op) {
  for (Value buffer : getBuffers(op))
    for (unsigned dim : {0u, 1u})
      if (getWindowExtent(buffer, dim).bound > target.maxMatmulDim)
        return emitUserError(op) << "multiplies " << valueWord(buffer) << ", and one product has "
                                 << target.maxMatmulDim << " rows, columns or steps of K at most; "
                                 << "use smaller tiles";
  return success();
}

/// Reads what the author gave for scratch, an address and bytes.
LogicalResult Expander::readRoom(Operation *op) {
  room = {0, 0};
  Attribute given = op->removeAttr(kScratch);
  auto numbers = dyn_cast_if_present<DenseI64ArrayAttr>(given);
  if (given && (!numbers || numbers.size() != 2 || numbers[0] < 0 || numbers[1] < 0 ||
                numbers[0] > kMaxRootElements || numbers[1] > kMaxRootElements))
    return emitUserError(op) << kScratch << " is an address and a number of bytes, found " << given;
  if (numbers)
    room = {numbers[0], numbers[0] + numbers[1]};
  return success();
}

LogicalResult Expander::expand(Operation *op) {
  if (failed(checkExtents(op)) || failed(readRoom(op)))
    return failure();
  if (auto load = dyn_cast<TileLoadOp>(op))
    return expandLoad(load);
  if (auto store = dyn_cast<TileStoreOp>(op))
    return expandStore(store);
  if (auto move = dyn_cast<TileMoveOp>(op))
    return expandMove(move);
  if (isa<TileMatmulOp, TileMatmulAccOp, TileMatmulBiasOp>(op))
    return checkProduct(op);
  if (isa<TileGetValueOp, TileSetValueOp>(op))
    return success();
  if (isa<TileBrcbOp>(op))
    return expandBrcb(op);
  if (op->hasTrait<RowReduce>())
    return expandRowReduce(op);
  if (op->hasTrait<RowExpand>())
    return expandRowExpand(op);
  if (auto neg = dyn_cast<TileNegOp>(op))
    return expandNeg(neg);
  return expandElementwise(op);
}

/// Windows that only pieces were cut from.
static void eraseUnusedViews(func::FuncOp func) {
  SmallVector<TileSubviewOp> views;
  func.walk([&](TileSubviewOp view) { views.push_back(view); });
  for (TileSubviewOp view : llvm::reverse(views))
    if (view->use_empty())
      view.erase();
}

void ExpandInstructions::runOnOperation() {
  const TargetInfo *target = pto::getTarget(getOperation());
  if (!target)
    return signalPassFailure();
  bool ok = true;
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    if (!isKernel(func))
      continue;
    SmallVector<Operation *> instructions;
    func.walk([&](InstructionInterface op) { instructions.push_back(op); });
    Expander expander(*target);
    for (Operation *op : instructions) {
      bool element = isa<TileGetValueOp, TileSetValueOp>(op); // of an array, too
      if (element || cast<InstructionInterface>(op).isBufferForm())
        ok &= succeeded(expander.expand(op));
      else
        ok &= succeeded(emitUserError(op) << "works on tile values; run pto-bufferize-tiles first");
    }
    eraseUnusedViews(func);
  }
  if (!ok)
    signalPassFailure();
}
