//===- Machine.cpp - Memories, arrays and windows ----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Machine.h"

#include <cstring>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

std::optional<Elem> reference::getElem(Type type) {
  if (type.isF16())
    return Elem::F16;
  if (type.isBF16())
    return Elem::BF16;
  if (type.isF32())
    return Elem::F32;
  if (type.isSignlessInteger(32))
    return Elem::I32;
  return std::nullopt;
}

std::shared_ptr<Memory> Memory::create(int64_t size) {
  auto memory = std::make_shared<Memory>();
  // At least a byte, so that an empty array has an address.
  memory->own.reset(new char[std::max<int64_t>(size, 1)]);
  memory->data = memory->own.get();
  memory->size = size;
  return memory;
}

Memory &CoreMemory::get(MemorySpace space) {
  std::shared_ptr<Memory> &memory = spaces[static_cast<unsigned>(space)];
  if (!memory) {
    memory = Memory::create(target.getSpace(space).capacity);
    std::memset(memory->data, 0, memory->size);
    memory->addShadow(/*written=*/false);
    memory->clearedByLaunch = true;
  }
  return *memory;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

LayoutMap::LayoutMap(TileLayout layout, MemorySpace space, Type elementType, int64_t rows,
                     int64_t cols)
    : layout(layout), rootRows(rows), rootCols(cols), bytes(getElementBytes(elementType)),
      fractal(getFractalShape(layout, space, elementType)) {
  for (int64_t row = 0; row < rows; ++row)
    rowOffset.push_back(getElementOffset(layout, space, elementType, rows, cols, row, 0));
  for (int64_t col = 0; col < cols; ++col)
    colOffset.push_back(getElementOffset(layout, space, elementType, rows, cols, 0, col));
  // An empty window may begin at the very end.
  rowOffset.push_back(0);
  colOffset.push_back(0);
}

bool Window::isDense() const {
  if (isRowMajor())
    return rows == 1 || cols == getPitch();
  return map->layout == TileLayout::DN && cols == 1;
}

static void addRange(SmallVectorImpl<ByteRange> &ranges, int64_t begin, int64_t end) {
  if (!ranges.empty() && ranges.back().end == begin)
    ranges.back().end = end;
  else
    ranges.push_back({begin, end});
}

/// One fractal of a window: rows [r0, r1), columns [c0, c1) of it.
static void addFractal(const LayoutMap &map, int64_t begin, int64_t r0, int64_t r1, int64_t c0,
                       int64_t c1, SmallVectorImpl<ByteRange> &ranges) {
  auto [rows, cols] = map.fractal;
  if (r0 == 0 && r1 == rows && c0 == 0 && c1 == cols)
    return addRange(ranges, begin, begin + rows * cols * map.bytes);
  if (map.layout == TileLayout::ZN)
    for (int64_t c = c0; c < c1; ++c)
      addRange(ranges, begin + (c * rows + r0) * map.bytes, begin + (c * rows + r1) * map.bytes);
  else
    for (int64_t r = r0; r < r1; ++r)
      addRange(ranges, begin + (r * cols + c0) * map.bytes, begin + (r * cols + c1) * map.bytes);
}

static void addFractals(const Window &window, SmallVectorImpl<ByteRange> &ranges) {
  const LayoutMap &map = *window.map;
  auto [rows, cols] = map.fractal;
  // At the allocation's edge the padding belongs to the window.
  auto edge = [](int64_t end, int64_t root, int64_t step) {
    return end == root ? static_cast<int64_t>(llvm::alignTo(root, step)) : end;
  };
  int64_t rowEnd = edge(window.row + window.rows, map.rootRows, rows);
  int64_t colEnd = edge(window.col + window.cols, map.rootCols, cols);
  auto add = [&](int64_t fr, int64_t fc) {
    int64_t r = fr * rows, c = fc * cols;
    int64_t begin = window.base + map.getOffset(r, c);
    addFractal(map, begin, std::max(window.row - r, int64_t(0)), std::min(rowEnd - r, rows),
               std::max(window.col - c, int64_t(0)), std::min(colEnd - c, cols), ranges);
  };
  int64_t frBegin = window.row / rows, frEnd = llvm::divideCeil(rowEnd, rows);
  int64_t fcBegin = window.col / cols, fcEnd = llvm::divideCeil(colEnd, cols);
  if (map.layout == TileLayout::NZ)
    for (int64_t fc = fcBegin; fc < fcEnd; ++fc)
      for (int64_t fr = frBegin; fr < frEnd; ++fr)
        add(fr, fc);
  else
    for (int64_t fr = frBegin; fr < frEnd; ++fr)
      for (int64_t fc = fcBegin; fc < fcEnd; ++fc)
        add(fr, fc);
}

void Window::getRanges(SmallVectorImpl<ByteRange> &ranges) const {
  if (rows == 0 || cols == 0)
    return;
  int64_t size = elemBytes(elem);
  if (map && isFractal(map->layout))
    return addFractals(*this, ranges);
  bool byColumn = map && map->layout == TileLayout::DN;
  int64_t lines = byColumn ? cols : rows, length = byColumn ? rows : cols;
  int64_t distance = (byColumn ? map->rootRows : getPitch()) * size;
  int64_t begin = getOffset(0, 0);
  if (length * size == distance)
    return addRange(ranges, begin, begin + lines * distance);
  for (int64_t line = 0; line < lines; ++line, begin += distance)
    addRange(ranges, begin, begin + length * size);
}

std::pair<int64_t, int64_t> Window::getElementAt(int64_t address) const {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      int64_t begin = getOffset(r, c);
      if (address >= begin && address < begin + elemBytes(elem))
        return {r, c};
    }
  return {0, 0};
}

