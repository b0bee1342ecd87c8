# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The corpus that is mutated, and the processes that run the mutants.

python test/python/fuzzing.py python 5000 --seed 7
"""

from __future__ import annotations

import argparse
import ast
import collections
import concurrent.futures
import functools
import json
import random
import select
import subprocess
import sys
import tempfile
from pathlib import Path

from fuzz_mutate import mutate_ir, mutate_python

TESTS = Path(__file__).resolve().parents[1]
EXAMPLES = TESTS.parent / "examples"
WORKERS, SECONDS = 2, 20
# Examples that take longer than a mutant may before anything is changed.
SLOW = {"flash_attention_score.py"}
# Asserts inside MLIR, by a piece of what they print, each with its cause.
UPSTREAM: dict[str, str] = {}


class Worker:
    """A process that runs mutants; one that ends or stands still is made anew."""

    def __init__(self):
        self._process = None

    def _start(self) -> None:
        self._log = tempfile.TemporaryFile()
        command = [sys.executable, str(Path(__file__).with_name("fuzz_worker.py"))]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._log)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def run(self, kind: str, text: str):
        """What the worker answers; text about an end that it did not survive."""
        if self._process is None:
            self._start()
        try:
            self._process.stdin.write(json.dumps([kind, text]).encode() + b"\n")
            self._process.stdin.flush()
            ready, _, _ = select.select([self._process.stdout], [], [], SECONDS)
            line = self._process.stdout.readline() if ready else b""
        except BrokenPipeError:
            ready, line = True, b""
        if line:
            return json.loads(line)
        if not ready:
            self.close()
            return "stands still: it could not be interrupted"
        code = self._process.wait()
        self._log.seek(0)
        said = self._log.read().decode(errors="replace")[-1500:]
        self.close()
        return f"the process ended with {code}:\n{said}"


@functools.cache
def python_corpus() -> list[str]:
    """The examples, and the programs that are texts in the tests of the Python side."""
    found = [p.read_text() for p in sorted(EXAMPLES.rglob("*.py")) if p.name not in SLOW]
    for path in sorted([*TESTS.glob("python/test_*.py"), *TESTS.glob("pro/*.py")]):
        for node in ast.walk(ast.parse(path.read_text())):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and "@pl.jit" in text and "import pypto" in text:
                try:
                    ast.parse(text)
                except SyntaxError:
                    continue
                found.append(text)
    return found


@functools.cache
def ir_corpus() -> list[str]:
    """The modules of the lit tests, and every stage of the examples."""
    found = []
    for path in sorted(TESTS.rglob("*.mlir")):
        found += [part for part in path.read_text().split("// -----") if part.strip()]
    return found + _stages("stages")


@functools.cache
def printed_corpus() -> list[str]:
    """Every stage of the examples as as_python prints it."""
    return _stages("printed stages")


def _stages(kind: str) -> list[str]:
    worker, found = Worker(), []
    for path in sorted(p for p in EXAMPLES.rglob("*.py") if p.name not in SLOW):
        made = worker.run(kind, path.read_text())
        found += made if isinstance(made, list) else []
    worker.close()
    return found


MUTATE = {
    "python": (python_corpus, mutate_python),
    "ir": (ir_corpus, mutate_ir),
    "printed": (printed_corpus, mutate_ir),
}


def mutant(kind: str, seed: int) -> str:
    corpus, mutate = MUTATE[kind]
    return mutate(random.Random(seed ^ 0x5EED).choice(corpus()), seed)


def fuzz(kind: str, seeds: range) -> list[tuple[int, str]]:
    """(seed, what is wrong) of each mutant that neither ran nor gave a located error."""

    def share(part: range) -> list[tuple[int, str]]:
        worker = Worker()
        wrong = []
        for seed in part:
            answer = worker.run(kind, mutant(kind, seed))
            if answer and not any(known in answer for known in UPSTREAM):
                wrong.append((seed, answer))
        worker.close()
        return wrong

    MUTATE[kind][0]()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        parts = [seeds[number::WORKERS] for number in range(WORKERS)]
        return sorted(sum(pool.map(share, parts), []))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=MUTATE)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save-to", type=Path, help="a folder for the mutants that were wrong")
    words = parser.parse_args()
    wrong = fuzz(words.kind, range(words.seed, words.seed + words.count))
    groups = collections.defaultdict(list)
    for seed, answer in wrong:
        groups[answer[-300:] if "ended" in answer else answer[:300]].append(seed)
        if words.save_to:
            words.save_to.mkdir(exist_ok=True)
            text = mutant(words.kind, seed).encode("utf-8", "surrogateescape")
            (words.save_to / f"{words.kind}_{seed}").write_bytes(text)
    for answer, seeds in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"{len(seeds)} {seeds[:4]}: {answer}\n")
    print(f"{len(wrong)} of {words.count} are wrong")


if __name__ == "__main__":
    main()
