# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The source of a kernel: its text, its tree and the names around it."""

from __future__ import annotations

import ast
import builtins
import linecache
import types

from ..diagnostics.errors import CompileError, Diagnostic
from ..diagnostics.render import remember_source

MISSING = object()


class _File:
    """A parsed file, kept as long as its text is the same."""

    known: dict[str, _File] = {}

    def __init__(self, name: str, lines: list[str]):
        self.lines = lines
        self.functions: dict[int, ast.FunctionDef] = {}
        flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self._collect(compile("".join(lines), name, "exec", flags, dont_inherit=True).body)

    def _collect(self, statements) -> None:
        for node in statements:
            if isinstance(node, ast.FunctionDef):
                first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
                self.functions[first] = node
            for field in ("body", "orelse", "finalbody", "handlers"):
                inner = getattr(node, field, None)
                if inner and isinstance(inner, list):
                    self._collect(inner)

    @staticmethod
    def of(name: str, lines: list[str]) -> _File:
        found = _File.known.get(name)
        if found is None or (found.lines is not lines and found.lines != lines):
            found = _File.known[name] = _File(name, lines)
        return found


class Source:
    """The text of one function. It is taken when the function is decorated, so
    that a later edit of the file does not mix two versions; it is parsed when
    it is first needed."""

    def __init__(self, function: types.FunctionType):
        code = function.__code__
        self.function = function
        self.file = code.co_filename
        self.line = code.co_firstlineno
        linecache.checkcache(self.file)  # the module may have been edited and loaded again
        self.lines = linecache.getlines(self.file, function.__globals__)
        self._tree: ast.FunctionDef | None = None
        # Made by exits.structured.
        self.structured: ast.FunctionDef | None = None
        self._cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=False))

    @classmethod
    def of_tree(cls, function, file: str, lines: list[str], tree: ast.FunctionDef) -> Source:
        """The source of a function of a text that Python does not run."""
        made = cls.__new__(cls)
        made.function, made.file, made.lines = function, file, lines
        made.line = tree.decorator_list[0].lineno if tree.decorator_list else tree.lineno
        made._tree, made.structured, made._cells = tree, None, {}
        return made

    def bind_tree(self, tree: ast.FunctionDef) -> None:
        """Reads the function as another tree of it."""
        self._tree, self.structured = tree, None

    @property
    def tree(self) -> ast.FunctionDef:
        if self._tree is None:
            self._tree = self._parse()
        return self._tree

    def _parse(self) -> ast.FunctionDef:
        name = self.function.__name__
        if not self.lines:
            raise CompileError(
                f"the source of '{name}' cannot be read: it was typed at a prompt or made by exec "
                f"('{self.file}', line {self.line}); a kernel is parsed from its source, so write "
                "it in a file or a notebook cell"
            )
        try:
            tree = _File.of(self.file, self.lines).functions.get(self.line)
        except SyntaxError as error:
            message = f"the file of '{name}' changed since it was imported: {error.msg}"
            raise CompileError([Diagnostic(message, self.file, error.lineno or 1, 1)]) from None
        if tree is None or tree.name != self.function.__code__.co_name:
            message = (
                f"'{name}' is not at line {self.line} of its file; the file changed since it was "
                "imported, or the function was made by a lambda"
            )
            raise CompileError([Diagnostic(message, self.file, self.line, 1)])
        remember_source(self.file, self.lines)
        return tree

    def column(self, line: int, offset: int) -> int:
        """The column, in characters from 1, of a byte offset as `ast` counts them."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if text.isascii():
            return offset + 1
        return len(text.encode()[:offset].decode(errors="replace")) + 1

    def lookup(self, name: str):
        """A name of the enclosing functions, the module, or a builtin; MISSING if none."""
        cell = self._cells.get(name)
        if cell is not None:
            try:
                return cell.cell_contents
            except ValueError:
                return MISSING
        found = self.function.__globals__.get(name, MISSING)
        return found if found is not MISSING else getattr(builtins, name, MISSING)

    def names(self) -> set[str]:
        return {*self._cells, *self.function.__globals__}
