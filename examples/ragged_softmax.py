"""Softmax of rows of different lengths: how many columns are valid is a number of the run.

One program serves every length. The reductions read the valid part only, so nothing has to
be masked, and what stands behind the end of a row is left as it was.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS = 32, 96
Rows = pl.Tensor[[ROWS, COLS], pl.FP32]


@pl.jit.incore
def softmax_of(x: Rows, length: pl.Scalar[pl.INDEX], out: pl.InOut[Rows]):
    t = pl.load(x, [0, 0], [ROWS, COLS], valid_shape=[ROWS, length])
    e = pl.exp(pl.row_expand_sub(t, pl.row_max(t)))
    pl.store(pl.row_expand_div(e, pl.row_sum(e)), [0, 0], out)
    return out


@pl.jit
def softmax(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    length: pl.Scalar[pl.INDEX],
    out: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    softmax_of(x, length, out)
    return out


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    out = np.full_like(x, 7)
    program = softmax.compile(x, pl.RUNTIME, out)
    for length in (COLS, 33, 1):
        out[:] = 7
        program(x, length, out)
        e = np.exp(x[:, :length].astype(np.float64))
        expected = e / e.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(out[:, :length], expected, rtol=1e-5)
        assert (out[:, length:] == 7).all()
    print("ragged_softmax: 96, 33 and 1 columns, one program")


if __name__ == "__main__":
    main()
