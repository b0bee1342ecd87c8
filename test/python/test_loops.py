# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Loops of kernels against Python's own: each body runs as a kernel, through every pass, on
both chips and as C++, and as the function that it is, with `numpy_language` as its `pl`.
"""

import re
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy_language  # noqa: E402
import pypto  # noqa: E402
import pypto.language as pl  # noqa: E402
from ascendc_harness import Library  # noqa: E402
from pypto.ir.program import Passes  # noqa: E402
from pypto.runtime import RunConfig  # noqa: E402

ROWS, COLS = 8, 64
HEAD = """\
import pypto.language as pl

ARRAY = pl.Tensor[[8, 64], pl.FP32]
N = pl.Scalar[pl.INDEX]

"""
NUMBERS = (0, 1, 2, 5, 9)

# Each gives `acc`, from the tile t and the number n.
BODIES = {
    "while": "acc, i = t, 0\nwhile i < n:\n    acc = pl.add(acc, float(i))\n    i += 2",
    "a while loop that ends by break": """
        acc, i = t, 0
        while True:
            if i >= n:
                break
            i += 1
            acc = pl.add(acc, t)
    """,
    "continue": """
        acc, i = t, 0
        while i < n:
            i += 1
            if i % 3 == 0:
                continue
            acc = pl.add(acc, float(i))
    """,
    "break in a branch of a branch": """
        acc = t
        for i in pl.range(n):
            if i > 1:
                acc = pl.add(acc, 1.0)
                if i == 4:
                    acc = pl.mul(acc, 2.0)
                    break
                acc = pl.add(acc, 2.0)
            else:
                if i == 1:
                    continue
            acc = pl.add(acc, 4.0)
    """,
    "what an arm that goes on does not bind": """
        acc = t
        for i in pl.range(n):
            if i < 3:
                if i == 1:
                    continue
                u = pl.mul(t, 2.0)
                k = i
            else:
                u = pl.mul(t, 3.0)
                k = 7
            acc = pl.add(pl.add(acc, u), float(k))
    """,
    "break out of the inner loop": """
        acc = t
        for i in pl.range(n):
            for j in pl.range(5):
                if j > i:
                    break
                if j == 2:
                    continue
                acc = pl.add(acc, float(j))
            acc = pl.add(acc, 0.5)
    """,
    "both loops are left": """
        acc, found = t, 0
        for i in pl.range(n):
            for j in pl.range(i, -1, -1):
                if i * j == 6:
                    found = i
                    break
                acc = pl.add(acc, float(j))
            if found > 0:
                break
    """,
    "an unconditional break": """
        acc = t
        for i in pl.range(n):
            acc = pl.add(acc, 1.0)
            break
    """,
    "a step that is negative": """
        acc = t
        for i in pl.range(n, 0, -2):
            acc = pl.add(acc, float(i))
    """,
    "a step of run time": """
        acc = t
        step = 3 - n
        for i in pl.range(2 * step, 11, step):
            acc = pl.sub(pl.mul(acc, 2.0), float(i))
            if i > 20:
                break
    """,
    "swapping": """
        acc, u = t, pl.add(t, 1.0)
        for i in pl.range(n):
            acc, u = u, pl.add(acc, u)
            if i == 6:
                break
    """,
    "swapping scalars": """
        acc, a, b = t, 0, 1
        while a < n:
            a, b = b, a + b
            acc = pl.add(acc, float(a))
    """,
    "init_values": """
        a, k = t, 0
        for i, (a, k) in pl.range(n, init_values=(a, k)):
            a = pl.add(a, float(k))
            a, k = pl.yield_(a, k + i)
        acc = pl.add(a, float(k))
    """,
    "init_values of other names": """
        u, k = t, 1
        for i, (a, b) in pl.range(n, init_values=(u, k)):
            u, k = pl.yield_(pl.add(a, float(b)), b + i)
        acc = pl.mul(u, float(k))
    """,
    "pl.while_": """
        k, acc = 1, t
        for k, acc in pl.while_(init_values=(k, acc)):
            pl.cond(k < n)
            k, acc = pl.yield_(k * 2, pl.add(acc, float(k)))
    """,
    "pl.yield_ in branches": """
        acc = t
        for i in pl.range(n):
            if i % 2 == 0:
                u, k = pl.yield_(pl.add(t, 1.0), i)
            else:
                u, k = pl.yield_(pl.mul(t, 2.0), 1)
            acc = pl.add(pl.add(acc, u), float(k))
    """,
    "unroll": """
        acc = t
        factors = [2, 3, 5, 7]
        for i in pl.unroll(1, 4):
            acc = pl.add(acc, factors[i])
            if i == 2:
                acc = pl.mul(acc, float(n))
    """,
    "unroll down": """
        acc = t
        for i in pl.unroll(3, -2, -2):
            acc = pl.add(pl.mul(acc, 2.0), float(i))
    """,
    "parallel": "acc = t\nfor i in pl.parallel(n):\n    acc = pl.add(acc, float(i))",
    "pipeline": "acc = t\nfor i in pl.pipeline(n, stage=1):\n    acc = pl.add(acc, float(i))",
    "a conditional expression of tiles": """
        acc = t
        for i in pl.range(n):
            acc = pl.add(acc, 1.0) if i % 2 == 0 else pl.mul(acc, 2.0)
    """,
    "and, or": """
        acc, i = t, 0
        while i < 20 and (i < n or n % 2 == 1):
            i += 1
            if n > 0 and 12 // n < i and not (i == 2 or i == 3):
                acc = pl.add(acc, float(i))
            else:
                acc = pl.sub(acc, 1.0)
    """,
    "elif": """
        acc = t
        for i in pl.range(n):
            if i == 0:
                continue
            elif i == 1:
                acc = pl.add(acc, 10.0)
            elif i == 6:
                break
            else:
                acc = pl.add(acc, float(i))
            acc = pl.mul(acc, 2.0)
    """,
}


def text_of(body, twin=False):
    """A program around a body; `twin`: for Python itself."""
    body = textwrap.dedent(body).strip("\n")
    if twin:
        cond = re.compile(r"^( *)pl\.cond\((.*)\)$", re.MULTILINE)
        body = cond.sub(r"\1if not (\2): break", body)
    kernel = (
        "def kernel(x: ARRAY, out: pl.Out[ARRAY], n: N):\n    t = pl.load(x, [0, 0], [8, 64])\n"
    )
    entry = "def entry(x: ARRAY, out: pl.Out[ARRAY], n: N):\n    out = kernel(x, out, n)\n"
    body = textwrap.indent(body, "    ")
    end = "\n    pl.store(acc, [0, 0], out)\n    return out\n\n"
    head = "" if twin else HEAD
    return f"{head}@pl.jit.incore\n{kernel}{body}{end}@pl.jit\n{entry}    return out\n"


def arguments():
    rng = np.random.default_rng(3)
    x = rng.integers(-8, 8, (ROWS, COLS)).astype(np.float32)
    return x, np.full((ROWS, COLS), 77, np.float32)


def of_python(body, n):
    scope = {"pl": numpy_language, "ARRAY": numpy_language.Tensor, "N": None}
    exec(compile(text_of(body, twin=True), "<twin>", "exec"), scope)  # noqa: S102
    x, out = arguments()
    scope["kernel"](x, out, n)
    return out


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("chip", ["a2a3sim", "a5sim"])
def test_a_loop_does_what_pythons_does(name, chip, load):
    body = BODIES[name]
    x, out = arguments()
    compiled = load(text_of(body)).entry.compile(
        x, out, pl.RUNTIME, config=RunConfig(platform=chip)
    )
    for n in NUMBERS:
        x, out = arguments()
        compiled(x, out, n)
        assert np.array_equal(out, of_python(body, n)), f"n = {n}"
    for n in (1, 9):
        compiled.check_passes(*arguments(), n)


@pytest.mark.parametrize("chip", ["a2a3sim", "a5sim"])
def test_loops_as_cpp(chip, load, tmp_path):
    sources = {}
    for number, body in enumerate(BODIES.values()):
        config = RunConfig(platform=chip)
        compiled = load(text_of(body)).entry.compile(*arguments(), pl.RUNTIME, config=config)
        program = compiled.program
        for step in Passes.pipeline(config.target).single():
            program = program.after(step)
        sources[str(number)] = program.emit()
    library = Library(sources, tmp_path / "host")
    for number, body in enumerate(BODIES.values()):
        for n in NUMBERS:
            x, out = arguments()
            assert not library.run(str(number), "entry", x, out, n)
            assert np.array_equal(out, of_python(body, n)), f"{body}, n = {n}"


def test_a_step_of_run_time_that_is_zero(load):
    compiled = load(text_of(BODIES["a step of run time"])).entry.compile(*arguments(), pl.RUNTIME)
    with pytest.raises(pypto.RunError, match="the step of pl.range is 0"):
        compiled(*arguments(), 3)


def test_arrays_are_carried(load):
    """At tensor level, with writes in the loop."""
    text = HEAD + textwrap.dedent(
        """
        @pl.jit.incore
        def kernel(x: ARRAY, out: pl.Out[ARRAY], n: N):
            acc, u, i = pl.mul(x, 1.0), pl.add(x, 1.0), 0
            while i < n:
                i += 1
                acc, u = u, pl.add(acc, u)
                if i == 4:
                    out[:] = acc
                    break
                out[:] = u
            return out

        @pl.jit
        def entry(x: ARRAY, out: pl.Out[ARRAY], n: N):
            out = kernel(x, out, n)
            return out
        """
    )
    compiled = load(text).entry.compile(*arguments(), pl.RUNTIME)
    for n in NUMBERS[1:]:
        x, out = arguments()
        acc, u = x, x + 1
        for i in range(1, n + 1):
            acc, u = u, acc + u
            want = acc if i == 4 else u
            if i == 4:
                break
        compiled(x, out, n)
        assert np.array_equal(out, want)
        compiled.check_passes(*arguments(), n)


def test_a_loop_prints_while_it_compiles(load, capsys):
    body = """
        acc = t
        for i in pl.unroll(3):
            pl.static_print(i, 'of', 3)
            acc = pl.add(acc, float(i))
    """
    load(text_of(body)).entry.compile(*arguments(), pl.RUNTIME)
    assert capsys.readouterr().out == "0 of 3\n1 of 3\n2 of 3\n"


REGIONS = """
@pl.jit.inline
def steps(t: ARRAY, out: pl.Out[ARRAY], n: N):
    acc, i = pl.mul(t, 1.0), 0
    while True:
        if i >= n:
            break
        i += 1
        if i == 2:
            continue
        acc = pl.add(acc, 1.0)
    out[:] = acc


