# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Raw bytes of Mat, Left, Right and Acc against index formulas written from the
words of the chip's manual, not from the model: Mat and Acc hold columns of
fractals (nz), Left rows of fractals (zz; columns on the 950), Right rows of fractals that are
column by column inside (zn)."""

from __future__ import annotations

import numpy as np
import pytest
from model import Program


def nz(m, n, c0):
    """Column of fractals, row in it, column in the fractal."""
    blocks = -(-m // 16) * 16
    return lambda r, c: (c // c0) * blocks * c0 + r * c0 + c % c0


def zz(m, n, c0):
    across = -(-n // c0)
    return lambda r, c: ((r // 16) * across + c // c0) * 16 * c0 + (r % 16) * c0 + c % c0


def zn(m, n, c0):
    across = -(-n // 16)
    return lambda r, c: ((r // c0) * across + c // 16) * 16 * c0 + (c % 16) * c0 + r % c0


@pytest.mark.parametrize("m, k, n", [(16, 16, 16), (48, 80, 112), (32, 64, 16), (40, 72, 24)])
@pytest.mark.parametrize("target, left", [("910B", "zz"), ("950", "nz")])
def test_bytes_of_a_product(target, left, m, k, n):
    moves = []
    for name, rows, cols, to, layout in (("a", m, k, "left", left), ("b", k, n, "right", "zn")):
        mat, out = f"{rows}x{cols}xf16, mat, nz", f"{rows}x{cols}xf16, {to}, {layout}"
        moves.append(
            f"    pto.tile.move ins(%{name}1 : !pto.buf<{mat}>) outs(%{name}0 : !pto.buf<{out}>)"
        )
    b_at = 2 * (-(-m // 16) * 16) * (-(-k // 16) * 16)
    text = f"""module attributes {{pto.target = "{target}"}} {{
  func.func @f(%a: !pto.gm<{m}x{k}xf16>, %b: !pto.gm<{k}x{n}xf16>, %c: !pto.gm<{m}x{n}xf32> {{pto.dir = #pto.dir<out>}})
      attributes {{pto.kind = #pto.kind<aic>}} {{
    %a1 = pto.tile.alloc {{addrs = array<i64: 0>}} : !pto.buf<{m}x{k}xf16, mat, nz>
    %b1 = pto.tile.alloc {{addrs = array<i64: {b_at}>}} : !pto.buf<{k}x{n}xf16, mat, nz>
    %a0 = pto.tile.alloc {{addrs = array<i64: 0>}} : !pto.buf<{m}x{k}xf16, left, {left}>
    %b0 = pto.tile.alloc {{addrs = array<i64: 0>}} : !pto.buf<{k}x{n}xf16, right, zn>
    %c0 = pto.tile.alloc {{addrs = array<i64: 0>}} : !pto.buf<{m}x{n}xf32, acc, nz>
    pto.tile.load ins(%a[0, 0] : !pto.gm<{m}x{k}xf16>) outs(%a1 : !pto.buf<{m}x{k}xf16, mat, nz>)
    pto.tile.load ins(%b[0, 0] : !pto.gm<{k}x{n}xf16>) outs(%b1 : !pto.buf<{k}x{n}xf16, mat, nz>)
{chr(10).join(moves)}
    pto.tile.matmul ins(%a0, %b0 : !pto.buf<{m}x{k}xf16, left, {left}>, !pto.buf<{k}x{n}xf16, right, zn>) outs(%c0 : !pto.buf<{m}x{n}xf32, acc, nz>)
    pto.tile.store ins(%c0 : !pto.buf<{m}x{n}xf32, acc, nz>) outs(%c[0, 0] : !pto.gm<{m}x{n}xf32>)
    return
  }}
}}"""
    a = np.arange(m * k, dtype=np.uint16).reshape(m, k).view(np.float16) * np.float16(1)
    a = np.where(np.isfinite(a), a, 0).astype(np.float16)
    b = ((np.arange(k * n) % 2048) - 1024).reshape(k, n).astype(np.float16)
    c = np.zeros((m, n), np.float32)
    program = Program(text)
    program.run(a, b, c)

    def check(space, array, at, index, dtype):
        raw = np.frombuffer(program.program.space_bytes(space), dtype)
        base = at // np.dtype(dtype).itemsize
        for r in range(array.shape[0]):
            for col in range(array.shape[1]):
                assert raw[base + index(r, col)] == array[r, col], (space, r, col)

    check("mat", a, 0, nz(m, k, 16), np.float16)
    check("mat", b, b_at, nz(k, n, 16), np.float16)
    check("left", a, 0, {"zz": zz, "nz": nz}[left](m, k, 16), np.float16)
    check("right", b, 0, zn(k, n, 16), np.float16)
    check("acc", c, 0, nz(m, n, 16), np.float32)
    want = np.zeros((m, n), np.float32)
    for p in range(k):  # k in increasing order, in FP32
        want += a[:, p : p + 1].astype(np.float32) * b[p : p + 1].astype(np.float32)
    np.testing.assert_array_equal(c, want)
