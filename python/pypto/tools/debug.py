# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The debugger for a module of any stage, such as a dump or a kernel written by hand.

    python -m pypto.tools.debug MODULE.mlir --args a.npy b.npy out

Lines are those of the Python source where the module says them, else the module's own.
Commands come from the standard input; help tells them. Exit code: 0; 1 if the run failed
or the module is none, 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from ..diagnostics.errors import ArgumentError, PyptoError
from ..diagnostics.mlir import text_of
from ..frontend import session
from ..ir.program import Program, pass_of
from ..runtime.debug_prompt import interact
from ..runtime.debugger import Debugger
from ..runtime.reference import ReferenceModel
from . import arguments


def _words() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pypto.tools.debug",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("module", metavar="MODULE.mlir", type=pathlib.Path)
    arguments.add_run_words(parser)
    return parser


def _debugger(words) -> Debugger:

    try:
        program = Program.read(words.module)
    except OSError as error:
        arguments.fail(f"{words.module}: {error.strerror}")
    with session.LOCK:
        entry = arguments.find_entry(program, words.entry)
        name = text_of(entry.attributes["sym_name"])
        parameters = arguments.parameters(entry, words.args)
        model = ReferenceModel(program._operation, name)
    options = {"step_limit": words.step_limit}
    # Between the lines of a dump there are flags that a pass put there.
    stage = pass_of(words.module.name) if "_after_" in words.module.name else "frontend"
    return Debugger(name, stage, model, parameters, options, lambda: None)


def main(argv: list[str] | None = None) -> int:
    try:
        debugger = _debugger(_words().parse_args(argv))
    except PyptoError as error:
        print(str(error).lstrip(), file=sys.stderr)
        return 2 if isinstance(error, ArgumentError) else 1
    interact(debugger)
    return 1 if debugger.failed else 0


if __name__ == "__main__":
    sys.exit(main())
