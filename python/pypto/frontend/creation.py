# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""New tiles and arrays."""

from __future__ import annotations

import math

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import INT32, UINT32
from ..language.enums import TensorLayout
from ..mlir import ir
from . import data, scalars, session
from .build import ON_CHIP, Call, data_dtype, not_yet, number, result_type, static_shape
from .builder import FunctionBuilder
from .values import Array, Value, describe


def create_tensor(fb: FunctionBuilder, call: Call) -> Array:
    shape = static_shape(fb, call, 0, "an array's shape")
    dtype = data_dtype(fb, call.args[1], call.place(1))
    not_yet(fb, call, 2, "layout", TensorLayout.ND)
    if type(call.args[3]) is not bool:
        raise fb.error(
            call.place(3),
            f"{call.path}: manual_dep= is True or False, found {describe(call.args[3])}",
            ParserTypeError,
        )
    not_yet(fb, call, 4, "init_value", None)
    kind = session.tensor_type(shape, dtype)
    made = fb.emit("pto.tensor.create", [kind.ir], [], None, call.node, call.name)
    array = Array(made.result, kind, call.name or "", node=call.node)
    array.origin = made.result
    array.manual = call.args[3]
    fb.track(array)
    return array


def create_tile(fb: FunctionBuilder, call: Call) -> Value:
    _, _, space, transposed, flat = call.args
    shape = static_shape(fb, call, 0, "a tile's shape")
    if len(shape) != 2:
        raise fb.error(call.place(0), f"a tile has two dimensions, found {list(shape)}")
    dtype = data_dtype(fb, call.args[1], call.place(1))
    if space not in ON_CHIP:
        raise fb.error(
            call.place(2),
            f"target_memory is a memory on chip, found {describe(space)}",
            ParserTypeError,
        )
    if transposed or flat:
        which = 3 if transposed else 4
        keyword = "transpose" if transposed else "flat_layout"
        raise fb.error(
            call.place(which),
            f"{call.path}: {keyword}= is not supported yet; a tile in {space} has the layout "
            "that the chip reads there",
            UnsupportedFeatureError,
        )
    made = session.tile_type(shape, dtype, space)
    return fb.value("pto.tile.create", made, [], None, call.node, call.name)


def full(fb: FunctionBuilder, call: Call) -> Value:
    level = "tensor" if call.level == "tensor" else "tile"
    shape = static_shape(fb, call, 0, "a tile's shape" if level == "tile" else "an array's shape")
    if level == "tile" and len(shape) != 2:
        raise fb.error(call.place(0), f"a tile has two dimensions, found {list(shape)}")
    dtype = data_dtype(fb, call.args[1], call.place(1))
    value = call.args[2]
    if not scalars.is_scalar(value):
        raise fb.error(
            call.place(2),
            f"{call.path} fills with a number, found {describe(value)}",
            ParserTypeError,
        )
    operand = value.ir if isinstance(value, Value) else number(fb, value, dtype, call.place(2))
    made = result_type(level, shape, dtype, None)
    return fb.value(f"pto.{level}.full", made, [operand], None, call.node, call.name)


def ci(fb: FunctionBuilder, call: Call) -> Value:
    start, _, dtype, descending = call.args
    level = "tensor" if call.level == "tensor" else "tile"
    shape = static_shape(fb, call, 1, "a tile's shape" if level == "tile" else "an array's shape")
    if str(dtype) not in ("INT16", "INT32", "UINT16", "UINT32"):
        raise fb.error(
            call.place(2),
            f"{call.path} makes INT16, INT32, UINT16 or UINT32, found {describe(dtype)}",
            ParserTypeError,
        )
    if level == "tile" and len(shape) == 1:
        shape = (1, *shape)
    if math.prod(shape[:-1]) != 1 or shape[-1] == 1:
        raise fb.error(
            call.place(1),
            f"{call.path} makes one row of more than one column, found {list(shape)}",
            ParserTypeError,
        )
    if type(descending) is not bool:
        raise fb.error(call.place(3), "descending= is True or False", ParserTypeError)
    attributes = {"descending": ir.UnitAttr.get(session.CONTEXT)} if descending else None
    operand = data.scalar_for(fb, start, dtype, call.place(0))
    made = result_type(level, shape, dtype, None)
    return fb.value(f"pto.{level}.ci", made, [operand], attributes, call.node, call.name)


_TRI = ("INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "FP16", "BF16", "FP32")


def tri(fb: FunctionBuilder, call: Call) -> Value:
    diagonal, _, valid, dtype, upper = call.args
    shape = static_shape(fb, call, 1, "a tile's shape")
    if len(shape) != 2:
        raise fb.error(call.place(1), f"a tile has two dimensions, found {list(shape)}")
    if str(dtype) not in _TRI:
        raise fb.error(
            call.place(3), f"{call.path} makes {', '.join(_TRI)}, found {describe(dtype)}"
        )
    place = scalars.index(fb, diagonal, call.place(0), "a diagonal")
    attributes = {"upper": ir.UnitAttr.get(session.CONTEXT)} if upper else None
    made = session.tile_type(shape, dtype)
    operand = data.as_index(fb, place, call.node)
    tile = fb.value("pto.tile.tri", made, [operand], attributes, call.node, call.name)
    return _valid(fb, call, 2, tile, valid)


def random(fb: FunctionBuilder, call: Call) -> Value:
    names = [parameter.name for parameter in call.operation.faces[call.level].parameters]
    given = dict(zip(names, call.args, strict=True))
    level = "tensor" if call.level == "tensor" else "tile"
    index = names.index("shape")
    shape = static_shape(
        fb, call, index, "a tile's shape" if level == "tile" else "an array's shape"
    )
    dtype, rounds = given["dtype"], given["rounds"]
    if dtype not in (INT32, UINT32):
        raise fb.error(
            call.place(names.index("dtype")),
            f"{call.path} makes INT32 or UINT32, found {describe(dtype)}",
            ParserTypeError,
        )
    if rounds not in (7, 10):
        raise fb.error(
            call.place(names.index("rounds")), f"{call.path} has 7 or 10 rounds, found {rounds!r}"
        )
    words = [scalar_word(fb, call, n) for n in range(6)]
    made = result_type(level, shape, dtype, None)
    attributes = {"rounds": session.attribute(f"{rounds} : i64")}
    value = fb.value(f"pto.{level}.random", made, words, attributes, call.node, call.name)
    if "valid_shape" not in given:
        return value
    return _valid(fb, call, names.index("valid_shape"), value, given["valid_shape"])


def scalar_word(fb: FunctionBuilder, call: Call, index: int):
    """32 bits, with or without a sign."""
    value = call.args[index]
    if type(value) is int and 1 << 31 <= value < 1 << 32:
        value -= 1 << 32
    if isinstance(value, Value) and value.type.dtype is UINT32:
        return value.ir
    return data.scalar_for(fb, value, INT32, call.place(index))


def _valid(fb: FunctionBuilder, call: Call, index: int, tile: Value, valid) -> Value:
    if valid is None:
        return tile
    dynamic, static = data.split(data.checked_extents(fb, call, index, valid, tile.type.shape))
    return fb.value(
        "pto.tile.set_validshape",
        tile.type,
        [tile.ir, *dynamic],
        {"static_valid": static},
        call.node,
        call.name,
    )
