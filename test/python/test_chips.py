# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The same programs on the Ascend 910B and on the 950, and what is of one chip only."""

import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.runtime import RunConfig

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from ascendc_harness import Library  # noqa: E402
from test_end_to_end import compiled_examples, compiled_task_examples  # noqa: E402

BF16 = ml_dtypes.bfloat16
PLATFORMS = ("a2a3sim", "a5sim")


def sources(compiled):
    folder = Path(compiled.output_dir)
    return [(str(f.relative_to(folder)), f.read_text()) for f in sorted(folder.rglob("*.[ch]*"))]


def filled(arguments):
    """The arguments with numbers in their arrays, which no two runs share."""
    rng = np.random.default_rng(3)
    return [
        rng.standard_normal(a.shape).astype(a.dtype) if isinstance(a, np.ndarray) else a
        for a in arguments
    ]


def run(kernel, arguments, platform):
    given = filled(arguments)
    kernel(*given, config=RunConfig(platform=platform))
    return given


def same(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        if isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b)


EXAMPLES = {name: rest for name, *rest in (*compiled_examples(), *compiled_task_examples())}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_at_every_stage(name, tmp_path):
    """Each stage of a 950 program gives the answer of the 910B."""
    kernel, arguments = EXAMPLES[name]
    config = RunConfig(platform="a5sim")
    kernel.compile(*arguments, config=config).check_passes(*filled(arguments), config=config)
    same(run(kernel, arguments, "a5sim"), run(kernel, arguments, "a2a3sim"))


def test_examples_as_cpp(tmp_path):
    """The C++ of the 950 does over the host header what the model does."""
    config = RunConfig(platform="a5sim")
    programs = {}
    for name, (kernel, arguments) in EXAMPLES.items():
        programs[name] = kernel.compile(*arguments, config=config)
    library = Library({name: sources(p) for name, p in programs.items()}, tmp_path / "host")
    for name, (kernel, arguments) in EXAMPLES.items():
        given = filled(arguments)
        # A number among the arguments is part of the program.
        arrays = [a for a in given if isinstance(a, np.ndarray)]
        assert not library.run(name, programs[name].name, *arrays), name
        same(given, run(kernel, arguments, "a5sim"))


# -- What the 950 has --------------------------------------------------------------


@pl.jit.incore
def divide(x: pl.Tensor, y: pl.Tensor, out: pl.Out[pl.Tensor]):
    a = pl.load(x, [0, 0], [16, 64])
    b = pl.load(y, [0, 0], [16, 64])
    pl.store(pl.div(a, b), [0, 0], out)
    return out


