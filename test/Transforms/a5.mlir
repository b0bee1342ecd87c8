// What the passes do for the Ascend 950, each in its turn.
// RUN: split-file %s %t
// RUN: pypto-opt %t/set-target.mlir --pto-set-target | FileCheck %t/set-target.mlir
// RUN: pypto-opt %t/set-target.mlir --pto-set-target=target=a5 | FileCheck %t/set-target.mlir
// RUN: pypto-opt %t/no-target.mlir --pto-set-target=target=a5 | FileCheck %t/no-target.mlir --check-prefix=A5
// RUN: pypto-opt %t/no-target.mlir --pto-set-target=target=a3 | FileCheck %t/no-target.mlir --check-prefix=A3
// RUN: pypto-opt %t/no-target.mlir --pto-set-target | FileCheck %t/no-target.mlir --check-prefix=A3
// RUN: pypto-opt %t/legalize.mlir --pto-legalize | FileCheck %t/legalize.mlir
// RUN: pypto-opt %t/layout.mlir --pto-infer-tile-memory-space --pto-assign-layout | FileCheck %t/layout.mlir
// RUN: pypto-opt %t/expand.mlir --pto-expand-instructions | FileCheck %t/expand.mlir
// RUN: pypto-opt %t/plan.mlir --pto-plan-memory | FileCheck %t/plan.mlir
// RUN: pypto-opt %t/sync.mlir --pto-insert-sync | FileCheck %t/sync.mlir

//--- set-target.mlir
// A module keeps the chip that it names, by its own name.
// CHECK: module attributes {pto.target = "950"}
module attributes {pto.target = "a5"} {
}

//--- no-target.mlir
// A5: module attributes {pto.target = "950"}
// A3: module attributes {pto.target = "910B"}
module {
}

