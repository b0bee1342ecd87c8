// pypto-run: arguments, results, what it says when they are wrong.

// RUN: pypto-run %s --entry fill --args 2.5 | FileCheck %s --check-prefix=FILL
// RUN: pypto-run %s --entry fill --args 2.5 out --save %t.npy | count 0
// RUN: pypto-run %s --entry negate --args %t.npy | FileCheck %s --check-prefix=NEGATE
// FILL: [4, 8] FP32: 2.5 2.5 2.5 2.5 2.5 2.5 2.5 2.5 ...
// NEGATE: [4, 8] FP32: -2.5 -2.5 -2.5 -2.5 -2.5 -2.5 -2.5 -2.5 ...

// RUN: not pypto-run %s 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not pypto-run %s --entry nothing 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not pypto-run %s --entry fill 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not pypto-run %s --entry fill --args two 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not pypto-run %s --entry negate --args %s 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not pypto-run %s --entry negate --args out:4x9 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not pypto-run %s --entri fill 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not pypto-run %s --entry negate --args out --step-limit 3 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not pypto-run %t.missing.mlir 2>&1 | FileCheck %s --check-prefix=MODULE
// SEVERAL: the module has several functions to run; name one of: fill, negate
// UNKNOWN: the module has no function 'nothing'
// COUNT: 'fill' takes 2 arguments, found 0
// NUMBER: argument 1 of 'fill': 'two' is no FP32 number
// FILE: not a .npy file
// SHAPE: argument 1{{.*}} of 'negate' is [4, 8] FP32, found [4, 9] FP32
// OPTION: unknown option '--entri'
// LIMIT: stopped after 3 steps, the limit of this run
// MODULE: cannot open input file

module attributes {pto.target = "910B"} {
  func.func @fill(%v: f32, %y: tensor<4x8xf32> {pto.dir = #pto.dir<out>}) -> tensor<4x8xf32>
      attributes {pto.kind = #pto.kind<in_core>} {
    %r = pto.tensor.full %v : f32 -> tensor<4x8xf32>
    return %r : tensor<4x8xf32>
  }
  func.func @negate(%x: !pto.gm<4x8xf32>, %y: !pto.gm<4x8xf32> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<in_core>} {
    %t = pto.tile.load %x[0, 0] : !pto.gm<4x8xf32> -> !pto.tile<4x8xf32>
    %n = pto.tile.neg %t : !pto.tile<4x8xf32>
    pto.tile.store %n, %y[0, 0] : !pto.tile<4x8xf32> -> !pto.gm<4x8xf32>
    return
  }
}
