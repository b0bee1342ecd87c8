# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Parts of arrays and tiles, their elements, and other shapes.

`window`, `element`, `write_element` and `assemble_into` serve subscripts too.
"""

from __future__ import annotations

import ast
import math

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import INDEX, INT64, DataType
from ..language.enums import AtomicType, MemorySpace, PadValue, TensorLayout
from ..mlir import ir
from . import scalars, session
from .build import (
    ON_CHIP,
    Call,
    data_dtype,
    is_data,
    not_yet,
    number,
    require_writable,
    result_type,
    static_shape,
)
from .builder import FunctionBuilder
from .values import Array, Value, describe


def is_tile(value) -> bool:
    return isinstance(value, Value) and value.type.kind == "tile"


def content(fb: FunctionBuilder, value):
    from .windows import content as content_of

    return content_of(fb, value) if isinstance(value, Array) else value.ir


def require_data(fb: FunctionBuilder, call: Call, index: int = 0):
    """A tile or an array, of the level that the name of the call says."""
    value = call.args[index]
    kind = {"tile": "a tile", "tensor": "an array"}.get(call.level, "a tile or an array")
    wrong = call.level and is_data(value) and (call.level == "tile") is not is_tile(value)
    if not is_data(value) or wrong:
        raise fb.error(
            call.place(index), f"{call.path} takes {kind}, found {describe(value)}", ParserTypeError
        )
    return value


def require_same_dtype(fb: FunctionBuilder, call: Call, target, source) -> None:
    """What is written into a tile or an array has its element type."""
    if source.type.dtype is not target.type.dtype:
        raise fb.error(
            call.place(1),
            f"{call.path}: operands have different element types, {describe(target)} and "
            f"{describe(source)}; convert one with pl.cast",
            ParserTypeError,
        )


def require_tile(fb: FunctionBuilder, call: Call, index: int = 0) -> Value:
    value = call.args[index]
    if not is_tile(value):
        fix = "; pl.load an array first" if is_data(value) else ""
        raise fb.error(
            call.place(index),
            f"{call.path} takes a tile, found {describe(value)}{fix}",
            ParserTypeError,
        )
    return value


# Places and extents.


def places(fb: FunctionBuilder, base, items, nodes, what: str) -> list:
    """One index for each dimension: numbers, or MLIR index values. A tile has two; one for a
    tile of one row is its column."""
    shape = base.type.shape
    items, nodes = list(items), list(nodes)
    if is_tile(base) and len(items) == 1 and shape[0] == 1:
        items, nodes = [0, *items], [nodes[0], *nodes]
    if len(items) != len(shape):
        raise fb.error(
            nodes[0],
            f"{describe(base)} has {len(shape)} dimensions, found {len(items)} {what}",
            ParserTypeError,
        )
    found = []
    for item, node in zip(items, nodes, strict=True):
        made = scalars.index(fb, item, node, f"each of the {what}")
        if isinstance(made, int) and made < 0:
            raise fb.error(node, f"{what} count from the beginning, found {made}")
        found.append(made)
    return found


def argument_places(fb: FunctionBuilder, call: Call, index: int, base, what: str) -> list:
    items = call.args[index]
    items = list(items) if isinstance(items, (list, tuple)) else [items]
    place = call.place(index)
    listed = isinstance(place, (ast.List, ast.Tuple)) and len(place.elts) == len(items)
    nodes = place.elts if listed else [place] * max(1, len(items))
    return places(fb, base, items, nodes, what)


def split(offsets: list) -> tuple[list, object]:
    static = [offset if isinstance(offset, int) else session.DYNAMIC for offset in offsets]
    return [offset for offset in offsets if not isinstance(offset, int)], session.int64s(static)


def as_index(fb: FunctionBuilder, value, node: ast.AST):
    return fb.constant(value, INDEX, node) if isinstance(value, int) else value


def known_shape(shape: tuple) -> bool:
    return all(isinstance(extent, int) and extent >= 0 for extent in shape)


def check_inside(fb: FunctionBuilder, base, offsets, sizes, node: ast.AST) -> None:
    for dim, (offset, size, extent) in enumerate(zip(offsets, sizes, base.type.shape, strict=True)):
        if not isinstance(extent, int) or extent < 0:
            continue
        begin = offset if isinstance(offset, int) else 0
        if begin + size > extent:
            shown = f"'{base.name}' " if isinstance(base, Array) else ""
            what = "tile" if is_tile(base) else "array"
            raise fb.error(
                node,
                f"the window reaches beyond the {what} {shown}({describe(base)}): in dimension "
                f"{dim} it covers {begin} to {begin + size - 1} of 0 to {extent - 1}",
            )


# Windows.


def window(fb, base, offsets, sizes: tuple, dropped, node, name, valid=None) -> Value:
    """`sizes` elements of a tile or an array at `offsets`, as a value; `dropped` are the
    dimensions of one element that the result has not. `valid`: extents of a tile's window."""
    if is_tile(base):
        return _tile_window(fb, base, offsets, sizes, node, name, valid)
    check_inside(fb, base, offsets, sizes, node)
    shape = tuple(size for dim, size in enumerate(sizes) if dim not in dropped) or (1,)
    dynamic, static = split(offsets)
    attributes = {"static_offsets": static, "sizes": session.int64s(sizes)}
    kind = session.tensor_type(shape, base.type.dtype)
    operands = [content(fb, base), *dynamic]
    return fb.value("pto.tensor.window", kind, operands, attributes, node, name)


