# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Tiles and groups of tiles: their allocations, and what operations get of them."""

from __future__ import annotations

import ast
import functools
import re

from ...diagnostics.errors import ParserTypeError, UndefinedNameError
from ...language.dtypes import INDEX
from ...mlir import ir
from .. import session
from ..values import Value
from .builder import ProBuilder
from .values import Cell, CellOf, Tile, TileGroup, TileType, describe, whole_extents

_BUFFER = re.compile(
    r"!pto\.buf<([\d?]+)x([\d?]+)x(\w+), (\w+), (\w+)(?:, of<(\d+)x(\d+)>)?(?:, slots<(\d+)>)?>"
)


@functools.cache
def _window_type(source: str, rows: int | None, cols: int | None) -> ir.Type:
    """The type of a window of a buffer; None: an extent that the run knows."""
    found = _BUFFER.fullmatch(source)
    root = found[6] or found[1], found[7] or found[2]
    shape = ["?" if extent is None else str(extent) for extent in (rows, cols)]
    of = "" if tuple(shape) == root else f", of<{root[0]}x{root[1]}>"
    text = f"!pto.buf<{shape[0]}x{shape[1]}x{found[3]}, {found[4]}, {found[5]}{of}>"
    return ir.Type.parse(text, session.CONTEXT)


@functools.cache
def _slots_type(source: str, slots: int) -> ir.Type:
    return ir.Type.parse(f"{source[:-1]}, slots<{slots}>>", session.CONTEXT)


# Declarations.


def make_tile(fb: ProBuilder, type_: TileType, addr: int, node: ast.AST, name) -> Tile:
    name = name or "tile"
    made = fb.module.allocate(fb, type_.buffer, [addr], [], node, name)
    rows, cols = whole_extents(type_)
    return Tile(made, type_, Cell(f"{name}_rows", rows), Cell(f"{name}_cols", cols), name)


def make_group(
    fb: ProBuilder, type_: TileType, addrs: list[int], mutex_ids: list[int], node: ast.AST, name
) -> TileGroup:
    name, slots = name or "group", len(addrs)
    buffer = type_.buffer if slots == 1 else _slots_type(str(type_.buffer), slots)
    made = fb.module.allocate(fb, buffer, addrs, mutex_ids, node, name)
    return TileGroup(made, type_, slots, name, bool(mutex_ids) and fb.module.auto_mutex)


# Groups.


def slot(fb: ProBuilder, group: TileGroup, index, node: ast.AST) -> Tile:
    """The tile in a slot: an int, or a scalar."""
    if isinstance(index, int):
        if not -group.count <= index < group.count:
            raise fb.error(node, f"slot {index} is beyond the {group.count} of '{group.name}'")
        index %= group.count
    elif group.count == 1:
        index = 0
    rows, cols = (CellOf(cells.cells, index) for cells in (group.rows, group.cols))
    return Tile(group, group.type, rows, cols, group.name, index=index)


def _moved(fb: ProBuilder, group: TileGroup, by: int, node: ast.AST, name: str | None):
    """The position `by` slots further."""
    position = fb.read(group.position)
    if isinstance(position, int):
        return (position + by) % group.count
    kind = session.scalar_type(INDEX)
    step = fb.constant(by, INDEX, node)
    count = fb.constant(group.count, INDEX, node)
    further = fb.value("arith.addi", kind, [position.ir, step], None, node)
    made = fb.value("arith.remsi", kind, [further.ir, count], None, node, name)
    made.nonnegative = True
    return made


def group_method(fb: ProBuilder, group: TileGroup, method: str, node: ast.Call) -> Tile:
    """`g.next()`, `g.current()`, `g.previous()`."""
    if method not in ("next", "current", "previous"):
        raise fb.error(
            node.func,
            f"a tile group has no '{method}'; it has next(), current(), previous() and [i]",
            UndefinedNameError,
        )
    if node.args or node.keywords:
        raise fb.error(node, f"{method}() of a tile group takes no arguments", ParserTypeError)
    if method == "next":
        position = _moved(fb, group, 1, node, group.position.name)
        fb.write_cell(group.position, position)
    elif method == "previous":
        position = _moved(fb, group, group.count - 1, node, None)
    else:
        position = fb.read(group.position)
    return slot(fb, group, position, node)


def tile_of(fb: ProBuilder, value, node: ast.AST, what: str) -> Tile:
    if isinstance(value, Tile):
        return value
    hint = ""
    if isinstance(value, TileGroup):
        hint = f"; write {value.name}.current(), {value.name}.next() or {value.name}[i]"
    raise fb.error(node, f"{what} must be a tile, found {describe(value)}{hint}", ParserTypeError)


# In operations.


def _whole(fb: ProBuilder, tile: Tile, node: ast.AST) -> ir.Value:
    """The buffer of the whole tile."""
    base = tile.base
    if isinstance(base, Tile):
        shape = [extent if isinstance(extent, int) else extent.ir for extent in _extents(fb, tile)]
        return _subview(fb, _whole(fb, base, node), tile.offsets, shape, node, tile.name)
    if isinstance(base, TileGroup):
        if base.count == 1:
            return base.ir
        index = fb.number(tile.index, INDEX, node)
        type_ = tile.type.buffer
        return fb.emit("pto.tile.slot", [type_], [base.ir, index], None, node, tile.name).result
    return base


def _extents(fb: ProBuilder, tile: Tile) -> list:
    return [fb.read(tile.rows), fb.read(tile.cols)]


def buffer(fb: ProBuilder, tile: Tile, node: ast.AST) -> ir.Value:
    whole = _whole(fb, tile, node)
    if isinstance(tile.base, Tile):
        return whole
    extents = _extents(fb, tile)
    if tuple(extents) == tile.type.shape:
        return whole
    return _subview(fb, whole, (0, 0), extents, node, tile.name)


def window(fb: ProBuilder, tile: Tile, offsets, sizes, node: ast.AST, name) -> ir.Value:
    return _subview(fb, _whole(fb, tile, node), offsets, sizes, node, name or tile.name)


def _subview(fb: ProBuilder, source: ir.Value, offsets, sizes, node, name) -> ir.Value:
    sizes = [Value(size, None) if isinstance(size, ir.Value) else size for size in sizes]
    found = [
        size.ir if isinstance(size, Value) and size.type is None else fb.index(size, node, "a size")
        for size in sizes
    ]
    moved, static_offsets = fb.indices(offsets, node, "an offset")
    extents = [size for size in found if not isinstance(size, int)]
    static = [size if isinstance(size, int) else session.DYNAMIC for size in found]
    known = [size if isinstance(size, int) else None for size in found]
    attributes = {
        "static_offsets": static_offsets,
        "static_sizes": session.int64s(static),
        "operandSegmentSizes": session.int32s([1, len(moved), len(extents)]),
    }
    type_ = _window_type(str(source.type), *known)
    return fb.emit(
        "pto.tile.subview", [type_], [source, *moved, *extents], attributes, node, name
    ).result


def slice_of(fb: ProBuilder, tile: Tile, offsets, sizes, type_: TileType, name: str) -> Tile:
    """A window of a tile as a tile of its own: it shares the memory, and has its own valid
    part, `sizes`. `type_` is that of the window."""
    rows, cols = (
        Cell(f"{name}_{word}", size) for word, size in zip(("rows", "cols"), sizes, strict=True)
    )
    return Tile(tile, type_, rows, cols, name, offsets=tuple(offsets))
