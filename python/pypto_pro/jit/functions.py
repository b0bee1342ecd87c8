# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pl.function` and `pl.program`: functions that are read at once, alone or as the methods of
a class."""

from __future__ import annotations

import copy
import types

from pypto.diagnostics.errors import UnsupportedFeatureError, at_caller

from ..language.enums import FunctionType
from ..language.types import STATIC
from .decorators import KernelDef, locals_of_caller, prepared_options, refused
from .kernel import ProKernel

_KERNELS = (FunctionType.Opaque, FunctionType.InCore)
_LATER = {
    FunctionType.Orchestration: "a host launches kernels of PyPTO Pro; write @pl.jit, and "
    "kernel[stream, block_dim](...) in Python",
    FunctionType.SimtVF: "SIMT functions come later",
    FunctionType.SimtCallee: "SIMT functions come later",
}


def function(target=None, *, type: FunctionType = FunctionType.Opaque, strict_ssa: bool = False):
    """`@pl.function` or `@pl.function(type=pl.FunctionType.InCore)`: a kernel that is read at
    once, so that its errors are raised where it stands; `as_mlir()` and `compile()` say what it
    is. It is not launched. With type Helper it is spliced in where a kernel calls it.

    In a class under `@pl.program` its first parameter is `self`, and `self.helper(...)` calls
    another method; the whole class is read at once.
    """
    if not isinstance(type, FunctionType):
        raise refused(f"function(type={type!r}): type is a member of pl.FunctionType")
    if not isinstance(strict_ssa, bool):
        raise refused(f"function(strict_ssa={strict_ssa!r}): strict_ssa is True or False")
    if type in _LATER:
        raise UnsupportedFeatureError(
            [at_caller(f"pl.function(type={type!r}) is not supported yet: {_LATER[type]}")]
        )
    if strict_ssa:
        raise UnsupportedFeatureError(
            [at_caller("pl.function(strict_ssa=True) is not supported yet; names may be rebound")]
        )
    captured = locals_of_caller()

    def make(function):
        if isinstance(function, (ProKernel, Helper)):
            raise refused(f"'{function.name}' is decorated twice")
        if not isinstance(function, types.FunctionType):
            raise refused(f"a function is decorated, not {_kind(function)}")
        if type is FunctionType.Helper:
            return Helper(function)
        made = FunctionDef(function, captured=captured, **prepared_options({}))
        made.type = type
        if not made.is_method:
            made.read()
        return made

    return make if target is None else make(target)


def _kind(value) -> str:
    return value.__class__.__name__


class FunctionDef(KernelDef):
    """What `@pl.function` makes."""

    type = FunctionType.Opaque
    is_method = False

    def __init__(self, function, **options):
        super().__init__(function, **options)
        tree = self.source.tree
        nodes = [*tree.args.posonlyargs, *tree.args.args]
        if nodes and nodes[0].arg == "self" and nodes[0].annotation is None:
            self.is_method = True
            self.source = copy.copy(self.source)
            self.source.bind_tree(_without_self(tree))

    def read(self) -> None:
        """Raises its errors. What is compiled for a shape is read when that is given."""
        if any(extent is STATIC for found in self.parameters for extent in found.shape):
            return
        self.as_mlir()


def _without_self(tree):
    tree = copy.copy(tree)
    tree.args = copy.copy(tree.args)
    name = "posonlyargs" if tree.args.posonlyargs else "args"
    setattr(tree.args, name, getattr(tree.args, name)[1:])
    return tree


class Helper:
    """A function that kernels splice in; Python cannot run it."""

    def __init__(self, function):
        self.inlined_function, self.name = function, function.__name__
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __repr__(self) -> str:
        return f"<helper {self.name}>"

    def __call__(self, *args, **kwargs):
        raise refused(f"'{self.name}' is a helper of kernels, which Python cannot run")


# Programs.


def program(cls=None, *, strict_ssa: bool = False):
    """`@pl.program` above a class whose methods are under `@pl.function`: a Program."""
    if not isinstance(strict_ssa, bool):
        raise refused(f"program(strict_ssa={strict_ssa!r}): strict_ssa is True or False")
    if strict_ssa:
        raise UnsupportedFeatureError(
            [at_caller("pl.program(strict_ssa=True) is not supported yet; names may be rebound")]
        )

    def make(cls):
        if not isinstance(cls, type):
            raise refused(f"@pl.program stands above a class, not {_kind(cls)}")
        return Program(cls)

    return make if cls is None else make(cls)


class Program:
    """The functions of a class: `functions` by name, each an attribute too. `as_mlir()` is the
    text of all, `compile()` gives a compiled kernel for each."""

    def __init__(self, cls: type):
        self.name, self.__doc__ = cls.__name__, cls.__doc__
        self.functions: dict[str, FunctionDef] = {}
        members = types.ModuleType(cls.__name__)
        for name, value in vars(cls).items():
            if isinstance(value, (FunctionDef, Helper)):
                setattr(members, name, value)
            elif not (name.startswith("__") and name.endswith("__")):
                raise refused(
                    f"'{cls.__name__}.{name}' is not under @pl.function; a program holds functions "
                    "of the language only"
                )
            if isinstance(value, FunctionDef):
                self.functions[name] = value
        if not self.functions:
            raise refused(
                f"program '{cls.__name__}' has no kernel: a method under @pl.function that is no "
                "helper"
            )
        for name, found in self.functions.items():
            setattr(self, name, found)
            found.captured = {**found.captured, "self": members}
            found.read()

    def __repr__(self) -> str:
        return f"<program {self.name} of {', '.join(self.functions)}>"

    def __getitem__(self, name: str) -> FunctionDef:
        return self.functions[name]

    def as_mlir(self) -> str:
        return "// -----\n".join(found.as_mlir() for found in self.functions.values())

    def compile(self, **options) -> dict:
        return {name: found.compile(**options) for name, found in self.functions.items()}
