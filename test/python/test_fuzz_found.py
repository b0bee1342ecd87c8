# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What the fuzz test found: each ended the process, or showed frames of ours."""

from __future__ import annotations

import numpy as np
import pytest
from pypto.diagnostics.errors import ArgumentError
from pypto.ir.program import Program
from pypto.ir.types import Other, parse_type
from pypto.tools import arguments

EMPTY = """
import pypto.language as pl

@pl.jit.incore
def part(x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    pl.store(pl.load(x, [0, 0], [16, 16]), [0, 0], out)
    t = pl.load(x, [0, 0], [16, 16], [{extents}])
    pl.store(pl.add(t, t), [0, 0], out)
    return out

@pl.jit
def kernel(x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    out = part(x, out)
    return out
"""


@pytest.mark.parametrize("extents", ["0, 0", "0, 16", "16, 0"])
def test_a_part_that_is_known_to_be_empty(load, platform, extents):
    x, out = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((16, 16), np.float32)
    load(EMPTY.format(extents=extents)).kernel(x, out)
    np.testing.assert_array_equal(out, x)


def test_an_element_type_that_the_language_has_not():
    for text in ("tensor<4x4xf64>", "tensor<4xi7>", "!pto.gm<4xf64>"):
        assert parse_type(text) == Other(text)


MODULE = """module attributes {{pto.target = "910B"}} {{
  func.func @f(%x: {kind}{where}) attributes {{pto.kind = #pto.kind<in_core>}} {{
    return
  }}
}}
"""


@pytest.mark.parametrize("kind", ["!pto.tile<8x8xf32>", "tensor<4x4xf64>"])
def test_an_argument_that_a_run_cannot_be_given(kind):
    program = Program.parse(MODULE.format(kind=kind, where=""))
    entry = arguments.find_entry(program, None)
    with pytest.raises(ArgumentError, match="which a run cannot be given"):
        arguments.parameters(entry, ["1"])


def test_a_name_that_is_no_utf8():
    where = r' loc("\FF"("a.py":1:1))'
    program = Program.parse(MODULE.format(kind="i32", where=where))
    entry = arguments.find_entry(program, None)
    with pytest.raises(ArgumentError, match="'\ufffd'"):
        arguments.parameters(entry, ["one"])
