# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Rings between the AIC and the AIVs of a cluster."""

from __future__ import annotations

import json

import numpy as np
import pytest
from model import Failed, Program

ACC = "!pto.buf<32x32xf32, acc, nz>"
MAT = "!pto.buf<32x32xf16, mat, nz>"
LEFT = "!pto.buf<32x32xf16, left, zz>"
RIGHT = "!pto.buf<32x32xf16, right, zn>"
PIECE = "!pto.buf<16x32xf16, {0}, {1}, of<32x32>>"
VEC = "!pto.buf<16x32xf32, vec, nd>"
HALF = "!pto.buf<16x32xf16, vec, nd>"
R = "!pto.gm<64x32xf32>"  # two slots
S = "!pto.gm<96x32xf16>"  # three slots
X = "!pto.gm<32x32xf16>"
Y = "!pto.gm<32x32xf32>"


def sync(src: str, dst: str) -> str:
    return f"pto.block.set_flag {src} -> {dst}, 0\n pto.block.wait_flag {src} -> {dst}, 0\n"


def moves(source: str, target: str, space: str, layout: str) -> str:
    """Mat to Left or Right, a row of fractals at a time."""
    from_type, to_type = PIECE.format("mat", "nz"), PIECE.format(space, layout)
    whole = {"left": LEFT, "right": RIGHT}[space]
    return "".join(
        f"%{target}f{r} = pto.tile.subview %{source}[{r}, 0] [16, 32] : {MAT} -> {from_type}\n"
        f"%{target}t{r} = pto.tile.subview %{target}[{r}, 0] [16, 32] : {whole} -> {to_type}\n"
        f"pto.tile.move ins(%{target}f{r} : {from_type}) outs(%{target}t{r} : {to_type})\n"
        for r in (0, 16)
    )


# The AIV turns each tile to FP16 and pushes it; the AIC multiplies it by itself and
# pushes the product; the AIV adds the products up. `n` tiles, which are x, 2x, 3x ...
PUSH_S = f"pto.block.queue_push %h into %s, 1 : {HALF} into {S}\n"
POP_S = f"pto.block.queue_pop %s to %m, 1 : {S} to {MAT}\n"
FREE_S = "pto.block.queue_free 1\n"
PUSH_R = f"pto.block.queue_push %acc into %r, 0 : {ACC} into {R}\n"
POP_R = f"pto.block.queue_pop %r to %p, 0 : {R} to {VEC}\n"
FREE_R = "pto.block.queue_free 0\n"
KERNEL = f"""
module attributes {{pto.target = "910B"}} {{
  func.func @k(%x: {X} {{pto.dir = #pto.dir<in>}}, %s: {S} {{pto.dir = #pto.dir<out>}},
               %r: {R} {{pto.dir = #pto.dir<out>}}, %y: {Y} {{pto.dir = #pto.dir<out>}}, %n: index)
      attributes {{pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    pto.block.section aic {{
      %m = pto.tile.alloc {{addrs = array<i64: 0>}} : {MAT}
      %a = pto.tile.alloc {{addrs = array<i64: 0>}} : {LEFT}
      %b = pto.tile.alloc {{addrs = array<i64: 0>}} : {RIGHT}
      %acc = pto.tile.alloc {{addrs = array<i64: 0>}} : {ACC}
      scf.for %i = %c0 to %n step %c1 {{
        {POP_S}
        {FREE_S}
        {sync("mte2", "mte1")}
        {moves("m", "a", "left", "zz")}
        {moves("m", "b", "right", "zn")}
        {sync("mte1", "m")}
        pto.tile.matmul ins(%a, %b : {LEFT}, {RIGHT}) outs(%acc : {ACC})
        {sync("m", "fix")}
        {PUSH_R}
        pto.block.barrier all
      }}
    }}
    pto.block.section aiv {{
      %t = pto.tile.alloc {{addrs = array<i64: 0>}} : {HALF}
      %h = pto.tile.alloc {{addrs = array<i64: 1024>}} : {HALF}
      %p = pto.tile.alloc {{addrs = array<i64: 2048>}} : {VEC}
      %sum = pto.tile.alloc {{addrs = array<i64: 4096>}} : {VEC}
      %sub = pto.block.get_subblock_idx
      %row = arith.muli %sub, %c16 : index
      %zero = arith.constant 0.0 : f16
      %none = arith.constant 0.0 : f32
      pto.tile.load ins(%x[%row, 0] : {X}) outs(%t : {HALF})
      pto.tile.full ins(%zero : f16) outs(%h : {HALF})
      pto.tile.full ins(%none : f32) outs(%sum : {VEC})
      pto.block.barrier all
      scf.for %i = %c0 to %n step %c1 {{
        pto.tile.add ins(%h, %t : {HALF}, {HALF}) outs(%h : {HALF})
        {sync("v", "mte3")}
        {PUSH_S}
        {POP_R}
        {FREE_R}
        {sync("mte2", "v")}
        pto.tile.add ins(%sum, %p : {VEC}, {VEC}) outs(%sum : {VEC})
        pto.block.barrier all
      }}
      pto.tile.store ins(%sum : {VEC}) outs(%y[%row, 0] : {Y})
      pto.block.barrier all
    }}
    return
  }}
}}
"""


