# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Each check by its name: programs that it refuses, and ones near them that are right.
Conflicts of tasks and blocks are in test_schedules.py."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from model import Failed, Program
from pypto.mlir._mlir_libs import _pto
from test_errors import END, EXP, FULL, LOAD, NEXT, STORE, A, T, X, alloc, kernel
from test_tasks import INOUT, ON, ONE, TWO, entry

B = alloc("b", 4096)
BV = "    pto.block.barrier v\n"
F = "    pto.tile.full ins(%one : f32) outs(%{0} : " + T + ")\n"
EXP_B = f"    pto.tile.exp ins(%a : {T}) outs(%b : {T})\n"
EIGHT = "!pto.buf<8x64xf32, vec, nd, of<16x64>>"
TOP = f"    %top = pto.tile.subview %a[0, 0] [8, 64] : {T} -> {EIGHT}\n"
LOAD_TOP = f"    pto.tile.load ins(%x[0, 0] : {X}) outs(%top : {EIGHT})\n"
SYNC = "    pto.block.set_flag {0} -> {1}, 0\n    pto.block.wait_flag {0} -> {1}, 0\n"
L2V, V2S = SYNC.format("mte2", "v"), SYNC.format("v", "mte3")
S2L = SYNC.format("mte3", "mte2")


def group(aic: str, aiv: str, x: str = "in") -> str:
    return kernel(
        f"    pto.block.section aic {{\n{aic}    }}\n    pto.block.section aiv {{\n{aiv}    }}\n",
        kind="group",
        x=x,
    )


# Code of the AIVs: %first is the one of them.
SUB = """    %s = pto.block.get_subblock_idx
    %first = arith.cmpi eq, %s, %c0 : index
"""
TELL = "    pto.block.cross_core_set {0}, 1 {{mode = 1 : i64}}\n"
HEAR = "    pto.block.cross_core_wait 1 {mode = 1 : i64}\n"


def either(one: str, other: str) -> str:
    return f"    scf.if %first {{\n{one}    }} else {{\n{other}    }}\n"


LOAD_Y = f"    pto.tile.load ins(%y[0, 0] : {X}) outs(%a : {T})\n"
STORE_X = f"    pto.tile.store ins(%a : {T}) outs(%x[0, 0] : {X})\n"
FILLED = A + FULL + V2S
SET = "    pto.block.set_flag v -> mte3, {0}\n"
WAIT = "    pto.block.wait_flag v -> mte3, {0}\n"
CROSS = "    pto.block.cross_core_set {0}, {1} {{mode = {2} : i64}}\n"
CROSS_WAIT = "    pto.block.cross_core_wait {0} {{mode = {1} : i64}}\n"
LOOP = "    %c1 = arith.constant 1 : index\n    scf.for %i = %c0 to %n step %c1 {{\n{0}    }}\n"
TILES = {"sync": "none"}
V16 = "!pto.tile<16x64xf32, vec>"
DN = "!pto.buf<16x1xf32, vec, dn>"


def many(count: int) -> str:
    return "".join(alloc(f"a{i}", 64 * i, "!pto.buf<1x8xf32, vec, nd>") for i in range(count))


