# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Programs of PyPTO Pro from text: `pl.parse` and `pl.loads`. A text is never run; what it may
hold is that of `pypto.language.parser`, with plain functions as helpers."""

from __future__ import annotations

import ast
import math

from pypto.diagnostics.errors import CompileError
from pypto.language import parser

from ..language.operation import TileTypeDeclaration
from ..language.types import Tensor
from . import decorators, functions
from .kernel import ProKernel


def parse(code: str, filename: str = "<string>"):
    """The program of a text: of its one class under `@pl.program`, or else its one kernel.
    Errors name `filename`."""
    return parser.read_text(ProText, code, filename)


def loads(filepath):
    """The program of a file, as `parse` reads its text."""
    return parser.read_file(parse, filepath)


parse_program = parser.deprecated(parse, "parse_program")
loads_program = parser.deprecated(loads, "loads_program")


class ProText(parser.Text):
    language = "pypto_pro.language"
    packages = ("pypto.", "pypto_pro.")

    def decorators(self) -> dict:
        return {
            "jit": decorators.jit,
            "kernel": decorators.kernel,
            "function": functions.function,
            "program": functions.program,
        }

    def _chosen(self, tree: ast.Module):
        kernels = [found for found in self.functions if isinstance(found, ProKernel)]
        found = self.programs or kernels
        if len(found) == 1:
            return found[0]
        names = ", ".join(one.name for one in found) or "none"
        raise self.error(
            tree.body[-1] if tree.body else tree,
            f"a text has one class under @pl.program, or one kernel, found {names}",
            CompileError,
        )

    def _function(self, node: ast.FunctionDef, within: str = ""):
        """One without a decorator is a helper, which kernels splice in."""
        if not node.decorator_list and not within:
            return self._python(node, within)
        return super()._function(node, within)

    def _python(self, node: ast.FunctionDef, within: str):
        made = super()._python(node, within)
        arguments = (*node.args.posonlyargs, *node.args.args)
        made.__annotations__ = {
            one.arg: self.evaluate(one.annotation) for one in arguments if one.annotation
        }
        made.__defaults__ = tuple(self.evaluate(one) for one in node.args.defaults) or None
        return made

    def _subscript(self, node: ast.Subscript):
        base = self.evaluate(node.value)
        if isinstance(base, type) and base.__module__ == Tensor.__module__:
            items = self.evaluate(node.slice)
            return self._placed(node, lambda: base[items])
        return super()._subscript(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            return
        for alias in node.names:
            found = self._imported(node, alias)
            if found is None:
                raise self.error(
                    node,
                    f"the text of a program imports {self.language} and math, found "
                    f"'{ast.unparse(node)}'; what it takes from elsewhere is an argument, or a "
                    "constant of its own",
                )
            self.names[alias.asname or alias.name] = found

    def _imported(self, node: ast.Import | ast.ImportFrom, alias: ast.alias):
        from .. import language

        if isinstance(node, ast.Import):
            # Without a name of its own it would bind the package.
            known = {self.language: language} if alias.asname else {}
            return {**known, "math": math}.get(alias.name)
        if node.level == 0 and node.module == "pypto_pro" and alias.name == "language":
            return language
        if node.level == 0 and node.module == self.language and alias.name != "*":
            return self._member(node, language, alias.name)
        return None

    def _call(self, node: ast.Call):
        function = self.evaluate(node.func)
        if not isinstance(function, TileTypeDeclaration) or any(
            keyword.arg is None for keyword in node.keywords
        ):
            return super()._call(node)
        args = [self.evaluate(argument) for argument in node.args]
        named = {keyword.arg: self.evaluate(keyword.value) for keyword in node.keywords}
        return self._placed(node, function, *args, **named)
