//===- Pipeline.cpp - The order of the passes ------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::pto;

/// Adds a pass and, behind it, the check of what it promises.
static void add(OpPassManager &manager, std::unique_ptr<Pass> pass) {
  VerifyLevelPassOptions verify;
  verify.after = pass->getArgument().str();
  manager.addPass(std::move(pass));
  manager.addPass(createVerifyLevelPass(verify));
}

void pto::buildPipeline(OpPassManager &manager, const PipelineOptions &options) {
  SetTargetPassOptions target;
  target.target = options.target;
  add(manager, createSetTargetPass(target));
  add(manager, createInlinePass());
  SpecializeTilingKeyPassOptions specialize;
  specialize.keys = options.keys;
  add(manager, createSpecializeTilingKeyPass(specialize));
  add(manager, createOutlineScopesPass());
  add(manager, createConvertTensorToTileOpsPass());
  add(manager, createLegalizePass());
  add(manager, createInferTileMemorySpacePass());
  add(manager, createAssignLayoutPass());
  add(manager, createSplitMixedPass());
  add(manager, createMaterializeValidExtentsPass());
  add(manager, createMaterializeCopiesPass());
  add(manager, createBufferizeTilesPass());
  add(manager, createExpandInstructionsPass());
  add(manager, createPlanMemoryPass());
  add(manager, createInsertSyncPass());
  add(manager, createMergeClustersPass());
  add(manager, createDeriveTaskDepsPass());
}

void pto::registerAllPasses() {
  registerPtoPasses();
  registerTransformsPasses();
  PassPipelineRegistration<PipelineOptions>(
      "pto-pipeline", "from the front end's module to the final one", buildPipeline);
}
