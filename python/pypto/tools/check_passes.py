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

import numpy as np

from ..diagnostics.errors import ArgumentError, Diagnostic, PyptoError
from ..frontend import session
from ..ir.program import Passes, Program, pass_of
from ..ir.types import Array, name_of, parse_type
from ..runtime import arrays
from ..runtime.check_passes import check
from ..runtime.config import PLATFORMS

_KERNELS = ("in_core", "aic", "aiv", "group")


def _fail(text: str):
    raise ArgumentError([Diagnostic(text)])


def _words() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pypto.tools.check_passes",
        description=__doc__.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("modules", nargs="+", metavar="MODULE.mlir", type=pathlib.Path)
    parser.add_argument("--entry", help="the function to run (default: the only candidate)")
    parser.add_argument(
        "--args",
        nargs="*",
        default=[],
        metavar="ARG",
        help="one for each parameter: a .npy file, a number, or 'out' for an array of zeros",
    )
    targets = sorted({target for target, _ in PLATFORMS.values()})
    parser.add_argument("--target", choices=targets, default=targets[0], help="the chip")
    parser.add_argument("--after", metavar="PASS", help="the pass that made MODULE.mlir")
    parser.add_argument("--step-limit", type=int, default=0, metavar="N", help="0: none")
    parser.add_argument(
        "--save-to",
        type=pathlib.Path,
        default=pathlib.Path("check_passes"),
        metavar="FOLDER",
        help="where the modules around the pass go (default: %(default)s)",
    )
    return parser


def _functions(program: Program) -> dict:
    """Each function of a module by name, with its kind."""
    from ..mlir import ir

    found = {}
    for operation in program._operation.regions[0].blocks[0].operations:
        if operation.operation.name == "func.func":
            kind = operation.attributes["pto.kind"] if "pto.kind" in operation.attributes else ""
            name = ir.StringAttr(operation.attributes["sym_name"]).value
            found[name] = (operation.operation, _enum_word(kind))
    return found


def _enum_word(attribute) -> str:
    """`in_core` of `#pto.kind<in_core>`."""
    return str(attribute).partition("<")[2].rstrip(">")


def _entry(program: Program, name: str | None):
    found = _functions(program)
    if name is not None:
        if name not in found:
            _fail(f"there is no function '{name}'; there are {', '.join(found) or 'none'}")
        return found[name][0]
    for kinds in (("orchestration",), _KERNELS):
        names = [each for each, (_, kind) in found.items() if kind in kinds]
        if len(names) > 1:
            _fail(f"there are several functions to run; name one with --entry: {', '.join(names)}")
        if names:
            return found[names[0]][0]
    _fail("there is no function to run")


def _number(where: str, text: str, dtype):
    try:
        return float(text) if dtype.is_float else int(text, 0)
    except ValueError:
        _fail(f"{where}: '{text}' is no {dtype} number")


def _array(where: str, text: str, kind: Array, direction: str):
    if text == "out":
        if None in kind.shape:
            _fail(f"{where} has no fixed shape; give it as a .npy file")
        return arrays.buffer(where, np.zeros(kind.shape, arrays.numpy_type(kind.dtype)))
    try:
        array = np.load(text, allow_pickle=False)
    except (OSError, ValueError) as error:
        _fail(f"{where}: {text}: {error}")
    if array.dtype.kind == "V" and array.dtype.itemsize == 2:
        array = array.view(arrays.numpy_type(session.dtype_of(session.element_type(kind.dtype))))
    value = arrays.buffer(where, array)
    shape = tuple(
        found if wanted is None else wanted
        for wanted, found in zip(kind.shape, value.shape, strict=False)
    )
    arrays.check(where, value, shape, kind.dtype, direction)
    return value


def _parameters(entry, words: list[str]) -> list[tuple[str, str, object]]:
    """Name, direction and value of each parameter; Out arrays may be left out."""
    from ..mlir import ir

    block = entry.regions[0].blocks[0]
    attributes = entry.attributes["arg_attrs"] if "arg_attrs" in entry.attributes else None
    taken, found = [], []
    for index, argument in enumerate(block.arguments):
        held = ir.DictAttr(attributes[index]) if attributes is not None else {}
        direction = _enum_word(held["pto.dir"]) if "pto.dir" in held else "in"
        name = name_of(argument.location) or f"argument_{index + 1}"
        taken.append((name, direction, parse_type(argument.type)))
    inputs = [direction != "out" for _, direction, _ in taken]
    if len(words) == sum(inputs) != len(taken):
        given = iter(words)
        words = [next(given) if needed else "out" for needed in inputs]
    if len(words) != len(taken):
        names = ", ".join(name for name, _, _ in taken)
        _fail(f"--args takes {len(taken)} arguments ({names}), found {len(words)}")
    for (name, direction, kind), text in zip(taken, words, strict=True):
        where = f"argument '{name}'"
        if isinstance(kind, Array):
            found.append((name, direction, _array(name, text, kind, direction)))
        else:
            found.append((name, direction, _number(where, text, kind.dtype)))
    return found


def _passes_behind(words, file: pathlib.Path) -> list[Passes]:
    """The passes that a module has still before it."""
    passes = Passes.pipeline(words.target).single()
    names = [str(step) for step in passes]
    after = words.after or pass_of(file.name)
    if after not in names:
        if words.after:
            known = ", ".join(name for name in names if name != "pto-verify-level")
            _fail(f"--after: there is no pass '{after}'; there are {known}")
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
            _fail(f"{file}: {error.strerror}")
    entry = _entry(programs[0], words.entry)
    parameters = _parameters(entry, words.args)
    from ..mlir import ir

    for program in programs:
        program.name = ir.StringAttr(entry.attributes["sym_name"]).value
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
