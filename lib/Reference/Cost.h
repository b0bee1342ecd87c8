//===- Cost.h - What an instruction costs ----------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_COST_H
#define PTO_REFERENCE_COST_H

#include "Reference/Core.h"

namespace mlir::pto::reference {

/// The cycles for which an instruction in final form keeps its pipe busy, from its
/// operation and the windows that it reads and writes. `cores` share the bandwidth of
/// DDR. The numbers are those of the target; docs/cost-model.md explains the formulas.
int64_t getCycles(const Instruction &instruction, ArrayRef<Window> reads, ArrayRef<Window> writes,
                  int64_t cores);

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_COST_H
