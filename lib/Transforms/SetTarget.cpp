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

#include "llvm/ADT/StringExtras.h"

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
  const TargetInfo *asked = target.empty() ? getDefaultTarget() : lookupTarget(target);
  if (!asked) {
    module.emitError() << "unknown chip '" << target
                       << "'; known: " << llvm::join(getTargetNames(), ", ");
    return signalPassFailure();
  }
  if (!module->hasAttr(attr::kTarget))
    module->setAttr(attr::kTarget, StringAttr::get(&getContext(), asked->name));
  const TargetInfo *present = pto::getTarget(module);
  if (!present)
    return signalPassFailure();
  if (!target.empty() && present != asked) {
    module.emitError() << "the module is for chip '" << present->name << "', not for '"
                       << asked->name << "'";
    return signalPassFailure();
  }
  // "a5" and the like are said once, by whoever asks.
  module->setAttr(attr::kTarget, StringAttr::get(&getContext(), present->name));
}
