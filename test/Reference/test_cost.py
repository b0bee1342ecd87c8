# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What each kind of instruction costs, from the numbers in docs/cost-model.md."""

from __future__ import annotations

import numpy as np
import pytest
from timed import data, kernel

DDR, MOVE, VECTOR, CUBE = 100, 16, 8, 16  # before the first byte or repeat


def _array(name: str, shape: str, direction: str = "in") -> str:
    return f"%{name}: !pto.gm<{shape}> {{pto.dir = #pto.dir<{direction}>}}"


def _alloc(name: str, shape: str, space: str, layout: str, address: int = 0) -> str:
    return f"    %{name} = pto.tile.alloc {{addrs = array<i64: {address}>}} : !pto.buf<{shape}, {space}, {layout}>\n"


def cycles(text: str, *arguments) -> list[int]:
    return [event[5] - event[4] for event in data(text, *arguments)["events"]]


# Rows and columns of an array, rows and columns of a window: cycles of its load.
@pytest.mark.parametrize(
    ("array", "window", "expected"),
    [
        ((64, 64), (64, 64), DDR + 64 * 64 * 4 // 32),  # 16 KiB in one run
        ((1, 8), (1, 8), DDR + 512 // 32),  # 32 bytes cost a line of 512
        ((64, 256), (64, 64), DDR + 64 * 512 // 32),  # 256 of each row: a line a row
        ((64, 256), (64, 128), DDR + 64 * 512 // 32),  # 512 of each row
        ((64, 256), (64, 256), DDR + 64 * 1024 // 32),
    ],
)
def test_load_and_store(array, window, expected):
    whole, part = "x".join(map(str, array)) + "xf32", "x".join(map(str, window)) + "xf32"
    text = kernel(
        _alloc("t", part, "vec", "nd")
        + f"""    pto.tile.load ins(%x[0, 0] : !pto.gm<{whole}>) outs(%t : !pto.buf<{part}, vec, nd>)
    pto.block.set_flag mte2 -> mte3, 0
    pto.block.wait_flag mte2 -> mte3, 0
    pto.tile.store ins(%t : !pto.buf<{part}, vec, nd>) outs(%y[0, 0] : !pto.gm<{whole}>)
""",
        _array("x", whole) + ", " + _array("y", whole, "out"),
    )
    x = np.ones(array, np.float32)
    assert cycles(text, x, np.zeros_like(x)) == [expected, expected]


def test_a_run_that_crosses_lines_touches_both():
    text = kernel(
        _alloc("t", "1x128xf32", "vec", "nd")
        + "    pto.tile.load ins(%x[0, 8] : !pto.gm<1x256xf32>) outs(%t : !pto.buf<1x128xf32, vec, nd>)\n",
        _array("x", "1x256xf32"),
    )
    assert cycles(text, np.ones((1, 256), np.float32)) == [DDR + 2 * 512 // 32]


def _vector(operation: str, shape: str, dst: str | None = None) -> str:
    dst = dst or f"{shape}, vec, nd"
    return kernel(
        f"    %v = arith.constant 1.0 : {shape.rpartition('x')[2]}\n"
        + _alloc("a", shape, "vec", "nd")
        + f"    %d = pto.tile.alloc {{addrs = array<i64: 65536>}} : !pto.buf<{dst}>\n"
        + f"    pto.tile.full ins(%v : {shape.rpartition('x')[2]}) outs(%a : !pto.buf<{shape}, vec, nd>)\n"
        + "    pto.block.barrier v\n    "
        + operation.format(a=f"!pto.buf<{shape}, vec, nd>", d=f"!pto.buf<{dst}>"),
        "",
    )


@pytest.mark.parametrize(
    ("operation", "shape", "dst", "expected"),
    [
        ("pto.tile.add ins(%a, %a : {a}, {a}) outs(%d : {d})", "64x64xf32", None, 64),
        ("pto.tile.add ins(%a, %a : {a}, {a}) outs(%d : {d})", "64x64xf16", None, 32),
        ("pto.tile.add ins(%a, %a : {a}, {a}) outs(%d : {d})", "64x128xf32", None, 128),
        ("pto.tile.add ins(%a, %a : {a}, {a}) outs(%d : {d})", "1x8xf32", None, 1),
        ("pto.tile.exp ins(%a : {a}) outs(%d : {d})", "64x64xf32", None, 4 * 64),
        ("pto.tile.div ins(%a, %a : {a}, {a}) outs(%d : {d})", "64x64xf32", None, 4 * 64),
        ("pto.tile.sqrt ins(%a : {a}) outs(%d : {d})", "16x64xf32", None, 4 * 16),
        ("pto.tile.row_max ins(%a : {a}) outs(%d : {d})", "64x64xf32", "64x1xf32, vec, dn", 2 * 64),
        ("pto.tile.row_sum ins(%a : {a}) outs(%d : {d})", "64x8xf32", "64x1xf32, vec, dn", 2 * 64),
        # The wider of the two types decides how many repeats there are.
        (
            "pto.tile.cast ins(%a : {a}) outs(%d : {d}) {{round = #pto.round<none>}}",
            "64x64xf16",
            "64x64xf32, vec, nd",
            64,
        ),
    ],
)
def test_vector(operation, shape, dst, expected):
    assert cycles(_vector(operation, shape, dst))[-1] == VECTOR + expected


def test_mask_form_is_a_repeat_a_row():
    whole, part = "!pto.buf<64x64xf32, vec, nd>", "!pto.buf<64x8xf32, vec, nd, of<64x64>>"
    text = _vector(
        f"%w = pto.tile.subview %a [0, 0] [64, 8] : {whole} -> {part}\n"
        f"    pto.tile.add ins(%w, %w : {part}, {part}) outs(%w : {part})",
        "64x64xf32",
    )
    assert cycles(text)[-1] == VECTOR + 64


def test_brcb_makes_eight_blocks_a_repeat():
    column, blocks = "!pto.buf<64x1xf32, vec, dn>", "!pto.buf<64x8xf32, vec, nd>"
    text = _vector(
        f"""%c = pto.tile.alloc {{{{addrs = array<i64: 131072>}}}} : {column}
    pto.tile.row_max ins(%a : {{a}}) outs(%c : {column})
    pto.block.barrier v
    pto.tile.brcb ins(%c : {column}) outs(%d : {blocks})
    pto.block.barrier v
    pto.tile.row_expand_div ins(%a, %d : {{a}}, {blocks}) outs(%a : {{a}})""",
        "64x64xf32",
        "64x8xf32, vec, nd",
    )
    assert cycles(text)[-2:] == [VECTOR + 64 // 8, VECTOR + 4 * 64]


def _moves(name: str, rows: int, cols: int, element: str, space: str, layout: str) -> str:
    """Mat to Left or Right, sixteen rows at a time."""
    whole, source = f"{rows}x{cols}x{element}", f"16x{cols}x{element}, mat, nz"
    target = f"16x{cols}x{element}, {space}, {layout}"
    of = f", of<{rows}x{cols}>" if rows != 16 else ""
    lines = []
    for row in range(0, rows, 16):
        lines.append(f"""
    %{name}f{row} = pto.tile.subview %{name}1 [{row}, 0] [16, {cols}] : !pto.buf<{whole}, mat, nz> -> !pto.buf<{source}{of}>
    %{name}t{row} = pto.tile.subview %{name}0 [{row}, 0] [16, {cols}] : !pto.buf<{whole}, {space}, {layout}> -> !pto.buf<{target}{of}>
    pto.tile.move ins(%{name}f{row} : !pto.buf<{source}{of}>) outs(%{name}t{row} : !pto.buf<{target}{of}>)""")
    return "".join(lines) + "\n"


def _product(m: int, n: int, k: int, element: str, out: str = "f32") -> str:
    left, right, acc = f"{m}x{k}x{element}", f"{k}x{n}x{element}", f"{m}x{n}xf32"
    return kernel(
        _alloc("a1", left, "mat", "nz")
        + _alloc("b1", right, "mat", "nz", 262144)
        + _alloc("a0", left, "left", "zz")
        + _alloc("b0", right, "right", "zn")
        + _alloc("c", acc, "acc", "nz")
        + f"""    pto.tile.load ins(%x[0, 0] : !pto.gm<{left}>) outs(%a1 : !pto.buf<{left}, mat, nz>)
    pto.tile.load ins(%y[0, 0] : !pto.gm<{right}>) outs(%b1 : !pto.buf<{right}, mat, nz>)
    pto.block.barrier all
"""
        + _moves("a", m, k, element, "left", "zz")
        + _moves("b", k, n, element, "right", "zn")
        + f"""    pto.block.barrier all
    pto.tile.matmul ins(%a0, %b0 : !pto.buf<{left}, left, zz>, !pto.buf<{right}, right, zn>) outs(%c : !pto.buf<{acc}, acc, nz>)
    pto.block.barrier all
    pto.tile.store ins(%c : !pto.buf<{acc}, acc, nz>) outs(%z[0, 0] : !pto.gm<{m}x{n}x{out}>)
""",
        ", ".join([_array("x", left), _array("y", right), _array("z", f"{m}x{n}x{out}", "out")]),
        core="aic",
    )


def _by_pipe(m, n, k, element, out="f32"):
    types = {"f16": np.float16, "f32": np.float32}
    found = data(
        _product(m, n, k, element, out),
        np.ones((m, k), types[element]),
        np.ones((k, n), types[element]),
        np.zeros((m, n), types[out]),
    )["events"]
    return {
        pipe: [event[5] - event[4] for event in found if event[3] == pipe]
        for pipe in ("MTE1", "M", "FIX")
    }


@pytest.mark.parametrize(
    ("m", "n", "k", "element", "expected"),
    [
        (16, 16, 16, "f16", 1),
        (64, 64, 64, "f16", 4 * 4 * 4),
        (128, 64, 32, "f16", 8 * 4 * 2),
    ],
)
def test_product(m, n, k, element, expected):
    assert _by_pipe(m, n, k, element)["M"] == [CUBE + expected]


def test_moves_to_left_and_right():
    # 16 rows of 64 FP16 are 2 KiB: 512 bytes a cycle to Left, 256 to Right.
    assert _by_pipe(16, 64, 64, "f16")["MTE1"] == [MOVE + 4] + 4 * [MOVE + 8]


@pytest.mark.parametrize(
    ("n", "out", "expected"),
    [
        (64, "f32", DDR + 64 * 64 * 4 // 32),  # bound by DDR, not by Acc
        (64, "f16", DDR + 64 * 64 * 2 // 32),  # narrowed on its way out
    ],
)
def test_store_of_an_accumulator(n, out, expected):
    assert _by_pipe(64, n, 64, "f16", out)["FIX"] == [expected]
