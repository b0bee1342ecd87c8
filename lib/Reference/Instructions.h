//===- Instructions.h - What one instruction can do ------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// In the final form (pipes ordered by flags) an operation is one instruction:
// its windows, repeats and strides must be ones that the chip takes.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_INSTRUCTIONS_H
#define PTO_REFERENCE_INSTRUCTIONS_H

#include "Reference/Core.h"

namespace mlir::pto::reference {

/// Whether the chip has the instruction for the element type; known statically.
LogicalResult checkVectorOp(const Instruction &instruction, bool scalarOperand);
LogicalResult checkCastOp(const Instruction &instruction, RoundMode mode);
/// The rounding of a conversion; an error where `none` could lose something.
FailureOr<Rounding> getRounding(Operation *op, Elem from, Elem to, RoundMode mode);

/// Windows of an element-wise instruction, the destination last: sources and
/// destination overlap wholly or not at all, and all have a form that it takes.
LogicalResult checkVector(const Instruction &instruction, ArrayRef<Window> windows);
/// Windows of a reduction, or of a broadcast with one value a row in `values`.
LogicalResult checkRows(const Instruction &instruction, ArrayRef<Window> windows,
                        const Window *values = nullptr);
/// Windows of which the destination, the last, has no byte in common with a source, each on
/// 32 bytes.
LogicalResult checkApart(const Instruction &instruction, ArrayRef<Window> windows);
/// Of masks: one row.
LogicalResult checkOneRow(const Instruction &instruction, ArrayRef<Window> windows);
/// An operation that no instruction is: pto-expand-instructions leaves none.
LogicalResult checkExpanded(const Instruction &instruction);
/// Windows of a broadcast of one row, `values`, over those of the others.
LogicalResult checkColumns(const Instruction &instruction, const Window &src, const Window &values,
                           const Window &dst);
LogicalResult checkBrcb(const Instruction &instruction, const Window &src, const Window &dst);
LogicalResult checkProduct(const Instruction &instruction, int64_t m, int64_t k, int64_t n);
LogicalResult checkMove(const Instruction &instruction, const Window &src, const Window &dst);
/// An accumulator that both AIVs get a half of.
LogicalResult checkSplit(const Instruction &instruction, AccToVec way, const Window &src,
                         const Window &dst, bool relu);

/// The phase of an instruction under its accumulator's unit flags, if it has one.
struct UnitPhase {
  std::optional<Phase> phase;
  bool reads; // it reads the accumulator out; else it is a product
  LogicalResult wait(Core &core, const Instruction &instruction, const Window &acc) const;
  void change(Core &core, const Instruction &instruction, const Window &acc) const;
};

LogicalResult checkCopy(const Instruction &instruction, const Window &tile);

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_INSTRUCTIONS_H
