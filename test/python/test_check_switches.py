# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Checks, their switches and their reports, from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pypto.language as pl
import pytest
from pypto.diagnostics import Report, RunError
from pypto.runtime import RunConfig, checks

ROOT = Path(__file__).parents[2]


def test_docs_list_the_checks():
    text = (ROOT / "docs" / "reference-model.md").read_text()
    rows = dict(line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `"))
    assert {k.strip(" `"): v.strip() for k, v in rows.items()} == checks()


@pytest.mark.parametrize(
    "value, word",
    [
        ("all", "all"),
        ("none", "none"),
        ({}, "all"),
        ({"pipe_race": False}, "all,-pipe_race"),
        ({"pipe_race": True}, "all,+pipe_race"),
        (["pipe_race", "flag_left"], "none,+flag_left,+pipe_race"),
        ((), "none"),
    ],
)
def test_config(value, word):
    assert RunConfig(checks=value).checks == word


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"checks": ["pipe_races"]}, ValueError, "no check 'pipe_races'; there are task_conflict,"),
        ({"checks": {"x": False}}, ValueError, "no check 'x'"),
        ({"checks": {"bounds": False}}, ValueError, "the check 'bounds' cannot be off"),
        ({"checks": {"pipe_race": 0}}, TypeError, "maps names to True or False"),
        ({"checks": "pipe_race"}, TypeError, '"all", "none", a list of names'),
        ({"checks": None}, TypeError, "found None"),
        ({"schedules": 0}, ValueError, "schedules=\\) is at least 1, found 0"),
        ({"schedules": 2.0}, TypeError, "schedules=\\) is a number"),
        ({"step_limit": 1 << 64}, ValueError, "step_limit=\\) is less than 2\\*\\*63"),
        ({"schedule_seed": 1 << 64}, ValueError, "schedule_seed=\\) is less than 2\\*\\*63"),
        ({"schedule_seed": -1}, ValueError, "schedule_seed=\\) is at least 0, found -1"),
        ({"schedule_seed": "a"}, TypeError, "schedule_seed=\\) is a number"),
    ],
)
def test_wrong_config(arguments, error, message):
    with pytest.raises(error, match=message):
        RunConfig(**arguments)


@pl.jit.incore
def adds_to(x: pl.Tensor[[32, 64], pl.FP32], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
    t = pl.load(x, [0, 0], [32, 64])
    old = pl.load(y, [0, 0], [32, 64])
    pl.store(pl.add(t, old), [0, 0], y)
    return y


@pl.jit
def added(x: pl.Tensor[[32, 64], pl.FP32], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
    y = adds_to(x, y)
    return y


def test_reports():
    x, y = (np.ones((32, 64), np.float32) for _ in range(2))
    with pytest.raises(
        RunError, match=r"an array whose content it reads is InOut.*\[out_read; task 1 'adds_to'\]"
    ) as info:
        added(x, y)
    (report,) = info.value.reports
    assert isinstance(report, Report) and report.check == "out_read"
    (access,) = report.accesses
    assert Path(access.file) == Path(__file__)
    assert "old = pl.load" in Path(__file__).read_text().splitlines()[access.line - 1]
    assert access.column == 11
    assert (access.operation, access.variable, access.space) == ("pl.load", "y", "DDR")
    assert access.bytes == (0, 32 * 64 * 4) and access.access == "read" and access.pipe == "MTE2"
    assert (access.task, access.task_name, access.block, access.core) == (1, "adds_to", 0, None)
    assert (y == 1).all()


@pytest.mark.parametrize("value", [{"out_read": False}, "none", ["pipe_race"]])
def test_check_that_is_off(value):
    x, y = (np.ones((32, 64), np.float32) for _ in range(2))
    added(x, y, config=RunConfig(checks=value, schedules=3))
    # What an Out array holds before is unknown; here it is what the caller has in it.
    assert (y == 2).all()
    with pytest.raises(RunError):
        added(x, y)
