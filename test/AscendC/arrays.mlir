// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// Pointers, views of any strides, single elements: what Pro kernels make of arrays.

module attributes {pto.target = "910B"} {
  // CHECK-LABEL: void views(GM_ADDR p, GM_ADDR lengths, GM_ADDR mask, GM_ADDR out,
  // CHECK-NEXT: int64_t m, int64_t pitch) {
  func.func @views(%p: !pto.gm<?xi8>, %lengths: !pto.gm<?xi64>, %mask: !pto.gm<?xf32>,
                   %out: !pto.gm<?xf16> {pto.dir = #pto.dir<inout>}, %m: index, %pitch: index)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // A pointer has a GlobalTensor where its memory is reached, and no extent.
    // CHECK: GlobalTensor<int64_t> lengthsGm;
    // CHECK-NEXT: lengthsGm.SetGlobalBuffer((__gm__ int64_t *)lengths);
    // CHECK-NEXT: GlobalTensor<half> outGm;
    // CHECK-NEXT: outGm.SetGlobalBuffer((__gm__ half *)out);
    // CHECK-NEXT: LocalTensor<half> t(
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf16, vec, nd>
    // CHECK-NEXT: __gm__ half *const q = (__gm__ half *)((__gm__ int8_t *)p + m);
    // CHECK-NEXT: GlobalTensor<half> qGm;
    // CHECK-NEXT: qGm.SetGlobalBuffer(q);
    %q = pto.tile.make_ptr %p[%m] : !pto.gm<?xi8> -> !pto.gm<?xf16>
    %x = pto.tile.make_tensor %q shape [4, %m, 64] strides [%pitch, 72, 1] : !pto.gm<?xf16> -> !pto.gm<4x?x64xf16, pitch<?>>
    // Strides stand in the copy.
    %a = pto.tile.plane %x[3] axes [1, 2] : !pto.gm<4x?x64xf16, pitch<?>> -> !pto.gm<?x64xf16, pitch<?>>
    // CHECK-NEXT: DataCopyPad(t, qGm[pitch * 3 + 144], DataCopyExtParams{16, 128, 16, 0, 0},
    // CHECK-NEXT: DataCopyPadExtParams<half>());
    pto.tile.load ins(%a[2, 0] : !pto.gm<?x64xf16, pitch<?>>) outs(%t : !pto.buf<16x64xf16, vec, nd>)
    // One element behind the pointer's, of another plane.
    %b = pto.tile.plane %x[%m] axes [0, 2] : !pto.gm<4x?x64xf16, pitch<?>> -> !pto.gm<4x64xf16, pitch<?>>
    %four = pto.tile.subview %t[0, 0] [4, 64] : !pto.buf<16x64xf16, vec, nd> -> !pto.buf<4x64xf16, vec, nd, of<16x64>>
    // CHECK-NEXT: DataCopyPad(t, qGm[m * 72], DataCopyExtParams{4, 128, (uint32_t)(pitch * 2 - 128), 0, 0},
    pto.tile.load ins(%b[0, 0] : !pto.gm<4x64xf16, pitch<?>>) outs(%four : !pto.buf<4x64xf16, vec, nd, of<16x64>>)
    // CHECK: const int64_t n = lengthsGm.GetValue(m + 1);
    %c1 = arith.constant 1 : index
    %at = arith.addi %m, %c1 : index
    %n = pto.tile.get_value %lengths[%at] : !pto.gm<?xi64> -> i64
    %less = arith.subi %n, %n : i64
    // CHECK-NEXT: lengthsGm.SetValue(0, n - n);
    pto.tile.set_value %less, %lengths[0] : i64, !pto.gm<?xi64>
    // CHECK-NEXT: DataCacheCleanAndInvalid<int64_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(lengthsGm);
    pto.block.dcci %lengths[0] : !pto.gm<?xi64>
    // CHECK-NEXT: DataCacheCleanAndInvalid<int64_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(lengthsGm[m]);
    pto.block.dcci %lengths[%m] {entire} : !pto.gm<?xi64>
    // CHECK-NEXT: const half v = t.GetValue(m * 64 + 7);
    %v = pto.tile.get_value %t[%m, 7] : !pto.buf<16x64xf16, vec, nd> -> f16
    // CHECK-NEXT: t.SetValue(64, v);
    pto.tile.set_value %v, %t[1, 0] : f16, !pto.buf<16x64xf16, vec, nd>
    // CHECK-NEXT: if (mask == nullptr) {
    %none = pto.tile.is_null %mask : !pto.gm<?xf32>
    scf.if %none {
      // CHECK-NEXT: Trap();
      pto.block.trap
    }
    // CHECK-NEXT: }
    %o = pto.tile.make_tensor %out shape [%m, 64] strides [64, 1] : !pto.gm<?xf16> -> !pto.gm<?x64xf16, pitch<?>>
    // Whole rows of the array: one run.
    // CHECK-NEXT: DataCopy(outGm[128], t, 1024);
    pto.tile.store ins(%t : !pto.buf<16x64xf16, vec, nd>) outs(%o[2, 0] : !pto.gm<?x64xf16, pitch<?>>)
    // CHECK-NEXT: PipeBarrier<PIPE_MTE3>();
    // CHECK-NEXT: SetAtomicAdd<half>();
    // CHECK-NEXT: DataCopy(outGm, t, 1024);
    // CHECK-NEXT: PipeBarrier<PIPE_MTE3>();
    // CHECK-NEXT: DisableDmaAtomic();
    pto.tile.store ins(%t : !pto.buf<16x64xf16, vec, nd>) outs(%o[0, 0] : !pto.gm<?x64xf16, pitch<?>>) {atomic_add}
    // CHECK-NEXT: PipeBarrier<PIPE_ALL>();
    // CHECK-NEXT: AscendC::printf("part:\n");
    // CHECK-NEXT: DumpTensor(t, 0, 256);
    pto.block.dump %four "part" : !pto.buf<4x64xf16, vec, nd, of<16x64>>
    return
  }

  // CHECK-LABEL: extern "C" int entry(void *stream, uint8_t *p, float scale, int64_t blockDim)
  // CHECK: pto::Tasks tasks(stream, pto::Order::Tokens);
  // CHECK: one_do(blocks, tasks.stream(), p, scale);
  func.func @one(%p: !pto.gm<?xi8> {pto.dir = #pto.dir<inout>}, %scale: f32) attributes {pto.kind = #pto.kind<aiv>} { return }
  func.func @entry(%p: tensor<?xi8>, %scale: f32, %blockDim: index) attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>} {
    %r = pto.block.dispatch @one(%p, %scale) blocks(%blockDim) : (tensor<?xi8>, f32) -> tensor<?xi8>
    return
  }

  // A clone for one key says which.
  // CHECK-LABEL: kernels/aiv/keyed_0x2100.cpp
  // CHECK: // Tiling key 0x2100: BlockM = 128, HasAtten = 1.
  func.func @keyed_0x2100() attributes {pto.kind = #pto.kind<aiv>, pto.packed_key = 8448 : i64, pto.key = {BlockM = 128 : i64, HasAtten = 1 : i64}} { return }
}
