# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a name of a Pro kernel can be bound to, besides scalars (`frontend.values.Value`)
and what is known at compile time (numbers, strings, dtypes, enum members, tuples, lists)."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

from ...language.dtypes import DataType
from ...mlir import ir
from ..values import Value


class Cell:
    """A scalar of the program that belongs to an object: `fb.read(cell)`, `fb.write_cell(cell,
    value)`. Loops and branches carry it as they carry the author's scalars. What it holds
    before it is written is `initial`, a number, or a scalar made before the cell."""

    __slots__ = ("initial", "name", "nonnegative", "serial")
    _serials = itertools.count(1)
    # That of the last cell.
    last = 0

    def __init__(self, name: str, initial, nonnegative: bool = False):
        # The name is for the dump; cells are told apart by themselves.
        self.name, self.initial, self.nonnegative = name, initial, nonnegative
        self.serial = Cell.last = next(Cell._serials)

    def __repr__(self) -> str:
        return f"<cell {self.name}>"


class CellOf:
    """One of several cells, which the run picks: `index` None writes to all of them and reads
    the first."""

    __slots__ = ("cells", "index")

    def __init__(self, cells: list[Cell], index):
        self.cells, self.index = cells, index


@dataclasses.dataclass(frozen=True)
class KeyField:
    """A field of the tiling key. As an operand it is a scalar of the program
    (`fb.scalar_of`); where something known at compile time is asked of it
    (`fb.static_int`), the kernel is read again with its value in its place."""

    name: str

    def __str__(self) -> str:
        return f"the tiling key field '{self.name}'"


class Pointer:
    """A pointer into an array of the host. `ir`: `!pto.gm<?xT>`, which `make_ptr` moves.
    `parameter`: the kernel parameter whose memory it is; a store writes that
    (`fb.note_write(pointer)`)."""

    __slots__ = ("dtype", "ir", "parameter")

    def __init__(self, made, dtype: DataType, parameter: Parameter):
        self.ir, self.dtype, self.parameter = made, dtype, parameter


class TensorView:
    """An array at a pointer. `shape` and `strides` hold ints and scalars (`Value`); `ir` is
    the value of its `pto.tile.make_tensor`. `layout` is the member of `TensorLayout`."""

    __slots__ = ("dtype", "ir", "layout", "name", "pointer", "shape", "strides")

    def __init__(self, made, pointer: Pointer, shape, strides, dtype, layout, name=""):
        self.ir, self.pointer, self.dtype, self.layout = made, pointer, dtype, layout
        self.shape, self.strides, self.name = tuple(shape), tuple(strides), name


@dataclasses.dataclass(frozen=True, repr=False)
class TileType:
    """What `pl.TileType(...)` gives inside a kernel, checked and complete. `space`: a member
    of `pl.MemorySpace`; `layout`: a member of `pl.TensorLayout`; `valid_shape`: as many
    entries as `shape`, -1 where the extent is set at run time. `buffer`: its `!pto.buf`."""

    shape: tuple[int, int]
    dtype: DataType
    space: Any
    valid_shape: tuple[int, int]
    layout: Any
    buffer: Any
    fractal: int | None = None
    pad: Any = None
    compact: int | None = None

    def __str__(self) -> str:
        return f"[{self.shape[0]}, {self.shape[1]}] {self.dtype} tile in {self.space.name}"

    def __repr__(self) -> str:
        return f"the type of a {self}"


class Tile:
    """A tile: memory on the chip. `base` is what it lies in: the value of an allocation with
    one slot, a `TileGroup` (of which it is slot `index`), or another tile (of which it is the
    window `offsets`, of the shape of its own type). The IR of the latter is made where the
    tile is used. `rows` and `cols` are cells that hold how much of it is valid.
    `fb.buffer(tile, node)` is what an operation uses: a window of the valid part."""

    __slots__ = ("base", "cols", "index", "mutexed", "name", "offsets", "rows", "type")

    def __init__(self, base, type: TileType, rows, cols, name: str, index=None, offsets=None):
        self.base, self.type, self.name, self.index = base, type, name, index
        self.rows, self.cols, self.offsets = rows, cols, offsets
        # Whether mutex ids guard it.
        self.mutexed = False if isinstance(base, ir.Value) else base.mutexed


