# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Bad input: a changed program, of Python or of the IR's text, runs or gets an error at its
place. Nothing crashes, nothing stands still, nothing of ours shows its frames."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from fuzzing import MUTATE, fuzz, mutant  # noqa: E402


@pytest.mark.slow
@pytest.mark.parametrize("kind", MUTATE)
def test_a_changed_program_runs_or_says_where_it_is_wrong(kind):
    wrong = fuzz(kind, range(2000))
    shown = [f"{kind} {seed}: {answer[:600]}\n{mutant(kind, seed)}" for seed, answer in wrong[:3]]
    assert not wrong, f"{len(wrong)} mutants: {[seed for seed, _ in wrong]}\n" + "\n".join(shown)
