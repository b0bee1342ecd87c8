//===- InferTileMemorySpace.cpp - pto-infer-tile-memory-space -------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_INFERTILEMEMORYSPACEPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class InferTileMemorySpace : public pto::impl::InferTileMemorySpacePassBase<InferTileMemorySpace> {
public:
  using InferTileMemorySpacePassBase::InferTileMemorySpacePassBase;
  void runOnOperation() override {}
};
} // namespace
