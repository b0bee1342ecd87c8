"""Two ways to the sigmoid 1 / (1 + e⁻ˣ): with `pl.recip`, and with a number divided by a tile.

Both give the same up to rounding; which is faster is the chip's affair.
"""

import numpy as np
import pypto.language as pl

Array = pl.Tensor[[64, 64], pl.FP32]


@pl.jit.incore
def by_recip(x: Array, out: pl.Out[Array]):
    t = pl.load(x, [0, 0], [64, 64])
    pl.store(pl.recip(pl.add(pl.exp(pl.neg(t)), 1.0)), [0, 0], out)
    return out


@pl.jit.incore
def by_division(x: Array, out: pl.Out[Array]):
    t = pl.load(x, [0, 0], [64, 64])
    pl.store(1.0 / (1.0 + pl.exp(-t)), [0, 0], out)
    return out


@pl.jit
def sigmoids(
    x: pl.Tensor[[64, 64], pl.FP32],
    first: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    second: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    first = by_recip(x, first)
    second = by_division(x, second)
    return first, second


def main():
    x = np.random.default_rng(0).uniform(-8, 8, (64, 64)).astype(np.float32)
    first, second = np.zeros_like(x), np.zeros_like(x)
    sigmoids(x, first, second)
    expected = 1 / (1 + np.exp(-x.astype(np.float64)))
    np.testing.assert_allclose(first, expected, rtol=1e-6)
    np.testing.assert_allclose(second, expected, rtol=1e-6)
    print("sigmoid: within 1e-6 of NumPy, both ways")


if __name__ == "__main__":
    main()
