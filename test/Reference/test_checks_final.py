# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Final modules whose instructions are in no order where they need one, or whose tiles lie
in each other's way: what Python does not let one write."""
# ruff: noqa: E501 (lines of IR)

from __future__ import annotations

import json

import numpy as np
import pytest
from final_checking import (
    END,
    IN,
    RIGHT,
    VOUT,
    A,
    B,
    Case,
    T,
    X,
    alloc,
    at,
    barrier,
    flag,
    full,
    kernel,
    load,
    refuse,
    set_,
    store,
    unary,
    wait,
)
from model import Program

ROWS = [0, 4096]
PIPE_RACE = {
    "a store before the load is done": Case(
        "pipe_race",
        kernel(A + load() + store() + END),
        at("store", variable="a", access="read", space="Vec", bytes=ROWS, pipe="MTE3"),
        at("load", variable="a", access="write", space="Vec", bytes=ROWS, pipe="MTE2"),
        "set_flag and wait_flag mte2 -> mte3",
    ),
    "a second load over what is being stored": Case(
        "pipe_race",
        kernel(
            A
            + load()
            + flag("mte2 -> mte3")
            + store()
            + barrier("mte2")
            + load(row="16", label="again")
            + END
        ),
        at("again", variable="a", access="write", pipe="MTE2", bytes=ROWS),
        at("store", variable="a", access="read", pipe="MTE3", bytes=ROWS),
        "mte3 -> mte2",
    ),
    "two vector instructions": Case(
        "pipe_race",
        kernel(
            A
            + B
            + load()
            + flag(IN)
            + unary("exp", "a", "b", "first")
            + unary("sqrt", "b", "b", "second")
            + flag(VOUT)
            + store("b")
            + END
        ),
        at("second", variable="b", access="read", pipe="V", bytes=[4096, 8192]),
        at("first", variable="b", access="write", pipe="V", bytes=[4096, 8192]),
        "pto.block.barrier v",
    ),
    "a signal in front of the load": Case(
        "pipe_race",
        kernel(A + set_("mte2 -> mte3") + load() + wait("mte2 -> mte3") + store() + END),
        at("store", variable="a", access="read"),
        at("load", variable="a", access="write"),
        "mte2 -> mte3",
    ),
    "a flag of another pair": Case(
        "pipe_race",
        kernel(
            A
            + B
            + load()
            + flag(IN)
            + unary("exp", "a", "b")
            + flag("mte2 -> mte3")
            + store("b")
            + END
        ),
        at("store", variable="b", access="read", pipe="MTE3"),
        at("compute", variable="b", access="write", pipe="V"),
        "v -> mte3",
    ),
    "half of a tile": Case(
        "pipe_race",
        kernel(
            A
            + "    %h = pto.tile.subview %a[8, 0] [8, 64] : !pto.buf<16x64xf32, vec, nd> -> !pto.buf<8x64xf32, vec, nd, of<16x64>>\n"
            + load()
            + flag(IN)
            + flag("mte2 -> mte3", label="m.")
            + full("h", "half", "!pto.buf<8x64xf32, vec, nd, of<16x64>>")
            + store()
            + END
        ),
        at("store", variable="a", access="read", bytes=[2048, 4096]),
        at("half", access="write", bytes=[2048, 4096], pipe="V"),
        "v -> mte3",
    ),
    "two stores to the same rows": Case(
        "pipe_race",
        kernel(
            A
            + B
            + load()
            + load("b", "16", "other")
            + flag("mte2 -> mte3")
            + store()
            + store("b", "8", "again")
            + END
        ),
        at("again", variable="y", access="write", space="DDR", bytes=[2048, 4096]),
        at("store", variable="y", access="write", space="DDR", bytes=[2048, 4096]),
        "pto.block.barrier mte3",
    ),
    "the next iteration": Case(
        "pipe_race",
        kernel(
            A
            + "    scf.for %i = %c0 to %n step %c1 {\n"
            + barrier("mte2")
            + load()
            + flag("mte2 -> mte3")
            + store()
            + "    }\n"
            + END
        ),
        at("load", variable="a", access="write", pipe="MTE2"),
        at("store", variable="a", access="read", pipe="MTE3"),
        "mte3 -> mte2",
        off=("flag_set_twice",),
    ),
}
TWICE = {
    "no wait in between": Case(
        "flag_set_twice",
        kernel(set_(IN, label="first") + set_(IN, label="second") + wait(IN) + END),
        at("second"),
        at("first"),
        message="set again before anything waits for it",
    ),
    "the wait may be late": Case(
        "flag_set_twice",
        kernel(flag(IN, label="first.") + set_(IN, label="second") + wait(IN) + END),
        at("second", pipe="MTE2"),
        at("first.wait", pipe="V"),
        "a flag from V to MTE2",
        "may be set again before V has waited",
    ),
    "the loop comes back to it": Case(
        "flag_set_twice",
        kernel("    scf.for %i = %c0 to %n step %c1 {\n" + set_(IN) + "    }\n" + wait(IN) + END),
        at("set"),
        at("set"),
    ),
    "two names of one id": Case(
        "flag_set_twice",
        kernel(
            "    %slot = arith.remui %n, %c1 : index\n"
            + set_(IN, "0", "first")
            + set_(IN, "%slot", "second")
            + wait(IN)
            + END
        ),
        at("second"),
        at("first"),
    ),
}
LEFT = {
    "a set without a wait": Case(
        "flag_left", kernel(set_(IN) + END), at("set", pipe="MTE2"), fix="wait_flag mte2 -> v, 0"
    ),
    "a wait for another id": Case(
        "flag_left",
        kernel(set_(IN, "0") + set_(IN, "1", "left") + wait(IN, "0") + END),
        at("left"),
        fix="wait_flag mte2 -> v, 1",
    ),
    "a wait that a loop of no iterations leaves out": Case(
        "flag_left",
        kernel(
            set_(VOUT) + "    scf.for %i = %n to %c1 step %c1 {\n" + wait(VOUT) + "    }\n" + END
        ),
        at("set", pipe="V"),
    ),
    "a branch that does not wait": Case(
        "flag_left",
        kernel(
            "    %some = arith.cmpi eq, %n, %c0 : index\n"
            + set_(VOUT)
            + "    scf.if %some {\n"
            + wait(VOUT)
            + "    }\n"
            + END
        ),
        at("set", pipe="V"),
    ),
}
LAST = {
    "a load": Case("no_final_barrier", kernel(A + load()), at("return"), at("load"), "barrier all"),
    "a store": Case(
        "no_final_barrier",
        kernel(A + load() + flag("mte2 -> mte3") + store()),
        at("return"),
        at("store"),
    ),
    "a barrier of one pipe": Case(
        "no_final_barrier", kernel(A + full() + barrier("v")), at("return"), at("full")
    ),
    "something behind it": Case(
        "no_final_barrier", kernel(A + load() + END + full()), at("return"), at("full")
    ),
    "a wait behind it": Case("no_final_barrier", kernel(set_(IN) + END + wait(IN)), at("return")),
}
HANG = {
    "nothing sets": Case("hang", kernel(wait(IN)), at("wait"), message="which nothing has set"),
    "it waits twice": Case("hang", kernel(flag(IN) + wait(IN, label="again")), at("again")),
    "another direction": Case("hang", kernel(set_(IN) + wait("v -> mte2")), at("wait")),
    "the set comes later": Case("hang", kernel(wait(IN) + set_(IN)), at("wait")),
    "in the second iteration": Case(
        "hang",
        kernel(set_(IN) + "    scf.for %i = %c0 to %n step %c1 {\n" + wait(IN) + "    }\n"),
        at("wait"),
    ),
}
REUSE = {
    "two tiles in one place": Case(
        "buffer_reuse",
        kernel(
            A
            + alloc("b", 0)
            + load()
            + load("b", "16", "other").replace("    pto", barrier("mte2") + "    pto", 1)
            + flag("mte2 -> mte3")
            + store("a")
            + END
        ),
        at("store", variable="a", access="read", space="Vec", bytes=ROWS),
        at("other", variable="b", access="write", space="Vec", bytes=ROWS),
        "another address",
        "was there, until 'b'",
    ),
    "half of a tile": Case(
        "buffer_reuse",
        kernel(
            A
            + alloc("b", 2048)
            + load()
            + flag(IN)
            + full("b", "other")
            + flag(VOUT)
            + store("a")
            + END
        ),
        at("store", variable="a", access="read", bytes=[2048, 4096]),
        at("other", variable="b", access="write", bytes=[2048, 4096]),
    ),
    "scratch over a source": Case(
        "buffer_reuse",
        kernel(
            A
            + B
            + alloc("tmp", 0)
            + load()
            + flag(IN)
            + unary("exp", "a", "b")
            + barrier("v")
            + full("tmp", "other")
            + barrier("v")
            + f"    pto.tile.add ins(%a, %b : {T}, {T}) outs(%b : {T}) //: sum\n"
            + flag(VOUT)
            + store("b")
            + END
        ),
        at("sum", variable="a", access="read", pipe="V"),
        at("other", variable="tmp", access="write", pipe="V"),
    ),
    "two slots of a loop in one place": Case(
        "buffer_reuse",
        kernel(
            alloc("next", 0)
            + A
            + load("a", label="first")
            + flag("mte2 -> mte3")
            + store("a", label="a.out")
            + flag("mte3 -> mte2")
            + load("next", "16", "second")
            + flag("mte2 -> mte3", label="n.")
            + store("a", "16", "again")
            + END
        ),
        at("again", variable="a", access="read"),
        at("second", variable="next", access="write"),
    ),
}
GROUPS = (PIPE_RACE, TWICE, LEFT, LAST, HANG, REUSE)
CASES = {f"{case.check}: {name}": case for group in GROUPS for name, case in group.items()}


