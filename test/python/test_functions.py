# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`@pl.program`, `@pl.function`, `@pl.inline` and what they say of functions, as programs that
run on both chips."""

import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.diagnostics.errors import SSAViolationError
from pypto.jit import driver
from pypto.runtime import RunConfig

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ascendc_harness import Library  # noqa: E402
from staging import run_stage, stages  # noqa: E402

T = pl.Tensor[[16, 64], pl.FP32]


def data(seed=0):
    x = np.random.default_rng(seed).standard_normal((16, 64)).astype(np.float32)
    return x, np.zeros_like(x)


# Programs.


@pl.inline
def scaled(t, factor=2.0):
    return pl.mul(t, factor)


@pl.program
class Chain:
    """A kernel of each type, an opaque part, and what a kernel returns without Out."""

    @pl.function(type=pl.FunctionType.AIV)
    def shift(self, x: T, out: pl.Out[T]):
        pl.func_attr({"stage": "shift", "order": 1, "hot": True, "split": pl.SplitMode.NONE})
        t = pl.load(x, [0, 0], [16, 64])
        pl.store(scaled(pl.add(t, 1.0)), [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CORE_GROUP, role=pl.Role.SubWorker)
    def square(self, x: T) -> T:
        return pl.mul(x, x)

    @pl.function(type=pl.FunctionType.Inline)
    def negate(self, x: T) -> T:
        return pl.neg(x)

    @pl.function(auto_scope=False)
    def finish(self, x: T, out: pl.Out[T]):
        with pl.at(level=pl.Level.CORE_GROUP):
            out[:] = pl.add(self.negate(x), 3.0)
        return out

    @pl.function(
        type=pl.FunctionType.Orchestration,
        level=pl.Level.CHIP,
        role=pl.Role.Orchestrator,
        strict_ssa=True,
    )
    def start(self, x: T, out: pl.Out[T]):
        y = pl.create_tensor([16, 64], dtype=pl.FP32)
        shifted = self.shift(x, y)
        squared = self.square(shifted)
        finished = self.finish(squared, out)
        return finished


def expected(x):
    return np.float32(3) - ((x + 1) * 2) * ((x + 1) * 2)


def test_a_program_runs(platform):
    x, out = data()
    assert Chain(x, out) is out
    np.testing.assert_array_equal(out, expected(x))


@pl.jit.incore
def parts(x: pl.Tensor, low: pl.Out[pl.Tensor]):
    low[:] = pl.minimum(x, 0.0)
    return pl.mul(x, x), low, pl.maximum(x, 0.0)


@pl.jit
def rejoined(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    square, low, high = parts(x, pl.create_tensor(x.shape, x.dtype))
    again = scaled_up(high)
    out = joined(square, low, again, out)
    return out


@pl.jit.incore
def scaled_up(x: pl.Tensor):
    return pl.mul(x, 2.0)


@pl.jit.incore
def joined(a: pl.Tensor, b: pl.Tensor, c: pl.Tensor, out: pl.Out[pl.Tensor]):
    out[:] = pl.add(pl.add(a, b), c)
    return out


@pytest.mark.parametrize("name", ["a2a3sim", "a5sim"])
def test_one_answer_at_every_stage_and_in_the_emitted_code(name, tmp_path):
    x, _ = data()
    config = RunConfig(platform=name)
    square = x * x
    want = {
        "start": (Chain.entry, expected(x)),
        "rejoined": (rejoined, (square + np.minimum(x, 0)) + np.maximum(x, 0) * np.float32(2)),
    }
    sources = {}
    for entry, (function, answer) in want.items():
        for stage, program in stages(function, [x, np.zeros_like(x)], config):
            made = [x.copy(), np.zeros_like(x)]
            run_stage(program, made)
            np.testing.assert_array_equal(made[1], answer, err_msg=f"{entry} {stage}")
        sources[entry] = program.emit()
    library = Library(sources, tmp_path / "host")
    for entry, (_, answer) in want.items():
        made = [x.copy(), np.zeros_like(x)]
        assert not library.run(entry, entry, *made)
        np.testing.assert_array_equal(made[1], answer)


def test_what_a_program_offers():
    assert Chain.__doc__.startswith("A kernel of each type")
    assert Chain.entry is Chain.start and Chain.get_function("square") is Chain.square
    assert Chain.get_function("nothing") is None
    with pytest.raises(AttributeError, match="program 'Chain' has no function 'nothing'"):
        _ = Chain.nothing
    assert "func.func @start" in str(Chain) and "class Chain:" in Chain.as_python()
    with pytest.raises(pypto.UnsupportedFeatureError, match="is no program by itself"):
        Chain.square(*data())


def test_attributes_are_kept_and_printed():
    text = Chain.as_python()
    assert "@pl.function(type=pl.FunctionType.AIV)" in text
    final = Chain.lower(*data()).as_python()
    assert "@pl.function(type=pl.FunctionType.AIV)" in final and "pl.func_attr" in final
    assert (
        "pl.func_attr({'hot': True, 'order': 1, 'split': pl.SplitMode.NONE, 'stage': 'shift'})"
        in text
    )


def test_attributes_of_the_decorator_are_deprecated():
    with pytest.warns(DeprecationWarning, match="first statement"):
        decorate = pl.function(type=pl.FunctionType.Orchestration, attrs={"order": 2})

    @decorate
    def main(x: T, out: pl.Out[T]):
        with pl.at(level=pl.Level.CORE_GROUP):
            out[:] = pl.add(x, 1.0)
        return out

    assert "order = 2" in str(driver.specialise(main, (), {}).program)


def test_an_opaque_method_is_the_entry_of_a_program_without_another(platform):
    @pl.program
    class Whole:
        @pl.function
        def main(self, x: T, out: pl.Out[T]):
            with pl.at(level=pl.Level.CORE_GROUP):
                out[:] = pl.exp(x)
            return out

    x, out = data()
    Whole(x, out)
    np.testing.assert_allclose(out, np.exp(x), rtol=1e-6)


def test_methods_may_have_the_names_of_a_programs_own_attributes(platform):
    @pl.program
    class Names:
        @pl.function(type=pl.FunctionType.InCore)
        def compile(self, x: T, out: pl.Out[T]):
            out[:] = pl.add(x, x)
            return out

        @pl.function(type=pl.FunctionType.Orchestration)
        def entry(self, x: T, out: pl.Out[T]):
            out = self.compile(x, out)
            return out

    x, out = data()
    Names(x, out)
    np.testing.assert_array_equal(out, x + x)


# Opaque functions by themselves.


@pl.jit.opaque
def increment(x: T, out: pl.Out[T]):
    with pl.at(level=pl.Level.CORE_GROUP):
        out[:] = pl.add(x, 1.0)
    return out


@pl.jit
def twice_incremented(x: T, out: pl.Out[T]):
    middle = pl.create_tensor([16, 64], dtype=pl.FP32)
    middle = increment(x, middle)
    out = increment(middle, out)
    return out


def test_opaque_functions(platform):
    x, out = data()
    increment(x, out)
    np.testing.assert_array_equal(out, x + 1)
    twice_incremented(x, out)
    np.testing.assert_array_equal(out, x + 1 + 1)
    # Each call is a task of its own.
    assert str(twice_incremented.lower()).count("pto.block.dispatch") == 2


# Macros.


@pl.inline
def poly(t, coefficients, first=0):
    """Numbers, lists and tiles, none of them annotated."""
    result = pl.mul(t, coefficients[first])
    for at in pl.unroll(first + 1, len(coefficients)):
        result = pl.mul(pl.add(result, coefficients[at]), t)
    return result


@pl.inline
def load_all(x, kind):
    t = pl.load(x, [0, 0], [16, 64])
    return pl.cast(t, kind)


@pl.inline
def store_into(t, out):
    out = pl.store(t, [0, 0], out)


def test_macros(platform):
    @pl.jit.incore
    def kernel(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        t = load_all(x, kind=pl.FP32)
        store_into(poly(t, [2.0, 3.0, 4.0]), out)
        return out

    @pl.jit
    def entry(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = kernel(x, out)
        return out

    x = (np.arange(16 * 64) % 8).reshape(16, 64).astype(np.float16)
    out = np.zeros((16, 64), np.float32)
    entry(x, out)
    wide = x.astype(np.float32)
    np.testing.assert_array_equal(out, ((wide * 2 + 3) * wide + 4) * wide)
    assert isinstance(poly, pl.InlineFunction)


def test_a_macro_writes_the_callers_array(platform):
    @pl.inline
    def write(out, value):
        out = pl.add(value, 1.0)  # noqa: F841

    @pl.jit
    def entry(x: T, out: pl.Out[T]):
        with pl.at(level=pl.Level.CORE_GROUP):
            write(out, x)
        return out

    x, out = data()
    entry(x, out)
    np.testing.assert_array_equal(out, x + 1)


# What a kernel computes and returns.


def test_several_results_without_out(platform):
    @pl.jit.incore
    def both(x: pl.Tensor, scale: pl.Scalar[pl.FP32], low: pl.Out[pl.Tensor]):
        low[:] = pl.minimum(x, scale)
        square = pl.mul(x, x)
        return square, low, pl.neg(x), square

    @pl.jit
    def entry(x: pl.Tensor, scale: pl.Scalar[pl.FP32], low: pl.Out[pl.Tensor]):
        square, low, negative, again = both(x, scale, low)
        total, _, _, _ = both(again, scale, pl.create_tensor(x.shape, x.dtype))
        return square, low, negative, total

    x, low = data()
    square, same, negative, total = entry(x, 0.25, low)
    assert same is low
    np.testing.assert_array_equal(square, x * x)
    np.testing.assert_array_equal(low, np.minimum(x, np.float32(0.25)))
    np.testing.assert_array_equal(negative, -x)
    np.testing.assert_array_equal(total, (x * x) * (x * x))


def test_functional_style_in_a_loop(platform):
    @pl.jit.incore
    def step(x: T) -> T:
        return pl.mul(pl.add(x, 1.0), 0.5)

    @pl.jit
    def entry(x: T):
        y = step(x)
        for _ in pl.range(3):
            y = step(y)
        return y

    x, _ = data()
    want = x
    for _ in range(4):
        want = (want + np.float32(1)) * np.float32(0.5)
    np.testing.assert_array_equal(entry(x), want)


@pytest.mark.parametrize("kind", ["submit", "manual", "spmd"])
def test_tasks_whose_results_their_callers_make(kind, platform):
    @pl.jit.incore
    def square(x: T) -> T:
        return pl.mul(x, x)

    @pl.jit.incore
    def shift(x: T, out: pl.Out[T]):
        out[:] = pl.add(x, 1.0)
        return out

    @pl.jit
    def submit(x: T, out: pl.Out[T]):
        y, tid = pl.submit(square, x)
        out, _ = pl.submit(shift, y, out, deps=[tid])
        return out

    @pl.jit
    def manual(x: T, out: pl.Out[T]):
        with pl.manual_scope():
            y, tid = pl.submit(square, x)
            pl.submit(shift, y, out, deps=[tid])
        return out

    @pl.jit
    def spmd(x: T, out: pl.Out[T]):
        with pl.spmd(1):
            y = square(x)
        out = shift(y, out)
        return out

    x, out = data()
    {"submit": submit, "manual": manual, "spmd": spmd}[kind](x, out, config=RunConfig(schedules=4))
    np.testing.assert_array_equal(out, x * x + 1)


def test_a_cluster_whose_result_its_caller_makes(platform):
    square = pl.Tensor[[16, 16], pl.FP16]

    @pl.jit.incore
    def product(a: square, b: square) -> pl.Tensor[[16, 16], pl.FP32]:
        return pl.matmul(a, b)

    @pl.jit
    def entry(a: square, b: square):
        with pl.cluster():
            c = product(a, b)
        return c

    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, (16, 16)).astype(np.float16) for _ in range(2))
    np.testing.assert_array_equal(entry(a, b), a.astype(np.float32) @ b.astype(np.float32))


def test_what_a_kernel_returns_has_known_extents():
    M = pl.dynamic("M")

    @pl.jit.incore
    def kernel(x: pl.Tensor[[M, 64], pl.FP32]):
        return pl.mul(x, x)

    @pl.jit
    def entry(x: pl.Tensor[[M, 64], pl.FP32]):
        return kernel(x)

    with pytest.raises(pypto.CompileError, match="whose extents only its call knows"):
        entry(data()[0])


# Errors.

HEAD = """\
import pypto.language as pl

