# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Numbers as small integers, in PyPTO Pro, against NumPy."""

import numpy as np
import pytest
from op_programs import NUMPY, numbers
from test_ops_fused import run
from test_ops_vector import check

VALID, SHAPE = (9, 53), (9, 64)
COLUMN = ((9, 1), (9, 1), "FP32", "DN")


@pytest.mark.parametrize("arch", ["a3", "a5"])
@pytest.mark.parametrize("out", ["INT8", "UINT8"])
@pytest.mark.parametrize("mode", ["", "SYM", "ASYM"])
def test_quant(arch, out, mode, load):
    rng = np.random.default_rng(1)
    x = numbers(rng, VALID, "FP32", -90, 90)
    x[0, :6] = [np.inf, -np.inf, np.nan, -0.0, 0.5, 1.5]
    scale = numbers(rng, (9, 1), "FP32", 0.1, 4)
    scale[0] = 1
    offset = numbers(rng, (9, 1), "FP32", -20, 20)
    offset[0] = 0
    tiles = {
        "x": (SHAPE, VALID, "FP32", ""),
        "s": COLUMN,
        "o": COLUMN,
        "out": (SHAPE, VALID, out, ""),
    }
    more = f", mode=pl.QuantMode.{mode}" if mode else ""
    more += ", offset=o" if mode == "ASYM" else ""
    sources = {"x": x, "s": scale, "o": offset}
    found = run(load, arch, tiles, f"pl.quant(out, x, s{more})", sources, {"out": None})[0]
    wanted = x * scale + (offset if mode == "ASYM" else np.float32(0))
    info = np.iinfo(NUMPY[out])
    wanted = np.nan_to_num(np.clip(np.rint(wanted), info.min, info.max), nan=0)
    check(found, wanted)


@pytest.mark.parametrize("arch", ["a3", "a5"])
@pytest.mark.parametrize("of", ["INT8", "INT16"])
def test_dequant(arch, of, load):
    rng = np.random.default_rng(2)
    x = numbers(rng, VALID, of)
    scale, offset = (numbers(rng, (9, 1), "FP32", -3, 3) for _ in range(2))
    tiles = {
        "x": (SHAPE, VALID, of, ""),
        "s": COLUMN,
        "o": COLUMN,
        "out": (SHAPE, VALID, "FP32", ""),
    }
    sources = {"x": x, "s": scale, "o": offset}
    found = run(load, arch, tiles, "pl.dequant(out, x, s, o)", sources, {"out": None})[0]
    check(found, (x.astype(np.float32) - offset) * scale)
