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

using namespace mlir;

void pto::registerAllDialects(DialectRegistry &registry) {
  registry.insert<PtoDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect,
                  scf::SCFDialect>();
  func::registerInlinerExtension(registry);
  registerTensorOps(registry);
  registerTileOps(registry);
  registerBlockOps(registry);
}
