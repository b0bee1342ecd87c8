# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a compiled program is kept by: each thing that may change asks for another one, and gives
the answer of its own; what is the same compiles nothing."""

import enum
import types

import numpy as np
import pypto.language as pl
import pytest
from pypto.jit import driver
from pypto.runtime import RunConfig

X = np.random.default_rng(0).standard_normal((16, 64)).astype(np.float32)


def compiled(function, *args, config=None):
    values = driver.bind(getattr(function, "entry", function), args, {})
    return driver._cached(getattr(function, "entry", function), values, config or RunConfig())


def count(function):
    return sum(map(len, function._cache.values()))


@pl.jit.incore
def add_to(x: pl.Tensor, by: pl.Scalar[pl.FP32], out: pl.Out[pl.Tensor]):
    out[:] = pl.add(x, by)
    return out


def make():
    """An entry of its own, for each test."""

    @pl.jit
    def entry(x: pl.Tensor, out: pl.Out[pl.Tensor], by: pl.Scalar[pl.FP32] = 1.0):
        out = add_to(x, by, out)
        return out

    return entry


# Arguments.


def test_shapes_and_element_types():
    @pl.jit
    def entry(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        with pl.at(level=pl.Level.CORE_GROUP):
            out[:] = pl.add(x, x)
        return out

    for shape in ((16, 64), (8, 64), (64, 16), (16, 64)):
        for dtype in (np.float32, np.float16, np.int32):
            x = np.full(shape, 3, dtype)
            out = np.zeros_like(x)
            entry(x, out)
            assert (out == 6).all()
    assert count(entry) == 9


def test_the_layout_of_an_array_is_checked_and_not_kept():
    """There is one program: an array whose rows do not follow one another is refused."""
    entry = make()
    entry(X, np.zeros_like(X))
    with pytest.raises(TypeError, match="not contiguous"):
        entry(np.ones((16, 128), np.float32)[:, ::2], np.zeros_like(X))
    with pytest.raises(TypeError, match="not contiguous"):
        entry(np.ones((64, 16), np.float32).T, np.zeros_like(X))
    assert count(entry) == 1


@pytest.mark.parametrize("layout", ["ND"])
def test_the_layout_of_an_annotation(layout):
    """A layout that the closure names is read with it."""
    chosen = getattr(pl, layout)

    @pl.jit
    def entry(x: pl.Tensor[[16, 64], pl.FP32, chosen], out: pl.Out[pl.Tensor]):
        out = add_to(x, 1.0, out)
        return out

    out = np.zeros_like(X)
    entry(X, out)
    np.testing.assert_array_equal(out, X + 1)
    assert count(entry) == 1


def test_scalars():
    entry = make()
    for by in (1.0, 2.5, 0.0, -0.0, 1, True, np.float32(2.5)):
        out = np.zeros_like(X)
        entry(X, out, by)
        np.testing.assert_array_equal(out, X + np.float32(by))
    assert count(entry) == 6  # np.float32(2.5) is 2.5


def test_a_default_is_the_value_that_it_has():
    entry = make()
    out = np.zeros_like(X)
    entry(X, out)
    entry(X, out, by=1.0)
    np.testing.assert_array_equal(out, X + 1)
    assert count(entry) == 2  # what was left out is a key of its own


def test_run_time_scalars():
    """One program for all values, and none of those that were folded in."""
    entry = make()
    out = np.zeros_like(X)
    folded = compiled(entry, X, out, 2.0)
    open_ = compiled(entry, X, out, pl.RUNTIME)
    assert open_ is not folded and compiled(entry, X, out, pl.RUNTIME) is open_
    program = entry.compile(X, out, pl.RUNTIME)
    for by in (2.0, 3.0, -0.0):
        program(X, out, by)
        np.testing.assert_array_equal(out, X + np.float32(by))
    assert count(entry) == 2


def test_open_extents():
    M = pl.dynamic("M")

    @pl.jit
    def entry(x: pl.Tensor[[M, 64], pl.FP32], out: pl.Out[pl.Tensor[[M, 64], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            for row in pl.range(x.shape[0]):
                t = pl.load(x, [row, 0], [1, 64])
                pl.store(pl.add(t, t), [row, 0], out)
        return out

    for rows in (3, 7):
        x = np.ones((rows, 64), np.float32)
        out = np.zeros_like(x)
        entry(x, out)
        assert (out == 2).all()
    assert count(entry) == 1


# The configuration.


def test_platforms_and_options():
    entry = make()
    out = np.zeros_like(X)
    kept = {
        name: compiled(entry, X, out, config=RunConfig(platform=name))
        for name in ("a2a3sim", "a5sim", "a2a3", "a5")
    }
    assert len({id(one) for one in kept.values()}) == 4
    for name, one in kept.items():
        assert compiled(entry, X, out, config=RunConfig(platform=name)) is one
    assert f'"{RunConfig(platform="a5").target}"' in str(kept["a5sim"].final)
    # What a run is told is none of the program.
    assert (
        compiled(entry, X, out, config=RunConfig(step_limit=10, checks="none")) is (kept["a2a3sim"])
    )


@pytest.mark.parametrize(
    "name, value",
    [
        ("PYPTO_PROG_BUILD_DIR", "elsewhere"),
        ("PYPTO_PLATFORM", "a5sim"),
        ("PYPTO_STEP_LIMIT", "1000000"),
        ("PYPTO_VERIFY_LEVEL", "roundtrip"),
    ],
)
def test_variables_of_the_environment(name, value, monkeypatch):
    entry = make()
    first = compiled(entry, X, np.zeros_like(X))
    monkeypatch.setenv(name, value)
    second = compiled(entry, X, np.zeros_like(X))
    assert second is not first and compiled(entry, X, np.zeros_like(X)) is second
    monkeypatch.delenv(name)
    assert compiled(entry, X, np.zeros_like(X)) is first


# What stands around a function.


class Color(enum.IntEnum):
    RED = 1
    BLUE = 2


# (before, after, what is read of it)
VALUES = {
    "an int": (1, 2, "value"),
    "an int of NumPy": (np.int64(1), np.int64(2), "value"),
    "an int and a float": (1, 1.0, "value"),
    "an int and a truth value": (1, True, "value"),
    "a float": (1.0, 2.0, "value"),
    "the sign of zero": (0.0, -0.0, "value"),
    "a list": ([1, 2], [1, 3], "value[1]"),
    "a tuple": ((1, 2), (1, 3), "value[1]"),
    "the types in a list": ([1, 0], [1, False], "value[1]"),
    "the types in a tuple": ((1, 1), (1, 1.0), "value[1]"),
    "a list and a tuple": ([1, 2], (1, 2), "value[1]"),
    "the sign in a tuple": ((0.0,), (-0.0,), "value[0]"),
    "a list in a list": ([[1], [2]], [[1], [3]], "value[1][0]"),
    "a member of an enum": (Color.RED, Color.BLUE, "value"),
    "a member and its number": (Color.RED, 1, "value"),
    "an object's attribute": (
        types.SimpleNamespace(by=1),
        types.SimpleNamespace(by=2),
        "value.by",
    ),
}


READER = """\
import pypto.language as pl

