//===- Machine.h - Memories, arrays and windows ---------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// What programs run on: memories of bytes (the spaces of each core, arrays in
// DDR, the storage of tile values), and windows of elements in them.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_MACHINE_H
#define PTO_REFERENCE_MACHINE_H

#include "Pto/Pto.h"
#include "Reference/History.h"
#include "Reference/Kernels.h"
#include "Target/Target.h"

#include <memory>

namespace mlir::pto::reference {

/// The element type of a tile or array; nothing for one that tiles cannot have.
std::optional<Elem> getElem(Type type);

/// Whether two lists of ranges, each by address, have a byte in common.
bool intersects(ArrayRef<ByteRange> left, ArrayRef<ByteRange> right);

/// Rows of bytes at equal distance.
struct ByteWindow {
  int64_t offset = 0, rows = 0, width = 0, distance = 0;

  int64_t getEnd() const { return offset + (rows - 1) * distance + width; }
  bool overlaps(const ByteWindow &other) const;
  bool contains(const ByteWindow &other) const;
};

/// Bytes, and what is known about them. With neither a shadow nor a history every
/// byte is defined and no order is checked: arrays that are only read, tile values
/// (whose valid extents say what is defined).
struct Memory {
  Memory();
  /// No other memory has it, nor had it.
  const uint64_t id;
  char *data = nullptr;
  int64_t size = 0;
  std::unique_ptr<char[]> own;
  std::unique_ptr<Shadow> shadow;
  /// Of an array: what the tasks that are done did with it.
  std::unique_ptr<History> history;
  /// Bytes of an earlier block are undefined (spaces on chip).
  bool clearedByLaunch = false;

  static std::shared_ptr<Memory> create(int64_t size);
  void addShadow(bool written) { shadow = std::make_unique<Shadow>(size, written); }
  void addHistory(bool written) { history = std::make_unique<History>(size, written); }
};

/// An array in DDR.
struct Array {
  std::shared_ptr<Memory> memory;
  Elem elem = Elem::F32;
  bool readOnly = false; // the entry takes it as In
  bool computed = false; // a value, which is copied before a part of it is written
};

/// An array as a function sees it: the whole of one, or a window of it.
struct ArrayView {
  std::shared_ptr<Array> array;
  Direction direction = Direction::In;
  SmallVector<int64_t, 4> shape;
  int64_t offset = 0; // bytes
  int64_t pitch = 0;  // elements between the beginnings of two rows
  /// Elements between neighbours in each dimension, of a view that a kernel makes; empty:
  /// rows follow one another, `pitch` apart.
  SmallVector<int64_t, 4> strides;

  /// The whole of an array of this shape.
  static ArrayView all(std::shared_ptr<Array> array, Direction direction, ArrayRef<int64_t> shape);
  int64_t getCount() const { return ShapedType::getNumElements(shape); }
  int64_t getWidth() const { return shape.empty() ? 1 : shape.back(); }
  int64_t getRows() const { return shape.empty() ? 1 : getWidth() ? getCount() / getWidth() : 0; }
  int64_t getBytes() const { return getCount() * elemBytes(array->elem); }
  /// Whether the elements follow one another.
  bool isDense() const { return strides.empty() && (pitch == getWidth() || getRows() <= 1); }
  char *getPointer() const { return array->memory->data + offset; }
  /// The byte of the array's memory where row `row`, counted through all dimensions
  /// but the last, begins.
  int64_t getRowOffset(int64_t row) const;
  /// Bytes between two elements of a row.
  int64_t getColumnDistance() const {
    return elemBytes(array->elem) * (strides.empty() ? 1 : strides.back());
  }
  /// Whether element bytes from `byte` on lie in the memory.
  bool holds(int64_t byte) const {
    return byte >= 0 && byte <= array->memory->size - elemBytes(array->elem);
  }
  /// The byte where an element lies, of any indices and strides; nothing where it lies
  /// outside the memory.
  std::optional<int64_t> findElement(ArrayRef<int64_t> indices) const;
  /// The byte where an element lies; its indices are within the shape.
  int64_t getElementOffset(ArrayRef<int64_t> indices) const;
  /// The number, row by row, of the element that holds a byte of the memory.
  int64_t getElementAt(int64_t byte) const;
  void getRanges(SmallVectorImpl<ByteRange> &ranges) const;
  ByteWindow getWindow() const;
  /// Copies the elements, row by row, out of the array and into it.
  void gather(char *to) const;
  void scatter(const char *from) const;

private:
  void gatherStrided(char *to) const;
};

/// Where the elements of an allocation lie: getElementOffset, which in every
/// layout is the sum of a part for the row and a part for the column.
struct LayoutMap {
  TileLayout layout;
  int64_t rootRows, rootCols, bytes;
  FractalShape fractal;
  std::vector<int64_t> rowOffset, colOffset;

