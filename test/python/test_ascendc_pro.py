# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The C++ of what Pro kernels say: pointers, views of any strides, phases, biases,
transposing moves, atomic stores, barriers of all cores. Hand-written kernels in buffer form,
through all passes, over the host header of their chip; numbers are small and the answers
exact."""
# ruff: noqa: E501 (lines of IR)

import re
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ascendc_harness import Library, pipeline, translate  # noqa: E402

LEFT = {"910B": "zz", "950": "nz"}


def module(chip: str, kind: str, name: str, arguments: str, body: str, sync: str = "none") -> str:
    return f"""
module attributes {{pto.target = "{chip}"}} {{
  func.func @{name}({arguments}) attributes {{pto.kind = #pto.kind<{kind}>, pto.sync = #pto.sync<{sync}>}} {{
    {body}
    return
  }}
}}"""


def alloc(name: str, address: int, kind: str) -> str:
    return (
        f"%{name} = pto.tile.alloc {{addrs = array<i64: {address}>, pinned}} : !pto.buf<{kind}>\n"
    )


def product(chip: str) -> str:
    """relu(bias + a^T b^T) as FP16, and a^T b^T added to what is there; a and b lie turned, at
    pitches known at run time, b behind its bias in one array of bytes."""
    left = f"48x32xf16, left, {LEFT[chip]}"
    return module(
        chip,
        "aic",
        "product",
        "%a: !pto.gm<?xf16>, %b: !pto.gm<?xi8>, %c: !pto.gm<?xf16> {pto.dir = #pto.dir<inout>}, "
        "%sum: !pto.gm<?xf32> {pto.dir = #pto.dir<inout>}, %pitch: index",
        alloc("a_mat", 0, "32x48xf16, mat, nz")
        + alloc("b_mat", 8192, "64x32xf16, mat, nz")
        + alloc("bias_mat", 16384, "1x64xf32, mat, nd")
        + alloc("left", 0, left)
        + alloc("right", 0, "32x64xf16, right, zn")
        + alloc("bias", 0, "1x64xf32, bias, nd")
        + alloc("acc", 0, "48x64xf32, acc, nz")
        + alloc("acc2", 16384, "48x64xf32, acc, nz")
        + f"""
    %bias_ptr = pto.tile.make_ptr %b[0] : !pto.gm<?xi8> -> !pto.gm<?xf32>
    %b_ptr = pto.tile.make_ptr %b[256] : !pto.gm<?xi8> -> !pto.gm<?xf16>
    %a_all = pto.tile.make_tensor %a shape [32, 48] strides [%pitch, 1] : !pto.gm<?xf16> -> !pto.gm<32x48xf16, pitch<?>>
    %bias_all = pto.tile.make_tensor %bias_ptr shape [1, 64] strides [64, 1] : !pto.gm<?xf32> -> !pto.gm<1x64xf32, pitch<?>>
    %b_all = pto.tile.make_tensor %b_ptr shape [64, 32] strides [32, 1] : !pto.gm<?xf16> -> !pto.gm<64x32xf16, pitch<?>>
    %c_all = pto.tile.make_tensor %c shape [48, 64] strides [%pitch, 1] : !pto.gm<?xf16> -> !pto.gm<48x64xf16, pitch<?>>
    %s_all = pto.tile.make_tensor %sum shape [48, 64] strides [64, 1] : !pto.gm<?xf32> -> !pto.gm<48x64xf32, pitch<?>>
    pto.tile.load ins(%a_all[0, 0] : !pto.gm<32x48xf16, pitch<?>>) outs(%a_mat : !pto.buf<32x48xf16, mat, nz>)
    pto.tile.load ins(%b_all[0, 0] : !pto.gm<64x32xf16, pitch<?>>) outs(%b_mat : !pto.buf<64x32xf16, mat, nz>)
    pto.tile.load ins(%bias_all[0, 0] : !pto.gm<1x64xf32, pitch<?>>) outs(%bias_mat : !pto.buf<1x64xf32, mat, nd>)
    pto.tile.move ins(%a_mat : !pto.buf<32x48xf16, mat, nz>) outs(%left : !pto.buf<{left}>) {{transpose}}
    pto.tile.move ins(%b_mat : !pto.buf<64x32xf16, mat, nz>) outs(%right : !pto.buf<32x64xf16, right, zn>) {{transpose}}
    pto.tile.move ins(%bias_mat : !pto.buf<1x64xf32, mat, nd>) outs(%bias : !pto.buf<1x64xf32, bias, nd>)
    pto.tile.matmul_bias ins(%left, %right, %bias : !pto.buf<{left}>, !pto.buf<32x64xf16, right, zn>, !pto.buf<1x64xf32, bias, nd>) outs(%acc : !pto.buf<48x64xf32, acc, nz>)
    pto.tile.store ins(%acc : !pto.buf<48x64xf32, acc, nz>) outs(%c_all[0, 0] : !pto.gm<48x64xf16, pitch<?>>) {{relu}}
    pto.tile.matmul ins(%left, %right : !pto.buf<{left}>, !pto.buf<32x64xf16, right, zn>) outs(%acc2 : !pto.buf<48x64xf32, acc, nz>) {{phase = #pto.phase<final>}}
    pto.tile.store ins(%acc2 : !pto.buf<48x64xf32, acc, nz>) outs(%s_all[0, 0] : !pto.gm<48x64xf32, pitch<?>>) {{atomic_add, phase = #pto.phase<final>}}
    """,
    )


def meeting(chip: str) -> str:
    """Every AIV writes its row; when all have, each copies that of another one."""
    buffer = "1x64xf32, vec, nd"
    view = "strides [64, 1] : !pto.gm<?xf32> -> !pto.gm<?x64xf32, pitch<?>>"
    return module(
        chip,
        "group",
        "meeting",
        "%rows: !pto.gm<?xf32> {pto.dir = #pto.dir<inout>}, "
        "%out: !pto.gm<?xf32> {pto.dir = #pto.dir<inout>}",
        alloc("t", 0, buffer)
        + alloc("u", 256, buffer)
        + f"""
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %block = pto.block.get_block_idx
    %blocks = pto.block.get_block_num
    pto.block.section aic {{
      pto.block.sync_all
    }}
    pto.block.section aiv {{
      %sub = pto.block.get_subblock_idx
      %twice = arith.muli %block, %c2 : index
      %me = arith.addi %twice, %sub : index
      %all = arith.muli %blocks, %c2 : index
      %r = pto.tile.make_tensor %rows shape [%all, 64] {view}
      %o = pto.tile.make_tensor %out shape [%all, 64] {view}
      %i = arith.index_cast %me : index to i32
      %f = arith.sitofp %i : i32 to f32
      pto.tile.full ins(%f : f32) outs(%t : !pto.buf<{buffer}>)
      pto.tile.store ins(%t : !pto.buf<{buffer}>) outs(%r[%me, 0] : !pto.gm<?x64xf32, pitch<?>>)
      pto.block.sync_all
      %next = arith.addi %me, %c1 : index
      %other = arith.remsi %next, %all : index
      pto.tile.load ins(%r[%other, 0] : !pto.gm<?x64xf32, pitch<?>>) outs(%u : !pto.buf<{buffer}>)
      pto.tile.store ins(%u : !pto.buf<{buffer}>) outs(%o[%me, 0] : !pto.gm<?x64xf32, pitch<?>>)
    }}
    """,
    )


def cells(chip: str) -> str:
    """Elements in a loop that is left by what they hold; nothing given is 0 of them."""
    return module(
        chip,
        "aiv",
        "cells",
        "%x: !pto.gm<?xi64>, %skip: !pto.gm<?xi64>, %out: !pto.gm<?xi64> {pto.dir = #pto.dir<inout>}, %n: index",
        """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %none = pto.tile.is_null %skip : !pto.gm<?xi64>
    %first = scf.if %none -> (index) {
      scf.yield %c0 : index
    } else {
      %given = pto.tile.get_value %skip[0] : !pto.gm<?xi64> -> i64
      %number = arith.index_cast %given : i64 to index
      scf.yield %number : index
    }
    %end:2 = scf.while (%i = %first, %sum = %zero) : (index, i64) -> (index, i64) {
      %v = pto.tile.get_value %x[%i] : !pto.gm<?xi64> -> i64
      %more = arith.addi %sum, %v : i64
      %next = arith.addi %i, %c1 : index
      %inside = arith.cmpi slt, %next, %n : index
      %positive = arith.cmpi sge, %v, %zero : i64
      %go = arith.andi %inside, %positive : i1
      scf.condition(%go) %next, %more : index, i64
    } do {
    ^bb0(%i: index, %sum: i64):
      scf.yield %i, %sum : index, i64
    }
    %count = arith.index_cast %end#0 : index to i64
    pto.tile.set_value %count, %out[0] : i64, !pto.gm<?xi64>
    pto.tile.set_value %end#1, %out[1] : i64, !pto.gm<?xi64>
    pto.block.dcci %out[0] : !pto.gm<?xi64>
    pto.block.barrier all
    """,
        sync="manual",
    )


@pytest.fixture(scope="module", params=["910B", "950"])
def library(request, tmp_path_factory):
    chip = request.param
    programs = {
        kernel.__name__: translate(pipeline(kernel(chip))) for kernel in (product, meeting, cells)
    }
    alone = r"SyncAll<false>\(\);" if chip == "950" else r"CrossCoreWaitFlag\(8\);"
    [(path, text)] = programs["meeting"]
    programs["nobody waits"] = [(path, re.sub(alone, "", text))]
    return Library(programs, tmp_path_factory.mktemp("ascendc"))


def small(*shape):
    return np.random.default_rng(5).integers(-4, 5, shape)


def test_a_product_with_bias_relu_phase_and_atomic_store(library):
    pitch = 80
    a, b, bias = small(32, pitch), small(64, 32), small(64)
    c = np.full((48, pitch), -1, np.float16)
    total = np.full((48, 64), 7, np.float32)
    bytes_of_b = np.concatenate(
        [bias.astype(np.float32).view(np.int8), b.astype(np.float16).view(np.int8).ravel()]
    )
    reports = library.run("product", "product", a.astype(np.float16), bytes_of_b, c, total, pitch)
    assert reports == []
    exact = a[:, :48].T @ b.T
    np.testing.assert_array_equal(c[:, :64], np.maximum(exact + bias, 0))
    assert (c[:, 64:] == -1).all()
    np.testing.assert_array_equal(total, exact + 7)


@pytest.mark.parametrize("blocks", [1, 3])
def test_all_cores_meet(library, blocks):
    rows, out = (np.full((2 * blocks, 64), np.nan, np.float32) for _ in range(2))
    assert library.run("meeting", "meeting", rows, out, blocks=blocks) == []
    np.testing.assert_array_equal(out[:, 0], np.roll(np.arange(2 * blocks), -1))


def test_a_meeting_that_nobody_waits_for_is_reported(library):
    rows, out = (np.zeros((6, 64), np.float32) for _ in range(2))
    assert library.run("nobody waits", "meeting", rows, out, blocks=3)


@pytest.mark.parametrize("skip", [None, 3])
def test_elements_and_a_pointer_that_nothing_is_given_for(library, skip):
    x = np.array([5, 2, 0, 4, 9, -1, 7, 7], np.int64)
    out = np.zeros(8, np.int64)
    given = None if skip is None else np.array([skip], np.int64)
    assert library.run("cells", "cells", x, given, out, 8) == []
    first = skip or 0
    assert list(out[:2]) == [6, x[first:6].sum()]
