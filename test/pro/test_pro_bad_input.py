# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Bad input of PyPTO Pro: every row of the page's tables, and what the model must find.

Each test is one program; the error says where, in the words of the documentation.
"""

import warnings

import numpy as np
import pytest
from pypto.diagnostics.errors import CompileError, RunError

HEAD = """\
import pypto_pro.language as pl
from pypto_pro.runtime.tilingkey import TilingKeyField


"""


def at_line(error, text, program):
    """The first diagnostic is at the line of the program that begins with `text`."""
    lines = program.splitlines()
    wanted = [n for n, line in enumerate(lines, 1) if line.strip().startswith(text)]
    assert error.diagnostics[0].line in wanted, (str(error), wanted)


# The table of constraints: `pl.jit` refuses the class.

DECORATED = (
    HEAD
    + """\
{schema}


@pl.jit(tiling_key={name})
def kernel(x: pl.Ptr[pl.DT_FP16]):
    pass
"""
)


def field(text):
    return f"class Key:\n    Field = TilingKeyField({text})"


SCHEMAS = {
    "no class": ("Key = 3", "tiling_key must be a class, got int"),
    "no field": ("class Key:\n    a = 1", "tiling_key class 'Key' has no TilingKeyField members"),
    "bits": (field("bits=0, values=[0]"), "tilingkey field 'Field' must have bits > 0, got 0"),
    "empty": (field("bits=1, values=[]"), "'Field' must have a non-empty 'values' list"),
    "no int": (field("bits=1, values=[0.5]"), "'Field' values must be ints, got 0.5"),
    "bool": (field("bits=1, values=[False, True]"), "'Field' values must be ints, got False"),
    "64 bits": (
        field("bits=1, values=[0, 1 << 63]"),
        "'Field' values must be ints of 64 bits with sign, got 9223372036854775808",
    ),
    "twice": (field("bits=2, values=[1, 2, 1]"), "tilingkey field 'Field' values must be unique"),
    "capacity": (
        field("bits=1, values=[16, 64, 128]"),
        "'Field' has 3 candidates, exceeding the 2 representable by 1 bits",
    ),
    "width": (
        "class Key:\n    A = TilingKeyField(bits=40, values=[0])\n"
        "    B = TilingKeyField(bits=25, values=[0])",
        "tiling_key class 'Key' uses 65 bits, exceeding the 64-bit limit",
    ),
    "is_valid": (
        field("bits=1, values=[0]") + "\n    is_valid = True",
        "tiling_key class 'Key' has a non-callable 'is_valid' member",
    ),
    "inherited": (
        "class Base:\n    A = TilingKeyField(bits=1, values=[0, 1])\n\n\n"
        "class Key(Base):\n    B = TilingKeyField(bits=1, values=[0, 1])",
        "'A'",
    ),
}


@pytest.mark.parametrize("schema, words", SCHEMAS.values(), ids=SCHEMAS)
def test_a_schema_that_is_refused(load, schema, words):
    with pytest.raises(ValueError) as caught:
        load(DECORATED.format(schema=schema, name="Key"))
    assert words in str(caught.value)
    assert caught.value.diagnostics[0].line > 0


def test_an_inherited_field_is_told_with_its_place(load):
    program = DECORATED.format(schema=SCHEMAS["inherited"][0], name="Key")
    with pytest.raises(ValueError) as caught:
        load(program)
    assert "order" in str(caught.value)
    assert any(
        found.line == program[: program.index("A = Tiling")].count("\n") + 1
        for diagnostic in caught.value.diagnostics
        for found in [diagnostic, *diagnostic.notes]
    )


# Names.

KEYED = (
    HEAD
    + """\
class Key:
    Mode = TilingKeyField(bits=2, values=[0, 1, 2])

