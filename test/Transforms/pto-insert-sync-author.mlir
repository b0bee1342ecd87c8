// RUN: pypto-opt %s --pto-insert-sync --split-input-file --mlir-use-nameloc-as-prefix | FileCheck %s

// Flags are the author's. Barriers of V are ours: before an instruction that reads what
// one before it wrote, none where nothing is shared, none where the author has one.

// CHECK-LABEL: func.func @barriers
// CHECK-SAME:    pto.sync = #pto.sync<manual>
// CHECK:         pto.tile.load
// CHECK-NEXT:    pto.block.set_flag mte2 -> v, 0
// CHECK-NEXT:    pto.block.wait_flag mte2 -> v, 0
// CHECK-NEXT:    pto.tile.exp
// CHECK-NEXT:    pto.tile.abs ins(%a :
// CHECK-NEXT:    pto.block.barrier v {pto.reason = "exp writes 'b' before add reads it"}
// CHECK-NEXT:    pto.tile.add ins(%b, %c :
// CHECK-NEXT:    pto.block.barrier all
// CHECK-NOT:     pto.reason
// CHECK-NEXT:    pto.tile.mul ins(%b, %b :
// CHECK-NEXT:    pto.block.barrier all {pto.reason = "a kernel ends when all its pipes are done"}
// CHECK-NEXT:    return
module attributes {pto.target = "910B"} {
  func.func @barriers(%x: !pto.gm<?x64xf32, pitch<?>>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, vec, nd> loc("a")
    %b = pto.tile.alloc {addrs = array<i64: 8192>, pinned} : !pto.buf<32x64xf32, vec, nd> loc("b")
    %c = pto.tile.alloc {addrs = array<i64: 16384>, pinned} : !pto.buf<32x64xf32, vec, nd> loc("c")
    pto.tile.load ins(%x[0, 0] : !pto.gm<?x64xf32, pitch<?>>) outs(%a : !pto.buf<32x64xf32, vec, nd>)
    pto.block.set_flag mte2 -> v, 0
    pto.block.wait_flag mte2 -> v, 0
    pto.tile.exp ins(%a : !pto.buf<32x64xf32, vec, nd>) outs(%b : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.abs ins(%a : !pto.buf<32x64xf32, vec, nd>) outs(%c : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.add ins(%b, %c : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x64xf32, vec, nd>) outs(%b : !pto.buf<32x64xf32, vec, nd>)
    pto.block.barrier all
    pto.tile.mul ins(%b, %b : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x64xf32, vec, nd>) outs(%c : !pto.buf<32x64xf32, vec, nd>)
    return
  }
}

// -----

// What one iteration writes the next one reads; a loop with a condition may leave before
// it did, and what was written in front of it may not be done behind it. Pieces of a tile
// that do not meet need no barrier.

// CHECK-LABEL: func.func @loops
// CHECK:         scf.while
// CHECK:         } do {
// CHECK:           pto.block.barrier v {pto.reason = "add reads 'b' before the next add writes it, one iteration later"}
// CHECK-NEXT:      pto.tile.add
// CHECK:         pto.block.barrier v {pto.reason = "add reads 'a' before exp writes it"}
// CHECK-NEXT:    pto.tile.exp
// CHECK:         scf.for
// CHECK-NOT:       barrier
// CHECK:           pto.tile.abs
// CHECK:         }
module attributes {pto.target = "950"} {
  func.func @loops(%n: index) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %a = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, vec, nd> loc("a")
    %b = pto.tile.alloc {addrs = array<i64: 8192>, pinned} : !pto.buf<32x64xf32, vec, nd> loc("b")
    %c = pto.tile.alloc {addrs = array<i64: 16384>, pinned} : !pto.buf<32x64xf32, vec, nd> loc("c")
    %end = scf.while (%i = %c0) : (index) -> index {
      %go = arith.cmpi slt, %i, %n : index
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      pto.tile.add ins(%b, %a : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x64xf32, vec, nd>) outs(%b : !pto.buf<32x64xf32, vec, nd>)
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
    pto.tile.exp ins(%b : !pto.buf<32x64xf32, vec, nd>) outs(%a : !pto.buf<32x64xf32, vec, nd>)
    scf.for %row = %c0 to %c32 step %c8 {
      %p = pto.tile.subview %c[%row, 0] [8, 64] : !pto.buf<32x64xf32, vec, nd> -> !pto.buf<8x64xf32, vec, nd, of<32x64>>
      pto.tile.abs ins(%p : !pto.buf<8x64xf32, vec, nd, of<32x64>>) outs(%p : !pto.buf<8x64xf32, vec, nd, of<32x64>>)
    }
    return
  }
}

// -----

// Mutexes: locks around each instruction, shared by neighbours of one pipe with the same
// ids; the id of a slot from its number; V alone needs none for 'd'.

// CHECK-LABEL: func.func @mutexes
// CHECK:         scf.for %[[I:[a-z0-9]+]] =
// CHECK:           %[[SLOT:.*]] = arith.remui %[[I]]
// CHECK-NEXT:      %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT:      %[[TIMES:.*]] = arith.muli %[[SLOT]], %[[TWO]]
// CHECK-NEXT:      %[[THREE:.*]] = arith.constant 3 : index
// CHECK-NEXT:      %[[ID:.*]] = arith.addi %[[TIMES]], %[[THREE]]
// CHECK:           pto.block.mutex_lock mte2, %[[ID]]
// CHECK-NEXT:      pto.tile.load
// CHECK-NEXT:      pto.block.mutex_unlock mte2, %[[ID]]
// CHECK-NEXT:      pto.block.barrier v
// CHECK-NEXT:      pto.block.mutex_lock v, 9 {pto.reason = "pipe v takes 'out'"}
// CHECK-NEXT:      pto.block.mutex_lock v, %[[ID]]
// CHECK-NEXT:      pto.tile.exp
// CHECK:           pto.tile.add
// CHECK-NEXT:      pto.block.mutex_unlock v, %[[ID]]
// CHECK-NEXT:      pto.block.mutex_unlock v, 9
// CHECK:           pto.tile.abs
// CHECK-NEXT:      pto.block.mutex_lock mte3, 9
// CHECK-NEXT:      pto.tile.store
// CHECK-NEXT:      pto.block.mutex_unlock mte3, 9
module attributes {pto.target = "950"} {
  func.func @mutexes(%x: !pto.gm<?x64xf32, pitch<?>>, %y: !pto.gm<?x64xf32, pitch<?>>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %g = pto.tile.alloc {addrs = array<i64: 0, 8192>, pinned, mutex_ids = array<i64: 3, 5>} : !pto.buf<32x64xf32, vec, nd, slots<2>> loc("g")
    %out = pto.tile.alloc {addrs = array<i64: 16384>, pinned, mutex_ids = array<i64: 9>} : !pto.buf<32x64xf32, vec, nd> loc("out")
    %d = pto.tile.alloc {addrs = array<i64: 24576>, pinned, mutex_ids = array<i64: 10>} : !pto.buf<32x64xf32, vec, nd> loc("d")
    scf.for %i = %c0 to %c8 step %c1 {
      %slot = arith.remui %i, %c2 : index
      %s = pto.tile.slot %g[%slot] : !pto.buf<32x64xf32, vec, nd, slots<2>>
      pto.tile.load ins(%x[0, 0] : !pto.gm<?x64xf32, pitch<?>>) outs(%s : !pto.buf<32x64xf32, vec, nd>)
      pto.tile.exp ins(%s : !pto.buf<32x64xf32, vec, nd>) outs(%out : !pto.buf<32x64xf32, vec, nd>)
      pto.tile.add ins(%out, %s : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x64xf32, vec, nd>) outs(%out : !pto.buf<32x64xf32, vec, nd>)
      pto.tile.abs ins(%d : !pto.buf<32x64xf32, vec, nd>) outs(%d : !pto.buf<32x64xf32, vec, nd>)
      pto.tile.store ins(%out : !pto.buf<32x64xf32, vec, nd>) outs(%y[0, 0] : !pto.gm<?x64xf32, pitch<?>>)
    }
    return
  }
}

// -----

// Ids that do not go up evenly are chosen one by one; two slots of one group may be one:
// the second is locked only if it is another.

// CHECK-LABEL: func.func @uneven
// CHECK:         arith.select
// CHECK:         arith.select
// CHECK:         pto.block.mutex_lock v, %[[A:.*]] {
// CHECK:         %[[OTHER:.*]] = arith.cmpi ne, %[[B:.*]], %[[A]] : index
// CHECK-NEXT:    scf.if %[[OTHER]] {
// CHECK-NEXT:      pto.block.mutex_lock v, %[[B]] {
// CHECK:         pto.tile.add
// CHECK:         scf.if
// CHECK-NEXT:      pto.block.mutex_unlock v, %[[B]]
// CHECK:         pto.block.mutex_unlock v, %[[A]]
module attributes {pto.target = "950"} {
  func.func @uneven(%y: !pto.gm<?x64xf32, pitch<?>>, %i: index, %j: index) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %g = pto.tile.alloc {addrs = array<i64: 0, 8192, 16384>, pinned, mutex_ids = array<i64: 3, 5, 1>} : !pto.buf<32x64xf32, vec, nd, slots<3>> loc("g")
    %s = pto.tile.slot %g[%i] : !pto.buf<32x64xf32, vec, nd, slots<3>>
    %t = pto.tile.slot %g[%j] : !pto.buf<32x64xf32, vec, nd, slots<3>>
    pto.tile.add ins(%s, %t : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x64xf32, vec, nd>) outs(%t : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.store ins(%t : !pto.buf<32x64xf32, vec, nd>) outs(%y[0, 0] : !pto.gm<?x64xf32, pitch<?>>)
    return
  }
}

// -----

// A mixed kernel: each section by itself. An accumulator under a phase has the unit flag,
// the Vec of the AIVs is theirs; products on one accumulator take a barrier.

// CHECK-LABEL: func.func @mixed
// CHECK:         pto.block.section aic {
// CHECK:           pto.block.mutex_lock m, 1
// CHECK-NEXT:      pto.tile.matmul
// CHECK:           pto.block.barrier m {pto.reason = "matmul writes 'c' before matmul_acc
// CHECK-NEXT:      pto.tile.matmul_acc
// CHECK-NEXT:      pto.block.mutex_unlock m, 1
// CHECK-NEXT:      pto.tile.move ins(%c
// CHECK-NEXT:      pto.block.cross_core_set fix, 0
// CHECK-NEXT:      pto.block.barrier all {pto.reason = "a kernel ends when all its pipes are done"}
// CHECK-NEXT:    }
// CHECK-NEXT:    pto.block.section aiv {
// CHECK-NEXT:      pto.block.cross_core_wait 0
// CHECK-NEXT:      pto.block.mutex_lock mte3, 3
// CHECK-NEXT:      pto.tile.store
// CHECK-NEXT:      pto.block.mutex_unlock mte3, 3
// CHECK-NEXT:      pto.block.barrier all
module attributes {pto.target = "950"} {
  func.func @mixed(%y: !pto.gm<?x64xf32, pitch<?>>) attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<author>} {
    %m = pto.tile.alloc {addrs = array<i64: 0>, pinned, mutex_ids = array<i64: 2>} : !pto.buf<32x64xf16, mat, nz> loc("m")
    %l = pto.tile.alloc {addrs = array<i64: 0>, pinned, mutex_ids = array<i64: 1>} : !pto.buf<32x64xf16, left, nz> loc("l")
    %r = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<64x64xf16, right, zn> loc("r")
    %c = pto.tile.alloc {addrs = array<i64: 0>, pinned, mutex_ids = array<i64: 7>} : !pto.buf<32x64xf32, acc, nz> loc("c")
    %v = pto.tile.alloc {addrs = array<i64: 0>, pinned, mutex_ids = array<i64: 3>} : !pto.buf<32x64xf32, vec, nd> loc("v")
    pto.block.section aic {
      pto.tile.move ins(%m : !pto.buf<32x64xf16, mat, nz>) outs(%l : !pto.buf<32x64xf16, left, nz>)
      pto.tile.matmul ins(%l, %r : !pto.buf<32x64xf16, left, nz>, !pto.buf<64x64xf16, right, zn>) outs(%c : !pto.buf<32x64xf32, acc, nz>) {phase = #pto.phase<partial>}
      pto.tile.matmul_acc ins(%c, %l, %r : !pto.buf<32x64xf32, acc, nz>, !pto.buf<32x64xf16, left, nz>, !pto.buf<64x64xf16, right, zn>) outs(%c : !pto.buf<32x64xf32, acc, nz>) {phase = #pto.phase<final>}
      pto.tile.move ins(%c : !pto.buf<32x64xf32, acc, nz>) outs(%v : !pto.buf<32x64xf32, vec, nd>) {acc_to_vec = #pto.acc_to_vec<vec0>, phase = #pto.phase<final>}
      pto.block.cross_core_set fix, 0 {mode = 2 : i64}
    }
    pto.block.section aiv {
      pto.block.cross_core_wait 0 {mode = 2 : i64, pipe = #pto.pipe<mte3>}
      pto.tile.store ins(%v : !pto.buf<32x64xf32, vec, nd>) outs(%y[0, 0] : !pto.gm<?x64xf32, pitch<?>>)
    }
    return
  }
}

// -----

// A chip without mutexes: what they would order is ordered by flags.

// CHECK-LABEL: func.func @flags
// CHECK-SAME:    pto.sync = #pto.sync<auto>
// CHECK-NOT:     pto.block.mutex_
// CHECK:         pto.tile.load
// CHECK-NEXT:    pto.block.set_flag mte2 -> v, 0
// CHECK-NEXT:    pto.block.wait_flag mte2 -> v, 0
// CHECK-NEXT:    pto.tile.exp
// CHECK-NEXT:    pto.block.set_flag v -> mte3, 0
// CHECK-NEXT:    pto.block.wait_flag v -> mte3, 0
// CHECK-NEXT:    pto.tile.store
// CHECK-NEXT:    pto.block.barrier all
module attributes {pto.target = "910B"} {
  func.func @flags(%p: !pto.gm<?xf32>, %n: index) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %g = pto.tile.alloc {addrs = array<i64: 0>, pinned, mutex_ids = array<i64: 3>} : !pto.buf<32x64xf32, vec, nd> loc("g")
    %x = pto.tile.make_tensor %p shape [%n, 64] strides [64, 1] : !pto.gm<?xf32> -> !pto.gm<?x64xf32, pitch<?>>
    pto.tile.load ins(%x[0, 0] : !pto.gm<?x64xf32, pitch<?>>) outs(%g : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.exp ins(%g : !pto.buf<32x64xf32, vec, nd>) outs(%g : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.store ins(%g : !pto.buf<32x64xf32, vec, nd>) outs(%x[0, 0] : !pto.gm<?x64xf32, pitch<?>>)
    return
  }
}
