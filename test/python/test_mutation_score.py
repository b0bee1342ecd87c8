# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The mutation score: of every small error that one can make in the order of a kernel or
of its tasks, how many the model refuses, and why each other one changes nothing.

The kernels: the examples as the compiler makes them, two of their entries with all loops
written out so that every edge is a token, graphs of random windows, and the hand-written
final kernels.
"""

from __future__ import annotations

import dataclasses
import json
import random
import re
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "Reference")]

import final_kernels  # noqa: E402
import mutations  # noqa: E402
import test_queues  # noqa: E402
import test_task_order  # noqa: E402
from model import Failed, Program, run  # noqa: E402
from test_end_to_end import (  # noqa: E402
    compiled_examples,
    compiled_task_examples,
    load_example,
)

# What a report says, whatever else; each is of a check that a mutation may touch.
REPORTS = re.compile(
    r"may still be (writing|reading)|may be set again before|which nothing has set"
    r"|is set again before anything waits|is still set when the kernel ends"
    r"|ends without pto.block.barrier all|nothing orders the two|waits here for a signal"
    r"|sixteenth time|is in use in mode|waits for cores of mode|nothing has written"
    r"|frees a slot of queue|waits here for a (slot|tile)|are (pushed|popped) and"
)
# Survivors, by kernel and what was changed: why nothing is lost.
PROOFS = {
    "task_graph": {
        r"without %\w+: .*`(%\w+ = pto\.block\.dispatch @graph_incore_0)": {
            0: "the task waits for `last`, which waits for tids[0]: the path is still there",
            1: "the task waits for `last`, which waits for tids[1]: the path is still there",
            2: "tids[2] writes rows 128 to 191 of `out`; the task reads `both` and writes rows 192 "
            "to 255: they share no byte, and nothing comes behind it",
        }
    }
}


@dataclasses.dataclass
class Kernel:
    name: str
    text: str
    entry: str | None
    arguments: list
    written: list[int]  # which arguments it writes


def filled(arguments):
    rng = np.random.default_rng(0)

    def fill(array):
        if not isinstance(array, np.ndarray):
            return array
        if array.dtype == np.int32:
            return np.full_like(array, 3)
        return rng.uniform(0.5, 1, array.shape).astype(array.dtype)

    return [fill(a) for a in arguments]


def compiled(name, kernel, arguments, written=(-1,)):
    final = kernel.lower(*arguments)
    given = [a for a in arguments if isinstance(a, np.ndarray)]
    return Kernel(name, str(final), final.name, filled(given), list(written))


def examples():
    for name, kernel, arguments in (*compiled_examples(), *compiled_task_examples()):
        yield compiled(name, kernel, arguments)
    graph = load_example("task_graph")
    x = np.zeros((graph.PARTS * graph.SIDE, graph.SIDE), np.float32)
    result = np.zeros((graph.SIDE, graph.SIDE), np.float32)
    arguments = (x, np.zeros((1, 8), np.int32), result, x.copy())
    yield compiled("task_graph", graph.graph, arguments, (-1, -2))


KERNELS = """
import pypto.language as pl

T = pl.Tensor[[16, 64], pl.FP32]
R = pl.Tensor[[64, 64], pl.FP32]

@pl.jit.incore
def square(x: T, out: pl.Out[T]):
    t = pl.load(x, [0, 0], [16, 64])
    pl.store(pl.mul(t, t), [0, 0], out)
    return out

@pl.jit.incore
def add(x: T, y: T, out: pl.Out[T]):
    a = pl.load(x, [0, 0], [16, 64])
    b = pl.load(y, [0, 0], [16, 64])
    pl.store(pl.add(a, b), [0, 0], out)
    return out

@pl.jit
def entry(x: R, result: pl.Out[T], out: pl.Out[R]):
    squares = pl.create_tensor([64, 64], pl.FP32)
    total = pl.create_tensor([16, 64], pl.FP32)
    spare = pl.create_tensor([16, 64], pl.FP32)
