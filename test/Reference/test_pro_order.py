# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Order that the author says: mutexes, unit flags, flags between pipes and cores, barriers
of all cores; right and wrong."""
# ruff: noqa: E501 (lines of IR)

from __future__ import annotations

import numpy as np
import pytest
from pro import END, TILE, alloc, exp, flag, kernel, load, refused, runs, store, view
from test_pro_moves import (
    ACC,
    CUBE,
    PRODUCT,
    array,
    cross_set,
    cross_wait,
    operands,
    out_of_acc,
    product,
    section,
)

X = np.linspace(-1, 1, 1024).astype(np.float32)


def lock(pipe, number="0"):
    return f"    pto.block.mutex_lock {pipe}, {number}\n"


def unlock(pipe, number="0"):
    return f"    pto.block.mutex_unlock {pipe}, {number}\n"


def held(pipe, body, *numbers):
    return (
        "".join(map(lambda n: lock(pipe, n), numbers))
        + body
        + "".join(map(lambda n: unlock(pipe, n), numbers))
    )


# ===----------------------------------------------------------------------=== #
# Mutexes
# ===----------------------------------------------------------------------=== #

HEAD = alloc("t", 0) + alloc("u", 4096) + view("a", "x") + view("b", "y")
LOADED, DONE, STORED = load("a", "t"), exp("t", "u"), store("u", "b")
GUARDED = HEAD + held("mte2", LOADED, "0") + held("v", DONE, "0", "1") + held("mte3", STORED, "1")


def copied(body, args="x y", **options):
    y = np.zeros(1024, np.float32)
    extra = (3,) if args.endswith("n:index") else ()
    runs(kernel(body + END, args, **options), X, y, *extra, 1)
    return y


def test_mutexes_order_the_pipes():
    assert np.allclose(copied(GUARDED), np.exp(X), rtol=1e-6)


def test_mutex_of_a_number_that_the_run_knows():
    body = GUARDED.replace("mutex_lock mte3, 1", "mutex_lock mte3, %n").replace(
        "mutex_unlock v, 1", "mutex_unlock v, %n"
    )
    body = body.replace("mutex_lock v, 1", "mutex_lock v, %n").replace(
        "mutex_unlock mte3, 1", "mutex_unlock mte3, %n"
    )
    assert np.allclose(copied(body, "x y n:index"), np.exp(X), rtol=1e-6)


LOOP = (
    HEAD.replace(alloc("t", 0), alloc("t2", "0, 8192", "!pto.buf<16x64xf32, vec, nd, slots<2>>"))
    .replace(view("a", "x"), view("a", "x", "64"))
    .replace(view("b", "y"), view("b", "y", "64"))
    + """    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
    %s = arith.remsi %i, %c2 : index
    %id = arith.addi %s, %c2 : index
    %row = arith.muli %i, %c16 : index
    %t = pto.tile.slot %t2[%s] : !pto.buf<16x64xf32, vec, nd, slots<2>>
