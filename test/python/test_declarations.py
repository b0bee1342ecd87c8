# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Annotations and decorators: what they bind, and what is refused where."""

import re

import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.jit import driver

ARRAY = pl.Tensor[[16, 32], pl.FP32]


def zeros(*shape):
    return np.zeros(shape or (16, 32), np.float32)


# Names that stand in annotations only.


def make(rows, columns=32):
    @pl.jit.incore
    def kernel(x: pl.Tensor[[rows, 32], pl.FP32], out: pl.Out[pl.Tensor[[rows, columns], pl.FP32]]):
        out[:] = pl.add(x, 1.0)
        return out

    @pl.jit
    def entry(x: pl.Tensor[[rows, 32], pl.FP32], out: pl.Out[pl.Tensor[[rows, columns], pl.FP32]]):
        out = kernel(x, out)
        return out

    return entry


@pytest.mark.parametrize("rows", [8, np.int64(16)])
def test_a_function_made_by_another_one(rows):
    out = zeros(rows, 32)
    make(rows)(zeros(rows, 32), out)
    assert (out == 1).all()


rows = 4  # not the rows of make()


def test_its_shape_is_checked():
    with pytest.raises(pypto.ArgumentError, match=r"'x' has shape \[8, 32\], found \[4, 32\]"):
        make(8)(zeros(4, 32), zeros(4, 32))


FUTURE = """\
from __future__ import annotations
import pypto.language as pl

def make(rows):
    @pl.jit.incore
    def kernel(x: pl.Tensor[[rows, 32], pl.FP32], out: pl.Out[pl.Tensor[[rows, 32], pl.FP32]]):
        out[:] = x
        return out

    @pl.jit
    def entry(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = kernel(x, out)
        return out

    return entry
"""


def test_annotations_that_python_did_not_evaluate(load):
    with pytest.raises(pypto.UndefinedNameError) as caught:
        load(FUTURE).make(8)(zeros(8, 32), zeros(8, 32))
    text = str(caught.value)
    assert "'rows' is not defined" in text and "from __future__ import annotations" in text
    out = zeros(8, 32)
    used = FUTURE.replace("out[:] = x", "pl.static_assert(rows > 0)\n        out[:] = pl.neg(x)")
    load(used).make(8)(np.ones((8, 32), np.float32), out)
    assert (out == -1).all()


def test_a_quoted_annotation():
    @pl.jit
    def entry(x: "ARRAY", out: "pl.Out[pl.Tensor[[16, 32], pl.FP32]]"):
        with pl.at(level=pl.Level.CORE_GROUP):
            t: "pl.Tile[[16, 32], pl.FP32]" = pl.load(x, [0, 0], [16, 32])  # noqa: UP037
            pl.store(t, [0, 0], out)
        return out

    x, out = np.ones((16, 32), np.float32), zeros()
    entry(x, out)
    assert (out == 1).all()


# The space of a declared tile.


def test_a_declared_space_binds_a_load(load):
    text = """
import pypto.language as pl
ARRAY = pl.Tensor[[16, 32], pl.FP32]
@pl.jit
def entry(x: ARRAY, out: pl.Out[ARRAY]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t: pl.Tile[[16, 32], pl.FP32, pl.Mem.SPACE] = VALUE
        pl.store(LAST, [0, 0], out)
    return out
"""

    def made(space, value="pl.load(x, [0, 0], [16, 32])", last="t"):
        changed = text.replace("SPACE", space).replace("VALUE", value).replace("LAST", last)
        return load(changed).entry

    assert "!pto.tile<16x32xf32, vec>" in str(driver.specialise(made("Vec"), (), {}).program)
    x, out = np.ones((16, 32), np.float32), zeros()
    made("Vec")(x, out)
    assert (out == 1).all()
    # Mat binds, and so a vector operation on it is refused.
    with pytest.raises(pypto.CompileError, match="Mat"):
        made("Mat", last="pl.add(t, 1.0)").lower()
    for space, value, words in (
        ("Left", "pl.load(x, [0, 0], [16, 32])", "reaches Vec or Mat only"),
        ("Mat", "pl.add(pl.load(x, [0, 0], [16, 32]), 1.0)", "is made in Vec"),
        ("Vec", "pl.load(x, [0, 0], [16, 32], target_memory=pl.Mem.Mat)", "tile in Mat"),
    ):
        with pytest.raises(pypto.CompileError, match=words) as caught:
            made(space, value).lower()
        assert caught.value.diagnostics[0].line == 7


# What is refused, at its place.

REFUSED = {
    "@pl.function(type=§pl.FunctionType.Host)\ndef f(): ...": "no pl.FunctionType.Host",
    "§@pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP)\ndef f(): ...": "CORE_GROUP",
    "§@pl.function(typ=pl.FunctionType.InCore)\ndef f(): ...": "did you mean 'type'?",
    "@§pl.jit.host\ndef f(): ...": "@pl.jit.host is not supported yet",
    "@pl.jit\n§async def f(): ...": "'f' is an async function",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_decorator_is_refused_where_it_stands(text, load):
    whole = "import pypto.language as pl\n" + text
    lines = whole.splitlines()
    line = next(number for number, item in enumerate(lines) if "§" in item)
    with pytest.raises(pypto.CompileError, match=re.escape(REFUSED[text])) as caught:
        load(whole.replace("§", ""))
    found = caught.value.diagnostics[0]
    column = lines[line].index("§")
    assert found.line == line + 1
    # Python counts a decorator from behind its @.
    assert found.column - 1 in (column, column + 1)


def test_there_is_no_host_member():
    assert not hasattr(pl.FunctionType, "Host")
    with pytest.raises(AttributeError, match="has no member 'Hots'"):
        _ = pl.FunctionType.Hots


@pytest.mark.parametrize("parameter", ["*rest", "**options"])
def test_an_open_list_of_parameters_is_refused_by_name(parameter, load):
    entry = load(f"import pypto.language as pl\n@pl.jit\ndef f({parameter}):\n    pass\n").f
    for args in ((), (zeros(),)):
        with pytest.raises(pypto.UnsupportedFeatureError) as caught:
            entry(*args)
        assert f"'{parameter}': a kernel has a fixed list" in str(caught.value)
        assert caught.value.diagnostics[0].line == 3
