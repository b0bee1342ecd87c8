"""Generated kernels give one answer: NumPy's, at every stage, and as C++.

Python itself executes each kernel with `numpy_language` as its `pl`; the model runs the
module before the first pass and after each one; the emitted C++ runs over the host header.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from ascendc_harness import Library  # noqa: E402
from generate import Program, run_with_numpy  # noqa: E402
from generate_loops import LoopProgram  # noqa: E402
from pypto.ir.program import Passes  # noqa: E402
from pypto.jit import driver  # noqa: E402
from pypto.runtime import RunConfig, arrays  # noqa: E402
from pypto.runtime.reference import ReferenceModel  # noqa: E402

# How many kernels of each chip.
COUNTS = {
    ("a2a3sim", Program): 300,
    ("a5sim", Program): 100,
    ("a2a3sim", LoopProgram): 150,
    ("a5sim", LoopProgram): 50,
}
BATCH = 50
STEPS = 10_000_000


def stages(entry, arguments, config=None):
    """(name, program) before the first pass and after each one."""
    config = config or RunConfig()
    program = driver.specialise(entry, tuple(arguments), {}, config).program
    yield "00_frontend", program
    for number, step in enumerate(Passes.pipeline(config.target).single()):
        program = program.after(step)
        if str(step) != "pto-verify-level":
            yield f"{number // 2:02}_after_{step}", program


def same_bits(got, want):
    """Equal, -0 unlike +0, and any NaN like any other."""
    if got.dtype.kind == "i":
        return np.array_equal(got, want)
    bits = f"u{got.dtype.itemsize}"
    nan = np.isnan(got.astype(np.float32)) & np.isnan(want.astype(np.float32))
    return bool((nan | (got.view(bits) == want.view(bits))).all())


def difference(got, want):
    where = np.argwhere(got.astype(np.float64) != want.astype(np.float64))[:1]
    index = tuple(where[0]) if len(where) else ()
    return (
        f"at {index}: found {got[index]}, NumPy {want[index]}" if index else "in the sign of zero"
    )


@pytest.mark.parametrize(
    "platform, kind, first",
    [(*key, first) for key, count in COUNTS.items() for first in range(0, count, BATCH)],
)
def test_generated(platform, kind, first, load, tmp_path):
    config = RunConfig(platform=platform)
    sources, wanted = {}, {}
    for seed in range(first, first + BATCH):
        program = kind(seed)
        wanted[seed] = run_with_numpy(program)[-1]
        entry = getattr(load(program.text), program.entry)
        for name, module in stages(entry, program.arguments(), config):
            given = program.arguments()
            ReferenceModel(module._operation, module.name).run(
                [arrays.buffer(p.name, a) for p, a in zip(program.parameters, given, strict=True)],
                STEPS,
            )
            got, want = given[-1], wanted[seed]
            assert same_bits(got, want), (
                f"seed {seed}, {name}, {difference(got, want)}\n{program.text}\n{module}"
            )
        sources[str(seed)] = module.emit()
    library = Library(sources, tmp_path / "host")
    for seed in range(first, first + BATCH):
        program = kind(seed)
        given = program.arguments()
        reports = library.run(str(seed), program.entry, *given)
        context = f"seed {seed}\n{program.text}\n" + "\n".join(
            text for _, text in sources[str(seed)]
        )
        assert not reports, f"{reports[:3]}\n{context}"
        assert same_bits(given[-1], wanted[seed]), (
            f"{difference(given[-1], wanted[seed])}\n{context}"
        )
