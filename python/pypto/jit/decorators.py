# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`@pl.jit` and its relatives, `@pl.function`, `@pl.program` and `@pl.inline`."""

from __future__ import annotations

import warnings

from ..diagnostics.errors import CompileError, ParserTypeError, UnsupportedFeatureError, at_caller
from ..diagnostics.suggest import suggestion
from ..language.enums import FunctionType, Level, Role
from .function import RUNTIME, InlineFunction, JITFunction, JITProgram, Options

# The kind of function that a type makes, and the core that it must run on.
_KINDS = {
    FunctionType.Opaque: ("opaque", ""),
    FunctionType.Orchestration: ("orchestration", ""),
    FunctionType.InCore: ("in_core", ""),
    FunctionType.AIC: ("in_core", "aic"),
    FunctionType.AIV: ("in_core", "aiv"),
    FunctionType.Inline: ("inline", ""),
}
# Types of functions that the compiler makes, and what makes them.
_MADE = {
    FunctionType.Group: "pl.cluster makes groups: write `with pl.cluster():` around two kernels",
    FunctionType.Spmd: "pl.spmd makes tasks of several blocks: write `with pl.spmd(n):`",
    FunctionType.Graph: "no program text makes graphs; write an Orchestration function",
}
_CORES = {Level.AIC: "aic", Level.AIV: "aiv", Level.CORE_GROUP: ""}
_DISTRIBUTED = "functions of a host belong to the distributed chapter, which comes later"
_SPLICED = "an inline function runs where its caller does"
_NO_CPP = (
    "the reference model runs programs of the language and no C++, so that such a kernel could "
    "neither run nor be checked here; write it in the language, for a core"
)


def _misuse(message: str, kind: type = UnsupportedFeatureError) -> CompileError:
    return kind([at_caller(message)])


def _unsupported(what: str, why: str) -> UnsupportedFeatureError:
    return _misuse(f"{what} is not supported yet: {why}")


def _refuse_unknown(path: str, unknown: dict, known: tuple[str, ...]) -> None:
    """Keywords that no parameter of a decorator took."""
    for name in unknown:
        takes = ", ".join(f"{one}=" for one in known) or "no options"
        raise _misuse(
            f"@{path} has no option '{name}'; it takes {takes}{suggestion(name, known)}",
            ParserTypeError,
        )


def _flag(path: str, name: str, value) -> None:
    if not isinstance(value, bool):
        raise _misuse(f"@{path}: {name}= is True or False, found {value!r}", ParserTypeError)


def _core_of(path: str, level, kind: str, core: str) -> str:
    """The core that `level=` of a function of a core demands."""
    if level is None:
        return core
    if not isinstance(level, Level):
        raise _misuse(f"@{path}: level= is a member of pl.Level, found {level!r}", ParserTypeError)
    if level is Level.HOST:
        raise _unsupported(f"@{path}(level=pl.Level.HOST)", _DISTRIBUTED)
    if kind == "inline":
        raise _misuse(f"@{path}: {_SPLICED}; leave level= out")
    if kind == "in_core" and level in _CORES and core in ("", _CORES[level]):
        return _CORES[level] or core
    if kind in ("orchestration", "opaque") and level is Level.CHIP:
        return core
    found = {"in_core": "InCore", "aic": "AIC", "aiv": "AIV"}.get(core or kind)
    if found is not None:
        takes = "pl.Level.CORE_GROUP, AIC and AIV" if not core else f"pl.Level.{found}"
        raise _misuse(
            f"@{path}: a function of type {found} runs on a core, whose levels are {takes}; "
            f"found pl.Level.{level.name}"
        )
    raise _unsupported(
        f"@{path}(level=pl.Level.{level.name})",
        "this function starts the tasks of one chip, pl.Level.CHIP; `with pl.at(level=...)` places "
        "what it holds",
    )


def _check_role(path: str, role, kind: str) -> None:
    if role is None:
        return
    if not isinstance(role, Role):
        raise _misuse(f"@{path}: role= is a member of pl.Role, found {role!r}", ParserTypeError)
    if kind == "inline":
        raise _misuse(f"@{path}: {_SPLICED}; leave role= out")
    wanted = Role.SubWorker if kind == "in_core" else Role.Orchestrator
    if role is not wanted:
        raise _misuse(
            f"@{path}: this function {'works' if wanted is Role.SubWorker else 'starts tasks'}, "
            f"so its role is pl.Role.{wanted.name}, found pl.Role.{role.name}"
        )


def _decorate(kind: str, path: str, function, options: Options):
    """`@path` and `@path(option=...)`."""
    if function is None:
        return lambda function: JITFunction(function, kind, options)
    return JITFunction(function, kind, options)


