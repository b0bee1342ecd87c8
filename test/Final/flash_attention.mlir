// RUN: pypto-opt %s | pypto-opt > /dev/null

// Written by hand before any pass: the inner loop of flash attention for one
// block of 32 queries (d = 64) over four blocks of 32 keys, FP16 in and out, on
// one AIC and the first of its AIVs. On 910B cube and vector cores exchange
// data through DDR only, so the scores, the probabilities and the products pass
// through workspaces, and cross-core flags order them (mode 2: the AIC and its
// AIVs):
//   id 0  AIC -> AIV   scores of this step are in %s
//   id 1  AIV -> AIC   probabilities of this step are in %p
//   id 2  AIC -> AIV   the product of this step is in %pv
//   id 3  AIV -> AIC   the vector cores have read %s, %pv of this step
// Both AIVs run the section; only AIV 0 works, both signal, as mode 2 asks.
//
// Online softmax, a step: m' = max(m, rowmax s), p = exp(s - m'),
// e = exp(m - m'), l = e l + rowsum p, o = e o + p v. The first step starts
// from m = -1e30, l = 0, o = 0.

module attributes {pto.target = "910B"} {
  func.func @flash_attention(%q: !pto.gm<32x64xf16> {pto.dir = #pto.dir<in>},
                             %kt: !pto.gm<64x128xf16> {pto.dir = #pto.dir<in>},
                             %v: !pto.gm<128x64xf16> {pto.dir = #pto.dir<in>},
                             %s: !pto.gm<32x32xf32> {pto.dir = #pto.dir<inout>},
                             %p: !pto.gm<32x32xf16> {pto.dir = #pto.dir<inout>},
                             %pv: !pto.gm<32x64xf32> {pto.dir = #pto.dir<inout>},
                             %out: !pto.gm<32x64xf16> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    pto.block.section aic {
      %q1 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf16, mat, nz>
      %k1 = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<64x32xf16, mat, nz>
      %v1 = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<32x64xf16, mat, nz>
      %p1 = pto.tile.alloc {addrs = array<i64: 12288>} : !pto.buf<32x32xf16, mat, nz>
      %q0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf16, left, zz>
      %p0 = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<32x32xf16, left, zz>
      %k0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x32xf16, right, zn>
      %v0 = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<32x64xf16, right, zn>
      %sc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x32xf32, acc, nz>
      %pc = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<32x64xf32, acc, nz>
      pto.tile.load ins(%q[0, 0] : !pto.gm<32x64xf16>) outs(%q1 : !pto.buf<32x64xf16, mat, nz>)
      pto.block.set_flag mte2 -> mte1, 0
      pto.block.wait_flag mte2 -> mte1, 0
      scf.for %i = %c0 to %c32 step %c16 {
        %from = pto.tile.subview %q1[%i, 0] [16, 64] : !pto.buf<32x64xf16, mat, nz> -> !pto.buf<16x64xf16, mat, nz, of<32x64>>
        %to = pto.tile.subview %q0[%i, 0] [16, 64] : !pto.buf<32x64xf16, left, zz> -> !pto.buf<16x64xf16, left, zz, of<32x64>>
        pto.tile.move ins(%from : !pto.buf<16x64xf16, mat, nz, of<32x64>>) outs(%to : !pto.buf<16x64xf16, left, zz, of<32x64>>)
      }
      pto.block.set_flag mte1 -> mte2, 0
      pto.block.set_flag m -> mte1, 0
      pto.block.set_flag fix -> m, 0
      scf.for %j = %c0 to %c128 step %c32 {
        // Scores: q x k.
        pto.block.wait_flag mte1 -> mte2, 0
        pto.tile.load ins(%kt[0, %j] : !pto.gm<64x128xf16>) outs(%k1 : !pto.buf<64x32xf16, mat, nz>)
        pto.tile.load ins(%v[%j, 0] : !pto.gm<128x64xf16>) outs(%v1 : !pto.buf<32x64xf16, mat, nz>)
        pto.block.set_flag mte2 -> mte1, 0
        pto.block.wait_flag mte2 -> mte1, 0
        pto.block.wait_flag m -> mte1, 0
        scf.for %i = %c0 to %c64 step %c16 {
          %from = pto.tile.subview %k1[%i, 0] [16, 32] : !pto.buf<64x32xf16, mat, nz> -> !pto.buf<16x32xf16, mat, nz, of<64x32>>
          %to = pto.tile.subview %k0[%i, 0] [16, 32] : !pto.buf<64x32xf16, right, zn> -> !pto.buf<16x32xf16, right, zn, of<64x32>>
          pto.tile.move ins(%from : !pto.buf<16x32xf16, mat, nz, of<64x32>>) outs(%to : !pto.buf<16x32xf16, right, zn, of<64x32>>)
        }
        scf.for %i = %c0 to %c32 step %c16 {
          %from = pto.tile.subview %v1[%i, 0] [16, 64] : !pto.buf<32x64xf16, mat, nz> -> !pto.buf<16x64xf16, mat, nz, of<32x64>>
          %to = pto.tile.subview %v0[%i, 0] [16, 64] : !pto.buf<32x64xf16, right, zn> -> !pto.buf<16x64xf16, right, zn, of<32x64>>
          pto.tile.move ins(%from : !pto.buf<16x64xf16, mat, nz, of<32x64>>) outs(%to : !pto.buf<16x64xf16, right, zn, of<32x64>>)
        }
        pto.block.set_flag mte1 -> m, 0
        pto.block.wait_flag mte1 -> m, 0
        pto.block.wait_flag fix -> m, 0
        pto.tile.matmul ins(%q0, %k0 : !pto.buf<32x64xf16, left, zz>, !pto.buf<64x32xf16, right, zn>) outs(%sc : !pto.buf<32x32xf32, acc, nz>)
        pto.block.set_flag m -> fix, 0
        pto.block.wait_flag m -> fix, 0
        pto.tile.store ins(%sc : !pto.buf<32x32xf32, acc, nz>) outs(%s[0, 0] : !pto.gm<32x32xf32>)
        pto.block.cross_core_set fix, 0 {mode = 2 : i64}
        // Product: p x v.
        pto.block.cross_core_wait 1 {mode = 2 : i64}
        pto.tile.load ins(%p[0, 0] : !pto.gm<32x32xf16>) outs(%p1 : !pto.buf<32x32xf16, mat, nz>)
        pto.block.set_flag mte2 -> mte1, 1
        pto.block.wait_flag mte2 -> mte1, 1
        scf.for %i = %c0 to %c32 step %c16 {
          %from = pto.tile.subview %p1[%i, 0] [16, 32] : !pto.buf<32x32xf16, mat, nz> -> !pto.buf<16x32xf16, mat, nz, of<32x32>>
          %to = pto.tile.subview %p0[%i, 0] [16, 32] : !pto.buf<32x32xf16, left, zz> -> !pto.buf<16x32xf16, left, zz, of<32x32>>
          pto.tile.move ins(%from : !pto.buf<16x32xf16, mat, nz, of<32x32>>) outs(%to : !pto.buf<16x32xf16, left, zz, of<32x32>>)
        }
        pto.block.set_flag mte1 -> mte2, 0
        pto.block.set_flag mte1 -> m, 1
        pto.block.wait_flag mte1 -> m, 1
        pto.tile.matmul ins(%p0, %v0 : !pto.buf<32x32xf16, left, zz>, !pto.buf<32x64xf16, right, zn>) outs(%pc : !pto.buf<32x64xf32, acc, nz>)
        pto.block.set_flag m -> mte1, 0
        pto.block.set_flag m -> fix, 1
        pto.block.wait_flag m -> fix, 1
        pto.tile.store ins(%pc : !pto.buf<32x64xf32, acc, nz>) outs(%pv[0, 0] : !pto.gm<32x64xf32>)
        pto.block.set_flag fix -> m, 0
        pto.block.cross_core_set fix, 2 {mode = 2 : i64}
        pto.block.cross_core_wait 3 {mode = 2 : i64}
      }
      pto.block.wait_flag mte1 -> mte2, 0
      pto.block.wait_flag m -> mte1, 0
      pto.block.wait_flag fix -> m, 0
      pto.block.barrier all
    }
    pto.block.section aiv {
      %sub = pto.block.get_subblock_idx
      %works = arith.cmpi eq, %sub, %c0 : index
      %floor = arith.constant -1.0e30 : f32
      %zero = arith.constant 0.0 : f32
      %minus = arith.constant -1.0 : f32
      %m = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x1xf32, vec, dn>
      %l = pto.tile.alloc {addrs = array<i64: 128>} : !pto.buf<32x1xf32, vec, dn>
      %n = pto.tile.alloc {addrs = array<i64: 256>} : !pto.buf<32x1xf32, vec, dn>
      %e = pto.tile.alloc {addrs = array<i64: 384>} : !pto.buf<32x1xf32, vec, dn>
      %r = pto.tile.alloc {addrs = array<i64: 512>} : !pto.buf<32x1xf32, vec, dn>
      %b = pto.tile.alloc {addrs = array<i64: 1024>} : !pto.buf<32x8xf32, vec, nd>
      %st = pto.tile.alloc {addrs = array<i64: 2048>} : !pto.buf<32x32xf32, vec, nd>
      %pt = pto.tile.alloc {addrs = array<i64: 6144>} : !pto.buf<32x32xf16, vec, nd>
      %o = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<32x64xf32, vec, nd>
      %ot = pto.tile.alloc {addrs = array<i64: 16384>} : !pto.buf<32x64xf32, vec, nd>
      %oh = pto.tile.alloc {addrs = array<i64: 24576>} : !pto.buf<32x64xf16, vec, nd>
      scf.if %works {
        pto.tile.full ins(%floor : f32) outs(%m : !pto.buf<32x1xf32, vec, dn>)
        pto.tile.full ins(%zero : f32) outs(%l : !pto.buf<32x1xf32, vec, dn>)
        pto.tile.full ins(%zero : f32) outs(%o : !pto.buf<32x64xf32, vec, nd>)
        pto.block.barrier v
        pto.block.set_flag v -> mte2, 0
        pto.block.set_flag v -> mte2, 1
        pto.block.set_flag mte3 -> v, 0
      }
      scf.for %j = %c0 to %c128 step %c32 {
        pto.block.cross_core_wait 0 {mode = 2 : i64}
        scf.if %works {
          pto.block.wait_flag v -> mte2, 0
          pto.tile.load ins(%s[0, 0] : !pto.gm<32x32xf32>) outs(%st : !pto.buf<32x32xf32, vec, nd>)
          pto.block.set_flag mte2 -> v, 0
          pto.block.wait_flag mte2 -> v, 0
          pto.tile.row_max ins(%st : !pto.buf<32x32xf32, vec, nd>) outs(%r : !pto.buf<32x1xf32, vec, dn>)
          pto.block.barrier v
          // max(m, r) = -min(-m, -r); a negative is a product with -1
          pto.tile.mul ins(%r, %minus : !pto.buf<32x1xf32, vec, dn>, f32) outs(%r : !pto.buf<32x1xf32, vec, dn>)
          pto.tile.mul ins(%m, %minus : !pto.buf<32x1xf32, vec, dn>, f32) outs(%n : !pto.buf<32x1xf32, vec, dn>)
          pto.block.barrier v
          pto.tile.minimum ins(%n, %r : !pto.buf<32x1xf32, vec, dn>, !pto.buf<32x1xf32, vec, dn>) outs(%n : !pto.buf<32x1xf32, vec, dn>)
          pto.block.barrier v
          pto.tile.mul ins(%n, %minus : !pto.buf<32x1xf32, vec, dn>, f32) outs(%n : !pto.buf<32x1xf32, vec, dn>)
          pto.block.barrier v
          pto.tile.sub ins(%m, %n : !pto.buf<32x1xf32, vec, dn>, !pto.buf<32x1xf32, vec, dn>) outs(%e : !pto.buf<32x1xf32, vec, dn>)
          pto.tile.brcb ins(%n : !pto.buf<32x1xf32, vec, dn>) outs(%b : !pto.buf<32x8xf32, vec, nd>)
          pto.block.barrier v
          pto.tile.exp ins(%e : !pto.buf<32x1xf32, vec, dn>) outs(%e : !pto.buf<32x1xf32, vec, dn>)
          pto.tile.add ins(%n, %zero : !pto.buf<32x1xf32, vec, dn>, f32) outs(%m : !pto.buf<32x1xf32, vec, dn>)
          pto.tile.row_expand_sub ins(%st, %b : !pto.buf<32x32xf32, vec, nd>, !pto.buf<32x8xf32, vec, nd>) outs(%st : !pto.buf<32x32xf32, vec, nd>)
          pto.block.barrier v
          pto.tile.exp ins(%st : !pto.buf<32x32xf32, vec, nd>) outs(%st : !pto.buf<32x32xf32, vec, nd>)
          pto.tile.mul ins(%l, %e : !pto.buf<32x1xf32, vec, dn>, !pto.buf<32x1xf32, vec, dn>) outs(%l : !pto.buf<32x1xf32, vec, dn>)
          pto.block.barrier v
          pto.tile.row_sum ins(%st : !pto.buf<32x32xf32, vec, nd>) outs(%r : !pto.buf<32x1xf32, vec, dn>)
          pto.block.wait_flag mte3 -> v, 0
          pto.tile.cast ins(%st : !pto.buf<32x32xf32, vec, nd>) outs(%pt : !pto.buf<32x32xf16, vec, nd>) {round = #pto.round<rint>}
          pto.block.set_flag v -> mte2, 0
          pto.block.set_flag v -> mte3, 0
          pto.block.wait_flag v -> mte3, 0
          pto.tile.store ins(%pt : !pto.buf<32x32xf16, vec, nd>) outs(%p[0, 0] : !pto.gm<32x32xf16>)
          pto.block.set_flag mte3 -> v, 0
          pto.block.barrier v
          pto.tile.add ins(%l, %r : !pto.buf<32x1xf32, vec, dn>, !pto.buf<32x1xf32, vec, dn>) outs(%l : !pto.buf<32x1xf32, vec, dn>)
          pto.tile.brcb ins(%e : !pto.buf<32x1xf32, vec, dn>) outs(%b : !pto.buf<32x8xf32, vec, nd>)
          pto.block.barrier v
          pto.tile.row_expand_mul ins(%o, %b : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x8xf32, vec, nd>) outs(%o : !pto.buf<32x64xf32, vec, nd>)
        }
        pto.block.cross_core_set mte3, 1 {mode = 2 : i64}
        pto.block.cross_core_wait 2 {mode = 2 : i64}
        scf.if %works {
          pto.block.wait_flag v -> mte2, 1
          pto.tile.load ins(%pv[0, 0] : !pto.gm<32x64xf32>) outs(%ot : !pto.buf<32x64xf32, vec, nd>)
          pto.block.set_flag mte2 -> v, 1
          pto.block.wait_flag mte2 -> v, 1
          pto.block.barrier v
          pto.tile.add ins(%o, %ot : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x64xf32, vec, nd>) outs(%o : !pto.buf<32x64xf32, vec, nd>)
          pto.block.barrier v
          pto.block.set_flag v -> mte2, 1
        }
        pto.block.cross_core_set mte2, 3 {mode = 2 : i64}
      }
      scf.if %works {
        pto.block.wait_flag v -> mte2, 0
        pto.block.wait_flag v -> mte2, 1
        pto.block.wait_flag mte3 -> v, 0
        pto.tile.brcb ins(%l : !pto.buf<32x1xf32, vec, dn>) outs(%b : !pto.buf<32x8xf32, vec, nd>)
        pto.block.barrier v
        pto.tile.row_expand_div ins(%o, %b : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x8xf32, vec, nd>) outs(%o : !pto.buf<32x64xf32, vec, nd>)
        pto.block.barrier v
        pto.tile.cast ins(%o : !pto.buf<32x64xf32, vec, nd>) outs(%oh : !pto.buf<32x64xf16, vec, nd>) {round = #pto.round<rint>}
        pto.block.set_flag v -> mte3, 0
        pto.block.wait_flag v -> mte3, 0
        pto.tile.store ins(%oh : !pto.buf<32x64xf16, vec, nd>) outs(%out[0, 0] : !pto.gm<32x64xf16>)
      }
      pto.block.barrier all
    }
    return
  }
}
