# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The parameters of a kernel: what their annotations say."""

from __future__ import annotations

import ast
import dataclasses

from ...diagnostics.errors import (
    CompileError,
    Diagnostic,
    ParserTypeError,
    UndefinedNameError,
    UnsupportedFeatureError,
    raise_all,
)
from ...language.annotations import Annotation
from ...language.dtypes import DataType
from ..source import MISSING, Source
from .values import Parameter

# Element types that cannot be computed with, only stored.
STORAGE_ONLY = {
    *("INT4", "UINT4", "FP4", "FP4E2M1", "FP4E1M2", "FP8E4M3FN", "FP8E5M2", "FP8E8M0"),
    *("HF4", "HF8"),
}


class _Wrong(Exception):
    def __init__(self, message: str, kind: type = ParserTypeError):
        self.message, self.kind = message, kind


class Reader:
    """Reads the signature of a kernel; all its errors are raised at once."""

    def __init__(self, source: Source, captured: dict):
        self.source, self.captured = source, captured
        self.diagnostics: list[Diagnostic] = []

    def read(self) -> list[Parameter]:
        tree = self.source.tree
        arguments = tree.args
        name = tree.name
        for extra, word in ((arguments.vararg, "*"), (arguments.kwarg, "**")):
            if extra is not None:
                message = f"a kernel has no '{word}{extra.arg}'"
                self._report(extra, message, UnsupportedFeatureError)
        for node in arguments.kwonlyargs:
            message = f"a kernel has no keyword-only parameter; move '{node.arg}' in front of '*'"
            self._report(node, message, UnsupportedFeatureError)
        for default in (*arguments.defaults, *filter(None, arguments.kw_defaults)):
            self._report(default, "a parameter of a kernel has no default", UnsupportedFeatureError)
        nodes = [*arguments.posonlyargs, *arguments.args]
        found = [parameter for node in nodes if (parameter := self._parameter(node))]
        self._check_tiling(name, found, nodes)
        if self.diagnostics:
            raise_all(self.diagnostics)
        return found

    def _report(self, node: ast.AST, message: str, kind: type) -> None:
        source = self.source
        end = 0
        if node.end_lineno == node.lineno:
            end = source.column(node.lineno, node.end_col_offset)
        column = source.column(node.lineno, node.col_offset)
        made = Diagnostic(message, source.file, node.lineno, column, end)
        made.kind = kind
        self.diagnostics.append(made)

    def _parameter(self, node: ast.arg) -> Parameter | None:
        if node.annotation is None:
            message = f"Parameter '{node.arg}' missing type annotation; write {node.arg}: "
            self._report(node, message + "pl.Ptr[pl.DT_FP16], pl.DT_INT64, ...", ParserTypeError)
            return None
        try:
            return parameter_of(node.arg, self._evaluated(node), node)
        except _Wrong as wrong:
            self._report(node.annotation, wrong.message, wrong.kind)
        except CompileError as error:
            for diagnostic in error.diagnostics:
                self._report(node.annotation, diagnostic.message, ParserTypeError)
        return None

    def _evaluated(self, node: ast.arg):
        """The annotation as an object. Under `from __future__ import annotations` it is a
        text, for names of the enclosing functions too."""
        found = self.source.function.__annotations__.get(node.arg)
        if not isinstance(found, str):
            return found
        try:
            return eval(found, self.source.function.__globals__, _Names(self))
        except NameError as error:
            raise _Wrong(f"annotation: {error}", UndefinedNameError) from None
        except Exception as error:
            raise _Wrong(f"annotation: {error}") from None

    def _check_tiling(self, name: str, found: list[Parameter], nodes: list[ast.arg]) -> None:
        tilings = [parameter for parameter in found if parameter.kind == "tiling"]
        if len(tilings) > 1:
            listed = ", ".join(parameter.name for parameter in tilings)
            message = (
                f"Function '{name}' has {len(tilings)} tiling parameters ({listed}), but at most 1 "
                "is allowed"
            )
            self._report(tilings[1].node, message, ParserTypeError)
        elif tilings and tilings[0].name != nodes[-1].arg:
            message = f"Tiling parameter '{tilings[0].name}' must be the last parameter"
            self._report(tilings[0].node, message, ParserTypeError)


class _Names(dict):
    """The names around a function, for its annotations."""

    def __init__(self, reader: Reader):
        self._reader = reader

    def __missing__(self, name: str):
        found = self._reader.captured.get(name, MISSING)
        if found is MISSING:
            found = self._reader.source.lookup(name)
        if found is MISSING:
            raise KeyError(name)
        return found


