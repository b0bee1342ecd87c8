# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The host code of entries, over a stand-in for AscendCL whose streams run in any order
that events allow: every order gives NumPy's answer, and where an event is missing, some
order does not."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from entries import ENTRIES
from test_end_to_end import load_example

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ascendc_harness import Library, pipeline, translate  # noqa: E402

SEEDS = range(12)
# What keeps the order, in pto_tasks.h.
EVENT = "check(aclrtStreamWaitEvent(streams_[stream].handle, entry.event));"
HOST = "check(aclrtSynchronizeEvent(at(task).event));"
RULE = "overlap(use.window, past.use.window)"


@pytest.fixture(scope="module")
def modules():
    return {name: pipeline(entry.text) for name, entry in ENTRIES.items()}


@pytest.fixture(scope="module")
def sources(modules):
    return {name: translate(text) for name, text in modules.items()}


@pytest.fixture(scope="module")
def library(sources, tmp_path_factory):
    return Library(sources, tmp_path_factory.mktemp("entries"))


def run(library: Library, program: str, name: str, seed: int) -> tuple[bool, list[str]]:
    """Whether the answer is right, and what the stand-in reports."""
    entry = ENTRIES[name]
    arguments = entry.arguments()
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    expected = entry.expected(*copies)
    reports = library.run(program, "entry", *arguments, seed=seed)
    right = all(
        np.array_equal(found, wanted) for found, wanted in zip(arguments, expected, strict=True)
    )
    return right, reports


@pytest.mark.parametrize("name", ENTRIES)
def test_every_order_gives_the_answer(library, name):
    for seed in SEEDS:
        assert run(library, name, name, seed) == (True, []), seed


@pytest.mark.parametrize("name", ENTRIES)
def test_order_is_said_as_expected(modules, name):
    entry = re.search(r"func\.func @entry\(.*", modules[name])[0]
    assert f"pto.deps = #pto.deps<{ENTRIES[name].order}>" in entry


@pytest.mark.parametrize(
    ("line", "instead", "needs"),
    [
        (EVENT, ";", lambda entry: entry.needs == "events"),
        (HOST, ";", lambda entry: entry.needs == "host"),
        (RULE, "false", lambda entry: entry.order == "run_time" and entry.needs != "same"),
    ],
    ids=["event", "host", "rule"],
)
def test_without_what_keeps_it_some_order_is_wrong(sources, tmp_path, line, instead, needs):
    mutated = {}
    for name, files in sources.items():
        assert sum(text.count(line) for _, text in files) == 1
        mutated[name] = [(path, text.replace(line, instead)) for path, text in files]
    library = Library(mutated, tmp_path)
    wrong = {
        name
        for name in ENTRIES
        if any(run(library, name, name, seed) != (True, []) for seed in range(24))
    }
    assert wrong == {name for name, entry in ENTRIES.items() if needs(entry)}


def _without_each_token(text: str):
    """The entry without one of the tokens that a task waits for, for each of them."""
    for match in re.finditer(r"tasks\.(?:begin|wait|join)\(\{([^{}]*)\}", text):
        names = [name for name in match[1].split(", ") if name]
        for name in names:
            if name == "pto::kNoTask":
                continue
            rest = ", ".join(other for other in names if other != name)
            yield text[: match.start(1)] + rest + text[match.end(1) :]


def test_without_any_token_some_order_is_wrong(sources, tmp_path):
    mutated, origin = {}, {}
    for name in ("diamond", "rows", "columns", "joined", "token_list"):
        files = dict(sources[name])
        for number, text in enumerate(_without_each_token(files["orchestration/entry.cpp"])):
            mutated[f"{name}{number}"] = list({**files, "orchestration/entry.cpp": text}.items())
            origin[f"{name}{number}"] = name
    assert len(mutated) > 15
    library = Library(mutated, tmp_path)
    unnoticed = []
    for program, name in origin.items():
        results = [run(library, program, name, seed) for seed in range(24)]
        if all(result == (True, []) for result in results):
            unnoticed.append(program)
    assert unnoticed == []


def test_wrong_numbers_are_errors(library):
    """A loop of the entry is given what a launch cannot take."""
    x, out, n = ENTRIES["blocks"].arguments()
    assert library.run("blocks", "entry", x, out, 0) == ["entry returned 100000"]


# -- What authors write ----------------------------------------------------------------


def example_runs():
    rng = np.random.default_rng(0)

    def values(*shape, dtype=np.float32):
        return rng.uniform(-1, 1, shape).astype(dtype)

    spmd, cluster = load_example("spmd"), load_example("cluster")
    graph = load_example("task_graph")
    matrix = values(spmd.ROWS, spmd.COLS)
    yield "spmd", spmd.normalise, [matrix, 3, np.zeros_like(matrix)]
    a, b = values(cluster.M, cluster.K, dtype=np.float16), values(cluster.K, cluster.N)
    bias = values(cluster.M, cluster.N)
    yield "cluster", cluster.layer, [a, b.astype(np.float16), bias, np.zeros_like(bias)]
    x = values(graph.PARTS * graph.SIDE, graph.SIDE)
    result = np.zeros((graph.SIDE, graph.SIDE), np.float32)
    steps = np.full((1, 8), graph.STEPS, np.int32)
    yield "task_graph", graph.graph, [x, steps, result, np.zeros_like(x)]


@pytest.mark.parametrize(
    ("name", "kernel", "arguments"),
    list(example_runs()),
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_examples_give_the_models_answer_as_host_code(name, kernel, arguments, tmp_path):
    compiled = kernel.compile(*arguments)
    folder = compiled.output_dir
    files = [(str(path.relative_to(folder)), path.read_text()) for path in compiled.files]
    library = Library({name: files}, tmp_path / "library")
    expected = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    compiled(*expected)
    for seed in SEEDS:
        given = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        # The compiler folds a scalar that it knows.
        passed = [g for g in given if isinstance(g, np.ndarray)]
        if len(library.parameters(name, compiled.name)) == len(given):
            passed = given
        assert library.run(name, compiled.name, *passed, seed=seed) == [], seed
        for found, wanted in zip(given, expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
