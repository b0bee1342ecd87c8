//===- TensorMatmul.td - Arrays: matrix products ---------------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TENSOR_MATMUL_TD
#define PTO_TENSOR_MATMUL_TD

def TensorMatmulOp : Pto_TensorComputeOp<"matmul"> {
  let summary = "matrix product";
  let description = [{
    `[M, K]` times `[K, N]`, accumulated in FP32, or in INT32 where the sources are
    INT8; the result may be of that type or, of FP16 and BF16, of the sources'. With
    `a_trans` the left source is stored as `[K, M]`, with `b_trans` the right one as
    `[N, K]`.

    ```mlir
    %c = pto.tensor.matmul %a, %b : (tensor<48x80xf16>, tensor<80x112xf16>) -> tensor<48x112xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, UnitAttr:$a_trans,
    UnitAttr:$b_trans);
  let hasVerifier = 1;
}

def TensorMatmulAccOp : Pto_TensorComputeOp<"matmul_acc"> {
  let summary = "matrix product added to an array";
  let description = [{
    ```mlir
    %d = pto.tensor.matmul_acc %c, %a, %b : (tensor<48x112xf32>, tensor<48x80xf16>, tensor<80x112xf16>) -> tensor<48x112xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$acc, AnyRankedTensor:$lhs, AnyRankedTensor:$rhs,
    UnitAttr:$a_trans, UnitAttr:$b_trans);
  let hasVerifier = 1;
}

#endif // PTO_TENSOR_MATMUL_TD
