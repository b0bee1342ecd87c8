//===- VerifyLevel.cpp - pto-verify-level ---------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_VERIFYLEVELPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class VerifyLevel : public pto::impl::VerifyLevelPassBase<VerifyLevel> {
public:
  using VerifyLevelPassBase::VerifyLevelPassBase;
  void runOnOperation() override {}
};
} // namespace
