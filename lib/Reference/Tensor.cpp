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
    made.array->computed = true;
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

/// The place of a window, which lies in the array. Dimensions in front of `sizes` have one
/// element.
static FailureOr<SmallVector<int64_t, 4>> findPlace(Operation *op, Value name,
                                                    const ArrayView &view, ArrayRef<Index> offsets,
                                                    ArrayRef<int64_t> sizes, const Frame &frame) {
  SmallVector<int64_t, 4> begin;
  size_t missing = offsets.size() - sizes.size();
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    begin.push_back(offset.get(frame));
    int64_t extent = dim < missing ? 1 : sizes[dim - missing], whole = view.shape[dim];
    if (begin[dim] < 0 || extent > whole || begin[dim] > whole - extent)
      return CheckError(Check::Bounds, op).about(name)
             << "the window reaches beyond the array " << valueWord(name) << ": in dimension "
             << dim << " it covers " << begin[dim] << " to " << begin[dim] + extent - 1
             << " of 0 to " << whole - 1;
  }
  return begin;
}

/// The bytes of the window of `sizes` at `begin`, the innermost dimension at once.
static SmallVector<ByteRange, 16> getWindowRanges(const ArrayView &view, ArrayRef<int64_t> begin,
                                                  ArrayRef<int64_t> sizes) {
  size_t rank = begin.size(), missing = rank - sizes.size();
  auto sizeOf = [&](size_t dim) { return dim < missing ? 1 : sizes[dim - missing]; };
  int64_t size = elemBytes(view.array->elem), width = (rank ? sizeOf(rank - 1) : 1) * size;
  int64_t rows = 1;
  for (size_t dim = 0; dim + 1 < rank; ++dim)
    rows *= sizeOf(dim);
  SmallVector<int64_t, 4> position(begin);
  SmallVector<ByteRange, 16> ranges;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t at = view.getElementOffset(position);
    ranges.push_back({at, at + width});
    for (size_t dim = rank - 1; rank > 1 && dim-- > 0;) {
      if (++position[dim] < begin[dim] + sizeOf(dim))
        break;
      position[dim] = begin[dim];
    }
  }
  return ranges;
}

/// A value is copied before a part of it is changed; any other array is memory.
static FailureOr<ArrayView> getWrittenArray(Core &core, Operation *op, const Operand &target) {
  ArrayView into = core.frame().arrays[target.index];
  if (into.direction == Direction::In || into.array->readOnly)
    return CheckError(Check::InWrite, op).about(target.value)
           << "writes the array " << valueWord(target.value)
           << ", which is an In argument; make it Out or InOut";
  if (!into.array->computed)
    return into;
  ArrayView copy = makeArray(into.shape, into.array->elem);
  copy.array->computed = true;
  into.gather(copy.getPointer());
  return copy;
}

namespace {
/// What writes a window of an array.
struct WindowStep {
  Operation *op;
  Operand source, target; // an array or a scalar, and an array
  SmallVector<Index, 2> offsets;
  int32_t result;
  bool adds = false;
};
} // namespace

static LogicalResult runAssemble(Core &core, const WindowStep &step) {
  Frame &frame = core.frame();
  FailureOr<Values> from = readArray(core, step.op, step.source);
  if (failed(from))
    return failure();
  FailureOr<ArrayView> into = getWrittenArray(core, step.op, step.target);
  if (failed(into))
    return failure();
  auto begin = findPlace(step.op, step.target.value, *into, step.offsets, from->shape, frame);
  if (failed(begin))
    return failure();
  SmallVector<ByteRange, 16> ranges = getWindowRanges(*into, *begin, from->shape);
  Elem elem = into->array->elem;
  if (from->memory != into->array->memory) {
    if (step.adds &&
        failed(core.accessArray(step.op, step.target.value, *into, ranges, /*writes=*/false)))
      return failure();
    if (failed(core.accessArray(step.op, step.target.value, *into, ranges, /*writes=*/true,
                                step.source.value)))
      return failure();
    const char *data = from->data;
    for (ByteRange range : ranges) {
      char *there = into->array->memory->data + range.begin;
      int64_t width = range.end - range.begin;
      if (step.adds)
        (void)binary(BinaryKind::Add, elem, there, data, there, width / elemBytes(elem));
      else
        std::memcpy(there, data, width);
      data += width;
    }
  }
  frame.arrays[step.result] = *into;
  return success();
}

