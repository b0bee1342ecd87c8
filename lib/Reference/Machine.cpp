//===- Machine.cpp - Memories, arrays and windows ----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Machine.h"

#include <atomic>
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
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return Elem::U8;
  case 8:
    return isUnsigned ? Elem::U8 : Elem::I8;
  case 16:
    return isUnsigned ? Elem::U16 : Elem::I16;
  case 32:
    return isUnsigned ? Elem::U32 : Elem::I32;
  case 64:
    return isUnsigned ? Elem::U64 : Elem::I64;
  }
  return std::nullopt;
}

static uint64_t nextMemory() {
  static std::atomic<uint64_t> next{1};
  return next++;
}
Memory::Memory() : id(nextMemory()) {}

std::shared_ptr<Memory> Memory::create(int64_t size) {
  auto memory = std::make_shared<Memory>();
  // At least a byte, so that an empty array has an address.
  memory->own.reset(new char[std::max<int64_t>(size, 1)]);
  memory->data = memory->own.get();
  memory->size = size;
  return memory;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

ArrayView ArrayView::all(std::shared_ptr<Array> array, Direction direction,
                         ArrayRef<int64_t> shape) {
  ArrayView view;
  view.array = std::move(array);
  view.direction = direction;
  view.shape.assign(shape.begin(), shape.end());
  view.pitch = view.getWidth();
  return view;
}

int64_t ArrayView::getRowOffset(int64_t row) const {
  int64_t size = elemBytes(array->elem);
  if (strides.empty())
    return offset + row * pitch * size;
  int64_t at = offset;
  for (size_t dim = shape.size() - 1; dim-- > 0; row /= std::max<int64_t>(shape[dim], 1))
    at += row % std::max<int64_t>(shape[dim], 1) * strides[dim] * size;
  return at;
}

std::optional<int64_t> ArrayView::findElement(ArrayRef<int64_t> indices) const {
  if (strides.empty()) {
    int64_t at = getElementOffset(indices);
    return holds(at) ? std::optional(at) : std::nullopt;
  }
  // Strides are numbers of the program: their products may be beyond every memory.
  __int128 at = offset;
  for (auto [index, stride] : llvm::zip(indices, strides))
    at += __int128(index) * stride * elemBytes(array->elem);
  if (at < 0 || at > array->memory->size - elemBytes(array->elem))
    return std::nullopt;
  return static_cast<int64_t>(at);
}

int64_t ArrayView::getElementOffset(ArrayRef<int64_t> indices) const {
  if (!strides.empty())
    return findElement(indices).value_or(-1);
  int64_t row = 0;
  for (size_t dim = 0; dim + 1 < shape.size(); ++dim)
    row = row * shape[dim] + indices[dim];
  int64_t col = indices.empty() ? 0 : indices.back();
  return getRowOffset(row) + col * elemBytes(array->elem);
}

int64_t ArrayView::getElementAt(int64_t byte) const {
  int64_t element = (byte - offset) / elemBytes(array->elem);
  return isDense() || pitch == 0 ? element : element / pitch * getWidth() + element % pitch;
}

void ArrayView::getRanges(SmallVectorImpl<ByteRange> &ranges) const {
  if (getCount() == 0)
    return;
  if (isDense()) {
    ranges.push_back({offset, offset + getBytes()});
    return;
  }
  int64_t size = elemBytes(array->elem), width = getWidth() * size;
  int64_t distance = getColumnDistance();
  for (int64_t row = 0, rows = getRows(); row < rows; ++row) {
    int64_t begin = getRowOffset(row);
    if (distance == size)
      ranges.push_back({begin, begin + width});
    for (int64_t col = 0; distance != size && col < getWidth(); ++col)
      ranges.push_back({begin + col * distance, begin + col * distance + size});
  }
}

ByteWindow ArrayView::getWindow() const {
  int64_t size = elemBytes(array->elem);
  if (isDense())
    return {offset, getCount() ? 1 : 0, getBytes(), getBytes()};
  return {offset, getRows(), getWidth() * size, pitch * size};
}

/// Whether row `row` of `window` meets one of `other`.
static bool rowMeets(const ByteWindow &window, int64_t row, const ByteWindow &other) {
  int64_t begin = window.offset + row * window.distance, end = begin + window.width;
  if (end <= other.offset || begin >= other.getEnd())
    return false;
  // The last row that begins before the end of this one.
  int64_t last = std::min(other.rows - 1, (end - 1 - other.offset) / other.distance);
  return other.offset + last * other.distance + other.width > begin;
}

bool ByteWindow::overlaps(const ByteWindow &other) const {
  if (rows == 0 || other.rows == 0 || width == 0 || other.width == 0 || getEnd() <= other.offset ||
      other.getEnd() <= offset)
    return false;
  const ByteWindow &few = rows < other.rows ? *this : other,
                   &many = rows < other.rows ? other : *this;
  for (int64_t row = 0; row < few.rows; ++row)
    if (rowMeets(few, row, many))
      return true;
  return false;
}

bool ByteWindow::contains(const ByteWindow &other) const {
  if (other.rows == 0 || rows == 0)
    return other.rows == 0;
  if (offset > other.offset || getEnd() < other.getEnd())
    return false;
  bool solid = rows == 1 || distance == width;
  int64_t shift = (other.offset - offset) % distance;
  bool inRows = other.rows == 1 || other.distance == distance;
  return solid || (inRows && shift + other.width <= width);
}

void ArrayView::gather(char *to) const {
  if (!strides.empty())
    return gatherStrided(to);
  int64_t rows = isDense() ? 1 : getRows(), bytes = getBytes() / std::max<int64_t>(rows, 1);
  for (int64_t row = 0; row < rows; ++row)
    std::memcpy(to + row * bytes, array->memory->data + getRowOffset(row), bytes);
}

/// Element by element; those outside the memory are zeros.
void ArrayView::gatherStrided(char *to) const {
  int64_t size = elemBytes(array->elem), distance = getColumnDistance();
  for (int64_t row = 0, rows = getRows(); row < rows; ++row) {
    int64_t at = getRowOffset(row);
    for (int64_t col = 0; col < getWidth(); ++col, at += distance, to += size)
      if (holds(at))
        std::memcpy(to, array->memory->data + at, size);
      else
        std::memset(to, 0, size);
  }
}

void ArrayView::scatter(const char *from) const {
  int64_t rows = isDense() ? 1 : getRows(), bytes = getBytes() / std::max<int64_t>(rows, 1);
  for (int64_t row = 0; row < rows; ++row)
    std::memcpy(array->memory->data + getRowOffset(row), from + row * bytes, bytes);
}

bool reference::intersects(ArrayRef<ByteRange> left, ArrayRef<ByteRange> right) {
  for (size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    if (left[i].end <= right[j].begin)
      ++i;
    else if (right[j].end <= left[i].begin)
      ++j;
    else
      return true;
  }
  return false;
}

Memory &CoreMemory::get(MemorySpace space) {
  std::shared_ptr<Memory> &memory = spaces[static_cast<unsigned>(space)];
  if (!memory) {
    memory = Memory::create(target.getSpace(space).capacity);
    std::memset(memory->data, 0, memory->size);
    memory->clearedByLaunch = true;
    if (checked)
      memory->addShadow(/*written=*/false);
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
  return map && map->layout == TileLayout::DN && cols == 1;
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

/// A window of an array whose columns are apart: the shorter step is the inner one, so
/// that what is contiguous stays together.
static void addStrided(const Window &window, SmallVectorImpl<ByteRange> &ranges) {
  int64_t size = elemBytes(window.elem);
  bool byColumn = window.pitch < window.colStride;
  int64_t outer = byColumn ? window.cols : window.rows,
          inner = byColumn ? window.rows : window.cols;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      int64_t begin = byColumn ? window.getOffset(i, o) : window.getOffset(o, i);
      addRange(ranges, begin, begin + size);
    }
}

void Window::getRanges(SmallVectorImpl<ByteRange> &ranges) const {
  if (rows == 0 || cols == 0)
    return;
  int64_t size = elemBytes(elem);
  if (map && isFractal(map->layout))
    return addFractals(*this, ranges);
  if (!map && colStride != 1)
    return addStrided(*this, ranges);
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

/// Calls `copy(window bytes, offset, size)` for pieces that are contiguous both in
/// the window and in rows of `pitch` bytes.
template <typename Copy> static void eachPiece(const Window &window, int64_t pitch, Copy copy) {
  char *data = window.memory->data;
  int64_t size = elemBytes(window.elem), width = window.cols * size;
  if (window.isDense() && pitch == width)
    return copy(data + window.getOffset(0, 0), 0, window.bytes());
  if (window.isRowMajor()) {
    char *row = data + window.getOffset(0, 0);
    for (int64_t r = 0; r < window.rows; ++r, row += window.getPitch() * size)
      copy(row, r * pitch, width);
    return;
  }
  if (!window.map) {
    int64_t distance = window.colStride * size;
    for (int64_t r = 0; r < window.rows; ++r) {
      char *element = data + window.getOffset(r, 0);
      for (int64_t c = 0; c < window.cols; ++c, element += distance)
        copy(element, r * pitch + c * size, size);
    }
    return;
  }
  const LayoutMap &map = *window.map;
  const int64_t *cols = map.colOffset.data() + window.col;
  bool runs = isFractal(map.layout) && map.layout != TileLayout::ZN;
  int64_t first = map.fractal.cols - window.col % map.fractal.cols;
  for (int64_t r = 0; r < window.rows; ++r) {
    char *row = data + window.base + map.rowOffset[window.row + r];
    int64_t offset = r * pitch;
    if (!runs) {
      for (int64_t c = 0; c < window.cols; ++c, offset += size)
        copy(row + cols[c], offset, size);
      continue;
    }
    // Elements of a row are contiguous within a fractal.
    for (int64_t c = 0, end = first; c < window.cols; end += map.fractal.cols) {
      int64_t run = std::min(end, window.cols) - c;
      copy(row + cols[c], offset, run * size);
      offset += run * size;
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
  else if (size == 64)
    std::memcpy(to, from, 64);
  else
    std::memcpy(to, from, size);
}

/// Whether the window is whole fractals of 16 x 16 two-byte elements, column by
/// column inside: what Right holds nearly always.
static bool isWholeColumnFractals(const Window &window) {
  return window.map && window.map->layout == TileLayout::ZN && elemBytes(window.elem) == 2 &&
         window.row % 16 == 0 && window.col % 16 == 0 && window.rows % 16 == 0 &&
         window.cols % 16 == 0;
}

/// Calls `copy(fractal, element of the rows)` for each such fractal.
template <typename Copy>
static void eachColumnFractal(const Window &window, int64_t pitch, Copy copy) {
  for (int64_t r = 0; r < window.rows; r += 16)
    for (int64_t c = 0; c < window.cols; c += 16)
      copy(reinterpret_cast<uint16_t *>(window.memory->data + window.getOffset(r, c)),
           r * pitch + c);
}

void Window::gather(void *to, int64_t pitchBytes) const {
  if (isWholeColumnFractals(*this)) {
    int64_t pitch = pitchBytes / 2;
    return eachColumnFractal(*this, pitch, [=](const uint16_t *fractal, int64_t at) {
      uint16_t *rows = static_cast<uint16_t *>(to) + at;
      for (int r = 0; r < 16; ++r)
        for (int c = 0; c < 16; ++c)
          rows[r * pitch + c] = fractal[c * 16 + r];
    });
  }
  eachPiece(*this, pitchBytes, [to](char *inside, int64_t offset, int64_t size) {
    copyBytes(static_cast<char *>(to) + offset, inside, size);
  });
}

void Window::scatter(const void *from, int64_t pitchBytes) const {
  if (isWholeColumnFractals(*this)) {
    int64_t pitch = pitchBytes / 2;
    return eachColumnFractal(*this, pitch, [=](uint16_t *fractal, int64_t at) {
      const uint16_t *rows = static_cast<const uint16_t *>(from) + at;
      for (int c = 0; c < 16; ++c)
        for (int r = 0; r < 16; ++r)
          fractal[c * 16 + r] = rows[r * pitch + c];
    });
  }
  eachPiece(*this, pitchBytes, [from](char *inside, int64_t offset, int64_t size) {
    copyBytes(inside, static_cast<const char *>(from) + offset, size);
  });
}
