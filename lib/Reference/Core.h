//===- Core.h - Flat programs and the cores that run them -----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_CORE_H
#define PTO_REFERENCE_CORE_H

#include "Reference/Checks.h"
#include "Reference/Machine.h"
#include "Reference/Observer.h"
#include "Reference/Order.h"
#include "Reference/Program.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::pto::reference {

//===----------------------------------------------------------------------===//
// Values at run time
//===----------------------------------------------------------------------===//

/// An integer or index, or a float (as double, rounded to its type).
union Scalar {
  int64_t i;
  double f;
};

/// A tile value: its bytes row by row, and how many of them are valid.
struct Tile {
  std::shared_ptr<Memory> memory;
  int64_t rows = 0, cols = 0, validRows = 0, validCols = 0;
  Elem elem = Elem::F32;
};

/// A task token is the task's number, from 1; 0 is no task. A small array is a list.
enum class SlotKind : uint8_t { None, Scalar, Tile, Buffer, Array, List };
/// Where a value of the IR lives in a frame.
struct Slot {
  SlotKind kind = SlotKind::None;
  int32_t index = 0;
};

struct Frame {
  std::vector<Scalar> scalars;
  std::vector<Tile> tiles;
  std::vector<Window> buffers;
  std::vector<ArrayView> arrays;
  std::vector<std::vector<Scalar>> lists;
  /// Storage of allocations without addresses, by their order in the function.
  std::vector<std::shared_ptr<Memory>> storage;

  void copy(Slot from, Slot to) { copyFrom(*this, from, to); }
  void copyFrom(const Frame &source, Slot from, Slot to);
  /// Copies the values here, behind what is here; where they are.
  SmallVector<Slot> capture(const Frame &source, ArrayRef<Slot> from);
};

//===----------------------------------------------------------------------===//
// Flat programs
//===----------------------------------------------------------------------===//

class Core;

/// What happens after a step.
enum class Flow : uint8_t { Next, Jump, Wait, Fail, Enter, Return };

struct Step {
  Operation *op;
  std::function<Flow(Core &)> run;
  int32_t target = -1; // of a jump
  /// Where the operation, or a trip of the loop, begins.
  bool begins = true;
  /// Of a loop: decides about a trip; what the loop carries is there.
  bool isTrip = false;
};

/// A function, or the region of a pto.block.at, translated.
struct Code {
  FunctionOpInterface func; // around the region
  FunctionKind kind = FunctionKind::Opaque;
  bool isRegion = false;
  /// Blocks signal one another: there are cross-core flags of mode 0.
  bool joinsBlocks = false;
  /// Pipes are ordered by flags: order and instructions are checked.
  bool isFinal = false;
  std::vector<Step> steps;
  int32_t scalars = 0, tiles = 0, buffers = 0, arrays = 0, lists = 0, storage = 0;
  /// Allocations at addresses, of the AIC and of an AIV.
  int32_t placed[2] = {0, 0};
  /// The scalar unit works on arrays.
  bool usesDataCache = false;
  /// Blocks add to arrays, so that they run one after the other.
  bool adds = false;
  SmallVector<Slot> arguments;
  /// Where each value lives, for those who watch.
  llvm::DenseMap<Value, Slot> values;
  /// What it does with each argument; of a region, with each value that it uses.
  SmallVector<Direction> directions;
  /// Of a region: the argument whose memory each result names; nothing where that
  /// is known only when it has run.
  SmallVector<std::optional<unsigned>> resultOf;

  bool isKernel() const {
    return kind == FunctionKind::InCore || kind == FunctionKind::AIC || kind == FunctionKind::AIV ||
           kind == FunctionKind::Group;
  }
};

/// A function that a core is in.
struct Activation {
  const Code *code;
  size_t pc = 0;
  Frame frame;
  /// Where the caller wants the results.
  SmallVector<Slot> results;

  explicit Activation(const Code &code);
};