T = pl.Tensor[[16, 64], pl.FP32]

"""
CORE = (
    """\
@pl.jit
def main(x: T, out: pl.Out[T]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [16, 64])
        BODY
        pl.store(t, [0, 0], out)
    return out
"""
).replace("BODY", "{}")
METHODS = """\
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def copy(self, x: T, out: pl.Out[T]):
        out[:] = x
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: T, out: pl.Out[T]):
        {}
        return out
"""

WRONG = {
    "an option of pl.jit": ("§@pl.jit(auto_scop=True)\ndef main(): ...", "mean 'auto_scope'?"),
    "of pl.jit.incore": ("§@pl.jit.incore(levle=1)\ndef main(): ...", "mean 'level'?"),
    "of pl.program": ("§@pl.program(strict=True)\nclass P: ...", "mean 'strict_ssa'?"),
    "of pl.inline": ("§@pl.inline(level=1)\ndef main(): ...", "takes no options"),
    "a flag": ("§@pl.jit(auto_scope=1)\ndef main(): ...", "True or False, found 1"),
    "a type": ("§@pl.function(type=2)\ndef main(): ...", "a member of pl.FunctionType, found 2"),
    "a level": ("§@pl.jit.incore(level=2)\ndef main(): ...", "a member of pl.Level, found 2"),
    "a role": ("§@pl.function(role=1)\ndef main(): ...", "a member of pl.Role, found 1"),
    "attrs": ("§@pl.function(attrs=[1])\ndef main(): ...", "attrs= is a dict, found [1]"),
    "a level of another plane": (
        "§@pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP)\ndef main(): ...",
        "a function of type InCore runs on a core",
    ),
    "a level of another core": (
        "§@pl.function(type=pl.FunctionType.AIC, level=pl.Level.AIV)\ndef main(): ...",
        "a function of type AIC runs on a core, whose levels are pl.Level.AIC; found pl.Level.AIV",
    ),
    "a host": (
        "§@pl.function(level=pl.Level.HOST)\ndef main(): ...",
        "distributed chapter, which comes later",
    ),
    "a level above the chip": (
        "§@pl.function(level=pl.Level.GLOBAL)\ndef main(): ...",
        "starts the tasks of one chip, pl.Level.CHIP",
    ),
    "a level of what is spliced in": (
        "§@pl.function(type=pl.FunctionType.Inline, level=pl.Level.AIV)\ndef main(): ...",
        "an inline function runs where its caller does; leave level= out",
    ),
    "a role of what is spliced in": (
        "§@pl.function(type=pl.FunctionType.Inline, role=pl.Role.SubWorker)\ndef main(): ...",
        "an inline function runs where its caller does; leave role= out",
    ),
    "a role of another plane": (
        "§@pl.function(role=pl.Role.SubWorker)\ndef main(): ...",
        "so its role is pl.Role.Orchestrator, found pl.Role.SubWorker",
    ),
    "a group": (
        "§@pl.function(type=pl.FunctionType.Group)\ndef main(): ...",
        "write `with pl.cluster():`",
    ),
    "an external source": (
        "§@pl.function(external_source='k.cpp')\ndef main(): ...",
        "no C++, so that such a kernel could neither run nor be checked here",
    ),
    "extern": ("§@pl.jit.extern(source='k.cpp')\ndef main(): ...", "no C++"),
    "host": ("§@pl.jit.host\ndef main(): ...", "distributed chapter, which comes later"),
    "a method without decorator": (
        "@pl.program\nclass P:\n    §def helper(self): ...\n",
        "method 'helper' of program 'P' has no decorator",
    ),
    "a method that is not there": (
        METHODS.format("out = §self.cpoy(x, out)"),
        "program 'P' has no function 'cpoy'; it has copy, main; did you mean self.copy?",
    ),
    "func_attr later": (CORE.format("§pl.func_attr({'a': 1})"), "the first statement of a func"),
    "func_attr of no dict": ("@pl.jit\ndef main(x: T):\n    §pl.func_attr(1)\n", "takes one dict"),
    "func_attr of a list": (
        "@pl.jit\ndef main(x: T):\n    pl.func_attr({'a': §[1]})\n",
        "'a' is a number, a string",
    ),
    "func_attr of a name": (
        "@pl.jit\ndef main(x: T):\n    pl.func_attr({§1: 1})\n",
        "the name of an attribute is a string",
    ),
    "func_attr twice": (
        "@pl.jit\ndef main(x: T):\n    pl.func_attr({'a': 1, 'a': §2})\n",
        "'a' is given twice",
    ),
    "a split kernel": (
        "@pl.jit\ndef main(x: T):\n    pl.func_attr({'split': §pl.SplitMode.UP_DOWN})\n",
        "split between cube and vector cores are not supported yet",
    ),
    "func_attr of a macro": (
        "@pl.inline\ndef f(t):\n    §pl.func_attr({'a': 1})\n\n" + CORE.format("f(t)"),
        "nothing is left to have attributes",
    ),
    "a macro that changes a tile": (
        "@pl.inline\ndef f(t):\n    t[0, 0] = 1.0\n\n" + CORE.format("§f(t)"),
        "return the changed tile and bind it",
    ),
    "a macro that calls itself": (
        "@pl.inline\ndef f(t):\n    return §f(t)\n\n" + CORE.format("t = f(t)"),
        "macro 'f' calls itself",
    ),
    "an opaque function on a core": (
        "@pl.jit.opaque\ndef f(x: T, out: pl.Out[T]):\n    with pl.at(level=pl.Level.CORE_GROUP):\n"
        "        out[:] = x\n\n" + CORE.format("§f(x, out)"),
        "make it @pl.jit.inline",
    ),
    "an entry that is called": (
        "@pl.jit\ndef f(x: T, out: pl.Out[T]):\n    return out\n\n"
        "@pl.jit\ndef main(x: T, out: pl.Out[T]):\n    return §f(x, out)\n",
        "a program has one, which calls functions decorated with",
    ),
    "a vector operation on a cube core": (
        "@pl.function(type=pl.FunctionType.AIC)\ndef k(x: T, out: pl.Out[T]):\n"
        "    t = pl.load(x, [0, 0], [16, 64])\n    pl.store(§pl.exp(t), [0, 0], out)\n\n"
        "@pl.jit\ndef main(x: T, out: pl.Out[T]):\n    k(x, out)\n    return out\n",
        "runs on the vector core, but 'k' is declared for the cube core (AIC)",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name, load):
    marked, words = WRONG[name]
    before, _, after = (HEAD + marked).partition("§")
    with pytest.raises(pypto.CompileError, match=re.escape(words)) as caught:
        module = load(before + after)
        entry = module.P.entry if hasattr(module, "P") else module.main
        entry.lower()
    found = next(one for one in caught.value.diagnostics if words in one.message)
    assert found.line == before.count("\n") + 1
    column = len(before.rpartition("\n")[2])
    # Python counts a decorator from behind its @.
    assert found.column - 1 in (column, column + 1) and found.code


STRICT = """\
@pl.program(strict_ssa=True)
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: T, out: pl.Out[T]):
        t = pl.load(x, [0, 0], [16, 64])
        for i in pl.range(2):
            u = pl.add(t, 1.0)
            t = pl.mul(u, u)
        for i in pl.range(2):
            u = pl.add(t, 1.0)
        pl.store(t, [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: T, out: pl.Out[T], n: pl.Scalar[pl.INT32]):
        if n > 3:
            y = self.kernel(x, out)
        else:
            y = self.kernel(x, out)
        n += 1
        out = y
        return out
"""


def test_every_name_that_is_bound_twice(load):
    """Each of them in one run, with a note at the first binding. Names of a loop's body and of
    one arm are those of that block."""
    program = load(HEAD + STRICT).P
    with pytest.raises(pypto.CompileError) as caught:
        program.lower(n=pl.RUNTIME)
    found = {
        (one.line - HEAD.count("\n"), one.notes[0].line - HEAD.count("\n"))
        for one in caught.value.diagnostics
        if one.kind is SSAViolationError
    }
    assert found == {(8, 5), (20, 15), (21, 15)}


def test_strict_programs_that_are_right(platform):
    @pl.function(type=pl.FunctionType.Orchestration, strict_ssa=True)
    def power(x: T, out: pl.Out[T]):
        with pl.at(level=pl.Level.CORE_GROUP):
            start = pl.load(x, [0, 0], [16, 64])
            for _, (value,) in pl.range(3, init_values=(start,)):
                doubled = pl.add(value, value)
                (last,) = pl.yield_(doubled)
            pl.store(last, [0, 0], out)
        return out

    x, out = data()
    power(x, out)
    np.testing.assert_array_equal(out, x * 8)


CHAIN = """\
@pl.inline
def innermost(t):
    return pl.cast(t, pl.FP32)

@pl.jit.inline
def middle(x: T):
    return innermost(pl.mul(x, x))

@pl.jit.opaque
def outer(x: T, out: pl.Out[T]):
    with pl.at(level=pl.Level.CORE_GROUP):
        out[:] = middle(x)
        out[:] = pl.mul(x, missing)
    return out

@pl.jit
def main(x: T, out: pl.Out[T]):
    outer(x, out)
    return out
"""


def test_the_chain_of_calls_of_an_error(load):
    """Macro, inline function and opaque function; and the next error of the same run."""
    with pytest.raises(pypto.CompileError) as caught:
        load(HEAD + CHAIN).main.lower()
    first, second = caught.value.diagnostics
    lines = HEAD.count("\n")
    assert "converts FP32 to itself" in first.message and first.line == lines + 3
    assert [(note.message, note.line - lines) for note in first.notes] == [
        ("in 'innermost', called here", 7),
        ("in 'middle', called here", 12),
        ("in 'outer', called here", 18),
    ]
    assert "'missing' is not defined" in second.message
    assert [note.line - lines for note in second.notes] == [18]


DEEP = """\
@pl.inline
def innermost(t):
    return pl.move(t, target_memory=pl.Mem.Acc)

@pl.program
class P:
    @pl.inline
    def middle(self, x, first=0):
        return innermost(pl.load(x, [first, 0], [16, 64]))

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: T, out: pl.Out[T]):
        with pl.at(level=pl.Level.CORE_GROUP):
            pl.store(self.middle(x), [0, 0], out)
        return out
