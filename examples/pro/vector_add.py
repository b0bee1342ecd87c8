"""The first Pro kernel: out = x + y, any number of rows, on any number of cores.

No section, so it is a kernel of the vector cores. Each array has two tiles, used in
turn: while one is added, the next is loaded. The mutex ids order the pipes on each.
"""

import numpy as np
import pypto_pro.language as pl

ROWS, COLS = 64, 128
KB = 1024


@pl.jit
def vector_add(
    x: pl.Tensor[[pl.DYNAMIC, COLS], pl.DT_FP32],
    y: pl.Tensor[[pl.DYNAMIC, COLS], pl.DT_FP32],
    out: pl.Tensor[[pl.DYNAMIC, COLS], pl.DT_FP32],
):
    tile = pl.TileType([ROWS, COLS], pl.DT_FP32, valid_shape=[-1, COLS])
    xs = pl.make_tile_group(type=tile, addrs=[0, 32 * KB], mutex_ids=[0, 1])
    ys = pl.make_tile_group(type=tile, addrs=[64 * KB, 96 * KB], mutex_ids=[2, 3])
    sums = pl.make_tile_group(type=tile, addrs=[128 * KB, 160 * KB], mutex_ids=[4, 5])
    rows = x.shape[0]
    step = pl.get_block_num() * ROWS
    for row in pl.range(pl.get_block_idx() * ROWS, rows, step):
        a = xs.next()
        b = ys.next()
        total = sums.next()
        # The last tile may be shorter.
        height = min(ROWS, rows - row)
        pl.set_validshape(a, [height, COLS])
        pl.set_validshape(b, [height, COLS])
        pl.set_validshape(total, [height, COLS])
        pl.load(a, x, [row, 0])
        pl.load(b, y, [row, 0])
        pl.add(total, a, b)
        pl.store(out, total, [row, 0])


def main():
    rng = np.random.default_rng(0)
    for rows, cores in [(1000, 4), (64, 1), (7, 3)]:
        x = rng.standard_normal((rows, COLS)).astype(np.float32)
        y = rng.standard_normal((rows, COLS)).astype(np.float32)
        out = np.zeros_like(x)
        vector_add[None, cores](x, y, out)
        np.testing.assert_array_equal(out, x + y)
        print(f"vector_add: {rows} rows on {cores} cores: equal to NumPy")


if __name__ == "__main__":
    main()
