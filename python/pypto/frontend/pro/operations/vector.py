# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What the vector unit computes on tiles in Vec."""

from __future__ import annotations

from pypto_pro.language.enums import RoundMode

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....language.dtypes import BF16, FP16, FP32, DataType
from ... import session
from ..builder import ProBuilder
from ..calls import Call
from ..values import Tile, describe
from .arguments import (
    check_core,
    emit,
    is_scalar,
    member,
    op_name,
    same_dtype,
    same_extents,
    tile,
)
from .scalar_operands import exact

# How many bits of an integer a float holds, and the largest exponent of 2 that it has.
_PRECISION = {FP16: (11, 15), BF16: (8, 127), FP32: (24, 127)}


def is_exact(one: DataType, other: DataType) -> bool:
    """Whether a conversion loses nothing; it has no rounding then."""
    if one.is_float:
        return other is FP32
    bits = one.bits - (one.kind == "int")
    if other.is_float:
        return bits <= min(_PRECISION[other])
    return bits <= other.bits - (other.kind == "int") and (
        one.kind == "uint" or other.kind == "int"
    )


def vec(fb: ProBuilder, call: Call, key: str) -> Tile:
    """A tile of the vector unit."""
    found = tile(fb, call, key, "Vec")
    check_core(fb, call, "aiv")
    return found


def operand(fb: ProBuilder, call: Call, key: str, out: Tile, of: str = "out"):
    """A source of the elements and extents of `out`: a tile, or a scalar where it may be one."""
    value = call[key]
    if is_scalar(value):
        if not _takes_scalar(call, key):
            raise fb.error(
                call.node_of(key),
                f"{op_name(call)}: {key} must be a tile, got {describe(value)}",
                ParserTypeError,
            )
        return exact(fb, value, out.type.dtype, call.node_of(key))
    if not _takes_tile(call, key):
        raise fb.error(
            call.node_of(key),
            f"{op_name(call)}: {key} must be a scalar, got {describe(value)}",
            ParserTypeError,
        )
    found = vec(fb, call, key)
    same_dtype(fb, call, key, found, of, out)
    same_extents(fb, call, key, found, of, out)
    return fb.buffer(found, call.node)


def _annotation(call: Call, key: str) -> str:
    signature = next(iter(call.operation.faces.values()))
    return next(p.annotation for p in signature.parameters if p.name == key)


def _takes_scalar(call: Call, key: str) -> bool:
    return "Scalar" in _annotation(call, key)


def _takes_tile(call: Call, key: str) -> bool:
    return "Tile" in _annotation(call, key)


def compute(fb: ProBuilder, call: Call) -> None:
    """Element by element."""
    out = vec(fb, call, "out")
    sources = [
        operand(fb, call, key, out) for key in ("lhs", "rhs", "src") if key in call.arguments
    ]
    emit(
        fb, f"tile.{call.operation.mnemonic}", [*sources, fb.buffer(out, call.node)], {}, call.node
    )


def compute_relu(fb: ProBuilder, call: Call) -> None:
    """Two instructions; the first writes `lhs`."""
    out = vec(fb, call, "out")
    lhs, rhs = (operand(fb, call, key, out) for key in ("lhs", "rhs"))
    emit(fb, f"tile.{call.operation.mnemonic}", [lhs, rhs, lhs], {}, call.node)
    emit(fb, "tile.relu", [lhs, fb.buffer(out, call.node)], {}, call.node)


def full(fb: ProBuilder, call: Call) -> None:
    out = tile(fb, call, "out", "Vec", "Mat")
    if out.type.space.name == "Mat":
        raise fb.error(
            call.node_of("out"),
            f"{call.path} of a tile in Mat is not supported yet; of one in Vec it is",
            UnsupportedFeatureError,
        )
    check_core(fb, call, "aiv")
    value = exact(fb, call["scalar"], out.type.dtype, call.node_of("scalar"))
    emit(fb, "tile.full", [value, fb.buffer(out, call.node)], {}, call.node)


def cast(fb: ProBuilder, call: Call) -> None:
    convert(fb, call, "src", vec(fb, call, "src"), vec(fb, call, "out"))


def convert(fb: ProBuilder, call: Call, key: str, src: Tile, out: Tile) -> None:
    """The argument `key` in the element type of `out`, rounded as `mode` says."""
    mode = member(fb, call, "mode", RoundMode)
    one, other = src.type.dtype, out.type.dtype
    if one is other:
        raise fb.error(
            call.node, f"{op_name(call)}: converts {one} to itself; pl.move copies", ParserTypeError
        )
    same_extents(fb, call, key, src, "out", out)
    if mode is RoundMode.CAST_ODD and (one, other) != (FP32, FP16):
        raise fb.error(
            call.node_of("mode"),
            f"{op_name(call)}: CAST_ODD is from FP32 to FP16 only, got {one} to {other}",
            ParserTypeError,
        )
    exact_one = is_exact(one, other)
    word = mode.name.removeprefix("CAST_").lower()
    if exact_one:
        # A step on the way, which the compiler chooses, has a rounding that rounds nothing.
        word = "none" if one.is_float else "rint"
    if word == "none" and not exact_one:
        raise fb.error(
            call.node_of("mode"),
            f"{op_name(call)}: CAST_NONE is for conversions that lose nothing; {one} to {other} "
            "rounds",
            ParserTypeError,
        )
    emit(
        fb,
        "tile.cast",
        [fb.buffer(src, call.node), fb.buffer(out, call.node)],
        {"round": session.attribute(f"#pto.round<{word}>")},
        call.node,
    )
