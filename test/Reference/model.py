# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Runs .mlir text on the reference model, for the tests here."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from pypto.mlir import ir
from pypto.mlir._mlir_libs import _pto

ROOT = Path(__file__).parent.parent
DTYPES = {
    np.dtype("float16"): "f16",
    np.dtype("float32"): "f32",
    np.dtype("int32"): "i32",
    np.dtype("uint16"): "bf16",
    np.dtype("int8"): "i8",
    np.dtype("uint8"): "i8",
    np.dtype("int16"): "i16",
    np.dtype("int64"): "i64",
}  # bits of BF16, which NumPy does not have


class Failed(Exception):
    """A run that the model refused: `errors` are (line, message, [(line, note)])."""

    def __init__(self, errors):
        self.errors = errors
        super().__init__("\n".join(f"line {line}: {text}" for line, text, _ in errors))


def _line(location) -> int:
    match = re.search(r":(\d+):\d+", str(location))
    return int(match.group(1)) if match else 0


class Program:
    def __init__(self, text: str, named: bool = False):
        """`named`: values have the names that they have in the text, as `pypto-run` has it."""
        self.context = ir.Context()
        self.errors = []
        self.handler = self.context.attach_diagnostic_handler(self._collect)
        try:
            with self.context:
                self.module = (
                    _pto.parse_named(self.context, text, "k.mlir")
                    if named
                    else ir.Module.parse(text)
                )
        except ir.MLIRError as error:
            self.close()
            raise Failed([(0, str(error), [])]) from None
        self.program = _pto.ReferenceProgram(self.module)

    def close(self):
        """Errors are no longer collected. The handler holds this object, and this
        object the handler, in a way that Python does not see: neither would ever go."""
        self.handler.detach()
        self.handler = None

    def _collect(self, diagnostic) -> bool:
        notes = [(_line(note.location), note.message) for note in diagnostic.notes]
        self.errors.append((_line(diagnostic.location), diagnostic.message, notes))
        return True

    def run(self, *arguments, entry=None, **options):
        self.errors.clear()
        given = [
            (a.ctypes.data, a.shape, DTYPES[a.dtype]) if isinstance(a, np.ndarray) else a
            for a in arguments
        ]
        try:
            self.program.run(entry, given, **options)
        except RuntimeError:
            raise Failed(list(self.errors)) from None


def run(text: str, *arguments, named=False, **options) -> Program:
    program = Program(text, named)
    try:
        program.run(*arguments, **options)
    finally:
        program.close()
    return program


# BF16 as bits.


def to_bf16(values: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded).astype(np.uint16)


def from_bf16(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)
