# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Where and when tasks run: edges, cores, waves of blocks, what starting costs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from timed import profile

LAUNCH, LAUNCH_CORE, ISSUE = 1800, 18, 2
ROWS = 64 * 8
A, G = f"tensor<{ROWS}x64xf32>", f"!pto.gm<{ROWS}x64xf32>"
TILE = "!pto.buf<8x64xf32, vec, nd>"
KERNELS = f"""
  // Eight rows a block.
  func.func @step(%x: {G} {{pto.dir = #pto.dir<in>}}, %y: {G} {{pto.dir = #pto.dir<out>}})
      attributes {{pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>}} {{
    %c8 = arith.constant 8 : index
    %b = pto.block.get_block_idx
    %row = arith.muli %b, %c8 : index
    %t = pto.tile.alloc {{addrs = array<i64: 0>}} : {TILE}
    pto.tile.load ins(%x[%row, 0] : {G}) outs(%t : {TILE})
    pto.block.set_flag mte2 -> mte3, 0
    pto.block.wait_flag mte2 -> mte3, 0
    pto.tile.store ins(%t : {TILE}) outs(%y[%row, 0] : {G})
    pto.block.barrier all
    return
  }}
  // Only arithmetic, on whatever core.
  func.func @vector() attributes {{pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>}} {{
    %zero = arith.constant 0.0 : f32
    %t = pto.tile.alloc {{addrs = array<i64: 0>}} : {TILE}
    pto.tile.full ins(%zero : f32) outs(%t : {TILE})
    pto.block.barrier all
    return
  }}
  func.func @cube(%x: {G} {{pto.dir = #pto.dir<in>}})
      attributes {{pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>}} {{
    %t = pto.tile.alloc {{addrs = array<i64: 0>}} : !pto.buf<16x64xf32, mat, nz>
    pto.tile.load ins(%x[0, 0] : {G}) outs(%t : !pto.buf<16x64xf32, mat, nz>)
    pto.block.barrier all
    return
  }}
  func.func @mixed() attributes {{pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>}} {{
    pto.block.section aiv {{
      %zero = arith.constant 0.0 : f32
      %t = pto.tile.alloc {{addrs = array<i64: 0>}} : {TILE}
      pto.tile.full ins(%zero : f32) outs(%t : {TILE})
      pto.block.barrier all
    }}
    return
  }}
"""


def placed(body: str, blocks: int = 1, deps: str = "explicit", kernels: str = KERNELS):
    text = f"""module attributes {{pto.target = "910B"}} {{{kernels}
  func.func @main(%x: {A} {{pto.dir = #pto.dir<in>}}, %y: {A} {{pto.dir = #pto.dir<out>}},
      %f: tensor<1x8xi32> {{pto.dir = #pto.dir<in>}})
      attributes {{pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<{deps}>}} {{
    %c0 = arith.constant 0 : index
    %n = arith.constant {blocks} : index
{body}
    return
  }}
}}"""
    x = np.ones((ROWS, 64), np.float32)
    return profile(text, x, np.zeros_like(x), np.zeros((1, 8), np.int32), entry="main")


STEP = f"pto.block.dispatch @step(%x, %y) blocks(%n) : ({A}, {A}) -> {A}"
VECTOR = "pto.block.dispatch @vector()"
TOKEN = f"{VECTOR} : () -> (), !pto.task"


def lengths(made):
    return {block.end - block.start for task in made.tasks for block in task.blocks}


@pytest.mark.parametrize("blocks", [1, 8, 48])
def test_blocks_start_one_after_the_other(blocks):
    made = placed(f"    %r = {STEP}", blocks)
    (task,) = made.tasks
    starts = [LAUNCH + LAUNCH_CORE * number for number in range(blocks)]
    assert [block.start for block in task.blocks] == starts
    assert [block.core for block in task.blocks] == [f"AIV {number}" for number in range(blocks)]
    assert made.cycles == task.end == starts[-1] + lengths(made).pop()


