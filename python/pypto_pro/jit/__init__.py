# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pl.jit` and what it makes."""

from .decorators import (
    KernelDef,
    inline,
    jit,
    kernel,
)
from .functions import FunctionDef, Program, function, program
from .kernel import ProKernel
from .texts import loads, loads_program, parse, parse_program

__all__ = [
    "FunctionDef",
    "KernelDef",
    "ProKernel",
    "Program",
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
