"""Counting by comparison: at tensor level `pl.cmp` gives 1 where it holds and 0 elsewhere,
so the sum of a row is how often."""

import numpy as np
import pypto.language as pl

ROWS, COLS, GREATER = 32, 64, 4


@pl.jit
def count_above(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, 1], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        out = pl.row_sum(pl.cmp(x, 0.5, cmp_type=GREATER))
    return out


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    out = np.zeros((ROWS, 1), np.float32)
    count_above(x, out)
    np.testing.assert_array_equal(out, (x > 0.5).sum(axis=1, keepdims=True))
    print("count_above: equal to NumPy")


if __name__ == "__main__":
    main()
