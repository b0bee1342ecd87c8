# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a check of the reference model found, as data."""

from __future__ import annotations

import dataclasses
import json


@dataclasses.dataclass(frozen=True)
class Access:
    """One of the two sides of a report. What does not apply is None."""

    file: str | None
    line: int
    column: int
    operation: str
    variable: str | None
    space: str | None
    bytes: tuple[int, int] | None  # the first, and the last + 1, of the space or array
    access: str | None  # "read" or "write"
    pipe: str | None
    task: int | None
    task_name: str | None
    block: int | None
    core: str | None


@dataclasses.dataclass(frozen=True)
class Report:
    """`accesses`: the one that the check refuses, then those that it is at odds with.
    `fix`: what would order them, or None."""

    check: str
    message: str
    accesses: tuple[Access, ...]
    fix: str | None


def parse(text: str) -> list[Report]:
    """The reports in a JSON array of the model."""

    def access(item: dict) -> Access:
        span = item.pop("bytes")
        return Access(bytes=tuple(span) if span else None, **item)

    return [
        Report(
            item["check"],
            item["message"],
            tuple(access(side) for side in item["accesses"]),
            item["fix"],
        )
        for item in json.loads(text)
    ]
