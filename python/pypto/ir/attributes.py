# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Attributes and types from the parts of a printed line."""

from __future__ import annotations

import ast

from ..language.dtypes import DataType
from ..mlir import ir

# The comparisons, in the order of their codes.
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


class Unreadable(ValueError):
    """A line that is none of ours. `node`: what is wrong."""

    def __init__(self, node: ast.AST, message: str):
        super().__init__(message)
        self.node = node


# What a line raises that is read as if it were printed.
FAILURES = (ValueError, KeyError, IndexError, TypeError, AttributeError, ir.MLIRError)


def number(value: int, bits: int = 64) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(bits), value)


def numbers(values) -> ir.Attribute:
    return ir.DenseI64ArrayAttr.get(list(values))


def segments(*groups) -> ir.Attribute:
    return ir.DenseI32ArrayAttr.get([len(group) for group in groups])


def word(kind: str, value: str) -> ir.Attribute:
    return ir.Attribute.parse(f"#pto.{kind}<{value}>")


def unit() -> ir.Attribute:
    return ir.UnitAttr.get()


def path_of(node: ast.AST) -> str | None:
    """`pl.tile.load` of the expression."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def dtype_of(node: ast.AST) -> DataType:
    path = path_of(node) or ""
    name = path.removeprefix("pl.")
    if not path.startswith("pl.") or name not in DataType.all:
        raise Unreadable(node, "here stands an element type, such as pl.FP32")
    return DataType.all[name]


def element_of(dtype: DataType) -> ir.Type:
    return ir.Type.parse(dtype.mlir)


def literals(node: ast.AST) -> list:
    return list(ast.literal_eval(node))


# Attributes of plain operations that are enums, by their keyword.
_ENUMS = {"pipe": "pipe", "mode": "round"}


def attribute_of(key: str, node: ast.AST) -> ir.Attribute | None:
    """The attribute that a keyword most likely stands for; a note corrects it."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    if isinstance(value, bool):
        return unit() if value else None
    if isinstance(value, int):
        return number(value)
    if isinstance(value, float):
        return ir.FloatAttr.get(ir.F32Type.get(), value, loc=ir.Location.unknown())
    if isinstance(value, list):
        return numbers(value)
    if key in _ENUMS:
        try:
            return word(_ENUMS[key], value)
        except ir.MLIRError:
            return None
    return ir.StringAttr.get(value)
