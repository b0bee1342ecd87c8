// RUN: pypto-opt %s | pypto-opt | FileCheck %s
// Types and attributes print as they are written, without what says nothing.

// CHECK: @tiles(!pto.tile<64x128xf32>, !pto.tile<64x128xbf16, vec>, !pto.tile<16x32xf16, mat, nz>)
func.func private @tiles(!pto.tile<64x128xf32>, !pto.tile<64x128xbf16, vec>, !pto.tile<16x32xf16, mat, nz>)
// CHECK: @bufs(!pto.buf<64x128xf32, vec, nd>, !pto.buf<64x36xf32, vec, nd, of<64x128>>, !pto.buf<?x80xf16, left, zz, of<48x80>>)
func.func private @bufs(!pto.buf<64x128xf32, vec, nd, of<64x128>>, !pto.buf<64x36xf32, vec, nd, of<64x128>>, !pto.buf<?x80xf16, left, zz, of<48x80>>)
// CHECK: @slots(!pto.buf<64x64xf16, right, zn, slots<2>>, !pto.buf<32x64xi32, acc, nz, of<64x64>, slots<3>>, !pto.buf<1x64xf32, bias, nd>, !pto.buf<64x1xf32, vec, dn>)
func.func private @slots(!pto.buf<64x64xf16, right, zn, slots<2>>, !pto.buf<32x64xi32, acc, nz, of<64x64>, slots<3>>, !pto.buf<1x64xf32, bias, nd, slots<1>>, !pto.buf<64x1xf32, vec, dn>)
// CHECK: @arrays(!pto.gm<f32>, !pto.gm<7xi32>, !pto.gm<?x128xf16>, !pto.gm<2x3x0xbf16>, !pto.task)
func.func private @arrays(!pto.gm<f32>, !pto.gm<7xi32>, !pto.gm<?x128xf16>, !pto.gm<2x3x0xbf16>, !pto.task)

// CHECK: @kernel(%{{.*}}: !pto.gm<8x8xf32> {pto.dir = #pto.dir<in>}, %{{.*}}: tensor<8x8xf32> {pto.dir = #pto.dir<inout>}, %{{.*}}: !pto.gm<8x8xf32> {pto.dir = #pto.dir<out>}, %{{.*}}: f32)
// CHECK-SAME: attributes {pto.deps = #pto.deps<program_order>, pto.kind = #pto.kind<in_core>, pto.sync = #pto.sync<manual>}
func.func @kernel(%x: !pto.gm<8x8xf32> {pto.dir = #pto.dir<in>}, %y: tensor<8x8xf32> {pto.dir = #pto.dir<inout>}, %z: !pto.gm<8x8xf32> {pto.dir = #pto.dir<out>}, %s: f32)
    attributes {pto.kind = #pto.kind<in_core>, pto.sync = #pto.sync<manual>, pto.deps = #pto.deps<program_order>} {
  return
}

// A loop's arguments print by the names of `pto.names`.
// CHECK: scf.for %row = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%acc = %{{.*}})
func.func @names(%n: index, %a: index) -> index {
  %r = scf.for %i = %n to %n step %n iter_args(%c = %a) -> index {
    scf.yield %c : index
  } {pto.names = ["row", "acc"]}
  return %r : index
}
