# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Wrong functions and programs: each error at its place, with the calls on the way to it."""

import re

import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.diagnostics.errors import SSAViolationError

T = pl.Tensor[[16, 64], pl.FP32]


def data(seed=0):
    x = np.random.default_rng(seed).standard_normal((16, 64)).astype(np.float32)
    return x, np.zeros_like(x)


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


AT_CALLS = {
    "two entries": (
        "§@pl.program\nclass P:\n"
        + "".join(
            "    @pl.function(type=pl.FunctionType.Orchestration)\n"
            f"    def {name}(self, x: T): ...\n"
            for name in ("first", "second")
        ),
        "has one method of type pl.FunctionType.Orchestration, found first, second",
    ),
    "no entry": ("§@pl.program\nclass P:\n    pass\n", "found none"),
    "no class": ("§@pl.program\ndef P(): pass\n", "@pl.program decorates a class"),
    "two programs": (
        METHODS.format("pass") + "§pl.program(type('Q', (), {'main': P.main}))\n",
        "'main' is a method of program 'P' already",
    ),
    "twice": ("§@pl.jit\n@pl.jit\ndef f(x: T): ...\n", "'f' is decorated twice"),
    "no function": ("§pl.jit(3)\n", "a function is decorated, not int"),
    "a kernel that is called": (
        "@pl.jit.incore\ndef f(x: T): ...\n§f(1)\n",
        "'f' is a @pl.jit.incore function, which is no program by itself",
    ),
    "a macro that is called": (
        "@pl.inline\ndef f(x): ...\n§f(1)\n",
        "'f' is a @pl.inline function, which is no program by itself",
    ),
    "an option of ir.compile": (
        "from pypto import ir\n§ir.compile(None, distributed_config=1)\n",
        "the distributed chapter comes later",
    ),
    "two chips": (
        "from pypto import ir\n"
        "§ir.compile(None, platform='a5sim', backend_type=ir.BackendType.Ascend910B)\n",
        "is the Ascend 910B, and platform 'a5sim' the Ascend 950",
    ),
}


@pytest.mark.parametrize("name", AT_CALLS)
def test_what_python_runs_is_refused_where_it_stands(name, load):
    marked, words = AT_CALLS[name]
    before, _, after = (HEAD + marked).partition("§")
    with pytest.raises(pypto.CompileError, match=re.escape(words)) as caught:
        load(before + after)
    (found,) = caught.value.diagnostics
    assert found.line == before.count("\n") + 1 and found.file.endswith(".py") and found.code
    assert found.column in (1, 2)  # Python counts a decorator from behind its @
