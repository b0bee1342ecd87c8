# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pypto.ir.compile`: what it takes, and that each of its options does what it says or says that
it does not."""

import json
import re

import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto import ir
from pypto.backend import BackendType
from pypto.runtime import RunConfig

T = pl.Tensor[[16, 64], pl.FP32]
M = pl.dynamic("M")
D = pl.Tensor[[M, 64], pl.FP32]


@pl.program
class Shifted:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: T, by: pl.Scalar[pl.FP32], out: pl.Out[T]):
        out[:] = pl.add(pl.mul(x, x), by)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: T, by: pl.Scalar[pl.FP32] = 1.5, *, out: pl.Out[T], last: pl.InOut[T]):
        middle = pl.create_tensor([16, 64], dtype=pl.FP32)
        for _ in pl.range(2):
            middle = self.kernel(x, by, middle)
            last = self.kernel(middle, 0.0, last)
        with pl.at(level=pl.Level.CORE_GROUP):
            out[:] = middle
        return last, out


@pl.jit
def doubled(x: D, out: pl.Out[D]):
    with pl.at(level=pl.Level.CORE_GROUP):
        for row in pl.range(0, x.shape[0], 16):
            rows = pl.min(x.shape[0] - row, 16)
            t = pl.load(x, [row, 0], [16, 64], valid_shape=[rows, 64])
            pl.store(pl.add(t, t), [row, 0], out)
    return out


def arrays(count):
    made = np.random.default_rng(0).standard_normal((count, 16, 64)).astype(np.float32)
    return list(made)


def check(compiled):
    x, out, last = arrays(3)
    given = (x, out, last)
    found = compiled(*given) if len(compiled.param_names) == 3 else compiled(x, 1.5, out, last)
    assert found[0] is last and found[1] is out
    middle = x * x + np.float32(1.5)
    np.testing.assert_array_equal(out, middle)
    np.testing.assert_array_equal(last, middle * middle)


PLATFORMS = ("a2a3sim", "a5sim")


@pytest.mark.parametrize("name", PLATFORMS)
def test_a_class_runs(name, tmp_path):
    compiled = ir.compile(Shifted, platform=name, output_dir=tmp_path / "here")
    check(compiled)
    assert compiled.output_dir == tmp_path / "here" and compiled.platform == name
    assert compiled.backend_type is {"a2a3sim": BackendType.Ascend910B}.get(
        name, BackendType.Ascend950
    )
    assert compiled.orchestration_names == ["main"] and compiled.has_return
    assert compiled.param_names == ["x", "by", "out", "last"]
    assert compiled.output_indices == [2, 3]
    assert "class Shifted:" in compiled.program.as_python()
    written = {path.relative_to(compiled.output_dir).as_posix() for path in compiled.files}
    assert {"kernels/aiv/kernel.cpp", "orchestration/main.cpp"} <= written


@pytest.mark.parametrize("name", PLATFORMS)
def test_a_program_of_the_ir_runs(name):
    """As the front end made it, and with nothing but its text."""
    front = ir.compile(Shifted, platform="a2a3sim").program
    check(ir.compile(front, platform=name))
    read = ir.Program.parse(front.as_mlir())
    compiled = ir.compile(read, platform=name)
    assert compiled.param_names == ["x", "out", "last"] and compiled.output_indices == [1, 2]
    check(compiled)


@pytest.mark.parametrize("name", PLATFORMS)
def test_open_extents_and_scalars_of_a_text(name):
    read = ir.Program.parse(ir.compile(doubled).program.as_mlir())
    compiled = ir.compile(read, platform=name)
    for rows in (5, 40):
        x = np.random.default_rng(rows).standard_normal((rows, 64)).astype(np.float32)
        out = np.zeros_like(x)
        assert compiled(x, out) is out
        np.testing.assert_array_equal(out, x + x)
    with pytest.raises(pypto.ArgumentError, match="argument 'out' is missing"):
        compiled(x)
    with pytest.raises(pypto.ArgumentError, match="'x' is FP32, found FP16"):
        compiled(x.astype(np.float16), out)


def test_a_scalar_that_the_run_knows():
    @pl.jit
    def scaled(x: T, by: pl.Scalar[pl.FP32], out: pl.Out[T]):
        with pl.at(level=pl.Level.CORE_GROUP):
            out[:] = pl.mul(x, by)
        return out

    read = ir.Program.parse(scaled.compile(by=pl.RUNTIME).program.as_mlir())
    x, out, _ = arrays(3)
    ir.compile(read)(x, 3.0, out)
    np.testing.assert_array_equal(out, x * np.float32(3))


# Options.


def test_levels_of_dumps(tmp_path):
    def dumps(level):
        compiled = ir.compile(Shifted, dump_passes=level, output_dir=tmp_path / str(level))
        return sorted(path.name for path in compiled.files if path.suffix == ".mlir")

    assert dumps(False) == dumps(ir.PassDumpLevel.NONE) == []
    every, some = dumps(ir.PassDumpLevel.EXPLICIT), dumps(ir.PassDumpLevel.CONCISE)
    assert dumps(True) == every and set(some) < set(every)
    assert some[0] == "00_frontend.mlir" and any("plan-memory" in name for name in some)
    assert not any("specialize-tiling-key" in name for name in some)
    config = RunConfig(dump_passes=ir.PassDumpLevel.CONCISE)
    compiled = doubled.compile(config=config)
    assert compiled.files and len(some) > len(compiled.files) - 4
    with pytest.raises(TypeError, match="a member of pypto.ir.PassDumpLevel, found 3"):
        doubled.compile(dump_passes=3)


@pytest.mark.parametrize("level", ir.VerificationLevel)
def test_levels_of_verification(level, monkeypatch):
    """One answer; and a program that only the rules of a stage refuse."""
    check(ir.compile(Shifted, verification_level=level))
    monkeypatch.setenv("PYPTO_VERIFY_LEVEL", level.name.lower())
    check(ir.compile(Shifted))


def test_an_unknown_level_of_verification(monkeypatch):
    monkeypatch.setenv("PYPTO_VERIFY_LEVEL", "all")
    with pytest.raises(pypto.CompileError, match="none, basic or roundtrip, found 'all'"):
        ir.compile(Shifted)


def test_times_of_passes():
    compiled = ir.compile(Shifted, profiling=True)
    path = compiled.output_dir / "report" / "pipeline_profile.json"
    seconds = json.loads(path.read_text())["seconds"]
    assert seconds["pto-plan-memory"] > 0 and len(seconds) > 10
    assert not (ir.compile(Shifted).output_dir / "report").exists()


def test_source_lines_in_the_emitted_code():
    def lines(**options):
        compiled = ir.compile(Shifted, **options)
        texts = [path.read_text() for path in compiled.files if path.suffix == ".cpp"]
        return sum(len(re.findall(r"// test_ir_compile\.py:\d+", text)) for text in texts), texts

    count, texts = lines()
    assert count > 3
    assert lines(emit_source_loc=False)[0] == 0
    assert "".join(lines(emit_source_loc=False)[1]) in re.sub(
        r" *// test_ir_compile\.py:\d+\n", "", "".join(texts)
    )


def test_the_chip():
    assert ir.compile(Shifted, backend_type=BackendType.Ascend950).platform == "a5sim"
    assert ir.compile(Shifted, backend_type=BackendType.Ascend910B, platform="a2a3").platform == (
        "a2a3"
    )
    with pytest.raises(pypto.CompileError, match="is the Ascend 910B, and platform 'a5sim'"):
        ir.compile(Shifted, backend_type=BackendType.Ascend910B, platform="a5sim")
    with pytest.raises(pypto.RunError, match="CANN toolchain"):
        check(ir.compile(Shifted, platform="a5"))


ACCEPTED = {
    "skip_ptoas": True,
    "strategy": ir.OptimizationStrategy.Default,
    "memory_planner": ir.MemoryPlanner.PYPTO,
    "diagnostic_phase": ir.DiagnosticPhase.NONE,
    "disabled_diagnostics": [],
    "analyze_auto_scopes_for_deps": True,
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_changes_nothing(name):
    check(ir.compile(Shifted, **{name: ACCEPTED[name]}))


REFUSED = {
    "memory_planner": (ir.MemoryPlanner.PTOAS, "pto-plan-memory"),
    "diagnostic_phase": (ir.DiagnosticPhase.POST_PASS, "there are no hints"),
    "disabled_diagnostics": (["PH001"], "cannot be switched off"),
    "distributed_config": ({"ranks": 2}, "the distributed chapter comes later"),
    "enable_pypto_l0c_double_buffer": (True, "one place in Acc"),
    "runtime": ("host_build_graph", "pto_tasks.h"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    value, why = REFUSED[name]
    with pytest.raises(pypto.UnsupportedFeatureError) as caught:
        ir.compile(Shifted, **{name: value})
    text = str(caught.value)
    assert f"ir.compile({name}=" in text and "is not supported yet" in text and why in text


KINDS = {
    "strategy": "Default",
    "memory_planner": "PYPTO",
    "diagnostic_phase": 1,
    "verification_level": 1,
    "backend_type": "Ascend910B",
    "skip_ptoas": 1,
    "profiling": "yes",
    "analyze_auto_scopes_for_deps": None,
    "enable_pypto_l0c_double_buffer": 0,
    "emit_source_loc": None,
}


@pytest.mark.parametrize("name", KINDS)
def test_values_of_another_kind(name):
    with pytest.raises(TypeError, match=rf"ir.compile: {name}= is .*, found"):
        ir.compile(Shifted, **{name: KINDS[name]})


def test_an_option_that_is_not_there():
    with pytest.raises(TypeError, match="no option 'platfrom'; did you mean 'platform'?"):
        ir.compile(Shifted, platfrom="a5sim")
    with pytest.raises(TypeError, match="no option 'n'$"):
        ir.compile(Shifted, n=1)


def test_a_program_that_the_passes_have_seen(tmp_path):
    """What lower() gives is a program too."""
    x, out, last = arrays(3)
    check(ir.compile(Shifted.lower(x, 1.5, out=out, last=last)))


def test_what_is_no_program():
    with pytest.raises(TypeError, match="ir.compile takes a program: .*, found int"):
        ir.compile(3)
    with pytest.raises(pypto.UnsupportedFeatureError, match="is no program by itself"):
        ir.compile(Shifted.kernel)
    with pytest.raises(AttributeError, match="did you mean pypto.ir.compile?"):
        _ = ir.complie
    text = "module {\nfunc.func private @f()\n}"
    with pytest.raises(pypto.CompileError, match="one function of kind orchestration, found none"):
        ir.compile(ir.Program.parse(text))


def test_the_same_words_in_a_configuration():
    config = RunConfig(
        strategy=ir.OptimizationStrategy.Default,
        backend_type=BackendType.Ascend910B,
        memory_planner=ir.MemoryPlanner.PYPTO,
    )
    assert config == RunConfig()
    with pytest.raises(ValueError, match="is the Ascend 950, and the platform is the Ascend 910B"):
        RunConfig(backend_type=BackendType.Ascend950)
    with pytest.raises(TypeError, match="a member of pypto.ir.OptimizationStrategy"):
        RunConfig(strategy="Default")
    with pytest.raises(pypto.UnsupportedFeatureError, match="memory_planner=MemoryPlanner.DSA_RP"):
        RunConfig(memory_planner=ir.MemoryPlanner.DSA_RP)
