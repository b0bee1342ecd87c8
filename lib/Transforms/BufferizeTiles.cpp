//===- BufferizeTiles.cpp - pto-bufferize-tiles ---------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_BUFFERIZETILESPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class BufferizeTiles : public pto::impl::BufferizeTilesPassBase<BufferizeTiles> {
public:
  using BufferizeTilesPassBase::BufferizeTilesPassBase;
  void runOnOperation() override {}
};
} // namespace
