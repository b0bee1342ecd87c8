# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Random programs of the control plane, whose order is derived: loops, branches, arrays that
change places and windows at run-time offsets, under several orders, against NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest
from checking import run

HEAD = """\
import pypto.language as pl

A = pl.Tensor[[96, 96], pl.FP32]
W = pl.Tensor[[32, 32], pl.FP32]

@pl.jit.incore
def copy(x: W, out: pl.Out[W]):
    t = pl.load(x, [0, 0], [32, 32])
    pl.store(t, [0, 0], out)
    return out

@pl.jit.incore
def add(x: W, y: W, out: pl.Out[W]):
    a = pl.load(x, [0, 0], [32, 32])
    b = pl.load(y, [0, 0], [32, 32])
    pl.store(pl.add(a, b), [0, 0], out)
    return out

@pl.jit.incore
def grow(x: pl.InOut[W]):
    t = pl.load(x, [0, 0], [32, 32])
    pl.store(pl.add(t, 1.0), [0, 0], x)
    return x

@pl.jit.incore
def part(x: W, out: pl.InOut[W]):
    t = pl.load(x, [8, 0], [16, 32])
    pl.store(t, [16, 0], out)
    return out

@pl.jit
def entry(x: A, f: pl.Tensor[[1, 8], pl.INT32], n: pl.Scalar[pl.INDEX],
          a: pl.InOut[A], b: pl.InOut[A], c: pl.InOut[A]):
    grow(a[0:32, 0:32])
    grow(b[0:32, 0:32])
    grow(c[0:32, 0:32])
    p, q, s = a, b, c
"""
REFERENCE = """
def reference(x, f, n, a, b, c):
    for array in (a, b, c):
        array[:32, :32] += 1
    p, q, s = a, b, c
"""


class Program:
    """A program in PyPTO, and the same in NumPy."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.text, self.numpy = [HEAD], [REFERENCE]
        for _ in range(self.random.randint(3, 6)):
            chance = self.random.random()
            if chance < 0.45:
                self.statement("    ")
            elif chance < 0.8:
                self.loop()
            else:
                self.both("    if f[0, 1] > 0:", "    if f[0, 1] > 0:")
                for _ in range(self.random.randint(1, 2)):
                    self.statement("        ")
        self.text.append("    return a")

    def both(self, text, numpy):
        self.text.append(text)
        self.numpy.append(numpy)

    def loop(self):
        self.both("    for i in pl.range(3):", "    for i in range(3):")
        for _ in range(self.random.randint(1, 3)):
            self.statement("        ", "i")
        if self.random.random() < 0.4:
            first, second = self.random.sample("pqs", 2)
            swap = f"        {first}, {second} = {second}, {first}"
            self.both(swap, swap)

    def offset(self, index):
        if index and self.random.random() < 0.5:
            step = self.random.choice((8, 16, 32))
            begin = self.random.choice((0, 8, 16)) if step < 32 else 0
            return f"{begin} + {index} * {step}"
        if self.random.random() < 0.3:
            return "n"
        return str(self.random.choice((0, 8, 16, 32, 40, 64)))

    def window(self, array, index):
        row, column = self.offset(index), self.offset(index)
        return f"{array}[{row} : {row} + 32, {column} : {column} + 32]"

    def statement(self, indent, index=None):
        out = self.random.choice("pqs")
        others = [name for name in "pqsx" if name != out]
        to = self.window(out, index)
        x, y = (self.window(self.random.choice(others), index) for _ in range(2))
        text, numpy = self.random.choice(
            (
                (f"copy({x}, {to})", f"{to} = {x}.copy()"),
                (f"add({x}, {y}, {to})", f"{to} = {x} + {y}"),
                (f"grow({to})", f"{to} += 1"),
                (f"part({x}, {to})", f"{to}[16:] = {x}[8:24].copy()"),
            )
        )
        self.both(indent + text, indent + numpy)


@pytest.mark.parametrize("seed", range(16))
def test_derived_order(seed, load):
    program = Program(seed)
    rng = np.random.default_rng(seed)
    arrays = [rng.integers(0, 50, (96, 96)).astype(np.float32) for _ in range(4)]
    arguments = [arrays[0], np.ones((1, 8), np.int32), 24, *arrays[1:]]
    wanted = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    names = {}
    exec("\n".join(program.numpy), names)
    names["reference"](*wanted)
    text = "\n".join(program.text)
    assert run(load(text), arguments, schedules=8) == [], text
    for found, want in zip(arguments[3:], wanted[3:], strict=True):
        np.testing.assert_array_equal(found, want, err_msg=text)
