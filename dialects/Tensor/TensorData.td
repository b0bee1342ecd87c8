//===- TensorData.td - Arrays: creation, movement, elements ----------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TENSOR_DATA_TD
#define PTO_TENSOR_DATA_TD

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
                   "::mlir::pto::getScalarType(::llvm::cast<::mlir::RankedTensorType>($_self).getElementType())">]> {
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

#endif // PTO_TENSOR_DATA_TD
