# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""pypto.testing.assert_close: what is close, and who wrote what is not."""

import ml_dtypes
import numpy as np
import pypto.language as pl
import pytest
from pypto.testing import assert_close

X = pl.Tensor[[64, 32], pl.FP32]


@pl.jit.incore
def rows(x: X, out: pl.Out[X]):
    for row in pl.range(0, 64, 16):
        t = pl.load(x, [row, 0], [16, 32])
        y = pl.add(t, 1.0)
        pl.store(y, [row, 0], out)
    return out


@pl.jit.incore
def whole(x: X, out: pl.Out[X]):
    out[:] = pl.mul(x, x)
    return out


@pl.jit
def entry(x: X, first: pl.Out[X], second: pl.Out[X]):
    first = rows(x, first)
    second = whole(x, second)
    return first, second


def said(*args, **words):
    with pytest.raises(AssertionError) as caught:
        assert_close(*args, **words)
    return str(caught.value)


# What is close.


def test_close():
    one = np.array([1, 2, 3], np.float32)
    assert_close(one, one + np.float32(1e-6))
    assert_close(one, [1.0, 2.0, 3.0])
    assert_close(one, one * 1.01, rtol=0.02)
    assert_close(one, one + 1, rtol=0, atol=1)
    text = said(one, one + np.array([0, 0, 0.5]))
    assert text.startswith("actual at [2] is 3.0, expected 3.5 (off by 0.5, allowed 3.6e-05)")
    assert "1 of 3 elements differ, most at [2], by 0.5" in text


def test_nan_and_infinities():
    values = np.array([np.nan, np.inf, -np.inf, 1], np.float32)
    assert_close(values, values.copy())
    assert "[0] is nan, expected 0.0" in said(values, np.array([0, np.inf, -np.inf, 1], np.float32))
    assert "[1] is inf, expected -inf" in said(values, values * np.array([1, -1, 1, 1], np.float32))
    assert "[3] is 1.0, expected nan" in said(values, np.where(values == 1, np.nan, values))
    # Nothing is near an infinity, however large the tolerance.
    assert "[0] is inf" in said(np.array([np.inf], np.float32), np.array([1], np.float32), rtol=10)


def test_the_types_say_the_tolerance():
    for dtype, near, far in (
        (np.float32, 5e-6, 5e-5),
        (np.float16, 5e-4, 5e-3),
        (ml_dtypes.bfloat16, 1e-2, 5e-2),
    ):
        value = np.array([1], dtype)
        assert_close(value, np.array([1 + near]))
        assert "actual at [0]" in said(value, np.array([1 + far]))
    whole = np.array([1, 2], np.int32)
    assert_close(whole, whole.copy())
    assert_close(whole, whole + np.int32(1), atol=1)
    assert "[0] is 1, expected 2" in said(whole, whole + np.int32(1))


def test_shapes_and_types():
    one = np.zeros((2, 3), np.float32)
    assert "actual has shape [2, 3], expected has [3, 2]" in said(one, np.zeros((3, 2), np.float32))
    assert "actual has shape [2, 3], expected has []" in said(one, 0.0)
    assert "actual is float32, expected is float16" in said(one, one.astype(np.float16))
    assert "actual is float32, expected is int32" in said(one, one.astype(np.int32))
    assert_close(one.astype(ml_dtypes.bfloat16), one)
    with pytest.raises(TypeError, match="actual is an array, found dict"):
        assert_close({}, one)
    for wrong in (one.astype(complex), np.array(["a"]), np.zeros(2, [("x", np.int32)])):
        with pytest.raises(TypeError, match="actual holds numbers as kernels have them, found"):
            assert_close(wrong, wrong)
    most = np.array([2**63 - 1])
    assert "(off by 1, allowed 0)" in said(most, most - 1)
    with pytest.raises(ValueError, match="rtol is zero or positive, found -1"):
        assert_close(one, one, rtol=-1)
    assert_close(np.zeros((0, 4), np.float32), np.zeros((0, 4), np.float32))


