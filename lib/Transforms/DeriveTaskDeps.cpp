//===- DeriveTaskDeps.cpp - pto-derive-task-deps --------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_DERIVETASKDEPSPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class DeriveTaskDeps : public pto::impl::DeriveTaskDepsPassBase<DeriveTaskDeps> {
public:
  using DeriveTaskDepsPassBase::DeriveTaskDepsPassBase;
  void runOnOperation() override {}
};
} // namespace
