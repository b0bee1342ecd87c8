# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Types of the IR, read back for people."""

from __future__ import annotations

import dataclasses
import functools
import re

from ..diagnostics.mlir import name_of as name_of_location
from ..language.dtypes import TASK_ID, DataType
from ..language.enums import MemorySpace

_BY_MLIR = {dtype.mlir: dtype for dtype in DataType.all.values() if dtype.mlir}
_SPACES = {space.name.lower(): space for space in MemorySpace}
_LAYOUTS = ("nd", "dn", "nz", "zn", "zz")


@dataclasses.dataclass(frozen=True)
class Scalar:
    dtype: DataType


@dataclasses.dataclass(frozen=True)
class Array:
    """A builtin tensor or a `!pto.gm`. `pitch`: between the beginnings of two rows, in
    elements; 0: they follow one another."""

    shape: tuple
    dtype: DataType
    pitch: int = 0


@dataclasses.dataclass(frozen=True)
class Tile:
    shape: tuple
    dtype: DataType
    space: MemorySpace | None
    layout: str | None


@dataclasses.dataclass(frozen=True)
class Buffer:
    shape: tuple
    dtype: DataType
    space: MemorySpace
    layout: str
    root: tuple
    slots: int


@dataclasses.dataclass(frozen=True)
class Cells:
    """A pl.array."""

    size: int
    dtype: DataType


@dataclasses.dataclass(frozen=True)
class Other:
    """A type that is only named, such as a task."""

    text: str


def parse_type(kind):
    return _parse(str(kind))


def _shaped(text: str) -> tuple[tuple, DataType]:
    *extents, element = text.split("x")
    return tuple(None if e == "?" else int(e) for e in extents), _BY_MLIR[element]


@functools.lru_cache(maxsize=4096)
def _parse(text: str):
    if text in _BY_MLIR:
        return Scalar(_BY_MLIR[text])
    cells = re.fullmatch(r"!pto\.array<(\d+) x (.*)>", text)
    if cells is not None:
        if cells[2] != "!pto.task" and cells[2] not in _BY_MLIR:
            return Other(text)
        return Cells(int(cells[1]), TASK_ID if cells[2] == "!pto.task" else _BY_MLIR[cells[2]])
    match = re.fullmatch(r"(tensor|!pto\.gm|!pto\.tile|!pto\.buf)<(.*)>", text)
    if match is None:
        return Other(text)
    family, inner = match.groups()
    first, *rest = [part.strip() for part in inner.split(",")]
    if first.rpartition("x")[2] not in _BY_MLIR:  # an element type that the language has not
        return Other(text)
    shape, dtype = _shaped(first)
    if family in ("tensor", "!pto.gm"):
        apart = [part.rstrip(">").rpartition("<")[2] for part in rest if "pitch<" in part]
        # Strides that a view operation holds are `?`.
        return Array(shape, dtype, *(None if one == "?" else int(one) for one in apart))
    space = next((_SPACES[part] for part in rest if part in _SPACES), None)
    layout = next((part for part in rest if part in _LAYOUTS), None)
    if family == "!pto.tile":
        return Tile(shape, dtype, space, layout)
    root, slots = shape, 1
    for part in rest:
        if part.startswith("of<"):
            root = tuple(int(extent) for extent in part[3:-1].split("x"))
        elif part.startswith("slots<"):
            slots = int(part[6:-1])
    return Buffer(shape, dtype, space, layout, root, slots)


def _list(extents) -> str:
    return "[" + ", ".join("..." if extent is None else str(extent) for extent in extents) + "]"


def annotation(kind) -> str:
    """The type in the language's syntax. A buffer, which the language has no
    annotation for, is written like a tile, with its layout and its allocation."""
    if isinstance(kind, Scalar):
        return f"pl.Scalar[pl.{kind.dtype}]"
    if isinstance(kind, Array):
        view = f", pl.TensorView(stride=[{kind.pitch}, 1])" if kind.pitch else ""
        return f"pl.Tensor[{_list(kind.shape)}, pl.{kind.dtype}{view}]"
    if isinstance(kind, Cells):
        return f"pl.Array[{kind.size}, pl.{kind.dtype}]"
    if isinstance(kind, Tile):
        parts = [_list(kind.shape), f"pl.{kind.dtype}"]
        parts += [f"pl.Mem.{kind.space.name}"] if kind.space is not None else []
        parts += [repr(kind.layout)] if kind.layout else []
        return f"pl.Tile[{', '.join(parts)}]"
    if isinstance(kind, Buffer):
        parts = [
            _list(kind.shape),
            f"pl.{kind.dtype}",
            f"pl.Mem.{kind.space.name}",
            repr(kind.layout),
        ]
        if kind.root != kind.shape:
            parts.append(f"'of {_list(kind.root)}'")
        if kind.slots != 1:
            parts.append(f"'{kind.slots} slots'")
        return f"pl.Tile[{', '.join(parts)}]"
    return {"!pto.task": "pl.TaskId"}.get(kind.text, repr(kind.text))


def name_of(location) -> str | None:
    """The name that a location gives its operation or argument."""
    while True:
        if location.is_a_name():
            return name_of_location(location)
        if location.is_a_callsite():
            location = location.callee
        elif location.is_a_fused() and location.locations:
            location = location.locations[0]
        else:
            return None
