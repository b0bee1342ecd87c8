# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Each wrong program is refused where it is wrong, with cause and fix.

In a case's text `§` stands right before the place that the error names.
"""

import textwrap

import numpy as np
import pypto
import pytest

HEAD = """\
import pypto.language as pl

T = 128
@pl.jit.incore
def copy(x: pl.Tensor[[128, 128], pl.FP32], out: pl.Out[pl.Tensor[[128, 128], pl.FP32]]):
    t = pl.load(x, [0, 0], [128, 128])
    pl.store(t, [0, 0], out)
    return out

"""
X = "x: pl.Tensor[[128, 128], pl.FP32]"
OUT = "out: pl.Out[pl.Tensor[[128, 128], pl.FP32]]"


def entry(body, parameters=f"{X}, {OUT}"):
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return f"@pl.jit\ndef entry({parameters}):\n{body}\n"


def kernel(body, parameters=f"{X}, {OUT}"):
    """An in-core function and an entry that dispatches it."""
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return (
        f"@pl.jit.incore\ndef kernel({parameters}):\n{body}\n\n"
        f"@pl.jit\ndef entry({X}, {OUT}):\n    kernel(x, out)\n    return out\n"
    )


CASES = {
    # The page's edge cases.
    "a tile operation in a @pl.jit body": (
        entry("t = §pl.load(x, [0, 0], [128, 128])\nreturn out"),
        ["pl.load is a tile operation", "control plane", "pl.at(level=pl.Level.CORE_GROUP)"],
    ),
    "a tile larger than any memory": (
        kernel("t = pl.load(x, [0, 0], §[1 << 40, 1 << 40])\npl.store(t, [0, 0], out)\nreturn out"),
        ["no memory holds [1099511627776, 1099511627776] elements"],
    ),
    "computing in a @pl.jit body": (
        entry("out = §pl.mul(x, x)\nreturn out"),
        ["pl.mul is computation", "pl.at"],
    ),
    "an operator in a @pl.jit body": (
        entry("out[:] = §x * x\nreturn out"),
        ["pl.mul is computation"],
    ),
    "create_tensor in an in-core function": (
        kernel("t = §pl.create_tensor([128, 128], pl.FP32)\nout[:] = x\nreturn out"),
        ["allocates an array", "pl.Out[pl.Tensor[...]]"],
    ),
    "dispatch in an in-core function": (
        kernel("§copy(x, out)\nreturn out"),
        [
            "an in-core function cannot submit tasks",
            "'copy' is a kernel",
            "only the control plane dispatches",
        ],
    ),
    "pl.at in an in-core function": (
        kernel("with §pl.at(level=pl.Level.CORE_GROUP):\n    out[:] = x\nreturn out"),
        ["an in-core function cannot submit tasks", "on a core already"],
    ),
    "pl.submit in an in-core function": (
        kernel("§pl.submit(copy, x, out)\nreturn out"),
        ["an in-core function cannot submit tasks", "pl.submit belongs into the @pl.jit"],
    ),
    "a value read after a loop that never left it": (
        kernel(
            """
            for i in pl.range(0, 128, 64):
                y = pl.load(x, [i, 0], [64, 128])
            pl.store(§y, [0, 0], out)
            return out
            """
        ),
        ["'y' is bound inside the loop only", "acc = pl.add(acc, ...)", "note: 'y' is bound here"],
    ),
    # Names.
    "an undefined name": (
        kernel("out[:] = pl.mul(x, §outt)\nreturn out"),
        ["'outt' is not defined", "did you mean 'out'?"],
    ),
    "an unknown pl. name": (
        kernel("out[:] = §pl.mull(x, x)\nreturn out"),
        ["pl has no 'mull'", "did you mean pl.mul?"],
    ),
    "an operation that comes later": (
        kernel("out[:] = §pl.gather(x, 0, x)\nreturn out"),
        ["pl.gather is not supported yet"],
    ),
    "a tile operation that comes later": (
        kernel("t = §pl.tile.aic_gather(x)\nout[:] = x\nreturn out"),
        ["pl.tile.aic_gather is not supported yet"],
    ),
    "FunctionType.Host": (
        entry("k = §pl.FunctionType.Host\nout = copy(x, out)\nreturn out"),
        ["no pl.FunctionType.Host", "pl.Level.HOST"],
    ),
    # Signatures.
    "a missing annotation": (
        entry("out = copy(x, out)\nreturn out", f"§x, {OUT}"),
        ["'x' has no annotation", "pl.Tensor"],
    ),
    "an element type that comes later": (
        entry("return x", "x: §pl.Tensor[[128, 128], pl.INT4]"),
        ["arrays and tiles of INT4 are not supported yet"],
    ),
    "a shape that is not positive": (
        entry("return x", "x: §pl.Tensor[[0, 128], pl.FP32]"),
        ["positive integers"],
    ),
    "a tile as a parameter": (
        kernel("return out", f"x: §pl.Tile[[128, 128], pl.FP32], {OUT}"),
        ["a tile does not cross a function boundary"],
    ),
    "an Out scalar": (
        kernel("return out", f"x: §pl.Out[pl.Scalar[pl.INT32]], {OUT}"),
        ["a scalar cannot be Out"],
    ),
    "an Out that no path writes": (
        kernel("t = pl.load(x, [0, 0], [128, 128])\nreturn out", f"{X}, §{OUT}"),
        ["nothing writes 'out'", "out[:] ="],
    ),
    "an entry's Out that nothing writes": (
        entry("return out", f"{X}, §{OUT}"),
        ["nothing writes 'out'"],
    ),
    # Movement.
    **{
        f"a load to {space}": (
            kernel(
                f"t = pl.load(x, [0, 0], [128, 128], target_memory=§pl.Mem.{space})\n"
                "pl.store(t, [0, 0], out)\nreturn out"
            ),
            ["reaches Vec or Mat only", space],
        )
        for space in ("Left", "Right", "Acc", "Bias", "DDR")
    },
    "a window beyond the array": (
        kernel("t = §pl.load(x, [64, 0], [128, 128])\npl.store(t, [0, 0], out)\nreturn out"),
        ["reaches beyond the array 'x'", "64 to 191"],
    ),
    "rows that are no multiple of 32 bytes": (
        kernel("t = §pl.load(x, [0, 0], [64, 10])\npl.store(t, [0, 0], out)\nreturn out"),
        ["multiple of 32 bytes", "40 bytes"],
    ),
    "a tile's shape that is not known": (
        kernel(
            """
            for i in pl.range(1, 4):
                t = pl.load(x, [0, 0], §[i, 128])
                pl.store(t, [0, 0], out)
            return out
            """
        ),
        ["known when the kernel is compiled", "valid_shape="],
    ),
    "a store to a parameter that is not Out": (
        kernel(
            "t = pl.load(x, [0, 0], [128, 128])\npl.store(t, [0, 0], §x)\nout[:] = x\nreturn out"
        ),
        ["'x', which is read-only here", "pl.InOut", "without pl.Out"],
    ),
    "a load of a computed array": (
        kernel("y = pl.mul(x, x)\nt = pl.load(§y, [0, 0], [128, 128])\nout[:] = y\nreturn out"),
        ["reads an array in DDR"],
    ),
    "an array stored": (
        kernel("pl.store(§x, [0, 0], out)\nreturn out"),
        ["copies a tile", "out[:] = expr"],
    ),
    "a tile assigned to an Out parameter": (
        kernel("t = pl.load(x, [0, 0], [128, 128])\n§out = t\nreturn out"),
        ["pl.store(..., [0, 0], out)"],
    ),
    # Types.
    "a tile and an array together": (
        kernel("t = pl.load(x, [0, 0], [128, 128])\nout[:] = pl.add(t, §x)\nreturn out"),
        ["two tiles or two arrays", "pl.load the array first"],
    ),
    "mixed element types": (
        kernel(
            """
            t = pl.load(x, [0, 0], [128, 128])
            h = pl.cast(t, pl.FP16)
            pl.store(§pl.add(t, h), [0, 0], out)
            return out
            """
        ),
        ["different element types", "'t'", "'h'", "pl.cast"],
    ),
    "shapes that do not fit": (
        kernel(
            """
            t = pl.load(x, [0, 0], [64, 128])
            u = pl.load(x, [0, 0], [32, 128])
            pl.store(§pl.add(t, u), [0, 0], out)
            return out
            """
        ),
        ["different shapes"],
    ),
    "an assignment of another shape": (
        kernel("§out[:] = pl.row_sum(x)\nreturn out"),
        ["window of [128, 128] FP32", "[128, 1] FP32"],
    ),
    "a type that changes in a loop": (
        kernel(
            """
            acc = pl.load(x, [0, 0], [64, 128])
            for i in pl.range(0, 2):
                §acc = pl.row_sum(acc)
            pl.store(acc, [0, 0], out)
            return out
            """
        ),
        ["cannot reassign 'acc' with a different type", "[64, 128]", "[64, 1]"],
    ),
    "a type that changes in a branch": (
        kernel(
            """
            t = pl.load(x, [0, 0], [64, 128])
            if pl.tile.get_block_idx() == 0:
                §t = pl.row_sum(t)
            pl.store(t, [0, 0], out)
            return out
            """
        ),
        ["cannot reassign 't' with a different type"],
    ),
    "a name of one branch": (
        kernel(
            """
            if pl.tile.get_block_idx() == 0:
                t = pl.load(x, [0, 0], [64, 128])
            pl.store(§t, [0, 0], out)
            return out
            """
        ),
        ["'t' is bound in one branch only", "note"],
    ),
    "a fraction for integer elements": (
        kernel(
            """
            t = pl.cast(pl.load(x, [0, 0], [64, 128]), pl.INT32)
            u = pl.mul(t, §0.5)
            out[:] = x
            return out
            """
        ),
        ["0.5 meets elements of INT32"],
    ),
    "a number too large": (
        kernel(
            "t = pl.cast(pl.load(x, [0, 0], [64, 128]), pl.INT32)\n"
            "u = pl.add(t, §5000000000)\nout[:] = x\nreturn out"
        ),
        ["5000000000 does not fit INT32"],
    ),
    "matmul of wrong shapes": (
        kernel(
            """
            a = pl.cast(x, pl.FP16)
            b = pl.cast(pl.row_sum(x), pl.FP16)
            c = §pl.matmul(b, a)
            out[:] = x
            return out
            """
        ),
        ["1 columns", "128 rows"],
    ),
    # Calls.
    "an unknown keyword": (
        kernel(
            "t = pl.load(x, [0, 0], [128, 128], target_mem=§pl.Mem.Vec)\nout[:] = x\nreturn out"
        ),
        ["no argument 'target_mem'", "did you mean 'target_memory'?"],
    ),
    "too many arguments": (
        kernel("out[:] = pl.exp(x, §x)\nreturn out"),
        ["takes 1 argument, found 2", "pl.exp(input: T)"],
    ),
    "a missing argument": (
        kernel("t = §pl.load(x, [0, 0])\nout[:] = x\nreturn out"),
        ["argument 'shapes' is missing"],
    ),
    "a keyword that comes later": (
        kernel("out[:] = pl.matmul(x, x, c_matrix_nz=§True)\nreturn out"),
        ["c_matrix_nz= is not supported yet"],
    ),
    "a precision that comes later": (
        kernel("out[:] = pl.rsqrt(x, high_precision=§True)\nreturn out"),
        ["pl.rsqrt: high_precision= is not supported yet"],
    ),
    "scratch of another shape": (
        kernel(
            """
            t = pl.load(x, [0, 0], [64, 128])
            pl.store(pl.tile.rsqrt(t, §pl.full([8, 8], pl.FP32, 0)), [0, 0], out)
            return out
            """
        ),
        ["tmp has the element type of the tile and at least its extents"],
    ),
    "scratch of an array": (
        kernel("t = pl.full([128, 128], pl.FP32, 0)\nout[:] = pl.row_max(x, §t)\nreturn out"),
        ["pl.row_max: an array takes no tmp_tile"],
    ),
    "a Python function": (
        "def helper(a):\n    return a\n\n" + kernel("out[:] = §helper(x)\nreturn out"),
        ["Python function", "@pl.jit.inline"],
    ),
    "a kernel with a missing argument": (
        entry("out = §copy(x)\nreturn out"),
        ["takes 2 arguments (x, out), found 1", "pl.create_tensor"],
    ),
    "a kernel's argument of another shape": (
        entry("out = copy(§x, out)\nreturn out", f"x: pl.Tensor[[64, 128], pl.FP32], {OUT}"),
        ["argument 'x' of 'copy' is [128, 128] FP32 array, found [64, 128] FP32 array"],
    ),
    "one array in and out": (
        entry("copy(out, §out)\nreturn out"),
        ["one array as 'x' and as 'out'", "pl.InOut"],
    ),
    "a kernel's result bound to another Out": (
        entry(
            "§b = copy(x, out)\nreturn out",
            f"{X}, {OUT}, b: pl.Out[pl.Tensor[[128, 128], pl.FP32]]",
        ),
        ["'b' is an Out parameter", "pass 'b'"],
    ),
    # Python that a kernel cannot have.
    "python range": (
        kernel("for i in §range(4):\n    out[:] = x\nreturn out"),
        ["use pl.range"],
    ),
    "a list comprehension": (
        kernel("a = §[i for i in (1, 2)]\nout[:] = x\nreturn out"),
        ["a list comprehension"],
    ),
    "a lambda": (kernel("f = §lambda a: a\nout[:] = x\nreturn out"), ["a lambda"]),
    "try": (
        kernel("§try:\n    pass\nexcept ValueError:\n    pass\nout[:] = x\nreturn out"),
        ["cannot contain try"],
    ),
    "a nested function": (
        kernel("§def f():\n    pass\nout[:] = x\nreturn out"),
        ["a function in a function"],
    ),
    "a while loop that never ends": (
        kernel("§while True:\n    pass\nout[:] = x\nreturn out"),
        ["this loop never ends"],
    ),
    "a dtype that changes in a loop": (
        kernel(
            """
            dtype = pl.FP32
            for i in pl.range(4):
                §dtype = pl.FP16
            out[:] = x
            return out
            """
        ),
        ["carries tiles", "'dtype' from pl.FP32 to pl.FP16"],
    ),
    "a step of zero": (
        kernel("for i in pl.range(0, 4, §0):\n    pass\nout[:] = x\nreturn out"),
        ["the step of pl.range is zero"],
    ),
    # What the first words say.
    "mixed element types assigned to a third array": (
        kernel("out[:] = §pl.mul(pl.cast(x, pl.FP16), x)\nreturn out"),
        ["pl.mul: operands have different element types", "pl.cast"],
    ),
    "a cast to the same type": (
        kernel("out[:] = §pl.cast(x, pl.FP32)\nreturn out"),
        ["converts FP32 to itself; drop the cast"],
    ),
    "a negative bound": (
        kernel("out[§-3:, -5:] = x\nreturn out"),
        ["counts from the beginning", "negative, -3; write 125"],
    ),
    "a negative end": (
        kernel("out[0:§-1, :] = x\nreturn out"),
        ["counts from the beginning", "negative, -1; write 127"],
    ),
    "a number that becomes another type": (
        kernel(
            """
            c = 1
            for i in pl.range(4):
                §c = pl.const(2, pl.INT32)
            pl.printf("%d", c)
            out[:] = x
            return out
            """
        ),
        ["pl.cast(..., pl.INDEX)", "begin with c = pl.const(..., pl.INT32)"],
    ),
    "array ping-pong in a kernel": (
        kernel(
            """
            a, b = x, out
            for i in pl.range(4):
                t = pl.load(a, [0, 0], [32, 32])
                §a, b = b, a
            out[:] = x
            return out
            """
        ),
        ["array ping-pong in a kernel is not supported yet"],
    ),
    "too few values to print": (
        kernel('§pl.printf("%d %d", 1)\nout[:] = x\nreturn out'),
        ["pl.printf: the format wants 2 arguments, found 1"],
    ),
    "a format that comes later": (
        kernel('pl.printf(§"%s", 1)\nout[:] = x\nreturn out'),
        ["pl.printf: the format has '%s'"],
    ),
    "a format of another type": (
        kernel('pl.printf("%d %f", 1, §1)\nout[:] = x\nreturn out'),
        ["pl.printf: argument 2 is INDEX, the format wants %f"],
    ),
    # Returns.
    "a wrong return, and a caller that uses it": (
        kernel("out[:] = x\n§return x").replace("    kernel(", "    out = kernel("),
        ["'x', which is no Out parameter"],
    ),
    "a return of an unknown name, and a caller that uses it": (
        kernel("out[:] = x\nreturn §nothing").replace("    kernel(", "    out = kernel("),
        ["'nothing' is not defined"],
    ),
    "a tile returned": (
        kernel("out[:] = x\n§return pl.load(x, [0, 0], [16, 16])"),
        ["arrays that it computes, found [16, 16] FP32 tile"],
    ),
    "an In parameter returned": (
        kernel("out[:] = x\n§return x"),
        ["'x', which is no Out parameter"],
    ),
    "a return in a branch": (
        kernel("if pl.tile.get_block_idx() == 0:\n    §return out\nout[:] = x\nreturn out"),
        ["one, at its end"],
    ),
}


def split(text):
    """The text without the mark, and the mark's line and column."""
    text = HEAD + text
    before, mark, after = text.partition("§")
    assert mark and "§" not in after
    line = before.count("\n") + 1
    return before + after, line, len(before) - (before.rfind("\n") + 1) + 1


