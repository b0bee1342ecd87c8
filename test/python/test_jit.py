# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Calling, keeping and writing: what `@pl.jit` does besides compiling."""

import pathlib
import subprocess
import sys

import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.jit import driver
from pypto.runtime import RunConfig, arrays

FP32 = pl.Tensor[[16, 16], pl.FP32]


@pl.jit.incore
def double(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    t = pl.load(x, [0, 0], [x.shape[0], x.shape[1]])
    pl.store(pl.add(t, t), [0, 0], out)
    return out


@pl.jit
def bare(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = double(x, out)
    return out


@pl.jit
def annotated(x: FP32, out: pl.Out[FP32]):
    out = double(x, out)
    return out


@pl.jit
def scaled(x: FP32, out: pl.Out[FP32], factor: pl.Scalar[pl.FP32], rows: pl.Scalar[pl.INT32] = 16):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [rows, 16])
        pl.store(pl.mul(t, factor), [0, 0], out)
    return out


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape or (16, 16), dtype)


# Arguments.


def readonly():
    made = zeros()
    made.flags.writeable = False
    return made


WRONG = {
    "dtype": (annotated, (zeros(dtype=np.float16), zeros()), ["'x' is FP32, found FP16"]),
    "rank": (annotated, (zeros(16), zeros()), ["'x' has 2 dimensions, [16, 16], found [16]"]),
    "shape": (annotated, (zeros(8, 16), zeros()), ["'x' has shape [16, 16], found [8, 16]"]),
    "too many": (annotated, (zeros(), zeros(), zeros()), ["takes 2 arguments (x, out), found 3"]),
    "too few": (bare, (zeros(),), ["argument 'out' is missing"]),
    "not contiguous": (annotated, (zeros().T[::1, ::-1], zeros()), ["'x' is not contiguous"]),
    "transposed": (annotated, (zeros(), zeros().T), ["'out' is not contiguous", "[4, 64] bytes"]),
    "read-only": (annotated, (zeros(), readonly()), ["'out' is pl.Out and read-only"]),
    "a number for an array": (annotated, (1, zeros()), ["'x' is an array, found 1"]),
    "a list for an array": (annotated, ([1], zeros()), ["'x' is an array", "found list"]),
    "float64": (annotated, (zeros(dtype=np.float64), zeros()), ["float64", "float32"]),
    "big-endian": (annotated, (zeros().astype(">f4"), zeros()), ["big-endian"]),
    "complex": (bare, (zeros(dtype=np.complex64), zeros(dtype=np.complex64)), ["complex64"]),
    "an empty array": (bare, (zeros(0, 16), zeros(0, 16)), ["no elements"]),
    "an array for a number": (scaled, (zeros(), zeros(), zeros()), ["'factor' is a scalar (FP32)"]),
    "a fraction": (scaled, (zeros(), zeros(), 1.0, 0.5), ["'rows' is INT32, found 0.5"]),
    "a large number": (scaled, (zeros(), zeros(), 1.0, 2**31), ["2147483648 does not fit"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name):
    kernel, args, words = WRONG[name]
    with pytest.raises(pypto.ArgumentError) as caught:
        kernel.lower(*args) if name != "too few" else kernel(*args)
    for word in words:
        assert word in str(caught.value)


def test_unknown_keyword_and_one_given_twice():
    with pytest.raises(pypto.ArgumentError, match="no parameter 'y'; it has x, out"):
        annotated(zeros(), y=zeros())
    with pytest.raises(pypto.ArgumentError, match="'x' of annotated is given twice"):
        annotated(zeros(), zeros(), x=zeros())


def overlapping():
    memory = np.zeros(16 * 16 * 2, np.float32)
    first = memory[: 16 * 16].reshape(16, 16)
    second = memory[16 : 16 + 16 * 16].reshape(16, 16)
    beside = memory[16 * 16 :].reshape(16, 16)
    return first, second, beside


def test_overlap_is_refused_where_one_is_written():
    first, second, beside = overlapping()

    def check(*items):
        arrays.check_overlap([(n, arrays.buffer(n, a), d) for n, a, d in items])

    check(("x", first, "in"), ("y", second, "in"))
    check(("x", first, "in"), ("out", beside, "out"))
    for one, other in (("in", "out"), ("out", "in"), ("out", "out"), ("inout", "in")):
        with pytest.raises(pypto.ArgumentError, match="'x' and 'y' overlap in memory"):
            check(("x", first, one), ("y", second, other))
    # A long array that is read, a short one in its middle, and a written one behind it.
    inside = first[4:5]
    with pytest.raises(pypto.ArgumentError, match="'x' and 'z' overlap"):
        check(("x", first, "in"), ("y", inside, "in"), ("z", first[8:9], "out"))


def test_overlap_at_a_call():
    first, second, _ = overlapping()
    with pytest.raises(pypto.ArgumentError, match="overlap in memory"):
        annotated(first, second)


def test_array_kinds():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    buffer = arrays.buffer("x", np.zeros((4, 8), ml_dtypes.bfloat16))
    assert buffer.dtype is pl.BF16 and buffer.nbytes == 64 and buffer.is_contiguous()
    assert str(buffer) == "[4, 8] BF16"
    one_row = np.zeros((4, 8), np.int32)[:1]
    assert arrays.buffer("x", one_row).is_contiguous()
    assert not arrays.buffer("x", np.zeros((4, 8), np.int32)[:, :4]).is_contiguous()


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    for kind, dtype in (
        (torch.float32, pl.FP32),
        (torch.bfloat16, pl.BF16),
        (torch.int32, pl.INT32),
    ):
        tensor = torch.zeros(4, 8, dtype=kind)
        buffer = arrays.buffer("x", tensor)
        assert buffer.dtype is dtype and buffer.address == tensor.data_ptr()
        assert not arrays.buffer("x", tensor.t()).is_contiguous()
    with pytest.raises(pypto.ArgumentError, match="float64"):
        arrays.buffer("x", torch.zeros(4, dtype=torch.float64))


class Tensor:
    """Speaks DLPack and nothing else."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **kwargs):
        return self._array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_dlpack():
    array = zeros()
    buffer = arrays.buffer("x", Tensor(array))
    assert buffer.address == array.ctypes.data and buffer.shape == (16, 16)


# What is kept.


def compiled(function, *args):
    values = driver.bind(function, args, {})
    return driver._cached(function, values, RunConfig())


def test_a_kernel_is_compiled_once_for_each_shape_and_type():
    x = zeros()
    first = compiled(bare, x, x.copy())
    assert compiled(bare, x.copy(), x) is first
    assert compiled(bare, zeros(8, 16), zeros(8, 16)) is not first
    half = zeros(dtype=np.float16)
    assert compiled(bare, half, half.copy()) is not first


def test_numbers_are_part_of_the_key():
    x = zeros()
    one = compiled(scaled, x, x.copy(), 1.0)
    assert compiled(scaled, x, x.copy(), 1.0) is one
    assert compiled(scaled, x, x.copy(), 2.0) is not one
    assert compiled(scaled, x, x.copy(), -0.0) is not compiled(scaled, x, x.copy(), 0.0)


def test_a_changed_closure_is_a_new_specialisation():
    rows, cut = [8], 8

    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        t = pl.load(x, [0, 0], [rows[0], cut])
        pl.store(t, [0, 0], out)
        return out

    @pl.jit
    def entry(x: FP32, out: pl.Out[FP32]):
        out = kernel(x, out)
        return out

    first = compiled(entry, zeros(), zeros())
    assert compiled(entry, zeros(), zeros()) is first
    cut = 16
    second = compiled(entry, zeros(), zeros())
    assert second is not first and "tile<8x16xf32" in str(second.specialised.program)
    rows[0] = 16
    assert "tile<16x16xf32" in str(compiled(entry, zeros(), zeros()).specialised.program)
    cut, rows[0] = 8, 8
    assert compiled(entry, zeros(), zeros()) is first


def test_lower_keeps_and_writes_nothing(tmp_path):
    @pl.jit
    def entry(x: FP32, out: pl.Out[FP32]):
        out = double(x, out)
        return out

    first = entry.lower()
    assert str(entry.lower()) == str(first)
    assert not entry._cache and not list(tmp_path.iterdir())


def test_an_error_keeps_and_writes_nothing(tmp_path):
    @pl.jit
    def entry(x: FP32, out: pl.Out[FP32]):
        with pl.at(level=pl.Level.CORE_GROUP):
            out = pl.matmul(x, x, a_trans=True)  # FP32 is not turned on its way to Left
        return out

    for attempt in (entry, entry.lower, entry.compile):
        with pytest.raises(pypto.CompileError):
            attempt(zeros(), zeros())
    assert not entry._cache and not list(tmp_path.iterdir())


def test_the_text_of_an_error_is_not_a_traceback():
    @pl.jit
    def entry(x: FP32, out: pl.Out[FP32]):
        out = double(x, missing)  # noqa: F821
        return out

    with pytest.raises(pypto.UndefinedNameError) as caught:
        entry(zeros(), zeros())
    frames = [str(frame.path) for frame in caught.traceback]
    assert not any("frontend" in frame or "driver" in frame for frame in frames)
    assert "Traceback" not in str(caught.value)


# Configuration.


def test_platforms():
    assert [RunConfig(platform=name).target for name in ("a2a3sim", "a5sim")] == ["910B", "950"]
    with pytest.raises(pypto.UnsupportedFeatureError, match="'a2a3sim', 'a2a3', 'a5sim', 'a5'"):
        RunConfig(platform="a9")
    for name in ("a2a3", "a5"):
        with pytest.raises(pypto.RunError, match=f"CANN toolchain.*'{name}sim' runs"):
            annotated(zeros(), zeros(), config=RunConfig(platform=name))


def test_platform_of_the_environment(monkeypatch):
    monkeypatch.setenv("PYPTO_PLATFORM", "a5sim")
    assert RunConfig().target == "950"
    assert 'pto.target = "950"' in str(annotated.lower())
    assert RunConfig(platform="a2a3sim").target == "910B"
    monkeypatch.setenv("PYPTO_PLATFORM", "a9")
    with pytest.raises(pypto.UnsupportedFeatureError, match="no platform 'a9'"):
        RunConfig()


def test_later_fields_of_the_configuration():
    assert RunConfig(device_id=0, rtol=1e-5, atol=1e-5) == RunConfig()
    config = RunConfig(device_id=3, rtol=1e-3, atol=1)
    assert (config.device_id, config.rtol, config.atol) == (3, 1e-3, 1.0)
    x, out = np.ones((16, 16), np.float32), zeros()
    annotated(x, out, config=config)
    assert (out == 2).all()
    for wrong, kind in (
        ({"rtol": "1"}, TypeError),
        ({"atol": -1}, ValueError),
        ({"rtol": float("nan")}, ValueError),
        ({"device_id": -1}, ValueError),
        ({"device_id": 0.5}, TypeError),
        ({"compile_profiling": 1}, TypeError),
    ):
        with pytest.raises(kind, match=next(iter(wrong))):
            RunConfig(**wrong)
    with pytest.raises(pypto.UnsupportedFeatureError, match="enable_pmu"):
        RunConfig(enable_pmu=True)
    with pytest.raises(TypeError, match="no field 'platfrom'"):
        RunConfig(platfrom="a2a3")


def test_times_of_passes():
    config = RunConfig(compile_profiling=True)
    compiled = annotated.compile(zeros(), zeros(), config=config)
    path = compiled.output_dir / "report" / "pipeline_profile.json"
    assert "pto-plan-memory" in path.read_text() and path in compiled.files
    assert not (annotated.compile(zeros(), zeros()).output_dir / "report").exists()


def test_decorators_of_later():
    for make in (
        lambda: pl.jit.host,
        lambda: pl.jit.extern,
        lambda: pl.function(external_source="kernel.cpp"),
        lambda: pl.function(level=pl.Level.HOST),
    ):
        with pytest.raises(pypto.UnsupportedFeatureError, match="not supported yet"):
            make()
    with pytest.raises(pypto.UnsupportedFeatureError, match="call it from a @pl.jit function"):
        double(zeros(), zeros())


def test_an_annotation_makes_nothing():
    with pytest.raises(TypeError, match="is an annotation"):
        pl.Tensor([1, 2], pl.FP32)


# Imports and commands.


def python(text):
    return subprocess.run(
        [sys.executable, "-c", text], check=True, capture_output=True, text=True
    ).stdout.split()


def test_import_loads_no_compiler():
    loaded = python("import sys, pypto.language; print(*sys.modules)")
    assert not {"numpy", "torch", "rich", "pypto.mlir.ir", "pypto.frontend.session"} & set(loaded)


def test_commands_become_the_tool(tmp_path):
    path = tmp_path / "m.mlir"
    path.write_text("module {\n}\n")
    text = f"import sys; sys.argv[1:] = ['{path}']; from pypto.tools import cli; cli.opt()"
    assert python(text) == ["module", "{", "}"]


def test_what_is_made_for_an_out_has_its_name():
    @pl.jit
    def entry(x: FP32, out: pl.Out[FP32]):
        with pl.at(level=pl.Level.CORE_GROUP):
            out[:] = pl.mul(x, x)
        return out

    names = [allocation.name for allocation in entry.compile(zeros(), zeros()).memory]
    assert "out" in names and "(scratch)" not in names


def test_as_python_names_the_class():
    @pl.program
    class Doubling:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: FP32, out: pl.Out[FP32]):
            out[:] = pl.add(x, x)
            return out

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, x: FP32, out: pl.Out[FP32]):
            out = self.kernel(x, out)
            return out

    assert "class Doubling:" in Doubling.as_python()
    assert "class Doubling:" in Doubling.lower(zeros(), zeros()).as_python()


def test_static_print_shows_numbers(capsys):
    @pl.jit
    def entry(x: FP32, out: pl.Out[FP32]):
        pl.static_print("shape", x.shape, x.dtype)
        out = double(x, out)
        return out

    entry.lower()
    assert capsys.readouterr().out == "shape [16, 16] pl.FP32\n"


# Running.


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
def test_a_call_writes_in_place_and_returns_the_callers_array(dtype, tmp_path):
    x = np.arange(256).reshape(16, 16).astype(dtype)
    out = zeros(dtype=dtype)
    assert bare(x, out) is out
    np.testing.assert_array_equal(out, x + x)
    assert not list(pathlib.Path(tmp_path).iterdir())


def test_scalars_known_at_run_time():
    x, out = np.ones((16, 16), np.float32), zeros()
    kernel = scaled.compile(x, out, pl.RUNTIME)
    for factor in (2.0, 3.0):
        kernel(x, out, factor)
        np.testing.assert_array_equal(out, x * factor)


def test_the_program_stays_as_it_was():
    x, out = zeros(), zeros()
    kernel = annotated.compile(x, out)
    before = kernel.program.as_python()
    kernel(x, out)
    annotated(x, out)
    annotated.lower(x, out)
    assert kernel.program.as_python() == before
    assert kernel.param_names == ["x", "out"] and kernel.output_indices == [1]
