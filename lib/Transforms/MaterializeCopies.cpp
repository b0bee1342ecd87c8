//===- MaterializeCopies.cpp - pto-materialize-copies ---------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_MATERIALIZECOPIESPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class MaterializeCopies : public pto::impl::MaterializeCopiesPassBase<MaterializeCopies> {
public:
  using MaterializeCopiesPassBase::MaterializeCopiesPassBase;
  void runOnOperation() override {}
};
} // namespace