"""
    + held("mte2", load("a", "t", "%row", "64x64"), "%id")
    + held("v", DONE, "%id", "1")
    + held("mte3", store("u", "b", "%row", "64x64"), "1")
    + "    }\n"
)


def test_mutexes_in_a_loop_over_slots():
    x, y = np.linspace(-1, 1, 4096).astype(np.float32), np.zeros(4096, np.float32)
    runs(kernel(LOOP + END, "x y"), x, y, 1)
    assert np.allclose(y, np.exp(x), rtol=1e-6)
    # The mutex of the other slot guards nothing.
    wrong = LOOP.replace("mutex_lock v, %id", "mutex_lock v, %c64").replace(
        "mutex_unlock v, %id", "mutex_unlock v, %c64"
    )
    refused(kernel(wrong + END, "x y"), r"mutex 64 is not one of 0 to 27", x, y, 1)
    wrong = wrong.replace("%c64", "%c16")
    refused(
        kernel(wrong + END, "x y"),
        r"which MTE2 may still be writing: no flag makes V wait",
        x,
        y,
        1,
    )


MUTEX = {
    "locked twice by one pipe": (
        HEAD + lock("v") + lock("v"),
        r"locks mutex 0 for V, which holds it: the pipe waits for itself \[mutex",
    ),
    "locked by another before it is free": (
        HEAD + lock("mte2") + lock("v"),
        r"locks mutex 0 for V before MTE2 has unlocked it: .* \[mutex",
    ),
    "unlocked without a lock": (
        HEAD + unlock("v"),
        r"unlocks mutex 0, which V does not hold \[mutex",
    ),
    "unlocked by another pipe": (
        HEAD + lock("v") + unlock("mte2"),
        r"unlocks mutex 0, which MTE2 does not hold \[mutex",
    ),
    "unlocked twice": (
        HEAD + lock("v") + unlock("v") + unlock("v"),
        r"unlocks mutex 0, which V does not hold \[mutex",
    ),
    "held at the end": (
        HEAD + lock("v", "5") + END,
        r"mutex 5 is still held by V when the kernel ends; .* \[mutex",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTEX)
def test_wrong_mutex(name):
    body, message = MUTEX[name]
    y = np.zeros(1024, np.float32)
    errors = refused(kernel(body + END, "x y"), message, X, y, 1)
    if "without" not in name and name != "held at the end":
        assert "locked" in errors[0][2][0][1]
    # What is off is not looked at: the model goes on.
    runs(kernel(body + END, "x y"), X, y, 1, checks="all,-mutex,-no_final_barrier")


def test_the_910b_has_no_mutexes():
    y = np.zeros(1024, np.float32)
    refused(
        kernel(GUARDED + END, "x y", target="910B"),
        r"910B has no mutexes; order the pipes with flags",
        X,
        y,
        1,
    )


def test_a_mutex_is_of_pipes_that_the_core_has():
    refused(
        kernel(HEAD + lock("m") + END, "x y"),
        r"names pipe M, which a core of kind AIV",
        X,
        X.copy(),
        1,
    )


def test_a_pipe_does_not_wait_for_itself():
    """Two loads into one tile: the mutex joins different pipes, the language has bar_mte2."""
    body = HEAD + held("mte2", LOADED, "0") + held("mte2", LOADED, "0")
    y = np.zeros(1024, np.float32)
    refused(
        kernel(body + END, "x y"),
        r"which MTE2 may still be writing: .*put pto.block.barrier mte2",
        X,
        y,
        1,
    )
    barrier = "    pto.block.barrier mte2\n"
    runs(
        kernel(HEAD + held("mte2", LOADED, "0") + barrier + held("mte2", LOADED, "0") + END, "x y"),
        X,
        y,
        1,
    )


def test_a_missing_lock_is_a_race():
    body = HEAD + held("mte2", LOADED, "0") + held("v", DONE, "1") + held("mte3", STORED, "1")
    y = np.zeros(1024, np.float32)
    refused(
        kernel(body + END, "x y"),
        r"pl.exp: reads 't' \(\[16, 64\] FP32 in Vec\) at \[0, 0\], which MTE2 may still be writing",
        X, y, 1,
    )  # fmt: skip


def test_before_insert_sync():
    """`author`: locks and barriers are still to be written, so that pipes run in program
    order; the author's own flags are his from the beginning."""
    y = np.zeros(1024, np.float32)
    runs(kernel(HEAD + LOADED + DONE + STORED, "x y", sync="author"), X, y, 1)
    assert np.allclose(y, np.exp(X), rtol=1e-6)
    wrong = HEAD + LOADED + "    pto.block.wait_flag mte2 -> v, 0\n" + DONE + STORED
    refused(
        kernel(wrong, "x y", sync="author"),
        r"waits for flag MTE2 -> V, 0, which nothing has set",
        X,
        y,
        1,
    )
    wrong = HEAD + LOADED + "    pto.block.set_flag mte2 -> v, 0\n" + DONE + STORED
    refused(kernel(wrong, "x y", sync="author"), r"is still set when the kernel ends", X, y, 1)


