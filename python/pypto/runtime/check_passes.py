# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Which pass changes what a program computes: the program runs after each of them."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import shlex
import time
from collections.abc import Iterable

import numpy as np

from ..diagnostics.errors import Diagnostic, PassCheckError, RunError
from ..ir.program import Program, pass_of
from . import arrays, compare
from .arrays import Buffer
from .reference import ReferenceModel

_TOOL = "python -m pypto.tools.check_passes"


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first element of an array that is not what the first stage made it."""

    array: str
    index: tuple[int, ...]
    got: object
    want: object
    count: int
    size: int

    def __str__(self) -> str:
        many = f" ({self.count} of {self.size} elements differ)" if self.size > 1 else ""
        return f"'{self.array}' at {list(self.index)} is {self.got}, and was {self.want}{many}"


@dataclasses.dataclass
class StageAnswer:
    """What one stage made of the arguments. `exact`: bit for bit what the first stage
    made, not only within the sums of a product."""

    file: str
    program: Program
    seconds: float = 0.0
    exact: bool = True
    difference: Difference | None = None
    failure: list[Diagnostic] | None = None

    @property
    def name(self) -> str:
        """The pass behind which the stage is."""
        return pass_of(self.file)

    @property
    def agrees(self) -> bool:
        return self.difference is None and self.failure is None

    @property
    def words(self) -> str:
        if self.failure is not None:
            return f"fails: {self.failure[0].message}"
        if self.difference is not None:
            return str(self.difference)
        return "same" if self.exact else "same within the sums of its products"


@dataclasses.dataclass
class PassCheck:
    """The stages that ran, up to the first that disagrees; `str()` is a table."""

    name: str
    stages: list[StageAnswer]
    written: list[str]
    # Where the modules around the pass and the arguments are, if one disagrees.
    folder: pathlib.Path | None = None

    @property
    def agrees(self) -> bool:
        return all(stage.agrees for stage in self.stages)

    @property
    def culprit(self) -> str | None:
        """The first pass that changes an answer, or behind which the program fails."""
        return None if self.agrees else self.stages[-1].name

    @property
    def before(self) -> pathlib.Path | None:
        """The module before that pass."""
        return None if self.folder is None else self.folder / self.stages[-2].file

    @property
    def after(self) -> pathlib.Path | None:
        return None if self.folder is None else self.folder / self.stages[-1].file

    def __str__(self) -> str:
        end = "each pass keeps every answer" if self.agrees else f"{self.culprit} does not"
        width = max(len(stage.name) for stage in self.stages)
        lines = [f"{self.name}, arrays {', '.join(self.written) or '(none written)'}: {end}"]
        lines += [
            f"  {number:02}  {stage.name:<{width}}  {stage.seconds * 1000:8.1f} ms  {stage.words}"
            for number, stage in enumerate(self.stages)
        ]
        return "\n".join(lines)


class _Arguments:
    """What each run is given: fresh copies, so that the caller's arrays stay as they are."""

    def __init__(self, parameters: list[tuple[str, str, object]]):
        self.parameters = parameters
        self.written = [
            name
            for name, direction, value in parameters
            if isinstance(value, Buffer) and direction != "in"
        ]
        self._kept = {
            name: arrays.as_numpy(value).copy()
            for name, _, value in parameters
            if isinstance(value, Buffer)
        }

    @property
    def largest(self) -> int:
        return max((max(array.shape, default=1) for array in self._kept.values()), default=1)

    def run(self, program: Program, options: dict) -> dict[str, np.ndarray]:
        """The arrays that the program writes, after a run."""
        fresh = {name: array.copy() for name, array in self._kept.items()}
        values = [
            arrays.buffer(name, fresh[name]) if name in fresh else value
            for name, _, value in self.parameters
        ]
        ReferenceModel(program._operation, program.name).run(values, **options)
        return {name: fresh[name] for name in self.written}

    def save(self, folder: pathlib.Path) -> list[str]:
        """Writes the arrays; the words of --args."""
        words = []
        for number, (name, _, value) in enumerate(self.parameters, 1):
            if name in self._kept:
                array = self._kept[name]
                # NumPy writes its own types only; two bytes that it does not know are BF16.
                plain = array.view("V2") if array.dtype.name == "bfloat16" else array
                path = folder / re.sub(r"\W", "_", f"{number}_{name}")
                np.save(path.with_suffix(".npy"), plain)
                words.append(str(path.with_suffix(".npy")))
            else:
                words.append(repr(int(value) if isinstance(value, bool) else value))
        return words


def _difference(name: str, got, want, agrees) -> Difference | None:
    if agrees.all():
        return None
    places = np.argwhere(~agrees)
    index = tuple(int(extent) for extent in places[0])
    return Difference(name, index, got[index], want[index], len(places), want.size)


def _ask(stage: StageAnswer, given: _Arguments, wanted: dict | None, terms: int, options: dict):
    """Runs a stage and compares it with the first one's arrays; gives its own."""
    begin = time.perf_counter()
    try:
        made = given.run(stage.program, options)
    except RunError as error:
        stage.failure = error.diagnostics
        return None
    finally:
        stage.seconds = time.perf_counter() - begin
    for name, want in (wanted or {}).items():
        stage.exact &= bool(compare.same_bits(made[name], want).all())
        agrees = compare.within(made[name], want, terms)
        stage.difference = stage.difference or _difference(name, made[name], want, agrees)
    return made


def check(
    stages: Iterable[tuple[str, Program]],
    parameters: list[tuple[str, str, object]],
    folder: pathlib.Path,
    **options,
) -> PassCheck:
    """Runs the stages, (file name, program) each, on copies of the arguments, until one
    disagrees with the first; that is a PassCheckError, and the modules are in `folder`.
    `options`: those of ReferenceModel.run."""
    given = _Arguments(parameters)
    wanted, terms = None, 0
    found: list[StageAnswer] = []
    for file, program in stages:
        stage = StageAnswer(file, program)
        found.append(stage)
        made = _ask(stage, given, wanted, terms, options)
        result = PassCheck(program.name, found, given.written)
        if len(found) == 1:
            if stage.failure is not None:
                raise _fails_at_once(stage, result)
            wanted = made
            terms = compare.product_terms(program._operation, given.largest)
        elif not stage.agrees:
            raise _save(result, given, folder)
    return result


def _fails_at_once(stage: StageAnswer, result: PassCheck) -> PassCheckError:
    text = "this is so before the first pass, so that no pass is to blame"
    stage.failure[0].notes.append(Diagnostic(text, severity="note"))
    return PassCheckError(stage.failure, result)


def _save(result: PassCheck, given: _Arguments, folder: pathlib.Path) -> PassCheckError:
    folder.mkdir(parents=True, exist_ok=True)
    result.folder = folder
    before, stage = result.stages[-2:]
    for each in (before, stage):
        (folder / each.file).write_text(each.program.as_mlir())
    words = [result.before, result.after, "--entry", result.name, "--args", *given.save(folder)]
    command = f"{_TOOL} {shlex.join(map(str, words))}"
    if stage.failure is None:
        message = f"{stage.name} changes an answer of '{result.name}': {stage.difference}"
        causes = []
    else:
        message = f"{stage.name} makes '{result.name}' fail, which {before.name} did not"
        causes = [dataclasses.replace(cause, severity="note") for cause in stage.failure]
    notes = [
        *causes,
        Diagnostic(f"before it: {result.before}; behind it: {result.after}", severity="note"),
        Diagnostic(f"again: {command}", severity="note"),
    ]
    return PassCheckError([Diagnostic(message, notes=notes)], result)
