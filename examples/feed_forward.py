"""A feed-forward block of a transformer: down(silu(gate(x)) · up(x)) + x, by parts of rows.

Rows have nothing to do with one another, so `pl.parallel` makes a chain of tasks for each
part: slices of an array are arrays, and what shares no row may run at the same time.
"""

import numpy as np
import pypto.language as pl

ROWS, WIDTH, HIDDEN, PARTS = 64, 64, 128, 2
PART = ROWS // PARTS


@pl.jit.incore
def product(x: pl.Tensor, weight: pl.Tensor, out: pl.Out[pl.Tensor]):
    out[:] = pl.matmul(x, weight)
    return out


@pl.jit.incore
def activate(
    gate: pl.Tensor[[PART, HIDDEN], pl.FP32],
    up: pl.Tensor[[PART, HIDDEN], pl.FP32],
    out: pl.Out[pl.Tensor[[PART, HIDDEN], pl.FP16]],
):
    g = pl.load(gate, [0, 0], [PART, HIDDEN])
    silu = pl.div(g, pl.add(pl.exp(pl.neg(g)), 1.0))
    u = pl.load(up, [0, 0], [PART, HIDDEN])
    pl.store(pl.cast(pl.mul(silu, u), pl.FP16), [0, 0], out)
    return out


@pl.jit.incore
def add_input(
    x: pl.Tensor[[PART, WIDTH], pl.FP16],
    y: pl.Tensor[[PART, WIDTH], pl.FP32],
    out: pl.Out[pl.Tensor[[PART, WIDTH], pl.FP32]],
):
    t = pl.cast(pl.load(x, [0, 0], [PART, WIDTH]), pl.FP32)
    pl.store(pl.add(t, pl.load(y, [0, 0], [PART, WIDTH])), [0, 0], out)
    return out


@pl.jit
def feed_forward(
    x: pl.Tensor[[ROWS, WIDTH], pl.FP16],
    w_gate: pl.Tensor[[WIDTH, HIDDEN], pl.FP16],
    w_up: pl.Tensor[[WIDTH, HIDDEN], pl.FP16],
    w_down: pl.Tensor[[HIDDEN, WIDTH], pl.FP16],
    out: pl.Out[pl.Tensor[[ROWS, WIDTH], pl.FP32]],
):
    gate = pl.create_tensor([ROWS, HIDDEN], pl.FP32)
    up = pl.create_tensor([ROWS, HIDDEN], pl.FP32)
    active = pl.create_tensor([ROWS, HIDDEN], pl.FP16)
    down = pl.create_tensor([ROWS, WIDTH], pl.FP32)
    for part in pl.parallel(PARTS):
        first, last = part * PART, (part + 1) * PART
        product(x[first:last, :], w_gate, gate[first:last, :])
        product(x[first:last, :], w_up, up[first:last, :])
        activate(gate[first:last, :], up[first:last, :], active[first:last, :])
        product(active[first:last, :], w_down, down[first:last, :])
        add_input(x[first:last, :], down[first:last, :], out[first:last, :])
    return out


def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((ROWS, WIDTH)).astype(np.float16)
    shapes = ((WIDTH, HIDDEN), (WIDTH, HIDDEN), (HIDDEN, WIDTH))
    weights = [(rng.standard_normal(shape) / 8).astype(np.float16) for shape in shapes]
    out = np.zeros((ROWS, WIDTH), np.float32)
    feed_forward(x, *weights, out)
    wide, gate, up, down = (a.astype(np.float64) for a in (x, *weights))
    g = wide @ gate
    expected = wide + (g / (1 + np.exp(-g)) * (wide @ up)) @ down
    np.testing.assert_allclose(out, expected, atol=1e-2)
    print("feed_forward: within 1e-2 of NumPy")


if __name__ == "__main__":
    main()