# Check: programs that it refuses, each with a part of the message.
WRONG = {
    "pipe_race": [
        (kernel(A + LOAD + STORE + END), r"MTE2 may still be writing: no flag makes MTE3 wait"),
        (kernel(A + LOAD + EXP + V2S + STORE + END), r"MTE2 may still be writing: no flag makes V"),
        (kernel(A + FULL + EXP + END), r"put pto.block.barrier v between them"),
        (
            kernel(A + LOAD + NEXT + STORE + "    pto.block.barrier mte2\n" + LOAD + END),
            r"MTE3 may still be reading",
        ),
    ],
    "core_race": [
        (
            group("", SUB + FILLED + STORE + END),
            r"MTE3 of AIV 0 may still be writing: both vector cores of the cluster run the kernel; "
            r"split the work between them by pl.tile.get_subblock_idx\(\)",
        ),
        (
            group("", SUB + FILLED + either(STORE, S2L + LOAD_Y) + END),
            r"no cross-core flag makes MTE2 of AIV 1 wait for it",
        ),
        (
            group("", SUB + FILLED + either(S2L + LOAD, STORE_X) + END, x="inout"),
            r"MTE2 of AIV 0 may still be reading",
        ),
        (
            group("", SUB + FILLED + either(TELL.format("v") + STORE + HEAR,
                                            TELL.format("v") + HEAR + LOAD_Y) + END),
            r"MTE3 of AIV 0 may still be writing",
        ),
    ],
    "flag_set_twice": [
        (kernel(SET.format(0) + SET.format(0)), r"flag V -> MTE3, 0 is set again before anything"),
        (kernel((SET.format(0) + WAIT.format(0)) * 2 + END), r"may be set again before MTE3 has"),
        (kernel(LOOP.format(SET.format(1))), r"flag V -> MTE3, 1 is set again"),
    ],
    "flag_left": [
        (kernel(SET.format(0) + END), r"flag V -> MTE3, 0 is still set"),
        (kernel(SET.format(0) + SET.format(3) + WAIT.format(0) + END), r"flag V -> MTE3, 3 is"),
        (group("", SUB + either(SET.format(2), "") + END), r"flag V -> MTE3, 2 is still set"),
    ],
    "cross_core": [
        (group(CROSS.format("fix", 3, 2) + END, END), r"cross-core flag 3 is still set"),
        (group(LOOP.format(CROSS.format("fix", 3, 2)), ""), r"set a sixteenth time before a wait"),
        (
            group("", CROSS.format("v", 3, 1) + CROSS.format("v", 3, 0)),
            r"is in use in mode 1; it cannot be set in mode 0",
        ),
    ],
    "no_final_barrier": [
        (kernel(A + LOAD), r"ends without pto.block.barrier all"),
        (kernel(A + FULL + BV + EXP + BV), r"ends without pto.block.barrier all"),
        (group("", FILLED + END + LOAD), r"ends without pto.block.barrier all on an AIV"),
    ],
    "hang": [
        (kernel(WAIT.format(0)), r"which nothing has set; the core hangs here"),
        (kernel(SET.format(1) + WAIT.format(0)), r"waits for flag V -> MTE3, 0, which nothing"),
        (
            group(CROSS_WAIT.format(1, 2), CROSS_WAIT.format(2, 2)),
            r"the AIC waits here for a signal that no core sends",
        ),
    ],
    "uninitialized": [
        (kernel(A + EXP + END), r"at \[0, 0\], which nothing has written \["),
        (kernel(A + STORE + END), r"pl.store: reads .* which nothing has written"),
        (kernel(A + TOP + LOAD_TOP + L2V + EXP + END), r"at \[8, 0\], which nothing has written"),
    ],
    "out_read": [
        (kernel(A + LOAD_Y + END), r"in this kernel; .* is InOut, not Out"),
        (
            kernel(
                FILLED + TOP + f"    pto.tile.store ins(%top : {EIGHT}) outs(%y[0, 0] : {X})\n"
                + S2L + LOAD_Y + END
            ),
            r"at \[8, 0\], which nothing has written in this kernel",
        ),
        (
            entry(
                "    %r = pto.block.dispatch @k(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>",
                "%x: tensor<8x8xf32> {pto.dir = #pto.dir<inout>}",
                kernels="""
  func.func @k(%x: tensor<8x8xf32> {pto.dir = #pto.dir<out>}) -> tensor<8x8xf32>
      attributes {pto.kind = #pto.kind<in_core>} {
    %r = pto.tensor.add %x, %x : tensor<8x8xf32>
    return %r : tensor<8x8xf32>
  }""",
            ),
            r"whose element 0 \(counted row by row\) nothing has written in this kernel",
        ),
    ],
    "buffer_reuse": [
        (
            kernel(A + alloc("b", 0) + F.format("a") + BV + F.format("b") + BV + EXP + END),
            r"was there, until .* was put into the same bytes",
        ),
        (
            kernel(A + alloc("b", 2048) + F.format("a") + BV + F.format("b") + BV + EXP + END),
            r"at \[8, 0\], which was there, until",
        ),
        (
            kernel(
                A + alloc("b", 0) + LOAD + L2V
                + "    pto.tile.exp ins(%a : " + T + ") outs(%b : " + T + ")\n" + BV + V2S + STORE + END
            ),
            r"pl.store: reads .* which was there, until",
        ),
    ],
    "core_kind": [
        (kernel(BV, kind="aic"), r"names pipe V, which a core of kind AIC does not have"),
        (kernel(A, kind="aic"), r"allocates in Vec, which a core of kind AIC does not have"),
        (kernel("    pto.block.set_flag mte3 -> fix, 0\n"), r"no flag from MTE3 to FIX"),
    ],
    "instruction": [
        (
            kernel(A + FULL + BV + f"    pto.tile.neg ins(%a : {T}) outs(%a : {T})\n"),
            r"910B has no such instruction for FP32",
        ),
        (
            kernel(
                alloc("h", 0, "!pto.buf<16x64xbf16, vec, nd>")
                + alloc("g", 4096, "!pto.buf<16x64xbf16, vec, nd>")
                + "    pto.tile.add ins(%h, %h : !pto.buf<16x64xbf16, vec, nd>, !pto.buf<16x64xbf16, vec, nd>) outs(%g : !pto.buf<16x64xbf16, vec, nd>)\n"
            ),
            r"910B has no such instruction for BF16",
        ),
        (
            kernel(
                alloc("h", 0, "!pto.buf<16x64xbf16, vec, nd>")
                + alloc("g", 4096, "!pto.buf<16x64xf16, vec, nd>")
                + "    pto.tile.cast ins(%h : !pto.buf<16x64xbf16, vec, nd>) outs(%g : !pto.buf<16x64xf16, vec, nd>) {round = #pto.round<rint>}\n"
            ),
            r"910B has no instruction from BF16 to FP16",
        ),
    ],
    "instruction_limits": [
        (
            kernel(
                alloc("a", 0, "!pto.buf<16x128xf32, vec, nd>") + alloc("v", 8192, DN)
                + "    pto.tile.full ins(%one : f32) outs(%a : !pto.buf<16x128xf32, vec, nd>)\n" + BV
                + f"    pto.tile.row_sum ins(%a : !pto.buf<16x128xf32, vec, nd>) outs(%v : {DN})\n"
            ),
            r"are 512 B wide; one instruction takes a repeat, 256 B",
        ),
        (
            kernel(
                A + alloc("v", 8192, DN) + FULL
                + f"    pto.tile.full ins(%one : f32) outs(%v : {DN})\n" + BV
                + f"    pto.tile.row_expand_mul ins(%a, %v : {T}, {DN}) outs(%a : {T})\n"
            ),
            r"takes one 32-byte block a row",
        ),
        (
            kernel(
                A + FULL + BV
                + f"    %v = pto.tile.subview %a[0, 4] [16, 8] : {T} -> !pto.buf<16x8xf32, vec, nd, of<16x64>>\n"
                + "    pto.tile.exp ins(%v : !pto.buf<16x8xf32, vec, nd, of<16x64>>) outs(%v : !pto.buf<16x8xf32, vec, nd, of<16x64>>)\n"
            ),
            r"begins at byte 16; a vector instruction takes multiples of 32 bytes",
        ),
    ],
    "operand_overlap": [
        (
            kernel(A + alloc("b", 32) + FULL + BV + EXP_B),
            r"overlaps its source .* in part; they may be the same bytes",
        ),
        (
            kernel(A + alloc("v", 64, DN) + FULL + BV + f"    pto.tile.row_sum ins(%a : {T}) outs(%v : {DN})\n"),
            r"they may have no bytes in common",
        ),
        (
            kernel(
                alloc("v", 0, DN) + alloc("w", 0, "!pto.buf<16x8xf32, vec, nd>")
                + f"    pto.tile.full ins(%one : f32) outs(%v : {DN})\n" + BV
                + f"    pto.tile.brcb ins(%v : {DN}) outs(%w : !pto.buf<16x8xf32, vec, nd>)\n"
            ),
            r"they may have no bytes in common",
        ),
    ],
    "allocation": [
        (kernel(alloc("a", 48)), r"begins at byte 48; addresses in Vec are multiples of 32"),
        (kernel(alloc("a", 0, "!pto.buf<16x64xf32, vec, nz>")), r"has layout nd, not nz"),
        (kernel(alloc("a", 0, "!pto.buf<16x9xf32, vec, nd>")), r"has rows of 36 bytes"),
    ],
    "buffer_count": [
        (kernel(many(65)), r"has 65 buffers; a kernel on 910B has at most 64"),
        (kernel(many(100), sync="auto"), r"has 100 buffers"),
        (group("", many(65)), r"has 65 buffers"),
    ],
    "bounds": [
        (
            kernel(A + f"    pto.tile.load ins(%x[%n, 0] : {X}) outs(%a : {T})\n"),
            r"in dimension 0 it covers 60 to 75 of 0 to 63",
        ),
        (kernel(alloc("a", 184 * 1024)), r"does not fit Vec, which holds 184 KiB"),
        (
            group("", alloc("a", 184 * 1024 - 4096)),
            r"does not fit Vec, which holds 188160 B in a mixed kernel",
        ),
        (kernel(A + f"    %v = pto.tile.subview %a[%n, 0] [8, 64] : {T} -> {EIGHT}\n"), r"60 \+ 8 of 16"),
        (kernel("    pto.block.set_flag v -> mte3, %n\n"), r"event id 60 is not within 0 to 5"),
    ],
    "valid_region": [
        (
            kernel(
                f"    %t = pto.tile.load %x[0, 0] valid [4, 64] : {X} -> {V16}\n"
                f"    %u = pto.tile.load %x[0, 0] : {X} -> {V16}\n"
                f"    %s = pto.tile.add %u, %t : {V16}\n", **TILES
            ),
            r"reads \[16, 64\] elements, but .* has only \[4, 64\] valid",
        ),
        (
            kernel(
                f"    %t = pto.tile.load %x[0, 0] valid [4, 64] : {X} -> {V16}\n"
                f"    %u = pto.tile.set_validshape %t [16, 64] : {V16}\n", **TILES
            ),
            r"states \[16, 64\] valid elements, but only \[4, 64\]",
        ),
        (
            kernel(
                f"    %t = pto.tile.load %x[0, 0] valid [4, %c0] : {X} -> {V16}\n"
                f"    %u = pto.tile.row_sum %t : {V16} -> !pto.tile<16x1xf32, vec>\n", **TILES
            ),
            r"reduces rows without a valid column",
        ),
    ],
    "in_write": [
        (kernel(FILLED + STORE_X + END), r"writes the array .* which is an In argument"),
        (
            entry(f"    %r, %t = {ONE} {ON}", INOUT.replace("inout", "in")),
            r"to 'increment', which writes it, but it is an In argument",
        ),
        (
            entry(
                "    %r = pto.block.at core_group -> (tensor<64x16xf32>) {\n"
                "      %s = pto.tensor.add %x, %x : tensor<64x16xf32>\n"
                "      %o = pto.tensor.assemble %s into %x[0, 0] : tensor<64x16xf32> into tensor<64x16xf32>\n"
                "      pto.block.yield %o : tensor<64x16xf32>\n    }",
                INOUT.replace("inout", "in"),
            ),
            r"which is an In argument; make it Out or InOut",
        ),
    ],
    "division": [
        (kernel("    %q = arith.divsi %n, %c0 : index\n", **TILES), r"division of 60 by zero"),
        (kernel("    %q = arith.remui %n, %c0 : index\n", **TILES), r"division of 60 by zero"),
        (
            kernel(
                "    %z = arith.constant 0 : i32\n"
                "    %t = pto.tile.full %z : i32 -> !pto.tile<16x64xi32, vec>\n"
                "    %u = pto.tile.div %t, %t : !pto.tile<16x64xi32, vec>\n", **TILES
            ),
            r"divides by zero",
        ),
    ],
}  # fmt: skip

