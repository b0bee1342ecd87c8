# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Between DDR and the chip: `pl.load`, `pl.store` and their forms that count tiles; and what
is valid of a tile. Moves between tiles are in moves.py."""

from __future__ import annotations

import ast

from pypto_pro.language.enums import AtomicType, ReluPreMode, STPhase, TensorLayout

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....language.dtypes import BF16, FP16, FP32, INDEX
from ... import scalars, session
from ...values import Value
from ..builder import ProBuilder, signless
from ..calls import Call
from ..values import TensorView, Tile, TileGroup
from .arguments import (
    UNIT,
    check_core,
    core_of,
    emit,
    extents,
    is_full,
    list_of,
    member,
    mixed,
    not_yet,
    op_name,
    tensor,
    tile,
)
from .arrays import plane, seen_as

PHASES = {"Partial": "partial", "Final": "final"}


def phase_attribute(fb: ProBuilder, call: Call, kind) -> dict:
    """The attribute of a step under the unit flag; none is none."""
    phase = member(fb, call, "phase", kind)
    word = PHASES.get(phase.name) if phase is not None else None
    return {"phase": session.attribute(f"#pto.phase<{word}>")} if word else {}


def is_transposed(found: Tile) -> bool:
    """Whether its buffer holds the transpose: rows of the tile are columns there."""
    return found.type.space.name == "Mat" and found.type.layout is TensorLayout.ZN


def buffer_of(fb: ProBuilder, found: Tile, node: ast.AST, offsets=(0, 0), sizes=None):
    """The window of a tile's buffer at `offsets`, of `sizes` (its valid part unless said)."""
    if sizes is None:
        if is_full(fb, found) or not is_transposed(found):
            return fb.buffer(found, node)
        sizes = extents(fb, found, node)
    if is_transposed(found):
        offsets, sizes = offsets[::-1], sizes[::-1]
    return fb.window(found, offsets, sizes, node)


# Where in the array.


def _axes(fb: ProBuilder, call: Call, view: TensorView) -> tuple[int, int]:
    """The axes of the array that are rows and columns of the tile."""
    rank = len(view.shape)
    if call["order"] is None:
        return (0, 1) if rank == 1 else (rank - 2, rank - 1)
    node = call.node_of("order")
    order = fb.static_ints(call["order"], node, "order")
    if rank == 1:
        raise fb.error(
            node, f"{op_name(call)}: a tensor of one dimension has no order", ParserTypeError
        )
    if len(order) != 2:
        raise fb.error(node, f"{op_name(call)}: order has two axes, got {order}", ParserTypeError)
    for axis in order:
        if not 0 <= axis < rank:
            raise fb.error(
                node,
                f"{op_name(call)}: order axis {axis} is out of range for a tensor of {rank} "
                "dimensions",
                ParserTypeError,
            )
    if order[0] == order[1]:
        raise fb.error(
            node, f"{op_name(call)}: order axes must be unique, got {order}", ParserTypeError
        )
    return tuple(order)


def _places(fb: ProBuilder, call: Call, view: TensorView, axes, shape) -> list:
    """The offsets in elements, one a dimension: ints or MLIR index values."""
    counted = call.operation.name.endswith("_tile")
    key = "tile_offsets" if counted else "offsets"
    node = call.node_of(key)
    offsets = list_of(fb, call, key, "integers")
    rank = len(view.shape)
    if len(offsets) != rank:
        raise fb.error(
            node,
            f"{op_name(call)}: {len(offsets)} {key} for a tensor of {rank} dimensions; there is "
            "one for each",
            ParserTypeError,
        )
    elements = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node] * rank
    places = []
    for axis, (offset, where) in enumerate(zip(offsets, elements, strict=False)):
        offset = fb.scalar_of(offset, where)
        if counted and (axis in axes or rank == 1):
            extent = shape[1 if rank == 1 else axes.index(axis)]
            offset = _times(fb, call, offset, extent, where)
        places.append(_place(fb, call, key, offset, view.shape[axis], axis, where))
    return places


def _times(fb: ProBuilder, call: Call, offset, extent: int, node: ast.AST):
    fb.index(offset, node, f"{op_name(call)}: each of tile_offsets")
    return scalars.binary(fb, "*", offset, extent, node, None)


def _place(fb: ProBuilder, call: Call, key: str, offset, extent, axis: int, node: ast.AST):
    found = fb.index(offset, node, f"{op_name(call)}: each of {key}")
    if not isinstance(found, int):
        return found
    if found < 0:
        raise fb.error(
            node,
            f"{op_name(call)}: offset {found} in dimension {axis} is negative",
            ParserTypeError,
        )
    if isinstance(extent, int) and found >= extent:
        raise fb.error(
            node,
            f"{op_name(call)}: offset {found} in dimension {axis} is beyond the tensor's {extent}",
            ParserTypeError,
        )
    return found


def _window(fb: ProBuilder, call: Call, view: TensorView, places: list, axes):
    """The array of two dimensions, and the offsets in it."""
    array = plane(fb, view, places, axes, call.node)
    if len(view.shape) == 1:
        return array, [0, places[0]]
    return array, [places[axis] for axis in axes]


def _check_dtypes(fb: ProBuilder, call: Call, view: TensorView, found: Tile, narrows: bool):
    """Integers of one width may differ in their sign: a copy moves bits."""
    to, of = view.dtype, found.type.dtype
    if signless(to) is signless(of) or (narrows and of is FP32 and to in (FP16, BF16)):
        return
    raise fb.error(
        call.node,
        f"{op_name(call)}: does not convert: the tile is {of}, the tensor {to}; "
        + (
            "an FP32 accumulator goes to FP32, FP16 or BF16"
            if found.type.space.name == "Acc"
            else "convert with pl.cast, or read the memory as other elements with "
            "pl.make_tensor(..., dtype=)"
        ),
        ParserTypeError,
    )


