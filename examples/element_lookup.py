"""The same lookup without a gather: a loop that reads one number and loads one row.

`pl.read` brings a single element into a scalar; a scalar may be an offset. A core waits for
each read, so this is for lists that are short or seldom.
"""

import numpy as np
import pypto.language as pl

VOCABULARY, WIDTH, LENGTH = 50, 64, 12


@pl.jit.incore
def look_up(
    table: pl.Tensor[[VOCABULARY, WIDTH], pl.FP32],
    tokens: pl.Tensor[[LENGTH], pl.INT32],
    out: pl.Out[pl.Tensor[[LENGTH, WIDTH], pl.FP32]],
):
    for i in pl.range(LENGTH):
        token = pl.read(tokens, [i])
        pl.store(pl.load(table, [token, 0], [1, WIDTH]), [i, 0], out)
    return out


@pl.jit
def lookup(
    table: pl.Tensor[[VOCABULARY, WIDTH], pl.FP32],
    tokens: pl.Tensor[[LENGTH], pl.INT32],
    out: pl.Out[pl.Tensor[[LENGTH, WIDTH], pl.FP32]],
):
    out = look_up(table, tokens, out)
    return out


def main():
    rng = np.random.default_rng(0)
    table = rng.standard_normal((VOCABULARY, WIDTH)).astype(np.float32)
    tokens = rng.integers(0, VOCABULARY, LENGTH, np.int32)
    out = np.zeros((LENGTH, WIDTH), np.float32)
    lookup(table, tokens, out)
    np.testing.assert_array_equal(out, table[tokens])
    print("element_lookup: equal to NumPy")


if __name__ == "__main__":
    main()
