// RUN: pypto-opt %s --pto-assign-layout | FileCheck %s

// Results, carried values and results of loops; a vector in Vec is contiguous.

module attributes {pto.target = "910B"} {
// CHECK-LABEL: func.func @spaces(
// CHECK:         %[[A:.*]] = pto.tile.load {{.*}} -> !pto.tile<32x16xf16, mat, nz>
// CHECK-NEXT:    pto.tile.move %[[A]] : !pto.tile<32x16xf16, mat, nz> -> !pto.tile<32x16xf16, left, zz>
// CHECK-NEXT:    pto.tile.load
// CHECK-NEXT:    pto.tile.move {{.*}} -> !pto.tile<16x32xf16, right, zn>
// CHECK-NEXT:    pto.tile.matmul {{.*}} -> !pto.tile<32x32xf32, acc, nz>
// CHECK-NEXT:    pto.tile.store {{.*}} : !pto.tile<32x32xf32, acc, nz> -> !pto.gm<32x32xf32>
func.func @spaces(%a: !pto.gm<32x16xf16>, %b: !pto.gm<16x32xf16>, %out: !pto.gm<32x32xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x16xf16> -> !pto.tile<32x16xf16, mat>
  %l = pto.tile.move %t : !pto.tile<32x16xf16, mat> -> !pto.tile<32x16xf16, left>
  %u = pto.tile.load %b[0, 0] : !pto.gm<16x32xf16> -> !pto.tile<16x32xf16, mat>
  %r = pto.tile.move %u : !pto.tile<16x32xf16, mat> -> !pto.tile<16x32xf16, right>
  %c = pto.tile.matmul %l, %r : (!pto.tile<32x16xf16, left>, !pto.tile<16x32xf16, right>) -> !pto.tile<32x32xf32, acc>
  pto.tile.store %c, %out[0, 0] : !pto.tile<32x32xf32, acc> -> !pto.gm<32x32xf32>
  return
}
// CHECK-LABEL: func.func @vectors(
// CHECK:         pto.tile.load {{.*}} -> !pto.tile<5x8xf32, vec, nd>
// CHECK:         pto.tile.row_max {{.*}} : !pto.tile<5x8xf32, vec, nd> -> !pto.tile<5x1xf32, vec, dn>
// CHECK:         pto.tile.load {{.*}} -> !pto.tile<1x1xf32, vec, dn>
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (!pto.tile<5x8xf32, vec, nd>) {
// CHECK:           %[[I:.*]] = scf.if %{{.*}} -> (!pto.tile<5x8xf32, vec, nd>)
// CHECK:           scf.yield %[[I]] : !pto.tile<5x8xf32, vec, nd>
func.func @vectors(%a: !pto.gm<5x8xf32>, %n: index, %c: i1) attributes {pto.kind = #pto.kind<in_core>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pto.tile.load %a[0, 0] : !pto.gm<5x8xf32> -> !pto.tile<5x8xf32, vec>
  %v = pto.tile.row_max %t : !pto.tile<5x8xf32, vec> -> !pto.tile<5x1xf32, vec>
  %s = pto.tile.load %a[0, 0] : !pto.gm<5x8xf32> -> !pto.tile<1x1xf32, vec>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> (!pto.tile<5x8xf32, vec>) {
    %r = scf.if %c -> !pto.tile<5x8xf32, vec> {
      scf.yield %x : !pto.tile<5x8xf32, vec>
    } else {
      scf.yield %t : !pto.tile<5x8xf32, vec>
    }
    scf.yield %r : !pto.tile<5x8xf32, vec>
  }
  return
}
}
