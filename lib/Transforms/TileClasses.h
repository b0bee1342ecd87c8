//===- TileClasses.h - Which tile values share a buffer ----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A loop that carries a tile, a branch that gives one and a product that adds to
// one hand a value on without an instruction: their values must lie in one
// buffer. A class of values may share a buffer exactly if no instruction makes
// one of them while another, made before, is still needed: then the last one
// made is always the one that is read. Each hand-over is a `Transfer`.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_TILECLASSES_H
#define PTO_TRANSFORMS_TILECLASSES_H

#include "Pto/Pto.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::pto {

/// `from`, an operand of `at`, becomes `to` without an instruction.
struct Transfer {
  Operation *at;      // the loop, the yield or the product
  unsigned operand;   // of `at`
  unsigned from, to;  // numbers of tiles
  bool fixed = false; // what an operation changes in place
};

/// Where one tile is written over while another is still needed.
struct Clash {
  unsigned made = 0;        // a tile, or the tile whose next value is copied
  unsigned needed = 0;      // the tile that would be lost
  Operation *at = nullptr;  // what makes it: an instruction or a transfer
  OpOperand *use = nullptr; // the later use of what is needed
};

/// A tile: a value together with the names that set_validshape gives it.
struct Tile {
  Value value;
  SmallVector<OpOperand *, 2> uses; // in program order, hand-overs included
  int64_t begin = 0, end = 0;       // program points that enclose its life
};

/// The tiles of a function and the classes that they form.
class TileClasses {
public:
  explicit TileClasses(func::FuncOp func);

  ArrayRef<Tile> getTiles() const { return tiles; }
  /// Hand-overs in program order, those that allow no copy first.
  ArrayRef<Transfer> getTransfers() const { return transfers; }
  unsigned getNumber(Value value) const { return numbers.lookup(value); }
  bool isTile(Value value) const { return numbers.count(value); }
  unsigned getClass(unsigned tile) const { return leaders[tile]; }
  ArrayRef<unsigned> getMembers(unsigned leader) const { return classes[leader].tiles; }

  /// Why the two tiles of a hand-over cannot share a buffer, if they cannot.
  /// Copies that other hand-overs into the two classes may need are minded.
  std::optional<Clash> findClash(unsigned transfer) const;
  /// Whether something in the class of `tile` is made while `tile` is needed.
  std::optional<Clash> findLoss(unsigned tile) const;
  /// No copy will come any more: only what instructions make counts.
  void forbidCopies() {
    for (Class &each : classes)
      each.pending.clear();
  }
  /// Lets them share one.
  void join(unsigned transfer);
  /// Replaces what is handed over by the result of `op`, which stands right
  /// before it: a copy, or the value computed again.
  void insert(unsigned transfer, Operation *op);
  /// Takes it out again: `source` is handed over as before.
  void remove(unsigned transfer, Value source);
  /// Whether `a` stands before `b` in the text of the program.
  bool isBefore(Operation *a, Operation *b) const { return getPoint(a) < getPoint(b); }

  /// Whether the tile is read at or after `op`, once control reaches it; `op`
  /// itself counts if `before`, but for `except`. Gives the use.
  OpOperand *findUseAfter(unsigned tile, Operation *op, bool before,
                          const OpOperand *except = nullptr) const;

private:
  struct Class {
    SmallVector<unsigned, 2> tiles;
    SmallVector<unsigned, 2> pending; // hand-overs into it that are open
  };
  unsigned add(Value value);
  void addTransfers(Operation *op);
  void number(func::FuncOp func);
  void extendLife(Tile &tile, OpOperand *use);
  std::optional<Clash> findOverwrite(const Class &made, const Class &needed,
                                     unsigned transfer) const;
  int64_t getPoint(Operation *op) const { return points.lookup(op); }

  std::vector<Tile> tiles;
  std::vector<Transfer> transfers;
  std::vector<unsigned> leaders;
  std::vector<Class> classes;
  DenseMap<Value, unsigned> numbers;
  DenseMap<Operation *, int64_t> points; // program order
  DenseMap<Operation *, int64_t> ends;   // of an operation with regions: its last point
};

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_TILECLASSES_H
