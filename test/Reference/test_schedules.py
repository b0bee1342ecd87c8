# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Orders of tasks, and what conflicts: of tasks, and of blocks."""

from __future__ import annotations

import json

import numpy as np
import pytest
from model import Failed, Program
from test_tasks import INOUT, KERNELS, ON, ONE, TWO, A, entry, ramp

TWO_ARRAYS = f"{INOUT}, %y: {A} {{pto.dir = #pto.dir<inout>}}"


def attempt(text: str, *arrays, **options) -> tuple[list, list]:
    """Errors and reports of a run."""
    program = Program(text)
    try:
        program.run(*arrays, entry="main", **options)
        errors = []
    except Failed as failed:
        errors = failed.errors
    finally:
        program.close()
    return errors, json.loads(program.program.reports())


def zeros(count: int = 1) -> list[np.ndarray]:
    return [np.zeros((64, 16), np.float32) for _ in range(count)]


STEPS = f"    %r = pto.block.dispatch @step(%x, %y) blocks(%c4) : ({A}, {A}) -> {A}"
# The order of what tasks print is the order in which they ran.
TELL = """
  func.func @tell(%x: !pto.gm<64x16xf32> {pto.dir = #pto.dir<in>}, %n: index)
      attributes {pto.kind = #pto.kind<in_core>} {
    pto.block.print "%d "(%n) : index
    return
  }
"""
TELL_TYPE = f": ({A}, index) -> (), !pto.task"
SIX = f"""
    %c6 = arith.constant 6 : index
    scf.for %i = %c0 to %c6 step %c1 {{
      %t = pto.block.dispatch @tell(%x, %i) {TELL_TYPE}
    }}"""
CHAIN = f"""
    %c3 = arith.constant 3 : index
    %none = pto.block.task_invalid
    %a = pto.block.dispatch @tell(%x, %c0) {TELL_TYPE}
    %b = pto.block.dispatch @tell(%x, %c1) {TELL_TYPE}
    %c = pto.block.dispatch @tell(%x, %c2) after(%a) {TELL_TYPE}
    %d = pto.block.dispatch @tell(%x, %c3) after(%b, %none) {TELL_TYPE}
    %e = pto.block.task_dummy after(%c, %d)
    %f = pto.block.dispatch @tell(%x, %c4) after(%e) {TELL_TYPE}"""


def told(body: str, capfd, schedules: int, seed: int | None = None) -> list[int]:
    """The order of the last of the schedules."""
    text = entry(body, INOUT, kernels=TELL)
    program = Program(text)
    try:
        program.run(*zeros(), entry="main", schedules=schedules, seed=seed)
    finally:
        program.close()
    return [int(word) for word in capfd.readouterr().out.split()]


def test_program_order(capfd):
    assert told(SIX, capfd, 1) == [0, 1, 2, 3, 4, 5]
    assert told(CHAIN, capfd, 1) == [0, 1, 2, 3, 4]
    # Further orders print nothing.
    assert told(SIX, capfd, 5) == [0, 1, 2, 3, 4, 5]


def test_random_order(capfd):
    orders = [tuple(told(SIX, capfd, 1, seed)) for seed in range(8)]
    assert orders == [tuple(told(SIX, capfd, 1, seed)) for seed in range(8)]
    assert len(set(orders)) > 5
    assert all(sorted(order) == [0, 1, 2, 3, 4, 5] for order in orders)
    for seed in range(8):
        order = told(CHAIN, capfd, 1, seed)
        at = order.index
        assert at(0) < at(2) < at(4) and at(1) < at(3) < at(4)


# Two tasks on one array, and whether anything orders them.

UNORDERED = f"    %r, %t = {ONE} {ON}\n    %s, %u = {TWO} {ON}"
ORDERED = f"    %r, %t = {ONE} {ON}\n    %s, %u = {TWO} after(%t) {ON}"


@pytest.mark.parametrize("seed", [None, 0, 1, 2, 3])
def test_task_conflict(seed):
    """The same error, whoever ran first."""
    errors, reports = attempt(entry(UNORDERED, INOUT), *zeros(), seed=seed)
    assert len(errors) == 1
    line, message, notes = errors[0]
    assert "which task 1 'increment' writes, and nothing orders the two" in message
    assert "no path of edges leads from task 1 'increment' to task 2 'double'" in message
    assert message.endswith("[task_conflict; task 2 'double']")
    assert "bytes 0 to 511" in message
    texts = [text for _, text in notes]
    assert texts[0] == "task 1 'increment' is submitted here"
    assert texts[1] == "task 2 'double' is submitted here"
    assert texts[2] == "pl.store: the write is here (task 1 'increment')"
    (report,) = reports
    assert report["check"] == "task_conflict"
    now, before = report["accesses"]
    assert (now["task"], now["task_name"], before["task"]) == (2, "double", 1)
    assert now["line"] == line and now["space"] == "DDR"
    assert now["bytes"] == before["bytes"] == [0, 512]
    assert before["access"] == "write"
    assert report["fix"].startswith("deps= of task 2 'double' with the token of task 1")


