// RUN: pypto-opt %s --pto-expand-instructions | FileCheck %s

!w = !pto.buf<64x100xf32, vec, nd, of<64x104>>
module attributes {pto.target = "910B"} {
// Whole rows are one count-form operation, however many; a dn vector too.
// CHECK-LABEL: func.func @contiguous
// CHECK: pto.tile.exp ins(%{{.*}} : !pto.buf<40x104xf32, vec, nd, of<64x104>>)
// CHECK: pto.tile.sqrt ins(%{{.*}} : !pto.buf<?x1xf32, vec, dn, of<512x1>>)
// CHECK: return
func.func @contiguous(%n: index) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<64x104xf32, vec, nd>
  %v = pto.tile.alloc : !pto.buf<512x1xf32, vec, dn>
  %s = pto.tile.subview %a[0, 0] [40, 104] : !pto.buf<64x104xf32, vec, nd> -> !pto.buf<40x104xf32, vec, nd, of<64x104>>
  pto.tile.exp ins(%s : !pto.buf<40x104xf32, vec, nd, of<64x104>>) outs(%s : !pto.buf<40x104xf32, vec, nd, of<64x104>>)
  %t = pto.tile.subview %v[0, 0] [%n, 1] : !pto.buf<512x1xf32, vec, dn> -> !pto.buf<?x1xf32, vec, dn, of<512x1>>
  pto.tile.sqrt ins(%t : !pto.buf<?x1xf32, vec, dn, of<512x1>>) outs(%t : !pto.buf<?x1xf32, vec, dn, of<512x1>>)
  return
}

// Partial rows: columns in repeats of 64; a conversion by its wider type.
// CHECK-LABEL: func.func @columns
// CHECK: %[[A:.*]] = pto.tile.alloc
// CHECK-COUNT-2: pto.tile.subview %[[A]] [0, 0] [64, 64]
// CHECK: pto.tile.exp ins(%{{.*}} : !pto.buf<64x64xf32, vec, nd, of<64x104>>)
// CHECK-COUNT-2: pto.tile.subview %[[A]] [0, 64] [64, 36]
// CHECK: pto.tile.exp ins(%{{.*}} : !pto.buf<64x36xf32, vec, nd, of<64x104>>)
// CHECK: pto.tile.cast ins({{.*}} : !pto.buf<64x64xf32, {{.*}}>) outs({{.*}} : !pto.buf<64x64xf16, {{.*}}>) {round = #pto.round<rint>}
// CHECK: pto.tile.cast ins({{.*}} : !pto.buf<64x36xf32, {{.*}}>) outs({{.*}} : !pto.buf<64x36xf16, {{.*}}>) {round = #pto.round<rint>}
// CHECK-NOT: pto.tile.cast
func.func @columns() attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<64x104xf32, vec, nd>
  %h = pto.tile.alloc : !pto.buf<64x112xf16, vec, nd>
  %s = pto.tile.subview %a[0, 0] [64, 100] : !pto.buf<64x104xf32, vec, nd> -> !w
  %t = pto.tile.subview %h[0, 0] [64, 100] : !pto.buf<64x112xf16, vec, nd> -> !pto.buf<64x100xf16, vec, nd, of<64x112>>
  pto.tile.exp ins(%s : !w) outs(%s : !w)
  pto.tile.cast ins(%s : !w) outs(%t : !pto.buf<64x100xf16, vec, nd, of<64x112>>) {round = #pto.round<rint>}
  return
}

