# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Tiles, groups, structs and tuples as Python names hold them, on the reference model."""

from __future__ import annotations

import numpy as np
import pytest
from pypto.diagnostics.errors import PyptoError

HEAD = """import pypto_pro.language as pl


def filled(group, x, row):
    tile = group.next()
    pl.load(tile, x, [row, 0])
    return tile


@pl.jit
def kernel(x: pl.Tensor[[pl.DYNAMIC, 64], pl.DT_FP32], y: pl.Tensor[[pl.DYNAMIC, 64], pl.DT_FP32],
           n: pl.DT_INT64):
    type = pl.TileType([8, 64], pl.DT_FP32)
    g = pl.make_tile_group(type=type, addrs=[0, 2048, 4096], mutex_ids=[0, 1, 2])
    h = pl.make_tile_group(type=type, addrs=[8192, 10240], mutex_ids=[3, 4])
"""


def kernel_of(load, body: str):
    text = "".join("    " + line + "\n" for line in body.strip().splitlines())
    return load(HEAD + text).kernel


def run(load, body: str, rows: int = 48, n: int = 3):
    x = np.arange(rows * 64, dtype=np.float32).reshape(rows, 64)
    y = np.zeros_like(x)
    kernel_of(load, body)[None, 1](x, y, n)
    return x, y


def test_a_tile_of_the_iteration_before(load):
    x, y = run(
        load,
        """
before = filled(g, x, 0)
for i in pl.range(8, x.shape[0], 8):
    now = filled(g, x, i)
    out = h.next()
    pl.add(out, before, now)
    pl.store(y, out, [i, 0])
    before = now
""",
    )
    np.testing.assert_array_equal(y[8:], x[8:] + x[:-8])


def test_slots_by_number_and_neighbours(load):
    x, y = run(
        load,
        """
pl.load(g[0], x, [0, 0])
pl.load(g[1], x, [8, 0])
pl.load(g[n - 1], x, [16, 0])
for i in pl.range(0, 3):
    pl.add(h.next(), g[i], g[(i + 1) % 3])
    pl.store(y, h.current(), [i * 8, 0])
pl.add(h[0], g.current(), g.previous())
pl.store(y, h[0], [24, 0])
""",
    )
    parts = [x[0:8], x[8:16], x[16:24]]
    for i in range(3):
        np.testing.assert_array_equal(y[i * 8 : i * 8 + 8], parts[i] + parts[(i + 1) % 3])
    np.testing.assert_array_equal(y[24:32], parts[2] + parts[1])


@pytest.mark.parametrize("n", [1, 5])
def test_a_tile_chosen_by_a_condition(load, n):
    body = """
pl.load(g[0], x, [0, 0])
pl.load(g[1], x, [8, 0])
one = g[0] if n > 3 else g[1]
if n > 2:
    two = h.next()
else:
    two = g[2]
pl.add(two, one, 1.0)
pl.store(y, two, [0, 0])
pl.mul(two, two, float(one.shape[0]))
pl.store(y, two, [8, 0])
"""
    x, y = run(load, body, n=n)
    want = (x[0:8] if n > 3 else x[8:16]) + 1
    np.testing.assert_array_equal(y[0:8], want)
    np.testing.assert_array_equal(y[8:16], want * 8)


def test_the_valid_part_belongs_to_the_slot(load):
    x, y = run(
        load,
        """
for i in pl.range(0, n):
    t = g.next()
    pl.set_validshape(t, [i + 1, 64])
    pl.load(t, x, [i * 8, 0])
for i in pl.range(0, n):
    pl.store(y, g[i], [i * 8, 0])
""",
    )
    want = np.zeros_like(x)
    for i in range(3):
        want[i * 8 : i * 8 + i + 1] = x[i * 8 : i * 8 + i + 1]
    np.testing.assert_array_equal(y, want)


