# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Comparison and selection in PyPTO Pro, against NumPy."""

import numpy as np
import op_programs as programs
import pytest
from op_programs import NUMPY, numbers

ARCHS = ("a3", "a5")
COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
MODES = list(COMPARE)


def edges(rng, shape, dtype):
    """Numbers with the largest, the smallest and, of floats, what is no number among them."""
    x = numbers(rng, shape, dtype)
    if "INT" in dtype:
        info = np.iinfo(NUMPY[dtype])
        x.flat[:4] = [info.min, info.max, 0, 1]
    else:
        x.flat[:5] = [np.inf, -np.inf, np.nan, 0.0, -0.0]
    return x


def choose(load, arch, dtype, compared, chosen, x, y, more=()):
    """The mask of `compared`, by which `chosen` writes out; gives out and the mask."""
    valid, shape = x.shape, (x.shape[0], 64)
    bytes_ = -(-valid[1] // 8)
    arrays = [("x", valid, dtype), ("y", valid, dtype), ("z", valid, dtype)]
    arrays.append(("m", (valid[0], bytes_), "UINT8"))
    tiles = [(f"{n}_t", shape, valid, dtype, "") for n in ("x", "y")]
    tiles += [("out", shape, valid, dtype, ""), ("tmp", shape, valid, dtype, "")]
    tiles.append(("mask", (shape[0], 32), (shape[0], bytes_), "UINT8", ""))
    body = f"""pl.load(x_t, x, [0, 0])
pl.load(y_t, y, [0, 0])
{compared}
{chosen}
pl.store(z, out, [0, 0])
pl.store(m, mask, [0, 0])"""
    z, m = np.zeros(valid, NUMPY[dtype]), np.zeros((valid[0], bytes_), np.uint8)
    load(programs.vector_kernel(arch, arrays, tiles, body)).kernel[None, 1](x, y, z, m)
    found = np.unpackbits(m, axis=1, bitorder="little")[:, : valid[1]].astype(bool)
    return z, found


@pytest.mark.parametrize("name", COMPARE)
@pytest.mark.parametrize(
    ("arch", "dtype"),
    [(arch, dtype) for arch in ARCHS for dtype in NUMPY if arch == "a5" or "64" not in dtype],
)
def test_select_by_comparison(arch, dtype, name, load):
    rng = np.random.default_rng(3)
    x, y = (edges(rng, (9, 53), dtype) for _ in range(2))
    y[::2] = x[::2]
    z, mask = choose(
        load,
        arch,
        dtype,
        f"pl.{name}(mask, x_t, y_t)",
        "pl.select(out, mask, x_t, y_t, tmp)",
        x,
        y,
    )
    wanted = COMPARE[name](x, y)
    np.testing.assert_array_equal(mask, wanted)
    np.testing.assert_array_equal(programs.bits(z), programs.bits(np.where(wanted, x, y)))


@pytest.mark.parametrize("cmp_type", [*range(6), *(f"pl.CompareMode.{m.upper()}" for m in MODES)])
@pytest.mark.parametrize(("arch", "dtype"), [("a3", "FP16"), ("a3", "INT32"), ("a5", "INT16")])
def test_cmp_by_its_type(arch, dtype, cmp_type, load):
    rng = np.random.default_rng(4)
    x, y = (edges(rng, (5, 64), dtype) for _ in range(2))
    y[:, 1::2] = x[:, 1::2]
    number = cmp_type if isinstance(cmp_type, int) else MODES.index(cmp_type[-2:].lower())
    for name, other, right in (("cmp", "y_t", y), ("cmps", "1", NUMPY[dtype](1))):
        compared = f"pl.{name}(mask, x_t, {other}, cmp_type={cmp_type})"
        z, mask = choose(load, arch, dtype, compared, "pl.sel(out, mask, x_t, y_t)", x, y)
        np.testing.assert_array_equal(mask, COMPARE[MODES[number]](x, right))
        np.testing.assert_array_equal(programs.bits(z), programs.bits(np.where(mask, x, y)))


@pytest.mark.parametrize("tmp", ["tmp", "None"])
@pytest.mark.parametrize(
    ("arch", "dtype"), [("a3", "FP32"), ("a3", "INT8"), ("a5", "BF16"), ("a5", "UINT64")]
)
def test_a_scalar_is_chosen(arch, dtype, tmp, load):
    rng = np.random.default_rng(5)
    x, y = (edges(rng, (9, 53), dtype) for _ in range(2))
    z, mask = choose(
        load,
        arch,
        dtype,
        "pl.gt(mask, x_t, y_t)",
        f"pl.sels(out, mask, x_t, {tmp}, 7)",
        x,
        y,
    )
    wanted = np.where(x > y, x, NUMPY[dtype](7))
    np.testing.assert_array_equal(programs.bits(z), programs.bits(wanted))


def test_the_910b_compares_no_64_bits(load):
    import pypto

    x = np.zeros((9, 53), np.int64)
    with pytest.raises(pypto.CompileError) as error:
        choose(load, "a3", "INT64", "pl.lt(mask, x_t, y_t)", "pl.sel(out, mask, x_t, y_t)", x, x)
    found = error.value.diagnostics[0]
    assert all(w in found.message for w in ("910B", "INT64")) and found.line > 1


def test_extents_of_the_run(load):
    text = """
import pypto_pro.language as pl

@pl.jit
def kernel(x: pl.Tensor[[pl.DYNAMIC, pl.DYNAMIC], pl.DT_INT16],
           z: pl.Tensor[[pl.DYNAMIC, pl.DYNAMIC], pl.DT_INT16]):
    kind = pl.TileType([32, 64], pl.DT_INT16, valid_shape=[-1, -1])
    a = pl.make_tile_group(type=kind, addrs=0, mutex_ids=[0])
    b = pl.make_tile_group(type=kind, addrs=8192, mutex_ids=[1])
    mask = pl.make_tile(pl.TileType([32, 32], pl.DT_UINT8), addr=16384)
    for row in pl.range(0, x.shape[0], 32):
        for col in pl.range(0, x.shape[1], 64):
            pl.set_validshape(a, [pl.min(x.shape[0] - row, 32), pl.min(x.shape[1] - col, 64)])
            pl.set_validshape(b, [pl.min(x.shape[0] - row, 32), pl.min(x.shape[1] - col, 64)])
            pl.load(a[0], x, [row, col])
            pl.cmps(mask, a[0], 0, cmp_type=pl.CompareMode.LT)
            pl.sels(b[0], mask, a[0], None, 9)
            pl.store(z, b[0], [row, col])
"""
    kernel = load(text).kernel
    for shape in ((32, 64), (75, 130), (1, 1)):
        x = numbers(np.random.default_rng(9), shape, "INT16")
        z = np.zeros_like(x)
        kernel[None, 1](x, z)
        np.testing.assert_array_equal(z, np.where(x < 0, x, 9))
