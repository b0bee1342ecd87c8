"""c = a @ b, each tile of c by two cores that share K and add up in DDR.

Each core runs through its half of K in steps of 64: `pl.matmul` begins the accumulator,
`pl.matmul_acc` adds to it. The tiles of a and b have two slots in Mat and in Left and
Right, so that loads, moves and products overlap.
"""

import numpy as np
import pypto_pro.language as pl

M, N, K = 256, 256, 1024
TILE_M, TILE_N, TILE_K, SPLITS = 128, 128, 64, 2
KB = 1024


@pl.jit(auto_mutex=True)
def matmul_k_split(
    a: pl.Tensor[[M, K], pl.DT_FP16],
    b: pl.Tensor[[K, N], pl.DT_FP16],
    c: pl.Tensor[[M, N], pl.DT_FP32],
):
    with pl.section_cube():
        mat = pl.MemorySpace.Mat
        a_mat = pl.make_tile_group(
            type=pl.TileType([TILE_M, TILE_K], pl.DT_FP16, mat),
            addrs=[0, 16 * KB],
            mutex_ids=[0, 1],
        )
        b_mat = pl.make_tile_group(
            type=pl.TileType([TILE_K, TILE_N], pl.DT_FP16, mat),
            addrs=[32 * KB, 48 * KB],
            mutex_ids=[2, 3],
        )
        a_left = pl.make_tile_group(
            type=pl.TileType([TILE_M, TILE_K], pl.DT_FP16, pl.MemorySpace.Left),
            addrs=[0, 16 * KB],
            mutex_ids=[4, 5],
        )
        b_right = pl.make_tile_group(
            type=pl.TileType([TILE_K, TILE_N], pl.DT_FP16, pl.MemorySpace.Right),
            addrs=[0, 16 * KB],
            mutex_ids=[6, 7],
        )
        c_acc = pl.make_tile_group(
            type=pl.TileType([TILE_M, TILE_N], pl.DT_FP32, pl.MemorySpace.Acc),
            addrs=[0, 64 * KB],
            mutex_ids=[8, 9],
        )
        columns = N // TILE_N
        parts = (M // TILE_M) * columns * SPLITS
        for part in pl.range(pl.get_block_idx(), parts, pl.get_block_num()):
            tile = part // SPLITS
            row = tile // columns * TILE_M
            column = tile % columns * TILE_N
            first = part % SPLITS * (K // SPLITS)
            acc = c_acc.next()
            for k in pl.range(first, first + K // SPLITS, TILE_K):
                a_tile = a_mat.next()
                b_tile = b_mat.next()
                left = a_left.next()
                right = b_right.next()
                pl.load(a_tile, a, [row, k])
                pl.load(b_tile, b, [k, column])
                pl.move(left, a_tile)
                pl.move(right, b_tile)
                if k == first:
                    pl.matmul(acc, left, right)
                else:
                    pl.matmul_acc(acc, acc, left, right)
            pl.store(c, acc, [row, column], atomic=pl.AtomicType.AtomicAdd)


def main():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((M, K)).astype(np.float16)
    b = rng.standard_normal((K, N)).astype(np.float16)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    for cores in (8, 3):
        c = np.zeros((M, N), np.float32)  # the cores add to it
        matmul_k_split[None, cores](a, b, c)
        np.testing.assert_allclose(c, expected, atol=2e-3)
        print(f"matmul_k_split: on {cores} cores: within 2e-3 of NumPy")


if __name__ == "__main__":
    main()
