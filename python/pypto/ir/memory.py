# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Where the tiles of a compiled kernel lie, and when.

Time is the order of the instructions in the text of a kernel, one column each; a loop
runs through its columns again and again. When an allocation holds something is what the
planner itself computes (lib/Transforms/BufferLiveness.h).
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import json
import os

from ..diagnostics.errors import CompileError, raise_all
from ..diagnostics.mlir import collect
from ..frontend import session
from ..language.enums import MemorySpace

_SPACES = {space.name: space for space in MemorySpace}


@dataclasses.dataclass(frozen=True)
class Allocation:
    """One slot of an allocation: bytes `begin` to `end` of a space."""

    function: str
    name: str
    space: MemorySpace
    begin: int
    end: int
    type: str
    file: str | None = None
    line: int = 0
    # First and last column of each stretch of instructions in which it holds something.
    stretches: tuple[tuple[int, int], ...] = ()
    # Why a pass made it, if one did.
    reason: str = ""

    @property
    def bytes(self) -> int:
        return self.end - self.begin

    def lives_at(self, column: int) -> bool:
        return any(first <= column <= last for first, last in self.stretches)


@dataclasses.dataclass(frozen=True)
class Instruction:
    """A column: what the kernel does there, in the author's words."""

    word: str
    file: str | None
    line: int


@dataclasses.dataclass(frozen=True)
class Loop:
    """The columns `first` to `last` that a loop runs through."""

    name: str
    first: int
    last: int
    line: int


@dataclasses.dataclass(frozen=True)
class Space:
    """A space of a kernel."""

    space: MemorySpace
    capacity: int
    allocations: tuple[Allocation, ...]
    columns: int

    @property
    def peak(self) -> int:
        """The end of the highest allocation."""
        return max((allocation.end for allocation in self.allocations), default=0)

    @functools.cached_property
    def most_live(self) -> int:
        """The most bytes that hold something at one time."""
        return max((self.live(column) for column in range(self.columns)), default=0)

    def live(self, column: int) -> int:
        """The bytes that hold something; what two allocations share counts once."""
        spans = sorted((a.begin, a.end) for a in self.allocations if a.lives_at(column))
        total, reach = 0, 0
        for begin, end in spans:
            total += max(0, end - max(begin, reach))
            reach = max(reach, end)
        return total

    def __str__(self) -> str:
        lost = self.peak - self.most_live
        gaps = f", {size(lost)} lost between allocations" if lost else ", nothing lost"
        share = 100 * self.peak / self.capacity
        return (
            f"{self.space.name}: {size(self.peak)} of {size(self.capacity)} used ({share:.0f} %), "
            f"at most {size(self.most_live)} of it at one time{gaps}"
        )


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    file: str | None
    line: int
    instructions: tuple[Instruction, ...]
    loops: tuple[Loop, ...]
    spaces: tuple[Space, ...]


class MemoryMap:
    """The on-chip memory of each kernel; `str()` is a picture of spaces and time,
    `html()` the same as a page."""

    def __init__(self, kernels: list[Kernel]):
        self.kernels = kernels
        self.allocations = [
            allocation
            for kernel in kernels
            for space in kernel.spaces
            for allocation in space.allocations
        ]

    @classmethod
    def of(cls, program) -> MemoryMap:
        """The map of a program behind pto-plan-memory."""
        from ..mlir._mlir_libs import _pto

        failure = None
        with session.LOCK, collect(session.CONTEXT) as found:
            try:
                described = json.loads(_pto.describe_memory(program._operation))
            except ValueError as error:
                failure = error
        if found:
            raise_all(found)
        if failure is not None:
            raise CompileError(str(failure)) from None
        return cls([_kernel(kernel) for kernel in described["kernels"]])

    def peak(self, function: str, space: MemorySpace) -> int:
        """How many bytes of a space a kernel uses."""
        ends = [a.end for a in self.allocations if (a.function, a.space) == (function, space)]
        return max(ends, default=0)

    def __iter__(self):
        return iter(self.allocations)

    def __len__(self) -> int:
        return len(self.allocations)

    def __str__(self) -> str:
        return "\n".join(line for kernel in self.kernels for line in _draw(kernel))

    def html(self) -> str:
        """A page that needs nothing else."""
        from .memory_page import page

        return page(self)

    def save(self, path) -> None:
        """Writes the page."""
        text = self.html()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def size(count: int) -> str:
    return f"{count / 1024:.4g} KiB" if count >= 1024 else f"{count} B"


