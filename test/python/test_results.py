# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What kernels and entries compute and return, and annotations that say it."""

import re

import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.runtime import RunConfig

T = pl.Tensor[[16, 64], pl.FP32]


def data(seed=0):
    x = np.random.default_rng(seed).standard_normal((16, 64)).astype(np.float32)
    return x, np.zeros_like(x)


def test_several_results_without_out(platform):
    @pl.jit.incore
    def both(x: pl.Tensor, scale: pl.Scalar[pl.FP32], low: pl.Out[pl.Tensor]):
        low[:] = pl.minimum(x, scale)
        square = pl.mul(x, x)
        return square, low, pl.neg(x), square

    @pl.jit
    def entry(x: pl.Tensor, scale: pl.Scalar[pl.FP32], low: pl.Out[pl.Tensor]):
        square, low, negative, again = both(x, scale, low)
        total, _, _, _ = both(again, scale, pl.create_tensor(x.shape, x.dtype))
        return square, low, negative, total

    x, low = data()
    square, same, negative, total = entry(x, 0.25, low)
    assert same is low
    np.testing.assert_array_equal(square, x * x)
    np.testing.assert_array_equal(low, np.minimum(x, np.float32(0.25)))
    np.testing.assert_array_equal(negative, -x)
    np.testing.assert_array_equal(total, (x * x) * (x * x))


def test_functional_style_in_a_loop(platform):
    @pl.jit.incore
    def step(x: T) -> T:
        return pl.mul(pl.add(x, 1.0), 0.5)

    @pl.jit
    def entry(x: T):
        y = step(x)
        for _ in pl.range(3):
            y = step(y)
        return y

    x, _ = data()
    want = x
    for _ in range(4):
        want = (want + np.float32(1)) * np.float32(0.5)
    np.testing.assert_array_equal(entry(x), want)


@pytest.mark.parametrize("kind", ["submit", "manual", "spmd"])
def test_tasks_whose_results_their_callers_make(kind, platform):
    @pl.jit.incore
    def square(x: T) -> T:
        return pl.mul(x, x)

    @pl.jit.incore
    def shift(x: T, out: pl.Out[T]):
        out[:] = pl.add(x, 1.0)
        return out

    @pl.jit
    def submit(x: T, out: pl.Out[T]):
        y, tid = pl.submit(square, x)
        out, _ = pl.submit(shift, y, out, deps=[tid])
        return out

    @pl.jit
    def manual(x: T, out: pl.Out[T]):
        with pl.manual_scope():
            y, tid = pl.submit(square, x)
            pl.submit(shift, y, out, deps=[tid])
        return out

    @pl.jit
    def spmd(x: T, out: pl.Out[T]):
        with pl.spmd(1):
            y = square(x)
        out = shift(y, out)
        return out

    x, out = data()
    {"submit": submit, "manual": manual, "spmd": spmd}[kind](x, out, config=RunConfig(schedules=4))
    np.testing.assert_array_equal(out, x * x + 1)


def test_a_cluster_whose_result_its_caller_makes(platform):
    square = pl.Tensor[[16, 16], pl.FP16]

    @pl.jit.incore
    def product(a: square, b: square) -> pl.Tensor[[16, 16], pl.FP32]:
        return pl.matmul(a, b)

    @pl.jit
    def entry(a: square, b: square):
        with pl.cluster():
            c = product(a, b)
        return c

    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, (16, 16)).astype(np.float16) for _ in range(2))
    np.testing.assert_array_equal(entry(a, b), a.astype(np.float32) @ b.astype(np.float32))


def test_what_a_kernel_returns_has_known_extents():
    M = pl.dynamic("M")

    @pl.jit.incore
    def kernel(x: pl.Tensor[[M, 64], pl.FP32]):
        return pl.mul(x, x)

    @pl.jit
    def entry(x: pl.Tensor[[M, 64], pl.FP32]):
        return kernel(x)

    with pytest.raises(pypto.CompileError, match="whose extents only its call knows"):
        entry(data()[0])


HEAD = """\
import pypto.language as pl

T = pl.Tensor[[16, 64], pl.FP32]

"""

# Annotations of what is returned.

