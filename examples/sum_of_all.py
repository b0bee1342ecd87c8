"""A sum over a whole array with all cores: each block adds up its rows, a second task the rest.

Blocks cannot see one another's work, so their sums go through an array; that the second
task waits for all blocks follows from it.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS, BLOCKS = 256, 64, 8
PART = ROWS // BLOCKS


@pl.jit
def sum_of_all(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
):
    sums = pl.create_tensor([BLOCKS, COLS], pl.FP32)
    for block in pl.spmd(BLOCKS, name_hint="part"):
        first = block * PART
        total = pl.load(x, [first, 0], [1, COLS])
        for row in pl.range(1, PART):
            total = pl.add(total, pl.load(x, [first + row, 0], [1, COLS]))
        pl.store(total, [block, 0], sums)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="rest"):
        total = pl.load(sums, [0, 0], [1, COLS])
        for row in pl.range(1, BLOCKS):
            total = pl.add(total, pl.load(sums, [row, 0], [1, COLS]))
        ones = pl.full([1, 8], pl.FP32, 1.0)
        pl.store(pl.row_expand_mul(ones, pl.row_sum(total)), [0, 0], out)
    return out


def main():
    x = np.random.default_rng(0).integers(-100, 101, (ROWS, COLS)).astype(np.float32)
    out = np.zeros((1, 8), np.float32)
    sum_of_all(x, out)
    np.testing.assert_array_equal(out, np.full((1, 8), x.sum(), np.float32))
    print(f"sum_of_all: {BLOCKS} blocks, equal to NumPy")


if __name__ == "__main__":
    main()