value = None


@pl.jit.incore
def kernel(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    out[:] = pl.add(x, READ)
    return out


@pl.jit
def entry(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = kernel(x, out)
    return out
"""


def number(value, read):
    return np.float32(eval(read, {"value": value}))


@pytest.mark.parametrize("name", VALUES)
def test_a_value_of_the_module(name, load):
    """Read by a kernel that the entry calls: a dependency."""
    before, after, read = VALUES[name]
    module = load(READER.replace("READ", read))
    out = np.zeros_like(X)
    for value in (before, after):
        module.value = value
        module.entry(X, out)
        assert out.tobytes() == (X + number(value, read)).tobytes()
    assert count(module.entry) == 2
    module.value = before
    module.entry(X, out)
    assert out.tobytes() == (X + number(before, read)).tobytes()
    # It was kept, unless it is an object that only looks the same.
    assert count(module.entry) == 2


MUTATIONS = {
    "an element": ([1, 2], "value[1]", lambda value: value.__setitem__(1, 5)),
    "an element deep in a list": ([[1], [2]], "value[1][0]", lambda value: value[1].append(0)),
    "a list in a tuple": (([1], 2), "value[0][0]", lambda value: value[0].__setitem__(0, 7)),
    "an attribute": (
        types.SimpleNamespace(by=1),
        "value.by",
        lambda value: setattr(value, "by", 9),
    ),
    "a list of an object": (
        types.SimpleNamespace(by=[1]),
        "value.by[0]",
        lambda value: value.by.__setitem__(0, 4),
    ),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_value_that_changes_in_place(name, load):
    value, read, change = MUTATIONS[name]
    module = load(READER.replace("READ", read))
    module.value = value
    out = np.zeros_like(X)
    module.entry(X, out)
    change(value)
    module.entry(X, out)
    np.testing.assert_array_equal(out, X + number(value, read))
    assert count(module.entry) == 2


def test_cells_of_a_closure():
    kind, shape, mode = pl.FP32, [16, 64], "round"

    @pl.inline
    def converted(t):
        return pl.cast(pl.add(t, 0.5), kind, mode=mode)

    @pl.jit.incore
    def kernel(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        t = pl.load(x, [0, 0], shape)
        pl.store(converted(t), [0, 0], out)
        return out

    @pl.jit
    def entry(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = kernel(x, out)
        return out

    x = (np.arange(16 * 64).reshape(16, 64) % 7).astype(np.float16)
    results = {}
    for kind, mode in (
        (pl.INT32, "floor"),
        (pl.INT32, "ceil"),
        (pl.FP32, "ceil"),
        (pl.INT32, "floor"),
    ):
        out = np.zeros((16, 64), np.int32 if kind is pl.INT32 else np.float32)
        entry(x, out)
        rounded = {"floor": np.floor, "ceil": np.ceil}[mode](x + np.float16(0.5))
        want = rounded if kind is pl.INT32 else x + np.float32(0.5)
        np.testing.assert_array_equal(out, want.astype(out.dtype))
        results[kind, mode] = count(entry)
    assert count(entry) == 3
    shape[0] = 8
    out = np.zeros((16, 64), np.int32)
    entry(x, out)
    assert (out[8:] == 0).all() and count(entry) == 4


def test_a_list_that_an_annotation_was_made_of():
    shape = [16, 64]
    kind = pl.Tensor[shape, pl.FP32]

    @pl.jit
    def entry(x: kind, out: pl.Out[kind]):
        out = add_to(x, 1.0, out)
        return out

    shape[0] = 8
    out = np.zeros_like(X)
    entry(X, out)
    np.testing.assert_array_equal(out, X + 1)


def test_the_source_of_what_is_called(load):
    """A kernel, an inline function and a macro that are replaced."""
    text = READER.replace(
        "@pl.jit.incore\n",
        "@pl.inline\ndef macro(t):\n    return pl.mul(t, FACTOR)\n\n\n"
        "@pl.jit.inline\ndef inner(x: pl.Tensor):\n    return macro(x)\n\n\n@pl.jit.incore\n",
    ).replace("pl.add(x, READ)", "inner(x)")
    first, second = (load(text.replace("FACTOR", f"{n}.0")) for n in (2, 3))
    out = np.zeros_like(X)

    def check(factor, programs):
        first.entry(X, out)
        np.testing.assert_array_equal(out, X * np.float32(factor))
        assert count(first.entry) == programs

    check(2, 1)
    kept = first.macro, first.inner, first.kernel
    first.macro = second.macro
    check(3, 2)
    first.macro = kept[0]
    check(2, 2)
    first.inner = second.inner
    check(3, 3)
    first.inner = kept[1]
    first.kernel = second.kernel
    check(3, 4)
    first.kernel = kept[2]
    check(2, 4)


def test_two_programs_of_one_text():
    text = READER.replace("READ", "3.0")
    one, other = pl.parse(text), pl.parse(text)
    assert compiled(one, X, np.zeros_like(X)) is not compiled(other, X, np.zeros_like(X))


# Defaults.


def test_defaults_are_those_of_the_definition():
    """As in Python: what the name meant where the function was defined."""
    two = np.int32(2)

    def defined(factor):
        @pl.inline
        def scaled(t, by=factor, rows=[16, 64]):  # noqa: B006
            return pl.mul(pl.slice(t, rows, [0, 0]), by)

        @pl.jit.incore
        def kernel(
            x: pl.Tensor, out: pl.Out[pl.Tensor], *, plus: pl.Scalar[pl.FP32] = factor + 0.5
        ):
            out[:] = pl.add(scaled(x), plus)
            return out

        @pl.jit
        def entry(x: pl.Tensor, out: pl.Out[pl.Tensor], n: pl.Scalar[pl.INT32] = two):
            out = kernel(x, out)
            if n > 2:
                out = kernel(x, out, plus=0.0)
            return out

        return entry, scaled

    for factor in (2.0, 3.0):
        entry, scaled = defined(factor)
        out = np.zeros_like(X)
        entry(X, out)
        np.testing.assert_array_equal(out, X * np.float32(factor) + np.float32(factor + 0.5))
        entry(X, out, 3)
        np.testing.assert_array_equal(out, X * np.float32(factor))
        assert count(entry) == 2
        program = entry.compile(X, out, n=pl.RUNTIME)
        program(X, out, 2)
        np.testing.assert_array_equal(out, X * np.float32(factor) + np.float32(factor + 0.5))


def test_a_default_of_another_kind():
    @pl.jit
    def entry(x: pl.Tensor, out: pl.Out[pl.Tensor], by: pl.Scalar[pl.FP32] = "much"):
        out = add_to(x, by, out)
        return out

    with pytest.raises(TypeError, match=r"'by' is a scalar \(FP32\), found 'much'"):
        entry(X, np.zeros_like(X))