{before}
@pl.jit(tiling_key=Key)
def kernel({parameters}):
{body}
"""
)
X = "x: pl.Ptr[pl.DT_FP32]"


def keyed(body, parameters=X, before=""):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return KEYED.format(before=before, parameters=parameters, body=lines)


def test_a_field_named_as_a_parameter(load):
    with pytest.raises(ValueError) as caught:
        load(keyed("pass", parameters="Mode: pl.Ptr[pl.DT_FP32]"))
    words = "TilingKey field name(s) conflict with kernel parameter name(s): {'Mode'}"
    assert words in str(caught.value)


def test_a_field_named_as_a_variable_of_the_module(load):
    with pytest.raises(ValueError) as caught:
        load(keyed("pass", before="\nMode = 1\n"))
    words = "TilingKey field name(s) conflict with module-level variable name(s): {'Mode'}"
    assert words in str(caught.value)


def test_a_field_that_is_assigned_in_the_kernel(load):
    program = keyed("Mode = 2\nif Mode == 2:\n    pass")
    with pytest.raises((CompileError, ValueError)) as caught:
        load(program).kernel[None, 1, {"Mode": 1}](np.zeros(8, np.float32))
    assert "Mode" in str(caught.value) and "field" in str(caught.value)
    at_line(caught.value, "Mode = 2", program)


def test_a_loop_variable_named_as_a_field(load):
    program = keyed("for Mode in pl.range(3):\n    pass")
    with pytest.raises((CompileError, ValueError)) as caught:
        load(program).kernel[None, 1, {"Mode": 1}](np.zeros(8, np.float32))
    at_line(caught.value, "for Mode", program)


def test_a_field_of_a_schema_that_is_not_bound(load):
    program = keyed("if Mode == 1:\n    pass").replace("@pl.jit(tiling_key=Key)", "@pl.jit")
    with pytest.raises(CompileError) as caught:
        load(program).kernel[None, 1](np.zeros(8, np.float32))
    assert "Undefined variable 'Mode'" in str(caught.value)
    at_line(caught.value, "if Mode", program)


def test_a_field_that_nothing_reads(load):
    kernel = load(keyed("pass")).kernel
    with pytest.warns(UserWarning, match="kernel 'kernel' does not read Mode of the tiling key"):
        kernel[None, 1, {"Mode": 1}](np.zeros(8, np.float32))


def test_a_field_that_is_valid_fixes_need_not_be_read(load):
    program = keyed("if Mode == 1:\n    pass").replace(
        "class Key:", "class Key:\n    Fixed = TilingKeyField(bits=2, values=[0, 1, 2])"
    )
    program = program.replace(
        "\n\n\n@pl.jit(tiling_key",
        "\n    def is_valid(self, key):\n        return key[0] == 2\n\n\n@pl.jit(tiling_key",
    )
    kernel = load(program).kernel
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel[None, 1, {"Fixed": 2, "Mode": 1}](np.zeros(8, np.float32))


def test_a_field_that_is_read_is_not_warned_of(load, recwarn, capfd):
    load(keyed("if Mode == 1:\n    pass")).kernel[None, 1, {"Mode": 1}](np.zeros(8, np.float32))
    said = capfd.readouterr().err + "".join(str(w.message) for w in recwarn.list)
    assert "Mode" not in said


def test_more_than_64_specializations_are_warned_of_once(load, recwarn, capfd):
    program = keyed("if Mode == 1:\n    pass").replace("bits=2, values=[0, 1, 2]", "bits=7, values=range(100)")  # fmt: skip  # noqa: E501
    kernel = load(program).kernel
    x = np.zeros(8, np.float32)
    for mode in range(64):
        kernel[None, 1, {"Mode": mode}](x)
    said = capfd.readouterr().err + "".join(str(w.message) for w in recwarn.list)
    assert "64" not in said
    recwarn.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for mode in range(64, 70):
            kernel[None, 1, {"Mode": mode}](x)
    said = capfd.readouterr().err + "\n".join(str(w.message) for w in caught)
    assert said.count("'kernel' has been compiled 65 times") == 1, said


# Tiles.

KERNEL = (
    HEAD
    + """\
