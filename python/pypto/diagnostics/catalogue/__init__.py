# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The catalogue of errors: the one list of what can go wrong.

A message is written where the error is found, in Python or C++, and says nothing of its
code: the code is that of the entry whose fixed words the message has. So nothing stands
twice, and a message of another wording without an entry is found by
`test/python/test_error_catalogue.py`, which reads all messages from the sources.

`docs/errors.md` is made of this, and `python -m pypto.tools.explain PTO-1001` prints an entry.
Nothing of this is loaded before an error is shown.
"""

from __future__ import annotations

import functools
import importlib
import re

from .entry import Entry

# By thousands: what the codes are about, and the module that holds them.
TOPICS = {
    10: ("Source, names and Python", "python"),
    11: ("Loops, branches and the names that they carry", "flow"),
    12: ("Functions, parameters and calls", "functions"),
    13: ("Operations and their arguments", "operations"),
    20: ("The control plane: tasks, order, regions", "tasks"),
    30: ("Spaces, layouts, memory and chips", "memory"),
    40: ("What the reference model finds", "checks"),
    50: ("PyPTO Pro: kernels and declarations", "pro"),
    51: ("PyPTO Pro: operations", "pro_operations"),
    52: ("PyPTO Pro: tiling keys", "keys"),
    60: ("Running a program", "running"),
    70: ("Modules in MLIR, passes and AscendC", "modules"),
    80: ("Tools and files", "tools"),
}


@functools.cache
def entries() -> tuple[Entry, ...]:
    """All entries, by their numbers."""
    found: list[Entry] = []
    for _, name in TOPICS.values():
        found += importlib.import_module(f"{__name__}.{name}").ENTRIES
    return tuple(sorted(found, key=lambda entry: entry.number))


@functools.cache
def _patterns() -> list[tuple[int, bool, list[str], Entry]]:
    """(fixed letters, whether at the beginning, the words between what differs, whose they
    are), the most letters first."""
    found = []
    for entry in entries():
        for words in entry.words:
            parts = [part for part in words.removeprefix("^").split("…") if part]
            # A check of the model says its name, which decides.
            weight = 1000 if words.startswith("[") else sum(map(len, parts))
            first = words.startswith("^") and not words.startswith("^…")
            found.append((weight, first, parts, entry))
    found.sort(key=lambda item: -item[0])
    return found


def _has(message: str, first: bool, parts: list[str]) -> bool:
    """Whether the parts stand in the message, in their order."""
    if first and not message.startswith(parts[0]):
        return False
    place = 0
    for part in parts:
        place = message.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


@functools.lru_cache(maxsize=256)
def find(message: str) -> Entry | None:
    """The entry that a message belongs to."""
    for _, first, parts, entry in _patterns():
        if _has(message, first, parts):
            return entry
    return None


def by_code(code: str) -> Entry | None:
    """The entry of "PTO-1001", "pto1001" or "1001"."""
    digits = re.sub(r"\D", "", code)
    return next((entry for entry in entries() if str(entry.number) == digits), None)


__all__ = ["TOPICS", "Entry", "by_code", "entries", "find"]
