# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Every small error that one can make in the synchronisation of a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator

FLAG = re.compile(r"pto\.block\.(set|wait)_flag (\w+) -> (\w+), (%?\w+)")
SYNC = re.compile(r"pto\.block\.(set_flag|wait_flag|barrier|cross_core_set|cross_core_wait)\b")
INSTRUCTION = re.compile(r"pto\.tile\.(?!alloc|slot|subview)(\w+) (ins|outs)")


def _pipe(line: str) -> str:
    """The pipe of an instruction in buffer form."""
    name = INSTRUCTION.search(line).group(1)
    if name == "load":
        return "mte2"
    if name == "store":
        return "fix" if ", acc" in line else "mte3"
    if name in ("matmul", "matmul_acc"):
        return "m"
    return "mte1" if name == "move" and ", mat" in line else "v"


def _flags(lines):
    """(number, kind, src, dst, id, section) of each flag operation."""
    section = 0
    for number, line in enumerate(lines):
        section += "pto.block.section" in line
        if match := FLAG.search(line):
            yield (number, *match.groups(), section)


def _without(lines, *numbers):
    return "\n".join("" if n in numbers else line for n, line in enumerate(lines))


def _edited(lines, edits):
    return "\n".join(edits.get(n, line) for n, line in enumerate(lines))


def _where(lines, *numbers) -> str:
    return ", ".join(f"line {n + 1} `{lines[n].strip()}`" for n in numbers)


def _reverse(line: str) -> str:
    return re.sub(r"(\w+) -> (\w+),", r"\2 -> \1,", line)


def deletions(lines) -> Iterator[tuple[str, str]]:
    for n, line in enumerate(lines):
        if SYNC.search(line):
            yield f"without {_where(lines, n)}", _without(lines, n)


def pairs(lines) -> Iterator[tuple[int, int]]:
    """A set and a wait of one flag, each combination."""
    flags = list(_flags(lines))
    for a in flags:
        for b in flags:
            if a[1] == "set" and b[1] == "wait" and a[2:] == b[2:]:
                yield a[0], b[0]


def pair_deletions(lines):
    for a, b in pairs(lines):
        yield f"without {_where(lines, a, b)}", _without(lines, a, b)


def swapped_ids(lines):
    flags = list(_flags(lines))
    for i, a in enumerate(flags):
        for b in flags[i + 1 :]:
            # An id computed in a loop means nothing outside of it.
            if a[1:4] != b[1:4] or a[5] != b[5] or a[4] == b[4] or "%" in a[4] + b[4]:
                continue
            # Two signals, or two waits, in a row may change places.
            between = lines[a[0] + 1 : b[0]]
            if all(f"pto.block.{a[1]}_flag" in line for line in between):
                continue
            edits = {
                x[0]: lines[x[0]].replace(f", {x[4]}", f", {y[4]}", 1) for x, y in ((a, b), (b, a))
            }
            yield f"ids swapped: {_where(lines, a[0], b[0])}", _edited(lines, edits)


def reversals(lines):
    for n, *_ in _flags(lines):
        yield f"reversed: {_where(lines, n)}", _edited(lines, {n: _reverse(lines[n])})
    for a, b in pairs(lines):
        edits = {n: _reverse(lines[n]) for n in (a, b)}
        yield f"reversed: {_where(lines, a, b)}", _edited(lines, edits)


def late_waits(lines):
    """A wait moved behind the next instruction of the pipe that it holds."""
    for n, kind, _, dst, *_ in _flags(lines):
        if kind != "wait":
            continue
        depth = 0
        for m in range(n + 1, len(lines)):
            depth += lines[m].count("{\n") + lines[m].rstrip().endswith("{")
            depth -= lines[m].strip().startswith("}")
            if depth < 0 or "pto.block.section" in lines[m]:
                break
            if INSTRUCTION.search(lines[m]) and _pipe(lines[m]) == dst:
                moved = lines[:n] + [""] + lines[n + 1 : m] + [lines[m] + " " + lines[n].strip()]
                yield (f"{_where(lines, n)} behind line {m + 1}", "\n".join(moved + lines[m + 1 :]))
                break


def mutate(text: str) -> Iterator[tuple[str, str]]:
    """(what was changed, the changed text); line numbers stay those of `text`."""
    lines = text.split("\n")
    for kind in (deletions, pair_deletions, swapped_ids, reversals, late_waits):
        yield from kind(lines)
