// RUN: pypto-opt %s | pypto-opt > /dev/null

// Written by hand before any pass: a looped row softmax whose buffers are
// reused. It fixes the forms of buffer operations, instructions and flags.
//
// 256 x 64 FP32 in blocks of 32 rows. One 8 KiB buffer holds the block from its
// load to its store; the row maximum, its blocks and the row sum share what is
// left. Each vector instruction that reads what the one before wrote needs a
// barrier; MTE2, V and MTE3 hand the buffer on with flags, and MTE3 back to MTE2
// for the next block.

module attributes {pto.target = "910B"} {
  func.func @softmax(%x: !pto.gm<256x64xf32> {pto.dir = #pto.dir<in>},
                     %out: !pto.gm<256x64xf32> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf32, vec, nd>
    %v = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<32x1xf32, vec, dn>
    %b = pto.tile.alloc {addrs = array<i64: 8320>} : !pto.buf<32x8xf32, vec, nd>
    pto.block.set_flag mte3 -> mte2, 0
    scf.for %row = %c0 to %c256 step %c32 {
      pto.block.wait_flag mte3 -> mte2, 0
      pto.tile.load ins(%x[%row, 0] : !pto.gm<256x64xf32>) outs(%t : !pto.buf<32x64xf32, vec, nd>)
      pto.block.set_flag mte2 -> v, 0
      pto.block.wait_flag mte2 -> v, 0
      pto.tile.row_max ins(%t : !pto.buf<32x64xf32, vec, nd>) outs(%v : !pto.buf<32x1xf32, vec, dn>)
      pto.block.barrier v
      pto.tile.brcb ins(%v : !pto.buf<32x1xf32, vec, dn>) outs(%b : !pto.buf<32x8xf32, vec, nd>)
      pto.block.barrier v
      pto.tile.row_expand_sub ins(%t, %b : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x8xf32, vec, nd>) outs(%t : !pto.buf<32x64xf32, vec, nd>)
      pto.block.barrier v
      pto.tile.exp ins(%t : !pto.buf<32x64xf32, vec, nd>) outs(%t : !pto.buf<32x64xf32, vec, nd>)
      pto.block.barrier v
      pto.tile.row_sum ins(%t : !pto.buf<32x64xf32, vec, nd>) outs(%v : !pto.buf<32x1xf32, vec, dn>)
      pto.block.barrier v
      pto.tile.brcb ins(%v : !pto.buf<32x1xf32, vec, dn>) outs(%b : !pto.buf<32x8xf32, vec, nd>)
      pto.block.barrier v
      pto.tile.row_expand_div ins(%t, %b : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x8xf32, vec, nd>) outs(%t : !pto.buf<32x64xf32, vec, nd>)
      pto.block.set_flag v -> mte3, 0
      pto.block.wait_flag v -> mte3, 0
      pto.tile.store ins(%t : !pto.buf<32x64xf32, vec, nd>) outs(%out[%row, 0] : !pto.gm<256x64xf32>)
      pto.block.set_flag mte3 -> mte2, 0
    }
    pto.block.wait_flag mte3 -> mte2, 0
    pto.block.barrier all
    return
  }
}
