# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Programs in Python that read what is not there, or reach where nothing is."""

import numpy as np
import pypto
import pytest
from checking import At, Wrong, line_of, ones, refuse, run, zeros
from pypto.runtime import RunConfig
from test_checks_order import HEAD, MADE, WHOLE, entry

INT = np.int32
OPEN = "x: T, n: pl.Scalar[pl.INDEX], out: pl.Out[T]"
UNINITIALIZED = {
    "an array that nobody writes": Wrong(
        "uninitialized",
        entry(MADE + "total(x, a, out)"),
        At("total.y", "y", "read", WHOLE, "DDR", "MTE2", 1, "total"),
    ),
    "half of an array": Wrong(
        "uninitialized",
        entry(
            "a = pl.create_tensor([128, 64], pl.FP32)\ncopy(x, a[0:64, :])\ncopy(a[32:96, :], out)"
        ),
        At("copy.load", "x", "read", (16384, 24576), "DDR", "MTE2", 2, "copy"),
    ),
    "what a task on a condition would have written": Wrong(
        "uninitialized",
        entry(
            MADE + "_, _ = pl.submit(copy, x, a, predicate=f[0, 2] > 1)\ncopy(a, out)",
            "x: T, f: F, out: pl.Out[T]",
        ),
        At("copy.load", "x", "read", WHOLE, task=2),
        arguments=lambda: (ones(), ones(1, 8, INT), zeros()),
    ),
    "what a loop of no iterations would have written": Wrong(
        "uninitialized",
        entry(
            MADE + "for _ in pl.range(n):\n    copy(x, a)\ncopy(a, out)",
            OPEN,
        ),
        At("copy.load", "x", "read", WHOLE, task=1),
        arguments=lambda: (ones(), 0, zeros()),
    ),
    "an element that the control plane reads": Wrong(
        "uninitialized",
        entry(
            "f = pl.create_tensor([1, 8], pl.INT32)\n"
            "for _ in pl.range(f[0, 5]):  #: element\n    copy(x, out)\ncopy(x, out)"
        ),
        At("element", "f", "read", (20, 24), "DDR"),
        # Zeros, as the model makes arrays of them.
    ),
    "the element of a condition": Wrong(
        "uninitialized",
        entry(
            "f = pl.create_tensor([1, 8], pl.INT32)\ncopy(x, out)\n"
            "_, _ = pl.submit(copy, x, out, predicate=f[0, 5] > 1)  #: condition"
        ),
        At("condition", "f", "read", (20, 24), "DDR", task=2),
    ),
}
OUT = """
@pl.jit.incore
def adds(x: T, out: pl.Out[T]):
    t = pl.load(x, [0, 0], [32, 64])
    pl.store(t, [0, 0], out)
    u = pl.load(out, [FROM, 0], [32, 64])  #: out.load
    pl.store(pl.add(t, u), [32, 0], out)
    return out
"""
OUT_READ = {
    "rows that the kernel has not written": Wrong(
        "out_read",
        entry("adds(x, out)", kernels=OUT.replace("FROM", "16")),
        At("out.load", "out", "read", (8192, 12288), "DDR", "MTE2", 1, "adds"),
        message="an array whose content it reads is InOut, not Out",
    ),
    "what another task has written": Wrong(
        "out_read",
        entry("copy(x, out)\nadds(x, out)", kernels=OUT.replace("FROM", "32")),
        At("out.load", "out", "read", (8192, 16384), "DDR", "MTE2", 2, "adds"),
    ),
    "what another block writes": Wrong(
        "out_read",
        entry(
            "with pl.spmd(2):\n    parts(x, out)",
            kernels="""
@pl.jit.incore
def parts(x: T, out: pl.Out[T]):
    i = pl.get_block_idx()
    t = pl.load(x, [i * 32, 0], [16, 64])
    pl.store(t, [i * 32, 0], out)
    u = pl.load(out, [i * 32 + 16, 0], [16, 64])  #: out.load
    pl.store(u, [i * 32 + 16, 0], out)
    return out
""",
        ),
        At("out.load", "out", "read", (4096, 8192), "DDR", task=1, block=0),
    ),
}


