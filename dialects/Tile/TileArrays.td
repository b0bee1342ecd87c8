//===- TileArrays.td - Tiles: arrays as a kernel sees them -------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Views of arrays in DDR: what an author makes of a pointer. They move nothing.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TILE_ARRAYS_TD
#define PTO_TILE_ARRAYS_TD

def TileMakePtrOp : Pto_TileOp<"make_ptr", [Pure]> {
  let summary = "a pointer into an array, perhaps to other elements";
  let description = [{
    The memory of `source` (a pointer) from element `offset` on, as elements of
    the result's type, as many as fit the rest.

    ```mlir
    %q = pto.tile.make_ptr %p[%n] : !pto.gm<?xi8> -> !pto.gm<?xf16>
    %r = pto.tile.make_ptr %p[64] : !pto.gm<?xf16> -> !pto.gm<?xf16>
    ```
  }];
  let arguments = (ins Pto_Gm:$source, Variadic<Index>:$offset, DenseI64ArrayAttr:$static_offset);
  let results = (outs Pto_Gm:$result);
  let assemblyFormat = [{
    $source custom<DynamicIndexList>($offset, $static_offset) attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::OpFoldResult getMixedOffset();
  }];
}

def TileMakeTensorOp : Pto_TileOp<"make_tensor", [Pure, AttrSizedOperandSegments]> {
  let summary = "an array of any shape and strides at a pointer";
  let description = [{
    `strides` are elements between neighbours in each dimension. Every element must
    lie in the pointer's memory when it is touched; the array as a whole need not.
    The result's type has the static ones of the extents.

    ```mlir
    %x = pto.tile.make_tensor %p shape [%m, 128] strides [128, 1] : !pto.gm<?xf16> -> !pto.gm<?x128xf16, pitch<?>>
    ```
  }];
  let arguments = (ins Pto_Gm:$source, Variadic<Index>:$shape, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_shape, DenseI64ArrayAttr:$static_strides);
  let results = (outs Pto_Gm:$result);
  let assemblyFormat = [{
    $source `shape` custom<DynamicIndexList>($shape, $static_shape)
    `strides` custom<DynamicIndexList>($strides, $static_strides) attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedShape();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides();
  }];
}

def TilePlaneOp : Pto_TileOp<"plane", [Pure]> {
  let summary = "two dimensions of an array, at given places of the others";
  let description = [{
    `axes` are the dimensions that stay, as rows and columns of the result; columns
    before rows transpose. `offsets` are the places in the other dimensions, in their
    order, and must lie in the array. The source is made by `pto.tile.make_tensor`.

    ```mlir
    %h = pto.tile.plane %x[%b, %n] axes [1, 3] : !pto.gm<2x?x4x128xf16, pitch<?>> -> !pto.gm<?x128xf16, pitch<?>>
    ```
  }];
  let arguments = (ins Pto_Gm:$source, Variadic<Index>:$offsets, DenseI64ArrayAttr:$static_offsets,
    DenseI64ArrayAttr:$axes);
  let results = (outs Pto_Gm:$result);
  let assemblyFormat = [{
    $source custom<DynamicIndexList>($offsets, $static_offsets) `axes` custom<BareNumbers>($axes)
    attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
  }];
}

def TileViewOp : Pto_TileOp<"view", [Pure]> {
  let summary = "an array with other extents, in the same memory";
  let description = [{
    All elements of `source`, whose rows follow one another, as an array of the result's
    extents, and perhaps of other elements of as many bytes in all. An extent that is not
    known follows from the others.

    ```mlir
    %v = pto.tile.view %x : !pto.gm<8x64x128xf32> -> !pto.gm<512x128xf32>
    ```
  }];
  let arguments = (ins Pto_Gm:$source);
  let results = (outs Pto_Gm:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TileDimOp : Pto_TileOp<"dim", [Pure]> {
  let summary = "an extent of an array, known at run time";
  let description = [{
    ```mlir
    %m = pto.tile.dim %x, 0 : !pto.gm<?x128xf32>
    ```
  }];
  let arguments = (ins Pto_Gm:$source, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$source `,` $dim attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

def TileIsNullOp : Pto_TileOp<"is_null", [Pure]> {
  let summary = "whether the host gave nothing for a pointer";
  let description = [{
    ```mlir
    %none = pto.tile.is_null %p : !pto.gm<?xf16>
    ```
  }];
  let arguments = (ins Pto_Gm:$source);
  let results = (outs I1:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source))";
}

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

class Pto_TileElementOp<string mnemonic> : Pto_TileOp<mnemonic, [
    DeclareOpInterfaceMethods<Pto_InstructionInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let hasVerifier = 1;
}

def TileGetValueOp : Pto_TileElementOp<"get_value"> {
  let summary = "one element, read by the scalar unit";
  let description = [{
    Pipe S reads an element of a tile in Vec, or of an array in DDR.

    ```mlir
    %u = pto.tile.get_value %t[%i, 0] : !pto.tile<64x128xf32> -> f32
    %v = pto.tile.get_value %b[%i, 0] : !pto.buf<64x128xf32, vec, nd>
    %n = pto.tile.get_value %lengths[%i] : !pto.gm<?xi64>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Pto_Tile, Pto_Buf, Pto_Gm]>:$source, Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets);
  let results = (outs Pto_Scalar:$result);
  let assemblyFormat = [{
    $source custom<DynamicIndexList>($offsets, $static_offsets) attr-dict
    `:` qualified(type($source)) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
  }];
}

def TileSetValueOp : Pto_TileElementOp<"set_value"> {
  let summary = "one element, written by the scalar unit";
  let description = [{
    Pipe S writes an element of a buffer in Vec, or of an array in DDR. In DDR it
    reaches the core's data cache only; `pto.block.dcci` writes that out.

    ```mlir
    pto.tile.set_value %v, %b[%i, 0] : f32, !pto.buf<64x128xf32, vec, nd>
    ```
  }];
  let arguments = (ins Pto_Scalar:$value, AnyTypeOf<[Pto_Buf, Pto_Gm]>:$dest,
    Variadic<Index>:$offsets, DenseI64ArrayAttr:$static_offsets);
  let assemblyFormat = [{
    $value `,` $dest custom<DynamicIndexList>($offsets, $static_offsets) attr-dict
    `:` type($value) `,` qualified(type($dest))
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
  }];
}

#endif // PTO_TILE_ARRAYS_TD
