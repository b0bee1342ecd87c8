// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// Calls as the Ascend 950 has them.

module attributes {pto.target = "950"} {
  // CHECK: // product: a cube kernel (AIC) for 950 (__NPU_ARCH__ 3510), made by PyPTO.
  // CHECK: #include "kernel_operator.h"
  // CHECK: #if defined(__NPU_ARCH__) && __NPU_ARCH__ != 3510
  // CHECK-NEXT: #error "product is for Ascend 950, __NPU_ARCH__ 3510"
  // CHECK-NEXT: #endif
  // CHECK-LABEL: void product(
  // CHECK: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  func.func @product(%a: !pto.gm<100x100000xbf16> {pto.dir = #pto.dir<in>},
                     %b: !pto.gm<80x112xbf16> {pto.dir = #pto.dir<in>},
                     %c: !pto.gm<48x112xbf16> {pto.dir = #pto.dir<out>}, %rows: index)
      attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %a1 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<33x80xbf16, mat, nz>
    %b1 = pto.tile.alloc {addrs = array<i64: 16384>} : !pto.buf<80x112xbf16, mat, nz>
    %a0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<33x80xbf16, left, nz>
    %b0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<80x112xbf16, right, zn>
    %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<33x112xf32, acc, nz>
    // Rows may be further apart than 16 bits say.
    // CHECK: DataCopy(a1, aGm, Nd2NzParams{1, 33, 80, 0, 100000, 48, 1, 0});
    pto.tile.load ins(%a[0, 0] : !pto.gm<100x100000xbf16>) outs(%a1 : !pto.buf<33x80xbf16, mat, nz>)
    pto.tile.load ins(%b[0, 0] : !pto.gm<80x112xbf16>) outs(%b1 : !pto.buf<80x112xbf16, mat, nz>)
    // CHECK: LoadData2DParamsV2 load;
    // CHECK-NEXT: load.mStartPosition = 0;
    // CHECK-NEXT: load.kStartPosition = 0;
    // CHECK-NEXT: load.mStep = 3;
    // CHECK-NEXT: load.kStep = 5;
    // CHECK-NEXT: load.srcStride = 3;
    // CHECK-NEXT: load.dstStride = 3;
    // CHECK-NEXT: load.ifTranspose = false;
    // CHECK-NEXT: load.sid = 0;
    // CHECK-NEXT: LoadData(a0, a1, load);
    pto.tile.move ins(%a1 : !pto.buf<33x80xbf16, mat, nz>) outs(%a0 : !pto.buf<33x80xbf16, left, nz>)
    // CHECK: load_2.mStep = 5;
    // CHECK-NEXT: load_2.kStep = 7;
    // CHECK-NEXT: load_2.srcStride = 5;
    // CHECK-NEXT: load_2.dstStride = 7;
    // CHECK-NEXT: load_2.ifTranspose = true;
    pto.tile.move ins(%b1 : !pto.buf<80x112xbf16, mat, nz>) outs(%b0 : !pto.buf<80x112xbf16, right, zn>)
    // A window of rows that is known at run time, and of some columns.
    %aw = pto.tile.subview %a1[0, 16] [%rows, 32] : !pto.buf<33x80xbf16, mat, nz> -> !pto.buf<?x32xbf16, mat, nz, of<33x80>>
    %lw = pto.tile.subview %a0[0, 16] [%rows, 32] : !pto.buf<33x80xbf16, left, nz> -> !pto.buf<?x32xbf16, left, nz, of<33x80>>
    // CHECK: load_3.mStep = (rows + 15) / 16;
    // CHECK-NEXT: load_3.kStep = 2;
    // CHECK: LoadData(a0[768], a1[768], load_3);
    pto.tile.move ins(%aw : !pto.buf<?x32xbf16, mat, nz, of<33x80>>) outs(%lw : !pto.buf<?x32xbf16, left, nz, of<33x80>>)
    // Columns of fractals in Left are m rows apart: of 20 rows the instruction is told 48, and
    // their number is the window's of K.
    %a20 = pto.tile.subview %a0[0, 0] [20, 32] : !pto.buf<33x80xbf16, left, nz> -> !pto.buf<20x32xbf16, left, nz, of<33x80>>
    %b32 = pto.tile.subview %b0[0, 0] [32, 112] : !pto.buf<80x112xbf16, right, zn> -> !pto.buf<32x112xbf16, right, zn, of<80x112>>
    %c20 = pto.tile.subview %acc[0, 0] [20, 112] : !pto.buf<33x112xf32, acc, nz> -> !pto.buf<20x112xf32, acc, nz, of<33x112>>
    // CHECK: mmad.m = 48;
    // CHECK-NEXT: mmad.n = 112;
    // CHECK-NEXT: mmad.k = 32;
    pto.tile.matmul ins(%a20, %b32 : !pto.buf<20x32xbf16, left, nz, of<33x80>>, !pto.buf<32x112xbf16, right, zn, of<80x112>>) outs(%c20 : !pto.buf<20x112xf32, acc, nz, of<33x112>>)
    // CHECK: FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> fixpipe;
    // CHECK-NEXT: fixpipe.nSize = 112;
    // CHECK-NEXT: fixpipe.mSize = 20;
    // CHECK-NEXT: fixpipe.srcStride = 48;
    // CHECK-NEXT: fixpipe.dstStride = 112;
    // CHECK-NEXT: fixpipe.quantPre = QuantMode_t::F322BF16;
    // CHECK-NEXT: fixpipe.deqScalar = 0;
    // CHECK-NEXT: fixpipe.reluScalar = 0;
    // CHECK-NEXT: fixpipe.vectorRelu = 0;
    // CHECK-NEXT: fixpipe.params.ndNum = 1;
    // CHECK-NEXT: fixpipe.params.srcNdStride = 0;
    // CHECK-NEXT: fixpipe.params.dstNdStride = 0;
    // CHECK-NEXT: Fixpipe<bfloat16_t, float, CFG_ROW_MAJOR>(cGm, acc, fixpipe);
    pto.tile.store ins(%c20 : !pto.buf<20x112xf32, acc, nz, of<33x112>>) outs(%c[0, 0] : !pto.gm<48x112xbf16>)
    pto.block.barrier all
    return
  }

  // CHECK-LABEL: void vectors(
  func.func @vectors(%x: !pto.gm<64x2000000000xbf16> {pto.dir = #pto.dir<in>}, %y: !pto.gm<64x64xi32> {pto.dir = #pto.dir<in>}, %n: index)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %c3 = arith.constant 3.0 : bf16
    %c2 = arith.constant 2.0 : f32
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x64xbf16, vec, nd>
    %i = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<64x64xi32, vec, nd>
    %f = pto.tile.alloc {addrs = array<i64: 24576>} : !pto.buf<64x64xf32, vec, nd>
    %v = pto.tile.alloc {addrs = array<i64: 40960>} : !pto.buf<64x1xi32, vec, dn>
    // CHECK: DataCopyPad(t, xGm, DataCopyExtParams{64, 128, 3999999872, 0, 0},
    pto.tile.load ins(%x[0, 0] : !pto.gm<64x2000000000xbf16>) outs(%t : !pto.buf<64x64xbf16, vec, nd>)
    pto.tile.load ins(%y[0, 0] : !pto.gm<64x64xi32>) outs(%i : !pto.buf<64x64xi32, vec, nd>)
    // CHECK: Add(t, t, t, 4096);
    pto.tile.add ins(%t, %t : !pto.buf<64x64xbf16, vec, nd>, !pto.buf<64x64xbf16, vec, nd>) outs(%t : !pto.buf<64x64xbf16, vec, nd>)
    // CHECK: Subs(t, t, ToBfloat16(3.0f), 4096);
    pto.tile.sub ins(%t, %c3 : !pto.buf<64x64xbf16, vec, nd>, bf16) outs(%t : !pto.buf<64x64xbf16, vec, nd>)
    // CHECK: Div(i, i, i, 4096);
    pto.tile.div ins(%i, %i : !pto.buf<64x64xi32, vec, nd>, !pto.buf<64x64xi32, vec, nd>) outs(%i : !pto.buf<64x64xi32, vec, nd>)
    // CHECK: Neg(i, i, 4096);
    pto.tile.neg ins(%i : !pto.buf<64x64xi32, vec, nd>) outs(%i : !pto.buf<64x64xi32, vec, nd>)
    // No negation of BF16: a product.
    // CHECK: Muls(t, t, ToBfloat16(-1.0f), 4096);
    pto.tile.neg ins(%t : !pto.buf<64x64xbf16, vec, nd>) outs(%t : !pto.buf<64x64xbf16, vec, nd>)
    // CHECK: ReduceRepeat<ReduceType::MAX>(v, i, 64, 64, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    pto.tile.row_max ins(%i : !pto.buf<64x64xi32, vec, nd>) outs(%v : !pto.buf<64x1xi32, vec, dn>)
    // CHECK: Cast(f, i, RoundMode::CAST_RINT, 4096);
    pto.tile.cast ins(%i : !pto.buf<64x64xi32, vec, nd>) outs(%f : !pto.buf<64x64xf32, vec, nd>) {round = #pto.round<rint>}
    // CHECK: Divs(f, f, 2.0f, 4096);
    pto.tile.div ins(%f, %c2 : !pto.buf<64x64xf32, vec, nd>, f32) outs(%f : !pto.buf<64x64xf32, vec, nd>)
    // What may have no elements is asked for them: the chip does not promise to do nothing.
    // CHECK: if (n > 0) {
    // CHECK-NEXT: Exp(f, f, n * 64);
    // CHECK-NEXT: }
    %w = pto.tile.subview %f[0, 0] [%n, 64] : !pto.buf<64x64xf32, vec, nd> -> !pto.buf<?x64xf32, vec, nd, of<64x64>>
    pto.tile.exp ins(%w : !pto.buf<?x64xf32, vec, nd, of<64x64>>) outs(%w : !pto.buf<?x64xf32, vec, nd, of<64x64>>)
    pto.block.barrier all
    return
  }
}
