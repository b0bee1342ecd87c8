"""A product with a bias, a·b + bias: the cube unit begins with the bias instead of zeros.

The bias is one row in FP32. It goes the long way, DDR to Mat to Bias, and costs no
instruction of its own.
"""

import numpy as np
import pypto.language as pl

M, K, N = 32, 64, 48


@pl.jit.incore
def linear_tile(
    x: pl.Tensor[[M, K], pl.FP16],
    weight: pl.Tensor[[K, N], pl.FP16],
    bias: pl.Tensor[[1, N], pl.FP32],
    out: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    x_l1 = pl.load(x, [0, 0], [M, K], target_memory=pl.Mem.Mat)
    weight_l1 = pl.load(weight, [0, 0], [K, N], target_memory=pl.Mem.Mat)
    bias_l1 = pl.load(bias, [0, 0], [1, N], target_memory=pl.Mem.Mat)
    x_l0a = pl.move(x_l1, target_memory=pl.Mem.Left)
    weight_l0b = pl.move(weight_l1, target_memory=pl.Mem.Right)
    bias_bt = pl.move(bias_l1, target_memory=pl.Mem.Bias)
    acc = pl.matmul_bias(x_l0a, weight_l0b, bias_bt)
    pl.store(acc, [0, 0], out)
    return out


@pl.jit
def linear(
    x: pl.Tensor[[M, K], pl.FP16],
    weight: pl.Tensor[[K, N], pl.FP16],
    bias: pl.Tensor[[1, N], pl.FP32],
    out: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    out = linear_tile(x, weight, bias, out)
    return out


def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((M, K)).astype(np.float16)
    weight = rng.standard_normal((K, N)).astype(np.float16)
    bias = rng.standard_normal((1, N)).astype(np.float32)
    out = np.zeros((M, N), np.float32)
    linear(x, weight, bias, out)
    expected = x.astype(np.float64) @ weight.astype(np.float64) + bias
    np.testing.assert_allclose(out, expected, atol=1e-4)
    print("matmul_bias: within 1e-4 of NumPy")


if __name__ == "__main__":
    main()
