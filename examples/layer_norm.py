"""Layer norm of FP16 rows, computed in FP32: (x - mean) / sqrt(variance + eps)."""

import numpy as np
import pypto.language as pl

ROWS, COLS, BLOCK, EPS = 512, 256, 32, 1e-5


@pl.jit.incore
def layer_norm_rows(
    x: pl.Tensor[[ROWS, COLS], pl.FP16],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP16]],
):
    for row in pl.range(0, ROWS, BLOCK):
        t = pl.cast(pl.load(x, [row, 0], [BLOCK, COLS]), pl.FP32)
        mean = pl.mul(pl.row_sum(t), 1.0 / COLS)
        centred = pl.row_expand_sub(t, mean)
        variance = pl.mul(pl.row_sum(pl.mul(centred, centred)), 1.0 / COLS)
        deviation = pl.sqrt(pl.add(variance, EPS))
        y = pl.row_expand_div(centred, deviation)
        pl.store(pl.cast(y, pl.FP16), [row, 0], out)
    return out


@pl.jit
def layer_norm(
    x: pl.Tensor[[ROWS, COLS], pl.FP16],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP16]],
):
    out = layer_norm_rows(x, out)
    return out


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float16)
    out = np.zeros_like(x)
    layer_norm(x, out)
    wide = x.astype(np.float64)
    centred = wide - wide.mean(axis=1, keepdims=True)
    expected = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPS)
    np.testing.assert_allclose(out.astype(np.float64), expected, atol=2e-3)
    print("layer_norm: within 2e-3 of NumPy")


if __name__ == "__main__":
    main()
