// The number -2^63 in a static list is what stands for a value there, and has none.
// RUN: pypto-opt %s --verify-diagnostics --split-input-file

func.func @load(%a: !pto.gm<32x32xf16>) {
  // expected-error @+1 {{pl.load: leaves 1 of its offsets to values and has 0 of these; -9223372036854775808 as a number is no offset}}
  %b = pto.tile.load %a[0, -9223372036854775808] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  return
}

// -----

func.func @too_many(%a: !pto.gm<32x32xf16>, %i: index) {
  // expected-error @+1 {{pl.load: leaves 2 of its offsets to values and has 1 of these}}
  %b = pto.tile.load %a[%i, -9223372036854775808] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  return
}

// -----

func.func @valid(%a: !pto.gm<32x32xf16>) {
  // expected-error @+1 {{pl.load: leaves 1 of its valid extents to values and has 0 of these; -9223372036854775808 as a number is no valid extent}}
  %b = pto.tile.load %a[0, 0] valid [-9223372036854775808, 32] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  return
}

// -----

func.func @set_valid(%a: !pto.tile<32x32xf16>) {
  // expected-error @+1 {{leaves 1 of its valid extents to values and has 0 of these}}
  %b = pto.tile.set_validshape %a [-9223372036854775808, 32] : !pto.tile<32x32xf16>
  return
}

// -----

func.func @store(%t: !pto.tile<32x32xf16>, %a: !pto.gm<32x32xf16>) {
  // expected-error @+1 {{pl.store: leaves 1 of its offsets to values and has 0 of these}}
  pto.tile.store %t, %a[-9223372036854775808, 0] : !pto.tile<32x32xf16> -> !pto.gm<32x32xf16>
  return
}

// -----

func.func @subview(%a: !pto.buf<32x32xf16, vec, nd>) {
  // expected-error @+1 {{pto.tile.subview: leaves 1 of its offsets to values and has 0 of these}}
  %b = pto.tile.subview %a[-9223372036854775808, 0] [16, 32] : !pto.buf<32x32xf16, vec, nd> -> !pto.buf<16x32xf16, vec, nd, of<32x32>>
  return
}

// -----

func.func @sizes(%a: !pto.buf<32x32xf16, vec, nd>) {
  // expected-error @+1 {{pto.tile.subview: leaves 1 of its sizes to values and has 0 of these}}
  %b = pto.tile.subview %a[0, 0] [-9223372036854775808, 32] : !pto.buf<32x32xf16, vec, nd> -> !pto.buf<?x32xf16, vec, nd, of<32x32>>
  return
}

// -----

func.func @assemble(%a: tensor<32x32xf16>, %b: tensor<8x32xf16>) {
  // expected-error @+1 {{pl.assemble: leaves 1 of its offsets to values and has 0 of these}}
  %c = pto.tensor.assemble %b into %a[-9223372036854775808, 0] : tensor<8x32xf16> into tensor<32x32xf16>
  return
}