// More than a handful of columns are a loop and a tail; a dynamic width is a loop
// whose pieces are clamped and never empty; rows beyond 255 are cut.
// CHECK-LABEL: func.func @loops
// CHECK-SAME: %[[N:.*]]: index
// CHECK: %[[FROM:.*]] = arith.constant 0 : index
// CHECK: %[[TO:.*]] = arith.constant 448 : index
// CHECK: %[[BY:.*]] = arith.constant 64 : index
// CHECK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]] step %[[BY]] {
// CHECK: %[[P:.*]] = pto.tile.subview %{{.*}} [0, %[[I]]] [8, 64]
// CHECK: pto.tile.exp ins(%[[P]]
// CHECK: }
// CHECK: pto.tile.subview %{{.*}} [0, 448] [8, 12]
// CHECK: pto.tile.exp
// CHECK: %[[L:.*]] = arith.constant 64 : index
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[N]] step
// CHECK: %[[REST:.*]] = arith.subi %[[N]], %[[J]]
// CHECK: %[[SIZE:.*]] = arith.minsi %[[L]], %[[REST]]
// CHECK: pto.tile.subview %{{.*}} [0, %[[J]]] [8, %[[SIZE]]] : !pto.buf<8x464xf32, vec, nd> -> !pto.buf<8x?xf32, vec, nd, of<8x464>>
// CHECK: pto.tile.sqrt
// CHECK: }
// CHECK: pto.tile.subview %{{.*}} [0, 0] [255, 8]
// CHECK: pto.tile.relu
// CHECK: pto.tile.subview %{{.*}} [255, 0] [45, 8]
// CHECK: pto.tile.relu
func.func @loops(%n: index) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<8x464xf32, vec, nd>
  %s = pto.tile.subview %a[0, 0] [8, 460] : !pto.buf<8x464xf32, vec, nd> -> !pto.buf<8x460xf32, vec, nd, of<8x464>>
  pto.tile.exp ins(%s : !pto.buf<8x460xf32, vec, nd, of<8x464>>) outs(%s : !pto.buf<8x460xf32, vec, nd, of<8x464>>)
  %d = pto.tile.subview %a[0, 0] [8, %n] : !pto.buf<8x464xf32, vec, nd> -> !pto.buf<8x?xf32, vec, nd, of<8x464>>
  pto.tile.sqrt ins(%d : !pto.buf<8x?xf32, vec, nd, of<8x464>>) outs(%d : !pto.buf<8x?xf32, vec, nd, of<8x464>>)
  %r = pto.tile.alloc : !pto.buf<300x16xf32, vec, nd>
  %u = pto.tile.subview %r[0, 0] [300, 8] : !pto.buf<300x16xf32, vec, nd> -> !pto.buf<300x8xf32, vec, nd, of<300x16>>
  pto.tile.relu ins(%u : !pto.buf<300x8xf32, vec, nd, of<300x16>>) outs(%u : !pto.buf<300x8xf32, vec, nd, of<300x16>>)
  return
}

// A row beyond the reach of a repeat stride (255 blocks) is an instruction of its own.
// CHECK-LABEL: func.func @far_rows
// CHECK: scf.for %[[I:.*]] =
// CHECK: pto.tile.subview %{{.*}} [%[[I]], 0] [1, 40] : !pto.buf<8x2048xf32, vec, nd> -> !pto.buf<1x40xf32, vec, nd, of<8x2048>>
// CHECK: pto.tile.exp
func.func @far_rows() attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<8x2048xf32, vec, nd>
  %s = pto.tile.subview %a[0, 0] [8, 40] : !pto.buf<8x2048xf32, vec, nd> -> !pto.buf<8x40xf32, vec, nd, of<8x2048>>
  pto.tile.exp ins(%s : !pto.buf<8x40xf32, vec, nd, of<8x2048>>) outs(%s : !pto.buf<8x40xf32, vec, nd, of<8x2048>>)
  return
}

// One row is contiguous, however wide its allocation: the count form. A copy of
// it ends within a block of 32 bytes and goes by repeats.
// CHECK-LABEL: func.func @one_row
// CHECK-NOT: pto.tile.exp ins({{.*}}1x64xf32
// CHECK: pto.tile.exp ins(%[[W:.*]] : !pto.buf<1x100xf32, vec, nd, of<8x104>>) outs(%[[W]] :
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<1x64xf32, vec, nd, of<8x104>>)
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<1x36xf32, vec, nd, of<8x104>>)
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<1x96xf32, vec, nd, of<8x104>>)
func.func @one_row() attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<8x104xf32, vec, nd>
  %b = pto.tile.alloc : !pto.buf<8x104xf32, vec, nd>
  %s = pto.tile.subview %a[3, 0] [1, 100] : !pto.buf<8x104xf32, vec, nd> -> !pto.buf<1x100xf32, vec, nd, of<8x104>>
  pto.tile.exp ins(%s : !pto.buf<1x100xf32, vec, nd, of<8x104>>) outs(%s : !pto.buf<1x100xf32, vec, nd, of<8x104>>)
  %d = pto.tile.subview %b[5, 0] [1, 100] : !pto.buf<8x104xf32, vec, nd> -> !pto.buf<1x100xf32, vec, nd, of<8x104>>
  pto.tile.move ins(%s : !pto.buf<1x100xf32, vec, nd, of<8x104>>) outs(%d : !pto.buf<1x100xf32, vec, nd, of<8x104>>)
  %t = pto.tile.subview %a[3, 0] [1, 96] : !pto.buf<8x104xf32, vec, nd> -> !pto.buf<1x96xf32, vec, nd, of<8x104>>
  %e = pto.tile.subview %b[5, 0] [1, 96] : !pto.buf<8x104xf32, vec, nd> -> !pto.buf<1x96xf32, vec, nd, of<8x104>>
  pto.tile.move ins(%t : !pto.buf<1x96xf32, vec, nd, of<8x104>>) outs(%e : !pto.buf<1x96xf32, vec, nd, of<8x104>>)
  return
}

