# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Loads, stores, slices, single elements and views, against NumPy."""

import numpy as np
import pypto
import pytest
from op_programs import ARCHS, NUMPY

HEAD = "import pypto_pro.language as pl\n\nKB = 1024\n\n"


def vector(parameters, body, arch="a5", dtype="FP32", shape=(16, 64), valid=None):
    """A kernel with two tiles a and b of one type, in Vec, each with a mutex of its own."""
    more = f", valid_shape={list(valid)}" if valid else ""
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    return HEAD + (
        f'@pl.jit(arch="{arch}")\ndef kernel({parameters}):\n'
        f"    kind = pl.TileType({list(shape)}, pl.DT_{dtype}{more})\n"
        "    a_tiles = pl.make_tile_group(type=kind, addrs=0, mutex_ids=[0])\n"
        "    b_tiles = pl.make_tile_group(type=kind, addrs=32 * KB, mutex_ids=[1])\n"
        "    a = a_tiles[0]\n    b = b_tiles[0]\n" + lines + "\n"
    )


def values(shape, dtype="FP32", seed=0):
    return np.random.default_rng(seed).integers(-500, 500, shape).astype(NUMPY[dtype])


@pytest.mark.parametrize(("arch", "dtypes"), ARCHS.items())
def test_a_window(arch, dtypes, load):
    for dtype in ("FP16", "BF16", "FP32", "INT32"):
        x = values((40, 130), dtype)
        z = np.zeros((40, 130), NUMPY[dtype])
        tensor = f"pl.Tensor[[40, 130], pl.DT_{dtype}]"
        text = vector(
            f"x: {tensor}, z: {tensor}",
            "pl.load(a, x, [3, 17])\npl.store(z, a, [24, 66])",
            arch,
            dtype,
        )
        load(text).kernel[None, 1](x, z)
        expected = np.zeros_like(z)
        expected[24:40, 66:130] = x[3:19, 17:81]
        np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("arch", ARCHS)
def test_the_valid_part_only(arch, load):
    x, z = values((40, 130)), np.full((40, 130), 9, np.float32)
    text = vector(
        "x: pl.Tensor[[40, 130], pl.DT_FP32], z: pl.Tensor[[40, 130], pl.DT_FP32]",
        "pl.load(a, x, [30, 77])\npl.store(z, a, [0, 0])",
        arch,
        valid=(10, 53),
    )
    load(text).kernel[None, 1](x, z)
    expected = np.full((40, 130), 9, np.float32)
    expected[:10, :53] = x[30:40, 77:130]
    np.testing.assert_array_equal(z, expected)


def test_offsets_of_the_run_and_tile_offsets(load):
    x, z = values((64, 256)), np.zeros((64, 256), np.float32)
    text = vector(
        "x: pl.Tensor[[64, 256], pl.DT_FP32], z: pl.Tensor[[64, 256], pl.DT_FP32], n: pl.DT_INT64",
        """
for i in pl.range(4):
    for j in pl.range(n):
        pl.load_tile(a, x, [i, j])
        pl.adds(b, a, 1.0)
        pl.store(z, b, [i * 16, j * 64])
pl.system.bar_mte3()
pl.load(a, x, [0, 192])
pl.store_tile(z, a, [n - 1, 3])
""",
    )
    load(text).kernel[None, 1](x, z, 4)
    expected = x + 1
    expected[48:, 192:] = x[:16, 192:]
    np.testing.assert_array_equal(z, expected)


def test_axes_of_four_dimensions(load):
    x, z = values((2, 32, 3, 64)), np.zeros((2, 3, 32, 64), np.float32)
    text = vector(
        "x: pl.Tensor[[2, 32, 3, 64], pl.DT_FP32], z: pl.Tensor[[2, 3, 32, 64], pl.DT_FP32]",
        """
for i in pl.range(2):
    for h in pl.range(3):
        for s in pl.range(2):
            pl.load(a, x, [i, s * 16, h, 0], order=[1, 3])
            pl.adds(b, a, 0.0)
            pl.store(z, b, [i, h, s * 16, 0])
""",
    )
    load(text).kernel[None, 1](x, z)
    np.testing.assert_array_equal(z, x.transpose(0, 2, 1, 3))


def test_tile_offsets_of_four_dimensions(load):
    x, z = values((2, 32, 3, 128)), np.zeros((16, 64), np.float32)
    text = vector(
        "x: pl.Tensor[[2, 32, 3, 128], pl.DT_FP32], z: pl.Tensor[[16, 64], pl.DT_FP32]",
        "pl.load_tile(a, x, [1, 1, 2, 1], order=[1, 3])\npl.store(z, a, [0, 0])",
    )
    load(text).kernel[None, 1](x, z)
    np.testing.assert_array_equal(z, x[1, 16:, 2, 64:])


