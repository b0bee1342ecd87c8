# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Loops and numbers mean what they mean in Python: a kernel prints, Python checks."""

import itertools

import numpy as np
import pypto
import pypto.language as pl
import pytest

ROW = pl.Tensor[[1, 8], pl.FP32]


@pl.jit.incore
def counting(
    x: ROW,
    out: pl.Out[ROW],
    start: pl.Scalar[pl.INT32],
    stop: pl.Scalar[pl.INT32],
    step: pl.Scalar[pl.INT32],
):
    for i in pl.range(start, stop, step):
        pl.printf("%d ", i)
    out[:] = x
    return out


@pl.jit
def count(
    x: ROW,
    out: pl.Out[ROW],
    start: pl.Scalar[pl.INT32],
    stop: pl.Scalar[pl.INT32],
    step: pl.Scalar[pl.INT32],
):
    out = counting(x, out, start, stop, step)
    return out


BOUNDS = [(0, 7, 2), (7, 0, -2), (5, 5, 1), (3, -4, -7), (0, 3, -1), (-3, 3, 4), (2, 9, 100)]


def rows():
    return np.zeros((1, 8), np.float32), np.zeros((1, 8), np.float32)


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_range_with_known_bounds(bounds, capsys):
    count(*rows(), *bounds)
    assert [int(text) for text in capsys.readouterr().out.split()] == list(range(*bounds))


def test_range_with_bounds_of_run_time(capsys):
    x, out = rows()
    compiled = count.compile(x, out, pl.RUNTIME, pl.RUNTIME, pl.RUNTIME)
    for bounds in BOUNDS:
        compiled(x, out, *bounds)
        assert [int(text) for text in capsys.readouterr().out.split()] == list(range(*bounds))
    with pytest.raises(pypto.RunError, match="the step of pl.range is 0") as caught:
        compiled(x, out, 0, 5, 0)
    assert "in pl.range(start, stop, step)" in str(caught.value)


@pl.jit
def divide(x: ROW, out: pl.Out[ROW], a: pl.Scalar[pl.INT32], b: pl.Scalar[pl.INT32]):
    with pl.at(level=pl.Level.CORE_GROUP):
        big = a > b and not a == 3 or b < -2
        c = pl.max(a, b) - pl.min(a, b) if big else abs(a * b)
        pl.printf("%d %d %d %d\n", a // b, a % b, c, pl.cast(big, pl.INT32))
        out = pl.add(x, x)
    return out


def test_division_and_choice_are_pythons(capsys):
    x, out = rows()
    compiled = divide.compile(x, out, pl.RUNTIME, pl.RUNTIME)
    for a, b in itertools.product((-7, -3, 0, 3, 8), (-3, -1, 2, 5)):
        compiled(x, out, a, b)
        big = a > b and not a == 3 or b < -2
        c = max(a, b) - min(a, b) if big else abs(a * b)
        found = [int(text) for text in capsys.readouterr().out.split()]
        assert found == [a // b, a % b, c, int(big)], (a, b)


@pl.jit.incore
def carrying(x: pl.Tensor[[8, 8], pl.FP32], out: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
    first = pl.load(x, [0, 0], [1, 8])
    second = pl.load(x, [1, 0], [1, 8])
    n = 0
    for i in pl.range(7, 0, -2):
        first, second = second, pl.add(first, second)
        if i < 4:
            n = n + i
            second = pl.mul(second, 2.0)
    pl.store(first, [0, 0], out)
    pl.store(second, [n, 0], out)
    return out


@pl.jit
def carry(x: pl.Tensor[[8, 8], pl.FP32], out: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
    out = carrying(x, out)
    return out


def test_what_a_loop_carries():
    x = np.arange(64, dtype=np.float32).reshape(8, 8)
    out = np.zeros_like(x)
    carry(x, out)
    first, second, n = x[0], x[1], 0
    for i in range(7, 0, -2):
        first, second = second, first + second
        if i < 4:
            n, second = n + i, second * 2
    expected = np.zeros_like(x)
    expected[0], expected[n] = first, second
    np.testing.assert_array_equal(out, expected)
