# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Programs in Python whose tasks, blocks or cores are in no order where they need one."""

import numpy as np
import pytest
from checking import At, Wrong, line_of, ones, refuse, run, zeros

HEAD = """\
import pypto.language as pl

T = pl.Tensor[[64, 64], pl.FP32]
R = pl.Tensor[[256, 64], pl.FP32]
F = pl.Tensor[[1, 8], pl.INT32]

@pl.jit.incore
def copy(x: T, out: pl.Out[T]):
    t = pl.load(x, [0, 0], [64, 64])  #: copy.load
    pl.store(t, [0, 0], out)  #: copy.store
    return out

@pl.jit.incore
def total(x: T, y: T, out: pl.Out[T]):
    a = pl.load(x, [0, 0], [64, 64])  #: total.x
    b = pl.load(y, [0, 0], [64, 64])  #: total.y
    pl.store(pl.add(a, b), [0, 0], out)  #: total.store
    return out

@pl.jit.incore
def grow(x: pl.InOut[T]):
    t = pl.load(x, [0, 0], [64, 64])  #: grow.load
    pl.store(pl.mul(t, 2.0), [0, 0], x)  #: grow.store
    return x

@pl.jit.incore
def mark(x: F, out: pl.Out[F]):
    t = pl.load(x, [0, 0], [1, 8])
    pl.store(t, [0, 0], out)  #: mark.store
    return out
"""
WHOLE = (0, 64 * 64 * 4)


def entry(body, parameters="x: T, out: pl.Out[T]", kernels=""):
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    return f"{HEAD}\n{kernels}\n@pl.jit\ndef entry({parameters}):\n{lines}\n    return out\n"


def tall():
    return ones(256), zeros(256)


