# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""When instructions run: what flags, barriers and cores leave to overlap."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from final_kernels import KERNELS
from final_kernels import text as final_text
from model import Failed, run
from timed import copy_kernel, data, kernel, overlaps, profile

FLAG = BARRIER = 16
LAUNCH, ISSUE = 1800, 2


def copied(slots: int, **options):
    text = copy_kernel(slots, **options)
    x = np.random.default_rng(0).standard_normal((512, 64)).astype(np.float32)
    out = np.zeros_like(x)
    made = profile(text, x, out)
    np.testing.assert_array_equal(out, x + 1)
    return made


def test_two_buffers_overlap():
    made = copied(2)
    assert len(made.events) == 3 * 8
    for pair in (("MTE2", "V"), ("V", "MTE3"), ("MTE2", "MTE3")):
        assert overlaps(made.events, *pair) > 0, pair
    assert made.cycles - LAUNCH < sum(event.cycles for event in made.events)


def test_one_buffer_does_not():
    made = copied(1)
    for pair in (("MTE2", "V"), ("V", "MTE3"), ("MTE2", "MTE3")):
        assert overlaps(made.events, *pair) == 0, pair
    # All one after the other, with a flag between each two.
    busy = sum(event.cycles for event in made.events)
    # The first load waits for a flag that nothing is in front of, the end for the last flag.
    assert made.cycles == LAUNCH + ISSUE + FLAG + busy + 24 * FLAG + BARRIER
    assert made.cycles > copied(2).cycles
    assert {event.wait for event in made.events} == {"flag"}


def test_more_buffers_are_never_slower():
    assert copied(3).cycles <= copied(2).cycles < copied(1).cycles


def test_a_pipe_does_one_thing_after_the_other():
    for name, make in KERNELS.items():
        made = profile(final_text(name), *make()[0])
        ends: dict[tuple, int] = {}
        for event in made.events:
            assert event.start >= ends.get((event.core, event.pipe), 0)
            ends[event.core, event.pipe] = event.end
        assert max(ends.values()) <= made.cycles


@pytest.mark.parametrize("name", KERNELS)
def test_critical_path_is_the_whole_time(name):
    made = profile(final_text(name), *KERNELS[name]()[0])
    at = 0
    for step in made.critical_path:
        assert step.start == at
        at += step.cycles
        if step.event is not None:
            assert (step.event.start, step.event.cycles) == (step.start, step.cycles)
    assert at == made.cycles > 0
    assert sum(made.binding.values()) == pytest.approx(1)
    assert made.bound_by == max(made.binding, key=made.binding.get)


def test_times_do_not_change_numbers():
    arguments, wanted = KERNELS["softmax"]()
    profile(final_text("softmax"), *arguments)
    np.testing.assert_allclose(arguments[1], wanted[1][0], atol=wanted[1][1])


def test_what_binds():
    assert profile(final_text("matmul"), *KERNELS["matmul"]()[0]).bound_by == "memory"
    heavy = "\n".join(
        "    pto.tile.exp ins(%t : !pto.buf<64x64xf32, vec, nd>) outs(%t : !pto.buf<64x64xf32, vec, nd>)\n"
        "    pto.block.barrier v"
        for _ in range(40)
    )
    text = kernel(
        "    %zero = arith.constant 0.0 : f32\n"
        "    %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x64xf32, vec, nd>\n"
        "    pto.tile.full ins(%zero : f32) outs(%t : !pto.buf<64x64xf32, vec, nd>)\n"
        "    pto.block.barrier v\n" + heavy,
        "",
    )
    made = profile(text)
    assert made.bound_by == "vector"
    assert made.busy == {("AIV 0", "V"): 40 * (8 + 4 * 64) + 8 + 64}
    assert made.utilisation["V"] == pytest.approx(made.busy_pipes["V"] / made.cycles)
    # A barrier behind each instruction; the scalar unit issues the first of them.
    assert made.cycles == LAUNCH + ISSUE + made.busy_pipes["V"] + 41 * BARRIER + BARRIER


