//===- TileBuffers.td - Tiles: allocations and windows -----------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TILE_BUFFERS_TD
#define PTO_TILE_BUFFERS_TD

def TileAllocOp : Pto_TileOp<"alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "an allocation of on-chip memory";
  let description = [{
    One buffer, or `slots<N>` equal ones. `addrs` holds a byte address for each
    slot; before `pto-plan-memory` it is absent. `pinned` says that the author
    chose the addresses. `mutex_ids` (one a slot) are the mutexes that guard it in a
    function whose `pto.sync` is `author`.

    ```mlir
    %a = pto.tile.alloc : !pto.buf<64x128xf32, vec, nd>
    %b = pto.tile.alloc {addrs = array<i64: 0, 16384>} : !pto.buf<64x64xf32, vec, nd, slots<2>>
    ```
  }];
  let arguments = (ins OptionalAttr<DenseI64ArrayAttr>:$addrs, UnitAttr:$pinned,
    OptionalAttr<DenseI64ArrayAttr>:$mutex_ids);
  let results = (outs Pto_AnyBuf:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$type, "::mlir::DenseI64ArrayAttr":$addrs, "bool":$pinned), [{
      build($_builder, $_state, type, addrs, pinned, ::mlir::DenseI64ArrayAttr());
    }]>,
  ];
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def TileSlotOp : Pto_TileOp<"slot", [Pure, TypesMatchWith<"a slot of the source", "source", "result",
    "::llvm::cast<::mlir::pto::BufType>($_self).withSlots(1)">]> {
  let summary = "one slot of an allocation, chosen at run time";
  let description = [{
    ```mlir
    %s = pto.tile.slot %b[%i] : !pto.buf<64x64xf32, vec, nd, slots<2>>
    ```
  }];
  let arguments = (ins Pto_AnyBuf:$source, Index:$index);
  let results = (outs Pto_Buf:$result);
  let assemblyFormat = "$source `[` $index `]` attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

def TileSubviewOp : Pto_TileOp<"subview", [Pure, AttrSizedOperandSegments]> {
  let summary = "a window of a buffer";
  let description = [{
    The window of `sizes` elements at `offsets` (elements, from the beginning of
    `source`'s own window). In a fractal layout an offset is a multiple of the
    fractal.

    ```mlir
    %v = pto.tile.subview %b[0, 64] [64, 36] : !pto.buf<64x100xf32, vec, nd, of<64x104>> -> !pto.buf<64x36xf32, vec, nd, of<64x104>>
    ```
  }];
  let arguments = (ins Pto_Buf:$source, Variadic<Index>:$offsets, Variadic<Index>:$sizes,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes);
  let results = (outs Pto_Buf:$result);
  let assemblyFormat = [{
    $source custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes) attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
}

#endif // PTO_TILE_BUFFERS_TD
