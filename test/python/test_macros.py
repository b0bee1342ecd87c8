# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Macros, `@pl.inline`: of tiles, of whole arrays, of the control plane."""

import numpy as np
import pypto.language as pl
import pytest

T = pl.Tensor[[16, 64], pl.FP32]


def data(seed=0):
    x = np.random.default_rng(seed).standard_normal((16, 64)).astype(np.float32)
    return x, np.zeros_like(x)


@pl.inline
def poly(t, coefficients, first=0):
    """Numbers, lists and tiles, none of them annotated."""
    result = pl.mul(t, coefficients[first])
    for at in pl.unroll(first + 1, len(coefficients)):
        result = pl.mul(pl.add(result, coefficients[at]), t)
    return result


@pl.inline
def load_all(x, kind):
    t = pl.load(x, [0, 0], [16, 64])
    return pl.cast(t, kind)


@pl.inline
def store_into(t, out):
    out = pl.store(t, [0, 0], out)


def test_macros(platform):
    @pl.jit.incore
    def kernel(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        t = load_all(x, kind=pl.FP32)
        store_into(poly(t, [2.0, 3.0, 4.0]), out)
        return out

    @pl.jit
    def entry(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = kernel(x, out)
        return out

    x = (np.arange(16 * 64) % 8).reshape(16, 64).astype(np.float16)
    out = np.zeros((16, 64), np.float32)
    entry(x, out)
    wide = x.astype(np.float32)
    np.testing.assert_array_equal(out, ((wide * 2 + 3) * wide + 4) * wide)
    assert isinstance(poly, pl.InlineFunction)


@pl.inline
def activated(t, kind):
    if kind == "relu":
        return pl.relu(t)
    elif kind != "square":
        if kind == "twice":
            return pl.add(t, t)
        return t
    return pl.mul(t, t)


@pl.inline
def summed(t, count):
    total = t
    for i in pl.range(count):
        if i > 2:
            break
        total = pl.add(total, t)
    return total


@pytest.mark.parametrize("kind", ["relu", "square", "twice", "none"])
def test_a_return_in_an_arm_that_is_known(kind, platform):
    """What follows it is for the other values; and a loop that a macro leaves early."""

    @pl.jit
    def entry(x: T, out: pl.Out[T]):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = activated(pl.load(x, [0, 0], [16, 64]), kind)
            for _ in pl.range(2):
                t = summed(t, 5)
            pl.store(t, [0, 0], out)
        if kind != "none":
            return out
        return out, x

    x, out = data()
    found = entry(x, out)
    assert found is out if kind != "none" else found[1] is x
    want = {"relu": np.maximum(x, 0), "square": x * x, "twice": x + x, "none": x}[kind]
    for _ in range(2):
        total = want
        for _ in range(3):
            total = total + want
        want = total
    np.testing.assert_array_equal(out, want)


@pl.inline
def made(x, like=None):
    """Of the control plane: arrays, and tasks."""
    if like is None:
        first = pl.create_tensor(x.shape, dtype=x.dtype)
    else:
        first = like
    first = add_one(x, first)
    return first, add_one(first, pl.create_tensor([16, 64], dtype=pl.FP32))


@pl.jit.incore
def add_one(x: T, out: pl.Out[T]):
    out[:] = pl.add(x, 1.0)
    return out


def test_a_macro_of_the_control_plane(platform):
    @pl.jit
    def entry(x: T, out: pl.Out[T]):
        _, second = made(x)
        third, fourth = made(second, like=out)
        return third, fourth

    x, out = data()
    third, fourth = entry(x, out)
    assert third is out
    np.testing.assert_array_equal(out, x + 1 + 1 + 1)
    np.testing.assert_array_equal(fourth, out + 1)


def test_a_macro_writes_the_callers_array(platform):
    @pl.inline
    def write(out, value):
        out = pl.add(value, 1.0)  # noqa: F841

    @pl.jit
    def entry(x: T, out: pl.Out[T]):
        with pl.at(level=pl.Level.CORE_GROUP):
            write(out, x)
        return out

    x, out = data()
    entry(x, out)
    np.testing.assert_array_equal(out, x + 1)


def test_a_macro_that_is_a_method(platform):
    @pl.program
    class Pairs:
        @pl.inline
        def both(self, t, by=2.0):
            return pl.mul(t, by), pl.add(t, by)

        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: T, out: pl.Out[T]):
            product, total = self.both(pl.load(x, [0, 0], [16, 64]))
            pl.store(pl.sub(product, total), [0, 0], out)
            return out

        @pl.function(type=pl.FunctionType.Orchestration)
        def start(self, x: T, out: pl.Out[T]):
            out = self.kernel(x, out)
            return out

    x, out = data()
    Pairs(x, out)
    np.testing.assert_array_equal(out, x * 2 - (x + 2))
    assert Pairs.name == "Pairs"
