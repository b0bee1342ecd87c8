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
#include "Reference/Compute.h"
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
      return emitUserError(op) << "takes arrays of numbers, found " << valueWord(source);
  }
  Value result = op->getResult(0);
  std::optional<Elem> elem = getElem(getElementTypeOf(result.getType()));
  if (!elem)
    return emitUserError(op) << "makes arrays of numbers, not " << typeWord(result.getType());
  step.result = to.getSlot(result).index;
  step.elem = *elem;
  return step;
}

//===----------------------------------------------------------------------===//
// What the table of Compute.h has
//===----------------------------------------------------------------------===//

/// Rows are all dimensions but the last.
static Dense asRows(const Values &values) {
  int64_t cols = values.shape.empty() ? 1 : values.shape.back();
  int64_t rows = 1;
  for (int64_t extent : ArrayRef<int64_t>(values.shape).drop_back(values.shape.empty() ? 0 : 1))
    rows *= extent;
  return {values.elem, rows, cols, values.data};
}

/// The elements of `from` where extents of 1 are repeated to those of `shape`.
static Values broadcast(const Values &from, ArrayRef<int64_t> shape) {
  Values made = {nullptr, {shape.begin(), shape.end()}, from.elem, nullptr};
  int64_t size = elemBytes(from.elem), count = made.getCount();
  made.memory = Memory::create(count * size);
  made.data = made.memory->data;
  int64_t missing = shape.size() - from.shape.size();
  SmallVector<int64_t, 4> strides(shape.size(), 0), position(shape.size(), 0);
  int64_t stride = 1;
  for (int64_t dim = shape.size() - 1; dim >= missing; --dim) {
    strides[dim] = from.shape[dim - missing] == 1 ? 0 : stride;
    stride *= from.shape[dim - missing];
  }
  for (int64_t done = 0, source = 0; done < count; ++done) {
    std::memcpy(made.data + done * size, from.data + source * size, size);
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      source += strides[dim];
      if (++position[dim] < shape[dim])
        break;
      source -= strides[dim] * shape[dim];
      position[dim] = 0;
    }
  }
  return made;
}

/// Whether `from` is `shape` once its extents of 1 are repeated.
static bool broadcasts(ArrayRef<int64_t> from, ArrayRef<int64_t> shape) {
  if (from.size() > shape.size())
    return false;
  for (auto [a, b] : llvm::zip(llvm::reverse(from), llvm::reverse(shape)))
    if (a != b && a != 1)
      return false;
  return true;
}

/// The shape of a result whose type leaves an extent open: that of the first source, where the
/// type says no other.
static SmallVector<int64_t, 4> getResultShape(RankedTensorType type, ArrayRef<int64_t> first) {
  SmallVector<int64_t, 4> shape(type.getShape());
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(extent))
      extent = dim < first.size() ? first[dim] : 1;
  return shape;
}

namespace {
/// A tensor operation that the table has, resolved.
struct TableStep {
  TensorStep step;
  Compute compute;
  SmallVector<Elem, 4> elems; // of the sources
  bool broadcasts;
  RankedTensorType type;
};
} // namespace

static LogicalResult runTable(Core &core, const TableStep &table) {
  const TensorStep &step = table.step;
  SmallVector<Values, 3> arrays; // and scalars as arrays of one element
  for (auto [index, source] : llvm::enumerate(step.sources)) {
    if (source.kind == SlotKind::Scalar) {
      Values value = {nullptr, {1}, table.elems[index], Memory::create(8)};
      value.data = value.memory->data;
      storeScalar(value.elem, core.frame().scalars[source.index], value.data);
      arrays.push_back(std::move(value));
      continue;
    }
    FailureOr<Values> array = readArray(core, step.op, source);
    if (failed(array))
      return failure();
    arrays.push_back(*array);
  }
  for (Values &array : arrays) {
    if (!table.broadcasts || array.shape == arrays[0].shape || array.shape.size() == 0 ||
        step.sources[&array - arrays.data()].kind == SlotKind::Scalar)
      continue;
    if (!broadcasts(array.shape, arrays[0].shape))
      return CheckError(Check::Bounds, step.op)
             << "operands have different shapes, " << shapeWord(arrays[0].shape) << " and "
             << shapeWord(array.shape);
    array = broadcast(array, arrays[0].shape);
  }
  Values result = step.make(core, getResultShape(table.type, arrays[0].shape));
  SmallVector<Dense, 3> sources = llvm::map_to_vector<3>(arrays, asRows);
  if (ComputeResult wrong = table.compute(sources, asRows(result)))
    return CheckError(wrong->check, step.op) << wrong->text;
  return success();
}

