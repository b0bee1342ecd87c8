# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Kernels with times, for the tests of the cost model and of profiles."""

from __future__ import annotations

import json

from model import run
from pypto.runtime import Profile


def kernel(body: str, arguments: str, core: str = "aiv") -> str:
    """A kernel in final form; `body` may use the constants %c0 and %c1."""
    return f"""module attributes {{pto.target = "910B"}} {{
  func.func @k({arguments})
      attributes {{pto.kind = #pto.kind<{core}>, pto.sync = #pto.sync<manual>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
{body}
    pto.block.barrier all
    return
  }}
}}
"""


def data(text: str, *arguments, **options) -> dict:
    return json.loads(run(text, *arguments, profile=True, **options).program.profile)


def profile(text: str, *arguments, **options) -> Profile:
    return Profile(data(text, *arguments, **options), "test")


def copy_kernel(slots: int, blocks: int = 8, rows: int = 64) -> str:
    """Loads, adds and stores blocks of 64 columns in place, with so many buffers."""
    block, size = f"{rows}x64xf32", rows * 256
    kind = f"!pto.buf<{block}, vec, nd>"
    many = f"!pto.buf<{block}, vec, nd, slots<{slots}>>" if slots > 1 else kind
    addresses = ", ".join(str(size * slot) for slot in range(slots))
    array = f"!pto.gm<{rows * blocks}x64xf32>"
    pick = f"%t = pto.tile.slot %all[%slot] : {many}" if slots > 1 else ""
    name = "all" if slots > 1 else "t"
    prime = "\n".join(f"    pto.block.set_flag mte3 -> mte2, {s}" for s in range(slots))
    drain = "\n".join(f"    pto.block.wait_flag mte3 -> mte2, {s}" for s in range(slots))
    return kernel(
        f"""    %n = arith.constant {rows * blocks} : index
    %step = arith.constant {rows} : index
    %slots = arith.constant {slots} : index
    %one = arith.constant 1.0 : f32
    %{name} = pto.tile.alloc {{addrs = array<i64: {addresses}>}} : {many}
{prime}
    scf.for %row = %c0 to %n step %step {{
      %i = arith.divui %row, %step : index
      %slot = arith.remui %i, %slots : index
      {pick}
      pto.block.wait_flag mte3 -> mte2, %slot
      pto.tile.load ins(%x[%row, 0] : {array}) outs(%t : {kind})
      pto.block.set_flag mte2 -> v, %slot
      pto.block.wait_flag mte2 -> v, %slot
      pto.tile.add ins(%t, %one : {kind}, f32) outs(%t : {kind})
      pto.block.set_flag v -> mte3, %slot
      pto.block.wait_flag v -> mte3, %slot
      pto.tile.store ins(%t : {kind}) outs(%out[%row, 0] : {array})
      pto.block.set_flag mte3 -> mte2, %slot
    }}
{drain}""",
        f"%x: {array} {{pto.dir = #pto.dir<in>}}, %out: {array} {{pto.dir = #pto.dir<out>}}",
    )


def overlaps(events, first: str, second: str) -> int:
    """For how many cycles both pipes are at work."""
    spans = [[(e.start, e.end) for e in events if e.pipe == pipe] for pipe in (first, second)]
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in spans[0] for b in spans[1])
