"""The first kernel: add two arrays.

`@pl.jit` is the control plane; `pl.at` places the addition on a core. Arrays of
any shape and element type that fit on the core work: the annotations are bare,
so each call specialises the kernel for what it is given.
"""

import numpy as np
import pypto.language as pl


@pl.jit
def add(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        out = pl.add(a, b)
    return out


def main():
    rng = np.random.default_rng(0)
    for shape, dtype in [((64, 128), np.float32), ((7, 33), np.float16)]:
        a = rng.standard_normal(shape).astype(dtype)
        b = rng.standard_normal(shape).astype(dtype)
        out = np.zeros(shape, dtype)
        add(a, b, out)
        np.testing.assert_array_equal(out, a + b)
        print(f"add: {shape} {np.dtype(dtype).name}: equal to NumPy")


if __name__ == "__main__":
    main()
