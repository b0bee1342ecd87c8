# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The elements of a tile in another shape; what fills a tile."""

from __future__ import annotations

from pypto_pro.language.enums import FillPadMode, TensorLayout, TilePad

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....language.dtypes import INT32, DataType
from ... import session
from ..builder import ProBuilder
from ..calls import Call
from ..values import Tile
from .arguments import address_of, emit, member, op_name, same_dtype, valid_words
from .fused import not_the_same, scratch_like
from .matrix import same_tile
from .moves import copy
from .scalar_operands import exact
from .vector import vec


def _by_scalars(fb: ProBuilder, call: Call, name: str, operands: list, attributes=None) -> None:
    """An operation that the scalar unit does element by element: the vector unit is done with
    what it reads, and begins when it has written."""
    wait = {"pipe": session.attribute("#pto.pipe<all>")}
    emit(fb, "block.barrier", [], wait, call.node)
    emit(fb, name, operands, attributes or {}, call.node)
    emit(fb, "block.barrier", [], wait, call.node)


def _two(fb: ProBuilder, call: Call, why: str) -> tuple[Tile, Tile]:
    out, src = vec(fb, call, "out"), vec(fb, call, "src")
    same_dtype(fb, call, "src", src, "out", out)
    not_the_same(fb, call, "out", "src", why)
    for key, found in (("out", out), ("src", src)):
        if found.type.layout is not TensorLayout.ND:
            raise fb.error(
                call.node_of(key),
                f"{op_name(call)}: {key} must be of layout ND, got {found.type.layout.name}",
                ParserTypeError,
            )
    return out, src


def transpose(fb: ProBuilder, call: Call) -> None:
    out, src = _two(fb, call, "as it is read while out is written")
    if src.type.dtype.bits == 64:
        raise fb.error(
            call.node_of("src"),
            f"{call.path} of {src.type.dtype} is not supported yet; elements of 8, 16 and 32 bits "
            "are",
            UnsupportedFeatureError,
        )
    for ours, theirs in zip(fb.valid(out), reversed(fb.valid(src)), strict=True):
        if isinstance(ours, int) and isinstance(theirs, int) and ours != theirs:
            raise fb.error(
                call.node_of("out"),
                f"{op_name(call)}: out must have rows and columns of src exchanged: "
                f"[{valid_words(fb, out)}] of [{valid_words(fb, src)}]",
                ParserTypeError,
            )
    operands = [fb.buffer(found, call.node) for found in (src, out)]
    _by_scalars(fb, call, "tile.transpose", operands)


def reshape(fb: ProBuilder, call: Call) -> None:
    out, src = _two(fb, call, "as it is read while out is written")
    known = [*fb.valid(out), *fb.valid(src)]
    if not all(isinstance(extent, int) for extent in known):
        raise fb.error(
            call.node,
            f"{call.path} of tiles whose valid part is known at run time only is not supported yet",
            UnsupportedFeatureError,
        )
    if known[0] * known[1] != known[2] * known[3]:
        raise fb.error(
            call.node_of("out"),
            f"{op_name(call)}: out must have the {known[2] * known[3]} elements of src, got "
            f"{known[0] * known[1]}: [{valid_words(fb, out)}] of [{valid_words(fb, src)}]",
            ParserTypeError,
        )
    operands = [fb.buffer(found, call.node) for found in (src, out)]
    _by_scalars(fb, call, "tile.reshape", operands)


def fill_index(fb: ProBuilder, call: Call) -> None:
    out = vec(fb, call, "out")
    if out.type.dtype is not INT32:
        raise fb.error(
            call.node_of("out"),
            f"{op_name(call)}: out must be INT32, got {out.type.dtype}",
            ParserTypeError,
        )
    if fb.valid(out)[0] != 1:
        raise fb.error(
            call.node_of("out"),
            f"{op_name(call)}: out must have one valid row, got [{valid_words(fb, out)}]",
            ParserTypeError,
        )
    start = exact(fb, call["start"], INT32, call.node_of("start"))
    _by_scalars(fb, call, "tile.ci", [start, fb.buffer(out, call.node)])


# What fills.


def fillpad(fb: ProBuilder, call: Call) -> None:
    """The value everywhere, then the source over it."""
    out, src = vec(fb, call, "out"), vec(fb, call, "src")
    mode = member(fb, call, "mode", FillPadMode)
    same_dtype(fb, call, "src", src, "out", out)
    _check_shapes(fb, call, out, src, mode)
    value = exact(fb, _pad(fb, call, out), out.type.dtype, call.node_of("out"))
    node, dtype = call.node, out.type.dtype
    source = fb.buffer(src, node)
    if mode is FillPadMode.INPLACE:
        kept = scratch_like(fb, call, src)
        copy(fb, source, kept, dtype, node)
        source = kept
    all_of_it = fb.window(out, (0, 0), out.type.shape, node)
    emit(fb, "tile.full", [value, all_of_it], {}, node)
    copy(fb, source, fb.window(out, (0, 0), fb.valid(src), node), dtype, node)


def _check_shapes(fb: ProBuilder, call: Call, out: Tile, src: Tile, mode: FillPadMode) -> None:
    have, want = out.type.shape, src.type.shape
    if mode is FillPadMode.EXPAND:
        wrong, words = any(a < b for a, b in zip(have, want, strict=True)), "at least as large as"
    else:
        wrong, words = have != want, "of the shape of"
    if wrong:
        raise fb.error(
            call.node_of("out"),
            f"{op_name(call)}: with mode {mode.name} out must be {words} src, {list(want)}, got "
            f"{list(have)}",
            ParserTypeError,
        )
    if mode is not FillPadMode.INPLACE:
        not_the_same(fb, call, "out", "src", "unless mode is FillPadMode.INPLACE")
    elif not _same_memory(out, src):
        raise fb.error(
            call.node_of("src"),
            f"{op_name(call)}: with mode INPLACE out must be at the address of src",
            ParserTypeError,
        )


def _same_memory(one: Tile, other: Tile) -> bool:
    """The same tile, or two that the author put at one address."""
    if same_tile(one, other):
        return True
    here, there = address_of(one), address_of(other)
    return here is not None and here == there


def _pad(fb: ProBuilder, call: Call, out: Tile) -> int | float:
    pad = out.type.pad
    if pad in (None, TilePad.null):
        raise fb.error(
            call.node_of("out"),
            f"{op_name(call)}: the type of out says what fills it: pl.TileType(..., "
            "pad=pl.TilePad.zero), or max, or min",
            ParserTypeError,
        )
    if pad is TilePad.zero:
        return 0
    if out.type.dtype.is_float:
        return float("inf") if pad is TilePad.max else float("-inf")
    low, high = _limits(out.type.dtype)
    return high if pad is TilePad.max else low


def _limits(dtype: DataType) -> tuple[int, int]:
    if dtype.kind == "uint":
        return 0, (1 << dtype.bits) - 1
    return -(1 << dtype.bits - 1), (1 << dtype.bits - 1) - 1
