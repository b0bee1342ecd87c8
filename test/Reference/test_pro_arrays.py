# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Pointers and views of arrays: what they reach, and what they refuse."""
# ruff: noqa: E501 (lines of IR)

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest
from pro import END, TILE, alloc, flag, kernel, load, refused, runs, store, view

COPY = alloc("t", 0) + view("a", "x") + view("b", "y") + load("a", "t") + flag("mte2 -> mte3")


def numbers(count, dtype=np.float32):
    return np.arange(count).astype(dtype)


def test_a_pointer_is_as_long_as_what_the_host_gives():
    for shape in ((1024,), (16, 64), (2, 4, 2, 64), (1500,)):
        x, y = numbers(int(np.prod(shape))).reshape(shape), np.zeros(1024, np.float32)
        runs(kernel(COPY + store("t", "b") + END, "x y"), x, y, 1)
        assert np.array_equal(y, x.reshape(-1)[:1024])


def test_rows_are_known_at_run_time():
    body = (
        alloc("t", 0)
        + view("a", "x", "%m")
        + view("b", "y", "%m")
        + f"""    %begin = pto.block.get_block_idx
    %row = arith.muli %begin, %c16 : index
    %rest = arith.subi %m, %row : index
    %rows = arith.minsi %rest, %c16 : index
    %v = pto.tile.subview %t[0, 0] [%rows, 64] : {TILE} -> !pto.buf<?x64xf32, vec, nd, of<16x64>>
    pto.tile.load ins(%a[%row, 0] : !pto.gm<?x64xf32, pitch<?>>) outs(%v : !pto.buf<?x64xf32, vec, nd, of<16x64>>)
{flag("mte2 -> mte3")}    pto.tile.store ins(%v : !pto.buf<?x64xf32, vec, nd, of<16x64>>) outs(%b[%row, 0] : !pto.gm<?x64xf32, pitch<?>>)
"""
        + END
    )
    x, y = numbers(37 * 64).reshape(37, 64), np.zeros((37, 64), np.float32)
    runs(kernel(body, "x y m:index"), x, y, 37, 3)
    assert np.array_equal(x, y)


PLANE = (
    alloc("t", 0)
    + """    %a = pto.tile.make_tensor %x shape [2, 16, 4, 64] strides [4096, 256, 64, 1] : !pto.gm<?xf32> -> !pto.gm<2x16x4x64xf32, pitch<?>>
    %p = pto.tile.plane %a[%b, %h] axes [1, 3] : !pto.gm<2x16x4x64xf32, pitch<?>> -> !pto.gm<16x64xf32, pitch<?>>
"""
    + view("o", "y")
    + load("p", "t")
    + flag("mte2 -> mte3")
    + store("t", "o")
    + END
)


@pytest.mark.parametrize("b, h", [(0, 0), (1, 3), (1, 0)])
def test_plane_of_four_dimensions(b, h):
    x, y = numbers(2 * 16 * 4 * 64).reshape(2, 16, 4, 64), np.zeros((16, 64), np.float32)
    runs(kernel(PLANE, "x y b:index h:index"), x, y, b, h, 1)
    assert np.array_equal(y, x[b, :, h])


def test_place_outside_a_plane():
    x, y = numbers(2 * 16 * 4 * 64), np.zeros((16, 64), np.float32)
    text = kernel(PLANE, "x y b:index h:index")
    refused(text, r"offset 4 in dimension 2 is not within 0 to 3 of 'a'", x, y, 1, 4, 1)
    refused(text, r"offset -1 in dimension 0", x, y, -1, 0, 1)


def test_transposed_plane():
    body = (
        alloc("t", 0)
        + """    %a = pto.tile.make_tensor %x shape [64, 16] strides [16, 1] : !pto.gm<?xf32> -> !pto.gm<64x16xf32, pitch<?>>
    %p = pto.tile.plane %a[] axes [1, 0] : !pto.gm<64x16xf32, pitch<?>> -> !pto.gm<16x64xf32, pitch<?>>
"""
        + view("o", "y")
        + load("p", "t")
        + flag("mte2 -> mte3")
        + store("t", "o")
        + END
    )
    x, y = numbers(1024).reshape(64, 16), np.zeros((16, 64), np.float32)
    runs(kernel(body, "x y"), x, y, 1)
    assert np.array_equal(y, x.T)


