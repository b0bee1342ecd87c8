# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Entries of every kind, in the IR, and what they must give: for the tests of the host
code that is emitted for them."""
# ruff: noqa: E501 (lines of IR)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

IN, OUT, INOUT = (f"{{pto.dir = #pto.dir<{word}>}}" for word in ("in", "out", "inout"))
CORE = "attributes {pto.kind = #pto.kind<in_core>}"
ENTRY = "attributes {pto.kind = #pto.kind<orchestration>}"
T = "tensor<32x32xf32>"  # the array of most tests
ROWS = "tensor<8x32xf32>"
COLUMNS = "tensor<32x8xf32, #pto.pitch<32>>"
FLAGS = "tensor<1x8xi32>"
LOOP = "%c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index"


def plain(kind: str) -> str:
    return kind.partition(",")[0].rstrip(">") + ">"


def scale(name: str, source: str = T, target: str | None = None) -> str:
    """out = x * by"""
    target = target or source
    return f"""
func.func @{name}(%x: {source} {IN}, %by: f32, %out: {target} {OUT}) -> {target} {CORE} {{
  %s = pto.tensor.mul %x, %by : ({source}, f32) -> {plain(target)}
  %o = pto.tensor.assemble %s into %out[0, 0] : {plain(target)} into {target}
  return %o : {target}
}}"""


def add(name: str, source: str = T) -> str:
    """y = y + x"""
    return f"""
func.func @{name}(%x: {source} {IN}, %y: {source} {INOUT}) -> {source} {CORE} {{
  %s = pto.tensor.add %y, %x : ({source}, {source}) -> {plain(source)}
  %o = pto.tensor.assemble %s into %y[0, 0] : {plain(source)} into {source}
  return %o : {source}
}}"""


def copy(name: str, kind: str = FLAGS) -> str:
    return f"""
func.func @{name}(%x: {kind} {IN}, %out: {kind} {OUT}) -> {kind} {CORE} {{
  %o = pto.tensor.assemble %x into %out[0, 0] : {kind} into {kind}
  return %o : {kind}
}}"""


def call(
    result: str, kernel: str, args: str, types: str, out: str, words: str = "", task: str = ""
) -> str:
    head = f"%{result}, %{task}" if task else f"%{result}"
    tail = ", !pto.task" if task else ""
    return f"{head} = pto.block.dispatch @{kernel}({args}) {words} : ({types}) -> {out}{tail}"


def scaled(result: str, x: str, by: str, out: str, words: str = "", task: str = "") -> str:
    return call(result, "scale", f"{x}, {by}, {out}", f"{T}, f32, {T}", T, words, task)


def added(result: str, x: str, y: str, words: str = "", task: str = "") -> str:
    return call(result, "add", f"{x}, {y}", f"{T}, {T}", T, words, task)


TWO = "%two = arith.constant 2.0 : f32\n  %three = arith.constant 3.0 : f32"


@dataclass(frozen=True)
class Entry:
    """`text` defines the entry `entry`; `arguments` makes what it is given, `expected`
    says what each of them holds afterwards."""

    text: str
    arguments: Callable[[], list]
    expected: Callable[..., list]
    order: str  # its pto.deps after the pipeline
    # Without which some order gives another answer: "events", or what the "host" waits
    # for; "" where streams suffice, "same" where all tasks do the same in any order.
    needs: str = "events"


ENTRIES: dict[str, Entry] = {}


def entry(name, text, arguments, expected, order="explicit", needs="events"):
    ENTRIES[name] = Entry(text, arguments, expected, order, needs)


def square(seed: int, count: int = 1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(-8, 8, (32, 32)).astype(np.float32) for _ in range(count)]


def empty() -> np.ndarray:
    return np.full((32, 32), np.nan, np.float32)


# -- Tokens say all ------------------------------------------------------------------

entry(
    "diamond",
    f"""{scale("scale")}{add("add")}
func.func @entry(%x: {T} {IN}, %out: {T} {OUT}) -> {T} {ENTRY} {{
  {TWO}
  %t = pto.tensor.create : {T}
  %u = pto.tensor.create : {T}
  {scaled("a", "%x", "%two", "%t")}
  {scaled("b", "%a", "%three", "%out")}
  {scaled("c", "%a", "%two", "%u")}
  {added("d", "%c", "%a")}
  {added("e", "%d", "%b")}
  {added("f", "%c", "%e")}
  return %f : {T}
}}""",
    lambda: [*square(1), empty()],
    lambda x, out: [x, 6 * x + 6 * x + 4 * x],
)
entry(
    "rows",
    f"""{scale("rows", ROWS)}{add("add")}
