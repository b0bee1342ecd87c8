// RUN: pypto-opt %s --pto-expand-instructions --split-input-file --mlir-use-nameloc-as-prefix | FileCheck %s

// A transposing move: the destination row of fractals by row of fractals on a chip that
// moves one at a time, from a column of fractals of the source. Its attribute stays.

// CHECK-LABEL: func.func @turned
// CHECK:         scf.for %[[I:.*]] = %c0
// CHECK:           %[[M:.*]] = pto.tile.subview %m [0, %[[I]]] [32, 16] :
// CHECK:           %[[L:.*]] = pto.tile.subview %l [%[[I]], 0] [16, 32] :
// CHECK:           pto.tile.move ins(%[[M]] : !pto.buf<32x16xf16, mat, nz, of<32x64>>) outs(%[[L]] : !pto.buf<16x32xf16, left, zz, of<64x32>>) {transpose}
module attributes {pto.target = "910B"} {
  func.func @turned() attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<author>} {
    %m = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf16, mat, nz> loc("m")
    %l = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<64x32xf16, left, zz> loc("l")
    pto.tile.move ins(%m : !pto.buf<32x64xf16, mat, nz>) outs(%l : !pto.buf<64x32xf16, left, zz>) {transpose}
    return
  }
}

// -----

// On the 950 one copy takes all of it.

// CHECK-LABEL: func.func @whole
// CHECK-NOT:     subview
// CHECK:         pto.tile.move ins(%m : !pto.buf<32x64xf16, mat, nz>) outs(%l : !pto.buf<64x32xf16, left, nz>) {transpose}
module attributes {pto.target = "950"} {
  func.func @whole() attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<author>} {
    %m = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf16, mat, nz> loc("m")
    %l = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<64x32xf16, left, nz> loc("l")
    pto.tile.move ins(%m : !pto.buf<32x64xf16, mat, nz>) outs(%l : !pto.buf<64x32xf16, left, nz>) {transpose}
    return
  }
}

// -----

// Vec to Mat: the fractals are made in Vec, 32 bytes of each row at a time, and copied as
// they are, here into the lower half of a larger tile. V waits for what MTE3 waits for,
// and MTE3 for V, by the last mutex, which nobody has. What is in fractals already goes
// as it is.

// CHECK-LABEL: func.func @to_mat
// CHECK:         pto.block.section aiv {
// CHECK-NEXT:      %[[ROOM:.*]] = pto.tile.alloc {pto.reason = "the fractals of 'v' on their way to Mat"} : !pto.buf<32x32xf16, vec, nz>
// CHECK:           pto.block.mutex_lock mte3, 27
// CHECK-NEXT:      pto.block.mutex_unlock mte3, 27
// CHECK-NEXT:      pto.block.mutex_lock v, 27
// CHECK:           %[[FROM:.*]] = pto.tile.subview %v [0, 0] [32, 16] :
// CHECK-NEXT:      %[[TO:.*]] = pto.tile.subview %[[ROOM]] [0, 0] [32, 16] :
// CHECK-NEXT:      pto.tile.move ins(%[[A:.*]] : !pto.buf<32x16xf16, vec, nd, of<32x32>>) outs(%[[B:.*]] : !pto.buf<32x16xf16, vec, nz, of<32x32>>)
// CHECK:           pto.tile.move ins(%{{.*}} : !pto.buf<32x16xf16, vec, nd, of<32x32>>) outs(%{{.*}} : !pto.buf<32x16xf16, vec, nz, of<32x32>>)
// CHECK-NEXT:      pto.block.mutex_unlock v, 27
// CHECK-NEXT:      pto.block.mutex_lock mte3, 27
// CHECK-NEXT:      pto.tile.move ins(%[[ROOM]] : !pto.buf<32x32xf16, vec, nz>) outs(%low : !pto.buf<32x32xf16, mat, nz, of<64x32>>)
// CHECK-NEXT:      pto.block.mutex_unlock mte3, 27
// CHECK-NEXT:      pto.tile.move ins(%z : !pto.buf<32x32xf16, vec, nz>) outs(%low
module attributes {pto.target = "950"} {
  func.func @to_mat() attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<author>} {
    %m = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<64x32xf16, mat, nz> loc("m")
    %v = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x32xf16, vec, nd> loc("v")
    %z = pto.tile.alloc {addrs = array<i64: 2048>, pinned} : !pto.buf<32x32xf16, vec, nz> loc("z")
    pto.block.section aiv {
      %low = pto.tile.subview %m[32, 0] [32, 32] : !pto.buf<64x32xf16, mat, nz> -> !pto.buf<32x32xf16, mat, nz, of<64x32>> loc("low")
      pto.tile.move ins(%v : !pto.buf<32x32xf16, vec, nd>) outs(%low : !pto.buf<32x32xf16, mat, nz, of<64x32>>)
      pto.tile.move ins(%z : !pto.buf<32x32xf16, vec, nz>) outs(%low : !pto.buf<32x32xf16, mat, nz, of<64x32>>)
    }
    return
  }
}

// -----

// An array whose row pitch is known at run time: cut as ever, with its attributes. A
// column of it is never one run.

