# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What the vector unit computes on tiles in Vec."""

from __future__ import annotations

from pypto_pro.language.enums import RoundMode, TensorLayout

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....language.dtypes import BF16, FP16, FP32
from ....mlir import ir
from ... import session
from ..builder import ProBuilder
from ..calls import Call
from ..values import Tile, TileGroup, describe
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
from .declarations import bytes_of
from .scalar_operands import exact

# Conversions that lose nothing; they have no rounding.
EXACT = {(FP16, FP32), (BF16, FP32)}


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


def extreme(fb: ProBuilder, call: Call) -> None:
    """`pl.maximum` and `pl.minimum`; with `dim=` a reduction, whose scratch is `rhs`."""
    if call["dim"] is None:
        compute(fb, call)
        return
    _check_dim(fb, call)
    if call.operation.name != "maximum":
        raise fb.error(
            call.node, f"{call.path} with dim= is not supported yet", UnsupportedFeatureError
        )
    _reduce(fb, call, "row_max", "lhs", "rhs")


def _check_dim(fb: ProBuilder, call: Call) -> None:
    if "dim" not in call.arguments:
        return
    node = call.node_of("dim")
    dim = fb.static_int(call["dim"], node, "dim")
    if dim == 1:
        raise fb.error(
            node,
            f"{call.path}: dim=1, along columns, is not supported yet; dim=0 is",
            UnsupportedFeatureError,
        )
    if dim != 0:
        raise fb.error(node, f"{op_name(call)}: dim is 0 or 1, got {dim}", ParserTypeError)


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
    out, src = vec(fb, call, "out"), vec(fb, call, "src")
    mode = member(fb, call, "mode", RoundMode)
    one, other = src.type.dtype, out.type.dtype
    if one is other:
        raise fb.error(
            call.node, f"{op_name(call)}: converts {one} to itself; pl.move copies", ParserTypeError
        )
    same_extents(fb, call, "src", src, "out", out)
    if mode is RoundMode.CAST_ODD and (one, other) != (FP32, FP16):
        raise fb.error(
            call.node_of("mode"),
            f"{op_name(call)}: CAST_ODD is from FP32 to FP16 only, got {one} to {other}",
            ParserTypeError,
        )
    word = "none" if (one, other) in EXACT else mode.name.removeprefix("CAST_").lower()
    if word == "none" and (one, other) not in EXACT:
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


# Rows.


def row_reduce(fb: ProBuilder, call: Call) -> None:
    _check_dim(fb, call)
    _reduce(fb, call, call.operation.mnemonic, "src", "tmp")


def _reduce(fb: ProBuilder, call: Call, mnemonic: str, source: str, scratch: str) -> None:
    out, src = vec(fb, call, "out"), vec(fb, call, source)
    same_dtype(fb, call, source, src, "out", out)
    _check_column(fb, call, "out", out, src)
    attributes = {}
    if call[scratch] is not None:
        tmp = vec(fb, call, scratch)
        same_dtype(fb, call, scratch, tmp, source, src)
        attributes = _scratch(tmp)
    operands = [fb.buffer(src, call.node), fb.buffer(out, call.node)]
    emit(fb, f"tile.{mnemonic}", operands, attributes, call.node)


def _scratch(tmp: Tile) -> dict:
    """Where the author wants the compiler's scratch, if that is known."""
    base, index = tmp.base, 0
    if isinstance(base, TileGroup):
        base, index = base.ir, tmp.index if base.count > 1 else 0
    if not isinstance(base, ir.Value) or not isinstance(index, int):
        return {}
    address = list(base.owner.attributes["addrs"])[index]
    return {"pto.scratch": session.int64s([address, bytes_of(tmp.type)])}


def _check_column(fb: ProBuilder, call: Call, key: str, column: Tile, other: Tile) -> None:
    """One value for each row, one behind the other."""
    if column.type.shape[1] != 1 or column.type.layout is not TensorLayout.DN:
        raise fb.error(
            call.node_of(key),
            f"{op_name(call)}: {key} must be [M, 1] of layout DN, got {list(column.type.shape)} of "
            f"layout {column.type.layout.name}",
            ParserTypeError,
        )
    ours, theirs = fb.valid(column)[0], fb.valid(other)[0]
    if isinstance(ours, int) and isinstance(theirs, int) and ours != theirs:
        raise fb.error(
            call.node_of(key),
            f"{op_name(call)}: {key} has {ours} values for {theirs} rows; there is one for each",
            ParserTypeError,
        )


def row_expand(fb: ProBuilder, call: Call) -> None:
    _check_dim(fb, call)
    out, src = vec(fb, call, "out"), vec(fb, call, "src")
    key = "scalar_tile" if "scalar_tile" in call.arguments else "row_vec"
    column = vec(fb, call, key)
    same_dtype(fb, call, "src", src, "out", out)
    same_dtype(fb, call, key, column, "out", out)
    same_extents(fb, call, "src", src, "out", out)
    _check_column(fb, call, key, column, src)
    operands = [fb.buffer(found, call.node) for found in (src, column, out)]
    emit(fb, f"tile.{call.operation.mnemonic}", operands, {}, call.node)