RETYPE = (
    alloc("t", 0)
    + """    %p = pto.tile.make_ptr %x[%n] : !pto.gm<?xi8> -> !pto.gm<?xf32>
    %q = pto.tile.make_ptr %p[64] : !pto.gm<?xf32> -> !pto.gm<?xf32>
"""
    + view("a", "q")
    + view("o", "y")
    + load("a", "t")
    + flag("mte2 -> mte3")
    + store("t", "o")
    + END
)


def test_pointer_moves_and_changes_its_type():
    y = np.zeros((16, 64), np.float32)
    for x in (numbers(2000), numbers(2000).view(np.uint8)):
        runs(kernel(RETYPE, "x:i8 y n:index"), x, y, 400, 1)
        assert np.array_equal(y.reshape(-1), numbers(2000)[164 : 164 + 1024])


def test_pointer_leaves_its_memory():
    text, y = kernel(RETYPE, "x:i8 y n:index"), np.zeros((16, 64), np.float32)
    x = numbers(2000)
    refused(
        text, r"moves 'x' \(\[\?\] INT8\) by 8001 elements, and it has 8000 \[bounds", x, y, 8001, 1
    )
    refused(text, r"moves 'x' .* by -4 elements, and there is nothing in front of it", x, y, -4, 1)
    refused(text, r"begins at byte 2 of its memory; elements of 4 bytes", x, y, 2, 1)
    refused(
        text,
        r"element \[15, 63\] of 'a' \(\[16, 64\] FP32\) lies outside the memory of 'x' .* 8000 bytes, 2000 such",
        x, y, 4000, 1,
    )  # fmt: skip


def test_window_beyond_a_view():
    body = alloc("t", 0) + view("a", "x", "%m") + load("a", "t", "%r", "?x64")
    text = kernel(body + END, "x m:index r:index")
    x = numbers(64 * 64)
    runs(text, x, 40, 24, 1)
    refused(
        text,
        r"the window reaches beyond the array 'a' \(\[\?, 64\] FP32\): in dimension 0 it covers 25 to 40 of 0 to 39",
        x, 40, 25, 1,
    )  # fmt: skip
    # The author's own dimension, not that of the plane.
    body = (
        alloc("t", 0)
        + """    %a = pto.tile.make_tensor %x shape [2, 4, 16, 64] strides [4096, 1024, 64, 1] : !pto.gm<?xf32> -> !pto.gm<2x4x16x64xf32, pitch<?>>
    %p = pto.tile.plane %a[0, 0] axes [2, 3] : !pto.gm<2x4x16x64xf32, pitch<?>> -> !pto.gm<16x64xf32, pitch<?>>
"""
        + load("p", "t", "%r")
    )
    refused(
        kernel(body + END, "x r:index"),
        r"beyond the array 'a' .*: in dimension 2 it covers 1 to 16 of 0 to 15",
        numbers(8192), 1, 1,
    )  # fmt: skip


NULL = (
    alloc("t", 0)
    + view("b", "y")
    + f"""    %none = pto.tile.is_null %x : !pto.gm<?xf32>
    %moved = pto.tile.make_ptr %x[1000] : !pto.gm<?xf32> -> !pto.gm<?xf32>
    %still = pto.tile.is_null %moved : !pto.gm<?xf32>
    scf.if %none {{
      pto.tile.full ins(%one : f32) outs(%t : {TILE})
{flag("v -> mte3")}    }} else {{
{view("a", "x")}{load("a", "t")}{flag("mte2 -> mte3")}    }}
"""
    + store("t", "b")
    + END
)


def test_nothing_given():
    y = np.zeros((16, 64), np.float32)
    runs(kernel(NULL, "x y"), None, y, 1)
    assert (y == 1).all()
    x = numbers(1024)
    runs(kernel(NULL, "x y"), x, y, 1)
    assert np.array_equal(y.reshape(-1), x)
    refused(
        kernel(COPY + store("t", "b") + END, "x y"),
        r"is not there: nothing was given for 'x'",
        None,
        y,
        1,
    )
    refused(
        kernel(COPY + store("t", "b") + END, "x y"),
        r"argument 3, 'block_dim', .*found nothing",
        None,
        y,
        None,
    )


