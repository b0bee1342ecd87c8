# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Functions of Python that read their arguments and nothing else, and change nothing."""

from __future__ import annotations

import builtins
import math
import operator
import types

from .errors import Invalid

_BUILTINS = (
    "abs ascii bin bool bytes chr dict divmod float format frozenset hash hex int isinstance len "
    "list max min oct ord pow range repr round set slice sorted str sum tuple"
)
# What changes an argument in place is left out.
_OPERATORS = (
    "abs add and_ contains countOf eq floordiv ge gt index indexOf inv invert le "
    "lshift lt matmul mod mul ne neg not_ or_ pos pow rshift sub truediv truth xor getitem"
)
_PLAIN = {
    id(function): function
    for function in (
        *(getattr(builtins, name) for name in _BUILTINS.split()),
        *(getattr(operator, name) for name in _OPERATORS.split()),
        *(item for name, item in vars(math).items() if not name.startswith("_")),
        Invalid,
    )
}
# Those that take an iterator to its end.
CONSUMERS = {id(function) for function in (sum, max, min, list, set, frozenset, sorted, dict)}

# The types whose methods read only, all of them or these.
_ALL_METHODS = (int, bool, float, str, bytes, tuple, frozenset, range)
_METHODS = {
    dict: {"get", "keys", "values", "items"},
    list: {"index", "count"},
    set: {
        "issubset",
        "issuperset",
        "isdisjoint",
        "union",
        "intersection",
        "difference",
        "symmetric_difference",
    },
}


class Forbidden(Exception):
    """An argument through which other code would run."""


def is_plain(function) -> bool:
    if id(function) in _PLAIN:
        return True
    if type(function) is not types.BuiltinMethodType:
        return False
    owner = function.__self__
    return type(owner) in _ALL_METHODS or function.__name__ in _METHODS.get(type(owner), ())


def check_arguments(arguments: list) -> None:
    """Refuses functions as arguments, which would be called behind the follower's back."""
    for argument in arguments:
        if callable(argument) and id(argument) not in _PLAIN:
            name = getattr(argument, "__name__", type(argument).__name__)
            raise Forbidden(f"'{name}' as an argument of a function")