static LogicalResult addAssemble(Translator &to, TensorAssembleOp op) {
  WindowStep step = {op,
                     to.getOperand(op.getSource()),
                     to.getOperand(op.getTarget()),
                     to.getIndices(op.getMixedOffsets()),
                     to.getSlot(op.getResult()).index,
                     op.getAtomicAdd()};
  to.code.adds |= step.adds;
  to.add(op, [=](Core &core) { return next(runAssemble(core, step)); });
  return success();
}

static LogicalResult runWrite(Core &core, const WindowStep &step) {
  Frame &frame = core.frame();
  FailureOr<ArrayView> into = getWrittenArray(core, step.op, step.target);
  if (failed(into))
    return failure();
  SmallVector<int64_t, 4> one(step.offsets.size(), 1);
  auto begin = findPlace(step.op, step.target.value, *into, step.offsets, one, frame);
  if (failed(begin))
    return failure();
  SmallVector<ByteRange, 16> ranges = getWindowRanges(*into, *begin, one);
  if (failed(core.accessArray(step.op, step.target.value, *into, ranges, /*writes=*/true)))
    return failure();
  storeScalar(into->array->elem, frame.scalars[step.source.index],
              into->array->memory->data + ranges[0].begin);
  frame.arrays[step.result] = *into;
  return success();
}

static LogicalResult addWrite(Translator &to, TensorWriteOp op) {
  WindowStep step = {op, to.getOperand(op.getValue()), to.getOperand(op.getTarget()),
                     to.getIndices(op.getMixedOffsets()), to.getSlot(op.getResult()).index};
  to.add(op, [=](Core &core) { return next(runWrite(core, step)); });
  return success();
}

static LogicalResult addWindow(Translator &to, TensorWindowOp op) {
  FailureOr<TensorStep> step = getStep(to, op);
  if (failed(step))
    return failure();
  SmallVector<Index, 2> offsets = to.getIndices(op.getMixedOffsets());
  ArrayRef<int64_t> sizes = op.getSizes(), shape = getShapeOf(op.getResult().getType());
  to.add(op, [=, step = *step](Core &core) {
    Operand source = step.sources[0];
    ArrayView view = core.frame().arrays[source.index];
    auto begin = findPlace(step.op, source.value, view, offsets, sizes, core.frame());
    if (failed(begin))
      return Flow::Fail;
    SmallVector<ByteRange, 16> ranges = getWindowRanges(view, *begin, sizes);
    if (failed(core.accessArray(step.op, source.value, view, ranges, /*writes=*/false)))
      return Flow::Fail;
    char *to = step.make(core, shape).data;
    for (ByteRange range : ranges) {
      std::memcpy(to, view.array->memory->data + range.begin, range.end - range.begin);
      to += range.end - range.begin;
    }
    return Flow::Next;
  });
  return success();
}

static LogicalResult addElement(Translator &to, TensorElementOp op) {
  Operand source = to.getOperand(op.getSource());
  SmallVector<Index, 2> offsets = to.getIndices(op.getMixedOffsets());
  int32_t result = to.getScalar(op.getResult());
  Operation *operation = op;
  if (!getElem(getElementTypeOf(op.getSource().getType())))
    return emitUserError(op) << "reads arrays of numbers, found " << valueWord(op.getSource());
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    const ArrayView &view = frame.arrays[source.index];
    SmallVector<int64_t, 4> one(offsets.size(), 1);
    auto begin = findPlace(operation, source.value, view, offsets, one, frame);
    if (failed(begin))
      return Flow::Fail;
    SmallVector<ByteRange, 16> ranges = getWindowRanges(view, *begin, one);
    if (failed(core.accessArray(operation, source.value, view, ranges, /*writes=*/false)))
      return Flow::Fail;
    frame.scalars[result] =
        loadScalar(view.array->elem, view.array->memory->data + ranges[0].begin);
    return Flow::Next;
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
    core.frame().arrays[step.result].array->computed = false;
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
      .Case<TensorWriteOp>([&](auto op) { return addWrite(*this, op); })
      .Case<TensorWindowOp>([&](auto op) { return addWindow(*this, op); })
      .Case<TensorElementOp>([&](auto op) { return addElement(*this, op); })
      .Case<TensorCreateOp>([&](auto op) { return addCreate(*this, op); })
      .Default([](Operation *) { return std::nullopt; });
}
