# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Errors of the Pro front end: what each says, and what of the source it marks."""

from __future__ import annotations

import linecache
import textwrap

import numpy as np
import pytest
from pypto.diagnostics.errors import PyptoError, UnsupportedFeatureError

HEAD = """import dataclasses

import pypto_pro.language as pl
from pypto_pro.runtime.tilingkey import TilingKeyField


class Key:
    Fast = TilingKeyField(bits=1, values=[0, 1])
    Rows = TilingKeyField(bits=2, values=[16, 32])


def twice(v):
    return v + v


def again(v):
    return again(v)


def many(*values):
    return values


def half(v):
    if v > 0:
        return v


def outer(v):
    return inner(v)


def inner(v):
    return v + missing


@dataclasses.dataclass
class Tiling:
    rows: int


@pl.jit{options}
def kernel({parameters}):
"""
POINTER = "x: pl.Ptr[pl.DT_FP32], n: pl.DT_INT64"


def program(load, body: str, parameters: str = POINTER, options: str = ""):
    head = HEAD.replace("{options}", options).replace("{parameters}", parameters)
    return load(head + textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n").kernel


def failure(run) -> PyptoError:
    with pytest.raises(PyptoError) as caught:
        run()
    return caught.value


def marked(diagnostic) -> str:
    """What an error marks."""
    linecache.checkcache(diagnostic.file)
    line = linecache.getline(diagnostic.file, diagnostic.line)
    return line[diagnostic.column - 1 : diagnostic.end_column - 1]


# (body, what is marked, what the message says)
WRONG = [
    ("y = nothing", "nothing", "Undefined variable 'nothing'"),
    ("y = Fast", "Fast", "bind its class with @pl.jit(tiling_key=...)"),
    ("pl.loud(x)", "pl.loud", "pl has no 'loud'; did you mean pl.load?"),
    ("pl.load(x)", "pl.load(x)", "pl.load: argument 'src_tensor' is missing"),
    ("if 0 < n < 3:\n    pass", "0 < n < 3", "Only simple comparisons supported"),
    ("y = [i for i in (1, 2)]", "[i for i in (1, 2)]", "cannot contain a list comprehension"),
    ("y = f'{n}'", "f'{n}'", "cannot contain an f-string"),
    ("y = (lambda v: v)(n)", "lambda v: v", "cannot contain a lambda; write a helper function"),
    ("import os", "import os", "cannot contain import"),
    ("raise ValueError", "raise ValueError", "cannot contain raise"),
    ("for i in range(4):\n    pass", "range(4)", "a loop is `for i in pl.range(...):`"),
    ("for i in pl.range(0, 4, 0):\n    pass", "0", "the step of pl.range is zero"),
    ("for i in pl.range(stop=4):\n    pass", "4", "pl.range() does not support keyword arguments"),
    ("for i, j in pl.range(4):\n    pass", "i, j", "the variable of a loop is a name"),
    ("for i in pl.range(4):\n    pass\nelse:\n    pass", "pass", "else behind a for"),
    ("for i in pl.range(4):\n    y = i\nz = y", "y", "'y' is bound in a loop that may not run"),
    ("for i in pl.range(4):\n    pass\nz = i", "i", "'i' is the variable of a loop"),
    ("while True:\n    pass", "", "this loop never ends"),
    ("if n > 1:\n    y = 1\nz = y", "y", "'y' is bound in one branch only"),
    ("y = n\nif n > 1:\n    y = 'a'\nz = y", "y", "cannot reassign 'y' with a different type"),
    ("with pl.section_cube():\n    with pl.section_vector():\n        pass", "", "in a section"),
    ("with open('f'):\n    pass", "open('f')", "a kernel has `with pl.section_cube():`"),
    ("pl.section_cube()", "pl.section_cube()", "stands in a statement of its own"),
    ("return n", "return n", "a kernel returns nothing"),
    ("y = again(n)", "again(v)", "'again' calls itself"),
    ("y = twice(v=n)", "n", "helper 'twice' takes positional arguments only"),
    ("y = twice(n, n)", "twice(n, n)", "helper 'twice' takes 1 arguments (v), found 2"),
    ("y = many(n)", "many(n)", "helper 'many' has *args, **kwargs or keyword-only parameters"),
    ("y = half(n)", "half(n)", "returns a value on one way and nothing on another"),
    ("if pl.constexpr(n == 1):\n    pass", "n == 1", "can only accept compile-time constants"),
    ("t = pl.TileType([n, 64], pl.DT_FP32)", "[n, 64]", "must be known at compile time"),
    ("y = x is n", "x is n", "'is' compares with None only"),
    ("y = n is None", "n is None", "asks whether the host gave a pl.Ptr"),
    ("s = pl.struct('S', a=1)\ny = s.b", "s.b", "struct S has no field 'b'; it has a"),
    (
        "t = pl.make_tuple(a=1)\nt.a = 2",
        "t.a",
        "with the fields a can be changed",
    ),
    ("y, z = n", "y, z = n", "2 names need a tuple"),
    ("n", "n", "'n' by itself does nothing"),
    ("y = range(4)\nz = print(n)", "print(n)", "use pl.printf"),
]


@pytest.mark.parametrize("body, mark, message", WRONG, ids=[item[2][:40] for item in WRONG])
def test_wrong_body(load, body, mark, message):
    kernel = program(load, body)
    error = failure(kernel.as_mlir)
    found = [item for item in error.diagnostics if message in item.message]
    assert found, str(error)
    assert mark in ("", marked(found[0])), str(error)


PARAMETERS = [
    ("x", "x", "Parameter 'x' missing type annotation"),
    ("x: pl.Ptr[pl.DT_FP32], y: int", "int", "is annotated with int; a kernel takes"),
    ("x: pl.Ptr[pl.DT_FP4]", "pl.Ptr[pl.DT_FP4]", "are not supported yet"),
    ("x: pl.DT_FP8E5M2", "pl.DT_FP8E5M2", "Scalar type does not support dtype"),
    ("x: pl.Tensor[[4, 0], pl.DT_FP32]", "", "dimension 1 of tensor 'x' is a positive number"),
    ("x: pl.Tensor[[..., 4], pl.DT_FP32]", "", "'...' stands once, at the end"),
    ("x: pl.Tensor[[4], pl.DT_FP32, pl.NZ]", "", "tensors are pl.ND in this version"),
    ("x: pl.Ptr[pl.DT_FP32], *y", "y", "a kernel has no '*y'"),
    ("x: pl.Ptr[pl.DT_FP32] = None", "None", "a parameter of a kernel has no default"),
    ("t: Tiling, x: pl.Ptr[pl.DT_FP32]", "", "Tiling parameter 't' must be the last parameter"),
    ("x: pl.DT_INT64, t: Tiling, u: Tiling", "", "has 2 tiling parameters (t, u), but at most 1"),
]


@pytest.mark.parametrize("parameters, mark, message", PARAMETERS, ids=[p[0] for p in PARAMETERS])
def test_wrong_parameter(load, parameters, mark, message):
    options = "(tiling_key=Key)"
    error = failure(lambda: program(load, "pass", parameters, options).parameters)
    found = [item for item in error.diagnostics if message in item.message]
    assert found, str(error)
    assert mark in ("", marked(found[0])), str(error)


def test_all_errors_of_a_kernel_at_once(load):
    error = failure(program(load, "a = one\nif n > 1:\n    b = two\nc = a + 1\nd = three").as_mlir)
    assert [marked(item) for item in error.diagnostics] == ["one", "two", "three"]


def test_an_error_in_a_helper_shows_the_calls(load):
    error = failure(program(load, "y = outer(n)").as_mlir)
    (found,) = error.diagnostics
    assert marked(found) == "missing"
    assert [item.message for item in found.notes] == [
        "in 'inner', called here",
        "in 'outer', called here",
    ]
    assert [marked(item) for item in found.notes] == ["inner(v)", "outer(n)"]


def test_an_error_in_a_loop_is_said_once(load):
    body = "y = 0\nfor i in pl.range(n):\n    for j in pl.range(i):\n        y += z\n"
    error = failure(program(load, body).as_mlir)
    assert [marked(item) for item in error.diagnostics] == ["z"]


def test_a_field_cannot_be_bound(load):
    for body, mark in (
        ("Fast = 1", "Fast"),
        ("for Fast in pl.range(4):\n    pass", "Fast"),
        ("y, Fast = 1, 2", "Fast"),
    ):
        kernel = program(load, body, options="(tiling_key=Key)")
        error = failure(lambda kernel=kernel: kernel.as_mlir(key={"Fast": 0, "Rows": 16}))
        assert marked(error.diagnostics[0]) == mark
        assert "is a field of the tiling key Key, which a kernel cannot bind" in str(error)


def test_what_a_launch_refuses(load):
    kernel = program(load, "pass")
    array = np.zeros(4, np.float32)
    for args, message in (
        ((array,), "kernel takes 2 arguments (x, n), found 1"),
        ((1, 2), "argument 'x' is an array"),
        ((array.astype(np.float16), 2), "argument 'x' is pl.Ptr[FP32], found elements of FP16"),
        ((array, array), "argument 'n' is a scalar (INT64), found an array"),
        ((array, 1.5), "argument 'n' is INT64, found 1.5"),
        ((array[::2], 2), "argument 'x' is not contiguous"),
    ):
        assert message in str(failure(lambda args=args: kernel[1](*args)))
    with pytest.raises(TypeError, match="No ctypes mapping for scalar dtype"):
        program(load, "pass", "x: pl.Ptr[pl.DT_FP32], n: pl.DT_FP16")[1](array, 1.0)


def test_arguments_by_name(load):
    kernel = program(load, "if n == 3:\n    pl.trap()")
    array = np.zeros(4, np.float32)
    kernel[1](n=2, x=array)
    with pytest.raises(PyptoError):
        kernel[1](n=3, x=array)
    for args, words, message in (
        ((), {"x": array, "m": 2}, "'kernel' has no parameter 'm'; it has x, n"),
        ((array,), {"x": array, "n": 2}, "parameter 'x' is given twice"),
        ((), {"n": 2}, "argument 'x' is missing; 'kernel' takes (x, n)"),
    ):
        error = failure(lambda args=args, words=words: kernel[1](*args, **words))
        assert message in str(error) and error.diagnostics[0].line


def test_what_the_decorator_refuses(load):
    with pytest.raises(TypeError, match=r"jit\(\) got unexpected keyword argument\(s\): fast"):
        program(load, "pass", options="(fast=True)")
    with pytest.raises(PyptoError, match='arch is "a2", "a3", "a5", "auto" or None'):
        program(load, "pass", options="(arch='a9')")
    with pytest.raises(UnsupportedFeatureError, match="it comes with 4 of 4"):
        program(load, "pass", options="(pipeline=3)")


def test_a_function_without_annotations_stays_one(load):
    module = load(
        "import pypto_pro.language as pl\n\n\n@pl.jit\ndef f(a, b=2):\n    return a + b\n"
    )
    assert module.f(1) == 3


def test_a_read_only_array_that_is_written(load):
    body = "xs = pl.make_tensor(x, [4])\nxs[0] = 1.0"
    array = np.zeros(4, np.float32)
    array.flags.writeable = False
    error = failure(lambda: program(load, body)[1](array, 1))
    assert "'x' is written by the kernel, and is read-only" in str(error)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("pl.get_value: reads 'g'", "pl.getval: reads 'g'"),
        ("pto.block.trap: stops", "pl.trap: stops"),
        ("pto.tile.slot: picks slot 2 of 2", "a tile group: picks slot 2 of 2"),
        (
            "no instruction of 950 does it on BF16 after pto-legalize",
            "no instruction of 950 does it on BF16",
        ),
        (
            "order them with pl.system.syncall (pto.block.cross_core_set and cross_core_wait in "
            "mode 0)",
            "order them with pl.system.sync_all",
        ),
    ],
)
def test_names_of_the_ir_are_those_of_pro(raw, words):
    from pypto_pro.jit.words import spoken

    assert spoken(raw) == words
