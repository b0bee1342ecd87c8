//===- ExpandInstructions.cpp - pto-expand-instructions -------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_EXPANDINSTRUCTIONSPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class ExpandInstructions : public pto::impl::ExpandInstructionsPassBase<ExpandInstructions> {
public:
  using ExpandInstructionsPassBase::ExpandInstructionsPassBase;
  void runOnOperation() override {}
};
} // namespace
