# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""check_passes: a pass that changes an answer is named. A wrong pass is made here by
changing the text of a module between two stages."""

import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.ir.program import Passes, Program, pass_of
from pypto.jit import driver
from pypto.runtime import RunConfig, compare
from pypto.runtime.check_passes import check
from pypto.tools import check_passes as tool

X = pl.Tensor[[32, 64], pl.FP32]


@pl.jit
def scaled(x: X, out: pl.Out[X], sums: pl.Out[pl.Tensor[[32, 1], pl.FP32]], by: pl.Scalar[pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [32, 64])
        y = pl.mul(t, by)
        pl.store(y, [0, 0], out)
        pl.store(pl.row_sum(y), [0, 0], sums)
    return out, sums


@pl.jit
def product(
    a: pl.Tensor[[16, 64], pl.BF16],
    b: pl.Tensor[[64, 32], pl.BF16],
    out: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc = pl.matmul(
            pl.load(a, [0, 0], [16, 16], target_memory=pl.Mem.Mat),
            pl.load(b, [0, 0], [16, 32], target_memory=pl.Mem.Mat),
        )
        for k in pl.range(16, 64, 16):
            left = pl.load(a, [0, k], [16, 16], target_memory=pl.Mem.Mat)
            right = pl.load(b, [k, 0], [16, 32], target_memory=pl.Mem.Mat)
            acc = pl.matmul_acc(acc, left, right)
        pl.store(acc, [0, 0], out)
    return out


def arguments():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((32, 64)).astype(np.float32)
    return [x, np.full_like(x, 77), np.full((32, 1), 77, np.float32)]


def factors():
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(s).astype(ml_dtypes.bfloat16) for s in ((16, 64), (64, 32)))
    return [a, b, np.zeros((16, 32), np.float32)]


def test_a_right_program_agrees_and_leaves_its_arguments():
    given = arguments()
    compiled = scaled.compile(*given, pl.RUNTIME)
    result = compiled.check_passes(*given, 2.5)
    assert result.agrees and result.culprit is None and result.folder is None
    assert all((array == 77).all() for array in given[1:])
    names = [stage.name for stage in result.stages]
    assert names[0] == "frontend" and names[-1] == "pto-derive-task-deps"
    # Each pass of the pipeline but the checks between them, and the front end.
    assert len(set(names)) == len(names) > 15
    text = str(result)
    assert "scaled, arrays out, sums: each pass keeps every answer" in text
    assert text.count(" ms  same") == len(names) and "pto-plan-memory " in text
    assert not (compiled.output_dir / "check_passes").exists()


def test_products_of_bf16():
    given = factors()
    assert all(stage.exact for stage in product.compile(*given).check_passes(*given).stages)


def test_nan_is_like_nan():
    given = arguments()
    given[0][3, 5], given[0][4, 6] = np.nan, -np.inf
    assert scaled.compile(*given, 0.0).check_passes(*given).agrees


def test_the_arguments_are_checked():
    given = arguments()
    compiled = scaled.compile(*given, 1.0)
    with pytest.raises(pypto.ArgumentError, match="'out' is FP32, found FP16"):
        compiled.check_passes(given[0], given[1].astype(np.float16), given[2])
    with pytest.raises(pypto.ArgumentError, match="overlap in memory"):
        compiled.check_passes(given[0], given[0], given[2])


# A wrong pass.


def changed(stages, behind, old, new):
    """The stages, one of them with another text."""
    for file, program in stages:
        if behind in file:
            text = program.as_mlir()
            assert old in text
            program = Program.parse(text.replace(old, new, 1), program.name)
        yield file, program


def run_changed(behind, old, new, folder, kernel=scaled, given=None, scalars=(2.5,)):
    given = arguments() if given is None else given
    values = driver.bind(kernel, (*given, *([pl.RUNTIME] * len(scalars))), {})
    specialised = driver._specialise(kernel, values, RunConfig())
    bound = driver.given(specialised, driver.bind(kernel, (*given, *scalars), {}))
    stages = specialised.program.stages(Passes.pipeline("910B").single())
    return check(changed(stages, behind, old, new), bound, folder, step_limit=0)


def test_a_pass_that_changes_an_answer(tmp_path):
    with pytest.raises(pypto.PassCheckError) as caught:
        run_changed("after_pto-legalize", "pto.tile.mul ", "pto.tile.add ", tmp_path / "saved")
    result, text = caught.value.result, str(caught.value)
    x = arguments()[0]
    got, want = x[0, 0] + np.float32(2.5), x[0, 0] * np.float32(2.5)
    assert result.culprit == "pto-legalize" and not result.agrees
    assert "pto-legalize changes an answer of 'scaled': 'out' at [0, 0]" in text
    assert f"is {got}, and was {want} (2048 of 2048 elements differ)" in text
    assert (result.stages[-1].difference.got, result.stages[-1].difference.want) == (got, want)
    assert result.before.name == "05_after_pto-convert-tensor-to-tile-ops.mlir"
    assert "pto.tile.mul " in result.before.read_text()
    assert "pto.tile.add " in result.after.read_text()
    assert "pto-legalize does not" in str(result) and "was" in str(result).splitlines()[-1]
    assert len(result.stages) == 7


def test_the_command_that_it_prints_finds_it_again(tmp_path):
    with pytest.raises(pypto.PassCheckError) as caught:
        run_changed("after_pto-legalize", "pto.tile.mul ", "pto.tile.add ", tmp_path / "saved")
    command = str(caught.value).partition("again: python ")[2].splitlines()[0]
    again = subprocess.run(
        f"{sys.executable} {command}", shell=True, capture_output=True, text=True, cwd=tmp_path
    )
    assert again.returncode == 1, again
    first, second = (
        text.partition("error: ")[2].splitlines()[0] for text in (str(caught.value), again.stderr)
    )
    assert first == second and "Traceback" not in again.stderr


def test_one_element_in_the_second_array(tmp_path):
    with pytest.raises(pypto.PassCheckError) as caught:
        run_changed("after_pto-insert-sync", "tile.row_sum", "tile.row_max", tmp_path / "saved")
    difference = caught.value.result.stages[-1].difference
    assert caught.value.result.culprit == "pto-insert-sync"
    assert difference.array == "sums" and difference.index == (0, 0) and difference.size == 32


def test_a_pass_behind_which_the_program_fails(tmp_path):
    with pytest.raises(pypto.PassCheckError) as caught:
        run_changed(
            "after_pto-insert-sync", "pto.block.set_flag v -> mte3, 0", "pto.block.barrier v",
            tmp_path / "saved",
        )  # fmt: skip
    text = str(caught.value)
    assert "pto-insert-sync makes 'scaled' fail, which pto-plan-memory did not" in text
    assert "test_check_passes.py" in text and "nothing has set" in text
    assert caught.value.result.stages[-1].failure and caught.value.result.after.is_file()


def test_a_program_that_is_wrong_from_the_start():
    with pytest.raises(pypto.PassCheckError) as caught:
        run_wrong()
    assert "no pass is to blame" in str(caught.value) and caught.value.result.culprit == "frontend"


def run_wrong():
    @pl.jit
    def reads_out(x: X, out: pl.Out[X]):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.load(out, [0, 0], [32, 64])
            pl.store(pl.add(t, pl.load(x, [0, 0], [32, 64])), [0, 0], out)
        return out

    given = arguments()[:2]
    return reads_out.compile(*given).check_passes(*given)


# The rule.


def test_the_rule():
    f = np.float32
    one = np.array([1, 0.0, np.nan, np.inf], f)
    assert compare.same_bits(one, one.copy()).all()
    assert list(compare.same_bits(np.array([1, -0.0, -np.nan, -np.inf], f), one)) == [
        True, False, True, False,
    ]  # fmt: skip
    near = np.array([np.nextafter(f(1), f(2)), 0, np.nan, np.inf], f)
    assert not compare.within(near, one, 0).all() and compare.within(near, one, 64).all()
    far = np.array([1.001, 0, np.nan, np.inf], f)
    assert list(compare.within(far, one, 64)) == [False, True, True, True]
    assert not compare.within(np.array([np.nan], f), np.array([1], f), 64).any()
    whole = np.array([1, 2], np.int32)
    assert list(compare.within(whole + np.array([0, 1], np.int32), whole, 64)) == [True, False]


def test_terms_of_a_product():
    program = product.compile(*factors()).program
    assert compare.product_terms(program._operation, 64) == 16 * 3
    assert compare.product_terms(scaled.compile(*arguments(), 1.0).program._operation, 64) == 0


def test_another_order_of_a_sum_is_within_the_rule():
    a, b, _ = (array.astype(np.float32) for array in factors())
    want = np.zeros((16, 32), np.float32)
    for k in range(64):
        want += a[:, k : k + 1] * b[k : k + 1]
    other = np.zeros_like(want)
    for k in reversed(range(64)):
        other += a[:, k : k + 1] * b[k : k + 1]
    assert not compare.same_bits(other, want).all() and compare.within(other, want, 64).all()


# The command line.


@pytest.fixture
def dumps(tmp_path):
    given = arguments()
    compiled = scaled.compile(*given, 2.5, dump_passes=True)
    np.save(tmp_path / "x.npy", given[0])
    return compiled.output_dir / "passes_dump"


def command(*words):
    return tool.main([str(word) for word in words])


def test_one_module(dumps, capsys):
    module = next(dumps.glob("*_after_pto-materialize-copies.mlir"))
    assert command(module, "--args", "x.npy") == 0
    lines = capsys.readouterr().out.splitlines()
    behind = [pass_of(file.name) for file in sorted(dumps.iterdir()) if file >= module]
    assert [line.split()[1] for line in lines[1:]] == behind and behind[-1] != behind[0]
    renamed = pathlib.Path("m.mlir")
    renamed.write_text(module.read_text())
    assert (
        command(renamed, "--after", "pto-materialize-copies", "--args", "x.npy", "out", "out") == 0
    )
    assert len(capsys.readouterr().out.splitlines()) == len(lines)


def test_several_modules(dumps, capsys):
    bad = pathlib.Path("bad.mlir")
    final = sorted(dumps.iterdir())[-1]
    bad.write_text(final.read_text().replace("pto.tile.mul ", "pto.tile.add "))
    assert command(next(dumps.glob("00_*")), final, "--args", "x.npy") == 0
    assert command(next(dumps.glob("00_*")), final, bad, "--args", "x.npy") == 1
    assert "bad changes an answer of 'scaled': 'out' at [0, 0]" in capsys.readouterr().err
    assert pathlib.Path("check_passes/bad.mlir").is_file()


WRONG = {
    "no file": (["no.mlir"], "No such file"),
    "no MLIR": (["x.npy.txt"], "error"),
    "entry": (["m.mlir", "--entry", "other"], "there is no function 'other'; there are scaled"),
    "pass": (["m.mlir", "--after", "pto-none"], "--after: there is no pass 'pto-none'"),
    "count": (["m.mlir", "--args", "x.npy", "out"], "--args takes 3 arguments (x, out, sums)"),
    "shape": (["m.mlir", "--args", "small.npy"], "argument 'x' has shape [32, 64]"),
    "no array": (["m.mlir", "--args", "x.npy.txt"], "argument_1: x.npy.txt"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_command_line(name, dumps, capsys):
    words, expected = WRONG[name]
    pathlib.Path("m.mlir").write_text(next(dumps.glob("00_*")).read_text())
    pathlib.Path("x.npy.txt").write_text("nothing")
    np.save("small.npy", np.zeros((4, 4), np.float32))
    if words[0] == "m.mlir" and "--args" not in words:
        words = [*words, "--args", "x.npy"]
    assert command(*words) in (1, 2)
    found = capsys.readouterr()
    assert expected.replace("argument_1: ", "x: ") in found.err and "Traceback" not in found.err


def test_the_configuration(tmp_path):
    given = arguments()
    with pytest.raises(pypto.PassCheckError, match="the limit of this run"):
        scaled.compile(*given, 1.0).check_passes(*given, config=RunConfig(step_limit=3))
