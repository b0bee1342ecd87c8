"""Scalars: a number is part of the compiled program, unless it is `pl.RUNTIME`.

A call with a plain number specialises the kernel for it, which lets the compiler fold it. A
program compiled with `pl.RUNTIME` takes any number when it runs.
"""

import numpy as np
import pypto.language as pl

SIDE = 64
Array = pl.Tensor[[SIDE, SIDE], pl.FP32]


@pl.jit.incore
def scale_and_add(a: pl.Scalar[pl.FP32], x: Array, y: Array, out: pl.Out[Array]):
    t = pl.load(x, [0, 0], [SIDE, SIDE])
    pl.store(pl.add(pl.mul(t, a), pl.load(y, [0, 0], [SIDE, SIDE])), [0, 0], out)
    return out


@pl.jit
def axpy(
    a: pl.Scalar[pl.FP32],
    x: pl.Tensor[[SIDE, SIDE], pl.FP32],
    y: pl.Tensor[[SIDE, SIDE], pl.FP32],
    out: pl.Out[pl.Tensor[[SIDE, SIDE], pl.FP32]],
):
    out = scale_and_add(a, x, y, out)
    return out


def main():
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((SIDE, SIDE)).astype(np.float32) for _ in range(2))
    out = np.zeros_like(x)
    axpy(2.0, x, y, out)
    np.testing.assert_array_equal(out, x * 2 + y)
    program = axpy.compile(pl.RUNTIME, x, y, out)
    for a in (0.5, -3.0):
        program(a, x, y, out)
        np.testing.assert_array_equal(out, x * np.float32(a) + y)
    print("run_time_scalar: one program for each number, and one for all")


if __name__ == "__main__":
    main()
