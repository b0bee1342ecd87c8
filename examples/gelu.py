"""GELU, an activation made of simpler operations, with the approximation by tanh:
x · sigmoid(2·√(2/π)·(x + 0.044715·x³)).

A loop takes the rows block by block; every tile of the formula is a name, and the planner
gives two of them the same bytes when the first is read for the last time.
"""

import math

import numpy as np
import pypto.language as pl

ROWS, COLS, BLOCK = 128, 96, 32
SLOPE = 2 * math.sqrt(2 / math.pi)


@pl.jit.incore
def gelu_rows(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    for row in pl.range(0, ROWS, BLOCK):
        t = pl.load(x, [row, 0], [BLOCK, COLS])
        cubed = pl.mul(pl.mul(t, t), t)
        inner = pl.mul(pl.add(t, pl.mul(cubed, 0.044715)), SLOPE)
        y = pl.div(t, pl.add(pl.exp(pl.neg(inner)), 1.0))
        pl.store(y, [row, 0], out)
    return out


@pl.jit
def gelu(x: pl.Tensor[[ROWS, COLS], pl.FP32], out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    out = gelu_rows(x, out)
    return out


def main():
    x = np.random.default_rng(0).uniform(-4, 4, (ROWS, COLS)).astype(np.float32)
    out = np.zeros_like(x)
    gelu(x, out)
    wide = x.astype(np.float64)
    inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)
    np.testing.assert_allclose(out, 0.5 * wide * (1 + np.tanh(inner)), atol=2e-6)
    print("gelu: within 2e-6 of NumPy")


if __name__ == "__main__":
    main()
