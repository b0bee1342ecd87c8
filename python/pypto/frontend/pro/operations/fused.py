# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Operations that are two or three instructions in turn."""

from __future__ import annotations

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....language.dtypes import FP16, FP32, DataType
from ... import scalars, session
from ...values import Value
from ..builder import ProBuilder
from ..calls import Call
from ..values import Tile, describe
from .arguments import emit, of_types, op_name, same_dtype, same_extents
from .declarations import scratch_type
from .matrix import same_tile
from .moves import copy
from .scalar_operands import exact
from .vector import convert, operand, vec


def not_the_same(fb: ProBuilder, call: Call, key: str, other: str, why: str) -> None:
    """The tile `key` is written before `other` is read."""
    if isinstance(call[other], Tile) and same_tile(call[key], call[other]):
        raise fb.error(
            call.node_of(other),
            f"{op_name(call)}: {other} must be another tile than {key}, {why}",
            ParserTypeError,
        )


def in_turn(fb: ProBuilder, call: Call) -> None:
    """a + b + c, a - b + c: the first step into `out`, which the second reads."""
    out = vec(fb, call, "out")
    a, b, c = (operand(fb, call, key, out) for key in ("a", "b", "c"))
    not_the_same(fb, call, "out", "c", "which holds the first sum when it is read")
    made = fb.buffer(out, call.node)
    emit(fb, f"tile.{call.operation.mnemonic}", [a, b, made], {}, call.node)
    emit(fb, "tile.add", [made, c, made], {}, call.node)


def multiply_add(fb: ProBuilder, call: Call) -> None:
    """out = lhs * out + rhs, with or without max(x, 0) at the end."""
    out = vec(fb, call, "out")
    lhs, rhs = (operand(fb, call, key, out) for key in ("lhs", "rhs"))
    not_the_same(fb, call, "out", "rhs", "which holds the product when it is read")
    made = fb.buffer(out, call.node)
    emit(fb, "tile.mul", [lhs, made, made], {}, call.node)
    emit(fb, "tile.add", [made, rhs, made], {}, call.node)
    if call.operation.name.endswith("_relu"):
        emit(fb, "tile.relu", [made, made], {}, call.node)


def multiply_to(fb: ProBuilder, call: Call) -> None:
    """out += lhs * rhs"""
    out = vec(fb, call, "out")
    sources = [operand(fb, call, key, out) for key in ("lhs", "rhs")]
    product = scratch_like(fb, call, out)
    emit(fb, "tile.mul", [*sources, product], {}, call.node)
    made = fb.buffer(out, call.node)
    emit(fb, "tile.add", [made, product, made], {}, call.node)


def axpy(fb: ProBuilder, call: Call) -> None:
    """out += alpha * src; FP16 meets FP32 as what it is there."""
    out, src = vec(fb, call, "out"), vec(fb, call, "src")
    node = call.node
    for key, found, allowed in (("out", out, (FP16, FP32)), ("src", src, (out.type.dtype, FP16))):
        of_types(fb, call, key, found, allowed)
    same_extents(fb, call, "src", src, "out", out)
    alpha = exact(fb, call["alpha"], src.type.dtype, call.node_of("alpha"))
    source, product = fb.buffer(src, node), scratch_like(fb, call, out)
    if src.type.dtype is not out.type.dtype:
        exactly = {"round": session.attribute("#pto.round<none>")}
        emit(fb, "tile.cast", [source, product], exactly, node)
        source = product
        wide = Value(alpha, session.scalar_type(src.type.dtype))
        alpha = scalars.convert(fb, wide, out.type.dtype, node).ir
    emit(fb, "tile.mul", [source, alpha, product], {}, node)
    made = fb.buffer(out, node)
    emit(fb, "tile.add", [made, product, made], {}, node)


def then_cast(fb: ProBuilder, call: Call) -> None:
    """`pl.add_relu_cast`, `pl.sub_relu_cast`, `pl.mul_cast`: into `lhs`, then converted."""
    out, lhs = vec(fb, call, "out"), vec(fb, call, "lhs")
    rhs = operand(fb, call, "rhs", lhs, "lhs")
    node = call.node_of("target_type")
    target = fb.static(call["target_type"], node, "target_type")
    if target is not out.type.dtype:
        raise fb.error(
            node,
            f"{op_name(call)}: target_type is the element type of out, {out.type.dtype}, got "
            f"{describe(target)}",
            ParserTypeError,
        )
    made = fb.buffer(lhs, call.node)
    emit(fb, f"tile.{call.operation.mnemonic}", [made, rhs, made], {}, call.node)
    if "_relu" in call.operation.name:
        emit(fb, "tile.relu", [made, made], {}, call.node)
    convert(fb, call, "lhs", lhs, out)


def scratch_like(fb: ProBuilder, call: Call, tile: Tile, dtype: DataType | None = None):
    """A window of scratch as large as what is valid of a tile, where Vec is free; of its
    element type, or of `dtype`."""
    kind = scratch_type(tile.type, dtype or tile.type.dtype)
    name, reason = f"{tile.name}_step", f"holds a step of {call.path}"
    made = fb.module.scratch(fb, kind.buffer, call.node, name, reason)
    return fb.buffer(Tile(made, kind, tile.rows, tile.cols, name), call.node)


# Where both are valid.


def partly(fb: ProBuilder, call: Call) -> None:
    """Where both sources are valid they meet; elsewhere the valid one is copied."""
    out = vec(fb, call, "out")
    sources = {key: vec(fb, call, key) for key in ("s0", "s1")}
    for key, found in sources.items():
        same_dtype(fb, call, key, found, "out", out)
    known = {key: fb.valid(found) for key, found in {**sources, "out": out}.items()}
    for key, extents in known.items():
        if not all(isinstance(extent, int) for extent in extents):
            raise fb.error(
                call.node_of(key),
                f"{call.path}: which source is smaller must be known at compile time, and how much "
                f"of {key} is valid is known at run time only",
                UnsupportedFeatureError,
            )
    large = next((key for key in sources if known[key] == known["out"]), None)
    if large is None:
        raise fb.error(
            call.node_of("s0"),
            f"{op_name(call)}: s0 or s1 must have the valid part of out, "
            f"[{_dims(known['out'])}], got [{_dims(known['s0'])}] and [{_dims(known['s1'])}]",
            ParserTypeError,
        )
    small = "s1" if large == "s0" else "s0"
    if any(a > b for a, b in zip(known[small], known["out"], strict=True)):
        raise fb.error(
            call.node_of(small),
            f"{op_name(call)}: {small} has more valid elements than out: [{_dims(known[small])}] "
            f"and [{_dims(known['out'])}]",
            ParserTypeError,
        )
    node, smaller = call.node, sources[small]
    if known[small] != known["out"]:
        not_the_same(fb, call, "out", small, "as the larger source is copied there first")
        if not same_tile(out, sources[large]):
            copy(fb, fb.buffer(sources[large], node), fb.buffer(out, node), out.type.dtype, node)
    inner = [
        fb.window(sources[key], (0, 0), known[small], node)
        if key == large
        else fb.buffer(smaller, node)
        for key in ("s0", "s1")
    ]
    if known[small] != known["out"] and not same_tile(out, sources[large]):
        # The copy holds the same.
        inner[("s0", "s1").index(large)] = fb.window(out, (0, 0), known[small], node)
    made = fb.window(out, (0, 0), known[small], node)
    emit(fb, f"tile.{call.operation.mnemonic}", [*inner, made], {}, node)


def _dims(extents) -> str:
    return ", ".join(map(str, extents))