def test_an_array_is_not_nothing():
    text = "module { func.func @k(%x: tensor<4x4xf32>) attributes {pto.kind = #pto.kind<orchestration>} { return } }"
    with pytest.raises(Exception, match="only a pointer may be nothing"):
        from model import run

        run(text, None)


def test_wrong_element_type():
    y = np.zeros((16, 64), np.float32)
    refused(
        kernel(COPY + END, "x y"),
        r"argument 1, 'x', .* is \[\?\] FP32, found \[1024\] INT32",
        numbers(1024, np.int32),
        y,
        1,
    )


COLUMNS = (
    alloc("t", 0, "!pto.buf<16x32xf32, vec, nd>")
    + """    %i = pto.block.get_block_idx
    %c = arith.muli %i, %step : index
    %a = pto.tile.make_tensor %x shape [16, 64] strides [64, 1] : !pto.gm<?xf32> -> !pto.gm<16x64xf32, pitch<?>>
    pto.tile.full ins(%one : f32) outs(%t : !pto.buf<16x32xf32, vec, nd>)
"""
    + flag("v -> mte3")
    + """    pto.tile.store ins(%t : !pto.buf<16x32xf32, vec, nd>) outs(%a[0, %c] : !pto.gm<16x64xf32, pitch<?>>)
"""
    + END
)


def test_blocks_write_columns_of_their_own():
    x = np.zeros((16, 64), np.float32)
    runs(kernel(COLUMNS, "x step:index"), x, 32, 2)
    assert (x == 1).all()
    refused(
        kernel(COLUMNS, "x step:index"),
        r"writes 'a' .*, bytes 124 to 127 of 'x', which block 0 writes",
        x,
        31,
        2,
    )


def test_elements_that_share_bytes():
    body = (
        alloc("t", 0)
        + view("a", "x", "16", 32)
        + f"    pto.tile.full ins(%one : f32) outs(%t : {TILE})\n"
    )
    text = kernel(body + flag("v -> mte3") + store("t", "a") + END)
    refused(text, r"stores to elements of 'a' .* that share bytes", numbers(1024), 1)
    # They may be read.
    body = (
        alloc("t", 0)
        + view("a", "x", "16", 0)
        + view("b", "y")
        + load("a", "t")
        + flag("mte2 -> mte3")
    )
    y = np.zeros((16, 64), np.float32)
    runs(kernel(body + store("t", "b") + END, "x y"), numbers(64), y, 1)
    assert np.array_equal(y, np.tile(numbers(64), (16, 1)))


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "int32", "int64", "float32", "float16"]
)
def test_elements_of_every_width(dtype):
    name = {"uint8": "i8", "float32": "f32", "float16": "f16"}.get(dtype, dtype.replace("int", "i"))
    body = f"""    %v = pto.tile.get_value %x[3] : !pto.gm<?x{name}> -> {name}
    pto.tile.set_value %v, %y[5] : {name}, !pto.gm<?x{name}>
    pto.block.dcci %y[5] : !pto.gm<?x{name}>
"""
    x, y = np.array([1, 2, 3, 101, 5], dtype), np.zeros(8, dtype)
    runs(kernel(body + END, f"x:{name} y:{name}"), x, y, 1)
    assert y.tolist() == [0, 0, 0, 0, 0, 101, 0, 0]
    assert np.array_equal(x, np.array([1, 2, 3, 101, 5], dtype))


