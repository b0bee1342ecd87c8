# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pl.jit` and what it makes."""

from .decorators import (
    KernelDef,
    function,
    inline,
    jit,
    kernel,
    loads,
    loads_program,
    parse,
    parse_program,
    program,
)
from .kernel import ProKernel

__all__ = [
    "KernelDef",
    "ProKernel",
    "function",
    "inline",
    "jit",
    "kernel",
    "loads",
    "loads_program",
    "parse",
    "parse_program",
    "program",
]