func.func @entry(%x: {T} {IN}, %out: {T} {INOUT}) -> {T} {ENTRY} {{
  {TWO}
  %t = pto.tensor.create : {T}
"""
    + "\n".join(
        f"""  %x{i} = pto.tensor.slice %x[{8 * i}, 0] [8, 32] : {T} -> {ROWS}
  %t{i} = pto.tensor.slice %t[{24 - 8 * i}, 0] [8, 32] : {T} -> {ROWS}
  {call(f"r{i}", "rows", f"%x{i}, %two, %t{i}", f"{ROWS}, f32, {ROWS}", ROWS)}"""
        for i in range(4)
    )
    + f"""
  {added("o", "%t", "%out")}
  return %o : {T}
}}""",
    lambda: square(2, 2),
    lambda x, out: [x, out + 2 * x.reshape(4, 8, 32)[::-1].reshape(32, 32)],
)
entry(
    "columns",
    f"""{scale("columns", COLUMNS)}{add("add")}
func.func @entry(%x: {T} {IN}, %out: {T} {INOUT}) -> {T} {ENTRY} {{
  {TWO}
  %t = pto.tensor.create : {T}
"""
    + "\n".join(
        f"""  %x{i} = pto.tensor.slice %x[0, {8 * i}] [32, 8] : {T} -> {COLUMNS}
  %t{i} = pto.tensor.slice %t[0, {24 - 8 * i}] [32, 8] : {T} -> {COLUMNS}
  {call(f"r{i}", "columns", f"%x{i}, %three, %t{i}", f"{COLUMNS}, f32, {COLUMNS}", COLUMNS)}"""
        for i in range(4)
    )
    + f"""
  {added("o", "%t", "%out")}
  return %o : {T}
}}""",
    lambda: square(3, 2),
    lambda x, out: [x, out + 3 * x.reshape(32, 4, 8)[:, ::-1].reshape(32, 32)],
)
entry(
    "joined",
    f"""{scale("scale")}{add("add")}
func.func @entry(%x: {T} {IN}, %y: {T} {IN}, %out: {T} {OUT}) -> {T} {ENTRY} {{
  {TWO}
  {LOOP}
  %t = pto.tensor.create : {T}
  %u = pto.tensor.create : {T}
  %none = pto.block.task_invalid
  {scaled("a", "%x", "%two", "%t", "after(%none) {manual}", "ta")}
  {scaled("b", "%y", "%three", "%u", "{manual}", "tb")}
  %all = pto.block.task_dummy after(%ta, %tb)
  %list = pto.block.array_create : !pto.array<3 x !pto.task>
  %set = pto.block.array_set %all into %list[%c1] : !pto.array<3 x !pto.task>
  %got = pto.block.array_get %set[%c1] : !pto.array<3 x !pto.task>
  {added("c", "%t", "%u", "after(%got) {manual}", "tc")}
  {scaled("d", "%u", "%two", "%out", "after(%tc) {no_dep = array<i64: 0, 2>}")}
  return %d : {T}
}}""",
    lambda: [*square(4, 2), empty()],
    lambda x, y, out: [x, y, 4 * x + 6 * y],
)
entry(
    "token_list",
    f"""{scale("rows", ROWS)}{add("add")}
func.func @entry(%x: {T} {IN}, %out: {T} {INOUT}) -> {T} {ENTRY} {{
  {TWO}
  {LOOP}
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %t = pto.tensor.create : {T}
  %list = pto.block.array_create : !pto.array<4 x !pto.task>
  %full = scf.for %i = %c0 to %c4 step %c1 iter_args(%l = %list) -> !pto.array<4 x !pto.task> {{
    %at = arith.muli %i, %c8 : index
    %from = pto.tensor.slice %x[%at, 0] [8, 32] : {T} -> {ROWS}
    %to = pto.tensor.slice %t[%at, 0] [8, 32] : {T} -> {ROWS}
    {call("r", "rows", "%from, %two, %to", f"{ROWS}, f32, {ROWS}", ROWS, "{manual}", "task")}
    %m = pto.block.array_set %task into %l[%i] : !pto.array<4 x !pto.task>
    scf.yield %m : !pto.array<4 x !pto.task>
  }}
  %none = pto.block.task_invalid
  %all = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %none) -> !pto.task {{
    %one = pto.block.array_get %full[%i] : !pto.array<4 x !pto.task>
    %more = pto.block.task_dummy after(%u, %one)
    scf.yield %more : !pto.task
  }}
  {added("o", "%t", "%out", "after(%all) {manual}", "last")}
  return %o : {T}
}}""",
    lambda: square(5, 2),
    lambda x, out: [x, out + 2 * x],
)

# -- What is known at run time only --------------------------------------------------

entry(
    "row_loop",
    f"""{scale("rows", ROWS)}{add("rows_add", ROWS)}{add("add")}