@pl.jit
def division(x: pl.Tensor, y: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = divide(x, y, out)
    return out


def integers(*shape):
    return np.random.default_rng(1).integers(-1000, 1000, shape).astype(np.int32)


def test_integer_division():
    x, y = integers(16, 64), np.where(integers(16, 64) > 0, 7, -3).astype(np.int32)
    out = np.zeros_like(x)
    with pytest.raises(pypto.CompileError, match="910B has no pl.div for INT32"):
        division(x, y, out, config=RunConfig(platform="a2a3sim"))
    division(x, y, out, config=RunConfig(platform="a5sim"))
    np.testing.assert_array_equal(out, np.trunc(x / y).astype(np.int32))
    y[3, 5] = 0
    with pytest.raises(pypto.RunError, match="divides by zero"):
        division(x, y, out, config=RunConfig(platform="a5sim"))


@pl.jit.incore
def bfloat(x: pl.Tensor, y: pl.Tensor, out: pl.Out[pl.Tensor]):
    a = pl.load(x, [0, 0], [16, 64])
    b = pl.load(y, [0, 0], [16, 64])
    c = pl.sub(pl.mul(pl.maximum(a, b), b), 1.5)
    pl.store(pl.exp(pl.neg(pl.abs(c))), [0, 0], out)
    return out


@pl.jit
def bfloats(x: pl.Tensor, y: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = bfloat(x, y, out)
    return out


def test_bfloat16_has_instructions_of_its_own():
    """The same bits with fewer conversions: those around the exponential are left."""
    x, y, out = (np.zeros((16, 64), BF16) for _ in range(3))
    x, y, old = filled((x, y, out))
    new = old.copy()
    bfloats(x, y, old, config=RunConfig(platform="a2a3sim"))
    bfloats(x, y, new, config=RunConfig(platform="a5sim"))
    np.testing.assert_array_equal(old, new)
    text = {p: str(bfloats.lower(x, y, out, config=RunConfig(platform=p))) for p in PLATFORMS}
    assert text["a5sim"].count("pto.tile.cast") == 2
    assert text["a2a3sim"].count("pto.tile.cast") > 2


@pl.jit.incore
def reduce_rows(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    t = pl.load(x, [0, 0], [16, 160])
    pl.store(pl.add(pl.row_max(t), pl.row_sum(t)), [0, 0], out)
    return out


@pl.jit
def reduction(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = reduce_rows(x, out)
    return out


def test_integer_reductions():
    x, out = integers(16, 160), np.zeros((16, 1), np.int32)
    with pytest.raises(pypto.CompileError, match="910B has no pl.row_max for INT32"):
        reduction(x, out, config=RunConfig(platform="a2a3sim"))
    reduction(x, out, config=RunConfig(platform="a5sim"))
    np.testing.assert_array_equal(out[:, 0], x.max(1) + x.sum(1))


def test_of_the_950_as_cpp(tmp_path):
    config = RunConfig(platform="a5sim")
    x, y = integers(16, 64), np.where(integers(16, 64) > 0, 7, -3).astype(np.int32)
    bx, by, bout = filled([np.zeros((16, 64), BF16)] * 3)
    cases = {
        "division": (division, [x, y, np.zeros_like(x)]),
        "bfloats": (bfloats, [bx, by, bout]),
        "reduction": (reduction, [integers(16, 160), np.zeros((16, 1), np.int32)]),
    }
    programs = {name: sources(k.compile(*a, config=config)) for name, (k, a) in cases.items()}
    library = Library(programs, tmp_path / "host")
    for name, (kernel, arguments) in cases.items():
        given = [a.copy() for a in arguments]
        assert not library.run(name, name, *given), name
        wanted = [a.copy() for a in arguments]
        kernel(*wanted, config=config)
        same(given, wanted)


# -- Capacities and paths ----------------------------------------------------------


def big(rows):
    @pl.jit.incore
    def copy_big(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        t = pl.load(x, [0, 0], [rows, 256])
        pl.store(t, [0, 0], out)
        return out

    @pl.jit
    def copied(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = copy_big(x, out)
        return out

    x = np.arange(rows * 256, dtype=np.float32).reshape(rows, 256)
    return copied, x, np.zeros_like(x)


def test_vec_is_larger():
    kernel, x, out = big(248)
    with pytest.raises(pypto.CompileError, match="Vec holds 184 KiB"):
        kernel(x, out, config=RunConfig(platform="a2a3sim"))
    kernel(x, out, config=RunConfig(platform="a5sim"))
    np.testing.assert_array_equal(x, out)
    kernel, x, out = big(249)
    with pytest.raises(pypto.CompileError, match="Vec holds 248 KiB"):
        kernel(x, out, config=RunConfig(platform="a5sim"))


@pl.jit.incore
def acc_to_vec(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    c = pl.matmul(pl.load(a, [0, 0], [32, 32]), pl.load(b, [0, 0], [32, 32]))
    pl.store(pl.move(c, target_memory=pl.Mem.Vec), [0, 0], out)
    return out


@pl.jit
def crossing(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = acc_to_vec(a, b, out)
    return out


@pytest.mark.parametrize(
    "platform, message",
    [
        ("a2a3sim", "no path leads from Acc to Vec on 910B"),
        ("a5sim", "the path from Acc to Vec on 950 leads to another core"),
    ],
)
def test_acc_to_vec_is_of_two_cores(platform, message):
    a = np.zeros((32, 32), np.float16)
    with pytest.raises(pypto.CompileError, match=message):
        crossing(a, a, np.zeros((32, 32), np.float32), config=RunConfig(platform=platform))


def test_a_kernel_refuses_another_chip(tmp_path):
    kernel, arguments = EXAMPLES["hello"]
    of = {p: sources(kernel.compile(*arguments, config=RunConfig(platform=p))) for p in PLATFORMS}
    with pytest.raises(ValueError, match="the kernels of one chip"):
        Library({"old": of["a2a3sim"], "new": of["a5sim"]}, tmp_path)
    new = next(text for path, text in of["a5sim"] if "aiv" in path)
    assert "#if defined(__NPU_ARCH__) && __NPU_ARCH__ != 3510\n#error" in new
