// RUN: pypto-opt %s --pto-legalize --verify-diagnostics --split-input-file

module attributes {pto.target = "910B"} {
func.func @integers(%i: !pto.tile<8x16xi32>, %v: !pto.tile<8x1xi32>, %s: i32) {
  // expected-error @+1 {{pl.exp: 910B has no pl.exp for INT32; convert it to FP32 first, with pl.cast}}
  %a = pto.tile.exp %i : !pto.tile<8x16xi32>
  // expected-error @+1 {{pl.sqrt: 910B has no pl.sqrt for INT32; convert it to FP32 first}}
  %b = pto.tile.sqrt %i : !pto.tile<8x16xi32>
  // expected-error @+1 {{pl.rsqrt: 910B has no pl.rsqrt for INT32; convert it to FP32 first}}
  %r = pto.tile.rsqrt %i : !pto.tile<8x16xi32>
  // expected-error @+1 {{pl.div: 910B has no pl.div for INT32; convert it to FP32 first}}
  %c = pto.tile.div %i, %i : !pto.tile<8x16xi32>
  // expected-error @+1 {{pl.div: 910B has no pl.div for INT32; convert it to FP32 first}}
  %d = pto.tile.div %i, %s : (!pto.tile<8x16xi32>, i32) -> !pto.tile<8x16xi32>
  // expected-error @+1 {{pl.row_max: 910B has no pl.row_max for INT32; convert it to FP32 first}}
  %e = pto.tile.row_max %i : !pto.tile<8x16xi32> -> !pto.tile<8x1xi32>
  // expected-error @+1 {{pl.row_sum: 910B has no pl.row_sum for INT32; convert it to FP32 first}}
  %f = pto.tile.row_sum %i : !pto.tile<8x16xi32> -> !pto.tile<8x1xi32>
  // expected-error @+1 {{pl.row_expand_div: 910B has no pl.row_expand_div for INT32; convert it to FP32 first}}
  %g = pto.tile.row_expand_div %i, %v : (!pto.tile<8x16xi32>, !pto.tile<8x1xi32>) -> !pto.tile<8x16xi32>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @modes(%f: !pto.tile<8x16xf32>, %i: !pto.tile<8x16xi32>) {
  // expected-error @+1 {{pl.cast: mode 'none' is for conversions that lose nothing; FP32 to FP16 rounds: use 'rint' or 'round'}}
  %a = pto.tile.cast %f {round = #pto.round<none>} : !pto.tile<8x16xf32> -> !pto.tile<8x16xf16>
  // expected-error @+1 {{pl.cast: 910B has no conversion from FP32 to BF16 with rounding 'odd'}}
  %b = pto.tile.cast %f {round = #pto.round<odd>} : !pto.tile<8x16xf32> -> !pto.tile<8x16xbf16>
  // expected-error @+1 {{pl.cast: mode 'none' is for conversions that lose nothing; INT32 to FP32 rounds}}
  %c = pto.tile.cast %i {round = #pto.round<none>} : !pto.tile<8x16xi32> -> !pto.tile<8x16xf16>
  return
}
}

// -----

// expected-error @+1 {{the module names no chip; set attribute pto.target, one of: 910B}}
module {
}
