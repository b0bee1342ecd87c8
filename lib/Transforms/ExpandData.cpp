//===- ExpandData.cpp - Other shapes and new tiles become instructions ------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// What the vector unit has no instruction for, the scalar unit does, one element after
// the other.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Expander.h"
#include "Transforms/TileControlFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Where windows begin
//===----------------------------------------------------------------------===//

static bool isMultiple(OpFoldResult value, int64_t of);

static bool isMultiple(Value value, int64_t of) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && loop.getInductionVar() == value && isMultiple(loop.getLowerBound(), of) &&
           isMultiple(loop.getStep(), of);
  }
  Operation *op = value.getDefiningOp();
  auto either = [&] {
    return isMultiple(op->getOperand(0), of) || isMultiple(op->getOperand(1), of);
  };
  auto both = [&] {
    return isMultiple(op->getOperand(0), of) && isMultiple(op->getOperand(1), of);
  };
  if (isa<arith::MulIOp>(op))
    return either();
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return both();
  if (isa<arith::IndexCastOp>(op))
    return isMultiple(op->getOperand(0), of);
  return false;
}

/// Whether the value is known to be a multiple of `of`.
static bool isMultiple(OpFoldResult value, int64_t of) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return *known % of == 0;
  return isMultiple(cast<Value>(value), of);
}

