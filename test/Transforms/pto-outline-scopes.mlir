// RUN: pypto-opt %s --pto-outline-scopes --split-input-file | FileCheck %s
// RUN: pypto-opt %s --pto-outline-scopes --split-input-file --mlir-print-debuginfo --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAMES

// What is read is In, what is only written Out; a constant goes inside.

// CHECK-LABEL: func.func @entry_incore_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x8xf32> {pto.dir = #pto.dir<in>}, %[[OUT:[a-z0-9]+]]: tensor<8x8xf32> {pto.dir = #pto.dir<out>}) -> tensor<8x8xf32>
// CHECK-SAME:    attributes {pto.kind = #pto.kind<in_core>, pto.sync = #pto.sync<none>}
// CHECK-NEXT:    %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    %[[R:.*]] = pto.tensor.mul %[[X]], %[[C]]
// CHECK-NEXT:    %[[O:.*]] = pto.tensor.assemble %[[R]] into %[[OUT]][0, 0]
// CHECK-NEXT:    return %[[O]]
// CHECK-LABEL: func.func @entry(
// CHECK-NEXT:    constant
// CHECK-NEXT:    %[[D:.*]] = pto.block.dispatch @entry_incore_0(%arg0, %arg1) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:    return %[[D]]
// NAMES-LABEL: func.func @entry_incore_0(%x: tensor<8x8xf32>
// NAMES-SAME:    %out: tensor<8x8xf32>
func.func @entry(%x: tensor<8x8xf32> loc("x"), %out: tensor<8x8xf32> {pto.dir = #pto.dir<out>} loc("out")) -> tensor<8x8xf32>
    attributes {pto.kind = #pto.kind<orchestration>} {
  %c = arith.constant 2.0 : f32
  %r = pto.block.at core_group -> (tensor<8x8xf32>) {
    %s = pto.tensor.mul %x, %c : (tensor<8x8xf32>, f32) -> tensor<8x8xf32>
    %o = pto.tensor.assemble %s into %out[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
    pto.block.yield %o : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// Read and written is InOut, in the order of first use; a scalar is captured.

// CHECK-LABEL: func.func @entry_incore_0(
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: tensor<8x8xf32> {pto.dir = #pto.dir<inout>}, %[[S:[a-z0-9]+]]: f32, %[[X:[a-z0-9]+]]: tensor<8x8xf32> {pto.dir = #pto.dir<in>})
// CHECK:       func.func @entry(
// CHECK:         pto.block.dispatch @entry_incore_0(%arg2, %arg0, %arg1)
func.func @entry(%s: f32, %x: tensor<8x8xf32>, %out: tensor<8x8xf32> {pto.dir = #pto.dir<inout>}) -> tensor<8x8xf32>
    attributes {pto.kind = #pto.kind<orchestration>} {
  %r = pto.block.at core_group -> (tensor<8x8xf32>) {
    %a = pto.tensor.mul %out, %s : (tensor<8x8xf32>, f32) -> tensor<8x8xf32>
    %b = pto.tensor.add %a, %x : tensor<8x8xf32>
    %o = pto.tensor.assemble %b into %out[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
    pto.block.yield %o : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// Written as a whole, then read: still Out. A loop hands the array through.

// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    tensor<8x8xf32> {pto.dir = #pto.dir<in>}, %{{.*}}: tensor<8x8xf32> {pto.dir = #pto.dir<out>})
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    tensor<16x8xf32> {pto.dir = #pto.dir<out>}, %{{.*}}: tensor<16x8xf32> {pto.dir = #pto.dir<in>}) -> tensor<16x8xf32>
// CHECK:         %[[L:.*]] = scf.for {{.*}} iter_args
// CHECK:         return %[[L]]
// CHECK-LABEL: func.func @loop_1(
// CHECK-SAME:    tensor<16x8xf32> {pto.dir = #pto.dir<inout>}
func.func @entry(%x: tensor<8x8xf32>, %y: tensor<16x8xf32>, %out: tensor<8x8xf32> {pto.dir = #pto.dir<out>}, %out2: tensor<16x8xf32> {pto.dir = #pto.dir<out>}) -> (tensor<8x8xf32>, tensor<16x8xf32>)
    attributes {pto.kind = #pto.kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %r = pto.block.at core_group -> (tensor<8x8xf32>) attributes {name_hint = "whole"} {
    %o = pto.tensor.assemble %x into %out[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
    %e = pto.tensor.exp %o : tensor<8x8xf32>
    %p = pto.tensor.assemble %e into %o[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
    pto.block.yield %p : tensor<8x8xf32>
  }
  %q = pto.block.at core_group -> (tensor<16x8xf32>) attributes {name_hint = "loop"} {
    %l = scf.for %i = %c0 to %c16 step %c8 iter_args(%o = %out2) -> tensor<16x8xf32> {
      %t = pto.tile.load %y[%i, 0] : tensor<16x8xf32> -> !pto.tile<8x8xf32>
      %p = pto.tile.store %t, %o[%i, 0] : !pto.tile<8x8xf32> -> tensor<16x8xf32>
      scf.yield %p : tensor<16x8xf32>
    }
    pto.block.yield %l : tensor<16x8xf32>
  }
  %s = pto.block.at core_group -> (tensor<16x8xf32>) attributes {name_hint = "loop"} {
    %l = scf.for %i = %c0 to %c16 step %c8 iter_args(%o = %q) -> tensor<16x8xf32> {
      %t = pto.tile.load %o[%i, 0] : tensor<16x8xf32> -> !pto.tile<8x8xf32>
      %p = pto.tile.store %t, %o[%i, 0] : !pto.tile<8x8xf32> -> tensor<16x8xf32>
      scf.yield %p : tensor<16x8xf32>
    }
    pto.block.yield %l : tensor<16x8xf32>
  }
  return %r, %s : tensor<8x8xf32>, tensor<16x8xf32>
}

// -----

// A value that no array holds gets one. In a loop of the control plane.

// CHECK-LABEL: func.func @entry_incore_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x8xf32> {pto.dir = #pto.dir<in>}, %[[R:[a-z0-9]+]]: tensor<8x8xf32> {pto.dir = #pto.dir<out>})
// CHECK-NEXT:    %[[E:.*]] = pto.tensor.exp %[[X]]
// CHECK-NEXT:    %[[O:.*]] = pto.tensor.assemble %[[E]] into %[[R]][0, 0]
// CHECK-NEXT:    return %[[O]]
// CHECK-LABEL: func.func @entry(
// CHECK-SAME:    kind<orchestration>
// CHECK:         scf.for
// CHECK:           %[[N:.*]] = pto.tensor.create : tensor<8x8xf32>
// CHECK-NEXT:      %[[D:.*]] = pto.block.dispatch @entry_incore_0(%[[ITER:.*]], %[[N]])
// CHECK-NEXT:      scf.yield %[[D]]
// NAMES:           %e = pto.tensor.create
func.func @entry(%x: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8x8xf32> {
    %r = pto.block.at core_group -> (tensor<8x8xf32>) {
      %e = pto.tensor.exp %a : tensor<8x8xf32> loc("e")
      pto.block.yield %e : tensor<8x8xf32>
    }
    scf.yield %r : tensor<8x8xf32>
  }
  return %l : tensor<8x8xf32>
}

// -----

// One value handed out twice is one array; an array that the region hands out
// unwritten is no parameter.

// CHECK-LABEL: func.func @entry_incore_0(
// CHECK-SAME:    tensor<8x8xf32> {pto.dir = #pto.dir<in>}, %{{[a-z0-9]+}}: tensor<8x8xf32> {pto.dir = #pto.dir<out>}) -> tensor<8x8xf32>
// CHECK-LABEL: func.func @entry(
// CHECK:         %[[D:.*]] = pto.block.dispatch @entry_incore_0(%arg0, %{{.*}})
// CHECK:         return %[[D]], %arg1, %[[D]]
func.func @entry(%x: tensor<8x8xf32>, %out: tensor<8x8xf32> {pto.dir = #pto.dir<out>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  %r:3 = pto.block.at core_group -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %e = pto.tensor.exp %x : tensor<8x8xf32>
    pto.block.yield %e, %out, %e : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// The words of a region become those of its dispatch. Every block runs the function,
// which asks for its number; `when` reads its array outside. Arrays of no_dep are
// arguments by number.

// CHECK-LABEL: func.func @work(
// CHECK-SAME:    tensor<64x8xf32> {pto.dir = #pto.dir<in>}, %{{[a-z0-9]+}}: tensor<64x8xf32> {pto.dir = #pto.dir<out>}) -> tensor<64x8xf32>
// CHECK-SAME:    kind<in_core>
// CHECK:         pto.block.get_block_idx
// CHECK-LABEL: func.func @entry(
// CHECK-SAME:    %[[X:arg[0-9]+]]: tensor<64x8xf32>, %[[OUT:arg[0-9]+]]: tensor<64x8xf32> {{.*}}, %[[FLAGS:arg[0-9]+]]: tensor<4xi32>, %[[N:arg[0-9]+]]: index)
// CHECK:         %[[T0:.*]] = pto.block.task_dummy
// CHECK:         %[[R:.*]], %[[T:.*]] = pto.block.dispatch @work(%[[X]], %[[OUT]]) blocks(%[[N]]) after(%[[T0]]) when(%[[FLAGS]][%[[N]]] gt 0 : tensor<4xi32>) {manual, no_dep = array<i64: 0, 1>, sync_start} : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>, !pto.task
// CHECK:         %[[T2:.*]] = pto.block.dispatch @entry_incore_0(%[[X]]) after(%[[T]]) {early_resolve} : (tensor<64x8xf32>) -> (), !pto.task
// CHECK:         pto.block.task_dummy after(%[[T2]])
// CHECK:         return %[[R]]
func.func @entry(%x: tensor<64x8xf32>, %out: tensor<64x8xf32> {pto.dir = #pto.dir<out>}, %flags: tensor<4xi32>, %n: index) -> tensor<64x8xf32> attributes {pto.kind = #pto.kind<orchestration>} {
  %t0 = pto.block.task_dummy
  %r, %t1 = pto.block.at core_group blocks(%n) after(%t0) when(%flags[%n] gt 0 : tensor<4xi32>) no_dep(%out, %x : tensor<64x8xf32>, tensor<64x8xf32>) -> (tensor<64x8xf32>), !pto.task attributes {manual, name_hint = "work", sync_start} {
    %c8 = arith.constant 8 : index
    %b = pto.block.get_block_idx
    %i = arith.muli %b, %c8 : index
    %t = pto.tile.load %x[%i, 0] : tensor<64x8xf32> -> !pto.tile<8x8xf32>
    %o = pto.tile.store %t, %out[%i, 0] : !pto.tile<8x8xf32> -> tensor<64x8xf32>
    pto.block.yield %o : tensor<64x8xf32>
  }
  %t2 = pto.block.at core_group after(%t1) -> !pto.task attributes {early_resolve} {
    %t = pto.tile.load %x[0, 0] : tensor<64x8xf32> -> !pto.tile<8x8xf32>
    pto.block.yield
  }
  %all = pto.block.task_dummy after(%t2)
  return %r : tensor<64x8xf32>
}

// -----

// What else the control plane does stays: windows of arrays, elements, small arrays,
// clusters, and regions on other levels with all that is in them.

// CHECK-LABEL: func.func @entry_incore_0(
// CHECK-SAME:    i32, %{{[a-z0-9]+}}: tensor<8x4xf32, #pto.pitch<8>> {pto.dir = #pto.dir<inout>}
// CHECK-LABEL: func.func @entry(
// CHECK:         %[[W:.*]] = pto.tensor.slice
// CHECK:         %[[E:.*]] = pto.tensor.read
// CHECK:         pto.block.dispatch @entry_incore_0(%[[E]], %[[W]])
// CHECK:         pto.block.array_set
// CHECK:         pto.block.cluster {
// CHECK-NEXT:      pto.block.dispatch @k
// CHECK:         pto.block.at host role orchestrator {
// CHECK-NEXT:      pto.block.at core_group {
// CHECK-NEXT:        pto.tile.load
func.func private @k(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>}
func.func @entry(%x: tensor<8x8xf32> {pto.dir = #pto.dir<inout>}, %n: tensor<4xi32>, %i: index) attributes {pto.kind = #pto.kind<orchestration>} {
  %w = pto.tensor.slice %x[0, 4] [8, 4] : tensor<8x8xf32> -> tensor<8x4xf32, #pto.pitch<8>>
  %e = pto.tensor.read %n[%i] : tensor<4xi32>
  %r, %t = pto.block.at core_group -> (tensor<8x4xf32, #pto.pitch<8>>), !pto.task {
    %f = arith.sitofp %e : i32 to f32
    %s = pto.tensor.mul %w, %f : (tensor<8x4xf32, #pto.pitch<8>>, f32) -> tensor<8x4xf32>
    %o = pto.tensor.assemble %s into %w[0, 0] : tensor<8x4xf32> into tensor<8x4xf32, #pto.pitch<8>>
    pto.block.yield %o : tensor<8x4xf32, #pto.pitch<8>>
  }
  %a = pto.block.array_create : !pto.array<4 x !pto.task>
  %b = pto.block.array_set %t into %a[%i] : !pto.array<4 x !pto.task>
  pto.block.cluster {
    pto.block.dispatch @k(%x) : (tensor<8x8xf32>) -> ()
    pto.block.yield
  }
  pto.block.at host role orchestrator {
    pto.block.at core_group {
      %l = pto.tile.load %x[0, 0] : tensor<8x8xf32> -> !pto.tile<8x8xf32>
      pto.block.yield
    }
    pto.block.yield
  }
  return
}
