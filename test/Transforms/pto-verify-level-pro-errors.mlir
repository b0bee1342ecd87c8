// RUN: pypto-opt %s --pto-verify-level="after=pto-specialize-tiling-key" --verify-diagnostics --split-input-file

module attributes {pto.target = "950"} {
  pto.block.tiling_key @Key [#pto.key_field<"A", bits = 1, values = [0, 1]>]
  // expected-error @+1 {{'k' reads the tiling key 'Key' and is compiled for none; ask for one: keys=<field>=<value>,...}}
  func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.schema = @Key} {
    // expected-error @+1 {{reads a tiling key; a kernel is for one key after pto-specialize-tiling-key}}
    %a = pto.block.read_key @Key, "A"
    return
  }
}

// -----

module attributes {pto.target = "950"} {
  // expected-error @+1 {{the tiling key 'Key' is left after pto-specialize-tiling-key; ask for a key: keys=<field>=<value>,...}}
  pto.block.tiling_key @Key [#pto.key_field<"A", bits = 1, values = [0, 1]>]
}

// -----

module attributes {pto.target = "950"} {
  func.func @mutexes() attributes {pto.kind = #pto.kind<aiv>} {
    // expected-error @+1 {{has mutex id 28; those of 950 are 0 to 27}}
    %t = pto.tile.alloc {addrs = array<i64: 0>, pinned, mutex_ids = array<i64: 28>} : !pto.buf<8x8xf32, vec, nd>
    // expected-error @+1 {{mutex id 31; a kernel on 950 uses 0 to 27}}
    pto.block.mutex_lock v, 31
    // expected-error @+1 {{an aiv has no pipe m}}
    pto.block.mutex_unlock m, 3
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @none() attributes {pto.kind = #pto.kind<aiv>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>, pinned, mutex_ids = array<i64: 28>} : !pto.buf<8x8xf32, vec, nd>
    // expected-error @+1 {{910B has no mutexes; give the tiles mutex_ids, which become flags there, or set flags}}
    pto.block.mutex_lock v, 3
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @signals() attributes {pto.kind = #pto.kind<group>} {
    pto.block.section aiv {
      // expected-error @+1 {{signal 12 of mode 2 is none that a kernel on 910B may use}}
      pto.block.cross_core_set mte3, 12 {mode = 2 : i64}
      // expected-error @+1 {{an aiv has no pipe fix}}
      pto.block.cross_core_wait 3 {mode = 2 : i64, pipe = #pto.pipe<fix>}
    }
    return
  }
}

// -----

module attributes {pto.target = "950"} {
  func.func @flow(%i: index) attributes {pto.kind = #pto.kind<aiv>} {
    // expected-error @+1 {{is no control flow of a kernel; use scf.for, scf.if and scf.while}}
    scf.index_switch %i
    default {
      scf.yield
    }
    return
  }
}
