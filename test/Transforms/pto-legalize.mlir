// RUN: pypto-opt %s --pto-legalize --split-input-file | FileCheck %s

module attributes {pto.target = "910B"} {

// What the chip has stays.
// CHECK-LABEL: func.func @native(
// CHECK-NEXT:    pto.tile.add %arg0, %arg1 : (!pto.tile<8x16xf16>, f16) -> !pto.tile<8x16xf16>
// CHECK-NEXT:    pto.tile.row_max
// CHECK-NEXT:    pto.tile.cast %arg0 {round = #pto.round<none>} : !pto.tile<8x16xf16> -> !pto.tile<8x16xf32>
// CHECK-NEXT:    pto.tile.cast %arg2 {round = #pto.round<round>} : !pto.tile<8x16xf32> -> !pto.tile<8x16xi32>
// CHECK-NEXT:    pto.tile.cast %arg2 {round = #pto.round<odd>} : !pto.tile<8x16xf32> -> !pto.tile<8x16xf16>
// CHECK-NEXT:    return
func.func @native(%h: !pto.tile<8x16xf16>, %s: f16, %f: !pto.tile<8x16xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  %a = pto.tile.add %h, %s : (!pto.tile<8x16xf16>, f16) -> !pto.tile<8x16xf16>
  %b = pto.tile.row_max %h : !pto.tile<8x16xf16> -> !pto.tile<8x1xf16>
  // A conversion that loses nothing takes no rounding.
  %c = pto.tile.cast %h {round = #pto.round<round>} : !pto.tile<8x16xf16> -> !pto.tile<8x16xf32>
  %d = pto.tile.cast %f {round = #pto.round<round>} : !pto.tile<8x16xf32> -> !pto.tile<8x16xi32>
  %e = pto.tile.cast %f {round = #pto.round<odd>} : !pto.tile<8x16xf32> -> !pto.tile<8x16xf16>
  return
}

// CHECK-LABEL: func.func @chains(
// CHECK-NEXT:    %[[A:.*]] = pto.tile.cast %arg0 {round = #pto.round<none>} : !pto.tile<8x16xf16> -> !pto.tile<8x16xf32>
// CHECK-NEXT:    %[[B:.*]] = pto.tile.cast %[[A]] {round = #pto.round<floor>} : !pto.tile<8x16xf32> -> !pto.tile<8x16xbf16>
// CHECK-NEXT:    %[[C:.*]] = pto.tile.cast %arg1 {round = #pto.round<round>} : !pto.tile<8x16xi32> -> !pto.tile<8x16xf32>
// CHECK-NEXT:    %[[D:.*]] = pto.tile.cast %[[C]] {round = #pto.round<round>} : !pto.tile<8x16xf32> -> !pto.tile<8x16xf16>
// CHECK-NEXT:    pto.tile.move %[[B]]
// CHECK-NEXT:    pto.tile.move %[[D]]
func.func @chains(%h: !pto.tile<8x16xf16>, %i: !pto.tile<8x16xi32>) attributes {pto.kind = #pto.kind<in_core>} {
  %a = pto.tile.cast %h {round = #pto.round<floor>} : !pto.tile<8x16xf16> -> !pto.tile<8x16xbf16>
  %b = pto.tile.cast %i {round = #pto.round<round>} : !pto.tile<8x16xi32> -> !pto.tile<8x16xf16>
  pto.tile.move %a : !pto.tile<8x16xbf16> -> !pto.tile<8x16xbf16, vec>
  pto.tile.move %b : !pto.tile<8x16xf16> -> !pto.tile<8x16xf16, vec>
  return
}

// CHECK-LABEL: func.func @rewritten(
// CHECK-NEXT:    %[[M:.*]] = arith.constant -1.000000e+00 : f32
// CHECK-NEXT:    pto.tile.mul %arg0, %[[M]] : (!pto.tile<8x16xf32, vec>, f32) -> !pto.tile<8x16xf32, vec>
// CHECK-NEXT:    %[[MI:.*]] = arith.constant -1 : i32
// CHECK-NEXT:    pto.tile.mul %arg1, %[[MI]] : (!pto.tile<8x16xi32>, i32) -> !pto.tile<8x16xi32>
// CHECK-NEXT:    %[[MA:.*]] = arith.constant -1 : i32
// CHECK-NEXT:    %[[N:.*]] = pto.tile.mul %arg1, %[[MA]]
// CHECK-NEXT:    %[[S:.*]] = pto.tile.minimum %arg1, %[[N]]
// CHECK-NEXT:    pto.tile.mul %[[S]], %[[MA]]
// CHECK-NEXT:    %[[NEG:.*]] = arith.negf %arg2 : f32
// CHECK-NEXT:    pto.tile.add %arg0, %[[NEG]] : (!pto.tile<8x16xf32, vec>, f32)
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[NEGI:.*]] = arith.subi %[[ZERO]], %arg3 : i32
// CHECK-NEXT:    pto.tile.add %arg1, %[[NEGI]] : (!pto.tile<8x16xi32>, i32)
// CHECK-NEXT:    %[[FULL:.*]] = pto.tile.full %arg2 : f32 -> !pto.tile<8x16xf32, vec>
// CHECK-NEXT:    pto.tile.div %arg0, %[[FULL]] : !pto.tile<8x16xf32, vec>
// CHECK-NEXT:    return
func.func @rewritten(%f: !pto.tile<8x16xf32, vec>, %i: !pto.tile<8x16xi32>, %s: f32, %t: i32) attributes {pto.kind = #pto.kind<in_core>} {
  %a = pto.tile.neg %f : !pto.tile<8x16xf32, vec>
  %b = pto.tile.neg %i : !pto.tile<8x16xi32>
  %c = pto.tile.abs %i : !pto.tile<8x16xi32>
  %d = pto.tile.sub %f, %s : (!pto.tile<8x16xf32, vec>, f32) -> !pto.tile<8x16xf32, vec>
  %e = pto.tile.sub %i, %t : (!pto.tile<8x16xi32>, i32) -> !pto.tile<8x16xi32>
  %g = pto.tile.div %f, %s : (!pto.tile<8x16xf32, vec>, f32) -> !pto.tile<8x16xf32, vec>
  return
}

// BF16 computes in FP32 and rounds once, whatever the operation becomes there.
// CHECK-LABEL: func.func @bf16(
// CHECK-NEXT:    %[[A:.*]] = pto.tile.cast %arg0 {round = #pto.round<none>} : !pto.tile<8x16xbf16> -> !pto.tile<8x16xf32>
// CHECK-NEXT:    %[[S:.*]] = arith.extf %arg1 : bf16 to f32
// CHECK-NEXT:    %[[N:.*]] = arith.negf %[[S]] : f32
// CHECK-NEXT:    %[[R:.*]] = pto.tile.add %[[A]], %[[N]]
// CHECK-NEXT:    %[[D:.*]] = pto.tile.cast %[[R]] {round = #pto.round<rint>} : !pto.tile<8x16xf32> -> !pto.tile<8x16xbf16>
// CHECK-NEXT:    %[[E:.*]] = pto.tile.cast %[[D]] {round = #pto.round<none>}
// CHECK-NEXT:    %[[F:.*]] = pto.tile.row_sum %[[E]] : !pto.tile<8x16xf32> -> !pto.tile<8x1xf32>
// CHECK-NEXT:    %[[G:.*]] = pto.tile.cast %[[F]] {round = #pto.round<rint>} : !pto.tile<8x1xf32> -> !pto.tile<8x1xbf16>
// CHECK-NEXT:    %[[V:.*]] = pto.tile.cast %[[G]]
// CHECK-NEXT:    %[[H:.*]] = pto.tile.row_expand_div %[[E]], %[[V]]
// CHECK-NEXT:    pto.tile.cast %[[H]] {round = #pto.round<rint>}
// CHECK-NEXT:    pto.tile.full %arg1 : bf16
// CHECK-NEXT:    return
func.func @bf16(%b: !pto.tile<8x16xbf16>, %s: bf16) attributes {pto.kind = #pto.kind<in_core>} {
  %a = pto.tile.sub %b, %s : (!pto.tile<8x16xbf16>, bf16) -> !pto.tile<8x16xbf16>
  %c = pto.tile.row_sum %a : !pto.tile<8x16xbf16> -> !pto.tile<8x1xbf16>
  %d = pto.tile.row_expand_div %a, %c : (!pto.tile<8x16xbf16>, !pto.tile<8x1xbf16>) -> !pto.tile<8x16xbf16>
  %e = pto.tile.full %s : bf16 -> !pto.tile<8x16xbf16>
  return
}

// Products are of another unit; of buffers see pto-legalize-buffers.mlir.
// CHECK-LABEL: func.func @others(
// CHECK:         pto.tile.matmul
// CHECK:         pto.tile.mul ins(%arg1, %{{.*}} outs(%arg1
func.func @others(%l: !pto.tile<16x16xbf16>, %b: !pto.buf<8x16xf32, vec, nd>) attributes {pto.kind = #pto.kind<in_core>} {
  %p = pto.tile.matmul %l, %l : !pto.tile<16x16xbf16> -> !pto.tile<16x16xf32>
  pto.tile.neg ins(%b : !pto.buf<8x16xf32, vec, nd>) outs(%b : !pto.buf<8x16xf32, vec, nd>)
  return
}
}
