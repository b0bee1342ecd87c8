"""Flash attention on the Ascend 950, of the tiling-key page: 14 key fields, of which
HasAtten selects causal or full attention, in FP16 or BF16 by `datatype`.

Queries, keys and values are [batch, sequence, head, d]. A core takes 128 queries of
one head at a time through the tiles of 128 keys, in a loop of one step more than tiles:

    cube    step i: scores of tile i           product of tile i - 1
    vector  step i: probabilities of tile i    output of tile i - 1

so that the cube computes scores while the vector cores (each has 64 of the rows) work
on those before. SCORES, PROBABILITIES and PRODUCT are the signals between them.
What passes between the cores has two slots, and no signal leads backwards: what writes a
slot again comes after a product, which waited for the probabilities made of what was there.
"""

from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pypto_pro.language as pl
from pypto_pro.runtime.tilingkey import TilingKeyField

SCORES, PROBABILITIES, PRODUCT = 0, 1, 2
KB = 1024


class FaTilingKey:
    KernelTypeKey = TilingKeyField(bits=2, values=[0, 1])
    ImplMode = TilingKeyField(bits=2, values=[0, 1, 2])
    Layout = TilingKeyField(bits=4, values=[0, 1, 2, 3, 4])
    S1TemplateType = TilingKeyField(bits=10, values=[0, 16, 64, 128, 256])
    S2TemplateType = TilingKeyField(bits=10, values=[0, 16, 32, 64, 128, 256, 512])
    DTemplateType = TilingKeyField(
        bits=12, values=[0, 16, 32, 48, 64, 80, 96, 128, 160, 192, 256, 768]
    )
    DvTemplateType = TilingKeyField(
        bits=12, values=[0, 16, 32, 48, 64, 80, 96, 128, 160, 192, 256, 768]
    )
    PseMode = TilingKeyField(bits=4, values=[0, 1, 2, 3, 4, 9])
    HasAtten = TilingKeyField(bits=1, values=[0, 1])
    HasDrop = TilingKeyField(bits=1, values=[0, 1])
    HasRope = TilingKeyField(bits=1, values=[0, 1])
    OutDtype = TilingKeyField(bits=2, values=[0, 1, 2])
    Regbase = TilingKeyField(bits=1, values=[0, 1])
    OptionalDn = TilingKeyField(bits=1, values=[0, 1])

    def is_valid(self, key):
        (kernel, impl, layout, s1, s2, d, dv, pse, _, drop, rope, out, regbase, dn) = key
        fixed = (kernel, impl, layout, s1, s2, d, dv, pse, drop, rope, out, regbase, dn)
        return fixed == (0, 0, 1, 128, 128, 128, 128, 9, 0, 0, 0, 1, 0)


@dataclass
class OpTiling:
    batch: int
    heads: int
    s1: int
    s2: int
    scale: float


def new_maximum(m, new_m, factor, s, row):
    """The running maximum of each row, and what it scales the earlier sums by."""
    pl.row_max(row, s)
    pl.maximum(new_m, m, row)
    pl.sub(factor, m, new_m)
    pl.exp(factor, factor)
    pl.move(m, new_m)


def probabilities(p, s, new_m, total, factor, row):
    pl.expand_sub(s, s, new_m)
    pl.exp(s, s)
    pl.row_sum(row, s)
    pl.mul(total, total, factor)
    pl.add(total, total, row)
    pl.cast(p, s, mode=pl.RoundMode.CAST_RINT)


