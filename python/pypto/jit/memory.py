# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Where the tiles of a compiled kernel lie."""

from __future__ import annotations

import dataclasses

from ..frontend import session
from ..ir.types import Buffer, name_of, parse_type
from ..language.enums import MemorySpace


@dataclasses.dataclass(frozen=True)
class Allocation:
    """One slot of an allocation: bytes `begin` to `end` of a space."""

    function: str
    name: str
    space: MemorySpace
    begin: int
    end: int
    type: str


class MemoryMap:
    """The allocations of each kernel; `str()` is a table."""

    def __init__(self, allocations: list[Allocation]):
        self.allocations = allocations

    @classmethod
    def of(cls, program) -> MemoryMap:
        found = []
        with session.LOCK:
            for function in program._operation.regions[0].blocks[0].operations:
                if function.operation.name == "func.func":
                    _collect(function.operation, found)
        return cls(found)

    def peak(self, function: str, space: MemorySpace) -> int:
        """How many bytes of a space a kernel uses."""
        ends = [a.end for a in self.allocations if (a.function, a.space) == (function, space)]
        return max(ends, default=0)

    def __iter__(self):
        return iter(self.allocations)

    def __len__(self) -> int:
        return len(self.allocations)

    def __str__(self) -> str:
        lines = []
        for function in dict.fromkeys(a.function for a in self.allocations):
            lines.append(function)
            spaces = {a.space for a in self.allocations if a.function == function}
            for space in sorted(spaces):
                lines.append(f"  {space.name}: {_bytes(self.peak(function, space))} used")
                mine = [a for a in self.allocations if (a.function, a.space) == (function, space)]
                width = max(len(a.name) for a in mine)
                for a in sorted(mine, key=lambda a: (a.begin, a.end)):
                    lines.append(
                        f"    {a.begin:#08x}..{a.end:#08x}  {_bytes(a.end - a.begin):>10}  "
                        f"{a.name:<{width}}  {a.type}"
                    )
        return "\n".join(lines)


def _bytes(count: int) -> str:
    return f"{count / 1024:g} KiB" if count >= 1024 else f"{count} B"


def _collect(function, found: list[Allocation]) -> None:
    from ..mlir import ir

    symbol = ir.StringAttr(function.attributes["sym_name"]).value

    def take(operation):
        if operation.name == "pto.tile.alloc" and "addrs" in operation.attributes:
            kind = parse_type(operation.results[0].type)
            _add(found, symbol, kind, operation)
        return ir.WalkResult.ADVANCE

    function.walk(take)


def _add(found: list[Allocation], symbol: str, kind: Buffer, operation) -> None:
    addresses = list(operation.attributes["addrs"])
    size = kind.root[0] * kind.root[1] * kind.dtype.get_byte()
    name = name_of(operation.location) or "(scratch)"
    for slot, address in enumerate(addresses):
        label = f"{name}[{slot}]" if len(addresses) > 1 else name
        words = f"[{kind.root[0]}, {kind.root[1]}] {kind.dtype} {kind.layout}"
        found.append(Allocation(symbol, label, kind.space, address, address + size, words))
