// RUN: pypto-translate --pto-to-ascendc %s -split-input-file | FileCheck %s

// Phases, biases, transposing moves; on the Ascend 950 the ways between the two kinds of
// core of a cluster.

module attributes {pto.target = "910B"} {
  // CHECK-LABEL: void phases(GM_ADDR out) {
  // CHECK: InitSocState();
  // CHECK-NEXT: SetMMRowMajor();
  func.func @phases(%out: !pto.gm<16x32xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %m = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<48x16xf16, mat, nz>
    %w = pto.tile.alloc {addrs = array<i64: 2048>} : !pto.buf<32x16xf16, mat, nz>
    %n = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<1x32xf32, mat, nd>
    %l = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x48xf16, left, zz>
    %l16 = pto.tile.alloc {addrs = array<i64: 2048>} : !pto.buf<16x16xf16, left, zz>
    %r = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x32xf16, right, zn>
    %b = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<1x32xf32, bias, nd>
    %c = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x32xf32, acc, nz>
    // Left turns each fractal when it transposes; the fractals of a column follow one another.
    // CHECK: load.repeatTimes = 3;
    // CHECK-NEXT: load.srcStride = 1;
    // CHECK-NEXT: load.dstGap = 0;
    // CHECK-NEXT: load.ifTranspose = true;
    pto.tile.move ins(%m : !pto.buf<48x16xf16, mat, nz>) outs(%l : !pto.buf<16x48xf16, left, zz>) {transpose}
    // And Right does not.
    // CHECK: load_2.repeatTimes = 2;
    // CHECK-NEXT: load_2.srcStride = 1;
    // CHECK-NEXT: load_2.dstGap = 0;
    // CHECK-NEXT: load_2.ifTranspose = false;
    pto.tile.move ins(%w : !pto.buf<32x16xf16, mat, nz>) outs(%r : !pto.buf<16x32xf16, right, zn>) {transpose}
    // 64 bytes each.
    // CHECK: DataCopy(b, n, DataCopyParams{1, 2, 0, 0});
    pto.tile.move ins(%n : !pto.buf<1x32xf32, mat, nd>) outs(%b : !pto.buf<1x32xf32, bias, nd>)
    // CHECK: mmad.k = 16;
    // CHECK-NEXT: mmad.unitFlag = 2;
    // CHECK-NEXT: Mmad(c, l16, r, b, mmad);
    pto.tile.matmul_bias ins(%l16, %r, %b : !pto.buf<16x16xf16, left, zz>, !pto.buf<16x32xf16, right, zn>, !pto.buf<1x32xf32, bias, nd>) outs(%c : !pto.buf<16x32xf32, acc, nz>) {phase = #pto.phase<partial>}
    // CHECK: mmad_2.cmatrixInitVal = false;
    // CHECK-NEXT: mmad_2.unitFlag = 3;
    // CHECK-NEXT: Mmad(c, l16, r, mmad_2);
    pto.tile.matmul_acc ins(%c, %l16, %r : !pto.buf<16x32xf32, acc, nz>, !pto.buf<16x16xf16, left, zz>, !pto.buf<16x32xf16, right, zn>) outs(%c : !pto.buf<16x32xf32, acc, nz>) {phase = #pto.phase<final>}
    // CHECK: PipeBarrier<PIPE_FIX>();
    // CHECK-NEXT: SetAtomicAdd<float>();
    // CHECK: fixpipe.reluEn = true;
    // CHECK-NEXT: fixpipe.unitFlag = 3;
    // CHECK-NEXT: Fixpipe<float, float, CFG_ROW_MAJOR>(outGm, c, fixpipe);
    // CHECK-NEXT: PipeBarrier<PIPE_FIX>();
    // CHECK-NEXT: DisableDmaAtomic();
    pto.tile.store ins(%c : !pto.buf<16x32xf32, acc, nz>) outs(%out[0, 0] : !pto.gm<16x32xf32>) {atomic_add, relu, phase = #pto.phase<final>}
    return
  }
}

// -----

module attributes {pto.target = "950"} {
  // CHECK: #define ENABLE_CV_COMM_VIA_SSBUF true
  // CHECK-NEXT: #endif
  // CHECK-EMPTY:
  // CHECK-NEXT: #include "kernel_operator.h"
  // CHECK: static constexpr FixpipeConfig exchange_to_vec{CO2Layout::ROW_MAJOR, /*isToUB=*/true};
  // CHECK: void exchange() {
  // CHECK-NOT: SetMMRowMajor
  func.func @exchange() attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>} {
    %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf32, acc, nz>
    %half = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x32xf32, vec, nd>
    %all = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<32x64xf16, vec, nd>
    %nz = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<16x64xf16, vec, nz>
    %mat = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf16, mat, nz>
    pto.block.section aic {
      // CHECK: fixpipe.nSize = 64;
      // CHECK-NEXT: fixpipe.mSize = 32;
      // CHECK-NEXT: fixpipe.srcStride = 32;
      // CHECK-NEXT: fixpipe.dstStride = 32;
      // CHECK: fixpipe.dualDstCtl = 2;
      // CHECK-NEXT: fixpipe.subBlockId = false;
      // CHECK-NEXT: Fixpipe<float, float, exchange_to_vec>(half_, acc, fixpipe);
      pto.tile.move ins(%acc : !pto.buf<32x64xf32, acc, nz>) outs(%half : !pto.buf<32x32xf32, vec, nd>) {acc_to_vec = #pto.acc_to_vec<split_n>}
      // CHECK: fixpipe_2.dstStride = 64;
      // CHECK-NEXT: fixpipe_2.quantPre = QuantMode_t::F322F16;
      // CHECK: fixpipe_2.unitFlag = 3;
      // CHECK-NEXT: fixpipe_2.dualDstCtl = 0;
      // CHECK-NEXT: fixpipe_2.subBlockId = true;
      // CHECK-NEXT: Fixpipe<half, float, exchange_to_vec>(all, acc, fixpipe_2);
      pto.tile.move ins(%acc : !pto.buf<32x64xf32, acc, nz>) outs(%all : !pto.buf<32x64xf16, vec, nd>) {acc_to_vec = #pto.acc_to_vec<vec1>, phase = #pto.phase<final>}
    }
    pto.block.section aiv {
      // A column of fractals: a block of each row.
      %strip = pto.tile.subview %all[16, 32] [16, 16] : !pto.buf<32x64xf16, vec, nd> -> !pto.buf<16x16xf16, vec, nd, of<32x64>>
      %column = pto.tile.subview %nz[0, 32] [16, 16] : !pto.buf<16x64xf16, vec, nz> -> !pto.buf<16x16xf16, vec, nz, of<16x64>>
      // CHECK: DataCopy(nz[512], all[1056], DataCopyParams{16, 1, 3, 0});
      pto.tile.move ins(%strip : !pto.buf<16x16xf16, vec, nd, of<32x64>>) outs(%column : !pto.buf<16x16xf16, vec, nz, of<16x64>>)
      // Whole fractals: four columns of them.
      %rows = pto.tile.subview %mat[16, 0] [16, 64] : !pto.buf<32x64xf16, mat, nz> -> !pto.buf<16x64xf16, mat, nz, of<32x64>>
      // CHECK: DataCopy(mat[256], nz, DataCopyParams{4, 16, 0, 16});
      pto.tile.move ins(%nz : !pto.buf<16x64xf16, vec, nz>) outs(%rows : !pto.buf<16x64xf16, mat, nz, of<32x64>>)
    }
    return
  }
}
