# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Every check of the model, with a program that is wrong in just that way."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest
from model import Failed, Program, run

T = "!pto.buf<16x64xf32, vec, nd>"
X = "!pto.gm<64x64xf32>"


def kernel(body: str, kind: str = "aiv", sync: str = "manual", x: str = "in") -> str:
    """A kernel over arrays %x and %y, [64, 64] FP32."""
    return f"""module attributes {{pto.target = "910B"}} {{
  func.func @k(%x: {X} {{pto.dir = #pto.dir<{x}>}}, %y: {X} {{pto.dir = #pto.dir<out>}}, %n: index)
      attributes {{pto.kind = #pto.kind<{kind}>, pto.sync = #pto.sync<{sync}>}} {{
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
{body}
    return
  }}
}}"""


def alloc(name: str, address: int, type: str = T) -> str:
    return f"    %{name} = pto.tile.alloc {{addrs = array<i64: {address}>}} : {type}\n"


LOAD = f"    pto.tile.load ins(%x[0, 0] : {X}) outs(%a : {T})\n"
STORE = f"    pto.tile.store ins(%a : {T}) outs(%y[0, 0] : {X})\n"
NEXT = "    pto.block.set_flag mte2 -> mte3, 0\n    pto.block.wait_flag mte2 -> mte3, 0\n"
END = "    pto.block.barrier all\n"
A = alloc("a", 0)
EXP = f"    pto.tile.exp ins(%a : {T}) outs(%a : {T})\n"
FULL = f"    pto.tile.full ins(%one : f32) outs(%a : {T})\n"

