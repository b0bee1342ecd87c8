"""c = a @ b with a tiling key: BlockM decides the tile shape, Relu what is stored.

One source, one kernel compiled for each key that is launched. Small matrices have
more pieces of work, and so more cores, with BlockM = 64; large ones are quicker with
128, where b is loaded half as often.
"""

import numpy as np
import pypto_pro.language as pl
from pypto_pro.runtime.tilingkey import TilingKeyField

N, K = 128, 128
KB = 1024


class MatmulKey:
    BlockM = TilingKeyField(bits=2, values=[32, 64, 128])
    Relu = TilingKeyField(bits=1, values=[0, 1])

    def is_valid(self, key):
        block_m, relu = key
        return relu == 0 or block_m >= 64


@pl.jit(auto_mutex=True, tiling_key=MatmulKey)
def matmul(
    a: pl.Tensor[[pl.DYNAMIC, K], pl.DT_FP16],
    b: pl.Tensor[[K, N], pl.DT_FP16],
    c: pl.Tensor[[pl.DYNAMIC, N], pl.DT_FP32],
):
    mat, left, right = pl.MemorySpace.Mat, pl.MemorySpace.Left, pl.MemorySpace.Right
    with pl.section_cube():
        a_type = pl.TileType([BlockM, K], pl.DT_FP16, mat)
        a_mat = pl.make_tile_group(type=a_type, addrs=[0, 32 * KB], mutex_ids=[0, 1])
        b_type = pl.TileType([K, N], pl.DT_FP16, mat)
        b_mat = pl.make_tile_group(type=b_type, addrs=64 * KB, mutex_ids=[2])
        a_left_type = pl.TileType([BlockM, K], pl.DT_FP16, left)
        a_left = pl.make_tile_group(type=a_left_type, addrs=[0, 32 * KB], mutex_ids=[3, 4])
        b_right_type = pl.TileType([K, N], pl.DT_FP16, right)
        b_right = pl.make_tile_group(type=b_right_type, addrs=0, mutex_ids=[5])
        c_type = pl.TileType([BlockM, N], pl.DT_FP32, pl.MemorySpace.Acc)
        c_acc = pl.make_tile_group(type=c_type, addrs=[0, 64 * KB], mutex_ids=[6, 7])
        pl.load(b_mat[0], b, [0, 0])
        pl.move(b_right[0], b_mat[0])
        for i in pl.range(pl.get_block_idx(), a.shape[0] // BlockM, pl.get_block_num()):
            tile = a_mat.next()
            moved = a_left.next()
            acc = c_acc.next()
            pl.load(tile, a, [i * BlockM, 0])
            pl.move(moved, tile)
            pl.matmul(acc, moved, b_right[0])
            if Relu == 1:
                pl.store(c, acc, [i * BlockM, 0], relu_pre_mode=pl.ReluPreMode.NormalRelu)
            else:
                pl.store(c, acc, [i * BlockM, 0])


def main():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((512, K)).astype(np.float16)
    b = rng.standard_normal((K, N)).astype(np.float16)
    product = a.astype(np.float64) @ b.astype(np.float64)
    for block_m, relu in [(32, 0), (64, 0), (128, 0), (64, 1), (128, 1)]:
        c = np.zeros((512, N), np.float32)
        matmul[None, 4, {"BlockM": block_m, "Relu": relu}](a, b, c)
        expected = np.maximum(product, 0) if relu else product
        np.testing.assert_allclose(c, expected, atol=1e-3)
        print(f"matmul: BlockM = {block_m}, Relu = {relu}: within 1e-3 of NumPy")
    try:
        matmul[None, 4, {"BlockM": 32, "Relu": 1}](a, b, c)
    except ValueError as error:
        print(f"refused: {str(error).strip().splitlines()[0]}")
    else:
        raise SystemExit("a key that is_valid refuses was launched")


if __name__ == "__main__":
    main()
