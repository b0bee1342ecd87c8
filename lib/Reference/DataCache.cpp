//===- DataCache.cpp - What scalar units have of DDR in their caches ---------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/DataCache.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::pto::reference;

/// The bytes of a range in a line, a bit each.
static uint64_t getBits(ByteRange bytes, int64_t line) {
  int64_t begin = std::max<int64_t>(bytes.begin - line * DataCaches::kLine, 0);
  int64_t end = std::min<int64_t>(bytes.end - line * DataCaches::kLine, DataCaches::kLine);
  if (begin >= end)
    return 0;
  uint64_t all = end - begin == 64 ? ~uint64_t(0) : (uint64_t(1) << (end - begin)) - 1;
  return all << begin;
}

CacheProblem DataCaches::write(unsigned core, const Memory &memory, ByteRange bytes,
                               Operation *op) {
  int64_t number = bytes.begin / kLine;
  Line &line = memories[&memory][number];
  for (unsigned other = 0; other < kCores; ++other)
    if (other != core && line.setters[other])
      return {CacheProblem::Shared, other, line.setters[other]};
  if (!line.listed)
    lines.push_back({&memory, number, op});
  line.listed = true;
  line.setters[core] = op;
  line.bytes[core] |= getBits(bytes, number);
  return {};
}

CacheProblem DataCaches::read(unsigned core, const Memory &memory, ByteRange bytes) const {
  auto known = memories.find(&memory);
  if (known == memories.end())
    return {};
  int64_t number = bytes.begin / kLine;
  auto it = known->second.find(number);
  if (it == known->second.end())
    return {};
  const Line &line = it->second;
  uint64_t bits = getBits(bytes, number);
  for (unsigned other = 0; other < kCores; ++other)
    if (other != core && (line.bytes[other] & bits))
      return {CacheProblem::Unwritten, other, line.setters[other]};
  bool own = (line.bytes[core] & bits) == bits;
  if ((line.old >> core & 1) && !own)
    return {CacheProblem::Old, core, line.copied};
  return {};
}

CacheProblem DataCaches::copy(const Memory &memory, llvm::ArrayRef<ByteRange> ranges, bool writes,
                              Operation *op) {
  auto it = memories.find(&memory);
  if (!writes && it == memories.end())
    return {};
  Lines &known = memories[&memory];
  for (ByteRange range : ranges)
    for (int64_t number = range.begin / kLine; number * kLine < range.end; ++number) {
      auto found = known.find(number);
      for (unsigned core = 0; found != known.end() && core < kCores; ++core) {
        const Line &line = found->second;
        if (!line.setters[core])
          continue;
        if (line.bytes[core] & getBits(range, number))
          return {CacheProblem::Unwritten, core, line.setters[core]};
        if (writes)
          return {CacheProblem::Shared, core, line.setters[core]};
      }
      if (!writes)
        continue;
      Line &line = known[number];
      line.copied = op;
      line.old = (1u << kCores) - 1;
    }
  return {};
}

void DataCaches::cleanLine(Line &line, unsigned core, const Memory &memory, int64_t number,
                           llvm::SmallVectorImpl<std::pair<const Memory *, ByteRange>> &out) {
  uint64_t bits = line.bytes[core];
  while (bits) {
    int64_t begin = llvm::countr_zero(bits);
    int64_t length = llvm::countr_one(bits >> begin);
    out.push_back({&memory, {number * kLine + begin, number * kLine + begin + length}});
    bits = length == 64 ? 0 : bits & ~(((uint64_t(1) << length) - 1) << begin);
  }
  // What one core wrote out the others may have as it was.
  if (line.setters[core]) {
    line.copied = line.setters[core];
    line.old = (1u << kCores) - 1;
  }
  line.setters[core] = nullptr;
  line.bytes[core] = 0;
  line.old &= ~(1u << core);
}

llvm::SmallVector<std::pair<const Memory *, ByteRange>> DataCaches::clean(unsigned core) {
  llvm::SmallVector<std::pair<const Memory *, ByteRange>> out;
  for (auto &[memory, known] : memories)
    for (auto &[number, line] : known)
      cleanLine(line, core, *memory, number, out);
  llvm::sort(out, [](const auto &a, const auto &b) {
    return std::pair(a.first, a.second.begin) < std::pair(b.first, b.second.begin);
  });
  return out;
}

llvm::SmallVector<std::pair<const Memory *, ByteRange>>
DataCaches::clean(unsigned core, const Memory &memory, int64_t byte) {
  llvm::SmallVector<std::pair<const Memory *, ByteRange>> out;
  auto known = memories.find(&memory);
  if (known == memories.end())
    return out;
  auto line = known->second.find(byte / kLine);
  if (line != known->second.end())
    cleanLine(line->second, core, memory, byte / kLine, out);
  return out;
}

Operation *DataCaches::findUnwritten(unsigned core) const {
  // The first in the program's text, so that the answer does not depend on addresses.
  Operation *first = nullptr;
  for (auto &[memory, known] : memories)
    for (auto &[number, line] : known) {
      Operation *op = line.setters[core];
      if (op && (!first || (op->getBlock() == first->getBlock() && op->isBeforeInBlock(first))))
        first = op;
    }
  return first;
}