def _tile_window(fb, base, offsets, sizes, node, name, valid, space=None) -> Value:
    if space is None:
        check_inside(fb, base, offsets, sizes, node)
    extents = sizes if valid is None else valid
    operands = [as_index(fb, value, node) for value in (*offsets, *extents)]
    kind = session.tile_type(tuple(sizes), base.type.dtype, space)
    return fb.value("pto.tile.slice", kind, [base.ir, *operands], None, node, name)


def slice_(fb: FunctionBuilder, call: Call):
    base, _, _, valid, drop, pad, *rest = call.args
    require_data(fb, call)
    if fb.plane == "control":
        from . import windows

        return windows.slice_(fb, call)
    shape = static_shape(fb, call, 1, "the shape of a slice")
    rank = len(base.type.shape)
    if is_tile(base) and len(shape) == 1:
        shape = (1, *shape)
    if len(shape) != rank:
        raise fb.error(
            call.place(1),
            f"{call.path}: {describe(base)} has {rank} dimensions, found {len(shape)}",
            ParserTypeError,
        )
    offsets = argument_places(fb, call, 2, base, "offsets")
    dropped = dropped_axes(fb, call, drop, shape)
    extents = None if valid is None else checked_extents(fb, call, 3, valid, shape)
    clamp = bool(rest and rest[0])
    if is_tile(base):
        if clamp:
            extents = clamped(fb, call, base, offsets, extents or list(shape))
        made = _sliced_tile(fb, call, base, offsets, shape, extents)
    else:
        made = _sliced_array(fb, call, base, offsets, shape, extents, dropped, clamp)
    if pad is None:
        return made
    target = tuple(size for dim, size in enumerate(shape) if dim not in dropped) or (1,)
    return pad_to(fb, made, made.type.shape if is_tile(base) else target, pad, call, 5)


def _sliced_tile(fb, call: Call, base, offsets, shape, extents) -> Value:
    if extents is None:
        return window(fb, base, offsets, shape, (), call.node, call.name)
    return window(fb, base, offsets, shape, (), call.node, call.name, extents)


def _sliced_array(fb, call: Call, base, offsets, shape, extents, dropped, clamp) -> Value:
    if clamp:
        extents = clamped(fb, call, base, offsets, extents or list(shape))
    if extents is not None and not all(isinstance(extent, int) for extent in extents):
        raise fb.error(
            call.place(3) if call.places[3] else call.node,
            f"{call.path}: a computed array has extents that are known when the kernel is "
            "compiled; load a tile with pl.load(..., valid_shape=), or slice a tile",
            UnsupportedFeatureError,
        )
    return window(fb, base, offsets, tuple(extents or shape), dropped, call.node, call.name)


