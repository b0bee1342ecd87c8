"""A moving average over five columns: the same window of an array, loaded with five offsets.

A load takes any offset, so neighbours need no shifting on the chip.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS, TAPS = 32, 128, 5
WIDE = COLS + TAPS - 1


@pl.jit.incore
def average_rows(
    x: pl.Tensor[[ROWS, WIDE], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    total = pl.load(x, [0, 0], [ROWS, COLS])
    for shift in pl.range(1, TAPS):
        total = pl.add(total, pl.load(x, [0, shift], [ROWS, COLS]))
    pl.store(pl.mul(total, 1.0 / TAPS), [0, 0], out)
    return out


@pl.jit
def average(
    x: pl.Tensor[[ROWS, WIDE], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    out = average_rows(x, out)
    return out


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, WIDE)).astype(np.float32)
    out = np.zeros((ROWS, COLS), np.float32)
    average(x, out)
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), TAPS, axis=1)
    np.testing.assert_allclose(out, windows.mean(axis=2), atol=1e-6)
    print("moving_average: within 1e-6 of NumPy")


if __name__ == "__main__":
    main()
