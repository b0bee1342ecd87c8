# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Element-wise operations whose arguments are more than operands of one type: comparison,
selection, sums of three, a value spread over a shape."""

from __future__ import annotations

from ..diagnostics.errors import ParserTypeError
from ..language.dtypes import UINT8
from . import scalars, session
from .build import (
    Call,
    _same_dtypes,
    _scalar_operand,
    _spread,
    call_by_name,
    is_data,
    operands,
    result_type,
)
from .builder import FunctionBuilder
from .values import Value, describe

# In the order of the language's cmp_type.
_MODES = ("eq", "ne", "lt", "le", "gt", "ge")


def mask_shape(shape: tuple) -> tuple:
    """Of a mask: a bit for each element, in rows of whole blocks of 32 bytes."""
    blocks = -(-shape[1] // 256)
    return shape[0], blocks * 32


def compare(fb: FunctionBuilder, call: Call) -> Value:
    mode = call.args[2]
    if type(mode) is not int or not 0 <= mode < len(_MODES):
        known = ", ".join(f"{number} ({word})" for number, word in enumerate(_MODES))
        raise fb.error(
            call.place(2),
            f"{call.path}: cmp_type is one of {known}, found {describe(mode)}",
            ParserTypeError,
        )
    values, types, level = operands(fb, call)
    _same_dtypes(fb, call, types)
    shape, dtype = types[0].shape, types[0].dtype
    if level == "tile":
        shape, dtype = mask_shape(shape), UINT8
    attributes = {"mode": session.attribute(f"#pto.compare<{_MODES[mode]}>")}
    made = result_type(level, shape, dtype, None)
    return fb.value(f"pto.{level}.cmp", made, values, attributes, call.node, call.name)


def _tile(fb: FunctionBuilder, call: Call, index: int) -> Value:
    value = call.args[index]
    if isinstance(value, Value) and value.type.kind == "tile":
        return value
    name = call.operation.faces[call.level].parameters[index].name
    raise fb.error(
        call.place(index),
        f"{call.path}: {name} is a tile, found {describe(value)}",
        ParserTypeError,
    )


def _select(fb: FunctionBuilder, call: Call, lhs: Value, rhs, tmp: int) -> Value:
    """`tmp` is the argument that is scratch, UINT8 in the language; the compiler finds its own."""
    mask = _tile(fb, call, 0)
    if call.args[tmp] is not None and _tile(fb, call, tmp).type.dtype is not UINT8:
        raise fb.error(
            call.place(tmp),
            f"{call.path}: tmp is a UINT8 tile, found {describe(call.args[tmp])}",
            ParserTypeError,
        )
    expected = mask_shape(lhs.type.shape)
    if mask.type.dtype is not UINT8 or mask.type.shape != expected:
        raise fb.error(
            call.place(0),
            f"{call.path}: the mask of {describe(lhs)} is a tile of {list(expected)} UINT8, as "
            f"pl.cmp makes it, found {describe(mask)}",
            ParserTypeError,
        )
    made = result_type("tile", lhs.type.shape, lhs.type.dtype, None)
    return fb.value("pto.tile.sel", made, [mask.ir, lhs.ir, rhs.ir], None, call.node, call.name)


def select(fb: FunctionBuilder, call: Call) -> Value:
    lhs, rhs = _tile(fb, call, 1), _tile(fb, call, 2)
    if lhs.type.dtype is not rhs.type.dtype or lhs.type.shape != rhs.type.shape:
        raise fb.error(
            call.place(2),
            f"{call.path}: chooses between tiles of one shape and element type, found "
            f"{describe(lhs)} and {describe(rhs)}",
            ParserTypeError,
        )
    return _select(fb, call, lhs, rhs, 3)


def select_scalar(fb: FunctionBuilder, call: Call) -> Value:
    lhs, scalar = _tile(fb, call, 1), call.args[3]
    if not scalars.is_scalar(scalar):
        raise fb.error(
            call.place(3),
            f"{call.path}: scalar is a number, found {describe(scalar)}",
            ParserTypeError,
        )
    return _select(fb, call, lhs, _spread(fb, scalar, lhs, call.place(3)), 2)


def chain(fb: FunctionBuilder, call: Call) -> Value:
    """a + b + c, or a - b - c: two operations, which round twice."""
    first, second, third = call.args[:3]
    name = "sub" if call.operation.name.startswith("sub") else "add"
    for index in (0, 2):
        _tile(fb, call, index)
    if not is_data(second):
        _scalar_operand(fb, call, 1, second, first.type.dtype)  # or an error
    elif call.operation.name.endswith("sc"):
        raise fb.error(
            call.place(1),
            f"{call.path}: operand 2 is a scalar, found {describe(second)}",
            ParserTypeError,
        )
    made = call_by_name(fb, name, [first, second], call.node, None)
    return call_by_name(fb, name, [made, third], call.node, call.name)


_PLAIN = {"part_add": "add", "part_mul": "mul", "part_max": "maximum", "part_min": "minimum"}


def part(fb: FunctionBuilder, call: Call) -> Value:
    """Of two valid regions; an array has one."""
    values, types, level = operands(fb, call)
    _same_dtypes(fb, call, types)
    name = call.operation.name if level == "tile" else _PLAIN[call.operation.name]
    made = result_type(level, types[0].shape, types[0].dtype, None)
    return fb.value(f"pto.{level}.{name}", made, values, None, call.node, call.name)


def spread(fb: FunctionBuilder, call: Call) -> Value:
    """A number in every element of the target's shape and type."""
    target, scalar = call.args
    if not is_data(target):
        raise fb.error(
            call.place(0),
            f"{call.path} takes a tile or an array, found {describe(target)}",
            ParserTypeError,
        )
    if not scalars.is_scalar(scalar):
        raise fb.error(
            call.place(1),
            f"{call.path} fills with a number, found {describe(scalar)}",
            ParserTypeError,
        )
    return _spread(fb, scalar, target, call.place(1))


def prelu(fb: FunctionBuilder, call: Call) -> Value:
    """x, or x times the slope of its place."""
    if call.args[2] is not None:
        _tile(fb, call, 2)
    values, types, level = operands(fb, call)
    _same_dtypes(fb, call, types)
    made = result_type(level, types[0].shape, types[0].dtype, None)
    return fb.value(f"pto.{level}.prelu", made, values, None, call.node, call.name)