RIGHT = [
    kernel(A + LOAD + NEXT + STORE + END),
    kernel(A + LOAD + L2V + EXP + V2S + STORE + END),
    kernel(A + FULL + BV + EXP + END),
    kernel(A + LOAD + L2V + EXP + V2S + STORE + S2L + LOAD + END),
    group("", SUB + FILLED + either(STORE, "") + END),
    group("", SUB + FILLED + either(STORE + TELL.format("mte3") + HEAR,
                                    TELL.format("mte3") + HEAR + LOAD_Y) + END),
    group("", SUB + FILLED + either(S2L + LOAD + TELL.format("mte2") + HEAR,
                                    TELL.format("mte2") + HEAR + STORE_X) + END, x="inout"),
    kernel(SET.format(0) + WAIT.format(0) + SYNC.format("mte3", "v") + SET.format(0)
           + WAIT.format(0) + END),
    kernel(LOOP.format(SET.format(1) + WAIT.format(1) + SYNC.format("mte3", "v")) + END),
    group(CROSS.format("fix", 3, 2) + END, CROSS_WAIT.format(3, 2) + END),
    group(CROSS.format("fix", 3, 2) * 15 + END, CROSS_WAIT.format(3, 2) * 15 + END),
    group(CROSS.format("fix", 3, 2) + CROSS_WAIT.format(4, 2) + END,
          CROSS_WAIT.format(3, 2) + CROSS.format("v", 4, 2) + END),
    kernel(A + TOP + LOAD_TOP + L2V
           + f"    pto.tile.exp ins(%top : {EIGHT}) outs(%top : {EIGHT})\n" + END),
    kernel(FILLED + STORE + S2L + LOAD_Y + END),
    # Reads before it is overwritten; reads what took its place; is written anew.
    kernel(A + alloc("b", 0) + F.format("a") + BV + EXP + BV + F.format("b") + V2S
           + STORE.replace("%a", "%b") + END),
    kernel(A + alloc("b", 0) + F.format("a") + BV + EXP_B + V2S + STORE.replace("%a", "%b") + END),
    kernel(A + alloc("b", 0) + F.format("a") + BV + F.format("b") + BV + F.format("a") + BV + EXP
           + END),
    kernel(A + alloc("b", 4096) + F.format("a") + BV + F.format("b") + BV + EXP + END),
    kernel(A + FULL + BV + f"    pto.tile.exp ins(%a : {T}) outs(%a : {T})\n" + END),
    kernel(A + FULL + BV + B + EXP_B + END),
    kernel(many(64) + END),
    kernel(f"    %t = pto.tile.load %x[0, 0] valid [4, 64] : {X} -> {V16}\n"
           f"    %u = pto.tile.add %t, %t : {V16}\n", **TILES),
    kernel(f"    %t = pto.tile.load %x[0, 0] valid [4, 64] : {X} -> {V16}\n"
           f"    %u = pto.tile.set_validshape %t [2, 64] : {V16}\n", **TILES),
    kernel("    %q = arith.divsi %c0, %n : index\n", **TILES),
    entry(f"    %r, %t = {ONE} {ON}\n    %s, %u = {TWO} after(%t) {ON}", INOUT),
]  # fmt: skip