RETURNS = {
    "an array": ("-> pl.Tensor[[16, 64], pl.FP32]", "return pl.mul(x, x)", ""),
    "a bare array": ("-> pl.Tensor", "return pl.mul(x, x)", ""),
    "a quoted one": ("-> 'pl.Tensor[[16, 64], pl.FP32]'", "return pl.mul(x, x)", ""),
    "two": ("-> tuple[T, T]", "return pl.mul(x, x), pl.add(x, x)", ""),
    "another shape": (
        "-> §pl.Tensor[[16, 32], pl.FP32]",
        "return pl.mul(x, x)",
        "declared to return [16, 32] FP32 array, and returns [16, 64] FP32 array",
    ),
    "another type": (
        "-> §pl.Tensor[[16, 64], pl.FP16]",
        "return pl.mul(x, x)",
        "declared to return [16, 64] FP16 array, and returns [16, 64] FP32 array",
    ),
    "another kind": ("-> §pl.Tile", "return pl.mul(x, x)", "to return pl.Tile, and returns [16"),
    "a scalar": (
        "-> §pl.Scalar[pl.INT32]",
        "return pl.mul(x, x)",
        "declared to return INT32 scalar, and returns",
    ),
    "one of two": (
        "-> tuple[T, §pl.Tensor[[8, 64], pl.FP32]]",
        "return pl.mul(x, x), pl.add(x, x)",
        "declared to return [8, 64] FP32 array, and returns [16, 64] FP32 array",
    ),
    "two of one": ("-> §T", "return x, x", "declared to return T, and returns a tuple of 2"),
    "three of two": (
        "-> §tuple[T, T, T]",
        "return pl.mul(x, x), pl.add(x, x)",
        "declared to return tuple[T, T, T], and returns a tuple of 2",
    ),
    "nothing": ("-> §T", "pass", "declared to return T, and returns nothing"),
    "something": ("-> §None", "return pl.mul(x, x)", "declared to return None, and returns [16"),
}


@pytest.mark.parametrize("kind", ["incore", "inline"])
@pytest.mark.parametrize("name", RETURNS)
def test_annotations_of_results(name, kind, load):
    arrow, body, words = RETURNS[name]
    call = (
        "y = f(x)"
        if kind == "incore"
        else ("with pl.at(level=pl.Level.CORE_GROUP):\n        f(x)\n        out[:] = x")
    )
    text = HEAD + (
        f"@pl.jit.{kind}\ndef f(x: T) {arrow}:\n    {body}\n\n"
        f"@pl.jit\ndef main(x: T, out: pl.Out[T]) -> T:\n    {call}\n    return out\n"
    )
    if kind == "incore":
        text = text.replace(
            "    return out",
            "    with pl.at(level=pl.Level.CORE_GROUP):\n        out[:] = x\n    return out",
        )
    before, _, after = text.partition("§")
    main = load(before + after).main
    if not words:
        x, out = data()
        main(x, out)
        np.testing.assert_array_equal(out, x)
        return
    with pytest.raises(pypto.CompileError, match=re.escape(words)) as caught:
        main.lower()
    (found,) = [one for one in caught.value.diagnostics if words in one.message]
    column = len(before.rpartition("\n")[2]) + 1
    assert (found.line, found.column) == (before.count("\n") + 1, column)
    assert found.code == "PTO-1214"


def test_annotations_of_an_entrys_results():
    rows = 16

    @pl.jit
    def entry(x: T) -> tuple[pl.Tensor[[rows, 64], pl.FP32], T]:
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.add(x, 1.0)
        return y, y

    x, _ = data()
    np.testing.assert_array_equal(entry(x)[0], x + 1)

    @pl.jit
    def wrong(x: T) -> tuple[pl.Tensor[[rows + 1, 64], pl.FP32], T]:
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.add(x, 1.0)
        return y, y

    with pytest.raises(pypto.CompileError, match=r"declared to return \[17, 64\] FP32 array"):
        wrong(x)


def test_the_names_of_several_results_and_of_an_index(platform):
    @pl.jit.incore
    def part(x: T, row: pl.IntLike, top: pl.Out[T]) -> pl.Tuple[T, T]:
        t = pl.load(x, [row, 0], [8, 64])
        pl.store(t, [0, 0], top)
        return top, pl.neg(x)

    @pl.jit
    def entry(x: T, row: pl.IntLike, top: pl.Out[T]) -> pl.Tuple[T, T]:
        return part(x, row, top)

    x, top = data()
    same, negative = entry(x, 3, top)
    assert same is top
    np.testing.assert_array_equal(top[:8], x[3:11])
    np.testing.assert_array_equal(negative, -x)
    entry(x, np.int64(5), top)
    np.testing.assert_array_equal(top[:8], x[5:13])


def test_tuple_is_an_annotation():
    assert pl.Tuple[T, T] == tuple[T, T]
    with pytest.raises(TypeError, match="pl.Tuple is an annotation, as in"):
        pl.Tuple(1, 2)
    with pytest.raises(pypto.CompileError) as caught:

        @pl.jit.incore
        def one(x: T, out: pl.Out[T]) -> pl.Tuple[T, T]:
            out[:] = x
            return out

        @pl.jit
        def entry(x: T, out: pl.Out[T]):
            return one(x, out)

        entry.compile()
    assert caught.value.diagnostics[0].line
