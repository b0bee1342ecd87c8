# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`compiled.profile`: the timeline in the words of the kernel's source."""

import copy
import dataclasses
import html
import json
import re
from pathlib import Path

import numpy as np
import pytest
from pypto.diagnostics import ArgumentError, RunError, UnsupportedFeatureError
from pypto.runtime import Profile, RunConfig
from test_end_to_end import compiled_examples, load_example

ROWS, COLS = 1024, 128


@pytest.fixture(scope="module")
def timeline():
    return load_example("timeline")


def run(kernel):
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    out = np.zeros_like(x)
    made = kernel.compile(x, out).profile(x, out)
    np.testing.assert_allclose(out, np.exp(x), rtol=1e-6)
    return made


@pytest.fixture(scope="module")
def two(timeline, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("two"))
        return run(timeline.two_buffers)


def meet(made, first, second):
    """Pairs of events of two pipes that are at work at the same time."""
    return [
        (a, b)
        for a in made.events
        for b in made.events
        if (a.pipe, b.pipe) == (first, second) and a.start < b.end and b.start < a.end
    ]


def test_two_buffers_overlap_and_one_does_not(timeline, two):
    one = run(timeline.one_buffer)
    for pair in (("MTE2", "V"), ("MTE2", "MTE3")):
        assert meet(two, *pair) and not meet(one, *pair)
    assert not meet(one, "V", "MTE3")
    assert two.cycles < one.cycles
    assert two.cycles < sum(event.cycles for event in two.events)
    assert timeline.at_once(one) == 0 < timeline.at_once(two)


def test_the_example_checks_itself(timeline, capsys):
    timeline.main()
    assert "two buffers take 0." in capsys.readouterr().out


def test_events_are_in_the_authors_words(two, timeline):
    file = Path(timeline.__file__)
    lines = file.read_text().splitlines()
    seen = set()
    for event in two.events:
        operation = event.operation
        assert operation.file == str(file) and operation.kernel == "two_at_a_time"
        text = lines[operation.line - 1]
        assert operation.name in text and re.search(rf"\b{operation.variable}\b", text)
        seen.add((event.pipe, str(operation)))
    assert ("MTE2", "pl.load 'c'") in seen and ("V", "pl.exp 'd'") in seen
    assert ("MTE3", "pl.store 'b'") in seen


@pytest.mark.parametrize(
    "kernel, arguments", [pytest.param(*case, id=name) for name, *case in compiled_examples()]
)
def test_critical_path_and_busy_time(kernel, arguments):
    made = kernel.compile(*arguments).profile(*arguments)
    at = 0
    for step in made.critical_path:
        assert step.start == at
        at += step.cycles
    assert at == made.cycles
    assert sum(made.binding.values()) == pytest.approx(1)
    assert sum(made.busy.values()) == sum(made.busy_pipes.values())
    assert sum(made.busy.values()) == sum(made.line_cycles.values())
    assert all(0 < share <= 1 for share in made.utilisation.values())
    assert made.microseconds == pytest.approx(made.cycles / 1800)


def test_summary(two):
    text = str(two)
    assert f"two_buffers on 910B: {two.cycles:,} cycles" in text
    assert f"bound by {two.bound_by}" in text
    for pipe in ("MTE2", "V", "MTE3"):
        assert re.search(rf"^ {pipe} .*%", text, re.MULTILINE)
    assert re.search(r"pl.load 'a'  +timeline.py:\d+  a = pl.load\(x, \[row, 0\]", text)
    assert "\x1b" not in text


# Files.


