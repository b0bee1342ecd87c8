# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Environment variables: all that this package reads.

| variable | meaning | default |
|---|---|---|
| `PYPTO_PROG_BUILD_DIR` | the folder `compile()` writes to | `build_output/<name>_<time>` |
| `PYPTO_PLATFORM` | the platform where no `RunConfig` names one | `a2a3sim` |
| `PYPTO_STEP_LIMIT` | steps after which a run on the model ends with an error | 0: none |
| `PYPTO_VERIFY_LEVEL` | what `ir.compile` checks: `none`, `basic`, `roundtrip` | `basic` |

All are part of the key under which a compiled kernel is kept.
"""

from __future__ import annotations

import os

VARIABLES = ("PYPTO_PROG_BUILD_DIR", "PYPTO_PLATFORM", "PYPTO_STEP_LIMIT", "PYPTO_VERIFY_LEVEL")


def key() -> tuple:
    return tuple(os.environ.get(name) for name in VARIABLES)


def build_dir() -> str | None:
    return os.environ.get("PYPTO_PROG_BUILD_DIR") or None


def platform() -> str:
    return os.environ.get("PYPTO_PLATFORM") or "a2a3sim"


def verify_level() -> str:
    found = os.environ.get("PYPTO_VERIFY_LEVEL") or "basic"
    if found.lower() not in ("none", "basic", "roundtrip"):
        from .diagnostics.errors import CompileError

        raise CompileError(f"PYPTO_VERIFY_LEVEL is none, basic or roundtrip, found '{found}'")
    return found


def step_limit() -> int:
    text = os.environ.get("PYPTO_STEP_LIMIT", "0")
    try:
        return int(text)
    except ValueError:
        from .diagnostics.errors import RunError

        raise RunError(f"PYPTO_STEP_LIMIT is a number of steps, found '{text}'") from None
