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

    __slots__ = (
        *("direction", "index", "ir", "manual", "name", "node", "origin", "sources", "type"),
        *("window", "written"),
    )

    def __init__(
        self, made, type: Type, name: str, direction: str = "", index: int = -1, node=None
    ):
        self.ir, self.type, self.name = made, type, name
        # "in", "out", "inout" of a parameter; "" of a created array.
        self.direction, self.index, self.node = direction, index, node
        self.written = False
        # Nothing is derived from what tasks do with it: manual_dep=True.
        self.manual = False
        # The value that made it, of an array of the program's own.
        self.origin = None
        # Where it lies in another array's memory, if it is a slice of one.
        self.window: Window | None = None
        # The arrays whose memory it may be, if that is known at run time only.
        self.sources: tuple[Array, ...] = ()

    def owners(self) -> list[Array]:
        """The arrays that a write to this one may write, this one among them."""
        found, pending = {id(self): self}, [self]
        while pending:
            array = pending.pop()
            nearer = array.sources
            if array.window is not None:
                nearer = (*nearer, array.window.base)
            for owner in nearer:
                if id(owner) not in found:
                    found[id(owner)] = owner
                    pending.append(owner)
        return list(found.values())

    def roots(self) -> list[Array]:
        """Those of its owners that have memory of their own. A name that loop after loop makes
        mean another array would drag along all that it ever meant, were those its sources."""
        return [array for array in self.owners() if array.window is None and not array.sources]

    @property
    def is_parameter(self) -> bool:
        return self.index >= 0


def chosen(made, type: Type, name: str, sources) -> Array:
    """An array that is one of several; the run chooses. It is read-only if one of them is."""
    readonly = next((array for array in sources if array.direction == "in"), None)
    found = Array(made, type, name)
    if readonly is not None:
        found.direction, found.node, found.name = "in", readonly.node, readonly.name
    found.sources = tuple(sources)
    return found


class Window:
    """Where a slice lies in `base`: offsets (numbers or MLIR index values) and sizes,
    one for each dimension of it."""

    __slots__ = ("base", "offsets", "sizes")

    def __init__(self, base: Array, offsets: list, sizes: tuple):
        self.base, self.offsets, self.sizes = base, offsets, sizes


class Cells:
    """What `pl.array.create` made. Like an array it changes in place: `ir` names its
    content now, and every Python name sees it."""

    __slots__ = ("ir", "name", "node", "type")

    def __init__(self, made, type: Type, name: str, node=None):
        self.ir, self.type, self.name, self.node = made, type, name, node


class Submitted(tuple):
    """What pl.submit gives: (what the kernel returns, its task id)."""


class Unbound:
    """A name without a value, and why; `reason` None: an error was reported. `fields`: of the
    tiling key; with their values it is known whether the name has one."""

    __slots__ = ("fields", "node", "note", "reason")

    def __init__(self, reason: str | None, node=None, note: str = "", fields=frozenset()):
        self.reason, self.node, self.note, self.fields = reason, node, note, fields


def describe(value) -> str:
    """The value in the author's words, for an error."""
    if isinstance(value, (Value, Array, Cells)):
        return str(value.type)
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    if value is None:
        return "None"
    return repr(value)
