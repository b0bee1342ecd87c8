// RUN: pypto-opt %s --pto-materialize-valid-extents -verify-diagnostics -split-input-file

module attributes {pto.target = "910B"} {
func.func @while(%x: !pto.gm<64x64xf32>, %c: i1) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.load %x[0, 0] valid [8, 8] : !pto.gm<64x64xf32> -> !pto.tile<64x64xf32, vec, nd>
  // expected-error@+1 {{a tile passes through 'scf.execute_region', which is not supported; only loops and 'if' carry tiles}}
  %r = scf.execute_region -> !pto.tile<64x64xf32, vec, nd> {
    // expected-error@+1 {{a tile passes through 'scf.yield'}}
    scf.yield %a : !pto.tile<64x64xf32, vec, nd>
  }
  %s = scf.while (%t = %a) : (!pto.tile<64x64xf32, vec, nd>) -> !pto.tile<64x64xf32, vec, nd> {
    // expected-error@+1 {{a while loop that carries tiles or arrays hands on what its first region gets, in that order}}
    scf.condition(%c) %a : !pto.tile<64x64xf32, vec, nd>
  } do {
  ^bb0(%u: !pto.tile<64x64xf32, vec, nd>):
    scf.yield %u : !pto.tile<64x64xf32, vec, nd>
  }
  return
}
}

// -----

// expected-error@+1 {{a tile is on one core and does not cross the border of a function}}
func.func @argument(%t: !pto.tile<64x64xf32, vec, nd>) attributes {pto.kind = #pto.kind<aiv>} {
  return
}
