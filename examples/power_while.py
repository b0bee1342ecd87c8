"""A `while` loop: powers by repeated squaring, with an exponent that is a number of the run.

The loop runs as often as the exponent has bits. It carries two tiles and a scalar, and its
`if` changes one of them only sometimes.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS = 32, 64


@pl.jit.incore
def raise_all(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    exponent: pl.Scalar[pl.INT32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    base = pl.load(x, [0, 0], [ROWS, COLS])
    result = pl.tile.full([ROWS, COLS], pl.FP32, 1.0)
    left = exponent
    while left > 0:
        if left % 2 == 1:
            result = pl.mul(result, base)
        base = pl.mul(base, base)
        left = left // 2
    pl.store(result, [0, 0], out)
    return out


@pl.jit
def power(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    exponent: pl.Scalar[pl.INT32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    out = raise_all(x, exponent, out)
    return out


def main():
    x = np.random.default_rng(0).uniform(0.5, 1.5, (ROWS, COLS)).astype(np.float32)
    out = np.zeros_like(x)
    program = power.compile(x, pl.RUNTIME, out)
    for exponent in (13, 6, 1, 0):
        program(x, exponent, out)
        np.testing.assert_allclose(out, x.astype(np.float64) ** exponent, rtol=1e-5)
    print("power_while: exponents 13, 6, 1 and 0, within 1e-5 of NumPy")


if __name__ == "__main__":
    main()
