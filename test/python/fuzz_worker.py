# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Runs mutants, a process for many: a line of JSON on standard input is one, a line of JSON on
standard output says what is wrong with what it gave, or nothing."""

from __future__ import annotations

import ast
import faulthandler
import functools
import importlib.util
import json
import os
import re
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np
from pypto.diagnostics.errors import PyptoError
from pypto.ir import reader
from pypto.ir.program import Passes, Program
from pypto.jit import driver
from pypto.runtime.reference import ReferenceModel
from pypto.tools import arguments
from pypto_pro.jit import programs

# The steps of a launch, its seconds, and the launches that are made of a program.
STEPS, SECONDS, LAUNCHES = 20_000, 10, 3
# Words of MLIR's that a user of Python has not written.
IR_WORDS = ("custom op", "expected SSA", "unknown location", "loc(", "!pto.", "has no parser")


class TooSlow(BaseException):
    """A mutant ran longer than SECONDS."""


class Enough(BaseException):
    """A mutant has made LAUNCHES."""


def _too_slow(*_) -> None:
    raise TooSlow


class _Launches:
    """`driver.options` for a mutant: counts its launches, each of which has time of its own."""

    def __init__(self, options):
        self._options, self.made = options, 0

    def __call__(self, config) -> dict:
        self.made += 1
        if self.made > LAUNCHES:
            raise Enough
        signal.alarm(SECONDS)
        return self._options(config) | {"step_limit": STEPS}


def _wrong_message(error: PyptoError, python: bool) -> str | None:
    if not error.diagnostics:
        return "an error without a message"
    for diagnostic in error.diagnostics:
        if not diagnostic.message.strip():
            return "an empty message"
        # A module that its file does not name begins at line 0.
        if not diagnostic.file or diagnostic.line < python:
            return f"no place: {diagnostic.message}"
        if python and any(word in diagnostic.message for word in IR_WORDS):
            return f"words of the IR: {diagnostic.message}"
        if python and diagnostic.file.endswith(".mlir"):
            return f"a place in the IR: {diagnostic.message}"
    return None


def _ours(error: BaseException) -> str | None:
    """What is wrong where an exception that is none of ours came out of our code."""
    frames = traceback.extract_tb(error.__traceback__)
    if not any("/pypto/" in f.filename or "/pypto_pro/" in f.filename for f in frames):
        return None
    last, caller = frames[-1], frames[-2]
    # What Python itself asks of our names (`pl.missing`, `pl.load(x)` outside of a kernel) is
    # answered as Python does, at the author's line.
    direct = caller.filename.endswith("/mutant.py") and last.line.startswith("raise ")
    if direct and isinstance(error, (AttributeError, TypeError, RuntimeError)):
        return None
    return f"{type(error).__name__}: {error} at {last.filename}:{last.lineno} in {last.name}"


_DTYPES = {"FP32": "f4", "FP16": "f2", "INT8": "i1", "INT16": "i2", "INT32": "i4", "INT64": "i8"}
_DTYPES |= {"UINT8": "u1", "UINT16": "u2", "UINT32": "u4", "UINT64": "u8", "BOOL": "?"}


def _value(annotation: ast.AST | None):
    """An argument for a parameter: zeros as it is annotated, or 1 for a scalar."""
    text = ast.unparse(annotation) if annotation is not None else "pl.Tensor"
    if "Tensor" not in text and "Ptr" not in text:
        return 1
    lists = [n for n in ast.walk(annotation or ast.Tuple([])) if isinstance(n, ast.List)]
    extents = lists[0].elts if lists else [ast.Constant(64), ast.Constant(64)]
    numbers = [n.value if isinstance(n, ast.Constant) else 64 for n in extents]
    shape = [n if type(n) is int and 0 < n < 4096 else 64 for n in numbers]
    words = [n.attr for n in ast.walk(annotation or ast.Tuple([])) if isinstance(n, ast.Attribute)]
    dtype = next((_DTYPES[w] for word in words if (w := word.removeprefix("DT_")) in _DTYPES), "f4")
    return np.zeros(shape[:4], dtype)


def _call_all(module, text: str) -> None:
    """The kernels of a program that has no main()."""
    for node in ast.parse(text).body:
        kernel = getattr(module, getattr(node, "name", ""), None)
        if not isinstance(node, ast.FunctionDef) or not driver.is_function(kernel):
            continue
        if not re.search(r"\.(incore|inline)\b", " ".join(map(ast.unparse, node.decorator_list))):
            kernel(*[_value(argument.annotation) for argument in node.args.args])


def run_python(text: str, folder: Path) -> str | None:
    path = folder / "mutant.py"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    try:
        spec = importlib.util.spec_from_file_location("mutant", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["mutant"] = module
        exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
        module.main() if hasattr(module, "main") else _call_all(module, text)
    except PyptoError as error:
        return _wrong_message(error, python=True)
    except (Exception, SystemExit) as error:
        return _ours(error)
    return None


def _arguments(entry) -> list:
    """Zeros for arrays, 1 for numbers."""
    count = len(entry.regions[0].blocks[0].arguments)
    types = [str(argument.type) for argument in entry.regions[0].blocks[0].arguments]
    arrays = [kind.startswith(("tensor", "!pto.gm", "!pto.tensor")) for kind in types]
    return arguments.parameters(entry, ["out" if arrays[i] else "1" for i in range(count)])


def run_ir(text: str, folder: Path) -> str | None:
    path = folder / "mutant.mlir"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return _run_program(lambda: Program.read(path))


def run_printed(text: str, folder: Path) -> str | None:
    """A text of `as_python`."""
    return _run_program(lambda: reader.read(text.encode("utf-8", "replace").decode(), "mutant.py"))


def _run_program(read) -> str | None:
    def model(program) -> None:
        try:
            entry = arguments.find_entry(program, None)
            values = [value for _, _, value in _arguments(entry)]
        except PyptoError:
            return  # a module without one entry, or with an array of an unknown shape
        from pypto.mlir import ir

        name = ir.StringAttr(entry.attributes["sym_name"]).value
        ReferenceModel(program._operation, name).run(values, STEPS)

    try:
        program = read()
    except PyptoError as error:
        return _wrong_message(error, python=False)
    except Exception as error:
        return _ours(error)
    found = []
    lowered = []
    steps = (
        lambda: model(program),
        lambda: lowered.append(program.after(Passes.pipeline())),
        lambda: (lowered[0] if lowered else program).emit(),
    )
    for step in steps:
        try:
            step()
        except PyptoError as error:
            found.append(_wrong_message(error, python=False))
        except Exception as error:
            found.append(_ours(error))
    return next((wrong for wrong in found if wrong), None)


def stages(text: str, folder: Path, print_=Program.as_mlir) -> list[str]:
    """Every stage of what a program launches, as a text."""
    seen, call = [], driver._cached

    def cached(function, values, config, *rest):
        found = call(function, values, config, *rest)
        seen.append(found)
        return found

    driver._cached = cached
    try:
        run_python(text, folder)
    except Enough:
        pass
    finally:
        driver._cached = call
    found = []
    for compiled in seen[:2]:
        program = getattr(compiled, "specialised", compiled).program
        try:
            found += [print_(p) for _, p in program.stages(Passes.pipeline().single())]
        except PyptoError:
            continue
    return found


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    faulthandler.enable()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _too_slow)
    launches = driver.options = programs.options = _Launches(driver.options)
    run = {"python": run_python, "ir": run_ir, "printed": run_printed, "stages": stages}
    run["printed stages"] = functools.partial(stages, print_=Program.as_python)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for line in sys.stdin:
            kind, text = json.loads(line)
            launches.made = 0
            signal.alarm(SECONDS)
            try:
                answer = run[kind](text, Path(folder))
            except Enough:
                answer = None
            except TooSlow:
                answer = f"runs longer than {SECONDS} s"
            signal.alarm(0)
            answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
