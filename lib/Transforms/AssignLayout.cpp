//===- AssignLayout.cpp - pto-assign-layout -------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_ASSIGNLAYOUTPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class AssignLayout : public pto::impl::AssignLayoutPassBase<AssignLayout> {
public:
  using AssignLayoutPassBase::AssignLayoutPassBase;
  void runOnOperation() override {}
};
} // namespace
