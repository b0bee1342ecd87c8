//===- PtoTypes.td - Types of the pto dialect --------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TYPES_TD
#define PTO_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypes.td"
include "mlir/IR/CommonTypeConstraints.td"
include "Pto/PtoEnums.td"

class Pto_Type<string name, string typeMnemonic> : TypeDef<Pto_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Pto_TileType : Pto_Type<"Tile", "tile"> {
  let summary = "an on-chip tile, as a value";
  let description = [{
    A tile has two static dimensions (its physical extent; fewer valid rows or
    columns are values of the program) and an element type. Passes refine the
    rest: first its memory space, then its layout.

    ```mlir
    !pto.tile<64x128xf32>
    !pto.tile<64x128xf32, vec>
    !pto.tile<64x128xf16, mat, nz>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
    "::std::optional<::mlir::pto::MemorySpace>":$space,
    "::std::optional<::mlir::pto::TileLayout>":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRows() const { return getShape()[0]; }
    int64_t getCols() const { return getShape()[1]; }
    TileType withSpace(MemorySpace space) const {
      return get(getContext(), getShape(), getElementType(), space, getLayout());
    }
    TileType withLayout(TileLayout layout) const {
      return get(getContext(), getShape(), getElementType(), getSpace(), layout);
    }
    TileType withElementType(::mlir::Type elementType) const {
      return get(getContext(), getShape(), elementType, getSpace(), getLayout());
    }
    TileType withShape(::llvm::ArrayRef<int64_t> shape) const {
      return get(getContext(), shape, getElementType(), getSpace(), getLayout());
    }
    /// Whether this type says all that `other` says, and perhaps more.
    bool refines(TileType other) const;
  }];
}

def Pto_BufType : Pto_Type<"Buf", "buf"> {
  let summary = "a tile, as a window of on-chip memory";
  let description = [{
    A buffer is a window of `shape` elements in an allocation of `root` elements
    (written `of<RxC>` when it is not the whole of it). The allocation lies in
    the memory space in the order of its layout; the window begins at an offset
    that its view operation holds. A dimension of the window may be dynamic
    (`?`): an extent known at run time.

    An allocation of several equal slots is `slots<N>`; `pto.tile.slot` picks one.

    ```mlir
    !pto.buf<64x128xf32, vec, nd>
    !pto.buf<64x36xf32, vec, nd, of<64x128>>
    !pto.buf<?x80xf16, left, zz, of<48x80>>
    !pto.buf<128x64xf16, mat, nz, slots<2>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
    "::mlir::pto::MemorySpace":$space, "::mlir::pto::TileLayout":$layout,
    ArrayRefParameter<"int64_t">:$root, "int64_t":$slots);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape,
      "::mlir::Type":$elementType, "::mlir::pto::MemorySpace":$space,
      "::mlir::pto::TileLayout":$layout), [{
      return $_get(elementType.getContext(), shape, elementType, space, layout, shape, 1);
    }]>,
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRows() const { return getShape()[0]; }
    int64_t getCols() const { return getShape()[1]; }
    int64_t getRootRows() const { return getRoot()[0]; }
    int64_t getRootCols() const { return getRoot()[1]; }
    /// Whether the window is the whole allocation.
    bool isWhole() const { return getShape() == getRoot(); }
    /// Whether the window's elements lie one behind the other, row by row.
    bool isContiguous() const;
    bool hasStaticShape() const {
      return !::mlir::ShapedType::isDynamicShape(getShape());
    }
    BufType withShape(::llvm::ArrayRef<int64_t> shape) const {
      return get(getContext(), shape, getElementType(), getSpace(), getLayout(),
                 getRoot(), getSlots());
    }
    BufType withSlots(int64_t slots) const {
      return get(getContext(), getShape(), getElementType(), getSpace(), getLayout(),
                 getRoot(), slots);
    }
    /// Bytes of one slot of the allocation.
    int64_t getRootBytes() const;
  }];
}

def Pto_GmType : Pto_Type<"Gm", "gm"> {
  let summary = "an array in DDR, by reference";
  let description = [{
    A row-major array in global memory, as an in-core function takes it. At
    tensor level the same array is a builtin tensor. `pitch<N>` says how many
    elements lie between the beginnings of two rows, where that is more than a row:
    a window of a wider array. With `pitch<?>` strides of any kind are values of the
    program: the view operation that makes the array holds them
    (`pto.tile.make_tensor`). A pointer is an array of one dimension, as long as
    what the host gave.

    ```mlir
    !pto.gm<128x128xf32>
    !pto.gm<64x64xf32, pitch<128>>
    !pto.gm<?xf16>
    !pto.gm<?x128xf16, pitch<?>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
    "int64_t":$rowPitch);
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{
      return $_get($_ctxt, shape, elementType, 0);
    }]>,
  ];
  let extraClassDeclaration = [{
    /// Whether its strides are in the view operation that makes it.
    bool hasDynamicStrides() const {
      return ::mlir::ShapedType::isDynamic(getRowPitch());
    }
    /// Elements between the beginnings of two rows; dynamic where a view says it.
    int64_t getPitch() const { return getRowPitch() ? getRowPitch() : getShape().back(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Pto_TaskType : Pto_Type<"Task", "task"> {
  let summary = "a dispatched task, to wait for";
}

def Pto_ArrayType : Pto_Type<"Array", "array"> {
  let summary = "a small array of scalars or tasks, as a value";
  let description = [{
    ```mlir
    !pto.array<4 x !pto.task>
    !pto.array<8 x i32>
    ```
  }];
  let parameters = (ins "int64_t":$size, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $size `x` $elementType `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

def Pto_Tile : Type<CPred<"::llvm::isa<::mlir::pto::TileType>($_self)">, "tile value",
                    "::mlir::pto::TileType">;
// A buffer that an instruction may use: one slot.
def Pto_Buf : Type<And<[CPred<"::llvm::isa<::mlir::pto::BufType>($_self)">,
                        CPred<"::llvm::cast<::mlir::pto::BufType>($_self).getSlots() == 1">]>,
                   "buffer with one slot", "::mlir::pto::BufType">;
def Pto_AnyBuf : Type<CPred<"::llvm::isa<::mlir::pto::BufType>($_self)">, "buffer",
                      "::mlir::pto::BufType">;
def Pto_TileOrBuf : AnyTypeOf<[Pto_Tile, Pto_Buf], "tile or buffer">;
def Pto_Scalar : AnyTypeOf<[F16, BF16, F32, I1, I8, I16, I32, I64, Index], "scalar">;
def Pto_TileOrScalar : AnyTypeOf<[Pto_Tile, Pto_Buf, Pto_Scalar], "tile, buffer or scalar">;
def Pto_Gm : Type<CPred<"::llvm::isa<::mlir::pto::GmType>($_self)">, "array in DDR",
                  "::mlir::pto::GmType">;
def Pto_TensorOrScalar : AnyTypeOf<[AnyRankedTensor, Pto_Scalar], "tensor or scalar">;
def Pto_Array : AnyTypeOf<[AnyRankedTensor, Pto_Gm], "array in DDR (tensor or reference)">;
def Pto_Task : Type<CPred<"::llvm::isa<::mlir::pto::TaskType>($_self)">, "task",
                    "::mlir::pto::TaskType">,
               BuildableType<"$_builder.getType<::mlir::pto::TaskType>()">;
def Pto_SmallArray : Type<CPred<"::llvm::isa<::mlir::pto::ArrayType>($_self)">,
                          "small array", "::mlir::pto::ArrayType">;

#endif // PTO_TYPES_TD