# Loads and stores.


def load(fb: ProBuilder, call: Call) -> None:
    view = tensor(fb, call, "src_tensor")
    dst = tile(fb, call, "dst_tile", "Vec", "Mat")
    _check_dtypes(fb, call, view, dst, False)
    axes = _axes(fb, call, view)
    places = _places(fb, call, view, axes, dst.type.shape)
    if is_transposed(dst) != (axes[0] > axes[1]):
        raise _wrong_order(fb, call, dst)
    check_core(fb, call, core_of(dst))
    # What is transposed in the buffer too is a plain load.
    view = seen_as(fb, view, dst.type.dtype, call.node)
    array, offsets = _window(fb, call, view, places, tuple(sorted(axes)))
    moved, static = mixed(offsets)
    attributes = {
        "static_offsets": static,
        "operandSegmentSizes": session.int32s([1, len(moved), 0, 1]),
    }
    emit(fb, "tile.load", [array, *moved, buffer_of(fb, dst, call.node)], attributes, call.node)


def _wrong_order(fb: ProBuilder, call: Call, dst: Tile):
    node = call.node_of("order")
    if is_transposed(dst):
        return fb.error(
            node,
            f"{op_name(call)}: a tile of layout ZN in Mat takes a transposing load: order= names "
            "the larger axis first",
            UnsupportedFeatureError,
        )
    fix = (
        "use layout=pl.ZN for the tile"
        if dst.type.space.name == "Mat"
        else "only a tile in Mat of layout ZN takes one"
    )
    return fb.error(
        node,
        f"{op_name(call)}: a transposing load (order= with the larger axis first) into a tile of "
        f"layout {dst.type.layout.name} in {dst.type.space.name} is not supported; {fix}",
        UnsupportedFeatureError,
    )


def store(fb: ProBuilder, call: Call) -> None:
    view = tensor(fb, call, "dst_tensor")
    src = tile(fb, call, "src_tile", "Vec", "Acc")
    from_acc = src.type.space.name == "Acc"
    _check_dtypes(fb, call, view, src, from_acc)
    attributes = accumulator_attributes(fb, call, src, STPhase)
    if member(fb, call, "atomic", AtomicType) is AtomicType.AtomicAdd:
        attributes["atomic_add"] = UNIT
    axes = _axes(fb, call, view)
    if axes[0] > axes[1]:
        raise fb.error(
            call.node_of("order"),
            f"{op_name(call)}: order must be ascending, got {list(axes)}; a store does not "
            "transpose",
            ParserTypeError,
        )
    places = _places(fb, call, view, axes, src.type.shape)
    check_core(fb, call, core_of(src))
    fb.note_write(view.pointer)
    if view.dtype.kind != "float":
        view = seen_as(fb, view, src.type.dtype, call.node)
    array, offsets = _window(fb, call, view, places, axes)
    moved, attributes["static_offsets"] = mixed(offsets)
    source = buffer_of(fb, src, call.node)
    emit(fb, "tile.store", [source, array, *moved], attributes, call.node)


def accumulator_attributes(fb: ProBuilder, call: Call, src: Tile, kind=None) -> dict:
    """What leaves Acc may pass max(x, 0), scales and the unit flag."""
    not_yet(fb, call, "scale", "pl.quant scales in Vec")
    attributes = {}
    if member(fb, call, "relu_pre_mode", ReluPreMode) is not None:
        attributes["relu"] = UNIT
    if kind is not None:
        attributes |= phase_attribute(fb, call, kind)
    for key, name in (("relu", "relu_pre_mode"), ("phase", "phase")):
        if key in attributes and src.type.space.name != "Acc":
            raise fb.error(
                call.node_of(name),
                f"{op_name(call)}: {name} is for a tile in Acc, got {src.type.space.name}",
                ParserTypeError,
            )
    return attributes


# What is valid.


def set_validshape(fb: ProBuilder, call: Call) -> None:
    found, node = call["tile"], call.node_of("shape")
    if not isinstance(found, TileGroup):
        found = fb.tile_of(found, call.node_of("tile"), f"{op_name(call)}: tile")
    shape = list_of(fb, call, "shape", "two integers")
    if len(shape) != 2:
        raise fb.error(
            node, f"{op_name(call)}: shape has two numbers, got {len(shape)}", ParserTypeError
        )
    values = []
    for axis, (word, extent) in enumerate(zip(("rows", "cols"), shape, strict=True)):
        values.append(_extent(fb, call, word, extent, found.type.shape[axis], node))
    fb.write_cell(found.rows, values[0])
    fb.write_cell(found.cols, values[1])


def _extent(fb: ProBuilder, call: Call, word: str, extent, whole: int, node: ast.AST):
    value = fb.scalar_of(extent, node)
    known = fb.index(value, node, f"{op_name(call)}: {word}")
    if not isinstance(known, int):
        return scalars.convert(fb, value, INDEX, node) if isinstance(value, Value) else value
    if known <= 0:
        raise fb.error(
            node,
            f"set_validshape {word}={known} must be positive; skip the work by an if",
            ParserTypeError,
        )
    if known > whole:
        raise fb.error(
            node, f"set_validshape {word}={known} exceeds tile {word} {whole}", ParserTypeError
        )
    return known
