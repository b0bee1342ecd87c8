"""A quantised layer: INT8 times INT8 is added up in INT32, and a second task makes it FP32.

The first task runs on the cube core and the second on a vector core; the array between
them is what orders them. Its elements are exact, however long K is.
"""

import numpy as np
import pypto.language as pl

M, K, N = 32, 128, 64


@pl.jit.incore
def product(
    a: pl.Tensor[[M, K], pl.INT8],
    b: pl.Tensor[[K, N], pl.INT8],
    out: pl.Out[pl.Tensor[[M, N], pl.INT32]],
):
    left = pl.load(a, [0, 0], [M, K], target_memory=pl.Mem.Mat)
    right = pl.load(b, [0, 0], [K, N], target_memory=pl.Mem.Mat)
    pl.store(pl.matmul(left, right), [0, 0], out)
    return out


@pl.jit.incore
def dequantise(
    x: pl.Tensor[[M, N], pl.INT32],
    scale: pl.Scalar[pl.FP32],
    out: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    t = pl.cast(pl.load(x, [0, 0], [M, N]), pl.FP32)
    pl.store(pl.mul(t, scale), [0, 0], out)
    return out


@pl.jit
def layer(
    a: pl.Tensor[[M, K], pl.INT8],
    b: pl.Tensor[[K, N], pl.INT8],
    scale: pl.Scalar[pl.FP32],
    out: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    sums = pl.create_tensor([M, N], pl.INT32)
    product(a, b, sums)
    dequantise(sums, scale, out)
    return out


def main():
    rng = np.random.default_rng(0)
    a = rng.integers(-128, 128, (M, K), np.int8)
    b = rng.integers(-128, 128, (K, N), np.int8)
    out = np.zeros((M, N), np.float32)
    layer(a, b, 0.0078125, out)
    sums = a.astype(np.int32) @ b.astype(np.int32)
    np.testing.assert_array_equal(out, sums.astype(np.float32) * np.float32(0.0078125))
    print("matmul_int8: equal to NumPy")


if __name__ == "__main__":
    main()
