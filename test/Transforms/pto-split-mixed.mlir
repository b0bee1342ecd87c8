// RUN: pypto-opt %s --pto-split-mixed | FileCheck %s

module attributes {pto.target = "910B"} {
// CHECK-LABEL: func.func @vector(
// CHECK-SAME:    pto.kind = #pto.kind<aiv>
func.func @vector(%a: !pto.gm<8x8xf32>, %n: index) attributes {pto.kind = #pto.kind<in_core>} {
  %t = pto.tile.load %a[0, 0] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32, vec, nd>
  pto.tile.store %t, %a[0, 0] : !pto.tile<8x8xf32, vec, nd> -> !pto.gm<8x8xf32>
  return
}
// CHECK-LABEL: func.func @cube(
// CHECK-SAME:    pto.kind = #pto.kind<aic>
func.func @cube(%a: !pto.gm<16x16xf16>, %n: index) attributes {pto.kind = #pto.kind<in_core>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = pto.tile.load %a[0, 0] : !pto.gm<16x16xf16> -> !pto.tile<16x16xf16, mat, nz>
    %l = pto.tile.move %t : !pto.tile<16x16xf16, mat, nz> -> !pto.tile<16x16xf16, left, zz>
  }
  return
}
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME:    pto.kind = #pto.kind<aiv>
func.func @scalars(%n: index) attributes {pto.kind = #pto.kind<in_core>} {
  pto.block.print "%d"(%n) : index
  return
}
// CHECK-LABEL: func.func @declared(
// CHECK-NOT:     pto.core
// CHECK-SAME:    pto.kind = #pto.kind<aic>
func.func @declared(%n: index) attributes {pto.kind = #pto.kind<in_core>, pto.core = "aic"} {
  pto.block.print "%d"(%n) : index
  return
}
// What has a core keeps it, and the control plane is none.
// CHECK-LABEL: func.func @given(
// CHECK-SAME:    pto.kind = #pto.kind<aic>
func.func @given() attributes {pto.kind = #pto.kind<aic>} {
  return
}
// CHECK-LABEL: func.func @entry(
// CHECK-SAME:    pto.kind = #pto.kind<orchestration>
func.func @entry() attributes {pto.kind = #pto.kind<orchestration>} {
  return
}
}
