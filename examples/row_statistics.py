"""Reductions of rows: `[M, N]` becomes `[M, 1]`, a column with one value for each row.

A reduction reads the valid part of its tile only, so the 13 columns of padding behind the
last of 51 have no say.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS, WIDE = 40, 51, 64
Column = pl.Tensor[[ROWS, 1], pl.FP32]


@pl.jit.incore
def reduce_rows(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    total: pl.Out[Column],
    largest: pl.Out[Column],
    smallest: pl.Out[Column],
):
    t = pl.load(x, [0, 0], [ROWS, WIDE], valid_shape=[ROWS, COLS])
    pl.store(pl.row_sum(t), [0, 0], total)
    pl.store(pl.row_max(t), [0, 0], largest)
    pl.store(pl.row_min(t), [0, 0], smallest)
    return total, largest, smallest


@pl.jit
def row_statistics(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    total: pl.Out[pl.Tensor[[ROWS, 1], pl.FP32]],
    largest: pl.Out[pl.Tensor[[ROWS, 1], pl.FP32]],
    smallest: pl.Out[pl.Tensor[[ROWS, 1], pl.FP32]],
):
    total, largest, smallest = reduce_rows(x, total, largest, smallest)
    return total, largest, smallest


def main():
    x = np.random.default_rng(0).uniform(0.8, 1.2, (ROWS, COLS)).astype(np.float32)
    total, largest, smallest = (np.zeros((ROWS, 1), np.float32) for _ in range(3))
    row_statistics(x, total, largest, smallest)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(total, wide.sum(axis=1, keepdims=True), rtol=1e-6)
    np.testing.assert_array_equal(largest, x.max(axis=1, keepdims=True))
    np.testing.assert_array_equal(smallest, x.min(axis=1, keepdims=True))
    print("row_statistics: sum, max and min of each row")


if __name__ == "__main__":
    main()