# ===----------------------------------------------------------------------=== #
# Flags between pipes
# ===----------------------------------------------------------------------=== #

SET, WAIT = "    pto.block.set_flag mte2 -> v, 0\n", "    pto.block.wait_flag mte2 -> v, 0\n"
FLAGS = {
    "waited for twice": (
        LOADED + SET + WAIT + WAIT,
        r"waits for flag MTE2 -> V, 0, which nothing has set again since it was waited for",
        "its last set was taken here",
    ),
    "never set": (
        LOADED + WAIT,
        r"which nothing has set; the core hangs here; where the end of a loop sets it for the next turn, the first turn needs one set in front of the loop",
        None,
    ),
    "the other way round": (
        LOADED + "    pto.block.set_flag v -> mte2, 0\n" + WAIT,
        r"which nothing has set; the core hangs here \[hang",
        "flag V -> MTE2, 0 is set here: are the pipes the wrong way round?",
    ),
    "another number": (
        LOADED + "    pto.block.set_flag mte2 -> v, 1\n" + WAIT,
        r"which nothing has set; the core hangs here \[hang",
        "flag MTE2 -> V, 1 is set here: is it this one?",
    ),
}


@pytest.mark.parametrize("name", FLAGS)
def test_wrong_flag(name):
    body, message, note = FLAGS[name]
    errors = refused(kernel(HEAD + body + END, "x y"), message, X, X.copy(), 1)
    assert note is None or errors[0][2][0][1].startswith(note)


# ===----------------------------------------------------------------------=== #
# Unit flags
# ===----------------------------------------------------------------------=== #

