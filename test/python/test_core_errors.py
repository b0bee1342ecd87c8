# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What an author is told who asks one core for what another one has, or a tile for
more than it holds."""

import re

import numpy as np
import pytest
from pypto.diagnostics.errors import PyptoError

N = 32
HEAD = f"""
import pypto.language as pl

@pl.jit.incore
def f(a: pl.Tensor[[{N}, {N}], pl.FP16], n: pl.Scalar[pl.INDEX],
      out: pl.Out[pl.Tensor[[{N}, {N}], pl.DTYPE]]):
"""
ENTRY = f"""
@pl.jit
def entry(a: pl.Tensor[[{N}, {N}], pl.FP16], n: pl.Scalar[pl.INDEX],
          out: pl.Out[pl.Tensor[[{N}, {N}], pl.DTYPE]]):
    out = f(a, n, out)
    return out
"""
NO_PATH = (
    r"'c' \(\[32, 32\] FP32 in Acc\) is needed in Left, and no path leads from Acc to Left on "
    r"910B; store it to an array, and load that in a second kernel"
)


def error(load, body, out=np.float16, n=0):
    lines = "".join(f"    {line}\n" for line in body)
    word = {np.float16: "FP16", np.float32: "FP32"}[out]
    text = (HEAD + lines + "    return out\n" + ENTRY).replace("DTYPE", word)
    with pytest.raises(PyptoError) as caught:
        load(text).entry(np.ones((N, N), np.float16), n, np.zeros((N, N), out))
    return str(caught.value)


LOAD = f"b = pl.load(a, [0, 0], [{N}, {N}])"


def test_accumulator_as_operand(load):
    body = [LOAD, "c = pl.matmul(b, b)", "d = pl.matmul(c, b)", "out = pl.store(d, [0, 0], out)"]
    found = error(load, body, np.float32)
    assert re.search("pl.matmul: operand 1, " + NO_PATH, found)
    assert "pl.cast" not in found


def test_accumulator_moved_to_left(load):
    body = [
        LOAD,
        "c = pl.matmul(b, b)",
        "l = pl.move(c, target_memory=pl.Mem.Left)",
        "d = pl.matmul(l, b)",
        "out = pl.store(d, [0, 0], out)",
    ]
    found = error(load, body, np.float32)
    assert (
        "pl.move: no path leads from Acc to Left on 910B, for 'c' ([32, 32] FP32 in Acc); store "
        "it to an array, and load that in a second kernel"
    ) in found


def test_tile_wanted_in_two_spaces(load):
    body = [LOAD, "c = pl.move(b, target_memory=pl.Mem.Left)", "out = pl.store(b, [0, 0], out)"]
    found = error(load, body)
    assert "pl.store: runs on the vector core, but 'f' also works on the cube core" in found
    assert "pl.move runs on the cube core" in found
    assert "'b' is wanted in two spaces, so that it is loaded for Vec and for Mat" in found
    assert "pl.load runs on" not in found


@pytest.mark.parametrize("n", [33, -1])
def test_valid_shape_beyond_the_tile(n, load):
    body = [
        f"t = pl.load(a, [0, 0], [{N}, {N}], valid_shape=[n, {N}])",
        "out = pl.store(t, [0, 0], out)",
    ]
    found = error(load, body, n=n)
    assert f"pl.load: valid_shape is {n} rows, which is not within 0 to 32" in found
    assert "'t' ([32, 32] FP16 in Vec)" in found
