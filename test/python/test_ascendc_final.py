# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The C++ of the hand-written final kernels, run over the host header."""

import sys
from pathlib import Path

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from ascendc_harness import Library, translate  # noqa: E402

KERNELS = ("softmax", "matmul", "flash_attention")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    programs = {name: translate(TESTS / "Final" / f"{name}.mlir") for name in KERNELS}
    # Without its first barrier on V, the blocks of the row maximum are read too early.
    [(path, text)] = programs["softmax"]
    programs["racy softmax"] = [(path, text.replace("PipeBarrier<PIPE_V>();\n", "", 1))]
    return Library(programs, tmp_path_factory.mktemp("ascendc"))


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def test_softmax(library):
    x = np.random.default_rng(0).standard_normal((256, 64), dtype=np.float32)
    out = np.full_like(x, np.nan)
    assert library.run("softmax", "softmax", x, out) == []
    np.testing.assert_allclose(out, softmax(x.astype(np.float64)), rtol=1e-5)


def test_a_missing_barrier_is_reported(library):
    """An empty list of reports, which the other tests want, is not for want of checks."""
    x = np.zeros((256, 64), np.float32)
    reports = library.run("racy softmax", "softmax", x, np.zeros_like(x))
    assert reports, "the host header reports nothing"


def test_matmul(library):
    random = np.random.default_rng(1)
    a = random.standard_normal((64, 512)).astype(np.float16)
    b = random.standard_normal((512, 64)).astype(np.float16)
    c = np.full((64, 64), np.nan, np.float32)
    assert library.run("matmul", "matmul", a, b, c) == []
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = (
        512
        * np.finfo(np.float32).eps
        * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))
    )
    assert (np.abs(c - exact) <= bound).all()


def test_flash_attention(library):
    random = np.random.default_rng(2)
    q, kt, v = (
        random.standard_normal(shape).astype(np.float16) / 4
        for shape in ((32, 64), (64, 128), (128, 64))
    )
    s, p, pv = (
        np.zeros((32, 32), np.float32),
        np.zeros((32, 32), np.float16),
        np.zeros((32, 64), np.float32),
    )
    out = np.full((32, 64), np.nan, np.float16)
    assert library.run("flash_attention", "flash_attention", q, kt, v, s, p, pv, out) == []
    expected = softmax(q.astype(np.float64) @ kt.astype(np.float64)) @ v.astype(np.float64)
    np.testing.assert_allclose(out, expected, atol=2e-3)


def test_the_text_does_not_grow_with_the_trip_count():
    text = (TESTS / "Final" / "softmax.mlir").read_text()
    [(_, short)] = translate(text)
    [(_, long)] = translate(text.replace("256", "8192000"))
    assert len(short.splitlines()) == len(long.splitlines())
