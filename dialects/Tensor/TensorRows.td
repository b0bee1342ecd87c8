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

def TensorRowExpandSubOp : Pto_TensorRowExpandOp<"row_expand_sub", "difference">;
def TensorRowExpandMulOp : Pto_TensorRowExpandOp<"row_expand_mul", "product">;
def TensorRowExpandDivOp : Pto_TensorRowExpandOp<"row_expand_div", "quotient">;

#endif // PTO_TENSOR_ROWS_TD