"""


def written_out(load):
    """task_graph without a loop: pto-derive-task-deps finds every edge."""
    lines, parts = [], [f"[{i * 16}:{i * 16 + 16}, :]" for i in range(4)]
    lines += [f"square(x{part}, squares{part})" for part in parts]
    lines.append(f"add(squares{parts[0]}, squares{parts[1]}, total)")
    for i, part in enumerate(parts[2:]):
        a, b = ("total", "spare") if i % 2 == 0 else ("spare", "total")
        lines.append(f"add({a}, squares{part}, {b})")
    lines += ["square(total, spare)", "add(spare, total, result)"]
    lines += [f"square(squares{part}, out{part})" for part in parts]
    lines.append(f"add(out{parts[0]}, out{parts[1]}, out{parts[3]})")
    lines.append(f"add(out{parts[3]}, result, total)")
    lines += ["add(total, spare, result)", "return result, out"]
    entry = load(KERNELS + textwrap.indent("\n".join(lines), "    ")).entry
    x, result = np.zeros((64, 64), np.float32), np.zeros((16, 64), np.float32)
    return compiled("task_graph, no loops", entry, (x, result, x.copy()), (1, 2))


def graph(seed):
    """A random graph: what each task reads and writes are random windows of two arrays."""
    program = test_task_order.Program(seed, 10)
    text = test_task_order.derive(str(program))
    # Kernels that touch every element of their windows.
    head = re.compile(r"func\.func private (@k\d+)\((.*)\) attributes \{pto.kind = [^}]*\}")

    def body(match):
        lines, parameters = [], []
        for kind, direction in re.findall(
            r"!pto\.gm<([^{]*)> \{pto\.dir = #pto\.dir<(\w+)>\}", match[2]
        ):
            name = f"%a{len(parameters)}"
            parameters.append(f"{name}: !pto.gm<{kind}> {{pto.dir = #pto.dir<{direction}>}}")
            rows, cols = (int(n) for n in kind.split("x")[:2])
            # Rows of 32 bytes, as many columns of them as the window has.
            tile = f"!pto.tile<{rows}x{(cols + 7) // 8 * 8}xf32>"
            gm = f"!pto.gm<{kind}>"
            value = f"%t{len(lines)}"
            if direction == "out":
                lines.append(f"%c{len(lines)} = arith.constant 1.0 : f32")
                lines.append(f"{value}_all = pto.tile.full %c{len(lines) - 1} : f32 -> {tile}")
                lines.append(
                    f"{value} = pto.tile.set_validshape {value}_all [{rows}, {cols}] : {tile}"
                )
            else:
                lines.append(
                    f"{value} = pto.tile.load {name}[0, 0] valid [{rows}, {cols}] : {gm} -> {tile}"
                )
            if direction != "in":
                lines.append(f"pto.tile.store {value}, {name}[0, 0] : {tile} -> {gm}")
        return (
            f"func.func {match[1]}({', '.join(parameters)})"
            " attributes {pto.kind = #pto.kind<in_core>} {\n" + "\n".join(lines) + "\nreturn\n}"
        )

    text = head.sub(body, text).replace("module {", 'module attributes {pto.target = "910B"} {', 1)
    arrays = [np.ones(program.SHAPE, np.float32) for _ in range(2)]
    return program, Kernel(f"graph {seed}", text, "entry", arrays, [0, 1])


def random_edges(kernel, seed):
    """The same tasks with other edges; for each task those that it waits for."""
    rng = random.Random(seed)
    lines, waits, tokens = [], [], []
    for line in kernel.text.split("\n"):
        if found := DISPATCH.search(line):
            after = {number for number in range(len(tokens)) if rng.random() < 0.4}
            words = ", ".join(tokens[number] for number in sorted(after))
            rest = re.sub(r"( after\([^)]*\))|( \{pto.edges = \[.*?\]\})", "", found[2])
            at = rest.index(" : ")
            line = found[1] + rest[:at] + (f" after({words})" if after else "") + rest[at:]
            tokens.append(found[1].split(" = ")[0].split(",")[-1].strip())
            waits.append(after)
        lines.append(line)
    return "\n".join(lines), waits


DISPATCH = re.compile(r"^(\s*%.* = )(pto\.block\.dispatch @k.*)$")


@pytest.mark.parametrize("seed", range(40))
def test_conflicts_are_those_of_the_elements(seed):
    """Random windows and random edges: two tasks that share an element, one of them
    writing it, and no path: then and only then is there a conflict."""
    program, kernel = graph(seed)
    text, waits = random_edges(kernel, seed)
    before = test_task_order.closure(waits)
    wrong = {
        (first + 1, second + 1)
        for second in range(len(waits))
        for first in range(second)
        if program.conflicts(first, second) and first not in before[second]
    }
    for order in (None, 1, 2):
        found = Program(text)
        try:
            found.run(*[a.copy() for a in kernel.arguments], entry="entry", seed=order)
        except Failed:
            pass
        finally:
            found.close()
        reports = json.loads(found.program.reports())
        assert bool(reports) == bool(wrong), (wrong, reports)
        for report in reports:
            assert report["check"] == "task_conflict"
            now, other = report["accesses"]
            pair = tuple(sorted((now["task"], other["task"])))
            assert pair in wrong
            assert now["bytes"] == other["bytes"]
            check_elements(program, pair, now)


def check_elements(program, pair, access):
    """Every element that the report names is one that both tasks touch, one of them writing."""
    begin, end = (byte // 4 for byte in access["bytes"])
    size = program.SHAPE[0] * program.SHAPE[1]
    (reads, writes), (reads2, writes2) = (program.tasks[number - 1] for number in pair)
    shared = writes & (reads2 | writes2) | reads & writes2
    assert any(set(range(begin + base, end + base)) <= shared for base in (0, size))


def hand_written():
    for name, make in final_kernels.KERNELS.items():
        arguments, wanted = make()
        yield Kernel(f"{name}, by hand", final_kernels.text(name), None, arguments, list(wanted))


def queued():
    """Two queues between a cube core and its vector cores, by hand."""
    x = (np.arange(1024).reshape(32, 32) % 5 - 2).astype(np.float16)
    s, r = np.zeros((96, 32), np.float16), np.zeros((64, 32), np.float32)
    arguments = [x, s, r, np.zeros((32, 32), np.float32), 5]
    text = "\n".join(line.strip() for line in test_queues.KERNEL.splitlines() if line.strip())
    return Kernel("queues, by hand", text, "k", arguments, [3])


def proof_of(kernel, what, seen):
    for pattern, proofs in PROOFS.get(kernel.name, {}).items():
        if re.search(pattern, what):
            return proofs.get(seen)
    return None


def edge_number(kernel, mutant):
    """Which of the tokens of its task an edge mutant leaves out."""
    if mutant.kind != "edge":
        return None
    token = re.match(r"without (%\w+):", mutant.what)[1]
    tokens = re.search(r"after\(([^)]*)\)", mutant.what)[1].split(", ")
    return tokens.index(token)


def copies(kernel):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in kernel.arguments]


def score(kernel):
    """How many mutants there are, are caught, and change nothing; the others' words."""
    given = copies(kernel)
    options = {"entry": kernel.entry} if kernel.entry else {}
    run(kernel.text, *given, **options)
    wanted = [given[i].copy() for i in kernel.written]
    count = caught = harmless = 0
    survivors = []
    for mutant in mutations.mutate(kernel.text):
        count += 1
        given = copies(kernel)
        try:
            run(mutant.text, *given, **options)
        except Failed as failure:
            caught += 1
            line, message, _ = failure.errors[0]
            assert REPORTS.search(message) and "[" in message, (mutant.what, message)
            assert 0 < line <= mutant.text.count("\n") + 1, (mutant.what, message)
            continue
        if mutant.harmless or proof_of(kernel, mutant.what, edge_number(kernel, mutant)):
            harmless += 1
            for index, want in zip(kernel.written, wanted, strict=True):
                np.testing.assert_array_equal(given[index], want)
        else:
            survivors.append(mutant.what)
    return count, caught, harmless, survivors


