# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Random programs of the control plane that are Python too.

Executed by Python, with NumPy's views for slices and assignments in place for kernels,
a program gives what it must give on the reference model.
"""

import contextlib
import random

import numpy as np

SIDE, PARTS = 16, 3
TILES = ("a", "b", "c")
GIVEN = ("a", "b")
HEAD = f"""\
import pypto.language as pl

TILE = pl.Tensor[[{SIDE}, {SIDE}], pl.FP32]

@pl.jit.incore
def copy(x: TILE, out: pl.Out[TILE]):
    pl.store(pl.load(x, [0, 0], [{SIDE}, {SIDE}]), [0, 0], out)
    return out

@pl.jit.incore
def bump(x: pl.InOut[TILE], by: pl.Scalar[pl.FP32]):
    pl.store(pl.add(pl.load(x, [0, 0], [{SIDE}, {SIDE}]), by), [0, 0], x)
    return x

@pl.jit.incore
def mean(x: TILE, y: TILE, out: pl.Out[TILE]):
    s = pl.add(pl.load(x, [0, 0], [{SIDE}, {SIDE}]), pl.load(y, [0, 0], [{SIDE}, {SIDE}]))
    pl.store(pl.mul(s, 0.5), [0, 0], out)
    return out

@pl.jit
def entry(
    x: TILE,
    f: pl.Tensor[[8, 8], pl.INT32],
    r: pl.InOut[pl.Tensor[[{SIDE * PARTS}, {SIDE}], pl.FP32]],
    w: pl.InOut[pl.Tensor[[{SIDE}, {SIDE * PARTS}], pl.FP32]],
    out: pl.Out[TILE],
):
    a = pl.create_tensor([{SIDE}, {SIDE}], pl.FP32)
    b = pl.create_tensor([{SIDE}, {SIDE}], pl.FP32)
    c = pl.create_tensor([{SIDE}, {SIDE}], pl.FP32)
    n = pl.array.create(4, pl.INDEX)
    ids = pl.array.create(4, pl.TASK_ID)
    last = None
    copy(x, a)
    copy(a, b)
    mean(a, b, c)
    bump(c, 1.0)
"""
TAIL = f"""\
    mean(a, b, out)
    bump(r[0:{SIDE}, :], 1.0)
    bump(w[:, 0:{SIDE}], 1.0)
    return out, c
