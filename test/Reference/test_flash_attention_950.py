# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Flash attention for the Ascend 950, written by hand before any pass: on the model at
once, and after all passes, where the model looks at every lock, flag and barrier."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest
from model import ROOT, run

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


@pytest.mark.parametrize("causal", [0, 1])
def test_after_all_passes(causal):
    option = f"--pto-pipeline=keys=HasAtten={causal},BlockM=128"
    done = subprocess.run(["pypto-opt", option, "-"], input=TEXT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    given = arguments()
    launch(done.stdout, f"flash_attention_{2 + causal:#x}_entry", 8, *given)
    expected = numpy_attention(*given[:3], causal)
    np.testing.assert_allclose(given[-1].astype(np.float32), expected, rtol=0, atol=2e-3)
