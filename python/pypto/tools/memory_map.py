# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The memory map of a dump, for a terminal or as a page.

    python -m pypto.tools.memory_map passes_dump/14_after_pto-plan-memory.mlir -o map.html

Any dump from pto-plan-memory on has addresses. Exit code: 0, or 1 if there is no map.
"""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import sys

from ..diagnostics.errors import CompileError, PyptoError
from ..ir.memory import MemoryMap
from ..ir.program import Program


def _words() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pypto.tools.memory_map",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("dump", metavar="DUMP.mlir", type=pathlib.Path)
    parser.add_argument(
        "-o", dest="output", metavar="FILE.html", type=pathlib.Path, help="write a page"
    )
    parser.add_argument("--function", metavar="NAME", help="only this kernel")
    return parser


def read(dump: pathlib.Path, function: str | None) -> MemoryMap:
    memory = MemoryMap.of(Program.read(dump))
    names = [kernel.name for kernel in memory.kernels]
    if not names:
        raise CompileError(
            f"{dump} has no allocation on chip: a memory map is of a module behind pto-plan-memory"
        )
    if function is None:
        return memory
    if function not in names:
        raise CompileError(
            f"{dump} has no kernel '{function}' with tiles on chip; it has {', '.join(names)}"
        )
    return MemoryMap([kernel for kernel in memory.kernels if kernel.name == function])


def main(argv: list[str] | None = None) -> int:
    words = _words().parse_args(argv)
    try:
        memory = read(words.dump, words.function)
        if words.output is not None:
            memory.save(words.output)
            return 0
    except PyptoError as error:
        print(str(error).lstrip(), file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    with contextlib.suppress(BrokenPipeError):
        print(memory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
