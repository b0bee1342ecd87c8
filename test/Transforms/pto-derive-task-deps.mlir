// RUN: pypto-opt %s --pto-derive-task-deps | FileCheck %s
// RUN: pypto-opt %s --pto-derive-task-deps --pto-derive-task-deps | FileCheck %s

module attributes {pto.target = "910B"} {

func.func private @copy(%x: !pto.gm<4x8xf32> {pto.dir = #pto.dir<in>}, %y: !pto.gm<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>}
func.func private @add(%x: !pto.gm<4x8xf32> {pto.dir = #pto.dir<in>}, %y: !pto.gm<4x8xf32> {pto.dir = #pto.dir<inout>}) attributes {pto.kind = #pto.kind<aiv>}
func.func private @both(%x: !pto.gm<4x8xf32> {pto.dir = #pto.dir<out>}, %n: index, %y: !pto.gm<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>}

// Two readers of one array run beside each other; who writes what they read
// waits for both; the last waits for that one only.
// CHECK-LABEL: func.func @diamond(
// CHECK-SAME: pto.deps = #pto.deps<explicit>
// CHECK: %[[A:.*]], %[[TA:.*]] = pto.block.dispatch @copy(%{{.*}}, %{{.*}}) : {{.*}}, !pto.task
// CHECK: %[[B:.*]], %[[TB:.*]] = pto.block.dispatch @copy(%[[A]], %{{.*}}) after(%[[TA]]) :
// CHECK: %[[C:.*]], %[[TC:.*]] = pto.block.dispatch @copy(%[[A]], %{{.*}}) after(%[[TA]]) :
// CHECK: %[[D:.*]], %[[TD:.*]] = pto.block.dispatch @add(%{{.*}}, %[[A]]) after(%[[TB]], %[[TC]]) :
// CHECK: %[[E:.*]], %[[TE:.*]] = pto.block.dispatch @copy(%[[D]], %[[B]]) after(%[[TD]]) :
// CHECK: return %[[E]]
func.func @diamond(%x: tensor<4x8xf32> {pto.dir = #pto.dir<in>}, %out: tensor<4x8xf32> {pto.dir = #pto.dir<out>}) -> tensor<4x8xf32> attributes {pto.kind = #pto.kind<orchestration>} {
  %t = pto.tensor.create : tensor<4x8xf32>
  %u = pto.tensor.create : tensor<4x8xf32>
  %a = pto.block.dispatch @copy(%x, %t) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = pto.block.dispatch @copy(%a, %out) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = pto.block.dispatch @copy(%a, %u) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %d = pto.block.dispatch @add(%x, %a) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = pto.block.dispatch @copy(%d, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}

// The old name of an array is the same memory: RAW, WAW and WAR without a use of
// a result. Arrays that nothing joins have no edge.
// CHECK-LABEL: func.func @names(
// CHECK: %{{.*}}, %[[T0:.*]] = pto.block.dispatch @copy(%arg0, %arg1) :
// CHECK: %{{.*}}, %[[T1:.*]] = pto.block.dispatch @copy(%arg1, %arg2) after(%[[T0]]) :
// CHECK: %{{.*}}, %[[T2:.*]] = pto.block.dispatch @copy(%arg0, %arg1) after(%[[T1]]) :
// CHECK: %{{.*}}, %[[T3:.*]] = pto.block.dispatch @copy(%arg0, %arg1) after(%[[T2]]) :
// CHECK: %{{.*}}, %{{.*}} = pto.block.dispatch @copy(%arg0, %arg3) :
func.func @names(%x: tensor<4x8xf32>, %y: tensor<4x8xf32> {pto.dir = #pto.dir<inout>}, %z: tensor<4x8xf32> {pto.dir = #pto.dir<out>}, %w: tensor<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<program_order>} {
  %a = pto.block.dispatch @copy(%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = pto.block.dispatch @copy(%y, %z) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = pto.block.dispatch @copy(%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %d = pto.block.dispatch @copy(%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = pto.block.dispatch @copy(%x, %w) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// The second result is the second array that the task writes.
// CHECK-LABEL: func.func @results(
// CHECK: %[[R:.*]]:2, %[[T:.*]] = pto.block.dispatch @both(%arg0, %arg2, %arg1) {note = "kept"}
// CHECK: %{{.*}}, %[[U:.*]] = pto.block.dispatch @copy(%[[R]]#1, %arg3) after(%[[T]]) :
// CHECK: %{{.*}}, %{{.*}} = pto.block.dispatch @copy(%arg3, %arg1) after(%[[U]]) :
func.func @results(%x: tensor<4x8xf32> {pto.dir = #pto.dir<out>}, %y: tensor<4x8xf32> {pto.dir = #pto.dir<out>}, %n: index, %z: tensor<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<orchestration>} {
  %r:2 = pto.block.dispatch @both(%x, %n, %y) {note = "kept"} : (tensor<4x8xf32>, index, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %s = pto.block.dispatch @copy(%r#1, %z) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = pto.block.dispatch @copy(%z, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// A task in a loop has no static edges: the entry keeps its order.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: pto.deps = #pto.deps<program_order>
// CHECK-NOT: after
// CHECK-NOT: !pto.task
func.func @loop(%x: tensor<4x8xf32>, %y: tensor<4x8xf32> {pto.dir = #pto.dir<inout>}, %n: index) attributes {pto.kind = #pto.kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = pto.block.dispatch @add(%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  }
  return
}

// Nor has an array that a branch chose.
// CHECK-LABEL: func.func @chosen(
// CHECK-SAME: pto.deps = #pto.deps<program_order>
// CHECK-NOT: after
// CHECK-NOT: !pto.task
func.func @chosen(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x8xf32> {pto.dir = #pto.dir<out>}, %c: i1) attributes {pto.kind = #pto.kind<orchestration>} {
  %w = arith.select %c, %x, %y : tensor<4x8xf32>
  %a = pto.block.dispatch @copy(%w, %z) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// Tokens that the author placed stay.
// CHECK-LABEL: func.func @by_hand(
// CHECK: %{{.*}}, %[[T:.*]] = pto.block.dispatch @copy(%arg0, %arg1) :
// CHECK: %{{.*}} = pto.block.dispatch @copy(%arg0, %arg2) after(%[[T]]) :
func.func @by_hand(%x: tensor<4x8xf32>, %y: tensor<4x8xf32> {pto.dir = #pto.dir<out>}, %z: tensor<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>} {
  %a, %t = pto.block.dispatch @copy(%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, !pto.task
  %b = pto.block.dispatch @copy(%x, %z) after(%t) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
}