def test_structs_and_tuples(load):
    x, y = run(
        load,
        """
s = pl.struct("S", total=0, rows=[0, 8, 16])
a = pl.struct_array(3, "A", row=0, factor=1.0)
both = pl.make_tuple(source=g, target=h)
for i in pl.range(0, 3):
    a[i].row = s.rows[i]
    a[2 - i].factor = a[2 - i].factor + float(i)
    s.total += i
s.rows[n - 1] = 24
for i in pl.range(0, 3):
    t = both.source.next()
    pl.load(t, x, [a[i].row, 0])
    pl.mul(t, t, a[i].factor)
    pl.store(y, t, [s.rows[i], 0])
pl.load(g[0], x, [0, 0])
pl.add(both.target.next(), g[0], float(s.total))
pl.store(y, both.target.current(), [32, 0])
""",
    )
    np.testing.assert_array_equal(y[0:8], x[0:8] * 3)
    np.testing.assert_array_equal(y[8:16], x[8:16] * 2)
    np.testing.assert_array_equal(y[24:32], x[16:24] * 1)
    np.testing.assert_array_equal(y[32:40], x[0:8] + 3)


def test_leaving_loops_and_the_kernel(load):
    x, y = run(
        load,
        """
for i in pl.range(x.shape[0] - 8, -8, -8):
    if i == 24:
        continue
    if i < 8:
        break
    t = filled(g, x, i)
    pl.store(y, t, [i, 0])
k = 0
while True:
    k += 1
    if k > n:
        if n == 3:
            return
        break
pl.store(y, g[0], [0, 0])
""",
    )
    want = x.copy()
    want[24:32] = want[0:8] = 0
    np.testing.assert_array_equal(y, want)


WRONG = [
    ("pl.add(g, h[0], 1.0)", "write g.current(), g.next() or g[i]"),
    ("g.last()", "a tile group has no 'last'; it has next(), current(), previous() and [i]"),
    ("g.next(1)", "next() of a tile group takes no arguments"),
    ("t = g[5]", "slot 5 is beyond the 3 of 'g'"),
    ("g[0] = 1.0", "a kernel cannot assign to elements of"),
    ("t = g[0] + 1.0", "operations on tiles are calls, such as pl.add(out, a, b)"),
    ("t = x.length", "has no attribute 'length'; it has shape, dtype"),
    (
        "t = g\nfor i in pl.range(n):\n    u = t.next()\n    t = h",
        "cannot reassign 't' with a different type",
    ),
    ("s = pl.struct('S', a=g)", "pl.make_tuple holds tiles"),
    ("s = pl.struct('S', a=[1, 2])\ny1 = s.a[2]", "index 2 is beyond the 2 elements"),
    ("a = pl.struct_array(n, 'A', f=1)", "must be known at compile time"),
]


@pytest.mark.parametrize("body, message", WRONG, ids=[item[0][:30] for item in WRONG])
def test_wrong_use(load, body, message):
    with pytest.raises(PyptoError) as caught:
        kernel_of(load, body).as_mlir()
    assert message in str(caught.value)


def test_an_array_field_of_a_tiling_class_and_a_tuple_at_an_index_of_the_run(load):
    text = """from __future__ import annotations

import dataclasses

import pypto_pro.language as pl


@dataclasses.dataclass
class Sizes:
    n: int
    w: int[4]


@pl.jit
def kernel(out: pl.Tensor[[64], pl.DT_INT32], sizes: Sizes):
    for i in pl.range(0, sizes.n):
        out[i * 16] = sizes.w[i] * 10 + (5, 6, 7, 8)[i]
    pl.system.dcci(
        out, 0, cache_line=pl.CacheLine.ENTIRE_DATA_CACHE, dst=pl.DcciDst.CACHELINE_OUT
    )
"""
    module = load(text)
    out = np.zeros(64, np.int32)
    module.kernel[None, 1](out, module.Sizes(4, [3, 1, 2, 9]))
    assert out[::16].tolist() == [35, 16, 27, 98]
    with pytest.raises(PyptoError, match="the index is beyond the 4 elements"):
        module.kernel[None, 1](out, module.Sizes(5, [3, 1, 2, 9]))


def test_the_platform_of_a_configuration_is_that_of_the_kernel(load):
    from pypto.runtime import RunConfig

    kernel = kernel_of(load, "pl.load(g[0], x, [0, 0])\npl.store(y, g[0], [0, 0])")
    x, y = np.ones((8, 64), np.float32), np.zeros((8, 64), np.float32)
    kernel[None, 1](x, y, 0, config=RunConfig(platform="a5sim"))
    with pytest.raises(PyptoError, match="is the Ascend 910B, and kernel 'kernel' is for the 950"):
        kernel[None, 1](x, y, 0, config=RunConfig(platform="a2a3sim"))
