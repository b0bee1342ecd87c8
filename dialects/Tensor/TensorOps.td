//===- TensorOps.td - The tensor family --------------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Whole arrays in DDR. Everything but `create`, `slice` and `read`, which the control
// plane has, stands in in-core code, where
// pto-convert-tensor-to-tile-ops turns it into loads, tile operations and
// stores. An operation has the name, sources and attributes of its tile
// counterpart; `pto.tensor.add` becomes `pto.tile.add`.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TENSOR_OPS_TD
#define PTO_TENSOR_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "Pto/PtoTypes.td"

class Pto_TensorOp<string mnemonic, list<Trait> traits = []>
    : Pto_Op<"tensor." # mnemonic, !listconcat([TensorLevel], traits)> {
  let cppNamespace = "::mlir::pto";
}

// The rules of the classes below.
def Broadcasting : NativeOpTrait<"Broadcasting"> { let cppNamespace = "::mlir::pto"; }
def SameTensors : NativeOpTrait<"SameTensors"> { let cppNamespace = "::mlir::pto"; }
def TensorRowReduce : NativeOpTrait<"TensorRowReduce"> { let cppNamespace = "::mlir::pto"; }
def TensorRowExpand : NativeOpTrait<"TensorRowExpand"> { let cppNamespace = "::mlir::pto"; }

// Sources (tensors or scalars) and one result; the same assembly for all.
class Pto_TensorComputeOp<string mnemonic, list<Trait> traits = []>
    : Pto_TensorOp<mnemonic, !listconcat([Pure], traits)> {
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &result) {
      return ::mlir::pto::parseValueCompute(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::mlir::pto::printValueCompute(*this, printer);
    }
  }];
}

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

def TensorFullOp : Pto_TensorComputeOp<"full"> {
  let summary = "an array of one value";
  let description = [{
    ```mlir
    %z = pto.tensor.full %c : f32 -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Pto_Scalar:$value);
  let hasVerifier = 1;
}

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

def TensorMatmulOp : Pto_TensorComputeOp<"matmul"> {
  let summary = "matrix product";
  let description = [{
    `[M, K]` times `[K, N]`, accumulated in FP32; the result may be FP32 or the
    sources' type.

    ```mlir
    %c = pto.tensor.matmul %a, %b : (tensor<48x80xf16>, tensor<80x112xf16>) -> tensor<48x112xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let hasVerifier = 1;
}

def TensorMatmulAccOp : Pto_TensorComputeOp<"matmul_acc"> {
  let summary = "matrix product added to an array";
  let description = [{
    ```mlir
    %d = pto.tensor.matmul_acc %c, %a, %b : (tensor<48x112xf32>, tensor<48x80xf16>, tensor<80x112xf16>) -> tensor<48x112xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$acc, AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let hasVerifier = 1;
}

def TensorAssembleOp : Pto_TensorOp<"assemble", [Pure,
    AllTypesMatch<["target", "result"]>]> {
  let summary = "write an array into a window of another";
  let description = [{
    The array `target` with `source` at `offsets`; `out[:] = expr` is the whole
    of it. The result names the same memory as `target`.

    ```mlir
    %o = pto.tensor.assemble %e into %out[0, 0] : tensor<64x128xf32> into tensor<128x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$target, Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `into` $target `` custom<DynamicIndexList>($offsets, $static_offsets) attr-dict
    `:` type($source) `into` type($target)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
  }];
}

def TensorCreateOp : Pto_TensorOp<"create", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a new array in DDR";
  let description = [{
    On the control plane only. Its bytes are undefined until a kernel writes
    them.

    ```mlir
    %t = pto.tensor.create : tensor<128x128xf32>
    ```
  }];
  let arguments = (ins);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TensorSliceOp : Pto_TensorOp<"slice", [Pure]> {
  let summary = "a window of an array, by reference";
  let description = [{
    On the control plane only, to give it to a kernel or a host. The result names
    `sizes` elements of the array at `offsets`, in its memory; leading dimensions of
    size 1 may be left out of the result's type. A window whose rows do not follow one
    another has a `#pto.pitch`.

    ```mlir
    %w = pto.tensor.slice %x[%i, 0] [64, 128] : tensor<512x128xf32> -> tensor<64x128xf32>
    %c = pto.tensor.slice %x[0, %j] [512, 64] : tensor<512x128xf32> -> tensor<512x64xf32, #pto.pitch<128>>
    %m = pto.tensor.slice %y[%b, 0, 0] [1, 64, 64] : tensor<8x64x64xf32> -> tensor<64x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($offsets, $static_offsets) $sizes attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    /// The type of such a window; null when the window is not one of rows at equal
    /// distance.
    static ::mlir::RankedTensorType inferType(::mlir::RankedTensorType source,
                                              ::llvm::ArrayRef<int64_t> sizes, int64_t rank);
  }];
}

def TensorReadOp : Pto_TensorOp<"read", [MemoryEffects<[MemRead]>,
    TypesMatchWith<"result has the array's element type", "source", "result",
                   "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "an element of an array, read by the control plane";
  let description = [{
    The control plane waits until the tasks are done that write the array.

    ```mlir
    %n = pto.tensor.read %counts[%i, 0] : tensor<4x8xi32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($offsets, $static_offsets) attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
  }];
}

#endif // PTO_TENSOR_OPS_TD