bool pto::isOnBlocks(Value buffer) {
  BufType type = typeOf(buffer);
  int64_t lanes = getBlockLanes(type.getElementType());
  // Of a vector the elements follow each other; rows begin on 32 bytes.
  unsigned dim = isVector(type) ? 0 : 1;
  while (auto view = buffer.getDefiningOp<TileSubviewOp>()) {
    if (!isMultiple(view.getMixedOffsets()[dim], lanes))
      return false;
    buffer = view.getSource();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

namespace {
/// Writes loops over elements, where an operation stands.
class Elements {
public:
  explicit Elements(Operation *op) : builder(op), loc(unnamed(op->getLoc())) {}

  Value number(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value extent(Value buffer, unsigned dim) {
    OpFoldResult size = getWindowExtent(buffer, dim).size;
    if (auto value = dyn_cast<Value>(size))
      return value;
    return number(*getConstantIntValue(size));
  }
  /// `body` for each number below `end`.
  void loop(Value end, function_ref<void(Value)> body) {
    auto made = scf::ForOp::create(builder, loc, number(0), end, number(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(made.getBody());
    body(made.getInductionVar());
  }
  /// `body` for each row and column of a window.
  void loop(Value buffer, function_ref<void(Value, Value)> body) {
    Value rows = extent(buffer, 0), cols = extent(buffer, 1);
    loop(rows, [&](Value row) { loop(cols, [&](Value col) { body(row, col); }); });
  }
  Value get(Value buffer, Value row, Value col) {
    Type type = getScalarType(typeOf(buffer).getElementType());
    SmallVector<int64_t> dynamic(2, ShapedType::kDynamic);
    return TileGetValueOp::create(builder, loc, type, buffer, ValueRange{row, col}, dynamic);
  }
  void set(Value value, Value buffer, Value row, Value col) {
    SmallVector<int64_t> dynamic(2, ShapedType::kDynamic);
    TileSetValueOp::create(builder, loc, value, buffer, ValueRange{row, col}, dynamic);
  }
  template <typename Op> Value make(Value a, Value b) { return Op::create(builder, loc, a, b); }

  OpBuilder builder;
  Location loc;
};
} // namespace

/// A copy within Vec.
LogicalResult Expander::expandByElements(Operation *op) {
  Elements elements(op);
  Value source = op->getOperand(0), dst = op->getOperand(1);
  elements.loop(dst, [&](Value row, Value col) {
    elements.set(elements.get(source, row, col), dst, row, col);
  });
  op->erase();
  return success();
}

LogicalResult Expander::expandFull(TileFullOp op) {
  Type element = typeOf(op.getDst()).getElementType();
  if (isOnBlocks(op.getDst()) && target.hasVectorOp("full", element, /*scalarOperand=*/true))
    return expandElementwise(op);
  Elements elements(op);
  elements.loop(op.getDst(),
                [&](Value row, Value col) { elements.set(op.getValue(), op.getDst(), row, col); });
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Other shapes
//===----------------------------------------------------------------------===//

/// One copy where both windows are one run of bytes; else element by element.
LogicalResult Expander::expandReshape(TileReshapeOp op) {
  BufType from = typeOf(op.getSource()), to = typeOf(op.getDst());
  bool dense = from.isContiguous() && to.isContiguous() && from.hasStaticShape() &&
               to.hasStaticShape() && isOnBlocks(op.getSource()) && isOnBlocks(op.getDst());
  int64_t bytes = getElementCount(to.getShape()) * getElementBytes(to.getElementType());
  // A copy takes whole blocks; what follows a whole allocation is nobody's.
  if (dense && (bytes % 32 == 0 || (from.isWhole() && to.isWhole())))
    return success();
  Type element = to.getElementType();
  if (getElementBytes(from.getElementType()) != getElementBytes(element))
    return emitUserError(op) << "reads the bytes of " << valueWord(op.getSource())
                             << " anew, whose rows do not follow one another; use rows of a "
                                "multiple of 32 bytes, all of them valid";
  Elements elements(op);
  Value wide = elements.extent(op.getSource(), 1), made = elements.extent(op.getDst(), 1);
  elements.loop(op.getSource(), [&](Value row, Value col) {
    Value value = elements.get(op.getSource(), row, col);
    Type scalar = getScalarType(element);
    if (value.getType() != scalar)
      value = arith::BitcastOp::create(elements.builder, elements.loc, scalar, value);
    Value place = elements.make<arith::AddIOp>(elements.make<arith::MulIOp>(row, wide), col);
    elements.set(value, op.getDst(), elements.make<arith::DivSIOp>(place, made),
                 elements.make<arith::RemSIOp>(place, made));
  });
  op.erase();
  return success();
}

LogicalResult Expander::expandTranspose(TileTransposeOp op) {
  Elements elements(op);
  elements.loop(op.getSource(), [&](Value row, Value col) {
    elements.set(elements.get(op.getSource(), row, col), op.getDst(), col, row);
  });
  op.erase();
  return success();
}

/// The value everywhere, then the source over it.
LogicalResult Expander::expandFillpad(TileFillpadOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  OpFoldResult zero = builder.getIndexAttr(0);
  auto full = TileFullOp::create(builder, loc, Type(), op.getValue(), op.getDst());
  OpFoldResult rows = getWindowExtent(op.getSource(), 0).size;
  OpFoldResult cols = getWindowExtent(op.getSource(), 1).size;
  Value corner = getPiece(builder, loc, op.getDst(), {zero, zero}, {rows, cols});
  auto move = TileMoveOp::create(builder, loc, Type(), op.getSource(), corner);
  op.erase();
  return failure(failed(expandFull(full)) || failed(expandMove(move)));
}

//===----------------------------------------------------------------------===//
// New tiles
//===----------------------------------------------------------------------===//

LogicalResult Expander::expandCi(TileCiOp op) {
  Elements elements(op);
  Type type = op.getStart().getType();
  elements.loop(op.getDst(), [&](Value row, Value col) {
    Value step = arith::IndexCastOp::create(elements.builder, elements.loc, type, col);
    Value number = op.getDescending() ? elements.make<arith::SubIOp>(op.getStart(), step)
                                      : elements.make<arith::AddIOp>(op.getStart(), step);
    elements.set(number, op.getDst(), row, col);
  });
  op.erase();
  return success();
}

LogicalResult Expander::expandTri(TileTriOp op) {
  Elements elements(op);
  Type type = getScalarType(typeOf(op.getDst()).getElementType());
  auto constant = [&](int64_t number) -> Value {
    TypedAttr value = isa<FloatType>(type)
                          ? TypedAttr(elements.builder.getFloatAttr(type, double(number)))
                          : TypedAttr(elements.builder.getIntegerAttr(type, number));
    return arith::ConstantOp::create(elements.builder, elements.loc, value);
  };
  Value one = constant(1), zero = constant(0);
  elements.loop(op.getDst(), [&](Value row, Value col) {
    Value border = elements.make<arith::AddIOp>(row, op.getDiagonal());
    auto side = op.getUpper() ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle;
    Value inside = arith::CmpIOp::create(elements.builder, elements.loc, side, col, border);
    elements.set(arith::SelectOp::create(elements.builder, elements.loc, inside, one, zero),
                 op.getDst(), row, col);
  });
  op.erase();
  return success();
}

namespace {
/// Philox 4x32 on words of 32 bits, which are numbers of 64 bits below 2^32 here.
class Philox {
public:
  explicit Philox(Elements &elements) : elements(elements) {}

  Value word(Value value) {
    return arith::ExtUIOp::create(elements.builder, elements.loc, wide(), value);
  }
  Value number(int64_t value) {
    return arith::ConstantOp::create(elements.builder, elements.loc,
                                     elements.builder.getI64IntegerAttr(value));
  }
  Value low(Value value) { return elements.make<arith::AndIOp>(value, number(0xffffffff)); }
  Value high(Value value) { return elements.make<arith::ShRUIOp>(value, number(32)); }
  Value add(Value a, Value b) { return elements.make<arith::AddIOp>(a, b); }

  void round(SmallVectorImpl<Value> &counter, SmallVectorImpl<Value> &key) {
    Value first = elements.make<arith::MulIOp>(counter[0], number(0xD2511F53));
    Value second = elements.make<arith::MulIOp>(counter[2], number(0xCD9E8D57));
    auto mix = [&](Value a, Value b, Value c) {
      return elements.make<arith::XOrIOp>(elements.make<arith::XOrIOp>(a, b), c);
    };
    Value made[] = {mix(high(second), counter[1], key[0]), low(second),
                    mix(high(first), counter[3], key[1]), low(first)};
    counter.assign(std::begin(made), std::end(made));
    key[0] = low(add(key[0], number(0x9E3779B9)));
    key[1] = low(add(key[1], number(0xBB67AE85)));
  }
  Type wide() { return elements.builder.getI64Type(); }

private:
  Elements &elements;
};
} // namespace

LogicalResult Expander::expandRandom(TileRandomOp op) {
  if (!target.hasVectorOp("random", typeOf(op.getDst()).getElementType(), false))
    return emitUserError(op) << "has no random numbers on " << target.name
                             << "; they are on the Ascend 950";
  Elements elements(op);
  Philox philox(elements);
  Value rows = elements.extent(op.getDst(), 0), cols = elements.extent(op.getDst(), 1);
  Value count = elements.make<arith::MulIOp>(rows, cols);
  Value groups = elements.make<arith::DivSIOp>(
      elements.make<arith::AddIOp>(count, elements.number(3)), elements.number(4));
  elements.loop(groups, [&](Value group) {
    SmallVector<Value> key, counter;
    for (Value word : op->getOperands().take_front(2))
      key.push_back(philox.word(word));
    for (Value word : op->getOperands().slice(2, 4))
      counter.push_back(philox.word(word));
    // The counter's number grows by one, through all its words.
    Value carry = arith::IndexCastOp::create(elements.builder, elements.loc, philox.wide(), group);
    for (Value &word : counter) {
      Value sum = philox.add(word, carry);
      word = philox.low(sum);
      carry = philox.high(sum);
    }
    for (uint64_t round = 0; round < op.getRounds(); ++round)
      philox.round(counter, key);
    for (unsigned lane = 0; lane < 4; ++lane) {
      Value place = elements.make<arith::AddIOp>(
          elements.make<arith::MulIOp>(group, elements.number(4)), elements.number(lane));
      Value there = arith::CmpIOp::create(elements.builder, elements.loc, arith::CmpIPredicate::slt,
                                          place, count);
      auto branch = scf::IfOp::create(elements.builder, elements.loc, there, /*withElse=*/false);
      OpBuilder::InsertionGuard guard(elements.builder);
      elements.builder.setInsertionPointToStart(branch.thenBlock());
      Value number = arith::TruncIOp::create(elements.builder, elements.loc,
                                             elements.builder.getI32Type(), counter[lane]);
      elements.set(number, op.getDst(), elements.make<arith::DivSIOp>(place, cols),
                   elements.make<arith::RemSIOp>(place, cols));
    }
  });
  op.erase();
  return success();
}