MADE = "a = pl.create_tensor([64, 64], pl.FP32)\nb = pl.create_tensor([64, 64], pl.FP32)\n"
TASKS = {
    "a manual scope without deps": Wrong(
        "task_conflict",
        entry(MADE + "with pl.manual_scope():\n    copy(x, a)\n    copy(a, out)"),
        At("copy.load", "x", "read", WHOLE, "DDR", "MTE2", 2, "copy"),
        At("copy.store", "out", "write", WHOLE, "DDR", "MTE3", 1, "copy"),
        fix=r"deps= of task 2 'copy' with the token of task 1 'copy'",
    ),
    "no_dep where there is a dependence": Wrong(
        "task_conflict",
        entry(MADE + "copy(x, a)\ncopy(pl.no_dep(a), out)"),
        At("copy.load", "x", "read", WHOLE, "DDR", task=2),
        At("copy.store", "out", "write", WHOLE, task=1),
        fix="deps= of task 2 'copy'",
    ),
    "one of two deps is missing": Wrong(
        "task_conflict",
        entry(
            MADE
            + """
with pl.manual_scope():
    _, first = pl.submit(copy, x, a)
    _, second = pl.submit(copy, x, b)
    _, _ = pl.submit(total, a, b, out, deps=[first])
"""
        ),
        At("total.y", "y", "read", WHOLE, "DDR", "MTE2", 3, "total"),
        At("copy.store", "out", "write", WHOLE, task=2),
        fix="deps= of task 3 'total' with the token of task 2 'copy'",
    ),
    "the reader may come after the next write": Wrong(
        "task_conflict",
        entry(
            MADE
            + """
with pl.manual_scope():
    _, made = pl.submit(copy, x, a)
    _, read = pl.submit(copy, a, b, deps=[made])
    _, again = pl.submit(copy, x, a, deps=[made])
    _, _ = pl.submit(total, a, b, out, deps=[read, again])
"""
        ),
        At("copy.store", "out", "write", WHOLE, "DDR", "MTE3", 3),
        At("copy.load", "x", "read", WHOLE, "DDR", "MTE2", 2),
        fix="deps= of task 3 'copy' with the token of task 2 'copy'",
    ),
    "two tasks write one array": Wrong(
        "task_conflict",
        entry("with pl.manual_scope():\n    copy(x, out)\n    copy(x, out)"),
        At("copy.store", "out", "write", WHOLE, task=2),
        At("copy.store", "out", "write", WHOLE, task=1),
    ),
    "an array of tasks read at the wrong place": Wrong(
        "task_conflict",
        entry(
            """
tids = pl.array.create(4, pl.TASK_ID)
with pl.manual_scope():
    for i in pl.range(4):
        _, tids[i] = pl.submit(copy, x[i * 64:(i + 1) * 64, :], out[i * 64:(i + 1) * 64, :])
    for i in pl.range(1, 4):
        _, _ = pl.submit(grow, out[i * 64:(i + 1) * 64, :], deps=[tids[i - 1]])
""",
            "x: R, out: pl.Out[R]",
        ),
        At("grow.store", "x", "write", (16384, 32768), "DDR", task=5, name="grow"),
        At("copy.store", "out", "write", (16384, 32768), task=2),
        fix="deps= of task 5 'grow' with the token of task 2 'copy'",
        arguments=tall,
    ),
    "windows that overlap by run-time offsets": Wrong(
        "task_conflict",
        entry(
            """
with pl.manual_scope():
    for i in pl.range(3):
        row = i * step
        copy(x, out[row:row + 64, :])
""",
            "x: T, step: pl.Scalar[pl.INDEX], out: pl.Out[R]",
        ),
        At("copy.store", "out", "write", (12288, 16384), task=2),
        At("copy.store", "out", "write", (12288, 16384), task=1),
        arguments=lambda: (ones(), 48, zeros(256)),
    ),
    "columns that overlap": Wrong(
        "task_conflict",
        entry(
            "with pl.manual_scope():\n    copy(x, out[:, 0:64])\n    copy(x, out[:, 60:124])",
            "x: T, out: pl.Out[pl.Tensor[[64, 128], pl.FP32]]",
        ),
        At("copy.store", "out", "write", (240, 256), task=2),
        At("copy.store", "out", "write", (240, 256), task=1),
        arguments=lambda: (ones(), zeros(64, 128)),
    ),
    "a predicate that does not wait for what it reads": Wrong(
        "task_conflict",
        entry(
            """
f = pl.create_tensor([1, 8], pl.INT32)
copy(x, out)
with pl.manual_scope():
    _, marked = pl.submit(mark, given, f)
    _, _ = pl.submit(grow, out, predicate=f[0, 3] > 0)  #: condition
""",
            "x: T, given: F, out: pl.Out[T]",
        ),
        At("condition", access="read", bytes=(12, 16), space="DDR", task=3, name="grow"),
        At("mark.store", "out", "write", (12, 16), task=2, name="mark"),
        arguments=lambda: (ones(), ones(1, 8, np.int32), zeros()),
        # Nothing orders it behind the copy either.
        off="passes",
    ),
    "a swap that a manual scope does not follow": Wrong(
        "task_conflict",
        entry(
            MADE
            + """
_, last = pl.submit(copy, x, a)
with pl.manual_scope():
    for i in pl.range(3):
        _, tid = pl.submit(copy, a, b, deps=[last])
        a, b = b, a
    _, _ = pl.submit(copy, a, out, deps=[last])
"""
        ),
        At("copy.load", "x", "read", WHOLE, task=3),
        At("copy.store", "out", "write", WHOLE, task=2),
    ),
    "a block of a task and a task": Wrong(
        "task_conflict",
        entry(
            """
with pl.manual_scope():
    with pl.spmd(4) as _:
        i = pl.get_block_idx()
        t = pl.load(x, [i * 64, 0], [64, 64])
        pl.store(t, [i * 64, 0], out)  #: spmd.store
    grow(out[128:192, :])
""",
            "x: R, out: pl.Out[R]",
        ),
        At("grow.store", "x", "write", (32768, 49152), task=2, name="grow"),
        At("spmd.store", "out", "write", (32768, 49152), task=1, block=2),
        arguments=tall,
    ),
}


@pytest.mark.parametrize("name", TASKS)
def test_tasks(name, load):
    refuse(TASKS[name], load)