def attempt(text: str, checks: str = "all") -> tuple[list, list]:
    program = Program(text)
    shape = [64, 64] if "@k(%x: !pto.gm" in text else [64, 16]
    if "tensor<8x8xf32>" in text:
        shape = [8, 8]
    arguments = [np.ones(shape, np.float32), np.zeros(shape, np.float32), 60]
    is_entry = "func.func @main" in text
    try:
        program.run(
            *(arguments[:1] if is_entry else arguments),
            entry="main" if is_entry else "k",
            checks=checks,
        )
        return [], json.loads(program.program.reports())
    except Failed as failed:
        return failed.errors, json.loads(program.program.reports())
    finally:
        program.close()


def test_every_check_has_wrong_programs():
    elsewhere = {"task_conflict", "block_conflict", "schedule_difference", "argument_overlap"}
    elsewhere |= {"queue_overrun", "queue_underrun", "queue_free"}  # test_queues.py
    elsewhere |= {"mutex", "unit_flag", "data_cache"}  # test_pro_order.py, test_pro_elements.py
    assert {name for name, _, _ in _pto.reference_checks()} == set(WRONG) | elsewhere
    assert all(len(programs) >= 3 for programs in WRONG.values())


@pytest.mark.parametrize("name, number", [(n, i) for n in WRONG for i in range(len(WRONG[n]))])
def test_wrong(name, number):
    text, message = WRONG[name][number]
    errors, reports = attempt(text)
    assert errors and re.search(message, errors[0][1]), errors
    assert re.search(rf"\[{name}(; .*)?\]$", errors[0][1])
    line = errors[0][0]
    assert line > 0
    assert [report["check"] for report in reports[:1]] == [name]
    assert reports[0]["accesses"][0]["line"] == line
    if len(reports[0]["accesses"]) > 1:
        assert reports[0]["accesses"][1]["line"] in [note[0] for note in errors[0][2]]
    if name in ("pipe_race", "core_race", "buffer_reuse"):
        first, second = reports[0]["accesses"]
        assert first["bytes"] == second["bytes"] and first["space"] in ("Vec", "DDR")
        assert first["pipe"] and second["pipe"] and reports[0]["fix"]
        assert (first["core"] == second["core"]) == (name != "core_race")


