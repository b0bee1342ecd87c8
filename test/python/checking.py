# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What the tests of the model's checks share: wrong programs, and what a report says of them.

A line of a program that a report names ends in a label, `#: label` (`// label:` in MLIR).
"""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pypto.language as pl
import pytest
from pypto.diagnostics.errors import RunError
from pypto.runtime import RunConfig, arrays
from pypto.runtime.reference import ReferenceModel


@dataclasses.dataclass(frozen=True)
class At:
    """What a report says of one access. What is None is not looked at."""

    label: str
    variable: str | None = None
    access: str | None = None
    bytes: tuple[int, int] | None = None
    space: str | None = None
    pipe: str | None = None
    task: int | None = None
    name: str | None = None  # of the task
    block: int | None = None
    core: str | None = None


@dataclasses.dataclass(frozen=True)
class Wrong:
    """A program that a check refuses. `off`: what becomes of it without the check, "passes"
    or the name of another one; None where it cannot be off."""

    check: str
    text: str
    now: At
    other: At | None = None
    fix: str | None = None
    message: str = ""
    off: str | None = "passes"
    arguments: object = None
    schedules: int = 1


def line_of(text: str, label: str) -> int:
    mark = re.compile(rf"(#|//):.*\b{re.escape(label)}(?![\w.])")
    found = [n for n, line in enumerate(text.splitlines(), 1) if mark.search(line)]
    assert len(found) == 1, (label, found)
    return found[0]


def check_access(found, wanted: At, text: str):
    assert found.line == line_of(text, wanted.label), (found, wanted)
    pairs = (
        ("variable", wanted.variable),
        ("access", wanted.access),
        ("bytes", wanted.bytes),
        ("space", wanted.space),
        ("pipe", wanted.pipe),
        ("task", wanted.task),
        ("task_name", wanted.name),
        ("block", wanted.block),
        ("core", wanted.core),
    )
    for name, want in pairs:
        assert want is None or getattr(found, name) == want, (name, found)


def check_reports(reports, wrong: Wrong, text: str):
    """The first report is the check's, and names both sides."""
    assert {report.check for report in reports} == {wrong.check}, reports
    report = reports[0]
    check_access(report.accesses[0], wrong.now, text)
    if wrong.other is not None:
        check_access(report.accesses[1], wrong.other, text)
    if wrong.fix is not None:
        assert report.fix is not None and re.search(wrong.fix, report.fix), report.fix
    assert re.search(wrong.message, report.message), report.message


def ones(rows=64, cols=64, dtype=np.float32):
    return np.ones((rows, cols), dtype)


def zeros(rows=64, cols=64, dtype=np.float32):
    return np.zeros((rows, cols), dtype)


def run_open(entry, arguments, config):
    """Numbers are known at run time only."""
    program = entry.lower(*[pl.RUNTIME if type(a) is int else a for a in arguments])
    given = [a if type(a) is int else arrays.buffer("", a) for a in arguments]
    model = ReferenceModel(program._operation, program.name)
    model.run(given, 0, config.checks, config.schedules, config.schedule_seed)


def run(module, arguments, **config):
    """Runs `entry` of a module; the reports of a run that a check refuses."""
    try:
        if any(type(value) is int for value in arguments):
            run_open(module.entry, arguments, RunConfig(**config))
        else:
            module.entry(*arguments, config=RunConfig(**config))
    except RunError as error:
        assert error.reports, str(error)
        diagnostic = error.diagnostics[0]
        # The text says the same as the data, at the same place.
        assert f"[{error.reports[0].check}" in diagnostic.message
        if error.reports[0].check != "schedule_difference":
            assert diagnostic.line == error.reports[0].accesses[0].line, str(error)
        return error.reports
    return []


def refuse(wrong: Wrong, load):
    """The program is refused with the check, and with it off it is what it says."""
    module = load(wrong.text)
    made = wrong.arguments or (lambda: (ones(), zeros()))
    reports = run(module, made(), schedules=wrong.schedules)
    check_reports(reports, wrong, wrong.text)
    if wrong.off is None:
        with pytest.raises(ValueError, match=f"'{wrong.check}' cannot be off"):
            RunConfig(checks={wrong.check: False})
        return
    rest = run(module, made(), checks={wrong.check: False}, schedules=wrong.schedules)
    assert [report.check for report in rest] == ([] if wrong.off == "passes" else [wrong.off])
