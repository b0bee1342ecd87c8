# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The examples of PyPTO Pro: with every check on, and their C++ over the host header."""

import contextlib
import importlib.util
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from pypto.ir import structural_equal
from pypto.ir.program import Passes, Program
from pypto.runtime.config import RunConfig
from pypto_pro.jit.kernel import Launched
from pypto_pro.jit.programs import Programs

TESTS = Path(__file__).resolve().parents[1]
EXAMPLES = TESTS.parent / "examples" / "pro"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
sys.path.insert(0, str(TESTS))

from ascendc_harness import Library  # noqa: E402


def load_example(name):
    spec = importlib.util.spec_from_file_location(f"pro_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def every_check(monkeypatch):
    """Each launch runs with all checks; gives how many there were."""
    launches, config = [], Programs.config

    def all_checks(self, given):
        launches.append(self.kernel.name)
        return config(self, given or RunConfig(checks="all"))

    monkeypatch.setattr(Programs, "config", all_checks)
    yield launches


@pytest.mark.parametrize("name", NAMES)
def test_an_example(name, monkeypatch, capfd):
    """It compares its numbers itself; nothing is reported or warned of."""
    module = load_example(name)
    start = time.monotonic()
    with every_check(monkeypatch) as launches, warnings.catch_warnings():
        warnings.simplefilter("error")
        module.main()
    seconds = time.monotonic() - start
    said = capfd.readouterr()
    assert launches and said.out and not said.err
    print(f"{name}: {len(launches)} launches, {seconds:.1f} s")


@pytest.mark.parametrize("name", NAMES)
def test_every_stage_reads_back(name, recorder):
    """What as_python prints, from the front end's module to the final one, is that program."""
    for compiled, chip in recorder.compiled[name]:
        steps = Passes.pipeline(chip, compiled.keys).single()
        for stage, program in compiled.front.program.stages(steps):
            again = Program.from_python(program.as_python())
            assert structural_equal(again, program), stage


# The C++.


class Run(NamedTuple):
    """A launch of an example: what it was compiled to, what its entry takes, and the arrays
    as they were before it and after it ran on the model."""

    program: str
    entry: str
    values: list
    before: list
    after: list


class Recorder:
    """Runs launches on the model, and keeps them."""

    def __init__(self):
        self.runs: dict[str, list[Run]] = {}
        self.sources: dict[str, dict] = {}  # by chip and program
        self.chips: dict[str, str] = {}
        self.compiled: dict[str, list] = {}  # by example, each with its chip
        self.example = ""

    def launch(self, launched, args):
        kernel, launch = launched.kernel, launched.launch
        programs = kernel.programs
        before = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        programs.launch(launch, args, None)
        found = programs._given(before)
        compiled = programs.compiled(programs._shapes(found), launch)
        taken = programs.taken(compiled, found, launch.block_dim)
        program = f"{self.example} {id(compiled)}"
        sources = self.sources.setdefault(kernel.target, {})
        if program not in sources:
            sources[program] = compiled.final.emit()
            self.compiled.setdefault(self.example, []).append((compiled, kernel.target))
        self.chips[program] = kernel.target
        values = [host_value(value) for *_, value in taken]
        run = Run(program, compiled.final.name, values, before, args)
        self.runs.setdefault(self.example, []).append(run)


def host_value(value):
    """What the entry takes, as the harness gives it."""
    return np.zeros(0, np.uint8) if value is None else getattr(value, "owner", value)


@pytest.fixture(scope="module")
def recorder():
    """Every launch of every example."""
    recorder = Recorder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Launched, "__call__", lambda self, *args, config=None: recorder.launch(self, args)
        )
        for name in NAMES:
            recorder.example = name
            load_example(name).main()
    return recorder


@pytest.fixture(scope="module")
def libraries(recorder, tmp_path_factory):
    """The C++ of all of them, one library a chip."""
    return {
        chip: Library(programs, tmp_path_factory.mktemp(f"cpp_{chip}"))
        for chip, programs in recorder.sources.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_cpp_of_an_example_gives_the_models_answer(name, recorder, libraries):
    """Over the host header, which reports nothing; to the last bit."""
    for run in recorder.runs[name]:
        library = libraries[recorder.chips[run.program]]
        start = time.monotonic()
        assert library.run(run.program, run.entry, *run.values) == []
        print(f"{run.entry}: {time.monotonic() - start:.1f} s on the host header")
        for given, wanted in zip(run.before, run.after, strict=True):
            if isinstance(given, np.ndarray):
                assert given.tobytes() == wanted.tobytes()
