# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What `pypto.ir.compile` can be told, as enumerations."""

from __future__ import annotations

import enum


class OptimizationStrategy(enum.Enum):
    """Which passes run. There is one pipeline."""

    Default = 0


class PassDumpLevel(enum.Enum):
    """Which stages are written to `passes_dump/`: none, those that a pass changed, or all."""

    NONE = 0
    CONCISE = 1
    EXPLICIT = 2


class VerificationLevel(enum.Enum):
    """What is checked between passes: the rules of the IR alone (NONE), also what the chip and
    the stage allow (BASIC), also that each stage's text reads back as the same (ROUNDTRIP)."""

    NONE = 0
    BASIC = 1
    ROUNDTRIP = 2


class MemoryPlanner(enum.Enum):
    """Who gives tiles their addresses."""

    PYPTO = 0
    DSA_RP = 1
    PTOAS = 2


class DiagnosticPhase(enum.Enum):
    """When hints and warnings are made."""

    NONE = 0
    PRE_PIPELINE = 1
    POST_PASS = 2
    POST_PIPELINE = 3


class BackendType(enum.Enum):
    """The chip."""

    Ascend910B = "910B"
    Ascend950 = "950"
