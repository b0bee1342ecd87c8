// RUN: pypto-opt %s --pto-set-target --pto-inline --pto-outline-scopes --pto-convert-tensor-to-tile-ops --pto-legalize --pto-infer-tile-memory-space --pto-assign-layout --pto-split-mixed | FileCheck %s

// The programs of the programming-model page, through the first half of the
// pipeline: what the author says at tensor level and at tile level is one.

// CHECK-LABEL: func.func @square_tensor(
// CHECK-SAME:    pto.kind = #pto.kind<aiv>
// CHECK-NEXT:    %[[T:.*]] = pto.tile.load %arg0[0, 0] : !pto.gm<128x128xf32> -> !pto.tile<128x128xf32, vec, nd>
// CHECK-NEXT:    %[[Y:.*]] = pto.tile.mul %[[T]], %[[T]] : !pto.tile<128x128xf32, vec, nd>
// CHECK-NEXT:    pto.tile.store %[[Y]], %arg1[0, 0] : !pto.tile<128x128xf32, vec, nd> -> !pto.gm<128x128xf32>
// CHECK-NEXT:    return
func.func @square_tensor(%x: tensor<128x128xf32> {pto.dir = #pto.dir<in>}, %out: tensor<128x128xf32> {pto.dir = #pto.dir<out>}) -> tensor<128x128xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %y = pto.tensor.mul %x, %x : tensor<128x128xf32>
  %o = pto.tensor.assemble %y into %out[0, 0] : tensor<128x128xf32> into tensor<128x128xf32>
  return %o : tensor<128x128xf32>
}
// CHECK-LABEL: func.func @square_tile(
// CHECK-SAME:    pto.kind = #pto.kind<aiv>
// CHECK-NEXT:    %[[T:.*]] = pto.tile.load %arg0[0, 0] : !pto.gm<128x128xf32> -> !pto.tile<128x128xf32, vec, nd>
// CHECK-NEXT:    %[[Y:.*]] = pto.tile.mul %[[T]], %[[T]] : !pto.tile<128x128xf32, vec, nd>
// CHECK-NEXT:    pto.tile.store %[[Y]], %arg1[0, 0] : !pto.tile<128x128xf32, vec, nd> -> !pto.gm<128x128xf32>
// CHECK-NEXT:    return
func.func @square_tile(%x: tensor<128x128xf32> {pto.dir = #pto.dir<in>}, %out: tensor<128x128xf32> {pto.dir = #pto.dir<out>}) -> tensor<128x128xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %t = pto.tile.load %x[0, 0] : tensor<128x128xf32> -> !pto.tile<128x128xf32>
  %y = pto.tile.mul %t, %t : !pto.tile<128x128xf32>
  %o = pto.tile.store %y, %out[0, 0] : !pto.tile<128x128xf32> -> tensor<128x128xf32>
  return %o : tensor<128x128xf32>
}
// CHECK-LABEL: func.func @mm_hand(
// CHECK-SAME:    pto.kind = #pto.kind<aic>
// CHECK-NEXT:    %[[A:.*]] = pto.tile.load %arg0[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat, nz>
// CHECK-NEXT:    %[[B:.*]] = pto.tile.load %arg1[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat, nz>
// CHECK-NEXT:    %[[L:.*]] = pto.tile.move %[[A]] {{.*}}: !pto.tile<32x32xf16, mat, nz> -> !pto.tile<32x32xf16, left, zz>
// CHECK-NEXT:    %[[R:.*]] = pto.tile.move %[[B]] {{.*}}: !pto.tile<32x32xf16, mat, nz> -> !pto.tile<32x32xf16, right, zn>
// CHECK-NEXT:    %[[C:.*]] = pto.tile.matmul %[[L]], %[[R]] : (!pto.tile<32x32xf16, left, zz>, !pto.tile<32x32xf16, right, zn>) -> !pto.tile<32x32xf32, acc, nz>
// CHECK-NEXT:    pto.tile.store %[[C]], %arg2[0, 0] : !pto.tile<32x32xf32, acc, nz> -> !pto.gm<32x32xf32>
// CHECK-NEXT:    return
func.func @mm_hand(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>, %out: tensor<32x32xf32> {pto.dir = #pto.dir<out>}) -> tensor<32x32xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %a1 = pto.tile.load %a[0, 0] : tensor<32x32xf16> -> !pto.tile<32x32xf16, mat>
  %b1 = pto.tile.load %b[0, 0] : tensor<32x32xf16> -> !pto.tile<32x32xf16, mat>
  %l = pto.tile.move %a1 : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16, left>
  %r = pto.tile.move %b1 : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16, right>
  %c = pto.tile.matmul %l, %r : (!pto.tile<32x32xf16, left>, !pto.tile<32x32xf16, right>) -> !pto.tile<32x32xf32>
  %o = pto.tile.store %c, %out[0, 0] : !pto.tile<32x32xf32> -> tensor<32x32xf32>
  return %o : tensor<32x32xf32>
}
// CHECK-LABEL: func.func @mm_nomove(
// CHECK-SAME:    pto.kind = #pto.kind<aic>
// CHECK-NEXT:    %[[A:.*]] = pto.tile.load %arg0[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat, nz>
// CHECK-NEXT:    %[[B:.*]] = pto.tile.load %arg1[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat, nz>
// CHECK-NEXT:    %[[L:.*]] = pto.tile.move %[[A]] {{.*}}: !pto.tile<32x32xf16, mat, nz> -> !pto.tile<32x32xf16, left, zz>
// CHECK-NEXT:    %[[R:.*]] = pto.tile.move %[[B]] {{.*}}: !pto.tile<32x32xf16, mat, nz> -> !pto.tile<32x32xf16, right, zn>
// CHECK-NEXT:    %[[C:.*]] = pto.tile.matmul %[[L]], %[[R]] : (!pto.tile<32x32xf16, left, zz>, !pto.tile<32x32xf16, right, zn>) -> !pto.tile<32x32xf32, acc, nz>
// CHECK-NEXT:    pto.tile.store %[[C]], %arg2[0, 0] : !pto.tile<32x32xf32, acc, nz> -> !pto.gm<32x32xf32>
// CHECK-NEXT:    return
func.func @mm_nomove(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>, %out: tensor<32x32xf32> {pto.dir = #pto.dir<out>}) -> tensor<32x32xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %a1 = pto.tile.load %a[0, 0] : tensor<32x32xf16> -> !pto.tile<32x32xf16, mat>
  %b1 = pto.tile.load %b[0, 0] : tensor<32x32xf16> -> !pto.tile<32x32xf16, mat>
  %c = pto.tile.matmul %a1, %b1 : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf32>
  %o = pto.tile.store %c, %out[0, 0] : !pto.tile<32x32xf32> -> tensor<32x32xf32>
  return %o : tensor<32x32xf32>
}
// CHECK-LABEL: func.func @mm_tensor(
// CHECK-SAME:    pto.kind = #pto.kind<aic>
// CHECK-NEXT:    %[[A:.*]] = pto.tile.load %arg0[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat, nz>
// CHECK-NEXT:    %[[B:.*]] = pto.tile.load %arg1[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat, nz>
// CHECK-NEXT:    %[[L:.*]] = pto.tile.move %[[A]] {{.*}}: !pto.tile<32x32xf16, mat, nz> -> !pto.tile<32x32xf16, left, zz>
// CHECK-NEXT:    %[[R:.*]] = pto.tile.move %[[B]] {{.*}}: !pto.tile<32x32xf16, mat, nz> -> !pto.tile<32x32xf16, right, zn>
// CHECK-NEXT:    %[[C:.*]] = pto.tile.matmul %[[L]], %[[R]] : (!pto.tile<32x32xf16, left, zz>, !pto.tile<32x32xf16, right, zn>) -> !pto.tile<32x32xf32, acc, nz>
// CHECK-NEXT:    pto.tile.store %[[C]], %arg2[0, 0] : !pto.tile<32x32xf32, acc, nz> -> !pto.gm<32x32xf32>
// CHECK-NEXT:    return
func.func @mm_tensor(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>, %out: tensor<32x32xf32> {pto.dir = #pto.dir<out>}) -> tensor<32x32xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %c = pto.tensor.matmul %a, %b : tensor<32x32xf16> -> tensor<32x32xf32>
  %o = pto.tensor.assemble %c into %out[0, 0] : tensor<32x32xf32> into tensor<32x32xf32>
  return %o : tensor<32x32xf32>
}
// CHECK-LABEL: func.func @mm_odd(
// CHECK-SAME:    pto.kind = #pto.kind<aic>
// CHECK-NEXT:    %[[A:.*]] = pto.tile.load %arg0[0, 0] valid [40, 72] : !pto.gm<40x72xbf16> -> !pto.tile<48x80xbf16, mat, nz>
// CHECK-NEXT:    %[[B:.*]] = pto.tile.load %arg1[0, 0] valid [72, 100] : !pto.gm<72x100xbf16> -> !pto.tile<80x112xbf16, mat, nz>
// CHECK-NEXT:    %[[L:.*]] = pto.tile.move %[[A]]
// CHECK-NEXT:    %[[R:.*]] = pto.tile.move %[[B]]
// CHECK-NEXT:    %[[C:.*]] = pto.tile.matmul %[[L]], %[[R]] : (!pto.tile<48x80xbf16, left, zz>, !pto.tile<80x112xbf16, right, zn>) -> !pto.tile<48x112xf32, acc, nz>
// CHECK-NEXT:    pto.tile.store %[[C]], %arg2[0, 0] : !pto.tile<48x112xf32, acc, nz> -> !pto.gm<40x100xbf16>
// CHECK-NEXT:    return
func.func @mm_odd(%a: tensor<40x72xbf16>, %b: tensor<72x100xbf16>, %out: tensor<40x100xbf16> {pto.dir = #pto.dir<out>}) -> tensor<40x100xbf16>
    attributes {pto.kind = #pto.kind<in_core>} {
  %c = pto.tensor.matmul %a, %b : (tensor<40x72xbf16>, tensor<72x100xbf16>) -> tensor<40x100xbf16>
  %o = pto.tensor.assemble %c into %out[0, 0] : tensor<40x100xbf16> into tensor<40x100xbf16>
  return %o : tensor<40x100xbf16>
}