"""


def test_the_chain_of_calls_of_an_error_of_a_pass(load):
    """Through a macro that is a method."""
    with pytest.raises(pypto.CompileError, match="no path leads from Mat to Acc") as caught:
        load(HEAD + DEEP).P.lower()
    (found,) = caught.value.diagnostics
    lines = HEAD.count("\n")
    assert found.line == lines + 3
    calls = [(one.message, one.line - lines) for one in found.notes if "called here" in one.message]
    assert calls == [("in 'innermost', called here", 9), ("in 'middle', called here", 14)]


def test_a_macro_that_is_a_method(platform):
    @pl.program
    class Pairs:
        @pl.inline
        def both(self, t, by=2.0):
            return pl.mul(t, by), pl.add(t, by)

        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: T, out: pl.Out[T]):
            product, total = self.both(pl.load(x, [0, 0], [16, 64]))
            pl.store(pl.sub(product, total), [0, 0], out)
            return out

        @pl.function(type=pl.FunctionType.Orchestration)
        def start(self, x: T, out: pl.Out[T]):
            out = self.kernel(x, out)
            return out

    x, out = data()
    Pairs(x, out)
    np.testing.assert_array_equal(out, x * 2 - (x + 2))
    assert Pairs.name == "Pairs"


OTHERS = """\
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def called(self, x: T, out: pl.Out[T]):
        out[:] = pl.ad(x, x)
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def behind(self, x: T, out: pl.Out[T]):
        out[:] = pl.mul(x, y)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: T, out: pl.Out[T]):
        first = self.called(x, out)
        second = self.behind(x, missing)
        return out
