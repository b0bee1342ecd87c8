// RUN: pypto-opt %s | pypto-opt > /dev/null

// Flash attention of one head as it is run on a card: 1024 queries against 1024
// keys, d = 128, FP16 in and out. Eight blocks, each a cluster that takes 128
// queries through eight steps of 128 keys; each AIV has 64 of the rows. The scores,
// the probabilities and the products pass through workspaces, of which each block
// has rows of its own; cross-core flags order them (mode 2, the AIC and its AIVs):
//   id 0  AIC -> AIV   scores of this step are in %s
//   id 1  AIV -> AIC   probabilities of this step are in %p
//   id 2  AIC -> AIV   the product of this step is in %pv
//   id 3  AIV -> AIC   the vector cores have read %s, %pv of this step
// flash_attention.mlir is the same for one small block, and says how a step goes.

module attributes {pto.target = "910B"} {
  func.func @attention(%q: !pto.gm<1024x128xf16> {pto.dir = #pto.dir<in>},
                       %kt: !pto.gm<128x1024xf16> {pto.dir = #pto.dir<in>},
                       %v: !pto.gm<1024x128xf16> {pto.dir = #pto.dir<in>},
                       %s: !pto.gm<1024x128xf32> {pto.dir = #pto.dir<out>},
                       %p: !pto.gm<1024x128xf16> {pto.dir = #pto.dir<out>},
                       %pv: !pto.gm<1024x128xf32> {pto.dir = #pto.dir<out>},
                       %out: !pto.gm<1024x128xf16> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %block = pto.block.get_block_idx
    %row = arith.muli %block, %c128 : index
    pto.block.section aic {
      %q1 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<128x128xf16, mat, nz>
      %k1 = pto.tile.alloc {addrs = array<i64: 32768>} : !pto.buf<128x128xf16, mat, nz>
      %v1 = pto.tile.alloc {addrs = array<i64: 65536>} : !pto.buf<128x128xf16, mat, nz>
      %p1 = pto.tile.alloc {addrs = array<i64: 98304>} : !pto.buf<128x128xf16, mat, nz>
      %q0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<128x128xf16, left, zz>
      %p0 = pto.tile.alloc {addrs = array<i64: 32768>} : !pto.buf<128x128xf16, left, zz>
      %k0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<128x128xf16, right, zn>
      %v0 = pto.tile.alloc {addrs = array<i64: 32768>} : !pto.buf<128x128xf16, right, zn>
      %sc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<128x128xf32, acc, nz>
      %pc = pto.tile.alloc {addrs = array<i64: 65536>} : !pto.buf<128x128xf32, acc, nz>
      pto.tile.load ins(%q[%row, 0] : !pto.gm<1024x128xf16>) outs(%q1 : !pto.buf<128x128xf16, mat, nz>)
      pto.block.set_flag mte2 -> mte1, 2
      pto.block.wait_flag mte2 -> mte1, 2
      scf.for %i = %c0 to %c128 step %c16 {
          %from = pto.tile.subview %q1[%i, 0] [16, 128] : !pto.buf<128x128xf16, mat, nz> -> !pto.buf<16x128xf16, mat, nz, of<128x128>>
          %to = pto.tile.subview %q0[%i, 0] [16, 128] : !pto.buf<128x128xf16, left, zz> -> !pto.buf<16x128xf16, left, zz, of<128x128>>
          pto.tile.move ins(%from : !pto.buf<16x128xf16, mat, nz, of<128x128>>) outs(%to : !pto.buf<16x128xf16, left, zz, of<128x128>>)
        }
      scf.for %j = %c0 to %c1024 step %c128 {
        // Scores: q x k.
        pto.tile.load ins(%kt[0, %j] : !pto.gm<128x1024xf16>) outs(%k1 : !pto.buf<128x128xf16, mat, nz>)
        pto.tile.load ins(%v[%j, 0] : !pto.gm<1024x128xf16>) outs(%v1 : !pto.buf<128x128xf16, mat, nz>)
        pto.block.set_flag mte2 -> mte1, 0
        pto.block.wait_flag mte2 -> mte1, 0
        scf.for %i = %c0 to %c128 step %c16 {
          %from = pto.tile.subview %k1[%i, 0] [16, 128] : !pto.buf<128x128xf16, mat, nz> -> !pto.buf<16x128xf16, mat, nz, of<128x128>>
          %to = pto.tile.subview %k0[%i, 0] [16, 128] : !pto.buf<128x128xf16, right, zn> -> !pto.buf<16x128xf16, right, zn, of<128x128>>
          pto.tile.move ins(%from : !pto.buf<16x128xf16, mat, nz, of<128x128>>) outs(%to : !pto.buf<16x128xf16, right, zn, of<128x128>>)
        }
        scf.for %i = %c0 to %c128 step %c16 {
          %from = pto.tile.subview %v1[%i, 0] [16, 128] : !pto.buf<128x128xf16, mat, nz> -> !pto.buf<16x128xf16, mat, nz, of<128x128>>
          %to = pto.tile.subview %v0[%i, 0] [16, 128] : !pto.buf<128x128xf16, right, zn> -> !pto.buf<16x128xf16, right, zn, of<128x128>>
          pto.tile.move ins(%from : !pto.buf<16x128xf16, mat, nz, of<128x128>>) outs(%to : !pto.buf<16x128xf16, right, zn, of<128x128>>)
        }
        pto.block.set_flag mte1 -> m, 0
        pto.block.wait_flag mte1 -> m, 0
        pto.tile.matmul ins(%q0, %k0 : !pto.buf<128x128xf16, left, zz>, !pto.buf<128x128xf16, right, zn>) outs(%sc : !pto.buf<128x128xf32, acc, nz>)
        pto.block.set_flag m -> fix, 0
        pto.block.wait_flag m -> fix, 0
        pto.tile.store ins(%sc : !pto.buf<128x128xf32, acc, nz>) outs(%s[%row, 0] : !pto.gm<1024x128xf32>)
        pto.block.cross_core_set fix, 0 {mode = 2 : i64}
        // Product: p x v.
        pto.block.cross_core_wait 1 {mode = 2 : i64}
        pto.tile.load ins(%p[%row, 0] : !pto.gm<1024x128xf16>) outs(%p1 : !pto.buf<128x128xf16, mat, nz>)
        pto.block.set_flag mte2 -> mte1, 1
        pto.block.wait_flag mte2 -> mte1, 1
        scf.for %i = %c0 to %c128 step %c16 {
          %from = pto.tile.subview %p1[%i, 0] [16, 128] : !pto.buf<128x128xf16, mat, nz> -> !pto.buf<16x128xf16, mat, nz, of<128x128>>
          %to = pto.tile.subview %p0[%i, 0] [16, 128] : !pto.buf<128x128xf16, left, zz> -> !pto.buf<16x128xf16, left, zz, of<128x128>>
          pto.tile.move ins(%from : !pto.buf<16x128xf16, mat, nz, of<128x128>>) outs(%to : !pto.buf<16x128xf16, left, zz, of<128x128>>)
        }
        pto.block.set_flag mte1 -> m, 1
        pto.block.wait_flag mte1 -> m, 1
        pto.tile.matmul ins(%p0, %v0 : !pto.buf<128x128xf16, left, zz>, !pto.buf<128x128xf16, right, zn>) outs(%pc : !pto.buf<128x128xf32, acc, nz>)
        pto.block.set_flag m -> fix, 1
        pto.block.wait_flag m -> fix, 1
        pto.tile.store ins(%pc : !pto.buf<128x128xf32, acc, nz>) outs(%pv[%row, 0] : !pto.gm<1024x128xf32>)
        pto.block.cross_core_set fix, 2 {mode = 2 : i64}
        pto.block.cross_core_wait 3 {mode = 2 : i64}
      }
      pto.block.barrier all
    }
    pto.block.section aiv {
      %sub = pto.block.get_subblock_idx
      %part = arith.muli %sub, %c64 : index
      %mine = arith.addi %row, %part : index
      %floor = arith.constant -1.0e30 : f32
      %zero = arith.constant 0.0 : f32
      %m = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x1xf32, vec, dn>
      %l = pto.tile.alloc {addrs = array<i64: 256>} : !pto.buf<64x1xf32, vec, dn>
      %n = pto.tile.alloc {addrs = array<i64: 512>} : !pto.buf<64x1xf32, vec, dn>
      %e = pto.tile.alloc {addrs = array<i64: 768>} : !pto.buf<64x1xf32, vec, dn>
      %r = pto.tile.alloc {addrs = array<i64: 1024>} : !pto.buf<64x1xf32, vec, dn>
      %b = pto.tile.alloc {addrs = array<i64: 2048>} : !pto.buf<64x8xf32, vec, nd>
      %st = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<64x128xf32, vec, nd>
      %pt = pto.tile.alloc {addrs = array<i64: 36864>} : !pto.buf<64x128xf16, vec, nd>
      %o = pto.tile.alloc {addrs = array<i64: 53248>} : !pto.buf<64x128xf32, vec, nd>
      %ot = pto.tile.alloc {addrs = array<i64: 86016>} : !pto.buf<64x128xf32, vec, nd>
      %oh = pto.tile.alloc {addrs = array<i64: 118784>} : !pto.buf<64x128xf16, vec, nd>
      %f = pto.tile.alloc {addrs = array<i64: 135168>} : !pto.buf<64x64xf32, vec, nd>
      %st0 = pto.tile.subview %st[0, 0] [64, 64] : !pto.buf<64x128xf32, vec, nd> -> !pto.buf<64x64xf32, vec, nd, of<64x128>>
      %st1 = pto.tile.subview %st[0, 64] [64, 64] : !pto.buf<64x128xf32, vec, nd> -> !pto.buf<64x64xf32, vec, nd, of<64x128>>
      %o0 = pto.tile.subview %o[0, 0] [64, 64] : !pto.buf<64x128xf32, vec, nd> -> !pto.buf<64x64xf32, vec, nd, of<64x128>>
      %o1 = pto.tile.subview %o[0, 64] [64, 64] : !pto.buf<64x128xf32, vec, nd> -> !pto.buf<64x64xf32, vec, nd, of<64x128>>
      pto.tile.full ins(%floor : f32) outs(%m : !pto.buf<64x1xf32, vec, dn>)
      pto.tile.full ins(%zero : f32) outs(%l : !pto.buf<64x1xf32, vec, dn>)
      pto.tile.full ins(%zero : f32) outs(%o : !pto.buf<64x128xf32, vec, nd>)
      scf.for %j = %c0 to %c1024 step %c128 {
        pto.block.cross_core_wait 0 {mode = 2 : i64}
        pto.tile.load ins(%s[%mine, 0] : !pto.gm<1024x128xf32>) outs(%st : !pto.buf<64x128xf32, vec, nd>)
        pto.block.set_flag mte2 -> v, 0
        pto.block.wait_flag mte2 -> v, 0
        pto.tile.maximum ins(%st0, %st1 : !pto.buf<64x64xf32, vec, nd, of<64x128>>, !pto.buf<64x64xf32, vec, nd, of<64x128>>) outs(%f : !pto.buf<64x64xf32, vec, nd>)
        pto.block.barrier v
        pto.tile.row_max ins(%f : !pto.buf<64x64xf32, vec, nd>) outs(%r : !pto.buf<64x1xf32, vec, dn>)
        pto.block.barrier v
        pto.tile.maximum ins(%m, %r : !pto.buf<64x1xf32, vec, dn>, !pto.buf<64x1xf32, vec, dn>) outs(%n : !pto.buf<64x1xf32, vec, dn>)
        pto.block.barrier v
        pto.tile.sub ins(%m, %n : !pto.buf<64x1xf32, vec, dn>, !pto.buf<64x1xf32, vec, dn>) outs(%e : !pto.buf<64x1xf32, vec, dn>)
        pto.tile.brcb ins(%n : !pto.buf<64x1xf32, vec, dn>) outs(%b : !pto.buf<64x8xf32, vec, nd>)
        pto.block.barrier v
        pto.tile.exp ins(%e : !pto.buf<64x1xf32, vec, dn>) outs(%e : !pto.buf<64x1xf32, vec, dn>)
        pto.tile.add ins(%n, %zero : !pto.buf<64x1xf32, vec, dn>, f32) outs(%m : !pto.buf<64x1xf32, vec, dn>)
        pto.tile.row_expand_sub ins(%st0, %b : !pto.buf<64x64xf32, vec, nd, of<64x128>>, !pto.buf<64x8xf32, vec, nd>) outs(%st0 : !pto.buf<64x64xf32, vec, nd, of<64x128>>)
        pto.tile.row_expand_sub ins(%st1, %b : !pto.buf<64x64xf32, vec, nd, of<64x128>>, !pto.buf<64x8xf32, vec, nd>) outs(%st1 : !pto.buf<64x64xf32, vec, nd, of<64x128>>)
        pto.block.barrier v
        pto.tile.exp ins(%st : !pto.buf<64x128xf32, vec, nd>) outs(%st : !pto.buf<64x128xf32, vec, nd>)
        pto.tile.mul ins(%l, %e : !pto.buf<64x1xf32, vec, dn>, !pto.buf<64x1xf32, vec, dn>) outs(%l : !pto.buf<64x1xf32, vec, dn>)
        pto.block.barrier v
        pto.tile.add ins(%st0, %st1 : !pto.buf<64x64xf32, vec, nd, of<64x128>>, !pto.buf<64x64xf32, vec, nd, of<64x128>>) outs(%f : !pto.buf<64x64xf32, vec, nd>)
        pto.tile.cast ins(%st : !pto.buf<64x128xf32, vec, nd>) outs(%pt : !pto.buf<64x128xf16, vec, nd>) {round = #pto.round<rint>}
        pto.block.set_flag v -> mte3, 0
        pto.block.wait_flag v -> mte3, 0
        pto.tile.store ins(%pt : !pto.buf<64x128xf16, vec, nd>) outs(%p[%mine, 0] : !pto.gm<1024x128xf16>)
        pto.block.cross_core_set mte3, 1 {mode = 2 : i64}
        pto.block.barrier v
        pto.tile.row_sum ins(%f : !pto.buf<64x64xf32, vec, nd>) outs(%r : !pto.buf<64x1xf32, vec, dn>)
        pto.tile.brcb ins(%e : !pto.buf<64x1xf32, vec, dn>) outs(%b : !pto.buf<64x8xf32, vec, nd>)
        pto.block.barrier v
        pto.tile.add ins(%l, %r : !pto.buf<64x1xf32, vec, dn>, !pto.buf<64x1xf32, vec, dn>) outs(%l : !pto.buf<64x1xf32, vec, dn>)
        pto.tile.row_expand_mul ins(%o0, %b : !pto.buf<64x64xf32, vec, nd, of<64x128>>, !pto.buf<64x8xf32, vec, nd>) outs(%o0 : !pto.buf<64x64xf32, vec, nd, of<64x128>>)
        pto.tile.row_expand_mul ins(%o1, %b : !pto.buf<64x64xf32, vec, nd, of<64x128>>, !pto.buf<64x8xf32, vec, nd>) outs(%o1 : !pto.buf<64x64xf32, vec, nd, of<64x128>>)
        pto.block.cross_core_wait 2 {mode = 2 : i64}
        pto.tile.load ins(%pv[%mine, 0] : !pto.gm<1024x128xf32>) outs(%ot : !pto.buf<64x128xf32, vec, nd>)
        pto.block.set_flag mte2 -> v, 1
        pto.block.wait_flag mte2 -> v, 1
        pto.block.barrier v
        pto.tile.add ins(%o, %ot : !pto.buf<64x128xf32, vec, nd>, !pto.buf<64x128xf32, vec, nd>) outs(%o : !pto.buf<64x128xf32, vec, nd>)
        pto.block.cross_core_set mte2, 3 {mode = 2 : i64}
      }
      pto.tile.brcb ins(%l : !pto.buf<64x1xf32, vec, dn>) outs(%b : !pto.buf<64x8xf32, vec, nd>)
      pto.block.barrier v
      pto.tile.row_expand_div ins(%o0, %b : !pto.buf<64x64xf32, vec, nd, of<64x128>>, !pto.buf<64x8xf32, vec, nd>) outs(%o0 : !pto.buf<64x64xf32, vec, nd, of<64x128>>)
      pto.tile.row_expand_div ins(%o1, %b : !pto.buf<64x64xf32, vec, nd, of<64x128>>, !pto.buf<64x8xf32, vec, nd>) outs(%o1 : !pto.buf<64x64xf32, vec, nd, of<64x128>>)
      pto.block.barrier v
      pto.tile.cast ins(%o : !pto.buf<64x128xf32, vec, nd>) outs(%oh : !pto.buf<64x128xf16, vec, nd>) {round = #pto.round<rint>}
      pto.block.set_flag v -> mte3, 0
      pto.block.wait_flag v -> mte3, 0
      pto.tile.store ins(%oh : !pto.buf<64x128xf16, vec, nd>) outs(%out[%mine, 0] : !pto.gm<1024x128xf16>)
      pto.block.barrier all
    }
    return
  }

  func.func @entry(%q: tensor<1024x128xf16> {pto.dir = #pto.dir<in>},
                   %kt: tensor<128x1024xf16> {pto.dir = #pto.dir<in>},
                   %v: tensor<1024x128xf16> {pto.dir = #pto.dir<in>},
                   %out: tensor<1024x128xf16> {pto.dir = #pto.dir<out>}) -> tensor<1024x128xf16>
      attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>} {
    %s = pto.tensor.create : tensor<1024x128xf32>
    %p = pto.tensor.create : tensor<1024x128xf16>
    %pv = pto.tensor.create : tensor<1024x128xf32>
    %blocks = arith.constant 8 : index
    %r:4, %t = pto.block.dispatch @attention(%q, %kt, %v, %s, %p, %pv, %out) blocks(%blocks) :
      (tensor<1024x128xf16>, tensor<128x1024xf16>, tensor<1024x128xf16>, tensor<1024x128xf32>, tensor<1024x128xf16>, tensor<1024x128xf32>, tensor<1024x128xf16>) ->
      (tensor<1024x128xf32>, tensor<1024x128xf16>, tensor<1024x128xf32>, tensor<1024x128xf16>), !pto.task
    return %r#3 : tensor<1024x128xf16>
  }
}
