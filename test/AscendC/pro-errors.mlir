// RUN: pypto-translate --pto-to-ascendc %s -verify-diagnostics -split-input-file

// What Pro kernels may say and a chip does not have.

module attributes {pto.target = "910B"} {
  func.func @sync(%id: index) attributes {pto.kind = #pto.kind<aiv>} {
    // expected-error @+1 {{pto.block.mutex_lock: 910B has no mutexes; order its pipes with flags}}
    pto.block.mutex_lock v, 0
    // expected-error @+1 {{pto.block.cross_core_set: has id 12, which no kernel may use in mode 0 on 910B}}
    pto.block.cross_core_set mte3, 12 {mode = 0 : i64}
    // expected-note @+1 {{this id is known at run time only}}
    pto.block.cross_core_set mte3, %id {mode = 0 : i64}
    // expected-error @+1 {{pto.block.sync_all: is made of signals on 910B, and takes 1 ids that the kernel uses nowhere else}}
    pto.block.sync_all
    // expected-error @+1 {{pto.block.sync_all: joins cores of kind aic, and stands in code of kind aiv}}
    pto.block.sync_all {cores = #pto.core<aic>}
    return
  }
  func.func @arrays(%p: !pto.gm<?xf32>, %n: index) attributes {pto.kind = #pto.kind<aiv>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x8xf32, vec, nd>
    %x = pto.tile.make_tensor %p shape [16, 8] strides [1, %n] : !pto.gm<?xf32> -> !pto.gm<16x8xf32, pitch<?>>
    // expected-error @+1 {{pl.load: copies rows whose elements follow one another, found columns n elements apart in the array}}
    pto.tile.load ins(%x[0, 0] : !pto.gm<16x8xf32, pitch<?>>) outs(%t : !pto.buf<16x8xf32, vec, nd>)
    %y = pto.tile.make_tensor %p shape [16, 8] strides [4, 1] : !pto.gm<?xf32> -> !pto.gm<16x8xf32, pitch<?>>
    // expected-error @+1 {{pl.store: copies rows of 8 elements, which begin only 4 apart in the array}}
    pto.tile.store ins(%t : !pto.buf<16x8xf32, vec, nd>) outs(%y[0, 0] : !pto.gm<16x8xf32, pitch<?>>)
    // expected-error @+1 {{prints arrays of one or two dimensions whose extents the kernel knows}}
    pto.block.dump %p "p" : !pto.gm<?xf32>
    return
  }
}

// -----

module attributes {pto.target = "950"} {
  func.func @sides() attributes {pto.kind = #pto.kind<group>} {
    %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<48x48xf32, acc, nz>
    %half = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<48x24xf32, vec, nd>
    %low = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<24x48xf16, vec, nd>
    %v = pto.tile.alloc {addrs = array<i64: 16384>} : !pto.buf<16x16xf16, vec, nd>
    %m = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x16xf16, mat, nz>
    pto.block.section aic {
      // expected-error @+1 {{splits the columns of an accumulator, which are then a multiple of 32; found 'acc' ([48, 48] FP32 in Acc)}}
      pto.tile.move ins(%acc : !pto.buf<48x48xf32, acc, nz>) outs(%half : !pto.buf<48x24xf32, vec, nd>) {acc_to_vec = #pto.acc_to_vec<split_n>}
      // expected-error @+1 {{splits an accumulator as it is, and neither converts it nor applies relu on the way}}
      pto.tile.move ins(%acc : !pto.buf<48x48xf32, acc, nz>) outs(%low : !pto.buf<24x48xf16, vec, nd>) {acc_to_vec = #pto.acc_to_vec<split_m>}
      // expected-error @+1 {{works on Vec, which a cube core (AIC) of 950 does not have}}
      pto.tile.move ins(%v : !pto.buf<16x16xf16, vec, nd>) outs(%m : !pto.buf<16x16xf16, mat, nz>)
    }
    pto.block.section aiv {
      // expected-error @+1 {{wants layout nz in Vec, found nd}}
      pto.tile.move ins(%v : !pto.buf<16x16xf16, vec, nd>) outs(%m : !pto.buf<16x16xf16, mat, nz>)
      // expected-error @+1 {{pto.block.mutex_lock: has mutex id 28; ids are 0 to 27}}
      pto.block.mutex_lock v, 28
    }
    return
  }
}
