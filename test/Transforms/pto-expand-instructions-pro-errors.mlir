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