@pytest.mark.parametrize("name", UNINITIALIZED)
def test_uninitialized(name, load):
    refuse(UNINITIALIZED[name], load)


@pytest.mark.parametrize("name", OUT_READ)
def test_out_read(name, load):
    refuse(OUT_READ[name], load)


def kernel(body, parameters=OPEN):
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    names = ", ".join(part.split(":")[0].strip() for part in parameters.split(", ") if ":" in part)
    return entry(
        f"k({names})",
        parameters,
        f"\n@pl.jit.incore\ndef k({parameters}):\n{lines}\n    return out\n",
    )


def given(n):
    return lambda: (ones(), n, zeros())


BOUNDS = {
    "a load behind the end": Wrong(
        "bounds",
        kernel("t = pl.load(x, [n, 0], [32, 64])  #: here\npl.store(t, [0, 0], out)"),
        At("here", "x", space="DDR", task=1, name="k"),
        message="in dimension 0 it covers 33 to 64 of 0 to 63",
        arguments=given(33),
        off=None,
    ),
    "a load in front of the beginning": Wrong(
        "bounds",
        kernel("t = pl.load(x, [0, n - 1], [64, 32])  #: here\npl.store(t, [0, 0], out)"),
        At("here", "x"),
        message="in dimension 1 it covers -1 to 30 of 0 to 63",
        arguments=given(0),
        off=None,
    ),
    "a store behind the end": Wrong(
        "bounds",
        kernel("t = pl.load(x, [0, 0], [32, 64])\npl.store(t, [n, 0], out)  #: here"),
        At("here", "out", space="DDR"),
        message="in dimension 0 it covers 40 to 71 of 0 to 63",
        arguments=given(40),
        off=None,
    ),
    "the last block of too many": Wrong(
        "bounds",
        entry(
            """
with pl.spmd(n):
    i = pl.get_block_idx()
    t = pl.load(x, [i * 16, 0], [16, 64])  #: here
    pl.store(t, [i * 16, 0], out)
""",
            OPEN,
        ),
        At("here", "x", block=4),
        arguments=given(5),
        off=None,
    ),
    "a slice behind the end": Wrong(
        "bounds",
        entry("copy(x[n:n + 64, :], out)  #: here", "x: R, n: pl.Scalar[pl.INDEX], out: pl.Out[T]"),
        At("here", "x"),
        message="in dimension 0 it covers 200 to 263 of 0 to 255",
        arguments=lambda: (ones(256), 200, zeros()),
        off=None,
    ),
    "no blocks": Wrong(
        "bounds",
        entry(
            "with pl.spmd(n):\n    copy(x, out)  #: here",
            OPEN,
        ),
        At("here"),
        message="runs on 0 blocks; a task has 1 to 65535",
        arguments=given(0),
        off=None,
    ),
    "an element of a small array": Wrong(
        "bounds",
        entry(
            "rows = pl.array.create(2, pl.INDEX)\nrows[0] = 0\nrow = rows[n]  #: here\n"
            "copy(x[row:row + 64, :], out)",
            "x: R, n: pl.Scalar[pl.INDEX], out: pl.Out[T]",
        ),
        At("here"),
        message="index 2 is not within 0 to 1",
        arguments=lambda: (ones(256), 2, zeros()),
        off=None,
    ),
    "an element of an array": Wrong(
        "bounds",
        entry(
            "for _ in pl.range(f[0, n]):  #: here\n    copy(x, out)\ncopy(x, out)",
            "x: T, f: F, n: pl.Scalar[pl.INDEX], out: pl.Out[T]",
        ),
        At("here", "f"),
        message="in dimension 1 it covers 8 to 8 of 0 to 7",
        arguments=lambda: (ones(), ones(1, 8, INT), 8, zeros()),
        off=None,
    ),
    "a valid shape larger than its tile": Wrong(
        "bounds",
        kernel(
            "t = pl.load(x, [0, 0], [32, 64], valid_shape=[n, 64])  #: here\n"
            "pl.store(t, [0, 0], out)"
        ),
        At("here"),
        message="valid_shape is 33 rows, which is not within 0 to 32",
        arguments=given(33),
        off=None,
    ),
}
VALID = {
    "a sum with a tile that has less": Wrong(
        "valid_region",
        kernel(
            "t = pl.load(x, [0, 0], [64, 64])\n"
            "u = pl.load(x, [0, 0], [64, 64], valid_shape=[n, 64])  #: less\n"
            "pl.store(pl.add(t, u), [0, 0], out)  #: here"
        ),
        At("here", "u", space="Vec", task=1),
        message="reads 64 rows of 'u'.*, of which only 32 are valid",
        arguments=given(32),
        off=None,
    ),
    "a valid shape that grows": Wrong(
        "valid_region",
        kernel(
            "t = pl.load(x, [0, 0], [64, 64], valid_shape=[16, 64])\n"
            "u = pl.set_validshape(t, n, 64)\npl.store(u, [0, 0], out)  #: here"
        ),
        At("here", "t"),
        message="reads 32 rows of 't'.*, of which only 16 are valid",
        arguments=given(32),
        off=None,
    ),
    "rows of no columns": Wrong(
        "valid_region",
        kernel(
            "t = pl.load(x, [0, 0], [64, 64], valid_shape=[64, n])\n"
            "m = pl.row_max(t)  #: here\n"
            "u = pl.load(x, [0, 0], [64, 64])\n"
            "pl.store(pl.row_expand_sub(u, m), [0, 0], out)"
        ),
        At("here", "t"),
        message="without a valid column",
        arguments=given(0),
        off=None,
    ),
    "columns and rows of a product": Wrong(
        "valid_region",
        kernel(
            "a = pl.load(x, [0, 0], [64, 64], valid_shape=[64, n], target_memory=pl.Mem.Mat)\n"
            "b = pl.load(y, [0, 0], [64, 64], valid_shape=[32, 64], target_memory=pl.Mem.Mat)\n"
            "pl.store(pl.matmul(a, b), [0, 0], out)  #: here",
            "x: pl.Tensor[[64, 64], pl.FP16], y: pl.Tensor[[64, 64], pl.FP16], "
            "n: pl.Scalar[pl.INDEX], out: pl.Out[T]",
        ),
        At("here"),
        message="reads 48 rows of 'b.*, of which only 32 are valid",
        arguments=lambda: (ones(dtype=np.float16), ones(dtype=np.float16), 48, zeros()),
        off=None,
    ),
}
STALE = """
for i in pl.range(2):
    t = pl.load(x, [0, 0], [64, 64])
    u = pl.load(x, [0, 0], [64, 64], valid_shape=[64 - i * n, 64])
    pl.store(OPERATION, [0, 0], out)  #: here
"""
VALID |= {
    f"what an iteration before left behind, {name}": Wrong(
        "valid_region",
        kernel(STALE.replace("OPERATION", operation)),
        At("here", space="Vec"),
        message="reads 64 rows of .*, of which only 32 are valid",
        arguments=given(32),
        off=None,
    )
    for name, operation in {
        "a sum": "pl.add(t, u)",
        "the second of two": "pl.add(pl.exp(t), pl.mul(t, u))",
        "a row's value": "pl.row_expand_mul(t, pl.row_max(u))",
    }.items()
}
DIVISION = {
    "an offset": Wrong(
        "division",
        kernel("t = pl.load(x, [64 // n, 0], [32, 64])  #: here\npl.store(t, [0, 0], out)"),
        At("here", name="k"),
        message="division of 64 by zero",
        arguments=given(0),
        off=None,
    ),
    "the rest of a block's number": Wrong(
        "division",
        entry(
            """
for i in pl.spmd(2):
    t = pl.load(x, [i % n * 32, 0], [32, 64])  #: here
    pl.store(t, [i * 32, 0], out)
""",
            OPEN,
        ),
        At("here", block=0),
        arguments=given(0),
        off=None,
    ),
    "a bound of a loop of tasks": Wrong(
        "division",
        entry(
            "for _ in pl.range(8 // n):  #: here\n    copy(x, out)\ncopy(x, out)",
            OPEN,
        ),
        At("here"),
        message="division of 8 by zero",
        arguments=given(0),
        off=None,
    ),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds(name, load):
    refuse(BOUNDS[name], load)


@pytest.mark.parametrize("name", VALID)
def test_valid_region(name, load):
    refuse(VALID[name], load)


@pytest.mark.parametrize("name", DIVISION)
def test_division(name, load):
    refuse(DIVISION[name], load)


DIFFERENCE = {
    "two writers": "with pl.manual_scope():\n    copy(x, out)\n    copy(y, out)",
    "a reader and a writer": MADE
    + """
_, first = pl.submit(copy, x, a)
with pl.manual_scope():
    _, _ = pl.submit(copy, a, out, deps=[first])
    _, _ = pl.submit(copy, y, a, deps=[first])
""",
    "two that grow": """
_, first = pl.submit(copy, x, out)
with pl.manual_scope():
    _, _ = pl.submit(grow, out, deps=[first])
    _, _ = pl.submit(total, x, y, out, deps=[first])
""",
}


@pytest.mark.parametrize("name", DIFFERENCE)
def test_schedule_difference(name, load):
    """What no check of order sees, as it is off, the answers show."""
    text = entry(DIFFERENCE[name], "x: T, y: T, out: pl.Out[T]")
    module = load(text)
    made = lambda: (ones(), 3 * ones(), zeros())  # noqa: E731
    off = {"task_conflict": False, "uninitialized": False}
    (report,) = run(module, made(), checks=off, schedules=2)
    assert report.check == "schedule_difference"
    (access,) = report.accesses
    assert (access.variable, access.space, access.bytes) == ("out", "DDR", (0, 4))
    assert "at [0, 0] it is" in report.message and "reversed order" in report.message
    assert run(module, made(), checks={**off, "schedule_difference": False}, schedules=4) == []
    assert run(module, made(), checks=off) == []
    (report,) = run(module, made(), schedules=2)
    assert report.check == "task_conflict"


IN_WRITE = {
    "a store": "@pl.jit.incore\ndef k(x: T, out: pl.Out[T]):\n"
    "    t = pl.load(x, [0, 0], [64, 64])\n    pl.store(t, [0, 0], x)  #: here\n"
    "    pl.store(t, [0, 0], out)\n    return out\n",
    "a whole array": "@pl.jit.incore\ndef k(x: T, out: pl.Out[T]):\n"
    "    out[:] = x\n    x[:] = pl.mul(x, x)  #: here\n    return out\n",
    "a task": "@pl.jit.inline\ndef k(x: T, out: pl.Out[T]):\n    copy(x, out)\n"
    "    copy(out, x)  #: here\n",
}


@pytest.mark.parametrize("name", IN_WRITE)
def test_in_write(name, load):
    """The front end refuses it; the model, which also runs text, is in test_checks_final.py."""
    text = entry("k(x, out)", kernels=IN_WRITE[name])
    with pytest.raises(pypto.CompileError, match="'x'") as caught:
        load(text).entry(ones(), zeros())
    assert caught.value.diagnostics[0].line == line_of(text, "here"), str(caught.value)


OVERLAP = {
    "the same array": lambda x: (x[:64], x[:64]),
    "rows in common": lambda x: (x[:64], x[32:96]),
    "the last row": lambda x: (x[63:127], x[:64]),
}


@pytest.mark.parametrize("name", OVERLAP)
def test_argument_overlap(name, load):
    """Of a call it is an error whatever is checked; the model's check is that of text."""
    module = load(entry("copy(x, out)"))
    for checks in ("all", "none"):
        with pytest.raises(pypto.diagnostics.errors.ArgumentError) as caught:
            module.entry(*OVERLAP[name](ones(128)), config=RunConfig(checks=checks))
        assert "'x' and 'out' overlap in memory" in str(caught.value) or "'out' and 'x'" in str(
            caught.value
        )


def test_head_is_right(load):
    """The kernels of all these programs."""
    module = load(entry(MADE + "copy(x, a)\ncopy(x, b)\ngrow(b)\ntotal(a, b, out)"))
    out = zeros()
    assert run(module, (ones(), out), schedules=16) == []
    assert (out == 3).all() and "mark" in HEAD
