# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Functions that are read at once, programs of several, and programs from text."""

import numpy as np
import pypto
import pypto_pro.language as pl
import pytest

HEAD = """\
import pypto_pro.language as pl

ROWS = 16
KIND = pl.TileType([ROWS, 64], pl.DT_FP32)

"""
BODY = """\
    t = pl.make_tile_group(type=KIND, addrs=0, mutex_ids=[0])[0]
    with pl.section_vector():
        pl.load(t, a, [0, 0])
        twice(t)
        pl.store(b, t, [0, 0])
"""
HELPER = """\
def twice(t):
    pl.mul(t, t, 2.0)

"""
ARGUMENTS = "a: pl.Tensor[[16, 64], pl.DT_FP32], b: pl.Tensor[[16, 64], pl.DT_FP32]"
KERNEL = f"{HEAD}{HELPER}@pl.jit(arch='a3')\ndef kernel({ARGUMENTS}):\n{BODY}"


def indented(text):
    return "".join("    " + line for line in text.splitlines(keepends=True))


METHODS = (
    f"{HEAD}@pl.program\nclass Both:\n    @pl.function(type=pl.FunctionType.Helper)\n"
    + indented("def twice(t):\n    pl.mul(t, t, 2.0)\n\n")
    + "    @pl.function\n"
    + indented(f"def one(self, {ARGUMENTS}):\n{BODY.replace('twice', 'self.twice')}\n")
    + "    @pl.function(type=pl.FunctionType.InCore)\n"
    + indented(f"def other(self, {ARGUMENTS}):\n{BODY.replace('twice(t)', 'pl.abs(t, t)')}")
)


def launch(kernel):
    a = np.arange(16 * 64, dtype=np.float32).reshape(16, 64)
    b = np.zeros_like(a)
    kernel[None, 1](a, b)
    np.testing.assert_array_equal(b, 2 * a)


def test_a_kernel_of_a_text_runs():
    launch(pl.parse(KERNEL))
    assert pl.parse(KERNEL).target == "910B"


def test_a_kernel_of_a_file_runs(tmp_path):
    path = tmp_path / "twice.py"
    path.write_text(KERNEL)
    launch(pl.loads(path))
    launch(pl.loads(str(path)))


@pytest.mark.parametrize("old", [pl.parse_program, pl.loads_program])
def test_old_names(old, tmp_path):
    path = tmp_path / "twice.py"
    path.write_text(KERNEL)
    with pytest.warns(DeprecationWarning, match="use pl"):
        launch(old(KERNEL if old is pl.parse_program else path))


def test_nothing_of_a_text_runs():
    with pytest.raises(pypto.CompileError) as error:
        pl.parse("import pypto_pro.language as pl\nprint('never')\n")
    found = error.value.diagnostics[0]
    assert "is not run" in found.message and (found.line, found.column) == (2, 1)


WRONG = {
    "another import": ("import §os\n", "imports pypto_pro.language and math, found 'import os'"),
    "no name": ("import §pypto_pro.language\n", "found 'import pypto_pro.language'"),
    "two kernels": (
        KERNEL + "\n\n" + KERNEL.replace(HEAD, "").replace("kernel(", "second(", 1),
        "one kernel, found kernel, second",
    ),
    "no kernel": (HEAD + HELPER, "one kernel, found none"),
    "another decorator": (
        HEAD + "@pl.inline\ndef f(t):\n    pass\n",
        "'@pl.inline' is no decorator of the language; it has @pl.jit, @pl.kernel",
    ),
    "an unknown operation": (
        KERNEL.replace("pl.mul(", "pl.mull("),
        "has no 'mull'; did you mean pl.mul?",
    ),
    "a tile type of nothing": (HEAD + "X = pl.TileType(3)\n", "pl.TileType is called wrongly"),
    "a method of Python": (
        METHODS.replace("    @pl.function(type=pl.FunctionType.InCore)\n", ""),
        "'other' has no decorator",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_text_cannot_hold(name):
    text, words = WRONG[name]
    with pytest.raises(pypto.CompileError) as error:
        made = pl.parse(text.replace("§", ""), "wrong.py")
        made.as_mlir()
    assert words in str(error.value), str(error.value)
    assert error.value.diagnostics[0].file.endswith("wrong.py")


def test_a_program_of_methods(load):
    for program in (pl.parse(METHODS), load(METHODS).Both):
        assert list(program.functions) == ["one", "other"] and program.name == "Both"
        assert program["one"] is program.one
        assert "@one" in program.as_mlir() and "@other" in program.as_mlir()
        assert "pto.tile.mul" in program.one.as_mlir()
        made = program.compile()
        assert set(made) == {"one", "other"}
        assert program.other.type is pl.FunctionType.InCore
        with pytest.raises(pypto.CompileError, match="is not launched"):
            program.one[None, 1](None, None)


def test_an_error_of_a_method_is_where_it_stands(load):
    with pytest.raises(pypto.CompileError) as error:
        load(METHODS.replace("pl.abs(t, t)", "pl.abs(t)"))
    found = error.value.diagnostics[0]
    assert "argument 'src' is missing" in found.message
    assert found.line == METHODS[: METHODS.index("pl.abs")].count("\n") + 1


def test_a_function_is_read_at_once(load):
    text = KERNEL.replace("@pl.jit(arch='a3')", "@pl.function")
    made = load(text).kernel
    assert "pto.tile.mul" in made.as_mlir()
    with pytest.raises(pypto.CompileError, match="is not launched"):
        made(None, None)
    with pytest.raises(pypto.CompileError) as error:
        load(text.replace("2.0)", "'2')"))
    assert error.value.diagnostics[0].line == 7


DECORATORS = {
    "pl.function(type=3)": "type is a member of pl.FunctionType",
    "pl.function(strict_ssa=True)": "strict_ssa=True.* is not supported yet",
    "pl.function(strict_ssa=1)": "strict_ssa is True or False",
    "pl.function(type=pl.FunctionType.Orchestration)": "a host launches kernels",
    "pl.function(type=pl.FunctionType.SimtVF)": "SIMT functions come later",
    "pl.function(3)": "a function is decorated, not int",
    "pl.program(3)": "stands above a class, not int",
    "pl.program(strict_ssa=True)": "strict_ssa=True.* is not supported yet",
    "pl.program(type('P', (), {}))": "program 'P' has no kernel",
    "pl.program(type('P', (), {'x': 1}))": "'P.x' is not under @pl.function",
}


@pytest.mark.parametrize("text", DECORATORS)
def test_decorators_used_wrongly(text):
    with pytest.raises(pypto.CompileError, match=DECORATORS[text]) as error:
        eval(text)
    assert error.value.diagnostics[0].message


def test_python_runs_no_helper():
    helper = pl.function(lambda t: t, type=pl.FunctionType.Helper)
    with pytest.raises(pypto.CompileError, match="helper of kernels"):
        helper(1)
