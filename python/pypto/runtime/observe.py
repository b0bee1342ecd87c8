# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Watching a run: what a trace, a debugger and `assert_close` are made of."""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools

from ..language.dtypes import DataType


class Event(enum.IntEnum):
    """What a run tells; the same numbers as in lib/Reference/Observer.h."""

    TASK_BEGINS = 0
    TASK_ENDS = 1
    CORE_BEGINS = 2
    CORE_ENDS = 3
    BEFORE = 4
    AFTER = 5
    FAILS = 6
    WROTE = 7


@dataclasses.dataclass(frozen=True)
class Place:
    """An operation: what its author calls it, what the IR does, and where it stands."""

    word: str
    operation: str
    function: str
    file: str
    line: int
    column: int
    # Where functions that were spliced in were called, the innermost first.
    callers: tuple[tuple[str, int], ...] = ()


class Watcher(abc.ABC):
    """Is told of the events of a run that it asks for; what `notify` raises ends the run."""

    def __init__(self, *events: Event):
        self.events = sum(1 << event for event in events)
        # The address of a byte whose writes are told.
        self.watched = 0
        self._places: dict[int, Place | None] = {}

    @abc.abstractmethod
    def notify(self, moment) -> None: ...

    def place(self, moment) -> Place | None:
        """Where the operation of a moment stands. Operations do not change during a run."""
        key = moment.operation_id
        if key not in self._places:
            found = moment.operation()
            self._places[key] = None if found is None else Place(*found)
        return self._places[key]


@dataclasses.dataclass
class Content:
    """What a value holds: a number, a list of numbers, or an array. `defined`: for each
    element whether something has written it; None if all are."""

    name: str
    space: str
    value: object
    dtype: DataType | None = None
    defined: object = None

    @property
    def is_array(self) -> bool:
        return self.dtype is not None

    @property
    def array(self):
        """The elements as a NumPy array; masked where nothing has written them."""
        import numpy

        if self.defined is None:
            return self.value
        return numpy.ma.MaskedArray(self.value, mask=~self.defined)


@functools.cache
def _dtypes() -> dict[str, DataType]:
    return {dtype.mlir: dtype for dtype in DataType.all.values() if dtype.mlir}


def content(given: tuple | None) -> Content | None:
    """What the model gives, in Python's terms."""
    if given is None or len(given) == 3:
        return None if given is None else Content(*given)
    import numpy

    from .arrays import numpy_type

    name, space, mlir, shape, data, defined = given
    dtype = _dtypes()[mlir]
    value = numpy.frombuffer(data, numpy_type(dtype)).reshape(shape)
    if defined is not None:
        defined = numpy.frombuffer(defined, bool).reshape(shape)
    return Content(name, space, value, dtype, defined)


def core_words(moment) -> str:
    """'task 1 softmax, block 0 of 8, AIV 1', with what there is of it."""
    words = [f"task {moment.task} {moment.task_name}" if moment.task else "orchestration"]
    if moment.blocks > 1:
        words.append(f"block {moment.block} of {moment.blocks}")
    if moment.core and moment.core != "the core":
        words.append(moment.core.partition(" of block")[0])
    return ", ".join(words)
