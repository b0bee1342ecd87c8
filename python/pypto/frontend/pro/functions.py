# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Calls of Python functions: helpers, which are spliced in, and the builtins that make sense."""

from __future__ import annotations

import ast
import types

from ...diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ...language.dtypes import FP32, INDEX
from .. import scalars
from ..source import MISSING
from ..values import Unbound, Value
from .builder import ProBuilder
from .control import RETURN, exited, truth
from .values import KeyField, NamedTuple, describe


def call(fb: ProBuilder, function, node: ast.Call, name: str | None):
    if type(function) is types.FunctionType:
        return _splice(fb, function, node, name)
    helper = getattr(function, "inlined_function", None)
    if type(helper) is types.FunctionType:
        return _splice(fb, helper, node, name)
    if function in BUILTINS:
        return _builtin(fb, function, node, name)
    text = ast.unparse(node.func)
    if type(function).__name__ == "Later":
        raise fb.error(node, function.message(), UnsupportedFeatureError)
    if isinstance(function, type) and issubclass(function, BaseException):
        message = f"'{text}' is an exception, which no kernel raises"
    elif hasattr(function, "is_pro_kernel"):
        message = (
            f"'{text}' is a kernel; a kernel calls operations and plain Python helpers, and a host "
            "launches kernels"
        )
    elif function is range or function is print:
        message = f"Python's {text} does not run in a kernel; use pl.{_INSTEAD[function]}"
    elif callable(function):
        message = f"'{text}' does not run in a kernel; a helper is a plain Python function"
    else:
        message = f"'{text}' is {describe(function)}, which cannot be called"
    raise fb.error(node, message, UnsupportedFeatureError)


_INSTEAD = {range: "range", print: "printf"}


# Helpers.


def _splice(fb: ProBuilder, function: types.FunctionType, node: ast.Call, name: str | None):
    """The body of a plain Python function in place of its call."""
    from .statements import run

    if any(entry[0] is function for entry in fb.inlined) or function is fb.module.function:
        raise fb.error(
            node,
            f"'{function.__name__}' calls itself; a kernel cannot contain recursion",
            UnsupportedFeatureError,
        )
    source = fb.module.source_of(function)
    arguments = _arguments(fb, function, source.tree, node)
    inner = ProBuilder(fb.side, source)
    inner.inlined = [*fb.inlined, (function, fb.location(node, function.__name__), node, fb)]
    inner.chain = (*fb.chain, node)
    inner.env = arguments
    run(inner, source.tree.body)
    return _returned(fb, inner, function, node)


def _arguments(fb: ProBuilder, function, tree: ast.FunctionDef, node: ast.Call) -> dict:
    from .expressions import evaluate

    name, wanted = function.__name__, tree.args
    if wanted.vararg or wanted.kwarg or wanted.kwonlyargs:
        raise fb.error(
            node,
            f"helper '{name}' has *args, **kwargs or keyword-only parameters, which a helper of a "
            "kernel cannot have",
            UnsupportedFeatureError,
        )
    if node.keywords:
        raise fb.error(
            node.keywords[0].value,
            f"helper '{name}' takes positional arguments only",
            UnsupportedFeatureError,
        )
    parameters = [item.arg for item in (*wanted.posonlyargs, *wanted.args)]
    defaults = list(function.__defaults__ or ())
    least = len(parameters) - len(defaults)
    for item in node.args:
        if isinstance(item, ast.Starred):
            raise fb.error(item, "a kernel cannot contain '*' in a call", UnsupportedFeatureError)
    if not least <= len(node.args) <= len(parameters):
        count = str(len(parameters)) if not defaults else f"{least} to {len(parameters)}"
        raise fb.error(
            node,
            f"helper '{name}' takes {count} arguments ({', '.join(parameters)}), found "
            f"{len(node.args)}",
            ParserTypeError,
        )
    given = [evaluate(fb, item) for item in node.args]
    for parameter in parameters:
        fb.module.check_shadow(fb, parameter, node)
    return dict(zip(parameters, [*given, *defaults[len(given) - least :]], strict=False))


def _returned(fb: ProBuilder, inner: ProBuilder, function, node: ast.Call):
    """What a helper gives back."""
    found = inner.env.get(RETURN, MISSING)
    state = exited(inner, node)
    fb.side.cells.pop(inner.returned_cell, None)
    if isinstance(found, Unbound):
        raise fb.unbound(node, found)
    if found is MISSING:
        return None
    if state is not True and found is not None:
        raise fb.error(
            node,
            f"'{function.__name__}' returns a value on one way and nothing on another",
            ParserTypeError,
        )
    return found


# Python's own functions.


def _builtin(fb: ProBuilder, function, node: ast.Call, name: str | None):
    from .expressions import evaluate

    if node.keywords:
        raise fb.error(
            node.keywords[0].value,
            f"'{ast.unparse(node.func)}' takes positional arguments only here",
            UnsupportedFeatureError,
        )
    args = [evaluate(fb, item) for item in node.args]
    if function in (min, max):
        return extreme(fb, function.__name__, args, node, name)
    if any(isinstance(item, (Value, KeyField)) for item in args):
        return _of_scalar(fb, function, args, node, name)
    if function is len and len(args) == 1 and isinstance(args[0], NamedTuple):
        return len(args[0].fields)
    try:
        return function(*args)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise fb.error(
            node, f"cannot compute '{ast.unparse(node)}': {error}", ParserTypeError
        ) from None


def extreme(fb: ProBuilder, which: str, args: list, node: ast.Call, name: str | None):
    """`min` and `max`, of two or more scalars or a list of them."""
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        args = list(args[0])
    if len(args) < 2:
        raise fb.error(node, f"{which} takes two or more scalars", ParserTypeError)
    args = [fb.scalar_of(item, node) for item in args]
    for item in args:
        if not scalars.is_scalar(item):
            raise fb.error(node, f"{which} takes scalars, found {describe(item)}", ParserTypeError)
    found = args[0]
    for index, item in enumerate(args[1:], 2):
        label = name if index == len(args) else None
        found = scalars.extreme(fb, which, found, item, node, label)
    return found


def _of_scalar(fb: ProBuilder, function, args: list, node: ast.Call, name: str | None):
    args = [fb.scalar_of(item, node) for item in args]
    if len(args) == 1:
        if function is abs:
            return scalars.absolute(fb, args[0], node, name)
        if function is bool:
            return truth(fb, args[0], node)
        if function in (int, float):
            dtype = FP32 if function is float else INDEX
            return scalars.convert(fb, args[0], dtype, node)
    raise fb.error(
        node,
        f"'{ast.unparse(node.func)}' of a scalar that the program computes is not supported; min, "
        "max, abs, int, float and bool are",
        UnsupportedFeatureError,
    )


BUILTINS = {len, max, min, abs, sum, round, int, float, bool, list, tuple, isinstance, type}

__all__ = ["call", "extreme"]