PARTIAL, FINAL = (f" {{phase = #pto.phase<{word}>}}" for word in ("partial", "final"))
PLUS = "    pto.tile.matmul_acc ins(%c, %l, %r : {0}, !pto.buf<32x32xf16, left, nz>, !pto.buf<32x32xf16, right, zn>) outs(%c : {0}){1}\n"
OUT = "    pto.tile.store ins(%c : {0}) outs(%gz[0, 0] : !pto.gm<32x32xf32, pitch<?>>){1}\n"
M = "    pto.block.barrier m\n"
UNIT = {
    "one product": (product(FINAL) + OUT.format(ACC, FINAL), None),
    "two products": (product(PARTIAL) + M + PLUS.format(ACC, FINAL) + OUT.format(ACC, FINAL), None),
    "two rounds": (
        product(FINAL) + OUT.format(ACC, FINAL) + M + product(FINAL)
        + "    pto.block.barrier fix\n" + OUT.format(ACC, FINAL),
        None,
    ),
    "read twice": (
        product(FINAL) + OUT.format(ACC, PARTIAL) + "    pto.block.barrier fix\n" + OUT.format(ACC, FINAL),
        None,
    ),
    "no final product": (
        product(PARTIAL) + OUT.format(ACC, FINAL),
        r"waits until the unit flag of 'c' .* is set, and nothing in front of it sets it: the last product",
    ),
    "no final store": (
        product(FINAL) + OUT.format(ACC, PARTIAL) + M + product(FINAL) + OUT.format(ACC, FINAL),
        r"pl.matmul: waits until the unit flag of 'c' .* is clear, and nothing in front of it clears it: the last store",
    ),
    "left set": (product(FINAL) + OUT.format(ACC, PARTIAL), r"still set when the kernel ends"),
    "a store without phase": (
        product(FINAL) + OUT.format(ACC, ""),
        r"pl.store: reads 'c' .*, which M may still be writing: no flag makes FIX wait for it",
    ),
    "a product without phase": (
        product() + OUT.format(ACC, FINAL),
        r"waits until the unit flag of 'c' .* is set",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNIT)
def test_unit_flags(name):
    body, message = UNIT[name]
    x, y = operands()
    z = np.zeros((32, 32), np.float32)
    text = kernel(
        CUBE + PRODUCT + array("gz", "z", dtype="f32") + body + END, "x:f16 y:f16 z", "aic"
    )
    if message:
        refused(text, message, x, y, z, 1)
        return
    runs(text, x, y, z, 1)
    want = x.astype(np.float32) @ y.astype(np.float32)
    assert np.array_equal(z, 2 * want if name == "two products" else want)


def test_unit_flag_of_an_accumulator_that_moves():
    x, y = operands()
    z = np.zeros((32, 32), np.float32)
    text = out_of_acc("split_m").replace(flag("m -> fix"), "")
    refused(text, r"which M of AIC may still be writing|which M may still be writing", x, y, z, 1)
    text = text.replace(product(), product(FINAL)).replace(
        "<split_m>}", "<split_m>, phase = #pto.phase<final>}"
    )
    runs(text, x, y, z, 1)
    assert np.array_equal(z, x.astype(np.float32) @ y.astype(np.float32))


# ===----------------------------------------------------------------------=== #
# Flags between cores
# ===----------------------------------------------------------------------=== #


def test_number_of_a_signal_that_the_run_knows():
    x, y = operands()
    z = np.zeros((32, 32), np.float32)
    text = out_of_acc(
        "split_m",
        set_="    pto.block.cross_core_set fix, %c2 {mode = 2 : i64}\n",
        wait="    pto.block.cross_core_wait %c2 {mode = 2 : i64, pipe = #pto.pipe<mte3>}\n",
    )
    runs(text, x, y, z, 1)
    assert np.array_equal(z, x.astype(np.float32) @ y.astype(np.float32))
    refused(
        text.replace("fix, %c2", "fix, %c16"),
        r"cross-core flag 16 is not one of 0 to 15",
        x,
        y,
        z,
        1,
    )
    held = "    %c12 = arith.constant 12 : index\n    pto.block.cross_core_set fix, %c12"
    refused(
        text.replace("    pto.block.cross_core_set fix, %c2", held),
        r"cross-core flag 12 belongs to the hardware, as do all from 11 to 14",
        x, y, z, 1,
    )  # fmt: skip


def test_who_waits_for_which_signal():
    x, y = operands()
    z = np.zeros((32, 32), np.float32)
    errors = refused(
        out_of_acc("split_m", set_=cross_set("fix", 4)),
        r"AIV 0 waits here for a signal that no core sends: the kernel hangs; it is cross-core flag 3 in mode 2, which the AIC does not set \[hang; task 1 'k', AIV 0\]",
        x, y, z, 1,
    )  # fmt: skip
    notes = [text for _, text in errors[0][2]]
    assert any(
        text.startswith("AIV 1 waits here, for cross-core flag 3 in mode 2") for text in notes
    )
    assert any(text.startswith("the AIC has ended") for text in notes)


def test_a_cycle_of_waits():
    aic = cross_wait(1, "fix") + cross_set("fix", 0)
    aiv = cross_wait(0, "v") + cross_set("v", 1)
    errors = refused(
        kernel(section("aic", aic) + section("aiv", aiv), "x", "group"),
        r"the AIC waits here for a signal .*; it is cross-core flag 1 in mode 2, which AIV 0 and AIV 1 do not set \[hang",
        X, 1,
    )  # fmt: skip
    assert sum("cross-core flag 0" in text for _, text in errors[0][2]) == 2


def test_counters():
    many = "".join(cross_set("fix", 0) for _ in range(16))
    refused(
        kernel(section("aic", many), "x", "group"),
        r"cross-core flag 0 is set a sixteenth time before a wait; its counter holds 15",
        X, 1,
    )  # fmt: skip
    refused(
        kernel(section("aic", cross_set("fix", 7)), "x", "group"),
        r"cross-core flag 7 is still set when the kernel ends",
        X, 1,
    )  # fmt: skip


# ===----------------------------------------------------------------------=== #
# Barriers of all cores
# ===----------------------------------------------------------------------=== #


def exchange(sync, blocks=3):
    """Block b writes row 16 b of x; after the barrier it reads that of the next block."""
    return (
        alloc("t", 0)
        + alloc("u", 4096)
        + view("a", "x", "48")
        + view("b", "y", "48")
        + f"""    %b0 = pto.block.get_block_idx
    %row = arith.muli %b0, %c16 : index
    %n = pto.block.get_block_num
    %plus = arith.addi %b0, %c1 : index
    %next = arith.remsi %plus, %n : index
    %other = arith.muli %next, %c16 : index
    %i = arith.index_cast %b0 : index to i32
    %f = arith.sitofp %i : i32 to f32
    pto.tile.full ins(%f : f32) outs(%t : {TILE})
"""
        + flag("v -> mte3")
        + store("t", "a", "%row", "48x64")
        + sync
        + load("a", "u", "%other", "48x64")
        + flag("mte2 -> mte3")
        + store("u", "b", "%row", "48x64")
        + END
    )


@pytest.mark.parametrize("how", ["", " {cores = #pto.core<aiv>}"])
def test_all_blocks_come(how):
    x, y = np.zeros((48, 64), np.float32), np.zeros((48, 64), np.float32)
    runs(kernel(exchange(f"    pto.block.sync_all{how}\n"), "x y"), x, y, 3)
    assert (y.reshape(3, 16, 64) == np.array([1, 2, 0], np.float32)[:, None, None]).all()


def test_barriers_that_not_all_come_to():
    x, y = np.zeros((48, 64), np.float32), np.zeros((48, 64), np.float32)
    refused(kernel(exchange(""), "x y"), r"block_conflict|which nothing has written|MTE", x, y, 3)
    some = """    %first = arith.cmpi eq, %b0, %c0 : index
    scf.if %first {
      pto.block.sync_all
    }
"""
    refused(
        kernel(exchange(some), "x y"),
        r"the core of block 0 waits here for a signal that no core sends: the kernel hangs; it is a barrier to which all cores come, and not all do|nothing orders",
        x, y, 3,
    )  # fmt: skip
    refused(
        kernel(exchange("    pto.block.sync_all {cores = #pto.core<aic>}\n"), "x y"),
        r"joins the cores of kind AIC, and the core of block 0 is none \[core_kind",
        x, y, 3,
    )  # fmt: skip


def mixed(sync_aic, sync_aiv):
    """The AIC stores a product to x; after the barrier each AIV reads it."""
    tile = "!pto.buf<32x32xf32, vec, nd>"
    aic = PRODUCT + product() + flag("m -> fix") + OUT.format(ACC, "") + sync_aic
    aiv = (
        sync_aiv
        + f"    pto.tile.load ins(%gz[0, 0] : !pto.gm<32x32xf32, pitch<?>>) outs(%v : {tile})\n"
        + flag("mte2 -> v")
        + f"    pto.tile.exp ins(%v : {tile}) outs(%v : {tile})\n"
    )
    body = CUBE + alloc("v", 0, tile) + array("gz", "z", dtype="f32")
    return kernel(body + section("aic", aic) + section("aiv", aiv), "x:f16 y:f16 z", "group")


def test_barrier_of_both_kinds():
    x, y = operands()
    z = np.zeros((32, 32), np.float32)
    all_ = "    pto.block.sync_all\n"
    runs(mixed(all_, all_), x, y, z, 1)
    refused(mixed("", ""), r"which FIX of AIC may still be writing", x, y, z, 1)
    refused(
        mixed("", all_),
        r"AIV 0 waits here .*; it is a barrier to which all cores come, and not all do \[hang",
        x, y, z, 1,
    )  # fmt: skip
    # Two blocks, each of a cluster, write one array.
    refused(
        mixed(all_, all_),
        r"nothing orders the two: blocks of a task run at the same time",
        x,
        y,
        z,
        2,
    )


def test_more_blocks_than_cores():
    x = np.zeros(1, np.float32)
    text = kernel("    pto.block.sync_all\n" + END, "x")
    runs(text, x, 64)
    refused(text, r"65 blocks wait for one another, and 950 has 64 cores .*\[hang", x, 65)
