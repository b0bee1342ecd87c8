//===- Shadow.cpp - What is known about each byte of a memory ----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Shadow.h"

#include <algorithm>

using namespace mlir::pto::reference;

Shadow::Shadow(int64_t size, bool written)
    : chunks((size + kChunkBytes - 1) / kChunkBytes), size(size), initiallyWritten(written) {}

Shadow::Chunk &Shadow::getChunk(int64_t index) {
  Chunk &chunk = chunks[index];
  if (chunk.empty()) {
    Interval whole;
    whole.begin = 0;
    whole.end = static_cast<uint32_t>(std::min(kChunkBytes, size - index * kChunkBytes));
    whole.written = initiallyWritten;
    chunk.push_back(whole);
  }
  return chunk;
}

size_t Shadow::find(const Chunk &chunk, uint32_t begin) {
  if (chunk.front().end > begin)
    return 0;
  auto it = std::partition_point(chunk.begin(), chunk.end(),
                                 [&](const Interval &i) { return i.end <= begin; });
  return it - chunk.begin();
}

std::pair<size_t, size_t> Shadow::isolate(Chunk &chunk, uint32_t begin, uint32_t end) {
  size_t first = find(chunk, begin);
  if (chunk[first].begin < begin) {
    Interval left = chunk[first];
    left.end = begin;
    chunk[first].begin = begin;
    chunk.insert(chunk.begin() + first, left);
    ++first;
  }
  size_t last = first;
  while (chunk[last].end < end)
    ++last;
  if (chunk[last].end > end) {
    Interval left = chunk[last];
    left.end = end;
    chunk[last].begin = end;
    chunk.insert(chunk.begin() + last, left);
  }
  return {first, last + 1};
}

template <typename Function> Problem Shadow::eachChunk(ByteRange range, Function function) {
  for (int64_t begin = range.begin; begin < range.end;) {
    int64_t index = begin / kChunkBytes, base = index * kChunkBytes;
    int64_t end = std::min(range.end, base + kChunkBytes);
    if (Problem problem = function(getChunk(index), static_cast<uint32_t>(begin - base),
                                   static_cast<uint32_t>(end - base), base))
      return problem;
    begin = end;
  }
  return {};
}

/// Whether `access` is done when the reader starts.
static bool isDone(const Access &access, const Reader &reader) {
  return (*reader.clock)[access.thread] >= access.index;
}

void Shadow::Interval::addRead(const Reader &reader) {
  // A read that is done before this one is implied by it: who is ordered after
  // this one is ordered after both. So is an earlier one of the same pipe, but
  // for the last: this instruction may itself write what it reads, and then
  // only its own read is excused.
  if (readCount && reads[readCount - 1].thread == reader.access.thread &&
      reads[readCount - 1].index == reader.access.index)
    return;
  uint8_t kept = 0;
  for (uint8_t i = 0; i < readCount; ++i) {
    bool superseded = false;
    for (uint8_t later = i + 1; later < readCount; ++later)
      superseded |=
          reads[later].thread == reads[i].thread && reads[later].index != reader.access.index;
    if (!superseded && !isDone(reads[i], reader))
      reads[kept++] = reads[i];
  }
  if (kept == reads.size())
    --kept;
  reads[kept++] = reader.access;
  readCount = kept;
}

Problem Shadow::read(llvm::ArrayRef<ByteRange> ranges, const Reader &reader) {
  auto readPiece = [&](Chunk &chunk, uint32_t begin, uint32_t end, int64_t base) -> Problem {
    // Without order to check nothing is recorded, and nothing need be cut.
    auto [first, last] = reader.clock ? isolate(chunk, begin, end)
                                      : std::pair<size_t, size_t>(find(chunk, begin), chunk.size());
    for (size_t i = first; i < last && chunk[i].begin < end; ++i) {
      Interval &interval = chunk[i];
      ByteRange bytes = {base + std::max(begin, interval.begin),
                         base + std::min(end, interval.end)};
      if (!reader.anyBytes && !interval.isDefined(reader))
        return {Problem::Undefined, bytes, {}};
      if (!reader.clock)
        continue;
      interval.enter(reader.epoch);
      if (interval.write.index && !isDone(interval.write, reader))
        return {Problem::ReadAfterWrite, bytes, interval.write};
      interval.addRead(reader);
    }
    return {};
  };
  for (ByteRange range : ranges)
    if (Problem problem = eachChunk(range, readPiece))
      return problem;
  return {};
}

Problem Shadow::write(llvm::ArrayRef<ByteRange> ranges, const Reader &reader) {
  auto writePiece = [&](Chunk &chunk, uint32_t begin, uint32_t end, int64_t base) -> Problem {
    auto [first, last] = isolate(chunk, begin, end);
    for (size_t i = first; i < last && reader.clock; ++i) {
      Interval &interval = chunk[i];
      ByteRange bytes = {base + interval.begin, base + interval.end};
      interval.enter(reader.epoch);
      if (interval.write.index && !isDone(interval.write, reader))
        return {Problem::WriteAfterWrite, bytes, interval.write};
      for (uint8_t r = 0; r < interval.readCount; ++r)
        // What an instruction reads itself it may write.
        if (!isDone(interval.reads[r], reader) &&
            (interval.reads[r].thread != reader.access.thread ||
             interval.reads[r].index != reader.access.index))
          return {Problem::WriteAfterRead, bytes, interval.reads[r]};
    }
    if (last - first > 1)
      chunk.erase(chunk.begin() + first + 1, chunk.begin() + last);
    Interval &interval = chunk[first];
    interval.end = end;
    interval.epoch = interval.writeEpoch = reader.epoch;
    interval.written = true;
    interval.readCount = 0;
    interval.write = reader.access;
    return {};
  };
  for (ByteRange range : ranges)
    if (Problem problem = eachChunk(range, writePiece))
      return problem;
  return {};
}

bool Shadow::isDefined(ByteRange range, const Reader &reader) const {
  for (int64_t begin = range.begin; begin < range.end;) {
    int64_t index = begin / kChunkBytes, base = index * kChunkBytes;
    int64_t end = std::min(range.end, base + kChunkBytes);
    const Chunk &chunk = chunks[index];
    if (chunk.empty()) {
      if (!initiallyWritten || reader.thisEpoch)
        return false;
    } else {
      for (size_t i = find(chunk, begin - base); i < chunk.size() && base + chunk[i].begin < end;
           ++i)
        if (!chunk[i].isDefined(reader))
          return false;
    }
    begin = end;
  }
  return true;
}

void Shadow::undefine(ByteRange range) {
  eachChunk(range, [&](Chunk &chunk, uint32_t begin, uint32_t end, int64_t) -> Problem {
    auto [first, last] = isolate(chunk, begin, end);
    for (size_t i = first; i < last; ++i)
      chunk[i].written = false;
    return {};
  });
}