@pl.jit
def placed(x: ARRAY, out: pl.Out[ARRAY], n: N):
    with pl.at(level=pl.Level.CORE_GROUP):
        t, i = pl.load(x, [0, 0], [8, 64]), n
        while i > 0:
            i = i - 2
            t = pl.add(t, 1.0)
            if i == 3:
                break
        pl.store(t, [0, 0], out)
    return out


@pl.jit
def inlined(x: ARRAY, out: pl.Out[ARRAY], n: N):
    with pl.at(level=pl.Level.CORE_GROUP):
        steps(x, out, n)
    return out


@pl.jit
def blocks(x: ARRAY, out: pl.Out[ARRAY], n: N):
    for b in pl.spmd(4):
        t = pl.load(x, [b * 2, 0], [2, 64])
        for i in pl.range(n):
            if i > b:
                break
            t = pl.add(t, 1.0)
        pl.store(t, [b * 2, 0], out)
    return out


@pl.jit
def written(x: ARRAY, out: pl.Out[ARRAY], n: N):
    with pl.at(level=pl.Level.CORE_GROUP):
        for i in pl.range(n):
            out[:] = pl.add(x, float(i))
            if i == 3:
                break
    return out
"""
ADDED = {
    "placed": lambda n: np.full(4, {1: 1, 5: 1, 7: 2, 8: 4}[n]),
    "inlined": lambda n: np.full(4, n - (n > 1)),
    "blocks": lambda n: np.minimum(np.arange(4) + 1, n),
    "written": lambda n: np.full(4, min(n - 1, 3)),
}


@pytest.mark.parametrize("name", ADDED)
def test_loops_of_placed_regions(name, load):
    """In a region on the control plane, in an inline function, on several blocks."""
    compiled = getattr(load(HEAD + REGIONS), name).compile(*arguments(), pl.RUNTIME)
    for n in (1, 5, 7, 8):
        x, out = arguments()
        compiled(x, out, n)
        assert np.array_equal(out, x + ADDED[name](n).repeat(2)[:, None])
        compiled.check_passes(*arguments(), n)


CONTROL = """
@pl.jit.incore
def add(x: ARRAY, out: pl.Out[ARRAY], n: N):
    pl.store(pl.add(pl.load(x, [0, 0], [8, 64]), float(n)), [0, 0], out)
    return out