"""


class Generator:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops: list[str] = []
        self.budget = 24
        self.given = GIVEN if seed % 2 else ()

    def arguments(self, seed: int) -> list[np.ndarray]:
        """Of the entry of `program`."""

        def tile(offset: int, *shape: int) -> np.ndarray:
            return np.random.default_rng(seed + offset).uniform(0.5, 1.5, shape).astype("f4")

        return [
            tile(0, SIDE, SIDE),
            np.random.default_rng(seed).integers(0, 3, (8, 8)).astype(np.int32),
            tile(1, SIDE * PARTS, SIDE),
            tile(2, SIDE, SIDE * PARTS),
            np.zeros((SIDE, SIDE), np.float32),
            *(tile(3 + place, SIDE, SIDE) for place in range(len(self.given))),
        ]

    def program(self) -> str:
        self.block(1, 7)
        return self._head() + "\n".join(self.lines) + "\n" + TAIL

    def _head(self) -> str:
        """Every second program exchanges arrays that are its parameters."""
        if not self.given:
            return HEAD
        head = HEAD
        for name in GIVEN:
            made = f"    {name} = pl.create_tensor([{SIDE}, {SIDE}], pl.FP32)\n"
            head = head.replace(made, "")
        parameters = "".join(f"    {name}: pl.InOut[TILE],\n" for name in GIVEN)
        return head.replace("):\n    c = ", f"{parameters}):\n    c = ")

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, depth: int, most: int) -> None:
        for _ in range(self.random.randint(1, most)):
            self.budget -= 1
            choices = [self.kernel, self.kernel, self.submit, self.swap, self.number, self.region]
            if depth < 4 and self.budget > 0:
                choices += [self.loop, self.loop, self.branch]
            self.random.choice(choices)(depth)

    # Statements.

    def kernel(self, depth: int) -> None:
        self.line(depth, self.call("{}({})"))

    def submit(self, depth: int) -> None:
        target = self.random.choice(["last", f"ids[{self.index(4)}]"])
        deps = self.random.choice(["last", "ids", f"ids[{self.index(4)}], None", "[last, ids]"])
        self.line(depth, f"_, {target} = " + self.call("pl.submit({}, {}, " + f"deps=[{deps}])"))

    def call(self, form: str) -> str:
        name = self.random.choice(["copy", "bump", "mean"])
        places = self.random.sample([*TILES, self.rows(), self.columns()], 3)
        if name == "bump":
            by = self.random.choice(["1.0", "0.25", f"x[{self.index(SIDE)}, 0]"])
            return form.format(name, f"{places[0]}, {by}")
        return form.format(name, ", ".join(places[: 2 if name == "copy" else 3]))

    def region(self, depth: int) -> None:
        """A placed region on arrays and on a slice that has a name."""
        self.line(depth, f"v = {self.random.choice([self.rows(), self.columns()])}")
        source, target = self.random.sample([*TILES, "v"], 2)
        tail = self.random.choice(["):", ", deps=[last]):", ", deps=[ids]) as last:"])
        self.line(depth, f"with pl.at(level=pl.Level.CORE_GROUP{tail}")
        if self.given and self.random.random() < 0.5:
            self.line(depth + 1, f"{target}[:] = pl.mul({source}, 0.5)")
            return
        self.line(depth + 1, f"t = pl.load({source}, [0, 0], [{SIDE}, {SIDE}])")
        self.line(depth + 1, f"pl.store(pl.mul(t, 0.5), [0, 0], {target})")

    def swap(self, depth: int) -> None:
        names = self.random.sample(TILES, self.random.choice([2, 3]))
        self.line(depth, f"{', '.join(names)} = {', '.join(names[1:] + names[:1])}")

    def number(self, depth: int) -> None:
        operator = self.random.choice(["=", "+="])
        value = self.random.choice(["2", "f[0, 1]", *(self.loops or ["1"])])
        if operator == "=":
            self.line(depth, f"n[{self.index(4)}] = {value}")
        else:
            self.line(depth, f"n[{self.index(4)}] += {value}")

    def loop(self, depth: int) -> None:
        name = f"i{len(self.loops)}"
        kind = self.random.choice(["range", "range", "parallel"])
        bound = self.random.choice(["2", "3", "f[1, 0]", "f[1, 1]"])
        self.line(depth, f"for {name} in pl.{kind}({bound}):")
        self.loops.append(name)
        self.block(depth + 1, 4)
        self.loops.pop()

    def branch(self, depth: int) -> None:
        condition = self.random.choice(
            [f"f[{self.index(8)}, 2] > 0", f"n[{self.index(4)}] < 2", f"n[0] == {self.index(4)}"]
        )
        self.line(depth, f"if {condition}:")
        self.block(depth + 1, 3)
        if self.random.random() < 0.6:
            self.line(depth, "else:")
            self.block(depth + 1, 3)

    # Places.

    def index(self, size: int) -> str:
        if self.loops and self.random.random() < 0.5:
            return self.random.choice(self.loops)
        return str(self.random.randrange(min(size, 3)))

    def rows(self) -> str:
        at = self.index(PARTS)
        if at.isdecimal():
            return f"r[{int(at) * SIDE}:{(int(at) + 1) * SIDE}, :]"
        return f"r[{at} * {SIDE}:({at} + 1) * {SIDE}, :]"

    def columns(self) -> str:
        at = self.index(PARTS)
        return f"w[:, {at} * {SIDE}:({at} + 1) * {SIDE}]"


class _Language:
    """`pl` for Python: what the entry's body needs of it."""

    INDEX = TASK_ID = FP32 = None

    class Level:
        CORE_GROUP = None

    at = staticmethod(lambda level, deps=None: contextlib.nullcontext())
    load = staticmethod(lambda x, offsets, shape: x.copy())
    mul = staticmethod(lambda x, by: x * np.float32(by))

    @staticmethod
    def store(t, offsets, x):
        x[:] = t

    class array:
        @staticmethod
        def create(size, dtype):
            return [0] * size

    @staticmethod
    def create_tensor(shape, dtype):
        return np.full(shape, np.nan, np.float32)

    range = parallel = staticmethod(lambda bound: range(int(bound)))

    @staticmethod
    def submit(kernel, *args, deps):
        return kernel(*args), 0


def _copy(x, out):
    out[:] = x


def _bump(x, by):
    x += np.float32(by)


def _mean(x, y, out):
    out[:] = (x + y) * np.float32(0.5)


def by_python(text: str, arguments: list):
    """What the entry returns, by Python itself."""
    body = text[text.index("@pl.jit\ndef entry") + len("@pl.jit\n") :]
    head, _, body = body.partition("):\n")
    scope = {"pl": _Language, "copy": _copy, "bump": _bump, "mean": _mean}
    names = ["x", "f", "r", "w", "out", *GIVEN][: len(arguments)]
    exec(f"def entry({', '.join(names)}):\n{body}", scope)
    return scope["entry"](*arguments)
