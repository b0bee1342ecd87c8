// RUN: pypto-opt %s --pto-materialize-copies -verify-diagnostics -split-input-file

!acc = !pto.tile<32x32xf32, acc, nz>
!l = !pto.tile<32x32xf16, left, zz>
!r = !pto.tile<32x32xf16, right, zn>
!m = !pto.tile<32x32xf16, mat, nz>
module attributes {pto.target = "910B"} {
func.func @acc_used_later(%x: !pto.gm<32x32xf16>, %c: !pto.gm<32x32xf32>) attributes {pto.kind = #pto.kind<aic>} {
  %m = pto.tile.load %x[0, 0] : !pto.gm<32x32xf16> -> !m
  %a = pto.tile.move %m : !m -> !l
  %b = pto.tile.move %m : !m -> !r
  // expected-note@+1 {{the tile [32, 32] FP32 is made here}}
  %s = pto.tile.matmul %a, %b : (!l, !r) -> !acc
  // expected-error@+1 {{pl.matmul_acc: adds to its accumulator in place, but [32, 32] FP32 in Acc is still needed after it; store it to an array before that, or compute the product again where it is needed}}
  %t = pto.tile.matmul_acc %s, %a, %b : (!acc, !l, !r) -> !acc
  // expected-note@+1 {{and is needed here}}
  pto.tile.store %s, %c[0, 0] : !acc -> !pto.gm<32x32xf32>
  pto.tile.store %t, %c[0, 0] : !acc -> !pto.gm<32x32xf32>
  return
}
}

// -----

!acc = !pto.tile<32x32xf32, acc, nz>
!l = !pto.tile<32x32xf16, left, zz>
!r = !pto.tile<32x32xf16, right, zn>
!m = !pto.tile<32x32xf16, mat, nz>
module attributes {pto.target = "910B"} {
// CSE made one product of two equal inits.
func.func @two_accumulators(%x: !pto.gm<32x32xf16>, %c: !pto.gm<32x32xf32>) attributes {pto.kind = #pto.kind<aic>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = pto.tile.load %x[0, 0] : !pto.gm<32x32xf16> -> !m
  %a = pto.tile.move %m : !m -> !l
  %b = pto.tile.move %m : !m -> !r
  %s = pto.tile.matmul %a, %b : (!l, !r) -> !acc
  // expected-error@+1 {{the loop carries the tile [32, 32] FP32 in one buffer, and [32, 32] FP32 in Acc is still needed when that is written over; Acc has no copy path}}
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %s, %q = %s) -> (!acc, !acc) {
    // expected-note@+1 {{is made here}}
    %e = pto.tile.matmul_acc %p, %a, %b : (!acc, !l, !r) -> !acc
    %f = pto.tile.matmul_acc %q, %a, %b : (!acc, !l, !r) -> !acc
    // expected-note@+1 {{and is needed here}}
    scf.yield %e, %f : !acc, !acc
  }
  pto.tile.store %r#0, %c[0, 0] : !acc -> !pto.gm<32x32xf32>
  pto.tile.store %r#1, %c[0, 0] : !acc -> !pto.gm<32x32xf32>
  return
}
}

// -----

!l = !pto.tile<32x32xf16, left, zz>
!m = !pto.tile<32x32xf16, mat, nz>
module attributes {pto.target = "910B"} {
// The array was stored to since: loading again would give something else.
func.func @changed(%x: !pto.gm<32x32xf16>, %s: !pto.gm<32x32xf16>) attributes {pto.kind = #pto.kind<group>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-note@+1 {{the tile [32, 32] FP16 is made here}}
  %m = pto.tile.load %x[0, 0] : !pto.gm<32x32xf16> -> !m
  %v = pto.tile.load %s[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, vec, nd>
  pto.tile.store %v, %x[0, 0] : !pto.tile<32x32xf16, vec, nd> -> !pto.gm<32x32xf16>
  // expected-error@+1 {{Mat has no copy path: load or move it again where it is needed, instead of keeping it}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %m) -> (!m) {
    // expected-note@+1 {{and is needed here}}
    %a = pto.tile.move %m : !m -> !l
    %n = pto.tile.load %s[0, 0] : !pto.gm<32x32xf16> -> !m
    scf.yield %n : !m
  }
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @no_space(%x: !pto.gm<32x32xf16>) attributes {pto.kind = #pto.kind<aiv>} {
  // expected-error@+1 {{[32, 32] FP16 has no memory space yet; run pto-infer-tile-memory-space and pto-assign-layout first}}
  %m = pto.tile.load %x[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  return
}
}
