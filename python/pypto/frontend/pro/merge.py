# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Where two ways through a program meet: what a name holds then.

A value of the front end is taken apart into a form, known while the kernel is read, and
its scalars, the values of the program. Two values of one form meet scalar by scalar.
"""

from __future__ import annotations

import ast
import enum

from ...language.dtypes import INDEX, DataType
from .. import scalars, session
from ..builder import number_dtype
from ..source import MISSING
from ..values import Unbound, Value
from .builder import ProBuilder, same
from .tiles import slot
from .values import Chosen, KeyField, Pointer, TensorView, Tile, TileGroup, TileType, describe


class Dead(Unbound):
    """What a name holds on a way on which nobody reads it any more."""


def is_scalar(value) -> bool:
    return isinstance(value, (bool, int, float, Value, KeyField))


def take_apart(value) -> tuple[tuple, list]:
    """The form of a value and its scalars."""
    if is_scalar(value):
        return ("scalar",), [value]
    if isinstance(value, Tile) and isinstance(value.base, TileGroup):
        return ("slot", id(value.base)), [value.index]
    if isinstance(value, (tuple, list)):
        parts = [take_apart(item) for item in value]
        leaves = [leaf for _, found in parts for leaf in found]
        return (type(value), *(form for form, _ in parts)), leaves
    if value is None or isinstance(value, (str, DataType, enum.Enum, TileType)):
        return ("known", value), []
    return ("object", id(value)), []


def put_together(fb: ProBuilder, like, leaves, node: ast.AST):
    """A value of the form of `like` with other scalars, taken from an iterator."""
    if is_scalar(like):
        return next(leaves)
    if isinstance(like, Tile) and isinstance(like.base, TileGroup):
        return slot(fb, like.base, next(leaves), node)
    if isinstance(like, (tuple, list)):
        return type(like)(put_together(fb, item, leaves, node) for item in like)
    return like


def same_leaves(one: list, other: list) -> bool:
    return all(same(a, b) for a, b in zip(one, other, strict=True))


def unchanged(one, other) -> bool:
    """Whether a name that held `one` still does when it holds `other`."""
    if one is other:
        return True
    forms, leaves = zip(take_apart(one), take_apart(other), strict=True)
    return forms[0] == forms[1] and same_leaves(*leaves)


def leaf_dtype(leaf) -> DataType:
    if isinstance(leaf, Value):
        return leaf.type.dtype
    return INDEX if isinstance(leaf, KeyField) else number_dtype(leaf)


def join_dtype(fb: ProBuilder, one, other, node: ast.AST) -> DataType:
    """The type of a name that holds one scalar or the other; a Failure if there is none."""
    one, other = (
        Value(None, session.scalar_type(INDEX)) if isinstance(leaf, KeyField) else leaf
        for leaf in (one, other)
    )
    return scalars.common_dtype(fb, "=", one, other, node)


def different(name: str, one, other, when: str) -> str:
    """Why a name cannot hold either of two values."""
    return (
        f"cannot reassign '{name}' with a different type: {when[0]} it is {describe(one)}, "
        f"{when[1]} it is {describe(other)}"
    )


def may_be_chosen(value) -> bool:
    return isinstance(value, (Chosen, Tile, TileGroup, TensorView, Pointer))


def bound_in_one(name: str, place: ast.AST, fields: frozenset[str]) -> Unbound:
    return Unbound(
        f"'{name}' is bound in one branch only; bind it in both, or before the if",
        place,
        f"'{name}' is bound here",
        fields,
    )


__all__ = ["MISSING", "Dead", "put_together", "take_apart", "unchanged"]
