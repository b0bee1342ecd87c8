# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a registry entry is made of. Nothing here needs MLIR."""

from __future__ import annotations

import ast
import dataclasses
import functools
from typing import Any

REQUIRED = object()


@dataclasses.dataclass(frozen=True)
class Parameter:
    name: str
    annotation: str
    default: Any = REQUIRED
    keyword_only: bool = False
    variadic: bool = False
    # `**fields`: any keyword.
    open: bool = False


class Signature:
    """`(lhs: Tile, rhs: Tile | int) -> Tile`, read when it is first needed."""

    def __init__(self, text: str):
        self.text = text

    @functools.cached_property
    def _function(self) -> ast.FunctionDef:
        return ast.parse(f"def f{self.text}: ...").body[0]

    @functools.cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        args = self._function.args
        found = []
        defaults = [None] * (len(args.args) - len(args.defaults)) + list(args.defaults)
        for arg, default in zip(args.args, defaults, strict=False):
            found.append(self._parameter(arg, default, keyword_only=False))
        if args.vararg:
            found.append(dataclasses.replace(self._parameter(args.vararg, None), variadic=True))
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=False):
            found.append(self._parameter(arg, default, keyword_only=True))
        if args.kwarg:
            rest = self._parameter(args.kwarg, None, keyword_only=True)
            found.append(dataclasses.replace(rest, open=True))
        return tuple(found)

    def _parameter(self, arg: ast.arg, default, keyword_only: bool = False) -> Parameter:
        annotation = ast.unparse(arg.annotation) if arg.annotation else "Any"
        if default is None:
            return Parameter(arg.arg, annotation, REQUIRED, keyword_only)
        return Parameter(arg.arg, annotation, self._default(default), keyword_only)

    def _default(self, node: ast.expr):
        return _default(node)

    @functools.cached_property
    def positional(self) -> int | None:
        """How many arguments make a complete call by position alone; None if a
        rest or a keyword is needed. The usual call is bound by this count."""
        if any(parameter.variadic or parameter.keyword_only for parameter in self.parameters):
            return None
        return len(self.parameters)

    @property
    def returns(self) -> str:
        node = self._function.returns
        return ast.unparse(node) if node else "None"


def _default(node: ast.expr):
    """A default: a literal, or an enum member or dtype by its name."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        from . import enums

        return getattr(getattr(enums, node.value.id), node.attr)
    if isinstance(node, ast.Name):
        from .dtypes import DataType

        return DataType.all[node.id]
    return ast.literal_eval(node)


@dataclasses.dataclass(frozen=True)
class Operation:
    """One operation of the language: everything that is said about it.

    `faces` holds a signature for each way to call it: "" is `pl.<name>`,
    "tensor" is `pl.tensor.<name>`, "tile" is `pl.tile.<name>`.
    """

    name: str
    doc: str
    faces: dict[str, Signature]
    # Its mnemonic in both families of the IR; its name unless that differs.
    ir: str = ""
    # How the front end makes it: a function of frontend/build.py ...
    build: str = "compute"
    # ... and of frontend/rules.py, which gives shape and dtype of the result.
    rule: str = "like_first"
    # How many leading parameters are operands.
    operands: int = 1
    # The space that its tiles are made in, by the name in MemorySpace; None: the compiler
    # infers it, as it does for whatever the vector unit computes.
    space: str | None = None
    # Where it may stand: "in_core", "control" or "anywhere".
    plane: str = "in_core"
    # Whether the builder gets the call unread, as its arguments are somebody else's too.
    reads_itself: bool = False
    # A program that shows it, whose entry is `entry`.
    example: str = ""
    # Python operator of the same meaning, for as_python and for diagnostics.
    symbol: str = ""

    @property
    def mnemonic(self) -> str:
        return self.ir or self.name

    def levels(self) -> set[str]:
        return {face for face in self.faces if face}


class Face:
    """What `pl.add` or `pl.tile.add` is in Python: a declaration that the front
    end reads and that Python cannot run."""

    __slots__ = ("level", "operation", "path", "signature")

    def __init__(self, operation: Operation, level: str):
        self.operation, self.level = operation, level
        self.signature = operation.faces[level]
        self.path = f"pl.{level}.{operation.name}" if level else f"pl.{operation.name}"

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            f"{self.path} is an operation of a kernel: it is compiled where a function decorated "
            "with @pl.jit calls it, and Python cannot run it"
        )

    @property
    def __name__(self) -> str:
        return self.operation.name

    @property
    def __doc__(self) -> str:
        text = f"{self.path}{self.signature.text}\n\n{self.operation.doc}"
        return text + (f"\n\n{self.operation.example}" if self.operation.example else "")

    def __repr__(self) -> str:
        return f"<{self.path}{self.signature.text}>"


class Construct(Face):
    """`pl.range`, `pl.at`, ...: what the front end reads as part of a statement."""

    __slots__ = ()
