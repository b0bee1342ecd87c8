# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pl.parse` and `pl.loads`: programs from text, of which nothing runs; and the names of the
distributed chapter, which comes later."""

import re
import sys
import types
import warnings

import numpy as np
import pypto
import pypto.language as pl
import pypto.language.distributed as pld
import pytest
from fuzz_mutate import mutate_python
from pypto import ir
from pypto.tools import operations

CLASS = '''\
"""A text as a file has it."""
from __future__ import annotations
import math
import pypto.language as pl
from pypto.language import FP32 as F

ROWS, COLS = 16, 8 * 8
SHAPE = [ROWS, COLS]
T = pl.Tensor[SHAPE, F]
KINDS = (F, pl.BF16)
LOW: int = min(2**4, len(KINDS), abs(-5)) - 1
HALF = -(1 / 2) + round(math.sqrt(float(sum([1, 0]))), 0)
PAD = math.inf
MODES = {"order": 3}


@pl.inline
def scaled(t, by=HALF):
    """A macro with a default from the text."""
    return pl.mul(t, by)


@pl.program
class Scaling:
    """Adds, and halves."""

    @pl.function(type=pl.FunctionType.InCore, attrs=MODES)
    def kernel(self, x: T, out: pl.Out[T]):
        out[:] = scaled(pl.add(x, float(LOW)))
        return out

    @pl.function(type=pl.FunctionType.Orchestration, strict_ssa=True)
    def main(self, x: T, out: pl.Out[pl.Tensor[[ROWS, SHAPE[1]], KINDS[0]]]):
        result = self.kernel(x, out)
        return result
'''

FUNCTIONS = """\
import pypto.language as pl

M = pl.dynamic("M")


@pl.jit.incore
def double(x: pl.Tensor[[M, 64], pl.FP32], out: pl.Out[pl.Tensor[[M, 64], pl.FP32]]):
    for row in pl.range(0, x.shape[0], 16):
        rows = pl.min(x.shape[0] - row, 16)
        t = pl.load(x, [row, 0], [16, 64], valid_shape=[rows, 64])
        pl.store(pl.add(t, t), [row, 0], out)
    return out


@pl.jit
def entry(
    x: pl.Tensor[[M, 64], pl.FP32], out: pl.Out[pl.Tensor[[M, 64], pl.FP32]]
):
    out = double(x, out)
    return out
