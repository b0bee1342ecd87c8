//===- TileArrays.cpp - Tiles: arrays as a kernel sees them ------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Views of arrays: a pointer moves and changes its type, a view has any strides. All
// share the memory of what the host gave, and what is known of its bytes.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Translator.h"
#include "Tensor/TensorOps.h"
#include "Tile/TileOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

static SmallVector<int64_t, 4> getAll(ArrayRef<Index> indices, const Frame &frame) {
  return llvm::map_to_vector<4>(indices, [&](const Index &index) { return index.get(frame); });
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// The memory from element `offset` on, as elements of another type.
static FailureOr<ArrayView> movePointer(TileMakePtrOp op, const ArrayView &source, int64_t offset,
                                        Elem elem) {
  int64_t count = source.shape[0], size = elemBytes(elem);
  ArrayView view = source;
  view.array = std::make_shared<Array>(*source.array);
  view.array->elem = elem;
  view.strides.clear();
  view.shape = {0};
  view.pitch = 0;
  // Nothing stays nothing, wherever it is moved to.
  if (source.array->memory->size == 0)
    return view;
  if (offset < 0 || offset > count)
    return CheckError(Check::Bounds, op).about(op.getSource())
           << "moves " << valueWord(op.getSource()) << " by " << offset << " elements, and "
           << (offset < 0 ? "there is nothing in front of it" : "it has " + std::to_string(count));
  view.offset += offset * elemBytes(source.array->elem);
  if (view.offset % size)
    return CheckError(Check::Bounds, op).about(op.getSource())
           << "begins at byte " << view.offset << " of its memory; elements of " << size
           << " bytes lie at multiples of " << size;
  view.shape = {(count - offset) * elemBytes(source.array->elem) / size};
  view.pitch = view.shape[0];
  return view;
}

static LogicalResult addMakePtr(Translator &to, TileMakePtrOp op) {
  int32_t source = to.getSlot(op.getSource()).index, result = to.getSlot(op.getResult()).index;
  Index offset = to.getIndex(op.getMixedOffset());
  std::optional<Elem> elem = getElem(getElementTypeOf(op.getResult().getType()));
  if (!elem)
    return emitUserError(op) << "the model has no arrays of "
                             << dtypeWord(getElementTypeOf(op.getResult().getType()));
  to.add(op, [=, elem = *elem](Core &core) {
    Frame &frame = core.frame();
    FailureOr<ArrayView> view = movePointer(op, frame.arrays[source], offset.get(frame), elem);
    if (failed(view))
      return Flow::Fail;
    frame.arrays[result] = std::move(*view);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addIsNull(Translator &to, TileIsNullOp op) {
  int32_t source = to.getSlot(op.getSource()).index;
  return to.addScalar(op, [=](Frame &frame) {
    Scalar scalar;
    scalar.i = frame.arrays[source].array->memory->size == 0;
    return scalar;
  });
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static LogicalResult addMakeTensor(Translator &to, TileMakeTensorOp op) {
  int32_t source = to.getSlot(op.getSource()).index, result = to.getSlot(op.getResult()).index;
  SmallVector<Index, 2> shape = to.getIndices(op.getMixedShape());
  SmallVector<Index, 2> strides = to.getIndices(op.getMixedStrides());
  to.add(op, [=](Core &core) mutable {
    Frame &frame = core.frame();
    ArrayView view = frame.arrays[source];
    view.shape = getAll(shape, frame);
    view.strides = getAll(strides, frame);
    view.pitch = view.getWidth();
    for (auto [dim, extent] : llvm::enumerate(view.shape)) {
      bool bad = extent < 0;
      if (!bad && view.strides[dim] >= 0)
        continue;
      CheckError(Check::Bounds, op)
          << (bad ? "extent " : "stride ") << (bad ? extent : view.strides[dim]) << " in dimension "
          << dim << " of " << valueWord(op.getResult()) << " is negative";
      return Flow::Fail;
    }
    frame.arrays[result] = std::move(view);
    return Flow::Next;
  });
  return success();
}

/// Two dimensions of a view, at places of the others.
static FailureOr<ArrayView> pickPlane(TilePlaneOp op, ArrayView source, ArrayRef<int64_t> offsets) {
  // An argument of the kernel has rows at equal distance.
  for (int64_t stride = 1; source.strides.size() < source.shape.size();) {
    source.strides.insert(source.strides.begin(), stride);
    stride *= source.strides.size() == 1
                  ? source.pitch
                  : source.shape[source.shape.size() - source.strides.size()];
  }
  ArrayView view = source;
  view.shape.clear();
  view.strides.clear();
  for (int64_t axis : op.getAxes()) {
    view.shape.push_back(source.shape[axis]);
    view.strides.push_back(source.strides[axis]);
  }
  view.pitch = view.getWidth();
  SmallVector<int64_t, 4> first(source.shape.size(), 0);
  for (size_t dim = 0, place = 0; dim < source.shape.size(); ++dim) {
    if (llvm::is_contained(op.getAxes(), static_cast<int64_t>(dim)))
      continue;
    first[dim] = offsets[place++];
    if (first[dim] < 0 || first[dim] >= source.shape[dim])
      return CheckError(Check::Bounds, op).about(op.getSource())
             << "offset " << first[dim] << " in dimension " << dim << " is not within "
             << rangeWord(0, source.shape[dim]) << " of " << valueWord(op.getSource());
  }
  bool empty = llvm::is_contained(view.shape, 0);
  std::optional<int64_t> begin = source.findElement(first);
  if (!begin && !empty)
    return LogicalResult(reportOutside(op, op.getSource(), source, first));
  view.offset = begin.value_or(source.offset);
  return view;
}

static LogicalResult addPlane(Translator &to, TilePlaneOp op) {
  int32_t source = to.getSlot(op.getSource()).index, result = to.getSlot(op.getResult()).index;
  SmallVector<Index, 2> offsets = to.getIndices(op.getMixedOffsets());
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    FailureOr<ArrayView> view = pickPlane(op, frame.arrays[source], getAll(offsets, frame));
    if (failed(view))
      return Flow::Fail;
    frame.arrays[result] = std::move(*view);
    return Flow::Next;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

static LogicalResult checkPlace(Operation *op, Value name, ArrayRef<int64_t> place,
                                ArrayRef<int64_t> shape) {
  for (auto [dim, index] : llvm::enumerate(place))
    if (index < 0 || index >= shape[dim])
      return CheckError(Check::Bounds, op).about(name)
             << "offset " << index << " in dimension " << dim << " is not within "
             << rangeWord(0, shape[dim]) << " of " << valueWord(name);
  return success();
}

FailureOr<Window> reference::getElement(Core &core, Operation *op, const Operand &operand,
                                        ArrayRef<int64_t> place) {
  if (operand.kind == SlotKind::Buffer || operand.kind == SlotKind::Tile) {
    Window window = core.getWindow(operand);
    if (failed(checkPlace(op, operand.value, place, {window.rows, window.cols})))
      return failure();
    window.row += place[0], window.col += place[1];
    window.rows = window.cols = 1;
    window.place = place;
    return window;
  }
  const ArrayView &view = core.frame().arrays[operand.index];
  if (view.array->memory->size == 0)
    return LogicalResult(reportOutside(op, operand.value, view, place));
  if (failed(checkPlace(op, operand.value, place, view.shape)))
    return failure();
  std::optional<int64_t> at = view.findElement(place);
  if (!at)
    return LogicalResult(reportOutside(op, operand.value, view, place));
  Window window;
  window.memory = view.array->memory.get();
  window.base = *at;
  window.rows = window.cols = window.pitch = 1;
  window.elem = view.array->elem;
  window.name = operand.value;
  window.thisTask = view.direction == Direction::Out;
  window.place = place;
  return window;
}

Scalar reference::loadScalar(Elem elem, const void *from) {
  Scalar scalar;
  if (isInteger(elem))
    scalar.i = loadInteger(elem, from);
  else
    scalar.f = loadElement(elem, from);
  return scalar;
}

static LogicalResult addGetValue(Translator &to, TileGetValueOp op) {
  Instruction instruction = to.getElementInstruction(op);
  Operand source = to.getOperand(op.getSource());
  int32_t result = to.getScalar(op.getResult());
  SmallVector<Index, 2> offsets = to.getIndices(op.getMixedOffsets());
  to.add(op, [=](Core &core) {
    SmallVector<int64_t, 4> place = getAll(offsets, core.frame());
    FailureOr<Window> window = getElement(core, instruction.op, source, place);
    if (failed(window) || failed(core.access(instruction, *window, {})))
      return Flow::Fail;
    core.frame().scalars[result] = loadScalar(window->elem, window->getPointer());
    return Flow::Next;
  });
  return success();
}

static LogicalResult addSetValue(Translator &to, TileSetValueOp op) {
  Instruction instruction = to.getElementInstruction(op);
  Operand dest = to.getOperand(op.getDest());
  int32_t value = to.getScalar(op.getValue());
  SmallVector<Index, 2> offsets = to.getIndices(op.getMixedOffsets());
  to.add(op, [=](Core &core) {
    SmallVector<int64_t, 4> place = getAll(offsets, core.frame());
    if (dest.kind == SlotKind::Array &&
        failed(checkWritable(instruction.op, dest.value, core.frame().arrays[dest.index])))
      return Flow::Fail;
    FailureOr<Window> window = getElement(core, instruction.op, dest, place);
    if (failed(window) || failed(core.access(instruction, {}, *window)))
      return Flow::Fail;
    storeScalar(window->elem, core.frame().scalars[value], window->getPointer());
    return Flow::Next;
  });
  return success();
}

/// The same memory with other extents; one that is not known follows from the others.
static LogicalResult addView(Translator &to, Operation *op) {
  Operand source = to.getOperand(op->getOperand(0));
  int32_t result = to.getSlot(op->getResult(0)).index;
  ArrayRef<int64_t> shape = getShapeOf(op->getResult(0).getType());
  std::optional<Elem> elem = getElem(getElementTypeOf(op->getResult(0).getType()));
  if (!elem)
    return emitUserError(op) << "the model has no arrays of "
                             << dtypeWord(getElementTypeOf(op->getResult(0).getType()));
  to.add(op, [=, elem = *elem](Core &core) {
    Frame &frame = core.frame();
    ArrayView view = frame.arrays[source.index];
    int64_t bytes = view.getBytes(), known = elemBytes(elem);
    for (int64_t extent : shape)
      known *= ShapedType::isDynamic(extent) ? 1 : extent;
    bool open = llvm::any_of(shape, ShapedType::isDynamic);
    if (!view.isDense() || (open ? known == 0 || bytes % known : bytes != known)) {
      CheckError(Check::Bounds, op).about(source.value)
          << "makes an array of " << shapeWord(shape) << " of " << valueWord(source.value)
          << ", which has " << shapeWord(view.shape) << " elements"
          << (view.isDense() ? "" : " whose rows do not follow one another");
      return Flow::Fail;
    }
    view.shape.assign(shape.begin(), shape.end());
    for (int64_t &extent : view.shape)
      if (ShapedType::isDynamic(extent))
        extent = bytes / known;
    view.strides.clear();
    view.pitch = view.getWidth();
    if (elem != view.array->elem) {
      view.array = std::make_shared<Array>(*view.array);
      view.array->elem = elem;
    }
    frame.arrays[result] = std::move(view);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addDim(Translator &to, Operation *op, int64_t dim) {
  int32_t source = to.getSlot(op->getOperand(0)).index;
  return to.addScalar(op, [=](Frame &frame) {
    Scalar scalar;
    scalar.i = frame.arrays[source].shape[dim];
    return scalar;
  });
}

std::optional<LogicalResult> Translator::addTileArrays(Operation *op) {
  if (isa<TileGetValueOp, TileSetValueOp>(op)) {
    if (failed(checkCore(op, Pipe::S)))
      return failure();
    Value container = isa<TileGetValueOp>(op) ? op->getOperand(0) : op->getOperand(1);
    code.usesDataCache |= isa<GmType>(container.getType());
  }
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case<TileMakePtrOp>([&](auto op) { return addMakePtr(*this, op); })
      .Case<TileIsNullOp>([&](auto op) { return addIsNull(*this, op); })
      .Case<TileMakeTensorOp>([&](auto op) { return addMakeTensor(*this, op); })
      .Case<TileViewOp, TensorViewOp>([&](auto op) { return addView(*this, op); })
      .Case<TileDimOp, TensorDimOp>([&](auto op) { return addDim(*this, op, op.getDim()); })
      .Case<TilePlaneOp>([&](auto op) { return addPlane(*this, op); })
      .Case<TileGetValueOp>([&](auto op) { return addGetValue(*this, op); })
      .Case<TileSetValueOp>([&](auto op) { return addSetValue(*this, op); })
      .Default([](Operation *) { return std::nullopt; });
}