def clamped(fb: FunctionBuilder, call: Call, base, offsets, extents: list) -> list:
    """Extents that end where the tile or the array does."""
    found = []
    for dim, (offset, extent) in enumerate(zip(offsets, extents, strict=True)):
        size = extent_of(fb, base, dim, call.node)
        if isinstance(offset, int) and isinstance(extent, int) and isinstance(size, int):
            found.append(max(0, min(extent, size - offset)))
            continue
        kind = session.scalar_type(INDEX)
        left = fb.value(
            "arith.subi",
            kind,
            [as_index(fb, size, call.node), as_index(fb, offset, call.node)],
            None,
            call.node,
        )
        least = fb.value(
            "arith.minsi", kind, [as_index(fb, extent, call.node), left.ir], None, call.node
        )
        zero = fb.constant(0, INDEX, call.node)
        found.append(fb.value("arith.maxsi", kind, [least.ir, zero], None, call.node).ir)
    return found


def checked_extents(fb: FunctionBuilder, call: Call, index: int, valid, shape: tuple) -> list:
    if not isinstance(valid, (list, tuple)):
        raise fb.error(
            call.place(index),
            f"valid extents are a list of integers, found {describe(valid)}",
            ParserTypeError,
        )
    items = list(valid)
    if len(items) == 1 and len(shape) == 2 and shape[0] == 1:
        items = [1, *items]
    if len(items) != len(shape):
        raise fb.error(
            call.place(index),
            f"{call.path}: {len(shape)} valid extents, found {len(items)}",
            ParserTypeError,
        )
    found = [scalars.index(fb, item, call.place(index), "each valid extent") for item in items]
    for dim, (extent, size) in enumerate(zip(found, shape, strict=True)):
        if isinstance(extent, int) and not 0 <= extent <= size:
            raise fb.error(
                call.place(index),
                f"{call.path}: valid extent {extent} in dimension {dim} is not within 0 to {size}",
            )
    return found


def dropped_axes(fb: FunctionBuilder, call: Call, drop, shape: tuple) -> tuple:
    """The dimensions of one element that `drop_dims=` leaves out."""
    if drop is None:
        return ()
    place = call.place(4)
    if not isinstance(drop, (list, tuple)) or any(type(axis) is not int for axis in drop):
        raise fb.error(
            place, f"{call.path}: drop_dims= lists axes, found {describe(drop)}", ParserTypeError
        )
    axes = sorted({axis + len(shape) if axis < 0 else axis for axis in drop})
    for axis in axes:
        if not 0 <= axis < len(shape):
            raise fb.error(place, f"{call.path}: there is no dimension {axis} to leave out")
        if shape[axis] != 1:
            raise fb.error(
                place,
                f"{call.path}: drop_dims= leaves out dimension {axis}, which has {shape[axis]} "
                "elements",
                ParserTypeError,
            )
    return tuple(axes)


def extract(fb: FunctionBuilder, call: Call) -> Value:
    tile, row, col, _, space = call.args
    require_tile(fb, call)
    shape = static_shape(fb, call, 3, "a tile's shape")
    if len(shape) != 2:
        raise fb.error(call.place(3), f"a tile has two dimensions, found {list(shape)}")
    if space not in ON_CHIP:
        raise fb.error(
            call.place(4),
            f"target_memory is a memory on chip, such as pl.Mem.Left, found {describe(space)}",
            ParserTypeError,
        )
    if space in (MemorySpace.Acc, MemorySpace.Bias):
        raise fb.error(
            call.place(4), f"{call.path} cuts on the way to Left, Right, Mat or Vec, not {space}"
        )
    offsets = [
        scalars.index(fb, row, call.place(1), "index_row"),
        scalars.index(fb, col, call.place(2), "index_col"),
    ]
    check_inside(fb, tile, offsets, shape, call.node)
    return _tile_window(fb, tile, offsets, shape, call.node, call.name, None, space)


# Single elements.