func.func @entry(%x: {T} {IN}, %out: {T} {INOUT}, %n: index) -> {T} {ENTRY} {{
  {TWO}
  {LOOP}
  %c8 = arith.constant 8 : index
  %t = pto.tensor.create : {T}
  scf.for %i = %c0 to %n step %c1 {{
    %at = arith.muli %i, %c8 : index
    %from = pto.tensor.slice %x[%at, 0] [8, 32] : {T} -> {ROWS}
    %to = pto.tensor.slice %t[%at, 0] [8, 32] : {T} -> {ROWS}
    {call("r", "rows", "%from, %two, %to", f"{ROWS}, f32, {ROWS}", ROWS)}
    {call("s", "rows_add", "%from, %to", f"{ROWS}, {ROWS}", ROWS)}
  }}
  {added("o", "%t", "%out")}
  return %o : {T}
}}""",
    lambda: [*square(6, 2), 4],
    lambda x, out, n: [x, out + 3 * x, n],
    "run_time",
)
entry(
    "column_loop",
    f"""{scale("columns", COLUMNS)}{scale("rows", ROWS)}{add("add")}
func.func @entry(%x: {T} {IN}, %out: {T} {INOUT}, %n: index) -> {T} {ENTRY} {{
  {TWO}
  {LOOP}
  %c8 = arith.constant 8 : index
  %t = pto.tensor.create : {T}
  %u = pto.tensor.create : {T}
  scf.for %i = %c0 to %n step %c1 {{
    %at = arith.muli %i, %c8 : index
    %from = pto.tensor.slice %x[0, %at] [32, 8] : {T} -> {COLUMNS}
    %to = pto.tensor.slice %t[0, %at] [32, 8] : {T} -> {COLUMNS}
    {call("r", "columns", "%from, %two, %to", f"{COLUMNS}, f32, {COLUMNS}", COLUMNS)}
  }}
  scf.for %i = %c0 to %n step %c1 {{
    %at = arith.muli %i, %c8 : index
    %from = pto.tensor.slice %t[%at, 0] [8, 32] : {T} -> {ROWS}
    %to = pto.tensor.slice %u[%at, 0] [8, 32] : {T} -> {ROWS}
    {call("s", "rows", "%from, %three, %to", f"{ROWS}, f32, {ROWS}", ROWS)}
  }}
  {added("o", "%u", "%out")}
  return %o : {T}
}}""",
    lambda: [*square(7, 2), 4],
    lambda x, out, n: [x, out + 6 * x, n],
    "run_time",
)
entry(
    "swap",
    f"""{scale("scale")}{add("add")}
func.func @entry(%x: {T} {INOUT}, %y: {T} {INOUT}, %n: index) {ENTRY} {{
  {TWO}
  {LOOP}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> ({T}, {T}) {{
    {added("c", "%a", "%b")}
    scf.yield %c, %a : {T}, {T}
  }}
  {added("last", "%r#1", "%r#0")}
  return
}}""",
    lambda: [*square(8, 2), 5],
    lambda x, y, n: _swap(x, y, n),
    "run_time",
    "",  # each task needs the one before it: one stream
)


def _swap(x, y, n):
    first, second = x.copy(), y.copy()
    a, b = first, second
    for _ in range(n):
        b += a
        a, b = b, a
    a += b
    return [first, second, n]


entry(
    "chosen",
    f"""{scale("scale")}{add("add")}
