# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Copies between the spaces of a core, and between those of a cluster's cores on the
Ascend 950: content, and the order between cores that they need."""
# ruff: noqa: E501 (lines of IR)

from __future__ import annotations

import re

import numpy as np
import pytest
from pro import END, alloc, flag, kernel, refused, runs

MAT, LEFT, RIGHT = (
    "!pto.buf<32x32xf16, mat, nz>",
    "!pto.buf<32x32xf16, left, nz>",
    "!pto.buf<32x32xf16, right, zn>",
)
ACC = "!pto.buf<32x32xf32, acc, nz>"
GM16 = "!pto.gm<32x32xf16, pitch<?>>"


def array(name, pointer, rows=32, cols=32, dtype="f16"):
    return (
        f"    %{name} = pto.tile.make_tensor %{pointer} shape [{rows}, {cols}] strides [{cols}, 1]"
        f" : !pto.gm<?x{dtype}> -> !pto.gm<{rows}x{cols}x{dtype}, pitch<?>>\n"
    )


def load16(source, to, shape="32x32"):
    return f"    pto.tile.load ins(%{source}[0, 0] : !pto.gm<{shape}xf16, pitch<?>>) outs(%{to} : !pto.buf<{shape}xf16, mat, nz>)\n"


def move(source, from_, to, type, how=""):
    return f"    pto.tile.move ins(%{source} : {from_}) outs(%{to} : {type}){how}\n"


def rows16(type):
    """A row of fractals of a whole tile."""
    return type.replace("32x32", "16x32", 1)[:-1] + ", of<32x32>>"


def to_left(source="a", to="l"):
    """One instruction for each row of fractals."""
    made = ""
    for row in (0, 16):
        made += f"    %{source}{row} = pto.tile.subview %{source}[{row}, 0] [16, 32] : {MAT} -> {rows16(MAT)}\n"
        made += f"    %{to}{row} = pto.tile.subview %{to}[{row}, 0] [16, 32] : {LEFT} -> {rows16(LEFT)}\n"
        made += move(f"{source}{row}", rows16(MAT), f"{to}{row}", rows16(LEFT))
    return made


def to_right(source="b", to="r"):
    made = ""
    for row in (0, 16):
        made += f"    %{source}{row} = pto.tile.subview %{source}[{row}, 0] [16, 32] : {MAT} -> {rows16(MAT)}\n"
        made += f"    %{to}{row} = pto.tile.subview %{to}[{row}, 0] [16, 32] : {RIGHT} -> {rows16(RIGHT)}\n"
        made += move(f"{source}{row}", rows16(MAT), f"{to}{row}", rows16(RIGHT))
    return made


def product(how=""):
    return f"    pto.tile.matmul ins(%l, %r : {LEFT}, {RIGHT}) outs(%c : {ACC}){how}\n"


CUBE = (
    alloc("a", 0, MAT) + alloc("b", 2048, MAT) + alloc("l", 0, LEFT) + alloc("r", 0, RIGHT) + alloc("c", 0, ACC)
)  # fmt: skip
PRODUCT = (
    array("ga", "x")
    + array("gb", "y")
    + load16("ga", "a")
    + load16("gb", "b")
    + flag("mte2 -> mte1")
    + to_left()
    + to_right()
    + flag("mte1 -> m")
)


def section(kind, body):
    return f"    pto.block.section {kind} {{\n{body}{END}    }}\n"


def cross_set(pipe, number):
    return f"    pto.block.cross_core_set {pipe}, {number} {{mode = 2 : i64}}\n"


def cross_wait(number, pipe):
    return f"    pto.block.cross_core_wait {number} {{mode = 2 : i64, pipe = #pto.pipe<{pipe}>}}\n"


def out_of_acc(way, dtype="f32", extra="", sync="manual", set_=None, wait=None):
    """x @ y goes to Vec, and from there to rows `16 * subblock` (or `32 *`) of z."""
    split = way.startswith("split")
    rows, cols = (16, 32) if way == "split_m" else (32, 16) if way == "split_n" else (32, 32)
    tile = f"!pto.buf<{rows}x{cols}x{dtype}, vec, nd>"
    gm = f"!pto.gm<{2 * rows}x{cols}x{dtype}, pitch<?>>"
    aic = (
        PRODUCT
        + product()
        + flag("m -> fix")
        + move("c", ACC, "v", tile, f" {{acc_to_vec = #pto.acc_to_vec<{way}>{extra}}}")
        + (cross_set("fix", 3) if set_ is None else set_)
    )
    aiv = (
        (cross_wait(3, "mte3") if wait is None else wait)
        + f"""    %i = pto.block.get_subblock_idx
    %rows = arith.constant {rows} : index
    %row = arith.muli %i, %rows : index
    %mine = arith.cmpi {"sge" if split else "eq"}, %i, {"%c0" if way in ("vec0", "split_m", "split_n") else "%c1"} : index
    scf.if %mine {{
      pto.tile.store ins(%v : {tile}) outs(%gz[%row, 0] : {gm})
    }}
