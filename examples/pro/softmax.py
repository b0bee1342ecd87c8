"""Softmax of rows, with the flags written by hand: auto_mutex=False.

Two events in each direction: "forward" ones say that data is there, "backward" ones
that a tile is free again. Nothing has been freed when the loop begins, so the backward
ones are set once in front of it (primed), and waited for once behind it.

The width of x is STATIC: each width is compiled for, so that it can be a tile's.
"""

import numpy as np
import pypto_pro.language as pl

ROWS = 32
KB = 1024


@pl.jit(auto_mutex=False)
def softmax(
    x: pl.Tensor[[pl.DYNAMIC, pl.STATIC], pl.DT_FP32],
    out: pl.Tensor[[pl.DYNAMIC, pl.STATIC], pl.DT_FP32],
):
    mte2, v, mte3 = pl.PipeType.MTE2, pl.PipeType.V, pl.PipeType.MTE3
    width = x.shape[1]
    block = pl.TileType([ROWS, width], pl.DT_FP32)
    column = pl.TileType([ROWS, 1], pl.DT_FP32, layout=pl.DN)
    source = pl.make_tile_group(type=block, addrs=0, depth=2)
    result = pl.make_tile_group(type=block, addrs=2 * ROWS * width * 4, depth=2)
    largest = pl.make_tile(column, addr=4 * ROWS * width * 4)
    total = pl.make_tile(column, addr=4 * ROWS * width * 4 + 4 * ROWS)

    for i in pl.range(2):
        pl.system.sync_src(set_pipe=v, wait_pipe=mte2, event_id=i)
        pl.system.sync_src(set_pipe=mte3, wait_pipe=v, event_id=i)
    slot = 0
    step = pl.get_block_num() * ROWS
    for row in pl.range(pl.get_block_idx() * ROWS, x.shape[0], step):
        s = source[slot]
        r = result[slot]
        pl.system.sync_dst(set_pipe=v, wait_pipe=mte2, event_id=slot)
        pl.load(s, x, [row, 0])
        pl.system.sync_src(set_pipe=mte2, wait_pipe=v, event_id=slot)
        pl.system.sync_dst(set_pipe=mte2, wait_pipe=v, event_id=slot)
        pl.system.sync_dst(set_pipe=mte3, wait_pipe=v, event_id=slot)
        pl.row_max(largest, s)
        pl.expand_sub(r, s, largest)
        pl.exp(r, r)
        pl.row_sum(total, r)
        pl.expand_div(r, r, total)
        pl.system.sync_src(set_pipe=v, wait_pipe=mte2, event_id=slot)
        pl.system.sync_src(set_pipe=v, wait_pipe=mte3, event_id=slot)
        pl.system.sync_dst(set_pipe=v, wait_pipe=mte3, event_id=slot)
        pl.store(out, r, [row, 0])
        pl.system.sync_src(set_pipe=mte3, wait_pipe=v, event_id=slot)
        slot = 1 - slot
    for i in pl.range(2):
        pl.system.sync_dst(set_pipe=v, wait_pipe=mte2, event_id=i)
        pl.system.sync_dst(set_pipe=mte3, wait_pipe=v, event_id=i)


def main():
    rng = np.random.default_rng(0)
    for rows, width in [(512, 256), (128, 64)]:
        x = rng.standard_normal((rows, width)).astype(np.float32)
        out = np.zeros_like(x)
        softmax[None, 4](x, out)
        e = np.exp(x - x.max(axis=1, keepdims=True))
        np.testing.assert_allclose(out, e / e.sum(axis=1, keepdims=True), atol=1e-6)
        print(f"softmax: {rows} rows of {width}: within 1e-6 of NumPy")


if __name__ == "__main__":
    main()
