# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The form of what `pypto-run --profile` writes: a file that was damaged is refused before
anything is computed of it."""

from __future__ import annotations

import re

_LIMIT = 1 << 62
_CORE = re.compile(r"(AIC|AIV) \d{1,6}")


def _number(value, least: int = 0, most: int = _LIMIT) -> bool:
    return type(value) is int and least <= value <= most


def _record(value, fields: dict) -> bool:
    return (
        isinstance(value, dict)
        and set(value) >= set(fields)
        and all(is_right(value[name]) for name, is_right in fields.items())
    )


def _list(value, is_right) -> bool:
    return isinstance(value, list) and all(map(is_right, value))


def _text(value) -> bool:
    return isinstance(value, str)


def _core(value) -> bool:
    return isinstance(value, str) and _CORE.fullmatch(value) is not None


def is_profile(data) -> bool:
    """Whether the data are a profile's: every field of its type, every index within its list."""
    if not isinstance(data, dict) or not all(
        isinstance(data.get(name), list) for name in ("tasks", "events", "operations", "flows")
    ):
        return False
    operations, tasks, events = (len(data[name]) for name in ("operations", "tasks", "events"))
    blocks = sum(
        len(task["blocks"])
        for task in data["tasks"]
        if isinstance(task, dict) and isinstance(task.get("blocks"), list)
    )

    def block(value) -> bool:
        numbers = {"start": _number, "end": _number, "last_sync": _number}
        last = {"last": lambda found: _number(found, -1, events - 1)}
        cause = {"cause": lambda found: _number(found, -1, blocks - 1)}
        fields = {"core": _core, **numbers, **last, **cause}
        return _record(value, fields) and set(value) == set(fields)

    def task(value) -> bool:
        return _record(
            value,
            {
                "kernel": _text,
                "operation": lambda found: _number(found, 0, operations - 1),
                "after": lambda found: _list(found, lambda item: _number(item, 0, tasks - 1)),
                "end": _number,
                "blocks": lambda found: _list(found, block),
            },
        )

    def event(value) -> bool:
        if not isinstance(value, list) or len(value) != 9:
            return False
        operation, of_block, core, pipe, start, end, cause, wait, sync = value
        return (
            _number(operation, 0, operations - 1)
            and _number(of_block, 0, blocks - 1)
            and _core(core)
            and pipe in ("MTE1", "MTE2", "MTE3", "FIX", "M", "V", "S")
            and all(map(_number, (start, end, sync)))
            and _number(cause, -1, events - 1)
            and _text(wait)
        )

    def flow(value) -> bool:
        return _list(value, lambda item: _number(item, 0, events - 1)) and len(value) == 2

    def operation(value) -> bool:
        words = dict.fromkeys(("name", "variable", "kernel", "file"), _text)
        fields = {**words, "line": _number, "column": _number}
        return _record(value, fields) and set(value) == set(fields)

    return _record(
        data,
        {
            "target": _text,
            "clock_mhz": lambda found: _number(found, 1),
            "cycles": _number,
            "tasks": lambda found: _list(found, task),
            "events": lambda found: _list(found, event),
            "flows": lambda found: _list(found, flow),
            "operations": lambda found: _list(found, operation),
        },
    )
