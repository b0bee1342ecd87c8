//===- Translator.h - From a function to a flat program -------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// One function a family; each turns an operation into steps whose operands,
// types and loops over elements are resolved.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_TRANSLATOR_H
#define PTO_REFERENCE_TRANSLATOR_H

#include "Pto/PtoInterfaces.h"
#include "Reference/State.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::pto::reference {

struct ComputeEntry;

/// An index that is a constant or a value.
struct Index {
  int64_t constant = 0;
  int32_t scalar = -1;
  int64_t get(const Frame &frame) const { return scalar < 0 ? constant : frame.scalars[scalar].i; }
};

class Translator {
public:
  Translator(ProgramState &program, Code &code) : program(program), code(code) {}
  LogicalResult translate();
  /// Of the region of a pto.block.at, whose arguments are the values `used`.
  LogicalResult translateRegion(Operation *at, ArrayRef<Value> used);

  //===--- Values and steps --------------------------------------------------===//

  /// Where a value lives; a new place the first time.
  Slot getSlot(Value value);
  int32_t getScalar(Value value) { return getSlot(value).index; }
  Operand getOperand(Value value);
  SmallVector<Slot> getSlots(ValueRange values);
  Index getIndex(OpFoldResult value);
  SmallVector<Index, 2> getIndices(ArrayRef<OpFoldResult> values);
  /// Adds a step; its number.
  int32_t add(Operation *op, std::function<Flow(Core &)> run);
  int32_t getNext() const { return code.steps.size(); }
  void setTarget(int32_t step, int32_t target) { code.steps[step].target = target; }
  /// `to` get the values of `from`, all at once.
  void addCopies(Operation *op, ArrayRef<Slot> from, ArrayRef<Slot> to);
  LogicalResult addBlock(Block &block);
  LogicalResult addOperation(Operation *op);

  /// Calls `result(core)` as a step that computes one scalar.
  template <typename Function> LogicalResult addScalar(Operation *op, Function function) {
    int32_t dst = getScalar(op->getResult(0));
    add(op, [dst, function](Core &core) {
      core.frame().scalars[dst] = function(core.frame());
      return Flow::Next;
    });
    return success();
  }

  /// What the tile families need of an instruction.
  Instruction getInstruction(Operation *op);
  /// Of the scalar unit, which reads or writes one element.
  Instruction getElementInstruction(Operation *op);
  /// A tile operation that the table of Compute.h has.
  LogicalResult addTableStep(TileComputeInterface op, const ComputeEntry &entry);
  /// The core that runs the code being translated; nothing when that is open.
  std::optional<CoreKind> getCore() const { return core; }
  /// The core has the pipe that the operation names.
  LogicalResult checkNamedPipe(Operation *op, Pipe pipe);
  Slot newSlot(SlotKind kind);

  ProgramState &program;
  Code &code;

private:
  LogicalResult checkArguments(ArrayRef<Value> arguments);
  LogicalResult checkCore(Operation *op, Pipe pipe);

  LogicalResult addFor(scf::ForOp op);
  LogicalResult addIf(scf::IfOp op);
  LogicalResult addWhile(scf::WhileOp op);
  LogicalResult addCall(Operation *op);
  LogicalResult addReturn(Operation *op);
  // One for each family; nothing when the operation is not of it.
  std::optional<LogicalResult> addControl(Operation *op);
  std::optional<LogicalResult> addArithmetic(Operation *op);
  std::optional<LogicalResult> addMath(Operation *op);
  std::optional<LogicalResult> addTensor(Operation *op);
  std::optional<LogicalResult> addTileData(Operation *op);
  std::optional<LogicalResult> addTileParts(Operation *op);
  std::optional<LogicalResult> addTileArrays(Operation *op);
  std::optional<LogicalResult> addTileBuffers(Operation *op);
  std::optional<LogicalResult> addTileCompute(Operation *op);
  std::optional<LogicalResult> addBlockOp(Operation *op);
  std::optional<LogicalResult> addSignal(Operation *op);
  LogicalResult addSection(Operation *op);
  std::optional<LogicalResult> addTaskOp(Operation *op);
  std::optional<LogicalResult> addQueueOp(Operation *op);

  std::optional<CoreKind> core;
  llvm::DenseSet<Operation *> begun; // that have a step
};

/// The window of one element of a buffer or an array; `place` must outlive it.
FailureOr<Window> getElement(Core &core, Operation *op, const Operand &operand,
                             ArrayRef<int64_t> place);

/// A result of a check or an action, as what happens next.
inline Flow next(LogicalResult result) { return failed(result) ? Flow::Fail : Flow::Next; }

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_TRANSLATOR_H
