# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""One entry of the catalogue of errors, and the short forms of its examples."""

from __future__ import annotations

import dataclasses
import textwrap


@dataclasses.dataclass(frozen=True)
class Example:
    """A program that makes the error. The line that the error names ends in `# error` or
    `// error`. `how`: how it is run:

    kernel  the text is a file of Python behind `KERNEL_HEAD`; if it makes no error by
            itself, the last @pl.jit function in it is compiled
    pro     the same for PyPTO Pro, behind `PRO_HEAD`
    mlir    the text is a module; `passes` run on it for `target`, or it is emitted ("emit"),
            or run ("run")
    shell   a command line for one of the tools; `file` is what it finds as `kernel.mlir`
    """

    text: str
    how: str
    passes: str = ""
    target: str = "910B"
    file: str = ""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A kind of error. `words`: what a message of it says, whatever it is about; `…` stands
    for what differs. A message belongs to the entry with the longest words in it."""

    number: int
    title: str
    words: tuple[str, ...]
    cause: str
    fix: str
    # None: a mistake of ours, which no program makes.
    example: Example | None

    @property
    def code(self) -> str:
        return f"PTO-{self.number}"


# What stands in front of examples.
KERNEL_HEAD = """\
import numpy as np
import pypto.language as pl

A = pl.Tensor[[64, 64], pl.FP32]

"""
PRO_HEAD = """\
import dataclasses

import numpy as np
import pypto_pro.language as pl

"""


def kernel(text: str, before: str = "") -> Example:
    return Example(before + textwrap.dedent(text).strip() + "\n", "kernel")


def core(body: str, parameters: str = "x: A, out: pl.Out[A]") -> Example:
    """Code of a core, in its shortest program."""
    body = textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
    return kernel(
        f"@pl.jit\ndef f({parameters}):\n    with pl.at(level=pl.Level.CORE_GROUP):\n{body}\n"
        "    return out"
    )


COPY = """\
@pl.jit.incore
def copy(x: A, out: pl.Out[A]):
    out[:] = x
    return out

"""


def control(body: str, parameters: str = "x: A, out: pl.Out[A]") -> Example:
    """Code of the control plane, which has a kernel `copy` to submit."""
    body = textwrap.indent(textwrap.dedent(body).strip(), " " * 4)
    return kernel(f"{COPY}\n@pl.jit\ndef f({parameters}):\n{body}\n    return out")


PRO_PARAMETERS = "x: pl.Tensor[[16, 64], pl.DT_FP32], n: pl.DT_INT64"
TILES = """\
F32 = pl.TileType([16, 64], pl.DT_FP32)
a = pl.make_tile(F32, addr=0)
b = pl.make_tile(F32, addr=0x1000)
"""


def pro(body: str, parameters: str = PRO_PARAMETERS, options: str = "") -> Example:
    """A kernel of PyPTO Pro."""
    body = textwrap.indent(textwrap.dedent(body).strip(), " " * 4)
    text = f"@pl.jit{options}\ndef kernel({parameters}):\n{body}\n"
    return Example(text, "pro")


def pro_tiles(body: str, parameters: str = PRO_PARAMETERS, options: str = "") -> Example:
    """The same with two tiles, `a` and `b`."""
    return pro(TILES + textwrap.dedent(body).strip(), parameters, options)


def pro_text(text: str) -> Example:
    return Example(textwrap.dedent(text).strip() + "\n", "pro")


def mlir(text: str, passes: str = "", target: str = "910B") -> Example:
    return Example(textwrap.dedent(text).strip() + "\n", "mlir", passes, target)


def shell(text: str, file: str = "") -> Example:
    return Example(textwrap.dedent(text).strip() + "\n", "shell", file=file)
