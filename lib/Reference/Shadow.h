//===- Shadow.h - What is known about each byte of a memory ---------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A shadow says of each byte of a memory whether it was written, and who wrote
// and read it last, so that a read of undefined bytes and an access that no
// flag orders are found. Bytes with one history share an interval; intervals
// are kept in chunks of a few KiB, so that a change is local.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_SHADOW_H
#define PTO_REFERENCE_SHADOW_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <vector>

namespace mlir {
class Operation;
}

namespace mlir::pto::reference {

/// Pipes of a core, and of the three cores of a cluster.
inline constexpr unsigned kPipes = 7;
inline constexpr unsigned kCores = 3;
inline constexpr unsigned kThreads = kPipes * kCores;

/// How many instructions of each pipe are known to be done.
using Clock = std::array<uint32_t, kThreads>;

/// One instruction: the `index`-th of its pipe, from 1.
struct Access {
  Operation *op = nullptr;
  uint32_t index = 0;
  uint8_t thread = 0;
};

/// Bytes [begin, end) of a memory.
struct ByteRange {
  int64_t begin, end;
};

/// Who asks, and what it knows.
struct Reader {
  Access access;
  const Clock *clock; // null: order is not checked
  uint32_t epoch;     // the kernel launch
  bool thisEpoch;     // only bytes written in this launch are defined
  bool anyBytes;      // undefined bytes may be read (moves)
};

/// What is wrong with an access, if anything.
struct Problem {
  enum Kind { None, Undefined, ReadAfterWrite, WriteAfterRead, WriteAfterWrite } kind = None;
  ByteRange bytes = {0, 0};
  Access other;
  explicit operator bool() const { return kind != None; }
};

class Shadow {
public:
  /// `written`: whether all bytes begin defined.
  Shadow(int64_t size, bool written);

  Problem read(llvm::ArrayRef<ByteRange> ranges, const Reader &reader);
  /// Marks the ranges written, by `reader.access`.
  Problem write(llvm::ArrayRef<ByteRange> ranges, const Reader &reader);
  /// Whether every byte of the range is defined for the reader.
  bool isDefined(ByteRange range, const Reader &reader) const;
  /// Undoes the definedness of a range just written (a move of undefined bytes).
  void undefine(ByteRange range);

private:
  struct Interval {
    uint32_t begin, end; // within the chunk
    uint32_t epoch = 0;  // of the accesses below
    uint32_t writeEpoch = 0;
    bool written;
    uint8_t readCount = 0;
    Access write;
    // Reads that no order joins: at most two a pipe, and three pipes read one
    // space (DDR: one pipe of each of three cores).
    std::array<Access, 6> reads;

    bool isDefined(const Reader &reader) const {
      return written && (!reader.thisEpoch || writeEpoch == reader.epoch);
    }
    void enter(uint32_t now) {
      if (epoch == now)
        return;
      epoch = now;
      readCount = 0;
      write = {};
    }
    void addRead(const Reader &reader);
  };
  using Chunk = llvm::SmallVector<Interval, 1>;
  static constexpr int64_t kChunkBytes = 4096;

  Chunk &getChunk(int64_t index);
  /// The first interval of the chunk that ends after `begin`.
  static size_t find(const Chunk &chunk, uint32_t begin);
  /// Cuts intervals so that [begin, end) is a sequence of whole ones; its first
  /// and last + 1.
  static std::pair<size_t, size_t> isolate(Chunk &chunk, uint32_t begin, uint32_t end);
  /// Calls `function(chunk, begin, end, base)` for each piece of a range.
  template <typename Function> Problem eachChunk(ByteRange range, Function function);

  std::vector<Chunk> chunks;
  int64_t size;
  bool initiallyWritten;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_SHADOW_H
