# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What an entry of PyPTO Pro's registry is made of. Nothing here needs MLIR."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect

from pypto.language import operation as base
from pypto.language.operation import REQUIRED, Parameter

from . import enums

DECLARATION = (
    "This function is a DSL API declaration and must be used inside a PyPTO kernel: {path} is "
    "compiled where a function decorated with @pl.jit calls it, and Python cannot run it"
)


class Signature(base.Signature):
    """A signature whose defaults are enum members of PyPTO Pro."""

    def _default(self, node: ast.expr):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return enums.ENUMS[node.value.id][node.attr]
        return ast.literal_eval(node)

    @functools.cached_property
    def of_python(self) -> inspect.Signature:
        """The same, to bind a call in Python by."""
        return inspect.Signature([_python_parameter(found) for found in self.parameters])


def _python_parameter(parameter: Parameter) -> inspect.Parameter:
    kinds = inspect.Parameter
    if parameter.open:
        kind = kinds.VAR_KEYWORD
    elif parameter.variadic:
        kind = kinds.VAR_POSITIONAL
    else:
        kind = kinds.KEYWORD_ONLY if parameter.keyword_only else kinds.POSITIONAL_OR_KEYWORD
    default = kinds.empty if parameter.default is REQUIRED else parameter.default
    return inspect.Parameter(parameter.name, kind, default=default, annotation=parameter.annotation)


@dataclasses.dataclass(frozen=True)
class Operation(base.Operation):
    """One operation of PyPTO Pro. `build` is a function of `pypto.frontend.pro.operations`,
    with its file: "movement.load"."""

    # The pipe that does it, in words.
    pipe: str = ""
    # Why this version does not have it; "" if it has.
    later: str = ""


class Declaration(base.Face):
    """What `pl.add` is in Python: a declaration that the front end reads."""

    __slots__ = ()

    @property
    def __signature__(self) -> inspect.Signature:
        return self.signature.of_python

    def __call__(self, *args, **kwargs):
        try:
            self.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise self._wrong_call(error) from None
        raise RuntimeError(DECLARATION.format(path=self.path))

    def _wrong_call(self, error: TypeError) -> TypeError:
        return TypeError(
            f"{self.path} is called wrongly: {error}; it is {self.path}{self.signature.text}"
        )

    @property
    def __doc__(self) -> str:
        operation = self.operation
        pipe = f"\n\nPipe: {operation.pipe}." if operation.pipe else ""
        later = f"\n\nNot supported yet: {operation.later}." if operation.later else ""
        shown = f"\n\nExample:\n\n{operation.example}" if operation.example else ""
        return f"{self.path}{self.signature.text}\n\n{operation.doc}{pipe}{later}{shown}"


# Without a `__doc__` of their own these classes would have None in the property's place.
class Construct(Declaration):
    # `pl.range`, `pl.section_cube`, ...: what the front end reads as part of a statement.
    __slots__ = ()
    __doc__ = Declaration.__doc__


class TileTypeDeclaration(Declaration):
    # `pl.TileType`, which Python can make too; the front end checks it where it is used.
    __slots__ = ()
    __doc__ = Declaration.__doc__

    def __call__(self, *args, **kwargs):
        from .types import TileSpec

        try:
            bound = self.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise self._wrong_call(error) from None
        bound.apply_defaults()
        return TileSpec(**bound.arguments)
