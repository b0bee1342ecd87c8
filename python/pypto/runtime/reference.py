# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The reference model, as the rest of the package sees it."""

from __future__ import annotations

import contextlib
import functools

from ..diagnostics.errors import Diagnostic, RunError
from .arrays import Buffer


def _memory_type(dtype) -> str:
    """The element type in the IR of an array in DDR, where integers have no sign of their own
    and a truth value is a byte."""
    return dtype.mlir if dtype.is_float else f"i{dtype.bits}"


class ReferenceModel:
    """Runs one module. It keeps the module, which must not change."""

    def __init__(self, operation, entry: str):
        from ..mlir._mlir_libs import _pto

        self._entry = entry
        self._make = functools.partial(_pto.ReferenceProgram, operation)
        self._program = self._make()
        self._runs = False
        #: The times of the last run as JSON, if they were wanted.
        self.profile = ""

    @contextlib.contextmanager
    def _free_program(self):
        """The program, or while a run of it stands still (a debugger holds it, or what
        watches it calls the kernel) one of its own: a program is the state of one run."""
        if self._runs:
            yield self._make()
            return
        self._runs = True
        try:
            yield self._program
        finally:
            self._runs = False

    def run(
        self,
        arguments: list,
        step_limit: int,
        checks: str = "all",
        schedules: int = 1,
        seed: int | None = None,
        profile: bool = False,
        watcher=None,
    ) -> None:
        """`arguments`: a Buffer or a number for each parameter of the entry; for a pointer
        (an array of one unknown dimension) a Buffer of any extent, or None. `profile`:
        whether times are computed. `watcher`: an object that is told what the run does
        (observe.Watcher). The others are those of RunConfig, which has checked them."""
        from ..diagnostics import reports
        from ..diagnostics.mlir import collect
        from ..frontend import session

        given = [
            (value.address, list(value.shape), _memory_type(value.dtype))
            if isinstance(value, Buffer)
            else value
            for value in arguments
        ]
        watched = {}
        if watcher is not None:
            watched = {
                "observer": watcher.notify,
                "events": watcher.events,
                "watched": watcher.watched,
            }
        failure: Exception | None = None
        with self._free_program() as program, collect(session.CONTEXT) as found:
            try:
                program.run(
                    self._entry,
                    given,
                    step_limit,
                    checks=checks,
                    schedules=schedules,
                    seed=seed,
                    profile=profile,
                    **watched,
                )
            except (RuntimeError, ValueError) as error:
                failure = error
            self.profile, checked = program.profile, program.reports()
        if found:
            raise RunError(found, reports.parse(checked)) from None
        if failure is not None:
            raise RunError([Diagnostic(str(failure))]) from None
