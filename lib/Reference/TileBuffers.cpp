//===- TileBuffers.cpp - Tiles: allocations and windows ----------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ControlPlane.h"
#include "Pto/Words.h"
#include "Reference/Translator.h"
#include "Tile/TileOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

/// Whether the kernel shares its cluster with another one.
static bool isMixed(Operation *op) {
  auto func = op->getParentOfType<FunctionOpInterface>();
  if (getFunctionKind(func) == FunctionKind::Group || op->getParentOfType<BlockClusterOp>())
    return true;
  return getClusterKernels(op->getParentOfType<ModuleOp>()).contains(func.getName());
}

/// An allocation fits its space and lies in it as the chip wants.
static LogicalResult checkAlloc(const TargetInfo &target, const CheckSet &checks, TileAllocOp op,
                                std::optional<CoreKind> core) {
  auto type = cast<BufType>(op.getResult().getType());
  MemorySpace space = type.getSpace();
  const SpaceInfo &info = target.getSpace(space);
  std::optional<CoreKind> owner = target.getCore(space);
  if (core && owner && *core != *owner && checks.has(Check::CoreKind))
    return CheckError(Check::CoreKind, op)
           << "allocates in " << spaceWord(space) << ", which a core of kind "
           << stringifyCoreKind(*core).upper() << " does not have";
  bool vector = space == MemorySpace::Vec && type.getLayout() == TileLayout::DN;
  bool rules = checks.has(Check::Allocation);
  // A row on its way to the bias table is contiguous in Mat.
  bool row =
      space == MemorySpace::Mat && type.getLayout() == TileLayout::ND && type.getRootRows() == 1;
  // Fractals on their way to Mat are put together in Vec.
  bool fractals = space == MemorySpace::Vec && type.getLayout() == TileLayout::NZ &&
                  target.hasPath(MemorySpace::Vec, MemorySpace::Mat);
  if (rules && type.getLayout() != info.layout && !vector && !row && !fractals)
    return CheckError(Check::Allocation, op)
           << "a tile in " << spaceWord(space) << " has layout " << stringifyTileLayout(info.layout)
           << ", not " << stringifyTileLayout(type.getLayout());
  int64_t rowBytes = type.getRootCols() * getElementBytes(type.getElementType());
  if (rules && space == MemorySpace::Vec && !vector && type.getRootRows() > 1 && rowBytes % 32)
    return CheckError(Check::Allocation, op)
           << "a tile's rows are a multiple of 32 bytes; " << valueWord(op.getResult())
           << " has rows of " << rowBytes << " bytes";
  int64_t bytes = type.getRootBytes();
  SmallVector<int64_t> addresses(op.getAddrs().value_or(ArrayRef<int64_t>()));
  if (addresses.empty())
    addresses.push_back((type.getSlots() - 1) * bytes);
  for (int64_t address : addresses) {
    if (rules && op.getAddrs() && address % info.alignment)
      return CheckError(Check::Allocation, op)
             << valueWord(op.getResult()) << " begins at byte " << address << "; addresses in "
             << spaceWord(space) << " are multiples of " << info.alignment;
    int64_t capacity = target.getCapacity(space, /*mixed=*/true);
    bool fits = address >= 0 && bytes <= capacity && address <= capacity - bytes;
    if (fits)
      continue;
    // Where the difference matters, as finding out walks the module.
    bool mixed = isMixed(op);
    capacity = target.getCapacity(space, mixed);
    if (address < 0 || bytes > capacity || address > capacity - bytes)
      return CheckError(Check::Bounds, op)
             << valueWord(op.getResult()) << " of " << bytesWord(bytes) << " at byte " << address
             << " does not fit " << spaceWord(space) << ", which holds " << bytesWord(capacity)
             << (mixed ? " in a mixed kernel" : "");
  }
  return success();
}

static LogicalResult addAlloc(Translator &to, TileAllocOp op) {
  auto type = cast<BufType>(op.getResult().getType());
  if (failed(checkAlloc(*to.program.target, to.program.checks, op, to.getCore())))
    return failure();
  Window window;
  window.map = to.program.getMap(type);
  window.rows = type.getRootRows();
  window.cols = type.getRootCols();
  window.elem = *getElem(type.getElementType());
  int32_t dst = to.getSlot(op.getResult()).index;
  MemorySpace space = type.getSpace();
  if (op.getAddrs()) {
    window.slots = *op.getAddrs(); // lives as long as the module
    window.base = window.slots[0];
    ++to.code.placed[space == MemorySpace::Vec];
    if (to.program.checks.has(Check::BufferReuse))
      window.buffer = ++to.program.buffers;
    to.add(op, [=](Core &core) {
      Window &made = core.frame().buffers[dst] = window;
      made.memory = &core.getSpace(space);
      return Flow::Next;
    });
    return success();
  }
  // Without addresses yet it has bytes of its own, new each time.
  auto slots = std::make_shared<SmallVector<int64_t>>();
  for (int64_t slot = 0; slot < type.getSlots(); ++slot)
    slots->push_back(slot * type.getRootBytes());
  int32_t storage = to.code.storage++;
  bool checked = to.program.checks.keepsSpaces();
  int64_t bytes = type.getRootBytes() * type.getSlots();
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    std::shared_ptr<Memory> &memory = frame.storage[storage];
    if (!memory)
      memory = Memory::create(bytes);
    if (checked)
      memory->addShadow(/*written=*/false);
    Window &made = frame.buffers[dst] = window;
    made.memory = memory.get();
    made.slots = *slots;
    return Flow::Next;
  });
  return success();
}