def test_chrome_trace(two, tmp_path):
    two.to_chrome_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    events = trace["traceEvents"]
    slices = [event for event in events if event["ph"] == "X" and event["cat"] != "task"]
    assert len(slices) == len(two.events)
    assert {event["ph"] for event in events} == {"X", "M", "s", "f"}
    assert all(isinstance(e["pid"], int) and isinstance(e["name"], str) for e in events)
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert sorted(processes.values()) == ["AIV 0", "tasks"]
    threads = {
        (e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"
    }
    assert 0 not in {e["tid"] for e in slices} and len(threads) == len({t for _, t in threads})
    for event, made in zip(slices, two.events, strict=True):
        assert processes[event["pid"]] == made.core
        assert threads[event["pid"], event["tid"]] == made.pipe
        assert event["ts"] == made.start / 1800 and event["dur"] == made.cycles / 1800
        assert event["args"]["source"].endswith(f"timeline.py:{made.operation.line}")
    # Each arrow begins within a slice and ends where one begins.
    begins = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    assert len(begins) == len(ends) == len(two.flows) > 0
    for number, first in begins.items():
        last = ends[number]
        assert first["ts"] < last["ts"] and last["bp"] == "e"
        assert any(_holds(s, first) for s in slices)
        assert any(_holds(s, last) and s["ts"] == last["ts"] for s in slices)


def _holds(piece, arrow):
    here = (piece["pid"], piece["tid"]) == (arrow["pid"], arrow["tid"])
    return here and piece["ts"] <= arrow["ts"] < piece["ts"] + piece["dur"]


def test_html_holds_every_line_and_needs_nothing_else(two, timeline, tmp_path):
    two.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    rows = re.findall(r"<td>(\d+)</td><td>([\d,]*)</td><td>.*?</td><td>(.*?)</td></tr>", page)
    lines = Path(timeline.__file__).read_text().splitlines()
    assert [int(number) for number, _, _ in rows] == list(range(1, len(lines) + 1))
    assert [html.unescape(text).strip() for _, _, text in rows] == [line.strip() for line in lines]
    counted = {int(n): int(c.replace(",", "")) for n, c, _ in rows if c}
    assert counted == {line: cycles for (_, line), cycles in two.line_cycles.items()}
    assert not re.search(
        r"""https?:|\b(src|href)=|url\(|@import|fetch\(|XMLHttp|import\s*\(""", page
    )
    assert "@" not in re.sub(r"@pl\.\w+|@import", "", page)
    found = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert len(found["events"]) == len(two.events)
    assert found["rows"] == [["AIV 0", "MTE2"], ["AIV 0", "V"], ["AIV 0", "MTE3"]]


def test_html_escapes_source(load, tmp_path):
    module = load("""
import pypto.language as pl
@pl.jit.incore
def k(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    t = pl.load(x, [0, 0], [64, 64])  # </script><b>@DATA@ &amp; 1 < 2
    pl.store(t, [0, 0], y)
    return y
@pl.jit
def f(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    y = k(x, y)
    return y
""")
    x = np.ones((64, 64), np.float32)
    made = module.f.compile(x, x.copy()).profile(x, x.copy())
    made.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "# &lt;/script&gt;&lt;b&gt;@DATA@ &amp;amp; 1 &lt; 2" in page
    assert page.count("</script>") == 2


def test_html_data_ends_where_it_should(two, tmp_path):
    # In a <script>, <!--<script> would keep the next </script> from ending it.
    odd = dataclasses.replace(two.tasks[0], kernel="<!--<script>")
    renamed = copy.copy(two)
    renamed.tasks = [odd, *two.tasks[1:]]
    renamed.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.count("<!--") == 1 and page.count("<script") == 2
    found = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert found["tasks"][0] == "<!--<script>"


def test_html_of_a_large_run_says_what_it_leaves_out(two, tmp_path):
    two.to_html(tmp_path / "page.html", max_events=5)
    # One block is shown whole in any case.
    page = (tmp_path / "page.html").read_text()
    found = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert len(found["events"]) == len(two.events)


def test_cores_stand_cluster_by_cluster():
    from pypto.runtime.profile_files import _cores

    names = ["AIV 10", "AIC 1", "AIV 2", "AIV 1", "AIC 0", "AIV 0"]
    made = type("", (), {"busy": {(name, "V"): 1 for name in names}})
    assert _cores(made) == ["AIC 0", "AIV 0", "AIV 1", "AIC 1", "AIV 2", "AIV 10"]


# Errors.


def test_arguments_are_checked(timeline):
    x = np.zeros((ROWS, COLS), np.float32)
    compiled = timeline.one_buffer.compile(x, x.copy())
    with pytest.raises(ArgumentError, match="shape"):
        compiled.profile(x[:64], x.copy())
    with pytest.raises(RunError, match="compiled for platform"):
        compiled.profile(x, x.copy(), config=RunConfig(platform="a2a3"))
    with pytest.raises(UnsupportedFeatureError, match="a profile writes no trace"):
        compiled.profile(x, x.copy(), config=RunConfig(trace=True))
    with pytest.raises(RunError, match="the limit of this run"):
        compiled.profile(x, x.copy(), config=RunConfig(step_limit=3))


def test_a_run_of_nothing():
    data = {"target": "910B", "clock_mhz": 1800, "cycles": 0}
    made = Profile(data | {"tasks": [], "events": [], "flows": [], "operations": []}, "none")
    assert made.critical_path == [] and made.binding == {} and made.utilisation == {}
    assert "0 cycles" in str(made)
