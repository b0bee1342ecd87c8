// RUN: pypto-opt %s --pto-plan-memory --split-input-file --mlir-use-nameloc-as-prefix | FileCheck %s

// The author's tiles keep their addresses, and may share them. Scratch goes between them,
// also where nothing of theirs is live.

// CHECK-LABEL: func.func @gaps
// CHECK-DAG:     %a = pto.tile.alloc {addrs = array<i64: 0>, pinned}
// CHECK-DAG:     %again = pto.tile.alloc {addrs = array<i64: 0>, pinned}
// CHECK-DAG:     %g = pto.tile.alloc {addrs = array<i64: 12288, 24576>, pinned}
// CHECK-DAG:     %small = pto.tile.alloc {addrs = array<i64: 8192>,
// CHECK-DAG:     %large = pto.tile.alloc {addrs = array<i64: 32768>,
module attributes {pto.target = "950"} {
  func.func @gaps() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, vec, nd> loc("a")
    %again = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<16x64xf32, vec, nd> loc("again")
    %g = pto.tile.alloc {addrs = array<i64: 12288, 24576>, pinned} : !pto.buf<32x64xf32, vec, nd, slots<2>> loc("g")
    %small = pto.tile.alloc {pto.reason = "scratch"} : !pto.buf<16x64xf32, vec, nd> loc("small")
    %large = pto.tile.alloc {pto.reason = "scratch"} : !pto.buf<64x64xf32, vec, nd> loc("large")
    pto.tile.exp ins(%a : !pto.buf<32x64xf32, vec, nd>) outs(%a : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.exp ins(%small : !pto.buf<16x64xf32, vec, nd>) outs(%small : !pto.buf<16x64xf32, vec, nd>)
    pto.tile.exp ins(%large : !pto.buf<64x64xf32, vec, nd>) outs(%large : !pto.buf<64x64xf32, vec, nd>)
    pto.tile.exp ins(%small : !pto.buf<16x64xf32, vec, nd>) outs(%small : !pto.buf<16x64xf32, vec, nd>)
    return
  }
}

// -----

// What holds something over a loop with a condition keeps its bytes in all of it.

// CHECK-LABEL: func.func @over
// CHECK-DAG:     %other = pto.tile.alloc {addrs = array<i64: 8192>}
// CHECK-DAG:     %kept = pto.tile.alloc {addrs = array<i64: 0>}
module attributes {pto.target = "950"} {
  func.func @over(%n: index, %z: f32) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %kept = pto.tile.alloc : !pto.buf<32x64xf32, vec, nd> loc("kept")
    %other = pto.tile.alloc : !pto.buf<32x64xf32, vec, nd> loc("other")
    pto.tile.full ins(%z : f32) outs(%kept : !pto.buf<32x64xf32, vec, nd>)
    scf.while (%i = %n) : (index) -> index {
      %go = arith.cmpi slt, %i, %n : index
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      pto.tile.exp ins(%kept : !pto.buf<32x64xf32, vec, nd>) outs(%kept : !pto.buf<32x64xf32, vec, nd>)
      pto.tile.full ins(%z : f32) outs(%other : !pto.buf<32x64xf32, vec, nd>)
      scf.yield %i : index
    }
    return
  }
}

// -----

// Sharing that is none: read before it is written over, or written again; and nobody
// follows what happens in a loop.

// CHECK-LABEL: func.func @shared
module attributes {pto.target = "950"} {
  func.func @shared(%z: f32, %n: index) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, vec, nd>
    %b = pto.tile.alloc {addrs = array<i64: 4096>, pinned} : !pto.buf<32x64xf32, vec, nd>
    %c = pto.tile.alloc {addrs = array<i64: 16384>, pinned} : !pto.buf<32x64xf32, vec, nd>
    %top = pto.tile.subview %a[0, 0] [16, 64] : !pto.buf<32x64xf32, vec, nd> -> !pto.buf<16x64xf32, vec, nd, of<32x64>>
    pto.tile.full ins(%z : f32) outs(%a : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.exp ins(%a : !pto.buf<32x64xf32, vec, nd>) outs(%b : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.exp ins(%top : !pto.buf<16x64xf32, vec, nd, of<32x64>>) outs(%top : !pto.buf<16x64xf32, vec, nd, of<32x64>>)
    pto.tile.full ins(%z : f32) outs(%a : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.exp ins(%a : !pto.buf<32x64xf32, vec, nd>) outs(%c : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.full ins(%z : f32) outs(%b : !pto.buf<32x64xf32, vec, nd>)
    scf.for %i = %c0 to %n step %c1 {
      pto.tile.full ins(%z : f32) outs(%a : !pto.buf<32x64xf32, vec, nd>)
    }
    pto.tile.exp ins(%a : !pto.buf<32x64xf32, vec, nd>) outs(%c : !pto.buf<32x64xf32, vec, nd>)
    return
  }
}
