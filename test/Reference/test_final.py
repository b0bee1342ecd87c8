# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The hand-written final kernels run, agree with NumPy, and depend on every
flag: each change to their synchronisation is caught."""

from __future__ import annotations

import mutations
import numpy as np
import pytest
from final_kernels import KERNELS, flash_attention_1024, text
from model import Failed, run


@pytest.mark.parametrize("name", KERNELS)
def test_agrees_with_numpy(name):
    arguments, wanted = KERNELS[name]()
    run(text(name), *arguments)
    for index, (want, tolerance) in wanted.items():
        np.testing.assert_allclose(arguments[index], want, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", KERNELS)
def test_every_mutation_is_caught(name):
    arguments, _ = KERNELS[name]()
    survivors, count = [], 0
    for what, mutant, _, harmless in mutations.mutate(text(name)):
        count += 1
        try:
            run(mutant, *arguments)
            if not harmless:
                survivors.append(what)
        except Failed as failure:
            assert failure.errors, what
            line, message, notes = failure.errors[0]
            assert line > 0, (what, message)
            # A race names the line of the other instruction.
            assert "may still be" not in message or notes[0][0] > 0, (what, message)
    print(f"{name}: {count} mutations, {len(survivors)} survive")
    assert not survivors, "\n".join(survivors)


def test_flash_attention_of_a_whole_head():
    """Eight clusters; benchmarks/reference_model.py says how long it takes."""
    arguments, want = flash_attention_1024()
    run(text("flash_attention_1024"), *arguments, entry="entry")
    np.testing.assert_allclose(arguments[-1].astype(np.float32), want, rtol=0, atol=2e-3)
