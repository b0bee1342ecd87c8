# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""RunConfig(trace=…): one line for each operation that a run executes."""

import json
import math

import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.runtime import RunConfig, Trace
from pypto.runtime.trace import text

X = pl.Tensor[[32, 16], pl.FP32]


@pl.jit.incore
def halves(x: X, out: pl.Out[X]):
    for row in pl.range(0, 32, 16):
        t = pl.load(x, [row, 0], [16, 16])
        y = pl.add(t, 1.0)
        pl.store(y, [row, 0], out)
    return out


@pl.jit
def entry(x: X, mid: pl.Out[X], out: pl.Out[X]):
    mid = halves(x, mid)
    out = halves(mid, out)
    return out


FIRST = halves.source.tree.lineno


def given():
    x = np.arange(512, dtype=np.float32).reshape(32, 16)
    return x, np.zeros_like(x), np.zeros_like(x)


def events(**words):
    """What a function is told of a run, and the arrays."""
    found, arrays = [], given()
    entry(*arrays, config=RunConfig(trace=Trace(found.append, **words)))
    np.testing.assert_array_equal(arrays[2], arrays[0] + 2)
    return found


def test_a_function_is_told_each_operation():
    found = events(stage="frontend")
    assert [(event["task"], event["operation"], event["line"]) for event in found] == [
        *[(1, "pl.load", FIRST + 2), (1, "pl.add", FIRST + 3), (1, "pl.store", FIRST + 4)] * 2,
        (0, "the call of 'halves'", found[6]["line"]),
        *[(2, "pl.load", FIRST + 2), (2, "pl.add", FIRST + 3), (2, "pl.store", FIRST + 4)] * 2,
        (0, "the call of 'halves'", found[6]["line"] + 1),
    ]
    load, add, store = (event["values"] for event in found[3:6])
    assert load == [
        {
            "name": "t", "space": "", "dtype": "FP32", "shape": [16, 16], "undefined": 0,
            "first": [256.0, 257.0, 258.0, 259.0], "nan": 0, "min": 256.0, "max": 511.0,
        }
    ]  # fmt: skip
    assert add[0]["name"] == store[0]["name"] == "y" and store[0]["min"] == 257.0
    first = found[0]
    assert first["task_name"] == "halves" and first["function"] == "halves"
    assert first["where"] == "task 1 halves" and first["file"] == __file__
    assert (first["block"], first["blocks"], first["core"]) == (0, 1, "the core")
    assert found[6]["values"] == [] and found[6]["where"] == "orchestration"


def test_the_final_program_has_spaces_and_flags():
    found = events()
    words = [event["operation"] for event in found]
    assert any(word.startswith("pto.block.set_flag MTE2 -> V, ") for word in words)
    assert "pto.block.barrier ALL" in words
    loads = [event for event in found if event["ir"] == "pto.tile.load"]
    assert [load["values"][0]["space"] for load in loads] == ["Vec"] * 4


def test_filters():
    by_line = events(lines=FIRST + 3)
    assert by_line and {event["line"] for event in by_line} == {FIRST + 3}
    lines = events(lines=range(FIRST + 2, FIRST + 4), stage="frontend")
    assert [event["operation"] for event in lines] == ["pl.load", "pl.add"] * 4
    assert {event["function"] for event in events(functions="entry")} == {"entry"}
    assert len(events(functions=["entry", "halves"])) == len(events())
    assert events(functions="other") == []


def test_a_file_has_an_object_a_line(tmp_path):
    path = tmp_path / "run.jsonl"
    arrays = given()
    arrays[0][0, :3] = np.nan, np.inf, -np.inf
    entry(*arrays, config=RunConfig(trace=path))
    lines = path.read_text().splitlines()
    strict = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    load = next(event for event in strict if event["ir"] == "pto.tile.load")["values"][0]
    assert load["first"] == ["nan", "inf", "-inf", 3.0] and load["nan"] == 1
    assert (load["min"], load["max"]) == ("-inf", "inf")
    entry(*arrays, config=RunConfig(trace=str(path)))
    assert len(path.read_text().splitlines()) == len(lines)


def test_true_prints_lines(capsys):
    entry(*given(), config=RunConfig(trace=True))
    printed = capsys.readouterr().out.splitlines()
    assert printed == [text(event) for event in events()]
    load = next(line for line in printed if "pl.load" in line)
    assert load.split(None, 3)[:3] == ["task", "1", "halves"]
    assert f"test_trace.py:{FIRST + 2}" in load
    assert load.endswith("t = [16, 16] FP32 in Vec: 0, 1, 2, 3, …; 0 to 255")


def test_undefined_elements_are_counted():
    @pl.jit
    def partial(x: X, out: pl.Out[X]):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.load(x, [0, 0], [16, 16], valid_shape=[3, 5])
            pl.store(t, [0, 0], out)
        return out

    found = []
    x = given()[0]
    config = RunConfig(trace=Trace(found.append, stage="frontend"))
    partial(x, np.zeros_like(x), config=config)
    load = found[0]["values"][0]
    assert load["undefined"] == 256 - 15 and load["max"] == 2 * 16 + 4
    assert text(found[0]).endswith("; 241 undefined")


def test_what_a_function_raises_ends_the_run():
    class Enough(Exception):
        pass

    def stop(event):
        raise Enough

    arrays = given()
    with pytest.raises(Enough):
        entry(*arrays, config=RunConfig(trace=stop))
    assert not arrays[1].any() and not arrays[2].any()
    entry(*arrays)
    assert math.isclose(arrays[2][0, 0], 2)


def test_a_function_may_run_kernels_also_this_one():
    seen, arrays = [], given()

    def again(event):
        x = np.full((32, 16), len(seen), np.float32)
        inner = [np.zeros_like(x), np.zeros_like(x)]
        entry(x, *inner)
        seen.append((inner[1] == x + 2).all())

    entry(*arrays, config=RunConfig(trace=again))
    assert len(seen) > 8 and all(seen)
    np.testing.assert_array_equal(arrays[2], arrays[0] + 2)


def test_who_runs_more_than_once_or_stands_still_has_no_trace():
    compiled, config = entry.compile(*given()), RunConfig(trace=True)
    for work in (compiled.profile, compiled.check_passes, compiled.debug, entry.debug):
        with pytest.raises(pypto.UnsupportedFeatureError, match=r"leave RunConfig\(trace=\) out"):
            work(*given(), config=config)


def test_wrong_traces():
    with pytest.raises(TypeError, match="a trace goes to True, a path or a function, found 3"):
        RunConfig(trace=3)
    with pytest.raises(TypeError, match=r"Trace\(lines=\) takes numbers"):
        Trace(lines=["a"])
    with pytest.raises(TypeError, match=r"Trace\(functions=\) takes names"):
        Trace(functions=[1])
    with pytest.raises(pypto.UnsupportedFeatureError, match="no stage 'x'; there are frontend"):
        entry(*given(), config=RunConfig(trace=Trace(stage="x")))
    assert RunConfig(trace=False).trace is None
