# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The examples: every launch that each of them makes, on both chips, is kept and looked at
from all sides. What an example computes it checks itself."""

from __future__ import annotations

import ast
import contextlib
import functools
import re
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pypto.language as pl
import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(Path(__file__).parent), str(TESTS / "Reference")]

from ascendc_harness import Library  # noqa: E402
from pypto.diagnostics.errors import ArgumentError, CompileError  # noqa: E402
from pypto.frontend import session  # noqa: E402
from pypto.ir import structural_equal  # noqa: E402
from pypto.ir.program import Passes, Program  # noqa: E402
from pypto.ir.signature import specialised_of  # noqa: E402
from pypto.jit import driver  # noqa: E402
from pypto.jit.compiled import snapshots  # noqa: E402
from pypto.runtime import RunConfig, arrays, compare  # noqa: E402
from pypto.runtime.check_passes import check  # noqa: E402
from pypto.runtime.config import PLATFORMS  # noqa: E402
from test_end_to_end import EXAMPLES, load_example, opt  # noqa: E402
from test_mutation_score import Kernel, score  # noqa: E402

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
SIMULATORS = ("a2a3sim", "a5sim")
EACH = [pytest.param(n, p, id=f"{n}-{PLATFORMS[p][0]}") for n in NAMES for p in SIMULATORS]
LINES, SECONDS, SCHEDULES = 120, 5.0, 8


class Run(NamedTuple):
    """A launch: the program, the name, direction and value of each of its parameters before
    the run, and the arrays that it wrote."""

    compiled: driver.Compiled
    parameters: list
    after: dict

    @property
    def specialised(self):
        return self.compiled.specialised

    def arguments(self) -> list:
        """Fresh values, as NumPy arrays."""
        return [
            value.copy() if isinstance(value, np.ndarray) else value
            for _, _, value in self.parameters
        ]

    def buffers(self) -> list:
        """The same, as the driver gives them to the model."""
        return [
            (name, direction, arrays.buffer(name, value.copy()))
            if isinstance(value, np.ndarray)
            else (name, direction, value)
            for name, direction, value in self.parameters
        ]


def kept(compiled, values, config) -> Run:
    """Runs a program on the arguments, and keeps what it was given and what it made."""
    found = driver.given(compiled.specialised, values)
    before = [
        (name, direction, arrays.as_numpy(value).copy())
        if isinstance(value, arrays.Buffer)
        else (name, direction, value)
        for name, direction, value in found
    ]
    compiled.get_model().run([v for *_, v in found], **driver.options(config))
    after = {
        name: arrays.as_numpy(value).copy()
        for name, direction, value in found
        if isinstance(value, arrays.Buffer) and direction != "in"
    }
    return Run(compiled, before, after)


@contextlib.contextmanager
def recording(platform):
    """Keeps each launch that runs inside. `run` and `profile` of the driver do what they do,
    behind a run of ours on copies."""
    runs = []

    def recorded(work):
        def wrapper(compiled, values, config):
            copies = [
                arrays.buffer("", arrays.as_numpy(value).copy())
                if isinstance(value, arrays.Buffer)
                else value
                for value in values
            ]
            runs.append(kept(compiled, copies, config))
            return work(compiled, values, config)

        return wrapper

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYPTO_PLATFORM", platform)
        for name in ("run", "profile"):
            patch.setattr(driver, name, recorded(getattr(driver, name)))
        yield runs


@pytest.fixture(scope="module")
def launches(tmp_path_factory):
    """The launches of an example on a platform; each example runs once."""
    folder = tmp_path_factory.mktemp("examples")

    @functools.cache
    def of(name, platform):
        with pytest.MonkeyPatch.context() as patch, recording(platform) as runs:
            patch.chdir(folder)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                start = time.monotonic()
                load_example(name).main()
        return runs, time.monotonic() - start

    return of


def extents(run, parameters) -> list[int]:
    """What an entry takes behind its arguments: `x_dim0`, an extent that the run knows."""
    shapes = {name: np.shape(value) for name, _, value in run.parameters}
    found = [re.fullmatch(r"(.*)_dim(\d+)", p.name) for p in parameters[len(run.parameters) :]]
    return [shapes[each[1]][int(each[2])] for each in found]


def bits(value):
    """An array of BF16 as one of its bits."""
    is_bf16 = getattr(getattr(value, "dtype", None), "name", "") == "bfloat16"
    return value.view(np.uint16) if is_bf16 else value


def text_alone(source: str) -> str:
    """The language in a file of Python: its imports, constants and functions."""
    kept = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            keep = ast.unparse(node) in ("import pypto.language as pl", "import math")
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            keep = bool(node.decorator_list)
        else:
            keep = isinstance(node, ast.Assign)
        if keep:
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            kept.append("\n".join(source.splitlines()[first - 1 : node.end_lineno]))
    return "\n".join(kept)


def test_a_text_is_the_program_of_its_module():
    """`pl.parse` of each example whose annotations say its types, of which there are many."""
    same = 0
    for name in NAMES:
        module, source = load_example(name), (EXAMPLES / f"{name}.py").read_text()
        try:
            parsed = pl.parse(text_alone(source), f"{name}.py")
        except CompileError as error:
            # Some have two entries, or read an array of NumPy.
            assert re.search("has one class|is no constant", str(error)), str(error)
            continue
        original = getattr(module, parsed.__name__)
        entries = [getattr(each, "entry", each) for each in (original, parsed)]
        try:
            programs = [str(driver.specialise(entry, (), {}).program) for entry in entries]
        except ArgumentError:  # bare pl.Tensor
            continue
        assert programs[0] == programs[1], name
        same += 1
    assert same > 40


@pytest.mark.parametrize("name, platform", EACH)
def test_parameters_and_results_are_read_from_the_ir(name, platform, launches):
    """What ir.compile needs of a program that is text, before and after the passes."""
    for run in programs(launches(name, platform)[0]):
        known = run.specialised
        held = [index for index, kind in enumerate(known.types) if isinstance(kind, session.Type)]
        held += [len(known.parameters) + index for index in range(len(known.results))]
        returns = known.returns
        if isinstance(returns, tuple):
            returns = tuple(held.index(index) for index in returns)
        elif returns is not None:
            returns = held.index(returns)
        for program in (known.program, run.compiled.final):
            found = specialised_of(Program.parse(program.as_mlir()))
            assert found.returns == returns
            directions = [each.direction for each in known.parameters] + ["out"] * len(
                known.results
            )
            assert [each.direction for each in found.parameters] == [directions[i] for i in held]
            assert [str(kind) for kind in found.types] == [
                str(kind)
                for kind in (*known.types, *known.results)
                if isinstance(kind, session.Type)
            ]


def programs(runs) -> list[Run]:
    """The launches with different programs."""
    return list({id(run.compiled): run for run in runs}.values())


def test_there_are_forty():
    assert len(NAMES) >= 40


def test_the_index_names_each():
    text = (EXAMPLES / "README.md").read_text()
    assert sorted(re.findall(r"^- \[`(\w+)\.py`\]", text, re.M)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_a_lesson(name):
    """Short, with a first sentence on what it shows, and it checks itself."""
    text = (EXAMPLES / f"{name}.py").read_text()
    assert text.count("\n") < LINES
    assert re.match(r'"""[A-Z`][^"]{20,}[.]', text)
    assert re.search(r"\bassert\b|np\.testing\.", text)


@pytest.mark.parametrize("name, platform", EACH)
def test_an_example_checks_itself(name, platform, launches, capfd):
    """Without a warning, and in time."""
    runs, seconds = launches(name, platform)
    assert runs and seconds < SECONDS
    assert not capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("name, platform", EACH)
def test_every_pass_keeps_the_answer(name, platform, launches, tmp_path):
    """With every check on and eight schedules, before and after every pass."""
    config = RunConfig(platform=platform, checks="all", schedules=SCHEDULES)
    for run in programs(launches(name, platform)[0]):
        program = run.specialised.program
        stages = program.stages(Passes.pipeline(config.target).single())
        result = check(stages, run.buffers(), tmp_path, **driver.options(config))
        assert result.agrees and len(result.stages) > 15


@pytest.mark.slow
@pytest.mark.parametrize("platform", SIMULATORS)
def test_every_stage_reads_back(platform, launches):
    """What as_python prints, from the front end's module to the final one, is that program."""
    for name in NAMES:
        for run in programs(launches(name, platform)[0]):
            steps = Passes.pipeline(PLATFORMS[platform][0]).single()
            for stage, program in run.specialised.program.stages(steps):
                again = Program.from_python(program.as_python())
                assert structural_equal(again, program), f"{name}: {stage}"
                assert again.name == program.name


@pytest.mark.slow
@pytest.mark.parametrize("platform", SIMULATORS)
def test_the_cpp_gives_the_models_answer(platform, launches, tmp_path):
    """Emitted C++ over the host header, which reports nothing (docs/design.md, "Numbers")."""
    runs = {
        f"{name} {number}": run
        for name in NAMES
        for number, run in enumerate(programs(launches(name, platform)[0]))
    }
    library = Library({name: run.compiled.final.emit() for name, run in runs.items()}, tmp_path)
    for name, run in runs.items():
        given, entry = run.arguments(), run.compiled.final.name
        reports = library.run(name, entry, *given, *extents(run, library.parameters(name, entry)))
        assert not reports, (name, reports)
        for (array, _, _), value in zip(run.parameters, given, strict=True):
            if array in run.after:
                terms = compare.product_terms(run.compiled.final._operation, 4096)
                assert compare.within(value, run.after[array], terms).all(), (name, array)


@pytest.mark.slow
@pytest.mark.parametrize("name, platform", EACH)
def test_every_dump_replays(name, platform, launches, tmp_path):
    """pypto-opt makes each dump from its predecessor with one flag, and the last one from
    the first with all of them, or with --pto-pipeline."""
    chip = PLATFORMS[platform][0]
    for run in programs(launches(name, platform)[0]):
        dumps = snapshots(run.specialised.program, chip)
        files = [tmp_path / file for file in dumps]
        for file in files:
            file.write_text(dumps[file.name])
        assert files[0].name == "00_frontend.mlir" and len(files) > 10
        flags = ["--" + re.fullmatch(r"\d\d_after_(.*)\.mlir", f.name)[1] for f in files[1:]]
        for before, after, flag in zip(files, files[1:], flags, strict=False):
            assert opt(before, flag) == dumps[after.name], f"{after.name} from its predecessor"
        assert opt(files[0], *flags) == dumps[files[-1].name]
        assert opt(files[0], "--pto-pipeline") == dumps[files[-1].name]


@pytest.mark.slow
@pytest.mark.parametrize("platform", SIMULATORS)
def test_mutants_are_caught(platform, launches, capsys):
    """Each flag, wait, barrier and edge that is taken away or changed: the model refuses the
    program, or the order is still there. The first program of each example: in others the
    arguments may leave a loop one iteration, and then nothing has to wait for the next."""
    rows = []
    for name in NAMES:
        run = launches(name, platform)[0][0]
        # The model of test/Reference takes bits where NumPy has no type.
        arguments = [bits(a) for a in run.arguments()]
        written = [i for i, (array, *_) in enumerate(run.parameters) if array in run.after]
        final = run.compiled.final
        rows.append((name, *score(Kernel(name, str(final), final.name, arguments, written))))
    with capsys.disabled():
        print(f"\n{'example':<24} mutants  caught  harmless")
        for name, count, caught, harmless, _ in rows:
            print(f"{name:<24} {count:7} {caught:7} {harmless:9}")
    survivors = [f"{row[0]}: {what}" for row in rows for what in row[4]]
    assert not survivors, "\n".join(survivors)
    assert sum(row[2] for row in rows) >= 0.98 * sum(row[1] for row in rows)
    assert all(row[2] > 5 for row in rows)
