// RUN: pypto-opt %s | pypto-opt | FileCheck %s
// RUN: pypto-opt %s -mlir-print-op-generic | pypto-opt | FileCheck %s
// Every operation of the family prints as it is written, in both forms.

!t = !pto.tile<64x128xf32, vec>
!v = !pto.tile<64x1xf32, vec>
!b = !pto.buf<64x128xf32, vec, nd>
!w = !pto.buf<64x1xf32, vec, dn>
!k = !pto.buf<64x8xf32, vec, nd>

// CHECK-LABEL: @movement
func.func @movement(%x: !pto.gm<64x100xf32>, %a: tensor<128x128xf32>, %n: index, %m: !pto.tile<32x32xf16, mat, nz>, %s: f32) {
  // CHECK: pto.tile.load %{{.*}}[0, 0] : !pto.gm<64x100xf32> -> !pto.tile<64x96xf32>
  %0 = pto.tile.load %x[0, 0] : !pto.gm<64x100xf32> -> !pto.tile<64x96xf32>
  // CHECK: pto.tile.load %{{.*}}[%{{.*}}, 0] valid [64, %{{.*}}] {note = 1 : i64} : !pto.gm<64x100xf32> -> !pto.tile<64x104xf32, vec>
  %1 = pto.tile.load %x[%n, 0] valid [64, %n] {note = 1 : i64} : !pto.gm<64x100xf32> -> !pto.tile<64x104xf32, vec>
  // CHECK: pto.tile.load %{{.*}}[64, %{{.*}}] : tensor<128x128xf32> -> !pto.tile<64x128xf32, vec>
  %2 = pto.tile.load %a[64, %n] : tensor<128x128xf32> -> !t
  // CHECK: pto.tile.store %{{.*}}, %{{.*}}[%{{.*}}, 0] {note = 1 : i64} : !pto.tile<64x128xf32, vec> -> tensor<128x128xf32>
  %3 = pto.tile.store %2, %a[%n, 0] {note = 1 : i64} : !t -> tensor<128x128xf32>
  // CHECK: pto.tile.store %{{.*}}, %{{.*}}[0, 0] : !pto.tile<64x96xf32> -> !pto.gm<64x100xf32>
  pto.tile.store %0, %x[0, 0] : !pto.tile<64x96xf32> -> !pto.gm<64x100xf32>
  // CHECK: pto.tile.move %{{.*}} : !pto.tile<32x32xf16, mat, nz> -> !pto.tile<32x32xf16, left, zz>
  %4 = pto.tile.move %m : !pto.tile<32x32xf16, mat, nz> -> !pto.tile<32x32xf16, left, zz>
  // CHECK: pto.tile.full %{{.*}} : f32 -> !pto.tile<64x128xf32, vec>
  %5 = pto.tile.full %s : f32 -> !t
  // CHECK: pto.tile.set_validshape %{{.*}} [%{{.*}}, 100] : !pto.tile<64x128xf32, vec>
  %6 = pto.tile.set_validshape %5 [%n, 100] : !t
  return
}

