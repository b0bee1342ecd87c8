// RUN: pypto-opt %s --pto-materialize-valid-extents | FileCheck %s

module attributes {pto.target = "910B"} {
// Full tiles need nothing said.
// CHECK-LABEL: func.func @full
// CHECK-NOT: set_validshape
func.func @full(%x: !pto.gm<64x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !pto.tile<64x64xf32, vec, nd>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> (!pto.tile<64x64xf32, vec, nd>) {
    %b = pto.tile.exp %t : !pto.tile<64x64xf32, vec, nd>
    scf.yield %b : !pto.tile<64x64xf32, vec, nd>
  }
  pto.tile.store %r, %x[0, 0] : !pto.tile<64x64xf32, vec, nd> -> !pto.gm<64x64xf32>
  return
}

// One partial extent, static or not, that every path agrees on is stated, not carried.
// CHECK-LABEL: func.func @agree
// CHECK-SAME: , %[[N:[a-z0-9]+]]: index
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (!pto.tile<64x64xf32, vec, nd>) {
// CHECK-NEXT: %[[IN:.*]] = pto.tile.set_validshape %[[T]] [%[[N]], 36]
// CHECK-NEXT: pto.tile.exp %[[IN]]
// CHECK: }
// CHECK-NEXT: pto.tile.set_validshape %{{.*}} [%[[N]], 36]
func.func @agree(%x: !pto.gm<64x64xf32>, %n: index) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.tile.load %x[0, 0] valid [%n, 36] : !pto.gm<64x64xf32> -> !pto.tile<64x64xf32, vec, nd>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> (!pto.tile<64x64xf32, vec, nd>) {
    %b = pto.tile.exp %t : !pto.tile<64x64xf32, vec, nd>
    scf.yield %b : !pto.tile<64x64xf32, vec, nd>
  }
  pto.tile.store %r, %x[0, 0] : !pto.tile<64x64xf32, vec, nd> -> !pto.gm<64x64xf32>
  return
}

// Rows differ: they are carried. Columns do not: they are stated.
// CHECK-LABEL: func.func @carried
// CHECK-SAME: , %[[N:[a-z0-9]+]]: index, %[[C:[a-z0-9]+]]: i1
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}, %[[ROWS:.*]] = %[[C64]]) -> (!pto.tile<64x64xf32, vec, nd>, index) {
// CHECK-NEXT: %[[IN:.*]] = pto.tile.set_validshape %[[T]] [%[[ROWS]], 36]
// CHECK: %[[IF:.*]]:2 = scf.if %[[C]] -> (!pto.tile<64x64xf32, vec, nd>, index) {
// CHECK: scf.yield %{{.*}}, %[[N]] : !pto.tile<64x64xf32, vec, nd>, index
// CHECK: } else {
// CHECK: scf.yield %[[IN]], %[[ROWS]] : !pto.tile<64x64xf32, vec, nd>, index
// CHECK: %[[OUT:.*]] = pto.tile.set_validshape %[[IF]]#0 [%[[IF]]#1, 36]
// CHECK: scf.yield %[[OUT]], %[[IF]]#1
// CHECK: pto.tile.set_validshape %[[LOOP]]#0 [%[[LOOP]]#1, 36]
func.func @carried(%x: !pto.gm<64x64xf32>, %n: index, %c: i1) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.tile.load %x[0, 0] valid [64, 36] : !pto.gm<64x64xf32> -> !pto.tile<64x64xf32, vec, nd>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> (!pto.tile<64x64xf32, vec, nd>) {
    %q = scf.if %c -> !pto.tile<64x64xf32, vec, nd> {
      %b = pto.tile.load %x[0, 0] valid [%n, 36] : !pto.gm<64x64xf32> -> !pto.tile<64x64xf32, vec, nd>
      scf.yield %b : !pto.tile<64x64xf32, vec, nd>
    } else {
      scf.yield %t : !pto.tile<64x64xf32, vec, nd>
    }
    scf.yield %q : !pto.tile<64x64xf32, vec, nd>
  }
  pto.tile.store %r, %x[0, 0] : !pto.tile<64x64xf32, vec, nd> -> !pto.gm<64x64xf32>
  return
}

// A swap of two extents carries both; reductions and selects are walked through.
// CHECK-LABEL: func.func @swap
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}, %[[PR:.*]] = %{{.*}}, %[[QR:.*]] = %{{.*}})
// CHECK-NEXT: %[[PV:.*]] = pto.tile.set_validshape %[[P]] [%[[PR]], 1]
// CHECK-NEXT: %[[QV:.*]] = pto.tile.set_validshape %[[Q]] [%[[QR]], 1]
// CHECK-NEXT: scf.yield %[[QV]], %[[PV]], %[[QR]], %[[PR]]
func.func @swap(%x: !pto.gm<64x64xf32>, %c: i1) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.tile.load %x[0, 0] valid [8, 36] : !pto.gm<64x64xf32> -> !pto.tile<64x64xf32, vec, nd>
  %b = pto.tile.load %x[0, 0] valid [16, 36] : !pto.gm<64x64xf32> -> !pto.tile<64x64xf32, vec, nd>
  %s = arith.select %c, %a, %b : !pto.tile<64x64xf32, vec, nd>
  %m = pto.tile.row_max %a : !pto.tile<64x64xf32, vec, nd> -> !pto.tile<64x1xf32, vec, dn>
  %n = pto.tile.row_max %s : !pto.tile<64x64xf32, vec, nd> -> !pto.tile<64x1xf32, vec, dn>
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %m, %q = %n) -> (!pto.tile<64x1xf32, vec, dn>, !pto.tile<64x1xf32, vec, dn>) {
    scf.yield %q, %p : !pto.tile<64x1xf32, vec, dn>, !pto.tile<64x1xf32, vec, dn>
  }
  pto.tile.store %r#0, %x[0, 0] : !pto.tile<64x1xf32, vec, dn> -> !pto.gm<64x64xf32>
  return
}
}
