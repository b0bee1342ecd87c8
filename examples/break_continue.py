"""`break` and `continue`: a list of rows to add up, which ends at -1 and skips row 0.

A number read by the core decides; both words belong to the innermost loop.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS, LENGTH = 16, 64, 10


@pl.jit.incore
def add_listed(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    rows: pl.Tensor[[LENGTH], pl.INT32],
    out: pl.Out[pl.Tensor[[1, COLS], pl.FP32]],
):
    total = pl.tile.full([1, COLS], pl.FP32, 0.0)
    for i in pl.range(LENGTH):
        row = pl.read(rows, [i])
        if row < 0:
            break
        if row == 0:
            continue
        total = pl.add(total, pl.load(x, [row, 0], [1, COLS]))
    pl.store(total, [0, 0], out)
    return out


@pl.jit
def sum_of_list(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    rows: pl.Tensor[[LENGTH], pl.INT32],
    out: pl.Out[pl.Tensor[[1, COLS], pl.FP32]],
):
    out = add_listed(x, rows, out)
    return out


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    rows = np.array([3, 0, 7, 15, 0, 3, -1, 5, 5, 5], np.int32)
    out = np.zeros((1, COLS), np.float32)
    sum_of_list(x, rows, out)
    np.testing.assert_allclose(out[0], x[[3, 7, 15, 3]].astype(np.float64).sum(axis=0), atol=1e-6)
    print("break_continue: within 1e-6 of NumPy")


if __name__ == "__main__":
    main()
