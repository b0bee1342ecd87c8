"""One compiled program for every number of rows: `pl.dynamic` dimensions.

An extent that is declared dynamic is a number of the run. The loop ends where the array
does, and the last block is as tall as what is left.
"""

import numpy as np
import pypto.language as pl

COLS, BLOCK = 64, 32
M = pl.dynamic("M")


@pl.jit.incore
def square_rows(
    x: pl.Tensor[[M, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[M, COLS], pl.FP32]],
):
    rows = x.shape[0]
    for row in pl.range(0, rows, BLOCK):
        t = pl.load(x, [row, 0], [BLOCK, COLS], valid_shape=[pl.min(rows - row, BLOCK), COLS])
        pl.store(pl.mul(t, t), [row, 0], out)
    return out


@pl.jit
def square(x: pl.Tensor[[M, COLS], pl.FP32], out: pl.Out[pl.Tensor[[M, COLS], pl.FP32]]):
    out = square_rows(x, out)
    return out


def main():
    programs = []
    for rows in (77, 32, 1):
        x = np.random.default_rng(rows).standard_normal((rows, COLS)).astype(np.float32)
        out = np.zeros_like(x)
        square(x, out)
        np.testing.assert_array_equal(out, x * x)
        programs.append(str(square.lower(x, out)))
    assert programs[0] == programs[1] == programs[2]
    print("dynamic_rows: 77, 32 and 1 rows, one program")


if __name__ == "__main__":
    main()
