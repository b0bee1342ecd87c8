# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Tiles of more rows than one instruction takes: 255 repeats, 4095 runs of a copy.

Each kernel runs on the model after every pass and as C++ over the host header, and
all of them give NumPy's answer."""

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy_language import BF16

sys.path.insert(0, str(Path(__file__).parents[1]))

from ascendc_harness import Library  # noqa: E402
from pypto.ir.program import Passes  # noqa: E402
from pypto.jit import driver  # noqa: E402
from staging import run_stage, stages  # noqa: E402

DTYPES = {"FP32": np.float32, "FP16": np.float16, "BF16": BF16}
CASES = {}  # name: text, inputs, result


def case(name, expression, result, **inputs):
    """A kernel that gives `expression` of its inputs, at the tensor level."""
    words = {dtype: word for word, dtype in ((w, np.dtype(d)) for w, d in DTYPES.items())}
    parameters = [
        f"{parameter}: pl.Tensor[[{a.shape[0]}, {a.shape[1]}], pl.{words[a.dtype]}]"
        for parameter, a in inputs.items()
    ]
    shape = f"[{result.shape[0]}, {result.shape[1]}], pl.{words[result.dtype]}"
    parameters.append(f"out: pl.Out[pl.Tensor[{shape}]]")
    text = f"""
import pypto.language as pl

@pl.jit
def {name}({", ".join(parameters)}):
    with pl.at(level=pl.Level.CORE_GROUP):
        out = {expression}
    return out
"""
    CASES[name] = text, list(inputs.values()), result


def normal(*shape):
    return np.random.default_rng(shape[0]).standard_normal(shape).astype(np.float32)


for dtype in DTYPES:
    for rows in (255, 256, 257, 300, 600):
        # Rows wider than a repeat take room to fold them, which 600 rows do not leave.
        cols = 80 if rows < 600 else 48
        # Sums of small whole numbers are exact in every type.
        x = np.random.default_rng(rows).integers(-1, 2, (rows, cols)).astype(np.float32)
        total = x.sum(1, keepdims=True).astype(DTYPES[dtype])
        case(f"sum_{dtype}_{rows}", "pl.row_sum(x)", total, x=x.astype(DTYPES[dtype]))
        x = x[:, :32].copy()
        largest = x.max(1, keepdims=True).astype(DTYPES[dtype])
        case(f"max_{dtype}_{rows}", "pl.row_max(x)", largest, x=x.astype(DTYPES[dtype]))
for rows, cols in ((300, 64), (300, 72), (4096, 8), (5000, 8)):
    x = normal(rows, cols)
    case(f"max_{rows}x{cols}", "pl.row_max(x)", x.max(1, keepdims=True), x=x)
x, y = normal(300, 64), normal(300, 72)
case("expand", "pl.row_expand_sub(x, pl.row_max(y))", x - y.max(1, keepdims=True), x=x, y=y)
for rows in (4095, 4096, 5000):
    x = normal(rows, 1)
    case(f"column_{rows}", "pl.add(x, x)", x + x, x=x)


@pytest.mark.parametrize("name", CASES)
def test_model(name, load):
    text, inputs, want = CASES[name]
    for stage, module in stages(getattr(load(text), name), [*inputs, want]):
        out = np.zeros_like(want)
        run_stage(module, [*inputs, out])
        np.testing.assert_array_equal(out, want, err_msg=f"{stage}\n{module}")


def test_cpp(load, tmp_path):
    sources = {}
    for name, (text, inputs, want) in CASES.items():
        program = driver.specialise(getattr(load(text), name), (*inputs, want), {}).program
        for step in Passes.pipeline("910B").single():
            program = program.after(step)
        sources[name] = program.emit()
    library = Library(sources, tmp_path / "host")
    for name, (_, inputs, want) in CASES.items():
        out = np.zeros_like(want)
        reports = library.run(name, name, *inputs, out)
        assert not reports, f"{name}: {reports[:3]}"
        np.testing.assert_array_equal(out, want, err_msg=name)
