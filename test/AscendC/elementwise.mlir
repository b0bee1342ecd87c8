// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// Each operation in count form, in the types that it has.

module attributes {pto.target = "910B"} {
  // CHECK-LABEL: void count_form(
  func.func @count_form(%s: f32, %h: f16, %n: i32)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
    %b = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<16x64xf32, vec, nd>
    %d = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<16x64xf32, vec, nd>
    // CHECK: Add(d, a, b, 1024);
    pto.tile.add ins(%a, %b : !pto.buf<16x64xf32, vec, nd>, !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Sub(d, a, b, 1024);
    pto.tile.sub ins(%a, %b : !pto.buf<16x64xf32, vec, nd>, !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Mul(d, a, b, 1024);
    pto.tile.mul ins(%a, %b : !pto.buf<16x64xf32, vec, nd>, !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Div(d, a, b, 1024);
    pto.tile.div ins(%a, %b : !pto.buf<16x64xf32, vec, nd>, !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Min(d, a, b, 1024);
    pto.tile.minimum ins(%a, %b : !pto.buf<16x64xf32, vec, nd>, !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Max(d, a, b, 1024);
    pto.tile.maximum ins(%a, %b : !pto.buf<16x64xf32, vec, nd>, !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Exp(d, a, 1024);
    pto.tile.exp ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Sqrt(d, a, 1024);
    pto.tile.sqrt ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Rsqrt(d, a, 1024);
    pto.tile.rsqrt ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Abs(d, a, 1024);
    pto.tile.abs ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Relu(d, a, 1024);
    pto.tile.relu ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Muls(d, a, -1.0f, 1024);
    pto.tile.neg ins(%a : !pto.buf<16x64xf32, vec, nd>) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // Scalars: a parameter, and literals of exactly the element type.
    // CHECK: Adds(d, a, s, 1024);
    pto.tile.add ins(%a, %s : !pto.buf<16x64xf32, vec, nd>, f32) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    %eps = arith.constant 1.0e-5 : f32
    // CHECK: Adds(d, a, 1e-05f, 1024);
    pto.tile.add ins(%a, %eps : !pto.buf<16x64xf32, vec, nd>, f32) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    %third = arith.constant 0.333333343 : f32
    // CHECK: Muls(d, a, 0.33333334f, 1024);
    pto.tile.mul ins(%a, %third : !pto.buf<16x64xf32, vec, nd>, f32) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    %inf = arith.constant 0x7F800000 : f32
    // CHECK: Mins(d, a, __builtin_inff(), 1024);
    pto.tile.minimum ins(%a, %inf : !pto.buf<16x64xf32, vec, nd>, f32) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Maxs(d, a, s, 1024);
    pto.tile.maximum ins(%a, %s : !pto.buf<16x64xf32, vec, nd>, f32) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    // CHECK: Duplicate(d, 0.0f, 1024);
    %zero = arith.constant 0.0 : f32
    pto.tile.full ins(%zero : f32) outs(%d : !pto.buf<16x64xf32, vec, nd>)
    return
  }

  // CHECK-LABEL: void other_types(float h, int32_t n, float w)
  func.func @other_types(%h: f16, %n: i32, %w: bf16)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<8x64xf16, vec, nd>
    %i = pto.tile.alloc {addrs = array<i64: 1024>} : !pto.buf<8x64xi32, vec, nd>
    %b = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<8x64xbf16, vec, nd>
    // CHECK: LocalTensor<half> a(TPosition::VECCALC, 0x0, 512);
    // CHECK: LocalTensor<int32_t> i(TPosition::VECCALC, 0x400, 512);
    // CHECK: LocalTensor<bfloat16_t> b(TPosition::VECCALC, 0x1000, 512);
    %one = arith.constant 1.0 : f16
    %tenth = arith.constant 0.1 : f16
    %five = arith.constant 5 : i32
    %least = arith.constant -2147483648 : i32
    %two = arith.constant 2.0 : bf16
    // CHECK: Adds(a, a, (half)1.0, 512);
    pto.tile.add ins(%a, %one : !pto.buf<8x64xf16, vec, nd>, f16) outs(%a : !pto.buf<8x64xf16, vec, nd>)
    // CHECK: Muls(a, a, (half)0.0999755859375, 512);
    pto.tile.mul ins(%a, %tenth : !pto.buf<8x64xf16, vec, nd>, f16) outs(%a : !pto.buf<8x64xf16, vec, nd>)
    // CHECK: Muls(a, a, (half)h, 512);
    pto.tile.mul ins(%a, %h : !pto.buf<8x64xf16, vec, nd>, f16) outs(%a : !pto.buf<8x64xf16, vec, nd>)
    // CHECK: Muls(a, a, (half)-1.0, 512);
    pto.tile.neg ins(%a : !pto.buf<8x64xf16, vec, nd>) outs(%a : !pto.buf<8x64xf16, vec, nd>)
    // CHECK: Rsqrt(a, a, 512);
    pto.tile.rsqrt ins(%a : !pto.buf<8x64xf16, vec, nd>) outs(%a : !pto.buf<8x64xf16, vec, nd>)
    // CHECK: Adds(i, i, (int32_t)5, 512);
    pto.tile.add ins(%i, %five : !pto.buf<8x64xi32, vec, nd>, i32) outs(%i : !pto.buf<8x64xi32, vec, nd>)
    // CHECK: Mins(i, i, (int32_t)-2147483648, 512);
    pto.tile.minimum ins(%i, %least : !pto.buf<8x64xi32, vec, nd>, i32) outs(%i : !pto.buf<8x64xi32, vec, nd>)
    // CHECK: Maxs(i, i, n, 512);
    pto.tile.maximum ins(%i, %n : !pto.buf<8x64xi32, vec, nd>, i32) outs(%i : !pto.buf<8x64xi32, vec, nd>)
    // CHECK: Muls(i, i, n, 512);
    pto.tile.mul ins(%i, %n : !pto.buf<8x64xi32, vec, nd>, i32) outs(%i : !pto.buf<8x64xi32, vec, nd>)
    // CHECK: Muls(i, i, (int32_t)-1, 512);
    pto.tile.neg ins(%i : !pto.buf<8x64xi32, vec, nd>) outs(%i : !pto.buf<8x64xi32, vec, nd>)
    // CHECK: Relu(i, i, 512);
    pto.tile.relu ins(%i : !pto.buf<8x64xi32, vec, nd>) outs(%i : !pto.buf<8x64xi32, vec, nd>)
    // CHECK: Duplicate(b, ToBfloat16(2.0f), 512);
    pto.tile.full ins(%two : bf16) outs(%b : !pto.buf<8x64xbf16, vec, nd>)
    // CHECK: Duplicate(b, ToBfloat16(w), 512);
    pto.tile.full ins(%w : bf16) outs(%b : !pto.buf<8x64xbf16, vec, nd>)
    return
  }

  // CHECK-LABEL: void mask_form(
  func.func @mask_form(%rows: index, %cols: index)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x104xf32, vec, nd>
    %b = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<16x40xf32, vec, nd>
    %av = pto.tile.subview %a[0, 64] [16, 36] : !pto.buf<16x104xf32, vec, nd> -> !pto.buf<16x36xf32, vec, nd, of<16x104>>
    %bv = pto.tile.subview %b[0, 0] [16, 36] : !pto.buf<16x40xf32, vec, nd> -> !pto.buf<16x36xf32, vec, nd, of<16x40>>
    %zero = arith.constant 0.0 : f32
    // CHECK: Add(b, a[64], b, 36, 16, BinaryRepeatParams(1, 1, 1, 5, 13, 5));
    pto.tile.add ins(%av, %bv : !pto.buf<16x36xf32, vec, nd, of<16x104>>, !pto.buf<16x36xf32, vec, nd, of<16x40>>) outs(%bv : !pto.buf<16x36xf32, vec, nd, of<16x40>>)
    // CHECK: Max(b, a[64], b, 36, 16, BinaryRepeatParams(1, 1, 1, 5, 13, 5));
    pto.tile.maximum ins(%av, %bv : !pto.buf<16x36xf32, vec, nd, of<16x104>>, !pto.buf<16x36xf32, vec, nd, of<16x40>>) outs(%bv : !pto.buf<16x36xf32, vec, nd, of<16x40>>)
    // CHECK: Maxs(b, a[64], 0.0f, 36, 16, UnaryRepeatParams(1, 1, 5, 13));
    pto.tile.maximum ins(%av, %zero : !pto.buf<16x36xf32, vec, nd, of<16x104>>, f32) outs(%bv : !pto.buf<16x36xf32, vec, nd, of<16x40>>)
    // CHECK: Exp(b, a[64], 36, 16, UnaryRepeatParams(1, 1, 5, 13));
    pto.tile.exp ins(%av : !pto.buf<16x36xf32, vec, nd, of<16x104>>) outs(%bv : !pto.buf<16x36xf32, vec, nd, of<16x40>>)
    // CHECK: Rsqrt(b, a[64], 36, 16, UnaryRepeatParams(1, 1, 5, 13));
    pto.tile.rsqrt ins(%av : !pto.buf<16x36xf32, vec, nd, of<16x104>>) outs(%bv : !pto.buf<16x36xf32, vec, nd, of<16x40>>)
    // CHECK: Adds(b, a[64], 0.0f, 36, 16, UnaryRepeatParams(1, 1, 5, 13));
    pto.tile.add ins(%av, %zero : !pto.buf<16x36xf32, vec, nd, of<16x104>>, f32) outs(%bv : !pto.buf<16x36xf32, vec, nd, of<16x40>>)
    // CHECK: Duplicate(a[64], 0.0f, 36, 16, 1, 13);
    pto.tile.full ins(%zero : f32) outs(%av : !pto.buf<16x36xf32, vec, nd, of<16x104>>)
    // Extents known at run time stand as their values.
    %dv = pto.tile.subview %b[0, 0] [%rows, %cols] : !pto.buf<16x40xf32, vec, nd> -> !pto.buf<?x?xf32, vec, nd, of<16x40>>
    // CHECK: Sqrt(b, b, cols, rows, UnaryRepeatParams(1, 1, 5, 5));
    pto.tile.sqrt ins(%dv : !pto.buf<?x?xf32, vec, nd, of<16x40>>) outs(%dv : !pto.buf<?x?xf32, vec, nd, of<16x40>>)
    %rv = pto.tile.subview %b[0, 0] [%rows, 40] : !pto.buf<16x40xf32, vec, nd> -> !pto.buf<?x40xf32, vec, nd, of<16x40>>
    // CHECK: Sqrt(b, b, rows * 40);
    pto.tile.sqrt ins(%rv : !pto.buf<?x40xf32, vec, nd, of<16x40>>) outs(%rv : !pto.buf<?x40xf32, vec, nd, of<16x40>>)
    return
  }

  // CHECK-LABEL: void casts(
  func.func @casts() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %f = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
    %h = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<16x64xf16, vec, nd>
    %b = pto.tile.alloc {addrs = array<i64: 8192>} : !pto.buf<16x64xbf16, vec, nd>
    %i = pto.tile.alloc {addrs = array<i64: 12288>} : !pto.buf<16x64xi32, vec, nd>
    // CHECK: Cast(h, f, RoundMode::CAST_RINT, 1024);
    pto.tile.cast ins(%f : !pto.buf<16x64xf32, vec, nd>) outs(%h : !pto.buf<16x64xf16, vec, nd>) {round = #pto.round<rint>}
    // CHECK: Cast(f, h, RoundMode::CAST_NONE, 1024);
    pto.tile.cast ins(%h : !pto.buf<16x64xf16, vec, nd>) outs(%f : !pto.buf<16x64xf32, vec, nd>) {round = #pto.round<none>}
    // CHECK: Cast(b, f, RoundMode::CAST_ROUND, 1024);
    pto.tile.cast ins(%f : !pto.buf<16x64xf32, vec, nd>) outs(%b : !pto.buf<16x64xbf16, vec, nd>) {round = #pto.round<round>}
    // CHECK: Cast(i, f, RoundMode::CAST_FLOOR, 1024);
    pto.tile.cast ins(%f : !pto.buf<16x64xf32, vec, nd>) outs(%i : !pto.buf<16x64xi32, vec, nd>) {round = #pto.round<floor>}
    // CHECK: Cast(i, f, RoundMode::CAST_CEIL, 1024);
    pto.tile.cast ins(%f : !pto.buf<16x64xf32, vec, nd>) outs(%i : !pto.buf<16x64xi32, vec, nd>) {round = #pto.round<ceil>}
    // CHECK: Cast(i, b, RoundMode::CAST_TRUNC, 1024);
    pto.tile.cast ins(%b : !pto.buf<16x64xbf16, vec, nd>) outs(%i : !pto.buf<16x64xi32, vec, nd>) {round = #pto.round<trunc>}
    // CHECK: Cast(h, f, RoundMode::CAST_ODD, 1024);
    pto.tile.cast ins(%f : !pto.buf<16x64xf32, vec, nd>) outs(%h : !pto.buf<16x64xf16, vec, nd>) {round = #pto.round<odd>}
    // A repeat counts in the wider type; strides are of either.
    %fv = pto.tile.subview %f[0, 0] [16, 40] : !pto.buf<16x64xf32, vec, nd> -> !pto.buf<16x40xf32, vec, nd, of<16x64>>
    %hv = pto.tile.subview %h[0, 0] [16, 40] : !pto.buf<16x64xf16, vec, nd> -> !pto.buf<16x40xf16, vec, nd, of<16x64>>
    // CHECK: Cast(h, f, RoundMode::CAST_RINT, 40, 16, UnaryRepeatParams(1, 1, 4, 8));
    pto.tile.cast ins(%fv : !pto.buf<16x40xf32, vec, nd, of<16x64>>) outs(%hv : !pto.buf<16x40xf16, vec, nd, of<16x64>>) {round = #pto.round<rint>}
    return
  }
}
