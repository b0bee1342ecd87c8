// RUN: pypto-opt %s | pypto-opt > /dev/null

// Written by hand before any pass: [64, 512] x [512, 64] in FP16 with K in steps
// of 64, double-buffered through Mat, Left and Right. The slot of a step is its
// number modulo two, chosen at run time, and so is the event id: each slot has
// its own flag. The accumulator stays in Acc; its last product is handed to FIX.
//
// A move to Left or Right is one instruction for 16 rows (a row of fractals), so
// it stands in a loop of its own.

module attributes {pto.target = "910B"} {
  func.func @matmul(%a: !pto.gm<64x512xf16> {pto.dir = #pto.dir<in>},
                    %b: !pto.gm<512x64xf16> {pto.dir = #pto.dir<in>},
                    %c: !pto.gm<64x64xf32> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %a1s = pto.tile.alloc {addrs = array<i64: 0, 8192>} : !pto.buf<64x64xf16, mat, nz, slots<2>>
    %b1s = pto.tile.alloc {addrs = array<i64: 16384, 24576>} : !pto.buf<64x64xf16, mat, nz, slots<2>>
    %a0s = pto.tile.alloc {addrs = array<i64: 0, 8192>} : !pto.buf<64x64xf16, left, zz, slots<2>>
    %b0s = pto.tile.alloc {addrs = array<i64: 0, 8192>} : !pto.buf<64x64xf16, right, zn, slots<2>>
    %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x64xf32, acc, nz>
    // Every slot begins free: MTE1 has read Mat, M has read Left and Right.
    pto.block.set_flag mte1 -> mte2, 0
    pto.block.set_flag mte1 -> mte2, 1
    pto.block.set_flag m -> mte1, 0
    pto.block.set_flag m -> mte1, 1
    scf.for %k = %c0 to %c8 step %c1 {
      %slot = arith.remui %k, %c2 : index
      %off = arith.muli %k, %c64 : index
      %a1 = pto.tile.slot %a1s[%slot] : !pto.buf<64x64xf16, mat, nz, slots<2>>
      %b1 = pto.tile.slot %b1s[%slot] : !pto.buf<64x64xf16, mat, nz, slots<2>>
      %a0 = pto.tile.slot %a0s[%slot] : !pto.buf<64x64xf16, left, zz, slots<2>>
      %b0 = pto.tile.slot %b0s[%slot] : !pto.buf<64x64xf16, right, zn, slots<2>>
      pto.block.wait_flag mte1 -> mte2, %slot
      pto.tile.load ins(%a[0, %off] : !pto.gm<64x512xf16>) outs(%a1 : !pto.buf<64x64xf16, mat, nz>)
      pto.tile.load ins(%b[%off, 0] : !pto.gm<512x64xf16>) outs(%b1 : !pto.buf<64x64xf16, mat, nz>)
      pto.block.set_flag mte2 -> mte1, %slot
      pto.block.wait_flag mte2 -> mte1, %slot
      pto.block.wait_flag m -> mte1, %slot
      scf.for %i = %c0 to %c64 step %c16 {
        %from = pto.tile.subview %a1[%i, 0] [16, 64] : !pto.buf<64x64xf16, mat, nz> -> !pto.buf<16x64xf16, mat, nz, of<64x64>>
        %to = pto.tile.subview %a0[%i, 0] [16, 64] : !pto.buf<64x64xf16, left, zz> -> !pto.buf<16x64xf16, left, zz, of<64x64>>
        pto.tile.move ins(%from : !pto.buf<16x64xf16, mat, nz, of<64x64>>) outs(%to : !pto.buf<16x64xf16, left, zz, of<64x64>>)
      }
      scf.for %i = %c0 to %c64 step %c16 {
        %from = pto.tile.subview %b1[%i, 0] [16, 64] : !pto.buf<64x64xf16, mat, nz> -> !pto.buf<16x64xf16, mat, nz, of<64x64>>
        %to = pto.tile.subview %b0[%i, 0] [16, 64] : !pto.buf<64x64xf16, right, zn> -> !pto.buf<16x64xf16, right, zn, of<64x64>>
        pto.tile.move ins(%from : !pto.buf<16x64xf16, mat, nz, of<64x64>>) outs(%to : !pto.buf<16x64xf16, right, zn, of<64x64>>)
      }
      pto.block.set_flag mte1 -> mte2, %slot
      pto.block.set_flag mte1 -> m, %slot
      pto.block.wait_flag mte1 -> m, %slot
      %first = arith.cmpi eq, %k, %c0 : index
      scf.if %first {
        pto.tile.matmul ins(%a0, %b0 : !pto.buf<64x64xf16, left, zz>, !pto.buf<64x64xf16, right, zn>) outs(%acc : !pto.buf<64x64xf32, acc, nz>)
      } else {
        pto.tile.matmul_acc ins(%acc, %a0, %b0 : !pto.buf<64x64xf32, acc, nz>, !pto.buf<64x64xf16, left, zz>, !pto.buf<64x64xf16, right, zn>) outs(%acc : !pto.buf<64x64xf32, acc, nz>)
      }
      pto.block.barrier m
      pto.block.set_flag m -> mte1, %slot
    }
    pto.block.wait_flag mte1 -> mte2, 0
    pto.block.wait_flag mte1 -> mte2, 1
    pto.block.wait_flag m -> mte1, 0
    pto.block.wait_flag m -> mte1, 1
    pto.block.set_flag m -> fix, 0
    pto.block.wait_flag m -> fix, 0
    pto.tile.store ins(%acc : !pto.buf<64x64xf32, acc, nz>) outs(%c[0, 0] : !pto.gm<64x64xf32>)
    pto.block.barrier all
    return
  }
}
