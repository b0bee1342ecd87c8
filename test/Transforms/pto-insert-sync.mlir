// RUN: pypto-opt %s --pto-insert-sync | FileCheck %s
// RUN: pypto-opt %s --pto-insert-sync --pto-insert-sync | FileCheck %s

// What the flags of a kernel are; test/Final/softmax.mlir says the first of them
// by hand. Every check is of all syncs of its function, in order.

module attributes {pto.target = "910B"} {

// The buffer of a block goes from MTE2 to V to MTE3, and back for the next block.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: pto.sync = #pto.sync<auto>
// CHECK: pto.block.set_flag mte3 -> mte2, 0 {pto.reason = "store of 't' before the next load writes it, one iteration later (the first iteration waits for nothing)"}
// CHECK-NEXT: scf.for
// CHECK-NEXT: pto.block.wait_flag mte3 -> mte2, 0 {pto.reason = "store of 't' before the next load writes it, one iteration later"}
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> v, 0 {pto.reason = "load of 't' before row_max reads it"}
// CHECK-NEXT: pto.block.wait_flag mte2 -> v, 0 {pto.reason = "load of 't' before row_max reads it"}
// CHECK-NEXT: pto.tile.row_max 
// CHECK-NEXT: pto.block.barrier v {pto.reason = "row_max writes 'v' before brcb reads it"}
// CHECK-NEXT: pto.tile.brcb 
// CHECK-NEXT: pto.block.barrier v {pto.reason = "brcb writes 'b' before row_expand_sub reads it"}
// CHECK-NEXT: pto.tile.row_expand_sub 
// CHECK-NEXT: pto.block.barrier v {pto.reason = "row_expand_sub reads 't' before exp writes it"}
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: pto.block.barrier v {pto.reason = "exp writes 't' before row_sum reads it"}
// CHECK-NEXT: pto.tile.row_sum 
// CHECK-NEXT: pto.block.barrier v {pto.reason = "row_sum writes 'v' before brcb reads it"}
// CHECK-NEXT: pto.tile.brcb 
// CHECK-NEXT: pto.block.barrier v {pto.reason = "brcb writes 'b' before row_expand_div reads it"}
// CHECK-NEXT: pto.tile.row_expand_div 
// CHECK-NEXT: pto.block.set_flag v -> mte3, 0 {pto.reason = "row_expand_div writes 't' before store reads it"}
// CHECK-NEXT: pto.block.wait_flag v -> mte3, 0 {pto.reason = "row_expand_div writes 't' before store reads it"}
// CHECK-NEXT: pto.tile.store 
// CHECK-NEXT: pto.block.set_flag mte3 -> mte2, 0 {pto.reason = "store of 't' before the next load writes it, one iteration later"}
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: pto.block.wait_flag mte3 -> mte2, 0 {pto.reason = "store of 't' before the next load writes it, one iteration later (nothing is left set behind the loop)"}
// CHECK-NEXT: pto.block.barrier all {pto.reason = "a kernel ends when all its pipes are done"}
// CHECK-NEXT: return
func.func @softmax(%x: !pto.gm<256x64xf32>, %out: !pto.gm<256x64xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf32, vec, nd> loc("t")
  %v = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<32x1xf32, vec, dn> loc("v")
  %b = pto.tile.alloc {addrs = array<i64: 8320>} : !pto.buf<32x8xf32, vec, nd> loc("b")
  scf.for %row = %c0 to %c256 step %c32 {
    pto.tile.load ins(%x[%row, 0] : !pto.gm<256x64xf32>) outs(%t : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.row_max ins(%t : !pto.buf<32x64xf32, vec, nd>) outs(%v : !pto.buf<32x1xf32, vec, dn>)
    pto.tile.brcb ins(%v : !pto.buf<32x1xf32, vec, dn>) outs(%b : !pto.buf<32x8xf32, vec, nd>)
    pto.tile.row_expand_sub ins(%t, %b : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x8xf32, vec, nd>) outs(%t : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.exp ins(%t : !pto.buf<32x64xf32, vec, nd>) outs(%t : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.row_sum ins(%t : !pto.buf<32x64xf32, vec, nd>) outs(%v : !pto.buf<32x1xf32, vec, dn>)
    pto.tile.brcb ins(%v : !pto.buf<32x1xf32, vec, dn>) outs(%b : !pto.buf<32x8xf32, vec, nd>)
    pto.tile.row_expand_div ins(%t, %b : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x8xf32, vec, nd>) outs(%t : !pto.buf<32x64xf32, vec, nd>)
    pto.tile.store ins(%t : !pto.buf<32x64xf32, vec, nd>) outs(%out[%row, 0] : !pto.gm<256x64xf32>)
  }
  return
}

// A loop in a loop: the token of the inner loop is primed before the outer one,
// so that it is never set twice, and orders the outer iterations too.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: pto.sync = #pto.sync<auto>
// CHECK: pto.block.set_flag v -> mte2, 0
// CHECK-NEXT: pto.block.set_flag mte3 -> mte2, 0
// CHECK-NEXT: scf.for
// CHECK-NEXT: pto.block.wait_flag mte3 -> mte2, 0
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: scf.for
// CHECK-NEXT: pto.block.wait_flag v -> mte2, 0
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> v, 0
// CHECK-NEXT: pto.block.wait_flag mte2 -> v, 0
// CHECK-NEXT: pto.tile.add 
// CHECK-NEXT: pto.block.set_flag v -> mte2, 0
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: pto.block.set_flag v -> mte3, 0
// CHECK-NEXT: pto.block.wait_flag v -> mte3, 0
// CHECK-NEXT: pto.tile.store 
// CHECK-NEXT: pto.block.set_flag mte3 -> mte2, 0
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: pto.block.wait_flag v -> mte2, 0
// CHECK-NEXT: pto.block.wait_flag mte3 -> mte2, 0
// CHECK-NEXT: pto.block.barrier all
// CHECK-NEXT: return
func.func @nested(%x: !pto.gm<256x64xf32>, %out: !pto.gm<256x64xf32> {pto.dir = #pto.dir<out>}, %n: index) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
  %s = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<16x64xf32, vec, nd>
  scf.for %i = %c0 to %n step %c1 {
    pto.tile.load ins(%x[0, 0] : !pto.gm<256x64xf32>) outs(%s : !pto.buf<16x64xf32, vec, nd>)
    scf.for %j = %c0 to %n step %c1 {
      pto.tile.load ins(%x[%j, 0] : !pto.gm<256x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
      pto.tile.add ins(%s, %a : !pto.buf<16x64xf32, vec, nd>, !pto.buf<16x64xf32, vec, nd>) outs(%s : !pto.buf<16x64xf32, vec, nd>)
    }
    pto.tile.store ins(%s : !pto.buf<16x64xf32, vec, nd>) outs(%out[%i, 0] : !pto.gm<256x64xf32>)
  }
  return
}

// An if in a loop: flags stand around it, so that both ways set and wait alike.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME: pto.sync = #pto.sync<auto>
// CHECK: pto.block.set_flag mte3 -> mte2, 0
// CHECK-NEXT: scf.for
// CHECK-NEXT: pto.block.wait_flag mte3 -> mte2, 0
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> v, 0
// CHECK-NEXT: pto.block.wait_flag mte2 -> v, 0
// CHECK-NEXT: scf.if
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: pto.block.set_flag v -> mte3, 0
// CHECK-NEXT: pto.block.wait_flag v -> mte3, 0
// CHECK-NEXT: pto.tile.store 
// CHECK-NEXT: pto.block.set_flag mte3 -> mte2, 0
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: pto.block.wait_flag mte3 -> mte2, 0
// CHECK-NEXT: pto.block.barrier all
// CHECK-NEXT: return
func.func @branch(%x: !pto.gm<256x64xf32>, %out: !pto.gm<256x64xf32> {pto.dir = #pto.dir<out>}, %n: index, %c: i1) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
  scf.for %i = %c0 to %n step %c16 {
    pto.tile.load ins(%x[%i, 0] : !pto.gm<256x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
    scf.if %c {
      pto.tile.exp ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
    }
    pto.tile.store ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%out[%i, 0] : !pto.gm<256x64xf32>)
  }
  return
}

// A loop that never runs needs nothing; one that runs once hands nothing on.
// CHECK-LABEL: func.func @known_trips(
// CHECK-SAME: pto.sync = #pto.sync<auto>
// CHECK: scf.for
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: scf.for
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> mte3, 0
// CHECK-NEXT: pto.block.wait_flag mte2 -> mte3, 0
// CHECK-NEXT: pto.tile.store 
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: pto.block.barrier all
// CHECK-NEXT: return
func.func @known_trips(%x: !pto.gm<256x64xf32>, %out: !pto.gm<256x64xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
  scf.for %i = %c0 to %c0 step %c1 {
    pto.tile.load ins(%x[0, 0] : !pto.gm<256x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
    pto.tile.exp ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
  }
  scf.for %i = %c0 to %c1 step %c1 {
    pto.tile.load ins(%x[0, 0] : !pto.gm<256x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
    pto.tile.store ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%out[0, 0] : !pto.gm<256x64xf32>)
  }
  return
}

// A product over K: MTE2 to MTE1 to M, each with a flag back; moves of a row of
// fractals each need nothing between them. M orders its products through MTE1.
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: pto.sync = #pto.sync<auto>
// CHECK: pto.block.set_flag mte1 -> mte2, 0
// CHECK-NEXT: pto.block.set_flag mte1 -> mte2, 1
// CHECK-NEXT: pto.block.set_flag m -> mte1, 0
// CHECK-NEXT: scf.for
// CHECK-NEXT: pto.block.wait_flag mte1 -> mte2, 0
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> mte1, 0
// CHECK-NEXT: pto.block.wait_flag mte1 -> mte2, 1
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> mte1, 1
// CHECK-NEXT: pto.block.wait_flag mte2 -> mte1, 0
// CHECK-NEXT: pto.block.wait_flag m -> mte1, 0
// CHECK-NEXT: scf.for
// CHECK: pto.tile.move 
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: pto.block.set_flag mte1 -> mte2, 0
// CHECK-NEXT: pto.block.wait_flag mte2 -> mte1, 1
// CHECK-NEXT: scf.for
// CHECK: pto.tile.move 
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: pto.block.set_flag mte1 -> m, 0
// CHECK-NEXT: pto.block.set_flag mte1 -> mte2, 1
// CHECK-NEXT: pto.block.wait_flag mte1 -> m, 0
// CHECK-NEXT: pto.tile.matmul_acc 
// CHECK-NEXT: pto.block.set_flag m -> mte1, 0
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: pto.block.wait_flag mte1 -> mte2, 0
// CHECK-NEXT: pto.block.wait_flag mte1 -> mte2, 1
// CHECK-NEXT: pto.block.wait_flag m -> mte1, 0
// CHECK-NEXT: pto.block.set_flag m -> fix, 0
// CHECK-NEXT: pto.block.wait_flag m -> fix, 0
// CHECK-NEXT: pto.tile.store 
// CHECK-NEXT: pto.block.barrier all
// CHECK-NEXT: return
func.func @accumulate(%a: !pto.gm<32x512xf16>, %b: !pto.gm<512x32xf16>, %c: !pto.gm<32x32xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aic>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %a1 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x32xf16, mat, nz>
  %b1 = pto.tile.alloc {addrs = array<i64: 2048>} : !pto.buf<32x32xf16, mat, nz>
  %a0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x32xf16, left, zz>
  %b0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x32xf16, right, zn>
  %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x32xf32, acc, nz>
  scf.for %k = %c0 to %c512 step %c32 {
    pto.tile.load ins(%a[0, %k] : !pto.gm<32x512xf16>) outs(%a1 : !pto.buf<32x32xf16, mat, nz>)
    pto.tile.load ins(%b[%k, 0] : !pto.gm<512x32xf16>) outs(%b1 : !pto.buf<32x32xf16, mat, nz>)
    scf.for %i = %c0 to %c32 step %c16 {
      %from = pto.tile.subview %a1[%i, 0] [16, 32] : !pto.buf<32x32xf16, mat, nz> -> !pto.buf<16x32xf16, mat, nz, of<32x32>>
      %to = pto.tile.subview %a0[%i, 0] [16, 32] : !pto.buf<32x32xf16, left, zz> -> !pto.buf<16x32xf16, left, zz, of<32x32>>
      pto.tile.move ins(%from : !pto.buf<16x32xf16, mat, nz, of<32x32>>) outs(%to : !pto.buf<16x32xf16, left, zz, of<32x32>>)
    }
    scf.for %i = %c0 to %c32 step %c16 {
      %from = pto.tile.subview %b1[%i, 0] [16, 32] : !pto.buf<32x32xf16, mat, nz> -> !pto.buf<16x32xf16, mat, nz, of<32x32>>
      %to = pto.tile.subview %b0[%i, 0] [16, 32] : !pto.buf<32x32xf16, right, zn> -> !pto.buf<16x32xf16, right, zn, of<32x32>>
      pto.tile.move ins(%from : !pto.buf<16x32xf16, mat, nz, of<32x32>>) outs(%to : !pto.buf<16x32xf16, right, zn, of<32x32>>)
    }
    pto.tile.matmul_acc ins(%acc, %a0, %b0 : !pto.buf<32x32xf32, acc, nz>, !pto.buf<32x32xf16, left, zz>, !pto.buf<32x32xf16, right, zn>) outs(%acc : !pto.buf<32x32xf32, acc, nz>)
  }
  pto.tile.store ins(%acc : !pto.buf<32x32xf32, acc, nz>) outs(%c[0, 0] : !pto.gm<32x32xf32>)
  return
}

// In place: a barrier between two that touch the same bytes, none between others.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: pto.sync = #pto.sync<auto>
// CHECK: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> v, 0
// CHECK-NEXT: pto.block.wait_flag mte2 -> v, 0
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: pto.tile.sqrt 
// CHECK-NEXT: pto.block.barrier v
// CHECK-NEXT: pto.tile.abs 
// CHECK-NEXT: pto.block.barrier v
// CHECK-NEXT: pto.tile.relu 
// CHECK-NEXT: pto.block.barrier all
// CHECK-NEXT: return
func.func @chain(%x: !pto.gm<16x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
  %b = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<16x64xf32, vec, nd>
  %a0 = pto.tile.subview %a[0, 0] [8, 64] : !pto.buf<16x64xf32, vec, nd> -> !pto.buf<8x64xf32, vec, nd, of<16x64>>
  %a1 = pto.tile.subview %a[8, 0] [8, 64] : !pto.buf<16x64xf32, vec, nd> -> !pto.buf<8x64xf32, vec, nd, of<16x64>>
  pto.tile.load ins(%x[0, 0] : !pto.gm<16x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
  pto.tile.exp ins(%a0 : !pto.buf<8x64xf32, vec, nd, of<16x64>>) outs(%a0 : !pto.buf<8x64xf32, vec, nd, of<16x64>>)
  pto.tile.sqrt ins(%a1 : !pto.buf<8x64xf32, vec, nd, of<16x64>>) outs(%a1 : !pto.buf<8x64xf32, vec, nd, of<16x64>>)
  pto.tile.abs ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%b : !pto.buf<16x64xf32, vec, nd>)
  pto.tile.relu ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
  return
}

// Two tiles that share an address after planning, though not a name.
// CHECK-LABEL: func.func @shared_bytes(
// CHECK-SAME: pto.sync = #pto.sync<auto>
// CHECK: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> v, 0 {pto.reason = "load of 'a' before exp reads it"}
// CHECK-NEXT: pto.block.wait_flag mte2 -> v, 0 {pto.reason = "load of 'a' before exp reads it"}
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: pto.block.set_flag v -> mte2, 0 {pto.reason = "exp reads 'a' before load writes 'c' in the same bytes"}
// CHECK-NEXT: pto.block.set_flag v -> mte3, 0 {pto.reason = "exp writes 'b' before store reads it"}
// CHECK-NEXT: pto.block.wait_flag v -> mte2, 0 {pto.reason = "exp reads 'a' before load writes 'c' in the same bytes"}
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.wait_flag v -> mte3, 0 {pto.reason = "exp writes 'b' before store reads it"}
// CHECK-NEXT: pto.tile.store 
// CHECK-NEXT: pto.block.barrier all {pto.reason = "a kernel ends when all its pipes are done"}
// CHECK-NEXT: return
func.func @shared_bytes(%x: !pto.gm<16x64xf32>, %out: !pto.gm<16x64xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd> loc("a")
  %b = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<16x64xf32, vec, nd> loc("b")
  %c = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<8x64xf32, vec, nd> loc("c")
  pto.tile.load ins(%x[0, 0] : !pto.gm<16x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
  pto.tile.exp ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%b : !pto.buf<16x64xf32, vec, nd>)
  pto.tile.load ins(%x[8, 0] : !pto.gm<16x64xf32>) outs(%c : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.store ins(%b : !pto.buf<16x64xf32, vec, nd>) outs(%out[0, 0] : !pto.gm<16x64xf32>)
  return
}

// A store and a load of one window of an array; the other window is free.
// CHECK-LABEL: func.func @same_array(
// CHECK-SAME: pto.sync = #pto.sync<auto>
// CHECK: pto.tile.store 
// CHECK-NEXT: pto.block.set_flag mte3 -> mte2, 0
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.wait_flag mte3 -> mte2, 0
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.barrier all
// CHECK-NEXT: return
func.func @same_array(%x: !pto.gm<32x64xf32> {pto.dir = #pto.dir<inout>}) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
  %b = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<16x64xf32, vec, nd>
  %c = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<16x64xf32, vec, nd>
  pto.tile.store ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%x[0, 0] : !pto.gm<32x64xf32>)
  pto.tile.load ins(%x[16, 0] : !pto.gm<32x64xf32>) outs(%b : !pto.buf<16x64xf32, vec, nd>)
  pto.tile.load ins(%x[0, 0] : !pto.gm<32x64xf32>) outs(%c : !pto.buf<16x64xf32, vec, nd>)
  return
}

// Windows of the loop's counter: no iteration writes what another does.
// CHECK-LABEL: func.func @own_window(
// CHECK-SAME: pto.sync = #pto.sync<auto>
// CHECK: scf.for
// CHECK-NEXT: pto.tile.store 
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: scf.for
// CHECK-NEXT: pto.block.barrier mte3
// CHECK-NEXT: pto.tile.store 
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: pto.block.barrier all
// CHECK-NEXT: return
func.func @own_window(%x: !pto.gm<256x64xf32> {pto.dir = #pto.dir<inout>}, %n: index) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
  scf.for %i = %c0 to %n step %c16 {
    pto.tile.store ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%x[%i, 0] : !pto.gm<256x64xf32>)
  }
  scf.for %i = %c0 to %n step %c16 {
    pto.tile.store ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%x[0, 0] : !pto.gm<256x64xf32>)
  }
  return
}

// Seven loads before their uses and six ids: the last two share a flag.
// CHECK-LABEL: func.func @pressure(
// CHECK-SAME: pto.sync = #pto.sync<auto>
// CHECK: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> v, 0 {pto.reason = "load of the [8, 64] FP32 before exp reads it"}
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> v, 1 {pto.reason = "load of the [8, 64] FP32 before exp reads it"}
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> v, 2 {pto.reason = "load of the [8, 64] FP32 before exp reads it"}
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> v, 3 {pto.reason = "load of the [8, 64] FP32 before exp reads it"}
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> v, 4 {pto.reason = "load of the [8, 64] FP32 before exp reads it"}
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.tile.load 
// CHECK-NEXT: pto.block.set_flag mte2 -> v, 5 {pto.reason = "load of the [8, 64] FP32 before exp reads it; load of the [8, 64] FP32 before exp reads it (merged: event ids of this pair of pipes are used up)"}
// CHECK-NEXT: pto.block.wait_flag mte2 -> v, 0 {pto.reason = "load of the [8, 64] FP32 before exp reads it"}
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: pto.block.wait_flag mte2 -> v, 1 {pto.reason = "load of the [8, 64] FP32 before exp reads it"}
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: pto.block.wait_flag mte2 -> v, 2 {pto.reason = "load of the [8, 64] FP32 before exp reads it"}
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: pto.block.wait_flag mte2 -> v, 3 {pto.reason = "load of the [8, 64] FP32 before exp reads it"}
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: pto.block.wait_flag mte2 -> v, 4 {pto.reason = "load of the [8, 64] FP32 before exp reads it"}
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: pto.block.wait_flag mte2 -> v, 5 {pto.reason = "load of the [8, 64] FP32 before exp reads it; load of the [8, 64] FP32 before exp reads it (merged: event ids of this pair of pipes are used up)"}
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: pto.block.barrier all {pto.reason = "a kernel ends when all its pipes are done"}
// CHECK-NEXT: return
func.func @pressure(%x: !pto.gm<112x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<8x64xf32, vec, nd>
  %b = pto.tile.alloc {addrs = array<i64: 2048>} : !pto.buf<8x64xf32, vec, nd>
  %c = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<8x64xf32, vec, nd>
  %d = pto.tile.alloc {addrs = array<i64: 6144>} : !pto.buf<8x64xf32, vec, nd>
  %e = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<8x64xf32, vec, nd>
  %f = pto.tile.alloc {addrs = array<i64: 10240>} : !pto.buf<8x64xf32, vec, nd>
  %g = pto.tile.alloc {addrs = array<i64: 12288>} : !pto.buf<8x64xf32, vec, nd>
  pto.tile.load ins(%x[0, 0] : !pto.gm<112x64xf32>) outs(%a : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.load ins(%x[8, 0] : !pto.gm<112x64xf32>) outs(%b : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.load ins(%x[16, 0] : !pto.gm<112x64xf32>) outs(%c : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.load ins(%x[24, 0] : !pto.gm<112x64xf32>) outs(%d : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.load ins(%x[32, 0] : !pto.gm<112x64xf32>) outs(%e : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.load ins(%x[40, 0] : !pto.gm<112x64xf32>) outs(%f : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.load ins(%x[48, 0] : !pto.gm<112x64xf32>) outs(%g : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.exp ins(%a : !pto.buf<8x64xf32, vec, nd>) outs(%a : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.exp ins(%b : !pto.buf<8x64xf32, vec, nd>) outs(%b : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.exp ins(%c : !pto.buf<8x64xf32, vec, nd>) outs(%c : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.exp ins(%d : !pto.buf<8x64xf32, vec, nd>) outs(%d : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.exp ins(%e : !pto.buf<8x64xf32, vec, nd>) outs(%e : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.exp ins(%f : !pto.buf<8x64xf32, vec, nd>) outs(%f : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.exp ins(%g : !pto.buf<8x64xf32, vec, nd>) outs(%g : !pto.buf<8x64xf32, vec, nd>)
  return
}

// The author's flags stay as they are.
// CHECK-LABEL: func.func @manual(
// CHECK-SAME: pto.sync = #pto.sync<manual>
// CHECK: pto.tile.load 
// CHECK-NEXT: pto.tile.exp 
// CHECK-NEXT: return
func.func @manual(%x: !pto.gm<16x64xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
  pto.tile.load ins(%x[0, 0] : !pto.gm<16x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
  pto.tile.exp ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
  return
}
// Flags between cores stay where they are; pipes get theirs around them.
// CHECK-LABEL: func.func @cores(
// CHECK-SAME: pto.sync = #pto.sync<auto>
// CHECK:      pto.block.cross_core_wait 3
// CHECK-NEXT: pto.tile.load
// CHECK-NEXT: pto.block.set_flag mte2 -> mte3
// CHECK-NEXT: pto.block.wait_flag mte2 -> mte3
// CHECK-NEXT: pto.tile.store
// CHECK-NEXT: pto.block.cross_core_set mte3, 4
// CHECK-NEXT: pto.block.barrier all
func.func @cores(%x: !pto.gm<16x64xf32>, %y: !pto.gm<16x64xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
  pto.block.cross_core_wait 3 {mode = 2 : i64}
  pto.tile.load ins(%x[0, 0] : !pto.gm<16x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
  pto.tile.store ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%y[0, 0] : !pto.gm<16x64xf32>)
  pto.block.cross_core_set mte3, 4 {mode = 2 : i64}
  return
}
// What an array holds is told to other cores when it is there, whichever pipe tells them.
// CHECK-LABEL: func.func @told(
// CHECK:      pto.tile.store
// CHECK-NEXT: pto.block.set_flag mte3 -> v, 0 {pto.reason = "store to {{.*}} before cross_core_set tells other cores"}
// CHECK-NEXT: pto.block.wait_flag mte3 -> v, 0
// CHECK-NEXT: pto.block.cross_core_set v, 4
func.func @told(%x: !pto.gm<16x64xf32>, %y: !pto.gm<16x64xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
  pto.tile.load ins(%x[0, 0] : !pto.gm<16x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
  pto.tile.store ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%y[0, 0] : !pto.gm<16x64xf32>)
  pto.block.cross_core_set v, 4 {mode = 2 : i64}
  return
}
// Where all cores meet, what each of them reads may be written after: in a loop too.
// CHECK-LABEL: func.func @meet(
// CHECK:      scf.for
// CHECK-NEXT: pto.block.wait_flag mte3 -> mte2, 0 {pto.reason = "flag mte2 -> mte3 is waited for before it is set again
// CHECK-NEXT: pto.tile.load
// CHECK-NEXT: pto.block.set_flag mte2 -> mte3, 0 {pto.reason = "load of {{.*}} before cross_core_set tells other cores"}
// CHECK-NEXT: pto.block.wait_flag mte2 -> mte3, 0
// CHECK-NEXT: pto.block.cross_core_set mte3, 4
// CHECK-NEXT: pto.block.set_flag mte3 -> mte2, 0
// CHECK-NEXT: pto.block.cross_core_wait 4
func.func @meet(%x: !pto.gm<16x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
  scf.for %i = %c0 to %c4 step %c1 {
    pto.tile.load ins(%x[0, 0] : !pto.gm<16x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
    pto.block.cross_core_set mte3, 4 {mode = 0 : i64}
    pto.block.cross_core_wait 4 {mode = 0 : i64}
  }
  return
}
}
