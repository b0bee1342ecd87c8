# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`@pl.jit` and its relatives."""

from __future__ import annotations

from ..diagnostics.errors import UnsupportedFeatureError, at_caller
from ..language.enums import FunctionType
from .function import RUNTIME, JITFunction, JITProgram

_KINDS = {
    FunctionType.Orchestration: "orchestration",
    FunctionType.InCore: "in_core",
    FunctionType.Inline: "inline",
}


def _unsupported(what: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError([at_caller(f"{what} is not supported yet")])


def _decorate(kind: str, path: str, function, options: dict):
    """`@path` and `@path(option=...)`."""
    for name, value in options.items():
        raise _unsupported(f"@{path}({name}={value!r})")
    if function is None:
        return lambda function: JITFunction(function, kind)
    return JITFunction(function, kind)


class _Jit:
    """A function that compiles when it is called; its members are what it calls."""

    def __call__(self, function=None, *, auto_scope: bool = True):
        options = {} if auto_scope is True else {"auto_scope": auto_scope}
        return _decorate("orchestration", "pl.jit", function, options)

    @staticmethod
    def incore(function=None, *, level=None):
        """A kernel: a function that runs on a core, dispatched from @pl.jit."""
        options = {} if level is None else {"level": level}
        return _decorate("in_core", "pl.jit.incore", function, options)

    @staticmethod
    def inline(function=None, *, auto_scope: bool = True):
        """A function whose body is spliced into each call."""
        options = {} if auto_scope is True else {"auto_scope": auto_scope}
        return _decorate("inline", "pl.jit.inline", function, options)

    def __getattr__(self, name: str):
        if name in ("host", "opaque", "extern"):
            raise _unsupported(f"@pl.jit.{name}")
        raise AttributeError(f"pl.jit has no '{name}'; it has incore and inline")


jit = _Jit()


def inline(function=None):
    """The same as `@pl.jit.inline`."""
    return _decorate("inline", "pl.inline", function, {})


def function(
    function=None,
    *,
    type: FunctionType = FunctionType.Opaque,
    level=None,
    role=None,
    attrs=None,
    strict_ssa: bool = False,
    auto_scope: bool = True,
    external_source=None,
):
    """A function of the given type, by itself or in a class under `@pl.program`."""
    refused = {
        "level": (level, None),
        "role": (role, None),
        "attrs": (attrs, None),
        "strict_ssa": (strict_ssa, False),
        "auto_scope": (auto_scope, True),
        "external_source": (external_source, None),
    }
    for name, (value, default) in refused.items():
        if value is not default:
            raise _unsupported(f"@pl.function({name}=)")
    if type is FunctionType.Opaque:
        message = (
            "@pl.function without a type is pl.FunctionType.Opaque, which is not supported yet; "
            "write @pl.function(type=pl.FunctionType.InCore), Orchestration or Inline"
        )
        raise UnsupportedFeatureError([at_caller(message)])
    kind = _KINDS.get(type)
    if kind is None:
        raise _unsupported(f"@pl.function(type={type!r})")
    return _decorate(kind, "pl.function", function, {})


def program(cls=None, *, strict_ssa: bool = False):
    """A class whose methods are the functions of one program; the method of type
    Orchestration is its entry, and `self.kernel(...)` dispatches another."""
    if strict_ssa:
        raise _unsupported("@pl.program(strict_ssa=)")
    return JITProgram if cls is None else JITProgram(cls)


__all__ = ["RUNTIME", "function", "inline", "jit", "program"]
