# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Kernels of the Pro face by hand: pointers, the author's addresses, the author's order."""
# ruff: noqa: E501 (lines of IR)

from __future__ import annotations

import re

import pytest
from model import Failed, run

TILE = "!pto.buf<16x64xf32, vec, nd>"
POINTER = "!pto.gm<?xf32>"
VIEW = "!pto.gm<?x64xf32, pitch<?>>"


def kernel(
    body: str, args: str = "x", kind: str = "aiv", target: str = "950", sync: str = "manual"
):
    """A kernel and its entry; `args`: names of pointers, `name:type` for others than FP32."""
    parts = [arg.partition(":") for arg in args.split()]
    inner, outer, calls = [], [], []
    for name, _, dtype in parts:
        if dtype in ("index", "i32s", "f32s"):
            scalar = dtype.removesuffix("s")
            inner.append(f"%{name}: {scalar}")
            outer.append(f"%{name}: {scalar}")
            calls.append(scalar)
            continue
        element = dtype or "f32"
        inner.append(f"%{name}: !pto.gm<?x{element}> {{pto.dir = #pto.dir<inout>}}")
        outer.append(f"%{name}: tensor<?x{element}> {{pto.dir = #pto.dir<inout>}}")
        calls.append(f"tensor<?x{element}>")
    results = [call for call in calls if call.startswith("tensor")]
    names = ", ".join(f"%{name}" for name, _, _ in parts)
    made = f"%made:{len(results)} = " if results else ""
    to = results[0] if len(results) == 1 else f"({', '.join(results)})"
    arrow = f" -> {to}" if results else ""
    return f"""module attributes {{pto.target = "{target}"}} {{
  func.func @k({", ".join(inner)})
      attributes {{pto.kind = #pto.kind<{kind}>, pto.sync = #pto.sync<{sync}>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
{body}
    return
  }}
  func.func @k_entry({", ".join(outer)}, %block_dim: index)
      attributes {{pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>}} {{
    {made}pto.block.dispatch @k({names}) blocks(%block_dim) : ({", ".join(calls)}){arrow}
    return
  }}
}}"""


def alloc(name: str, address, type: str = TILE) -> str:
    slots = address if isinstance(address, str) else str(address)
    return f"    %{name} = pto.tile.alloc {{addrs = array<i64: {slots}>, pinned}} : {type}\n"


def view(name: str, pointer: str = "x", rows: str = "16", stride: int = 64) -> str:
    """`rows` rows of 64, `stride` apart."""
    shape = "?" if rows.startswith("%") else rows
    return (
        f"    %{name} = pto.tile.make_tensor %{pointer} shape [{rows}, 64] strides [{stride}, 1]"
        f" : {POINTER} -> !pto.gm<{shape}x64xf32, pitch<?>>\n"
    )


def load(array: str, tile: str, row: str = "0", shape: str = "16x64", type: str = TILE) -> str:
    return f"    pto.tile.load ins(%{array}[{row}, 0] : !pto.gm<{shape}xf32, pitch<?>>) outs(%{tile} : {type})\n"


def store(tile: str, array: str, row="0", shape="16x64", type=TILE, how="") -> str:
    return f"    pto.tile.store ins(%{tile} : {type}) outs(%{array}[{row}, 0] : !pto.gm<{shape}xf32, pitch<?>>){how}\n"


def flag(pair: str, number: int = 0) -> str:
    return f"    pto.block.set_flag {pair}, {number}\n    pto.block.wait_flag {pair}, {number}\n"


def exp(source: str, to: str) -> str:
    return f"    pto.tile.exp ins(%{source} : {TILE}) outs(%{to} : {TILE})\n"


END = "    pto.block.barrier all\n"


def refused(text: str, message: str, *arguments, **options):
    """The run ends with an error that says `message`, a pattern; its other errors and notes."""
    with pytest.raises(Failed) as caught:
        run(text, *arguments, entry="k_entry", named=True, **options)
    said = caught.value.errors[0][1]
    assert re.search(message, said), said
    return caught.value.errors


def runs(text: str, *arguments, **options):
    return run(text, *arguments, entry="k_entry", **options)
