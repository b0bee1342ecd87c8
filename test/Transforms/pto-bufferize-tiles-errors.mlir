// RUN: pypto-opt %s --pto-bufferize-tiles -verify-diagnostics -split-input-file

!t = !pto.tile<64x64xf32, vec, nd>
module attributes {pto.target = "910B"} {
func.func @less_valid(%x: !pto.gm<64x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !t loc("a")
  %b = pto.tile.load %x[0, 0] valid [64, 36] : !pto.gm<64x64xf32> -> !t loc("b")
  // expected-error@+1 {{pl.add: reads 64 columns of 'b' ([64, 64] FP32 in Vec), of which only 36 are valid; give both operands the same valid shape}}
  %c = pto.tile.add %a, %b : !t
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @inner(%x: !pto.gm<64x64xf16>) attributes {pto.kind = #pto.kind<aic>} {
  %a = pto.tile.load %x[0, 0] valid [64, 40] : !pto.gm<64x64xf16> -> !pto.tile<64x64xf16, mat, nz>
  %b = pto.tile.load %x[0, 0] valid [64, 64] : !pto.gm<64x64xf16> -> !pto.tile<64x64xf16, mat, nz>
  %l = pto.tile.move %a : !pto.tile<64x64xf16, mat, nz> -> !pto.tile<64x64xf16, left, zz>
  %r = pto.tile.move %b : !pto.tile<64x64xf16, mat, nz> -> !pto.tile<64x64xf16, right, zn>
  // expected-error@+1 {{pl.matmul: the left operand [64, 64] FP16 in Left has 40 valid columns and the right one [64, 64] FP16 in Right 64 valid rows}}
  %c = pto.tile.matmul %l, %r : (!pto.tile<64x64xf16, left, zz>, !pto.tile<64x64xf16, right, zn>) -> !pto.tile<64x64xf32, acc, nz>
  return
}
}

// -----

!t = !pto.tile<64x64xf32, vec, nd>
module attributes {pto.target = "910B"} {
func.func @needs_copies(%x: !pto.gm<64x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !t
  // expected-error@+1 {{hands over a tile in one buffer while [64, 64] FP32 in Vec is still needed; run pto-materialize-copies first}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> (!t) {
    %b = pto.tile.exp %t : !t
    scf.yield %b : !t
  }
  // expected-note@+1 {{it is needed here}}
  pto.tile.store %a, %x[0, 0] : !t -> !pto.gm<64x64xf32>
  return
}
}
