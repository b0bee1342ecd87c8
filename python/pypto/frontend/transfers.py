# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Between DDR and a core, and between the memories of a core: load, store, move."""

from __future__ import annotations

import math

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import INDEX
from ..language.enums import MemorySpace, TileLayout
from ..mlir import ir
from . import data, scalars, session
from .build import ON_CHIP, Call, indices, is_data, require_writable, static_shape
from .builder import FunctionBuilder
from .values import Array, Value, describe


def load(fb: FunctionBuilder, call: Call) -> Value:
    source, _, _, valid, space, clamp = call.args
    if not is_data(source) or source.type.kind != "array":
        raise fb.error(
            call.place(0),
            f"{call.path} reads an array in DDR, found {describe(source)}",
            ParserTypeError,
        )
    if not isinstance(source, Array):
        raise fb.error(
            call.place(0),
            f"{call.path} reads an array in DDR; this one is computed, not stored: use it with "
            "pl.tensor operations, or store it first",
            ParserTypeError,
        )
    shape = static_shape(fb, call, 2, "a tile's shape")
    rank = len(source.type.shape)
    if len(shape) > rank or len(shape) < min(rank, 2) or (rank > 2 and len(shape) < rank):
        raise fb.error(
            call.place(2),
            f"{call.path} takes {rank} extents of {describe(source)}, found {list(shape)}",
            ParserTypeError,
        )
    if space is not None:
        check_target(fb, call, 4, space)
    offsets = data.argument_places(fb, call, 1, source, "offsets")
    extents = None if valid is None else data.checked_extents(fb, call, 3, valid, shape)
    if clamp:
        extents = data.clamped(fb, call, source, offsets, extents or list(shape))
    rows = _tile_rows(fb, call, source.type.shape, shape)
    if extents is not None:
        extents = _tile_extents(fb, call, shape, extents)
    else:
        _check_load(fb, call, source, offsets, shape)
    dynamic, static = data.split(offsets)
    dynamic_valid, static_valid = data.split(extents or [])
    attributes = {
        "static_offsets": static,
        "static_valid": static_valid,
        "operandSegmentSizes": session.int32s((1, len(dynamic), len(dynamic_valid), 0)),
    }
    made = session.tile_type((rows, shape[-1]), source.type.dtype, space)
    values = [source.ir, *dynamic, *dynamic_valid]
    return fb.value("pto.tile.load", made, values, attributes, call.node, call.name)


def _tile_rows(fb: FunctionBuilder, call: Call, array: tuple, shape: tuple) -> int:
    """A tile has rows: all dimensions of the window but the last. They follow one another."""
    if len(array) <= 2:
        return math.prod(shape[:-1])
    whole = True
    for size, extent in zip(reversed(shape[:-1]), reversed(array[:-1]), strict=True):
        if size != 1 and not whole:
            raise fb.error(
                call.place(2),
                f"{call.path}: {list(shape)} of {list(array)} are not rows that follow one "
                "another; load one matrix at a time",
                UnsupportedFeatureError,
            )
        whole = whole and size == extent
    return math.prod(shape[:-1])


def _tile_extents(fb: FunctionBuilder, call: Call, shape: tuple, extents: list) -> list:
    """Valid rows and columns of a window in more dimensions: only one of the others may have
    fewer than it has elements."""
    if len(shape) <= 2:
        return extents if len(extents) == 2 else [1, *extents]
    *outer, cols = extents
    open_ = [
        dim
        for dim, (extent, size) in enumerate(zip(outer, shape, strict=False))
        if extent is not size and extent != size
    ]
    if open_ and any(size != 1 for size in shape[: open_[0]]) or len(open_) > 1:
        raise fb.error(
            call.place(3) if call.places[3] else call.node,
            f"{call.path}: the valid rows of {list(shape)} do not follow one another; load one "
            "matrix at a time",
            UnsupportedFeatureError,
        )
    if not open_:
        return [math.prod(shape[:-1]), cols]
    inner = math.prod(shape[open_[0] + 1 : -1])
    rows = outer[open_[0]]
    if inner != 1:
        kind = session.scalar_type(INDEX)
        factor = fb.constant(inner, INDEX, call.node)
        operands_ = [data.as_index(fb, rows, call.node), factor]
        rows = fb.value("arith.muli", kind, operands_, None, call.node).ir
    return [rows, cols]


def _check_load(fb: FunctionBuilder, call: Call, source, offsets, shape: tuple) -> None:
    sizes = (1,) * (len(source.type.shape) - len(shape)) + shape
    data.check_inside(fb, source, offsets, sizes, call.node)


def check_target(fb: FunctionBuilder, call: Call, index: int, space) -> None:
    """Where a load from DDR can go."""
    node = call.place(index)
    if not isinstance(space, MemorySpace):
        raise fb.error(
            node, f"target_memory is a member of pl.Mem, found {describe(space)}", ParserTypeError
        )
    if space in (MemorySpace.Vec, MemorySpace.Mat):
        return
    if space is MemorySpace.DDR:
        fix = "the array is there already"
    elif space is MemorySpace.Acc:
        fix = "pl.matmul makes its result in Acc"
    elif space in ON_CHIP:
        fix = f"load to pl.Mem.Mat, then pl.move(..., target_memory={space})"
    else:
        fix = f"{space} is not supported yet"
    raise fb.error(
        node, f"{call.path}: from DDR a load reaches Vec or Mat only, not {space.name}; {fix}"
    )


