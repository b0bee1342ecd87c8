# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The small arrays of `pl.array`, on the control plane."""

from __future__ import annotations

import ast

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import BOOL, INDEX, INT8, INT16, INT32, INT64, TASK_ID, DataType
from . import scalars, session
from .builder import FunctionBuilder
from .values import Cells, Value, describe

CELL_DTYPES = (TASK_ID, INDEX, BOOL, INT8, INT16, INT32, INT64)
MAX_CELLS = 65536  # ArrayType::verify


def create(fb: FunctionBuilder, call) -> Cells:
    size, dtype = call.args
    if type(size) is not int or not 1 <= size <= MAX_CELLS:
        raise fb.error(
            call.place(0),
            f"{call.path} makes 1 to {MAX_CELLS} elements, a number known when the kernel is "
            f"compiled, found {describe(size)}",
            ParserTypeError,
        )
    if not isinstance(dtype, DataType) or dtype not in CELL_DTYPES:
        raise fb.error(
            call.place(1),
            f"{call.path} holds integers, pl.BOOL or pl.TASK_ID, found {describe(dtype)}",
            ParserTypeError,
        )
    kind = session.cells_type(size, dtype)
    made = fb.value("pto.block.array_create", kind, [], None, call.node, call.name)
    cells = Cells(made.ir, kind, call.name or "", call.node)
    fb.track(cells)
    return cells


def _cell_index(fb: FunctionBuilder, cells: Cells, index, node: ast.AST):
    size = cells.type.shape[0]
    found = scalars.index(fb, index, node, "an index of pl.array")
    if not isinstance(found, int):
        return found
    if not 0 <= found < size:
        raise fb.error(node, f"index {found} is not within 0 to {size - 1}")
    return fb.constant(found, INDEX, node)


def _require_plane(fb: FunctionBuilder, cells: Cells, node: ast.AST) -> None:
    if fb.plane != "control":
        raise fb.error(
            node,
            f"'{cells.name}' is a pl.array of the control plane, and this is a kernel's code; "
            "read its element before, into a name",
            UnsupportedFeatureError,
        )


def get_element(fb: FunctionBuilder, cells: Cells, index, node, name=None, place=None) -> Value:
    """`place`: where the index stands, if it does not stand for itself."""
    _require_plane(fb, cells, node)
    dtype = cells.type.dtype
    kind = session.TASK if dtype is TASK_ID else session.scalar_type(dtype)
    operands = [cells.ir, _cell_index(fb, cells, index, place or node)]
    return fb.value("pto.block.array_get", kind, operands, None, node, name)


def set_element(fb: FunctionBuilder, cells: Cells, index, value, node: ast.AST) -> None:
    _require_plane(fb, cells, node)
    place = _cell_index(fb, cells, index, node.slice if isinstance(node, ast.Subscript) else node)
    operands = [_cell(fb, cells, value, node), cells.ir, place]
    cells.ir = fb.value(
        "pto.block.array_set", cells.type, operands, None, node, cells.name or None
    ).ir


def _cell(fb: FunctionBuilder, cells: Cells, value, node: ast.AST):
    from . import tasks

    dtype = cells.type.dtype
    if dtype is TASK_ID:
        if value is None:
            return tasks.invalid(fb, node).ir
        if isinstance(value, Value) and value.type is session.TASK:
            return value.ir
    elif scalars.is_scalar(value):
        known = value.type.dtype if isinstance(value, Value) else None
        if dtype is BOOL and known in (None, BOOL) and (known or isinstance(value, bool)):
            return scalars.as_dtype(fb, value, BOOL, node)
        if dtype is not BOOL and not isinstance(value, float) and (known is None or known.is_int):
            return scalars.as_dtype(fb, value, dtype, node)
    raise fb.error(
        node,
        f"'{cells.name}' is a {describe(cells)}, and this puts {describe(value)} into it",
        ParserTypeError,
    )


def get(fb: FunctionBuilder, call) -> Value:
    cells = _cells(fb, call)
    return get_element(fb, cells, call.args[1], call.node, call.name, call.place(1))


def set_(fb: FunctionBuilder, call) -> Cells:
    cells = _cells(fb, call)
    set_element(fb, cells, call.args[1], call.args[2], call.node)
    return cells


def _cells(fb: FunctionBuilder, call) -> Cells:
    if isinstance(call.args[0], Cells):
        return call.args[0]
    raise fb.error(
        call.place(0),
        f"{call.path} takes a pl.array, found {describe(call.args[0])}",
        ParserTypeError,
    )
