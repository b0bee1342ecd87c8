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
// CHECK: %[[B:.*]], %[[TB:.*]] = pto.block.dispatch @copy(%[[A]], %{{.*}}) after(%[[TA]]) {{.*}} :
// CHECK: %[[C:.*]], %[[TC:.*]] = pto.block.dispatch @copy(%[[A]], %{{.*}}) after(%[[TA]]) {{.*}} :
// CHECK: %[[D:.*]], %[[TD:.*]] = pto.block.dispatch @add(%{{.*}}, %[[A]]) after(%[[TB]], %[[TC]]) {pto.edges = ["[4, 8] FP32 (written over)", "[4, 8] FP32 (written over)"]} :
// CHECK: %[[E:.*]], %[[TE:.*]] = pto.block.dispatch @copy(%[[D]], %[[B]]) after(%[[TD]]) {{.*}} :
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
// CHECK: %{{.*}}, %[[T1:.*]] = pto.block.dispatch @copy(%arg1, %arg2) after(%[[T0]]) {{.*}} :
// CHECK: %{{.*}}, %[[T2:.*]] = pto.block.dispatch @copy(%arg0, %arg1) after(%[[T1]]) {{.*}} :
// CHECK: %{{.*}}, %[[T3:.*]] = pto.block.dispatch @copy(%arg0, %arg1) after(%[[T2]]) {{.*}} :
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
// CHECK: %{{.*}}, %[[U:.*]] = pto.block.dispatch @copy(%[[R]]#1, %arg3) after(%[[T]]) {{.*}} :
// CHECK: %{{.*}}, %{{.*}} = pto.block.dispatch @copy(%arg3, %arg1) after(%[[U]]) {{.*}} :
func.func @results(%x: tensor<4x8xf32> {pto.dir = #pto.dir<out>}, %y: tensor<4x8xf32> {pto.dir = #pto.dir<out>}, %n: index, %z: tensor<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<orchestration>} {
  %r:2 = pto.block.dispatch @both(%x, %n, %y) {note = "kept"} : (tensor<4x8xf32>, index, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %s = pto.block.dispatch @copy(%r#1, %z) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = pto.block.dispatch @copy(%z, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// A task in a loop has no static edges: whoever runs the entry finds them.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: pto.deps = #pto.deps<run_time>
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
// CHECK-SAME: pto.deps = #pto.deps<run_time>
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
func.func private @rows(%x: !pto.gm<4x8xf32> {pto.dir = #pto.dir<inout>}) attributes {pto.kind = #pto.kind<aiv>}
func.func private @columns(%x: !pto.gm<16x8xf32, pitch<32>> {pto.dir = #pto.dir<inout>}) attributes {pto.kind = #pto.kind<aiv>}
func.func private @few(%x: !pto.gm<4x4xf32, pitch<64>> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<aiv>}
func.func private @all(%x: !pto.gm<16x32xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<aiv>}

// Windows, not arrays: disjoint rows have no edge, nor have disjoint columns.
// CHECK-LABEL: func.func @disjoint(
// CHECK-SAME: pto.deps = #pto.deps<explicit>
// CHECK: %{{.*}}, %[[R0:.*]] = pto.block.dispatch @copy(%{{.*}}, %{{.*}}) :
// CHECK: %{{.*}}, %[[R1:.*]] = pto.block.dispatch @copy(%{{.*}}, %{{.*}}) :
// CHECK: %{{.*}}, %[[C0:.*]] = pto.block.dispatch @columns(%{{.*}}) :
// CHECK: %{{.*}}, %[[C1:.*]] = pto.block.dispatch @columns(%{{.*}}) :
// CHECK: %{{.*}}, %[[C2:.*]] = pto.block.dispatch @columns(%{{.*}}) after(%[[C0]], %[[C1]]) {pto.edges = ["y", "y"]} :
// CHECK: %{{.*}} = pto.block.dispatch @all(%arg1) after(%[[C2]]) {pto.edges = ["y"]} :
func.func @disjoint(%x: tensor<16x8xf32> {pto.dir = #pto.dir<inout>}, %y: tensor<16x32xf32> {pto.dir = #pto.dir<inout>} loc("y")) attributes {pto.kind = #pto.kind<orchestration>} {
  %a = pto.tensor.slice %x[0, 0] [4, 8] : tensor<16x8xf32> -> tensor<4x8xf32>
  %b = pto.tensor.slice %x[4, 0] [4, 8] : tensor<16x8xf32> -> tensor<4x8xf32>
  %c = pto.tensor.slice %x[8, 0] [4, 8] : tensor<16x8xf32> -> tensor<4x8xf32>
  %r0 = pto.block.dispatch @copy(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %r1 = pto.block.dispatch @copy(%a, %c) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %left = pto.tensor.slice %y[0, 0] [16, 8] : tensor<16x32xf32> -> tensor<16x8xf32, #pto.pitch<32>>
  %right = pto.tensor.slice %y[0, 8] [16, 8] : tensor<16x32xf32> -> tensor<16x8xf32, #pto.pitch<32>>
  %between = pto.tensor.slice %y[0, 7] [16, 8] : tensor<16x32xf32> -> tensor<16x8xf32, #pto.pitch<32>>
  %c0 = pto.block.dispatch @columns(%left) : (tensor<16x8xf32, #pto.pitch<32>>) -> tensor<16x8xf32, #pto.pitch<32>>
  %c1 = pto.block.dispatch @columns(%right) : (tensor<16x8xf32, #pto.pitch<32>>) -> tensor<16x8xf32, #pto.pitch<32>>
  %c2 = pto.block.dispatch @columns(%between) : (tensor<16x8xf32, #pto.pitch<32>>) -> tensor<16x8xf32, #pto.pitch<32>>
  pto.block.dispatch @all(%y) : (tensor<16x32xf32>) -> ()
  return
}

// A window of a window; a result names the window that its task was given; one element
// in common is enough.
// CHECK-LABEL: func.func @nested(
// CHECK: %[[R:.*]], %[[T0:.*]] = pto.block.dispatch @rows(%{{.*}}) :
// CHECK: %{{.*}}, %[[T1:.*]] = pto.block.dispatch @rows(%[[R]]) after(%[[T0]])
// CHECK: %{{.*}}, %[[T2:.*]] = pto.block.dispatch @rows(%{{.*}}) after(%[[T1]])
// CHECK: %{{.*}}, %[[T3:.*]] = pto.block.dispatch @columns(%{{.*}}) :
// CHECK: %{{.*}} = pto.block.dispatch @few(%{{.*}}) :
// CHECK: %{{.*}} = pto.block.dispatch @one(%{{.*}}) :
// CHECK: %{{.*}} = pto.block.dispatch @one(%{{.*}}) after(%[[T3]])
func.func @nested(%x: tensor<2x8x8xf32> {pto.dir = #pto.dir<inout>}, %y: tensor<16x32xf32> {pto.dir = #pto.dir<inout>}, %z: tensor<8x64xf32> {pto.dir = #pto.dir<inout>}) attributes {pto.kind = #pto.kind<orchestration>} {
  %m = pto.tensor.slice %x[1, 0, 0] [1, 8, 8] : tensor<2x8x8xf32> -> tensor<8x8xf32>
  %a = pto.tensor.slice %m[0, 0] [4, 8] : tensor<8x8xf32> -> tensor<4x8xf32>
  %b = pto.tensor.slice %m[3, 0] [4, 8] : tensor<8x8xf32> -> tensor<4x8xf32>
  %r0 = pto.block.dispatch @rows(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %r1 = pto.block.dispatch @rows(%r0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %r2 = pto.block.dispatch @rows(%b) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %right = pto.tensor.slice %y[0, 24] [16, 8] : tensor<16x32xf32> -> tensor<16x8xf32, #pto.pitch<32>>
  %c = pto.block.dispatch @columns(%right) : (tensor<16x8xf32, #pto.pitch<32>>) -> tensor<16x8xf32, #pto.pitch<32>>
  %far = pto.tensor.slice %z[0, 24] [4, 4] : tensor<8x64xf32> -> tensor<4x4xf32, #pto.pitch<64>>
  pto.block.dispatch @few(%far) : (tensor<4x4xf32, #pto.pitch<64>>) -> ()
  %before = pto.tensor.slice %y[15, 23] [1, 1] : tensor<16x32xf32> -> tensor<1x1xf32>
  pto.block.dispatch @one(%before) : (tensor<1x1xf32>) -> ()
  %last = pto.tensor.slice %y[15, 31] [1, 1] : tensor<16x32xf32> -> tensor<1x1xf32>
  pto.block.dispatch @one(%last) : (tensor<1x1xf32>) -> ()
  return
}
func.func private @one(%x: !pto.gm<1x1xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<aiv>}

// The author's tokens stay, and lead as far as derived ones: through tasks that do
// nothing, and small arrays. `manual` tasks and `no_dep` arguments take no part.
// CHECK-LABEL: func.func @mixed(
// CHECK-SAME: pto.deps = #pto.deps<explicit>
// CHECK: %{{.*}}, %[[T0:.*]] = pto.block.dispatch @rows(%arg0) :
// CHECK: %[[D:.*]] = pto.block.task_dummy after(%[[T0]])
// CHECK: %{{.*}}, %[[T1:.*]] = pto.block.dispatch @rows(%arg0) after(%[[D]]) :
// CHECK: %{{.*}}, %[[T2:.*]] = pto.block.dispatch @rows(%arg0) {manual} :
// CHECK: %{{.*}}, %[[T3:.*]] = pto.block.dispatch @copy(%arg1, %arg0) {no_dep = array<i64: 1>} :
// CHECK: %[[SET:.*]] = pto.block.array_set %[[T1]]
// CHECK: %[[GOT:.*]] = pto.block.array_get
// CHECK: %{{.*}}, %[[T4:.*]] = pto.block.dispatch @copy(%arg0, %arg2) after(%[[GOT]]) :
// CHECK: %{{.*}}, %[[T5:.*]] = pto.block.dispatch @copy(%arg0, %arg2) after(%[[T2]], %[[T4]]) {pto.edges = ["", "[4, 8] FP32 (written over)"]} :
func.func @mixed(%x: tensor<4x8xf32> {pto.dir = #pto.dir<inout>}, %y: tensor<4x8xf32>, %z: tensor<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<orchestration>} {
  %a0, %t0 = pto.block.dispatch @rows(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>, !pto.task
  %d = pto.block.task_dummy after(%t0)
  %a1, %t1 = pto.block.dispatch @rows(%x) after(%d) : (tensor<4x8xf32>) -> tensor<4x8xf32>, !pto.task
  %a2, %t2 = pto.block.dispatch @rows(%x) {manual} : (tensor<4x8xf32>) -> tensor<4x8xf32>, !pto.task
  %a3 = pto.block.dispatch @copy(%y, %x) {no_dep = array<i64: 1>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %list = pto.block.array_create : !pto.array<2 x !pto.task>
  %one = pto.block.array_set %t1 into %list[%c0] : !pto.array<2 x !pto.task>
  %two = pto.block.array_set %t2 into %one[%c1] : !pto.array<2 x !pto.task>
  %got = pto.block.array_get %two[%c0] : !pto.array<2 x !pto.task>
  %a4 = pto.block.dispatch @copy(%x, %z) after(%got) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %a5 = pto.block.dispatch @copy(%x, %z) after(%t2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

func.func private @count(%x: !pto.gm<4xi32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>}

// A condition reads its element. Blocks and marks stay.
// CHECK-LABEL: func.func @condition(
// CHECK: %{{.*}}, %[[C:.*]] = pto.block.dispatch @count(%arg1) :
// CHECK: pto.block.dispatch @rows(%arg0) blocks(%{{.*}}) after(%[[C]]) when(%arg1[%{{.*}}] gt 5 : tensor<4xi32>) {early_resolve, pto.edges = ["[4] INT32"], sync_start} :
func.func @condition(%x: tensor<4x8xf32> {pto.dir = #pto.dir<inout>}, %n: tensor<4xi32> {pto.dir = #pto.dir<out>}, %i: index) attributes {pto.kind = #pto.kind<orchestration>} {
  %c = pto.block.dispatch @count(%n) : (tensor<4xi32>) -> tensor<4xi32>
  %a = pto.block.dispatch @rows(%x) blocks(%i) when(%n[%i] gt 5 : tensor<4xi32>) {sync_start, early_resolve} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// Tasks that take no part may stand in loops: tokens say all of their order.
// CHECK-LABEL: func.func @manual_loop(
// CHECK-SAME: pto.deps = #pto.deps<explicit>
// CHECK: scf.for
// CHECK: pto.block.dispatch @rows(%{{.*}}) after(%{{.*}}) {manual} : (tensor<4x8xf32>) -> tensor<4x8xf32>, !pto.task
func.func @manual_loop(%x: tensor<4x8xf32> {pto.dir = #pto.dir<inout>}, %n: index) attributes {pto.kind = #pto.kind<orchestration>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = pto.block.task_invalid
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> !pto.task {
    %a, %u = pto.block.dispatch @rows(%x) after(%t) {manual} : (tensor<4x8xf32>) -> tensor<4x8xf32>, !pto.task
    scf.yield %u : !pto.task
  }
  return
}

// An offset that is known at run time only.
// CHECK-LABEL: func.func @where(
// CHECK-SAME: pto.deps = #pto.deps<run_time>
// CHECK-NOT: after
func.func @where(%x: tensor<16x8xf32> {pto.dir = #pto.dir<inout>}, %i: index) attributes {pto.kind = #pto.kind<orchestration>} {
  %a = pto.tensor.slice %x[%i, 0] [4, 8] : tensor<16x8xf32> -> tensor<4x8xf32>
  %r = pto.block.dispatch @rows(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = pto.block.dispatch @rows(%r) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// What is placed on another level is run by nobody here: nobody looks at its order.
// CHECK-LABEL: func.func @host(
// CHECK-SAME: pto.deps = #pto.deps<program_order>
// CHECK-NOT: after
func.func @host(%x: tensor<4x8xf32> {pto.dir = #pto.dir<inout>}) attributes {pto.kind = #pto.kind<orchestration>} {
  pto.block.at host role orchestrator {
    pto.block.yield
  }
  %r = pto.block.dispatch @rows(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = pto.block.dispatch @rows(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
}
