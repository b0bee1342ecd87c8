"""softmax(a @ b) in one kernel: the AIC multiplies tile i + 1 while its two AIVs
normalise the rows of tile i.

Cross-core flags are written by hand. FULL says that a tile of the product is there, FREE
that its place may be written again. Both places are free when the kernel begins: the
AIVs set FREE twice in front of their loop (primed), and the AIC takes both back behind its.

`fused` is for the Ascend 950, where the accumulator goes straight to Vec, the upper rows
to AIV 0 and the lower ones to AIV 1. `fused_a3` is the same for the 910B, where data
passes between the cores through DDR, a workspace, only.
"""

import numpy as np
import pypto_pro.language as pl

TILE, HALF, K, N = 128, 64, 128, 128
FULL, FREE = 0, 1
KB = 1024


def product(acc, a_mat, a_left, b_right, a, row):
    """One tile of a @ b, in acc."""
    pl.load(a_mat, a, [row, 0])
    pl.move(a_left, a_mat)
    pl.matmul(acc, a_left, b_right)


def softmax_rows(result, scores, column):
    pl.row_max(column, scores)
    pl.expand_sub(result, scores, column)
    pl.exp(result, result)
    pl.row_sum(column, result)
    pl.expand_div(result, result, column)


@pl.jit
def fused(
    a: pl.Tensor[[pl.DYNAMIC, K], pl.DT_FP16],
    b: pl.Tensor[[K, N], pl.DT_FP16],
    out: pl.Tensor[[pl.DYNAMIC, N], pl.DT_FP32],
):
    a_type = pl.TileType([TILE, K], pl.DT_FP16, pl.MemorySpace.Mat)
    a_mat = pl.make_tile_group(type=a_type, addrs=[0, 32 * KB], mutex_ids=[0, 1])
    b_type = pl.TileType([K, N], pl.DT_FP16, pl.MemorySpace.Mat)
    b_mat = pl.make_tile_group(type=b_type, addrs=64 * KB, mutex_ids=[2])
    left_type = pl.TileType([TILE, K], pl.DT_FP16, pl.MemorySpace.Left)
    a_left = pl.make_tile_group(type=left_type, addrs=[0, 32 * KB], mutex_ids=[3, 4])
    right_type = pl.TileType([K, N], pl.DT_FP16, pl.MemorySpace.Right)
    b_right = pl.make_tile_group(type=right_type, addrs=0, mutex_ids=[5])
    acc_type = pl.TileType([TILE, N], pl.DT_FP32, pl.MemorySpace.Acc)
    accs = pl.make_tile_group(type=acc_type, addrs=[0, 64 * KB], mutex_ids=[6, 7])
    half = pl.TileType([HALF, N], pl.DT_FP32)
    scores = pl.make_tile_group(type=half, addrs=[0, 32 * KB], depth=2)
    results = pl.make_tile_group(type=half, addrs=[64 * KB, 96 * KB], mutex_ids=[8, 9])
    column = pl.make_tile(pl.TileType([HALF, 1], pl.DT_FP32, layout=pl.DN), addr=128 * KB)
    core = pl.get_block_idx() // pl.get_subblock_num()
    tiles = a.shape[0] // TILE
    with pl.section_cube():
        pl.load(b_mat[0], b, [0, 0])
        pl.move(b_right[0], b_mat[0])
        for i in pl.range(core, tiles, pl.get_block_num()):
            acc = accs.next()
            product(acc, a_mat.next(), a_left.next(), b_right[0], a, i * TILE)
            pl.system.wait_cross_core(pipe=pl.PipeType.FIX, event_id=FREE)
            pl.move(scores.next(), acc, acc_to_vec_mode=pl.AccToVecMode.DualModeSplitM)
            pl.system.set_cross_core(pipe=pl.PipeType.FIX, event_id=FULL)
        for _ in pl.range(2):
            pl.system.wait_cross_core(pipe=pl.PipeType.FIX, event_id=FREE)
    with pl.section_vector():
        for _ in pl.range(2):
            pl.system.set_cross_core(pipe=pl.PipeType.V, event_id=FREE)
        for i in pl.range(core, tiles, pl.get_block_num()):
            result = results.next()
            pl.system.wait_cross_core(pipe=pl.PipeType.V, event_id=FULL)
            softmax_rows(result, scores.next(), column)
            pl.system.set_cross_core(pipe=pl.PipeType.V, event_id=FREE)
            pl.store(out, result, [i * TILE + pl.get_subblock_idx() * HALF, 0])


