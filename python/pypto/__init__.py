# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PyPTO: the Ascend kernel compiler that runs on a laptop."""

from .diagnostics import (
    ArgumentError,
    CompileError,
    ParserTypeError,
    PassCheckError,
    RunError,
    SSAViolationError,
    UndefinedNameError,
    UnsupportedFeatureError,
)

__version__ = "0.1.0"
__all__ = [
    "ArgumentError",
    "CompileError",
    "ParserTypeError",
    "PassCheckError",
    "RunError",
    "SSAViolationError",
    "UndefinedNameError",
    "UnsupportedFeatureError",
    "__version__",
]