@pl.jit(
    auto_mutex=True,
    tiling_key=FaTilingKey,
    datatype={"query": "dt", "key": "dt", "value": "dt", "out": "dt"},
)
def flash_attention_score(
    query: pl.Ptr[pl.DT_UINT8],
    key: pl.Ptr[pl.DT_UINT8],
    value: pl.Ptr[pl.DT_UINT8],
    atten_mask: pl.Ptr[pl.DT_FP32],  # what is added to a tile on the diagonal
    out: pl.Ptr[pl.DT_UINT8],
    tiling: OpTiling,
):
    b, n, s1, s2 = tiling.batch, tiling.heads, tiling.s1, tiling.s2
    q = pl.make_tensor(query, [b, s1, n, DTemplateType], dtype=dt)
    k = pl.make_tensor(key, [b, s2, n, DTemplateType], dtype=dt)
    v = pl.make_tensor(value, [b, s2, n, DvTemplateType], dtype=dt)
    o = pl.make_tensor(out, [b, s1, n, DvTemplateType], dtype=dt)
    mask = pl.make_tensor(atten_mask, [S1TemplateType, S2TemplateType])
    half = S1TemplateType // 2

    # The AIC's tiles. A key tile lies transposed, [d, keys], which is layout ZN.
    q_type = pl.TileType([S1TemplateType, DTemplateType], dt, pl.MemorySpace.Mat)
    k_type = pl.TileType([DTemplateType, S2TemplateType], dt, pl.MemorySpace.Mat, layout=pl.ZN)
    v_type = pl.TileType([S2TemplateType, DvTemplateType], dt, pl.MemorySpace.Mat)
    p_type = pl.TileType([S1TemplateType, S2TemplateType], dt, pl.MemorySpace.Mat)
    q_mat = pl.make_tile_group(type=q_type, addrs=[0, 32 * KB], mutex_ids=[0, 1])
    k_mat = pl.make_tile_group(type=k_type, addrs=[64 * KB, 96 * KB], mutex_ids=[2, 3])
    v_mat = pl.make_tile_group(type=v_type, addrs=[128 * KB, 160 * KB], mutex_ids=[4, 5])
    p_mat = pl.make_tile_group(type=p_type, addrs=[192 * KB, 224 * KB], depth=2)
    q_left_type = pl.TileType([S1TemplateType, DTemplateType], dt, pl.MemorySpace.Left)
    p_left_type = pl.TileType([S1TemplateType, S2TemplateType], dt, pl.MemorySpace.Left)
    k_right_type = pl.TileType([DTemplateType, S2TemplateType], dt, pl.MemorySpace.Right)
    v_right_type = pl.TileType([S2TemplateType, DvTemplateType], dt, pl.MemorySpace.Right)
    q_left = pl.make_tile_group(type=q_left_type, addrs=0, mutex_ids=[6])
    p_left = pl.make_tile_group(type=p_left_type, addrs=32 * KB, mutex_ids=[7])
    k_right = pl.make_tile_group(type=k_right_type, addrs=0, mutex_ids=[8])
    v_right = pl.make_tile_group(type=v_right_type, addrs=32 * KB, mutex_ids=[9])
    s_acc_type = pl.TileType([S1TemplateType, S2TemplateType], pl.DT_FP32, pl.MemorySpace.Acc)
    o_acc_type = pl.TileType([S1TemplateType, DvTemplateType], pl.DT_FP32, pl.MemorySpace.Acc)
    s_acc = pl.make_tile_group(type=s_acc_type, addrs=[0, 64 * KB], mutex_ids=[10, 11])
    o_acc = pl.make_tile_group(type=o_acc_type, addrs=[128 * KB, 192 * KB], mutex_ids=[12, 13])

    # The tiles of each AIV. What only the vector unit and the other core touch needs no mutex.
    # Above 209.5 KB there is room for what the compiler needs on the way.
    s_type = pl.TileType([half, S2TemplateType], pl.DT_FP32)
    o_type = pl.TileType([half, DvTemplateType], pl.DT_FP32)
    p_vec_type = pl.TileType([half, S2TemplateType], dt)
    s_vec = pl.make_tile_group(type=s_type, addrs=[0, 32 * KB], depth=2)
    product = pl.make_tile_group(type=o_type, addrs=[64 * KB, 96 * KB], depth=2)
    p_vec = pl.make_tile_group(type=p_vec_type, addrs=128 * KB, mutex_ids=[14])
    o_vec = pl.make_tile(o_type, addr=144 * KB)
    mask_vec = pl.make_tile_group(type=s_type, addrs=176 * KB, mutex_ids=[15])
    column = pl.TileType([half, 1], pl.DT_FP32, layout=pl.DN)
    m = pl.make_tile(column, addr=208 * KB)
    new_m = pl.make_tile(column, addr=208 * KB + 256)
    total = pl.make_tile(column, addr=208 * KB + 512)
    row = pl.make_tile(column, addr=208 * KB + 768)
    factor = pl.make_tile_group(type=column, addrs=209 * KB, depth=2)

    core = pl.get_block_idx() // pl.get_subblock_num()
    q_tiles = s1 // S1TemplateType
    skv_tiles = s2 // S2TemplateType
    pieces = b * n * q_tiles
    with pl.section_cube():
        for piece in pl.range(core, pieces, pl.get_block_num()):
            bi = piece // (n * q_tiles)
            ni = piece // q_tiles % n
            qi = piece % q_tiles
            causal_skv = skv_tiles
            if HasAtten == 1:
                causal_skv = qi + 1
            q_tile = q_mat.next()
            pl.load(q_tile, q, [bi, qi * S1TemplateType, ni, 0], order=[1, 3])
            pl.move(q_left[0], q_tile)
            for ki in pl.range(causal_skv + 1):
                if ki < causal_skv:
                    k_tile = k_mat.next()
                    acc = s_acc.next()
                    pl.load(k_tile, k, [bi, ki * S2TemplateType, ni, 0], order=[3, 1])
                    pl.move(k_right[0], k_tile)
                    pl.matmul(acc, q_left[0], k_right[0])
                    pl.move(s_vec.next(), acc, acc_to_vec_mode=pl.AccToVecMode.DualModeSplitM)
                    pl.system.set_cross_core(pipe=pl.PipeType.FIX, event_id=SCORES)
                if ki > 0:
                    v_tile = v_mat.next()
                    acc = o_acc.next()
                    pl.load(v_tile, v, [bi, (ki - 1) * S2TemplateType, ni, 0], order=[1, 3])
                    pl.move(v_right[0], v_tile)
                    pl.system.wait_cross_core(pipe=pl.PipeType.MTE1, event_id=PROBABILITIES)
                    pl.move(p_left[0], p_mat.next())
                    pl.matmul(acc, p_left[0], v_right[0])
                    pl.move(product.next(), acc, acc_to_vec_mode=pl.AccToVecMode.DualModeSplitM)
                    pl.system.set_cross_core(pipe=pl.PipeType.FIX, event_id=PRODUCT)

    with pl.section_vector():
        first = pl.get_subblock_idx() * half
        tile = 0  # counts the tiles of keys of all pieces
        if HasAtten == 1:
            pl.load(mask_vec[0], mask, [first, 0])
        for piece in pl.range(core, pieces, pl.get_block_num()):
            bi = piece // (n * q_tiles)
            ni = piece // q_tiles % n
            qi = piece % q_tiles
            causal_skv = skv_tiles
            if HasAtten == 1:
                causal_skv = qi + 1
            pl.expands(m, -1e30)
            pl.expands(total, 0.0)
            pl.expands(o_vec, 0.0)
            for ki in pl.range(causal_skv + 1):
                if ki < causal_skv:
                    s = s_vec.next()
                    pl.system.wait_cross_core(pipe=pl.PipeType.V, event_id=SCORES)
                    pl.mul(s, s, tiling.scale)
                    if HasAtten == 1:
                        if ki == qi:
                            pl.add(s, s, mask_vec[0])
                    new_maximum(m, new_m, factor[tile % 2], s, row)
                    probabilities(p_vec[0], s, new_m, total, factor[tile % 2], row)
                    pl.insert(p_mat.next(), p_vec[0], [first, 0])
                    pl.system.set_cross_core(pipe=pl.PipeType.MTE3, event_id=PROBABILITIES)
                if ki > 0:
                    pl.expand_mul(o_vec, o_vec, factor[(tile + 1) % 2])
                    pl.system.wait_cross_core(pipe=pl.PipeType.V, event_id=PRODUCT)
                    pl.add(o_vec, o_vec, product.next())
                tile = tile + 1
            tile = tile - 1  # the last step had no scores
            pl.expand_div(o_vec, o_vec, total)
            pl.cast(p_vec[0], o_vec, mode=pl.RoundMode.CAST_RINT)
            pl.store(o, p_vec[0], [bi, qi * S1TemplateType + first, ni, 0], order=[1, 3])


