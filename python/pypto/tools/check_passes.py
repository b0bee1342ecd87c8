# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Which pass changes what a module computes, on the command line.

    python -m pypto.tools.check_passes MODULE.mlir --args a.npy b.npy out

One module is run, and then what each pass that follows makes of it; a dump's name
(NN_after_<pass>.mlir) says which passes those are, as does --after. Of several modules
each is run as it is. Whatever disagrees with the first is reported, and the modules
around it are saved. Exit code: 0 if all agree, 1 if not, 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import sys

from ..diagnostics.errors import ArgumentError, PyptoError
from ..diagnostics.mlir import text_of
from ..frontend import session
from ..ir.program import Passes, Program, pass_of
from ..runtime.check_passes import check
from ..runtime.config import PLATFORMS
from . import arguments
from .arguments import fail


def _words() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pypto.tools.check_passes",
        description=__doc__.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("modules", nargs="+", metavar="MODULE.mlir", type=pathlib.Path)
    arguments.add_run_words(parser)
    targets = sorted({target for target, _ in PLATFORMS.values()})
    parser.add_argument("--target", choices=targets, help="the chip, where MODULE names none")
    parser.add_argument("--after", metavar="PASS", help="the pass that made MODULE.mlir")
    parser.add_argument(
        "--save-to",
        type=pathlib.Path,
        default=pathlib.Path("check_passes"),
        metavar="FOLDER",
        help="where the modules around the pass go (default: %(default)s)",
    )
    return parser


def _passes_behind(words, file: pathlib.Path) -> list[Passes]:
    """The passes that a module has still before it."""
    passes = Passes.pipeline(words.target).single()
    names = [str(step) for step in passes]
    after = words.after or pass_of(file.name)
    if after not in names:
        if words.after:
            known = ", ".join(name for name in names if name != "pto-verify-level")
            fail(f"--after: there is no pass '{after}'; there are {known}")
        return passes
    return passes[names.index(after) + 1 :]


def _stages(words, programs: list[Program]):
    if len(programs) > 1:
        names = [file.name for file in words.modules]
        if len(set(names)) < len(names):
            names = [f"{number:02}_{name}" for number, name in enumerate(names)]
        yield from zip(names, programs, strict=True)
        return
    (file,), (program,) = words.modules, programs
    stages = program.stages(_passes_behind(words, file))
    next(stages)
    yield file.name, program
    yield from stages


def run(words) -> None:
    programs = []
    for file in words.modules:
        try:
            programs.append(Program.read(file))
        except OSError as error:
            fail(f"{file}: {error.strerror}")
    entry = arguments.find_entry(programs[0], words.entry)
    parameters = arguments.parameters(entry, words.args)

    for program in programs:
        program.name = text_of(entry.attributes["sym_name"])
    print(check(_stages(words, programs), parameters, words.save_to, step_limit=words.step_limit))


def main(argv: list[str] | None = None) -> int:
    words = _words().parse_args(argv)
    if words.after and len(words.modules) > 1:
        _words().error("--after is for one module")
    with contextlib.suppress(BrokenPipeError), session.LOCK:
        try:
            run(words)
        except ArgumentError as error:
            print(str(error).lstrip(), file=sys.stderr)
            return 2
        except PyptoError as error:
            print(str(error).lstrip(), file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
