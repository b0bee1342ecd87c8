# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Single elements, the data cache, additions in DDR, and what a kernel says of itself."""
# ruff: noqa: E501 (lines of IR)

from __future__ import annotations

import numpy as np
import pytest
from model import Failed, Program, run, to_bf16
from pro import END, TILE, alloc, exp, flag, kernel, load, refused, runs, store, view

X = np.linspace(-1, 1, 1024).astype(np.float32)
INT = "!pto.gm<?xi32>"


def get(name, place, source="t", type=TILE, element="f32"):
    return f"    %{name} = pto.tile.get_value %{source}[{place}] : {type} -> {element}\n"


def set_(value, place, to="t", type=TILE, element="f32"):
    return f"    pto.tile.set_value %{value}, %{to}[{place}] : {element}, {type}\n"


def dcci(place, array="x", type=INT, how=""):
    return f"    pto.block.dcci %{array}[{place}]{how} : {type}\n"


# === Tiles ======================================================================== #

HEAD = alloc("t", 0) + view("a", "x") + view("b", "y")
LOADED, STORED = load("a", "t"), store("t", "b")
SWAP = get("p", "3, 5") + get("q", "%n, 63") + set_("q", "3, 5") + set_("p", "%n, 63")
ELEMENTS = HEAD + LOADED + flag("mte2 -> s") + SWAP + flag("s -> mte3") + STORED


def test_elements_of_a_tile():
    y = np.zeros((16, 64), np.float32)
    for sync in ("manual", "author", "none"):
        runs(kernel(ELEMENTS + END, "x y n:index", sync=sync), X, y, 9, 1)
        want = X.reshape(16, 64).copy()
        want[3, 5], want[9, 63] = want[9, 63], want[3, 5]
        assert np.array_equal(y, want)


