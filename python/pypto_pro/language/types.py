# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a parameter of a kernel is annotated with, and what describes a tile."""

from __future__ import annotations

import dataclasses
from typing import Any

from pypto.language.annotations import _Annotated


class Extent:
    """`pl.DYNAMIC`, a dimension that the run knows, and `pl.STATIC`, one that the kernel is
    compiled for."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"pl.{self.name}"

    def __reduce__(self):
        return self.name


DYNAMIC = Extent("DYNAMIC")
STATIC = Extent("STATIC")


class Tensor(metaclass=_Annotated):
    """An array in DDR: `x: pl.Tensor[[pl.DYNAMIC, 128], pl.DT_FP16]`."""

    example = "pl.Tensor[[pl.DYNAMIC, 128], pl.DT_FP16]"


class Ptr(metaclass=_Annotated):
    """An address in DDR: `x: pl.Ptr[pl.DT_FP16]`. The host gives an array, or None."""

    example = "pl.Ptr[pl.DT_FP16]"


class Tile(metaclass=_Annotated):
    """An on-chip buffer, as a parameter of a helper."""

    example = "pl.Tile"


class Scalar(metaclass=_Annotated):
    """A number: `n: pl.Scalar[pl.DT_INT32]`."""

    example = "pl.Scalar[pl.DT_INT32]"


@dataclasses.dataclass(frozen=True, eq=False)
class TileSpec:
    """What `pl.TileType` says, as it was written; the front end checks it."""

    shape: Any
    dtype: Any
    target_memory: Any
    valid_shape: Any = None
    layout: Any = None
    fractal: Any = None
    pad: Any = None
    compact: Any = None