class _Jit:
    """A function that compiles when it is called; its members are what it calls."""

    _MEMBERS = ("incore", "inline", "opaque")
    _LATER = {"host": _DISTRIBUTED, "extern": _NO_CPP}

    def __call__(self, function=None, *, auto_scope: bool = True, **unknown):
        return self._of_tasks("orchestration", "pl.jit", function, auto_scope, unknown)

    @staticmethod
    def _of_tasks(kind: str, path: str, function, auto_scope: bool, unknown: dict):
        _refuse_unknown(path, unknown, ("auto_scope",))
        _flag(path, "auto_scope", auto_scope)
        return _decorate(kind, path, function, Options())

    @staticmethod
    def incore(function=None, *, level: Level | None = None, **unknown):
        """A kernel: a function that runs on a core, dispatched from @pl.jit."""
        _refuse_unknown("pl.jit.incore", unknown, ("level",))
        core = _core_of("pl.jit.incore", level, "in_core", "")
        return _decorate("in_core", "pl.jit.incore", function, Options(core=core))

    @classmethod
    def inline(cls, function=None, *, auto_scope: bool = True, **unknown):
        """A function whose body is spliced into each call."""
        return cls._of_tasks("inline", "pl.jit.inline", function, auto_scope, unknown)

    @classmethod
    def opaque(cls, function=None, *, auto_scope: bool = True, **unknown):
        """A function of the control plane that places its work with pl.at. By itself it is an
        entry; called from another one its tasks become that one's."""
        return cls._of_tasks("opaque", "pl.jit.opaque", function, auto_scope, unknown)

    def __getattr__(self, name: str):
        if name in self._LATER:
            raise _unsupported(f"@pl.jit.{name}", self._LATER[name])
        raise AttributeError(
            f"pl.jit has no '{name}'; it has {', '.join(self._MEMBERS)}"
            + suggestion(name, self._MEMBERS, "pl.jit.{}")
        )


jit = _Jit()


def inline(function=None, **unknown):
    """A macro: each call is replaced by the body of the function, with the arguments as its
    names. Parameters need no annotation and take what the caller has: arrays, tiles, numbers,
    element types, lists."""
    _refuse_unknown("pl.inline", unknown, ())
    return InlineFunction if function is None else InlineFunction(function)


def function(
    function=None,
    *,
    type: FunctionType = FunctionType.Opaque,
    level: Level | None = None,
    role: Role | None = None,
    attrs: dict | None = None,
    strict_ssa: bool = False,
    auto_scope: bool = True,
    external_source=None,
    **unknown,
):
    """A function of the given type, by itself or in a class under `@pl.program`."""
    path = "pl.function"
    known = ("type", "level", "role", "attrs", "strict_ssa", "auto_scope", "external_source")
    _refuse_unknown(path, unknown, known)
    if not isinstance(type, FunctionType):
        raise _misuse(
            f"@{path}: type= is a member of pl.FunctionType, found {type!r}", ParserTypeError
        )
    if type in _MADE:
        raise _misuse(
            f"@{path}(type=pl.FunctionType.{type.name}) is not what an author writes: {_MADE[type]}"
        )
    if external_source is not None:
        raise _unsupported(f"@{path}(external_source=)", _NO_CPP)
    kind, core = _KINDS[type]
    core = _core_of(path, level, kind, core)
    _check_role(path, role, kind)
    _flag(path, "auto_scope", auto_scope)
    _flag(path, "strict_ssa", strict_ssa)
    if attrs is not None:
        if not isinstance(attrs, dict):
            raise _misuse(f"@{path}: attrs= is a dict, found {attrs!r}", ParserTypeError)
        warnings.warn(
            "@pl.function(attrs={...}) is deprecated; write pl.func_attr({...}) as the first "
            "statement of the function",
            DeprecationWarning,
            stacklevel=2,
        )
    return _decorate(kind, path, function, Options(core, strict_ssa, dict(attrs or {})))


def program(cls=None, *, strict_ssa: bool = False, **unknown):
    """A class whose methods are the functions of one program; the method of type
    Orchestration is its entry, and `self.kernel(...)` dispatches another."""
    _refuse_unknown("pl.program", unknown, ("strict_ssa",))
    _flag("pl.program", "strict_ssa", strict_ssa)
    if cls is None:
        return lambda cls: JITProgram.of_class(cls, strict_ssa)
    return JITProgram.of_class(cls, strict_ssa)


def func_attr(attributes: dict) -> None:
    """Attributes of the function whose first statement this is. They are kept in the IR, and
    printed with the function."""
    raise _misuse(
        "pl.func_attr({...}) is the first statement of a function of the language; Python does not "
        "run it"
    )


__all__ = ["RUNTIME", "func_attr", "function", "inline", "jit", "program"]
