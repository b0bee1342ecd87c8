//===- Core.h - Flat programs and the cores that run them -----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_CORE_H
#define PTO_REFERENCE_CORE_H

#include "Reference/Machine.h"
#include "Reference/Order.h"
#include "Reference/Profile.h"
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

/// An array as a function sees it.
struct ArrayView {
  std::shared_ptr<Array> array;
  Direction direction = Direction::In;
};

enum class SlotKind : uint8_t { None, Scalar, Tile, Buffer, Array };
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
  /// Storage of allocations without addresses, by their order in the function.
  std::vector<std::shared_ptr<Memory>> storage;

  void copy(Slot from, Slot to);
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
};

/// A function, translated.
struct Code {
  FunctionOpInterface func;
  FunctionKind kind = FunctionKind::Opaque;
  /// Pipes are ordered by flags: order and instructions are checked.
  bool isFinal = false;
  std::vector<Step> steps;
  int32_t scalars = 0, tiles = 0, buffers = 0, arrays = 0, storage = 0;
  SmallVector<Slot> arguments;
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

class Launch;

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
  SmallVector<Operand, 3> sources;
  Operand destination;
  Type destinationType;
  Elem elem = Elem::F32; // of the destination
};

class Core {
public:
  Core(Launch &launch, unsigned number, CoreKind kind, CoreMemory &memory)
      : launch(launch), number(number), kind(kind), memory(memory) {}

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
  /// Records that the instruction reads and writes the windows, in that order,
  /// and checks that it may. `anyBytes`: undefined bytes may be read.
  LogicalResult access(const Instruction &instruction, ArrayRef<Window> reads,
                       ArrayRef<Window> writes, bool anyBytes = false);

  /// The window's elements row by row: in place, or copied to scratch `index`.
  const void *dense(const Window &window, unsigned index);
  /// Room for the window's elements row by row; `finish` brings them there.
  void *denseTarget(const Window &window, unsigned index);
  void finish(const Window &window, const void *from);
  void *scratch(unsigned index, int64_t bytes);

  Launch &launch;
  const unsigned number; // in the cluster: 0 the AIC, 1 and 2 the AIVs
  const CoreKind kind;
  CoreMemory &memory;
  std::vector<std::unique_ptr<Activation>> stack;
  int64_t subblock = 0;
  bool done = false;

private:
  LogicalResult addTime(const Instruction &instruction, ArrayRef<Window> reads,
                        ArrayRef<Window> writes);
  LogicalResult report(const Instruction &instruction, const Window &window, bool writes,
                       const Problem &problem);
  Frame *current = nullptr;
  std::array<std::vector<char>, 5> scratches;
  SmallVector<ByteRange, 16> ranges;
};

/// One run of a program.
struct Run {
  ProgramState &program;
  const RunOptions &options;
  int64_t steps = 0, nextCheck = 1;
  Profile *profile = nullptr; // where times go, if they are wanted

  /// Counts a step; an error at `op` when the run must end.
  LogicalResult count(Operation *op) { return ++steps < nextCheck ? success() : check(op); }
  LogicalResult check(Operation *op);
  void print(StringRef text);
};

/// One task: a kernel on one core, or on a cluster; or the orchestration.
class Launch {
public:
  Launch(Run &run, const Code &code, uint32_t epoch);
  /// Runs it to its end; the arguments are those of `caller`'s frame.
  LogicalResult execute(const Frame &caller, ArrayRef<Slot> arguments, ArrayRef<Slot> results,
                        Operation *op);

  Run &run;
  const Code &code;
  const uint32_t epoch;
  Order order;
  std::vector<std::unique_ptr<Core>> cores;
  int64_t blockIdx = 0, blockNum = 1;
  int64_t coresAtOnce = 1; // that run this task's blocks, for a profile

private:
  LogicalResult reportDeadlock();
};

/// What a program keeps between runs.
class ProgramState {
public:
  explicit ProgramState(ModuleOp module) : module(module) {}

  /// The translation of a function; null after an error.
  const Code *getCode(FunctionOpInterface func);
  const LayoutMap *getMap(BufType type);
  CoreMemory &getCore(unsigned number);
  LogicalResult dispatch(Run &run, const Code &code, const Frame &caller, ArrayRef<Slot> arguments,
                         Operation *op);

  ModuleOp module;
  const TargetInfo *target = nullptr;
  uint32_t epoch = 0;
  bool uncheckedOrder = false;
  bool lastWasGroup = false;
  std::string profile; // of the last run, as JSON
  std::vector<std::unique_ptr<CoreMemory>> cores;

private:
  llvm::DenseMap<Operation *, std::unique_ptr<Code>> codes;
  llvm::DenseMap<Type, std::unique_ptr<LayoutMap>> maps;
};

/// The element's type in memory of a scalar of the program.
void storeScalar(Elem elem, Scalar scalar, void *to);

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_CORE_H
