# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Kernels that are to give one answer everywhere: the reference model with every check on, the
model at every stage, and the emitted C++ over the host header, of one chip.

A case is one in-core function over whole arrays; what it is to write comes from NumPy.
"""

import dataclasses
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ascendc_harness import Library  # noqa: E402
from numpy_language import BF16  # noqa: E402
from pypto.runtime import RunConfig  # noqa: E402
from staging import run_stage, stages  # noqa: E402

NAMES = {
    "float16": "FP16",
    "float32": "FP32",
    "bfloat16": "BF16",
    "bool": "BOOL",
    **{
        f"{sign}int{bits}": f"{sign.upper()}INT{bits}"
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
}


@dataclasses.dataclass
class Case:
    """`body`: the lines of the kernel; `inputs` and `outputs` by the names it has for them."""

    name: str
    body: str
    inputs: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]  # what NumPy says
    # Of the difference to that, 0: the same bits.
    tolerance: float = 0.0


def annotation(array: np.ndarray) -> str:
    return f"pl.Tensor[{list(array.shape)}, pl.{NAMES[array.dtype.name]}]"


def source(case: Case) -> str:
    takes = [f"{name}: {annotation(array)}" for name, array in case.inputs.items()]
    takes += [f"{name}: pl.Out[{annotation(array)}]" for name, array in case.outputs.items()]
    names = [*case.inputs, *case.outputs]
    gives = ", ".join(case.outputs)
    body = textwrap.indent(textwrap.dedent(case.body).strip(), "    ")
    return f"""import math
import pypto.language as pl

@pl.jit.incore
def {case.name}({", ".join(takes)}):
{body}
    return {gives}

@pl.jit
def entry({", ".join(takes)}):
    {gives} = {case.name}({", ".join(names)})
    return {gives}
"""


def _agrees(case: Case, got: np.ndarray, want: np.ndarray) -> str:
    """Empty, or where they differ."""
    wide = np.float64 if got.dtype.kind not in "iub" else got.dtype
    a, b = got.astype(wide), want.astype(wide)
    if got.dtype.kind in "iub":
        same = a == b
    elif case.tolerance:
        with np.errstate(all="ignore"):
            same = (
                (a == b)
                | (np.isnan(a) & np.isnan(b))
                | (np.abs(a - b) <= case.tolerance * np.maximum(np.abs(b), 1))
            )
    else:
        same = ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))
    where = np.argwhere(~same)
    if not len(where):
        return ""
    at = tuple(where[0])
    place = f"at {list(map(int, at))}, and {len(where)} of {got.size} in all"
    return f"{place}: found {got[at]!r}, expected {want[at]!r}"


def run_everywhere(cases: list[Case], platform: str, load: Callable, folder: Path) -> None:
    """All cases at every stage of the model, then as C++ in one library."""
    config, sources, wrong = RunConfig(platform=platform), {}, []
    for case in cases:
        entry = load(source(case)).entry
        given = [*case.inputs.values(), *(np.zeros_like(array) for array in case.outputs.values())]
        first = None
        for name, program in stages(entry, given, config):
            made = [array.copy() for array in given]
            run_stage(program, made)
            results = made[len(case.inputs) :]
            for out, got, want in zip(case.outputs, results, case.outputs.values(), strict=True):
                if text := _agrees(case, got, want):
                    wrong.append(f"{case.name}, {name}: {out} {text}")
            if first is not None:
                for out, got, want in zip(case.outputs, results, first, strict=True):
                    if not case.tolerance and (text := _agrees(case, got, want)):
                        wrong.append(f"{case.name}, {name} against 00_frontend: {out} {text}")
            first = first or results
        sources[case.name] = (program.emit(), given, results)
    assert not wrong, "\n".join(wrong[:20])
    library = Library({name: parts for name, (parts, _, _) in sources.items()}, folder / "host")
    for case in cases:
        _, given, model = sources[case.name]
        made = [array.copy() for array in given]
        reports = library.run(case.name, "entry", *made)
        assert not reports, f"{case.name}: {reports[:3]}"
        for out, got, want in zip(case.outputs, made[len(case.inputs) :], model, strict=True):
            exact = dataclasses.replace(case, tolerance=case.tolerance and 1e-6)
            if text := _agrees(exact, got, want):
                wrong.append(f"{case.name}, C++: {out} {text}")
    assert not wrong, "\n".join(wrong[:20])


__all__ = ["BF16", "Case", "run_everywhere"]