def is_parameter(annotation) -> bool:
    """Whether an annotation is one of a kernel."""
    if isinstance(annotation, str):
        return any(word in annotation for word in ("Tensor", "Ptr", "DT_"))
    return isinstance(annotation, (Annotation, DataType)) or getattr(
        annotation, "__name__", ""
    ) in ("Tensor", "Ptr", "Scalar")


def parameter_of(name: str, annotation, node: ast.arg) -> Parameter:
    if isinstance(annotation, Annotation) and annotation.kind == "Scalar":
        annotation = annotation.items[0]
    if isinstance(annotation, DataType):
        if annotation.name in STORAGE_ONLY:
            raise _Wrong(f"Scalar type does not support dtype {annotation}")
        return Parameter(name, "scalar", node, annotation)
    if isinstance(annotation, Annotation) and annotation.kind == "Ptr":
        return Parameter(name, "pointer", node, _element(name, annotation.items, "pl.Ptr"))
    if isinstance(annotation, Annotation) and annotation.kind == "Tensor":
        return _tensor(name, annotation.items, node)
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return Parameter(name, "tiling", node, tiling=_tiling(annotation))
    shown = getattr(annotation, "__name__", None) or repr(annotation)
    raise _Wrong(
        f"parameter '{name}' is annotated with {shown}; a kernel takes pl.Tensor[[...], dtype], "
        "pl.Ptr[dtype], a dtype such as pl.DT_INT64, or a @dataclass of tiling data"
    )


def _tiling(cls: type) -> type:
    from pypto_pro.runtime.header import tiling_fields

    names = [name for name in vars(cls).get("__annotations__", {})]
    for base in cls.__mro__[1:]:
        for name in vars(base).get("__annotations__", {}):
            if name in names:
                raise _Wrong(
                    f"Tiling class '{cls.__name__}' has duplicate field '{name}'. It is declared "
                    f"in '{base.__name__}' too; rename one"
                )
    tiling_fields(cls)
    return cls


def _element(name: str, items: tuple, what: str) -> DataType:
    if len(items) != 1 or not isinstance(items[0], DataType):
        raise _Wrong(f"{what} of '{name}' takes one dtype, as in {what}[pl.DT_FP16]")
    return _stored(name, items[0])


def _stored(name: str, dtype: DataType) -> DataType:
    if dtype.name in STORAGE_ONLY:
        raise _Wrong(
            f"parameter '{name}': elements of {dtype} are not supported yet; sub-byte and 8-bit "
            "floating point types come later",
            UnsupportedFeatureError,
        )
    return dtype


def _tensor(name: str, items: tuple, node: ast.arg) -> Parameter:
    from pypto_pro.language.enums import TensorLayout

    if len(items) == 4:
        raise _Wrong(f"the memref of tensor '{name}' is not supported yet", UnsupportedFeatureError)
    if len(items) not in (2, 3) or not isinstance(items[1], DataType):
        raise _Wrong(
            f"tensor '{name}' takes a shape and a dtype, as in pl.Tensor[[pl.DYNAMIC, 128], "
            "pl.DT_FP16]"
        )
    layout = items[2] if len(items) == 3 else TensorLayout.ND
    if not isinstance(layout, TensorLayout):
        raise _Wrong(f"the layout of tensor '{name}' is pl.ND, pl.DN or pl.NZ, found {layout!r}")
    if layout is not TensorLayout.ND:
        raise _Wrong(
            f"tensor '{name}' has layout {layout!r}; tensors are pl.ND in this version, and "
            "pl.load(..., order=) transposes",
            UnsupportedFeatureError,
        )
    return Parameter(name, "tensor", node, _stored(name, items[1]), _shape(name, items[0]), layout)


def _shape(name: str, shape) -> tuple:
    """Dimensions: numbers, DYNAMIC, STATIC; Ellipsis last for a tail of STATIC ones."""
    from pypto_pro.language.types import Extent

    if not isinstance(shape, (list, tuple)) or not shape:
        raise _Wrong(f"the shape of tensor '{name}' is a list of dimensions, found {shape!r}")
    for place, extent in enumerate(shape):
        if extent is Ellipsis:
            if place != len(shape) - 1:
                raise _Wrong(f"tensor '{name}': '...' stands once, at the end of the shape")
        elif isinstance(extent, Extent):
            continue
        elif isinstance(extent, bool) or not isinstance(extent, int) or extent < 1:
            raise _Wrong(
                f"dimension {place} of tensor '{name}' is a positive number, pl.DYNAMIC or "
                f"pl.STATIC, found {extent!r}"
            )
    return tuple(shape)
