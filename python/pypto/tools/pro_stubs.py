# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The stubs of PyPTO Pro, which `python -m pypto.tools.stubs` writes too."""

from __future__ import annotations

import pathlib

from pypto_pro import language
from pypto_pro.language import enums, registry

from ..language.operation import Face
from .stubs import _HEADER, _IMPORTS, _function, _parameters

FOLDER = pathlib.Path(language.__file__).resolve().parent
_HOST = """\
from ..jit import KernelDef as KernelDef
from ..jit import function as function
from ..jit import inline as inline
from ..jit import jit as jit
from ..jit import kernel as kernel
from ..jit import loads as loads
from ..jit import loads_program as loads_program
from ..jit import parse as parse
from ..jit import parse_program as parse_program
from ..jit import program as program
from . import mutex as mutex
from . import system as system
from .types import DYNAMIC as DYNAMIC
from .types import STATIC as STATIC
"""
_TYPES = '''\
class Scalar:
    """A number: `n: pl.Scalar[pl.DT_INT32]`."""

    def __class_getitem__(cls, items: Any) -> Any: ...
    def __index__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __add__(self, other: Any) -> Any: ...
    def __radd__(self, other: Any) -> Any: ...
    def __sub__(self, other: Any) -> Any: ...
    def __rsub__(self, other: Any) -> Any: ...
    def __mul__(self, other: Any) -> Any: ...
    def __rmul__(self, other: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Any: ...
    def __floordiv__(self, other: Any) -> Any: ...
    def __mod__(self, other: Any) -> Any: ...
    def __neg__(self) -> Any: ...
    def __lt__(self, other: Any) -> Any: ...
    def __le__(self, other: Any) -> Any: ...
    def __gt__(self, other: Any) -> Any: ...
    def __ge__(self, other: Any) -> Any: ...

class Ptr:
    """An address in DDR: `x: pl.Ptr[pl.DT_FP16]`."""

    def __class_getitem__(cls, items: Any) -> Any: ...
    def __add__(self, offset: Any) -> Ptr: ...

class Tensor:
    """An array in DDR: `x: pl.Tensor[[pl.DYNAMIC, 128], pl.DT_FP16]`."""

    shape: tuple[Any, ...]
    dtype: DataType
    def __class_getitem__(cls, items: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...

class Tile:
    """A tile: memory on the chip."""

    shape: tuple[int, int]
    valid_shape: tuple[Any, Any]
    dtype: DataType
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...

class TileGroup:
    """Tiles of one type, used in turn."""

    def next(self) -> Tile: ...
    def current(self) -> Tile: ...
    def previous(self) -> Tile: ...
    def __getitem__(self, index: Any) -> Tile: ...

'''


def _level_stub(level: str) -> str:
    return "\n".join(
        [
            _HEADER + _IMPORTS,
            "from . import Ptr, Scalar, Tensor, Tile",
            "from .enums import *",
            "",
            _functions(level),
        ]
    )


def _functions(level: str) -> str:
    faces = sorted(registry.faces(level).items())
    return "\n".join(_of_face(face, level) for name, face in faces if name != "TileType")


def _of_face(face: Face, level: str) -> str:
    later = getattr(face.operation, "later", "")
    text = _function(face.operation, level)
    return text.replace("Not in this version.", f"Not in this version: {later}.") if later else text


def _tile_type() -> str:
    operation = registry.OPERATIONS["TileType"]
    signature = _parameters(operation.faces[""])
    return (
        f'class TileType:\n    """{operation.doc}"""\n\n'
        f"    def __init__(self, {signature}) -> None: ...\n"
    )


def _package_stub() -> str:
    return "\n".join(
        [
            _HEADER + _IMPORTS,
            "from pypto.language.dtypes import DataType as DataType",
            "",
            _HOST,
            *[f"from .enums import {name} as {name}" for name in sorted(enums.ENUMS)],
            "",
            *[f"{name}: DataType" for name in sorted(language._DTYPES)],
            *[f"{member}: TensorLayout" for member in enums.TensorLayout.__members__],
            *[f"{name}: Any" for name in sorted(language._OBJECTS)],
            "",
            _TYPES + _tile_type(),
            _functions(""),
        ]
    )


def stubs() -> dict[pathlib.Path, str]:
    """The text of each stub."""
    return {
        FOLDER / "__init__.pyi": _package_stub(),
        FOLDER / "system.pyi": _level_stub("system"),
        FOLDER / "mutex.pyi": _level_stub("mutex"),
    }
