# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Stepping through a kernel at its Python lines.

The model runs in a thread of its own and stands still while the debugger does not let it
go on. Only one of the two runs at a time, and whoever runs has the compiler's lock.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import queue
import threading

from ..diagnostics.errors import RunError
from ..diagnostics.render import source_line
from ..frontend import session
from . import arrays
from .arrays import Buffer
from .observe import Event, Place, Watcher, content, core_words

# What stands at a line without being the author's word.
_SILENT = {"arith.constant", "pto.tile.alloc", "pto.tile.slot", "pto.tile.subview", "scf.yield"}
# What a pass puts between lines, with the line of what needs it.
_FLAGS = {"pto.block.set_flag", "pto.block.wait_flag", "pto.block.barrier"}


class _Quit(Exception):
    """Ends a run that nobody is interested in any more."""


@dataclasses.dataclass
class Breakpoint:
    """Stops where a line begins: in any file, or in those whose path ends with `file`; in
    any block, or in block `block`; in any function, or in `function`."""

    number: int
    line: int | None = None
    file: str | None = None
    block: int | None = None
    function: str | None = None

    def matches(self, place: Place, moment) -> bool:
        return (
            (self.line is None or self.line == place.line)
            and (self.function is None or self.function == place.function)
            and (self.block is None or self.block == moment.block)
            and (self.file is None or _same_file(place.file, self.file))
        )

    def __str__(self) -> str:
        words = [f"line {self.line}" if self.line is not None else "every line"]
        words += [f"of {self.file}"] if self.file is not None else []
        words += [f"in {self.function}"] if self.function is not None else []
        words += [f"in block {self.block}"] if self.block is not None else []
        return f"{self.number}: {' '.join(words)}"


def _same_file(path: str, given: str) -> bool:
    return path == given or path.endswith(os.sep + given)


@dataclasses.dataclass(frozen=True)
class Frame:
    """A function that the core is in, and the line that runs next."""

    function: str
    file: str
    line: int

    @property
    def source(self) -> str:
        return source_line(self.file, self.line) if self.file else ""

    def __str__(self) -> str:
        return f"{os.path.basename(self.file) or '-'}:{self.line} in {self.function}"


@dataclasses.dataclass(frozen=True)
class Where:
    """Where the debugger stands: the functions, the innermost first, and the task, block
    and core that run them. `fails`: the line's operation ends the run with an error."""

    frames: tuple[Frame, ...]
    task: int
    task_name: str
    block: int
    blocks: int
    core: str
    words: str
    fails: bool = False

    @property
    def file(self) -> str:
        return self.frames[0].file

    @property
    def line(self) -> int:
        return self.frames[0].line

    @property
    def function(self) -> str:
        return self.frames[0].function

    def __str__(self) -> str:
        first = self.frames[0]
        what = ", which fails" if self.fails else ""
        lines = [f"{first}, {self.words}{what}"]
        for number in range(first.line - 2, first.line + 3):
            text = source_line(first.file, number) if first.file and number > 0 else ""
            if text.strip() or number == first.line:
                mark = "->" if number == first.line else "  "
                lines.append(f"  {mark} {number:>4}  {text}")
        lines += [f"  called at {frame}" for frame in self.frames[1:]]
        return "\n".join(lines)


class _Watcher(Watcher):
    """In the model's thread: decides where the run stands still."""

    def __init__(self, debugger: Debugger):
        super().__init__(Event.CORE_BEGINS, Event.CORE_ENDS, Event.BEFORE, Event.FAILS)
        self._debugger = debugger
        # The line that each core is in: (depth, function, line).
        self._lines: dict[int, tuple] = {}
        self._failed = False
        self._silent = _SILENT if debugger.stage == "frontend" else _SILENT | _FLAGS

    def notify(self, moment) -> None:
        debugger, core = self._debugger, moment.core_id
        if debugger._quit:
            raise _Quit
        if moment.event in (Event.CORE_BEGINS, Event.CORE_ENDS):
            self._lines.pop(core, None)
            if moment.event == Event.CORE_ENDS and core == debugger._core:
                debugger._core = None
            return
        place = self.place(moment)
        if moment.event == Event.FAILS:
            # Tasks fail with what they run: the first is where it happened.
            if not self._failed:
                self._failed = True
                debugger._stand(moment, place, fails=True)
            return
        if place.operation in self._silent or not place.line:
            return
        now = (_depth(moment, place), place.function, place.file, place.line)
        begins = self._lines.get(core) != now
        self._lines[core] = now
        if begins and debugger._stops(moment, place):
            debugger._stand(moment, place)


