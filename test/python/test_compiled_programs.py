# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a CompiledProgram offers besides a call: from its folder again, and compared with what is
expected."""

import json
import re

import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto import ir
from pypto.ir import CompiledProgram
from pypto.runtime import RunConfig

M = pl.dynamic("M")
D = pl.Tensor[[M, 64], pl.FP32]


@pl.jit.incore
def ones():
    return pl.tensor.full([1, 8], pl.FP32, 1.0)


@pl.jit
def scaled(
    x: D,
    out: pl.Out[D],
    by: pl.Scalar[pl.FP32],
    plus: pl.Scalar[pl.INT32] = 2,
    *,
    again: pl.InOut[D],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        for row in pl.range(0, x.shape[0], 16):
            rows = pl.min(x.shape[0] - row, 16)
            t = pl.load(x, [row, 0], [16, 64], valid_shape=[rows, 64])
            u = pl.load(again, [row, 0], [16, 64], valid_shape=[rows, 64])
            pl.store(pl.add(pl.mul(t, by), float(plus)), [row, 0], out)
            pl.store(pl.add(u, t), [row, 0], again)
    return out, ones()


def data(rows):
    x = np.random.default_rng(rows).standard_normal((rows, 64)).astype(np.float32)
    return x, np.zeros_like(x), np.ones_like(x)


def check(compiled, *scalars):
    for rows in (3, 20):
        x, out, again = data(rows)
        first, total = compiled(x, out, *scalars, again=again)
        assert first is out and (total == 1).all() and total.shape == (1, 8)
        np.testing.assert_array_equal(out, x * np.float32(1.5) + np.float32(2))
        np.testing.assert_array_equal(again, x + np.float32(1))


def compile_for(name, by=pl.RUNTIME):
    x, out, again = data(4)
    return scaled.compile(x, out, by, again=again, config=RunConfig(platform=name))


@pytest.mark.parametrize("name", ["a2a3sim", "a5sim"])
@pytest.mark.parametrize("by", [pl.RUNTIME, 1.5], ids=["run time", "folded"])
def test_from_a_folder(name, by):
    compiled = compile_for(name, by)
    assert (compiled.output_dir / "program.json").exists()
    again = CompiledProgram.from_dir(compiled.output_dir)
    assert again.program is None and again.platform == name == again.runtime_config.platform
    for attribute in ("param_names", "output_indices", "has_return", "orchestration_names"):
        assert getattr(again, attribute) == getattr(compiled, attribute)
    assert again.files == sorted(compiled.files) and str(again.memory) == str(compiled.memory)
    check(compiled, 1.5)
    check(again, 1.5)
    assert again.profile(*data(4)[:2], 1.5, again=data(4)[2]).cycles > 0
    if by == 1.5:
        check(CompiledProgram.load(str(compiled.output_dir)), 1.5)
        with pytest.raises(pypto.ArgumentError, match="was compiled for 1.5"):
            again(*data(4)[:2], 2.0, again=data(4)[2])
    x, out, other = data(4)
    with pytest.raises(pypto.ArgumentError, match="both are pl.dynamic"):
        again(x, np.zeros((5, 64), np.float32), 1.5, again=other)


def test_what_a_folder_has_not():
    again = CompiledProgram.from_dir(compile_for("a2a3sim").output_dir)
    x, out, other = data(4)
    with pytest.raises(pypto.RunError, match="check_passes needs the program before all passes"):
        again.check_passes(x, out, 1.5, again=other)
    with pytest.raises(pypto.RunError, match="validate_ir needs the program before all passes"):
        again.validate_ir([], [])
    with pytest.raises(pypto.RunError, match="the stage 'frontend' is not there"):
        again.debug(x, out, 1.5, again=other)
    with pytest.raises(pypto.RunError, match="compiled for platform 'a2a3sim', not for 'a5sim'"):
        again(x, out, 1.5, again=other, config=RunConfig(platform="a5sim"))


def test_folders_that_hold_none(tmp_path):
    with pytest.raises(pypto.RunError, match="holds no compiled program: program.mlir"):
        CompiledProgram.from_dir(tmp_path)
    folder = compile_for("a2a3sim").output_dir
    path = folder / "program.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "pypto": "0.0.0"}))
    with pytest.raises(pypto.RunError, match="compiled by PyPTO 0.0.0, and this is"):
        CompiledProgram.from_dir(folder)
    path.unlink()
    with pytest.raises(pypto.RunError, match="holds no compiled program: program.json"):
        CompiledProgram.from_dir(folder)


def test_a_whole_program_from_its_folder(platform):
    """What ir.compile made, of a program that was read as text."""
    read = ir.Program.parse(compile_for(platform).program.as_mlir())
    first = ir.compile(read, platform=platform)
    again = CompiledProgram.from_dir(first.output_dir)
    x, out, other = data(20)
    total = np.zeros((1, 8), np.float32)
    again(x, out, 1.5, other, total)
    np.testing.assert_array_equal(out, x * np.float32(1.5) + np.float32(2))
    assert (total == 1).all()


@pytest.mark.parametrize("name", ["a2a3sim", "a5sim"])
def test_validate_ir(name):
    compiled = compile_for(name)
    x, out, again = data(20)
    given = {"x": x, "out": out, "by": 1.5, "again": again}
    want = x * np.float32(1.5) + np.float32(2)
    compiled.validate_ir(given, {"out": want, "again": x + 1})
    compiled.validate_ir(given, [want * 1.01, x + 1])
    compiled.validate_ir([x, out, 1.5, 2, again], [want, x + 1], rtol=0)
    assert (out == 0).all() and (again == 1).all()
    wrong = want.copy()
    wrong[7, 5] += 4
    with pytest.raises(AssertionError, match=re.escape("before all passes: out at [7, 5] is")):
        compiled.validate_ir(given, {"out": wrong})
    with pytest.raises(pypto.ArgumentError, match="writes out, again, and expected has 'x'"):
        compiled.validate_ir(given, {"x": x})
    with pytest.raises(pypto.ArgumentError, match=r"writes 2 arrays \(out, again\), and expected"):
        compiled.validate_ir(given, [want])


def test_what_belongs_to_a_device():
    compiled = compile_for("a2a3sim")
    assert compiled.runtime_name == "pto_tasks"
    assert (compiled.output_dir / "orchestration" / f"{compiled.runtime_name}.h").exists()
    for name in ("chip_callable", "build_orch_args", "build_call_config"):
        with pytest.raises(pypto.UnsupportedFeatureError, match=f"CompiledProgram.{name} is not"):
            getattr(compiled, name)
    with pytest.raises(AttributeError, match="a compiled program has no attribute 'nothing'"):
        _ = compiled.nothing