def test_a_line(load):
    x, z = values((300,)), np.zeros((300,), np.float32)
    text = vector(
        "x: pl.Tensor[[300], pl.DT_FP32], z: pl.Tensor[[pl.DYNAMIC], pl.DT_FP32]",
        "pl.load(a, x, [7])\npl.store(z, a, [200])",
        shape=(1, 104),
        valid=(1, 100),
    )
    load(text).kernel[None, 1](x, z)
    np.testing.assert_array_equal(z[200:], x[7:107])
    assert not z[:200].any()


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["FP32", "INT32"])
def test_adding_in_memory(arch, dtype, load):
    x, z = values((16, 64), dtype), values((16, 64), dtype, 1)
    before = z.copy()
    tensor = f"pl.Tensor[[16, 64], pl.DT_{dtype}]"
    text = vector(
        f"x: {tensor}, z: {tensor}",
        "pl.load(a, x, [0, 0])\npl.store(z, a, [0, 0], atomic=pl.AtomicType.AtomicAdd)",
        arch,
        dtype,
    )
    load(text).kernel[None, 1](x, z)
    np.testing.assert_array_equal(z, before + x)


# Pointers and views.


def test_a_view_of_bytes(load):
    memory = np.zeros(8192, np.uint8)
    floats = memory[256:].view(np.float32)
    floats[: 16 * 80] = np.arange(16 * 80)
    text = vector(
        "p: pl.Ptr[pl.DT_UINT8], n: pl.DT_INT64, z: pl.Tensor[[16, 64], pl.DT_FP32]",
        """
q = pl.make_ptr(p + 256, pl.DT_FP32)
x = pl.make_tensor(pl.addptr(q, n), [16, 64], [80, 1])
pl.load(a, x, [0, 0])
pl.store(z, a, [0, 0])
""",
    )
    z = np.zeros((16, 64), np.float32)
    load(text).kernel[None, 1](memory[:], 5, z)
    np.testing.assert_array_equal(z, (np.arange(16 * 80).reshape(16, 80) + 5)[:, :64])


def test_changing_strides(load):
    x, z = values((32, 64)), np.zeros((16, 64), np.float32)
    text = vector(
        "x: pl.Tensor[[32, 64], pl.DT_FP32], z: pl.Tensor[[16, 64], pl.DT_FP32]",
        "even = pl.make_tensor(x, [16, 64])\npl.set_stride(even, [128, 1])\n"
        "pl.load(a, even, [0, 0])\npl.store(z, a, [0, 0])",
    )
    load(text).kernel[None, 1](x, z)
    np.testing.assert_array_equal(z, x[::2])


def test_an_array_that_may_not_be_there(load):
    text = vector(
        "p: pl.Ptr[pl.DT_FP32], z: pl.Tensor[[16, 64], pl.DT_FP32]",
        """
if p is None:
    pl.expands(a, 1.0)
else:
    pl.load(a, pl.make_tensor(p, [16, 64]), [0, 0])
pl.store(z, a, [0, 0])
""",
    )
    x, z = values((16, 64)), np.zeros((16, 64), np.float32)
    kernel = load(text).kernel
    kernel[None, 1](x, z)
    np.testing.assert_array_equal(z, x)
    kernel[None, 1](None, z)
    assert (z == 1).all()


# Single elements and slices.


def test_elements_in_ddr(load):
    text = vector(
        "n: pl.Tensor[[8], pl.DT_INT32], u: pl.Tensor[[2, 3], pl.DT_UINT8], p: pl.Ptr[pl.DT_FP32]",
        """
for i in pl.range(4):
    n[i + 4] = n[i] * 2 + 1
v = u[1, 2]
u[0, 0] = v + 1
u[0, 1] = 200
pl.setval(p, 3, pl.getval(p, 0) * 0.5)
pl.setval(u, 5, 7)
pl.system.dcci(n, cache_line=pl.CacheLine.ENTIRE_DATA_CACHE)
""",
    )
    n = np.arange(8, dtype=np.int32)
    u = np.full((2, 3), 250, np.uint8)
    p = np.full(4, 3, np.float32)
    load(text).kernel[None, 1](n, u, p)
    np.testing.assert_array_equal(n, [0, 1, 2, 3, 1, 3, 5, 7])
    np.testing.assert_array_equal(u, [[251, 200, 250], [250, 250, 7]])
    np.testing.assert_array_equal(p, [3, 3, 3, 1.5])


WITH_FLAGS = """
S, V, MTE2, MTE3 = pl.PipeType.S, pl.PipeType.V, pl.PipeType.MTE2, pl.PipeType.MTE3
"""


