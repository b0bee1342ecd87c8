// RUN: pypto-opt %s | pypto-opt > /dev/null

// Flash attention on the Ascend 950 as the Pro front end writes it: the author's
// tiles, addresses, mutex ids and cross-core flags (pto.sync = author), before any
// pass. Two batches of four heads, 512 queries and keys, d = 128, arrays of
// [batch, sequence, head, d], FP16 in and out through pointers to bytes. 32 pieces
// of 128 queries go round the clusters; causal if the tiling key says so.
//
// One piece of work, a loop of one step more than there are tiles of 128 keys:
//   AIC  step i: scores of tile i; product of tile i - 1
//   AIV  step i: probabilities of tile i; output rescaled and added to, of tile i - 1
// so that the cube computes scores while the AIVs work on those before. Signals
// between the cores (mode 2):
//   id 0  AIC -> AIV   scores are in Vec (each AIV has 64 of the rows)
//   id 1  AIV -> AIC   probabilities are in Mat (each AIV writes its 64 rows)
//   id 2  AIC -> AIV   the product is in Vec
// Two slots of what passes between the cores, and no signal backwards: scores t + 2
// follow the product t, which waited for the probabilities t, for which scores t were
// read. So does probability t + 2 the rescaling t, and the product t + 2 probability t + 2.
//
// Online softmax: m' = max(m, rowmax s), p = exp(s - m'), e = exp(m - m'),
// l = e l + rowsum p, o = e o + p v; from m = -1e30, l = 0, o = 0. The tile on the
// diagonal has %mask added, 0 on and below the diagonal and -1e30 above it.