def element(fb: FunctionBuilder, base, indices: list, nodes: list, node, name) -> Value:
    """An element as a scalar; `indices` as the author gave them."""
    found = places(fb, base, indices, nodes, "indices")
    _check_indices(fb, base, found, nodes)
    kind = session.scalar_type(base.type.dtype)
    dynamic, static = split(found)
    operation = "pto.tile.get_value" if is_tile(base) else "pto.tensor.element"
    operands = [content(fb, base), *dynamic]
    return fb.value(operation, kind, operands, {"static_offsets": static}, node, name)


def _check_indices(fb: FunctionBuilder, base, found: list, nodes: list) -> None:
    shape = base.type.shape
    nodes = [nodes[0]] * (len(shape) - len(nodes)) + list(nodes)
    for index, extent, node in zip(found, shape, nodes, strict=True):
        known = isinstance(index, int) and isinstance(extent, int) and extent >= 0
        if known and index >= extent:
            raise fb.error(node, f"index {index} is not within 0 to {extent - 1}")


def _index_items(call: Call, index: int) -> tuple[list, list]:
    items = call.args[index]
    items = list(items) if isinstance(items, (list, tuple)) else [items]
    place = call.place(index)
    listed = isinstance(place, (ast.List, ast.Tuple)) and len(place.elts) == len(items)
    return items, list(place.elts) if listed else [place] * max(1, len(items))


def read(fb: FunctionBuilder, call: Call) -> Value:
    base = require_data(fb, call)
    if fb.plane == "control":
        from . import windows

        return windows.read(fb, call)
    items, nodes = _index_items(call, 1)
    return element(fb, base, items, nodes, call.node, call.name)


def write(fb: FunctionBuilder, call: Call) -> None:
    base = require_data(fb, call)
    if fb.plane == "control":
        raise fb.error(
            call.node,
            f"{call.path} writes an element, and the control plane only reads them; write it in "
            "a kernel",
            UnsupportedFeatureError,
        )
    items, nodes = _index_items(call, 1)
    write_element(fb, base, items, nodes, call.args[2], call.node, call.path, call.place(2))


def scalar_for(fb: FunctionBuilder, value, dtype: DataType, node: ast.AST):
    """A number or a scalar as an element of this type."""
    if not scalars.is_scalar(value):
        raise fb.error(node, f"an element is a number, found {describe(value)}", ParserTypeError)
    if not isinstance(value, Value):
        return number(fb, value, dtype, node)
    found = value.type.dtype
    if found is dtype:
        return value.ir
    if INDEX in (found, dtype) or (found is INT64 and dtype.is_int):
        if dtype.is_int:
            return scalars.convert(fb, value, dtype, node).ir
    raise fb.error(
        node,
        f"an element is {dtype}, and this is {found}; convert it with pl.cast",
        ParserTypeError,
    )


def write_element(fb, base, indices: list, nodes: list, value, node, path: str, place) -> None:
    """Changes an element. Whatever names the tile, or the computed array, sees it."""
    if isinstance(base, Array):
        require_writable(fb, base, node, path)
    found = places(fb, base, indices, nodes, "indices")
    _check_indices(fb, base, found, nodes)
    scalar = scalar_for(fb, value, base.type.dtype, place)
    if is_tile(base):
        operands = [base.ir, scalar, *(as_index(fb, index, node) for index in found)]
        made = fb.value("pto.tile.write", base.type, operands, None, node, fb.name_of(base))
        fb.rebind(base, made)
        return
    dynamic, static = split(found)
    name = base.name if isinstance(base, Array) else fb.name_of(base)
    made = fb.emit(
        "pto.tensor.write",
        [base.type.ir],
        [scalar, content(fb, base), *dynamic],
        {"static_offsets": static},
        node,
        name,
    )
    if isinstance(base, Array):
        fb.write(base, made.result)
    else:
        fb.rebind(base, Value(made.result, base.type))


# Writing windows.


