//===- TileElementwise.td - Tiles: element by element ------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TILE_ELEMENTWISE_TD
#define PTO_TILE_ELEMENTWISE_TD

// All tiles have one shape and one element type; a scalar has that type too.
// The valid region of the result is that of the first source.
def SameShapeAndElement : NativeOpTrait<"SameShapeAndElement"> {
  let cppNamespace = "::mlir::pto";
}

class Pto_TileBinaryOp<string mnemonic, string words> : Pto_TileComputeOp<mnemonic,
    [SameShapeAndElement]> {
  let summary = words # ", element by element";
  let description = [{
    The second source is a tile of the same shape and element type, or a scalar
    of that element type.

    ```mlir
    %r = pto.tile.}] # mnemonic # [{ %a, %b : !pto.tile<64x128xf32, vec>
    pto.tile.}] # mnemonic # [{ ins(%a, %b : !pto.buf<64x128xf32, vec, nd>, !pto.buf<64x128xf32, vec, nd>) outs(%d : !pto.buf<64x128xf32, vec, nd>)
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$lhs, Pto_TileOrScalar:$rhs, Optional<Pto_Buf>:$dst);
}

class Pto_TileUnaryOp<string mnemonic, string words> : Pto_TileComputeOp<mnemonic,
    [SameShapeAndElement]> {
  let summary = words # ", element by element";
  let description = [{
    ```mlir
    %r = pto.tile.}] # mnemonic # [{ %a : !pto.tile<64x128xf32, vec>
    pto.tile.}] # mnemonic # [{ ins(%a : !pto.buf<64x128xf32, vec, nd>) outs(%d : !pto.buf<64x128xf32, vec, nd>)
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Optional<Pto_Buf>:$dst);
}

def TileAddOp : Pto_TileBinaryOp<"add", "sum">;
def TileSubOp : Pto_TileBinaryOp<"sub", "difference">;
def TileMulOp : Pto_TileBinaryOp<"mul", "product">;
def TileDivOp : Pto_TileBinaryOp<"div", "quotient">;
def TileMaximumOp : Pto_TileBinaryOp<"maximum", "larger value (NaN if either is)">;
def TileMinimumOp : Pto_TileBinaryOp<"minimum", "smaller value (NaN if either is)">;

def TileExpOp : Pto_TileUnaryOp<"exp", "e to the power of it">;
def TileSqrtOp : Pto_TileUnaryOp<"sqrt", "square root">;
def TileRsqrtOp : Pto_TileUnaryOp<"rsqrt", "one divided by the square root">;
def TileNegOp : Pto_TileUnaryOp<"neg", "negative">;
def TileAbsOp : Pto_TileUnaryOp<"abs", "absolute value">;
def TileReluOp : Pto_TileUnaryOp<"relu", "max(x, 0)">;

def TileRemOp : Pto_TileBinaryOp<"rem", "rest of a division, with the divisor's sign">;
def TileFmodOp : Pto_TileBinaryOp<"fmod", "rest of a division, with the dividend's sign">;
def TilePreluOp : Pto_TileBinaryOp<"prelu", "x where it is positive, else x times the second source">;
def TileLreluOp : Pto_TileBinaryOp<"lrelu", "x where it is positive, else x times a scalar">;

// Integers. A shift by the width or more leaves nothing (of a negative number, to the right, -1).
def TileAndOp : Pto_TileBinaryOp<"and", "bits set in both">;
def TileOrOp : Pto_TileBinaryOp<"or", "bits set in either">;
def TileXorOp : Pto_TileBinaryOp<"xor", "bits set in one only">;
def TileShlOp : Pto_TileBinaryOp<"shl", "bits moved up by the second source">;
def TileShrOp : Pto_TileBinaryOp<"shr", "bits moved down; signed types keep the sign">;
def TileNotOp : Pto_TileUnaryOp<"not", "bits turned">;