//===----------------------------------------------------------------------===//
// Cores and launches
//===----------------------------------------------------------------------===//

class Cluster;
class Launch;
struct Run;
struct Task;

/// An operand of a tile operation.
struct Operand {
  SlotKind kind = SlotKind::None;
  int32_t index = 0;
  Value value;
};

/// What tile operations have in common, resolved by the translator.
struct Instruction {
  Operation *op = nullptr;
  Pipe pipe = Pipe::S;
  bool isFinal = false;
  const TargetInfo *target = nullptr;
  const CheckSet *set = nullptr;
  SmallVector<Operand, 3> sources;
  Operand destination;
  Type destinationType;
  Elem elem = Elem::F32; // of the destination

  /// Whether a rule for single instructions is checked.
  bool checks(Check check) const { return isFinal && set->has(check); }
};

/// Pieces of scratch memory of a core: for the sources of an operation and its result.
inline constexpr unsigned kScratches = 10;

class Core {
public:
  Core(Cluster &cluster, unsigned number, CoreKind kind, CoreMemory &memory);

  /// Tells who watches that it begins; whether the run goes on.
  bool begin() { return !observer || tell(Event::CoreBegins, getOperation()); }
  bool isKernel() const { return stack.front()->code->isKernel(); }
  /// Runs until the core waits for another, ends or fails.
  Flow run();
  LogicalResult enter(const Code &code, const Frame *caller, ArrayRef<Slot> arguments,
                      ArrayRef<Slot> results, Operation *op);
  void leave(ArrayRef<Slot> results);

  Frame &frame() { return *current; }
  Operation *getOperation() const { return stack.back()->code->steps[stack.back()->pc].op; }

  //===--- What tile operations use -----------------------------------------===//

  Window getWindow(const Operand &operand);
  /// The destination of an instruction, `rows` x `cols` of it: the buffer's
  /// window, or a new tile with these valid extents.
  FailureOr<Window> getDestination(const Instruction &instruction, int64_t rows, int64_t cols);
  /// The window at the offsets of an array.
  FailureOr<Window> getArrayWindow(Operation *op, Value name, const ArrayView &view,
                                   ArrayRef<int64_t> offsets, int64_t rows, int64_t cols);
  FailureOr<Window> getRowsWindow(Operation *op, Value name, const ArrayView &view,
                                  ArrayRef<int64_t> offsets, int64_t rows, int64_t cols);
  /// An operation that is no instruction reads and writes arrays: the same. `source`:
  /// what is written, row by row.
  LogicalResult accessArray(Operation *op, Value name, const ArrayView &view,
                            ArrayRef<ByteRange> bytes, bool writes, Value source = {});
  /// Records that the instruction reads and writes the windows, in that order,
  /// and checks that it may. `anyBytes`: undefined bytes may be read.
  LogicalResult access(const Instruction &instruction, ArrayRef<Window> reads,
                       ArrayRef<Window> writes, bool anyBytes = false);
  /// The same of an instruction that adds to what is in `target`, in one step that no
  /// other such one disturbs.
  LogicalResult accessAdding(const Instruction &instruction, const Window &source,
                             const Window &target);
  /// The memory of a space: its own, or that of the other kind of core in its cluster (of
  /// AIV 0, where there are two).
  Memory &getSpace(MemorySpace space);
  /// Writes out the data cache: the line of a byte of the array, or all of it.
  LogicalResult cleanCache(const Instruction &instruction, const Operand &array,
                           std::optional<int64_t> byte);
  /// Nothing that the core wrote is in its data cache only.
  LogicalResult checkCacheAtEnd();

  /// The window's elements row by row: in place, or copied to scratch `index`.
  const void *dense(const Window &window, unsigned index);
  /// Room for the window's elements row by row; `finish` brings them there.
  void *denseTarget(const Window &window, unsigned index);
  void finish(const Window &window, const void *from);
  void *scratch(unsigned index, int64_t bytes);
  /// It has ended: gives its scratch memory back.
  void forget() { scratches = {}; }

