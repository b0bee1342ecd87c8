//===- PlanMemory.cpp - pto-plan-memory -----------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class PlanMemory : public pto::impl::PlanMemoryPassBase<PlanMemory> {
public:
  using PlanMemoryPassBase::PlanMemoryPassBase;
  void runOnOperation() override {}
};
} // namespace