"""


def data(rows=16):
    x = np.random.default_rng(rows).standard_normal((rows, 64)).astype(np.float32)
    return x, np.zeros_like(x)


def test_a_class(platform):
    with pytest.warns(DeprecationWarning, match="attrs"):
        program = pl.parse(CLASS)
    assert program.__name__ == "Scaling" and program.__doc__ == "Adds, and halves."
    assert program.main.__qualname__ == "Scaling.main"
    x, out = data()
    assert program(x, out) is out
    np.testing.assert_array_equal(out, (x + 1) * np.float32(0.5))
    out[:] = 0
    ir.compile(program)(x, out)
    np.testing.assert_array_equal(out, (x + 1) * np.float32(0.5))
    assert "pl.func_attr({'order': 3})" in program.as_python()


def test_functions(platform):
    entry = pl.parse(FUNCTIONS)
    assert isinstance(entry, pl.JITFunction) and entry.__name__ == "entry"
    for rows in (16, 21):
        x, out = data(rows)
        entry(x, out)
        np.testing.assert_array_equal(out, x + x)


def test_one_function_may_be_any():
    text = FUNCTIONS.partition("\n\n@pl.jit\n")[0]
    assert pl.parse(text).kind == "in_core"


def test_a_file(tmp_path, platform):
    path = tmp_path / "scaling.py"
    path.write_text(FUNCTIONS.replace("pl.add(t, t)", "pl.ad(t, t)"))
    with pytest.raises(pypto.CompileError, match="did you mean pl.add") as caught:
        pl.loads(path).lower()
    found = caught.value.diagnostics[0]
    assert (found.file, found.line) == (str(path), 11)
    path.write_text(FUNCTIONS)
    x, out = data()
    pl.loads(str(path))(x, out)
    np.testing.assert_array_equal(out, x + x)
    with pytest.raises(FileNotFoundError):
        pl.loads(tmp_path / "nothing.py")


def test_texts_do_not_mix():
    """Two of one name, of which the errors show the lines of their own."""
    texts = [FUNCTIONS.replace("pl.add(t, t)", f"pl.wrong{n}(t, t)") for n in range(2)]
    entries = [pl.parse(text) for text in texts]
    for number, entry in enumerate(entries):
        with pytest.raises(pypto.CompileError) as caught:
            entry.lower()
        assert f"pl.store(pl.wrong{number}(t, t), [row, 0], out)" in str(caught.value)
        assert caught.value.diagnostics[0].file.startswith("<string ")


def test_deprecated_names(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(FUNCTIONS)
    with pytest.warns(DeprecationWarning, match="use pl.parse"):
        assert pl.parse_program(FUNCTIONS).__name__ == "entry"
    with pytest.warns(DeprecationWarning, match="use pl.loads"):
        assert pl.loads_program(path).__name__ == "entry"
    assert pl.parser.parse is pl.parse and pl.parser.loads is pl.loads


@pytest.mark.parametrize("form", ["import pypto.language", "from pypto import language"])
def test_other_ways_to_import(form, platform):
    name = form.removeprefix("import ").removeprefix("from pypto import ")
    text = FUNCTIONS.replace("import pypto.language as pl", form)
    x, out = data()
    pl.parse(re.sub(r"\bpl\.", name + ".", text))(x, out)
    np.testing.assert_array_equal(out, x + x)


@pytest.mark.parametrize("before", ["", "\n  \n"])
def test_what_as_python_printed_goes_to_its_reader(before, monkeypatch):
    """With the name of the file; other texts do not."""
    reader = types.ModuleType("pypto.ir.reader")
    reader.read = lambda text, file: (text, file)
    monkeypatch.setitem(sys.modules, "pypto.ir.reader", reader)
    monkeypatch.setattr(ir, "reader", reader, raising=False)
    text = before + "# pypto.program: Scaling\n" + CLASS
    assert pl.parse(text, "printed.py") == (text, "printed.py")
    assert pl.parse("# A comment.\n" + FUNCTIONS).__name__ == "entry"


# Errors.

HEAD = "import pypto.language as pl\nT = pl.Tensor[[16, 64], pl.FP32]\n"
MAIN = "\n@pl.jit\ndef main(x: T, out: pl.Out[T]):\n    return out\n"
WRONG = {
    "an import": ("§import os\n" + MAIN, "found 'import os'"),
    "a star": ("§from pypto.language import *\n" + MAIN, "imports pypto.language and math"),
    "a relative import": ("§from .language import FP32\n" + MAIN, "imports pypto.language and"),
    "an import of what is not there": (
        "§from pypto.language import loda\n" + MAIN,
        "pl has no 'loda'; did you mean pl.load?",
    ),
    "code": ("§for i in [1]:\n    pass\n" + MAIN, "is not run: it holds imports"),
    "a call": ("§print(1)\n" + MAIN, "is not run: it holds imports"),
    "a call in a constant": ("x = §open('/etc/passwd')\n" + MAIN, "'open' is not defined"),
    "an attribute of Python": ("x = §pl.jit.__class__\n" + MAIN, "is no constant"),
    "a module behind the language": ("x = §pl.parser.os.getcwd()\n" + MAIN, "is no constant"),
    "a method": ("x = §[1].index\n" + MAIN, "is no constant"),
    "a comprehension": ("x = §[i for i in 'ab']\n" + MAIN, "is no constant; constants are"),
    "a condition": ("x = §1 if True else 2\n" + MAIN, "is no constant"),
    "a call of the language": ("x = §pl.add(1, 2)\n" + MAIN, "'pl.add(1, 2)' is no constant"),
    "a long list": ("x = §[0] * 10**9\n" + MAIN, "is no constant"),
    "a long string": ("x = §'a' * 10**9\n" + MAIN, "is no constant"),
    "a large number": ("x = §2**10**9\n" + MAIN, "a constant of 2000000000 bits"),
    "a large shift": ("x = §1 << 10**9\n" + MAIN, "a constant of 1000000000 bits"),
    "a division": ("x = §1 // 0\n" + MAIN, "cannot compute '1 // 0'"),
    "a name": ("x = §y\n" + MAIN, "name 'y' is not defined"),
    "a target": ("§T.x = 1\n" + MAIN, "a constant has a name, found 'T.x'"),
    "too few names": ("§a, b = 1, 2, 3\n" + MAIN, "a constant has a name, found '(a, b)'"),
    "an index": ("x = §[1, 2][2]\n" + MAIN, "index 2 is beyond the 2 elements"),
    "an argument of pl.dynamic": ("M = §pl.dynamic(3)\n" + MAIN, "pl.dynamic takes a name"),
    "no decorator": ("§def helper(): pass\n" + MAIN, "'helper' has no decorator, and Python"),
    "two decorators": ("@pl.jit\n@§pl.jit\ndef main(): pass\n", "'main' is decorated twice"),
    "another decorator": ("@§pl.add\ndef main(): pass\n", "is no decorator of the language"),
    "an option": ("@§pl.jit(auto_scop=True)\ndef main(): pass\n", "mean 'auto_scope'?"),
    "an option without name": ("@§pl.jit(True)\ndef main(): pass\n", "its options have names"),
    "extern": ("@§pl.jit.extern(source='k.cpp')\ndef main(): ...\n", "and no C++"),
    "an async function": ("@pl.jit\n§async def main(): pass\n", "'main' is an async function"),
    "a class": ("§class A: pass\n" + MAIN, "stands under @pl.program and has no bases"),
    "a base": ("@pl.program\n§class A(T): pass\n" + MAIN, "stands under @pl.program and has"),
    "a statement of a class": (
        "@pl.program\nclass A:\n    §x = 1\n" + MAIN,
        "a program holds functions, found 'x = 1'",
    ),
    "a program without entry": ("@§pl.program\nclass A:\n    pass\n", "found none"),
    "two entries": (MAIN + MAIN.replace("def main", "§def other"), "found main, other"),
    "no function": ("§x = 1", "one function that is an entry (@pl.jit), found none"),
    "no Python": ("x = (§\n", "the text is no Python: '(' was never closed"),
    "a name of the distributed chapter": (
        "import pypto.language.distributed as pld\nD = §pld.DistributedTensor\n" + MAIN,
        "the distributed chapter comes later",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name):
    marked, words = WRONG[name]
    before, _, after = (HEAD + marked).partition("§")
    with pytest.raises(pypto.CompileError) as caught:
        pl.parse(before + after, "text.py")
    found = next(one for one in caught.value.diagnostics if words in one.message)
    assert (found.file, found.line) == ("text.py", before.count("\n") + 1) and found.code
    column = len(before.rpartition("\n")[2]) + 1
    assert found.column in (column, column - 1)


def test_several_errors_in_one_run():
    text = HEAD + "import os\nx = y\n@pl.jt\ndef main(): pass\n"
    with pytest.raises(pypto.CompileError) as caught:
        pl.parse(text)
    assert [one.line for one in caught.value.diagnostics] == [3, 4, 5]


def test_nothing_of_a_text_runs(tmp_path):
    """Not its constants, decorators, annotations, defaults or bodies."""
    mark = tmp_path / "ran"
    evil = f"__import__('pathlib').Path({str(mark)!r}).touch()"
    for text in (
        f"x = {evil}\n{MAIN}",
        f"@{evil}\ndef main(): pass\n",
        f"@pl.jit(auto_scope={evil})\ndef main(): pass\n",
        f"@pl.jit\ndef main(x: {evil}): pass\n",
        f"@pl.jit\ndef main(x: T = {evil}, *, y: T = {evil}) -> {evil}: pass\n",
        f"@pl.jit\ndef main(x: T):\n    {evil}\n",
        f"@pl.program\nclass P:\n    {evil}\n",
        f"@pl.inline\ndef m(x={evil}): return x\n@pl.jit\ndef main(x: T):\n    m()\n",
    ):
        with pytest.raises(pypto.CompileError):
            pl.parse(HEAD + text).lower()
    assert not mark.exists()


def test_changed_texts_are_programs_or_errors():
    """Every error has a place in the text, and a code."""
    texts = (CLASS, FUNCTIONS)
    right = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(200):
            changed = mutate_python(texts[seed % 2], seed)
            try:
                program = pl.parse(changed, "changed.py")
                getattr(program, "entry", program).lower()
                right += 1
            except pypto.CompileError as error:
                for found in error.diagnostics:
                    whole = "is no Python" in found.message
                    assert found.code and (found.file == "changed.py" or whole), found.message
    assert right > 10


def test_what_is_no_text():
    with pytest.raises(TypeError, match="takes the text of a program, found int"):
        pl.parse(3)
    for text in ("\0", "(" * 5000):
        with pytest.raises(pypto.CompileError, match="is no Python"):
            pl.parse(text)


# The distributed chapter.

PATHS = operations.distributed_paths()
KERNEL = """\
import pypto.language as pl
import pypto.language.distributed as pld
T = pl.Tensor[[16, 64], pl.FP32]