def TileLogOp : Pto_TileUnaryOp<"log", "natural logarithm">;
def TileRecipOp : Pto_TileUnaryOp<"recip", "one divided by it">;
def TileSinOp : Pto_TileUnaryOp<"sin", "sine">;
def TileCosOp : Pto_TileUnaryOp<"cos", "cosine">;

class Pto_TilePartOp<string mnemonic, string words>
    : Pto_TileComputeOp<mnemonic, [NotInPlace]> {
  let summary = words # " where both are valid, else the one that is";
  let description = [{
    The valid region of one source holds that of the other, and the result has the larger one.

    ```mlir
    %r = pto.tile.}] # mnemonic # [{ %a, %b : !pto.tile<64x128xf32, vec>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$lhs, Pto_TileOrBuf:$rhs, Optional<Pto_Buf>:$dst);
  let extentRule = [{ index < 2 ? ::mlir::pto::ExtentRule::of(index, dim)
                                : ::mlir::pto::ExtentRule::larger(0, 1, dim) }];
  let hasVerifier = 1;
}
def TilePartAddOp : Pto_TilePartOp<"part_add", "sum">;
def TilePartMulOp : Pto_TilePartOp<"part_mul", "product">;
def TilePartMaxOp : Pto_TilePartOp<"part_max", "larger value">;
def TilePartMinOp : Pto_TilePartOp<"part_min", "smaller value">;

def TileBitcastOp : Pto_TileComputeOp<"bitcast"> {
  let summary = "the same bits as another element type of that width";
  let description = [{
    ```mlir
    %r = pto.tile.bitcast %a : !pto.tile<64x128xi16, vec> -> !pto.tile<64x128xui16, vec>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Optional<Pto_Buf>:$dst);
  let hasVerifier = 1;
}

def TileCmpOp : Pto_TileComputeOp<"cmp", [NotInPlace]> {
  let summary = "which elements compare so: one bit each";
  let description = [{
    A mask: row by row one bit for each element, the first in the lowest bit of a byte.
    Its rows have whole blocks of 32 bytes. NaN is equal to nothing.

    ```mlir
    %m = pto.tile.cmp %a, %b {mode = #pto.compare<lt>} : (!pto.tile<64x128xf32>, !pto.tile<64x128xf32>) -> !pto.tile<64x32xui8>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$lhs, Pto_TileOrScalar:$rhs, Optional<Pto_Buf>:$dst,
    Pto_CompareAttr:$mode);
  let extentRule = [{ index > 1 && dim == 1
      ? ::mlir::pto::ExtentRule::part(0, 1, 8) : ::mlir::pto::ExtentRule::of(0, dim) }];
  let hasVerifier = 1;
}

def TileSelOp : Pto_TileComputeOp<"sel"> {
  let summary = "the first tile's element where the mask has a bit, else the second's";
  let description = [{
    ```mlir
    %r = pto.tile.sel %m, %a, %b : (!pto.tile<64x32xui8>, !pto.tile<64x128xf32>, !pto.tile<64x128xf32>) -> !pto.tile<64x128xf32>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$mask, Pto_TileOrBuf:$lhs, Pto_TileOrBuf:$rhs,
    Optional<Pto_Buf>:$dst);
  let extentRule = [{ index == 0 && dim == 1
      ? ::mlir::pto::ExtentRule::part(1, 1, 8) : ::mlir::pto::ExtentRule::of(1, dim) }];
  let hasVerifier = 1;
}

def TileCastOp : Pto_TileComputeOp<"cast"> {
  let summary = "another element type";
  let description = [{
    Converts each element. A conversion to an integer saturates, and NaN becomes
    0. `none` is for conversions that lose nothing.

    ```mlir
    %r = pto.tile.cast %a {round = #pto.round<rint>} : !pto.tile<64x128xf32, vec> -> !pto.tile<64x128xf16, vec>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Optional<Pto_Buf>:$dst, Pto_RoundModeAttr:$round);
  let hasVerifier = 1;
}

#endif // PTO_TILE_ELEMENTWISE_TD
