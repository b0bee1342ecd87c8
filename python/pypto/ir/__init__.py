# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Programs in the IR: `ir.Program`, and `ir.compile` with what it can be told."""

from .options import (
    BackendType,
    DiagnosticPhase,
    MemoryPlanner,
    OptimizationStrategy,
    PassDumpLevel,
    VerificationLevel,
)

# What loads the compiler is loaded when it is asked for.
_LAZY = {
    "Program": "program",
    "compile": "compiling",
    "CompiledProgram": "compiling",
    "structural_equal": "reader",
}
# How the text of a printed program begins.
HEADER = "# pypto.program: "

__all__ = [
    "BackendType",
    "DiagnosticPhase",
    "MemoryPlanner",
    "OptimizationStrategy",
    "PassDumpLevel",
    "VerificationLevel",
    *_LAZY,
]


def __getattr__(name: str):
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    if name.startswith("__"):
        raise AttributeError(name)
    from ..diagnostics.suggest import suggestion

    raise AttributeError(f"pypto.ir has no '{name}'{suggestion(name, __all__, 'pypto.ir.{}')}")