/// Calls `copy(window bytes, dense bytes, size)` for pieces that are contiguous
/// in both.
template <typename Copy> static void eachPiece(const Window &window, Copy copy) {
  char *data = window.memory->data;
  int64_t size = elemBytes(window.elem), dense = 0;
  if (window.isDense())
    return copy(data + window.getOffset(0, 0), 0, window.bytes());
  if (window.isRowMajor()) {
    char *row = data + window.getOffset(0, 0);
    for (int64_t r = 0; r < window.rows; ++r, row += window.getPitch() * size) {
      copy(row, dense, window.cols * size);
      dense += window.cols * size;
    }
    return;
  }
  const LayoutMap &map = *window.map;
  const int64_t *cols = map.colOffset.data() + window.col;
  bool runs = isFractal(map.layout) && map.layout != TileLayout::ZN;
  for (int64_t r = 0; r < window.rows; ++r) {
    char *row = data + window.base + map.rowOffset[window.row + r];
    if (!runs) {
      for (int64_t c = 0; c < window.cols; ++c, dense += size)
        copy(row + cols[c], dense, size);
      continue;
    }
    // Elements of a row are contiguous within a fractal.
    for (int64_t c = 0; c < window.cols;) {
      int64_t run = std::min(map.fractal.cols - (window.col + c) % map.fractal.cols,
                             window.cols - c);
      copy(row + cols[c], dense, run * size);
      dense += run * size;
      c += run;
    }
  }
}

/// memcpy with the sizes that occur in bulk known to the compiler.
static inline void copyBytes(void *to, const void *from, int64_t size) {
  if (size == 2)
    std::memcpy(to, from, 2);
  else if (size == 4)
    std::memcpy(to, from, 4);
  else if (size == 32)
    std::memcpy(to, from, 32);
  else
    std::memcpy(to, from, size);
}

void Window::gather(void *to) const {
  eachPiece(*this, [to](char *inside, int64_t dense, int64_t size) {
    copyBytes(static_cast<char *>(to) + dense, inside, size);
  });
}

void Window::scatter(const void *from) const {
  eachPiece(*this, [from](char *inside, int64_t dense, int64_t size) {
    copyBytes(inside, static_cast<const char *>(from) + dense, size);
  });
}
