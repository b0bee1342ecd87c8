# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Statements: one function a kind of node, in the table at the end.

A statement that fails is reported and left behind: the names that it would have bound then
have no value, silently, so that one mistake makes one error.
"""

from __future__ import annotations

import ast

from ...diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ...language.operation import Face
from .. import scalars
from ..builder import Failure
from ..expressions import BINARY
from ..source import MISSING
from ..values import Unbound
from . import control, loops
from .builder import ProBuilder
from .control import RETURN, exited
from .expressions import binary, evaluate, subscript_call
from .liveness import stored
from .operations import structs
from .values import describe

UNSUPPORTED = {
    ast.Try: "try",
    ast.Raise: "raise",
    ast.Assert: "assert; pl.pto_assert checks while the kernel runs",
    ast.FunctionDef: "a function in a function; write the helper outside of the kernel",
    ast.AsyncFunctionDef: "an async function",
    ast.ClassDef: "a class",
    ast.Import: "import; import at the top of the file",
    ast.ImportFrom: "import; import at the top of the file",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Delete: "del",
    ast.AsyncFor: "async for",
    ast.AsyncWith: "async with",
    ast.Match: "match",
}


def run(fb: ProBuilder, statements: list[ast.stmt]) -> None:
    for index, node in enumerate(statements):
        state = exited(fb, node)
        if state is True:
            return
        if state is not False:
            control.guarded(fb, state, statements[index:])
            return
        try:
            if isinstance(node, ast.If):
                if control.branch(fb, node, statements[index + 1 :]):
                    return
                continue
            handler = STATEMENTS.get(type(node))
            if handler is None:
                what = UNSUPPORTED.get(type(node), type(node).__name__)
                raise fb.error(node, f"a kernel cannot contain {what}", UnsupportedFeatureError)
            handler(fb, node)
        except Failure as failure:
            _give_up(fb, node, failure)
        except RecursionError:
            _give_up(
                fb, node, fb.error(node, "the expression is nested too deeply; bind its parts")
            )


def _give_up(fb: ProBuilder, node: ast.stmt, failure: Failure) -> None:
    fb.name = None
    fb.report(failure)
    for name in stored([node]):
        fb.env[name] = Unbound(None)
    if fb.inlined and any(isinstance(part, ast.Return) for part in ast.walk(node)):
        fb.env[RETURN] = Unbound(None)
        fb.write_cell(fb.returned_cell, True)


# Assignments.


def _assign(fb: ProBuilder, node: ast.Assign) -> None:
    target = node.targets[0]
    if len(node.targets) == 1:
        fb.name = target.id if isinstance(target, ast.Name) else None
    value = evaluate(fb, node.value)
    fb.name = None
    if value is None and isinstance(node.value, ast.Call):
        raise fb.error(
            node.value, f"'{ast.unparse(node.value.func)}' gives no value", ParserTypeError
        )
    for target in node.targets:
        bind(fb, target, value, node)


def bind(fb: ProBuilder, target: ast.expr, value, node: ast.stmt) -> None:
    if isinstance(target, ast.Name):
        fb.bind_name(target, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _bind_tuple(fb, target, value, node)
    elif isinstance(target, ast.Attribute):
        structs.set_field(fb, evaluate(fb, target.value), target, value)
    elif isinstance(target, ast.Subscript):
        _set_element(fb, target, value)
    else:
        raise fb.error(
            target, f"a kernel cannot assign to '{ast.unparse(target)}'", UnsupportedFeatureError
        )


def _bind_tuple(fb: ProBuilder, target, value, node: ast.stmt) -> None:
    if not isinstance(value, (tuple, list)):
        raise fb.error(
            node, f"{len(target.elts)} names need a tuple, found {describe(value)}", ParserTypeError
        )
    if len(value) != len(target.elts):
        raise fb.error(
            node, f"{len(target.elts)} names, and {len(value)} values for them", ParserTypeError
        )
    for item, part in zip(target.elts, value, strict=True):
        bind(fb, item, part, node)


def _set_element(fb: ProBuilder, target: ast.Subscript, value) -> None:
    base = evaluate(fb, target.value)
    if isinstance(base, structs.FieldList):
        structs.set_element(fb, base, evaluate(fb, target.slice), value, target)
    else:
        subscript_call(fb, "elements.setitem", base, target, value=value)


def _annotated(fb: ProBuilder, node: ast.AnnAssign) -> None:
    if node.value is None:
        raise fb.error(
            node,
            f"'{ast.unparse(node.target)}' is annotated and gets no value",
            UnsupportedFeatureError,
        )
    fb.name = node.target.id if isinstance(node.target, ast.Name) else None
    value = evaluate(fb, node.value)
    fb.name = None
    bind(fb, node.target, value, node)


def _augmented(fb: ProBuilder, node: ast.AugAssign) -> None:
    target = node.target
    load = ast.copy_location(_loading(target), target)
    current = evaluate(fb, load)
    operand = evaluate(fb, node.value)
    symbol = BINARY[type(node.op)]
    name = target.id if isinstance(target, ast.Name) else None
    bind(fb, target, binary(fb, symbol, current, operand, node, name), node)


def _loading(target: ast.expr) -> ast.expr:
    """The target of `x += ...` as what is read."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    return ast.Subscript(target.value, target.slice, ast.Load())