def test_elements_of_a_tile(load):
    text = vector(
        "x: pl.Tensor[[16, 64], pl.DT_FP32], z: pl.Tensor[[16, 64], pl.DT_FP32]",
        WITH_FLAGS
        + """
pl.load(a, x, [0, 0])
pl.system.sync_src(set_pipe=MTE2, wait_pipe=S, event_id=0)
pl.system.sync_dst(set_pipe=MTE2, wait_pipe=S, event_id=0)
for i in pl.range(16):
    a[i, 1] = a[i, 0] + pl.getval(a, i * 64 + 2)
pl.setval(a, 3, 5)
pl.system.sync_src(set_pipe=S, wait_pipe=MTE3, event_id=0)
pl.system.sync_dst(set_pipe=S, wait_pipe=MTE3, event_id=0)
pl.store(z, a, [0, 0])
""",
    )
    x, z = values((16, 64)), np.zeros((16, 64), np.float32)
    load(text).kernel[None, 1](x, z)
    expected = x.copy()
    expected[:, 1] = x[:, 0] + x[:, 2]
    expected[0, 3] = 5
    np.testing.assert_array_equal(z, expected)


def test_slices(load):
    text = vector(
        "x: pl.Tensor[[16, 64], pl.DT_FP32], z: pl.Tensor[[16, 64], pl.DT_FP32]",
        """
pl.load(a, x, [0, 0])
pl.expands(b, 0.0)
for i in pl.range(4):
    upper = a[i * 4:i * 4 + 4, 0:32]
    pl.adds(b[i * 4:(i + 1) * 4, 32:], upper, 1.0)
pl.store(z, b, [0, 0])
""",
    )
    x, z = values((16, 64)), np.zeros((16, 64), np.float32)
    load(text).kernel[None, 1](x, z)
    expected = np.zeros_like(z)
    expected[:, 32:] = x[:, :32] + 1
    np.testing.assert_array_equal(z, expected)


def test_a_slice_of_what_is_valid(load):
    text = vector(
        "x: pl.Tensor[[11, 60], pl.DT_FP32], z: pl.Tensor[[16, 64], pl.DT_FP32]",
        "pl.load(a, x, [0, 0])\npl.store(z, a[8:16, 32:64], [8, 32])",
        valid=(11, 60),
    )
    x, z = values((11, 60)), np.zeros((16, 64), np.float32)
    load(text).kernel[None, 1](x, z)
    expected = np.zeros_like(z)
    expected[8:11, 32:60] = x[8:, 32:]
    np.testing.assert_array_equal(z, expected)


def test_a_load_beyond_the_array_is_found_by_the_run(load):
    text = vector(
        "x: pl.Tensor[[pl.DYNAMIC, 64], pl.DT_FP32], z: pl.Tensor[[16, 64], pl.DT_FP32]",
        "pl.load(a, x, [0, 0])\npl.store(z, a, [0, 0])",
    )
    with pytest.raises(pypto.RunError) as error:
        load(text).kernel[None, 1](values((15, 64)), np.zeros((16, 64), np.float32))
    assert "load" in str(error.value)


# What Python makes in front of the kernel, and what objects hold.


def test_a_tile_type_of_the_module(load):
    text = (
        HEAD
        + """
KIND = pl.TileType([16, 64], pl.DT_FP32, valid_shape=[12, 64])

@pl.jit
def kernel(x: pl.Tensor[[16, 64], pl.DT_FP32], z: pl.Tensor[[16, 64], pl.DT_FP32]):
    a = pl.make_tile_group(type=KIND, addrs=0, mutex_ids=[0])
    pl.load(a[0], x, [0, 0])
    pl.store(z, a[0], [0, 0])
"""
    )
    x, z = values((16, 64)), np.zeros((16, 64), np.float32)
    load(text).kernel[None, 1](x, z)
    np.testing.assert_array_equal(z[:12], x[:12])
    assert not z[12:].any()
    with pytest.raises(pypto.CompileError) as error:
        load(text.replace("valid_shape=[12, 64]", "layout=pl.NZ")).kernel.as_mlir()
    assert "Vec tiles require layout in {ND, DN}, got NZ" in error.value.diagnostics[0].message
    assert "type=KIND" in str(error.value)


def test_tiles_and_scalars_in_objects(load, capfd):
    text = vector(
        "x: pl.Tensor[[16, 64], pl.DT_FP32], z: pl.Tensor[[16, 64], pl.DT_FP32], n: pl.DT_INT64",
        """
state = pl.struct("State", count=1, pair=[1, 2])
queue = pl.struct_array(2, "Entry", value=3)
tiles = pl.make_tuple(source=a, target=b, step=pl.const(3, pl.DT_INT32))
state.count = state.count + n
queue[n % 2].value = 5
pl.load(tiles.source, x, [0, 0])
pl.adds(tiles.target, tiles.source, 1.0)
pl.store(z, tiles.target, [0, 0])
pl.printf("%d %d %d %d\\n", state.count, queue[0].value, queue[1].value, tiles.step)
""",
    )
    x, z = values((16, 64)), np.zeros((16, 64), np.float32)
    load(text).kernel[None, 1](x, z, 3)
    np.testing.assert_array_equal(z, x + 1)
    assert "4 3 5 3" in capfd.readouterr().out
