# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Each rule of loops and of what they hand on is an error at its place, with what to do.

In a case's text `§` stands right before the place that the error names.
"""

import textwrap

import pypto
import pypto.language as pl
import pytest

HEAD = """\
import pypto.language as pl

ARRAY = pl.Tensor[[8, 64], pl.FP32]
N = pl.Scalar[pl.INDEX]


@pl.jit.incore
def copy(x: ARRAY, out: pl.Out[ARRAY]):
    pl.store(pl.load(x, [0, 0], [8, 64]), [0, 0], out)
    return out


"""


def kernel(body):
    """The body of a kernel, with the tile t, and an array to write."""
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return (
        "@pl.jit.incore\ndef kernel(x: ARRAY, out: pl.Out[ARRAY], n: N):\n"
        f"    t = pl.load(x, [0, 0], [8, 64])\n{body}\n    pl.store(t, [0, 0], out)\n"
        "    return out\n\n\n@pl.jit\ndef entry(x: ARRAY, out: pl.Out[ARRAY], n: N):\n"
        "    out = kernel(x, out, n)\n    return out\n"
    )


def entry(body):
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return f"@pl.jit\ndef entry(x: ARRAY, out: pl.Out[ARRAY], n: N):\n{body}\n    return out\n"


def loop(head, body="pass"):
    return kernel(f"for {head}:\n    {body}")


CASES = {
    # Bounds.
    "a step that is zero": (loop("i in pl.range(0, n, §0)"), ["the step of pl.range is zero"]),
    "a bound that is no integer": (loop("i in pl.range(§1.5)"), ["a bound of pl.range", "1.5"]),
    "four bounds": (loop("i in §pl.range(1, 2, 3, 4)"), ["one to three bounds, found 4"]),
    # pl.unroll.
    "unroll of run time": (loop("i in pl.unroll(§n)"), ["known when the kernel is compiled"]),
    "unroll of too much": (loop("i in §pl.unroll(100000)"), ["100000 times", "use pl.range"]),
    "unroll with init_values": (
        loop("i, (a,) in pl.unroll(3, init_values=§(t,))", "a = pl.yield_(a)"),
        ["pl.unroll has no init_values="],
    ),
    "an error in an unrolled body is one": (
        loop("i in pl.unroll(3)", "t = pl.add(§y, 1.0)"),
        ["name 'y' is not defined"],
    ),
    # pl.pipeline.
    "two stages": (
        loop("i in pl.pipeline(4, stage=§2)"),
        ["pl.pipeline(stage=2): more than one stage comes later"],
    ),
    "no stage": (
        loop("i in pl.pipeline(4, stage=§0)"),
        ["stage= is a number from 1 on", "found 0"],
    ),
    "a pipeline on the control plane": (
        entry("for i in §pl.pipeline(4):\n    copy(x, out)"),
        ["it stands in a kernel", "pl.parallel"],
    ),
    # break and continue.
    "break in parallel": (
        loop("i in pl.parallel(4)", "§break"),
        ["break in pl.parallel", "independent of each other", "use pl.range"],
    ),
    "continue in unroll": (
        loop("i in pl.unroll(4)", "if i == 1:\n        §continue"),
        ["continue in pl.unroll", "when the kernel is compiled"],
    ),
    "break in pipeline": (loop("i in pl.pipeline(4)", "§break"), ["break in pl.pipeline"]),
    "break on the control plane": (
        entry("copy(x, out)\nfor i in pl.range(4):\n    §break"),
        ["break on the control plane"],
    ),
    "continue on the control plane": (
        entry("copy(x, out)\nfor i in pl.range(4):\n    if i == 2:\n        §continue"),
        ["continue on the control plane"],
    ),
    "break out of a with": (
        entry(
            "copy(x, out)\nfor i in pl.range(4):\n    with pl.at(level=pl.Level.CORE_GROUP):\n"
            "        §break"
        ),
        ["break would leave the `with` around it"],
    ),
    # while.
    "a while loop that never ends": (
        kernel("i = 0\n§while i == i or True:\n    i += 1"),
        ["this loop never ends"],
    ),
    "a tile as a condition": (kernel("while §t:\n    t = pl.add(t, 1.0)"), ["is a scalar"]),
    "else behind while": (
        kernel("i = 0\nwhile i < n:\n    i += 1\nelse:\n    §i = 1"),
        ["a loop has no else"],
    ),
    "a type that changes": (
        kernel("i = 0\nwhile i < n:\n    §i = pl.add(t, 1.0)"),
        ["cannot reassign 'i' with a different type", "before the loop it is INDEX scalar"],
    ),
    "a shape that changes": (
        kernel("for i in pl.range(n):\n    §t = pl.load(x, [0, 0], [8, 32])"),
        ["cannot reassign 't' with a different type"],
    ),
    # pl.while_ and pl.cond.
    "while_ without init_values": (
        loop("a in §pl.while_()", "pl.cond(n < 3)\n    a = pl.yield_(a)"),
        ["pl.while_() requires init_values to be specified"],
    ),
    "while_ without a condition": (
        loop("a in pl.while_(init_values=(0,))", "§a = pl.yield_(a)"),
        ["the first statement in pl.while_ is pl.cond(...)"],
    ),
    "while_ with bounds": (
        loop("a in §pl.while_(3, init_values=(0,))", "pl.cond(a < 3)\n    a = pl.yield_(a)"),
        ["pl.while_ takes init_values= and nothing else"],
    ),
    "two conditions": (
        loop("a in pl.while_(init_values=(0,))", "§pl.cond(a < 3, a)\n    a = pl.yield_(a)"),
        ["pl.cond takes one condition"],
    ),
    "cond elsewhere": (kernel("§pl.cond(n < 3)"), ["the first statement in `for a, b in"]),
    "while_ in an expression": (
        kernel("a = §pl.while_(init_values=(0,))"),
        ["pl.while_ stands in a statement of its own: `for a, b in pl.while_"],
    ),
    # init_values and pl.yield_.
    "init_values without names": (
        loop("§i in pl.range(3, init_values=(t, 0))"),
        ["init_values= goes with `for i, (a, b) in pl.range(...)`"],
    ),
    "names without init_values": (
        loop("§i, (a, b) in pl.range(3)"),
        ["a loop has one variable; `for i, (a, b) in pl.range(..., init_values=(...))`"],
    ),
    "fewer names": (
        loop("i, (a,) in pl.range(3, init_values=§(t, 0))", "a = pl.yield_(a)"),
        ["1 names for 2 init_values"],
    ),
    "no yield": (
        loop("i, (a,) in pl.range(3, init_values=(t,))", "§a = pl.add(a, 1.0)"),
        ["pl.range with init_values= ends with an assignment of pl.yield_"],
    ),
    "a yield that is not assigned": (
        loop("i, (a,) in pl.range(3, init_values=(t,))", "§pl.yield_(a)"),
        ["an assignment of pl.yield_: `a, b = pl.yield_(...)`"],
    ),
    "fewer values": (
        loop("i, (a, b) in pl.range(3, init_values=(t, 0))", "§a, b = pl.yield_(a)"),
        ["pl.range carries 2 values, and pl.yield_ hands on 1"],
    ),
    "fewer results": (
        loop("i, (a, b) in pl.range(3, init_values=(t, 0))", "§a = pl.yield_(a, b)"),
        ["pl.range carries 2 values, and it is assigned to 1"],
    ),
    "another type": (
        loop("i, (a,) in pl.range(3, init_values=(t,))", "§a = pl.yield_(i)"),
        ["cannot reassign 'a' with a different type"],
    ),
    "a yield in the middle": (
        kernel("a = pl.add(§pl.yield_(t), 1.0)"),
        ["pl.yield_ stands in an assignment at the end of its loop or branch"],
    ),
    "arms that hand on different numbers": (
        kernel("if n > 1:\n    a = §pl.yield_(t)\nelse:\n    b = t".replace("a = §", "§a = ")),
        ["both arms of an if hand on the same with pl.yield_: one hands on 1, the other nothing"],
    ),
    # Names.
    "a name of one arm": (
        kernel("if n > 1:\n    a = t\nt = pl.add(§a, 1.0)"),
        ["'a' is bound in one branch only"],
    ),
    "a name of the body": (
        kernel("for i in pl.range(n):\n    a = t\nt = pl.add(§a, 1.0)"),
        ["'a' is bound inside the loop only"],
    ),
    "a name of an iteration that was left": (
        kernel(
            "while n > 1:\n    if n > 5:\n        a = t\n        break\n    n = n - 1\n"
            "t = pl.add(§a, 1.0)"
        ),
        ["'a' is bound inside the loop only"],
    ),
    "a loop variable behind its loop": (
        kernel("for i in pl.unroll(3):\n    pass\nt = pl.add(t, §i)"),
        ["the loop variable 'i' has no value after its loop"],
    ),
    # Python's own.
    "Python's range": (loop("i in §range(3)"), ["use pl.range"]),
    "and on tiles": (
        kernel("if §t and n > 1:\n    t = pl.add(t, 1.0)"),
        ["'and' on [8, 64] FP32", "element by element it is '&'"],
    ),
    "not on a tile": (kernel("u = §not t"), ["'not t': a condition is a scalar", "it is '~'"]),
    "a static assertion": (
        loop("i in pl.unroll(3)", "§pl.static_assert(i < 2, 'too far')"),
        ["static assertion failed: too far"],
    ),
    "a static assertion of run time": (
        kernel("pl.static_assert(§n < 2)"),
        ["pl.static_assert takes what is known when the kernel is compiled"],
    ),
    # Scalars.
    "a power of run time": (kernel("t = pl.add(t, float(§2 ** n))"), ["'**' on scalars takes"]),
    "a shift too far": (kernel("m = §n << 64"), ["moves INDEX by 0 to 63 bits, found 64"]),
    "a remainder of floats": (
        kernel("m = §float(n) % 2.0"),
        ["'%' on FP32 scalars: the scalar unit of a core has + - * /"],
    ),
    "a conditional expression of two types": (
        kernel("t = pl.add(§t if n > 1 else 3, 1.0)"),
        ["with a different type"],
    ),
}


def split(text):
    before, mark, after = (HEAD + text).partition("§")
    assert mark and "§" not in after
    return before + after, before.count("\n") + 1, len(before) - before.rfind("\n")


@pytest.mark.parametrize("name", CASES)
def test_refused(name, load):
    marked, words = CASES[name]
    text, line, column = split(marked)
    module = load(text)
    with pytest.raises(pypto.CompileError) as caught:
        module.entry.lower(n=pl.RUNTIME)
    error = caught.value
    shown = str(error)
    found = error.diagnostics[0]
    assert (found.line, found.column) == (line, column), shown
    assert len(error.diagnostics) == 1, shown
    for word in words:
        assert word in shown
    source = text.splitlines()[line - 1]
    lines = shown.splitlines()
    assert lines[lines.index("  " + source) + 1].startswith(" " * (column + 1) + "^")
