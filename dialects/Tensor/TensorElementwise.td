//===- TensorElementwise.td - Arrays: element by element -------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TENSOR_ELEMENTWISE_TD
#define PTO_TENSOR_ELEMENTWISE_TD

class Pto_TensorBinaryOp<string mnemonic, string words>
    : Pto_TensorComputeOp<mnemonic, [Broadcasting]> {
  let summary = words # ", element by element";
  let description = [{
    The second source has the shape of the first, or is `[M, 1]` beside `[M, N]`
    (each row meets its own value), or a scalar of the element type.

    ```mlir
    %r = pto.tensor.}] # mnemonic # [{ %a, %b : tensor<128x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, Pto_TensorOrScalar:$rhs);
}

class Pto_TensorUnaryOp<string mnemonic, string words>
    : Pto_TensorComputeOp<mnemonic, [SameTensors]> {
  let summary = words # ", element by element";
  let description = [{
    ```mlir
    %r = pto.tensor.}] # mnemonic # [{ %a : tensor<128x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
}

def TensorAddOp : Pto_TensorBinaryOp<"add", "sum">;
def TensorSubOp : Pto_TensorBinaryOp<"sub", "difference">;
def TensorMulOp : Pto_TensorBinaryOp<"mul", "product">;
def TensorDivOp : Pto_TensorBinaryOp<"div", "quotient">;
def TensorMaximumOp : Pto_TensorBinaryOp<"maximum", "larger value (NaN if either is)">;
def TensorMinimumOp : Pto_TensorBinaryOp<"minimum", "smaller value (NaN if either is)">;

def TensorExpOp : Pto_TensorUnaryOp<"exp", "e to the power of it">;
def TensorSqrtOp : Pto_TensorUnaryOp<"sqrt", "square root">;
def TensorRsqrtOp : Pto_TensorUnaryOp<"rsqrt", "one divided by the square root">;
def TensorNegOp : Pto_TensorUnaryOp<"neg", "negative">;
def TensorAbsOp : Pto_TensorUnaryOp<"abs", "absolute value">;
def TensorReluOp : Pto_TensorUnaryOp<"relu", "max(x, 0)">;

def TensorCastOp : Pto_TensorComputeOp<"cast"> {
  let summary = "another element type";
  let description = [{
    ```mlir
    %r = pto.tensor.cast %a {round = #pto.round<rint>} : tensor<64x128xf32> -> tensor<64x128xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Pto_RoundModeAttr:$round);
  let hasVerifier = 1;
}

#endif // PTO_TENSOR_ELEMENTWISE_TD
