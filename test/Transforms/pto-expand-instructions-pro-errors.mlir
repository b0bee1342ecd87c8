// RUN: pypto-opt %s --pto-expand-instructions --verify-diagnostics --split-input-file

module attributes {pto.target = "910B"} {
  func.func @column(%y: !pto.gm<?x1xf32, pitch<?>>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %c = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<16x1xf32, vec, dn>
    // expected-error @+1 {{is two instructions on 910B, on the pipes mte2 and v, and only you set flags in 'column'; give the tiles mutex_ids, or copy whole rows}}
    pto.tile.load ins(%y[0, 0] : !pto.gm<?x1xf32, pitch<?>>) outs(%c : !pto.buf<16x1xf32, vec, dn>)
    return
  }
}

// -----

module attributes {pto.target = "950"} {
  func.func @locked(%y: !pto.gm<?x1xf32, pitch<?>>, %id: index) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %c = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<16x1xf32, vec, dn>
    pto.block.mutex_lock v, %id
    // expected-error @+1 {{is instructions on the pipes mte2 and v, which a mutex orders, and none of the 28 is surely free in 'locked'; leave one, and write the ids of your locks as numbers}}
    pto.tile.load ins(%y[0, 0] : !pto.gm<?x1xf32, pitch<?>>) outs(%c : !pto.buf<16x1xf32, vec, dn>)
    pto.block.mutex_unlock v, %id
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @large() attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<author>} {
    %l = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<16x16xf16, left, zz>
    %r = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<16x4112xf16, right, zn>
    %b = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<1x4112xf32, bias, nd>
    %c = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<16x4112xf32, acc, nz>
    // expected-error @+1 {{and one product has 4095 rows, columns or steps of K at most; use smaller tiles}}
    pto.tile.matmul_bias ins(%l, %r, %b : !pto.buf<16x16xf16, left, zz>, !pto.buf<16x4112xf16, right, zn>, !pto.buf<1x4112xf32, bias, nd>) outs(%c : !pto.buf<16x4112xf32, acc, nz>)
    return
  }
}

// -----

module attributes {pto.target = "950"} {
  func.func @halves() attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<author>} {
    %c = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<48x64xf32, acc, nz>
    %v = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<24x64xf16, vec, nd>
    pto.block.section aic {
      // expected-error @+1 {{halves the rows of [48, 64] FP32 in Acc and converts them, which is a copy for each half; a half is a multiple of 16}}
      pto.tile.move ins(%c : !pto.buf<48x64xf32, acc, nz>) outs(%v : !pto.buf<24x64xf16, vec, nd>) {acc_to_vec = #pto.acc_to_vec<split_m>}
    }
    return
  }
}

// -----

module attributes {pto.target = "950"} {
  func.func @room() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, vec, nd>
    // expected-error @+1 {{pto.scratch is an address and a number of bytes, found 3 : i64}}
    pto.tile.exp ins(%t : !pto.buf<32x64xf32, vec, nd>) outs(%t : !pto.buf<32x64xf32, vec, nd>) {pto.scratch = 3 : i64}
    return
  }
}
