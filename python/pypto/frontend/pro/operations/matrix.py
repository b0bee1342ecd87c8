# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Products: `pl.matmul`, `pl.matmul_acc`, and those of one row, `pl.gemv`."""

from __future__ import annotations

from pypto_pro.language.enums import AccPhase

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....language.dtypes import BF16, FP16, FP32, INT8, INT32
from ..builder import ProBuilder
from ..calls import Call
from ..values import Tile
from .arguments import check_core, emit, extents, is_full, op_name, same_dtype, tile, valid_words
from .movement import buffer_of, phase_attribute

# What products are made of, and accumulated in.
SUMS = {FP16: FP32, BF16: FP32, FP32: FP32, INT8: INT32}


def matmul(fb: ProBuilder, call: Call) -> None:
    dst, lhs, rhs = _operands(fb, call)
    sources = [fb.buffer(lhs, call.node), fb.buffer(rhs, call.node)]
    name = "tile.matmul"
    if call.arguments.get("bias") is not None:
        sources.append(_bias(fb, call, dst, rhs))
        name = "tile.matmul_bias"
    result = _result(fb, call, dst, lhs, rhs)
    emit(fb, name, [*sources, result], phase_attribute(fb, call, AccPhase), call.node)


def matmul_acc(fb: ProBuilder, call: Call) -> None:
    dst, lhs, rhs = _operands(fb, call)
    acc = tile(fb, call, "acc", "Acc")
    if not same_tile(dst, acc):
        raise fb.error(
            call.node_of("acc"),
            f"{op_name(call)}: acc must be the tile dst: the product is added in place; found "
            f"'{dst.name}' and '{acc.name}'",
            UnsupportedFeatureError,
        )
    made = _result(fb, call, dst, lhs, rhs)
    sources = [made, fb.buffer(lhs, call.node), fb.buffer(rhs, call.node)]
    emit(fb, "tile.matmul_acc", [*sources, made], phase_attribute(fb, call, AccPhase), call.node)


def same_tile(one: Tile, other: Tile) -> bool:
    """Whether both name the same memory, for certain."""
    if one is other:
        return True
    if one.base is not other.base or one.type is not other.type:
        return False
    index, others = (getattr(t.index, "ir", t.index) for t in (one, other))
    return index == others and one.offsets == other.offsets


def _operands(fb: ProBuilder, call: Call) -> tuple[Tile, Tile, Tile]:
    dst = tile(fb, call, "dst", "Acc")
    lhs, rhs = tile(fb, call, "lhs", "Left"), tile(fb, call, "rhs", "Right")
    if lhs.type.dtype not in SUMS:
        raise fb.error(
            call.node_of("lhs"),
            f"{op_name(call)}: products of {lhs.type.dtype} are not supported yet; "
            f"{', '.join(map(str, SUMS))} are",
            UnsupportedFeatureError,
        )
    same_dtype(fb, call, "rhs", rhs, "lhs", lhs)
    wanted = SUMS[lhs.type.dtype]
    if dst.type.dtype is not wanted:
        raise fb.error(
            call.node_of("dst"),
            f"{op_name(call)}: dst must be {wanted}, in which {lhs.type.dtype} is accumulated, got "
            f"{dst.type.dtype}",
            ParserTypeError,
        )
    if call.operation.name.startswith("gemv") and fb.valid(lhs)[0] != 1:
        raise fb.error(
            call.node_of("lhs"),
            f"{op_name(call)}: lhs must have one valid row, got [{valid_words(fb, lhs)}]",
            ParserTypeError,
        )
    _check_shapes(fb, call, dst, lhs, rhs)
    check_core(fb, call, "aic")
    return dst, lhs, rhs


def _check_shapes(fb: ProBuilder, call: Call, dst: Tile, lhs: Tile, rhs: Tile) -> None:
    k, depth = fb.valid(lhs)[1], fb.valid(rhs)[0]
    if isinstance(k, int) and isinstance(depth, int) and k != depth:
        raise fb.error(
            call.node,
            f"{op_name(call)}: lhs has {k} columns and rhs {depth} rows: [{valid_words(fb, lhs)}] "
            f"x [{valid_words(fb, rhs)}]",
            ParserTypeError,
        )
    wanted = lhs.type.shape[0], rhs.type.shape[1]
    if dst.type.shape != wanted:
        raise fb.error(
            call.node_of("dst"),
            f"{op_name(call)}: dst must be {list(wanted)}, the rows of lhs and the columns of rhs; "
            f"got {list(dst.type.shape)}",
            ParserTypeError,
        )
    made = fb.valid(lhs)[0], fb.valid(rhs)[1]
    if is_full(fb, dst):
        return
    for word, have, want in zip(("rows", "columns"), fb.valid(dst), made, strict=True):
        if isinstance(have, int) and isinstance(want, int) and have != want:
            raise fb.error(
                call.node_of("dst"),
                f"{op_name(call)}: dst has {have} valid {word}, the product {want}",
                ParserTypeError,
            )


def _result(fb: ProBuilder, call: Call, dst: Tile, lhs: Tile, rhs: Tile):
    """The part of the accumulator that the product makes: where `dst` does not say it, the
    valid rows of `lhs` and columns of `rhs`."""
    if not is_full(fb, dst) or (is_full(fb, lhs) and is_full(fb, rhs)):
        return fb.buffer(dst, call.node)
    sizes = [extents(fb, lhs, call.node)[0], extents(fb, rhs, call.node)[1]]
    return buffer_of(fb, dst, call.node, (0, 0), sizes)


def _bias(fb: ProBuilder, call: Call, dst: Tile, rhs: Tile):
    bias = tile(fb, call, "bias", "Bias")
    columns, found = fb.valid(rhs)[1], fb.valid(bias)
    differ = isinstance(columns, int) and isinstance(found[1], int) and columns != found[1]
    if bias.type.dtype is not dst.type.dtype or bias.type.shape[0] != 1 or differ:
        raise fb.error(
            call.node_of("bias"),
            f"{op_name(call)}: bias must be [1, {columns if isinstance(columns, int) else 'N'}] of "
            f"{dst.type.dtype}, a value for each column of rhs; got [{valid_words(fb, bias)}] "
            f"{bias.type.dtype}",
            ParserTypeError,
        )
    return fb.buffer(bias, call.node)