// So does the copy of a vector that ends within a block.
// CHECK-LABEL: func.func @copied_vectors
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<?x1xf32, vec, dn, of<64x1>>)
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<64x1xf32, vec, dn, of<104x1>>)
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<36x1xf32, vec, dn, of<104x1>>)
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<104x1xf32, vec, dn>)
func.func @copied_vectors(%n: index) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<64x1xf32, vec, dn>
  %b = pto.tile.alloc : !pto.buf<64x1xf32, vec, dn>
  %s = pto.tile.subview %a[0, 0] [%n, 1] : !pto.buf<64x1xf32, vec, dn> -> !pto.buf<?x1xf32, vec, dn, of<64x1>>
  %d = pto.tile.subview %b[0, 0] [%n, 1] : !pto.buf<64x1xf32, vec, dn> -> !pto.buf<?x1xf32, vec, dn, of<64x1>>
  pto.tile.move ins(%s : !pto.buf<?x1xf32, vec, dn, of<64x1>>) outs(%d : !pto.buf<?x1xf32, vec, dn, of<64x1>>)
  %e = pto.tile.alloc : !pto.buf<104x1xf32, vec, dn>
  %f = pto.tile.alloc : !pto.buf<104x1xf32, vec, dn>
  %t = pto.tile.subview %e[0, 0] [100, 1] : !pto.buf<104x1xf32, vec, dn> -> !pto.buf<100x1xf32, vec, dn, of<104x1>>
  %u = pto.tile.subview %f[0, 0] [100, 1] : !pto.buf<104x1xf32, vec, dn> -> !pto.buf<100x1xf32, vec, dn, of<104x1>>
  pto.tile.move ins(%t : !pto.buf<100x1xf32, vec, dn, of<104x1>>) outs(%u : !pto.buf<100x1xf32, vec, dn, of<104x1>>)
  pto.tile.move ins(%e : !pto.buf<104x1xf32, vec, dn>) outs(%f : !pto.buf<104x1xf32, vec, dn>)
  return
}

// Wide rows fold in the stated order: copied, folded, the tail only into its lanes.
// CHECK-LABEL: func.func @fold
// CHECK: %[[S:.*]] = pto.tile.alloc {pto.reason = "holds the rows of {{.*}} folded to one repeat"} : !pto.buf<64x64xf32, vec, nd>
// CHECK: %[[F:.*]] = pto.tile.subview %{{.*}} [0, 0] [64, 64]
// CHECK: pto.tile.move ins(%[[F]] : {{.*}}) outs(%[[S]] : !pto.buf<64x64xf32, vec, nd>)
// CHECK: %[[INTO:.*]] = pto.tile.subview %[[S]] [0, 0] [64, 36]
// CHECK: %[[TAIL:.*]] = pto.tile.subview %{{.*}} [0, 64] [64, 36]
// CHECK: pto.tile.maximum ins(%[[INTO]], %[[TAIL]] : {{.*}}) outs(%[[INTO]] :
// CHECK: pto.tile.row_max ins(%[[S]] : !pto.buf<64x64xf32, vec, nd>) outs(%{{.*}} : !pto.buf<64x1xf32, vec, dn>)
// CHECK: pto.tile.add
// CHECK: pto.tile.row_sum
func.func @fold() attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<64x104xf32, vec, nd>
  %v = pto.tile.alloc : !pto.buf<64x1xf32, vec, dn>
  %s = pto.tile.subview %a[0, 0] [64, 100] : !pto.buf<64x104xf32, vec, nd> -> !w
  pto.tile.row_max ins(%s : !w) outs(%v : !pto.buf<64x1xf32, vec, dn>)
  pto.tile.row_sum ins(%s : !w) outs(%v : !pto.buf<64x1xf32, vec, dn>)
  return
}

