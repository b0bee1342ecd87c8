# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The commands pypto-opt, pypto-translate and pypto-run: one executable, which
does what its name says."""

from __future__ import annotations

import os
import pathlib
import sys


def _become(tool: str) -> None:
    package = pathlib.Path(__file__).resolve().parent.parent
    candidates = [package, *map(pathlib.Path, sys.modules["pypto"].__path__)]
    for folder in candidates:
        executable = folder / "mlir" / "_mlir_libs" / "pypto-tool"
        if executable.is_file():
            os.execv(executable, [tool, *sys.argv[1:]])
    sys.exit(
        f"{tool}: {candidates[0] / 'mlir/_mlir_libs/pypto-tool'} is missing; install pypto again"
    )


def opt() -> None:
    _become("pypto-opt")


def translate() -> None:
    _become("pypto-translate")


def run() -> None:
    _become("pypto-run")
