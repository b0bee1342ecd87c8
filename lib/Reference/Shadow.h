//===- Shadow.h - What is known about each byte of a memory ---------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A shadow says of each byte of a memory whether it was written, and who wrote
// and read it last, so that a read of undefined bytes and an access that no
// flag orders are found. A core's spaces have one each; of an array in DDR each
// block has one, over what the tasks before left (History.h).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_SHADOW_H
#define PTO_REFERENCE_SHADOW_H

#include "Reference/ByteMap.h"

#include <array>

namespace mlir {
class Operation;
}

namespace mlir::pto::reference {

class History;

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
  uint8_t operand = 0; // which of those that it reads; any for its destination
};

/// The operand of an access that adds to what is there: those disturb nobody of their kind.
inline constexpr uint8_t kAdds = 255;

/// Who asks, and what it knows.
struct Reader {
  Access access;
  const Clock *clock; // null: order is not checked
  uint32_t epoch;     // the block's run
  bool thisEpoch;     // only bytes written in this run are defined
  bool anyBytes;      // undefined bytes may be read (moves)
  uint32_t task = 0;  // of an Out array: only bytes that this task wrote are defined
  /// The allocation that the bytes are a part of; 0: not checked.
  uint32_t buffer = 0;
  /// Whether order is checked with other pipes of its core, and with other cores.
  bool pipes = true, cores = true;
};

/// What is wrong with an access, if anything.
struct Problem {
  enum Kind {
    None,
    Undefined,
    Reused, // another tile's bytes are there now
    ReadAfterWrite,
    WriteAfterRead,
    WriteAfterWrite
  } kind = None;
  ByteRange bytes = {0, 0};
  Access other;
  explicit operator bool() const { return kind != None; }
  /// Whether this is the same one in the bytes behind.
  bool continues(const Problem &before) const {
    return kind == before.kind && bytes.begin == before.bytes.end && other.op == before.other.op &&
           other.index == before.other.index && other.thread == before.other.thread;
  }
};

struct ShadowState {
  uint32_t epoch = 0; // of the accesses below
  uint32_t writeEpoch = 0;
  bool written = false;
  uint8_t readCount = 0;
  // The allocation that was written last, and the one whose bytes that destroyed.
  uint32_t buffer = 0, lost = 0;
  Access write;
  // Reads and additions that no order joins: at most two a pipe, and three pipes read one
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

class Shadow {
public:
  /// `written`: whether all bytes begin defined. `below`: what bytes are that
  /// nobody has written here, if that is known.
  Shadow(int64_t size, bool written, const History *below = nullptr);

  Problem read(llvm::ArrayRef<ByteRange> ranges, const Reader &reader);
  /// Marks the ranges written, by `reader.access`.
  Problem write(llvm::ArrayRef<ByteRange> ranges, const Reader &reader);
  /// Marks that `reader.access` adds to the ranges.
  Problem add(llvm::ArrayRef<ByteRange> ranges, const Reader &reader);
  /// Whether every byte of the range is defined for the reader.
  bool isDefined(ByteRange range, const Reader &reader) const;
  /// The first write of this run to bytes of the range that another core than `core` made;
  /// as a problem of who reads there.
  Problem findWrite(ByteRange range, uint32_t epoch, unsigned core);
  /// Undoes the definedness of a range just written (a move of undefined bytes).
  void undefine(ByteRange range);

  /// Calls `function(interval, bytes)` for what was touched.
  template <typename Function> void eachInterval(Function function) { map.eachInterval(function); }

private:
  using Map = ByteMap<ShadowState>;
  Problem readPiece(Map::Chunk &chunk, uint32_t begin, uint32_t end, int64_t base,
                    const Reader &reader);
  Problem addPiece(Map::Chunk &chunk, uint32_t begin, uint32_t end, int64_t base,
                   const Reader &reader);
  Problem writePiece(Map::Chunk &chunk, uint32_t begin, uint32_t end, int64_t base,
                     const Reader &reader);
  /// Whether the bytes, which nobody has written here, are defined below.
  bool isDefinedBelow(ByteRange bytes, const Reader &reader) const;

  Map map;
  const History *below;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_SHADOW_H
