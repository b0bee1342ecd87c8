# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a parameter is annotated with: `pl.Out[pl.Tensor[[64, 128], pl.FP32]]`.

An annotation is an ordinary Python expression, so these objects only hold what
was written; the front end checks it, where it has the author's line.
"""

from __future__ import annotations


class Annotation:
    """`Tensor[...]` and the like, with what stands in the brackets."""

    __slots__ = ("kind", "items")

    def __init__(self, kind: str, items: tuple):
        self.kind, self.items = kind, items

    def __repr__(self) -> str:
        return f"pl.{self.kind}[{', '.join(map(_show, self.items))}]"


def _show(item) -> str:
    if isinstance(item, (list, tuple)):
        return "[" + ", ".join(map(_show, item)) + "]"
    return item.__name__ if isinstance(item, type) else repr(item)


class _Annotated(type):
    def __getitem__(cls, items) -> Annotation:
        items = items if isinstance(items, tuple) else (items,)
        # A list that the author changes later is not what the annotation says.
        items = tuple(list(item) if isinstance(item, list) else item for item in items)
        return Annotation(cls.__name__, items)

    def __call__(cls, *args, **kwargs):
        raise TypeError(
            f"pl.{cls.__name__} is an annotation, as in `x: {cls.example}`; nothing is made of it "
            "in Python"
        )

    def __repr__(cls) -> str:
        return f"pl.{cls.__name__}"


class Tensor(metaclass=_Annotated):
    """A whole array in DDR: `x: pl.Tensor[[128, 128], pl.FP32]`; bare `pl.Tensor`
    takes shape and element type from the argument."""

    example = "pl.Tensor[[128, 128], pl.FP32]"


class Tile(metaclass=_Annotated):
    """An on-chip tile: `t: pl.Tile[[64, 128], pl.FP32, pl.Mem.Vec] = pl.load(...)`."""

    example = "pl.Tile[[64, 128], pl.FP32]"


class Scalar(metaclass=_Annotated):
    """A number: `n: pl.Scalar[pl.INT32]`."""

    example = "pl.Scalar[pl.INT32]"


class Array(metaclass=_Annotated):
    """A small array of the control plane: `t: pl.Array[4, pl.TASK_ID] = pl.array.create(...)`."""

    example = "pl.Array[4, pl.TASK_ID]"


class Out(metaclass=_Annotated):
    """An array that the function writes."""

    example = "pl.Out[pl.Tensor[[128, 128], pl.FP32]]"


class InOut(metaclass=_Annotated):
    """An array that the function reads and writes."""

    example = "pl.InOut[pl.Tensor[[128, 128], pl.FP32]]"


class Tuple:
    """What a function returns, if that is several values: `-> pl.Tuple[T, U]`, `tuple[T, U]`."""

    def __class_getitem__(cls, items):
        return tuple[items]

    def __new__(cls, *args, **kwargs):
        raise TypeError(
            "pl.Tuple is an annotation, as in `-> pl.Tuple[pl.Tensor, pl.Tensor]`; nothing is made "
            "of it in Python"
        )


class DynVar:
    """An extent that the call says: `M = pl.dynamic("M")`, `x: pl.Tensor[[M, 128], pl.FP32]`.
    One compiled program serves every extent. Where it stands twice the extents are equal."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        if not isinstance(name, str) or not name.isidentifier():
            raise TypeError(f"pl.dynamic takes a name, found {name!r}")
        self.name = name

    def __repr__(self) -> str:
        return f"pl.dynamic({self.name!r})"


def dynamic(name: str) -> DynVar:
    """A dimension whose extent the call says."""
    return DynVar(name)
