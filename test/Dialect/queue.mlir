// Rings between the cores of a cluster: the assembly, and that AscendC is refused by name.

// RUN: pypto-opt %s | pypto-opt | FileCheck %s
// RUN: not pypto-translate --pto-to-ascendc %s 2>&1 | FileCheck %s --check-prefix=EMIT
// CHECK: pto.block.queue_push %{{.*}} into %{{.*}}, 0 : !pto.buf<64x128xf32, acc, nz> into !pto.gm<256x128xf32>
// CHECK: pto.block.queue_pop %{{.*}} to %{{.*}}, 0 : !pto.gm<256x128xf32> to !pto.buf<32x128xf32, vec, nd>
// CHECK: pto.block.queue_free 0
// EMIT: pto.block.queue_push

module attributes {pto.target = "910B"} {
  func.func @k(%ring: !pto.gm<256x128xf32> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>} {
    pto.block.section aic {
      %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x128xf32, acc, nz>
      pto.block.queue_push %acc into %ring, 0 : !pto.buf<64x128xf32, acc, nz> into !pto.gm<256x128xf32>
      pto.block.barrier all
    }
    pto.block.section aiv {
      %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x128xf32, vec, nd>
      pto.block.queue_pop %ring to %t, 0 : !pto.gm<256x128xf32> to !pto.buf<32x128xf32, vec, nd>
      pto.block.queue_free 0
      pto.block.barrier all
    }
    return
  }
}
