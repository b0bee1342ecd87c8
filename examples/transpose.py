"""Transposing a matrix block by block: a block goes in at [i, j] and comes out at [j, i].

`pl.transpose` swaps the two dimensions of a tile in Vec; the loops choose where it lands.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS, BLOCK = 96, 64, 32


@pl.jit.incore
def transpose_blocks(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[COLS, ROWS], pl.FP32]],
):
    for i in pl.range(0, ROWS, BLOCK):
        for j in pl.range(0, COLS, BLOCK):
            t = pl.load(x, [i, j], [BLOCK, BLOCK])
            pl.store(pl.transpose(t, 0, 1), [j, i], out)
    return out


@pl.jit
def transpose(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[COLS, ROWS], pl.FP32]],
):
    out = transpose_blocks(x, out)
    return out


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    out = np.zeros((COLS, ROWS), np.float32)
    transpose(x, out)
    np.testing.assert_array_equal(out, x.T)
    print("transpose: equal to NumPy")


if __name__ == "__main__":
    main()
