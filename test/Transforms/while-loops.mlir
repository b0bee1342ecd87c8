// RUN: pypto-opt %s --pto-pipeline | FileCheck %s
// RUN: pypto-opt %s --pto-convert-tensor-to-tile-ops | FileCheck %s --check-prefix=TILES
// RUN: pypto-opt %s --pto-set-target --pto-convert-tensor-to-tile-ops --pto-infer-tile-memory-space --pto-assign-layout --pto-split-mixed --pto-materialize-valid-extents | FileCheck %s --check-prefix=EXTENTS

// A while loop that carries tiles and arrays: arrays are not carried below tensor level, a
// tile that changes place with another gets a copy, flags stand around the loop.
module attributes {pto.target = "910B"} {
  func.func @swap(%x: tensor<8x64xf32> {pto.dir = #pto.dir<in>} loc("x"), %out: tensor<8x64xf32> {pto.dir = #pto.dir<out>} loc("out"), %n: index loc("n")) -> tensor<8x64xf32>
      attributes {pto.kind = #pto.kind<in_core>, pto.sync = #pto.sync<none>} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %u = pto.tensor.add %x, %x : tensor<8x64xf32>
    %v = pto.tensor.mul %x, %x : tensor<8x64xf32>
    %r:4 = scf.while (%i = %zero, %a = %u, %b = %v, %o = %out) : (index, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) -> (index, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
      %go = arith.cmpi slt, %i, %n : index
      scf.condition(%go) %i, %a, %b, %o : index, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
    } do {
    ^bb0(%i: index, %a: tensor<8x64xf32>, %b: tensor<8x64xf32>, %o: tensor<8x64xf32>):
      %sum = pto.tensor.add %a, %b : tensor<8x64xf32>
      %next = arith.addi %i, %one : index
      %p = pto.tensor.assemble %sum into %o[0, 0] : tensor<8x64xf32> into tensor<8x64xf32>
      scf.yield %next, %b, %sum, %p : index, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
    } attributes {pto.names = ["i", "a", "b", "o"]}
    %q = pto.tensor.assemble %r#1 into %r#3[0, 0] : tensor<8x64xf32> into tensor<8x64xf32>
    return %q : tensor<8x64xf32>
  }

  // TILES-LABEL: func.func @swap
  // TILES: scf.while (%i = %c0, %a = %{{.*}}, %b = %{{.*}}) : (index, !pto.tile<8x64xf32>, !pto.tile<8x64xf32>) -> (index, !pto.tile<8x64xf32>, !pto.tile<8x64xf32>) {
  // TILES: scf.condition(%{{.*}}) %i, %a, %b
  // TILES: pto.tile.store %{{.*}}, %arg1[0, 0]
  // TILES: pto.names = ["i", "a", "b"]

  // CHECK-LABEL: func.func @swap
  // CHECK: %[[A:[0-9]+]] = pto.tile.alloc {addrs = array<i64: 2048>}
  // CHECK: %[[B:[0-9]+]] = pto.tile.alloc {addrs = array<i64: 0>}
  // CHECK: %[[SUM:[0-9]+]] = pto.tile.alloc {addrs = array<i64: 4096>}
  // CHECK: pto.block.set_flag mte3 -> v
  // CHECK: scf.while (%i = %c0) : (index) -> index {
  // CHECK: pto.tile.add ins(%[[A]], %[[B]] {{.*}} outs(%[[SUM]]
  // CHECK: pto.tile.store
  // CHECK: pto.tile.move ins(%[[B]] {{.*}} outs(%[[A]] {{.*}}the loop carries 'a'
  // CHECK: pto.names = ["i"]
  // CHECK: pto.block.wait_flag mte3 -> v

  // Extents that differ are carried beside the tile.
  func.func @valid(%x: tensor<8x64xf32> {pto.dir = #pto.dir<in>} loc("x"), %out: tensor<8x64xf32> {pto.dir = #pto.dir<out>} loc("out"), %n: index loc("n")) -> tensor<8x64xf32>
      attributes {pto.kind = #pto.kind<in_core>, pto.sync = #pto.sync<none>} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %t = pto.tile.load %x[0, 0] valid [8, 32] : tensor<8x64xf32> -> !pto.tile<8x64xf32>
    %r:2 = scf.while (%i = %zero, %a = %t) : (index, !pto.tile<8x64xf32>) -> (index, !pto.tile<8x64xf32>) {
      %go = arith.cmpi slt, %i, %n : index
      scf.condition(%go) %i, %a : index, !pto.tile<8x64xf32>
    } do {
    ^bb0(%i: index, %a: !pto.tile<8x64xf32>):
      %next = arith.addi %i, %one : index
      %w = pto.tile.load %x[0, 0] valid [%next, 32] : tensor<8x64xf32> -> !pto.tile<8x64xf32>
      scf.yield %next, %w : index, !pto.tile<8x64xf32>
    } attributes {pto.names = ["i", "a"]}
    %o = pto.tile.store %r#1, %out[0, 0] : !pto.tile<8x64xf32> -> tensor<8x64xf32>
    return %o : tensor<8x64xf32>
  }

  // EXTENTS-LABEL: func.func @valid
  // EXTENTS: scf.while (%i = %c0, %a = %{{.*}}, %{{.*}} = %c8) : (index, !pto.tile<8x64xf32, vec, nd>, index)
  // EXTENTS: %[[W:.*]] = pto.tile.load %arg0[0, 0] valid [%[[N:.*]], 32]
  // EXTENTS: scf.yield %[[N]], %[[W]], %[[N]]
  // EXTENTS: pto.tile.set_validshape %{{.*}} [%{{.*}}, 32]
}