def test_cores_share_the_bandwidth():
    # 48 cores want 1536 bytes a cycle and get 888; 27 want 864.
    one, some, all_ = (lengths(placed(f"    %r = {STEP}", n)) for n in (1, 27, 48))
    assert one == some
    (alone,), (shared,) = one, all_
    extra = -(-2048 * 48 // 888) - 2048 // 32
    assert shared == alone + 2 * extra


def test_more_blocks_than_cores_are_waves():
    made = placed(f"    %r = {STEP}", 60)
    (task,) = made.tasks
    assert len({block.core for block in task.blocks}) == 48
    by_core: dict[str, list] = {}
    for block in task.blocks:
        by_core.setdefault(block.core, []).append(block)
    assert sorted(map(len, by_core.values())) == [1] * 36 + [2] * 12
    for blocks in by_core.values():
        for first, second in itertools.pairwise(blocks):
            assert second.start >= first.end
    # The path leads through both waves and no cycle is missing.
    assert sum(step.cycles for step in made.critical_path) == made.cycles


def test_tasks_without_an_edge_run_at_once():
    made = placed("\n".join([f"    {VECTOR} : () -> ()"] * 3))
    assert {task.start for task in made.tasks} == {LAUNCH}
    assert [task.blocks[0].core for task in made.tasks] == ["AIV 0", "AIV 1", "AIV 2"]


def test_edges_are_kept_by_way_of_a_dummy():
    made = placed(f"""    %t0 = {TOKEN}
    %t1 = {TOKEN}
    %both = pto.block.task_dummy after(%t0, %t1)
    %t2 = pto.block.dispatch @vector() after(%both) : () -> (), !pto.task""")
    first, second, both, third = made.tasks
    assert first.start == second.start == LAUNCH
    assert both.after == (0, 1) and both.blocks == () and both.end == first.end
    assert third.after == (2,) and third.start == first.end + LAUNCH
    assert [step.kind for step in made.critical_path].count("launch") == 2
    assert sum(step.cycles for step in made.critical_path) == made.cycles


def test_program_order_is_one_after_the_other():
    made = placed("\n".join([f"    {VECTOR} : () -> ()"] * 2), deps="program_order")
    first, second = made.tasks
    assert second.start == first.end + LAUNCH


def test_a_task_whose_condition_does_not_hold_takes_no_time():
    made = placed(f"""    %t0 = {TOKEN}
    %t1 = pto.block.dispatch @vector() after(%t0) when(%f[%c0, %c0] gt 0 : tensor<1x8xi32>) : () -> (), !pto.task
    %t2 = pto.block.dispatch @vector() after(%t1) : () -> (), !pto.task""")
    first, skipped, last = made.tasks
    assert skipped.blocks == () and skipped.end == first.end
    assert last.start == first.end + LAUNCH


def test_cube_and_vector_cores_are_counted_apart():
    made = placed(
        f"""    pto.block.dispatch @cube(%x) blocks(%n) : ({A}) -> ()
    pto.block.dispatch @vector() blocks(%n) : () -> ()""",
        25,
    )
    cube, vector = made.tasks
    assert {block.core for block in cube.blocks} == {f"AIC {n}" for n in range(24)}
    assert {block.core for block in vector.blocks} == {f"AIV {n}" for n in range(25)}
    assert cube.blocks[24].start == max(cube.blocks[0].end, LAUNCH + 24 * LAUNCH_CORE)


def test_a_cluster_takes_a_cube_core_and_its_two_vector_cores():
    made = placed(
        """    pto.block.dispatch @mixed() blocks(%n) : () -> ()
    pto.block.dispatch @vector() : () -> ()""",
        2,
    )
    mixed, vector = made.tasks
    assert [block.core for block in mixed.blocks] == ["AIC 0", "AIC 1"]
    used = {(event.block, event.core) for event in made.events if event.task == 0}
    assert used == {(0, "AIV 0"), (0, "AIV 1"), (1, "AIV 2"), (1, "AIV 3")}
    assert vector.blocks[0].core == "AIV 4"


def test_a_task_waits_for_a_free_cluster():
    made = placed(
        """    pto.block.dispatch @vector() blocks(%n) : () -> ()
    pto.block.dispatch @mixed() : () -> ()""",
        48,
    )
    vector, mixed = made.tasks
    # The two cores of cluster 0 are free first; block 1 started last on them.
    assert mixed.blocks[0].core == "AIC 0"
    assert mixed.start == vector.blocks[1].end
    assert mixed.blocks[0].cause == 1


def test_blocks_that_signal_one_another_start_together():
    text = f"""
  func.func @joined(%x: {G} {{pto.dir = #pto.dir<in>}})
      attributes {{pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>}} {{
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %b = pto.block.get_block_idx
    %first = arith.cmpi eq, %b, %c0 : index
    %t = pto.tile.alloc {{addrs = array<i64: 0>}} : !pto.buf<64x64xf32, vec, nd>
    %u = pto.tile.alloc {{addrs = array<i64: 16384>}} : {TILE}
    scf.if %first {{
      pto.tile.load ins(%x[0, 0] : {G}) outs(%t : !pto.buf<64x64xf32, vec, nd>)
    }}
    pto.block.cross_core_set mte2, 0 {{mode = 0 : i64}}
    pto.block.cross_core_wait 0 {{mode = 0 : i64}}
    pto.tile.full ins(%zero : f32) outs(%u : {TILE})
    pto.block.barrier all
    return
  }}
"""
    made = placed(
        f"    pto.block.dispatch @joined(%x) blocks(%n) : ({A}) -> ()", 4, kernels=KERNELS + text
    )
    (task,) = made.tasks
    assert {block.start for block in task.blocks} == {LAUNCH + 3 * LAUNCH_CORE}
    load, *fills = sorted(made.events, key=lambda event: event.start)
    assert load.pipe == "MTE2" and load.block == 0
    assert {event.block for event in fills} == {0, 1, 2, 3}
    for event in fills:
        assert event.start == load.end + 400 + ISSUE and event.wait == "cross_core"
        assert made.events[event.cause] is load
    assert sum(step.cycles for step in made.critical_path) == made.cycles
    assert len([a for a, _ in made.flows if made.events[a] is load]) == 4
