//===- InstructionLimits.h - What one instruction can do ----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_INSTRUCTIONLIMITS_H
#define PTO_TRANSFORMS_INSTRUCTIONLIMITS_H

#include "Pto/PtoInterfaces.h"
#include "Target/Target.h"

namespace mlir::pto {

/// Whether an operation in buffer form is one instruction of the chip ("Instructions"
/// in docs/design.md); an error at it that says what is too much. An extent known
/// only at run time is not judged.
LogicalResult verifyInstructionLimits(InstructionInterface op, const TargetInfo &target);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_INSTRUCTIONLIMITS_H
