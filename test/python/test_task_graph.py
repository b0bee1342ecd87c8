# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The picture of an entry's tasks: in characters, as DOT, as SVG."""
# ruff: noqa: E501 (lines of IR)

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest
from pypto.ir.program import Program
from pypto.ir.task_graph import TaskGraph
from pypto.tools import task_graph

COPY = "func.func private @copy(%x: !pto.gm<4x8xf32> {pto.dir = #pto.dir<in>}, %y: !pto.gm<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>}"
T = "tensor<4x8xf32>"
BOTH = f"({T}, {T}) -> {T}"

EXPLICIT = f"""
{COPY}
func.func @diamond(%x: {T} loc("x"), %out: {T} {{pto.dir = #pto.dir<out>}} loc("out"), %flags: tensor<4xi32> loc("flags")) attributes {{pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>}} {{
  %c2 = arith.constant 2 : index
  %a, %ta = pto.block.dispatch @copy(%x, %out) blocks(%c2) : {BOTH}, !pto.task loc("model.py":12:3)
  %b, %tb = pto.block.dispatch @copy(%x, %out) after(%ta) when(%flags[%c2] ge 5 : tensor<4xi32>) {{pto.edges = ["out"]}} : {BOTH}, !pto.task
  %d = pto.block.task_dummy after(%ta, %tb)
  %list = pto.block.array_create : !pto.array<2 x !pto.task>
  %c0 = arith.constant 0 : index
  %set = pto.block.array_set %d into %list[%c0] : !pto.array<2 x !pto.task>
  %got = pto.block.array_get %set[%c0] : !pto.array<2 x !pto.task>
  %c, %tc = pto.block.dispatch @copy(%x, %out) after(%got) {{manual}} : {BOTH}, !pto.task
  return
}}
"""
RUN_TIME = f"""
{COPY}
func.func @loop(%x: {T}, %out: {T} {{pto.dir = #pto.dir<out>}}, %n: index) attributes {{pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<run_time>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %ta = pto.block.dispatch @copy(%x, %out) : {BOTH}, !pto.task
  scf.for %i = %c0 to %n step %c1 iter_args(%t = %ta) -> !pto.task {{
    %b, %tb = pto.block.dispatch @copy(%x, %out) after(%t) : {BOTH}, !pto.task
    scf.yield %tb : !pto.task
  }} {{pto.names = ["row", "t"]}}
  %c, %tc = pto.block.dispatch @copy(%x, %out) after(%ta) : {BOTH}, !pto.task
  return
}}
"""


def graph(text: str) -> TaskGraph:
    return TaskGraph.of(Program.parse(text))


def test_tokens_are_followed():
    (entry,) = graph(EXPLICIT).entries
    assert entry.order == "explicit"
    assert [task.waits for task in entry.tasks] == [{}, {0: "out"}, {0: "", 1: ""}]
    assert entry.tasks[0].place == "model.py:12"
    assert [task.words for task in entry.tasks] == [
        ["2 blocks"],
        ["when flags[2] >= 5"],
        ["manual"],
    ]
    assert not any(task.open for task in entry.tasks)


def test_text_of_an_explicit_entry():
    assert (
        graph(EXPLICIT).as_text(80)
        == """\
diamond: 3 tasks, explicit: the edges say all of their order
┌ 0 copy ──┐
│ 2 blocks │
└──────────┘
   ▼
┌ 1 copy ────────────┐
│ when flags[2] >= 5 │
│ after 0 copy: out  │
└────────────────────┘
   ▼
┌ 2 copy ──────┐
│ manual       │
│ after 0 copy │
│ after 1 copy │
└──────────────┘"""
    )


def test_a_run_time_entry_says_what_is_open():
    text = graph(RUN_TIME).as_text(80)
    assert "run_time: more edges are derived when it runs" in text
    assert (
        """\
┌ 0 copy ─┐  ┌ 1 copy ─────────────────────────┐
└─────────┘  │ in loop over row                │
             │ after tasks of a loop or branch │
             └─────────────────────────────────┘
   ▼
┌ 2 copy ──────┐
│ after 0 copy │
└──────────────┘"""
        in text
    )


