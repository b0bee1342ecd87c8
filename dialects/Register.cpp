//===- Register.cpp - The dialect with all its families -------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Register.h"
#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Tensor/TensorOps.h"
#include "Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

namespace {
/// Whatever an inline function holds may stand in its caller; where it may not,
/// verifiers and passes say so at the place.
struct PtoInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
/// Loops print their arguments by the author's names, which a text keeps in an
/// attribute, so that a dump reads and replays with them.
template <typename Loop> struct LoopNames : OpAsmOpInterface::ExternalModel<LoopNames<Loop>, Loop> {
  void getAsmBlockArgumentNames(Operation *op, Region &region, OpAsmSetValueNameFn setName) const {
    for (BlockArgument argument : region.getArguments()) {
      StringRef name = pto::argumentName(op, argument.getArgNumber());
      if (!name.empty())
        setName(argument, name);
    }
  }
};
} // namespace

void pto::registerAllDialects(DialectRegistry &registry) {
  registry.insert<PtoDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect,
                  scf::SCFDialect>();
  func::registerInlinerExtension(registry);
  registry.addExtension(
      +[](MLIRContext *, PtoDialect *dialect) { dialect->addInterfaces<PtoInlinerInterface>(); });
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    scf::ForOp::attachInterface<LoopNames<scf::ForOp>>(*context);
    scf::WhileOp::attachInterface<LoopNames<scf::WhileOp>>(*context);
  });
  registerTensorOps(registry);
  registerTileOps(registry);
  registerBlockOps(registry);
}
