# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A scalar where elements of a tile or an array are expected: of exactly their type."""

from __future__ import annotations

import ast
import math

import ml_dtypes
import numpy as np

from ....diagnostics.errors import ParserTypeError
from ....language.dtypes import BF16, BOOL, FP16, FP32, INDEX, DataType
from ...values import Value
from ..builder import ProBuilder
from ..values import describe
from .arguments import is_scalar

NUMPY = {FP16: np.float16, BF16: ml_dtypes.bfloat16, FP32: np.float32}


def exact(fb: ProBuilder, value, dtype: DataType, node: ast.AST):
    """`value` as an MLIR value of `dtype`. A number takes that type, if it is one of it; a
    scalar must be of the same kind: a float for floats, an integer for integers."""
    value = fb.scalar_of(value, node)
    if not is_scalar(value):
        raise fb.error(
            node, f"a scalar of {dtype} is expected, found {describe(value)}", ParserTypeError
        )
    if isinstance(value, Value):
        _check_kind(fb, value, dtype, node)
    elif isinstance(value, float) and not dtype.is_float:
        if not value.is_integer():
            raise fb.error(node, f"{value} meets elements of {dtype}", ParserTypeError)
        value = int(value)
    if not isinstance(value, Value) and dtype.is_float:
        value = float(value)
        _check_finite(fb, value, dtype, node)
    elif isinstance(value, int) and dtype.kind == "uint":
        value = _signed(fb, value, dtype, node)
    return fb.number(value, dtype, node)


def _check_finite(fb: ProBuilder, value: float, dtype: DataType, node: ast.AST) -> None:
    """Infinity is an infinity that the author writes, not a number that is too large."""
    with np.errstate(over="ignore"):
        rounded = np.float64(value).astype(NUMPY[dtype]) if dtype in NUMPY else value
    if math.isfinite(value) and not math.isfinite(rounded):
        raise fb.error(node, f"{value} does not fit {dtype}", ParserTypeError)


def _check_kind(fb: ProBuilder, value: Value, dtype: DataType, node: ast.AST) -> None:
    found = value.type.dtype
    if found is BOOL or found.is_float != dtype.is_float:
        fix = ""
        if found.is_int and dtype.is_float:
            fix = "; multiply it by 1.0 to convert it"
        raise fb.error(node, f"a scalar of {found} meets elements of {dtype}{fix}", ParserTypeError)
    # Index and FP32 are what numbers are made of; the run's value takes the elements' type.
    if found not in (INDEX, FP32, dtype) and found.bits > dtype.bits:
        raise fb.error(node, f"a scalar of {found} meets elements of {dtype}", ParserTypeError)


def _signed(fb: ProBuilder, value: int, dtype: DataType, node: ast.AST) -> int:
    """The number with the same bits in the signless type of the IR."""
    if not 0 <= value < 1 << dtype.bits:
        raise fb.error(node, f"{value} does not fit {dtype}", ParserTypeError)
    return value - (1 << dtype.bits) if value >> (dtype.bits - 1) else value
