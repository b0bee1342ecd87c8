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

#include "Transforms/Expander.h"
#include "Transforms/Passes.h"
#include "Transforms/TileControlFlow.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::pto {
#define GEN_PASS_DEF_EXPANDINSTRUCTIONSPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

/// On an operation: where the author wants its scratch, an address in Vec and how many
/// bytes are free there.
static constexpr llvm::StringLiteral kScratch = "pto.scratch";

namespace {
class ExpandInstructions : public pto::impl::ExpandInstructionsPassBase<ExpandInstructions> {
public:
  using ExpandInstructionsPassBase::ExpandInstructionsPassBase;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// What windows are
//===----------------------------------------------------------------------===//

/// Whether a copy of its contiguous elements takes whole blocks of 32 bytes, or the
/// rest of an allocation's last block too, which is nobody's.
static bool isInBlocks(BufType type) {
  int64_t lanes = getBlockLanes(type.getElementType());
  auto inBlocks = [&](int64_t extent) {
    return !ShapedType::isDynamic(extent) && extent % lanes == 0;
  };
  return inBlocks(type.getRows()) || inBlocks(type.getCols()) || type.isWhole();
}

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

Operation *pto::cloneOnPieces(OpBuilder &builder, Operation *op, ArrayRef<OpFoldResult> offsets,
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

std::string pto::shortWord(Value value) {
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
  // Elements of other widths have the count form only: a row each, of any width.
  if (!copies && !isa<TileCastOp>(op) && llvm::any_of(buffers, [&](Value b) {
        return !target.hasRepeats(typeOf(b).getElementType());
      })) {
    step = 1;
    lanes = std::numeric_limits<int32_t>::max();
  }
  if (cols.bound <= lanes && rows.bound <= step)
    return success(); // the mask form
  OpBuilder builder(op);
  forEachWindow(builder, op->getLoc(), rows, step, cols, lanes, kUnrolledChunks,
                [&](OpBuilder &b, ArrayRef<OpFoldResult> at, ArrayRef<OpFoldResult> size) {
                  cloneOnPieces(b, op, at, size);
                });
  op->erase();
  return success();
}

/// A copy of one row. Copies in Vec are of 16 and 32 bits; others are integers, and x | x.
Operation *Expander::copyRow(OpBuilder &builder, Location loc, Value from, Value to) const {
  if (target.hasRepeats(typeOf(from).getElementType()))
    return TileMoveOp::create(builder, loc, Type(), from, to);
  return TileOrOp::create(builder, loc, Type(), from, from, to);
}

/// Comparison and selection, row by row: the bits of a mask follow each other. An instruction
/// compares whole repeats; a row that does not end with one is copied to where there is room.
LogicalResult Expander::expandOneRow(Operation *op) {
  SmallVector<Value> buffers = getBuffers(op);
  auto compute = cast<TileComputeInterface>(op);
  Value like = compute.getSources()[isa<TileSelOp>(op) ? 1 : 0];
  if (isVector(typeOf(like)) && typeOf(like).getRows() != 1)
    return emitUserError(op) << "takes rows of whole blocks of 32 bytes, found " << valueWord(like)
                             << ", one value after the other";
  BoundedExtent rows = getWindowExtent(like, 0), cols = getWindowExtent(like, 1);
  int64_t lanes = getLanes(typeOf(like));
  std::optional<int64_t> known = getConstantIntValue(cols.size);
  bool copies = isa<TileCmpOp>(op) && !(known && *known % lanes == 0);
  if (rows.bound == 1 && !copies)
    return success();
  OpBuilder builder(op);
  OpFoldResult zero = builder.getIndexAttr(0);
  DenseMap<Value, Value> room;
  if (copies)
    for (Value source : compute.getSources()) {
      if (!isa<BufType>(source.getType()) || room.count(source))
        continue;
      Value scratch =
          makeScratch(op, source, "row", {1, llvm::alignTo(cols.bound, lanes)}, TileLayout::ND,
                      "holds a row of " + shortWord(source) + " with room for whole repeats");
      fillWithZero(builder, op->getLoc(), scratch);
      room[source] = scratch;
    }
  bool ok = true;
  forEachPiece(builder, op->getLoc(), rows, 0, 1, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult row, OpFoldResult height) {
                 // A row that a loop is at is there; a single one perhaps not.
                 if (rows.bound > 1)
                   height = b.getIndexAttr(1);
                 SmallVector<Value> operands;
                 DenseMap<Value, Value> copied;
                 for (Value operand : op->getOperands()) {
                   if (!isa<BufType>(operand.getType())) {
                     operands.push_back(operand);
                     continue;
                   }
                   OpFoldResult width = getWindowExtent(operand, 1).size;
                   Value piece = getPiece(b, op->getLoc(), operand, {row, zero}, {height, width});
                   auto found = room.find(operand);
                   if (found != room.end() && operand != compute.getDestination()) {
                     Value &copy = copied[operand];
                     if (!copy) {
                       copy =
                           getPiece(b, op->getLoc(), found->second, {zero, zero}, {height, width});
                       ok &= succeeded(expandElementwise(copyRow(b, op->getLoc(), piece, copy)));
                     }
                     piece = copy;
                   }
                   operands.push_back(piece);
                 }
                 b.clone(*op)->setOperands(operands);
               });
  op->erase();
  return success(ok);
}

/// Both sources are copied to where they are valid, and what both have is combined: the copy
/// that does not count is in that part.
LogicalResult Expander::expandPart(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1), dst = op->getOperand(2);
  OpBuilder builder(op);
  Location loc = op->getLoc();
  OpFoldResult zero = builder.getIndexAttr(0);
  SmallVector<OpFoldResult> both;
  for (unsigned dim : {0u, 1u}) {
    OpFoldResult a = getWindowExtent(lhs, dim).size, b = getWindowExtent(rhs, dim).size;
    std::optional<int64_t> first = getConstantIntValue(a), second = getConstantIntValue(b);
    if (first && second)
      both.push_back(builder.getIndexAttr(std::min(*first, *second)));
    else
      both.push_back(
          arith::MinSIOp::create(builder, unnamed(loc),
                                 getValueOrCreateConstantIndexOp(builder, unnamed(loc), a),
                                 getValueOrCreateConstantIndexOp(builder, unnamed(loc), b))
              .getResult());
  }
  auto part = [&](Value buffer, ArrayRef<OpFoldResult> sizes) {
    return getPiece(builder, loc, buffer, {zero, zero}, sizes);
  };
  bool ok = true;
  for (Value source : {lhs, rhs}) {
    SmallVector<OpFoldResult> sizes = {getWindowExtent(source, 0).size,
                                       getWindowExtent(source, 1).size};
    ok &= succeeded(expandMove(TileMoveOp::create(builder, loc, Type(), source, part(dst, sizes))));
  }
  StringRef name = llvm::StringSwitch<StringRef>(getMnemonic(op))
                       .Case("part_add", "pto.tile.add")
                       .Case("part_mul", "pto.tile.mul")
                       .Case("part_max", "pto.tile.maximum")
                       .Default("pto.tile.minimum");
  OperationState state(loc, name, {part(lhs, both), part(rhs, both), part(dst, both)}, TypeRange{});
  ok &= succeeded(expandElementwise(builder.create(state)));
  op->erase();
  return success(ok);
}

void Expander::fillWithZero(OpBuilder &builder, Location loc, Value buffer) {
  Type type = getScalarType(typeOf(buffer).getElementType());
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  TileFullOp::create(builder, loc, Type(), zero, buffer);
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

/// The element-wise operation that a reduction is made of.
static StringRef getCombiner(Operation *reduce) {
  return llvm::StringSwitch<StringRef>(getMnemonic(reduce))
      .Cases({"row_max", "col_max"}, TileMaximumOp::getOperationName())
      .Cases({"row_min", "col_min"}, TileMinimumOp::getOperationName())
      .Cases({"row_sum", "col_sum"}, TileAddOp::getOperationName())
      .Case("col_prod", TileMulOp::getOperationName())
      .Default("");
}

/// `into = into (+ or max) piece`, lane by lane.
LogicalResult Expander::combine(OpBuilder &builder, Operation *reduce, Value into, Value piece) {
  StringRef name = getCombiner(reduce);
  if (name.empty())
    return emitUserError(reduce) << "has no element-wise operation to fold wide rows with";
  OperationState state(reduce->getLoc(), name);
  state.addOperands({into, piece, into});
  return expandElementwise(builder.create(state));
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

/// The first row, to which the others are added one after the other.
LogicalResult Expander::expandColReduce(Operation *op) {
  Value source = op->getOperand(0), dst = op->getOperand(1);
  Location loc = op->getLoc();
  BoundedExtent rows = getWindowExtent(source, 0), cols = getWindowExtent(source, 1);
  OpBuilder builder(op);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  Value first = getPiece(builder, loc, source, {zero, zero}, {one, cols.size});
  bool ok = succeeded(expandElementwise(TileMoveOp::create(builder, loc, Type(), first, dst)));
  forEachPiece(builder, loc, rows, 1, 1, kUnrolledChunks,
               [&](OpBuilder &b, OpFoldResult row, OpFoldResult height) {
                 Value piece = getPiece(b, loc, source, {row, zero}, {one, cols.size});
                 ok &= succeeded(combine(b, op, dst, piece));
               });
  op->erase();
  return success(ok);
}

/// A repeat a row, each with the same values.
LogicalResult Expander::expandColExpand(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1), dst = op->getOperand(2);
  Location loc = op->getLoc();
  for (Value buffer : {lhs, rhs, dst})
    if (isVector(typeOf(buffer)) && typeOf(buffer).getRootRows() != 1)
      return emitUserError(op) << "works on rows, and the values of " << valueWord(buffer)
                               << " follow each other";
  BoundedExtent rows = getWindowExtent(lhs, 0), cols = getWindowExtent(lhs, 1);
  int64_t step = rowsAtOnce({lhs, dst}), lanes = getLanes(typeOf(lhs));
  OpBuilder builder(op);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  forEachWindow(builder, loc, rows, step, cols, lanes, kUnrolledChunks,
                [&](OpBuilder &b, ArrayRef<OpFoldResult> at, ArrayRef<OpFoldResult> size) {
                  SmallVector<Value> operands = {
                      getPiece(b, loc, lhs, at, size),
                      getPiece(b, loc, rhs, {zero, at[1]}, {one, size[1]}),
                      getPiece(b, loc, dst, at, size)};
                  b.clone(*op)->setOperands(operands);
                });
  op->erase();
  return success();
}

/// The element-wise operation of the same name, for vectors.
static LogicalResult replaceByElementwise(Operation *op) {
  StringRef name = op->getName().getStringRef();
  name.consume_front("pto.tile.row_expand_");
  // Its name is short where the operation's is not.
  StringRef rest = name == "max" || name == "min" ? "imum" : "";
  std::string plain = ("pto.tile." + name + rest).str();
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
  forEachWindow(builder, loc, rows, step, cols, lanes, kUnrolledChunks,
                [&](OpBuilder &b, ArrayRef<OpFoldResult> at, ArrayRef<OpFoldResult> size) {
                  SmallVector<Value> operands = {
                      getPiece(b, loc, lhs, at, size),
                      getPiece(b, loc, rhs, {at[0], zero}, {size[0], block}),
                      getPiece(b, loc, dst, at, size)};
                  b.clone(*op)->setOperands(operands);
                });
  op->erase();
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
  if (auto full = dyn_cast<TileFullOp>(op))
    return expandFull(full);
  if (auto reshape = dyn_cast<TileReshapeOp>(op))
    return expandReshape(reshape);
  if (auto transpose = dyn_cast<TileTransposeOp>(op))
    return expandTranspose(transpose);
  if (auto fillpad = dyn_cast<TileFillpadOp>(op))
    return expandFillpad(fillpad);
  if (auto ci = dyn_cast<TileCiOp>(op))
    return expandCi(ci);
  if (auto tri = dyn_cast<TileTriOp>(op))
    return expandTri(tri);
  if (auto random = dyn_cast<TileRandomOp>(op))
    return expandRandom(random);
  if (isa<TileMatmulOp, TileMatmulAccOp, TileMatmulBiasOp>(op))
    return checkProduct(op);
  if (isa<TileGetValueOp, TileSetValueOp>(op))
    return success();
  if (isa<TileBrcbOp>(op))
    return expandBrcb(op);
  if (isa<TileCmpOp, TileSelOp>(op))
    return expandOneRow(op);
  if (isa<TilePartAddOp, TilePartMulOp, TilePartMaxOp, TilePartMinOp>(op))
    return expandPart(op);
  if (op->hasTrait<RowReduce>())
    return expandRowReduce(op);
  if (op->hasTrait<RowExpand>())
    return expandRowExpand(op);
  if (op->hasTrait<ColReduce>())
    return expandColReduce(op);
  if (op->hasTrait<ColExpand>())
    return expandColExpand(op);
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
