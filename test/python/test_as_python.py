# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""as_python, and the way back: generated programs, what a line leaves unsaid, wrong texts.
The examples are in test_examples.py and, of PyPTO Pro, in test_pro_examples.py; changed texts
in test_fuzz.py."""

import sys
from pathlib import Path

import numpy as np
import pypto.language as pl
import pytest
from pypto import CompileError
from pypto.ir import structural_equal
from pypto.ir.program import Passes, Program
from pypto.runtime import RunConfig

sys.path.insert(0, str(Path(__file__).parent))

import generate  # noqa: E402
import generate_tasks  # noqa: E402
from generate_loops import LoopProgram  # noqa: E402
from staging import run_stage, stages  # noqa: E402

TILE = pl.Tensor[[64, 64], pl.FP32]


def read_back(program):
    again = Program.from_python(program.as_python(), "printed.py")
    assert structural_equal(again, program), program.as_python()
    return again


@pytest.mark.parametrize("platform", ["a2a3sim", "a5sim"])
@pytest.mark.parametrize("kind", [generate.Program, LoopProgram])
@pytest.mark.parametrize("seed", range(15))
def test_generated_kernels(seed, kind, platform, load):
    program = kind(seed)
    entry = getattr(load(program.text), program.entry)
    for _, module in stages(entry, program.arguments(), RunConfig(platform=platform)):
        read_back(module)


@pytest.mark.parametrize("seed", range(20))
def test_generated_tasks(seed, load):
    generator = generate_tasks.Generator(seed)
    entry = load(generator.program()).entry
    for _, module in stages(entry, generator.arguments(seed)):
        read_back(module)


@pytest.mark.parametrize("path", sorted(Path(__file__).parents[1].glob("Final/*.mlir")), ids=str)
def test_kernels_by_hand(path):
    read_back(Program.read(path))


def test_what_is_read_back_runs():
    @pl.jit.incore
    def kernel(x: TILE, out: pl.Out[TILE]):
        acc = pl.load(x, [0, 0], [64, 64])
        for i in pl.range(3):
            if i > 0:
                acc = pl.mul(acc, 2.0)
        pl.store(acc, [0, 0], out)
        return out

    @pl.jit
    def entry(x: TILE, out: pl.Out[TILE]):
        out = kernel(x, out)
        return out

    x, out = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
    for name, module in stages(entry, [x, out]):
        out[:] = 0
        run_stage(read_back(module), [x, out])
        np.testing.assert_array_equal(out, 4 * x, err_msg=name)


# What stands behind a line.


def scaled(number):
    """A program before the first pass."""

    @pl.jit.incore
    def kernel(n: pl.Scalar[pl.INDEX], x: TILE, out: pl.Out[TILE]):
        t = pl.load(x, [n // 2, 0], [32, 64])
        pl.store(pl.mul(t, number), [n // 2, 0], out)
        return out

    @pl.jit
    def entry(n: pl.Scalar[pl.INDEX], x: TILE, out: pl.Out[TILE]):
        out = kernel(n, x, out)
        return out

    x = np.ones((64, 64), np.float32)
    return next(stages(entry, [pl.RUNTIME, x, x]))[1]


def test_most_lines_say_all():
    assert "#:" not in scaled(2.0).as_python()


def test_a_note_says_the_rest():
    """Quotients of integers have one sign and several operations."""
    text = scaled(2.0).as_python()
    other = Program.from_python(text.replace(" // 2", " // 2  #: arith.divui"))
    assert "arith.divui" in str(other) and "arith.floordivsi" not in str(other)
    assert not structural_equal(other, Program.from_python(text))
    assert "// 2  #: arith.divui" in read_back(other).as_python()


def test_programs_differ():
    assert structural_equal(scaled(2.0), scaled(2.0))
    assert not structural_equal(scaled(2.0), scaled(3.0))


# Wrong texts.

GOOD = """\
# pypto.program: p
import pypto.language as pl


@pl.program
class p:
    # pto.sync: none
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t: pl.Tile[[64, 64], pl.FP32] = pl.load(x, [0, 0], [64, 64])
        u: pl.Tile[[64, 64], pl.FP32] = pl.exp(t)
        pl.store(u, [0, 0], out)
        return