  Cluster &cluster;
  Launch &launch;
  const unsigned number; // in the cluster: 0 the AIC, 1 and 2 the AIVs
  const CoreKind kind;
  CoreMemory &memory;
  std::vector<std::unique_ptr<Activation>> stack;
  int64_t subblock = 0;
  bool done = false;
  /// The cross-core flag that it waits for, where it does.
  int64_t signalId = 0;
  /// Told of each step; null: nobody is.
  Observer *const observer;

private:
  LogicalResult addTime(const Instruction &instruction, ArrayRef<Window> reads,
                        ArrayRef<Window> writes);
  /// Tells who watches; whether the run goes on.
  bool tell(Event event, Operation *op);
  /// Tells of a write to a byte that is watched, at `offset` of the array.
  LogicalResult tellWrite(Operation *op, Value source, ArrayRef<int64_t> element);
  LogicalResult tellWrites(Operation *op, ArrayRef<Window> reads, ArrayRef<Window> writes);
  LogicalResult tellWrites(Operation *op, Value source, const Memory &memory,
                           ArrayRef<ByteRange> bytes, Elem elem);
  Flow runStep(const Step &step);
  LogicalResult report(const Instruction &instruction, const Window &window, bool writes,
                       const Problem &problem, const Access &access);
  /// A task in front of this one that writes the bytes and has not run; 0: none.
  uint32_t findPendingWriter(const Memory &memory, ByteRange bytes) const;
  LogicalResult reportPending(const Instruction &instruction, const Window &window, ByteRange bytes,
                              const Access &access, uint32_t writer);
  LogicalResult reportUndefined(Operation *op, Value name, const ArrayView &view, ByteRange bytes,
                                bool thisTask);
  bool isShared(const Window &window) const;
  void explainRace(CheckError &error, unsigned own, unsigned other) const;
  LogicalResult accessFromOutside(Operation *op, Value name, const ArrayView &view,
                                  ArrayRef<ByteRange> bytes, bool writes);
  Reader makeReader(const Access &access, const Clock *clock, bool thisTask, bool cleared) const;
  LogicalResult checkCache(const Instruction &instruction, const Window &window, bool writes);
  void log(Memory &memory, const Access &access, bool writes);
  /// What is known about the memory's bytes; null where nothing is.
  Shadow *getShadow(Memory &memory);
  Frame *current = nullptr;
  /// Waits for another core: its step has been told.
  bool waits = false;
  std::array<std::vector<char>, kScratches> scratches;
  SmallVector<ByteRange, 16> ranges;
};

/// What an operation reads or writes in an access.
Value findOperand(const Access &access, bool writes);

/// Copies the elements of one window into another one of the same extents; FP32 into
/// FP16 or BF16 is rounded on the way, as accumulators are, after `relu`.
void copyElements(Core &core, const Window &src, const Window &dst, bool relu = false);
/// The same of any bytes, defined or not: those of the destination are then undefined too.
void copyAnyBytes(Core &core, const Window &src, const Window &dst, bool transpose = false);
/// A scalar of the program from its bytes in memory.
Scalar loadScalar(Elem elem, const void *from);
/// An element of a view that lies outside the memory that it is made of.
CheckError reportOutside(Operation *op, Value name, const ArrayView &view,
                         ArrayRef<int64_t> element);
/// Whether a function may write the array; `op` is where it does.
LogicalResult checkWritable(Operation *op, Value name, const ArrayView &view);

/// sum[m, n] += lhs[m, k] x rhs[k, n], elements of `elem`; the sum is FP32, or INT32 where they
/// are INT8. Each element adds k in increasing order.
void multiply(Core &core, Elem elem, const void *lhs, const void *rhs, void *sum, int64_t m,
              int64_t k, int64_t n);

/// The element's type in memory of a scalar of the program.
void storeScalar(Elem elem, Scalar scalar, void *to);

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_CORE_H
