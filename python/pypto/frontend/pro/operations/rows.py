# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Reductions of rows and columns, and what meets them with a value each."""

from __future__ import annotations

from pypto_pro.language.enums import TensorLayout

from ....diagnostics.errors import ParserTypeError
from ... import session
from ..builder import ProBuilder
from ..calls import Call
from ..values import Tile
from .arguments import address_of, emit, op_name, same_dtype, same_extents
from .declarations import bytes_of
from .scalar_operands import exact
from .vector import compute, vec

# What `dim` is in the names of the dialect.
LINES = ("row", "col")


def _line(fb: ProBuilder, call: Call) -> str:
    """ "row" or "col": what `dim` says, or the name of the operation."""
    if "dim" not in call.arguments:
        return call.operation.mnemonic[:3]
    node = call.node_of("dim")
    dim = fb.static_int(call["dim"], node, "dim")
    if dim not in (0, 1):
        raise fb.error(node, f"{op_name(call)}: dim is 0 or 1, got {dim}", ParserTypeError)
    return LINES[dim]


# Reductions.


def reduce(fb: ProBuilder, call: Call) -> None:
    _reduce(fb, call, call.operation.mnemonic, "src", "tmp")


def total(fb: ProBuilder, call: Call) -> None:
    """`pl.sum`, of which `dim` says the direction."""
    _reduce(fb, call, f"{_line(fb, call)}_sum", "src", "tmp")


def extreme(fb: ProBuilder, call: Call) -> None:
    """`pl.maximum` and `pl.minimum`; with `dim=` a reduction, whose scratch is `rhs`."""
    if call["dim"] is None:
        compute(fb, call)
        return
    _reduce(fb, call, f"{_line(fb, call)}_{call.operation.name[:3]}", "lhs", "rhs")


def _reduce(fb: ProBuilder, call: Call, mnemonic: str, source: str, scratch: str) -> None:
    out, src = vec(fb, call, "out"), vec(fb, call, source)
    same_dtype(fb, call, source, src, "out", out)
    check_line(fb, call, "out", out, src, mnemonic[:3])
    attributes = {}
    if call[scratch] is not None:
        tmp = vec(fb, call, scratch)
        same_dtype(fb, call, scratch, tmp, source, src)
        attributes = _scratch(tmp)
    operands = [fb.buffer(src, call.node), fb.buffer(out, call.node)]
    emit(fb, f"tile.{mnemonic}", operands, attributes, call.node)


def _scratch(tmp: Tile) -> dict:
    """Where the author wants the compiler's scratch, if that is known."""
    address = address_of(tmp)
    if address is None:
        return {}
    return {"pto.scratch": session.int64s([address, bytes_of(tmp.type)])}


def check_line(fb: ProBuilder, call: Call, key: str, values: Tile, other: Tile, which: str) -> None:
    """One value for each row, one behind the other; or one for each column, in a row."""
    shape, layout, found = values.type.shape, values.type.layout, fb.valid(values)
    if which == "row":
        right, wanted = shape[1] == 1 and layout is TensorLayout.DN, "[M, 1] of layout DN"
    else:
        right, wanted = found[0] == 1 and layout is TensorLayout.ND, "[1, N] of layout ND"
    if not right:
        raise fb.error(
            call.node_of(key),
            f"{op_name(call)}: {key} must be {wanted}, got {list(shape)} of layout {layout.name}",
            ParserTypeError,
        )
    axis = LINES.index(which)
    ours, theirs = found[axis], fb.valid(other)[axis]
    if isinstance(ours, int) and isinstance(theirs, int) and ours != theirs:
        raise fb.error(
            call.node_of(key),
            f"{op_name(call)}: {key} has {ours} values for {theirs} {('rows', 'columns')[axis]}; "
            "there is one for each",
            ParserTypeError,
        )


# Broadcasts.


def _values(fb: ProBuilder, call: Call, out: Tile, which: str) -> Tile:
    """The tile with a value for each row or column of `out`."""
    key = next(k for k in ("scalar_tile", "row_vec", "col_vec") if k in call.arguments)
    found = vec(fb, call, key)
    same_dtype(fb, call, key, found, "out", out)
    check_line(fb, call, key, found, out, which)
    return found


def expand(fb: ProBuilder, call: Call) -> None:
    which = _line(fb, call)
    out, src = vec(fb, call, "out"), vec(fb, call, "src")
    same_dtype(fb, call, "src", src, "out", out)
    same_extents(fb, call, "src", src, "out", out)
    values = _values(fb, call, out, which)
    operands = [fb.buffer(found, call.node) for found in (src, values, out)]
    word = call.operation.mnemonic.rpartition("_")[2]
    emit(fb, f"tile.{which}_expand_{word}", operands, {}, call.node)


def spread(fb: ProBuilder, call: Call) -> None:
    """Ones times the values, which is exact."""
    out = vec(fb, call, "out")
    values = _values(fb, call, out, _line(fb, call))
    made = fb.buffer(out, call.node)
    emit(fb, "tile.full", [exact(fb, 1, out.type.dtype, call.node), made], {}, call.node)
    operands = [made, fb.buffer(values, call.node), made]
    emit(fb, f"tile.{call.operation.mnemonic}", operands, {}, call.node)
