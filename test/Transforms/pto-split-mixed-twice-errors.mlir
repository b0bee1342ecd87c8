// One load that pto-infer-tile-memory-space makes two of: what wants them is named.
// RUN: pypto-opt %s --pto-infer-tile-memory-space --pto-split-mixed --verify-diagnostics

module attributes {pto.target = "910B"} {
func.func @f(%a: !pto.gm<16x16xf16>) attributes {pto.kind = #pto.kind<in_core>} {
  // expected-note @+1 {{this tile is wanted in two spaces, so that it is loaded for Vec and for Mat; load it in each of the two functions}}
  %b = pto.tile.load %a[0, 0] : !pto.gm<16x16xf16> -> !pto.tile<16x16xf16>
  // expected-note @+1 {{pl.move runs on the cube core}}
  %l = pto.tile.move %b : !pto.tile<16x16xf16> -> !pto.tile<16x16xf16, left>
  // expected-error @+1 {{pl.store: runs on the vector core, but 'f' also works on the cube core; mixed kernels come later}}
  pto.tile.store %b, %a[0, 0] : !pto.tile<16x16xf16> -> !pto.gm<16x16xf16>
  return
}
}
