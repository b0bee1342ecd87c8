//===- TensorRows.td - Arrays: reductions and broadcasts -------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TENSOR_ROWS_TD
#define PTO_TENSOR_ROWS_TD

class Pto_TensorRowReduceOp<string mnemonic, string words>
    : Pto_TensorComputeOp<mnemonic, [TensorRowReduce]> {
  let summary = words # " of each row";
  let description = [{
    `[M, N]` to `[M, 1]`.

    ```mlir
    %r = pto.tensor.}] # mnemonic # [{ %a : tensor<64x128xf32> -> tensor<64x1xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
}

def TensorRowMaxOp : Pto_TensorRowReduceOp<"row_max", "maximum">;
def TensorRowSumOp : Pto_TensorRowReduceOp<"row_sum", "sum">;
def TensorRowMinOp : Pto_TensorRowReduceOp<"row_min", "minimum">;

class Pto_TensorColReduceOp<string mnemonic, string words>
    : Pto_TensorComputeOp<mnemonic, [TensorColReduce]> {
  let summary = words # " of each column";
  let description = [{
    `[M, N]` to `[1, N]`.

    ```mlir
    %r = pto.tensor.}] # mnemonic # [{ %a : tensor<64x128xf32> -> tensor<1x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
}

def TensorColMaxOp : Pto_TensorColReduceOp<"col_max", "maximum">;
def TensorColMinOp : Pto_TensorColReduceOp<"col_min", "minimum">;
def TensorColSumOp : Pto_TensorColReduceOp<"col_sum", "sum">;
def TensorColProdOp : Pto_TensorColReduceOp<"col_prod", "product">;

class Pto_TensorColExpandOp<string mnemonic, string words>
    : Pto_TensorComputeOp<mnemonic, [TensorColExpand]> {
  let summary = words # " of each column with its own value";
  let description = [{
    ```mlir
    %r = pto.tensor.}] # mnemonic # [{ %a, %v : (tensor<64x128xf32>, tensor<1x128xf32>) -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
}

def TensorColExpandAddOp : Pto_TensorColExpandOp<"col_expand_add", "sum">;
def TensorColExpandSubOp : Pto_TensorColExpandOp<"col_expand_sub", "difference">;
def TensorColExpandMulOp : Pto_TensorColExpandOp<"col_expand_mul", "product">;
def TensorColExpandDivOp : Pto_TensorColExpandOp<"col_expand_div", "quotient">;
def TensorColExpandMaxOp : Pto_TensorColExpandOp<"col_expand_max", "larger value">;
def TensorColExpandMinOp : Pto_TensorColExpandOp<"col_expand_min", "smaller value">;
def TensorColExpandExpdifOp : Pto_TensorColExpandOp<"col_expand_expdif", "e to the power of the difference">;

class Pto_TensorRowExpandOp<string mnemonic, string words>
    : Pto_TensorComputeOp<mnemonic, [TensorRowExpand]> {
  let summary = words # " of each row with its own value";
  let description = [{
    ```mlir
    %r = pto.tensor.}] # mnemonic # [{ %a, %v : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
}

def TensorRowExpandAddOp : Pto_TensorRowExpandOp<"row_expand_add", "sum">;
def TensorRowExpandMaxOp : Pto_TensorRowExpandOp<"row_expand_max", "larger value">;
def TensorRowExpandMinOp : Pto_TensorRowExpandOp<"row_expand_min", "smaller value">;
def TensorRowExpandExpdifOp : Pto_TensorRowExpandOp<"row_expand_expdif", "e to the power of the difference">;
def TensorRowExpandSubOp : Pto_TensorRowExpandOp<"row_expand_sub", "difference">;
def TensorRowExpandMulOp : Pto_TensorRowExpandOp<"row_expand_mul", "product">;
def TensorRowExpandDivOp : Pto_TensorRowExpandOp<"row_expand_div", "quotient">;

#endif // PTO_TENSOR_ROWS_TD