def attempt(text: str, n: int):
    """Errors, reports and %y."""
    x = (np.arange(1024).reshape(32, 32) % 5 - 2).astype(np.float16)
    s, r = np.zeros((96, 32), np.float16), np.zeros((64, 32), np.float32)
    y = np.zeros((32, 32), np.float32)
    program = Program(text)
    try:
        program.run(x, s, r, y, n)
        errors = []
    except Failed as failed:
        errors = failed.errors
    finally:
        program.close()
    want = sum((k * x.astype(np.float32)) @ (k * x.astype(np.float32)) for k in range(1, n + 1))
    return errors, json.loads(program.program.reports()), np.array_equal(y, want + 0 * y)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_right(n):
    """Fewer tiles than slots, as many, more."""
    assert attempt(KERNEL, n) == ([], [], True)


def far(old: str, new: str = "") -> str:
    assert KERNEL.count(old) == 1
    return KERNEL.replace(old, new)


# Free before the load is done would be a race; the free waits for the pipe, so that
# these differ in nothing: free right behind the pop, or after what works on the tile.
@pytest.mark.parametrize(
    "text",
    [
        far(FREE_S).replace(PUSH_R, PUSH_R + FREE_S),
        far(FREE_R).replace("outs(%sum : " + VEC + ")\n        pto.block.barrier all", "outs(%sum : " + VEC + ")\n        " + FREE_R + " pto.block.barrier all"),
    ],
)  # fmt: skip
def test_where_it_is_freed(text):
    assert attempt(text, 5) == ([], [], True)


WRONG = {
    "no free by the AIVs, few tiles": (far(FREE_R), 2, "queue_free", "2 tiles are popped and 0"),
    "no free by the AIC, few tiles": (far(FREE_S), 3, "queue_free", "3 tiles are popped and 0"),
    "one AIV does not free": (
        far(FREE_R, f"%f = arith.cmpi eq, %sub, %c0 : index\n scf.if %f {{\n {FREE_R} }}\n"),
        2,
        "queue_free",
        "2 tiles are popped and 0",
    ),
    "freed twice": (
        far(FREE_S, FREE_S + FREE_S),
        1,
        "queue_free",
        "of which this core has popped 1 and freed 1",
    ),
    "freed before it is popped": (far(POP_S + "\n        " + FREE_S, FREE_S + POP_S), 1, "queue_free",
                                  "of which this core has popped 0 and freed 0"),
    "no free by the AIVs": (far(FREE_R), 5, "queue_overrun", "a slot of the ring that no core"),
    "no free by the AIC": (far(FREE_S), 5, "queue_overrun", "a slot of the ring that no core"),
    "one AIV does not free, many tiles": (
        far(FREE_R, f"%f = arith.cmpi eq, %sub, %c0 : index\n scf.if %f {{\n {FREE_R} }}\n"),
        5,
        "queue_overrun",
        "a slot of the ring that no core frees: the kernel hangs",
    ),
    "no push by the AIC": (far(PUSH_R), 1, "queue_underrun", "a tile that no core pushes"),
    "no push by the AIVs": (far(PUSH_S), 2, "queue_underrun", "a tile that no core pushes"),
    "one AIV does not push": (
        far(PUSH_S, f"%f = arith.cmpi eq, %sub, %c0 : index\n scf.if %f {{\n {PUSH_S} }}\n"),
        1,
        "queue_underrun",
        "a tile that no core pushes: the kernel hangs",
    ),
    "pushed twice": (far(PUSH_R, PUSH_R + PUSH_R), 1, "queue_underrun", "2 tiles are pushed and 1"),
    "no pop by the AIVs": (
        far(POP_R + "\n        " + FREE_R).replace("ins(%sum, %p", "ins(%sum, %sum"),
        2,
        "queue_underrun",
        "2 tiles are pushed and 0 popped when the kernel ends",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name):
    text, n, check, message = WRONG[name]
    errors, reports, _ = attempt(text, n)
    assert message in errors[0][1], errors
    assert f"[{check}" in errors[0][1]
    assert reports[0]["check"] == check
    assert reports[0]["accesses"][0]["line"] == errors[0][0] > 0


@pytest.mark.parametrize(
    "change, check",
    [
        ((sync("v", "mte3"), ""), "pipe_race"),  # pushed before it is made
        ((sync("m", "fix"), ""), "pipe_race"),
    ],
)
def test_race(change, check):
    errors, reports, _ = attempt(far(*change), 1)
    assert f"[{check}; " in errors[0][1]
    names = {access["operation"] for access in reports[0]["accesses"]}
    assert "pto.block.queue_push" in names


@pytest.mark.parametrize(
    "line, message",
    [
        (
            PUSH_S.replace("96x32", "80x32"),
            r"the ring .* does not hold slots of [32, 32]",
        ),
        (PUSH_S.replace(", 1 :", ", 4 :"), "has id 4; ids are 0 to 3"),
        (PUSH_S.replace("96x32xf16", "96x32xf32"), "pops FP32 into [32, 32] FP16 in Mat"),
    ],
)
def test_verifier(line, message):
    text = far(PUSH_S, line)
    if "gm<" in line and line[line.index("gm<") :] != PUSH_S[PUSH_S.index("gm<") :]:
        text = text.replace(S, "!" + line[line.index("pto.gm<") : line.rindex(">") + 1])
    with pytest.raises(Failed) as failure:
        Program(text)
    for part in message.split(" .* "):
        assert part in str(failure.value)


def test_no_cluster():
    text = f"""
module attributes {{pto.target = "910B"}} {{
  func.func @k(%s: {S} {{pto.dir = #pto.dir<out>}})
      attributes {{pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>}} {{
    %h = pto.tile.alloc {{addrs = array<i64: 0>}} : {HALF}
    {PUSH_S}
    return
  }}
}}"""
    program = Program(text)
    try:
        with pytest.raises(Failed, match=r"a queue joins the AIC and the AIVs.*\[core_kind\]"):
            program.run(np.zeros((96, 32), np.float16))
    finally:
        program.close()
