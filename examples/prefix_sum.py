"""Prefix sums by a product: a row times a triangle of ones adds up everything to its left.

The cube unit does 64 · 64 additions a row that way and is still the faster one.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS = 32, 64


@pl.jit
def prefix_sum(
    x: pl.Tensor[[ROWS, COLS], pl.FP16],
    triangle: pl.Tensor[[COLS, COLS], pl.FP16],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        out = pl.matmul(x, triangle)
    return out


def main():
    x = np.random.default_rng(0).integers(-8, 9, (ROWS, COLS)).astype(np.float16)
    triangle = np.triu(np.ones((COLS, COLS), np.float16))
    out = np.zeros((ROWS, COLS), np.float32)
    prefix_sum(x, triangle, out)
    np.testing.assert_array_equal(out, np.cumsum(x.astype(np.float32), axis=1))
    print("prefix_sum: equal to NumPy")


if __name__ == "__main__":
    main()
