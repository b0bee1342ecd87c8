// RUN: pypto-opt %s | pypto-opt | FileCheck %s
// RUN: pypto-opt %s -mlir-print-op-generic | pypto-opt | FileCheck %s
// Every operation of the family prints as it is written.

// CHECK-LABEL: @elementwise
func.func @elementwise(%a: tensor<64x128xf32>, %v: tensor<64x1xf32>, %s: f32) {
  // CHECK: pto.tensor.add %{{.*}}, %{{.*}} : tensor<64x128xf32>
  %0 = pto.tensor.add %a, %a : tensor<64x128xf32>
  // CHECK: pto.tensor.sub %{{.*}}, %{{.*}} : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  %1 = pto.tensor.sub %a, %v : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  // CHECK: pto.tensor.mul %{{.*}}, %{{.*}} : (tensor<64x128xf32>, f32) -> tensor<64x128xf32>
  %2 = pto.tensor.mul %a, %s : (tensor<64x128xf32>, f32) -> tensor<64x128xf32>
  // CHECK: pto.tensor.div %{{.*}}, %{{.*}} {note = "kept"} : tensor<64x128xf32>
  %3 = pto.tensor.div %a, %a {note = "kept"} : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  // CHECK: pto.tensor.minimum
  %4 = pto.tensor.minimum %a, %a : tensor<64x128xf32>
  // CHECK: pto.tensor.exp %{{.*}} : tensor<64x128xf32>
  %5 = pto.tensor.exp %a : tensor<64x128xf32>
  // CHECK: pto.tensor.sqrt
  %6 = pto.tensor.sqrt %a : tensor<64x128xf32> -> tensor<64x128xf32>
  // CHECK: pto.tensor.neg
  %7 = pto.tensor.neg %a : tensor<64x128xf32>
  // CHECK: pto.tensor.abs
  %8 = pto.tensor.abs %a : tensor<64x128xf32>
  // CHECK: pto.tensor.relu
  %9 = pto.tensor.relu %a : tensor<64x128xf32>
  // CHECK: pto.tensor.cast %{{.*}} {round = #pto.round<rint>} : tensor<64x128xf32> -> tensor<64x128xf16>
  %10 = pto.tensor.cast %a {round = #pto.round<rint>} : tensor<64x128xf32> -> tensor<64x128xf16>
  // CHECK: pto.tensor.full %{{.*}} : f32 -> tensor<64x128xf32>
  %11 = pto.tensor.full %s : f32 -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: @rows_and_products
func.func @rows_and_products(%a: tensor<64x128xf32>, %v: tensor<64x1xf32>, %l: tensor<48x80xf16>, %r: tensor<80x112xf16>, %c: tensor<48x112xf32>) {
  // CHECK: pto.tensor.row_max %{{.*}} : tensor<64x128xf32> -> tensor<64x1xf32>
  %0 = pto.tensor.row_max %a : tensor<64x128xf32> -> tensor<64x1xf32>
  // CHECK: pto.tensor.row_sum
  %1 = pto.tensor.row_sum %a : tensor<64x128xf32> -> tensor<64x1xf32>
  // CHECK: pto.tensor.row_expand_sub %{{.*}}, %{{.*}} : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  %2 = pto.tensor.row_expand_sub %a, %v : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  // CHECK: pto.tensor.row_expand_mul
  %3 = pto.tensor.row_expand_mul %a, %v : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  // CHECK: pto.tensor.row_expand_div
  %4 = pto.tensor.row_expand_div %a, %v : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  // CHECK: pto.tensor.matmul %{{.*}}, %{{.*}} : (tensor<48x80xf16>, tensor<80x112xf16>) -> tensor<48x112xf16>
  %5 = pto.tensor.matmul %l, %r : (tensor<48x80xf16>, tensor<80x112xf16>) -> tensor<48x112xf16>
  // CHECK: pto.tensor.matmul_acc %{{.*}}, %{{.*}}, %{{.*}} : (tensor<48x112xf32>, tensor<48x80xf16>, tensor<80x112xf16>) -> tensor<48x112xf32>
  %6 = pto.tensor.matmul_acc %c, %l, %r : (tensor<48x112xf32>, tensor<48x80xf16>, tensor<80x112xf16>) -> tensor<48x112xf32>
  return
}

// CHECK-LABEL: @arrays
func.func @arrays(%s: tensor<64x128xf32>, %any: tensor<?x?xf32>, %i: index) {
  // CHECK: pto.tensor.create : tensor<128x128xf32>
  %0 = pto.tensor.create : tensor<128x128xf32>
  // CHECK: pto.tensor.assemble %{{.*}} into %{{.*}}[%{{.*}}, 0] {note = 1 : i64} : tensor<64x128xf32> into tensor<128x128xf32>
  %1 = pto.tensor.assemble %s into %0[%i, 0] {note = 1 : i64} : tensor<64x128xf32> into tensor<128x128xf32>
  // How large the array is is not known: the window may lie in it.
  // CHECK: pto.tensor.assemble %{{.*}} into %{{.*}}[8, 0] : tensor<64x128xf32> into tensor<?x?xf32>
  %2 = pto.tensor.assemble %s into %any[8, 0] : tensor<64x128xf32> into tensor<?x?xf32>
  return
}