def store(fb: FunctionBuilder, call: Call) -> Array:
    tile, _, target, shapes, atomic = call.args
    if not isinstance(tile, Value) or tile.type.kind != "tile":
        fix = "; out[:] = expr writes an array" if is_data(tile) else ""
        raise fb.error(
            call.place(0),
            f"{call.path} copies a tile, found {describe(tile)}{fix}",
            ParserTypeError,
        )
    require_writable(fb, target, call.place(2), call.path)
    value = tile
    if shapes is not None:
        value = _stored_part(fb, call, tile, shapes)
    adds = data.is_adding(fb, call, 4, target.type.dtype)
    offsets = data.argument_places(fb, call, 1, target, "offsets")
    dynamic, static = data.split(offsets)
    attributes = {"static_offsets": static}
    if adds:
        attributes["atomic_add"] = ir.UnitAttr.get(session.CONTEXT)
    made = fb.emit(
        "pto.tile.store",
        [target.type.ir],
        [value.ir, target.ir, *dynamic],
        attributes,
        call.node,
        target.name,
    )
    fb.write(target, made.result)
    return target


def _stored_part(fb: FunctionBuilder, call: Call, tile: Value, shapes) -> Value:
    """The first rows and columns of the tile, as many as `shapes` says."""
    extents = list(shapes) if isinstance(shapes, (list, tuple)) else []
    if len(extents) > 2 and all(extent == 1 for extent in extents[:-2]):
        extents = extents[-2:]
    if len(extents) == 1:
        extents = [1, *extents]
    if tuple(extents) == tile.type.shape:
        return tile
    if len(extents) != 2:
        raise fb.error(
            call.place(3),
            f"{call.path}: shapes= are rows and columns of the tile, found {describe(shapes)}",
            ParserTypeError,
        )
    found = [scalars.index(fb, extent, call.place(3), "each of shapes") for extent in extents]
    for extent, size in zip(found, tile.type.shape, strict=True):
        if isinstance(extent, int) and not 0 <= extent <= size:
            raise fb.error(
                call.place(3), f"{call.path}: shapes= {extent} is not within 0 to {size}"
            )
    dynamic, static = data.split(found)
    attributes = {"static_valid": static}
    return fb.value(
        "pto.tile.set_validshape", tile.type, [tile.ir, *dynamic], attributes, call.node
    )


def move(fb: FunctionBuilder, call: Call) -> Value:
    tile, space, _, _ = call.args
    if not isinstance(tile, Value) or tile.type.kind != "tile":
        fix = "; pl.load an array first" if is_data(tile) else ""
        raise fb.error(
            call.place(0), f"{call.path} moves a tile, found {describe(tile)}{fix}", ParserTypeError
        )
    if not isinstance(space, MemorySpace):
        raise fb.error(
            call.place(1),
            f"target_memory is a member of pl.Mem, found {describe(space)}",
            ParserTypeError,
        )
    if space is MemorySpace.DDR:
        raise fb.error(call.place(1), f"{call.path}: a tile goes to DDR with pl.store")
    if space not in ON_CHIP:
        raise fb.error(call.place(1), f"{space} is not supported yet", UnsupportedFeatureError)
    _check_layouts(fb, call, space)
    made = session.tile_type(tile.type.shape, tile.type.dtype, space)
    return fb.value("pto.tile.move", made, [tile.ir], None, call.node, call.name)


# The order of the blocks of a space, and of the elements in a block; none: rows.
_LAYOUTS = {
    MemorySpace.Vec: {(TileLayout.row_major, TileLayout.none_box)},
    MemorySpace.Mat: {(TileLayout.col_major, TileLayout.row_major)},
    MemorySpace.Left: {
        (TileLayout.row_major, TileLayout.row_major),
        (TileLayout.col_major, TileLayout.row_major),
    },
    MemorySpace.Right: {(TileLayout.row_major, TileLayout.col_major)},
    MemorySpace.Acc: {(TileLayout.col_major, TileLayout.row_major)},
    MemorySpace.Bias: {(TileLayout.row_major, TileLayout.none_box)},
}


def _check_layouts(fb: FunctionBuilder, call: Call, space: MemorySpace) -> None:
    """A tile has the layout that its space is read in; an author may say so."""
    for index, keyword in ((2, "blayout"), (3, "slayout")):
        given = call.args[index]
        if given is None:
            continue
        if not isinstance(given, TileLayout):
            raise fb.error(
                call.place(index),
                f"{keyword} is a member of pl.TileLayout, found {describe(given)}",
                ParserTypeError,
            )
        known = sorted({layouts[index - 2].name for layouts in _LAYOUTS[space]})
        if given.name not in known:
            raise fb.error(
                call.place(index),
                f"{call.path}: in {space} a tile has {keyword} {' or '.join(known)}, not "
                f"{given.name}",
                UnsupportedFeatureError,
            )


def set_validshape(fb: FunctionBuilder, call: Call) -> Value:
    tile = call.args[0]
    if not isinstance(tile, Value) or tile.type.kind != "tile":
        raise fb.error(
            call.place(0),
            f"{call.path} of {describe(tile)} is not supported yet; of a tile it is",
            UnsupportedFeatureError,
        )
    extents = Call(
        call.operation,
        call.level,
        call.path,
        [tile, call.args[1:3]],
        call.node,
        [call.places[0], call.places[1]],
        None,
    )
    dynamic, static = indices(fb, extents, 1, "valid extents")
    attributes = {"static_valid": static}
    return fb.value(
        "pto.tile.set_validshape", tile.type, [tile.ir, *dynamic], attributes, call.node, call.name
    )
