# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Python's operators on scalars of every type, as NumPy computes them: on the model and as C++."""

import sys
from pathlib import Path

import numpy as np
import pypto.language as pl
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from ascendc_harness import Library  # noqa: E402
from pypto.ir.program import Passes  # noqa: E402

INTEGERS = ("INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64")
OPERATORS = ("a + b", "a - b", "a * b", "a // b", "a % b", "a & b", "a | b", "a ^ b", "-a", "~a")
OPERATORS += ("a << 3", "a >> 2", "a ** 3", "min(a, b)", "max(a, b)", "abs(a)")
CONDITIONS = ("a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b", "not a", "a and b")
CONDITIONS += ("a or b", "a < b < 100", "bool(a)")

PAIRS = {
    False: [(7, 3), (-7, 3), (7, -3), (-100, 27), (0, 5), (127, 127), (-128, 1)],
    True: [(7, 3), (250, 3), (3, 250), (0, 5), (255, 255), (200, 199)],
}


def program(dtype):
    """Each result as its two halves of 32 bits, in a row of its own."""
    lines = []
    wide = dtype.endswith("64")
    for row, text in enumerate((*OPERATORS, *CONDITIONS)):
        if text in CONDITIONS:
            lines.append(f"v = 1 if {text} else 0")
            halves = ["pl.cast(v, pl.INT32)", "0"]
        else:
            lines.append(f"v = {text}")
            low = "v" if dtype == "INT32" else "pl.cast(v, pl.INT32)"
            halves = [low, "pl.cast(v >> 32, pl.INT32)" if wide else "0"]
        for half, value in enumerate(halves):
            lines.append(
                f"pl.store(pl.full([1, 8], pl.INT32, {value}), [{2 * row + half}, 0], out)"
            )
    body = "\n".join("    " + line for line in lines)
    rows = 2 * (len(OPERATORS) + len(CONDITIONS))
    parameters = (
        f"out: pl.Out[pl.Tensor[[{rows}, 8], pl.INT32]], a: pl.Scalar[pl.{dtype}], "
        f"b: pl.Scalar[pl.{dtype}]"
    )
    return (
        "import pypto.language as pl\n\n\n"
        f"@pl.jit.incore\ndef kernel({parameters}):\n{body}\n    return out\n\n\n"
        f"@pl.jit\ndef entry({parameters}):\n    out = kernel(out, a, b)\n    return out\n"
    ), rows


def wanted(dtype, a, b, rows):
    kind = np.dtype(dtype.lower())
    a, b = kind.type(a), kind.type(b)
    out = np.zeros((rows, 8), np.int32)
    with np.errstate(all="ignore"):
        for row, text in enumerate(OPERATORS):
            scope = {"a": a, "b": b, "abs": np.abs, "min": np.minimum, "max": np.maximum}
            text = text.replace("3", "kind(3)").replace(" 2", " kind(2)")
            if text.startswith("a **"):
                text = "a * a * a"
            value = kind.type(eval(text, {**scope, "kind": kind.type}))  # noqa: S307
            signed = int(value)
            out[2 * row] = np.int64(signed & 0xFFFFFFFF).astype(np.uint32).astype(np.int32)
            if dtype.endswith("64"):
                out[2 * row + 1] = np.int64((signed >> 32) & 0xFFFFFFFF).astype(np.int32)
        for row, text in enumerate(CONDITIONS, len(OPERATORS)):
            out[2 * row] = bool(eval(text, {"a": int(a), "b": int(b)}))  # noqa: S307
    return out


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype, load, tmp_path):
    text, rows = program(dtype)
    out = np.zeros((rows, 8), np.int32)
    compiled = load(text).entry.compile(out, pl.RUNTIME, pl.RUNTIME)
    final = compiled.program
    for step in Passes.pipeline("910B").single():
        final = final.after(step)
    library = Library({"k": final.emit()}, tmp_path / "host")
    for a, b in PAIRS[dtype.startswith("U")]:
        want = wanted(dtype, a, b, rows)
        out = np.full_like(want, 77)
        compiled(out, a, b)
        names = [text for text in (*OPERATORS, *CONDITIONS) for _ in (0, 1)]
        wrong = [n for n, x, y in zip(names, out[:, 0], want[:, 0], strict=True) if x != y]
        assert not wrong, f"{dtype} {a}, {b}"
        out = np.full_like(want, 77)
        assert not library.run("k", "entry", out, a, b)
        wrong = [n for n, x, y in zip(names, out[:, 0], want[:, 0], strict=True) if x != y]
        assert not wrong, f"C++: {dtype} {a}, {b}"


FLOATS = ("a + b", "a - b", "a * b", "a / b", "-a", "abs(a)", "min(a, b)", "max(a, b)", "a ** 2")
FLOATS += ("a ** -1", "float(int(a))", "1.0 if a < b else 0.5", "float(a > 0) + float(not b)")


def test_floats(load, tmp_path):
    lines = "\n".join(
        f"    pl.store(pl.full([1, 8], pl.FP32, {text}), [{row}, 0], out)"
        for row, text in enumerate(FLOATS)
    )
    parameters = (
        f"out: pl.Out[pl.Tensor[[{len(FLOATS)}, 8], pl.FP32]], a: pl.Scalar[pl.FP32], "
        "b: pl.Scalar[pl.FP32]"
    )
    text = (
        f"import pypto.language as pl\n\n\n@pl.jit.incore\ndef kernel({parameters}):\n{lines}\n"
        f"    return out\n\n\n@pl.jit\ndef entry({parameters}):\n    out = kernel(out, a, b)\n"
        "    return out\n"
    )
    out = np.zeros((len(FLOATS), 8), np.float32)
    compiled = load(text).entry.compile(out, pl.RUNTIME, pl.RUNTIME)
    final = compiled.program
    for step in Passes.pipeline("910B").single():
        final = final.after(step)
    library = Library({"k": final.emit()}, tmp_path / "host")
    for a, b in [(1.5, 2.25), (-7.75, 3.0), (0.1, -0.3), (1e10, 1e-10), (-0.5, 0.0)]:
        a, b = np.float32(a), np.float32(b)
        with np.errstate(all="ignore"):
            want = [
                np.float32(
                    eval(  # noqa: S307
                        {"a ** 2": "a * a", "a ** -1": "1 / a"}.get(t, t),
                        {"a": a, "b": b, "float": np.float32, "int": int},
                    )
                )
                for t in FLOATS
            ]
        out = np.zeros((len(FLOATS), 8), np.float32)
        compiled(out, float(a), float(b))
        assert list(out[:, 0]) == want, (a, b)
        out = np.zeros((len(FLOATS), 8), np.float32)
        assert not library.run("k", "entry", out, float(a), float(b))
        assert list(out[:, 0]) == want, (a, b)