"""
    )
    body = CUBE + alloc("v", 64, tile) + array("gz", "z", 2 * rows, cols, dtype)
    return kernel(
        body + section("aic", aic) + section("aiv", aiv),
        f"x:f16 y:f16 z:{dtype}",
        "group",
        sync=sync,
    )


def operands(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(-4, 5, (32, 32)).astype(np.float16) for _ in range(2)]


@pytest.mark.parametrize("sync", ["manual", "author"])
@pytest.mark.parametrize("way", ["vec0", "vec1", "split_m"])
def test_out_of_acc(way, sync):
    x, y = operands()
    rows = 16 if way == "split_m" else 32
    z = np.zeros((2 * rows, 32), np.float32)
    runs(out_of_acc(way, sync=sync), x, y, z, 1)
    want = x.astype(np.float32) @ y.astype(np.float32)
    if way == "split_m":
        assert np.array_equal(z, want)
    else:
        half = int(way == "vec1")
        assert np.array_equal(z[32 * half : 32 * half + 32], want)
        assert not z[32 * (1 - half) : 32 * (1 - half) + 32].any()


def test_columns_go_to_two_cores():
    """32 columns, so that each AIV has 16, behind one another in z; before instructions are
    final any width is halved."""
    x, y = operands()
    z = np.zeros((64, 16), np.float32)
    runs(out_of_acc("split_n"), x, y, z, 1)
    want = x.astype(np.float32) @ y.astype(np.float32)
    assert np.array_equal(z, np.concatenate([want[:, :16], want[:, 16:]]))


@pytest.mark.parametrize("extra", ["", ", relu"])
def test_narrowed_on_the_way(extra):
    x, y = operands(1)
    x += np.float16(0.001)
    z = np.zeros((64, 32), np.float16)
    runs(out_of_acc("vec0", "f16", extra), x, y, z, 1)
    want = x.astype(np.float32) @ y.astype(np.float32)
    want = np.maximum(want, 0) if extra else want
    assert np.array_equal(z[:32], want.astype(np.float16))
    refused(
        out_of_acc("split_m", "f16", extra), r"halves an accumulator for two AIVs and", x, y, z, 1
    )


def test_cores_that_nothing_orders():
    x, y = operands()
    z = np.zeros((32, 32), np.float32)
    refused(
        out_of_acc("split_m", set_="", wait=""),
        r"pl.store: reads 'v' \(\[16, 32\] FP32 in Vec\) .*, which FIX of AIC may still be writing: no cross-core flag makes MTE3 of AIV 0 wait for it \[core_race",
        x, y, z, 1,
    )  # fmt: skip
    # A flag that another pipe set says nothing of FIX.
    refused(out_of_acc("split_m", set_=cross_set("m", 3)), r"core_race", x, y, z, 1)
    # A wait holds the pipe that it names.
    refused(out_of_acc("split_m", wait=cross_wait(3, "v")), r"core_race", x, y, z, 1)
    # That of the 910B holds all.
    held = "    pto.block.cross_core_wait 3 {mode = 2 : i64}\n"
    runs(out_of_acc("split_m", wait=held), x, y, z, 1)


SENT, TAKEN = cross_set("mte3", 1), cross_wait(1, "mte1")


def into_mat(back=SENT, wait=TAKEN):
    """Each AIV loads half of x into Vec and brings it to the AIC's Mat, which multiplies."""
    half, part = "!pto.buf<16x32xf16, vec, nd>", rows16(MAT)
    aiv = (
        f"""    %i = pto.block.get_subblock_idx
    %row = arith.muli %i, %c16 : index
    pto.tile.load ins(%ga[%row, 0] : {GM16}) outs(%h : {half})
{flag("mte2 -> mte3")}    %rows = pto.tile.subview %a[%row, 0] [16, 32] : {MAT} -> {part}
"""
        + move("h", half, "rows", part)
        + back
    )
    aic = (
        load16("gb", "b")
        + flag("mte2 -> mte1")
        + wait
        + to_left()
        + to_right()
        + flag("mte1 -> m")
        + product()
        + flag("m -> fix")
        + f"    pto.tile.store ins(%c : {ACC}) outs(%gz[0, 0] : !pto.gm<32x32xf32, pitch<?>>)\n"
    )
    body = (
        CUBE
        + alloc("h", 0, half)
        + array("ga", "x")
        + array("gb", "y")
        + array("gz", "z", dtype="f32")
    )
    return kernel(body + section("aic", aic) + section("aiv", aiv), "x:f16 y:f16 z", "group")


