# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""pto-derive-task-deps against the elements themselves: random windows of arrays, and
the order that they ask for, pair by pair."""
# ruff: noqa: E501 (lines of IR)

import os
import random
import re
import shutil
import subprocess
import time

import numpy as np
import pytest


def derive(text: str) -> str:
    tool = shutil.which("pypto-opt", path=os.environ.get("PYPTO_BIN"))
    assert tool, "pypto-opt is not in PYPTO_BIN"
    done = subprocess.run(
        [tool, "--pto-derive-task-deps", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Program:
    """An entry with two arrays and tasks on windows of them; for each task the
    elements that it reads and writes, as numbers in the memory of both."""

    SHAPE = (12, 16)

    def __init__(self, seed: int, tasks: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.kernels: dict[str, str] = {}
        self.tasks: list[tuple[set[int], set[int]]] = []
        size = self.SHAPE[0] * self.SHAPE[1]
        self.elements = {
            name: np.arange(size).reshape(self.SHAPE) + size * index
            for index, name in enumerate(("%x", "%y"))
        }
        for number in range(tasks):
            self.add_task(number)

    def window(self, array: str, depth: int = 0):
        """A window of an array, or of a window of it."""
        memory = self.elements[array]
        kind = self.kind(memory)
        name, values = array, memory
        for _ in range(depth):
            rows, cols = values.shape
            height, width = self.random.randint(1, rows), self.random.randint(1, cols)
            top = self.random.randint(0, rows - height)
            left = self.random.randint(0, cols - width)
            values = values[top : top + height, left : left + width]
            made, result = f"%w{len(self.lines)}", self.kind(values)
            self.lines.append(
                f"{made} = pto.tensor.slice {name}[{top}, {left}] [{height}, {width}]"
                f" : {kind} -> {result}"
            )
            name, kind = made, result
        return name, kind, set(values.reshape(-1).tolist())

    def kind(self, values) -> str:
        """The type of a window: rows that do not follow each other have a pitch."""
        rows, cols = values.shape
        pitch = values.strides[0] // values.itemsize
        encoding = f", #pto.pitch<{pitch}>" if rows > 1 and pitch != cols else ""
        return f"tensor<{rows}x{cols}xf32{encoding}>"

    def add_task(self, number: int):
        reads, writes, args, types, results, directions = set(), set(), [], [], [], []
        for _ in range(self.random.randint(1, 2)):
            array = self.random.choice(list(self.elements))
            name, kind, elements = self.window(array, self.random.randint(0, 2))
            direction = self.random.choice(("in", "in", "out", "inout"))
            reads |= elements if direction != "out" else set()
            writes |= elements if direction != "in" else set()
            args.append(name)
            types.append(kind)
            directions.append(direction)
            results += [kind] if direction != "in" else []
        kernel = f"@k{number}"
        gm = [
            re.sub(r", #pto\.(pitch<\d+>)", r", \1", t).replace("tensor", "!pto.gm") for t in types
        ]
        parameters = ", ".join(
            f"%a{i}: {t} {{pto.dir = #pto.dir<{d}>}}"
            for i, (t, d) in enumerate(zip(gm, directions, strict=True))
        )
        self.kernels[kernel] = (
            f"func.func private {kernel}({parameters}) attributes {{pto.kind = #pto.kind<aiv>}}"
        )
        out = ", ".join(results)
        head = f"%r{number}:{len(results)} = " if results else ""
        self.lines.append(
            f"{head}pto.block.dispatch {kernel}({', '.join(args)}) : ({', '.join(types)})"
            f" -> {out if len(results) == 1 else f'({out})'}"
        )
        self.tasks.append((reads, writes))

    def __str__(self) -> str:
        kind = f"tensor<{self.SHAPE[0]}x{self.SHAPE[1]}xf32>"
        body = "\n  ".join(self.lines)
        kernels = "\n".join(self.kernels.values())
        return f"""{kernels}
func.func @entry(%x: {kind} {{pto.dir = #pto.dir<inout>}}, %y: {kind} {{pto.dir = #pto.dir<inout>}})
    attributes {{pto.kind = #pto.kind<orchestration>}} {{
  {body}
  return
}}"""

    def conflicts(self, first: int, second: int) -> bool:
        (reads, writes), (reads2, writes2) = self.tasks[first], self.tasks[second]
        return bool(writes & (reads2 | writes2) or reads & writes2)


def edges(text: str) -> list[set[int]]:
    """For each task those that it waits for."""
    numbers, found = {}, []
    for line in text.splitlines():
        match = re.search(
            r"(%\w+) = pto\.block\.dispatch @k(\d+)\(.*?\)(?: after\(([^)]*)\))?", line
        )
        if not match:
            continue
        token = line.split(" = ")[0].split(",")[-1].strip()
        numbers[token] = int(match[2])
        found.append({numbers[t.strip()] for t in (match[3] or "").split(",") if t.strip()})
    return found


def closure(waits: list[set[int]]) -> list[set[int]]:
    before: list[set[int]] = []
    for own in waits:
        before.append(own.union(*(before[other] for other in own)))
    return before


@pytest.mark.parametrize("seed", range(40))
def test_order_is_exact_and_has_no_edge_too_many(seed):
    program = Program(seed, 24)
    waits = edges(derive(str(program)))
    assert len(waits) == len(program.tasks)
    wanted = [
        {other for other in range(task) if program.conflicts(other, task)}
        for task in range(len(program.tasks))
    ]
    assert closure(waits) == closure(wanted)
    before = closure(waits)
    for own in waits:
        assert not any(other in before[third] for other in own for third in own - {other})


@pytest.mark.parametrize("reach", [1, 40])
def test_two_thousand_tasks_take_no_time(reach):
    """Each task writes some rows of an array of which others write the rows beside it."""
    kind = "tensor<4096x8xf32>"
    lines = [
        f"%w{i} = pto.tensor.slice %x[{i * 7 % 4000}, 0] [{reach}, 8] : {kind} -> tensor<{reach}x8xf32>\n"
        f"%r{i} = pto.block.dispatch @k0(%w{i}) : (tensor<{reach}x8xf32>) -> tensor<{reach}x8xf32>"
        for i in range(2000)
    ]
    body = "\n".join(lines)
    text = f"""
func.func private @k0(%a: !pto.gm<{reach}x8xf32> {{pto.dir = #pto.dir<inout>}}) attributes {{pto.kind = #pto.kind<aiv>}}
func.func @entry(%x: {kind} {{pto.dir = #pto.dir<inout>}}) attributes {{pto.kind = #pto.kind<orchestration>}} {{
{body}
return
}}"""
    begin = time.perf_counter()
    derive(text)
    # Reading and printing the text takes most of it.
    assert time.perf_counter() - begin < 3