func.func @entry(%x: {T} {INOUT}, %y: {T} {INOUT}, %out: {T} {OUT}, %n: index) -> {T} {ENTRY} {{
  {TWO}
  {LOOP}
  %t = pto.tensor.create : {T}
  %odd = arith.cmpi eq, %n, %c1 : index
  {scaled("p", "%y", "%three", "%t")}
  %w, %v = scf.if %odd -> ({T}, {T}) {{
    {added("a", "%t", "%x")}
    scf.yield %a, %y : {T}, {T}
  }} else {{
    {added("a", "%t", "%y")}
    scf.yield %x, %a : {T}, {T}
  }}
  %s = arith.select %odd, %x, %y : {T}
  {scaled("b", "%s", "%two", "%out")}
  {added("c", "%w", "%v")}
  return %b : {T}
}}""",
    lambda: [*square(9, 2), empty(), 1],
    lambda x, y, out, n: [x + 3 * y, y + x + 3 * y, 2 * (x + 3 * y), n],
    "run_time",
)
entry(
    "made_in_a_loop",
    f"""{scale("scale")}{add("add")}
func.func @entry(%x: {T} {IN}, %out: {T} {INOUT}, %n: index) -> ({T}, {T}) {ENTRY} {{
  {TWO}
  {LOOP}
  %made = pto.tensor.create : {T}
  scf.for %i = %c0 to %n step %c1 {{
    %t = pto.tensor.create : {T}
    {scaled("a", "%x", "%two", "%t")}
    {added("b", "%a", "%out")}
  }}
  {scaled("c", "%out", "%three", "%made")}
  return %out, %c : {T}, {T}
}}""",
    lambda: [*square(10, 2), 3, empty()],
    lambda x, out, n, made: [x, out + 6 * x, n, 3 * (out + 6 * x)],
    "run_time",
)
entry(
    "many",
    f"""{add("add", "tensor<8x8xf32>")}
func.func @entry(%x: tensor<8x8xf32> {IN}, %out: tensor<32x8xf32> {INOUT}, %n: index) {ENTRY} {{
  {LOOP}
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {{
    %pair = arith.shrui %i, %c1 : index
    %k = arith.andi %pair, %c3 : index
    %at = arith.muli %k, %c8 : index
    %to = pto.tensor.slice %out[%at, 0] [8, 8] : tensor<32x8xf32> -> tensor<8x8xf32>
    {call("b", "add", "%x, %to", "tensor<8x8xf32>, tensor<8x8xf32>", "tensor<8x8xf32>")}
  }}
  return
}}""",
    lambda: [np.ones((8, 8), np.float32), np.zeros((32, 8), np.float32), 1096],
    lambda x, out, n: [x, out + n // 4, n],
    "run_time",
    "same",
)

# -- The control plane reads arrays --------------------------------------------------

entry(
    "condition",
    f"""{scale("scale")}{add("add")}{copy("flag")}
func.func @entry(%f: {FLAGS} {IN}, %x: {T} {IN}, %out: {T} {INOUT}) -> {T} {ENTRY} {{
  {TWO}
  {LOOP}
  %c5 = arith.constant 5 : index
  %g = pto.tensor.create : {FLAGS}
  %t = pto.tensor.create : {T}
  {call("h", "flag", "%f, %g", f"{FLAGS}, {FLAGS}", FLAGS)}
  {scaled("a", "%x", "%two", "%t")}
  {added("b", "%a", "%out", f"when(%h[%c0, %c5] gt 5 : {FLAGS})")}
  {added("c", "%a", "%b", f"when(%h[%c0, %c1] gt 5 : {FLAGS})")}
  {added("d", "%x", "%c", f"when(%h[%c0, %c1] le 5 : {FLAGS})")}
  {scaled("e", "%x", "%three", "%t", f"when(%h[%c0, %c0] eq -1 : {FLAGS})")}
  {added("k", "%t", "%d", f"when(%h[%c0, %c5] ne 5 : {FLAGS})")}
  return %k : {T}
}}""",
    lambda: [np.array([[-1, 5, 0, 0, 0, 6, 0, 0]], np.int32), *square(11, 2)],
    lambda f, x, out: [f, x, out + 2 * x + x + 3 * x],
    needs="host",
)
entry(
    "condition_in_a_loop",
    f"""{add("add")}{copy("flag")}
func.func @entry(%f: {FLAGS} {IN}, %x: {T} {IN}, %out: {T} {INOUT}) -> {T} {ENTRY} {{
  {LOOP}
  %c8 = arith.constant 8 : index
  %g = pto.tensor.create : {FLAGS}
  {call("h", "flag", "%f, %g", f"{FLAGS}, {FLAGS}", FLAGS)}
  scf.for %i = %c0 to %c8 step %c1 {{
    {added("b", "%x", "%out", f"when(%g[%c0, %i] ge 3 : {FLAGS})")}
  }}
  return %out : {T}
}}""",
    lambda: [np.array([[3, 5, 2, 0, 9, 6, -4, 3]], np.int32), *square(12, 2)],
    lambda f, x, out: [f, x, out + 5 * x],
    "run_time",
    "host",
)
entry(
    "read",
    f"""{scale("scale")}{add("add")}{copy("flag")}{scale("factor", "tensor<1x8xf32>")}
