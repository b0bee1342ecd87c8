// RUN: pypto-translate --pto-to-ascendc %s -verify-diagnostics -split-input-file

// Copies that are not one instruction.

module attributes {pto.target = "910B"} {
  func.func @vector_of_a_column(%x: !pto.gm<64x8xf32>)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %v = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x1xf32, vec, dn>
    // expected-error @+1 {{pl.load: copies a vector, [64, 1] FP32, whose elements lie one behind the other in Vec but not in an array with rows 8 elements apart}}
    pto.tile.load ins(%x[0, 0] : !pto.gm<64x8xf32>) outs(%v : !pto.buf<64x1xf32, vec, dn>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @rows_between_blocks(%x: !pto.gm<64x100xf32>)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x36xf32, vec, nd>
    %w = pto.tile.subview %t[0, 0] [16, 33] : !pto.buf<16x36xf32, vec, nd> -> !pto.buf<16x33xf32, vec, nd, of<16x36>>
    %u = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<16x37xf32, vec, nd>
    %v = pto.tile.subview %u[0, 0] [16, 33] : !pto.buf<16x37xf32, vec, nd> -> !pto.buf<16x33xf32, vec, nd, of<16x37>>
    // expected-error @+1 {{pl.store: copies rows that lie 148 bytes apart in Vec, where a row begins on 32 bytes}}
    pto.tile.store ins(%v : !pto.buf<16x33xf32, vec, nd, of<16x37>>) outs(%x[0, 0] : !pto.gm<64x100xf32>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @too_many_rows(%x: !pto.gm<5000x16xf16>)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<5000x16xf16, vec, nd>
    %w = pto.tile.subview %t[0, 0] [5000, 8] : !pto.buf<5000x16xf16, vec, nd> -> !pto.buf<5000x8xf16, vec, nd, of<5000x16>>
    // expected-error @+1 {{pl.load: copies 5000 rows; one instruction copies 4095}}
    pto.tile.load ins(%x[0, 0] : !pto.gm<5000x16xf16>) outs(%w : !pto.buf<5000x8xf16, vec, nd, of<5000x16>>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @odd_move() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<128x1xf32, vec, dn>
    %b = pto.tile.alloc {addrs = array<i64: 512>} : !pto.buf<128x1xf32, vec, dn>
    %s = pto.tile.subview %a[0, 0] [100, 1] : !pto.buf<128x1xf32, vec, dn> -> !pto.buf<100x1xf32, vec, dn, of<128x1>>
    %d = pto.tile.subview %b[0, 0] [100, 1] : !pto.buf<128x1xf32, vec, dn> -> !pto.buf<100x1xf32, vec, dn, of<128x1>>
    %e = pto.tile.subview %b[0, 0] [99, 1] : !pto.buf<128x1xf32, vec, dn> -> !pto.buf<99x1xf32, vec, dn, of<128x1>>
    %f = pto.tile.subview %a[0, 0] [99, 1] : !pto.buf<128x1xf32, vec, dn> -> !pto.buf<99x1xf32, vec, dn, of<128x1>>
    // expected-error @+1 {{pl.move: copies 396 bytes in Vec; more than one repeat of 256 bytes is copied in whole blocks of 32 bytes}}
    pto.tile.move ins(%f : !pto.buf<99x1xf32, vec, dn, of<128x1>>) outs(%e : !pto.buf<99x1xf32, vec, dn, of<128x1>>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @wide_move() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x128xf32, vec, nd>
    %b = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<16x72xf32, vec, nd>
    %s = pto.tile.subview %a[0, 0] [16, 72] : !pto.buf<16x128xf32, vec, nd> -> !pto.buf<16x72xf32, vec, nd, of<16x128>>
    // expected-error @+1 {{pl.move: is not one instruction: a window that is not contiguous has at most 64 columns and 255 rows, and rows at most 255 blocks of 32 bytes apart}}
    pto.tile.move ins(%s : !pto.buf<16x72xf32, vec, nd, of<16x128>>) outs(%b : !pto.buf<16x72xf32, vec, nd>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @no_path() attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x16xf32, acc, nz>
    %b = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x16xf32, mat, nz>
    // expected-error @+1 {{pl.move: is no instruction from Acc to Mat that can be printed yet: 'a' ([16, 16] FP32 in Acc)}}
    pto.tile.move ins(%a : !pto.buf<16x16xf32, acc, nz>) outs(%b : !pto.buf<16x16xf32, mat, nz>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @unplanned(%x: !pto.gm<16x16xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // expected-error @+1 {{pto.tile.alloc: has no address; pto-plan-memory gives it one}}
    %a = pto.tile.alloc : !pto.buf<16x16xf32, vec, nd>
    // expected-note @-1 {{made here}}
    // expected-error @+1 {{pl.load: works on the buffer 'a' ([16, 16] FP32 in Vec), whose allocation is not known here}}
    pto.tile.load ins(%x[0, 0] : !pto.gm<16x16xf32>) outs(%a : !pto.buf<16x16xf32, vec, nd>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @addresses() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // expected-error @+1 {{pto.tile.alloc: begins at byte 40; an address in Vec is a multiple of 32 B}}
    %a = pto.tile.alloc {addrs = array<i64: 40>} : !pto.buf<16x16xf32, vec, nd>
    // expected-error @+1 {{pto.tile.alloc: reaches byte 188448 of Vec, which has 184 KiB}}
    %b = pto.tile.alloc {addrs = array<i64: 187424>} : !pto.buf<16x16xf32, vec, nd>
    // expected-error @+1 {{pto.tile.alloc: is in Mat, which a vector core does not have}}
    %c = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x16xf32, mat, nz>
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @value_form(%x: !pto.gm<16x16xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // expected-error @+1 {{pl.load: works on tile values; AscendC is made of buffers}}
    %a = pto.tile.load %x[0, 0] : !pto.gm<16x16xf32> -> !pto.tile<16x16xf32, vec>
    return
  }
}
