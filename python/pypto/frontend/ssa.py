# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`strict_ssa=True`: a name is bound once.

A name that a loop or one arm of a branch binds is one of that block: it may be bound again
behind it, and in the other arm. `name[...] = value` binds nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..diagnostics.errors import SSAViolationError
from .builder import Failure, FunctionBuilder


def violations(fb: FunctionBuilder) -> list[Failure]:
    """An error for each name that is bound again, with a note at its first binding."""
    tree = fb.source.tree
    arguments = tree.args
    nodes = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    known = {node.arg: node for node in nodes}
    found: list[Failure] = []
    _block(fb, tree.body, known, found)
    return found


def _block(fb, statements, known: dict[str, ast.AST], found: list[Failure]) -> None:
    """Reads statements of one block; `known` grows by what they bind."""
    for node in statements:
        for target in _targets(node):
            _bind(fb, target, known, found)
        if isinstance(node, ast.If):
            arms = dict(known), dict(known)
            _block(fb, node.body, arms[0], found)
            _block(fb, node.orelse, arms[1], found)
            # What both arms bind has a value behind them.
            for name, place in arms[0].items():
                if name in arms[1]:
                    known.setdefault(name, place)
        elif isinstance(node, (ast.For, ast.While)):
            inner = dict(known)
            for target in _names(getattr(node, "target", None)):
                _bind(fb, target, inner, found)
            _block(fb, node.body, inner, found)
        elif isinstance(node, ast.With):
            _block(fb, node.body, known, found)


def _targets(node: ast.stmt) -> Iterator[ast.Name]:
    """The names that the statement itself binds, in the order of the text."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _names(target)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        yield from _names(node.target)
    elif isinstance(node, ast.With):
        for item in node.items:
            yield from _names(item.optional_vars)


def _names(target: ast.expr | None) -> Iterator[ast.Name]:
    if isinstance(target, ast.Name) and target.id != "_":
        yield target
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from _names(item)


def _bind(fb: FunctionBuilder, target: ast.Name, known: dict, found: list[Failure]) -> None:
    first = known.get(target.id)
    if first is None:
        known[target.id] = target
        return
    what = "is a parameter" if isinstance(first, ast.arg) else "is bound"
    note = fb.note(first, f"'{target.id}' {what} here")
    found.append(
        fb.error(
            target,
            f"'{target.id}' is bound again, and this function says strict_ssa=True, where a name "
            "is bound once; give the new value a name of its own, or carry it with init_values= "
            "and pl.yield_",
            SSAViolationError,
            [note],
        )
    )
