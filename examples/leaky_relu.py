"""ReLU and its relatives: one slope for all (`lrelu`), and a slope for each element (`prelu`).

These operations stand at tile level only. A scratch tile such as `tmp` is part of the
language's signature; here the compiler finds its scratch by itself.
"""

import numpy as np
import pypto.language as pl

SIDE, SLOPE = 64, 0.125
Array = pl.Tensor[[SIDE, SIDE], pl.FP32]


@pl.jit.incore
def relatives(
    x: Array, slopes: Array, relu: pl.Out[Array], leaky: pl.Out[Array], each: pl.Out[Array]
):
    t = pl.load(x, [0, 0], [SIDE, SIDE])
    pl.store(pl.relu(t), [0, 0], relu)
    pl.store(pl.lrelu(t, SLOPE), [0, 0], leaky)
    slope = pl.load(slopes, [0, 0], [SIDE, SIDE])
    tmp = pl.create_tile([SIDE, SIDE], pl.UINT8)
    pl.store(pl.prelu(t, slope, tmp), [0, 0], each)
    return relu, leaky, each


@pl.jit
def activations(
    x: pl.Tensor[[SIDE, SIDE], pl.FP32],
    slopes: pl.Tensor[[SIDE, SIDE], pl.FP32],
    relu: pl.Out[pl.Tensor[[SIDE, SIDE], pl.FP32]],
    leaky: pl.Out[pl.Tensor[[SIDE, SIDE], pl.FP32]],
    each: pl.Out[pl.Tensor[[SIDE, SIDE], pl.FP32]],
):
    relu, leaky, each = relatives(x, slopes, relu, leaky, each)
    return relu, leaky, each


def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((SIDE, SIDE)).astype(np.float32)
    slopes = rng.uniform(0, 1, (SIDE, SIDE)).astype(np.float32)
    relu, leaky, each = (np.zeros_like(x) for _ in range(3))
    activations(x, slopes, relu, leaky, each)
    np.testing.assert_array_equal(relu, np.maximum(x, 0))
    np.testing.assert_array_equal(leaky, np.where(x > 0, x, np.float32(SLOPE) * x))
    np.testing.assert_array_equal(each, np.where(x > 0, x, slopes * x))
    print("leaky_relu: equal to NumPy")


if __name__ == "__main__":
    main()