RIGHT_TASKS = {
    "token": ORDERED,
    "through a dummy": f"""
    %r, %t = {ONE} {ON}
    %d = pto.block.task_dummy after(%t)
    %s, %u = {TWO} after(%d) {ON}""",
    "through another task": f"""
    %r, %t = {ONE} {ON}
    %o, %v = pto.block.dispatch @increment(%y) after(%t) {ON}
    %s, %u = {TWO} after(%v) {ON}""",
    "other arrays": f"""
    %r, %t = {ONE} {ON}
    %o, %v = pto.block.dispatch @increment(%y) {ON}""",
    "other bytes": f"""
    %a = pto.tensor.slice %x[0, 0] [32, 16] : {A} -> tensor<32x16xf32>
    %b = pto.tensor.slice %x[32, 0] [32, 16] : {A} -> tensor<32x16xf32>
    %r, %t = pto.block.dispatch @half(%a) : (tensor<32x16xf32>) -> tensor<32x16xf32>, !pto.task
    %s, %u = pto.block.dispatch @half(%b) : (tensor<32x16xf32>) -> tensor<32x16xf32>, !pto.task""",
    "both read": f"""
    %r, %t = {ONE} {ON}
    %o, %v = pto.block.dispatch @step(%x, %y) after(%t) : ({A}, {A}) -> {A}, !pto.task
    %w = pto.tensor.create : {A}
    %p, %z = pto.block.dispatch @step(%x, %w) after(%t) : ({A}, {A}) -> {A}, !pto.task""",
    "declared, not touched": f"""
    %r, %t = pto.block.dispatch @step(%x, %y) : ({A}, {A}) -> {A}, !pto.task
    %b = pto.tensor.slice %x[32, 0] [32, 16] : {A} -> tensor<32x16xf32>
    %s, %u = pto.block.dispatch @half(%b) : (tensor<32x16xf32>) -> tensor<32x16xf32>, !pto.task""",
}
HALF = """
  func.func @half(%x: !pto.gm<32x16xf32> {pto.dir = #pto.dir<inout>})
      attributes {pto.kind = #pto.kind<in_core>} {
    %t = pto.tile.load %x[0, 0] : !pto.gm<32x16xf32> -> !pto.tile<32x16xf32>
    %u = pto.tile.add %t, %t : !pto.tile<32x16xf32>
    pto.tile.store %u, %x[0, 0] : !pto.tile<32x16xf32> -> !pto.gm<32x16xf32>
    return
  }
"""


@pytest.mark.parametrize("name", RIGHT_TASKS)
def test_right_tasks(name):
    errors, reports = attempt(
        entry(RIGHT_TASKS[name], TWO_ARRAYS, kernels=KERNELS + HALF), *zeros(2), schedules=8
    )
    assert not errors and not reports


