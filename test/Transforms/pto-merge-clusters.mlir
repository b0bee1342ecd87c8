// RUN: pypto-opt %s --pto-merge-clusters --split-input-file | FileCheck %s
// RUN: pypto-opt %s --pto-merge-clusters --split-input-file --mlir-print-debuginfo --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAMES

// Two finished kernels are two sections. What both take is one parameter: written by
// the one and read by the other, it is InOut. The author's names outside are those
// inside. Kernels that nothing else runs are gone.

// CHECK-NOT:   func.func @product
// CHECK-NOT:   func.func @scale
// CHECK-LABEL: func.func @entry_cluster_0(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: !pto.gm<16x16xf16> {pto.dir = #pto.dir<in>}, %[[W:[a-z0-9]+]]: !pto.gm<16x16xf32> {pto.dir = #pto.dir<inout>}, %[[S:[a-z0-9]+]]: f32, %[[O:[a-z0-9]+]]: !pto.gm<16x16xf32> {pto.dir = #pto.dir<out>})
// CHECK-SAME:    attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>}
// CHECK-NEXT:    pto.block.section aic {
// CHECK:           pto.tile.store {{.*}} outs(%[[W]][0, 0]
// CHECK-NEXT:      pto.block.cross_core_set fix, 3
// CHECK-NEXT:      pto.block.barrier all
// CHECK-NEXT:    }
// CHECK-NEXT:    pto.block.section aiv {
// CHECK:           pto.block.cross_core_wait 3
// CHECK-NEXT:      pto.tile.load ins(%[[W]][0, 0]
// CHECK:           pto.tile.mul ins(%{{.*}}, %[[S]] :
// CHECK:           pto.tile.store {{.*}} outs(%[[O]][0, 0]
// CHECK:         return
// CHECK-LABEL: func.func @entry(
// CHECK-SAME:    %[[X:arg[0-9]+]]: tensor<16x16xf16>, %[[OUT:arg[0-9]+]]: tensor<16x16xf32> {{.*}}, %[[F:arg[0-9]+]]: f32
// CHECK-NEXT:    %[[WORK:.*]] = pto.tensor.create
// CHECK-NEXT:    %[[R:.*]]:2 = pto.block.dispatch @entry_cluster_0(%[[X]], %[[WORK]], %[[F]], %[[OUT]]) : (tensor<16x16xf16>, tensor<16x16xf32>, f32, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>)
// CHECK-NEXT:    return %[[R]]#1, %[[R]]#0
// NAMES-LABEL: func.func @entry_cluster_0(%x: {{.*}}, %partial: {{.*}}, %s: f32 {{.*}}, %out:
module attributes {pto.target = "910B"} {
  func.func @product(%a: !pto.gm<16x16xf16> {pto.dir = #pto.dir<in>}, %w: !pto.gm<16x16xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<auto>} {
    %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x16xf32, acc, nz>
    pto.tile.store ins(%acc : !pto.buf<16x16xf32, acc, nz>) outs(%w[0, 0] : !pto.gm<16x16xf32>)
    pto.block.cross_core_set fix, 3 {mode = 2 : i64}
    pto.block.barrier all
    return
  }
  func.func @scale(%w: !pto.gm<16x16xf32> {pto.dir = #pto.dir<in>}, %s: f32 loc("s"), %o: !pto.gm<16x16xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x16xf32, vec, nd>
    pto.block.cross_core_wait 3 {mode = 2 : i64}
    pto.tile.load ins(%w[0, 0] : !pto.gm<16x16xf32>) outs(%t : !pto.buf<16x16xf32, vec, nd>)
    pto.block.barrier all
    pto.tile.mul ins(%t, %s : !pto.buf<16x16xf32, vec, nd>, f32) outs(%t : !pto.buf<16x16xf32, vec, nd>)
    pto.block.barrier all
    pto.tile.store ins(%t : !pto.buf<16x16xf32, vec, nd>) outs(%o[0, 0] : !pto.gm<16x16xf32>)
    pto.block.barrier all
    return
  }
  func.func @entry(%x: tensor<16x16xf16> loc("x"), %out: tensor<16x16xf32> {pto.dir = #pto.dir<out>} loc("out"), %f: f32) -> (tensor<16x16xf32>, tensor<16x16xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
    %work = pto.tensor.create : tensor<16x16xf32> loc("partial")
    %r:2 = pto.block.cluster -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %p = pto.block.dispatch @product(%x, %work) : (tensor<16x16xf16>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %o = pto.block.dispatch @scale(%p, %f, %out) : (tensor<16x16xf32>, f32, tensor<16x16xf32>) -> tensor<16x16xf32>
      pto.block.yield %o, %p : tensor<16x16xf32>, tensor<16x16xf32>
    }
    return %r#0, %r#1 : tensor<16x16xf32>, tensor<16x16xf32>
  }
}

// -----

// Words of the cluster; a kernel alone; one that is also called elsewhere stays. An
// array that the cluster hands out unwritten is the array itself. Left out of the
// derived order is what the cluster leaves out, or every kernel that takes it.

// CHECK-LABEL: func.func @k(
// CHECK-LABEL: func.func @alone(
// CHECK-SAME:    pto.sync = #pto.sync<auto>
// CHECK-NEXT:    pto.block.section aiv {
// CHECK-NOT:     pto.block.section aic
// CHECK-LABEL: func.func @entry(
// CHECK-SAME:    %[[X:arg[0-9]+]]: tensor<16x16xf32>, %[[OUT:arg[0-9]+]]: tensor<16x16xf32> {{.*}}, %[[FLAGS:arg[0-9]+]]: tensor<4xi32>, %[[N:arg[0-9]+]]: index
// CHECK:         %[[T0:.*]] = pto.block.task_dummy
// CHECK-NEXT:    %[[R:.*]], %[[T:.*]] = pto.block.dispatch @alone(%[[X]], %[[OUT]]) blocks(%[[N]]) after(%[[T0]]) when(%[[FLAGS]][%[[N]]] eq 1 : tensor<4xi32>) {early_resolve, manual, no_dep = array<i64: 0>, sync_start}
// CHECK-NEXT:    %{{.*}} = pto.block.dispatch @alone_1(%[[X]], %[[R]]) {no_dep = array<i64: 1>}
// CHECK-NEXT:    pto.block.dispatch @k(%[[X]], %{{.*}}) after(%[[T]])
// CHECK-NEXT:    return %[[R]], %[[X]]
module attributes {pto.target = "910B"} {
  func.func @k(%a: !pto.gm<16x16xf32> {pto.dir = #pto.dir<in>}, %o: !pto.gm<16x16xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<auto>} {
    pto.block.barrier all
    return
  }
  func.func @entry(%x: tensor<16x16xf32>, %out: tensor<16x16xf32> {pto.dir = #pto.dir<out>}, %flags: tensor<4xi32>, %n: index) -> (tensor<16x16xf32>, tensor<16x16xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
    %t0 = pto.block.task_dummy
    %r:2, %t = pto.block.cluster blocks(%n) after(%t0) when(%flags[%n] eq 1 : tensor<4xi32>) no_dep(%x : tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>), !pto.task attributes {name_hint = "alone", manual, sync_start, early_resolve} {
      %p = pto.block.dispatch @k(%x, %out) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      pto.block.yield %p, %x : tensor<16x16xf32>, tensor<16x16xf32>
    }
    pto.block.cluster attributes {name_hint = "alone"} {
      %p = pto.block.dispatch @k(%x, %r#0) {no_dep = array<i64: 1>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      pto.block.yield
    }
    %w = pto.block.dispatch @k(%x, %r#0) after(%t) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return %r#0, %r#1 : tensor<16x16xf32>, tensor<16x16xf32>
  }
}
