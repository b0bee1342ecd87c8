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
    // expected-error @+1 {{pto-insert-sync orders instructions in scf.for and scf.if, not in scf.while (a loop with break or return)}}
    scf.while (%i = %n) : (index) -> index {
      %go = arith.cmpi slt, %i, %n : index
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
