// RUN: pypto-opt %s -verify-diagnostics -split-input-file
// Every rule of the family.

func.func @result_shape(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{pl.exp: makes [8, 8] FP32, found [8, 4] FP32}}
  %0 = pto.tensor.exp %a : tensor<8x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @result_element(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{pl.add: makes [8, 8] FP32, found [8, 8] FP16}}
  %0 = pto.tensor.add %a, %a : tensor<8x8xf32> -> tensor<8x8xf16>
  return
}

// -----

func.func @elements(%a: tensor<8x8xf32>, %b: tensor<8x8xf16>) {
  // expected-error @+1 {{pl.add: operands have different element types, [8, 8] FP32 and [8, 8] FP16; convert one with pl.cast}}
  %0 = pto.tensor.add %a, %b : (tensor<8x8xf32>, tensor<8x8xf16>) -> tensor<8x8xf32>
  return
}

// -----

func.func @scalar_element(%a: tensor<8x8xf32>, %s: index) {
  // expected-error @+1 {{pl.mul: operands have different element types, [8, 8] FP32 and INDEX; convert one with pl.cast}}
  %0 = pto.tensor.mul %a, %s : (tensor<8x8xf32>, index) -> tensor<8x8xf32>
  return
}

// -----

func.func @shapes(%a: tensor<8x8xf32>, %b: tensor<2x8xf32>) {
  // expected-error @+1 {{pl.sub: operands have different shapes, [8, 8] FP32 and [2, 8] FP32; the second may also hold one value a row, [M, 1], one a column, [1, N], or one in all, [1, 1]}}
  %0 = pto.tensor.sub %a, %b : (tensor<8x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @column_reduction(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{pl.col_sum: makes [1, 8] FP32, found [8, 1] FP32}}
  %0 = pto.tensor.col_sum %a : tensor<8x8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @column_reduction_rank(%a: tensor<2x8x8xf32>) {
  // expected-error @+1 {{pl.col_max: reduces the columns of an [M, N] array, found [2, 8, 8] FP32}}
  %0 = pto.tensor.col_max %a : tensor<2x8x8xf32> -> tensor<1x8xf32>
  return
}

// -----

func.func @column_values(%a: tensor<8x8xf32>, %b: tensor<8x1xf32>) {
  // expected-error @+1 {{pl.col_expand_sub: takes [M, N] and one value a column, [1, N]; found [8, 8] FP32 and [8, 1] FP32}}
  %0 = pto.tensor.col_expand_sub %a, %b : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @column_of_other_rows(%a: tensor<8x8xf32>, %b: tensor<4x1xf32>) {
  // expected-error @+1 {{pl.div: operands have different shapes, [8, 8] FP32 and [4, 1] FP32}}
  %0 = pto.tensor.div %a, %b : (tensor<8x8xf32>, tensor<4x1xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @operand(%s: f32) {
  // expected-error @+1 {{operand #0 must be ranked tensor of any type values, but got 'f32'}}
  %0 = pto.tensor.exp %s : f32 -> tensor<8x8xf32>
  return
}

// -----

func.func @operand_count(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{expected 2 operands, but found 3}}
  %0 = pto.tensor.add %a, %a, %a : tensor<8x8xf32>
  return
}

// -----

func.func @no_operands() {
  // expected-error @+1 {{expected 2 operands, but found 0}}
  %0 = pto.tensor.add : tensor<8x8xf32>
  return
}

// -----

func.func @type_count(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{number of operands and types do not match: got 2 operands and 1 types}}
  %0 = pto.tensor.add %a, %a : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @no_rank(%a: tensor<*xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of any type values, but got 'tensor<*xf32>'}}
  %0 = pto.tensor.row_max %a : tensor<*xf32>
  return
}

// -----

func.func @reduce_rank(%a: tensor<8xf32>) {
  // expected-error @+1 {{pl.row_max: reduces the rows of an [M, N] array, found [8] FP32}}
  %0 = pto.tensor.row_max %a : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @reduce_result(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{pl.row_sum: makes [8, 1] FP32, found [8, 8] FP32}}
  %0 = pto.tensor.row_sum %a : tensor<8x8xf32>
  return
}

// -----

func.func @expand_elements(%a: tensor<8x8xf32>, %v: tensor<8x1xf16>) {
  // expected-error @+1 {{pl.row_expand_sub: operands have different element types, [8, 8] FP32 and [8, 1] FP16}}
  %0 = pto.tensor.row_expand_sub %a, %v : (tensor<8x8xf32>, tensor<8x1xf16>) -> tensor<8x8xf32>
  return
}

// -----

func.func @expand_shape(%a: tensor<8x8xf32>, %v: tensor<4x1xf32>) {
  // expected-error @+1 {{pl.row_expand_mul: takes [M, N] and one value a row, [M, 1]; found [8, 8] FP32 and [4, 1] FP32}}
  %0 = pto.tensor.row_expand_mul %a, %v : (tensor<8x8xf32>, tensor<4x1xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @expand_rank(%a: tensor<8xf32>, %v: tensor<8x1xf32>) {
  // expected-error @+1 {{pl.row_expand_mul: takes [M, N] and one value a row, [M, 1]; found [8] FP32 and [8, 1] FP32}}
  %0 = pto.tensor.row_expand_mul %a, %v : (tensor<8xf32>, tensor<8x1xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @expand_result(%a: tensor<8x8xf32>, %v: tensor<8x1xf32>) {
  // expected-error @+1 {{pl.row_expand_div: makes [8, 8] FP32, found [8, 1] FP32}}
  %0 = pto.tensor.row_expand_div %a, %v : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
  return
}

// -----

func.func @cast_to_itself(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{pl.cast: converts FP32 to itself}}
  %0 = pto.tensor.cast %a {round = #pto.round<rint>} : tensor<8x8xf32>
  return
}

// -----

func.func @cast_shape(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{pl.cast: makes [8, 8] FP16, found [8, 4] FP16}}
  %0 = pto.tensor.cast %a {round = #pto.round<rint>} : tensor<8x8xf32> -> tensor<8x4xf16>
  return
}

// -----

func.func @cast_without_rounding(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{requires attribute 'round'}}
  %0 = pto.tensor.cast %a : tensor<8x8xf32> -> tensor<8x8xf16>
  return
}

// -----

func.func @cast_unknown_rounding(%a: tensor<8x8xf32>) {
  // expected-error @+2 {{expected ::mlir::pto::RoundMode to be one of: none, rint, round, floor, ceil, trunc, odd}}
  // expected-error @+1 {{failed to parse Pto_RoundModeAttr parameter 'value'}}
  %0 = pto.tensor.cast %a {round = #pto.round<up>} : tensor<8x8xf32> -> tensor<8x8xf16>
  return
}

// -----

func.func @full_element(%s: i32) {
  // expected-error @+1 {{pl.full: makes an array of its value's type, INT32, found FP32}}
  %0 = pto.tensor.full %s : i32 -> tensor<8x8xf32>
  return
}

// -----

func.func @full_value(%s: vector<4xf32>) {
  // expected-error @+1 {{operand #0 must be scalar, but got 'vector<4xf32>'}}
  %0 = pto.tensor.full %s : vector<4xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @product_elements(%a: tensor<8x8xf16>, %b: tensor<8x8xbf16>) {
  // expected-error @+1 {{pl.matmul: operands have different element types, [8, 8] FP16 and [8, 8] BF16}}
  %0 = pto.tensor.matmul %a, %b : (tensor<8x8xf16>, tensor<8x8xbf16>) -> tensor<8x8xf32>
  return
}

// -----

func.func @product_rank(%a: tensor<2x8x8xf16>, %b: tensor<8x8xf16>) {
  // expected-error @+1 {{pl.matmul: multiplies [M, K] by [K, N], found [2, 8, 8] FP16 and [8, 8] FP16}}
  %0 = pto.tensor.matmul %a, %b : (tensor<2x8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf32>
  return
}

// -----

func.func @product_k(%a: tensor<8x8xf16>, %b: tensor<4x8xf16>) {
  // expected-error @+1 {{pl.matmul: the left operand has 8 columns and the right one 4 rows: [8, 8] FP16 and [4, 8] FP16}}
  %0 = pto.tensor.matmul %a, %b : (tensor<8x8xf16>, tensor<4x8xf16>) -> tensor<8x8xf32>
  return
}

// -----

func.func @product_type(%a: tensor<8x8xi32>) {
  // expected-error @+1 {{pl.matmul: multiplies FP16, BF16, FP32 or INT8 operands, found [8, 8] INT32; convert both with pl.cast}}
  %0 = pto.tensor.matmul %a, %a : tensor<8x8xi32>
  return
}

// -----

func.func @product_of_bytes(%a: tensor<8x8xi8>) {
  // expected-error @+1 {{pl.matmul: makes INT32, found INT8}}
  %0 = pto.tensor.matmul %a, %a : tensor<8x8xi8>
  return
}

// -----

func.func @product_turned(%a: tensor<8x4xf16>, %b: tensor<16x4xf16>) {
  // expected-error @+1 {{pl.matmul: the left operand has 8 rows, taken as columns, and the right one 4 columns, taken as rows: [8, 4] FP16 and [16, 4] FP16}}
  %0 = pto.tensor.matmul %a, %b {a_trans, b_trans} : (tensor<8x4xf16>, tensor<16x4xf16>) -> tensor<4x16xf32>
  return
}

// -----

func.func @product_made(%a: tensor<8x8xf16>) {
  // expected-error @+1 {{pl.matmul: makes FP32 or FP16, found BF16}}
  %0 = pto.tensor.matmul %a, %a : tensor<8x8xf16> -> tensor<8x8xbf16>
  return
}

// -----

func.func @product_shape(%a: tensor<8x16xf16>, %b: tensor<16x4xf16>) {
  // expected-error @+1 {{pl.matmul: makes [8, 4] FP32, found [8, 8] FP32}}
  %0 = pto.tensor.matmul %a, %b : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x8xf32>
  return
}

// -----

func.func @accumulator_type(%c: tensor<8x8xf16>) {
  // expected-error @+1 {{pl.matmul_acc: the accumulator is FP32 of the product's shape, found [8, 8] FP16 for [8, 8] FP16}}
  %0 = pto.tensor.matmul_acc %c, %c, %c : tensor<8x8xf16>
  return
}

// -----

func.func @accumulator_shape(%c: tensor<8x4xf32>, %a: tensor<8x8xf16>) {
  // expected-error @+1 {{pl.matmul_acc: the accumulator is FP32 of the product's shape, found [8, 4] FP32 for [8, 8] FP32}}
  %0 = pto.tensor.matmul_acc %c, %a, %a : (tensor<8x4xf32>, tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf32>
  return
}

// -----

func.func @accumulator_product(%c: tensor<8x8xi16>) {
  // expected-error @+1 {{pl.matmul_acc: multiplies FP16, BF16, FP32 or INT8 operands}}
  %0 = pto.tensor.matmul_acc %c, %c, %c : tensor<8x8xi16>
  return
}

// -----

func.func @assemble_elements(%s: tensor<8x8xf16>, %t: tensor<8x8xf32>) {
  // expected-error @+1 {{pl.assemble: operands have different element types, [8, 8] FP16 and [8, 8] FP32}}
  %0 = pto.tensor.assemble %s into %t[0, 0] : tensor<8x8xf16> into tensor<8x8xf32>
  return
}

// -----

func.func @assemble_rank(%s: tensor<1x8x8xf32>, %t: tensor<8x8xf32>) {
  // expected-error @+1 {{pl.assemble: writes [1, 8, 8] FP32 into [8, 8] FP32 at 2 offsets; it has as many as the array has dimensions}}
  %0 = pto.tensor.assemble %s into %t[0, 0] : tensor<1x8x8xf32> into tensor<8x8xf32>
  return
}

// -----

func.func @assemble_offsets(%s: tensor<8x8xf32>) {
  // expected-error @+1 {{pl.assemble: writes [8, 8] FP32 into [8, 8] FP32 at 1 offsets; it has as many as the array has dimensions}}
  %0 = pto.tensor.assemble %s into %s[0] : tensor<8x8xf32> into tensor<8x8xf32>
  return
}

// -----

func.func @assemble_beyond(%s: tensor<8x8xf32>, %t: tensor<16x8xf32>) {
  // expected-error @+1 {{pl.assemble: the window reaches beyond the array [16, 8] FP32: in dimension 0 it covers 9 to 16 of 0 to 15}}
  %0 = pto.tensor.assemble %s into %t[9, 0] : tensor<8x8xf32> into tensor<16x8xf32>
  return
}

// -----

func.func @assemble_far_beyond(%s: tensor<8x8xf32>, %t: tensor<16x8xf32>) {
  // expected-error @+1 {{in dimension 0 it covers 9223372036854775807 to 9223372036854775814 of 0 to 15}}
  %0 = pto.tensor.assemble %s into %t[9223372036854775807, 0] : tensor<8x8xf32> into tensor<16x8xf32>
  return
}

// -----

func.func @assemble_negative(%s: tensor<8x8xf32>) {
  // expected-error @+1 {{pl.assemble: offset -1 in dimension 1 is negative; the array is [8, 8] FP32}}
  %0 = pto.tensor.assemble %s into %s[0, -1] : tensor<8x8xf32> into tensor<8x8xf32>
  return
}

// -----

func.func @assemble_too_wide(%s: tensor<8x8xf32>, %t: tensor<8x4xf32>, %i: index) {
  // expected-error @+1 {{in dimension 1 it covers 0 to 7 of 0 to 3}}
  %0 = pto.tensor.assemble %s into %t[0, %i] : tensor<8x8xf32> into tensor<8x4xf32>
  return
}

// -----

func.func @assemble_missing_value(%s: tensor<8x8xf32>) {
  // expected-error @+1 {{has 0 values for 1 offsets that are not static}}
  %0 = "pto.tensor.assemble"(%s, %s) <{static_offsets = array<i64: -9223372036854775808, 0>}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @assemble_result(%s: tensor<8x8xf32>) {
  // expected-error @+1 {{failed to verify that all of {target, result} have same type}}
  %0 = "pto.tensor.assemble"(%s, %s) <{static_offsets = array<i64: 0, 0>}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @create_dynamic() {
  // expected-error @+1 {{pl.create_tensor: a new array has a static shape, found [?, 8] FP32}}
  %0 = pto.tensor.create : tensor<?x8xf32>
  return
}