  LayoutMap(TileLayout layout, MemorySpace space, Type elementType, int64_t rows, int64_t cols);
  int64_t getOffset(int64_t row, int64_t col) const { return rowOffset[row] + colOffset[col]; }
};

/// A window of rows x cols elements of an allocation, at (row, col) of it.
struct Window {
  Memory *memory = nullptr;
  const LayoutMap *map = nullptr; // null: row by row, `pitch` elements a row
  int64_t base = 0;               // byte address of the allocation
  int64_t pitch = 0, colStride = 1;
  int64_t row = 0, col = 0, rows = 0, cols = 0;
  Elem elem = Elem::F32;
  bool thisTask = false;   // an Out array: only what this task wrote is defined
  uint32_t buffer = 0;     // the allocation, where its addresses are checked
  Value name;              // for errors
  ArrayRef<int64_t> slots; // addresses, of an allocation of several
  ArrayRef<int64_t> place; // of a single element: its indices, for errors

  int64_t bytes() const { return rows * cols * elemBytes(elem); }
  int64_t getOffset(int64_t r, int64_t c) const {
    int64_t inside = map ? map->getOffset(row + r, col + c)
                         : ((row + r) * pitch + (col + c) * colStride) * elemBytes(elem);
    return base + inside;
  }
  /// Whether the elements are contiguous and row by row.
  bool isDense() const;
  char *getPointer() const { return memory->data + getOffset(0, 0); }
  /// Whether the elements lie row by row with equal distance.
  bool isRowMajor() const { return map ? map->layout == TileLayout::ND : colStride == 1; }
  int64_t getPitch() const { return map ? map->rootCols : pitch; }

  /// The bytes of the window; bytes of padding at the allocation's edge count in.
  void getRanges(SmallVectorImpl<ByteRange> &ranges) const;
  /// The element that holds byte `address`, for errors.
  std::pair<int64_t, int64_t> getElementAt(int64_t address) const;

  /// Copies the elements out of the window and into it, from and to rows that
  /// are `pitchBytes` apart.
  void gather(void *to, int64_t pitchBytes) const;
  void scatter(const void *from, int64_t pitchBytes) const;
  /// The same with rows that follow one another.
  void gather(void *to) const { gather(to, cols * elemBytes(elem)); }
  void scatter(const void *from) const { scatter(from, cols * elemBytes(elem)); }
};

/// The memories of one core.
class CoreMemory {
public:
  CoreMemory(const TargetInfo &target, bool checked) : target(target), checked(checked) {}
  Memory &get(MemorySpace space);
  const Memory *lookup(MemorySpace space) const {
    return spaces[static_cast<unsigned>(space)].get();
  }

private:
  const TargetInfo &target;
  const bool checked;
  std::shared_ptr<Memory> spaces[7];
};

/// The memories of a cluster, or of one core.
class ClusterMemory {
public:
  ClusterMemory(const TargetInfo &target, bool checked) : target(target), checked(checked) {}
  CoreMemory &get(unsigned core);

private:
  const TargetInfo &target;
  const bool checked; // whether it is known what bytes hold
  std::unique_ptr<CoreMemory> cores[kCores];
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_MACHINE_H
