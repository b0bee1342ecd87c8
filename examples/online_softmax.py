"""Online softmax: maximum and sum of a row that is longer than a tile, in one pass.

A new block may bring a larger maximum; then the sum so far is scaled by e^(old - new).
The loop rebinds `largest` and `total`, which carries them to the next block.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS, BLOCK, WIDE = 64, 512, 32, 128


@pl.jit.incore
def softmax_blocks(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    for row in pl.range(0, ROWS, BLOCK):
        first = pl.load(x, [row, 0], [BLOCK, WIDE])
        largest = pl.row_max(first)
        total = pl.row_sum(pl.exp(pl.row_expand_sub(first, largest)))
        for col in pl.range(WIDE, COLS, WIDE):
            t = pl.load(x, [row, col], [BLOCK, WIDE])
            larger = pl.maximum(largest, pl.row_max(t))
            part = pl.row_sum(pl.exp(pl.row_expand_sub(t, larger)))
            total = pl.add(pl.mul(total, pl.exp(pl.sub(largest, larger))), part)
            largest = larger
        for col in pl.range(0, COLS, WIDE):
            t = pl.load(x, [row, col], [BLOCK, WIDE])
            e = pl.exp(pl.row_expand_sub(t, largest))
            pl.store(pl.row_expand_div(e, total), [row, col], out)
    return out


@pl.jit
def softmax(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    out = softmax_blocks(x, out)
    return out


def main():
    x = 4 * np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    out = np.zeros_like(x)
    softmax(x, out)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(axis=1, keepdims=True), rtol=1e-5)
    print("online_softmax: within 1e-5 of NumPy")


if __name__ == "__main__":
    main()