@pl.jit
def swapped(x: ARRAY, out: pl.Out[ARRAY], n: N):
    a, b = pl.create_tensor([8, 64], pl.FP32), pl.create_tensor([8, 64], pl.FP32)
    add(x, a, 0)
    i = 0
    while i < n:
        add(a, b, i)
        a, b = b, a
        i += 1
    out = add(a, out, 0)
    return out


@pl.jit
def until(x: ARRAY, out: pl.Out[ARRAY], n: N):
    a, i = pl.create_tensor([8, 64], pl.FP32), 0
    add(x, a, 0)
    while i < 9 and a[0, 0] < 10.0:
        b = pl.create_tensor([8, 64], pl.FP32)
        add(a, b, n)
        add(b, a, 1)
        i += 1
    out = add(a, out, 0)
    return out


@pl.jit
def handed(x: ARRAY, out: pl.Out[ARRAY], n: N):
    for k, total in pl.while_(init_values=(1, 0)):
        pl.cond(k < n)
        k, total = pl.yield_(k * 2, total + k)
    out = add(x, out, total)
    return out
"""


def steps_until(x, n):
    first, steps = x[0, 0], 0
    while steps < 9 and first + steps * (n + 1) < 10:
        steps += 1
    return steps * (n + 1)


MEANT = {
    "swapped": lambda x, n: n * (n - 1) / 2,
    "until": steps_until,
    "handed": lambda x, n: {0: 0, 1: 0, 2: 1, 5: 7, 9: 15}[n],
}


@pytest.mark.parametrize("name", MEANT)
def test_while_on_the_control_plane(name, load, tmp_path):
    compiled = getattr(load(HEAD + CONTROL), name).compile(*arguments(), pl.RUNTIME)
    program = compiled.program
    for step in Passes.pipeline("910B").single():
        program = program.after(step)
    library = Library({"entry": program.emit()}, tmp_path / "host")
    for n in NUMBERS:
        x, out = arguments()
        want = x + np.float32(MEANT[name](x, n))
        compiled(x, out, n)
        assert np.array_equal(out, want)
        compiled.check_passes(*arguments(), n)
        out[:] = 77
        assert not library.run("entry", name, x, out, n)
        assert np.array_equal(out, want)


COMPUTED = """
@pl.jit.incore
def carried(x: ARRAY, out: pl.Out[ARRAY], n: N):
    acc = x
    for i in pl.range(n):
        acc = pl.add(acc, 1.0)
    out[:] = acc
    return out


