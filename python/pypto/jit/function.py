# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What `@pl.jit` makes: specialise, compile, keep, run."""

from __future__ import annotations

import dataclasses
import functools
import inspect

from ..diagnostics.errors import (
    CompileError,
    Diagnostic,
    UnsupportedFeatureError,
    at_caller,
    without_frames,
)
from ..diagnostics.render import source_line
from ..frontend.source import Source


class _Runtime:
    """`pl.RUNTIME`: a scalar argument that is known at run time only."""

    def __repr__(self) -> str:
        return "pl.RUNTIME"


RUNTIME = _Runtime()


def _refusal(message: str, kind: type = CompileError) -> CompileError:
    """An error at the author's line that is being run."""
    return kind([at_caller(message)])


def _refuse_async(function) -> None:
    code = function.__code__
    if not code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return
    # Python counts from the decorators; `async def` stands below them.
    line, column = code.co_firstlineno, 1
    for number in range(line, line + 50):
        text = source_line(code.co_filename, number)
        if text.lstrip().startswith("async def"):
            line, column = number, text.index("async") + 1
            break
    message = f"'{function.__name__}' is an async function, which no kernel is; write def"
    raise UnsupportedFeatureError([Diagnostic(message, code.co_filename, line, column)])


@dataclasses.dataclass
class Options:
    """What a decorator says of a function besides its kind. `core`: "aic" or "aiv", if it may
    run on that one only; `attributes`: those of `attrs=`, to which pl.func_attr adds."""

    core: str = ""
    strict_ssa: bool = False
    attributes: dict = dataclasses.field(default_factory=dict)


class JITFunction:
    """A function of the language: an entry, a kernel, or an inline function. `kind`:
    "orchestration", "in_core", "inline", "opaque" (an entry, and spliced where another entry
    calls it) or "macro" (spliced, whatever it is called with)."""

    def __init__(self, function, kind: str, options: Options | None = None):
        if isinstance(function, JITFunction):
            raise _refusal(f"'{function.__name__}' is decorated twice")
        if not hasattr(function, "__code__"):
            raise _refusal(f"a function is decorated, not {type(function).__name__}")
        _refuse_async(function)
        functools.update_wrapper(self, function)
        self.kind = kind
        self.options = options or Options()
        self.source = getattr(function, "pypto_source", None) or Source(function)
        # The class under @pl.program that it is a method of.
        self.program: JITProgram | None = None
        self._cache: dict = {}
        # The dimensions of each parameter that are pl.dynamic, once it was compiled.
        self._dims: list | None = None

    def __repr__(self) -> str:
        return f"<{self.kind} function {self.__qualname__}>"

    def _require_entry(self) -> None:
        if self.is_entry:
            return
        decorator = {"in_core": "jit.incore", "inline": "jit.inline"}.get(self.kind, "inline")
        raise _refusal(
            f"'{self.__name__}' is a @pl.{decorator} function, which is no program by itself; "
            "call it from a @pl.jit function",
            UnsupportedFeatureError,
        )

    @property
    def is_entry(self) -> bool:
        return self.kind in ("orchestration", "opaque")

    @property
    def strict_ssa(self) -> bool:
        return self.options.strict_ssa or (self.program is not None and self.program.strict_ssa)

    @without_frames
    def __call__(self, *args, config=None, **kwargs):
        """Compiles for these arguments unless that was done, and runs. An error during a
        run leaves the arrays untouched, and nothing is kept of a program that failed."""
        self._require_entry()
        from . import driver

        return driver.call(self, args, kwargs, config)

    @without_frames
    def lower(self, *args, config=None, **kwargs):
        """The program after all passes. No code is emitted and nothing is kept."""
        self._require_entry()
        from . import driver

        return driver.lower(self, args, kwargs, config)

    @without_frames
    def compile(self, *args, dump_passes=None, config=None, **kwargs):
        """Compiles for these arguments and writes the sources; a CompiledProgram."""
        self._require_entry()
        from . import driver

        return driver.compile(self, args, kwargs, config, dump_passes)

    @without_frames
    def debug(self, *args, stage="frontend", config=None, **kwargs):
        """A Debugger that stands at the first line of a run with these arguments, which are
        written when it comes to its end. `stage`: which program runs; at "frontend" every
        variable is the author's, at "final" tiles are the chip's buffers."""
        self._require_entry()
        from . import driver

        return driver.debug(self, args, kwargs, config, stage)

    def stage_times(self, *args, repeat: int = 5, **kwargs) -> dict[str, float]:
        """Seconds from the source to AscendC text: front end, passes and emission, the
        best of `repeat`. Nothing is kept."""
        self._require_entry()
        from . import driver

        return driver.stage_times(self, args, kwargs, repeat)


