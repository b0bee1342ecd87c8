//===- TileReduce.td - Tiles: reductions and broadcasts ----------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TILE_REDUCE_TD
#define PTO_TILE_REDUCE_TD

// The shape rules of the classes below.
def RowReduce : NativeOpTrait<"RowReduce"> { let cppNamespace = "::mlir::pto"; }
def RowExpand : NativeOpTrait<"RowExpand"> { let cppNamespace = "::mlir::pto"; }
def ColReduce : NativeOpTrait<"ColReduce"> { let cppNamespace = "::mlir::pto"; }
def ColExpand : NativeOpTrait<"ColExpand"> { let cppNamespace = "::mlir::pto"; }

class Pto_TileRowReduceOp<string mnemonic, string words> : Pto_TileComputeOp<mnemonic, [RowReduce, NotInPlace]> {
  let summary = words # " of each row";
  let description = [{
    `[M, N]` to `[M, 1]`, over the valid columns, in one stated order. A row is
    cut into repeats of L elements (L = 256 B / element size). The repeats are
    folded one after the other into L lanes; the lanes then meet in a binary tree
    over adjacent pairs. BF16 is reduced as FP32 and rounded once.

    In buffer form the destination is `[M, 1]` in layout dn.

    ```mlir
    %r = pto.tile.}] # mnemonic # [{ %a : !pto.tile<64x128xf32, vec> -> !pto.tile<64x1xf32, vec>
    pto.tile.}] # mnemonic # [{ ins(%a : !pto.buf<64x64xf32, vec, nd>) outs(%d : !pto.buf<64x1xf32, vec, dn>)
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Optional<Pto_Buf>:$dst);
}

def TileRowMaxOp : Pto_TileRowReduceOp<"row_max", "maximum">;
def TileRowSumOp : Pto_TileRowReduceOp<"row_sum", "sum">;
def TileRowMinOp : Pto_TileRowReduceOp<"row_min", "minimum">;

class Pto_TileColReduceOp<string mnemonic, string words> : Pto_TileComputeOp<mnemonic, [ColReduce, NotInPlace]> {
  let summary = words # " of each column";
  let description = [{
    `[M, N]` to `[1, N]`, over the valid rows, one row after the other. BF16 is
    reduced as FP32 and rounded once.

    ```mlir
    %r = pto.tile.}] # mnemonic # [{ %a : !pto.tile<64x128xf32, vec> -> !pto.tile<1x128xf32, vec>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Optional<Pto_Buf>:$dst);
}

def TileColMaxOp : Pto_TileColReduceOp<"col_max", "maximum">;
def TileColMinOp : Pto_TileColReduceOp<"col_min", "minimum">;
def TileColSumOp : Pto_TileColReduceOp<"col_sum", "sum">;
def TileColProdOp : Pto_TileColReduceOp<"col_prod", "product">;

class Pto_TileRowExpandOp<string mnemonic, string words> : Pto_TileComputeOp<mnemonic, [RowExpand]> {
  let summary = words # " of each row with its own value";
  let description = [{
    `[M, N]` with `[M, 1]`: the value of row i meets every element of row i. In
    buffer form the second source may also be `[M, 32 B / element size]`, one
    32-byte block a row that holds the value in every element (what
    `pto.tile.brcb` makes).

    ```mlir
    %r = pto.tile.}] # mnemonic # [{ %a, %v : (!pto.tile<64x128xf32, vec>, !pto.tile<64x1xf32, vec>) -> !pto.tile<64x128xf32, vec>
    pto.tile.}] # mnemonic # [{ ins(%a, %b : !pto.buf<64x64xf32, vec, nd>, !pto.buf<64x8xf32, vec, nd>) outs(%d : !pto.buf<64x64xf32, vec, nd>)
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$lhs, Pto_TileOrBuf:$rhs, Optional<Pto_Buf>:$dst);
}

def TileRowExpandAddOp : Pto_TileRowExpandOp<"row_expand_add", "sum">;
def TileRowExpandMaxOp : Pto_TileRowExpandOp<"row_expand_max", "larger value">;
def TileRowExpandMinOp : Pto_TileRowExpandOp<"row_expand_min", "smaller value">;
// e to the power of the difference, which is rounded; pto-legalize writes it so.
def TileRowExpandExpdifOp : Pto_TileRowExpandOp<"row_expand_expdif", "e to the power of the difference">;
def TileRowExpandSubOp : Pto_TileRowExpandOp<"row_expand_sub", "difference">;
def TileRowExpandMulOp : Pto_TileRowExpandOp<"row_expand_mul", "product">;
def TileRowExpandDivOp : Pto_TileRowExpandOp<"row_expand_div", "quotient">;

class Pto_TileColExpandOp<string mnemonic, string words> : Pto_TileComputeOp<mnemonic, [ColExpand]> {
  let summary = words # " of each column with its own value";
  let description = [{
    `[M, N]` with `[1, N]`: value j meets every element of column j.

    ```mlir
    %r = pto.tile.}] # mnemonic # [{ %a, %v : (!pto.tile<64x128xf32, vec>, !pto.tile<1x128xf32, vec>) -> !pto.tile<64x128xf32, vec>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$lhs, Pto_TileOrBuf:$rhs, Optional<Pto_Buf>:$dst);
}

def TileColExpandAddOp : Pto_TileColExpandOp<"col_expand_add", "sum">;
def TileColExpandSubOp : Pto_TileColExpandOp<"col_expand_sub", "difference">;
def TileColExpandMulOp : Pto_TileColExpandOp<"col_expand_mul", "product">;
def TileColExpandDivOp : Pto_TileColExpandOp<"col_expand_div", "quotient">;
def TileColExpandMaxOp : Pto_TileColExpandOp<"col_expand_max", "larger value">;
def TileColExpandMinOp : Pto_TileColExpandOp<"col_expand_min", "smaller value">;
def TileColExpandExpdifOp : Pto_TileColExpandOp<"col_expand_expdif", "e to the power of the difference">;

def TileBrcbOp : Pto_TileComputeOp<"brcb", [NotInPlace]> {
  let summary = "one 32-byte block for each value of a vector";
  let description = [{
    `[M, 1]` in layout dn to `[M, 32 B / element size]`: row i holds value i in
    every element. An instruction, in buffer form only; passes write it. It works
    on eight values at a time, so the source allocation must hold a multiple of
    eight and the destination as many rows.

    ```mlir
    pto.tile.brcb ins(%v : !pto.buf<64x1xf32, vec, dn>) outs(%b : !pto.buf<64x8xf32, vec, nd>)
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$source, Optional<Pto_Buf>:$dst);
  let hasVerifier = 1;
  let extentRule = [{ index == 1 && dim == 1
      ? ::mlir::pto::ExtentRule::exactly(
            ::mlir::pto::getBlockLanes(::mlir::pto::getElementTypeOf(getSource().getType())))
      : ::mlir::pto::getTraitExtentRule(*this, index, dim) }];
}

#endif // PTO_TILE_REDUCE_TD
