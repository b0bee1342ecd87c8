# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Calls: of operations, of other kernels, of the few builtins that make sense."""

from __future__ import annotations

import ast
import importlib
import types

from ..diagnostics.errors import ParserTypeError, UndefinedNameError, UnsupportedFeatureError
from ..diagnostics.suggest import suggestion
from ..language.operation import REQUIRED, Construct, Face, Operation
from . import build, scalars
from .builder import FunctionBuilder
from .values import Array, Cells, Value, describe


def call(fb: FunctionBuilder, node: ast.Call):
    from .expressions import evaluate

    name = fb.take_name()
    function = evaluate(fb, node.func)
    if type(function) is Face:
        if function.operation.reads_itself:
            return maker(function.operation)(fb, function, node, name)
        return _operation(fb, function, node, name)
    if fb.module.is_function(function):
        from . import functions

        return functions.call(fb, function, node, name)
    if isinstance(function, Construct):
        raise fb.error(node, _misplaced(function), UnsupportedFeatureError)
    if isinstance(function, types.BuiltinFunctionType) or isinstance(function, type):
        return _builtin(fb, function, node, name)
    raise fb.error(node, _not_callable(node, function), UnsupportedFeatureError)


def _misplaced(construct: Construct) -> str:
    name = construct.operation.name
    if name == "cond":
        return "pl.cond is the first statement in `for a, b in pl.while_(init_values=...):`"
    if name == "yield_":
        return "pl.yield_ stands in an assignment at the end of its loop or branch"
    loop = name in ("range", "parallel", "unroll", "pipeline")
    form = f"for i in pl.{name}(...):" if loop else f"with pl.{name}(...):"
    if name == "while_":
        form = "for a, b in pl.while_(init_values=(p, q)):"
    return f"pl.{name} stands in a statement of its own: `{form}`"


def _not_callable(node: ast.Call, function) -> str:
    text = ast.unparse(node.func)
    if callable(function):
        return (
            f"'{text}' is a Python function, and Python does not run in a kernel; decorate it with "
            "@pl.jit.inline to splice it in, or with @pl.jit.incore to dispatch it"
        )
    return f"'{text}' is {describe(function)}, which cannot be called"


def _operation(fb: FunctionBuilder, face: Face, node: ast.Call, name: str | None):
    operation = face.operation
    args, places = bind(fb, face, node)
    bound = build.Call(operation, face.level, face.path, args, node, places, name)
    check_plane(fb, bound)
    return maker(operation)(fb, bound)


def maker(operation: Operation):
    """The function that makes an operation: one of build.py, unless another file is named."""
    module, _, function = operation.build.rpartition(".")
    if not module:
        return getattr(build, function)
    return getattr(importlib.import_module("." + module, __package__), function)


def bind(fb: FunctionBuilder, face: Face, node: ast.Call) -> tuple[list, list]:
    """The arguments in the order of the signature, and where each one stands."""
    from .expressions import evaluate

    signature = face.signature
    if not node.keywords and len(node.args) == signature.positional:
        return [evaluate(fb, argument) for argument in node.args], node.args
    return _bind_keywords(fb, face, node)


def _bind_keywords(fb: FunctionBuilder, face: Face, node: ast.Call) -> tuple[list, list]:
    from .expressions import evaluate

    parameters = face.signature.parameters
    usage = f"{face.path}{face.signature.text}"
    taken: dict[str, ast.expr] = {}
    rest: list[ast.expr] = []
    positional = [p for p in parameters if not p.keyword_only]
    for index, argument in enumerate(node.args):
        parameter = positional[min(index, len(positional) - 1)] if positional else None
        if parameter is not None and parameter.variadic:
            rest.append(argument)
        elif index < len(positional):
            taken[parameter.name] = argument
        else:
            count = len(positional)
            raise fb.error(
                argument,
                f"{face.path} takes {count} argument{'s' * (count != 1)}, found {len(node.args)}; "
                f"it is {usage}",
                ParserTypeError,
            )
    for keyword in node.keywords:
        _take_keyword(fb, face, keyword, taken, usage)
    args, places = [], []
    for parameter in parameters:
        if parameter.variadic:
            args.append([evaluate(fb, argument) for argument in rest])
            places.append(rest[0] if rest else None)
            continue
        argument = taken.get(parameter.name)
        if argument is None and parameter.default is REQUIRED:
            raise fb.error(
                node,
                f"{face.path}: argument '{parameter.name}' is missing; it is {usage}",
                ParserTypeError,
            )
        if argument is None:
            args.append(parameter.default)
        elif parameter.name == "predicate":
            args.append(argument)  # read by tasks.read_predicate: it is no value yet
        else:
            args.append(evaluate(fb, argument))
        places.append(argument)
    return args, places


def _take_keyword(fb: FunctionBuilder, face: Face, keyword, taken, usage: str) -> None:
    names = [p.name for p in face.signature.parameters if not p.variadic]
    if keyword.arg is None:
        raise fb.error(
            keyword.value, "a kernel cannot contain '**' in a call", UnsupportedFeatureError
        )
    if keyword.arg not in names:
        hint = suggestion(keyword.arg, names) or f"; it is {usage}"
        raise fb.error(
            keyword.value,
            f"{face.path} has no argument '{keyword.arg}'{hint}",
            ParserTypeError,
        )
    if keyword.arg in taken:
        raise fb.error(
            keyword.value, f"{face.path}: argument '{keyword.arg}' is given twice", ParserTypeError
        )
    taken[keyword.arg] = keyword.value


