# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`-> pl.Tensor[...]`: what a function returns is what its annotation says."""

from __future__ import annotations

import ast
import types

from ..diagnostics.errors import ParserTypeError
from ..language.annotations import Array as CellArray
from ..language.annotations import Scalar, Tensor, Tile
from . import functions, scalars
from .builder import Failure, FunctionBuilder
from .source import MISSING
from .values import Array, Cells, Value, describe

# What a bare word says of the kind of a value.
_BARE = {Tensor: "array", Tile: "tile", Scalar: "scalar", CellArray: "pl.array"}


def check(fb: FunctionBuilder) -> None:
    """Reports a value that is not of its declared type. Of a function whose `return` failed
    nothing is known."""
    node = fb.source.tree.returns
    if node is None:
        return
    try:
        declared, nodes = _declared(fb, node)
        returned = None if fb.returned is MISSING else fb.returned
        if declared is None or returned is None:
            if (declared is None) is not (returned is None):
                raise _differs(
                    fb, node, "None" if declared is None else ast.unparse(node), returned
                )
            return
        several = isinstance(returned, (tuple, list))
        values = list(returned) if several else [returned]
        if several is not isinstance(declared, tuple) or len(values) != len(nodes):
            raise _differs(fb, node, ast.unparse(node), returned)
        each = declared if several else (declared,)
        for kind, place, value in zip(each, nodes, values, strict=True):
            _check_one(fb, kind, place, value)
    except Failure as failure:
        fb.module.report(failure)


def _declared(fb: FunctionBuilder, node: ast.expr):
    """(what is declared, the nodes of its parts): a tuple of annotations for `tuple[...]`."""
    evaluated = fb.source.function.__annotations__.get("return")
    known = "<locals>" in fb.source.function.__qualname__ and not isinstance(evaluated, str)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = functions.quoted(fb, node)
    parts = _parts(node)
    if parts is not None:
        if known and isinstance(evaluated, types.GenericAlias):
            return tuple(evaluated.__args__), parts
        return tuple(functions.evaluate_annotation(fb, part) for part in parts), parts
    return (evaluated if known else functions.evaluate_annotation(fb, node)), [node]


def _parts(node: ast.expr) -> list[ast.expr] | None:
    """The elements of `tuple[a, b]` and `pl.Tuple[a, b]`."""
    if not isinstance(node, ast.Subscript):
        return None
    base = node.value
    name = base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")
    if name not in ("tuple", "Tuple"):
        return None
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _check_one(fb: FunctionBuilder, annotation, node: ast.expr, value) -> None:
    if annotation in _BARE:
        found = value.type.kind if isinstance(value, (Value, Array, Cells)) else None
        if found is None and scalars.is_number(value):
            found = "scalar"
        if found != _BARE[annotation]:
            raise _differs(fb, node, ast.unparse(node), value)
        return
    declared = functions.type_of(fb, annotation, node)
    if isinstance(value, (Value, Array, Cells)):
        found = value.type
        spaces = {declared.space, found.space} - {None}
        agrees = found.same_value(declared) or (
            declared.kind == found.kind == "array" and functions.takes(declared, found)
        )
        if agrees and len(spaces) < 2:
            return
    elif declared.kind == "scalar" and scalars.is_number(value):
        return
    raise _differs(fb, node, str(declared), value)


def _differs(fb: FunctionBuilder, node: ast.expr, declared: str, value) -> Failure:
    notes = []
    if fb.return_node is not None:
        notes = [fb.note(fb.return_node, "this is returned")]
    found = "nothing" if value is None else describe(value)
    return fb.error(
        node,
        f"'{fb.source.tree.name}' is declared to return {declared}, and returns {found}; correct "
        "the annotation, or leave it out",
        ParserTypeError,
        notes,
    )