@pl.jit
def entry(x: T, out: pl.Out[T]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = {}
        out[:] = x
    return out
"""


def test_the_exports_of_the_distributed_chapter():
    assert len(pld.NAMES) == 18 == len(set(dir(pld)))
    with pytest.raises(AttributeError, match="pld has no 'rnak'; did you mean pld.rank?"):
        _ = pld.rnak
    with pytest.raises(AttributeError, match="did you mean pld.tensor.allreduce?"):
        _ = pld.tensor.all_reduce


@pytest.mark.parametrize("path", PATHS)
def test_a_name_of_the_distributed_chapter(path, load):
    words = re.escape(path) + " is not supported yet: the distributed chapter comes later"
    with pytest.raises(pypto.UnsupportedFeatureError, match=words) as caught:
        eval(path)
    assert caught.value.diagnostics[0].line == 1
    with pytest.raises(pypto.UnsupportedFeatureError, match=words) as caught:
        load(KERNEL.format(f"{path}(x)")).entry.lower()
    assert (caught.value.diagnostics[0].line, caught.value.diagnostics[0].column) == (8, 13)


def test_imports_and_devices(load):
    with pytest.raises(pypto.UnsupportedFeatureError, match="distributed chapter comes later"):
        load("from pypto.language.distributed import nranks\n")
    text = KERNEL.partition("@pl.jit")[0] + (
        "\n@pl.jit.incore\ndef chip(x: T, out: pl.Out[T]):\n    out[:] = x\n\n@pl.jit\n"
        "def entry(x: T, out: pl.Out[T]):\n    chip(x, out, device=1)\n    return out\n"
    )
    with pytest.raises(pypto.UnsupportedFeatureError, match="device=.*distributed chapter"):
        load(text).entry.lower()
