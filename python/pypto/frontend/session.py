# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The MLIR context of this process, and what is made once in it.

One context for all kernels: types, attributes and file names are then looked
up, not made again, which is most of what a warm compilation saves. A context
without threads is used by one thread at a time; `LOCK` sees to that.
"""

from __future__ import annotations

import threading

from ..language.dtypes import TASK_ID, DataType
from ..language.enums import MemorySpace
from ..mlir import ir
from ..mlir._mlir_libs import _pto

LOCK = threading.RLock()
CONTEXT = ir.Context()
# Errors go to the handler that is attached, not into the exception.
CONTEXT.emit_error_diagnostics = True
_pto.keep_errors_short(CONTEXT)
UNKNOWN = ir.Location.unknown(CONTEXT)

_elements = {
    dtype: ir.Type.parse(dtype.mlir, CONTEXT) for dtype in DataType.all.values() if dtype.mlir
}
_dtypes = {str(element): dtype for dtype, element in _elements.items()}
INDEX_TYPE = ir.IndexType.get(CONTEXT)


def element_type(dtype: DataType) -> ir.Type:
    return _elements[dtype]


def dtype_of(element: ir.Type) -> DataType:
    return _dtypes[str(element)]


class Type:
    """A type of the language with its IR type; one object for each."""

    __slots__ = ("dtype", "ir", "shape", "space")
    kind = ""
    _known: dict = {}

    def __init__(self, shape, dtype, space, made):
        self.shape, self.dtype, self.space, self.ir = shape, dtype, space, made

    def __str__(self) -> str:
        extents = () if self.shape is None else self.shape
        known = ("?" if extent == DYNAMIC else str(extent) for extent in extents)
        shape = f"[{', '.join(known)}] " if self.shape is not None else ""
        space = f" in {self.space.name}" if self.space is not None else ""
        return f"{shape}{self.dtype} {self.kind}{space}"

    def same_value(self, other: Type) -> bool:
        """Whether both hold the same kind of value, wherever it lies."""
        return self.kind == other.kind and self.shape == other.shape and self.dtype is other.dtype


class TensorType(Type):
    __slots__ = ("pitch",)
    kind = "array"

    def __init__(self, shape, dtype, space, made, pitch: int = 0):
        super().__init__(shape, dtype, space, made)
        self.pitch = pitch

    def __str__(self) -> str:
        apart = f" with rows {self.pitch} elements apart" if self.pitch else ""
        return super().__str__() + apart

    def same_value(self, other: Type) -> bool:
        return super().same_value(other) and self.pitch == other.pitch


class TileType(Type):
    __slots__ = ()
    kind = "tile"


class ScalarType(Type):
    __slots__ = ()
    kind = "scalar"


class TaskType(Type):
    """What `as tid` names."""

    __slots__ = ()
    kind = "task id"

    def __str__(self) -> str:
        return "a task id"


class CellsType(Type):
    """A pl.array; its shape is its size."""

    __slots__ = ()
    kind = "pl.array"

    def __str__(self) -> str:
        return f"pl.array of {self.shape[0]} {self.dtype}"


def tensor_type(shape: tuple, dtype: DataType, pitch: int = 0) -> TensorType:
    """`pitch`: elements between the beginnings of two rows, where they do not follow
    one another."""
    key = ("tensor", shape, dtype, pitch)
    found = Type._known.get(key)
    if found is None:
        encoding = attribute(f"#pto.pitch<{pitch}>") if pitch else None
        made = ir.RankedTensorType.get(list(shape), _elements[dtype], encoding, loc=UNKNOWN)
        found = Type._known[key] = TensorType(shape, dtype, None, made, pitch)
    return found


def cells_type(size: int, dtype: DataType) -> CellsType:
    key = ("cells", size, dtype)
    found = Type._known.get(key)
    if found is None:
        element = "!pto.task" if dtype is TASK_ID else str(_elements[dtype])
        made = ir.Type.parse(f"!pto.array<{size} x {element}>", CONTEXT)
        found = Type._known[key] = CellsType((size,), dtype, None, made)
    return found


def tile_type(shape: tuple, dtype: DataType, space: MemorySpace | None = None) -> TileType:
    key = (shape, dtype, space)
    found = Type._known.get(key)
    if found is None:
        number = -1 if space is None else int(space)
        made = _pto.tile_type(_elements[dtype], shape[0], shape[1], number)
        found = Type._known[key] = TileType(shape, dtype, space, made)
    return found


def scalar_type(dtype: DataType) -> ScalarType:
    """Scalars have no sign in the IR: what an operation makes of one says how it reads it."""
    found = Type._known.get(dtype)
    if found is None:
        made = ir.Type.parse(dtype.mlir.removeprefix("u"), CONTEXT)
        found = Type._known[dtype] = ScalarType(None, dtype, None, made)
    return found


TASK = TaskType(None, TASK_ID, None, ir.Type.parse("!pto.task", CONTEXT))

_attributes: dict[str, ir.Attribute] = {}


def attribute(text: str) -> ir.Attribute:
    """An attribute by its text, parsed once."""
    found = _attributes.get(text)
    if found is None:
        found = _attributes[text] = ir.Attribute.parse(text, CONTEXT)
    return found


_arrays: dict = {}


def int64s(values) -> ir.Attribute:
    key = tuple(values)
    found = _arrays.get(key)
    if found is None:
        found = _arrays[key] = ir.DenseI64ArrayAttr.get(list(key), CONTEXT)
    return found


def int32s(values) -> ir.Attribute:
    key = (tuple(values),)
    found = _arrays.get(key)
    if found is None:
        found = _arrays[key] = ir.DenseI32ArrayAttr.get(list(key[0]), CONTEXT)
    return found


def strings(values) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.StringAttr.get(text, CONTEXT) for text in values], CONTEXT)


# The number that an index list holds where the index is an operand.
DYNAMIC = ir.ShapedType.get_dynamic_size()