"""


def test_the_errors_of_all_methods(load):
    """Also of one that nothing could call, because of an error in front of it."""
    with pytest.raises(pypto.CompileError) as caught:
        load(HEAD + OTHERS).P.lower()
    lines = sorted(one.line - HEAD.count("\n") for one in caught.value.diagnostics)
    assert lines == [5, 10, 16]


def test_no_warnings_without_attrs():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pl.function(type=pl.FunctionType.InCore)


# Annotations of what is returned.

RETURNS = {
    "an array": ("-> pl.Tensor[[16, 64], pl.FP32]", "return pl.mul(x, x)", ""),
    "a bare array": ("-> pl.Tensor", "return pl.mul(x, x)", ""),
    "a quoted one": ("-> 'pl.Tensor[[16, 64], pl.FP32]'", "return pl.mul(x, x)", ""),
    "two": ("-> tuple[T, T]", "return pl.mul(x, x), pl.add(x, x)", ""),
    "another shape": (
        "-> §pl.Tensor[[16, 32], pl.FP32]",
        "return pl.mul(x, x)",
        "declared to return [16, 32] FP32 array, and returns [16, 64] FP32 array",
    ),
    "another type": (
        "-> §pl.Tensor[[16, 64], pl.FP16]",
        "return pl.mul(x, x)",
        "declared to return [16, 64] FP16 array, and returns [16, 64] FP32 array",
    ),
    "another kind": ("-> §pl.Tile", "return pl.mul(x, x)", "to return pl.Tile, and returns [16"),
    "a scalar": (
        "-> §pl.Scalar[pl.INT32]",
        "return pl.mul(x, x)",
        "declared to return INT32 scalar, and returns",
    ),
    "one of two": (
        "-> tuple[T, §pl.Tensor[[8, 64], pl.FP32]]",
        "return pl.mul(x, x), pl.add(x, x)",
        "declared to return [8, 64] FP32 array, and returns [16, 64] FP32 array",
    ),
    "two of one": ("-> §T", "return x, x", "declared to return T, and returns a tuple of 2"),
    "three of two": (
        "-> §tuple[T, T, T]",
        "return pl.mul(x, x), pl.add(x, x)",
        "declared to return tuple[T, T, T], and returns a tuple of 2",
    ),
    "nothing": ("-> §T", "pass", "declared to return T, and returns nothing"),
    "something": ("-> §None", "return pl.mul(x, x)", "declared to return None, and returns [16"),
}


@pytest.mark.parametrize("kind", ["incore", "inline"])
@pytest.mark.parametrize("name", RETURNS)
def test_annotations_of_results(name, kind, load):
    arrow, body, words = RETURNS[name]
    call = (
        "y = f(x)"
        if kind == "incore"
        else ("with pl.at(level=pl.Level.CORE_GROUP):\n        f(x)\n        out[:] = x")
    )
    text = HEAD + (
        f"@pl.jit.{kind}\ndef f(x: T) {arrow}:\n    {body}\n\n"
        f"@pl.jit\ndef main(x: T, out: pl.Out[T]) -> T:\n    {call}\n    return out\n"
    )
    if kind == "incore":
        text = text.replace(
            "    return out",
            "    with pl.at(level=pl.Level.CORE_GROUP):\n        out[:] = x\n    return out",
        )
    before, _, after = text.partition("§")
    main = load(before + after).main
    if not words:
        x, out = data()
        main(x, out)
        np.testing.assert_array_equal(out, x)
        return
    with pytest.raises(pypto.CompileError, match=re.escape(words)) as caught:
        main.lower()
    (found,) = [one for one in caught.value.diagnostics if words in one.message]
    column = len(before.rpartition("\n")[2]) + 1
    assert (found.line, found.column) == (before.count("\n") + 1, column)
    assert found.code == "PTO-1214"


def test_annotations_of_an_entrys_results():
    rows = 16

    @pl.jit
    def entry(x: T) -> tuple[pl.Tensor[[rows, 64], pl.FP32], T]:
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.add(x, 1.0)
        return y, y

    x, _ = data()
    np.testing.assert_array_equal(entry(x)[0], x + 1)

    @pl.jit
    def wrong(x: T) -> tuple[pl.Tensor[[rows + 1, 64], pl.FP32], T]:
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.add(x, 1.0)
        return y, y

    with pytest.raises(pypto.CompileError, match=r"declared to return \[17, 64\] FP32 array"):
        wrong(x)
