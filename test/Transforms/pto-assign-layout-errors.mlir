// RUN: pypto-opt %s --pto-assign-layout --verify-diagnostics --split-input-file

module attributes {pto.target = "910B"} {
func.func @fractal(%a: !pto.gm<24x32xf16>) {
  // expected-error @+1 {{pl.load: matmul tiles are multiples of 16 rows and 16 columns in Mat, found [24, 32] FP16 in Mat; use [32, 32] with fewer valid rows and columns (valid_shape=), or whole arrays, which are padded}}
  %t = pto.tile.load %a[0, 0] : !pto.gm<24x32xf16> -> !pto.tile<24x32xf16, mat>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @rows(%a: !pto.gm<8x8xf32>) {
  %t = pto.tile.load %a[0, 0] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32, vec>
  // expected-error @+1 {{pl.cast: a tile's rows are a multiple of 32 bytes in Vec; [8, 8] FP16 in Vec has rows of 16 bytes; use a multiple of 16 columns}}
  %c = pto.tile.cast %t {round = #pto.round<rint>} : !pto.tile<8x8xf32, vec> -> !pto.tile<8x8xf16, vec>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @layout(%a: !pto.gm<32x32xf16>) {
  // expected-error @+1 {{pl.load: a tile in Mat has layout nz on 910B, found nd}}
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat, nd>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @no_space(%a: !pto.gm<32x32xf16>) {
  // expected-error @+1 {{pl.load: the tile [32, 32] FP16 has no memory space; pto-infer-tile-memory-space runs first}}
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  return
}
}
