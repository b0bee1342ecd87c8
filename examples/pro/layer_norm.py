"""Layer norm of FP16 rows, computed in FP32, with its parameters in a tiling class.

The helper `mean_of_rows` is a plain Python function, which the kernel inlines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pypto_pro.language as pl

ROWS, COLS = 32, 256
KB = 1024


@dataclass
class NormTiling:
    rows: int
    eps: float


def mean_of_rows(mean, tile):
    pl.row_sum(mean, tile)
    pl.mul(mean, mean, 1.0 / COLS)


@pl.jit
def layer_norm(x: pl.Ptr[pl.DT_FP16], out: pl.Ptr[pl.DT_FP16], tiling: NormTiling):
    source = pl.make_tensor(x, [tiling.rows, COLS])
    target = pl.make_tensor(out, [tiling.rows, COLS])
    half = pl.TileType([ROWS, COLS], pl.DT_FP16)
    full = pl.TileType([ROWS, COLS], pl.DT_FP32)
    column = pl.TileType([ROWS, 1], pl.DT_FP32, layout=pl.DN)
    loaded = pl.make_tile_group(type=half, addrs=[0, 16 * KB], mutex_ids=[0, 1])
    stored = pl.make_tile_group(type=half, addrs=[32 * KB, 48 * KB], mutex_ids=[2, 3])
    # What only the vector unit touches needs no mutex.
    values = pl.make_tile(full, addr=64 * KB)
    squares = pl.make_tile(full, addr=96 * KB)
    mean = pl.make_tile(column, addr=128 * KB)
    deviation = pl.make_tile(column, addr=129 * KB)
    for block in pl.range(pl.get_block_idx(), tiling.rows // ROWS, pl.get_block_num()):
        tile = loaded.next()
        pl.load(tile, source, [block * ROWS, 0])
        pl.cast(values, tile)
        mean_of_rows(mean, values)
        pl.expand_sub(values, values, mean)
        pl.mul(squares, values, values)
        mean_of_rows(deviation, squares)
        pl.add(deviation, deviation, tiling.eps)
        pl.sqrt(deviation, deviation)
        pl.expand_div(values, values, deviation)
        result = stored.next()
        pl.cast(result, values, mode=pl.RoundMode.CAST_RINT)
        pl.store(target, result, [block * ROWS, 0])


def main():
    x = np.random.default_rng(0).standard_normal((512, COLS)).astype(np.float16)
    out = np.zeros_like(x)
    layer_norm[None, 8](x, out, NormTiling(rows=512, eps=1e-5))
    wide = x.astype(np.float64)
    centred = wide - wide.mean(axis=1, keepdims=True)
    expected = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(out.astype(np.float64), expected, atol=2e-3)
    print("layer_norm: within 2e-3 of NumPy")


if __name__ == "__main__":
    main()