static LogicalResult addTableStep(Translator &to, Operation *op, const ComputeEntry &entry) {
  FailureOr<TensorStep> step = getStep(to, op);
  if (failed(step))
    return failure();
  TableStep table{*step,
                  {},
                  getElems(op->getOperands(), op->getResult(0).getType()),
                  op->hasTrait<Broadcasting>(),
                  cast<RankedTensorType>(op->getResult(0).getType())};
  table.compute = entry.make(op, table.elems);
  if (!table.compute)
    return failure();
  to.add(op, [table = std::move(table)](Core &core) { return next(runTable(core, table)); });
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
    char value[8];
    storeScalar(step.elem, core.frame().scalars[step.sources[0].index], value);
    Values result = step.make(core, shape);
    fill(step.elem, value, result.data, result.getCount());
    return Flow::Next;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The array with rows and columns swapped.
static Values transposed(const Values &from) {
  Values made = {nullptr, {from.shape[1], from.shape[0]}, from.elem, nullptr};
  int64_t size = elemBytes(from.elem);
  made.memory = Memory::create(from.getCount() * size);
  made.data = made.memory->data;
  for (int64_t row = 0; row < from.shape[0]; ++row)
    for (int64_t col = 0; col < from.shape[1]; ++col)
      std::memcpy(made.data + (col * from.shape[0] + row) * size,
                  from.data + (row * from.shape[1] + col) * size, size);
  return made;
}

/// What a product does, besides multiplying.
struct ProductKind {
  bool accumulates, aTrans, bTrans;
};

static LogicalResult runProduct(Core &core, const TensorStep &step, ProductKind kind) {
  SmallVector<Values, 3> arrays;
  for (const Operand &source : step.sources) {
    FailureOr<Values> array = readArray(core, step.op, source);
    if (failed(array))
      return failure();
    arrays.push_back(*array);
  }
  Values &lhs = arrays[kind.accumulates], &rhs = arrays[kind.accumulates + 1];
  if (kind.aTrans)
    lhs = transposed(lhs);
  if (kind.bTrans)
    rhs = transposed(rhs);
  int64_t m = lhs.shape[0], k = lhs.shape[1], n = rhs.shape[1];
  if (rhs.shape[0] != k || (kind.accumulates && arrays[0].shape != SmallVector<int64_t, 4>({m, n})))
    return CheckError(Check::Bounds, step.op) << "multiplies " << shapeWord(lhs.shape) << " by "
                                              << shapeWord(rhs.shape) << ", which do not fit";
  Values result = step.make(core, {m, n});
  void *sum = core.scratch(2, m * n * sizeof(float));
  if (kind.accumulates)
    std::memcpy(sum, arrays[0].data, m * n * sizeof(float));
  else
    std::memset(sum, 0, m * n * sizeof(float));
  multiply(core, lhs.elem, lhs.data, rhs.data, sum, m, k, n);
  if (elemBytes(step.elem) == 4)
    std::memcpy(result.data, sum, m * n * sizeof(float));
  else
    narrow(step.elem, static_cast<const float *>(sum), result.data, m * n);
  return success();
}

template <typename Op> static LogicalResult addProduct(Translator &to, Op op, bool accumulates) {
  FailureOr<TensorStep> step = getStep(to, op);
  if (failed(step))
    return failure();
  ProductKind kind = {accumulates, op.getATrans(), op.getBTrans()};
  to.add(op, [=, step = *step](Core &core) { return next(runProduct(core, step, kind)); });
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
  if (op->hasTrait<TensorLevel>())
    if (const ComputeEntry *entry = findCompute(getMnemonic(op)))
      return ::addTableStep(*this, op, *entry);
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<TensorFullOp>([&](auto op) { return addFull(*this, op); })
      .Case<TensorMatmulOp>([&](auto op) { return addProduct(*this, op, false); })
      .Case<TensorMatmulAccOp>([&](auto op) { return addProduct(*this, op, true); })
      .Case<TensorAssembleOp>([&](auto op) { return addAssemble(*this, op); })
      .Case<TensorCreateOp>([&](auto op) { return addCreate(*this, op); })
      .Default([](Operation *) { return std::nullopt; });
}
