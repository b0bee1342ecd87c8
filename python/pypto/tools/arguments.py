# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What the tools that run a module take: its entry and its arguments, as `pypto-run` does."""

from __future__ import annotations

import argparse

import numpy as np

from ..diagnostics.errors import ArgumentError, Diagnostic
from ..diagnostics.mlir import text_of
from ..frontend import session
from ..ir.program import Program
from ..ir.types import Array, Scalar, annotation, name_of, parse_type
from ..runtime import arrays

_KERNELS = ("in_core", "aic", "aiv", "group")


def fail(text: str):
    raise ArgumentError([Diagnostic(text)])


def add_run_words(parser: argparse.ArgumentParser) -> None:
    """--entry, --args and --step-limit."""
    parser.add_argument("--entry", help="the function to run (default: the only candidate)")
    parser.add_argument(
        "--args",
        nargs="*",
        default=[],
        metavar="ARG",
        help="one for each parameter: a .npy file, a number, or 'out' for an array of zeros",
    )
    parser.add_argument("--step-limit", type=_count, default=0, metavar="N", help="0: none")


def _count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"a number of steps is wanted, found '{text}'")
    return int(text)


def _functions(program: Program) -> dict:
    """Each function of a module by name, with its kind."""

    found = {}
    for operation in program._operation.regions[0].blocks[0].operations:
        if operation.operation.name == "func.func":
            kind = operation.attributes["pto.kind"] if "pto.kind" in operation.attributes else ""
            name = text_of(operation.attributes["sym_name"])
            found[name] = (operation.operation, _enum_word(kind))
    return found


def _enum_word(attribute) -> str:
    """`in_core` of `#pto.kind<in_core>`."""
    return str(attribute).partition("<")[2].rstrip(">")


def find_entry(program: Program, name: str | None):
    found = _functions(program)
    if name is not None:
        if name not in found:
            fail(f"there is no function '{name}'; there are {', '.join(found) or 'none'}")
        return found[name][0]
    for kinds in (("orchestration",), _KERNELS):
        names = [each for each, (_, kind) in found.items() if kind in kinds]
        if len(names) > 1:
            fail(f"there are several functions to run; name one with --entry: {', '.join(names)}")
        if names:
            return found[names[0]][0]
    fail("there is no function to run")


def _number(where: str, text: str, dtype):
    try:
        return float(text) if dtype.is_float else int(text, 0)
    except ValueError:
        fail(f"{where}: '{text}' is no {dtype} number")


def _array(where: str, text: str, kind: Array, direction: str):
    if text == "out":
        if None in kind.shape:
            fail(f"{where} has no fixed shape; give it as a .npy file")
        return arrays.buffer(where, np.zeros(kind.shape, arrays.numpy_type(kind.dtype)))
    try:
        array = np.load(text, allow_pickle=False)
    except (OSError, ValueError) as error:
        fail(f"{where}: {text}: {error}")
    if array.dtype.kind == "V" and array.dtype.itemsize == 2:
        array = array.view(arrays.numpy_type(session.dtype_of(session.element_type(kind.dtype))))
    value = arrays.buffer(where, array)
    shape = tuple(
        found if wanted is None else wanted
        for wanted, found in zip(kind.shape, value.shape, strict=False)
    )
    arrays.check(where, value, shape, kind.dtype, direction)
    return value


def parameters(entry, words: list[str]) -> list[tuple[str, str, object]]:
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
        fail(f"--args takes {len(taken)} arguments ({names}), found {len(words)}")
    for (name, direction, kind), text in zip(taken, words, strict=True):
        where = f"argument '{name}'"
        if isinstance(kind, Array):
            found.append((name, direction, _array(name, text, kind, direction)))
        elif isinstance(kind, Scalar):
            found.append((name, direction, _number(where, text, kind.dtype)))
        else:
            fail(f"{where} is {annotation(kind)}, which a run cannot be given")
    return found
