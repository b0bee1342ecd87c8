"""RMSNorm at tensor level: x / √(mean(x²) + eps) · weight.

Arrays `[M, 1]` and `[1, N]` beside an `[M, N]` broadcast as in NumPy: the operators of Python
write the formula as it is read.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS, EPS = 48, 128, 1e-6


@pl.jit
def rms_norm(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    weight: pl.Tensor[[1, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        mean_square = pl.row_sum(x * x) * (1.0 / COLS)
        scaled = x * pl.rsqrt(mean_square + EPS)
        out = scaled * weight
    return out


def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((ROWS, COLS)).astype(np.float32)
    weight = rng.uniform(0.5, 1.5, (1, COLS)).astype(np.float32)
    out = np.zeros_like(x)
    rms_norm(x, weight, out)
    wide = x.astype(np.float64)
    expected = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + EPS) * weight
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    print("rms_norm: within 1e-5 of NumPy")


if __name__ == "__main__":
    main()