WRONG_TASKS = {
    "write after write": (UNORDERED, "which task 1 'increment' writes"),
    "write after read": (
        f"""
    %r, %t = pto.block.dispatch @step(%x, %y) : ({A}, {A}) -> {A}, !pto.task
    %s, %u = {ONE} {ON}""",
        "which task 1 'step' reads",
    ),
    "read after write": (
        f"""
    %s, %u = {ONE} {ON}
    %r, %t = pto.block.dispatch @step(%x, %y) : ({A}, {A}) -> {A}, !pto.task""",
        "which task 1 'increment' writes",
    ),
    "windows that overlap": (
        f"""
    %a = pto.tensor.slice %x[0, 0] [32, 16] : {A} -> tensor<32x16xf32>
    %b = pto.tensor.slice %x[16, 0] [32, 16] : {A} -> tensor<32x16xf32>
    %r, %t = pto.block.dispatch @half(%a) : (tensor<32x16xf32>) -> tensor<32x16xf32>, !pto.task
    %s, %u = pto.block.dispatch @half(%b) : (tensor<32x16xf32>) -> tensor<32x16xf32>, !pto.task""",
        "bytes 1024 to 2047 of its array",
    ),
    "a token of another": (
        f"""
    %o, %v = pto.block.dispatch @increment(%y) {ON}
    %r, %t = {ONE} {ON}
    %s, %u = {TWO} after(%v) {ON}""",
        "which task 2 'increment' writes",
    ),
    "an invalid task": (
        f"""
    %none = pto.block.task_invalid
    %r, %t = {ONE} after(%none) {ON}
    %s, %u = {TWO} after(%none) {ON}""",
        "which task 1 'increment' writes",
    ),
    "a region": (
        f"""
    %r, %t = {ONE} {ON}
    %s, %u = pto.block.at core_group -> ({A}), !pto.task {{
      %k = pto.tile.load %x[0, 0] : {A} -> !pto.tile<8x16xf32>
      %o = pto.tile.store %k, %x[8, 0] : !pto.tile<8x16xf32> -> {A}
      pto.block.yield %o : {A}
    }}""",
        "no path of edges leads from task 1 'increment' to task 2 'main.at'",
    ),
}


@pytest.mark.parametrize("name", WRONG_TASKS)
def test_wrong_tasks(name):
    body, message = WRONG_TASKS[name]
    text = entry(body, TWO_ARRAYS, kernels=KERNELS + HALF)
    errors, reports = attempt(text, *zeros(2))
    assert message in errors[0][1] and "[task_conflict" in errors[0][1]
    assert [report["check"] for report in reports] == ["task_conflict"]
    # Off is off; and nobody looked where the entry is in program order.
    assert not attempt(text, *zeros(2), checks="all,-task_conflict")[0]
    program = entry(body, TWO_ARRAYS, "program_order", KERNELS + HALF)
    assert not attempt(program, *zeros(2), schedules=4)[0]


def test_condition_conflict():
    """The element of a condition is read by the task."""
    arguments = f"{INOUT}, %f: tensor<8x16xi32> {{pto.dir = #pto.dir<inout>}}"
    writer = """
  func.func @flag(%f: !pto.gm<8x16xi32> {pto.dir = #pto.dir<inout>})
      attributes {pto.kind = #pto.kind<in_core>} {
    %one = arith.constant 1 : i32
    %t = pto.tile.full %one : i32 -> !pto.tile<8x16xi32>
    pto.tile.store %t, %f[0, 0] : !pto.tile<8x16xi32> -> !pto.gm<8x16xi32>
    return
  }
"""
    f = "tensor<8x16xi32>"
    body = f"""
    %r, %t = pto.block.dispatch @flag(%f) : ({f}) -> {f}, !pto.task
    %s, %u = {ONE} AFTER when(%f[%c1, %c1] eq 1 : {f}) {ON}"""
    given = np.zeros((8, 16), np.int32)
    wrong = entry(body.replace("AFTER", ""), arguments, kernels=KERNELS + writer)
    errors, reports = attempt(wrong, *zeros(), given)
    assert "which task 1 'flag' writes" in errors[0][1]
    assert reports[0]["accesses"][0]["bytes"] == [68, 72]
    for deps, after in (("explicit", "after(%t)"), ("run_time", "")):
        right = entry(body.replace("AFTER", after), arguments, deps, KERNELS + writer)
        x, given = *zeros(), np.zeros((8, 16), np.int32)
        assert not attempt(right, x, given, schedules=6)[0]
        assert x[0, 0] == 1


# Derived order.


@pytest.mark.parametrize("schedules", [1, 9])
def test_run_time_order(schedules):
    """What overlaps is ordered; the answer is that of program order."""
    body = f"""
    %c16 = arith.constant 16 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {{
      %row = arith.muli %i, %c16 : index
      %a = pto.tensor.slice %x[%row, 0] [32, 16] : {A} -> tensor<32x16xf32>
      %r, %t = pto.block.dispatch @half(%a) : (tensor<32x16xf32>) -> tensor<32x16xf32>, !pto.task
      %s, %u = {ONE} {ON}
      %q = pto.block.dispatch @step(%x, %y) blocks(%c4) : ({A}, {A}) -> {A}
    }}"""
    x, y = ramp(), np.zeros((64, 16), np.float32)
    errors, _ = attempt(
        entry(body, TWO_ARRAYS, "run_time", KERNELS + HALF), x, y, schedules=schedules
    )
    assert not errors
    want = ramp()
    for i in range(3):
        want[16 * i : 16 * i + 32] *= 2
        want[:8] += 1
        step = want[:32] + 1
    assert np.array_equal(x, want) and np.array_equal(y[:32], step)