class Debugger:
    """What `kernel.debug(*args)` gives: the run stands at the first line.

    `step()` goes to the next line, also of a kernel or a function that this one starts;
    `next_line()` to the next line here; `continue_()` to a breakpoint or the end. They give
    a Where, or None at the end, where the arrays are written and `result` is what the call
    gives back. `debugger["t"]` is what `t` holds: an array as NumPy's, masked where nothing
    has written it. As a context manager it ends the run."""

    def __init__(self, name, stage, model, parameters, options, finish):
        # The model's thread would wait for this one, and this one for it.
        if session.LOCK._is_owned():
            raise RunError(f"'{name}' cannot be debugged by what watches a run, which holds it")
        self.name, self.stage = name, stage
        self.result = None
        self._model, self._finish, self._options = model, finish, options
        self._given = [
            (parameter, value, arrays.as_numpy(value).copy() if isinstance(value, Buffer) else None)
            for parameter, _, value in parameters
        ]
        self._written = {parameter for parameter, direction, _ in parameters if direction != "in"}
        self.breakpoints: list[Breakpoint] = []
        self._numbers = 0
        self._where: Where | None = None
        self._moment = None
        self._ended = self._quit = self._interrupted = False
        # Whether the run ended with an error.
        self.failed = False
        # How the run goes on: whether every line stops it, or one of this core within
        # this depth.
        self._every, self._core, self._depth = True, None, 0
        self._commands: queue.SimpleQueue = queue.SimpleQueue()
        self._answers: queue.SimpleQueue = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"debug {name}", daemon=True)
        self._thread.start()
        self._wait()

    def __repr__(self) -> str:
        state = "ended" if self._ended else f"at {self._where.frames[0]}"
        return f"<debugger of {self.name}, {state}>"

    def __enter__(self) -> Debugger:
        return self

    def __exit__(self, *_) -> None:
        self.quit()

    # The model's thread.

    def _run(self) -> None:
        copies = [
            value if copy is None else arrays.buffer(name, copy)
            for name, value, copy in self._given
        ]
        with session.LOCK:
            try:
                self._model.run(copies, **self._options, watcher=_Watcher(self))
            except _Quit:
                self._answers.put(None)
            except BaseException as error:
                self._answers.put(error)
            else:
                self._answers.put("ended")

    def _stops(self, moment, place: Place) -> bool:
        if self._interrupted or self._every:
            return True
        if any(point.matches(place, moment) for point in self.breakpoints):
            return True
        if self._depth == 0:
            return False
        # The core that a line of was stepped over is done: whatever comes next.
        return self._core is None or (
            self._core == moment.core_id and _depth(moment, place) <= self._depth
        )

    def _stand(self, moment, place: Place, fails: bool = False) -> None:
        places = [place, *(Place(*moment.at(depth)) for depth in range(1, moment.depth))]
        frames = []
        for each in places:
            frames.append(Frame(each.function, each.file, each.line))
            frames += [Frame(each.function, file, line) for file, line in each.callers]
        self._where = Where(
            tuple(frames),
            moment.task,
            moment.task_name,
            moment.block,
            moment.blocks,
            moment.core,
            core_words(moment),
            fails,
        )
        self._interrupted = False
        self._core, self._depth, self._moment = moment.core_id, _depth(moment, place), moment
        session.LOCK.release()
        try:
            self._answers.put("stands")
            command = self._commands.get()
        finally:
            session.LOCK.acquire()
            self._moment = None
        if command == "quit":
            raise _Quit
        self._every = command == "step"
        if command == "continue":
            self._depth = 0

    # The user's thread.

    def _wait(self) -> Where | None:
        while True:
            try:
                answer = self._answers.get()
                break
            except KeyboardInterrupt:
                self._interrupted = True
        if answer == "stands":
            return self._where
        self._ended, self._where = True, None
        self._thread.join()
        if isinstance(answer, BaseException):
            self.failed = True
            raise answer.with_traceback(None) if isinstance(answer, RunError) else answer
        if answer == "ended":
            for name, value, copy in self._given:
                if name in self._written:
                    arrays.as_numpy(value)[...] = copy
            self.result = self._finish()
        return None

    def _go(self, command: str) -> Where | None:
        self._require_running()
        self._commands.put(command)
        return self._wait()

    def _require_running(self) -> None:
        if self._ended:
            raise RunError(f"the run of '{self.name}' has ended; debug it again")

    def step(self) -> Where | None:
        """To the next line, of whichever function and core comes to one."""
        return self._go("step")

    def next_line(self) -> Where | None:
        """To the next line of this function on this core, over what it calls and starts;
        behind its end to whatever line comes."""
        return self._go("next")

    def continue_(self) -> Where | None:
        """To the next breakpoint, or to the end."""
        return self._go("continue")

    def quit(self) -> None:
        """Ends the run. The caller's arrays stay as they were."""
        if self._ended:
            return
        self._quit = True
        self._commands.put("quit")
        with contextlib.suppress(RunError):
            self._wait()

    @property
    def ended(self) -> bool:
        return self._ended

    def break_at(self, line=None, *, file=None, block=None, function=None) -> Breakpoint:
        """Stops where a line begins. `line` is a number or "file.py:number"."""
        if isinstance(line, str):
            given, _, number = line.rpartition(":")
            if not given or not number.isdigit():
                raise ValueError(f"break_at takes a line or 'file.py:line', found {line!r}")
            file, line = given, int(number)
        if line is None and block is None and function is None:
            raise ValueError("break_at takes a line, a function or a block")
        for word, value, least in (("line", line, 1), ("block", block, 0)):
            if value is None:
                continue
            if type(value) is not int:
                raise TypeError(f"break_at({word}=) is a number, found {value!r}")
            if value < least:
                raise ValueError(f"break_at({word}=) counts from {least}, found {value}")
        for word, value in (("file", file), ("function", function)):
            if value is not None and not isinstance(value, str):
                raise TypeError(f"break_at({word}=) is a name, found {value!r}")
        self._numbers += 1
        point = Breakpoint(self._numbers, line, file, block, function)
        self.breakpoints.append(point)
        return point

    def clear(self, number: int) -> None:
        """Removes a breakpoint."""
        kept = [point for point in self.breakpoints if point.number != number]
        if len(kept) == len(self.breakpoints):
            raise ValueError(f"there is no breakpoint {number}")
        self.breakpoints = kept

    # What there is to see.

    def where(self) -> Where | None:
        """The line that runs next; None at the end."""
        return self._where

    def names(self, depth: int = 0) -> list[str]:
        """The variables that are bound here, the last bound first; `depth` 1 is the
        function that called this one."""
        self._require_running()
        with session.LOCK:
            return list(dict.fromkeys([*self._moment.names(depth), *self._parameters()]))

    def _parameters(self) -> list[str]:
        return [name for name, _, copy in self._given if copy is not None]

    def read(self, name: str, depth: int = 0):
        """The Content of a variable: its `array` or `value`, its space, what is defined."""
        self._require_running()
        with session.LOCK:
            found = content(self._moment.read(name, depth))
        if found is not None:
            return found
        # The program's own arrays, whoever looks.
        for parameter, value, copy in self._given:
            if parameter == name and copy is not None:
                return content((name, "DDR", value.dtype.mlir, value.shape, copy.tobytes(), None))
        known = ", ".join(self.names(depth)) or "nothing"
        raise KeyError(f"'{name}' has no value here; bound are {known}")

    def __getitem__(self, name: str):
        found = self.read(name)
        return found.array if found.is_array else found.value

    def valid(self, name: str):
        """For each element of an array whether something has written it."""
        import numpy

        found = self.read(name)
        if not found.is_array:
            raise TypeError(f"'{name}' is {found.value!r}, not an array")
        return numpy.ones(found.value.shape, bool) if found.defined is None else found.defined

    def interact(self) -> None:
        """Steps through it in a terminal."""
        from .debug_prompt import interact

        interact(self)


def _depth(moment, place: Place) -> int:
    """How many functions the author would say that the core is in."""
    return moment.depth + len(place.callers)
