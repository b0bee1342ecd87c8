# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Shape and element type of a result, from the types of the operands.

Only what is needed to go on: whether the operands fit each other is checked by
the operations' verifiers, once, for Python and for text alike.
"""

from __future__ import annotations


def like_first(types) -> tuple:
    return types[0].shape, types[0].dtype


def row_reduce(types) -> tuple:
    return (*types[0].shape[:-1], 1), types[0].dtype


def col_reduce(types) -> tuple:
    return (1, *types[0].shape[1:]), types[0].dtype
