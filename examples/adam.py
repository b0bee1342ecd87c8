"""A step of the Adam optimiser: arrays that are read and written, `pl.InOut`.

Weights and both moments are updated in place, block by block, with one load and one store
for each; the step is a number of the run.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS, BLOCK = 128, 64, 32
RATE, B1, B2, EPS = 0.01, 0.9, 0.999, 1e-8
Array = pl.Tensor[[ROWS, COLS], pl.FP32]


@pl.jit.incore
def update(
    gradient: Array,
    correct1: pl.Scalar[pl.FP32],
    correct2: pl.Scalar[pl.FP32],
    weights: pl.InOut[Array],
    first: pl.InOut[Array],
    second: pl.InOut[Array],
):
    for row in pl.range(0, ROWS, BLOCK):
        g = pl.load(gradient, [row, 0], [BLOCK, COLS])
        m = pl.load(first, [row, 0], [BLOCK, COLS]) * B1 + g * (1 - B1)
        v = pl.load(second, [row, 0], [BLOCK, COLS]) * B2 + g * g * (1 - B2)
        pl.store(m, [row, 0], first)
        pl.store(v, [row, 0], second)
        change = pl.div(m * correct1, pl.sqrt(v * correct2) + EPS) * RATE
        pl.store(pl.load(weights, [row, 0], [BLOCK, COLS]) - change, [row, 0], weights)
    return weights, first, second


@pl.jit
def adam(
    gradient: pl.Tensor[[ROWS, COLS], pl.FP32],
    correct1: pl.Scalar[pl.FP32],
    correct2: pl.Scalar[pl.FP32],
    weights: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
    first: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
    second: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    update(gradient, correct1, correct2, weights, first, second)
    return weights, first, second


def main():
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((ROWS, COLS)).astype(np.float32)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    program = adam.compile(weights * 0, pl.RUNTIME, pl.RUNTIME, weights, first, second)
    w, m, v = weights.astype(np.float64), 0.0, 0.0
    for step in (1, 2, 3):
        g = rng.standard_normal((ROWS, COLS)).astype(np.float32)
        program(g, 1 / (1 - B1**step), 1 / (1 - B2**step), weights, first, second)
        m, v = B1 * m + (1 - B1) * g, B2 * v + (1 - B2) * g.astype(np.float64) ** 2
        w = w - RATE * (m / (1 - B1**step)) / (np.sqrt(v / (1 - B2**step)) + EPS)
    np.testing.assert_allclose(weights, w, atol=1e-5)
    print("adam: three steps, within 1e-5 of NumPy")


if __name__ == "__main__":
    main()
