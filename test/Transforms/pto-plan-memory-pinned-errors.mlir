// RUN: pypto-opt %s --pto-plan-memory --verify-diagnostics --split-input-file

module attributes {pto.target = "950"} {
  func.func @full() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %a = pto.tile.alloc {addrs = array<i64: 16384>, pinned} : !pto.buf<448x128xf32, vec, nd>
    // expected-error @+2 {{[64, 128] FP32, is the compiler's: the rows of 'a' folded to one repeat. It needs 32 KiB of Vec, and the largest gap between the tiles at your addresses is 16 KiB; let them lie closer together, or use smaller ones}}
    // expected-note @+1 {{Vec there, 248 KiB in all:}}
    %s = pto.tile.alloc {pto.reason = "the rows of 'a' folded to one repeat"} : !pto.buf<64x128xf32, vec, nd>
    pto.tile.exp ins(%s : !pto.buf<64x128xf32, vec, nd>) outs(%s : !pto.buf<64x128xf32, vec, nd>)
    return
  }
}

// -----

module attributes {pto.target = "950"} {
  func.func @beyond() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<64x128xf32, vec, nd>
    // expected-error @+2 {{32 KiB at address 245760 reach beyond the 248 KiB of Vec}}
    // expected-note @+1 {{Vec there, 248 KiB in all:}}
    %b = pto.tile.alloc {addrs = array<i64: 245760>, pinned} : !pto.buf<64x128xf32, vec, nd>
    // expected-error @+1 {{address 100 is not a multiple of 32, as Vec demands}}
    %c = pto.tile.alloc {addrs = array<i64: 100>, pinned} : !pto.buf<8x8xf32, vec, nd>
    return
  }
}

// -----

module attributes {pto.target = "950"} {
  func.func @lost(%z: f32) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    // expected-note @+1 {{[32, 64] FP32 in Vec has bytes 0 to 8192}}
    %a = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, vec, nd>
    // expected-note @+1 {{[32, 32] FP32 in Vec has bytes 4096 to 8192}}
    %b = pto.tile.alloc {addrs = array<i64: 4096>, pinned} : !pto.buf<32x32xf32, vec, nd>
    %c = pto.tile.alloc {addrs = array<i64: 16384>, pinned} : !pto.buf<32x64xf32, vec, nd>
    pto.tile.full ins(%z : f32) outs(%a : !pto.buf<32x64xf32, vec, nd>)
    // expected-note @+1 {{writes [32, 32] FP32 in Vec there; let the two lie apart, or read the first before}}
    pto.tile.full ins(%z : f32) outs(%b : !pto.buf<32x32xf32, vec, nd>)
    // expected-error @+1 {{reads [32, 64] FP32 in Vec, of which bytes 4096 to 8192 are overwritten: they hold [32, 32] FP32 in Vec by now}}
    pto.tile.exp ins(%a : !pto.buf<32x64xf32, vec, nd>) outs(%c : !pto.buf<32x64xf32, vec, nd>)
    return
  }
}