@pytest.mark.parametrize("name", CASES)
def test_refused(name, load):
    marked, words = CASES[name]
    text, line, column = split(marked)
    module = load(text)
    with pytest.raises(pypto.CompileError) as caught:
        module.entry.lower()
    error = caught.value
    assert len(error.diagnostics) == 1, str(error)
    found = error.diagnostics[0]
    assert (found.file, found.line, found.column) == (module.__file__, line, column), str(error)
    shown = str(error)
    for word in words:
        assert word in shown
    source = text.splitlines()[line - 1]
    lines = shown.splitlines()
    at = lines.index("  " + source)
    assert lines[at + 1].startswith(" " * (column + 1) + "^")
    assert not module.entry._cache


def test_several_independent_errors(load):
    text = HEAD + kernel(
        """
        a = pl.exp(undefined)
        b = pl.add(a, a)
        t = pl.load(x, [0, 0], [128, 128], target_memory=pl.Mem.Left)
        out[:] = pl.mull(x, x)
        return out
        """
    )
    with pytest.raises(pypto.CompileError) as caught:
        load(text).entry.lower()
    messages = [diagnostic.message for diagnostic in caught.value.diagnostics]
    assert len(messages) == 3  # nothing about b, which only uses what failed
    assert "undefined" in messages[0] and "Left" in messages[1] and "mull" in messages[2]


