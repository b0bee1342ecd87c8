# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Final modules that ask the chip for what it does not have."""
# ruff: noqa: E501 (lines of IR)

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest
from final_checking import (
    ALWAYS,
    END,
    RIGHT,
    VOUT,
    A,
    Case,
    T,
    alloc,
    at,
    barrier,
    flag,
    full,
    kernel,
    refuse,
    store,
    unary,
)
from model import Failed, Program

MAT, LEFT_TYPE = "!pto.buf<16x16xf16, mat, nz>", "!pto.buf<16x16xf16, left, zz>"
KIND = {
    "a vector space on the cube core": Case(
        "core_kind", kernel(alloc("a", 0, label="here") + END, kind="aic"), at("here")
    ),
    "a cube space on a vector core": Case(
        "core_kind",
        kernel(alloc("a", 0, MAT, "here") + END),
        at("here"),
        message="which a core of kind AIV",
    ),
    "a pipe of the other core": Case(
        "core_kind",
        kernel("    pto.block.barrier m //: here\n" + END),
        at("here"),
        message="names pipe M",
    ),
    "a flag of the other core": Case(
        "core_kind", kernel(flag("mte1 -> m", label="f.") + END), at("f.set"), message="MTE1"
    ),
    "no path": Case(
        "core_kind",
        kernel(
            alloc("a", 0, LEFT_TYPE)
            + alloc("b", 0, "!pto.buf<16x16xf16, right, zn>")
            + "    pto.tile.move ins(%a : !pto.buf<16x16xf16, left, zz>) outs(%b : !pto.buf<16x16xf16, right, zn>) //: here\n"
            + END,
            kind="aic",
        ),
        at("here"),
        message="no path leads from Left to Right",
    ),
}
VEC = "!pto.buf<16x1xf32, vec, dn>"
WIDE = "!pto.buf<16x128xf32, vec, nd>"
INT = "!pto.buf<16x64xi32, vec, nd>"
INSTRUCTION = {
    "neg": Case(
        "instruction",
        kernel(A + full() + barrier("v") + unary("neg", label="here") + END),
        at("here"),
        message="no such instruction for FP32",
    ),
    "exp of whole numbers": Case(
        "instruction",
        kernel(
            alloc("a", 0, INT)
            + "    %i = arith.constant 1 : i32\n"
            + f"    pto.tile.full ins(%i : i32) outs(%a : {INT})\n"
            + barrier("v")
            + f"    pto.tile.div ins(%a, %a : {INT}, {INT}) outs(%a : {INT}) //: here\n"
            + END
        ),
        at("here"),
        message="no such instruction for INT32",
    ),
    "a conversion": Case(
        "instruction",
        kernel(
            alloc("a", 0)
            + alloc("b", 8192, "!pto.buf<16x64xbf16, vec, nd>")
            + alloc("c", 16384, "!pto.buf<16x64xf16, vec, nd>")
            + full()
            + barrier("v")
            + f"    pto.tile.cast ins(%a : {T}) outs(%b : !pto.buf<16x64xbf16, vec, nd>) {{round = #pto.round<rint>}}\n"
            + barrier("v")
            + "    pto.tile.cast ins(%b : !pto.buf<16x64xbf16, vec, nd>) outs(%c : !pto.buf<16x64xf16, vec, nd>) {round = #pto.round<rint>} //: here\n"
            + END
        ),
        at("here"),
        message="no instruction from BF16 to FP16",
    ),
}
LIMITS = {
    "rows wider than a repeat": Case(
        "instruction_limits",
        kernel(
            alloc("a", 0, WIDE)
            + alloc("v", 8192, VEC)
            + full("a", type=WIDE)
            + barrier("v")
            + f"    pto.tile.row_sum ins(%a : {WIDE}) outs(%v : {VEC}) //: here\n"
            + END
        ),
        at("here"),
        message="are 512 B wide",
    ),
    "values that are no blocks": Case(
        "instruction_limits",
        kernel(
            A
            + alloc("v", 8192, VEC)
            + full()
            + full("v", type=VEC)
            + barrier("v")
            + f"    pto.tile.row_expand_mul ins(%a, %v : {T}, {VEC}) outs(%a : {T}) //: here\n"
            + END
        ),
        at("here"),
        message="one 32-byte block a row",
    ),
    "a window that begins within a block": Case(
        "instruction_limits",
        kernel(
            A
            + "    %w = pto.tile.subview %a[0, 4] [16, 32] : !pto.buf<16x64xf32, vec, nd> -> !pto.buf<16x32xf32, vec, nd, of<16x64>>\n"
            + full()
            + barrier("v")
            + unary("exp", "w", label="here", type="!pto.buf<16x32xf32, vec, nd, of<16x64>>")
            + END
        ),
        at("here"),
        message="begins at byte 16",
    ),
    "more rows than repeats": Case(
        "instruction_limits",
        kernel(
            alloc("a", 0, "!pto.buf<256x64xf32, vec, nd>")
            + "    %w = pto.tile.subview %a[0, 0] [256, 32] : !pto.buf<256x64xf32, vec, nd> -> !pto.buf<256x32xf32, vec, nd, of<256x64>>\n"
            + full("w", "here", "!pto.buf<256x32xf32, vec, nd, of<256x64>>")
            + END
        ),
        at("here"),
        message="has 256 rows; one instruction takes at most 255",
    ),
}
OVERLAP = {
    "some rows": Case(
        "operand_overlap",
        kernel(A + alloc("b", 2048) + full() + barrier("v") + unary("exp", "a", "b", "here") + END),
        at("here"),
        message="destination 'b'.* overlaps its source 'a'",
    ),
    "one block": Case(
        "operand_overlap",
        kernel(
            alloc("a", 32)
            + alloc("b", 0)
            + full()
            + barrier("v")
            + unary("exp", "a", "b", "here")
            + END
        ),
        at("here"),
    ),
    "a sum of rows in its source": Case(
        "operand_overlap",
        kernel(
            A
            + alloc("v", 256, VEC)
            + full()
            + barrier("v")
            + f"    pto.tile.row_sum ins(%a : {T}) outs(%v : {VEC}) //: here\n"
            + END
        ),
        at("here"),
        message="no bytes in common",
    ),
}
ALLOCATION = {
    "an odd address": Case(
        "allocation",
        kernel(alloc("a", 48, label="here") + END),
        at("here"),
        message="multiples of 32",
    ),
    "another space's layout": Case(
        "allocation",
        kernel(alloc("a", 0, "!pto.buf<16x64xf32, vec, nz>", "here") + END),
        at("here"),
        message="layout nd, not nz",
    ),
    "rows of 36 bytes": Case(
        "allocation",
        kernel(alloc("a", 0, "!pto.buf<16x9xf32, vec, nd>", "here") + END),
        at("here"),
        message="rows of 36 bytes",
    ),
    "an odd slot": Case(
        "allocation",
        kernel(
            "    %a = pto.tile.alloc {addrs = array<i64: 0, 4100>} : !pto.buf<16x64xf32, vec, nd, slots<2>> //: here\n"
            + END
        ),
        at("here"),
        message="begins at byte 4100",
    ),
}