def attention(q, k, v, scale, causal):
    """In FP32, by NumPy; [batch, sequence, head, d]."""
    q, k, v = (x.astype(np.float32).transpose(0, 2, 1, 3) for x in (q, k, v))
    s = q @ k.transpose(0, 1, 3, 2) * np.float32(scale)
    if causal:
        s += np.triu(np.full(s.shape[-2:], -np.inf, np.float32), 1)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True) @ v).transpose(0, 2, 1, 3)


def run(numpy_type, datatype, causal, num_cores=8, b=2, n=4, s=512, d=128):
    """The largest difference from NumPy."""
    base_key = {
        "KernelTypeKey": 0, "ImplMode": 0, "Layout": 1,
        "S1TemplateType": 128, "S2TemplateType": 128,
        "DTemplateType": 128, "DvTemplateType": 128,
        "PseMode": 9, "HasAtten": 0, "HasDrop": 0, "HasRope": 0,
        "OutDtype": 0, "Regbase": 1, "OptionalDn": 0,
    }  # fmt: skip
    rng = np.random.default_rng(0)
    query, key, value = (rng.standard_normal((b, s, n, d)).astype(numpy_type) for _ in range(3))
    out = np.zeros_like(query)
    tiling = OpTiling(batch=b, heads=n, s1=s, s2=s, scale=d**-0.5)
    if causal:
        causal_key = {**base_key, "HasAtten": 1}
        mask = np.triu(np.full((128, 128), -1e30, np.float32), 1)
        flash_attention_score[None, num_cores, causal_key, datatype](
            query, key, value, mask, out, tiling
        )
    else:
        full_key = {**base_key, "HasAtten": 0}
        flash_attention_score[None, num_cores, full_key, datatype](
            query, key, value, None, out, tiling
        )
    expected = attention(query, key, value, tiling.scale, causal)
    return np.abs(out.astype(np.float32) - expected).max()


def main():
    names = ("query", "key", "value", "out")
    for numpy_type, dtype, limit in [
        (np.float16, pl.DT_FP16, 2e-3),
        (ml_dtypes.bfloat16, pl.DT_BF16, 2e-2),
    ]:
        for causal in (True, False):
            error = run(numpy_type, dict.fromkeys(names, dtype), causal)
            kind = "causal" if causal else "full"
            assert error <= limit, f"{kind} attention in {dtype} is off by {error}"
            print(f"flash_attention_score: {kind}, {dtype}: within {limit} of NumPy ({error:.1e})")


if __name__ == "__main__":
    main()
