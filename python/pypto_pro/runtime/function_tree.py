# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The syntax tree of a function, if its file still says what Python runs."""

from __future__ import annotations

import ast
import inspect
import linecache
import types

Tree = ast.FunctionDef | ast.Lambda

_FILES: dict[str, _File] = {}
# By the identity of a code object, which is kept.
_KNOWN: dict[int, tuple[types.CodeType, Tree | None]] = {}
_NO_PLAIN_CALL = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def tree_of(function: types.FunctionType) -> Tree | None:
    """None without a source, or where another text compiles to other code."""
    code = function.__code__
    if id(code) not in _KNOWN:
        _KNOWN[id(code)] = code, _read(function, code)
    return _KNOWN[id(code)][1]


def _read(function: types.FunctionType, code: types.CodeType) -> Tree | None:
    if code.co_flags & _NO_PLAIN_CALL:
        return None
    lines = linecache.getlines(code.co_filename, function.__globals__)
    known = _FILES.get(code.co_filename)
    if known is None or known.lines != lines:
        known = _FILES[code.co_filename] = _File(code.co_filename, lines)
    return known.tree(code)


def forget() -> None:
    """Reads every file again: for measurements."""
    _FILES.clear()
    _KNOWN.clear()


class _File:
    def __init__(self, name: str, lines: list[str]):
        self.lines = list(lines)
        self.trees: dict[tuple[int, str], list[Tree]] = {}
        self.codes: dict[tuple[int, str], list[types.CodeType]] = {}
        # As in a notebook's cell, which may await at its top level.
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        try:
            whole = compile("".join(lines), name, "exec", flags | ast.PyCF_ONLY_AST, True)
            self._collect_codes(compile(whole, name, "exec", flags, True))
        except (SyntaxError, ValueError, RecursionError):
            return
        for node in ast.walk(whole):
            if isinstance(node, ast.FunctionDef):
                first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
                self.trees.setdefault((first, node.name), []).append(node)
            elif isinstance(node, ast.Lambda):
                self.trees.setdefault((node.lineno, "<lambda>"), []).append(node)

    def _collect_codes(self, code: types.CodeType) -> None:
        self.codes.setdefault((code.co_firstlineno, code.co_name), []).append(code)
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                self._collect_codes(inner)

    def tree(self, code: types.CodeType) -> Tree | None:
        place = code.co_firstlineno, code.co_name
        trees, codes = self.trees.get(place, []), self.codes.get(place, [])
        return trees[0] if len(trees) == 1 and codes == [code] else None