WRONG = {
    "right program": (kernel(A + LOAD + NEXT + STORE + END), None),
    "capacity": (
        kernel(alloc("a", 184 * 1024)),
        r"at byte 188416 does not fit Vec, which holds 184 KiB",
    ),
    "alignment": (
        kernel(alloc("a", 48)),
        r"begins at byte 48; addresses in Vec are multiples of 32",
    ),
    "core of a space": (kernel(A, kind="aic"), r"allocates in Vec, which a core of kind AIC"),
    "core of a pipe": (
        kernel("    pto.block.barrier v\n", kind="aic"),
        r"names pipe V, which .* AIC does not have",
    ),
    "no such flag": (
        kernel("    pto.block.set_flag v -> s, 0\n    pto.block.set_flag mte3 -> fix, 0\n"),
        r"no flag from MTE3 to FIX",
    ),
    "layout of a space": (
        kernel(alloc("a", 0, "!pto.buf<16x64xf32, vec, nz>")),
        r"layout nd, not nz",
    ),
    "row bytes": (kernel(alloc("a", 0, "!pto.buf<16x9xf32, vec, nd>")), r"rows of 36 bytes"),
    "path": (
        kernel(
            alloc("a", 0, "!pto.buf<16x16xf16, left, zz>")
            + alloc("b", 0, "!pto.buf<16x16xf16, right, zn>")
            + "    pto.tile.move ins(%a : !pto.buf<16x16xf16, left, zz>) outs(%b : !pto.buf<16x16xf16, right, zn>)\n",
            kind="aic",
        ),
        r"no path leads from Left to Right on 910B",
    ),
    "window": (
        kernel(A + f"    pto.tile.load ins(%x[%n, 0] : {X}) outs(%a : {T})\n"),
        r"in dimension 0 it covers 60 to 75 of 0 to 63",
    ),
    "subview": (
        kernel(
            A
            + f"    %v = pto.tile.subview %a[%n, 0] [8, 64] : {T} -> !pto.buf<8x64xf32, vec, nd, of<16x64>>\n"
        ),
        r"reaches beyond .*\[16, 64\] FP32 in Vec.* in dimension 0: 60 \+ 8 of 16",
    ),
    "slot": (
        kernel(
            "    %s = pto.tile.alloc {addrs = array<i64: 0, 4096>} : !pto.buf<16x64xf32, vec, nd, slots<2>>\n"
            "    %t = pto.tile.slot %s[%n] : !pto.buf<16x64xf32, vec, nd, slots<2>>\n"
        ),
        r"picks slot 60 of 2",
    ),
    "fractal offset": (
        kernel(
            alloc("a", 0, "!pto.buf<128x16xf16, mat, nz>")
            + "    %v = pto.tile.subview %a[%n, 0] [16, 16] : !pto.buf<128x16xf16, mat, nz> -> !pto.buf<16x16xf16, mat, nz, of<128x16>>\n",
            kind="aic",
        ),
        r"offset 60 in dimension 0 is not a multiple of the fractal's 16",
    ),
    "undefined tile": (kernel(A + EXP + END), r"reads .* at \[0, 0\], which nothing has written"),
    "undefined Out": (
        kernel(A + f"    pto.tile.load ins(%y[0, 0] : {X}) outs(%a : {T})\n"),
        r"which nothing has written in this kernel; .* is InOut, not Out",
    ),
    "writes In": (
        kernel(A + LOAD + NEXT + f"    pto.tile.store ins(%a : {T}) outs(%x[0, 0] : {X})\n"),
        r"writes the array .* which is an In argument",
    ),
    "read before the load": (
        kernel(A + LOAD + STORE + END),
        r"reads .* MTE2 may still be writing: no flag makes MTE3 wait",
    ),
    "load over a store": (
        kernel(A + LOAD + NEXT + STORE + "    pto.block.barrier mte2\n" + LOAD + END),
        r"writes .* MTE3 may still be reading",
    ),
    "two loads": (
        kernel(A + LOAD + LOAD + END),
        r"MTE2 may still be writing: .*pto.block.barrier mte2",
    ),
    "two vector instructions": (
        kernel(A + FULL + EXP + END),
        r"V may still be writing: .*pto.block.barrier v",
    ),
    "race in DDR": (
        kernel(A + LOAD + NEXT + STORE + STORE + END),
        r"\[64, 64\] FP32 at \[0, 0\], which MTE3 may still be writing",
    ),
    "set twice": (
        kernel("    pto.block.set_flag v -> mte3, 0\n    pto.block.set_flag v -> mte3, 0\n"),
        r"flag V -> MTE3, 0 is set again before anything waits",
    ),
    "set before the wait is done": (
        kernel(
            (("    pto.block.set_flag v -> mte3, 0\n    pto.block.wait_flag v -> mte3, 0\n") * 2)
            + END
        ),
        r"may be set again before MTE3 has waited",
    ),
    "wait for nothing": (
        kernel("    pto.block.wait_flag v -> mte3, 0\n"),
        r"which nothing has set; the core hangs here",
    ),
    "left set": (
        kernel("    pto.block.set_flag v -> mte3, 0\n" + END),
        r"is still set when the kernel ends",
    ),
    "event id": (
        kernel("    pto.block.set_flag v -> mte3, %n\n"),
        r"event id 60 is not within 0 to 5",
    ),
    "no last barrier": (kernel(A + LOAD), r"ends without pto.block.barrier all"),
    "no such instruction": (
        kernel(
            A
            + FULL
            + "    pto.block.barrier v\n"
            + f"    pto.tile.neg ins(%a : {T}) outs(%a : {T})\n"
        ),
        r"910B has no such instruction for FP32",
    ),
    "wide rows": (
        kernel(
            alloc("a", 0, "!pto.buf<16x128xf32, vec, nd>")
            + alloc("v", 8192, "!pto.buf<16x1xf32, vec, dn>")
            + "    pto.tile.full ins(%one : f32) outs(%a : !pto.buf<16x128xf32, vec, nd>)\n    pto.block.barrier v\n"
            "    pto.tile.row_sum ins(%a : !pto.buf<16x128xf32, vec, nd>) outs(%v : !pto.buf<16x1xf32, vec, dn>)\n"
        ),
        r"are 512 B wide; one instruction takes a repeat, 256 B",
    ),
    "values not in blocks": (
        kernel(
            A
            + alloc("v", 8192, "!pto.buf<16x1xf32, vec, dn>")
            + FULL
            + "    pto.tile.full ins(%one : f32) outs(%v : !pto.buf<16x1xf32, vec, dn>)\n    pto.block.barrier v\n"
            f"    pto.tile.row_expand_mul ins(%a, %v : {T}, !pto.buf<16x1xf32, vec, dn>) outs(%a : {T})\n"
        ),
        r"takes one 32-byte block a row",
    ),
    "partial overlap": (
        kernel(
            A + alloc("b", 32) + FULL + "    pto.block.barrier v\n"
            f"    pto.tile.exp ins(%a : {T}) outs(%b : {T})\n"
        ),
        r"overlaps its source .* in part",
    ),
    "move of many rows": (
        kernel(
            alloc("a", 0, "!pto.buf<32x16xf16, mat, nz>")
            + alloc("b", 0, "!pto.buf<32x16xf16, left, zz>")
            + "    pto.tile.move ins(%a : !pto.buf<32x16xf16, mat, nz>) outs(%b : !pto.buf<32x16xf16, left, zz>)\n",
            kind="aic",
        ),
        r"moves \[32, 16\] elements; one instruction takes 16 rows",
    ),
    "extents": (
        kernel(
            A
            + f"    %v = pto.tile.subview %a[0, 0] [%n, 64] : {T} -> !pto.buf<?x64xf32, vec, nd, of<16x64>>\n"
        ),
        r"reaches beyond .*\[16, 64\] FP32 in Vec.* in dimension 0: 0 \+ 60 of 16",
    ),
    "valid shape of a load": (
        kernel(
            A
            + f"    %v = pto.tile.subview %a[0, 0] [%n, 64] : {T} -> !pto.buf<?x64xf32, vec, nd, of<16x64>>\n"
            f"    pto.tile.load ins(%x[0, 0] : {X}) outs(%v : !pto.buf<?x64xf32, vec, nd, of<16x64>>)\n"
        ),
        r"pl.load: valid_shape is 60 rows, which is not within 0 to 16, the rows of the tile .*\[16, 64\] FP32",
    ),
    "valid too large": (
        kernel(
            f"    %t = pto.tile.load %x[0, 0] valid [%n, 64] : {X} -> !pto.tile<16x64xf32, vec>\n",
            sync="none",
        ),
        r"valid extent 60 in dimension 0 is not within 0 to 16",
    ),
    "valid grows": (
        kernel(
            f"    %t = pto.tile.load %x[0, 0] valid [4, 64] : {X} -> !pto.tile<64x64xf32, vec>\n"
            "    %u = pto.tile.set_validshape %t [%n, 64] : !pto.tile<64x64xf32, vec>\n",
            sync="none",
        ),
        r"states \[60, 64\] valid elements, but only \[4, 64\]",
    ),
    "outside of the valid region": (
        kernel(
            f"    %t = pto.tile.load %x[0, 0] valid [4, 64] : {X} -> !pto.tile<16x64xf32, vec>\n"
            f"    %u = pto.tile.load %x[0, 0] : {X} -> !pto.tile<16x64xf32, vec>\n"
            "    %s = pto.tile.add %u, %t : !pto.tile<16x64xf32, vec>\n",
            sync="none",
        ),
        r"reads \[16, 64\] elements, but .* has only \[4, 64\] valid",
    ),
    "cross-core left set": (
        kernel(
            "    pto.block.section aic {\n      pto.block.cross_core_set fix, 3 {mode = 2 : i64}\n"
            "      pto.block.barrier all\n    }\n    pto.block.section aiv {\n      pto.block.barrier all\n    }\n",
            kind="group",
        ),
        r"cross-core flag 3 is still set when the kernel ends",
    ),
    "cross-core deadlock": (
        kernel(
            "    pto.block.section aic {\n      pto.block.cross_core_wait 1 {mode = 2 : i64}\n    }\n"
            "    pto.block.section aiv {\n      pto.block.cross_core_wait 2 {mode = 2 : i64}\n    }\n",
            kind="group",
        ),
        r"the AIC waits here for a signal that no core sends",
    ),
    "cross-core counter": (
        kernel(
            "    pto.block.section aic {\n      %c1 = arith.constant 1 : index\n"
            "      scf.for %i = %c0 to %n step %c1 {\n        pto.block.cross_core_set fix, 3 {mode = 2 : i64}\n      }\n    }\n",
            kind="group",
        ),
        r"set a sixteenth time before a wait",
    ),
    "cast that loses": (
        kernel(
            "    %t = pto.tile.full %one : f32 -> !pto.tile<16x64xf32, vec>\n"
            "    %u = pto.tile.cast %t {round = #pto.round<none>} : !pto.tile<16x64xf32, vec> -> !pto.tile<16x64xf16, vec>\n",
            sync="none",
        ),
        r"choose a rounding",
    ),
    "step of a loop": (
        kernel("    scf.for %i = %c0 to %n step %c0 {\n    }\n", sync="none"),
        r"the loop's step is 0",
    ),
    "scalar division": (
        kernel("    %q = arith.divsi %n, %c0 : index\n", sync="none"),
        r"division of 60 by zero",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_check(name):
    text, message = WRONG[name]
    arguments = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32), 60
    if message is None:
        run(text, *arguments)
        assert (arguments[1][:16] == 1).all()
        return
    with pytest.raises(Failed) as failure:
        run(text, *arguments)
    line, found, notes = failure.value.errors[0]
    assert re.search(message, found), found
    assert line > 0
    if "may still be" in found or "set again" in found:
        assert notes and notes[0][0] > 0


def test_windows_beside_each_other_do_not_race():
    half = "!pto.buf<16x32xf32, vec, nd, of<16x64>>"
    body = A + "".join(
        f"    %{n} = pto.tile.subview %a[0, {c}] [16, 32] : {T} -> {half}\n"
        f"    pto.tile.load ins(%x[0, {c}] : {X}) outs(%{n} : {half})\n"
        for n, c in (("l", 0), ("r", 32))
    )
    x, y = np.arange(4096, dtype=np.float32).reshape(64, 64), np.zeros((64, 64), np.float32)
    run(kernel(body + NEXT + STORE + END), x, y, 0)
    assert (y[:16] == x[:16]).all() and not y[16:].any()


def test_step_limit():
    text = kernel(
        "    %c1 = arith.constant 1 : index\n    scf.for %i = %c0 to %n step %c1 {\n    }\n",
        sync="none",
    )
    arguments = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32), 1 << 60
    with pytest.raises(Failed, match="stopped after 5000 steps, the limit of this run"):
        run(text, *arguments, step_limit=5000)


