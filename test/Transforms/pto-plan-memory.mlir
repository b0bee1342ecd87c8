// RUN: pypto-opt %s --pto-plan-memory | FileCheck %s

!t = !pto.buf<64x128xf32, vec, nd>
module attributes {pto.target = "910B"} {
// The live peak is the whole of Vec (184 KiB) and the sum is beyond it.
// CHECK-LABEL: func.func @peak_is_capacity
// CHECK: pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<92x256xf32, vec, nd>
// CHECK: pto.tile.alloc {addrs = array<i64: 94208>} : !pto.buf<92x256xf32, vec, nd>
// CHECK: pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<92x256xf32, vec, nd>
func.func @peak_is_capacity(%x: !pto.gm<92x256xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<92x256xf32, vec, nd>
  %b = pto.tile.alloc : !pto.buf<92x256xf32, vec, nd>
  %c = pto.tile.alloc : !pto.buf<92x256xf32, vec, nd>
  pto.tile.load ins(%x[0, 0] : !pto.gm<92x256xf32>) outs(%a : !pto.buf<92x256xf32, vec, nd>)
  pto.tile.load ins(%x[0, 0] : !pto.gm<92x256xf32>) outs(%b : !pto.buf<92x256xf32, vec, nd>)
  pto.tile.add ins(%a, %b : !pto.buf<92x256xf32, vec, nd>, !pto.buf<92x256xf32, vec, nd>) outs(%c : !pto.buf<92x256xf32, vec, nd>)
  pto.tile.store ins(%c : !pto.buf<92x256xf32, vec, nd>) outs(%x[0, 0] : !pto.gm<92x256xf32>)
  return
}

// In place element by element: exp. Not: a conversion of another width, a
// reduction, brcb, the second source of row_expand.
// CHECK-LABEL: func.func @in_place
// CHECK: pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x64xf32, vec, nd>
// CHECK: pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x64xf32, vec, nd>
// CHECK: pto.tile.alloc {addrs = array<i64: 16384>} : !pto.buf<64x64xf16, vec, nd>
func.func @in_place(%x: !pto.gm<64x64xf32>, %y: !pto.gm<64x64xf16>) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<64x64xf32, vec, nd>
  %b = pto.tile.alloc : !pto.buf<64x64xf32, vec, nd>
  %c = pto.tile.alloc : !pto.buf<64x64xf16, vec, nd>
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x64xf32>) outs(%a : !pto.buf<64x64xf32, vec, nd>)
  pto.tile.exp ins(%a : !pto.buf<64x64xf32, vec, nd>) outs(%b : !pto.buf<64x64xf32, vec, nd>)
  pto.tile.cast ins(%b : !pto.buf<64x64xf32, vec, nd>) outs(%c : !pto.buf<64x64xf16, vec, nd>) {round = #pto.round<rint>}
  pto.tile.store ins(%c : !pto.buf<64x64xf16, vec, nd>) outs(%y[0, 0] : !pto.gm<64x64xf16>)
  return
}

// CHECK-LABEL: func.func @vectors
// CHECK: pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<8x8xf32, vec, nd>
// CHECK: pto.tile.alloc {addrs = array<i64: 512>} : !pto.buf<8x1xf32, vec, dn>
// CHECK: pto.tile.alloc {addrs = array<i64: 256>} : !pto.buf<8x8xf32, vec, nd>
// CHECK: pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<8x8xf32, vec, nd>
func.func @vectors(%x: !pto.gm<8x8xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !pto.buf<8x8xf32, vec, nd>
  %v = pto.tile.alloc : !pto.buf<8x1xf32, vec, dn>
  %b = pto.tile.alloc : !pto.buf<8x8xf32, vec, nd>
  %c = pto.tile.alloc : !pto.buf<8x8xf32, vec, nd>
  pto.tile.load ins(%x[0, 0] : !pto.gm<8x8xf32>) outs(%a : !pto.buf<8x8xf32, vec, nd>)
  pto.tile.row_max ins(%a : !pto.buf<8x8xf32, vec, nd>) outs(%v : !pto.buf<8x1xf32, vec, dn>)
  pto.tile.brcb ins(%v : !pto.buf<8x1xf32, vec, dn>) outs(%b : !pto.buf<8x8xf32, vec, nd>)
  pto.tile.row_expand_sub ins(%a, %b : !pto.buf<8x8xf32, vec, nd>, !pto.buf<8x8xf32, vec, nd>) outs(%c : !pto.buf<8x8xf32, vec, nd>)
  pto.tile.store ins(%c : !pto.buf<8x8xf32, vec, nd>) outs(%x[0, 0] : !pto.gm<8x8xf32>)
  return
}