@pytest.mark.parametrize(
    "second, conflict",
    [
        ("@double(%x) {manual}", True),
        ("@double(%x) {no_dep = array<i64: 0>}", True),
        ("@double(%x) after(%t) {manual}", False),
        ("@double(%x)", False),
    ],
)
def test_no_part_in_order(second, conflict):
    body = f"    %r, %t = {ONE} {ON}\n    %s, %u = pto.block.dispatch {second} {ON}"
    errors, _ = attempt(entry(body, INOUT, "run_time"), *zeros(), schedules=4)
    assert bool(errors) == conflict
    if conflict:
        assert "[task_conflict" in errors[0][1]


def test_strips():
    """Strips of columns that interleave in memory do not overlap."""
    p = "tensor<64x8xf32, #pto.pitch<16>>"
    kernel = """
  func.func @strip(%x: !pto.gm<64x8xf32, pitch<16>> {pto.dir = #pto.dir<inout>})
      attributes {pto.kind = #pto.kind<in_core>} {
    %t = pto.tile.load %x[0, 0] : !pto.gm<64x8xf32, pitch<16>> -> !pto.tile<64x8xf32>
    %u = pto.tile.add %t, %t : !pto.tile<64x8xf32>
    pto.tile.store %u, %x[0, 0] : !pto.tile<64x8xf32> -> !pto.gm<64x8xf32, pitch<16>>
    return
  }
"""
    body = f"""
    %a = pto.tensor.slice %x[0, 0] [64, 8] : {A} -> {p}
    %b = pto.tensor.slice %x[0, FIRST] [64, 8] : {A} -> {p}
    %r, %t = pto.block.dispatch @strip(%a) : ({p}) -> {p}, !pto.task
    %s, %u = pto.block.dispatch @strip(%b) : ({p}) -> {p}, !pto.task"""
    for deps in ("explicit", "run_time"):
        x = ramp()
        text = entry(body, INOUT, deps, kernel)
        assert not attempt(text.replace("FIRST", "8"), x, schedules=4)[0]
        assert np.array_equal(x, 2 * ramp())
    errors, _ = attempt(entry(body, INOUT, "explicit", kernel).replace("FIRST", "6"), ramp())
    assert "bytes 24 to 31 of its array" in errors[0][1]


def test_difference():
    """With conflicts unchecked, orders that give different answers are an error."""
    errors, reports = attempt(
        entry(UNORDERED, INOUT), *zeros(), checks="all,-task_conflict", schedules=2
    )
    assert errors[0][1] == (
        "argument 1 of 'main' depends on the order of the tasks: at [0, 0] it is 2 in "
        "program order and 1 in reversed order [schedule_difference]"
    )
    assert reports[0]["check"] == "schedule_difference"
    assert reports[0]["accesses"][0]["bytes"] == [0, 4]


def test_answer_of_the_first():
    x = np.zeros((64, 16), np.float32)
    attempt(
        entry(UNORDERED, INOUT),
        x,
        checks="all,-task_conflict,-schedule_difference",
        schedules=5,
    )
    assert x[0, 0] == 2  # (0 + 1) * 2


@pytest.mark.parametrize("seed", range(4))
def test_read_waits(seed):
    """The control plane's read runs the writers first, whatever the order."""
    body = f"""
    %r, %t = {ONE} {ON}
    %o, %v = pto.block.dispatch @increment(%y) {ON}
    %s, %u = {TWO} after(%t) {ON}
    %e = pto.tensor.read %x[0, 3] : {A}
    %two = arith.constant 2.0 : f32
    %isTwo = arith.cmpf oeq, %e, %two : f32
    scf.if %isTwo {{
      %p, %w = {ONE} after(%u) {ON}
    }}"""
    x, y = zeros(2)
    assert not attempt(entry(body, TWO_ARRAYS), x, y, seed=seed)[0]
    assert x[0, 0] == 3 and y[0, 0] == 1


def test_many_tasks():
    """More tasks than are kept at a time."""
    body = f"""
    %n = arith.constant 3000 : index
    %none = pto.block.task_invalid
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %none) -> (!pto.task) {{
      %r, %t = {ONE} after(%p) {ON}
      scf.yield %t : !pto.task
    }}"""
    x = np.zeros((64, 16), np.float32)
    assert not attempt(entry(body, INOUT), x, schedules=4)[0]
    assert x[0, 0] == 3000


