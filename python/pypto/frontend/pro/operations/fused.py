# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Operations that are two or three instructions in turn."""

from __future__ import annotations

from ....diagnostics.errors import ParserTypeError
from ..builder import ProBuilder
from ..calls import Call
from ..values import Tile
from .arguments import emit, op_name
from .matrix import same_tile
from .vector import operand, vec


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
