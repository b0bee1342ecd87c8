// RUN: not pypto-run %s --args 1 2>&1 | FileCheck %s

// CHECK: tile-argument.mlir:[[# @LINE + 2]]:{{[0-9]+}}: error: argument 1, 't', of 'f' is a tile of [8, 8] FP32, which a run cannot be given; run a function of arrays and numbers
module attributes {pto.target = "910B"} {
  func.func @f(%t: !pto.tile<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
    return
  }
}
