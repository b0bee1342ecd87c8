"""Batch norm: every column is centred and scaled by its own mean and deviation.

Reductions of columns make `[1, N]` of `[M, N]`; `col_expand_*` spreads such a row over all
rows again. Two passes over the blocks: the first adds up, the second applies.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS, BLOCK, EPS = 128, 96, 32, 1e-5


@pl.jit.incore
def batch_norm_columns(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    total = pl.full([1, COLS], pl.FP32, 0.0)
    squares = pl.full([1, COLS], pl.FP32, 0.0)
    for row in pl.range(0, ROWS, BLOCK):
        t = pl.load(x, [row, 0], [BLOCK, COLS])
        total = pl.add(total, pl.col_sum(t))
        squares = pl.add(squares, pl.col_sum(pl.mul(t, t)))
    mean = pl.mul(total, 1.0 / ROWS)
    variance = pl.sub(pl.mul(squares, 1.0 / ROWS), pl.mul(mean, mean))
    deviation = pl.sqrt(pl.add(variance, EPS))
    for row in pl.range(0, ROWS, BLOCK):
        t = pl.load(x, [row, 0], [BLOCK, COLS])
        y = pl.col_expand_div(pl.col_expand_sub(t, mean), deviation)
        pl.store(y, [row, 0], out)
    return out


@pl.jit
def batch_norm(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    out = batch_norm_columns(x, out)
    return out


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    out = np.zeros_like(x)
    batch_norm(x, out)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(axis=0)) / np.sqrt(wide.var(axis=0) + EPS)
    np.testing.assert_allclose(out, expected, atol=1e-4)
    print("column_statistics: batch norm within 1e-4 of NumPy")


if __name__ == "__main__":
    main()
