# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Errors of keys and launches: `ValueError`s with file, line and column; and `Invalid`."""

from __future__ import annotations

from pypto.diagnostics.errors import CompileError, Diagnostic, PyptoError


class DeclarationError(CompileError, ValueError):
    """A decorator's argument is wrong: a tiling key class, a datatype schema, a name."""


class LaunchError(PyptoError, ValueError):
    """What stands in the brackets of `kernel[...]` is wrong."""


def note(message: str) -> Diagnostic:
    return Diagnostic(message, severity="note")


class Invalid:
    """What `is_valid` may return in place of False: it says why.

    It is false as a condition. A plain string stays what it is in Python, true, so a
    program that returns one for a valid key keeps its meaning.

    >>> from pypto_pro.runtime.tilingkey import TilingKeyField, TilingKeySchema
    >>> class MaskKey:
    ...     HasMask = TilingKeyField(bits=1, values=[0, 1])
    ...     Rows = TilingKeyField(bits=2, values=[64, 128])
    ...
    ...     def is_valid(self, key):
    ...         has_mask, rows = key
    ...         if has_mask and rows != 128:
    ...             return Invalid("the mask is made for tiles of 128 rows")
    ...         return True
    >>> TilingKeySchema(MaskKey).why_invalid((1, 64))
    'the mask is made for tiles of 128 rows'
    """

    def __init__(self, reason: str):
        self.reason = str(reason)

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"Invalid({self.reason!r})"
