# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The planner needs at most a tenth more than what lives at once."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from generate import Program  # noqa: E402
from liveness import lower_bounds  # noqa: E402
from pypto.ir.memory import MemoryMap  # noqa: E402
from test_end_to_end import compiled_examples  # noqa: E402

ALLOWED = 1.1


def check(final, by_time):
    """The ratio of the worst space of a final program."""
    text = str(final)
    memory, bounds = MemoryMap.of(final), lower_bounds(text, by_time)
    peaks = {(a.function, a.space): memory.peak(a.function, a.space) for a in memory}
    assert {(f, s.name.lower()) for f, s in peaks} == set(bounds)
    worst = 0
    for (function, space), peak in peaks.items():
        bound = bounds[function, space.name.lower()]
        # Below it, one of the two would be wrong about what lives.
        assert bound <= -(-peak // 32) * 32 and peak <= ALLOWED * bound, (
            f"{function}, {space.name}: {peak} bytes, the bound is {bound}\n{memory}\n{text}"
        )
        worst = max(worst, peak / bound)
    return worst


@pytest.mark.parametrize(
    "kernel, arguments", [pytest.param(*case, id=name) for name, *case in compiled_examples()]
)
def test_examples(kernel, arguments):
    assert check(kernel.lower(*arguments), by_time=True) > 0


@pytest.mark.parametrize("first", range(0, 100, 50))
def test_generated(first, load):
    for seed in range(first, first + 50):
        program = Program(seed)
        final = getattr(load(program.text), program.entry).lower(*program.arguments())
        # The oracle of liveness.py knows whole instructions, not single elements that the
        # scalar unit writes into a tile, nor other views of its bytes.
        if "pto.tile.set_value" in str(final) or "pto.tile.view" in str(final):
            continue
        assert check(final, by_time=False) > 0
