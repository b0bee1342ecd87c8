//===- Inspect.cpp - What the author's names hold ---------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A name is looked up where the operation stands, as its author would: the nearest
// binding in front of it, then what the loops around it carry, then what stands in
// front of them. Where tiles are buffers, an instruction that writes one binds its
// allocation's name.
//
//===----------------------------------------------------------------------===//

#include "Reference/Inspect.h"
#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Reference/Launch.h"
#include "Tensor/TensorOps.h"
#include "Tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Which value a name is
//===----------------------------------------------------------------------===//

namespace {
/// A value under the author's name.
struct Binding {
  StringRef name;
  Value value;
};
} // namespace

/// The tile that an operation in buffer form writes: a whole allocation, or the slot
/// of one.
static Value getWritten(Operation *op) {
  Value buffer;
  if (auto compute = dyn_cast<TileComputeInterface>(op))
    buffer = compute.getDestination();
  else if (auto set = dyn_cast<TileSetValueOp>(op))
    buffer = isa<BufType>(set.getDest().getType()) ? set.getDest() : Value();
  else if (auto load = dyn_cast<TileLoadOp>(op))
    buffer = load.getDst();
  while (buffer) {
    auto view = buffer.getDefiningOp<TileSubviewOp>();
    if (!view)
      return buffer;
    buffer = view.getSource();
  }
  return {};
}

static StringRef nameOfBuffer(Value buffer) {
  StringRef name = nameOf(buffer);
  auto slot = buffer.getDefiningOp<TileSlotOp>();
  return name.empty() && slot ? nameOf(slot.getSource()) : name;
}

/// What a loop or a branch of several results calls one of them: text has no names
/// for these, but what they hand on has.
static StringRef nameOfResult(OpResult result) {
  Operation *op = result.getOwner();
  unsigned index = result.getResultNumber();
  StringRef name = op->getNumResults() == 1 ? nameOf(result) : "";
  if (!name.empty())
    return name;
  if (isa<scf::ForOp>(op))
    return argumentName(op, index + 1);
  if (isa<scf::WhileOp>(op))
    return argumentName(op, index);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    for (Region &arm : branch->getRegions())
      if (!arm.empty() && !nameOf(arm.front().getTerminator()->getOperand(index)).empty())
        return nameOf(arm.front().getTerminator()->getOperand(index));
  return nameOf(result);
}

/// What an operation binds.
static SmallVector<Binding, 2> getBindings(Operation *op) {
  SmallVector<Binding, 2> found;
  // A part of a tile has its name and is no variable.
  if (isa<TileSubviewOp>(op))
    return found;
  if (Value buffer = getWritten(op))
    found.push_back({nameOfBuffer(buffer), buffer});
  for (OpResult result : op->getResults())
    found.push_back({nameOfResult(result), result});
  return found;
}

/// Calls `visit` for what is bound in front of a step, the last first, until it answers
/// true.
template <typename Visit> static void eachBinding(const Step *step, Visit visit) {
  Operation *at = step ? step->op : nullptr;
  if (step && step->isTrip)
    for (BlockArgument argument : at->getRegion(0).getArguments())
      if (StringRef name = nameOf(argument); !name.empty() && visit(Binding{name, argument}))
        return;
  while (at && at->getBlock()) {
    for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode())
      for (const Binding &binding : getBindings(op))
        if (!binding.name.empty() && visit(binding))
          return;
    for (BlockArgument argument : at->getBlock()->getArguments())
      if (StringRef name = nameOf(argument); !name.empty() && visit(Binding{name, argument}))
        return;
    at = at->getBlock()->getParentOp();
    if (isa_and_nonnull<FunctionOpInterface>(at))
      return;
  }
}

/// The number of a flag or a mutex; what is known at run time only has none.
template <typename Op> static std::string idWord(Op op) {
  return op.getId() ? std::to_string(*op.getId()) : std::string("?");
}

