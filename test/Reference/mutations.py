# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Every small error that one can make in the synchronisation of a kernel.

A mutant differs from the kernel in one deletion, swap, reversal or move, and
keeps its line numbers. The model must refuse each one, but the harmless: they
order no less than the kernel did, and carry the argument for it in words.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import NamedTuple


class Mutant(NamedTuple):
    what: str  # was changed, for people
    text: str
    kind: (
        # set, wait, barrier, end, cross, pair, whole, ids, reversal, pair reversal, late wait,
        # cross pair, cross id, cross mode, queue, queue id, queue pair, queue order, queue whole,
        # edge
        str
    )
    harmless: str = ""  # why nothing is lost


FLAG = re.compile(r"pto\.block\.(set|wait)_flag (\w+) -> (\w+), (%?\w+)")
SYNC = re.compile(r"pto\.block\.(set_flag|wait_flag|barrier|cross_core_set|cross_core_wait)\b")
REASON = re.compile(r'pto\.reason = "([^"]*)"')
INSTRUCTION = re.compile(r"pto\.tile\.(?!alloc|slot|subview)(\w+) (ins|outs|%)")


def _pipe(line: str) -> str:
    """The pipe of an instruction in buffer form."""
    name = INSTRUCTION.search(line).group(1)
    if name in ("get_value", "set_value"):
        return "s"
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


def _path(lines) -> list[tuple[int, ...]]:
    """For each line the line numbers of the blocks around it, outermost first."""
    paths, open_blocks = [], []
    for number, line in enumerate(lines):
        text = line.strip()
        if text.startswith("}"):
            open_blocks.pop()
        paths.append(tuple(open_blocks))
        if text.endswith("{"):
            open_blocks.append(number)
    return paths


def deletions(lines) -> Iterator[Mutant]:
    for n, line in enumerate(lines):
        if not (found := SYNC.search(line)):
            continue
        kind = found.group(1).removesuffix("_flag")
        if "barrier all" in line:
            kind = "end" if _ends_kernel(lines, n) else "barrier"
        kind = "cross" if kind.startswith("cross") else kind
        yield Mutant(f"without {_where(lines, n)}", _without(lines, n), kind)


def _ends_kernel(lines, number) -> bool:
    """Whether nothing but the end of its function or section follows a line."""
    rest = next((line.strip() for line in lines[number + 1 :] if line.strip()), "")
    return rest == "return" or rest.startswith("}")


def pairs(lines) -> Iterator[tuple[int, int]]:
    """A set and a wait of one flag, each combination."""
    flags = list(_flags(lines))
    for a in flags:
        for b in flags:
            if a[1] == "set" and b[1] == "wait" and a[2:] == b[2:]:
                yield a[0], b[0]


def pair_deletions(lines) -> Iterator[Mutant]:
    for a, b in pairs(lines):
        yield Mutant(f"without {_where(lines, a, b)}", _without(lines, a, b), "pair")


def whole_deletions(lines) -> Iterator[Mutant]:
    """All that pto-insert-sync wrote for one flag: with the set before a loop and
    the wait behind it, where there are. Nothing is out of balance afterwards."""
    groups = {}
    for n, _, src, dst, flag, section in _flags(lines):
        if reason := REASON.search(lines[n]):
            stem = re.sub(r" \((the first iteration|nothing is left)[^)]*\)$", "", reason.group(1))
            groups.setdefault((src, dst, flag, section, stem), []).append(n)
    for numbers in groups.values():
        yield Mutant(f"without {_where(lines, *numbers)}", _without(lines, *numbers), "whole")


def _in_one_order(lines, a, b) -> bool:
    """Whether flags `a` and `b`, both sets or both waits, belong to two sets and
    then two waits of one block, in one order and with nothing else on their ids
    in between."""
    flags = [f for f in _flags(lines) if f[2:4] == a[2:4] and f[4] in (a[4], b[4])]
    first = flags.index(a) - (2 if a[1] == "wait" else 0)
    four = flags[first : first + 4] if first >= 0 else []
    paths = _path(lines)
    return (
        [f[1] for f in four] == ["set", "set", "wait", "wait"]
        and [f[4] for f in four] == [a[4], b[4]] * 2
        and len({paths[f[0]] for f in four}) == 1
    )


def swapped_ids(lines) -> Iterator[Mutant]:
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
            harmless = ""
            if _in_one_order(lines, a, b):
                harmless = (
                    "the signals come in the order of their waits, all signals first: now the "
                    "first wait takes the second signal, which covers what the first one did"
                )
            edits = {
                x[0]: lines[x[0]].replace(f", {x[4]}", f", {y[4]}", 1) for x, y in ((a, b), (b, a))
            }
            what = f"ids swapped: {_where(lines, a[0], b[0])}"
            yield Mutant(what, _edited(lines, edits), "ids", harmless)


def reversals(lines) -> Iterator[Mutant]:
    for n, *_ in _flags(lines):
        text = _edited(lines, {n: _reverse(lines[n])})
        yield Mutant(f"reversed: {_where(lines, n)}", text, "reversal")
    for a, b in pairs(lines):
        text = _edited(lines, {n: _reverse(lines[n]) for n in (a, b)})
        yield Mutant(f"reversed: {_where(lines, a, b)}", text, "pair reversal")


def late_waits(lines) -> Iterator[Mutant]:
    """A wait moved behind the next instruction of the pipe that it holds."""
    for n, kind, _, dst, *_ in _flags(lines):
        if kind != "wait":
            continue
        depth = 0
        for m in range(n + 1, len(lines)):
            depth += lines[m].rstrip().endswith("{")
            depth -= lines[m].strip().startswith("}")
            if depth < 0 or "pto.block.section" in lines[m]:
                break
            if INSTRUCTION.search(lines[m]) and _pipe(lines[m]) == dst:
                moved = lines[:n] + [""] + lines[n + 1 : m] + [lines[m] + " " + lines[n].strip()]
                text = "\n".join(moved + lines[m + 1 :])
                yield Mutant(f"{_where(lines, n)} behind line {m + 1}", text, "late wait")
                break