// Of a dynamic width, the first repeat may not be full.
// CHECK-LABEL: func.func @fold_dynamic
// CHECK-SAME: %[[N:.*]]: index
// CHECK: %[[L:.*]] = arith.constant 128 : index
// CHECK: %[[FIRST:.*]] = arith.minsi %[[L]], %[[N]]
// CHECK: %[[F:.*]] = pto.tile.subview %[[S:.*]] [0, 0] [16, %[[FIRST]]] : !pto.buf<16x128xf16, vec, nd>
// CHECK: pto.tile.move
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]] step
// CHECK: pto.tile.add
// CHECK: }
// CHECK: pto.tile.row_sum ins(%[[F]] :
func.func @fold_dynamic(%n: index) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<16x512xf16, vec, nd>
  %v = pto.tile.alloc : !pto.buf<16x1xf16, vec, dn>
  %s = pto.tile.subview %a[0, 0] [16, %n] : !pto.buf<16x512xf16, vec, nd> -> !pto.buf<16x?xf16, vec, nd, of<16x512>>
  pto.tile.row_sum ins(%s : !pto.buf<16x?xf16, vec, nd, of<16x512>>) outs(%v : !pto.buf<16x1xf16, vec, dn>)
  return
}

// One block a row from brcb, then repeats; 16 lanes of FP16 a block, 128 a repeat.
// CHECK-LABEL: func.func @expand
// CHECK: %[[B:.*]] = pto.tile.alloc {{.*}} : !pto.buf<32x16xf16, vec, nd>
// CHECK: %[[BW:.*]] = pto.tile.subview %[[B]] [0, 0] [30, 16]
// CHECK: pto.tile.brcb ins(%{{.*}} : !pto.buf<30x1xf16, vec, dn, of<32x1>>) outs(%[[BW]] :
// CHECK: pto.tile.row_expand_mul ins(%{{.*}}, %[[BW]] : !pto.buf<30x128xf16, vec, nd, of<30x256>>, !pto.buf<30x16xf16, vec, nd, of<32x16>>)
// CHECK: pto.tile.row_expand_mul
// CHECK-NOT: pto.tile.row_expand_mul
// A vector with a vector is element by element.
// CHECK: pto.tile.div ins(
func.func @expand() attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<30x256xf16, vec, nd>
  %v = pto.tile.alloc : !pto.buf<32x1xf16, vec, dn>
  %s = pto.tile.subview %v[0, 0] [30, 1] : !pto.buf<32x1xf16, vec, dn> -> !pto.buf<30x1xf16, vec, dn, of<32x1>>
  pto.tile.row_expand_mul ins(%a, %s : !pto.buf<30x256xf16, vec, nd>, !pto.buf<30x1xf16, vec, dn, of<32x1>>) outs(%a : !pto.buf<30x256xf16, vec, nd>)
  pto.tile.row_expand_div ins(%s, %s : !pto.buf<30x1xf16, vec, dn, of<32x1>>, !pto.buf<30x1xf16, vec, dn, of<32x1>>) outs(%s : !pto.buf<30x1xf16, vec, dn, of<32x1>>)
  return
}

// An allocation that is no multiple of eight is not read past its end.
// CHECK-LABEL: func.func @padded
// CHECK: %[[R:.*]] = pto.tile.alloc {{.*}} : !pto.buf<16x1xf32, vec, dn>
// CHECK: %[[W:.*]] = pto.tile.subview %[[R]] [0, 0] [12, 1]
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<12x1xf32, vec, dn>) outs(%[[W]] :
// CHECK: pto.tile.brcb ins(%[[W]] :
func.func @padded() attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<12x64xf32, vec, nd>
  %v = pto.tile.alloc : !pto.buf<12x1xf32, vec, dn>
  pto.tile.row_expand_sub ins(%a, %v : !pto.buf<12x64xf32, vec, nd>, !pto.buf<12x1xf32, vec, dn>) outs(%a : !pto.buf<12x64xf32, vec, nd>)
  return
}

