# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Scratch that the compiler needs for operations that the chip has not: where Vec is free, in
order with what the author orders, or an error that says what it is for."""

import ml_dtypes
import numpy as np
import pypto
import pytest

ORDERED = """
import pypto_pro.language as pl

MTE2, V, MTE3 = pl.PipeType.MTE2, pl.PipeType.V, pl.PipeType.MTE3

@pl.jit(arch="{arch}", auto_mutex=False)
def kernel(a: pl.Tensor[[32, 64], pl.DT_BF16], b: pl.Tensor[[32, 64], pl.DT_BF16]):
    kind = pl.TileType([16, 64], pl.DT_BF16)
    x = pl.make_tile_group(type=kind, addrs=0, depth=2)
    with pl.section_vector():
        for i in pl.range(2):
            t = x.next()
            pl.load(t, a, [i * 16, 0])
            pl.system.sync_src(set_pipe=MTE2, wait_pipe=V, event_id=i)
            pl.system.sync_dst(set_pipe=MTE2, wait_pipe=V, event_id=i)
            pl.exp(t, t)
            pl.rems(t, t, 0.75)
            pl.system.sync_src(set_pipe=V, wait_pipe=MTE3, event_id=i)
            pl.system.sync_dst(set_pipe=V, wait_pipe=MTE3, event_id=i)
            pl.store(b, t, [i * 16, 0])
"""


@pytest.mark.parametrize("arch", ["a3", "a5"])
def test_it_is_in_order_where_the_author_orders(arch, load):
    x = np.linspace(-3, 3, 32 * 64).astype(np.float32).reshape(32, 64)
    a = x.astype(ml_dtypes.bfloat16)
    b = np.zeros_like(a)
    load(ORDERED.format(arch=arch)).kernel[None, 1](a, b)
    e = np.exp(a.astype(np.float64)).astype(np.float32).astype(a.dtype).astype(np.float32)
    want = e - np.floor(e / np.float32(0.75)) * np.float32(0.75)
    np.testing.assert_array_equal(b, want.astype(a.dtype))


FULL = """
import pypto_pro.language as pl

KB = 1024

@pl.jit(arch="a3")
def kernel(a: pl.Tensor[[64, 128], pl.DT_INT16]):
    x = pl.make_tile_group(type=pl.TileType([64, 128], pl.DT_INT16), addrs=0, mutex_ids=[0])[0]
    rest = pl.make_tile(pl.TileType([{rows}, 256], pl.DT_FP32), addr=16 * KB)
    with pl.section_vector():
        pl.expands(rest, 0.0)
        pl.load(x, a, [0, 0])
        pl.xors(x, x, 5, None)
        pl.expands(rest, 0.0)
        pl.store(a, x, [0, 0])
"""


def test_no_room_for_it_is_an_error_that_says_what_it_is_for(load):
    a = np.arange(64 * 128).astype(np.int16).reshape(64, 128)
    want = a ^ 5
    load(FULL.format(rows=32)).kernel[None, 1](a)
    np.testing.assert_array_equal(a, want)
    with pytest.raises(pypto.CompileError) as error:
        load(FULL.format(rows=168)).kernel[None, 1](a)
    found = error.value.diagnostics[0]
    assert "holds a step of pl.xor, for which the 910B has no single instruction" in str(
        error.value
    )
    assert found.line > 1
