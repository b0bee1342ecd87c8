// RUN: not pypto-opt %s --pto-plan-memory -split-input-file 2>&1 | FileCheck %s

// Who holds what where it is too much, the largest first.
// CHECK: error: 'c', [1, 8] FP32, does not fit: Vec holds 184 KiB, and 188448 B are needed at once
// CHECK: note: Vec there, 184 KiB in all:
// CHECK-NEXT: {{^}}  ############              92 KiB    'a', [92, 256] FP32  kernel.py:1{{$}}
// CHECK-NEXT: {{^}}  ############              92 KiB    'b', [92, 256] FP32  kernel.py:2{{$}}
// CHECK-NEXT: {{^}}  #                         32 B      'c', [1, 8] FP32     kernel.py:3  <- does not fit{{$}}
!a = !pto.buf<92x256xf32, vec, nd>
module attributes {pto.target = "910B"} {
func.func @one_block_more(%x: !pto.gm<92x256xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc : !a loc("a"("/somewhere/kernel.py":1:5))
  %b = pto.tile.alloc : !a loc("b"("/somewhere/kernel.py":2:5))
  %v = pto.tile.alloc : !pto.buf<1x8xf32, vec, nd> loc("c"("/somewhere/kernel.py":3:5))
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

// Addresses of the author, and the slot that lies beyond the end.
// CHECK: error: 'b', [8, 8] FP32, 2 times: 256 B at address 188384 reach beyond the 184 KiB of Vec
// CHECK: note: Vec there, 184 KiB in all:
// CHECK-NEXT: {{^}}  0x00000..0x00100  #                         256 B     'b', [8, 8] FP32, 2 times  kernel.py:8{{$}}
// CHECK-NEXT: {{^}}  0x2dfe0..0x2e0e0  #                         256 B     'b', [8, 8] FP32, 2 times  kernel.py:8  <- does not fit{{$}}
module attributes {pto.target = "910B"} {
func.func @addresses() attributes {pto.kind = #pto.kind<aiv>} {
  %b = pto.tile.alloc {addrs = array<i64: 0, 188384>, pinned} : !pto.buf<8x8xf32, vec, nd, slots<2>> loc("b"("kernel.py":8:1))
  return
}
}