def test_score(load, capsys):
    kernels = [
        *examples(),
        written_out(load),
        *(graph(seed)[1] for seed in range(6)),
        *hand_written(),
        queued(),
    ]
    rows = [(kernel.name, *score(kernel)) for kernel in kernels]
    total = [sum(row[i] for row in rows) for i in (1, 2, 3)]
    lines = [f"{'kernel':<24} mutants  caught  harmless"]
    lines += [f"{name:<24} {n:7} {c:7} {h:9}" for name, n, c, h, _ in rows]
    lines.append(f"{'all':<24} {total[0]:7} {total[1]:7} {total[2]:9}")
    with capsys.disabled():
        print("\n" + "\n".join(lines))
    unexplained = [f"{row[0]}: {what}" for row in rows for what in row[4]]
    assert not unexplained, "\n".join(unexplained)
    assert total[1] >= 0.98 * total[0]
    assert all(row[1] > 5 for row in rows), rows


@pytest.mark.parametrize("name", ["spmd", "cluster"])
def test_there_is_something_to_mutate(name):
    """Edges of tasks and flags between cores are among the mutants."""
    kernel = next(k for k in examples() if k.name == name)
    kinds = {mutant.kind for mutant in mutations.mutate(kernel.text)}
    wanted = {"spmd": {"edge"}, "cluster": {"cross", "cross pair", "cross id", "cross mode"}}
    assert wanted[name] <= kinds
