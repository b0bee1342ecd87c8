# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What is seen from outside: `pl.printf`, `pl.pto_assert`, `pl.dump_data`, `pl.trap`."""

from __future__ import annotations

import ast
import os
import re

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....language.dtypes import FP32
from ....mlir import ir
from ... import scalars, session
from ...values import Value
from ..arrays import make_view
from ..builder import ProBuilder
from ..calls import Call
from ..values import TensorView, Tile, describe
from .arguments import emit, is_scalar, list_of, not_yet, op_name
from .arrays import move_pointer

_SPECIFIER = re.compile(r"%(.?)", re.DOTALL)


def printf(fb: ProBuilder, call: Call) -> None:
    _print(fb, call, _format(fb, call), call["args"])


def _format(fb: ProBuilder, call: Call) -> str:
    text = call["fmt"]
    if not isinstance(text, str):
        raise fb.error(
            call.node_of("fmt"),
            f"{op_name(call)}: the format is a string, found {describe(text)}",
            ParserTypeError,
        )
    return text


def _print(fb: ProBuilder, call: Call, text: str, given: list) -> None:
    where = call.node_of("fmt")
    kinds = [kind for kind in _SPECIFIER.findall(text) if kind != "%"]
    for kind in kinds:
        if kind == "p":
            raise fb.error(where, f"{call.path}: %p is not supported yet", UnsupportedFeatureError)
        if kind not in ("d", "i", "u", "x", "f"):
            word = f"'%{kind}'" if kind else "a '%' at its end"
            raise fb.error(
                where,
                f"{op_name(call)}: the format has {word}; it takes %d, %i, %u, %x, %f and %%",
                ParserTypeError,
            )
    if len(kinds) != len(given):
        raise fb.error(
            call.node,
            f"{op_name(call)}: the format wants {len(kinds)} arguments, found {len(given)}",
            ParserTypeError,
        )
    operands = [
        _argument(fb, call, index, kind, value)
        for index, (kind, value) in enumerate(zip(kinds, given, strict=True))
    ]
    if fb.static(call["loc"], call.node_of("loc"), "loc"):
        text = _place(fb, call.node).replace("%", "%%") + ": " + text
    emit(
        fb,
        "block.print",
        operands,
        {"format": ir.StringAttr.get(text, session.CONTEXT)},
        call.node,
    )


def _place(fb: ProBuilder, node: ast.AST) -> str:
    return f"{os.path.basename(fb.source.file)}:{node.lineno}"


def _argument(fb: ProBuilder, call: Call, index: int, kind: str, value):
    node = call.node
    value = fb.scalar_of(value, node)
    if not is_scalar(value):
        raise fb.error(
            node,
            f"{op_name(call)}: argument {index + 1} must be a scalar, got {describe(value)}",
            ParserTypeError,
        )
    dtype = value.type.dtype if isinstance(value, Value) else None
    floats = dtype.is_float if dtype is not None else isinstance(value, float)
    if kind == "f" and dtype not in (None, FP32):
        raise fb.error(
            node,
            f"{op_name(call)}: %f prints FP32, argument {index + 1} is {dtype}",
            ParserTypeError,
        )
    if floats != (kind == "f"):
        found = dtype or ("FP32" if floats else "an integer")
        raise fb.error(
            node,
            f"{op_name(call)}: %{kind} does not print argument {index + 1}, {found}; "
            + ("write %f" if floats else "write %d"),
            ParserTypeError,
        )
    return fb.scalar(value, node)


def pto_assert(fb: ProBuilder, call: Call) -> None:
    """Prints; the kernel goes on."""
    node = call.node_of("cond")
    condition = scalars.truth(fb, fb.scalar_of(call["cond"], node), node)
    if condition is True:
        return
    text = f"assertion failed: {ast.unparse(node)}\n".replace("%", "%%")
    text = _format(fb, call) if call["fmt"] is not None else f"{_place(fb, call.node)}: {text}"

    def say():
        _print(fb, call, text, call["args"])

    if condition is False:
        say()
        return
    from ..control import either

    either(fb, condition, lambda: None, say, call.node, None)


def trap(fb: ProBuilder, call: Call) -> None:
    emit(fb, "block.trap", [], {}, call.node)


# Contents.


