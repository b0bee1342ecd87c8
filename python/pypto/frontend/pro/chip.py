# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What the front end has to know of a chip; the compiler says it (lib/Target)."""

from __future__ import annotations

import dataclasses
import functools
import json

from ...mlir._mlir_libs import _pto

# What the language calls a chip, in its own words.
ARCHES = {"950": "a5", "910B": "a3"}
# The layouts that a tile may have in a space, besides the chip's own, by the names in
# MemorySpace and TensorLayout: columns one after the other; what a transposing load fills;
# rows, for biases.
MORE_LAYOUTS = {"Vec": ("DN",), "Mat": ("ZN", "ND")}


@dataclasses.dataclass(frozen=True)
class Space:
    capacity: int
    mixed_capacity: int
    alignment: int
    layout: str

    def layouts(self, name: str) -> tuple[str, ...]:
        """Those that a tile in it may have, its own first."""
        return (self.layout, *MORE_LAYOUTS.get(name, ()))


@dataclasses.dataclass(frozen=True)
class Core:
    """An AIC or an AIV: its pipes, and which two of them an event joins."""

    pipes: frozenset[str]
    flags: frozenset[tuple[str, str]]


@dataclasses.dataclass(frozen=True)
class Chip:
    """Spaces and pipes have the names that the language's enums have."""

    name: str
    arch: str
    spaces: dict[str, Space]
    paths: frozenset[tuple[str, str]]
    event_ids: int
    mutex_ids: int
    cross_core_ids: int
    reserved_ids: range
    cores: dict[str, Core]


@functools.cache
def chip(name: str) -> Chip:
    """The chip of this name; there is one."""
    found = json.loads(_pto.describe_target(name))
    return Chip(
        found["name"],
        ARCHES.get(found["name"], found["name"]),
        {
            word.capitalize(): Space(
                space["capacity"],
                space["mixed_capacity"],
                space["alignment"],
                space["layout"].upper(),
            )
            for word, space in found["spaces"].items()
        },
        frozenset((one.capitalize(), other.capitalize()) for one, other in found["paths"]),
        found["event_ids"],
        found["mutex_ids"],
        found["cross_core_ids"],
        range(found["first_reserved_id"], found["last_reserved_id"] + 1),
        {
            core: Core(
                frozenset(pipe.upper() for pipe in found[core]["pipes"]),
                frozenset((one.upper(), other.upper()) for one, other in found[core]["flags"]),
            )
            for core in ("aic", "aiv")
        },
    )