SPMD = """
@pl.jit.incore
def rows(x: R, work: pl.InOut[R], out: pl.Out[R]):
    i = pl.get_block_idx()
    t = pl.load(x, [i * 64, 0], [64, 64])
    pl.store(t, [i * 64, 0], work)  #: work.store
    BEFORE
    u = pl.load(work, [(i + 1) % 4 * 64, 0], [64, 64])  #: work.load
    AFTER
    pl.store(u, [i * 64, 0], out)
    return out
"""
MEET = 'pl.system.syncall(core_type="aiv_only")'


def around(before="pass", after="pass"):
    kernels = SPMD.replace("BEFORE", before).replace("AFTER", after)
    body = "work = pl.create_tensor([256, 64], pl.FP32)\nwith pl.spmd(4):\n    rows(x, work, out)"
    return entry(body, "x: R, out: pl.Out[R]", kernels)


def spmd(store, load="[i * 64, 0], [64, 64]", out="out: pl.Out[R]"):
    body = f"""
for i in pl.spmd(4, name_hint="part"):
    t = pl.load(x, {load})
    pl.store(t, {store}, out)  #: here
"""
    return entry(body, f"x: R, {out}")


BLOCKS = {
    "rows that overlap": Wrong(
        "block_conflict",
        spmd("[i * 63, 0]"),
        At("here", "out", "write", (16128, 16384), "DDR", "MTE3", 1, None, 1),
        At("here", "out", "write", (16128, 16384), "DDR", "MTE3", 1, None, 0),
        fix="pl.system.syncall",
        arguments=tall,
    ),
    "all blocks write the same": Wrong(
        "block_conflict",
        spmd("[0, 0]"),
        At("here", "out", "write", WHOLE, block=1),
        At("here", "out", "write", WHOLE, block=0),
        arguments=tall,
    ),
    "columns that overlap": Wrong(
        "block_conflict",
        spmd("[0, i * 14]", "[0, i * 16], [64, 16]", "out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"),
        At("here", "out", "write", (56, 64), block=1),
        At("here", "out", "write", (56, 64), block=0),
        arguments=lambda: (ones(256), zeros()),
    ),
    "a run-time stride that is too small": Wrong(
        "block_conflict",
        entry(
            """
with pl.spmd(n):
    i = pl.get_block_idx()
    t = pl.load(x, [i * by, 0], [32, 64])  #: load
    pl.store(t, [i * by, 0], out)  #: here
""",
            "x: R, n: pl.Scalar[pl.INDEX], by: pl.Scalar[pl.INDEX], out: pl.Out[R]",
        ),
        At("here", "out", "write", (4096, 8192), block=1),
        At("here", "out", "write", (4096, 8192), block=0),
        arguments=lambda: (ones(256), 4, 16, zeros(256)),
    ),
    "a block reads what its neighbour writes": Wrong(
        "block_conflict",
        around(),
        At("work.store", "work", "write", (16384, 32768), block=1),
        At("work.load", "work", "read", (16384, 32768), block=0),
        arguments=tall,
        off="uninitialized",
    ),
    "all blocks meet too late": Wrong(
        "block_conflict",
        around(after=MEET),
        At("work.store", "work", "write", (16384, 32768), block=1),
        At("work.load", "work", "read", (16384, 32768), block=0),
        arguments=tall,
        off="uninitialized",
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks(name, load):
    refuse(BLOCKS[name], load)


@pytest.mark.parametrize("name", ["a manual scope without deps", "one of two deps is missing"])
def test_whoever_comes_first(name, load):
    """Under an order in which the reader runs first it is the missing edge that is reported,
    not that its bytes are unwritten."""
    module = load(TASKS[name].text)
    seen = set()
    for seed in range(12):
        (report,) = run(module, (ones(), zeros()), schedule_seed=seed)
        assert report.check == "task_conflict"
        read, write = report.accesses
        assert (read.access, write.access, write.bytes) == ("read", "write", WHOLE)
        assert read.line == line_of(TASKS[name].text, TASKS[name].now.label)
        assert "deps= of task" in report.fix
        seen.add(write.operation)
    assert len(seen) == 2, "no order in which the reader came first"
