# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The programs by which docs/operations.md asks for element types (tools/operation_probes.py)
also give NumPy's answer: one line of an operation, on each chip."""

import numpy as np
import pytest
from pypto.runtime import RunConfig
from pypto.tools import operation_probes

PLATFORMS = ("a2a3sim", "a5sim")
# What the operations with a scalar take: `S` of the probes.
S = 2


def trunc_rest(a, b):
    return np.fmod(a, b)


def floor_rest(a, b):
    return np.mod(a, b)


def rows(function):
    return lambda x, *_: function(x, axis=1, keepdims=True)


def cols(function):
    return lambda x, *_: function(x, axis=0, keepdims=True)


def expdif(x, v):
    return np.exp(x - v)


FLOATS, INTS = ("FP16", "FP32"), ("INT16",)
BOTH = (*FLOATS, *INTS)
ROUND = 2e-3  # FP16; sums and products of rows are of few elements
CASES = {
    "addsc": (BOTH, lambda x, y: x + S + y),
    "subc": (BOTH, lambda x, y, z: x - y - z),
    "subsc": (BOTH, lambda x, y: x - S - y),
    "addc": (BOTH, lambda x, y, z: x + y + z),
    "fmods": (BOTH, lambda x: trunc_rest(x, S)),
    "rems": (BOTH, lambda x, *_: floor_rest(x, S)),
    "maximums": (BOTH, lambda x: np.maximum(x, S)),
    "minimums": (BOTH, lambda x: np.minimum(x, S)),
    "ands": (INTS, lambda x: x & S),
    "ors": (INTS, lambda x: x | S),
    "xors": (INTS, lambda x, *_: x ^ S),
    "shls": (INTS, lambda x: x << S),
    "shrs": (INTS, lambda x: x >> S),
    "shr": (INTS, lambda x, y: x >> y),
    "shl": (INTS, lambda x, y: x << y),
    "row_min": (FLOATS, rows(np.min)),
    "col_max": (FLOATS, cols(np.max)),
    "col_min": (FLOATS, cols(np.min)),
    "col_sum": (FLOATS, cols(np.sum)),
    "col_prod": (("FP32",), cols(np.prod)),
    "row_expand": (FLOATS, lambda x, v: v + 0 * x),
    "col_expand": (FLOATS, lambda x, v: v + 0 * x),
    "expand_clone": (FLOATS, lambda v, x: v + 0 * x),
    "expands": (BOTH, lambda x: 0 * x + S),
    "row_expand_add": (FLOATS, np.add),
    "row_expand_sub": (FLOATS, np.subtract),
    "row_expand_mul": (FLOATS, np.multiply),
    "row_expand_div": (FLOATS, np.divide),
    "row_expand_max": (FLOATS, np.maximum),
    "row_expand_min": (FLOATS, np.minimum),
    "row_expand_expdif": (FLOATS, expdif),
    "col_expand_add": (FLOATS, np.add),
    "col_expand_sub": (FLOATS, np.subtract),
    "col_expand_mul": (FLOATS, np.multiply),
    "col_expand_div": (FLOATS, np.divide),
    "col_expand_max": (FLOATS, np.maximum),
    "col_expand_min": (FLOATS, np.minimum),
    "col_expand_expdif": (FLOATS, expdif),
    "fillpad_inplace": (
        BOTH,
        lambda x: np.pad(x[:8, :32], ((0, 8), (0, 32))),
    ),
    "extract": (("FP16", "FP32"), lambda a, b: a[:16] @ b),
}


def operands(text, dtype, rng):
    """Arrays for the operands of a probe, small enough for every type."""
    found = []
    for mark, _, row, col, word, _ in operation_probes._OPERAND.findall(text):
        if mark == "+":
            continue
        kind = np.dtype({"FP16": "f2", "FP32": "f4", "INT16": "i2"}[word or dtype])
        shape = (int(row), int(col))
        if kind.kind == "f":
            found.append(rng.uniform(0.5, 1.5, shape).astype(kind))
        else:
            found.append(rng.integers(0, 8, shape).astype(kind))
    return found


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize(
    "name, dtype", [(name, dtype) for name, (types, _) in CASES.items() for dtype in types]
)
def test_an_operation(name, dtype, platform, load):
    line = operation_probes._PROBES[name]
    text = operation_probes._kernel(name, line, dtype, tile=True)
    module = load("import pypto.language as pl\n\n\n" + text)
    given = operands(line.split("|")[1], dtype, np.random.default_rng(0))
    wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in given]
    expected = CASES[name][1](*wide)
    out = np.zeros(expected.shape, np.float32 if name == "extract" else given[0].dtype)
    getattr(module, f"probe_{name}")(*given, out, config=RunConfig(platform=platform, checks="all"))
    if out.dtype.kind == "f":
        np.testing.assert_allclose(out.astype(np.float64), expected, rtol=ROUND, atol=ROUND)
    else:
        np.testing.assert_array_equal(out, expected.astype(out.dtype))


VIEWS = """
import pypto.language as pl

M = pl.dynamic("M")
assert isinstance(M, pl.DynVar)

@pl.jit.incore
def turned(
    a: pl.Tensor[[32, 16], pl.FP16],
    b: pl.Tensor[[32, 48], pl.FP16],
    out: pl.Out[pl.Tensor[[16, 48], pl.FP32]],
):
    left = pl.tile.transpose_view(pl.load(a, [0, 0], [32, 16], target_memory=pl.Mem.Mat))
    right = pl.load(b, [0, 0], [32, 48], target_memory=pl.Mem.Mat)
    pl.store(pl.matmul(left, right), [0, 0], out)
    return out

@pl.jit
def product(
    a: pl.Tensor[[32, 16], pl.FP16],
    b: pl.Tensor[[32, 48], pl.FP16],
    out: pl.Out[pl.Tensor[[16, 48], pl.FP32]],
):
    turned(a, b, out)
    return out

@pl.jit
def flat(
    x: pl.Tensor[[4, 8, 16], pl.FP32],
    out: pl.Out[pl.Tensor[[32, 16], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        out[:] = pl.add(pl.view(x, [32, 16]), 1.0)
    pl.dump_tag(out)
    return out
"""


@pytest.mark.parametrize("platform", PLATFORMS)
def test_views_and_tags(platform, load):
    module, rng = load(VIEWS), np.random.default_rng(0)
    config = RunConfig(platform=platform, checks="all")
    a, b = (rng.integers(-3, 4, (32, n)).astype(np.float16) for n in (16, 48))
    out = np.zeros((16, 48), np.float32)
    module.product(a, b, out, config=config)
    np.testing.assert_array_equal(out, a.T.astype(np.float32) @ b.astype(np.float32))
    x = rng.standard_normal((4, 8, 16)).astype(np.float32)
    out = np.zeros((32, 16), np.float32)
    module.flat(x, out, config=config)
    np.testing.assert_array_equal(out, x.reshape(32, 16) + 1)