// CHECK-LABEL: func.func @arrays
// CHECK:         pto.tile.store ins(%{{.*}} : !pto.buf<4095x8xf32, vec, nd, of<5000x8>>) outs(%arg1[0, 0] : !pto.gm<?x8xf32, pitch<?>>) {atomic_add}
// CHECK:         pto.tile.store ins(%{{.*}} : !pto.buf<905x8xf32, vec, nd, of<5000x8>>) outs(%arg1[4095, 0] : !pto.gm<?x8xf32, pitch<?>>) {atomic_add}
// CHECK:         pto.block.mutex_lock mte2, 27
// CHECK-NEXT:    pto.tile.load ins(%arg2[0, 0] : !pto.gm<?x1xf32, pitch<?>>)
// CHECK-NEXT:    pto.block.mutex_unlock mte2, 27
// CHECK-NEXT:    pto.block.mutex_lock v, 27
// CHECK-NEXT:    pto.tile.row_max
// CHECK-NEXT:    pto.block.mutex_unlock v, 27
// CHECK-NEXT:    pto.block.mutex_lock mte2, 27
// CHECK-NEXT:    pto.block.mutex_unlock mte2, 27
// CHECK-NEXT:    pto.tile.get_value %t [0, 0]
// CHECK-NEXT:    pto.tile.set_value
module attributes {pto.target = "950"} {
  func.func @arrays(%p: !pto.gm<?xf32>, %x: !pto.gm<?x8xf32, pitch<?>>, %y: !pto.gm<?x1xf32, pitch<?>>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<5000x8xf32, vec, nd> loc("t")
    %c = pto.tile.alloc {addrs = array<i64: 160000>, pinned} : !pto.buf<16x1xf32, vec, dn> loc("c")
    pto.tile.store ins(%t : !pto.buf<5000x8xf32, vec, nd>) outs(%x[0, 0] : !pto.gm<?x8xf32, pitch<?>>) {atomic_add}
    pto.tile.load ins(%y[0, 0] : !pto.gm<?x1xf32, pitch<?>>) outs(%c : !pto.buf<16x1xf32, vec, dn>)
    %v = pto.tile.get_value %t[0, 0] : !pto.buf<5000x8xf32, vec, nd> -> f32
    pto.tile.set_value %v, %p[3] : f32, !pto.gm<?xf32>
    return
  }
}

// -----

// Both AIVs at once, converted: a copy for each. The unit flag is cleared by the second.

// CHECK-LABEL: func.func @split
// CHECK:           %[[UP:.*]] = pto.tile.subview %c [0, 0] [16, 64] :
// CHECK-NEXT:      pto.tile.move ins(%[[UP]] : !pto.buf<16x64xf32, acc, nz, of<32x64>>) outs(%v : !pto.buf<16x64xf16, vec, nd>) {acc_to_vec = #pto.acc_to_vec<vec0>, phase = #pto.phase<partial>}
// CHECK-NEXT:      %[[LOW:.*]] = pto.tile.subview %c [16, 0] [16, 64] :
// CHECK-NEXT:      pto.tile.move ins(%[[LOW]] : !pto.buf<16x64xf32, acc, nz, of<32x64>>) outs(%v : !pto.buf<16x64xf16, vec, nd>) {acc_to_vec = #pto.acc_to_vec<vec1>, phase = #pto.phase<final>}
// CHECK-NEXT:      pto.tile.move ins(%c : !pto.buf<32x64xf32, acc, nz>) outs(%w : !pto.buf<32x32xf32, vec, nd>) {acc_to_vec = #pto.acc_to_vec<split_n>}
module attributes {pto.target = "950"} {
  func.func @split() attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<author>} {
    %c = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, acc, nz> loc("c")
    %v = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<16x64xf16, vec, nd> loc("v")
    %w = pto.tile.alloc {addrs = array<i64: 4096>, pinned} : !pto.buf<32x32xf32, vec, nd> loc("w")
    pto.block.section aic {
      pto.tile.move ins(%c : !pto.buf<32x64xf32, acc, nz>) outs(%v : !pto.buf<16x64xf16, vec, nd>) {acc_to_vec = #pto.acc_to_vec<split_m>, phase = #pto.phase<final>}
      pto.tile.move ins(%c : !pto.buf<32x64xf32, acc, nz>) outs(%w : !pto.buf<32x32xf32, vec, nd>) {acc_to_vec = #pto.acc_to_vec<split_n>}
    }
    return
  }
}

// -----

// Scratch where the author wants it, as far as it fits; the rest is planned.

// CHECK-LABEL: func.func @room
// CHECK:         %t_fold = pto.tile.alloc {addrs = array<i64: 65536>, pinned, pto.reason
// CHECK-NOT:     pto.scratch
// CHECK:         %r_blocks = pto.tile.alloc {pto.reason
module attributes {pto.target = "950"} {
  func.func @room() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x128xf32, vec, nd> loc("t")
    %r = pto.tile.alloc {addrs = array<i64: 32768>, pinned} : !pto.buf<32x1xf32, vec, dn> loc("r")
    pto.tile.row_max ins(%t : !pto.buf<32x128xf32, vec, nd>) outs(%r : !pto.buf<32x1xf32, vec, dn>) {pto.scratch = array<i64: 65536, 8192>}
    pto.tile.row_expand_sub ins(%t, %r : !pto.buf<32x128xf32, vec, nd>, !pto.buf<32x1xf32, vec, dn>) outs(%t : !pto.buf<32x128xf32, vec, nd>) {pto.scratch = array<i64: 65536, 512>}
    return
  }
}
