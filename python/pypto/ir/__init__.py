# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Programs in the IR."""


def __getattr__(name: str):
    if name == "Program":
        from .program import Program

        return Program
    raise AttributeError(f"pypto.ir has no '{name}'")