"""


def test_the_text_of_the_errors_is_right():
    program = Program.from_python(GOOD, "good.py")
    assert program.name == "kernel" and "!pto.gm<64x64xf32>" in str(program)
    x, out = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
    run_stage(program, [x, out])
    np.testing.assert_allclose(out, np.exp(x), rtol=1e-6)


@pytest.mark.parametrize(
    "old, new, line, words",
    [
        ("pl.exp(t)", "pl.exp(w)", 11, "'w' has no value here"),
        ("pl.exp(t)", "pl.expp(t)", 11, "no operation 'pto.tile.expp'; did you mean pl.exp?"),
        ("pl.exp(t)", "exp(t)", 11, "no operation is called 'exp'"),
        ("pl.exp(t)", "pl.exp(t)  #: {", 11, "is no note: a bracket is not closed"),
        ("pl.exp(t)", "pl.exp(t)  #: (t) t", 11, "is no note: 't' belongs to nothing"),
        ("[0, 0], [64, 64])", "[0, 0], 3", 10, "was never closed"),
        ("[0, 0], out", "0, out", 12, "here stands a list of indices"),
        ("pl.FP32] = pl.exp", "pl.FP16] = pl.exp", 11, "FP16"),
        ("pl.FP32] = pl.exp", "pl.FP99] = pl.exp", 11, "none of the lines that as_python prints"),
        ("return\n", "return\n        try: 1\n        finally: 2\n", 14, "none that a program"),
        ("(type=pl.FunctionType.InCore)", "", 9, "@pl.function(type=...)"),
        ("class p:", "x = 1\nclass p:", 6, "invalid syntax"),
        ("    # pto.sync: none\n", "    x = 1\n", 7, "a printed program holds functions"),
    ],
)
def test_an_error_says_where(old, new, line, words):
    assert old in GOOD
    with pytest.raises(CompileError) as caught:
        Program.from_python(GOOD.replace(old, new, 1), "wrong.py")
    first = caught.value.diagnostics[0]
    assert (first.file, first.line) == ("wrong.py", line), caught.value
    assert words in first.message, caught.value


def test_no_program_at_all():
    with pytest.raises(CompileError, match="one class under @pl.program"):
        Program.from_python("x = 1\n")


def test_functions_for_a_core_and_their_attributes():
    program = pl.parse(
        """\
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIV)
    def twice(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        pl.func_attr({"words": "a, b", "number": 3, "half": 0.5, "yes": True})
        out[:] = pl.mul(x, 2.0)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        out = self.twice(x, out)
        return out
"""
    )
    text = program.as_python()
    assert "type=pl.FunctionType.AIV" in text and "pl.func_attr({" in text and "#:" not in text
    again = pl.parse(text)
    assert again.as_python() == text
    read_back(again.after(Passes.pipeline("910B")))


@pytest.mark.parametrize(
    "text",
    [
        # What a loop that is left in its middle hands on has a name already.
        """
func.func @k(%a: i32, %c: i1) -> (i32, i32, i32) {
  %w:2 = scf.while (%k = %a) : (i32) -> (i32, i32) {
    scf.condition(%c) %k, %k : i32, i32
  } do {
  ^bb0(%x: i32, %y: i32):
    scf.yield %y : i32
  }
  return %w#0, %w#1, %a : i32, i32, i32
}""",
        """
func.func @k(%a: i32, %c: i1) -> (i32, i32) {
  %w = scf.while (%k = %a) : (i32) -> i32 {
    scf.condition(%c) %a : i32
  } do {
  ^bb0(%x: i32):
    scf.yield %x : i32
  }
  return %w, %a : i32, i32
}""",
        # Names and texts that Python would take for something else.
        """
module attributes {some.where = [1, "a"]} {
  func.func @lambda(%self: index, %pl: index) -> index attributes {some.words = "x  #: {y"} {
    pto.block.print "hi #: {x} %d"(%pl) : index
    %0 = arith.addi %self, %pl overflow<nsw> : index
    return %0 : index
  }
  func.func @"a-b"(%x: f32) -> f32 {
    %nan = arith.constant 0x7FC00000 : f32
    %zero = arith.constant -0.0 : f32
    %0 = arith.mulf %nan, %zero fastmath<fast> : f32
    %1 = arith.addf %0, %x : f32
    return %1 : f32
  }
  func.func private @outside(%x: tensor<4xf32>) -> tensor<4xf32>
}""",
        # One sign, several operations.
        """
func.func @k(%i: i32, %b: i1) -> (i32, i1) {
  %c = arith.constant 3 : i32
  %p = arith.cmpi ult, %i, %c : i32
  %q = arith.andi %p, %b : i1
  %r = scf.if %q -> i32 {
    scf.yield %i : i32
  } else {
    %z = arith.shrui %i, %c : i32
    scf.yield %z : i32
  }
  %f = arith.uitofp %r : i32 to f16
  %g = arith.cmpf ueq, %f, %f : f16
  return %r, %g : i32, i1
}""",
        "module {}",
    ],
)
def test_modules_that_no_program_makes(text):
    read_back(Program.parse(text))
