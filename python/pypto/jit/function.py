# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What `@pl.jit` makes: specialise, compile, keep, run."""

from __future__ import annotations

import functools
import inspect

from ..diagnostics.errors import CompileError, Diagnostic, UnsupportedFeatureError, without_frames
from ..diagnostics.render import source_line
from ..frontend.source import Source


class _Runtime:
    """`pl.RUNTIME`: a scalar argument that is known at run time only."""

    def __repr__(self) -> str:
        return "pl.RUNTIME"


RUNTIME = _Runtime()


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


class JITFunction:
    """A function of the language: an entry, a kernel, or an inline function."""

    def __init__(self, function, kind: str):
        if isinstance(function, JITFunction):
            raise CompileError(f"'{function.__name__}' is decorated twice")
        if not hasattr(function, "__code__"):
            raise CompileError(f"a function is decorated, not {type(function).__name__}")
        _refuse_async(function)
        functools.update_wrapper(self, function)
        self.kind = kind
        self.source = Source(function)
        # The class under @pl.program that it is a method of.
        self.program: JITProgram | None = None
        self._cache: dict = {}
        # The dimensions of each parameter that are pl.dynamic, once it was compiled.
        self._dims: list | None = None

    def __repr__(self) -> str:
        return f"<{self.kind} function {self.__qualname__}>"

    def _require_entry(self) -> None:
        if self.kind == "orchestration":
            return
        decorator = "incore" if self.kind == "in_core" else "inline"
        raise UnsupportedFeatureError(
            f"'{self.__name__}' is a @pl.jit.{decorator} function, which is no program by itself; "
            "call it from a @pl.jit function"
        )

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


class JITProgram:
    """A class under `@pl.program`."""

    def __init__(self, cls):
        self.__name__ = cls.__name__
        self.__doc__ = cls.__doc__
        self.functions = [item for item in vars(cls).values() if isinstance(item, JITFunction)]
        for function in self.functions:
            function.program = self
            setattr(self, function.__name__, function)
        entries = [function for function in self.functions if function.kind == "orchestration"]
        if len(entries) != 1:
            found = ", ".join(entry.__name__ for entry in entries) or "none"
            raise CompileError(
                f"program '{cls.__name__}' has one method of type pl.FunctionType.Orchestration, "
                f"found {found}"
            )
        self.entry = entries[0]

    def __repr__(self) -> str:
        return f"<program {self.__name__}>"

    def __call__(self, *args, **kwargs):
        return self.entry(*args, **kwargs)

    def lower(self, *args, **kwargs):
        return self.entry.lower(*args, **kwargs)

    def compile(self, *args, **kwargs):
        return self.entry.compile(*args, **kwargs)

    def debug(self, *args, **kwargs):
        return self.entry.debug(*args, **kwargs)

    def as_python(self) -> str:
        """The program before all passes, in the language's own syntax."""
        from . import driver

        return driver.specialise(self.entry, (), {}).program.as_python()
