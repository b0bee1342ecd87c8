# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`x[...]`: single elements, which the scalar unit reads and writes, and slices of tiles."""

from __future__ import annotations

import ast

from pypto_pro.language.enums import TensorLayout

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....language.dtypes import INDEX, DataType
from ... import scalars
from ...values import Value
from ...windows import difference
from ..builder import ProBuilder, element_type, signless
from ..calls import Call
from ..tiles import slice_of
from ..values import Pointer, TensorView, Tile, TileType, describe
from .arguments import emit, mixed, not_here, op_name
from .scalar_operands import exact


def getitem(fb: ProBuilder, call: Call):
    base, index = call["base"], call["index"]
    if any(isinstance(item, slice) for item in index):
        return _slice(fb, call, base, index)
    return _get(fb, call, base, list(index), call.node_of("index"))


def setitem(fb: ProBuilder, call: Call) -> None:
    base, index = call["base"], call["index"]
    if any(isinstance(item, slice) for item in index):
        raise fb.error(
            call.node,
            "a slice cannot be assigned; an operation writes it, as in pl.add(t[0:16, 0:64], a, b)",
            UnsupportedFeatureError,
        )
    _set(fb, call, base, list(index), call.node_of("index"))


def getval(fb: ProBuilder, call: Call):
    base, index, node = _addressed(fb, call)
    return _get(fb, call, base, index, node)


def setval(fb: ProBuilder, call: Call) -> None:
    base, index, node = _addressed(fb, call)
    _set(fb, call, base, index, node)


# Where.


def _addressed(fb: ProBuilder, call: Call) -> tuple:
    """The container and the indices of `pl.getval` and `pl.setval`: one number counts the
    elements of a tile, or those in DDR from the array's beginning on."""
    base, offset, node = call["container"], call["offset"], call.node_of("offset")
    if isinstance(offset, (list, tuple)):
        return base, list(offset), node
    offset = fb.scalar_of(offset, node)
    fb.index(offset, node, f"{op_name(call)}: the offset")
    if isinstance(base, TensorView):
        return base.pointer, [offset], node
    if not isinstance(base, Tile):
        return base, [offset], node
    columns = base.type.layout is TensorLayout.DN
    extent = base.type.shape[0 if columns else 1]
    whole = scalars.binary(fb, "//", offset, extent, node, None)
    rest = scalars.binary(fb, "%", offset, extent, node, None)
    return base, [rest, whole] if columns else [whole, rest], node


def _container(fb: ProBuilder, call: Call, base, node: ast.AST) -> tuple:
    """What an element is of: its MLIR value, its extents and its element type."""
    if isinstance(base, TensorView):
        return base.ir, base.shape, base.dtype
    if isinstance(base, Pointer):
        return base.ir, (None,), base.dtype
    if not isinstance(base, Tile):
        raise fb.error(node, f"{describe(base)} has no elements", ParserTypeError)
    space = base.type.space.name
    if space != "Vec":
        raise fb.error(
            node,
            f"the scalar unit reaches tiles in Vec and arrays in DDR only; '{base.name}' is a "
            f"{base.type}",
            ParserTypeError,
        )
    if fb.core != "aiv":
        message = not_here(fb, f"'{base.name}' is a tile of the AIV", "aiv")
        raise fb.error(node, message, ParserTypeError)
    return fb.buffer(base, node), fb.valid(base), base.type.dtype


def _where(fb: ProBuilder, base, index: list, extents, node: ast.AST) -> tuple[list, dict]:
    if len(index) != len(extents):
        raise fb.error(
            node,
            f"an element of a {describe(base)} has {len(extents)} indices, found {len(index)}",
            ParserTypeError,
        )
    places = []
    for axis, (item, extent) in enumerate(zip(index, extents, strict=True)):
        found = fb.index(item, node, "an index")
        beyond = isinstance(extent, int) and isinstance(found, int) and found >= extent
        if isinstance(found, int) and (found < 0 or beyond):
            whole = f"the {extent} of" if isinstance(extent, int) else ""
            raise fb.error(
                node,
                f"index {found} in dimension {axis} is not within {whole} a {describe(base)}",
                ParserTypeError,
            )
        places.append(found)
    operands, static = mixed(places)
    return operands, {"static_offsets": static}


# Elements.


