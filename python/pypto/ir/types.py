# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Types of the IR, read back for people."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re

from ..diagnostics.mlir import name_of as name_of_location
from ..language.dtypes import TASK_ID, DataType
from ..language.enums import MemorySpace
from ..mlir import ir

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


def mlir_of(kind, by_reference: bool = False) -> ir.Type:
    """The type that is printed so. `by_reference`: an array is one in DDR, `!pto.gm`."""
    if isinstance(kind, Scalar):
        return ir.Type.parse(kind.dtype.mlir)
    if isinstance(kind, Cells):
        element = "!pto.task" if kind.dtype is TASK_ID else kind.dtype.mlir
        return ir.Type.parse(f"!pto.array<{kind.size} x {element}>")
    if isinstance(kind, Other):
        return ir.Type.parse(kind.text)
    extents = "".join(f"{'?' if extent is None else extent}x" for extent in kind.shape)
    parts = [extents + kind.dtype.mlir]
    if isinstance(kind, Array):
        if kind.pitch:
            parts.append(f"pitch<{kind.pitch}>" if by_reference else f"#pto.pitch<{kind.pitch}>")
        return ir.Type.parse(f"{'!pto.gm' if by_reference else 'tensor'}<{', '.join(parts)}>")
    parts += [kind.space.name.lower()] if kind.space is not None else []
    parts += [kind.layout] if kind.layout else []
    if isinstance(kind, Tile):
        return ir.Type.parse(f"!pto.tile<{', '.join(parts)}>")
    parts += [f"of<{'x'.join(map(str, kind.root))}>"] if kind.root != kind.shape else []
    parts += [f"slots<{kind.slots}>"] if kind.slots != 1 else []
    return ir.Type.parse(f"!pto.buf<{', '.join(parts)}>")


def _extents(node: ast.AST) -> tuple:
    return tuple(None if extent is ... else extent for extent in ast.literal_eval(node))


def parse_annotation(node: ast.AST):
    """The type of an annotation; `annotation` backwards. A buffer without words of its own is
    taken for a tile: what makes it tells them apart."""
    text = ast.unparse(node)
    if text == "pl.TaskId":
        return Other("!pto.task")
    if isinstance(node, ast.Constant):
        return Other(node.value)
    family = text.partition("[")[0]
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    words = [ast.unparse(item).removeprefix("pl.") for item in items]
    if family == "pl.Scalar":
        return Scalar(DataType.all[words[0]])
    dtype = TASK_ID if words[1] == "TASK_ID" else DataType.all[words[1]]
    if family == "pl.Array":
        return Cells(items[0].value, dtype)
    shape = _extents(items[0])
    if family == "pl.Tensor":
        pitch = next((i.keywords[0].value for i in items if isinstance(i, ast.Call)), None)
        return Array(shape, dtype, _extents(pitch)[0] if pitch is not None else 0)
    space = next((_SPACES[w[4:].lower()] for w in words if w.startswith("Mem.")), None)
    said = [item.value for item in items if isinstance(item, ast.Constant)]
    layout = next((word for word in said if word in _LAYOUTS), None)
    root = next((word[3:] for word in said if word.startswith("of ")), None)
    slots = next((int(word.split()[0]) for word in said if word.endswith(" slots")), 1)
    if root is None and slots == 1:
        return Tile(shape, dtype, space, layout)
    whole = _extents(ast.parse(root).body[0].value) if root else shape
    return Buffer(shape, dtype, space, layout, whole, slots)


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
