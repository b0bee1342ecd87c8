# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Errors with file, line, column, the source line and a caret."""

from .errors import (
    ArgumentError,
    CompileError,
    Diagnostic,
    ParserTypeError,
    PassCheckError,
    RunError,
    SSAViolationError,
    UndefinedNameError,
    UnsupportedFeatureError,
    raise_all,
)
from .reports import Access, Report

__all__ = [
    "Access",
    "ArgumentError",
    "CompileError",
    "Diagnostic",
    "ParserTypeError",
    "PassCheckError",
    "Report",
    "RunError",
    "SSAViolationError",
    "UndefinedNameError",
    "UnsupportedFeatureError",
    "raise_all",
]