def test_cores_of_a_cluster_wait_for_each_other():
    made = profile(final_text("flash_attention"), *KERNELS["flash_attention"]()[0])
    assert {event.core for event in made.events} == {"AIC 0", "AIV 0"}
    crossing = [
        event
        for event in made.events
        if event.cause >= 0 and made.events[event.cause].core != event.core
    ]
    assert crossing and {event.wait for event in crossing} == {"cross_core"}
    for event in crossing:
        assert event.start >= made.events[event.cause].end + 400
    assert made.binding["sync"] > 0


def test_flags_are_flows():
    made = copied(2)
    pairs = {(made.events[a].pipe, made.events[b].pipe) for a, b in made.flows}
    assert pairs == {("MTE2", "V"), ("V", "MTE3"), ("MTE3", "MTE2")}
    for a, b in made.flows:
        assert made.events[a].end + FLAG <= made.events[b].start


def test_a_run_without_a_profile_has_none():
    x = np.ones((512, 64), np.float32)
    assert run(copy_kernel(1), x, np.zeros_like(x)).program.profile == ""


def test_final_stage_is_needed():
    text = copy_kernel(1).replace("sync<manual>", "sync<none>")
    x = np.ones((512, 64), np.float32)
    with pytest.raises(Failed) as failed:
        run(text, x, np.zeros_like(x), profile=True)
    (error,) = failed.value.errors
    assert "nothing has ordered the pipes of 'k' yet" in error[1]
    assert "needs the final stage" in error[1]


def test_where_an_operation_is():
    text = copy_kernel(1)
    lines = text.splitlines()
    found = data(text, np.ones((512, 64), np.float32), np.zeros((512, 64), np.float32))
    for operation in found["operations"]:
        if operation["name"] in ("pl.load", "pl.add", "pl.store"):
            name = operation["name"].replace("pl.", "pto.tile.")
            assert name in lines[operation["line"] - 1]


# On the command line.


@pytest.fixture
def written(tmp_path):
    """What pypto-run writes for the copy kernel."""
    source = tmp_path / "copy.mlir"
    source.write_text(copy_kernel(2))
    np.save(tmp_path / "x.npy", np.ones((512, 64), np.float32))
    subprocess.run(
        ["pypto-run", source, "--args", tmp_path / "x.npy", "--profile", tmp_path / "run.json"],
        check=True,
        capture_output=True,
    )
    return tmp_path / "run.json"


def tool(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "pypto.tools.profile", *map(str, arguments)],
        capture_output=True,
        text=True,
    )


def test_pypto_run_and_the_tool(written, tmp_path):
    cycles = json.loads(written.read_text())["cycles"]
    shown = tool(written)
    assert shown.returncode == 0 and f"{cycles:,} cycles" in shown.stdout
    assert "MTE2" in shown.stdout and "pto.tile.load ins(%x" in shown.stdout
    for name in ("page.html", "trace.json"):
        assert tool(written, "-o", tmp_path / name).returncode == 0
    assert "pto.tile.load ins(%x[%row, 0]" in (tmp_path / "page.html").read_text()
    assert json.loads((tmp_path / "trace.json").read_text())["otherData"]["cycles"] == cycles


def test_the_tool_says_what_is_wrong(written, tmp_path):
    other = tmp_path / "other.json"
    other.write_text("[1, 2]")
    assert "is not what 'pypto-run --profile' writes" in tool(other).stderr
    assert "No such file" in tool(tmp_path / "missing.json").stderr
    assert "ends in .html or .json" in tool(written, "-o", tmp_path / "x.txt").stderr
    assert "No such file" in tool(written, "-o", tmp_path / "nowhere" / "x.html").stderr
    source = tmp_path / "copy.mlir"
    failed = subprocess.run(
        [
            "pypto-run",
            source,
            "--args",
            tmp_path / "x.npy",
            "--profile",
            tmp_path / "no" / "run.json",
        ],
        capture_output=True,
        text=True,
    )
    assert failed.returncode == 1 and "run.json: No such file" in failed.stderr
