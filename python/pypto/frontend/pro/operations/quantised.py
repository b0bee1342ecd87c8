# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Numbers as small integers, with a scale for each row."""

from __future__ import annotations

from pypto_pro.language.enums import QuantMode

from ....diagnostics.errors import ParserTypeError
from ....language.dtypes import FP16, FP32, INT8, INT16, UINT8
from ... import session
from ..builder import ProBuilder
from ..calls import Call
from ..values import Tile
from .arguments import UNIT, emit, member, of_types, op_name, same_extents
from .fused import scratch_like
from .rows import check_line
from .scalar_operands import exact
from .vector import vec

LIMITS = {INT8: (-128, 127), UINT8: (0, 255)}


def _rounding(word: str) -> dict:
    return {"round": session.attribute(f"#pto.round<{word}>")}


def _per_row(fb: ProBuilder, call: Call, key: str, other: Tile):
    found = vec(fb, call, key)
    of_types(fb, call, key, found, (FP32,))
    check_line(fb, call, key, found, other, "row")
    return fb.buffer(found, call.node)


def quant(fb: ProBuilder, call: Call) -> None:
    """In FP32: scaled, moved, rounded once, cut to what fits; FP16 holds such numbers."""
    out, src = vec(fb, call, "out"), vec(fb, call, "src")
    of_types(fb, call, "out", out, LIMITS)
    of_types(fb, call, "src", src, (FP32,))
    same_extents(fb, call, "src", src, "out", out)
    mode = member(fb, call, "mode", QuantMode)
    if mode is QuantMode.ASYM and call["offset"] is None:
        raise fb.error(
            call.node_of("mode"),
            f"{op_name(call)} in 'asym' mode requires an offset argument",
            ParserTypeError,
        )
    if mode is not QuantMode.ASYM and call["offset"] is not None:
        raise fb.error(
            call.node_of("offset"),
            f"{op_name(call)}: offset is for mode=pl.QuantMode.ASYM",
            ParserTypeError,
        )
    node = call.node
    scale = _per_row(fb, call, "scale", src)
    step, half = scratch_like(fb, call, src), scratch_like(fb, call, src, FP16)
    emit(fb, "tile.row_expand_mul", [fb.buffer(src, node), scale, step], {}, node)
    if mode is QuantMode.ASYM:
        offset = _per_row(fb, call, "offset", src)
        emit(fb, "tile.row_expand_add", [step, offset, step], {}, node)
    emit(fb, "tile.cast", [step, step], {**_rounding("rint"), "pto.whole": UNIT}, node)
    low, high = (exact(fb, float(limit), FP32, node) for limit in LIMITS[out.type.dtype])
    emit(fb, "tile.maximum", [step, low, step], {}, node)
    emit(fb, "tile.minimum", [step, high, step], {}, node)
    emit(fb, "tile.cast", [step, half], _rounding("rint"), node)
    emit(fb, "tile.cast", [half, fb.buffer(out, node)], _rounding("rint"), node)


def dequant(fb: ProBuilder, call: Call) -> None:
    """(x - offset) * scale"""
    out, src = vec(fb, call, "out"), vec(fb, call, "src")
    of_types(fb, call, "out", out, (FP32,))
    of_types(fb, call, "src", src, (INT8, INT16))
    same_extents(fb, call, "src", src, "out", out)
    node, made = call.node, fb.buffer(out, call.node)
    scale, offset = (_per_row(fb, call, key, out) for key in ("scale", "offset"))
    emit(fb, "tile.cast", [fb.buffer(src, node), made], _rounding("none"), node)
    emit(fb, "tile.row_expand_sub", [made, offset, made], {}, node)
    emit(fb, "tile.row_expand_mul", [made, scale, made], {}, node)
