// RUN: pypto-translate --pto-to-ascendc %s -verify-diagnostics -split-input-file

// What the cube's instructions do not do.

module attributes {pto.target = "910B"} {
  func.func @moves() attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %a1 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf16, mat, nz>
    %a0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf16, left, zz>
    %f1 = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<32x64xf32, mat, nz>
    %f0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf32, right, zn>
    // expected-error @+1 {{pl.move: to Left is one instruction for 16 rows, found [32, 64] FP16}}
    pto.tile.move ins(%a1 : !pto.buf<32x64xf16, mat, nz>) outs(%a0 : !pto.buf<32x64xf16, left, zz>)
    // expected-error @+1 {{pl.move: to Right is one instruction for 16 rows, found [32, 64] FP32}}
    pto.tile.move ins(%f1 : !pto.buf<32x64xf32, mat, nz>) outs(%f0 : !pto.buf<32x64xf32, right, zn>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @layouts(%x: !pto.gm<32x64xf16>) attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %a1 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf16, mat, nd>
    // expected-error @+1 {{pl.load: wants layout nz in Mat, found nd: [32, 64] FP16}}
    pto.tile.load ins(%x[0, 0] : !pto.gm<32x64xf16>) outs(%a1 : !pto.buf<32x64xf16, mat, nd>)
    return
  }
}

// -----

// The accumulator's window begins in the middle: its columns are 32 rows apart, the
// product's would be 16.
module attributes {pto.target = "910B"} {
  func.func @products(%k: index) attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %a0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf16, left, zz>
    %b0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x32xf16, right, zn>
    %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x32xf32, acc, nz>
    %aw = pto.tile.subview %a0[16, 0] [16, 64] : !pto.buf<32x64xf16, left, zz> -> !pto.buf<16x64xf16, left, zz, of<32x64>>
    %cw = pto.tile.subview %acc[16, 0] [16, 32] : !pto.buf<32x32xf32, acc, nz> -> !pto.buf<16x32xf32, acc, nz, of<32x32>>
    // expected-error @+1 {{pl.matmul: is not one instruction: the window [16, 32] FP32 in Acc has other rows or columns of fractals than its allocation of [32, 32]}}
    pto.tile.matmul ins(%aw, %b0 : !pto.buf<16x64xf16, left, zz, of<32x64>>, !pto.buf<64x32xf16, right, zn>) outs(%cw : !pto.buf<16x32xf32, acc, nz, of<32x32>>)
    %ak = pto.tile.subview %a0[0, 0] [32, %k] : !pto.buf<32x64xf16, left, zz> -> !pto.buf<32x?xf16, left, zz, of<32x64>>
    %bk = pto.tile.subview %b0[0, 0] [%k, 32] : !pto.buf<64x32xf16, right, zn> -> !pto.buf<?x32xf16, right, zn, of<64x32>>
    // expected-error @+1 {{pl.matmul: is not one instruction: the window [32, ?] FP16 in Left has other rows or columns of fractals than its allocation of [32, 64]}}
    pto.tile.matmul ins(%ak, %bk : !pto.buf<32x?xf16, left, zz, of<32x64>>, !pto.buf<?x32xf16, right, zn, of<64x32>>) outs(%acc : !pto.buf<32x32xf32, acc, nz>)
    return
  }
}