// To Left and Right, a row of fractals at a time.
// CHECK-LABEL: func.func @moves
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[F:.*]] = pto.tile.subview %{{.*}} [%[[I]], 0] [16, 80] : !pto.buf<48x80xf16, mat, nz> -> !pto.buf<16x80xf16, mat, nz, of<48x80>>
// CHECK: %[[T:.*]] = pto.tile.subview %{{.*}} [%[[I]], 0] [16, 80] : !pto.buf<48x80xf16, left, zz>
// CHECK: pto.tile.move ins(%[[F]] : {{.*}}) outs(%[[T]] :
// CHECK: }
// CHECK-NOT: scf.for
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<16x64xf16, mat, nz, of<32x64>>)
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<16x64xf16, mat, nz, of<32x64>>)
// CHECK: return
func.func @moves() attributes {pto.kind = #pto.kind<aic>} {
  %a = pto.tile.alloc : !pto.buf<48x80xf16, mat, nz>
  %l = pto.tile.alloc : !pto.buf<48x80xf16, left, zz>
  %b = pto.tile.alloc : !pto.buf<32x64xf16, mat, nz>
  %r = pto.tile.alloc : !pto.buf<32x64xf16, right, zn>
  pto.tile.move ins(%a : !pto.buf<48x80xf16, mat, nz>) outs(%l : !pto.buf<48x80xf16, left, zz>)
  pto.tile.move ins(%b : !pto.buf<32x64xf16, mat, nz>) outs(%r : !pto.buf<32x64xf16, right, zn>)
  return
}

// 4095 rows a copy; a column of an array goes through one block an element.
// CHECK-LABEL: func.func @copies
// CHECK-SAME: %[[X:.*]]: !pto.gm<8000x8xf32>, %[[I:.*]]: index
// CHECK: %[[COL:.*]] = pto.tile.alloc {{.*}} : !pto.buf<16x8xf32, vec, nd>
// CHECK: %[[BLK:.*]] = pto.tile.alloc {{.*}} : !pto.buf<16x8xf32, vec, nd>
// CHECK: pto.tile.load ins(%[[X]][%[[I]], 0] : !pto.gm<8000x8xf32>) outs(%{{.*}} : !pto.buf<4095x8xf32, vec, nd, of<5000x8>>)
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: pto.tile.load ins(%[[X]][%[[NEXT]], 0] : !pto.gm<8000x8xf32>) outs(%{{.*}} : !pto.buf<905x8xf32, vec, nd, of<5000x8>>)
// CHECK: %[[W:.*]] = pto.tile.subview %[[COL]] [0, 0] [16, 1]
// CHECK: pto.tile.load ins(%[[X]][0, 3] : !pto.gm<8000x8xf32>) outs(%[[W]] : !pto.buf<16x1xf32, vec, nd, of<16x8>>)
// CHECK: pto.tile.row_max ins(%[[W]] : {{.*}}) outs(%[[V:.*]] : !pto.buf<16x1xf32, vec, dn>)
// CHECK: pto.tile.brcb ins(%[[V]] : {{.*}}) outs(%[[BLK]] :
// CHECK: %[[S:.*]] = pto.tile.subview %[[BLK]] [0, 0] [16, 1]
// CHECK: pto.tile.store ins(%[[S]] : {{.*}}) outs(%[[X]][0, 3] : !pto.gm<8000x8xf32>)
func.func @copies(%x: !pto.gm<8000x8xf32>, %i: index) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<5000x8xf32, vec, nd>
  %v = pto.tile.alloc : !pto.buf<16x1xf32, vec, dn>
  pto.tile.load ins(%x[%i, 0] : !pto.gm<8000x8xf32>) outs(%a : !pto.buf<5000x8xf32, vec, nd>)
  pto.tile.load ins(%x[0, 3] : !pto.gm<8000x8xf32>) outs(%v : !pto.buf<16x1xf32, vec, dn>)
  pto.tile.store ins(%v : !pto.buf<16x1xf32, vec, dn>) outs(%x[0, 3] : !pto.gm<8000x8xf32>)
  return
}
}