def test_into_the_mat_of_the_cluster():
    x, y = operands(2)
    z = np.zeros((32, 32), np.float32)
    runs(into_mat(), x, y, z, 1)
    assert np.array_equal(z, x.astype(np.float32) @ y.astype(np.float32))
    # A move may carry what nobody has written yet: the note says who writes it, too late.
    errors = refused(
        into_mat(back="", wait=""), r"reads 'l' .*, which nothing has written", x, y, z, 1
    )
    assert any(
        re.search(
            r"perhaps because of this: pl.move: writes .* in Mat\) at .*, which MTE1 of AIC may still be reading: no cross-core flag makes MTE3 of AIV 0 wait",
            note,
        )
        for _, note in errors[0][2]
    ), errors


def test_only_the_950_has_the_paths():
    x, y = operands(2)
    z = np.zeros((32, 32), np.float32)
    text = into_mat().replace('"950"', '"910B"').replace("left, nz", "left, zz")
    refused(text, r"no path leads from Vec to Mat on 910B \[core_kind", x, y, z, 1)


def test_a_section_reaches_its_own_spaces():
    tile = "!pto.buf<16x32xf16, vec, nd>"
    body = alloc("h", 0, tile) + alloc("a", 0, MAT) + array("ga", "x")
    load = f"    pto.tile.load ins(%ga[0, 0] : {GM16}) outs(%h : {tile})\n"
    x, _ = operands()
    refused(
        kernel(body + section("aic", load), "x:f16", "group"),
        r"works on 'h' .*, which a core of kind AIC does not reach \[core_kind",
        x, 1,
    )  # fmt: skip
    refused(
        kernel(body + section("aiv", load16("ga", "a")), "x:f16", "group"),
        r"works on 'a' .*, which a core of kind AIV does not reach \[core_kind",
        x, 1,
    )  # fmt: skip


