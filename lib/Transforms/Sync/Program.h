//===- Program.h - What the instructions of a kernel touch --------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// pto-insert-sync sees a kernel as a tree of instructions, loops and branches.
// Each instruction has a pipe and accesses: windows of an allocation or of an
// array in DDR, as exact as offsets are known.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_SYNC_PROGRAM_H
#define PTO_TRANSFORMS_SYNC_PROGRAM_H

#include "Pto/PtoInterfaces.h"
#include "Transforms/WindowBytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <memory>

namespace mlir::pto::sync {

inline constexpr unsigned kPipes = 7; // S ... FIX, in the order of the enum

/// An index as a sum: a constant and multiples of values.
struct Linear {
  int64_t constant = 0;
  SmallVector<std::pair<Value, int64_t>, 2> terms;

  void add(const Linear &other, int64_t factor);
};

/// One dimension of a window: `extent` places from `offset`.
struct Interval {
  Linear offset;
  int64_t extent;
};

/// An allocation or an array in DDR.
struct Root {
  Value value;
  std::optional<MemorySpace> space{}; // nothing: DDR
  SmallVector<int64_t> addrs{};       // bytes; one a slot
  int64_t slotBytes = 0;
  bool slotsMeet = false; // the author gave two slots some bytes in common
  /// Every root that shares bytes with this one, itself among them.
  SmallVector<unsigned> overlapping{};
};

/// What an instruction reads or writes.
struct Access {
  bool write;
  unsigned root;
  /// On chip: slot, rows, columns. In DDR: the array's dimensions, or none: anywhere.
  SmallVector<Interval, 3> dims;
  /// On chip: the bytes of the window when its place is static, else of all
  /// that it may be. Sorted and apart from each other.
  ByteRuns bytes;
};

struct Block;
struct Item;

/// What is known of a loop.
struct Loop {
  std::optional<int64_t> lower, step, trips;
  bool runs = false; // at least once, as a loop around it has the same bounds
};

/// An instruction, or a loop or branch that holds some.
struct Item {
  /// For: also a while loop whose condition has no instruction. While (any) and Barrier (one
  /// of the author's) only where flags are the author's.
  enum Kind { Instruction, For, If, While, Barrier } kind;
  Operation *op;
  Block *parent;
  unsigned index;    // in its block
  unsigned position; // in the function, counting items in order; `end` is behind the last inside
  unsigned end;
  unsigned pipes = 0;           // a bit for each pipe used in it
  SmallVector<Item *, 2> loops; // around it, outermost first
  // Of an instruction or barrier.
  Pipe pipe = Pipe::S;
  SmallVector<Access, 3> accesses;
  unsigned entry = 0;
  /// Whether it tells other cores that the arrays are written (and, to all cores of a
  /// kind, that they are read): it has an access to each array, without a window.
  bool signal = false;
  // Of a loop or branch.
  Loop loop{};
  SmallVector<std::unique_ptr<Block>, 2> blocks;
  // What the plan put around it (numbers of syncs), in this order.
  SmallVector<unsigned, 0> primes, before, drains, after;

  bool holds(const Item *other) const {
    return position <= other->position && other->position < end;
  }
};

struct Block {
  Item *owner; // null: the function
  std::vector<Item *> items;
};

/// What a core runs: a kernel, or a section of a mixed one.
class Program {
public:
  /// Who sets the flags. Those of the author's leave the order within V and within M,
  /// and only what concerns that is read.
  enum Flags { Ours, Authors };

  /// Reads what stands in the operation; an error (at the operation) when it has
  /// something that nothing here can order.
  LogicalResult read(Operation *owner, Flags flags = Ours);

  Block body{nullptr, {}};
  std::vector<Root> roots;
  std::deque<Item> items; // every item, in program order

  /// How many loops two items have in common.
  static unsigned countCommonLoops(const Item *a, const Item *b);

  /// Whether an instance of `b` touches bytes of an earlier instance of `a`,
  /// one of them writing. `carried` is the number of the outermost common loop
  /// in which their iterations differ; the number of common loops if none does.
  /// Returns the two accesses.
  std::optional<std::pair<const Access *, const Access *>> getConflict(const Item *a, const Item *b,
                                                                       unsigned carried) const;

private:
  LogicalResult readBlock(mlir::Block &from, Block &to);
  LogicalResult readRegions(Operation *op, Item::Kind kind, Block &to);
  LogicalResult readAuthorsOperation(Operation *op, Block &to);
  LogicalResult refuseAuthorsOrder(Operation *op);
  LogicalResult readOperation(Operation *op, Block &to);
  LogicalResult readLoop(scf::ForOp op, Item &item);
  LogicalResult readInstruction(InstructionInterface op, Item &item);
  LogicalResult readAccess(Operation *op, Value value, bool write, Item &item);
  FailureOr<unsigned> getAllocation(Operation *user, Value value);
  FailureOr<Access> getWindow(Operation *user, Value buffer);
  FailureOr<Access> getArrayWindow(Operation *user, Value array);
  void setBytes(Access &access, BufType type) const;
  void findOverlaps();
  void readSignals();
  Item &addItem(Item::Kind kind, Operation *op, Block &to);
  Linear linearize(Value value);
  Linear linearize(OpFoldResult value);

  /// The loop whose counter the value is.
  Item *getLoopOf(Value value) const;
  /// How many loops the definition of the value stands in, the one whose
  /// counter it is among them.
  unsigned getDepth(Value value) const;
  bool mayOverlap(const Interval &a, const Interval &b, const Item *itemA, const Item *itemB,
                  unsigned carried) const;
  bool mayOverlap(const Access &a, const Access &b, const Item *itemA, const Item *itemB,
                  unsigned carried) const;

  Flags flags = Ours;
  llvm::DenseMap<Value, unsigned> rootNumbers;
  llvm::DenseMap<Value, Access> windows;
  llvm::DenseMap<Value, Linear> linears;
  llvm::DenseMap<Operation *, Item *> forItems;
  SmallVector<Item *, 4> openLoops; // while reading
};

} // namespace mlir::pto::sync

#endif // PTO_TRANSFORMS_SYNC_PROGRAM_H