# What stands by itself.


def _expression(fb: ProBuilder, node: ast.Expr) -> None:
    value = node.value
    if isinstance(value, ast.Constant) and isinstance(value.value, (str, type(...))):
        return
    if not isinstance(value, ast.Call):
        raise fb.error(
            value, f"'{ast.unparse(value)}' by itself does nothing", UnsupportedFeatureError
        )
    evaluate(fb, value)


def _pass(fb: ProBuilder, node: ast.Pass) -> None:
    return None


def _break(fb: ProBuilder, node: ast.Break) -> None:
    fb.write_cell(fb.loops[-1].broken, True)


def _continue(fb: ProBuilder, node: ast.Continue) -> None:
    fb.write_cell(fb.loops[-1].continued, True)


def _return(fb: ProBuilder, node: ast.Return) -> None:
    if node.value is not None and not fb.inlined:
        none = isinstance(node.value, ast.Constant) and node.value.value is None
        if not none:
            raise fb.error(
                node,
                "a kernel returns nothing; store the result to a parameter",
                UnsupportedFeatureError,
            )
    if fb.inlined:
        value = None if node.value is None else evaluate(fb, node.value)
        fb.env[RETURN] = fb.scalar_of(value, node)
    fb.write_cell(fb.returned_cell, True)


# Sections.


def _with(fb: ProBuilder, node: ast.With) -> None:
    core = section_of(fb, node)
    side = fb.side
    if side.section is not None:
        raise fb.error(
            node,
            f"a section stands in a section; this code is the {side.section.upper()}'s already",
            UnsupportedFeatureError,
        )
    side.sections.add(core)
    if core != side.core:
        return
    side.section = core
    try:
        run(fb, node.body)
    finally:
        side.section = None


def section_of(fb: ProBuilder, node: ast.With) -> str:
    """Which core a `with` is for."""
    if len(node.items) != 1:
        raise fb.error(node, "a with has exactly one section", UnsupportedFeatureError)
    item = node.items[0]
    call = item.context_expr
    function = evaluate(fb, call.func) if isinstance(call, ast.Call) else None
    names = {"section_cube": "aic", "section_vector": "aiv"}
    name = function.operation.name if isinstance(function, Face) else None
    if name not in names:
        raise fb.error(
            call,
            f"'{ast.unparse(call)}' is not supported here; a kernel has `with pl.section_cube():` "
            "and `with pl.section_vector():`",
            UnsupportedFeatureError,
        )
    if call.args or call.keywords or item.optional_vars is not None:
        raise fb.error(call, f"pl.{name}() takes no arguments and gives no value", ParserTypeError)
    return names[name]


STATEMENTS = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Expr: _expression,
    ast.For: loops.for_,
    ast.While: loops.while_,
    ast.With: _with,
    ast.Pass: _pass,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Return: _return,
}

__all__ = ["MISSING", "bind", "run", "scalars", "section_of"]
