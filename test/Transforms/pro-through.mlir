// RUN: pypto-opt %s --pto-inline --pto-specialize-tiling-key --pto-outline-scopes --pto-convert-tensor-to-tile-ops --pto-legalize --pto-infer-tile-memory-space --pto-assign-layout --pto-split-mixed --pto-materialize-valid-extents --pto-materialize-copies --pto-bufferize-tiles -o %t.mlir
// RUN: pypto-opt %s -o %t.same.mlir
// RUN: diff %t.same.mlir %t.mlir
// RUN: pypto-opt %s --pto-pipeline=target=950 | FileCheck %s

// A kernel that is written at the buffer form passes through all that makes buffers as it
// is, and so does its entry, whose order is its own. The whole pipeline orders its pipes
// and checks it behind each pass.

// CHECK-LABEL: func.func @count(
// CHECK-SAME:    pto.sync = #pto.sync<manual>
// CHECK:         scf.while
// CHECK:         pto.block.barrier all
// CHECK-LABEL: func.func @count_entry(
// CHECK-SAME:    pto.deps = #pto.deps<explicit>
// CHECK-NEXT:    %{{.*}} = pto.block.dispatch @count(%arg0, %arg1, %arg2) blocks(%arg3) : (tensor<?xi8>, tensor<?xf32>, index) -> tensor<?xf32>
module attributes {pto.target = "950"} {
  func.func @count(%x: !pto.gm<?xi8> {pto.dir = #pto.dir<in>}, %out: !pto.gm<?xf32> {pto.dir = #pto.dir<inout>}, %rows: index)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<author>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = pto.tile.alloc {addrs = array<i64: 0, 8192>, pinned, mutex_ids = array<i64: 0, 1>} : !pto.buf<32x64xf32, vec, nd, slots<2>>
    %p = pto.tile.make_ptr %x[0] : !pto.gm<?xi8> -> !pto.gm<?xf32>
    %t = pto.tile.make_tensor %p shape [%rows, 64] strides [64, 1] : !pto.gm<?xf32> -> !pto.gm<?x64xf32, pitch<?>>
    %o = pto.tile.make_tensor %out shape [%rows, 64] strides [64, 1] : !pto.gm<?xf32> -> !pto.gm<?x64xf32, pitch<?>>
    %none = pto.tile.is_null %x : !pto.gm<?xi8>
    scf.if %none {
      pto.block.print "nothing\0A"
    }
    %end = scf.while (%i = %c0) : (index) -> index {
      %go = arith.cmpi slt, %i, %rows : index
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      %first = pto.tile.get_value %out[%i] : !pto.gm<?xf32> -> f32
      %s = pto.tile.slot %a[%c1] : !pto.buf<32x64xf32, vec, nd, slots<2>>
      %v = pto.tile.subview %s[0, 0] [%rows, 64] : !pto.buf<32x64xf32, vec, nd> -> !pto.buf<?x64xf32, vec, nd, of<32x64>>
      pto.tile.load ins(%t[%i, 0] : !pto.gm<?x64xf32, pitch<?>>) outs(%v : !pto.buf<?x64xf32, vec, nd, of<32x64>>)
      pto.tile.add ins(%v, %first : !pto.buf<?x64xf32, vec, nd, of<32x64>>, f32) outs(%v : !pto.buf<?x64xf32, vec, nd, of<32x64>>)
      pto.tile.store ins(%v : !pto.buf<?x64xf32, vec, nd, of<32x64>>) outs(%o[%i, 0] : !pto.gm<?x64xf32, pitch<?>>) {atomic_add}
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
    return
  }
  func.func @count_entry(%x: tensor<?xi8> {pto.dir = #pto.dir<in>}, %out: tensor<?xf32> {pto.dir = #pto.dir<inout>}, %rows: index, %block_dim: index) -> tensor<?xf32>
      attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>} {
    %r = pto.block.dispatch @count(%x, %out, %rows) blocks(%block_dim) : (tensor<?xi8>, tensor<?xf32>, index) -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}
