//===- Tensor.cpp - Whole arrays ---------------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A computed array is a value with memory of its own; what assembles, creates
// or names an array works on that array's memory.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Instructions.h"
#include "Reference/Translator.h"
#include "Tensor/TensorOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

namespace {
/// The elements of an array, row by row.
struct Values {
  char *data = nullptr;
  SmallVector<int64_t, 4> shape;
  Elem elem = Elem::F32;
  std::shared_ptr<Memory> memory; // of the data

  int64_t getCount() const { return ShapedType::getNumElements(shape); }
};
} // namespace

static ArrayView makeArray(ArrayRef<int64_t> shape, Elem elem) {
  auto array = std::make_shared<Array>();
  array->elem = elem;
  array->memory = Memory::create(ShapedType::getNumElements(shape) * elemBytes(elem));
  return ArrayView::all(std::move(array), Direction::InOut, shape);
}

/// The array of an operand, whose elements must all be defined.
static FailureOr<Values> readArray(Core &core, Operation *op, const Operand &operand) {
  const ArrayView &view = core.frame().arrays[operand.index];
  SmallVector<ByteRange, 16> ranges;
  view.getRanges(ranges);
  if (failed(core.accessArray(op, operand.value, view, ranges, /*writes=*/false)))
    return failure();
  Values values = {view.getPointer(), view.shape, view.array->elem, view.array->memory};
  if (view.isDense())
    return values;
  values.memory = Memory::create(view.getBytes());
  values.data = values.memory->data;
  view.gather(values.data);
  return values;
}

namespace {
/// What the operations on arrays have in common.
struct TensorStep {
  Operation *op;
  SmallVector<Operand, 3> sources;
  int32_t result;
  Elem elem;

  /// Puts a new array of `shape` into the result.
  Values make(Core &core, ArrayRef<int64_t> shape) const {
    ArrayView &made = core.frame().arrays[result] = makeArray(shape, elem);
    return {made.getPointer(), made.shape, elem, made.array->memory};
  }
};
} // namespace

