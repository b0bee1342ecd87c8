# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Clusters in Python: the cube core and its two vector cores, and what is wrong with the
flags between them."""

import numpy as np
import pytest
from checking import At, Wrong, ones, refuse, run, zeros

TEXT = """\
import pypto.language as pl

W = pl.Tensor[[64, 64], pl.FP32]
H = pl.Tensor[[64, 64], pl.FP16]

@pl.jit.incore
def cube(a: H, b: H, work: pl.InOut[W], back: H, out: pl.Out[W]):
    right = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
    left = pl.load(a, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
    product = pl.matmul(left, right)
    CUBE_STORE
    pl.store(product, [0, 0], work)  #: cube.store
    CUBE_SET
    CUBE_WAIT
    again = pl.load(back, [0, 0], [64, 64], target_memory=pl.Mem.Mat)  #: cube.load
    CUBE_DONE
    pl.store(pl.matmul(again, right), [0, 0], out)

@pl.jit.incore
def vector(work: W, back: pl.InOut[H]):
    half = pl.tile.get_subblock_idx() * 32
    VECTOR_WAIT
    t = pl.load(work, [half, 0], [32, 64])  #: vector.load
    u = pl.cast(t, pl.FP16)
    pl.store(u, [half, 0], back)  #: vector.store
    VECTOR_SET
    VECTOR_MORE

@pl.jit
def entry(a: H, b: H, work: pl.InOut[W], back: pl.InOut[H], out: pl.Out[W]):
    with pl.cluster(name_hint="pair"):
        cube(a, b, work, back, out)  #: cube
        vector(work, back)  #: vector
    return out
"""
SET = "pl.system.sync_set({}, pipe=pl.PipeType.{})  #: {}"
WAIT = "pl.system.sync_wait({}, pipe=pl.PipeType.{})  #: {}"
SIBLINGS = "pl.system.sync_set(0, pipe=pl.PipeType.MTE2, ffts_mode=1)"
RIGHT = {
    "CUBE_STORE": "",
    "CUBE_SET": SET.format(0, "FIX", "ready.set"),
    "VECTOR_WAIT": WAIT.format(0, "MTE2", "ready.wait"),
    "VECTOR_SET": SET.format(1, "MTE3", "back.set"),
    "CUBE_WAIT": WAIT.format(1, "MTE2", "back.wait"),
    "CUBE_DONE": "",
    "VECTOR_MORE": "",
}


def cluster(**parts):
    text = TEXT
    for name, line in {**RIGHT, **parts}.items():
        text = text.replace(f"    {name}\n", f"    {line}\n" if line else "")
    return text


def arguments():
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, (64, 64)).astype(np.float16) for _ in range(2))
    return a, b, ones(), ones(dtype=np.float16), zeros()


def wrong(check, parts, now, other=None, **more):
    return Wrong(check, cluster(**parts), now, other, arguments=arguments, **more)


HALF_WORK, SECOND_WORK = (0, 8192), (8192, 16384)
CASES = {
    "no flag in front of the vector cores": wrong(
        "core_race",
        {"CUBE_SET": "", "VECTOR_WAIT": ""},
        At("vector.load", "work", "read", HALF_WORK, "DDR", "MTE2", core="AIV 0", name="pair"),
        At("cube.store", "work", "write", HALF_WORK, "DDR", "FIX", core="the AIC"),
        fix="cross_core_set fix and cross_core_wait",
    ),
    "no flag back": wrong(
        "core_race",
        {"CUBE_WAIT": "", "VECTOR_SET": ""},
        At("vector.store", "back", "write", (0, 4096), "DDR", "MTE3", core="AIV 0"),
        At("cube.load", "back", "read", (0, 4096), "DDR", "MTE2", core="the AIC"),
        fix="cross_core_set mte2 and cross_core_wait",
    ),
    "a signal before the store": wrong(
        "core_race",
        {"CUBE_STORE": RIGHT["CUBE_SET"], "CUBE_SET": ""},
        At("vector.load", "work", "read", HALF_WORK, core="AIV 0"),
        At("cube.store", "work", "write", HALF_WORK, core="the AIC"),
    ),
    "the vector cores write the same rows": Wrong(
        "core_race",
        cluster().replace("pl.store(u, [half, 0], back)", "pl.store(u, [0, 0], back)"),
        At("vector.store", "back", "write", (0, 4096), "DDR", "MTE3", core="AIV 1"),
        At("vector.store", "back", "write", (0, 4096), "DDR", "MTE3", core="AIV 0"),
        arguments=arguments,
    ),
    "a signal that nobody waits for": wrong(
        "cross_core",
        {"VECTOR_MORE": SET.format(3, "MTE3", "more.set")},
        At("more.set", core="AIV 0"),
        fix="pto.block.cross_core_wait 3",
        message="cross-core flag 3 is still set when the kernel ends",
    ),
    "more signals than a counter holds": wrong(
        "cross_core",
        {
            "CUBE_DONE": "for _ in pl.range(16):\n        " + SET.format(2, "FIX", "many.set"),
            "VECTOR_MORE": "for _ in pl.range(16):\n        " + WAIT.format(2, "MTE2", "many.wait"),
        },
        At("many.set"),
        At("many.set"),
        message="set a sixteenth time before a wait",
    ),
    "one flag in two modes": wrong(
        "cross_core",
        {
            "VECTOR_WAIT": SIBLINGS
            + "  #: other.set\n    "
            + WAIT.format("0, ffts_mode=2", "MTE2", "ready.wait"),
            "VECTOR_MORE": "pl.system.sync_wait(0, pipe=pl.PipeType.MTE2, ffts_mode=1)",
        },
        At("other.set", core="AIV 0"),
        At("ready.set"),
        message="in use in mode 2; it cannot be set in mode 1",
    ),
    "a wait that nobody signals": wrong(
        "hang",
        {"VECTOR_MORE": WAIT.format(4, "MTE2", "more.wait")},
        At("more.wait", core="AIV 0", name="pair"),
        message="waits here for a signal that no core sends",
        off=None,
    ),
    "another id": wrong(
        "hang",
        {"VECTOR_WAIT": WAIT.format(2, "MTE2", "ready.wait")},
        At("back.wait", core="the AIC"),
        At("ready.wait", core="AIV 0"),
        message="the AIC waits here for a signal that no core sends",
        off=None,
    ),
    "each waits for the other": wrong(
        "hang",
        {
            "CUBE_STORE": WAIT.format(3, "FIX", "first.wait"),
            "VECTOR_MORE": SET.format(3, "MTE3", "last.set"),
        },
        At("first.wait", core="the AIC"),
        At("ready.wait", core="AIV 0"),
        off=None,
    ),
    "only one vector core signals": wrong(
        "hang",
        {"VECTOR_SET": "if half < 1:\n        " + RIGHT["VECTOR_SET"]},
        At("back.wait", core="the AIC"),
        off=None,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_cores(name, load):
    refuse(CASES[name], load)


@pytest.mark.parametrize(
    "parts",
    [
        {},
        # What the core did in front of a signal is done before it, whatever its pipe.
        {"CUBE_SET": SET.format(0, "MTE1", "ready.set")},
        # An id again, when all have waited for it.
        {
            "VECTOR_MORE": SET.format(0, "MTE3", "again.set"),
            "CUBE_DONE": WAIT.format(0, "MTE2", "again.wait"),
        },
        {
            "CUBE_DONE": "for _ in pl.range(15):\n        " + SET.format(2, "FIX", "many.set"),
            "VECTOR_MORE": "for _ in pl.range(15):\n        " + WAIT.format(2, "MTE2", "many.wait"),
        },
    ],
)
def test_the_right_one(parts, load):
    """All the wrong ones are this one with a change."""
    given = arguments()
    assert run(load(cluster(**parts)), given, schedules=16) == []
    a, b, work, back, out = given
    product = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float32)
    np.testing.assert_array_equal(work, product)
    np.testing.assert_array_equal(back, product.astype(np.float16))
    np.testing.assert_array_equal(out, back.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("core", ["cube", "vector"])
def test_what_the_other_core_has_not_written_yet(core, load):
    """Without flags a core may come first; then it is the order that is wrong, not that
    nobody writes the bytes."""
    if core == "cube":
        parts = {"CUBE_WAIT": "", "VECTOR_SET": ""}
        now = At("cube.load", "back", "read", (0, 4096), core="the AIC")
        other = At("vector.store", "back", "write", (0, 4096), core="AIV 0")
    else:
        parts = {"CUBE_SET": "", "VECTOR_WAIT": ""}
        now = At("vector.load", "work", "read", HALF_WORK, core="AIV 0")
        other = At("cube.store", "work", "write", HALF_WORK, core="the AIC")
    made = (
        "work = pl.create_tensor([64, 64], pl.FP32)\n    back = pl.create_tensor([64, 64], pl.FP16)"
    )
    text = cluster(**parts).replace(
        "def entry(a: H, b: H, work: pl.InOut[W], back: pl.InOut[H], out: pl.Out[W]):",
        f"def entry(a: H, b: H, out: pl.Out[W]):\n    {made}",
    )
    case = Wrong(
        "core_race",
        text,
        now,
        other,
        off="uninitialized" if core == "cube" else "passes",
        arguments=lambda: (*arguments()[:2], zeros()),
    )
    refuse(case, load)