def assemble_into(fb, target, source, offsets: list, node, name=None, adds: bool = False):
    """`target` with `source` at `offsets`: an array in DDR is changed, a value makes a new one."""
    if is_tile(target):
        operands = [target.ir, source.ir, *(as_index(fb, index, node) for index in offsets)]
        return fb.value("pto.tile.assemble", target.type, operands, None, node, name)
    dynamic, static = split(offsets)
    attributes = {"static_offsets": static}
    if adds:
        attributes["atomic_add"] = ir.UnitAttr.get(session.CONTEXT)
    operands = [content(fb, source), content(fb, target), *dynamic]
    shown = target.name if isinstance(target, Array) else name
    made = fb.emit("pto.tensor.assemble", [target.type.ir], operands, attributes, node, shown)
    if not isinstance(target, Array):
        return Value(made.result, target.type)
    fb.write(target, made.result)
    return target


def is_adding(fb: FunctionBuilder, call: Call, index: int, dtype: DataType) -> bool:
    atomic = call.args[index]
    if not isinstance(atomic, AtomicType):
        raise fb.error(
            call.place(index),
            f"atomic= is a member of pl.AtomicType, found {describe(atomic)}",
            ParserTypeError,
        )
    adds = atomic is AtomicType.Add
    if adds and str(dtype) not in ("FP32", "FP16", "BF16", "INT32", "INT16", "INT8"):
        raise fb.error(
            call.place(index),
            f"{call.path}: DDR adds FP32, FP16, BF16, INT32, INT16 and INT8, not {dtype}",
            UnsupportedFeatureError,
        )
    return adds


def assemble(fb: FunctionBuilder, call: Call):
    target, source = call.args[:2]
    require_data(fb, call)
    if not is_data(source) or is_tile(source) is not is_tile(target):
        if is_tile(source) and isinstance(target, Array):
            fix = "; a tile is written to an array with pl.store"
        else:
            fix = "; both are tiles, or both arrays"
        raise fb.error(
            call.place(1),
            f"{call.path} puts {describe(source)} into {describe(target)}{fix}",
            ParserTypeError,
        )
    require_same_dtype(fb, call, target, source)
    if isinstance(target, Array):
        require_writable(fb, target, call.place(0), call.path)
    adds = len(call.args) > 3 and is_adding(fb, call, 3, target.type.dtype)
    if adds and not isinstance(target, Array):
        raise fb.error(
            call.place(3),
            f"{call.path}: atomic= is for an array in DDR, and this is {describe(target)}",
            ParserTypeError,
        )
    offsets = argument_places(fb, call, 2, target, "offsets")
    rank = len(target.type.shape)
    if len(source.type.shape) > rank:
        raise fb.error(
            call.place(1), f"{describe(source)} has more dimensions than {describe(target)}"
        )
    if not is_tile(target) or known_shape(source.type.shape):
        sizes = (1,) * (rank - len(source.type.shape)) + tuple(source.type.shape)
        if not is_tile(target):
            check_inside(fb, target, offsets, sizes, call.node)
    return assemble_into(fb, target, source, offsets, call.node, call.name, adds)


# Other shapes.


def concat(fb: FunctionBuilder, call: Call) -> Value:
    lhs, rhs = call.args[:2]
    require_data(fb, call)
    if not is_data(rhs) or is_tile(rhs) is not is_tile(lhs):
        raise fb.error(
            call.place(1),
            f"{call.path} takes two tiles or two arrays, found {describe(lhs)} and {describe(rhs)}",
            ParserTypeError,
        )
    left, right = lhs.type.shape, rhs.type.shape
    if left[:-1] != right[:-1] or lhs.type.dtype is not rhs.type.dtype:
        raise fb.error(
            call.node,
            f"{call.path} puts columns of as many rows and one element type side by side, found "
            f"{describe(lhs)} and {describe(rhs)}",
            ParserTypeError,
        )
    level = "tile" if is_tile(lhs) else "tensor"
    made = result_type(level, (*left[:-1], left[-1] + right[-1]), lhs.type.dtype, None)
    operands = [content(fb, lhs), content(fb, rhs)]
    return fb.value(f"pto.{level}.concat", made, operands, None, call.node, call.name)


def reshape(fb: FunctionBuilder, call: Call):
    base = require_data(fb, call)
    shape = static_shape(fb, call, 1, "a shape")
    return _reshaped(fb, call, base, shape, base.type.dtype)


