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
