# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Flash attention for the Ascend 950, written by hand before any pass: on the model at
once, and after all passes, where the model looks at every lock, flag and barrier."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from model import ROOT, Failed, run

sys.path.insert(0, str(ROOT))

from ascendc_harness import Library, translate  # noqa: E402

TEXT = (ROOT / "Final" / "flash_attention_950.mlir").read_text()


def for_key(causal: int) -> str:
    """The kernel with the key's field as a constant."""
    text = re.sub(
        r'pto\.block\.read_key @\w+, "HasAtten"', f"arith.constant {causal} : index", TEXT
    )
    text = re.sub(r"  pto\.block\.tiling_key.*?\]\n", "", text, flags=re.S)
    return text.replace(",\n                  pto.schema = @AttentionKey", "")


def arguments():
    rng = np.random.default_rng(0)
    query, key, value = (rng.standard_normal((2, 512, 4, 128)).astype(np.float16) for _ in range(3))
    mask = np.triu(np.full((128, 128), -1e30, np.float32), 1)
    return query, key, value, mask, np.zeros_like(query)


def numpy_attention(query, key, value, causal):
    q, k, v = (x.astype(np.float32).transpose(0, 2, 1, 3) for x in (query, key, value))
    s = q @ k.transpose(0, 1, 3, 2) * np.float32(128**-0.5)
    if causal:
        s += np.triu(np.full(s.shape[-2:], -np.inf, np.float32), 1)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True) @ v).transpose(0, 2, 1, 3)


def launch(text: str, entry: str, blocks: int, query, key, value, mask, out):
    flat = [x.view(np.int8).ravel() for x in (query, key, value)]
    run(text, *flat, mask.ravel(), out.view(np.int8).ravel(), 128**-0.5, blocks, entry=entry)


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("blocks", [1, 8, 5])
def test_as_it_is_written(causal, blocks):
    given = arguments()
    launch(for_key(causal), "flash_attention_entry", blocks, *given)
    expected = numpy_attention(*given[:3], causal)
    np.testing.assert_allclose(given[-1].astype(np.float32), expected, rtol=0, atol=2e-3)


def final(causal: int) -> str:
    """The module after all passes."""
    option = f"--pto-pipeline=keys=HasAtten={causal},BlockM=128"
    done = subprocess.run(["pypto-opt", option, "-"], input=TEXT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("causal", [0, 1])
def test_after_all_passes(causal):
    given = arguments()
    launch(final(causal), f"flash_attention_{2 + causal:#x}_entry", 8, *given)
    expected = numpy_attention(*given[:3], causal)
    np.testing.assert_allclose(given[-1].astype(np.float32), expected, rtol=0, atol=2e-3)


def test_its_cpp_gives_the_models_answer(tmp_path):
    """Over the host header with the rules of the 950, which reports nothing."""
    texts = {causal: final(causal) for causal in (0, 1)}
    library = Library({str(causal): translate(text) for causal, text in texts.items()}, tmp_path)
    for causal, text in texts.items():
        entry = f"flash_attention_{2 + causal:#x}_entry"
        given = arguments()
        launch(text, entry, 8, *given)
        fresh = arguments()
        assert library.run(str(causal), entry, *fresh, 128**-0.5, 8) == []
        assert fresh[-1].tobytes() == given[-1].tobytes()


ORDER = re.compile(r"pto\.block\.(mutex_\w+|barrier|cross_core_\w+) (\w+(?:, %?\w+)?)")
# What may be left out, and why. Between two steps the AIC's pipes are ordered by the signals
# of the AIVs too, and the vector unit by the barriers of the loop, which runs at least once.
HARMLESS = {
    "barrier m": "the lock of the accumulator waits for FIX, which has waited for M",
    "barrier v, full": "what is read behind the loop was written in it, behind other barriers",
    "mte1, 6": "the next queries come after a product, which came after these scores",
    "m, 6": "the same",
    "mte3, 27": "nothing stands between this lock and its release",
    "v, 14": "V reads the probabilities; what writes them again is V",
}


def mutants(lines):
    """(what, text) of each deletion of one operation of the order, and of each lock with its
    release."""
    for number, line in enumerate(lines):
        found = ORDER.search(line)
        if not found:
            continue
        what, operand = found.groups()
        full = ", full" if "full writes" in line else ""
        yield f"{what} {operand}{full}", {number}
        if what == "mutex_lock":
            release = f"mutex_unlock {operand}"
            until = next(n for n in range(number, len(lines)) if release in lines[n])
            yield operand, {number, until}


def test_every_lock_barrier_and_signal_is_needed():
    lines = final(1).splitlines()
    survivors, count = [], 0
    for what, left_out in mutants(lines):
        count += 1
        text = "\n".join("" if n in left_out else line for n, line in enumerate(lines))
        try:
            launch(text, "flash_attention_0x3_entry", 8, *arguments())
        except Failed as failure:
            assert failure.errors, what
        else:
            survivors.append(what)
    assert count > 90
    assert not [what for what in survivors if what not in HARMLESS], survivors