func.func @entry(%f: {FLAGS} {IN}, %g: tensor<1x8xf32> {IN}, %x: {T} {IN}, %out: {T} {INOUT}) -> {T} {ENTRY} {{
  {TWO}
  {LOOP}
  %t = pto.tensor.create : {T}
  %h = pto.tensor.create : {FLAGS}
  %k = pto.tensor.create : tensor<1x8xf32>
  {call("h1", "flag", "%f, %h", f"{FLAGS}, {FLAGS}", FLAGS)}
  {call("k1", "factor", "%g, %two, %k", "tensor<1x8xf32>, f32, tensor<1x8xf32>", "tensor<1x8xf32>")}
  %by = pto.tensor.read %k[0, 3] : tensor<1x8xf32>
  {scaled("a", "%x", "%by", "%t")}
  %found = pto.tensor.read %h[0, 2] : {FLAGS}
  %c7 = arith.constant 7 : i32
  %count = arith.andi %found, %c7 : i32
  %n = arith.index_cast %count : i32 to index
  scf.for %i = %c0 to %n step %c1 {{
    {added("b", "%a", "%out")}
  }}
  return %out : {T}
}}""",
    lambda: [
        np.array([[0, 0, 3, 0, 0, 0, 0, 0]], np.int32),
        np.full((1, 8), 4, np.float32),
        *square(13, 2),
    ],
    lambda f, g, x, out: [f, g, x, out + 24 * x],
    "run_time",
    "host",
)
entry(
    "read_with_tokens",
    f"""{scale("scale")}{scale("factor", "tensor<1x16xf16>")}
func.func @entry(%g: tensor<1x16xf16> {IN}, %h: tensor<1x16xbf16> {IN}, %x: {T} {IN}, %out: {T} {OUT}) -> {T} {ENTRY} {{
  %two = arith.constant 2.0 : f16
  %k = pto.tensor.create : tensor<1x16xf16>
  %t = pto.tensor.create : {T}
  {call("k1", "factor", "%g, %two, %k", "tensor<1x16xf16>, f16, tensor<1x16xf16>", "tensor<1x16xf16>")}
  %a = pto.tensor.read %k[0, 3] : tensor<1x16xf16>
  %b = pto.tensor.read %h[0, 7] : tensor<1x16xbf16>
  %c = arith.extf %a : f16 to f32
  %d = arith.extf %b : bf16 to f32
  {scaled("s", "%x", "%c", "%t")}
  {scaled("o", "%s", "%d", "%out")}
  return %o : {T}
}}""".replace("%by: f32, %out: tensor<1x16xf16>", "%by: f16, %out: tensor<1x16xf16>").replace(
        "(tensor<1x16xf16>, f32)", "(tensor<1x16xf16>, f16)"
    ),
    lambda: [
        np.full((1, 16), 1.5, np.float16),
        np.full((1, 16), 0x3F00, np.uint16),  # 0.5 in BF16
        *square(14),
        empty(),
    ],
    lambda g, h, x, out: [g, h, x, 1.5 * x],
    "explicit",
    "",  # the host waits for all
)

# -- Blocks and clusters -------------------------------------------------------------

entry(
    "blocks",
    f"""{add("add")}
