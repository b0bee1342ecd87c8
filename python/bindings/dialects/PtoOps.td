//===- PtoOps.td - All families, for the Python builders ---------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_PYTHON_OPS_TD
#define PTO_PYTHON_OPS_TD

include "Tensor/TensorOps.td"
include "Tile/TileOps.td"
include "Block/BlockOps.td"

#endif // PTO_PYTHON_OPS_TD
