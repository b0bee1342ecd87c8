# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a Python name of a kernel can be bound to.

Besides these: Python constants (numbers, strings, lists, dtypes, enum members,
functions), which are folded while the source is read, and tuples of values.
"""

from __future__ import annotations

from .session import Type


class Value:
    """A tile, a scalar, or an array that an operation computes."""

    __slots__ = ("ir", "nonnegative", "type")

    def __init__(self, made, type: Type, nonnegative: bool = False):
        self.ir, self.type, self.nonnegative = made, type, nonnegative


class Array:
    """Memory in DDR: a parameter, or what `pl.create_tensor` made.

    `ir` names its content now. Every write makes a new one, and every Python
    name of the array sees it: that is what makes `pl.store(y, [0, 0], out)` and
    `out = pl.store(y, [0, 0], out)` the same.
    """

    __slots__ = ("direction", "index", "ir", "name", "node", "type", "written")

    def __init__(
        self, made, type: Type, name: str, direction: str = "", index: int = -1, node=None
    ):
        self.ir, self.type, self.name = made, type, name
        # "in", "out", "inout" of a parameter; "" of a created array.
        self.direction, self.index, self.node = direction, index, node
        self.written = False

    @property
    def is_parameter(self) -> bool:
        return self.index >= 0


class Unbound:
    """A name without a value, and why; `reason` None: an error was reported."""

    __slots__ = ("node", "note", "reason")

    def __init__(self, reason: str | None, node=None, note: str = ""):
        self.reason, self.node, self.note = reason, node, note


def describe(value) -> str:
    """The value in the author's words, for an error."""
    if isinstance(value, (Value, Array)):
        return str(value.type)
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    if value is None:
        return "None"
    return repr(value)
