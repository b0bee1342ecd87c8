# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Structs, arrays of structs, named tuples and typed numbers. Each field of a struct is a
scalar that loops and branches carry."""

from __future__ import annotations

import ast

from ....diagnostics.errors import ParserTypeError, UndefinedNameError, UnsupportedFeatureError
from ....diagnostics.suggest import suggestion
from ... import scalars, session
from ...values import Value
from ..builder import ProBuilder, same, signless
from ..control import check_index
from ..values import Cell, CellOf, NamedTuple, Struct, StructArray, StructItem, describe


class FieldList:
    """`s.field` where the field is a list: its cells."""

    __slots__ = ("cells", "name")

    def __init__(self, name: str, cells: list):
        self.name, self.cells = name, cells


def struct(fb: ProBuilder, call) -> Struct:
    return _made(fb, call, _struct_name(fb, call), call["fields"])


def struct_array(fb: ProBuilder, call) -> StructArray:
    count = fb.static_int(call["count"], call.node_of("count"), "the size of a struct array")
    if count < 1:
        raise fb.error(call.node_of("count"), f"a struct array has at least 1 element, got {count}")
    name = _struct_name(fb, call)
    return StructArray(name, [_made(fb, call, name, call["fields"]) for _ in range(count)])


def _struct_name(fb: ProBuilder, call) -> str:
    name = call["name"]
    if not isinstance(name, str) or not name.isidentifier():
        raise fb.error(
            call.node_of("name"),
            f"the name of a struct is a string that is a Python name, found {describe(name)}",
            ParserTypeError,
        )
    return name


def _made(fb: ProBuilder, call, name: str, fields: dict) -> Struct:
    if not fields:
        raise fb.error(call.node, f"struct '{name}' has no field", ParserTypeError)
    found = {}
    for field, initial in fields.items():
        label = f"{call.name or name}_{field}"
        if isinstance(initial, (list, tuple)):
            found[field] = [
                Cell(f"{label}_{index}", _scalar(fb, call, field, item))
                for index, item in enumerate(initial)
            ]
        else:
            found[field] = Cell(label, _scalar(fb, call, field, initial))
    return Struct(name, found)


def _scalar(fb: ProBuilder, call, field: str, value):
    value = fb.scalar_of(value, call.node)
    if not scalars.is_scalar(value):
        raise fb.error(
            call.node,
            f"field '{field}' of a struct is a scalar or a list of scalars, found "
            f"{describe(value)}; pl.make_tuple holds tiles",
            ParserTypeError,
        )
    return value


def make_tuple(fb: ProBuilder, call) -> NamedTuple:
    if not call["fields"]:
        raise fb.error(call.node, "pl.make_tuple has no field", ParserTypeError)
    return NamedTuple(dict(call["fields"]))


def const(fb: ProBuilder, call):
    """A typed number."""
    dtype, node = call["dtype"], call.node_of("dtype")
    value = fb.static(call["value"], call.node_of("value"), "what pl.const takes")
    if not isinstance(value, (bool, int, float)):
        raise fb.error(
            call.node_of("value"),
            f"pl.const takes a number, found {describe(value)}",
            ParserTypeError,
        )
    if getattr(dtype, "kind", None) in ("int", "uint", "bool", "float") and (
        dtype.mlir or dtype.kind == "uint"
    ):
        if dtype.kind == "uint" or dtype.name == "INT64":
            return int(value)
        kind = session.scalar_type(signless(dtype))
        return Value(fb.number(value, dtype, call.node), kind, value >= 0)
    raise fb.error(node, f"Scalar type does not support dtype {describe(dtype)}", ParserTypeError)


# Fields.


def field(fb: ProBuilder, base, node: ast.Attribute):
    """`s.field`."""
    if isinstance(base, NamedTuple):
        found = base.fields.get(node.attr, None)
        if node.attr not in base.fields:
            raise _no_field(fb, base, list(base.fields), node)
        return found
    cell = _cell(fb, base, node)
    if isinstance(cell, list):
        return FieldList(node.attr, cell)
    return fb.read(cell)


def _cell(fb: ProBuilder, base, node: ast.Attribute):
    """The cell of a field, or its list of cells."""
    first = base.array.items[0] if isinstance(base, StructItem) else base
    if node.attr not in first.fields:
        raise _no_field(fb, first, list(first.fields), node)
    if isinstance(base, Struct):
        return base.fields[node.attr]
    of_all = [item.fields[node.attr] for item in base.array.items]
    if isinstance(of_all[0], list):
        return [CellOf(list(cells), base.index) for cells in zip(*of_all, strict=True)]
    return CellOf(of_all, base.index)


def _no_field(fb: ProBuilder, base, names: list[str], node: ast.Attribute):
    return fb.error(
        node,
        f"{describe(base)} has no field '{node.attr}'"
        + ("" if isinstance(base, NamedTuple) else f"; it has {', '.join(names)}")
        + suggestion(node.attr, names),
        UndefinedNameError,
    )


def set_field(fb: ProBuilder, base, target: ast.Attribute, value) -> None:
    if isinstance(base, NamedTuple):
        raise fb.error(
            target,
            f"nothing in {describe(base)} can be changed; keep it in a variable of the kernel",
            UnsupportedFeatureError,
        )
    if not isinstance(base, (Struct, StructItem)):
        raise fb.error(
            target,
            f"a kernel cannot assign to '{ast.unparse(target)}', an attribute of {describe(base)}",
            UnsupportedFeatureError,
        )
    cell = _cell(fb, base, target)
    if isinstance(cell, list):
        if not isinstance(value, (list, tuple)) or len(value) != len(cell):
            raise fb.error(
                target,
                f"field '{target.attr}' is a list of {len(cell)} scalars, found {describe(value)}",
                ParserTypeError,
            )
        for one, item in zip(cell, value, strict=True):
            _write(fb, one, item, target)
    else:
        _write(fb, cell, value, target)


def _write(fb: ProBuilder, cell, value, node: ast.AST) -> None:
    value = fb.scalar_of(value, node)
    if not scalars.is_scalar(value):
        raise fb.error(
            node, f"a field of a struct holds scalars, found {describe(value)}", ParserTypeError
        )
    fb.write_cell(cell, value)


# Elements.


def element(fb: ProBuilder, base: FieldList | StructArray, index, node: ast.Subscript):
    """`s.field[i]`, `array[i]`."""
    size = len(base.cells if isinstance(base, FieldList) else base.items)
    found = fb.index(index, node.slice, "the index")
    if isinstance(found, int):
        if not -size <= found < size:
            raise fb.error(node.slice, f"index {found} is beyond the {size} elements")
    else:
        found = scalar_index(fb, index, node, size)
    if isinstance(base, StructArray):
        return base.items[found] if isinstance(found, int) else StructItem(base, found)
    return fb.read(_listed(base, found))


def scalar_index(fb: ProBuilder, index, node: ast.Subscript, size: int) -> Value:
    found = fb.scalar_of(index, node)
    check_index(fb, found, size, node.slice)
    return found


def _listed(base: FieldList, index):
    if isinstance(index, int):
        return base.cells[index]
    cells = [cell for item in base.cells for cell in getattr(item, "cells", [item])]
    return CellOf(cells, index)


def set_element(fb: ProBuilder, base: FieldList, index, value, target: ast.Subscript) -> None:
    size = len(base.cells)
    found = fb.index(index, target.slice, "the index")
    if isinstance(found, int) and not -size <= found < size:
        raise fb.error(target.slice, f"index {found} is beyond the {size} elements")
    if not isinstance(found, int):
        if any(isinstance(cell, CellOf) for cell in base.cells):
            raise fb.error(
                target,
                "a list in a struct that the run picks, at an index that the run knows, is not "
                "supported yet; use pl.struct_array of plain fields",
                UnsupportedFeatureError,
            )
        found = scalar_index(fb, index, target, size)
    _write(fb, _listed(base, found), value, target)


__all__ = ["FieldList", "const", "make_tuple", "same", "struct", "struct_array"]
