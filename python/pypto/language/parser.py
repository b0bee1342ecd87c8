# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Programs from text: `pl.parse` and `pl.loads`.

A text is never run. Its functions are read as the front end reads every function; of what
stands around them, imports of the language, constants and decorators are evaluated here, each
by its kind, and anything else is an error.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import math
import operator
import os
import types
import warnings

from ..diagnostics.errors import (
    CompileError,
    Diagnostic,
    PyptoError,
    UndefinedNameError,
    UnsupportedFeatureError,
    raise_all,
)
from ..diagnostics.render import remember_source
from ..diagnostics.suggest import suggestion
from ..frontend.source import Source
from ..ir import HEADER
from ..jit import decorators
from ..jit.function import JITFunction, JITProgram
from .annotations import dynamic

_COUNT = itertools.count(1)
_DECORATORS = ("jit", "jit.incore", "jit.inline", "jit.opaque", "function", "inline", "program")
BINARY_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
_PLAIN = {
    function.__name__: function for function in (min, max, abs, len, sum, int, float, bool, round)
}
# Of math those that are quick for every number.
_MATH = tuple(
    getattr(math, name)
    for name in "ceil floor trunc sqrt exp log log2 log10 fabs gcd isqrt sin cos tan tanh".split()
)
# A constant has fewer bits than this.
_MAX_BITS = 4096


def parse(code: str, filename: str = "<string>"):
    """The program of a text: of one class under `@pl.program`, or else of its functions, of
    which one is the entry (or the only one). Errors name `filename`.

    What `Program.as_python()` printed, at any stage, is read back as an `ir.Program`."""
    _check_text(code)
    if code.lstrip().startswith(HEADER):
        from ..ir import reader

        return reader.read(code, filename)
    return read_text(Text, code, filename)


def _check_text(code) -> None:
    if not isinstance(code, str):
        raise TypeError(f"pl.parse takes the text of a program, found {type(code).__name__}")


def read_text(kind: type, code: str, filename: str):
    """The program of a text of a language, whose `Text` is `kind`."""
    _check_text(code)
    if filename == "<string>":
        # Each text has a name of its own, so that errors show its lines.
        filename = f"<string {next(_COUNT)}>"
    return kind(code, str(filename)).program()


def loads(filepath):
    """The program of a file, as `parse` reads its text."""
    return read_file(parse, filepath)


def read_file(parse, filepath):
    """What `parse` makes of a file's text."""
    path = os.fspath(filepath)
    with open(path, encoding="utf-8") as file:
        return parse(file.read(), path)