def test_loop_that_ends_early():
    """While there are lengths, and none is negative: their sum."""
    body = """    %zero = arith.constant 0 : i32
    %i, %sum = scf.while (%at = %c0, %s = %zero) : (index, i32) -> (index, i32) {
      %more = arith.cmpi slt, %at, %n : index
      scf.condition(%more) %at, %s : index, i32
    } do {
    ^bb0(%at: index, %s: i32):
      %v = pto.tile.get_value %x[%at] : !pto.gm<?xi32> -> i32
      %bad = arith.cmpi slt, %v, %zero : i32
      %next = scf.if %bad -> (index) {
        scf.yield %n : index
      } else {
        %plus = arith.addi %at, %c1 : index
        scf.yield %plus : index
      }
      %added = arith.addi %s, %v : i32
      %kept = arith.select %bad, %s, %added : i32
      scf.yield %next, %kept : index, i32
    }
    pto.tile.set_value %sum, %y[0] : i32, !pto.gm<?xi32>
    pto.block.dcci %y[0] {entire} : !pto.gm<?xi32>
"""
    x, y = np.array([4, 5, 6, -1, 7], np.int32), np.zeros(1, np.int32)
    runs(kernel(body + END, "x:i32 y:i32 n:index"), x, y, 5, 1)
    assert y[0] == 15
    refused(
        kernel(body + END, "x:i32 y:i32 n:index"),
        r"offset 3 in dimension 0 is not within 0 to 2 of 'x'",
        x[:3],
        y,
        5,
        1,
    )


def test_negative_stride():
    body = """    %m1 = arith.constant -1 : index
    %a = pto.tile.make_tensor %x shape [16, 64] strides [%m1, 1] : !pto.gm<?xf32> -> !pto.gm<16x64xf32, pitch<?>>
"""
    refused(kernel(body + END), r"stride -1 in dimension 0 of 'a' .* is negative", numbers(64), 1)


def test_huge_strides():
    body = (
        alloc("t", 0)
        + """    %big = arith.constant 4611686018427387904 : index
    %a = pto.tile.make_tensor %x shape [%big, 64] strides [%big, 1] : !pto.gm<?xf32> -> !pto.gm<?x64xf32, pitch<?>>
"""
    )
    refused(
        kernel(body + load("a", "t", "0", "?x64") + END),
        r"element \[15, 63\] of 'a' .* lies outside the memory of 'x'",
        numbers(1024), 1,
    )  # fmt: skip


def test_subblocks():
    body = """    %n = pto.block.get_subblock_num
    %v = arith.index_cast %n : index to i32
    pto.tile.set_value %v, %x[0] : i32, !pto.gm<?xi32>
    pto.block.dcci %x[0] : !pto.gm<?xi32>
"""
    x = np.zeros(1, np.int32)
    runs(kernel(body + END, "x:i32"), x, 1)
    assert x[0] == 1
    section = """    %i = pto.block.get_subblock_idx
    %at = arith.muli %i, %c16 : index
    pto.block.section aiv {
    %n = pto.block.get_subblock_num
    %v = arith.index_cast %n : index to i32
    pto.tile.set_value %v, %x[%at] : i32, !pto.gm<?xi32>
    pto.block.dcci %x[%at] : !pto.gm<?xi32>
    }
"""
    x = np.zeros(32, np.int32)
    runs(kernel(section + END, "x:i32", kind="group"), x, 1)
    assert x.tolist() == [2] + [0] * 15 + [2] + [0] * 15


def test_from_the_command_line(tmp_path):
    np.save(tmp_path / "x.npy", numbers(1024).reshape(4, 256))
    np.save(tmp_path / "n.npy", np.array([3, -4, 250], np.int64))
    (tmp_path / "k.mlir").write_text(
        kernel(
            """    %v = pto.tile.get_value %n[1] : !pto.gm<?xi64> -> i64
    pto.tile.set_value %v, %n[0] : i64, !pto.gm<?xi64>
    pto.block.dcci %n[0] : !pto.gm<?xi64>
    %none = pto.tile.is_null %z : !pto.gm<?xf32>
    scf.if %none {
      pto.block.print "nothing\\0A"
    }
"""
            + END,
            "x n:i64 z",
        )
    )
    tool = os.path.join(os.environ.get("PYPTO_BIN", ""), "pypto-run")
    command = [tool, "k.mlir", "--entry", "k_entry", "--args", "x.npy", "n.npy", "null", "1"]
    made = subprocess.run(
        [*command, "--save", "x2.npy", "n2.npy"], cwd=tmp_path, capture_output=True, text=True
    )
    assert made.returncode == 0 and not made.stderr, made.stderr
    assert made.stdout.startswith("nothing\n")
    assert np.load(tmp_path / "n2.npy").tolist() == [-4, -4, 250]
    made = subprocess.run([*command, "--json"], cwd=tmp_path, capture_output=True, text=True)
    assert json.loads(made.stdout)["ok"]
