// RUN: pypto-opt %s --pto-plan-memory -verify-diagnostics -split-input-file

!a = !pto.buf<92x256xf32, vec, nd>
module attributes {pto.target = "910B"} {
// 32 B more than Vec has.
func.func @one_block_more(%x: !pto.gm<92x256xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  // expected-note@+1 {{92 KiB of it: [92, 256] FP32}}
  %a = pto.tile.alloc : !a
  // expected-note@+1 {{92 KiB of it: [92, 256] FP32}}
  %b = pto.tile.alloc : !a
  // expected-note@+3 {{Vec there, 184 KiB in all:}}
  // expected-error@+2 {{[1, 8] FP32, does not fit: Vec holds 184 KiB, and 188448 B are needed at once; use smaller tiles, or store one of these before the next is made}}
  // expected-note@+1 {{32 B of it: [1, 8] FP32}}
  %v = pto.tile.alloc : !pto.buf<1x8xf32, vec, nd>
  pto.tile.load ins(%x[0, 0] : !pto.gm<92x256xf32>) outs(%a : !a)
  pto.tile.load ins(%x[0, 0] : !pto.gm<92x256xf32>) outs(%b : !a)
  pto.tile.load ins(%x[0, 0] : !pto.gm<92x256xf32>) outs(%v : !pto.buf<1x8xf32, vec, nd>)
  pto.tile.store ins(%a : !a) outs(%x[0, 0] : !pto.gm<92x256xf32>)
  pto.tile.store ins(%b : !a) outs(%x[0, 0] : !pto.gm<92x256xf32>)
  pto.tile.store ins(%v : !pto.buf<1x8xf32, vec, nd>) outs(%x[0, 0] : !pto.gm<92x256xf32>)
  return
}
}

// -----

// A kernel of a cluster has 256 B less, wherever else it is called.
!a = !pto.buf<92x256xf32, vec, nd>
module attributes {pto.target = "910B"} {
// expected-note@+1 {{the kernel runs in a cluster, where 256 B more are kept free}}
func.func @in_cluster(%x: !pto.gm<92x256xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  // expected-note@+1 {{92 KiB of it: [92, 256] FP32}}
  %a = pto.tile.alloc : !a
  // expected-note@+3 {{Vec there, 188160 B in all:}}
  // expected-error@+2 {{[92, 256] FP32, does not fit: Vec holds 188160 B, and 184 KiB are needed at once}}
  // expected-note@+1 {{92 KiB of it: [92, 256] FP32}}
  %b = pto.tile.alloc : !a
  pto.tile.load ins(%x[0, 0] : !pto.gm<92x256xf32>) outs(%a : !a)
  pto.tile.load ins(%x[0, 0] : !pto.gm<92x256xf32>) outs(%b : !a)
  pto.tile.store ins(%a : !a) outs(%x[0, 0] : !pto.gm<92x256xf32>)
  pto.tile.store ins(%b : !a) outs(%x[0, 0] : !pto.gm<92x256xf32>)
  return
}
func.func @entry(%x: tensor<92x256xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  pto.block.cluster {
    pto.block.dispatch @in_cluster(%x) : (tensor<92x256xf32>) -> ()
    pto.block.yield
  }
  pto.block.dispatch @in_cluster(%x) : (tensor<92x256xf32>) -> ()
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @mixed() attributes {pto.kind = #pto.kind<group>} {
  // expected-note@+2 {{Vec there, 188160 B in all:}}
  // expected-error@+1 {{[8, 8] FP32: 256 B at address 188000 reach beyond the 188160 B of Vec}}
  %b = pto.tile.alloc {addrs = array<i64: 188000>, pinned} : !pto.buf<8x8xf32, vec, nd>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @addresses() attributes {pto.kind = #pto.kind<aiv>} {
  // expected-error@+1 {{[8, 8] FP32: address 100 is not a multiple of 32, as Vec demands}}
  %a = pto.tile.alloc {addrs = array<i64: 100>, pinned} : !pto.buf<8x8xf32, vec, nd>
  // expected-note@+2 {{Vec there, 184 KiB in all:}}
  // expected-error@+1 {{[8, 8] FP32, 2 times: 256 B at address 188384 reach beyond the 184 KiB of Vec}}
  %b = pto.tile.alloc {addrs = array<i64: 0, 188384>, pinned} : !pto.buf<8x8xf32, vec, nd, slots<2>>
  return
}
}

// -----

// expected-error@+1 {{the module names no chip; set attribute pto.target, one of: 910B}}
module {
func.func @no_chip() attributes {pto.kind = #pto.kind<aiv>} {
  return
}
}
