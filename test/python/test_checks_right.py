# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Right programs near the wrong ones: no check says anything about them under any order
of their tasks, and their answers are NumPy's."""

import dataclasses

import numpy as np
import pytest
from checking import ones, run, zeros
from pypto.jit import driver
from pypto.runtime import RunConfig
from test_checks_order import MADE, MEET, around, entry, spmd
from test_end_to_end import EXAMPLES, load_example

SCHEDULES = 16


def ramp(rows=64, cols=64):
    return np.arange(rows * cols, dtype=np.float32).reshape(rows, cols) % 251


@dataclasses.dataclass(frozen=True)
class Right:
    """`answer`: what becomes of the last argument, from copies of the arguments."""

    text: str
    arguments: object
    answer: object


def two(rows=64, cols=64):
    return lambda: (ramp(rows, cols), zeros(rows, cols))


def tokens(parameters="x: T, out: pl.Out[T]"):
    return lambda body: entry(MADE + "with pl.manual_scope():\n" + indent(body), parameters)


def indent(body):
    return "\n".join("    " + line for line in body.strip("\n").splitlines())


manual = tokens()
STEPS = "x: T, n: pl.Scalar[pl.INDEX], out: pl.Out[T]"
CASES = {
    "a chain of tokens": Right(
        manual("_, made = pl.submit(copy, x, a)\n_, _ = pl.submit(copy, a, out, deps=[made])"),
        two(),
        lambda x, out: x,
    ),
    "both deps": Right(
        manual(
            "_, first = pl.submit(copy, x, a)\n_, second = pl.submit(copy, x, b)\n"
            "_, _ = pl.submit(total, a, b, out, deps=[first, second])"
        ),
        two(),
        lambda x, out: x + x,
    ),
    "the next write waits for the reader": Right(
        manual(
            """
_, made = pl.submit(copy, x, a)
_, read = pl.submit(copy, a, b, deps=[made])
_, grown = pl.submit(grow, a, deps=[read])
_, _ = pl.submit(total, a, b, out, deps=[grown])
"""
        ),
        two(),
        lambda x, out: 3 * x,
    ),
    "a diamond": Right(
        entry(
            """
left, right = pl.create_tensor([64, 64], pl.FP32), pl.create_tensor([64, 64], pl.FP32)
top = pl.create_tensor([64, 64], pl.FP32)
with pl.manual_scope():
    _, t = pl.submit(copy, x, top)
    _, l = pl.submit(total, top, x, left, deps=[t])
    _, r = pl.submit(total, top, top, right, deps=[t])
    _, _ = pl.submit(total, left, right, out, deps=[l, r])
"""
        ),
        two(),
        lambda x, out: 4 * x,
    ),
    "a diamond through a dummy": Right(
        manual(
            """
_, l = pl.submit(copy, x, a)
_, r = pl.submit(copy, x, b)
both = pl.system.task_dummy(deps=[l, r])
_, _ = pl.submit(total, a, b, out, deps=[both])
"""
        ),
        two(),
        lambda x, out: 2 * x,
    ),
    "an array of tasks read at the right place": Right(
        entry(
            """
tids = pl.array.create(4, pl.TASK_ID)
with pl.manual_scope():
    for i in pl.range(4):
        _, tids[i] = pl.submit(copy, x[i * 64:(i + 1) * 64, :], out[i * 64:(i + 1) * 64, :])
    for i in pl.range(1, 4):
        _, _ = pl.submit(grow, out[i * 64:(i + 1) * 64, :], deps=[tids[i]])
""",
            "x: R, out: pl.Out[R]",
        ),
        two(256),
        lambda x, out: np.concatenate([x[:64], 2 * x[64:]]),
    ),
    "a whole array of tasks": Right(
        entry(
            """
made = pl.create_tensor([256, 64], pl.FP32)
tids = pl.array.create(4, pl.TASK_ID)
with pl.manual_scope():
    for i in pl.range(4):
        _, tids[i] = pl.submit(copy, x, made[i * 64:(i + 1) * 64, :])
    _, _ = pl.submit(total, made[0:64, :], made[192:256, :], out, deps=[tids])
"""
        ),
        two(),
        lambda x, out: 2 * x,
    ),
    "disjoint columns in a manual scope": Right(
        entry(
            """
with pl.manual_scope():
    for i in pl.range(3):
        copy(x, out[:, i * 64:(i + 1) * 64])
""",
            "x: T, out: pl.Out[pl.Tensor[[64, 192], pl.FP32]]",
        ),
        lambda: (ramp(), zeros(64, 192)),
        lambda x, out: np.tile(x, 3),
    ),
    "a slice beside the one that another reads": Right(
        entry(
            """
_, first = pl.submit(copy, x[0:64, :], out[0:64, :])
with pl.manual_scope():
    _, _ = pl.submit(copy, out[0:64, :], out[64:128, :], deps=[first])
    _, _ = pl.submit(copy, x[64:128, :], out[128:192, :])
    _, _ = pl.submit(grow, out[192:256, :])
""",
            "x: R, out: pl.InOut[R]",
        ),
        lambda: (ramp(256), ones(256)),
        lambda x, out: np.concatenate([x[:64], x[:64], x[64:128], 2 * out[192:]]),
    ),
    "two tasks read one array": Right(
        entry(
            MADE + "copy(pl.no_dep(x), a)\ncopy(pl.no_dep(x), b)\ntotal(a, b, out)",
        ),
        two(),
        lambda x, out: 2 * x,
    ),
    "no_dep where the bytes are others": Right(
        entry(
            """
for i in pl.parallel(4):
    copy(x, pl.no_dep(out[i * 64:(i + 1) * 64, :]))
""",
            "x: T, out: pl.Out[R]",
        ),
        lambda: (ramp(), zeros(256)),
        lambda x, out: np.tile(x, (4, 1)),
    ),
    "run-time windows that do not overlap": Right(
        entry(
            """
with pl.manual_scope():
    for i in pl.range(3):
        row = i * step
        copy(x, out[row:row + 64, :])
""",
            "x: T, step: pl.Scalar[pl.INDEX], out: pl.InOut[R]",
        ),
        lambda: (ramp(), 72, zeros(256)),
        lambda x, step, out: np.concatenate([np.r_[x, out[:8]]] * 3 + [out[:40]]),
    ),
    "ping-pong with derived order": Right(
        entry(
            MADE
            + """
copy(x, a)
for _ in pl.range(n):
    total(a, a, b)
    a, b = b, a
copy(a, out)
""",
            STEPS,
        ),
        lambda: (ramp(), 5, zeros()),
        lambda x, n, out: x * 2**n,
    ),
    "ping-pong with carried tokens": Right(
        manual(
            """
_, last = pl.submit(copy, x, a)
for i in pl.range(5):
    _, last = pl.submit(total, a, a, b, deps=[last])
    a, b = b, a
_, _ = pl.submit(copy, a, out, deps=[last])
"""
        ),
        two(),
        lambda x, out: x * 32,
    ),
    "a task on a condition and its reader": Right(
        entry(
            MADE
            + """
copy(x, a)
_, _ = pl.submit(grow, a, predicate=f[0, 1] > 0)
copy(a, out)
""",
            "x: T, f: F, out: pl.Out[T]",
        ),
        lambda: (ramp(), np.array([[0, 1, 0, 0, 0, 0, 0, 0]], np.int32), zeros()),
        lambda x, f, out: 2 * x,
    ),
    "a task whose condition does not hold, and its reader": Right(
        entry(
            MADE
            + """
copy(x, a)
_, tid = pl.submit(grow, a, predicate=f[0, 1] > 0)
with pl.manual_scope():
    _, _ = pl.submit(copy, a, out, deps=[tid])
""",
            "x: T, f: F, out: pl.Out[T]",
        ),
        lambda: (ramp(), np.zeros((1, 8), np.int32), zeros()),
        lambda x, f, out: x,
    ),
    "a predicate that waits for what it reads": Right(
        entry(
            """
f = pl.create_tensor([1, 8], pl.INT32)
_, copied = pl.submit(copy, x, out)
with pl.manual_scope():
    _, marked = pl.submit(mark, given, f)
    _, _ = pl.submit(grow, out, deps=[marked, copied], predicate=f[0, 3] > 0)
""",
            "x: T, given: F, out: pl.Out[T]",
        ),
        lambda: (ramp(), ones(1, 8, np.int32), zeros()),
        lambda x, given, out: 2 * x,
    ),
    "a branch that chooses an array and its task": Right(
        entry(
            MADE
            + """
z = x
tid = None
with pl.manual_scope():
    if f[0, 2] > 0:
        _, tid = pl.submit(total, x, x, a)
        z = a
    _, _ = pl.submit(copy, z, out, deps=[tid])
""",
            "x: T, f: F, out: pl.Out[T]",
        ),
        lambda: (ramp(), ones(1, 8, np.int32), zeros()),
        lambda x, f, out: 2 * x,
    ),
    "the control plane reads what a task writes": Right(
        entry(
            """
f = pl.create_tensor([1, 8], pl.INT32)
mark(given, f)
copy(x, out)
for _ in pl.range(f[0, 3]):
    grow(out)
""",
            "x: T, given: F, out: pl.Out[T]",
        ),
        lambda: (ramp(), 3 * ones(1, 8, np.int32), zeros()),
        lambda x, given, out: 8 * x,
    ),
    "blocks with rows of their own": Right(spmd("[i * 64, 0]"), two(256), lambda x, out: x),
    "blocks with columns of their own": Right(
        spmd("[0, i * 16]", "[0, i * 16], [64, 16]", "out: pl.Out[T]"),
        lambda: (ramp(256), zeros()),
        lambda x, out: x[:64],
    ),
    "blocks that meet before they read": Right(
        around(before=MEET), two(256), lambda x, out: np.roll(x, -64, axis=0)
    ),
    "blocks that meet twice": Right(
        around(before=MEET, after=MEET), two(256), lambda x, out: np.roll(x, -64, axis=0)
    ),
    "a block and a task that waits for all of them": Right(
        entry(
            """
with pl.manual_scope():
    with pl.spmd(4) as all:
        i = pl.get_block_idx()
        t = pl.load(x, [i * 64, 0], [64, 64])
        pl.store(t, [i * 64, 0], out)
    _, _ = pl.submit(grow, out[128:192, :], deps=[all])
""",
            "x: R, out: pl.Out[R]",
        ),
        two(256),
        lambda x, out: np.concatenate([x[:128], 2 * x[128:192], x[192:]]),
    ),
    "a cluster beside a task on other rows": Right(
        entry(
            """
work = pl.create_tensor([64, 64], pl.FP32)
with pl.manual_scope():
    with pl.cluster():
        square(h, work)
        halves(work, out[0:64, :])
    copy(x, out[64:128, :])
""",
            "x: T, h: pl.Tensor[[64, 64], pl.FP16], out: pl.Out[pl.Tensor[[128, 64], pl.FP32]]",
            """
@pl.jit.incore
def square(h: pl.Tensor[[64, 64], pl.FP16], work: pl.InOut[T]):
    a = pl.load(h, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
    pl.store(pl.matmul(a, a), [0, 0], work)
    pl.system.sync_set(0, pipe=pl.PipeType.FIX)

@pl.jit.incore
def halves(work: T, out: pl.Out[T]):
    row = pl.tile.get_subblock_idx() * 32
    pl.system.sync_wait(0, pipe=pl.PipeType.MTE2)
    t = pl.load(work, [row, 0], [32, 64])
    pl.store(t, [row, 0], out)
""",
        ),
        lambda: (ramp(), np.eye(64, dtype=np.float16) * 3, zeros(128)),
        lambda x, h, out: np.concatenate([(h @ h).astype(np.float32), x]),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_right(name, load):
    case = CASES[name]
    arguments = case.arguments()
    wanted = case.answer(*(a if isinstance(a, int) else a.copy() for a in arguments))
    assert run(load(case.text), arguments, schedules=SCHEDULES) == []
    np.testing.assert_array_equal(arguments[-1], wanted)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_examples(path, monkeypatch):
    """With every check, under sixteen orders; each example compares its numbers itself."""
    configs = []

    def config(given):
        configs.append(given or RunConfig(checks="all", schedules=SCHEDULES))
        return configs[-1]

    monkeypatch.setattr(driver, "_config", config)
    load_example(path.stem).main()
    assert configs and all(c.schedules == SCHEDULES and c.checks == "all" for c in configs)
