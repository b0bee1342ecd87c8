# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Conversions between all element types in PyPTO Pro, against NumPy."""

import numpy as np
import pypto
import pytest
from op_programs import NUMPY, bits
from test_ops_vector import run

VALID, SHAPE = (9, 53), (9, 64)


@pytest.mark.parametrize("to", NUMPY)
@pytest.mark.parametrize("of", NUMPY)
@pytest.mark.parametrize("arch", ["a3", "a5"])
def test_a_conversion(arch, of, to, load):
    """Numbers that every type on the way holds; which ways there are is the chip's matter."""
    rng = np.random.default_rng(1)
    low = 0 if of.startswith("U") or to.startswith("U") else -100
    x = rng.integers(low, 100, VALID).astype(NUMPY[of])
    text = "pl.cast(out, x_t, mode=pl.RoundMode.CAST_RINT)"
    try:
        found = run(load, arch, text, [of], VALID, SHAPE, [x], to)
    except pypto.CompileError as error:
        found = error.diagnostics[0]
        chip = "910B" if arch == "a3" else "950"
        if of == to:
            assert f"converts {of} to itself" in found.message
        else:
            assert f"{chip} has no conversion from {of} to {to}" in found.message, found.message
            assert found.line > 1
        return
    np.testing.assert_array_equal(bits(found), bits(x.astype(NUMPY[to])))


@pytest.mark.parametrize("arch", ["a3", "a5"])
@pytest.mark.parametrize(
    ("of", "to"), [("INT8", "FP16"), ("UINT8", "FP16"), ("INT16", "FP32"), ("INT8", "INT32")]
)
def test_a_conversion_that_loses_nothing_needs_no_rounding(arch, of, to, load):
    info = np.iinfo(NUMPY[of])
    x = np.linspace(info.min, info.max, VALID[0] * VALID[1]).astype(NUMPY[of]).reshape(VALID)
    for mode in ("", ", mode=pl.RoundMode.CAST_NONE", ", mode=pl.RoundMode.CAST_FLOOR"):
        found = run(load, arch, f"pl.cast(out, x_t{mode})", [of], VALID, SHAPE, [x], to)
        np.testing.assert_array_equal(bits(found), bits(x.astype(NUMPY[to])))


@pytest.mark.parametrize("arch", ["a3", "a5"])
def test_integers_are_cut_to_what_fits(arch, load):
    x = np.full(VALID, 1000, np.float32)
    x[0, :6] = [-1000, np.nan, np.inf, -np.inf, 127.5, -128.5]
    text = "pl.cast(out, x_t, mode=pl.RoundMode.CAST_TRUNC)"
    want = np.nan_to_num(np.clip(np.trunc(x), -128, 127), nan=0).astype(np.int8)
    found = run(load, arch, text, ["FP32"], VALID, SHAPE, [x], "INT8")
    np.testing.assert_array_equal(found, want)