// CHECK-LABEL: @elementwise
func.func @elementwise(%a: !t, %s: f32) {
  // CHECK: pto.tile.add %{{.*}}, %{{.*}} : !pto.tile<64x128xf32, vec>
  %0 = pto.tile.add %a, %a : !t
  // CHECK: pto.tile.sub %{{.*}}, %{{.*}} : (!pto.tile<64x128xf32, vec>, f32) -> !pto.tile<64x128xf32, vec>
  %1 = pto.tile.sub %a, %s : (!t, f32) -> !t
  // CHECK: pto.tile.mul
  %2 = pto.tile.mul %a, %a : !t
  // CHECK: pto.tile.div
  %3 = pto.tile.div %a, %a : !t
  // CHECK: pto.tile.maximum
  %4 = pto.tile.maximum %a, %a : !t
  // CHECK: pto.tile.minimum
  %5 = pto.tile.minimum %a, %a : !t
  // CHECK: pto.tile.exp %{{.*}} : !pto.tile<64x128xf32, vec>
  %6 = pto.tile.exp %a : !t
  // CHECK: pto.tile.sqrt
  %7 = pto.tile.sqrt %a : !t
  // CHECK: pto.tile.neg
  %8 = pto.tile.neg %a : !t
  // CHECK: pto.tile.abs
  %9 = pto.tile.abs %a : !t
  // CHECK: pto.tile.relu
  %10 = pto.tile.relu %a : !t
  // CHECK: pto.tile.cast %{{.*}} {round = #pto.round<odd>} : !pto.tile<64x128xf32, vec> -> !pto.tile<64x128xi32, vec>
  %11 = pto.tile.cast %a {round = #pto.round<odd>} : !t -> !pto.tile<64x128xi32, vec>
  return
}

// CHECK-LABEL: @rows_and_products
func.func @rows_and_products(%a: !t, %v: !v, %l: !pto.tile<32x64xf16, left>, %r: !pto.tile<64x16xf16, right>) {
  // CHECK: pto.tile.row_max %{{.*}} : !pto.tile<64x128xf32, vec> -> !pto.tile<64x1xf32, vec>
  %0 = pto.tile.row_max %a : !t -> !v
  // CHECK: pto.tile.row_sum
  %1 = pto.tile.row_sum %a : !t -> !v
  // CHECK: pto.tile.row_expand_sub %{{.*}}, %{{.*}} : (!pto.tile<64x128xf32, vec>, !pto.tile<64x1xf32, vec>) -> !pto.tile<64x128xf32, vec>
  %2 = pto.tile.row_expand_sub %a, %v : (!t, !v) -> !t
  // CHECK: pto.tile.row_expand_mul
  %3 = pto.tile.row_expand_mul %a, %v : (!t, !v) -> !t
  // CHECK: pto.tile.row_expand_div
  %4 = pto.tile.row_expand_div %a, %v : (!t, !v) -> !t
  // CHECK: pto.tile.matmul %{{.*}}, %{{.*}} : (!pto.tile<32x64xf16, left>, !pto.tile<64x16xf16, right>) -> !pto.tile<32x16xf32, acc>
  %5 = pto.tile.matmul %l, %r : (!pto.tile<32x64xf16, left>, !pto.tile<64x16xf16, right>) -> !pto.tile<32x16xf32, acc>
  // CHECK: pto.tile.matmul_acc %{{.*}}, %{{.*}}, %{{.*}} : (!pto.tile<32x16xf32, acc>, !pto.tile<32x64xf16, left>, !pto.tile<64x16xf16, right>) -> !pto.tile<32x16xf32, acc>
  %6 = pto.tile.matmul_acc %5, %l, %r : (!pto.tile<32x16xf32, acc>, !pto.tile<32x64xf16, left>, !pto.tile<64x16xf16, right>) -> !pto.tile<32x16xf32, acc>
  return
}

// A source may still be elsewhere, or nowhere yet, and a result open.
// CHECK-LABEL: @open
func.func @open(%m: !pto.tile<64x128xf32, mat>, %o: !pto.tile<64x128xf32>) {
  // CHECK: pto.tile.add %{{.*}}, %{{.*}} : (!pto.tile<64x128xf32, mat>, !pto.tile<64x128xf32>) -> !pto.tile<64x128xf32>
  %0 = pto.tile.add %m, %o : (!pto.tile<64x128xf32, mat>, !pto.tile<64x128xf32>) -> !pto.tile<64x128xf32>
  return
}

// CHECK-LABEL: @buffers
func.func @buffers(%i: index) {
  // CHECK: pto.tile.alloc : !pto.buf<64x128xf32, vec, nd>
  %0 = pto.tile.alloc : !b
  // CHECK: %[[S:.*]] = pto.tile.alloc {addrs = array<i64: 0, 32768>, pinned} : !pto.buf<64x128xf32, vec, nd, slots<2>>
  %1 = pto.tile.alloc {addrs = array<i64: 0, 32768>, pinned} : !pto.buf<64x128xf32, vec, nd, slots<2>>
  // CHECK: pto.tile.slot %[[S]][%{{.*}}] : !pto.buf<64x128xf32, vec, nd, slots<2>>
  %2 = pto.tile.slot %1[%i] : !pto.buf<64x128xf32, vec, nd, slots<2>>
  // CHECK: pto.tile.subview %{{.*}} [%{{.*}}, 64] [%{{.*}}, 36] : !pto.buf<64x128xf32, vec, nd> -> !pto.buf<?x36xf32, vec, nd, of<64x128>>
  %3 = pto.tile.subview %2[%i, 64] [%i, 36] : !b -> !pto.buf<?x36xf32, vec, nd, of<64x128>>
  return
}

// CHECK-LABEL: @movement_in_buffers
func.func @movement_in_buffers(%x: !pto.gm<128x128xf32>, %a: tensor<128x128xf32>, %b: !b, %i: index, %s: f32) {
  // CHECK: pto.tile.load ins(%{{.*}}[%{{.*}}, 0] : !pto.gm<128x128xf32>) outs(%{{.*}} : !pto.buf<64x128xf32, vec, nd>) {note = 1 : i64}
  pto.tile.load ins(%x[%i, 0] : !pto.gm<128x128xf32>) outs(%b : !b) {note = 1 : i64}
  // CHECK: pto.tile.store ins(%{{.*}} : !pto.buf<64x128xf32, vec, nd>) outs(%{{.*}}[64, %{{.*}}] : !pto.gm<128x128xf32>) {note = 1 : i64}
  pto.tile.store ins(%b : !b) outs(%x[64, %i] : !pto.gm<128x128xf32>) {note = 1 : i64}
  // CHECK: %{{.*}} = pto.tile.store ins(%{{.*}} : !pto.buf<64x128xf32, vec, nd>) outs(%{{.*}}[0, 0] : tensor<128x128xf32>)
  %0 = pto.tile.store ins(%b : !b) outs(%a[0, 0] : tensor<128x128xf32>)
  // CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<64x128xf32, vec, nd>) outs(%{{.*}} : !pto.buf<64x128xf32, vec, nd>)
  pto.tile.move ins(%b : !b) outs(%b : !b)
  // CHECK: pto.tile.full ins(%{{.*}} : f32) outs(%{{.*}} : !pto.buf<64x128xf32, vec, nd>)
  pto.tile.full ins(%s : f32) outs(%b : !b)
  return
}

// CHECK-LABEL: @elementwise_in_buffers
func.func @elementwise_in_buffers(%a: !b, %d: !b, %i: !pto.buf<64x128xi32, vec, nd>, %s: f32) {
  // CHECK: pto.tile.add ins(%{{.*}}, %{{.*}} : !pto.buf<64x128xf32, vec, nd>, !pto.buf<64x128xf32, vec, nd>) outs(%{{.*}} : !pto.buf<64x128xf32, vec, nd>) {note}
  pto.tile.add ins(%a, %a : !b, !b) outs(%d : !b) {note}
  // CHECK: pto.tile.sub ins(%{{.*}}, %{{.*}} : !pto.buf<64x128xf32, vec, nd>, f32) outs
  pto.tile.sub ins(%a, %s : !b, f32) outs(%d : !b)
  // CHECK: pto.tile.mul ins
  pto.tile.mul ins(%a, %a : !b, !b) outs(%d : !b)
  // CHECK: pto.tile.div ins
  pto.tile.div ins(%a, %a : !b, !b) outs(%d : !b)
  // CHECK: pto.tile.maximum ins
  pto.tile.maximum ins(%a, %a : !b, !b) outs(%d : !b)
  // CHECK: pto.tile.minimum ins
  pto.tile.minimum ins(%a, %a : !b, !b) outs(%d : !b)
  // CHECK: pto.tile.exp ins(%{{.*}} : !pto.buf<64x128xf32, vec, nd>) outs(%{{.*}} : !pto.buf<64x128xf32, vec, nd>)
  pto.tile.exp ins(%a : !b) outs(%d : !b)
  // CHECK: pto.tile.sqrt ins
  pto.tile.sqrt ins(%a : !b) outs(%d : !b)
  // CHECK: pto.tile.neg ins
  pto.tile.neg ins(%a : !b) outs(%d : !b)
  // CHECK: pto.tile.abs ins
  pto.tile.abs ins(%a : !b) outs(%d : !b)
  // CHECK: pto.tile.relu ins
  pto.tile.relu ins(%a : !b) outs(%d : !b)
  // CHECK: pto.tile.cast ins(%{{.*}} : !pto.buf<64x128xf32, vec, nd>) outs(%{{.*}} : !pto.buf<64x128xi32, vec, nd>) {round = #pto.round<trunc>}
  pto.tile.cast ins(%a : !b) outs(%i : !pto.buf<64x128xi32, vec, nd>) {round = #pto.round<trunc>}
  return
}

// CHECK-LABEL: @rows_and_products_in_buffers
func.func @rows_and_products_in_buffers(%a: !b, %d: !b, %v: !w, %k: !k, %l: !pto.buf<?x64xf16, left, zz, of<32x64>>, %r: !pto.buf<64x16xf16, right, zn>, %c: !pto.buf<?x16xf32, acc, nz, of<32x16>>) {
  // CHECK: pto.tile.row_max ins(%{{.*}} : !pto.buf<64x128xf32, vec, nd>) outs(%{{.*}} : !pto.buf<64x1xf32, vec, dn>)
  pto.tile.row_max ins(%a : !b) outs(%v : !w)
  // CHECK: pto.tile.row_sum ins
  pto.tile.row_sum ins(%a : !b) outs(%v : !w)
  // CHECK: pto.tile.row_expand_sub ins(%{{.*}}, %{{.*}} : !pto.buf<64x128xf32, vec, nd>, !pto.buf<64x1xf32, vec, dn>) outs
  pto.tile.row_expand_sub ins(%a, %v : !b, !w) outs(%d : !b)
  // CHECK: pto.tile.row_expand_mul ins(%{{.*}}, %{{.*}} : !pto.buf<64x128xf32, vec, nd>, !pto.buf<64x8xf32, vec, nd>) outs
  pto.tile.row_expand_mul ins(%a, %k : !b, !k) outs(%d : !b)
  // CHECK: pto.tile.row_expand_div ins
  pto.tile.row_expand_div ins(%a, %k : !b, !k) outs(%d : !b)
  // CHECK: pto.tile.brcb ins(%{{.*}} : !pto.buf<64x1xf32, vec, dn>) outs(%{{.*}} : !pto.buf<64x8xf32, vec, nd>)
  pto.tile.brcb ins(%v : !w) outs(%k : !k)
  // CHECK: pto.tile.matmul ins(%{{.*}}, %{{.*}} : !pto.buf<?x64xf16, left, zz, of<32x64>>, !pto.buf<64x16xf16, right, zn>) outs(%{{.*}} : !pto.buf<?x16xf32, acc, nz, of<32x16>>)
  pto.tile.matmul ins(%l, %r : !pto.buf<?x64xf16, left, zz, of<32x64>>, !pto.buf<64x16xf16, right, zn>) outs(%c : !pto.buf<?x16xf32, acc, nz, of<32x16>>)
  // CHECK: pto.tile.matmul_acc ins(%[[C:.*]], %{{.*}}, %{{.*}} : {{.*}}) outs(%[[C]] : !pto.buf<?x16xf32, acc, nz, of<32x16>>)
  pto.tile.matmul_acc ins(%c, %l, %r : !pto.buf<?x16xf32, acc, nz, of<32x16>>, !pto.buf<?x64xf16, left, zz, of<32x64>>, !pto.buf<64x16xf16, right, zn>) outs(%c : !pto.buf<?x16xf32, acc, nz, of<32x16>>)
  return
}
