"""Functional style: a kernel without `Out` makes its result, and the call gives it back."""

import numpy as np
import pypto.language as pl


@pl.jit
def hypotenuse(a: pl.Tensor, b: pl.Tensor):
    with pl.at(level=pl.Level.CORE_GROUP):
        c = pl.sqrt(pl.add(pl.mul(a, a), pl.mul(b, b)))
    return c


def main():
    rng = np.random.default_rng(0)
    a, b = (rng.uniform(0, 4, (24, 56)).astype(np.float32) for _ in range(2))
    c = hypotenuse(a, b)
    np.testing.assert_allclose(c, np.hypot(a, b), rtol=1e-6)
    print(f"functional: {c.shape}, within 1e-6 of NumPy")


if __name__ == "__main__":
    main()