@pytest.mark.parametrize("target", ["950", "910B"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_transposed_operand(side, target):
    """Before instructions are final a whole tile is transposed on its way."""
    left = LEFT if target == "950" else LEFT.replace("nz", "zz")
    how = {side: " {transpose}"}
    body = (
        CUBE.replace(LEFT, left)
        + array("ga", "x")
        + array("gb", "y")
        + array("gz", "z", dtype="f32")
        + load16("ga", "a")
        + load16("gb", "b")
        + move("a", MAT, "l", left, how.get("left", ""))
        + move("b", MAT, "r", RIGHT, how.get("right", ""))
        + product().replace(LEFT, left)
        + f"    pto.tile.store ins(%c : {ACC}) outs(%gz[0, 0] : !pto.gm<32x32xf32, pitch<?>>) {{relu}}\n"
    )
    x, y = operands(3)
    z = np.zeros((32, 32), np.float32)
    runs(kernel(body, "x:f16 y:f16 z", "aic", target, "none"), x, y, z, 1)
    a, b = (m.astype(np.float32) for m in (x, y))
    a, b = (a.T, b) if side == "left" else (a, b.T)
    assert np.array_equal(z, np.maximum(a @ b, 0))


ROW, BIAS = "!pto.buf<1x32xf32, mat, nd>", "!pto.buf<1x32xf32, bias, nd>"


def biased(row=ROW, sync="manual"):
    return kernel(
        CUBE
        + alloc("w", 8192, row)
        + alloc("s", 0, BIAS)
        + PRODUCT.replace(
            flag("mte2 -> mte1"),
            array("gw", "w_", 1, 32, "f32")
            + f"    pto.tile.load ins(%gw[0, 0] : !pto.gm<1x32xf32, pitch<?>>) outs(%w : {row})\n"
            + flag("mte2 -> mte1")
            + move("w", row, "s", BIAS),
        )
        + f"    pto.tile.matmul_bias ins(%l, %r, %s : {LEFT}, {RIGHT}, {BIAS}) outs(%c : {ACC})\n"
        + flag("m -> fix")
        + array("gz", "z", dtype="f32")
        + f"    pto.tile.store ins(%c : {ACC}) outs(%gz[0, 0] : !pto.gm<32x32xf32, pitch<?>>)\n"
        + END,
        "x:f16 y:f16 w_ z",
        "aic",
        sync=sync,
    )


def test_product_with_biases():
    x, y = operands(4)
    w, z = np.arange(32).astype(np.float32) / 8, np.zeros((32, 32), np.float32)
    runs(biased(), x, y, w, z, 1)
    assert np.array_equal(z, x.astype(np.float32) @ y.astype(np.float32) + w)
    # In fractals a row is not contiguous: such a copy is none of one instruction.
    nz = ROW.replace("nd", "nz")
    runs(biased(nz, "author"), x, y, w, z, 1)
    assert np.array_equal(z, x.astype(np.float32) @ y.astype(np.float32) + w)
    refused(biased(nz), r"'w' .* is not contiguous in Mat \[instruction_limits", x, y, w, z, 1)


def test_biases_need_a_flag():
    x, y = operands(4)
    w, z = np.ones(32, np.float32), np.zeros((32, 32), np.float32)
    text = biased().replace(flag("mte1 -> m"), "")
    refused(
        text,
        r"pl.matmul_bias: reads .* which MTE1 may still be writing.*\[pipe_race",
        x,
        y,
        w,
        z,
        1,
    )


def test_left_of_the_950_is_nz():
    body = alloc("l", 0, LEFT.replace("nz", "zz"))
    refused(
        kernel(body + END, "x", "aic"),
        r"a tile in Left has layout nz, not zz",
        np.zeros(1, np.float32),
        1,
    )
    big = "!pto.buf<248x256xf32, vec, nd>"
    runs(kernel(alloc("t", 0, big) + END), np.zeros(1, np.float32), 1)
    refused(
        kernel(alloc("t", 0, big) + END, target="910B"),
        r"'t' .* of 248 KiB at byte 0 does not fit Vec, which holds 184 KiB",
        np.zeros(1, np.float32), 1,
    )  # fmt: skip


def test_one_tile_in_the_bytes_of_another():
    """What an AIC puts into Vec takes the place of the AIV's own tile."""
    text = out_of_acc("split_m", wait="")
    tile = "!pto.buf<16x32xf32, vec, nd>"
    own = (
        f"    pto.tile.full ins(%one : f32) outs(%w : {tile})\n"
        + cross_set("v", 2)
        + cross_wait(3, "mte3")
    )
    text = text.replace(alloc("v", 64, tile), alloc("v", 64, tile) + alloc("w", 64, tile))
    text = text.replace(move("c", ACC, "v", tile, ""), "")
    text = text.replace("    pto.block.section aiv {\n", "    pto.block.section aiv {\n" + own)
    text = text.replace(
        f"    pto.tile.move ins(%c : {ACC})",
        cross_wait(2, "fix") + f"    pto.tile.move ins(%c : {ACC})",
    )
    x, y = operands()
    z = np.zeros((32, 32), np.float32)
    runs(text, x, y, z, 1)
    refused(
        text.replace(f"store ins(%v : {tile})", f"store ins(%w : {tile})"),
        r"reads 'w' .* was there, until 'v' .* was put into the same bytes.*\[buffer_reuse",
        x, y, z, 1,
    )  # fmt: skip
