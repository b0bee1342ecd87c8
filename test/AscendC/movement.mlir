// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// Copies between DDR and Vec, and within Vec: the form follows from the types.

module attributes {pto.target = "910B"} {
  // CHECK-LABEL: void contiguous(
  func.func @contiguous(%x: !pto.gm<128x64xf32> {pto.dir = #pto.dir<in>},
                        %h: !pto.gm<4x5xf16> {pto.dir = #pto.dir<in>},
                        %out: !pto.gm<128x64xf32> {pto.dir = #pto.dir<out>}, %row: index)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // CHECK: LocalTensor<float> t(TPosition::VECCALC, 0x0, 2048);
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x64xf32, vec, nd>
    // CHECK: LocalTensor<half> small(TPosition::VECCALC, 0x2000, 20);
    %small = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<4x5xf16, vec, nd>
    // Whole rows, whole blocks.
    // CHECK: DataCopy(t, xGm[row * 64], 2048);
    pto.tile.load ins(%x[%row, 0] : !pto.gm<128x64xf32>) outs(%t : !pto.buf<32x64xf32, vec, nd>)
    // CHECK: DataCopy(outGm[row * 64], t, 2048);
    pto.tile.store ins(%t : !pto.buf<32x64xf32, vec, nd>) outs(%out[%row, 0] : !pto.gm<128x64xf32>)
    // One run of 40 bytes.
    // CHECK: DataCopyPad(small, hGm, DataCopyExtParams{1, 40, 0, 0, 0}, DataCopyPadExtParams<half>());
    pto.tile.load ins(%h[0, 0] : !pto.gm<4x5xf16>) outs(%small : !pto.buf<4x5xf16, vec, nd>)
    // One row of a wider array.
    %one = pto.tile.subview %t[3, 0] [1, 16] : !pto.buf<32x64xf32, vec, nd> -> !pto.buf<1x16xf32, vec, nd, of<32x64>>
    // CHECK: DataCopy(t[192], xGm[552], 16);
    pto.tile.load ins(%x[8, 40] : !pto.gm<128x64xf32>) outs(%one : !pto.buf<1x16xf32, vec, nd, of<32x64>>)
    return
  }

  // CHECK-LABEL: void strided(
  func.func @strided(%x: !pto.gm<128x100xf32> {pto.dir = #pto.dir<in>},
                     %out: !pto.gm<128x100xbf16> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x104xf32, vec, nd>
    %b = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<16x128xbf16, vec, nd>
    // 100 columns of 104: rows of 400 bytes take 13 blocks each, as far apart as the rows are.
    %w = pto.tile.subview %t[0, 0] [16, 100] : !pto.buf<16x104xf32, vec, nd> -> !pto.buf<16x100xf32, vec, nd, of<16x104>>
    // CHECK: DataCopyPad(t, xGm, DataCopyExtParams{16, 400, 0, 0, 0}, DataCopyPadExtParams<float>());
    pto.tile.load ins(%x[0, 0] : !pto.gm<128x100xf32>) outs(%w : !pto.buf<16x100xf32, vec, nd, of<16x104>>)
    // 36 columns at column 64: gaps on both sides.
    %v = pto.tile.subview %t[4, 64] [8, 36] : !pto.buf<16x104xf32, vec, nd> -> !pto.buf<8x36xf32, vec, nd, of<16x104>>
    // CHECK: DataCopyPad(t[480], xGm[64], DataCopyExtParams{8, 144, 256, 8, 0}, DataCopyPadExtParams<float>());
    pto.tile.load ins(%x[0, 64] : !pto.gm<128x100xf32>) outs(%v : !pto.buf<8x36xf32, vec, nd, of<16x104>>)
    // On the way out the gaps change places.
    %u = pto.tile.subview %b[0, 16] [16, 40] : !pto.buf<16x128xbf16, vec, nd> -> !pto.buf<16x40xbf16, vec, nd, of<16x128>>
    // CHECK: DataCopyPad(outGm[60], b[16], DataCopyExtParams{16, 80, 5, 120, 0});
    pto.tile.store ins(%u : !pto.buf<16x40xbf16, vec, nd, of<16x128>>) outs(%out[0, 60] : !pto.gm<128x100xbf16>)
    return
  }

  // CHECK-LABEL: void dynamic(
  func.func @dynamic(%x: !pto.gm<128x104xi32> {pto.dir = #pto.dir<in>},
                     %out: !pto.gm<128x104xi32> {pto.dir = #pto.dir<out>}, %rows: index, %cols: index)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x104xi32, vec, nd>
    // CHECK: DataCopy(t, xGm, rows * 104);
    %r = pto.tile.subview %t[0, 0] [%rows, 104] : !pto.buf<16x104xi32, vec, nd> -> !pto.buf<?x104xi32, vec, nd, of<16x104>>
    pto.tile.load ins(%x[0, 0] : !pto.gm<128x104xi32>) outs(%r : !pto.buf<?x104xi32, vec, nd, of<16x104>>)
    // CHECK: DataCopyPad(outGm, t,
    // CHECK-NEXT: DataCopyExtParams{(uint16_t)rows, (uint32_t)(cols * 4), (uint32_t)(13 - (cols * 4 + 31) / 32), (uint32_t)(416 - cols * 4), 0});
    %w = pto.tile.subview %t[0, 0] [%rows, %cols] : !pto.buf<16x104xi32, vec, nd> -> !pto.buf<?x?xi32, vec, nd, of<16x104>>
    pto.tile.store ins(%w : !pto.buf<?x?xi32, vec, nd, of<16x104>>) outs(%out[0, 0] : !pto.gm<128x104xi32>)
    return
  }

  // A vector is one run on both sides.
  // CHECK-LABEL: void vectors(
  func.func @vectors(%x: !pto.gm<64x1xf32> {pto.dir = #pto.dir<in>},
                     %out: !pto.gm<64x1xf32> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %v = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x1xf32, vec, dn>
    // CHECK: DataCopy(v, xGm, 64);
    pto.tile.load ins(%x[0, 0] : !pto.gm<64x1xf32>) outs(%v : !pto.buf<64x1xf32, vec, dn>)
    %w = pto.tile.subview %v[8, 0] [5, 1] : !pto.buf<64x1xf32, vec, dn> -> !pto.buf<5x1xf32, vec, dn, of<64x1>>
    // CHECK: DataCopyPad(outGm[7], v[8], DataCopyExtParams{1, 20, 0, 0, 0});
    pto.tile.store ins(%w : !pto.buf<5x1xf32, vec, dn, of<64x1>>) outs(%out[7, 0] : !pto.gm<64x1xf32>)
    return
  }

  // CHECK-LABEL: void moves(
  func.func @moves(%n: index) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
    %b = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<16x64xf32, vec, nd>
    %v = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<5x1xf32, vec, dn>
    %w = pto.tile.alloc {addrs = array<i64: 8224>} : !pto.buf<5x1xf32, vec, dn>
    %p = pto.tile.alloc {addrs = array<i64: 8256>} : !pto.buf<100x1xf32, vec, dn>
    %q = pto.tile.alloc {addrs = array<i64: 8672>} : !pto.buf<100x1xf32, vec, dn>
    // CHECK: DataCopy(b, a, 1024);
    pto.tile.move ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%b : !pto.buf<16x64xf32, vec, nd>)
    // 20 bytes: no whole block, one repeat.
    // CHECK: Copy(w, v, 5, 1, CopyRepeatParams{1, 1, 8, 8});
    pto.tile.move ins(%v : !pto.buf<5x1xf32, vec, dn>) outs(%w : !pto.buf<5x1xf32, vec, dn>)
    // As many values as are known at run time only: a repeat with a mask.
    %vn = pto.tile.subview %v[0, 0] [%n, 1] : !pto.buf<5x1xf32, vec, dn> -> !pto.buf<?x1xf32, vec, dn, of<5x1>>
    %wn = pto.tile.subview %w[0, 0] [%n, 1] : !pto.buf<5x1xf32, vec, dn> -> !pto.buf<?x1xf32, vec, dn, of<5x1>>
    // CHECK: Copy(w, v, n, 1, CopyRepeatParams{1, 1, 8, 8});
    pto.tile.move ins(%vn : !pto.buf<?x1xf32, vec, dn, of<5x1>>) outs(%wn : !pto.buf<?x1xf32, vec, dn, of<5x1>>)
    // 400 bytes: 104 elements are the whole blocks of both allocations.
    // CHECK: DataCopy(q, p, 104);
    pto.tile.move ins(%p : !pto.buf<100x1xf32, vec, dn>) outs(%q : !pto.buf<100x1xf32, vec, dn>)
    // Rows: a repeat each.
    %c = pto.tile.alloc {addrs = array<i64: 12288>} : !pto.buf<16x96xf32, vec, nd>
    %s = pto.tile.subview %c[0, 8] [16, 36] : !pto.buf<16x96xf32, vec, nd> -> !pto.buf<16x36xf32, vec, nd, of<16x96>>
    %d = pto.tile.subview %a[0, 0] [16, 36] : !pto.buf<16x64xf32, vec, nd> -> !pto.buf<16x36xf32, vec, nd, of<16x64>>
    // CHECK: Copy(a, c[8], 36, 16, CopyRepeatParams{1, 1, 8, 12});
    pto.tile.move ins(%s : !pto.buf<16x36xf32, vec, nd, of<16x96>>) outs(%d : !pto.buf<16x36xf32, vec, nd, of<16x64>>)
    return
  }
}