def test_a_layer_that_is_too_wide_is_broken():
    tasks = "\n".join(f"%r{i} = pto.block.dispatch @copy(%x, %y) : {BOTH}" for i in range(9))
    text = f"{COPY}\nfunc.func @wide(%x: {T}, %y: {T}) attributes {{pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>}} {{\n{tasks}\nreturn\n}}"
    lines = graph(text).as_text(40).splitlines()[1:]
    assert max(map(len, lines)) <= 40
    assert len(lines) == 6 and sum(line.count("copy") for line in lines) == 9


def test_dot_names_each_task_and_edge():
    text = graph(EXPLICIT).as_dot()
    assert text.count("->") == 3
    assert 'e0_0 -> e0_1 [label="out"];' in text
    assert 'e0_1 [label="1 copy\\nwhen flags[2] >= 5"];' in text
    if dot := shutil.which("dot"):
        subprocess.run([dot, "-Tsvg"], input=text, text=True, capture_output=True, check=True)


@pytest.mark.parametrize(("text", "tasks", "edges"), [(EXPLICIT, 3, 3), (RUN_TIME, 3, 1)])
def test_svg_has_a_box_a_task_and_a_curve_an_edge(text, tasks, edges):
    root = ET.fromstring(graph(text).as_svg())
    space = "{http://www.w3.org/2000/svg}"
    boxes = [r for r in root.iter(f"{space}rect") if r.get("class", "").startswith("task")]
    curves = [p for p in root.iter(f"{space}path") if p.get("class") == "edge"]
    assert (len(boxes), len(curves)) == (tasks, edges)
    width = float(root.get("width"))
    for box in boxes:
        assert 0 <= float(box.get("x")) and float(box.get("x")) + float(box.get("width")) <= width
    # An arrow ends above a box, and no two boxes lie on each other.
    tops = {float(box.get("y")) for box in boxes}
    for curve in curves:
        end = float(re.split(r"[ ,]", curve.get("d"))[-1])
        assert any(abs(end + 3 - top) < 0.2 for top in tops)
    frames = [[float(b.get(k)) for k in ("x", "y", "width", "height")] for b in boxes]
    for i, (x, y, w, h) in enumerate(frames):
        for x2, y2, w2, h2 in frames[:i]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_command(tmp_path, capsys):
    dump = tmp_path / "dump.mlir"
    dump.write_text(EXPLICIT)
    assert task_graph.main([str(dump)]) == 0
    assert capsys.readouterr().out.startswith("diamond: 3 tasks")
    for name, begin in (("g.svg", "<svg"), ("g.dot", "digraph")):
        assert task_graph.main([str(dump), "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_text().startswith(begin)
    assert task_graph.main([str(dump), "--entry", "nobody"]) == 1
    assert "has no entry 'nobody'" in capsys.readouterr().err
    assert task_graph.main([str(tmp_path / "missing.mlir")]) == 1
    assert "missing.mlir" in capsys.readouterr().err
    dump.write_text("no module")
    assert task_graph.main([str(dump)]) == 1
    assert capsys.readouterr().err.startswith("dump.mlir:1:1: error: ")
    dump.write_bytes(b"\xe0\x00\xff module")
    assert task_graph.main([str(dump)]) == 1
    assert capsys.readouterr().err.startswith("dump.mlir:1:1: error: ")
    dump.write_text(EXPLICIT)
    nowhere = tmp_path / "nowhere" / "g.svg"
    assert task_graph.main([str(dump), "-o", str(nowhere)]) == 1
    assert capsys.readouterr().err == f"error: {nowhere}: No such file or directory\n"
    with pytest.raises(SystemExit):
        task_graph.main([str(dump), "-o", "graph.png"])
    assert "ends in .svg or .dot" in capsys.readouterr().err


def test_a_compiled_program_has_its_picture(load):
    module = load(
        """
import numpy as np
import pypto.language as pl


@pl.jit.incore
def square(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    out[:] = pl.mul(x, x)
    return out


@pl.jit
def fourth(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    half = pl.create_tensor([64, 64], dtype=pl.FP32)
    half = square(x, half)
    out = square(half, out)
    return out


x = np.ones((64, 64), np.float32)
compiled = fourth.compile(x, x.copy())
"""
    )
    assert module.compiled.task_graph().splitlines()[0].startswith("fourth: 2 tasks, explicit")
    assert "after 0 square: half" in module.compiled.task_graph()
