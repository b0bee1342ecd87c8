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
    of it. The result names the same memory as `target`. A source of fewer dimensions has
    one element in the first ones of the target. `atomic_add` adds to what is there.

    ```mlir
    %o = pto.tensor.assemble %e into %out[0, 0] : tensor<64x128xf32> into tensor<128x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$target, Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets, UnitAttr:$atomic_add);
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

//===----------------------------------------------------------------------===//
// Parts of arrays on a core
//===----------------------------------------------------------------------===//

def TensorWindowOp : Pto_TensorOp<"window", [Pure]> {
  let summary = "a window of an array, as a value";
  let description = [{
    What a core reads of an array at `offsets`; dimensions of the window with one element
    may be left out of the result's type.

    ```mlir
    %w = pto.tensor.window %x[%i, 0] [16, 64] : tensor<512x128xf32> -> tensor<16x64xf32>
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
  }];
}

def TensorElementOp : Pto_TensorOp<"element", [MemoryEffects<[MemRead]>,
    TypesMatchWith<"result has the array's element type", "source", "result",
                   "::mlir::pto::getScalarType(::llvm::cast<::mlir::RankedTensorType>($_self).getElementType())">]> {
  let summary = "an element of an array, read by a core";
  let description = [{
    ```mlir
    %n = pto.tensor.element %counts[%i, 0] : tensor<4x8xi32>
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

def TensorWriteOp : Pto_TensorOp<"write", [Pure, AllTypesMatch<["target", "result"]>]> {
  let summary = "an array with one element changed by a core";
  let description = [{
    The result names the same memory as `target`.

    ```mlir
    %o = pto.tensor.write %v into %out[%i, 0] : f32 into tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Pto_Scalar:$value, AnyRankedTensor:$target, Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value `into` $target `` custom<DynamicIndexList>($offsets, $static_offsets) attr-dict
    `:` type($value) `into` type($target)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
  }];
}

def TensorViewOp : Pto_TensorOp<"view", [Pure]> {
  let summary = "an array with other extents, in the same memory";
  let description = [{
    ```mlir
    %v = pto.tensor.view %x : tensor<8x64x128xf32> -> tensor<512x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TensorDimOp : Pto_TensorOp<"dim", [Pure]> {
  let summary = "an extent of an array, known at run time";
  let description = [{
    ```mlir
    %m = pto.tensor.dim %x, 0 : tensor<?x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$source `,` $dim attr-dict `:` type($source)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Other shapes, creation
//===----------------------------------------------------------------------===//

def TensorReshapeOp : Pto_TensorComputeOp<"reshape"> {
  let summary = "the elements of an array with other extents";
  let description = [{
    With another element type the bytes are read anew.

    ```mlir
    %u = pto.tensor.reshape %t : tensor<64x20xf32> -> tensor<20x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let hasVerifier = 1;
}

def TensorTransposeOp : Pto_TensorComputeOp<"transpose"> {
  let summary = "an array with two dimensions exchanged";
  let description = [{
    ```mlir
    %u = pto.tensor.transpose %t {axis1 = 0 : i64, axis2 = 1 : i64} : tensor<64x20xf32> -> tensor<20x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$axis1, I64Attr:$axis2);
  let hasVerifier = 1;
}

def TensorConcatOp : Pto_TensorComputeOp<"concat"> {
  let summary = "two arrays side by side";
  let description = [{
    ```mlir
    %u = pto.tensor.concat %a, %b : (tensor<64x20xf32>, tensor<64x12xf32>) -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let hasVerifier = 1;
}

def TensorFillpadOp : Pto_TensorComputeOp<"fillpad"> {
  let summary = "an array in the first corner of a larger one, with a value around it";
  let description = [{
    ```mlir
    %u = pto.tensor.fillpad %t, %c : (tensor<60x20xf32>, f32) -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Pto_Scalar:$value);
  let hasVerifier = 1;
}

def TensorCiOp : Pto_TensorComputeOp<"ci"> {
  let summary = "a row of consecutive numbers";
  let description = [{
    ```mlir
    %u = pto.tensor.ci %c : i32 -> tensor<1x64xi32>
    ```
  }];
  let arguments = (ins Pto_Scalar:$start, UnitAttr:$descending);
  let hasVerifier = 1;
}

def TensorRandomOp : Pto_TensorComputeOp<"random"> {
  let summary = "random numbers";
  let description = [{
    Those of `pto.tile.random`.

    ```mlir
    %u = pto.tensor.random %k0, %k1, %c0, %c1, %c2, %c3 {rounds = 10 : i64} : (i32, i32, i32, i32, i32, i32) -> tensor<64x64xui32>
    ```
  }];
  let arguments = (ins I32:$key0, I32:$key1, I32:$counter0, I32:$counter1, I32:$counter2,
    I32:$counter3, I64Attr:$rounds);
  let hasVerifier = 1;
}

#endif // PTO_TENSOR_DATA_TD
