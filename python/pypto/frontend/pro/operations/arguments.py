# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Arguments that many operations take: enums, tiles in a space, tensors, valid extents."""

from __future__ import annotations

import ast
import enum

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....mlir import ir
from ... import session
from ...values import Value
from ..builder import ProBuilder
from ..calls import Call
from ..chip import Chip, chip
from ..values import Pointer, TensorView, Tile, TileGroup, describe

UNIT = session.attribute("unit")


def chip_of(fb: ProBuilder) -> Chip:
    return chip(fb.target)


def op_name(call: Call) -> str:
    """What errors call the operation: "system.sync_src" as the language does."""
    return call.path.removeprefix("pl.")


def member(fb: ProBuilder, call: Call, key: str, kind: type[enum.Enum]):
    """The member of an enum that was given, or the default; numbers and strings are none."""
    value = call[key]
    if value is None and not call.given(key):
        return None
    if value is None or isinstance(value, kind):
        return value
    raise fb.error(
        call.node_of(key),
        f"'{key}' expects an enum value, not {describe(value)}; it is a member of "
        f"pl.{kind.__name__}: {', '.join(kind.__members__)}",
        ParserTypeError,
    )


def not_yet(fb: ProBuilder, call: Call, key: str, why: str = ""):
    """A keyword that this version does not have, if it was given."""
    if not call.given(key) or call[key] is None:
        return
    raise fb.error(
        call.node_of(key),
        f"{call.path}: {key}= is not supported yet" + (f"; {why}" if why else ""),
        UnsupportedFeatureError,
    )


# Cores.

CORES = {"aic": "AIC", "aiv": "AIV"}
SECTIONS = {"aic": "section_cube", "aiv": "section_vector"}


def not_here(fb: ProBuilder, what: str, core: str) -> str:
    """What is wrong with `what`, which an AIC or AIV has, where it stands."""
    if fb.side.section is None:
        return (
            f"{what}, and what stands in no section is for the {CORES[fb.core]} too; put it in "
            f"`with pl.{SECTIONS[core]}():`"
        )
    return f"{what}, and this is in `with pl.{SECTIONS[fb.core]}():`"


def check_core(fb: ProBuilder, call: Call, core: str) -> None:
    """An operation of the other kind of core is an error."""
    if core == fb.core:
        return
    message = not_here(fb, f"{op_name(call)}: the {CORES[core]} does it", core)
    raise fb.error(call.node, message, ParserTypeError)


def core_of(found: Tile) -> str:
    return "aiv" if found.type.space.name == "Vec" else "aic"


# Tiles and tensors.


def tile(fb: ProBuilder, call: Call, key: str, *spaces: str) -> Tile:
    """The tile that was given, which must be in one of the spaces (by name)."""
    node = call.node_of(key)
    found = fb.tile_of(call[key], node, f"{op_name(call)}: {key}")
    check_space(fb, call, key, found, spaces)
    return found


def check_space(fb: ProBuilder, call: Call, key: str, found: Tile, spaces) -> None:
    name = found.type.space.name
    if not spaces or name in spaces:
        return
    raise fb.error(
        call.node_of(key),
        f"{op_name(call)}: {key} must be in {' or '.join(spaces)}, got {name}",
        ParserTypeError,
    )


def tensor(fb: ProBuilder, call: Call, key: str) -> TensorView:
    value = call[key]
    if isinstance(value, TensorView):
        return value
    fix = "; pl.make_tensor gives it a shape" if isinstance(value, Pointer) else ""
    raise fb.error(
        call.node_of(key),
        f"{op_name(call)}: {key} must be a tensor, got {describe(value)}{fix}",
        ParserTypeError,
    )


def is_full(fb: ProBuilder, found: Tile) -> bool:
    """Whether all of the tile is valid, for certain."""
    return tuple(fb.valid(found)) == tuple(found.type.shape)


def extents(fb: ProBuilder, found: Tile, node: ast.AST) -> list:
    """Valid rows and columns: ints, or MLIR index values."""
    return [fb.index(extent, node, "a valid extent") for extent in fb.valid(found)]


def valid_words(fb: ProBuilder, found: Tile) -> str:
    return ", ".join(str(e) if isinstance(e, int) else "?" for e in fb.valid(found))


def address_of(found: Tile) -> int | None:
    """Where the author put a tile; None if the run knows it only, or of a part of one."""
    base, index = found.base, 0
    if isinstance(base, TileGroup):
        base, index = base.ir, found.index if base.count > 1 else 0
    if not isinstance(base, ir.Value) or not isinstance(index, int):
        return None
    return list(base.owner.attributes["addrs"])[index]


def of_types(fb: ProBuilder, call: Call, key: str, found: Tile, allowed) -> None:
    """A tile has one of these element types."""
    if found.type.dtype in allowed:
        return
    raise fb.error(
        call.node_of(key),
        f"{op_name(call)}: takes {' or '.join(map(str, dict.fromkeys(allowed)))} as {key}, found "
        f"{found.type.dtype}",
        ParserTypeError,
    )


def same_dtype(fb: ProBuilder, call: Call, key: str, found: Tile, other_key: str, other: Tile):
    if found.type.dtype is other.type.dtype:
        return
    raise fb.error(
        call.node_of(key),
        f"{op_name(call)}: {key} is {found.type.dtype}, {other_key} is {other.type.dtype}; convert "
        "one with pl.cast",
        ParserTypeError,
    )


def same_extents(fb: ProBuilder, call: Call, key: str, found: Tile, other_key: str, other: Tile):
    """The valid parts of two tiles have one shape, as far as that is known."""
    for axis, word in enumerate(("rows", "columns")):
        ours, theirs = fb.valid(found)[axis], fb.valid(other)[axis]
        if not isinstance(ours, int) or not isinstance(theirs, int) or ours == theirs:
            continue
        fix = ""
        if found.type.shape == other.type.shape:
            fix = "; pl.set_validshape says how much of a tile is valid"
        raise fb.error(
            call.node_of(key),
            f"{op_name(call)}: {key} has {ours} valid {word}, {other_key} has {theirs}{fix}",
            ParserTypeError,
        )


# Pieces of operations.


def emit(fb: ProBuilder, op: str, operands: list, attributes: dict, node, types=(), name=None):
    """An operation of the dialect at the place of insertion: `tile.add`."""
    return fb.emit(f"pto.{op}", list(types), operands, attributes, node, name)


def number_attribute(value: int) -> ir.Attribute:
    return session.attribute(f"{value} : i64")


def mixed(values: list) -> tuple[list, ir.Attribute]:
    """Operands, and the attribute with the static ones, of ints and MLIR index values."""
    operands = [value for value in values if not isinstance(value, int)]
    static = [value if isinstance(value, int) else session.DYNAMIC for value in values]
    return operands, session.int64s(static)


def one_index(fb: ProBuilder, value, node: ast.AST, what: str) -> tuple[list, dict]:
    """`id` or `dynamic_id` of an operation: operands and attributes."""
    found = fb.index(value, node, what)
    if isinstance(found, int):
        return [], {"id": number_attribute(found)}
    return [found], {}


def is_scalar(value) -> bool:
    from ..values import KeyField

    return isinstance(value, (int, float, KeyField)) or (
        isinstance(value, Value) and value.type.kind == "scalar"
    )


def list_of(fb: ProBuilder, call: Call, key: str, what: str) -> list:
    value = call[key]
    if isinstance(value, (list, tuple)):
        return list(value)
    raise fb.error(
        call.node_of(key),
        f"{op_name(call)}: {key} must be a list of {what}, got {describe(value)}",
        ParserTypeError,
    )
