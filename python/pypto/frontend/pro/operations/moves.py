# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""From tile to tile: `pl.move`, whole, transposed, a part of one; `pl.insert`."""

from __future__ import annotations

import ast

from pypto_pro.language.enums import AccToVecMode

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....language.dtypes import BF16, FP16, FP32, DataType
from ... import session
from ..builder import ProBuilder
from ..calls import Call
from ..values import Tile
from .arguments import (
    check_core,
    chip_of,
    core_of,
    emit,
    extents,
    is_full,
    list_of,
    member,
    op_name,
    same_extents,
    tile,
)
from .movement import UNIT, accumulator_attributes, buffer_of, is_transposed

# The paths of the language, in the order in which errors name them.
PATHS = (
    *(("Mat", space) for space in ("Left", "Right", "Bias")),
    *(("Acc", "Vec"), ("Vec", "Vec"), ("Vec", "Mat")),
)
MODES = {
    AccToVecMode.SingleModeVec0: "vec0",
    AccToVecMode.SingleModeVec1: "vec1",
    AccToVecMode.DualModeSplitM: "split_m",
    AccToVecMode.DualModeSplitN: "split_n",
}
HALVES = (AccToVecMode.DualModeSplitM, AccToVecMode.DualModeSplitN)


def move(fb: ProBuilder, call: Call) -> None:
    dst = fb.tile_of(call["dst_tile"], call.node_of("dst_tile"), f"{op_name(call)}: dst_tile")
    src = fb.tile_of(call["src_tile"], call.node_of("src_tile"), f"{op_name(call)}: src_tile")
    _check_path(fb, call, src, dst)
    _check_dtypes(fb, call, src, dst)
    attributes = accumulator_attributes(fb, call, src)
    mode = _mode(fb, call, src)
    if mode is not None:
        attributes["acc_to_vec"] = session.attribute(f"#pto.acc_to_vec<{MODES[mode]}>")
    check_core(fb, call, core_of(src))
    if call["offset"] is not None:
        operands = _part(fb, call, src, dst, mode)
    else:
        operands = _whole(fb, call, src, dst, mode, attributes)
    if is_transposed(src) and "transpose" not in attributes:
        attributes["transpose"] = UNIT
    elif is_transposed(src):
        del attributes["transpose"]
    if src.type.space.name == dst.type.space.name == "Vec":
        copy(fb, *operands, src.type.dtype, call.node)
        return
    emit(fb, "tile.move", operands, attributes, call.node)


def copy(fb: ProBuilder, source, dest, dtype: DataType, node: ast.AST) -> None:
    """Within Vec. Copies are of 16 and 32 bits; others are integers, and x | x."""
    if dtype.bits in (16, 32):
        emit(fb, "tile.move", [source, dest], {}, node)
    else:
        emit(fb, "tile.or", [source, source, dest], {}, node)


def ub_copy(fb: ProBuilder, call: Call) -> None:
    dst, src = tile(fb, call, "dst_tile", "Vec"), tile(fb, call, "src_tile", "Vec")
    check_core(fb, call, "aiv")
    _check_dtypes(fb, call, src, dst)
    same_extents(fb, call, "src_tile", src, "dst_tile", dst)
    copy(fb, fb.buffer(src, call.node), fb.buffer(dst, call.node), src.type.dtype, call.node)


def insert(fb: ProBuilder, call: Call) -> None:
    dst = tile(fb, call, "dst_tile", "Mat")
    src = tile(fb, call, "src_tile", "Vec")
    _check_path(fb, call, src, dst)
    _check_dtypes(fb, call, src, dst)
    _check_plain(fb, call, dst)
    check_core(fb, call, "aiv")
    emit(fb, "tile.move", _inserted(fb, call, src, dst), {}, call.node)


def _check_plain(fb: ProBuilder, call: Call, found: Tile) -> None:
    if is_transposed(found):
        raise fb.error(
            call.node,
            f"{op_name(call)}: a tile of layout ZN in Mat is filled by a transposing pl.load only",
            UnsupportedFeatureError,
        )


def _check_path(fb: ProBuilder, call: Call, src: Tile, dst: Tile) -> None:
    path = src.type.space.name, dst.type.space.name
    chip = chip_of(fb)
    paths = [known for known in PATHS if known in chip.paths]
    if path not in paths:
        words = ", ".join(f"{one}->{other}" for one, other in paths)
        raise fb.error(
            call.node,
            f"{op_name(call)}: unsupported data path src({path[0]})->dst({path[1]}), supported "
            f"paths: {words} (on '{chip.arch}')",
            ParserTypeError,
        )
    if path == ("Vec", "Mat"):
        _check_plain(fb, call, dst)


def _check_dtypes(fb: ProBuilder, call: Call, src: Tile, dst: Tile) -> None:
    one, other = src.type.dtype, dst.type.dtype
    narrows = src.type.space.name == "Acc" and one is FP32 and other in (FP16, BF16)
    if one is other or narrows:
        return
    raise fb.error(
        call.node,
        f"{op_name(call)}: does not convert: src_tile is {one}, dst_tile {other}; "
        + (
            "an FP32 accumulator goes to FP32, FP16 or BF16"
            if src.type.space.name == "Acc"
            else "convert with pl.cast"
        ),
        ParserTypeError,
    )


def _mode(fb: ProBuilder, call: Call, src: Tile) -> AccToVecMode | None:
    """To which AIV an accumulator goes: to the first, unless said."""
    mode = member(fb, call, "acc_to_vec_mode", AccToVecMode)
    if src.type.space.name == "Acc":
        return mode or AccToVecMode.SingleModeVec0
    if mode is not None:
        raise fb.error(
            call.node_of("acc_to_vec_mode"),
            f"{op_name(call)}: acc_to_vec_mode is for a tile in Acc, got {src.type.space.name}",
            ParserTypeError,
        )
    return None


