"""Padding: `fillpad` gives the invalid part of a tile a value, and makes all of it valid.

40 of 64 columns are data. Filled with the smallest number the rest never wins a maximum,
filled with zero it adds nothing; and the filled tile is stored whole.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS, WIDE = 32, 40, 64


@pl.jit.incore
def pad_rows(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    zeros: pl.Out[pl.Tensor[[ROWS, WIDE], pl.FP32]],
    lowest: pl.Out[pl.Tensor[[ROWS, WIDE], pl.FP32]],
):
    t = pl.load(x, [0, 0], [ROWS, WIDE], valid_shape=[ROWS, COLS])
    pl.store(pl.fillpad(t), [0, 0], zeros)
    pl.store(pl.fillpad(t, pad_value=pl.PadValue.min), [0, 0], lowest)
    return zeros, lowest


@pl.jit
def padded(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    zeros: pl.Out[pl.Tensor[[ROWS, WIDE], pl.FP32]],
    lowest: pl.Out[pl.Tensor[[ROWS, WIDE], pl.FP32]],
):
    zeros, lowest = pad_rows(x, zeros, lowest)
    return zeros, lowest


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    zeros, lowest = np.ones((ROWS, WIDE), np.float32), np.ones((ROWS, WIDE), np.float32)
    padded(x, zeros, lowest)
    room = ((0, 0), (0, WIDE - COLS))
    np.testing.assert_array_equal(zeros, np.pad(x, room))
    np.testing.assert_array_equal(lowest[:, :COLS], x)
    assert (lowest[:, COLS:] <= np.finfo(np.float32).min).all()
    print("padding: equal to NumPy")


if __name__ == "__main__":
    main()