//--- legalize.mlir
module attributes {pto.target = "950"} {
// BF16 computes as it is, where the chip has the instruction; a negation is one.
// CHECK-LABEL: func.func @bfloat(
// CHECK: pto.tile.add %{{.*}} : !pto.tile<16x64xbf16>
// CHECK-NEXT: pto.tile.sub %{{.*}}, %{{.*}} : (!pto.tile<16x64xbf16>, bf16)
// CHECK-NEXT: arith.constant -1.000000e+00 : bf16
// CHECK-NEXT: pto.tile.mul %{{.*}} : (!pto.tile<16x64xbf16>, bf16)
// CHECK-NEXT: pto.tile.cast {{.*}} -> !pto.tile<16x64xf32>
// CHECK-NEXT: pto.tile.relu {{.*}} : !pto.tile<16x64xf32>
// CHECK-NEXT: pto.tile.cast {{.*}} -> !pto.tile<16x64xbf16>
// CHECK-NEXT: pto.tile.cast {{.*}} {round = #pto.round<rint>} : !pto.tile<16x64xbf16> -> !pto.tile<16x64xf16>
func.func @bfloat(%a: !pto.tile<16x64xbf16>, %s: bf16) {
  %b = pto.tile.add %a, %a : !pto.tile<16x64xbf16>
  %c = pto.tile.sub %b, %s : (!pto.tile<16x64xbf16>, bf16) -> !pto.tile<16x64xbf16>
  %d = pto.tile.neg %c : !pto.tile<16x64xbf16>
  %e = pto.tile.relu %d : !pto.tile<16x64xbf16>
  %f = pto.tile.cast %e {round = #pto.round<rint>} : !pto.tile<16x64xbf16> -> !pto.tile<16x64xf16>
  return
}
// CHECK-LABEL: func.func @integers(
// CHECK-NEXT: pto.tile.div %{{.*}} : !pto.tile<16x64xi32>
// CHECK-NEXT: pto.tile.full
// CHECK-NEXT: pto.tile.div %{{.*}} : !pto.tile<16x64xi32>
// CHECK-NEXT: pto.tile.neg
// CHECK-NEXT: pto.tile.abs
// CHECK-NEXT: pto.tile.row_sum
func.func @integers(%a: !pto.tile<16x64xi32>, %s: i32) {
  %b = pto.tile.div %a, %a : !pto.tile<16x64xi32>
  %c = pto.tile.div %b, %s : (!pto.tile<16x64xi32>, i32) -> !pto.tile<16x64xi32>
  %d = pto.tile.neg %c : !pto.tile<16x64xi32>
  %e = pto.tile.abs %d : !pto.tile<16x64xi32>
  %f = pto.tile.row_sum %e : !pto.tile<16x64xi32> -> !pto.tile<16x1xi32>
  return
}
// CHECK-LABEL: func.func @by_a_scalar(
// CHECK-NEXT: pto.tile.div %{{.*}} : (!pto.tile<16x64xf32>, f32)
// CHECK-NEXT: pto.tile.sub %{{.*}} : (!pto.tile<16x64xf32>, f32)
func.func @by_a_scalar(%a: !pto.tile<16x64xf32>, %s: f32) {
  %b = pto.tile.div %a, %s : (!pto.tile<16x64xf32>, f32) -> !pto.tile<16x64xf32>
  %c = pto.tile.sub %b, %s : (!pto.tile<16x64xf32>, f32) -> !pto.tile<16x64xf32>
  return
}
}

//--- layout.mlir
module attributes {pto.target = "950"} {
// CHECK-LABEL: func.func @product(
// CHECK: pto.tile.move {{.*}} -> !pto.tile<32x16xf16, left, nz>
// CHECK: pto.tile.move {{.*}} -> !pto.tile<16x32xf16, right, zn>
// CHECK: pto.tile.matmul {{.*}} -> !pto.tile<32x32xf32, acc, nz>
func.func @product(%a: !pto.gm<32x16xf16>, %b: !pto.gm<16x32xf16>, %out: !pto.gm<32x32xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x16xf16> -> !pto.tile<32x16xf16>
  %u = pto.tile.load %b[0, 0] : !pto.gm<16x32xf16> -> !pto.tile<16x32xf16>
  %c = pto.tile.matmul %t, %u : (!pto.tile<32x16xf16>, !pto.tile<16x32xf16>) -> !pto.tile<32x32xf32>
  pto.tile.store %c, %out[0, 0] : !pto.tile<32x32xf32> -> !pto.gm<32x32xf32>
  return
}
}

//--- expand.mlir
module attributes {pto.target = "950"} {
// All rows of fractals at a time; a product may be as large as the 910B's.
// CHECK-LABEL: func.func @moves(
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<48x80xf16, mat, nz>) outs(%{{.*}} : !pto.buf<48x80xf16, left, nz>)
// CHECK-NEXT: pto.tile.move ins(%{{.*}} : !pto.buf<80x64xf16, mat, nz>) outs(%{{.*}} : !pto.buf<80x64xf16, right, zn>)
// CHECK-NEXT: return
func.func @moves() attributes {pto.kind = #pto.kind<aic>} {
  %a = pto.tile.alloc : !pto.buf<48x80xf16, mat, nz>
  %l = pto.tile.alloc : !pto.buf<48x80xf16, left, nz>
  %b = pto.tile.alloc : !pto.buf<80x64xf16, mat, nz>
  %r = pto.tile.alloc : !pto.buf<80x64xf16, right, zn>
  pto.tile.move ins(%a : !pto.buf<48x80xf16, mat, nz>) outs(%l : !pto.buf<48x80xf16, left, nz>)
  pto.tile.move ins(%b : !pto.buf<80x64xf16, mat, nz>) outs(%r : !pto.buf<80x64xf16, right, zn>)
  return
}
// An INT32 column is picked out of its blocks by row_max.
// CHECK-LABEL: func.func @column(
// CHECK: pto.tile.load
// CHECK-NEXT: pto.tile.row_max
func.func @column(%x: !pto.gm<64x8xi32>) attributes {pto.kind = #pto.kind<aiv>} {
  %v = pto.tile.alloc : !pto.buf<64x1xi32, vec, dn>
  pto.tile.load ins(%x[0, 3] : !pto.gm<64x8xi32>) outs(%v : !pto.buf<64x1xi32, vec, dn>)
  return
}
}