@pytest.mark.parametrize("name", CASES)
def test_wrong(name, run_json):
    refuse(CASES[name], run_json)


def tiles(body):
    return kernel(A + B + body + END)


SLOTS = "!pto.buf<16x64xf32, vec, nd, slots<2>>"
PING_PONG = f"""
    %s = pto.tile.alloc {{addrs = array<i64: 0, 4096>}} : {SLOTS}
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    pto.block.set_flag mte3 -> mte2, 0
    pto.block.set_flag mte3 -> mte2, 1
    scf.for %i = %c0 to %n step %c1 {{
      %slot = arith.remui %i, %c2 : index
      %row = arith.muli %i, %c16 : index
      %a = pto.tile.slot %s[%slot] : {SLOTS}
      pto.block.wait_flag mte3 -> mte2, %slot
      pto.tile.load ins(%x[%row, 0] : {X}) outs(%a : {T})
      pto.block.set_flag mte2 -> mte3, %slot
      pto.block.wait_flag mte2 -> mte3, %slot
      pto.tile.store ins(%a : {T}) outs(%y[%row, 0] : {X})
      pto.block.set_flag mte3 -> mte2, %slot
    }}
    pto.block.wait_flag mte3 -> mte2, 0
    pto.block.wait_flag mte3 -> mte2, 1
"""
NEAR = {
    "one flag a pair": (RIGHT, 1, np.e),
    "an order through a third pipe": (
        tiles(
            load()
            + load("b", "16", "l2")
            + flag(IN)
            + unary("exp", "a", "a")
            + flag(VOUT)
            + store("b")
        ),
        1,
        1,
    ),
    "a barrier for all pipes instead of flags": (
        tiles(load() + barrier() + unary("exp", "a", "b") + barrier() + store("b")),
        1,
        np.e,
    ),
    "two vector instructions that share no byte": (
        tiles(full() + full("b", "f2") + flag(VOUT) + store("b")),
        1,
        1,
    ),
    "two slots": (kernel(PING_PONG + END), 4, 1),
    "a tile put where one is dead": (
        kernel(
            A
            + alloc("b", 0)
            + load()
            + flag(IN)
            + unary("exp", "a", "a")
            + barrier("v")
            + full("b")
            + flag(VOUT)
            + store("b")
            + END
        ),
        1,
        1,
    ),
    "a flag again, when its wait is over": (
        tiles(
            load()
            + flag(IN)
            + unary("exp", "a", "b")
            + flag("v -> mte2")
            + load("a", "16", "l2")
            + flag(IN, label="2")
            + unary("exp", "a", "a", "c2")
            + flag(VOUT)
            + store("b")
        ),
        1,
        np.e,
    ),
    "in place": (tiles(load() + flag(IN) + unary("exp") + flag(VOUT) + store()), 1, np.e),
}


@pytest.mark.parametrize("name", NEAR)
def test_right_programs_near_them(name):
    text, blocks, value = NEAR[name]
    x, y = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
    program = Program(text)
    try:
        program.run(x, y, 4, entry="k", schedules=16)
        assert json.loads(program.program.reports()) == []
    finally:
        program.close()
    np.testing.assert_allclose(y[: 16 * blocks], value, rtol=1e-6)
    assert not y[16 * blocks :].any()
