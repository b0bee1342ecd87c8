# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Programs in the IR."""


def __getattr__(name: str):
    if name == "Program":
        from .program import Program

        return Program
    if name == "structural_equal":
        from .reader import structural_equal

        return structural_equal
    raise AttributeError(f"pypto.ir has no '{name}'")
