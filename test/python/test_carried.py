# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A name that one arm of a branch rebinds and the other reads, in a loop: only the
next iteration reaches the read."""

import numpy as np
import pypto.language as pl

ARRAY = pl.Tensor[[8, 32], pl.FP32]


@pl.jit
def tiles(x: ARRAY, out: pl.Out[ARRAY]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [8, 32])
        w = pl.add(t, 1.0)
        for i in pl.range(6):
            if i < 4:
                w = pl.add(w, 1.0)
            else:
                t = pl.add(t, w)
        pl.store(t, [0, 0], out)
    return out


@pl.jit.incore
def write(out: pl.Out[ARRAY], value: pl.Scalar[pl.FP32]):
    pl.store(pl.full([8, 32], pl.FP32, value), [0, 0], out)
    return out


@pl.jit
def scalars(out: pl.Out[ARRAY]):
    t, w = 0, 1
    for i in pl.range(6):
        if i < 4:
            w = w + 1
        else:
            t = t + w
    out = write(out, t)
    return out


@pl.jit
def nested(out: pl.Out[ARRAY]):
    t, w = 0, 1
    for i in pl.range(2):
        for j in pl.range(3):
            if j < 2:
                if i < 1:
                    w += 1
                else:
                    t = t + w
            else:
                w = w + t
    out = write(out, t)
    return out


def test_tiles():
    out = np.zeros((8, 32), np.float32)
    tiles(np.zeros_like(out), out)
    assert (out == 10).all()


def test_scalars_of_the_control_plane():
    out = np.zeros((8, 32), np.float32)
    scalars(out)
    assert (out == 10).all()


def test_nested_loops():
    out = np.zeros((8, 32), np.float32)
    nested(out)
    assert (out == 6).all()


def test_a_name_of_each_arm_is_not_carried():
    @pl.jit
    def entry(x: ARRAY, out: pl.Out[ARRAY]):
        with pl.at(level=pl.Level.CORE_GROUP):
            for i in pl.range(2):
                if i < 1:
                    t = pl.load(x, [0, 0], [4, 32])
                    pl.store(t, [0, 0], out)
                else:
                    t = pl.load(x, [4, 0], [2, 32])
                    pl.store(t, [4, 0], out)
                    t = pl.load(x, [6, 0], [2, 32])
                    pl.store(t, [6, 0], out)
        return out

    x = np.arange(256, dtype=np.float32).reshape(8, 32)
    out = np.zeros_like(x)
    entry(x, out)
    np.testing.assert_array_equal(out, x)
