// RUN: pypto-opt %s --pto-insert-sync -verify-diagnostics -split-input-file

// expected-error @below {{the module names no chip; set attribute pto.target}}
module {
}

// -----

module attributes {pto.target = "910B"} {
  func.func @flags() attributes {pto.kind = #pto.kind<aiv>} {
    // expected-error @below {{pto.block.set_flag: an author's flag in a function that is not marked #pto.sync<manual>; mark it, or leave all flags to the compiler}}
    pto.block.set_flag mte2 -> v, 0
    pto.block.wait_flag mte2 -> v, 0
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @value_form(%x: !pto.gm<16x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
    // expected-error @below {{pl.load: pto-insert-sync orders instructions on buffers; run pto-bufferize-tiles and pto-plan-memory first}}
    %t = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec>
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @no_address(%x: !pto.gm<16x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
    // expected-note @below {{allocated here}}
    %a = pto.tile.alloc : !pto.buf<16x64xf32, vec, nd>
    // expected-error @below {{pl.load: [16, 64] FP32 in Vec has no address; run pto-plan-memory first}}
    pto.tile.load ins(%x[0, 0] : !pto.gm<16x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @carried_buffer(%x: !pto.gm<16x64xf32>, %n: index) attributes {pto.kind = #pto.kind<aiv>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
    // expected-note @below {{it comes from here}}
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> (!pto.buf<16x64xf32, vec, nd>) {
      // expected-error @below {{must come from pto.tile.alloc}}
      pto.tile.load ins(%x[0, 0] : !pto.gm<16x64xf32>) outs(%b : !pto.buf<16x64xf32, vec, nd>)
      scf.yield %b : !pto.buf<16x64xf32, vec, nd>
    }
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @while_loop(%x: !pto.gm<16x64xf32>, %c: i1) attributes {pto.kind = #pto.kind<aiv>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{the condition of this loop is an instruction of its own, which pto-insert-sync does not order; read the value before the loop and at the end of its body, or set the flags yourself}}
    scf.while : () -> () {
      %v = pto.tile.get_value %a[0, 0] : !pto.buf<16x64xf32, vec, nd> -> f32
      %go = arith.cmpf ogt, %v, %zero : f32
      scf.condition(%go)
    } do {
      pto.tile.load ins(%x[0, 0] : !pto.gm<16x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
      scf.yield
    }
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  // expected-error @below {{pto-insert-sync orders kernels of one block with scf.for and scf.if; 'blocks' has branches between blocks}}
  func.func @blocks() attributes {pto.kind = #pto.kind<aiv>} {
    return
  ^bb1:
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @step(%x: !pto.gm<16x64xf32>, %n: index) attributes {pto.kind = #pto.kind<aiv>} {
    %c0 = arith.constant 0 : index
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
    // expected-error @below {{a loop's step is positive, found 0}}
    scf.for %i = %c0 to %n step %c0 {
      pto.tile.load ins(%x[0, 0] : !pto.gm<16x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
    }
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @tensor(%x: tensor<16x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
    // expected-error @below {{pl.load: [16, 64] FP32 must be an array argument of the kernel (!pto.gm)}}
    pto.tile.load ins(%x[0, 0] : tensor<16x64xf32>) outs(%a : !pto.buf<16x64xf32, vec, nd>)
    return
  }
}
