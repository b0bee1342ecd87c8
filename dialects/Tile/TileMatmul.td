//===- TileMatmul.td - Tiles: matrix products --------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TILE_MATMUL_TD
#define PTO_TILE_MATMUL_TD

def TileMatmulOp : Pto_TileComputeOp<"matmul"> {
  let summary = "matrix product into a new accumulator";
  let description = [{
    `[M, K]` in Left times `[K, N]` in Right gives `[M, N]` in Acc. FP16 and BF16
    sources accumulate in FP32, K in increasing order. `phase` puts the accumulator
    under its unit flag: `partial` waits until it is clear, `final` too, and sets it;
    a store or move of the accumulator waits until it is set, and `final` clears it.

    ```mlir
    %c = pto.tile.matmul %l, %r : (!pto.tile<32x64xf16, left>, !pto.tile<64x16xf16, right>) -> !pto.tile<32x16xf32, acc>
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$lhs, Pto_TileOrBuf:$rhs, Optional<Pto_Buf>:$dst,
    OptionalAttr<Pto_PhaseAttr>:$phase);
  let hasVerifier = 1;
  let pipe = [{ ::mlir::pto::Pipe::M }];
  let sourceSpace = [{ index == 0 ? ::mlir::pto::MemorySpace::Left
                                  : ::mlir::pto::MemorySpace::Right }];
  let extentRule = [{ ::mlir::pto::getProductExtentRule(*this, index, dim, 0) }];
  let resultSpace = [{ ::mlir::pto::MemorySpace::Acc }];
}

def TileMatmulBiasOp : Pto_TileComputeOp<"matmul_bias"> {
  let summary = "matrix product that starts from a row of biases";
  let description = [{
    `bias + lhs x rhs`: `bias` is `[1, N]` of FP32 in Bias, one for each column.

    ```mlir
    pto.tile.matmul_bias ins(%l, %r, %b : !pto.buf<32x64xf16, left, zz>, !pto.buf<64x16xf16, right, zn>, !pto.buf<1x16xf32, bias, nd>) outs(%c : !pto.buf<32x16xf32, acc, nz>)
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$lhs, Pto_TileOrBuf:$rhs, Pto_TileOrBuf:$bias,
    Optional<Pto_Buf>:$dst, OptionalAttr<Pto_PhaseAttr>:$phase);
  let hasVerifier = 1;
  let pipe = [{ ::mlir::pto::Pipe::M }];
  let sourceSpace = [{ index == 0   ? ::mlir::pto::MemorySpace::Left
                       : index == 1 ? ::mlir::pto::MemorySpace::Right
                                    : ::mlir::pto::MemorySpace::Bias }];
  let extentRule = [{ ::mlir::pto::getProductExtentRule(*this, index, dim, 0) }];
  let resultSpace = [{ ::mlir::pto::MemorySpace::Acc }];
}

def TileMatmulAccOp : Pto_TileComputeOp<"matmul_acc", [UpdatesFirst]> {
  let summary = "matrix product added to an accumulator";
  let description = [{
    `acc + lhs x rhs`, starting from the accumulator and adding K in increasing
    order. In buffer form the destination is the accumulator itself.

    ```mlir
    %d = pto.tile.matmul_acc %c, %l, %r : (!pto.tile<32x16xf32, acc>, !pto.tile<32x64xf16, left>, !pto.tile<64x16xf16, right>) -> !pto.tile<32x16xf32, acc>
    pto.tile.matmul_acc ins(%c, %l, %r : !pto.buf<32x16xf32, acc, nz>, !pto.buf<32x64xf16, left, zz>, !pto.buf<64x16xf16, right, zn>) outs(%c : !pto.buf<32x16xf32, acc, nz>)
    ```
  }];
  let arguments = (ins Pto_TileOrBuf:$acc, Pto_TileOrBuf:$lhs, Pto_TileOrBuf:$rhs,
    Optional<Pto_Buf>:$dst, OptionalAttr<Pto_PhaseAttr>:$phase);
  let hasVerifier = 1;
  let pipe = [{ ::mlir::pto::Pipe::M }];
  let sourceSpace = [{ index == 0   ? ::mlir::pto::MemorySpace::Acc
                       : index == 1 ? ::mlir::pto::MemorySpace::Left
                                    : ::mlir::pto::MemorySpace::Right }];
  let extentRule = [{ ::mlir::pto::getProductExtentRule(*this, index, dim, 1) }];
  let resultSpace = [{ ::mlir::pto::MemorySpace::Acc }];
}

#endif // PTO_TILE_MATMUL_TD
