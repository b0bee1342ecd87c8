//===- InsertSync.cpp - pto-insert-sync -----------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_INSERTSYNCPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class InsertSync : public pto::impl::InsertSyncPassBase<InsertSync> {
public:
  using InsertSyncPassBase::InsertSyncPassBase;
  void runOnOperation() override {}
};
} // namespace
