# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Draws the tasks of a module's entries and what each waits for.

python -m pypto.tools.task_graph DUMP               # in the terminal
python -m pypto.tools.task_graph DUMP -o graph.svg  # a picture
python -m pypto.tools.task_graph DUMP -o graph.dot  # for Graphviz

DUMP is a module in MLIR, best a dump of pto-derive-task-deps; - is the standard input."""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import sys

from ..diagnostics.errors import CompileError
from ..ir.program import Program
from ..ir.task_graph import TaskGraph


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m pypto.tools.task_graph",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("dump", help="a module in MLIR, or -")
    parser.add_argument(
        "-o", "--output", default="-", help="a file .svg or .dot; - is the terminal"
    )
    parser.add_argument("--entry", help="only this entry")
    chosen = parser.parse_args(arguments)
    suffix = pathlib.Path(chosen.output).suffix
    if chosen.output != "-" and suffix not in (".svg", ".dot"):
        parser.error(f"-o {chosen.output}: the name ends in .svg or .dot, or is -")
    try:
        graph = _read(chosen.dump)
    except CompileError as error:
        print(str(error).lstrip(), file=sys.stderr)
        return 1
    except OSError as error:
        return _fail(error)
    if chosen.entry is not None:
        graph.entries = [entry for entry in graph.entries if entry.name == chosen.entry]
    if not graph.entries:
        what = f"entry '{chosen.entry}'" if chosen.entry else "entry"
        print(f"{chosen.dump} has no {what}", file=sys.stderr)
        return 1
    if chosen.output == "-":
        with contextlib.suppress(BrokenPipeError):
            print(graph)
        return 0
    text = graph.as_svg() if suffix == ".svg" else graph.as_dot()
    try:
        pathlib.Path(chosen.output).write_text(text, encoding="utf-8")
    except OSError as error:
        return _fail(error)
    return 0


def _fail(error: OSError) -> int:
    print(f"error: {error.filename}: {error.strerror}", file=sys.stderr)
    return 1


def _read(dump: str) -> TaskGraph:
    if dump == "-":
        text = sys.stdin.buffer.read().decode("utf-8", errors="replace")
        return TaskGraph.of(Program.parse(text, dump))
    return TaskGraph.of(Program.read(dump, dump))


if __name__ == "__main__":
    sys.exit(main())
