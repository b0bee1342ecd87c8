# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Masks of bits: what compares, what chooses by them; and operations whose scratch is checked."""

from __future__ import annotations

from pypto_pro.language.enums import CompareMode

from ....diagnostics.errors import ParserTypeError
from ....language.dtypes import UINT8
from ... import scalars, session
from ..builder import ProBuilder
from ..calls import Call
from ..values import Tile, describe
from .arguments import emit, op_name, same_dtype, same_extents
from .matrix import same_tile
from .scalar_operands import exact
from .vector import compute, operand, vec

MODES = {member.name.lower(): member for member in CompareMode}


def _mask(fb: ProBuilder, call: Call, key: str, like: Tile):
    """The part of a mask that has the bits of `like`: bytes of each row."""
    mask = vec(fb, call, key)
    rows, cols = fb.valid(like)
    node = call.node_of(key)
    if isinstance(cols, int):
        found = -(-cols // 8)
    else:
        found = scalars.binary(fb, "+", cols, 7, node, None)
        found = scalars.binary(fb, "//", found, 8, node, None)
    # What is not known is no more than the tile has.
    least = [
        extent if isinstance(extent, int) else 1
        for extent in (rows, found if isinstance(found, int) else 1)
    ]
    have = mask.type.shape
    if mask.type.dtype is not UINT8 or have[0] < least[0] or have[1] < least[1] or have[1] % 32:
        raise fb.error(
            node,
            f"{op_name(call)}: {key} has a bit for each element, UINT8 in rows of whole 32 bytes: "
            f"at least [{least[0]}, {-(-least[1] // 32) * 32}], got {describe(mask)}",
            ParserTypeError,
        )
    return fb.window(mask, (0, 0), (rows, found), node)


def _mode(fb: ProBuilder, call: Call) -> str:
    """The word of the comparison: the operation's own name says it, or `cmp_type`."""
    if "cmp_type" not in call.arguments:
        return call.operation.name
    node = call.node_of("cmp_type")
    found = fb.static(call["cmp_type"], node, "cmp_type")
    if isinstance(found, CompareMode):
        return found.name.lower()
    if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < len(MODES):
        return list(MODES)[found]
    raise fb.error(
        node,
        f"{op_name(call)}: cmp_type is a member of pl.CompareMode, or 0 to {len(MODES) - 1}, got "
        f"{describe(found)}",
        ParserTypeError,
    )


def compare(fb: ProBuilder, call: Call) -> None:
    """A mask for `pl.select`."""
    lhs = vec(fb, call, "lhs")
    rhs = operand(fb, call, "rhs", lhs, "lhs")
    out = _mask(fb, call, "out", lhs)
    mode = {"mode": session.attribute(f"#pto.compare<{_mode(fb, call)}>")}
    emit(fb, "tile.cmp", [fb.buffer(lhs, call.node), rhs, out], mode, call.node)


def select(fb: ProBuilder, call: Call) -> None:
    """`lhs` where the mask has a bit, else `rhs`; `tmp` is not needed."""
    out = vec(fb, call, "out")
    if call["tmp"] is not None:
        vec(fb, call, "tmp")
    sources = [operand(fb, call, key, out) for key in ("lhs", "rhs")]
    mask = _mask(fb, call, "mask", out)
    emit(fb, "tile.sel", [mask, *sources, fb.buffer(out, call.node)], {}, call.node)


def select_scalar(fb: ProBuilder, call: Call) -> None:
    """The scalar is spread over scratch, or over the destination, and chosen from there."""
    out, src = vec(fb, call, "out"), vec(fb, call, "src")
    source = operand(fb, call, "src", out)
    mask = _mask(fb, call, "mask", out)
    spread = out
    if call["tmp"] is not None:
        spread = vec(fb, call, "tmp")
        same_dtype(fb, call, "tmp", spread, "out", out)
        same_extents(fb, call, "tmp", spread, "out", out)
    if same_tile(spread, src):
        key = "out" if spread is out else "tmp"
        fix = "; give a tmp" if spread is out else ""
        raise fb.error(
            call.node_of(key),
            f"{op_name(call)}: the scalar is written to {key}, which must be another tile than "
            f"src{fix}",
            ParserTypeError,
        )
    value = exact(fb, call["scalar"], out.type.dtype, call.node_of("scalar"))
    filled = fb.buffer(spread, call.node)
    emit(fb, "tile.full", [value, filled], {}, call.node)
    emit(fb, "tile.sel", [mask, source, filled, fb.buffer(out, call.node)], {}, call.node)


def with_scratch(fb: ProBuilder, call: Call) -> None:
    """Element by element, with scratch that the author names: the compiler finds its own."""
    if call["tmp"] is not None:
        out, tmp = vec(fb, call, "out"), vec(fb, call, "tmp")
        same_dtype(fb, call, "tmp", tmp, "out", out)
        if any(isinstance(call[key], Tile) and same_tile(tmp, call[key]) for key in _TILES):
            raise fb.error(
                call.node_of("tmp"),
                f"{op_name(call)}: tmp must not overlap the other tiles, got '{tmp.name}' again",
                ParserTypeError,
            )
    compute(fb, call)


_TILES = ("out", "lhs", "rhs")
