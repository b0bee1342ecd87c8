// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// Loads to Mat, moves to Left and Right, products, stores from Acc.

module attributes {pto.target = "910B"} {
  // CHECK-LABEL: void product(
  func.func @product(%a: !pto.gm<100x200xbf16> {pto.dir = #pto.dir<in>},
                     %b: !pto.gm<80x112xbf16> {pto.dir = #pto.dir<in>},
                     %c: !pto.gm<48x112xf32> {pto.dir = #pto.dir<out>},
                     %h: !pto.gm<48x200xbf16> {pto.dir = #pto.dir<out>}, %r: index)
      attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    // 33 rows are three rows of fractals: the allocation has 48.
    // CHECK: LocalTensor<bfloat16_t> a1(TPosition::A1, 0x0, 3840);
    %a1 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<33x80xbf16, mat, nz>
    // CHECK: LocalTensor<bfloat16_t> b1(TPosition::A1, 0x4000, 8960);
    %b1 = pto.tile.alloc {addrs = array<i64: 16384>} : !pto.buf<80x112xbf16, mat, nz>
    // CHECK: LocalTensor<bfloat16_t> a0(TPosition::A2, 0x0, 3840);
    %a0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<33x80xbf16, left, zz>
    // CHECK: LocalTensor<bfloat16_t> b0(TPosition::B2, 0x0, 8960);
    %b0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<80x112xbf16, right, zn>
    // CHECK: LocalTensor<float> acc(TPosition::CO1, 0x0, 5376);
    %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<33x112xf32, acc, nz>
    // CHECK: DataCopy(a1, aGm[r * 200 + 40], Nd2NzParams{1, 33, 80, 0, 200, 48, 1, 0});
    pto.tile.load ins(%a[%r, 40] : !pto.gm<100x200xbf16>) outs(%a1 : !pto.buf<33x80xbf16, mat, nz>)
    // CHECK: DataCopy(b1, bGm, Nd2NzParams{1, 80, 112, 0, 112, 80, 1, 0});
    pto.tile.load ins(%b[0, 0] : !pto.gm<80x112xbf16>) outs(%b1 : !pto.buf<80x112xbf16, mat, nz>)
    // The last row of fractals of the left operand: one row of it is valid.
    %af = pto.tile.subview %a1[32, 0] [1, 80] : !pto.buf<33x80xbf16, mat, nz> -> !pto.buf<1x80xbf16, mat, nz, of<33x80>>
    %at = pto.tile.subview %a0[32, 0] [1, 80] : !pto.buf<33x80xbf16, left, zz> -> !pto.buf<1x80xbf16, left, zz, of<33x80>>
    // CHECK: LoadData2DParams load;
    // CHECK-NEXT: load.startIndex = 0;
    // CHECK-NEXT: load.repeatTimes = 5;
    // CHECK-NEXT: load.srcStride = 3;
    // CHECK-NEXT: load.dstGap = 0;
    // CHECK-NEXT: load.ifTranspose = false;
    // CHECK-NEXT: LoadData(a0[2560], a1[512], load);
    pto.tile.move ins(%af : !pto.buf<1x80xbf16, mat, nz, of<33x80>>) outs(%at : !pto.buf<1x80xbf16, left, zz, of<33x80>>)
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c80 = arith.constant 80 : index
    scf.for %k = %c0 to %c80 step %c16 {
      %bf = pto.tile.subview %b1[%k, 0] [16, 112] : !pto.buf<80x112xbf16, mat, nz> -> !pto.buf<16x112xbf16, mat, nz, of<80x112>>
      %bt = pto.tile.subview %b0[%k, 0] [16, 112] : !pto.buf<80x112xbf16, right, zn> -> !pto.buf<16x112xbf16, right, zn, of<80x112>>
      // CHECK: load_2.repeatTimes = 7;
      // CHECK-NEXT: load_2.srcStride = 5;
      // CHECK-NEXT: load_2.dstGap = 0;
      // CHECK-NEXT: load_2.ifTranspose = true;
      // CHECK-NEXT: LoadData(b0[k * 112], b1[k * 16], load_2);
      pto.tile.move ins(%bf : !pto.buf<16x112xbf16, mat, nz, of<80x112>>) outs(%bt : !pto.buf<16x112xbf16, right, zn, of<80x112>>)
    }
    // CHECK: MmadParams mmad;
    // CHECK-NEXT: mmad.m = 33;
    // CHECK-NEXT: mmad.n = 112;
    // CHECK-NEXT: mmad.k = 80;
    // CHECK-NEXT: mmad.cmatrixInitVal = true;
    // CHECK-NEXT: Mmad(acc, a0, b0, mmad);
    pto.tile.matmul ins(%a0, %b0 : !pto.buf<33x80xbf16, left, zz>, !pto.buf<80x112xbf16, right, zn>) outs(%acc : !pto.buf<33x112xf32, acc, nz>)
    // CHECK: mmad_2.cmatrixInitVal = false;
    // CHECK-NEXT: Mmad(acc, a0, b0, mmad_2);
    pto.tile.matmul_acc ins(%acc, %a0, %b0 : !pto.buf<33x112xf32, acc, nz>, !pto.buf<33x80xbf16, left, zz>, !pto.buf<80x112xbf16, right, zn>) outs(%acc : !pto.buf<33x112xf32, acc, nz>)
    // CHECK: FixpipeParamsV220 fixpipe;
    // CHECK-NEXT: fixpipe.nSize = 112;
    // CHECK-NEXT: fixpipe.mSize = 33;
    // CHECK-NEXT: fixpipe.srcStride = 48;
    // CHECK-NEXT: fixpipe.dstStride = 112;
    // CHECK-NEXT: fixpipe.quantPre = QuantMode_t::NoQuant;
    // CHECK-NEXT: fixpipe.deqScalar = 0;
    // CHECK-NEXT: fixpipe.ndNum = 1;
    // CHECK-NEXT: Fixpipe<float, float, CFG_ROW_MAJOR>(cGm, acc, fixpipe);
    pto.tile.store ins(%acc : !pto.buf<33x112xf32, acc, nz>) outs(%c[0, 0] : !pto.gm<48x112xf32>)
    // A window of the accumulator, rounded to BF16: its columns are 48 rows apart.
    %aw = pto.tile.subview %acc[16, 32] [16, 64] : !pto.buf<33x112xf32, acc, nz> -> !pto.buf<16x64xf32, acc, nz, of<33x112>>
    // CHECK: fixpipe_2.srcStride = 48;
    // CHECK-NEXT: fixpipe_2.dstStride = 200;
    // CHECK-NEXT: fixpipe_2.quantPre = QuantMode_t::F322BF16;
    // CHECK: Fixpipe<bfloat16_t, float, CFG_ROW_MAJOR>(hGm[100], acc[1792], fixpipe_2);
    pto.tile.store ins(%aw : !pto.buf<16x64xf32, acc, nz, of<33x112>>) outs(%h[0, 100] : !pto.gm<48x200xbf16>)
    return
  }

  // One row: sixteen, so that the unit reads fractals and not a plain row.
  // CHECK-LABEL: void one_row(
  func.func @one_row(%c: !pto.gm<1x32xf16> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %a0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<1x64xf16, left, zz>
    %b0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x32xf16, right, zn>
    %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<1x32xf32, acc, nz>
    // CHECK: mmad.m = 16;
    pto.tile.matmul ins(%a0, %b0 : !pto.buf<1x64xf16, left, zz>, !pto.buf<64x32xf16, right, zn>) outs(%acc : !pto.buf<1x32xf32, acc, nz>)
    // CHECK: fixpipe.mSize = 1;
    // CHECK: fixpipe.srcStride = 16;
    // CHECK: fixpipe.quantPre = QuantMode_t::F322F16;
    // CHECK: Fixpipe<half, float, CFG_ROW_MAJOR>(cGm, acc, fixpipe);
    pto.tile.store ins(%acc : !pto.buf<1x32xf32, acc, nz>) outs(%c[0, 0] : !pto.gm<1x32xf16>)
    return
  }

  // Rows and columns known at run time: the unit computes the allocation's, whose
  // fractals they lie in; loads and stores take the valid ones.
  // CHECK-LABEL: void run_time(
  func.func @run_time(%a: !pto.gm<48x80xf16> {pto.dir = #pto.dir<in>},
                      %c: !pto.gm<48x112xf32> {pto.dir = #pto.dir<out>}, %m: index, %n: index)
      attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %a1 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<48x80xf16, mat, nz>
    %a0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<48x80xf16, left, zz>
    %b0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<80x112xf16, right, zn>
    %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<48x112xf32, acc, nz>
    %aw = pto.tile.subview %a1[0, 0] [%m, 80] : !pto.buf<48x80xf16, mat, nz> -> !pto.buf<?x80xf16, mat, nz, of<48x80>>
    // CHECK: DataCopy(a1, aGm, Nd2NzParams{1, (uint16_t)m, 80, 0, 80, 48, 1, 0});
    pto.tile.load ins(%a[0, 0] : !pto.gm<48x80xf16>) outs(%aw : !pto.buf<?x80xf16, mat, nz, of<48x80>>)
    %lw = pto.tile.subview %a0[0, 0] [%m, 80] : !pto.buf<48x80xf16, left, zz> -> !pto.buf<?x80xf16, left, zz, of<48x80>>
    %rw = pto.tile.subview %b0[0, 0] [80, %n] : !pto.buf<80x112xf16, right, zn> -> !pto.buf<80x?xf16, right, zn, of<80x112>>
    %cw = pto.tile.subview %acc[0, 0] [%m, %n] : !pto.buf<48x112xf32, acc, nz> -> !pto.buf<?x?xf32, acc, nz, of<48x112>>
    // CHECK: mmad.m = 48;
    // CHECK-NEXT: mmad.n = 112;
    // CHECK-NEXT: mmad.k = 80;
    pto.tile.matmul ins(%lw, %rw : !pto.buf<?x80xf16, left, zz, of<48x80>>, !pto.buf<80x?xf16, right, zn, of<80x112>>) outs(%cw : !pto.buf<?x?xf32, acc, nz, of<48x112>>)
    // CHECK: fixpipe.nSize = n;
    // CHECK-NEXT: fixpipe.mSize = m;
    // CHECK-NEXT: fixpipe.srcStride = 48;
    pto.tile.store ins(%cw : !pto.buf<?x?xf32, acc, nz, of<48x112>>) outs(%c[0, 0] : !pto.gm<48x112xf32>)
    return
  }
}
