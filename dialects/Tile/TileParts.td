//===- TileParts.td - Tiles: parts, other shapes, creation --------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Parts of tiles are values; pto-bufferize-tiles makes moves between windows of them.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TILE_PARTS_TD
#define PTO_TILE_PARTS_TD

// It has a value form only.
def ValueFormOnly : NativeOpTrait<"ValueFormOnly"> { let cppNamespace = "::mlir::pto"; }

def TileCreateOp : Pto_TileOp<"create", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a tile whose elements nobody has written";
  let description = [{
    ```mlir
    %t = pto.tile.create : !pto.tile<64x128xf32, vec>
    ```
  }];
  let arguments = (ins);
  let results = (outs Pto_Tile:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def TileSliceOp : Pto_TileComputeOp<"slice", [ValueFormOnly, MovesBits]> {
  let summary = "a window of a tile, as a tile";
  let description = [{
    The elements from `row`, `col` on. `rows` and `cols` are the most that is valid of
    them; fewer are where the source's valid region ends before. A tile in Mat is cut on
    its way to Left, Right or Mat, at whole fractals. Elements in Vec may lie anywhere.

    ```mlir
    %s = pto.tile.slice %t, %r, %c, %n, %m : (!pto.tile<64x128xf32>, index, index, index, index) -> !pto.tile<16x64xf32>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Index:$row, Index:$col, Index:$rows, Index:$cols,
    Optional<Pto_Buf>:$dst);
  let hasVerifier = 1;
  let pipe = [{ getResultSpace() == ::mlir::pto::MemorySpace::Vec ? ::mlir::pto::Pipe::V
                                                                  : ::mlir::pto::Pipe::MTE1 }];
  let sourceSpace = [{ ::mlir::pto::getSlicedSpace(getTileSpace(getResultOrDstType())) }];
  let resultSpace = [{ getTileSpace(getResultOrDstType())
                           .value_or(::mlir::pto::MemorySpace::Vec) }];
  let extentRule = [{ index == 5   ? ::mlir::pto::ExtentRule::byOperand(3 + dim)
                      : index == 0 ? ::mlir::pto::ExtentRule::of(0, dim)
                                   : ::mlir::pto::ExtentRule::exactly(1) }];
}

def TileAssembleOp : Pto_TileComputeOp<"assemble", [UpdatesFirst, ValueFormOnly, MovesBits]> {
  let summary = "a tile with another one written into it";
  let description = [{
    `target` with the valid region of `source` from `row`, `col` on.

    ```mlir
    %u = pto.tile.assemble %t, %s, %r, %c : (!pto.tile<64x128xf32>, !pto.tile<16x64xf32>, index, index) -> !pto.tile<64x128xf32>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$target, Pto_TileOrBuf:$source, Index:$row, Index:$col,
    Optional<Pto_Buf>:$dst);
  let hasVerifier = 1;
  let extentRule = [{ ::mlir::pto::ExtentRule::of(index == 1 ? 1 : 0, dim) }];
}

def TileConcatOp : Pto_TileComputeOp<"concat", [ValueFormOnly, MovesBits]> {
  let summary = "two tiles side by side";
  let description = [{
    The columns of `lhs`, all of them valid, then those of `rhs`.

    ```mlir
    %u = pto.tile.concat %a, %b : (!pto.tile<64x32xf32>, !pto.tile<64x16xf32>) -> !pto.tile<64x48xf32>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$lhs, Pto_TileOrBuf:$rhs, Optional<Pto_Buf>:$dst);
  let hasVerifier = 1;
  let extentRule = [{
    dim == 0 ? ::mlir::pto::ExtentRule::of(0, 0)
             : ::mlir::pto::ExtentRule::exactly(::mlir::pto::getShapeOf(
                   index == 2 ? getResultOrDstType() : getOperand(index).getType())[1]) }];
}

def TileWriteOp : Pto_TileComputeOp<"write", [UpdatesFirst, ValueFormOnly, MovesBits]> {
  let summary = "a tile with one element changed by the scalar unit";
  let description = [{
    ```mlir
    %u = pto.tile.write %t, %v, %r, %c : (!pto.tile<64x128xf32>, f32, index, index) -> !pto.tile<64x128xf32>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$target, Pto_Scalar:$value, Index:$row, Index:$col,
    Optional<Pto_Buf>:$dst);
  let hasVerifier = 1;
  let pipe = [{ ::mlir::pto::Pipe::S }];
}

def TileReshapeOp : Pto_TileComputeOp<"reshape", [NotInPlace, MovesBits]> {
  let summary = "the elements of a tile in rows of another length";
  let description = [{
    The valid elements of `source`, row by row, as a tile of the result's extents, of which
    `valid` rows and columns are filled if it is given. With another element type the bytes
    are read anew. One instruction where both follow row on row without a gap.

    ```mlir
    %u = pto.tile.reshape %t : !pto.tile<64x128xf32> -> !pto.tile<128x64xf32>
    %v = pto.tile.reshape %t : !pto.tile<64x128xf32> -> !pto.tile<64x128xi32>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Optional<Pto_Buf>:$dst,
    OptionalAttr<DenseI64ArrayAttr>:$valid);
  let hasVerifier = 1;
  let extentRule = [{
    index == 0  ? ::mlir::pto::ExtentRule::of(0, dim)
    : getValid() ? ::mlir::pto::ExtentRule::exactly((*getValid())[dim])
                 : ::mlir::pto::ExtentRule::exactly(
                       ::mlir::pto::getShapeOf(getResultOrDstType())[dim]) }];
}

def TileTransposeOp : Pto_TileComputeOp<"transpose", [NotInPlace, MovesBits]> {
  let summary = "a tile with rows and columns exchanged";
  let description = [{
    ```mlir
    %u = pto.tile.transpose %t : !pto.tile<64x128xf32> -> !pto.tile<128x64xf32>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Optional<Pto_Buf>:$dst);
  let hasVerifier = 1;
  let extentRule = [{ ::mlir::pto::ExtentRule::of(0, index == 0 ? dim : 1 - dim) }];
}

def TileTransposeViewOp : Pto_TileComputeOp<"transpose_view", [ValueFormOnly, MovesBits]> {
  let summary = "a tile in Mat, read with rows and columns exchanged";
  let description = [{
    Moving it to Left or Right moves the source, transposed on the way.

    ```mlir
    %u = pto.tile.transpose_view %t : !pto.tile<64x128xf16, mat> -> !pto.tile<128x64xf16, mat>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Optional<Pto_Buf>:$dst);
  let hasVerifier = 1;
  let pipe = [{ ::mlir::pto::Pipe::MTE1 }];
  let sourceSpace = [{ ::mlir::pto::MemorySpace::Mat }];
  let resultSpace = [{ ::mlir::pto::MemorySpace::Mat }];
  let extentRule = [{ ::mlir::pto::ExtentRule::of(0, index == 0 ? dim : 1 - dim) }];
}

def TileFillpadOp : Pto_TileComputeOp<"fillpad", [NotInPlace, MovesBits]> {
  let summary = "a tile whose invalid elements have a value";
  let description = [{
    The valid region of `source`, and `value` in all other elements of the result, which
    may be larger: all of it is valid.

    ```mlir
    %u = pto.tile.fillpad %t, %c : (!pto.tile<64x128xf32>, f32) -> !pto.tile<64x128xf32>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Pto_Scalar:$value, Optional<Pto_Buf>:$dst);
  let hasVerifier = 1;
  let extentRule = [{ index == 0 ? ::mlir::pto::ExtentRule::of(0, dim)
                                 : ::mlir::pto::ExtentRule::exactly(
                                       ::mlir::pto::getShapeOf(getResultOrDstType())[dim]) }];
}

def TileCiOp : Pto_TileComputeOp<"ci", [MovesBits]> {
  let summary = "a row of consecutive numbers";
  let description = [{
    `start`, `start + 1`, ..., or `start - 1`, ... if it is `descending`, in the first row.

    ```mlir
    %u = pto.tile.ci %c : i32 -> !pto.tile<1x64xi32>
    ```
  }];
  let arguments = (ins Pto_Scalar:$start, Optional<Pto_Buf>:$dst, UnitAttr:$descending);
  let hasVerifier = 1;
}

def TileTriOp : Pto_TileComputeOp<"tri", [MovesBits]> {
  let summary = "ones in a triangle, zeros elsewhere";
  let description = [{
    Element `[r, c]` is one where `c <= r + diagonal`; with `upper` where
    `c >= r + diagonal`.

    ```mlir
    %u = pto.tile.tri %d : index -> !pto.tile<64x64xf32>
    ```
  }];
  let arguments = (ins Index:$diagonal, Optional<Pto_Buf>:$dst, UnitAttr:$upper);
  let hasVerifier = 1;
}

def TileRandomOp : Pto_TileComputeOp<"random", [MovesBits]> {
  let summary = "random numbers";
  let description = [{
    Philox with 4 words of counter and 2 of key, `rounds` rounds (7 or 10): each counter
    gives four numbers, one behind the other, row by row.

    ```mlir
    %u = pto.tile.random %k0, %k1, %c0, %c1, %c2, %c3 {rounds = 10 : i64} : (i32, i32, i32, i32, i32, i32) -> !pto.tile<64x64xui32>
    ```
  }];
  let arguments = (ins I32:$key0, I32:$key1, I32:$counter0, I32:$counter1, I32:$counter2,
    I32:$counter3, Optional<Pto_Buf>:$dst, I64Attr:$rounds);
  let hasVerifier = 1;
}

#endif // PTO_TILE_PARTS_TD