module attributes {pto.target = "950"} {
  pto.block.tiling_key @AttentionKey [#pto.key_field<"HasAtten", bits = 1, values = [0, 1]>,
                                      #pto.key_field<"BlockM", bits = 8, values = [64, 128]>]

  func.func @flash_attention(%query: !pto.gm<?xi8> {pto.dir = #pto.dir<in>},
                             %key: !pto.gm<?xi8> {pto.dir = #pto.dir<in>},
                             %value: !pto.gm<?xi8> {pto.dir = #pto.dir<in>},
                             %mask: !pto.gm<?xf32> {pto.dir = #pto.dir<in>},
                             %out: !pto.gm<?xi8> {pto.dir = #pto.dir<inout>},
                             %scale: f32)
      attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<author>,
                  pto.schema = @AttentionKey} {
    %q_mat = pto.tile.alloc {addrs = array<i64: 0, 32768>, pinned, mutex_ids = array<i64: 0, 1>} : !pto.buf<128x128xf16, mat, nz, slots<2>>
    %k_mat = pto.tile.alloc {addrs = array<i64: 65536, 98304>, pinned, mutex_ids = array<i64: 2, 3>} : !pto.buf<128x128xf16, mat, nz, slots<2>>
    %v_mat = pto.tile.alloc {addrs = array<i64: 131072, 163840>, pinned, mutex_ids = array<i64: 4, 5>} : !pto.buf<128x128xf16, mat, nz, slots<2>>
    %p_mat = pto.tile.alloc {addrs = array<i64: 196608, 229376>, pinned} : !pto.buf<128x128xf16, mat, nz, slots<2>>
    %left = pto.tile.alloc {addrs = array<i64: 0, 32768>, pinned, mutex_ids = array<i64: 6, 7>} : !pto.buf<128x128xf16, left, nz, slots<2>>
    %right = pto.tile.alloc {addrs = array<i64: 0, 32768>, pinned, mutex_ids = array<i64: 8, 9>} : !pto.buf<128x128xf16, right, zn, slots<2>>
    %s_acc = pto.tile.alloc {addrs = array<i64: 0, 65536>, pinned, mutex_ids = array<i64: 10, 11>} : !pto.buf<128x128xf32, acc, nz, slots<2>>
    %o_acc = pto.tile.alloc {addrs = array<i64: 131072, 196608>, pinned, mutex_ids = array<i64: 12, 13>} : !pto.buf<128x128xf32, acc, nz, slots<2>>
    %s_vec = pto.tile.alloc {addrs = array<i64: 0, 32768>, pinned} : !pto.buf<64x128xf32, vec, nd, slots<2>>
    %pv_vec = pto.tile.alloc {addrs = array<i64: 65536, 98304>, pinned} : !pto.buf<64x128xf32, vec, nd, slots<2>>
    %p_vec = pto.tile.alloc {addrs = array<i64: 131072>, pinned, mutex_ids = array<i64: 14>} : !pto.buf<64x128xf16, vec, nd>
    %o_vec = pto.tile.alloc {addrs = array<i64: 147456>, pinned} : !pto.buf<64x128xf32, vec, nd>
    %mask_vec = pto.tile.alloc {addrs = array<i64: 180224>, pinned, mutex_ids = array<i64: 15>} : !pto.buf<64x128xf32, vec, nd>
    %m = pto.tile.alloc {addrs = array<i64: 212992>, pinned} : !pto.buf<64x1xf32, vec, dn>
    %n = pto.tile.alloc {addrs = array<i64: 213248>, pinned} : !pto.buf<64x1xf32, vec, dn>
    %l = pto.tile.alloc {addrs = array<i64: 213504>, pinned} : !pto.buf<64x1xf32, vec, dn>
    %r = pto.tile.alloc {addrs = array<i64: 213760>, pinned} : !pto.buf<64x1xf32, vec, dn>
    %e = pto.tile.alloc {addrs = array<i64: 214016, 214272>, pinned} : !pto.buf<64x1xf32, vec, dn, slots<2>>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %floor = arith.constant -1.0e30 : f32
    %query_ptr = pto.tile.make_ptr %query[0] : !pto.gm<?xi8> -> !pto.gm<?xf16>
    %key_ptr = pto.tile.make_ptr %key[0] : !pto.gm<?xi8> -> !pto.gm<?xf16>
    %value_ptr = pto.tile.make_ptr %value[0] : !pto.gm<?xi8> -> !pto.gm<?xf16>
    %out_ptr = pto.tile.make_ptr %out[0] : !pto.gm<?xi8> -> !pto.gm<?xf16>
    %q_all = pto.tile.make_tensor %query_ptr shape [2, 512, 4, 128] strides [262144, 512, 128, 1] : !pto.gm<?xf16> -> !pto.gm<2x512x4x128xf16, pitch<?>>
    %k_all = pto.tile.make_tensor %key_ptr shape [2, 512, 4, 128] strides [262144, 512, 128, 1] : !pto.gm<?xf16> -> !pto.gm<2x512x4x128xf16, pitch<?>>
    %v_all = pto.tile.make_tensor %value_ptr shape [2, 512, 4, 128] strides [262144, 512, 128, 1] : !pto.gm<?xf16> -> !pto.gm<2x512x4x128xf16, pitch<?>>
    %o_all = pto.tile.make_tensor %out_ptr shape [2, 512, 4, 128] strides [262144, 512, 128, 1] : !pto.gm<?xf16> -> !pto.gm<2x512x4x128xf16, pitch<?>>
    %mask_all = pto.tile.make_tensor %mask shape [128, 128] strides [128, 1] : !pto.gm<?xf32> -> !pto.gm<128x128xf32, pitch<?>>
    %block = pto.block.get_block_idx
    %blocks = pto.block.get_block_num

    pto.block.section aic {
      %end = scf.for %w = %block to %c32 step %blocks iter_args(%t0 = %c0) -> (index) {
        %b = arith.divsi %w, %c16 : index
        %heads = arith.divsi %w, %c4 : index
        %h = arith.remsi %heads, %c4 : index
        %qi = arith.remsi %w, %c4 : index
        %atten = pto.block.read_key @AttentionKey, "HasAtten"
        %causal = arith.cmpi eq, %atten, %c1 : index
        %tiles = scf.if %causal -> (index) {
          %upto = arith.addi %qi, %c1 : index
          scf.yield %upto : index
        } else {
          scf.yield %c4 : index
        }
        %q = pto.tile.plane %q_all[%b, %h] axes [1, 3] : !pto.gm<2x512x4x128xf16, pitch<?>> -> !pto.gm<512x128xf16, pitch<?>>
        %k = pto.tile.plane %k_all[%b, %h] axes [1, 3] : !pto.gm<2x512x4x128xf16, pitch<?>> -> !pto.gm<512x128xf16, pitch<?>>
        %v = pto.tile.plane %v_all[%b, %h] axes [1, 3] : !pto.gm<2x512x4x128xf16, pitch<?>> -> !pto.gm<512x128xf16, pitch<?>>
        %qrow = arith.muli %qi, %c128 : index
        %qslot = arith.remsi %w, %c2 : index
        %q_tile = pto.tile.slot %q_mat[%qslot] : !pto.buf<128x128xf16, mat, nz, slots<2>>
        pto.tile.load ins(%q[%qrow, 0] : !pto.gm<512x128xf16, pitch<?>>) outs(%q_tile : !pto.buf<128x128xf16, mat, nz>)
        %q_left = pto.tile.slot %left[%c0] : !pto.buf<128x128xf16, left, nz, slots<2>>
        %p_left = pto.tile.slot %left[%c1] : !pto.buf<128x128xf16, left, nz, slots<2>>
        %k_right = pto.tile.slot %right[%c0] : !pto.buf<128x128xf16, right, zn, slots<2>>
        %v_right = pto.tile.slot %right[%c1] : !pto.buf<128x128xf16, right, zn, slots<2>>
        pto.tile.move ins(%q_tile : !pto.buf<128x128xf16, mat, nz>) outs(%q_left : !pto.buf<128x128xf16, left, nz>)
        %steps = arith.addi %tiles, %c1 : index
        scf.for %i = %c0 to %steps step %c1 {
          %t = arith.addi %t0, %i : index
          %this = arith.remsi %t, %c2 : index
          %last = arith.subi %c1, %this : index
          %row = arith.muli %i, %c128 : index
          %has_scores = arith.cmpi slt, %i, %tiles : index
          scf.if %has_scores {
            %k_tile = pto.tile.slot %k_mat[%this] : !pto.buf<128x128xf16, mat, nz, slots<2>>
            %acc = pto.tile.slot %s_acc[%this] : !pto.buf<128x128xf32, acc, nz, slots<2>>
            %to = pto.tile.slot %s_vec[%this] : !pto.buf<64x128xf32, vec, nd, slots<2>>
            pto.tile.load ins(%k[%row, 0] : !pto.gm<512x128xf16, pitch<?>>) outs(%k_tile : !pto.buf<128x128xf16, mat, nz>)
            pto.tile.move ins(%k_tile : !pto.buf<128x128xf16, mat, nz>) outs(%k_right : !pto.buf<128x128xf16, right, zn>) {transpose}
            pto.tile.matmul ins(%q_left, %k_right : !pto.buf<128x128xf16, left, nz>, !pto.buf<128x128xf16, right, zn>) outs(%acc : !pto.buf<128x128xf32, acc, nz>)
            pto.tile.move ins(%acc : !pto.buf<128x128xf32, acc, nz>) outs(%to : !pto.buf<64x128xf32, vec, nd>) {acc_to_vec = #pto.acc_to_vec<split_m>}
            pto.block.cross_core_set fix, 0 {mode = 2 : i64}
          }
          %has_product = arith.cmpi sgt, %i, %c0 : index
          scf.if %has_product {
            %v_tile = pto.tile.slot %v_mat[%last] : !pto.buf<128x128xf16, mat, nz, slots<2>>
            %p_tile = pto.tile.slot %p_mat[%last] : !pto.buf<128x128xf16, mat, nz, slots<2>>
            %acc = pto.tile.slot %o_acc[%last] : !pto.buf<128x128xf32, acc, nz, slots<2>>
            %to = pto.tile.slot %pv_vec[%last] : !pto.buf<64x128xf32, vec, nd, slots<2>>
            %before = arith.subi %row, %c128 : index
            pto.tile.load ins(%v[%before, 0] : !pto.gm<512x128xf16, pitch<?>>) outs(%v_tile : !pto.buf<128x128xf16, mat, nz>)
            pto.tile.move ins(%v_tile : !pto.buf<128x128xf16, mat, nz>) outs(%v_right : !pto.buf<128x128xf16, right, zn>)
            pto.block.cross_core_wait 1 {mode = 2 : i64, pipe = #pto.pipe<mte1>}
            pto.tile.move ins(%p_tile : !pto.buf<128x128xf16, mat, nz>) outs(%p_left : !pto.buf<128x128xf16, left, nz>)
            pto.tile.matmul ins(%p_left, %v_right : !pto.buf<128x128xf16, left, nz>, !pto.buf<128x128xf16, right, zn>) outs(%acc : !pto.buf<128x128xf32, acc, nz>)
            pto.tile.move ins(%acc : !pto.buf<128x128xf32, acc, nz>) outs(%to : !pto.buf<64x128xf32, vec, nd>) {acc_to_vec = #pto.acc_to_vec<split_m>}
            pto.block.cross_core_set fix, 2 {mode = 2 : i64}
          }
        }
        %next = arith.addi %t0, %tiles : index
        scf.yield %next : index
      }
    }

    pto.block.section aiv {
      %sub = pto.block.get_subblock_idx
      %mine = arith.muli %sub, %c64 : index
      pto.tile.load ins(%mask_all[%mine, 0] : !pto.gm<128x128xf32, pitch<?>>) outs(%mask_vec : !pto.buf<64x128xf32, vec, nd>)
      %end = scf.for %w = %block to %c32 step %blocks iter_args(%t0 = %c0) -> (index) {
        %b = arith.divsi %w, %c16 : index
        %heads = arith.divsi %w, %c4 : index
        %h = arith.remsi %heads, %c4 : index
        %qi = arith.remsi %w, %c4 : index
        %atten = pto.block.read_key @AttentionKey, "HasAtten"
        %causal = arith.cmpi eq, %atten, %c1 : index
        %tiles = scf.if %causal -> (index) {
          %upto = arith.addi %qi, %c1 : index
          scf.yield %upto : index
        } else {
          scf.yield %c4 : index
        }
        pto.tile.full ins(%floor : f32) outs(%m : !pto.buf<64x1xf32, vec, dn>)
        pto.tile.full ins(%zero : f32) outs(%l : !pto.buf<64x1xf32, vec, dn>)
        pto.tile.full ins(%zero : f32) outs(%o_vec : !pto.buf<64x128xf32, vec, nd>)
        %steps = arith.addi %tiles, %c1 : index
        scf.for %i = %c0 to %steps step %c1 {
          %t = arith.addi %t0, %i : index
          %this = arith.remsi %t, %c2 : index
          %last = arith.subi %c1, %this : index
          %has_scores = arith.cmpi slt, %i, %tiles : index
          scf.if %has_scores {
            %s = pto.tile.slot %s_vec[%this] : !pto.buf<64x128xf32, vec, nd, slots<2>>
            %to = pto.tile.slot %p_mat[%this] : !pto.buf<128x128xf16, mat, nz, slots<2>>
            %ei = pto.tile.slot %e[%this] : !pto.buf<64x1xf32, vec, dn, slots<2>>
            pto.block.cross_core_wait 0 {mode = 2 : i64, pipe = #pto.pipe<v>}
            pto.tile.mul ins(%s, %scale : !pto.buf<64x128xf32, vec, nd>, f32) outs(%s : !pto.buf<64x128xf32, vec, nd>)
            %on_diagonal = arith.cmpi eq, %i, %qi : index
            %masked = arith.andi %causal, %on_diagonal : i1
            scf.if %masked {
              pto.tile.add ins(%s, %mask_vec : !pto.buf<64x128xf32, vec, nd>, !pto.buf<64x128xf32, vec, nd>) outs(%s : !pto.buf<64x128xf32, vec, nd>)
            }
            pto.tile.row_max ins(%s : !pto.buf<64x128xf32, vec, nd>) outs(%r : !pto.buf<64x1xf32, vec, dn>)
            pto.tile.maximum ins(%m, %r : !pto.buf<64x1xf32, vec, dn>, !pto.buf<64x1xf32, vec, dn>) outs(%n : !pto.buf<64x1xf32, vec, dn>)
            pto.tile.sub ins(%m, %n : !pto.buf<64x1xf32, vec, dn>, !pto.buf<64x1xf32, vec, dn>) outs(%ei : !pto.buf<64x1xf32, vec, dn>)
            pto.tile.exp ins(%ei : !pto.buf<64x1xf32, vec, dn>) outs(%ei : !pto.buf<64x1xf32, vec, dn>)
            pto.tile.move ins(%n : !pto.buf<64x1xf32, vec, dn>) outs(%m : !pto.buf<64x1xf32, vec, dn>)
            pto.tile.row_expand_sub ins(%s, %n : !pto.buf<64x128xf32, vec, nd>, !pto.buf<64x1xf32, vec, dn>) outs(%s : !pto.buf<64x128xf32, vec, nd>)
            pto.tile.exp ins(%s : !pto.buf<64x128xf32, vec, nd>) outs(%s : !pto.buf<64x128xf32, vec, nd>)
            pto.tile.row_sum ins(%s : !pto.buf<64x128xf32, vec, nd>) outs(%r : !pto.buf<64x1xf32, vec, dn>)
            pto.tile.mul ins(%l, %ei : !pto.buf<64x1xf32, vec, dn>, !pto.buf<64x1xf32, vec, dn>) outs(%l : !pto.buf<64x1xf32, vec, dn>)
            pto.tile.add ins(%l, %r : !pto.buf<64x1xf32, vec, dn>, !pto.buf<64x1xf32, vec, dn>) outs(%l : !pto.buf<64x1xf32, vec, dn>)
            pto.tile.cast ins(%s : !pto.buf<64x128xf32, vec, nd>) outs(%p_vec : !pto.buf<64x128xf16, vec, nd>) {round = #pto.round<rint>}
            %rows = pto.tile.subview %to[%mine, 0] [64, 128] : !pto.buf<128x128xf16, mat, nz> -> !pto.buf<64x128xf16, mat, nz, of<128x128>>
            pto.tile.move ins(%p_vec : !pto.buf<64x128xf16, vec, nd>) outs(%rows : !pto.buf<64x128xf16, mat, nz, of<128x128>>)
            pto.block.cross_core_set mte3, 1 {mode = 2 : i64}
          }
          %has_product = arith.cmpi sgt, %i, %c0 : index
          scf.if %has_product {
            %pv = pto.tile.slot %pv_vec[%last] : !pto.buf<64x128xf32, vec, nd, slots<2>>
            %ei = pto.tile.slot %e[%last] : !pto.buf<64x1xf32, vec, dn, slots<2>>
            pto.tile.row_expand_mul ins(%o_vec, %ei : !pto.buf<64x128xf32, vec, nd>, !pto.buf<64x1xf32, vec, dn>) outs(%o_vec : !pto.buf<64x128xf32, vec, nd>)
            pto.block.cross_core_wait 2 {mode = 2 : i64, pipe = #pto.pipe<v>}
            pto.tile.add ins(%o_vec, %pv : !pto.buf<64x128xf32, vec, nd>, !pto.buf<64x128xf32, vec, nd>) outs(%o_vec : !pto.buf<64x128xf32, vec, nd>)
          }
        }
        %next = arith.addi %t0, %tiles : index
        pto.tile.row_expand_div ins(%o_vec, %l : !pto.buf<64x128xf32, vec, nd>, !pto.buf<64x1xf32, vec, dn>) outs(%o_vec : !pto.buf<64x128xf32, vec, nd>)
        pto.tile.cast ins(%o_vec : !pto.buf<64x128xf32, vec, nd>) outs(%p_vec : !pto.buf<64x128xf16, vec, nd>) {round = #pto.round<rint>}
        %o = pto.tile.plane %o_all[%b, %h] axes [1, 3] : !pto.gm<2x512x4x128xf16, pitch<?>> -> !pto.gm<512x128xf16, pitch<?>>
        %qrow = arith.muli %qi, %c128 : index
        %orow = arith.addi %qrow, %mine : index
        pto.tile.store ins(%p_vec : !pto.buf<64x128xf16, vec, nd>) outs(%o[%orow, 0] : !pto.gm<512x128xf16, pitch<?>>)
        scf.yield %next : index
      }
    }
    return
  }

  func.func @flash_attention_entry(%query: tensor<?xi8> {pto.dir = #pto.dir<in>},
                                   %key: tensor<?xi8> {pto.dir = #pto.dir<in>},
                                   %value: tensor<?xi8> {pto.dir = #pto.dir<in>},
                                   %mask: tensor<?xf32> {pto.dir = #pto.dir<in>},
                                   %out: tensor<?xi8> {pto.dir = #pto.dir<inout>},
                                   %scale: f32, %block_dim: index)
      attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>} {
    %r, %t = pto.block.dispatch @flash_attention(%query, %key, %value, %mask, %out, %scale) blocks(%block_dim) :
      (tensor<?xi8>, tensor<?xi8>, tensor<?xi8>, tensor<?xf32>, tensor<?xi8>, f32) -> tensor<?xi8>, !pto.task
    return
  }
}