def deprecated(function, name: str):
    """The function under a name that it no longer has."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        inspect.signature(function).bind(*args, **kwargs)  # a wrong call is not a use
        words = f"pl.{name} is deprecated; use pl.{function.__name__}"
        warnings.warn(words, DeprecationWarning, stacklevel=2)
        return function(*args, **kwargs)

    wrapper.__name__ = wrapper.__qualname__ = name
    wrapper.__doc__ = f"Deprecated: `{function.__name__}`."
    return wrapper


parse_program = deprecated(parse, "parse_program")
loads_program = deprecated(loads, "loads_program")


class Text:
    """A text while it is read. `names`: what its functions find around them.

    `language`: the module of the language, `packages` what its objects are of; PyPTO Pro has
    others."""

    language = "pypto.language"
    packages = ("pypto.",)

    def __init__(self, text: str, file: str):
        self.text, self.file = text, file
        self.lines = text.splitlines(keepends=True)
        remember_source(file, self.lines)
        self.names: dict = {"__name__": "pypto_text", "__file__": file}
        self.programs: list[JITProgram] = []
        self.functions: list[JITFunction] = []
        self.diagnostics: list[Diagnostic] = []

    # Errors.

    def error(self, node: ast.AST, message: str, kind: type = UnsupportedFeatureError):
        """An exception at a place of the text."""
        line = getattr(node, "lineno", 1)
        begin, end = (
            self._column(line, getattr(node, name, 0)) for name in ("col_offset", "end_col_offset")
        )
        if getattr(node, "end_lineno", line) != line:
            end = 0
        found = Diagnostic(message, self.file, line, begin, end)
        found.kind = kind
        return kind([found])

    def _column(self, line: int, offset: int | None) -> int:
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return len(text.encode()[: offset or 0].decode(errors="replace")) + 1

    # The whole.

    def program(self):
        try:
            tree = ast.parse(self.text, self.file)
        except SyntaxError as error:
            line, column = error.lineno or 1, error.offset or 1
            found = Diagnostic(f"the text is no Python: {error.msg}", self.file, line, column)
            raise CompileError([found]) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise CompileError(f"the text of '{self.file}' is no Python: {error}") from None
        for statement in tree.body:
            try:
                self.statement(statement)
            except PyptoError as error:
                self.diagnostics += error.diagnostics
        if self.diagnostics:
            raise_all(self.diagnostics)
        return self._chosen(tree)

    def _chosen(self, tree: ast.Module):
        if len(self.programs) == 1:
            return self.programs[0]
        entries = [function for function in self.functions if function.is_entry]
        found = self.programs or (entries if len(self.functions) > 1 else self.functions)
        if len(found) == 1:
            return found[0]
        names = ", ".join(one.__name__ for one in found) or "none"
        raise self.error(
            tree.body[-1] if tree.body else tree,
            "a text has one class under @pl.program, or one function that is an entry (@pl.jit), "
            f"found {names}",
            CompileError,
        )

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        elif isinstance(node, ast.FunctionDef):
            function = self._function(node)
            self.functions.append(function)
            self.names[node.name] = function
        elif isinstance(node, ast.ClassDef):
            self._class(node)
        elif isinstance(node, ast.AsyncFunctionDef):
            message = f"'{node.name}' is an async function, which no kernel is; write def"
            raise self.error(_head(node, "async"), message)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            value = self.evaluate(node.value)
            for target in targets:
                self._bind(target, value)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise self.error(
                node,
                "the text of a program is not run: it holds imports of pypto.language, constants, "
                f"and functions of the language, found '{_shown(node)}'",
            )

    def _bind(self, target: ast.expr, value) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
            return
        pairs_up = isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (tuple, list))
        if not pairs_up or len(target.elts) != len(value):
            raise self.error(target, f"a constant has a name, found '{ast.unparse(target)}'")
        for item, part in zip(target.elts, value, strict=True):
            self._bind(item, part)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        from .. import language

        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            return
        for alias in node.names:
            if isinstance(node, ast.Import):
                known = {"pypto.language": language, "math": math}
                found = known.get(alias.name)
                if alias.name == "pypto.language.distributed":
                    from . import distributed as found
                if found is not None and alias.asname is None and "." in alias.name:
                    # `import pypto.language` binds the package.
                    import pypto as found
            else:
                found = self._imported(node, alias.name)
            if found is None:
                raise self.error(
                    node,
                    f"the text of a program imports pypto.language and math, found "
                    f"'{ast.unparse(node)}'; what it takes from elsewhere is an argument, or a "
                    "constant of its own",
                )
            self.names[alias.asname or alias.name.partition(".")[0]] = found

    def _imported(self, node: ast.ImportFrom, name: str):
        from .. import language

        if node.level == 0 and node.module == "pypto" and name == "language":
            return language
        if node.level == 0 and node.module == "pypto.language" and name == "distributed":
            from . import distributed

            return distributed
        if node.level == 0 and node.module == "pypto.language" and name != "*":
            return self._member(node, language, name)
        return None

    # Functions.

    def _function(self, node: ast.FunctionDef, within: str = "") -> JITFunction:
        if not node.decorator_list:
            raise self.error(
                _head(node, f"def {node.name}"),
                f"'{node.name}' has no decorator, and Python does not run in the text of a "
                "program; write @pl.jit, @pl.jit.incore, @pl.function(...) or @pl.inline above it",
            )
        if len(node.decorator_list) > 1:
            raise self.error(
                node.decorator_list[1], f"'{node.name}' is decorated twice", CompileError
            )
        decorate = self._decorator(node.decorator_list[0])
        return self._placed(node.decorator_list[0], decorate, self._python(node, within))

    def _python(self, node: ast.FunctionDef, within: str) -> types.FunctionType:
        """A function that Python could not run, with the text as its source."""
        arguments = node.args
        bare = ast.FunctionDef(
            name=node.name,
            args=ast.arguments(
                posonlyargs=[_bare(one) for one in arguments.posonlyargs],
                args=[_bare(one) for one in arguments.args],
                vararg=arguments.vararg and _bare(arguments.vararg),
                kwonlyargs=[_bare(one) for one in arguments.kwonlyargs],
                kw_defaults=[None] * len(arguments.kwonlyargs),
                kwarg=arguments.kwarg and _bare(arguments.kwarg),
                defaults=[],
            ),
            body=[ast.Pass()],
            decorator_list=[],
        )
        ast.copy_location(bare, node)
        module = ast.fix_missing_locations(ast.Module([bare], []))
        code = compile(module, self.file, "exec", dont_inherit=True)
        code = next(one for one in code.co_consts if isinstance(one, types.CodeType))
        function = types.FunctionType(code, self.names, node.name)
        function.__qualname__ = f"{within}.{node.name}" if within else node.name
        function.__doc__ = ast.get_docstring(node)
        function.pypto_source = Source.of_tree(function, self.file, self.lines, node)
        return function

    def _class(self, node: ast.ClassDef) -> None:
        decorator = node.decorator_list[0] if len(node.decorator_list) == 1 else None
        decorate = self._decorator(decorator) if decorator is not None else None
        if decorate is None or node.bases or node.keywords:
            raise self.error(
                _head(node, f"class {node.name}"),
                f"class '{node.name}' of the text of a program stands under @pl.program and has no "
                "bases",
            )
        members = {"__doc__": ast.get_docstring(node)}
        for statement in node.body:
            try:
                if isinstance(statement, ast.FunctionDef):
                    members[statement.name] = self._function(statement, node.name)
                elif not isinstance(statement, ast.Pass) and not (
                    isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
                ):
                    raise self.error(
                        statement, f"a program holds functions, found '{_shown(statement)}'"
                    )
            except PyptoError as error:
                self.diagnostics += error.diagnostics
        if self.diagnostics:
            return
        program = self._placed(decorator, decorate, type(node.name, (), members))
        self.programs.append(program)
        self.names[node.name] = program

    def decorators(self) -> dict:
        """The decorators of the language by name."""
        return {name: operator.attrgetter(name)(decorators) for name in _DECORATORS}

    def _decorator(self, node: ast.expr):
        """A decorator of the language, with its options."""
        call = node if isinstance(node, ast.Call) else None
        known = self.decorators()
        found = self.evaluate(call.func if call is not None else node)
        if not any(found == one for one in known.values()):
            names = ", ".join(f"@pl.{name}" for name in known)
            raise self.error(
                node, f"'@{ast.unparse(node)}' is no decorator of the language; it has {names}"
            )
        if call is None:
            return found
        if call.args or any(keyword.arg is None for keyword in call.keywords):
            raise self.error(call, f"'@{ast.unparse(call)}': its options have names")
        options = {keyword.arg: self.evaluate(keyword.value) for keyword in call.keywords}
        return self._placed(node, found, **options)

    def _placed(self, node: ast.AST, work, *args, **options):
        """What `work` makes; its errors are at this place of the text."""
        try:
            return work(*args, **options)
        except PyptoError as error:
            found = error.diagnostics[0]
            if found.file == self.file:
                raise
            raise self.error(node, found.message, type(error)) from None
        except TypeError as error:
            raise self.error(node, str(error), CompileError) from None

    # Constants.

    def evaluate(self, node: ast.expr):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Attribute):
            return self._member(node, self.evaluate(node.value), node.attr)
        if isinstance(node, (ast.List, ast.Tuple)):
            items = [self.evaluate(item) for item in node.elts]
            return items if isinstance(node, ast.List) else tuple(items)
        if isinstance(node, ast.Dict) and None not in node.keys:
            keys = [self.evaluate(key) for key in node.keys]
            values = [self.evaluate(value) for value in node.values]
            return self._placed(node, lambda: dict(zip(keys, values, strict=True)))
        if isinstance(node, ast.BinOp) and type(node.op) in BINARY_OPERATORS:
            sides = self.evaluate(node.left), self.evaluate(node.right)
            return self._number(node, BINARY_OPERATORS[type(node.op)], *sides)
        if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
            return self._number(node, _UNARY[type(node.op)], self.evaluate(node.operand))
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        raise self._no_constant(node)

    def _no_constant(self, node: ast.AST):
        return self.error(
            node,
            f"'{_shown(node)}' is no constant; constants are numbers, strings, lists, arithmetic, "
            "functions of math, names of pl and annotations",
        )

    def _name(self, node: ast.Name):
        if node.id in self.names:
            return self.names[node.id]
        if node.id in _PLAIN:
            return _PLAIN[node.id]
        hint = suggestion(node.id, self.names)
        raise self.error(node, f"name '{node.id}' is not defined{hint}", UndefinedNameError)

    def _member(self, node: ast.AST, base, name: str):
        """An attribute of the language, of math, or of a namespace or enum of the language."""
        import pypto

        known = isinstance(base, types.ModuleType) and (
            base is math
            or (base is pypto and name == "language")
            or base.__name__.startswith(self.language)
        )
        of_language = getattr(type(base), "__module__", "").startswith(self.packages)
        if name.startswith("_") or not (known or (of_language and not isinstance(base, Source))):
            raise self._no_constant(node)
        try:
            return getattr(base, name)
        except AttributeError as error:
            kind = (
                UnsupportedFeatureError if "not supported yet" in str(error) else UndefinedNameError
            )
            raise self.error(node, str(error), kind) from None
        except PyptoError as error:
            raise self.error(node, error.diagnostics[0].message, type(error)) from None

    def _subscript(self, node: ast.Subscript):
        base, items = self.evaluate(node.value), self.evaluate(node.slice)
        if isinstance(base, (list, tuple)) and type(items) is int:
            if -len(base) <= items < len(base):
                return base[items]
            raise self.error(node, f"index {items} is beyond the {len(base)} elements")
        if isinstance(base, type) and base.__module__ == "pypto.language.annotations":
            return self._placed(node, lambda: base[items])
        raise self._no_constant(node)

    def _call(self, node: ast.Call):
        function = self.evaluate(node.func)
        args = [self.evaluate(argument) for argument in node.args]
        if function is dynamic and len(args) == 1 and not node.keywords:
            return self._placed(node, dynamic, *args)
        known = (*_PLAIN.values(), *_MATH)
        if any(function is one for one in known) and not node.keywords:
            return self._number(node, function, *args)
        raise self._no_constant(node)

    def _number(self, node: ast.AST, work, *values):
        """Arithmetic on numbers, none of which grows without end."""
        if work is len:
            plain = isinstance(values[0], (list, tuple, str)) if values else False
        else:
            flat = [
                item
                for value in values
                for item in (value if isinstance(value, (list, tuple)) else [value])
            ]
            plain = all(isinstance(item, (int, float)) for item in flat)
            lists = any(isinstance(value, (list, tuple)) for value in values)
            plain = plain and (not lists or work in (min, max, sum, operator.add))
        if not plain:
            raise self._no_constant(node)
        if work in (operator.pow, operator.lshift) and isinstance(values[1], int):
            bits = values[1] if work is operator.lshift else _bits(values[0]) * abs(values[1])
            if bits > _MAX_BITS:
                raise self.error(node, f"a constant of {bits} bits, and {_MAX_BITS} are the most")
        try:
            return work(*values)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise self.error(
                node, f"cannot compute '{ast.unparse(node)}': {error}", CompileError
            ) from None


def _bits(value) -> int:
    return max(1, value.bit_length()) if isinstance(value, int) else 1


def _bare(argument: ast.arg) -> ast.arg:
    """A parameter without its annotation, which Python would evaluate."""
    return ast.copy_location(ast.arg(arg=argument.arg), argument)


def _head(node: ast.stmt, text: str) -> ast.AST:
    """The first line of a definition, for an error."""
    return ast.Pass(
        lineno=node.lineno,
        col_offset=node.col_offset,
        end_lineno=node.lineno,
        end_col_offset=node.col_offset + len(text),
    )


def _shown(node: ast.AST) -> str:
    """The first line of a node's text, or as much of it as one wants to read."""
    text = ast.unparse(node).partition("\n")[0]
    return text if len(text) <= 60 else text[:57] + "..."


__all__ = ["loads", "loads_program", "parse", "parse_program"]