static LogicalResult addSlot(Translator &to, TileSlotOp op) {
  int32_t src = to.getSlot(op.getSource()).index, dst = to.getSlot(op.getResult()).index;
  int32_t index = to.getScalar(op.getIndex());
  Operation *operation = op;
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    Window window = frame.buffers[src];
    int64_t slot = frame.scalars[index].i;
    if (slot < 0 || slot >= static_cast<int64_t>(window.slots.size())) {
      CheckError(Check::Bounds, operation)
          << "picks slot " << slot << " of " << window.slots.size();
      return Flow::Fail;
    }
    window.base = window.slots[slot];
    frame.buffers[dst] = window;
    return Flow::Next;
  });
  return success();
}

/// A window that leaves its tile, in the words of the operation whose valid shape it
/// is: a load if there is one, whatever else works on it otherwise.
static LogicalResult refuseWindow(TileSubviewOp op, unsigned dim, int64_t begin, int64_t size,
                                  int64_t whole) {
  StringRef what = dim == 0 ? " rows" : " columns";
  for (Operation *user : op.getResult().getUsers())
    if (auto load = dyn_cast<TileLoadOp>(user))
      return CheckError(Check::Bounds, load)
             << "valid_shape is " << begin + size << what << ", which is not within 0 to " << whole
             << ", the" << what << " of the tile " << valueWord(op.getSource());
  // Users are kept in the opposite order of their making.
  SmallVector<Operation *> users(op.getResult().getUsers());
  // What pto-bufferize-tiles makes where it cannot know that a tile holds as much.
  if (auto valid = op.getSource().getDefiningOp<TileSubviewOp>(); valid && !users.empty()) {
    CheckError error(Check::ValidRegion, users.back());
    error.about(valid.getSource());
    error << "reads " << begin + size << what << " of " << valueWord(valid.getSource())
          << ", of which only " << whole << " are valid; give both operands the same valid shape";
    return error;
  }
  CheckError error(Check::Bounds, op);
  error.about(op.getSource());
  error << "reaches beyond " << valueWord(op.getSource()) << " in dimension " << dim << ": "
        << begin << " + " << size << " of " << whole;
  if (!users.empty() && !op.getStaticSizes().empty() &&
      ShapedType::isDynamic(op.getStaticSizes()[dim]))
    error.note(users.back()->getLoc(),
               operationWord(users.back()) + " works on these" + what +
                   "; the valid shape of the tile, known only now, says how many");
  return error;
}

static LogicalResult checkSubview(TileSubviewOp op, const Window &window, ArrayRef<int64_t> begin,
                                  ArrayRef<int64_t> size) {
  int64_t whole[] = {window.rows, window.cols};
  int64_t step[] = {window.map->fractal.rows, window.map->fractal.cols};
  for (unsigned dim : {0, 1}) {
    if (begin[dim] < 0 || size[dim] < 0 || begin[dim] > whole[dim] ||
        size[dim] > whole[dim] - begin[dim])
      return refuseWindow(op, dim, begin[dim], size[dim], whole[dim]);
    if (begin[dim] % step[dim]) // such a window is none that the layout can name
      return CheckError(Check::Bounds, op) << "offset " << begin[dim] << " in dimension " << dim
                                           << " is not a multiple of the fractal's " << step[dim];
  }
  return success();
}

static LogicalResult addSubview(Translator &to, TileSubviewOp op) {
  int32_t src = to.getSlot(op.getSource()).index, dst = to.getSlot(op.getResult()).index;
  SmallVector<Index, 2> offsets = to.getIndices(op.getMixedOffsets());
  SmallVector<Index, 2> sizes = to.getIndices(op.getMixedSizes());
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    Window window = frame.buffers[src];
    int64_t begin[] = {offsets[0].get(frame), offsets[1].get(frame)};
    int64_t size[] = {sizes[0].get(frame), sizes[1].get(frame)};
    if (failed(checkSubview(op, window, begin, size)))
      return Flow::Fail;
    window.row += begin[0];
    window.col += begin[1];
    window.rows = size[0];
    window.cols = size[1];
    frame.buffers[dst] = window;
    return Flow::Next;
  });
  return success();
}

std::optional<LogicalResult> Translator::addTileBuffers(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case<TileAllocOp>([&](auto op) { return addAlloc(*this, op); })
      .Case<TileSlotOp>([&](auto op) { return addSlot(*this, op); })
      .Case<TileSubviewOp>([&](auto op) { return addSubview(*this, op); })
      .Default([](Operation *) { return std::nullopt; });
}
