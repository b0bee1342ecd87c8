# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The forms of emitted calls, run over the host header and compared with NumPy:
windows, tails, extents known at run time, one row, scalars, entries.

The kernels here order their pipes with `barrier all`: what is tested is what each
call computes."""
# ruff: noqa: E501 (lines of IR)

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy_language import BF16

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ascendc_harness import Library, translate  # noqa: E402

MODULES = {}


def module(name: str, kind: str, arguments: str, body: str, more: str = "") -> None:
    """A module with one kernel: `body` with a barrier behind each instruction."""
    barrier = r"\1\n pto.block.barrier all"
    body = re.sub(r"^(\s*pto\.tile\.(?!alloc|subview|slot).*)$", barrier, body, flags=re.MULTILINE)
    MODULES[name] = f"""
module attributes {{pto.target = "910B"}} {{
  func.func @{name}({arguments})
      attributes {{pto.kind = #pto.kind<{kind}>, pto.sync = #pto.sync<manual>}} {{
    {body}
    return
  }}
  {more}
}}"""


def alloc(name: str, address: int, kind: str) -> str:
    return f"%{name} = pto.tile.alloc {{addrs = array<i64: {address}>}} : !pto.buf<{kind}>\n"


def window(name: str, source: str, at: str, sizes: str, kind: str, result: str) -> str:
    return (
        f"%{name} = pto.tile.subview %{source}[{at}] [{sizes}] "
        f": !pto.buf<{kind}> -> !pto.buf<{result}>\n"
    )


# -- Vec -----------------------------------------------------------------------------

WHOLE, WINDOW = "16x104xf32, vec, nd", "16x36xf32, vec, nd, of<16x104>"
module(
    "windows",
    "aiv",
    "%x: !pto.gm<20x100xf32>, %out: !pto.gm<20x100xf32> {pto.dir = #pto.dir<out>}",
    alloc("t", 0, WHOLE)
    + alloc("u", 8192, "16x40xf32, vec, nd")
    + window("a", "t", "0, 64", "16, 36", WHOLE, WINDOW)
    + window("b", "u", "0, 0", "16, 36", "16x40xf32, vec, nd", "16x36xf32, vec, nd, of<16x40>")
    + f"""
    %two = arith.constant 2.0 : f32
    pto.tile.load ins(%x[2, 64] : !pto.gm<20x100xf32>) outs(%a : !pto.buf<{WINDOW}>)
    pto.tile.move ins(%a : !pto.buf<{WINDOW}>) outs(%b : !pto.buf<16x36xf32, vec, nd, of<16x40>>)
    pto.tile.mul ins(%b, %two : !pto.buf<16x36xf32, vec, nd, of<16x40>>, f32) outs(%b : !pto.buf<16x36xf32, vec, nd, of<16x40>>)
    pto.tile.add ins(%a, %b : !pto.buf<{WINDOW}>, !pto.buf<16x36xf32, vec, nd, of<16x40>>) outs(%a : !pto.buf<{WINDOW}>)
    pto.tile.neg ins(%a : !pto.buf<{WINDOW}>) outs(%a : !pto.buf<{WINDOW}>)
    pto.tile.store ins(%a : !pto.buf<{WINDOW}>) outs(%out[2, 64] : !pto.gm<20x100xf32>)
    """,
)

DYNAMIC = "?x?xf32, vec, nd, of<16x104>"
module(
    "run_time",
    "aiv",
    "%x: !pto.gm<16x100xf32>, %out: !pto.gm<16x100xf32> {pto.dir = #pto.dir<out>}, %m: index, %n: index",
    alloc("t", 0, WHOLE)
    + window("a", "t", "0, 0", "%m, %n", WHOLE, DYNAMIC)
    + f"""
    pto.tile.load ins(%x[0, 0] : !pto.gm<16x100xf32>) outs(%a : !pto.buf<{DYNAMIC}>)
    pto.tile.abs ins(%a : !pto.buf<{DYNAMIC}>) outs(%a : !pto.buf<{DYNAMIC}>)
    pto.tile.store ins(%a : !pto.buf<{DYNAMIC}>) outs(%out[0, 0] : !pto.gm<16x100xf32>)
    """,
)

SOME, ROW = "?x1xf32, vec, dn, of<64x1>", "1x?xf32, vec, nd, of<8x104>"
WIDE = "1x100xf32, vec, nd, of<8x104>"
module(
    "copies",
    "aiv",
    "%v: !pto.gm<64x1xf32>, %x: !pto.gm<8x100xf32>, %some: !pto.gm<64x1xf32> {pto.dir = #pto.dir<out>}, "
    "%row: !pto.gm<8x100xf32> {pto.dir = #pto.dir<out>}, %n: index",
    alloc("a", 0, "64x1xf32, vec, dn")
    + alloc("b", 256, "64x1xf32, vec, dn")
    + window("s", "a", "0, 0", "%n, 1", "64x1xf32, vec, dn", SOME)
    + window("d", "b", "0, 0", "%n, 1", "64x1xf32, vec, dn", SOME)
    + alloc("t", 1024, "8x104xf32, vec, nd")
    + alloc("u", 8192, "8x104xf32, vec, nd")
    + window("w", "t", "3, 0", "1, 100", "8x104xf32, vec, nd", WIDE)
    + window("from", "t", "3, 0", "1, %n", "8x104xf32, vec, nd", ROW)
    + window("to", "u", "5, 0", "1, %n", "8x104xf32, vec, nd", ROW)
    + f"""
    pto.tile.load ins(%v[0, 0] : !pto.gm<64x1xf32>) outs(%s : !pto.buf<{SOME}>)
    pto.tile.move ins(%s : !pto.buf<{SOME}>) outs(%d : !pto.buf<{SOME}>)
    pto.tile.store ins(%d : !pto.buf<{SOME}>) outs(%some[0, 0] : !pto.gm<64x1xf32>)
    pto.tile.load ins(%x[3, 0] : !pto.gm<8x100xf32>) outs(%w : !pto.buf<{WIDE}>)
    pto.tile.abs ins(%w : !pto.buf<{WIDE}>) outs(%w : !pto.buf<{WIDE}>)
    pto.tile.move ins(%from : !pto.buf<{ROW}>) outs(%to : !pto.buf<{ROW}>)
    pto.tile.store ins(%to : !pto.buf<{ROW}>) outs(%row[5, 0] : !pto.gm<8x100xf32>)
    """,
)

SOURCE, VECTOR, BLOCKS = "20x40xf32, vec, nd", "20x1xf32, vec, dn", "24x8xf32, vec, nd"
module(
    "rows",
    "aiv",
    "%x: !pto.gm<20x40xf32>, %top: !pto.gm<20x1xf32> {pto.dir = #pto.dir<out>}, "
    "%out: !pto.gm<20x40xf32> {pto.dir = #pto.dir<out>}",
    alloc("t", 0, SOURCE)
    + alloc("v", 8192, "24x1xf32, vec, dn")
    + alloc("w", 8320, "24x1xf32, vec, dn")
    + alloc("b", 8448, BLOCKS)
    + window("m", "v", "0, 0", "20, 1", "24x1xf32, vec, dn", "20x1xf32, vec, dn, of<24x1>")
    + window("c", "b", "0, 0", "20, 8", BLOCKS, "20x8xf32, vec, nd, of<24x8>")
    + f"""
    %zero = arith.constant 0.0 : f32
    pto.tile.full ins(%zero : f32) outs(%v : !pto.buf<24x1xf32, vec, dn>)
    pto.tile.load ins(%x[0, 0] : !pto.gm<20x40xf32>) outs(%t : !pto.buf<{SOURCE}>)
    pto.tile.row_max ins(%t : !pto.buf<{SOURCE}>) outs(%m : !pto.buf<20x1xf32, vec, dn, of<24x1>>)
    pto.tile.move ins(%v : !pto.buf<24x1xf32, vec, dn>) outs(%w : !pto.buf<24x1xf32, vec, dn>)
    pto.tile.store ins(%m : !pto.buf<20x1xf32, vec, dn, of<24x1>>) outs(%top[0, 0] : !pto.gm<20x1xf32>)
    pto.tile.brcb ins(%w : !pto.buf<24x1xf32, vec, dn>) outs(%b : !pto.buf<{BLOCKS}>)
    pto.tile.row_expand_sub ins(%t, %c : !pto.buf<{SOURCE}>, !pto.buf<20x8xf32, vec, nd, of<24x8>>) outs(%t : !pto.buf<{SOURCE}>)
    pto.tile.store ins(%t : !pto.buf<{SOURCE}>) outs(%out[0, 0] : !pto.gm<20x40xf32>)
    """,
)

module(
    "types",
    "aiv",
    "%i: !pto.gm<4x24xi32>, %h: !pto.gm<4x24xf16> {pto.dir = #pto.dir<out>}, "
    "%b: !pto.gm<4x24xbf16> {pto.dir = #pto.dir<out>}, %s: f16, %n: i32",
    alloc("ti", 0, "4x24xi32, vec, nd")
    + alloc("tf", 1024, "4x24xf32, vec, nd")
    + alloc("th", 2048, "4x24xf16, vec, nd")
    + alloc("tb", 3072, "4x24xbf16, vec, nd")
    + """
    pto.tile.load ins(%i[0, 0] : !pto.gm<4x24xi32>) outs(%ti : !pto.buf<4x24xi32, vec, nd>)
    pto.tile.add ins(%ti, %n : !pto.buf<4x24xi32, vec, nd>, i32) outs(%ti : !pto.buf<4x24xi32, vec, nd>)
    pto.tile.cast ins(%ti : !pto.buf<4x24xi32, vec, nd>) outs(%tf : !pto.buf<4x24xf32, vec, nd>) {round = #pto.round<rint>}
    pto.tile.cast ins(%tf : !pto.buf<4x24xf32, vec, nd>) outs(%tb : !pto.buf<4x24xbf16, vec, nd>) {round = #pto.round<rint>}
    pto.tile.cast ins(%tf : !pto.buf<4x24xf32, vec, nd>) outs(%th : !pto.buf<4x24xf16, vec, nd>) {round = #pto.round<rint>}
    pto.tile.mul ins(%th, %s : !pto.buf<4x24xf16, vec, nd>, f16) outs(%th : !pto.buf<4x24xf16, vec, nd>)
    pto.tile.store ins(%th : !pto.buf<4x24xf16, vec, nd>) outs(%h[0, 0] : !pto.gm<4x24xf16>)
    pto.tile.store ins(%tb : !pto.buf<4x24xbf16, vec, nd>) outs(%b[0, 0] : !pto.gm<4x24xbf16>)
    """,
)

module(
    "control",
    "aiv",
    "%out: !pto.gm<8x8xf32> {pto.dir = #pto.dir<out>}, %n: index, %x: f32",
    alloc("t", 0, "8x8xf32, vec, nd")
    + """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f32
    %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero, %q = %x) -> (f32, f32) {
      %r = arith.remui %i, %c3 : index
      %c = arith.cmpi eq, %r, %c1 : index
      %s = scf.if %c -> f32 {
        %d = arith.subf %p, %q : f32
        scf.yield %d : f32
      } else {
        %e = arith.addf %p, %q : f32
        scf.yield %e : f32
      }
      scf.yield %q, %s : f32, f32
    }
    pto.tile.full ins(%b : f32) outs(%t : !pto.buf<8x8xf32, vec, nd>)
    pto.tile.store ins(%t : !pto.buf<8x8xf32, vec, nd>) outs(%out[0, 0] : !pto.gm<8x8xf32>)
    """,
)

# -- Cube ----------------------------------------------------------------------------


def product(name: str, m: int, k: int, n: int, dtype: str, out: str, rows: str = "") -> None:
    """[m, k] x [k, n]; with `rows` that many rows of it, known at run time."""
    extent, of = (f"?x{k}", f", of<{m}x{k}>") if rows else (f"{m}x{k}", "")
    left, acc = f"{extent}x{dtype}, left, zz{of}", f"{m}x{n}xf32, acc, nz"
    acc_window = f"?x{n}xf32, acc, nz, of<{m}x{n}>" if rows else acc
    size = rows or str(m)
    mat_window = f"{extent}x{dtype}, mat, nz{of}"
    body = (
        alloc("a1", 0, f"{m}x{k}x{dtype}, mat, nz")
        + alloc("b1", 65536, f"{k}x{n}x{dtype}, mat, nz")
        + alloc("a0", 0, f"{m}x{k}x{dtype}, left, zz")
        + alloc("b0", 0, f"{k}x{n}x{dtype}, right, zn")
        + alloc("c0", 0, acc)
        + window("am", "a1", "0, 0", f"{size}, {k}", f"{m}x{k}x{dtype}, mat, nz", mat_window)
        + window("al", "a0", "0, 0", f"{size}, {k}", f"{m}x{k}x{dtype}, left, zz", left)
        + window("cw", "c0", "0, 0", f"{size}, {n}", acc, acc_window)
    )
    body += f"""
    pto.tile.load ins(%a[0, 0] : !pto.gm<{m}x{k}x{dtype}>) outs(%am : !pto.buf<{mat_window}>)
    pto.tile.load ins(%b[0, 0] : !pto.gm<{k}x{n}x{dtype}>) outs(%b1 : !pto.buf<{k}x{n}x{dtype}, mat, nz>)
    """
    for side, total, source, target, space in (
        ("a", m, f"{m}x{k}x{dtype}, mat, nz", f"{m}x{k}x{dtype}, left, zz", "left, zz"),
        ("b", k, f"{k}x{n}x{dtype}, mat, nz", f"{k}x{n}x{dtype}, right, zn", "right, zn"),
    ):
        cols, root = (k, f"{m}x{k}") if side == "a" else (n, f"{k}x{n}")
        for row in range(0, total, 16):
            piece = min(16, total - row)
            of = "" if piece == total else f", of<{root}>"
            f, t = f"{piece}x{cols}x{dtype}, mat, nz{of}", f"{piece}x{cols}x{dtype}, {space}{of}"
            body += window(f"{side}f{row}", f"{side}1", f"{row}, 0", f"{piece}, {cols}", source, f)
            body += window(f"{side}t{row}", f"{side}0", f"{row}, 0", f"{piece}, {cols}", target, t)
            body += (
                f"pto.tile.move ins(%{side}f{row} : !pto.buf<{f}>) "
                f"outs(%{side}t{row} : !pto.buf<{t}>)\n"
            )
    right = f"!pto.buf<{k}x{n}x{dtype}, right, zn>"
    body += f"""
    pto.tile.matmul ins(%al, %b0 : !pto.buf<{left}>, {right}) outs(%cw : !pto.buf<{acc_window}>)
    pto.tile.matmul_acc ins(%cw, %al, %b0 : !pto.buf<{acc_window}>, !pto.buf<{left}>, {right}) outs(%cw : !pto.buf<{acc_window}>)
    pto.tile.store ins(%cw : !pto.buf<{acc_window}>) outs(%c[0, 0] : !pto.gm<{m}x{n}x{out}>)
    """
    arguments = f"%a: !pto.gm<{m}x{k}x{dtype}>, %b: !pto.gm<{k}x{n}x{dtype}>, "
    arguments += f"%c: !pto.gm<{m}x{n}x{out}> {{pto.dir = #pto.dir<out>}}"
    module(name, "aic", arguments + (f", {rows}: index" if rows else ""), body)


PRODUCTS = {
    "odd": (48, 80, 112, np.float16, np.float32),
    "ragged": (33, 80, 48, BF16, np.float32),
    "one_row": (1, 64, 32, np.float16, np.float16),
    "to_bf16": (16, 32, 64, BF16, BF16),
}
WORDS = {np.float16: "f16", BF16: "bf16", np.float32: "f32"}
for name, (m, k, n, dtype, out) in PRODUCTS.items():
    product(name, m, k, n, WORDS[dtype], WORDS[out])
product("some_rows", 48, 80, 112, "f16", "f32", rows="%m")

# -- An entry ------------------------------------------------------------------------

module(
    "triple",
    "aiv",
    "%x: !pto.gm<8x8xf32>, %out: !pto.gm<8x8xf32> {pto.dir = #pto.dir<out>}, %by: f32",
    alloc("t", 0, "8x8xf32, vec, nd")
    + """
    pto.tile.load ins(%x[0, 0] : !pto.gm<8x8xf32>) outs(%t : !pto.buf<8x8xf32, vec, nd>)
    pto.tile.mul ins(%t, %by : !pto.buf<8x8xf32, vec, nd>, f32) outs(%t : !pto.buf<8x8xf32, vec, nd>)
    pto.tile.store ins(%t : !pto.buf<8x8xf32, vec, nd>) outs(%out[0, 0] : !pto.gm<8x8xf32>)
    """,
    more="""
  func.func @entry(%x: tensor<8x8xf32>, %out: tensor<8x8xf32>, %n: index, %by: f32)
      attributes {pto.kind = #pto.kind<orchestration>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = pto.tensor.create : tensor<8x8xf32>
    %u = pto.tensor.create : tensor<8x8xf32>
    %f = pto.block.dispatch @triple(%x, %t, %by) : (tensor<8x8xf32>, tensor<8x8xf32>, f32) -> tensor<8x8xf32>
    %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%p = %f, %q = %u) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
      %r = pto.block.dispatch @triple(%p, %q, %by) : (tensor<8x8xf32>, tensor<8x8xf32>, f32) -> tensor<8x8xf32>
      scf.yield %r, %p : tensor<8x8xf32>, tensor<8x8xf32>
    }
    %o = pto.block.dispatch @triple(%a, %out, %by) : (tensor<8x8xf32>, tensor<8x8xf32>, f32) -> tensor<8x8xf32>
    return
  }""",
)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    programs = {name: translate(text) for name, text in MODULES.items()}
    return Library(programs, tmp_path_factory.mktemp("ascendc"))


def normal(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def test_windows(library):
    x, out = normal(20, 100), np.zeros((20, 100), np.float32)
    assert library.run("windows", "windows", x, out) == []
    expected = np.zeros_like(out)
    expected[2:18, 64:] = -(x + x * 2)[2:18, 64:]
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("m, n", [(16, 40), (5, 33), (1, 1)])
def test_extents_known_at_run_time(library, m, n):
    x, out = normal(16, 100), np.zeros((16, 100), np.float32)
    assert library.run("run_time", "run_time", x, out, m, n) == []
    expected = np.zeros_like(out)
    expected[:m, :n] = np.abs(x[:m, :n])
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("n", [64, 13, 1])
def test_copies_in_vec(library, n):
    """Of a vector and of one row that end within a block of 32 bytes."""
    v, x = normal(64, 1), normal(8, 100)
    some, row = np.zeros_like(v), np.zeros_like(x)
    assert library.run("copies", "copies", v, x, some, row, n) == []
    np.testing.assert_array_equal(some[:n], v[:n])
    assert not some[n:].any()
    expected = np.zeros_like(row)
    expected[5, :n] = np.abs(x[3, :n])
    np.testing.assert_array_equal(row, expected)


def test_rows(library):
    x, top, out = normal(20, 40), np.zeros((20, 1), np.float32), np.zeros((20, 40), np.float32)
    assert library.run("rows", "rows", x, top, out) == []
    np.testing.assert_array_equal(top, x.max(axis=1, keepdims=True))
    np.testing.assert_array_equal(out, x - top)


def test_types(library):
    i = np.random.default_rng(0).integers(-300, 300, (4, 24), dtype=np.int32)
    h, b = np.zeros((4, 24), np.float16), np.zeros((4, 24), BF16)
    assert library.run("types", "types", i, h, b, 0.0999755859375, 7) == []
    f = (i + 7).astype(np.float32)
    np.testing.assert_array_equal(h, f.astype(np.float16) * np.float16(0.1))
    np.testing.assert_array_equal(b.view(np.uint16), f.astype(BF16).view(np.uint16))


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_control(library, n):
    out = np.zeros((8, 8), np.float32)
    assert library.run("control", "control", out, n, 1.25) == []
    p, q = np.float32(0), np.float32(1.25)
    for i in range(n):
        p, q = q, p - q if i % 3 == 1 else p + q
    np.testing.assert_array_equal(out, np.full((8, 8), q))


def check_product(c, a, b, k):
    a, b = a.astype(np.float64), b.astype(np.float64)
    eps = {2: 2.0**-8 if c.dtype == BF16 else 2.0**-10, 4: 0}[c.dtype.itemsize]
    bound = 2 * k * np.finfo(np.float32).eps * 2 * (np.abs(a) @ np.abs(b)) + eps * np.abs(2 * a @ b)
    assert (np.abs(c.astype(np.float64) - 2 * (a @ b)) <= bound).all()


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(library, name):
    m, k, n, dtype, out = PRODUCTS[name]
    a, b = normal(m, k, dtype=dtype), normal(k, n, seed=1, dtype=dtype)
    c = np.zeros((m, n), out)
    reports = library.run(name, name, a, b, c)
    assert reports == []
    check_product(c, a, b, k)


@pytest.mark.parametrize("m", [1, 16, 20, 48])
def test_rows_of_a_product_known_at_run_time(library, m):
    a, b = normal(48, 80, dtype=np.float16), normal(80, 112, seed=1, dtype=np.float16)
    c = np.zeros((48, 112), np.float32)
    assert library.run("some_rows", "some_rows", a, b, c, m) == []
    check_product(c[:m], a[:m], b, 80)
    assert not c[m:].any()


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_entry(library, n):
    x, out = normal(8, 8), np.zeros((8, 8), np.float32)
    assert library.run("triple", "entry", x, out, n, 3.0) == []
    expected = x
    for _ in range(n + 2):
        expected = expected * np.float32(3)
    np.testing.assert_array_equal(out, expected)
