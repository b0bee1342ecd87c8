"""Products with transposed operands: aᵀ·b, a·bᵀ and aᵀ·bᵀ without transposing in DDR.

`a_trans` and `b_trans` say how an operand lies; the way into Left or Right turns it.
"""

import numpy as np
import pypto.language as pl

M, K, N = 48, 64, 32


@pl.jit
def left_transposed(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        out = pl.matmul(a, b, a_trans=True)
    return out


@pl.jit
def right_transposed(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        out = pl.matmul(a, b, b_trans=True)
    return out


@pl.jit
def both_transposed(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        out = pl.matmul(a, b, a_trans=True, b_trans=True)
    return out


def main():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((M, K)).astype(np.float16)
    b = rng.standard_normal((K, N)).astype(np.float16)
    at, bt = np.ascontiguousarray(a.T), np.ascontiguousarray(b.T)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    for kernel, left, right in (
        (left_transposed, at, b),
        (right_transposed, a, bt),
        (both_transposed, at, bt),
    ):
        out = np.zeros((M, N), np.float32)
        kernel(left, right, out)
        np.testing.assert_allclose(out, expected, atol=1e-4)
    print("matmul_transposed: three ways, within 1e-4 of NumPy")


if __name__ == "__main__":
    main()
