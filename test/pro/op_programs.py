# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Kernels of one operation, as texts, and data for them."""

import textwrap

import ml_dtypes
import numpy as np

NUMPY = {
    "FP16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "FP32": np.float32,
    **{
        f"{kind}{bits}": getattr(np, f"{kind.lower()}{bits}")
        for kind in ("INT", "UINT")
        for bits in (8, 16, 32, 64)
    },
}
# The chips, and the element types that their vector units compute sums of.
ARCHS = {"a5": ("FP16", "BF16", "FP32", "INT32"), "a3": ("FP16", "FP32", "INT32")}
# What is valid, and the tile around it: whole, fewer columns, fewer of both, several repeats.
SHAPES = (
    ((16, 64), (16, 64)),
    ((8, 53), (8, 64)),
    ((37, 53), (40, 64)),
    ((5, 300), (6, 304)),
    ((1, 17), (1, 32)),
)


def vector_kernel(arch, arrays, tiles, body):
    """A kernel of the vector unit. `arrays`: (name, shape, dtype); `tiles`: (name, shape,
    valid, dtype, layout), laid one behind the other. Its body stands between nothing:
    flags are those of the tiles' mutexes."""
    lines = ["import pypto_pro.language as pl", "", "", f'@pl.jit(arch="{arch}")', "def kernel("]
    lines += [f"    {n}: pl.Tensor[{list(shape)}, pl.DT_{dtype}]," for n, shape, dtype in arrays]
    lines.append("):")
    address = 0
    for number, (name, shape, valid, dtype, layout) in enumerate(tiles):
        more = f", layout=pl.{layout}" if layout else ""
        lines += [
            f"    {name}_type = pl.TileType({list(shape)}, pl.DT_{dtype}, "
            f"valid_shape={list(valid)}{more})",
            f"    {name}_tiles = pl.make_tile_group(type={name}_type, addrs={address}, "
            f"mutex_ids=[{number}])",
            f"    {name} = {name}_tiles[0]",
        ]
        size = np.dtype(NUMPY[dtype]).itemsize
        address += -(-shape[0] * shape[1] * size // 32) * 32
    lines.append("    with pl.section_vector():")
    lines.append(textwrap.indent(textwrap.dedent(body).strip(), " " * 8))
    return "\n".join(lines) + "\n"


def numbers(rng, shape, dtype, low=-4.0, high=4.0):
    if "INT" in dtype:
        info = np.iinfo(NUMPY[dtype])
        return rng.integers(info.min, info.max, shape, NUMPY[dtype], endpoint=True)
    return rng.uniform(low, high, shape).astype(NUMPY[dtype])


def wide(x):
    """What the vector unit computes in: FP32 of floats."""
    return x if x.dtype.kind in "iu" else x.astype(np.float32)


def bits(x):
    """To compare bit for bit, NaN and the sign of zero too."""
    return x.view(f"u{x.dtype.itemsize}")