class TileGroup:
    """N tiles of one type: an allocation with slots. `position` is a cell: the slot that
    `current()` gives; before the first `next()` it is the last slot. Each slot has its own
    valid part; writing `rows` and `cols` of the group sets those of all slots."""

    __slots__ = ("cols", "count", "ir", "mutexed", "name", "position", "rows", "type")

    def __init__(self, made, type: TileType, count: int, name: str, mutexed: bool):
        self.ir, self.type, self.count, self.name = made, type, count, name
        self.position = Cell(f"{name}_slot", count - 1, nonnegative=True)
        self.rows, self.cols = (
            CellOf([Cell(f"{name}_{word}", extent) for _ in range(count)], None)
            for word, extent in zip(("rows", "cols"), whole_extents(type), strict=True)
        )
        self.mutexed = mutexed


def whole_extents(type: TileType) -> tuple[int, int]:
    """How much of a tile is valid until the program says otherwise."""
    return tuple(
        extent if valid < 0 else valid
        for extent, valid in zip(type.shape, type.valid_shape, strict=True)
    )


class Chosen:
    """A tile (or another object) picked by a condition of the program: `one` where
    `condition` holds, else `other`, each perhaps chosen again. Operations never see it:
    `calls` puts the operation into both arms of an `scf.if`."""

    __slots__ = ("condition", "one", "other")

    def __init__(self, condition: Value, one, other):
        self.condition, self.one, self.other = condition, one, other

    def first(self):
        """One of those it may be."""
        return self.one.first() if isinstance(self.one, Chosen) else self.one


class Struct:
    """`pl.struct("Name", f=init)`: each field a cell, or a list of cells."""

    __slots__ = ("fields", "name")

    def __init__(self, name: str, fields: dict[str, Cell | list[Cell]]):
        self.name, self.fields = name, fields


class StructArray:
    """`pl.struct_array(N, "Name", f=init)`; `items` are N structs."""

    __slots__ = ("items", "name")

    def __init__(self, name: str, items: list[Struct]):
        self.name, self.items = name, items


class StructItem:
    """`array[i]` with an index known at run time only: reads choose, writes go to the
    one that it is."""

    __slots__ = ("array", "index")

    def __init__(self, array: StructArray, index: Value):
        self.array, self.index = array, index


class NamedTuple:
    """`pl.make_tuple(f=expr)`, or the tiling parameter `tiling`; nothing in it changes."""

    __slots__ = ("fields", "tiling")

    def __init__(self, fields: dict[str, object], tiling: str = ""):
        self.fields, self.tiling = fields, tiling

    def __str__(self) -> str:
        kind = f"the tiling parameter '{self.tiling}'" if self.tiling else "a tuple"
        return f"{kind} with the fields {', '.join(self.fields)}"


@dataclasses.dataclass
class Parameter:
    """A parameter of the kernel. `kind`: "tensor", "pointer", "scalar" or "tiling".
    `shape`: of a tensor, ints and the markers DYNAMIC and STATIC; `written`: whether the
    kernel stores to it."""

    name: str
    kind: str
    node: Any
    dtype: DataType | None = None
    shape: tuple = ()
    layout: Any = None
    tiling: type | None = None
    written: bool = False


def describe(value) -> str:
    """The value in the author's words, for an error."""
    from ..values import describe as describe_scalar

    if isinstance(value, Chosen):
        return describe(value.first())
    for kind, text in _WORDS:
        if isinstance(value, kind):
            return text(value)
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return describe_scalar(value)


def _dims(values) -> str:
    return ", ".join(str(item) if isinstance(item, int) else "?" for item in values)


_WORDS = (
    (Tile, lambda value: f"{value.type}"),
    (TileGroup, lambda value: f"a group of {value.count} tiles ({value.type})"),
    (TileType, lambda value: f"the type of a {value}"),
    (TensorView, lambda value: f"[{_dims(value.shape)}] {value.dtype} tensor"),
    (Pointer, lambda value: f"pointer to {value.dtype}"),
    (Struct, lambda value: f"struct {value.name}"),
    (StructItem, lambda value: f"struct {value.array.name}"),
    (StructArray, lambda value: f"array of {len(value.items)} structs {value.name}"),
    (NamedTuple, str),
    (KeyField, str),
)
