"""What holds only when front end, passes, model and emitter work together."""

import subprocess
from pathlib import Path

import numpy as np
import pypto.language as pl
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def f16(rng, *shape):
    return rng.standard_normal(shape).astype(np.float16)


def opt(dump, *flags):
    """The module that pypto-opt makes of a dump, printed as dumps are."""
    command = ["pypto-opt", "--mlir-print-debuginfo", "--mlir-use-nameloc-as-prefix", *flags, dump]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def load_example(name):
    import importlib.util

    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled_examples():
    rng = np.random.default_rng(0)
    x = np.zeros((128, 128), np.float32)
    yield "levels", load_example("levels").levels, (x, x.copy(), x.copy())
    hello = np.zeros((7, 33), np.float16)
    yield "hello", load_example("hello").add, (hello, hello.copy(), hello.copy())
    softmax = load_example("softmax")
    x = np.zeros((softmax.ROWS, softmax.COLS), np.float32)
    yield "softmax", softmax.softmax, (x, x.copy())
    norm = load_example("layer_norm")
    x = np.zeros((norm.ROWS, norm.COLS), np.float16)
    yield "layer_norm", norm.layer_norm, (x, x.copy())
    matmul = load_example("matmul")
    a, b = f16(rng, matmul.M, matmul.K), f16(rng, matmul.K, matmul.N)
    yield "matmul", matmul.matmul, (a, b, np.zeros((matmul.M, matmul.N), np.float32))
    a, b = f16(rng, 48, 80), f16(rng, 80, 112)
    yield "mm_tensor", matmul.mm_tensor, (a, b, np.zeros((48, 112), np.float32))


def compiled_task_examples():
    """Those whose entries do more than dispatch one kernel."""
    rng = np.random.default_rng(0)
    spmd = load_example("spmd")
    x = np.zeros((spmd.ROWS, spmd.COLS), np.float32)
    yield "spmd", spmd.normalise, (x, 3, x.copy())
    cluster = load_example("cluster")
    a, b = f16(rng, cluster.M, cluster.K), f16(rng, cluster.K, cluster.N)
    bias = np.zeros((cluster.M, cluster.N), np.float32)
    yield "cluster", cluster.layer, (a, b, bias, bias.copy())


@pl.jit.incore
def rows(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    for row in pl.range(0, x.shape[0], 32):
        t = pl.load(x, [row, 0], [32, 64])
        pl.store(pl.exp(t), [row, 0], out)
    return out


@pl.jit
def looped(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = rows(x, out)
    return out


def test_text_does_not_grow_with_trip_count(platform):
    def sizes(trips):
        x = np.zeros((32 * trips, 64), np.float32)
        compiled = looped.compile(x, x.copy())
        source = Path(compiled.output_dir, "kernels/aiv/rows.cpp").read_text()
        return len(str(looped.lower(x, x.copy())).splitlines()), len(source.splitlines())

    assert sizes(4) == sizes(400)


@pl.jit.incore
def two_tiles(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    # Both are live at once, and no result can take the place of a source.
    a = pl.load(x, [0, 0], [x.shape[0], 8])
    b = pl.load(x, [0, 8], [x.shape[0], 8])
    pl.store(a, [0, 8], out)
    pl.store(b, [0, 0], out)
    return out


@pl.jit
def swapped(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = two_tiles(x, out)
    return out


def test_planner_fills_the_space_and_not_more():
    import pypto

    rows_that_fit = 184 * 1024 // 64  # two tiles of 32-byte rows
    x = np.random.default_rng(0).standard_normal((rows_that_fit, 16)).astype(np.float32)
    out = np.zeros_like(x)
    swapped(x, out)
    np.testing.assert_array_equal(out[:, 8:], x[:, :8])
    np.testing.assert_array_equal(out[:, :8], x[:, 8:])
    more = np.zeros((rows_that_fit + 1, 16), np.float32)
    with pytest.raises(pypto.CompileError, match="Vec"):
        swapped(more, more.copy())


@pl.jit.incore
def chain(x: pl.Tensor[[64, 512], pl.FP32], out: pl.Out[pl.Tensor[[64, 512], pl.FP32]]):
    # 128 KiB each: the sum exceeds Vec three times over, the peak is one.
    t = pl.load(x, [0, 0], [64, 512])
    u = pl.exp(t)
    v = pl.sqrt(u)
    pl.store(v, [0, 0], out)
    return out


@pl.jit
def chained(x: pl.Tensor[[64, 512], pl.FP32], out: pl.Out[pl.Tensor[[64, 512], pl.FP32]]):
    out = chain(x, out)
    return out


def test_planner_reuses_what_is_dead():
    x = np.random.default_rng(0).standard_normal((64, 512)).astype(np.float32)
    out = np.zeros_like(x)
    chained(x, out)
    np.testing.assert_allclose(out, np.sqrt(np.exp(x)), rtol=1e-6)
