// Orchestration at tensor level: a region, a dispatch, an inline function, an
// array of its own; results name the memory of their targets.

// RUN: pypto-run %s --entry main --args out:8x8 4 2>&1 | FileCheck %s
// RUN: not pypto-run %s --entry reads_too_early 2>&1 | FileCheck %s --check-prefix=EARLY
// CHECK: races were not checked
// CHECK: [8, 8] FP32: 9 9 9 9 9 9 9 9 ...
// EARLY: nothing has written

module attributes {pto.target = "910B"} {
  func.func @scale(%x: tensor<8x8xf32>, %f: f32) -> tensor<8x8xf32> attributes {pto.kind = #pto.kind<inline>} {
    %r = pto.tensor.mul %x, %f : (tensor<8x8xf32>, f32) -> tensor<8x8xf32>
    return %r : tensor<8x8xf32>
  }
  func.func @increment(%x: tensor<8x8xf32> {pto.dir = #pto.dir<inout>}) -> tensor<8x8xf32>
      attributes {pto.kind = #pto.kind<in_core>} {
    %one = arith.constant 1.0 : f32
    %r = pto.tensor.add %x, %one : (tensor<8x8xf32>, f32) -> tensor<8x8xf32>
    return %r : tensor<8x8xf32>
  }
  // ((0 + 1 four times) * 2) + 1
  func.func @main(%x: tensor<8x8xf32>, %n: index, %y: tensor<8x8xf32> {pto.dir = #pto.dir<out>}) -> tensor<8x8xf32>
      attributes {pto.kind = #pto.kind<orchestration>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %two = arith.constant 2.0 : f32
    %t = pto.tensor.create : tensor<8x8xf32>
    %a = pto.block.at core_group -> (tensor<8x8xf32>) {
      %o = pto.tensor.assemble %x into %t[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
      pto.block.yield %o : tensor<8x8xf32>
    }
    %b = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (tensor<8x8xf32>) {
      %d = pto.block.dispatch @increment(%v) : (tensor<8x8xf32>) -> tensor<8x8xf32>
      scf.yield %d : tensor<8x8xf32>
    }
    %c = pto.block.at core_group -> (tensor<8x8xf32>) {
      %s = func.call @scale(%b, %two) : (tensor<8x8xf32>, f32) -> tensor<8x8xf32>
      %o = pto.tensor.assemble %s into %y[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
      pto.block.yield %o : tensor<8x8xf32>
    }
    %d = pto.block.dispatch @increment(%c) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %d : tensor<8x8xf32>
  }
  func.func @reads_too_early(%y: tensor<8x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<orchestration>} {
    %t = pto.tensor.create : tensor<8x8xf32>
    %d = pto.block.dispatch @increment(%t) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return
  }
}
