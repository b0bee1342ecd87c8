// RUN: pypto-opt %s | pypto-opt | FileCheck %s
// RUN: pypto-opt --mlir-print-op-generic %s | pypto-opt | FileCheck %s

// CHECK-LABEL: func.func @kernel(
func.func @kernel(%x: tensor<64x64xf32> {pto.dir = #pto.dir<in>}, %o: tensor<64x64xf32> {pto.dir = #pto.dir<out>}) -> tensor<64x64xf32> attributes {pto.kind = #pto.kind<in_core>} {
  return %o : tensor<64x64xf32>
}
// CHECK-LABEL: func.func @column(
func.func @column(%x: tensor<64x64xf32, #pto.pitch<128>> {pto.dir = #pto.dir<in>}, %o: tensor<64x64xf32> {pto.dir = #pto.dir<out>}) -> tensor<64x64xf32> attributes {pto.kind = #pto.kind<in_core>} {
  return %o : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @tasks
func.func @tasks(%x: tensor<64x64xf32>, %o: tensor<64x64xf32>, %flags: tensor<8xi32>, %n: index, %i: index) attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<run_time>} {
  // CHECK: %[[NONE:.*]] = pto.block.task_invalid
  %none = pto.block.task_invalid
  // CHECK: %{{.*}}, %[[T:.*]] = pto.block.dispatch @kernel(%{{.*}}, %{{.*}}) blocks(%{{.*}}) after(%[[NONE]]) when(%{{.*}}[%{{.*}}] gt 5 : tensor<8xi32>) {manual, no_dep = array<i64: 1>, sync_start} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>, !pto.task
  %a, %t = pto.block.dispatch @kernel(%x, %o) blocks(%n) after(%none) when(%flags[%i] gt 5 : tensor<8xi32>) {manual, no_dep = array<i64: 1>, sync_start} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>, !pto.task
  // CHECK: pto.block.task_dummy after(%[[T]], %[[NONE]])
  %all = pto.block.task_dummy after(%t, %none)
  // CHECK: pto.block.task_dummy{{$}}
  %free = pto.block.task_dummy
  // CHECK: %{{.*}}, %{{.*}} = pto.block.at core_group blocks(%{{.*}}) after(%{{.*}}) no_dep(%{{.*}} : tensor<64x64xf32>) -> (tensor<64x64xf32>), !pto.task {
  %b, %t1 = pto.block.at core_group blocks(%n) after(%all) no_dep(%x : tensor<64x64xf32>) -> (tensor<64x64xf32>), !pto.task {
    pto.block.yield %o : tensor<64x64xf32>
  }
  // CHECK: pto.block.at core_group -> !pto.task {
  %t2 = pto.block.at core_group -> !pto.task {
    pto.block.yield
  }
  // CHECK: pto.block.at host role orchestrator attributes {manual} {
  pto.block.at host role orchestrator attributes {manual} {
    pto.block.yield
  }
  // CHECK: pto.block.cluster after(%{{.*}}) -> (tensor<64x64xf32>) attributes {name_hint = "both"} {
  %c = pto.block.cluster after(%t2) -> (tensor<64x64xf32>) attributes {name_hint = "both"} {
    %d = pto.block.dispatch @kernel(%x, %o) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    pto.block.yield %d : tensor<64x64xf32>
  }
  return
}

// CHECK-LABEL: func.func @arrays
func.func @arrays(%i: index, %t: !pto.task) -> !pto.task {
  // CHECK: pto.block.array_create : !pto.array<4 x !pto.task>
  %a = pto.block.array_create : !pto.array<4 x !pto.task>
  // CHECK: pto.block.array_set %{{.*}} into %{{.*}}[%{{.*}}] : !pto.array<4 x !pto.task>
  %b = pto.block.array_set %t into %a[%i] : !pto.array<4 x !pto.task>
  // CHECK: pto.block.array_get %{{.*}}[%{{.*}}] : !pto.array<4 x !pto.task>
  %c = pto.block.array_get %b[%i] : !pto.array<4 x !pto.task>
  return %c : !pto.task
}

// CHECK-LABEL: func.func @slices
func.func @slices(%x: tensor<512x128xf32>, %y: tensor<8x64x64xf32>, %o: tensor<64x64xf32>, %i: index) -> f32 attributes {pto.kind = #pto.kind<orchestration>} {
  // CHECK: pto.tensor.slice %{{.*}}[%{{.*}}, 0] [64, 128] : tensor<512x128xf32> -> tensor<64x128xf32>
  %rows = pto.tensor.slice %x[%i, 0] [64, 128] : tensor<512x128xf32> -> tensor<64x128xf32>
  // CHECK: pto.tensor.slice %{{.*}}[0, 64] [64, 64] : tensor<64x128xf32> -> tensor<64x64xf32, #pto.pitch<128>>
  %columns = pto.tensor.slice %rows[0, 64] [64, 64] : tensor<64x128xf32> -> tensor<64x64xf32, #pto.pitch<128>>
  // CHECK: pto.tensor.slice %{{.*}}[3, 0] [1, 64] : {{.*}} -> tensor<64xf32>
  %row = pto.tensor.slice %columns[3, 0] [1, 64] : tensor<64x64xf32, #pto.pitch<128>> -> tensor<64xf32>
  // CHECK: pto.tensor.slice %{{.*}}[%{{.*}}, 0, 0] [1, 64, 64] : tensor<8x64x64xf32> -> tensor<64x64xf32>
  %m = pto.tensor.slice %y[%i, 0, 0] [1, 64, 64] : tensor<8x64x64xf32> -> tensor<64x64xf32>
  %d = pto.block.dispatch @column(%columns, %o) : (tensor<64x64xf32, #pto.pitch<128>>, tensor<64x64xf32>) -> tensor<64x64xf32>
  // CHECK: pto.tensor.read %{{.*}}[%{{.*}}, 7] : tensor<512x128xf32>
  %e = pto.tensor.read %x[%i, 7] : tensor<512x128xf32>
  return %e : f32
}

// CHECK-LABEL: func.func @pitch
// CHECK-SAME: !pto.gm<64x64xf32, pitch<128>>
func.func @pitch(%x: !pto.gm<64x64xf32, pitch<128>>) {
  return
}