//--- plan.mlir
module attributes {pto.target = "950"} {
// 248 KiB of Vec, in a cluster too; 256 KiB of Acc.
// CHECK-LABEL: func.func @vec(
// CHECK: addrs = array<i64: 0>} : !pto.buf<248x256xf32, vec, nd>
func.func @vec(%x: !pto.gm<248x256xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<248x256xf32, vec, nd>
  pto.tile.load ins(%x[0, 0] : !pto.gm<248x256xf32>) outs(%a : !pto.buf<248x256xf32, vec, nd>)
  pto.tile.store ins(%a : !pto.buf<248x256xf32, vec, nd>) outs(%x[0, 0] : !pto.gm<248x256xf32>)
  return
}
// CHECK-LABEL: func.func @acc(
// CHECK: addrs = array<i64: 0>} : !pto.buf<256x256xf32, acc, nz>
func.func @acc(%x: !pto.gm<256x256xf32>) attributes {pto.kind = #pto.kind<aic>} {
  %l = pto.tile.alloc : !pto.buf<256x16xf16, left, nz>
  %r = pto.tile.alloc : !pto.buf<16x256xf16, right, zn>
  %a = pto.tile.alloc : !pto.buf<256x256xf32, acc, nz>
  pto.tile.matmul ins(%l, %r : !pto.buf<256x16xf16, left, nz>, !pto.buf<16x256xf16, right, zn>) outs(%a : !pto.buf<256x256xf32, acc, nz>)
  pto.tile.store ins(%a : !pto.buf<256x256xf32, acc, nz>) outs(%x[0, 0] : !pto.gm<256x256xf32>)
  return
}
}

//--- sync.mlir
module attributes {pto.target = "950"} {
// Flags as on the 910B: mutexes are for hand-written programs.
// CHECK-LABEL: func.func @product(
// CHECK: pto.block.set_flag mte2 -> mte1
// CHECK: pto.block.set_flag mte1 -> m
// CHECK: pto.block.set_flag m -> fix
// CHECK: pto.block.barrier all
func.func @product(%x: !pto.gm<32x16xf16>, %y: !pto.gm<16x32xf16>, %o: !pto.gm<32x32xf32>) attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<none>} {
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x16xf16, mat, nz>
  %b = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<16x32xf16, mat, nz>
  %l = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x16xf16, left, nz>
  %r = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x32xf16, right, zn>
  %c = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x32xf32, acc, nz>
  pto.tile.load ins(%x[0, 0] : !pto.gm<32x16xf16>) outs(%a : !pto.buf<32x16xf16, mat, nz>)
  pto.tile.load ins(%y[0, 0] : !pto.gm<16x32xf16>) outs(%b : !pto.buf<16x32xf16, mat, nz>)
  pto.tile.move ins(%a : !pto.buf<32x16xf16, mat, nz>) outs(%l : !pto.buf<32x16xf16, left, nz>)
  pto.tile.move ins(%b : !pto.buf<16x32xf16, mat, nz>) outs(%r : !pto.buf<16x32xf16, right, zn>)
  pto.tile.matmul ins(%l, %r : !pto.buf<32x16xf16, left, nz>, !pto.buf<16x32xf16, right, zn>) outs(%c : !pto.buf<32x32xf32, acc, nz>)
  pto.tile.store ins(%c : !pto.buf<32x32xf32, acc, nz>) outs(%o[0, 0] : !pto.gm<32x32xf32>)
  return
}
}
