//===- SetTarget.cpp - pto-set-target ---------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Every pass reads the chip from the module, so that a dump holds all that a
// later pass needs.
//
//===----------------------------------------------------------------------===//

#include "Target/Target.h"
#include "Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_SETTARGETPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class SetTarget : public pto::impl::SetTargetPassBase<SetTarget> {
public:
  using SetTargetPassBase::SetTargetPassBase;
  void runOnOperation() override;
};
} // namespace

void SetTarget::runOnOperation() {
  ModuleOp module = getOperation();
  auto present = module->getAttrOfType<StringAttr>(attr::kTarget);
  if (present && present.getValue() != target) {
    module.emitError() << "the module is for chip '" << present.getValue() << "', not for '"
                       << target << "'";
    return signalPassFailure();
  }
  module->setAttr(attr::kTarget, StringAttr::get(&getContext(), target));
  if (!pto::getTarget(module))
    signalPassFailure();
}
