"""Two arrays side by side: `pl.concat` puts the columns of the second behind the first's."""

import numpy as np
import pypto.language as pl

ROWS, LEFT, RIGHT = 32, 64, 32


@pl.jit
def side_by_side(
    a: pl.Tensor[[ROWS, LEFT], pl.FP32],
    b: pl.Tensor[[ROWS, RIGHT], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, LEFT + RIGHT], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        out = pl.concat(a, b)
    return out


def main():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((ROWS, LEFT)).astype(np.float32)
    b = rng.standard_normal((ROWS, RIGHT)).astype(np.float32)
    out = np.zeros((ROWS, LEFT + RIGHT), np.float32)
    side_by_side(a, b, out)
    np.testing.assert_array_equal(out, np.concatenate([a, b], axis=1))
    print("concat: equal to NumPy")


if __name__ == "__main__":
    main()
