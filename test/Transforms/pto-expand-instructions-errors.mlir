// RUN: pypto-opt %s --pto-expand-instructions -verify-diagnostics -split-input-file

module attributes {pto.target = "910B"} {
func.func @value_form(%x: !pto.gm<64x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  // expected-error@+1 {{pl.load: works on tile values; run pto-bufferize-tiles first}}
  %a = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !pto.tile<64x64xf32, vec, nd>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @large_product() attributes {pto.kind = #pto.kind<aic>} {
  %l = pto.tile.alloc : !pto.buf<16x4096xf16, left, zz>
  %r = pto.tile.alloc : !pto.buf<4096x16xf16, right, zn>
  %c = pto.tile.alloc : !pto.buf<16x16xf32, acc, nz>
  // expected-error@+1 {{pl.matmul: multiplies [16, 4096] FP16 in Left, and one product has 4095 rows, columns or steps of K at most; use smaller tiles}}
  pto.tile.matmul ins(%l, %r : !pto.buf<16x4096xf16, left, zz>, !pto.buf<4096x16xf16, right, zn>) outs(%c : !pto.buf<16x16xf32, acc, nz>)
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @integer_column(%x: !pto.gm<64x8xi32>) attributes {pto.kind = #pto.kind<aiv>} {
  %v = pto.tile.alloc : !pto.buf<64x1xi32, vec, dn>
  // expected-error@+1 {{pl.load: loads a column of [64, 8] INT32 as a vector, which 910B does not do for INT32; load whole rows}}
  pto.tile.load ins(%x[0, 0] : !pto.gm<64x8xi32>) outs(%v : !pto.buf<64x1xi32, vec, dn>)
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @mixed() attributes {pto.kind = #pto.kind<aiv>} {
  %v = pto.tile.alloc : !pto.buf<64x1xf32, vec, dn>
  %a = pto.tile.alloc : !pto.buf<64x8xf32, vec, nd>
  %c = pto.tile.subview %a[0, 0] [64, 1] : !pto.buf<64x8xf32, vec, nd> -> !pto.buf<64x1xf32, vec, nd, of<64x8>>
  // expected-error@+1 {{pl.exp: mixes [64, 1] FP32 in Vec, whose values follow each other, with a window of wider rows}}
  pto.tile.exp ins(%c : !pto.buf<64x1xf32, vec, nd, of<64x8>>) outs(%v : !pto.buf<64x1xf32, vec, dn>)
  return
}
}