def _get(fb: ProBuilder, call: Call, base, index: list, node: ast.AST) -> Value:
    made, extents, dtype = _container(fb, call, base, call.node)
    operands, attributes = _where(fb, base, index, extents, node)
    operation = emit(
        fb,
        "tile.get_value",
        [made, *operands],
        attributes,
        call.node,
        [element_type(signless(dtype))],
        call.name,
    )
    return _scalar(fb, operation, dtype)


def _scalar(fb: ProBuilder, operation, dtype: DataType) -> Value:
    return fb.operation_result(operation, dtype)


def _set(fb: ProBuilder, call: Call, base, index: list, node: ast.AST) -> None:
    made, extents, dtype = _container(fb, call, base, call.node)
    operands, attributes = _where(fb, base, index, extents, node)
    value = exact(fb, call["value"], dtype, call.node_of("value"))
    if isinstance(base, (TensorView, Pointer)):
        fb.note_write(base.pointer if isinstance(base, TensorView) else base)
    emit(fb, "tile.set_value", [value, made, *operands], attributes, call.node)


# Slices.


def _slice(fb: ProBuilder, call: Call, base, index: list) -> Tile:
    node = call.node
    if not isinstance(base, Tile):
        raise fb.error(
            node,
            f"a slice is of a tile, found {describe(base)}; pl.load and pl.store take offsets in a "
            "tensor",
            ParserTypeError,
        )
    layouts = (TensorLayout.ND, TensorLayout.DN)
    if base.type.space.name != "Vec" or base.type.layout not in layouts:
        raise fb.error(
            node,
            f"a slice is of a tile in Vec of layout ND or DN; '{base.name}' is a {base.type} of "
            f"layout {base.type.layout.name}; pl.move and pl.insert take offset=",
            ParserTypeError,
        )
    if len(index) != 2 or not all(isinstance(item, slice) for item in index):
        raise fb.error(node, "a slice of a tile has two ranges, as t[0:16, 0:64]", ParserTypeError)
    offsets, sizes = [], []
    for axis, item in enumerate(index):
        offset, size = _range(fb, base, axis, item, node)
        offsets.append(offset)
        sizes.append(size)
    name = call.name or base.name
    valid = [_clamped(fb, base, axis, offsets[axis], sizes[axis], node) for axis in (0, 1)]
    return slice_of(fb, base, offsets, valid, _slice_type(base.type, sizes), name)


def _slice_type(whole: TileType, sizes: list) -> TileType:
    import dataclasses

    shape = tuple(sizes)
    return dataclasses.replace(whole, shape=shape, valid_shape=shape)


def _range(fb: ProBuilder, base: Tile, axis: int, item: slice, node: ast.AST) -> tuple:
    """Where a range begins, and how long it is, which is known at compile time."""
    whole = base.type.shape[axis]
    if item.step is not None:
        raise fb.error(node, "a slice of a tile has no step", UnsupportedFeatureError)
    begin = 0 if item.start is None else fb.scalar_of(item.start, node)
    end = whole if item.stop is None else fb.scalar_of(item.stop, node)
    first, last = (fb.index(bound, node, "a bound of a slice") for bound in (begin, end))
    size = difference(last, first)
    if size is None:
        raise fb.error(
            node,
            "how many elements a slice of a tile has is known at compile time; write "
            "t[i:i + 16, :]",
            ParserTypeError,
        )
    known = isinstance(first, int)
    if size <= 0 or size > whole or (known and (first < 0 or first + size > whole)):
        words = f"{first} to {first + size}" if known else f"{size} elements"
        raise fb.error(
            node,
            f"the slice of {words} in dimension {axis} is not within the {whole} of '{base.name}'",
            ParserTypeError,
        )
    return begin, size


def _clamped(fb: ProBuilder, base: Tile, axis: int, offset, size: int, node: ast.AST):
    """How much of the slice is valid: what is left of the tile's valid part behind `offset`."""
    extent = fb.valid(base)[axis]
    if extent == base.type.shape[axis]:
        return size
    if offset == 0 and size == base.type.shape[axis]:
        return extent
    rest = extent if offset == 0 else scalars.binary(fb, "-", extent, offset, node, None)
    some = scalars.extreme(fb, "max", rest, 0, node, None)
    found = scalars.extreme(fb, "min", some, size, node, None)
    if isinstance(found, Value):
        return scalars.convert(fb, found, INDEX, node)
    if found == 0:
        raise fb.error(
            node,
            f"nothing of the slice is valid: '{base.name}' has {extent} valid "
            f"{('rows', 'columns')[axis]}",
            ParserTypeError,
        )
    return found