class InlineFunction(JITFunction):
    """A macro, made by `@pl.inline`."""

    def __init__(self, function):
        super().__init__(function, "macro")


class JITProgram:
    """A program of several functions: a class under `@pl.program`, or what `pl.parse` reads.
    Its functions are attributes of it."""

    def __init__(
        self, name: str, functions: list[JITFunction], strict_ssa: bool = False, doc: str = ""
    ):
        self.__name__ = name
        self.__doc__ = doc
        self.strict_ssa = strict_ssa
        self.functions = functions
        for function in functions:
            if function.program is not None:
                raise _refusal(
                    f"'{function.__name__}' is a method of program "
                    f"'{function.program.__name__}' already"
                )
            function.program = self
        self.entry = self._find_entry()

    @classmethod
    def of_class(cls, decorated, strict_ssa: bool = False) -> JITProgram:
        if not isinstance(decorated, type):
            raise _refusal(f"@pl.program decorates a class, found {decorated!r}")
        for name, item in vars(decorated).items():
            if inspect.isfunction(item):
                file, line = item.__code__.co_filename, item.__code__.co_firstlineno
                text = source_line(file, line)
                message = (
                    f"method '{name}' of program '{decorated.__name__}' has no decorator; "
                    "write @pl.function(type=...) or @pl.inline above it"
                )
                column = len(text) - len(text.lstrip()) + 1
                raise CompileError([Diagnostic(message, file, line, column)])
        functions = [item for item in vars(decorated).values() if isinstance(item, JITFunction)]
        return cls(decorated.__name__, functions, strict_ssa, decorated.__doc__ or "")

    def _find_entry(self) -> JITFunction:
        """The Orchestration method, else the one that is opaque."""
        for kind in ("orchestration", "opaque"):
            entries = [function for function in self.functions if function.kind == kind]
            if len(entries) == 1:
                return entries[0]
            if entries:
                break
        found = ", ".join(entry.__name__ for entry in entries) or "none"
        raise _refusal(
            f"program '{self.__name__}' has one method of type pl.FunctionType.Orchestration, "
            f"found {found}"
        )

    @property
    def name(self) -> str:
        return self.__name__

    def get_function(self, name: str) -> JITFunction | None:
        return next((one for one in self.functions if one.__name__ == name), None)

    def __getattr__(self, name: str):
        known = "functions" in vars(self) and not name.startswith("__")
        found = self.get_function(name) if known else None
        if found is None:
            raise AttributeError(f"program '{self.__name__}' has no function '{name}'")
        return found

    def __repr__(self) -> str:
        return f"<program {self.__name__}>"

    def __str__(self) -> str:
        """The program before all passes, as MLIR."""
        return str(self._specialised())

    def __call__(self, *args, **kwargs):
        return self.entry(*args, **kwargs)

    def lower(self, *args, **kwargs):
        return self.entry.lower(*args, **kwargs)

    def compile(self, *args, **kwargs):
        return self.entry.compile(*args, **kwargs)

    def debug(self, *args, **kwargs):
        return self.entry.debug(*args, **kwargs)

    def stage_times(self, *args, **kwargs):
        return self.entry.stage_times(*args, **kwargs)

    def _specialised(self):
        from . import driver

        return driver.specialise(self.entry, (), {}).program

    @without_frames
    def as_python(self) -> str:
        """The program before all passes, in the language's own syntax."""
        return self._specialised().as_python()
