//===- DataCache.h - What scalar units have of DDR in their caches --*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The scalar unit of a core reads and writes DDR through a data cache of its own, in
// lines; pipes that copy go past it. What it wrote is in DDR when the line is written
// out, and what it reads may be older than what a copy wrote since it last dropped the
// line. The model writes through, and says where the chip would have another content.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_DATACACHE_H
#define PTO_REFERENCE_DATACACHE_H

#include "Reference/Shadow.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <tuple>
#include <vector>

namespace mlir::pto::reference {

struct Memory;

/// What is wrong with an access, because of a cache.
struct CacheProblem {
  enum Kind {
    None,
    Unwritten, // the bytes are in the cache of `core` only
    Shared,    // the line is in the cache of `core`, which will write all of it
    Old        // the cache may hold what was there before
  } kind = None;
  unsigned core = 0;
  Operation *other = nullptr; // that wrote there
  explicit operator bool() const { return kind != None; }
};

class DataCaches {
public:
  static constexpr int64_t kLine = 64;

  /// The scalar unit of the core writes or reads these bytes of one line.
  CacheProblem write(unsigned core, const Memory &memory, ByteRange bytes, Operation *op);
  CacheProblem read(unsigned core, const Memory &memory, ByteRange bytes) const;
  /// A pipe copies.
  CacheProblem copy(const Memory &memory, llvm::ArrayRef<ByteRange> ranges, bool writes,
                    Operation *op);
  /// Writes out and drops the line of a byte, or all lines of the core; the bytes that are
  /// written out now.
  llvm::SmallVector<std::pair<const Memory *, ByteRange>> clean(unsigned core);
  llvm::SmallVector<std::pair<const Memory *, ByteRange>> clean(unsigned core, const Memory &memory,
                                                                int64_t byte);
  /// The lines that scalar units wrote elements of, and who did.
  llvm::ArrayRef<std::tuple<const Memory *, int64_t, Operation *>> getLines() const {
    return lines;
  }
  /// The first write of the core that is in its cache only; null: there is none.
  Operation *findUnwritten(unsigned core) const;

private:
  struct Line {
    Operation *setters[kCores] = {}; // whose bytes a core has not written out
    uint64_t bytes[kCores] = {};     // which ones
    Operation *copied = nullptr;     // the last copy into it
    uint8_t old = 0;                 // cores that may hold what was there before
    bool listed = false;
  };
  using Lines = llvm::DenseMap<int64_t, Line>;
  static void cleanLine(Line &line, unsigned core, const Memory &memory, int64_t number,
                        llvm::SmallVectorImpl<std::pair<const Memory *, ByteRange>> &out);

  llvm::DenseMap<const Memory *, Lines> memories;
  std::vector<std::tuple<const Memory *, int64_t, Operation *>> lines;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_DATACACHE_H