// Author's addresses stay, also where they overlap; planned ones avoid them.
// CHECK-LABEL: func.func @pinned
// CHECK: pto.tile.alloc {addrs = array<i64: 32768>, pinned}
// CHECK: pto.tile.alloc {addrs = array<i64: 32768>, pinned}
// CHECK: pto.tile.alloc {addrs = array<i64: 0>}
// CHECK: pto.tile.alloc {addrs = array<i64: 65536>}
func.func @pinned(%x: !pto.gm<64x128xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc {addrs = array<i64: 32768>, pinned} : !t
  %b = pto.tile.alloc {addrs = array<i64: 32768>, pinned} : !t
  %c = pto.tile.alloc : !t
  %d = pto.tile.alloc : !t
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%a : !t)
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%c : !t)
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%d : !t)
  pto.tile.store ins(%a : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  pto.tile.store ins(%b : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  pto.tile.store ins(%c : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  pto.tile.store ins(%d : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  return
}

// %a is read in each iteration, so that nothing in the loop may lie on it; %b is
// written before it is read in each, so that %c may; %d is written under a
// condition and read after the loop.
// CHECK-LABEL: func.func @loops
// CHECK: pto.tile.alloc {addrs = array<i64: 0>}
// CHECK: pto.tile.alloc {addrs = array<i64: [[B:.*]]>}
// CHECK: pto.tile.alloc {addrs = array<i64: [[B]]>}
// CHECK: pto.tile.alloc {addrs = array<i64: 32768>}
func.func @loops(%x: !pto.gm<64x128xf32>, %n: index, %cond: i1) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = pto.tile.alloc : !t
  %b = pto.tile.alloc : !t
  %c = pto.tile.alloc : !t
  %d = pto.tile.alloc : !t
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%a : !t)
  scf.for %i = %c0 to %n step %c1 {
    pto.tile.store ins(%a : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
    pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%b : !t)
    pto.tile.store ins(%b : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
    pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%c : !t)
    pto.tile.store ins(%c : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
    scf.if %cond {
      pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%d : !t)
    }
  }
  pto.tile.store ins(%d : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  return
}

// Dead between its last read and where it is written over: %b lies in the place of
// %a. In the arm of a branch that does not use %c any more, %d lies in its place,
// though the other arm still reads %c.
// CHECK-LABEL: func.func @dead
// CHECK: pto.tile.alloc {addrs = array<i64: [[A:.*]]>}
// CHECK: pto.tile.alloc {addrs = array<i64: [[A]]>}
// CHECK: pto.tile.alloc {addrs = array<i64: [[C:.*]]>}
// CHECK: pto.tile.alloc {addrs = array<i64: [[C]]>}
func.func @dead(%x: !pto.gm<64x128xf32>, %cond: i1) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !t
  %b = pto.tile.alloc : !t
  %c = pto.tile.alloc : !t
  %d = pto.tile.alloc : !t
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%c : !t)
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%a : !t)
  pto.tile.store ins(%a : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%b : !t)
  pto.tile.store ins(%b : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%a : !t)
  scf.if %cond {
    pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%d : !t)
    pto.tile.store ins(%d : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  } else {
    pto.tile.store ins(%c : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  }
  pto.tile.store ins(%a : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  return
}

// What one arm may leave as it was lives through that arm: %d does not lie over %c,
// which is written in the other arm only.
// CHECK-LABEL: func.func @kept
// CHECK: pto.tile.alloc {addrs = array<i64: [[C:.*]]>}
// CHECK-NOT: pto.tile.alloc {addrs = array<i64: [[C]]>}
// CHECK: return
func.func @kept(%x: !pto.gm<64x128xf32>, %cond: i1) attributes {pto.kind = #pto.kind<aiv>} {
  %c = pto.tile.alloc : !t
  %d = pto.tile.alloc : !t
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%c : !t)
  scf.if %cond {
    pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%c : !t)
  } else {
    pto.tile.load ins(%x[0, 0] : !pto.gm<64x128xf32>) outs(%d : !t)
    pto.tile.store ins(%d : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  }
  pto.tile.store ins(%c : !t) outs(%x[0, 0] : !pto.gm<64x128xf32>)
  return
}

