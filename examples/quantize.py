"""Quantisation of rows to INT8: each row is divided by its largest magnitude / 127.

A cast that the chip has not in one step (FP32 to INT8) is made of several, to the same
numbers. The second kernel takes it back, and the error is at most half a step.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS = 32, 64


@pl.jit.incore
def quantise(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    codes: pl.Out[pl.Tensor[[ROWS, COLS], pl.INT8]],
    steps: pl.Out[pl.Tensor[[ROWS, 1], pl.FP32]],
):
    t = pl.load(x, [0, 0], [ROWS, COLS])
    step = pl.mul(pl.row_max(pl.abs(t)), 1.0 / 127)
    pl.store(step, [0, 0], steps)
    pl.store(pl.cast(pl.row_expand_div(t, step), pl.INT8, mode="rint"), [0, 0], codes)
    return codes, steps


@pl.jit.incore
def restore(
    codes: pl.Tensor[[ROWS, COLS], pl.INT8],
    steps: pl.Tensor[[ROWS, 1], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    t = pl.cast(pl.load(codes, [0, 0], [ROWS, COLS]), pl.FP32)
    pl.store(pl.row_expand_mul(t, pl.load(steps, [0, 0], [ROWS, 1])), [0, 0], out)
    return out


@pl.jit
def there_and_back(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    codes: pl.Out[pl.Tensor[[ROWS, COLS], pl.INT8]],
    steps: pl.Out[pl.Tensor[[ROWS, 1], pl.FP32]],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    codes, steps = quantise(x, codes, steps)
    out = restore(codes, steps, out)
    return codes, steps, out


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    codes, steps, out = np.zeros(x.shape, np.int8), np.zeros((ROWS, 1), np.float32), x * 0
    there_and_back(x, codes, steps, out)
    assert (np.abs(codes).max(axis=1) == 127).all()
    assert (np.abs(out - x) <= 0.501 * steps).all()
    np.testing.assert_array_equal(out, codes * steps)
    print("quantize: within half a step")


if __name__ == "__main__":
    main()
