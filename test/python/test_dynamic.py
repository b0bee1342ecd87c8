# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""pl.dynamic: one compiled program for every extent, at every stage and as C++."""

import sys
from pathlib import Path

import numpy as np
import pypto.language as pl
import pytest
from pypto.diagnostics.errors import ArgumentError, RunError
from pypto.runtime import RunConfig

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from ascendc_harness import Library  # noqa: E402
from staging import run_stage, stages  # noqa: E402

M, N = pl.dynamic("M"), pl.dynamic("N")


@pl.jit.incore
def double(x: pl.Tensor[[M, 64], pl.FP32], out: pl.Out[pl.Tensor[[M, 64], pl.FP32]]):
    for i in pl.range(0, M, 16):
        t = pl.load(x, [i, 0], [16, 64], valid_shape=[pl.min(M - i, 16), 64])
        pl.store(pl.add(t, t), [i, 0], out)
    return out


@pl.jit
def rows(x: pl.Tensor[[M, 64], pl.FP32], out: pl.Out[pl.Tensor[[M, 64], pl.FP32]]):
    out = double(x, out)
    return out


@pl.jit.incore
def copy_all(x: pl.Tensor[[M, N], pl.INT32], out: pl.Out[pl.Tensor[[M, N], pl.INT32]]):
    height, width = x.shape
    for i in pl.range(0, height, 8):
        for j in pl.range(0, width, 32):
            t = pl.load(x, [i, j], [8, 32], clamp=True)
            pl.store(t, [i, j], out)
    return out


@pl.jit
def both(x: pl.Tensor[[M, N], pl.INT32], out: pl.Out[pl.Tensor[[M, N], pl.INT32]]):
    out = copy_all(x, out)
    return out


@pl.jit.incore
def elements(x: pl.Tensor[[M], pl.INT32], out: pl.Out[pl.Tensor[[M], pl.INT32]]):
    for i in pl.range(M):
        pl.write(out, [i], pl.read(x, [M - 1 - i]))
    return out


@pl.jit
def backwards(x: pl.Tensor[[M], pl.INT32], out: pl.Out[pl.Tensor[[M], pl.INT32]]):
    out = elements(x, out)
    return out


@pl.jit.incore
def planes(x: pl.Tensor[[N, 8, 32], pl.FP32], out: pl.Out[pl.Tensor[[N, 8, 32], pl.FP32]]):
    for i in pl.range(pl.tensor.dim(x, 0)):
        t = pl.load(x, [i, 0, 0], [1, 8, 32])
        pl.store(t, [N - 1 - i, 0, 0], out)
    return out


@pl.jit
def stack(x: pl.Tensor[[N, 8, 32], pl.FP32], out: pl.Out[pl.Tensor[[N, 8, 32], pl.FP32]]):
    out = planes(x, out)
    return out


@pl.jit.incore
def negate(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    for i in pl.range(0, x.shape[0], 8):
        t = pl.load(x, [i, 0], [8, 64], clamp=True)
        pl.store(pl.neg(t), [i, 0], out)
    return out


@pl.jit
def bound(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    x.bind_dynamic(0, M)
    out.bind_dynamic(0, M)
    out = negate(x, out)
    return out


CASES = {
    "bound": (bound, np.float32, [(9, 64), (16, 64)], lambda x: -x),
    "rows": (rows, np.float32, [(1, 64), (16, 64), (37, 64)], lambda x: x + x),
    "both": (both, np.int32, [(5, 40), (16, 64), (9, 7)], lambda x: x),
    "backwards": (backwards, np.int32, [(1,), (33,)], lambda x: x[::-1]),
    "stack": (stack, np.float32, [(1, 8, 32), (5, 8, 32)], lambda x: x[::-1]),
}


def given(dtype, shape):
    x = np.random.default_rng(1).integers(-99, 99, shape).astype(dtype)
    return [x, np.zeros(shape, dtype)]


@pytest.mark.parametrize("name", CASES)
def test_every_extent_at_every_stage(name, platform):
    entry, dtype, shapes, want = CASES[name]
    config = RunConfig(platform=platform)
    for _, module in stages(entry, given(dtype, shapes[0]), config):
        for shape in shapes:
            x, out = given(dtype, shape)
            run_stage(module, [x, out])
            np.testing.assert_array_equal(out, want(x))


@pytest.mark.parametrize("name", CASES)
def test_one_program(name):
    entry, dtype, shapes, want = CASES[name]
    for shape in shapes:
        x, out = given(dtype, shape)
        entry(x, out)
        np.testing.assert_array_equal(out, want(x))
    assert sum(map(len, entry._cache.values())) == 1


def test_as_cpp(platform, tmp_path):
    config = RunConfig(platform=platform)
    sources = {}
    for name, (entry, dtype, shapes, _) in CASES.items():
        *_, (_, module) = stages(entry, given(dtype, shapes[0]), config)
        sources[name] = module.emit()
    library = Library(sources, tmp_path / "host")
    for name, (entry, dtype, shapes, want) in CASES.items():
        for shape in shapes:
            x, out = given(dtype, shape)
            open_ = {"both": [0, 1]}.get(name, [0])
            # An array of one dimension has its extent only where somebody asks for it.
            wanted = len(library.parameters(name, entry.__name__)) - 2
            extents = ([shape[axis] for axis in open_] * 2)[:wanted]
            reports = library.run(name, entry.__name__, x, out, *extents)
            text = "\n".join(source for _, source in sources[name])
            assert not reports, (name, shape, reports, text)
            np.testing.assert_array_equal(out, want(x), err_msg=text)


def test_one_variable_is_one_extent():
    with pytest.raises(ArgumentError, match="'out' has extent 5 in dimension 0, where 'x' has 4"):
        rows(np.zeros((4, 64), np.float32), np.zeros((5, 64), np.float32))


@pl.jit.incore
def beyond(x: pl.Tensor[[M, 64], pl.FP32], out: pl.Out[pl.Tensor[[M, 64], pl.FP32]]):
    t = pl.load(x, [8, 0], [16, 64])
    pl.store(t, [0, 0], out)
    return out


@pl.jit
def reads_beyond(x: pl.Tensor[[M, 64], pl.FP32], out: pl.Out[pl.Tensor[[M, 64], pl.FP32]]):
    out = beyond(x, out)
    return out


def test_windows_are_checked_when_it_runs():
    reads_beyond(np.ones((24, 64), np.float32), np.zeros((24, 64), np.float32))
    with pytest.raises(RunError, match="reaches beyond the array 'x'.*8 to 23 of 0 to 19"):
        reads_beyond(np.ones((20, 64), np.float32), np.zeros((20, 64), np.float32))
