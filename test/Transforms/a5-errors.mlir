// What the passes refuse for the Ascend 950.
// RUN: split-file %s %t
// RUN: pypto-opt %t/target.mlir --pto-set-target=target=a3 -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/unknown.mlir --pto-set-target=target=a9 -verify-diagnostics -o /dev/null
// RUN: pypto-opt %t/legalize.mlir --pto-legalize -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/space.mlir --pto-infer-tile-memory-space -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/layout.mlir --pto-assign-layout -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/plan.mlir --pto-plan-memory -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/verify.mlir --pto-verify-level="after=pto-plan-memory" -verify-diagnostics -split-input-file -o /dev/null

//--- target.mlir
// expected-error @below {{the module is for chip '950', not for '910B'}}
module attributes {pto.target = "a5"} {
}

//--- unknown.mlir
// expected-error @below {{unknown chip 'a9'; known: 910B, 950}}
module {
}

//--- legalize.mlir
module attributes {pto.target = "950"} {
func.func @f(%a: !pto.tile<16x64xi32>) {
  // expected-error @below {{pl.exp: 950 has no pl.exp for INT32; convert it to FP32 first, with pl.cast}}
  %b = pto.tile.exp %a : !pto.tile<16x64xi32>
  return
}
}

//--- space.mlir
module attributes {pto.target = "950"} {
func.func @acc_to_vec(%a: !pto.gm<32x32xf16>) {
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  // expected-note @+1 {{pl.matmul makes it here, in Acc}}
  %c = pto.tile.matmul %t, %t : !pto.tile<32x32xf16> -> !pto.tile<32x32xf32>
  // expected-error @+1 {{pl.exp: [32, 32] FP32 in Acc is needed in Vec, and the path from Acc to Vec on 950 leads to another core; that needs a mixed kernel, which comes later}}
  %e = pto.tile.exp %c : !pto.tile<32x32xf32>
  return
}
}

// -----

module attributes {pto.target = "950"} {
func.func @vec_to_left(%a: !pto.gm<32x32xf16>) {
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  // expected-note @+1 {{pl.exp makes it here, in Vec}}
  %e = pto.tile.exp %t : !pto.tile<32x32xf16>
  // expected-error @+1 {{no path leads from Vec to Left on 950}}
  %c = pto.tile.matmul %e, %t : !pto.tile<32x32xf16> -> !pto.tile<32x32xf32>
  return
}
}

//--- layout.mlir
module attributes {pto.target = "950"} {
func.func @left(%a: !pto.tile<32x16xf16, mat, nz>) attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @below {{nz on 950}}
  %l = pto.tile.move %a : !pto.tile<32x16xf16, mat, nz> -> !pto.tile<32x16xf16, left, zz>
  return
}
}

//--- plan.mlir
module attributes {pto.target = "950"} {
func.func @vec(%x: !pto.gm<249x256xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  // expected-note @+3 {{Vec there, 248 KiB in all:}}
  // expected-note @+2 {{249 KiB of it: [249, 256] FP32}}
  // expected-error @+1 {{does not fit: Vec holds 248 KiB, and 249 KiB are needed}}
  %a = pto.tile.alloc : !pto.buf<249x256xf32, vec, nd>
  pto.tile.load ins(%x[0, 0] : !pto.gm<249x256xf32>) outs(%a : !pto.buf<249x256xf32, vec, nd>)
  return
}
}

//--- verify.mlir
module attributes {pto.target = "950"} {
func.func @k(%x: !pto.gm<16x16xf32>) attributes {pto.kind = #pto.kind<aic>} {
  // expected-error @below {{[256, 256] FP32 in Acc lies at bytes 1024 to 263168; Acc has 256 KiB}}
  %a = pto.tile.alloc {addrs = array<i64: 1024>} : !pto.buf<256x256xf32, acc, nz>
  %l = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x16xf16, left, nz>
  %r = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x16xf16, right, zn>
  // expected-error @below {{no path leads from Left to Right on 950}}
  pto.tile.move ins(%l : !pto.buf<16x16xf16, left, nz>) outs(%r : !pto.buf<16x16xf16, right, zn>)
  return
}
}