def test_several_verifier_errors(load):
    text = HEAD + kernel(
        """
        t = pl.load(x, [64, 0], [128, 128])
        u = pl.load(x, [0, 64], [128, 128])
        pl.store(pl.add(t, u), [0, 0], out)
        return out
        """
    )
    with pytest.raises(pypto.CompileError) as caught:
        load(text).entry.lower()
    assert [diagnostic.line for diagnostic in caught.value.diagnostics] == [12, 13]


def test_the_fix_of_a_tile_operation_on_the_control_plane(load):
    module = load(
        HEAD
        + entry(
            """
            with pl.at(level=pl.Level.CORE_GROUP):
                t = pl.load(x, [0, 0], [128, 128])
                pl.store(t, [0, 0], out)
            return out
            """
        )
    )
    assert "tile.load" in str(module.entry.lower())


def test_columns_count_characters(load):
    """After Chinese text the caret still stands under the mistake."""
    text = HEAD + kernel("名 = 1; out[:] = pl.mul(x, 缺)\nreturn out")
    with pytest.raises(pypto.UndefinedNameError) as caught:
        load(text).entry.lower()
    found = caught.value.diagnostics[0]
    line = text.splitlines()[found.line - 1]
    assert line[found.column - 1] == "缺"
    shown = str(caught.value).splitlines()
    caret = shown[-1]
    # A Chinese character is two columns wide on a terminal.
    assert caret.index("^") == 2 + len(line[: found.column - 1]) + 1


def test_source_that_cannot_be_read():
    namespace = {}
    exec(
        "import pypto.language as pl\n@pl.jit\ndef entry(x: pl.Tensor):\n    return x\n",
        namespace,
    )
    with pytest.raises(pypto.CompileError, match="source of 'entry' cannot be read"):
        namespace["entry"].lower(np.zeros((8, 8), np.float32))


def test_an_operation_called_by_python():
    import pypto.language as pl

    with pytest.raises(RuntimeError, match="pl.exp is an operation of a kernel"):
        pl.exp(1)


def test_an_inline_function_points_to_its_call(load):
    text = (
        HEAD
        + "@pl.jit.inline\ndef helper(a: pl.Tensor):\n    return pl.exp(missing)\n\n"
        + kernel("out[:] = helper(x)\nreturn out")
    )
    with pytest.raises(pypto.UndefinedNameError) as caught:
        load(text).entry.lower()
    (found,) = caught.value.diagnostics
    assert found.line == 12 and found.notes[0].line == 16
    assert "called here" in found.notes[0].message
