# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Diagnostics of MLIR as ours."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager

from ..mlir import ir
from .errors import Diagnostic


def _word(location: ir.Location, get) -> str:
    """What `get` reads of a location: its file or its name. Text of a module may hold one
    that is no UTF-8, at which the binding would end the process; printed, its bytes are
    escaped."""
    text = str(location)
    if not re.search(r"\\[89A-F][0-9A-F]", text):
        return get(location)
    quoted = re.search(r'"((?:[^"\\]|\\.)*)"', text)[1].encode()

    def byte(found) -> bytes:
        return found[1] if len(found[1]) == 1 else bytes([int(found[1], 16)])

    return re.sub(rb"\\(\\|[0-9A-F]{2})", byte, quoted).decode("utf-8", errors="replace")


def name_word(location: ir.Location) -> str:
    """The name of a name location."""
    return _word(location, lambda one: one.name_str)


def place(location: ir.Location) -> tuple[str | None, int, int]:
    """File, line and column of a location, through names, calls and fusions."""
    while True:
        if location.is_a_file():
            return _word(location, lambda one: one.filename), location.start_line, location.start_col
        if location.is_a_name():
            location = location.child_loc
        elif location.is_a_callsite():
            location = location.callee
        elif location.is_a_fused() and location.locations:
            location = location.locations[0]
        else:
            return None, 0, 0


def _from(diagnostic, severity: str) -> Diagnostic:
    file, line, column = place(diagnostic.location)
    notes = [_from(note, "note") for note in diagnostic.notes]
    return Diagnostic(diagnostic.message, file, line, column, 0, severity, notes)


@contextmanager
def collect(context: ir.Context):
    """A list that takes the errors of this context while the block runs: those of this
    thread, since a run that a debugger holds is in a block of its own meanwhile."""
    found: list[Diagnostic] = []
    mine = threading.get_ident()

    def take(diagnostic) -> bool:
        if threading.get_ident() != mine:
            return False
        if diagnostic.severity != ir.DiagnosticSeverity.ERROR:
            return True
        made = _from(diagnostic, "error")
        if made not in found:
            found.append(made)
        return True

    handler = context.attach_diagnostic_handler(take)
    try:
        yield found
    finally:
        handler.detach()


def verify(module: ir.Module) -> bool:
    """Verifies the module; if it is wrong, each operation by itself, so that
    independent errors are all found."""
    try:
        if module.operation.verify():
            return True
    except ir.MLIRError:
        pass

    def check(operation: ir.Operation) -> ir.WalkResult:
        if all(len(region.blocks) == 0 for region in operation.regions):
            try:
                operation.verify()
            except ir.MLIRError:
                pass
        return ir.WalkResult.ADVANCE

    module.operation.walk(check)
    return False
