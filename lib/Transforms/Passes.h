//===- Passes.h - Every pass and the pipeline ---------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_PASSES_H
#define PTO_TRANSFORMS_PASSES_H

#include "Pto/Pto.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::pto {

#define GEN_PASS_DECL
#include "Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Transforms/Passes.h.inc"

/// Options of `--pto-pipeline`.
struct PipelineOptions : public PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("the chip: 910B or 950")};
  Option<std::string> keys{
      *this, "keys",
      llvm::cl::desc("the tiling keys to compile for: <field>=<value>,...;<field>=<value>,...")};
};

/// The whole pipeline; `compile()` runs exactly this one.
void buildPipeline(OpPassManager &manager, const PipelineOptions &options);
/// Registers `--pto-pipeline` and every pass.
void registerAllPasses();

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_PASSES_H
