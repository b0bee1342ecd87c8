//===- ByteMap.h - A state for each byte of a memory ----------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Bytes with one state share an interval; intervals are kept in chunks of some
// KiB, so that a change is local. Chunks that nobody touched do not exist.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_BYTEMAP_H
#define PTO_REFERENCE_BYTEMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace mlir::pto::reference {

/// Bytes [begin, end) of a memory.
struct ByteRange {
  int64_t begin, end;
};

template <typename State> class ByteMap {
public:
  struct Interval : State {
    uint32_t begin, end; // within the chunk
  };
  using Chunk = llvm::SmallVector<Interval, 1>;
  static constexpr int64_t kChunkBytes = 16384;

  ByteMap(int64_t size, State initial)
      : chunks((size + kChunkBytes - 1) / kChunkBytes), size(size), initial(std::move(initial)) {}

  /// What bytes are of which nothing is known.
  const State &getInitial() const { return initial; }
  /// Null where nobody touched anything.
  const Chunk *lookup(int64_t index) const { return chunks[index].get(); }
  Chunk &getChunk(int64_t index) {
    std::unique_ptr<Chunk> &chunk = chunks[index];
    if (!chunk) {
      chunk = std::make_unique<Chunk>();
      auto end = static_cast<uint32_t>(std::min(kChunkBytes, size - index * kChunkBytes));
      chunk->push_back({initial, 0, end});
      touched.push_back(index);
    }
    return *chunk;
  }

  /// The first interval of the chunk that ends after `begin`.
  static size_t find(const Chunk &chunk, uint32_t begin) {
    if (chunk.front().end > begin)
      return 0;
    auto it = std::partition_point(chunk.begin(), chunk.end(),
                                   [&](const Interval &i) { return i.end <= begin; });
    return it - chunk.begin();
  }

  /// Cuts intervals so that [begin, end) is a sequence of whole ones; its first
  /// and last + 1.
  static std::pair<size_t, size_t> isolate(Chunk &chunk, uint32_t begin, uint32_t end) {
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

  /// Calls `function(index, begin, end, base)` for the part of a range in each chunk,
  /// until one answers with a problem.
  template <typename Function> static auto eachChunk(ByteRange range, Function function) {
    decltype(function(int64_t(), uint32_t(), uint32_t(), int64_t())) result{};
    for (int64_t begin = range.begin; begin < range.end && !result;) {
      int64_t index = begin / kChunkBytes, base = index * kChunkBytes;
      int64_t end = std::min(range.end, base + kChunkBytes);
      result = function(index, static_cast<uint32_t>(begin - base),
                        static_cast<uint32_t>(end - base), base);
      begin = end;
    }
    return result;
  }

  /// The first problem that `piece(index, begin, end, base)` finds in the ranges, with
  /// all bytes behind it that have the same one.
  template <typename Function>
  static auto findProblem(llvm::ArrayRef<ByteRange> ranges, Function piece) {
    decltype(piece(int64_t(), uint32_t(), uint32_t(), int64_t())) found{};
    for (ByteRange range : ranges) {
      if (found && range.begin != found.bytes.end)
        break;
      bool ends = eachChunk(range, [&](int64_t index, uint32_t begin, uint32_t end, int64_t base) {
        while (begin < end) {
          auto next = piece(index, begin, end, base);
          if (found && !(next && next.continues(found)))
            return true;
          if (!next)
            return false;
          if (!found)
            found = next;
          found.bytes.end = next.bytes.end;
          begin = static_cast<uint32_t>(next.bytes.end - base);
        }
        return false;
      });
      if (ends)
        break;
    }
    return found;
  }

  /// Calls `function(interval, bytes)` for every interval of every chunk that was
  /// touched, by address.
  template <typename Function> void eachInterval(Function function) {
    llvm::sort(touched);
    for (int64_t index : touched)
      for (const Interval &interval : *chunks[index])
        function(interval, ByteRange{index * kChunkBytes + interval.begin,
                                     index * kChunkBytes + interval.end});
  }

private:
  std::vector<std::unique_ptr<Chunk>> chunks;
  std::vector<int64_t> touched;
  int64_t size;
  State initial;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_BYTEMAP_H
