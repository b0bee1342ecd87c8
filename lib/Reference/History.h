//===- History.h - What tasks did with an array ---------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Of each byte of an array in DDR: whether it was written, by which task and
// block, and which tasks have read it since. When a block has ended, what it
// touched (its Shadow) is brought here, and what no path of edges orders is a
// conflict, whatever the order was in which the tasks ran.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_HISTORY_H
#define PTO_REFERENCE_HISTORY_H

#include "Reference/ByteMap.h"
#include "Reference/Shadow.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::pto::reference {

/// Who touched a byte.
struct Touch {
  Operation *op = nullptr;
  uint32_t task = 0, block = 0;
  uint8_t thread = 0;
  uint8_t cores = 1; // of its block
  bool adds = false; // to what is there, which disturbs nobody who adds too
};

/// Two touches of a byte that nothing orders; the later one in `now`.
struct Conflict {
  ByteRange bytes = {0, 0};
  Touch before, now;
  bool beforeWrites = false, nowWrites = false;
  explicit operator bool() const { return now.op != nullptr; }
  /// Whether this is the same one in the bytes behind.
  bool continues(const Conflict &other) const {
    return bytes.begin == other.bytes.end && before.op == other.before.op &&
           before.task == other.before.task && before.block == other.before.block &&
           now.op == other.now.op && beforeWrites == other.beforeWrites &&
           nowWrites == other.nowWrites;
  }
};

/// What is checked when a block's accesses are brought to a history.
struct MergeRules {
  uint32_t task, block;
  uint32_t epoch; // of the block's accesses in its shadow
  uint8_t cores;  // of the block
  bool blocks;    // blocks of this task are not ordered
  /// Whether a path of edges leads from the task to this one; null: not checked.
  llvm::function_ref<bool(uint32_t)> isBefore;
};

struct HistoryState {
  bool written = false;
  Touch write; // task 0: nobody in this run
  // Since then (additions too), one for each task that no edge orders, and two of a task
  // whose blocks are not ordered.
  llvm::SmallVector<Touch, 1> reads;
};

class History {
public:
  History(int64_t size, bool written) : map(size, makeInitial(written)) {}

  /// Whether all bytes were written: by task `task`, or by anybody if that is 0.
  bool isDefined(ByteRange bytes, uint32_t task) const;
  /// Brings what a block touched here; the first conflict, if there is one.
  Conflict merge(Shadow &shadow, const MergeRules &rules);
  /// A write by another block of the same task to bytes of the range, which `reader` reads.
  Conflict findWrite(ByteRange bytes, const Touch &reader);
  /// A single access, of a task or (task 0) of the control plane.
  Conflict touch(ByteRange bytes, const Touch &touch, bool writes, const MergeRules &rules);

private:
  static HistoryState makeInitial(bool written) {
    HistoryState state;
    state.written = written;
    return state;
  }
  ByteMap<HistoryState> map;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_HISTORY_H