def check_plane(fb: FunctionBuilder, bound: build.Call) -> None:
    """Whether the operation may stand on this plane."""
    plane = bound.operation.plane
    if plane == "anywhere" or plane == fb.plane:
        return
    if not any(build.is_data(arg) for arg in bound.args) and bound.operation.name in ("cast",):
        return
    if fb.plane == "control":
        raise fb.error(bound.node, _on_control_plane(bound), UnsupportedFeatureError)
    if bound.operation.ir == "create" or bound.operation.name == "create":
        message = (
            "allocates an array, which in-core code cannot; create it in the @pl.jit function and "
            "pass it, or take it as a pl.Out[pl.Tensor[...]] parameter"
        )
    else:
        message = (
            "belongs on the control plane, the body of a @pl.jit function; an in-core function "
            "cannot submit tasks or order them"
        )
    raise fb.error(bound.node, f"{bound.path} {message}", UnsupportedFeatureError)


def _on_control_plane(bound: build.Call) -> str:
    kind = _kind(bound.operation, bound)
    return (
        f"{bound.path} is {kind}, and the body of a @pl.jit function is the control plane, which "
        "only creates arrays and dispatches kernels; put it in `with "
        "pl.at(level=pl.Level.CORE_GROUP):`, or move it into a @pl.jit.incore function"
    )


def _kind(operation: Operation, bound: build.Call) -> str:
    if operation.name in ("load", "store", "move") or bound.level == "tile":
        return "a tile operation"
    if operation.name in ("printf", "get_block_idx", "get_block_num", "get_subblock_idx") or (
        bound.level == "system"
    ):
        return "an operation of a core"
    if any(isinstance(arg, Value) and arg.type.kind == "tile" for arg in bound.args):
        return "a tile operation"
    return "computation"


# Python's own functions.


def _builtin(fb: FunctionBuilder, function, node: ast.Call, name: str | None):
    from .expressions import evaluate

    if function is range:
        raise fb.error(
            node, "Python's range does not run in a kernel; use pl.range", UnsupportedFeatureError
        )
    if function is print:
        raise fb.error(
            node,
            "Python's print does not run in a kernel; use pl.printf, or "
            "pl.static_print while compiling",
            UnsupportedFeatureError,
        )
    if isinstance(function, type) and function.__module__ == "pypto.language.annotations":
        raise fb.error(node, f"{function!r} is an annotation, not a value", ParserTypeError)
    handler = _BUILTINS.get(function)
    if handler is None or node.keywords:
        raise fb.error(
            node,
            f"'{ast.unparse(node.func)}' does not run in a kernel; of Python's functions min, max, "
            "abs, len, int, float and bool do",
            UnsupportedFeatureError,
        )
    args = [evaluate(fb, argument) for argument in node.args]
    return handler(fb, function.__name__, args, node, name)


def _min_max(fb: FunctionBuilder, which: str, args: list, node, name):
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        args = list(args[0])
    if len(args) < 2:
        raise fb.error(node, f"{which} takes two or more scalars", ParserTypeError)
    result = args[0]
    for index, value in enumerate(args[1:], 2):
        result = scalars.extreme(
            fb, which, result, value, node, name if index == len(args) else None
        )
    return result


def _abs(fb: FunctionBuilder, which: str, args: list, node, name):
    _one(fb, which, args, node)
    if build.is_data(args[0]):
        return build.call_by_name(fb, "abs", args, node, name)
    return scalars.absolute(fb, args[0], node, name)


def _len(fb: FunctionBuilder, which: str, args: list, node, name):
    _one(fb, which, args, node)
    value = args[0]
    if build.is_data(value):
        return value.type.shape[0]
    if isinstance(value, Cells):
        return value.type.shape[0]
    if not hasattr(value, "__len__"):
        raise fb.error(
            node, f"len takes an array, a tile or a list, found {describe(value)}", ParserTypeError
        )
    return len(value)


def _convert(fb: FunctionBuilder, which: str, args: list, node, name):
    from ..language.dtypes import FP32, INDEX

    _one(fb, which, args, node)
    value = args[0]
    if which == "bool":
        return scalars.truth(fb, value, node)
    if isinstance(value, (Value, Array)):
        if not scalars.is_scalar(value):
            raise fb.error(
                node, f"{which} takes a scalar, found {describe(value)}", ParserTypeError
            )
        return scalars.convert(fb, value, FP32 if which == "float" else INDEX, node)
    try:
        return {"int": int, "float": float}[which](value)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise fb.error(
            node, f"cannot compute '{ast.unparse(node)}': {error}", ParserTypeError
        ) from None


def _one(fb: FunctionBuilder, which: str, args: list, node) -> None:
    if len(args) != 1:
        raise fb.error(node, f"{which} takes one argument, found {len(args)}", ParserTypeError)


_BUILTINS = {
    min: _min_max,
    max: _min_max,
    abs: _abs,
    len: _len,
    int: _convert,
    float: _convert,
    bool: _convert,
}

__all__ = ["UndefinedNameError", "bind", "call", "check_plane"]
