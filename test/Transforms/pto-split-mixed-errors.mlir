// RUN: pypto-opt %s --pto-split-mixed --verify-diagnostics --split-input-file

module attributes {pto.target = "910B"} {
func.func @both(%a: !pto.gm<16x16xf16>) attributes {pto.kind = #pto.kind<in_core>} {
  // expected-note @+1 {{pl.load runs on the cube core}}
  %t = pto.tile.load %a[0, 0] : !pto.gm<16x16xf16> -> !pto.tile<16x16xf16, mat, nz>
  %u = pto.tile.load %a[0, 0] : !pto.gm<16x16xf16> -> !pto.tile<16x16xf16, vec, nd>
  // expected-error @+1 {{pl.exp: runs on the vector core, but 'both' also works on the cube core; mixed kernels come later: make two functions, with an array between them}}
  %e = pto.tile.exp %u : !pto.tile<16x16xf16, vec, nd>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
// expected-note @+1 {{the function is declared here}}
func.func @cube(%a: !pto.gm<16x16xf16>) attributes {pto.kind = #pto.kind<in_core>, pto.core = "aic"} {
  // expected-error @+1 {{pl.load: runs on the vector core, but 'cube' is declared for the cube core (AIC); make it a function of type pl.FunctionType.InCore, whose core the compiler finds}}
  %u = pto.tile.load %a[0, 0] : !pto.gm<16x16xf16> -> !pto.tile<16x16xf16, vec, nd>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
// expected-note @+1 {{the function is declared here}}
func.func @vector(%a: !pto.gm<16x16xf16>) attributes {pto.kind = #pto.kind<in_core>, pto.core = "aiv"} {
  // expected-error @+1 {{pl.load: runs on the cube core, but 'vector' is declared for the vector core (AIV); make it a function of type pl.FunctionType.InCore, whose core the compiler finds}}
  %t = pto.tile.load %a[0, 0] : !pto.gm<16x16xf16> -> !pto.tile<16x16xf16, mat, nz>
  return
}
}
