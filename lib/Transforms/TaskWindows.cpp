//===- TaskWindows.cpp - Where in an array a task works -------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/TaskWindows.h"

#include "Tensor/TensorOps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Sets of elements
//===----------------------------------------------------------------------===//

static int64_t floorDiv(int64_t a, int64_t b) { return llvm::divideFloorSigned(a, b); }

/// Whether a row of `a` meets `[begin, end)`.
static bool meets(const TaskWindow &a, int64_t begin, int64_t end) {
  if (a.rows == 1)
    return a.offset < end && begin < a.offset + a.cols;
  // Row j begins before the end, and ends behind the beginning.
  int64_t last = std::min(a.rows - 1, floorDiv(end - 1 - a.offset, a.pitch));
  int64_t first = std::max<int64_t>(0, floorDiv(begin - a.offset - a.cols, a.pitch) + 1);
  return first <= last;
}

bool pto::overlap(const TaskWindow &a, const TaskWindow &b) {
  if (a.root != b.root || a.end() <= b.offset || b.end() <= a.offset)
    return false;
  if (a.rows == 1)
    return meets(b, a.offset, a.offset + a.cols);
  if (b.rows == 1)
    return meets(a, b.offset, b.offset + b.cols);
  if (a.pitch == b.pitch) {
    // Row i of `a` and row j of `b` meet if -cols(b) < d - (i - j) * pitch < cols(a).
    int64_t d = b.offset - a.offset;
    int64_t least = std::max(floorDiv(d - a.cols, a.pitch) + 1, 1 - b.rows);
    int64_t most = std::min(-floorDiv(-(d + b.cols), a.pitch) - 1, a.rows - 1);
    return least <= most;
  }
  const TaskWindow &few = a.rows < b.rows ? a : b, &many = a.rows < b.rows ? b : a;
  for (int64_t row = 0; row < few.rows; ++row) {
    int64_t begin = few.offset + row * few.pitch;
    if (meets(many, begin, begin + few.cols))
      return true;
  }
  return false;
}

bool pto::covers(const TaskWindow &a, const TaskWindow &b) {
  if (a.root != b.root || b.offset < a.offset || a.end() < b.end())
    return false;
  if (a.rows == 1)
    return true;
  if (b.rows != 1 && b.pitch != a.pitch)
    return false;
  int64_t distance = b.offset - a.offset;
  return distance % a.pitch + b.cols <= a.cols && distance / a.pitch + b.rows <= a.rows;
}

//===----------------------------------------------------------------------===//
// What values name
//===----------------------------------------------------------------------===//

/// Rows without a gap between them are one.
static TaskWindow joinRows(TaskWindow window) {
  if (window.rows > 1 && window.cols == window.pitch) {
    window.cols *= window.rows;
    window.rows = 1;
  }
  return window;
}

/// All of an array.
static TaskWindow getWhole(Value array) {
  auto type = cast<RankedTensorType>(array.getType());
  TaskWindow window{array, 0, 1, 0, 0};
  window.cols = getElementCount(type.getShape());
  if (!type.hasStaticShape())
    window.cols = std::numeric_limits<int64_t>::max() / 4;
  else if (type.getRank() == 2 && getRowPitch(type) != type.getShape()[1])
    window = {array, 0, type.getShape()[0], type.getShape()[1], getRowPitch(type)};
  return window;
}

/// The distance between an array's first element and the one at constant offsets.
static std::optional<int64_t> getDistance(RankedTensorType type, ArrayRef<OpFoldResult> offsets) {
  int64_t distance = 0, stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    std::optional<int64_t> offset = getConstantIntValue(offsets[dim]);
    if (!offset || (dim > 0 && type.isDynamicDim(dim)))
      return std::nullopt;
    distance += *offset * stride;
    stride *= dim == type.getRank() - 1 ? getRowPitch(type) : type.getShape()[dim];
  }
  return distance;
}

std::optional<TaskWindow> TaskWindows::get(Value array) {
  auto [it, added] = known.try_emplace(array);
  if (!added)
    return it->second;
  std::optional<TaskWindow> found = find(array);
  known[array] = found;
  return found;
}

std::optional<TaskWindow> TaskWindows::find(Value array) {
  Operation *op = array.getDefiningOp();
  if (!op)
    return array.getParentBlock() == &func.getBody().front() ? std::optional(getWhole(array))
                                                             : std::nullopt;
  if (isa<TensorCreateOp>(op))
    return getWhole(array);
  if (auto assemble = dyn_cast<TensorAssembleOp>(op))
    return get(assemble.getTarget());
  if (auto task = dyn_cast<BlockDispatchOp>(op)) {
    Value argument = getWrittenArgument(task, symbols.lookup(task.getCallee()),
                                        cast<OpResult>(array).getResultNumber());
    return argument ? get(argument) : std::nullopt;
  }
  auto slice = dyn_cast<TensorSliceOp>(op);
  std::optional<TaskWindow> source = slice ? get(slice.getSource()) : std::nullopt;
  if (!source)
    return std::nullopt;
  std::optional<int64_t> distance =
      getDistance(cast<RankedTensorType>(slice.getSource().getType()), slice.getMixedOffsets());
  if (!distance)
    return std::nullopt;
  TaskWindow window = getWhole(array);
  window.root = source->root;
  window.offset = source->offset + *distance;
  return joinRows(window);
}

std::optional<TaskWindow> TaskWindows::getElement(Value array, OperandRange indices) {
  std::optional<TaskWindow> window = get(array);
  SmallVector<OpFoldResult> offsets(indices.begin(), indices.end());
  auto distance = getDistance(cast<RankedTensorType>(array.getType()), offsets);
  if (!window || !distance)
    return window;
  return TaskWindow{window->root, window->offset + *distance, 1, 1, 0};
}
