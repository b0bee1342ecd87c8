# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A kernel for every key: checked, or emitted."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import multiprocessing
import os
import threading
import warnings
from collections.abc import Callable, Iterator

from pypto.diagnostics.errors import Diagnostic, PyptoError, raise_all
from pypto.frontend import session
from pypto.language.dtypes import FP16

from ..runtime.errors import note
from ..runtime.launch import Launch
from ..runtime.opc.pypto_compile import EmittedKey
from ..runtime.progress import Progress

# Keys that one call of a worker does.
_CHUNK = 8


@dataclasses.dataclass
class _Failures:
    """Errors, each with the keys that it is of."""

    found: list[tuple[Diagnostic, list[dict]]] = dataclasses.field(default_factory=list)

    def add(self, diagnostics: list[Diagnostic], key: dict[str, int]) -> None:
        for diagnostic in diagnostics:
            keys = next((keys for known, keys in self.found if known == diagnostic), None)
            if keys is None:
                self.found.append((diagnostic, [key]))
            else:
                keys.append(key)

    def raise_if_any(self, count: int) -> None:
        if not self.found:
            return
        made = []
        for diagnostic, keys in self.found:
            if len(keys) == count:
                text = "for every key"
            elif len(keys) == 1:
                text = f"for the tilingkey {keys[0]}"
            else:
                text = f"for {len(keys):,} of {count:,} keys, the first is {keys[0]}"
            notes = [*diagnostic.notes, note(text)]
            made.append(dataclasses.replace(diagnostic, notes=notes))
        raise_all(made)


def _launches(kernel, keys: list[dict[str, int]], dtypes: dict | None) -> list[Launch]:
    if kernel.datatypes is not None and dtypes is None:
        dtypes = dict.fromkeys(kernel.datatypes.variables, FP16)
    return [Launch(None, 1, key, kernel.schema.pack(key), dtypes) for key in keys]


def check_all_keys(kernel, args: tuple, datatype: dict | None, progress: bool) -> int:
    keys = kernel.keys()
    dtypes = None
    if datatype is not None or kernel.datatypes is not None and datatype:
        dtypes = kernel._launch(keys[0] if keys else None, datatype).dtypes
    failures = _Failures()

    def check(front, launch: Launch) -> None:
        kernel.programs.finish(front, launch)

    for _ in _each(kernel, args, _launches(kernel, keys, dtypes), check, failures, progress):
        pass
    failures.raise_if_any(len(keys))
    return len(keys)


def emit_keys(kernel, keys: list[dict[str, int]], dtypes: dict | None) -> Iterator[EmittedKey]:
    failures = _Failures()

    def emit(front, launch: Launch) -> EmittedKey:
        final = kernel.programs.finish(front, launch).final
        symbol = f"{kernel.name}_{launch.packed:#x}"
        path, text = next(
            (path, text) for path, text in final.emit() if path.startswith("kernels/")
        )
        return EmittedKey(launch.key, launch.packed, symbol, os.path.basename(path), text)

    launches = _launches(kernel, keys, dtypes)
    yield from _each(kernel, (), launches, emit, failures, False)
    failures.raise_if_any(len(keys))


def _each(kernel, args: tuple, launches: list, work: Callable, failures, progress: bool):
    """What `work(front, launch)` gives for each launch, as it is made. The front end reads
    the kernel once for each set of structural values, here; passes run on all cores."""
    pending = _fronts(kernel, args, launches, failures)
    with Progress(f"keys of {kernel.name}", after=1.0 if progress else float("inf")) as bar:
        done = len(launches) - len(pending)
        for result, key, diagnostics in _on_all_cores(pending, work):
            done += 1
            bar.tell(done / len(launches), f"{done:,} of {len(launches):,} keys")
            if diagnostics:
                failures.add(diagnostics, key)
            else:
                yield result


def _fronts(kernel, args: tuple, launches: list, failures: _Failures) -> list[tuple]:
    """(front, launch) of each launch that the front end accepts."""
    programs = kernel.programs
    shapes = programs.shapes_of(args)
    found, known = [], {}
    for launch in launches:
        try:
            found.append((programs.front(shapes, launch, known), launch))
        except PyptoError as error:
            failures.add(error.diagnostics, launch.key)
    return found


# On all cores.

# What forked workers inherit: a kernel is no data that could be sent to them.
_inherited: tuple[list, Callable] | None = None


def _can_fork() -> bool:
    """Whether no other thread of Python runs: it may hold a lock that nobody gives up in a
    child. The idle threads of NumPy's BLAS, which are there from its import on, hold none."""
    return hasattr(os, "fork") and threading.active_count() == 1


def _on_all_cores(pending: list[tuple], work: Callable):
    """(result, key, diagnostics) of each; in this process alone if it has other threads, or
    where there is little to do."""
    global _inherited
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if workers == 1 or len(pending) <= _CHUNK or not _can_fork():
        for front, launch in pending:
            yield _one(front, launch, work)
        return
    chunks = [(begin, begin + _CHUNK) for begin in range(0, len(pending), _CHUNK)]
    context = multiprocessing.get_context("fork")
    with session.LOCK:
        _inherited = (pending, work)
        try:
            with (
                warnings.catch_warnings(),
                concurrent.futures.ProcessPoolExecutor(workers, mp_context=context) as pool,
            ):
                # Python 3.12 warns of threads that it does not know; see _can_fork.
                warnings.filterwarnings("ignore", "This process .* multi-threaded")
                for future in concurrent.futures.as_completed(
                    [pool.submit(_chunk, *chunk) for chunk in chunks]
                ):
                    yield from future.result()
        finally:
            _inherited = None


def _chunk(begin: int, end: int) -> list[tuple]:
    pending, work = _inherited
    return [_one(front, launch, work) for front, launch in pending[begin:end]]


def _one(front, launch: Launch, work: Callable) -> tuple:
    try:
        return work(front, launch), launch.key, []
    except PyptoError as error:
        return None, launch.key, error.diagnostics