@pl.jit.incore
def chosen(x: ARRAY, out: pl.Out[ARRAY], n: N):
    acc = x
    if n > 2:
        acc = pl.add(x, 1.0)
    out[:] = acc if n != 5 else x
    return out


@pl.jit.incore
def returned(x: ARRAY, out: pl.Out[ARRAY], n: N):
    acc = pl.add(x, 1.0)
    for i in pl.range(n):
        if i == 3:
            acc = x
            continue
        acc = pl.mul(acc, 2.0)
    out[:] = acc
    return out
"""
ELEMENTS = {
    "carried": lambda x, n: x + n,
    "chosen": lambda x, n: x + (n > 2 and n != 5),
    "returned": lambda x, n: (x + 1) * 2**n if n < 4 else x * 2 ** (n - 4),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_a_name_of_an_array_or_of_what_is_computed(name, load):
    entry = (
        "\n\n@pl.jit\ndef entry(x: ARRAY, out: pl.Out[ARRAY], n: N):\n"
        f"    out = {name}(x, out, n)\n    return out\n"
    )
    compiled = load(HEAD + COMPUTED + entry).entry.compile(*arguments(), pl.RUNTIME)
    for n in NUMBERS:
        x, out = arguments()
        compiled(x, out, n)
        assert np.array_equal(out, ELEMENTS[name](x, n).astype(np.float32))
    compiled.check_passes(*arguments(), 5)
