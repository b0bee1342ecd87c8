# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Values that are repeated over rows and columns."""

from __future__ import annotations

from ..diagnostics.errors import ParserTypeError
from .build import Call, call_by_name, is_data, operands, result_type
from .builder import FunctionBuilder
from .values import Value, describe


def _ones(fb: FunctionBuilder, level: str, shape: tuple, dtype, node) -> Value:
    one = fb.constant(1.0 if dtype.is_float else 1, dtype, node)
    return fb.value(f"pto.{level}.full", result_type(level, shape, dtype, None), [one], None, node)


def _spread(fb: FunctionBuilder, call: Call, shape: tuple, vector, which: str, name) -> Value:
    """A column ("row") or a row ("col") repeated over a shape: ones times it, which is exact."""
    level = "tile" if vector.type.kind == "tile" else "tensor"
    ones = _ones(fb, level, shape, vector.type.dtype, call.node)
    places = [call.place(0), call.place(1)]
    return call_by_name(fb, f"{which}_expand_mul", [ones, vector], call.node, name, places)


def expand(fb: FunctionBuilder, call: Call) -> Value:
    """`row_expand(target, vec)`, `col_expand(target, vec)`: the target gives the shape."""
    operands(fb, call)
    target, vector = call.args[:2]
    if not is_data(vector) or vector.type.dtype is not target.type.dtype:
        raise fb.error(
            call.place(1),
            f"{call.path}: the values have the target's element type, {target.type.dtype}, found "
            f"{describe(vector)}",
            ParserTypeError,
        )
    return _spread(fb, call, target.type.shape, vector, call.operation.name[:3], call.name)


def expand_clone(fb: FunctionBuilder, call: Call):
    """The source with extents of 1 repeated to those of the target."""
    operands(fb, call)
    source, target = call.args
    have, want = source.type.shape, target.type.shape
    if (
        len(have) != 2
        or len(want) != 2
        or any(a not in (1, b) for a, b in zip(have, want, strict=True))
    ):
        raise fb.error(
            call.place(0),
            f"{call.path}: {describe(source)} is not {describe(target)} with extents of 1",
            ParserTypeError,
        )
    if have == want:
        return source
    if have == (1, 1) and 1 not in want:
        source = _spread(fb, call, (1, want[1]), source, "row", None)
        have = source.type.shape
    which = "row" if have[1] == 1 and want[1] != 1 else "col"
    return _spread(fb, call, want, source, which, call.name)
