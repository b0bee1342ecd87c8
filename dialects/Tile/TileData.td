//===- TileData.td - Tiles: movement and creation ----------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TILE_DATA_TD
#define PTO_TILE_DATA_TD

def TileLoadOp : Pto_TileOp<"load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Pto_InstructionInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy a window of an array in DDR into a tile";
  let description = [{
    Copies the window at `offsets` (elements) of a DDR array into a tile in Vec
    or Mat. The window has the tile's shape, or `valid` rows and columns of it:
    the rest of the tile is then undefined. A window must lie in the array.
    Without a space in its result type, the consumers decide it.

    In buffer form the destination window gives the extents.

    ```mlir
    %t = pto.tile.load %x[0, %j] : tensor<128x128xf32> -> !pto.tile<64x128xf32>
    %u = pto.tile.load %x[0, 0] valid [64, %n] : !pto.gm<64x100xf32> -> !pto.tile<64x104xf32, vec>
    pto.tile.load ins(%x[%i, 0] : !pto.gm<128x128xf32>) outs(%b : !pto.buf<64x128xf32, vec, nd>)
    ```
  }];
  let arguments = (ins Pto_Array:$source, Variadic<Index>:$offsets, Variadic<Index>:$valid,
    Optional<Pto_Buf>:$dst, DenseI64ArrayAttr:$static_offsets,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$static_valid);
  let results = (outs Optional<Pto_Tile>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    /// The valid extents, or nothing for a full tile.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedValid();
  }];
}

def TileStoreOp : Pto_TileOp<"store", [
    DeclareOpInterfaceMethods<Pto_InstructionInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy a tile into a window of an array in DDR";
  let description = [{
    Copies the valid region of a tile (in Vec or Acc) to the window at `offsets`
    of a DDR array of the same element type; an FP32 accumulator may also go to
    FP16 or BF16. On a tensor the result is the array after the write. `atomic_add`
    adds to what is there instead. `relu` (of an accumulator) stores max(x, 0); `phase`
    is that of `pto.tile.matmul`.

    ```mlir
    %o = pto.tile.store %t, %out[0, 0] : !pto.tile<64x128xf32, vec> -> tensor<128x128xf32>
    pto.tile.store %t, %out[0, 0] : !pto.tile<64x128xf32, vec> -> !pto.gm<128x128xf32>
    pto.tile.store ins(%b : !pto.buf<64x128xf32, vec, nd>) outs(%out[%i, 0] : !pto.gm<128x128xf32>)
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Pto_Array:$dest, Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets, UnitAttr:$atomic_add, UnitAttr:$relu,
    OptionalAttr<Pto_PhaseAttr>:$phase);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source, "::mlir::Value":$dest,
                   "::mlir::ValueRange":$offsets, "::llvm::ArrayRef<int64_t>":$static_offsets), [{
      build($_builder, $_state, result, source, dest, offsets,
            $_builder.getDenseI64ArrayAttr(static_offsets), false, false,
            ::mlir::pto::PhaseAttr());
    }]>,
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
  }];
}

def TileMoveOp : Pto_TileComputeOp<"move"> {
  let summary = "copy a tile to another space or buffer";
  let description = [{
    Copies a tile along a path that the chip has: Mat to Left, Right or Bias, Vec
    to Vec; on the Ascend 950 also Vec to Mat, from an AIV to the Mat of its cluster's
    AIC, and Acc to Vec, from the AIC to the Vec of its AIVs: `acc_to_vec` says to
    which (each half of a split goes to the beginning of the destination). The layout
    changes with the space. Elements do not change, but an FP32 accumulator may become
    FP16 or BF16 on its way. `transpose` (to Left and Right) swaps rows and columns.
    `relu` and `phase` are those of `pto.tile.store`.

    ```mlir
    %l = pto.tile.move %m : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16, left>
    pto.tile.move ins(%m : !pto.buf<32x32xf16, mat, nz>) outs(%l : !pto.buf<32x32xf16, left, zz>)
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Optional<Pto_Buf>:$dst, UnitAttr:$transpose,
    OptionalAttr<Pto_AccToVecAttr>:$acc_to_vec, UnitAttr:$relu,
    OptionalAttr<Pto_PhaseAttr>:$phase);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source, "::mlir::Value":$dst), [{
      build($_builder, $_state, result, source, dst, false, ::mlir::pto::AccToVecAttr(), false,
            ::mlir::pto::PhaseAttr());
    }]>,
  ];
  let hasVerifier = 1;
  let pipe = [{ ::mlir::pto::getMovePipe(*this) }];
  let extentRule = [{ ::mlir::pto::ExtentRule::of(0, index == 1 && getTranspose() ? 1 - dim : dim) }];
  let sourceSpace = [{ ::mlir::pto::getTileSpace(getSource().getType()) }];
  let resultSpace = [{ ::mlir::pto::getTileSpace(getResultOrDstType()) }];
}

def TileFullOp : Pto_TileComputeOp<"full", [MovesBits]> {
  let summary = "a tile of one value";
  let description = [{
    ```mlir
    %z = pto.tile.full %c : f32 -> !pto.tile<64x128xf32, vec>
    pto.tile.full ins(%c : f32) outs(%b : !pto.buf<64x128xf32, vec, nd>)
    ```
  }];
  let arguments = (ins Pto_Scalar:$value, Optional<Pto_Buf>:$dst);
  let hasVerifier = 1;
}

def TileSetValidShapeOp : Pto_TileOp<"set_validshape", [Pure,
    AllTypesMatch<["source", "result"]>]> {
  let summary = "say how many rows and columns of a tile are valid";
  let description = [{
    The same tile with `valid` rows and columns. Reading the tile outside its
    valid region is an error, so an extent only ever shrinks what was written.
    `pto-materialize-valid-extents` states with it the extent of every tile that
    a loop carries or a branch selects.

    ```mlir
    %u = pto.tile.set_validshape %t [%rows, 100] : !pto.tile<64x104xf32>
    ```
  }];
  let arguments = (ins Pto_Tile:$source, Variadic<Index>:$valid, DenseI64ArrayAttr:$static_valid);
  let results = (outs Pto_Tile:$result);
  let assemblyFormat = [{
    $source custom<DynamicIndexList>($valid, $static_valid) attr-dict `:` qualified(type($source))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedValid();
  }];
}

#endif // PTO_TILE_DATA_TD