def _reshaped(fb: FunctionBuilder, call: Call, base, shape: tuple, dtype: DataType):
    if is_tile(base):
        if not 1 <= len(shape) <= 2:
            raise fb.error(call.node, f"a tile has two dimensions, found {list(shape)}")
        shape = (1, *shape) if len(shape) == 1 else shape
    have = math.prod(base.type.shape) * base.type.dtype.bits
    if have != math.prod(shape) * dtype.bits:
        raise fb.error(
            call.node,
            f"{call.path}: {list(shape)} of {dtype} are not as many bytes as {describe(base)}",
            ParserTypeError,
        )
    if shape == tuple(base.type.shape) and dtype is base.type.dtype:
        return base
    if fb.plane == "control":
        return _view(fb, call, base, shape, dtype)
    level = "tile" if is_tile(base) else "tensor"
    made = result_type(level, shape, dtype, None)
    return fb.value(f"pto.{level}.reshape", made, [content(fb, base)], None, call.node, call.name)


def reinterpret_view(fb: FunctionBuilder, call: Call):
    base = require_data(fb, call)
    dtype = data_dtype(fb, call.args[1], call.place(1))
    if dtype is base.type.dtype:
        raise fb.error(
            call.place(1),
            f"{call.path}: the elements are {dtype} already; another shape is pl.reshape",
            ParserTypeError,
        )
    if call.args[2] is not None:
        shape = static_shape(fb, call, 2, "a shape")
    else:
        bits = base.type.shape[-1] * base.type.dtype.bits
        if bits % dtype.bits:
            raise fb.error(
                call.node,
                f"{call.path}: rows of {describe(base)} are no whole number of {dtype}",
                ParserTypeError,
            )
        shape = (*base.type.shape[:-1], bits // dtype.bits)
    return _reshaped(fb, call, base, shape, dtype)


def transpose(fb: FunctionBuilder, call: Call) -> Value:
    base = require_data(fb, call)
    rank = len(base.type.shape)
    axes = []
    for index in (1, 2):
        axis = call.args[index]
        if type(axis) is not int or not -rank <= axis < rank:
            raise fb.error(
                call.place(index),
                f"{call.path}: an axis is a number from {-rank} to {rank - 1}, found "
                f"{describe(axis)}",
                ParserTypeError,
            )
        axes.append(axis % rank)
    if axes[0] == axes[1]:
        raise fb.error(call.node, f"{call.path} exchanges two dimensions, found {axes[0]} twice")
    shape = list(base.type.shape)
    shape[axes[0]], shape[axes[1]] = shape[axes[1]], shape[axes[0]]
    level = "tile" if is_tile(base) else "tensor"
    made = result_type(level, tuple(shape), base.type.dtype, None)
    attributes = None
    if level == "tensor":
        attributes = {f"axis{n + 1}": _int64(axis) for n, axis in enumerate(axes)}
    operands = [content(fb, base)]
    return fb.value(f"pto.{level}.transpose", made, operands, attributes, call.node, call.name)


def _int64(value: int):
    return session.attribute(f"{value} : i64")


def transpose_view(fb: FunctionBuilder, call: Call) -> Value:
    tile = require_tile(fb, call)
    rows, cols = tile.type.shape
    made = session.tile_type((cols, rows), tile.type.dtype, MemorySpace.Mat)
    return fb.value("pto.tile.transpose_view", made, [tile.ir], None, call.node, call.name)


def _view(fb: FunctionBuilder, call: Call, base, shape: tuple, dtype: DataType):
    """On the control plane: the same memory."""
    if base.type.pitch:
        raise fb.error(
            call.place(0),
            f"{call.path}: the rows of {describe(base)} do not follow one another",
            UnsupportedFeatureError,
        )
    kind = session.tensor_type(shape, dtype)
    made = fb.value("pto.tensor.view", kind, [content(fb, base)], None, call.node, call.name)
    found = Array(made.ir, kind, base.name, base.direction, node=base.node)
    found.sources = (base,)
    fb.track(found)
    return found


def view(fb: FunctionBuilder, call: Call):
    base, shape, _, layout = call.args
    require_data(fb, call)
    not_yet(fb, call, 2, "valid_shape", None)
    not_yet(fb, call, 3, "layout", None if layout is None else TensorLayout.ND)
    if shape is None:
        return base
    return _reshaped(fb, call, base, static_shape(fb, call, 1, "a shape"), base.type.dtype)


# Padding.


def pad_value(fb: FunctionBuilder, value, dtype: DataType, node: ast.AST):
    """What fills: a number of PadValue or of the author's."""
    if isinstance(value, PadValue):
        value = {PadValue.zero: 0, PadValue.max: math.inf, PadValue.min: -math.inf}.get(value)
    if value is None:
        raise fb.error(
            node, "a padding is pl.PadValue.zero, max or min, or a number; null fills nothing"
        )
    if isinstance(value, float) and math.isinf(value) and dtype.is_float:
        return fb.constant(value, dtype, node)
    if isinstance(value, float) and math.isinf(value):
        low, high = _limits(dtype)
        return fb.constant(high if value > 0 else low, dtype, node)
    return scalar_for(fb, value, dtype, node)


def _limits(dtype: DataType) -> tuple[int, int]:
    if str(dtype) == "BOOL":
        return 0, 1
    if str(dtype).startswith("UINT"):
        return 0, (1 << dtype.bits) - 1
    return -(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1


def pad_to(fb: FunctionBuilder, value, shape: tuple, pad, call: Call, index: int) -> Value:
    dtype = value.type.dtype
    filler = pad_value(fb, pad, dtype, call.place(index))
    level = "tile" if is_tile(value) else "tensor"
    made = result_type(level, tuple(shape), dtype, None)
    operands = [content(fb, value), filler]
    return fb.value(f"pto.{level}.fillpad", made, operands, None, call.node, call.name)


def fillpad(fb: FunctionBuilder, call: Call) -> Value:
    """Also in place: a tile is a value, and its name gets the new one."""
    base = require_data(fb, call)
    return pad_to(fb, base, base.type.shape, call.args[1], call, 1)


def fillpad_expand(fb: FunctionBuilder, call: Call) -> Value:
    base = require_data(fb, call)
    shape = static_shape(fb, call, 1, "a shape")
    fits = len(shape) == len(base.type.shape) and all(
        new >= old for new, old in zip(shape, base.type.shape, strict=False)
    )
    if not fits:
        raise fb.error(
            call.place(1),
            f"{call.path}: the new shape is at least as large in each dimension, found "
            f"{list(shape)} for {describe(base)}",
            ParserTypeError,
        )
    return pad_to(fb, base, shape, call.args[2], call, 2)


# Extents, and what changes nothing.


def extent_of(fb: FunctionBuilder, base, axis: int, node: ast.AST):
    """The extent of a dimension: a number, or an MLIR index value."""
    extent = base.type.shape[axis]
    if isinstance(extent, int) and extent >= 0:
        return extent
    return dimension(fb, base, axis, node, None).ir


def dim(fb: FunctionBuilder, call: Call) -> int:
    array, axis = call.args
    if not is_data(array):
        raise fb.error(
            call.place(0),
            f"pl.dim takes an array or a tile, found {describe(array)}",
            ParserTypeError,
        )
    rank = len(array.type.shape)
    if type(axis) is not int or not -rank <= axis < rank:
        raise fb.error(call.place(1), f"axis {describe(axis)} of an array with {rank} dimensions")
    extent = array.type.shape[axis]
    if isinstance(extent, int) and extent >= 0:
        return extent
    return dimension(fb, array, axis % rank, call.node, call.name)


def dimension(fb: FunctionBuilder, base, axis: int, node: ast.AST, name) -> Value:
    kind = session.scalar_type(INDEX)
    made = fb.value("pto.tensor.dim", kind, [content(fb, base)], {"dim": _int64(axis)}, node, name)
    made.nonnegative = True
    return made


def dump_tag(fb: FunctionBuilder, call: Call):
    """A mark for tools of the device; the array is what it was."""
    array = call.args[0]
    if not is_data(array) or is_tile(array):
        raise fb.error(
            call.place(0), f"{call.path} marks an array, found {describe(array)}", ParserTypeError
        )
    return array
