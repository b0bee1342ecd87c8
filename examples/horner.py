"""What surrounds a kernel is part of it: numbers, lists and dtypes of the module are folded
in, and a `pl.unroll` loop over them is written out.

Change `COEFFICIENTS`, and the next call compiles another kernel.
"""

import numpy as np
import pypto.language as pl

COEFFICIENTS = [0.25, -1.5, 2.0, 1.0]  # of x³, x², x, 1
SIDE, DTYPE = 32, pl.FP32


@pl.jit.incore
def polynomial(x: pl.Tensor[[SIDE, SIDE], DTYPE], out: pl.Out[pl.Tensor[[SIDE, SIDE], DTYPE]]):
    t = pl.load(x, [0, 0], [SIDE, SIDE])
    total = pl.full([SIDE, SIDE], DTYPE, COEFFICIENTS[0])
    for i in pl.unroll(1, 4):
        total = pl.add(pl.mul(total, t), COEFFICIENTS[i])
    pl.store(total, [0, 0], out)
    return out


@pl.jit
def horner(x: pl.Tensor[[SIDE, SIDE], DTYPE], out: pl.Out[pl.Tensor[[SIDE, SIDE], DTYPE]]):
    out = polynomial(x, out)
    return out


def main():
    x = np.random.default_rng(0).uniform(-2, 2, (SIDE, SIDE)).astype(np.float32)
    out = np.zeros_like(x)
    horner(x, out)
    np.testing.assert_allclose(out, np.polyval(COEFFICIENTS, x.astype(np.float64)), atol=1e-5)
    print("horner: within 1e-5 of NumPy")


if __name__ == "__main__":
    main()
