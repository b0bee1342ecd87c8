//===- OutlineScopes.cpp - pto-outline-scopes -----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_OUTLINESCOPESPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class OutlineScopes : public pto::impl::OutlineScopesPassBase<OutlineScopes> {
public:
  using OutlineScopesPassBase::OutlineScopesPassBase;
  void runOnOperation() override {}
};
} // namespace
