# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Errors of keys and launches: `ValueError`s with file, line and column."""

from __future__ import annotations

from pypto.diagnostics.errors import CompileError, Diagnostic, PyptoError


class DeclarationError(CompileError, ValueError):
    """A decorator's argument is wrong: a tiling key class, a datatype schema, a name."""


class LaunchError(PyptoError, ValueError):
    """What stands in the brackets of `kernel[...]` is wrong."""


def note(message: str) -> Diagnostic:
    return Diagnostic(message, severity="note")