def test_recursion_ends_with_an_error():
    text = """module attributes {pto.target = "910B"} {
  func.func @f() attributes {pto.kind = #pto.kind<inline>} { func.call @f() : () -> () return }
  func.func @main() attributes {pto.kind = #pto.kind<orchestration>} { func.call @f() : () -> () return }
}"""
    with pytest.raises(Failed, match="a function may not call itself"):
        run(text)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (lambda x: (x, x.copy()), r"takes 3 arguments, found 2"),
        (lambda x: (x, x.copy(), x), r"argument 3.* is INDEX, found an array"),
        (lambda x: (x, 1, 1), r"argument 2.* is \[64, 64\] FP32, found a scalar"),
        (lambda x: (x, x.astype(np.float16), 1), r"found \[64, 64\] FP16"),
        (lambda x: (x, x[:32].copy(), 1), r"found \[32, 64\] FP32"),
        (lambda x: (x, x, 1), r"overlap in memory, and one of them is written"),
    ],
)
def test_arguments(arguments, message):
    with pytest.raises(Failed, match=message):
        run(kernel(""), *arguments(np.zeros((64, 64), np.float32)))


def test_ctrl_c_ends_a_run():
    import _thread
    import signal
    import threading

    # A process in the background may have been started with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    text = kernel(
        "    %c1 = arith.constant 1 : index\n    scf.for %i = %c0 to %n step %c1 {\n    }\n",
        sync="none",
    )
    program = Program(text)
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            program.run(np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32), 1 << 60)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


def test_print(capsys):
    text = kernel(
        '    pto.block.print "n %d 100%% %f %x\\0A"(%n, %one, %n) : index, f32, index\n',
        sync="none",
    )
    run(text, np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32), 10)
    assert capsys.readouterr().out == "n 10 100% 1.000000 a\n"


def test_empty_array(tmp_path):
    """An empty array has no bytes, and is no scalar."""
    (tmp_path / "k.mlir").write_text(kernel(""))
    np.save(tmp_path / "x.npy", np.zeros((0, 64), np.float32))
    command = ["pypto-run", "k.mlir", "--args", "x.npy", "out", "1"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 1
    assert "is [64, 64] FP32, found [0, 64] FP32" in found.stderr
