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
from pypto.runtime import RunConfig  # noqa: E402
from staging import run_stage, stages  # noqa: E402

# How many kernels of each chip.
COUNTS = {
    ("a2a3sim", Program): 300,
    ("a5sim", Program): 100,
    ("a2a3sim", LoopProgram): 150,
    ("a5sim", LoopProgram): 50,
}
BATCH = 50


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
            run_stage(module, given)
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
