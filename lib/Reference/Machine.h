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
#include "Reference/Kernels.h"
#include "Reference/Shadow.h"
#include "Target/Target.h"

#include <memory>

namespace mlir::pto::reference {

/// The element type of a tile or array; nothing for one that tiles cannot have.
std::optional<Elem> getElem(Type type);

/// Bytes, and what is known about them. Without a shadow every byte is defined
/// and no order is checked: arrays that are only read, tile values (whose valid
/// extents say what is defined).
struct Memory {
  char *data = nullptr;
  int64_t size = 0;
  std::unique_ptr<char[]> own;
  std::unique_ptr<Shadow> shadow;
  /// Bytes of an earlier launch are undefined (spaces on chip).
  bool clearedByLaunch = false;

  static std::shared_ptr<Memory> create(int64_t size);
  void addShadow(bool written) { shadow = std::make_unique<Shadow>(size, written); }
};

/// An array in DDR.
struct Array {
  std::shared_ptr<Memory> memory;
  SmallVector<int64_t, 4> shape;
  Elem elem = Elem::F32;
  bool readOnly = false; // the entry takes it as In
  std::string name;

  int64_t getCount() const { return ShapedType::getNumElements(shape); }
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
  int64_t pitch = 0;
  int64_t row = 0, col = 0, rows = 0, cols = 0;
  Elem elem = Elem::F32;
  bool thisLaunch = false; // an Out array: only what this launch wrote is defined
  Value name;              // for errors
  ArrayRef<int64_t> slots; // addresses, of an allocation of several

  int64_t bytes() const { return rows * cols * elemBytes(elem); }
  int64_t getOffset(int64_t r, int64_t c) const {
    int64_t inside =
        map ? map->getOffset(row + r, col + c) : ((row + r) * pitch + col + c) * elemBytes(elem);
    return base + inside;
  }
  /// Whether the elements are contiguous and row by row.
  bool isDense() const;
  char *getPointer() const { return memory->data + getOffset(0, 0); }
  /// Whether the elements lie row by row with equal distance.
  bool isRowMajor() const { return !map || map->layout == TileLayout::ND; }
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
  explicit CoreMemory(const TargetInfo &target) : target(target) {}
  Memory &get(MemorySpace space);
  const Memory *lookup(MemorySpace space) const {
    return spaces[static_cast<unsigned>(space)].get();
  }

private:
  const TargetInfo &target;
  std::shared_ptr<Memory> spaces[7];
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_MACHINE_H