CROSS = re.compile(r"pto\.block\.cross_core_(set|wait) (?:(\w+), )?(\d+) \{mode = (\d)")


def cross_core(lines) -> Iterator[Mutant]:
    """Signals between cores: a set and its wait left out together, another counter,
    another mode. Single deletions are among `deletions`."""
    found = [(n, *match.groups()) for n, line in enumerate(lines) if (match := CROSS.search(line))]
    for a in found:
        for b in found:
            if a[1] == "set" and b[1] == "wait" and a[3:] == b[3:]:
                what = f"without {_where(lines, a[0], b[0])}"
                yield Mutant(what, _without(lines, a[0], b[0]), "cross pair")
    used = {int(f[3]) for f in found}
    for n, _, _, number, mode in found:
        other = next(k for k in range(11) if k not in used)
        text = lines[n].replace(f"{number} {{mode", f"{other} {{mode", 1)
        yield Mutant(f"id {other}: {_where(lines, n)}", _edited(lines, {n: text}), "cross id")
        for changed in {"0", "1", "2"} - {mode}:
            text = lines[n].replace(f"mode = {mode}", f"mode = {changed}", 1)
            what = f"mode {changed}: {_where(lines, n)}"
            yield Mutant(what, _edited(lines, {n: text}), "cross mode")


QUEUE = re.compile(r"pto\.block\.queue_(?:(push|pop) %\w+ \w+ %\w+, |(free) )(\d+)")


def queues(lines) -> Iterator[Mutant]:
    """A queue operation left out, or two of a queue, or all; two of a core in the other
    order; another queue."""
    found = [
        (n, match.group(1) or match.group(2), match.group(3))
        for n, line in enumerate(lines)
        if (match := QUEUE.search(line))
    ]
    paths = _path(lines)
    for n, kind, number in found:
        yield Mutant(f"without {_where(lines, n)}", _without(lines, n), "queue")
        for other in {found[2] for found in found} - {number}:
            text = re.sub(rf"(, |free ){number}\b(?= :|$)", rf"\g<1>{other}", lines[n].rstrip())
            what = f"queue {other}: {_where(lines, n)}"
            yield Mutant(what, _edited(lines, {n: text}), "queue id")
        for m, other, same in found:
            if m <= n or same != number or other == kind:
                continue
            what = f"without {_where(lines, n, m)}"
            yield Mutant(what, _without(lines, n, m), "queue pair")
            if paths[n] == paths[m]:
                moved = _edited(lines, {n: lines[m], m: lines[n]})
                yield Mutant(f"swapped: {_where(lines, n, m)}", moved, "queue order")
    for number in sorted({number for *_, number in found}):
        numbers = [n for n, _, same in found if same == number]
        yield Mutant(f"without {_where(lines, *numbers)}", _without(lines, *numbers), "queue whole")


AFTER = re.compile(r" after\(([^)]*)\)")


def task_edges(lines) -> Iterator[Mutant]:
    """A task that does not wait for one of those that it waits for."""
    for n, line in enumerate(lines):
        if not (found := AFTER.search(line)):
            continue
        tokens = [token.strip() for token in found[1].split(",")]
        for token in tokens:
            rest = ", ".join(other for other in tokens if other != token)
            words = f" after({rest})" if rest else ""
            text = line[: found.start()] + words + line[found.end() :]
            what = f"without {token}: {_where(lines, n)}"
            yield Mutant(what, _edited(lines, {n: text}), "edge")


FOR = re.compile(r"scf\.for (%\w+) = %\w+ to %\w+ step (%\w+)")
IF = re.compile(r"^(\s*)scf\.if (%\w+) \{")


def other_branches(text: str, seed: int) -> str:
    """The kernel with other conditions: each `scf.if` is taken always, never, or in
    every other iteration. A kernel is ordered for any condition, as the compiler
    evaluates none; so a flag may be there for a path that the kernel never takes."""
    rng, lines = random.Random(seed), text.split("\n")
    for n, path in enumerate(_path(lines)):
        if not (found := IF.search(lines[n])):
            continue
        loops = [FOR.search(lines[m]) for m in path if FOR.search(lines[m])]
        choice = rng.choice(["true", "false", "eq", "ne"] if loops else ["true", "false"])
        name = f"%chosen{n}"
        if choice in ("true", "false"):
            made = f"{name} = arith.constant {choice} "
        else:
            index, step = rng.choice(loops).groups()
            made = (
                f"{name}_1 = arith.constant 1 : index {name}_0 = arith.constant 0 : index "
                f"{name}_n = arith.divui {index}, {step} : index "
                f"{name}_b = arith.andi {name}_n, {name}_1 : index "
                f"{name} = arith.cmpi {choice}, {name}_b, {name}_0 : index "
            )
        lines[n] = f"{found[1]}{made}scf.if {name} {{"
    return "\n".join(lines)


ALL = (
    deletions,
    pair_deletions,
    whole_deletions,
    swapped_ids,
    reversals,
    late_waits,
    cross_core,
    queues,
    task_edges,
)


def mutate(text: str, kinds=ALL) -> Iterator[Mutant]:
    """The mutants of a final module, each once."""
    lines = text.split("\n")
    seen = set()
    for kind in kinds:
        for mutant in kind(lines):
            if mutant.text not in seen:
                seen.add(mutant.text)
                yield mutant