std::string reference::describe(Operation *op) {
  std::string word = operationWord(op);
  auto flag = [&](auto set) {
    word += " " + pipeWord(set.getSrc()) + " -> " + pipeWord(set.getDst());
    if (set.getId())
      word += ", " + idWord(set);
  };
  if (auto set = dyn_cast<BlockSetFlagOp>(op))
    flag(set);
  else if (auto wait = dyn_cast<BlockWaitFlagOp>(op))
    flag(wait);
  else if (auto barrier = dyn_cast<BlockBarrierOp>(op))
    word += " " + pipeWord(barrier.getPipe());
  else if (auto set = dyn_cast<BlockCrossCoreSetOp>(op))
    word += " " + pipeWord(set.getPipe()) + ", " + idWord(set);
  else if (auto wait = dyn_cast<BlockCrossCoreWaitOp>(op))
    word += " " + idWord(wait);
  else if (auto lock = dyn_cast<BlockMutexLockOp>(op))
    word += " " + pipeWord(lock.getPipe()) + ", " + idWord(lock);
  else if (auto unlock = dyn_cast<BlockMutexUnlockOp>(op))
    word += " " + pipeWord(unlock.getPipe()) + ", " + idWord(unlock);
  return word;
}

static const Step *getStep(const Core &core, unsigned depth) {
  if (depth >= core.stack.size())
    return nullptr;
  const Activation &activation = *core.stack[core.stack.size() - 1 - depth];
  // A caller goes on behind its call.
  return &activation.code->steps[activation.pc - (depth > 0 ? 1 : 0)];
}

Operation *reference::getOperationAt(const Core &core, unsigned depth) {
  const Step *step = getStep(core, depth);
  return step ? step->op : nullptr;
}

//===----------------------------------------------------------------------===//
// What a value holds
//===----------------------------------------------------------------------===//

/// Marks the elements that are not defined; leaves the list empty if all are.
template <typename Function>
static void mark(Content &content, int64_t rows, int64_t cols, Function isDefined) {
  std::vector<char> defined(rows * cols, 1);
  bool all = true;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      defined[r * cols + c] = isDefined(r, c);
      all &= defined[r * cols + c] != 0;
    }
  if (!all)
    content.defined = std::move(defined);
}

static void readTile(Content &content, const Tile &tile) {
  content.shape = {tile.rows, tile.cols};
  content.elem = tile.elem;
  content.bytes.assign(tile.memory->data, tile.memory->data + tile.memory->size);
  if (tile.validRows < tile.rows || tile.validCols < tile.cols)
    mark(content, tile.rows, tile.cols,
         [&](int64_t r, int64_t c) { return r < tile.validRows && c < tile.validCols; });
}

static void readBuffer(Content &content, const Core &core, const Window &window) {
  content.shape = {window.rows, window.cols};
  content.elem = window.elem;
  content.bytes.resize(window.bytes());
  window.gather(content.bytes.data());
  const Shadow *shadow = window.memory->shadow.get();
  if (!shadow)
    return;
  Reader reader = {{}, nullptr, core.cluster.epoch, window.memory->clearedByLaunch, false};
  int64_t size = elemBytes(window.elem);
  mark(content, window.rows, window.cols, [&](int64_t r, int64_t c) {
    int64_t begin = window.getOffset(r, c);
    return shadow->isDefined({begin, begin + size}, reader);
  });
}

static void readArray(Content &content, Core &core, const ArrayView &view) {
  content.shape.assign(view.shape.begin(), view.shape.end());
  content.elem = view.array->elem;
  content.space = spaceWord(MemorySpace::DDR);
  // A view may be larger than any memory: nothing of it is shown then.
  constexpr int64_t kMost = int64_t(1) << 28;
  if (!view.strides.empty() && getElementCount(view.shape) > kMost) {
    content.shape.assign(view.shape.size(), 0);
    return;
  }
  content.bytes.resize(view.getBytes());
  view.gather(content.bytes.data());
  Memory &memory = *view.array->memory;
  if (!memory.history)
    return;
  Shadow &shadow = core.cluster.getShadow(memory);
  Reader reader = {{}, nullptr, core.cluster.epoch, false, false};
  int64_t size = elemBytes(content.elem), width = view.getWidth();
  bool apart = view.getColumnDistance() != size;
  auto isDefined = [&](int64_t row, int64_t begin, int64_t count) {
    int64_t at = view.getRowOffset(row) + begin * view.getColumnDistance();
    if (apart && count > 1)
      return false;
    return at >= 0 && at + count * size <= memory.size &&
           shadow.isDefined({at, at + count * size}, reader);
  };
  std::vector<char> rows(view.getRows());
  for (int64_t row = 0; row < view.getRows(); ++row)
    rows[row] = isDefined(row, 0, width);
  if (llvm::is_contained(rows, 0))
    mark(content, view.getRows(), width,
         [&](int64_t r, int64_t c) { return rows[r] || isDefined(r, c, 1); });
}

