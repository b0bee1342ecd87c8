# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Arrays at pointers: `pl.make_tensor`, `pl.make_ptr`, `pl.addptr`, and what loads and
stores see of them, which has two dimensions."""

from __future__ import annotations

import ast

from pypto_pro.language.enums import TensorLayout

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....language.dtypes import DataType
from ....mlir import ir
from ... import session
from ..arrays import gm_type, make_view
from ..builder import ProBuilder
from ..calls import Call
from ..values import Pointer, TensorView, describe
from .arguments import emit, list_of, mixed, op_name

MAX_RANK = 8
POINTER_BITS = (8, 16, 32, 64)


# Pointers.


def _check_dtype(fb: ProBuilder, dtype, node: ast.AST) -> DataType:
    dtype = fb.static(dtype, node, "an element type")
    if not isinstance(dtype, DataType):
        raise fb.error(
            node,
            f"dtype is an element type such as pl.DT_FP16, found {describe(dtype)}",
            ParserTypeError,
        )
    ours = dtype.mlir is not None or dtype.kind == "uint"
    if dtype.bits not in POINTER_BITS or not ours or dtype.kind in ("bool", "index"):
        raise fb.error(node, f"arrays of {dtype} are not supported yet", UnsupportedFeatureError)
    return dtype


def move_pointer(fb: ProBuilder, pointer: Pointer, offset, dtype: DataType, node, name):
    moved, static = mixed([offset])
    made = emit(
        fb,
        "tile.make_ptr",
        [pointer.ir, *moved],
        {"static_offset": static},
        node,
        [gm_type(["?"], dtype)],
        name,
    )
    return Pointer(made.result, dtype, pointer.parameter)


def make_ptr(fb: ProBuilder, call: Call) -> Pointer:
    value = call["tensor_or_ptr"]
    if isinstance(value, TensorView):
        value = value.pointer
    if not isinstance(value, Pointer):
        raise fb.error(
            call.node_of("tensor_or_ptr"),
            f"{call.path} takes a tensor or a pointer, found {describe(value)}",
            ParserTypeError,
        )
    if call["dtype"] is None:
        return value
    return retyped(fb, value, call["dtype"], call.node_of("dtype"), call.name)


def retyped(fb: ProBuilder, pointer: Pointer, dtype, node: ast.AST, name=None) -> Pointer:
    """The same address, as one of other elements."""
    dtype = _check_dtype(fb, dtype, node)
    if dtype is pointer.dtype:
        return pointer
    return move_pointer(fb, pointer, 0, dtype, node, name)


def addptr(fb: ProBuilder, call: Call) -> Pointer:
    pointer = call["ptr"]
    if not isinstance(pointer, Pointer):
        raise fb.error(
            call.node_of("ptr"),
            f"{call.path} takes a pointer, found {describe(pointer)}",
            ParserTypeError,
        )
    offset = fb.index(call["offset"], call.node_of("offset"), f"{call.path}: the offset")
    if offset == 0:
        return pointer
    return move_pointer(fb, pointer, offset, pointer.dtype, call.node, call.name)


# Tensors.


def make_tensor(fb: ProBuilder, call: Call) -> TensorView:
    value, node = call["ptr_or_tensor"], call.node_of("ptr_or_tensor")
    layout = value.layout if isinstance(value, TensorView) else TensorLayout.ND
    if isinstance(value, TensorView):
        value = value.pointer
    if not isinstance(value, Pointer):
        raise fb.error(
            node,
            f"{call.path} takes a pointer or a tensor, found {describe(value)}",
            ParserTypeError,
        )
    if call["dtype"] is not None:
        value = retyped(fb, value, call["dtype"], call.node_of("dtype"))
    shape = _numbers(fb, call, "shape", "extent")
    if not 1 <= len(shape) <= MAX_RANK:
        raise fb.error(
            call.node_of("shape"),
            f"{call.path}: a tensor has 1 to {MAX_RANK} dimensions, found {len(shape)}",
            ParserTypeError,
        )
    strides = None
    if call["stride"] is not None:
        strides = _numbers(fb, call, "stride", "stride")
        _check_strides(fb, call, shape, strides)
    return make_view(fb, value, shape, strides, value.dtype, layout, call.node, call.name)


def _numbers(fb: ProBuilder, call: Call, key: str, what: str) -> list:
    """Integers and integer scalars, none of them known to be negative."""
    node = call.node_of(key)
    found = [fb.scalar_of(value, node) for value in list_of(fb, call, key, "integers")]
    for value in found:
        known = fb.index(value, node, f"{op_name(call)}: each {what}")
        if isinstance(known, int) and known < 0:
            raise fb.error(node, f"{op_name(call)}: {what} {known} is negative", ParserTypeError)
    return found


def _check_strides(fb: ProBuilder, call: Call, shape: list, strides: list) -> None:
    if len(shape) != len(strides):
        raise fb.error(
            call.node_of("stride"),
            f"{op_name(call)}: {len(strides)} strides for {len(shape)} dimensions; there is one "
            "for each",
            ParserTypeError,
        )


def set_stride(fb: ProBuilder, call: Call) -> None:
    view = call["tensor"]
    if not isinstance(view, TensorView):
        raise fb.error(
            call.node_of("tensor"),
            f"{op_name(call)}: tensor must be a tensor, got {describe(view)}",
            ParserTypeError,
        )
    if view.ir.owner.operation.block != fb.ip.block:
        raise fb.error(
            call.node,
            f"{call.path} in a loop or branch is not supported for a tensor from outside of it; "
            "make another with pl.make_tensor(tensor, shape, stride)",
            UnsupportedFeatureError,
        )
    strides = _numbers(fb, call, "stride", "stride")
    _check_strides(fb, call, list(view.shape), strides)
    made = _again(fb, view, view.shape, strides, call.node)
    view.ir, view.strides = made.ir, made.strides


def _again(fb: ProBuilder, view: TensorView, shape, strides, node: ast.AST) -> TensorView:
    """The same memory as an array of other shape or strides."""
    return make_view(
        fb, view.pointer, shape, strides, view.dtype, view.layout, node, view.name or None
    )


# What a load or store sees.


def seen_as(fb: ProBuilder, view: TensorView, dtype: DataType, node: ast.AST) -> TensorView:
    """The same array as one of other elements of that width."""
    if view.dtype is dtype:
        return view
    pointer = retyped(fb, view.pointer, dtype, node)
    return make_view(fb, pointer, view.shape, view.strides, dtype, view.layout, node, view.name)


def plane(fb: ProBuilder, view: TensorView, places: list, axes: tuple, node: ast.AST) -> ir.Value:
    """The array of `axes` (rows, columns) at the places, ints or MLIR index values, of the
    other dimensions."""
    rank = len(view.shape)
    if rank == 1:
        return _again(fb, view, [1, *view.shape], [0, *view.strides], node).ir
    if rank == 2 and axes == (0, 1):
        return view.ir
    moved, static = mixed([place for axis, place in enumerate(places) if axis not in axes])
    shape = [view.shape[axis] for axis in axes]
    made = emit(
        fb,
        "tile.plane",
        [view.ir, *moved],
        {"static_offsets": static, "axes": session.int64s(axes)},
        node,
        [gm_type(shape, view.dtype, dynamic_strides=True)],
        view.name or None,
    )
    return made.result
