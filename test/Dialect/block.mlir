// RUN: pypto-opt %s | pypto-opt | FileCheck %s
// RUN: pypto-opt %s -mlir-print-op-generic | pypto-opt | FileCheck %s
// Every operation of the family prints as it is written.

// CHECK-LABEL: @placement
func.func @placement(%a: tensor<8x8xf32>, %s: f32) -> tensor<8x8xf32> attributes {pto.kind = #pto.kind<orchestration>} {
  // CHECK: %[[R:.*]] = pto.block.at core_group -> (tensor<8x8xf32>) attributes {name_hint = "square"} {
  // CHECK: pto.block.yield %{{.*}} : tensor<8x8xf32>
  %0 = pto.block.at core_group -> (tensor<8x8xf32>) attributes {name_hint = "square"} {
    %2 = pto.tensor.mul %a, %a : tensor<8x8xf32>
    pto.block.yield %2 : tensor<8x8xf32>
  }
  // CHECK: pto.block.at chip_die {
  // CHECK-NEXT: pto.block.yield
  pto.block.at chip_die {
    pto.block.yield
  }
  // CHECK: %[[D:.*]], %[[T:.*]] = pto.block.dispatch @kernel(%[[R]], %{{.*}}, %{{.*}}) : (tensor<8x8xf32>, tensor<8x8xf32>, f32) -> tensor<8x8xf32>, !pto.task
  %d, %t = pto.block.dispatch @kernel(%0, %a, %s) : (tensor<8x8xf32>, tensor<8x8xf32>, f32) -> tensor<8x8xf32>, !pto.task
  // CHECK: pto.block.dispatch @kernel(%[[D]], %{{.*}}, %{{.*}}) after(%[[T]], %[[T]]) {note} : (tensor<8x8xf32>, tensor<8x8xf32>, f32) -> tensor<8x8xf32>
  %e = pto.block.dispatch @kernel(%d, %a, %s) after(%t, %t) {note} : (tensor<8x8xf32>, tensor<8x8xf32>, f32) -> tensor<8x8xf32>
  // CHECK: pto.block.dispatch @nothing() : () -> ()
  pto.block.dispatch @nothing() : () -> ()
  return %e : tensor<8x8xf32>
}

func.func private @kernel(!pto.gm<8x8xf32>, !pto.gm<8x8xf32> {pto.dir = #pto.dir<out>}, f32) attributes {pto.kind = #pto.kind<aiv>}
func.func private @nothing() attributes {pto.kind = #pto.kind<group>}

// CHECK-LABEL: @mixed
func.func @mixed() attributes {pto.kind = #pto.kind<group>} {
  // CHECK: pto.block.section aic {
  pto.block.section aic {
    // CHECK: pto.block.cross_core_set fix, 3 {mode = 2 : i64}
    pto.block.cross_core_set fix, 3 {mode = 2 : i64}
  }
  // CHECK: pto.block.section aiv attributes {note} {
  pto.block.section aiv attributes {note} {
    // CHECK: pto.block.cross_core_wait 3 {mode = 2 : i64}
    pto.block.cross_core_wait 3 {mode = 2 : i64}
  }
  return
}

// CHECK-LABEL: @order
func.func @order(%f: f32) {
  // CHECK: %[[I:.*]] = pto.block.get_block_idx
  %0 = pto.block.get_block_idx
  // CHECK: %[[N:.*]] = pto.block.get_block_num {note}
  %1 = pto.block.get_block_num {note}
  // CHECK: %[[S:.*]] = pto.block.get_subblock_idx
  %2 = pto.block.get_subblock_idx
  // CHECK: pto.block.set_flag mte2 -> v, 0 {pto.reason = "why"}
  pto.block.set_flag mte2 -> v, 0 {pto.reason = "why"}
  // CHECK: pto.block.wait_flag mte2 -> v, 0
  pto.block.wait_flag mte2 -> v, 0
  // CHECK: pto.block.set_flag s -> mte1, %[[I]]
  pto.block.set_flag s -> mte1, %0
  // CHECK: pto.block.wait_flag s -> mte1, %[[I]] {note}
  pto.block.wait_flag s -> mte1, %0 {note}
  // CHECK: pto.block.barrier v
  pto.block.barrier v
  // CHECK: pto.block.barrier all {note}
  pto.block.barrier all {note}
  // CHECK: pto.block.print "100 %% of %d and %u: %f\0A"(%[[S]], %[[N]], %{{.*}}) : index, index, f32
  pto.block.print "100 %% of %d and %u: %f\0A"(%2, %1, %f) : index, index, f32
  // CHECK: pto.block.print "here"
  pto.block.print "here"
  return
}