@pl.jit(auto_mutex={mutex})
def kernel(x: pl.Tensor[[64, 128], pl.DT_FP32], out: pl.Tensor[[64, 128], pl.DT_FP32]):
    mte2, v, mte3 = pl.PipeType.MTE2, pl.PipeType.V, pl.PipeType.MTE3
    tile = pl.TileType([64, 128], pl.DT_FP32)
{body}
"""
)


def kernel(body, mutex=True):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return KERNEL.format(mutex=mutex, body=lines)


def launched(load, program, kind):
    x = np.ones((64, 128), np.float32)
    with pytest.raises(kind) as caught:
        load(program).kernel[None, 1](x, np.zeros_like(x))
    return caught.value


def test_overlapping_tiles_in_live_use(load):
    program = kernel(
        """\
a = pl.make_tile_group(type=tile, addrs=0, mutex_ids=[0])
b = pl.make_tile_group(type=tile, addrs=0x4000, mutex_ids=[1])
pl.load(a[0], x, [0, 0])
pl.load(b[0], x, [0, 0])
pl.add(a[0], a[0], b[0])
pl.store(out, a[0], [0, 0])"""
    )
    error = launched(load, program, (CompileError, RunError))
    text = str(error)
    assert "reads 'a'" in text and "bytes 16384 to 32768 are overwritten" in text and "'b'" in text
    at_line(error, "pl.add", program)


def test_tiles_that_overlap_one_after_the_other_are_right(load):
    program = kernel(
        """\