@pytest.mark.parametrize("name", [n for n, _, off in _pto.reference_checks() if off and n in WRONG])
def test_off(name):
    for text, _ in WRONG[name]:
        errors, _ = attempt(text, f"all,-{name}")
        assert not any(f"[{name}" in message for _, message, _ in errors)
        # With none of them only what no run can go on without is left.
        for _, message, _ in attempt(text, "none")[0]:
            assert re.search(r"\[(hang|queue_|bounds|valid_region|in_write|division)", message)


@pytest.mark.parametrize("number", range(len(RIGHT)))
def test_right(number):
    assert attempt(RIGHT[number]) == ([], [])


@pytest.mark.parametrize("begin, end", [(0, 64), (63, 127), (32, 96)])
def test_argument_overlap(begin, end):
    program = Program(kernel(""))
    memory = np.zeros((200, 64), np.float32)
    try:
        with pytest.raises(Failed, match=r"overlap in memory, .* is written \[argument_overlap\]"):
            program.run(memory[:64], memory[begin:end], 1)
        program.run(memory[:64], memory[begin:end], 1, checks="all,-argument_overlap")
        program.run(memory[:64], memory[64:128], 1)
    finally:
        program.close()


def test_without_a_seed_of_its_own_nothing_differs():
    """Three ways in which an answer depends on the order, with the conflict unchecked."""
    for first, second in ((ONE, TWO), (TWO, ONE), (TWO, "pto.block.dispatch @step(%x, %x)")):
        type = ON if "step" not in second else ON.replace("(t", "(tensor<64x16xf32>, t")
        text = entry(f"    %r, %t = {first} {ON}\n    %s, %u = {second} {type}", INOUT)
        program = Program(text)
        try:
            with pytest.raises(Failed, match=r"\[schedule_difference\]"):
                program.run(
                    np.ones((64, 16), np.float32),
                    entry="main",
                    checks="all,-task_conflict,-block_conflict",
                    schedules=3,
                )
        finally:
            program.close()