# From the compiler's description.


def _kernel(described: dict) -> Kernel:
    points = [point["point"] for point in described["points"]]

    def columns(begin: int, end: int) -> tuple[int, int]:
        """The instructions between two points; the next one, if there is none."""
        first = min(bisect.bisect_left(points, begin), max(0, len(points) - 1))
        return first, max(first, bisect.bisect_right(points, end) - 1)

    name = described["name"]
    spaces = []
    for space in described["spaces"]:
        kind, found = _SPACES[space["name"]], []
        for each in space["allocations"]:
            found += _slots(name, kind, each, columns)
        kept = tuple(sorted(found, key=lambda a: (a.begin, a.stretches, a.end)))
        spaces.append(Space(kind, space["capacity"], kept, len(points)))
    instructions = [
        Instruction(point["word"], point["file"], point["line"]) for point in described["points"]
    ]
    loops = [
        Loop(loop["name"], *columns(loop["begin"], loop["end"]), loop["line"])
        for loop in described["loops"]
    ]
    return Kernel(
        name,
        described["file"],
        described["line"],
        tuple(instructions),
        tuple(loops),
        tuple(sorted(spaces, key=lambda each: each.space)),
    )


def _slots(function: str, space: MemorySpace, described: dict, columns) -> list[Allocation]:
    addresses = described["addresses"]
    name = described["name"] or "(scratch)"
    if not addresses:
        raise CompileError(
            f"'{name}' of '{function}' has no address yet: a memory map is of a module behind "
            "pto-plan-memory"
        )
    stretches: list[tuple[int, int]] = []
    for begin, end in described["stretches"]:
        first, last = columns(begin, end)
        if stretches and first <= stretches[-1][1]:
            first = stretches.pop()[0]
        stretches.append((first, last))
    return [
        Allocation(
            function,
            f"{name}[{slot}]" if len(addresses) > 1 else name,
            space,
            address,
            address + described["bytes"],
            described["type"],
            described["file"],
            described["line"],
            tuple(stretches),
            described["reason"],
        )
        for slot, address in enumerate(addresses)
    ]


# The picture for a terminal.

_WIDTH = 64


def _draw(kernel: Kernel) -> list[str]:
    place = f" ({os.path.basename(kernel.file)}:{kernel.line})" if kernel.file else ""
    lines = [f"{kernel.name}{place}"]
    count = len(kernel.instructions)
    # Columns of the picture for one of an instruction, or the other way round.
    scale = max(1, min(4, _WIDTH // count)) if count else 1
    width = min(count * scale, _WIDTH)

    def column(index: int, end: bool = False) -> int:
        return (index + end) * width // max(1, count)

    names = max(len(a.name) for space in kernel.spaces for a in space.allocations)
    left = " " * (4 + 18 + 2 + 9 + 2 + names + 2 + 6)
    lines += [left + row for row in _ruler(kernel, column, width)]
    for space in kernel.spaces:
        lines.append(f"  {space}")
        for a in space.allocations:
            row = [" "] * width
            for first, last in a.stretches:
                begin, end = column(first), max(column(first) + 1, column(last, end=True))
                row[begin:end] = "#" * (end - begin)
            lines.append(
                f"    0x{a.begin:06x}..0x{a.end:06x}  {size(a.bytes):>9}  {a.name:<{names}}  "
                f"{':' + str(a.line) if a.line else '':<6}|{''.join(row)[:width]}|  {a.type}"
            )
    return lines


def _ruler(kernel: Kernel, column, width: int) -> list[str]:
    """The lines of the instructions, and the loops around them."""
    numbers = [" "] * (width + 8)
    free, last = 0, None
    for index, instruction in enumerate(kernel.instructions):
        at, text = column(index), str(instruction.line)
        if instruction.line != last and instruction.line and at >= free:
            numbers[at : at + len(text)] = text
            free, last = at + len(text) + 1, instruction.line
    rows = [" " + "".join(numbers).rstrip()]
    for loop in kernel.loops:
        begin, end = column(loop.first), max(column(loop.first) + 2, column(loop.last, end=True))
        label = f" for {loop.name} (line {loop.line})" if loop.name else f" loop (line {loop.line})"
        rows.append(" " + " " * begin + "[" + "-" * (end - begin - 2) + "]" + label)
    return rows
