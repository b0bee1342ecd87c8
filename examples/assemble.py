"""A result put together from parts: four quadrants, each computed in another way.

`pl.assemble(out, part, [row, col])` writes a window; `out[r0:r1, c0:c1] = part` is the same
in Python's own words, and `x[r0:r1, c0:c1]` reads one.
"""

import numpy as np
import pypto.language as pl

SIDE, HALF = 64, 32


@pl.jit
def quadrants(
    x: pl.Tensor[[SIDE, SIDE], pl.FP32],
    out: pl.Out[pl.Tensor[[SIDE, SIDE], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        top_left = pl.slice(x, [HALF, HALF], [0, 0])
        out = pl.assemble(out, pl.neg(top_left), [0, 0])
        out = pl.assemble(out, pl.abs(x[0:HALF, HALF:SIDE]), [0, HALF])
        out[HALF:SIDE, 0:HALF] = pl.relu(x[HALF:SIDE, 0:HALF])
        out[HALF:SIDE, HALF:SIDE] = x[HALF:SIDE, HALF:SIDE] * 2.0
    return out


def main():
    x = np.random.default_rng(0).standard_normal((SIDE, SIDE)).astype(np.float32)
    out = np.zeros_like(x)
    quadrants(x, out)
    top, bottom = x[:HALF], x[HALF:]
    expected = np.block(
        [
            [-top[:, :HALF], np.abs(top[:, HALF:])],
            [np.maximum(bottom[:, :HALF], 0), 2 * bottom[:, HALF:]],
        ]
    )
    np.testing.assert_array_equal(out, expected)
    print("assemble: equal to NumPy")


if __name__ == "__main__":
    main()
