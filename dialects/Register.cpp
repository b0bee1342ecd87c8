//===- Register.cpp - The dialect with all its families -------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Register.h"
#include "Block/BlockOps.h"
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
} // namespace

void pto::registerAllDialects(DialectRegistry &registry) {
  registry.insert<PtoDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect,
                  scf::SCFDialect>();
  func::registerInlinerExtension(registry);
  registry.addExtension(+[](MLIRContext *, PtoDialect *dialect) {
    dialect->addInterfaces<PtoInlinerInterface>();
  });
  registerTensorOps(registry);
  registerTileOps(registry);
  registerBlockOps(registry);
}
