# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A program in the IR."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator

from ..diagnostics.errors import CompileError, Diagnostic, raise_all
from ..diagnostics.mlir import collect
from ..frontend import session
from ..mlir import ir
from ..mlir.passmanager import PassManager
from .unsaid import split


def pass_of(file: str) -> str:
    """The pass behind which a dump was written, by the name of its file."""
    stem = pathlib.PurePath(file).stem
    return stem.partition("_after_")[2] or re.sub(r"^\d+_", "", stem)


class Program:
    """A module. It never changes: passes run on a copy."""

    def __init__(self, operation, entry: str, label: str | None = None):
        """`label`: the name of the class under @pl.program; else the entry's."""
        self._operation = operation
        self.name = entry
        self._label = label or entry
        # What a run takes and gives (driver.Specialised), if the front end made the program.
        self.specialised = None

    @classmethod
    def parse(cls, text: str, name: str = "program") -> Program:
        """The program of a text in MLIR, such as a dump."""
        return cls._parsed(lambda: ir.Module.parse(text, session.CONTEXT), name)

    @classmethod
    def from_python(cls, text: str, file: str = "<string>") -> Program:
        """The program of a text that `as_python` printed, at any stage. `file`: what errors
        call the text."""
        from .reader import read

        return read(text, file)

    @classmethod
    def read(cls, file, name: str = "program") -> Program:
        """The program of a file in MLIR. What it calls %acc and whose location has no name
        is called acc."""
        from ..mlir._mlir_libs import _pto

        with open(file, encoding="utf-8", errors="replace") as opened:
            text = opened.read()
        return cls._parsed(lambda: _pto.parse_named(session.CONTEXT, text, str(file)), name)

    @classmethod
    def _parsed(cls, parse, name: str) -> Program:
        operation = None
        with session.LOCK, collect(session.CONTEXT) as found:
            try:
                operation = parse().operation.clone()
            except (ir.MLIRError, ValueError):
                pass
        if operation is not None:
            return cls(operation, name)
        raise_all(found or [Diagnostic("the text is no MLIR module")])

    def __str__(self) -> str:
        """The program as MLIR."""
        with session.LOCK:
            return self._operation.get_asm(use_name_loc_as_prefix=True)

    def __repr__(self) -> str:
        return f"<program {self.name}>"

    def as_python(self) -> str:
        """The program in the language's own syntax, at any stage. `from_python` reads it back;
        what a line leaves unsaid stands behind it in a comment `#: ...`.

        >>> import pypto.language as pl
        >>> from pypto.ir import Program, structural_equal
        >>> @pl.program
        ... class Twice:
        ...     @pl.function(type=pl.FunctionType.InCore)
        ...     def twice(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor]):
        ...         out[:] = pl.add(x, x)
        >>> structural_equal(Program.from_python(Twice.as_python()), Twice)
        True
        """
        from .printer import print_module

        with session.LOCK, session.CONTEXT:
            return print_module(self._operation, self._label)

    def as_mlir(self) -> str:
        """The program as MLIR with every location, as `pypto-opt` prints it."""
        with session.LOCK:
            text = self._operation.get_asm(enable_debug_info=True, use_name_loc_as_prefix=True)
        return text + "\n"

    def on(self, target: str) -> Program:
        """The program for a chip, which every stage and dump of it says."""
        with session.LOCK:
            made = self._operation.clone()
            with session.CONTEXT:
                made.attributes["pto.target"] = ir.StringAttr.get(target)
        return self._like(made)

    def _like(self, operation) -> Program:
        """Another stage of this program."""
        made = Program(operation, self.name, self._label)
        made.specialised = self.specialised
        return made

    def after(self, passes: Passes) -> Program:
        """The program after passes."""
        with session.LOCK, collect(session.CONTEXT) as found:
            made = self._operation.clone()
            failed = not passes.run(made)
        if found:
            raise_all(found)
        if failed:
            raise CompileError(f"{passes} failed on program '{self.name}' without saying why")
        return self._like(made)

    def stages(self, passes: list[Passes]) -> Iterator[tuple[str, Program]]:
        """The program before the first of `passes` and after each one, each with the name
        of its dump. Checks between passes are run and are no stage of their own."""
        program, number = self, 0
        yield "00_frontend.mlir", program
        for step in passes:
            program = program.after(step)
            if str(step) != "pto-verify-level":
                number += 1
                yield f"{number:02}_after_{step}.mlir", program

    def emit(self) -> list[tuple[str, str]]:
        """(path, text) of each AscendC source of a final program."""
        from ..mlir._mlir_libs import _pto

        failure = None
        with session.LOCK, collect(session.CONTEXT) as found:
            try:
                return _pto.emit_ascendc(self._operation)
            except ValueError as error:
                failure = error
        if found:
            raise_all(found)
        raise CompileError(str(failure)) from None


class Passes:
    """One pass or a whole pipeline, by its text."""

    _known: dict[str, Passes] = {}

    def __init__(self, text: str):
        self.text = text
        self._manager = PassManager.parse(f"builtin.module({text})", session.CONTEXT)
        # `after` verifies the outcome, and pto-verify-level runs behind each pass.
        self._manager.enable_verifier(False)

    def __str__(self) -> str:
        return self.text.partition("{")[0]

    @staticmethod
    def of(text: str) -> Passes:
        found = Passes._known.get(text)
        if found is None:
            found = Passes._known[text] = Passes(text)
        return found

    @staticmethod
    def pipeline(target: str | None = None, keys: str = "") -> Passes:
        """All passes: what `pypto-opt --pto-pipeline` runs. Without a chip a program keeps
        the one that it names. `keys`: the tiling keys to compile for,
        `HasAtten=1,BlockM=128;HasAtten=0,BlockM=64`."""
        words = [f"target={target}"] if target else []
        words += [f"keys={keys}"] if keys else []
        return Passes.of("pto-pipeline" + (f"{{{' '.join(words)}}}" if words else ""))

    def run(self, operation) -> bool:
        try:
            self._manager.run(operation)
            return operation.verify()
        except ir.MLIRError:
            return False

    def single(self) -> list[Passes]:
        """The passes of the pipeline one by one."""
        expanded = str(self._manager)
        inner = expanded[expanded.index("(") + 1 : expanded.rindex(")")]
        return [Passes.of(part) for part in split(inner)]