def dump_data(fb: ProBuilder, call: Call) -> None:
    not_yet(fb, call, "flag")
    data = call["data"]
    offsets, shapes = _window(fb, call)
    if isinstance(data, TensorView):
        source = _of_tensor(fb, call, data, offsets, shapes)
    else:
        found = fb.tile_of(data, call.node_of("data"), f"{op_name(call)}: data")
        source = _of_tile(fb, call, found, offsets, shapes)
    label = ast.unparse(call.node_of("data"))
    if fb.static(call["loc"], call.node_of("loc"), "loc"):
        label = f"{_place(fb, call.node)}: {label}"
    emit(
        fb, "block.dump", [source], {"label": ir.StringAttr.get(label, session.CONTEXT)}, call.node
    )


def _window(fb: ProBuilder, call: Call) -> tuple:
    """Offsets and extents of the part that is wanted; both or neither."""
    if call["offsets"] is None and call["shapes"] is None:
        return None, None
    if call["offsets"] is None or call["shapes"] is None:
        raise fb.error(
            call.node, f"{op_name(call)}: offsets and shapes go together", ParserTypeError
        )
    found = []
    for key in ("offsets", "shapes"):
        node = call.node_of(key)
        found.append([fb.scalar_of(value, node) for value in list_of(fb, call, key, "integers")])
    if len(found[0]) != len(found[1]):
        raise fb.error(
            call.node_of("shapes"),
            f"{op_name(call)}: {len(found[0])} offsets and {len(found[1])} shapes",
            ParserTypeError,
        )
    return found


def _of_tile(fb: ProBuilder, call: Call, found: Tile, offsets, shapes):
    space = found.type.space.name
    wanted = {"Vec": "aiv", "Acc": "aic"}.get(space)
    if wanted != fb.core:
        raise fb.error(
            call.node_of("data"),
            f"{op_name(call)}: a tile in Vec in a vector section, or one in Acc in a cube section; "
            f"got a {found.type}",
            ParserTypeError,
        )
    if space == "Acc" and not isinstance(call["workspace"], TensorView):
        raise fb.error(
            call.node,
            f"{op_name(call)}: a tile in Acc needs workspace=, a tensor that it passes through",
            ParserTypeError,
        )
    if offsets is None:
        return fb.buffer(found, call.node)
    if len(offsets) != 2:
        raise fb.error(
            call.node_of("offsets"), f"{op_name(call)}: a tile has two dimensions", ParserTypeError
        )
    _check_window(fb, call, found, offsets, shapes)
    return fb.window(found, offsets, shapes, call.node)


def _check_window(fb: ProBuilder, call: Call, found: Tile, offsets, shapes) -> None:
    """A window must lie in the tile, as far as it is known."""
    for axis, (offset, extent) in enumerate(zip(offsets, shapes, strict=True)):
        first = fb.index(offset, call.node_of("offsets"), "an offset")
        size = fb.index(extent, call.node_of("shapes"), "an extent")
        whole = found.type.shape[axis]
        low = isinstance(size, int) and size < 1
        begin = first if isinstance(first, int) else 0
        end = begin + (size if isinstance(size, int) else 1)
        if low or begin < 0 or end > whole:
            raise fb.error(
                call.node_of("shapes" if low else "offsets"),
                f"{op_name(call)}: the window is not within the {whole} of '{found.name}' in "
                f"dimension {axis}",
                ParserTypeError,
            )


def _of_tensor(fb: ProBuilder, call: Call, view: TensorView, offsets, shapes):
    if offsets is None:
        return view.ir
    if len(offsets) != len(view.shape):
        raise fb.error(
            call.node_of("offsets"),
            f"{op_name(call)}: {len(offsets)} offsets for a {describe(view)}",
            ParserTypeError,
        )
    place = 0
    for offset, stride in zip(offsets, view.strides, strict=True):
        step = scalars.binary(fb, "*", offset, stride, call.node, None)
        place = scalars.binary(fb, "+", place, step, call.node, None)
    first = fb.index(place, call.node, "an offset")
    pointer = move_pointer(fb, view.pointer, first, view.dtype, call.node, None)
    return make_view(fb, pointer, shapes, view.strides, view.dtype, view.layout, call.node).ir
