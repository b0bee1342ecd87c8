# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Views of arrays."""

from __future__ import annotations

import ast

from ...mlir import ir
from .. import scalars, session
from ..values import Value
from .builder import ProBuilder, element_type
from .values import Pointer, TensorView


def gm_type(shape: list, dtype, dynamic_strides: bool = False) -> ir.Type:
    """`!pto.gm` of a shape of ints and scalars."""
    extents = "x".join(str(item) if isinstance(item, int) else "?" for item in shape)
    pitch = ", pitch<?>" if dynamic_strides else ""
    return ir.Type.parse(f"!pto.gm<{extents}x{element_type(dtype)}{pitch}>", session.CONTEXT)


def contiguous(fb: ProBuilder, shape, node: ast.AST) -> list:
    """The strides of an array whose rows follow one another."""
    strides: list = [1]
    for extent in reversed(shape[1:]):
        strides.append(scalars.binary(fb, "*", strides[-1], extent, node, None))
    return strides[::-1]


def make_view(
    fb: ProBuilder, pointer: Pointer, shape, strides, dtype, layout, node: ast.AST, name=None
) -> TensorView:
    """`pto.tile.make_tensor`: shape and strides are ints and scalars; no strides: rows
    follow one another."""
    shape = [_scalar(fb, item, node) for item in shape]
    strides = contiguous(fb, shape, node) if strides is None else strides
    strides = [_scalar(fb, item, node) for item in strides]
    extents, static_shape = fb.indices(shape, node, "an extent of a tensor")
    steps, static_strides = fb.indices(strides, node, "a stride of a tensor")
    attributes = {
        "static_shape": static_shape,
        "static_strides": static_strides,
        "operandSegmentSizes": session.int32s([1, len(extents), len(steps)]),
    }
    type_ = gm_type(shape, dtype, dynamic_strides=True)
    operands = [pointer.ir, *extents, *steps]
    made = fb.emit("pto.tile.make_tensor", [type_], operands, attributes, node, name).result
    return TensorView(made, pointer, shape, strides, dtype, layout, name or "")


def _scalar(fb: ProBuilder, item, node: ast.AST) -> int | Value:
    return fb.scalar_of(item, node)
