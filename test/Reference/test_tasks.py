# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The control plane on the model: blocks, order, conditions, clusters, small arrays,
windows of arrays."""

from __future__ import annotations

import numpy as np
import pytest
from model import Failed, run

A = "tensor<64x16xf32>"
G = "!pto.gm<64x16xf32>"
KERNELS = f"""
  // y = x + 1, block by block in eighths of 8 rows each
  func.func @step(%x: {G} {{pto.dir = #pto.dir<in>}}, %y: {G} {{pto.dir = #pto.dir<out>}})
      attributes {{pto.kind = #pto.kind<in_core>}} {{
    %c8 = arith.constant 8 : index
    %one = arith.constant 1.0 : f32
    %b = pto.block.get_block_idx
    %row = arith.muli %b, %c8 : index
    %t = pto.tile.load %x[%row, 0] : {G} -> !pto.tile<8x16xf32>
    %u = pto.tile.add %t, %one : (!pto.tile<8x16xf32>, f32) -> !pto.tile<8x16xf32>
    pto.tile.store %u, %y[%row, 0] : !pto.tile<8x16xf32> -> {G}
    return
  }}
  // x += 1, the first eight rows
  func.func @increment(%x: {G} {{pto.dir = #pto.dir<inout>}})
      attributes {{pto.kind = #pto.kind<in_core>}} {{
    %one = arith.constant 1.0 : f32
    %t = pto.tile.load %x[0, 0] : {G} -> !pto.tile<8x16xf32>
    %u = pto.tile.add %t, %one : (!pto.tile<8x16xf32>, f32) -> !pto.tile<8x16xf32>
    pto.tile.store %u, %x[0, 0] : !pto.tile<8x16xf32> -> {G}
    return
  }}
  // x *= 2, the first eight rows
  func.func @double(%x: {G} {{pto.dir = #pto.dir<inout>}})
      attributes {{pto.kind = #pto.kind<in_core>}} {{
    %t = pto.tile.load %x[0, 0] : {G} -> !pto.tile<8x16xf32>
    %u = pto.tile.add %t, %t : !pto.tile<8x16xf32>
    pto.tile.store %u, %x[0, 0] : !pto.tile<8x16xf32> -> {G}
    return
  }}
"""
INOUT = f"%x: {A} {{pto.dir = #pto.dir<inout>}}"
STEP = f"({A}, {A}) -> {A}"


def entry(body: str, arguments: str, deps: str = "explicit", kernels: str = KERNELS) -> str:
    return f"""module attributes {{pto.target = "910B"}} {{{kernels}
  func.func @main({arguments})
      attributes {{pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<{deps}>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
{body}
    return
  }}
}}"""


def ramp() -> np.ndarray:
    return np.arange(64 * 16, dtype=np.float32).reshape(64, 16)


def first_rows(body: str, arguments: str = INOUT, *more, deps="explicit") -> float:
    """What became of element 0 of an array of zeros."""
    x = np.zeros((64, 16), np.float32)
    run(entry(body, arguments, deps), x, *more, entry="main")
    assert (x[:8] == x[0, 0]).all() and (x[8:] == 0).all()
    return x[0, 0]


OUT = f"%x: {A} {{pto.dir = #pto.dir<in>}}, %y: {A} {{pto.dir = #pto.dir<out>}}, %n: index"


@pytest.mark.parametrize("blocks", [1, 3, 8])
def test_blocks(blocks):
    x, y = ramp(), np.zeros((64, 16), np.float32)
    text = f"    %r = pto.block.dispatch @step(%x, %y) blocks(%n) : {STEP}"
    run(entry(text, OUT), x, y, blocks, entry="main")
    want = np.zeros_like(x)
    want[: 8 * blocks] = x[: 8 * blocks] + 1
    assert np.array_equal(y, want)


@pytest.mark.parametrize(
    "blocks, message",
    [
        (9, r"in dimension 0 it covers 64 to 71 of 0 to 63"),
        (0, r"runs on 0 blocks; a task has 1 to 65535"),
        (-1, r"runs on -1 blocks"),
        (65536, r"runs on 65536 blocks"),
    ],
)
def test_wrong_blocks(blocks, message):
    text = f"    %r = pto.block.dispatch @step(%x, %y) blocks(%n) : {STEP}"
    with pytest.raises(Failed, match=message):
        run(entry(text, OUT), ramp(), np.zeros((64, 16), np.float32), blocks, entry="main")


def test_block_number():
    """get_block_num is the same in every block; blocks of a region."""
    text = f"""
    %r = pto.block.at core_group blocks(%n) -> ({A}) {{
      %b = pto.block.get_block_idx
      %all = pto.block.get_block_num
      %c8 = arith.constant 8 : index
      %row = arith.muli %b, %c8 : index
      %s = arith.muli %all, %c8 : index
      %sum = arith.addi %row, %s : index
      %i = arith.index_cast %sum : index to i32
      %f = arith.sitofp %i : i32 to f32
      %t = pto.tile.load %x[%row, 0] : {A} -> !pto.tile<8x16xf32>
      %u = pto.tile.add %t, %f : (!pto.tile<8x16xf32>, f32) -> !pto.tile<8x16xf32>
      %o = pto.tile.store %u, %y[%row, 0] : !pto.tile<8x16xf32> -> {A}
      pto.block.yield %o : {A}
    }}"""
    x, y = ramp(), np.zeros((64, 16), np.float32)
    run(entry(text, OUT), x, y, 4, entry="main")
    want = np.zeros_like(x)
    want[:32] = x[:32] + 32 + np.repeat(np.arange(0, 32, 8), 8)[:, None]
    assert np.array_equal(y, want)


ONE = "pto.block.dispatch @increment(%x)"
TWO = "pto.block.dispatch @double(%x)"
ON = f": ({A}) -> {A}, !pto.task"


@pytest.mark.parametrize(
    "flag, compare, goes",
    [
        (5, "gt 4", True),
        (5, "gt 5", False),
        (5, "eq 5", True),
        (5, "ne 5", False),
        (5, "lt 6", True),
        (5, "le 4", False),
        (5, "ge 5", True),
        (-1, "lt 0", True),
    ],
)
def test_condition(flag, compare, goes):
    arguments = INOUT + ", %f: tensor<4x2xi32> {pto.dir = #pto.dir<in>}"
    flags = np.zeros((4, 2), np.int32)
    flags[2, 1] = flag
    text = f"    %r, %t = {ONE} when(%f[%c2, %c1] {compare} : tensor<4x2xi32>) {ON}\n"
    text += f"    %s, %u = {TWO} after(%t) {ON}\n    %v, %w = {ONE} after(%u) {ON}"
    assert first_rows(text, arguments, flags) == (3 if goes else 1)


def test_condition_beyond():
    arguments = INOUT + ", %f: tensor<4x2xi32> {pto.dir = #pto.dir<in>}"
    text = f"    %r, %t = {ONE} when(%f[%c4, %c1] eq 0 : tensor<4x2xi32>) {ON}\n"
    with pytest.raises(Failed, match=r"in dimension 0 it covers 4 to 4 of 0 to 3"):
        first_rows(text, arguments, np.zeros((4, 2), np.int32))


def test_condition_undefined():
    text = f"""
    %f = pto.tensor.create : tensor<4x2xi32>
    %r, %t = {ONE} when(%f[%c1, %c1] eq 0 : tensor<4x2xi32>) {ON}"""
    with pytest.raises(Failed, match=r"the condition reads an element of .* that nothing has"):
        first_rows(text)


def test_tokens_travel():
    """Through a loop, a branch, a small array, a dummy: ((0 + 1) * 2 + 1) * 2 + 1."""
    text = f"""
    %none = pto.block.task_invalid
    %made = pto.block.array_create : !pto.array<4 x !pto.task>
    %array, %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %made, %p = %none)
        -> (!pto.array<4 x !pto.task>, !pto.task) {{
      %bit = arith.remui %i, %c2 : index
      %even = arith.cmpi eq, %bit, %c0 : index
      %t = scf.if %even -> (!pto.task) {{
        %r, %u = {ONE} after(%p) {ON}
        scf.yield %u : !pto.task
      }} else {{
        %r, %u = {TWO} after(%p) {ON}
        scf.yield %u : !pto.task
      }}
      %b = pto.block.array_set %t into %a[%i] : !pto.array<4 x !pto.task>
      scf.yield %b, %t : !pto.array<4 x !pto.task>, !pto.task
    }}
    %first = pto.block.array_get %array[%c0] : !pto.array<4 x !pto.task>
    %third = pto.block.array_get %array[%c2] : !pto.array<4 x !pto.task>
    %all = pto.block.task_dummy after(%first, %third, %last)
    %r, %t = {ONE} after(%all) {ON}"""
    assert first_rows(text) == 7


def test_small_array_of_integers():
    text = f"""
    %c7 = arith.constant 7 : i32
    %made = pto.block.array_create : !pto.array<4 x i32>
    %set = pto.block.array_set %c7 into %made[%n] : !pto.array<4 x i32>
    %old = pto.block.array_get %made[%c2] : !pto.array<4 x i32>
    %new = pto.block.array_get %set[%c2] : !pto.array<4 x i32>
    %sum = arith.addi %old, %new : i32
    %times = arith.index_cast %sum : i32 to index
    %none = pto.block.task_invalid
    %last = scf.for %i = %c0 to %times step %c1 iter_args(%p = %none) -> (!pto.task) {{
      %r, %t = {ONE} after(%p) {ON}
      scf.yield %t : !pto.task
    }}"""
    assert first_rows(text, INOUT + ", %n: index", 2) == 7
    assert first_rows(text, INOUT + ", %n: index", 1) == 0
    with pytest.raises(Failed, match=r"index 4 is not within 0 to 3"):
        first_rows(text, INOUT + ", %n: index", 4)


def test_ping_pong():
    """A loop carries two arrays and hands them on crosswise."""
    text = f"""
    %w = pto.tensor.create : {A}
    %n8 = arith.constant 8 : index
    %none = pto.block.task_invalid
    %from, %to, %last = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %w, %p = %none)
        -> ({A}, {A}, !pto.task) {{
      %r, %t = pto.block.dispatch @step(%a, %b) blocks(%n8) after(%p) : ({A}, {A}) -> {A}, !pto.task
      scf.yield %r, %a, %t : {A}, {A}, !pto.task
    }}
    %q, %t = pto.block.dispatch @step(%from, %y) blocks(%n8) after(%last) : ({A}, {A}) -> {A}, !pto.task
"""
    arguments = f"{INOUT}, %y: {A} {{pto.dir = #pto.dir<out>}}, %n: index"
    for times in (0, 1, 2, 5):
        x, y = ramp(), np.zeros((64, 16), np.float32)
        run(entry(text, arguments), x, y, times, entry="main")
        assert np.array_equal(y, ramp() + times + 1)


def test_chosen_array():
    text = f"""
    %first = arith.cmpi eq, %n, %c1 : index
    %a = arith.select %first, %x, %y : {A}
    %r = pto.block.dispatch @increment(%a) : ({A}) -> {A}"""
    arguments = f"{INOUT}, %y: {A} {{pto.dir = #pto.dir<inout>}}, %n: index"
    for n in (1, 2):
        x, y = np.zeros((64, 16), np.float32), np.zeros((64, 16), np.float32)
        run(entry(text, arguments), x, y, n, entry="main")
        assert (x[0, 0], y[0, 0]) == ((1, 0) if n == 1 else (0, 1))


WINDOWS = """
  func.func @rows(%x: !pto.gm<8x16xf32> {pto.dir = #pto.dir<inout>})
      attributes {pto.kind = #pto.kind<in_core>} {
    %one = arith.constant 1.0 : f32
    %t = pto.tile.load %x[0, 0] : !pto.gm<8x16xf32> -> !pto.tile<8x16xf32>
    %u = pto.tile.add %t, %one : (!pto.tile<8x16xf32>, f32) -> !pto.tile<8x16xf32>
    pto.tile.store %u, %x[0, 0] : !pto.tile<8x16xf32> -> !pto.gm<8x16xf32>
    return
  }
  func.func @columns(%x: !pto.gm<64x8xf32, pitch<16>> {pto.dir = #pto.dir<inout>})
      attributes {pto.kind = #pto.kind<in_core>} {
    %one = arith.constant 1.0 : f32
    %t = pto.tile.load %x[0, 0] : !pto.gm<64x8xf32, pitch<16>> -> !pto.tile<64x8xf32>
    %u = pto.tile.add %t, %one : (!pto.tile<64x8xf32>, f32) -> !pto.tile<64x8xf32>
    pto.tile.store %u, %x[0, 0] : !pto.tile<64x8xf32> -> !pto.gm<64x8xf32, pitch<16>>
    return
  }
  func.func @whole(%x: tensor<32x8xf32, #pto.pitch<16>> {pto.dir = #pto.dir<inout>})
      -> tensor<32x8xf32, #pto.pitch<16>> attributes {pto.kind = #pto.kind<in_core>} {
    %one = arith.constant 1.0 : f32
    %r = pto.tensor.add %x, %one : (tensor<32x8xf32, #pto.pitch<16>>, f32) -> tensor<32x8xf32>
    %o = pto.tensor.assemble %r into %x[0, 0] : tensor<32x8xf32> into tensor<32x8xf32, #pto.pitch<16>>
    return %o : tensor<32x8xf32, #pto.pitch<16>>
  }
"""
P = "tensor<64x8xf32, #pto.pitch<16>>"
Q = "tensor<32x8xf32, #pto.pitch<16>>"


def test_windows():
    """Rows at a run-time offset, a strip of columns, a window of a window."""
    text = f"""
    %c16 = arith.constant 16 : index
    %row = arith.muli %n, %c16 : index
    %w = pto.tensor.slice %x[%row, 0] [8, 16] : {A} -> tensor<8x16xf32>
    %r, %t = pto.block.dispatch @rows(%w) : (tensor<8x16xf32>) -> tensor<8x16xf32>, !pto.task
    %c = pto.tensor.slice %x[0, %n] [64, 8] : {A} -> {P}
    %s, %u = pto.block.dispatch @columns(%c) after(%t) : ({P}) -> {P}, !pto.task
    %d = pto.tensor.slice %c[%row, 0] [32, 8] : {P} -> {Q}
    %v, %z = pto.block.dispatch @whole(%d) after(%u) : ({Q}) -> {Q}, !pto.task"""
    for n in (0, 2):
        x, want = ramp(), ramp()
        run(entry(text, INOUT + ", %n: index", kernels=WINDOWS), x, n, entry="main")
        want[16 * n : 16 * n + 8] += 1
        want[:, n : n + 8] += 1
        want[16 * n : 16 * n + 32, n : n + 8] += 1
        assert np.array_equal(x, want)
    with pytest.raises(Failed, match=r"in dimension 0 it covers 64 to 71 of 0 to 63"):
        run(entry(text, INOUT + ", %n: index", kernels=WINDOWS), ramp(), 4, entry="main")
    with pytest.raises(Failed, match=r"in dimension 0 it covers 48 to 79 of 0 to 63"):
        run(entry(text, INOUT + ", %n: index", kernels=WINDOWS), ramp(), 3, entry="main")


def test_window_is_one():
    """A kernel sees no more than its window."""
    text = f"""
    %w = pto.tensor.slice %x[8, 0] [8, 16] : {A} -> tensor<8x16xf32>
    %r, %t = pto.block.dispatch @rows(%w) : (tensor<8x16xf32>) -> tensor<8x16xf32>, !pto.task"""
    beyond = WINDOWS.replace(
        "pto.tile.store %u, %x[0, 0] : !pto.tile<8x16xf32>",
        "pto.tile.store %u, %x[1, 0] : !pto.tile<8x16xf32>",
        1,
    )
    with pytest.raises(Failed, match=r"in dimension 0 it covers 1 to 8 of 0 to 7"):
        run(entry(text, INOUT, kernels=beyond), ramp(), entry="main")


def test_read():
    """The control plane reads what tasks wrote, and what the caller gave."""
    arguments = INOUT + ", %f: tensor<4x2xi32> {pto.dir = #pto.dir<in>}"
    text = f"""
    %k = pto.tensor.read %f[%c1, 1] : tensor<4x2xi32>
    %n = arith.index_cast %k : i32 to index
    %none = pto.block.task_invalid
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %none) -> (!pto.task) {{
      %r, %t = {ONE} after(%p) {ON}
      scf.yield %t : !pto.task
    }}
    %e = pto.tensor.read %x[0, 3] : {A}
    %three = arith.constant 3.0 : f32
    %isThree = arith.cmpf oeq, %e, %three : f32
    scf.if %isThree {{
      %r, %t = {TWO} after(%last) {ON}
    }}"""
    flags = np.zeros((4, 2), np.int32)
    for n, want in ((2, 2), (3, 6), (4, 4)):
        flags[1, 1] = n
        assert first_rows(text, arguments, flags) == want


def test_read_undefined():
    text = f"    %w = pto.tensor.create : {A}\n    %e = pto.tensor.read %w[1, 3] : {A}"
    with pytest.raises(Failed, match=r"reads .*, whose element 19 \(counted row by row\) nothing"):
        first_rows(text)


def test_level():
    text = """
    pto.block.at host role orchestrator {
      pto.block.yield
    }"""
    with pytest.raises(Failed, match=r"level HOST is carried and printed only"):
        first_rows(text)


# Clusters.

C = "tensor<32x32xf32>"
H = "tensor<32x32xf16>"
PRODUCT = """
  func.func @product(%a: !pto.gm<32x32xf16> {pto.dir = #pto.dir<in>},
                     %w: !pto.gm<32x32xf32> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<KIND>} {
    %x = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
    %p = pto.tile.matmul %x, %x : (!pto.tile<32x32xf16>, !pto.tile<32x32xf16>) -> !pto.tile<32x32xf32>
    pto.tile.store %p, %w[0, 0] : !pto.tile<32x32xf32> -> !pto.gm<32x32xf32>
    pto.block.cross_core_set fix, 0 {mode = 2 : i64}
    return
  }
  func.func @scale(%w: !pto.gm<32x32xf32> {pto.dir = #pto.dir<in>},
                   %o: !pto.gm<32x32xf32> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<in_core>} {
    %c16 = arith.constant 16 : index
    %s = pto.block.get_subblock_idx
    %row = arith.muli %s, %c16 : index
    pto.block.cross_core_wait 0 {mode = 2 : i64}
    %t = pto.tile.load %w[%row, 0] : !pto.gm<32x32xf32> -> !pto.tile<16x32xf32>
    %u = pto.tile.add %t, %t : !pto.tile<16x32xf32>
    pto.tile.store %u, %o[%row, 0] : !pto.tile<16x32xf32> -> !pto.gm<32x32xf32>
    return
  }
"""
CLUSTER = f"""
    %work = pto.tensor.create : {C}
    %r:2 = pto.block.cluster -> ({C}, {C}) {{
      %w = pto.block.dispatch @product(%a, %work) : ({H}, {C}) -> {C}
      %o = pto.block.dispatch @scale(%w, %out) : ({C}, {C}) -> {C}
      pto.block.yield %w, %o : {C}, {C}
    }}"""
GIVEN = f"%a: {H} {{pto.dir = #pto.dir<in>}}, %out: {C} {{pto.dir = #pto.dir<out>}}"


@pytest.mark.parametrize("kind", ["in_core", "aic"])
def test_cluster(kind):
    """The AIC multiplies, each AIV doubles its half, when the AIC has signalled."""
    a = (np.arange(1024).reshape(32, 32) % 7).astype(np.float16)
    out = np.zeros((32, 32), np.float32)
    run(entry(CLUSTER, GIVEN, kernels=PRODUCT.replace("KIND", kind)), a, out, entry="main")
    assert np.array_equal(out, 2 * (a.astype(np.float32) @ a.astype(np.float32)))


@pytest.mark.parametrize(
    "change, message",
    [
        (("    pto.block.cross_core_set fix, 0 {mode = 2 : i64}\n", ""), r"the kernel hangs"),
        (("    pto.block.cross_core_wait 0 {mode = 2 : i64}\n", ""), r"still set when the kernel ends"),
        (
            ("@scale(%w, %out) : (tensor<32x32xf32>,", "@product(%a, %out) : (tensor<32x32xf16>,"),
            r"this is a second one for the cube core",
        ),
        (
            ("%u = pto.tile.add %t, %t : !pto.tile<16x32xf32>", "%z = pto.tile.cast %t {round = #pto.round<rint>} : !pto.tile<16x32xf32> -> !pto.tile<16x32xf16>\n    %h = pto.tile.load %w[0, 0] : !pto.gm<32x32xf32> -> !pto.tile<32x32xf32>\n    %g = pto.tile.cast %h {round = #pto.round<rint>} : !pto.tile<32x32xf32> -> !pto.tile<32x32xf16>\n    %m = pto.tile.matmul %z, %g : (!pto.tile<16x32xf16>, !pto.tile<32x32xf16>) -> !pto.tile<16x32xf32>\n    %u = pto.tile.add %t, %t : !pto.tile<16x32xf32>"),
            r"cannot run at this stage: 'scale' works for the cube core and for the vector cores",
        ),
    ],
)  # fmt: skip
def test_wrong_cluster(change, message):
    text = entry(CLUSTER, GIVEN, kernels=PRODUCT.replace("KIND", "in_core"))
    assert change[0] in text
    a, out = np.ones((32, 32), np.float16), np.zeros((32, 32), np.float32)
    with pytest.raises(Failed, match=message):
        run(text.replace(*change), a, out, entry="main")


def test_cluster_of_one():
    """Both AIVs run a kernel that stands alone."""
    text = f"""
    %r = pto.block.cluster -> ({C}) {{
      %o = pto.block.dispatch @scale(%a, %out) : ({C}, {C}) -> {C}
      pto.block.yield %o : {C}
    }}"""
    given = GIVEN.replace(H, C)
    kernels = PRODUCT.replace("    pto.block.cross_core_wait 0 {mode = 2 : i64}\n", "")
    a, out = np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32)
    run(entry(text, given, kernels=kernels.replace("KIND", "aic")), a, out, entry="main")
    assert (out == 2).all()


def test_region_value():
    """What a region yields may be an array that it computed."""
    text = f"""
    %one = arith.constant 1.0 : f32
    %r = pto.block.at core_group -> ({A}) {{
      %s = pto.tensor.add %x, %one : ({A}, f32) -> {A}
      pto.block.yield %s : {A}
    }}
    %q = pto.block.dispatch @step(%r, %y) blocks(%n) : {STEP}"""
    x, y = ramp(), np.zeros((64, 16), np.float32)
    run(entry(text, OUT), x, y, 8, entry="main")
    assert np.array_equal(y, x + 2)
