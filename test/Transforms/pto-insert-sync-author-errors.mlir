// RUN: pypto-opt %s --pto-insert-sync --verify-diagnostics --split-input-file

module attributes {pto.target = "910B"} {
  func.func @both() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %g = pto.tile.alloc {addrs = array<i64: 0>, pinned, mutex_ids = array<i64: 3>} : !pto.buf<32x64xf32, vec, nd>
    // expected-error @+1 {{orders pipes by hand in a kernel whose tiles have mutex_ids, which become flags on a chip without mutexes; leave out the mutex_ids, or this and all other flags}}
    pto.block.set_flag mte2 -> v, 0
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @loop(%n: index) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %g = pto.tile.alloc {addrs = array<i64: 0>, pinned, mutex_ids = array<i64: 3>} : !pto.buf<32x64xf32, vec, nd>
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{the condition of this loop is an instruction of its own, which pto-insert-sync does not order; read the value before the loop and at the end of its body, or set the flags yourself}}
    scf.while (%i = %n) : (index) -> index {
      %v = pto.tile.get_value %g[0, 0] : !pto.buf<32x64xf32, vec, nd> -> f32
      %go = arith.cmpf ogt, %v, %zero : f32
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      pto.tile.exp ins(%g : !pto.buf<32x64xf32, vec, nd>) outs(%g : !pto.buf<32x64xf32, vec, nd>)
      scf.yield %i : index
    }
    return
  }
}

// -----

module attributes {pto.target = "950"} {
  func.func @front() attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<author>} {
    %g = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<32x64xf32, vec, nd>
    // expected-error @+1 {{stands in front of the sections of 'front'; which core runs it is said by a section}}
    pto.tile.exp ins(%g : !pto.buf<32x64xf32, vec, nd>) outs(%g : !pto.buf<32x64xf32, vec, nd>)
    return
  }
}
