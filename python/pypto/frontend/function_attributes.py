# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pl.func_attr({...})`, the first statement of a function, and `attrs=` of its decorator.

They are kept with the function in the IR (`pto.attributes`) and printed with it. What asks
the compiler for something that it does not do is refused by its name.
"""

from __future__ import annotations

import ast

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.enums import SplitMode
from ..mlir import ir
from . import session
from .builder import FunctionBuilder
from .values import describe


def is_call(fb: FunctionBuilder, statement: ast.stmt) -> bool:
    """Whether the statement is `pl.func_attr(...)`."""
    import types

    from ..jit.decorators import func_attr

    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    if isinstance(function, ast.Name):
        return fb.source.lookup(function.id) is func_attr
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return False
    module = fb.source.lookup(function.value.id)
    return isinstance(module, types.ModuleType) and (
        module.__dict__.get(function.attr) is func_attr
    )


def first_statement(tree: ast.FunctionDef) -> ast.stmt | None:
    """The first statement behind the docstring."""
    for statement in tree.body:
        value = statement.value if isinstance(statement, ast.Expr) else None
        if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
            return statement
    return None


def read(fb: FunctionBuilder, function) -> ir.DictAttr | None:
    """The attributes of the function, or None if it has none."""
    found = {}
    for name, value in function.options.attributes.items():
        found[name] = _attribute(fb, name, value, fb.source.tree)
    first = first_statement(fb.source.tree)
    if first is not None and is_call(fb, first):
        for name, value, node in _items(fb, first.value):
            if name in found:
                raise fb.error(node, f"pl.func_attr: attribute '{name}' is given twice")
            found[name] = _attribute(fb, name, value, node)
    return ir.DictAttr.get(found, session.CONTEXT) if found else None


def check_place(fb: FunctionBuilder, statement: ast.stmt) -> None:
    """It has been read with the signature if it stands first; anywhere else it is too late, and
    a function that is spliced in is no function of the IR."""
    if fb.inlined:
        raise fb.error(
            statement,
            f"'{fb.source.tree.name}' is spliced into its callers, so that nothing is left to have "
            "attributes; write pl.func_attr in the function that calls it",
            UnsupportedFeatureError,
        )
    if statement is not first_statement(fb.tree):
        raise fb.error(
            statement, "pl.func_attr({...}) is the first statement of a function", ParserTypeError
        )


def _items(fb: FunctionBuilder, call: ast.Call) -> list[tuple]:
    from .expressions import evaluate

    argument = call.args[0] if len(call.args) == 1 and not call.keywords else None
    if not isinstance(argument, ast.Dict):
        raise fb.error(
            call, "pl.func_attr takes one dict, pl.func_attr({'name': value})", ParserTypeError
        )
    found = []
    for key, value in zip(argument.keys, argument.values, strict=True):
        name = evaluate(fb, key) if key is not None else None
        if not isinstance(name, str):
            raise fb.error(
                key or value, "pl.func_attr: the name of an attribute is a string", ParserTypeError
            )
        found.append((name, evaluate(fb, value), value))
    return found


def _attribute(fb: FunctionBuilder, name: str, value, node: ast.AST) -> ir.Attribute:
    if name == "split" and value is not SplitMode.NONE:
        raise fb.error(
            node,
            f"pl.func_attr: 'split' is pl.SplitMode.NONE, found {describe(value)}; kernels that "
            "are split between cube and vector cores are not supported yet",
            UnsupportedFeatureError,
        )
    with session.CONTEXT:
        if isinstance(value, bool):
            return ir.BoolAttr.get(value)
        if isinstance(value, int) and type(value).__module__.startswith("pypto."):
            # A member of an enum; a string of the author's may be any.
            return ir.FlatSymbolRefAttr.get(f"pl.{type(value).__name__}.{value.name}")
        if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
            return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
        if isinstance(value, float):
            return ir.FloatAttr.get(ir.F64Type.get(), value, loc=session.UNKNOWN)
        if isinstance(value, str):
            return ir.StringAttr.get(value)
    raise fb.error(
        node,
        f"pl.func_attr: '{name}' is a number, a string, True, False or a member of an enum, found "
        f"{describe(value)}",
        ParserTypeError,
    )