/// Whether a function has a value now: what stands in front of a region and is not used
/// in it has none there, as it may run on another core.
static bool hasValue(const Activation &activation, Value value) {
  auto found = activation.code->values.find(value);
  if (found == activation.code->values.end())
    return false;
  const Frame &frame = activation.frame;
  Slot slot = found->second;
  switch (slot.kind) {
  case SlotKind::None:
    return false;
  case SlotKind::Scalar:
  case SlotKind::List:
    return true;
  case SlotKind::Tile:
    return frame.tiles[slot.index].memory != nullptr;
  case SlotKind::Buffer:
    return frame.buffers[slot.index].memory != nullptr;
  case SlotKind::Array:
    return frame.arrays[slot.index].array != nullptr;
  }
  return false;
}

SmallVector<StringRef> reference::getVisibleNames(const Core &core, unsigned depth) {
  SmallVector<StringRef> seen, names;
  if (depth >= core.stack.size())
    return names;
  const Activation &activation = *core.stack[core.stack.size() - 1 - depth];
  eachBinding(getStep(core, depth), [&](const Binding &binding) {
    if (llvm::is_contained(seen, binding.name))
      return false;
    seen.push_back(binding.name);
    if (hasValue(activation, binding.value))
      names.push_back(binding.name);
    return false;
  });
  return names;
}

static std::optional<Content> readIn(Core &core, Frame &frame, Binding binding, Slot slot) {
  Content content;
  content.name = binding.name.str();
  if (std::optional<MemorySpace> space = getTileSpace(binding.value.getType()))
    content.space = spaceWord(*space);
  switch (slot.kind) {
  case SlotKind::None:
    return std::nullopt;
  case SlotKind::Scalar:
    content.kind = isa<FloatType>(binding.value.getType()) ? Content::Real : Content::Integer;
    content.scalar = frame.scalars[slot.index];
    return content;
  case SlotKind::List:
    content.kind = Content::List;
    for (Scalar scalar : frame.lists[slot.index])
      content.list.push_back(scalar.i);
    return content;
  case SlotKind::Tile:
    readTile(content, frame.tiles[slot.index]);
    break;
  case SlotKind::Buffer:
    readBuffer(content, core, frame.buffers[slot.index]);
    break;
  case SlotKind::Array:
    readArray(content, core, frame.arrays[slot.index]);
    break;
  }
  content.kind = Content::Elements;
  return content;
}

static std::optional<Content> readValue(Core &core, Activation &activation, Binding binding) {
  if (!hasValue(activation, binding.value))
    return std::nullopt;
  return readIn(core, activation.frame, binding,
                activation.code->values.find(binding.value)->second);
}

std::optional<Content> reference::readSlot(Core &core, Value value, Slot slot) {
  return readIn(core, core.frame(), {nameOf(value), value}, slot);
}

std::optional<Content> reference::read(Core &core, StringRef name, unsigned depth) {
  std::optional<Content> found;
  if (depth >= core.stack.size())
    return found;
  Activation &activation = *core.stack[core.stack.size() - 1 - depth];
  eachBinding(getStep(core, depth), [&](const Binding &binding) {
    if (binding.name == name)
      found = readValue(core, activation, binding);
    return binding.name == name;
  });
  return found;
}

std::vector<Content> reference::readMade(Core &core, Operation *op) {
  std::vector<Content> made;
  if (core.stack.empty())
    return made;
  SmallVector<Binding, 2> bindings;
  if (auto store = dyn_cast<TileStoreOp>(op))
    bindings.push_back({nameOfBuffer(store.getSource()), store.getSource()});
  else if (auto assemble = dyn_cast<TensorAssembleOp>(op))
    bindings.push_back({nameOf(assemble.getSource()), assemble.getSource()});
  else if (!isa<BlockDispatchOp, BlockAtOp, BlockClusterOp, scf::ForOp, scf::IfOp, scf::WhileOp>(
               op))
    bindings = getBindings(op);
  for (const Binding &binding : bindings)
    if (std::optional<Content> content = readValue(core, *core.stack.back(), binding))
      made.push_back(std::move(*content));
  return made;
}