ORDER = {
    "read while it is loaded": (
        ELEMENTS.replace(flag("mte2 -> s"), ""),
        r"pl.get_value: reads 't' \(\[16, 64\] FP32 in Vec\) at \[3, 5\], which MTE2 may still be writing: no flag makes S wait for it; set and wait for one MTE2 -> S \[pipe_race",
    ),
    "stored before it is written": (
        ELEMENTS.replace(flag("s -> mte3"), flag("mte2 -> mte3", 1)),
        r"pl.store: reads 't' .* at \[3, 5\], which S may still be writing: no flag makes MTE3 wait for it; set and wait for one S -> MTE3 \[pipe_race",
    ),
    "read while it is computed": (
        HEAD + LOADED + flag("mte2 -> v") + exp("t", "t") + get("p", "0, 0"),
        r"reads 't' .* at \[0, 0\], which V may still be writing: no flag makes S wait for it; set and wait for one V -> S",
    ),
    "computed while it is written": (
        HEAD + LOADED + flag("mte2 -> s") + set_("one", "2, 2") + exp("t", "t"),
        r"pl.exp: reads 't' .*, which (MTE2|S) may still be writing: no flag makes V wait",
    ),
    "nothing is there": (HEAD + get("p", "0, 0"), r"reads 't' .* at \[0, 0\], which nothing has written \[uninit"),
    "outside": (
        HEAD + LOADED + flag("mte2 -> s") + get("p", "%n, 0"),
        r"offset 16 in dimension 0 is not within 0 to 15 of 't'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDER)
def test_wrong_elements(name):
    body, message = ORDER[name]
    y = np.zeros((16, 64), np.float32)
    refused(kernel(body + END, "x y n:index"), message, X, y, 16 if name == "outside" else 9, 1)


def test_elements_of_a_part():
    """Offsets are those of the part; what is not valid is outside."""
    body = (
        HEAD
        + LOADED
        + flag("mte2 -> s")
        + f"""    %part = pto.tile.subview %t[4, 0] [%n, 8] : {TILE} -> !pto.buf<?x8xf32, vec, nd, of<16x64>>
"""
        + get("p", "1, 2", "part", "!pto.buf<?x8xf32, vec, nd, of<16x64>>")
        + set_("p", "0, 0")
        + flag("s -> mte3")
        + STORED
    )
    y = np.zeros((16, 64), np.float32)
    runs(kernel(body + END, "x y n:index"), X, y, 2, 1)
    assert y[0, 0] == X.reshape(16, 64)[5, 2]
    refused(
        kernel(body + END, "x y n:index"),
        r"offset 1 in dimension 0 is not within 0 to 0 of 'part'",
        X, y, 1, 1,
    )  # fmt: skip


# === The data cache =============================================================== #

ROW = "!pto.buf<1x16xi32, vec, nd>"
ARRAY = "!pto.gm<1x16xi32, pitch<?>>"
TENSOR = "    %a = pto.tile.make_tensor %x shape [1, 16] strides [16, 1] : !pto.gm<?xi32> -> !pto.gm<1x16xi32, pitch<?>>\n"
LOAD = f"    pto.tile.load ins(%a[0, 0] : {ARRAY}) outs(%t : {ROW})\n"
STORE = f"    pto.tile.store ins(%t : {ROW}) outs(%a[0, 0] : {ARRAY})\n"
START = alloc("t", 0, ROW) + TENSOR + "    %seven = arith.constant 7 : i32\n"
PUT = set_("seven", "3", "x", INT, "i32")
TAKE = get("v", "3", "x", INT, "i32")
FILL = f"    pto.tile.full ins(%seven : i32) outs(%t : {ROW})\n" + flag("v -> mte3")
CACHE = {
    "written out": (PUT + dcci("3") + flag("s -> mte2") + LOAD, None),
    "written out as a whole": (PUT + dcci("0", how=" {entire}") + flag("s -> mte2") + LOAD, None),
    "read by the same core": (PUT + TAKE + dcci("3"), None),
    "read after a copy": (FILL + STORE + flag("mte3 -> s") + dcci("3") + TAKE, None),
    "read before a copy": (TAKE + flag("s -> mte3") + FILL + STORE, None),
    "never written out": (
        PUT,
        r"pl.set_value: writes 'x' .* in the data cache only, and the kernel ends: pl.system.dcci .*\[data_cache",
    ),
    "copied before it is written out": (
        PUT + flag("s -> mte2") + LOAD,
        r"pl.load: reads 'a' .*, where a value is in the data cache only: pl.system.dcci behind the write .*\[data_cache",
    ),
    "another line written out": (
        PUT + dcci("16") + flag("s -> mte2") + LOAD,
        r"where a value is in the data cache only",
    ),
    "an old value": (
        FILL + STORE + flag("mte3 -> s") + TAKE,
        r"pl.get_value: reads 'x' .* at \[3\], of which the data cache may hold what was there before: .*\[data_cache",
    ),
    "a line of two writers": (
        set_("seven", "3", "x", INT, "i32") + flag("s -> mte3") + FILL
        + f"    %part = pto.tile.subview %t[0, 0] [1, 2] : {ROW} -> !pto.buf<1x2xi32, vec, nd, of<1x16>>\n"
        + f"    pto.tile.store ins(%part : !pto.buf<1x2xi32, vec, nd, of<1x16>>) outs(%a[0, 0] : {ARRAY})\n",
        r"pl.store: writes 'a' .*, in a line of 64 bytes of which the data cache holds a part: .*\[data_cache",
    ),
    "written out while it is copied": (
        FILL + STORE + PUT + dcci("3"),
        r"which MTE3 may still be writing: no flag makes S wait",
    ),
    "copied while it is written out": (
        PUT + flag("s -> mte2") + dcci("3") + LOAD,
        r"pl.load: reads 'a' .*, which S may still be writing: no flag makes MTE2 wait for it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CACHE)
def test_data_cache(name):
    body, message = CACHE[name]
    x = np.arange(32).astype(np.int32)
    text = kernel(START + body + END, "x:i32")
    if message:
        refused(text, message, x, 1)
        return
    runs(text, x, 1)
    assert x[3] == 7


def test_a_cache_each():
    """What one AIV writes the other sees when it is written out, and a signal says so."""
    tell = "    pto.block.cross_core_set mte3, 0 {mode = 1 : i64}\n"
    hear = "    pto.block.cross_core_wait 0 {mode = 1 : i64}\n"

    drop = dcci("3")

    def text(out, again=drop):
        return kernel(
            f"""    pto.block.section aiv {{
    %i = pto.block.get_subblock_idx
    %first = arith.cmpi eq, %i, %c0 : index
    %seven = arith.constant 7 : i32
    scf.if %first {{
{set_("seven", "3", "x", INT, "i32")}{out}{flag("s -> mte3")}    }}
{tell}{hear}    scf.if %first {{
    }} else {{
{again}{get("v", "3", "x", INT, "i32")}{set_("v", "16", "x", INT, "i32")}{dcci("16")}    }}
{END}    }}
""",
            "x:i32",
            "group",
        )

    x = np.arange(32).astype(np.int32)
    runs(text(dcci("3")), x, 1)
    assert x[3] == x[16] == 7
    refused(
        text(""), r"reads 'x' .* at \[3\], where a value is in the data cache of AIV 0 only", x, 1
    )
    refused(
        text(dcci("3"), ""),
        r"reads 'x' .*, of which the data cache of AIV 1 may hold what was there before",
        x, 1,
    )  # fmt: skip


def test_lines_of_blocks():
    """Two blocks write elements of one line: each writes out all of it."""
    body = f"""    %b = pto.block.get_block_idx
    %at = arith.muli %b, %n : index
    %seven = arith.constant 7 : i32
{set_("seven", "%at", "x", INT, "i32")}{dcci("%at")}"""
    x = np.zeros(64, np.int32)
    runs(kernel(body + END, "x:i32 n:index"), x, 16, 4)
    assert x.reshape(4, 16)[:, 0].tolist() == [7] * 4
    refused(
        kernel(body + END, "x:i32 n:index"),
        r"block 0 and block 1 write elements of one line of 64 bytes .*\[data_cache",
        x, 1, 2,
    )  # fmt: skip


# === Additions ==================================================================== #

ADD = " {atomic_add}"


def adding(dtype="f32", how=ADD, after=""):
    tile = f"!pto.buf<16x64x{dtype}, vec, nd>"
    gm = f"!pto.gm<16x64x{dtype}, pitch<?>>"
    return kernel(
        alloc("t", 0, tile)
        + f"""    %a = pto.tile.make_tensor %x shape [16, 64] strides [64, 1] : !pto.gm<?x{dtype}> -> {gm}
    %b = pto.tile.make_tensor %y shape [16, 64] strides [64, 1] : !pto.gm<?x{dtype}> -> {gm}
    pto.tile.load ins(%b[0, 0] : {gm}) outs(%t : {tile})
{flag("mte2 -> mte3")}    pto.tile.store ins(%t : {tile}) outs(%a[0, 0] : {gm}){how}
{after}"""
        + END,
        f"x:{dtype} y:{dtype}",
    )


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "i32"])
def test_blocks_add(dtype):
    x, y = np.full((16, 64), 100.0, np.float32), np.arange(1024).reshape(16, 64) % 7
    kinds = {"f32": np.float32, "f16": np.float16, "i32": np.int32}
    if dtype == "bf16":
        x, y = to_bf16(x), to_bf16(y.astype(np.float32))
        want = to_bf16(100.0 + 3 * (np.arange(1024).reshape(16, 64) % 7).astype(np.float32))
    else:
        x, y = x.astype(kinds[dtype]), y.astype(kinds[dtype])
        want = x + 3 * y
    runs(adding(dtype), x, y, 3)
    assert np.array_equal(x, want)


def test_floats_are_added_in_one_order():
    y = np.random.default_rng(0).standard_normal((16, 64)).astype(np.float32)
    made = []
    for _ in range(3):
        x = np.full((16, 64), 1e8, np.float32)
        runs(adding(), x, y, 40)
        made.append(x)
    want = np.full((16, 64), 1e8, np.float32)
    for _ in range(40):
        want += y
    assert all(np.array_equal(x, want) for x in made)


def test_who_does_not_add():
    x, y = np.zeros((16, 64), np.float32), np.ones((16, 64), np.float32)
    refused(adding(how=""), r"which block 0 writes, and nothing orders the two", x, y, 2)
    again = (
        alloc("u", 8192)
        + "    pto.tile.load ins(%a[0, 0] : !pto.gm<16x64xf32, pitch<?>>) outs(%u : !pto.buf<16x64xf32, vec, nd>)\n"
    )
    refused(
        adding(after=again),
        r"pl.load: reads 'a' .* which MTE3 may still be adding to: no flag makes MTE2 wait for it",
        x, y, 1,
    )  # fmt: skip
    ordered = flag("mte3 -> mte2") + again
    runs(adding(after=ordered), x, y, 1)
    # The other block may be adding while this one reads.
    refused(adding(after=ordered), r"block_conflict|nothing orders the two", x, y, 2)


# === What a kernel says =========================================================== #


def test_trap():
    body = """    %b = pto.block.get_block_idx
    %bad = arith.cmpi eq, %b, %c1 : index
    scf.if %bad {
      pto.block.trap
    }
"""
    text = kernel(body + END)
    runs(text, X, 1)
    errors = refused(text, r"stops the kernel in block 1", X, 2)
    line = next(n for n, at in enumerate(text.splitlines(), 1) if "pto.block.trap" in at)
    assert errors[0][0] == line


def test_dump(capfd):
    body = (
        alloc("t", 0, "!pto.buf<2x8xf32, vec, nd>")
        + """    %a = pto.tile.make_tensor %x shape [2, 4] strides [1, 2] : !pto.gm<?xf32> -> !pto.gm<2x4xf32, pitch<?>>
    %w = pto.tile.subview %t[0, 0] [1, 8] : !pto.buf<2x8xf32, vec, nd> -> !pto.buf<1x8xf32, vec, nd, of<2x8>>
    pto.tile.full ins(%one : f32) outs(%w : !pto.buf<1x8xf32, vec, nd, of<2x8>>)
    pto.block.dump %t "tile" : !pto.buf<2x8xf32, vec, nd>
    pto.block.dump %a "array" : !pto.gm<2x4xf32, pitch<?>>
"""
    )
    runs(kernel(body + END), np.arange(8).astype(np.float32), 1)
    assert capfd.readouterr().out == (
        "tile: [2, 8] FP32 in Vec\n  1 1 1 1 1 1 1 1\n  ? ? ? ? ? ? ? ?\n"
        "array: [2, 4] FP32 in DDR\n  0 2 4 6\n  1 3 5 7\n"
    )


def test_a_key_that_nobody_has_given():
    text = kernel('    %k = pto.block.read_key @Key, "Rows"\n' + END).replace(
        '"950"} {',
        '"950"} {\n  pto.block.tiling_key @Key [#pto.key_field<"Rows", bits = 1, values = [64]>]',
    )
    refused(text, r"reads 'Rows' of @?Key, and this kernel is for no key yet", X, 1)


def test_watchers_see_elements():
    seen = []

    def notify(moment):
        seen.append(
            (moment.operation_place()[0] if hasattr(moment, "operation_place") else "", moment)
        )

    program = Program(kernel(ELEMENTS + END, "x y n:index"), named=True)
    try:
        program.run(
            X, np.zeros(1024, np.float32), 9, 1, entry="k_entry", observer=notify, events=0xFF
        )
    finally:
        program.close()
    assert seen


def test_a_profile_has_elements():
    program = Program(kernel(ELEMENTS + END, "x y n:index"))
    try:
        program.run(X, np.zeros(1024, np.float32), 9, 1, entry="k_entry", profile=True)
        assert (
            "pto.tile.get_value" in program.program.profile
            or "get_value" in program.program.profile
        )
    finally:
        program.close()
    with pytest.raises(Failed):
        run(
            kernel(ELEMENTS + END, "x y n:index", sync="author"),
            X,
            X.copy(),
            9,
            1,
            entry="k_entry",
            profile=True,
        )