def test_torch():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int32):
        tensor = torch.ones(3, 4, dtype=dtype)
        assert_close(tensor, torch.ones(3, 4, dtype=dtype))
        other = tensor.clone()
        other[1, 2] = 3
        assert "actual at [1, 2] is 3" in said(other, tensor)
    assert_close(torch.ones(3, 4).t(), np.ones((4, 3), np.float32))
    assert_close(torch.ones(3, 4, requires_grad=True), torch.ones(3, 4, dtype=torch.float64))


# Who wrote it.


def ran():
    x = np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)
    arrays = [x, np.zeros_like(x), np.zeros_like(x)]
    entry(*arrays)
    return arrays


def test_the_store_of_a_tile():
    x, first, second = ran()
    wanted = x + 1
    assert_close(first, wanted, kernel=entry, args=(x, first, second))
    wanted[37, 5] += 1
    for kernel in (entry, entry.compile(x, first, second)):
        text = said(first, wanted, kernel=kernel, args=(x, first, second))
        line = rows.source.tree.lineno + 4
        assert text.startswith(f"first at [37, 5] is {first[37, 5]}, expected {wanted[37, 5]}")
        assert f"written by pl.store at {__file__}:{line}, in task 1 rows, from " in text
        assert "from element [5, 5] of 'y'" in text and "pl.store(y, [row, 0], out)" in text
    np.testing.assert_array_equal(first, x + 1)


def test_the_store_of_a_whole_array():
    x, first, second = ran()
    wanted = (x * x).astype(np.float64)
    wanted[63, 31] = 9
    text = said(second, wanted, kernel=entry, args=(x, first, second))
    line = whole.source.tree.lineno + 1
    assert (
        f"written by pl.store at {__file__}:{line}, in task 2 whole, from element [63, 31]" in text
    )
    # A copy of the array is known by its parameter's name.
    text = said(second.copy(), wanted, kernel=entry, args=(x, first, second), name="second")
    assert text.startswith("second at [63, 31]") and "in task 2 whole" in text


def test_nothing_wrote_it():
    @pl.jit
    def half(x: X, out: pl.Out[X]):
        with pl.at(level=pl.Level.CORE_GROUP):
            pl.store(pl.load(x, [0, 0], [32, 32]), [0, 0], out)
        return out

    x = np.ones((64, 32), np.float32)
    out = np.zeros_like(x)
    half(x, out)
    text = said(out, x, kernel=half, args=(x, out))
    assert text.startswith("out at [32, 0] is 0.0, expected 1.0")
    assert text.endswith("nothing wrote this element of 'out'")


def test_the_last_of_several_writes():
    @pl.jit
    def twice(x: X, out: pl.Out[X]):
        with pl.at(level=pl.Level.CORE_GROUP):
            a = pl.load(x, [0, 0], [64, 32])
            pl.store(a, [0, 0], out)
        with pl.at(level=pl.Level.CORE_GROUP):
            b = pl.load(x, [8, 0], [16, 32])
            pl.store(b, [0, 0], out)
        return out

    x = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
    out = np.zeros_like(x)
    twice(x, out)
    assert "in task 2 " in said(out, x, kernel=twice, args=(x, out))
    wrong = out.copy()
    wrong[20, 1] = 0
    text = said(out, wrong, kernel=twice, args=(x, out))
    assert "in task 1 " in text and "element [20, 1] of 'a'" in text


def test_which_parameter():
    x, first, second = ran()
    wrong = first + 1
    with pytest.raises(ValueError, match="actual is none of args; name says which parameter it is"):
        assert_close(first.copy(), wrong, kernel=entry, args=(x, first, second))
    with pytest.raises(ValueError, match="name is a parameter that the kernel writes, first or"):
        assert_close(first, wrong, kernel=entry, args=(x, first, second), name="x")
    with pytest.raises(TypeError, match="a @pl.jit function or a compiled program, found int"):
        assert_close(first, wrong, kernel=3, args=(x, first, second))
    with pytest.raises(TypeError, match="argument 'x' is missing"):
        assert_close(first, wrong, kernel=entry)
