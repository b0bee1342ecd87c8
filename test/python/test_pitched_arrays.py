# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Kernels whose arguments are windows of wider arrays: the emitted C++ over the host
header finds the rows where they are, and touches nothing between them."""
# ruff: noqa: E501 (lines of IR)

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ascendc_harness import Library, pipeline, translate  # noqa: E402


def kernel(name: str, x: str, out: str, body: str, more: str = "") -> str:
    return f"""
func.func @{name}(%x: tensor<{x}> {{pto.dir = #pto.dir<in>}}, {more}%out: tensor<{out}> {{pto.dir = #pto.dir<out>}}) -> tensor<{out}>
    attributes {{pto.kind = #pto.kind<in_core>}} {{
{body}
  return %o : tensor<{out}>
}}"""


MODULES = {
    # Whole blocks, and tails of rows; a store between rows that others own.
    "rows": kernel(
        "rows",
        "16x32xf32, #pto.pitch<96>",
        "16x32xf32, #pto.pitch<40>",
        """
  %e = pto.tensor.neg %x : tensor<16x32xf32, #pto.pitch<96>> -> tensor<16x32xf32>
  %o = pto.tensor.assemble %e into %out[0, 0] : tensor<16x32xf32> into tensor<16x32xf32, #pto.pitch<40>>""",
    ),
    "tails": kernel(
        "tails",
        "9x13xf32, #pto.pitch<51>",
        "9x13xf32, #pto.pitch<17>",
        """
  %e = pto.tensor.neg %x : tensor<9x13xf32, #pto.pitch<51>> -> tensor<9x13xf32>
  %o = pto.tensor.assemble %e into %out[0, 0] : tensor<9x13xf32> into tensor<9x13xf32, #pto.pitch<17>>""",
    ),
    # A column is one vector on chip.
    "column": kernel(
        "column",
        "24x1xf32, #pto.pitch<10>",
        "24x1xf32, #pto.pitch<3>",
        """
  %e = pto.tensor.neg %x : tensor<24x1xf32, #pto.pitch<10>> -> tensor<24x1xf32>
  %o = pto.tensor.assemble %e into %out[0, 0] : tensor<24x1xf32> into tensor<24x1xf32, #pto.pitch<3>>""",
    ),
    # Windows of the window, in a loop.
    "loop": kernel(
        "loop",
        "64x24xf32, #pto.pitch<100>",
        "64x24xf32, #pto.pitch<48>",
        """
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %o = scf.for %i = %c0 to %c64 step %c16 iter_args(%a = %out) -> tensor<64x24xf32, #pto.pitch<48>> {
    %t = pto.tile.load %x[%i, 8] : tensor<64x24xf32, #pto.pitch<100>> -> !pto.tile<16x16xf32>
    %u = pto.tile.load %x[%i, 0] : tensor<64x24xf32, #pto.pitch<100>> -> !pto.tile<16x8xf32>
    %b = pto.tile.store %t, %a[%i, 0] : !pto.tile<16x16xf32> -> tensor<64x24xf32, #pto.pitch<48>>
    %c = pto.tile.store %u, %b[%i, 16] : !pto.tile<16x8xf32> -> tensor<64x24xf32, #pto.pitch<48>>
    scf.yield %c : tensor<64x24xf32, #pto.pitch<48>>
  }""",
    ),
    # DDR to Mat, and Acc to DDR.
    "product": kernel(
        "product",
        "48x32xf16, #pto.pitch<80>",
        "48x64xf32, #pto.pitch<72>",
        """
  %p = pto.tensor.matmul %x, %w : (tensor<48x32xf16, #pto.pitch<80>>, tensor<32x64xf16, #pto.pitch<128>>) -> tensor<48x64xf32>
  %o = pto.tensor.assemble %p into %out[0, 0] : tensor<48x64xf32> into tensor<48x64xf32, #pto.pitch<72>>""",
        "%w: tensor<32x64xf16, #pto.pitch<128>> {pto.dir = #pto.dir<in>}, ",
    ),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    programs = {name: translate(pipeline(text)) for name, text in MODULES.items()}
    return Library(programs, tmp_path_factory.mktemp("pitched"))


class Window:
    """`rows` x `cols` of an array of `pitch` columns, from `at` on: the memory that a
    kernel is given, and what lies around it."""

    def __init__(self, rng, rows, cols, pitch, at, dtype=np.float32):
        self.whole = rng.standard_normal((rows + 1, pitch)).astype(dtype)
        self.before = self.whole.copy()
        self.memory = self.whole.reshape(-1)[at : at + (rows - 1) * pitch + cols]
        self.index = np.arange(rows)[:, None] * pitch + at + np.arange(cols)

    @property
    def values(self):
        return self.whole.reshape(-1)[self.index]

    def assert_only_window_changed(self):
        mask = np.ones(self.whole.size, bool)
        mask[self.index] = False
        np.testing.assert_array_equal(self.whole.reshape(-1)[mask], self.before.reshape(-1)[mask])


CASES = {
    "rows": ((16, 32, 96, 64), (16, 32, 40, 8), lambda x: -x),
    "tails": ((9, 13, 51, 20), (9, 13, 17, 4), lambda x: -x),
    "column": ((24, 1, 10, 7), (24, 1, 3, 1), lambda x: -x),
    "loop": (
        (64, 24, 100, 40),
        (64, 24, 48, 0),
        lambda x: np.concatenate([x[:, 8:], x[:, :8]], axis=1),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_vector_kernel_on_windows(library, name):
    source, target, expected = CASES[name]
    rng = np.random.default_rng(7)
    x, out = Window(rng, *source), Window(rng, *target)
    assert library.run(name, name, x.memory, out.memory) == []
    np.testing.assert_array_equal(out.values, expected(x.values))
    out.assert_only_window_changed()


def test_product_of_windows(library):
    rng = np.random.default_rng(8)
    x = Window(rng, 48, 32, 80, 16, np.float16)
    w = Window(rng, 32, 64, 128, 64, np.float16)
    out = Window(rng, 48, 64, 72, 8)
    assert library.run("product", "product", x.memory, w.memory, out.memory) == []
    expected = x.values.astype(np.float32) @ w.values.astype(np.float32)
    np.testing.assert_allclose(out.values, expected, rtol=1e-5, atol=1e-5)
    out.assert_only_window_changed()
