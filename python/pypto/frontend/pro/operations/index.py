# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Which core this is, and the extremes of two scalars."""

from __future__ import annotations

from ....language.dtypes import INDEX
from ... import scalars, session
from ...values import Value
from ..builder import ProBuilder
from ..calls import Call


def _number(fb: ProBuilder, call: Call, word: str, name: str | None = None) -> Value:
    kind = session.scalar_type(INDEX)
    made = fb.value(f"pto.block.{word}", kind, [], None, call.node, name)
    made.nonnegative = True
    return made


def get_block_num(fb: ProBuilder, call: Call) -> Value:
    return _number(fb, call, "get_block_num", call.name)


def get_subblock_num(fb: ProBuilder, call: Call):
    """An AIC has no other beside it."""
    return 1 if fb.core == "aic" else _number(fb, call, "get_subblock_num", call.name)


def get_subblock_idx(fb: ProBuilder, call: Call):
    return 0 if fb.core == "aic" else _number(fb, call, "get_subblock_idx", call.name)


def get_block_idx(fb: ProBuilder, call: Call) -> Value:
    """The IR counts clusters. The language counts the AIVs of a mixed kernel one by one, and
    `get_subblock_num` is 1 in every other."""
    if fb.core == "aic":
        return _number(fb, call, "get_block_idx", call.name)
    block = _number(fb, call, "get_block_idx")
    first = scalars.binary(fb, "*", block, _number(fb, call, "get_subblock_num"), call.node, None)
    inside = _number(fb, call, "get_subblock_idx")
    return scalars.binary(fb, "+", first, inside, call.node, call.name)


def extreme(fb: ProBuilder, call: Call):
    """`pl.max` and `pl.min`, and Python's of two scalars."""
    one, other = (fb.scalar_of(call[key], call.node_of(key)) for key in ("lhs", "rhs"))
    return scalars.extreme(fb, call.operation.name, one, other, call.node, call.name)