# All of a tile.


def _whole(fb: ProBuilder, call: Call, src: Tile, dst: Tile, mode, attributes: dict) -> list:
    shape = _arriving(fb, call, src, mode)
    if tuple(shape) == dst.type.shape:
        return _both(fb, call, src, dst, mode, False)
    square = dst.type.space.name in ("Left", "Right")
    if tuple(shape[::-1]) == dst.type.shape and square:
        attributes["transpose"] = UNIT
        return _both(fb, call, src, dst, mode, True)
    turned = " or of swapped extents" if square else ""
    part = "" if mode else "; offset= moves a part of a tile"
    raise fb.error(
        call.node,
        f"{op_name(call)}: dst_tile must be {list(shape)}{turned}, got "
        f"{list(dst.type.shape)}{part}",
        ParserTypeError,
    )


def _arriving(fb: ProBuilder, call: Call, src: Tile, mode) -> list[int]:
    """The extents of what one destination gets."""
    rows, cols = src.type.shape
    if mode is AccToVecMode.DualModeSplitM:
        return [-(-rows // 2), cols]
    if mode is AccToVecMode.DualModeSplitN:
        if cols % 32:
            raise fb.error(
                call.node,
                f"{op_name(call)}: DualModeSplitN of {cols} columns is not supported; use a "
                "multiple of 32, which both AIVs get a half of",
                UnsupportedFeatureError,
            )
        return [rows, cols // 2]
    return [rows, cols]


def _both(fb: ProBuilder, call: Call, src: Tile, dst: Tile, mode, turned: bool) -> list:
    """Source and destination. Where only one of them says how much is valid, it is that."""
    node = call.node
    if mode in HALVES or is_full(fb, src) == is_full(fb, dst):
        return [buffer_of(fb, src, node), buffer_of(fb, dst, node)]
    if is_full(fb, dst):
        sizes = extents(fb, src, node)
        sizes = sizes[::-1] if turned else sizes
        return [buffer_of(fb, src, node), buffer_of(fb, dst, node, (0, 0), sizes)]
    sizes = extents(fb, dst, node)
    sizes = sizes[::-1] if turned else sizes
    return [buffer_of(fb, src, node, (0, 0), sizes), buffer_of(fb, dst, node)]


# A part of a tile.


def _part(fb: ProBuilder, call: Call, src: Tile, dst: Tile, mode) -> list:
    have, want = src.type.shape, dst.type.shape
    if mode in HALVES:
        raise fb.error(
            call.node_of("offset"),
            f"{op_name(call)}: offset= with {mode} is not supported",
            UnsupportedFeatureError,
        )
    if have[0] >= want[0] and have[1] >= want[1]:
        sizes = extents(fb, dst, call.node)
        offset = _offset(fb, call, src, sizes, "src_tile")
        return [
            buffer_of(fb, src, call.node, offset, sizes),
            buffer_of(fb, dst, call.node),
        ]
    if have[0] <= want[0] and have[1] <= want[1]:
        return _inserted(fb, call, src, dst)
    raise fb.error(
        call.node,
        f"{op_name(call)}: neither of {list(have)} and {list(want)} is a part of the other",
        ParserTypeError,
    )


def _inserted(fb: ProBuilder, call: Call, src: Tile, dst: Tile) -> list:
    sizes = extents(fb, src, call.node)
    offset = _offset(fb, call, dst, sizes, "dst_tile")
    return [buffer_of(fb, src, call.node), buffer_of(fb, dst, call.node, offset, sizes)]


def _offset(fb: ProBuilder, call: Call, whole: Tile, sizes: list, which: str) -> list:
    """The offset in the larger tile, checked as far as it is known."""
    node = call.node_of("offset")
    offset = [fb.scalar_of(value, node) for value in list_of(fb, call, "offset", "two integers")]
    if len(offset) != 2:
        raise fb.error(
            node, f"{op_name(call)}: offset has two numbers, got {len(offset)}", ParserTypeError
        )
    steps = _steps(whole)
    for axis, value in enumerate(offset):
        known = fb.index(value, node, f"{op_name(call)}: each of offset")
        if not isinstance(known, int):
            continue
        extent = whole.type.shape[axis]
        _check_offset(fb, call, known, sizes[axis], extent, axis, which, node)
        if known % steps[axis]:
            raise fb.error(
                node,
                f"{op_name(call)}: offset {known} in dimension {axis} is not a multiple of "
                f"{steps[axis]}, the fractal of a {whole.type}",
                ParserTypeError,
            )
    return offset


def _check_offset(
    fb: ProBuilder, call: Call, known: int, size, extent: int, axis: int, which: str, node: ast.AST
) -> None:
    if known < 0 or known >= extent:
        raise fb.error(
            node,
            f"{op_name(call)}: offset {known} in dimension {axis} must be less than the {extent} "
            f"of {which}, and not negative",
            ParserTypeError,
        )
    if isinstance(size, int) and known + size > extent:
        raise fb.error(
            node,
            f"{op_name(call)}: {size} from offset {known} on in dimension {axis} reach beyond the "
            f"{extent} of {which}",
            ParserTypeError,
        )


def _steps(found: Tile) -> tuple[int, int]:
    """A window in a layout of fractals begins on a whole one."""
    layout, space = found.type.layout.name, found.type.space.name
    if layout in ("ND", "DN"):
        return 1, 1
    lanes = 16 if space == "Acc" else 32 // found.type.dtype.get_byte()
    return (lanes, 16) if layout == "ZN" else (16, lanes)
