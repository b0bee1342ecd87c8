# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""One diagnostic, and the exceptions that hold them."""

from __future__ import annotations

import dataclasses
import functools

from .render import render
from .reports import Report

# How many errors an exception prints; its `diagnostics` has all of them.
SHOWN = 20
# What a frame of ours is in.
PACKAGES = ("pypto.", "pypto_pro.")


@dataclasses.dataclass
class Diagnostic:
    """A message at a place. `line` and `column` count from 1, columns in characters."""

    message: str
    file: str | None = None
    line: int = 0
    column: int = 0
    end_column: int = 0
    severity: str = "error"
    notes: list[Diagnostic] = dataclasses.field(default_factory=list)
    # Which exception it makes.
    kind: type | None = None

    def __str__(self) -> str:
        return render([self])

    @property
    def code(self) -> str | None:
        """ "PTO-1001", of an error: its entry in docs/errors.md."""
        if self.severity != "error":
            return None
        from .catalogue import find

        entry = find(self.message)
        return entry.code if entry is not None else None


def at_caller(message: str) -> Diagnostic:
    """A diagnostic at the expression, outside of our packages, that is being evaluated."""
    import sys

    frame = sys._getframe(1)
    while frame.f_back is not None and (frame.f_globals.get("__name__") or "").startswith(PACKAGES):
        frame = frame.f_back
    return at_code(message, frame.f_code, frame.f_lasti)


def at_code(message: str, code, instruction: int) -> Diagnostic:
    """A diagnostic at the expression that this instruction (`f_lasti`) of a code belongs to."""
    from .render import source_line

    line, end_line, begin, end = list(code.co_positions())[instruction // 2]
    text = source_line(code.co_filename, line or 0).encode()
    if not line or begin is None or not text:
        return Diagnostic(message, code.co_filename, line or code.co_firstlineno, 1)
    column, end_column = (
        len(text[:offset].decode(errors="replace")) + 1 for offset in (begin, end)
    )
    return Diagnostic(
        message, code.co_filename, line, column, end_column if end_line == line else 0
    )


class PyptoError(Exception):
    """The base of all errors of PyPTO."""

    def __init__(self, diagnostics: list[Diagnostic] | str):
        if isinstance(diagnostics, str):
            diagnostics = [Diagnostic(diagnostics)]
        self.diagnostics = list(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        shown = render(self.diagnostics[:SHOWN])
        rest = len(self.diagnostics) - SHOWN
        more = f"\nand {rest} more error{'s' if rest > 1 else ''}" if rest > 0 else ""
        return f"\n{shown}{more}"


class CompileError(PyptoError):
    """The program is wrong. `diagnostics` holds every error, with its notes."""


class ParserTypeError(CompileError):
    """A value of the wrong type."""


class UndefinedNameError(CompileError):
    """A name that has no value."""


class SSAViolationError(CompileError):
    """A name that is bound twice in a function that says `strict_ssa=True`."""


class UnsupportedFeatureError(CompileError):
    """A construct or an operation that this version does not have."""


class ArgumentError(PyptoError, TypeError):
    """A call of a kernel with arguments that it does not take. `parameters`: which
    ones it is about, the first for the error and the others for its notes."""

    def __init__(self, diagnostics: list[Diagnostic] | str, parameters: tuple[str, ...] = ()):
        super().__init__(diagnostics)
        self.parameters = parameters


class RunError(PyptoError, RuntimeError):
    """A check of the reference model failed, or a program cannot run here. `reports`:
    what checks found, as data."""

    def __init__(self, diagnostics: list[Diagnostic] | str, reports: list[Report] | None = None):
        super().__init__(diagnostics)
        self.reports = list(reports or [])


class PassCheckError(RunError):
    """A pass changes what a program computes. `result`: the PassCheck, whose `before` and
    `after` are the modules around the pass."""

    def __init__(self, diagnostics: list[Diagnostic] | str, result):
        super().__init__(diagnostics)
        self.result = result


def raise_all(diagnostics: list[Diagnostic], default: type = CompileError) -> None:
    """Raises the errors as one exception: of their own kind if they share it."""
    kinds = {diagnostic.kind or default for diagnostic in diagnostics}
    kind = kinds.pop() if len(kinds) == 1 else default
    raise kind(diagnostics) from None


def without_frames(method):
    """For what a user calls: an error of the program is raised here, without the
    frames of the compiler. Its text says where the mistake is."""

    @functools.wraps(method)
    def wrapper(*args, **kwargs):
        try:
            return method(*args, **kwargs)
        except PyptoError as error:
            raise error.with_traceback(None) from None

    return wrapper
