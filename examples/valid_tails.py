"""Tails: 100 rows of 50 columns in blocks of 32 rows of 64 columns.

A tile's shape is fixed; how much of it is valid may be a number of the run. Loads and stores
move the valid part, operations compute it, reductions read it. The rest is never looked at.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS = 100, 50
BLOCK, WIDE = 32, 64


@pl.jit.incore
def centre_rows(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    for row in pl.range(0, ROWS, BLOCK):
        rows = pl.min(ROWS - row, BLOCK)
        t = pl.load(x, [row, 0], [BLOCK, WIDE], valid_shape=[rows, COLS])
        mean = pl.mul(pl.row_sum(t), 1.0 / COLS)
        pl.store(pl.row_expand_sub(t, mean), [row, 0], out)
    return out


@pl.jit
def centre(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    out = centre_rows(x, out)
    return out


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    out = np.zeros_like(x)
    centre(x, out)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(out, wide - wide.mean(axis=1, keepdims=True), atol=1e-6)
    print("valid_tails: within 1e-6 of NumPy")


if __name__ == "__main__":
    main()