a = pl.make_tile_group(type=tile, addrs=0, mutex_ids=[0])
b = pl.make_tile_group(type=tile, addrs=0, mutex_ids=[0])
pl.load(a[0], x, [0, 0])
pl.add(a[0], a[0], 1.0)
pl.store(out, a[0], [0, 0])
pl.load(b[0], x, [0, 0])
pl.add(b[0], b[0], 2.0)
pl.store(out, b[0], [0, 0])"""
    )
    x = np.ones((64, 128), np.float32)
    out = np.zeros_like(x)
    load(program).kernel[None, 1](x, out)
    np.testing.assert_array_equal(out, x + 2)


FLAGS = """\
a = pl.make_tile(tile, addr=0)
pl.load(a, x, [0, 0])
pl.system.sync_src(set_pipe=mte2, wait_pipe=v, event_id=0)
pl.system.sync_dst(set_pipe=mte2, wait_pipe=v, event_id=0)
pl.add(a, a, 1.0)
pl.system.sync_src(set_pipe=v, wait_pipe=mte3, event_id=0)
pl.system.sync_dst(set_pipe=v, wait_pipe=mte3, event_id=0)
pl.store(out, a, [0, 0])"""


def test_flags_by_hand_are_right(load):
    x = np.ones((64, 128), np.float32)
    out = np.zeros_like(x)
    load(kernel(FLAGS, mutex=False)).kernel[None, 1](x, out)
    np.testing.assert_array_equal(out, x + 1)


def test_a_double_sync_dst_hangs(load):
    wait = "pl.system.sync_dst(set_pipe=mte2, wait_pipe=v, event_id=0)\n"
    program = kernel(FLAGS.replace(wait, wait + wait), mutex=False)
    error = launched(load, program, (CompileError, RunError))
    assert "pl.system.sync_dst: " in str(error) and "waits" in str(error)
    assert "pto." not in str(error)
    at_line(error, "pl.system.sync_dst(set_pipe=mte2, wait_pipe=v", program)


def test_an_unprimed_backward_event_hangs(load):
    back = "pl.system.sync_dst(set_pipe=v, wait_pipe=mte2, event_id=0)"
    body = FLAGS.replace("pl.load(a, x", f"{back}\npl.load(a, x")
    program = kernel(
        body + "\npl.system.sync_src(set_pipe=v, wait_pipe=mte2, event_id=0)", mutex=False
    )
    error = launched(load, program, (CompileError, RunError))
    at_line(error, back, program)


def test_a_wrong_event_pair(load):
    body = FLAGS.replace("set_pipe=mte2, wait_pipe=v", "set_pipe=mte2, wait_pipe=mte3")
    program = kernel(body, mutex=False)
    error = launched(load, program, (CompileError, RunError))
    at_line(error, "pl.add", program)  # what nothing orders
    assert "MTE2" in str(error)


def test_a_wait_of_another_pair_than_was_set(load):
    program = kernel(
        FLAGS.replace(
            "sync_dst(set_pipe=mte2, wait_pipe=v,", "sync_dst(set_pipe=mte3, wait_pipe=v,"
        ),
        mutex=False,
    )
    error = launched(load, program, (CompileError, RunError))
    assert any("sync_dst" in program.splitlines()[d.line - 1] or "pl.add" in
               program.splitlines()[d.line - 1] for d in error.diagnostics)  # fmt: skip


def test_a_missing_flag_is_a_race(load):
    lines = FLAGS.splitlines()
    program = kernel("\n".join(lines[:2] + lines[4:]), mutex=False)
    error = launched(load, program, (CompileError, RunError))
    at_line(error, "pl.add", program)


def test_tiles_without_a_mutex_are_a_race(load):
    """auto_mutex orders the tiles that have ids; these have none."""
    program = kernel(
        "a = pl.make_tile(tile, addr=0)\npl.load(a, x, [0, 0])\npl.add(a, a, 1.0)\n"
        "pl.store(out, a, [0, 0])"
    )
    error = launched(load, program, (CompileError, RunError))
    at_line(error, "pl.add", program)


WRONG_TILES = {
    "alignment": ("a = pl.make_tile(tile, addr=8)", "not 32-byte aligned", "a ="),
    "capacity": ("a = pl.make_tile(tile, addr=240 * 1024)\npl.expands(a, 0.0)", "Vec", "a ="),
    "mutex id": (
        "a = pl.make_tile_group(type=tile, addrs=0, mutex_ids=[32])\npl.expands(a[0], 0.0)",
        "mutex",
        "a =",
    ),
    "layout": (
        "t = pl.TileType([64, 64], pl.DT_FP16, pl.MemorySpace.Left, layout=pl.ZZ)\n"
        "a = pl.make_tile(t, addr=0)",
        "layout",
        "",
    ),
    "dtype": (
        "a = pl.make_tile(tile, addr=0)\n"
        "b = pl.make_tile(pl.TileType([64, 128], pl.DT_FP16), addr=0x10000)\npl.add(a, a, b)",
        "FP16",
        "pl.add",
    ),
    "shape": (
        "a = pl.make_tile(tile, addr=0)\n"
        "b = pl.make_tile(pl.TileType([32, 128], pl.DT_FP32), addr=0x10000)\npl.add(a, a, b)",
        "rhs has 32 valid rows, out has 64",
        "pl.add",
    ),
    "path": (
        "t = pl.TileType([64, 64], pl.DT_FP32, pl.MemorySpace.Right)\n"
        "a = pl.make_tile(tile, addr=0)\nb = pl.make_tile(t, addr=0)\npl.move(b, a)",
        "Vec",
        "pl.move",
    ),
    "unknown name": ("pl.addd(x, x)", "did you mean", "pl.addd"),
    "later": (
        "a = pl.make_tile(tile, addr=0)\npl.select(a, a, a, a, a)",
        "select",
        "pl.select",
    ),
    "an int for an enum": (
        "pl.system.sync_src(set_pipe=1, wait_pipe=v, event_id=0)",
        "expects an enum value, not 1",
        "pl.system",
    ),
    "event id": (
        "pl.system.sync_src(set_pipe=mte2, wait_pipe=v, event_id=9)",
        "9",
        "pl.system",
    ),
}


@pytest.mark.parametrize("body, words, line", WRONG_TILES.values(), ids=WRONG_TILES)
def test_a_wrong_tile(load, body, words, line):
    program = kernel(body)
    error = launched(load, program, (CompileError, ValueError))
    assert words in str(error)
    if line:
        at_line(error, line, program)