@pl.jit(arch="a3")
def fused_a3(
    a: pl.Tensor[[pl.DYNAMIC, K], pl.DT_FP16],
    b: pl.Tensor[[K, N], pl.DT_FP16],
    workspace: pl.Ptr[pl.DT_FP32],  # two tiles a core
    out: pl.Tensor[[pl.DYNAMIC, N], pl.DT_FP32],
):
    a_type = pl.TileType([TILE, K], pl.DT_FP16, pl.MemorySpace.Mat)
    a_mat = pl.make_tile_group(type=a_type, addrs=[0, 32 * KB], mutex_ids=[0, 1])
    b_type = pl.TileType([K, N], pl.DT_FP16, pl.MemorySpace.Mat)
    b_mat = pl.make_tile_group(type=b_type, addrs=64 * KB, mutex_ids=[2])
    left_type = pl.TileType([TILE, K], pl.DT_FP16, pl.MemorySpace.Left)
    a_left = pl.make_tile_group(type=left_type, addrs=[0, 32 * KB], mutex_ids=[3, 4])
    right_type = pl.TileType([K, N], pl.DT_FP16, pl.MemorySpace.Right)
    b_right = pl.make_tile_group(type=right_type, addrs=0, mutex_ids=[5])
    acc_type = pl.TileType([TILE, N], pl.DT_FP32, pl.MemorySpace.Acc)
    accs = pl.make_tile_group(type=acc_type, addrs=[0, 64 * KB], mutex_ids=[6, 7])
    half = pl.TileType([HALF, N], pl.DT_FP32)
    scores = pl.make_tile_group(type=half, addrs=[0, 32 * KB], mutex_ids=[10, 11])
    results = pl.make_tile_group(type=half, addrs=[64 * KB, 96 * KB], mutex_ids=[8, 9])
    column = pl.make_tile(pl.TileType([HALF, 1], pl.DT_FP32, layout=pl.DN), addr=128 * KB)
    core = pl.get_block_idx() // pl.get_subblock_num()
    tiles = a.shape[0] // TILE
    passed = pl.make_tensor(workspace + core * 2 * TILE * N, [2 * TILE, N])
    slot = 0
    with pl.section_cube():
        pl.load(b_mat[0], b, [0, 0])
        pl.move(b_right[0], b_mat[0])
        for i in pl.range(core, tiles, pl.get_block_num()):
            acc = accs.next()
            product(acc, a_mat.next(), a_left.next(), b_right[0], a, i * TILE)
            pl.system.wait_cross_core(pipe=pl.PipeType.FIX, event_id=FREE)
            pl.store(passed, acc, [slot * TILE, 0])
            pl.system.set_cross_core(pipe=pl.PipeType.FIX, event_id=FULL)
            slot = 1 - slot
        for _ in pl.range(2):
            pl.system.wait_cross_core(pipe=pl.PipeType.FIX, event_id=FREE)
    with pl.section_vector():
        mine = pl.get_subblock_idx() * HALF
        for _ in pl.range(2):
            pl.system.set_cross_core(pipe=pl.PipeType.MTE2, event_id=FREE)
        for i in pl.range(core, tiles, pl.get_block_num()):
            score = scores.next()
            result = results.next()
            pl.system.wait_cross_core(pipe=pl.PipeType.MTE2, event_id=FULL)
            pl.load(score, passed, [slot * TILE + mine, 0])
            pl.system.set_cross_core(pipe=pl.PipeType.MTE2, event_id=FREE)
            softmax_rows(result, score, column)
            pl.store(out, result, [i * TILE + mine, 0])
            slot = 1 - slot


def main():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((1024, K)).astype(np.float16)
    b = (rng.standard_normal((K, N)) / 8).astype(np.float16)
    scores = a.astype(np.float64) @ b.astype(np.float64)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = e / e.sum(axis=1, keepdims=True)
    for name, launch in [
        ("950", lambda out: fused[None, 3](a, b, out)),
        ("910B", lambda out: fused_a3[None, 3](a, b, np.zeros((3 * 2 * TILE, N), np.float32), out)),
    ]:
        out = np.zeros((1024, N), np.float32)
        launch(out)
        np.testing.assert_allclose(out, expected, atol=1e-5)
        print(f"cube_vector on the {name}: within 1e-5 of NumPy")


if __name__ == "__main__":
    main()
