// RUN: pypto-translate --pto-to-ascendc %s -verify-diagnostics -split-input-file

// What one vector instruction does not do.

module attributes {pto.target = "910B"} {
  func.func @types(%s: f32) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %b = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xbf16, vec, nd>
    %i = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<16x64xi32, vec, nd>
    %f = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<16x64xf32, vec, nd>
    // expected-error @+1 {{pl.add: has no instruction for BF16 on 910B; convert it with pl.cast}}
    pto.tile.add ins(%b, %b : !pto.buf<16x64xbf16, vec, nd>, !pto.buf<16x64xbf16, vec, nd>) outs(%b : !pto.buf<16x64xbf16, vec, nd>)
    // expected-error @+1 {{pl.div: has no instruction for INT32 on 910B}}
    pto.tile.div ins(%i, %i : !pto.buf<16x64xi32, vec, nd>, !pto.buf<16x64xi32, vec, nd>) outs(%i : !pto.buf<16x64xi32, vec, nd>)
    // expected-error @+1 {{pl.abs: has no instruction for INT32 on 910B}}
    pto.tile.abs ins(%i : !pto.buf<16x64xi32, vec, nd>) outs(%i : !pto.buf<16x64xi32, vec, nd>)
    // expected-error @+1 {{pl.neg: has no instruction for BF16 and a scalar on 910B}}
    pto.tile.neg ins(%b : !pto.buf<16x64xbf16, vec, nd>) outs(%b : !pto.buf<16x64xbf16, vec, nd>)
    // expected-error @+1 {{pl.sub: has no instruction with a scalar on 910B; pto-legalize turns it into one that the chip has}}
    pto.tile.sub ins(%f, %s : !pto.buf<16x64xf32, vec, nd>, f32) outs(%f : !pto.buf<16x64xf32, vec, nd>)
    // expected-error @+1 {{pl.div: has no instruction with a scalar on 910B}}
    pto.tile.div ins(%f, %s : !pto.buf<16x64xf32, vec, nd>, f32) outs(%f : !pto.buf<16x64xf32, vec, nd>)
    %h = pto.tile.alloc {addrs = array<i64: 16384>} : !pto.buf<16x64xf16, vec, nd>
    // expected-error @+1 {{pl.cast: has no instruction from FP32 to FP16 with rounding 'none' on 910B}}
    pto.tile.cast ins(%f : !pto.buf<16x64xf32, vec, nd>) outs(%h : !pto.buf<16x64xf16, vec, nd>) {round = #pto.round<none>}
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @forms() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<300x16xf32, vec, nd>
    %w = pto.tile.subview %a[0, 0] [300, 8] : !pto.buf<300x16xf32, vec, nd> -> !pto.buf<300x8xf32, vec, nd, of<300x16>>
    // expected-error @+1 {{pl.exp: is not one instruction: a window that is not contiguous has at most 64 columns and 255 rows, found [300, 8]}}
    pto.tile.exp ins(%w : !pto.buf<300x8xf32, vec, nd, of<300x16>>) outs(%w : !pto.buf<300x8xf32, vec, nd, of<300x16>>)
    %b = pto.tile.alloc {addrs = array<i64: 32768>} : !pto.buf<4x2048xf32, vec, nd>
    %v = pto.tile.subview %b[0, 0] [4, 64] : !pto.buf<4x2048xf32, vec, nd> -> !pto.buf<4x64xf32, vec, nd, of<4x2048>>
    // expected-error @+1 {{pl.exp: is not one instruction: rows lie 256 blocks of 32 bytes apart, at most 255 are possible}}
    pto.tile.exp ins(%v : !pto.buf<4x64xf32, vec, nd, of<4x2048>>) outs(%v : !pto.buf<4x64xf32, vec, nd, of<4x2048>>)
    %u = pto.tile.subview %a[0, 3] [255, 8] : !pto.buf<300x16xf32, vec, nd> -> !pto.buf<255x8xf32, vec, nd, of<300x16>>
    // expected-error @+1 {{pl.exp: reads or writes Vec at 32-byte addresses; the window of 'u' ([255, 8] FP32 in Vec) begins at byte 12 of its allocation}}
    pto.tile.exp ins(%u : !pto.buf<255x8xf32, vec, nd, of<300x16>>) outs(%u : !pto.buf<255x8xf32, vec, nd, of<300x16>>)
    %d = pto.tile.alloc {addrs = array<i64: 65536>} : !pto.buf<16x1xf32, vec, dn>
    %c = pto.tile.subview %a[0, 0] [16, 1] : !pto.buf<300x16xf32, vec, nd> -> !pto.buf<16x1xf32, vec, nd, of<300x16>>
    // expected-error @+1 {{pl.exp: is not one instruction: the rows of [16, 1] FP32 in an allocation of [16, 1] do not begin on 32 bytes}}
    pto.tile.exp ins(%c : !pto.buf<16x1xf32, vec, nd, of<300x16>>) outs(%d : !pto.buf<16x1xf32, vec, dn>)
    // Both have their elements one behind the other, but in two orders.
    %n = pto.tile.alloc {addrs = array<i64: 69632>} : !pto.buf<16x16xf32, vec, nd>
    %t = pto.tile.alloc {addrs = array<i64: 73728>} : !pto.buf<16x16xf32, vec, dn>
    // expected-error @+1 {{pl.exp: is not one instruction: the rows of [16, 16] FP32 in an allocation of [16, 16] do not begin on 32 bytes, and the windows are not all contiguous}}
    pto.tile.exp ins(%n : !pto.buf<16x16xf32, vec, nd>) outs(%t : !pto.buf<16x16xf32, vec, dn>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @rows() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<20x128xf32, vec, nd>
    %v = pto.tile.alloc {addrs = array<i64: 16384>} : !pto.buf<20x1xf32, vec, dn>
    %b = pto.tile.alloc {addrs = array<i64: 16512>} : !pto.buf<20x8xf32, vec, nd>
    // expected-error @+1 {{pl.row_max: is not one instruction: a window that is not contiguous has at most 64 columns and 255 rows, found [20, 128]}}
    pto.tile.row_max ins(%t : !pto.buf<20x128xf32, vec, nd>) outs(%v : !pto.buf<20x1xf32, vec, dn>)
    %w = pto.tile.subview %t[0, 0] [20, 64] : !pto.buf<20x128xf32, vec, nd> -> !pto.buf<20x64xf32, vec, nd, of<20x128>>
    // expected-error @+1 {{pl.row_expand_sub: takes one block of 32 bytes a row as its second operand, [M, 8], found 'v' ([20, 1] FP32 in Vec)}}
    pto.tile.row_expand_sub ins(%w, %v : !pto.buf<20x64xf32, vec, nd, of<20x128>>, !pto.buf<20x1xf32, vec, dn>) outs(%w : !pto.buf<20x64xf32, vec, nd, of<20x128>>)
    // expected-error @+1 {{pto.tile.brcb: works on eight values at a time and would write 24 rows from row 0 on; the allocation has 20}}
    pto.tile.brcb ins(%v : !pto.buf<20x1xf32, vec, dn>) outs(%b : !pto.buf<20x8xf32, vec, nd>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @wrong_core() attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>} {
    %zero = arith.constant 0.0 : f32
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
    // expected-error @+1 {{pl.full: works on pipe v, which not every core of a mixed kernel has; put it in a pto.block.section}}
    pto.tile.full ins(%zero : f32) outs(%t : !pto.buf<16x64xf32, vec, nd>)
    pto.block.section aic {
      // expected-error @+1 {{pl.full: works on pipe v, which a cube core (AIC) of 910B does not have}}
      pto.tile.full ins(%zero : f32) outs(%t : !pto.buf<16x64xf32, vec, nd>)
    }
    return
  }
}
