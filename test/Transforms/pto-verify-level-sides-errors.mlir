// RUN: pypto-opt %s --pto-verify-level="after=pto-bufferize-tiles" --verify-diagnostics --split-input-file

// An AIV writes its AIC's Mat, an AIC its AIVs' Vec; nothing else.

module attributes {pto.target = "950"} {
  func.func @sides(%x: !pto.gm<?x64xf32, pitch<?>>, %z: f32) attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<author>} {
    %m = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, mat, nz>
    %c = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, acc, nz>
    %v = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, vec, nd>
    pto.block.section aic {
      pto.tile.move ins(%c : !pto.buf<32x64xf32, acc, nz>) outs(%v : !pto.buf<32x64xf32, vec, nd>) {acc_to_vec = #pto.acc_to_vec<vec0>}
      // expected-error @+1 {{an aic has no Vec; [32, 64] FP32 in Vec is in it}}
      pto.tile.load ins(%x[0, 0] : !pto.gm<?x64xf32, pitch<?>>) outs(%v : !pto.buf<32x64xf32, vec, nd>)
      // expected-error @+1 {{an aic has no Vec; [32, 64] FP32 in Vec is in it}}
      %e = pto.tile.get_value %v[0, 0] : !pto.buf<32x64xf32, vec, nd> -> f32
    }
    pto.block.section aiv {
      pto.tile.move ins(%v : !pto.buf<32x64xf32, vec, nd>) outs(%m : !pto.buf<32x64xf32, mat, nz>)
      // expected-error @+1 {{an aiv has no Mat; [32, 64] FP32 in Mat is in it}}
      pto.tile.load ins(%x[0, 0] : !pto.gm<?x64xf32, pitch<?>>) outs(%m : !pto.buf<32x64xf32, mat, nz>)
      %n = pto.tile.get_value %x[0, 0] : !pto.gm<?x64xf32, pitch<?>> -> f32
    }
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @paths(%z: f32) attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<author>} {
    %m = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, mat, nz>
    %v = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xi32, vec, nd>
    %w = pto.tile.alloc {addrs = array<i64: 8192>, pinned} : !pto.buf<32x64xf32, vec, nd>
    pto.block.section aiv {
      // expected-error @+2 {{no path leads from Vec to Mat on 910B}}
      // expected-error @+1 {{an aiv has no Mat}}
      pto.tile.move ins(%w : !pto.buf<32x64xf32, vec, nd>) outs(%m : !pto.buf<32x64xf32, mat, nz>)
      // expected-error @+1 {{no instruction of 910B does it on INT32}}
      pto.tile.exp ins(%v : !pto.buf<32x64xi32, vec, nd>) outs(%v : !pto.buf<32x64xi32, vec, nd>)
    }
    return
  }
}
