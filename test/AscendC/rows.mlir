// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// Reductions of rows, and rows with a value each.

module attributes {pto.target = "910B"} {
  // CHECK-LABEL: void rows(
  func.func @rows(%m: index) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x96xf32, vec, nd>
    %v = pto.tile.alloc {addrs = array<i64: 16384>} : !pto.buf<32x1xf32, vec, dn>
    %b = pto.tile.alloc {addrs = array<i64: 16640>} : !pto.buf<32x8xf32, vec, nd>
    %w = pto.tile.subview %t[0, 0] [32, 64] : !pto.buf<32x96xf32, vec, nd> -> !pto.buf<32x64xf32, vec, nd, of<32x96>>
    // Mask, repeats, strides of destination (elements), blocks and source.
    // CHECK: ReduceRepeat<ReduceType::MAX>(v, t, 64, 32, 1, 1, 12, ReduceOrder::ORDER_ONLY_VALUE);
    pto.tile.row_max ins(%w : !pto.buf<32x64xf32, vec, nd, of<32x96>>) outs(%v : !pto.buf<32x1xf32, vec, dn>)
    // CHECK: ReduceRepeat<ReduceType::SUM>(v, t, 64, 32, 1, 1, 12);
    pto.tile.row_sum ins(%w : !pto.buf<32x64xf32, vec, nd, of<32x96>>) outs(%v : !pto.buf<32x1xf32, vec, dn>)
    // A reduction may write between blocks.
    %u = pto.tile.subview %v[3, 0] [5, 1] : !pto.buf<32x1xf32, vec, dn> -> !pto.buf<5x1xf32, vec, dn, of<32x1>>
    %p = pto.tile.subview %t[3, 0] [5, 40] : !pto.buf<32x96xf32, vec, nd> -> !pto.buf<5x40xf32, vec, nd, of<32x96>>
    // CHECK: ReduceRepeat<ReduceType::SUM>(v[3], t[288], 40, 5, 1, 1, 12);
    pto.tile.row_sum ins(%p : !pto.buf<5x40xf32, vec, nd, of<32x96>>) outs(%u : !pto.buf<5x1xf32, vec, dn, of<32x1>>)
    // CHECK: Brcb(b, v, 4, BrcbRepeatParams{1, 8});
    pto.tile.brcb ins(%v : !pto.buf<32x1xf32, vec, dn>) outs(%b : !pto.buf<32x8xf32, vec, nd>)
    // CHECK: Sub(t, t, b, 64, 32, BinaryRepeatParams(1, 1, 0, 12, 12, 1));
    pto.tile.row_expand_sub ins(%w, %b : !pto.buf<32x64xf32, vec, nd, of<32x96>>, !pto.buf<32x8xf32, vec, nd>) outs(%w : !pto.buf<32x64xf32, vec, nd, of<32x96>>)
    // CHECK: Mul(t, t, b, 64, 32, BinaryRepeatParams(1, 1, 0, 12, 12, 1));
    pto.tile.row_expand_mul ins(%w, %b : !pto.buf<32x64xf32, vec, nd, of<32x96>>, !pto.buf<32x8xf32, vec, nd>) outs(%w : !pto.buf<32x64xf32, vec, nd, of<32x96>>)
    // CHECK: Div(t, t, b, 64, 32, BinaryRepeatParams(1, 1, 0, 12, 12, 1));
    pto.tile.row_expand_div ins(%w, %b : !pto.buf<32x64xf32, vec, nd, of<32x96>>, !pto.buf<32x8xf32, vec, nd>) outs(%w : !pto.buf<32x64xf32, vec, nd, of<32x96>>)
    // Rows known at run time.
    %dv = pto.tile.subview %v[0, 0] [%m, 1] : !pto.buf<32x1xf32, vec, dn> -> !pto.buf<?x1xf32, vec, dn, of<32x1>>
    %db = pto.tile.subview %b[0, 0] [%m, 8] : !pto.buf<32x8xf32, vec, nd> -> !pto.buf<?x8xf32, vec, nd, of<32x8>>
    %dw = pto.tile.subview %t[0, 0] [%m, 64] : !pto.buf<32x96xf32, vec, nd> -> !pto.buf<?x64xf32, vec, nd, of<32x96>>
    // CHECK: ReduceRepeat<ReduceType::SUM>(v, t, 64, m, 1, 1, 12);
    pto.tile.row_sum ins(%dw : !pto.buf<?x64xf32, vec, nd, of<32x96>>) outs(%dv : !pto.buf<?x1xf32, vec, dn, of<32x1>>)
    // CHECK: Brcb(b, v, (m + 7) / 8, BrcbRepeatParams{1, 8});
    pto.tile.brcb ins(%dv : !pto.buf<?x1xf32, vec, dn, of<32x1>>) outs(%db : !pto.buf<?x8xf32, vec, nd, of<32x8>>)
    // CHECK: Sub(t, t, b, 64, m, BinaryRepeatParams(1, 1, 0, 12, 12, 1));
    pto.tile.row_expand_sub ins(%dw, %db : !pto.buf<?x64xf32, vec, nd, of<32x96>>, !pto.buf<?x8xf32, vec, nd, of<32x8>>) outs(%dw : !pto.buf<?x64xf32, vec, nd, of<32x96>>)
    return
  }

  // FP16: twice the lanes, sixteen of them in a block.
  // CHECK-LABEL: void half_rows(
  func.func @half_rows() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<24x128xf16, vec, nd>
    %v = pto.tile.alloc {addrs = array<i64: 16384>} : !pto.buf<24x1xf16, vec, dn>
    %b = pto.tile.alloc {addrs = array<i64: 16640>} : !pto.buf<24x16xf16, vec, nd>
    // CHECK: ReduceRepeat<ReduceType::MAX>(v, t, 128, 24, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    pto.tile.row_max ins(%t : !pto.buf<24x128xf16, vec, nd>) outs(%v : !pto.buf<24x1xf16, vec, dn>)
    // CHECK: Brcb(b, v, 3, BrcbRepeatParams{1, 8});
    pto.tile.brcb ins(%v : !pto.buf<24x1xf16, vec, dn>) outs(%b : !pto.buf<24x16xf16, vec, nd>)
    // CHECK: Sub(t, t, b, 128, 24, BinaryRepeatParams(1, 1, 0, 8, 8, 1));
    pto.tile.row_expand_sub ins(%t, %b : !pto.buf<24x128xf16, vec, nd>, !pto.buf<24x16xf16, vec, nd>) outs(%t : !pto.buf<24x128xf16, vec, nd>)
    return
  }
}
