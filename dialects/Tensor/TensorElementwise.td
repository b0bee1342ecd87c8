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

def TensorRemOp : Pto_TensorBinaryOp<"rem", "rest of a division, with the divisor's sign">;
def TensorFmodOp : Pto_TensorBinaryOp<"fmod", "rest of a division, with the dividend's sign">;
def TensorPreluOp : Pto_TensorBinaryOp<"prelu", "x where it is positive, else x times the second source">;
def TensorLreluOp : Pto_TensorBinaryOp<"lrelu", "x where it is positive, else x times a scalar">;
def TensorAndOp : Pto_TensorBinaryOp<"and", "bits set in both">;
def TensorOrOp : Pto_TensorBinaryOp<"or", "bits set in either">;
def TensorXorOp : Pto_TensorBinaryOp<"xor", "bits set in one only">;
def TensorShlOp : Pto_TensorBinaryOp<"shl", "bits moved up by the second source">;
def TensorShrOp : Pto_TensorBinaryOp<"shr", "bits moved down; signed types keep the sign">;

def TensorNotOp : Pto_TensorUnaryOp<"not", "bits turned">;
def TensorLogOp : Pto_TensorUnaryOp<"log", "natural logarithm">;
def TensorRecipOp : Pto_TensorUnaryOp<"recip", "one divided by it">;
def TensorSinOp : Pto_TensorUnaryOp<"sin", "sine">;
def TensorCosOp : Pto_TensorUnaryOp<"cos", "cosine">;

def TensorCmpOp : Pto_TensorComputeOp<"cmp", [Broadcasting]> {
  let summary = "1 where the elements compare so, else 0";
  let description = [{
    ```mlir
    %r = pto.tensor.cmp %a, %b {mode = #pto.compare<lt>} : tensor<64x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, Pto_TensorOrScalar:$rhs, Pto_CompareAttr:$mode);
}

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
