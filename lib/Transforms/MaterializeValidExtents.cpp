//===- MaterializeValidExtents.cpp - pto-materialize-valid-extents --------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_MATERIALIZEVALIDEXTENTSPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class MaterializeValidExtents : public pto::impl::MaterializeValidExtentsPassBase<MaterializeValidExtents> {
public:
  using MaterializeValidExtentsPassBase::MaterializeValidExtentsPassBase;
  void runOnOperation() override {}
};
} // namespace
