//===- WindowBytes.cpp - The bytes of a window -----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/WindowBytes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pto;

void pto::sortAndMerge(ByteRuns &runs) {
  llvm::sort(runs);
  size_t last = 0;
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].first <= runs[last].second)
      runs[last].second = std::max(runs[last].second, runs[i].second);
    else
      runs[++last] = runs[i];
  }
  if (!runs.empty())
    runs.truncate(last + 1);
}

bool pto::meet(const ByteRuns &a, const ByteRuns &b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].first < b[j].second && b[j].first < a[i].second)
      return true;
    ++(a[i].second <= b[j].second ? i : j);
  }
  return false;
}

ByteRuns pto::intersect(const ByteRuns &a, const ByteRuns &b) {
  ByteRuns result;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    int64_t begin = std::max(a[i].first, b[j].first), end = std::min(a[i].second, b[j].second);
    if (begin < end)
      result.push_back({begin, end});
    ++(a[i].second <= b[j].second ? i : j);
  }
  return result;
}

ByteRuns pto::subtract(const ByteRuns &a, const ByteRuns &b) {
  ByteRuns result;
  size_t j = 0;
  for (auto [begin, end] : a) {
    while (j < b.size() && b[j].second <= begin)
      ++j;
    for (size_t k = j; k < b.size() && b[k].first < end; ++k) {
      if (begin < b[k].first)
        result.push_back({begin, b[k].first});
      begin = std::max(begin, b[k].second);
    }
    if (begin < end)
      result.push_back({begin, end});
  }
  return result;
}

ByteRuns pto::getRuns(BufType type, int64_t row, int64_t rows, int64_t col, int64_t cols) {
  ByteRuns runs;
  int64_t bytes = getElementBytes(type.getElementType());
  FractalShape fractal = getFractalShape(type.getLayout(), type.getSpace(), type.getElementType());
  // Along which dimension, and how far, elements are next to each other.
  bool down = type.getLayout() == TileLayout::DN || type.getLayout() == TileLayout::ZN;
  int64_t run = type.getLayout() == TileLayout::ND   ? type.getRootCols()
                : type.getLayout() == TileLayout::DN ? type.getRootRows()
                : down                               ? fractal.rows
                                                     : fractal.cols;
  int64_t lines = down ? cols : rows, begin = down ? row : col, end = begin + (down ? rows : cols);
  for (int64_t line = 0; line < lines; ++line)
    for (int64_t at = begin; at < end;) {
      int64_t next = std::min(end, (at / run + 1) * run);
      int64_t offset = getElementOffset(type.getLayout(), type.getSpace(), type.getElementType(),
                                        type.getRootRows(), type.getRootCols(),
                                        down ? at : row + line, down ? col + line : at);
      runs.push_back({offset, offset + (next - at) * bytes});
      at = next;
    }
  return runs;
}

TileAllocOp pto::getAllocation(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (!isa<TileSubviewOp, TileSlotOp>(op))
      return dyn_cast<TileAllocOp>(op);
    buffer = op->getOperand(0);
  }
  return {};
}

WindowBytes pto::getWindowBytes(Value buffer) {
  auto type = cast<BufType>(buffer.getType());
  int64_t row = 0, col = 0, slot = 0;
  bool known = !ShapedType::isDynamicShape(type.getShape());
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<TileSubviewOp>(op)) {
      std::optional<int64_t> offsets[] = {getConstantIntValue(view.getMixedOffsets()[0]),
                                          getConstantIntValue(view.getMixedOffsets()[1])};
      known &= offsets[0] && offsets[1];
      row += offsets[0].value_or(0);
      col += offsets[1].value_or(0);
      buffer = view.getSource();
    } else if (auto chosen = dyn_cast<TileSlotOp>(op)) {
      std::optional<int64_t> index = getConstantIntValue(chosen.getIndex());
      known &= index.has_value();
      slot = index.value_or(0);
      buffer = chosen.getSource();
    } else {
      break;
    }
  }
  auto alloc = buffer.getDefiningOp<TileAllocOp>();
  if (!alloc)
    return {};
  std::optional<ArrayRef<int64_t>> addrs = alloc.getAddrs();
  bool inside = row >= 0 && col >= 0 && known && row + type.getRows() <= type.getRootRows() &&
                col + type.getCols() <= type.getRootCols();
  if (!inside || !addrs || slot < 0 || slot >= static_cast<int64_t>(addrs->size()))
    return {alloc, std::nullopt};
  bool whole = type.getRows() == type.getRootRows() && type.getCols() == type.getRootCols();
  ByteRuns runs = whole ? ByteRuns{{0, type.getRootBytes()}}
                        : getRuns(type, row, type.getRows(), col, type.getCols());
  for (auto &[begin, end] : runs) {
    begin += (*addrs)[slot];
    end += (*addrs)[slot];
  }
  sortAndMerge(runs);
  return {alloc, std::move(runs)};
}