static FailureOr<TensorStep> getStep(Translator &to, Operation *op) {
  TensorStep step;
  step.op = op;
  for (Value source : op->getOperands()) {
    step.sources.push_back(to.getOperand(source));
    Type type = source.getType();
    if (isa<RankedTensorType>(type) && !getElem(getElementTypeOf(type)))
      return emitUserError(op) << "takes arrays of FP16, BF16, FP32 or INT32, found "
                               << valueWord(source);
  }
  Value result = op->getResult(0);
  std::optional<Elem> elem = getElem(getElementTypeOf(result.getType()));
  if (!elem)
    return emitUserError(op) << "makes arrays of FP16, BF16, FP32 or INT32, not "
                             << typeWord(result.getType());
  step.result = to.getSlot(result).index;
  step.elem = *elem;
  return step;
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

static LogicalResult divideByZero(Operation *op) {
  return CheckError(Check::Division, op) << "divides by zero";
}

/// Every row of `lhs` with its own value of `rhs`.
static bool expandRows(BinaryKind kind, const Values &lhs, const Values &rhs, Values &result) {
  int64_t size = elemBytes(lhs.elem), cols = lhs.shape[1];
  for (int64_t r = 0; r < lhs.shape[0]; ++r)
    if (!binaryScalar(kind, lhs.elem, lhs.data + r * cols * size, rhs.data + r * size,
                      result.data + r * cols * size, cols))
      return false;
  return true;
}

static LogicalResult runBinary(Core &core, const TensorStep &step, BinaryKind kind, bool expands) {
  FailureOr<Values> lhs = readArray(core, step.op, step.sources[0]);
  if (failed(lhs))
    return failure();
  if (step.sources[1].kind == SlotKind::Scalar) {
    char value[4];
    storeScalar(step.elem, core.frame().scalars[step.sources[1].index], value);
    Values result = step.make(core, lhs->shape);
    if (!binaryScalar(kind, step.elem, lhs->data, value, result.data, result.getCount()))
      return divideByZero(step.op);
    return success();
  }
  FailureOr<Values> rhs = readArray(core, step.op, step.sources[1]);
  if (failed(rhs))
    return failure();
  const Values &a = *lhs, &b = *rhs;
  bool same = a.shape == b.shape && !expands;
  bool column =
      a.shape.size() == 2 && b.shape.size() == 2 && b.shape[0] == a.shape[0] && b.shape[1] == 1;
  if (!same && !column)
    return CheckError(Check::Bounds, step.op)
           << "operands have different shapes, " << shapeWord(a.shape) << " and "
           << shapeWord(b.shape);
  Values result = step.make(core, a.shape);
  bool ok = same ? binary(kind, step.elem, a.data, b.data, result.data, a.getCount())
                 : expandRows(kind, a, b, result);
  return ok ? success() : divideByZero(step.op);
}

static LogicalResult addBinary(Translator &to, Operation *op, BinaryKind kind,
                               bool expands = false) {
  FailureOr<TensorStep> step = getStep(to, op);
  if (failed(step))
    return failure();
  to.add(op, [=, step = *step](Core &core) { return next(runBinary(core, step, kind, expands)); });
  return success();
}

static LogicalResult addUnary(Translator &to, Operation *op, UnaryKind kind) {
  FailureOr<TensorStep> step = getStep(to, op);
  if (failed(step))
    return failure();
  if (!hasUnary(kind, step->elem))
    return emitUserError(op) << "takes FP16, BF16 or FP32, found " << valueWord(op->getOperand(0))
                             << "; convert it with pl.cast";
  to.add(op, [=, step = *step](Core &core) {
    FailureOr<Values> src = readArray(core, step.op, step.sources[0]);
    if (failed(src))
      return Flow::Fail;
    Values result = step.make(core, src->shape);
    unary(kind, step.elem, src->data, result.data, result.getCount());
    return Flow::Next;
  });
  return success();
}

static LogicalResult addCast(Translator &to, TensorCastOp op) {
  FailureOr<TensorStep> step = getStep(to, op);
  if (failed(step))
    return failure();
  Elem from = *getElem(getElementTypeOf(op.getSource().getType()));
  FailureOr<Rounding> rounding = getRounding(op, from, step->elem, op.getRound());
  if (failed(rounding))
    return failure();
  to.add(op, [=, step = *step, rounding = *rounding](Core &core) {
    FailureOr<Values> src = readArray(core, step.op, step.sources[0]);
    if (failed(src))
      return Flow::Fail;
    Values result = step.make(core, src->shape);
    convert(from, step.elem, rounding, src->data, result.data, result.getCount());
    return Flow::Next;
  });
  return success();
}

static LogicalResult addFull(Translator &to, TensorFullOp op) {
  FailureOr<TensorStep> step = getStep(to, op);
  if (failed(step))
    return failure();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (!type.hasStaticShape())
    return emitUserError(op) << "makes an array of a static shape, not " << typeWord(type);
  to.add(op, [step = *step, shape = type.getShape()](Core &core) {
    char value[4];
    storeScalar(step.elem, core.frame().scalars[step.sources[0].index], value);
    Values result = step.make(core, shape);
    fill(step.elem, value, result.data, result.getCount());
    return Flow::Next;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Rows and products
//===----------------------------------------------------------------------===//

static LogicalResult addRowReduce(Translator &to, Operation *op, ReduceKind kind) {
  FailureOr<TensorStep> step = getStep(to, op);
  if (failed(step))
    return failure();
  to.add(op, [=, step = *step](Core &core) {
    FailureOr<Values> src = readArray(core, step.op, step.sources[0]);
    if (failed(src))
      return Flow::Fail;
    int64_t rows = src->shape[0], cols = src->shape[1], size = elemBytes(step.elem);
    if (cols == 0) {
      CheckError(Check::ValidRegion, step.op) << "reduces rows without an element";
      return Flow::Fail;
    }
    Values result = step.make(core, {rows, 1});
    for (int64_t r = 0; r < rows; ++r)
      reduceRow(kind, step.elem, src->data + r * cols * size, result.data + r * size, cols);
    return Flow::Next;
  });
  return success();
}

static const float *wide(Core &core, const Values &array, unsigned index) {
  auto *floats = static_cast<float *>(core.scratch(index, array.getCount() * sizeof(float)));
  widen(array.elem, array.data, floats, array.getCount());
  return floats;
}

static LogicalResult runProduct(Core &core, const TensorStep &step, bool accumulates) {
  SmallVector<Values, 3> arrays;
  for (const Operand &source : step.sources) {
    FailureOr<Values> array = readArray(core, step.op, source);
    if (failed(array))
      return failure();
    arrays.push_back(*array);
  }
  const Values &lhs = arrays[accumulates], &rhs = arrays[accumulates + 1];
  int64_t m = lhs.shape[0], k = lhs.shape[1], n = rhs.shape[1];
  if (rhs.shape[0] != k || (accumulates && arrays[0].shape != SmallVector<int64_t, 4>({m, n})))
    return CheckError(Check::Bounds, step.op) << "multiplies " << shapeWord(lhs.shape) << " by "
                                              << shapeWord(rhs.shape) << ", which do not fit";
  Values result = step.make(core, {m, n});
  auto *sum = static_cast<float *>(core.scratch(2, m * n * sizeof(float)));
  if (accumulates)
    std::memcpy(sum, arrays[0].data, m * n * sizeof(float));
  else
    std::memset(sum, 0, m * n * sizeof(float));
  matmul(wide(core, lhs, 0), wide(core, rhs, 1), sum, m, k, n);
  if (step.elem == Elem::F32)
    std::memcpy(result.data, sum, m * n * sizeof(float));
  else
    narrow(step.elem, sum, result.data, m * n);
  return success();
}

static LogicalResult addProduct(Translator &to, Operation *op, bool accumulates) {
  FailureOr<TensorStep> step = getStep(to, op);
  if (failed(step))
    return failure();
  to.add(op, [=, step = *step](Core &core) { return next(runProduct(core, step, accumulates)); });
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Copies `source` into the window of `target` at `offsets`, the innermost
/// dimension at once.
static LogicalResult copyInto(Core &core, Operation *op, Value value, Value name,
                              const Values &source, const ArrayView &target,
                              ArrayRef<int64_t> offsets) {
  unsigned rank = source.shape.size();
  int64_t width = (rank ? source.shape[rank - 1] : 1) * elemBytes(source.elem);
  int64_t bytes = source.getCount() * elemBytes(source.elem);
  SmallVector<int64_t, 4> position(offsets);
  SmallVector<ByteRange, 16> ranges;
  for (int64_t done = 0; done < bytes; done += width) {
    int64_t begin = target.getElementOffset(position);
    ranges.push_back({begin, begin + width});
    for (int dim = static_cast<int>(rank) - 2; dim >= 0; --dim) {
      if (++position[dim] < offsets[dim] + source.shape[dim])
        break;
      position[dim] = offsets[dim];
    }
  }
  if (failed(core.accessArray(op, name, target, ranges, /*writes=*/true, value)))
    return failure();
  for (auto [row, range] : llvm::enumerate(ranges))
    std::memcpy(target.array->memory->data + range.begin, source.data + row * width, width);
  return success();
}

static LogicalResult runAssemble(Core &core, Operation *op, const Operand &source,
                                 const Operand &target, ArrayRef<Index> offsets, int32_t result) {
  Frame &frame = core.frame();
  FailureOr<Values> from = readArray(core, op, source);
  if (failed(from))
    return failure();
  ArrayView into = frame.arrays[target.index];
  if (into.direction == Direction::In || into.array->readOnly)
    return CheckError(Check::InWrite, op).about(target.value)
           << "writes the array " << valueWord(target.value)
           << ", which is an In argument; make it Out or InOut";
  SmallVector<int64_t, 4> begin;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    begin.push_back(offset.get(frame));
    int64_t extent = from->shape[dim], whole = into.shape[dim];
    if (begin[dim] < 0 || extent > whole || begin[dim] > whole - extent)
      return CheckError(Check::Bounds, op).about(target.value)
             << "the window reaches beyond the array " << valueWord(target.value)
             << ": in dimension " << dim << " it covers " << begin[dim] << " to "
             << begin[dim] + extent - 1 << " of 0 to " << whole - 1;
  }
  if (from->memory != into.array->memory &&
      failed(copyInto(core, op, source.value, target.value, *from, into, begin)))
    return failure();
  frame.arrays[result] = into;
  return success();
}

static LogicalResult addAssemble(Translator &to, TensorAssembleOp op) {
  Operand source = to.getOperand(op.getSource()), target = to.getOperand(op.getTarget());
  SmallVector<Index, 2> offsets = to.getIndices(op.getMixedOffsets());
  int32_t result = to.getSlot(op.getResult()).index;
  Operation *operation = op;
  to.add(op, [=](Core &core) {
    return next(runAssemble(core, operation, source, target, offsets, result));
  });
  return success();
}

static LogicalResult addCreate(Translator &to, TensorCreateOp op) {
  FailureOr<TensorStep> step = getStep(to, op);
  if (failed(step))
    return failure();
  ArrayRef<int64_t> shape = getShapeOf(op.getResult().getType());
  to.add(op, [step = *step, shape](Core &core) {
    Values made = step.make(core, shape);
    std::memset(made.data, 0, made.memory->size);
    if (core.launch.run.checks.keepsArrays())
      made.memory->addHistory(/*written=*/false);
    return Flow::Next;
  });
  return success();
}

std::optional<LogicalResult> Translator::addTensor(Operation *op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<TensorAddOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Add); })
      .Case<TensorSubOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Sub); })
      .Case<TensorMulOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Mul); })
      .Case<TensorDivOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Div); })
      .Case<TensorMinimumOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Minimum); })
      .Case<TensorMaximumOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Maximum); })
      .Case<TensorExpOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Exp); })
      .Case<TensorSqrtOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Sqrt); })
      .Case<TensorRsqrtOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Rsqrt); })
      .Case<TensorNegOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Neg); })
      .Case<TensorAbsOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Abs); })
      .Case<TensorReluOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Relu); })
      .Case<TensorCastOp>([&](auto op) { return addCast(*this, op); })
      .Case<TensorFullOp>([&](auto op) { return addFull(*this, op); })
      .Case<TensorRowMaxOp>([&](auto op) { return addRowReduce(*this, op, ReduceKind::Max); })
      .Case<TensorRowSumOp>([&](auto op) { return addRowReduce(*this, op, ReduceKind::Sum); })
      .Case<TensorRowExpandSubOp>(
          [&](auto op) { return addBinary(*this, op, BinaryKind::Sub, true); })
      .Case<TensorRowExpandMulOp>(
          [&](auto op) { return addBinary(*this, op, BinaryKind::Mul, true); })
      .Case<TensorRowExpandDivOp>(
          [&](auto op) { return addBinary(*this, op, BinaryKind::Div, true); })
      .Case<TensorMatmulOp>([&](auto op) { return addProduct(*this, op, false); })
      .Case<TensorMatmulAccOp>([&](auto op) { return addProduct(*this, op, true); })
      .Case<TensorAssembleOp>([&](auto op) { return addAssemble(*this, op); })
      .Case<TensorCreateOp>([&](auto op) { return addCreate(*this, op); })
      .Default([](Operation *) { return std::nullopt; });
}