func.func @entry(%x: {T} {IN}, %out: {T} {INOUT}, %n: index) -> {T} {ENTRY} {{
  {TWO}
  %c4 = arith.constant 4 : index
  %t = pto.tensor.create : {T}
  %r = pto.block.at core_group blocks(%n) -> ({T}) attributes {{name_hint = "spread"}} {{
    %c8 = arith.constant 8 : index
    %b = pto.block.get_block_idx
    %at = arith.muli %b, %c8 : index
    %l = pto.tile.load %x[%at, 0] : {T} -> !pto.tile<8x32xf32>
    %m = pto.tile.mul %l, %three : (!pto.tile<8x32xf32>, f32) -> !pto.tile<8x32xf32>
    %o = pto.tile.store %m, %t[%at, 0] : !pto.tile<8x32xf32> -> {T}
    pto.block.yield %o : {T}
  }}
  %s = pto.block.at core_group blocks(%c4) -> ({T}) attributes {{sync_start}} {{
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %b = pto.block.get_block_idx
    %down = arith.muli %b, %c8 : index
    %up = arith.subi %c24, %down : index
    %l = pto.tile.load %r[%up, 0] : {T} -> !pto.tile<8x32xf32>
    %k = pto.tile.load %out[%down, 0] : {T} -> !pto.tile<8x32xf32>
    %m = pto.tile.add %l, %k : !pto.tile<8x32xf32>
    %o = pto.tile.store %m, %out[%down, 0] : !pto.tile<8x32xf32> -> {T}
    pto.block.yield %o : {T}
  }}
  {added("u", "%x", "%s")}
  return %u : {T}
}}""",
    lambda: [*square(15, 2), 4],
    lambda x, out, n: [x, out + 3 * x.reshape(4, 8, 32)[::-1].reshape(32, 32) + x, n],
    "explicit",
    "",  # one after the other
)
entry(
    "cluster",
    f"""{add("add", "tensor<96x32xf32>")}
func.func @product(%a: tensor<96x64xf16> {IN}, %b: tensor<64x32xf16> {IN}, %w: tensor<96x32xf32> {OUT}) -> tensor<96x32xf32> {CORE} {{
  %c32 = arith.constant 32 : index
  %n = pto.block.get_block_idx
  %at = arith.muli %n, %c32 : index
  %x = pto.tile.load %a[%at, 0] : tensor<96x64xf16> -> !pto.tile<32x64xf16>
  %y = pto.tile.load %b[0, 0] : tensor<64x32xf16> -> !pto.tile<64x32xf16>
  %p = pto.tile.matmul %x, %y : (!pto.tile<32x64xf16>, !pto.tile<64x32xf16>) -> !pto.tile<32x32xf32>
  %o = pto.tile.store %p, %w[%at, 0] : !pto.tile<32x32xf32> -> tensor<96x32xf32>
  pto.block.cross_core_set fix, 3 {{mode = 2 : i64}}
  return %o : tensor<96x32xf32>
}}
func.func @halves(%w: tensor<96x32xf32> {IN}, %out: tensor<96x32xf32> {OUT}) -> tensor<96x32xf32> {CORE} {{
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %n = pto.block.get_block_idx
  %s = pto.block.get_subblock_idx
  %top = arith.muli %n, %c32 : index
  %half = arith.muli %s, %c16 : index
  %at = arith.addi %top, %half : index
  pto.block.cross_core_wait 3 {{mode = 2 : i64}}
  %x = pto.tile.load %w[%at, 0] : tensor<96x32xf32> -> !pto.tile<16x32xf32>
  %y = pto.tile.add %x, %x : !pto.tile<16x32xf32>
  %o = pto.tile.store %y, %out[%at, 0] : !pto.tile<16x32xf32> -> tensor<96x32xf32>
  return %o : tensor<96x32xf32>
}}
func.func @entry(%a: tensor<96x64xf16> {IN}, %b: tensor<64x32xf16> {IN}, %out: tensor<96x32xf32> {OUT}) -> tensor<96x32xf32> {ENTRY} {{
  %c3 = arith.constant 3 : index
  %w = pto.tensor.create : tensor<96x32xf32>
  %r:2 = pto.block.cluster blocks(%c3) -> (tensor<96x32xf32>, tensor<96x32xf32>) {{
    %p = pto.block.dispatch @product(%a, %b, %w) : (tensor<96x64xf16>, tensor<64x32xf16>, tensor<96x32xf32>) -> tensor<96x32xf32>
    %o = pto.block.dispatch @halves(%p, %out) : (tensor<96x32xf32>, tensor<96x32xf32>) -> tensor<96x32xf32>
    pto.block.yield %p, %o : tensor<96x32xf32>, tensor<96x32xf32>
  }}
  {call("u", "add", "%r#0, %r#1", "tensor<96x32xf32>, tensor<96x32xf32>", "tensor<96x32xf32>")}
  return %u : tensor<96x32xf32>
}}""",
    lambda: [
        np.random.default_rng(16).integers(-4, 4, (96, 64)).astype(np.float16),
        np.random.default_rng(17).integers(-4, 4, (64, 32)).astype(np.float16),
        np.full((96, 32), np.nan, np.float32),
    ],
    lambda a, b, out: [a, b, 3 * (a.astype(np.float32) @ b.astype(np.float32))],
    "explicit",
    "",
)