// What a loop over pieces writes is written as a whole: %l does not live from one
// outer iteration to the next.
// CHECK-LABEL: func.func @pieces
// CHECK: pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x64xf16, mat, nz>
// CHECK: pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x64xf16, left, zz>
// CHECK: pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x64xf16, left, zz>
func.func @pieces(%x: !pto.gm<64x64xf16>, %n: index) attributes {pto.kind = #pto.kind<aic>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %m = pto.tile.alloc : !pto.buf<64x64xf16, mat, nz>
  %l = pto.tile.alloc : !pto.buf<64x64xf16, left, zz>
  %k = pto.tile.alloc : !pto.buf<64x64xf16, left, zz>
  %r = pto.tile.alloc : !pto.buf<64x64xf16, right, zn>
  %p = pto.tile.alloc : !pto.buf<64x64xf32, acc, nz>
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x64xf16>) outs(%m : !pto.buf<64x64xf16, mat, nz>)
  pto.tile.move ins(%m : !pto.buf<64x64xf16, mat, nz>) outs(%r : !pto.buf<64x64xf16, right, zn>)
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c64 step %c16 {
      %from = pto.tile.subview %m[%j, 0] [16, 64] : !pto.buf<64x64xf16, mat, nz> -> !pto.buf<16x64xf16, mat, nz, of<64x64>>
      %to = pto.tile.subview %l[%j, 0] [16, 64] : !pto.buf<64x64xf16, left, zz> -> !pto.buf<16x64xf16, left, zz, of<64x64>>
      pto.tile.move ins(%from : !pto.buf<16x64xf16, mat, nz, of<64x64>>) outs(%to : !pto.buf<16x64xf16, left, zz, of<64x64>>)
    }
    pto.tile.matmul ins(%l, %r : !pto.buf<64x64xf16, left, zz>, !pto.buf<64x64xf16, right, zn>) outs(%p : !pto.buf<64x64xf32, acc, nz>)
    scf.for %j = %c0 to %c64 step %c16 {
      %from = pto.tile.subview %m[%j, 0] [16, 64] : !pto.buf<64x64xf16, mat, nz> -> !pto.buf<16x64xf16, mat, nz, of<64x64>>
      %to = pto.tile.subview %k[%j, 0] [16, 64] : !pto.buf<64x64xf16, left, zz> -> !pto.buf<16x64xf16, left, zz, of<64x64>>
      pto.tile.move ins(%from : !pto.buf<16x64xf16, mat, nz, of<64x64>>) outs(%to : !pto.buf<16x64xf16, left, zz, of<64x64>>)
    }
    pto.tile.matmul_acc ins(%p, %k, %r : !pto.buf<64x64xf32, acc, nz>, !pto.buf<64x64xf16, left, zz>, !pto.buf<64x64xf16, right, zn>) outs(%p : !pto.buf<64x64xf32, acc, nz>)
  }
  return
}
}
