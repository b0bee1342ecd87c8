"""One kernel on several blocks, in the three forms of pl.spmd: a loop whose variable is the
block, a launch of a kernel that asks for its block, and a region with a task id."""

import numpy as np
import pypto.language as pl

ROWS, COLS, BLOCK = 512, 256, 64
BLOCKS = ROWS // BLOCK
Matrix = pl.Tensor[[ROWS, COLS], pl.FP32]


@pl.jit.incore
def scale_rows(x: Matrix, factor: pl.Scalar[pl.FP32], out: pl.Out[Matrix]):
    # Blocks take rows in turn, so any number of them does the work.
    first = pl.tile.get_block_idx() * BLOCK
    for row in pl.range(first, ROWS, pl.tile.get_block_num() * BLOCK):
        t = pl.load(x, [row, 0], [BLOCK, COLS])
        pl.store(pl.mul(t, factor), [row, 0], out)
    return out


@pl.jit
def normalise(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    blocks: pl.Scalar[pl.INDEX],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    shifted = pl.create_tensor([ROWS, COLS], pl.FP32)
    scaled = pl.create_tensor([ROWS, COLS], pl.FP32)
    # Each block has its own rows: i is the block.
    for i in pl.spmd(BLOCKS, name_hint="shift"):
        t = pl.load(x, [i * BLOCK, 0], [BLOCK, COLS])
        mean = pl.mul(pl.row_sum(t), 1.0 / COLS)
        pl.store(pl.row_expand_sub(t, mean), [i * BLOCK, 0], shifted)
    # A kernel on as many blocks as the caller says.
    with pl.spmd(blocks):
        scale_rows(shifted, 0.5, scaled)
    # A region that asks for its block; its task id may be waited for.
    with pl.spmd(BLOCKS, name_hint="square") as squared:
        row = pl.tile.get_block_idx() * BLOCK
        t = pl.load(scaled, [row, 0], [BLOCK, COLS])
        pl.store(pl.mul(t, t), [row, 0], shifted)
    with pl.spmd(BLOCKS, deps=[squared], name_hint="root") as _:
        row = pl.tile.get_block_idx() * BLOCK
        t = pl.load(shifted, [row, 0], [BLOCK, COLS])
        pl.store(pl.sqrt(t), [row, 0], out)
    return out


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    expected = np.abs(0.5 * (x - x.mean(axis=1, keepdims=True)))
    for blocks in (1, 3, BLOCKS):
        out = np.zeros_like(x)
        normalise(x, blocks, out)
        np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)
        print(f"spmd: right with {blocks} block{'s' * (blocks > 1)} for scale_rows")


if __name__ == "__main__":
    main()