# Blocks.


def blocks(body: str, count: int = 4, kernels: str = "") -> str:
    """A kernel over x and y on so many blocks; %row is 8 times the block's number."""
    kernel = f"""
  func.func @k(%x: !pto.gm<64x16xf32> {{pto.dir = #pto.dir<inout>}},
               %y: !pto.gm<64x16xf32> {{pto.dir = #pto.dir<inout>}})
      attributes {{pto.kind = #pto.kind<in_core>}} {{
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %b = pto.block.get_block_idx
    %row = arith.muli %b, %c8 : index
    %back = arith.subi %row, %b : index
{body}
    return
  }}
"""
    main = f"""
    %n = arith.constant {count} : index
    %r:2 = pto.block.dispatch @k(%x, %y) blocks(%n) : ({A}, {A}) -> ({A}, {A})"""
    return entry(main, TWO_ARRAYS, kernels=kernel)


def load(array: str, row: str) -> str:
    return (
        f"    %t = pto.tile.load %{array}[{row}, 0] : !pto.gm<64x16xf32> -> !pto.tile<8x16xf32>\n"
    )


def store(array: str, row: str) -> str:
    return (
        f"    pto.tile.store %t, %{array}[{row}, 0] : !pto.tile<8x16xf32> -> !pto.gm<64x16xf32>\n"
    )


WRONG_BLOCKS = {
    "the same bytes": (load("x", "%row") + store("y", "0"), "writes", "block 0 writes"),
    "rows that overlap": (load("x", "%row") + store("y", "%back"), "writes", "block 0 writes"),
    "reads what others write": (
        "    %next = arith.addi %row, %c8 : index\n" + load("x", "%row") + store("x", "%next"),
        "reads",
        "block 0 writes",
    ),
    "writes what others read": (load("x", "8") + store("x", "%row"), "writes", "block 0 reads"),
    "all read and write one": (load("y", "0") + store("y", "0"), "writes", "block 0 writes"),
}


@pytest.mark.parametrize("name", WRONG_BLOCKS)
def test_block_conflict(name):
    body, does, other = WRONG_BLOCKS[name]
    text = blocks(body)
    for _ in range(5):  # whatever the timing
        errors, reports = attempt(text, *zeros(2))
        message = errors[0][1]
        assert f"pl.{'load' if does == 'reads' else 'store'}: {does} " in message
        assert f"which {other}" in message
        assert "and nothing orders the two: blocks of a task run at the same time" in message
        assert "[block_conflict; task 1 'k', block " in message
        assert [report["check"] for report in reports] == ["block_conflict"]
        now, before = reports[0]["accesses"]
        assert now["block"] > before["block"] and now["task"] == before["task"] == 1
        assert errors == attempt(text, *zeros(2))[0]
    assert not attempt(text, *zeros(2), checks="all,-block_conflict")[0]


@pytest.mark.parametrize("count", [1, 2, 8])
@pytest.mark.parametrize(
    "body",
    [
        load("x", "%row") + store("y", "%row"),
        load("x", "%row") + store("x", "%row"),
        load("x", "0") + store("y", "%row"),
    ],
)
def test_right_blocks(body, count):
    x, y = ramp(), ramp()
    assert not attempt(blocks(body, count), x, y)[0]


def test_first_block_that_fails():
    """The error is that of the first block that fails, whichever came first."""
    body = """
    %c2 = arith.constant 2 : index
    %bad = arith.cmpi sge, %b, %c2 : index
    %far = arith.constant 60 : index
    %at = arith.select %bad, %far, %row : index
""" + load("x", "%at")
    for _ in range(10):
        errors, _ = attempt(blocks(body, 8), *zeros(2))
        assert len(errors) == 1
        assert errors[0][1].endswith("[bounds; task 1 'k', block 2]")


def test_prints_in_order(capfd):
    body = '    pto.block.print "%d "(%b) : index\n'
    for _ in range(5):
        assert not attempt(blocks(body, 8), *zeros(2))[0]
        assert capfd.readouterr().out == "0 1 2 3 4 5 6 7 "


def test_step_limit_of_blocks():
    body = """
    %c100000 = arith.constant 100000 : index
    scf.for %i = %c1 to %c100000 step %c1 {
    }
"""
    errors, _ = attempt(blocks(body, 4), *zeros(2), step_limit=250000)
    assert "steps, the limit of this run" in errors[0][1]
    assert not attempt(blocks(body, 4), *zeros(2), step_limit=2000000)[0]


