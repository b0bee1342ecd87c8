"""A task that runs only if an element says so: `predicate=` is read when its turn comes.

The element may be the result of an earlier task, which the control plane does not wait for.
A task whose condition does not hold does nothing, and counts as done.
"""

import numpy as np
import pypto.language as pl

SIDE = 64
Square = pl.Tensor[[SIDE, SIDE], pl.FP32]


@pl.jit.incore
def copy(x: Square, out: pl.Out[Square]):
    pl.store(pl.load(x, [0, 0], [SIDE, SIDE]), [0, 0], out)
    return out


@pl.jit.incore
def double(x: pl.InOut[Square]):
    t = pl.load(x, [0, 0], [SIDE, SIDE])
    pl.store(pl.add(t, t), [0, 0], x)
    return x


@pl.jit
def double_if(
    x: pl.Tensor[[SIDE, SIDE], pl.FP32],
    wanted: pl.Tensor[[1, 8], pl.INT32],
    out: pl.Out[pl.Tensor[[SIDE, SIDE], pl.FP32]],
):
    copy(x, out)
    pl.submit(double, out, predicate=wanted[0, 0] > 0)
    return out


def main():
    x = np.random.default_rng(0).standard_normal((SIDE, SIDE)).astype(np.float32)
    for flag in (1, 0):
        out = np.zeros_like(x)
        double_if(x, np.full((1, 8), flag, np.int32), out)
        np.testing.assert_array_equal(out, x * (1 + flag))
    print("predicate: the task runs if it is wanted")


if __name__ == "__main__":
    main()
