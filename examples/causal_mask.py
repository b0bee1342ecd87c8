"""A causal mask: score [i, j] is kept where j <= i, and becomes a large negative number else.

`tri` makes a triangle of ones, a comparison makes a mask of bits of it, and `sel` chooses
between two tiles by the bits of a mask.
"""

import numpy as np
import pypto.language as pl

SIDE, AWAY = 64, -1e30


@pl.jit.incore
def mask_scores(
    scores: pl.Tensor[[SIDE, SIDE], pl.FP32],
    out: pl.Out[pl.Tensor[[SIDE, SIDE], pl.FP32]],
):
    t = pl.load(scores, [0, 0], [SIDE, SIDE])
    triangle = pl.tile.tri(0, [SIDE, SIDE], dtype=pl.FP32)
    keep = pl.tile.cmps(triangle, 0.5, cmp_type=4)
    away = pl.tile.full([SIDE, SIDE], pl.FP32, AWAY)
    tmp = pl.tile.create([1, 32], pl.UINT8)
    pl.store(pl.tile.sel(keep, t, away, tmp), [0, 0], out)
    return out


@pl.jit
def causal(
    scores: pl.Tensor[[SIDE, SIDE], pl.FP32],
    out: pl.Out[pl.Tensor[[SIDE, SIDE], pl.FP32]],
):
    out = mask_scores(scores, out)
    return out


def main():
    scores = np.random.default_rng(0).standard_normal((SIDE, SIDE)).astype(np.float32)
    out = np.zeros_like(scores)
    causal(scores, out)
    expected = np.where(np.tri(SIDE, dtype=bool), scores, np.float32(AWAY))
    np.testing.assert_array_equal(out, expected)
    print("causal_mask: equal to NumPy")


if __name__ == "__main__":
    main()
