// RUN: pypto-opt %s --pto-inline --split-input-file | FileCheck %s

// An inline function that calls another one, in two callers; none is left.

// CHECK-NOT: @twice
// CHECK-NOT: @again
// CHECK-LABEL: func.func @kernel
// CHECK:         %[[A:.*]] = pto.tile.add %{{.*}}, %{{.*}} : !pto.tile<8x8xf32>
// CHECK-NEXT:    %[[B:.*]] = pto.tile.add %[[A]], %[[A]]
// CHECK-NEXT:    pto.tile.store %[[B]]
// CHECK-LABEL: func.func @other
// CHECK:         pto.tile.add
// CHECK-NOT:     call
func.func private @twice(%t: !pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>
    attributes {pto.kind = #pto.kind<inline>} {
  %r = pto.tile.add %t, %t : !pto.tile<8x8xf32>
  return %r : !pto.tile<8x8xf32>
}
func.func @again(%t: !pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>
    attributes {pto.kind = #pto.kind<inline>} {
  %a = func.call @twice(%t) : (!pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>
  %b = func.call @twice(%a) : (!pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>
  return %b : !pto.tile<8x8xf32>
}
func.func @kernel(%x: !pto.gm<8x8xf32>, %out: !pto.gm<8x8xf32>)
    attributes {pto.kind = #pto.kind<in_core>} {
  %t = pto.tile.load %x[0, 0] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32>
  %r = func.call @again(%t) : (!pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>
  pto.tile.store %r, %out[0, 0] : !pto.tile<8x8xf32> -> !pto.gm<8x8xf32>
  return
}
func.func @other(%x: !pto.gm<8x8xf32>, %out: !pto.gm<8x8xf32>)
    attributes {pto.kind = #pto.kind<in_core>} {
  %t = pto.tile.load %x[0, 0] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32>
  %r = func.call @twice(%t) : (!pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>
  pto.tile.store %r, %out[0, 0] : !pto.tile<8x8xf32> -> !pto.gm<8x8xf32>
  return
}

// -----

// A placed region may come from an inline function; kernels stay where they are.

// CHECK-LABEL: func.func @entry
// CHECK:         pto.block.at core_group
// CHECK:         pto.block.dispatch @kernel2
// CHECK-LABEL: func.func private @kernel2
// CHECK-NOT:   @helper
func.func @entry(%x: tensor<8x8xf32>, %out: tensor<8x8xf32> {pto.dir = #pto.dir<out>}) -> tensor<8x8xf32>
    attributes {pto.kind = #pto.kind<orchestration>} {
  %o = func.call @helper(%x, %out) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = pto.block.dispatch @kernel2(%x, %o) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}
func.func private @kernel2(%x: tensor<8x8xf32>, %out: tensor<8x8xf32> {pto.dir = #pto.dir<out>}) -> tensor<8x8xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %o = pto.tensor.assemble %x into %out[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
  return %o : tensor<8x8xf32>
}
func.func @helper(%x: tensor<8x8xf32>, %out: tensor<8x8xf32>) -> tensor<8x8xf32>
    attributes {pto.kind = #pto.kind<inline>} {
  %r = pto.block.at core_group -> (tensor<8x8xf32>) {
    %o = pto.tensor.assemble %x into %out[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
    pto.block.yield %o : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
