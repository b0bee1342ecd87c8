//===- ConvertTensorToTileOps.cpp - pto-convert-tensor-to-tile-ops --------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_CONVERTTENSORTOTILEOPSPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class ConvertTensorToTileOps : public pto::impl::ConvertTensorToTileOpsPassBase<ConvertTensorToTileOps> {
public:
  using ConvertTensorToTileOpsPassBase::ConvertTensorToTileOpsPassBase;
  void runOnOperation() override {}
};
} // namespace
