"""Repeated tasks on two arrays that change places: a rod that takes on the heat of its ends.

Each step writes the other array, then `a, b = b, a`. The loop is one of the control plane;
which task waits for which follows from the arrays that the names stand for.
"""

import numpy as np
import pypto.language as pl

RODS, LENGTH, STEPS = 16, 64, 6
Rods = pl.Tensor[[RODS, LENGTH], pl.FP32]


@pl.jit.incore
def step(x: Rods, out: pl.Out[Rods]):
    middle = LENGTH - 2
    left = pl.load(x, [0, 0], [RODS, LENGTH], valid_shape=[RODS, middle])
    right = pl.load(x, [0, 2], [RODS, LENGTH], valid_shape=[RODS, middle])
    pl.store(pl.mul(pl.add(left, right), 0.5), [0, 1], out)
    pl.store(pl.load(x, [0, 0], [RODS, 8], valid_shape=[RODS, 1]), [0, 0], out)
    last = LENGTH - 1
    pl.store(pl.load(x, [0, last], [RODS, 8], valid_shape=[RODS, 1]), [0, last], out)
    return out


@pl.jit
def heat(
    x: pl.Tensor[[RODS, LENGTH], pl.FP32],
    out: pl.Out[pl.Tensor[[RODS, LENGTH], pl.FP32]],
):
    now = pl.create_tensor([RODS, LENGTH], pl.FP32)
    then = pl.create_tensor([RODS, LENGTH], pl.FP32)
    step(x, now)
    for _ in pl.range(STEPS - 2):
        step(now, then)
        now, then = then, now
    step(now, out)
    return out


def main():
    x = np.random.default_rng(0).uniform(0, 100, (RODS, LENGTH)).astype(np.float32)
    out = np.zeros_like(x)
    heat(x, out)
    expected = x.copy()
    for _ in range(STEPS):
        expected[:, 1:-1] = (expected[:, :-2] + expected[:, 2:]) * np.float32(0.5)
    np.testing.assert_array_equal(out, expected)
    print(f"jacobi: {STEPS} steps, equal to NumPy")


if __name__ == "__main__":
    main()
