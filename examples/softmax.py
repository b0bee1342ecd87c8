"""Row softmax in a loop over blocks of rows: one tile at a time on the vector core."""

import numpy as np
import pypto.language as pl

ROWS, COLS, BLOCK = 1024, 192, 64


@pl.jit.incore
def softmax_rows(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    for row in pl.range(0, ROWS, BLOCK):
        t = pl.load(x, [row, 0], [BLOCK, COLS])
        largest = pl.row_max(t)
        e = pl.exp(pl.row_expand_sub(t, largest))
        total = pl.row_sum(e)
        y = pl.row_expand_div(e, total)
        pl.store(y, [row, 0], out)
    return out


@pl.jit
def softmax(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    out = softmax_rows(x, out)
    return out


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    out = np.zeros_like(x)
    softmax(x, out)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(axis=1, keepdims=True), rtol=1e-5)
    print("softmax: within 1e-5 of NumPy")
    print(softmax.compile(x, out).memory)


if __name__ == "__main__":
    main()
