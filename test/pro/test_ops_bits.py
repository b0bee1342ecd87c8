# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Bits and functions in PyPTO Pro, against NumPy."""

import numpy as np
import op_programs as programs
import pytest
from op_programs import numbers

BITS = {
    "and_(out, x_t, y_t)": lambda a, b: a & b,
    "or_(out, x_t, y_t)": lambda a, b: a | b,
    "not_(out, x_t)": lambda a, b: ~a,
    "shl(out, x_t, 3)": lambda a, b: a << 3,
    "shrs(out, x_t, 2)": lambda a, b: a >> 2,
    "maximums(out, x_t, 5)": lambda a, b: np.maximum(a, 5),
    "minimums(out, x_t, 5)": lambda a, b: np.minimum(a, 5),
}


@pytest.mark.parametrize("text", BITS)
@pytest.mark.parametrize("arch", ["a3", "a5"])
def test_bits(arch, text, load):
    valid, shape = (9, 53), (9, 64)
    rng = np.random.default_rng(4)
    x, y = (rng.integers(-(2**31), 2**31, valid, np.int64).astype(np.int32) for _ in range(2))
    arrays = [(name, valid, "INT32") for name in ("x", "y", "z")]
    tiles = [(f"{n}_t", shape, valid, "INT32", "") for n in ("x", "y")]
    tiles.append(("out", shape, valid, "INT32", ""))
    body = f"pl.load(x_t, x, [0, 0])\npl.load(y_t, y, [0, 0])\npl.{text}\npl.store(z, out, [0, 0])"
    z = np.zeros(valid, np.int32)
    load(programs.vector_kernel(arch, arrays, tiles, body)).kernel[None, 1](x, y, z)
    np.testing.assert_array_equal(z, BITS[text](x, y))


@pytest.mark.parametrize("name", ["log", "recip"])
@pytest.mark.parametrize("arch", ["a3", "a5"])
def test_functions(arch, name, load):
    valid, shape = (9, 53), (9, 64)
    x = numbers(np.random.default_rng(5), valid, "FP32", 0.5, 3.0)
    arrays = [("x", valid, "FP32"), ("z", valid, "FP32")]
    tiles = [("x_t", shape, valid, "FP32", ""), ("out", shape, valid, "FP32", "")]
    body = f"pl.load(x_t, x, [0, 0])\npl.{name}(out, x_t)\npl.store(z, out, [0, 0])"
    z = np.zeros(valid, np.float32)
    load(programs.vector_kernel(arch, arrays, tiles, body)).kernel[None, 1](x, z)
    wide = x.astype(np.float64)
    expected = np.log(wide) if name == "log" else 1 / wide
    np.testing.assert_array_equal(z, expected.astype(np.float32))