def buffers(count, first=""):
    return first + "".join(
        alloc(f"b{i}", 32 * i, "!pto.buf<1x8xf32, vec, nd>") for i in range(count)
    )


COUNT = {
    f"{count} buffers": Case(
        "buffer_count", kernel(buffers(count) + END), at("kernel"), message=f"has {count} buffers"
    )
    for count in (65, 70, 100)
}
IN_WRITE = {
    "a store": Case(
        "in_write",
        kernel(A + full() + flag(VOUT) + store(array="x") + END),
        at("store", variable="x"),
        message="'x'.* which is an In argument",
    ),
    "a task": Case(
        "in_write",
        """module attributes {pto.target = "910B"} {
  func.func private @f(%x: !pto.gm<64x64xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} { return }
  func.func @k(%x: tensor<64x64xf32> {pto.dir = #pto.dir<in>}, %y: tensor<64x64xf32> {pto.dir = #pto.dir<out>}, %n: index)
      attributes {pto.kind = #pto.kind<orchestration>} {
    %r = pto.block.dispatch @f(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32> //: here
    return
  }
}""",
        at("here", variable="x"),
        message="make it Out or InOut",
    ),
    "a whole array": Case(
        "in_write",
        """module attributes {pto.target = "910B"} {
  func.func @k(%x: tensor<64x64xf32> {pto.dir = #pto.dir<in>}, %y: tensor<64x64xf32> {pto.dir = #pto.dir<out>}, %n: index) -> tensor<64x64xf32>
      attributes {pto.kind = #pto.kind<in_core>} {
    %z = pto.tensor.mul %x, %x : tensor<64x64xf32>
    %r = pto.tensor.assemble %z into %x[0, 0] : tensor<64x64xf32> into tensor<64x64xf32> //: here
    return %y : tensor<64x64xf32>
  }
}""",
        at("here", variable="x"),
    ),
}
GROUPS = (KIND, INSTRUCTION, LIMITS, OVERLAP, ALLOCATION, COUNT, IN_WRITE)
CASES = {f"{case.check}: {name}": case for group in GROUPS for name, case in group.items()}


@pytest.mark.parametrize("name", CASES)
def test_wrong(name, run_json):
    refuse(CASES[name], run_json)


@pytest.mark.parametrize("check", sorted(ALWAYS))
def test_what_cannot_be_off(check, tmp_path):
    (tmp_path / "k.mlir").write_text(RIGHT)
    tool = os.path.join(os.environ.get("PYPTO_BIN", ""), "pypto-run")
    made = subprocess.run(
        [tool, "k.mlir", "--checks", f"all,-{check}"], cwd=tmp_path, capture_output=True, text=True
    )
    assert made.returncode == 2 and f"the check '{check}' cannot be off" in made.stderr


@pytest.mark.parametrize("begin", [0, 32, 63])
def test_argument_overlap(begin):
    memory = np.ones((128, 64), np.float32)
    x, y = memory[:64], memory[begin : begin + 64]
    program = Program(RIGHT)
    try:
        with pytest.raises(
            Failed, match=r"overlap in memory, and one of them is written \[argument_overlap"
        ):
            program.run(x, y, 1, entry="k")
        assert [r["check"] for r in json.loads(program.program.reports())] == ["argument_overlap"]
        program.run(x, y, 1, entry="k", checks="all,-argument_overlap")
        assert json.loads(program.program.reports()) == []
    finally:
        program.close()
    np.testing.assert_allclose(memory[begin : begin + 16], np.e, rtol=1e-6)