# Blocks that signal one another (mode 0).

SET = "    pto.block.cross_core_set mte3, {id} {{mode = 0 : i64}}\n"
WAIT = "    pto.block.cross_core_wait {id} {{mode = 0 : i64}}\n"
BOTH = SET.format(id=0) + WAIT.format(id=0)
MIRROR = """
    %c24 = arith.constant 24 : index
    %mirror = arith.subi %c24, %row : index
"""
LOAD_2 = load("y", "%mirror").replace("%t", "%v")
STORE_2 = store("x", "%row").replace("%t", "%v")
EXCHANGE = MIRROR + load("x", "%row") + store("y", "%row") + BOTH + LOAD_2 + STORE_2


def test_blocks_in_rounds():
    """Each block reads what another one wrote, when all have signalled."""
    x, y = ramp(), np.zeros((64, 16), np.float32)
    assert not attempt(blocks(EXCHANGE), x, y)[0]
    want = ramp()
    assert np.array_equal(y[:32], want[:32])
    assert np.array_equal(x[:32], want[:32].reshape(4, 8, 16)[::-1].reshape(32, 16))


def test_rounds_without_end():
    """Two rounds, with the same id."""
    body = EXCHANGE + BOTH + load("x", "%mirror").replace("%t", "%w")
    body += store("y", "%row").replace("%t", "%w")
    x, y = ramp(), np.zeros((64, 16), np.float32)
    assert not attempt(blocks(body), x, y)[0]
    assert np.array_equal(y[:32], ramp()[:32])


WRONG_ROUNDS = {
    "no signal": (EXCHANGE.replace(BOTH, ""), "[block_conflict"),
    "signal too early": (
        EXCHANGE.replace(BOTH, "").replace(
            store("y", "%row"), SET.format(id=0) + store("y", "%row") + WAIT.format(id=0)
        ),
        "[block_conflict",
    ),
    "wait too late": (
        EXCHANGE.replace(BOTH, SET.format(id=0)) + WAIT.format(id=0),
        "[block_conflict",
    ),
    "no wait": (EXCHANGE.replace(WAIT.format(id=0), ""), "is still set when the kernel ends"),
    "another id": (
        EXCHANGE.replace(WAIT.format(id=0), WAIT.format(id=1)),
        "waits here for a signal that no core sends: the kernel hangs",
    ),
    "one block does not signal": (
        EXCHANGE.replace(
            SET.format(id=0),
            "    %first = arith.cmpi eq, %b, %c1 : index\n"
            "    scf.if %first {\n    } else {\n" + SET.format(id=0) + "    }\n",
        ),
        "waits here for a signal that no core sends: the kernel hangs",
    ),
}


@pytest.mark.parametrize("name", WRONG_ROUNDS)
def test_wrong_rounds(name):
    body, message = WRONG_ROUNDS[name]
    first = attempt(blocks(body), *zeros(2))
    assert message in first[0][0][1]
    for _ in range(3):
        assert attempt(blocks(body), *zeros(2)) == first


def test_json(tmp_path):
    import os
    import subprocess

    from pypto.mlir import ir  # noqa: F401

    (tmp_path / "m.mlir").write_text(entry(UNORDERED, INOUT))
    np.save(tmp_path / "x.npy", zeros()[0])
    tool = os.path.join(os.environ.get("PYPTO_BIN", ""), "pypto-run")
    made = subprocess.run(
        [tool, tmp_path / "m.mlir", "--entry", "main", "--json", "--args", tmp_path / "x.npy"],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 1 and not made.stderr
    found = json.loads(made.stdout)
    assert found["ok"] is False
    (error,) = found["diagnostics"]
    assert error["severity"] == "error" and error["line"] > 0
    assert error["file"].endswith("m.mlir")
    assert len(error["notes"]) == 3
    assert found["reports"][0]["check"] == "task_conflict"
    made = subprocess.run(
        [tool, tmp_path / "m.mlir", "--entry", "main", "--json", "--schedules", "3"]
        + ["--checks", "all,-task_conflict,-schedule_difference", "--args", tmp_path / "x.npy"],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0
    assert json.loads(made.stdout)["ok"] is True
    made = subprocess.run(
        [tool, tmp_path / "m.mlir", "--checks", "all,-nonsense"], capture_output=True, text=True
    )
    assert made.returncode == 2
    assert "there is no check 'nonsense'; there are task_conflict, block_conflict" in made.stderr
