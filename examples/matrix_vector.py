"""A matrix times a vector: `gemv` takes a row [1, K] and needs a sixteenth of a product's work.

The cube unit has a mode for it; a product of 16 rows of which 15 are padding gives the same.
"""

import numpy as np
import pypto.language as pl

K, N = 128, 64


@pl.jit.incore
def row_times_matrix(
    x: pl.Tensor[[1, K], pl.FP16],
    matrix: pl.Tensor[[K, N], pl.FP16],
    out: pl.Out[pl.Tensor[[1, N], pl.FP32]],
):
    left = pl.load(x, [0, 0], [1, K], target_memory=pl.Mem.Mat)
    right = pl.load(matrix, [0, 0], [K, N], target_memory=pl.Mem.Mat)
    pl.store(pl.tile.gemv(left, right), [0, 0], out)
    return out


@pl.jit
def gemv(
    x: pl.Tensor[[1, K], pl.FP16],
    matrix: pl.Tensor[[K, N], pl.FP16],
    out: pl.Out[pl.Tensor[[1, N], pl.FP32]],
):
    out = row_times_matrix(x, matrix, out)
    return out


def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1, K)).astype(np.float16)
    matrix = rng.standard_normal((K, N)).astype(np.float16)
    out = np.zeros((1, N), np.float32)
    gemv(x, matrix, out)
    np.testing.assert_allclose(out, x.astype(np.float64) @ matrix.astype(np.float64), atol=1e-4)
    print("matrix_vector: within 1e-4 of NumPy")


if __name__ == "__main__":
    main()
