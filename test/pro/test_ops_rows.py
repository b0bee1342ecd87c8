# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Reductions of rows and columns and what meets them, in PyPTO Pro, of every element type that
they have, against NumPy."""

import numpy as np
import op_programs as programs
import pypto
import pytest
from op_programs import NUMPY, numbers, wide
from test_ops_vector import check

ARCHS = ("a3", "a5")
FLOATS = ["FP16", "BF16", "FP32"]
SHORT = ["INT16", "INT32", "UINT16", "UINT32"]
SHAPES = (((9, 53), (9, 64)), ((1, 17), (1, 32)), ((37, 300), (40, 304)))


def lines(load, arch, dtype, body, valid, shape, x):
    """`body` with a tile t, scratch, a column c and a row r; gives t, c and r afterwards."""
    arrays = [("x", valid, dtype), ("z", valid, dtype)]
    arrays += [("w", (valid[0], 1), dtype), ("v", (1, valid[1]), dtype)]
    tiles = [
        ("t", shape, valid, dtype, ""),
        ("scratch", shape, valid, dtype, ""),
        ("c", (shape[0], 1), (valid[0], 1), dtype, "DN"),
        ("r", (1, shape[1]), (1, valid[1]), dtype, ""),
    ]
    stores = "pl.store(z, t, [0, 0])\npl.store(w, c, [0, 0])\npl.store(v, r, [0, 0])"
    body = f"pl.load(t, x, [0, 0])\npl.expands(c, 0)\npl.expands(r, 0)\n{body}\n{stores}"
    z = np.zeros(valid, NUMPY[dtype])
    w, v = np.zeros((valid[0], 1), z.dtype), np.zeros((1, valid[1]), z.dtype)
    load(programs.vector_kernel(arch, arrays, tiles, body)).kernel[None, 1](x, z, w, v)
    return z, w, v


def small(valid, dtype, seed=7):
    """Small integers, whose sums and products are exact in any order."""
    low = 0 if dtype.startswith("U") else -3
    return np.random.default_rng(seed).integers(low, 4, valid).astype(NUMPY[dtype])


def exact(x):
    return x.astype(np.float64) if x.dtype.kind not in "iu" else x


REDUCE = {
    "pl.row_max({0}, t)": (np.max, 1),
    "pl.row_min({0}, t, scratch)": (np.min, 1),
    "pl.row_sum({0}, t)": (np.sum, 1),
    "pl.minimum({0}, t, scratch, dim=0)": (np.min, 1),
    "pl.sum({0}, t, scratch, dim=0)": (np.sum, 1),
    "pl.col_max({0}, t)": (np.max, 0),
    "pl.col_min({0}, t)": (np.min, 0),
    "pl.col_sum({0}, t, scratch)": (np.sum, 0),
    "pl.sum({0}, t, scratch, dim=1)": (np.sum, 0),
    "pl.maximum({0}, t, scratch, dim=1)": (np.max, 0),
    "pl.minimum({0}, t, scratch, dim=1)": (np.min, 0),
}


def missing(arch, dtype, text):
    """Whether no instructions of the chip make it."""
    if dtype in FLOATS:
        return False
    if "row_" in text or "dim=0" in text:
        return arch == "a3" or ("sum" in text and "16" in dtype)
    return arch == "a3" and dtype.startswith("U")


@pytest.mark.parametrize("text", REDUCE)
@pytest.mark.parametrize("dtype", FLOATS + SHORT)
@pytest.mark.parametrize("arch", ARCHS)
def test_a_reduction(arch, dtype, text, load):
    combine, axis = REDUCE[text]
    for valid, shape in SHAPES:
        x = small(valid, dtype)

        def go(x=x, valid=valid, shape=shape):
            return lines(load, arch, dtype, text.format("cr"[1 - axis]), valid, shape, x)

        if missing(arch, dtype, text):
            with pytest.raises(pypto.CompileError) as error:
                go()
            assert f"for {dtype}" in error.value.diagnostics[0].message
            continue
        found = go()[2 - axis]
        check(found, combine(exact(x), axis=axis, keepdims=True, **_same(combine, x)))


def _same(combine, x):
    return {"dtype": x.dtype} if combine is np.sum and x.dtype.kind in "iu" else {}


@pytest.mark.parametrize("dtype", ["FP16", "FP32", "INT16", "INT32"])
@pytest.mark.parametrize("arch", ARCHS)
def test_a_product_of_each_column(arch, dtype, load):
    x = small((9, 53), dtype, 3)
    _, _, v = lines(load, arch, dtype, "pl.col_prod(r, t)", (9, 53), (9, 64), x)
    want = wide(x[0])
    for row in wide(x)[1:]:
        want = (want * row).astype(x.dtype).astype(want.dtype)
    check(v, want[None])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("arch", ARCHS)
def test_reductions_of_what_is_no_number(arch, dtype, load):
    x = numbers(np.random.default_rng(8), (9, 53), dtype)
    x[3, 5], x[4, 6], x[5, 6] = np.nan, np.inf, -np.inf
    body = "pl.row_min(c, t)\npl.col_max(r, t)"
    _, w, v = lines(load, arch, dtype, body, (9, 53), (9, 64), x)
    np.testing.assert_array_equal(w, np.min(x, axis=1, keepdims=True))
    np.testing.assert_array_equal(v, np.max(x, axis=0, keepdims=True))


# The names that a line of the table below has in each direction.
NAMES = {
    "row": "row_expand_add row_expand_sub row_expand_mul row_expand_div row_expand_max "
    "row_expand_min",
    "col": "col_expand_add col_expand_sub col_expand_mul col_expand_div col_expand_max "
    "col_expand_min",
    "dim": "expand_sub expand_mul expand_div expand_max expand_min",
}
MEET = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name in MEET for dtype in FLOATS + SHORT * (name != "div")],
)
@pytest.mark.parametrize("arch", ARCHS)
def test_each_line_with_its_own_value(arch, name, dtype, load):
    valid, shape = (9, 53), (9, 64)
    x = numbers(np.random.default_rng(9), valid, dtype, 0.5, 4.0)
    for which, axis in (("row", 1), ("col", 0)):
        tile = "c" if which == "row" else "r"
        calls = [f"{n}(t, t, {tile})" for n in NAMES[which].split() if n.endswith(name)]
        for n in NAMES["dim"].split():
            if n.endswith(name):
                calls.append(f"{n}(t, t, {tile}, dim={1 - axis})")
        for call in calls:
            body = f"pl.expands({tile}, 3)\npl.{call}"
            unsigned = arch == "a3" and dtype.startswith("U")
            if unsigned:
                with pytest.raises(pypto.CompileError) as error:
                    lines(load, arch, dtype, body, valid, shape, x)
                assert f"for {dtype}" in error.value.diagnostics[0].message
                continue
            z, *_ = lines(load, arch, dtype, body, valid, shape, x)
            with np.errstate(over="ignore"):
                check(z, MEET[name](wide(x), wide(x).dtype.type(3)))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("which", ["row", "col"])
def test_values_of_the_lines(arch, which, dtype, load):
    """A reduction, and each line with what came of it; and the values alone, spread."""
    valid, shape = (9, 53), (9, 64)
    axis, tile = (1, "c") if which == "row" else (0, "r")
    x = numbers(np.random.default_rng(10), valid, dtype)
    top = x.max(axis=axis, keepdims=True)
    reduced = f"pl.{which}_max({tile}, t)\n"
    z, *_ = lines(
        load, arch, dtype, f"{reduced}pl.{which}_expand_sub(t, t, {tile})", valid, shape, x
    )
    check(z, wide(x) - wide(top))
    spread = {"row": "pl.row_expand(t, c)", "col": "pl.col_expand(t, r)"}[which]
    z, *_ = lines(load, arch, dtype, reduced + spread, valid, shape, x)
    check(z, np.broadcast_to(top, valid))
    power = {"row": "pl.row_expand_expdif(t, t, c)", "col": "pl.col_expand_expdif(t, t, r)"}
    z, *_ = lines(load, arch, dtype, reduced + power[which], valid, shape, x)
    difference = (wide(x) - wide(top)).astype(x.dtype)
    check(z, np.exp(difference.astype(np.float64)))
