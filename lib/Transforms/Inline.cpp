//===- Inline.cpp - pto-inline ---------------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// An inline function is a way to write code once, not a task: nothing later
// should have to know that it existed. Upstream's inliner does the work; what
// is ours is to find recursion, which it would leave in place, and to drop the
// functions that are used up.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::pto {
#define GEN_PASS_DEF_INLINEPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class Inline : public pto::impl::InlinePassBase<Inline> {
  void runOnOperation() override;
};
} // namespace

static bool isInline(func::FuncOp func) { return getFunctionKind(func) == FunctionKind::Inline; }

/// Depth-first through the calls of inline functions; an error names the cycle.
static LogicalResult findRecursion(func::FuncOp func, SymbolTable &symbols,
                                   SmallVectorImpl<func::FuncOp> &stack,
                                   DenseSet<func::FuncOp> &done) {
  if (!done.insert(func).second)
    return success();
  stack.push_back(func);
  WalkResult result = func.walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || !isInline(callee))
      return WalkResult::advance();
    if (llvm::is_contained(stack, callee)) {
      InFlightDiagnostic error = call.emitError()
                                 << "inline function '" << callee.getName()
                                 << "' calls itself, so it cannot be spliced into its callers";
      error.attachNote(callee.getLoc()) << "the function is here; turn the recursion into a loop";
      return WalkResult::interrupt();
    }
    return failed(findRecursion(callee, symbols, stack, done)) ? WalkResult::interrupt()
                                                               : WalkResult::advance();
  });
  stack.pop_back();
  return failure(result.wasInterrupted());
}

/// The inliner leaves a call where the function's blocks cannot stand.
static LogicalResult checkSpliced(ModuleOp module) {
  WalkResult result = module.walk([&](func::CallOp call) -> WalkResult {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!callee || !isInline(callee))
      return WalkResult::advance();
    InFlightDiagnostic error = call.emitError() << "inline function '" << callee.getName() << "' ";
    if (callee.isExternal())
      error << "has no body to splice in here";
    else
      error << "has branches between blocks and cannot be spliced in here; use for and if";
    error.attachNote(callee.getLoc()) << "the function is here";
    return error;
  });
  return failure(result.wasInterrupted());
}

void Inline::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  SmallVector<func::FuncOp> inlines;
  SmallVector<func::FuncOp> stack;
  DenseSet<func::FuncOp> done;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!isInline(func))
      continue;
    inlines.push_back(func);
    if (failed(findRecursion(func, symbols, stack, done)))
      return signalPassFailure();
  }
  if (inlines.empty())
    return;
  for (func::FuncOp func : inlines)
    func.setPrivate();
  OpPassManager inliner(ModuleOp::getOperationName());
  // Without the canonicalizer that it runs by default: what the author wrote stays.
  inliner.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  if (failed(runPipeline(inliner, module)))
    return signalPassFailure();
  if (failed(checkSpliced(module)))
    return signalPassFailure();
  for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (isInline(func))
      func.erase();
}
