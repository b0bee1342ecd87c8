//===- SplitMixed.cpp - pto-split-mixed -----------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_SPLITMIXEDPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class SplitMixed : public pto::impl::SplitMixedPassBase<SplitMixed> {
public:
  using SplitMixedPassBase::SplitMixedPassBase;
  void runOnOperation() override {}
};
} // namespace
