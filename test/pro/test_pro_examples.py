# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The examples of PyPTO Pro: with every check on, and their C++ over the host header."""

import contextlib
import importlib.util
import sys
import time
import warnings
from pathlib import Path

import ml_dtypes
import numpy as np
import pypto_pro.language as pl
import pytest
from pypto.runtime.config import RunConfig
from pypto_pro.jit.kernel import Launched
from pypto_pro.jit.programs import Programs

TESTS = Path(__file__).resolve().parents[1]
EXAMPLES = TESTS.parent / "examples" / "pro"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
sys.path.insert(0, str(TESTS))

from ascendc_harness import ARCH, Library  # noqa: E402


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


# The C++.


class Recorded:
    """The launches of an example: what was given, and what the model made of it."""

    def __init__(self):
        self.launches = []

    def __call__(self, launched, args):
        kernel, launch = launched.kernel, launched.launch
        before = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        programs = kernel.programs
        programs.launch(launch, args, None)
        found = programs._given(args)
        compiled = programs.compiled(programs._shapes(found), launch)
        given = programs.taken(compiled, programs._given(before), launch.block_dim)
        self.launches.append((compiled, [value for *_, value in given], before, args))


def recorded(name, monkeypatch):
    record = Recorded()
    monkeypatch.setattr(Launched, "__call__", lambda self, *args, config=None: record(self, args))
    load_example(name).main()
    return record.launches


def host_value(value):
    """What the entry takes, as the harness gives it."""
    return np.zeros(0, np.uint8) if value is None else getattr(value, "owner", value)


def by_chip(programs, folder):
    """The library of each program; one holds the kernels of one chip."""
    chips = {}
    for name, sources in programs.items():
        found = {arch[1] for _, text in sources if (arch := ARCH.search(text))}
        chips.setdefault(found.pop(), {})[name] = sources
    libraries = {chip: Library(found, folder / chip) for chip, found in chips.items()}
    return {name: libraries[chip] for chip, found in chips.items() for name in found}


@pytest.mark.parametrize("name", [n for n in NAMES if n != "flash_attention_score"])
def test_the_cpp_of_an_example_gives_the_models_answer(name, monkeypatch, tmp_path):
    launches = recorded(name, monkeypatch)
    programs = {str(n): compiled.final.emit() for n, (compiled, *_) in enumerate(launches)}
    libraries = by_chip(programs, tmp_path)
    for number, (compiled, values, before, after) in enumerate(launches):
        arguments = [host_value(value) for value in values]
        assert libraries[str(number)].run(str(number), compiled.final.name, *arguments) == []
        for given, wanted in zip(before, after, strict=True):
            if isinstance(given, np.ndarray):
                np.testing.assert_array_equal(given, wanted)


@pytest.mark.parametrize("numpy_type, dtype", [(np.float16, "FP16"), (ml_dtypes.bfloat16, "BF16")])
def test_the_cpp_of_flash_attention_gives_the_models_answer(
    numpy_type, dtype, monkeypatch, tmp_path
):
    record = Recorded()
    monkeypatch.setattr(Launched, "__call__", lambda self, *args, config=None: record(self, args))
    module = load_example("flash_attention_score")
    datatype = dict.fromkeys(("query", "key", "value", "out"), getattr(pl, f"DT_{dtype}"))
    for causal in (True, False):
        module.run(numpy_type, datatype, causal)
    programs = {str(n): c.final.emit() for n, (c, *_) in enumerate(record.launches)}
    library = Library(programs, tmp_path / "cpp")
    for number, (compiled, values, before, after) in enumerate(record.launches):
        arguments = [host_value(value) for value in values]
        start = time.monotonic()
        assert library.run(str(number), compiled.final.name, *arguments) == []
        print(f"{dtype} {number}: {time.monotonic() - start:.1f} s on the host header")
        np.testing.assert_array_equal(before[4].view(np.uint16), after[4].view(np.uint16))
