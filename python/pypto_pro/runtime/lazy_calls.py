# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Functions of Python that may take what is unseen and not look at it.

Each is called with the follower, the function itself and its arguments.
"""

from __future__ import annotations

import ast
import operator

from .lazy import GiveUp, Pack, Stream, Unseen, pack


def _len(follower, function, args, kwargs):
    if len(args) == 1 and not kwargs and type(args[0]) is Pack:
        return len(args[0].items)
    return follower.call_plain(function, args, kwargs)


def _tuple(follower, function, args, kwargs):
    if len(args) == 1 and not kwargs and type(args[0]) in (Pack, Stream):
        return pack(args[0].items)
    return follower.call_plain(function, args, kwargs)


def _all_or_any(follower, function, args, kwargs):
    if len(args) != 1 or kwargs:
        raise TypeError("arguments")
    test = function([]) is False  # any: stop at the first true one
    for item in follower.iterate(args[0]):
        if follower.truth(item) is test:
            return test
    return not test


def _zip(follower, function, args, kwargs):
    strict = follower.truth(kwargs.pop("strict", False))
    if kwargs:
        raise TypeError("arguments")
    return Stream(_rows([follower.iterate(argument) for argument in args], strict))


def _rows(iterators: list, strict: bool):
    end = object()
    while iterators:
        row = []
        for iterator in iterators:
            item = next(iterator, end)
            if item is end:
                if strict and (row or any(next(it, end) is not end for it in iterators[1:])):
                    raise ValueError("zip")
                return
            row.append(item)
        yield pack(row)


def _enumerate(follower, function, args, kwargs):
    start = follower.force(kwargs.pop("start", args[1] if len(args) == 2 else 0))
    if kwargs or not 1 <= len(args) <= 2:
        raise TypeError("arguments")
    return Stream(pack(row) for row in enumerate(follower.iterate(args[0]), start))


def _iter(follower, function, args, kwargs):
    if len(args) != 1 or kwargs:
        raise GiveUp("iter with a sentinel")
    return args[0] if type(args[0]) is Stream else Stream(follower.iterate(args[0]))


def _next(follower, function, args, kwargs):
    if not args or kwargs or type(args[0]) is not Stream:
        raise GiveUp("next of an iterator made elsewhere")
    for item in args[0].items:
        return item
    if len(args) != 2:
        raise StopIteration
    return args[1]


def _reversed(follower, function, args, kwargs):
    if len(args) == 1 and type(args[0]) is Pack and not kwargs:
        return Stream(reversed(args[0].items))
    if len(args) == 1 and type(args[0]) in (tuple, list, range) and not kwargs:
        return Stream(reversed(args[0]))
    raise GiveUp("reversed of an object")


def _map(follower, function, args, kwargs):
    if len(args) < 2 or kwargs:
        raise GiveUp("such a call of map")
    callee, *rest = args
    rows = _rows([follower.iterate(argument) for argument in rest], False)
    return Stream(follower.call(callee, list(_items(row)), {}) for row in rows)


def _items(row) -> tuple:
    return row.items if type(row) is Pack else row


def _isinstance(follower, function, args, kwargs):
    value = args[0] if len(args) == 2 else None
    if type(value) is Unseen and follower.ints[value.field] and args[1] in (int, bool, str, float):
        return args[1] is int
    return follower.call_plain(function, args, kwargs)


def _operator(symbol):
    def call(follower, function, args, kwargs):
        if len(args) != 2 or kwargs:
            raise TypeError("arguments")
        left, right = reversed(args) if isinstance(symbol, ast.In) else args
        return follower.compare(symbol, left, right)

    return call


SPECIAL = {
    id(len): _len,
    id(tuple): _tuple,
    id(all): _all_or_any,
    id(any): _all_or_any,
    id(zip): _zip,
    id(enumerate): _enumerate,
    id(iter): _iter,
    id(next): _next,
    id(reversed): _reversed,
    id(map): _map,
    id(isinstance): _isinstance,
    id(operator.eq): _operator(ast.Eq()),
    id(operator.ne): _operator(ast.NotEq()),
    id(operator.contains): _operator(ast.In()),
}
