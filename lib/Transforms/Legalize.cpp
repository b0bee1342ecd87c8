//===- Legalize.cpp - pto-legalize ----------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_LEGALIZEPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class Legalize : public pto::impl::LegalizePassBase<Legalize> {
public:
  using LegalizePassBase::LegalizePassBase;
  void runOnOperation() override {}
};
} // namespace
